"""Loads the training libraries."""

from __future__ import annotations

import gc
import importlib
import sys
from types import ModuleType


def load(name: str) -> ModuleType:
    """The module `name`, with all that it imports, which stays as long as the program does.

    No garbage is looked for meanwhile, which would take a fifth of the time, nor later in what was loaded: each
    training begins with a collection, and going through the libraries alone takes 0.3 s.
    """
    if (loaded := sys.modules.get(name)) is not None:
        return loaded
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.enable()
        gc.freeze()
