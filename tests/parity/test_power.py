"""PowerTransformer against scikit-learn's: the same powers, or likelier ones, and the same numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.preprocessing import PowerTransformer as Peer

from pellucid.preprocessing import PowerTransformer

from .drawn import numbers


def pair(X: Any, method: Any, **params: Any) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PowerTransformer(method, **params).fit(X), Peer(method, **params).fit(X)


def table(random: np.random.Generator, method: str) -> np.ndarray:
    """A random table, some with ties, missing values and constant columns, in C or F order."""
    rows = int(random.choice([3, 40, 700, 5000]))
    cols = int(random.integers(1, 8))
    X = np.column_stack(
        [
            [
                random.normal(size=rows),
                random.gamma(2.0, size=rows),
                random.lognormal(size=rows),
                random.beta(5, 1, size=rows) * 10,
                random.integers(0, 9, size=rows).astype(float),
                -random.exponential(size=rows),
            ][random.integers(6)]
            for _ in range(cols)
        ]
    )
    X = np.abs(X) + 0.1 if method == "box-cox" else X
    if random.random() < 0.4:
        X[random.random(X.shape) < 0.2] = np.nan
    return np.asarray(X, order=random.choice(["C", "F"]))


@pytest.mark.parametrize("method", ["box-cox", "yeo-johnson"])
@pytest.mark.parametrize("seed", numbers(20))
def test_random_tables(method: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = table(random, method)
    X = X[:, [len(np.unique(column[~np.isnan(column)])) > 2 for column in X.T]]
    if X.shape[1] == 0:
        return
    standardize = bool(random.random() < 0.5)
    ours, peer = pair(X, method, standardize=standardize)
    np.testing.assert_allclose(ours.lambdas_, peer.lambdas_, rtol=1e-5, atol=1e-5)
    llf = stats.boxcox_llf if method == "box-cox" else stats.yeojohnson_llf
    for j, column in enumerate(X.T):
        known = column[~np.isnan(column)]
        wanted = float(llf(peer.lambdas_[j], known))
        assert float(llf(ours.lambdas_[j], known)) >= wanted - 1e-9 * (1 + abs(wanted))
    # Powers that differ in the sixth digit give results that do.
    wanted = peer.transform(X)
    np.testing.assert_allclose(ours.transform(X), wanted, rtol=1e-4, atol=1e-4)
    peer.lambdas_ = ours.lambdas_.copy()
    if not standardize:
        np.testing.assert_allclose(ours.transform(X), peer.transform(X), rtol=1e-11, atol=1e-12)
        wanted = peer.inverse_transform(peer.transform(X))
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "x",
    [
        [2003.0, 1950.0, 1997.0, 2000.0, 2009.0],
        [2003.0, 1950.0, 1997.0, 2000.0, 2009.0, 2009.0, 1980.0, 1999.0, 2007.0, 1991.0],
        [-2003.0, -1950.0, -1997.0, -2000.0, -2009.0],
        [0.0, 0.0, 0.0, 1e10],
        [1e-3, 2e-3, 5e-3, 1e5],
    ],
)
def test_columns_that_overflow_easily_are_at_least_as_likely(x: list[float]) -> None:
    """Data of scikit-learn's and SciPy's own reports about overflow; the likelihood is taken in long double."""
    ours, peer = pair(np.array(x)[:, None], "yeo-johnson")

    def likelihood(at: float) -> float:
        column = np.array(x, dtype=np.longdouble)
        power = np.longdouble(at)
        logs, sign = np.log1p(np.abs(column)), np.where(column < 0, -1, 1)
        exponent = np.where(column < 0, 2 - power, power)
        y = sign * np.expm1(exponent * logs) / exponent
        return float(-len(x) / 2 * np.log(np.var(y)) + (power - 1) * (sign * logs).sum())

    assert likelihood(ours.lambdas_[0]) >= likelihood(peer.lambdas_[0]) - 1e-6
    assert np.isfinite(ours.transform(np.array(x)[:, None])).all()


def test_constant_columns_are_the_peers() -> None:
    X = np.array([[0.0, 5.0, -2.0]] * 4)
    ours, peer = pair(X, "yeo-johnson")
    np.testing.assert_array_equal(ours.lambdas_, peer.lambdas_)
    np.testing.assert_allclose(ours.transform(X), peer.transform(X), atol=1e-15)


def test_single_precision() -> None:
    X = np.random.default_rng(0).gamma(2.0, size=(300, 3)).astype(np.float32)
    for method in ("box-cox", "yeo-johnson"):
        ours, peer = pair(X, method)
        assert ours.transform(X).dtype == np.float32
        np.testing.assert_allclose(ours.lambdas_, peer.lambdas_, atol=2e-2)
        np.testing.assert_allclose(ours.transform(X), peer.transform(X), atol=2e-2)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_whole_numbers_and_flags(make: Any) -> None:
    random = np.random.default_rng(0)
    data = {"n": random.integers(0, 9, size=60), "f": random.random(60) < 0.4, "x": random.normal(size=60)}
    X = np.column_stack([np.asarray(v, dtype=float) for v in data.values()])
    ours = PowerTransformer().fit(make(data))
    peer = pair(X, "yeo-johnson")[1]
    np.testing.assert_allclose(ours.lambdas_, peer.lambdas_, rtol=1e-5)
    np.testing.assert_allclose(ours.transform(make(data)), peer.transform(X), rtol=1e-4, atol=1e-5)
    assert ours.get_feature_names_out().tolist() == ["n", "f", "x"]
