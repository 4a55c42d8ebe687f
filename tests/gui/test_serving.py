"""What the page is served with."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from gui import serving

PAGE = "<html><head><title>é</title></head><body></head></body></html>"


def client(*, local: bool = True) -> TestClient:
    """A bare application with our routes and our head, and a page of its own."""
    options = serving.launch_options(local=local)["app_kwargs"]
    routes = [
        Route("/", lambda _: HTMLResponse(PAGE)),
        Route("/act", lambda _: JSONResponse({}), methods=["POST"]),
        Route("/data", lambda _: JSONResponse({"page": PAGE})),
        Route("/chunks", lambda _: StreamingResponse(iter([PAGE[:30], PAGE[30:]]), media_type="text/html")),
    ]
    app = Starlette(routes=[*options["routes"], *routes], middleware=options["middleware"])
    app.auth = app.auth_dependency = None  # type: ignore[attr-defined]
    return TestClient(app, base_url="http://127.0.0.1:7860")


@pytest.mark.parametrize("path", ["/", "/chunks"])
def test_our_head_stands_once_in_each_page_before_its_end(path: str) -> None:
    with client() as browser:
        answer = browser.get(path)
    head, end, rest = answer.text.partition("</head>")
    assert 'id="birikim-setup"' in head
    assert head.startswith("<html><head><title>é</title>")
    assert end + rest == PAGE[PAGE.index("</head>") :]


def test_other_answers_pass_untouched() -> None:
    with client() as browser:
        assert browser.get("/data").json() == {"page": PAGE}
        assert browser.post("/").status_code == 405


def test_the_head_names_only_files_that_are_served_and_kept_for_good() -> None:
    with client() as browser:
        head = browser.get("/").text
        names = [*re.findall(r'href="([^"]+)"', head), serving.PLOTLY]
        assert len(names) > 10
        for name in names:
            answer = browser.get(f"/{name}")
            assert answer.status_code == 200, name
            assert "immutable" in answer.headers["cache-control"]
        assert browser.get(f"/{serving.AT}/../app.py").status_code == 404


def test_every_import_between_scripts_finds_its_file() -> None:
    for file in serving.ASSETS.glob("*.js"):
        for name in re.findall(r'from "\./([^"]+)"', file.read_text(encoding="utf-8")):
            assert (serving.ASSETS / name).is_file(), f"{file.name}: {name}"


def test_nothing_that_is_served_names_an_address_outside() -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in serving.ASSETS.glob("*.*")}
    with client() as browser:
        texts["head"] = browser.get("/").text
    for name, text in texts.items():
        assert not re.search(r"(https?:)?//(?!www\.w3\.org/2000/svg)[\w-]+\.\w", text), name


def test_words_in_the_head_can_not_end_their_script() -> None:
    with client() as browser:
        data = re.search(r'id="birikim-setup">(.*?)</script>', browser.get("/").text, re.DOTALL)
    assert data
    assert "<" not in data[1]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:7860", 200),
        ("localhost:7860", 200),
        ("LOCALHOST.", 200),
        ("[::1]:7860", 200),
        ("127.1.2.3", 200),
        ("evil.example:7860", 403),
        ("localhost.evil.example", 403),
        ("192.168.1.2:7860", 403),
        ("", 403),
    ],
)
def test_a_foreign_name_that_leads_to_this_machine_is_refused(host: str, status: int) -> None:
    with client() as browser:
        assert browser.get("/data", headers={"host": host}).status_code == status
    with client(local=False) as browser:
        assert browser.get("/data", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:7860"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site", "origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8888"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8888"}, 403),
        ({"origin": "http://127.0.0.1:7860"}, 200),
    ],
)
@pytest.mark.parametrize("local", [True, False])
def test_only_our_own_page_may_act(headers: dict[str, str], status: int, local: bool) -> None:
    with client(local=local) as browser:
        assert browser.post("/act", headers=headers, content="{}").status_code == status
        assert browser.get("/data", headers=headers).status_code == 200
