"""Proofs of small runs, for the tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import GPT2Config

from engine.config import RunConfig
from engine.proof import Bench, Proof, prove, verdict

SUMS = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 32, "eval_rows": 8},
    "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "max_steps": 4},
}
SENTIMENT = {
    **SUMS,
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 32, "eval_rows": 8},
}


@contextmanager
def on_bench(tmp_path: Path, base: dict[str, Any] = SUMS, precision: Any = "fp32", **changes: Any) -> Iterator[Bench]:
    config = RunConfig.from_dict({**base, **changes})
    with Bench.of(config, cache=tmp_path / "cache", folder=tmp_path / "run", precision=precision) as bench:
        yield bench


def proof_of(tmp_path: Path, base: dict[str, Any] = SUMS, precision: Any = "fp32", **changes: Any) -> Proof:
    with on_bench(tmp_path, base, precision, **changes) as bench:
        return prove(bench, [(2, 4)])


def codes(proof: Proof) -> list[str]:
    return [code for code, _ in verdict(proof)]


def gpt2(**sizes: Any) -> GPT2Config:
    return GPT2Config(
        n_embd=32, n_layer=2, n_head=2, n_positions=64, resid_pdrop=0.1, embd_pdrop=0.1, attn_pdrop=0.1,
        bos_token_id=1, eos_token_id=2, **sizes,
    )  # fmt: skip
