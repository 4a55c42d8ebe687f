"""The students' page and all files that it needs, held in memory and packed once."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import NamedTuple

from gui import charts
from gui.classroom import preset
from gui.files import ASSETS, AT, FOR_GOOD, PLOTLY, plotly
from gui.text import TABLES
from gui.text.tongues import tongues

FIRST = "class"
"""The script that builds the page; those that it imports come with it."""
TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
SHEETS = ("page", "buttons", "charts", "lane", "live", "player", "player-gradient", "class")
"""Style sheets in the order in which they are read."""


class File(NamedTuple):
    """What a route answers with."""

    plain: bytes
    packed: bytes
    kind: str
    kept: str


@cache
def files() -> dict[str, File]:
    """By path: the page at `/`, and all that it loads."""
    scripts = _closure(FIRST)
    names = [*(f"{name}.js" for name in ("before", *scripts)), *(f"{name}.css" for name in SHEETS), "favicon.svg"]
    found = {f"/{AT}/{name}": _file((ASSETS / name).read_bytes(), TYPES[name.rpartition(".")[2]]) for name in names}
    found[f"/{PLOTLY}"] = _file(plotly(), TYPES["js"])
    found["/"] = _file(_page(scripts).encode(), "text/html; charset=utf-8", kept="no-store")
    return found


def _file(plain: bytes, kind: str, kept: str = FOR_GOOD) -> File:
    return File(plain, gzip.compress(plain, compresslevel=6, mtime=0), kind, kept)


def _closure(first: str) -> list[str]:
    """The script and all that it imports, by name."""
    found: dict[str, None] = {}
    left = [first]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = None
            text = (ASSETS / f"{name}.js").read_text(encoding="utf-8")
            left += re.findall(r'from "\./([\w-]+)\.js"', text)
    return list(found)


def _page(scripts: list[str]) -> str:
    setup = {
        "words": TABLES,
        "tongues": tongues(),
        "charts": charts.for_page(),
        "places": {},
        "plotly": PLOTLY,
        "class": preset.for_page(),
    }
    data = json.dumps(setup).replace("<", "\\u003c")
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="birikim-languages" content="{" ".join(TABLES)}">',
        "<title>Birikim</title>",
        f'<link rel="icon" href="{AT}/favicon.svg">',
        f'<script src="{AT}/before.js"></script>',
        *(f'<link rel="stylesheet" href="{AT}/{name}.css">' for name in SHEETS),
        f'<script type="application/json" id="birikim-setup">{data}</script>',
        *(f'<link rel="modulepreload" href="{AT}/{name}.js">' for name in scripts),
        f'<script type="module" src="{AT}/{FIRST}.js"></script>',
    ]
    body = '<body class="students"><div id="masthead"></div><main id="class"></main></body>'
    return f'<!doctype html><html lang="en"><head>{"".join(head)}</head>{body}</html>'
