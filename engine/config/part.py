"""What every part of a config is: checked strictly, frozen, without unknown keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1)]
WholeNumber = Annotated[
    int, BeforeValidator(lambda value: int(value) if isinstance(value, float) and value.is_integer() else value)
]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
