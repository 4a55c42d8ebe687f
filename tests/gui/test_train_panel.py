"""Which config the page opens with, and which it would start, by where its user wrote last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import ConfigError, ProofRequest, RunConfig
from gui import form
from gui.written import config_before, config_of, in_text, writing_of
from tests.engine.store_runs import open_store, running

DEFAULT = RunConfig.default()
TEXT = DEFAULT.to_yaml()


def values(**changed: Any) -> tuple[Any, ...]:
    """The form's values, as the default config shows but for `changed`."""
    return tuple({**form.show(DEFAULT), **{name.replace("_", "-"): value for name, value in changed.items()}}.values())


def test_the_form_written_last_counts_over_the_text() -> None:
    assert config_of("form", {"text": TEXT}, values(micro_batch=2)).micro_batch == 2


def test_the_text_written_last_counts_whatever_the_form_still_shows() -> None:
    text = TEXT.replace("per_device_train_batch_size: 8", "per_device_train_batch_size: 3")
    assert config_of("yaml 7", {"text": text}, values(micro_batch=2)).micro_batch == 3


def test_a_setting_that_only_the_text_holds_stays_when_the_form_is_written_in() -> None:
    config = config_of("form", {"text": TEXT + "  adam_beta2: 0.95\n"}, values(micro_batch=2))
    assert (config.micro_batch, config.training["adam_beta2"]) == (2, 0.95)


@pytest.mark.parametrize("wrote", ["form", "yaml"])
def test_an_emptied_text_says_nothing_and_the_form_all(wrote: str) -> None:
    assert config_of(wrote, {"text": " \n"}, values(micro_batch=2)).micro_batch == 2


@pytest.mark.parametrize("wrote", ["form", "yaml"])
def test_a_text_that_can_not_be_read_is_never_passed_over(wrote: str) -> None:
    with pytest.raises(ConfigError):
        config_of(wrote, {"text": "model: ["}, values())


@pytest.mark.parametrize(("said", "text", "number"), [("form 0", False, 0), ("yaml 12", True, 12), ("yaml", True, 0)])
def test_where_and_how_often_was_written_is_read_whatever_is_sent(said: str, text: bool, number: int) -> None:
    assert (in_text(said), writing_of(said)) == (text, number)


def test_a_page_opens_with_the_run_under_way_and_not_with_a_proof(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        assert config_before(store) == DEFAULT
        running(store, **{**DEFAULT.to_dict(), "model": "tiny-bert", "task": "text-classification"})
        store.create_run({**DEFAULT.to_dict(), "seed": 5}, kind="proof", request=ProofRequest().to_dict())
        assert config_before(store).model == "tiny-bert"


def test_a_page_opens_with_what_someone_set_up_and_not_with_a_lesson(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.create_run({**DEFAULT.to_dict(), "model": "tiny-bert"})
        store.create_run({**DEFAULT.to_dict(), "loss_normalization": "mean-of-means"}, name="lesson/scaling-trap/means")
        assert config_before(store).model == "tiny-bert"
    with open_store(tmp_path / "new") as store:
        store.create_run({**DEFAULT.to_dict(), "loss_normalization": "mean-of-means"}, name="lesson/scaling-trap/means")
        assert config_before(store) == DEFAULT


def test_settings_of_another_version_open_no_page(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        running(store, model="tiny-bert", of_another_version=True)
        assert config_before(store) == DEFAULT
