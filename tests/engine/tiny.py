"""Tiny models, rows and a trainer that records its gradients, for the tests of the loop."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

from engine.accumulation import shifts_labels
from engine.events import Event
from engine.trainer import AccumulatingTrainer, CountingCollator, Progress
from engine.trainer.sharding import whole

VOCABULARY = 64

UNEVEN = [3, 17, 5, 11, 23, 4, 9, 14]
"""Lengths of eight rows: micro-batches of two hold unlike numbers of targets."""

PLAIN_SGD: dict[str, Any] = {
    "num_train_epochs": 1,
    "max_grad_norm": 0.0,
    "optim": "sgd",
    "learning_rate": 1e-2,
    "train_sampling_strategy": "sequential",
    "use_cpu": True,
}
"""Arguments of a pass over the rows in their order, whose updates show a wrong scale."""


def llama() -> PreTrainedModel:
    set_seed(1)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            pad_token_id=0,
        )
    )


def gpt2() -> PreTrainedModel:
    set_seed(1)
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=64,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=2,
        )
    )  # fmt: skip


def bert(classes: int = 3, dropout: float = 0.0) -> PreTrainedModel:
    set_seed(1)
    return BertForSequenceClassification(
        BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_labels=classes,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
        )
    )


def text_rows(lengths: Sequence[int], seed: int = 0) -> list[dict[str, Any]]:
    """Causal rows: every token is a label."""
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for length in lengths:
        tokens = torch.randint(3, VOCABULARY, (length,), generator=generator).tolist()
        rows.append({"input_ids": tokens, "labels": list(tokens)})
    return rows


def class_rows(lengths: Sequence[int], classes: int = 3, seed: int = 0) -> list[dict[str, Any]]:
    rows = text_rows(lengths, seed)
    return [{"input_ids": row["input_ids"], "labels": index % classes} for index, row in enumerate(rows)]


def pad(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    width = max(len(row["input_ids"]) for row in rows)

    def padded(values: list[int], filler: int) -> list[int]:
        return values + [filler] * (width - len(values))

    batch = {
        "input_ids": torch.tensor([padded(row["input_ids"], 0) for row in rows]),
        "attention_mask": torch.tensor([padded([1] * len(row["input_ids"]), 0) for row in rows]),
    }
    labels = [row["labels"] for row in rows]
    batch["labels"] = torch.tensor(labels if isinstance(labels[0], int) else [padded(label, -100) for label in labels])
    return batch


class Recorder(TrainerCallback):  # type: ignore[misc]
    """Keeps the gradient of each update, as one vector, before the optimizer uses it."""

    def __init__(self) -> None:
        self.gradients: list[torch.Tensor] = []

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        self.gradients.append(gradient(model))


def gradient(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat(
        [
            whole(torch.zeros_like(parameter) if parameter.grad is None else parameter.grad).flatten().clone()
            for parameter in model.parameters()
        ]
    )


def large_batch_gradient(model: PreTrainedModel, rows: list[dict[str, Any]]) -> torch.Tensor:
    """The gradient of the model's own mean loss over one batch of all `rows`."""
    model.train()
    model.zero_grad()
    model(**pad(rows)).loss.backward()
    found = gradient(model)
    model.zero_grad()
    return found


def relative_error(found: torch.Tensor, right: torch.Tensor) -> float:
    return float((found - right).norm() / right.norm())


class Trained:
    """A trainer over `rows` in their order, its events and its gradients."""

    def __init__(
        self,
        model: PreTrainedModel,
        rows: Any,
        folder: Path,
        *,
        micro_batch: int,
        steps: int,
        normalization: str = "exact",
        evaluation: list[dict[str, Any]] | None = None,
        gate: Callable[[int], None] = lambda window: None,
        new_metrics: Callable[[], Any] | None = None,
        kind: type[AccumulatingTrainer] = AccumulatingTrainer,
        options: dict[str, Any] | None = None,
        collate: Callable[[list[Any]], Any] = pad,
        packed: bool = False,
        **arguments: Any,
    ) -> None:
        self.events: list[Event] = []
        self.recorder = Recorder()
        self.trainer = kind(
            **(options or {}),
            run=1,
            emit=self.events.append,
            progress=Progress(),
            gate=gate,
            normalization=normalization,
            model=model,
            train_dataset=rows,
            eval_dataset=evaluation,
            callbacks=[self.recorder],
            data_collator=collate,
            args=TrainingArguments(
                output_dir=str(folder),
                **{
                    "per_device_train_batch_size": micro_batch,
                    "gradient_accumulation_steps": steps,
                    **PLAIN_SGD,
                    "remove_unused_columns": False,
                    "report_to": "none",
                    "save_strategy": "no",
                    "logging_strategy": "no",
                    "disable_tqdm": True,
                    "dataloader_pin_memory": False,
                    **arguments,
                },
            ),
        )
        self.trainer.new_metrics = new_metrics
        sample = pad(rows[:1]) if isinstance(rows, list) else pad(next(iter(rows))["sample"])
        model.eval()
        shifts = shifts_labels(lambda batch: self._loss(model, batch), sample)
        self.trainer.data_collator = CountingCollator(collate, shifts=shifts, packed=packed)

    def _loss(self, model: PreTrainedModel, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """The loss that is used; where it is a custom one, the model's own, by whose rule items are counted."""
        found: torch.Tensor = (
            model(**batch).loss if self.trainer.documented else self.trainer.compute_loss(model, batch)
        )
        return found

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def error(self, model: PreTrainedModel) -> float:
        """Of the first update's gradient against that of a fresh `model`'s own mean over all rows in one batch."""
        return relative_error(self.recorder.gradients[0], large_batch_gradient(model, self.trainer.train_dataset))
