"""The storages behind a tensor: one for a plain one, several for a sparse, quantised or composed one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor


def plain_tensors(tensor: Tensor) -> Iterator[Tensor]:
    """The strided tensors that `tensor` consists of; itself where it is one.

    Sparse tensors hold indices and values, quantised ones scales beside their numbers, and subclasses that wrap
    others (quantised weights, nested tensors) say themselves what is inside.
    """
    inner = getattr(tensor, "__tensor_flatten__", None)
    if inner is not None:
        for name in inner()[0]:
            yield from plain_tensors(getattr(tensor, name))
    elif tensor.layout is torch.strided:
        yield tensor
        if tensor.is_quantized and tensor.qscheme() in (
            torch.per_channel_affine,
            torch.per_channel_affine_float_qparams,
        ):
            yield tensor.q_per_channel_scales()
            yield tensor.q_per_channel_zero_points()
    elif tensor.layout is torch.sparse_coo:
        yield tensor._indices()
        yield tensor._values()
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        yield from (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        yield from (tensor.ccol_indices(), tensor.row_indices(), tensor.values())


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors_in(each)
