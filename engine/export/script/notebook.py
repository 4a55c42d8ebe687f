"""A notebook: nbformat 4, which is JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.export.script.cells import Cell

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def text(heading: str, cells: Sequence[Cell]) -> str:
    """The notebook of `cells`, with `heading` before the first."""
    title, _, rest = heading.partition("\n\n")
    opening = f"# {title.replace(chr(10), ' ')}\n\n{rest}\n\nStart it in its own folder: rows and model lie beside it."
    made = [_markdown(opening)]
    for cell in cells:
        made += [_markdown(f"### {cell.text}"), _code(cell.code)]
    for number, each in enumerate(made):
        each["id"] = f"cell-{number}"
    return json.dumps({"cells": made, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _markdown(text: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(code: str) -> dict[str, object]:
    source = code.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
