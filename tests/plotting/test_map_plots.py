"""Rows before and after a map: the points are the map's own, the boundary is straight after it."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.plotting import ellipse_map, polar_map
from pellucid.preprocessing import PolarMap, QuadraticMap

X = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [0.0, -3.0]])
Y = ["near", "near", "far", "far"]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def points(ax: Any, label: str) -> Any:
    line = next(line for line in ax.get_lines() if line.get_label() == label)
    return np.column_stack(line.get_data())


def test_a_circle_becomes_a_line() -> None:
    before, after = polar_map(PolarMap(center=0).fit(X), X, Y, radius=2)
    np.testing.assert_array_equal(points(before, "far"), X[2:])
    np.testing.assert_allclose(points(after, "far"), [[0, 3], [-np.pi / 2, 3]])
    circle, line = before.get_lines()[-1], after.get_lines()[-1]
    np.testing.assert_allclose(np.hypot(*circle.get_data()), 2)
    assert list(line.get_ydata()) == [2, 2]


@pytest.mark.parametrize("settings", [{}, {"inhomogeneous": True}, {"ordered": True}])
def test_an_ellipse_becomes_a_line(settings: Any) -> None:
    before, after = ellipse_map(QuadraticMap(**settings).fit(X), X, Y, boundary=(1, 2, 4))
    np.testing.assert_allclose(points(after, "far"), X[2:] ** 2)
    x1, x2 = before.get_lines()[-1].get_data()
    np.testing.assert_allclose(x1**2 + 2 * x2**2, 4)
    z1, z3 = after.get_lines()[-1].get_data()
    np.testing.assert_allclose(np.asarray(z1) + 2 * np.asarray(z3), 4)


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="needs a fitted map"):
        polar_map(PolarMap(), X, Y)
    with pytest.raises(ParameterError, match="radius must be a number above 0"):
        polar_map(PolarMap().fit(X), X, Y, radius=-1)
    with pytest.raises(ParameterError, match="boundary must be three numbers above 0"):
        ellipse_map(QuadraticMap().fit(X), X, Y, boundary=(1, 2))
    with pytest.raises(DataError, match="one label a row"):
        ellipse_map(QuadraticMap().fit(X), X, Y[:3])
    with pytest.raises(DataError, match="table of two columns"):
        polar_map(PolarMap().fit(np.ones((4, 3))), np.ones((4, 3)), Y)
