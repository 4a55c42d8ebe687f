"""`birikim learn`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.common import FAILED, Home, Json, opened, told
from engine.errors import one_line


def learn(
    lesson: Annotated[
        str | None, typer.Argument(metavar="LESSON", help="Which one. Without it they are listed.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Runs a lesson to its conclusion: an experiment of a minute or two, and what its numbers say."""
    fault = None
    with told():
        from engine.console import print_json, standard_output_kept
        from engine.lessons import LESSONS, WORDS, Lessons

        if lesson is None:
            titles = {name: WORDS["en"][f"lesson.{name}.title"] for name in LESSONS}
            if as_json:
                print_json({"lessons": [{"lesson": name, "title": title} for name, title in titles.items()]})
            else:
                print(*(f"{name:<15} {title}" for name, title in titles.items()), sep="\n")
            return
        from engine.learning import learn_here
        from engine.session import Session

        with opened(home) as store, standard_output_kept(as_json) as output:
            session = Session(store)
            session.start()
            try:
                state = learn_here(Lessons(session, store), lesson, output, as_json=as_json)
            finally:
                session.close()
            fault = state["fault"]
    if fault:
        print(f"birikim: {one_line(fault['message'], fault['remedy'], None)}", file=sys.stderr)
        raise typer.Exit(int(fault["values"].get("exit", FAILED)))
