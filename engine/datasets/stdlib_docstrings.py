"""Docstrings of the standard library, each with the package that it comes from.

They are parsed out of the source files; none of these modules is imported. What they say differs between
versions of Python, so no golden value rests on them.
"""

from __future__ import annotations

import dis
import inspect
import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CellType, CodeType, FunctionType

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
    """Docstrings of the module, its classes and functions, without their indentation.

    Read from compiled code: before 3.12, `ast.parse` in two threads at once can fail in either, and while a page
    counts these rows, torch, which parses too, is being imported.
    """
    codes = [compile(source, "<standard library>", "exec", dont_inherit=True)]
    for code in codes:
        codes.extend(const for const in code.co_consts if isinstance(const, CodeType))
        nameless = code.co_name.startswith("<") and code.co_name != "<module>"
        if not nameless and (text := _docstring(code)):
            yield inspect.cleandoc(text)


def _docstring(code: CodeType) -> str | None:
    if code.co_flags & inspect.CO_OPTIMIZED:  # a function's
        cells = tuple(CellType() for _ in code.co_freevars)
        return FunctionType(code, {}, closure=cells).__doc__
    instructions = list(dis.get_instructions(code))
    for loads, stores in pairwise(instructions):
        if (loads.opname, stores.opname, stores.argval) == ("LOAD_CONST", "STORE_NAME", "__doc__"):
            return str(loads.argval)
    return None


def clean(text: str, package: str) -> str:
    """On one line, and without the package's name as a prefix (`asyncio.sleep`), which would give the answer away."""
    return " ".join(re.sub(rf"\b{package}\.(?=\w)", "", text).split())


def at_most(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return pairs if len(pairs) <= MOST_PER_PACKAGE else random.Random(0).sample(pairs, MOST_PER_PACKAGE)
