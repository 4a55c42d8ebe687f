"""Small random models, built in code: they learn in minutes on a CPU, and need nothing but the data.

No dropout: two runs of the same batches can then be compared number by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertForTokenClassification,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from engine.models.head import describe_head
from engine.models.loaded import Loaded

VOCABULARY = 2048
POSITIONS = 1024
WIDTH, LAYERS, HEADS = 192, 4, 6

# More text makes no better vocabulary of this size, only a longer wait.
TRAINING_CHARACTERS = 1_000_000


def build(
    name: str, task: str, labels: tuple[str, ...] | None, problem_type: str | None, texts: Sequence[str]
) -> Loaded:
    """The model called `name` with the head of `task`.

    Its weights follow from torch's random state, its tokenizer from `texts`.
    """
    return around(TOKENIZERS[name](texts), name, task, labels, problem_type)


def around(
    tokenizer: PreTrainedTokenizerFast, name: str, task: str, labels: tuple[str, ...] | None, problem_type: str | None
) -> Loaded:
    """As `build`, with a tokenizer that is there already."""
    config = CONFIGS[name](tokenizer)
    describe_head(config, task, labels, problem_type)
    return Loaded(HEADS_OF[name][task](config), tokenizer)


def llama_config(tokenizer: PreTrainedTokenizerFast) -> LlamaConfig:
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
    )


def bert_config(tokenizer: PreTrainedTokenizerFast) -> BertConfig:
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
    )


def t5_config(tokenizer: PreTrainedTokenizerFast) -> T5Config:
    return T5Config(
        vocab_size=len(tokenizer),
        d_model=128,
        d_kv=32,
        d_ff=384,
        num_layers=3,
        num_decoder_layers=3,
        num_heads=4,
        dropout_rate=0.0,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
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


def t5_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """A text is its tokens and </s>."""
    names = {"pad_token": "<pad>", "eos_token": "</s>"}
    tokenizer = byte_pairs(texts, list(names.values()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>",
        pair="$A </s> $B:1 </s>:1",
        special_tokens=[("</s>", tokenizer.token_to_id("</s>"))],
    )
    return wrapped(tokenizer, names)


def byte_pairs(texts: Sequence[str], special: list[str]) -> Tokenizer:
    """Byte pair encoding over bytes: whatever the language, no text is unknown."""
    return Tokenizer.from_str(_trained(tuple(sample(texts)), tuple(special)))


@lru_cache(maxsize=4)
def _trained(texts: tuple[str, ...], special: tuple[str, ...]) -> str:
    """Kept for the next run, prediction or preview of the same data; each makes a tokenizer of its own from it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(special),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    written: str = tokenizer.to_str()
    return written


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


TOKENIZERS = {"tiny-llama": llama_tokenizer, "tiny-bert": bert_tokenizer, "tiny-t5": t5_tokenizer}
CONFIGS: dict[str, Callable[[PreTrainedTokenizerFast], Any]] = {
    "tiny-llama": llama_config,
    "tiny-bert": bert_config,
    "tiny-t5": t5_config,
}
HEADS_OF: dict[str, dict[str, Any]] = {
    "tiny-llama": {"text-generation": LlamaForCausalLM, "text-classification": LlamaForSequenceClassification},
    "tiny-bert": {
        "text-classification": BertForSequenceClassification,
        "fill-mask": BertForMaskedLM,
        "token-classification": BertForTokenClassification,
    },
    "tiny-t5": {"text2text-generation": T5ForConditionalGeneration},
}
