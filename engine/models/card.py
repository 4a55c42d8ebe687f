"""A model at a glance, before any of its weights is loaded; imports no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine import hub
from engine.models import hub_model
from engine.models.built_in import BUILT_IN
from engine.models.folder import OTHER_WEIGHTS, TOKENIZERS
from engine.models.headers import weights_of
from engine.models.known import class_for, is_known
from engine.models.names import Kind, kind_of
from engine.tasks import get_task

_CONTEXT = ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length", "n_ctx", "max_seq_len")

_WRITERS = frozenset({"text-generation", "fill-mask", "text2text-generation"})
"""Tasks whose head gives words, as that of most pretraining does."""

_IN_CODE: dict[str, dict[str, Any]] = {
    "tiny-llama": {"architecture": "LlamaForCausalLM", "parameters": 1_970_000},
    "tiny-bert": {"architecture": "BertForMaskedLM", "parameters": 2_010_000},
    "tiny-t5": {"architecture": "T5ForConditionalGeneration", "parameters": 1_440_000},
}
"""Built with random weights; how many depends on the vocabulary of the data, 2048 where there is enough text."""

_SMOLLM2 = {
    "architecture": "LlamaForCausalLM", "model_type": "llama", "parameters": 134_515_008, "context": 8192,
    "vocabulary": 49_152, "licence": "apache-2.0", "dtype": None, "chat_template": True,
}  # fmt: skip

EMPTY: dict[str, Any] = {
    "architecture": None, "model_type": None, "parameters": None, "context": None, "vocabulary": None,
    "licence": None, "dtype": None, "bytes": None, "chat_template": None, "serves": None, "new_head": None,
    "random": False, "own_code": False, "other_weights": None, "quantized": False, "gated": False, "here": True,
}  # fmt: skip


def model_card(name: str, task: str) -> dict[str, Any]:
    """What is known of a model before it is loaded; what is not is None.

    `architecture` (class), `parameters`, `context` (tokens), `vocabulary`, `licence`, `dtype` and `bytes` of the files,
    `chat_template`; `serves`: whether it has a head for `task`; `new_head`: whether that starts at random; `random`:
    all of it does; `own_code`, `other_weights` (a file's name), `quantized`: why it won't load; `gated`; `here`: on
    this machine. A Hub id that is not in the cache costs one question, of a few seconds at most.

    Raises ConfigError as `engine.models.check`.
    """
    get_task(task)
    kind = kind_of(name)
    if kind is Kind.BUILT_IN:
        card = _built_in(name)
    elif kind is Kind.FOLDER:
        card = of_folder(Path(name).expanduser())
    else:
        folder = hub_model.cached(name)
        card = of_folder(folder) if folder is not None else _of_hub(name)
    tied = card.pop("tied", True)
    return {**card, **_for_task(card, task, name, tied)}


def of_folder(folder: Path) -> dict[str, Any]:
    """The card of a model folder, whatever is missing or broken there."""
    config = _json(folder / "config.json")
    weights = weights_of(folder)
    others = sorted(path.name for path in folder.glob("*") if path.suffix in OTHER_WEIGHTS) if not weights else []
    return {
        **_of_config(config),
        "parameters": weights.parameters if weights and "quantization_config" not in config else None,
        "dtype": weights.dtype if weights else None,
        "bytes": weights.bytes if weights else None,
        "licence": _licence(folder / "README.md"),
        "chat_template": chats(folder),
        "other_weights": others[0] if others else None,
    }


def _built_in(name: str) -> dict[str, Any]:
    package = BUILT_IN[name].package
    if package is None:
        made = {"context": 1024, "vocabulary": 2048, "dtype": "float32", "chat_template": False, "random": True}
        return {**EMPTY, **_IN_CODE[name], **made}
    found = package.find()
    if found.is_dir():
        card = of_folder(found)
        return {**card, "licence": card["licence"] or "apache-2.0"}
    return {**EMPTY, **_SMOLLM2, "bytes": found.stat().st_size}


def _of_hub(name: str) -> dict[str, Any]:
    about = hub.about(name)
    return {
        **_of_config(about["config"]),
        "parameters": about["parameters"],
        "licence": about["licence"],
        "gated": about["gated"],
        "here": False,
        "other_weights": about["other_weights"],
    }


def _of_config(config: dict[str, Any]) -> dict[str, Any]:
    text = config.get("text_config") if isinstance(config.get("text_config"), dict) else {}
    both = {**text, **config} if isinstance(text, dict) else config
    classes = config.get("architectures")
    kind = config.get("model_type")
    return {
        **EMPTY,
        "architecture": str(classes[0]) if isinstance(classes, list) and classes else None,
        "model_type": kind if isinstance(kind, str) else None,
        "context": next((both[key] for key in _CONTEXT if _whole(both.get(key))), None),
        "vocabulary": both.get("vocab_size") if _whole(both.get("vocab_size")) else None,
        "own_code": "auto_map" in config and not is_known(str(kind)),
        "quantized": "quantization_config" in config,
        "tied": both.get("tie_word_embeddings") is not False,
    }


def _for_task(card: dict[str, Any], task: str, name: str, tied: bool) -> dict[str, Any]:
    """Whether the model serves the task, and with a head of its own."""
    serves: bool | None
    if name in BUILT_IN:
        serves = task in BUILT_IN[name].tasks
    else:
        serves = class_for(str(card["model_type"]), task) is not None if card["model_type"] else None
    wanted = class_for(str(card["model_type"]), task)
    found = card["architecture"]
    new = None
    if serves and not card["random"] and found and wanted:
        writes = found.endswith(("LMHeadModel", "ForCausalLM", "ForMaskedLM", "ForPreTraining", "WithLMHead"))
        shares = tied and task in _WRITERS and card["model_type"] not in _OWN_TRANSFORM
        new = not (found == wanted or (task in _WRITERS and (writes or shares)))
    return {"serves": serves, "new_head": new}


_OWN_TRANSFORM = frozenset({"bert", "roberta", "electra", "deberta", "deberta-v2", "distilbert", "albert", "camembert",
    "xlm-roberta", "mpnet", "modernbert"})  # fmt: skip
"""Types whose head of words has layers of its own before the embeddings that it shares with the body."""


def _licence(readme: Path) -> str | None:
    """`license:` of the front matter."""
    try:
        with readme.open(encoding="utf-8", errors="replace") as opened:
            if opened.readline().strip() != "---":
                return None
            for _ in range(200):
                line = opened.readline()
                if not line or line.strip() == "---":
                    return None
                key, colon, value = line.partition(":")
                if colon and key.strip() == "license" and not line.startswith(" "):
                    return value.split("#")[0].strip(" \t\r\n\"'")[:60] or None
    except OSError:
        return None
    return None


def chats(folder: Path) -> bool | None:
    """Whether the folder's tokenizer has a chat template; None where there is no tokenizer."""
    if (folder / "chat_template.jinja").is_file() or any((folder / "additional_chat_templates").glob("*.jinja")):
        return True
    if not any((folder / file).is_file() for file in TOKENIZERS):
        return None
    return bool(_json(folder / "tokenizer_config.json").get("chat_template"))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
