"""Awkward files, each with what becomes of it: the rows that are read, or one line on what is wrong and where."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from engine.config import DataConfig, RunConfig
from engine.datasets import check, load
from engine.datasets.files import FORMATS, delimited
from engine.datasets.rows import Rows
from engine.errors import ConfigError

GENERATION, CLASSIFICATION, TO_TEXT = "text-generation", "text-classification", "text2text-generation"
TURKISH = "text,label\nçok güzel bir ğün,iyi\nşöyle böyle ışık,kötü\n"
ENGLISH = "text,label\nfine,good\npoor,bad\n"


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, task: str = CLASSIFICATION, **config: Any) -> Rows:
    data = DataConfig(path=str(path), **config)
    check(data, task)
    return load(data, task, seed=1, cache=path.parent / "cache")


def texts(rows: Rows) -> list[str]:
    return sorted(row["text"] for row in [*rows.train, *rows.evaluation])


# ---- what is read ----

READ: dict[str, tuple[str, str | bytes, dict[str, Any], list[str]]] = {
    "UTF-8 with a byte order mark": ("a.csv", ENGLISH.encode("utf-8-sig"), {}, ["fine", "poor"]),
    "UTF-16 with its mark": ("a.csv", ENGLISH.encode("utf-16"), {}, ["fine", "poor"]),
    "UTF-16 the other way round": ("a.csv", b"\xfe\xff" + ENGLISH.encode("utf-16-be"), {}, ["fine", "poor"]),
    "UTF-16 without a mark, named": ("a.csv", ENGLISH.encode("utf-16-le"), {"encoding": "utf-16-le"}, ["fine", "poor"]),
    "Windows' Turkish, named": (
        "a.csv", TURKISH.encode("cp1254"), {"encoding": "cp1254"}, ["çok güzel bir ğün", "şöyle böyle ışık"]
    ),
    "Latin-5, named": (
        "a.csv", TURKISH.encode("latin5"), {"encoding": "latin5"}, ["çok güzel bir ğün", "şöyle böyle ışık"]
    ),
    "UTF-8 by its mark, whatever was named": ("a.csv", TURKISH.encode("utf-8-sig"), {"encoding": "cp1254"},
                                              ["çok güzel bir ğün", "şöyle böyle ışık"]),
    "quotes, separators and newlines in cells": (
        "a.csv", 'text,label\n"a, ""b""\nc",x\n\'d\',y\n', {}, ["'d'", 'a, "b"\nc']
    ),
    "ends of lines as Windows writes them": ("a.csv", ENGLISH.replace("\n", "\r\n"), {}, ["fine", "poor"]),
    "ends of lines as old Macs wrote them": ("a.csv", ENGLISH.replace("\n", "\r"), {}, ["fine", "poor"]),
    "semicolons for commas": ("a.csv", ENGLISH.replace(",", ";"), {}, ["fine", "poor"]),
    "no newline at the end": ("a.csv", ENGLISH.rstrip(), {}, ["fine", "poor"]),
    "empty lines anywhere": ("a.csv", "\n\n" + ENGLISH.replace("\n", "\n\n"), {}, ["fine", "poor"]),
    "a column nobody asked for": ("a.csv", "id,text,label\n1,fine,good\n2,poor,bad\n", {}, ["fine", "poor"]),
    "a row that stops early, after what is needed": (
        "a.csv", "text,label,note\nfine,good\npoor,bad,x\n", {}, ["fine", "poor"]
    ),
    "tabs": ("a.tsv", ENGLISH.replace(",", "\t"), {}, ["fine", "poor"]),
    "JSON with a mark": (
        "a.json", json.dumps([{"text": "fine", "label": 1}, {"text": "poor", "label": 0}]).encode("utf-8-sig"), {},
        ["fine", "poor"],
    ),
    "JSON on many lines": (
        "a.json", json.dumps([{"text": "fine", "label": 1}, {"text": "poor", "label": 0}], indent=2), {},
        ["fine", "poor"],
    ),
    "keys in another order, some left out": (
        "a.jsonl", '{"text": "fine", "label": "x"}\n{"note": 1, "label": "y", "text": "poor"}\n', {}, ["fine", "poor"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", READ)
def test_a_file_is_read_as_it_was_meant(kind: str, tmp_path: Path) -> None:
    name, content, config, wanted = READ[kind]
    assert texts(read(put(tmp_path, name, content), **config)) == wanted


# ---- what is refused ----

REFUSED: dict[str, tuple[str, str | bytes, dict[str, Any], str, str]] = {
    "Windows' Turkish, not named": (
        "a.csv", TURKISH.encode("cp1254"), {}, "data.not-utf8", "line 2. Save it as UTF-8, or set data.encoding, "
        "for instance to cp1254",
    ),
    "one wrong byte, late": (
        "a.csv", ("text,label\n" + "fine,good\npoor,bad\n" * 100_000).encode() + b"\xe7ok,bad\n", {}, "data.not-utf8",
        "line 200002",
    ),
    "another encoding than was named": ("a.csv", TURKISH.encode(), {"encoding": "ascii"}, "data.not-decoded", "line 2"),
    "UTF-16 without a mark": ("a.csv", ENGLISH.encode("utf-16-le"), {}, "data.no-text", "set data.encoding to utf-16"),
    "no text at all": ("a.csv", b"\x00\x01\x02text,label", {}, "data.no-text", "line 1"),
    "empty": ("a.csv", "", {}, "data.empty-file", "is empty"),
    "a header alone": ("a.csv", "text,label\n", {}, "data.no-rows", "holds no row with text"),
    "rows without any text": ("a.csv", "text,label\n,a\n ,b\n", {}, "data.no-rows", "holds no row with text"),
    "a missing label": ("a.csv", "text,label\nfine,good\npoor,\n", {}, "data.no-label", "at line 3"),
    "a missing label after a cell of three lines": (
        "a.csv", 'text,label\n"a\nb\nc",good\npoor,\n', {}, "data.no-label", "at line 5"
    ),
    "one class only": ("a.csv", "text,label\nfine,good\nnice,good\n", {}, "data.one-class", "of one class, “good”"),
    "a label on every row": (
        "a.csv", "text,label\n" + "".join(f"t{n},l{n}\n" for n in range(200)), {}, "data.too-many-classes", "200 "
    ),
    "a separator in a text without quotes": ("a.csv", "text,label\nwell, fine,good\n", {}, "data.long-row", "line 2"),
    "a quote that is never closed": ("a.csv", 'text,label\nfine,good\n"poor,bad\n', {}, "data.open-quote", "line 3"),
    "two columns of one name": ("a.csv", "text,label,text\na,b,c\n", {}, "data.column-twice", "two columns called"),
    "JSON that stops": ("a.json", '[{"text": "fine", "label": 1},\n{"text": "po', {}, "data.broken-row", "at line 2"),
    "JSON with a comma too many": ("a.jsonl", '{"text": "a",}\n', {}, "data.broken-row", "line 1"),
    "a list in a text's place": ("a.jsonl", '{"text": ["a"], "label": 1}', {}, "data.not-text", "a list at line 1"),
    "Parquet that is none": ("a.parquet", "text", {}, "data.unreadable", "can't be read"),
    "an ending that nobody knows": ("a.xlsx", "x", {}, "data.unknown-format", "of no format"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", REFUSED)
def test_what_can_not_be_read_is_said_with_its_line(kind: str, tmp_path: Path) -> None:
    name, content, config, code, words = REFUSED[kind]
    with pytest.raises(ConfigError) as caught:
        read(put(tmp_path, name, content), **config)
    assert caught.value.code == code
    assert words in caught.value.line


def test_an_encoding_that_nobody_knows_is_refused_in_the_config() -> None:
    for name in ("cp99999", "base64", "a\0b"):
        values = {"model": "tiny-bert", "task": CLASSIFICATION, "data": {"path": "a.csv", "encoding": name}}
        with pytest.raises(ConfigError, match="There is no encoding") as caught:
            RunConfig.from_dict(values)
        assert caught.value.field == "data.encoding"


def test_a_line_that_never_ends_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.datasets.files.decoding.MOST_CHARACTERS", 10_000)
    with pytest.raises(ConfigError, match="see line 2") as caught:
        read(put(tmp_path, "a.txt", "short\n" + "x" * 20_000), GENERATION)
    assert caught.value.code == "data.huge-row"


# ---- what is told ----


def test_rows_that_repeat_are_kept_and_counted(tmp_path: Path) -> None:
    rows = "text,label\n" + "same,a\n" * 3 + "other,b\nsame,b\n"
    found = read(put(tmp_path, "a.csv", rows), eval_rows=1)
    assert len(found.train) == 4
    assert found.notices[0] == ("data.repeated-rows", {"count": 2, "rows": 5, "source": "a.csv"})


def test_a_text_on_both_sides_of_the_split_is_told(tmp_path: Path) -> None:
    rows = "text,label\n" + "".join(f"row {n // 2},{n % 2}\n" for n in range(20))
    found = read(put(tmp_path, "a.csv", rows), eval_rows=4)
    trained = {row["text"] for row in found.train}
    leaked = sum(row["text"] in trained for row in found.evaluation)
    assert leaked and found.notices == (("data.leak", {"count": leaked, "rows": 4}),)


def test_rows_without_text_are_left_out_and_counted(tmp_path: Path) -> None:
    found = read(put(tmp_path, "a.csv", ENGLISH + " ,good\n,bad\n"))
    assert found.notices == (("data.empty-rows", {"count": 2, "source": "a.csv"}),)


# ---- a file that changes ----


@pytest.mark.parametrize("breaks", [False, True])
def test_a_file_that_changes_while_it_is_read_is_told(
    breaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "a.csv", ENGLISH)

    def records(file: Any, names: Any) -> Any:
        yield from delimited.records(file, names)
        path.write_text("text" if breaks else ENGLISH + "more,good\n")
        if breaks:
            yield "line 4", ["half", None]

    monkeypatch.setitem(FORMATS, ".csv", FORMATS[".csv"]._replace(records=records))
    with pytest.raises(ConfigError, match=r"a\.csv changed while") as caught:
        read(path)
    assert caught.value.code == "data.changed"


# ---- folders ----


def test_the_files_of_a_folder_are_read_by_name_and_their_rows_told_by_it(tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    put(folder, "b.csv", "label,text\nbad,poor\n")
    put(folder, "a.csv", "text,label\nfine,good\n")
    put(folder, ".hidden.csv", "no,use\n")
    put(folder, "README.md", "about")
    assert texts(read(folder)) == ["fine", "poor"]
    put(folder, "b.csv", "label,text\nbad,poor\n,worse\n")
    with pytest.raises(ConfigError, match=r"shards has no label at b\.csv line 3"):
        read(folder)


def test_a_folder_of_parquet_shards_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(3):
        rows = [{"text": f"row {number} {n}", "label": n % 2} for n in range(4)]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"part-{number}.parquet")
    assert len(texts(read(folder))) == 12


def test_a_folder_a_class_is_the_labels(tmp_path: Path) -> None:
    for name, text in {"pos/1.txt": "fine\n\nvery", "pos/2.txt": "nice", "neg/1.txt": "poor", "notes.txt": "x"}.items():
        put(tmp_path / "reviews", name, text)
    found = read(tmp_path / "reviews")
    assert found.labels == ("neg", "pos")
    assert {row["text"]: row["label"] for row in found.train} == {"fine\n\nvery": 1, "nice": 1, "poor": 0}
    assert texts(read(tmp_path / "reviews", GENERATION)) == ["x"]
    (tmp_path / "reviews" / "notes.txt").unlink()
    assert texts(read(tmp_path / "reviews", GENERATION)) == ["fine\n\nvery", "nice", "poor"]


FOLDERS: dict[str, tuple[dict[str, str], str, str]] = {
    "nothing in it": ({}, "data.empty-folder", "no file in"),
    "two formats": ({"a.csv": ENGLISH, "b.jsonl": "{}"}, "data.mixed-folder", ".csv, .jsonl"),
    "a file of other columns": (
        {"a.csv": ENGLISH, "b.csv": "txt,label\na,b\n"},
        "data.other-columns",
        "which a.csv has",
    ),
    "an empty file": ({"a.csv": ENGLISH, "b.csv": ""}, "data.empty-file", "b.csv is empty"),
    "texts without classes": ({"a.txt": "one\ntwo"}, "data.no-labels-in-text", "plain text without labels"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_what_is_wrong_with_a_folder_is_said(kind: str, tmp_path: Path) -> None:
    files, code, words = FOLDERS[kind]
    (tmp_path / "folder").mkdir()
    for name, content in files.items():
        put(tmp_path / "folder", name, content)
    with pytest.raises(ConfigError) as caught:
        read(tmp_path / "folder")
    assert caught.value.code == code
    assert words in caught.value.line


# ---- a file of validation ----


def test_a_file_of_validation_is_evaluated_on_whole_with_the_same_classes(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", "text,label\na,10\nb,9\nc,8\n")
    beside = put(tmp_path, "dev.csv", "label,text\n9,d\n9,e\n8,f\n")
    found = read(train, validation=str(beside))
    assert [row["text"] for row in found.train] == ["a", "b", "c"]
    assert [row["label"] for row in found.evaluation] == [1, 1, 0]
    assert found.labels == ("8", "9", "10")
    assert len(read(train, validation=str(beside), eval_rows=2).evaluation) == 2


VALIDATION: dict[str, tuple[str, str, str]] = {
    "a label that nobody trains on": ("text,label\nd,c\n", "data.unseen-label", "the label “c” at line 2"),
    "other columns": ("txt,label\nd,a\n", "data.no-column", "no column “text” in dev.csv"),
    "nothing in it": ("", "data.empty-file", "dev.csv is empty"),
}


@pytest.mark.parametrize("kind", VALIDATION)
def test_what_is_wrong_with_a_file_of_validation_is_said_of_it(kind: str, tmp_path: Path) -> None:
    content, code, words = VALIDATION[kind]
    train = put(tmp_path, "train.csv", "text,label\nx,a\ny,b\n")
    beside = put(tmp_path, "dev.csv", content)
    with pytest.raises(ConfigError) as caught:
        read(train, validation=str(beside))
    assert caught.value.code == code
    assert words in caught.value.line


def test_a_text_that_is_trained_and_evaluated_on_is_told_of_a_file_of_validation_too(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", "text,label\nx,a\ny,b\n")
    beside = put(tmp_path, "dev.csv", "text,label\nx,a\nz,b\n")
    assert read(train, validation=str(beside)).notices == (("data.leak", {"count": 1, "rows": 2}),)


# ---- large files are kept on the disk, with the same outcome ----

LARGE_TASKS: dict[str, tuple[str, Callable[[int], dict[str, Any]], dict[str, Any]]] = {
    "classes": (CLASSIFICATION, lambda n: {"text": f"row {n}", "label": "ab"[n % 4 == 0]}, {}),
    "several classes": (CLASSIFICATION, lambda n: {"text": f"row {n}", "label": ["x", "y"][: n % 3]}, {}),
    "numbers": (CLASSIFICATION, lambda n: {"text": f"row {n}", "label": n + 0.5}, {}),
    "texts": (GENERATION, lambda n: {"text": f"row\ud800 {n}"}, {}),
    "tags": ("token-classification", lambda n: {"text": f"a b {n}", "label": ["O", "X", "O"]}, {}),
    "targets": (TO_TEXT, lambda n: {"text": f"row {n}", "label": f"answer {n}"}, {}),
    "pairs": (GENERATION, lambda n: {"prompt": f"ask {n}", "completion": f" say {n}"}, {}),
    "talks": (GENERATION, lambda n: {"messages": [{"role": "user", "content": str(n)},
                                                  {"role": "assistant", "content": "yes"}]}, {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", LARGE_TASKS)
def test_a_large_file_gives_the_rows_of_a_small_one(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task, make, config = LARGE_TASKS[kind]
    path = put(tmp_path, "rows.jsonl", "\n".join(json.dumps(make(n)) for n in range(120)))
    small = read(path, task, eval_rows=20, **config)
    monkeypatch.setattr("engine.datasets.own_file.LARGE", 10)
    large = read(path, task, eval_rows=20, **config)

    def all_of(rows: Rows) -> list[str]:
        return sorted(repr(row) for row in [*rows.train, *rows.evaluation])

    assert all_of(large) == all_of(small)
    assert not isinstance(large.train, list)
    assert (large.labels, large.problem_type, large.notices) == (small.labels, small.problem_type, small.notices)
    assert len(large.evaluation) == 20
    if kind == "classes":
        assert sorted(row["label"] for row in large.evaluation) == sorted(row["label"] for row in small.evaluation)
    again = read(path, task, eval_rows=20, **config)
    assert list(again.train) == list(large.train)


def test_rows_of_a_large_file_that_has_changed_are_read_anew_and_the_old_ones_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.datasets.own_file.LARGE", 10)
    path = put(tmp_path, "a.csv", ENGLISH * 3)
    before = read(path)
    kept = {folder.name for folder in (tmp_path / "cache" / "rows").iterdir()}
    put(tmp_path, "a.csv", ENGLISH + "new,good\n")
    os.utime(path, (time.time() + 5, time.time() + 5))
    assert "new" in texts(read(path))
    after = {folder.name for folder in (tmp_path / "cache" / "rows").iterdir()}
    assert len(after) == len(kept) == 1 and after != kept
    assert before.train[0]["text"]  # a run that is under way goes on with what it opened


def test_a_disk_without_room_for_the_rows_of_a_large_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.datasets.own_file.LARGE", 10)
    path = put(tmp_path, "a.csv", ENGLISH)

    def full(record: Any) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.datasets.table._packed", full)
    with pytest.raises(ConfigError, match="No space left on device") as caught:
        read(path)
    assert caught.value.code == "data.no-space"
    assert list((tmp_path / "cache" / "rows").iterdir()) == []


def test_files_and_folders_beside_a_config_are_found_there(tmp_path: Path) -> None:
    put(tmp_path, "shards/a.csv", ENGLISH)
    put(tmp_path, "dev.csv", ENGLISH)
    text = "model: tiny-bert\ntask: text-classification\ndata: {path: shards, validation: dev.csv}\n"
    data = RunConfig.load(put(tmp_path, "run.yaml", text)).data
    assert (data.path, data.validation) == (str(tmp_path / "shards"), str(tmp_path / "dev.csv"))
