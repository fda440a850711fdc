"""Matrices in formulas: named ones, products, inverses, and the numbers and columns in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from pellucid.base.errors import format_message
from pellucid.base.types import Floats
from pellucid.working.expression import Axis, Cell, Expr, Where, WorkingError, expr, plain


class Matrix:
    """A matrix-valued expression."""

    rows: Axis
    columns: Axis

    @property
    def value(self) -> Floats:
        raise TypeError(f"{type(self).__name__} must say its value")

    def children(self) -> Sequence[Expr | Matrix]:
        return ()

    def __matmul__(self, other: Matrix) -> Matrix:
        return MatMul(self, other)

    @property
    def T(self) -> Matrix:  # noqa: N802
        """Transposed."""
        return Transpose(self)

    def __getitem__(self, index: tuple[int, int]) -> Expr:
        return Entry(self, *index)


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
            raise WorkingError(format_message("working", f"the columns of a matrix run along its rows, {rows.name!r}"))

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
            raise WorkingError(format_message("working", "the entries of a grid are single numbers"))

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
