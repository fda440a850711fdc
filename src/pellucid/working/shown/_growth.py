"""How a cost grows with the size of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.working.entry import shows
from pellucid.working.expression import Axis
from pellucid.working.language import ln, sum_
from pellucid.working.model import Working


@shows("stats.growth_factor")
def growth_factor(w: Working, result: Any, exponent: ArrayLike, times: float = 2.0) -> None:
    w.title = "What a larger problem costs"
    w.intro = "A cost that grows like a power of the size grows by the same power of the growth."
    w.step("Given", "How many times as large, and the exponent of the cost.")
    growth = w.given("times", float(times), symbol="g", label="times as large")
    values = np.asarray(exponent, dtype=np.float64)
    if values.ndim == 0:
        power = w.given("exponent", float(values), symbol="k", label="exponent")
    else:
        axis = Axis("case", range(1, values.size + 1))
        power = w.given("exponent", values.ravel(), axis, symbol="k", label="exponent")
    w.step("Factor", "The growth to the power of the exponent.")
    form = float if values.ndim == 0 else np.ravel
    w.cell("factor", growth**power, symbol="c", label="factor", equals=form(result), attribute="growth_factor")


@shows("stats.growth_exponent")
def growth_exponent(w: Working, result: float, size: ArrayLike, cost: ArrayLike) -> None:
    w.title = "The exponent of a growing cost"
    w.intro = "Where a cost is a power of the size, its logarithm is a straight line in that of the size."
    sizes = np.asarray(size, dtype=np.float64)
    axis = Axis("measurement", range(1, len(sizes) + 1))
    w.step("Given", "Sizes, and what they cost.")
    s = w.given("size", sizes, axis, symbol="s", label="size")
    c = w.given("cost", np.asarray(cost, dtype=np.float64), axis, symbol="c", label="cost")
    n = w.given("n", len(sizes), symbol="n", label="measurements")
    w.step("Logarithms", "Of both.")
    x = w.cell("x", ln(s), symbol="x", label="ln size")
    y = w.cell("y", ln(c), symbol="y", label="ln cost")
    mean_x = w.cell("mean_x", sum_(x) / n, symbol="m_x", label="mean ln size")
    mean_y = w.cell("mean_y", sum_(y) / n, symbol="m_y", label="mean ln cost")
    w.step("Slope", "Of the straight line of least squares.")
    above = w.cell("sxy", sum_((x - mean_x) * (y - mean_y)), symbol="S_{xy}", label="products")
    below = w.cell("sxx", sum_((x - mean_x) ** 2), symbol="S_{xx}", label="squares")
    w.cell("exponent", above / below, symbol="k", label="exponent", equals=result, attribute="growth_exponent")
