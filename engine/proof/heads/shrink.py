"""From a model's default configuration to a tiny one of the same architecture."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from transformers import PreTrainedConfig

from engine.proof.causes import parts_of
from engine.proof.heads.overrides import OVERRIDES
from engine.proof.heads.sizes import (
    FIRST_WORD,
    INDEX_LIST,
    LAYER_COUNT,
    LAYERS,
    SPECIAL,
    SPECIAL_IDS,
    VOCABULARY,
    size_of,
)

FILLED = {"vocab_size": VOCABULARY, "num_key_value_heads": 2, "head_dim": 16}
"""Sizes that a tiny model needs where the default leaves them open."""

NEEDED_IDS = ("pad_token_id", "bos_token_id", "eos_token_id")
"""Special ids that a tiny model needs where the default leaves them open."""


def tiny_config(config_class: type[PreTrainedConfig], **chosen: Any) -> PreTrainedConfig:
    """The default configuration of `config_class`, with only what makes it large changed, and the `chosen` fields."""
    config = _tiny(config_class, {}, chosen)
    for part in parts_of(config):
        if hasattr(part, "use_cache"):
            part.use_cache = False
        if part.is_encoder_decoder and getattr(part, "decoder_start_token_id", None) is None:
            part.decoder_start_token_id = SPECIAL_IDS["decoder_start"]
    return config


def _tiny(config_class: type[PreTrainedConfig], given: dict[str, Any], chosen: dict[str, Any]) -> PreTrainedConfig:
    override = dict(OVERRIDES.get(config_class.model_type, {}))
    default = config_class(**given)
    settable = {config_class.attribute_map.get(field.name, field.name) for field in fields(config_class)}
    changes = {name: value for name, value in changed(default).items() if name in settable}
    specs = config_class.sub_configs_defaults
    for name, value in vars(default).items():
        if isinstance(value, PreTrainedConfig):
            inside = specs[name].init_kwargs if name in specs else {}
            changes[name] = _tiny(type(value), dict(inside), override.pop(name, {}))
    return config_class(**{**given, **changes, **override, **chosen})


def changed(default: PreTrainedConfig) -> dict[str, Any]:
    """The fields of `default` that a tiny model has otherwise."""
    values = vars(default)
    changes: dict[str, Any] = {}
    special = iter(range(max(SPECIAL_IDS.values()) + 1, FIRST_WORD))
    for name, value in values.items():
        if name.startswith("_") or isinstance(value, bool):
            continue
        if SPECIAL.search(name) and (value is not None or name in NEEDED_IDS):
            known = next((token for word, token in SPECIAL_IDS.items() if name.startswith(word)), None)
            changes[name] = next(special) if known is None else known
        elif value is None and name in FILLED:
            changes[name] = FILLED[name]
        elif isinstance(value, int):
            changes[name] = min(value, LAYERS) if LAYER_COUNT.search(name) else size_of(name, value)
    if values.get("num_key_value_heads") == values.get("num_attention_heads", 0):
        changes["num_key_value_heads"] = changes["num_attention_heads"]
    changes.update(_cut_layers(values))
    return {name: value for name, value in changes.items() if value != values[name]}


def _cut_layers(values: dict[str, Any]) -> dict[str, Any]:
    """What says of each layer of which kind it is, cut so that each kind stays, and the count of layers with it."""
    changes: dict[str, Any] = {}
    counts = {name: value for name, value in values.items() if LAYER_COUNT.search(name) and isinstance(value, int)}
    for length in sorted(set(counts.values())):
        numbers = {name: value for name, value in values.items() if _numbers_layers(name, value, length)}
        lists = {
            name: value
            for name, value in values.items()
            if isinstance(value, (list, tuple)) and len(value) == length and name not in numbers
        }
        if length <= LAYERS or not (lists or numbers):
            continue
        kinds = [*lists.values(), *([layer in named for layer in range(length)] for named in numbers.values())]
        kept = kept_layers(list(zip(*kinds, strict=True)))
        for name, value in lists.items():
            cut = [value[layer] for layer in kept]
            changes[name] = [size_of(name, each) if type(each) is int else each for each in cut]
        for name, value in numbers.items():
            changes[name] = [place for place, layer in enumerate(kept) if layer in value]
        changes.update({name: len(kept) for name, count in counts.items() if count == length})
    return changes


def _numbers_layers(name: str, value: Any, length: int) -> bool:
    """Whether a field lists the numbers of some layers."""
    if not (INDEX_LIST.search(name) and isinstance(value, (list, tuple)) and value):
        return False
    return all(type(each) is int for each in value) and sorted(set(value)) == list(value) and value[-1] < length


def kept_layers(layers: list[tuple[Any, ...]]) -> list[int]:
    """The first layers that together show each value of each list; at least `LAYERS` of them."""
    seen: set[tuple[int, str]] = set()
    kept = []
    for layer, values in enumerate(layers):
        new = {(place, repr(value)) for place, value in enumerate(values)} - seen
        if new:
            kept.append(layer)
            seen |= new
    others = (layer for layer in range(len(layers)) if layer not in kept)
    while len(kept) < LAYERS:
        kept.append(next(others))
    return sorted(kept)
