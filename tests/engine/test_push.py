"""A run's model on its way to the Hub, which is played by an object that keeps what it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import huggingface_hub
import pytest
from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError
from typer.testing import CliRunner

from engine import RunError, Store
from engine.cli import app
from engine.events import StateChanged
from engine.export import pushing

CONFIG: dict[str, Any] = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}}


class Hub:
    """Takes a folder, or fails as it was told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.failure: Exception | None = None

    def create_repo(self, name: str, **options: Any) -> str:
        if self.failure:
            raise self.failure
        self.calls.append(("create", {"name": name, **options}))
        return f"https://huggingface.co/{name}"

    def upload_folder(self, **options: Any) -> None:
        self.calls.append(("upload", options))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    found = Hub()
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: found)
    monkeypatch.setattr(pushing, "offline", lambda: False)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def run(store: Store) -> int:
    run = store.create_run(CONFIG)
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
    (store.home / "runs" / str(run) / "model").mkdir(parents=True)
    return run


def refused(store: Store, run: int, name: str = "ada/mine") -> str:
    with pytest.raises(RunError) as error:
        pushing.push(store, run, name)
    return error.value.code


def test_the_model_folder_is_sent_and_its_address_printed(hub: Hub, store: Store, run: int) -> None:
    found = CliRunner().invoke(app, ["push", str(run), "ada/mine", "--private", "--home", str(store.home)])
    assert (found.exit_code, found.stdout) == (0, "https://huggingface.co/ada/mine\n")
    (made, repository), (sent, options) = hub.calls
    assert (made, sent) == ("create", "upload")
    assert repository == {"name": "ada/mine", "private": True, "exist_ok": True}
    assert options["folder_path"] == store.home / "runs" / str(run) / "model"


def test_a_repository_that_is_there_keeps_what_it_is(hub: Hub, store: Store, run: int) -> None:
    pushing.push(store, run, "ada/mine")
    assert hub.calls[0][1]["private"] is None


def test_offline_nothing_is_tried(store: Store, run: int) -> None:
    assert refused(store, run) == "push.offline"


@pytest.mark.parametrize("name", ["mine", "a/b/c", "ada/", "../x", "ada/mi ne"])
def test_a_name_is_an_owner_s(hub: Hub, store: Store, run: int, name: str) -> None:
    assert refused(store, run, name) == "push.name"
    assert hub.calls == []


def answered(status: int) -> HfHubHTTPError:
    response = httpx.Response(status, request=httpx.Request("POST", "https://huggingface.co"))
    return HfHubHTTPError("no", response=response)


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (LocalTokenNotFoundError("no token"), "push.no-token"),
        (answered(401), "push.no-token"),
        (answered(403), "push.refused"),
        (httpx.ConnectError("no route to host"), "push.unreachable"),
    ],
)
def test_what_the_hub_says_is_told_in_words(hub: Hub, store: Store, run: int, failure: Exception, code: str) -> None:
    hub.failure = failure
    assert refused(store, run) == code


def test_a_run_without_a_model_or_still_under_way_has_nothing_to_send(hub: Hub, store: Store) -> None:
    run = store.create_run(CONFIG)
    assert refused(store, run) == "export.alive"
    store.write(StateChanged(run=run, state="stopped"))
    store.flush()
    assert refused(store, run) == "export.no-model"
