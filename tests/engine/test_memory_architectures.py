"""Predictions of architectures that nobody wrote a formula for."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.proof.heads import all_heads
from tests.engine.architectures import compared

QUICK = ("GPT2LMHeadModel", "DebertaV2ForSequenceClassification", "BartForConditionalGeneration")
"""Learnt positions, a loss that picks rows by their labels, and an encoder with a decoder."""

OTHERS = (
    "AlbertForMaskedLM", "BigBirdForMaskedLM", "BloomForCausalLM", "CohereForCausalLM", "ConvBertForMaskedLM",
    "DistilBertForTokenClassification", "ElectraForSequenceClassification", "ErnieForMaskedLM", "FalconForCausalLM",
    "FNetForMaskedLM", "FunnelForMaskedLM", "Gemma2ForCausalLM", "GPTNeoXForCausalLM", "GraniteForCausalLM",
    "LlamaForSequenceClassification", "LongformerForMaskedLM", "MBartForConditionalGeneration", "MambaForCausalLM",
    "MixtralForCausalLM", "MobileBertForMaskedLM", "ModernBertForSequenceClassification", "MPNetForMaskedLM",
    "MptForCausalLM", "Olmo2ForCausalLM", "OPTForCausalLM", "PegasusForConditionalGeneration", "PhiForCausalLM",
    "Qwen2ForCausalLM",
    "Qwen3ForCausalLM", "RobertaForMaskedLM", "StableLmForCausalLM", "XLNetForSequenceClassification",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:Initializing zero-element:UserWarning")
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_the_predicted_peak_of_an_architecture_is_the_measured_one(name: str, tmp_path: Path) -> None:
    head = next(
        head for head in all_heads() if head.name == name and head.problem_type in (None, "single_label_classification")
    )
    predicted, measured = compared(head, tmp_path)
    assert predicted.peak_bytes == pytest.approx(measured.peak_bytes, rel=0.01)
    assert measured.parts["activations"] * 3 >= measured.peak_bytes


def test_thirty_architectures_are_compared() -> None:
    kinds = {head.name: head.model_type for head in all_heads()}
    assert len({kinds[name] for name in (*QUICK, *OTHERS)}) >= 30
