"""`birikim train`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.common import FAILED, ConfigFile, Home, Json, Overrides, Pickle, RemoteCode, opened, told, trusted
from engine.cli.processes import follow_along, leads, shared_by
from engine.config import default_home
from engine.environment import started_together
from engine.errors import one_line

if TYPE_CHECKING:
    from engine.follow import Followed
    from engine.store import Run


def train(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    resume: Annotated[
        int | None, typer.Option(metavar="RUN", min=1, help="Goes on with a run that was stopped or broke off.")
    ] = None,
    from_update: Annotated[
        int | None, typer.Option(metavar="UPDATE", min=1, help="With --resume: not from the last checkpoint.")
    ] = None,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Trains as CONFIG says. Ctrl-C stops after the micro-batch and keeps the model and a checkpoint to go on from."""
    with told():
        chosen = trusted(config, overrides, remote_code=remote_code, pickle=pickle)
        if started := started_together():
            chosen = shared_by(chosen, started)
            if not leads():
                follow_along(chosen, home or default_home())
        from engine.console import print_json, teller
        from engine.follow import follow, places_of_resumptions
        from engine.session import Session

        with opened(home) as store:
            session = Session(store)
            try:
                resumptions = None
                if resume is None:
                    run = session.submit(chosen, name=config.stem, own_code=True)
                else:
                    resumptions = len(places_of_resumptions(store.notices(resume)))
                    run = session.resume(resume, chosen, from_update, own_code=True)
                session.start()
                tell = teller(as_json=as_json)
                try:
                    end = follow(store, session, run, tell, resumptions)
                finally:
                    tell.close()
                result = _result(end)
                if as_json:
                    print_json(result)
                else:
                    print(_in_words(end, store.home))
                if end.left:  # without the wait for the training thread
                    sys.stdout.flush()
                    os._exit(FAILED)
            finally:
                session.close()
    if end.run.state in ("failed", "interrupted"):
        print(f"birikim: {one_line(end.run.message, end.run.remedy, end.run.values.get('field'))}", file=sys.stderr)
    raise typer.Exit(_status(end.run))


def _status(run: Run) -> int:
    if run.state in ("finished", "stopped"):
        return 0
    return int(run.values.get("exit", FAILED))


def _result(end: Followed) -> dict[str, Any]:
    run = end.run
    return {
        "run": run.id,
        "state": "interrupted" if end.left else run.state,
        "updates": run.update,
        "train_loss": end.train_loss,
        "eval_loss": run.eval_loss,
        "eval_metrics": run.eval_metrics,
    }


def _in_words(end: Followed, home: Path) -> str:
    from engine.console import counted

    run = end.run
    said = [f"run {run.id} {'interrupted' if end.left else run.state} after {counted(run.update, 'update')}"]
    if end.train_loss is not None:
        said.append(f"mean loss {end.train_loss:.4f}")
    if run.eval_loss is not None:
        said.append(f"evaluation loss {run.eval_loss:.4f}")
    said += [f"{name} {value:.4f}" for name, value in run.eval_metrics.items()]
    folder = home / "runs" / str(run.id) / "model"
    if not end.left and folder.is_dir():
        said.append(f"model in {folder}")
    return " · ".join(said)
