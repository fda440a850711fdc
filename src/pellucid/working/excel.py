"""A working as a workbook: every number that is worked out is a live formula, with its value beside it in the file.

XlsxWriter writes the file. Numbers stand where `excel_plan` puts them and formulas come from `sheet`; here is the ink:
text, fills, widths. An exercise is the same workbook with empty cells; the true numbers are worked out on a hidden
sheet from the same visible inputs, so that what counts as right follows them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import MissingExtraError, format_message
from pellucid.working.excel_check import Checks, check_formula, guards, rounding
from pellucid.working.excel_plan import (
    CHECK,
    FORMULA,
    LEGEND,
    SHOWN,
    VALUE,
    Column,
    Page,
    Panel,
    Plan,
    formula_text,
    layout,
    make_plan,
    tick,
    too_large,
)
from pellucid.working.expression import Axis, Expr, plain
from pellucid.working.matrix import Block, Grid, Matrix, Named, Stack
from pellucid.working.model import Working
from pellucid.working.notation import left_side
from pellucid.working.printers import unicode
from pellucid.working.sheet import Formula, NotInWorkbookError, Place, address, entries, formula
from pellucid.working.text import width

if TYPE_CHECKING:
    from pellucid.working.exercise import Exercise

LONGEST_TEXT = 32_767  # characters of a cell
LABEL_WIDTH, NUMBER_WIDTH = 32, 17
LINE_HEIGHT = 15

FORMATS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 16},
    "score": {"bold": True, "font_size": 12, "font_color": "#1F4E79"},
    "line": {},
    "legend": {"italic": True, "bg_color": "#FFF2CC"},
    "step": {"bold": True, "font_size": 13, "font_color": "#1F4E79", "bottom": 1, "bottom_color": "#1F4E79"},
    "rule": {"bottom": 1, "bottom_color": "#1F4E79"},
    "sentence": {"italic": True, "font_color": "#404040"},
    "caption": {"font_color": "#404040"},
    "head": {"bold": True, "bottom": 1, "bg_color": "#F2F2F2"},
    "head check": {"bold": True, "bottom": 1, "bg_color": "#F2F2F2", "indent": 1},
    "head right": {"bold": True, "bottom": 1, "bg_color": "#F2F2F2", "align": "right", "indent": 1},
    "label": {"align": "right", "indent": 1, "text_wrap": True, "valign": "bottom"},
    "symbol": {"bold": True, "align": "right", "indent": 1},
    "formula": {
        "align": "right",
        "indent": 1,
        "text_wrap": True,
        "valign": "bottom",
        "font_color": "#595959",
        "font_size": 9,
    },
    "tick": {"font_color": "#2E7D32", "font_size": 9, "shrink": True, "align": "right", "indent": 1},
    "tick left": {"font_color": "#2E7D32", "font_size": 9, "shrink": True, "indent": 1},
    "axis": {"align": "right", "indent": 1, "font_color": "#595959", "right": 1, "right_color": "#BFBFBF"},
    "what": {},
    "value": {"align": "right", "indent": 1},
    "input": {"align": "right", "indent": 1, "bg_color": "#FFF2CC"},
    "fixed": {"align": "right", "indent": 1, "italic": True, "font_color": "#7F7F7F"},
    "blank": {"align": "right", "indent": 1, "bg_color": "#DDEBF7", "border": 1, "locked": False},
    "check": {"italic": True, "font_size": 10, "indent": 1},
}
UNDER_HEADS = {"bottom": 1, "bg_color": "#F2F2F2"}


def to_excel(working: Working, path: str | Path, exercise: Exercise | None = None) -> Path:
    """Write a working, or an exercise made from it, as a workbook of live formulas."""
    writer = _xlsxwriter()
    blank = frozenset() if exercise is None else _can_be_blank(exercise)
    buffer = BytesIO()  # written in one go at the end: a full disk leaves no half a file behind
    plain_text = dict.fromkeys(("strings_to_numbers", "strings_to_formulas", "strings_to_urls"), False)
    book = writer.Workbook(buffer, {"in_memory": True, **plain_text})
    book.set_properties({"title": working.title})
    plan = make_plan(working, blank)
    formats = _formats(book)
    ink = Ink(book, formats, plan, plan.places, _cells(working, blank), guards(working, blank, plan.places))
    ink.write()
    if exercise is not None and blank:
        _add_answers(ink, working, exercise)
    book.close()
    path = Path(path)
    path.write_bytes(buffer.getvalue())
    return path


def _formats(book: Any) -> dict[str, Any]:
    """The styles by name; those of a column's heads also with a line under them."""
    formats = {name: book.add_format(style) for name, style in FORMATS.items()}
    for name in ("label", "symbol", "formula", "tick", "check"):
        formats[f"{name} head"] = book.add_format({**FORMATS[name], "bg_color": "#F2F2F2"})
        formats[f"{name} last"] = book.add_format({**FORMATS[name], **UNDER_HEADS})
    return formats


def _xlsxwriter() -> Any:
    try:
        return import_module("xlsxwriter")
    except ImportError:
        raise MissingExtraError(
            format_message("to_excel", "needs XlsxWriter, which is not installed", hint="pip install pellucid[excel]")
        ) from None


@cache
def _sheet_class() -> Any:
    """XlsxWriter's sheet, without its search of every formula for thirty functions of later Excels.

    Ours use none of those. The search is half of the time of a large workbook: 100,000 formulas, 21 s with it, 11 s
    without (both under a profiler).
    """

    def as_it_is(_sheet: Any, text: str, expand_future_functions: bool = False) -> str:
        return text.strip("{}").removeprefix("=")

    plain_sheet = import_module("xlsxwriter.worksheet").Worksheet
    return type("PlainSheet", (plain_sheet,), {"_prepare_formula": as_it_is})


def _can_be_blank(exercise: Exercise) -> frozenset[str]:
    """What is shown only in part cannot be filled in."""
    return frozenset(name for name in exercise.blank if not too_large(exercise.working.cells[name]))


def _cells(working: Working, blank: frozenset[str]) -> frozenset[Named]:
    return frozenset(working.cells[name] for name in blank)


def _add_answers(ink: Ink, working: Working, exercise: Exercise) -> None:
    """The hidden sheets with the true numbers, the checks against them, and the score."""
    answer_plan = make_plan(working, name="Answers")
    input_positions = {cell: position for cell, position in ink.plan.places.items() if cell.source is None}
    hidden = Ink(ink.book, ink.formats, answer_plan, {**answer_plan.places, **input_positions}, is_hidden=True)
    hidden.write()
    checks = Checks(ink.plan, answer_plan.places, exercise.tolerance)
    ink.write_checks(checks)
    ink.write_score(checks)
    for sheet in ink.sheets.values():
        sheet.protect("", {"format_columns": True, "format_rows": True})


@dataclass
class Ink:
    """Writes the pages of a plan."""

    book: Any
    formats: Mapping[str, Any]
    plan: Plan
    places: Mapping[Named, Place]  # where formulas find the other cells
    blank: frozenset[Named] = frozenset()
    guards: Mapping[Named, str] = field(default_factory=dict)  # conditions under which a cell waits for answers
    is_hidden: bool = False
    sheets: dict[str, Any] = field(default_factory=dict)

    def write(self) -> None:
        for page in self.plan.pages:
            sheet = self.sheets[page.name] = self.book.add_worksheet(page.name, _sheet_class())
            self.set_up(sheet, page)
            self.top(sheet, page)
            for row, number, step, sentences, panels in page.steps:
                self.step(page.name, row, f"{number}. {step.title}".rstrip(), sentences)
                for panel in panels:
                    self.panel(page.name, panel)
            for row, line in enumerate(page.notes, start=page.end - len(page.notes)):
                self.text(page.name, row, 0, line, "line")

    def set_up(self, sheet: Any, page: Page) -> None:
        sheet.set_column(0, 0, LABEL_WIDTH)
        sheet.set_column(1, page.columns, NUMBER_WIDTH)
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.freeze_panes(_rows_kept(page, bool(self.blank)), 0)
        if self.is_hidden:
            sheet.hide()

    def top(self, sheet: Any, page: Page) -> None:
        for row, line in enumerate(page.lines):
            style = "title" if row == 0 else "legend" if line == LEGEND else "line"
            self.text(page.name, row, 0, line, style)
            for column in (1, 2) if style == "legend" else ():  # the fill runs on under the whole line
                self.text(page.name, row, column, "", style)
        if page.lines:
            sheet.set_row(0, 24)

    def step(self, name: str, row: int, title: str, sentences: list[str]) -> None:
        self.text(name, row, 0, title, "step")
        for column in range(1, FORMULA + 3):
            self.sheets[name].write_blank(row, column, None, self.formats["rule"])
        for down, line in enumerate(sentences, start=1):
            self.text(name, row + down, 0, line, "sentence")

    def panel(self, name: str, panel: Panel) -> None:
        if panel.axis is not None:
            self.columns(name, panel, panel.axis)
        elif panel.block is not None:
            self.block(name, panel, panel.block)
        else:
            self.cells(name, panel)

    # ----------------------------------------------------------------------------------------------------- single cells

    def cells(self, name: str, panel: Panel) -> None:
        heads = ("what", "symbol", "value", "check", "formula in symbols")
        for column, head in enumerate(heads):
            style = "head right" if column in (1, VALUE) else "head check" if column == CHECK else "head"
            self.text(name, panel.row, column, head, style)
        for column in range(FORMULA + 1, FORMULA + 3):
            self.text(name, panel.row, column, "", "head")
        for row, cell in enumerate(panel.cells, start=panel.first):
            self.text(name, row, 0, cell.label, "what")
            self.text(name, row, 1, unicode(left_side(cell)), "value")
            live = self.number(name, row, VALUE, cell, cell.value, cell.source, {})
            mark = "" if cell in self.blank else tick(cell)
            self.text(name, row, CHECK, mark if live else "value only", "tick left")
            self.text(name, row, FORMULA, formula_text(cell), "what")

    # ---------------------------------------------------------------------------------------------------------- columns

    def columns(self, name: str, panel: Panel, axis: Axis) -> None:
        self.heads(name, panel, axis)
        for row, i in enumerate(panel.entries, start=panel.first):
            self.text(name, row, 0, "⋮" if i is None else axis.labels[i], "axis")
            for column in panel.columns:
                if i is None:
                    self.text(name, row, column.at, "⋮", "fixed")
                else:
                    self.column_entry(name, row, column, axis, i)

    def column_entry(self, name: str, row: int, column: Column, axis: Axis, i: int) -> None:
        source = column.named.source
        tree = source if isinstance(source, Expr) and not too_large(column.named) else None
        self.number(name, row, column.at, column.named, column.values[i], tree, {axis: i}, column.at - 1)

    def heads(self, name: str, panel: Panel, axis: Axis) -> None:
        """Label, symbol, formula and tick of each column, one under the other."""
        for row, (style, texts) in enumerate(_head_rows(panel, self.blank), start=panel.row):
            format_name = f"{style} {'last' if row + 1 == panel.first else 'head'}"
            self.text(name, row, 0, axis.name if row + 1 == panel.first else "", format_name.replace(style, "symbol"))
            for column, text in zip(panel.columns, texts, strict=True):
                self.text(name, row, column.at, text, format_name)
                if column.check is not None:
                    head = "check" if row + 1 == panel.first else ""
                    self.text(name, row, column.check, head, format_name.replace(style, "check"))
            if style in ("label", "formula"):
                self.sheets[name].set_row(row, LINE_HEIGHT * max(_lines(text, style) for text in texts))

    # --------------------------------------------------------------------------------------------------------- matrices

    def block(self, name: str, panel: Panel, block: Block) -> None:
        for row, line in enumerate(panel.caption, start=panel.row):
            self.text(name, row, 0, line, "caption")
        n_columns = len(block.columns) if not too_large(block) else min(len(block.columns), SHOWN)
        self.text(name, panel.first - 1, 0, block.rows.name, "head right")
        for j in range(n_columns):
            self.text(name, panel.first - 1, 1 + j, block.columns.labels[j], "head right")
        for row, i in enumerate(panel.entries, start=panel.first):
            self.text(name, row, 0, "⋮" if i is None else block.rows.labels[i], "axis")
            for j in range(n_columns):
                self.block_entry(name, row, block, i, j)
        if isinstance(block.source, Matrix) and not isinstance(block.source, Stack | Grid):
            self.array(name, panel, block)
        if block in self.plan.checks:
            self.text(name, panel.first - 1, self.plan.checks[block].column, "check", "check last")

    def block_entry(self, name: str, row: int, block: Block, i: int | None, j: int) -> None:
        if i is None:
            self.text(name, row, 1 + j, "⋮", "fixed")
            return
        tree: Expr | None = None
        where: dict[Axis, int] = {}
        if isinstance(block.source, Stack | Grid) and not too_large(block):
            tree, where = entries(block.source, i, j)
        self.number(name, row, 1 + j, block, block.stored[i, j], tree, where, j)

    def array(self, name: str, panel: Panel, block: Block) -> None:
        """One array formula over the block. The values of its other cells must be written after it."""
        if block in self.blank or too_large(block) or block.stored.size == 0:
            return
        array_formula = self.formula(block, block.source, name, {})
        if array_formula is None:
            return
        first, (n, m), sheet = panel.first, block.stored.shape, self.sheets[name]
        values = np.full((n, m), "", dtype=object) if block in self.guards else block.stored
        style = self.formats["value"]
        sheet.write_array_formula(
            first, 1, first + n - 1, m, "{=" + array_formula.text + "}", style, _cached(plain(values[0, 0]))
        )
        for i, j in np.ndindex(n, m):
            if i or j:
                self.value(name, first + i, 1 + j, plain(values[i, j]), "value")

    # ------------------------------------------------------------------------------------------------------- one number

    def number(
        self,
        name: str,
        row: int,
        column: int,
        cell: Named,
        value: Any,
        tree: Expr | None,
        where: Mapping[Axis, int],
        column_offset: int = 0,
    ) -> bool:
        """Write one number as what it is: left blank, given, worked out. Says whether it is live."""
        value = plain(value)
        if cell in self.blank:
            self.sheets[name].write_blank(row, column, None, self.formats["blank"])
            return True
        if cell.source is None and not self.is_hidden:
            self.value(name, row, column, value, "fixed" if too_large(cell) else "input")
            return True
        live_formula = self.reference(cell, name, where, column_offset) if cell.source is None else None
        if tree is not None:
            live_formula = self.formula(cell, tree, name, where)
        if live_formula is None:
            self.value(name, row, column, value, "fixed")
            return False
        self.live(name, row, column, live_formula, "" if cell in self.guards else value)
        return True

    def reference(self, cell: Named, name: str, where: Mapping[Axis, int], column_offset: int) -> Formula | None:
        """A given number on the hidden sheet: the visible cell that holds it."""
        if cell not in self.places:
            return None
        down = next(iter(where.values()), 0)
        over = column_offset if isinstance(cell, Block) else 0
        return Formula(address(self.places[cell].moved(down, over), name), is_array=False)

    def formula(self, cell: Named, tree: Any, name: str, where: Mapping[Axis, int]) -> Formula | None:
        try:
            cell_formula = formula(tree, self.places, name, where)
        except NotInWorkbookError:
            return None
        if cell in self.guards:  # "" until everything that it needs is filled in
            return Formula(f'IF({self.guards[cell]},"",{cell_formula.text})', cell_formula.is_array)
        return cell_formula

    def live(self, name: str, row: int, column: int, cell_formula: Formula, value: Any, style: str = "value") -> None:
        sheet, cell_format = self.sheets[name], self.formats[style]
        if cell_formula.is_array:
            sheet.write_array_formula(
                row, column, row, column, "{=" + cell_formula.text + "}", cell_format, _cached(value)
            )
        else:
            sheet.write_formula(row, column, "=" + cell_formula.text, cell_format, _cached(value))

    def value(self, name: str, row: int, column: int, value: Any, style: str) -> None:
        """A plain value. Text is always written as text: "=1+1" in a label is no formula."""
        sheet, cell_format = self.sheets[name], self.formats[style]
        if isinstance(value, bool):
            sheet.write_boolean(row, column, value, cell_format)
        elif isinstance(value, int | float) and math.isfinite(value):
            sheet.write_number(row, column, value, cell_format)
        elif isinstance(value, int | float):  # an error runs through the formulas as NaN runs through the numbers
            sheet.write_formula(row, column, "=NA()" if math.isnan(value) else "=1/0", cell_format, _cached(value))
        else:
            self.text(name, row, column, value, style)

    def text(self, name: str, row: int, column: int, text: Any, style: str) -> None:
        self.sheets[name].write_string(row, column, str(text)[:LONGEST_TEXT], self.formats[style])

    # --------------------------------------------------------------------------------------------------------- exercise

    def write_checks(self, checks: Checks) -> None:
        for cell in checks.places:
            floor = rounding(cell)
            for student, true, value in checks.entries(cell):
                position = checks.beside(cell, student)
                cells = address(student, position.sheet), address(true, position.sheet)
                text = check_formula(*cells, value, checks.tolerance, floor)
                self.live(position.sheet, position.row, position.column, Formula(text, is_array=False), "", "check")
            self.color(cell, checks)

    def color(self, cell: Named, checks: Checks) -> None:
        first, rows, columns = checks.places[cell], *checks.shape(cell)
        for word, color in (("right", "#C6EFCE"), ("not yet", "#FFEB9C")):
            rule = {
                "type": "cell",
                "criteria": "==",
                "value": f'"{word}"',
                "format": self.book.add_format({"bg_color": color}),
            }
            self.sheets[first.sheet].conditional_format(
                first.row, first.column, first.row + rows - 1, first.column + columns - 1, rule
            )

    def write_score(self, checks: Checks) -> None:
        """``3 of 5 right``: a hidden sheet counts each blank cell's checks, the first page adds them up."""
        tally = self.book.add_worksheet("Score")
        tally.hide()
        for row, cell in enumerate(checks.places):
            tally.write_formula(row, 0, f'=COUNTIF({checks.span(cell, "Score")},"right")', None, 0)
        page, n = self.plan.first, len(checks.places)
        text = f'SUM(Score!$A$1:$A${n})&" of {checks.count()} right"'
        self.live(page.name, 1, 0, Formula(text, is_array=False), f"0 of {checks.count()} right", "score")


def _cached(value: Any) -> Any:
    """The value that a formula's cell holds until it is worked out again; NaN and infinity are errors there."""
    if isinstance(value, float) and not math.isfinite(value):
        return "#N/A" if math.isnan(value) else "#DIV/0!"
    return value


def _rows_kept(page: Page, is_exercise: bool) -> int:
    """How many rows stay in view: the title, the score, or all down to the numbers of a long table."""
    panels = [panel for *_, step_panels in page.steps for panel in step_panels]
    if panels and panels[0].first <= 12 and len(panels[0].entries) > 25 and len(panels) == 1:
        return panels[0].first
    return 2 if is_exercise and page.lines else 1


def _head_rows(panel: Panel, blank: frozenset[Named]) -> list[tuple[str, list[str]]]:
    """The rows above a column's numbers, those that have nothing to say left out."""
    columns = panel.columns
    rows = [
        ("label", [column.label for column in columns]),
        ("symbol", [column.symbol for column in columns]),
        ("formula", [column.formula for column in columns]),
        ("tick", ["" if column.named in blank else tick(column.named) for column in columns]),
    ]
    return [row for row, is_present in zip(rows, panel.heads, strict=True) if is_present]


def _lines(text: str, style: str) -> int:
    max_width = NUMBER_WIDTH if style == "label" else 1.2 * NUMBER_WIDTH
    return max(1, math.ceil(width(text) / (max_width - 1)))


__all__ = ["layout", "to_excel"]
