"""Frequent sets as a fit leaves them behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from pellucid import _core
from pellucid.base.errors import UnknownNameError, format_message, short_repr
from pellucid.base.types import Array, Floats

MOST_SHOWN = 20


@dataclass(frozen=True)
class ItemSet:
    """A set of items, in how many baskets it is, and their share of all."""

    items: tuple[Any, ...]
    count: int
    support: float


@dataclass(frozen=True, eq=False)
class ItemSets(Sequence[ItemSet]):
    """Sets of items, by length and then by the places of their items in ``names``.

    names : the items; a code is a place here
    levels : one array of codes a length, sets x length, each row ascending
    counts : in how many baskets each set is
    n_baskets : all baskets

    A sequence of `ItemSet`, made when they are asked for: a million sets are two arrays, not a million objects.
    """

    names: tuple[Any, ...]
    levels: tuple[Array, ...]
    counts: Array
    n_baskets: int

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def starts(self) -> Array:
        """Place of the first set of each level, and behind the last one."""
        return np.concatenate([[0], np.cumsum([len(level) for level in self.levels])]).astype(np.int64)

    @cached_property
    def supports(self) -> Floats:
        """Share of the baskets that have each set."""
        return self.counts / self.n_baskets

    @cached_property
    def lengths(self) -> Array:
        """Items of each set."""
        return np.repeat([level.shape[1] for level in self.levels], [len(level) for level in self.levels]).astype(int)

    def codes(self, place: int) -> tuple[int, ...]:
        """The codes of a set."""
        level = int(np.searchsorted(self.starts, place, side="right")) - 1
        return tuple(self.levels[level][place - self.starts[level]].tolist())

    def items(self, place: int) -> tuple[Any, ...]:
        """The items of a set."""
        return tuple(self.names[code] for code in self.codes(place))

    @overload
    def __getitem__(self, place: int) -> ItemSet: ...
    @overload
    def __getitem__(self, place: slice) -> list[ItemSet]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        k = range(len(self))[place]
        return ItemSet(self.items(k), int(self.counts[k]), float(self.supports[k]))

    def __iter__(self) -> Iterator[ItemSet]:
        return (self[k] for k in range(len(self)))

    @cached_property
    def _place(self) -> dict[tuple[int, ...], int]:
        found: dict[tuple[int, ...], int] = {}
        for level in self.levels:
            for codes in level.tolist():
                found[tuple(codes)] = len(found)
        return found

    @cached_property
    def _code(self) -> dict[Any, int]:
        return {name: code for code, name in enumerate(self.names)}

    def find(self, items: Iterable[Any]) -> int | None:
        """The place of a set; None if it is not among them. A text is one item."""
        codes = [self._code.get(item) for item in ((items,) if isinstance(items, str) else set(items))]
        return None if None in codes else self._place.get(tuple(sorted(code for code in codes if code is not None)))

    def support_of(self, items: Iterable[Any]) -> float:
        """The support of a set that is among them."""
        place = self.find(items)
        if place is None:
            wanted = short_repr(items if isinstance(items, str) else list(items))
            requirement, hint = (
                "the set must be among those found",
                "lower min_support, or count it with a longer max_length",
            )
            raise UnknownNameError(format_message("support_of", requirement, actual=f"{wanted} is not", hint=hint))
        return float(self.supports[place])

    def columns(self) -> dict[str, Any]:
        """As columns, which any dataframe library takes: items, length, count, support."""
        names, items = list(self.names), np.empty(len(self), dtype=object)
        for level, start in zip(self.levels, self.starts, strict=False):
            _core.item_tuples(level, names, items[start : start + len(level)])
        return {"items": items, "length": self.lengths, "count": self.counts, "support": self.supports}

    def longer_than(self, least: int) -> ItemSets:
        """Those of at least so many items."""
        kept = [k for k, level in enumerate(self.levels) if level.shape[1] >= least]
        counts = [self.counts[self.starts[k] : self.starts[k + 1]] for k in kept]
        counted = np.concatenate(counts) if counts else np.empty(0, dtype=np.int64)
        return ItemSets(self.names, tuple(self.levels[k] for k in kept), counted, self.n_baskets)

    def __repr__(self) -> str:
        shown = [(f"{one.support:.4f}", str(one.count), joined(one.items)) for one in self[:MOST_SHOWN]]
        more = [f"... and {len(self) - MOST_SHOWN:,} more"] if len(self) > MOST_SHOWN else []
        return "\n".join([*aligned([("support", "count", "items"), *shown]), *more])


def joined(items: Iterable[Any]) -> str:
    """Items as text: bread + milk."""
    return " + ".join(str(item) for item in items)


def aligned(rows: Sequence[Sequence[str]], left: int = -1) -> list[str]:
    """Rows of text with their columns one below the other; from column ``left`` on they begin at the left."""
    left = left % len(rows[0])
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = []
    for row in rows:
        parts = [
            cell.rjust(width) if j < left else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return lines
