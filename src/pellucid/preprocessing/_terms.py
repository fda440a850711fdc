"""Which products of columns there are, in which order, and how many."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, groupby
from math import comb, log10

import numpy as np

from pellucid.base.types import Array


@dataclass(frozen=True)
class Terms:
    """All products of ``low`` to ``high`` of so many columns, shorter ones first, each degree in alphabetical order.

    distinct : may a column occur only once in a product?
    ones : does the empty product, 1, come first?
    """

    columns: int
    low: int
    high: int
    distinct: bool
    ones: bool

    @property
    def count(self) -> int:
        """How many there are, without listing them.

        Of degree d exactly there are ``C(n, d)`` with distinct columns and ``C(n + d - 1, d)`` else; the latter add up
        to ``C(n + d, d)`` for degrees 0 to d.
        """
        n, low = self.columns, max(self.low, 1)
        if self.distinct:
            return self.ones + sum(comb(n, d) for d in range(low, min(self.high, n) + 1))
        return self.ones + max(comb(n + self.high, n) - comb(n + low - 1, n), 0)

    def products(self) -> Iterator[tuple[int, ...]]:
        """Each term as the numbers of its columns."""
        listed = combinations if self.distinct else combinations_with_replacement
        high = min(self.high, self.columns) if self.distinct else self.high
        degrees = [*([0] if self.ones else []), *range(max(self.low, 1), high + 1)]
        return chain.from_iterable(listed(range(self.columns), d) for d in degrees)

    def powers(self) -> Array:
        """``powers[i, j]`` is the exponent of column j in term i."""
        exponents = np.zeros((self.count, self.columns), dtype=np.int64)
        for row, product in zip(exponents, self.products(), strict=True):
            for j in product:
                row[j] += 1
        return exponents

    def names(self, columns: Sequence[str]) -> list[str]:
        """Each term in words: ``"1"``, ``"a"``, ``"a^2 b"``."""
        return [term_name(product, columns) for product in self.products()]


def term_name(product: Sequence[int], columns: Sequence[str]) -> str:
    """One term in words.

    >>> term_name((0, 0, 1), ["a", "b"]), term_name((), ["a", "b"])
    ('a^2 b', '1')
    """
    powers = [(columns[j], len(list(same))) for j, same in groupby(product)]
    return " ".join(f"{name}^{power}" if power > 1 else name for name, power in powers) or "1"


def in_words(number: int) -> str:
    """A number of any size.

    >>> in_words(176851), in_words(10**30)
    ('176,851', 'about 10^30')
    """
    return f"{number:,}" if number < 10**15 else f"about 10^{int(log10(number))}"


def bytes_in_words(size: int) -> str:
    """An amount of memory.

    >>> bytes_in_words(1_416_800_000), bytes_in_words(10**24)
    ('1.4 GB', 'about 10^24 bytes')
    """
    return f"{size / 1e9:,.1f} GB" if size < 10**15 else f"{in_words(size)} bytes"


def memory() -> int:
    """Bytes of memory in this machine; where the system does not say, as many as can be addressed."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return int(np.iinfo(np.intp).max)
