"""The distinct values of a column with their counts, which is all that the recognizers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.quality.formats import is_missing_word, trimmed
from pellucid.quality.semantic_types.names import name_words

MOST_TEXTS = 5_000  # distinct texts that are examined


@dataclass(frozen=True)
class NumberValues:
    """A column of stored numbers.

    values : the finite distinct numbers, smallest first
    counts : how many rows have each
    """

    name: Any
    values: Array
    counts: Array

    @cached_property
    def words(self) -> tuple[str, ...]:
        return name_words(self.name)

    @cached_property
    def n_present(self) -> int:
        return int(self.counts.sum())

    @property
    def n_distinct(self) -> int:
        return len(self.values)

    @cached_property
    def is_whole(self) -> bool:
        """Are all values integers that a 64-bit integer holds exactly?"""
        if self.values.dtype.kind in "iu":
            return int(self.values[-1]) < 2**63
        return bool(np.all(np.abs(self.values) < 2.0**53) and np.all(self.values == np.floor(self.values)))

    @cached_property
    def integers(self) -> Array:
        """The values as 64-bit integers; only for whole values."""
        return self.values.astype(np.int64)

    @property
    def low(self) -> Any:
        return self.values[0]

    @property
    def high(self) -> Any:
        return self.values[-1]

    @property
    def is_unique(self) -> bool:
        """Does every row have its own value?"""
        return self.n_distinct == self.n_present

    def share(self, which: Flags) -> float:
        """The share of the rows whose value is flagged."""
        return float(self.counts[which].sum()) / max(self.n_present, 1)


@dataclass(frozen=True)
class TextValues:
    """A column of texts or categories.

    values : the distinct texts
    counts : how many rows have each
    """

    name: Any
    values: Sequence[Any]
    counts: Array

    @cached_property
    def words(self) -> tuple[str, ...]:
        return name_words(self.name)

    @cached_property
    def _examined(self) -> tuple[list[str], Array]:
        """An even sample of the distinct texts that say something, trimmed, and their counts."""
        step = max(1, -(-len(self.values) // MOST_TEXTS))
        texts = [trimmed(str(value)[:200]) for value in self.values[::step]]
        keep = np.array([not is_missing_word(text) for text in texts], dtype=bool)
        return [text for text, is_content in zip(texts, keep.tolist(), strict=True) if is_content], self.counts[::step][
            keep
        ]

    @property
    def texts(self) -> list[str]:
        """The distinct texts to examine, without those that stand for a missing value."""
        return self._examined[0]

    @property
    def text_counts(self) -> Array:
        return self._examined[1]

    @cached_property
    def n_present(self) -> int:
        return int(self.counts.sum())

    @property
    def n_distinct(self) -> int:
        return len(self.values)

    @property
    def variety(self) -> float:
        """Distinct texts per row, among those examined."""
        return len(self.texts) / max(int(self.text_counts.sum()), 1)

    def share(self, fits: Sequence[bool]) -> float:
        """The share of the examined rows whose text fits."""
        return float(self.text_counts[np.array(fits, dtype=bool)].sum()) / max(int(self.text_counts.sum()), 1)
