"""Two processes against one with the same rows: the same gradient of each update, the same words about it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.ranks import Ranks
from tests.engine.rank_cases import AS_STOCK, CASES, IN_PARTS, PROCESSES, SHARDED, Seen
from tests.engine.tiny import relative_error

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What two processes have told, joined by gloo on the CPU."""
    return in_two(tmp_path_factory.mktemp("ranks") / "seen.pt")


@pytest.fixture(scope="module")
def together(told: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    return {name: Seen(**told[name]) for name in (*CASES, *AS_STOCK)}


@pytest.fixture(scope="module")
def in_parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    """The same with the weights in parts, by FSDP 2."""
    found = in_two(tmp_path_factory.mktemp("parts") / "seen.pt", **SHARDED)
    return {name: Seen(**values) for name, values in found.items()}


def in_two(file: Path, **environment: str) -> dict[str, dict[str, Any]]:
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(PROCESSES)),
        *("-m", "tests.engine.rank_cases", str(file)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, dict[str, Any]] = torch.load(file, weights_only=True)
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return {name: case(tmp_path_factory.mktemp("alone"), Ranks(), 4) for name, case in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_two_processes_add_up_the_gradient_of_one(case: str, together: dict[str, Seen], alone: dict[str, Seen]) -> None:
    found, right = together[case], alone[case]
    assert len(found.gradients) == len(right.gradients) > 0
    for mine, theirs in zip(found.gradients, right.gradients, strict=True):
        assert relative_error(mine, theirs) < 1e-6


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_of_an_update_is_of_all_processes(
    case: str, together: dict[str, Seen], alone: dict[str, Seen]
) -> None:
    for mine, theirs in zip(together[case].updates, alone[case].updates, strict=True):
        counts = ("update", "examples", "targets", "total_examples", "total_targets", "learning_rate", "epoch")
        assert [mine[name] for name in counts] == [theirs[name] for name in counts]
        assert mine["loss"] == pytest.approx(theirs["loss"], rel=1e-5)
        assert mine["grad_norm"] == pytest.approx(theirs["grad_norm"], rel=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_the_micro_batches_of_all_processes_make_up_the_window(case: str, together: dict[str, Seen]) -> None:
    seen = together[case]
    for update in seen.updates:
        told = [each for each in seen.micro_batches if each[0] == update["update"]]
        assert [index for _, index, *_ in told] == [*range(1, update["micro_batches"] + 1)]
        assert sum(targets for *_, targets in told) == update["targets"]
        assert sum(weight for *_, weight, _ in told) == pytest.approx(1.0)


@pytest.mark.parametrize("case", [name for name in CASES if name.startswith("evaluated")])
def test_an_evaluation_is_of_every_row_once_in_whichever_process_it_is(
    case: str, together: dict[str, Seen], alone: dict[str, Seen]
) -> None:
    [mine], [theirs] = together[case].evaluations, alone[case].evaluations
    assert (mine["examples"], mine["targets"]) == (theirs["examples"], theirs["targets"])
    assert mine["loss"] == pytest.approx(theirs["loss"], rel=1e-6)
    assert mine["metrics"] == pytest.approx(theirs["metrics"], rel=1e-6)


def test_a_process_without_a_target_adds_nothing_and_waits_for_no_one(together: dict[str, Seen]) -> None:
    [first] = together["a process without targets"].updates
    # rows 0, 2, 4 and 6 of 3, 5, 23 and 9 tokens: each token but the first is a target; the last window has none
    assert (first["targets"], first["examples"]) == (2 + 4 + 22 + 8, 8)


def test_gradients_are_sent_once_an_update_however_many_micro_batches_it_has(told: dict[str, dict[str, Any]]) -> None:
    sent = told["reductions"]
    # of each of two updates the gradients, in one bucket, and which weights had any
    assert sent == {"1": 4, "2": 4}


def test_where_the_loss_is_left_to_the_trainer_it_is_the_stock_trainer_s(together: dict[str, Seen]) -> None:
    stock, ours = (together[name].gradients for name in AS_STOCK)
    assert len(ours) == len(stock) > 0
    for mine, theirs in zip(ours, stock, strict=True):
        assert relative_error(mine, theirs) < 1e-6


@pytest.mark.parametrize("case", IN_PARTS)
def test_weights_in_parts_add_up_the_same_gradient(
    case: str, in_parts: dict[str, Seen], alone: dict[str, Seen]
) -> None:
    found, right = in_parts[case], alone[case]
    assert len(found.gradients) == len(right.gradients) > 0
    for mine, theirs in zip(found.gradients, right.gradients, strict=True):
        assert relative_error(mine, theirs) < 1e-6
    for one, other in zip(found.updates, right.updates, strict=True):
        assert (one["targets"], one["loss"]) == (other["targets"], pytest.approx(other["loss"], rel=1e-5))
    for one, other in zip(found.evaluations, right.evaluations, strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-6)
        assert one["metrics"] == pytest.approx(other["metrics"], rel=1e-6)
