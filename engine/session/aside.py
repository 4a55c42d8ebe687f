"""What the works that train nothing have in common: they load a config beside the runs, and leave no files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.proof import Bench
from engine.session.work import Work
from engine.trainer import Prepared, Progress, prepare


class Aside(Work):
    """A proof, a measurement, a count or an estimate. What it makes on the way is nobody's to keep."""

    @contextmanager
    def _prepared(self) -> Iterator[Prepared]:
        """The config's model, data and trainer."""
        with TemporaryDirectory() as folder:
            yield prepare(
                self.config, run=self.run.id, emit=lambda event: None, progress=Progress(), **self._loading(folder)
            )

    @contextmanager
    def _on_bench(self, **options: Any) -> Iterator[Bench]:
        """The same, ready for gradients; `options` as `Bench.of`."""
        with TemporaryDirectory() as folder, Bench.of(self.config, **self._loading(folder), **options) as bench:
            yield bench

    def _loading(self, folder: str) -> dict[str, Any]:
        return {
            "cache": self.store.home / "cache",
            "folder": Path(folder),
            "enter": lambda stage: self.enter("loading", stage),
            "check": self.control.check,
        }
