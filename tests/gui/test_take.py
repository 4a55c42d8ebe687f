"""What the page asks for to take a run away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from engine import EXPORTS, Store, Takeaways
from engine.events import StateChanged
from gui import take

CONFIG: dict[str, Any] = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}}


class Home:
    """A store with a run that has ended, and what serves its files."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self.takeaways = Takeaways(self.store)
        self.run = self.store.create_run(CONFIG)
        self.store.write(StateChanged(run=self.run, state="finished"))
        self.store.flush()
        self.app = Starlette(routes=take.routes(self.takeaways))
        self.app.auth = self.app.auth_dependency = None  # type: ignore[attr-defined]
        self.app.cookie_id, self.app.tokens = "page", {"token": "ada"}  # type: ignore[attr-defined]

    def ask(self, name: str, **request: Any) -> Any:
        functions = {function.__name__: function for function in take.server_functions(self.store, self.takeaways)}
        while True:
            answer = json.loads(json.loads(bytes(functions[name](request).body)))
            if answer.get("state") != "working":
                return answer

    def close(self) -> None:
        self.takeaways.close()
        self.store.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    found = Home(tmp_path)
    yield found
    found.close()


def test_what_was_asked_for_is_fetched_at_its_address_as_a_file(home: Home) -> None:
    answer = home.ask("take", run=home.run, kind="html", language="tr")
    found = TestClient(home.app).get("/" + answer["address"])
    assert (found.status_code, len(found.content)) == (200, answer["bytes"])
    assert found.headers["content-disposition"].startswith("attachment")
    # as HTML it would be given the page's own head
    assert found.headers["content-type"] == "application/octet-stream"
    assert b'lang="tr"' in found.content


@pytest.mark.parametrize(
    "place", ["1/csv", "99/csv", "1/..%2Fbirikim.sqlite", "1/secret", "99999999999999999999/csv", "-1/csv"]
)
def test_nothing_else_is_handed_out(home: Home, place: str) -> None:
    assert TestClient(home.app).get(f"/{take.PLACE}/{place}").status_code == 404


def test_who_is_not_logged_in_gets_nothing(home: Home) -> None:
    answer = home.ask("take", run=home.run, kind="yaml")
    home.app.auth = [("ada", "lovelace")]  # type: ignore[attr-defined]
    assert TestClient(home.app).get("/" + answer["address"]).status_code == 401
    stranger = TestClient(home.app, cookies={"access-token-page": "guessed"})
    assert stranger.get("/" + answer["address"]).status_code == 401
    known = TestClient(home.app, cookies={"access-token-page": "token"})
    assert known.get("/" + answer["address"]).status_code == 200


@pytest.mark.parametrize(
    "request_", [None, {}, {"run": "1", "kind": "csv"}, {"run": 1, "kind": "../x"}, {"run": 2**60}]
)
def test_whatever_is_asked_a_fault_is_an_answer(home: Home, request_: Any) -> None:
    [ask, launching] = take.server_functions(home.store, home.takeaways)
    assert "fault" in json.loads(json.loads(bytes(ask(request_).body)))
    if request_ != {"run": 1, "kind": "../x"}:
        assert "fault" in json.loads(json.loads(bytes(launching(request_).body)))


def test_the_line_is_the_run_s(home: Home) -> None:
    assert home.ask("launching", run=home.run)["line"].startswith("accelerate launch ")


def test_the_strip_offers_every_way_but_the_line_which_it_shows() -> None:
    script = (Path(take.__file__).parents[1] / "assets" / "take.js").read_text(encoding="utf-8")
    assert all(f"{kind}:" in script for kind in EXPORTS if kind != "accelerate")
