"""KernelDensityNB against its definition, SciPy's kernel densities and the reference; few points and many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde

from pellucid import _core
from pellucid.base.errors import DataError
from pellucid.naive_bayes import KernelDensityNB
from pellucid.reference import naive_bayes_categories as reference

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
@pytest.mark.parametrize("rows", [60, 6000], ids=["few", "many"])
def test_scipy_has_the_same_densities(rule: Any, rows: int) -> None:
    y = np.arange(rows) % 2
    X = np.column_stack([RNG.normal(size=rows) + 2 * y, RNG.gamma(2.0, size=rows) * (1 + y)])
    model = KernelDensityNB(bandwidth=rule).fit(X, y)
    test = X[:60]
    expected = np.full((60, 2), np.log(0.5))
    for c in (0, 1):
        for j in (0, 1):
            expected[:, c] += gaussian_kde(X[y == c, j], bw_method=rule).logpdf(test[:, j])
    np.testing.assert_allclose(model.predict_joint_log_proba(test), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("shape", ["normal", "clusters", "outlier", "ties"])
def test_the_table_of_many_points_is_the_sum_of_the_kernels(shape: str) -> None:
    x = {
        "normal": RNG.normal(size=20_000),
        "clusters": np.concatenate([RNG.normal(size=5000), 40 + 0.01 * RNG.normal(size=5000)]),
        "outlier": np.append(RNG.normal(size=10_000), 1e6),
        "ties": RNG.integers(0, 2000, 50_000) / 7,
    }[shape]
    points, often = np.unique(x, return_counts=True)
    weight, h = often / len(x), 6.0 if shape == "ties" else 0.2
    density = _core.Density(points, weight, h)
    assert density.has_table
    places = np.concatenate([RNG.choice(x, 300), RNG.uniform(x.min() - 9, min(x.max(), 60.0) + 9, 300), [1e5, -1e7]])
    found = np.zeros(len(places))
    _core.add_log_densities(places, [density], found, 2)
    z = -(((places[:, None] - points) / h) ** 2) / 2
    expected = logsumexp(z, axis=1, b=weight) - np.log(h * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


def test_the_reference_adds_the_same_bells() -> None:
    X = [1.0, 2.0, None, 5.0, 6.5, 8.0]
    y = ["a", "a", "a", "b", "b", "b"]
    model = KernelDensityNB().fit(np.array([X], dtype=float).T, y)
    factor = reference.kernels(X, y)  # type: ignore[arg-type]
    for x in (1.5, 4.0, 30.0):
        by_hand = reference.scores([x], reference.priors(y), [factor])
        np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([[x]])[0]), list(by_hand.values()), rtol=1e-10)


def test_far_from_everything_the_nearest_class_wins() -> None:
    model = KernelDensityNB(bandwidth=1.0).fit([[0.0], [1.0], [10.0], [11.0]], ["low", "low", "high", "high"])
    assert model.predict([[1e6], [-1e6], [1e150]]).tolist() == ["high", "low", "high"]
    assert np.isfinite(model.predict_joint_log_proba([[1e6], [-1e6]])).all()


def test_classes_without_spread_or_values_borrow_the_columns() -> None:
    X = np.array([[1.0, 5.0], [1.0, 6.0], [3.0, np.nan], [5.0, np.nan]])
    model = KernelDensityNB().fit(X, ["a", "a", "b", "b"])
    spread = X[:, 0].std(ddof=1)
    assert model.bandwidths_[0, 0] == pytest.approx(spread * 2**-0.2)
    assert model.bandwidths_[1, 1] == model.bandwidths_[0, 1]
    constant = KernelDensityNB().fit([[2.0], [2.0], [2.0]], [0, 1, 1])
    np.testing.assert_allclose(constant.predict_proba([[2.0], [7.0]]), [[1 / 3, 2 / 3]] * 2)
    nothing = KernelDensityNB().fit([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 4.0]], [0, 0, 1])
    assert np.isnan(nothing.bandwidths_[:, 0]).all()
    np.testing.assert_array_equal(nothing.predict_proba([[9.0, 1.0]]), nothing.predict_proba([[np.nan, 1.0]]))


def test_parts_are_the_whole_and_threads_change_no_bit() -> None:
    X, y = RNG.normal(size=(900, 2)), RNG.integers(0, 3, 900)
    whole = KernelDensityNB().fit(X, y)
    parts = KernelDensityNB()
    for part in np.array_split(np.arange(900), 4):
        parts.partial_fit(X[part], y[part], [0, 1, 2])
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    for n in (1, 3):
        np.testing.assert_array_equal(whole.set_params(n_jobs=n).predict_proba(X), parts.predict_proba(X))


def test_huge_and_tiny_numbers_are_answered_in_their_own_unit() -> None:
    X, y = np.array([[1.0], [2.0], [5.0], [7.0]]), [0, 0, 1, 1]
    found = KernelDensityNB().fit(X, y).predict_proba(X)
    for unit in (1e300, 1e-305):
        np.testing.assert_allclose(KernelDensityNB().fit(X * unit, y).predict_proba(X * unit), found, rtol=1e-9)


def test_spreads_beyond_floats_are_refused() -> None:
    with pytest.raises(DataError, match="spreads too far"):
        KernelDensityNB().fit([[1e308], [-1e308], [0.0], [1.0]], [0, 0, 1, 1])
