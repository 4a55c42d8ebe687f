"""Server functions as the page calls them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from gui.answers import ServerFunction

Ask = Callable[[str, Any], dict[str, Any]]


def asking(functions: Iterable[ServerFunction]) -> Ask:
    """Calls one of them by its name with an argument, and gives its answer."""
    named = {function.__name__: function for function in functions}
    return lambda name, argument: json.loads(json.loads(bytes(named[name](argument).body)))
