"""The part of a script that makes windows of rows."""

from __future__ import annotations

from collections.abc import Sequence

from engine.export.script.recipe import Recipe
from engine.tasks.fill_mask import MASKED, RANDOM, SHARE, FillMask
from engine.tasks.text_to_text import WithDecoderInputs


def rows(recipe: Recipe) -> str:
    if recipe.config.task != "fill-mask":
        return '''
class Rows(Dataset):
    """The rows of a file, a line of JSON each."""

    def __init__(self, name):
        with (HERE / name).open(encoding="utf-8") as lines:
            self.rows = [json.loads(line) for line in lines]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return self.rows[place]
'''.strip()
    return '''
class Rows(Dataset):
    """The rows of a file, a line of JSON each. They know their place and the pass, by which their masks are drawn."""

    def __init__(self, name):
        self.epoch = 0
        with (HERE / name).open(encoding="utf-8") as lines:
            self.rows = [json.loads(line) for line in lines]

    def set_epoch(self, epoch):
        """Called before each pass over the training rows."""
        self.epoch = epoch

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return {**self.rows[place], "epoch": self.epoch, "row": place}
'''.strip()


def collate(recipe: Recipe) -> str:
    if recipe.config.packing:
        return _packed(recipe)
    parts = [_PAD]
    labels = 'pad([row["labels"] for row in rows], IGNORED)'
    if recipe.config.task == "fill-mask":
        parts.append(_masking(recipe))
    if recipe.config.task == "text-classification":
        labels = _row_labels(recipe)
    masked = ["    rows = [masked(row) for row in rows]"] if recipe.config.task == "fill-mask" else []
    lines = [
        f"def collate({_collator_takes(recipe)}):",
        '    """A micro-batch: rows padded on the right to the longest of them."""',
        *masked,
        '    ids = [row["input_ids"] for row in rows]',
        "    batch = {",
        '        "input_ids": pad(ids, PADDING),',
        '        "attention_mask": pad([[1] * len(row) for row in ids], 0),',
        f'        "labels": {labels},',
        "    }",
    ]
    if decoder := _decoder(recipe):
        lines += [
            "    # what the decoder reads: the text before each token that it should write",
            f'    batch["decoder_input_ids"] = model.prepare_decoder_input_ids_from_labels(labels=batch["{decoder}"])',
        ]
    if _given_the_next(recipe):
        lines += [
            "    # this head compares each position with its own label: it is given the token after it",
            '    batch["labels"] = batch["labels"].roll(-1, dims=-1)',
            '    batch["labels"][..., -1] = IGNORED',
        ]
    parts.append("\n".join([*lines, "    return batch"]))
    parts.append(_count(recipe))
    return "\n\n\n".join(parts)


def window(recipe: Recipe) -> str:
    config, trainer = recipe.config, recipe.prepared.trainer
    of = "model, " if _decoder(recipe) else ""
    lines = [
        "class Window:",
        '    """Collates the rows of one update: a list of micro-batches, and how many targets each of them holds.',
        "",
        "    Any way of dealing gives the same gradient, since that of a window is a sum over its targets.",
        '    """',
        "",
    ]
    if of:
        lines += ["    def __init__(self, model):", "        self.model = model", ""]
    lines += ["    def __call__(self, rows):"]
    if config.setting("dataloader_drop_last"):
        lines += ["        rows = rows[: len(rows) // MICRO_BATCH * MICRO_BATCH]  # a short micro-batch is left out"]
    if trainer.window_order == "sorted":
        lines += ["        # rows of like length together, the longest first: little is padded"]
        lines += ["        rows = sorted(rows, key=lambda row: -length(row))"]
    call = f"collate({'self.' + of if of else ''}batch)"
    lines += [
        f"        batches = [{call} for batch in {'dealt(rows)' if config.micro_batch_tokens else 'in_order(rows)'}]",
        '        return {"micro_batches": batches, "targets": [count_targets(batch) for batch in batches]}',
    ]
    helpers = []
    if trainer.window_order == "sorted":
        helpers.append(_length(recipe))
    helpers.append(_dealt(recipe) if config.micro_batch_tokens else _IN_ORDER)
    return "\n\n\n".join([*helpers, "\n".join(lines)])


def last_window_dropped(recipe: Recipe) -> bool:
    """Whether the rows of a pass that fill no window do not even fill a micro-batch, where short ones are left out."""
    config = recipe.config
    rows = recipe.prepared.train
    assert isinstance(rows, Sequence), "a stream is refused"
    rest = len(rows) % (config.micro_batch * config.accumulation_steps)
    return bool(config.setting("dataloader_drop_last")) and 0 < rest < config.micro_batch


_PAD = """
def pad(values, filler):
    longest = max(map(len, values))
    return torch.tensor([value + [filler] * (longest - len(value)) for value in values])
""".strip()

_IN_ORDER = '''
def in_order(rows):
    """The rows of each micro-batch."""
    return [rows[start : start + MICRO_BATCH] for start in range(0, len(rows), MICRO_BATCH)]
'''.strip()


def _collator_takes(recipe: Recipe) -> str:
    return "model, rows" if _decoder(recipe) else "rows"


def _decoder(recipe: Recipe) -> str | None:
    """The part of a batch that a decoder's input is made of, where the batch holds one."""
    collator = recipe.prepared.task.collator(recipe.prepared.loaded.tokenizer, recipe.prepared.loaded.model)
    return collator.of if isinstance(collator, WithDecoderInputs) and collator.shifted is not None else None


def _given_the_next(recipe: Recipe) -> bool:
    return recipe.prepared.task.predicts_next and not recipe.prepared.shifts


def _count(recipe: Recipe) -> str:
    if _numbers(recipe):
        return '''
def count_targets(batch):
    """One a row: the loss is a mean over rows."""
    return len(batch["labels"])
'''.strip()
    labels = 'batch["labels"][..., 1:]' if recipe.prepared.shifts else 'batch["labels"]'
    why = "; position 0 is never predicted, the head shifts its labels" if recipe.prepared.shifts else ""
    return f'''
def count_targets(batch):
    """The labels that the loss of this head counts{why}."""
    return int(({labels} != IGNORED).sum())
'''.strip()


def _numbers(recipe: Recipe) -> bool:
    label = recipe.prepared.train[0].get("labels")
    return recipe.config.task == "text-classification" and isinstance(label, float | list)


def _row_labels(recipe: Recipe) -> str:
    label = recipe.prepared.train[0]["labels"]
    if isinstance(label, list):
        classes = recipe.prepared.loaded.model.config.num_labels
        return f'torch.tensor([[float(label in row["labels"]) for label in range({classes})] for row in rows])'
    return 'torch.tensor([row["labels"] for row in rows])'


def _packed(recipe: Recipe) -> str:
    roll = (
        "    # this head compares each position with its own label: it is given the token after it\n"
        "    labels = labels[1:] + [IGNORED]\n"
        if _given_the_next(recipe)
        else ""
    )
    return (
        f'''
def collate(rows):
    """A micro-batch: rows laid end to end, without padding. Positions begin anew with each, which keeps them apart."""
    labels = [label for row in rows for label in (IGNORED, *row["labels"][1:])]
{roll}    return {{
        "input_ids": torch.tensor([[token for row in rows for token in row["input_ids"]]]),
        "position_ids": torch.tensor([[place for row in rows for place in range(len(row["input_ids"]))]]),
        "labels": torch.tensor([labels]),
        "use_cache": False,  # with a cache, models take all of it for one text
    }}
'''.strip()
        + "\n\n\n"
        + _count(recipe)
    )


def _length(recipe: Recipe) -> str:
    both = recipe.config.task == "text2text-generation"
    value = 'len(row["input_ids"]) + len(row["labels"])' if both else 'len(row["input_ids"])'
    return f"def length(row):\n    return {value}"


def _dealt(recipe: Recipe) -> str:
    if recipe.config.packing:
        taken, what = 'sum(len(row["input_ids"]) for row in batch)', "the sum of its rows' lengths"
    elif recipe.config.task == "text2text-generation":
        taken = 'len(batch) * (max(len(row["input_ids"]) for row in batch) + max(len(row["labels"]) for row in batch))'
        what = "rows × the longest source and target"
    else:
        taken, what = 'len(batch) * max(len(row["input_ids"]) for row in batch)', "rows × the longest of them"
    return f'''
def positions(batch):
    """What a micro-batch takes: {what}."""
    return {taken}


def dealt(rows):
    """As many rows a micro-batch as keep it within TOKENS positions."""
    batches = []
    for row in rows:
        if batches and positions([*batches[-1], row]) <= TOKENS:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches
'''.strip()


def _masking(recipe: Recipe) -> str:
    tokenizer = recipe.prepared.loaded.tokenizer
    assert isinstance(recipe.prepared.task, FillMask)
    return f'''
MASK = {tokenizer.mask_token_id}  # the token that stands for one that was taken out
SPECIAL = {set(tokenizer.all_special_ids)!r}
ORDINARY = [token for token in range({len(tokenizer)}) if token not in SPECIAL]


def masked(row):
    """Takes {SHARE:.0%} of the tokens out of a row; they are its labels.

    Which ones follows from the seed, the pass and the row's place: the same in whatever micro-batch the row lands.
    """
    draw = random.Random(f"{{SEED}} {{row['epoch']}} {{row['row']}}")
    ids = list(row["input_ids"])
    labels = [IGNORED] * len(ids)
    places = [place for place, token in enumerate(ids) if token not in SPECIAL]
    for place in draw.sample(places, max(1, round({SHARE} * len(places)))):
        labels[place] = ids[place]
        chance = draw.random()
        if chance < {MASKED}:
            ids[place] = MASK
        elif chance < {MASKED + RANDOM}:
            ids[place] = draw.choice(ORDINARY)
    return {{"input_ids": ids, "labels": labels}}
'''.strip()
