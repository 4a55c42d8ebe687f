"""The students' door: what it answers, what it refuses, and how seldom it reads the store."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine import Store, StoreReader
from gui.classroom import door as door_module
from gui.classroom import shared
from gui.classroom.door import COOKIE, Door
from gui.classroom.preset import Wish
from gui.classroom.shared import Frames, without_paths
from gui.origin import OwnPage
from tests.engine.store_runs import micro_batch, open_store, running, update
from tests.programs import ROOT

WISH = {
    "name": "Ada", "model": "tiny-llama", "micro_batch": 4, "accumulation_steps": 4, "updates": 20,
    "learning_rate": 1e-3, "normalization": "exact",
}  # fmt: skip


class Class:
    """A door over a store, in one event loop, and who comes to it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.reader = StoreReader(store.home, store.token)
        self.frames = Frames(self.reader)
        self.wishes: list[tuple[Wish, str, str]] = []
        self.door = Door(self.frames, lambda wish, head, place: self.wishes.append((wish, head, place)))

    @asynccontextmanager
    async def viewer(self, address: str = "10.0.0.2") -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(OwnPage(self.door, local=False), client=(address, 5))
        async with httpx.AsyncClient(transport=transport, base_url="http://10.0.0.1:7861") as client:
            yield client

    def do(self, work: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
        """What one viewer does who has opened the page."""

        async def whole() -> None:
            async with self.viewer() as client:
                await client.get("/")
                await work(client)

        asyncio.run(whole())

    def head_of(self, client: httpx.AsyncClient) -> str:
        return door_module._head(client.cookies[COOKIE])


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Class]:
    with open_store(tmp_path) as store:
        opened = Class(store)
        yield opened
        opened.reader.close()


async def news(client: httpx.AsyncClient, **asked: Any) -> dict[str, Any]:
    answer = await client.post("/deltas", json=asked)
    assert answer.status_code == 200
    return answer.json()  # type: ignore[no-any-return]


def filled(store: Store, updates: int = 3) -> int:
    run = running(store, model="tiny-llama", task="text-generation", data={"name": "sums"})
    for number in range(1, updates + 1):
        store.write(micro_batch(run, number, 1))
        store.write(update(run, number))
    store.flush()
    return run


def test_a_viewer_sees_the_current_run_and_then_what_is_new(room: Class) -> None:
    run = filled(room.store)

    async def watch(client: httpx.AsyncClient) -> None:
        first = await news(client)
        assert (first["run"]["id"], first["current"], first["reset"]) == (run, run, True)
        assert first["updates"]["update"] == [1, 2, 3]
        room.store.write(update(run, 4))
        room.store.flush()
        later = await news(client, cursor=first["cursor"], tick=first["tick"])
        assert later["tick"] > first["tick"]
        assert (later["reset"], later["updates"]["update"]) == (False, [4])

    room.do(watch)


def test_whatever_run_is_asked_for_only_the_shown_one_is_told(room: Class) -> None:
    hidden = filled(room.store)
    shown = filled(room.store)
    room.frames.pinned = shown

    async def watch(client: httpx.AsyncClient) -> None:
        for asked in (hidden, str(hidden), -1, True, None, [hidden], 10**40, {"run": hidden}):
            told = await news(client, run=asked)
            assert told["run"]["id"] == shown
        # a cursor of another run leads nowhere but to the beginning of the shown one
        assert (await news(client, run=hidden, cursor=f"{hidden}.0.0.0.0.0"))["run"]["id"] == shown

    room.do(watch)


def test_one_s_own_run_is_told_to_its_own_head_alone(room: Class) -> None:
    shown, own = filled(room.store), filled(room.store)
    room.frames.pinned = shown
    experiment = {"number": 1, "state": "running", "run": own, "ahead": 0}

    async def watch() -> None:
        async with room.viewer() as ada, room.viewer() as eve:
            for each in (ada, eve):
                await each.get("/")
            room.door.experiments = {room.head_of(ada): [experiment]}
            mine = await news(ada, run=own)
            assert (mine["run"]["id"], mine["current"], mine["own"]) == (own, shown, [experiment])
            other = await news(eve, run=own)
            assert other["run"]["id"] == shown
            assert "own" not in other
            # who knows a head's public name can't ask in it
            eve.cookies.set(COOKIE, room.head_of(ada)[:32])
            assert "own" not in await news(eve, run=own)

    asyncio.run(watch())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/deltas", 405),
        ("GET", "/experiment", 405),
        ("POST", "/", 405),
        ("PUT", "/deltas", 405),
        ("DELETE", "/", 405),
        ("OPTIONS", "/deltas", 405),
        ("POST", "/command", 404),
        ("POST", "/gradio_api/component_server", 404),
        ("POST", "/gradio_api/queue/join", 404),
        ("GET", "/config", 404),
        ("GET", "/birikim/../app.py", 404),
        ("GET", "/birikim/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/../../etc/passwd", 404),
        ("GET", "/gradio_api/file=/etc/passwd", 404),
    ],
)
def test_there_is_no_other_route(room: Class, method: str, path: str, status: int) -> None:
    async def ask(client: httpx.AsyncClient) -> None:
        answer = await client.request(method, path)
        assert (answer.status_code, answer.content) == (status, b"")

    room.do(ask)


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b"{", {"content-type": "application/json"}, 400),
        (b"[]", {"content-type": "application/json"}, 400),
        (b"\xff\xfe", {"content-type": "application/json"}, 400),
        (b"[" * 900, {"content-type": "application/json"}, 400),
        (b" " * 2000, {"content-type": "application/json"}, 413),
        (b"{}", {"content-type": "application/json", "origin": "http://evil.example"}, 403),
        (b"{}", {"content-type": "application/json", "sec-fetch-site": "cross-site"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/deltas", "/experiment"])
def test_what_is_sent_is_small_json_from_our_own_page(
    room: Class, path: str, content: bytes, headers: dict[str, str], status: int
) -> None:
    async def ask(client: httpx.AsyncClient) -> None:
        assert (await client.post(path, content=content, headers=headers)).status_code == status

    room.do(ask)
    assert not room.wishes


def test_a_body_that_never_ends_is_not_waited_for(room: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door_module, "PATIENCE", 0.05)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError("never")

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/deltas", "client": ("10.0.0.9", 1),
        "headers": [(b"content-type", b"application/json")],
    }  # fmt: skip
    asyncio.run(room.door(scope, receive, send))
    assert sent[0]["status"] == 408


def test_who_asks_too_often_is_told_so_and_no_one_else(room: Class) -> None:
    filled(room.store)

    async def watch() -> None:
        async with room.viewer() as hasty, room.viewer() as calm:
            for each in (hasty, calm):
                await each.get("/")
            many = Counter([(await hasty.post("/deltas", json={})).status_code for _ in range(40)])
            assert many[429] >= 10
            assert (await calm.post("/deltas", json={})).status_code == 200

    asyncio.run(watch())


def test_every_answer_carries_the_headers_that_keep_it_to_itself(room: Class) -> None:
    async def ask(client: httpx.AsyncClient) -> None:
        answers = [await client.get("/"), await client.get("/nothing"), await client.post("/deltas", json={})]
        for answer in answers:
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert "access-control-allow-origin" not in answer.headers

    room.do(ask)


def test_the_cookie_of_a_head_is_random_and_kept_from_scripts_and_other_sites(room: Class) -> None:
    async def ask() -> None:
        given = []
        for _ in range(2):
            async with room.viewer() as client:
                cookie = (await client.get("/")).headers["set-cookie"]
                assert "HttpOnly" in cookie
                assert "SameSite=Strict" in cookie
                given.append(client.cookies[COOKIE])
                assert "set-cookie" not in (await client.get("/")).headers
        assert len(given[0]) == 32
        assert given[0] != given[1]

    asyncio.run(ask())


def test_the_page_loads_only_what_the_door_serves_and_no_script_that_commands(room: Class) -> None:
    async def ask(client: httpx.AsyncClient) -> None:
        page = (await client.get("/")).text
        names = re.findall(r'(?:href|src)="([^"]+)"', page)
        assert len(names) > 15
        for name in names:
            answer = await client.get(f"/{name}")
            assert answer.status_code == 200, name
            assert "immutable" in answer.headers["cache-control"]
            for inner in re.findall(r'from "\./([^"]+)"', answer.text if name.endswith(".js") else ""):
                assert any(other.endswith(f"/{inner}") for other in names), inner
        assert not any(re.search(r"/(live|controls|queue|form|edits|classroom)\.js", name) for name in names)
        data = re.search(r'id="birikim-setup">(.*?)</script>', page, re.DOTALL)
        assert data
        assert "<" not in data[1]
        assert (await client.get(f"/{json.loads(data[1])['plotly']}")).status_code == 200

    room.do(ask)


def test_fifty_viewers_cost_the_store_no_more_reads_than_one(room: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    run = filled(room.store)
    reads: list[str] = []
    read = room.reader.read
    monkeypatch.setattr(room.reader, "read", lambda *asked: reads.append(asked[1]) or read(*asked))

    async def watch() -> None:
        async with room.viewer() as client:
            cookies = [{COOKIE: f"{number:032d}"} for number in range(50)]

            async def one(cookie: dict[str, str], cursor: str, tick: int | None) -> dict[str, Any]:
                answer = await client.post("/deltas", json={"cursor": cursor, "tick": tick}, cookies=cookie)
                return answer.json()  # type: ignore[no-any-return]

            await asyncio.sleep(shared.TICK - asyncio.get_running_loop().time() % shared.TICK)
            first = await asyncio.gather(*(one(cookie, "", None) for cookie in cookies))
            assert reads == [""]
            cursor, tick = first[0]["cursor"], first[0]["tick"]
            room.store.write(update(run, 4))
            room.store.flush()
            later = await asyncio.gather(*(one(cookie, cursor, tick) for cookie in cookies))
            assert reads == ["", cursor]
            assert all(each["updates"]["update"] == [4] for each in later)
            # cursors that were never given out are all alike
            await asyncio.sleep(shared.TICK)
            await asyncio.gather(*(one(cookie, f"{run}.1.{place}.0.0.0", None) for place, cookie in enumerate(cookies)))
            assert reads == ["", cursor, ""]
            assert room.door.watching() == 50

    with pytest.warns(DeprecationWarning):  # cookies of one request
        asyncio.run(watch())


def test_a_long_answer_is_packed_for_who_can_unpack(room: Class) -> None:
    filled(room.store, updates=200)

    async def ask(client: httpx.AsyncClient) -> None:
        request = client.build_request("POST", "/deltas", json={}, headers={"accept-encoding": "gzip"})
        answer = await client.send(request, stream=True)
        raw = b"".join([part async for part in answer.aiter_raw()])
        assert answer.headers["content-encoding"] == "gzip"
        plain = await client.post("/deltas", json={}, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        told = json.loads(gzip.decompress(raw))
        assert told["updates"]["update"] == plain.json()["updates"]["update"] == list(range(1, 201))

    room.do(ask)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/My data/reviews.csv", "reviews.csv"),
        ("C:\\Users\\ada\\reviews.csv", "reviews.csv"),
        ("~/models/mine", "mine"),
        ("The file /home/ada/x/reviews.csv can't be read.", "The file reviews.csv can't be read."),
        ("No such file:/home/ada/x/reviews.csv", "No such file:reviews.csv"),
        ("data:C:\\Users\\ada\\reviews.csv", "data:reviews.csv"),
        ("read from file:///home/ada/reviews.csv.", "read from reviews.csv."),
        ("owner/model", "owner/model"),
        ("half a target / a row", "half a target / a row"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
    ],
)
def test_where_the_teacher_s_files_lie_is_not_told(text: str, shown: str) -> None:
    assert without_paths({"data": [text]}) == {"data": [shown]}


def test_a_path_in_the_config_is_told_nowhere_in_the_answer(room: Class) -> None:
    running(
        room.store, model="/home/ada/secret place/model", task="text-generation", data={"path": "/home/ada/x/y.csv"}
    )
    room.store.flush()

    async def ask(client: httpx.AsyncClient) -> None:
        answer = await client.post("/deltas", json={})
        assert "ada" not in answer.text
        assert "y.csv" in answer.json()["yaml"]

    room.do(ask)


def test_a_wish_is_passed_on_only_where_the_teacher_allows_it(room: Class) -> None:
    async def ask(client: httpx.AsyncClient) -> None:
        closed = await client.post("/experiment", json=WISH)
        assert (closed.status_code, closed.json()["fault"]["code"]) == (403, "class.refused.closed")
        room.frames.allowed = True
        assert (await client.post("/experiment", json=WISH)).status_code == 202
        nobody = await client.post("/experiment", json=WISH, headers={"cookie": "other=1"})
        assert nobody.json()["fault"]["code"] == "class.refused.head"
        assert room.wishes == [(Wish.of(WISH), room.head_of(client), "10.0.0.2")]

    room.do(ask)


def test_the_process_behind_the_door_has_no_session_and_no_library_that_trains() -> None:
    unwanted = ("engine.session", "engine.session.session", "torch", "transformers", "gradio", "fastapi")
    code = f"import sys, gui.classroom.students; sys.exit(any(name in sys.modules for name in {unwanted!r}))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0
