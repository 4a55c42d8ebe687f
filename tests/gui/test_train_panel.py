"""Which config the page would start, by where its user wrote last."""

from __future__ import annotations

from typing import Any

import pytest

from engine import ConfigError, RunConfig
from gui import form
from gui.written import config_of

DEFAULT = RunConfig.default()
TEXT = DEFAULT.to_yaml()


def values(**changed: Any) -> tuple[Any, ...]:
    """The form's values, as the default config shows but for `changed`."""
    return tuple({**form.show(DEFAULT), **{name.replace("_", "-"): value for name, value in changed.items()}}.values())


def test_the_form_written_last_counts_over_the_text() -> None:
    assert config_of("form", {"text": TEXT}, values(micro_batch=2)).micro_batch == 2


def test_the_text_written_last_counts_whatever_the_form_still_shows() -> None:
    text = TEXT.replace("per_device_train_batch_size: 8", "per_device_train_batch_size: 3")
    assert config_of("yaml", {"text": text}, values(micro_batch=2)).micro_batch == 3


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
