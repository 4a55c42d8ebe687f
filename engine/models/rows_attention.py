"""Attention for rows laid end to end, row by row: on a CPU the square of their sum costs more than their squares."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "sdpa_by_rows"


def attend_by_rows(model: PreTrainedModel) -> None:
    """Lets a model on the CPU attend so, where it uses torch's own attention; elsewhere nothing changes."""
    if model.device.type == "cpu" and model.config._attn_implementation == "sdpa":
        AttentionInterface.register(NAME, _attention)
        AttentionMaskInterface.register(NAME, sdpa_mask)
        model.set_attn_implementation(NAME)


def _attention(
    module: torch.nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **more: Any
) -> tuple[Tensor, None]:
    """As `sdpa` of transformers: heads of shape (batch, heads, positions, size) to (batch, positions, heads, size)."""
    lengths = row_lengths(attention_mask)
    if lengths is None or more.get("position_bias") is not None:
        found: tuple[Tensor, None] = sdpa_attention_forward(module, query, key, value, attention_mask, **more)
        return found
    more["is_causal"] = True
    if len(set(lengths)) == 1:  # a batch, without a loop
        heads = (torch.unflatten(part[0], 1, (len(lengths), -1)).transpose(0, 1) for part in (query, key, value))
        return sdpa_attention_forward(module, *heads, None, **more)[0].flatten(0, 1)[None], None
    rows = zip(*(torch.split(part, lengths, dim=2) for part in (query, key, value)), strict=True)
    return torch.cat([sdpa_attention_forward(module, *row, None, **more)[0] for row in rows], dim=1), None


def row_lengths(mask: Tensor | None) -> list[int] | None:
    """The lengths of two rows or more that a boolean mask of shape (1, 1, n, n) keeps apart, each causal; else None."""
    if mask is None or mask.dtype != torch.bool or mask.shape[:2] != (1, 1) or mask.shape[2] != mask.shape[3]:
        return None
    begins = torch.nn.functional.pad(~mask[0, 0].diagonal(-1), (1, 0))
    row = begins.cumsum(0)
    if not row[-1] or not torch.equal(mask[0, 0], (row[:, None] == row).tril_()):
        return None
    return torch.bincount(row).tolist()
