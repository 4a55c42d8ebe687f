"""Runs the real programs as a person does, and shows their output when they fail."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Program:
    """A running program whose lines can be waited for."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._new: queue.Queue[str] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def wait_for_line(self, start: str, seconds: float = 120) -> str:
        """The next line of standard output that begins with `start`."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._new.get(timeout=min(left, 0.2))
            except queue.Empty:
                if self.process.poll() is not None:
                    break
                continue
            if line.startswith(start):
                return line
        raise AssertionError(f"no line that begins with {start!r}\n{self.told()}")

    def wait(self, seconds: float = 120) -> int:
        """The exit status."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s\n{self.told()}") from None
        for reader in self._readers:
            reader.join(5)
        return status

    def told(self) -> str:
        return "".join(["--- output ---\n", *self.lines, "--- errors ---\n", *self.errors])

    def _read_lines(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            self._new.put(line)

    def _read_errors(self) -> None:
        assert self.process.stderr
        self.errors.extend(self.process.stderr)


@contextmanager
def running(*arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[Program]:
    """A program that is surely gone afterwards."""
    program = Program(arguments, environment)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.process.kill()
        program.wait()
        for stream in (program.process.stdout, program.process.stderr):
            assert stream
            stream.close()
