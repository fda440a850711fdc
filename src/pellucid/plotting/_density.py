"""The density of a column: a smooth curve for how its values are spread, in place of a histogram's steps."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Floats
from pellucid.stats import quartiles, standard_deviation

# A longer column is taken by this many of its quantiles, which carry its shape to a ten-thousandth of the rows.
MOST_KERNELS = 5_000
GRID = 200


def bandwidth(x: Floats) -> float:
    """Silverman's rule ``h = 0.9 min(s, IQR / 1.34) n^(-1/5)``, with the standard deviation alone where IQR is 0.

    ``x`` holds at least two different values. (Silverman, Density Estimation, 1986, equation 3.31.)

    >>> round(bandwidth(np.array([1.0, 2.0, 3.0, 4.0])), 4)
    0.7635
    """
    low, _, high = quartiles(x)
    spread = standard_deviation(x)
    narrow = min(spread, (high - low) / 1.34) or spread
    return float(0.9 * narrow * len(x) ** -0.2)


def density(x: Floats) -> tuple[Floats, Floats] | None:
    """Places, and the Gaussian kernel estimate ``f(t) = 1/(n h) Σ φ((t - x_i) / h)`` at them; None where x is constant.

    The places are even over the range and dense where the values are, so that one far value does not hide the rest.
    """
    if len(x) < 2 or x.min() == x.max():
        return None
    unit = 2.0 ** np.frexp(np.abs(x).max())[1]  # squares of the values then stay in range, and no digit is lost
    x = np.sort(x / unit)
    h = bandwidth(x)
    even = np.linspace(x[0] - 3 * h, x[-1] + 3 * h, GRID)
    near = np.quantile(x, np.linspace(0, 1, GRID))
    grid = np.unique(np.concatenate([even, near - h, near, near + h]))
    return grid * unit, _estimate(x, h, grid) / unit


def peak(x: Floats) -> float:
    """Where the density is highest: the mode of a continuous column. A constant is its own."""
    curve = density(x)
    if curve is None:
        return float(x[0])
    grid, heights = curve
    top = int(np.argmax(heights))
    around = slice(max(top - 1, 0), top + 2)
    if len(grid[around]) < 3:
        return float(grid[top])
    # The vertex of the parabola through the highest place and its neighbors.
    below, at, above = grid[around]
    a, c = (below - at) / (above - below), (above - at) / (above - below)
    fall_a, _, fall_c = 1 - heights[around] / heights[top]
    curvature = a * fall_c - c * fall_a
    return float(at + (above - below) * 0.5 * (a * a * fall_c - c * c * fall_a) / curvature) if curvature else float(at)


def _estimate(x: Floats, h: float, grid: Floats) -> Floats:
    if len(x) > MOST_KERNELS:
        x = np.quantile(x, (np.arange(MOST_KERNELS) + 0.5) / MOST_KERNELS)
    kernels = np.exp(-0.5 * ((grid[:, None] - x) / h) ** 2)
    return np.asarray(kernels.mean(axis=1) / (h * np.sqrt(2 * np.pi)))
