"""Tiny models of every architecture as folders to train, with data of words that they know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast, set_seed

from engine.config import RunConfig
from engine.memory.account import Account
from engine.memory.measure import measure
from engine.memory.predict import predict
from engine.models.quiet import quiet
from engine.proof.heads import Head
from engine.proof.heads.shrink import tiny_config
from engine.proof.heads.sizes import FIRST_WORD, SPECIAL_IDS, VOCABULARY
from engine.trainer import Progress, prepare

LENGTH = 48
"""Shorter than the most positions of a tiny model, some of which keep a few for themselves."""

PLAN = (16, 2)
"""With as many rows activations are more than a third of the peak."""

CLASSES = ("one", "two", "three")


def compared(head: Head, folder: Path) -> tuple[Account, Account]:
    """The predicted and the measured window of a tiny `head`, trained as a run trains a model folder."""
    config = config_of(head, folder)
    predicted = predict(config, cache=folder)
    # some architectures read any tokenizer as one of their own kind
    with patch.object(AutoTokenizer, "from_pretrained", lambda *_, **__: tokenizer()):
        prepared = prepare(
            config, cache=folder, folder=folder / "run", run=0, emit=lambda event: None, progress=Progress()
        )
    return predicted, measure(prepared, *PLAN)


def config_of(head: Head, folder: Path) -> RunConfig:
    """A run that trains `head`, whose tiny model and rows are written under `folder`."""
    set_seed(0)
    cls = getattr(transformers, head.name)
    fields: dict[str, Any] = {}
    if head.task == "text-generation" and "is_decoder" in cls.config_class.__dataclass_fields__:
        fields["is_decoder"] = True
    with quiet():
        cls(tiny_config(cls.config_class, **fields)).save_pretrained(folder / "model")
        tokenizer().save_pretrained(folder / "model")
    text = " ".join(f"w{number}" for number in range(FIRST_WORD, FIRST_WORD + 20))
    return RunConfig.from_dict(
        {
            "model": str(folder / "model"),
            "task": head.task,
            "data": {"path": str(_rows(head.task, text, folder)), "max_length": LENGTH, "eval_rows": 1},
            "training": {
                "per_device_train_batch_size": PLAN[0],
                "gradient_accumulation_steps": PLAN[1],
                "max_steps": 1,
                "use_cpu": True,
            },
        }
    )


def _rows(task: str, text: str, folder: Path) -> Path:
    file = folder / "rows.jsonl"
    labels: dict[str, Any] = {
        "text-classification": list(CLASSES),
        "token-classification": [[CLASSES[(word + row) % 3] for word in range(20)] for row in range(3)],
        "text2text-generation": [f"w{FIRST_WORD + row} <eos>" for row in range(3)],
    }
    rows = []
    for number in range(3 * PLAN[0] * PLAN[1]):
        row: dict[str, Any] = {"text": text.split() if task == "token-classification" else f"{text} <eos>"}
        if task in labels:
            row["label"] = labels[task][number % 3]
        rows.append(json.dumps(row))
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


def tokenizer() -> PreTrainedTokenizerFast:
    """The special tokens of a tiny model at their places, and words such as w40."""
    names = [*SPECIAL_IDS, *(f"special{number}" for number in range(len(SPECIAL_IDS), FIRST_WORD))]
    words = {f"<{name}>": number for number, name in enumerate(names)}
    words |= {f"w{number}": number for number in range(FIRST_WORD, VOCABULARY)}
    whole = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    whole.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {f"{name}_token": f"<{name}>" for name in ("pad", "bos", "eos", "cls", "sep", "mask", "unk")}
    return PreTrainedTokenizerFast(tokenizer_object=whole, model_max_length=LENGTH, **special)
