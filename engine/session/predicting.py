"""Tells a run under way what its window is predicted to take, whenever that is known."""

from __future__ import annotations

import threading
from contextlib import suppress

from engine.accumulation import Plan
from engine.config import RunConfig
from engine.errors import StoreError
from engine.events import FactsGrew
from engine.memory.account import Account
from engine.memory.service import Predictions
from engine.store import Store

AGAIN = 0.5
"""Seconds between two questions."""


def as_dealt(config: RunConfig, plan: Plan) -> RunConfig:
    """`config` with the dealing of `plan`, where that is another one since."""
    values = config.to_dict()
    if (plan.micro_batch, plan.accumulation_steps) != (config.micro_batch, config.accumulation_steps):
        dealing = {
            "per_device_train_batch_size": plan.micro_batch,
            "gradient_accumulation_steps": plan.accumulation_steps,
        }
        values["training"] = {**values["training"], **dealing}
    if plan.micro_batch_tokens is not None:
        values["micro_batch_tokens"] = plan.micro_batch_tokens
    return RunConfig.from_dict(values)


class Foretold:
    """While entered, waits beside the run for its prediction, and writes it to the run's facts."""

    def __init__(self, run: int, config: RunConfig, store: Store, predictions: Predictions, device: str) -> None:
        self._run, self._config, self._store = run, config, store
        self._predictions, self._device = predictions, device
        self._asked = False
        self._over = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="birikim-foretold", daemon=True)

    def __enter__(self) -> Foretold:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._news:
            self._over = True
            self._news.notify()
        self._thread.join()

    def dealt(self, plan: Plan) -> None:
        """From now on the run goes by this plan."""
        with self._news:
            self._config = as_dealt(self._config, plan)
            self._asked = False
            self._news.notify()

    def _work(self) -> None:
        with self._news:
            while not self._over:
                config = self._config
                found = None if self._asked else self._predictions.predict(config, device=self._device)
                self._asked = found is not None and found["state"] != "working"
                if found and "account" in found:
                    self._tell(found["account"])
                self._news.wait(None if self._asked else AGAIN)

    def _tell(self, account: Account) -> None:
        facts = {"predicted_bytes": account.peak_bytes}
        # a home that can't be written ends the run in the training thread
        with suppress(StoreError):
            self._store.write(FactsGrew(run=self._run, facts=facts))
