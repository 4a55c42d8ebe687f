"""A run as one file: what it holds, and that it comes back equal."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli import app
from engine.events import ResultGrew, StateChanged
from engine.export import run_file, take_away
from engine.export.run_file import FILES, HEAD, bring, write_run
from engine.session import Session
from engine.store import Store, whole
from tests.engine.run_files import CONFIG, code_of, held, told
from tests.engine.store_runs import (
    open_store,
    running,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        yield opened


# ---- there and back ----


def test_a_run_comes_back_as_it_was_with_a_word_on_where_it_came_from(store: Store, tmp_path: Path) -> None:
    run = told(store)
    path = take_away(store, run, "run")
    assert path.name == f"run-{run}.birikim"
    before = held(store, run)
    assert all(before.values())
    with open_store(tmp_path / "other") as other:
        other.create_run({})
        here = bring(other, path)
        assert here != run
        found = held(other, here)
        [*notices, [code, message, values]] = found["notices"]
        assert (code, values) == ("run.imported", {"file": f"run-{run}.birikim", "run": run})
        assert "checkpoints" in message
        assert {**found, "notices": notices} == before
        # the list shows both alike
        ours, theirs = asdict(store.run(run)), asdict(other.run(here))
        assert {**theirs, "id": run, "owned": True} == ours
        assert other.in_bin() == []
        # and once more, as an export of what was imported
        again = bring(other, take_away(other, here, "run"))
        assert held(other, again)["head"] == before["head"]
        assert [code for code, *_ in held(other, again)["notices"]][-2:] == ["run.imported"] * 2


def test_the_file_is_plain_json_without_weights(store: Store, tmp_path: Path) -> None:
    run = told(store, 3)
    model = store.home / "runs" / str(run) / "model"
    model.mkdir(parents=True)
    (model / "model.safetensors").write_bytes(b"secret weights")
    with zipfile.ZipFile(take_away(store, run, "run", tmp_path)) as archive:
        assert set(archive.namelist()) == FILES
        head = json.loads(archive.read(HEAD))
        assert (head["birikim"], head["format"], head["id"], head["config"]) == ("run", 1, run, CONFIG)
        lines = archive.read("updates.jsonl").decode().splitlines()
        assert json.loads(lines[0])[:3] == ["update", "epoch", "loss"]
        assert json.loads(lines[1])[:3] == [1, 0.1, (7919 % 97) / 7]
        assert all(b"secret weights" not in archive.read(name) for name in archive.namelist())


COLUMNS_OF_FORMAT_1 = {
    "updates": "update epoch loss grad_norm learning_rate examples targets micro_batches padding duration seconds "
    "total_examples total_targets memory total_tokens",
    "micro_batches": "update index of loss weight targets examples seconds grad_norm",
    "evaluations": "update epoch loss metrics examples targets duration seconds total_examples total_targets",
    "memory": "seconds update total_examples total_targets resident allocated reserved device_used",
    "samples": "update index kind given wanted got right scores",
    "seen": "kind told",
    "notices": "code message values",
}


def test_who_changes_what_a_file_holds_gives_it_another_number() -> None:
    assert {name: " ".join(table.columns) for name, table in whole.TABLES.items()} == COLUMNS_OF_FORMAT_1
    assert " ".join(whole.HEAD) == (
        "name title tags notes state code message remedy values config plan facts request created started ended"
    )
    assert run_file.FORMAT == 1


def test_a_run_that_is_under_way_is_not_exported(store: Store) -> None:
    run = running(store, **CONFIG)
    store.flush()
    assert code_of(take_away, store, run, "run") == "export.alive"


def test_a_run_of_a_lesson_or_a_class_is_no_such_run_here(store: Store, tmp_path: Path) -> None:
    run = told(store, 2, name="lesson/why/1", title="")
    with open_store(tmp_path / "other") as other:
        found = other.run(bring(other, take_away(store, run, "run")))
        assert (found.name, found.title) == ("", "lesson/why/1")
        assert other.newest(["lesson/why/1"]) == []


def test_an_imported_run_can_t_go_on_and_says_so(store: Store) -> None:
    run = bring(store, take_away(store, told(store, 2), "run"))
    session = Session(store)
    assert code_of(session.resume, run) == "resume.no-checkpoint"
    assert "checkpoints" in store.notices(run)[-1]["message"]


def test_a_proof_is_no_run_that_is_exported(store: Store) -> None:
    proof = store.create_run(CONFIG, kind="proof", request={})
    store.write(ResultGrew(run=proof, values={"a": 1}))
    store.write(StateChanged(run=proof, state="finished"))
    store.flush()
    assert code_of(take_away, store, proof, "run") == "store.no-run"


# ---- the command line ----


def test_the_commands_take_a_run_away_and_bring_it(store: Store, tmp_path: Path) -> None:
    run = told(store, 3)
    home, other = str(store.home), str(tmp_path / "other")
    file = str(tmp_path / "my run.birikim")
    command = CliRunner().invoke
    assert command(app, ["export", str(run), "--as", "run", "--to", file, "--home", home]).exit_code == 0
    said = command(app, ["import", file, "--home", other, "--json"])
    assert json.loads(said.stdout) == {"run": 1, "file": file, "updates": 3}
    assert "run 2 here, with 3 updates" in command(app, ["import", file, "--home", other]).stdout
    listed = json.loads(command(app, ["runs", "--home", other, "--json"]).stdout)
    assert [(each["run"], each["title"], each["tags"]) for each in listed["runs"]] == [
        (2, "Name", ["one", "İki"]),
        (1, "Name", ["one", "İki"]),
    ]
    wrong = command(app, ["import", str(tmp_path), "--home", other])
    assert wrong.exit_code == 2


def test_the_list_on_the_command_line_is_searched_sorted_and_cut(store: Store) -> None:
    first, second = told(store, 1), told(store, 2)
    store.annotate(second, title="Other", tags=["two"])
    gone = told(store, 1)
    store.delete([gone])

    def listed(*options: str) -> tuple[list[int], int]:
        said = CliRunner().invoke(app, ["runs", "--home", str(store.home), "--json", *options])
        assert said.exit_code == 0, said.output
        answer = json.loads(said.stdout)
        return [each["run"] for each in answer["runs"]], answer["total"]

    assert listed() == ([second, first], 2)
    assert listed("--sort", "id", "--limit", "1") == ([first], 2)
    assert listed("--search", "OTHER") == listed("--tag", "two") == ([second], 1)
    assert listed("--sort", "bytes") == ([second, first], 2) or listed("--sort", "bytes") == ([first, second], 2)
    assert listed("--sort", "-update") == ([second, first], 2)
    assert listed("--deleted") == ([gone], 1)
    plain = CliRunner().invoke(app, ["runs", "--home", str(store.home), "--search", "two"])
    assert "Other  #two" in plain.stdout
    assert "No such runs" in CliRunner().invoke(app, ["runs", "--home", str(store.home), "--tag", "none"]).stdout
    assert CliRunner().invoke(app, ["runs", "--home", str(store.home), "--sort", "x"]).exit_code == 2


def test_writing_asks_the_store_once_for_one_moment(store: Store, tmp_path: Path) -> None:
    run = told(store, 3)
    write_run(store, run, tmp_path / "a")
    write_run(store, run, tmp_path / "b")
    with zipfile.ZipFile(tmp_path / "a") as one, zipfile.ZipFile(tmp_path / "b") as two:
        assert all(one.read(name) == two.read(name) for name in FILES)
