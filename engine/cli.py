"""The command line: the same engine without a page.

Exit status: 2 for what is wrong before the first forward pass, 1 for a run that fails later, else 0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.config import RunConfig, default_home
from engine.environment import keep_to_itself
from engine.errors import BirikimError, ConfigError, one_line
from engine.trust import Trust, trust

if TYPE_CHECKING:
    from engine.follow import Followed
    from engine.store import Run

WRONG, FAILED = 2, 1

app = typer.Typer(
    help="Birikim: a gradient-accumulation studio.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML file.")]
Home = Annotated[Path | None, typer.Option(help="The folder of runs. Default: BIRIKIM_HOME, else ~/.birikim.")]
Overrides = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Overrides a config key.")]
RemoteCode = Annotated[bool, typer.Option("--trust-remote-code", help="Runs Python code that the model brings along.")]
Pickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Reads weights that are no safetensors: may run code too.")
]
Device = Literal["cpu", "cuda", "mps"]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, the last one the result.")]


def main() -> None:
    keep_to_itself()
    app(prog_name="birikim")


@app.command()
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
    with _told():
        trust(Trust(remote_code, pickle))
        chosen = RunConfig.load(config, overrides or ())
        from engine.console import print_json, teller
        from engine.follow import follow, places_of_resumptions
        from engine.session import Session
        from engine.store import Store

        store = Store(home or default_home())
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
            store.close()
    if end.run.state in ("failed", "interrupted"):
        print(f"birikim: {one_line(end.run.message, end.run.remedy, end.run.values.get('field'))}", file=sys.stderr)
    raise typer.Exit(_status(end.run))


@app.command()
def prove(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    fp64: Annotated[
        bool, typer.Option("--fp64", help="In double precision, where rounding can't hide a fault.")
    ] = False,
    plans: Annotated[bool, typer.Option("--plans", help="Every other plan of the same effective batch too.")] = False,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Proves on one window of CONFIG that its accumulated gradient is that of the large batch. Trains nothing."""
    with _told():
        trust(Trust(remote_code, pickle))
        chosen = RunConfig.load(config, overrides or ())
        from engine.checks import check

        check(chosen, own_code=True)
        from engine.proving import prove_here

        prove_here(chosen, home or default_home(), precision="fp64" if fp64 else "fp32", plans=plans, as_json=as_json)


@app.command()
def memory(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    measure: Annotated[bool, typer.Option("--measure", help="Runs one real window too, and trains nothing.")] = False,
    device: Annotated[
        Device | None, typer.Option(help="What to reckon for. Default: what this machine would train on.")
    ] = None,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Tells what one window of CONFIG takes at its peak, and of what. Loads no weights unless it measures."""
    with _told():
        trust(Trust(remote_code, pickle))
        chosen = RunConfig.load(config, overrides or ())
        from engine.checks import check

        check(chosen, own_code=True)
        from engine.accounting import account_here

        account_here(chosen, home or default_home(), device=device, measured=measure, as_json=as_json)


@app.command()
def fit(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    effective: Annotated[
        int | None, typer.Option(min=1, max=2**31 - 1, help="Examples an update. Default: CONFIG's.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="SIZE", help="8GiB, or a card such as rtx-4090. Default: what is free here.")
    ] = None,
    trial: Annotated[
        bool | None, typer.Option("--trial/--no-trial", help="Try one real step here. Default: without --budget.")
    ] = None,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Finds the largest micro-batch that fits into a budget, and the steps that keep the effective batch."""
    with _told():
        trust(Trust(remote_code, pickle))
        chosen = RunConfig.load(config, overrides or ())
        from engine.checks import check

        check(chosen, own_code=True)
        from engine.fitting import fit_here

        fit_here(chosen, home or default_home(), effective=effective, budget=budget, trial=trial, as_json=as_json)


@app.command()
def runs(home: Home = None, as_json: Json = False) -> None:
    """Lists the runs of the home folder, the newest first."""
    with _told():
        from engine.console import print_json
        from engine.store import Store

        store = Store(home or default_home())
        try:
            found = store.runs()
        finally:
            store.close()
        if as_json:
            print_json({"runs": [_summary(run) for run in found]})
            return
        if not found:
            print(f"No runs in {home or default_home()} yet. Start one with: birikim train CONFIG")
        for run in found:
            total = run.plan["updates_total"] if run.plan else "?"
            loss = "" if run.loss is None else f"loss {run.loss:.4f}"
            when = datetime.fromtimestamp(run.created).strftime("%Y-%m-%d %H:%M")
            print(f"{run.id:>4}  {when}  {run.state:<11}  update {run.update} of {total}  {loss:<12}  {run.name}")


@app.command()
def heads(
    task: Annotated[str | None, typer.Option(help="Only heads of this task, a Hub pipeline name.")] = None,
    name: Annotated[str | None, typer.Option(metavar="PATTERN", help="Only model classes such as Bert*.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Keeps the table as JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """Proves the accumulated gradient of every architecture of transformers, each built tiny with random weights."""
    with _told():
        from engine.console import print_json
        from engine.proof.heads import matching, prove_heads, table

        only = matching(task=task, name=name)
        if save is not None:
            table.check(save)
        proved, rows = [], []
        for results in table.by_head(prove_heads(only=only)):
            row = table.merged(results)
            proved += results
            rows.append(row)
            if as_json:
                print_json(row)
            else:
                print(table.line(row), flush=True)
        if not rows:
            raise ConfigError("heads.none", name=name)
        if save is not None:
            table.save(proved, save)
        if as_json:
            print_json(table.totals(rows))
        else:
            print(*table.summary(rows), sep="\n")


@app.command()
def export(
    run: Annotated[int, typer.Argument(metavar="RUN", help="The number of a run, as `birikim runs` lists it.")],
    kind: Annotated[
        str,
        typer.Option(
            "--as", metavar="KIND", help="script, notebook, yaml, csv, parquet, html, model, adapter, accelerate."
        ),
    ],
    home: Home = None,
    to: Annotated[Path | None, typer.Option(help="The file, or the folder of a script. Default: in the run's.")] = None,
    language: Annotated[Literal["en", "tr"], typer.Option(help="The language of a report.")] = "en",
    as_json: Json = False,
) -> None:
    """Takes a run away: writes it as a file, and prints where that lies."""
    with _told():
        from engine.console import print_json, standard_output_kept
        from engine.export import take_away
        from engine.store import Store

        with standard_output_kept(True) as output:
            store = Store(home or default_home())
            try:
                path = take_away(store, run, kind, to, language=language, own_code=True)
            finally:
                store.close()
        if as_json:
            print_json({"run": run, "as": kind, "path": str(path)}, output)
        else:
            print(path, file=output)


@app.command()
def push(
    run: Annotated[int, typer.Argument(metavar="RUN", help="The number of a run, as `birikim runs` lists it.")],
    name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The repository; it is made where there is none.")],
    home: Home = None,
    private: Annotated[bool, typer.Option("--private", help="A new repository is for its owner alone.")] = False,
    as_json: Json = False,
) -> None:
    """Sends a run's model to the Hub, with the token of `hf auth login` or HF_TOKEN."""
    with _told():
        from engine.console import print_json, standard_output_kept
        from engine.export.pushing import push as send
        from engine.store import Store

        with standard_output_kept(True) as output:
            store = Store(home or default_home())
            try:
                address = send(store, run, name, private=private)
            finally:
                store.close()
        if as_json:
            print_json({"run": run, "address": address}, output)
        else:
            print(address, file=output)


@app.command(add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def ui(context: typer.Context) -> None:
    """Opens the page, with the options of `app.py`."""
    from gui.launch import main as open_page

    open_page(context.args)


@contextmanager
def _told() -> Iterator[None]:
    """An error as one line on standard error; exit status 2, or 1 for one that is none of ours."""
    try:
        yield
    except BirikimError as error:
        print(f"birikim: {error.line}", file=sys.stderr)
        raise typer.Exit(WRONG) from None
    except typer.Exit:
        raise
    except Exception as problem:
        from engine.session.failure import told_here

        print(f"birikim: {told_here(problem).line}", file=sys.stderr)
        raise typer.Exit(FAILED) from None


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


def _summary(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "name": run.name,
        "state": run.state,
        "model": run.config["model"],
        "task": run.config["task"],
        "updates": run.update,
        "updates_total": run.plan["updates_total"] if run.plan else None,
        "loss": run.loss,
        "eval_loss": run.eval_loss,
        "eval_metrics": run.eval_metrics,
        "created": run.created,
        "ended": run.ended,
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
