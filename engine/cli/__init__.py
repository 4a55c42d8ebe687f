"""The command line: the same engine without a page. A file holds commands of one kind.

Exit status: 2 for what is wrong before the first forward pass, 1 for a run that fails later, else 0.
"""

from __future__ import annotations

import typer

from engine.cli.comparing import compare
from engine.cli.learning import learn
from engine.cli.page import ui
from engine.cli.reckoning import fit, heads, memory, prove
from engine.cli.sweeping import sweep
from engine.cli.taking import bring, export, push, runs
from engine.cli.training import train
from engine.environment import keep_to_itself

app = typer.Typer(
    help="Birikim: a gradient-accumulation studio.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

for command in (train, prove, memory, fit, learn, sweep, runs, compare, heads, export, push):
    app.command()(command)
app.command("import")(bring)
# its options are those of `app.py`, --help among them
app.command(add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(ui)


def main() -> None:
    keep_to_itself()
    app(prog_name="birikim")
