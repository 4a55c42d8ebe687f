"""Which field matters: shares of the differences in loss, of whole grids by hand; and which makes losses unlike."""

from __future__ import annotations

import math
from itertools import product

import pytest

from engine.sweep.drawing import Past, draw
from engine.sweep.importance import importance
from engine.sweep.space import Space
from engine.sweep.telling import unlike
from tests.engine.sweeps import spec, sums

RATE, DECAY = "training.learning_rate", "training.weight_decay"
GRID = Space(sums(), spec({RATE: [1e-4, 1e-3], DECAY: [0.0, 0.1]}))


def grid(*losses: float) -> list[Past]:
    """Two rates by two decays: the decay changes from trial to trial."""
    values = product((1e-4, 1e-3), (0.0, 0.1))
    return [
        Past(number, "finished", {RATE: rate, DECAY: decay}, loss)
        for number, ((rate, decay), loss) in enumerate(zip(values, losses, strict=True))
    ]


@pytest.mark.parametrize(
    ("losses", "rate", "decay"),
    [
        ((1, 1, 2, 2), 1.0, 0.0),
        ((1, 1 + 1e-7, 2, 2 + 1e-7), 1.0, 0.0),
        # mean 1.5; rates 0.5 and 2.5: 2 · 1² twice of 5; decays 1 and 2: 2 · 0.5² twice of 5
        ((0, 1, 2, 3), 0.8, 0.2),
        # neither by itself: it is the pair that counts
        ((1, 2, 2, 1), 0.0, 0.0),
    ],
)
def test_of_a_whole_grid_a_share_is_the_sum_of_squares_between_the_values(
    losses: tuple[float, ...], rate: float, decay: float
) -> None:
    found = importance(GRID, grid(*losses))
    assert found is not None
    assert found == pytest.approx({RATE: rate, DECAY: decay}, abs=1e-6)


def test_few_trials_one_field_and_losses_that_are_equal_but_for_rounding_tell_nothing() -> None:
    assert importance(GRID, grid(1, 1, 2, 2)[:3]) is None
    assert importance(GRID, grid(7.3190257, 7.3190255, 7.3190255, 7.3190256)) is None
    one = Space(sums(), spec({RATE: [1e-4, 1e-3, 1e-2, 1e-1]}))
    assert importance(one, [Past(n, "finished", {RATE: 10.0 ** (n - 4)}, float(n)) for n in range(4)]) is None


def test_of_drawn_trials_the_field_that_decides_explains_nearly_all_from_ten_on() -> None:
    space = Space(
        sums(),
        spec(
            {RATE: {"from": 1e-5, "to": 1e-1, "log": True}, DECAY: {"from": 0.0, "to": 0.3}}, method="random", trials=40
        ),
    )
    past: list[Past] = []
    for number in range(40):
        values = draw(space, number, past)
        past.append(Past(number, "finished", values, abs(math.log10(values[RATE]) + 3)))
    found = importance(space, past)
    assert found is not None and next(iter(found)) == RATE and found[RATE] > 0.7
    assert sum(found.values()) <= 1 + 1e-9
    assert importance(space, past[:9]) is None


def test_fields_that_change_what_is_minimised_make_losses_unlike() -> None:
    smoothing, averaged = "training.label_smoothing_factor", "loss_normalization"
    fields = {RATE: [1e-4, 1e-3], smoothing: [0.0, 0.1], averaged: ["exact", "trainer"], "data.max_length": [16, 32]}
    assert unlike(Space(sums(eval_strategy="no"), spec(fields))) == [smoothing, averaged, "data.max_length"]
    # an evaluation is the mean over its targets, whatever a window was averaged by
    assert unlike(Space(sums(), spec(fields))) == [smoothing, "data.max_length"]
