"""Of a config: its file, its keys and values, and what it may not say."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
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
    "config.no-source": Wording(
        "“{field}” names no data.", "Give one of name (built in), path (a file) and hub (an id)."
    ),
    "config.two-sources": Wording("“{field}” names data, and so does “{first}”.", "Keep one of the two."),
    "config.hub-only": Wording("“{field}” is for data from the Hub alone.", "Remove it, or give data.hub."),
    "config.file-only": Wording("“{field}” is for a file of your own alone.", "Remove it, or give data.path."),
    "config.own-data-only": Wording(
        "“{field}” is for a file of your own or data from the Hub.", "Remove it, or give data.path or data.hub."
    ),
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
    "config.stops-by-evaluation": Wording(
        "“{field}” goes by evaluations, and eval_strategy is no.", "Set training.eval_strategy to steps or epoch."
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
    "config.secret": Wording(
        "“{field}” holds a token or a password, and a config is stored and shown.",
        "Remove it, log in with `hf auth login` or set HF_TOKEN, and the token is found by itself.",
    ),
    "config.freeze": Wording(
        "“{field}” can't be {value}.", "Write encoder, or a list of patterns such as [bert.embeddings.*]."
    ),
    "config.freeze-lora": Wording(
        "“{field}” can't stand beside lora, which leaves all of the model's own weights as they are.",
        "Remove one of the two.",
    ),
    "config.device": Wording("“{field}” can't be {value}.", "Write cpu, cuda, such as cuda:1, or mps."),
    "config.device-cpu": Wording(
        "“{field}” is {value}, and training.use_cpu asks for the CPU.", "Remove one of the two."
    ),
    "config.quantization-lora": Wording(
        "“{field}” leaves weights that can't be trained themselves.", "Add lora: adapters are trained beside them."
    ),
    # ---- code of the user's own ----
    "code.no-file": Wording("There is no Python file {path}.", "Check the path; it is looked for beside the config."),
    "code.fails": Wording("{path} can't be loaded: {reason}.", "Mend the file; `python {path}` shows where."),
    "code.replaced": Wording(
        "{name} in {path} has a {method} of its own, in whose place Birikim's loop over windows stands.",
        "Leave it out; rows are chosen by data, and dealt by window_order.",
    ),
    "code.raised": Wording("The loss in {path} raised {problem}, at line {line}.", "Mend it there."),
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
    "config.owned-resume": Wording(
        "“{field}” can't be set: a run goes on in its own place.",
        "Remove it; `birikim train CONFIG --resume RUN` goes on from a run's last checkpoint.",
    ),
    "config.owned-checkpoint": Wording(
        "“{field}” can't be {value}: a checkpoint is there to go on from.", "Remove it; model/ holds the model alone."
    ),
    "config.reports-elsewhere": Wording(
        "“{field}” can't be {name} from the page: it would send the run's values elsewhere.",
        "Set tensorboard, or train from the command line.",
    ),
    "config.report-to": Wording("“{field}” can't be “{value}”.", "Set it to some of {choices}, to all, or to none."),
    "config.owned-tracker": Wording(
        "“{field}” can't be {value}: trackers are told by report_to alone.", "Remove it; set training.report_to."
    ),
    "config.owned-hub": Wording(
        "“{field}” can't be {value}: Birikim uploads nothing.", "Remove it; upload the run's model folder afterwards."
    ),
    "config.owned-processes": Wording(
        "“{field}” can't be {value}: of several processes launch alone tells.",
        "Remove it; set launch.processes, or launch.accelerate_config.",
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
}
