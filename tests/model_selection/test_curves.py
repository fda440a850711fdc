"""Curves as scikit-learn draws them; bias, variance and noise that add up; the bootstrap against theory and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
import sklearn.model_selection

from pellucid.base.errors import DataError, ParameterError
from pellucid.dummy import DummyRegressor
from pellucid.linear_model import LinearRegression
from pellucid.model_selection import bias_variance, bootstrap, learning_curve, validation_curve

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=60)


@pytest.mark.filterwarnings("ignore:Removed duplicate entries")  # the peer's
@pytest.mark.parametrize("sizes", [[0.2, 0.5, 1.0], [5, 20, 40], [40, 5, 5]], ids=str)
def test_learning_curves_are_scikit_learns(sizes: list[float]) -> None:
    mine = learning_curve(LinearRegression(), X, Y, train_sizes=sizes, cv=3)
    theirs = sklearn.model_selection.learning_curve(LinearRegression(), X, Y, train_sizes=sizes, cv=3)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_shuffled_rows_and_times() -> None:
    settings: dict[str, Any] = {"train_sizes": [10, 30], "cv": 3, "shuffle": True, "random_state": 0}
    *scores, fit_times, score_times = learning_curve(LinearRegression(), X, Y, return_times=True, **settings)
    theirs = sklearn.model_selection.learning_curve(LinearRegression(), X, Y, **settings)
    for a, b in zip(scores, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    assert fit_times.shape == score_times.shape == (2, 3)


def test_the_gap_closes_with_more_rows() -> None:
    found = learning_curve(LinearRegression(), X, Y, train_sizes=[6, 12, 40], cv=3)
    assert found.gap[0] > found.gap[-1]
    assert "rows" in str(found)


@pytest.mark.parametrize("sizes", [[], [0.0], [1.2], [0], [1000], ["half"], 0.5])
def test_sizes_that_cannot_be(sizes: Any) -> None:
    with pytest.raises(ParameterError, match="train_sizes must be"):
        learning_curve(LinearRegression(), X, Y, train_sizes=sizes)


def test_validation_curves_are_scikit_learns() -> None:
    settings: dict[str, Any] = {"param_name": "fit_intercept", "param_range": [True, False], "cv": 4}
    mine = validation_curve(LinearRegression(), X, Y, **settings)
    theirs = sklearn.model_selection.validation_curve(LinearRegression(), X, Y, **settings)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    assert mine.best in (True, False)
    assert "fit_intercept" in str(mine)


def test_parameters_that_are_not_there() -> None:
    with pytest.raises(ParameterError, match="param_name must be a parameter of LinearRegression; got 'depth'"):
        validation_curve(LinearRegression(), X, Y, param_name="depth", param_range=[1])
    with pytest.raises(ParameterError, match="at least one value"):
        validation_curve(LinearRegression(), X, Y, param_name="positive", param_range=[])


# --------------------------------------------------------------------------------------------------------- simulation


def test_bias_variance_and_noise_add_up() -> None:
    rows = np.linspace(-1, 1, 20)[:, None]
    found = bias_variance(LinearRegression(), lambda X: X[:, 0] ** 2, rows, noise=0.3, n_sets=2000, random_state=0)
    assert found.noise == pytest.approx(0.09)
    assert found.error == pytest.approx(found.bias2 + found.variance + found.noise, rel=0.02)
    # The variance of a fitted line is sd² (p + 1) / n on its own rows.
    assert found.variance == pytest.approx(0.09 * 2 / 20, rel=0.1)
    assert "bias²" in str(found)


def test_a_flexible_model_trades_bias_for_variance() -> None:
    rows = np.linspace(-1, 1, 20)[:, None]
    powers = rows ** np.arange(1, 7)
    simple, flexible = (
        bias_variance(LinearRegression(), lambda X: X[:, 0] ** 2, table, noise=0.3, n_sets=200, random_state=0)
        for table in (rows, powers)
    )
    assert simple.bias2 > 10 * flexible.bias2
    assert flexible.variance > 2 * simple.variance


def test_the_mean_as_a_model() -> None:
    found = bias_variance(DummyRegressor(), lambda X: X[:, 0], [[-1.0], [0.0], [1.0]], noise=0, n_sets=3)
    assert found.bias2 == pytest.approx(2 / 3)
    assert found.variance == found.noise == 0


@pytest.mark.parametrize(("settings", "kind"), [({"n_sets": 1}, ParameterError), ({"noise": -1}, ParameterError)])
def test_simulations_that_cannot_be(settings: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match="n_sets must be at least 2"):
        bias_variance(LinearRegression(), lambda X: X[:, 0], X, **settings)


def test_a_truth_of_the_wrong_size() -> None:
    with pytest.raises(DataError, match="one finite number for each row"):
        bias_variance(LinearRegression(), lambda X: X, X)


# ---------------------------------------------------------------------------------------------------------- bootstrap


def test_the_standard_error_of_a_mean() -> None:
    values = RNG.normal(size=200)
    found = bootstrap(np.mean, values, n_resamples=4000, random_state=0)
    assert found.estimate == values.mean()
    assert found.standard_error == pytest.approx(values.std() / np.sqrt(200), rel=0.05)
    assert found.bias == pytest.approx(0, abs=0.005)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_intervals_are_scipys(method: Any) -> None:
    values = RNG.exponential(size=40)
    found = bootstrap(np.mean, values, n_resamples=9999, method=method, random_state=0)
    peer = scipy.stats.bootstrap((values,), np.mean, n_resamples=9999, method=method, rng=np.random.default_rng(0))
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=0.02)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=0.02)


def test_columns_are_drawn_together() -> None:
    found = bootstrap(lambda x, y: float(np.corrcoef(x, y)[0, 1]), X[:, 0], 2 * X[:, 0], random_state=0)
    np.testing.assert_allclose(found.samples, 1)
    assert found.low == pytest.approx(1)


def test_the_same_seed_gives_the_same_samples() -> None:
    a, b = (bootstrap(np.median, Y, n_resamples=50, random_state=3).samples for _ in range(2))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("data", "settings", "kind"),
    [
        ((), {}, DataError),
        (([1.0],), {}, DataError),
        (([1.0, 2.0], [1.0]), {}, DataError),
        ((3.0,), {}, DataError),
        (([1.0, 2.0],), {"n_resamples": 1}, ParameterError),
        (([1.0, 2.0],), {"level": 1.5}, ParameterError),
        (([1.0, 2.0],), {"method": "other"}, ParameterError),
    ],
)
def test_what_cannot_be_drawn(data: Any, settings: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match="bootstrap: "):
        bootstrap(np.mean, *data, **settings)
