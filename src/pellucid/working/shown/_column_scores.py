"""One column and the target: chi-squared, F and correlation, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import chi_squared_tail, count, equal, f_tail, mean, sqrt, sum_, where
from pellucid.working.model import Working

MOST_COLUMNS = 5


class Grouped:
    """The rows with their classes, and how many rows each class has."""

    def __init__(self, w: Working, y: Array, rows: Axis) -> None:
        self.w, self.rows = w, rows
        words = y.astype(np.float64) if y.dtype.kind in "biuf" else y.astype(str).astype(object)
        w.step("Classes", "The class of each row, and how many rows each class has.")
        self.y = w.given("y", words, rows, symbol="y", label="class")
        labels = np.unique(words) if words.dtype != object else np.array(sorted(set(words.tolist())), dtype=object)
        self.axis = w.axis("class", [str(v) for v in labels], "k", "K")
        self.c = w.given("c", labels, self.axis, symbol="c", label="class")
        self.size = w.cell("n_k", sum_(where(equal(self.y, self.c), 1, 0), rows), symbol="s", label="rows")
        self.n = w.cell("n", count(self.y), symbol="n", label="number of rows")
        self.groups = float(len(labels))

    def chi2(self, values: Floats, name: str, tag: str, expected_scores: tuple[float, float]) -> Cell:
        """Observed and expected sums by class, and what they come to."""
        w = self.w
        w.step(f"Column {name}", "Its sum in each class, beside the sum that the class's share of the rows would give.")
        x = w.given(f"x{tag}", values, self.rows, symbol="x", label=name)
        total = w.cell(f"T{tag}", sum_(x), symbol="T", label="sum of the column")
        observed = w.cell(f"O{tag}", sum_(where(equal(self.y, self.c), x, 0), self.rows), symbol="O", label="observed")
        expected = w.cell(f"E{tag}", self.size / self.n * total, symbol="E", label="expected")
        term = w.cell(f"q{tag}", (observed - expected) ** 2 / expected, symbol="q", label="its part")
        statistic = w.cell(f"chi2{tag}", sum_(term), symbol="χ²", label="chi-squared", equals=expected_scores[0],
                           attribute="chi2", scale=1e-3)  # fmt: skip
        df = w.cell(f"df{tag}", count(self.c) - 1, symbol="f", label="degrees of freedom")
        w.cell(f"p{tag}", chi_squared_tail(statistic, df), symbol="p", label="p value", equals=expected_scores[1],
               attribute="p_values", scale=1e-3)  # fmt: skip
        return statistic

    def f(self, values: Floats, name: str, tag: str, expected_scores: tuple[float, float]) -> Cell:
        """Sums of squares between and within the classes, and their ratio."""
        w = self.w
        w.step(f"Column {name}", "Means of the classes, how far they lie from the mean, and rows from their class's.")
        x = w.given(f"x{tag}", values, self.rows, symbol="x", label=name)
        m = w.cell(f"m{tag}", mean(x), symbol=r"\bar{x}", label="mean of all rows")
        class_means = sum_(where(equal(self.y, self.c), x, 0), self.rows) / self.size
        m_k = w.cell(f"m_k{tag}", class_means, symbol="m", label="mean of the class")
        ssb = w.cell(f"SSB{tag}", sum_(self.size * (m_k - m) ** 2), symbol="B", label="sum of squares between")
        center = w.cell(f"own{tag}", sum_(where(equal(self.y, self.c), m_k, 0), self.axis), symbol="u",
                        label="mean of the row's class")  # fmt: skip
        ssw = w.cell(f"SSW{tag}", sum_((x - center) ** 2), symbol="W", label="sum of squares within")
        between = w.cell(f"df_b{tag}", count(self.c) - 1, symbol="f_b", label="degrees of freedom between")
        within = w.cell(f"df_w{tag}", self.n - count(self.c), symbol="f_w", label="degrees of freedom within")
        if np.isnan(expected_scores[0]) or np.isinf(expected_scores[0]):
            w.note(f"Column {name} does not vary within the classes: F is not a number.")
            return w.given(f"F{tag}", 0.0, symbol="F", label="F (none)")
        ratio = (ssb / between) / (ssw / within)
        statistic = w.cell(f"F{tag}", ratio, symbol="F", label="F", equals=expected_scores[0], attribute="f_statistic",
                           tolerance=1e-7, scale=1e-3)  # fmt: skip
        w.cell(f"p{tag}", f_tail(statistic, between, within), symbol="p", label="p value", equals=expected_scores[1],
               attribute="p_values", tolerance=1e-6, scale=1e-6)  # fmt: skip
        return statistic


class Numeric:
    """The rows with a numeric target."""

    def __init__(self, w: Working, y: Floats, rows: Axis, center: bool = True) -> None:
        self.w, self.rows, self.center = w, rows, center
        w.step("Target", "The target of each row, less its mean." if center else "The target of each row.")
        self.y = w.given("y", y, rows, symbol="y", label="target")
        self.d = w.cell("d_y", self.y - mean(self.y) if center else self.y * 1, symbol="d_y", label="target, as used")
        self.square = w.cell("S_yy", sum_(self.d**2), symbol="S_{yy}", label="sum of its squares")
        self.varies = bool(np.ptp(y)) or not center

    def r(self, values: Floats, name: str, tag: str, expected_r: float) -> Cell:
        """Correlation of a column with the target."""
        w = self.w
        w.step(f"Column {name}", "Its deviations, their squares, and their products with those of the target.")
        x = w.given(f"x{tag}", values, self.rows, symbol="x", label=name)
        d = w.cell(f"d{tag}", x - mean(x) if self.center else x * 1, symbol="d", label="deviation")
        sxx = w.cell(f"S_xx{tag}", sum_(d**2), symbol="S_{xx}", label="sum of squares")
        sxy = w.cell(f"S_xy{tag}", sum_(d * self.d), symbol="S_{xy}", label="sum of products")
        if not self.varies or (self.center and not np.ptp(values)) or np.isnan(expected_r):
            w.note(f"Column {name} or the target is constant: there is no correlation, and 0 stands for it.")
            return w.given(f"r{tag}", 0.0, symbol="r", label="correlation (none)")
        return w.cell(f"r{tag}", sxy / sqrt(sxx * self.square), symbol="r", label="correlation", equals=expected_r,
                      attribute="r", scale=1.0)  # fmt: skip

    def f(self, values: Floats, name: str, tag: str, expected_scores: tuple[float, float]) -> Cell:
        """F of a line through a column."""
        w, size = self.w, float(expected_scores[0])
        lost = 1 if not self.center else 2
        degrees = len(self.rows) - lost
        r = self.r(values, name, tag, _correlation(values, np.asarray(self.y.value), self.center))
        df = w.cell(f"df{tag}", count(self.y) - lost, symbol="f", label="degrees of freedom")
        if not 0 < size < 1e12 or degrees < 1:
            w.note("Where F is 0, not defined or infinite it is not worked out.")
            return w.given(f"F{tag}", size, symbol="F", label="F")
        statistic = w.cell(f"F{tag}", r**2 / (1 - r**2) * df, symbol="F", label="F", equals=size,
                           attribute="f_statistic", tolerance=1e-6, scale=1e-6)  # fmt: skip
        w.cell(f"p{tag}", f_tail(statistic, 1, df), symbol="p", label="p value", equals=expected_scores[1],
               attribute="p_values", tolerance=1e-6, scale=1e-6)  # fmt: skip
        return statistic


def _correlation(x: Floats, y: Floats, center: bool) -> float:
    dx, dy = (x - x.mean(), y - y.mean()) if center else (x, y)
    size = np.sqrt((dx @ dx) * (dy @ dy))
    return float(dx @ dy / size) if size > 0 else 0.0


def left_out(w: Working, columns: int) -> Any:
    """How many columns fit on the page, said where not all do."""
    if columns > MOST_COLUMNS:
        w.note(f"The last {columns - MOST_COLUMNS} columns are not shown.")
    return range(min(columns, MOST_COLUMNS))
