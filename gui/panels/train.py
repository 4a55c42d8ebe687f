"""The Train tab: the form on the left, the run on the right."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from engine import DATASETS, MODELS, TASKS, ConfigError, RunConfig, Session, Store, check, training_rows
from gui import form
from gui.arithmetic import in_words
from gui.faults import Fault, fault_of, own_fault
from gui.live import ServerFunction
from gui.scripted import module, scripted, spoken
from gui.text import ENGLISH, word

Pane = dict[str, Any]
"""The value of the YAML pane: its `text`, and `of` as `assets/yaml.js` says."""
PICKERS = ("model", "data", "task")
SCHEDULES = ("linear", "cosine", "constant", "constant_with_warmup", "polynomial", "inverse_sqrt")
QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""Of every cheap handler: beside the queue, so that no spinner shows and nothing waits for a slot."""

WHERE_WRITTEN = """(_, ...values) => {
  const { wrote = "form", writes = 0 } = document.getElementById("form").dataset;
  return [`${wrote} ${writes}`, ...values];
}"""
"""Where the user wrote last, and the how manieth writing that was. Kept in the browser, and not in a value of the form:
no request can come too late there."""
KEEP = (
    f"async (_, pane, ...values) => (await {module('edits')})"
    f".keep({json.dumps([field.name for field in form.FIELDS])}, pane, values)"
)
"""As `WHERE_WRITTEN`, and keeps in the browser what has been written, so that a reload loses nothing."""
SHOW_COLUMNS = f"async (data) => (await {module('fit')}).showColumns(data)"


class TrainPanel:
    """Lays out the tab and answers its form. Handlers return component updates and never raise."""

    def __init__(self, page: gr.Blocks, session: Session, store: Store, live_functions: list[ServerFunction]) -> None:
        self._session = session
        self._store = store
        # the first count of some data takes seconds; a second viewer waits for it and does not count as well
        self._counting = threading.Lock()
        self._counted: tuple[Any, int | None] = (None, None)
        default = RunConfig.default()
        with gr.Row(elem_id="studio"):
            with gr.Column(elem_id="form", min_width=0):
                scripted("fold", "fold", "mount(element)")
                self._fields: dict[str, gr.components.Component] = {}
                self._folds = {"yaml": "yaml-fold"}
                self._lay_first(form.show(default))
                with gr.Column(elem_id="said", min_width=0):
                    self._arithmetic = spoken("arithmetic", "status", {"phrases": in_words(default, None)})
                    self._fit = spoken("fit", "status")
                    self._message = spoken("message", "alert")
                self._start = gr.Button(word("form.start"), variant="primary", elem_id="start")
                self._lay_folds(form.show(default))
                with gr.Accordion(word("form.yaml"), open=False, elem_id="yaml-fold"):
                    self._yaml = scripted(
                        "yaml", "yaml", "mount(element, props, trigger, watch)", value={"text": default.to_yaml()}
                    )
                # `yaml` where the user wrote there last, else `form`: the browser says so as Start is pressed
                self._wrote = gr.Textbox("form", visible="hidden", elem_id="wrote")
                self._ordered = [self._fields[field.name] for field in form.FIELDS]
            with gr.Column(elem_id="live-column", min_width=0):
                call = "mount(element, server, watch, props, trigger)"
                self._live = scripted("live", "live", call, live_functions)
        self._listen(page)

    def _lay_first(self, shown: dict[str, Any]) -> None:
        lay = partial(self._lay, shown, None)
        lay("model", gr.Dropdown, choices=list(MODELS), allow_custom_value=True)
        lay("data", gr.Dropdown, choices=list(DATASETS), allow_custom_value=True)
        with gr.Row(elem_id="columns"):
            lay("text", gr.Textbox)
            lay("label", gr.Textbox)
        lay("task", gr.Dropdown, choices=list(TASKS), allow_custom_value=True)
        with gr.Row(elem_id="batch"):
            lay("micro-batch", gr.Number)
            lay("accumulation-steps", gr.Number)

    def _lay_folds(self, shown: dict[str, Any]) -> None:
        lay = partial(self._lay, shown, "optimizer")
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
        lay = partial(self._lay, shown, "advanced")
        with gr.Accordion(word("form.advanced"), open=False, elem_id="advanced"):
            with gr.Row():
                lay("precision", gr.Dropdown, choices=_choices("precision", ("fp32", "bf16", "fp16")))
                lay("max-length", gr.Number)
            lay("normalization", gr.Radio, choices=_choices("normalization", ("exact", "mean-of-means", "trainer")))
            lay("seed", gr.Number)

    def _lay(
        self,
        shown: dict[str, Any],
        fold: str | None,
        name: str,
        kind: Callable[..., gr.components.Component],
        **options: Any,
    ) -> None:
        label, hint = f"form.{name}", f"form.{name}.info"
        if fold:
            self._folds[name] = fold
        if hint in ENGLISH:
            options["info"] = word(hint)
        self._fields[name] = kind(
            value=shown[name], label=word(label), elem_id=name, min_width=0, interactive=True, **options
        )

    def _listen(self, page: gr.Blocks) -> None:
        written = [self._wrote, self._yaml, *self._ordered]
        now = {**QUIET, "js": WHERE_WRITTEN}
        latest = {**now, "trigger_mode": "always_last"}
        kept = {**latest, "js": KEEP}
        page.load(self._arithmetic_of, written, self._arithmetic, **now)
        page.load(self._text_of_form, written, self._yaml, **now)
        page.load(self._form_of_text, written, [*self._ordered, self._fit], **now)

        typed = [field.input for name, field in self._fields.items() if name not in PICKERS]
        # a text box tells of keys alone: what was pasted or deleted is noticed as one leaves it
        typed += [field.blur for field in self._fields.values() if isinstance(field, gr.Textbox)]
        pickers = [self._fields[name] for name in PICKERS]
        picked = [
            field.input(None, pickers, [*pickers, self._fit], js=_fitting(name), **QUIET).then
            for name, field in zip(PICKERS, pickers, strict=True)
        ]
        self._fields["data"].change(None, self._fields["data"], js=SHOW_COLUMNS, **QUIET)
        # Apart, since counting rows takes seconds the first time: so late an answer would undo what is written by then.
        for trigger in (partial(gr.on, typed), *picked):
            trigger(self._text_of_form, written, self._yaml, **kept)
            trigger(self._arithmetic_of, written, self._arithmetic, **latest)
        self._yaml.input(self._form_of_text, written, [*self._ordered, self._fit], **kept)
        self._yaml.input(self._arithmetic_of, written, self._arithmetic, **latest)
        self._start.click(self._started, written, [self._message, self._live], **now)
        taken = self._live.input(
            self._taken, self._live, [self._message, self._yaml, self._fit, *self._ordered], **QUIET
        )
        taken.then(self._arithmetic_of, written, self._arithmetic, **kept)

    def opening(self) -> dict[str, Any]:
        """What a page opens with, by element id: the settings of the run under way, else of the newest one.

        The default where there is none, or where another version wrote settings that this one doesn't know.
        """
        run = self._store.current_run()
        try:
            config = RunConfig.from_dict(run.config) if run else RunConfig.default()
        except ConfigError:
            config = RunConfig.default()
        data, rows = self._counted
        known = rows if data == (config.data, config.task, config.seed) else None
        return {
            **form.show(config),
            "yaml": {"text": config.to_yaml()},
            "arithmetic": {"phrases": in_words(config, known)},
        }

    # ---- handlers: `written` is what `WHERE_WRITTEN` says, `pane` the YAML, `values` are the form's fields ----

    def _arithmetic_of(self, written: str, pane: Pane, *values: Any) -> dict[str, Any]:
        writes = written.partition(" ")[2]
        return {**self._arithmetic_said(written, pane, values), "at": int(writes) if writes.isdecimal() else 0}

    def _arithmetic_said(self, written: str, pane: Pane, values: tuple[Any, ...]) -> dict[str, Any]:
        try:
            config = _config("yaml" if _in_text(written) else "form", pane, values)
            check(config)
            with self._counting:
                rows = training_rows(config.data, config.task, seed=config.seed)
            self._counted = ((config.data, config.task, config.seed), rows)
            return {"phrases": in_words(config, rows)}
        except Exception as error:
            # while one still writes, a fault is said in the arithmetic's place, and nothing is marked
            return _refusal(error, "quiet")

    def _text_of_form(self, written: str, pane: Pane, *values: Any) -> Any:
        if _in_text(written):
            return gr.skip()  # this call waited while the text was edited: what was written last stands
        try:
            return {"text": _config("form", pane, values).to_yaml(), "of": _text(pane)}
        except Exception:
            return gr.skip()  # the arithmetic's place says why

    def _form_of_text(self, written: str, pane: Pane, *values: Any) -> Any:
        unchanged = [gr.skip()] * (len(self._ordered) + 1)
        if not _in_text(written):
            return unchanged
        try:
            return [*form.show(_config("yaml", pane, values)).values(), {}]
        except Exception:
            return unchanged

    def _taken(self, asked: Any) -> list[Any]:
        """`{use: run}` → the message, the YAML, the note and the fields of that run's settings."""
        run = asked.get("use") if isinstance(asked, dict) else None
        if not isinstance(run, int):
            return [gr.skip()] * (len(self._ordered) + 3)
        try:
            config = RunConfig.from_dict(self._store.run(run).config)
        except Exception as error:
            return [_refusal(error, "bad"), *[gr.skip()] * (len(self._ordered) + 2)]
        return [{}, {"text": config.to_yaml()}, {}, *form.show(config).values()]

    def _started(self, written: str, pane: Pane, *values: Any) -> tuple[Any, Any]:
        try:
            config = _config("yaml" if _in_text(written) else "form", pane, values)
            before = self._store.current_run()
            run = self._session.submit(config)
        except Exception as error:
            refusal = _refusal(error, "bad")
            return {**refusal, "fold": self._folds.get(refusal["field"])}, gr.skip()
        waits = before is not None and before.state in ("loading", "running", "paused", "queued")
        name = "message.queued" if waits else "message.started"
        return {"phrases": [[{"name": name, "values": {"run": run}}]], "tone": "good"}, run


def _in_text(written: str) -> bool:
    return written.startswith("yaml")


def _config(wrote: str, pane: Pane, values: tuple[Any, ...]) -> RunConfig:
    """The config that Start would run: the YAML where that was written last, else the form over what the YAML says.

    Emptied, the YAML says nothing, and the form all.

    Raises ConfigError or EmptyField.
    """
    text = _text(pane)
    emptied = not text.strip()
    config = RunConfig.default() if emptied else RunConfig.from_yaml(text)
    if wrote == "yaml" and not emptied:
        return config
    shown = dict(zip((field.name for field in form.FIELDS), values, strict=True))
    return RunConfig.from_dict(form.merge(shown, config.to_dict()))


def _fault(error: Exception) -> Fault:
    if isinstance(error, form.EmptyField):
        return own_fault("message.empty", field=error.field.place, example=error.field.example)
    return fault_of(error)


def _text(pane: Pane) -> str:
    return str(pane.get("text", "")) if isinstance(pane, dict) else ""


def _refusal(error: Exception, tone: str) -> dict[str, Any]:
    """What the page says of a fault in the settings, and the element of the field that it is about."""
    fault = _fault(error)
    in_text = fault["code"].startswith("config.") and not fault["field"]
    return {"fault": fault, "field": "yaml" if in_text else form.element_of(fault["field"]), "tone": tone}


def _fitting(mover: str) -> str:
    return f"async (...chosen) => (await {module('fit')}).fitting('{mover}', ...chosen)"


def _choices(field: str, values: tuple[str, ...]) -> list[tuple[Any, str]]:
    return [(word(f"form.{field}.{value}"), value) for value in values]
