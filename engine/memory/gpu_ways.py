"""A GPU's operators for fake tensors that lie on a CPU: attention, dropout, autocast, and the loops of optimizers.

Real tensors of other threads keep the CPU's operators.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch._C import DispatchKey, DispatchKeySet
from torch._subclasses.fake_tensor import FakeTensor

aten = torch.ops.aten

HALVES = (torch.float16, torch.bfloat16)

IN_FP32 = (
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh",
    "tan", "pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "softplus", "layer_norm", "native_layer_norm",
    "rms_norm", "group_norm", "logsumexp", "dist",
)  # fmt: skip
"""What a GPU's autocast computes in fp32, and a CPU's as it comes (torch's autocast_mode.h)."""

TO_FP32 = ("softmax.int", "log_softmax.int", "cumprod", "cumsum", "prod", "prod.dim_int", "sum", "sum.dim_IntList")
"""What it lets give fp32 where no type is asked for."""


@contextmanager
def gpu_ways(device: str) -> Iterator[None]:
    """As long as it lasts; `device`: cuda or mps."""
    ways: Any = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    with ExitStack() as undo:
        undo.callback(ways._destroy)
        for names, way in ((IN_FP32, _in_fp32), (TO_FP32, _to_fp32)):
            for name in names:
                # a CPU's autocast has the like for some of them
                if not torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", "AutocastCPU"):
                    ways.impl(name, way(_operator(name)), "AutocastCPU")
        for name, inner in (("softmax.int", aten._softmax.default), ("log_softmax.int", aten._log_softmax.default)):
            ways.impl(name, _for_fakes(_softmax(inner), _operator(name)), "AutogradCPU")
        attention = _cuda_attention if device == "cuda" else _plain_attention
        ways.impl(
            "scaled_dot_product_attention",
            _for_fakes(attention, aten.scaled_dot_product_attention.default),
            "AutogradCPU",
        )
        if device == "cuda":
            ways.impl("dropout", _for_fakes(_dropout, aten.dropout.default), "AutogradCPU")
        for module in map(importlib.import_module, ("torch.utils._foreach_utils", "torch.optim.optimizer")):
            undo.enter_context(patch.object(module, "_get_foreach_kernels_supported_devices", lambda: ["cpu", device]))
            undo.enter_context(
                patch.object(module, "_foreach_supported_types", [Tensor, torch.nn.Parameter, FakeTensor], create=True)
            )
        yield


def _operator(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(aten, packet), overload or "default")


def _for_fakes(way: Callable[..., Any], operator: Any) -> Callable[..., Any]:
    """`way` for fake tensors; for real ones what the operator is made of."""

    def chosen(tensor: Tensor, *args: Any, **options: Any) -> Any:
        if isinstance(tensor, FakeTensor):
            return way(tensor, *args, **options)
        return operator._op_dk(DispatchKey.CompositeImplicitAutograd, tensor, *args, **options)

    return chosen


# ---- autocast ----


def _is_fake_half(value: Any) -> bool:
    return isinstance(value, FakeTensor) and value.dtype in HALVES


def _without_autocast(operator: Any, *args: Any, **options: Any) -> Any:
    with torch._C._ExcludeDispatchKeyGuard(DispatchKeySet(DispatchKey.AutocastCPU)):
        return operator(*args, **options)


def _in_fp32(operator: Any) -> Callable[..., Any]:
    def way(*args: Any, **options: Any) -> Any:
        raised = [value.float() if _is_fake_half(value) else value for value in args]
        return _without_autocast(operator, *raised, **options)

    return way


def _to_fp32(operator: Any) -> Callable[..., Any]:
    def way(tensor: Tensor, *args: Any, **options: Any) -> Any:
        if (
            _is_fake_half(tensor)
            and options.get("dtype") is None
            and not any(isinstance(arg, torch.dtype) for arg in args)
        ):
            options["dtype"] = torch.float32
        return _without_autocast(operator, tensor, *args, **options)

    return way


# ---- operators ----


def _softmax(inner: Any) -> Callable[..., Tensor]:
    def way(tensor: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
        if dtype is torch.float32 and tensor.dtype in HALVES:
            fused: Tensor = inner(tensor, dim, True)
            return fused
        found: Tensor = inner(tensor if dtype is None else tensor.to(dtype), dim, False)
        return found

    return way


def _dropout(tensor: Tensor, p: float, train: bool) -> Tensor:
    if p == 0 or not train:
        return tensor
    found: Tensor = aten.native_dropout.default(tensor, p, True)[0]
    return found


def _plain_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """All scores at once."""
    found: Tensor = aten._scaled_dot_product_attention_math.default(
        query, key, value, _added(attn_mask, query), dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
    )[0]
    return found


def _cuda_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The kernel that torch would choose on a GPU of compute capability 8.0 or more (its sdp_utils.cpp)."""
    size = query.shape[-1]
    half = query.dtype in HALVES
    even = query.dim() == 4 and len({query.dtype, key.dtype, value.dtype}) == 1
    causal = is_causal and query.shape[-2] != key.shape[-2]
    if even and half and attn_mask is None and size == value.shape[-1] <= 256 and not causal:
        parts = [_widened(part, 8) for part in (query, key, value)]
        scale = size**-0.5 if scale is None else scale
        flash: Tensor = aten._scaled_dot_product_flash_attention.default(*parts, dropout_p, is_causal, scale=scale)[0]
        return flash[..., :size] if size % 8 else flash
    aligned = size % (8 if half else 4) == 0 == value.shape[-1] % (8 if half else 4)
    if even and aligned and query.shape[1] == key.shape[1] == value.shape[1]:
        bias = _bias(attn_mask, query, key)
        grad = torch.is_grad_enabled() and any(part.requires_grad for part in (query, key, value))
        efficient: Tensor = aten._scaled_dot_product_efficient_attention.default(
            query, key, value, bias, grad, dropout_p, is_causal, scale=scale
        )[0]
        return efficient
    return _plain_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def _added(mask: Tensor | None, query: Tensor) -> Tensor | None:
    """A mask that is added to the scores, from one that says which count."""
    if mask is None or mask.dtype is not torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask.logical_not(), float("-inf"))


def _bias(mask: Tensor | None, query: Tensor, key: Tensor) -> Tensor | None:
    added = _added(mask, query)
    if added is None:
        return None
    return _widened(added, 16)[..., : key.shape[-2]].expand(*query.shape[:2], query.shape[-2], key.shape[-2])


def _widened(tensor: Tensor, multiple: int) -> Tensor:
    over = -tensor.shape[-1] % multiple
    return torch.nn.functional.pad(tensor, (0, over)) if over else tensor
