"""The model's card and the memory savers in the form."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.person import choose

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
