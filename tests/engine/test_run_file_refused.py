"""What is refused of a run's file, which comes from anyone."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.compare import compare
from engine.errors import BirikimError, StoreError
from engine.export import run_file, take_away
from engine.export.run_file import HEAD, bring
from engine.store import Store, coming, whole
from engine.store.schema import connect
from tests.engine.run_files import CONFIG, PLAN, code_of, told
from tests.engine.store_runs import (
    open_store,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        yield opened


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
    "command": [1, [], ["accelerate"]],
    "ranks": [1, {}, ["0"], [{}], [{"rank": "0"}], [{"rank": 0, "device": 1}], [{"rank": 0, "peak_bytes": -1}]],
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
        "best_checkpoint": None, "command": "accelerate launch --num_processes 2 --module engine.ranks",
        "ranks": [{"rank": 0, "device": "CPU", "peak_bytes": 7}, {"rank": 1, "device": None, "peak_bytes": None}],
        "later": {"a": [1, None, {"b": True}]},
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
