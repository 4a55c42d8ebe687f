"""Opens the page: the program's options, the server, and a clean end on Ctrl-C and SIGTERM."""

from __future__ import annotations

import argparse
import atexit
import errno
import ipaddress
import os
import socket
import sys
import time
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine import BirikimError, ConfigError, default_home, end_signals, keep_to_itself

if TYPE_CHECKING:
    from engine import Session, Store
    from gui.classroom.teacher import Classroom

FIRST_PORT, LAST_PORT = 7860, 7959

NOTHING_TO_SAVE = 2.0
"""Seconds that the end waits for libraries or a model that are still loading."""

LOOK = 0.1
"""Seconds between looks for a signal to end."""

THIS_MACHINE, EVERYWHERE = "127.0.0.1", "0.0.0.0"

PASSWORD = "BIRIKIM_TEACHER_PASSWORD"
TEACHER = "teacher"

Users = list[tuple[str, str]]


class Students(NamedTuple):
    """Where a class watches; `port` None: the next free one after the page's."""

    host: str
    port: int | None


def main(arguments: Sequence[str]) -> None:
    """Opens the page as `arguments` say and returns when the program was asked to end.

    What can't be done is one line on standard error and exit status 2.
    """
    over: list[bool] = []
    # of what is called at the exit this comes last: it was there first
    atexit.register(_leave, over)
    keep_to_itself()
    options = _parser().parse_args(arguments)
    try:
        users = read_users(options.auth_file) if options.auth_file else None
        if options.classroom and users is None:
            users = teacher(os.environ)
        check_reach(options.host or THIS_MACHINE, options.share, users)
        serve(
            home=options.home or default_home(),
            host=options.host or THIS_MACHINE,
            port=options.port,
            share=options.share,
            auth=users,
            open_browser=options.open,
            students=Students(options.host or EVERYWHERE, options.class_port) if options.classroom else None,
        )
    except BirikimError as error:
        print(f"birikim: {error.line}", file=sys.stderr)
        raise SystemExit(2) from None
    over.append(True)


def _leave(over: list[bool]) -> None:
    """Without taking the libraries down piece by piece, which takes seconds, and longer on a busy machine."""
    if over:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def serve(
    *,
    home: Path,
    host: str,
    port: int | None,
    share: bool,
    auth: Users | None,
    open_browser: bool,
    students: Students | None = None,
) -> None:
    """Serves the page until Ctrl-C or SIGTERM; the current run is then stopped as by Stop.

    `port` None: the first free one from 7860. `students`: where a class watches. Raises StoreError about the home
    folder, ConfigError about a port.
    """
    with end_signals(heeded=1) as heard, ExitStack() as closing:
        next(free_ports(host, port))  # before the seconds that the libraries take

        from engine import Session, Store, Sweeps, Takeaways, trust_page

        store = Store(home)
        closing.callback(store.close)
        session = Session(store, predicts=True)
        closing.callback(session.close, nothing_to_save=0.0)
        sweeps = Sweeps(session, store)
        closing.callback(sweeps.close)

        takeaways = Takeaways(store)
        closing.callback(takeaways.close)

        from gui import studio, take
        from gui.connections import Fair

        classroom = _classroom(session, store, students.host) if students else None
        if classroom:
            closing.callback(classroom.close)
        local = is_loopback(host) and not share
        trust_page(own=local)
        page, renew = studio.build(session, store, takeaways, sweeps, local=local, classroom=classroom)
        closing.callback(page.close, verbose=False)
        options = {
            **studio.launch_options(local=local, renew=renew, routes=take.routes(takeaways)),
            "prevent_thread_lock": True,
            "inline": False,
            "enable_monitoring": False,
        }
        for free in free_ports(host, port):
            with suppress(OSError):  # another program was quicker
                page.launch(**options, server_name=host, server_port=free, share=share, auth=auth)
                break
        # Gradio lets nobody choose it, and the server asks anew for each connection
        page.server.config.http_protocol_class = Fair
        url = f"http://{f'[{host}]' if ':' in host else host}:{page.server_port}"
        print(f"Birikim is at {url}", flush=True)
        if students and classroom:
            ports = partial(free_ports, students.host, students.port, page.server_port + 1)
            print(f"Students watch at {classroom.open(ports)}", flush=True)
        if open_browser:
            webbrowser.open(url)
        # the training libraries load from here on, beside a page that is up already
        session.start()
        while not heard:
            time.sleep(LOOK)
        print("Stopping. Ctrl-C once more leaves at once.", file=sys.stderr, flush=True)
        if classroom:
            classroom.close()
        session.close(nothing_to_save=NOTHING_TO_SAVE)


def check_reach(host: str, share: bool, users: Users | None) -> None:
    """Raises ConfigError where others could open the page and nobody is asked for a password."""
    if users is None and share:
        raise ConfigError("page.open-to-others", option="--share")
    if users is None and not is_loopback(host):
        raise ConfigError("page.open-to-others", option=f"--host {host}")


def teacher(environment: Mapping[str, str]) -> Users:
    """Who commands a class where no file says it. Raises ConfigError: no password is set."""
    if not (password := environment.get(PASSWORD, "").strip()):
        raise ConfigError("page.class-password", variable=PASSWORD)
    return [(TEACHER, password)]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_users(path: Path) -> Users:
    """The `user:password` lines of a file; a password may hold colons. Raises ConfigError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("page.auth-file", path=path, reason=getattr(error, "strerror", None) or error) from None
    users: Users = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            user, _, password = line.strip().partition(":")
            if not user or not password:
                raise ConfigError("page.auth-line", path=path, line=number)
            users.append((user, password))
    if not users:
        raise ConfigError("page.auth-empty", path=path)
    return users


def free_ports(host: str, port: int | None, first: int = FIRST_PORT) -> Iterator[int]:
    """`port` if it is free; without one the free ones from `first`. Raises ConfigError when there are no more."""
    if port is not None:
        if reason := _why_taken(host, port):
            raise ConfigError("page.port-taken", host=host, port=port, reason=reason)
        yield port
        raise ConfigError("page.port-taken", host=host, port=port, reason=os.strerror(errno.EADDRINUSE))
    last = first + LAST_PORT - FIRST_PORT
    yield from (each for each in range(first, last + 1) if not _why_taken(host, each))
    raise ConfigError("page.no-port", host=host, first=first, last=last)


def _classroom(session: Session, store: Store, host: str) -> Classroom:
    from gui.classroom.teacher import Classroom

    return Classroom(session, store, host=host, local=is_loopback(host))


def _why_taken(host: str, port: int) -> str:
    """The system's reason why `port` can't be listened on; empty where it can."""
    if not 0 < port < 65536:
        return "ports go from 1 to 65535"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            # as the server does, so that a port whose last connections fade counts as free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="app.py", description="Opens Birikim's page.", allow_abbrev=False)
    parser.add_argument("--host", help="address to listen on (default: this machine alone; students: any of its own)")
    parser.add_argument("--port", type=int, help=f"port (default: the first free one from {FIRST_PORT})")
    parser.add_argument("--home", type=Path, help="folder of runs (default: BIRIKIM_HOME, else ~/.birikim)")
    parser.add_argument("--share", action="store_true", help="also through a public link of gradio.live")
    parser.add_argument("--auth-file", type=Path, help="who may enter: one user:password a line")
    parser.add_argument(
        "--class", dest="classroom", action="store_true", help="a class: this page for the teacher, another to watch"
    )
    parser.add_argument("--class-port", type=int, help="port of the students' page (default: the next free one)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    return parser
