"""Regressions whose answers are known to many digits: NIST's Statistical Reference Datasets (public domain).

https://www.itl.nist.gov/div898/strd/lls/lls.shtml
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pellucid.base.errors import DependentColumnsWarning
from pellucid.linear_model import LinearRegression

Array = NDArray[np.float64]

# Longley: employment by price deflator, gross national product, unemployed, armed forces, population and year.
LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
LONGLEY_ESTIMATES = [
    -3482258.63459582,
    15.0618722713733,
    -0.358191792925910e-01,
    -2.02022980381683,
    -1.03322686717359,
    -0.511041056535807e-01,
    1829.15146461355,
]
LONGLEY_ERRORS = [
    890420.383607373,
    84.9149257747669,
    0.334910077722432e-01,
    0.488399681651699,
    0.214274163161675,
    0.226073200069370,
    455.478499142212,
]

# Norris: readings of two ozone monitors, y and x.
NORRIS = np.fromstring(
    """
    0.1 0.2  338.8 337.4  118.1 118.2  888.0 884.6  9.2 10.1  228.1 226.5  668.5 666.3  998.5 996.3  449.1 448.6
    778.9 777.0  559.2 558.2  0.3 0.4  0.1 0.6  778.1 775.5  668.8 666.9  339.3 338.0  448.9 447.5  10.8 11.6
    557.7 556.0  228.3 228.1  998.0 995.8  888.8 887.6  119.6 120.2  0.3 0.3  0.6 0.3  557.6 556.8  339.3 339.1
    888.0 887.2  998.5 999.0  778.9 779.0  10.2 11.1  117.6 118.3  228.9 229.2  668.4 669.1  449.2 448.9  0.2 0.5
    """,
    sep=" ",
).reshape(-1, 2)

SOLVERS = ["auto", "normal", "qr", "svd"]


def digits(found: Any, certified: Any) -> float:
    """Decimal digits in which two numbers agree, at the worst."""
    apart = np.abs(np.asarray(found) - certified) / np.abs(certified)
    return float(-np.log10(max(apart.max(), 1e-16)))


@pytest.mark.parametrize("solver", SOLVERS)
def test_longley(solver: str) -> None:
    X, y = LONGLEY[:, 1:], LONGLEY[:, 0]
    found = LinearRegression(solver=solver).fit(X, y).summary(X, y)
    assert digits(found.estimates, LONGLEY_ESTIMATES) > 10
    assert digits(found.standard_errors, LONGLEY_ERRORS) > 10
    assert digits([found.sse, found.ssr], [836424.055505915, 184172401.944494]) > 10
    assert digits(np.sqrt(found.mse_df), 304.854073561965) > 10
    assert digits(found.r2, 0.995479004577296) > 12
    assert found.df_residual == 9


@pytest.mark.parametrize("solver", [*SOLVERS, "simple", "correlation"])
def test_norris(solver: str) -> None:
    X, y = NORRIS[:, 1:], NORRIS[:, 0]
    found = LinearRegression(solver=solver).fit(X, y).summary(X, y)
    assert digits(found.estimates, [-0.262323073774029, 1.00211681802045]) > 11
    assert digits(found.standard_errors, [0.232818234301152, 0.429796848199937e-03]) > 11
    assert digits(found.r2, 0.999993745883712) > 13
    assert digits([found.sse, found.ssr], [26.6173985294224, 4255954.13232369]) > 11


@pytest.mark.parametrize("ratio", [1.0, 0.1], ids=["Wampler1", "Wampler2"])
@pytest.mark.parametrize("solver", ["auto", "qr", "svd"])
def test_polynomials_of_wampler(solver: str, ratio: float) -> None:
    """y = sum of (ratio x)^k, k = 0 ... 5, at x = 0 ... 20: columns from 1 to 3.2 million, nearly dependent."""
    x = np.arange(21.0)
    X = np.column_stack([x**k for k in range(1, 6)])
    certified = ratio ** np.arange(6.0)
    y = X @ certified[1:] + certified[0]
    model = LinearRegression(solver=solver).fit(X, y)
    enough = 6 if model.solver_ == "normal" else 8  # the normal equation squares the condition number
    assert digits([model.intercept_, *model.coef_], certified) > enough
    assert model.score(X, y) == pytest.approx(1, abs=1e-13)


def test_ninth_powers_are_solved_stably_and_said() -> None:
    """The normal equation has no digit left at degree nine; QR keeps some."""
    x = np.linspace(0, 1, 60)
    X = np.column_stack([x**k for k in range(1, 10)])
    wanted = np.arange(1.0, 10)
    with pytest.warns(DependentColumnsWarning, match="nearly dependent"):
        model = LinearRegression().fit(X, X @ wanted)
    assert model.solver_ == "qr"
    assert digits(model.coef_, wanted) > 7
