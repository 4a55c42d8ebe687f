"""What the Prove tab asks the program for: the newest proof as far as it has come, and the table of all heads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from fastapi import Response

from engine import ALIVE, Run, Store, StoreError
from gui.answers import Asked, ServerFunction, answer
from gui.faults import words_of
from gui.heads import page_of_heads
from gui.turns import waits_for

Tone = Literal["good", "bad", "hold", "plain"]

TONES: Mapping[str, Tone] = {
    "proof.exact": "good",
    "proof.close": "hold",
    "proof.wrong": "bad",
    "proof.own-loss": "hold",
    "proof.own-loss-wrong": "bad",
    "proof.trainer-exact": "good",
    "proof.trainer-scaled": "bad",
    "proof.trainer-small": "bad",
    "proof.trainer-off": "bad",
    "proof.trainer-both": "bad",
    "proof.means-exact": "good",
    "proof.means-off": "bad",
}
"""What a sentence of a verdict means: right, wrong, or to be looked at. The others only add to one of these."""

SHOWN = ("id", "state", "activity", "code", "message", "remedy", "values", "config", "request", "owned")


def server_functions(store: Store) -> list[ServerFunction]:
    def proof(request: Any) -> Response:
        """`{run, after}` → that proof, or the newest where `run` is null, and its result where that grew since."""
        return answer(lambda: _proof(store, Asked(request)))

    def heads(request: Any) -> Response:
        """`{search, task, page}` → one page of the table."""
        return answer(lambda: page_of_heads(Asked(request)))

    return [proof, heads]


def _proof(store: Store, asked: Asked) -> dict[str, Any]:
    wanted = asked.number("run")
    run = store.current_run("proof") if wanted is None else store.run(wanted)
    if run is None:
        return {"run": None}
    if run.kind != "proof":
        raise StoreError("store.no-run", run=run.id)
    number, result = store.result(run.id, asked.number("after") or 0)
    return {
        "run": _told(run),
        "number": number,
        "result": _in_words(result) if result else None,
        "notices": store.notices(run.id),
        "waits_for": waits_for(store, run.state, run.owned),
        "queued": _queued_behind(store, run) if run.state in ALIVE else 0,
    }


def _told(run: Run) -> dict[str, Any]:
    found = {name: getattr(run, name) for name in SHOWN}
    if run.code and not run.message:
        found["message"], found["remedy"] = words_of(run.code, run.values)
    return found


def _in_words(result: dict[str, Any]) -> dict[str, Any]:
    sentences = []
    for said in result.get("verdict", ()):
        message, remedy = words_of(said["code"], said["values"])
        sentences.append({**said, "message": message, "remedy": remedy, "tone": TONES.get(said["code"], "plain")})
    return {**result, "verdict": sentences}


def _queued_behind(store: Store, run: Run) -> int:
    return sum(other.id > run.id for other in store.waiting("proof"))
