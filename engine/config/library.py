"""The fields of `transformers.TrainingArguments`, read from the installed source without importing it.

Importing the class would load torch (seconds); parsing its file takes some 50 ms, once a process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

KINDS = {"int", "float", "bool", "str", "list", "dict", "None"}


@dataclass(frozen=True)
class LibraryField:
    """One field of TrainingArguments.

    `kinds` are names of accepted types out of `KINDS`, `choices` the legal texts where the source lists
    them, `default` None also where the source computes it.
    """

    name: str
    kinds: frozenset[str]
    choices: tuple[str, ...]
    default: Any


@cache
def training_fields() -> dict[str, LibraryField]:
    """Field name → field, in the order of the source."""
    arguments = _parse("training_args.py")
    enums = {**_enums(_parse("trainer_utils.py")), **_enums(arguments)}
    body = next(node for node in arguments.body if isinstance(node, ast.ClassDef) and node.name == "TrainingArguments")
    return {
        statement.target.id: _field(statement.target.id, statement, enums)
        for statement in body.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def library_version() -> str:
    return version("transformers")


def _parse(name: str) -> ast.Module:
    spec = find_spec("transformers")
    assert spec and spec.submodule_search_locations, "transformers is a dependency"
    return ast.parse((Path(spec.submodule_search_locations[0]) / name).read_text(encoding="utf-8"))


def _enums(module: ast.Module) -> dict[str, tuple[str, ...]]:
    return {
        node.name: tuple(
            str(statement.value.value)
            for statement in node.body
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        )
        for node in module.body
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["ExplicitEnum"]
    }


def _field(name: str, statement: ast.AnnAssign, enums: dict[str, tuple[str, ...]]) -> LibraryField:
    names = list(_names(statement.annotation))
    call = {keyword.arg: keyword.value for keyword in getattr(statement.value, "keywords", [])}
    choices = [choice for each in names for choice in enums.get(each, ())]
    match call.get("metadata"):
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "choices":
                    choices += _literal(value) or []
    kinds = frozenset(each for each in names if each in KINDS)
    if "dict" in kinds:  # there, text is JSON for the library's own command line
        kinds -= {"str"}
    return LibraryField(name=name, kinds=kinds, choices=tuple(choices), default=_literal(call.get("default")))


def _names(annotation: ast.expr) -> Iterator[str]:
    """The alternatives of a union, each without its type arguments."""
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _names(left)
            yield from _names(right)
        case ast.Subscript(value=value):
            yield from _names(value)
        case ast.Name(id=name):
            yield name
        case ast.Constant(value=None):
            yield "None"


def _literal(node: ast.expr | None) -> Any:
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None
