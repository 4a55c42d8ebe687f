"""What a model and its rows are like, settled by trying before the first update."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from engine.accumulation import WindowOrder, shifts_labels
from engine.errors import ConfigError, reason_of
from engine.models import architecture
from engine.models.rows_attention import attend_by_rows
from engine.tasks import next_token_labels, packed
from engine.trainer.collate import CountingCollator
from engine.trainer.prepared import Prepared
from engine.trainer.probes import last_token_changes, packing_changes, padding_changes, unrounded
from engine.trainer.windows import Numbered


class Probing:
    """Settles by trying: whether the head shifts, whether rows may be packed, and in which order they are dealt."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.trainer = prepared.trainer
        self.task = prepared.task

    def settle(self) -> None:
        config = self.prepared.config
        self.trainer.model.eval()
        with torch.random.fork_rng(), unrounded():
            self._check_decoder()
            try:
                shifts = shifts_labels(self._own_loss, self._batch(self.prepared.train.sample[:1]))
            except (TypeError, ValueError, IndexError) as error:
                name = architecture(self.trainer.model)
                raise ConfigError(
                    "model.no-forward", field="model", architecture=name, reason=reason_of(error)
                ) from None
            if self.task.predicts_next:
                self._look_ahead()
            # a head that compares each label with its own position must be given the token after it
            shifted = self.task.predicts_next and not shifts
            laid = partial(next_token_labels, packed) if shifted else packed
            if shifted:
                self.prepared.collate = partial(next_token_labels, self.prepared.collate)
            if config.packing:
                attend_by_rows(self.trainer.model)
                self._check_packing(laid)
            self.trainer.window_order = self._order()
        self.prepared.shifts = shifts
        self.trainer.data_collator = CountingCollator(
            laid if config.packing else self.prepared.collate,
            shifts=shifts,
            widths=self.task.widths,
            packed=config.packing,
        )

    def _batch(self, rows: list[Any]) -> dict[str, Any]:
        return self.prepared.collate([Numbered(rows)[place] for place in range(len(rows))])

    def _loss(self, batch: dict[str, Any]) -> torch.Tensor:
        return self._forward(batch)[0]

    def _forward(self, batch: dict[str, Any]) -> tuple[torch.Tensor, Any]:
        items = torch.tensor(max(1, int((batch["labels"] != -100).sum()))) if self.trainer.documented else None
        inputs = self.trainer._prepare_inputs(dict(batch))
        found: tuple[torch.Tensor, Any] = self.trainer.compute_loss(
            self.trainer.model, inputs, return_outputs=True, num_items_in_batch=items
        )
        return found

    def _own_loss(self, batch: dict[str, Any]) -> torch.Tensor:
        """The loss that training uses, but for a custom one: transformers counts its items by the model's own rule."""
        if not self.trainer.documented:
            return self._loss(batch)
        loss: torch.Tensor = self.trainer.model(**self.trainer._prepare_inputs(dict(batch))).loss
        return loss

    def _check_decoder(self) -> None:
        """Encoder-decoders make their decoder's input from the labels, which a custom loss takes away."""
        takes_labels = self.trainer.label_smoother is not None or self.trainer.compute_loss_func is not None
        if takes_labels and self.trainer.model.config.is_encoder_decoder:
            batch = self._batch(self.prepared.train.sample[:1])
            if not any(name.startswith("decoder_") for name in batch):
                name = architecture(self.trainer.model)
                raise ConfigError(
                    "code.no-decoder",
                    field="loss" if self.prepared.config.loss else "training.label_smoothing_factor",
                    architecture=name,
                )

    def _look_ahead(self) -> None:
        """Whether the head reads the token that it is to predict: its loss would mean nothing."""
        row = max(self.prepared.train.sample[:8], key=self.task.widths)
        ids = row["input_ids"]
        if len(ids) < 3:
            return
        other = {**row, "input_ids": [*ids[:-1], ids[0] if ids[0] != ids[-1] else ids[1]]}
        if ids[-1] == other["input_ids"][-1]:
            return
        moved = last_token_changes(self._forward, self._batch([row]), self._batch([other]))
        if moved is not None:
            self._notice("model.reads-ahead")

    def _check_packing(self, laid: Callable[[list[Any]], dict[str, Any]]) -> None:
        by_length = sorted(self.prepared.train.sample[:64], key=lambda row: -sum(self.task.widths(row)))
        rows = [by_length[0], by_length[-1]]
        name = architecture(self.trainer.model)
        try:
            moved = packing_changes(self._forward, self._batch(rows), laid(rows))
        except (TypeError, ValueError, RuntimeError) as error:
            raise ConfigError(
                "model.cannot-pack", field="packing", architecture=name, reason=reason_of(error)
            ) from None
        if moved is not None:
            raise ConfigError("model.no-packing", field="packing", architecture=name, percent=f"{100 * moved:.3g}")

    def _order(self) -> WindowOrder:
        config = self.prepared.config
        lengths = sorted(self.prepared.train.sample, key=lambda row: sum(self.task.widths(row)))
        even = self.task.widths(lengths[0]) == self.task.widths(lengths[-1])
        exact = self.prepared.exact
        if config.packing or even or (config.window_order != "sorted" and not exact):
            return config.window_order or "random"
        rows = [lengths[0], lengths[len(lengths) // 2]]
        moved = max(
            (
                found
                for row in rows
                if (found := padding_changes(self._forward, self._batch([row]), self._batch([row, lengths[-1]])))
            ),
            default=None,
        )
        if moved is None:
            return config.window_order or "sorted"
        dealt = config.window_order == "sorted" or config.micro_batch_tokens
        code = "model.padding-matters" if dealt else "model.padding-counts"
        self._notice(code, percent=f"{100 * moved:.3g}")
        return config.window_order or "random"

    def _notice(self, code: str, **values: Any) -> None:
        self.prepared.notices.append((code, {"architecture": architecture(self.trainer.model), **values}))
