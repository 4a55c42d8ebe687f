"""The form and the config: what each field shows of a config, and what it writes into one.

The form never rewrites what it does not show: `merge` writes a field only where it differs from what the
config says already, so a setting that only YAML can express stays as it is.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import DATASETS, LoraSpec, RunConfig
from gui import during, processes
from gui.during import part

Values = dict[str, Any]
FILE_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".txt")
OPTIMIZER = "adamw_torch_fused"
"""What transformers takes where none is named."""


@dataclass(frozen=True)
class Field:
    """`name` is the element's id and names its words (`form.…`); `place` is the dotted key in the config.

    `show` reads a config; `write` changes a config's plain values. A `required` field can't be empty.
    """

    name: str
    place: str
    show: Callable[[RunConfig], Any]
    write: Callable[[Values, Any], None]
    required: bool = True
    example: str = ""


class EmptyField(Exception):
    """A field that needs a value has none."""

    def __init__(self, field: Field) -> None:
        self.field = field
        super().__init__(field.name)


def merge(shown: Mapping[str, Any], base: Values) -> Values:
    """`base` (a config's plain values) with those form values that differ from what it says.

    `shown` holds the form's values by field name.
    Raises:
        ConfigError: `base` is no config.
        EmptyField: a field that was changed and needs a value is empty.
    """
    before = show(RunConfig.from_dict(base))
    result = copy.deepcopy(base)
    for field in FIELDS:
        value = shown[field.name]
        if isinstance(value, str):
            value = value.strip() or None
        if isinstance(value, float) and value.is_integer() and math.isfinite(value):
            value = int(value)
        if value == before[field.name]:
            continue
        if field.required and value is None:
            raise EmptyField(field)
        field.write(result, value)
    return result


def show(config: RunConfig) -> dict[str, Any]:
    """What every field shows of `config`, by field name."""
    return {field.name: field.show(config) for field in FIELDS}


def element_of(place: str | None) -> str | None:
    """The id of the element that shows the config key `place`; of the YAML pane for one that no field shows."""
    return None if place is None else places().get(place, "yaml")


def places() -> dict[str, str]:
    """The name of the field that shows a config key, by the key."""
    own = {field.place: field.name for field in FIELDS if field.place}
    return own | {place: name for name, others in SAME_FIELD.items() for place in others}


def source_of(text: str) -> str:
    """Which key of `data` a text in the Data field means: `name`, `path` or `hub`."""
    if text in DATASETS:
        return "name"
    looks_like_file = text.startswith((".", "~", "/", "\\")) or Path(text).suffix.lower() in FILE_ENDINGS
    return "path" if looks_like_file or Path(text).exists() else "hub"


def _set(room: str | None, key: str) -> Callable[[Values, Any], None]:
    def write(values: Values, value: Any) -> None:
        target = part(values, room) if room else values
        if value is None:
            target.pop(key, None)
        else:
            target[key] = value

    return write


def _training(name: str, key: str, example: str) -> Field:
    return Field(name, f"training.{key}", lambda config: config.setting(key), _set("training", key), example=example)


def name_data(values: Values, text: str) -> None:
    """Writes what the Data field says into a config's plain values."""
    # Columns, configuration and split belong to the data that was named before.
    kept = {key: value for key, value in part(values, "data").items() if key in ("max_length", "eval_rows")}
    values["data"] = {source_of(text): text, **kept}


def _show_length_kind(config: RunConfig) -> str:
    return "updates" if config.setting("max_steps") > 0 else "epochs"


def _show_length(config: RunConfig) -> Any:
    return config.setting("max_steps" if _show_length_kind(config) == "updates" else "num_train_epochs")


def _write_length_kind(values: Values, kind: str) -> None:
    training = part(values, "training")
    length = training.pop("max_steps" if kind == "epochs" else "num_train_epochs", None)
    training.setdefault("num_train_epochs" if kind == "epochs" else "max_steps", length or 1)


def _write_length(values: Values, length: Any) -> None:
    training = part(values, "training")
    training["max_steps" if "max_steps" in training else "num_train_epochs"] = length


def _show_precision(config: RunConfig) -> str:
    return next((kind for kind in ("bf16", "fp16") if config.setting(kind)), "fp32")


def _write_precision(values: Values, precision: str) -> None:
    training = part(values, "training")
    for kind in ("bf16", "fp16"):
        training.pop(kind, None)
    if precision != "fp32":
        training[precision] = True


def _write_window_order(values: Values, order: str) -> None:
    _set(None, "window_order")(values, None if order == "auto" else order)


def _write_budget(values: Values, tokens: Any) -> None:
    _set(None, "micro_batch_tokens")(values, tokens or None)


def _write_packing(values: Values, packing: bool) -> None:
    _set(None, "packing")(values, packing or None)


def _adapters(key: str) -> Callable[[RunConfig], Any]:
    return lambda config: getattr(config.lora or LoraSpec(), key)


def _write_adapters(key: str) -> Callable[[Values, Any], None]:
    def write(values: Values, value: Any) -> None:
        if values.get("lora") is not None:  # a rank alone asks for no adapters
            _set("lora", key)(values, value)

    return write


def _write_lora(values: Values, adapters: bool) -> None:
    _set(None, "lora")(values, {} if adapters else None)


def _show_freeze(config: RunConfig) -> str:
    """Patterns are shown and taken with commas between them."""
    return ", ".join(config.freeze) if isinstance(config.freeze, list) else config.freeze or "none"


def _write_freeze(values: Values, text: str) -> None:
    patterns = [part.strip() for part in text.split(",") if part.strip()]
    _set(None, "freeze")(values, None if text == "none" else text if text == "encoder" else patterns)


def _none_as(word: str, key: str) -> Callable[[Values, Any], None]:
    return lambda values, value: _set(None, key)(values, None if value == word else value)


def _write_device(values: Values, device: str) -> None:
    part(values, "training").pop("use_cpu", None)
    _none_as("auto", "device")(values, device)


def _write_checkpointing(values: Values, on: bool) -> None:
    _set("training", "activation_checkpointing")(values, on or None)


FIELDS: Sequence[Field] = (
    Field("model", "model", lambda config: config.model, _set(None, "model"), example="minilm"),
    Field(
        "data",
        "data",
        lambda config: config.data.name or config.data.path or config.data.hub,
        name_data,
        example="stdlib-docstrings",
    ),
    Field("text", "data.text", lambda config: config.data.text, _set("data", "text"), required=False),
    Field("label", "data.label", lambda config: config.data.label, _set("data", "label"), required=False),
    Field("task", "task", lambda config: config.task, _set(None, "task"), example="text-classification"),
    _training("micro-batch", "per_device_train_batch_size", "8"),
    _training("accumulation-steps", "gradient_accumulation_steps", "4"),
    Field("length-kind", "", _show_length_kind, _write_length_kind, example="updates"),
    Field("length", "training.max_steps", _show_length, _write_length, example="40"),
    _training("learning-rate", "learning_rate", "1e-4"),
    Field(
        "optim",
        "training.optim",
        lambda config: config.setting("optim") or OPTIMIZER,
        _set("training", "optim"),
        example=OPTIMIZER,
    ),
    _training("schedule", "lr_scheduler_type", "linear"),
    _training("warmup", "warmup_steps", "4"),
    _training("weight-decay", "weight_decay", "0.01"),
    _training("clipping", "max_grad_norm", "1"),
    Field("eval-every", "training.eval_steps", during.show_eval_every, during.write_eval_every, example="10"),
    Field("patience", "early_stopping.patience", during.show_patience, during.write_patience, required=False),
    Field("save-every", "training.save_steps", during.show_save_every, during.write_save_every, example="100"),
    Field("save-limit", "training.save_total_limit", during.show_save_limit, during.write_save_limit, required=False),
    Field("sampling", "samples", lambda config: config.samples is not None, during.write_sampling, example="true"),
    Field("sample-every", "samples.every", during.show_sample_every, during.write_sample_every, example="10"),
    Field("prompts", "samples.prompts", during.show_prompts, during.write_prompts, required=False),
    _training("seed", "seed", "42"),
    Field("window-order", "window_order", lambda c: c.window_order or "auto", _write_window_order, example="auto"),
    Field(
        "micro-batch-tokens",
        "micro_batch_tokens",
        lambda config: config.micro_batch_tokens or 0,
        _write_budget,
        required=False,
    ),
    Field("packing", "packing", lambda config: config.packing, _write_packing, example="false"),
    Field("precision", "training.bf16", _show_precision, _write_precision, example="fp32"),
    Field(
        "device",
        "device",
        lambda config: config.device or ("cpu" if config.setting("use_cpu") else "auto"),
        _write_device,
        example="auto",
    ),
    Field("processes", "launch.processes", processes.show_processes, processes.write_processes, required=False),
    Field("accelerate-config", "launch.accelerate_config", processes.show_file, processes.write_file, required=False),
    Field(
        "checkpointing",
        "training.activation_checkpointing",
        lambda config: bool(config.setting("activation_checkpointing")),
        _write_checkpointing,
        example="false",
    ),
    Field("freeze", "freeze", _show_freeze, _write_freeze, example="encoder"),
    Field("lora", "lora", lambda config: config.lora is not None, _write_lora, example="false"),
    Field("lora-r", "lora.r", _adapters("r"), _write_adapters("r"), example="8"),
    Field("lora-alpha", "lora.alpha", _adapters("alpha"), _write_adapters("alpha"), example="16"),
    Field("lora-dropout", "lora.dropout", _adapters("dropout"), _write_adapters("dropout"), example="0.05"),
    Field(
        "quantization",
        "quantization",
        lambda config: config.quantization or "none",
        _none_as("none", "quantization"),
        example="none",
    ),
    Field("max-length", "data.max_length", lambda c: c.data.max_length, _set("data", "max_length"), example="128"),
    Field(
        "normalization",
        "loss_normalization",
        lambda config: config.loss_normalization,
        _set(None, "loss_normalization"),
        example="exact",
    ),
)

SAME_FIELD: dict[str, tuple[str, ...]] = {
    "data": ("data.name", "data.path", "data.hub"),
    "length": ("training.num_train_epochs",),
    "eval-every": ("training.eval_strategy",),
    "patience": ("early_stopping",),
    "save-every": ("training.save_strategy",),
    "precision": ("training.fp16",),
    "device": ("training.use_cpu",),
    "processes": ("launch",),
}
