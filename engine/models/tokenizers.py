"""A model's tokenizer alone, without its weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine import hub
from engine.errors import ConfigError, reason_of
from engine.models import hub_model
from engine.models.built_in import BUILT_IN, folder_of
from engine.models.folder import TOKENIZERS
from engine.models.names import Kind, kind_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

WANTED = ["*.json", "*.txt", "*.model", "*.jinja"]


def load_tokenizer(name: str, *, texts: Sequence[str], cache: Path) -> PreTrainedTokenizerBase:
    """As the one of `engine.models.load`; of a Hub model only the files of the tokenizer are fetched.

    Raises ConfigError as that does.
    """
    from engine.models.pretrained import ensure_padding
    from engine.models.quiet import quiet

    with quiet():
        kind = kind_of(name)
        if kind is Kind.BUILT_IN and BUILT_IN[name].package is None:
            from engine.models import tiny

            return tiny.TOKENIZERS[name](texts)
        folder = _fetched(name) if kind is Kind.HUB else Path(name).expanduser()
        if kind is Kind.BUILT_IN:
            folder = folder_of(name, cache)
        from transformers import AutoTokenizer

        try:
            tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        except Exception as error:
            raise ConfigError(
                "model.broken", field="model", name=name, reason=f"tokenizer: {reason_of(error)}"
            ) from None
        ensure_padding(tokenizer)
        return tokenizer


def _fetched(name: str) -> Path:
    folder = hub_model.cached(name)
    if folder is not None and any((folder / file).is_file() for file in TOKENIZERS):
        return folder
    hub.find(name, "model", "model", known=", ".join(BUILT_IN))
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=WANTED))
    except Exception as error:
        raise ConfigError("model.download", field="model", name=name, reason=reason_of(error)) from None
