"""Of runs that are compared, and of what makes a comparison unfair."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "compare.none": Wording("There is no run to compare.", "Name one or more by their numbers."),
    "compare.too-many": Wording("{count} runs are too many to compare at once.", "Choose at most {most}."),
    "compare.no-training": Wording("Run {run} trains nothing, and has no curves.", "Choose training runs."),
    # ---- whether losses are of one kind ----
    "compare.task": Wording(
        "The runs do different tasks ({where}).", "Their losses are of different kinds: compare each with its own kind."
    ),
    "compare.data": Wording(
        "The runs were trained on different data ({where}).", "Their losses can't be compared with each other."
    ),
    "compare.rows": Wording(
        "The settings name the same data, but the rows were others ({where}).",
        "The data have changed in between: their losses can't be compared with each other.",
    ),
    "compare.held-out": Wording(
        "The runs were evaluated on different rows ({where}): which are held out follows from the seed and the data.",
        "Part of a difference between evaluation losses is that.",
    ),
    "compare.cut": Wording(
        "The models may cut texts into different tokens ({where}).",
        "Their losses are means over tokens: compare them only where the tokens are the same.",
    ),
    "compare.averaged": Wording(
        "The runs average over a window in different ways ({where}).",
        "Their training losses are told in these ways too: compare the evaluation losses.",
    ),
    "compare.minimised": Wording("The runs minimise different losses ({where}).", "Compare their evaluation metrics."),
    "compare.batch": Wording(
        "An update takes different numbers of examples ({where}).",
        "At the same update the runs have seen different amounts: choose examples or targets as the axis.",
    ),
    # ---- where they were made ----
    "compare.device": Wording(
        "The runs were made on different devices ({where}).",
        "Seconds, throughput and memory follow the device: compare their losses alone.",
    ),
    "compare.machine": Wording(
        "The runs were made on different machines ({where}).",
        "Seconds and throughput follow the machine: compare their losses alone.",
    ),
    "compare.machine-unknown": Wording(
        "On which machine these were made was not noted: {runs}.", "Their seconds may be those of another machine."
    ),
    "compare.threads": Wording(
        "The runs used different numbers of threads ({where}).", "Seconds and throughput follow from that as well."
    ),
    "compare.versions": Wording(
        "The runs were made with different versions ({where}).", "Losses and seconds may differ by that alone."
    ),
    # ---- of single runs ----
    "compare.unfinished": Wording("Not finished: {runs}.", "Their values are the last ones so far."),
    "compare.watched": Wording(
        "Watched micro-batch by micro-batch: {runs}.", "That costs time: their throughput is lower than it need be."
    ),
    "compare.resumed": Wording(
        "Went on from a checkpoint: {runs}.", "Their seconds are added up over what was trained in several goes."
    ),
    "compare.halved": Wording(
        "Halved their micro-batch on the way: {runs}.", "Their throughput and memory are of several plans."
    ),
    "compare.short": Wording(
        "Too short for a throughput: {runs}.", "Their updates all count as warm-up, which is left out."
    ),
    "compare.no-tokens": Wording(
        "Trained before tokens were counted: {runs}.", "They are not drawn where tokens are the axis."
    ),
    # ---- the same once more ----
    "compare.copy": Wording(
        "Run {run} is an imported copy of run {original}.", "It repeats nothing, and counts in no spread over seeds."
    ),
    "compare.repeated": Wording(
        "The same settings with the same seed: {runs}. Their losses are equal to the last bit.", ""
    ),
    "compare.not-repeated": Wording(
        "The same settings with the same seed: {runs}. Yet their losses differ, by up to {apart}.",
        "Other versions, devices or numbers of threads do that, and so do some operations of a GPU.",
    ),
}
