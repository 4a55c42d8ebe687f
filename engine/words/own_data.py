"""Of the user's own data: files, folders, conversations, streams."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- how a file is written ----
    "data.unknown-encoding": Wording("There is no encoding {value}.", "Write one such as utf-8, cp1254 or utf-16-le."),
    "data.not-utf8": Wording(
        "{path} is not UTF-8 text: see line {line}.", "Save it as UTF-8, or set data.encoding, for instance to {able}."
    ),
    "data.not-decoded": Wording(
        "{path} is not {encoding} text: see line {line}.",
        "Save it as UTF-8, or set data.encoding to another one, for instance {able}.",
    ),
    "data.no-text": Wording(
        "{path} holds characters that are no text: see line {line}.",
        "Where it is UTF-16 without a mark, set data.encoding to utf-16-le or utf-16-be.",
    ),
    "data.huge-row": Wording(
        "{path} holds a row of more than {millions} million characters: see line {line}.",
        "Part it into rows; a quote or bracket that is never closed makes such a row too.",
    ),
    "data.column-twice": Wording("{path} has two columns called “{name}”.", "Rename one of them."),
    "data.changed": Wording("{name} changed while {path} was read.", "Start again once it is written to its end."),
    "data.no-space": Wording(
        "The rows of so large a file are kept in {folder}, and they can't be written there: {reason}.",
        "Make room there, or choose another home folder.",
    ),
    # ---- folders ----
    "data.empty-folder": Wording("There is no file in {path} that can be read.", "Put files in it: {known}."),
    "data.mixed-folder": Wording(
        "{path} holds files of several formats: {endings}.", "Keep those of one format in it, or name one file."
    ),
    "data.other-columns": Wording(
        "{path} has no column “{name}”, which {first} has; it has: {columns}.",
        "Give all files in the folder the same columns.",
    ),
    # ---- rows ----
    "data.repeated-rows": Wording("{count} of {rows} rows of {source} repeat an earlier one; they were kept.", ""),
    "data.leak": Wording(
        "{count} of {rows} rows held out have a text that is trained on as well: the evaluation flatters.", ""
    ),
    "data.unseen-label": Wording(
        "{source} has the label “{value}” at {place}, which no row to train on has; they have: {known}.",
        "Correct it, or put rows of that class among those to train on.",
    ),
    # ---- conversations ----
    "data.half-a-pair": Wording("“{given}” needs “{field}” beside it.", "Name the column of both."),
    "data.two-ways": Wording(
        "“{first}” says what a row holds, and “{field}” says something else.",
        "Keep one: data.text, data.messages, or data.prompt with data.completion.",
    ),
    "data.chat-task": Wording("“{field}” is for text-generation, and the task is {task}.", "Set task to it."),
    "data.not-as-conversations": Wording(
        "There is no column “{name}” in {source}; “{messages}” seems to hold conversations.",
        "Leave data.text out and set data.messages to {messages}.",
    ),
    "data.conversations-task": Wording(
        "There is no column “{name}” in {source}; “{messages}” seems to hold conversations, and the task is {task}.",
        "Set task to text-generation to learn their answers, or data.text to a column with text.",
    ),
    "data.not-messages": Wording(
        "{source} holds no conversation but a {kind} at {place}.",
        'Write a list such as [{{"role": "user", "content": "…"}}, {{"role": "assistant", "content": "…"}}].',
    ),
    "data.not-a-turn": Wording(
        "Turn {number} at {place} of {source} does not say who speaks and what.",
        'Write each as {{"role": "user", "content": "…"}}.',
    ),
    "data.no-answer": Wording(
        "Nobody answers at {place} of {source}; there are the roles {roles}.",
        "Give each conversation a turn of the role assistant: that is what is learnt.",
    ),
    "data.no-completion": Wording("{source} has no completion at {place}.", "Write it there, or remove the row."),
    "data.no-preview": Wording("The data can't be looked at ({problem}).", "Press Start: the run says what is wrong."),
    "data.no-preview-answer": Wording("The process that looks at data has ended before it answered.", "Ask again."),
    # ---- streams ----
    "data.stream-steps": Wording(
        "Where a stream ends is not known before, so “{field}” must say how many updates there are.", "Set it."
    ),
    "data.stream-classes": Wording(
        "“{name}” does not name the classes of “{column}”, and a stream can't be read to its end to find them.",
        "Set data.streaming to false.",
    ),
}
