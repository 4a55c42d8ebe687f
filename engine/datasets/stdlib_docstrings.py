"""Docstrings of the standard library, each with the package that it comes from.

They are parsed out of the source files; none of these modules is imported. What they say differs between
versions of Python, so no golden value rests on them.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from engine.errors import ConfigError

# In every CPython from 3.11 on, of more than a hundred docstrings each.
PACKAGES = ("asyncio", "email", "http", "importlib", "logging", "multiprocessing", "unittest", "xml")

# Keeps a large package from being the answer that is usually right.
MOST_PER_PACKAGE = 240
LEAST_CHARACTERS = 25


@cache
def docstrings() -> tuple[tuple[str, str], ...]:
    """(text, package) pairs, each text once, in the order of the packages; a text of two packages is in neither."""
    library = Path(sysconfig.get_path("stdlib"))
    owners: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in sorted((library / package).rglob("*.py")):
            for text in docstrings_of(path.read_bytes()):
                text = clean(text, package)
                if len(text) >= LEAST_CHARACTERS:
                    owners.setdefault(text, set()).add(package)
    pairs = [(text, min(packages)) for text, packages in owners.items() if len(packages) == 1]
    if {package for _, package in pairs} != set(PACKAGES):
        raise ConfigError("data.no-standard-library", field="data.name", folder=str(library))
    return tuple(pair for package in PACKAGES for pair in at_most([p for p in pairs if p[1] == package]))


def docstrings_of(source: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text


def clean(text: str, package: str) -> str:
    """On one line, and without the package's name as a prefix (`asyncio.sleep`), which would give the answer away."""
    return " ".join(re.sub(rf"\b{package}\.(?=\w)", "", text).split())


def at_most(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return pairs if len(pairs) <= MOST_PER_PACKAGE else random.Random(0).sample(pairs, MOST_PER_PACKAGE)
