"""The lessons' words in English: titles, parts and conclusions. `{name:unit}` is a number as `Unit` means it."""

from __future__ import annotations

from engine.lessons.names_en import NAMES

WHY: dict[str, str] = {
    "lesson.why.title": "Why accumulate?",
    "lesson.why.part.plans": "One window of each plan, measured",
    "lesson.why.conclusion.activations": (
        "From {large} to {small} the activations fell from {activations_large:bytes} to {activations_small:bytes}: "
        "the larger one is {activations_ratio:ratio} the smaller. Both plans take {rows:count} rows into one "
        "update."
    ),
    "lesson.why.conclusion.activations-same": (
        "The activations did not fall here: {activations_large:bytes} at {large}, {activations_small:bytes} at {small}."
    ),
    "lesson.why.conclusion.peak": (
        "So the peak went from {peak_large:bytes} to {peak_small:bytes}, {saved:share} less. Accumulation makes "
        "room for a batch that would not fit; what it cannot shrink is everything but the activations, "
        "{rest_small:bytes} here."
    ),
    "lesson.why.conclusion.peak-same": (
        "The peak hardly moved: {peak_large:bytes} at {large}, {peak_small:bytes} at {small}. What stays whatever "
        "the micro-batch, {rest_small:bytes}, outweighs the activations in this model."
    ),
    "lesson.why.conclusion.did-not-fit": "{plan} did not fit into this machine at all.",
}

SAME_UPDATE: dict[str, str] = {
    "lesson.same-update.title": "The same update",
    "lesson.same-update.part.proof": "Gradients of four plans, then twelve updates of each",
    "lesson.same-update.conclusion.exact": (
        "All {plans:count} plans gave the gradient of one batch of {rows:count} rows and {targets:count} targets. "
        "The largest difference, at {plan}, is {error:error}: fp32 rounding, from adding the same numbers in "
        "another order."
    ),
    "lesson.same-update.conclusion.off": (
        "Not every plan gave the large batch's gradient: {plan} is off by {error:error}. The Prove tab, with the "
        "same settings, looks for the cause."
    ),
    "lesson.same-update.conclusion.together": (
        "And the training goes the same way: over {updates:count} updates the loss curves are nowhere further "
        "apart than {apart:error}."
    ),
    "lesson.same-update.conclusion.apart": (
        "Over {updates:count} updates the loss curves came apart by up to {apart:error}: rounding grows from "
        "update to update, and here it can be seen."
    ),
}

SCALING_TRAP: dict[str, str] = {
    "lesson.scaling-trap.title": "The loss-scaling trap",
    "lesson.scaling-trap.part.exact": "Trained by targets",
    "lesson.scaling-trap.part.proof": "Both gradients against the large batch's",
    "lesson.scaling-trap.part.means": "Trained by a mean of means",
    "lesson.scaling-trap.conclusion.uneven": (
        "The last window's {micro_batches:count} micro-batches held between {least:count} and {most:count} "
        "targets. In a mean of means each weighs the same, so a target of the shortest counts {factor:ratio} as "
        "much as one of the longest; the window's loss reads {means:number} where the mean over its targets is "
        "{exact:number}."
    ),
    "lesson.scaling-trap.conclusion.even": (
        "All {micro_batches:count} micro-batches of the last window happened to hold {most:count} targets: there "
        "both ways weigh them alike. Other windows are uneven."
    ),
    "lesson.scaling-trap.conclusion.gradient-off": (
        "The gradient shows the fault: the mean of means is off by {means:error} from the large batch's, the "
        "weighting by targets by {exact:error}."
    ),
    "lesson.scaling-trap.conclusion.gradient-same": (
        "In the proved window the mean of means is off by only {means:error}: its micro-batches hold as many targets."
    ),
    "lesson.scaling-trap.conclusion.trained-worse": (
        "After {updates:count} updates the evaluation loss, a mean over targets for both, is {exact:number} by "
        "targets and {means:number} by the mean of means, which had been aiming at another loss."
    ),
    "lesson.scaling-trap.conclusion.trained-same": (
        "After {updates:count} updates the evaluation losses are {exact:number} by targets and {means:number} by "
        "the mean of means, so close that this short run shows no harm. The updates were others all the same: each "
        "was a step towards another loss."
    ),
    "lesson.scaling-trap.conclusion.trained-better": (
        "After {updates:count} updates the evaluation loss is {exact:number} by targets and {means:number} by the "
        "mean of means: this short run went better with the wrong weights. That is chance and not a rule; it was "
        "still not the loss that one meant to train."
    ),
}

TARGETS: dict[str, str] = {
    "lesson.targets.title": "What counts as a target?",
    "lesson.targets.part.causal": "causal LM",
    "lesson.targets.part.packed": "causal LM, packed",
    "lesson.targets.part.unshifted": "causal LM of BERT",
    "lesson.targets.part.masked": "masked LM",
    "lesson.targets.part.tags": "tags of words",
    "lesson.targets.part.written": "written answer",
    "lesson.targets.part.classes": "class of a text",
    "lesson.targets.conclusion.shift": (
        "The causal head's {examples:count} rows carry {labels:count} labels and {targets:count} targets: each "
        "token is predicted from those before it, and nothing stands before a row's first one."
    ),
    "lesson.targets.conclusion.no-shift": (
        "The causal head compares all of its {labels:count} labels: {targets:count} targets in {examples:count} rows."
    ),
    "lesson.targets.conclusion.packed-same": (
        "Packed end to end, the same rows hold the same {packed:count} targets, in {positions_packed:count} "
        "positions in place of {positions_padded:count}: padding never counted."
    ),
    "lesson.targets.conclusion.packed-other": (
        "Packed end to end, the rows hold {packed:count} targets, and padded {padded:count}: packing changes what "
        "is learnt here."
    ),
    "lesson.targets.conclusion.by-task": (
        "The task decides: the masked LM learns from {masked:count} of {tokens:count} tokens ({share:share}), the "
        "classifier from {classes:count} classes of {rows:count} rows, however long the rows are."
    ),
    "lesson.targets.conclusion.stock-other": (
        "The stock Trainer counts otherwise for {model_class}: it would divide by {stock:count}, where the loss "
        "compares {targets:count}. It goes by a name in the model's config, and not by what the loss does."
    ),
    "lesson.targets.conclusion.stock-same": (
        "The stock Trainer's count agrees in all {heads:count} cases. Counting is not its trouble, but which heads "
        "divide by the count: see the last lesson."
    ),
}

NOT_FASTER: dict[str, str] = {
    "lesson.not-faster.title": "It is not faster",
    **{
        f"lesson.not-faster.part.{rows}x{32 // rows}": f"{rows} × {32 // rows}, nine updates"
        for rows in (32, 16, 8, 4, 2, 1)
    },
    "lesson.not-faster.conclusion.slower": (
        "{small} handled {small_rate:number} rows a second, {large} handled {large_rate:number}: the large "
        "micro-batch is {slower:ratio} as fast. Accumulation saves memory and not time: take the largest "
        "micro-batch that fits."
    ),
    "lesson.not-faster.conclusion.same": (
        "{small} and {large} were as fast as each other on this machine: {small_rate:number} and "
        "{large_rate:number} rows a second. Accumulation is no faster, and here it costs nothing either; a GPU, "
        "which needs large micro-batches to be busy, would show a loss."
    ),
    "lesson.not-faster.conclusion.faster": (
        "On this machine the small micro-batch was faster: {small_rate:number} rows a second at {small} against "
        "{large_rate:number} at {large}, {faster:ratio} as fast. A CPU's caches hold a small micro-batch and not a "
        "large one; a GPU would most likely show the opposite. Measure where you train."
    ),
    "lesson.not-faster.conclusion.between": (
        "The fastest lies between them: {best} with {best_rate:number} rows a second, {gain:ratio} as fast as {large}."
    ),
    "lesson.not-faster.conclusion.same-work": (
        "All plans did the same work: {updates:count} updates over {rows:count} rows. Only the way to them differs."
    ),
}

TAIL: dict[str, str] = {
    "lesson.tail.title": "The tail window and the schedule",
    "lesson.tail.part.steps-4": "Four steps, three epochs",
    "lesson.tail.part.steps-8": "Eight steps, three epochs",
    "lesson.tail.part.drop-last": "Four steps, the last micro-batch dropped",
    "lesson.tail.conclusion.tail": (
        "{rows:count} rows do not divide: a full window holds {most:count}, an epoch's last one {least:count}. It "
        "gets an update of its own, so a row in it weighs {factor:ratio} as much as any other."
    ),
    "lesson.tail.conclusion.even": "{rows:count} rows divide evenly: every window holds {most:count}.",
    "lesson.tail.conclusion.fewer-updates": (
        "Twice the steps made {eight:count} updates of the same epochs in place of {four:count}. The schedule "
        "counts updates: a warm-up of {warmup:count} is {share_four:share} of the first run and "
        "{share_eight:share} of the second. Whoever raises the steps must look at warm-up, evaluation and saving "
        "again."
    ),
    "lesson.tail.conclusion.as-many-updates": (
        "Here twice the steps made as many updates, {eight:count} and {four:count}: a warm-up of {warmup:count} is "
        "the same share of both."
    ),
    "lesson.tail.conclusion.dropped": (
        "dataloader_drop_last drops the short micro-batch, and not the short window: {left:count} examples were "
        "not met over all epochs, and the last window still holds only {least:count}."
    ),
    "lesson.tail.conclusion.nothing-dropped": (
        "dataloader_drop_last changed nothing here: no micro-batch was short, and {met:count} examples were met."
    ),
}

LEARNING_RATE: dict[str, str] = {
    "lesson.learning-rate.title": "Effective batch and learning rate",
    "lesson.learning-rate.part.small": "Small batch: many updates",
    "lesson.learning-rate.part.none": "Eight times the batch, the same rate",
    "lesson.learning-rate.part.linear": "Eight times the batch, eight times the rate",
    "lesson.learning-rate.part.square-root": "Eight times the batch, √8 times the rate",
    "lesson.learning-rate.part.noise": "The gradient's noise at the start",
    "lesson.learning-rate.conclusion.best-none": (
        "With {few:count} updates of {batch:count} in place of {many:count} of {before:count}, the unchanged rate "
        "went best here: evaluation loss {none:number}, by the square root {root:number}, linear {linear:number}. "
        "The rate was high already, and a higher one overshoots."
    ),
    "lesson.learning-rate.conclusion.best-linear": (
        "With {few:count} updates of {batch:count} in place of {many:count} of {before:count}, the linear rule "
        "went best: evaluation loss {linear:number}, by the square root {root:number}, unchanged {none:number}. "
        "Fewer updates have to go further each."
    ),
    "lesson.learning-rate.conclusion.best-square-root": (
        "With {few:count} updates of {batch:count} in place of {many:count} of {before:count}, the square root "
        "went best: evaluation loss {root:number}, linear {linear:number}, unchanged {none:number}. It is the rule "
        "that theory gives for Adam."
    ),
    "lesson.learning-rate.conclusion.scaled-alike": (
        "With {few:count} updates of {batch:count} in place of {many:count} of {before:count}, a rate that grows "
        "with the batch went better: evaluation loss {root:number} by the square root and {linear:number} linear, "
        "too close to choose between them, against {none:number} unchanged. Fewer updates have to go further each."
    ),
    "lesson.learning-rate.conclusion.rules-same": (
        "The three rules ended alike: {none:number} unchanged, {root:number} by the square root, {linear:number} "
        "linear. At these rates this task does not mind."
    ),
    "lesson.learning-rate.conclusion.caught-up": (
        "The best of them, {best:number}, is as good as the small batch's {small:number} over the same examples."
    ),
    "lesson.learning-rate.conclusion.behind": (
        "The best of them, {best:number}, stayed behind the small batch's {small:number} over the same examples: a "
        "larger batch makes fewer updates, and a higher rate does not make up for all of them."
    ),
    "lesson.learning-rate.conclusion.noise-above": (
        "The noise scale, over {windows:count} windows, is about {scale:count} examples, above the batch of "
        "{batch:count}: at the start of this training the gradient is mostly noise, and larger batches still help."
    ),
    "lesson.learning-rate.conclusion.noise-below": (
        "The noise scale, over {windows:count} windows, is about {scale:count} examples, below the batch of "
        "{batch:count}: at the start of this training the gradient is clear already, and more rows an update add "
        "little. It grows as the loss falls."
    ),
    "lesson.learning-rate.conclusion.noise-unseen": (
        "Over {windows:count} windows the noise left nothing of the gradient to be seen: the scale is far above "
        "the batch of {batch:count}, and no number can be given for it."
    ),
}

MEMORY: dict[str, str] = {
    "lesson.memory.title": "What fills the memory, and what comes next",
    "lesson.memory.part.plain": "fp32, all weights",
    "lesson.memory.part.checkpointing": "with checkpointing",
    "lesson.memory.part.bf16": "with bf16 autocast",
    "lesson.memory.part.lora": "with LoRA",
    "lesson.memory.conclusion.fills": (
        "Weights, gradients and the optimizer's state took {stays:bytes}, {times:ratio} the weights alone, "
        "whatever the batch; the activations {activations:bytes}; the peak was {peak:bytes}."
    ),
    "lesson.memory.conclusion.checkpointing": (
        "Checkpointing brought the activations from {activations_before:bytes} to {activations:bytes} and the peak "
        "to {after:bytes}, {saved:share} less, at the same update: each layer is computed a second time on the way "
        "back."
    ),
    "lesson.memory.conclusion.checkpointing-not": (
        "Checkpointing hardly changed the peak here: {before:bytes} before, {after:bytes} with it."
    ),
    "lesson.memory.conclusion.bf16": (
        "bf16 autocast brought the activations from {activations_before:bytes} to {activations:bytes} and the peak "
        "to {after:bytes}, {saved:share} less. Weights and optimizer stay in fp32."
    ),
    "lesson.memory.conclusion.bf16-not": (
        "bf16 autocast hardly changed the peak here: {before:bytes} before, {after:bytes} with it. It halves "
        "activations and adds copies of weights."
    ),
    "lesson.memory.conclusion.lora": (
        "LoRA brought weights, gradients and optimizer state from {stays_before:bytes} to {stays:bytes}, the "
        "activations from {activations_before:bytes} to {activations:bytes} and the peak to {after:bytes}, "
        "{saved:share} less: frozen weights need neither gradients nor state, nor the inputs that their own "
        "gradients would be computed from."
    ),
    "lesson.memory.conclusion.lora-not": (
        "LoRA hardly changed the peak here: {before:bytes} before, {after:bytes} with it. It saves gradients and "
        "state, and of the activations only what the gradients of frozen weights would have needed."
    ),
    "lesson.memory.conclusion.did-not-fit": (
        "Not every window fitted into this machine; what is in the table was measured."
    ),
}

STOCK_TRAINER: dict[str, str] = {
    "lesson.stock-trainer.title": "The stock Trainer, head by head",
    "lesson.stock-trainer.part.causal": "causal LM (Llama)",
    "lesson.stock-trainer.part.classes": "sequence classification (BERT)",
    "lesson.stock-trainer.part.tags": "token classification (BERT)",
    "lesson.stock-trainer.part.masked": "masked LM (BERT)",
    "lesson.stock-trainer.part.written": "seq2seq LM (T5)",
    "lesson.stock-trainer.conclusion.wrong": (
        "In {wrong:count} of {heads:count} heads the stock Trainer's gradient is not the large batch's: its norm "
        "comes out between {least:ratio} and {most:ratio} of the right one, with {steps:count} steps. It trusts "
        "each head to divide by num_items_in_batch, and most never look at it. Adam and gradient clipping hide the "
        "fault."
    ),
    "lesson.stock-trainer.conclusion.right": (
        "In all {heads:count} heads the stock Trainer's gradient was the large batch's: this version of "
        "transformers has no fault to show here."
    ),
    "lesson.stock-trainer.conclusion.ours-exact": (
        "Birikim's gradient is exact in all {heads:count}: it takes the model's own mean and weighs it by targets."
    ),
    "lesson.stock-trainer.conclusion.ours-off": (
        "Birikim's own gradient was off in {off:count} of {heads:count} heads; the Prove tab looks for the cause."
    ),
    "lesson.stock-trainer.conclusion.table": (
        "Over all {built:count} heads of transformers that were built and proved, the stock Trainer is right in "
        "{exact:count}."
    ),
}

ENGLISH = {
    **NAMES,
    **WHY,
    **SAME_UPDATE,
    **SCALING_TRAP,
    **TARGETS,
    **NOT_FASTER,
    **TAIL,
    **LEARNING_RATE,
    **MEMORY,
    **STOCK_TRAINER,
}
