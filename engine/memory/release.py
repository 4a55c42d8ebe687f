"""Gives back what nobody holds any more."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from functools import cache
from threading import Thread

import torch
from torch import Tensor


def release() -> None:
    """Frees unreachable tensors, and what autograd and the allocators keep for later."""
    _empty_queue()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()
    with suppress(OSError, AttributeError):
        # glibc keeps what was freed: what comes next would begin where the peak was
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _empty_queue() -> None:
    """A backward pass that fails leaves the rest of its work, tensors and all, in this thread's queue of autograd.

    The next pass drops what it finds there, but takes the youngest work first and ends without the rest. So this
    one's only work is older than any other.
    """
    with torch.enable_grad():
        _oldest().backward(retain_graph=True)  # type: ignore[no-untyped-call]


@cache
def _oldest() -> Tensor:
    """A result whose backward step is number 0: each thread counts from there."""
    made: list[Tensor] = []
    thread = Thread(target=lambda: made.append(torch.zeros((), requires_grad=True) * 1))
    thread.start()
    thread.join()
    return made[0]
