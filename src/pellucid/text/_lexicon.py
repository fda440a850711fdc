"""The terms of a column of texts, each at the place of its column."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid import _core


class Lexicon:
    """Terms in the order of their columns. The table by which kernels find them is made when first asked for."""

    __slots__ = ("_table", "terms")

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = tuple(terms)
        self._table: _core.Terms | None = None

    @property
    def table(self) -> _core.Terms:
        """What kernels read."""
        if self._table is None:
            self._table = _core.Terms(list(self.terms))
        return self._table

    def __len__(self) -> int:
        return len(self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __repr__(self) -> str:
        return f"Lexicon of {len(self.terms):,} terms"

    def __getstate__(self) -> tuple[str, ...]:
        return self.terms

    def __setstate__(self, terms: tuple[str, ...]) -> None:
        self.terms = terms
        self._table = None
