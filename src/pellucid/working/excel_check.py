"""What an exercise adds to a workbook: checks beside the blank cells, and cells that wait until those are filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.working.excel_plan import Plan
from pellucid.working.expression import plain
from pellucid.working.matrix import Block, Named, named_in
from pellucid.working.model import Working
from pellucid.working.sheet import Place, Writer

ROUNDING = 1e-9  # of the numbers that an answer is made of: a true zero that comes out as 1e-17 is still 0


@dataclass(frozen=True)
class Checks:
    """Where the answers are checked (``places``), where the true numbers stand, and how near an answer must come."""

    plan: Plan
    true: Mapping[Named, Place]
    tolerance: float

    @property
    def places(self) -> Mapping[Named, Place]:
        return self.plan.checks

    def shape(self, cell: Named) -> tuple[int, int]:
        if isinstance(cell, Block):
            return len(cell.rows), len(cell.columns)
        return (1 if cell.axis is None else len(cell.axis)), 1

    def count(self) -> int:
        return sum(rows * columns for rows, columns in map(self.shape, self.places))

    def entries(self, cell: Named) -> Iterator[tuple[Place, Place, Any]]:
        """The student's cell, the true one and its value at present, entry by entry."""
        values = np.asarray(cell.value, dtype=object).reshape(self.shape(cell))
        for i, j in np.ndindex(*self.shape(cell)):
            yield self.plan.places[cell].moved(i, j), self.true[cell].moved(i, j), plain(values[i, j])

    def beside(self, cell: Named, student: Place) -> Place:
        """Where the check of one entry stands."""
        first, check = self.plan.places[cell], self.places[cell]
        return check.moved(student.row - first.row, student.column - first.column)

    def span(self, cell: Named, here: str) -> str:
        return Writer(self.places, here).span(self.places[cell], *self.shape(cell))


def check_formula(student: str, true: str, value: Any, tolerance: float, floor: float) -> str:
    """Empty, "right" or "not yet". An answer may be off by a share of the true number, and by the floor."""
    if isinstance(value, str):
        same = f"EXACT(TRIM({student}),{true})"
    elif isinstance(value, bool):
        same = f"1*{student}=1*{true}"
    else:
        same = f"ABS({student}-{true})<={tolerance!r}*ABS({true})+{floor!r}"
        if not np.isfinite(value):
            same = f'IF(ISERROR({true}),LOWER({student})="undefined",{same})'
    return f'IF(ISBLANK({student}),"",IFERROR(IF({same},"right","not yet"),"not yet"))'


def rounding(cell: Named) -> float:
    """How far a true zero may be off by rounding: measured against the numbers that it is made of."""
    cells = [cell, *([] if cell.source is None else named_in(cell.source))]
    return ROUNDING * max(map(_largest, cells), default=0.0)


def _largest(cell: Named) -> float:
    values = np.asarray(cell.value)
    if values.dtype.kind not in "fiu":
        return 0.0
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def guards(working: Working, blank: frozenset[str], positions: Mapping[Named, Place]) -> dict[Named, str]:
    """For each visible cell that follows from blank ones: the condition that some of these are still empty."""
    blank_inputs: dict[Named, dict[Named, None]] = {cell: {} for cell in working.cells.values()}
    changed = True
    while changed:  # columns of one walk refer to each other, so one round over the cells is not enough
        changed = False
        for cell in blank_inputs:
            for used in () if cell.source is None else named_in(cell.source):
                more = {used: None} if used.name in blank else blank_inputs.get(used, {})
                changed |= not more.keys() <= blank_inputs[cell].keys()
                blank_inputs[cell] |= more
    return {
        cell: _still_empty(cell, list(blank_cells), positions)
        for cell, blank_cells in blank_inputs.items()
        if blank_cells and cell.name not in blank and cell in positions
    }


def _still_empty(cell: Named, blank_cells: list[Named], positions: Mapping[Named, Place]) -> str:
    writer = Writer(positions, positions[cell].sheet)
    shapes = Checks(Plan(), {}, 0.0).shape
    spans = [
        writer.span(positions[blank_cell], *shapes(blank_cell)) for blank_cell in blank_cells if blank_cell in positions
    ]
    return "+".join(f"COUNTBLANK({span})" for span in spans) + ">0"
