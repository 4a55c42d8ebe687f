"""`birikim train` started by hand in several processes, by `accelerate launch` or `torchrun`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from engine.config import RunConfig
from engine.errors import ConfigError


def leads() -> bool:
    """Whether this one is the first of them."""
    return os.environ["RANK"] == "0"


def shared_by(config: RunConfig, started: int) -> RunConfig:
    """`config` for so many processes. Raises ConfigError where it speaks of another number."""
    if config.launch is None:
        return RunConfig.from_dict({**config.to_dict(), "launch": {"processes": started}})
    if config.processes != started:
        raise ConfigError("launch.other-number", field="launch", value=config.processes, processes=started)
    return config


def follow_along(config: RunConfig, home: Path) -> NoReturn:
    """Does the share of a process that does not lead, and ends it. The first one tells of the run, and of Ctrl-C."""
    import signal

    from engine.checks import check
    from engine.ranks import Several
    from engine.ranks.several import patience_of
    from engine.session.several import follow

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    check(config, own_code=True)
    done = follow(Several(patience_of(config)), home.absolute(), config)
    sys.stdout.flush()
    # threads of a group that has lost a member may never end
    os._exit(0 if done else 1)
