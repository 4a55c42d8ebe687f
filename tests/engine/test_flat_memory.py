"""However large a file is, its rows take no more memory: they are read from the disk as they are trained on."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MIB = 2**20
TEXT = "the quick brown fox jumps over the lazy dog and thinks about it " * 16  # some 1,000 characters


def generated(path: Path, size: int) -> Path:
    """A CSV file of at least `size` bytes; every row is another one."""
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        number = 0
        while file.tell() < size:
            file.write("".join(f'"row {number + n}, {TEXT}",{"ab"[n % 2]}\n' for n in range(1000)))
            number += 1000
    return path


def told(path: Path, home: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.engine.flat", str(path), str(home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.slow
def test_memory_stays_flat_whatever_the_size_of_the_file(tmp_path: Path) -> None:
    small, large = (told(generated(tmp_path / f"{size}.csv", size * MIB), tmp_path / str(size)) for size in (100, 300))
    assert large["rows"] > 2.9 * small["rows"] > 250_000
    # 200 MiB more of rows; what grows is some 100 bytes a row, of places and marks
    assert large["peak_mib"] - small["peak_mib"] < 45
