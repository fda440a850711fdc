"""What the workings of all least-squares solvers share: the data, means and deviations, predictions and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, Reduce, expr
from pellucid.working.language import count, dot, sqrt, sum_
from pellucid.working.matrix import Block, ColumnOf
from pellucid.working.model import TOLERANCE, Working


@dataclass
class Problem:
    """A least-squares problem as it stands on the page, and the model whose numbers must come out."""

    w: Working
    model: Any
    data: Given
    x: list[Cell | ColumnOf]
    X: Block | None
    y: Cell
    weight: Cell | None
    coef: list[Expr]
    intercept: Expr
    product: Expr | None = None  # X beta, where it is at hand

    @classmethod
    def read(cls, w: Working, model: Any, data: Given) -> Problem:
        """Begin the working with the data that the model was fitted on."""
        w.step("Data", "The rows that the model was fitted on.")
        rows, names = data.row_axis, data.names
        X: Block | None = None
        x: list[Cell | ColumnOf]
        if len(names) == 1:
            x = [w.given("x", data.X[:, 0], rows, symbol="x", label=names[0])]
        else:
            X = w.block("X", data.X, rows, Axis("column", names, "j", "p"), symbol="X")
            x = [X.column(j, f"x_{{{j + 1}}}") for j in range(len(names))]
        y = w.given("y", data.y, rows, symbol="y", label="target")
        weight = None if data.weight is None else w.given("weight", data.weight, rows, symbol="w", label="weight")
        return cls(w, model, data, x, X, y, weight, [], expr(0))

    # ------------------------------------------------------------------------------------------- the model's numbers

    @property
    def centered(self) -> bool:
        return bool(self.model.fit_intercept)

    @property
    def coef_(self) -> Floats:
        return np.asarray(np.atleast_2d(self.model.coef_)[self.data.target], dtype=np.float64)

    @property
    def intercept_(self) -> float:
        return float(np.atleast_1d(self.model.intercept_)[self.data.target if np.ndim(self.model.intercept_) else 0])

    def named(self, attribute: str, index: int | None = None) -> str:
        """``coef_[0]``, with the target in front if there are several."""
        several = np.ndim(self.data.options["y"]) == 2
        where = ([self.data.target] if several else []) + ([] if index is None else [index])
        return attribute + (f"[{', '.join(map(str, where))}]" if where else "")

    @property
    def tolerance(self) -> float:
        """Of a model in double precision a billionth; one in single precision has seven digits."""
        exact = np.asarray(self.model.coef_).dtype == np.float64
        return TOLERANCE if exact else 1e-5

    def scales(self) -> Floats:
        """The size that a coefficient has where its column explains the whole target."""
        weight = np.ones(len(self.data.X)) if self.data.weight is None else self.data.weight
        mean = float(self.centered) * np.average(self.data.X, axis=0, weights=weight)
        spread = np.sqrt(weight @ (self.data.X - mean) ** 2)
        target = np.asarray(self.data.y, dtype=np.float64)
        size = np.sqrt(weight @ (target - float(self.centered) * np.average(target, weights=weight)) ** 2)
        size = np.maximum(size, 1e-6 * np.sqrt(weight @ target**2))  # a constant target leaves rounding alone
        return np.asarray(np.divide(size, spread, out=np.zeros_like(spread), where=spread > 0))

    # ------------------------------------------------------------------------------------------------------ formulas

    def total(self, column: Any) -> Expr:
        """Sum over the rows, each with its weight if there are weights."""
        body = expr(column)
        return sum_(body if self.weight is None else self.weight * body, self.data.row_axis)

    @property
    def size(self) -> Expr:
        """The number of rows, or the sum of their weights."""
        return count(self.y) if self.weight is None else sum_(self.weight)

    def mean(self, column: Any) -> Expr:
        body = expr(column)
        return Reduce("mean", body) if self.weight is None else self.total(body) / self.size

    def means(self) -> tuple[list[Expr], Expr]:
        """Means of the columns and of the target; zero where the line must go through the origin."""
        if not self.centered:
            return [expr(0) for _ in self.x], expr(0)
        self.w.step("Means", "The center of the data. The fitted line goes through it.")
        single = len(self.x) == 1
        column_means: list[Expr] = []
        for j, x in enumerate(self.x):
            name, mark = ("mean_x", r"\bar{x}") if single else (f"mean_x{j + 1}", rf"\bar{{x}}_{{{j + 1}}}")
            column_means.append(self.w.cell(name, self.mean(x), symbol=mark, label=f"mean of {self.data.names[j]}"))
        return column_means, self.w.cell("mean_y", self.mean(self.y), symbol=r"\bar{y}", label="mean of the target")

    def keep(self, coef: list[Expr], intercept: Expr) -> None:
        self.coef, self.intercept = coef, intercept

    def finish(self, coef: list[Expr], means: tuple[list[Expr], Expr], tolerance: float | None = None) -> None:
        """Coefficients, named and compared with the model's, and the intercept that follows from the means."""
        scales, margin = self.scales(), tolerance or self.tolerance
        coefficients: list[Expr] = []
        for j, formula in enumerate(coef):
            name, mark = ("slope", r"\beta") if len(coef) == 1 else (f"coef_{j + 1}", rf"\beta_{{{j + 1}}}")
            coefficients.append(
                self.w.cell(
                    name,
                    formula,
                    symbol=mark,
                    label=f"coefficient of {self.data.names[j]}",
                    equals=self.coef_[j],
                    attribute=self.named("coef_", j),
                    tolerance=margin,
                    scale=scales[j],
                )
            )
        self.keep(coefficients, self.intercept_from(coefficients, means, margin) if self.centered else expr(0))

    def intercept_from(self, coef: list[Expr], means: tuple[list[Expr], Expr], margin: float) -> Expr:
        """``b = mean(y) - beta . mean(x)``"""
        mean_x, mean_y = means
        term = coef[0] * mean_x[0] if len(coef) == 1 else dot(coef, mean_x)
        return self.w.cell(
            "intercept",
            mean_y - term,
            symbol="b",
            label="intercept",
            equals=self.intercept_,
            attribute=self.named("intercept_"),
            tolerance=margin,
            scale=self.size_of_terms(),
        )

    def size_of_terms(self) -> float:
        """The largest of the numbers whose sum the intercept is: what its rounding is measured against."""
        means = np.abs(self.data.X).mean(axis=0)
        return float(np.abs(np.asarray(self.data.y, dtype=float)).mean() + (np.abs(self.coef_) * means).sum())

    # --------------------------------------------------------------------------------------------------- predictions

    def prediction(self) -> Expr:
        """``b + beta_1 x_1 + ...``"""
        sum_ = self.product
        if sum_ is None:
            sum_ = self.coef[0] * self.x[0] if len(self.coef) == 1 else dot(self.coef, self.x)
        return self.intercept + sum_ if self.centered else sum_

    def predictions(self) -> None:
        """Fitted values, errors and what they add up to."""
        w, model = self.w, self.model
        w.step("Predictions and errors", "What the fitted model says for each row, and how far off it is.")
        fitted = self.prediction()
        expected = np.asarray(model.predict(self.data.table), dtype=np.float64)
        expected = expected if expected.ndim == 1 else expected[:, self.data.target]
        size = float(np.abs(np.asarray(self.data.y, dtype=float)).max())
        f = w.cell(
            "fitted", fitted, symbol=r"\hat{y}", label="prediction",
            equals=expected, attribute="predict(X)", tolerance=10 * self.tolerance, scale=size,
        )  # fmt: skip
        error = w.cell("error", self.y - f, symbol="e", label="error")
        square = w.cell("squared_error", error**2, symbol="s", label="squared error")
        w.step("How good is it", "The errors squared and added up, and as a typical error of one row.")
        sse = w.cell("SSE", self.total(square), symbol=r"\text{SSE}", label="sum of squared errors")
        mse = w.cell("MSE", sse / self.size, symbol=r"\text{MSE}", label="mean squared error")
        w.cell("RMSE", sqrt(mse), symbol=r"\text{RMSE}", label="root mean squared error")
        center = w.cells.get("mean_y", expr(0)) if self.centered else expr(0)
        assert isinstance(center, Expr)
        if self.centered and "mean_y" not in w.cells:
            center = w.cell("mean_y", self.mean(self.y), symbol=r"\bar{y}", label="mean of the target")
        sst = w.cell(
            "SST", self.total((self.y - center) ** 2) if self.centered else self.total(self.y**2),
            symbol=r"\text{SST}", label="total sum of squares",
        )  # fmt: skip
        if sst.value > 0:
            w.cell("R2", 1 - sse / sst, symbol="R^2", label="share of the total explained")
