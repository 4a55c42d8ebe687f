"""Where the rows of a run come from, and how they are read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from engine.config.explain import raised
from engine.config.part import Part, Text, WholeNumber
from engine.errors import ConfigError

ProblemType = Literal["single_label_classification", "multi_label_classification", "regression"]
"""What the labels of text-classification are, in transformers' names."""


class DataConfig(Part):
    """Where the rows come from: exactly one of `name` (built in), `path` (a file) and `hub` (a data set's id)."""

    name: Text | None = None
    path: Text | None = None
    hub: Text | None = None
    config: Text | None = None
    """Of a Hub data set: its configuration."""
    split: Text = "train"
    """Of a Hub data set: the split to train on."""
    text: Text | None = None
    """Column of the text. None: the data's own."""
    label: Text | None = None
    """Column of the label: a class, tags, a number, or the text to write. None: the data's own."""
    problem_type: ProblemType | None = None
    """What the labels of text-classification are. None: what their values look like."""
    max_length: WholeNumber = Field(default=128, ge=2, le=2**20)
    """Tokens a row is cut to."""
    eval_rows: WholeNumber | None = Field(default=None, ge=1, le=2**31 - 1)
    """Rows held out for evaluation. None: the data's own number."""

    @model_validator(mode="after")
    def _one_source(self) -> DataConfig:
        given = [key for key in ("name", "path", "hub") if getattr(self, key) is not None]
        if not given:
            raise raised(ConfigError("config.no-source", field="data"))
        if len(given) > 1:
            raise raised(ConfigError("config.two-sources", field=f"data.{given[1]}", first=f"data.{given[0]}"))
        for key in ("config", "split"):
            if self.hub is None and getattr(self, key) != type(self).model_fields[key].default:
                raise raised(ConfigError("config.hub-only", field=f"data.{key}"))
        return self
