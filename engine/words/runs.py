"""Of a run under way, and how it ends."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- a run ----
    "run.finished": Wording("All updates are done.", ""),
    "run.stopped": Wording("Stopped; the weights are those after the last update.", ""),
    "run.no-rows": Wording("The data gave no rows to train on.", "Check the file and its text column."),
    "run.no-targets": Wording(
        "A whole pass over the data held not a single target.", "Check the labels and raise data.max_length."
    ),
    "run.not-finite": Wording(
        "The loss or the gradient of update {update} is not a number.",
        "Lower the learning rate, add warm-up, or train in fp32 or bf16 instead of fp16.",
    ),
    "run.out-of-memory": Wording(
        "The device ran out of memory.",
        "Halve the micro-batch and double the accumulation steps: the effective batch stays the same.",
    ),
    "run.out-of-memory.loading": Wording(
        "The model does not fit into memory.", "Choose a smaller model, or raise memory_budget where it is set."
    ),
    "run.out-of-memory.forward": Wording(
        "Update {update} ran out of memory in the forward pass of micro-batch {micro_batch} of {of}.",
        "Halve the micro-batch and double the accumulation steps: the effective batch stays the same.",
    ),
    "run.out-of-memory.backward": Wording(
        "Update {update} ran out of memory in the backward pass of micro-batch {micro_batch} of {of}.",
        "Halve the micro-batch and double the accumulation steps: the effective batch stays the same.",
    ),
    "run.out-of-memory.one-row": Wording(
        "", "No smaller micro-batch is left: set training.activation_checkpointing to true, or lower data.max_length."
    ),
    "run.out-of-memory.update": Wording(
        "Update {update} ran out of memory in the optimizer's step.",
        "A smaller micro-batch is no help there: train with lora, or set training.optim to one that keeps less.",
    ),
    "run.out-of-memory.evaluation": Wording(
        "The evaluation after update {update} ran out of memory.", "Lower training.per_device_eval_batch_size."
    ),
    "run.out-of-memory.saving": Wording(
        "Memory ran out while the model was saved.", "Make some free, or raise memory_budget where it is set."
    ),
    "run.out-of-memory.whole": Wording("It asked for {requested}, and there are {budget}.", ""),
    "run.out-of-memory.sums": Wording(
        "It asked for {requested} more where {taken} of {budget} were taken, most of it by {term} ({most}).", ""
    ),
    "run.half-updated": Wording(
        "Memory ran out in the middle of update {update}, and the weights are neither those before nor after it.",
        "Go on from its last checkpoint with a smaller plan, or start again; the weights of now are not kept.",
    ),
    "run.halved": Wording(
        "Micro-batch {before} did not fit ({phase} of update {update}); goes on with {micro_batch} × {steps}: "
        "the same {rows} rows an update.",
        "",
    ),
    "run.halved-uneven": Wording(
        "Micro-batch {before} did not fit ({phase} of update {update}); goes on with micro-batches of at most "
        "{micro_batch} rows, {steps} a window: the same {rows} rows an update.",
        "",
    ),
    "run.halved-tokens": Wording(
        "A micro-batch of {before} tokens did not fit ({phase} of update {update}); goes on with {tokens}: "
        "the same {rows} rows an update.",
        "",
    ),
    "run.evaluation-halved": Wording(
        "The evaluation after update {update} did not fit; goes on with {rows} rows a batch: the same result.", ""
    ),
    "run.file-missing": Wording("The file {path} is gone.", "Put it back, or choose another one, and start again."),
    "run.unexpected": Wording(
        "{kind}: {problem}", "The traceback is in failure.txt in the run's folder; start again with another setting."
    ),
    "command.unexpected": Wording("{kind}: {problem}, at {place}.", "Try another setting."),
    "run.nothing-to-evaluate": Wording("No rows are held out, so nothing is evaluated.", ""),
    "data.needs-evaluation": Wording(
        "No rows are held out, and “{field}” goes by evaluations.", "Set data.eval_rows, or remove it."
    ),
    "data.too-few-rows": Wording(
        "The data fill no micro-batch (rows: {rows}), and short ones are dropped.",
        "Lower the micro-batch, or set training.dataloader_drop_last to false.",
    ),
    "data.row-above-budget": Wording(
        "A row of {longest} tokens is more than a micro-batch may hold ({tokens}).",
        "Raise micro_batch_tokens to {longest} or more, or lower data.max_length to {tokens}.",
    ),
    "model.no-packing": Wording(
        "{architecture} reads across the rows that are laid end to end: its outputs move by {percent} %.",
        "Set packing to false; window_order: sorted saves most of the padding too.",
    ),
    "model.cannot-pack": Wording(
        "{architecture} can't read rows that are laid end to end: {reason}.",
        "Set packing to false; window_order: sorted saves most of the padding too.",
    ),
    "model.padding-matters": Wording(
        "Padding changes what {architecture} computes (by {percent} %): the way in which a window is "
        "dealt changes the update.",
        "Set window_order to random for the rows as they come.",
    ),
    "model.padding-counts": Wording(
        "{architecture} reads padding too (by {percent} %): a window's update depends on how its rows are padded, and "
        "is not exactly that of one large batch.",
        "",
    ),
    "model.reads-ahead": Wording(
        "{architecture} reads the tokens after the one that it is to predict: its loss says nothing here.",
        "Choose a causal model, or the task fill-mask.",
    ),
    "model.no-forward": Wording(
        "{architecture} can't go forward on rows of text: {reason}.", "Choose another model, or another task."
    ),
    "data.nothing-encoded": Wording(
        "Not one row holds a target once it is encoded ({tokenizer}).",
        "Look at the rows in the preview: the tokenizer may not know their words, or the labels are missing.",
    ),
    "run.mean-of-means-trainer": Wording(
        "The Trainer says loss_is_scaled_for_ga = False, so each micro-batch's loss is divided by the number of "
        "micro-batches: a mean of means, which overweights micro-batches with few targets.",
        "",
    ),
    "run.mean-of-means": Wording(
        "The custom loss takes no num_items_in_batch, so each micro-batch's mean is divided by the number of "
        "micro-batches: a mean of means, which overweights micro-batches with few targets.",
        "Give it a third argument, num_items_in_batch, and divide the sum of the losses by that.",
    ),
    "training.needs-package": Wording(
        "“{field}” needs the package {package}, which is not installed.", "Install it, or remove the setting."
    ),
    "training.needs-compiler": Wording(
        "“{field}” needs a C++ compiler, and none is here.", "Install g++ or clang++, or remove the setting."
    ),
    "training.needs-device": Wording("“{field}” needs {wanted}, and the run goes on {device}.", "Remove the setting."),
    "training.steps-in-backward": Wording(
        "“{field}” can't be {name}: it changes the weights within every backward pass, so that no gradient adds up.",
        "Choose another, or set training.gradient_accumulation_steps to 1.",
    ),
    "run.compile": Wording(
        "torch.compile can't compile the model: {problem}", "Set training.torch_compile to false; it trains the same."
    ),
    "run.reports": Wording("The losses and the settings of this run are told to {names} as well.", ""),
    "run.report-failed": Wording(
        "{name} can't be told of this run: {reason}. The run goes on; all of it is in the home folder.", ""
    ),
    "run.no-metric": Wording(
        "There is no {name} to choose the best model by; an evaluation gives {known}.",
        "Set training.metric_for_best_model to one of those, or remove it.",
    ),
    "training.refused": Wording("transformers refuses this setting: {problem}", "Change or remove it."),
    "run.interrupted": Wording(
        "The program that trained this run ended before it.",
        "What was recorded until then is kept; go on from its last checkpoint, or start a new run.",
    ),
    "run.never-started": Wording("The program was closed before this run's turn came.", "Start it again."),
    "run.window-skipped": Wording(
        "Windows that gave no update: {windows} (examples: {examples}), the last one after update {after}.", ""
    ),
}
