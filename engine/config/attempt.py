"""What a trained model is asked when someone tries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.errors import ConfigError

LONGEST_TEXT = 10_000
"""Characters."""

TEMPERATURES, TOP_PS, NEW_TOKENS, SEEDS = (0.05, 5.0), (0.01, 1.0), (1, 512), (0, 2**32 - 1)


@dataclass(frozen=True)
class AttemptRequest:
    """A text and the usual knobs; those of writing matter where the model writes.

    `temperature` None is greedy: the likeliest token each time, whatever `top_p` and `seed`. `chat`: the text is a
    message, put into the model's chat template. `base`: the model from before the training is asked.
    """

    text: str
    temperature: float | None = None
    top_p: float = 1.0
    max_new_tokens: int = 40
    seed: int = 42
    chat: bool = False
    base: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> AttemptRequest:
        """From plain values that anyone may have written. Raises ConfigError `try.request`, `try.text`, `try.knob`."""
        if not isinstance(values, Mapping) or not set(values) <= set(cls.__dataclass_fields__):
            raise ConfigError("try.request")
        text = values.get("text")
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_TEXT:
            raise ConfigError("try.text", field="text", longest=LONGEST_TEXT)
        temperature = values.get("temperature")
        return cls(
            # half a character is no text for a tokenizer
            text=text.encode("utf-8", "replace").decode("utf-8"),
            temperature=None if temperature is None else float(_number("temperature", temperature, *TEMPERATURES)),
            top_p=float(_number("top_p", values.get("top_p", 1.0), *TOP_PS)),
            max_new_tokens=_whole("max_new_tokens", values.get("max_new_tokens", 40), *NEW_TOKENS),
            seed=_whole("seed", values.get("seed", 42), *SEEDS),
            chat=values.get("chat") is True,
            base=values.get("base") is True,
        )


def _number(name: str, value: Any, least: float, most: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise ConfigError("try.knob", field=name, name=name, value=_shown(value), least=least, most=most)
    return value


def _whole(name: str, value: Any, least: int, most: int) -> int:
    number = _number(name, value, least, most)
    if number != int(number):
        raise ConfigError("try.knob", field=name, name=name, value=_shown(value), least=least, most=most)
    return int(number)


def _shown(value: Any) -> str:
    return repr(value)[:40]
