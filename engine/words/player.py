"""Of a window that is watched and replayed."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "session.not-stepping": Wording(
        "Run {run} is under way and nobody watches its micro-batches: no window waits to be replayed.",
        "Pause it first, or let it go in slow motion.",
    ),
    "run.replay-no-window": Wording("No window is under way.", "Ask again before the next micro-batch."),
    "run.replay-several": Wording(
        "This window can't be replayed: its rows are shared by several processes.",
        "Train with one process to replay a window; the Prove tab compares the whole effective batch.",
    ),
    "run.replay-no-rows": Wording(
        "This window can't be replayed: its rows lie in the processes that load the data.",
        "Set training.dataloader_num_workers to 0.",
    ),
    "run.replay-steps": Wording(
        "A window can't be replayed with training.optim {name}: it changes the weights within every backward pass.",
        "Choose another optimizer to compare windows.",
    ),
    "run.replay-failed": Wording("The window could not be replayed: {reason}. The run is as before.", ""),
}
