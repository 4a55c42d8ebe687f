"""A micro-batch read back as text: what the model saw, and which of it were targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from torch import Tensor

from engine.accumulation import IGNORED

ROWS = 8
TOKENS = 100
CHARACTERS = 400
"""Of a micro-batch so many rows are read back, of a row's source and of its target so many tokens and characters."""


@dataclass(frozen=True)
class ReadBack:
    """Reads the micro-batches of one run. `task` is its name, `labels` the names of its classes or tags."""

    task: str
    tokenizer: Any
    labels: Sequence[str]

    def __call__(self, batch: Mapping[str, Any], *, shifts: bool) -> tuple[list[dict[str, Any]], int]:
        """Its first rows, as `MicroBatchSeen` tells them, and how many follow. `shifts`: as `count_targets`."""
        ids, labels = batch["input_ids"], batch["labels"]
        a_row = labels.is_floating_point() or labels.dim() == 1
        if self.task == "text2text-generation" or a_row:
            wanted = None
        elif "shift_labels" in batch:
            wanted = _after(batch["shift_labels"])
        else:
            # a head that compares each position with its own label is given the token after as that
            wanted = labels if shifts or self.task != "text-generation" else _after(labels)
        rows = []
        for row, part in self._rows(batch, len(ids)):
            tokens = ids[row, part].tolist()
            if a_row:
                told = self._told([_Part(tokens)], targets=1, label=self._label(labels[row]))
            elif wanted is None:
                target = [label for label in labels[row].tolist() if label != IGNORED]
                told = self._told([_Part(tokens), _Part(target, target)], targets=len(target))
            else:
                own = wanted[row, part].tolist()
                if shifts:
                    # nothing comes before the first token that it could be told from
                    own[0] = IGNORED
                told = self._told([_Part(tokens, own)], targets=sum(label != IGNORED for label in own))
            rows.append(told)
        return rows, self._count(batch, len(ids)) - len(rows)

    @staticmethod
    def _rows(batch: Mapping[str, Any], rows: int) -> Iterator[tuple[int, Any]]:
        """The first rows, as a row of the batch and the places in it that are no padding."""
        if "attention_mask" in batch:
            mask = batch["attention_mask"][:ROWS].bool()
            yield from ((row, mask[row]) for row in range(len(mask)))
        elif "position_ids" in batch and rows == 1:
            starts = (batch["position_ids"][0] == 0).nonzero().flatten().tolist()
            ends = [*starts[1:], batch["position_ids"].shape[1]]
            yield from ((0, slice(start, end)) for start, end in zip(starts[:ROWS], ends[:ROWS], strict=True))
        else:
            yield from ((row, slice(None)) for row in range(min(rows, ROWS)))

    @staticmethod
    def _count(batch: Mapping[str, Any], rows: int) -> int:
        packed = "attention_mask" not in batch and "position_ids" in batch and rows == 1
        return int((batch["position_ids"] == 0).sum()) if packed else rows

    def _label(self, label: Tensor) -> str:
        if label.dim():
            names = [self._name(place) for place, has in enumerate(label.tolist()) if has > 0.5]
            return ", ".join(names)[:CHARACTERS]
        return f"{label.item():g}" if label.is_floating_point() else self._name(int(label))[:CHARACTERS]

    def _name(self, number: int) -> str:
        return self.labels[number] if number < len(self.labels) else str(number)

    def _told(self, parts: list[_Part], *, targets: int, label: str | None = None) -> dict[str, Any]:
        pieces: list[dict[str, Any]] = []
        for part in parts:
            room = CHARACTERS
            for piece in self._pieces(part):
                if room > 0:
                    pieces.append({**piece, "text": piece["text"][:room]})
                room -= len(piece["text"])
        more = sum(max(0, len(part.ids) - TOKENS) for part in parts)
        return {"pieces": pieces, "targets": targets, "label": label, "more": more}

    def _pieces(self, part: _Part) -> Iterator[dict[str, Any]]:
        """Neighbours that are targets alike, together; one after another they are the text that is decoded."""
        ids = part.ids[:TOKENS]
        before = ""
        for target, group in groupby(range(len(ids)), key=lambda place: part.wanted[place] != IGNORED):
            places = list(group)
            text = self._decoded(ids[: places[-1] + 1])
            piece = text[len(before) :] if text.startswith(before) else self._decoded([ids[place] for place in places])
            before = text
            told: dict[str, Any] = {"text": piece, "target": target}
            if target and (wanted := self._wanted([part.wanted[place] for place in places])) is not None:
                told["wanted"] = wanted[:CHARACTERS]
            yield told

    def _wanted(self, labels: list[int]) -> str | None:
        """What stands elsewhere than in the text itself."""
        if self.task == "fill-mask":
            return self._decoded(labels)
        return " ".join(map(self._name, labels)) if self.task == "token-classification" else None

    def _decoded(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, clean_up_tokenization_spaces=False))


class _Part:
    """Tokens, and of each what is wanted there, -100 where nothing is."""

    def __init__(self, ids: list[int], wanted: list[int] | None = None) -> None:
        self.ids = ids
        self.wanted = wanted or [IGNORED] * len(ids)


def _after(labels: Tensor) -> Tensor:
    """The labels at the tokens that they name, of labels that stand one before."""
    moved = labels.roll(1, dims=-1)
    moved[..., 0] = IGNORED
    return moved
