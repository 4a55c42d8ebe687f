"""Why a gradient is not that of the large batch, where it is not."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import FNetForSequenceClassification, MixtralConfig, MixtralForCausalLM

from engine.proof import in_words, prove, verdict
from engine.proof.gradients import difference, gradient_of
from tests.engine.proofs import SENTIMENT, codes, on_bench, proof_of
from tests.engine.test_prepare import fnet, saved


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
