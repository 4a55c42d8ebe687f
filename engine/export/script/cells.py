"""The pieces of an exported script, in order. A script is their code; a notebook has a text before each."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from engine.export.script import collating, measuring, training
from engine.export.script.recipe import Recipe, frozen_parts
from engine.models import rows_attention
from engine.models.loaded import architecture

OURS = frozenset(
    {
        "per_device_train_batch_size", "gradient_accumulation_steps", "auto_find_batch_size", "report_to",
        "logging_strategy", "logging_steps", "logging_first_step", "dataloader_drop_last", "data_seed", "seed",
        "disable_tqdm", "logging_nan_inf_filter", "remove_unused_columns", "output_dir", "run_name",
    }
)  # fmt: skip
"""Arguments that the script sets itself."""


@dataclass(frozen=True)
class Cell:
    """`text` is Markdown; the first line of it is what a script says above the code."""

    text: str
    code: str


def cells(recipe: Recipe, *, initial: str, hub: str | None, notebook: bool) -> list[Cell]:
    """`initial` is the folder of the initial model, `hub` the name to load weights by where they are not in it."""
    scores = measuring.scores(recipe) if recipe.evaluates else ""
    return [
        Cell("The libraries, and the numbers of the run", _opening(recipe, hub, notebook)),
        Cell(
            "The rows, as the run's tokenizer encoded them: what the model reads, and the labels to predict",
            collating.rows(recipe),
        ),
        Cell("A micro-batch: rows padded to the longest of them", collating.collate(recipe)),
        Cell("A window: the rows of one update, dealt into micro-batches", collating.window(recipe)),
        *([Cell("What an evaluation tells besides the loss", scores)] if scores else []),
        Cell("The Trainer, with a window as its batch", training.trainer(recipe)),
        *([Cell("Attention by rows, since rows are laid end to end", _attention())] if _by_rows(recipe) else []),
        Cell("The model as it was before the first update", _model(recipe, initial, hub)),
        Cell("The arguments of the run", _arguments(recipe)),
        Cell("Training, with a line of JSON an update", training.telling(recipe)),
        Cell("All of it together", training.main(recipe, notebook=notebook)),
    ]


def heading(recipe: Recipe) -> str:
    """What the file is, and what may be expected of it."""
    config, plan, facts = recipe.config, recipe.prepared.plan, recipe.run.facts or {}
    versions = facts.get("versions") or {
        "python": platform.python_version(), "torch": torch.__version__, "transformers": transformers.__version__
    }  # fmt: skip
    said = ", ".join(f"{name} {version}" for name, version in versions.items())
    dealt = (
        f"windows of {plan.effective_batch} rows dealt by {config.micro_batch_tokens} tokens a micro-batch"
        if config.micro_batch_tokens
        else f"{config.micro_batch} × {config.accumulation_steps} = {plan.effective_batch} rows an update"
    )
    return (
        f"Run {recipe.run.id} of Birikim without Birikim: the stock transformers.Trainer and a small subclass that\n"
        f"accumulates gradients as the run did.\n\n"
        f"{_alone(recipe)}"
        f"{architecture(recipe.prepared.loaded.model)}, {config.task}, {dealt}, {len(recipe.losses)} updates.\n\n"
        f"It prints a line of JSON an update, and at the end how far its losses are from those of the run\n"
        f"(losses.json): on the same machine and with the same versions ({said})\n"
        f"they are equal to 1e-6 in fp32. The trained model lies in model/ afterwards."
    )


def _alone(recipe: Recipe) -> str:
    """What is said of a run that had several processes."""
    if recipe.processes == 1:
        return ""
    return (
        f"The run had {recipe.processes} processes. This is one that does the work of all of them: its windows hold\n"
        f"the same rows, in {recipe.processes} times as many micro-batches. What is drawn at random inside the model,\n"
        f"such as dropout, is drawn otherwise, and changes the losses.\n\n"
    )


def _opening(recipe: Recipe, hub: str | None, notebook: bool) -> str:
    config = recipe.config
    prepared = recipe.prepared
    auto = type_name(prepared.task.model_class())
    imports = [auto, "AutoTokenizer", "PrinterCallback", "TrainerCallback", "TrainingArguments"]
    imports += ["AutoConfig"] if hub else []
    imports += [] if "own_trainer" in recipe.own else ["Trainer"]
    lines = [
        "import json",
        *(["import math"] if measuring.needs_math(recipe) else []),
        "import os",
        *(["import random"] if config.task == "fill-mask" else []),
        "from pathlib import Path",
        "",
        "# read as the libraries load: quiet workers, and one device, since a second one would change the batch",
        'os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")',
        f'os.environ.setdefault("CUDA_VISIBLE_DEVICES", "{prepared.trainer.args.device.index or 0}")',
        "",
        "import torch",
        *(["from peft import PeftModel"] if config.lora else []),
        "from torch.utils.data import Dataset",
        "from transformers import (",
        *(f"    {name}," for name in [*sorted(imports), "set_seed"]),
        ")",
        *(["from transformers.trainer_utils import EvalLoopOutput"] if recipe.evaluates else []),
        *[f"from {module} import {name}" for module, (_, name) in recipe.own.items()],
        "",
        'HERE = Path(".").resolve()' if notebook else "HERE = Path(__file__).resolve().parent",
        f"RUN = {recipe.run.id}",
        f"MICRO_BATCH = {prepared.trainer._train_batch_size}  # rows of a micro-batch",
        f"STEPS = {config.accumulation_steps}  # micro-batches of a window",
        "WINDOW = MICRO_BATCH * STEPS  # rows of an update",
        *([f"TOKENS = {config.micro_batch_tokens}  # positions of a micro-batch"] if config.micro_batch_tokens else []),
        f"SEED = {config.seed}",
        "IGNORED = -100  # a label that no loss counts",
    ]
    if not config.packing:
        lines.append(f"PADDING = {prepared.loaded.tokenizer.pad_token_id}  # the token that fills up a row")
    return "\n".join(lines)


def type_name(auto: Any) -> str:
    return str(auto.__name__)


def _by_rows(recipe: Recipe) -> bool:
    return bool(
        recipe.config.packing and recipe.prepared.trainer.model.config._attn_implementation == rows_attention.NAME
    )


def _attention() -> str:
    """Our own attention, as its source has it: it needs nothing of ours."""
    return "\n\n\n".join(
        [
            "from transformers import AttentionInterface, AttentionMaskInterface\n"
            "from transformers.integrations.sdpa_attention import sdpa_attention_forward\n"
            "from transformers.masking_utils import sdpa_mask\n\n"
            f'NAME = "{rows_attention.NAME}"',
            *(
                _bare(inspect.getsource(function))
                for function in (
                    rows_attention.row_lengths, rows_attention._attention, rows_attention.attend_by_rows
                )
            ),
        ]
    )  # fmt: skip


def _bare(source: str) -> str:
    return (
        source.strip()
        .replace("torch.nn.Module", "object")
        .replace("**more: Any", "**more")
        .replace(": Tensor | None", "")
        .replace(": Tensor", "")
        .replace("model: PreTrainedModel", "model")
        .replace("module: object", "module")
        .replace("found: tuple[Tensor, None]", "found")
        .replace(" -> tuple[Tensor, None]", "")
        .replace(" -> list[int] | None", "")
        .replace(" -> None", "")
        .replace("  # type: ignore[no-any-return]", "")
    )


def _model(recipe: Recipe, initial: str, hub: str | None) -> str:
    auto = type_name(recipe.prepared.task.model_class())
    lines = ["def load_model():"]
    if hub:
        lines += [
            f'    """The weights of {hub!r}; of this run are the head\'s classes and the padding, in {initial}/."""',
            f'    config = AutoConfig.from_pretrained(HERE / "{initial}")',
            f"    model = {auto}.from_pretrained({hub!r}, config=config, dtype=torch.float32)",
        ]
    else:
        lines += [
            f'    """The weights in {initial}/. New ones follow from the run\'s seed, {recipe.config.seed}."""',
            f'    model = {auto}.from_pretrained(HERE / "{initial}", dtype=torch.float32)',
        ]
    if recipe.config.lora:
        lines += [
            "    # the adapters as they began; they and a new head are all that is trained",
            f'    model = PeftModel.from_pretrained(model, HERE / "{initial}" / "adapter", is_trainable=True)',
        ]
    elif frozen := frozen_parts(recipe.prepared.trainer.model):
        lines += [
            "    for name, weight in model.named_parameters():",
            f"        weight.requires_grad_(not name.startswith({tuple(frozen)!r}))",
        ]
    return "\n".join([*lines, "    return model"])


def _arguments(recipe: Recipe) -> str:
    return "\n".join(
        [
            "def arguments():",
            '    """As the run\'s, but for the batch: to the Trainer it is a whole window, which is one step."""',
            "    return TrainingArguments(",
            '        output_dir=str(HERE / "checkpoints"),',
            "        per_device_train_batch_size=WINDOW,",
            "        gradient_accumulation_steps=1,",
            *(f"        {name}={value!r}," for name, value in _chosen(recipe)),
            "        seed=SEED,",
            f"        data_seed={recipe.prepared.trainer.args.data_seed},",
            '        logging_strategy="steps",',
            "        logging_steps=1,",
            "        logging_nan_inf_filter=False,  # it would show a NaN as 0.0",
            "        remove_unused_columns=False,",
            "        disable_tqdm=True,",
            '        report_to="none",',
            "    )",
        ]
    )


def _chosen(recipe: Recipe) -> Iterator[tuple[str, Any]]:
    """The arguments that the user set, and what became of them here."""
    args = recipe.prepared.trainer.args
    chosen = {"save_strategy": "no", **recipe.config.training}
    chosen["eval_strategy"] = str(args.eval_strategy.value)
    chosen["dataloader_pin_memory"] = args.dataloader_pin_memory
    if args.device.type == "cpu":
        chosen["use_cpu"] = True
    if collating.last_window_dropped(recipe):
        chosen["dataloader_drop_last"] = True
        yield "dataloader_drop_last", True
    for name, value in chosen.items():
        if name not in OURS:
            yield name, value
