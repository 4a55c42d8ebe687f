"""A GGUF file converted to a model folder, once: reading GGUF takes many times as long."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from engine.errors import ConfigError, reason_of

# A conversion takes less than a minute, so an older unfinished one was interrupted.
ABANDONED_SECONDS = 3600


def converted(file: Path, cache: Path, name: str) -> Path:
    """The folder of `file` as fp32 safetensors, under `cache`. It appears whole or not at all.

    The file's size is part of the folder's name, so that another release is converted anew.
    Raises ConfigError `model.not-converted`, for example when the disk is full.
    """
    folder = cache / f"{name}-{file.stat().st_size}"
    if folder.is_dir():
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(cache)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=cache))
        try:
            _convert(file, unfinished)
            unfinished.chmod(0o755)
            _publish(unfinished, folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except Exception as error:
        raise ConfigError(
            "model.not-converted", field="model", name=name, folder=str(cache), reason=reason_of(error)
        ) from None
    return folder


def _publish(unfinished: Path, folder: Path) -> None:
    try:
        unfinished.rename(folder)
    except OSError:
        # Another process was faster.
        if not folder.is_dir():
            raise


def _convert(file: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    with _no_bar():
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, trust_remote_code=False)
        model = AutoModelForCausalLM.from_pretrained(
            file.parent,
            gguf_file=file.name,
            dtype=torch.float32,
            # Without it the model counts as quantised and can't be saved.
            quantization_config=GgufConfig(dequantize=True),
            trust_remote_code=False,
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@contextmanager
def _no_bar() -> Iterator[None]:
    """The reader draws its bar by itself, whatever the library's own switch says."""
    from transformers import modeling_gguf_pytorch_utils as reader

    bar = reader.tqdm
    reader.tqdm = partial(bar, disable=True)
    try:
        yield
    finally:
        reader.tqdm = bar


def _remove_abandoned(cache: Path) -> None:
    for path in cache.glob(".unfinished-*"):
        if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
