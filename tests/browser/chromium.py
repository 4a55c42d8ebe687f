"""The browser that the tests drive: the system's Chromium, else Playwright's own.

`python -m tests.browser.chromium` brings one where there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """The executable's path, or None."""
    from playwright.sync_api import sync_playwright

    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def bring() -> None:
    """Installs Debian's package where apt-get may be used, else Playwright's build."""
    as_root = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") and (not as_root or _succeeds([*as_root, "true"])):
        subprocess.run([*as_root, "apt-get", "update"], check=True)
        subprocess.run([*as_root, "apt-get", "install", "--yes", "--no-install-recommends", "chromium"], check=True)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def _succeeds(command: list[str]) -> bool:
    return bool(shutil.which(command[0])) and subprocess.run(command, capture_output=True).returncode == 0


if __name__ == "__main__":
    if not find():
        bring()
