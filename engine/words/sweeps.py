"""Of a sweep: what it is asked for, and its study."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- what is asked for ----
    "sweep.none": Wording(
        "The config says nothing of a sweep.",
        "Add sweep: with fields, such as {{training.learning_rate: [1e-5, 1e-4]}}, or ask a ready question with "
        "--preset.",
    ),
    "sweep.no-preset": Wording("“{name}” is none of the ready questions.", "Choose one of: {known}."),
    "sweep.no-fields": Wording("“{field}” names no field, or more than {most}.", "Name what is to be varied."),
    "sweep.values": Wording(
        "“{field}” must be a list of values or a range, not {value}.", "Write [1e-5, 1e-4] or {{from: 1e-5, to: 1e-3}}."
    ),
    "sweep.no-values": Wording("“{field}” holds no value, or more than {most}.", "Write some values, or a range."),
    "sweep.same-value": Wording("“{field}” holds {value} twice.", "Remove one of the two."),
    "sweep.half-a-range": Wording("The range “{field}” has no “{key}”.", "Write {{from: 1e-5, to: 1e-3}}."),
    "sweep.range-ends": Wording("The range “{field}” goes from {low} to {high}.", "Write the smaller number first."),
    "sweep.range-log": Wording(
        "The range “{field}” can't be logarithmic from {low} on.", "Begin above 0, or leave log out."
    ),
    "sweep.range-step": Wording(
        "“{field}” can't stand beside log or count.", "Keep one of them; count and log go together."
    ),
    "sweep.range-count": Wording("“{field}” must be a whole number from 2 to {most}, not {value}.", "Write such as 5."),
    "sweep.endless": Wording(
        "A grid takes every value of “{field}”, and there is no end of them.",
        "Add count or step, or set method to random or tpe.",
    ),
    "sweep.effective-twice": Wording("“{field}” is fixed, and a field of the sweep too.", "Keep one of the two."),
    "sweep.length-twice": Wording(
        "“{field}” is a field of the sweep, and updates gives all its trials one length.", "Keep one of the two."
    ),
    "sweep.two-plans": Wording(
        "“{field}” and the micro-batch can't both be fields where the effective batch is given.",
        "Keep one of the two: the other follows.",
    ),
    "sweep.cannot-divide": Wording(
        "{count} of the combinations can't make the effective batch, {first} first.",
        "Choose divisors of it, or set leave_out to true.",
    ),
    "sweep.nothing-left": Wording(
        "None of the combinations can make the effective batch.", "Choose micro-batches that divide it."
    ),
    "sweep.whole-field": Wording("“{field}” takes whole numbers alone.", "Write from, to and step without a point."),
    "sweep.no-number": Wording("“{field}” takes no numbers, and so no range.", "Write a list of values."),
    "sweep.too-many": Wording("The sweep would have more than {most} trials.", "Name fewer values."),
    "sweep.unknown-length": Wording(
        "How many updates the epochs of the config make is not known before its rows are read, and so not what "
        "{keys} shrink to.",
        "Set training.max_steps to the length of a whole run.",
    ),
    "sweep.uneven-examples": Wording(
        "Updates of {batch} examples can't make exactly the {examples} examples that “{field}” stands for.",
        "Set it to {near}, or choose other batches.",
    ),
    # ---- a study ----
    "sweep.unknown": Wording("There is no sweep “{study}”.", "Choose one from the list of sweeps."),
    "sweep.no-trial": Wording("The sweep “{study}” has no trial {trial} yet.", "Choose one that has begun."),
    "sweep.name": Wording(
        "“{study}” can't be the name of a sweep.", "Write at most {most} letters, digits, dots, dashes and underscores."
    ),
    "sweep.taken": Wording(
        "There is a sweep “{study}” already, with other settings.",
        "Choose another name for this one; where machines share it, only the folders of its files may differ.",
    ),
    "sweep.changed": Wording(
        "{name} does not hold what it held when the sweep “{study}” began.",
        "Begin a new sweep under another name, or put back what it held.",
    ),
    "sweep.under-way": Wording("The sweep “{study}” is under way.", "Stop it first, or wait until it is done."),
    "sweep.has-workers": Wording(
        "Another program is at work on the sweep “{study}”.",
        "Add --worker to join it, or --study NAME to begin another.",
    ),
    "sweep.storage": Wording(
        "The studies in {place} can't be used: {reason}.", "Check the address, and that its driver is installed."
    ),
    "sweep.no-noise": Wording(
        "The data has no whole window of rows to see the gradient noise in.", "Use more rows, or a smaller window."
    ),
    "sweep.not-predicted": Wording(
        "What this trial takes could not be predicted in time.", "Ask the Memory tab, or birikim memory."
    ),
    "sweep.no-value": Wording(
        "The run ended with a loss that is not a number.", "Lower the learning rate, or look at its curves."
    ),
}
