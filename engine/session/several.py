"""A run of several processes, seen from each of them: the first one leads, and writes what happens."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from engine.config import RunConfig
from engine.errors import RunError, RunStopped
from engine.events import Event, StateChanged
from engine.memory.service import Predictions
from engine.ranks import Several
from engine.ranks.lookout import Lookout
from engine.ranks.several import is_lost
from engine.session.control import Control
from engine.session.failure import told_of
from engine.session.runner import Training
from engine.session.work import carried_out
from engine.store import Run, Store

OWN_PLACES = (("model",), ("data", "path"), ("data", "validation"), ("loss",), ("trainer",), ("launch",))
"""Keys of a config that may name another place on another machine."""


@dataclass(frozen=True)
class Share:
    """What the leader tells the others of the run."""

    id: int
    config: dict[str, Any]
    request: dict[str, Any] | None
    kind: str = "train"


def lead(
    run: Run, store: Store, control: Control, ranks: Several, predictions: Predictions | None = None
) -> StateChanged:
    """Does the run together with the other processes and writes all that happens, but for the closing word."""
    with Lookout(ranks) as lookout:
        ranks.told(Share(run.id, run.config, run.request))
        leading = partial(Leading, predictions=predictions, ranks=ranks, lookout=lookout)
        return carried_out(leading, run, store, control)


def follow(ranks: Several, home: Path, config: RunConfig | None = None) -> bool:
    """Does the share of a process that does not lead; whether it came to its end.

    `config`: what this process was told to train; None: what the leader tells.
    """
    with Lookout(ranks) as lookout:
        share = ranks.told(cast(Share, None))
        try:
            if config is not None:
                check_same(share.config, config.to_dict())
                share = Share(share.id, config.to_dict(), share.request)
            Following(cast(Run, share), cast(Store, Nowhere(home)), Control(), ranks=ranks).do()
        except RunStopped:
            pass
        except Exception as problem:
            if not is_lost(problem):
                told = told_of(problem)
                traceback.print_exc()
                lookout.fail({"message": told.message, "remedy": told.remedy})
            return False
    return True


def check_same(leaders: dict[str, Any], own: dict[str, Any]) -> None:
    """Raises RunError where two processes were told to train different things."""
    if _without_places(leaders) != _without_places(own):
        raise RunError("launch.other-config")


def _without_places(config: dict[str, Any]) -> dict[str, Any]:
    config = {**config, "data": dict(config["data"])}
    for *outer, last in OWN_PLACES:
        inner = config[outer[0]] if outer else config
        inner.pop(last, None)
    return config


class Leading(Training):
    """Of a connection that breaks off it says which process it comes from."""

    def __init__(self, *given: Any, lookout: Lookout, **named: Any) -> None:
        super().__init__(*given, **named)
        self.lookout = lookout

    def do(self) -> StateChanged:
        try:
            return super().do()
        except Exception as problem:
            if not is_lost(problem):
                raise
            raise self.lookout.explained(problem) from problem


class Following(Training):
    """Says nothing."""

    def emit(self, event: Event) -> None:
        pass


class Nowhere:
    """In place of a store, where there is nothing to be written."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def write(self, event: Event) -> None:
        pass
