"""Does what was queued, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.config import RunConfig
from engine.environment import started_together
from engine.errors import ConfigError
from engine.events import StateChanged
from engine.memory.service import Predictions
from engine.ranks import Several
from engine.ranks.several import patience_of
from engine.session.control import Control
from engine.session.counting import Counting
from engine.session.estimating import Estimating
from engine.session.failure import failed
from engine.session.launched import Launched
from engine.session.measuring import Measuring
from engine.session.proving import Proving
from engine.session.runner import Training
from engine.session.several import lead
from engine.session.work import Work, carry_out
from engine.store import Run, Store

ASIDE: dict[str, Callable[[Run, Store, Control], Work]] = {
    "proof": Proving,
    "memory": Measuring,
    "noise": Estimating,
    "count": Counting,
}


def execute(run: Run, store: Store, control: Control, predictions: Predictions | None = None) -> None:
    """Does it, and writes all that happens; with `predictions` a training run is told its peak.

    Raises:
        StoreError: even the closing word could not be written.
    """
    if run.kind != "train":
        carry_out(ASIDE[run.kind], run, store, control)
        return
    config = RunConfig.from_dict(run.config)
    try:
        processes = config.processes
    except ConfigError as problem:  # the file that says it may have gone while the run waited
        store.write(failed(run.id, problem))
        store.flush()
        return
    if processes == 1:
        carry_out(partial(Training, predictions=predictions), run, store, control)
    elif started_together():
        store.write(_led(run, store, control, config, predictions))
        store.flush()
    else:
        carry_out(partial(Launched, predictions=predictions), run, store, control)


def _led(run: Run, store: Store, control: Control, config: RunConfig, predictions: Predictions | None) -> StateChanged:
    try:
        return lead(run, store, control, Several(patience_of(config)), predictions)
    except Exception as problem:  # the others did not come: the thread that waits for them has more to do
        return failed(run.id, problem)
