"""What several processes are held against one with: the same windows, in each of them.

    python -m torch.distributed.run --standalone --nproc_per_node 2 -m tests.engine.rank_cases FILE

does all cases in two processes and leaves in FILE what the first one saw.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainingArguments

from engine.events import EvaluationDone, MicroBatchDone, UpdateDone
from engine.ranks import Ranks, Several
from engine.tasks.class_metrics import OneClass
from engine.trainer import AccumulatingTrainer
from tests.engine.task_runs import TaskRun
from tests.engine.tiny import PLAIN_SGD, Recorder, Trained, bert, class_rows, gpt2, llama, pad, text_rows

PROCESSES = 2

LENGTHS = [3, 17, 5, 11, 23, 4, 9, 14]


@dataclass
class Seen:
    """Of each update the gradient before the optimizer's step, and what was said of it."""

    gradients: list[torch.Tensor]
    updates: list[dict[str, Any]] = field(default_factory=list)
    micro_batches: list[tuple[int, int, int, float, int]] = field(default_factory=list)
    evaluations: list[dict[str, Any]] = field(default_factory=list)


Case = Callable[[Path, Ranks, int], Seen]
"""Trains in a folder; the last value is the steps of each process, of which there are 4 in all."""


def seen(run: Trained | TaskRun) -> Seen:
    run.trainer.train()
    return Seen(
        run.recorder.gradients,
        [vars(event) for event in run.of(UpdateDone)],
        sorted((each.update, each.index, each.of, each.weight, each.targets) for each in run.of(MicroBatchDone)),
        [vars(event) for event in run.of(EvaluationDone)],
    )


def task(
    model: str, name: str, data: dict[str, Any], folder: Path, ranks: Ranks, steps: int, *, rows: int = 8, **keys: Any
) -> Seen:
    return seen(TaskRun(model, name, data, folder, rows=rows, micro_batch=2, steps=steps, ranks=ranks, **keys))


def rows_of(
    make: Callable[[], Any], rows: list[dict[str, Any]], folder: Path, ranks: Ranks, steps: int, **keys: Any
) -> Seen:
    options = {"ranks": ranks, **keys.pop("options", {})}
    return seen(Trained(make(), rows, folder, steps=steps, options=options, **{"micro_batch": 2, **keys}))


def some_without_targets() -> list[dict[str, Any]]:
    """Of each two rows the second one, which goes to the second process, has no target; of the last two neither."""
    rows = text_rows([*LENGTHS, 6, 7])
    for place in (1, 3, 5, 7, 8, 9):
        rows[place]["labels"] = [-100] * len(rows[place]["labels"])
    return rows


def in_same_micro_batches(ranks: Ranks) -> list[dict[str, Any]]:
    """Rows that come into micro-batches of two with the same others in one process as in two: it is they that count."""
    rows = text_rows(LENGTHS)
    return rows if ranks.several else [*rows[::2], *rows[1::2]]


def summed(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> torch.Tensor:
    """As transformers documents a loss that divides by the items of the whole update."""
    logits = outputs.logits[:, :-1].flatten(0, 1)
    loss = torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=-100, reduction="sum")
    return loss / num_items_in_batch


def own_mean(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> torch.Tensor:
    """A mean over its micro-batch, as a custom loss of two arguments gives it."""
    logits = outputs.logits[:, :-1].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=-100)


class Divided(Trainer):  # type: ignore[misc]
    """Computes its loss by itself, divided by the items of the whole update."""

    loss_is_scaled_for_ga = True

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = summed(outputs, labels, num_items_in_batch)
        return (loss, outputs) if return_outputs else loss


class Meant(Trainer):  # type: ignore[misc]
    """Says that its loss is a mean over each micro-batch."""

    loss_is_scaled_for_ga = False


def of_ones_own(found: type[Trainer]) -> type[AccumulatingTrainer]:
    return type(found.__name__, (AccumulatingTrainer, found), {})


def stock(folder: Path, ranks: Ranks, steps: int) -> Seen:
    """What `transformers.Trainer` itself adds up in as many processes."""
    recorder, model = Recorder(), gpt2()
    arguments = TrainingArguments(
        output_dir=str(folder), per_device_train_batch_size=1, gradient_accumulation_steps=steps, **PLAIN_SGD,
        remove_unused_columns=False, report_to="none", save_strategy="no", logging_strategy="no", disable_tqdm=True,
        dataloader_pin_memory=False,
    )  # fmt: skip
    Trainer(
        model=model, args=arguments, train_dataset=text_rows(LENGTHS), data_collator=pad, callbacks=[recorder]
    ).train()
    return Seen(recorder.gradients)


def reductions(folder: Path, ranks: Ranks, steps: int) -> int:
    """How often the processes send gradients to each other, and which of them are used, in two updates."""
    per_update = len(LENGTHS) // 2
    with torch.profiler.profile() as profile:
        run = Trained(
            llama(), text_rows(LENGTHS), folder, micro_batch=per_update // ranks.size // steps, steps=steps,
            options={"ranks": ranks},
        )  # fmt: skip
        run.trainer.train()
    assert len(run.of(UpdateDone)) == 2
    return sum(event.count for event in profile.key_averages() if event.key == "gloo:all_reduce")


GENERATES = ("tiny-llama", "text-generation", {"name": "sums"})

CASES: dict[str, Case] = {
    "fill-mask": partial(task, "tiny-bert", "fill-mask", {"name": "sentiment"}),
    "tokens": partial(task, "tiny-bert", "token-classification", {"name": "entities"}),
    "text to text": partial(task, "tiny-t5", "text2text-generation", {"name": "numerals"}),
    "one class": partial(task, "tiny-bert", "text-classification", {"name": "sentiment"}),
    "several classes": partial(task, "tiny-bert", "text-classification", {"name": "reviews"}),
    "a number": partial(
        task, "tiny-bert", "text-classification", {"name": "reviews", "problem_type": "regression"}
    ),
    "text": partial(task, *GENERATES),
    "text, sorted": partial(task, *GENERATES, window_order="sorted"),
    "text, by tokens": partial(task, *GENERATES, micro_batch_tokens=64),
    "text, packed": partial(task, *GENERATES, packing=True),
    "text, adapters": partial(task, *GENERATES, lora={"r": 4, "alpha": 8}),
    "a short last window": partial(task, *GENERATES, rows=11),
    "a last window of one row": partial(task, *GENERATES, rows=9),
    "a process without targets": partial(rows_of, llama, some_without_targets()),
    "clipped": partial(rows_of, gpt2, text_rows(LENGTHS), max_grad_norm=0.5),
    "checkpointed activations": partial(rows_of, llama, text_rows(LENGTHS), activation_checkpointing=True),
    "a custom loss": partial(rows_of, llama, text_rows(LENGTHS), options={"compute_loss_func": summed}),
    "a custom mean": partial(
        rows_of, llama, text_rows(LENGTHS), micro_batch=1, kind=of_ones_own(Meant),
        options={"compute_loss_func": own_mean},
    ),
    "a Trainer that divides": partial(rows_of, llama, text_rows([*LENGTHS, 6]), kind=of_ones_own(Divided)),
    "rows of like length": partial(rows_of, llama, text_rows(LENGTHS * 3), train_sampling_strategy="group_by_length"),
    "smoothed labels": partial(rows_of, llama, text_rows(LENGTHS), label_smoothing_factor=0.1),
    "mean of means": lambda folder, ranks, steps: rows_of(
        llama, in_same_micro_batches(ranks), folder, ranks, steps, normalization="mean-of-means"
    ),
    "evaluated": partial(
        rows_of, bert, class_rows(LENGTHS), evaluation=class_rows([5, 9, 3, 7, 8, 4, 6], seed=3), new_metrics=OneClass,
        eval_strategy="epoch", per_device_eval_batch_size=2,
    ),
    "evaluated by a Trainer that divides": partial(
        rows_of, llama, text_rows(LENGTHS), evaluation=text_rows([5, 9, 3], seed=3), kind=of_ones_own(Divided),
        eval_strategy="epoch", per_device_eval_batch_size=2,
    ),
    "evaluated, few rows": partial(
        rows_of, llama, text_rows(LENGTHS), evaluation=text_rows([5], seed=3), eval_strategy="epoch",
    ),
}  # fmt: skip
"""Cases in which several processes add up what one does."""

AS_STOCK: dict[str, Case] = {
    "stock": stock,
    "as stock": partial(rows_of, gpt2, text_rows(LENGTHS), micro_batch=1, normalization="trainer"),
}
"""The Trainer itself in so many processes, and we where we leave the loss to it."""


IN_PARTS = ["text", "one class", "a last window of one row", "a process without targets", "clipped"]
IN_PARTS += ["evaluated", "evaluated, few rows"]
"""Cases that are done with the weights in parts as well."""

SHARDED = {
    "ACCELERATE_USE_FSDP": "true",
    "FSDP_VERSION": "2",
    "FSDP_AUTO_WRAP_POLICY": "TRANSFORMER_BASED_WRAP",
    "FSDP_RESHARD_AFTER_FORWARD": "true",
    "FSDP_CPU_RAM_EFFICIENT_LOADING": "false",
}
"""What `accelerate launch` sets for FSDP 2."""


def main(file: str) -> None:
    ranks = Several(120.0)
    found: dict[str, dict[str, Any]] = {}
    cases = {name: CASES[name] for name in IN_PARTS} if ranks.sharded else {**CASES, **AS_STOCK}
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases.items():
            found[name] = vars(case(Path(folder), ranks, 4 // ranks.size))
        if not ranks.sharded:
            found["reductions"] = {str(steps): reductions(Path(folder), ranks, steps) for steps in (1, 2)}
        if ranks.leads:
            torch.save(found, file)
        ranks.gather(None)


if __name__ == "__main__":
    main(sys.argv[1])
