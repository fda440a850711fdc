"""Isotonic regression against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import isotonic as peer

from pellucid import isotonic


def sample(kind: str, rows: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(rows)
    x = random.normal(size=rows)
    if kind == "ties":
        x = np.round(4 * x) / 4
    if kind == "sorted":
        x = np.sort(x)
    if kind == "one value":
        x = np.full(rows, 2.0)
    if kind == "rounding":  # equal but for the last digits
        x = np.round(x, 1) + random.integers(0, 3, rows) * 2e-16
    return x, x + random.normal(size=rows), random.integers(0, 4, rows) / 2 + (np.arange(rows) == 0)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 7, 100, 3000])
@pytest.mark.parametrize("kind", ["smooth", "ties", "sorted", "one value", "rounding"])
def test_the_fitted_function_is_the_same(kind: str, rows: int, increasing: bool, weighted: bool) -> None:
    x, y, weight = sample(kind, rows)
    given = weight if weighted else None
    params = {"increasing": increasing, "out_of_bounds": "clip"}
    ours = isotonic.IsotonicRegression(**params).fit(x, y, given)
    theirs = peer.IsotonicRegression(**params).fit(x, y, given)
    at = np.concatenate([x, np.linspace(-4, 4, 200)])
    np.testing.assert_allclose(ours.predict(at), theirs.predict(at), rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.transform(at[:, None]), theirs.transform(at[:, None]), rtol=0, atol=1e-12)
    assert (ours.X_min_, ours.X_max_, ours.increasing_) == (theirs.X_min_, theirs.X_max_, theirs.increasing_)


def test_the_corners_are_the_same() -> None:
    x, y = np.arange(12), np.array([1.0, 3, 2, 2, 5, 5, 4, 9, 9, 9, 8, 20])
    for limits in ({}, {"y_min": 2, "y_max": 8.5}):
        ours, theirs = isotonic.IsotonicRegression(**limits).fit(x, y), peer.IsotonicRegression(**limits).fit(x, y)
        np.testing.assert_array_equal(ours.X_thresholds_, theirs.X_thresholds_)
        np.testing.assert_allclose(ours.y_thresholds_, theirs.y_thresholds_, rtol=1e-15)
        np.testing.assert_allclose(ours.f_(np.array([0.5, 7.3])), theirs.f_(np.array([0.5, 7.3])))


@pytest.mark.parametrize("outside", ["nan", "clip", "raise"])
def test_beyond_the_ends(outside: str) -> None:
    ours, theirs = (m.IsotonicRegression(out_of_bounds=outside).fit([1, 2, 3], [1, 2, 4]) for m in (isotonic, peer))
    if outside == "raise":
        for model in (ours, theirs):
            with pytest.raises(ValueError, match="interpolation range"):
                model.predict([0, 2, 9])
    else:
        np.testing.assert_array_equal(ours.predict([0, 2, 9]), theirs.predict([0, 2, 9]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(dtype: Any) -> None:
    x, y, _ = sample("ties", 200)
    ours, theirs = (m.IsotonicRegression().fit(x.astype(dtype), y.astype(dtype)) for m in (isotonic, peer))
    for name in ("X_thresholds_", "y_thresholds_"):
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype == dtype
    assert ours.predict(x.astype(dtype)).dtype == dtype
    np.testing.assert_allclose(ours.predict(x.astype(dtype)), theirs.predict(x.astype(dtype)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("limits", [{}, {"y_min": -0.5}, {"y_max": 0.5}, {"y_min": -0.5, "y_max": 0.5}], ids=str)
def test_the_function_is_the_same(limits: Any, increasing: bool, weighted: bool) -> None:
    _, y, weight = sample("smooth", 300)
    more = {"sample_weight": weight + 0.1 if weighted else None, "increasing": increasing, **limits}
    np.testing.assert_allclose(
        isotonic.isotonic_regression(y, **more), peer.isotonic_regression(y, **more), rtol=0, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("slope", [-1, -0.01, 0.01, 1])
def test_the_direction_is_the_same(slope: float) -> None:
    x, noise, _ = sample("ties", 60)
    y = slope * x + (noise - x)
    assert isotonic.check_increasing(x, y) == bool(peer.check_increasing(x, y))
    ours, theirs = (m.IsotonicRegression(increasing="auto").fit(x, y) for m in (isotonic, peer))
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=0, atol=1e-12)


def test_both_warn_of_a_direction_that_may_be_chance() -> None:
    x, y = [1, 2, 3, 4, 5, 6], [3, 1, 2, 3, 1, 3]
    for module, words in ((isotonic, "may be chance"), (peer, "spans zero")):
        with pytest.warns(UserWarning, match=words):
            module.check_increasing(x, y)
