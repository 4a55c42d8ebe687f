"""Paragraphs of Python's own reference manual, which every CPython carries for `help()`.

They run from a line to a page. What they say differs between versions of Python, so no golden value rests on them.
"""

from __future__ import annotations

import re
from functools import cache
from textwrap import dedent

from engine.errors import ConfigError

LEAST_WORDS = 3


@cache
def paragraphs() -> tuple[str, ...]:
    """Each paragraph once, in the order of the topics' names."""
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise ConfigError("data.no-python-docs", field="data.name") from error
    found: dict[str, None] = {}
    for name in sorted(topics):
        for block in re.split(r"\n[ \t]*\n", topics[name]):
            text = unwrapped(block)
            if len(text.split()) >= LEAST_WORDS:
                found[text] = None
    return tuple(found)


def unwrapped(block: str) -> str:
    """Prose on one line; an indented block (code, grammar) keeps its lines; a heading loses its underline."""
    lines = [line for line in block.strip("\n").splitlines() if not re.fullmatch(r"\s*([*=\-~^])\1+\s*", line)]
    if all(line.startswith(" ") for line in lines):
        return dedent("\n".join(lines)).strip()
    return " ".join(" ".join(lines).split())
