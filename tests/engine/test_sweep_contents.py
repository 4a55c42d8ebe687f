"""A sweep goes on with the files that it began with, or not at all; in which folders they lie is each machine's own."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.config import RunConfig, SweepSpec
from engine.errors import StoreError
from engine.store import Store
from engine.sweep import Sweeps
from engine.sweep.contents import contents_of
from engine.sweep.space import Space
from tests.engine.sweeps import Rehearsal, spec, sums

RATE = "training.learning_rate"


@pytest.fixture
def sweeps(store: Store) -> Iterator[Sweeps]:
    session: Any = Rehearsal(store)
    made = Sweeps(session, store, own_code=True)
    yield made
    made.close()


def rows(folder: Path, word: str = "three", name: str = "rows.csv") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("text\n" + f"one two {word}\n" * 40)
    return folder / name


def reading(path: Path, **values: Any) -> RunConfig:
    config = sums(max_steps=2, eval_strategy="no").to_dict()
    return RunConfig.from_dict({**config, "data": {"path": str(path), "max_length": 32}, **values})


def through(sweeps: Sweeps, study: str) -> dict[str, Any]:
    """Its state once this program has done what it can."""
    deadline = time.monotonic() + 60
    while sweeps.at_work:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return sweeps.state(study)


def refusal(call: Any, *values: Any) -> StoreError:
    with pytest.raises(StoreError) as caught:
        call(*values)
    return caught.value


def test_a_sweep_whose_data_has_changed_goes_on_in_no_way_until_it_is_put_back(sweeps: Sweeps, tmp_path: Path) -> None:
    file = rows(tmp_path / "data")
    what = spec({RATE: [1e-3, 1e-2]})
    sweeps.start(reading(file), what, "mine")
    assert through(sweeps, "mine")["state"] == "done"
    # as long as before, and one word is another
    rows(tmp_path / "data", "seven")
    for call, *values in ((sweeps.go_on, "mine"), (sweeps.start, reading(file), what, "mine")):
        told = refusal(call, *values)
        assert (told.code, told.field) == ("sweep.changed", "data.path")
        assert "rows.csv" in told.message and "another name" in told.remedy
    sweeps.start(reading(file), what, "another")
    assert through(sweeps, "another")["state"] == "done"
    # the time of a file is not what it holds
    os.utime(rows(tmp_path / "data"), (1, 1))
    sweeps.go_on("mine")
    assert through(sweeps, "mine")["done"] == 2


def test_data_that_changes_while_a_sweep_is_at_work_ends_it_before_the_next_trial(
    sweeps: Sweeps, tmp_path: Path
) -> None:
    file = rows(tmp_path / "data")
    session: Any = sweeps.session

    def ends(config: RunConfig) -> str:
        rows(tmp_path / "data", "seven")
        return "finished"

    session.ends = ends
    sweeps.start(reading(file), spec({RATE: [1e-3, 1e-2, 1e-1]}), "mine")
    state = through(sweeps, "mine")
    assert (state["state"], state["done"], state["fault"]["code"]) == ("failed", 1, "sweep.changed")
    rows(tmp_path / "data")
    session.ends = lambda config: "finished"
    sweeps.go_on("mine")
    state = through(sweeps, "mine")
    assert (state["state"], state["done"], state["fault"]) == ("done", 3, None)


def test_whatever_a_config_or_a_field_names_on_the_disk_is_looked_at(tmp_path: Path) -> None:
    one, two = rows(tmp_path / "one"), rows(tmp_path / "two", "four")
    model, classes, code = tmp_path / "model", tmp_path / "classes", tmp_path / "own.py"
    for folder in (model, classes, classes / "good"):
        folder.mkdir()
    (model / "config.json").write_text("{}")
    (classes / "good" / "a.txt").write_text("fine")
    code.write_text("def loss(): ...")

    def found(base: RunConfig, what: SweepSpec) -> dict[str, str]:
        return contents_of(Space(base, what))

    own = {"model": str(model), "loss": f"{code}:loss", "data": {"path": str(one), "validation": str(two)}}
    base = reading(one, **own)
    known = found(base, spec({RATE: [1e-3]}))
    assert set(known) == {"data.path", "data.validation", "model", "loss"}
    listed = spec({"data.path": [str(one), str(classes)], "model": ["tiny-llama", str(model)]})
    assert set(found(base, listed)) == {"data.path 0", "data.path 1", "data.validation", "model 1", "loss"}
    whole = found(reading(one), spec({"data": [{"name": "sums"}, {"path": str(two)}]}))
    assert whole == {"data.path 1": known["data.validation"]}
    assert found(sums(), spec({RATE: [1e-3]})) == {}
    files = (two, model / "tokenizer.json", code, classes / "good" / "b.txt")
    keys = ("data.validation", "model", "loss", "data.path 1")
    for key, file in zip(keys, files, strict=True):
        before = found(base, listed) | found(base, spec({RATE: [1e-3]}))
        file.write_text("other")
        after = found(base, listed) | found(base, spec({RATE: [1e-3]}))
        assert {name for name in after if before[name] != after[name]} >= {key}
    # what is no data in a folder of data, and what is hidden, is not read
    before = found(base, listed)
    (classes / "README.md").write_text("about")
    (model / ".cache").write_text("about")
    assert found(base, listed) == before


@pytest.mark.parametrize("method", ["grid", "random"])
def test_machines_share_a_sweep_whose_files_lie_in_other_folders_and_hold_the_same(tmp_path: Path, method: Any) -> None:
    address = f"sqlite:///{tmp_path / 'shared.sqlite'}"

    def begin(machine: str, word: str = "three") -> tuple[Store, Sweeps, Path]:
        folder = tmp_path / machine
        folder.mkdir()
        for name in ("long", "short"):
            rows(folder / name, name if word == "three" else word)
        (store := Store(folder / "home")).flush()
        session: Any = Rehearsal(store)
        return store, Sweeps(session, store, storage=address), folder

    def start(sweeps: Sweeps, folder: Path) -> None:
        # of one name in two folders, so that the name alone says too little
        paths = [str(folder / name / "rows.csv") for name in ("long", "short")]
        base = reading(folder / "long" / "rows.csv")
        sweeps.start(base, spec({"data.path": paths, RATE: [1e-3, 1e-2]}, method=method, trials=4), "shared")

    first = begin("first")
    session: Any = first[1].session
    submit = session.submit

    def once(config: RunConfig, name: str = "", **options: Any) -> int:
        if session.submitted:
            raise StoreError("store.disk-full")
        run: int = submit(config, name, **options)
        return run

    session.submit = once
    start(first[1], first[2])
    assert through(first[1], "shared")["done"] == 1
    store, sweeps, folder = begin("second")
    start(sweeps, folder)
    state = through(sweeps, "shared")
    assert (state["state"], state["done"], state["fault"]) == ("done", 4, None)
    for trial in state["trials"]:
        assert trial["values"]["data.path"].startswith(str(folder))
        if trial["run"]:
            assert store.run(trial["run"]).config["data"]["path"] == trial["values"]["data.path"]
    others = first[1].state("shared")["trials"]
    assert all(each["values"]["data.path"].startswith(str(first[2])) for each in others)
    assert [each["values"][RATE] for each in others] == [each["values"][RATE] for each in state["trials"]]
    third = begin("third", "seven")
    told = refusal(start, third[1], third[2])
    assert told.code == "sweep.changed" and "rows.csv" in told.message
    for opened, made, _ in (first, (store, sweeps, folder), third):
        made.close()
        opened.close()
