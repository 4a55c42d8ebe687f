"""Exports asked for by a page: written by a process beside it, so that no training and no viewer waits."""

from __future__ import annotations

from pathlib import Path

from engine.answering.questions import Answer, Questions
from engine.errors import RunError
from engine.export import EXPORTS, Language, trained
from engine.store import Store

MOST_SECONDS = 900.0
"""For one export: the largest models are read and written again."""


class Takeaways:
    """Answers at once with what is written already, and has the rest written, the newest question first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._questions = Questions(
            "engine.export.answering",
            [str(store.home)],
            most_seconds=MOST_SECONDS,
            no_answer="export.no-answer",
            # whoever asks anew has changed something
            keeps_failures=False,
        )

    def ask(self, run: int, kind: str, language: Language = "en") -> Answer:
        """`state` is working (ask again), done (`bytes`, `name`), or failed (`code`, `message`, `remedy`, `values`).

        Raises StoreError where there is no such run, RunError for a kind that is none.
        """
        question = self._question(run, kind, language)
        path = self._path(self._questions.known(question))
        if path is not None and not path.is_file():
            self._questions.forget(question)
        answer = self._questions.ask(question)
        path = self._path(answer)
        # without the path, which is this machine's
        return answer if path is None else {"state": "done", "name": path.name, "bytes": path.stat().st_size}

    def file(self, run: int, kind: str, language: Language = "en") -> Path | None:
        """What `ask` has said to be done; None else. Raises as `ask`."""
        path = self._path(self._questions.known(self._question(run, kind, language)))
        return path if path and path.is_file() else None

    def close(self) -> None:
        """Ends the process, whatever it is at. Idempotent."""
        self._questions.close()

    def _question(self, run: int, kind: str, language: Language) -> dict[str, object]:
        found = trained(self._store, run)
        if kind not in EXPORTS:
            raise RunError("export.unknown", kind=kind, known=", ".join(EXPORTS))
        # a run that goes on is written anew
        return {"run": run, "kind": kind, "language": language, "state": found.state, "update": found.update}

    @staticmethod
    def _path(answer: Answer | None) -> Path | None:
        return Path(answer["path"]) if answer is not None and answer["state"] == "done" else None
