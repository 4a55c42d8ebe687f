"""The checkpoints of a run on disk: which there are, whether they are whole, and how one becomes whole at once.

runs/N/checkpoints/checkpoint-40/    weights.pt, optimizer.pt, …, and last of all its mark
runs/N/checkpoints/partial-60/       one that is being written; it is renamed when it is whole
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

MARK = "mark.json"
OWN_SUM = "sum"
"""The key of a mark's own checksum."""

FORMAT = 1
_NAME = re.compile(r"(checkpoint|partial)-(\d{1,12})")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Where a run stood: all that a resumption needs beside weights, optimizer, schedule and random state.

    `epoch` is the pass over the data that is under way, counted from 0, `rows` and `windows` how many of it were met.
    `due`: whether an evaluation, and whether a checkpoint, was still to come after `update`. `used`: rows of a whole
    pass, None for a stream. `length`: max_steps and num_train_epochs. `skipped`: windows without an update, in a row.
    `dealing`: rows and tokens of a micro-batch once one had to be halved. `early`: evaluations without an improvement,
    and what the best one gave. `weights`, `data` and `evaluation` are digests of what is not in the checkpoint: frozen
    weights, rows to train and to evaluate on; older marks have none of the last, and no `tokens`.
    `files`: names and sizes in bytes. `sums`: checksums of those that are no archives, which have their own.
    """

    update: int
    epoch: int
    rows: int
    windows: int
    due: tuple[bool, bool] | None
    micro_batch: int
    steps: int
    used: int | None
    length: tuple[int, float]
    updates_total: int
    examples: int
    targets: int
    seconds: float
    window: int
    skipped: int
    skipped_windows: int
    skipped_examples: int
    evaluated_at: int | None
    dealing: tuple[int, int | None] | None
    early: tuple[int, float | None] | None
    best: int | None
    weights: str
    data: str
    config: dict[str, Any] | None
    versions: dict[str, str]
    evaluation: str | None = None
    tokens: int | None = None
    processes: int = 1
    files: dict[str, int] = field(default_factory=dict)
    sums: dict[str, int] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def window_rows(self) -> int:
        """Rows of a full window, over all processes."""
        return self.micro_batch * self.steps * self.processes

    @classmethod
    def read(cls, folder: Path) -> Mark:
        """Raises ValueError, TypeError or OSError for what is no mark of ours."""
        values = json.loads((folder / MARK).read_text(encoding="utf-8"))
        if values["format"] != FORMAT:
            raise ValueError(f"format {values['format']}")
        # one that was written before there was a checksum has none
        if (own := values.pop(OWN_SUM, None)) is not None and own != _sum_of(values):
            raise ValueError("other values than were written")
        for name in ("due", "length", "dealing", "early"):
            values[name] = values[name] and tuple(values[name])
        return cls(**values)


@dataclass(frozen=True)
class Checkpoint:
    """One checkpoint: `whole` as far as its mark and the sizes of its files tell, `best` by the evaluations so far."""

    update: int
    path: Path
    whole: bool
    best: bool


def folder_of(home: Path, run: int) -> Path:
    return home / "runs" / str(run) / "checkpoints"


def checkpoints(home: Path, run: int) -> list[Checkpoint]:
    """The checkpoints of a run, the oldest first; what a program that died was still writing is none."""
    return in_folder(folder_of(Path(home), run))


def in_folder(folder: Path) -> list[Checkpoint]:
    found: dict[int, tuple[Path, Mark | None]] = {}
    with suppress(OSError):
        # a partial one that is whole was about to take the place of one that is gone
        for path in sorted(folder.iterdir(), key=lambda path: path.name, reverse=True):
            named = _NAME.fullmatch(path.name)
            if named and path.is_dir():
                mark = _whole(path)
                if mark or named[1] == "checkpoint":
                    found[int(named[2])] = path, mark
    best = next((mark.best for _, (_, mark) in sorted(found.items(), reverse=True) if mark), None)
    return [
        Checkpoint(update, path, mark is not None, update == best) for update, (path, mark) in sorted(found.items())
    ]


def torn_file(path: Path) -> str | None:
    """The name of a file that is not as it was written, read to its last byte; None where all are."""
    mark = _mark(path)
    if mark is None:
        return MARK
    for name, size in mark.files.items():
        try:
            if (path / name).stat().st_size != size:
                return name
            if name.endswith(".pt"):
                # torch writes archives, with a checksum of each part
                with zipfile.ZipFile(path / name) as archive:
                    if archive.testzip() is not None:
                        return name
            elif name in mark.sums and zlib.crc32((path / name).read_bytes()) != mark.sums[name]:
                return name
        except (OSError, zipfile.BadZipFile, EOFError, ValueError, NotImplementedError):
            return name
    return None


@contextmanager
def written(folder: Path, mark: Mark) -> Iterator[Path]:
    """A folder to write the files of a checkpoint into; it is in its place afterwards, whole, or not at all.

    One of the same update is replaced. What fails passes through, and leaves nothing.
    """
    partial, place = folder / f"partial-{mark.update}", folder / f"checkpoint-{mark.update}"
    _remove(partial)
    try:
        partial.mkdir(parents=True)
        yield partial
        files = sorted(partial.iterdir())
        sizes = {path.name: path.stat().st_size for path in files}
        sums = {path.name: zlib.crc32(path.read_bytes()) for path in files if path.suffix != ".pt"}
        values = json.loads(json.dumps(asdict(replace(mark, files=sizes, sums=sums))))
        text = json.dumps({**values, OWN_SUM: _sum_of(values)}, indent=1)
        (partial / MARK).write_text(text, encoding="utf-8")
        for path in partial.iterdir():
            _to_disk(path)
        _remove(place)
        partial.rename(place)
    except BaseException:
        _remove(partial)
        raise
    _to_disk(folder)


def thin_out(folder: Path, most: int | None) -> None:
    """Deletes the oldest whole checkpoints beyond `most`, but never the last one nor the best one."""
    found = [each for each in in_folder(folder) if each.whole]
    left = len(found)
    for each in found[:-1]:
        if most is None or left <= most:
            break
        if not each.best:
            _remove(each.path)
            left -= 1


def remove_after(folder: Path, update: int) -> None:
    """Deletes what a run that goes on from `update` leaves behind: later checkpoints, and what was half written."""
    kept = {each.path for each in in_folder(folder) if each.update <= update}
    with suppress(OSError):
        for path in folder.iterdir():
            if _NAME.fullmatch(path.name) and path not in kept:
                _remove(path)


def _sum_of(values: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(values, sort_keys=True).encode())


def _mark(path: Path) -> Mark | None:
    try:
        return Mark.read(path)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _whole(path: Path) -> Mark | None:
    """The mark of a checkpoint whose files have their sizes."""
    mark = _mark(path)
    try:
        whole = mark is not None and all((path / name).stat().st_size == size for name, size in mark.files.items())
    except OSError:
        whole = False
    return mark if whole else None


def _remove(path: Path) -> None:
    """Deletes a folder; its mark goes first, so that what a dying program leaves of it is no checkpoint."""
    with suppress(OSError):
        (path / MARK).unlink()
    shutil.rmtree(path, ignore_errors=True)


def _to_disk(path: Path) -> None:
    """Waits until it would outlast a power cut, where the system can say so."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as problem:
        if problem.errno in (errno.EIO, errno.ENOSPC, errno.EDQUOT):
            raise
