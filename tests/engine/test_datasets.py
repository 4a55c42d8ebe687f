"""The data that Birikim brings: deterministic, split, balanced, and never more imports than reading asks for."""

import ast
import gc
import hashlib
import json
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine import datasets
from engine.config import DataConfig
from engine.datasets import BUILT_IN, check, load, stdlib_docstrings, training_rows
from engine.datasets.stdlib_docstrings import PACKAGES
from engine.errors import ConfigError

GENERATION, CLASSIFICATION = "text-generation", "text-classification"


def texts(rows: Any) -> list[str]:
    return [row["text"] for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_data_follows_from_the_seed(name: str) -> None:
    data = BUILT_IN[name]
    assert data.rows(1) == data.rows(1)
    assert data.load(1) == data.load(1)
    assert texts(data.load(1).train) != texts(data.load(2).train)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_data_holds_out_200_rows_that_are_not_trained_on(name: str) -> None:
    rows = BUILT_IN[name].load(42)
    assert len(rows.evaluation) == 200
    assert len(rows.train) > 1000
    every = texts([*rows.train, *rows.evaluation])
    assert len(set(every)) == len(every)
    assert all(text == text.strip() and text for text in every)


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_rows_are_the_same_in_another_process(name: str) -> None:
    script = (
        "import hashlib, json; from engine.datasets import BUILT_IN; "
        f"print(hashlib.sha256(json.dumps(BUILT_IN[{name!r}].load(42).train).encode()).hexdigest())"
    )
    there = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert there.strip() == hashlib.sha256(json.dumps(BUILT_IN[name].load(42).train).encode()).hexdigest()


def test_rows_carry_labels_only_where_the_task_asks_for_them(tmp_path: Path) -> None:
    config = DataConfig(name="sentiment")
    labelled = load(config, CLASSIFICATION, seed=1, cache=tmp_path)
    plain = load(config, GENERATION, seed=1, cache=tmp_path)
    assert labelled.labels == ("negative", "positive")
    assert set(labelled.train[0]) == {"text", "label"}
    assert plain.labels is None
    assert plain.train == [{"text": text} for text in texts(labelled.train)]


def test_the_number_of_rows_held_out_can_be_set(tmp_path: Path) -> None:
    every = load(DataConfig(name="sums"), GENERATION, seed=1, cache=tmp_path)
    few = load(DataConfig(name="sums", eval_rows=7), GENERATION, seed=1, cache=tmp_path)
    assert len(few.evaluation) == 7
    assert len(few.train) == len(every.train) + 200 - 7


def test_docstrings_come_from_eight_packages_none_of_them_too_frequent() -> None:
    rows = BUILT_IN["stdlib-docstrings"].load(42)
    assert rows.labels == PACKAGES
    counts = Counter(row["label"] for row in rows.train)
    assert set(counts) == set(range(8))
    assert max(counts.values()) < 0.2 * len(rows.train)
    assert min(counts.values()) > 0.05 * len(rows.train)


def test_docstrings_are_those_that_the_syntax_tree_holds() -> None:
    source = '''
"""Of the module."""
limit = "no docstring"
class Shelf:
    """Of the class,

    on two lines.
    """
    def put(self, book):
        "Of the method."
        def check(): "Of the inner one."; return book, self
        return [f"not {each}" for each in "this"], lambda: "nor this", check
    class Plain: size = 3
async def fetch(): """Of the coroutine."""
def bare(): return "text"
'''
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    held = [ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    found = list(stdlib_docstrings.docstrings_of(source.encode()))
    assert len(found) == 5
    assert sorted(found) == sorted(filter(None, held))


@pytest.mark.slow
def test_docstrings_can_be_read_in_many_threads_at_once() -> None:
    # a collection that runs Python code lets threads change places in the middle of a parse
    def change_places(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(change_places)
    try:
        with ThreadPoolExecutor(4) as pool:
            first, *others = pool.map(lambda _: stdlib_docstrings.docstrings.__wrapped__(), range(4))
    finally:
        gc.callbacks.remove(change_places)
    assert all(other == first for other in others)


def test_docstrings_do_not_name_their_package_as_a_prefix() -> None:
    rows = BUILT_IN["stdlib-docstrings"].load(42)
    assert not [row["text"] for row in rows.train if re.search(rf"\b{PACKAGES[row['label']]}\.\w", row["text"])]


def test_reading_docstrings_imports_none_of_the_modules_and_no_torch() -> None:
    script = (
        "import sys; from engine.config import DataConfig; from engine import datasets; "
        "print(datasets.training_rows(DataConfig(name='stdlib-docstrings'), 'text-classification', seed=1)); "
        "print([name for name in ('torch', 'transformers', 'datasets', 'xml.dom.minidom', 'unittest.mock') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    count, imported = done.stdout.splitlines()
    assert int(count) > 1000
    assert imported == "[]"


def test_paragraphs_are_uneven() -> None:
    lengths = sorted(len(text.split()) for text in texts(BUILT_IN["python-docs"].load(42).train))
    assert lengths[0] >= 3
    assert lengths[len(lengths) * 9 // 10] > 5 * lengths[len(lengths) // 4]


def test_every_sum_is_right() -> None:
    for text in texts(BUILT_IN["sums"].load(3).train):
        left, _, right = text.partition(" = ")
        assert eval(left.replace("×", "*")) == int(right)


def test_training_rows_counts_what_load_gives(tmp_path: Path) -> None:
    for name in BUILT_IN:
        config = DataConfig(name=name, eval_rows=50)
        assert training_rows(config, GENERATION, seed=1) == len(load(config, GENERATION, seed=1, cache=tmp_path).train)


def test_training_rows_of_a_file_follow_the_file(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    config = DataConfig(path=str(file))
    file.write_text("one\ntwo\nthree\n")
    assert training_rows(config, GENERATION, seed=1) == 3
    file.write_text("one\ntwo\nthree\nfour\nfive\n")
    assert training_rows(config, GENERATION, seed=1) == 5
    file.unlink()
    with pytest.raises(ConfigError):
        training_rows(config, GENERATION, seed=1)


def test_training_rows_are_not_counted_where_that_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("one\ntwo\nthree\n")
    monkeypatch.setattr(datasets, "QUICK_BYTES", 5)
    assert training_rows(DataConfig(path=str(file)), GENERATION, seed=1) is None
    assert training_rows(DataConfig(hub="ann/reviews"), GENERATION, seed=1) is None


@pytest.mark.parametrize(
    ("config", "task", "code", "field", "words"),
    [
        ({"name": "sentimant"}, CLASSIFICATION, "data.unknown-name", "data.name", "Did you mean sentiment?"),
        ({"name": "python-docs"}, CLASSIFICATION, "data.wrong-task", "task", "Choose stdlib-docstrings or sentiment"),
        ({"name": "sums", "label": "x"}, GENERATION, "data.no-column", "data.label", "it has: text"),
        ({"name": "sums", "text": "txt"}, GENERATION, "data.no-column", "data.text", "no column “txt” in sums"),
        ({"name": "sums"}, "text-generatio", "task.unknown", "task", "Did you mean text-generation?"),
        ({"hub": "no good id"}, GENERATION, "data.not-an-id", "data.hub", "owner/name"),
    ],
)
def test_wrong_data_is_named_before_anything_is_loaded(
    config: dict[str, Any], task: str, code: str, field: str, words: str
) -> None:
    with pytest.raises(ConfigError) as error:
        check(DataConfig(**config), task)
    assert (error.value.code, error.value.field) == (code, field)
    assert words in error.value.line


def test_holding_out_every_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"4200 rows can't be held out of 4200") as error:
        load(DataConfig(name="sums", eval_rows=4200), GENERATION, seed=1, cache=tmp_path)
    assert error.value.field == "data.eval_rows"


def test_a_python_without_its_library_sources_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdlib_docstrings.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(ConfigError) as error:
        stdlib_docstrings.docstrings.__wrapped__()
    assert error.value.code == "data.no-standard-library"
