"""Files that come from a browser: each goes to the home folder's `uploads`, under a name that does no harm."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gui.faults import own_fault
from gui.form import FILE_ENDINGS

MOST_BYTES = 2**30
"""Of one file. A larger one is named by its path, or lies in a folder that is."""

LEFT_OVER = 3600.0
"""Seconds after which a file that arrived and was not taken is removed."""

LONGEST_NAME = 100


class NotTaken(Exception):
    """Why a file is not taken, as a fault for the page."""

    def __init__(self, name: str, **values: Any) -> None:
        self.fault = own_fault(name, "data.path", **values)
        super().__init__(name)


class Uploads:
    """`arriving` is where the server writes what a browser sends; nothing of it lands outside the home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "uploads"
        self.arriving = home / "cache" / "arriving"

    def receive(self) -> None:
        """Has Gradio write to `arriving` from now on, and removes what an earlier program left there."""
        self.arriving.mkdir(parents=True, exist_ok=True)
        os.environ["GRADIO_TEMP_DIR"] = str(self.arriving)
        self._tidy()

    def take(self, arrived: str, name: str) -> Path:
        """Moves what has arrived as `arrived` under a safe form of `name`, numbered where that is taken.

        What is here already under that name, byte for byte, is kept once: its place is returned.
        Raises NotTaken: it is no file in `arriving`, is empty or too large, or its ending is none that can be read.
        """
        self._tidy()
        ending = Path(name).suffix.lower()
        if ending not in FILE_ENDINGS:
            raise NotTaken("upload.ending", file=name, known=", ".join(sorted(FILE_ENDINGS)))
        file = self._arrived(arrived)
        size = file.stat().st_size
        if not 0 < size <= MOST_BYTES:
            file.unlink()
            raise NotTaken("upload.empty" if not size else "upload.too-large", file=name, gib=MOST_BYTES // 2**30)
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self._same(safe_name(name), file)
        if place:
            file.unlink()
        else:
            place = self._free(safe_name(name))
            file.replace(place)
        with suppress(OSError):
            file.parent.rmdir()  # Gradio makes one a file
        return place

    @contextmanager
    def passing(self, arrived: str) -> Iterator[Path]:
        """What has arrived as `arrived`, to be read once: then it is gone. Raises NotTaken: it is no file there."""
        file = self._arrived(arrived)
        try:
            yield file
        finally:
            with suppress(OSError):
                file.unlink()
                file.parent.rmdir()

    def holds(self, path: str) -> bool:
        """Whether `path` names a file that was uploaded."""
        with suppress(OSError, ValueError, RuntimeError):
            found = Path(path).expanduser().resolve()
            return found.is_file() and found.parent == self.folder.resolve()
        return False

    def _tidy(self) -> None:
        """Removes what arrived long ago: folders with a file each, and the loose part of one that was cancelled."""
        with suppress(OSError):
            for each in self.arriving.iterdir():
                with suppress(OSError):
                    if time.time() - each.stat().st_mtime <= LEFT_OVER:
                        continue
                    if each.is_dir():
                        shutil.rmtree(each, ignore_errors=True)
                    else:
                        each.unlink()

    def _arrived(self, path: str) -> Path:
        with suppress(OSError, ValueError):
            file, within = Path(path), self.arriving.resolve()
            # a link would lead elsewhere
            if file.resolve().is_relative_to(within) and file.is_file() and not file.is_symlink():
                return file.resolve()
        raise NotTaken("upload.lost")

    def _same(self, name: str, file: Path) -> Path | None:
        """The file of that name, numbered or not, with the bytes of `file`."""
        stem, ending, size = Path(name).stem, Path(name).suffix, file.stat().st_size
        numbered = re.compile(rf"{re.escape(stem)}(-\d+)?{re.escape(ending)}")
        with suppress(OSError):
            for place in sorted(self.folder.iterdir()):
                alike = numbered.fullmatch(place.name) and place.is_file() and not place.is_symlink()
                if alike and place.stat().st_size == size and filecmp.cmp(place, file, shallow=False):
                    return place
        return None

    def _free(self, name: str) -> Path:
        """A name in the folder that is nobody else's, and is ours from now on."""
        stem, ending = Path(name).stem, Path(name).suffix
        number = 1
        while True:
            place = self.folder / (name if number == 1 else f"{stem}-{number}{ending}")
            try:
                place.touch(exist_ok=False)
                return place
            except FileExistsError:
                number += 1


def safe_name(name: str) -> str:
    """Letters of any language, digits and a few signs; no folder, no leading dot, not too long."""
    base = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    stem, ending = Path(base).stem, Path(base).suffix.lower()
    kept = re.sub(r"[^\w.-]+", "-", stem).strip(".-_")[:LONGEST_NAME]
    while len((kept + ending).encode()) > 200:  # file systems count bytes
        kept = kept[:-1]
    return (kept or "data") + ending
