"""What the workings of logistic regression share: the data, scores, probabilities and losses of the rows, the cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import format_message
from pellucid.base.types import Floats
from pellucid.linear_model._logistic import row_weights
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, WorkingError
from pellucid.working.language import absolute, count, dot, equal, exp, ln, max_, sum_, where
from pellucid.working.matrix import ColumnOf, Grid
from pellucid.working.model import Working

# Beyond so many columns or slopes the formulas are too long to read.
MOST_COLUMNS = 8
MOST_SLOPES = 30
SAFE = 700.0  # a spreadsheet's EXP ends at 709


@dataclass
class Rows:
    """The rows of a fit as they stand on the page."""

    w: Working
    model: Any
    data: Given
    codes: Any
    x: list[Cell | ColumnOf] = field(default_factory=list)
    weight: Cell | None = None
    end: list[Expr] = field(default_factory=list)  # where the steps that are laid out lead: coefficients, intercept

    @classmethod
    def read(cls, w: Working, model: Any, data: Given) -> Rows:
        """Begin the working with the data that the model was fitted on."""
        labels = np.asarray(data.y)
        absent = [label for label in model.classes_.tolist() if label not in set(labels.tolist())]
        if absent:
            requirement, actual = (
                "the working needs the data of the fit",
                "fitted on these, the model has another classes_",
            )
            hint = "pass the X, y and sample_weight that the model was fitted on"
            raise WorkingError(format_message(type(model).__name__, requirement, actual=actual, hint=hint))
        rows = cls(w, model, data, np.asarray(data.options["y"]).ravel().astype(int))
        w.step("Data", "The rows that the model was fitted on.")
        if len(data.names) == 1:
            rows.x = [w.given("x", data.X[:, 0], data.row_axis, symbol="x", label=data.names[0])]
        elif len(data.names) <= MOST_COLUMNS:
            block = w.block("X", data.X, data.row_axis, data.column_axis, symbol="X")
            rows.x = [block.column(j, f"x_{{{j + 1}}}") for j in range(len(data.names))]
        label_values = labels if labels.dtype.kind in "OUT" else labels.astype(np.float64)
        w.given("label", label_values, data.row_axis, symbol="y", label="class")
        rows._weigh()
        return rows

    def _weigh(self) -> None:
        """What each row counts, class weights among it, and the sum S of that."""
        w, data, model = self.w, self.data, self.model
        d = model._validate_predict(data.table)
        d.weight = data.weight
        unit, sums = row_weights(d, self.codes, model.classes_, model.class_weight)
        if unit is not None:
            label = "weight" if model.class_weight is None else "weight, that of its class included"
            self.weight = w.given("weight", unit * (sums / unit.sum()), data.row_axis, symbol="w", label=label)

    # --------------------------------------------------------------------------------------------------------- formulas

    @property
    def size(self) -> Expr:
        """The number of rows, or the sum of their weights."""
        label = self.w.cells["label"]
        assert isinstance(label, Cell)
        return count(label) if self.weight is None else sum_(self.weight)

    def total(self, column: Expr) -> Expr:
        return sum_(column if self.weight is None else self.weight * column, self.data.row_axis)

    def mean(self, column: Expr) -> Expr:
        return self.total(column) / self.size

    @property
    def single(self) -> bool:
        return bool(np.asarray(self.model.coef_).dtype == np.float32)

    @property
    def tolerance(self) -> float:
        """Of a model in double precision; one in single precision has seven digits."""
        return 1e-4 if self.single else 1e-8

    @property
    def is_short(self) -> bool:
        return len(self.data.names) <= MOST_COLUMNS

    def in_class(self, k: int) -> Cell:
        """1 for rows of class k, 0 for others."""
        name = f"is_{k}"
        cached = self.w.cells.get(name)
        if isinstance(cached, Cell):
            return cached
        label = self.model.classes_[k]
        class_name = str(label)
        class_value = float(label) if self.model.classes_.dtype.kind not in "OUT" else str(label)
        cell = self.w.cells["label"]
        assert isinstance(cell, Cell)
        mark = "t" if len(self.model.classes_) == 2 and k == 1 else f"t_{{{k + 1}}}"
        return self.w.cell(name, where(equal(cell, class_value), 1, 0), symbol=mark, label=f"is it {class_name}?")

    def score(self, coef: list[Expr], intercept: Expr | None) -> Expr:
        """``b + w . x`` of every row."""
        total: Expr = coef[0] * self.x[0] if len(coef) == 1 else dot(coef, self.x)
        return total if intercept is None else intercept + total


def sigmoid(f: Expr) -> Expr:
    """``1 / (1 + e^-f)``."""
    return 1 / (1 + exp(-f))


def loss(f: Cell, t: Expr) -> Expr:
    """``ln(1 + e^f) - t f``, the surprise at the class of a row, with no power that could overflow."""
    return where(f > 0, f, 0) - t * f + ln(1 + exp(-absolute(f)))


def parameters(rows: Rows, k: int, mark: str = "", of: str = "") -> tuple[list[Expr], Expr | None]:
    """The fitted coefficients and the intercept of plane k, as given numbers."""
    model = rows.model
    name = "" if not mark else f"_{mark}"
    coef: list[Expr] = []
    sub = "" if not mark else f"{mark},"
    for j, value in enumerate(np.asarray(model.coef_, dtype=np.float64)[k]):
        symbol = rf"\beta_{{{sub}{j + 1}}}" if mark or len(rows.data.names) > 1 else r"\beta"
        label = f"coefficient of {rows.data.names[j]}{of}"
        coef.append(_found(rows, f"coef{name}_{j + 1}", float(value), symbol, label, f"coef_[{k}, {j}]", j))
    if not model.fit_intercept:
        return coef, None
    value = float(np.asarray(model.intercept_)[k])
    symbol = f"b_{{{mark}}}" if mark else "b"
    label = f"intercept{of}"
    return coef, _found(rows, f"intercept{name}", value, symbol, label, f"intercept_[{k}]", len(coef))


def _found(rows: Rows, name: str, value: float, symbol: str, label: str, attribute: str, index: int) -> Cell:
    """A fitted number: as the steps that are laid out give it, or as found."""
    if not rows.end:
        cell = rows.w.given(name, value, symbol=symbol, label=label)
        cell.attribute = attribute
        return cell
    size = max(abs(float(theta.value)) for theta in rows.end)
    check: dict[str, Any] = {
        "equals": value,
        "attribute": attribute,
        "tolerance": 1e-4 if rows.single else 1e-5,
        "scale": size,
    }
    return rows.w.cell(name, rows.end[index], symbol=symbol, label=label, **check)


def penalty_value(rows: Rows, planes: list[tuple[list[Expr], Expr | None]]) -> Expr | None:
    """``l1 sum |w| + l2/2 sum w²``, with the intercept among them where it is penalized."""
    w, penalty = rows.w, None
    l1, l2 = (w.cells.get(name) for name in ("l1", "l2"))
    counted = [c for coef, intercept in planes for c in _penalized(rows, coef, intercept)]
    for cell, power in ((l1, 1), (l2, 2)):
        if not isinstance(cell, Cell):
            continue
        sum_ = reduce(add, [absolute(c) if power == 1 else c**2 for c in counted])
        term = cell * sum_ if power == 1 else cell / 2 * sum_
        penalty = term if penalty is None else penalty + term
    return penalty


def _penalized(rows: Rows, coef: list[Expr], intercept: Expr | None) -> list[Expr]:
    """What the penalty counts of a plane: the coefficients, and by liblinear's convention the intercept."""
    if intercept is None or rows.model.solver_ != "liblinear":
        return coef
    scaling = float(rows.model.intercept_scaling)
    return [*coef, intercept if scaling == 1 else intercept / scaling]


def strength(rows: Rows) -> None:
    """How strong the penalty is on the scale of the mean loss: 1 / (C S), parted by l1_ratio."""
    w, penalty = rows.w, rows.model._penalty_
    w.step("Penalty", "The cost is C times the sum of the losses plus the penalty; divided by C S it is a mean.")
    w.cell("S", rows.size, symbol="S", label="rows" if rows.weight is None else "sum of the weights")
    if penalty.strength == 0:
        w.note("There is no penalty.")
        return
    C = w.given("C", 1 / penalty.strength, symbol="C", label="inverse strength")
    size = w.cells["S"]
    assert isinstance(size, Cell)
    if penalty.ratio > 0:
        r = w.given("l1_ratio", penalty.ratio, symbol="r", label="share of l1")
        w.cell("l1", r / (C * size), symbol=r"\lambda_1", label="strength of l1")
        if penalty.ratio < 1:
            w.cell("l2", (1 - r) / (C * size), symbol=r"\lambda_2", label="strength of l2")
    else:
        w.cell("l2", 1 / (C * size), symbol=r"\lambda_2", label="strength of l2")


def slopes_table(rows: Rows, entries: list[Expr], labels: list[str]) -> ColumnOf:
    """Slopes of the cost as a column."""
    axis = Axis("parameter", labels, "j", "m")
    listed = Grid([[entry] for entry in entries], axis, Axis("", ["slope"]))
    return rows.w.block("slope", listed, symbol="g", label="slopes of the cost").column(0, "g")


def plane_slopes(
    rows: Rows, error: Expr, coef: list[Expr], intercept: Expr | None, of: str = ""
) -> tuple[list[Expr], list[str]]:
    """Slopes of the cost for the parameters of a plane: of the mean loss, and of the l2 penalty."""
    w, entries, labels = rows.w, [], []
    l2 = w.cells.get("l2")
    for j, (x, c) in enumerate(zip(rows.x, coef, strict=True)):
        gradient = rows.mean(error * x)
        entries.append(gradient + l2 * c if isinstance(l2, Cell) else gradient)
        labels.append(f"{rows.data.names[j]}{of}")
    if intercept is not None:
        gradient = rows.mean(error)
        if isinstance(l2, Cell) and rows.model.solver_ == "liblinear":
            scaling = float(rows.model.intercept_scaling)
            gradient = gradient + (l2 * intercept if scaling == 1 else l2 * intercept / scaling**2)
        entries.append(gradient)
        labels.append(f"(intercept){of}")
    return entries, labels


def largest(rows: Rows, gradients: ColumnOf, recorded: float | None) -> None:
    """The largest slope: near zero at a minimum; as recorded by the solver where it looks at slopes."""
    w = rows.w
    check: dict[str, Any] = {}
    if recorded is not None:
        attribute = "the recorded slope"
        check = {"equals": recorded, "attribute": attribute, "tolerance": 1e-3 if rows.single else 1e-6, "scale": 1.0}
    w.cell("largest_slope", max_(absolute(gradients)), symbol="g^*", label="largest slope", **check)


def probabilities(model: Any, data: Given) -> Floats:
    return np.asarray(model.predict_proba(data.table), dtype=np.float64)
