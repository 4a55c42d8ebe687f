"""Of the list of runs, its bin, and runs that come as a file."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "history.no-sort": Wording("Runs can't be sorted by “{sort}”.", "Choose one of {known}."),
    "history.long-title": Wording("A name of a run has {most} characters at most.", "Say the rest in the notes."),
    "history.long-notes": Wording("Notes have {most} characters at most.", "Say it in fewer."),
    "history.long-tag": Wording("A tag has {most} characters at most.", "Put commas between tags."),
    "history.many-tags": Wording("A run has {most} tags at most.", "Take some away."),
    "history.under-way": Wording("Run {run} is still under way.", "Stop it first, or leave it out."),
    "history.not-in-bin": Wording("Run {run} is not in the bin.", "Delete it first: from the bin it can go for good."),
    "history.not-removed": Wording(
        "The folder {path} can't be removed: {reason}.", "What the run had told is gone; remove the folder by hand."
    ),
}
