"""The proof on models whose right and wrong values are known."""

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from transformers import FNetForSequenceClassification, GPT2Config, GPT2LMHeadModel, MixtralConfig, MixtralForCausalLM

from engine.config import RunConfig
from engine.errors import RunStopped
from engine.memory.budget import LiveBytes
from engine.memory.shares import held_by
from engine.proof import Bench, Proof, in_words, plans_of, prove, side_by_side, verdict
from engine.proof.gradients import Difference, by_layer, difference, gradient_of, layer_of
from engine.proof.verdict import error_text
from engine.session import Session
from engine.store import Store
from tests.engine.test_cli import birikim
from tests.engine.test_prepare import fnet, saved

SUMS = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 32, "eval_rows": 8},
    "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "max_steps": 4},
}
SENTIMENT = {
    **SUMS,
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 32, "eval_rows": 8},
}


@contextmanager
def on_bench(tmp_path: Path, base: dict[str, Any] = SUMS, precision: Any = "fp32", **changes: Any) -> Iterator[Bench]:
    config = RunConfig.from_dict({**base, **changes})
    with Bench.of(config, cache=tmp_path / "cache", folder=tmp_path / "run", precision=precision) as bench:
        yield bench


def proof_of(tmp_path: Path, base: dict[str, Any] = SUMS, precision: Any = "fp32", **changes: Any) -> Proof:
    with on_bench(tmp_path, base, precision, **changes) as bench:
        return prove(bench, [(2, 4)])


def codes(proof: Proof) -> list[str]:
    return [code for code, _ in verdict(proof)]


def gpt2(**sizes: Any) -> GPT2Config:
    return GPT2Config(
        n_embd=32, n_layer=2, n_head=2, n_positions=64, resid_pdrop=0.1, embd_pdrop=0.1, attn_pdrop=0.1,
        bos_token_id=1, eos_token_id=2, **sizes,
    )  # fmt: skip


# ---- differences ----


def test_a_difference_is_that_of_the_two_vectors() -> None:
    # (3, 4) against (3, 0): apart 4, norms 5 and 3, product 9
    found = difference({"a": torch.tensor([3.0]), "b": torch.tensor([4.0])}, {"a": torch.tensor([3.0])})
    assert found == Difference(pytest.approx(4 / 3), pytest.approx(9 / 15), pytest.approx(5 / 3))
    assert difference({}, {}) == Difference(0.0, 1.0, 1.0)
    assert str(difference({"a": torch.ones(1)}, {}).relative_error) == "nan"


def test_layers_are_named_by_their_first_number() -> None:
    assert layer_of("bert.encoder.layer.3.output.dense.weight") == "bert.encoder.layer.3"
    assert layer_of("classifier.weight") == "classifier"
    parts = by_layer({"m.0.a": torch.ones(1), "m.0.b": torch.ones(1), "head.w": torch.ones(1)})
    assert {name: len(part) for name, part in parts.items()} == {"m.0": 2, "head": 1}


def test_plans_of_12_are_its_pairs_of_factors() -> None:
    assert plans_of(12) == [(1, 12), (2, 6), (3, 4), (4, 3), (6, 2), (12, 1)]


@pytest.mark.parametrize(("error", "text"), [(2.3e-7, "2e-7"), (0.0, "0"), (0.127, "12.7 %"), (3.0, "300 %")])
def test_errors_are_written_as_one_says_them(error: float, text: str) -> None:
    assert error_text(error) == text


# ---- proofs ----


def test_a_causal_head_is_exact_and_a_mean_of_means_is_not(tmp_path: Path) -> None:
    proof = proof_of(tmp_path)
    assert codes(proof) == ["proof.exact", "proof.trainer-exact", "proof.means-off"]
    assert proof.way("accumulated").relative_error < 1e-6
    assert proof.way("mean-of-means").relative_error > 0.01
    assert (proof.rows, proof.reference) == (8, "large-batch")


def test_a_run_that_evaluates_as_it_trains_is_proved_like_any_other(tmp_path: Path) -> None:
    evaluated = {**SENTIMENT["training"], "eval_strategy": "steps", "eval_steps": 2}
    assert codes(proof_of(tmp_path, SENTIMENT, training=evaluated))[0] == "proof.exact"


def test_sequence_classification_is_4_times_too_large_in_the_stock_trainer(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, SENTIMENT)
    assert in_words(verdict(proof))[1] == "The stock Trainer would be 4.00 × too large here."
    assert proof.way("trainer").norm_ratio == pytest.approx(4.0, abs=1e-3)
    assert proof.way("trainer", (2, 4)).loss == pytest.approx(4 * proof.reference_loss, rel=1e-4)
    assert all(layer.norm_ratio == pytest.approx(4.0, abs=0.01) for layer in proof.way("trainer").layers)
    assert [layer.name for layer in proof.way("trainer").layers][-1] == "classifier"


@pytest.mark.slow
def test_in_fp64_exact_is_exact_to_the_last_digits(tmp_path: Path) -> None:
    for base in (SUMS, SENTIMENT):
        proof = proof_of(tmp_path, base, precision="fp64")
        assert proof.way("accumulated").relative_error < 1e-12
        assert codes(proof)[0] == "proof.exact"


def test_gpt2_agrees_with_its_own_large_batch_and_both_are_wrong_in_the_stock_trainer(tmp_path: Path) -> None:
    folder = saved(GPT2LMHeadModel, gpt2, "text-generation", tmp_path)
    proof = proof_of(tmp_path, model=folder)
    assert codes(proof)[:2] == ["proof.exact", "proof.trainer-both"]
    with on_bench(tmp_path, model=folder) as bench:
        lengths = [len(row["input_ids"]) for row in bench.rows]
    # it counts every label where the loss has one less a row
    ratio = (sum(lengths) - len(lengths)) / sum(lengths)
    assert proof.way("trainer").norm_ratio == pytest.approx(ratio, rel=1e-3)
    assert proof.way("trainer-large-batch").norm_ratio == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize(
    "changes",
    [
        {"micro_batch_tokens": 40},
        {"window_order": "random"},
        {"packing": True},
        {"training": {**SUMS["training"], "label_smoothing_factor": 0.1}},
        {"training": {**SUMS["training"], "activation_checkpointing": True}},
        {"training": {**SUMS["training"], "bf16": True}},
    ],
)
def test_whatever_the_run_does_besides_its_gradient_is_exact(changes: dict[str, Any], tmp_path: Path) -> None:
    proof = proof_of(tmp_path, **changes)
    assert codes(proof)[0] == "proof.exact"
    assert proof.way("accumulated").relative_error < 1e-5


@pytest.mark.slow
def test_a_run_with_the_stock_normalisation_is_told_that_it_is_wrong(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, SENTIMENT, loss_normalization="trainer")
    assert codes(proof)[0] == "proof.wrong"
    assert in_words(verdict(proof))[0].startswith("Off by 300 %: 2 × 4")


FORGETFUL = '''
import torch

def forgetful(outputs, labels, num_items_in_batch):
    """Compares each position with its own token."""
    loss = torch.nn.functional.cross_entropy(outputs.logits.flatten(0, 1), labels.flatten(), reduction="sum")
    return loss / num_items_in_batch

def mean(outputs, labels):
    logits = outputs.logits[:, :-1].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten())

def right(outputs, labels, num_items_in_batch):
    logits = outputs.logits[:, :-1].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), reduction="sum") / num_items_in_batch
'''


@pytest.mark.slow
def test_a_custom_loss_that_forgets_the_causal_shift_is_told(tmp_path: Path) -> None:
    path = tmp_path / "losses.py"
    path.write_text(FORGETFUL)
    proof = proof_of(tmp_path, loss=f"{path}:forgetful")
    assert codes(proof)[0] == "proof.own-loss"
    assert "forgotten shift" in in_words(verdict(proof))[0]
    assert proof.way("accumulated").relative_error > 0.1
    assert proof.way("accumulated").own_error < 1e-5
    assert codes(proof_of(tmp_path, loss=f"{path}:right"))[0] == "proof.exact"
    assert codes(proof_of(tmp_path, loss=f"{path}:mean"))[0] == "proof.own-loss-wrong"


def test_a_custom_loss_that_raises_is_told_in_one_line_with_its_place(tmp_path: Path) -> None:
    loss, config = tmp_path / "losses.py", tmp_path / "run.yaml"
    loss.write_text("def boom(outputs, labels, num_items_in_batch):\n    return {}['x']\n")
    config.write_text(RunConfig.from_dict({**SUMS, "loss": f"{loss}:boom"}).to_yaml())
    found = birikim("prove", str(config), "--home", str(tmp_path / "home"))
    assert found.exit_code == 2
    assert f"The loss in {loss} raised KeyError: 'x', at line 2" in found.stderr and "Traceback" not in found.stderr


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


# ---- causes ----


def mixtral(**sizes: Any) -> MixtralConfig:
    return MixtralConfig(
        hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
        num_local_experts=4, num_experts_per_tok=2, output_router_logits=True, router_aux_loss_coef=0.5,
        max_position_embeddings=64, bos_token_id=1, eos_token_id=2, **sizes,
    )  # fmt: skip


def test_the_balance_loss_of_experts_is_found_and_explained(tmp_path: Path) -> None:
    folder = saved(MixtralForCausalLM, mixtral, "text-generation", tmp_path)
    proof = proof_of(tmp_path, model=folder)
    assert codes(proof)[:2] == ["proof.wrong", "proof.cause-auxiliary-loss"]
    assert "with coefficient 0 the error is" in in_words(verdict(proof))[1]


def test_a_head_that_padding_changes_is_found_and_explained(tmp_path: Path) -> None:
    folder = saved(FNetForSequenceClassification, fnet, "text-classification", tmp_path)
    proof = proof_of(tmp_path, SENTIMENT, model=folder)
    assert codes(proof)[:2] == ["proof.wrong", "proof.cause-padding"]


class Noise(torch.nn.Module):
    """Adds what it draws: the same to all rows of a batch, or to each row its own."""

    def __init__(self, own: bool) -> None:
        super().__init__()
        self.own = own

    def forward(self, pooled: torch.Tensor) -> torch.Tensor:
        return pooled + torch.randn(len(pooled) if self.own else 1, 1)


@pytest.mark.parametrize("own", [False, True])
def test_what_a_model_draws_itself_is_found_and_both_sides_are_seeded_alike(own: bool, tmp_path: Path) -> None:
    def seeded(rows: Any) -> Any:
        torch.manual_seed(0)
        return gradient_of(bench.model, lambda: bench._backward(bench._own_loss(bench._padded(rows))))

    with on_bench(tmp_path, SENTIMENT, window_order="random") as bench:
        plain = bench.model.classifier
        bench.model.classifier = torch.nn.Sequential(Noise(own), plain)
        proof = prove(bench, [(2, 4)])
        # by hand: each micro-batch from the state that the large batch is gone through from
        parts, right = [seeded(bench.rows[start : start + 2]) for start in (0, 2, 4, 6)], seeded(bench.rows)
        bench.model.classifier = plain
    assert not bench.model._forward_pre_hooks
    assert codes(proof)[:2] == ["proof.wrong", "proof.cause-random-inside"]
    seen = in_words(verdict(proof))[1]
    error = float(re.findall(r"seeded alike the error is ([^ ]+\d)", seen)[0])
    mean = {name: sum(part[name] for part in parts) / 4 for name in right}
    assert error == pytest.approx(difference(mean, right).relative_error, rel=0.1, abs=1e-4)
    assert (error > 0.01) == own == ("place of its batch" in seen)


def test_batch_statistics_are_found_explained_and_put_back(tmp_path: Path) -> None:
    with on_bench(tmp_path, SENTIMENT) as bench:
        plain = bench.model.classifier
        norm = torch.nn.BatchNorm1d(plain.in_features)
        bench.model.classifier = torch.nn.Sequential(norm, plain)
        proof = prove(bench, [(2, 4)])
        assert codes(proof)[:2] == ["proof.wrong", "proof.cause-batch-statistics"]
        assert norm.training and torch.equal(norm.running_mean, torch.zeros(plain.in_features))
        bench.model.classifier = plain


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


# ---- on the command line ----


@pytest.mark.slow
def test_prove_on_the_command_line_gives_the_four_figures(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(RunConfig.from_dict(SENTIMENT).to_yaml())
    done = birikim("prove", config, "--home", tmp_path / "home", "--json", "--plans", "--fp64")
    assert done.exit_code == 0, done.stderr
    *others, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert [found["plan"] for found in others] == [[1, 8], [4, 2], [8, 1]]
    assert last["relative_error"] < 1e-12 and last["mean_of_means_relative_error"] < 1e-12
    assert last["trainer_relative_error"] == pytest.approx(3.0, rel=1e-6)
    assert last["trainer_norm_ratio"] == pytest.approx(4.0, rel=1e-6)
    done = birikim("prove", config, "--home", tmp_path / "home")
    assert "4.00 ×" in done.stdout and "Exact to" in done.stdout


def test_prove_says_what_is_wrong_in_one_line(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(RunConfig.from_dict(SUMS).to_yaml() + "loss: absent.py:loss\n")
    done = birikim("prove", config, "--home", tmp_path / "home")
    assert done.exit_code == 2 and done.stdout == ""
    assert done.stderr.startswith("birikim: ") and "absent.py" in done.stderr and done.stderr.count("\n") == 1
