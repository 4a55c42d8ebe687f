"""Attention by rows gives what torch's own gives with the mask of all rows together."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from engine.models.rows_attention import NAME, attend_by_rows, row_lengths
from engine.tasks import packed


def model(kind: str, **more: Any) -> Any:
    sizes = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, **more}
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **sizes)).double()


def batch(lengths: list[int]) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(1)
    rows = [torch.randint(5, 64, (length,), generator=generator).tolist() for length in lengths]
    return packed([{"input_ids": row, "labels": list(row)} for row in rows])


def gradient(model: Any, rows: dict[str, Any]) -> torch.Tensor:
    model.zero_grad()
    model(**rows).loss.backward()
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None])


@pytest.mark.parametrize("lengths", [[5, 9, 2, 7], [6, 6, 6], [1, 1, 8], [11]])
@pytest.mark.parametrize(
    "kind, more",
    [
        ("llama", {"intermediate_size": 64, "num_key_value_heads": 2}),
        ("gpt2", {"attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0}),
        ("qwen2", {"intermediate_size": 64, "num_key_value_heads": 2}),
        ("mistral", {"intermediate_size": 64, "num_key_value_heads": 2, "sliding_window": 4}),
    ],
)
def test_the_same_gradient_as_with_one_mask(kind: str, more: dict[str, Any], lengths: list[int]) -> None:
    plain, rows = model(kind, **more), batch(lengths)
    right = gradient(plain, rows)
    attend_by_rows(plain)
    assert plain.config._attn_implementation == NAME
    found = gradient(plain, rows)
    assert float((found - right).norm() / right.norm()) < 1e-12


def test_only_rows_that_are_causal_and_apart_are_taken_one_by_one() -> None:
    causal = torch.ones(6, 6, dtype=torch.bool).tril()
    apart = causal.clone()
    apart[2:, :2] = False
    apart[5:, 2:5] = False
    assert row_lengths(apart[None, None]) == [2, 3, 1]
    assert row_lengths(causal[None, None]) is None  # one row
    window = apart.clone()
    window[4, 2] = False  # a sliding window within the second row
    assert row_lengths(window[None, None]) is None
    both_ways = apart | apart.T
    assert row_lengths(both_ways[None, None]) is None
    assert row_lengths(apart[None, None].float()) is None
    assert row_lengths(apart[None, None].expand(2, 1, 6, 6)) is None
    assert row_lengths(None) is None


def test_what_is_saved_says_nothing_of_it(tmp_path: Any) -> None:
    plain = model("llama", intermediate_size=64)
    attend_by_rows(plain)
    plain.save_pretrained(tmp_path)
    assert NAME not in (tmp_path / "config.json").read_text()
    assert AutoModelForCausalLM.from_pretrained(tmp_path).config._attn_implementation == "sdpa"


def test_another_attention_stays() -> None:
    eager = model("llama", intermediate_size=64)
    eager.set_attn_implementation("eager")
    attend_by_rows(eager)
    assert eager.config._attn_implementation == "eager"
