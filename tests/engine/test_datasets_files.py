"""A user's own file: every format gives the same rows, and what is wrong is said with its place."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from engine.config import DataConfig
from engine.datasets import check, load
from engine.datasets.rows import Rows
from engine.errors import ConfigError

GENERATION, CLASSIFICATION = "text-generation", "text-classification"
TABLE = [
    {"review": "very, very good", "stars": 10},
    {"review": "çok kötü", "stars": 2},
    {"review": 'a "fair"\nprice', "stars": 10},
    {"review": "never again", "stars": 2},
]


def csv_file(folder: Path, separator: str = ",", name: str = "rows.csv") -> Path:
    import csv

    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(TABLE[0])
        writer.writerows(row.values() for row in TABLE)
    return path


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parquet_file(folder: Path) -> Path:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(TABLE), folder / "rows.parquet")
    return folder / "rows.parquet"


WRITERS: dict[str, Callable[[Path], Path]] = {
    "csv": csv_file,
    "csv with semicolons": lambda folder: csv_file(folder, ";"),
    "csv with a byte order mark": lambda folder: written(
        folder, "mark.csv", b"\xef\xbb\xbf" + csv_file(folder).read_bytes()
    ),
    "CSV in capitals": lambda folder: csv_file(folder, name="ROWS.CSV"),
    "tsv": lambda folder: csv_file(folder, "\t", "rows.tsv"),
    "json": lambda folder: written(folder, "rows.json", json.dumps(TABLE, indent=1)),
    "json lines": lambda folder: written(folder, "rows.jsonl", "\n".join(map(json.dumps, TABLE)) + "\n\n"),
    "json lines called json": lambda folder: written(folder, "rows.json", "\n".join(map(json.dumps, TABLE))),
    "parquet": parquet_file,
}


def loaded(path: Path, task: str = CLASSIFICATION, **config: Any) -> Rows:
    return load(DataConfig(path=str(path), **config), task, seed=1, cache=path.parent / "cache")


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_gives_the_same_rows(kind: str, tmp_path: Path) -> None:
    path = WRITERS[kind](tmp_path)
    config = DataConfig(path=str(path), text="review", label="stars", eval_rows=1)
    check(config, CLASSIFICATION)
    rows = load(config, CLASSIFICATION, seed=1, cache=tmp_path / "cache")
    # The classes are numbers, so 2 comes before 10.
    assert rows.labels == ("2", "10")
    found = {row["text"]: row["label"] for row in [*rows.train, *rows.evaluation]}
    assert found == {"very, very good": 1, "çok kötü": 0, 'a "fair"\nprice': 1, "never again": 0}
    assert len(rows.evaluation) == 1
    assert not (tmp_path / "cache").exists()


def test_the_split_follows_from_the_seed(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.txt", "\n".join(map(str, range(100))))
    config = DataConfig(path=str(path))
    first, again, other = (load(config, GENERATION, seed=seed, cache=tmp_path) for seed in (1, 1, 2))
    assert first == again
    assert first.evaluation != other.evaluation
    # A tenth of 100 rows.
    assert (len(first.train), len(first.evaluation)) == (90, 10)


def test_at_most_200_rows_are_held_out_unasked(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.txt", "\n".join(map(str, range(3000))))
    assert len(loaded(path, GENERATION).evaluation) == 200
    assert len(loaded(path, GENERATION, eval_rows=500).evaluation) == 500


def test_the_rows_held_out_have_the_classes_of_all(tmp_path: Path) -> None:
    rows = "text,label\n" + "".join(f"row {n},{'rare' if n % 4 == 0 else 'usual'}\n" for n in range(100))
    found = loaded(written(tmp_path, "rows.csv", rows), eval_rows=20)
    # A quarter of 100 rows is rare, and so are 5 of the 20.
    assert sorted(row["label"] for row in found.evaluation) == [0] * 5 + [1] * 15
    assert sum(row["label"] == 0 for row in found.train) == 20


def test_a_text_file_is_a_row_a_line_or_a_row_a_paragraph(tmp_path: Path) -> None:
    lines = written(tmp_path, "lines.txt", "one\ntwo\n")
    paragraphs = written(tmp_path, "paragraphs.txt", "one\ntwo\r\n\r\nthree\n \n\nfour")
    assert sorted(row["text"] for row in loaded(lines, GENERATION).train) == ["one", "two"]
    assert sorted(row["text"] for row in loaded(paragraphs, GENERATION).train) == ["four", "one\ntwo", "three"]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([True, False, True], ("False", "True")),
        ([1.0, 2, 1], ("1", "2")),
        ([7, 10, 9], ("7", "9", "10")),
        (["yes", "no", " yes "], ("no", "yes")),
        (["10", "9", "x"], ("10", "9", "x")),
    ],
)
def test_labels_of_any_kind_become_sorted_names(values: list[Any], names: tuple[str, ...], tmp_path: Path) -> None:
    rows = [{"text": f"row {index}", "label": value} for index, value in enumerate(values)]
    assert loaded(written(tmp_path, "rows.json", json.dumps(rows))).labels == names


def test_rows_without_text_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [{"text": text, "label": label} for text, label in [("a", 1), ("", 1), (None, 2), ("  ", None), ("b", 2)]]
    found = loaded(written(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, rows))))
    assert len(found.train) == 2
    assert found.notices == (("data.empty-rows", {"count": 3, "source": "rows.jsonl"}),)


def test_numbers_count_as_text_where_they_are_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.json", '[{"text": 17}, {"text": 4.5}]')
    assert sorted(row["text"] for row in loaded(path, GENERATION).train) == ["17", "4.5"]


def test_the_columns_of_a_large_file_are_read_from_its_beginning(tmp_path: Path) -> None:
    for name, text in {
        "rows.json": json.dumps([{"text": "x" * 1000, "label": 1}] * 1000),
        "rows.jsonl": (json.dumps({"text": "x" * 1000, "label": 1}) + "\n") * 1000,
        "rows.csv": "text,label\n" + f"{'x' * 1000},1\n" * 1000,
        # A single row that is longer than what is read at first.
        "long.json": json.dumps([{"text": "x" * 1_000_000, "label": 1}]),
    }.items():
        path = written(tmp_path, name, text)
        with pytest.raises(ConfigError, match="it has: text, label"):
            check(DataConfig(path=str(path), text="review"), GENERATION)
        check(DataConfig(path=str(path)), CLASSIFICATION)


BAD_AT_A_GLANCE: list[tuple[str, str | bytes, dict[str, Any], str, str, str]] = [
    ("reviews.csv", "text,stars\na,1\n", {"text": "review"}, "data.no-column", "data.text",
     "There is no column “review” in reviews.csv; it has: text, stars."),
    ("reviews.csv", "reviw,label\na,1\n", {"text": "review"}, "data.no-column", "data.text",
     "Did you mean reviw? Set data.text to it."),
    ("reviews.csv", "text,stars\na,1\n", {}, "data.no-column", "data.label", "it has: text, stars"),
    ("reviews.csv", "text,stars\na,1\n", {"label": "text"}, "data.one-column", "data.label",
     "both be the column “text”"),
    ("rows.csv", "", {}, "data.empty-file", "data.path", "rows.csv is empty"),
    ("rows.csv", "\n\n", {}, "data.empty-file", "data.path", "rows.csv is empty"),
    ("rows.doc", "x", {}, "data.unknown-format", "data.path", ".csv, .tsv, .json, .jsonl, .parquet, .txt"),
    ("rows", "x", {}, "data.unknown-format", "data.path", "Save it as one of"),
    ("rows.csv", "text,label\nçok,1\n".encode("cp1254"), {}, "data.not-utf8", "data.path", "see line 2"),
    ("rows.csv", "text,label\n".encode("utf-16-le"), {}, "data.no-text", "data.path", "set data.encoding to utf-16-le"),
    ("rows.jsonl", "not json\n", {}, "data.broken-row", "data.path", "can't be read at line 1"),
    ("rows.jsonl", "[1, 2]\n", {}, "data.not-an-object", "data.path", "at row 1"),
    ("rows.jsonl", '"text"\n', {}, "data.not-an-object", "data.path", 'Write rows such as {"text": "…", "label": "…"}'),
    ("rows.json", "[]", {}, "data.empty-file", "data.path", "rows.json is empty"),
    ("rows.jsonl", "\n \n", {}, "data.empty-file", "data.path", "rows.jsonl is empty"),
    ("rows.parquet", "no parquet", {}, "data.unreadable", "data.path", "can't be read"),
    ("rows.txt", "text", {}, "data.no-labels-in-text", "data.path", "plain text without labels"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "config", "code", "field", "words"), BAD_AT_A_GLANCE)
def test_a_wrong_file_is_found_at_a_glance(
    name: str, content: str | bytes, config: dict[str, Any], code: str, field: str, words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, name, content)
    for use in (check, lambda config, task: load(config, task, seed=1, cache=tmp_path)):
        with pytest.raises(ConfigError) as error:
            use(DataConfig(path=str(path), **config), CLASSIFICATION)
        assert (error.value.code, error.value.field) == (code, field)
        assert words in error.value.line


BAD_ROWS: list[tuple[str, str, str, str, str]] = [
    ("rows.csv", "text,label\n", "data.no-rows", "data.text", "rows.csv holds no row with text"),
    ("rows.csv", "text,label\n,1\n", "data.no-rows", "data.text", "holds no row with text"),
    ("rows.csv", 'text,label\n"a\nb",1\n\nc,\n', "data.no-label", "data.label", "has no label at line 5"),
    ("rows.csv", "text,label\na,1\nb\n", "data.no-label", "data.label", "has no label at line 3"),
    ("rows.csv", "text,label\na, b,1\n", "data.long-row", "data.path", "3 values at line 2, but 2 columns"),
    ("rows.csv", "text,label\na,1\nb,1\n", "data.one-class", "data.label", "of one class, “1”"),
    ("rows.csv", "text,label\n" + "".join(f"a,{n}\n" for n in range(150)), "data.too-many-classes", "data.label",
     "150 classes in 150 rows"),
    ("rows.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "label": null}', "data.no-label", "data.label",
     "at line 2"),
    ("rows.jsonl", '{"text": "a", "label": 1}\n{"text": "b"}', "data.no-label", "data.label", "at line 2"),
    ("rows.jsonl", '{"text": "a", "label": NaN}', "data.no-label", "data.label", "at line 1"),
    ("rows.jsonl", '{"text": "a", "label": {"b": 1}}', "data.not-a-class", "data.label",
     "no class but a dict at line 1"),
    ("rows.jsonl", '{"text": ["a"], "label": 1}', "data.not-text", "data.text", "no text but a list at line 1"),
    ("rows.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "la', "data.broken-row", "data.path", "at line 2"),
    ("rows.json", '[{"text": "a", "label": 1},\n{"text": 1 2}]', "data.broken-row", "data.path", "at line 2"),
    ("rows.json", '[{"text": "a", "label": 1}\n{"text": "b"}]', "data.broken-row", "data.path",
     "a comma or ] is missing"),
    ("rows.json", '[{"text": "a", "label": 1}, 7]', "data.not-an-object", "data.path", "at row 2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "code", "field", "words"), BAD_ROWS)
def test_a_wrong_row_is_named_with_its_place(
    name: str, content: str, code: str, field: str, words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, name, content)
    with pytest.raises(ConfigError) as error:
        loaded(path)
    assert (error.value.code, error.value.field) == (code, field)
    assert words in error.value.line


def test_a_missing_file_and_an_empty_folder_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, words in {
        "none.csv": "There is no file",
        "folder.csv": "There is no file in .* that can be read",
    }.items():
        with pytest.raises(ConfigError, match=words) as error:
            check(DataConfig(path=str(tmp_path / name)), GENERATION)
        assert error.value.field == "data.path"


def test_a_text_file_has_no_columns_to_name(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.txt", "text")
    with pytest.raises(ConfigError, match=r"has no columns. Remove data.text") as error:
        check(DataConfig(path=str(path), text="body"), GENERATION)
    assert error.value.field == "data.text"


def test_a_file_in_the_home_folder_is_found_by_its_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "rows.txt", "one\ntwo")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert len(load(DataConfig(path="~/rows.txt"), GENERATION, seed=1, cache=tmp_path).train) == 2


def test_a_damaged_parquet_file_is_told_when_its_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"text": [str(n) * 50 for n in range(1000)]}), path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[8:800] = bytes(792)
    path.write_bytes(data)
    with pytest.raises(ConfigError) as error:
        loaded(path, GENERATION)
    assert error.value.code == "data.unreadable"


@pytest.mark.parametrize("path", ["~nosuchuser/rows.csv", "x" * 300 + ".csv"])
def test_a_path_that_can_be_no_file_is_told(path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check(DataConfig(path=path), GENERATION)
    assert (caught.value.code, caught.value.field) == ("data.no-path", "data.path")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    os.mkfifo(path)
    with pytest.raises(ConfigError) as caught:
        check(DataConfig(path=str(path)), GENERATION)
    assert caught.value.code == "data.not-a-file"


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_brackets_a_hundred_thousand_deep_are_a_broken_row(name: str, tmp_path: Path) -> None:
    opening = "[" if name == "rows.json" else ""
    path = written(tmp_path, name, opening + '{"text": ' + "[" * 100_000)
    with pytest.raises(ConfigError) as caught:
        loaded(path, GENERATION)
    assert caught.value.code == "data.broken-row"


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    rows = [r'{"text": "a\ud800b", "label": "x\udfff"}', r'{"text": "c", "label": "y"}']
    found = loaded(written(tmp_path, "rows.jsonl", "\n".join(rows)))
    assert sorted(row["text"] for row in found.train) == ["a?b", "c"]
    assert found.labels == ("x?", "y")


def test_a_quote_that_is_never_closed_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", 'text,label\na,pos\nb,neg\n"c,pos\nd,neg\n')
    with pytest.raises(ConfigError) as caught:
        loaded(path)
    assert (caught.value.code, caught.value.values["line"]) == ("data.open-quote", 4)
    whole = written(tmp_path, "whole.csv", 'text,label\n"a\nb",pos\n"c ""d""",neg')
    assert sorted(row["text"] for row in loaded(whole).train) == ["a\nb", 'c "d"']
