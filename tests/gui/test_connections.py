"""A server that anyone may reach: nobody keeps others out by holding connections, or holds one by saying nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from gui import connections
from gui.connections import Fair

GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Comes = Callable[[str], Awaitable[Streams]]


def serve(work: Callable[[Comes], Awaitable[None]]) -> None:
    """Has `work` come to a server from loopback addresses of its choice."""

    async def whole() -> None:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            port = listening.getsockname()[1]
            config = uvicorn.Config(PlainTextResponse("here"), http=Fair, log_config=None, lifespan="off", ws="none")
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            writers = []

            async def comes(address: str) -> Streams:
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
                writers.append(writer)
                return reader, writer

            try:
                await work(comes)
            finally:
                for writer in writers:
                    writer.close()
                    with suppress(ConnectionError):
                        await writer.wait_closed()
                server.should_exit = server.force_exit = True
                await serving

    asyncio.run(whole())


async def answered(streams: Streams, sent: bytes = GET + b"\r\n") -> bool:
    reader, writer = streams
    writer.write(sent)
    try:
        return b"200 OK" in await asyncio.wait_for(reader.readline(), 5)
    except ConnectionError:
        return False


async def ends(streams: Streams) -> bool:
    try:
        return not await asyncio.wait_for(streams[0].read(), 5)
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def test_who_holds_most_connections_gives_way_and_no_one_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 10)

    async def crowd(comes: Comes) -> None:
        early = await comes("127.0.0.2")
        held = [await comes("127.0.0.9") for _ in range(30)]
        late = await comes("127.0.0.3")
        assert await answered(early)
        assert await answered(late)
        assert [await answered(each) for each in held] == [False] * 22 + [True] * 8  # ten, less two of others

    serve(crowd)


@pytest.mark.parametrize(
    "said", [b"", GET, GET + b"\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"]
)
def test_who_says_nothing_more_loses_his_connection(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.3)

    async def silent(comes: Comes) -> None:
        streams = await comes("127.0.0.2")
        if said.endswith((b"\r\n\r\n", b"ab")):
            assert await answered(streams, said)
            await streams[0].readuntil(b"here")
        else:
            streams[1].write(said)
        assert await ends(streams)

    serve(silent)


def test_who_trickles_a_header_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)

    async def trickle(comes: Comes) -> None:
        reader, writer = await comes("127.0.0.2")
        writer.write(GET)
        for _ in range(100):
            if reader.at_eof() or reader.exception():
                return
            writer.write(b"a: b\r\n")
            await asyncio.sleep(0.05)
        raise AssertionError("still there after five seconds")

    serve(trickle)


def test_what_is_no_request_fills_no_console(caplog: pytest.LogCaptureFixture) -> None:
    async def babble(comes: Comes) -> None:
        reader, writer = await comes("127.0.0.2")
        writer.write(b"\x16\x03\x01\x02\x00\r\n\r\n")
        assert b"400" in await asyncio.wait_for(reader.readline(), 5)

    serve(babble)
    assert not [each for each in caplog.records if each.name != "asyncio"]


def test_an_upgrade_is_an_ordinary_request() -> None:
    async def upgrade(comes: Comes) -> None:
        asked = GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
        assert await answered(await comes("127.0.0.2"), asked)

    serve(upgrade)
