"""Data from the Hub, a Hub of our own: fetched once, then read without a network; without one the word comes soon."""

import socket
from pathlib import Path
from typing import Any

import pytest

from engine import hub
from engine.config import DataConfig
from engine.datasets import load
from engine.errors import ConfigError
from tests.engine.fake_hub import fake_hub, point_at

CLASSIFICATION = "text-classification"
COLUMNS = {"text": "review", "label": "stars"}


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    folder = tmp_path / "reviews"
    folder.mkdir()
    (folder / "train.csv").write_text("review,stars\n" + "".join(f"row {n},{n % 3}\n" for n in range(40)))
    return folder


def test_data_is_fetched_once_and_then_read_from_the_cache(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    config = DataConfig(hub="ann/once", **COLUMNS)
    with fake_hub(monkeypatch, data={"ann/once": reviews}) as asked:
        first = load(config, CLASSIFICATION, seed=1, cache=tmp_path / "cache")
        assert any(line.endswith("train.csv") for line in asked)
        asked.clear()
        again = load(config, CLASSIFICATION, seed=1, cache=tmp_path / "cache")
        assert asked == []
    assert first == again
    assert (len(first.train), len(first.evaluation), first.labels) == (36, 4, ("0", "1", "2"))
    assert (tmp_path / "cache" / "datasets").is_dir()
    # Nothing on the terminal of whoever opened the page.
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("config", "code", "field", "words"),
    [
        ({"hub": "ann/none"}, "data.unknown", "data.hub", "no data “ann/none”"),
        ({"hub": "ann/data", "split": "tset"}, "data.hub-split", "data.split", "['train']"),
        ({"hub": "ann/data", "config": "xx"}, "data.hub-config", "data.config", "['default']"),
        ({"hub": "ann/data", "text": "revew"}, "data.no-column", "data.text", "it has: review, stars"),
    ],
)
def test_what_the_hub_has_not_is_named(
    config: dict[str, Any], code: str, field: str, words: str,
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with fake_hub(monkeypatch, data={"ann/data": reviews}), pytest.raises(ConfigError) as error:
        load(DataConfig(**{**COLUMNS, **config}), CLASSIFICATION, seed=1, cache=tmp_path / "cache")
    assert (error.value.code, error.value.field) == (code, field)
    assert words in error.value.line


def test_classes_that_the_data_names_come_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    folder = tmp_path / "moods"
    folder.mkdir()
    rows = datasets.Dataset.from_dict(
        {"text": [f"row {n}" for n in range(12)], "label": [n % 2 for n in range(12)]},
        features=datasets.Features(
            {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["sad", "glad"])}
        ),
    )
    rows.to_parquet(str(folder / "train.parquet"))
    with fake_hub(monkeypatch, data={"ann/moods": folder}):
        found = load(DataConfig(hub="ann/moods"), CLASSIFICATION, seed=1, cache=tmp_path / "cache")
    assert found.labels == ("glad", "sad")
    # Even rows were class 0, "sad", which sorts second.
    assert all(row["label"] == 1 - int(row["text"][4:]) % 2 for row in found.train)


def test_offline_means_that_nobody_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="HF_HUB_OFFLINE forbids fetching it") as error:
        load(DataConfig(hub="ann/reviews"), CLASSIFICATION, seed=1, cache=tmp_path)
    assert (error.value.code, error.value.field) == ("data.offline", "data.hub")


def test_a_hub_that_does_not_answer_is_given_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        point_at(monkeypatch, f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr(hub, "PATIENCE", 0.2)
        with pytest.raises(ConfigError, match="the Hub can't be reached") as error:
            load(DataConfig(hub="ann/reviews"), CLASSIFICATION, seed=1, cache=tmp_path)
    assert (error.value.code, error.value.field) == ("data.unreachable", "data.hub")


@pytest.mark.parametrize("name", ["a/b/c", "../x", "a b", "-x", "x..y", "x--y", "", "https://hub/x", "a/b?x", "ä/b"])
def test_what_can_be_no_id_is_told_apart(name: str) -> None:
    assert not hub.is_id(name)


@pytest.mark.parametrize("name", ["gpt2", "owner/name", "Owner-1/Model_v2.5-7B"])
def test_what_can_be_an_id_is_one(name: str) -> None:
    assert hub.is_id(name)
