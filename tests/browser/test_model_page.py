"""The model's card and the memory savers in the form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from engine import MODELS
from tests.browser.conftest import OpenPage, Studio, serving
from tests.browser.person import choose, open_fold

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def hub_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hub")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, hub_cache: Path) -> Iterator[Studio]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_CACHE", str(hub_cache))
        with serving(tmp_path_factory.mktemp("home")) as started:
            yield started


def download(hub_cache: Path, name: str, kind: str) -> None:
    """Leaves in the cache what a download of a model leaves there first."""
    place = hub_cache / f"models--{name.replace('/', '--')}"
    snapshot = place / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text(json.dumps({"model_type": kind}))
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("0" * 40)


def listed(page: Page) -> list[str]:
    """The models beyond those that are built in, in the open list."""
    shown = [text.split()[-1] for text in page.locator("#model [role=option]").all_inner_texts()]
    assert shown[: len(MODELS)] == list(MODELS)
    return shown[len(MODELS) :]


def test_the_list_of_models_has_those_of_the_cache_that_serve_the_task_as_it_is_opened(
    open_page: OpenPage, hub_cache: Path
) -> None:
    page = open_page()
    page.click("#model input")
    assert listed(page) == []
    page.keyboard.press("Escape")
    page.locator("#model input").blur()

    download(hub_cache, "ann/writer", "llama")
    download(hub_cache, "bob/reader", "bert")
    download(hub_cache, "eve/translator", "marian")
    page.click("#model input")
    page.wait_for_selector("#model [role=option] >> text=ann/writer")
    assert listed(page) == ["ann/writer", "bob/reader"]
    assert page.input_value("#model input") == "minilm"
    page.locator("#model input").blur()

    choose(page, "task", "text2text-generation")
    page.wait_for_function("() => document.querySelector('#fit').innerText.includes('Model is now tiny-t5')")
    page.wait_for_timeout(500)
    page.click("#model input")
    page.click("#model [role=option] >> text=eve/translator")
    page.click("#yaml-fold > button")
    page.wait_for_function("() => document.querySelector('#yaml textarea')?.value.includes('model: eve/translator')")


def test_the_card_of_a_model_follows_the_choice_and_moves_nothing(open_page: OpenPage) -> None:
    page = open_page()
    page.wait_for_function("() => document.querySelector('#model-card').innerText.includes('22.7 M parameters')")
    assert "new head for this task" in page.inner_text("#model-card")
    start = page.evaluate("document.querySelector('#start').getBoundingClientRect().top")
    choose(page, "model", "tiny-bert")
    page.wait_for_function("() => document.querySelector('#model-card').innerText.includes('random weights')")
    assert page.evaluate("document.querySelector('#start').getBoundingClientRect().top") == start


def test_the_savers_write_the_yaml_and_are_read_from_it(open_page: OpenPage) -> None:
    page = open_page()
    page.click("#savers > button")
    page.click("#yaml-fold > button")
    page.wait_for_selector("#yaml textarea")
    assert not page.is_visible("#adapters")
    page.check("#lora input")
    page.check("#checkpointing input")
    says = "text => document.querySelector('#yaml textarea').value.includes(text)"
    page.wait_for_function(says, arg="lora:\n  r: 8\n  alpha: 16")
    page.wait_for_function(says, arg="activation_checkpointing: true")
    page.fill("#lora-r input", "3")
    page.wait_for_function(says, arg="r: 3")
    text = page.input_value("#yaml textarea").partition("lora:")[0] + "freeze: encoder\n"
    page.fill("#yaml textarea", text)
    page.wait_for_function("() => !document.querySelector('#lora input').checked")
    page.wait_for_function("() => document.querySelector('#freeze input').value.includes('encoder')")


def test_what_happens_during_a_run_writes_the_yaml_and_is_read_from_it(open_page: OpenPage) -> None:
    page = open_page()
    open_fold(page, "during")
    page.click("#yaml-fold > button")
    page.wait_for_selector("#yaml textarea")
    says = "text => document.querySelector('#yaml textarea').value.includes(text)"
    page.fill("#patience input", "2")
    page.wait_for_function(says, arg="early_stopping:\n  patience: 2")
    page.fill("#prompts textarea", "Once upon\na time")
    page.locator("#prompts textarea").blur()
    page.wait_for_function(says, arg="prompts:\n  - Once upon\n  - a time")
    page.uncheck("#sampling input")
    page.wait_for_function("() => !document.querySelector('#yaml textarea').value.includes('samples:')")
    assert not page.is_visible("#sampled")
    text = page.input_value("#yaml textarea").replace("patience: 2", "patience: 5")
    page.fill("#yaml textarea", text + "samples:\n  every: 7\n  prompts: [Hello]\n")
    page.wait_for_function("() => document.querySelector('#patience input').value === '5'")
    page.wait_for_function("() => document.querySelector('#sample-every input')?.value === '7'")
    assert page.input_value("#prompts textarea") == "Hello"


def test_a_fold_opened_late_freezes_nothing(open_page: OpenPage) -> None:
    page = open_page()
    page.click("#optimizer > button")
    page.fill("#length input", "7")
    page.keyboard.press("Tab")
    page.click("#yaml-fold > button")
    says = "text => document.querySelector('#yaml textarea')?.value.includes(text)"
    page.wait_for_function(says, arg="max_steps: 7")
    page.click("#savers > button")
    page.wait_for_function("() => document.querySelector('#freeze input')?.value === 'nothing'")
    page.check("#lora input")
    page.wait_for_function(says, arg="lora:")
    assert "freeze" not in page.input_value("#yaml textarea")
