"""The Train tab: the form on the left, the run on the right."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import gradio as gr

from engine import (
    MODELS,
    TASKS,
    ConfigError,
    RunConfig,
    Session,
    Store,
    cached_models,
    check,
    check_named,
    devices,
    training_rows,
)
from gui import attempt, form, samples
from gui.answers import ServerFunction
from gui.arithmetic import in_words, phrase
from gui.cards import card_line
from gui.linked import NotLinked, linked
from gui.panels.data import Data
from gui.panels.train_fields import Fields, choices
from gui.plans import settings_of
from gui.scripted import module, scripted, spoken
from gui.text import word
from gui.turns import busy
from gui.written import KEEP, QUIET, WHERE_WRITTEN, Pane, config_of, in_text, refusal, text_of, writing_of

PICKERS = ("model", "data", "task")
SHOW_COLUMNS = f"async (data) => (await {module('fit')}).showColumns(data)"


class TrainPanel:
    """Lays out the tab and answers its form. Handlers return component updates and never raise."""

    def __init__(
        self,
        session: Session,
        store: Store,
        live_functions: list[ServerFunction],
        take_functions: list[ServerFunction],
        data: Data,
    ) -> None:
        self._session = session
        self._data = data
        self._store = store
        # the first count of some data takes seconds; a second viewer waits for it and does not count as well
        self._counting = threading.Lock()
        self._counted: tuple[Any, int | None] = (None, None)
        default = RunConfig.default()
        with gr.Row(elem_id="studio"):
            with gr.Column(elem_id="form", min_width=0):
                scripted("fold", "fold", "mount(element)")
                laid = Fields()
                self._fields, self._folds = laid.fields, laid.folds
                laid.lay_first(form.show(default), self._data.lay_upload)
                self._card = laid.card
                with gr.Column(elem_id="said", min_width=0):
                    self._arithmetic = spoken("arithmetic", "status", {"phrases": in_words(default, None)})
                    self._fit = spoken("fit", "status")
                    self._message = spoken("message", "alert")
                    scripted("offers", "offers", "mount(element.firstElementChild)")
                self._start = gr.Button(word("form.start"), variant="primary", elem_id="start")
                self._data.lay_preview()
                laid.lay_folds(form.show(default))
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
                scripted("samples", "samples", "mount(element, server)", samples.server_functions(store))
                scripted("try", "try", "mount(element, server)", attempt.server_functions(session))
                scripted("take", "take", "mount(element, server)", take_functions)
        self.written = [self._wrote, self._yaml, *self._ordered]
        """What `gui.written` reads the settings from."""

    def listen(
        self, page: gr.Blocks, meant: list[gr.components.Component], takers: list[gr.components.Component]
    ) -> None:
        """Lets the form act. `meant` are shown what the settings mean elsewhere; of `takers` it takes settings over."""
        written = self.written
        meant = [*meant, self._data.preview]
        self._meant = len(meant)
        now = {**QUIET, "js": WHERE_WRITTEN}
        latest = {**now, "trigger_mode": "always_last"}
        kept = {**latest, "js": KEEP}
        page.load(self._arithmetic_of, written, self._arithmetic, **now)
        page.load(self._text_of_form, written, [self._yaml, *meant], **now)
        page.load(self._card_of, written, self._card, **now)
        page.load(self._here, self._fields["device"], self._fields["device"], **QUIET)
        # Other tasks have other models, and one may have come since. As the task changes, since Gradio's list must not
        # grow shorter while it is open.
        model, task = self._fields["model"], self._fields["task"]
        gr.on([page.load, task.change, model.focus], _models_for, task, model, **QUIET)
        page.load(self._form_of_text, written, [*self._ordered, self._fit, *meant], **now)

        typed = [field.input for name, field in self._fields.items() if name not in PICKERS]
        # a text box tells of keys alone: what was pasted or deleted is noticed as one leaves it
        typed += [field.blur for field in self._fields.values() if isinstance(field, gr.Textbox)]
        pickers = [self._fields[name] for name in PICKERS]
        picked = [
            field.input(None, pickers, [*pickers, self._fit], js=_fitting(name), **QUIET).then
            for name, field in zip(PICKERS, pickers, strict=True)
        ]
        columns = [self._fields[name] for name in ("text", "label")]
        # they were those of the data before
        self._fields["data"].input(None, None, columns, js="() => ['', '']", **QUIET)
        self._fields["data"].change(None, self._fields["data"], js=SHOW_COLUMNS, **QUIET)
        # Apart, since counting rows takes seconds the first time: so late an answer would undo what is written by then.
        for trigger in (partial(gr.on, typed), *picked):
            trigger(self._text_of_form, written, [self._yaml, *meant], **kept)
            trigger(self._arithmetic_of, written, self._arithmetic, **latest)
        self._yaml.input(self._form_of_text, written, [*self._ordered, self._fit, *meant], **kept)
        self._yaml.input(self._arithmetic_of, written, self._arithmetic, **latest)
        for trigger in (*picked, self._yaml.input):
            trigger(self._card_of, written, self._card, **latest)
        self._start.click(self._started, written, [self._message, self._live], **now)
        shown = [self._message, self._yaml, self._fit, *self._ordered, *meant]
        for view in (self._live, *takers):
            taken = view.input(self._taken, view, shown, **QUIET)
            taken.then(self._arithmetic_of, written, self._arithmetic, **kept)
            taken.then(self._card_of, written, self._card, **latest)

        for view in (self._data.upload, self._data.preview):
            named = view.input(self._named, [view, *written], shown, **QUIET)
            named.then(self._arithmetic_of, written, self._arithmetic, **kept)

    def opening(self, config: RunConfig) -> dict[str, Any]:
        """What the tab shows of `config` as a page opens, by element id."""
        data, rows = self._counted
        return {
            **form.show(config),
            "yaml": {"text": config.to_yaml()},
            "arithmetic": known_of(config, rows if data == (config.data, config.task, config.seed) else None),
            "preview": settings_of(config),
        }

    # ---- handlers: `written` is what `WHERE_WRITTEN` says, `pane` the YAML, `values` are the form's fields ----

    def _arithmetic_of(self, written: str, pane: Pane, *values: Any) -> dict[str, Any]:
        return {**self._arithmetic_said(written, pane, values), "at": writing_of(written)}

    def _arithmetic_said(self, written: str, pane: Pane, values: tuple[Any, ...]) -> dict[str, Any]:
        try:
            config = config_of(written, pane, values)
            check(config)
            with self._counting:
                rows = training_rows(config.data, config.task, seed=config.seed)
            self._counted = ((config.data, config.task, config.seed), rows)
            return {"phrases": in_words(config, rows)}
        except Exception as error:
            # while one still writes, a fault is said in the arithmetic's place, and nothing is marked
            return refusal(error, "quiet")

    def _card_of(self, written: str, pane: Pane, *values: Any) -> dict[str, Any]:
        try:
            config = config_of(written, pane, values)
            phrases = card_line(config.model, config.task)
        except (ConfigError, form.EmptyField):
            phrases = []  # the arithmetic's place says what is wrong
        return {"phrases": phrases, "at": writing_of(written)}

    def _here(self, device: str) -> Any:
        """The devices of this machine, for their list; waits until torch has been loaded."""
        found = devices()
        names = [
            (f"{each['name']} ({each['id']})" if each["id"] != "cpu" else each["name"], each["id"]) for each in found
        ]
        listed = [*choices("device", ("auto",)), *names]
        shown = len(found) > 1 or device not in ("auto", "cpu")
        return gr.update(choices=listed, visible=True if shown else "hidden")

    def _text_of_form(self, written: str, pane: Pane, *values: Any) -> list[Any]:
        if in_text(written):
            # this call waited while the text was edited: what was written last stands
            return [gr.skip()] * (1 + self._meant)
        try:
            config = config_of(written, pane, values)
        except Exception as error:
            return [gr.skip(), *self._meaning(refusal(error, "quiet"))]  # the arithmetic's place says why
        return [{"text": config.to_yaml(), "of": text_of(pane)}, *self._meaning(settings_of(config))]

    def _form_of_text(self, written: str, pane: Pane, *values: Any) -> Any:
        unchanged = [gr.skip()] * (len(self._ordered) + 1)
        if not in_text(written):
            return [*unchanged, *self._meaning(gr.skip())]
        try:
            config = config_of(written, pane, values)
        except Exception as error:
            return [*unchanged, *self._meaning(refusal(error, "quiet"))]
        return [*form.show(config).values(), {}, *self._meaning(settings_of(config))]

    def _meaning(self, value: Any) -> list[Any]:
        """`value` for each place that shows what the settings mean."""
        return [value] * self._meant

    def _taken(self, asked: Any) -> list[Any]:
        """`{use: run or config}` or `{link: YAML}` → the message, the YAML, the note, the fields and the meanings of
        those settings. Nothing is started."""
        use = asked.get("use") if isinstance(asked, dict) else None
        others = self._others()
        said: dict[str, Any] = {"phrases": [[phrase("message.taken")]], "tone": "plain"}
        try:
            if isinstance(asked, dict) and "link" in asked:
                config, said = linked(asked["link"])
            elif use is None:
                return [gr.skip(), *others]
            else:
                config = RunConfig.from_dict(self._store.run(use).config if isinstance(use, int) else use)
        except NotLinked as refused:
            return [refused.said, *others]
        except Exception as error:
            return [refusal(error, "bad"), *others]
        return [said, *self._filled(config)]

    def _filled(self, config: RunConfig) -> list[Any]:
        return [{"text": config.to_yaml()}, {}, *form.show(config).values(), *self._meaning(settings_of(config))]

    def _others(self) -> list[Any]:
        """What is beside the message stays as it is."""
        return [gr.skip()] * (len(self._ordered) + 2 + self._meant)

    def _named(self, asked: Any, written: str, pane: Pane, *values: Any) -> list[Any]:
        """As `_taken`, of the settings as they are written, but for what `asked` names of its data."""
        try:
            config = RunConfig.from_dict(self._data.named(asked, config_of(written, pane, values)))
        except Exception as error:
            return [refusal(error, "bad"), *self._others()]
        return [{}, *self._filled(config)]

    def _started(self, written: str, pane: Pane, *values: Any) -> tuple[Any, Any]:
        try:
            config = config_of(written, pane, values)
            waits = busy(self._store)
            run = self._session.submit(config)
        except Exception as error:
            refused = refusal(error, "bad")
            return {**refused, "fold": self._folds.get(refused["field"])}, gr.skip()
        name = "message.queued" if waits else "message.started"
        return {"phrases": [[{"name": name, "values": {"run": run}}]], "tone": "good"}, run


def known_of(config: RunConfig, rows: int | None) -> dict[str, Any]:
    """What is said of the arithmetic before anything is read, but for a file that says the processes."""
    try:
        check_named(config)
        return {"phrases": in_words(config, rows)}
    except ConfigError as error:
        return refusal(error, "quiet")


def _fitting(mover: str) -> str:
    return f"async (...chosen) => (await {module('fit')}).fitting('{mover}', ...chosen)"


def _models_for(task: str | None) -> Any:
    """For the list of models: those that are built in, and those of the local Hub cache that serve `task`."""
    known = task if task in TASKS else None
    return gr.update(
        choices=[*MODELS, *(found["id"] for found in cached_models(known) if found["serves"] is not False)]
    )
