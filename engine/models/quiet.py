"""Loading without a trace: no words on the terminal, no change of the global random state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
from transformers.utils import logging


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps back the libraries' warnings and progress bars: what the user should know becomes a notice."""
    level = logging.get_verbosity()
    bars, downloads = logging.is_progress_bar_enabled(), not are_progress_bars_disabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
        if downloads:
            enable_progress_bars()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draws follow from `seed`, and the CPU's random state is afterwards as before.

    Models are built on the CPU, and `torch.manual_seed` would change every GPU's state as well.
    """
    before = torch.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before)
