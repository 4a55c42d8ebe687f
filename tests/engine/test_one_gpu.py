"""One process takes one GPU, however many there are, and says so."""

import pytest
import torch

from engine.ranks import Ranks
from engine.session.runner import others_at_rest


@pytest.mark.parametrize(("gpus", "told"), [(1, []), (4, [("run.one-gpu", {"device": "cuda:0", "gpus": 4})])])
def test_gpus_that_a_run_leaves_alone_are_said(gpus: int, told: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    assert others_at_rest(torch.device("cuda:0"), Ranks()) == told


def test_of_a_run_on_the_cpu_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert others_at_rest(torch.device("cpu"), Ranks()) == []
