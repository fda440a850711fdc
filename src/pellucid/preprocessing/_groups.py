"""Rare categories of a column, put together in one group."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from pellucid.base.types import Array


@dataclass(frozen=True)
class Groups:
    """Categories of one column after its rare ones were put together.

    of : the group of each category
    size : how many groups there are
    rare : positions of the categories that form the last group; None where there are none
    """

    of: Array
    size: int
    rare: Array | None = None

    def first(self, group: int | None) -> int | None:
        """The first category of a group."""
        return None if group is None else int(np.flatnonzero(self.of == group)[0])


def groups_of(counts: Array, n_rows: int, min_frequency: float | None, max_categories: int | None) -> Groups:
    """Puts rare categories together.

    Rare are those that occur less than ``min_frequency`` times (a share of the rows, if not an integer), and the
    least frequent of those that are too many for ``max_categories`` groups.
    """
    rare = np.zeros(len(counts), dtype=bool)
    if min_frequency is not None:
        rare = counts < (min_frequency if isinstance(min_frequency, Integral) else n_rows * min_frequency)
    if max_categories is not None and max_categories < len(counts) - int(rare.sum()) + 1:
        rare[np.argsort(counts, kind="stable")[: len(counts) - (max_categories - 1)]] = True
    if not rare.any():
        return Groups(np.arange(len(counts)), len(counts))
    frequent = len(counts) - int(rare.sum())
    return Groups(np.where(rare, frequent, np.cumsum(~rare) - 1), frequent + 1, np.flatnonzero(rare))
