"""How the rows of a window are dealt into micro-batches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.accumulation import deal, positions


def widths(*lengths: int) -> list[tuple[int, ...]]:
    return [(length,) for length in lengths]


def test_rows_as_they_come_fill_micro_batches_in_turn() -> None:
    assert deal(widths(5, 1, 4, 2, 3), micro_batch=2) == [[0, 1], [2, 3], [4]]


def test_sorted_rows_lie_beside_those_of_like_length_the_longest_first() -> None:
    dealt = deal(widths(5, 1, 4, 2, 3, 9), micro_batch=2, order="sorted")
    assert dealt == [[5, 0], [2, 4], [3, 1]]
    # as they come 2 × (5 + 4 + 9) = 36 positions, sorted 2 × (9 + 4 + 2) = 30, for 24 tokens
    lengths = widths(5, 1, 4, 2, 3, 9)
    assert sum(positions([lengths[row] for row in rows]) for rows in deal(lengths, micro_batch=2)) == 36
    assert sum(positions([lengths[row] for row in rows]) for rows in dealt) == 30


def test_a_token_budget_counts_the_padding() -> None:
    # 9 alone, since 2 × 9 = 18; then 5, 4, 3 at 3 × 5 = 15; then 2, 1
    assert deal(widths(5, 1, 4, 2, 3, 9), micro_batch=2, order="sorted", tokens=16) == [[5], [0, 2, 4], [3, 1]]


def test_packed_rows_take_what_they_hold() -> None:
    # 5 + 1 + 4 = 10; 2 + 3 = 5, and 9 more would be 14
    assert deal(widths(5, 1, 4, 2, 3, 9), micro_batch=2, tokens=10, packed=True) == [[0, 1, 2], [3, 4], [5]]


def test_source_and_target_are_padded_each_for_itself() -> None:
    assert positions([(8, 2), (3, 5)]) == 2 * (8 + 5)
    assert deal([(8, 2), (3, 5), (1, 1)], micro_batch=8, order="sorted", tokens=20) == [[0], [1, 2]]


@pytest.mark.parametrize("order", ["sorted", "random"])
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=40),
    micro_batch=st.integers(1, 9),
    tokens=st.none() | st.integers(40, 200),
    packed=st.booleans(),
)
def test_every_row_is_dealt_once_and_no_bound_is_passed(
    order: str, lengths: list[int], micro_batch: int, tokens: int | None, packed: bool
) -> None:
    rows = widths(*lengths)
    dealt = deal(rows, micro_batch=micro_batch, order=order, tokens=tokens, packed=packed)
    assert sorted(row for part in dealt for row in part) == list(range(len(rows)))
    for part in dealt:
        assert part
        if tokens is None:
            assert len(part) <= micro_batch
        else:
            assert positions([rows[row] for row in part], packed=packed) <= tokens
