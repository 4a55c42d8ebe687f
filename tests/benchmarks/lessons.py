"""The seconds that each lesson takes from its start to its conclusion, alone on the machine, and what it concludes.

python -m tests.benchmarks.lessons [NAME ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from engine import LESSONS, Lessons, Session, Store, told_lesson


def main() -> None:
    names = sys.argv[1:] or list(LESSONS)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        session = Session(store)
        session.start()
        lessons = Lessons(session, store)
        for name in names:
            began, used = time.perf_counter(), time.process_time()
            lessons.start(name)
            while (state := lessons.state(name))["state"] == "working":
                time.sleep(0.5)
            took, used = time.perf_counter() - began, time.process_time() - used
            print(f"{name:<15} {state['state']:<7} {took:6.1f} s, {used:6.1f} s of one core", flush=True)
            for part in state["parts"]:
                print(f"  {part['name']:<15} {part['state']:<9} {part['seconds'] or 0:6.1f} s")
            for sentence in state["conclusion"]:
                print(f"  {told_lesson(sentence['name'], sentence['values'])}", flush=True)
        session.close()
        store.close()


if __name__ == "__main__":
    main()
