"""Every way of solving least squares gives the coefficients of the example done by hand."""

from __future__ import annotations

import numpy as np
import pytest

from .answers.linear_regression import column, fit
from .frame import PATHS, PathName, load, needs

LINES = {  # example: names of its data columns and of the figures for intercept and slope
    "000-simple-linear-regression": ("x", "y", "B0 intercept", "B1 slope"),
    "003-simple-linear-regression-4-points": ("x", "y", "theta_0", "theta_1"),
    "003-simple-linear-regression-7-points-inference": ("x", "y", "theta_0", "theta_1"),
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("solver", ["simple", "correlation", "normal", "qr", "svd"])
@pytest.mark.parametrize("name", LINES)
def test_every_solver_finds_the_line(name: str, solver: str, path: PathName) -> None:
    needs(path)
    x, y, *wanted = LINES[name]
    figures = {figure.name: figure.value for figure in load(name).figures}
    theta = fit(path, solver, column(load(name).data[x]), load(name).data[y]).theta
    np.testing.assert_allclose(theta, [figures[what] for what in wanted], rtol=1e-9)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("solver", ["simple", "correlation", "normal", "qr", "svd"])
def test_every_solver_finds_the_noisy_line(solver: str, path: PathName) -> None:
    needs(path)
    data = load("002-normal-equation-noisy-line").data
    theta = fit(path, solver, column(data["x1"]), data["y"]).theta
    np.testing.assert_allclose(theta, [4.21509615754675, 2.7701133864384806], rtol=1e-12)
