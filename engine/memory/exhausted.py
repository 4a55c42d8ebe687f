"""Memory that has run out: how it is told from other failures, and what is said of it."""

from __future__ import annotations

import re
import traceback
from typing import Any, Literal, NamedTuple

from engine.config.byte_size import bytes_of, size_text
from engine.errors import TERMS, WORDING, RunError

Phase = Literal["loading", "forward", "backward", "update", "evaluation", "saving"]
"""What a run was about when memory ran out."""

CODE = "run.out-of-memory"

_WORDS = re.compile(r"out of memory|can't allocate memory|not enough memory|_ALLOC_FAILED", re.IGNORECASE)
_ASKED = re.compile(r"tried to allocate ([\d.]+) ?([KMGT]?i?B)", re.IGNORECASE)
_TAKEN = re.compile(r"([\d.]+) ([KMGT]?i?B) (?:memory )?is allocated by PyTorch", re.IGNORECASE)


def is_out_of_memory(problem: BaseException) -> bool:
    # torch is not imported for this: the page begins without it
    if isinstance(problem, MemoryError) or any(kind.__name__ == "OutOfMemoryError" for kind in type(problem).__mro__):
        return True
    return isinstance(problem, RuntimeError) and bool(_WORDS.search(str(problem)))


class Asked(NamedTuple):
    """Bytes that were asked for, those that were taken then, and our own budget; None where nobody says."""

    requested: int | None
    taken: int | None
    budget: int | None = None


def asked_of(problem: BaseException) -> Asked:
    """What an allocator says of its failure; on a GPU in words, to three digits."""
    exact: Asked | None = getattr(problem, "asked", None)
    if exact is not None:
        return exact
    text = str(problem).replace(" bytes", " B")
    return Asked(*(_size(pattern.search(text)) for pattern in (_ASKED, _TAKEN)))


class OutOfMemory(RunError):
    """The end of a run for want of memory. `values`, each None where it is unknown:

    `phase`; `update` (from 1), `micro_batch` (from 1) `of` the window's and its `rows`; `requested_bytes`,
    `budget_bytes` (the device's own where `imposed` is false); of what was taken `weights_bytes`, `gradients_bytes`,
    `optimizer_bytes`, `activations_bytes` (and all else), and `most`, the name of the largest of these.
    """

    def __init__(self, problem: BaseException, *, phase: Phase | None = None, **values: Any) -> None:
        taken = {name: values.get(f"{name}_bytes") for name in TERMS}
        known = {name: size for name, size in taken.items() if size is not None}
        most = max(known, key=lambda name: known[name]) if known.get("activations") is not None else None
        requested = asked_of(problem).requested
        super().__init__(CODE, **{"phase": phase, "requested_bytes": requested, "most": most, **values})
        # whoever looks closer than the page finds the place there
        self.add_note("".join(traceback.format_exception(problem)))

    @property
    def message(self) -> str:
        wording = WORDING.get(f"{CODE}.{self.values['phase']}", WORDING[CODE])
        return wording.message.format(**self.values) + self._sums()

    @property
    def remedy(self) -> str:
        phase = self.values["phase"]
        last = phase in ("forward", "backward", None) and self.values.get("rows") == 1
        return WORDING.get(f"{CODE}.{'one-row' if last else phase}", WORDING[CODE]).remedy

    def _sums(self) -> str:
        values = self.values
        if values["requested_bytes"] is None or values.get("budget_bytes") is None:
            return ""
        texts = {name: size_text(values[f"{name}_bytes"]) for name in ("requested", "budget")}
        if values["most"] is not None:
            sizes = {name: int(values[f"{name}_bytes"]) for name in TERMS}
            most = {"term": TERMS[values["most"]], "most": size_text(sizes[values["most"]])}
            texts |= {"taken": size_text(sum(sizes.values())), **most}
            return " " + WORDING[f"{CODE}.sums"].message.format(**texts)
        return " " + WORDING[f"{CODE}.whole"].message.format(**texts) if values["phase"] == "loading" else ""


def let_go(problem: BaseException) -> None:
    """Empties the frames of a failure and of those before it: they hold the tensors of the step that failed."""
    known: BaseException | None = problem
    while known is not None:
        traceback.clear_frames(known.__traceback__)
        known = known.__cause__ or known.__context__


def _size(found: re.Match[str] | None) -> int | None:
    return None if found is None else bytes_of(" ".join(found.groups()))
