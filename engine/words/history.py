"""Of the list of runs, its bin, and runs that come as a file."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "history.no-sort": Wording("Runs can't be sorted by “{sort}”.", "Choose one of {known}."),
    "history.long-title": Wording("A name of a run has {most} characters at most.", "Say the rest in the notes."),
    "history.long-notes": Wording("Notes have {most} characters at most.", "Say it in fewer."),
    "history.long-tag": Wording("A tag has {most} characters at most.", "Put commas between tags."),
    "history.many-tags": Wording("A run has {most} tags at most.", "Take some away."),
    "history.many-runs": Wording("At most {most} runs are taken at a time.", "Choose fewer."),
    "history.under-way": Wording("Run {run} is still under way.", "Stop it first, or leave it out."),
    "history.not-in-bin": Wording("Run {run} is not in the bin.", "Delete it first: from the bin it can go for good."),
    "history.not-removed": Wording(
        "The folder {path} can't be removed: {reason}.", "What the run had told is gone; remove the folder by hand."
    ),
    # ---- a run as a file ----
    "run.imported": Wording(
        "Imported from the file {file}, run {run} of its home. Such a file holds no weights and no checkpoints: here "
        "the run can't go on.",
        "",
    ),
    "run.import-unfinished": Wording(
        "The import of this run was not finished.", "Delete it for good, and import the file again."
    ),
    "import.not-a-run": Wording("{file} is no run that Birikim exported.", "Export one with “Run” or --as run."),
    "import.newer": Wording(
        "{file} was written by a newer Birikim (format {found}, this one knows {known}).", "Update Birikim."
    ),
    "import.too-large": Wording("{file} holds more than a run can: {what}.", "Import a file that Birikim exported."),
    "import.wrong": Wording(
        "{file} is damaged or was changed: {place} does not hold what belongs there.", "Export the run again."
    ),
    "import.settings": Wording(
        "The settings of the run in {file} are none that this Birikim knows: {reason}", "Use the Birikim that made it."
    ),
    "import.unreadable": Wording("{file} can't be read: {reason}.", "Check the path."),
}
