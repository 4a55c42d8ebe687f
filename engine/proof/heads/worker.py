"""A process that proves heads for another: a head a line on standard input, its result a line on standard output.

Each head has a forked child with a bound on its time and memory, so that one that hangs or crashes loses only itself.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from pathlib import Path

import transformers.models.bart.modeling_bart
import transformers.models.bert.modeling_bert
import transformers.models.mixtral.modeling_mixtral  # noqa: F401 (what most models import, once for all children)

from engine.proof.heads.job import prove, said
from engine.proof.heads.mapping import Head
from engine.proof.heads.result import HeadResult

SECONDS = 60.0
BYTES = 6 << 30
"""Of address space, above what the process has already."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    _silence()
    for line in sys.stdin:
        answers.write(prove_apart(Head(**json.loads(line))) + "\n")
        answers.flush()


def prove_apart(head: Head) -> str:
    """The result of `head` as JSON, from a process of its own where the system can fork."""
    if not hasattr(os, "fork"):
        return _json(prove(head))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _bound_memory()
        try:
            os.write(writer, _json(prove(head)).encode())
        except Exception as fault:
            reason = "too-large" if isinstance(fault, MemoryError) else "crashed"
            os.write(writer, _json(HeadResult.of(head, reason=reason, detail=said(fault))).encode())
        finally:
            os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], SECONDS)
    if not ready:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if answer:
        return answer
    if not ready:
        return _json(HeadResult.of(head, reason="too-slow", detail=f"more than {SECONDS:.0f} s", seconds=SECONDS))
    return _json(HeadResult.of(head, reason="crashed", detail=f"wait status {status}"))


def _json(result: HeadResult) -> str:
    return json.dumps(result.to_dict())


def _silence() -> None:
    """Whatever a library prints goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _bound_memory() -> None:
    import resource  # not everywhere

    if sys.platform == "linux":
        now = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, now + BYTES))


if __name__ == "__main__":
    main()
