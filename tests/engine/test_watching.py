"""What is measured of a watched window, and that watching changes nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers.modeling_outputs import SequenceClassifierOutput

from engine.events import MicroBatchDone, MicroBatchSeen, UpdateDone, WindowSeen
from engine.memory.budget import LiveBytes, imposed
from engine.memory.shares import held_by
from engine.trainer import watching
from engine.trainer.coordinates import Coordinates, cosines
from engine.trainer.layers import Layers, layer_of
from engine.trainer.norms import norm_of, total_norm
from tests.engine.tiny import UNEVEN, Trained, bert, class_rows, llama, pad, text_rows

ALWAYS: dict[str, Any] = {"watched": lambda: True}


class Slope(torch.nn.Module):
    """Two weights in layers of their own; the loss is the mean of w · row, whose gradient is the mean row."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(1, 1, bias=False) for _ in range(2)])

    def forward(self, input_ids: Any, labels: Any = None, attention_mask: Any = None) -> SequenceClassifierOutput:
        columns = input_ids.float()[..., None].unbind(1)
        logits = sum(layer(column) for layer, column in zip(self.layers, columns, strict=True))
        return SequenceClassifierOutput(loss=logits.mean(), logits=logits)


def slope_rows(*rows: list[int]) -> list[dict[str, Any]]:
    return [{"input_ids": row, "labels": 0} for row in rows]


def test_norms_cosines_layers_and_the_update_of_a_window_that_one_can_reckon_by_hand(tmp_path: Path) -> None:
    run = Trained(
        Slope(), slope_rows([3, 0], [0, 4]), tmp_path, micro_batch=1, steps=2, options=ALWAYS,  # type: ignore[arg-type]
        learning_rate=0.1, lr_scheduler_type="constant", max_grad_norm=1.25,
    )  # fmt: skip
    run.trainer.train()
    first, second = run.of(MicroBatchSeen)
    # each micro-batch weighs ½: G1 = (1.5, 0), then (0, 2) joins it, √(1.5² + 2²) = 2.5
    assert (first.norm, first.own_norm) == pytest.approx((1.5, 1.5))
    assert (second.norm, second.own_norm) == pytest.approx((2.5, 2.0))
    assert first.layers == [{"name": "layers.0", "norm": 1.5}, {"name": "layers.1", "norm": 0.0}]
    assert second.layers == [{"name": "layers.0", "norm": 1.5}, {"name": "layers.1", "norm": 2.0}]
    assert (second.update, second.index, second.of) == (1, 2, 2)
    [window] = run.of(WindowSeen)
    # G1 · G = 2.25, by 1.5 · 2.5
    assert window.cosines == [pytest.approx(0.6), 1.0]
    # clipped to half, and a step of 0.1 × 1.25
    assert (window.norm, window.clipped, window.update_norm) == pytest.approx((2.5, 0.5, 0.125), rel=1e-5)
    assert (window.exact, window.zeroed, window.learning_rate) == (True, True, 0.1)


@pytest.mark.parametrize(("build", "rows"), [(bert, class_rows(UNEVEN)), (llama, text_rows(UNEVEN))])
def test_what_is_seen_is_what_the_weighted_micro_batches_add_up_to(build: Any, rows: Any, tmp_path: Path) -> None:
    run = Trained(build(), rows, tmp_path, micro_batch=2, steps=4, options=ALWAYS)
    run.trainer.train()
    model = build()
    model.train()
    parameters = dict(model.named_parameters())
    own: list[torch.Tensor] = []
    for start, done in zip(range(0, 8, 2), run.of(MicroBatchDone), strict=True):
        model.zero_grad()
        (model(**pad(rows[start : start + 2])).loss * done.weight).backward()
        own.append(torch.cat([each.grad.flatten().double() for each in parameters.values()]))
    so_far = [sum(own[: index + 1], torch.zeros(())) for index in range(4)]
    seen, [window] = run.of(MicroBatchSeen), run.of(WindowSeen)
    assert [each.own_norm for each in seen] == pytest.approx([float(each.norm()) for each in own], rel=1e-5)
    assert [each.norm for each in seen] == pytest.approx([float(each.norm()) for each in so_far], rel=1e-5)
    assert [each.norm for each in seen] == pytest.approx([done.grad_norm for done in run.of(MicroBatchDone)], rel=1e-5)
    towards = torch.nn.functional.cosine_similarity(torch.stack(so_far), so_far[-1][None])
    assert window.cosines == pytest.approx(towards.tolist(), abs=1e-6)
    assert window.norm == pytest.approx(float(so_far[-1].norm()), rel=1e-5)
    sizes = [(name, each.numel()) for name, each in parameters.items()]
    for each, total in zip(seen, so_far, strict=True):
        squares: dict[str, float] = {}
        for (name, _), part in zip(sizes, total.split([size for _, size in sizes]), strict=True):
            squares[layer_of(name)] = squares.get(layer_of(name), 0.0) + float(part.norm()) ** 2
        assert [layer["name"] for layer in each.layers] == list(squares)
        norms = [layer["norm"] for layer in each.layers]
        assert norms == pytest.approx([math.sqrt(square) for square in squares.values()], rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_norm_of_a_large_gradient_is_as_right_as_that_of_a_small_one(dtype: torch.dtype) -> None:
    # one sum of fp32 over so many squares is 2e-4 off
    large = torch.randn(2**23 + 9, generator=torch.Generator().manual_seed(0)).to(dtype)
    square = float(large.double().square().sum())
    assert float(norm_of(large)) == pytest.approx(math.sqrt(square), rel=1e-5)
    assert total_norm([large, torch.tensor([3000.0])]) == pytest.approx(math.sqrt(square + 9e6), rel=1e-5)


@pytest.mark.parametrize("precision", [{}, {"bf16": True}])
def test_a_watched_run_is_the_unwatched_one_bit_by_bit(precision: Any, tmp_path: Path) -> None:
    def trained(watched: Callable[[], bool]) -> tuple[list[float | None], list[torch.Tensor]]:
        run = Trained(
            bert(dropout=0.2), class_rows(UNEVEN * 3), tmp_path, micro_batch=2, steps=4, options={"watched": watched},
            optim="adamw_torch", max_grad_norm=0.5, **precision,
        )  # fmt: skip
        run.trainer.train()
        losses = [done.loss for done in run.of(MicroBatchDone)] + [done.loss for done in run.of(UpdateDone)]
        return losses, [*map(torch.clone, run.trainer.model.parameters()), torch.get_rng_state()]

    often = iter([True, False] * 100)
    losses, weights = trained(lambda: False)
    assert len(losses) == 12 + 3
    for watched in (lambda: True, lambda: next(often)):
        others, values = trained(watched)
        assert others == losses
        assert all(torch.equal(one, other) for one, other in zip(weights, values, strict=True))


def test_times_and_memory_are_told_of_both_passes_and_of_none_without_a_target(tmp_path: Path) -> None:
    rows = text_rows([6, 8, 5])
    rows[1]["labels"] = [-100] * 8
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=3, options=ALWAYS)
    run.trainer.train()
    first, empty, last = run.of(MicroBatchSeen)
    for each in (first, last):
        assert each.forward_seconds > 0 and each.backward_seconds > 0
        assert each.forward_bytes > 0 and each.backward_bytes > 0
    assert (empty.forward_seconds, empty.backward_seconds, empty.forward_bytes, empty.backward_bytes) == (None,) * 4
    assert (empty.own_norm, empty.norm, empty.layers) == (0.0, first.norm, first.layers)
    [window] = run.of(WindowSeen)
    assert window.cosines[0] == pytest.approx(window.cosines[1], abs=1e-12)
    assert window.clipped == 1.0


def test_a_window_that_begins_without_a_target_has_no_direction_yet(tmp_path: Path) -> None:
    rows = text_rows([6, 8])
    rows[0]["labels"] = [-100] * 6
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=2, options=ALWAYS)
    run.trainer.train()
    assert [each.norm == 0.0 for each in run.of(MicroBatchSeen)] == [True, False]
    assert run.of(WindowSeen)[0].cosines == [None, 1.0]


def test_watching_may_begin_and_end_in_the_midst_of_a_window(tmp_path: Path) -> None:
    # asked before and after each micro-batch: three windows of three
    answers = [
        *(False, False, False, True, True, True),  # pause while the second one runs
        *(True, True, True, True, False, False),  # resumed after the second one
        *(False, False, False, False, False, True),  # pause while the last one runs
    ]
    told = iter(answers)
    run = Trained(
        llama(), text_rows([6, 8, 5] * 3), tmp_path, micro_batch=1, steps=3, options={"watched": lambda: next(told)}
    )
    run.trainer.train()
    seen = run.of(MicroBatchSeen)
    assert [(each.update, each.index) for each in seen] == [(1, 2), (1, 3), (2, 1), (2, 2), (3, 3)]
    assert (seen[0].forward_seconds, seen[0].own_norm) == (None, None)
    assert seen[0].norm > 0 and seen[1].own_norm > 0 and seen[1].forward_seconds > 0
    first, last = run.of(WindowSeen)
    assert (first.update, last.update) == (1, 3)
    assert (first.cosines[0], first.cosines[2]) == (None, 1.0) and 0.0 < first.cosines[1] < 1.0
    assert last.cosines == [None, None, 1.0]


def test_norms_are_told_without_the_scale_that_fp16_puts_on_the_loss(tmp_path: Path) -> None:
    def seen(scale: float | None) -> Trained:
        run = Trained(
            Slope(), slope_rows([3, 0], [0, 4]), tmp_path, micro_batch=1, steps=2, options=ALWAYS,  # type: ignore[arg-type]
            learning_rate=0.1, lr_scheduler_type="constant", max_grad_norm=1.25,
        )  # fmt: skip
        if scale:
            run.trainer.accelerator.scaler = torch.amp.GradScaler("cpu", init_scale=scale)
        run.trainer.train()
        return run

    plain, scaled = seen(None), seen(1024.0)
    assert [(each.norm, each.own_norm, each.layers) for each in scaled.of(MicroBatchSeen)] == [
        (each.norm, each.own_norm, each.layers) for each in plain.of(MicroBatchSeen)
    ]
    assert scaled.of(WindowSeen)[0].cosines == plain.of(WindowSeen)[0].cosines


def test_copies_that_would_take_too_much_are_of_a_sample_and_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def window(room: int) -> WindowSeen:
        monkeypatch.setattr(watching, "ROOM", room)
        run = Trained(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, options=ALWAYS)
        run.trainer.train()
        [found] = run.of(WindowSeen)
        return found  # type: ignore[no-any-return]

    whole, sampled = window(2**30), window(5 * 4 * 2000)
    assert (whole.exact, sampled.exact) == (True, False)
    assert (sampled.norm, sampled.clipped) == (whole.norm, whole.clipped)
    assert sampled.cosines == pytest.approx(whole.cosines, abs=0.1) and sampled.cosines != whole.cosines
    assert sampled.update_norm == pytest.approx(whole.update_norm, rel=0.3)


def test_a_sample_is_the_same_every_time_and_scales_up_to_all() -> None:
    parameters = [torch.full((30, 20), 3.0), torch.full((50,), 3.0), torch.full((350,), 3.0)]
    before = torch.get_rng_state()
    sample = Coordinates(parameters, copies=2, room=2 * 4 * 100)
    again = Coordinates(parameters, copies=2, room=2 * 4 * 100)
    assert not sample.exact and 0 < sample.size <= 100
    numbers = [torch.arange(600.0).view(30, 20), torch.arange(600.0, 650.0), torch.arange(650.0, 1000.0)]
    kept = sample.take(numbers)
    assert torch.equal(kept, again.take(numbers)) and len(kept.unique()) == sample.size
    assert torch.equal(torch.get_rng_state(), before)
    # a thousand times 3 − 1 = 2
    ones = sample.take([torch.ones_like(each) for each in parameters])
    assert sample.apart(ones, parameters) == pytest.approx(2 * math.sqrt(1000))
    assert sample.take([None, None, None]).abs().sum() == 0
    assert Coordinates(parameters, copies=2, room=2 * 4 * 1000).exact


def test_the_cosine_of_nothing_is_none() -> None:
    final = torch.tensor([3.0, 0.0])
    assert cosines([torch.tensor([3.0, 4.0]), torch.zeros(2), torch.tensor([math.inf, 1.0]), -final], final) == [
        pytest.approx(0.6), None, None, -1.0,
    ]  # fmt: skip
    assert cosines([final], torch.zeros(2)) == [None]


def test_what_watching_takes_is_no_training_time(tmp_path: Path) -> None:
    def slowly(batch: Any, *, shifts: bool) -> tuple[list[Any], int]:
        time.sleep(0.2)
        return [], len(batch)

    run = Trained(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, options=ALWAYS)
    run.trainer.read_back = slowly
    began = time.perf_counter()
    run.trainer.train()
    assert run.of(UpdateDone)[0].seconds < time.perf_counter() - began - 4 * 0.2


def test_watching_is_not_held_against_a_budget(tmp_path: Path) -> None:
    def peak(watched: bool) -> int:
        run = Trained(
            llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, options={"watched": lambda: watched}
        )
        with imposed(2**30, torch.device("cpu"), held_by(run.trainer.model)) as limit:
            assert isinstance(limit, LiveBytes)
            run.trainer.limit = limit
            run.trainer.train()
        assert len(run.of(WindowSeen)) == watched
        return limit.peak

    # five copies of the model and a vector of each layer's norms would be seen
    assert peak(True) - peak(False) < 1000


def test_layers_are_named_by_their_first_number_and_neighbours_are_joined_where_there_are_many() -> None:
    assert layer_of("bert.encoder.layer.3.output.dense.weight") == "bert.encoder.layer.3"
    assert layer_of("classifier.weight") == "classifier"
    names = ["wte.weight", *(f"h.{layer}.{part}" for layer in range(4) for part in ("w", "b")), "ln.weight", "ln.bias"]
    # 3² + 4² = 5² in each layer of two
    norms = [1.0, *[3.0, 4.0] * 4, 3.0, 4.0]
    apart = Layers(names).norms(norms)
    assert [(each["name"], each["norm"]) for each in apart] == [
        ("wte", 1.0), ("h.0", 5.0), ("h.1", 5.0), ("h.2", 5.0), ("h.3", 5.0), ("ln", 5.0),
    ]  # fmt: skip
    # six layers in four places: two by two
    joined = Layers(names, most=4).norms(norms)
    assert [each["name"] for each in joined] == ["wte … h.0", "h.1 … h.2", "h.3 … ln"]
    assert [each["norm"] for each in joined] == pytest.approx([math.sqrt(26), math.sqrt(50), math.sqrt(50)])
