"""Labels of every kind in a user's own data: classes, several classes, numbers, tags, and texts to write."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import datasets as library
import pyarrow
import pyarrow.parquet
import pytest

from engine.config import DataConfig, RunConfig
from engine.datasets import BUILT_IN, Rows, check, load
from engine.errors import ConfigError
from tests.engine.fake_hub import fake_hub

CLASSIFICATION, TOKENS, WRITING = "text-classification", "token-classification", "text2text-generation"
SINGLE, SEVERAL, NUMBER = "single_label_classification", "multi_label_classification", "regression"


def written(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    """The rows as a file of that kind; a list in a CSV is its elements with spaces between."""
    path = folder / f"rows.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        cells = [[" ".join(map(str, v)) if isinstance(v, list) else str(v) for v in row.values()] for row in rows]
        path.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in [list(rows[0]), *cells]))
    return path


def loaded(path: Path, task: str = CLASSIFICATION, **config: Any) -> Rows:
    config.setdefault("eval_rows", 1)
    return load(DataConfig(path=str(path), **config), task, seed=1, cache=path.parent / "cache")


def by_text(rows: Rows) -> dict[str, Any]:
    return {row["text"]: row["label"] for row in [*rows.train, *rows.evaluation]}


def of(labels: list[Any]) -> list[dict[str, Any]]:
    return [{"text": f"row {index}", "label": label} for index, label in enumerate(labels)]


# ---- what the values tell ----


@pytest.mark.parametrize(
    ("kind", "labels", "problem"),
    [
        ("jsonl", [1, 2, 3], SINGLE),
        ("jsonl", [1.0, 2.0], SINGLE),
        ("jsonl", ["a", "b"], SINGLE),
        ("jsonl", ["1.5", "b"], SINGLE),
        ("jsonl", [1, 2.5], NUMBER),
        ("jsonl", [["a"], [], ["b", "a"]], SEVERAL),
        ("parquet", [1.0, 2.5], NUMBER),
        ("parquet", [["a"], ["b"]], SEVERAL),
        ("csv", ["1", "2"], SINGLE),
        ("csv", ["1.0", "2.0"], SINGLE),
        ("csv", ["1", "2.5"], NUMBER),
        ("csv", ["a;b", "c"], SINGLE),
    ],
)
def test_the_values_tell_what_the_labels_are(kind: str, labels: list[Any], problem: str, tmp_path: Path) -> None:
    assert loaded(written(tmp_path, kind, of(labels))).problem_type == problem


def test_the_config_decides_over_the_values(tmp_path: Path) -> None:
    path = written(tmp_path, "jsonl", of([1, 2, 2.5]))
    assert loaded(path, problem_type=SINGLE).labels == ("1", "2", "2.5")
    numbers = loaded(written(tmp_path, "csv", of([1, 2, 3])), problem_type=NUMBER)
    assert (by_text(numbers), numbers.labels) == ({"row 0": 1.0, "row 1": 2.0, "row 2": 3.0}, None)
    assert all(isinstance(label, float) for label in by_text(numbers).values())


# ---- several classes ----


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("jsonl", [["b", "a"], [], ["c", "c"], "a"]),
        ("parquet", [["b", "a"], [], ["c"], ["a"]]),
        ("csv", ["b; a", "", "c", "a"]),
        ("csv", ["b|a", " ", "c|", "a"]),
        ("csv", ["a,b", "", "c", "a"]),
    ],
)
def test_several_classes_are_lists_or_stand_between_separators(kind: str, labels: list[Any], tmp_path: Path) -> None:
    rows = loaded(written(tmp_path, kind, of(labels)), problem_type=SEVERAL)
    assert rows.labels == ("a", "b", "c")
    assert by_text(rows) == {"row 0": [0, 1], "row 1": [], "row 2": [2], "row 3": [0]}


def test_as_many_rows_of_each_class_are_held_out_by_the_rarest_of_several(tmp_path: Path) -> None:
    labels: list[list[str]] = [["usual", "rare"] if n % 5 == 0 else ["usual"] for n in range(100)]
    rows = loaded(written(tmp_path, "jsonl", of(labels)), eval_rows=20)
    # a fifth of 100 rows is rare, and so are 4 of the 20
    assert Counter(tuple(row["label"]) for row in rows.evaluation) == {(0, 1): 4, (1,): 16}


@pytest.mark.parametrize("kind", [SINGLE, SEVERAL, NUMBER, TOKENS, WRITING])
def test_any_labels_can_be_held_out(kind: str) -> None:
    labels: dict[str, Any] = {SINGLE: 1, SEVERAL: [], NUMBER: 0.5, TOKENS: [0, 1], WRITING: "text"}
    rows = Rows([{"text": str(number), "label": labels[kind]} for number in range(50)])
    split = rows.held_out(10, seed=1)
    assert (len(split.train), len(split.evaluation)) == (40, 10)
    assert split == rows.held_out(10, seed=1)


# ---- tags ----

WORDS, TAGS = ["Ada", "lives", "in", "Çorum"], ["B-PER", "O", "O", "B-LOC"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_words_and_tags_come_from_every_format(kind: str, tmp_path: Path) -> None:
    table = [{"words": WORDS, "tags": TAGS}, {"words": ["it", "rains"], "tags": ["O", "O"]}]
    rows = loaded(written(tmp_path, kind, table), TOKENS, text="words", label="tags", eval_rows=1)
    assert rows.labels == ("B-LOC", "B-PER", "O")
    [row] = [row for row in [*rows.train, *rows.evaluation] if len(row["words"]) == 4]
    assert row == {"text": "Ada lives in Çorum", "words": WORDS, "label": [1, 2, 2, 0]}


def test_tags_may_be_numbers(tmp_path: Path) -> None:
    table = [{"text": ["a", "b c"], "label": [10, 2]}, {"text": "d e", "label": "2 10"}, {"text": ["f"], "label": 2}]
    rows = loaded(written(tmp_path, "jsonl", table), TOKENS)
    assert rows.labels == ("2", "10")
    assert by_text(rows) == {"a b c": [1, 0], "d e": [0, 1], "f": [0]}


# ---- texts to write ----


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("column", ["label", "target"])
def test_the_text_to_write_is_the_label_or_the_target(kind: str, column: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind, [{"text": "1+1=", column: "2"}, {"text": "2+2=", column: "four"}])
    rows = loaded(path, WRITING)
    assert by_text(rows) == {"1+1=": "2", "2+2=": "four"}
    assert (rows.labels, rows.problem_type) == (None, None)
    assert sorted(loaded(path, WRITING).texts + [t for r in rows.evaluation for t in r.values()]) == [
        "1+1=", "2", "2+2=", "four",
    ]  # fmt: skip


def test_a_number_can_be_written_as_well(tmp_path: Path) -> None:
    path = written(tmp_path, "jsonl", [{"text": "one", "target": 1}, {"text": "two", "target": 2}])
    assert by_text(loaded(path, WRITING)) == {"one": "1", "two": "2"}


# ---- what is wrong ----

BAD: list[tuple[str, list[Any], dict[str, Any], str, str]] = [
    (CLASSIFICATION, [1.5, "high"], {}, "data.not-a-number", "no number but “high” at line 2"),
    (CLASSIFICATION, [1.5, float("nan")], {"problem_type": NUMBER}, "data.not-a-number", "“nan” at line 2"),
    (CLASSIFICATION, [1.5, float("inf")], {}, "data.not-a-number", "“inf” at line 2"),
    (CLASSIFICATION, ["1.5", "-inf"], {"problem_type": NUMBER}, "data.not-a-number", "“-inf” at line 2"),
    (CLASSIFICATION, [1.5, True], {}, "data.not-a-number", "“True” at line 2"),
    (CLASSIFICATION, [1.5, None], {}, "data.no-label", "no label at line 2"),
    (CLASSIFICATION, [1, [2]], {"problem_type": SINGLE}, "data.not-a-class", "no class but a list at line 2"),
    (CLASSIFICATION, [["a"], None], {}, "data.no-label", "no label at line 2"),
    (CLASSIFICATION, [["a"], ["b", None]], {}, "data.no-label", "no label at line 2"),
    (CLASSIFICATION, [["a"], [["b"]]], {}, "data.not-a-class", "no class but a list at line 2"),
    (CLASSIFICATION, [[], []], {}, "data.no-classes", "No row of rows.jsonl names a class"),
    (TOKENS, ["O O", "O"], {}, "data.tags", "2 words but 1 tags at line 2. Write one tag a word"),
    (TOKENS, [["O", "X"], ["O", "X", "X"]], {}, "data.tags", "2 words but 3 tags at line 2"),
    (TOKENS, ["O X", None], {}, "data.no-label", "no label at line 2"),
    (TOKENS, [["O", "X"], ["O", None]], {}, "data.no-label", "no label at line 2"),
    (TOKENS, ["O O", "O O"], {}, "data.one-class", "of one class, “O”"),
    (WRITING, ["a", ""], {}, "data.no-label", "no label at line 2"),
    (WRITING, ["a", ["b"]], {}, "data.not-text", "no text but a list at line 2. Set data.label to a column of text"),
]


@pytest.mark.parametrize(("task", "labels", "config", "code", "words"), BAD)
def test_a_label_that_can_not_be_used_is_named_with_its_place(
    task: str, labels: list[Any], config: dict[str, Any], code: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as error:
        loaded(written(tmp_path, "jsonl", of(labels)), task, **config)
    assert (error.value.code, error.value.field) == (code, "data.label")
    assert words in error.value.line


@pytest.mark.parametrize("task", [TOKENS, WRITING])
def test_a_column_that_is_not_there_is_named_before_anything_is_read(task: str, tmp_path: Path) -> None:
    path = written(tmp_path, "csv", [{"text": "a", "tag": "b"}])
    with pytest.raises(ConfigError, match=r"no column “label” in rows\.csv; it has: text, tag") as error:
        check(DataConfig(path=str(path)), task)
    assert error.value.field == "data.label"
    check(DataConfig(path=str(path)), "fill-mask")


@pytest.mark.parametrize(
    ("config", "task", "code", "words"),
    [
        ({"name": "sums"}, "fill-mask", "data.problem-task", "for text-classification, and the task is fill-mask"),
        ({"name": "sentiment"}, CLASSIFICATION, "data.wrong-problem", f"Set data.problem_type to {SINGLE}"),
        ({"name": "reviews", "label": "topics"}, CLASSIFICATION, "data.wrong-problem", f"to {SEVERAL}"),
    ],
)
def test_a_problem_that_the_data_can_not_train_is_refused(
    config: dict[str, Any], task: str, code: str, words: str
) -> None:
    with pytest.raises(ConfigError) as error:
        check(DataConfig(problem_type=NUMBER, **config), task)
    assert (error.value.code, error.value.field) == (code, "data.problem_type")
    assert words in error.value.line


def test_a_misspelt_problem_type_names_the_three() -> None:
    with pytest.raises(ConfigError, match=f"Choose one of: {SINGLE}, {SEVERAL}, {NUMBER}") as error:
        RunConfig.from_yaml(
            "model: tiny-bert\ntask: text-classification\ndata: {name: reviews, problem_type: regresion}\n"
        )
    assert error.value.field == "data.problem_type"


# ---- built in, and from the Hub ----


def test_the_reviews_give_topics_or_a_score(tmp_path: Path) -> None:
    def reviews(**config: Any) -> Rows:
        return load(DataConfig(name="reviews", **config), CLASSIFICATION, seed=1, cache=tmp_path)

    topics, score = reviews(), reviews(label="score")
    assert (topics.problem_type, topics.labels) == (SEVERAL, ("food", "location", "price", "room", "staff"))
    assert (score.problem_type, score.labels) == (NUMBER, None)
    assert score == reviews(problem_type=NUMBER)
    assert [row["text"] for row in topics.train] == [row["text"] for row in score.train]
    assert all(1 <= len(row["label"]) <= 5 for row in topics.train)
    scores = [row["label"] for row in score.train]
    assert all(1 <= each <= 5 and round(each, 1) == each for each in scores)
    assert len(set(scores)) > 15


def test_every_text_can_be_masked_and_written(tmp_path: Path) -> None:
    for name, data in BUILT_IN.items():
        assert {"fill-mask", "text-generation"} <= set(data.tasks)
        assert set(load(DataConfig(name=name), "fill-mask", seed=1, cache=tmp_path).train[0]) == {"text"}


def test_tags_and_lists_of_classes_come_from_the_hub_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    tag = library.ClassLabel(names=["O", "B-PER"])
    rows = library.Dataset.from_dict(
        {
            "tokens": [["Ada", f"ran {n}"] for n in range(12)],
            "ner_tags": [[1, 0]] * 12,
            "summary": [f"run {n}" for n in range(12)],
        },
        features=library.Features(
            {
                "tokens": library.List(library.Value("string")),
                "ner_tags": library.List(tag),
                "summary": library.Value("string"),
            }
        ),
    )
    rows.to_parquet(str(folder / "train.parquet"))
    with fake_hub(monkeypatch, data={"ann/names": folder}):
        found = load(
            DataConfig(hub="ann/names", text="tokens", label="ner_tags"), TOKENS, seed=1, cache=tmp_path / "cache"
        )
    assert found.labels == ("B-PER", "O")
    assert all(row["label"] == [0, 1] and row["words"][0] == "Ada" for row in found.train)
    assert len(found.evaluation) == 1
