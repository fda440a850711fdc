"""Scores of a regression by hand, against the reference, at the ends of the range, and what is refused."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn.metrics

from pellucid import metrics
from pellucid.base.errors import DataError, ParameterError
from pellucid.linear_model import LinearRegression
from pellucid.reference import metrics_regression as reference

PAIRS = {
    "mean_error": reference.mean_error,
    "mean_absolute_error": reference.mean_absolute_error,
    "mean_squared_error": reference.mean_squared_error,
    "root_mean_squared_error": reference.root_mean_squared_error,
    "mean_squared_log_error": reference.mean_squared_log_error,
    "mean_absolute_percentage_error": reference.mean_absolute_percentage_error,
    "median_absolute_error": reference.median_absolute_error,
    "explained_variance_score": reference.explained_variance,
    "r2_score": reference.r2,
    "d2_absolute_error_score": reference.d2_absolute_error,
}
HUGE = np.finfo(np.float64).max


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 7, 40])
def test_the_reference_agrees(name: str, weighted: bool, n: int) -> None:
    random = np.random.default_rng(n)
    true, predicted = random.uniform(0.5, 9, n), random.uniform(0.5, 9, n)
    weight = random.integers(0, 4, n) + (np.arange(n) < 2) if weighted else None
    found = getattr(metrics, name)(true, predicted, sample_weight=weight)
    np.testing.assert_allclose(found, PAIRS[name](true, predicted, weight), rtol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_the_reference_agrees_on_quantiles(alpha: float) -> None:
    random = np.random.default_rng(1)
    true, predicted, weight = random.normal(size=20), random.normal(size=20), random.uniform(0, 2, 20)
    found = metrics.mean_pinball_loss(true, predicted, sample_weight=weight, alpha=alpha)
    np.testing.assert_allclose(found, reference.mean_pinball_loss(true, predicted, alpha, weight), rtol=1e-10)


@pytest.mark.parametrize("power", [-1.5, 0, 1, 1.5, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_deviances(power: float, weighted: bool) -> None:
    random = np.random.default_rng(2)
    true, predicted = random.uniform(0.5, 9, 30), random.uniform(0.5, 9, 30)
    weight = random.integers(0, 3, 30) + (np.arange(30) < 2) if weighted else None
    found = metrics.mean_tweedie_deviance(true, predicted, sample_weight=weight, power=power)
    np.testing.assert_allclose(found, reference.mean_tweedie_deviance(true, predicted, power, weight), rtol=1e-10)
    peer = sklearn.metrics.mean_tweedie_deviance(true, predicted, sample_weight=weight, power=power)
    np.testing.assert_allclose(found, peer, rtol=1e-10)
    share = metrics.d2_tweedie_score(true, predicted, sample_weight=weight, power=power)
    np.testing.assert_allclose(
        share, sklearn.metrics.d2_tweedie_score(true, predicted, sample_weight=weight, power=power)
    )


def test_deviances_of_no_target() -> None:
    assert metrics.mean_poisson_deviance([0.0, 2.0], [1.0, 2.0]) == 1.0  # 0 log 0 is 0
    assert metrics.d2_tweedie_score([2.0, 2.0], [2.0, 2.0]) == 1.0
    for power, true, predicted, words in (
        (0.5, [1.0], [1.0], "only defined for power<=0 and power>=1; got 0.5"),
        (1, [1.0, 1.0], [1.0, 0.0], "strictly positive y_pred; found 0 in row 1"),
        (1.5, [-1.0, -2.0], [1.0, 1.0], "non-negative y; found -1 in row 0 and 1 other"),
        (2, [0.0], [1.0], "strictly positive y; found 0 in row 0"),
    ):
        with pytest.raises(ValueError, match=words):
            metrics.mean_tweedie_deviance(true, predicted, power=power)


def test_weights_are_rows_written_out() -> None:
    true, predicted, weight = [1.0, 5.0, 2.0, 8.0], [2.0, 5.5, 0.5, 5.0], [2, 0, 3, 1]
    long_true, long_predicted = (np.repeat(values, weight) for values in (true, predicted))
    for name in PAIRS:
        found = getattr(metrics, name)(true, predicted, sample_weight=weight)
        np.testing.assert_allclose(found, getattr(metrics, name)(long_true, long_predicted), rtol=1e-12, err_msg=name)


def test_signs_cancel() -> None:
    assert metrics.mean_error([0, 0], [-100, 100]) == 0
    assert metrics.mean_error([[1, 5], [2, 6]], [[0, 7], [1, 8]], multioutput="raw_values").tolist() == [1, -2]  # type: ignore[union-attr]
    assert metrics.mean_error([1, 2], [0, 0], sample_weight=[3, 1]) == 1.25


def test_adjusted_by_hand_and_by_the_reference() -> None:
    """Five rows, SSE 2 and SST 10: R² = 0.8; with two columns 1 - 0.2 * 4 / 2 = 0.6."""
    true, predicted = [1, 2, 3, 4, 5], [2, 2, 3, 4, 4]
    assert metrics.r2_score(true, predicted) == pytest.approx(0.8)
    assert metrics.adjusted_r2_score(true, predicted, 2) == pytest.approx(0.6)
    assert metrics.adjusted_r2_score(true, predicted, 0) == pytest.approx(0.8)
    assert metrics.adjusted_r2_score(true, predicted, 3) == pytest.approx(reference.adjusted_r2(true, predicted, 3))


def test_sums_of_squares_of_a_line_add_up_and_others_do_not() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2))
    y = 1e6 + X @ [1.0, 2.0] + random.normal(size=30)
    fitted = LinearRegression().fit(X, y).predict(X)
    sums = metrics.sums_of_squares(y, fitted)
    np.testing.assert_allclose([sums.sse, sums.ssr, sums.sst], reference.sums_of_squares(y, fitted), rtol=1e-9)
    assert sums.adds_up
    assert sums.ssr / sums.sst == pytest.approx(metrics.r2_score(y, fitted))
    assert not metrics.sums_of_squares(y, fitted + 1).adds_up
    with pytest.raises(dataclasses.FrozenInstanceError):
        sums.sse = 0.0  # type: ignore[misc]


def test_report_holds_the_scores() -> None:
    true, predicted = [3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]
    report = metrics.regression_report(true, predicted)
    assert report.n_rows == 4
    for name in ("mean_error", "mean_absolute_error", "median_absolute_error", "max_error", "mean_squared_error"):
        assert getattr(report, name) == getattr(metrics, name)(true, predicted)
    assert report.r2 == metrics.r2_score(true, predicted)
    lines = str(report).splitlines()
    assert len(lines) == 8
    assert len({len(line) for line in lines}) == 1
    assert lines[2].split() == ["mean", "absolute", "error", "0.5"]


# ---- the ends of the range


def test_errors_beyond_the_range_of_a_square() -> None:
    true, predicted = [3e200, -4e200], [0.0, 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.root_mean_squared_error(true, predicted) == pytest.approx(12.5**0.5 * 1e200)
        assert metrics.mean_squared_error(true, predicted) == np.inf
        assert metrics.r2_score(true, [3e200, -3e200]) == pytest.approx(1 - 1 / 24.5)
        assert metrics.explained_variance_score(true, [3e200, -3e200]) == pytest.approx(1 - 0.25 / 12.25)
        assert metrics.sums_of_squares(true, true).adds_up
        assert metrics.sums_of_squares(true, true).sst == np.inf


def test_the_largest_numbers_there_are() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.mean_absolute_error([HUGE] * 3, [0.0] * 3) == HUGE
        assert metrics.mean_absolute_error([[HUGE, HUGE]], [[0.0, 0.0]]) == HUGE
        assert metrics.median_absolute_error([HUGE] * 2, [0.0] * 2, sample_weight=[HUGE, HUGE]) == HUGE
        assert metrics.mean_error([HUGE, -HUGE], [-HUGE, HUGE]) == 0
        assert metrics.max_error([HUGE], [-HUGE]) == np.inf
        assert metrics.mean_absolute_percentage_error([HUGE], [-HUGE]) == 2
        assert metrics.r2_score([HUGE, -HUGE], [-HUGE, HUGE]) == -3
        assert metrics.r2_score([HUGE, -HUGE], [HUGE, -HUGE], sample_weight=[HUGE, HUGE]) == 1


def test_numbers_whose_squares_vanish() -> None:
    true, predicted = [1e-200, 2e-200, 3e-200, 4e-200], [1e-200, 2e-200, 3e-200, 5e-200]
    assert metrics.r2_score(true, predicted) == pytest.approx(0.8)
    assert metrics.root_mean_squared_error(true, predicted) == pytest.approx(0.5e-200)


@pytest.mark.parametrize("scale", [2.0**-700, 2.0**-30, 2.0**30, 2.0**700])
def test_a_power_of_two_changes_no_digit(scale: float) -> None:
    random = np.random.default_rng(3)
    true, predicted = random.normal(size=(2, 50))
    for name in ("r2_score", "explained_variance_score", "d2_absolute_error_score"):
        assert getattr(metrics, name)(true * scale, predicted * scale) == getattr(metrics, name)(true, predicted)
    for name in ("mean_absolute_error", "root_mean_squared_error", "median_absolute_error"):
        assert getattr(metrics, name)(true * scale, predicted * scale) == scale * getattr(metrics, name)(
            true, predicted
        )


def test_a_constant_with_a_rounded_mean_is_constant() -> None:
    """(0.1 + 0.1 + 0.1) / 3 is not 0.1 in floating point."""
    assert metrics.r2_score([0.1] * 3, [0.2] * 3) == 0
    assert metrics.r2_score([0.1] * 3, [0.1] * 3) == 1
    assert metrics.explained_variance_score([0.1] * 3, [0.1, 0.2, 0.3]) == 0
    assert metrics.r2_score([0.1] * 3, [0.2] * 3, force_finite=False) == -np.inf
    assert np.isnan(metrics.r2_score([0.1] * 3, [0.1] * 3, force_finite=False))


def test_a_row_of_weight_zero_does_not_exist() -> None:
    true, predicted, weight = [1e300, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 5.0], [0, 1, 1, 1, 1]
    assert metrics.r2_score(true, predicted, sample_weight=weight) == pytest.approx(0.8)
    assert metrics.r2_score([1.0, 2.0], [5.0, 2.0], sample_weight=[0, 1]) == 1


def test_half_of_a_weight_that_is_rounded_is_half() -> None:
    """0.1 + 0.2 is a little more than 0.3."""
    assert metrics.median_absolute_error([0.0] * 3, [1, 2, 4], sample_weight=[0.1, 0.2, 0.3]) == 3
    assert metrics.median_absolute_error([0.0] * 3, [1, 2, 4], sample_weight=[70.0, 7.7, 77.7]) == 3


# ---- what goes in


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        pd.Series,
        pl.Series,
        pa.array,
        lambda x: pd.DataFrame({"y": x}),
        lambda x: pl.DataFrame({"y": x}),
        lambda x: pd.Series(x, dtype="Float64"),
        lambda x: np.array(x, dtype=object),
        lambda x: np.array(x, dtype=np.float32),
    ],
)
def test_any_column_goes_in(make: Any) -> None:
    true, predicted = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0]
    assert metrics.mean_squared_error(make(true), make(predicted)) == 0.25
    assert metrics.r2_score(make(true), predicted, sample_weight=[1, 1, 1, 1]) == pytest.approx(0.8)


def test_nothing_is_changed_in_place() -> None:
    true, predicted, weight = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0]), np.array([0.0, 1.0, 2.0])
    before = true.copy(), predicted.copy(), weight.copy()
    for name in PAIRS:
        getattr(metrics, name)(true, predicted, sample_weight=weight)
    for old, new in zip(before, (true, predicted, weight), strict=True):
        np.testing.assert_array_equal(old, new)


# ---- what is refused

REFUSED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    (
        "mean_squared_error",
        ([], []),
        {},
        "mean_squared_error: Found array with 0 sample(s) in y_true (shape=(0,)) while a minimum of 1 is required.\n"
        "hint: check the selection that made it.",
    ),
    (
        "mean_squared_error",
        ([1], [1, 2]),
        {},
        "mean_squared_error: y_true, y_pred must be of equal length; Found input variables with inconsistent "
        "numbers of samples: [1, 2].\nhint: give one value a row in each.",
    ),
    (
        "mean_error",
        ([1, None, np.nan], [1, 2, 3]),
        {},
        "mean_error: Input y_true contains NaN; found in rows 1, 2.\nhint: drop or fill the rows without a value.",
    ),
    (
        "mean_error",
        ([1, 2], [1, np.inf]),
        {},
        "mean_error: Input y_pred contains infinity or a value too large for float64; found in row 1.\nhint: "
        "drop or mend these rows.",
    ),
    (
        "mean_error",
        (np.ma.masked_array([1.0, 2.0], [False, True]), [1, 2]),
        {},
        "mean_error: Input y_true contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        "mean_error",
        (["a", "b"], [1, 2]),
        {},
        "mean_error: y_true must hold numbers; got str values.\nhint: pass numbers only, as many in every row.",
    ),
    (
        "mean_error",
        ([1, 2], pd.Series([1, None], dtype="Float64")),
        {},
        "mean_error: Input y_pred contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        "mean_error",
        (np.array([1.5, "2"], dtype=object), [1, 2]),
        {},
        "mean_error: y_true must hold numbers; got '2'.\nhint: pass numbers only, as many in every row.",
    ),
    (
        "mean_error",
        ([1, 10**400], [1, 2]),
        {},
        "mean_error: y_true must hold numbers; int too large to convert to float.\nhint: pass numbers only, as "
        "many in every row.",
    ),
    (
        "mean_error",
        ([1j, 2], [1, 2]),
        {},
        "mean_error: y_true must hold numbers; got complex values.\nhint: pass numbers only, as many in every row.",
    ),
    (
        "mean_error",
        ([[1, 2], [3]], [1, 2]),
        {},
        "mean_error: y_true must hold numbers; ",
    ),
    (
        "mean_error",
        ([1, 2], np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")),
        {},
        "mean_error: y_pred must hold numbers; got datetime64[D] values.\nhint: pass numbers only, as many in "
        "every row.",
    ),
    (
        "mean_error",
        (3, 3),
        {},
        "mean_error: y_true must be a list or an array of numbers; got 3.\nhint: put a single value in brackets.",
    ),
    (
        "mean_error",
        ([[[1.0]]], [1]),
        {},
        "mean_error: Found array with dim 3 in y_true, while dim <= 2 is required; its shape is (1, 1, "
        "1).\nhint: y_true must have one row a sample.",
    ),
    (
        "mean_error",
        (sp.csr_array([[1.0]]), [1]),
        {},
        "mean_error: Sparse data was passed for y_true, but dense data is required.\nhint: turn it into an "
        "array with y_true.toarray().",
    ),
    (
        "mean_error",
        ([[1, 2]], [[1]]),
        {},
        "mean_error: y_true and y_pred have different number of output (2!=1).\n"
        "hint: give one column an output in both.",
    ),
    (
        "mean_error",
        ([1, 2], [1, 2]),
        {"sample_weight": [1, -1]},
        "mean_error: Negative values in data passed to `sample_weight`; row 1.\nhint: use weights of 0 or more.",
    ),
    (
        "mean_error",
        ([1, 2], [1, 2]),
        {"sample_weight": [0, 0]},
        "mean_error: Sample weights must contain at least one non-zero number; all are zero.",
    ),
    (
        "mean_error",
        ([1, 2], [1, 2]),
        {"sample_weight": [[1], [1]]},
        "mean_error: sample_weight must hold one number a row; Sample weights must be 1D array or scalar, got "
        "2D array.\nhint: pass one weight for each of the 2 rows.",
    ),
    (
        "mean_error",
        ([1, 2], [1, 2]),
        {"sample_weight": [1, 1, 1]},
        "mean_error: y_true, sample_weight must be of equal length; Found input variables with inconsistent "
        "numbers of samples: [2, 3].\nhint: give one value a row in each.",
    ),
    (
        "mean_error",
        ([1, 2], [1, 2]),
        {"multioutput": "variance_weighted"},
        "mean_error: multioutput must be one of 'raw_values', 'uniform_average' or one weight an output; "
        "got 'variance_weighted'.",
    ),
    (
        "r2_score",
        ([1, 2], [1, 2]),
        {"multioutput": "median"},
        "r2_score: multioutput must be one of 'raw_values', 'uniform_average', 'variance_weighted' "
        "or one weight an output; got 'median'.",
    ),
    (
        "r2_score",
        ([1, 2], [1, 2]),
        {"multioutput": [1]},
        "r2_score: Custom weights are useful only in multi-output cases; got multioutput weights for one output.",
    ),
    (
        "r2_score",
        ([[1, 2], [2, 3]], [[1, 2], [2, 3]]),
        {"multioutput": [1, 2, 3]},
        "r2_score: There must be equally many custom weights (3) as outputs (2).",
    ),
    (
        "mean_error",
        ([[1, 2], [2, 3]], [[1, 2], [2, 3]]),
        {"multioutput": [1, -1]},
        "mean_error: Weights of multioutput must not sum to zero; got [1.0, -1.0].",
    ),
    (
        "mean_pinball_loss",
        ([1, 2], [1, 2]),
        {"alpha": 1.5},
        "mean_pinball_loss: alpha must be a number from 0 to 1; got 1.5.",
    ),
    (
        "max_error",
        ([[1, 2]], [[1, 2]]),
        {},
        "max_error: Multioutput not supported in max_error; got 2 columns.\nhint: call it once for each column.",
    ),
    (
        "mean_squared_log_error",
        ([0, 1], [0, -1]),
        {},
        "mean_squared_log_error: Mean Squared Logarithmic Error cannot be used when targets contain values less than "
        "or equal to -1; y_pred has -1 in row 1.\nhint: use the same measure without logarithm.",
    ),
    (
        "adjusted_r2_score",
        ([1, 2, 3], [1, 2, 3], 2),
        {},
        "adjusted_r2_score: the number of rows must be at least n_columns + 2; got 3 rows with n_columns=2.\n"
        "hint: give more rows or use fewer columns.",
    ),
    (
        "adjusted_r2_score",
        ([1, 2, 3], [1, 2, 3], 0.5),
        {},
        "adjusted_r2_score: n_columns must be a whole number of at least 0; got 0.5.",
    ),
]


@pytest.mark.parametrize(("name", "data", "options", "words"), REFUSED, ids=[case[3][:60] for case in REFUSED])
def test_refusals(name: str, data: Any, options: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError)) as caught:
        getattr(metrics, name)(*data, **options)
    assert str(caught.value).startswith(words)


def test_the_warning_of_one_row_points_here() -> None:
    with pytest.warns(UserWarning, match="R\\^2 score is not well-defined") as heard:
        assert np.isnan(metrics.regression_report([1.0], [2.0]).r2)
    assert heard[0].filename == __file__
    words = "r2_score: R^2 score is not well-defined with less than two samples; got 1 row and answers nan."
    assert str(heard[0].message) == words
