"""The same promises on a GPU."""

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.events import MicroBatchDone, MicroBatchSeen, UpdateDone, WindowReplayed, WindowSeen
from engine.memory.budget import imposed
from engine.memory.exhausted import asked_of
from engine.memory.measure import measure
from engine.memory.predict import predict
from engine.memory.sampler import MemoryReader, MemorySampler, capacity
from engine.proof.replay import replay
from engine.trainer import AccumulatingTrainer
from tests.engine.memory_windows import BERT, config_of, prepared
from tests.engine.proofs import SENTIMENT, proof_of
from tests.engine.test_memory_measure import assert_same, fingerprint
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


@pytest.mark.parametrize("precision", [{}, {"fp16": True}, {"bf16": True}])
def test_a_watched_run_on_a_gpu_is_the_unwatched_one_and_tells_unscaled_norms(precision: Any, tmp_path: Path) -> None:
    def trained(watched: bool) -> Trained:
        run = Trained(
            bert(dropout=0.1), class_rows(UNEVEN * 2), tmp_path, micro_batch=2, steps=4, use_cpu=False,
            options={"watched": lambda: watched}, optim="adamw_torch", max_grad_norm=0.5, **precision,
        )  # fmt: skip
        run.trainer.train()
        return run

    plain, watched = trained(False), trained(True)
    assert [done.loss for done in plain.of(MicroBatchDone)] == [done.loss for done in watched.of(MicroBatchDone)]
    pairs = zip(plain.trainer.model.parameters(), watched.trainer.model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    windows = watched.of(WindowSeen)
    assert [window.norm for window in windows] == [done.grad_norm for done in watched.of(UpdateDone)]
    for window in windows:
        last = [each for each in watched.of(MicroBatchSeen) if each.update == window.update][-1]
        assert last.norm == pytest.approx(window.norm, rel=1e-3)
        assert last.forward_seconds > 0 and last.forward_bytes > last.backward_bytes > 0


@pytest.mark.parametrize(("precision", "bound"), [({}, 1e-5), ({"fp16": True}, 0.05)])
def test_a_run_with_replays_on_a_gpu_is_the_one_without(precision: Any, bound: float, tmp_path: Path) -> None:
    told: list[WindowReplayed] = []
    peaks: list[int] = []

    def trained(replays: bool) -> Trained:
        def gate(window: int) -> None:
            if replays:
                with sampler.aside():
                    told.append(replay(run.trainer))

        run = Trained(
            bert(dropout=0.1), class_rows(UNEVEN * 2), tmp_path, micro_batch=2, steps=4, use_cpu=False, gate=gate,
            optim="adamw_torch", max_grad_norm=0.5, **precision,
        )  # fmt: skip
        with MemorySampler(run.trainer.args.device, lambda reading: None) as sampler:
            run.trainer.train()
            peaks.append(sampler.peak())
        return run

    plain, replayed = trained(False), trained(True)
    assert [done.loss for done in plain.of(MicroBatchDone)] == [done.loss for done in replayed.of(MicroBatchDone)]
    pairs = zip(plain.trainer.model.parameters(), replayed.trainer.model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    assert len(told) == 8
    for each in told:
        assert each.large and each.accumulated and each.relative_error is not None and each.relative_error < bound
        assert each.large["norm"] == pytest.approx(each.accumulated["norm"], rel=10 * bound)
        assert each.large["peak_bytes"] > 0
    if device().type == "cuda":
        assert peaks[1] == pytest.approx(peaks[0], rel=0.05)


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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="MPS counts as a CPU does")
def test_a_budget_is_imposed_on_a_gpu_and_lifted_again() -> None:
    device = torch.device("cuda", torch.cuda.current_device())
    before = torch.cuda.get_per_process_memory_fraction(device)
    budget = torch.cuda.memory_allocated(device) + 256 * 2**20
    with imposed(budget, device, []) as limit:
        assert (limit.bytes, limit.imposed, limit.counts) == (budget, True, False)
        with pytest.raises(torch.OutOfMemoryError) as caught:
            torch.empty(2**30, device=device)
        assert asked_of(caught.value).requested == 2**30
    assert torch.cuda.get_per_process_memory_fraction(device) == before
    assert torch.empty(2**30, device=device).numel()


def test_half_the_micro_batch_goes_on_on_a_gpu(tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    failed: list[int] = []

    class Once(AccumulatingTrainer):
        def training_step(self, *arguments: Any, **named: Any) -> Any:
            step = super().training_step(*arguments, **named)
            if not failed:
                failed.append(1)
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
            return step

    run = Trained(llama(), rows, tmp_path, micro_batch=4, steps=2, kind=Once, options={"halves": True}, use_cpu=False)
    run.trainer.train()
    smaller = Trained(llama(), rows, tmp_path, micro_batch=2, steps=4, use_cpu=False)
    smaller.trainer.train()
    assert failed and relative_error(gradients(run), gradients(smaller)) < 1e-5


def gradients(run: Trained) -> torch.Tensor:
    return run.recorder.gradients[0].cpu()


@pytest.mark.parametrize("training", [{}, {"bf16": True}, {"bf16": True, "activation_checkpointing": True}], ids=str)
@pytest.mark.parametrize(
    ("what", "rows"),
    [
        (("minilm", "text-classification", "stdlib-docstrings"), 64),
        pytest.param(("smollm2", "text-generation", "python-docs"), 8, marks=pytest.mark.slow),
    ],
)
def test_a_prediction_for_a_gpu_is_within_5_percent_of_its_allocator_s_peak(  # type: ignore[no-untyped-def]
    what, rows: int, training, tmp_path: Path
) -> None:
    if device().type != "cuda":
        pytest.skip("other devices' allocators keep no peak")
    config = config_of(what, length=128, per_device_train_batch_size=rows, use_cpu=False, **training)
    predicted = predict(config, cache=tmp_path, device="cuda")
    one = prepared(config, tmp_path)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    measured = measure(one, config.micro_batch, config.accumulation_steps)
    assert predicted.peak_bytes == pytest.approx(torch.cuda.max_memory_allocated(), rel=0.05)
    assert measured.peak_bytes == pytest.approx(torch.cuda.max_memory_allocated(), rel=0.05)


def test_a_measurement_on_a_gpu_leaves_nothing_there(tmp_path: Path) -> None:
    one = prepared(config_of(BERT, use_cpu=False), tmp_path)
    before = fingerprint(one.trainer)
    taken = torch.cuda.memory_allocated() if device().type == "cuda" else 0
    state = torch.cuda.get_rng_state() if device().type == "cuda" else torch.mps.get_rng_state()
    measure(one, 4, 2)
    assert_same(fingerprint(one.trainer), before)
    assert torch.equal(torch.cuda.get_rng_state() if device().type == "cuda" else torch.mps.get_rng_state(), state)
    # what a library keeps for its own work stays
    assert device().type != "cuda" or torch.cuda.memory_allocated() - taken < 2**27
