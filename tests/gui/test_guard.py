"""Without the teacher's login every route of the page answers no, whatever Gradio leaves open."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from engine import Store
from gui import guard as guard_module
from gui.files import AT
from gui.guard import LONGEST, Guard
from tests.programs import Program, running

PASSWORD = "çok gizli: 1"
LOGGED_IN = "access-token-unsecure-x=known"
ASSET = f"/{AT}/page.css"
LOGIN_PAGE = ("/", "/login", "/login/")
STATIC = re.compile(
    r"/(assets|static|birikim)/.*|/favicon.ico|/robots.txt|/manifest.json|/pwa_icon|(/gradio_api)?/theme.css"
)


SAYING_ITS_ROUTES = """
import json, re, sys
import gradio as gr
from engine import Session
from gui import launch

opened, begun = gr.Blocks.launch, Session.start

def launch_and_say(page, **options):
    opened(page, **options)
    routes, left = [], list(page.app.routes)
    while left:
        route = left.pop()
        if inner := getattr(route, "original_router", None):
            left += inner.routes
        elif path := getattr(route, "path", None):
            filled = re.sub(r"\\{(\\w+)(:\\w+)?\\}", lambda name: "1" if name[2] == ":int" else "x", path)
            routes += [(method, filled) for method in getattr(route, "methods", None) or {"GET"}]
    functions = {
        name: number
        for number, block in page.blocks.items()
        for name in ("command", "resume_run", "deltas", "class_allow", "class_show", "class_state")
        if getattr(getattr(block, name, None), "_is_server_fn", False)
    }
    print("Routes are", json.dumps(sorted(set(routes))), flush=True)
    print("Functions are", json.dumps(functions), flush=True)

gr.Blocks.launch = launch_and_say
Session.start = lambda session: None  # what is queued stays so
launch.main(sys.argv[1:])
"""
"""The program, which says what its server has: a path for every method, and the component of some functions."""


class Page:
    """The teacher's page of a class over a home with one queued run."""

    def __init__(self, program: Program, home: Path) -> None:
        routes = program.wait_for_line("Routes are ")
        functions = program.wait_for_line("Functions are ")
        self.routes: list[tuple[str, str]] = [tuple(each) for each in json.loads(routes.partition("are ")[2])]  # type: ignore[misc]
        self.functions: dict[str, int] = json.loads(functions.partition("are ")[2])
        self.port = int(program.wait_for_line("Birikim is at ").rpartition(":")[2])
        program.wait_for_line("Students watch at ")
        self._home = home

    def ask(
        self, method: str, path: str, body: Any = None, *, cookie: str = "", kind: str = "application/json"
    ) -> tuple[int, bytes, list[str]]:
        """Status, body and cookies of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            sent = body if isinstance(body, str | None) else json.dumps(body)
            headers = {"Content-Type": kind, "Cookie": cookie, "Accept": "text/html"}
            connection.request(method, path, body=sent, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers.get_all("set-cookie") or []
        finally:
            connection.close()

    def log_in(self, password: str = PASSWORD) -> tuple[int, str]:
        """Status, and the cookie of who is logged in."""
        form = urlencode({"username": "teacher", "password": password})
        status, _, given = self.ask("POST", "/login", form, kind="application/x-www-form-urlencoded")
        return status, next((one.partition(";")[0] for one in given if "unsecure" in one), "")

    def rows(self) -> list[Any]:
        """All that the store holds of runs and commands."""
        connection = sqlite3.connect(self._home / "birikim.sqlite")
        try:
            return [
                *connection.execute('SELECT id, state, config, "values" FROM runs'),
                *connection.execute("SELECT run, command FROM commands"),
            ]
        finally:
            connection.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    home = tmp_path_factory.mktemp("home")
    store = Store(home)
    try:
        store.create_run({"model": "a model that no one may read of"})
        arguments = ["-c", SAYING_ITS_ROUTES, "--class", "--host", "127.0.0.1", "--home", str(home)]
        with running(*arguments, environment={"BIRIKIM_TEACHER_PASSWORD": PASSWORD}) as program:
            yield Page(program, home)
    finally:
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "cookie", ["", "access-token-unsecure-x=guessed", "birikim-head=0123456789abcdef0123456789abcdef"]
)
def test_no_route_without_the_login_answers_anything_but_no(page: Page, cookie: str) -> None:
    before = page.rows()
    routes = page.routes
    assert len(routes) > 70
    assert {"/gradio_api/component_server", "/gradio_api/heartbeat/x", "/config"} <= {path for _, path in routes}
    for method, path in routes:
        if path in LOGIN_PAGE or STATIC.fullmatch(path):
            continue
        status, body, given = page.ask(method, path, {} if method == "POST" else None, cookie=cookie)
        assert status == 401, (method, path, status)
        assert body == b"", (method, path)
        assert not given
    assert page.rows() == before


@pytest.mark.slow
def test_the_page_without_the_login_is_the_login_and_tells_nothing_of_a_run(page: Page) -> None:
    status, body, _ = page.ask("GET", "/")
    assert status == 200
    told = body.replace(b" ", b"")
    assert b'"auth_required":true' in told
    assert b'"components":[]' in told
    assert b"class_allow" not in body
    assert b"no one may read" not in body
    assert page.ask("GET", ASSET)[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/config?x=/assets/",
        "/assets/../config",
        "//config",
        "/Config",
        "/./config",
        "/%63onfig",
        "/gradio_api/../config",
    ],
)
def test_no_way_of_writing_a_path_leads_around(page: Page, path: str) -> None:
    status, body, _ = page.ask("GET", path)
    assert status in (401, 403, 404)
    assert b"no one may read" not in body


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "asked"),
    [
        ("command", {"run": 1, "command": "stop"}),
        ("resume_run", {"run": 1}),
        ("deltas", {"run": 1, "cursor": ""}),
        ("class_allow", {"allowed": True}),
        ("class_show", {"run": 1}),
        ("class_state", {}),
    ],
)
def test_the_functions_of_the_page_are_the_teacher_s_alone(page: Page, function: str, asked: dict[str, Any]) -> None:
    number = page.functions[function]
    call = {"session_hash": "x", "component_id": number, "fn_name": function, "data": asked}
    before = page.rows()
    for path in ("/gradio_api/component_server", "/gradio_api/component_server/"):
        assert page.ask("POST", path, call)[0] == 401
    assert page.rows() == before


@pytest.mark.slow
def test_with_the_login_the_page_is_all_there(page: Page) -> None:
    assert page.log_in("wrong")[0] == 400
    status, cookie = page.log_in()
    assert status == 200
    status, config, _ = page.ask("GET", "/config", cookie=cookie)
    assert status == 200
    assert b"class_allow" in config
    call = {"session_hash": "x", "component_id": page.functions["class_state"], "fn_name": "class_state"}
    status, state, _ = page.ask("POST", "/gradio_api/component_server", {**call, "data": {}}, cookie=cookie)
    assert status == 200
    assert json.loads(json.loads(state))["allowed"] is False


@pytest.mark.slow
def test_passwords_can_not_be_tried_one_after_another(page: Page) -> None:
    answers = [page.log_in(f"guess {number}")[0] for number in range(14)]
    assert answers[-1] == 429
    assert answers.count(400) <= 10


async def repeats(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with what was sent, in one piece."""
    message = await receive()
    assert not message["more_body"]
    await PlainTextResponse(message["body"])(scope, receive, send)


def logs_in(guard: ASGIApp, address: str, body: bytes | AsyncIterator[bytes]) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(guard, client=(address, 5))
        async with httpx.AsyncClient(transport=transport, base_url="http://10.0.0.1:7860") as client:
            return await client.post("/login", content=body)

    return asyncio.run(ask())


def test_who_tries_many_passwords_does_not_keep_the_teacher_out() -> None:
    guard = Guard(repeats)
    answers = [logs_in(guard, "10.0.0.9", b"a guess").status_code for _ in range(100)]
    assert answers.count(200) == 10  # its burst, and none of the ninety that follow
    assert logs_in(guard, "10.0.0.2", b"the password").status_code == 200


def test_who_has_no_login_and_asks_without_an_end_is_not_answered() -> None:
    """The page of the login costs the program that trains some milliseconds each time."""

    async def reloads() -> None:
        app = Starlette(
            routes=[Route("/", lambda request: PlainTextResponse("log in"))], middleware=[Middleware(Guard)]
        )
        app.auth, app.cookie_id, app.tokens = {"teacher": PASSWORD}, "x", {"known": "teacher"}  # type: ignore[attr-defined]

        def comes(address: str, cookie: str = "") -> httpx.AsyncClient:
            transport = httpx.ASGITransport(app, client=(address, 5))
            return httpx.AsyncClient(transport=transport, base_url="http://10.0.0.1:7860", headers={"Cookie": cookie})

        async with comes("10.0.0.9") as hasty, comes("10.0.0.3") as calm, comes("10.0.0.9", LOGGED_IN) as teacher:
            many = Counter([(await hasty.get("/")).status_code for _ in range(900)])
            assert many[200] >= 600
            assert many[429] >= 100
            assert (await calm.get("/")).status_code == 200
            assert (await teacher.get("/")).status_code == 200

    asyncio.run(reloads())


def test_a_login_is_as_long_as_a_name_and_a_password() -> None:
    """Gradio would write to the disk, or hold in memory, whatever anyone sends as a form."""

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"a" * 1000

    assert logs_in(Guard(repeats), "10.0.0.9", b"a" * LONGEST).content == b"a" * LONGEST
    assert logs_in(Guard(repeats), "10.0.0.9", b"a" * (LONGEST + 1)).status_code == 413
    refused = logs_in(Guard(repeats), "10.0.0.9", endless())
    assert refused.status_code == 413
    assert refused.headers["connection"] == "close"


def test_a_login_that_never_arrives_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "PATIENCE", 0.05)

    async def stuck() -> AsyncIterator[bytes]:
        yield b"username="
        await asyncio.sleep(60)

    assert logs_in(Guard(repeats), "10.0.0.9", stuck()).status_code == 408
