"""Conclusions follow from the numbers, also when these come out otherwise than taught."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from engine.lessons import LESSONS, WORDS, not_faster, stock_trainer, targets, told
from engine.lessons.lesson import Sentence
from tests.engine.lesson_numbers import Found, account, curve, memory, noise, proof, run, way

Case = tuple[str, Mapping[str, Found], list[str]]

PLANS = ((32, 1), (16, 2), (8, 4), (4, 8))


def why(*activations: int) -> Mapping[str, Found]:
    return {"plans": memory(*(account(plan, size) for plan, size in zip(PLANS, activations, strict=False)))}


def same_update(error: float | None, apart: float) -> Mapping[str, Found]:
    ways = [way("accumulated", (8, 4), error), way("accumulated", (32, 1), 1e-8), way("trainer", (8, 4), 3.0, 4.0)]
    return {"proof": proof(*ways, curves=[curve((32, 1), 0.0), curve((8, 4), apart)])}


def scaling_trap(window: list[tuple[int, float]], means: float, trained: float) -> Mapping[str, Found]:
    ways = [way("accumulated", (1, 8), 1e-7), way("mean-of-means", (1, 8), means)]
    return {
        "exact": run((1, 8), window=window, eval_loss=2.0),
        "proof": proof(*ways),
        "means": run((1, 8), eval_loss=trained),
    }


def throughput(*seconds: float) -> Mapping[str, Found]:
    """Seconds of each update of 32 rows, by plan from 32 × 1 to 1 × 32."""
    plans = not_faster.PLANS
    return {f"{plan[0]}x{plan[1]}": run(plan, seconds=each) for plan, each in zip(plans, seconds, strict=True)}


def tail(four: list[int], eight: list[int], dropped: list[int], rows: int) -> Mapping[str, Found]:
    runs = {"steps-4": ((4, 4), four), "steps-8": ((4, 8), eight), "drop-last": ((4, 4), dropped)}
    return {name: run(plan, examples=examples, rows=rows) for name, (plan, examples) in runs.items()}


def rates(none: float, linear: float, root: float, scale: float | None, small: float = 1.0) -> Mapping[str, Found]:
    losses = {"none": none, "linear": linear, "square-root": root}
    return {
        "small": run((8, 1), examples=(8,) * 16, eval_loss=small),
        **{rule: run((8, 8), examples=(64,) * 2, eval_loss=loss) for rule, loss in losses.items()},
        "noise": noise(scale),
    }


def means_of_memory(plain: int, other: int) -> Mapping[str, Found]:
    parts = {"checkpointing": other, "bf16": other}
    return {
        "plain": memory(account((16, 2), plain)),
        **{name: memory(account((16, 2), size)) for name, size in parts.items()},
        "lora": memory(account((16, 2), plain, stays=300 if other == plain else 120)),
    }


def heads(trainer: float, ours: float = 1e-16) -> Mapping[str, Found]:
    """Where `trainer` is off it is four times too large."""
    ratio = 4.0 if trainer > 1e-5 else 1.0
    each = proof(way("accumulated", (2, 4), ours), way("trainer", (2, 4), trainer, ratio))
    return dict.fromkeys(stock_trainer.HEADS, each)


def counts(*, shifts: bool = True, packed: int = 20, stock: int = 20) -> Mapping[str, Found]:
    """A causal head of 4 rows and 24 labels; a masked one with 3 of 24 tokens; `stock` is of the unshifted one."""
    causal = {
        "model_class": "Any", "shifts": shifts, "examples": 4, "positions": 32, "padded": 8, "labels": 24,
        "targets": 20 if shifts else 24, "stock": 20 if shifts else 24, "rows": [],
    }  # fmt: skip
    return {
        **dict.fromkeys(targets.HEADS, causal),
        "packed": {**causal, "positions": 24, "padded": 0, "targets": packed, "stock": packed},
        "unshifted": {**causal, "targets": 20, "stock": stock},
        "masked": {**causal, "targets": 3, "stock": 3},
        "classes": {**causal, "targets": 4, "stock": None},
    }


CASES: list[Case] = [
    ("targets", counts(stock=24), ["shift", "packed-same", "by-task", "stock-other"]),
    ("targets", counts(shifts=False), ["no-shift", "packed-other", "by-task", "stock-same"]),
    ("why", why(800, 400, 200, 100), ["activations", "peak"]),
    ("why", why(4, 3, 2, 1), ["activations", "peak-same"]),
    ("why", why(100, 100, 100, 100), ["activations-same", "peak-same"]),
    ("why", why(800), ["did-not-fit"] * 3),
    ("same-update", same_update(3e-7, 1e-6), ["exact", "together"]),
    ("same-update", same_update(0.2, 0.3), ["off", "apart"]),
    ("same-update", same_update(None, 0.3), ["off", "apart"]),
    ("scaling-trap", scaling_trap([(3, 2.0), (9, 1.0)], 0.5, 2.2), ["uneven", "gradient-off", "trained-worse"]),
    ("scaling-trap", scaling_trap([(3, 2.0), (9, 1.0)], 0.5, 2.001), ["uneven", "gradient-off", "trained-same"]),
    ("scaling-trap", scaling_trap([(9, 2.0), (9, 1.0)], 1e-8, 1.9), ["even", "gradient-same", "trained-better"]),
    ("not-faster", throughput(1, 1.1, 1.2, 1.4, 2, 4), ["slower", "same-work"]),
    ("not-faster", throughput(1, 1, 1, 1, 1, 1.02), ["same", "same-work"]),
    ("not-faster", throughput(2, 1.8, 1.6, 1.4, 1.2, 1), ["faster", "same-work"]),
    ("not-faster", throughput(2, 1.5, 1, 1.5, 1.8, 2), ["same", "between", "same-work"]),
    ("tail", tail([16, 16, 10], [32, 10], [16, 16, 8], 42), ["tail", "fewer-updates", "dropped"]),
    ("tail", tail([16, 16], [16, 16], [16, 16], 32), ["even", "as-many-updates", "nothing-dropped"]),
    ("learning-rate", rates(1.5, 1.0, 1.2, 300), ["best-linear", "caught-up", "noise-above"]),
    ("learning-rate", rates(1.5, 1.3, 1.2, 20), ["best-square-root", "behind", "noise-below"]),
    ("learning-rate", rates(5.3, 4.03, 4.0, 36, small=3.4), ["scaled-alike", "behind", "noise-below"]),
    ("learning-rate", rates(1.2, 1.6, 1.4, None), ["best-none", "behind", "noise-unseen"]),
    ("learning-rate", rates(1.0, 1.01, 1.0, 20), ["rules-same", "caught-up", "noise-below"]),
    ("memory", means_of_memory(1000, 300), ["fills", "checkpointing", "bf16", "lora"]),
    ("memory", means_of_memory(1000, 1000), ["fills", "checkpointing-not", "bf16-not", "lora-not"]),
    ("memory", {**means_of_memory(1000, 300), "plain": memory()}, ["did-not-fit"]),
    ("stock-trainer", heads(3.0), ["wrong", "ours-exact", "table"]),
    ("stock-trainer", heads(1e-16, ours=0.1), ["right", "ours-off", "table"]),
]


@pytest.mark.parametrize(("lesson", "measured", "expected"), CASES)
def test_the_sentences_are_chosen_by_the_numbers_and_told_with_all_of_theirs(
    lesson: str, measured: Mapping[str, Found], expected: list[str]
) -> None:
    said = LESSONS[lesson].conclude(measured)
    assert [sentence.name for sentence in said] == [f"lesson.{lesson}.conclusion.{name}" for name in expected]
    for sentence in said:
        assert "–" not in told(sentence.name, sentence.values)
    json.dumps([vars(sentence) for sentence in said], allow_nan=False)


@pytest.mark.parametrize(("lesson", "measured"), [case[:2] for case in CASES])
def test_whatever_was_measured_is_drawn_and_named(lesson: str, measured: Mapping[str, Found]) -> None:
    picture = LESSONS[lesson].picture(measured).to_dict()
    columns, rows = picture["figures"]["columns"], picture["figures"]["rows"]
    assert all(len(row) == len(columns) for row in rows)
    series = picture["chart"]["series"]
    assert all(len(each["x"]) == len(each["y"]) for each in series)
    cells = [cell for row in rows for cell in row] + [each["name"] for each in series]
    cells += [place for each in series for place in each["x"]]
    codes = {cell for cell in cells if isinstance(cell, str) and cell.startswith("lesson.")}
    assert codes <= WORDS["en"].keys()
    json.dumps(picture, allow_nan=False)


def test_every_sentence_that_there_are_words_for_can_be_said() -> None:
    told_of = {f"lesson.{lesson}.conclusion.{name}" for lesson, _, names in CASES for name in names}
    assert told_of == {name for name in WORDS["en"] if ".conclusion." in name}


def values_of(lesson: str, measured: Mapping[str, Found], name: str) -> dict[str, Any]:
    said: list[Sentence] = LESSONS[lesson].conclude(measured)
    return next(sentence.values for sentence in said if sentence.name.endswith(f".conclusion.{name}"))


def test_the_numbers_of_a_conclusion_are_those_that_arithmetic_gives() -> None:
    # activations 800 and 100 beside 300 that stay: peaks 1100 and 400
    values = values_of("why", why(800, 400, 200, 100), "peak")
    assert values["activations_ratio"] == 8.0 and values["saved"] == pytest.approx(1 - 400 / 1100)
    # 3 of the 32 - 8 tokens are masked
    assert values_of("targets", counts(), "by-task")["share"] == 0.125
    # 3 targets of loss 2 and 9 of loss 1: the mean over targets 15/12 = 1.25, the mean of means 1.5
    values = values_of("scaling-trap", scaling_trap([(3, 2.0), (9, 1.0)], 0.5, 2.2), "uneven")
    assert (values["exact"], values["means"], values["factor"]) == (1.25, 1.5, 3.0)
    # 32 rows in 1 s and in 4 s
    values = values_of("not-faster", throughput(1, 1.1, 1.2, 1.4, 2, 4), "slower")
    assert (values["large_rate"], values["small_rate"], values["slower"]) == (32.0, 8.0, 4.0)
    # a row of the tail of 10 weighs 16 / 10 as much as one of a full window
    values = values_of("tail", tail([16, 16, 10], [32, 10], [16, 16, 8], 42), "tail")
    assert values["factor"] == 1.6
    # 2 of 42 rows were left out
    assert values_of("tail", tail([16, 16, 10], [32, 10], [16, 16, 8], 42), "dropped")["left"] == 2


def test_a_large_batch_s_loss_is_drawn_beside_as_many_examples_of_the_small_one() -> None:
    small, none, *_ = LESSONS["learning-rate"].picture(rates(1.0, 1.0, 1.0, 20)).chart.series
    assert small.x[:2] == [8, 16] and none.x == [64, 128]


def test_the_saved_table_counts_a_head_as_right_only_in_all_its_problem_types() -> None:
    built, exact = stock_trainer._saved("text-classification")
    assert built is not None and exact is not None and 0 <= exact < built <= 126


def test_without_a_saved_table_the_lesson_speaks_of_its_own_heads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock_trainer, "heads_table", list)
    said = LESSONS["stock-trainer"].conclude(heads(3.0))
    assert [sentence.name.rpartition(".")[2] for sentence in said] == ["wrong", "ours-exact"]
    assert LESSONS["stock-trainer"].picture(heads(3.0)).rows[0][-2:] == [None, None]
