"""Small random models, built in code: they learn in minutes on a CPU, and need nothing but the data.

No dropout: two runs of the same batches can then be compared number by number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
    PreTrainedTokenizerFast,
)

from engine.models.loaded import Loaded

VOCABULARY = 2048
POSITIONS = 1024
WIDTH, LAYERS, HEADS = 192, 4, 6

# More text makes no better vocabulary of this size, only a longer wait.
TRAINING_CHARACTERS = 1_000_000


def build(name: str, labels: tuple[str, ...] | None, texts: Sequence[str]) -> Loaded:
    """The model called `name` with a head for `labels`, or for text where there are none.

    Its weights follow from torch's random state, its tokenizer from `texts`.
    """
    classes: dict[str, Any] = {}
    if labels is not None:
        classes = {
            "id2label": dict(enumerate(labels)),
            "label2id": {label: index for index, label in enumerate(labels)},
            "problem_type": "single_label_classification",
        }
    if name == "tiny-bert":
        tokenizer = bert_tokenizer(texts)
        return Loaded(BertForSequenceClassification(bert_config(tokenizer, classes)), tokenizer)
    tokenizer = llama_tokenizer(texts)
    head = LlamaForCausalLM if labels is None else LlamaForSequenceClassification
    return Loaded(head(llama_config(tokenizer, classes)), tokenizer)


def llama_config(tokenizer: PreTrainedTokenizerFast, classes: dict[str, Any]) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=512,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **classes,
    )


def bert_config(tokenizer: PreTrainedTokenizerFast, classes: dict[str, Any]) -> BertConfig:
    return BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=512,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        max_position_embeddings=POSITIONS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=tokenizer.pad_token_id,
        **classes,
    )


def llama_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """A text is its tokens; the end of text is the task's to add."""
    names = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
    return wrapped(byte_pairs(texts, list(names.values())), names)


def bert_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """A text is its tokens between [CLS] and [SEP]."""
    names = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    tokenizer = byte_pairs(texts, list(names.values()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    return wrapped(tokenizer, names)


def byte_pairs(texts: Sequence[str], special: list[str]) -> Tokenizer:
    """Byte pair encoding over bytes: whatever the language, no text is unknown."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=special,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sample(texts), trainer)
    return tokenizer


def sample(texts: Sequence[str]) -> Iterator[str]:
    """Texts spread evenly over all of them, `TRAINING_CHARACTERS` in total at most."""
    total = sum(map(len, texts))
    budget = 0.0
    for text in texts:
        budget += len(text) * min(1.0, TRAINING_CHARACTERS / total) if total else 0.0
        if budget >= len(text):
            budget -= len(text)
            yield text


def wrapped(tokenizer: Tokenizer, names: dict[str, str]) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=POSITIONS,
        clean_up_tokenization_spaces=False,
        **names,
    )
