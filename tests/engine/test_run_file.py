"""A run as one file: what it holds, that it comes back equal, and what is refused of a file that comes from anyone."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli import app
from engine.compare import compare
from engine.config import RunConfig
from engine.errors import BirikimError, StoreError
from engine.events import Notice, ResultGrew, RunPlanned, SampleTaken, StateChanged, WindowSkipped
from engine.export import run_file, take_away
from engine.export.run_file import FILES, HEAD, bring, write_run
from engine.session import Session
from engine.store import Store, coming, whole
from engine.store.schema import connect
from tests.engine.store_runs import (
    evaluation,
    micro_batch,
    open_store,
    replayed,
    running,
    sample,
    seen,
    update,
    window_seen,
)

CONFIG = RunConfig.default().to_dict()
PLAN = {
    "micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 320, "updates_total": 500,
    "effective_batch": 32, "window": None, "drop_last": False, "epochs": 50.0,
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        yield opened


def told(store: Store, updates: int = 500, **named: Any) -> int:
    """A run that has told something for every table, more of some than a page draws at once."""
    run = running(store, **CONFIG)
    store.write(RunPlanned(run=run, plan=PLAN, facts={"device": "CPU", "versions": {"torch": "2.13.0"}}))
    for number in range(1, updates + 1):
        for index in range(1, 5):
            store.write(micro_batch(run, number, index, loss=None if index == 2 else 1 / number))
        store.write(update(run, number, loss=(number * 7919 % 97) / 7, grad_norm=float("nan"), memory=None))
        store.write(sample(run, number / 2, resident=10**9 + number * 37 % 911, allocated=number))
    for number in range(10, updates + 1, 10):
        store.write(evaluation(run, number, metrics={"accuracy": number / 1000, "perplexity": float("inf")}))
    for index in range(1, 5):
        store.write(seen(run, updates, index))
    store.write(replayed(run, updates))
    store.write(window_seen(run, updates))
    for kind, wanted, got in (("text", None, "ğ"), ("tags", ["O"], ["B-PER"]), ("number", 1.0, 2.5)):
        at = {"text": 1, "tags": 2, "number": 3}[kind]
        store.write(
            SampleTaken(
                run=run, update=0, index=at, kind=kind, given="words", wanted=wanted, got=got, right=[False],  # type: ignore[arg-type]
                scores=[{"name": "a", "score": 0.5}],
            )
        )  # fmt: skip
    store.write(Notice(run=run, code="run.report-failed", message="why", values={"name": "x", "reason": "y"}))
    store.write(WindowSkipped(run=run, after=updates, examples=32))
    store.write(StateChanged(run=run, state="failed", code="x", message="why", remedy="how", values={"a": 1}))
    store.flush()
    store.annotate(run, title="Name", tags=["one", "İki"], notes="line\nline")
    for name, value in named.items():
        db = connect(store.home / "birikim.sqlite")
        db.execute(f"UPDATE runs SET {name} = ? WHERE id = ?", (value, run))
        db.close()
    return run


def held(store: Store, run: int) -> dict[str, Any]:
    """All that is held of a run, and how its curves are thinned."""
    with store.whole(run) as (head, tables):
        found = {"head": head, **{name: list(rows) for name, rows in tables.items()}}
    read = store.read(run, points=200)
    return {**found, "thinned": {name: read[name] for name in ("updates", "evaluations", "memory", "window")}}


def code_of(call: Callable[..., Any], *values: Any) -> str:
    with pytest.raises(BirikimError) as refused:
        call(*values)
    assert str(refused.value.line)
    return refused.value.code


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


# ---- what is refused ----


def packed(path: Path, **changed: bytes | None) -> Path:
    """The file with other contents by name; without those that are None."""
    with zipfile.ZipFile(path) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path.with_name("changed.birikim"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**inside, **changed}.items():
            if data is not None:
                archive.writestr(name, data)
    return path.with_name("changed.birikim")


def with_head(path: Path, **values: Any) -> Path:
    with zipfile.ZipFile(path) as archive:
        head = json.loads(archive.read(HEAD))
    return packed(path, **{HEAD: json.dumps({**head, **values}).encode()})


def with_row(path: Path, name: str, column: str, value: Any, row: int = 1) -> Path:
    with zipfile.ZipFile(path) as archive:
        lines = [json.loads(line) for line in archive.read(f"{name}.jsonl").splitlines()]
    lines[row][lines[0].index(column)] = value
    return packed(path, **{f"{name}.jsonl": "\n".join(map(json.dumps, lines)).encode()})


@pytest.fixture
def path(store: Store, tmp_path: Path) -> Path:
    return take_away(store, told(store, 12), "run", tmp_path / "run.birikim")


WRONG: dict[str, list[Any]] = {
    "machine": ["x", None, [], {"a": []}, {"a": True}, {"a": "x" * 301}, {"a": {}}],
    "versions": ["x", None, ["1"], {"torch": {}}, {"x" * 301: "1"}],
    "window_order": ["up", 1, [], {}],
    **{name: ["1", 1.5, True, -1] for name in ("parameters", "rows", "capacity_bytes")},
    **{name: [1, [], "x" * 301] for name in ("device", "data_digest")},
    "checkpoints": [3, None, ["1"], [None]],
    "shifts_labels": [1],
    "best_checkpoint": [[]],
}
FACTS_OF_A_WRONG_KIND = [{"facts": {name: value}} for name, values in WRONG.items() for value in values]
COUNTED = ("micro_batch", "accumulation_steps", "processes", "effective_batch", "updates_total")
PLANS_OF_A_WRONG_KIND = [{"plan": {**PLAN, name: value}} for name in COUNTED for value in (0, True, 1.0)]

DEEP: Any = {}
for _ in range(200):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "values",
    [
        *({"state": "running"}, {"state": "x"}, {"state": []}, {"created": None}, {"created": "1"}, {"created": -1}),
        *({"ended": 1e300}, {"started": True}, {"config": None}, {"config": []}, {"tags": "a"}, {"tags": [1]}),
        *({"tags": ["x" * 41]}, {"title": 7}, {"title": "x" * 201}, {"notes": "x" * 10_001}, {"name": None}),
        *({"plan": []}, {"plan": {}}, {"plan": {**PLAN, "rows": "many"}}, {"plan": {**PLAN, "updates_total": -1}}),
        *({"facts": "x"}, {"facts": DEEP}, {"values": None}, {"id": "1"}, {"id": 1.5}, {"more": 1}, {"owner": "x"}),
        *FACTS_OF_A_WRONG_KIND,
        *PLANS_OF_A_WRONG_KIND,
        {"format": True},
        *({"message": ["<script>"]}, {"request": 3}, {"format": "1"}, {"format": 0}, {"format": None}),
    ],
    ids=str,
)
def test_a_wrong_value_of_the_run_is_refused(values: dict[str, Any], path: Path, store: Store) -> None:
    refused_without_a_trace(store, with_head(path, **values), "import.wrong")


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        *(("updates", "update", value) for value in (0, -1, 1.5, "1", None, True, 2**60)),
        *(("updates", "update", 2), ("updates", "loss", "0.5"), ("updates", "loss", [1]), ("updates", "memory", "x")),
        *(("updates", "loss", 10**400), ("updates", "loss", True), ("updates", "targets", 10**400)),
        *(("updates", "learning_rate", {}), ("micro_batches", "index", 3), ("micro_batches", "weight", "w")),
        *(("evaluations", "metrics", {"a": "b"}), ("evaluations", "metrics", []), ("memory", "resident", None)),
        *(("memory", "seconds", "1"), ("samples", "kind", "pickle"), ("samples", "got", {"a": 1})),
        *(("samples", "scores", [{"name": 1, "score": 2}]), ("samples", "right", ["yes"]), ("notices", "values", 1)),
        *(("notices", "code", None), ("seen", "kind", "updates"), ("seen", "told", {}), ("seen", "told", "x")),
    ],
    ids=str,
)
def test_a_wrong_value_of_a_row_is_refused(name: str, column: str, value: Any, path: Path, store: Store) -> None:
    refused_without_a_trace(store, with_row(path, name, column, value), "import.wrong")


def refused_without_a_trace(store: Store, path: Path, code: str) -> None:
    before = [run.id for run in store.history(limit=99)["runs"]]
    assert code_of(bring, store, path) == code
    assert [run.id for run in store.history(limit=99)["runs"]] == before
    assert store.in_bin() == []


MEMORY = b'["seconds", "update", "total_examples", "total_targets", "resident", "allocated", "reserved", "device_used"]'
MEMORY += b"\n[%s, 1, 1, 1, 1, 1, 1, 1]"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"updates.jsonl": None}, "import.not-a-run"),
        ({"more.jsonl": b""}, "import.not-a-run"),
        ({"../evil": b""}, "import.not-a-run"),
        ({HEAD: b"[]"}, "import.not-a-run"),
        ({HEAD: b"{"}, "import.wrong"),
        ({HEAD: b"\xff"}, "import.wrong"),
        ({HEAD: b"[" * 100_000}, "import.wrong"),
        ({"updates.jsonl": b""}, "import.wrong"),
        ({"updates.jsonl": b'["update"]\n[1]'}, "import.wrong"),
        ({"notices.jsonl": b'["code", "message", "values"]\n["a", "b", {"c": NaN}]'}, "import.wrong"),
        ({"notices.jsonl": b'["code", "message", "values"]\n["a", "b", {"c": 1' + b"0" * 5000 + b"}]"}, "import.wrong"),
        ({"notices.jsonl": b'["code", "message", "values"]\n["a", "b", {}, 1]'}, "import.wrong"),
        ({"memory.jsonl": MEMORY % b"1e999"}, "import.wrong"),
        # a bomb: sixty-four megabytes in a few kilobytes
        ({"notices.jsonl": b" " * 2**26}, "import.too-large"),
    ],
    ids=range(14),
)
def test_what_is_no_run_is_refused(changed: dict[str, bytes | None], code: str, path: Path, store: Store) -> None:
    refused_without_a_trace(store, packed(path, **changed), code)


def test_what_is_no_zip_and_what_was_cut_is_refused(path: Path, store: Store, tmp_path: Path) -> None:
    data = path.read_bytes()
    for wrong in (b"", b"x" * 1000, data[: len(data) // 2], b"\x80\x04\x95pickle"):
        (tmp_path / "wrong").write_bytes(wrong)
        refused_without_a_trace(store, tmp_path / "wrong", "import.not-a-run")
    # a byte that was turned within what is packed; 30 bytes and the name stand before it
    with zipfile.ZipFile(path) as packed_run:
        member = max(packed_run.infolist(), key=lambda each: each.compress_size)
    start = member.header_offset + 30 + len(member.filename)
    for at in range(start, start + member.compress_size, max(1, member.compress_size // 40)):
        (tmp_path / "wrong").write_bytes(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :])
        with pytest.raises(BirikimError):
            bring(store, tmp_path / "wrong")
    assert store.in_bin() == []
    assert code_of(bring, store, tmp_path / "nowhere") == "import.unreadable"
    assert code_of(bring, store, tmp_path) == "import.unreadable"


def test_a_newer_file_and_settings_of_another_version_say_so(path: Path, store: Store) -> None:
    refused_without_a_trace(store, with_head(path, format=2), "import.newer")
    refused_without_a_trace(store, with_head(path, config={**CONFIG, "from_the_future": 1}), "import.settings")
    refused_without_a_trace(store, with_head(path, config={}), "import.settings")


def test_what_a_file_says_of_itself_is_bounded(path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_file, "MOST_BYTES", 10)
    refused_without_a_trace(store, path, "import.too-large")
    monkeypatch.undo()
    monkeypatch.setattr(run_file, "LONGEST_HEAD", 10)
    refused_without_a_trace(store, path, "import.too-large")
    monkeypatch.undo()
    monkeypatch.setattr(run_file, "LONGEST_LINE", 50)
    refused_without_a_trace(store, path, "import.wrong")


def test_facts_that_a_run_writes_and_any_that_a_later_version_adds_are_taken(path: Path, store: Store) -> None:
    facts = {
        "model_class": "BertForSequenceClassification", "parameters": 4_386_178, "trainable": 0, "device": "CPU",
        "threads": 2, "precision": "fp32", "capacity_bytes": None, "baseline_bytes": 0, "budget_bytes": None,
        "rows": 320, "evaluation_rows": 0, "data_digest": None, "evaluation_digest": "0a", "shifts_labels": False,
        "window_order": "sorted", "machine": {"processor": None, "processors": 2, "system": "Linux"},
        "versions": {"python": "3.12.1", "torch": "2.13.0"}, "predicted_bytes": 7, "checkpoints": [2, 4],
        "best_checkpoint": None, "later": {"a": [1, None, {"b": True}]},
    }  # fmt: skip
    run = bring(store, with_head(path, facts=facts))
    assert store.run(run).facts == facts
    assert compare(store, [run])["runs"][0]["device"] == "CPU"


def test_large_numbers_become_what_any_page_can_read(path: Path, store: Store) -> None:
    run = bring(store, with_head(path, facts={"n": 10**30}))
    assert store.run(run).facts == {"n": 1e30}
    json.dumps(store.read(run), allow_nan=False)


@pytest.mark.parametrize("broken", ["\ud800", "a\udfffb", {"\ud800": 1}])
def test_half_of_a_character_is_refused_wherever_it_stands(path: Path, store: Store, broken: Any) -> None:
    places: list[dict[str, Any]] = [{"values": {"a": broken}}, {"facts": {"a": [broken]}}, {"request": {"a": broken}}]
    if isinstance(broken, str):
        places += [{"title": broken}, {"tags": [broken]}, {"notes": broken}, {"message": broken}]
    for values in places:
        refused_without_a_trace(store, with_head(path, **values), "import.wrong")
    header = json.dumps(list(whole.TABLES["notices"].columns))
    row = json.dumps(["a", "b", {"c": broken}])
    refused_without_a_trace(store, packed(path, **{"notices.jsonl": f"{header}\n{row}\n".encode()}), "import.wrong")


def test_a_character_that_is_written_in_two_halves_is_one(path: Path, store: Store) -> None:
    changed = with_head(path, title="\U0001f600 ğ")
    with zipfile.ZipFile(changed) as archive:
        assert b"\\ud83d\\ude00" in archive.read(HEAD)
    assert store.run(bring(store, changed)).title == "\U0001f600 ğ"


def test_an_import_that_is_cut_off_leaves_nothing_or_lies_in_the_bin(
    path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coming, "AT_A_TIME", 2)
    before = [run.id for run in store.runs()]

    def full(*_: Any) -> None:
        raise StoreError("store.disk-full")

    monkeypatch.setattr(coming, "end", full)
    assert code_of(bring, store, path) == "store.disk-full"
    assert [run.id for run in store.runs()] == before and store.in_bin() == []
    db = connect(store.home / "birikim.sqlite")
    for name in whole.TABLES:
        assert {row["run"] for row in db.execute(f"SELECT DISTINCT run FROM {name}")} == set(before)
    db.close()
    # as where the program has died: what there is lies in the bin, and says what it is
    monkeypatch.undo()
    run = store._writer.do(lambda db: coming.begin(db, store.token))
    assert (store.in_bin(), store.run(run).code, store.run(run).state) == (
        [run],
        "run.import-unfinished",
        "interrupted",
    )
    store.purge([run])


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
