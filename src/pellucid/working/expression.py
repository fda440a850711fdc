"""One small language for formulas over cells and columns: the tree of an expression, and its first reading, the value.

`notation` reads the same tree as a formula in symbols or with the numbers put in, `sheet` as the formula of a
spreadsheet cell. `language` has the words to write it, `matrix` the same for matrices.

>>> from pellucid.working.language import mean, sum_
>>> x = Cell("x", axis=Axis("rows", [1, 2, 3]), value=[2.0, 4.0, 9.0])
>>> mean(x).value, sum_((x - mean(x)) ** 2).value
(5.0, 26.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pellucid.base.errors import PellucidError, format_message
from pellucid.working.functions import FUNCTIONS, REDUCTIONS

if TYPE_CHECKING:
    from pellucid.working.matrix import ColumnOf, Matrix


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
        raise TypeError(f"{type(self).__name__} must say its value")

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
        format_message(
            "working", "an expression is made of cells, numbers and text", actual=f"got {type(value).__name__}"
        )
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
            values = self.source.at(NOWHERE)
        else:
            values = [self.source.at({self.axis: i}) for i in range(len(self.axis))]
        if self.axis is None:
            self.stored = plain(values)
        else:
            self.stored = np.broadcast_to(np.asarray(values), (len(self.axis),)).copy()

    def __repr__(self) -> str:
        return f"Cell({self.name!r})"


def _goes_along(tree: Expr | Matrix, axis: Axis) -> bool:
    """Must a column be worked out entry by entry: does it sum over a second axis, or look back?"""
    if isinstance(tree, Previous):
        return True
    if isinstance(tree, Reduce) and (tree.window is not None or axis in tree.body.axes - {tree.axis}):
        return True
    return not hasattr(tree, "source") and any(_goes_along(child, axis) for child in tree.children())


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own number."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value


class Apply(Expr):
    """A function of `FUNCTIONS`, entry by entry."""

    def __init__(self, function: str, args: Sequence[Expr]) -> None:
        self.function, self.args = function, tuple(args)
        self.axes = frozenset().union(*(arg.axes for arg in self.args))

    def at(self, where: Where) -> Any:
        return plain(FUNCTIONS[self.function].compute(*(arg.at(where) for arg in self.args)))

    def children(self) -> Sequence[Expr]:
        return self.args


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
        self.axis = axis or only_axis(function, body)
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


def only_axis(function: str, body: Expr) -> Axis:
    if len(body.axes) != 1:
        raise WorkingError(
            format_message(
                "working",
                f"{function} needs a column, or to be told over which axis",
                actual=f"got {len(body.axes)} axes",
            )
        )
    return next(iter(body.axes))


class Dot(Expr):
    """``a_1 b_1 + a_2 b_2 + ...`` of pairs of expressions that stand in different places: coefficients and columns."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs = [(expr(a), expr(b)) for a, b in pairs]
        self.axes = frozenset().union(*(a.axes | b.axes for a, b in self.pairs))

    def at(self, where: Where) -> Any:
        return plain(sum((np.multiply(a.at(where), b.at(where)) for a, b in self.pairs), np.float64(0)))

    def children(self) -> Sequence[Expr]:
        return [side for pair in self.pairs for side in pair]


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
