"""The Trainer's loader of training data, with the window as its unit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from accelerate.data_loader import prepare_data_loader
from torch.utils.data import DataLoader, IterableDataset
from transformers.trainer_pt_utils import LengthGroupedSampler
from transformers.trainer_utils import has_length, seed_worker

from engine.accumulation import WindowOrder
from engine.ranks import Ranks
from engine.trainer.collate import WindowCollator
from engine.trainer.restoring import RandomState
from engine.trainer.windows import InMicroBatches, Numbered, Slice, WindowSampler


class WindowedData:
    """Replaces the Trainer's loader, whose unit is the micro-batch."""

    window_order: WindowOrder
    micro_batch_tokens: int | None
    halves: bool
    ranks: Ranks
    _window_sampler: WindowSampler | None = None

    if TYPE_CHECKING:
        args: Any
        accelerator: Any
        data_collator: Any
        train_dataset: Any
        _train_batch_size: int

    def get_train_dataloader(self) -> Any:
        """Hands out windows: lists of micro-batches, `gradient_accumulation_steps` of them or as many as they take."""
        return self._loader(self.train_dataset)

    def _loader(self, dataset: Any) -> Any:
        args, ranks = self.args, self.ranks
        options: dict[str, Any] = {
            "collate_fn": WindowCollator(
                self.data_collator,
                micro_batch=self._train_batch_size,
                order=self.window_order,
                tokens=self.micro_batch_tokens,
                # rows that come from another process cost as much again on their way
                keep_rows=self.halves or not args.dataloader_num_workers,
            ),
            "num_workers": args.dataloader_num_workers,
            "pin_memory": args.dataloader_pin_memory,
            "persistent_workers": args.dataloader_persistent_workers,
            "multiprocessing_context": args.dataloader_multiprocessing_context,
            "prefetch_factor": args.dataloader_prefetch_factor,
            "in_order": args.dataloader_in_order,
            "worker_init_fn": partial(seed_worker, num_workers=args.dataloader_num_workers, rank=args.process_index),
        }
        self._window_sampler = None
        if isinstance(dataset, IterableDataset):
            dataset = Slice(dataset, ranks.rank, ranks.size) if ranks.several else dataset
            loader = DataLoader(dataset, batch_size=self.window_rows // ranks.size, **options)
        else:
            self._window_sampler = WindowSampler(
                self._get_train_sampler(), rows=self.window_rows, whole=self._whole, part=(ranks.rank, ranks.size)
            )
            loader = DataLoader(Numbered(dataset), batch_sampler=self._window_sampler, **options)
        if not ranks.several:
            return self.accelerator.prepare(loader)
        # accelerate would give whole windows away, one to each process
        settings = self.accelerator.dataloader_config
        return prepare_data_loader(
            loader,
            self.accelerator.device,
            num_processes=1,
            process_index=0,
            put_on_device=self.accelerator.device_placement,
            dispatch_batches=False,
            use_seedable_sampler=settings.use_seedable_sampler,
            data_seed=settings.data_seed,
            non_blocking=settings.non_blocking,
        )

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        """As the Trainer's, which groups rows by the share of one process: in another order than one alone would."""
        sampler = super()._get_train_sampler(train_dataset)  # type: ignore[misc]
        if isinstance(sampler, LengthGroupedSampler):
            sampler.batch_size = self.window_rows
        return sampler

    @property
    def window_rows(self) -> int:
        """Rows of a full window, over all processes."""
        rows: int = self._train_batch_size * self.args.gradient_accumulation_steps * self.ranks.size
        return rows

    @property
    def _whole(self) -> int:
        """Rows that are taken or left out together at the end of a pass."""
        return self._train_batch_size * self.ranks.size if self.args.dataloader_drop_last else 1

    def set_initial_training_values(self, args: Any, dataloader: Any) -> Any:
        """As the Trainer's, whose arithmetic counts micro-batches where our loader counts windows.

        With `max_steps` the passes go on until the updates are done: a skipped window is no update.
        """
        if has_length(dataloader):
            dataloader = InMicroBatches(dataloader, args.gradient_accumulation_steps)
        epochs, *rest = super().set_initial_training_values(args, dataloader)  # type: ignore[misc]
        return (sys.maxsize if args.max_steps > 0 else epochs, *rest)

    def _all_met(self, rows: int) -> bool:
        """Whether a pass of which `rows` rows were met has no more."""
        sampler = self._window_sampler
        return sampler is not None and rows >= sampler.end(sampler.start)

    def _begin_pass(self, loader: Any, epoch: int, rows: int, windows: int) -> Iterator[Any]:
        """The windows of a pass, of which `rows` rows in `windows` windows were met before."""
        if self.ranks.several:
            # the leader's order is that of all
            drawn = self.ranks.told(RandomState(self.args.device).to_dict())
            if not self.ranks.leads:
                RandomState.from_dict(drawn, self.args.device).restore()
        if isinstance(self.train_dataset, IterableDataset) and windows and not self.args.dataloader_num_workers:
            loader, windows = self._loader(Slice(self.train_dataset, rows)), 0
        if hasattr(loader, "set_epoch"):
            loader.set_epoch(epoch)
        if self._window_sampler is not None:
            self._window_sampler.set_epoch(epoch)
            self._window_sampler.start, windows = rows, 0
        # workers share a stream among them as they please: what they hand out first is what was met
        return islice(loader, windows, None)
