"""A working with cells left blank: the student fills them in, and the page or the workbook says what is right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.working.expression import Cell, Lookup
from pellucid.working.matrix import ColumnOf, Entry, Named, Stack, Vector
from pellucid.working.model import Working

# An answer counts as right within this share of the true number: three figures are enough.
TOLERANCE = 5e-3


@dataclass(frozen=True)
class Exercise:
    """The working, the names of its blank cells, and how near an answer must come."""

    working: Working
    blank: frozenset[str]
    tolerance: float = TOLERANCE

    @classmethod
    def made_from(cls, working: Working, blank: Iterable[str] | None, share: float, random_state: Any) -> Exercise:
        """Blank cells as named, or drawn from those that are worked out."""
        worked_out = [name for name, cell in working.cells.items() if cell.source is not None]
        if blank is None:
            worked_out = [name for name in worked_out if not _is_copy(working.cells[name])] or worked_out
            if not 0 < share <= 1:
                raise ParameterError(
                    format_message("exercise", "share must be above 0 and at most 1", actual=f"got {share!r}")
                )
            number = max(1, round(share * len(worked_out)))
            indices = check_random_state(random_state).permutation(len(worked_out))[:number]
            return cls(working, frozenset(worked_out[i] for i in np.sort(indices)))
        names = [blank] if isinstance(blank, str) else list(blank)
        unknown = [repr(name) for name in names if name not in worked_out]
        if unknown or not names:
            actual = f"{join_some(unknown)} {'is' if len(unknown) == 1 else 'are'} not" if unknown else "got none"
            available = join_some(map(repr, worked_out), limit=12)
            raise ParameterError(
                format_message(
                    "exercise", "blank names cells that are worked out", actual=actual, hint=f"there are {available}"
                )
            )
        return cls(working, frozenset(names))

    def to_html(self, path: str | Path | None = None, *, digits: int = 6, most_rows: int = 60) -> str:
        """One self-contained page with fields to fill in and a check of each."""
        from pellucid.working.html import page

        text = page(self.working, digits, most_rows, exercise=self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        from pellucid.working.html import fragment

        return fragment(self.working, 6, 30, exercise=self)

    def to_excel(self, path: str | Path) -> Path:
        """A workbook with empty cells, each with a check beside it. Needs XlsxWriter."""
        from pellucid.working.excel import to_excel

        return to_excel(self.working, Path(path), exercise=self)


def _is_copy(cell: Named) -> bool:
    """Does the cell only repeat a number that stands elsewhere? Drawn as a blank it would ask for nothing."""
    return isinstance(cell.source, Cell | ColumnOf | Entry | Lookup | Vector | Stack)
