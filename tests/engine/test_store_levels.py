"""Which rows of a long series are marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.store.levels import Buckets


def test_a_full_bucket_marks_where_its_extremes_are() -> None:
    # buckets of four: 5 1 9 9 | 2 8 3 7 ; the lowest are at 2 and 5, the highest at 3 (the first of two) and 6
    buckets = Buckets(finest=1)
    marked = [buckets.add(key, {"loss": value}) for key, value in enumerate([5, 1, 9, 9, 2, 8, 3, 7], start=1)]
    assert marked[:3] == [[], [], []]
    assert marked[3] == [(1, 0, [2, 3])]
    assert marked[7] == [(1, 1, [5, 6])]


def test_four_full_buckets_fill_one_of_the_next_level() -> None:
    # the sixteen values 1 ... 16: the lowest is at 1, the highest at 16
    buckets = Buckets(finest=1)
    last = [buckets.add(key, {"loss": key}) for key in range(1, 17)][-1]
    assert last == [(1, 3, [13, 16]), (2, 0, [1, 16])]


def test_a_metric_without_a_value_marks_nothing() -> None:
    buckets = Buckets(finest=1)
    full = [mark for key in (1, 2, 3, 4) for mark in buckets.add(key, {"loss": None, "memory": None})]
    assert full == [(1, 0, [])]


def test_a_bucket_that_a_gap_has_cut_off_is_closed_by_the_row_after_the_gap() -> None:
    # keys 1 2, then 21: bucket 0 of level 1 ends, and with 22, 23, 24 bucket 5; only then bucket 0 of level 2 ends
    buckets = Buckets(finest=1)
    marked = [buckets.add(key, {"loss": key}) for key in (1, 2, 21, 22, 23, 24)]
    assert marked[2] == [(1, 0, [1, 2])]
    assert marked[5] == [(1, 5, [21, 24]), (2, 0, [1, 2])]


@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=300), st.integers(1, 3))
def test_every_full_bucket_of_every_level_holds_its_extremes(values: list[int | None], finest: int) -> None:
    buckets = Buckets(finest)
    full = [mark for key, value in enumerate(values, start=1) for mark in buckets.add(key, {"loss": value})]
    assert len(full) == sum(len(values) // 4**level for level in range(finest, 6))
    for level, bucket, keys in full:
        inside = [value for value in values[bucket * 4**level : (bucket + 1) * 4**level] if value is not None]
        marked = [values[key - 1] for key in keys]
        assert len(keys) <= 2
        assert (min(marked), max(marked)) == (min(inside), max(inside)) if inside else not keys
