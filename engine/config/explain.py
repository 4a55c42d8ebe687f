"""From what pydantic found to one ConfigError: the first in the order of the user's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from engine.config.training import shown, unknown_key
from engine.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)

_CODES = {
    "string_type": "config.text",
    "string_too_short": "config.empty-text",
    "int_type": "config.whole-number",
    "int_from_float": "config.whole-number",
    "greater_than_equal": "config.at-least",
    "less_than_equal": "config.at-most",
    "less_than": "config.below-one",
    "float_type": "config.number",
    "bool_type": "config.true-or-false",
    "literal_error": "config.choice",
    "model_type": "config.mapping",
    "dict_type": "config.mapping",
}


def raised(error: ConfigError) -> PydanticCustomError:
    """`error` in the form in which a pydantic validator may raise it."""
    return PydanticCustomError("config_error", "{line}", {"line": error.line, "error": error})


def checked(model: type[Model], source: Mapping[Any, Any], values: Mapping[Any, Any]) -> Model:
    """`values` as a `model`. `source` is what the user wrote: all keys, in the order of the file."""
    try:
        return model.model_validate(values)
    except ValidationError as failure:
        errors = [_translated(each, model) for each in failure.errors(include_url=False)]
    raise min(errors, key=lambda error: _position(source, error.field or "")) from None


def _translated(found: ErrorDetails, model: type[BaseModel]) -> ConfigError:
    context: dict[str, Any] = found.get("ctx", {})
    if found["type"] == "config_error":
        error: ConfigError = context["error"]
        return error
    place, last = ".".join(str(part) for part in found["loc"]), str(found["loc"][-1])
    if found["type"] in ("extra_forbidden", "invalid_key"):
        if len(found["loc"]) == 1:
            return unknown_key(place, last, model.model_fields)
        part = model.model_fields[str(found["loc"][0])].annotation
        kinds: list[Any] = [part, *get_args(part)]
        return unknown_key(place, last, next(kind for kind in kinds if hasattr(kind, "model_fields")).model_fields)
    if found["type"] == "missing":
        return ConfigError("config.missing", field=place)
    return ConfigError(
        _CODES[found["type"]],
        field=place,
        value=shown(found["input"]),
        low=context.get("ge"),
        high=context.get("le"),
        choices=str(context.get("expected", "")).replace("'", "").replace(" or ", ", "),
    )


def _position(source: Any, field: str) -> list[int]:
    """Where `field` stands in the file: an index a level; what is missing comes last."""
    position: list[int] = []
    for part in field.split("."):
        keys = [str(key) for key in source] if isinstance(source, Mapping) else []
        position.append(keys.index(part) if part in keys else len(keys))
        source = source.get(part) if isinstance(source, Mapping) else None
    return position
