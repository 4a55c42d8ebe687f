"""The proof of one head: built tiny, its accumulated gradient against that of its large batch."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
import transformers
from torch import Tensor
from transformers import Trainer, TrainingArguments

from engine.accumulation import Normalization, count_targets, shifts_labels
from engine.models.quiet import quiet
from engine.proof.calm import Fp64Throughout, same_random_state, without_dropout
from engine.proof.causes import auxiliary_switch, rows_apart, why_inexact
from engine.proof.gradients import Gradient, difference, gradient_of
from engine.proof.heads.mapping import Head
from engine.proof.heads.not_provable import NotProvable
from engine.proof.heads.result import EXACT, HeadResult, TrainerWay
from engine.proof.heads.rows import CLASSES, Batch, large_batch, micro_batches
from engine.proof.heads.shrink import tiny_config
from engine.proof.ways import accumulate, accumulate_as_stock

NOISE = 0.02
"""Added to every weight, so that none that starts at zero hides the part behind it."""


def prove(head: Head, **chosen: Any) -> HeadResult:
    """Builds `head` tiny, with the `chosen` fields of its configuration, and proves it. A head's fault is a result."""
    began = time.perf_counter()
    with same_random_state(), quiet(), _reproducible():
        try:
            result = _prove(head, chosen)
        except NotProvable as fault:
            result = HeadResult.of(head, reason=fault.reason, detail=fault.detail, built=fault.built)
        except Exception as fault:
            reason = "too-large" if "allocate memory" in str(fault) else "forward-failed"
            result = HeadResult.of(head, reason=reason, detail=said(fault))
    return result.but(seconds=round(time.perf_counter() - began, 2))


def _prove(head: Head, chosen: dict[str, Any]) -> HeadResult:
    model = build(head, chosen)
    proof = HeadProof(model, large_batch(head, model))
    with without_dropout(model):
        with Fp64Throughout():
            right = proof.reference()
            norm = sum(float((value**2).sum()) for value in right.values())
            if not math.isfinite(norm) or norm == 0.0:
                raise NotProvable("not-finite" if norm else "no-gradient", built=True)
            shifts = proof.find_shift()
            error = difference(proof.ours(), right).relative_error
            stock, means = proof.stock(proof.parts), proof.ours("mean-of-means")
            way = trainer_way(stock, right, means, len(proof.parts))
            if way == "otherwise" and difference(stock, proof.stock([proof.whole])).relative_error < EXACT:
                way = "own-large-batch"
            reason = detail = None
            if not error < EXACT:
                reason, detail = why_inexact(proof)
            auxiliary = _with_auxiliary_loss(proof)
        plain = _plain_error(proof)
    return HeadResult.of(
        head,
        built=True,
        relative_error=error,
        plain_relative_error=plain,
        auxiliary_relative_error=auxiliary,
        mean_of_means_relative_error=difference(means, right).relative_error,
        trainer_norm_ratio=difference(stock, right).norm_ratio,
        trainer_relative_error=difference(stock, right).relative_error,
        trainer_way=way,
        shifts=shifts,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        unreached=unreached(model, right),
        reason=reason,
        detail=detail or "",
    )


@contextmanager
def _reproducible() -> Iterator[None]:
    """All that is drawn follows from one seed, also where a model asks the system for a fresh one (`torch.seed`)."""

    def fresh() -> int:
        seed = int(torch.randint(1 << 62, ()))
        torch.manual_seed(seed)
        return seed

    torch.manual_seed(0)
    with patch.object(torch, "seed", fresh):
        yield


def build(head: Head, chosen: dict[str, Any]) -> Any:
    """The tiny model of `head` in fp64, seeded. Raises NotProvable."""
    try:
        cls = getattr(transformers, head.name)
        model = cls(tiny_config(cls.config_class, **_task_fields(head, cls.config_class), **chosen)).double()
    except ImportError as fault:
        raise NotProvable("library-missing", said(fault)) from None
    except MemoryError as fault:
        raise NotProvable("too-large", said(fault)) from None
    except Exception as fault:
        raise NotProvable("not-built", said(fault)) from None
    # grouped matrix products know no fp64
    model.set_experts_implementation("eager")
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = NOISE * torch.randn(parameter.shape, generator=draw, dtype=torch.float64)
            parameter.copy_(torch.where(torch.isfinite(parameter), parameter, 0.0) + noise)
    return model


def _task_fields(head: Head, config_class: Any) -> dict[str, Any]:
    """What the task asks of a configuration."""
    if head.task == "token-classification":
        return {"num_labels": CLASSES}
    if head.task == "text-classification":
        return {"num_labels": 1 if head.problem_type == "regression" else CLASSES, "problem_type": head.problem_type}
    decides = head.task == "text-generation" and "is_decoder" in config_class.__dataclass_fields__
    return {"is_decoder": True} if decides else {}


class HeadProof:
    """A model, the rows of its window, and the ways to their gradient."""

    tolerance = EXACT

    def __init__(self, model: Any, whole: Batch) -> None:
        self.model = model
        self.whole = whole
        self.parts = micro_batches(whole)
        self.shifts = False
        self.before_forward: Callable[[], object] = lambda: None

    def loss_of(self, batch: Batch) -> Tensor:
        """The model's own mean over the batch's targets."""
        self.before_forward()
        loss: Tensor | None = self.model(**batch).loss
        if loss is None:
            raise NotProvable("no-loss")
        return loss

    def find_shift(self) -> bool:
        self.shifts = shifts_labels(self.loss_of, self.whole)
        return self.shifts

    def reference(self) -> Gradient:
        return gradient_of(self.model, lambda: self.loss_of(self.whole).backward())  # type: ignore[no-untyped-call]

    def ours(self, normalization: Normalization = "exact") -> Gradient:
        targets = [count_targets(part, shifts=self.shifts) for part in self.parts]
        return gradient_of(self.model, lambda: accumulate(self.loss_of, self.parts, targets, normalization))

    def stock(self, micro_batches: list[Batch]) -> Gradient:
        """What `transformers.Trainer` adds up over them."""
        with tempfile.TemporaryDirectory() as folder:
            trainer = Trainer(
                self.model,
                TrainingArguments(
                    folder,
                    per_device_train_batch_size=len(micro_batches[0]["labels"]),
                    gradient_accumulation_steps=len(micro_batches),
                    use_cpu=True,
                    disable_tqdm=True,
                    report_to=[],
                ),
            )
            return gradient_of(self.model, lambda: accumulate_as_stock(trainer, micro_batches))

    def error(self) -> float:
        """Of our accumulation, against the large batch, as the model is now."""
        return difference(self.ours(), self.reference()).relative_error

    def error_at_equal_width(self) -> float:
        """The parts are slices of the one batch, and as wide."""
        return self.error()

    def loss(self) -> float:
        with torch.no_grad():
            return float(self.loss_of(self.whole))

    def rows_apart(self) -> float:
        return rows_apart(self.model, self.parts[0], self.whole)


def trainer_way(stock: Gradient, right: Gradient, means: Gradient, micro_batches: int) -> TrainerWay:
    """What the stock Trainer's gradient is, by comparing; exact goes before a mean of means that is the same."""
    undivided = {name: value * micro_batches for name, value in means.items()}
    ways: dict[TrainerWay, Gradient] = {"exact": right, "mean-of-means": means, "undivided": undivided}
    equal = (way for way, gradient in ways.items() if difference(stock, gradient).relative_error < EXACT)
    return next(equal, "otherwise")


def unreached(model: torch.nn.Module, gradient: Gradient) -> tuple[str, ...]:
    """The outermost modules with trainable parameters none of which has a gradient other than zero."""
    reached = {id(value) for name, value in model.named_parameters() if name in gradient and bool(gradient[name].any())}
    found: list[str] = []
    for name, module in model.named_modules():
        if any(name.startswith(f"{outer}.") for outer in found):
            continue
        own = {id(parameter) for parameter in module.parameters() if parameter.requires_grad}
        if name and own and not own & reached:
            found.append(name)
    return tuple(found)


def _with_auxiliary_loss(proof: HeadProof) -> float | None:
    """None where the head has none, or can't compute it from text."""
    with ExitStack() as undo:
        try:
            return proof.error() if auxiliary_switch(proof, undo) else None
        except (NotProvable, RuntimeError, IndexError, TypeError):
            return None


def _plain_error(proof: HeadProof) -> float | None:
    """None where the model can't do without fp32 inside."""
    try:
        return proof.error()
    except RuntimeError:
        return None


def said(fault: BaseException) -> str:
    return f"{type(fault).__name__}: {' '.join(str(fault).split())}"[:300]
