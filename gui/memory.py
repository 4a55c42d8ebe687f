"""What the Memory tab asks the program for: predictions, what fits, what would save, and what was measured."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import ALIVE, CARDS, MemoryRequest, Run, RunConfig, Session, Store, savers
from gui.answers import Asked, ServerFunction, answer
from gui.faults import own_fault, words_of
from gui.plans import plans_beside
from gui.turns import waits_for

Answer = dict[str, Any]

SHOWN = ("id", "state", "activity", "code", "message", "remedy", "values", "config", "request", "owned")
KINDS = ("xray", "trial")
DEVICES = ("cpu", "cuda")
LOOKED_AT = 200
"""Measurements among which the newest of each kind is looked for."""


def server_functions(session: Session, store: Store) -> list[ServerFunction]:
    def predict(request: Any) -> Response:
        """`{config, device, curve}` → as `Session.predict`; with `curve` also each other plan of its window."""
        return answer(lambda: _predict(session, Asked(request)))

    def fit(request: Any) -> Response:
        """`{config, device, effective, budget}` → as `Session.fit`."""
        return answer(lambda: _fit(session, Asked(request)))

    def measure(request: Any) -> Response:
        """`{config, what, plans}` → `{run}`: one real window of each plan, in turn with the runs."""
        return answer(lambda: _measure(session, Asked(request)))

    def measured(request: Any) -> Response:
        """`{xray, trial}`, how often each has grown → the newest of each, and its result where it grew since."""
        return answer(lambda: _measured(store, Asked(request)))

    return [predict, fit, measure, measured, savers_function(session)]


def savers_function(session: Session) -> ServerFunction:
    def savers(request: Any) -> Response:
        """`{config, device}` → `{state, savers}`: of each its config, its peak and what it saves, once predicted."""
        return answer(lambda: _savers(session, Asked(request)))

    return savers


def for_page() -> list[dict[str, Any]]:
    """The common cards, for a budget by name."""
    return [{"id": card.id, "family": card.family, "model": card.model, "bytes": card.memory_bytes} for card in CARDS]


def _predict(session: Session, asked: Asked) -> Answer:
    config = _config(asked)
    plans = plans_beside((config.micro_batch, config.accumulation_steps)) if asked.yes("curve") else []
    return _told(session.predict(config, micro_batches=tuple(rows for rows, _ in plans), device=_device(asked)))


def _fit(session: Session, asked: Asked) -> Answer:
    effective, budget = asked.number("effective"), asked.number("budget")
    if not effective or effective >= 2**31 or not budget:
        return {"fault": own_fault("memory.fit.no-number")}
    return _told(session.fit(_config(asked), effective=effective, budget_bytes=budget, device=_device(asked)))


def _measure(session: Session, asked: Asked) -> Answer:
    request = MemoryRequest.from_dict({name: asked.plain(name) for name in ("what", "plans")})
    return {"run": session.measure(_config(asked), request)}


def _savers(session: Session, asked: Asked) -> Answer:
    config, device = _config(asked), _device(asked)
    before = session.predict(config, device=device)
    if before["state"] != "done":
        return _told(before)
    peak = before["account"].peak_bytes
    found, after = [], before
    for saver in savers(config):
        if after["state"] != "working":  # each question may wait a moment for its answer
            after = session.predict(saver.config, device=device)
        told = {"code": saver.code, "state": after["state"], "config": saver.config.to_dict()}
        if after["state"] == "done":
            less = after["account"].peak_bytes
            told |= {"peak_bytes": less, "saves_bytes": peak - less}
        found.append(told)
    return {"state": "working" if after["state"] == "working" else "done", "peak_bytes": peak, "savers": found}


def _measured(store: Store, asked: Asked) -> Answer:
    runs = store.history(kind="memory", limit=LOOKED_AT)["runs"]
    return {what: _newest(store, [run for run in runs if _what(run) == what], asked.number(what)) for what in KINDS}


def _newest(store: Store, runs: list[Run], after: int | None) -> Answer:
    """The run under way, else the next one in the queue, else the newest; `runs` begin with the newest."""
    alive = [run for run in reversed(runs) if run.state in ALIVE]
    run = next((run for run in alive if run.state != "queued"), None) or next(iter([*alive, *runs]), None)
    if run is None:
        return {"run": None}
    number, result = store.result(run.id, after or 0)
    found = {name: getattr(run, name) for name in SHOWN}
    if run.code and not run.message:
        found["message"], found["remedy"] = words_of(run.code, run.values)
    return {
        "run": found,
        "number": number,
        "result": result,
        "waits_for": waits_for(store, run.state, run.owned),
        "queued": sum(other.state == "queued" and other.id != run.id for other in alive),
    }


def _what(run: Run) -> str:
    return str((run.request or {}).get("what"))


def _config(asked: Asked) -> RunConfig:
    """Raises ConfigError. What only the command line may ask for is refused by the session."""
    return RunConfig.from_dict(asked.plain("config"))


def _device(asked: Asked) -> str | None:
    """The kind of device that a prediction is for; None for this one."""
    return next((device for device in DEVICES if device == asked.text("device")), None)


def _told(found: Answer) -> Answer:
    """What a session answered, ready for JSON; a page that draws peaks needs no saw-tooth."""
    if "account" not in found:
        return found
    account = found["account"].to_dict()
    del account["trace"]
    return {**found, "account": account}
