"""A line whose penalty is found from the data: the passes that find it, and the equations that give the weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Array, Flags, Floats
from pellucid.impute._bayes import PRIOR
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, dot, lookup, previous, sum_
from pellucid.working.matrix import Grid, Inverse
from pellucid.working.model import Working

MOST_OTHERS = 6
MOST_ROWS = 2000
CLOSE = 1e-7  # what plain arithmetic must give of the model's numbers to be shown


@dataclass
class Line:
    """The line of one column, as it can be worked out.

    table : the rows that have the column, as they stood when the line was fitted
    s, r : eigenvalues of the cross-products of the centered columns, and  V'X'y  in their directions
    """

    j: int
    others: list[int]
    fitted: Any
    rows: Array
    table: Floats
    s: Floats
    r: Floats
    passes: list[tuple[float, float]]

    @classmethod
    def of(cls, step: Any, table: Floats, have: Flags) -> Line | None:
        """None where plain arithmetic does not give the model's numbers, or the page would be too long."""
        j, predictors, fitted = step.feat_idx, step.neighbor_feat_idx, step.estimator
        if not 0 < len(predictors) <= MOST_OTHERS or not 2 <= len(table) <= MOST_ROWS:
            return None
        apart = table - table.mean(axis=0)
        if not np.ptp(table[:, j]) or np.abs(apart).max() > 1e100:
            return None
        s, V = np.linalg.eigh(apart[:, predictors].T @ apart[:, predictors])
        r = V.T @ (apart[:, predictors].T @ apart[:, j])
        line = cls(j, predictors.tolist(), fitted, np.flatnonzero(have) + 1, table, np.maximum(s, 0.0), r, [])
        return line if line._agrees(apart) else None

    def _agrees(self, apart: Floats) -> bool:
        """Do the passes and the equations give what the model has?"""
        n, yy = float(len(apart)), float(apart[:, self.j] @ apart[:, self.j])
        alpha, lam = 1 / (yy / n + float(np.finfo(float).eps)), 1.0
        for _ in range(self.fitted.n_iter_):
            u = self.r / (self.s + lam / alpha)
            g = float((alpha * self.s / (lam + alpha * self.s)).sum())
            squared_error = yy - float((u * (2 * self.r - self.s * u)).sum())
            lam, alpha = (g + 2 * PRIOR) / (float(u @ u) + 2 * PRIOR), (n - g + 2 * PRIOR) / (squared_error + 2 * PRIOR)
            if alpha <= 0:
                return False
            self.passes.append((alpha, lam))
        C = apart[:, self.others].T @ apart[:, self.others] + lam / alpha * np.eye(len(self.others))
        if np.linalg.cond(C) > 1e10:
            return False
        w = np.linalg.solve(C, apart[:, self.others].T @ apart[:, self.j])
        near = np.abs(w - self.fitted.coef_).max() <= CLOSE * np.abs(self.fitted.coef_).max(initial=1e-300)
        precisions, expected = np.array([alpha, lam]), np.array([self.fitted.alpha_, self.fitted.lambda_])
        return bool(near and (np.abs(precisions - expected) <= CLOSE * expected).all())

    # ------------------------------------------------------------------------------------------------------ the working

    def show(self, w: Working, names: list[str]) -> None:
        """Adds the steps of the line."""
        j, tag = self.j, f"l{self.j + 1}_"
        axis = Axis("row", self.rows.tolist(), "i", "n")
        w.step(f"Last line of {names[j]}", "The rows that have it, as they stand before this step, less their means.")
        columns = [j, *self.others]
        marks = ["y", *(f"x_{{{c + 1}}}" for c in self.others)]
        x = [w.given(f"{tag}x_{c + 1}", self.table[:, c], axis, symbol=mark, label=names[c])
             for c, mark in zip(columns, marks, strict=True)]  # fmt: skip
        means = [w.cell(f"{tag}m_{c + 1}", sum_(column) / count(column), symbol=f"m_{{{c + 1}}}",
                        label=f"mean of {names[c]}") for c, column in zip(columns, x, strict=True)]  # fmt: skip
        apart = [w.cell(f"{tag}d_{c + 1}", column - m, symbol=f"d_{{{c + 1}}}", label=f"{names[c]}, less its mean")
                 for c, column, m in zip(columns, x, means, strict=True)]  # fmt: skip
        dy, *d = apart
        n = w.cell(f"{tag}n", count(x[0]), symbol="n", label="rows")
        rho = self._penalty(w, tag, names[j], dy, n)
        w.step(
            f"Last line of {names[j]}: weights",
            "Sums of products of the columns, with the penalty on the diagonal; the inverse of this table times the "
            "sums of products with the target gives the weights.",
        )
        column_axis = Axis("column", [names[c] for c in self.others], "c", "q")
        again = Axis("column", [names[c] for c in self.others], "c", "q")
        products = [[sum_(a * b) + rho if a is b else sum_(a * b) for b in d] for a in d]
        C = w.block(f"{tag}C", Grid(products, column_axis, again), symbol="C", label="sums of products and the penalty")
        c = w.block(f"{tag}c", Grid([[sum_(a * dy)] for a in d], again, Axis("", [""])), symbol="c",
                    label="sums of products with the target")  # fmt: skip
        coef = w.block(f"{tag}w", Inverse(C) @ c, symbol="w", label="weights", equals=self.fitted.coef_[:, None],
                       attribute="imputation_sequence_[-1].estimator.coef_", tolerance=1e-6)  # fmt: skip
        entries = [coef[k, 0] for k in range(len(self.others))]
        w.cell(f"{tag}b", means[0] - dot(entries, means[1:]), symbol="b", label="intercept",
               equals=float(self.fitted.intercept_), attribute="imputation_sequence_[-1].estimator.intercept_",
               tolerance=1e-6,
               scale=float(np.abs(self.table).max()))  # fmt: skip

    def _penalty(self, w: Working, tag: str, name: str, dy: Cell, n: Cell) -> Cell:
        """Precisions of noise and weights, pass by pass, from the eigenvalues."""
        w.step(
            f"Last line of {name}: penalty",
            "The noise has the precision alpha, the weights have lambda; each pass makes the data more probable. "
            "The eigenvalues of the sums of products, and the products with the target in their directions, are given.",
        )
        yy = w.cell(f"{tag}yy", sum_(dy**2), symbol=r"\text{yy}", label="sum of squares of the target")
        k = range(len(self.s))
        s = [
            w.given(f"{tag}s_{i + 1}", float(self.s[i]), symbol=f"s_{{{i + 1}}}", label=f"eigenvalue {i + 1}")
            for i in k
        ]
        r = [w.given(f"{tag}r_{i + 1}", float(self.r[i]), symbol=f"r_{{{i + 1}}}", label=f"product {i + 1}") for i in k]
        eps = float(np.finfo(float).eps)
        axis = Axis("pass", range(1, len(self.passes) + 1), "t", "T", raised=True)
        alpha = w.recurring(f"{tag}alpha", axis, 1 / (yy / n + eps), symbol=r"\alpha", label="precision of the noise")
        lam = w.recurring(f"{tag}lambda", axis, 1, symbol=r"\lambda", label="precision of the weights")
        ratio = w.becomes(f"{tag}rho", previous(lam) / previous(alpha), axis=axis, symbol=r"\rho", label="penalty")
        u = [w.becomes(f"{tag}u_{i + 1}", r[i] / (s[i] + ratio), axis=axis, symbol=f"u_{{{i + 1}}}",
                       label=f"weight in direction {i + 1}") for i in k]  # fmt: skip
        used: list[Expr] = [s[i] / (s[i] + ratio) for i in k]
        g = w.becomes(f"{tag}g", reduce(add, used), axis=axis, symbol="g", label="weights that the data decide")
        squares = reduce(add, [weight**2 for weight in u])
        squared_error = yy - reduce(add, [u[i] * (2 * r[i] - s[i] * u[i]) for i in k])
        e = w.becomes(f"{tag}e", squared_error, axis=axis, symbol="e", label="sum of squared errors")
        w.becomes(lam, (g + 2 * PRIOR) / (squares + 2 * PRIOR))
        w.becomes(alpha, (n - g + 2 * PRIOR) / (e + 2 * PRIOR))
        w.run(axis)
        last = float(len(axis))
        a = w.cell(f"{tag}alpha_", lookup(alpha, last), symbol=r"\hat{\alpha}", label="alpha of the last pass",
                   equals=float(self.fitted.alpha_), attribute="imputation_sequence_[-1].estimator.alpha_",
                   tolerance=1e-6)  # fmt: skip
        b = w.cell(f"{tag}lambda_", lookup(lam, last), symbol=r"\hat{\lambda}", label="lambda of the last pass",
                   equals=float(self.fitted.lambda_), attribute="imputation_sequence_[-1].estimator.lambda_",
                   tolerance=1e-6)  # fmt: skip
        return w.cell(f"{tag}penalty", b / a, symbol=r"\hat{\rho}", label="penalty: lambda over alpha")
