"""A window's rows dealt in other ways, with other losses: the same update."""

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import PreTrainedModel, Trainer

from engine.events import MicroBatchDone, UpdateDone
from engine.tasks import packed
from engine.trainer import AccumulatingTrainer
from tests.engine.tiny import (
    UNEVEN,
    Trained,
    bert,
    class_rows,
    gpt2,
    gradient,
    large_batch_gradient,
    llama,
    pad,
    relative_error,
    text_rows,
)


@pytest.mark.parametrize("build", [llama, gpt2])
@pytest.mark.parametrize(
    "options",
    [
        {"window_order": "sorted"},
        {"micro_batch_tokens": 40},
        {"window_order": "sorted", "micro_batch_tokens": 40},
    ],
)
def test_any_dealing_gives_the_gradient_of_the_large_batch(build: Any, options: Any, tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(build(), rows, tmp_path, micro_batch=2, steps=4, options=options)
    run.trainer.train()
    [update] = run.of(UpdateDone)
    assert run.error(build()) < 1e-6
    assert (update.examples, update.targets) == (8, sum(UNEVEN) - 8)
    if tokens := options.get("micro_batch_tokens"):
        # a row of n tokens holds n − 1 targets
        assert all(done.targets + done.examples <= tokens for done in run.of(MicroBatchDone))


@pytest.mark.slow
def test_sorted_rows_are_padded_less_and_the_shuffle_between_windows_stays(tmp_path: Path) -> None:
    rows = text_rows([(7 * index) % 23 + 2 for index in range(24)])
    seen: dict[str, list[list[int]]] = {}
    padding = {}
    for order in ("random", "sorted"):
        run = Trained(
            llama(), rows, tmp_path, micro_batch=2, steps=4, num_train_epochs=2, options={"window_order": order},
            train_sampling_strategy="random", learning_rate=0.0,
        )  # fmt: skip
        run.trainer.train()
        seen[order] = [round(float(found.norm()), 4) for found in run.recorder.gradients]
        padding[order] = sum(update.padding for update in run.of(UpdateDone)) / 6
    # the same rows in each window, in both passes, and not the same windows in the two passes
    assert seen["sorted"] == pytest.approx(seen["random"], rel=1e-4)
    assert seen["random"][:3] != pytest.approx(seen["random"][3:], rel=1e-3)
    assert padding["sorted"] < 0.6 * padding["random"]


@pytest.mark.slow
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(2, 20), min_size=2, max_size=10),
    order=st.sampled_from(["sorted", "random"]),
    tokens=st.none() | st.integers(20, 60),
)
def test_any_dealing_of_any_rows_gives_the_same_gradient(
    lengths: list[int], order: str, tokens: int | None, tmp_path: Path
) -> None:
    rows = text_rows(lengths)
    run = Trained(
        llama(), rows, tmp_path, micro_batch=3, steps=4, options={"window_order": order, "micro_batch_tokens": tokens}
    )
    run.trainer.train()
    assert run.error(llama()) < 1e-5


@pytest.mark.parametrize("build", [llama, gpt2])
@pytest.mark.parametrize("tokens", [None, 48])
def test_packed_rows_give_the_gradient_of_the_padded_large_batch(
    build: Any, tokens: int | None, tmp_path: Path
) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(
        build(), rows, tmp_path, micro_batch=2, steps=4, collate=packed, packed=True,
        options={"micro_batch_tokens": tokens},
    )  # fmt: skip
    run.trainer.train()
    [update] = run.of(UpdateDone)
    assert run.error(build()) < 1e-5
    assert (update.targets, update.padding) == (sum(UNEVEN) - 8, 0.0)


def test_two_packed_rows_hold_5_targets() -> None:
    batch = packed([{"input_ids": [1, 2, 3], "labels": [1, 2, 3]}, {"input_ids": [4, 5, 6, 7], "labels": [4, 5, 6, 7]}])
    assert batch["labels"].tolist() == [[-100, 2, 3, -100, 5, 6, 7]]
    assert batch["position_ids"].tolist() == [[0, 1, 2, 0, 1, 2, 3]]
    assert "attention_mask" not in batch


def test_drop_last_leaves_out_the_short_micro_batch_of_a_sorted_window_s_last_rows(tmp_path: Path) -> None:
    rows = text_rows([4, 9, 6, 12, 5, 3, 8, 7, 10, 2])
    for steps, expected in ((2, [8]), (1, [4, 4])):
        run = Trained(
            llama(), rows, tmp_path, micro_batch=4, steps=steps, dataloader_drop_last=True,
            options={"window_order": "sorted"},
        )  # fmt: skip
        run.trainer.train()
        assert [update.examples for update in run.of(UpdateDone)] == expected
        assert run.of(UpdateDone)[-1].epoch == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("options", [{"window_order": "sorted"}, {"micro_batch_tokens": 30}])
def test_a_resumed_pass_meets_the_windows_that_are_left(options: Any, workers: int, tmp_path: Path) -> None:
    rows = text_rows([(5 * index) % 17 + 2 for index in range(24)])

    def run(updates: int) -> Trained:
        return Trained(
            llama(), rows, tmp_path, micro_batch=2, steps=2, max_steps=updates, options=options,
            train_sampling_strategy="random", save_strategy="steps", save_steps=4, lr_scheduler_type="constant",
            dataloader_num_workers=workers, data_seed=3,
        )  # fmt: skip

    whole = run(9)
    whole.trainer.train()
    resumed = run(9)
    resumed.trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-4"))
    # six windows a pass: the fifth and sixth of the first one, then three of the second
    assert [update.update for update in resumed.of(UpdateDone)] == [5, 6, 7, 8, 9]
    assert [update.epoch for update in resumed.of(UpdateDone)] == [update.epoch for update in whole.of(UpdateDone)[4:]]
    for found, right in zip(resumed.recorder.gradients, whole.recorder.gradients[4:], strict=True):
        assert torch.equal(found, right)


# ---- other losses ----


def smoothed_gradient(model: PreTrainedModel, rows: list[dict[str, Any]], factor: float) -> torch.Tensor:
    """(1 − ε) · cross entropy + ε · mean of −log p over the vocabulary, as a mean over all shifted targets."""
    model.train()
    batch = pad(rows)
    logits, labels = model(**batch).logits[:, :-1], batch["labels"][:, 1:]
    log_p = logits.log_softmax(-1)
    kept = labels != -100
    nll = -log_p.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)[kept]
    ((1 - factor) * nll.mean() + factor * -log_p.mean(-1)[kept].mean()).backward()
    found = gradient(model)
    model.zero_grad()
    return found


def test_label_smoothing_stays_exact(tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(
        llama(), rows, tmp_path, micro_batch=2, steps=4, label_smoothing_factor=0.1, options={"window_order": "sorted"}
    )
    run.trainer.train()
    assert relative_error(run.recorder.gradients[0], smoothed_gradient(llama(), rows, 0.1)) < 1e-6


def test_checkpointed_activations_stay_exact(tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(llama(), rows, tmp_path, micro_batch=2, steps=4, activation_checkpointing=True)
    run.trainer.train()
    assert run.error(llama()) < 1e-6


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_a_model_wrapped_by_lora_stays_exact(tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model

    def build() -> Any:
        torch.manual_seed(2)
        wrapped = get_peft_model(llama(), LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
        wrapped.requires_grad_(False)
        for name, parameter in wrapped.named_parameters():
            parameter.requires_grad_("lora_" in name)
        return wrapped

    rows = text_rows(UNEVEN)
    run = Trained(build(), rows, tmp_path, micro_batch=2, steps=4, options={"window_order": "sorted"})
    run.trainer.train()
    found, right = run.recorder.gradients[0], large_batch_gradient(build(), rows)
    assert right.norm() > 0 and relative_error(found, right) < 1e-6


def summed(outputs: Any, labels: torch.Tensor, num_items_in_batch: Any = None) -> torch.Tensor:
    """Causal cross entropy, normalised over the whole window, as transformers documents a custom loss."""
    logits = outputs.logits[:, :-1].flatten(0, 1)
    total = torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=-100, reduction="sum")
    return total / num_items_in_batch


@pytest.mark.parametrize("build", [llama, gpt2])
def test_a_custom_loss_is_given_the_targets_of_the_whole_window(build: Any, tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(
        build(), rows, tmp_path, micro_batch=2, steps=4,
        options={"compute_loss_func": summed, "window_order": "sorted"}, evaluation=text_rows([4, 9]),
    )  # fmt: skip
    run.trainer.train()
    assert run.error(build()) < 1e-6
    with torch.no_grad():
        own = build().eval()(**pad(rows)).loss
    assert run.of(UpdateDone)[0].loss == pytest.approx(float(own), rel=1e-5)
    # each micro-batch's loss is told as the mean over its own targets
    done = run.of(MicroBatchDone)
    assert sum(each.loss * each.targets for each in done) / sum(each.targets for each in done) == pytest.approx(
        float(own), rel=1e-5
    )
    evaluated = run.trainer.evaluate()
    with torch.no_grad():
        right = run.trainer.model.eval()(**pad(text_rows([4, 9]))).loss
    assert evaluated["eval_loss"] == pytest.approx(float(right), rel=1e-5)


def test_a_class_loss_over_several_numbers_a_row_is_told_the_items(tmp_path: Path) -> None:
    told: list[int] = []

    def loss(outputs: Any, labels: torch.Tensor, num_items_in_batch: Any) -> torch.Tensor:
        told.append(int(num_items_in_batch))
        return outputs.logits.square().sum() / num_items_in_batch

    rows = [{**row, "labels": [1.0, 0.0, 1.0]} for row in class_rows([4, 6, 5, 7])]

    def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        batch = pad([{**row, "labels": 0} for row in rows])
        return {**batch, "labels": torch.tensor([row["labels"] for row in rows])}

    run = Trained(bert(), rows, tmp_path, micro_batch=2, steps=2, collate=collate, options={"compute_loss_func": loss})
    run.trainer.train()
    # 4 rows × 3 numbers, as transformers counts labels; a window still holds 4 targets
    assert told == [12, 12]
    assert run.of(UpdateDone)[0].targets == 4


class Mean(Trainer):  # type: ignore[misc]
    """A user's Trainer whose loss is the mean over the micro-batch."""

    loss_is_scaled_for_ga = False

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = summed(outputs, labels, self.divisor(labels, num_items_in_batch))
        return (loss, outputs) if return_outputs else loss

    def divisor(self, labels: torch.Tensor, items: Any) -> Any:
        return (labels[:, 1:] != -100).sum()


class Scaled(Mean):
    """The same, normalised by `num_items_in_batch`."""

    loss_is_scaled_for_ga = True

    def divisor(self, labels: torch.Tensor, items: Any) -> Any:
        return items


class Silent(Scaled):
    """As `Scaled`, but it doesn't say so: the model takes loss arguments, so that transformers takes it as scaled."""

    loss_is_scaled_for_ga = None


class Elsewhere(Trainer):  # type: ignore[misc]
    """A user's Trainer that leaves the loss alone."""

    def create_scheduler(self, *arguments: Any, **named: Any) -> Any:
        return super().create_scheduler(*arguments, **named)


def mixed_in(theirs: type) -> type[AccumulatingTrainer]:
    return type(theirs.__name__, (AccumulatingTrainer, theirs), {})


@pytest.mark.parametrize("theirs", [Scaled, Silent, Elsewhere])
def test_a_trainer_that_normalises_by_the_window_is_exact(theirs: type, tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(llama(), rows, tmp_path, micro_batch=2, steps=4, kind=mixed_in(theirs))
    run.trainer.train()
    assert run.error(llama()) < 1e-6
    assert run.trainer.documented == (theirs is not Elsewhere)


def test_a_trainer_whose_loss_is_a_mean_is_divided_by_the_micro_batches(tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    run = Trained(llama(), rows, tmp_path, micro_batch=2, steps=4, kind=mixed_in(Mean))
    run.trainer.train()
    right = sum(large_batch_gradient(llama(), rows[start : start + 2]) / 4 for start in (0, 2, 4, 6))
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
    # and of a short window by the micro-batches that it really has
    run = Trained(llama(), rows[:6], tmp_path, micro_batch=2, steps=4, kind=mixed_in(Mean))
    run.trainer.train()
    right = sum(large_batch_gradient(llama(), rows[start : start + 2]) / 3 for start in (0, 2, 4))
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
