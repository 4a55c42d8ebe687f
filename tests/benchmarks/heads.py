"""Proves every head of transformers for the five tasks, and keeps the table.

    python -m tests.benchmarks.heads [--workers 2]

Prints a line a head and a summary; every result goes as a JSON line into tables/heads.jsonl.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from engine.environment import keep_to_itself
from engine.proof.heads import prove_heads, table

TABLE = Path(__file__).parent / "tables" / "heads.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    keep_to_itself()
    began = time.monotonic()
    proved, rows = [], []
    for results in table.by_head(prove_heads(workers=options.workers)):
        proved += results
        rows.append(table.merged(results))
        if len(rows) == 1:
            print(table.header())
        print(table.line(rows[-1]), flush=True)
    TABLE.parent.mkdir(exist_ok=True)
    table.save(proved, TABLE)
    print(*table.summary(rows), sep="\n")
    print(f"{len(proved)} proofs in {time.monotonic() - began:.0f} s, {options.workers} processes of one thread each")


if __name__ == "__main__":
    main()
