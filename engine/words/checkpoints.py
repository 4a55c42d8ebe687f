"""Of checkpoints, and of runs that go on from one."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- checkpoints of a run under way ----
    "run.no-new-checkpoint": Wording(
        "The checkpoint after update {update} could not be written ({reason}). The run goes on; the last one is that "
        "after update {last}.",
        "",
    ),
    "run.no-checkpoint": Wording(
        "The checkpoint after update {update} could not be written ({reason}). The run goes on without one.", ""
    ),
    "run.best-restored": Wording(
        "The model that is kept is the best one: that after update {update}, with {metric} {value}.", ""
    ),
    "run.best-gone": Wording(
        "The best model, after update {update}, has no whole checkpoint: the one that is kept is the last.", ""
    ),
    "run.finished-early": Wording(
        "Stopped early, after update {update}: {metric} has not got better than {best} in {patience} evaluations.", ""
    ),
    # ---- going on from one ----
    "run.resumed": Wording("Went on from the checkpoint after update {update}, at row {row} of pass {number}.", ""),
    "run.resumed-processes": Wording(
        "From update {update} on there are {processes} processes; before there were {before}. The effective batch is "
        "the same.",
        "",
    ),
    "run.resumed-plan": Wording(
        "From update {update} on the plan is {micro_batch} × {steps} in place of {before_micro_batch} × "
        "{before_steps}; no row of the pass is met twice or left out.",
        "",
    ),
    "run.resumed-schedule": Wording(
        "There are {total} updates in all in place of {before}: the learning rate follows the schedule over {total} "
        "from here on.",
        "",
    ),
    "run.resumed-elsewhere": Wording(
        "The checkpoint was written by {before}, and this is {after}: the numbers may differ in their last digits.", ""
    ),
    "run.checkpoint-torn": Wording(
        "The checkpoint after update {update} is damaged ({file}) and was passed over for that after update {used}.",
        "",
    ),
    "resume.no-run": Wording("Run {run} trains nothing: it can't go on.", "Choose one from the list of runs."),
    "resume.under-way": Wording("Run {run} is under way ({state}).", "Stop it first, or let it end."),
    "resume.no-checkpoint": Wording(
        "Run {run} has no whole checkpoint to go on from.",
        "Start it anew; training.save_strategy: steps writes checkpoints on the way.",
    ),
    "resume.no-such-checkpoint": Wording(
        "Run {run} has no whole checkpoint after update {update}.", "Choose one of: {known}."
    ),
    "resume.all-torn": Wording(
        "No checkpoint of run {run} can be read to its end; the last one is damaged in {file}.", "Start the run anew."
    ),
    "resume.nothing-left": Wording(
        "Run {run} is done: all of its {total} updates are.", "Raise training.max_steps or num_train_epochs to go on."
    ),
    "resume.too-short": Wording(
        "“{field}” is {total}, and the checkpoint is that after update {update}.",
        "Write more than {update}, or go on from an earlier checkpoint.",
    ),
    "resume.changed-weights": Wording(
        "“{field}” was {before} and can't be {after} on the way: the checkpoint holds the weights of the former.",
        "Take it back, or start a new run.",
    ),
    "resume.changed-order": Wording(
        "“{field}” was {before} and can't be {after} on the way: the rows would be others, or come in another order.",
        "Take it back, or start a new run.",
    ),
    "resume.changed": Wording(
        "“{field}” was {before} and can't be {after} on the way: the checkpoint's optimizer and schedule go with it.",
        "Take it back, or start a new run.",
    ),
    "resume.other-rows": Wording(
        "The rows are not those that the checkpoint after update {update} was trained on.",
        "Put the data back as they were, or start a new run.",
    ),
    "resume.other-evaluation": Wording(
        "The rows to evaluate on are not those that the checkpoint after update {update} was evaluated with.",
        "Put the data back as they were, or start a new run.",
    ),
    "resume.other-weights": Wording(
        "The model is not the one that the checkpoint after update {update} was written for.",
        "Put the model's files back as they were, or start a new run.",
    ),
    "resume.other-processes": Wording(
        "“{field}” is {processes} now and was {before}: an update would hold {rows} rows in place of {before_rows}.",
        "Change training.gradient_accumulation_steps so that micro-batch × steps × processes is {before_rows} again.",
    ),
    "resume.order-follows-plan": Wording(
        "The order of the rows follows from the {before} rows of a window here, so that a window can't have another "
        "number on the way.",
        "Keep micro-batch × steps at {before}, or start a new run.",
    ),
}
