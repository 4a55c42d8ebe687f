"""Gives back what nobody holds any more."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

import torch


def release() -> None:
    """Frees unreachable tensors, and what the allocators keep for later."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()
    with suppress(OSError, AttributeError):
        # glibc keeps what was freed: what comes next would begin where the peak was
        ctypes.CDLL("libc.so.6").malloc_trim(0)
