"""The page's own arithmetic: smoothing, numbers in words, and choices that fit each other."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from engine import DATASETS, MODELS, TASKS
from gui.serving import AT
from tests.browser.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def call(page: Page, script: str, function: str, *arguments: Any) -> Any:
    """The result of `function`, an export of `assets/script.js`."""
    return page.evaluate(
        "async ([file, name, given]) => (await import(new URL(file, document.baseURI)))[name](...given)",
        [f"{AT}/{script}.js", function, list(arguments)],
    )


def test_smoothing_is_debiased_counts_distance_and_keeps_gaps(open_page: OpenPage) -> None:
    # A running average with span 3 keeps half of what it had at each update. From 4, 0 one update later:
    # debiased, (0.5 · 0.5 · 4 + 0.5 · 0) / (0.5 · 0.5 + 0.5) = 4/3; a gap stays a gap, and its time passes:
    # then 1 two updates later: (0.25 · 1 + 0.75 · 1) / (0.25 · 0.75 + 0.75) = 1/0.9375.
    smooth = call(open_page(), "series", "smoothed", [4, 0, None, 1], [1, 2, 3, 4], 3)
    assert smooth[:3] == [4, pytest.approx(4 / 3), None]
    assert smooth[3] == pytest.approx(1 / 0.9375)


def test_numbers_times_and_counts_are_said_as_they_are_meant(open_page: OpenPage) -> None:
    page = open_page()
    words: list[tuple[str, tuple[Any, ...], str]] = [
        ("number", (1.23456,), "1.235"),
        ("number", (0.0001,), "1.00e-4"),
        ("number", (0,), "0.000"),
        ("number", (12345,), "12,345"),
        ("number", (None,), "–"),
        ("duration", (59.6,), "1 min 0 s"),
        ("duration", (5,), "5 s"),
        ("duration", (3725,), "1 h 2 min"),
        ("duration", (90000,), "1 d 1 h"),
        ("bytes", (3 * 2**30,), "3.00 GiB"),
        ("bytes", (5 * 2**20,), "5.00 MiB"),
        ("sayCount", ("arithmetic.epoch", 1), "1 update an epoch"),
        ("sayCount", ("arithmetic.epoch", 1200), "1,200 updates an epoch"),
        ("say", ("<b>{x}</b>",), "<b>{x}</b>"),
    ]
    for function, arguments, expected in words:
        assert call(page, "words", function, *arguments) == expected, (function, arguments)


def test_a_fault_names_the_fields_of_the_page_in_what_is_wrong_and_in_what_to_do(open_page: OpenPage) -> None:
    page = open_page()

    def told(code: str, field: str | None, message: str, remedy: str, **values: Any) -> tuple[str, str]:
        fault = {"code": code, "field": field, "message": message, "remedy": remedy, "values": values}
        said = call(page, "words", "told", fault)
        return said["message"], said["remedy"]

    missing = "There is no column “data” in a.csv; it has: task, text."
    assert told("data.no-column", "data.text", missing, "Set data.text to it.") == (missing, "Set “Text column” to it.")
    assert told("model.too-long", "data.max_length", "data.max_length is 999.", "")[0] == "“Longest row” is 999."
    assert told("config.text", "model", "“model” must be text, not 3.", "")[0] == "“Model” must be text, not 3."
    assert told("run.no-targets", None, "", "Raise data.max_length.")[1] == "Raise “Longest row”."
    assert "path" in told("data.unknown-name", "data.name", "", "goes under data.path", suggestion="sums")[1]
    for field, values in (("training.learning_rat", {}), ("training.learning_rate", {"line": 3})):
        in_yaml = "Did you mean training.learning_rate?"
        assert told("config.unknown-key", field, "", in_yaml, **values)[1] == in_yaml


def test_what_was_chosen_stays_and_the_rest_comes_to_fit_it(open_page: OpenPage) -> None:
    page = open_page()
    for mover in ("model", "data", "task"):
        for model in MODELS:
            for data in DATASETS:
                for task in TASKS:
                    chosen = {"model": model, "data": data, "task": task}
                    *fit, said = call(page, "fit", "fitting", mover, model, data, task)
                    after = dict(zip(chosen, fit, strict=True))
                    assert after[mover] == chosen[mover]
                    assert after["task"] in MODELS[after["model"]].tasks
                    assert after["task"] in DATASETS[after["data"]].tasks
                    assert len(said["phrases"]) == sum(after[name] != chosen[name] for name in chosen)
    own = call(page, "fit", "fitting", "data", "my/model", "rows.csv", "text-classification")
    assert own == ["my/model", "rows.csv", "text-classification", {"phrases": []}]
