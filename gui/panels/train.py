"""The Train tab: the form on the left, the run on the right."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from engine import (
    DATASETS,
    MODELS,
    TASKS,
    ConfigError,
    RunConfig,
    Session,
    Store,
    cached_models,
    check,
    devices,
    quantizes,
    training_rows,
)
from gui import attempt, form, samples
from gui.answers import ServerFunction
from gui.arithmetic import in_words
from gui.cards import card_line
from gui.linked import NotLinked, linked
from gui.panels.data import Data
from gui.plans import settings_of
from gui.scripted import module, scripted, spoken
from gui.text import ENGLISH, word
from gui.turns import busy
from gui.written import KEEP, QUIET, WHERE_WRITTEN, Pane, config_of, in_text, refusal, text_of, writing_of

PICKERS = ("model", "data", "task")
SCHEDULES = ("linear", "cosine", "constant", "constant_with_warmup", "polynomial", "inverse_sqrt")
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
                self._fields: dict[str, gr.components.Component] = {}
                self._folds = {"yaml": "yaml-fold"}
                self._lay_first(form.show(default))
                with gr.Column(elem_id="said", min_width=0):
                    self._arithmetic = spoken("arithmetic", "status", {"phrases": in_words(default, None)})
                    self._fit = spoken("fit", "status")
                    self._message = spoken("message", "alert")
                    scripted("offers", "offers", "mount(element.firstElementChild)")
                self._start = gr.Button(word("form.start"), variant="primary", elem_id="start")
                self._data.lay_preview()
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
                scripted("samples", "samples", "mount(element, server)", samples.server_functions(store))
                scripted("try", "try", "mount(element, server)", attempt.server_functions(session))
                scripted("take", "take", "mount(element, server)", take_functions)
        self.written = [self._wrote, self._yaml, *self._ordered]
        """What `gui.written` reads the settings from."""

    def _lay_first(self, shown: dict[str, Any]) -> None:
        lay = partial(self._lay, shown, None)
        lay("model", gr.Dropdown, choices=list(MODELS), allow_custom_value=True)
        self._card = spoken("model-card", "status")
        lay("data", gr.Dropdown, choices=list(DATASETS), allow_custom_value=True)
        self._data.lay_upload()
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
            lay("optim", gr.Dropdown, choices=_optimizers(), allow_custom_value=True)
            with gr.Row():
                lay("warmup", gr.Number)
                lay("weight-decay", gr.Number)
            lay("clipping", gr.Number)
        self._lay_during(partial(self._lay, shown, "during"))
        self._lay_savers(partial(self._lay, shown, "savers"))
        lay = partial(self._lay, shown, "dealing")
        with gr.Accordion(word("form.dealing"), open=False, elem_id="dealing"):
            lay("window-order", gr.Dropdown, choices=_choices("window-order", ("auto", "sorted", "random")))
            lay("micro-batch-tokens", gr.Number)
            lay("packing", gr.Checkbox)
        lay = partial(self._lay, shown, "advanced")
        with gr.Accordion(word("form.advanced"), open=False, elem_id="advanced"):
            with gr.Row():
                lay("precision", gr.Dropdown, choices=_choices("precision", ("fp32", "bf16", "fp16")))
                lay("max-length", gr.Number)
            lay("normalization", gr.Radio, choices=_choices("normalization", ("exact", "mean-of-means", "trainer")))
            lay("seed", gr.Number)
            lay("device", gr.Dropdown, choices=_choices("device", ("auto",)), allow_custom_value=True, visible="hidden")

    def _lay_during(self, lay: Callable[..., None]) -> None:
        with gr.Accordion(word("form.during"), open=False, elem_id="during"):
            lay("eval-every", gr.Number)
            lay("patience", gr.Number)
            lay("save-every", gr.Number)
            lay("save-limit", gr.Number)
            lay("sampling", gr.Checkbox)
            with gr.Column(elem_id="sampled", min_width=0):
                lay("sample-every", gr.Number)
                lay("prompts", gr.Textbox, lines=2, max_lines=6)

    def _lay_savers(self, lay: Callable[..., None]) -> None:
        with gr.Accordion(word("form.savers"), open=False, elem_id="savers"):
            lay("checkpointing", gr.Checkbox)
            lay("freeze", gr.Dropdown, choices=_choices("freeze", ("none", "encoder")), allow_custom_value=True)
            lay("lora", gr.Checkbox)
            with gr.Row(elem_id="adapters"):
                lay("lora-r", gr.Number)
                lay("lora-alpha", gr.Number)
                lay("lora-dropout", gr.Number)
            bits = _choices("quantization", ("none", "8bit", "4bit"))
            lay("quantization", gr.Dropdown, choices=bits, visible=True if quantizes() else "hidden")

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
        known = rows if data == (config.data, config.task, config.seed) else None
        return {
            **form.show(config),
            "yaml": {"text": config.to_yaml()},
            "arithmetic": {"phrases": in_words(config, known)},
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
        choices = [*_choices("device", ("auto",)), *names]
        shown = len(found) > 1 or device not in ("auto", "cpu")
        return gr.update(choices=choices, visible=True if shown else "hidden")

    def _text_of_form(self, written: str, pane: Pane, *values: Any) -> list[Any]:
        if in_text(written):
            return [gr.skip()] * (
                1 + self._meant
            )  # this call waited while the text was edited: what was written last stands
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
        others = [gr.skip()] * (len(self._ordered) + 2 + self._meant)
        said: dict[str, Any] = {}
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
        return [said, {"text": config.to_yaml()}, {}, *form.show(config).values(), *self._meaning(settings_of(config))]

    def _named(self, asked: Any, written: str, pane: Pane, *values: Any) -> list[Any]:
        """As `_taken`, of the settings as they are written, but for what `asked` names of its data."""
        try:
            use = self._data.named(asked, config_of(written, pane, values))
        except Exception as error:
            return [refusal(error, "bad"), *[gr.skip()] * (len(self._ordered) + 2 + self._meant)]
        return self._taken({"use": use})

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


def _fitting(mover: str) -> str:
    return f"async (...chosen) => (await {module('fit')}).fitting('{mover}', ...chosen)"


def _models_for(task: str | None) -> Any:
    """For the list of models: those that are built in, and those of the local Hub cache that serve `task`."""
    known = task if task in TASKS else None
    return gr.update(
        choices=[*MODELS, *(found["id"] for found in cached_models(known) if found["serves"] is not False)]
    )


def _optimizers() -> list[str]:
    """Those that most people mean; any other can be written."""
    more = ("adamw_8bit", "lion_8bit") if quantizes() else ()
    return [form.OPTIMIZER, "adamw_torch", "adafactor", "sgd", *more]


def _choices(field: str, values: tuple[str, ...]) -> list[tuple[Any, str]]:
    return [(word(f"form.{field}.{value}"), value) for value in values]
