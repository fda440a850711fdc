"""Stochastic descent, one row a step in the given order, against scikit-learn's SGDRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import SGDRegressor

from pellucid.linear_model import GradientDescentRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = X @ [1.0, 2.0, -3.0] + 1 + RNG.normal(size=50)
WEIGHT = RNG.uniform(0.5, 2, size=50)

RATES: list[dict[str, Any]] = [
    {"learning_rate": "constant", "eta0": 0.01},
    {"learning_rate": "invscaling", "eta0": 0.05},
    {"learning_rate": "invscaling", "eta0": 0.3, "power_t": 0.5},
    {"learning_rate": "adaptive", "eta0": 0.02},
]
PENALTIES: list[dict[str, Any]] = [{"penalty": None}, {"penalty": "l2"}, {"penalty": "l2", "alpha": 0.1}]
STOPS: list[dict[str, Any]] = [
    {"tol": 1e-3},
    {"tol": 1e-2, "n_iter_no_change": 2},
    {"tol": 1e-6, "max_iter": 200},
    {"tol": None, "max_iter": 7},
]


def both(X: Any, chosen: dict[str, Any], weight: Any = None, **ours: Any) -> tuple[Any, Any]:
    peer = SGDRegressor(shuffle=False, **chosen).fit(X, Y, sample_weight=weight)
    model = GradientDescentRegressor(batch_size=1, order="given", **chosen, **ours).fit(X, Y, sample_weight=weight)
    return model, peer


def assert_same(model: Any, peer: Any) -> None:
    assert model.n_iter_ == peer.n_iter_
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, peer.intercept_[0], rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("stop", STOPS, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_given_order(rate: dict[str, Any], penalty: dict[str, Any], stop: dict[str, Any]) -> None:
    assert_same(*both(X, {**rate, **penalty, **stop}))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_intercept(penalty: dict[str, Any], fit_intercept: bool) -> None:
    assert_same(*both(X, {**RATES[1], **penalty, **STOPS[0], "fit_intercept": fit_intercept}))


def test_weights_without_a_divisor() -> None:
    """scikit-learn multiplies the step by the weight as it is; its stopping rule leaves weights out."""
    assert_same(*both(X, {**RATES[1], "penalty": None, "tol": None, "max_iter": 9}, WEIGHT, divide="none"))


def test_one_pass_over_a_dense_table_is_one_over_a_sparse_one() -> None:
    """scikit-learn makes the intercept's steps 100 times smaller on a sparse table; we do not."""
    table = np.where(np.abs(X) < 0.5, 0, X)
    chosen = {**RATES[1], **STOPS[0], "penalty": "l2"}
    model, _ = both(scipy.sparse.csr_array(table), chosen)
    _, peer = both(table, chosen)
    assert_same(model, peer)
