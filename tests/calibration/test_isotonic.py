"""Isotonic regression by its mathematics, on several threads, and on data that cannot be used."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import threadpoolctl
from hypothesis import given
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError, PellucidError, PellucidWarning
from pellucid.isotonic import IsotonicRegression, isotonic_regression
from pellucid.reference import isotonic as reference

whole = st.integers(-20, 20).map(float)
rows = st.lists(st.tuples(whole, whole, st.integers(1, 4).map(float)), min_size=1, max_size=40)


@given(rows)
def test_the_kernel_agrees_with_the_reference(table: Any) -> None:
    x, y, weight = (np.array(column) for column in zip(*table, strict=True))
    for increasing in (True, False):
        model = IsotonicRegression(increasing=increasing, out_of_bounds="clip").fit(x, y, weight)
        corners, values = reference.fit(x, y, weight, increasing)
        np.testing.assert_allclose(model.predict(corners), values, atol=1e-12)
        between = np.append((corners[1:] + corners[:-1]) / 2, corners[0])
        np.testing.assert_allclose(model.predict(between), reference.predict(between, corners, values), atol=1e-12)


@given(rows)
def test_the_fit_is_optimal(table: Any) -> None:
    """It rises; residuals of a block sum to zero; and no prefix of the residuals has a positive sum."""
    _, y, weight = (np.array(column) for column in zip(*table, strict=True))
    f = isotonic_regression(y, sample_weight=weight)
    assert (np.diff(f) >= 0).all()
    sums = np.cumsum(weight * (y - f))
    assert abs(sums[-1]) < 1e-9
    assert (sums > -1e-9).all()  # moving a prefix down, which the order allows, cannot help
    assert abs(np.sum(weight * (y - f) * f)) < 1e-7 * (1 + np.abs(f).max())


def test_by_hand() -> None:
    model = IsotonicRegression().fit([3, 1, 2, 2], [2.0, 1.0, 5.0, 3.0], [1, 1, 1, 3])
    # x = 2 has the mean (5 + 9) / 4 = 3.5 and weight 4; with y = 2 at x = 3 that is (14 + 2) / 5 = 3.2
    assert model.X_thresholds_.tolist() == [1, 2, 3]
    np.testing.assert_allclose(model.y_thresholds_, [1, 3.2, 3.2])
    np.testing.assert_allclose(model.predict([1.5]), [2.1])


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_and_the_order_of_rows_change_no_bit(weighted: bool) -> None:
    random = np.random.default_rng(0)
    x = np.round(random.normal(size=300_000), 4)
    y, weight = x + random.normal(size=len(x)), random.random(len(x))
    shuffle = random.permutation(len(x))
    fits = []
    for threads in (1, 2, 3):
        with threadpoolctl.threadpool_limits(threads):
            w = weight if weighted else None
            fits.append(IsotonicRegression().fit(x, y, w))
            fits.append(IsotonicRegression().fit(x[shuffle], y[shuffle], None if w is None else w[shuffle]))
    for other in fits[1:]:
        assert other.X_thresholds_.tobytes() == fits[0].X_thresholds_.tobytes()
        assert other.y_thresholds_.tobytes() == fits[0].y_thresholds_.tobytes()


@pytest.mark.parametrize("power", [-1000, -60, 60, 900, 1020])
def test_any_scale(power: int) -> None:
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 3, 2, 4, -1])
    plain = IsotonicRegression().fit(x, y)
    np.testing.assert_array_equal(
        IsotonicRegression().fit(x, np.ldexp(y, power)).y_thresholds_, np.ldexp(plain.y_thresholds_, power)
    )
    small = IsotonicRegression().fit(np.ldexp(x, power), y)
    np.testing.assert_array_equal(small.y_thresholds_, plain.y_thresholds_)


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pl.Series, lambda v: np.array(v)[:, None], tuple])
def test_one_column_in_any_form(form: Any) -> None:
    x, y = [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]
    np.testing.assert_allclose(IsotonicRegression().fit(form(x), y).predict(form(x)), [1, 2.5, 2.5])


def test_the_function_is_kept_through_a_pickle() -> None:
    model = pickle.loads(pickle.dumps(IsotonicRegression().fit([1, 2], [3, 5])))
    assert model.f_([1.5]).tolist() == [4.0]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: IsotonicRegression().fit([[1, 2], [3, 4]], [1, 2]), "one column.*got 2 columns"),
        (lambda: IsotonicRegression().fit([1, 2], [[1, 2], [3, 4]]), "one target"),
        (lambda: IsotonicRegression().fit([1, np.nan], [1, 2]), "no missing values"),
        (lambda: IsotonicRegression().fit([1, 2], [1, np.inf]), "contains infinity"),
        (lambda: IsotonicRegression().fit(["a", "b"], [1, 2]), "must hold numbers"),
        (lambda: IsotonicRegression().fit([], []), "IsotonicRegression: "),
        (lambda: IsotonicRegression().fit([1, 2], [1]), "same number of rows"),
        (lambda: IsotonicRegression().fit([1, 2], [1, 2], [0, 0]), "above zero"),
        (lambda: IsotonicRegression(y_min=2, y_max=1).fit([1, 2], [1, 2]), "y_min must be at most y_max"),
        (lambda: IsotonicRegression().fit([1, 2], [1, 2]).predict([[1, 2]]), "2 features"),
        (
            lambda: IsotonicRegression(out_of_bounds="raise").fit([1, 2], [1, 2]).predict([1, 7]),
            "between 1 and 2.*row 1",
        ),
        (lambda: isotonic_regression([1, np.nan]), "y must be finite; NaN or infinity in row 1"),
        (lambda: isotonic_regression([]), "at least one number"),
        (lambda: isotonic_regression(["a"]), "must hold numbers"),
        (lambda: isotonic_regression([1, 2], sample_weight=[1, 0]), "above zero; it is not in row 1"),
        (lambda: isotonic_regression([1, 2], sample_weight=[1]), "one value a row"),
        (lambda: isotonic_regression([1, 2], y_min=3, y_max=1), "y_min must be at most y_max"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(act: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError, PellucidError), match=words) as caught:
        act()
    assert str(caught.value).count("\n") <= 1


def test_a_direction_that_may_be_chance_is_said() -> None:
    with pytest.warns(PellucidWarning, match="IsotonicRegression: whether y rises or falls"):
        model = IsotonicRegression(increasing="auto").fit([1, 2, 3, 4, 5, 6], [3, 1, 2, 3, 1, 3])
    assert model.increasing_
