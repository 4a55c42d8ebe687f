"""A run taken away: as a script, a notebook, YAML, a launch line, its metrics, a report, its model, or all told of it.

Importing this package imports no torch: what needs the training libraries loads them when it is asked for.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.errors import RunError, StoreError
from engine.events import ALIVE
from engine.export import launching, tables
from engine.export.report import write_report
from engine.store import Run, Store

Language = Literal["en", "tr"]


@dataclass(frozen=True)
class Request:
    """What is written, where, and how: `own_code` lets Python files that the run names be run for it."""

    store: Store
    run: Run
    path: Path
    language: Language = "en"
    own_code: bool = False


@dataclass(frozen=True)
class Export:
    """A way of taking a run away. `name` is the file's, with the run's number for `{run}`.

    `write` writes `path` and returns what is to be opened: itself, or of a `folder` the file in it. `ended`: only of a
    run that has ended. `loads`: the training libraries, and the global random state with them.
    """

    name: str
    write: Callable[[Request], Path]
    folder: bool = False
    ended: bool = False
    loads: bool = False


def _script(request: Request) -> Path:
    from engine.export.script import write_script

    return write_script(request.store, request.run, request.path, own_code=request.own_code)


def _notebook(request: Request) -> Path:
    from engine.export.script import write_notebook

    return write_notebook(request.store, request.run, request.path, own_code=request.own_code)


def _run(request: Request) -> Path:
    from engine.export.run_file import write_run

    write_run(request.store, request.run.id, request.path)
    return request.path


def _yaml(request: Request) -> Path:
    from engine.config import RunConfig

    request.path.write_text(RunConfig.from_dict(request.run.config).to_yaml(), encoding="utf-8")
    return request.path


def _csv(request: Request) -> Path:
    tables.write_csv(request.store, request.run, request.path)
    return request.path


def _parquet(request: Request) -> Path:
    tables.write_parquet(request.store, request.run, request.path)
    return request.path


def _html(request: Request) -> Path:
    write_report(request.store, request.run, request.path, request.language)
    return request.path


def _accelerate(request: Request) -> Path:
    beside = f"{request.run.id} --as {launching.place(request.run)}"
    request.path.write_text(f"#!/bin/sh\n# In the folder of `birikim export {beside}`\n"
                            f"{launching.line(request.run)}\n", encoding="utf-8")  # fmt: skip
    return request.path


def _model(request: Request) -> Path:
    folder = request.store.home / "runs" / str(request.run.id) / "model"
    if not folder.is_dir():
        raise RunError("export.no-model", run=request.run.id)
    zipped(folder, request.path, inside=f"run-{request.run.id}")
    return request.path


def _adapter(request: Request) -> Path:
    folder = request.store.home / "runs" / str(request.run.id) / "model" / "adapter"
    if not folder.is_dir():
        raise RunError("export.no-adapter", run=request.run.id)
    zipped(folder, request.path, inside=f"run-{request.run.id}-adapter")
    return request.path


EXPORTS: dict[str, Export] = {
    "script": Export("run-{run}-script", _script, folder=True, ended=True, loads=True),
    "notebook": Export("run-{run}-notebook", _notebook, folder=True, ended=True, loads=True),
    "yaml": Export("run-{run}.yaml", _yaml),
    "csv": Export("run-{run}.csv", _csv),
    "parquet": Export("run-{run}.parquet", _parquet),
    "html": Export("run-{run}.html", _html),
    "model": Export("run-{run}-model.zip", _model, ended=True),
    "adapter": Export("run-{run}-adapter.zip", _adapter, ended=True),
    "accelerate": Export("run-{run}-launch.sh", _accelerate),
    "run": Export("run-{run}.birikim", _run, ended=True),
}


def take_away(
    store: Store,
    run: int,
    kind: str,
    to: Path | None = None,
    *,
    language: Language = "en",
    own_code: bool = False,
) -> Path:
    """Writes the run in one of the ways of `EXPORTS` and returns the file to open.

    `to` is the file, or the folder of a script; without it both lie in `export/` of the run's folder. What is there
    already gives way once the new one is whole.

    Raises:
        StoreError: there is no such run.
        RunError: the run can't be taken away so, or the place can't be written.
        ConfigError: an exported script can't hold what a field of its config asks for.
    """
    found = trained(store, run)
    if kind not in EXPORTS:
        raise RunError("export.unknown", kind=kind, known=", ".join(EXPORTS))
    way = EXPORTS[kind]
    if way.ended and found.state in ALIVE:
        raise RunError("export.alive", run=run)
    name = way.name.format(run=run)
    path = (to or store.home / "runs" / str(run) / "export" / name).absolute()
    if to is not None and path.is_dir() and not way.folder:
        path /= name
    with _beside(path) as partial:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear(partial)
        made = way.write(Request(store, found, partial, language, own_code))
        inside = made.relative_to(partial)
        if path.is_dir() and way.folder and to is not None:
            # a folder of the user's own keeps what else it holds
            shutil.copytree(partial, path, dirs_exist_ok=True)
        else:
            _clear(path)
            partial.rename(path)
    return path / inside


def packed(store: Store, run: int, kind: str, *, language: Language = "en", own_code: bool = False) -> Path:
    """As `take_away`, always one file: a folder comes zipped."""
    made = take_away(store, run, kind, language=language, own_code=own_code)
    if not EXPORTS[kind].folder:
        return made
    folder = made.parent
    path = folder.with_name(f"{folder.name}.zip")
    with _beside(path) as partial:
        zipped(folder, partial, inside=folder.name)
        partial.rename(path)
    return path


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A place to write at until all is whole; what is left there goes. Raises RunError where that can't be written."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        yield partial
    except OSError as problem:
        raise RunError("export.not-written", path=path, reason=problem.strerror or str(problem)) from None
    finally:
        with suppress(OSError):
            _clear(partial)


def trained(store: Store, run: int) -> Run:
    """A training run. Raises StoreError for none of that number."""
    found = store.run(run)
    if found.kind != "train":
        raise StoreError("store.no-run", run=run)
    return found


def zipped(folder: Path, path: Path, *, inside: str) -> None:
    """All files of `folder` in one, under `inside`; weights, which hardly shrink, are stored as they are."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()):
            dense = file.suffix in (".safetensors", ".parquet", ".png")
            archive.write(
                file,
                f"{inside}/{file.relative_to(folder).as_posix()}",
                zipfile.ZIP_STORED if dense else zipfile.ZIP_DEFLATED,
            )


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
