"""A run ends once its evaluations have stopped getting better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.config import EarlyStopping, RunConfig
from engine.errors import ConfigError
from engine.events import UpdateDone
from engine.trainer.early_stopping import Patience
from tests.engine.resumption import before_micro_batch, gone_on, newest, stopped, told
from tests.engine.test_prepare import SENTIMENT, ready
from tests.engine.test_resume_exact import EVALUATING, making
from tests.engine.tiny import Trained


@pytest.mark.parametrize(
    ("values", "greater", "threshold", "over_after"),
    [
        ([1.0, 0.9, 0.95, 0.92], False, 0.0, 4),
        ([1.0, 0.9, 0.95, 0.8, 0.85, 0.9], False, 0.0, 6),
        # 0.95 betters 1.0 by no more than 0.1, and 0.85 does: the best one is what was bettered last
        ([1.0, 0.95, 0.85, 0.8, 0.78], False, 0.1, 5),
        ([0.5, 0.6, 0.6, 0.6], True, 0.0, 4),
        ([1.0, float("nan"), float("nan")], False, 0.0, 3),
    ],
)
def test_patience_is_over_after_two_in_a_row_that_are_no_better(
    values: list[float], greater: bool, threshold: float, over_after: int
) -> None:
    patience = Patience(EarlyStopping(patience=2, threshold=threshold))
    over = []
    for value in values:
        patience.look(value, greater_is_better=greater)
        over.append(patience.over)
    assert over.index(True) + 1 == over_after


def impatient(folder: Path, patience: int = 2, **changes: Any) -> Trained:
    """A rate so high that it gets worse soon."""
    given = {**EVALUATING, "learning_rate": 3e-2, "num_train_epochs": 20, "metric_for_best_model": "loss", **changes}
    run = making(**given)(folder)
    run.trainer.early = Patience(EarlyStopping(patience=patience))
    return run


@pytest.mark.slow
def test_a_run_stops_after_the_evaluation_that_ends_its_patience(tmp_path: Path) -> None:
    run = impatient(tmp_path)
    run.trainer.train()
    losses = [entry["loss"] for entry in told(run) if "metrics" in entry]
    best = losses.index(min(losses))
    assert len(losses) == len(run.of(UpdateDone)) == best + 1 + 2 < 60


@pytest.mark.slow
def test_patience_goes_on_with_the_run(tmp_path: Path) -> None:
    whole = impatient(tmp_path / "whole")
    whole.trainer.train()
    updates = len(whole.of(UpdateDone))
    # before the second micro-batch of the last update, in windows of 4, 4 and 2
    met = sum(([4, 4, 2] * 20)[: updates - 1])
    first = stopped(impatient, tmp_path / "cut", before_micro_batch(met + 2))
    assert first.trainer.early.misses
    second = gone_on(impatient, tmp_path / "cut")
    assert told(first) + told(second) == told(whole)


@pytest.mark.slow
def test_one_that_has_stopped_early_goes_on_with_more_patience_alone(tmp_path: Path) -> None:
    make = {"save_strategy": "steps", "save_steps": 1}
    first = impatient(tmp_path, **make)
    first.trainer.train()
    updates = len(first.of(UpdateDone))
    again = impatient(tmp_path, **make)
    again.trainer.train(resume_from_checkpoint=newest(tmp_path))
    assert told(again) == []
    more = impatient(tmp_path, patience=3, **make)
    more.trainer.train(resume_from_checkpoint=newest(tmp_path))
    assert more.of(UpdateDone)[0].update == updates + 1


def test_without_evaluation_it_is_refused() -> None:
    with pytest.raises(ConfigError, match="eval_strategy is no") as refused:
        RunConfig.from_dict({**SENTIMENT, "early_stopping": {}})
    assert refused.value.field == "early_stopping"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"patience": 0}, "early_stopping.patience"),
        ({"threshold": -1}, "early_stopping.threshold"),
        ({"waits": 3}, "early_stopping.waits"),
        (3, "early_stopping"),
    ],
)
def test_a_wrong_one_is_named(spec: Any, field: str) -> None:
    training = {**SENTIMENT["training"], "eval_strategy": "steps"}
    with pytest.raises(ConfigError) as refused:
        RunConfig.from_dict({**SENTIMENT, "training": training, "early_stopping": spec})
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"early_stopping": {}}, "early_stopping"),
        ({"training": {"load_best_model_at_end": True, "save_strategy": "steps"}}, "training.load_best_model_at_end"),
    ],
)
def test_without_rows_to_evaluate_on_it_is_refused(more: dict[str, Any], field: str, tmp_path: Path) -> None:
    training = {**SENTIMENT["training"], "eval_strategy": "steps", "eval_steps": 2, "save_steps": 2}
    # a tenth of four rows is none
    file = tmp_path / "four.csv"
    file.write_text("text,label\nfine,good\nawful,bad\nnice,good\nugly,bad\n")
    changes = {"data": {"path": str(file), "max_length": 48}, **more}
    changes["training"] = {**training, **more.get("training", {})}
    with pytest.raises(ConfigError, match="No rows are held out") as refused:
        ready(tmp_path, SENTIMENT, **changes)
    assert refused.value.field == field


def test_a_config_says_it_and_the_loss_is_what_it_goes_by(tmp_path: Path) -> None:
    training = {**SENTIMENT["training"], "eval_strategy": "steps", "eval_steps": 2}
    trainer = ready(tmp_path, SENTIMENT, training=training, early_stopping={"patience": 4}).trainer
    assert trainer.early and trainer.early.spec == EarlyStopping(patience=4)
    assert (trainer.args.metric_for_best_model, trainer.args.greater_is_better) == ("loss", False)
