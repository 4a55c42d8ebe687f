"""Of an estimate of the gradient noise."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "noise.finished": Wording("The gradient noise is estimated.", ""),
    "noise.request": Wording("That is no request for an estimate of the noise.", "Ask for 1 to {most} windows."),
    "noise.one-micro-batch": Wording(
        "The gradient noise is seen in how micro-batches differ, and one micro-batch has nothing to be compared with.",
        "Set gradient_accumulation_steps to 2 or more.",
    ),
}
