"""The largest micro-batch in a budget: exact products, nearby plans, and few questions."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as some

from engine.memory.fit import Choice, Fit, fit


def linear(at_rest: int = 100, a_row: int = 10) -> Callable[[int], int]:
    return lambda rows: at_rest + a_row * rows


def test_case_11_micro_batches_above_5_do_not_fit() -> None:
    found = fit(linear(), effective=32, budget_bytes=150)
    assert found.choice == Choice(4, 8, 32, 140)
    assert found.exact
    # five rows would fit, and keep no product of 32
    assert [(plan.micro_batch, plan.steps, plan.effective) for plan in found.nearest] == [(5, 6, 30), (5, 7, 35)]


def test_all_at_once_where_it_fits() -> None:
    assert fit(linear(), effective=32, budget_bytes=420) == Fit(32, 420, Choice(32, 1, 32, 420), (), 110)


def test_not_even_one_row() -> None:
    assert fit(linear(), effective=32, budget_bytes=109) == Fit(32, 109, None, (), 110)


def test_a_prime_is_kept_exactly_and_its_neighbours_are_shown() -> None:
    found = fit(linear(), effective=59, budget_bytes=300)
    assert found.choice == Choice(1, 59, 59, 110)
    products = [plan.effective for plan in found.nearest]
    assert products == sorted(products, key=lambda product: abs(product - 59)) and products[0] in (58, 60)
    assert all(plan.peak_bytes <= 300 and plan.effective != 59 for plan in found.nearest)


def test_over_two_processes_an_odd_batch_has_no_exact_plan() -> None:
    found = fit(linear(), effective=33, budget_bytes=200, processes=2)
    assert found.choice is None and not found.exact
    assert {32, 34} <= {plan.effective for plan in found.nearest}
    assert fit(linear(), effective=32, budget_bytes=200, processes=2).choice == Choice(8, 2, 32, 180)


@given(
    effective=some.integers(1, 3000),
    budget=some.integers(0, 10**6),
    lines=some.lists(some.tuples(some.integers(0, 10**5), some.integers(0, 3000)), min_size=1, max_size=4),
    grain=some.sampled_from([1, 64, 512]),
)
def test_it_is_what_trying_every_size_finds(
    effective: int, budget: int, lines: list[tuple[int, int]], grain: int
) -> None:
    asked: list[int] = []

    def peak(rows: int) -> int:
        asked.append(rows)
        return max(-(-(at_rest + a_row * rows) // grain) * grain for at_rest, a_row in lines)

    found = fit(peak, effective=effective, budget_bytes=budget)
    questions = len(set(asked))
    fitting = [rows for rows in range(1, effective + 1) if peak(rows) <= budget]
    exact = [rows for rows in fitting if effective % rows == 0]
    assert (found.choice.micro_batch if found.choice else None) == (exact[-1] if exact else None)
    if found.choice:
        assert found.choice.micro_batch * found.choice.steps == effective
    assert all(plan.peak_bytes <= budget and plan.micro_batch in fitting for plan in found.nearest)
    assert questions <= 40


def test_no_size_far_above_the_budget_is_asked_for() -> None:
    asked: list[int] = []

    def peak(rows: int) -> int:
        asked.append(rows)
        return 100 + 10 * rows

    assert fit(peak, effective=2**30, budget_bytes=300).choice == Choice(16, 2**26, 2**30, 260)
    assert max(asked) <= 4 * 20


def test_few_sizes_are_asked_for() -> None:
    """A prediction of a large model takes seconds."""
    asked: set[int] = set()

    def peak(rows: int) -> int:
        asked.add(rows)
        return max(200_000 + 900 * rows, 150_000 + 1100 * rows)

    assert fit(peak, effective=1024, budget_bytes=400_000).choice == Choice(128, 8, 1024, 315_200)
    assert len(asked) <= 15
