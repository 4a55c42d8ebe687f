"""Checkpoints on disk: whole or not there, the best one kept, a damaged one told from a whole one."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.events import StateChanged
from engine.store import checkpoints
from engine.store.checkpoint_files import MARK, Mark, in_folder, remove_after, thin_out, torn_file, written
from tests.engine.resumption import before_micro_batch, gone_on, newest, stopped, told
from tests.engine.test_resume_exact import EVALUATING, classifier, making


def mark(update: int, **values: Any) -> Mark:
    nothing = {name: None for name in Mark.__dataclass_fields__ if name not in ("files", "sums", "format")}
    plain = {"epoch": 0, "rows": 0, "windows": 0, "length": (-1, 3.0), "weights": "", "data": "", "versions": {}}
    return Mark(**{**nothing, **plain, "update": update, **values})


def write(folder: Path, update: int, **values: Any) -> Path:
    with written(folder, mark(update, **values)) as path:
        torch.save({"weight": torch.arange(1000) + update}, path / "weights.pt")
        (path / "note.json").write_text("{}")
    return folder / f"checkpoint-{update}"


def updates(folder: Path) -> list[int]:
    return [each.update for each in in_folder(folder) if each.whole]


def test_a_checkpoint_is_there_when_all_of_it_is(tmp_path: Path) -> None:
    with written(tmp_path, mark(3)) as path:
        (path / "weights.pt").write_bytes(b"half")
        assert in_folder(tmp_path) == []
    (found,) = in_folder(tmp_path)
    assert (found.update, found.whole, found.path.name) == (3, True, "checkpoint-3")
    assert Mark.read(found.path).files == {"weights.pt": 4}


def test_of_one_that_fails_nothing_is_left_and_the_one_before_stays(tmp_path: Path) -> None:
    write(tmp_path, 3)
    with pytest.raises(OSError, match="full"), written(tmp_path, mark(3)) as path:
        (path / "weights.pt").write_bytes(b"half")
        raise OSError("full")
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-3"]
    assert torn_file(tmp_path / "checkpoint-3") is None


def test_what_a_killed_program_was_writing_is_no_checkpoint(tmp_path: Path) -> None:
    write(tmp_path, 3)
    partial = write(tmp_path, 6).rename(tmp_path / "partial-6")
    (partial / MARK).unlink()
    assert updates(tmp_path) == [3] and len(in_folder(tmp_path)) == 1
    remove_after(tmp_path, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-3"]


def test_one_killed_just_before_it_took_its_place_is_whole(tmp_path: Path) -> None:
    write(tmp_path, 6).rename(tmp_path / "partial-6")
    assert updates(tmp_path) == [6]
    remove_after(tmp_path, 6)
    assert updates(tmp_path) == [6]


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut, flip, Path.unlink])
def test_a_torn_file_is_found_out(damage: Any, tmp_path: Path) -> None:
    path = write(tmp_path, 3)
    damage(path / "weights.pt")
    assert torn_file(path) == "weights.pt"
    # a flipped bit is seen by whoever reads all of it alone
    assert updates(tmp_path) == ([3] if damage is flip else [])


def test_a_flipped_bit_of_what_is_no_archive_is_seen_too(tmp_path: Path) -> None:
    path = write(tmp_path, 3)
    (path / "note.json").write_text("[]")
    assert torn_file(path) == "note.json" and updates(tmp_path) == [3]
    path = write(tmp_path, 6, rows=24)
    assert torn_file(path) is None and Mark.read(path).rows == 24
    text = (path / MARK).read_text()
    # still a mark, of another row: the run would go on there and no one would know
    (path / MARK).write_text(text.replace('"rows": 24', '"rows": 26'))
    assert torn_file(path) == MARK and updates(tmp_path) == [3]


def test_a_mark_without_a_checksum_is_read_as_before(tmp_path: Path) -> None:
    path = write(tmp_path, 3)
    values = json.loads((path / MARK).read_text())
    (path / MARK).write_text(json.dumps({name: value for name, value in values.items() if name not in ("sum", "sums")}))
    assert torn_file(path) is None and updates(tmp_path) == [3]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 99}', json.dumps({**asdict(mark(3)), "more": 1})])
def test_a_mark_that_is_none_of_ours_makes_no_checkpoint(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, 3)
    (path / MARK).write_text(text)
    assert [each.whole for each in in_folder(tmp_path)] == [False]
    assert torn_file(path) == MARK


def test_the_limit_keeps_the_last_and_the_best(tmp_path: Path) -> None:
    for update in (2, 4, 6, 8, 10):
        write(tmp_path, update, best=4)
    thin_out(tmp_path, 3)
    assert updates(tmp_path) == [4, 8, 10]
    assert [each.update for each in in_folder(tmp_path) if each.best] == [4]
    thin_out(tmp_path, 1)
    assert updates(tmp_path) == [4, 10]
    thin_out(tmp_path, None)
    assert updates(tmp_path) == [4, 10]


def test_a_home_without_the_run_has_none(tmp_path: Path) -> None:
    assert checkpoints(tmp_path, 7) == []


# ---- written by a run ----


@pytest.mark.slow
def test_a_run_keeps_as_many_as_it_may_and_the_best_one(tmp_path: Path) -> None:
    run = making(save_strategy="steps", save_steps=1, save_total_limit=2, metric_for_best_model="loss", **EVALUATING)(
        tmp_path
    )
    run.trainer.train()
    losses = {entry["update"]: entry["loss"] for entry in told(run) if "metrics" in entry}
    best = min(losses, key=losses.__getitem__)
    assert {each.update for each in in_folder(tmp_path)} == {best, 8, 9} - ({8} if best < 9 else set())
    assert [each.update for each in in_folder(tmp_path) if each.best] == [best]


@pytest.mark.slow
def test_the_best_model_is_kept_at_the_end(tmp_path: Path) -> None:
    make = making(
        save_strategy="steps", save_steps=2, load_best_model_at_end=True, learning_rate=3e-2,
        **{**EVALUATING, "eval_steps": 2},
    )  # fmt: skip
    run = make(tmp_path)
    said: list[tuple[str, dict[str, Any]]] = []
    run.trainer.notice = lambda code, **values: said.append((code, values))
    run.trainer.train()
    losses = {entry["update"]: entry["loss"] for entry in told(run) if "metrics" in entry}
    best = min(losses, key=losses.__getitem__)
    assert best < max(losses), "the rate is so high that it gets worse"
    assert said == [("run.best-restored", {"update": best, "metric": "loss", "value": f"{losses[best]:.4g}"})]
    assert run.trainer.evaluate()["eval_loss"] == losses[best]


@pytest.mark.slow
def test_a_best_one_between_two_checkpoints_is_kept_too(tmp_path: Path) -> None:
    make = making(save_strategy="steps", save_steps=4, load_best_model_at_end=True, learning_rate=3e-2, **EVALUATING)
    run = make(tmp_path)
    run.trainer.train()
    losses = {entry["update"]: entry["loss"] for entry in told(run) if "metrics" in entry}
    assert run.trainer.evaluate()["eval_loss"] == min(losses.values())


@pytest.mark.slow
def test_a_disk_that_is_full_costs_the_checkpoint_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = making(save_strategy="steps", save_steps=3)
    run = make(tmp_path)
    said: list[tuple[str, dict[str, Any]]] = []
    run.trainer.notice = lambda code, **values: said.append((code, values))
    save = type(run.trainer)._save_optimizer_and_scheduler

    def full(trainer: Any, folder: str) -> None:
        if trainer.state.global_step == 6:
            raise OSError(28, "No space left on device")
        save(trainer, folder)

    monkeypatch.setattr(type(run.trainer), "_save_optimizer_and_scheduler", full)
    run.trainer.train()
    whole = classifier(tmp_path / "whole")
    whole.trainer.train()
    assert updates(tmp_path) == [3, 9] and not list(tmp_path.glob("partial-*"))
    assert said == [("run.no-new-checkpoint", {"update": 6, "reason": "[Errno 28] No space left on device", "last": 3})]
    assert told(run) == told(whole)


@pytest.mark.slow
def test_saving_is_told_while_it_lasts(tmp_path: Path) -> None:
    run = making(save_strategy="steps", save_steps=9)(tmp_path)
    run.trainer.train()
    assert [event.activity for event in run.of(StateChanged)] == ["saving", "training"]


@pytest.mark.slow
def test_stop_right_after_a_checkpoint_writes_no_second_one(tmp_path: Path) -> None:
    make = making(save_strategy="steps", save_steps=1)
    stopped(make, tmp_path, before_micro_batch(5))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "checkpoint-1").iterdir()}
    stopped(make, tmp_path / "again", before_micro_batch(5))
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "checkpoint-1").iterdir()} == before
    assert newest(tmp_path).endswith("checkpoint-1")
    assert gone_on(make, tmp_path).trainer.state.global_step == 9
