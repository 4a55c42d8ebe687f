"""A Hub data set that is read as a stream: never fetched whole, and trained on all the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from engine.config import DataConfig, RunConfig
from engine.datasets import StreamedRows, load
from engine.errors import ConfigError
from engine.trainer import prepare
from engine.trainer.progress import Progress
from tests.engine.fake_hub import fake_hub

GENERATION, CLASSIFICATION = "text-generation", "text-classification"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    folder = tmp_path / "set"
    folder.mkdir()
    for split, rows in {"train": 60, "validation": 8}.items():
        table = [{"text": f"{split} row {n}", "stars": n / 2} for n in range(rows)]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), folder / f"{split}.parquet")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with fake_hub(monkeypatch, data={"ann/set": folder}) as asked:
        yield asked


def streamed(task: str, tmp_path: Path, **config: Any) -> StreamedRows:
    rows = load(DataConfig(hub="ann/set", streaming=True, **config), task, seed=3, cache=tmp_path / "cache")
    assert isinstance(rows, StreamedRows)
    return rows


def test_the_first_rows_are_evaluated_on_and_the_others_come_shuffled_by_seed_and_pass(
    hub: list[str], tmp_path: Path
) -> None:
    rows = streamed(GENERATION, tmp_path, eval_rows=10)
    assert [row["text"] for row in rows.evaluation] == [f"train row {n}" for n in range(10)]
    first, again, second = ([row["text"] for row in rows.passed(epoch)] for epoch in (0, 0, 1))
    assert first == again != second
    assert sorted(first) == sorted(second) == sorted(f"train row {n}" for n in range(10, 60))
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
def test_a_split_of_its_own_is_evaluated_on(hub: list[str], tmp_path: Path) -> None:
    rows = streamed(GENERATION, tmp_path, eval_split="validation")
    assert [row["text"] for row in rows.evaluation] == [f"validation row {n}" for n in range(8)]
    assert len(list(rows.passed(0))) == 60


def test_numbers_are_labels_of_a_stream_and_unnamed_classes_are_not(hub: list[str], tmp_path: Path) -> None:
    rows = streamed(CLASSIFICATION, tmp_path, label="stars", eval_rows=4)
    assert rows.problem_type == "regression"
    assert [row["label"] for row in rows.evaluation] == [0.0, 0.5, 1.0, 1.5]
    with pytest.raises(ConfigError, match="does not name the classes of “text”") as caught:
        streamed(CLASSIFICATION, tmp_path, text="stars", label="text")
    assert caught.value.field == "data.streaming"


@pytest.mark.slow
def test_a_stream_is_trained_on_window_by_window(hub: list[str], tmp_path: Path) -> None:
    config = RunConfig.from_dict(
        {
            "model": "tiny-llama",
            "task": GENERATION,
            "data": {"hub": "ann/set", "streaming": True, "max_length": 16, "eval_split": "validation"},
            "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "max_steps": 9,
                         "eval_strategy": "no"},
        }
    )  # fmt: skip
    events: list[Any] = []
    prepared = prepare(
        config, cache=tmp_path / "cache", folder=tmp_path, run=1, emit=events.append, progress=Progress()
    )
    assert (prepared.plan.rows, prepared.plan.updates_total, len(prepared.evaluation)) == (72, 9, 8)
    assert "task.streamed" in [code for code, _ in prepared.notices]
    prepared.trainer.train()
    done = [event for event in events if type(event).__name__ == "UpdateDone"]
    # 60 rows are seven windows of 8 and one of 4; the ninth update begins the second pass
    assert [event.examples for event in done] == [8] * 7 + [4, 8]


@pytest.mark.slow
def test_two_workers_read_every_row_once(hub: list[str], tmp_path: Path) -> None:
    config = RunConfig.from_dict(
        {
            "model": "tiny-llama",
            "task": GENERATION,
            "data": {"hub": "ann/set", "streaming": True, "max_length": 16, "eval_split": "validation"},
            "training": {"max_steps": 9, "eval_strategy": "no", "dataloader_num_workers": 2},
        }
    )
    prepared = prepare(config, cache=tmp_path / "cache", folder=tmp_path, run=1, emit=print, progress=Progress())
    loader = prepared.trainer.get_train_dataloader()
    for epoch in (0, 1):
        windows = prepared.trainer._begin_pass(loader, epoch, 0, 0)
        met = [tuple(row) for window in windows for batch in window for row in batch["input_ids"].tolist()]
        assert len(met) == len(set(met)) == 60


def test_a_stream_needs_to_be_told_its_updates() -> None:
    values = {"model": "tiny-llama", "task": GENERATION, "data": {"hub": "ann/set", "streaming": True}}
    with pytest.raises(ConfigError, match="must say how many updates") as caught:
        RunConfig.from_dict(values)
    assert caught.value.field == "training.max_steps"


def test_only_the_hub_has_streams() -> None:
    values = {"model": "tiny-llama", "task": GENERATION, "data": {"path": "a.txt", "streaming": True}}
    with pytest.raises(ConfigError, match="Hub alone"):
        RunConfig.from_dict(values)


def test_a_split_of_the_hub_is_evaluated_on_without_a_stream_too(hub: list[str], tmp_path: Path) -> None:
    config = DataConfig(hub="ann/set", eval_split="validation")
    rows = load(config, GENERATION, seed=1, cache=tmp_path / "cache")
    assert (len(rows.train), len(rows.evaluation)) == (60, 8)


def test_a_large_set_of_the_hub_is_kept_on_the_disk(
    hub: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.datasets.hub_rows.LARGE", 10)
    rows = load(DataConfig(hub="ann/set", eval_rows=10), GENERATION, seed=1, cache=tmp_path / "cache")
    assert not isinstance(rows.train, list)
    found = sorted(row["text"] for row in [*rows.train, *rows.evaluation])
    assert found == sorted(f"train row {n}" for n in range(60))
