"""What there is, what comes and what is taken away: `birikim runs`, `import`, `export` and `push`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.common import Home, Json, opened, told
from engine.config import default_home

if TYPE_CHECKING:
    from engine.store import Run


ALL = 2**31
MOST_MEASURING = 600.0
"""Seconds that the folders of a home may take to be measured."""


def runs(
    home: Home = None,
    search: Annotated[str, typer.Option(help="Words that each run must have in what is known of it.")] = "",
    tag: Annotated[str | None, typer.Option(help="Only the runs with this tag.")] = None,
    sort: Annotated[
        str, typer.Option(help="loss, eval_loss, learning_rate, seconds, metric.accuracy …; -loss: highest first.")
    ] = "-id",
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    deleted: Annotated[bool, typer.Option("--deleted", help="The runs in the bin.")] = False,
    as_json: Json = False,
) -> None:
    """Lists the runs of the home folder, the newest first."""
    with told():
        from engine.console import print_json
        from engine.store import Disk

        with opened(home) as store:
            by = sort.removeprefix("-")
            use = Disk(store.home).wait(MOST_MEASURING) if by == "bytes" else None
            listed = store.history(
                search,
                tag=tag,
                sort=by,
                descending=sort.startswith("-"),
                limit=ALL if limit is None else limit,
                deleted=deleted,
                sizes=use.runs if use else None,
            )
        found: list[Run] = listed["runs"]
        if as_json:
            print_json({"runs": [_summary(run) for run in found], "total": listed["total"]})
            return
        if not found:
            print(_none(home or default_home(), bool(search or tag or deleted)))
        for run in found:
            total = run.plan["updates_total"] if run.plan else "?"
            loss = "" if run.loss is None else f"loss {run.loss:.4f}"
            when = datetime.fromtimestamp(run.created).strftime("%Y-%m-%d %H:%M")
            said = "  ".join(filter(None, (run.title or run.name, *(f"#{tag}" for tag in run.tags))))
            print(f"{run.id:>4}  {when}  {run.state:<11}  update {run.update} of {total}  {loss:<12}  {said}")


def bring(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `birikim export RUN --as run` has written.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Adds a run of another home, as `birikim export RUN --as run` has written it: without weights and checkpoints."""
    with told():
        from engine.console import print_json
        from engine.export.run_file import bring as take_in

        with opened(home) as store:
            run = take_in(store, file)
            found = store.run(run)
        if as_json:
            print_json({"run": run, "file": str(file), "updates": found.update})
        else:
            print(f"{file} is run {run} here, with {found.update} updates.")


def export(
    run: Annotated[int, typer.Argument(metavar="RUN", help="The number of a run, as `birikim runs` lists it.")],
    kind: Annotated[
        str,
        typer.Option(
            "--as", metavar="KIND", help="run, script, notebook, yaml, csv, parquet, html, model, adapter, accelerate."
        ),
    ],
    home: Home = None,
    to: Annotated[Path | None, typer.Option(help="The file, or the folder of a script. Default: in the run's.")] = None,
    language: Annotated[Literal["en", "tr"], typer.Option(help="The language of a report.")] = "en",
    as_json: Json = False,
) -> None:
    """Takes a run away: writes it as a file, and prints where that lies."""
    with told():
        from engine.console import print_json, standard_output_kept
        from engine.export import take_away

        with standard_output_kept(True) as output, opened(home) as store:
            path = take_away(store, run, kind, to, language=language, own_code=True)
        if as_json:
            print_json({"run": run, "as": kind, "path": str(path)}, output)
        else:
            print(path, file=output)


def push(
    run: Annotated[int, typer.Argument(metavar="RUN", help="The number of a run, as `birikim runs` lists it.")],
    name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The repository; it is made where there is none.")],
    home: Home = None,
    private: Annotated[bool, typer.Option("--private", help="A new repository is for its owner alone.")] = False,
    as_json: Json = False,
) -> None:
    """Sends a run's model to the Hub, with the token of `hf auth login` or HF_TOKEN."""
    with told():
        from engine.console import print_json, standard_output_kept
        from engine.export.pushing import push as send

        with standard_output_kept(True) as output, opened(home) as store:
            address = send(store, run, name, private=private)
        if as_json:
            print_json({"run": run, "address": address}, output)
        else:
            print(address, file=output)


def _none(home: Path, chosen: bool) -> str:
    return f"No such runs in {home}." if chosen else f"No runs in {home} yet. Start one with: birikim train CONFIG"


def _summary(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "name": run.name,
        "title": run.title,
        "tags": run.tags,
        "notes": run.notes,
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
