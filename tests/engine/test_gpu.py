"""The same promises on a GPU."""

from pathlib import Path

import pytest
import torch

from engine.events import MicroBatchDone, UpdateDone
from engine.memory.sampler import MemoryReader, MemorySampler, capacity
from tests.engine.test_proof import SENTIMENT, proof_of
from tests.engine.tiny import UNEVEN, Trained, bert, class_rows, gradient, llama, pad, relative_error, text_rows

pytestmark = pytest.mark.gpu


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "mps")


@pytest.mark.parametrize(("build", "rows"), [(llama, text_rows(UNEVEN)), (bert, class_rows(UNEVEN))])
def test_an_accumulated_gradient_on_a_gpu_is_the_large_batch_gradient(build, rows, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    model = build().to(device()).train()
    model(**{name: value.to(device()) for name, value in pad(rows).items()}).loss.backward()
    run = Trained(build(), rows, tmp_path, micro_batch=2, steps=4, use_cpu=False)
    run.trainer.train()
    assert run.trainer.args.device.type == device().type
    assert relative_error(run.recorder.gradients[0].cpu(), gradient(model).cpu()) < 1e-5


def test_a_gpu_is_read_once_an_update_unless_someone_watches(tmp_path: Path) -> None:
    run = Trained(llama(), text_rows(UNEVEN), tmp_path, micro_batch=2, steps=4, use_cpu=False)
    run.trainer.train()
    kinds = [type(event) for event in run.events if isinstance(event, MicroBatchDone | UpdateDone)]
    assert kinds == [MicroBatchDone] * 4 + [UpdateDone]


def test_a_gpu_s_readings_show_what_was_allocated() -> None:
    reader = MemoryReader(device())
    before = reader.read()
    block = torch.ones(50_000_000, device=device())
    after = reader.read()
    assert before.allocated is not None and after.allocated is not None
    assert after.allocated - before.allocated >= block.nbytes
    assert after.reserved and after.device_used and after.device_used <= capacity(device())
    with MemorySampler(device(), lambda reading: None) as sampler:
        assert sampler.peak() >= block.nbytes


def test_a_proof_on_a_gpu_is_exact_and_names_the_stock_trainer_s_factor(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, SENTIMENT)
    assert proof.device == device().type
    assert proof.way("accumulated").relative_error < 1e-4  # type: ignore[union-attr]
    assert proof.way("trainer").norm_ratio == pytest.approx(4.0, abs=1e-2)  # type: ignore[union-attr]
