"""`birikim ui`."""

from __future__ import annotations

import typer


def ui(context: typer.Context) -> None:
    """Opens the page, with the options of `app.py`."""
    from gui.launch import main as open_page

    open_page(context.args)
