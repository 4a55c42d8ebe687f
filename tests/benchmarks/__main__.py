"""Runs every benchmark whole and keeps what each printed under `tests/benchmarks/tables/`.

python -m tests.benchmarks [NAME ...]
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = (
    "store_open",
    "history",
    "throughput",
    "dealing",
    "page",
    "classroom",
    "first_run",
    "heads",
    "memory",
    "lessons",
    "devices",
)


def main() -> None:
    tables = FOLDER / "tables"
    tables.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, " + ", ".join(
        f"{name} {version(name).partition('+')[0]}" for name in ("torch", "transformers", "gradio")
    )
    for name in sys.argv[1:] or NAMES:
        print(f"== {name} ({machine})", flush=True)
        with (tables / f"{name}.txt").open("w", encoding="utf-8") as table:
            table.write(f"{machine}\n")
            with subprocess.Popen(
                [sys.executable, "-m", f"tests.benchmarks.{name}"], stdout=subprocess.PIPE, text=True
            ) as program:
                assert program.stdout
                for line in program.stdout:
                    print(line, end="", flush=True)
                    table.write(line)
        if program.returncode:
            sys.exit(program.returncode)


if __name__ == "__main__":
    main()
