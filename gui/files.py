"""Our own files: where they lie, and under which addresses they are served."""

from __future__ import annotations

import hashlib
from importlib import metadata, resources
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"


def _version() -> str:
    """Changes with any of our files, so that their addresses do, and a browser may keep each for good."""
    digest = hashlib.sha256()
    for file in sorted(ASSETS.glob("*.*")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


AT = f"birikim/{_version()}"
"""Where they are served; Gradio's lie under `assets`."""
FOR_GOOD = "public, max-age=31536000, immutable"
PLOTLY = f"birikim/plotly/{metadata.version('plotly')}"
"""Without `.js` at its end: else Gradio's server packs these five megabytes for each reader, and serves no one then."""


def plotly() -> bytes:
    """Plotly's script, from its own package."""
    return (resources.files("plotly") / "package_data" / "plotly.min.js").read_bytes()
