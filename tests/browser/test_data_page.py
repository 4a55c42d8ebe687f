"""Data of one's own on the page: uploaded, looked at, and trained on."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from engine import Store
from tests.browser.conftest import PHONE, WIDE, OpenPage, Studio
from tests.browser.person import choose, graph, open_fold, start, wait_for_state

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROWS = "review,stars\n" + "".join(
    f'"{"word " * (1 + n % 40)}<b>{n}</b>, çok",{"good" if n % 3 else "bad"}\n' for n in range(120)
)

ENDS = """() => {
  const input = document.querySelector('#data input'), arrow = document.querySelector('#data .icon-wrap');
  const { paddingRight, textOverflow } = getComputedStyle(input);
  return { text: input.getBoundingClientRect().right - parseFloat(paddingRight), overflow: textOverflow,
           arrow: arrow.getBoundingClientRect().left };
}"""


def upload(page: Page, name: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    page.set_input_files("#upload input[type=file]", {"name": name, "mimeType": "text/csv", "buffer": data})


def preview(page: Page) -> None:
    """Opens the fold where it is shut, and waits for what it shows."""
    if not page.locator("#preview").is_visible():
        page.click("#preview-fold > button")
    page.wait_for_selector("#preview .preview-rows table")


def named(page: Page) -> str:
    return str(page.input_value("#data input"))


def test_a_file_is_uploaded_looked_at_and_trained_on(open_page: OpenPage, studio: Studio) -> None:
    page = open_page()
    choose(page, "model", "tiny-bert")
    upload(page, "my reviews.csv", ROWS)
    page.wait_for_selector("#upload >> text=my-reviews.csv is here and named above.")
    place = studio.home / "uploads" / "my-reviews.csv"
    page.wait_for_function("path => document.querySelector('#data input').value === path", arg=str(place))
    # a long path ends before the arrow
    ends = page.evaluate(ENDS)
    assert ends["text"] <= ends["arrow"] and ends["overflow"] == "ellipsis"
    assert place.read_text() == ROWS
    assert not any((studio.home / "cache" / "arriving").iterdir())

    # the preview opens by itself; the columns are not named yet, and guessed
    page.wait_for_selector("#preview .preview-state >> text=There is no column “text”")
    cells = page.eval_on_selector_all(
        "#preview .preview-rows tbody tr:first-child td", "all => all.map((td) => td.textContent)"
    )
    assert cells == ["word <b>0</b>, çok", "bad"]
    assert page.locator("#preview b").count() == 0
    taken = page.eval_on_selector_all("#preview .preview-columns tr.taken", "all => all.map((tr) => tr.innerText)")
    assert ["review" in line or "stars" in line for line in taken] == [True, True]
    # offered where the fault is said, within the first screen, and Start stays where it is
    offer = page.locator("#offers button >> text=Use review · stars")
    box = offer.bounding_box()
    start_at = page.evaluate("document.querySelector('#start').getBoundingClientRect().top")
    assert box and box["y"] + box["height"] < start_at < WIDE["height"]
    offer.click()
    page.wait_for_function("() => document.querySelector('#text textarea').value === 'review'")
    assert page.input_value("#label textarea") == "stars"
    page.wait_for_selector("#arithmetic >> text=108 rows do not divide by 32.")
    assert page.locator("#offers button").count() == 0
    assert page.evaluate("document.querySelector('#start').getBoundingClientRect().top") == start_at

    page.wait_for_selector("#preview >> text=108 rows to train on, 12 to evaluate on.")
    page.wait_for_function("() => document.querySelector('#chart-lengths .js-plotly-plot')?.data?.[0]?.y?.length > 0")
    assert graph(page, "lengths", "g.data[0].y.reduce((a, b) => a + b)") == 108
    assert graph(page, "lengths", "[g.layout.shapes[0].x0, g.layout.shapes[0].line.dash]") == [128, "dash"]
    assert graph(page, "classes", "[g.data[0].x, g.data[1].x, [...g.layout.yaxis.ticktext]]") == [
        [72, 36],
        [8, 4],
        ["good", "bad"],
    ]
    page.wait_for_selector("#preview .preview-padding >> text=of the positions only pad")
    assert page.locator("#preview .preview-examples li").count() == 3
    page.wait_for_selector("#preview .preview-examples >> text=One target a row")

    open_fold(page, "optimizer")
    page.fill("#length input", "2")
    open_fold(page, "during")
    page.fill("#eval-every input", "0")
    run = start(page)
    wait_for_state(page, "finished")
    store = Store(studio.home)
    try:
        data = store.run(run).config["data"]
        assert (data["path"], data["text"], data["label"]) == (str(place), "review", "stars")
        assert [update["examples"] for update in store.updates(run)] == [32, 32]
    finally:
        store.close()


def test_targets_are_told_by_colour_and_by_a_line(open_page: OpenPage) -> None:
    page = open_page()
    choose(page, "model", "tiny-llama")
    choose(page, "task", "text-generation")
    rows = [{"prompt": f"{n} + 1 = ", "completion": str(n + 1)} for n in range(30)]
    upload(page, "sums.jsonl", "\n".join(map(json.dumps, rows)))
    page.wait_for_selector("#preview .preview-examples li mark.target")
    line = page.locator("#preview .decoded").first
    marked = "".join(line.locator("mark.target").all_text_contents())
    assert marked.endswith("</s>") and marked[:-4].strip().isdigit()
    assert (line.text_content() or "").replace(marked, "").endswith("+ 1 = ")
    style = line.locator("mark.target").first.evaluate(
        "mark => [getComputedStyle(mark).textDecorationLine, getComputedStyle(mark).color]"
    )
    plain = line.locator("span.token").first.evaluate("span => getComputedStyle(span).color")
    assert style[0] == "underline" and style[1] != plain
    assert not page.locator("#chart-classes").is_visible()
    page.wait_for_selector("#preview >> text=underlined: targets of the loss")


def test_what_is_built_in_is_looked_at_too_and_follows_the_settings(open_page: OpenPage) -> None:
    page = open_page()
    choose(page, "model", "tiny-bert")
    choose(page, "data", "sentiment")
    preview(page)
    page.wait_for_selector("#preview .preview-examples li")
    open_fold(page, "advanced")
    page.fill("#max-length input", "8")
    page.wait_for_function("() => document.querySelector('#chart-lengths .js-plotly-plot').layout.shapes[0].x0 === 8")
    assert "longer than 8 and are cut" in (page.text_content("#chart-lengths .read") or "")
    choose(page, "task", "token-classification")
    page.wait_for_selector("#preview .preview-examples mark.target sub")


def test_columns_of_the_data_before_are_forgotten_with_it(open_page: OpenPage) -> None:
    page = open_page()
    choose(page, "model", "tiny-bert")
    upload(page, "columns.csv", ROWS)
    page.wait_for_selector("#preview-use")
    page.click("#preview-use")
    page.wait_for_function("() => document.querySelector('#text textarea').value === 'review'")
    choose(page, "data", "sentiment")
    page.wait_for_function("() => document.querySelector('#text textarea').value === ''")
    page.fill("#micro-batch input", "3")
    page.wait_for_selector("#arithmetic >> text=3 × 4")


def test_what_is_wrong_is_said_with_its_line_and_what_is_right_is_shown(open_page: OpenPage) -> None:
    page = open_page()
    choose(page, "model", "tiny-bert")
    upload(page, "bad.csv", "text,label\nfine,good\npoor,bad\na, b,good\n")
    page.wait_for_selector("#preview [data-tone=bad] >> text=3 values at line 4")
    assert page.locator("#preview .preview-rows tbody tr").count() == 2
    upload(page, "turkish.csv", "text,label\nçok iyi ığüş,iyi\n".encode("cp1254"))
    page.wait_for_selector("#preview [data-tone=bad] >> text=/is not UTF-8 text: see line 2.*cp1254/s")
    page.click("#offers button >> text=cp1254")
    page.wait_for_selector("#preview .preview-rows >> text=çok iyi ığüş")


def test_files_that_can_not_be_data_are_refused_before_they_are_sent(open_page: OpenPage, studio: Studio) -> None:
    page = open_page()
    before = named(page)
    upload(page, "virus.exe", b"MZ")
    page.wait_for_selector("#upload [data-tone=bad] >> text=virus.exe is of no format that can be read.")
    upload(page, "nothing.csv", b"")
    page.wait_for_selector("#upload [data-tone=bad] >> text=nothing.csv is empty.")
    assert named(page) == before
    assert not (studio.home / "uploads" / "nothing.csv").exists()


def test_a_phone_in_the_dark_shows_a_preview_without_scrolling_sideways(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark")
    choose(page, "model", "tiny-bert")
    choose(page, "data", "sentiment")
    preview(page)
    page.wait_for_selector("#preview .preview-examples li")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_no_question_is_asked_where_nobody_looks(open_page: OpenPage) -> None:
    page = open_page()
    asked: list[str] = []
    page.on(
        "request", lambda request: asked.append(request.post_data or "") if "component_server" in request.url else None
    )
    choose(page, "data", "sentiment")
    page.wait_for_timeout(1500)
    assert not [body for body in asked if '"preview"' in body]


def test_an_upload_that_breaks_off_is_no_fault_and_the_next_one_arrives(open_page: OpenPage, studio: Studio) -> None:
    where = urlsplit(studio.url)
    head = f"POST /gradio_api/upload HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: 100000\r\n"
    part = '--x\r\nContent-Disposition: form-data; name="files"; filename="half.csv"\r\n\r\ntext,la'
    with socket.create_connection((where.hostname, where.port)) as browser:
        browser.sendall(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n{part}".encode())
        arriving = studio.home / "cache" / "arriving"
        deadline = time.monotonic() + 30
        while not any(file.is_file() for file in arriving.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert any(file.is_file() for file in arriving.iterdir())
    page = open_page()
    for _ in range(2):
        upload(page, "whole.csv", ROWS)
        page.wait_for_selector("#upload >> text=whole.csv is here and named above.")
        page.reload()
        page.wait_for_selector("#upload button")
    assert [file.name for file in (studio.home / "uploads").glob("whole*")] == ["whole.csv"]
    assert "Traceback" not in studio.program.told() and "ClientDisconnect" not in studio.program.told()


def test_the_file_of_another_can_not_be_had_through_an_upload(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    secret = tmp_path / "secret.csv"
    secret.write_text("password")
    answer = page.evaluate(
        "async (path) => { const reply = await fetch('gradio_api/file=' + path); return reply.status; }", str(secret)
    )
    assert answer in (403, 404)
    open_page.errors.clear()  # type: ignore[attr-defined]
