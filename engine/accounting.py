"""A window's memory on the command line: predicted, and measured where that was asked for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.config.byte_size import size_text
from engine.console import print_json, standard_output_kept
from engine.errors import WORDING, ConfigError
from engine.memory.account import CATEGORIES, Account
from engine.memory.measure import measure
from engine.memory.predict import predict
from engine.place import device_of
from engine.trainer import Progress, prepare

SHOWN = 5
"""Of the largest tensors so many are printed; with --json all of them."""


def account_here(config: RunConfig, home: Path, *, device: str | None, measured: bool, as_json: bool) -> None:
    """Predicts, measures and prints. Raises ConfigError for what is wrong before the first forward pass."""
    here = device_of(config).type
    if measured and device not in (None, here):
        raise ConfigError("memory.no-device", field="--device", value=device, here=here)
    with standard_output_kept(as_json) as output:
        known = not (measured and config.quantization)  # that can't be predicted
        accounts = [predict(config, cache=home / "cache", device=device or here)] if known else []
        if measured:
            accounts.append(_measured(config, home))
    if as_json:
        for account in accounts:
            print_json(told(account), output)
    else:
        print("\n".join(in_words(accounts)))


def told(account: Account) -> dict[str, Any]:
    """All of it but the trace, the peak first."""
    values = account.to_dict()
    del values["trace"]
    first = ("peak_bytes", "parts", "measured", "moment", "largest")
    return {name: values[name] for name in first} | values


def in_words(accounts: list[Account]) -> Iterator[str]:
    """A table of the parts, a column an account; of the last one the moment, the largest tensors, and what it can't
    see."""
    last = accounts[-1]
    yield (
        f"{last.micro_batch} × {last.steps} rows of {last.length} tokens, {_counted(last.parameters)} parameters"
        f" ({_counted(last.trainable)} trained), on {last.device}"
    )
    yield f"{'':<13}" + "".join(f"{'measured' if each.measured else 'predicted':>12}" for each in accounts)
    for category in CATEGORIES:
        yield f"{category:<13}" + "".join(f"{size_text(each.parts[category]):>12}" for each in accounts)
    yield f"{'peak':<13}" + "".join(f"{size_text(each.peak_bytes):>12}" for each in accounts)
    moment = last.moment
    yield WORDING[f"memory.peak-{moment.phase}"].message.format(
        micro_batch=moment.micro_batch, module=moment.module or "the loss"
    )
    yield "The largest tensors then:"
    for each in last.largest[:SHOWN]:
        shape = " × ".join(map(str, each.shape))
        yield f"{size_text(each.bytes):>12}  {each.category:<12} {each.name} ({shape}, {each.dtype})"
    yield WORDING[f"memory.unseen-{last.device}"].message


def _measured(config: RunConfig, home: Path) -> Account:
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(
            config, cache=home / "cache", folder=Path(folder), run=0, emit=lambda event: None, progress=Progress()
        )
        return measure(prepared, config.micro_batch, config.accumulation_steps)


def _counted(parameters: int) -> str:
    for unit, name in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if parameters >= unit:
            return f"{parameters / unit:.1f} {name}"
    return str(parameters)
