"""The fourth reading of an expression: the formula of a spreadsheet cell, which refers to the other cells.

Only functions are used that Excel and LibreOffice share and that need no dynamic arrays. Where a function must see a
whole column of intermediate results, the formula is an array formula, entered with Ctrl+Shift+Enter in both programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pellucid.working.expression import (
    FUNCTIONS,
    REDUCTIONS,
    Apply,
    Axis,
    Block,
    Cell,
    ColumnOf,
    Constant,
    Dot,
    Entry,
    Expr,
    Grid,
    Inverse,
    Lookup,
    MatMul,
    Matrix,
    Named,
    Node,
    Previous,
    Rank,
    Reduce,
    Stack,
    Transpose,
    Vector,
    WorkingError,
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


class NotInWorkbook(WorkingError):  # noqa: N818
    """The formula refers to rows that were left out of the workbook."""


def letters(column: int) -> str:
    """
    >>> letters(0), letters(25), letters(26), letters(702)
    ('A', 'Z', 'AA', 'AAA')
    """
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def address(place: Place, here: str, fixed: bool = True) -> str:
    """``$B$3``, with the sheet's name in front if it is another one; ``B3`` for an entry that moves with its row."""
    mark = "$" if fixed else ""
    return _sheet(place.sheet, here) + f"{mark}{letters(place.column)}{mark}{place.row + 1}"


def _sheet(sheet: str, here: str) -> str:
    return "" if sheet == here else "'" + sheet.replace("'", "''") + "'!"


@dataclass
class Writer:
    """Writes formulas for the cells of one sheet."""

    places: Mapping[Named, Place]
    here: str
    where: dict[Axis, int] = field(default_factory=dict)
    is_array: bool = False  # set where the formula must be entered as an array formula

    def inner(self, where: dict[Axis, int]) -> Writer:
        return Writer(self.places, self.here, where)

    def text(self, tree: Node, least: int = ANYTHING) -> str:
        found, tightness = WRITERS[type(tree)](self, tree)
        return found if tightness >= least else f"({found})"

    def place(self, named: Named) -> Place:
        if named not in self.places:
            raise NotInWorkbook(f"{named.name} is not in the workbook")
        return self.places[named]

    def span(self, place: Place, rows: int, columns: int) -> str:
        last = f"${letters(place.column + columns - 1)}${place.row + rows}"
        return f"{address(place, self.here)}:{last}"


Found = tuple[str, int]


def _constant(writer: Writer, tree: Constant) -> Found:
    value = tree.constant
    if isinstance(value, bool):
        return ("TRUE()" if value else "FALSE()"), ATOM
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"', ATOM
    return repr(value), ATOM if value >= 0 else SUM


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
    return writer.span(first, len(tree.axis), 1), ATOM


def _whole(writer: Writer, tree: Cell | ColumnOf) -> str:
    """The range of a whole column, also where its axis is bound."""
    assert tree.axis is not None
    return writer.span(_column(tree, writer), len(tree.axis), 1)


def _previous(writer: Writer, tree: Previous) -> Found:
    i = writer.where[tree.axis]
    if i == 0:
        assert tree.column.start is not None
        return writer.text(tree.column.start, ATOM), ATOM
    return address(writer.place(tree.column).moved(down=i - 1), writer.here, fixed=False), ATOM


def _lookup(writer: Writer, tree: Lookup) -> Found:
    return f"INDEX({_whole(writer, tree.column)},{writer.text(tree.place)})", ATOM


def _rank(writer: Writer, tree: Rank) -> Found:
    return f"RANK({writer.text(tree.body)},{_whole(writer, tree.body)},1)", ATOM


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
    if tree.function == "=" and any(isinstance(arg.value, str) or _is_text(arg.value) for arg in tree.args):
        template = "EXACT({},{})"  # in a spreadsheet "A" = "a"
    elif tree.function in INFIX:
        whole, *sides = INFIX[tree.function]
        return template.format(*(writer.text(arg, side) for arg, side in zip(tree.args, sides, strict=True))), whole
    elif tree.function == "neg":
        # A spreadsheet reads -a^2 as (-a)^2: the minus sign stands before one thing only.
        return template.format(writer.text(tree.args[0], ATOM)), SUM
    return template.format(*(writer.text(arg) for arg in tree.args)), ATOM


def _is_text(value: Any) -> bool:
    return getattr(getattr(value, "dtype", None), "kind", "") in "OUT"


def _reduce(writer: Writer, tree: Reduce) -> Found:
    inner = writer.inner({axis: i for axis, i in writer.where.items() if axis is not tree.axis})
    found = _known_sum(inner, tree) if tree.function == "sum" else None
    if found is None:
        plain = isinstance(tree.body, Cell | ColumnOf)
        writer.is_array |= not plain or tree.function == "mode"
        if tree.function == "count" and not plain:
            return str(len(tree.axis)), ATOM
        more = [writer.text(item) for item in tree.more]
        template = REDUCTIONS[tree.function].sheet
        if tree.function == "mode":  # the smallest of the most frequent, which MODE is not
            template = "MIN(IF(COUNTIF({0},{0})=MAX(COUNTIF({0},{0})),{0}))"
        found = template.format(inner.text(tree.body), *more)
    writer.is_array |= inner.is_array
    return found, ATOM


def _known_sum(inner: Writer, tree: Reduce) -> str | None:
    """A sum that a spreadsheet knows by name: of a column, of squares, of products of any expressions."""
    factors = _factors(tree.body)
    columns = [factor for factor in factors if isinstance(factor, Cell | ColumnOf) and tree.axis in factor.axes]
    if len(columns) == len(factors):
        spans = ",".join(inner.text(column) for column in columns)
        return f"SUM({spans})" if len(columns) == 1 else f"SUMPRODUCT({spans})"
    if isinstance(tree.body, Apply) and tree.body.function == "^" and isinstance(tree.body.args[0], Cell | ColumnOf):
        base, exponent = tree.body.args
        if isinstance(exponent, Constant) and exponent.constant == 2:
            return f"SUMSQ({inner.text(base)})"
    if tree.axis not in tree.body.axes or _has_scalar_only(tree.body):
        return None
    return f"SUMPRODUCT({inner.text(tree.body)})"


def _factors(tree: Expr) -> list[Expr]:
    if isinstance(tree, Apply) and tree.function == "*":
        return [factor for arg in tree.args for factor in _factors(arg)]
    return [tree]


def _has_scalar_only(tree: Node) -> bool:
    if isinstance(tree, Cell | ColumnOf | Block):
        return False
    if isinstance(tree, Apply) and FUNCTIONS[tree.function].scalar_only:
        return True
    return any(_has_scalar_only(child) for child in tree.children())


def _dot(writer: Writer, tree: Dot) -> Found:
    products = [f"{writer.text(a, PRODUCT)}*{writer.text(b, POWER)}" for a, b in tree.pairs]
    return "+".join(products) or "0", SUM


def _entry(writer: Writer, tree: Entry) -> Found:
    if isinstance(tree.matrix, Block):
        return address(writer.place(tree.matrix).moved(tree.row, tree.column), writer.here), ATOM
    writer.is_array = True
    return f"INDEX({writer.text(tree.matrix)},{tree.row + 1},{tree.column + 1})", ATOM


def _block(writer: Writer, tree: Block) -> Found:
    return writer.span(writer.place(tree), len(tree.rows), len(tree.columns)), ATOM


def _matrix_function(name: str, *parts: Callable[[Any], Matrix]) -> Callable[[Writer, Any], Found]:
    def write(writer: Writer, tree: Any) -> Found:
        writer.is_array = True
        return f"{name}({','.join(writer.text(part(tree)) for part in parts)})", ATOM

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


def formula(tree: Node, places: Mapping[Named, Place], here: str, where: Mapping[Axis, int] | None = None) -> Formula:
    """The formula of one cell on the sheet ``here``, for one entry where it belongs to a column."""
    writer = Writer(places, here, dict(where or {}))
    text = writer.text(tree)
    return Formula(text, writer.is_array)


def entries(tree: Stack | Grid, i: int, j: int) -> tuple[Expr, dict[Axis, int]]:
    """The expression that makes entry (i, j) of a matrix whose entries have formulas of their own."""
    if isinstance(tree, Stack):
        return tree.items[j], {tree.rows: i}
    return tree.entries[i][j], {}
