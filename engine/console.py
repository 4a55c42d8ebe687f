"""How a run is told on the command line: JSON lines, a progress bar, or a few plain lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from engine.store import Run

REPORTED = ("update", "epoch", "loss", "grad_norm", "learning_rate", "examples", "targets", "seconds")
"""What `--json` says of an update; `seconds` is the training time so far."""

LINES = 20
"""About as many updates are printed of a run where the output is no terminal."""


def print_json(values: Mapping[str, Any], output: TextIO | None = None) -> None:
    """One JSON object on a line of its own, on standard output unless told otherwise."""
    print(json.dumps(values, allow_nan=False), file=output, flush=True)


@contextmanager
def standard_output_kept(wanted: bool) -> Iterator[TextIO]:
    """Standard output; where it is a program's to read, what a library prints goes to standard error meanwhile."""
    output = sys.stdout
    if wanted:
        sys.stdout = sys.stderr
    try:
        yield output
    finally:
        sys.stdout = output


def counted(count: int, word: str) -> str:
    """A number and its noun: 1 update, 2 updates."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def arithmetic(plan: Mapping[str, Any]) -> str:
    """The batch arithmetic in words, from `Plan.to_dict()`."""
    return (
        f"{plan['micro_batch']} × {plan['accumulation_steps']} × {counted(plan['processes'], 'device')}"
        f" = {counted(plan['effective_batch'], 'example')} an update"
        f" · {counted(plan['updates_per_epoch'], 'update')} an epoch"
        f" · {counted(plan['updates_total'], 'update')} in all"
    )


def values_of(update: Mapping[str, Any]) -> str:
    """An update's values in words."""
    numbers = {"loss": "{:.4f}", "grad_norm": "{:.3g}", "learning_rate": "{:.3g}"}
    said = (
        f"{name.replace('_', ' ')} {text.format(update[name])}"
        for name, text in numbers.items()
        if update[name] is not None
    )
    return "  ".join(said)


class Teller(Protocol):
    """Hears of a run what is new: its `run` row at every look, each update once, and its end."""

    def look(self, run: Run) -> None: ...

    def update(self, run: Run, update: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


class JsonTeller:
    """An object an update. What a library prints meanwhile goes to standard error."""

    def __init__(self) -> None:
        self._output = sys.stdout
        sys.stdout = sys.stderr

    def look(self, run: Run) -> None:
        pass

    def update(self, run: Run, update: Mapping[str, Any]) -> None:
        print_json({name: update[name] for name in REPORTED}, self._output)

    def close(self) -> None:
        sys.stdout = self._output


class LineTeller:
    """A line for what is loaded, one for the plan, and one for every n-th update."""

    def __init__(self) -> None:
        self._said = ""
        self._planned = False

    def look(self, run: Run) -> None:
        if run.plan and not self._planned:
            self._planned = True
            print(arithmetic(run.plan), flush=True)
        said = f"{run.state} {run.activity}".strip()
        if said != self._said and run.activity in ("data", "model"):
            self._said = said
            print(f"{run.state}: {run.activity}", flush=True)

    def update(self, run: Run, update: Mapping[str, Any]) -> None:
        total = run.plan["updates_total"] if run.plan else 0
        number = update["update"]
        if number % max(1, total // LINES) == 0 or number in (1, total):
            print(f"update {number} of {total}  {values_of(update)}", flush=True)

    def close(self) -> None:
        pass


class BarTeller:
    """A bar that fills up with the updates, and the loss beside it; fits 80 columns."""

    def __init__(self) -> None:
        self._planned = False
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[loss]}"),
        )
        self._task = self._bar.add_task("queued", total=None, loss="")
        self._bar.start()

    def look(self, run: Run) -> None:
        if run.plan and not self._planned:
            self._planned = True
            self._bar.print(arithmetic(run.plan), highlight=False)
            self._bar.update(self._task, total=run.plan["updates_total"])
        self._bar.update(self._task, description=run.activity or run.state, completed=run.update)

    def update(self, run: Run, update: Mapping[str, Any]) -> None:
        loss = "" if update["loss"] is None else f"loss {update['loss']:.4f}"
        self._bar.update(self._task, completed=update["update"], loss=loss)

    def close(self) -> None:
        self._bar.stop()


def teller(*, as_json: bool) -> Teller:
    """The teller that fits the output."""
    if as_json:
        return JsonTeller()
    return BarTeller() if sys.stdout.isatty() else LineTeller()
