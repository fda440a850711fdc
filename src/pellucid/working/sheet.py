"""The fourth reading of an expression: the formula of a spreadsheet cell, which refers to the other cells.

Only functions are used that Excel and LibreOffice share and that need no dynamic arrays. Where a function must see a
whole column of intermediate results, the formula is an array formula, entered with Ctrl+Shift+Enter in both programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.errors import format_message
from pellucid.working.expression import (
    Apply,
    Axis,
    Cell,
    Constant,
    Dot,
    Expr,
    Lookup,
    Previous,
    Rank,
    Reduce,
    WorkingError,
)
from pellucid.working.functions import FUNCTIONS, REDUCTIONS
from pellucid.working.matrix import (
    Block,
    ColumnOf,
    Entry,
    Grid,
    Inverse,
    MatMul,
    Matrix,
    Named,
    Node,
    Stack,
    Transpose,
    Vector,
)

ANYTHING, RELATION, SUM, PRODUCT, POWER, ATOM = range(6)


@dataclass(frozen=True)
class Place:
    """Where the first number of a cell, column or matrix stands; rows and columns are counted from 0."""

    sheet: str
    row: int
    column: int

    def moved(self, down: int = 0, right: int = 0) -> Place:
        return Place(self.sheet, self.row + down, self.column + right)


class NotInWorkbookError(WorkingError):
    """The formula refers to rows that were left out of the workbook, or is not one that a spreadsheet takes."""


LONGEST_FORMULA = 8000  # Excel takes 8192 characters
LONGEST_TEXT = 255  # of one quoted text in a formula


def letters(column: int) -> str:
    """
    >>> letters(0), letters(25), letters(26), letters(702)
    ('A', 'Z', 'AA', 'AAA')
    """
    text = ""
    column += 1
    while column:
        column, remainder = divmod(column - 1, 26)
        text = chr(65 + remainder) + text
    return text


def address(position: Place, here: str, fixed: bool = True) -> str:
    """``$B$3``, with the sheet's name in front if it is another one; ``B3`` for an entry that moves with its row."""
    mark = "$" if fixed else ""
    return _sheet(position.sheet, here) + f"{mark}{letters(position.column)}{mark}{position.row + 1}"


def _sheet(sheet: str, here: str) -> str:
    return "" if sheet == here else "'" + sheet.replace("'", "''") + "'!"


@dataclass
class Writer:
    """Writes formulas for the cells of one sheet."""

    places: Mapping[Named, Place]
    here: str
    where: dict[Axis, int] = field(default_factory=dict)
    windows: dict[Axis, slice] = field(default_factory=dict)  # the part of an axis that a sum runs over
    is_array: bool = False  # set where the formula must be entered as an array formula

    def inner(self, tree: Reduce) -> Writer:
        """For the body of a reduction: its axis is taken whole, or the part that its window opens."""
        where = {axis: i for axis, i in self.where.items() if axis is not tree.axis}
        opened = {} if tree.window is None else {tree.axis: tree.window.part(self.where)}
        return Writer(self.places, self.here, where, self.windows | opened)

    def part(self, axis: Axis) -> slice:
        """The entries that a range along an axis takes in."""
        return self.windows.get(axis, slice(0, len(axis)))

    def text(self, tree: Node, min_tightness: int = ANYTHING) -> str:
        formula_text, tightness = WRITERS[type(tree)](self, tree)
        return formula_text if tightness >= min_tightness else f"({formula_text})"

    def place(self, cell: Named) -> Place:
        if cell not in self.places:
            raise NotInWorkbookError(f"{cell.name} is not in the workbook")
        return self.places[cell]

    def span(self, position: Place, rows: int, columns: int) -> str:
        if rows < 1 or columns < 1:
            raise NotInWorkbookError("a range has at least one cell")
        last = f"${letters(position.column + columns - 1)}${position.row + rows}"
        return f"{address(position, self.here)}:{last}"


Found = tuple[str, int]


def _constant(writer: Writer, tree: Constant) -> Found:
    value = tree.constant
    if isinstance(value, bool):
        return ("TRUE()" if value else "FALSE()"), ATOM
    if isinstance(value, str):
        return _quoted(value)
    if not math.isfinite(value):  # an error runs through everything after it, as NaN does
        return ("NA()", ATOM) if math.isnan(value) else (f"{'-' if value < 0 else ''}1/0", SUM)
    return repr(value).upper(), ATOM if value >= 0 else SUM


def _quoted(text: str) -> Found:
    chunks = [text[i : i + LONGEST_TEXT] for i in range(0, len(text), LONGEST_TEXT)] or [""]
    quoted = ['"' + chunk.replace('"', '""') + '"' for chunk in chunks]
    return "&".join(quoted), ATOM if len(quoted) == 1 else ANYTHING


def _column(tree: Cell | ColumnOf, writer: Writer) -> Place:
    if isinstance(tree, ColumnOf):
        return writer.place(tree.block).moved(right=tree.j)
    return writer.place(tree)


def _cell(writer: Writer, tree: Cell | ColumnOf) -> Found:
    first = _column(tree, writer)
    if tree.axis is None:
        return address(first, writer.here), ATOM
    if tree.axis in writer.where:
        return address(first.moved(down=writer.where[tree.axis]), writer.here, fixed=False), ATOM
    segment = writer.part(tree.axis)
    return writer.span(first.moved(down=segment.start), segment.stop - segment.start, 1), ATOM


def _whole(writer: Writer, tree: Cell | ColumnOf) -> str:
    """The range of a whole column, also where its axis is bound."""
    assert tree.axis is not None
    return writer.span(_column(tree, writer), len(tree.axis), 1)


def _previous(writer: Writer, tree: Previous) -> Found:
    assert tree.column.start is not None
    if tree.axis not in writer.where:
        return _all_previous(writer, tree), ATOM
    i = writer.where[tree.axis]
    if i == 0:
        return writer.text(tree.column.start, ATOM), ATOM
    return address(writer.place(tree.column).moved(down=i - 1), writer.here, fixed=False), ATOM


def _all_previous(writer: Writer, tree: Previous) -> str:
    """The column moved down by one: the start, then all entries but the last."""
    assert tree.column.start is not None
    writer.is_array = True
    first, segment = writer.place(tree.column), writer.part(tree.axis)
    n, from_ = _entries_in(segment), first.moved(down=segment.start)
    before = writer.span(from_.moved(down=-1), n, 1)
    return f"IF(ROW({writer.span(from_, n, 1)})={first.row + 1},{writer.text(tree.column.start)},{before})"


def _lookup(writer: Writer, tree: Lookup) -> Found:
    column = _whole(writer, tree.column)
    if tree.place.axes <= writer.where.keys():
        return f"INDEX({column},{writer.text(tree.place)})", ATOM
    # INDEX gives one entry even where it is asked for many; LOOKUP gives all.
    first = _column(tree.column, writer).row
    return f"LOOKUP({writer.text(tree.place)},ROW({column})-{first},{column})", ATOM


def _rank(writer: Writer, tree: Rank) -> Found:
    return f"RANK({writer.text(tree.body)},{_whole(writer, tree.body)},1)", ATOM


# ------------------------------------------------------------------------------------------------------ kinds of values

COMPARISONS = ("<", "<=", ">", ">=", "=")


def _kind(tree: Node) -> str:
    """``text``, ``flag`` or ``number``: a spreadsheet's sums pass over flags, and its ``=`` takes "A" for "a"."""
    match tree:
        case Constant(constant=value):
            return _kind_of(np.asarray(value).dtype.kind)
        case Cell():
            return _kind_of(np.asarray(tree.stored).dtype.kind)
        case ColumnOf():
            return _kind_of(tree.block.stored.dtype.kind)
        case Apply(function="if"):
            kinds = {_kind(arg) for arg in tree.args[1:]}
            return kinds.pop() if len(kinds) == 1 else "number"
        case Apply():
            return "flag" if tree.function in COMPARISONS else "number"
        case Lookup() | Previous():
            return _kind(tree.column)
        case Reduce(function="mode"):
            return _kind(tree.body)
    return "number"


def _kind_of(letter: str) -> str:
    return "text" if letter in "OUT" else "flag" if letter == "b" else "number"


def _as_number(writer: Writer, tree: Expr, min_tightness: int = ANYTHING) -> str:
    """The formula, with true and false made 1 and 0."""
    return f"1*{writer.text(tree, POWER)}" if _kind(tree) == "flag" else writer.text(tree, min_tightness)


# Function -> tightness of the whole, and what the left and right sides must have.
INFIX = {
    "+": (SUM, SUM, SUM),
    "-": (SUM, SUM, PRODUCT),
    "*": (PRODUCT, PRODUCT, POWER),
    "/": (PRODUCT, PRODUCT, POWER),
    "^": (POWER, ATOM, ATOM),
    "<": (RELATION, SUM, SUM),
    "<=": (RELATION, SUM, SUM),
    ">": (RELATION, SUM, SUM),
    ">=": (RELATION, SUM, SUM),
    "=": (RELATION, SUM, SUM),
}


def _apply(writer: Writer, tree: Apply) -> Found:
    template = FUNCTIONS[tree.function].sheet
    if tree.function in COMPARISONS:
        return _compare(writer, tree, template)
    if tree.function in INFIX:
        tightness, *sides = INFIX[tree.function]
        return template.format(*(writer.text(arg, side) for arg, side in zip(tree.args, sides, strict=True))), tightness
    if tree.function == "neg":
        # A spreadsheet reads -a^2 as (-a)^2: the minus sign stands before one thing only.
        return template.format(writer.text(tree.args[0], ATOM)), SUM
    if tree.function in BETWEEN_DEGREES and _has_fractions(tree.args[1], writer.where):
        template = BETWEEN_DEGREES[tree.function]
    return template.format(*(writer.text(arg) for arg in tree.args)), ATOM


# TINV and TDIST drop the fraction of the degrees of freedom; the beta distribution that they stand for does not.
BETWEEN_DEGREES = {
    "student critical": "SQRT(({1})*(1/BETAINV({0},({1})/2,1/2)-1))",
    "student tail": "BETADIST(({1})/(({1})+({0})^2),({1})/2,1/2)",
}


def _has_fractions(tree: Expr, where: Mapping[Axis, int]) -> bool:
    return bool(np.any(np.asarray(tree.at(where), dtype=np.float64) % 1 != 0))


def _compare(writer: Writer, tree: Apply, template: str) -> Found:
    kinds = [_kind(arg) for arg in tree.args]
    tightness, *sides = INFIX[tree.function]
    if "text" in kinds and tree.function == "=":
        return f"EXACT({','.join(writer.text(arg) for arg in tree.args)})", ATOM  # in a spreadsheet "A" = "a"
    if kinds.count("flag") == 1:  # in Excel TRUE is no number: TRUE=1 is false
        return template.format(
            *(_as_number(writer, arg, side) for arg, side in zip(tree.args, sides, strict=True))
        ), tightness
    return template.format(*(writer.text(arg, side) for arg, side in zip(tree.args, sides, strict=True))), tightness


def _reduce(writer: Writer, tree: Reduce) -> Found:
    inner = writer.inner(tree)
    if tree.axis not in tree.body.axes and tree.function in ("sum", "count"):
        # What is the same in every entry: no range says how many there are.
        formula_text, tightness = _same_everywhere(inner, tree), PRODUCT
    else:
        named_sum = _known_sum(inner, tree) if tree.function == "sum" else None
        formula_text, tightness = named_sum or _over_range(writer, inner, tree), ATOM
    writer.is_array |= inner.is_array
    return formula_text, tightness


def _same_everywhere(inner: Writer, tree: Reduce) -> str:
    n = str(_entries_in(inner.part(tree.axis)))
    return n if tree.function == "count" else f"{n}*{inner.text(tree.body, POWER)}"


def _entries_in(segment: slice) -> int:
    return int(segment.stop - segment.start)


def _over_range(writer: Writer, inner: Writer, tree: Reduce) -> str:
    if tree.function == "count":
        n = _entries_in(inner.part(tree.axis))
        return f"ROWS({inner.text(tree.body)})" if isinstance(tree.body, Cell | ColumnOf) else str(n)
    if tree.function == "mode":
        return _mode(inner, tree)
    body = _as_number(inner, tree.body)
    inner.is_array |= not isinstance(tree.body, Cell | ColumnOf) or body.startswith("1*")
    return REDUCTIONS[tree.function].sheet.format(body, *(writer.text(item) for item in tree.more))


def _mode(inner: Writer, tree: Reduce) -> str:
    """The smallest of the most frequent, which MODE is not. Of text COUNTIF would take "A" for "a" and "*" for all."""
    inner.is_array = True
    body = inner.text(tree.body)
    if isinstance(tree.body, Cell | ColumnOf) and _kind(tree) == "number":
        return f"MIN(IF(COUNTIF({body},{body})=MAX(COUNTIF({body},{body})),{body}))"
    ones_vector = f"ROW($1:${_entries_in(inner.part(tree.axis))})^0"
    same = f"EXACT({body},TRANSPOSE({body}))"
    often = f"MMULT(1*{same},{ones_vector})"
    below = f"MMULT(1*(({body})>TRANSPOSE({body})),{ones_vector})"
    mode_candidates = f"IF({often}=MAX({often}),{below})"
    return f"INDEX({body},MATCH(MIN({mode_candidates}),{mode_candidates},0))"


def _known_sum(inner: Writer, tree: Reduce) -> str | None:
    """A sum that a spreadsheet knows by name: of a column, of squares, of products of any expressions."""
    factors = _factors(tree.body)
    if all(_is_column(factor, tree.axis) for factor in factors):
        spans = ",".join(inner.text(column) for column in factors)
        return f"SUM({spans})" if len(factors) == 1 else f"SUMPRODUCT({spans})"
    if isinstance(tree.body, Apply) and tree.body.function == "^" and _is_column(tree.body.args[0], tree.axis):
        base, exponent = tree.body.args
        if isinstance(exponent, Constant) and exponent.constant == 2:
            return f"SUMSQ({inner.text(base)})"
    if _has_scalar_only(tree.body, inner.where):
        return None
    return f"SUMPRODUCT({_as_number(inner, tree.body)})"


def _is_column(tree: Expr, axis: Axis) -> bool:
    """Is it a range of numbers along the axis? (Sums pass over the flags of a range.)"""
    return isinstance(tree, Cell | ColumnOf) and axis in tree.axes and _kind(tree) == "number"


def _factors(tree: Expr) -> list[Expr]:
    if isinstance(tree, Apply) and tree.function == "*":
        return [factor for arg in tree.args for factor in _factors(arg)]
    return [tree]


def _has_scalar_only(tree: Node, where: Mapping[Axis, int]) -> bool:
    """Does it hold a function that sees a whole column only in an array formula?"""
    if isinstance(tree, Cell | ColumnOf | Block):
        return False
    if isinstance(tree, Apply) and FUNCTIONS[tree.function].scalar_only:
        return True
    if isinstance(tree, Previous):
        return tree.axis not in where
    return any(_has_scalar_only(child, where) for child in tree.children())


def _dot(writer: Writer, tree: Dot) -> Found:
    products = [f"{writer.text(a, PRODUCT)}*{writer.text(b, POWER)}" for a, b in tree.pairs]
    return "+".join(products) or "0", SUM


def _entry(writer: Writer, tree: Entry) -> Found:
    if isinstance(tree.matrix, Block):
        return address(writer.place(tree.matrix).moved(tree.row, tree.column), writer.here), ATOM
    if isinstance(tree.matrix, Stack | Grid):
        item, where = entries(tree.matrix, tree.row, tree.column)
        inner = Writer(writer.places, writer.here, {**writer.where, **where}, writer.windows)
        text = inner.text(item, ATOM)
        writer.is_array |= inner.is_array
        return text, ATOM
    writer.is_array = True
    return f"INDEX({writer.text(tree.matrix)},{tree.row + 1},{tree.column + 1})", ATOM


def _side_by_side(writer: Writer, tree: Stack | Grid) -> Found:
    raise NotInWorkbookError(
        format_message(
            "working",
            "a spreadsheet cannot put columns together inside a formula",
            hint="give the matrix a name with Working.block and use that",
        )
    )


def _block(writer: Writer, tree: Block) -> Found:
    return writer.span(writer.place(tree), len(tree.rows), len(tree.columns)), ATOM


def _matrix_function(name: str, *operands: Callable[[Any], Matrix]) -> Callable[[Writer, Any], Found]:
    def write(writer: Writer, tree: Any) -> Found:
        writer.is_array = True
        return f"{name}({','.join(writer.text(operand(tree)) for operand in operands)})", ATOM

    return write


WRITERS: dict[type, Callable[[Writer, Any], Found]] = {
    Constant: _constant,
    Cell: _cell,
    ColumnOf: _cell,
    Previous: _previous,
    Lookup: _lookup,
    Rank: _rank,
    Apply: _apply,
    Reduce: _reduce,
    Dot: _dot,
    Entry: _entry,
    Block: _block,
    Stack: _side_by_side,
    Grid: _side_by_side,
    Vector: lambda writer, tree: (_whole(writer, tree.column), ATOM),
    Transpose: _matrix_function("TRANSPOSE", lambda tree: tree.matrix),
    MatMul: _matrix_function("MMULT", lambda tree: tree.left, lambda tree: tree.right),
    Inverse: _matrix_function("MINVERSE", lambda tree: tree.matrix),
}


@dataclass(frozen=True)
class Formula:
    """A formula without its equals sign."""

    text: str
    is_array: bool


def formula(
    tree: Node, positions: Mapping[Named, Place], here: str, where: Mapping[Axis, int] | None = None
) -> Formula:
    """The formula of one cell on the sheet ``here``, for one entry where it belongs to a column."""
    writer = Writer(positions, here, dict(where or {}))
    text = writer.text(tree)
    if len(text) > LONGEST_FORMULA:
        raise NotInWorkbookError(
            format_message("working", f"a formula has at most {LONGEST_FORMULA} characters", actual=f"got {len(text)}")
        )
    return Formula(text, writer.is_array)


def entries(tree: Stack | Grid, i: int, j: int) -> tuple[Expr, dict[Axis, int]]:
    """The expression that makes entry (i, j) of a matrix whose entries have formulas of their own."""
    if isinstance(tree, Stack):
        return tree.items[j], {tree.rows: i}
    return tree.entries[i][j], {}
