"""A model from the Hub as a folder of the local cache."""

from __future__ import annotations

import re
from pathlib import Path

from engine import hub
from engine.errors import ConfigError, reason_of
from engine.models.built_in import BUILT_IN
from engine.models.folder import INDEX, OTHER_WEIGHTS, check_folder
from engine.trust import trusted

_WEIGHTS = re.compile(r"model(-\d+-of-\d+)?\.safetensors")
_PICKLED = re.compile(r"pytorch_model(-\d+-of-\d+)?\.bin")
_WORDS = (".json", ".txt", ".model", ".jinja")


def check(name: str) -> None:
    """Raises ConfigError where the cached model is of no use, or where offline there is none."""
    folder = cached(name)
    if folder is None:
        if hub.offline():
            raise ConfigError("model.offline", field="model", name=name, known=", ".join(BUILT_IN))
        return
    try:
        check_folder(folder, name)
    except ConfigError as error:
        # A download that was cut off lacks files, and can go on.
        if hub.offline() or error.code in ("model.no-type", "model.quantized"):
            raise


def cached(name: str) -> Path | None:
    """The folder in the local cache, perhaps with files missing."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, "config.json")
    return Path(found).parent if isinstance(found, str) else None


def fetch(name: str) -> Path:
    """The folder with the whole model: from the local cache, else downloaded.

    Raises ConfigError within seconds where the Hub has no such model or no answer, and before any download
    where its weights are of another format.
    """
    folder = cached(name)
    if folder is not None:
        try:
            check_folder(folder, name)
            return folder
        except ConfigError:
            if hub.offline():
                raise
    files = hub.find(name, "model", "model", known=", ".join(BUILT_IN))
    words = (*_WORDS, ".py") if trusted().remote_code else _WORDS
    wanted = [file for file in files if "/" not in file and (_WEIGHTS.fullmatch(file) or file.endswith(words))]
    if not any(_WEIGHTS.fullmatch(file) for file in wanted) and INDEX not in wanted:
        wanted += _pickled(files, name)
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name, allow_patterns=wanted))
    except Exception as error:
        raise ConfigError("model.download", field="model", name=name, reason=reason_of(error)) from None
    check_folder(folder, name)
    return folder


def _pickled(files: tuple[str, ...], name: str) -> list[str]:
    """Weights that are no safetensors, where the command line lets them in."""
    found = [file for file in files if trusted().pickle and _PICKLED.fullmatch(file)]
    others = [file for file in files if file.endswith(OTHER_WEIGHTS)]
    if not found and others:
        raise ConfigError("model.other-weights", field="model", name=name, file=others[0])
    if not found:
        raise ConfigError("model.no-weights", field="model", name=name)
    return found


def fetch_configuration(name: str) -> Path:
    """A folder with the model's config.json alone: from the local cache, else downloaded, a few kB.

    Raises ConfigError as `fetch`.
    """
    folder = cached(name)
    if folder is not None:
        return folder
    files = hub.find(name, "model", "model", known=", ".join(BUILT_IN))
    if "config.json" not in files:
        raise ConfigError("model.no-config", field="model", name=name)
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(name, "config.json")).parent
    except Exception as error:
        raise ConfigError("model.download", field="model", name=name, reason=reason_of(error)) from None
