"""A working: steps made of cells, whose last numbers are the model's own.

    w = Working("Simple linear regression")
    rows = w.axis("row", n)
    w.step("Data", "What the model was fitted on.")
    x = w.given("x", values, rows, symbol="x")
    w.step("Mean", "The center of the data.")
    m = w.cell("mean_x", mean(x), symbol=r"\\bar{x}", equals=model.mean_, attribute="mean_")

A cell is worked out when it is added, and compared with the fitted attribute that it must equal: a formula that does
not give the model's number raises a `WorkingError` there and then. Renderers read `steps`; nothing here knows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pellucid.base.errors import format_message, join_some
from pellucid.base.types import Array
from pellucid.working.expression import Axis, Cell, WorkingError, expr
from pellucid.working.matrix import Block, Matrix, Named

if TYPE_CHECKING:
    from pellucid.working.exercise import Exercise

TOLERANCE = 1e-9
_ASKED_ROW = re.compile(r"^Row [01]\b")
_ROWS_COUNTED = re.compile(r" ?(Row numbers|Rows|Rows asked about) are (counted|numbered) from [01][^.]*\.")
NamedType = TypeVar("NamedType", Cell, Block)


@dataclass
class Table:
    """What stands together on the page: single cells, columns of one axis, or one matrix."""

    axis: Axis | None
    cells: list[Cell] = field(default_factory=list)
    block: Block | None = None


@dataclass
class Step:
    """A title, a sentence, and the cells that are worked out here.

    ``walk`` is the axis along which an iterative algorithm goes from pass to pass; ``turn`` is the number of the pass
    that this whole step belongs to, where a pass takes several formulas of different shapes. ``in_workbook`` is a
    sentence for a workbook alone, where a reader can change a value.
    """

    title: str
    sentence: str = ""
    cells: list[Named] = field(default_factory=list)
    walk: Axis | None = None
    turn: int | None = None
    in_workbook: str = ""

    @property
    def tables(self) -> list[Table]:
        """The cells in their order, those that can share a table put together."""
        tables: list[Table] = []
        for cell in self.cells:
            if isinstance(cell, Block):
                tables.append(Table(None, block=cell))
                continue
            if not tables or tables[-1].block is not None or tables[-1].axis is not cell.axis:
                tables.append(Table(cell.axis))
            tables[-1].cells.append(cell)
        return tables

    def at(self, entry: int) -> str:
        """One pass as text: every formula of this step with the numbers of that pass (counted from 0) put in."""
        from pellucid.working.text import pass_lines

        return "\n".join(pass_lines(self, entry))


class Working:
    """How the numbers came about: steps, each with formulas, numbers and tables.

    Shown as text by ``print``, in a notebook as HTML; `to_html`, `to_markdown`, `to_latex` and `to_excel` write it out.
    """

    def __init__(self, title: str, intro: str = "") -> None:
        self.title, self.intro = title, intro
        self.steps: list[Step] = []
        self.notes: list[str] = []
        self.workbook_notes: list[str] = []  # for a workbook alone, where a reader can change a value
        self.asked: list[int] = []  # entries of the data's rows to show besides the first and last
        self._cells: dict[str, Named] = {}
        self._recurring: list[Cell] = []

    # ---------------------------------------------------------------------------------------------------------- writing

    def axis(
        self, name: str, labels: int | Sequence[Any], index: str = "i", size: str = "n", *, raised: bool = False
    ) -> Axis:
        """What columns run along; labels are counted from 1 if only their number is given."""
        label_list = list(range(1, labels + 1)) if isinstance(labels, int) else list(labels)
        return Axis(name, label_list, index, size, raised)

    def step(self, title: str, sentence: str = "", *, turn: int | None = None, in_workbook: str = "") -> Step:
        """Begin a step: the cells that follow belong to it."""
        self.steps.append(Step(title, sentence, turn=turn, in_workbook=in_workbook))
        return self.steps[-1]

    def name_row(self, number: int) -> None:
        """Call the only row that was asked about by its number in the user's table, and say no more how rows are
        counted among those asked about."""
        for step in self.steps:
            step.title = _ASKED_ROW.sub(f"Row {number}", step.title)
            step.sentence = _ROWS_COUNTED.sub("", step.sentence)
            for table in step.tables:
                if table.axis is not None and table.axis.name == "row" and len(table.axis) == 1:
                    object.__setattr__(table.axis, "labels", [number])
        self.intro = _ROWS_COUNTED.sub("", self.intro)
        notes = [_ASKED_ROW.sub(f"Row {number}", _ROWS_COUNTED.sub("", note)) for note in self.notes]
        self.notes = [note for note in notes if note]

    def note(self, text: str, *, in_workbook: bool = False) -> None:
        """Say what was left out, or what else a reader must know; ``in_workbook``: in a workbook alone."""
        notes = self.workbook_notes if in_workbook else self.notes
        if text not in notes:
            notes.append(text)

    def given(self, name: str, value: Any, axis: Axis | None = None, *, symbol: str = "", label: str = "") -> Cell:
        """A number, or a column of them, that is not worked out here."""
        if axis is not None and np.shape(value) != (len(axis),):
            requirement = f"a given column has one value for each of the {len(axis)} entries of its axis"
            raise WorkingError(format_message("working", requirement, actual=f"{name!r} has shape {np.shape(value)}"))
        if axis is None and isinstance(value, np.generic):
            value = value.item()
        return self._add(Cell(name, axis=axis, value=value, symbol=symbol, label=label))

    def cell(
        self,
        name: str,
        source: Any,
        *,
        symbol: str = "",
        label: str = "",
        equals: Any = None,
        attribute: str = "",
        tolerance: float = TOLERANCE,
        scale: float = 0.0,
    ) -> Cell:
        """A number or a column that an expression gives.

        equals, attribute : the fitted number that it must equal, and the name of the attribute that holds it
        tolerance, scale : the largest difference allowed, as a share of that number or of ``scale`` if that is larger
        """
        tree = expr(source)
        if len(tree.axes) > 1:
            requirement, axes = "a cell is one number or one column", join_some(sorted(axis.name for axis in tree.axes))
            raise WorkingError(format_message("working", requirement, actual=f"{name!r} runs along {axes}"))
        cell = self._add(Cell(name, tree, axis=next(iter(tree.axes), None), symbol=symbol, label=label))
        cell.work_out()
        if equals is not None:
            self.check(cell, equals, attribute, tolerance, scale)
        return cell

    def recurring(self, name: str, axis: Axis, start: Any, *, symbol: str = "", label: str = "") -> Cell:
        """A column whose entries follow from the entry before; say how with `becomes`, then `run` it."""
        return Cell(name, axis=axis, value=np.zeros(len(axis)), symbol=symbol, label=label, start=expr(start))

    def becomes(
        self, cell: Cell | str, source: Any, *, axis: Axis | None = None, symbol: str = "", label: str = ""
    ) -> Cell:
        """What a recurring column, or a helper column of the same passes, is in each pass."""
        if isinstance(cell, str):
            assert axis is not None
            cell = Cell(cell, axis=axis, value=np.zeros(len(axis)), symbol=symbol, label=label)
        cell.source = expr(source)
        self._recurring.append(cell)
        return self._add(cell)

    def run(self, axis: Axis) -> None:
        """Work out the recurring columns, pass by pass, in the order in which they were described."""
        for cell in self._recurring:
            cell.stored = np.zeros(len(axis))
        for i in range(len(axis)):
            for cell in self._recurring:
                assert cell.source is not None
                cell.stored[i] = cell.source.at({axis: i})
        self._recurring = []
        self.steps[-1].walk = axis

    def block(
        self,
        name: str,
        source: Matrix | Any,
        rows: Axis | None = None,
        columns: Axis | None = None,
        *,
        symbol: str = "",
        label: str = "",
        equals: Any = None,
        attribute: str = "",
        tolerance: float = TOLERANCE,
        scale: float = 0.0,
    ) -> Block:
        """A matrix: given numbers with the axes of its rows and columns, or a matrix expression."""
        if isinstance(source, Matrix):
            tree, value = source, None
            rows, columns = rows or source.rows, columns or source.columns
        else:
            tree, value = None, source
        assert rows is not None
        assert columns is not None
        block = self._add(Block(name, tree, rows=rows, columns=columns, value=value, symbol=symbol, label=label))
        if equals is not None:
            self.check(block, equals, attribute, tolerance, scale)
        return block

    def take(self, other: Working, name: str, title: str = "") -> None:
        """Go on with the steps of another working; its cells are called ``name.cell`` here."""
        for step in other.steps:
            self.steps.append(step)
            step.title = f"{title}: {step.title}" if title else step.title
        for cell in other._cells.values():
            cell.name = f"{name}.{cell.name}"
            self._cells[cell.name] = cell
        for note in other.notes:
            self.note(note)
        for note in other.workbook_notes:
            self.note(note, in_workbook=True)

    def check(self, cell: Named, equals: Any, attribute: str, tolerance: float = TOLERANCE, scale: float = 0.0) -> None:
        """Raise if a cell is not the model's number; else remember which attribute it equals."""
        actual, expected = np.asarray(cell.value), np.asarray(equals)
        if actual.dtype.kind in "OUT" or expected.dtype.kind in "OUT":
            same = np.array_equal(actual.astype(object), expected.astype(object))
            worst: Any = 0
        else:
            actual, expected = np.broadcast_arrays(actual.astype(np.float64), expected.astype(np.float64))
            margin = tolerance * max(np.abs(expected[np.isfinite(expected)]).max(initial=0.0), abs(scale))
            with np.errstate(invalid="ignore"):
                apart = np.where(
                    (actual == expected) | (np.isnan(actual) & np.isnan(expected)), 0.0, np.abs(actual - expected)
                )
            same, worst = bool((apart <= margin).all()), int(np.argmax(apart))
        if not same:
            raise WorkingError(_mismatch(cell, attribute, actual, expected, worst))
        cell.attribute = attribute

    def _add(self, cell: NamedType) -> NamedType:
        if not self.steps:
            self.step("")
        if cell.name in self._cells:
            raise WorkingError(
                format_message("working", "every cell has a name of its own", actual=f"{cell.name!r} is used twice")
            )
        self._cells[cell.name] = cell
        self.steps[-1].cells.append(cell)
        return cell

    # ---------------------------------------------------------------------------------------------------------- reading

    @property
    def cells(self) -> dict[str, Named]:
        """Every cell, column and matrix by name, in order."""
        return dict(self._cells)

    def value(self, name: str) -> Any:
        """The number of a cell; an array for a column or a matrix."""
        if name not in self._cells:
            available = join_some((repr(key) for key in self._cells), limit=8)
            raise WorkingError(format_message("working", f"there is no cell {name!r}", actual=f"there are {available}"))
        value = self._cells[name].value
        return value.copy() if isinstance(value, np.ndarray) else value

    def passes(self) -> int:
        """How many passes an iterative algorithm made here; 0 if it is none."""
        turns = [step.turn for step in self.steps if step.turn is not None]
        walks = [len(step.walk) for step in self.steps if step.walk is not None]
        return max([*turns, *walks], default=0)

    def at(self, number: int) -> str:
        """Pass ``number`` (from 1) as text, with its numbers put in."""
        if not 1 <= number <= self.passes():
            requirement = (
                f"passes are counted from 1 to {self.passes()}" if self.passes() else "there are no passes here"
            )
            raise WorkingError(format_message("working", requirement, actual=f"asked for {number}"))
        from pellucid.working.text import turn_lines

        return "\n".join(turn_lines(self, number))

    def to_frame(self, step: int | str, *, table: int = 0, as_frame: Any = True) -> Any:
        """A table of a step (by its place, counted from 0, or by its title) as a DataFrame.

        Columns and matrices become columns; single cells become rows of name, value and meaning.
        """
        from pellucid.working.text import frame

        return frame(self, self.find(step), table, as_frame)

    def find(self, step: int | str) -> Step:
        """A step by its place, counted from 0, or by its title."""
        if isinstance(step, int) and -len(self.steps) <= step < len(self.steps):
            return self.steps[step]
        matches = [candidate for candidate in self.steps if candidate.title == step]
        if not matches:
            titles = join_some((repr(candidate.title) for candidate in self.steps), limit=8)
            raise WorkingError(format_message("working", f"there is no step {step!r}", actual=f"there are {titles}"))
        return matches[0]

    # -------------------------------------------------------------------------------------------------------- rendering

    def to_text(self, *, digits: int = 6, most_rows: int = 12) -> str:
        """As plain text."""
        from pellucid.working.text import to_text

        return to_text(self, digits, most_rows)

    def __repr__(self) -> str:
        return self.to_text()

    def __rich__(self) -> Any:
        from pellucid.working.text import to_rich

        return to_rich(self)

    def to_markdown(self, path: str | Path | None = None, *, digits: int = 6, most_rows: int = 12) -> str:
        """As Markdown with LaTeX formulas; also written to ``path`` if one is given."""
        from pellucid.working.markdown import to_markdown

        return _written(to_markdown(self, digits, most_rows), path)

    def to_latex(
        self, path: str | Path | None = None, *, digits: int = 6, most_rows: int = 12, standalone: bool = False
    ) -> str:
        """As LaTeX: sections to be put into a document, or a document of its own (``standalone``)."""
        from pellucid.working.latex import to_latex

        return _written(to_latex(self, digits, most_rows, standalone), path)

    def to_html(self, path: str | Path | None = None, *, digits: int = 6, most_rows: int = 60) -> str:
        """As one self-contained HTML page."""
        from pellucid.working.html import page

        return _written(page(self, digits, most_rows), path)

    def _repr_html_(self) -> str:
        from pellucid.working.html import fragment

        return fragment(self, digits=6, most_rows=30)

    def to_excel(self, path: str | Path) -> Path:
        """As a workbook whose cells are live formulas. Needs XlsxWriter."""
        from pellucid.working.excel import to_excel

        return to_excel(self, Path(path))

    def exercise(self, blank: Iterable[str] | None = None, *, share: float = 0.5, random_state: Any = None) -> Exercise:
        """The same working with cells left blank for a student, and a check of what is filled in.

        blank : names of the cells to leave blank; without it, ``share`` of the worked-out ones drawn at random
        """
        from pellucid.working.exercise import Exercise

        return Exercise.made_from(self, blank, share, random_state)


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _mismatch(cell: Named, attribute: str, actual: Array, expected: Array, worst: int) -> str:
    actual_value, expected_value = np.ravel(actual)[worst], np.ravel(expected)[worst]
    entry = f" (entry {worst + 1})" if actual.size > 1 else ""
    return format_message(
        "working",
        f"cell {cell.name!r} must equal the model's {attribute}",
        actual=f"the formula gives {actual_value}, the model has {expected_value}{entry}",
        hint="pass the X, y and sample_weight that the model was fitted on",
    )


def shown_entries(
    axis: Axis, max_entries: int, requested: Sequence[int] = (), informative: Sequence[int] = ()
) -> list[int | None]:
    """Which entries of a long axis are shown: its ends, those that tell something, and of rows those asked for; None
    where some are left out."""
    n = len(axis)
    if n <= max_entries:
        return list(range(n))
    last = max(1, max_entries // 4)
    rows = {i + 1 for i in requested} if axis.name == "row" else set()  # rows are numbered from 1
    visible = sorted(
        {
            *range(max_entries - last),
            *range(n - last, n),
            *informative,
            *(i for i, label in enumerate(axis.labels) if label in rows),
        }
    )
    entries: list[int | None] = []
    for at, i in enumerate(visible):
        if at and i != visible[at - 1] + 1:
            entries.append(None)
        entries.append(i)
    return entries


__all__ = ["Step", "Table", "Working", "shown_entries"]
