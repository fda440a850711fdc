"""The second and third reading of an expression: the formula in symbols, and with the numbers put in.

Both give a tree of boxes, which `printers` writes as Unicode text, LaTeX or MathML.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pellucid.working.boxes import (
    DOTS,
    Array,
    Big,
    Box,
    Cases,
    Fence,
    Fraction,
    Number,
    Power,
    Root,
    Row,
    Sign,
    Symbol,
    Word,
    indexed,
    number,
    symbol,
)
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
    Node,
    Stack,
    Transpose,
    Vector,
)

# How tightly parts hold together: a part that holds less tightly than its place asks for is put in brackets.
RELATION, SUM, PRODUCT, NEGATIVE, POWER, ATOM = range(6)


Piece: TypeAlias = tuple[Box, int]


MOST_TERMS = 4  # of a sum written out with its numbers


MOST_ENTRIES = 36  # of a matrix written out


@dataclass(frozen=True)
class Reader:
    """Reads an expression as a formula. ``where`` is empty for symbols; for numbers it says which entries are meant."""

    numbers: bool = False
    digits: int = 6
    where: tuple[tuple[Axis, int], ...] = ()

    def box(self, tree: Node) -> Box:
        return self.piece(tree)[0]

    def within(self, tree: Node, min_tightness: int) -> Box:
        """The tree's box, in brackets if it holds less tightly than ``least``."""
        box, tightness = self.piece(tree)
        return box if tightness >= min_tightness else Fence("(", box, ")")

    def bind(self, axis: Axis, i: int) -> Reader:
        return replace(self, where=(*((a, j) for a, j in self.where if a is not axis), (axis, i)))

    def piece(self, tree: Node) -> Piece:
        return READERS[type(tree)](self, tree)

    def value(self, value: Any) -> Piece:
        box = number(value, self.digits)
        if isinstance(box, Number) and box.mantissa.startswith("−"):
            return box, NEGATIVE
        return box, PRODUCT if isinstance(box, Number) and box.exponent is not None else ATOM


def _constant(reader: Reader, tree: Constant) -> Piece:
    return replace(reader, digits=12).value(tree.constant)


def _cell(reader: Reader, tree: Cell | ColumnOf) -> Piece:
    if reader.numbers:
        return reader.value(tree.at(dict(reader.where)))
    return general(tree), ATOM


def general(cell: Cell | ColumnOf) -> Symbol:
    """A cell's symbol, or that of a column's general entry. The index itself is not indexed."""
    base = symbol(cell.symbol)
    if cell.axis is None or base == Symbol(cell.axis.index):
        return base
    return indexed(base, cell.axis, Word(cell.axis.index))


def _previous(reader: Reader, tree: Previous) -> Piece:
    if reader.numbers:
        return reader.value(tree.at(dict(reader.where)))
    before = Row((Word(tree.axis.index), Sign("−", wide=False), Word("1")))
    return indexed(symbol(tree.column.symbol), tree.axis, before), ATOM


def _lookup(reader: Reader, tree: Lookup) -> Piece:
    if reader.numbers:
        return reader.value(tree.at(dict(reader.where)))
    return indexed(symbol(tree.column.symbol), tree.axis, reader.box(tree.place)), ATOM


def _rank(reader: Reader, tree: Rank) -> Piece:
    if reader.numbers:
        return reader.value(tree.at(dict(reader.where)))
    return call("rank", reader.box(tree.body)), ATOM


def call(name: str, *args: Box) -> Box:
    """``name(a, b)``"""
    arguments: list[Box] = []
    for arg in args:
        arguments += [Sign(",", wide=False), Word(" "), arg] if arguments else [arg]
    return Row((Word(name), Fence("(", Row(tuple(arguments)), ")")))


def _apply(reader: Reader, tree: Apply) -> Piece:
    kind, _, name = FUNCTIONS[tree.function].written.partition(" ")
    if kind == "call":
        return call(name, *(reader.box(arg) for arg in tree.args)), ATOM
    if kind in ("<", "≤", ">", "≥", "="):
        return _infix(reader, tree, kind, RELATION + 1, RELATION + 1), RELATION
    return WRITTEN[FUNCTIONS[tree.function].written](reader, tree)


def _infix(reader: Reader, tree: Apply, sign: str, left_tightness: int, right_tightness: int) -> Box:
    a, b = tree.args
    after = reader.within(b, right_tightness)
    return Row(
        (reader.within(a, left_tightness), Sign(sign), Fence("(", after, ")") if begins_negative(after) else after)
    )


def begins_negative(box: Box) -> bool:
    """Does it begin with a minus sign, which must not follow another operator?"""
    if isinstance(box, Row):
        return bool(box.items) and begins_negative(box.items[0])
    return (isinstance(box, Number) and box.mantissa.startswith("−")) or (isinstance(box, Sign) and box.text == "−")


def _product(reader: Reader, tree: Apply) -> Piece:
    return times(reader, *tree.args), PRODUCT


def times(reader: Reader, a: Expr, b: Expr) -> Box:
    """A product: side by side between symbols and brackets, with a dot beside a word, with a cross before a number."""
    left, right = reader.within(a, PRODUCT), reader.within(b, PRODUCT)
    right = Fence("(", right, ")") if begins_negative(right) else right
    before, after = _end(left, -1), _end(right, 0)
    bracketed = isinstance(before, Fence) or isinstance(after, Fence)
    if isinstance(after, Number) or (reader.numbers and not bracketed) or _negative_number(after):
        sign = Sign("×")
    elif any(isinstance(end, Word | Fraction) or (isinstance(end, Symbol) and end.upright) for end in (before, after)):
        sign = Sign("·")
    else:
        sign = Sign("", wide=False)
    return Row((left, sign, right))


def _end(box: Box, at: int) -> Box:
    """The box that stands at the beginning or end of a row."""
    return _end(box.items[at], at) if isinstance(box, Row) and box.items else box


def _negative_number(box: Box) -> bool:
    return isinstance(box, Fence) and isinstance(box.body, Number)


def _fraction(reader: Reader, tree: Apply) -> Piece:
    return Fraction(reader.box(tree.args[0]), reader.box(tree.args[1])), PRODUCT


def _power(reader: Reader, tree: Apply) -> Piece:
    base, exponent = tree.args
    return Power(reader.within(base, ATOM), reader.box(exponent)), POWER


def _negative(reader: Reader, tree: Apply) -> Piece:
    inside = reader.within(tree.args[0], PRODUCT)
    return Row((Sign("−", wide=False), Fence("(", inside, ")") if begins_negative(inside) else inside)), NEGATIVE


def _cases(reader: Reader, tree: Apply) -> Piece:
    if reader.numbers:  # with numbers the condition is known: only the branch taken is written out
        branch = tree.args[1] if tree.args[0].at(dict(reader.where)) else tree.args[2]
        return reader.piece(branch)
    condition, then, otherwise = (reader.box(arg) for arg in tree.args)
    return Cases(condition, then, otherwise), RELATION


def _logarithm(reader: Reader, tree: Apply) -> Piece:
    base = reader.box(tree.args[1])
    return Row((Symbol("log", upright=True, sub=base), Fence("(", reader.box(tree.args[0]), ")"))), ATOM


def _student(reader: Reader, tree: Apply) -> Piece:
    alpha, df = (reader.box(arg) for arg in tree.args)
    order = Row((Word("1−"), alpha, Word("/2")))
    return Row((Symbol("t", sub=order), Fence("(", df, ")"))), ATOM


def _student_tail(reader: Reader, tree: Apply) -> Piece:
    t, df = (reader.box(arg) for arg in tree.args)
    inside = Row((Symbol("T", sub=df), Sign(">"), Fence("|", t, "|")))
    return Row((Word("2"), Sign("", wide=False), call("P", inside))), PRODUCT


def _tail(name: str) -> Callable[[Reader, Apply], Piece]:
    """The probability that a number with degrees of freedom is above another: P(F_{1, 8} > f)."""

    def write(reader: Reader, tree: Apply) -> Piece:
        value, *degrees = (reader.box(arg) for arg in tree.args)
        sub = Row(tuple(box for df in degrees for box in (Sign(",", wide=False), df))[1:])
        return call("P", Row((Symbol(name, sub=sub), Sign(">"), value))), ATOM

    return write


WRITTEN: dict[str, Callable[[Reader, Apply], Piece]] = {
    "sum": lambda reader, tree: (_infix(reader, tree, "+", SUM, SUM), SUM),
    "difference": lambda reader, tree: (_infix(reader, tree, "−", SUM, SUM + 1), SUM),
    "product": _product,
    "fraction": _fraction,
    "power": _power,
    "negative": _negative,
    "cases": _cases,
    "exponential": lambda reader, tree: (Power(Symbol("e", upright=True), reader.box(tree.args[0])), POWER),
    "logarithm": _logarithm,
    "root": lambda reader, tree: (Root(reader.box(tree.args[0])), ATOM),
    "floor": lambda reader, tree: (Fence("⌊", reader.box(tree.args[0]), "⌋"), ATOM),
    "bars": lambda reader, tree: (Fence("|", reader.box(tree.args[0]), "|"), ATOM),
    "student critical": _student,
    "student tail": _student_tail,
    "chi-squared tail": _tail("χ²"),
    "F tail": _tail("F"),
    "normal quantile": lambda reader, tree: (
        Row((Power(Symbol("Φ"), Number("−1")), Fence("(", reader.box(tree.args[0]), ")"))),
        ATOM,
    ),
    "π": lambda reader, tree: (Symbol("π"), ATOM),
}


def listed(
    reader: Reader, axis: Axis, entry: Callable[[int], Box], between: Sequence[Box], segment: slice | None = None
) -> Box:
    """Entries 1, 2, ..., n with something between them; the middle of a long list is left out."""
    n, first = (len(axis), 0) if segment is None else (segment.stop - segment.start, segment.start)
    indices = list(range(n)) if n <= MOST_TERMS else [0, 1, -1, n - 1]
    items: list[Box] = []
    for i in indices:
        items += between if items else ()
        term = DOTS if i < 0 else entry(first + i)
        negative = Sign("+") in between and begins_negative(term)
        items.append(Fence("(", term, ")") if items and negative else term)
    return Row(tuple(items))


def _reduce(reader: Reader, tree: Reduce) -> Piece:
    kind, _, name = REDUCTIONS[tree.function].written.partition(" ")
    if kind == "count":
        return (number(len(tree.axis)), ATOM) if reader.numbers else (symbol(tree.axis.size), ATOM)
    if kind in ("sum", "mean"):
        return _sum(reader, tree, kind == "mean")
    if kind == "smallest":
        if reader.numbers:
            return reader.value(tree.at(dict(reader.where)))
        base, order = reader.box(tree.body), reader.box(tree.more[0])
        bare = replace(base, sub=Fence("(", order, ")")) if isinstance(base, Symbol) else call("smallest", base, order)
        return bare, ATOM
    if not reader.numbers:
        return call(name, reader.box(tree.body)), ATOM
    comma = (Sign(",", wide=False), Word(" "))
    inside = listed(reader, tree.axis, lambda i: reader.bind(tree.axis, i).box(tree.body), comma)
    return Row((Word(name), Fence("(", inside, ")"))), ATOM


def _sum(reader: Reader, tree: Reduce, divided: bool) -> Piece:
    axis, segment = tree.axis, None
    if reader.numbers:
        if tree.window is not None:
            segment = tree.window.part(dict(reader.where))
        first, n = (0, len(axis)) if segment is None else (segment.start, segment.stop - segment.start)
        above = listed(reader, axis, lambda i: reader.bind(axis, i).within(tree.body, SUM + 1), (Sign("+"),), segment)
        below: Box = number(n)
        tightness = reader.bind(axis, first).piece(tree.body)[1] if n == 1 else SUM
    else:
        inside = f"{axis.index} in {tree.window.of.name} {tree.window.of.index}" if tree.window else axis.index
        above, tightness = Big("∑", inside, reader.within(tree.body, PRODUCT)), PRODUCT
        below = symbol(axis.size)
    return (Fraction(above, below), PRODUCT) if divided else (above, tightness)


def _dot(reader: Reader, tree: Dot) -> Piece:
    axis = Axis("", range(len(tree.pairs)))
    written = listed(reader, axis, lambda i: times(reader, *tree.pairs[i]), (Sign("+"),))
    return written, SUM if len(tree.pairs) > 1 else PRODUCT


def _entry(reader: Reader, tree: Entry) -> Piece:
    if reader.numbers:
        return reader.value(tree.at({}))
    subscript = Word(f"{tree.row + 1}{tree.column + 1}" if len(tree.matrix.columns) > 1 else f"{tree.row + 1}")
    inner = reader.box(tree.matrix)
    if isinstance(inner, Symbol):
        return replace(inner, sub=subscript if inner.sub is None else Row((inner.sub, Word(","), subscript))), ATOM
    return Row((Fence("(", inner, ")"), Symbol("", sub=subscript))), ATOM


def _array(reader: Reader, tree: Matrix) -> Piece:
    """All entries, where they are few enough to be read."""
    values = tree.value
    if values.size > MOST_ENTRIES:
        raise TooMuchToShowError
    rows = tuple(tuple(number(entry, reader.digits) for entry in row) for row in values)
    return Array(rows), ATOM


class TooMuchToShowError(WorkingError):
    """The numbers put in would fill the page: the reader is shown the result alone."""


def _block(reader: Reader, tree: Block) -> Piece:
    return _array(reader, tree) if reader.numbers else (symbol(tree.symbol), ATOM)


def _vector(reader: Reader, tree: Vector) -> Piece:
    return _array(reader, tree) if reader.numbers else (symbol(tree.column.symbol), ATOM)


def _transpose(reader: Reader, tree: Transpose) -> Piece:
    if reader.numbers:
        return _array(reader, tree)
    return Power(reader.within(tree.matrix, ATOM), Symbol("T", upright=True)), POWER


def _matmul(reader: Reader, tree: MatMul) -> Piece:
    left, right = reader.within(tree.left, PRODUCT), reader.within(tree.right, PRODUCT)
    return Row((left, Sign("", wide=False), right)), PRODUCT


def _inverse(reader: Reader, tree: Inverse) -> Piece:
    return Power(reader.within(tree.matrix, ATOM), Number("−1")), POWER


def _stack(reader: Reader, tree: Stack) -> Piece:
    if reader.numbers:
        return _array(reader, tree)
    comma = (Sign(",", wide=False), Word(" "))
    axis = Axis("", range(len(tree.items)))
    return Fence("[", listed(reader, axis, lambda j: reader.box(tree.items[j]), comma), "]"), ATOM


def _grid(reader: Reader, tree: Grid) -> Piece:
    if len(tree.rows) * len(tree.columns) > MOST_ENTRIES:
        if reader.numbers:
            raise TooMuchToShowError
        return Fence("[", Row((reader.box(tree.entries[0][0]), Sign(",", wide=False), Word(" "), DOTS)), "]"), ATOM
    return Array(tuple(tuple(reader.box(item) for item in row) for row in tree.entries)), ATOM


READERS: dict[type, Callable[[Reader, Any], Piece]] = {
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
    Vector: _vector,
    Transpose: _transpose,
    MatMul: _matmul,
    Inverse: _inverse,
    Stack: _stack,
    Grid: _grid,
}


def left_side(cell: Cell | Block) -> Box:
    """The symbol of a cell, of a column's general entry, or of a matrix."""
    return general(cell) if isinstance(cell, Cell) else symbol(cell.symbol)


def of_entry(cell: Cell, i: int) -> Symbol:
    """The symbol of one entry of a column."""
    assert cell.axis is not None
    return indexed(symbol(cell.symbol), cell.axis, Word(str(cell.axis.labels[i])))


def in_symbols(cell: Cell | Block) -> Box | None:
    """``name = formula``; None for what is given."""
    if cell.source is None:
        return None
    formula, lhs = Reader().box(cell.source), left_side(cell)
    if formula == lhs and isinstance(cell.source, Reduce):  # n = n says nothing
        formula = call("count", Reader().box(cell.source.body))
    return Row((lhs, Sign("="), formula))


def with_numbers(cell: Cell | Block, entry: int | None = None, digits: int = 6) -> Box | None:
    """The formula with the numbers put in, and the result; of a column for one entry. None where nothing is to show."""
    if cell.source is None:
        return None
    reader, result = Reader(numbers=True, digits=digits), number(0)
    if isinstance(cell, Block):
        try:
            formula, result = reader.box(cell.source), _array(reader, cell)[0]
            if formula == result:
                return None  # numbers put side by side: the table shows them
        except TooMuchToShowError:
            return None
        return Row((left_side(cell), Sign("="), formula, Sign("="), result))
    base: Box = symbol(cell.symbol)
    if cell.axis is not None:
        if len(cell.axis) == 0:
            return None
        at = entry or 0
        reader = reader.bind(cell.axis, at)
        base, result = (
            indexed(symbol(cell.symbol), cell.axis, Word(str(cell.axis.labels[at]))),
            number(cell.stored[at], digits),
        )
    else:
        result = number(cell.stored, digits)
    formula = reader.box(cell.source)
    if formula == result:
        return Row((base, Sign("="), result))
    return Row((base, Sign("="), formula, Sign("="), result))
