"""Lasso and elastic net against scikit-learn: costs at least as low at equal tol, the same answers at the optimum."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from pellucid import linear_model as ours

from .drawn import numbers

Array = NDArray[np.float64]
SEEDS = numbers(20)


def random_problem(seed: int) -> tuple[Any, Array, Array | None, dict[str, Any]]:
    """Tables of any shape, of columns of different sizes, dense or sparse; weights and signs in turn."""
    random = np.random.default_rng(seed)
    n, p = int(random.integers(5, 200)), int(random.integers(1, 300))
    X = random.normal(size=(n, p)) * random.choice([1, 10, 0.1], size=p) + 3 * random.normal(size=p)
    w = np.where(random.random(p) < 0.2, random.normal(size=p), 0)
    y = X @ w + random.normal(size=n) + 5
    if seed % 4 == 0:
        X = np.where(random.random((n, p)) < 0.8, 0, X)
    weight = random.integers(0, 3, n) + 0.1 if seed % 2 else None
    settings = {"l1_ratio": float(random.choice([1.0, 0.5, 0.1])), "positive": seed % 3 == 0}
    slopes = (X - X.mean(axis=0)).T @ (y - y.mean()) / n
    settings["alpha"] = float(np.abs(slopes).max() * 10 ** -random.uniform(0, 3))
    return scipy.sparse.csr_array(X) if seed % 4 == 0 else X, y, weight, settings


def cost(model: Any, X: Any, y: Array, weight: Array | None) -> float:
    s = np.ones(len(y)) if weight is None else weight
    r = y - model.intercept_ - X @ model.coef_
    alpha, r1 = model.alpha, model.l1_ratio
    penalty = alpha * r1 * np.abs(model.coef_).sum() + alpha * (1 - r1) / 2 * (model.coef_**2).sum()
    return float(s @ r**2 / (2 * s.sum()) + penalty)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tol", [1e-4, 1e-7])
def test_the_cost_is_at_least_as_low_at_equal_tol(seed: int, tol: float) -> None:
    X, y, weight, settings = random_problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = theirs.ElasticNet(tol=tol, **settings).fit(X, y, weight)
    model = ours.ElasticNet(tol=tol, **settings).fit(X, y, weight)
    assert cost(model, X, y, weight) <= cost(peer, X, y, weight) * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_optimum_is_the_same(seed: int) -> None:
    X, y, weight, settings = random_problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = theirs.ElasticNet(tol=1e-13, max_iter=50_000, **settings).fit(X, y, weight)
    model = ours.ElasticNet(tol=1e-10, **settings).fit(X, y, weight)
    assert cost(model, X, y, weight) == pytest.approx(cost(peer, X, y, weight), rel=1e-7)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=1e-3 * np.abs(y).max())


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("name", ["lasso_path", "enet_path"])
def test_paths(name: str, positive: bool) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 20))
    y = X[:, 0] - X[:, 5] + 0.3 * random.normal(size=60)
    mine = getattr(ours, name)(X, y, eps=0.01, alphas=20, positive=positive, return_n_iter=True)
    peer = getattr(theirs, name)(X, y, eps=0.01, alphas=20, positive=positive, return_n_iter=True, tol=1e-10)
    assert [np.shape(part) for part in mine] == [np.shape(part) for part in peer]
    np.testing.assert_allclose(mine[0], peer[0], rtol=1e-12)
    np.testing.assert_allclose(mine[1], peer[1], atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_cross_validation(weighted: bool) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 10))
    y = X[:, 0] * 2 - X[:, 3] + random.normal(size=80)
    weight = random.random(80) if weighted else None
    exact = {"tol": 1e-10, "max_iter": 10_000}
    mine, peer = ours.LassoCV().fit(X, y, weight), theirs.LassoCV(**exact).fit(X, y, weight)
    assert mine.alpha_ == pytest.approx(peer.alpha_, rel=1e-9)
    np.testing.assert_allclose(mine.alphas_, peer.alphas_, rtol=1e-9)
    np.testing.assert_allclose(mine.mse_path_, peer.mse_path_, rtol=1e-5)
    np.testing.assert_allclose(mine.coef_, peer.coef_, atol=1e-6)
    ratios = [0.1, 0.7, 1.0]
    net = ours.ElasticNetCV(l1_ratio=ratios, alphas=30, cv=3).fit(X, y, weight)
    other = theirs.ElasticNetCV(l1_ratio=ratios, alphas=30, cv=3, **exact).fit(X, y, weight)
    assert (net.l1_ratio_, net.alphas_.shape) == (other.l1_ratio_, other.alphas_.shape)
    assert net.alpha_ == pytest.approx(other.alpha_, rel=1e-9)
    np.testing.assert_allclose(net.mse_path_, other.mse_path_, rtol=1e-5)


def test_awkward_tables() -> None:
    random = np.random.default_rng(2)
    X, y = random.normal(size=(30, 4)), random.normal(size=30)
    tables: dict[str, Any] = {
        "integers": random.integers(-9, 9, (30, 4)),
        "flags": X > 0,
        "single": X.astype(np.float32),
        "large": X * 1e100,
        "tiny": X * 1e-100,
        "far": X + 1e6,
        "idle": np.column_stack([X, np.ones(30), np.zeros(30)]),
        "frame": pd.DataFrame(X, columns=list("abcd")),
        "wide": random.normal(size=(5, 40)),
    }
    for name, table in tables.items():
        target = y[: len(table)]
        mine = ours.Lasso(0.05).fit(table, target)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            peer = theirs.Lasso(0.05, tol=1e-12, max_iter=100_000).fit(table, target)
        np.testing.assert_allclose(
            mine.predict(table), peer.predict(table), atol=1e-4 if name in ("single", "far") else 1e-6, err_msg=name
        )
        assert mine.coef_.dtype == peer.coef_.dtype, name


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"])
def test_the_parameters_are_theirs_with_the_same_defaults(name: str) -> None:
    mine, peer = getattr(ours, name)().get_params(), getattr(theirs, name)().get_params()
    assert peer.items() <= mine.items()
    fitted = getattr(theirs, name)().fit(np.eye(6), np.arange(6.0))
    own = getattr(ours, name)().fit(np.eye(6), np.arange(6.0))
    assert [attribute for attribute in vars(fitted) if attribute.endswith("_") and not hasattr(own, attribute)] == []
