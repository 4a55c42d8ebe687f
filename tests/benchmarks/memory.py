"""Predicted memory against measured memory, and what a prediction costs.

    python -m tests.benchmarks.memory [--heads PATTERN] [--all]

The window of every built-in model, of each architecture of transformers built tiny that can be trained on text, and the
time that predictions of large models take. Where there is a CUDA device, its allocator's peak beside the prediction.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import tempfile
import time
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig

from engine.config import RunConfig
from engine.config.byte_size import size_text
from engine.errors import ConfigError
from engine.memory.account import Account
from engine.memory.measure import measure
from engine.memory.predict import Predictor, predict
from engine.proof.heads import Head, all_heads
from engine.trainer import Progress, prepare
from tests.engine.architectures import compared

SECONDS = 120.0
"""For one head; one that takes longer is left out."""

BUILT_IN: tuple[tuple[str, str, str, int, dict[str, Any]], ...] = (
    ("tiny-bert", "text-classification", "sentiment", 64, {}),
    ("tiny-llama", "text-generation", "python-docs", 128, {}),
    ("tiny-llama", "text-generation", "python-docs", 128, {"bf16": True, "activation_checkpointing": True}),
    ("tiny-t5", "text2text-generation", "numerals", 64, {}),
    ("minilm", "text-classification", "stdlib-docstrings", 128, {}),
    ("minilm", "text-classification", "stdlib-docstrings", 128, {"bf16": True}),
    ("minilm", "fill-mask", "sentiment", 128, {"activation_checkpointing": True}),
    ("smollm2", "text-generation", "python-docs", 128, {}),
)

LARGE: tuple[tuple[str, dict[str, int]], ...] = (
    ("1 B", {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32}),
    ("8 B", {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32}),
    ("70 B", {"hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64}),
)


def config_of(model: str, task: str, data: str, length: int, training: dict[str, Any], rows: int) -> RunConfig:
    return RunConfig.from_dict(
        {
            "model": model,
            "task": task,
            "data": {"name": data, "max_length": length},
            "training": {
                "per_device_train_batch_size": rows,
                "gradient_accumulation_steps": 4,
                "max_steps": 4,
                **training,
            },
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--heads", default="*", help="only model classes such as Bert*")
    parser.add_argument("--all", action="store_true", help="every head, not one an architecture")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        built_in(Path(folder))
        large(Path(folder))
        heads(options.heads, whole=options.all)
        if torch.cuda.is_available():
            on_gpu(Path(folder))


def built_in(folder: Path) -> None:
    print(f"{'built in, 4 micro-batches':<72}{'predicted':>11}{'measured':>11}{'error':>9}{'seconds':>9}{'real':>7}")
    for model, task, data, length, training in BUILT_IN:
        rows = 2 if model == "smollm2" else 8
        config = config_of(model, task, data, length, {**training, "use_cpu": True}, rows)
        began = time.perf_counter()
        predicted = predict(config, cache=folder)
        seconds = time.perf_counter() - began
        measured = measured_of(config, folder)
        name = f"{model} {task} {rows} × {length} {' '.join(training)}"
        peaks = f"{size_text(predicted.peak_bytes):>11}{size_text(measured.peak_bytes):>11}"
        print(
            f"{name:<72}{peaks}{error(predicted, measured):>+8.3f}%{seconds:>9.1f}{measured.seconds:>7.1f}",
            flush=True,
        )


def large(folder: Path) -> None:
    print(f"{'a Llama, 1 × 2048 tokens, on a GPU':<40}{'peak':>11}{'weights':>11}{'activations':>13}{'seconds':>9}")
    for name, sizes in LARGE:
        place = folder / name.replace(" ", "")
        shape = {**sizes, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192}
        LlamaConfig(**shape).save_pretrained(place)
        for file in ("model.safetensors", "tokenizer.json"):
            (place / file).touch()
        for training in ({}, {"bf16": True, "activation_checkpointing": True}):
            config = config_of(str(place), "text-generation", "sums", 2048, training, 1)
            began = time.perf_counter()
            found = predict(config, cache=folder, device="cuda")
            title = f"{name} {' '.join(training) or 'fp32'}"
            print(
                f"{title:<40}{size_text(found.peak_bytes):>11}"
                f"{size_text(found.parts['weights']):>11}{size_text(found.parts['activations']):>13}"
                f"{time.perf_counter() - began:>9.1f}",
                flush=True,
            )


def heads(pattern: str, *, whole: bool = False) -> None:
    wanted = [
        head for head in all_heads()
        if head.problem_type in (None, "single_label_classification") and fnmatch(head.name, pattern)
    ]  # fmt: skip
    if not whole:
        wanted = list({head.model_type: head for head in reversed(wanted)}.values())
    print(f"tiny heads of transformers, {'all' if whole else 'one an architecture'}; those that are off or left out:")
    found: list[tuple[float, float]] = []
    left_out: Counter[str] = Counter()
    for head, answer in apart(wanted):
        if isinstance(answer, str):
            left_out[answer.partition(":")[0]] += 1
            if answer.startswith("memory."):
                print(f"  {head.name:<44}{head.task:<24}{answer}", flush=True)
            continue
        found.append(answer)
        if abs(answer[0]) > 1:
            print(f"  {head.name:<44}{head.task:<24}{answer[0]:>+9.2f} %", flush=True)
    exact = [share for off, share in found if abs(off) <= 1]
    print(f"{len(found)} predicted and measured; within 0.001 %: {sum(abs(off) <= 0.001 for off, _ in found)}")
    print(f"within 1 %: {len(exact)}, activations a third or more: {sum(share >= 1 / 3 for share in exact)}")
    print(f"left out: {', '.join(f'{reason} {count}' for reason, count in left_out.most_common()) or 'none'}")


def apart(wanted: list[Head]) -> Any:
    """Each head with (error in percent, share of activations) or why there is none, from a process that may crash."""
    context = multiprocessing.get_context("fork")
    pool = context.Pool(1, maxtasksperchild=20)
    for head in wanted:
        try:
            yield head, pool.apply_async(one_head, (head,)).get(timeout=SECONDS)
        except multiprocessing.TimeoutError:
            pool.terminate()
            pool = context.Pool(1, maxtasksperchild=20)
            yield head, "too slow"
    pool.terminate()


def one_head(head: Head) -> tuple[float, float] | str:
    torch.set_num_threads(1)
    folder = Path(tempfile.mkdtemp(prefix="birikim-memory-"))
    try:
        predicted, measured = compared(head, folder)
    except ConfigError as fault:
        return f"{fault.code}: {fault.values.get('reason', '')}"[:120]
    except Exception as fault:
        return f"{type(fault).__name__}: {fault}"[:120]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return error(predicted, measured), measured.parts["activations"] / measured.peak_bytes


def on_gpu(folder: Path) -> None:
    print(f"{'on ' + torch.cuda.get_device_name():<60}{'predicted':>11}{'ledger':>11}{'allocator':>11}{'error':>9}")
    for model, task, data, rows in (
        ("minilm", "text-classification", "stdlib-docstrings", 64),
        ("smollm2", "text-generation", "python-docs", 8),
    ):
        for training in ({}, {"bf16": True}, {"bf16": True, "activation_checkpointing": True}):
            config = config_of(model, task, data, 128, training, rows)
            predicted = Predictor(config, cache=folder, device="cuda").account(rows, 4)
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            measured = measured_of(config, folder)
            allocated = torch.cuda.max_memory_allocated()
            title = f"{model} {rows} × 128 {' '.join(training)}"
            peaks = (
                f"{size_text(predicted.peak_bytes):>11}{size_text(measured.peak_bytes):>11}{size_text(allocated):>11}"
            )
            print(
                f"{title:<60}{peaks}{100 * (predicted.peak_bytes / allocated - 1):>+8.2f}%",
                flush=True,
            )


def measured_of(config: RunConfig, folder: Path) -> Account:
    prepared = prepare(config, cache=folder, folder=folder, run=0, emit=lambda event: None, progress=Progress())
    return measure(prepared, config.micro_batch, config.accumulation_steps)


def error(predicted: Account, measured: Account) -> float:
    """Percent."""
    return 100 * (predicted.peak_bytes / measured.peak_bytes - 1)


if __name__ == "__main__":
    main()
