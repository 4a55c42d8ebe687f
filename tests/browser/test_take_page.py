"""What is taken away from a run in the page, in a real browser; and the report, opened without a network."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import safetensors.torch
import torch
from playwright.sync_api import BrowserContext, Page, Playwright

from engine import RunConfig, Store, take_away
from tests.browser import chromium
from tests.browser.conftest import FLAGS, OpenPage, Studio, serving
from tests.browser.person import set_up, start, wait_for_state

pytestmark = pytest.mark.browser


def a_run(page: Page, updates: int = 3) -> int:
    """Trains the smallest of runs to its end."""
    set_up(page, model="tiny-llama", data="sums", updates=updates)
    run = start(page)
    page.wait_for_function(f"() => document.querySelector('#status')?.innerText.includes('{run}')")
    wait_for_state(page, "finished", seconds=180)
    return run


def taken(page: Page, way: str, folder: Path, seconds: float = 180) -> Path:
    """What a press of the button downloads."""
    with page.expect_download(timeout=seconds * 1000) as coming:
        page.click(f"#take-{way}")
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


@pytest.mark.slow
def test_a_run_is_taken_away_in_every_way_and_its_script_makes_its_losses(
    open_page: OpenPage, studio: Studio, tmp_path: Path
) -> None:
    page = open_page()
    assert not page.is_visible("#take-model")
    run = a_run(page)
    page.wait_for_selector("#take-model", state="visible")
    losses = [update["loss"] for update in updates(studio.home, run)]

    with zipfile.ZipFile(taken(page, "model", tmp_path)) as archive:
        assert {f"run-{run}/README.md", f"run-{run}/model.safetensors", f"run-{run}/tokenizer.json"} <= set(
            archive.namelist()
        )
        weights = safetensors.torch.load(archive.read(f"run-{run}/model.safetensors"))
    store = Store(studio.home)
    try:
        trained = safetensors.torch.load_file(store.home / "runs" / str(run) / "model" / "model.safetensors")
        assert RunConfig.load(taken(page, "yaml", tmp_path)) == RunConfig.from_dict(store.run(run).config)
    finally:
        store.close()
    assert weights.keys() == trained.keys() and all(torch.equal(weights[name], trained[name]) for name in trained)
    with taken(page, "csv", tmp_path).open(newline="") as table:
        assert [float(row["loss"]) for row in csv.DictReader(table)] == pytest.approx(losses)
    assert taken(page, "parquet", tmp_path).read_bytes()[:4] == b"PAR1"
    assert "<svg" in taken(page, "report", tmp_path).read_text()
    assert page.inner_text("#take-accelerate").startswith("accelerate launch ")

    with zipfile.ZipFile(taken(page, "script", tmp_path)) as archive:
        archive.extractall(tmp_path)
    script = tmp_path / f"run-{run}-script" / "train.py"
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    assert [line["loss"] for line in lines[:-1]] == pytest.approx(losses, rel=1e-6), told.stderr


def test_without_the_password_no_file_is_handed_out(open_page: OpenPage, tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("ada:lovelace\n")
    home = tmp_path / "home"
    with serving(home, "--auth-file", str(users)) as started:
        store = Store(home)
        try:
            run = store.create_run({"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}})
        finally:
            store.close()
        page = open_page(url=started.url, ready="input")
        status = "place => fetch(place).then((answer) => answer.status)"
        assert page.evaluate(status, f"/birikim-take/{run}/yaml") == 401
        open_page.errors.clear()  # type: ignore[attr-defined]


@pytest.fixture
def whole_run(studio: Studio, open_page: OpenPage) -> int:
    runs = stored(studio.home)
    return runs or a_run(open_page())


@pytest.mark.parametrize("language", ["en", "tr"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_report_opens_without_a_network_wide_and_narrow(
    whole_run: int, studio: Studio, playwright: Playwright, tmp_path: Path, language: str, theme: str
) -> None:
    store = Store(studio.home)
    try:
        path = take_away(store, whole_run, "html", tmp_path / "report.html", language=language)  # type: ignore[arg-type]
    finally:
        store.close()
    browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
    try:
        for width in (1400, 390):
            look = {"viewport": {"width": width, "height": 900}, "color_scheme": theme, "offline": True}
            _check_report(browser.new_context(**look), path.as_uri(), width)  # type: ignore[arg-type]
    finally:
        browser.close()


def _check_report(context: BrowserContext, address: str, width: int) -> None:
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    assert page.locator("svg").count() >= 5
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert asked == [address]
    assert errors == []
    context.close()


def updates(home: Path, run: int) -> list[dict[str, float]]:
    store = Store(home)
    try:
        return store.updates(run)
    finally:
        store.close()


def stored(home: Path) -> int | None:
    store = Store(home)
    try:
        return next((run.id for run in store.runs() if run.state == "finished"), None)
    finally:
        store.close()
