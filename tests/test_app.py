"""`app.py`: where it listens, whom it lets in, that it sends nothing anywhere, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from engine import ConfigError, Store
from gui import launch
from tests.programs import ROOT, running

GUARD = """
import os, socket

def _noted(what, where):
    host = str(where[0] if isinstance(where, tuple) else where)
    if host not in ("127.0.0.1", "::1", "localhost") and not host.startswith("/"):
        with open(os.environ["ATTEMPTS"], "a") as file:
            print(what, where, file=file)
        raise OSError(f"no way out to {where}")

class _Guarded(socket.socket):
    def connect(self, address):
        _noted("connect", address)
        return super().connect(address)

    def connect_ex(self, address):
        _noted("connect_ex", address)
        return super().connect_ex(address)

_resolve = socket.getaddrinfo

def _guarded_resolve(host, *rest, **options):
    if host is not None:
        _noted("resolve", host)
    return _resolve(host, *rest, **options)

socket.socket = _Guarded
socket.getaddrinfo = _guarded_resolve
"""
"""Put into the program as `sitecustomize`: writes down whom it tries to reach outside, and refuses."""


def page_of(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read().decode())


def test_the_guard_notices_who_reaches_out(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    code = "import socket; socket.create_connection(('192.0.2.1', 9), timeout=5)"
    environment = {"PYTHONPATH": str(tmp_path), "ATTEMPTS": str(tmp_path / "attempts")}
    assert subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, timeout=60).returncode
    assert "192.0.2.1" in (tmp_path / "attempts").read_text()


@pytest.mark.slow
def test_the_page_comes_up_sends_nothing_anywhere_and_ends_on_a_signal(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    attempts = tmp_path / "attempts"
    environment = {
        "PYTHONPATH": str(tmp_path),
        "ATTEMPTS": str(attempts),
        "HF_HUB_OFFLINE": "0",
        "GRADIO_ANALYTICS_ENABLED": "True",
        "GRADIO_SHARE": "true",
        "GRADIO_SERVER_NAME": "0.0.0.0",
        "HTTP_PROXY": "http://192.0.2.1:9",
        "http_proxy": "http://192.0.2.1:9",
    }
    with running("app.py", "--home", str(tmp_path / "home"), environment=environment) as program:
        url = program.wait_for_line("Birikim is at ").split()[-1]
        assert url.startswith("http://127.0.0.1:")
        assert "birikim" in page_of(url).lower()
        program.process.send_signal(signal.SIGTERM)
        assert program.wait(30) == 0, program.told()
    assert not attempts.exists(), attempts.read_text()


WITH_A_RUN = """
import sys
from engine import RunConfig
from gui import launch, studio

build = studio.build

def build_and_submit(session, store, *others, **options):
    session.submit(RunConfig.from_yaml("model: tiny-llama, task: text-generation, data: {name: sums}".join("{}")))
    return build(session, store, *others, **options)

studio.build = build_and_submit
launch.main(sys.argv[1:])
"""
"""The program with a run in its queue from the start."""


@pytest.mark.slow
def test_a_signal_stops_the_run_that_is_under_way_as_stop_does(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running("-c", WITH_A_RUN, "--home", str(home)) as program:
        program.wait_for_line("Birikim is at ")
        store = Store(home)
        try:
            deadline = time.monotonic() + 120
            while store.run(1).update < 2:
                assert time.monotonic() < deadline, program.told()
                time.sleep(0.1)
            program.process.send_signal(signal.SIGTERM)
            assert program.wait(60) == 0, program.told()
            run = store.run(1)
        finally:
            store.close()
    assert run.state == "stopped"
    assert run.update >= 2
    assert (home / "runs" / "1" / "model" / "config.json").is_file()


SLOW_TO_LEAVE = """
import sys, time
from engine.session import session
from gui import launch

class Library:
    def __del__(self):
        time.sleep(60)

sys.library = Library()
session._runner = lambda: time.sleep(60)
launch.main(sys.argv[1:])
"""
"""The program with libraries that take a minute to load, and another one to be taken down."""


@pytest.mark.slow
def test_a_signal_waits_neither_for_libraries_that_load_nor_for_their_taking_down(tmp_path: Path) -> None:
    with running("-c", SLOW_TO_LEAVE, "--home", str(tmp_path / "home")) as program:
        program.wait_for_line("Birikim is at ")
        program.process.send_signal(signal.SIGTERM)
        # some three seconds where the machine has nothing else to do
        assert program.wait(25) == 0, program.told()
        assert "Traceback" not in program.told()


@pytest.mark.slow
def test_a_second_program_takes_the_next_free_port_and_ctrl_c_ends_both(tmp_path: Path) -> None:
    with (
        running("app.py", "--home", str(tmp_path / "one")) as first,
        running("-m", "engine", "ui", "--home", str(tmp_path / "two")) as second,
    ):
        urls = [each.wait_for_line("Birikim is at ").split()[-1] for each in (first, second)]
        assert urls[0] != urls[1]
        for each in (first, second):
            each.process.send_signal(signal.SIGINT)
            assert each.wait(30) == 0, each.told()


@pytest.mark.slow
def test_the_page_is_up_before_any_training_library_is_loaded() -> None:
    code = "import sys, gui.studio, gui.launch; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=120).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], ["--host 0.0.0.0", "--auth-file"]),
        (["--host", "::"], ["--host ::", "--auth-file"]),
        (["--host", "example.org"], ["--host example.org", "--auth-file"]),
        (["--share"], ["--share", "--auth-file"]),
        (["--auth-file", "absent"], ["absent", "can't be read"]),
        (["--port", "70000"], ["70000", "1 to 65535"]),
    ],
)
def test_what_cant_be_done_is_one_line_and_exit_status_two(
    arguments: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        launch.main([*arguments, "--home", str(tmp_path)])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    for word in words:
        assert word in told


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.5.5.5"])
def test_this_machine_alone_needs_no_password(host: str) -> None:
    launch.check_reach(host, share=False, users=None)


def test_users_are_read_line_by_line_and_a_password_may_hold_colons(tmp_path: Path) -> None:
    file = tmp_path / "users"
    file.write_text("ada:love:lace\n\n  alan:turing\n")
    assert launch.read_users(file) == [("ada", "love:lace"), ("alan", "turing")]


@pytest.mark.parametrize(
    ("content", "code"),
    [("", "page.auth-empty"), ("ada\n", "page.auth-line"), ("ada:\n", "page.auth-line"), (":x\n", "page.auth-line")],
)
def test_a_file_that_would_let_nobody_or_anybody_in_is_refused(tmp_path: Path, content: str, code: str) -> None:
    (tmp_path / "users").write_text(content)
    with pytest.raises(ConfigError) as caught:
        launch.read_users(tmp_path / "users")
    assert caught.value.code == code


def test_a_port_that_was_asked_for_and_is_taken_is_told_and_one_that_was_not_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Port {port} of 127.0.0.1"):
            next(launch.free_ports("127.0.0.1", port))
    assert next(launch.free_ports("127.0.0.1", port)) == port
    assert launch.FIRST_PORT <= next(launch.free_ports("127.0.0.1", None)) <= launch.LAST_PORT
