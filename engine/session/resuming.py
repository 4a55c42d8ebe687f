"""Which checkpoint a run goes on from, and whether it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.config import RunConfig, check_continues
from engine.errors import ConfigError, StoreError
from engine.events import ALIVE
from engine.store import Checkpoint, Run, Store, checkpoints
from engine.store.checkpoint_files import Mark, torn_file

Notices = list[tuple[str, dict[str, Any]]]


@dataclass
class Resumption:
    """The checkpoint that was found whole to its last byte, its mark, and the later ones that were passed over."""

    checkpoint: Checkpoint
    mark: Mark
    notices: Notices


def find(store: Store, run: Run, update: int | None = None) -> Resumption:
    """The last whole checkpoint of a run, or the one after `update`.

    Raises:
        StoreError: there is none.
    """
    found = checkpoints(store.home, run.id)
    whole = [each for each in found if each.whole]
    if update is not None and update not in [each.update for each in whole]:
        known = ", ".join(str(each.update) for each in whole)
        raise StoreError("resume.no-such-checkpoint" if known else "resume.no-checkpoint", **_of(run, update, known))
    torn: list[tuple[int, str]] = []
    for each in reversed(found):
        if update is not None and each.update != update:
            continue
        file = torn_file(each.path)
        if file is None:
            passed = [{"update": number, "file": name, "used": each.update} for number, name in torn]
            return Resumption(each, Mark.read(each.path), [("run.checkpoint-torn", values) for values in passed])
        torn.append((each.update, file))
    if torn:
        raise StoreError("resume.all-torn", run=run.id, file=torn[0][1])
    raise StoreError("resume.no-checkpoint", run=run.id)


def check_resumable(run: Run) -> None:
    """Raises StoreError for a run that trains nothing, or that is under way."""
    if run.kind != "train":
        raise StoreError("resume.no-run", run=run.id)
    if run.state in ALIVE:
        raise StoreError("resume.under-way", run=run.id, state=run.state)


def check_config(run: Run, mark: Mark, config: RunConfig) -> None:
    """Whether `config` can go on from the checkpoint of `mark`.

    Raises:
        ConfigError: a setting is another one that must not be, or nothing is left to do.
    """
    check_continues(RunConfig.from_dict(mark.config), config)
    rows = config.micro_batch * config.accumulation_steps * config.processes
    if config.processes != mark.processes and rows != mark.window_rows:
        counts = {"before": mark.processes, "processes": config.processes, "before_rows": mark.window_rows}
        raise ConfigError("resume.other-processes", field="launch.processes", rows=rows, **counts)
    wanted, epochs = int(config.setting("max_steps")), float(config.setting("num_train_epochs"))
    if 0 < wanted < mark.update:
        raise ConfigError("resume.too-short", field="training.max_steps", total=wanted, update=mark.update)
    if wanted < 0 and epochs < mark.epoch:
        raise ConfigError("resume.too-short", field="training.num_train_epochs", total=epochs, update=mark.update)
    same_length = (wanted, epochs) == mark.length
    done = mark.update >= mark.updates_total if same_length else wanted == mark.update
    # a program that died after the last update has still to save its model
    if done and run.state == "finished":
        raise ConfigError("resume.nothing-left", run=run.id, total=mark.update)


def notices_of(mark: Mark, *, plan: tuple[int, int, int], versions: dict[str, str]) -> Notices:
    """What the user should know of where and how a run goes on: with micro-batches, steps and processes of `plan`."""
    micro_batch, steps, processes = plan
    told: Notices = [("run.resumed", {"update": mark.update, "row": mark.rows, "number": mark.epoch + 1})]
    if processes != mark.processes:
        told.append(
            ("run.resumed-processes", {"update": mark.update, "processes": processes, "before": mark.processes})
        )
    if (micro_batch, steps) != (mark.micro_batch, mark.steps):
        was = {"before_micro_batch": mark.micro_batch, "before_steps": mark.steps}
        told.append(("run.resumed-plan", {"update": mark.update, "micro_batch": micro_batch, "steps": steps, **was}))
    if versions != mark.versions:
        before, after = (
            ", ".join(
                f"{name} {which[name]}" for name in sorted(which) if mark.versions.get(name) != versions.get(name)
            )
            for which in (mark.versions, versions)
        )
        told.append(("run.resumed-elsewhere", {"before": before, "after": after}))
    return told


def _of(run: Run, update: int, known: str) -> dict[str, Any]:
    return {"run": run.id, "update": update, "known": known}
