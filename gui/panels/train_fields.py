"""The fields of the form, by their element ids, and the folds in which they lie."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from engine import DATASETS, MODELS, TASKS, quantizes
from gui import form
from gui.scripted import spoken
from gui.text import ENGLISH, word

SCHEDULES = ("linear", "cosine", "constant", "constant_with_warmup", "polynomial", "inverse_sqrt")


class Fields:
    """Lays them out. `shown` is what each field shows, by name."""

    def __init__(self) -> None:
        self.fields: dict[str, gr.components.Component] = {}
        self.folds = {"yaml": "yaml-fold"}
        """Field → the fold that hides it."""

    def lay_first(self, shown: dict[str, Any], lay_upload: Callable[[], None]) -> None:
        """What one chooses before anything else. `lay_upload` lays what stands below the data."""
        lay = partial(self._lay, shown, None)
        lay("model", gr.Dropdown, choices=list(MODELS), allow_custom_value=True)
        self.card = spoken("model-card", "status")
        lay("data", gr.Dropdown, choices=list(DATASETS), allow_custom_value=True)
        lay_upload()
        with gr.Row(elem_id="columns"):
            lay("text", gr.Textbox)
            lay("label", gr.Textbox)
        lay("task", gr.Dropdown, choices=list(TASKS), allow_custom_value=True)
        with gr.Row(elem_id="batch"):
            lay("micro-batch", gr.Number)
            lay("accumulation-steps", gr.Number)

    def lay_folds(self, shown: dict[str, Any]) -> None:
        """The rest, in folds of a kind."""
        lay = partial(self._lay, shown, "optimizer")
        with gr.Accordion(word("form.optimizer"), open=False, elem_id="optimizer"):
            with gr.Row():
                lay("length", gr.Number)
                lay("length-kind", gr.Dropdown, choices=choices("length-kind", ("updates", "epochs")))
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
            lay("window-order", gr.Dropdown, choices=choices("window-order", ("auto", "sorted", "random")))
            lay("micro-batch-tokens", gr.Number)
            lay("packing", gr.Checkbox)
        lay = partial(self._lay, shown, "advanced")
        with gr.Accordion(word("form.advanced"), open=False, elem_id="advanced"):
            with gr.Row():
                lay("precision", gr.Dropdown, choices=choices("precision", ("fp32", "bf16", "fp16")))
                lay("max-length", gr.Number)
            lay("normalization", gr.Radio, choices=choices("normalization", ("exact", "mean-of-means", "trainer")))
            lay("seed", gr.Number)
            with gr.Row():
                devices = choices("device", ("auto",))
                lay("device", gr.Dropdown, choices=devices, allow_custom_value=True, visible="hidden")
                lay("processes", gr.Number)
            lay("accelerate-config", gr.Textbox)

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
            lay("freeze", gr.Dropdown, choices=choices("freeze", ("none", "encoder")), allow_custom_value=True)
            lay("lora", gr.Checkbox)
            with gr.Row(elem_id="adapters"):
                lay("lora-r", gr.Number)
                lay("lora-alpha", gr.Number)
                lay("lora-dropout", gr.Number)
            bits = choices("quantization", ("none", "8bit", "4bit"))
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
            self.folds[name] = fold
        if hint in ENGLISH:
            options["info"] = word(hint)
        self.fields[name] = kind(
            value=shown[name], label=word(label), elem_id=name, min_width=0, interactive=True, **options
        )


def _optimizers() -> list[str]:
    """Those that most people mean; any other can be written."""
    more = ("adamw_8bit", "lion_8bit") if quantizes() else ()
    return [form.OPTIMIZER, "adamw_torch", "adafactor", "sgd", *more]


def choices(field: str, values: tuple[str, ...]) -> list[tuple[Any, str]]:
    return [(word(f"form.{field}.{value}"), value) for value in values]
