"""On which device a run goes, by name. Whether it is there only `engine.place` can tell."""

from __future__ import annotations

import re
from typing import Any

from engine.config.explain import raised
from engine.config.training import shown
from engine.errors import ConfigError

_NAME = re.compile(r"cpu|mps|cuda(:\d{1,3})?", re.ASCII)


def checked_device(value: Any) -> Any:
    """`value` as it was written: None, cpu, mps, cuda (the first one) or such as cuda:1; for a pydantic validator."""
    if value is None or (isinstance(value, str) and _NAME.fullmatch(value)):
        return value
    raise raised(ConfigError("config.device", field="device", value=shown(value)))
