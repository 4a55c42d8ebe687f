"""What the libraries read from the environment when they are imported."""

from __future__ import annotations

import os

from engine.errors import ConfigError

LOCAL = "localhost,127.0.0.1,::1"

TOGETHER = ("RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""What is set beside WORLD_SIZE in each of several processes."""

GRADIO_KEPT = {"GRADIO_TEMP_DIR", "GRADIO_ROOT_PATH"}
"""Gradio settings that a person may have good reason for: where uploads lie, and the path behind a proxy."""


def started_together() -> int:
    """In how many processes `accelerate launch` or `torchrun` has started this program; 0 where it is alone.

    Raises ConfigError for an environment that says it in part: the libraries would wait for others, or refuse.
    """
    started = int(os.environ.get("WORLD_SIZE", "1"))
    if started < 2:
        return 0
    missing = [name for name in TOGETHER if name not in os.environ]
    if missing:
        raise ConfigError("launch.half-started", size=started, missing=", ".join(missing))
    return started


def keep_to_itself() -> None:
    """Sends nothing anywhere and listens where the command line says, whatever the environment says.

    Call before the libraries are imported. Gradio takes sharing, extra ports, served folders and
    analytics from variables of its own: they are dropped.
    """
    for name in [name for name in os.environ if name.startswith("GRADIO_") and name not in GRADIO_KEPT]:
        del os.environ[name]
    os.environ.update(
        GRADIO_ANALYTICS_ENABLED="False",
        HF_HUB_DISABLE_TELEMETRY="1",
        DO_NOT_TRACK="1",
        # forked data workers would warn once for each
        TOKENIZERS_PARALLELISM="false",
    )
    # Gradio asks its own server whether it is up: a proxy has no part in that
    for name in ("NO_PROXY", "no_proxy"):
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), LOCAL)))
