"""What a run shows of itself while it trains: what the model says of the same texts every n updates."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from engine.config.explain import raised
from engine.config.part import Part, WholeNumber
from engine.errors import ConfigError

MOST_PROMPTS, LONGEST_PROMPT = 16, 2000


def _prompts(value: Any) -> Any:
    texts = value if isinstance(value, list) else [value]
    good = all(isinstance(text, str) and text.strip() and len(text) <= LONGEST_PROMPT for text in texts)
    if not good or len(texts) > MOST_PROMPTS:
        raise raised(ConfigError("samples.prompts", field="samples.prompts", most=MOST_PROMPTS, longest=LONGEST_PROMPT))
    return texts


class SamplesSpec(Part):
    """Taken before the first update, after every `every` updates and after the last one; nothing of the training
    changes by it.
    """

    every: WholeNumber = Field(default=10, ge=1, le=2**31 - 1)
    """Updates between two samples."""
    prompts: Annotated[list[str], BeforeValidator(_prompts)] = Field(default_factory=list)
    """Texts of one's own, for whatever the task does with a text; one alone needs no list."""
    rows: WholeNumber | None = Field(default=None, ge=0, le=32)
    """Of the rows held out, the first so many, beside what is right. None: 4 where there are no prompts, else none."""
    max_new_tokens: WholeNumber = Field(default=40, ge=1, le=512)
    """Of a text that is generated."""

    @model_validator(mode="after")
    def _something(self) -> SamplesSpec:
        if not self.prompts and self.rows == 0:
            raise raised(ConfigError("samples.nothing", field="samples.rows"))
        return self

    @property
    def held_out(self) -> int:
        """How many rows are sampled."""
        return self.rows if self.rows is not None else 0 if self.prompts else 4
