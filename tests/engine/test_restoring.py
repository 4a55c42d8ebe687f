"""An update that stops in its midst."""

from typing import Any

import pytest
import torch

from engine.trainer.restoring import UpdateStart


def parts(optimizer: Any) -> list[Any]:
    state = [value for each in optimizer.state.values() for value in each.values()]
    return [*(group["lr"] for group in optimizer.param_groups), *state]


def stepping(kind: type, **options: Any) -> tuple[torch.nn.Module, Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 2))
    groups = [{"params": model[0].parameters()}, {"params": model[1].parameters(), "weight_decay": 0.1}]
    optimizer = kind(groups, lr=0.1, **options)
    model(torch.ones(3, 8)).square().mean().backward()
    return model, optimizer


@pytest.mark.parametrize("steps_before", [0, 2])
@pytest.mark.parametrize(
    ("kind", "options"),
    [(torch.optim.AdamW, {}), (torch.optim.AdamW, {"fused": True}), (torch.optim.SGD, {"momentum": 0.9}),
     (torch.optim.Adafactor, {})],
)  # fmt: skip
def test_copies_take_it_back_bit_by_bit(kind: type, options: dict[str, Any], steps_before: int) -> None:
    model, optimizer = stepping(kind, **options)
    for _ in range(steps_before):
        optimizer.step()
    weights = [parameter.detach().clone() for parameter in model.parameters()]
    state = [value.clone() if isinstance(value, torch.Tensor) else value for value in parts(optimizer)]
    start = UpdateStart(optimizer, copies=True)
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 7.0
    assert not torch.equal(model[0].weight, weights[0])
    assert start.restore()
    assert all(map(torch.equal, model.parameters(), weights))
    assert len(parts(optimizer)) == len(state)
    for found, right in zip(parts(optimizer), state, strict=True):
        assert torch.equal(found, right) if isinstance(right, torch.Tensor) else found == right
    # the state is the optimizer's own again, not a copy beside it
    optimizer.step()
    assert not torch.equal(model[0].weight, weights[0])


def test_without_copies_what_was_not_touched_is_known_as_whole_and_the_rest_as_half() -> None:
    model, optimizer = stepping(torch.optim.AdamW)
    start = UpdateStart(optimizer, copies=False)
    # as where the room for the state of the first tensor was found, and for that of the second not
    optimizer.state[model[0].weight] = {"step": torch.ones(()), "exp_avg": torch.zeros(8, 8)}
    assert start.restore() and not optimizer.state
    start = UpdateStart(optimizer, copies=False)
    with torch.no_grad():
        model[0].weight.mul_(0.99)
    assert not start.restore()
