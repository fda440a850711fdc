"""Scalers: mathematics, the reference, awkward numbers, parts, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pellucid.base.errors import DataError, ParameterError
from pellucid.preprocessing import MaxAbsScaler, MeanNormalizer, MinMaxScaler, RobustScaler, StandardScaler
from pellucid.reference import scaling as reference

ALL: list[Any] = [StandardScaler, MinMaxScaler, MaxAbsScaler, MeanNormalizer, RobustScaler]
IN_PARTS: list[Any] = [StandardScaler, MinMaxScaler, MaxAbsScaler, MeanNormalizer]
TABLES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8),
    elements=st.one_of(st.integers(-9, 9).map(float), st.floats(-1e6, 1e6), st.just(np.nan)),
)


def by_reference(model: Any, x: Any) -> Any:
    """One column, scaled by the readable code."""
    return {
        StandardScaler: lambda: reference.standard(x, ddof=getattr(model, "ddof", 0)),
        MinMaxScaler: lambda: reference.min_max(x, *getattr(model, "feature_range", ())),
        MaxAbsScaler: lambda: reference.max_abs(x),
        MeanNormalizer: lambda: reference.mean_normal(x),
        RobustScaler: lambda: reference.robust(x, unit_variance=getattr(model, "unit_variance", False)),
    }[type(model)]()


@settings(max_examples=60, deadline=None)
@given(TABLES, st.sampled_from([*[cls() for cls in ALL], MinMaxScaler((-2, 5)), RobustScaler(unit_variance=True)]))
def test_the_kernel_agrees_with_the_reference(X: Any, model: Any) -> None:
    X = X[:, ~np.isnan(X).all(axis=0)]
    if X.shape[1] == 0:
        return
    found = model.fit_transform(X)
    for j in range(X.shape[1]):
        wanted = by_reference(model, X[:, j])
        # A column that hardly varies beside its size has lost as many digits before any scaler saw it.
        lost = np.nanmax(np.abs(X[:, j])) / (np.nanmax(np.abs(X[:, j] - np.nanmean(X[:, j]))) or np.inf)
        np.testing.assert_allclose(found[:, j], wanted, rtol=1e-9, atol=1e-13 * (1 + lost))


@pytest.mark.parametrize("ddof", [0, 1])
def test_mean_and_variance_are_those_of_exact_arithmetic(ddof: int) -> None:
    """Numbers far from zero, whose squares would drown their spread."""
    x = 1e9 + np.random.default_rng(0).integers(0, 1000, size=3000) / 1024
    exact = [Fraction(v) for v in x]
    mean = sum(exact) / len(exact)
    variance = sum((v - mean) ** 2 for v in exact) / (len(exact) - ddof)
    model = StandardScaler(ddof=ddof).fit(x[:, None])  # type: ignore[arg-type]
    assert abs(model.mean_[0] - float(mean)) <= 2e-16 * float(mean)
    assert abs(model.var_[0] / float(variance) - 1) < 1e-13


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-20, 1e150, 1e300])
def test_huge_and_tiny_numbers_are_scaled_like_others(cls: Any, size: float) -> None:
    X = np.random.default_rng(0).integers(-50, 50, size=(300, 3)).astype(float)
    near = 1e-4 if size < 1e-300 else 1e-12  # numbers below 1e-308 have few digits themselves
    np.testing.assert_allclose(cls().fit_transform(X * size), cls().fit_transform(X), rtol=near, atol=near)


@pytest.mark.parametrize("cls", ALL)
def test_a_range_beyond_every_float_is_refused(cls: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.7e308, -1.7e308, 0.0]})
    model = cls(quantile_range=(0, 100)) if cls is RobustScaler else cls()
    with pytest.raises(DataError, match=r"range of a column must fit into float64; .*'b'"):
        model.fit(frame)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e300, 1e-300])
def test_a_constant_column_is_divided_by_one(cls: Any, value: float) -> None:
    X = np.full((999, 2), value)
    model = cls().fit(X)
    if cls is MaxAbsScaler and value:
        assert np.abs(model.transform(X)).max() == 1
    else:
        assert (model.transform(X) == 0).all()
        assert (model.scale_ == 1).all()


@pytest.mark.parametrize("cls", ALL)
def test_a_column_without_values_stays_missing(cls: Any) -> None:
    X = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    found = cls().fit_transform(X)
    assert np.isnan(found[:, 0]).all()
    np.testing.assert_array_equal(found[:, 1], cls().fit_transform(X[:, 1:]).ravel())


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_scaled_columns_have_the_figures_that_they_should_have(X: Any) -> None:
    X = np.nan_to_num(X)
    moves = X.max(axis=0) - X.min(axis=0) > 1e-6 * np.abs(X).max(axis=0)
    if not moves.any():
        return
    X = X[:, moves]
    z = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(z.std(axis=0), 1, rtol=1e-8)
    z = MinMaxScaler().fit_transform(X)
    assert (z.min(axis=0) == 0).all()
    assert (z.max(axis=0) == 1).all()
    z = MeanNormalizer().fit_transform(X)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(np.ptp(z, axis=0), 1, rtol=1e-9)
    assert (np.abs(MaxAbsScaler().fit_transform(X)).max(axis=0) == 1).all()
    np.testing.assert_allclose(np.median(RobustScaler().fit_transform(X), axis=0), 0, atol=1e-9)


def test_unit_variance_gives_normal_numbers_a_variance_of_one() -> None:
    x = np.random.default_rng(0).normal(5, 3, size=(200_000, 1))
    assert abs(RobustScaler(unit_variance=True).fit_transform(x).var() - 1) < 0.02


# ----------------------------------------------------------------------------------------------------- forms and parts


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_layout_has_the_same_bits(cls: Any, dtype: Any) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 70)).astype(dtype)
    X[5, 3] = np.nan
    plain = cls().fit(X)
    wanted = plain.transform(X)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    for other in (np.asfortranarray(X), wide[::2, ::3], X[::-1, ::-1][::-1, ::-1], np.asfortranarray(wide)[::2, ::3]):
        model = cls(n_jobs=2).fit(other)
        np.testing.assert_array_equal(model.scale_, plain.scale_)
        found = model.transform(other)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(model.inverse_transform(found), plain.inverse_transform(wanted))


def test_the_layout_of_a_table_is_that_of_the_result() -> None:
    X = np.random.default_rng(0).normal(size=(30, 4))
    assert StandardScaler().fit_transform(X).flags.c_contiguous
    assert StandardScaler().fit_transform(np.asfortranarray(X)).flags.f_contiguous


@pytest.mark.parametrize("cls", ALL)
def test_without_copy_an_array_is_written_over(cls: Any) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    for order in "CF":
        array = np.array(X, order=order)  # type: ignore[call-overload]
        wanted = cls().fit_transform(array)
        found = cls(copy=False).fit_transform(array)
        assert np.shares_memory(found, array)
        np.testing.assert_array_equal(array, wanted)
    whole = np.arange(6).reshape(3, 2)
    cls(copy=False).fit_transform(whole)
    assert whole.tolist() == [[0, 1], [2, 3], [4, 5]]
    bad = np.array([[1.0], [np.inf]])
    with pytest.raises(DataError, match="infinity"):
        cls(copy=False).fit(X[:, :1]).transform(bad)
    assert bad[0, 0] == 1


@pytest.mark.parametrize("cls", IN_PARTS)
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_parts_give_what_the_whole_gives(cls: Any, size: float) -> None:
    X = np.random.default_rng(0).normal(size=(500, 3)) * size
    X[:250, 1] = np.nan
    X[:100] *= 1e-150 if size > 1 else 1
    whole, parts = cls().fit(X), cls()
    for part in np.array_split(X, 9):
        parts.partial_fit(part)
    np.testing.assert_allclose(parts.transform(X), whole.transform(X), rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(parts.n_samples_seen_, whole.n_samples_seen_)


def test_parts_far_from_zero_are_joined_exactly() -> None:
    x = 1e9 + np.random.default_rng(0).integers(0, 1000, size=(3000, 1)) / 1024
    whole, parts = StandardScaler().fit(x), StandardScaler()
    for part in np.array_split(x, 11):
        parts.partial_fit(part)
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-13)


def test_fit_forgets_earlier_parts() -> None:
    model = StandardScaler().partial_fit([[100.0]]).fit([[1.0], [3.0]])
    assert model.mean_.tolist() == [2.0]
    assert model.partial_fit([[5.0]]).mean_.tolist() == [3.0]


def test_a_part_with_other_columns_is_refused_and_nothing_is_learned() -> None:
    model = StandardScaler().partial_fit([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(DataError, match="expecting 2 features"):
        model.partial_fit([[1.0]])
    with pytest.raises(DataError, match="infinity"):
        model.partial_fit([[np.inf, 1.0]])
    assert model.mean_.tolist() == [2.0, 3.0]
    assert model.n_samples_seen_ == 2


# ------------------------------------------------------------------------------------------------- weights and refusals


@pytest.mark.parametrize("sparse", [False, True])
def test_weights_are_those_of_the_formula(sparse: bool) -> None:
    random = np.random.default_rng(0)
    X, weight = random.integers(-3, 4, size=(200, 3)).astype(float), random.exponential(size=200)
    weight[:20], X[30:40, 1] = 0, np.nan
    given_: Any = sp.csr_array(X) if sparse else X
    model = StandardScaler(with_mean=not sparse, ddof=1).fit(given_, sample_weight=weight)
    for j in range(3):
        mean, variance = reference.mean_and_variance(X[:, j], weight, ddof=1)
        np.testing.assert_allclose([model.mean_[j], model.var_[j]], [mean, variance], rtol=1e-12)


def test_weights_too_small_for_the_sample_variance_are_refused() -> None:
    with pytest.raises(DataError, match=r"with ddof=1 the weights must add up to more than 1; got .* 0\.5\."):
        StandardScaler(ddof=1).fit([[1.0], [2.0]], sample_weight=[0.25, 0.25])
    assert StandardScaler(ddof=1).fit([[1.0]]).var_.tolist() == [0.0]


def test_weights_beyond_every_float_are_refused() -> None:
    with pytest.raises(DataError, match="the sum of sample_weight must fit into float64"):
        StandardScaler().fit([[1.0], [2.0]], sample_weight=[1.7e308, 1.7e308])


@pytest.mark.parametrize("cls", ALL)
def test_infinity_is_named_in_fit_and_transform(cls: Any) -> None:
    bad = pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [1.0, 2.0, np.inf]})
    with pytest.raises(DataError, match=r"'b' has 1 infinite value .* row 2"):
        cls().fit(bad)
    model = cls().fit(bad.iloc[:2])
    for method in (model.transform, model.inverse_transform):
        with pytest.raises(DataError, match=r"'b' has 1 infinite value .* row 2"):
            method(bad)


@pytest.mark.parametrize("value", [(1, 1), (0, 1, 2), (0, "1"), (np.nan, 1), (0, np.inf - np.inf)])
def test_a_feature_range_is_two_numbers_in_order(value: Any) -> None:
    with pytest.raises(ParameterError, match="feature_range must be two numbers, the smaller first; got"):
        MinMaxScaler(value).fit([[1.0]])


def test_unit_variance_needs_quantiles_that_a_normal_distribution_has() -> None:
    with pytest.raises(ParameterError, match="unit_variance must have two different quantiles between 0 and 100"):
        RobustScaler(unit_variance=True, quantile_range=(0, 75)).fit([[1.0]])


@pytest.mark.parametrize("cls", [MinMaxScaler, MaxAbsScaler])
def test_clip_holds_later_values_at_the_ends(cls: Any) -> None:
    model = cls(clip=True).fit([[-2.0], [2.0]])
    assert model.transform([[-9.0], [9.0], [np.nan]]).ravel()[:2].tolist() == [0 if cls is MinMaxScaler else -1, 1]
    assert np.isnan(model.transform([[np.nan]])).all()


def test_a_working_leaves_missing_values_out() -> None:
    X = np.array([[1.0, 5.0], [np.nan, 7.0], [4.0, 9.0]])
    for cls in ALL:
        model = cls().fit(X)
        text = model.show_fit(X).to_text()
        assert "left out: 1" in text
        assert "scaled" in model.show_transform(X).to_text()


def test_a_working_shows_the_weights() -> None:
    X, weight = [[1.0], [4.0]], [2.0, 1.0]
    shown = StandardScaler().fit(X, sample_weight=weight).show_fit(X, sample_weight=weight)
    assert shown.value("mean") == 2.0
    assert shown.value("variance") == 2.0
