"""YAML as a person means it: YAML 1.2 scalars, no duplicate keys, and one plain error for what can't be read.

PyYAML reads YAML 1.1, where `5e-5` is text, `no` is false and `010` is eight. Here `5e-5` is a number,
`no` is text (`eval_strategy: no` needs it) and `010` is ten.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.reader import ReaderError

from engine.errors import ConfigError

LONGEST = 2**16
"""Characters. A config has a few hundred; reading a megabyte would hold up the training for half a minute."""

INTEGER = "tag:yaml.org,2002:int"
CORE_SCALARS = {
    "tag:yaml.org,2002:null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "tag:yaml.org,2002:bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    INTEGER: (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    "tag:yaml.org,2002:float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}  # noqa: RUF012 (the base class declares it so)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Without aliases, which could make a value endless: each value stands where it is used."""
        if self.check_event(yaml.AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise ComposerError(problem="an alias (*) can't be used here, write the value out", problem_mark=mark)
        return super().compose_node(parent, index)

    def whole_number(self, node: yaml.ScalarNode) -> int:
        text = str(self.construct_scalar(node))
        try:
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        except ValueError as error:  # Python bounds the number of digits
            raise ConstructorError(problem=str(error), problem_mark=node.start_mark) from None


class _Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.1 or 1.2 would take for something other than text, so that programs of both read it alike."""

    def text(self, value: str) -> yaml.ScalarNode:
        # only double quotes keep every kind of line break as it is
        return self.represent_scalar("tag:yaml.org,2002:str", value, style=None if value.isprintable() else '"')


_Loader.add_constructor(INTEGER, _Loader.whole_number)
_Dumper.add_representer(str, _Dumper.text)
for _tag, (_pattern, _first) in CORE_SCALARS.items():
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})\Z"), _first)


def parse(text: str) -> Any:
    """The one document in `text` as plain Python values. Raises ConfigError with line and column (from 1)."""
    if len(text) > LONGEST:
        raise ConfigError("config.too-long", characters=len(text), most=LONGEST)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _check_keys(node, ())
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise ConfigError("config.syntax", line=line, column=column, reason=error.problem or error.context) from None
    except ReaderError as error:
        line, column = text.count("\n", 0, error.position) + 1, error.position - text.rfind("\n", 0, error.position)
        raise ConfigError("config.syntax", line=line, column=column, reason=error.reason) from None
    except RecursionError:
        raise ConfigError("config.syntax", line=1, column=1, reason="too many brackets inside each other") from None


def _check_keys(node: yaml.Node, path: tuple[str, ...]) -> None:
    """Every key is a word, and stands once in its mapping."""
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            _check_keys(child, path)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(problem="a key must be a word", problem_mark=key.start_mark)
            here, line = (*path, key.value), key.start_mark.line + 1
            if key.value in lines:
                raise ConfigError("config.duplicate-key", field=".".join(here), line=line, first_line=lines[key.value])
            lines[key.value] = line
            _check_keys(child, here)


def dump(values: dict[str, Any]) -> str:
    """`values` as YAML text that `parse` reads back as the same values."""
    return yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False)
