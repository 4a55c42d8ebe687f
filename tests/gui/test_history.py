"""What the list of runs asks the program for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from engine import Disk, RunConfig, Store, take_away
from engine.events import State, StateChanged
from gui.history import MOST, MOST_CHOSEN, STATES, server_functions
from gui.uploads import Uploads
from tests.engine.store_runs import open_store, running, update
from tests.gui.asking import Ask, asking

CONFIG = RunConfig.default().to_dict()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def disk(store: Store) -> Disk:
    return Disk(store.home)


@pytest.fixture
def ask(store: Store, disk: Disk) -> Ask:
    """Calls a server function by name, and reads its answer as the browser does: JSON text inside JSON."""
    return asking(server_functions(store, disk, Uploads(store.home)))


def ended(store: Store, loss: float = 0.5) -> int:
    run = running(store, **CONFIG)
    store.write(update(run, 1, loss=loss))
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
    folder = store.home / "runs" / str(run)
    folder.mkdir(parents=True)
    (folder / "weights").write_bytes(b"x" * 100 * run)
    return run


def ids(found: dict[str, Any]) -> list[int]:
    return [run["id"] for run in found["runs"]]


def test_a_page_of_the_list_says_what_is_shown_and_how_many_there_are(ask: Ask, store: Store, disk: Disk) -> None:
    first, second, third = ended(store, 0.5), ended(store, 0.25), ended(store, 0.75)
    store.annotate(second, title="name", tags=["a"], notes="said")
    disk.wait(60)
    found = ask("history", {"descending": True, "limit": 2})
    assert (ids(found), found["total"], found["tags"]) == ([third, second], 3, {"a": 1})
    shown = found["runs"][1]
    assert (shown["title"], shown["tags"], shown["notes"], shown["bytes"]) == ("name", ["a"], "said", 200)
    assert (shown["loss"], shown["config"], shown["state"]) == (0.25, CONFIG, "finished")
    assert "message" not in shown
    assert ids(ask("history", {"sort": "loss"})) == [second, first, third]
    assert ids(ask("history", {"sort": "bytes", "descending": True})) == [third, second, first]
    assert ids(ask("history", {"search": "said"})) == ids(ask("history", {"tag": "a"})) == [second]
    assert ids(ask("history", {"offset": 2, "descending": True})) == [first]
    assert ask("history", {"sort": "owner"})["fault"]["code"] == "history.no-sort"


def test_a_state_is_found_by_its_word_in_any_language(ask: Ask, store: Store) -> None:
    run, waits = ended(store), store.create_run(CONFIG)
    assert set(STATES) == set(get_args(State))
    for word in ("Finished", "bitti", "BİTTİ"):
        assert ids(ask("history", {"search": word})) == [run]
    assert ids(ask("history", {"search": "sırada"})) == ids(ask("history", {"search": "queued"})) == [waits]


def test_a_run_is_found_as_the_page_calls_it_in_any_language(ask: Ask, store: Store) -> None:
    _, second = ended(store), ended(store)
    for words in ("run 2", "#2", "Çalışma 2", "2. çalışma"):
        assert ids(ask("history", {"search": words})) == [second]


def test_the_disk_is_told_once_it_is_measured_and_the_bin_with_it(ask: Ask, store: Store, disk: Disk) -> None:
    kept, gone = ended(store), ended(store)
    assert ask("history", {})["bin"]["runs"] == 0
    disk.wait(60)
    assert ask("delete_runs", {"runs": [gone]}) == {}
    found = ask("history", {})
    assert (ids(found), found["bin"], found["disk"]["runs"]) == ([kept], {"runs": 1, "bytes": 200}, 300)
    assert found["disk"]["whole"] > found["disk"]["database"] > 0
    assert ids(ask("history", {"deleted": True})) == [gone]
    assert ask("restore_runs", {"runs": [gone]}) == {}
    assert ask("history", {})["total"] == 2


def test_what_is_deleted_for_good_was_in_the_bin_before(ask: Ask, store: Store) -> None:
    kept, gone = ended(store), ended(store)
    assert ask("purge_runs", {"runs": [gone]})["fault"]["code"] == "history.not-in-bin"
    ask("delete_runs", {"runs": [gone]})
    assert ask("purge_runs", {"runs": [gone]}) == {}
    assert not (store.home / "runs" / str(gone)).exists()
    assert [run.id for run in store.runs()] == [kept]


def test_a_run_that_is_under_way_stays(ask: Ask, store: Store) -> None:
    done, alive = ended(store), running(store)
    assert ask("delete_runs", {"runs": [done, alive]})["fault"]["values"]["run"] == alive
    assert store.in_bin() == []


def test_what_is_said_of_a_run_is_kept_and_told_as_it_is_kept(ask: Ask, store: Store) -> None:
    run = ended(store)
    asked = {"run": run, "title": " a  name ", "tags": ["b", " B", "", "c "], "notes": "n\nm"}
    assert ask("annotate", asked) == {"title": "a name", "tags": ["b", "c"], "notes": "n\nm"}
    assert ask("annotate", {"run": run, "notes": ""}) == {"title": "a name", "tags": ["b", "c"], "notes": ""}
    assert ask("annotate", {"run": run, "tags": ["x" * 99]})["fault"]["code"] == "history.long-tag"
    assert ask("annotate", {"run": run, "notes": "x" * 99_999})["fault"]["code"] == "history.long-notes"


def test_who_names_no_run_or_too_many_is_told_so(ask: Ask, store: Store) -> None:
    for name in ("delete_runs", "restore_runs", "purge_runs"):
        for runs in ([], None, "1", {"1": 1}):
            fault = ask(name, {"runs": runs})["fault"]
            assert (fault["code"], fault["message"]) == ("store.which-run", "No run is named.")
        fault = ask(name, {"runs": [1] * (MOST_CHOSEN + 1)})["fault"]
        assert (fault["code"], fault["values"]["most"]) == ("history.many-runs", 1000)
    for asked in ({}, {"title": "x"}, {"run": None}, {"run": "1"}, {"run": -1}, {"run": True}):
        assert ask("annotate", asked)["fault"]["code"] == "store.which-run"
    # a number that is none of a run's is told as it is
    for name, asked in (("annotate", {"run": 7}), ("delete_runs", {"runs": [7]})):
        assert ask(name, asked)["fault"]["message"] == "There is no run 7."


def test_broken_characters_are_kept_as_escapes_and_the_runs_go_on(ask: Ask, store: Store) -> None:
    run, other = ended(store), running(store, **CONFIG)
    store.flush()
    asked = {"run": run, "title": "t\ud800", "tags": ["\ud800", "\\ud800", "b"], "notes": "\udfff"}
    assert ask("annotate", asked) == {"title": "t\\ud800", "tags": ["\\ud800", "b"], "notes": "\\udfff"}
    assert ids(ask("history", {"search": "t\ud800"})) == ids(ask("history", {"tag": "\ud800"})) == [run]
    store.write(update(other, 1))
    store.flush()
    assert (store.run(other).state, store.run(other).update) == ("running", 1)
    # what comes by the engine is no less plain
    store.annotate(run, tags=["\ud800x"])
    assert store.run(run).tags == ["\\ud800x"]
    store.write(StateChanged(run=other, state="stopped"))
    store.flush()


def test_a_file_that_was_uploaded_is_a_run_and_is_gone_itself(ask: Ask, store: Store) -> None:
    run = ended(store)
    arrived = store.home / "cache" / "arriving" / "0a1b" / "x.birikim"
    arrived.parent.mkdir(parents=True)
    arrived.write_bytes(take_away(store, run, "run").read_bytes())
    answer = ask("bring_run", {"arrived": str(arrived), "name": "../<b>my run.birikim"})
    assert store.run(answer["run"]).loss == 0.5
    assert store.notices(answer["run"])[-1]["values"] == {"file": "b-my-run.birikim", "run": run}
    assert not arrived.parent.exists()


def test_no_file_but_what_has_arrived_is_read(ask: Ask, store: Store) -> None:
    file = take_away(store, ended(store), "run")
    arriving = store.home / "cache" / "arriving"
    arriving.mkdir(parents=True)
    (arriving / "link").symlink_to(file)
    for asked in (str(file), str(arriving / "link"), str(arriving / ".." / ".." / "birikim.sqlite"), "", str(arriving)):
        assert ask("bring_run", {"arrived": asked, "name": "a.birikim"})["fault"]["code"] == "upload.lost"
    assert file.is_file()
    assert (store.home / "birikim.sqlite").is_file()
    (arriving / "wrong").write_bytes(b"nothing")
    refused = ask("bring_run", {"arrived": str(arriving / "wrong"), "name": "a.birikim"})
    assert refused["fault"]["code"] == "import.not-a-run"
    assert not (arriving / "wrong").exists()
    assert store.history()["total"] == 1


@pytest.mark.parametrize(
    "argument",
    [
        *(None, [], "x", 7, {"runs": None}, {"runs": []}, {"runs": "1"}, {"runs": ["1"]}, {"runs": [True]}),
        *({"runs": [0]}, {"runs": [-1]}, {"runs": [2**70]}, {"runs": [1.5]}, {"runs": [1, "x"]}, {"runs": {"1": 1}}),
        *({"runs": [1] * 5000}, {"run": 2**60}, {"run": "1"}, {"tags": [7]}, {"search": ["x"], "sort": {"a": 1}}),
        *({"search": "\ud800", "tag": "\ud800"}, {"sort": "\ud800", "tags": [["\ud800"]]}),
        *({"arrived": "\ud800", "name": "\ud800"}, {"runs": ["\ud800"]}, {"\ud800": "\ud800"}),
        *({"sort": "id; DROP TABLE runs"}, {"limit": 10**9, "offset": 10**15}, {"tag": "' OR 1 --"}),
    ],
)
@pytest.mark.parametrize("name", ["history", "annotate", "delete_runs", "restore_runs", "purge_runs", "bring_run"])
def test_no_argument_brings_more_than_an_answer_or_harms_a_run(
    name: str, argument: Any, ask: Ask, store: Store
) -> None:
    run = ended(store)
    answer = ask(name, argument)
    assert "Traceback" not in json.dumps(answer)
    if name != "history":
        assert answer["fault"]["code"] != "message.internal"
    assert [found.id for found in store.runs()] == [run]
    assert store.in_bin() == []


def test_a_page_is_never_longer_than_it_may_be(ask: Ask, store: Store) -> None:
    for _ in range(MOST + 1):
        store.create_run(CONFIG)
    found = ask("history", {"limit": 10**6})
    assert (len(found["runs"]), found["total"]) == (MOST, MOST + 1)
