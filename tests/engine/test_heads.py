"""Every head: how it is made tiny, what is proved of it, and how the table tells it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import PreTrainedConfig
from typer.testing import CliRunner

from engine.cli import app
from engine.proof.causes import why_inexact
from engine.proof.heads import (
    EXACT,
    Head,
    HeadResult,
    prove_heads,
    table,
)
from engine.proof.heads.job import HeadProof, prove, unreached
from engine.proof.heads.rows import LENGTHS, PROMPTS
from engine.proof.heads.run import Worker
from tests.programs import ROOT

TABLE = Path(__file__).parents[1] / "benchmarks" / "tables" / "heads.jsonl"

FAMILIES = (
    "BartForCausalLM",
    "BertForMaskedLM",
    "BertForSequenceClassification",
    "DebertaV2ForTokenClassification",
    "GPT2LMHeadModel",
    "LlamaForCausalLM",
    "MambaForCausalLM",
    "MixtralForCausalLM",
    "ModernBertForTokenClassification",
    "Qwen3NextForCausalLM",
    "RobertaForSequenceClassification",
    "T5ForConditionalGeneration",
    "XLNetForTokenClassification",
)
"""One head of each of some families; all their losses are means over targets."""

EXCEPTIONS = {
    "Gemma4UnifiedAssistantForCausalLM": "forward-failed",
    "LayoutLMv2ForTokenClassification": "library-missing",
    "NllbMoeForConditionalGeneration": "experts-full",
    "NystromformerForMaskedLM": "rows-mixed",
    "ReformerModelWithLMHead": "random-inside",
}
"""Heads that are not exact or not built, and why."""


@pytest.fixture(scope="module")
def proved() -> dict[str, list[HeadResult]]:
    names = {*FAMILIES, *EXCEPTIONS}
    found: dict[str, list[HeadResult]] = {name: [] for name in names}
    for result in prove_heads(only=lambda head: head.name in names, workers=2):
        found[result.head].append(result)
    return found


# ---- what is proved ----


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_a_mean_over_targets_is_accumulated_exactly(proved: dict[str, list[HeadResult]], name: str) -> None:
    assert len(proved[name]) == (3 if "Sequence" in name else 1)
    for result in proved[name]:
        assert result.relative_error is not None
        assert result.relative_error < 1e-9
        assert result.plain_relative_error is not None
        assert result.plain_relative_error < 1e-6
        assert result.reason is None


@pytest.mark.slow
@pytest.mark.parametrize("name", EXCEPTIONS)
def test_an_exception_carries_its_reason(proved: dict[str, list[HeadResult]], name: str) -> None:
    (result,) = proved[name]
    assert not result.exact
    assert result.reason == EXCEPTIONS[name]
    assert result.detail


@pytest.mark.slow
def test_the_stock_trainer_makes_bert_classification_four_times_too_large(proved: dict[str, list[HeadResult]]) -> None:
    # nothing divides the means of the 4 micro-batches: their sum is 4 times the mean, since all hold 2 rows
    for result in proved["BertForSequenceClassification"]:
        assert result.trainer_norm_ratio == pytest.approx(4.0, abs=1e-9)
        assert result.trainer_relative_error == pytest.approx(3.0, abs=1e-9)
        assert result.trainer_way == "undivided"


@pytest.mark.slow
def test_the_stock_trainer_divides_gpt2_by_labels_that_its_loss_does_not_compare(
    proved: dict[str, list[HeadResult]],
) -> None:
    # Of 82 tokens 15 are prompts: 67 labels. Three rows have no prompt, so position 0 holds a label there that
    # nothing predicts: 64 targets. The sum over 64 targets is divided by 67.
    assert sum(LENGTHS) - sum(PROMPTS) == 67
    assert PROMPTS.count(0) == 3
    (result,) = proved["GPT2LMHeadModel"]
    assert result.trainer_norm_ratio == pytest.approx(64 / 67, abs=1e-9)
    # its own large batch is divided by 67 as well
    assert result.trainer_way == "own-large-batch"
    assert not result.trainer_exact
    assert result.shifts is True


@pytest.mark.slow
def test_the_stock_trainer_is_exact_where_a_head_takes_its_count(proved: dict[str, list[HeadResult]]) -> None:
    (llama,) = proved["LlamaForCausalLM"]
    assert llama.trainer_exact
    assert llama.trainer_way == "exact"
    assert llama.mean_of_means_relative_error is not None
    assert llama.mean_of_means_relative_error > 1e-3


@pytest.mark.slow
def test_whether_a_head_shifts_is_found_by_its_loss(proved: dict[str, list[HeadResult]]) -> None:
    assert {name: proved[name][0].shifts for name in ("LlamaForCausalLM", "BartForCausalLM", "BertForMaskedLM")} == {
        "LlamaForCausalLM": True,
        "BartForCausalLM": False,
        "BertForMaskedLM": False,
    }


@pytest.mark.slow
def test_a_routers_auxiliary_loss_is_told_apart(proved: dict[str, list[HeadResult]]) -> None:
    (mixtral,) = proved["MixtralForCausalLM"]
    assert mixtral.auxiliary_relative_error is not None
    assert mixtral.auxiliary_relative_error > 1e-6
    with_it = prove(Head("text-generation", "MixtralForCausalLM", "mixtral"), output_router_logits=True)
    assert not with_it.exact
    assert with_it.reason == "auxiliary-loss"


# ---- causes by behaviour ----


class Model(torch.nn.Module):
    """A linear head behind whatever `inside` is, with the mean squared error over rows as its loss."""

    def __init__(self, inside: torch.nn.Module) -> None:
        super().__init__()
        self.config = PreTrainedConfig()
        self.inside = inside
        self.head = torch.nn.Linear(3, 1)
        self.aside = torch.nn.Linear(3, 1)
        self.double()

    def forward(self, numbers: torch.Tensor, labels: torch.Tensor) -> Any:
        logits = self.head(self.inside(numbers))[:, 0]
        return SimpleNamespace(loss=((logits - labels) ** 2).mean(), logits=logits)


class Centre(torch.nn.Module):
    """Takes the mean of the batch away: each row depends on the others."""

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        return numbers - numbers.mean(0)


class Noise(torch.nn.Module):
    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        return numbers + torch.randn(3, dtype=numbers.dtype)


def proof_of(inside: torch.nn.Module) -> HeadProof:
    draw = torch.Generator().manual_seed(0)
    numbers = torch.randn(8, 3, generator=draw, dtype=torch.float64)
    torch.manual_seed(0)
    return HeadProof(Model(inside), {"numbers": numbers, "labels": numbers.sum(1)})


def test_a_mean_over_rows_is_exact_in_a_hand_made_model() -> None:
    assert proof_of(torch.nn.Identity()).error() < EXACT


@pytest.mark.parametrize(
    ("inside", "reason"),
    [(torch.nn.BatchNorm1d(3), "batch-statistics"), (Centre(), "rows-mixed"), (Noise(), "random-inside")],
)
def test_a_cause_is_found_by_taking_it_away(inside: torch.nn.Module, reason: str) -> None:
    proof = proof_of(inside)
    assert proof.error() > EXACT
    assert why_inexact(proof)[0] == reason
    assert proof.model.training


def test_parts_without_a_gradient_are_named_by_their_outermost_module() -> None:
    proof = proof_of(torch.nn.Identity())
    assert unreached(proof.model, proof.reference()) == ("aside",)


# ---- one head's fault is one head's alone ----


FAULTS = """
import os, time
from engine.proof.heads import Head, worker

def tried(prove):
    worker.prove = prove
    print(worker.prove_apart(Head("fill-mask", "BertForMaskedLM", "bert")), flush=True)

tried(lambda head: os.abort())
tried(lambda head: 1 / 0)
worker.BYTES = 1 << 20
tried(lambda head: bytearray(1 << 30))
worker.SECONDS = 0.5
tried(lambda head: time.sleep(60))
"""


@pytest.mark.slow
def test_a_head_that_crashes_swells_or_hangs_is_one_result() -> None:
    found = subprocess.run([sys.executable, "-c", FAULTS], cwd=ROOT, capture_output=True, text=True, timeout=120)
    reasons = [json.loads(line)["reason"] for line in found.stdout.splitlines()]
    assert reasons == ["crashed", "crashed", "too-large", "too-slow"]


@pytest.mark.slow
def test_a_proving_process_that_ends_is_begun_anew() -> None:
    head = Head("fill-mask", "BertForMaskedLM", "bert")
    worker = Worker()
    try:
        worker.process.kill()
        assert worker.prove(head).reason == "crashed"
        assert worker.prove(head).exact
    finally:
        worker.close()


# ---- the command line ----


@pytest.mark.slow
def test_heads_prints_one_object_a_head_and_the_totals_last(tmp_path: Path) -> None:
    kept = tmp_path / "heads.jsonl"
    found = CliRunner().invoke(app, ["heads", "--name", "Electra*", "--json", "--save", str(kept)])
    assert found.exit_code == 0
    *rows, totals = [json.loads(line) for line in found.stdout.splitlines()]
    assert [row["head"] for row in rows] == [
        "ElectraForCausalLM",
        "ElectraForMaskedLM",
        "ElectraForTokenClassification",
        "ElectraForSequenceClassification",
    ]
    assert all(row["relative_error"] < 1e-9 and row["trainer_norm_ratio"] > 0 for row in rows)
    assert totals == {"heads": 4, "built": 4, "exact": 4, "trainer_exact": totals["trainer_exact"]}
    assert len(table.load(kept)) == 6


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--task", "fill-masks"], "fill-mask"),
        (["--name", "NoSuchModel"], "NoSuchModel"),
        (["--save", "no/such/folder/heads.jsonl"], "no/such/folder"),
    ],
)
def test_what_is_wrong_with_heads_is_one_line_and_exit_status_2(arguments: list[str], said: str) -> None:
    found = CliRunner().invoke(app, ["heads", *arguments])
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1
