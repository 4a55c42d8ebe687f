"""What can be wrong, and the words for it.

    BirikimError
    ├── ConfigError    what the user wrote is wrong; found before the first forward pass (exit status 2)
    ├── RunError       a run that had begun has failed (exit status 1)
    ├── StoreError     the home folder can't be used or written
    └── RunStopped     not a fault: leaves the training loop after Stop

An error is raised by its code; the English words of each code stand in `WORDING`, so that another
language replaces a table and no call. Values in braces are filled from the error's keywords.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Wording(NamedTuple):
    """What is wrong and where, and what to do about it."""

    message: str
    remedy: str


WORDING: dict[str, Wording] = {
    # ---- config: the file ----
    "config.no-file": Wording("There is no config file {path}.", "Check the path."),
    "config.is-folder": Wording("{path} is a folder, not a config file.", "Name the YAML file in it."),
    "config.unreadable": Wording("The config file {path} can't be read: {reason}.", "Check its permissions."),
    "config.not-text": Wording("The config file {path} is not UTF-8 text.", "Save it as UTF-8."),
    "config.syntax": Wording(
        "The config is no valid YAML at line {line}, column {column}: {reason}.", "Mend that line."
    ),
    "config.not-a-mapping": Wording("The config is no mapping of settings.", "Write lines such as `model: minilm`."),
    "config.override": Wording(
        "“{override}” is no override.", "Write KEY=VALUE with a dotted key, such as training.max_steps=100."
    ),
    # ---- config: keys ----
    "config.duplicate-key": Wording(
        "“{field}” stands twice, in lines {first_line} and {line}.", "Keep one of the two."
    ),
    "config.unknown-key": Wording("There is no setting “{field}”.", "Did you mean {suggestion}? Otherwise remove it."),
    "config.strange-key": Wording("There is no setting “{field}”.", "Remove it; what can stand there: {known}."),
    "config.not-a-training-field": Wording(
        "There is no setting “{field}”.", "Remove it: TrainingArguments of transformers {version} has no such field."
    ),
    "config.missing": Wording("“{field}” is missing.", "Add it; a config needs model, task and data at least."),
    "config.not-yet": Wording("“{field}” can't be {value} in this version.", "Remove it."),
    "config.no-source": Wording(
        "“{field}” names no data.", "Give one of name (built in), path (a file) and hub (an id)."
    ),
    "config.two-sources": Wording("“{field}” names data, and so does “{first}”.", "Keep one of the two."),
    "config.hub-only": Wording("“{field}” is for data from the Hub alone.", "Remove it, or give data.hub."),
    # ---- config: values ----
    "config.text": Wording(
        "“{field}” must be text, not {value}.", "Write a word, in quotes if it looks like a number."
    ),
    "config.empty-text": Wording("“{field}” is empty.", "Write a value, or remove the line."),
    "config.texts": Wording("“{field}” must be a list of texts, not {value}.", "Write [first, second]."),
    "config.mapping": Wording(
        "“{field}” must be a mapping of plain values, not {value}.", "Write key: value below it."
    ),
    "config.whole-number": Wording("“{field}” must be a whole number, not {value}.", "Write digits without quotes."),
    "config.number": Wording(
        "“{field}” must be a number, not {value}.", "Write such as 0.0001 or 1e-4, without quotes."
    ),
    "config.true-or-false": Wording("“{field}” must be true or false, not {value}.", "Write one of the two."),
    "config.choice": Wording("“{field}” can't be {value}.", "Choose one of: {choices}."),
    "config.at-least": Wording("“{field}” must be at least {low}, not {value}.", "Write {low} or more."),
    "config.at-most": Wording("“{field}” must be at most {high}, not {value}.", "Write {high} or less."),
    "config.above-zero": Wording("“{field}” must be above 0, not {value}.", "Write a number above 0."),
    "config.below-one": Wording("“{field}” must be below 1, not {value}.", "Write a number from 0 to below 1."),
    "config.share-or-whole": Wording(
        "“{field}” must be a share below 1 or a whole number of updates, not {value}.", "Round it."
    ),
    "config.max-steps": Wording(
        "“{field}” must be at least 1, not {value}.",
        "Write the number of updates, or -1 to train for num_train_epochs.",
    ),
    "config.two-precisions": Wording("“{field}” and its bf16 twin can't both be on.", "Keep one of the two."),
    "config.needs-workers": Wording("“{field}” needs dataloader_num_workers above 0.", "Set that too, or remove it."),
    "config.needs-evaluation": Wording(
        "“{field}” follows the evaluation loss, and eval_strategy is no.",
        "Set training.eval_strategy to steps or epoch.",
    ),
    # ---- config: what Birikim decides itself ----
    "config.owned-folder": Wording(
        "“{field}” can't be set: the home folder decides where a run is written.",
        "Remove it; choose the folder with --home or BIRIKIM_HOME.",
    ),
    "config.owned-batch": Wording(
        "“{field}” would change the effective batch by itself.",
        "Remove it; halve the micro-batch and double gradient_accumulation_steps instead.",
    ),
    "config.owned-resume": Wording("“{field}” can't be set: this version doesn't resume a run.", "Remove it."),
    "config.owned-tracker": Wording(
        "“{field}” can't be {value}: Birikim sends nothing anywhere.", "Remove it; every value is in the home folder."
    ),
    "config.owned-hub": Wording(
        "“{field}” can't be {value}: Birikim uploads nothing.", "Remove it; upload the run's model folder afterwards."
    ),
    "config.owned-processes": Wording(
        "“{field}” can't be {value}: in this version a run is one process.", "Remove it."
    ),
    "config.owned-loop": Wording(
        "“{field}” can't be {value}: Birikim measures and shows the run itself.", "Remove it."
    ),
    "config.owned-evaluation": Wording(
        "“{field}” can't be {value}: Birikim evaluates by targets, at any evaluation batch size.", "Remove it."
    ),
    "config.owned-script": Wording(
        "“{field}” can't be {value}: the command says what is done.", "Remove it; eval_strategy turns evaluation on."
    ),
    # ---- the page's program ----
    "page.open-to-others": Wording(
        "{option} would open the page to other machines without a password.",
        "Add --auth-file FILE, with one user:password a line.",
    ),
    "page.auth-file": Wording("The file {path} of --auth-file can't be read: {reason}.", "Check the path."),
    "page.auth-line": Wording("Line {line} of {path} is no user:password.", "Write one user:password a line."),
    "page.auth-empty": Wording("The file {path} of --auth-file names nobody.", "Write one user:password a line."),
    "page.port-taken": Wording("Port {port} of {host} can't be used: {reason}.", "Choose another with --port."),
    "page.no-port": Wording("No port from {first} to {last} of {host} is free.", "Choose one with --port."),
    # ---- a run ----
    "run.finished": Wording("All updates are done.", ""),
    "run.stopped": Wording("Stopped; the weights are those after the last update.", ""),
    "run.no-rows": Wording("The data gave no rows to train on.", "Check the file and its text column."),
    "run.not-finite": Wording(
        "The loss or the gradient of update {update} is not a number.",
        "Lower the learning rate, add warm-up, or train in fp32 or bf16 instead of fp16.",
    ),
    "run.out-of-memory": Wording(
        "The device ran out of memory.",
        "Halve the micro-batch and double the accumulation steps: the effective batch stays the same.",
    ),
    "run.file-missing": Wording("The file {path} is gone.", "Put it back, or choose another one, and start again."),
    "run.unexpected": Wording(
        "{kind}: {problem}", "The traceback is in failure.txt in the run's folder; start again with another setting."
    ),
    "run.nothing-to-evaluate": Wording("No rows are held out, so nothing is evaluated.", ""),
    "data.too-few-rows": Wording(
        "{rows} rows fill no micro-batch, and short ones are dropped.",
        "Lower the micro-batch, or set training.dataloader_drop_last to false.",
    ),
    "training.refused": Wording("transformers refuses this setting: {problem}", "Change or remove it."),
    "session.no-command": Wording("There is no command “{command}”.", "Use one of: {commands}."),
    "session.ended": Wording("Run {run} has ended ({state}).", "Start a new one."),
}


class BirikimError(Exception):
    """A fault with a code, the place it is about, and the values its words need."""

    def __init__(self, code: str, *, field: str | None = None, **values: Any) -> None:
        self.code = code
        self.field = field
        self.values = {"field": field, **values}
        super().__init__(self.line)

    @property
    def message(self) -> str:
        return WORDING[self.code].message.format(**self.values)

    @property
    def remedy(self) -> str:
        return WORDING[self.code].remedy.format(**self.values)

    @property
    def line(self) -> str:
        """All of it on one line, with the field's name."""
        return one_line(self.message, self.remedy, self.field)


class ConfigError(BirikimError):
    """A wrong config: key, type, value, model, file or column."""


class RunError(BirikimError):
    """A run that can't go on: out of memory, a loss that is not a number, a row that can't be read."""


class StoreError(BirikimError):
    """The home folder can't be opened or written."""


class RunStopped(BirikimError):
    """Raised inside the training loop when Stop takes effect."""


def one_line(message: str, remedy: str, field: str | None) -> str:
    """What is wrong and what to do, after the field's name where the message does not hold it."""
    place = f"{field}: " if field and field not in message else ""
    return " ".join(f"{place}{message} {remedy}".split())
