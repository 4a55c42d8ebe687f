"""Reading the runs of a home folder: all that a page shows, by questions whose answers are each of one moment."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from engine.errors import StoreError
from engine.events import Kind
from engine.store import history, reader, samples, seen, spans, whole
from engine.store.pool import Pool
from engine.store.run import Run, run_of
from engine.store.schema import ALIVE_STATES, FILE

ASIDE = "class/"
"""How the names of runs begin that others let run beside the page's own: none of them is ever the current one."""
LESSON = "lesson/"
"""How the names of a lesson's works begin: their settings are the lesson's."""
SWEEP = "sweep/"
"""How the names of a sweep's trials begin: their settings are the sweep's."""

ALIVE = f"state IN ({ALIVE_STATES})"
"""Written so, and with a plus before what other indexes know, a question finds the few that are alive by theirs."""


class Reading:
    """What can be asked. Any thread may call any method; each raises `StoreError` where the file can't be read."""

    home: Path
    token: str
    """Of the program whose runs count as its own."""
    _readers: Pool

    def runs(self, kind: Kind = "train") -> list[Run]:
        """All runs of a kind that are not in the bin, the newest first: of thousands of them ask `history`."""
        self._look_around()
        return self._runs("WHERE kind = ? AND deleted IS NULL ORDER BY id DESC", kind)

    def history(
        self,
        search: str = "",
        *,
        tag: str | None = None,
        sort: str = "id",
        descending: bool = True,
        offset: int = 0,
        limit: int = 50,
        deleted: bool = False,
        kind: Kind = "train",
        sizes: Mapping[int, int] | None = None,
        states: Mapping[str, str] | None = None,
        called: Sequence[str] = ("run",),
    ) -> dict[str, Any]:
        """One page of the runs that have every word of `search` in them, and `tag`: `runs`, and the `total` of all.

        Words are looked for in number, name, title, model, data, task, notes, tags and state, and in what `states` call
        it; “run 2” and “#2” are the run of that number, by any of the names in `called`. `sort` is one of
        `history.SORTS`, or “metric.NAME” of the last evaluation; “bytes” sorts by `sizes`, those of the runs' folders.
        `deleted`: those in the bin.

        Raises:
            StoreError: there is no such value to sort by.
        """
        self._look_around()
        asked = history.Asked(
            search, tag, sort, descending, offset, limit, deleted, kind, sizes or {}, states or {}, called
        )
        with self._readers.snapshot() as db:
            ids, total = history.page(db, asked)
            rows = db.execute("SELECT * FROM summaries WHERE id IN (SELECT value FROM json_each(?))", (str(ids),))
            found = {row["id"]: run_of(row, self.token) for row in rows}
        return {"runs": [found[run] for run in ids], "total": total}

    def tags(self, kind: Kind = "train") -> dict[str, int]:
        """Of the tags of runs that are not in the bin how many have each, the most used first."""
        with self._readers.snapshot() as db:
            return history.tags(db, kind)

    def in_bin(self, kind: Kind = "train") -> list[int]:
        """The numbers of the runs in the bin."""
        with self._readers.snapshot() as db:
            return history.in_bin(db, kind)

    def waiting(self, kind: Kind = "train") -> list[Run]:
        """The runs that wait for their turn, of any program, the next one first; those of a class wait elsewhere."""
        self._look_around()
        aside = f"name NOT LIKE '{ASIDE}%'"
        return self._runs(f"WHERE {ALIVE} AND +state = 'queued' AND +kind = ? AND {aside} ORDER BY +id", kind)

    def run(self, run: int) -> Run:
        """One run.

        Raises:
            StoreError: there is no such run.
        """
        self._look_around()
        for found in self._runs("WHERE id = ?", run):
            return found
        raise StoreError("store.no-run", run=run)

    def newest(self, names: Sequence[str]) -> list[Run]:
        """Of each of these names the newest run, of whatever kind, the oldest of them first; none from the bin."""
        self._look_around()
        marks = ", ".join("?" * len(names))
        latest = f"SELECT max(id) FROM runs WHERE name IN ({marks}) AND deleted IS NULL GROUP BY name"
        return self._runs(f"WHERE id IN ({latest}) ORDER BY id", *names)

    def next_queued(self) -> Run | None:
        """The run of this program that has waited longest."""
        return self._first(f"WHERE {ALIVE} AND state = 'queued' AND owner = ? ORDER BY id LIMIT 1", self.token)

    def current_run(self, kind: Kind = "train") -> Run | None:
        """The run that is under way, one of this program before others; else the next in a queue; else the newest."""
        self._look_around()
        order = "ORDER BY state = 'queued', owner <> ?, id LIMIT 1"
        ours = f"name NOT LIKE '{ASIDE}%'"
        alive = self._first(f"WHERE {ALIVE} AND +kind = ? AND {ours} {order}", kind, self.token)
        return alive or self._first(f"WHERE kind = ? AND deleted IS NULL AND {ours} ORDER BY id DESC LIMIT 1", kind)

    def last_set_up(self) -> Run | None:
        """The training run whose settings were written last by someone, and not by a lesson, a sweep or a student."""
        theirs = " AND ".join(f"name NOT LIKE '{start}%'" for start in (ASIDE, LESSON, SWEEP))
        return self._first(f"WHERE kind = 'train' AND deleted IS NULL AND {theirs} ORDER BY id DESC LIMIT 1")

    def at_work(self) -> Run | None:
        """What this program's background thread does now, of whatever kind."""
        condition = f"WHERE owner = ? AND state <> 'queued' AND {ALIVE} LIMIT 1"
        return self._first(condition, self.token)

    def result(self, run: int, after: int = 0) -> tuple[int, dict[str, Any] | None]:
        """How often the result of a proof has grown, and the result where that is more than `after` times.

        Raises:
            StoreError: there is no such run.
        """
        with self._readers.snapshot() as db:
            found = db.execute("SELECT results FROM runs WHERE id = ?", (run,)).fetchone()
            if found is None:
                raise StoreError("store.no-run", run=run)
            number: int = found["results"]
            if number <= after:
                return number, None
            return number, json.loads(db.execute("SELECT result FROM runs WHERE id = ?", (run,)).fetchone()["result"])

    def updates(self, run: int, after: int = 0) -> list[dict[str, Any]]:
        """The updates later than `after`, in order, by the names of `UpdateDone`."""
        return self._rows('updates WHERE run = ? AND "update" > ? ORDER BY "update"', run, after)

    def micro_batches(self, run: int, update: int | None = None) -> list[dict[str, Any]]:
        """The micro-batches of one window, or all, in order, by the names of `MicroBatchDone`."""
        order = 'ORDER BY "update", "index"'
        if update is None:
            return self._rows(f"micro_batches WHERE run = ? {order}", run)
        return self._rows(f'micro_batches WHERE run = ? AND "update" = ? {order}', run, update)

    def evaluations(self, run: int) -> list[dict[str, Any]]:
        """The evaluations in order, by the names of `EvaluationDone`."""
        found = self._rows("evaluations WHERE run = ? ORDER BY number", run)
        for row in found:
            del row["number"]
            row["metrics"] = json.loads(row["metrics"])
        return found

    def samples(self, run: int, cursor: str = "", most: int | None = None) -> dict[str, Any]:
        """What the run said of the texts that it samples: `samples`, by the names of `SampleTaken`, in order.

        `cursor` is an earlier answer's: only what is newer comes. Without a usable one `reset` is true and all comes;
        with `most`, of at most so many updates, the first and the last among them.

        Raises:
            StoreError: there is no such run.
        """
        with self._readers.snapshot() as db:
            return samples.read(db, run, cursor, most)

    def watched(self, run: int, after: int = 0) -> dict[str, Any]:
        """What was seen of the last windows that were watched, and is newer than `after`, an earlier answer's `last`.

        `micro_batches`, `windows` and `replays` by the names of `MicroBatchSeen`, `WindowSeen` and `WindowReplayed`, in
        the order in which they were told. `updates` are those of which anything is kept: what a page holds of others
        was taken back, or is too old. An answer is bounded, however long the run and its windows are.

        Raises:
            StoreError: there is no such run.
        """
        with self._readers.snapshot() as db:
            return seen.read(db, run, after)

    def reached(self, run: int, bound: float, metric: Literal["loss", "eval_loss"] = "loss") -> dict[str, Any] | None:
        """Where a loss was at or under `bound` for the first time, None for never.

        `update`, `total_examples`, `total_targets`, `total_tokens` and `seconds` of that update or evaluation.
        """
        first = spans.first_update_at_most if metric == "loss" else spans.first_evaluation_at_most
        with self._readers.snapshot() as db:
            return spans.place_of(first(db, run, bound))

    def spread_out(self, run: int, after: int, most: int) -> list[dict[str, Any]]:
        """Of the updates later than `after` at most so many, two or more, that lie evenly; as `updates` gives them."""
        with self._readers.snapshot() as db:
            return [dict(row) for row in spans.spread_out(db, run, after, most)]

    def notices(self, run: int) -> list[dict[str, Any]]:
        """The notices in order: `code`, `message`, `values`."""
        with self._readers.snapshot() as db:
            return reader.notices(db, run)

    def read(self, run: int, cursor: str = "", points: int = 4000) -> dict[str, Any]:
        """What a page draws, ready for JSON: the run, the rows that are new since `cursor`, the current window.

        Without a usable cursor, or with more than `points` new rows, `reset` is true and the rows are the whole run,
        thinned to at most `points` a curve: the first and the last row and every extreme of each metric stay. (A
        million rows can't be thinned below a few hundred.) `eta` is in seconds, None where it is unknown.
        The answer's `cursor` belongs into the next call.

        Raises:
            StoreError: there is no such run.
        """
        self._look_around()
        with self._readers.snapshot() as db:
            return reader.read(db, self.token, run, cursor, points)

    @contextmanager
    def whole(self, run: int) -> Iterator[tuple[dict[str, Any], dict[str, Iterator[list[Any]]]]]:
        """All that is held of a run, of one moment: its own values by `whole.HEAD`, and the rows by `whole.TABLES`.

        Raises:
            StoreError: there is no such run.
        """
        self.run(run)
        with self._readers.snapshot() as db:
            yield whole.head(db, run), {name: whole.rows(db, run, name) for name in whole.TABLES}

    def _runs(self, condition: str, *values: Any) -> list[Run]:
        with self._readers.snapshot() as db:
            found = db.execute(f"SELECT * FROM summaries {condition}", values)
            return [run_of(row, self.token) for row in found]

    def _first(self, condition: str, *values: Any) -> Run | None:
        return next(iter(self._runs(condition, *values)), None)

    def _rows(self, source: str, *values: Any) -> list[dict[str, Any]]:
        with self._readers.snapshot() as db:
            return [dict(row) for row in db.execute(f"SELECT * FROM {source}", values)]

    def _look_around(self) -> None:
        """Called before what pages ask again and again: who may write clears up here."""


class StoreReader(Reading):
    """Reads what a program keeps in a home folder, and can write nothing there."""

    def __init__(self, home: Path, token: str) -> None:
        """`token`: of the store of that program."""
        # the program may change its working directory later
        self.home = home.absolute()
        self.token = token
        self._readers = Pool(self.home / FILE, read_only=True)

    def close(self) -> None:
        """Lets go of the file. Idempotent."""
        self._readers.close()
