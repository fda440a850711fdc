"""What the workings of the discriminants share: classes, priors, means, deviations, and the answer of a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import format_message
from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, WorkingError
from pellucid.working.language import arg_max, count, dot, equal, exp, ln, lookup, max_, sum_, where
from pellucid.working.matrix import Block, ColumnOf, Grid
from pellucid.working.model import Working

# Beyond so many columns or classes the matrices are too large to read.
MOST_COLUMNS = 4
MOST_CLASSES = 6
# Means are laid out for more columns than matrices are.
MOST_MEANS = 40
MOST_PREDICTIONS = 20
# Beyond this condition an inverse in a spreadsheet's digits is not the model's.
MOST_CONDITION = 1e8
SIDE = Axis("", [""])


def added(terms: list[Any]) -> Any:
    return reduce(add, terms)


def class_axis(model: Any) -> Axis:
    return Axis("class", [str(label) for label in model.classes_.tolist()], "k", "K")


def labels_of(w: Working, model: Any, axis: Axis) -> Cell:
    classes = model.classes_ if model.classes_.dtype.kind in "OUT" else model.classes_.astype(np.float64)
    return w.given("class", classes, axis, symbol="c", label="class")


@dataclass
class Classes:
    """The rows of a fit with their classes, as they stand on the page."""

    w: Working
    model: Any
    data: Given
    axis: Axis
    x: list[Cell | ColumnOf] = field(default_factory=list)
    weight: Cell | None = None
    inside: list[Cell] = field(default_factory=list)  # 1 for rows of class k
    sizes: list[Expr] = field(default_factory=list)
    priors: list[Expr] = field(default_factory=list)
    means: Block | None = None
    apart: list[Cell] = field(default_factory=list)  # column j less the mean of the row's class

    @classmethod
    def read(cls, w: Working, model: Any, data: Given) -> Classes:
        """Begin the working with the data of the fit: classes, priors, means."""
        training_labels = set(np.asarray(data.y).tolist())
        if len(model.classes_) != len(model.priors_) or any(
            label not in training_labels for label in model.classes_.tolist()
        ):
            requirement, actual = (
                "the working needs the data of the fit",
                "fitted on these, the model has another classes_",
            )
            hint = "pass the X, y and sample_weight that the model was fitted on"
            raise WorkingError(format_message(type(model).__name__, requirement, actual=actual, hint=hint))
        rows = cls(w, model, data, class_axis(model))
        rows._data()
        rows._shares()
        rows._means()
        return rows

    @property
    def is_short(self) -> bool:
        return len(self.data.names) <= MOST_COLUMNS and len(self.model.classes_) <= MOST_CLASSES

    def _data(self) -> None:
        w, data = self.w, self.data
        w.step("Data", "The rows that the model was fitted on.")
        if len(data.names) == 1:
            self.x = [w.given("x", data.X[:, 0], data.row_axis, symbol="x", label=data.names[0])]
        elif len(data.names) <= MOST_MEANS:
            block = w.block("X", data.X, data.row_axis, data.column_axis, symbol="X")
            self.x = [block.column(j, f"x_{{{j + 1}}}") for j in range(len(data.names))]
        labels = np.asarray(data.y)
        w.given(
            "label",
            labels if labels.dtype.kind in "OUT" else labels.astype(np.float64),
            data.row_axis,
            symbol="y",
            label="class",
        )
        if data.weight is not None:
            self.weight = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")

    def _shares(self) -> None:
        """How many rows each class has, and its prior."""
        w, model = self.w, self.model
        w.step("Classes", "Which rows belong to each class.")
        label = w.cells["label"]
        assert isinstance(label, Cell)
        for k, name in enumerate(model.classes_.tolist()):
            class_value = str(name) if model.classes_.dtype.kind in "OUT" else float(name)
            mark, text = f"t_{{{k + 1}}}", f"is it {name}?"
            self.inside.append(w.cell(f"is_{k + 1}", where(equal(label, class_value), 1, 0), symbol=mark, label=text))
        number = "How many rows each class has" if self.weight is None else "The sum of the weights of each class"
        has_priors = model.priors is not None
        words = "the prior is given" if has_priors else "its share of all rows: the prior"
        w.step("Priors", f"{number}; {words}.")
        labels_of(w, model, self.axis)
        sizes = Grid([[self.total(indicator)] for indicator in self.inside], self.axis, SIDE)
        n = w.block("rows", sizes, symbol="r", label="rows of the class")
        self.sizes = [n[k, 0] for k in range(len(self.inside))]
        if has_priors:
            P = w.block("prior", model.priors_[:, None], self.axis, SIDE, symbol="P", label="prior")
        else:
            size = w.cell("n", self.size, symbol="N", label="all rows")
            shares = Grid([[indicator / size] for indicator in self.sizes], self.axis, SIDE)
            P = w.block("prior", shares, symbol="P", label="prior", equals=model.priors_[:, None], attribute="priors_")
        self.priors = [P[k, 0] for k in range(len(self.inside))]

    def _means(self) -> None:
        w, model, data = self.w, self.model, self.data
        w.step("Means", "Of every column within each class: the sum over its rows by their number.")
        if len(data.names) > MOST_MEANS:
            w.note(f"{counted(len(data.names), 'column')}: means and covariances are not laid out.")
            w.block("means", model.means_, self.axis, data.column_axis, symbol="M", label="means, as found")
            return
        grid = [[self.total(indicator * x) / self.sizes[k] for x in self.x] for k, indicator in enumerate(self.inside)]
        self.means = w.block(
            "means",
            Grid(grid, self.axis, data.column_axis),
            symbol="M",
            label="means",
            equals=model.means_,
            attribute="means_",
            scale=float(np.abs(data.X).max(initial=0.0)),
        )

    # --------------------------------------------------------------------------------------------------------- formulas

    @property
    def size(self) -> Expr:
        label = self.w.cells["label"]
        assert isinstance(label, Cell)
        return count(label) if self.weight is None else sum_(self.weight)

    def total(self, column: Expr) -> Expr:
        return sum_(column if self.weight is None else self.weight * column, self.data.row_axis)

    def deviations(self) -> None:
        """Every column less the mean of the row's own class."""
        w, M = self.w, self.means
        assert M is not None
        w.step("Deviations", "How far each row lies from the mean of its class.")
        for j, x in enumerate(self.x):
            class_mean = dot(self.inside, [M[k, j] for k in range(len(self.inside))])
            mark = "d" if len(self.x) == 1 else f"d_{{{j + 1}}}"
            label = f"{self.data.names[j]} less the mean of its class"
            self.apart.append(w.cell(f"d_{j + 1}", x - class_mean, symbol=mark, label=label))

    def scatter(self, name: str, symbol: str, label: str, of: Cell | None = None) -> Block:
        """Sums of squares and products of the deviations, over all rows or those of one class."""
        d, axis = self.apart, self.data.column_axis

        def entry(i: int, j: int) -> Expr:
            product = d[i] ** 2 if i == j else d[i] * d[j]
            return self.total(product if of is None else of * product)

        p = len(d)
        return self.w.block(name, Grid([[entry(i, j) for j in range(p)] for i in range(p)], axis, axis), symbol=symbol,
                            label=label)  # fmt: skip

    def grid(self, entry: Any) -> Grid:
        """A p x p matrix from entry(i, j)."""
        p, axis = len(self.data.names), self.data.column_axis
        return Grid([[entry(i, j) for j in range(p)] for i in range(p)], axis, axis)


def log_determinant(w: Working, S: Block, name: str, symbol: str, label: str) -> Cell:
    """ln of the determinant: the logarithms of the pivots of elimination, added up."""
    p, axis = len(S.rows), S.rows
    if p == 1:
        return w.cell(name, ln(S[0, 0]), symbol=symbol, label=label)
    if p == 2:
        return w.cell(name, ln(S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]), symbol=symbol, label=label)
    pivots, reduced = [S[0, 0]], S
    for step in range(1, p):
        rest_axis = Axis(axis.name, list(axis.labels)[step:], axis.index, axis.size)
        entries = [
            [reduced[i, j] - reduced[i, 0] * reduced[0, j] / reduced[0, 0] for j in range(1, p - step + 1)]
            for i in range(1, p - step + 1)
        ]
        reduced = w.block(f"{name}_left_{step}", Grid(entries, rest_axis, rest_axis), symbol=f"{S.symbol}^{{({step})}}",
                          label="what the columns before leave")  # fmt: skip
        pivots.append(reduced[0, 0])
    return w.cell(name, added([ln(pivot) for pivot in pivots]), symbol=symbol, label=label)


def values_of_rows(rows: Classes, D: list[Expr]) -> None:
    """The discriminant functions of every row, and the class of the largest."""
    w, model, data = rows.w, rows.model, rows.data
    expected = np.asarray(model.discriminant_values(data.table), dtype=np.float64)
    size = float(np.abs(expected[np.isfinite(expected)]).max(initial=1.0))
    single = bool(getattr(model, "_lines_", None)) and np.asarray(model.discriminant_values(data.table)).dtype != float
    cells = [
        w.cell(
            f"D_{k + 1}",
            value,
            symbol=f"D_{{{k + 1}}}",
            label=f"discriminant of {model.classes_[k]}",
            equals=expected[:, k],
            attribute=f"discriminant_values(X)[:, {k}]",
            tolerance=1e-4 if single else 1e-7,
            scale=size,
        )
        for k, value in enumerate(D)
    ]
    w.step("Predictions", "The class with the largest discriminant; the first of equals.")
    best, top = where(cells[1] > cells[0], 2, 1), where(cells[1] > cells[0], cells[1], cells[0])
    for k in range(2, len(cells)):
        mark = w.cell(f"top_{k}", top, symbol=f"b_{{{k}}}", label="largest so far")
        best_so_far = w.cell(f"place_{k}", best, symbol=f"k_{{{k}}}", label="its class's number")
        best, top = where(cells[k] > mark, k + 1, best_so_far), where(cells[k] > mark, cells[k], mark)
    code = w.cell("code", best, symbol=r"\hat{k}", label="number of the class")
    class_cell = w.cells["class"]
    assert isinstance(class_cell, Cell)
    predicted = np.asarray(model.predict(data.table))
    w.cell("predicted", lookup(class_cell, code), symbol=r"\hat{y}", label="predicted class",
           equals=predicted if predicted.dtype.kind in "OUT" else predicted.astype(np.float64),
           attribute="predict(X)")  # fmt: skip


def as_found(rows: Classes, why: str) -> None:
    """The discriminants as the model has them, where their formulas are not laid out."""
    w, model, data = rows.w, rows.model, rows.data
    w.note(why)
    w.step("Discriminants", "As the model has them; the largest of a row decides.")
    values = np.asarray(model.discriminant_values(data.table), dtype=np.float64)
    w.block("D", values, data.row_axis, rows.axis, symbol="D", label="discriminant values, as found")


# ---------------------------------------------------------------------------------------------------------- predictions


def row_of(data: Given, row: int) -> Any:
    """One row of the table as it was passed, so that names and types are those of the fit."""
    table = data.table
    if hasattr(table, "iloc"):
        return table.iloc[[row]]
    if isinstance(table, list | tuple):
        return [table[row]]
    return table[row : row + 1] if hasattr(table, "shape") else table.slice(row, 1)


def asked_rows(w: Working, data: Given) -> list[int]:
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(rows) > MOST_PREDICTIONS:
        w.note(f"{len(rows)} rows were asked for; the first {MOST_PREDICTIONS} are shown.")
    elif not data.rows and len(data.X) > len(rows):
        w.note(f"The first {len(rows)} of {len(data.X):,} rows are shown; rows=[...] chooses others.")
    return list(dict.fromkeys(rows[:MOST_PREDICTIONS]))


def begin_row(w: Working, data: Given, row: int, first: bool) -> Cell:
    w.step(f"Row {row}", "Row numbers are counted from 0." if first else "")
    return w.given(f"x_{row}", data.X[row], data.column_axis, symbol=f"x_{{{row}}}", label="value")


def posterior(w: Working, model: Any, data: Given, row: int, D: Any, labels: Cell, scale: float = 1.0) -> None:
    """Discriminants of one row, their exponentials, the probabilities, the class. D runs along the classes."""
    row_data = row_of(data, row)
    values = np.asarray(model.discriminant_values(row_data), dtype=np.float64)[0]
    tolerance = 1e-4 if np.asarray(model.discriminant_values(row_data)).dtype == np.float32 else 1e-7
    size = max(float(np.abs(values[np.isfinite(values)]).max(initial=1.0)), scale)
    cell = w.cell(f"D_{row}", D, symbol=f"D_{{{row}}}", label="discriminant", equals=values,
                  attribute=f"discriminant_values(X)[{row}]", tolerance=tolerance, scale=size)  # fmt: skip
    top = w.cell(f"top_{row}", max_(cell), symbol=f"m_{{{row}}}", label="the largest")
    powers = w.cell(f"powers_{row}", exp(cell - top), symbol=f"e_{{{row}}}", label="power of e, the largest taken off")
    w.cell(f"probability_{row}", powers / sum_(powers), symbol=f"p_{{{row}}}", label="probability",
           equals=np.asarray(model.predict_proba(row_data), dtype=np.float64)[0], attribute=f"predict_proba(X)[{row}]",
           tolerance=tolerance * max(1.0, size))  # fmt: skip
    predicted = np.asarray(model.predict(row_data))[0]
    w.cell(f"class_{row}", lookup(labels, arg_max(cell)), symbol=rf"\hat{{y}}_{{{row}}}", label="predicted class",
           equals=str(predicted) if isinstance(predicted, str) else float(predicted),
           attribute=f"predict(X)[{row}]")  # fmt: skip


def condition(C: Floats) -> float:
    """Of a covariance matrix in standardized columns; infinite where a column is constant."""
    root = np.sqrt(np.diag(C))
    if not (np.isfinite(C).all() and (root > 0).all()):
        return float("inf")
    return float(np.linalg.cond(C / root / root[:, None]))
