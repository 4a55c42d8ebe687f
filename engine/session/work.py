"""What every work of the background thread has in common, and how it is carried out and cleared away."""

from __future__ import annotations

import logging
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import transformers
from accelerate.state import GradientState

from engine.config import RunConfig
from engine.errors import WORDING, RunStopped
from engine.events import Activity, Event, MicroBatchDone, MicroBatchSeen, Notice, State, StateChanged
from engine.memory.exhausted import let_go
from engine.memory.release import release
from engine.session.control import Control
from engine.session.failure import failed
from engine.store import Run, Store

log = logging.getLogger(__name__)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


class Work(ABC):
    """One run or one proof while it is under way."""

    def __init__(self, run: Run, store: Store, control: Control) -> None:
        self.run = run
        self.store = store
        self.control = control
        self.config = RunConfig.from_dict(run.config)
        self.folder = store.home / "runs" / str(run.id)

    @abstractmethod
    def do(self) -> StateChanged:
        """Returns the closing event; what fails is raised."""

    def emit(self, event: Event) -> None:
        self.store.write(event)
        # what was said of an update must outlive the process from here on
        if not isinstance(event, MicroBatchDone | MicroBatchSeen):
            self.store.flush()

    def enter(self, state: State, activity: Activity) -> None:
        self.emit(StateChanged(run=self.run.id, state=state, activity=activity))

    def notice(self, code: str, **values: Any) -> None:
        message, remedy = WORDING[code]
        text = f"{message} {remedy}".strip().format(**values)
        self.emit(Notice(run=self.run.id, code=code, message=text, values=values))

    def note(self, text: str) -> None:
        """Keeps a traceback beside the run, for whoever must look closer than the page does."""
        log.debug(text)
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "failure.txt").write_text(text, encoding="utf-8")


def carry_out(kind: Callable[[Run, Store, Control], Work], run: Run, store: Store, control: Control) -> None:
    """Does the work and writes all that happens; nothing of it stays alive afterwards.

    Raises:
        StoreError: even the closing word could not be written.
    """
    store.write(carried_out(kind, run, store, control))
    store.flush()


def carried_out(kind: Callable[[Run, Store, Control], Work], run: Run, store: Store, control: Control) -> StateChanged:
    """As `carry_out`, but for the closing word, which it returns."""
    work = kind(run, store, control)
    closing: StateChanged
    try:
        closing = work.do()
    except RunStopped:
        closing = StateChanged(run=run.id, state="stopped", code="run.stopped")
    except Exception as problem:
        closing = failed(run.id, problem)
        work.note(traceback.format_exc())
        let_go(problem)
    del work
    # accelerate's singleton still points to the data of a run that was left by an exception
    GradientState._reset_state()
    release()
    return closing
