"""The data in the form: a file is uploaded and named, and what is named is looked at."""

from __future__ import annotations

from typing import Any

import gradio as gr

from engine import ConfigError, RunConfig
from gui.answers import ServerFunction
from gui.form import name_data
from gui.plans import settings_of
from gui.scripted import scripted
from gui.text import word
from gui.uploads import Uploads

COLUMNS = ("text", "label", "messages", "prompt", "completion")


class Data:
    """Lays out its parts of the form where it is told to."""

    upload: gr.HTML
    """Where a file that has arrived is named: `{path}`."""
    preview: gr.HTML
    """What the settings mean, to be looked at; and where what it found is taken over: `{columns}` or `{encoding}`."""

    def __init__(self, uploads: Uploads, show: ServerFunction, take: ServerFunction) -> None:
        self._uploads = uploads
        self._show = show
        self._take = take

    def lay_upload(self) -> None:
        self.upload = scripted("upload", "upload", "mount(element, server, props, trigger)", [self._take], value={})

    def lay_preview(self) -> None:
        call = "mount(element, server, props, trigger, watch)"
        with gr.Accordion(word("preview.title"), open=False, elem_id="preview-fold"):
            self.preview = scripted("preview", "preview", call, [self._show], value=settings_of(RunConfig.default()))

    def named(self, asked: Any, config: RunConfig) -> dict[str, Any]:
        """The plain values of `config` with the file, the columns or the encoding that `asked` names.

        Raises ConfigError for a file that was not uploaded: the page may name another one in the field alone.
        """
        values = config.to_dict()
        path = asked.get("path") if isinstance(asked, dict) else None
        columns = asked.get("columns") if isinstance(asked, dict) else None
        encoding = asked.get("encoding") if isinstance(asked, dict) else None
        if isinstance(path, str):
            if not self._uploads.holds(path):
                raise ConfigError("data.no-file", field="data.path", path=path)
            name_data(values, path)
        elif isinstance(columns, dict):
            kept = {key: value for key, value in values["data"].items() if key not in COLUMNS}
            values["data"] = {**kept, **{key: columns[key] for key in COLUMNS if isinstance(columns.get(key), str)}}
        elif isinstance(encoding, str):
            values["data"] = {**values["data"], "encoding": encoding}
        return values
