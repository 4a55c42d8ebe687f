"""A model folder loaded with the head that the task needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoTokenizer

from engine.errors import ConfigError, reason_of
from engine.models.head import describe_head
from engine.models.loaded import Loaded, Quantization
from engine.models.quantization import check_loaded, loading
from engine.tasks import get_task
from engine.trust import trusted

Notices = list[tuple[str, dict[str, Any]]]


def load_folder(
    folder: Path,
    name: str,
    task: str,
    labels: tuple[str, ...] | None,
    problem_type: str | None = None,
    quantization: Quantization | None = None,
) -> Loaded:
    """Model and tokenizer of `folder` in fp32, as `engine.models.load`. `name` is what the user called it."""
    notices: Notices = []
    own_code = trusted().remote_code
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=own_code)
    except Exception as error:
        raise unknown_architecture(error, name) from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=own_code)
    except Exception as error:
        raise ConfigError("model.broken", field="model", name=name, reason=f"tokenizer: {reason_of(error)}") from None
    ensure_padding(tokenizer)
    before = list(config.id2label.values())
    prepare(config, tokenizer, task, notices)
    describe_head(config, task, labels, problem_type)
    auto = get_task(task).model_class()
    if not has_head(auto, config):
        raise ConfigError("model.no-head", field="task", name=name, task=task, architecture=config.model_type)
    more = loading(quantization.bits, quantization.device) if quantization else {}
    try:
        model, report = auto.from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            use_safetensors=None if trusted().pickle else True,
            # A head of another number of classes is made anew; a body of another shape is refused below.
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            trust_remote_code=own_code,
            **more,
        )
    except MemoryError:
        raise
    except Exception as error:
        raise ConfigError("model.broken", field="model", name=name, reason=reason_of(error)) from None
    new = new_weights(model, report, name)
    if quantization:
        check_loaded(model, new, name)
        if quantization.bits == "8bit":
            notices.append(("quantization.8bit", {}))
    notices += new_notices(model, new, task)
    kept = not any(code == "model.new-head" for code, _ in notices)
    if labels and kept and before != list(labels):
        notices.append(("model.classes-renamed", {"before": ", ".join(before), "after": ", ".join(labels)}))
    return Loaded(model, tokenizer, notices, tuple(new))


def has_head(auto: Any, config: Any) -> bool:
    """Whether the class `auto` makes a model of `config`, by transformers' own code or by that beside the weights."""
    own = getattr(config, "auto_map", None) or {}
    return type(config) in auto._model_mapping or (trusted().remote_code and auto.__name__ in own)


def ensure_padding(tokenizer: Any) -> None:
    """A padding token where the tokenizer has none: the end of text, else any; padding is masked by position."""
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token or tokenizer.convert_ids_to_tokens(0)


def prepare(config: Any, tokenizer: Any, task: str, notices: Notices) -> None:
    """Writes into `config` what the model must know: the padding, where a decoder starts, that it looks back only."""
    config.pad_token_id = tokenizer.pad_token_id
    if task == "text2text-generation" and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = tokenizer.pad_token_id
    if task == "text-generation" and getattr(config, "is_decoder", None) is False and not config.is_encoder_decoder:
        config.is_decoder = True
        notices.append(("model.encoder", {"architecture": config.model_type}))


def new_weights(model: Any, report: dict[str, Any], name: str) -> list[str]:
    """The names of the weights that loading left to chance.

    Raises ConfigError `model.wrong-shape` where a weight of the body is of another shape than the config says.
    """
    reshaped = [entry[0] if isinstance(entry, tuple) else entry for entry in report["mismatched_keys"]]
    wrong = sorted(key for key in reshaped if in_body(model, key))
    if wrong:
        raise ConfigError("model.wrong-shape", field="model", name=name, weight=wrong[0])
    return sorted({*report["missing_keys"], *reshaped})


def new_notices(model: Any, new: list[str], task: str) -> Notices:
    """Words about `new` weights, told apart by where they lie: in the head, or in the pretrained body."""
    head = [key for key in new if not in_body(model, key)]
    rest = [key for key in new if in_body(model, key)]
    notices: Notices = []
    if head:
        notices.append(("model.new-head", {"task": task, "weights": ", ".join(head)}))
    if rest:
        notices.append(("model.new-weights", {"count": len(rest), "first": rest[0]}))
    return notices


def in_body(model: Any, weight: str) -> bool:
    """Whether a weight, by its name, is of the pretrained body; some encoder-decoders are body and head in one."""
    if model.base_model is not model:
        return weight.startswith(f"{model.base_model_prefix}.")
    output = model.get_output_embeddings()
    heads = [name for name, module in model.named_modules() if module is output]
    return not any(weight.startswith(f"{name}.") for name in heads)


def unknown_architecture(error: Exception, name: str) -> ConfigError:
    """What it means that transformers can't read a model's configuration."""
    if "trust_remote_code" in str(error):
        return ConfigError("model.own-code", field="model", name=name)
    return ConfigError("model.broken", field="model", name=name, reason=reason_of(error))
