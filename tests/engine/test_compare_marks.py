"""What makes a comparison unfair is said: by a code, with the runs it is about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.compare import compare
from engine.compare.marks import HALVED
from engine.config import RunConfig
from engine.errors import WORDING
from engine.events import Notice, RunPlanned
from engine.export import take_away
from engine.export.run_file import bring
from engine.store import Store
from engine.words.turkish import TURKISH
from tests.engine.compared_runs import FACTS, config, trained
from tests.engine.store_runs import open_store, seen

LOSSES = [2.0, 1.5, 1.0, 0.75, 0.5]
"""Enough updates for a throughput."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def marks(store: Store, *runs: int) -> dict[str, dict[str, Any]]:
    """The values of each mark, by its code; each can be told in both languages."""
    found = compare(store, runs)["marks"]
    for mark in found:
        assert mark["message"] == WORDING[mark["code"]].message.format(**mark["values"])
        assert TURKISH.told(mark["code"], mark["values"]) is not None
    return {mark["code"]: mark["values"] for mark in found}


def made(store: Store, facts: dict[str, Any] | None = None, **changes: Any) -> int:
    return trained(store, LOSSES, settings=config(**changes), facts={**FACTS, **(facts or {})}, evaluations=[0.75])


def test_runs_of_one_machine_and_one_kind_bear_no_mark(store: Store) -> None:
    assert marks(store, made(store), made(store, training__learning_rate=1e-2)) == {}
    assert marks(store, made(store)) == {}


@pytest.mark.parametrize(
    ("code", "facts", "where"),
    [
        ("compare.device", {"device": "NVIDIA H200"}, "1: CPU · 2: NVIDIA H200"),
        (
            "compare.machine",
            {"machine": {**FACTS["machine"], "processors": 64}},
            "1: A, 2, Linux, x86_64 · 2: A, 64, Linux, x86_64",
        ),
        ("compare.threads", {"threads": 8}, "1: 2 · 2: 8"),
        ("compare.versions", {"versions": {**FACTS["versions"], "torch": "9"}}, "1: torch 2.13.0 · 2: torch 9"),
        ("compare.rows", {"data_digest": "cc"}, "1 · 2"),
        ("compare.held-out", {"evaluation_digest": "cc"}, "1 · 2"),
    ],
)
def test_what_was_found_out_and_differs_is_marked(store: Store, code: str, facts: dict[str, Any], where: str) -> None:
    found = marks(store, made(store), made(store, facts, training__learning_rate=1e-2))
    assert found == {code: {"where": where}}


@pytest.mark.parametrize(
    ("code", "changes", "where"),
    [
        ("compare.task", {"task": "fill-mask"}, "1: text-generation · 2: fill-mask"),
        ("compare.data", {"data__name": "python-docs"}, "1: sums · 2: python-docs"),
        ("compare.cut", {"model": "tiny-gpt2"}, "1: tiny-llama · 2: tiny-gpt2"),
        ("compare.averaged", {"loss_normalization": "mean-of-means"}, "1: exact · 2: mean-of-means"),
        (
            "compare.minimised",
            {"training__label_smoothing_factor": 0.1},
            "1: training.label_smoothing_factor 0.0 · 2: training.label_smoothing_factor 0.1",
        ),
        ("compare.batch", {"training__gradient_accumulation_steps": 8}, "1: 32 · 2: 64"),
    ],
)
def test_settings_whose_losses_or_updates_are_of_another_kind_are_marked(
    store: Store, code: str, changes: dict[str, Any], where: str
) -> None:
    found = marks(store, made(store), made(store, **changes))
    assert found[code] == {"where": where}


def test_runs_of_one_place_are_told_together(store: Store) -> None:
    gpu = {"device": "NVIDIA H200"}
    runs = [made(store), made(store, gpu), made(store, training__seed=2)]
    assert marks(store, *runs)["compare.device"] == {"where": "1, 3: CPU · 2: NVIDIA H200"}


def test_a_seed_deals_other_rows_and_that_is_no_change_of_the_data(store: Store) -> None:
    other = made(store, {"data_digest": "cc", "evaluation_digest": "dd"}, training__seed=2)
    assert list(marks(store, made(store), other)) == ["compare.held-out"]


def test_rows_that_nothing_was_evaluated_on_are_no_matter(store: Store) -> None:
    other = {**FACTS, "evaluation_digest": "dd"}
    runs = [trained(store, LOSSES, settings=config(training__seed=seed), facts=other) for seed in (2, 3)]
    assert marks(store, made(store), *runs) == {}


def test_a_run_without_a_noted_machine_is_marked_beside_one_that_has_it(store: Store) -> None:
    old = {name: value for name, value in FACTS.items() if name != "machine"}
    before = trained(store, LOSSES, settings=config(training__seed=2), facts=old)
    assert marks(store, made(store), before) == {"compare.machine-unknown": {"runs": "1"}}
    again = trained(store, LOSSES, settings=config(training__seed=3), facts=old)
    assert marks(store, before, again) == {}


def test_runs_that_have_not_finished_were_watched_resumed_or_halved_are_marked(store: Store) -> None:
    plain = made(store)
    stopped = trained(store, LOSSES, settings=config(training__seed=2), state="stopped")
    watched = made(store, training__seed=3)
    store.write(seen(watched, 1, 1))
    resumed, halved = made(store, training__seed=4), made(store, training__seed=5)
    store.write(Notice(run=resumed, code="run.resumed", message=""))
    store.write(Notice(run=halved, code=HALVED[0], message=""))
    store.flush()
    assert marks(store, plain, stopped, watched, resumed, halved) == {
        "compare.unfinished": {"runs": str(stopped)},
        "compare.watched": {"runs": str(watched)},
        "compare.resumed": {"runs": str(resumed)},
        "compare.halved": {"runs": str(halved)},
    }


def test_a_run_whose_tokens_were_not_counted_is_not_drawn_along_them(store: Store) -> None:
    old = trained(store, LOSSES, settings=config(training__seed=2), total_tokens=None)
    assert marks(store, made(store), old) == {"compare.no-tokens": {"runs": str(old)}}


def test_the_same_settings_with_the_same_seed_are_told_to_be_equal_or_not(store: Store) -> None:
    first, again = made(store), made(store)
    assert marks(store, first, again) == {"compare.repeated": {"runs": "1, 2"}}
    other = trained(store, [2.0, 1.5, 1.0, 0.75, 0.505], settings=config())
    # 0.505 is 1 % off 0.5
    assert marks(store, first, other) == {"compare.not-repeated": {"runs": "1, 3", "apart": "1 %"}}


def test_an_imported_copy_proves_no_repeat_and_is_no_draw(store: Store, tmp_path: Path) -> None:
    full = RunConfig.default().to_dict()
    seeds = [{**full, "training": {**full["training"], "seed": seed}} for seed in (1, 2)]
    plan = {"micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 320, "updates_total": 5}
    first, second = (trained(store, LOSSES, settings=settings) for settings in seeds)
    for run in (first, second):
        store.write(RunPlanned(run=run, plan={**plan, "effective_batch": 32}, facts=FACTS))
    store.flush()
    copy = bring(store, take_away(store, first, "run", tmp_path / "first.birikim"))
    again = bring(store, take_away(store, copy, "run", tmp_path / "copy.birikim"))
    assert marks(store, copy, first) == {"compare.copy": {"run": copy, "original": first}}
    # a copy of the copy is one too, and without the original the first of them stands for the run
    told = [mark["values"] for mark in compare(store, [again, copy, first])["marks"]]
    assert told == [{"run": copy, "original": first}, {"run": again, "original": first}]
    assert marks(store, again, copy) == {"compare.copy": {"run": again, "original": copy}}
    # two seeds are two draws, whatever is copied of them
    [group] = compare(store, [first, second, copy, again])["groups"]
    assert (group["runs"], group["values"]["loss"]["n"]) == ([first, second], 2)
    # a run of another home that stands for itself is a draw, and may repeat
    [group] = compare(store, [second, copy])["groups"]
    assert group["runs"] == [second, copy]
    # but two copies of it are not two
    [group] = compare(store, [second, copy, again])["groups"]
    assert (group["runs"], group["values"]["loss"]["n"]) == ([second, copy], 2)
    assert compare(store, [copy, again])["groups"] == []
