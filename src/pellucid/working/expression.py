"""One small language for formulas over cells, columns and matrices.

An expression is a tree. This module builds it and gives its first reading, the value; `notation` reads it as a formula
in symbols or with the numbers put in, `sheet` as the formula of a spreadsheet cell. A function of the language is one
entry of `FUNCTIONS` or `REDUCTIONS` with all its readings side by side.

>>> x = Cell("x", axis=Axis("rows", [1, 2, 3]), value=[2.0, 4.0, 9.0])
>>> mean(x).value, total((x - mean(x)) ** 2).value
(5.0, 26.0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from pellucid.base.errors import PellucidError, sentence
from pellucid.base.types import Array, Floats


class WorkingError(PellucidError, ValueError):
    """A working does not come out at the model's own numbers, or an expression cannot be read."""


@dataclass(frozen=True, eq=False)
class Axis:
    """What the entries of a column stand for: rows of the table, columns, passes of an algorithm."""

    name: str
    labels: Sequence[Any]
    index: str = "i"
    size: str = "n"  # the symbol of its length
    raised: bool = False  # the index is written as a raised (t): passes of an algorithm, not entries of a sample

    def __len__(self) -> int:
        return len(self.labels)


# Which entry of each axis is meant. An axis that is not bound is taken whole.
Where: TypeAlias = Mapping[Axis, int]
NOWHERE: Where = {}


class Expr:
    """Something with a value: a number, or a column of numbers along one axis."""

    axes: frozenset[Axis] = frozenset()
    __array_ufunc__ = None  # NumPy leaves operators to us

    def at(self, where: Where) -> Any:
        """The value with some axes bound to an entry."""
        raise NotImplementedError

    def children(self) -> Sequence[Expr | Matrix]:
        return ()

    @property
    def value(self) -> Any:
        return self.at(NOWHERE)

    def __add__(self, other: Any) -> Expr:
        return Apply("+", (self, expr(other)))

    def __radd__(self, other: Any) -> Expr:
        return Apply("+", (expr(other), self))

    def __sub__(self, other: Any) -> Expr:
        return Apply("-", (self, expr(other)))

    def __rsub__(self, other: Any) -> Expr:
        return Apply("-", (expr(other), self))

    def __mul__(self, other: Any) -> Expr:
        return Apply("*", (self, expr(other)))

    def __rmul__(self, other: Any) -> Expr:
        return Apply("*", (expr(other), self))

    def __truediv__(self, other: Any) -> Expr:
        return Apply("/", (self, expr(other)))

    def __rtruediv__(self, other: Any) -> Expr:
        return Apply("/", (expr(other), self))

    def __pow__(self, other: Any) -> Expr:
        return Apply("^", (self, expr(other)))

    def __rpow__(self, other: Any) -> Expr:
        return Apply("^", (expr(other), self))

    def __neg__(self) -> Expr:
        return Apply("neg", (self,))

    def __lt__(self, other: Any) -> Expr:
        return Apply("<", (self, expr(other)))

    def __le__(self, other: Any) -> Expr:
        return Apply("<=", (self, expr(other)))

    def __gt__(self, other: Any) -> Expr:
        return Apply(">", (self, expr(other)))

    def __ge__(self, other: Any) -> Expr:
        return Apply(">=", (self, expr(other)))


def expr(value: Any) -> Expr:
    """A number, text or flag as an expression; an expression as it is."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return Constant(value)
    raise WorkingError(
        sentence("working", "an expression is made of cells, numbers and text", f"got {type(value).__name__}")
    )


@dataclass(frozen=True, eq=False)
class Constant(Expr):
    """A number or a word that stands in a formula as it is."""

    constant: bool | int | float | str

    def at(self, where: Where) -> Any:
        return self.constant


class Cell(Expr):
    """A named number, or a named column of them: given, or made by an expression."""

    def __init__(
        self,
        name: str,
        source: Expr | None = None,
        *,
        axis: Axis | None = None,
        value: Any = None,
        symbol: str = "",
        label: str = "",
        start: Expr | None = None,
    ) -> None:
        self.name, self.source, self.axis, self.start = name, source, axis, start
        self.symbol, self.label = symbol or rf"\text{{{name}}}", label
        self.axes = frozenset() if axis is None else frozenset([axis])
        self.stored: Any = value if axis is None or value is None else np.asarray(value)
        self.attribute = ""  # the fitted attribute that this cell was found equal to

    def at(self, where: Where) -> Any:
        if self.axis is None or self.axis not in where:
            return self.stored
        return self.stored[where[self.axis]]

    def children(self) -> Sequence[Expr | Matrix]:
        return () if self.source is None else (self.source,)

    def work_out(self) -> None:
        """Fill in the value from the expression: in one go, or entry by entry where it walks along its axis."""
        assert self.source is not None
        if self.axis is None or not _goes_along(self.source, self.axis):
            found = self.source.at(NOWHERE)
        else:
            found = [self.source.at({self.axis: i}) for i in range(len(self.axis))]
        if self.axis is None:
            self.stored = plain(found)
        else:
            self.stored = np.broadcast_to(np.asarray(found), (len(self.axis),)).copy()

    def __repr__(self) -> str:
        return f"Cell({self.name!r})"


def _goes_along(tree: Expr | Matrix, axis: Axis) -> bool:
    """Must a column be worked out entry by entry: does it sum over a second axis, or look back?"""
    if isinstance(tree, Previous):
        return True
    if isinstance(tree, Reduce) and (tree.window is not None or axis in tree.body.axes - {tree.axis}):
        return True
    return not isinstance(tree, Cell | Block) and any(_goes_along(child, axis) for child in tree.children())


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own number."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value


# ------------------------------------------------------------------------------------------------------------ functions


@dataclass(frozen=True)
class Function:
    """One function with its readings: how to compute it, how a spreadsheet writes it, how it is written in a formula.

    ``sheet`` is a template with the arguments' formulas; ``written`` is the kind of notation, see `notation`. A
    spreadsheet evaluates some functions entry by entry only inside an array formula: ``scalar_only``.
    """

    compute: Callable[..., Any]
    sheet: str
    written: str
    scalar_only: bool = False


def _same(a: Any, b: Any) -> Any:
    return np.asarray(a) == np.asarray(b)


def _quiet(compute: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return compute(*args)

    return run


def _counting(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Flags in a sum count as 0 and 1, as in a spreadsheet."""

    def run(*args: Any) -> Any:
        return compute(*(np.asarray(arg, dtype=float) if np.asarray(arg).dtype == bool else arg for arg in args))

    return run


def _rounded(a: Any, digits: Any) -> Any:
    """Halves away from zero, as a spreadsheet rounds."""
    unit = 10.0 ** int(digits)
    return np.sign(a) * np.floor(np.abs(a) * unit + 0.5) / unit


FUNCTIONS: dict[str, Function] = {
    "+": Function(_counting(np.add), "{}+{}", "sum"),
    "-": Function(_counting(np.subtract), "{}-{}", "difference"),
    "*": Function(_counting(np.multiply), "{}*{}", "product"),
    "/": Function(_counting(_quiet(np.divide)), "{}/{}", "fraction"),
    "^": Function(_counting(_quiet(np.float_power)), "{}^{}", "power"),
    "neg": Function(_counting(np.negative), "-{}", "negative"),
    "<": Function(np.less, "{}<{}", "<"),
    "<=": Function(np.less_equal, "{}<={}", "≤"),
    ">": Function(np.greater, "{}>{}", ">"),
    ">=": Function(np.greater_equal, "{}>={}", "≥"),
    "=": Function(_same, "{}={}", "="),
    "if": Function(np.where, "IF({},{},{})", "cases", scalar_only=True),
    "exp": Function(np.exp, "EXP({})", "exponential"),
    "ln": Function(_quiet(np.log), "LN({})", "call ln"),
    "log": Function(_quiet(lambda a, b: np.log(a) / np.log(b)), "LOG({},{})", "logarithm"),
    "sqrt": Function(_quiet(np.sqrt), "SQRT({})", "root"),
    "abs": Function(np.abs, "ABS({})", "bars"),
    "floor": Function(np.floor, "INT({})", "floor"),
    "round": Function(_rounded, "ROUND({},{})", "call round"),
    "sign": Function(np.sign, "SIGN({})", "call sign"),
    "tanh": Function(np.tanh, "TANH({})", "call tanh"),
    "student critical": Function(lambda a, df: stdtrit(df, 1 - np.asarray(a) / 2), "TINV({},{})", "student critical"),
    "student tail": Function(lambda t, df: 2 * stdtr(df, -np.abs(t)), "TDIST(ABS({}),{},2)", "student tail"),
    "normal below": Function(ndtr, "NORMSDIST({})", "call Φ"),
    "normal quantile": Function(ndtri, "NORMSINV({})", "normal quantile"),
    "pi": Function(lambda: np.pi, "PI()", "π"),
}


class Apply(Expr):
    """A function of `FUNCTIONS`, entry by entry."""

    def __init__(self, function: str, args: Sequence[Expr]) -> None:
        self.function, self.args = function, tuple(args)
        self.axes = frozenset().union(*(arg.axes for arg in self.args))

    def at(self, where: Where) -> Any:
        return plain(FUNCTIONS[self.function].compute(*(arg.at(where) for arg in self.args)))

    def children(self) -> Sequence[Expr]:
        return self.args


def equal(a: Any, b: Any) -> Expr:
    """Are the two the same number or word? (`==` compares expressions as objects.)"""
    return Apply("=", (expr(a), expr(b)))


def where(condition: Expr, then: Any, otherwise: Any) -> Expr:
    """``then`` where the condition holds, else ``otherwise``."""
    return Apply("if", (condition, expr(then), expr(otherwise)))


def exp(a: Any) -> Expr:
    return Apply("exp", (expr(a),))


def ln(a: Any) -> Expr:
    """Natural logarithm."""
    return Apply("ln", (expr(a),))


def log(a: Any, base: Any = 10) -> Expr:
    """Logarithm to a base, 10 as in a spreadsheet."""
    return Apply("log", (expr(a), expr(base)))


def sqrt(a: Any) -> Expr:
    return Apply("sqrt", (expr(a),))


def absolute(a: Any) -> Expr:
    return Apply("abs", (expr(a),))


def floor(a: Any) -> Expr:
    """The largest whole number that is not above a."""
    return Apply("floor", (expr(a),))


def rounded(a: Any, digits: int) -> Expr:
    """To so many digits after the point."""
    return Apply("round", (expr(a), expr(digits)))


def sign(a: Any) -> Expr:
    """-1, 0 or 1."""
    return Apply("sign", (expr(a),))


def tanh(a: Any) -> Expr:
    return Apply("tanh", (expr(a),))


def pi() -> Expr:
    return Apply("pi", ())


def student_critical(alpha: Any, df: Any) -> Expr:
    """Two-sided critical value of Student's t: the probability outside -t .. t is alpha."""
    return Apply("student critical", (expr(alpha), expr(df)))


def student_tail(t: Any, df: Any) -> Expr:
    """Two-sided p value: the probability of a value further out than t."""
    return Apply("student tail", (expr(t), expr(df)))


def normal_below(z: Any) -> Expr:
    """The probability that a standard normal number is below z."""
    return Apply("normal below", (expr(z),))


def normal_quantile(probability: Any) -> Expr:
    """The z below which a standard normal number lies with this probability."""
    return Apply("normal quantile", (expr(probability),))


# ----------------------------------------------------------------------------------------------------------- reductions


@dataclass(frozen=True)
class Reduction:
    """A function of a whole column, with its readings. ``sheet`` takes the range and what else it needs."""

    compute: Callable[..., Any]
    sheet: str
    written: str


def _position(compute: Callable[[Any], Any]) -> Callable[[Any], int]:
    return lambda values: int(compute(np.asarray(values))) + 1


def _mode(values: Array) -> Any:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[np.argmax(counts)]


REDUCTIONS: dict[str, Reduction] = {
    "sum": Reduction(np.sum, "SUM({})", "sum"),
    "mean": Reduction(np.mean, "AVERAGE({})", "mean"),
    "count": Reduction(np.size, "ROWS({})", "count"),
    "min": Reduction(np.min, "MIN({})", "list min"),
    "max": Reduction(np.max, "MAX({})", "list max"),
    "standard deviation": Reduction(lambda v: np.std(v, ddof=1), "STDEV({})", "list sd"),
    "variance": Reduction(lambda v: np.var(v, ddof=1), "VAR({})", "list var"),
    "median": Reduction(np.median, "MEDIAN({})", "list median"),
    "argmax": Reduction(_position(np.argmax), "MATCH(MAX({0}),{0},0)", "list arg max"),
    "argmin": Reduction(_position(np.argmin), "MATCH(MIN({0}),{0},0)", "list arg min"),
    "mode": Reduction(_mode, "", "list mode"),
    "nth smallest": Reduction(lambda v, k: np.sort(v)[int(k) - 1], "SMALL({},{})", "smallest"),
}


@dataclass(frozen=True, eq=False)
class Window:
    """Which part of an axis belongs to each entry of another: the rows of a batch, the updates of an epoch.

    Entry t has the entries from ``starts[t]`` to ``starts[t + 1] - 1``, counted from 0.
    """

    of: Axis
    starts: Sequence[int]

    def part(self, where: Where) -> slice:
        return slice(self.starts[where[self.of]], self.starts[where[self.of] + 1])


class Reduce(Expr):
    """A function of `REDUCTIONS` over one axis of an expression, or over the part of it that a window opens."""

    def __init__(
        self,
        function: str,
        body: Any,
        axis: Axis | None = None,
        more: Sequence[Expr] = (),
        window: Window | None = None,
    ) -> None:
        body = expr(body)
        self.function, self.body, self.more, self.window = function, body, tuple(more), window
        self.axis = axis or _only_axis(function, body)
        self.axes = (body.axes - {self.axis}).union(*(item.axes for item in self.more))
        if window is not None:
            self.axes |= {window.of}

    def at(self, where: Where) -> Any:
        inner = {axis: i for axis, i in where.items() if axis is not self.axis}
        for axis in self.body.axes - {self.axis} - inner.keys():  # a second axis: a column of results
            return np.array([self.at({**where, axis: i}) for i in range(len(axis))])
        values = np.broadcast_to(np.asarray(self.body.at(inner)), (len(self.axis),))
        if self.window is not None:
            values = values[self.window.part(where)]
        compute = REDUCTIONS[self.function].compute
        if not self.more:
            return plain(compute(values))
        more = np.broadcast_arrays(*(item.at(where) for item in self.more))
        if more[0].ndim == 0:
            return plain(compute(values, *more))
        return np.array([compute(values, *entry) for entry in zip(*more, strict=True)])

    def children(self) -> Sequence[Expr]:
        return (self.body, *self.more)


def _only_axis(function: str, body: Expr) -> Axis:
    if len(body.axes) != 1:
        raise WorkingError(
            sentence(
                "working", f"{function} needs a column, or to be told over which axis", f"got {len(body.axes)} axes"
            )
        )
    return next(iter(body.axes))


def total(column: Any, over: Axis | None = None, window: Window | None = None) -> Expr:
    """Sum over a column, or over the part of it that a window opens; of a product the spreadsheet's SUMPRODUCT."""
    return Reduce("sum", column, over, window=window)


def mean(column: Any) -> Expr:
    return Reduce("mean", column)


def count(column: Expr) -> Expr:
    """How many entries a column has."""
    return Reduce("count", column)


def least(column: Any) -> Expr:
    return Reduce("min", column)


def greatest(column: Any) -> Expr:
    return Reduce("max", column)


def standard_deviation(column: Any) -> Expr:
    """With divisor n - 1, as a spreadsheet's STDEV."""
    return Reduce("standard deviation", column)


def median(column: Any) -> Expr:
    return Reduce("median", column)


def mode(column: Any) -> Expr:
    """The most frequent value, the smallest of equally frequent ones."""
    return Reduce("mode", column)


def arg_max(column: Any) -> Expr:
    """Position, counted from 1, of the first largest entry."""
    return Reduce("argmax", column)


def arg_min(column: Any) -> Expr:
    """Position, counted from 1, of the first smallest entry."""
    return Reduce("argmin", column)


def nth_smallest(column: Any, k: Any) -> Expr:
    """The entry at place k, counted from 1, of the ordered column."""
    body = expr(column)
    return Reduce("nth smallest", body, _only_axis("nth smallest", body), (expr(k),))


class Dot(Expr):
    """``a_1 b_1 + a_2 b_2 + ...`` of pairs of expressions that stand in different places: coefficients and columns."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs = [(expr(a), expr(b)) for a, b in pairs]
        self.axes = frozenset().union(*(a.axes | b.axes for a, b in self.pairs))

    def at(self, where: Where) -> Any:
        return plain(sum((np.multiply(a.at(where), b.at(where)) for a, b in self.pairs), np.float64(0)))

    def children(self) -> Sequence[Expr]:
        return [side for pair in self.pairs for side in pair]


def dot(left: Iterable[Any], right: Iterable[Any]) -> Expr:
    """Dot product of two lists of expressions."""
    return Dot(zip(left, right, strict=True))


class Rank(Expr):
    """Place of each entry in the ordered column, counted from 1; equal entries share the first of their places."""

    def __init__(self, column: Cell) -> None:
        assert column.axis is not None
        self.body, self.axis, self.axes = column, column.axis, column.axes

    def at(self, where: Where) -> Any:
        ordered = np.sort(self.body.stored)
        return plain(np.searchsorted(ordered, self.body.at(where), side="left") + 1)

    def children(self) -> Sequence[Expr]:
        return (self.body,)


def rank(column: Cell) -> Expr:
    """Place of each entry in the ordered column, counted from 1."""
    return Rank(column)


class Lookup(Expr):
    """The entry of a column at a place, counted from 1, that an expression gives."""

    def __init__(self, column: Cell | ColumnOf, place: Any) -> None:
        self.column, self.place = column, expr(place)
        self.axis = next(iter(column.axes))
        self.axes = self.place.axes

    def at(self, where: Where) -> Any:
        return plain(np.asarray(self.column.value)[np.asarray(self.place.at(where)).astype(int) - 1])

    def children(self) -> Sequence[Expr]:
        return (self.column, self.place)


def look_up(column: Cell | ColumnOf, place: Any) -> Expr:
    """The entry of ``column`` at ``place``, counted from 1."""
    return Lookup(column, place)


class Previous(Expr):
    """The entry before: in pass t the value after pass t - 1, in the first pass the column's start."""

    def __init__(self, column: Cell) -> None:
        assert column.axis is not None
        assert column.start is not None
        self.column, self.axis, self.axes = column, column.axis, column.axes

    def at(self, where: Where) -> Any:
        assert self.column.start is not None
        if self.axis not in where:
            return np.concatenate([[self.column.start.value], self.column.stored[:-1]])
        i = where[self.axis]
        return self.column.start.at(where) if i == 0 else plain(self.column.stored[i - 1])

    def children(self) -> Sequence[Expr]:
        return (self.column, expr(self.column.start))


def previous(column: Cell) -> Expr:
    """The value of a recurring column after the pass before."""
    return Previous(column)


# ------------------------------------------------------------------------------------------------------------- matrices


class Matrix:
    """A matrix-valued expression."""

    rows: Axis
    columns: Axis

    @property
    def value(self) -> Floats:
        raise NotImplementedError

    def children(self) -> Sequence[Expr | Matrix]:
        return ()

    def __matmul__(self, other: Matrix) -> Matrix:
        return MatMul(self, other)

    @property
    def T(self) -> Matrix:  # noqa: N802
        """Transposed."""
        return Transpose(self)

    def __getitem__(self, place: tuple[int, int]) -> Expr:
        return Entry(self, *place)


class Block(Matrix):
    """A named matrix: given, or made by an expression."""

    def __init__(
        self,
        name: str,
        source: Matrix | None = None,
        *,
        rows: Axis,
        columns: Axis,
        value: Any = None,
        symbol: str = "",
        label: str = "",
    ) -> None:
        self.name, self.source, self.rows, self.columns = name, source, rows, columns
        self.symbol, self.label = symbol or rf"\text{{{name}}}", label
        self.stored = np.asarray(value) if source is None else source.value
        self.attribute = ""

    @property
    def value(self) -> Floats:
        return self.stored

    def column(self, j: int, symbol: str = "") -> ColumnOf:
        """One of its columns, to be used in formulas."""
        return ColumnOf(self, j, symbol or rf"{self.symbol.lower()}_{{{j + 1}}}")

    def children(self) -> Sequence[Expr | Matrix]:
        return () if self.source is None else (self.source,)

    def __repr__(self) -> str:
        return f"Block({self.name!r})"


class ColumnOf(Expr):
    """Column j of a named matrix."""

    def __init__(self, block: Block, j: int, symbol: str) -> None:
        self.block, self.j, self.symbol, self.axis = block, j, symbol, block.rows
        self.axes = frozenset([block.rows])

    def at(self, where: Where) -> Any:
        values = self.block.stored[:, self.j]
        return plain(values[where[self.axis]]) if self.axis in where else values

    def children(self) -> Sequence[Expr | Matrix]:
        return (self.block,)


class Entry(Expr):
    """One number of a matrix."""

    def __init__(self, matrix: Matrix, row: int, column: int) -> None:
        self.matrix, self.row, self.column = matrix, row, column

    def at(self, where: Where) -> Any:
        return plain(self.matrix.value[self.row, self.column])

    def children(self) -> Sequence[Expr | Matrix]:
        return (self.matrix,)


ONE = Axis("", [""])


class Vector(Matrix):
    """A column as a matrix of one column."""

    def __init__(self, column: Cell | ColumnOf) -> None:
        self.column = column
        self.rows, self.columns = next(iter(column.axes)), ONE

    @property
    def value(self) -> Floats:
        return np.asarray(self.column.value, dtype=np.float64)[:, None]

    def children(self) -> Sequence[Expr | Matrix]:
        return (self.column,)


class Stack(Matrix):
    """Expressions side by side, as the columns of a matrix."""

    def __init__(self, items: Sequence[Any], rows: Axis, columns: Axis) -> None:
        self.items, self.rows, self.columns = [expr(item) for item in items], rows, columns
        if any(item.axes - {rows} for item in self.items):
            raise WorkingError(sentence("working", f"the columns of a matrix run along its rows, {rows.name!r}"))

    @property
    def value(self) -> Floats:
        wide = [np.broadcast_to(np.asarray(item.value, dtype=np.float64), (len(self.rows),)) for item in self.items]
        return np.column_stack(wide)

    def children(self) -> Sequence[Expr | Matrix]:
        return self.items


class Grid(Matrix):
    """A matrix of single expressions, row by row."""

    def __init__(self, entries: Sequence[Sequence[Any]], rows: Axis, columns: Axis) -> None:
        self.entries, self.rows, self.columns = [[expr(item) for item in row] for row in entries], rows, columns
        if any(item.axes for row in self.entries for item in row):
            raise WorkingError(sentence("working", "the entries of a grid are single numbers"))

    @property
    def value(self) -> Floats:
        return np.array([[item.value for item in row] for row in self.entries], dtype=np.float64)

    def children(self) -> Sequence[Expr | Matrix]:
        return [item for row in self.entries for item in row]


class Transpose(Matrix):
    """Rows and columns exchanged."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix, self.rows, self.columns = matrix, matrix.columns, matrix.rows

    @property
    def value(self) -> Floats:
        return self.matrix.value.T

    def children(self) -> Sequence[Expr | Matrix]:
        return (self.matrix,)


class MatMul(Matrix):
    """Matrix product."""

    def __init__(self, left: Matrix, right: Matrix) -> None:
        self.left, self.right, self.rows, self.columns = left, right, left.rows, right.columns

    @property
    def value(self) -> Floats:
        return self.left.value @ self.right.value

    def children(self) -> Sequence[Expr | Matrix]:
        return (self.left, self.right)


class Inverse(Matrix):
    """Inverse of a square matrix."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix, self.rows, self.columns = matrix, matrix.columns, matrix.rows

    @property
    def value(self) -> Floats:
        return np.asarray(np.linalg.inv(self.matrix.value))

    def children(self) -> Sequence[Expr | Matrix]:
        return (self.matrix,)


Node: TypeAlias = Expr | Matrix
Named: TypeAlias = Cell | Block


def named_in(tree: Node) -> Iterator[Named]:
    """The named cells and matrices that a formula refers to, each as often as it does."""
    for child in tree.children():
        if isinstance(child, Cell | Block):
            yield child
        else:
            yield from named_in(child)
