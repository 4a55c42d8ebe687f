"""Memory runs out in a window: nothing is left half done, nothing stays alive, and half the micro-batch is the same."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from transformers import PreTrainedModel

from engine.events import MicroBatchDone, UpdateDone
from engine.memory.budget import BudgetExceeded, LiveBytes
from engine.memory.exhausted import OutOfMemory
from engine.memory.shares import held_by
from engine.memory.storages import tensors_in
from engine.trainer import Dealing
from tests.engine.tiny import Trained, bert, class_rows, llama, relative_error, text_rows

CPU = torch.device("cpu")
LENGTHS = [3, 17, 5, 11, 23, 4, 9, 14, 6, 8, 21, 2, 12, 7, 10, 16]
ENDLESS = 2**40


class Allocation(NamedTuple):
    update: int
    phase: str | None
    micro_batch: int
    taken: int
    """After it."""


class Traced(LiveBytes):
    """Notes in which phase each allocation comes and what is taken after it; refuses the one of number `fails`."""

    def __init__(self, size: int = ENDLESS, fails: int = 0) -> None:
        super().__init__(size, CPU)
        self.fails = fails
        self.trainer: Any = None
        self.trace: list[Allocation] = []

    def _count(self, storage: torch.UntypedStorage) -> None:
        before = self.taken
        super()._count(storage)
        if self.taken > before and self.trainer is not None and self.trainer.state.global_step < 2:
            update = self.trainer.state.global_step + 1
            self.trace.append(Allocation(update, self.trainer.phase, self.trainer._index, self.taken))
            if len(self.trace) == self.fails:
                raise BudgetExceeded(self.taken - before, before, self.bytes)


class Tried:
    """Two updates of a model under a budget, and how they ended."""

    def __init__(
        self,
        folder: Path,
        *,
        micro_batch: int = 4,
        steps: int = 2,
        halves: bool = False,
        limit: Traced | None = None,
        build: Any = llama,
        rows: Any = None,
        options: dict[str, Any] | None = None,
        **arguments: Any,
    ) -> None:
        self.redealt: list[Dealing] = []
        self.failure: OutOfMemory | None = None
        self.limit = limit
        self.at_start: list[int] = []
        self.weights_at: list[torch.Tensor] = []
        self.run = Trained(
            build(), rows or text_rows(LENGTHS), folder, micro_batch=micro_batch, steps=steps, gate=self._gate,
            options={"halves": halves, "redealt": lambda dealing, failure: self.redealt.append(dealing),
                     "window_order": "sorted", **(options or {})},
            **{"max_steps": 2, **arguments},
        )  # fmt: skip
        self.trainer = self.run.trainer
        self.model: PreTrainedModel = self.trainer.model
        if limit is None:
            self.trainer.train()
            return
        limit.take_in(held_by(self.model))
        limit.trainer, self.trainer.limit = self.trainer, limit
        try:
            with limit:
                self.trainer.train()
        except OutOfMemory as failure:
            self.failure = failure.with_traceback(None)

    def _gate(self, window: int) -> None:
        if len(self.weights_at) < window:
            self.weights_at.append(weights(self.trainer.model))

    @property
    def rows_of_updates(self) -> list[tuple[int, int]]:
        return [(done.examples, done.targets) for done in self.run.of(UpdateDone)]


def weights(model: PreTrainedModel) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()]).numpy().copy()  # type: ignore[return-value]


def apart(first: PreTrainedModel, second: PreTrainedModel) -> float:
    return relative_error(torch.tensor(weights(first)), torch.tensor(weights(second)))


def budget_that_ends_in(phase: str, trace: list[Allocation]) -> int:
    """The largest budget of which the first allocation too much comes in `phase` of update 1.

    It is what was taken at most before the last allocation of that phase that took more than any before it.
    """
    most = found = 0
    for each in trace:
        if each.update == 1 and each.taken > most and each.phase == phase:
            found = most
        most = max(most, each.taken)
    assert found, f"no record is set in {phase}"
    return found


# for each phase a plan in which it sets a record: short rows leave the update the highest peak
ROWS = {"forward": text_rows(LENGTHS), "backward": text_rows(LENGTHS), "update": text_rows([2] * 16)}


@pytest.mark.parametrize("phase", ["forward", "backward", "update"])
def test_what_ran_out_where_and_of_what_is_told(phase: str, tmp_path: Path) -> None:
    free = Traced()
    Tried(tmp_path, rows=ROWS[phase], limit=free, optim="adamw_torch")
    budget = budget_that_ends_in(phase, free.trace)
    tried = Tried(tmp_path, rows=ROWS[phase], limit=Traced(budget), optim="adamw_torch")
    assert tried.failure is not None
    values = tried.failure.values
    assert (tried.failure.code, values["phase"], values["update"]) == ("run.out-of-memory", phase, 1)
    assert (values["budget_bytes"], values["imposed"]) == (budget, True)
    sizes = [values[f"{name}_bytes"] for name in ("weights", "gradients", "optimizer", "activations")]
    assert sum(sizes) + values["requested_bytes"] > budget >= sum(sizes)
    assert values["weights_bytes"] == sum(parameter.nbytes for parameter in held_by(tried.model))
    if phase == "update":
        assert values["gradients_bytes"] == sum(parameter.nbytes for parameter in tried.model.parameters())
        assert "optimizer" in tried.failure.message and "micro-batch" in tried.failure.remedy
    else:
        where = next(each for each in free.trace if each.taken > budget)
        assert (values["micro_batch"], values["of"], values["rows"]) == (where.micro_batch, 2, 4)
        assert values["most"] == "activations"
        assert f"{phase} pass of micro-batch {where.micro_batch} of 2" in tried.failure.message
        assert "Halve the micro-batch" in tried.failure.remedy
    assert "KiB" in tried.failure.message and tried.failure.__notes__


@pytest.mark.parametrize("phase", ["forward", "backward"])
def test_half_the_micro_batch_goes_on_where_the_whole_does_not_fit(phase: str, tmp_path: Path) -> None:
    free = Traced()
    Tried(tmp_path, limit=free)
    budget = budget_that_ends_in(phase, free.trace)
    tried = Tried(tmp_path, halves=True, limit=Traced(budget))
    assert tried.failure is None and tried.redealt
    smallest = tried.redealt[-1].micro_batch
    smaller = Tried(tmp_path, micro_batch=smallest, steps=8 // smallest)
    assert apart(tried.model, smaller.model) < 1e-6
    assert tried.rows_of_updates == smaller.rows_of_updates
    # what was said of the window that failed is taken back by what is said of the next try, from 1 on
    done = [(each.update, each.index, each.of) for each in tried.run.of(MicroBatchDone)]
    assert done[-1] == (2, 8 // smallest, 8 // smallest)
    assert tried.limit is not None and tried.limit.peak <= budget


def test_an_update_that_never_fits_ends_the_run_with_the_weights_before_it(tmp_path: Path) -> None:
    free = Traced()
    Tried(tmp_path, rows=ROWS["update"], limit=free, optim="adamw_torch")
    budget = budget_that_ends_in("update", free.trace)
    tried = Tried(tmp_path, rows=ROWS["update"], halves=True, limit=Traced(budget), optim="adamw_torch")
    # tried once more with half of it, and no further
    assert tried.failure is not None and tried.failure.values["phase"] == "update"
    assert tried.redealt == [Dealing(2)]
    assert (weights(tried.model) == tried.weights_at[0]).all()
    assert not tried.trainer.torn and not tried.trainer.optimizer.state


def test_a_row_that_does_not_fit_alone_says_so(tmp_path: Path) -> None:
    free = Traced()
    Tried(tmp_path, micro_batch=1, steps=8, limit=free)
    tried = Tried(tmp_path, halves=True, limit=Traced(budget_that_ends_in("forward", free.trace)))
    assert tried.redealt == [Dealing(2), Dealing(1)]
    assert tried.failure is not None and tried.failure.values["rows"] == 1
    assert "activation_checkpointing" in tried.failure.remedy and "Halve" not in tried.failure.remedy


def test_a_budget_above_what_is_needed_changes_no_bit(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {
        "build": lambda: bert(dropout=0.1),
        "rows": class_rows(LENGTHS),
        "optim": "adamw_torch",
    }
    plain = Tried(tmp_path, **arguments)
    free = Traced()
    counted = Tried(tmp_path, limit=free, halves=True, **arguments)
    assert (weights(plain.model) == weights(counted.model)).all()
    exact = Tried(tmp_path, limit=Traced(free.peak), **arguments)
    assert exact.failure is None and (weights(plain.model) == weights(exact.model)).all()
    assert Tried(tmp_path, limit=Traced(free.peak - 1), **arguments).failure is not None


def test_an_odd_micro_batch_is_dealt_in_4_and_3(tmp_path: Path) -> None:
    rows = text_rows(LENGTHS[:14])
    tried = Tried(tmp_path, micro_batch=7, steps=1, rows=rows, halves=True, limit=Traced(fails=300))
    assert tried.redealt == [Dealing(4)]
    assert [each.examples for each in tried.run.of(MicroBatchDone)][-2:] == [4, 3]
    assert tried.rows_of_updates == Tried(tmp_path, micro_batch=7, steps=1, rows=rows).rows_of_updates


def test_windows_that_other_processes_have_dealt_already_are_dealt_anew(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"dataloader_num_workers": 2, "max_steps": 4}
    tried = Tried(tmp_path, halves=True, limit=Traced(fails=300), **arguments)
    assert tried.redealt == [Dealing(2)]
    assert {each.of for each in tried.run.of(MicroBatchDone) if each.update > 1} == {4}
    smaller = Tried(tmp_path, micro_batch=2, steps=4, **arguments)
    assert apart(tried.model, smaller.model) < 1e-6


def test_a_bound_of_tokens_is_halved_and_never_below_the_longest_row(tmp_path: Path) -> None:
    options = {"micro_batch_tokens": 60}
    tried = Tried(tmp_path, halves=True, limit=Traced(fails=100), options=options)
    assert tried.redealt == [Dealing(4, 28)]  # the fullest micro-batch of the window had 2 × 23 + … = 57 positions
    assert apart(tried.model, Tried(tmp_path, options={"micro_batch_tokens": 28}).model) < 1e-6
    stuck = Tried(tmp_path, limit=Traced(60_000), halves=True, options=options)
    assert stuck.redealt == [Dealing(4, 28), Dealing(4, 23)] and stuck.failure is not None


def test_the_next_try_begins_with_the_random_state_of_the_first(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"build": lambda: bert(dropout=0.3), "rows": class_rows(LENGTHS), "steps": 1}
    states: list[torch.Tensor] = []

    class Noted(Traced):
        def __torch_dispatch__(self, func: Any, *rest: Any) -> Any:
            if self.trainer is not None and self.trainer.phase == "forward" and not self.noted:
                self.noted = True
                states.append(torch.get_rng_state())
            return super().__torch_dispatch__(func, *rest)

    limit = Noted(fails=80)
    limit.noted = False
    tried = Tried(tmp_path, halves=True, limit=limit, **arguments)
    assert tried.redealt
    # the second try of the window draws what a run that begins with the smaller plan draws
    smaller = Tried(tmp_path, **{**arguments, "micro_batch": 2, "steps": 2})
    assert apart(tried.model, smaller.model) < 1e-6


def test_batch_statistics_are_those_of_before_the_window_that_failed(tmp_path: Path) -> None:
    @torch.no_grad()
    def seen(module: Any, inputs: Any) -> None:
        module.seen.add_(module.training)

    def build() -> PreTrainedModel:
        model = llama()
        model.register_buffer("seen", torch.zeros(()))
        model.register_forward_pre_hook(seen)
        return model

    tried = Tried(tmp_path, build=build, halves=True, limit=Traced(fails=300))
    # two windows of 4 micro-batches
    assert tried.redealt == [Dealing(2)] and int(tried.model.seen) == 8


def test_weights_that_moved_within_the_window_are_no_start_for_another_try(tmp_path: Path) -> None:
    def build() -> PreTrainedModel:
        model = llama()
        model.lm_head.weight.register_post_accumulate_grad_hook(stepping)
        return model

    @torch.no_grad()
    def stepping(weight: torch.Tensor) -> None:
        weight.sub_(0.01 * weight.grad)

    tried = Tried(tmp_path, build=build, halves=True, limit=Traced(fails=300))
    assert tried.failure is not None and tried.redealt == []


# ---- wherever it happens ----


def places(trace: list[Allocation], each: int) -> Iterator[tuple[int, Allocation]]:
    """The numbers of `each` allocations a phase, spread over two windows."""
    for phase in ("forward", "backward", "update"):
        found = [number for number, one in enumerate(trace, start=1) if one.phase == phase]
        for place in range(each):
            number = found[(2 * place + 1) * len(found) // (2 * each)]
            yield number, trace[number - 1]


@pytest.mark.slow
@pytest.mark.parametrize("optim", ["sgd", "adamw_torch", "adamw_torch_fused", "adafactor"])
def test_wherever_it_fails_the_outcome_is_right(optim: str, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"optim": optim, "weight_decay": 0.1, "max_grad_norm": 1.0, "learning_rate": 1e-3}
    free = Traced()
    whole = Tried(tmp_path, limit=free, **arguments)
    smaller = Tried(tmp_path, micro_batch=2, steps=4, **arguments)
    for place, where in places(free.trace, 4):
        ended = Tried(tmp_path, limit=Traced(fails=place), **arguments)
        assert ended.failure is not None and ended.failure.values["phase"] == where.phase, (place, where)
        assert len(ended.run.of(UpdateDone)) == where.update - 1
        assert (weights(ended.model) == whole.weights_at[where.update - 1]).all(), (place, where)
        assert not ended.trainer.torn
        assert all(parameter.grad is None for parameter in ended.model.parameters())
        went_on = Tried(tmp_path, halves=True, limit=Traced(fails=place), **arguments)
        assert went_on.failure is None and went_on.redealt == [Dealing(2)], (place, where)
        assert went_on.rows_of_updates == smaller.rows_of_updates
        # Adam and Adafactor divide by the gradient's own size: rounding in a tiny one moves its weight visibly
        assert apart(went_on.model, smaller.model) < (1e-6 if optim == "sgd" else 1e-5), (place, where)
        assert apart(went_on.model, whole.model) < 1e-5


@pytest.mark.slow
def test_wherever_it_fails_nothing_stays_alive(tmp_path: Path) -> None:
    free = Traced()
    Tried(tmp_path, limit=free, optim="adamw_torch")
    for place, where in places(free.trace, 5):
        limit = Traced(fails=place)
        tried = Tried(tmp_path, limit=limit, optim="adamw_torch")
        kept = [*held_by(tried.model), *tensors_in(tried.trainer.optimizer.state)]
        known = {tensor.untyped_storage()._cdata for tensor in kept}
        tried.run.recorder.gradients.clear()
        left = [block for address, block in limit._blocks.items() if address not in known]
        # the sum of the losses
        assert sum(block.size for block in left) <= 8, (place, where)
        watched = weakref.ref(tried.trainer)
        del tried, kept, left, limit
        gc.collect()
        assert watched() is None
