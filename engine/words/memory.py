"""Of a window's memory, predicted, measured and fitted."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "memory.quantized": Wording(
        "What a model takes whose weights are loaded in few bits can't be predicted.",
        "Measure it: `birikim memory CONFIG --measure`, or one real step in the Memory tab.",
    ),
    # ---- the memory of a window ----
    "memory.not-reckoned": Wording(
        "The memory of these settings can't be reckoned without running them: {problem}.",
        "Measure a real window: the X-ray does, and --measure on the command line.",
    ),
    "memory.measured": Wording("The memory is measured.", ""),
    "memory.request": Wording(
        "That is no request for a measurement.", "Ask for at most {most} plans, each of whole rows and steps."
    ),
    "fit.budget": Wording(
        "“{value}” is no memory budget.", "Write a size such as 8GiB, or the id of a card such as {card}."
    ),
    "fit.nothing": Wording(
        "Not even one row at a time fits into {budget}: it takes {least}.",
        "Shorten data.max_length, or set training.activation_checkpointing, training.bf16 or lora.",
    ),
    "memory.no-answer": Wording(
        "The process that reckons memory has ended before it answered.", "Ask again; it starts anew."
    ),
    # ---- memory ----
    "memory.peak-forward": Wording("The peak is in the forward pass of micro-batch {micro_batch}, in {module}.", ""),
    "memory.peak-backward": Wording("The peak is in the backward pass of micro-batch {micro_batch}, in {module}.", ""),
    "memory.peak-update": Wording("The peak is in the update, as the gradients are clipped and the weights moved.", ""),
    "memory.unseen-cpu": Wording(
        "These are the tensors. Python and the libraries take 0.5 to 1 GiB besides, the data as much as they are.", ""
    ),
    "memory.unseen-cuda": Wording(
        "These are the tensors. A GPU takes more: its context, usually 0.3 to 0.6 GiB; workspaces of the libraries, "
        "usually 10 to 100 MiB; and gaps between the allocator's blocks, usually 2 to 10 % of the peak.",
        "",
    ),
    "memory.unseen-mps": Wording(
        "These are the tensors. The GPU takes more: its driver, usually 0.2 to 0.5 GiB, and gaps between the "
        "allocator's blocks, usually 2 to 10 % of the peak.",
        "",
    ),
    "memory.too-many-tokens": Wording(
        "A micro-batch of {rows} rows of {length} tokens is more than is reckoned with ({most} tokens).",
        "Choose a smaller micro-batch.",
    ),
    "memory.cannot-predict": Wording(
        "The memory of {architecture} can't be predicted: {reason}.", "Measure it on the device with --measure."
    ),
    "memory.no-device": Wording(
        "“{field}” can't be {value}: what is measured is measured on this machine's {here}.", "Remove it, or --measure."
    ),
}
