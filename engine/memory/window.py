"""One window as the trainer runs it, under a ledger: what is predicted and what is measured go through here alike."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from transformers.integrations.neftune import activate_neftune
from transformers.trainer_callback import CallbackHandler, DefaultFlowCallback

from engine.memory.account import Account
from engine.memory.ledger import Ledger, Log
from engine.memory.reading import read
from engine.memory.rows import Batch, Layout
from engine.memory.storages import tensors_in
from engine.memory.watch import claim_state, watched
from engine.trainer import AccumulatingTrainer, MicroBatchCount, Progress, Window


@contextmanager
def ready(trainer: AccumulatingTrainer) -> Iterator[torch.nn.Module]:
    """The model as `train` readies it, in the midst of training: the optimizer has its state already.

    The optimizer is made anew where the trainer has none. Changes the weights; undoes what it hangs on the model.
    """
    model, args, accelerator = trainer.model, trainer.args, trainer.accelerator
    with ExitStack() as undo:
        for name in ("optimizer", "lr_scheduler", "_created_lr_scheduler", "model_wrapped", "control", "state"):
            undo.callback(setattr, trainer, name, getattr(trainer, name))
        trainer.control, trainer.state = copy.copy(trainer.control), copy.copy(trainer.state)
        for registered in (accelerator._models, accelerator._optimizers, accelerator._schedulers):
            undo.callback(registered.__setitem__, slice(None), list(registered))
        for name in ("forward", "_original_forward", "_is_accelerate_prepared"):
            undo.callback(_restore, model, name, vars(model).get(name))
        undo.callback(model.train, model.training)
        if args.activation_checkpointing and not model.is_activation_checkpointing:
            _checkpoint(model, dict(args.activation_checkpointing_kwargs or {}), undo)
        if trainer.neftune_noise_alpha is not None:
            undo.callback(activate_neftune(model, trainer.neftune_noise_alpha, accelerator).remove)
        model.train()
        quiet = CallbackHandler([DefaultFlowCallback()], model, None, None, None)
        undo.enter_context(patch.object(trainer, "callback_handler", quiet))
        undo.enter_context(patch.object(trainer, "emit", lambda event: None))
        undo.enter_context(patch.object(trainer, "watched", lambda: False))
        undo.enter_context(patch.object(trainer, "progress", Progress()))
        undo.enter_context(patch.object(trainer, "_tr_loss", torch.zeros((), device=args.device), create=True))
        wrapped, _ = trainer._prepare_for_training(max_steps=2, train_dataloader=None, resume_from_checkpoint=None)
        _prime(trainer.optimizer.optimizer, model)
        yield wrapped


def run(
    trainer: AccumulatingTrainer,
    model: torch.nn.Module,
    batches: list[tuple[Batch, MicroBatchCount]],
    layout: Layout,
    device: str,
    check: Callable[[], None] = lambda: None,
) -> Log:
    """The log of one window of `layout`, of whose micro-batches `batches` are run; the others only lie there.

    `model` is what `ready` gave; `device` the type of the one that it stands for. `check` is called before each
    micro-batch and may raise. Empties `batches`.
    """
    ledger = Ledger()
    optimizer = trainer.optimizer.optimizer
    size = sum(tensor.nbytes for tensor in tensors_in(batches[0][0]))
    number = 0

    def begin(window: int) -> None:
        nonlocal number
        check()
        number += 1
        ledger.enter("forward", number)

    backward = trainer.accelerator.backward

    def backwards(loss: Tensor, **options: Any) -> None:
        ledger.enter("backward", number)
        backward(loss, **options)

    with ExitStack() as undo:
        undo.enter_context(patch.object(trainer, "gate", begin))
        undo.enter_context(patch.object(trainer.accelerator, "backward", backwards))
        waiting = [torch.empty(size * (layout.steps - len(batches)), dtype=torch.uint8)]
        # a loader on the CPU is a window ahead; a GPU's window lies on it whole
        ahead = torch.empty(size * layout.steps if device == "cpu" else 0, dtype=torch.uint8)
        undo.enter_context(ledger)
        undo.enter_context(watched(trainer.model, ledger))
        claim_state(ledger, optimizer, trainer.model)
        _claim_batches(ledger, [*waiting, ahead, *(batch for batch, _ in batches)])
        window = Window([batch for batch, _ in batches], [[count for _, count in batches]], trainer._weights)
        batches.clear()
        losses = trainer._accumulate(model, window)
        waiting.clear()
        ledger.enter("update", number)
        trainer._update(model, losses)
    return ledger.log


def _checkpoint(model: Any, options: dict[str, Any], undo: ExitStack) -> None:
    every, offload = options.pop("every_n_layers", 1), options.pop("offload", False)
    undo.callback(_restore, model, "_require_grads_hooks", vars(model).get("_require_grads_hooks"))
    if not getattr(model, "_require_grads_hooks", None):
        undo.callback(model.disable_input_require_grads)
    model.activation_checkpointing_enable(
        activation_checkpointing_kwargs=options or None, every_n_layers=every, offload=offload
    )
    undo.callback(model.activation_checkpointing_disable)


def account_of(log: Log, model: Any, layout: Layout, *, device: str, measured: bool, seconds: float) -> Account:
    """What `run` wrote, in figures."""
    reading = read(log)
    return Account(
        measured=measured,
        device=device,
        micro_batch=layout.rows,
        steps=layout.steps,
        length=layout.length,
        parameters=model.num_parameters(),
        trainable=model.num_parameters(only_trainable=True),
        seconds=seconds,
        **vars(reading),
    )


def _claim_batches(ledger: Ledger, batches: list[Any]) -> None:
    for tensor in tensors_in(batches):
        ledger.claim(tensor, "other", "batches")


def _prime(optimizer: torch.optim.Optimizer, model: torch.nn.Module) -> None:
    """Gives the optimizer the state that it has from the first update on."""
    if optimizer.state:
        return
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    model.zero_grad()


def _restore(model: torch.nn.Module, name: str, value: Any) -> None:
    if value is None:
        vars(model).pop(name, None)
    else:
        setattr(model, name, value)
