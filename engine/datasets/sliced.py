"""Sequences that make what they are asked for, one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)


class Sliced(Sequence[Item]):
    """A sequence by its length and `at`; a slice of it is a list."""

    @abstractmethod
    def at(self, place: int) -> Item:
        """The item at a place from 0 to below the length."""

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self.at(each) for each in range(*place.indices(len(self)))]
        return self.at(range(len(self))[place])
