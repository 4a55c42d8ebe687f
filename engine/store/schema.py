"""The tables of `birikim.sqlite`, and how the file is opened."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Literal

from engine.errors import StoreError
from engine.events import ALIVE

FILE = "birikim.sqlite"
"""Its name in a home folder."""

FORMAT = 5
"""Number of this layout, kept in `PRAGMA user_version`; a higher one was written by a newer Birikim."""

APPLICATION = 0x4249524B
"""`PRAGMA application_id` of our files: “BIRK”."""

BUSY = 10.0
"""Seconds that one statement waits for a write of another process."""

ALIVE_STATES = ", ".join(f"'{state}'" for state in sorted(ALIVE))

SUMMARIES = """
CREATE VIEW summaries AS
SELECT runs.*, coalesce(last."update", 0) AS "update", coalesce(last.epoch, 0.0) AS epoch,
    coalesce(last.seconds, 0.0) AS seconds, last.loss, evaluation.loss AS eval_loss,
    coalesce(evaluation.metrics, '{}') AS eval_metrics, coalesce(last.total_examples, 0) AS total_examples,
    coalesce(last.total_targets, 0) AS total_targets
FROM runs
LEFT JOIN updates AS last
    ON last.run = runs.id AND last."update" = (SELECT max("update") FROM updates WHERE run = runs.id)
LEFT JOIN evaluations AS evaluation
    ON evaluation.run = runs.id
    AND evaluation.number = (SELECT max(number) FROM evaluations WHERE run = runs.id)
"""
"""What a list of runs shows: the run with its last update and its last evaluation."""

SAMPLES = """
CREATE TABLE samples (
    id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, "update" INTEGER, "index" INTEGER, kind TEXT, given TEXT,
    wanted TEXT, got TEXT, "right" TEXT, scores TEXT, UNIQUE (run, "update", "index")
)
"""
"""What a run said of the texts that it samples; a later `id` was told later."""

SEEN = (
    """
    CREATE TABLE seen (
        id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, "update" INTEGER, kind TEXT, "index" INTEGER, told TEXT
    )
    """,
    'CREATE INDEX seen_of_run ON seen (run, "update", id)',
)
"""What was watched of windows, as JSON; a later `id` was told later."""

LISTED = (
    "CREATE INDEX runs_listed ON runs (kind, id) WHERE deleted IS NULL",
    "CREATE INDEX runs_deleted ON runs (kind, id) WHERE deleted IS NOT NULL",
    "CREATE INDEX runs_tagged ON runs (kind, id) WHERE tags <> '[]'",
    "CREATE INDEX runs_named ON runs (name)",
)
"""What a list of thousands of runs is paged by."""

TOKENS = "ALTER TABLE updates ADD COLUMN total_tokens INTEGER"
"""Runs that were written before have counted none."""

UPGRADES: dict[int, tuple[str, ...]] = {
    1: (
        "DROP VIEW summaries",
        "ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'train'",
        "ALTER TABLE runs ADD COLUMN request TEXT",
        "ALTER TABLE runs ADD COLUMN result TEXT",
        "ALTER TABLE runs ADD COLUMN results INTEGER NOT NULL DEFAULT 0",
        SUMMARIES,
    ),
    2: (SAMPLES,),
    3: SEEN,
    4: (
        TOKENS,
        "DROP VIEW summaries",
        "ALTER TABLE runs ADD COLUMN title TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE runs ADD COLUMN notes TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE runs ADD COLUMN deleted REAL",
        SUMMARIES,
        *LISTED,
    ),
}
"""Of each older format what makes the next one of it."""

TABLES = (
    # `revision` names one telling of the run: it changes when what was told is taken back.
    # `seen` is the last sign of life in unix seconds. Of a proof, `request` says what was asked, and `result` what was
    # found; `results` counts how often that grew. `title`, `tags` and `notes` are what people say of the run;
    # `deleted` is when it came into the bin, in unix seconds.
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,
        revision INTEGER NOT NULL DEFAULT (abs(random() % 1000000000)),
        name TEXT NOT NULL, state TEXT NOT NULL, activity TEXT NOT NULL DEFAULT '', code TEXT NOT NULL DEFAULT '',
        message TEXT NOT NULL DEFAULT '', remedy TEXT NOT NULL DEFAULT '', "values" TEXT NOT NULL DEFAULT '{}',
        created REAL NOT NULL, started REAL, ended REAL, seen REAL NOT NULL,
        config TEXT NOT NULL, plan TEXT, facts TEXT,
        kind TEXT NOT NULL DEFAULT 'train', request TEXT, result TEXT, results INTEGER NOT NULL DEFAULT 0,
        title TEXT NOT NULL DEFAULT '', tags TEXT NOT NULL DEFAULT '[]', notes TEXT NOT NULL DEFAULT '', deleted REAL
    )
    """,
    f"CREATE INDEX runs_alive ON runs (owner) WHERE state IN ({ALIVE_STATES})",
    *LISTED,
    """
    CREATE TABLE updates (
        run INTEGER, "update" INTEGER, epoch REAL, loss REAL, grad_norm REAL, learning_rate REAL, examples INTEGER,
        targets INTEGER, micro_batches INTEGER, padding REAL, duration REAL, seconds REAL, total_examples INTEGER,
        total_targets INTEGER, memory INTEGER, total_tokens INTEGER, PRIMARY KEY (run, "update")
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE micro_batches (
        run INTEGER, "update" INTEGER, "index" INTEGER, "of" INTEGER, loss REAL, weight REAL, targets INTEGER,
        examples INTEGER, seconds REAL, grad_norm REAL, PRIMARY KEY (run, "update", "index")
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE evaluations (
        run INTEGER, number INTEGER, "update" INTEGER, epoch REAL, loss REAL, metrics TEXT, examples INTEGER,
        targets INTEGER, duration REAL, seconds REAL, total_examples INTEGER, total_targets INTEGER,
        PRIMARY KEY (run, number)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE memory (
        run INTEGER, number INTEGER, seconds REAL, "update" REAL, total_examples INTEGER, total_targets INTEGER,
        resident INTEGER, allocated INTEGER, reserved INTEGER, device_used INTEGER, PRIMARY KEY (run, number)
    ) WITHOUT ROWID
    """,
    # `keys`: the rows that hold the extremes of the bucket, as “3,9,12”
    """
    CREATE TABLE marks (
        run INTEGER, series TEXT, level INTEGER, bucket INTEGER, keys TEXT, PRIMARY KEY (run, series, level, bucket)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE notices (
        id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, code TEXT, message TEXT, "values" TEXT
    )
    """,
    "CREATE INDEX notices_of_run ON notices (run)",
    "CREATE TABLE commands (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, command TEXT)",
    "CREATE INDEX commands_to_run ON commands (run)",
    SAMPLES,
    *SEEN,
    SUMMARIES,
)


def connect(path: Path, mode: Literal["ro", "rw", "rwc"] = "rw") -> sqlite3.Connection:
    """A connection that any one thread at a time may use; transactions are begun by hand."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    connection.create_function("holds", 3, holds, deterministic=True)
    return connection


def folded(text: str) -> str:
    """As a search compares: small letters of any language, and the Turkish i's as one letter."""
    return text.casefold().replace("i̇", "i").replace("ı", "i")


def holds(run: int, text: str, words: str) -> bool:
    """Whether each of the folded `words` is in the text or names the run.

    Each is on a line of its own; one that names a run has that run's number after a tab.
    """
    inside, own = folded(text), str(run)
    return all(
        word in inside or number == own for word, _, number in (line.partition("\t") for line in words.split("\n"))
    )


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The write connection, on a file that is ours and of this format; a new file is laid out.

    Raises:
        StoreError: the file belongs to a newer Birikim or to another program.
        sqlite3.Error: it can't be opened or is no database.
    """
    connection = connect(path, "rwc")
    try:
        # a file that can only be read would open without a word
        if not os.access(path, os.W_OK):
            raise StoreError("store.not-writable", path=path, reason="it is read-only")
        _lay_out(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # a commit survives the death of the process; only a power cut may take back the last ones
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """`read_only`: the file itself is opened so, and another program's must have it open for writing."""
    connection = connect(path, "ro" if read_only else "rw")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _lay_out(connection: sqlite3.Connection, path: Path) -> None:
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        if found or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise StoreError("store.foreign", path=path)
        connection.execute("BEGIN IMMEDIATE")
        for statement in TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    elif found in UPGRADES:
        connection.execute("BEGIN IMMEDIATE")
        for older in range(found, FORMAT):
            for statement in UPGRADES[older]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    elif found != FORMAT:
        raise StoreError("store.newer", path=path, found=found, known=FORMAT)
