"""What a proof takes and leaves: memory, weights, random states, the window of the run."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from transformers import GPT2LMHeadModel

from engine.config import RunConfig
from engine.errors import RunStopped
from engine.memory.budget import LiveBytes
from engine.memory.shares import held_by
from engine.proof import Bench, plans_of, prove, side_by_side
from engine.proof.gradients import difference
from engine.session import Session
from engine.store import Store
from tests.engine.proofs import SENTIMENT, SUMS, codes, gpt2, on_bench, proof_of
from tests.engine.test_prepare import saved


@pytest.mark.slow
def test_a_large_batch_that_does_not_fit_is_replaced_by_the_smallest_micro_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(bench: Bench) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(Bench, "own_mean", full)
    proof = proof_of(tmp_path)
    assert proof.reference == "rows"
    assert codes(proof)[:2] == ["proof.exact", "proof.rows"]
    assert proof.way("accumulated").relative_error < 1e-6


@pytest.mark.slow
def test_a_large_batch_above_the_memory_budget_is_not_run_and_smaller_micro_batches_are_still_proved(
    tmp_path: Path,
) -> None:
    plan = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 8, "max_steps": 1}

    def peak(way: Callable[[Bench], object]) -> int:
        counting = LiveBytes(2**40, torch.device("cpu"))
        with on_bench(tmp_path, SENTIMENT, training=plan) as bench:
            counting.take_in(held_by(bench.model))
            with counting:
                way(bench)
        return counting.peak

    small, large = peak(Bench.own_mean_row_by_row), peak(Bench.own_mean)
    budget = (small + large) // 2
    assert small * 1.05 < budget < large / 1.05
    with on_bench(tmp_path, SENTIMENT, training=plan, memory_budget=budget) as bench:
        proof = prove(bench, [(8, 8)])
    assert proof.reference == "rows"
    assert codes(proof)[:2] == ["proof.exact", "proof.rows"]
    assert proof.way("large-batch") is None
    assert proof.way("accumulated").relative_error < 1e-6


@pytest.mark.slow
def test_a_proof_leaves_weights_and_random_states_bit_identical(tmp_path: Path) -> None:
    random.seed(1)
    numpy.random.seed(1)
    torch.manual_seed(1)
    before = (random.getstate(), numpy.random.get_state()[1].tolist(), torch.get_rng_state())
    with on_bench(tmp_path, SENTIMENT) as bench:
        weights = bench.fingerprint()
        dropouts = [module.p for module in bench.model.modules() if isinstance(module, torch.nn.Dropout)]
        prove(bench, plans_of(8))
        side_by_side(bench, [((2, 4), "exact"), ((8, 1), "exact")], 2)
        assert bench.fingerprint() == weights
        assert all(parameter.grad is None for parameter in bench.model.parameters())
        assert not any(dropouts)
    assert random.getstate() == before[0]
    assert numpy.random.get_state()[1].tolist() == before[1]
    assert torch.equal(torch.get_rng_state(), before[2])


def test_dropout_is_off_within_a_proof_and_back_afterwards(tmp_path: Path) -> None:
    folder = saved(GPT2LMHeadModel, gpt2, "text-generation", tmp_path)
    with on_bench(tmp_path, model=folder) as bench:
        model = bench.model
        assert model.training and {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)} == {
            0.0
        }
        first, second = bench.own_mean(), bench.own_mean()
        assert first[0] == second[0] and difference(first[1], second[1]).relative_error == 0.0
    assert {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)} == {0.1}
    assert (model.config.resid_pdrop, model.config.attn_pdrop) == (0.1, 0.1)


def test_a_proof_can_be_given_up_between_two_ways(tmp_path: Path) -> None:
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) > 2:
            raise RunStopped("run.stopped")

    with on_bench(tmp_path) as bench, pytest.raises(RunStopped):
        prove(bench, [(2, 4)], check=check)


@pytest.mark.slow
def test_the_window_is_the_first_one_of_the_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    session = Session(store)
    session.start()
    try:
        run = session.wait(session.submit(RunConfig.from_dict(SUMS)), 120)
        [first, *_] = store.updates(run.id)
    finally:
        session.close()
        store.close()
    with on_bench(tmp_path) as bench:
        assert bench.targets == first["targets"]
        assert bench.accumulated(2, 4)[0] == pytest.approx(first["loss"], rel=1e-6)


# ---- side by side ----


@pytest.mark.slow
def test_plans_of_one_product_train_on_the_same_curve_and_a_mean_of_means_does_not(tmp_path: Path) -> None:
    training = {**SUMS["training"], "optim": "sgd", "learning_rate": 0.05, "lr_scheduler_type": "constant"}
    grown: list[int] = []
    with on_bench(tmp_path, training=training) as bench:
        plans: Any = [((8, 1), "exact"), ((1, 8), "exact"), ((2, 4), "exact"), ((2, 4), "mean-of-means")]
        large, single, middle, means = side_by_side(bench, plans, 5, tell=lambda curve: grown.append(len(curve.losses)))
    assert grown == [1, 2, 3, 4, 5] * 4
    assert single.apart(large) < 1e-5 and middle.apart(large) < 1e-5
    assert means.apart(large) > 1e-4
    assert large.losses[-1] < large.losses[0]
