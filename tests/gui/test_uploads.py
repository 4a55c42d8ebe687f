"""A file from a browser lands in the home folder under a harmless name, and nothing else is reached through it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from engine import ConfigError, RunConfig
from gui import preview
from gui.panels.data import Data
from gui.uploads import MOST_BYTES, NotTaken, Uploads, safe_name


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uploads:
    monkeypatch.setenv("GRADIO_TEMP_DIR", "before")
    found = Uploads(tmp_path / "home")
    found.receive()
    return found


def arrive(uploads: Uploads, content: str = "text,label\na,b\n", name: str = "rows.csv") -> Path:
    folder = uploads.arriving / os.urandom(8).hex()
    folder.mkdir()
    (folder / name).write_text(content)
    return folder / name


def test_what_a_browser_sends_is_written_within_the_home_folder(uploads: Uploads) -> None:
    assert os.environ["GRADIO_TEMP_DIR"] == str(uploads.arriving)
    assert uploads.arriving.parent.parent == uploads.folder.parent


def test_a_file_is_moved_and_nothing_stays_behind(uploads: Uploads) -> None:
    place = uploads.take(str(arrive(uploads)), "My rows.CSV")
    assert place == uploads.folder / "My-rows.csv"
    assert place.read_text() == "text,label\na,b\n"
    assert list(uploads.arriving.iterdir()) == []
    assert uploads.holds(str(place))


def test_a_name_that_is_taken_is_numbered(uploads: Uploads) -> None:
    names = [uploads.take(str(arrive(uploads, content=content)), "rows.csv").name for content in "abc"]
    assert names == ["rows.csv", "rows-2.csv", "rows-3.csv"]


def test_the_same_file_is_kept_once_and_another_of_its_name_and_size_beside_it(uploads: Uploads) -> None:
    def kept(content: str, name: str = "rows.csv") -> str:
        return uploads.take(str(arrive(uploads, content=content)), name).name

    assert [kept("a"), kept("b"), kept("b"), kept("a")] == ["rows.csv", "rows-2.csv", "rows-2.csv", "rows.csv"]
    assert kept("a", "rows.txt") == "rows.txt" and kept("a", "my rows.csv") == "my-rows.csv"
    (uploads.folder / "rows.csv").unlink()
    assert kept("b") == "rows-2.csv"
    assert {file.name: file.read_text() for file in uploads.folder.iterdir()} == {
        "rows-2.csv": "b", "rows.txt": "a", "my-rows.csv": "a",
    }  # fmt: skip
    assert list(uploads.arriving.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:\\data\\rows.csv", "rows.csv"),
        (".hidden.csv", "hidden.csv"),
        ("...csv", "data.csv"),
        ("çok güzel veri.jsonl", "çok-güzel-veri.jsonl"),
        ("a\0b<c>|d.txt", "a-b-c-d.txt"),
        ("x" * 500 + ".csv", "x" * 100 + ".csv"),
        ("好" * 500 + ".csv", "好" * 65 + ".csv"),
    ],
)
def test_a_name_does_no_harm(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_only_what_has_arrived_is_taken(uploads: Uploads, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password")
    link = uploads.arriving / "link.csv"
    link.symlink_to(secret)
    for path in (str(secret), f"{uploads.arriving}/../../../secret.csv", str(link), str(uploads.arriving), "", "a\0b"):
        with pytest.raises(NotTaken) as caught:
            uploads.take(path, "rows.csv")
        assert caught.value.fault["code"] == "upload.lost"
    assert secret.read_text() == "password"
    assert not uploads.folder.exists()


def test_what_can_not_be_read_is_refused_with_what_to_do(uploads: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotTaken) as caught:
        uploads.take(str(arrive(uploads)), "rows.exe")
    assert caught.value.fault["code"] == "upload.ending" and ".parquet" in caught.value.fault["remedy"]
    with pytest.raises(NotTaken) as caught:
        uploads.take(str(arrive(uploads, content="")), "rows.csv")
    assert caught.value.fault["code"] == "upload.empty"
    monkeypatch.setattr("gui.uploads.MOST_BYTES", 3)
    with pytest.raises(NotTaken) as caught:
        uploads.take(str(arrive(uploads)), "rows.csv")
    assert caught.value.fault["code"] == "upload.too-large"


def test_what_was_never_taken_is_removed_when_a_program_begins(uploads: Uploads) -> None:
    old, new = arrive(uploads).parent, arrive(uploads).parent
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    uploads.receive()
    assert [each.name for each in uploads.arriving.iterdir()] == [new.name]


def test_the_part_of_a_cancelled_upload_is_removed_with_a_later_one(uploads: Uploads) -> None:
    # the server writes a loose file until the last byte is here, and leaves it where that never comes
    old, new = uploads.arriving / "tmpold", uploads.arriving / "tmpnew"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    uploads.take(str(arrive(uploads)), "rows.csv")
    assert list(uploads.arriving.iterdir()) == [new]


class Session:
    """Answers a preview with the path that it was asked about."""

    def preview(self, config: RunConfig) -> dict[str, Any]:
        return {"state": "done", "path": config.data.path}


def asked(uploads: Uploads, path: str, *, local: bool, validation: str | None = None) -> dict[str, Any]:
    show, _ = preview.server_functions(Session(), uploads, local=local)  # type: ignore[arg-type]
    data = {"path": path} if validation is None else {"path": path, "validation": validation}
    body = show({"config": {"model": "tiny-bert", "task": "text-classification", "data": data}}).body
    return dict(json.loads(json.loads(bytes(body))))


def test_a_page_for_others_shows_what_was_uploaded_and_no_other_file(uploads: Uploads, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("text,label\n")
    place = str(uploads.take(str(arrive(uploads)), "rows.csv"))
    own = str(tmp_path / "own.csv")
    assert asked(uploads, place, local=False)["state"] == "done"
    assert asked(uploads, own, local=True)["state"] == "done"
    for path, beside in ((own, None), (place, own), (f"{uploads.folder}/../../own.csv", None)):
        assert asked(uploads, path, local=False, validation=beside)["code"] == "preview.elsewhere"


@pytest.mark.parametrize("question", [None, [], "x", {"config": 7}, {"config": {"model": "a"}}])
def test_whatever_is_asked_is_answered(question: Any, uploads: Uploads) -> None:
    show, take = preview.server_functions(Session(), uploads, local=True)  # type: ignore[arg-type]
    assert "fault" in json.loads(json.loads(bytes(show(question).body)))
    assert "fault" in json.loads(json.loads(bytes(take(question).body)))


def test_a_file_and_its_columns_are_named_in_the_settings(uploads: Uploads) -> None:
    data = Data(uploads, *preview.server_functions(Session(), uploads, local=True))  # type: ignore[arg-type]
    place = str(uploads.take(str(arrive(uploads)), "rows.csv"))
    before = RunConfig.default()
    named = data.named({"path": place}, before)
    assert named["data"] == {"path": place, "max_length": 128}
    assert named["training"] == before.to_dict()["training"]
    columns = data.named({"columns": {"text": "review", "label": "stars", "path": "/etc"}}, RunConfig.from_dict(named))
    assert columns["data"] == {"path": place, "max_length": 128, "text": "review", "label": "stars"}
    turned = data.named({"columns": {"messages": "talk"}}, RunConfig.from_dict(columns))
    assert turned["data"] == {"path": place, "max_length": 128, "messages": "talk"}
    read = data.named({"encoding": "cp1254"}, RunConfig.from_dict(columns))
    assert read["data"] == {**columns["data"], "encoding": "cp1254"}
    with pytest.raises(ConfigError, match="There is no file /etc/passwd"):
        data.named({"path": "/etc/passwd"}, before)


def test_the_limit_is_told_to_the_page() -> None:
    assert preview.for_page() == {"most_bytes": MOST_BYTES}
