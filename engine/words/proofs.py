"""Of a proof, and the proof of every head."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "proof.quantized": Wording(
        "Weights that are loaded in few bits can't be computed with in fp64.", "Prove in fp32, or remove quantization."
    ),
    # ---- a proof ----
    "proof.finished": Wording("The proof is done.", ""),
    "proof.request": Wording(
        "That is no request for a proof.", "Ask for at most {most} plans, fp32 or fp64, and at most {updates} updates."
    ),
    "proof.other-window": Wording(
        "{plan} is another window than the run's {own}.", "Choose plans whose product is {rows} rows."
    ),
    "proof.exact": Wording(
        "Exact to {error}: {plan} adds up to the gradient of one batch of {rows} rows and {targets} targets.", ""
    ),
    "proof.close": Wording(
        "Equal up to {error}, which in fp32 may be rounding or a fault: {plan} against one batch of {rows} rows and "
        "{targets} targets.",
        "Prove it in fp64.",
    ),
    "proof.wrong": Wording("Off by {error}: {plan} does not give the gradient of one batch of {rows} rows.", ""),
    "proof.own-loss": Wording(
        "The run's loss is not the model's own mean ({loss} where the model says {own}); over the micro-batches of "
        "{plan} it adds up to its own large batch, to {error}.",
        "Where the two should be the same, look for a forgotten shift of the labels or another number of targets.",
    ),
    "proof.own-loss-wrong": Wording(
        "The run's loss on {plan} is off by {error} from the same loss on one large batch.",
        "Divide the sum of the losses by num_items_in_batch.",
    ),
    "proof.trainer-exact": Wording("The stock Trainer is right here too.", ""),
    "proof.trainer-scaled": Wording("The stock Trainer would be {ratio} × too large here.", ""),
    "proof.trainer-small": Wording("The stock Trainer would come out at {ratio} of the right size here.", ""),
    "proof.trainer-off": Wording("The stock Trainer would be off by {error} here.", ""),
    "proof.trainer-both": Wording(
        "The stock Trainer agrees with its own large batch, and both are {ratio} × the model's own mean.", ""
    ),
    "proof.means-exact": Wording("A mean of means is right here, since each micro-batch holds as many targets.", ""),
    "proof.means-off": Wording("A mean of means would be off by {error}.", ""),
    "proof.rows": Wording(
        "One batch of all rows does not fit, so the smallest micro-batches, of one row each, are the measure.", ""
    ),
    "proof.cause-random-inside": Wording("The model draws at random in its forward pass: {seen}.", ""),
    "proof.cause-batch-statistics": Wording(
        "The model normalises by statistics of the batch, so that a micro-batch meets another model than the large "
        "batch does; {seen}. No weighting of losses makes that equal.",
        "Freeze them, or use a model that normalises each row by itself.",
    ),
    "proof.cause-auxiliary-loss": Wording(
        "The loss has a part that is no mean over targets, such as the balance of experts; {seen}.",
        "Set its coefficient to 0 in the model's config, or accept that it follows the micro-batch.",
    ),
    "proof.cause-experts-full": Wording(
        "The model's experts take only so many tokens of a batch and drop the others; {seen}.",
        "Raise their capacity in the model's config.",
    ),
    "proof.cause-padding": Wording(
        "The model's outputs change with the width of the padding; {seen}.",
        "Choose data of even length, or accept that the update follows the padding.",
    ),
    "proof.cause-rows-mixed": Wording("The model computes a row otherwise beside other rows: {seen}.", ""),
    "proof.cause-not-a-mean": Wording("Its loss is no mean over its targets, in a way that the proof can't name.", ""),
    # ---- every head ----
    "heads.none": Wording(
        "No head is called “{name}”.", "Write part of a model class, such as Bert, or a pattern, such as T5For*."
    ),
    "heads.column-head": Wording("model class", ""),
    "heads.column-task": Wording("task", ""),
    "heads.column-ours": Wording("Birikim", ""),
    "heads.column-means": Wording("mean of means", ""),
    "heads.column-stock": Wording("stock Trainer", ""),
    "heads.column-norm": Wording("its norm", ""),
    "heads.column-way": Wording("its way", ""),
    "heads.column-notes": Wording("notes", ""),
    "heads.cannot-save": Wording("{path} can't be written: {reason}.", "Choose another file."),
}
