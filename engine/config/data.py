"""Where the rows of a run come from, and how they are read."""

from __future__ import annotations

import codecs
from typing import Literal

from pydantic import Field, field_validator, model_validator

from engine.config.explain import raised
from engine.config.part import Part, Text, WholeNumber
from engine.errors import ConfigError

ProblemType = Literal["single_label_classification", "multi_label_classification", "regression"]
"""What the labels of text-classification are, in transformers' names."""

OF_A_HUB = ("config", "split", "eval_split", "streaming")
OF_A_FILE = ("encoding", "validation")
OF_OWN_DATA = ("messages", "prompt", "completion")


class DataConfig(Part):
    """Where the rows come from: exactly one of `name` (built in), `path` (a file or a folder) and `hub` (an id).

    Three ways to say what a row holds: `text` with or without a `label`; `messages`; `prompt` with `completion`.
    """

    name: Text | None = None
    path: Text | None = None
    hub: Text | None = None
    config: Text | None = None
    """Of a Hub data set: its configuration."""
    split: Text = "train"
    """Of a Hub data set: the split to train on."""
    eval_split: Text | None = None
    """Of a Hub data set: the split to evaluate on. None: rows held out of `split`."""
    streaming: bool = False
    """Of a Hub data set: fetched as the run goes on, not before; its length is not known, so max_steps ends the run."""
    encoding: Text | None = None
    """Of a text file: how its characters are written, such as cp1254. None: UTF-8, or UTF-16 with its mark."""
    validation: Text | None = None
    """A file to evaluate on, with the same columns. None: rows held out of the others."""
    text: Text | None = None
    """Column of the text. None: the data's own."""
    label: Text | None = None
    """Column of the label: a class, tags, a number, or the text to write. None: the data's own."""
    messages: Text | None = None
    """Column of conversations, lists of {role, content}: the answers of the assistant are learnt."""
    prompt: Text | None = None
    """Column of what is asked; together with `completion`."""
    completion: Text | None = None
    """Column of the answer, which is learnt."""
    problem_type: ProblemType | None = None
    """What the labels of text-classification are. None: what their values look like."""
    max_length: WholeNumber = Field(default=128, ge=2, le=2**20)
    """Tokens a row is cut to."""
    eval_rows: WholeNumber | None = Field(default=None, ge=1, le=2**31 - 1)
    """Rows held out for evaluation, or used of `validation` and `eval_split`. None: the data's own number."""

    @field_validator("encoding")
    @classmethod
    def _known_encoding(cls, value: str | None) -> str | None:
        try:
            known = value is None or codecs.lookup(value)._is_text_encoding
        except (LookupError, ValueError):
            known = False
        if not known:
            raise raised(ConfigError("data.unknown-encoding", field="data.encoding", value=value))
        return value

    @model_validator(mode="after")
    def _one_source(self) -> DataConfig:
        given = [key for key in ("name", "path", "hub") if getattr(self, key) is not None]
        if not given:
            raise raised(ConfigError("config.no-source", field="data"))
        if len(given) > 1:
            raise raised(ConfigError("config.two-sources", field=f"data.{given[1]}", first=f"data.{given[0]}"))
        for keys, absent, code in (
            (OF_A_HUB, self.hub is None, "config.hub-only"),
            (OF_A_FILE, self.path is None, "config.file-only"),
            (OF_OWN_DATA, self.name is not None, "config.own-data-only"),
        ):
            for key in keys:
                if absent and getattr(self, key) != type(self).model_fields[key].default:
                    raise raised(ConfigError(code, field=f"data.{key}"))
        self._one_way()
        return self

    def _one_way(self) -> None:
        """Whether the columns that are named say one thing of a row."""
        for key, other in (("prompt", "completion"), ("completion", "prompt")):
            if getattr(self, key) is not None and getattr(self, other) is None:
                raise raised(ConfigError("data.half-a-pair", field=f"data.{other}", given=f"data.{key}"))
        ways = [key for key in ("text", "messages", "prompt") if getattr(self, key) is not None]
        if len(ways) > 1:
            raise raised(ConfigError("data.two-ways", field=f"data.{ways[1]}", first=f"data.{ways[0]}"))
        if self.label is not None and self.text is None and ways:
            raise raised(ConfigError("data.two-ways", field="data.label", first=f"data.{ways[0]}"))
