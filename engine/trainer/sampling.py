"""Samples in the middle of a training, which can't tell whether they are taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from transformers import TrainerCallback

from engine.config import RunConfig
from engine.errors import BirikimError, reason_of
from engine.events import Activity, SampleTaken, StateChanged
from engine.memory.exhausted import let_go
from engine.memory.release import release
from engine.trainer.prepared import Prepared
from engine.trainer.sampled import Sampled, sampled_texts
from engine.trainer.trainer import AccumulatingTrainer
from engine.trainer.undisturbed import undisturbed

Tell = Callable[..., None]
"""Takes the code of a notice and the values of its words."""


def take_samples(config: RunConfig, prepared: Prepared, tell: Tell) -> None:
    """Lets the trainer sample what the config names; nothing where it names nothing.

    Raises ConfigError for a prompt that the task can't use.
    """
    if config.samples is None:
        return
    texts = sampled_texts(config, prepared)
    if len(texts) == len(config.samples.prompts) and config.samples.held_out:
        tell("run.nothing-to-sample")
    if texts:
        prepared.trainer.add_callback(Sampling(prepared.trainer, texts, config.samples.every, tell))


class Sampling(TrainerCallback):  # type: ignore[misc]
    """Takes samples before the first update, after every n updates and after the last.

    A run that goes on takes those of its place once more: it may have been stopped in their midst.
    The run's clock stands still meanwhile. A sample that fails is told, and is the last one: the training goes on.
    """

    def __init__(self, trainer: AccumulatingTrainer, texts: Sequence[Sampled], every: int, tell: Tell) -> None:
        self.trainer = trainer
        self.texts = texts
        self.every = every
        self.tell = tell

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._take_if_due(state)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._take_if_due(state)

    def _take_if_due(self, state: Any) -> None:
        if state.global_step % self.every == 0 or state.global_step == state.max_steps:
            self.trainer.ranks.led(partial(self._take, state.global_step))

    def _take(self, update: int) -> None:
        if not self.texts:
            return
        clock = self.trainer.progress.clock
        clock.hold()
        self._enter("sampling")
        try:
            with undisturbed(self.trainer.model, self.trainer.args.device):
                self._ask_each(update)
        except BirikimError:
            raise
        except Exception as problem:
            self.texts = ()
            let_go(problem)
            release()
            self.tell("run.no-more-samples", update=update, reason=f"{type(problem).__name__}: {reason_of(problem)}")
        finally:
            clock.release()
        self._enter("training")

    def _enter(self, activity: Activity) -> None:
        self.trainer.emit(StateChanged(run=self.trainer.run, state="running", activity=activity))

    def _ask_each(self, update: int) -> None:
        for index, ask in enumerate(self.texts, start=1):
            self.trainer.check_alone()
            said = ask(self.trainer.model, self.trainer.check_alone)
            self.trainer.emit(SampleTaken(run=self.trainer.run, update=update, index=index, **vars(said)))
