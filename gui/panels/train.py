"""The Train tab: the form on the left, the run on the right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from engine import DATASETS, MODELS, TASKS, RunConfig, Session, Store, training_rows
from gui import form
from gui.arithmetic import in_words
from gui.faults import Fault, fault_of, own_fault
from gui.fit import Mover, fitting
from gui.live import ServerFunction
from gui.scripted import scripted, spoken
from gui.text import ENGLISH, word

PICKERS: tuple[Mover, ...] = ("model", "data", "task")
SCHEDULES = ("linear", "cosine", "constant", "constant_with_warmup", "polynomial", "inverse_sqrt")
QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""Of every cheap handler: beside the queue, so that no spinner shows and nothing waits for a slot."""


class TrainPanel:
    """Lays out the tab and answers its form. Handlers return component updates and never raise."""

    def __init__(self, page: gr.Blocks, session: Session, store: Store, live_functions: list[ServerFunction]) -> None:
        self._session = session
        self._store = store
        default = RunConfig.default()
        with gr.Row(elem_id="studio"):
            with gr.Column(elem_id="form", min_width=0):
                scripted("fold", "fold", "mount(element)")
                self._fields: dict[str, gr.components.Component] = {}
                self._lay_first(form.show(default))
                self._arithmetic = spoken("arithmetic", "status")
                self._start = gr.Button(word("form.start"), variant="primary", elem_id="start")
                self._message = spoken("message", "alert")
                self._lay_folds(form.show(default))
                with gr.Accordion(word("form.yaml"), open=False, elem_id="yaml-fold"):
                    self._yaml = gr.Textbox(
                        default.to_yaml(), label=word("form.yaml.label"), lines=16, max_lines=40, elem_id="yaml"
                    )
                # Which of the two the user wrote in last; set in the browser, so that no request can come too late.
                self._edited = gr.Textbox("form", visible="hidden", elem_id="edited")
                self._ordered = [self._fields[field.name] for field in form.FIELDS]
            with gr.Column(elem_id="live-column", min_width=0):
                self._live = scripted("live", "live", "mount(element, server, watch)", live_functions)
        self._listen(page)

    def _lay_first(self, shown: dict[str, Any]) -> None:
        lay = partial(self._lay, shown)
        lay("model", gr.Dropdown, choices=list(MODELS), allow_custom_value=True)
        lay("data", gr.Dropdown, choices=list(DATASETS), allow_custom_value=True)
        with gr.Row(visible=False, elem_id="columns") as self._columns:
            lay("text", gr.Textbox)
            lay("label", gr.Textbox)
        lay("task", gr.Dropdown, choices=list(TASKS))
        self._fit = spoken("fit", "status")
        with gr.Row(elem_id="batch"):
            lay("micro-batch", gr.Number)
            lay("accumulation-steps", gr.Number)

    def _lay_folds(self, shown: dict[str, Any]) -> None:
        lay = partial(self._lay, shown)
        with gr.Accordion(word("form.optimizer"), open=False, elem_id="optimizer"):
            with gr.Row():
                lay("length", gr.Number)
                lay("length-kind", gr.Dropdown, choices=_choices("length-kind", ("updates", "epochs")))
            with gr.Row():
                lay("learning-rate", gr.Number)
                lay("schedule", gr.Dropdown, choices=list(SCHEDULES), allow_custom_value=True)
            with gr.Row():
                lay("warmup", gr.Number)
                lay("weight-decay", gr.Number)
            with gr.Row():
                lay("clipping", gr.Number)
                lay("eval-every", gr.Number)
        with gr.Accordion(word("form.advanced"), open=False, elem_id="advanced"):
            with gr.Row():
                lay("precision", gr.Dropdown, choices=_choices("precision", ("fp32", "bf16", "fp16")))
                lay("max-length", gr.Number)
            lay("normalization", gr.Radio, choices=_choices("normalization", ("exact", "mean-of-means", "trainer")))
            lay("seed", gr.Number)

    def _lay(
        self, shown: dict[str, Any], name: str, kind: Callable[..., gr.components.Component], **options: Any
    ) -> None:
        label, hint = f"form.{name}", f"form.{name}.info"
        if hint in ENGLISH:
            options["info"] = word(hint)
        self._fields[name] = kind(
            value=shown[name], label=word(label), elem_id=name, min_width=0, interactive=True, **options
        )

    def _listen(self, page: gr.Blocks) -> None:
        page.load(self.first_words, None, self._arithmetic, **QUIET)
        inputs = [self._yaml, *self._ordered]
        typed = [field.input for name, field in self._fields.items() if name not in PICKERS]
        always = {**QUIET, "trigger_mode": "always_last"}
        gr.on(typed, self._form_changed, inputs, [self._arithmetic, self._yaml], **always)
        for mover in PICKERS:
            self._fields[mover].input(
                partial(self._picked, mover),
                inputs,
                [*(self._fields[name] for name in PICKERS), self._columns, self._fit, self._arithmetic, self._yaml],
                **always,
            )
        self._yaml.input(
            self._yaml_changed, self._yaml, [self._arithmetic, self._columns, self._fit, *self._ordered], **always
        )
        mark = {"inputs": None, "outputs": self._edited, "show_progress": "hidden", "api_visibility": "private"}
        gr.on([field.input for field in self._ordered], None, js="() => 'form'", **mark)
        self._yaml.input(None, js="() => 'yaml'", **mark)
        self._start.click(
            self._started,
            [self._edited, *inputs],
            [self._message, self._live],
            show_progress="hidden",
            api_visibility="private",
            queue=False,
        )

    def arithmetic(self, config: RunConfig) -> dict[str, Any]:
        """What `#arithmetic` says of `config`."""
        return {"phrases": in_words(config, training_rows(config.data, config.task, seed=config.seed)), "tone": "plain"}

    def first_words(self) -> dict[str, Any]:
        """The arithmetic of the settings that a fresh page shows."""
        try:
            return self.arithmetic(RunConfig.default())
        except Exception as error:
            return _said(error, tone="quiet")

    def _form_changed(self, yaml: str, *values: Any) -> tuple[Any, Any]:
        try:
            config = self._of_form(yaml, values)
            return self.arithmetic(config), config.to_yaml()
        except Exception as error:
            return _said(error, tone="quiet"), gr.skip()

    def _picked(self, mover: Mover, yaml: str, *values: Any) -> tuple[Any, ...]:
        shown = dict(zip((field.name for field in form.FIELDS), values, strict=True))
        try:
            *pickers, said = fitting(mover, *(str(shown[name] or "").strip() for name in PICKERS))
            shown |= dict(zip(PICKERS, pickers, strict=True))
        except Exception as error:
            return (*[gr.skip()] * 4, _said(error, tone="quiet"), gr.skip(), gr.skip())
        own = form.source_of(str(shown["data"])) != "name"
        arithmetic, text = self._form_changed(yaml, *shown.values())
        return (*pickers, gr.update(visible=own), {"phrases": [[each] for each in said]}, arithmetic, text)

    def _yaml_changed(self, yaml: str) -> tuple[Any, ...]:
        try:
            config = self._of_yaml(yaml)
            own = config.data.name is None
            return (self.arithmetic(config), gr.update(visible=own), {}, *form.show(config).values())
        except Exception as error:
            return (_said(error, tone="quiet"), gr.skip(), gr.skip(), *[gr.skip()] * len(self._ordered))

    def _started(self, edited: str, yaml: str, *values: Any) -> tuple[Any, Any]:
        try:
            config = self._of_yaml(yaml) if edited == "yaml" else self._of_form(yaml, values)
            before = self._store.current_run()
            run = self._session.submit(config)
        except Exception as error:
            return _said(error, tone="bad"), gr.skip()
        waits = before is not None and before.state in ("loading", "running", "paused", "queued")
        name = "message.queued" if waits else "message.started"
        return {"phrases": [[{"name": name, "values": {"run": run}}]], "tone": "good"}, run

    def _of_yaml(self, yaml: str) -> RunConfig:
        return RunConfig.from_yaml(yaml) if yaml.strip() else RunConfig.default()

    def _of_form(self, yaml: str, values: tuple[Any, ...]) -> RunConfig:
        shown = dict(zip((field.name for field in form.FIELDS), values, strict=True))
        return RunConfig.from_dict(form.merge(shown, self._of_yaml(yaml).to_dict()))


def _said(error: Exception, *, tone: str) -> dict[str, Any]:
    fault: Fault
    if isinstance(error, form.EmptyField):
        fault = own_fault("message.empty", field=error.field.name, example=error.field.example)
        return {"fault": fault, "field": error.field.name, "tone": tone}
    fault = fault_of(error)
    return {"fault": fault, "field": form.element_of(fault["field"]), "tone": tone}


def _choices(field: str, values: tuple[str, ...]) -> list[tuple[Any, str]]:
    return [(word(f"form.{field}.{value}"), value) for value in values]
