"""A packed model that is converted once: nothing half-done is left or used."""

from pathlib import Path

import pytest

from engine.errors import ConfigError


def test_a_conversion_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.models import gguf

    def full(file: Path, folder: Path) -> None:
        (folder / "half").write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gguf, "_convert", full)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ConfigError, match="No space left on device") as error:
        gguf.converted(file, tmp_path / "cache", "smollm2")
    assert error.value.code == "model.not-converted"
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_abandoned_conversion_is_cleared_away_and_a_running_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os
    import time

    from engine.models import gguf

    monkeypatch.setattr(gguf, "_convert", lambda file, folder: (folder / "config.json").write_text("{}"))
    old, running = tmp_path / ".unfinished-old", tmp_path / ".unfinished-running"
    old.mkdir(), running.mkdir()
    os.utime(old, (time.time() - 7200,) * 2)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    folder = gguf.converted(file, tmp_path, "smollm2")
    assert folder == tmp_path / "smollm2-4"
    assert (old.exists(), running.exists()) == (False, True)


def test_two_processes_that_convert_at_once_share_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.models import gguf

    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")

    def overtaken(file: Path, folder: Path) -> None:
        other = tmp_path / "smollm2-4"
        other.mkdir()
        (other / "config.json").write_text("theirs")

    monkeypatch.setattr(gguf, "_convert", overtaken)
    folder = gguf.converted(file, tmp_path, "smollm2")
    assert (folder / "config.json").read_text() == "theirs"
    assert list(tmp_path.glob(".unfinished-*")) == []
