"""Runs the scripts whose paths come in, a line each, in processes that have the libraries loaded already.

Started as a file: it finds no module of the tests, and no Birikim beside it. What a script prints is left beside it.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from pathlib import Path


def run(script: Path) -> int:
    """The exit status of `script`, which runs in its folder as a program does."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.chdir(script.parent)
    for name, stream in (("printed", 1), ("complained", 2)):
        os.dup2(os.open(script.with_suffix(f".{name}"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    sys.argv, status = [str(script)], 1
    sys.path.insert(0, str(script.parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder
    from peft import PeftModel  # noqa: F401
    from transformers import AutoTokenizer, Trainer, TrainingArguments  # noqa: F401

    for line in sys.stdin:
        print(run(Path(line.rstrip("\n"))), flush=True)
