"""A window replayed in the midst of training: what it tells, and that the training can't tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import IterableDataset
from transformers import Trainer
from transformers.modeling_outputs import SequenceClassifierOutput

from engine.errors import RunError, RunStopped
from engine.events import MicroBatchDone, UpdateDone, WindowReplayed
from engine.memory.budget import LiveBytes, imposed
from engine.memory.shares import held_by
from engine.proof.replay import replay
from engine.tasks import packed
from engine.trainer import AccumulatingTrainer
from tests.engine.tiny import (
    UNEVEN,
    VOCABULARY,
    Trained,
    bert,
    class_rows,
    large_batch_gradient,
    llama,
    text_rows,
)


class Replayed(Trained):
    """A run that replays its window before each of `gates`, counted from 1 over the whole run."""

    def __init__(self, *arguments: Any, gates: tuple[int, ...] = (1,), budget: int | None = None, **named: Any) -> None:
        self.told: list[WindowReplayed] = []
        self.passed = 0

        def gate(window: int) -> None:
            self.passed += 1
            if self.passed in gates:
                self.told.append(replay(self.trainer, budget=budget))

        super().__init__(*arguments, gate=gate, **named)
        self.trainer.train()


class Normed(torch.nn.Module):
    """Embedded rows through batch statistics and dropout; counts what it has met in a plain number too."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.embedding = torch.nn.Embedding(VOCABULARY, 8)
        self.norm = torch.nn.BatchNorm1d(8)
        self.dropout = torch.nn.Dropout(0.3)
        self.head = torch.nn.Linear(8, 3)
        self.longest = 0
        self.register_buffer("seen", torch.zeros(1), persistent=False)

    def forward(self, input_ids: Any, labels: Any = None, attention_mask: Any = None) -> SequenceClassifierOutput:
        if self.training:
            self.longest = max(self.longest, len(input_ids))
            self.seen = self.seen + 1
        logits = self.head(self.dropout(self.norm(self.embedding(input_ids).mean(1))))
        return SequenceClassifierOutput(loss=torch.nn.functional.cross_entropy(logits, labels), logits=logits)


def traces(run: Trained) -> list[torch.Tensor]:
    model = run.trainer.model
    state = [value for each in run.trainer.optimizer.state.values() for value in each.values()]
    return [*model.parameters(), *model.buffers(), *state, torch.get_rng_state()]


@pytest.mark.parametrize("build", [lambda: bert(dropout=0.2), Normed])
@pytest.mark.parametrize("gates", [(1, 2), (4, 7, 12)])
def test_a_run_with_replays_is_the_one_without_bit_by_bit(
    build: Callable[[], Any], gates: tuple[int, ...], tmp_path: Path
) -> None:
    def trained(gates: tuple[int, ...], watched: bool) -> Replayed:
        return Replayed(
            build(), class_rows(UNEVEN * 3), tmp_path, micro_batch=2, steps=4, gates=gates, optim="adamw_torch",
            learning_rate=1e-3, max_grad_norm=0.5, options={"watched": lambda: watched},
        )  # fmt: skip

    plain, replayed = trained((), False), trained(gates, True)
    assert len(replayed.told) == len(gates) and replayed.passed == 12
    for kind in (MicroBatchDone, UpdateDone):
        assert [each.loss for each in plain.of(kind)] == [each.loss for each in replayed.of(kind)]
    assert all(torch.equal(one, other) for one, other in zip(traces(plain), traces(replayed), strict=True))
    if isinstance(plain.trainer.model, Normed):
        # 8 rows at once were seen by the replay alone
        assert plain.trainer.model.longest == replayed.trainer.model.longest == 2
    assert [(each.update, each.index) for each in replayed.told] == [((at + 3) // 4, (at - 1) % 4) for at in gates]


@pytest.mark.parametrize(
    ("build", "rows", "options"),
    [
        (lambda: bert(dropout=0.2), class_rows(UNEVEN), {}),
        (llama, text_rows(UNEVEN), {}),
        (llama, text_rows(UNEVEN), {"options": {"window_order": "sorted", "micro_batch_tokens": 40}}),
        (llama, text_rows(UNEVEN), {"collate": packed, "packed": True}),
        (llama, text_rows(UNEVEN), {"collate": packed, "packed": True, "options": {"micro_batch_tokens": 48}}),
    ],
)
def test_both_ways_are_the_large_batch_in_fp32(build: Any, rows: Any, options: Any, tmp_path: Path) -> None:
    run = Replayed(build(), rows, tmp_path, micro_batch=2, steps=4, gates=(2,), **options)
    [told] = run.told
    assert told.large and told.accumulated and told.failure is None
    assert told.relative_error is not None and told.relative_error < 1e-6
    assert told.cosine == pytest.approx(1.0)
    assert told.large["loss"] == pytest.approx(told.accumulated["loss"], rel=1e-6)
    calm = bert() if isinstance(rows[0]["labels"], int) else llama()
    right = float(large_batch_gradient(calm, rows).norm())
    assert (told.large["norm"], told.accumulated["norm"]) == pytest.approx((right, right), rel=1e-5)
    assert sum(told.plan["micro_batches"]) == told.plan["rows"] == 8
    assert told.plan["micro_batches"] == [done.examples for done in run.of(MicroBatchDone)]
    assert told.plan["targets"] == run.of(UpdateDone)[0].targets
    for way in (told.large, told.accumulated):
        assert way["seconds"] > 0
    # live tensors, weights among them
    weights = sum(each.nbytes for each in run.trainer.model.parameters())
    assert told.large["peak_bytes"] > told.accumulated["peak_bytes"] > 2 * weights


def test_half_precision_is_given_more_room_and_is_within_it(tmp_path: Path) -> None:
    [full] = Replayed(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4).told
    [half] = Replayed(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, bf16=True, use_cpu=True).told
    assert (full.tolerance, half.tolerance) == (1e-5, 3e-2)
    assert half.relative_error is not None and full.tolerance < half.relative_error < half.tolerance


def test_a_micro_batch_without_a_target_is_replayed_as_it_was(tmp_path: Path) -> None:
    rows = text_rows([6, 8, 5])
    rows[1]["labels"] = [-100] * 8
    [told] = Replayed(llama(), rows, tmp_path, micro_batch=1, steps=3, gates=(3,)).told
    assert told.relative_error is not None and told.relative_error < 1e-6
    assert (told.index, told.plan) == (2, {"rows": 3, "targets": 9, "micro_batches": [1, 1, 1]})


def test_what_a_run_does_otherwise_becomes_visible(tmp_path: Path) -> None:
    def told(build: Any, rows: Any, normalization: str) -> WindowReplayed:
        run = Replayed(build(), rows, tmp_path, micro_batch=2, steps=4, normalization=normalization)
        assert run.told[0].large and run.told[0].accumulated
        return run.told[0]

    means = told(llama, text_rows(UNEVEN), "mean-of-means")
    assert means.relative_error > 0.05 and means.cosine < 0.999  # type: ignore[operator]
    assert told(llama, text_rows([9] * 8), "mean-of-means").relative_error < 1e-6  # type: ignore[operator]
    # this head takes no num_items_in_batch: the stock Trainer adds up 4 means where it should take their mean
    stock = told(bert, class_rows(UNEVEN), "trainer")
    assert stock.accumulated["norm"] / stock.large["norm"] == pytest.approx(4.0, rel=1e-4)  # type: ignore[index]
    assert (stock.relative_error, stock.cosine) == (pytest.approx(3.0, rel=1e-4), pytest.approx(1.0))


class Doubled(Trainer):  # type: ignore[misc]
    """Takes the mean of each micro-batch twice, and says that it is not scaled for accumulation."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        self.loss_is_scaled_for_ga = False
        loss = 2 * model(**inputs).loss
        return (loss, None) if return_outputs else loss


def test_a_trainer_of_one_s_own_is_replayed_by_its_own_loss(tmp_path: Path) -> None:
    kind = type("Own", (AccumulatingTrainer, Doubled), {})
    [told] = Replayed(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, kind=kind).told
    right = 2 * float(large_batch_gradient(llama(), text_rows(UNEVEN)).norm())
    assert told.large is not None and told.large["norm"] == pytest.approx(right, rel=1e-5)
    # a mean of means, on uneven rows
    assert told.relative_error is not None and told.relative_error > 0.05


def test_a_large_batch_beyond_the_budget_is_told_and_the_micro_batches_are_gone_through(tmp_path: Path) -> None:
    rows = text_rows([24] * 8)
    [free] = Replayed(llama(), rows, tmp_path, micro_batch=1, steps=8).told
    assert free.large and free.accumulated
    budget = (free.large["peak_bytes"] + free.accumulated["peak_bytes"]) // 2
    plain = Replayed(llama(), rows, tmp_path, micro_batch=1, steps=8, gates=())
    run = Replayed(llama(), rows, tmp_path, micro_batch=1, steps=8, gates=(3,), budget=budget)
    [told] = run.told
    assert told.large is None and told.accumulated and told.relative_error is None and told.cosine is None
    assert told.failure is not None and told.failure["budget_bytes"] == budget
    assert told.failure["taken_bytes"] + told.failure["requested_bytes"] > budget
    assert all(torch.equal(one, other) for one, other in zip(traces(plain), traces(run), strict=True))
    [nothing] = Replayed(llama(), rows, tmp_path, micro_batch=1, steps=8, budget=1000).told
    assert nothing.large is None and nothing.accumulated is None


def test_a_replay_is_not_held_against_the_run_s_budget(tmp_path: Path) -> None:
    def peak(gates: tuple[int, ...]) -> int:
        run = Replayed.__new__(Replayed)
        told: list[WindowReplayed] = []
        count = iter(range(1, 100))

        def gate(window: int) -> None:
            if next(count) in gates:
                told.append(replay(run.trainer))

        Trained.__init__(run, llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, gate=gate)
        with imposed(2**30, torch.device("cpu"), held_by(run.trainer.model)) as limit:
            assert isinstance(limit, LiveBytes)
            run.trainer.limit = limit
            run.trainer.train()
        assert len(told) == len(gates)
        return limit.peak

    assert peak((1, 3)) == peak(())


def test_a_stop_leaves_a_replay_and_all_is_as_before(tmp_path: Path) -> None:
    class Stopping:
        def __init__(self) -> None:
            self.asked = 0

        def check(self) -> None:
            self.asked += 1
            if self.asked == 3:
                raise RunStopped("run.stopped")

    stopping = Stopping()
    gradients: list[list[torch.Tensor]] = []

    def gate(window: int) -> None:
        place = run.trainer.under_way
        if place is not None and place.done == 2:
            parameters = list(run.trainer.model.parameters())
            gradients.append([each.grad.clone() for each in parameters])
            with pytest.raises(RunStopped):
                replay(run.trainer, check=stopping.check)
            gradients.append([each.grad.clone() for each in parameters])

    run = Trained(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, gate=gate)
    run.trainer.train()
    before, after = gradients
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
    assert len(run.of(MicroBatchDone)) == 4 and run.trainer.under_way is None


def refused(run: Trained) -> str:
    with pytest.raises(RunError) as told:
        replay(run.trainer)
    assert told.value.message
    return told.value.code


def test_what_can_not_be_replayed_is_refused_in_words(tmp_path: Path) -> None:
    codes: list[str] = []

    def run(**options: Any) -> Trained:
        made = Trained(
            llama(), text_rows([5, 6]), tmp_path, micro_batch=1, steps=2,
            gate=lambda window: codes.append(refused(made)), **options,
        )  # fmt: skip
        return made

    assert refused(run()) == "run.replay-no-window"
    run(dataloader_num_workers=1).trainer.train()
    layered = run()
    layered.trainer.args.optim = "galore_adamw_layerwise"
    layered.trainer.create_optimizer = lambda *_: setattr(
        layered.trainer, "optimizer", torch.optim.SGD(layered.trainer.model.parameters())
    )
    layered.trainer.train()
    assert codes == ["run.replay-no-rows"] * 2 + ["run.replay-steps"] * 2


def test_a_loss_that_fails_on_the_large_batch_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    def loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        assert len(labels) <= 2, "too many rows for me"
        return torch.nn.functional.cross_entropy(outputs["logits"], labels, reduction="sum") / num_items_in_batch

    told: list[RunError] = []

    def gate(window: int) -> None:
        with pytest.raises(RunError) as failed:
            replay(run.trainer)
        told.append(failed.value)

    run = Trained(
        bert(), class_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, gate=gate, options={"compute_loss_func": loss}
    )
    run.trainer.train()
    assert [each.code for each in told] == ["run.replay-failed"] * 4
    assert "too many rows for me" in told[0].message
    assert len(run.of(UpdateDone)) == 1


class Rows(IterableDataset[Any]):
    """Rows without a length."""

    def __iter__(self) -> Any:
        return iter(text_rows(UNEVEN))


def test_the_rows_of_a_stream_are_at_hand_too(tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Replayed.__new__(Replayed)
    told: list[WindowReplayed] = []
    Trained.__init__(
        run,
        llama(),
        rows,
        tmp_path,
        micro_batch=2,
        steps=4,
        max_steps=1,
        gate=lambda _: told.append(replay(run.trainer)),
    )
    run.trainer.train_dataset = Rows()
    run.trainer.train()
    assert [each.relative_error < 1e-6 for each in told] == [True] * 4  # type: ignore[operator]
