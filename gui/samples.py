"""What the timeline of samples asks the program for."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import Store
from gui.answers import Asked, ServerFunction, answer

MOST_UPDATES = 100
"""Of a long timeline so many points are shown."""

OF_TEXT = ("index", "kind", "given", "wanted")
OF_SAMPLE = ("update", "index", "got", "right", "scores")


def server_functions(store: Store) -> list[ServerFunction]:
    def samples(request: Any) -> Response:
        """`{run, cursor}` → `{cursor, reset, texts, said}`: what is newer than an earlier answer's cursor."""
        return answer(lambda: _samples(store, Asked(request)))

    return [samples]


def _samples(store: Store, asked: Asked) -> dict[str, Any]:
    found = store.samples(asked.run(), asked.text("cursor"), MOST_UPDATES)
    rows = found.pop("samples")
    texts = {row["index"]: {name: row[name] for name in OF_TEXT} for row in rows}
    said = [{name: row[name] for name in OF_SAMPLE} for row in rows]
    return {**found, "texts": [texts[index] for index in sorted(texts)], "said": said}
