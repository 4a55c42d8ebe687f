"""The proof on models whose right and wrong values are known."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GPT2LMHeadModel

from engine.config import RunConfig
from engine.figures import error_text
from engine.proof import in_words, plans_of, verdict
from engine.proof.gradients import Difference, by_layer, difference
from tests.engine.proofs import SENTIMENT, SUMS, codes, gpt2, on_bench, proof_of
from tests.engine.test_cli import birikim
from tests.engine.test_prepare import saved

# ---- differences ----


def test_a_difference_is_that_of_the_two_vectors() -> None:
    # (3, 4) against (3, 0): apart 4, norms 5 and 3, product 9
    found = difference({"a": torch.tensor([3.0]), "b": torch.tensor([4.0])}, {"a": torch.tensor([3.0])})
    assert found == Difference(pytest.approx(4 / 3), pytest.approx(9 / 15), pytest.approx(5 / 3))
    assert difference({}, {}) == Difference(0.0, 1.0, 1.0)
    assert str(difference({"a": torch.ones(1)}, {}).relative_error) == "nan"


def test_a_gradient_is_taken_apart_by_layer() -> None:
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
