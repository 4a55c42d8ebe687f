"""The gradient noise scale: against a closed form, and of a real config in the session."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from engine.accumulation.rates import scaled_rate
from engine.config import NoiseRequest, RunConfig
from engine.errors import ConfigError
from engine.noise import Noise, Norms, noise_scale
from engine.session import Session

CONFIG = {
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 16},
    "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4},
}


def test_two_batch_sizes_give_the_gradient_and_its_noise_without_bias() -> None:
    # ‖G‖² = 3 and tr Σ = 16: a batch of 2 has 3 + 16/2 = 11 on average, one of 8 has 3 + 16/8 = 5
    found = noise_scale([Norms(2, (10.0, 12.0, 9.0, 13.0), 5.0)])
    assert found.gradient_square == pytest.approx(3.0)
    assert found.noise == pytest.approx(16.0)
    assert found.scale == pytest.approx(16 / 3)
    assert (found.low, found.high) == (None, None)


def test_windows_are_averaged_before_the_ratio_is_taken() -> None:
    # ‖G‖² of 3 and 1, tr Σ of 16 and 8: 24 / 4, and not the mean of 16/3 and 8
    windows = [Norms(2, (11.0, 11.0, 11.0, 11.0), 5.0), Norms(2, (5.0, 5.0, 5.0, 5.0), 2.0)]
    assert noise_scale(windows).scale == pytest.approx(6.0)


def test_a_gradient_that_drowns_in_noise_has_no_scale_and_equal_gradients_no_noise() -> None:
    # ‖G_B‖² = ‖G_b‖² · b / B is what noise alone gives: (8 · 2 − 2 · 8) / 6 = 0
    assert noise_scale([Norms(2, (8.0,) * 4, 2.0)]).scale is None
    assert noise_scale([Norms(2, (5.0,) * 4, 5.0)]) == Noise(1, pytest.approx(5.0), 0.0, 0.0)
    for windows in ([], [Norms(8, (1.0,), 1.0)]):
        with pytest.raises(ValueError, match="two micro-batches"):
            noise_scale(windows)


def test_linear_regression_with_known_noise_has_the_scale_that_arithmetic_gives() -> None:
    # One example: y = w*·x + ε, x ~ N(0, I) in k dimensions, ε ~ N(0, σ²), loss ½(w·x − y)². With d = w − w* the
    # gradient is x (x·d − ε): its mean is d, and E‖g‖² = (k + 2)‖d‖² + kσ². So tr Σ = (k + 1)‖d‖² + kσ², and with
    # k = 10, ‖d‖ = 1, σ = 2 the scale is 11 + 40 = 51 examples.
    torch.manual_seed(5)
    layer = torch.nn.Linear(10, 1, bias=False).double()
    with torch.no_grad():
        layer.weight.copy_(torch.full((1, 10), 10**-0.5))

    def gradient(inputs: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        layer.zero_grad()
        (0.5 * (layer(inputs)[:, 0] - wanted) ** 2).mean().backward()
        assert layer.weight.grad is not None
        return layer.weight.grad.clone()

    def windows() -> Iterator[Norms]:
        for _ in range(400):
            parts = []
            for _ in range(8):
                inputs, wanted = torch.randn(16, 10, dtype=torch.float64), 2 * torch.randn(16, dtype=torch.float64)
                parts.append(gradient(inputs, wanted))
            squares = tuple(float((part**2).sum()) for part in parts)
            yield Norms(16, squares, float((torch.stack(parts).mean(0) ** 2).sum()))

    found = noise_scale(list(windows()))
    assert found.scale == pytest.approx(51, rel=0.08)
    assert found.gradient_square == pytest.approx(1.0, rel=0.08)
    assert found.low is not None and found.high is not None
    assert found.low < 51 < found.high or found.scale == pytest.approx(51, rel=0.04)
    assert 0.01 < (found.high - found.low) / 2 / found.scale < 0.08


def test_a_session_estimates_in_its_turn_and_trains_nothing(session: Session) -> None:
    store = session.store
    run = session.estimate(RunConfig.from_dict(CONFIG), NoiseRequest(3), "how-noisy")
    ended = session.wait(run, 120)
    assert (ended.state, ended.code, ended.kind, ended.name) == ("finished", "noise.finished", "noise", "how-noisy")
    number, found = store.result(run)
    assert number == 3 and found is not None
    assert (found["windows"], found["micro_batch"], found["examples"]) == (3, 2, 8)
    assert found["noise"] > 0 and math.isfinite(found["gradient_square"])
    assert not store.runs() and not (store.home / "runs" / str(run)).exists()


def test_a_window_of_one_micro_batch_and_nonsense_are_refused(session: Session) -> None:
    whole = {**CONFIG, "training": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1}}
    with pytest.raises(ConfigError) as caught:
        session.estimate(RunConfig.from_dict(whole), NoiseRequest())
    assert caught.value.code == "noise.one-micro-batch"
    wrong: list[Any] = [None, [], {"windows": 0}, {"windows": "3"}, {"windows": True}, {"windows": 10**9}]
    for values in wrong:
        with pytest.raises(ConfigError) as caught:
            NoiseRequest.from_dict(values)
        assert caught.value.code == "noise.request"
    assert NoiseRequest.from_dict(NoiseRequest(5).to_dict()) == NoiseRequest(5)


def test_learning_rates_follow_the_effective_batch_by_the_rule() -> None:
    # from 8 to 32 examples: 4 times, or √4 = 2 times
    assert scaled_rate(1e-3, 8, 32, "none") == 1e-3
    assert scaled_rate(1e-3, 8, 32, "linear") == pytest.approx(4e-3)
    assert scaled_rate(1e-3, 8, 32, "square-root") == pytest.approx(2e-3)
    assert scaled_rate(1e-3, 32, 8, "square-root") == pytest.approx(5e-4)
