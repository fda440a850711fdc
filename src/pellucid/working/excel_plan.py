"""Where everything stands in a workbook: sheets, tables from top to bottom, and the place of every number.

Nothing is written here; `excel` follows the plan. Column A holds names and labels, numbers begin in column B or, for
single cells, stand in column C:

    what | symbol | value | check | formula in symbols
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from pellucid.base.errors import count, join_some
from pellucid.base.types import Array
from pellucid.working.expression import Axis, Cell
from pellucid.working.matrix import Block, Named, named_in
from pellucid.working.model import Step, Table, Working, shown_entries
from pellucid.working.notation import TooMuchToShowError, in_symbols, left_side
from pellucid.working.printers import unicode
from pellucid.working.sheet import Place

LONGEST_AXIS = 20_000  # entries that are written as formulas; of a longer axis only the first and last are shown
MOST_NUMBERS = 400_000  # of one matrix
MOST_COLUMNS = 10_000  # a sheet has 16,384
ONE_SHEET_AXIS, ONE_SHEET_NUMBERS = 200, 6_000  # a working up to this size stands on one sheet
SHOWN = 12  # entries of an axis that is too long
LINE = 130  # characters of a line of text
VALUE, CHECK, FORMULA = 2, 3, 4  # columns of a table of single cells

FORBIDDEN = str.maketrans("", "", "[]:*?/\\'")
LEGEND = "Filled cells are inputs. Cells with a formula are computed from them and follow when you change one."
TASK = (
    "Boxed cells are yours to fill in; beside each stands whether it is right. The other cells are locked without a "
    "password: unprotect the sheet to change the inputs, and what counts as right changes too."
)


@dataclass(frozen=True)
class Column:
    """One column of numbers on a sheet: a cell's own, or one of a matrix that stands among columns."""

    named: Named
    at: int  # the sheet's column
    label: str
    symbol: str
    values: Array
    check: int | None = None  # the sheet's column in which answers are checked

    @property
    def formula(self) -> str:
        return formula_text(self.named) if isinstance(self.named, Cell) else ""


@dataclass(frozen=True)
class Panel:
    """A table on a sheet. ``row`` is its first row; its numbers begin ``head`` rows further down."""

    row: int
    head: int
    axis: Axis | None = None
    columns: list[Column] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    block: Block | None = None
    entries: list[int | None] = field(default_factory=list)  # of the axis or of the matrix's rows; None where cut
    caption: list[str] = field(default_factory=list)
    heads: tuple[bool, ...] = ()  # of columns: is there a row of labels, symbols, formulas, ticks

    @property
    def first(self) -> int:
        return self.row + self.head

    @property
    def width(self) -> int:
        """Its last column, with room for checks."""
        block = 0 if self.block is None else 2 * min(len(self.block.columns), MOST_COLUMNS // 2) + 1
        return max([block, *(column.at + 1 for column in self.columns)])

    @property
    def end(self) -> int:
        return self.first + (len(self.cells) or len(self.entries))


@dataclass
class Page:
    """One sheet: lines of text at the top, then steps with their panels."""

    name: str
    lines: list[str]
    steps: list[tuple[int, int, Step, list[str], list[Panel]]] = field(default_factory=list)  # row, number, ...
    notes: list[str] = field(default_factory=list)
    end: int = 0

    @property
    def columns(self) -> int:
        """The last column that is wide enough for a number."""
        panels = [panel for *_, step_panels in self.steps for panel in step_panels]
        return max([FORMULA + 6, *(panel.width for panel in panels)])


@dataclass
class Plan:
    pages: list[Page] = field(default_factory=list)
    places: dict[Named, Place] = field(default_factory=dict)
    checks: dict[Named, Place] = field(default_factory=dict)

    @property
    def first(self) -> Page:
        return self.pages[0]


def make_plan(working: Working, blank: Iterable[str] = (), name: str = "Working") -> Plan:
    """The plan of a working; cells named ``blank`` get room for a check beside them."""
    return _Planner(working, frozenset(blank), name).run()


def formula_text(cell: Named) -> str:
    """The formula in symbols; empty for what is given, and for what would fill the page."""
    try:
        box = in_symbols(cell)
    except TooMuchToShowError:
        return ""
    return "" if box is None else unicode(box)


def tick(cell: Named) -> str:
    return f"✓ equals {cell.attribute}" if cell.attribute else ""


def too_large(cell: Named) -> bool:
    """Is it left out of the workbook but for a few entries?"""
    if isinstance(cell, Block):
        rows, columns = len(cell.rows), len(cell.columns)
        return rows > LONGEST_AXIS or columns > MOST_COLUMNS or rows * columns > MOST_NUMBERS
    return cell.axis is not None and len(cell.axis) > LONGEST_AXIS


def entries_at_ends(axis: Axis, requested: Iterable[int] = (), max_entries: int = LONGEST_AXIS) -> list[int | None]:
    """All entries of an axis, or the first and last of one that is too long."""
    n = len(axis)
    return list(range(n)) if n <= max_entries else shown_entries(axis, SHOWN, list(requested))


def not_live(working: Working) -> str:
    """A sentence on what is written as numbers only, and why; empty if everything is live."""
    large_cells = [cell for cell in working.cells.values() if too_large(cell)]
    if not large_cells:
        return ""
    dependents = [
        name
        for name, cell in working.cells.items()
        if cell not in large_cells
        and cell.source is not None
        and any(used in large_cells for used in named_in(cell.source))
    ]
    text = (
        f"Not live: {join_some((cell.name for cell in large_cells), limit=8)}. With more than "
        f"{count(LONGEST_AXIS, 'entry', 'entries')}, or as large matrices, they would make the workbook too heavy: "
        "their first and last entries are shown."
    )
    return text + (
        f" What is worked out from them is written as a number too: {join_some(dependents, limit=12)}."
        if dependents
        else ""
    )


def numbers(working: Working) -> int:
    return sum(_size(cell) for cell in working.cells.values())


def _size(cell: Named) -> int:
    if isinstance(cell, Block):
        return len(cell.rows) * len(cell.columns)
    return 1 if cell.axis is None else len(cell.axis)


def _fits_one_sheet(working: Working) -> bool:
    axes = [a for cell in working.cells.values() for a in _axes(cell)]
    return all(len(axis) <= ONE_SHEET_AXIS for axis in axes) and numbers(working) <= ONE_SHEET_NUMBERS


def _axes(cell: Named) -> list[Axis]:
    if isinstance(cell, Block):
        return [cell.rows, cell.columns]
    return [] if cell.axis is None else [cell.axis]


def sheet_name(number: int, title: str) -> str:
    """
    >>> sheet_name(3, "Sums: x/y [all]")
    '3 Sums xy all'
    """
    return f"{number} {title.translate(FORBIDDEN)}".strip()[:31].strip()


@dataclass
class _Planner:
    working: Working
    blank: frozenset[str]
    name: str
    plan: Plan = field(default_factory=Plan)

    def run(self) -> Plan:
        together = _fits_one_sheet(self.working)
        page, row = self.top(self.name if together else self.page_name(1, self.working.steps))
        for number, step in enumerate(self.working.steps, start=1):
            if number > 1 and not together:
                page.end = row
                page, row = Page(self.page_name(number, self.working.steps), []), 0
                self.plan.pages.append(page)
            row = self.step(page, row, number, step)
        notes = [*self.working.notes, *self.working.workbook_notes]
        page.notes = [line for note in notes for line in wrap(f"Note: {note}", LINE)]
        page.end = row + len(page.notes)
        return self.plan

    def page_name(self, number: int, steps: list[Step]) -> str:
        return sheet_name(number, steps[number - 1].title) if self.name == "Working" else f"{self.name} {number}"

    def top(self, name: str) -> tuple[Page, int]:
        """The first page: title, score, what it is about, what the fills mean."""
        lines = [self.working.title, *(["", *wrap(TASK, LINE)] if self.blank else [])]
        lines += [*wrap(self.working.intro, LINE), LEGEND, *wrap(not_live(self.working), LINE)]
        page = Page(name, lines)
        self.plan.pages.append(page)
        return page, len(lines) + 1

    def step(self, page: Page, row: int, number: int, step: Step) -> int:
        sentences = wrap(f"{step.sentence} {step.in_workbook}".strip(), LINE)
        top, row = row, row + 1 + len(sentences)
        panels: list[Panel] = []
        page.steps.append((top, number, step, sentences, panels))
        for table in _joined(step.tables):
            panels.append(self.panel(page.name, row + bool(panels), table))
            row = panels[-1].end
        return row + 1

    def panel(self, sheet: str, row: int, table: _Joined) -> Panel:
        if table.axis is not None:
            return self.columns(sheet, row, table)
        if table.block is not None:
            return self.block(sheet, row, table.block)
        for down, cell in enumerate(table.cells, start=row + 1):
            self.plan.places[cell] = Place(sheet, down, VALUE)
            if cell.name in self.blank:
                self.plan.checks[cell] = Place(sheet, down, CHECK)
        return Panel(row, 1, cells=table.cells)

    def columns(self, sheet: str, row: int, table: _Joined) -> Panel:
        assert table.axis is not None
        columns: list[Column] = []
        at = 1
        for block in table.blocks:
            columns += _block_columns(block, at)
            at += len(block.columns)
        for cell in table.cells:
            checked = cell.name in self.blank
            label, symbol = cell.label, unicode(left_side(cell))
            columns.append(Column(cell, at, label, symbol, cell.stored, at + 1 if checked else None))
            at += 1 + checked
        heads = (
            any(column.label for column in columns),
            True,
            any(column.formula for column in columns),
            any(column.named.attribute for column in columns),
        )
        self.settle(sheet, row + sum(heads), columns)
        entries = entries_at_ends(table.axis, self.working.asked)
        return Panel(row, sum(heads), table.axis, columns, entries=entries, heads=heads)

    def settle(self, sheet: str, row: int, columns: list[Column]) -> None:
        for column in columns:
            if not too_large(column.named):
                self.plan.places.setdefault(column.named, Place(sheet, row, column.at))
                if column.check is not None:
                    self.plan.checks[column.named] = Place(sheet, row, column.check)

    def block(self, sheet: str, row: int, block: Block) -> Panel:
        caption = wrap(block_caption(block), LINE)
        head = len(caption) + 1
        if not too_large(block):
            self.plan.places[block] = Place(sheet, row + head, 1)
            if block.name in self.blank:
                self.plan.checks[block] = Place(sheet, row + head, len(block.columns) + 2)
        entries = entries_at_ends(block.rows, self.working.asked, SHOWN if too_large(block) else LONGEST_AXIS)
        return Panel(row, head, block=block, entries=entries, caption=caption)


def block_caption(block: Block) -> str:
    mark = formula_text(block) or unicode(left_side(block))
    text = f"{block.label}: {mark}" if block.label else mark
    return f"{text}   {tick(block)}".rstrip()


@dataclass
class _Joined:
    """A table as it stands on a sheet: given matrices stand beside the columns of the same rows."""

    axis: Axis | None
    cells: list[Cell] = field(default_factory=list)
    block: Block | None = None
    blocks: list[Block] = field(default_factory=list)


def _joined(tables: list[Table]) -> list[_Joined]:
    joined_tables: list[_Joined] = []
    for table in tables:
        before = joined_tables[-1].block if joined_tables else None
        if before is not None and table.axis is before.rows and before.source is None and not too_large(before):
            joined_tables[-1] = _Joined(table.axis, table.cells, blocks=[before])
        else:
            joined_tables.append(_Joined(table.axis, table.cells, table.block))
    return joined_tables


def _block_columns(block: Block, at: int) -> list[Column]:
    symbol = unicode(left_side(block))
    return [
        Column(block, at + j, str(label), symbol if j == 0 else "", block.stored[:, j])
        for j, label in enumerate(block.columns.labels)
    ]


def layout(working: Working) -> Mapping[Named, Place]:
    """Where `to_excel` writes each cell, the first entry of each column, and the top left entry of each matrix.

    What is too large for a workbook has no place.
    """
    return make_plan(working).places


__all__ = ["Column", "Page", "Panel", "Plan", "layout", "make_plan", "too_large"]
