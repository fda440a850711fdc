"""QuantileTransformer: mathematics, the reference, awkward numbers, layouts, and what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import ndtri

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.preprocessing import QuantileTransformer
from pellucid.reference import quantile as reference

COLUMNS = hnp.arrays(
    np.float64,
    st.integers(1, 30),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.just(np.nan)),
)


@settings(max_examples=80, deadline=None)
@given(COLUMNS, COLUMNS, st.integers(1, 40), st.sampled_from(["uniform", "normal"]))
def test_the_kernel_agrees_with_the_reference(x: Any, later: Any, m: int, output: Any) -> None:
    if np.isnan(x).all():
        return
    model = QuantileTransformer(n_quantiles=m, output_distribution=output).fit(x[:, None])
    shares, values = reference.quantiles(x, min(m, len(x)))
    size = np.nanmax(np.abs(x)) or 1
    np.testing.assert_allclose(model.quantiles_[:, 0], values, rtol=1e-12, atol=1e-13 * size)
    place = reference.to_uniform if output == "uniform" else reference.to_normal
    both = np.concatenate([x, later])
    wanted = place(both, shares, model.quantiles_[:, 0])
    found = model.transform(both[:, None]).ravel()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_places_of_whole_numbers() -> None:
    """0 to 100 with 101 quantiles: every value is its own percentage."""
    x = np.arange(101.0)[:, None]
    random = np.random.default_rng(0).permutation(101)
    model = QuantileTransformer(n_quantiles=101).fit(x[random])
    np.testing.assert_allclose(model.quantiles_.ravel(), x.ravel(), rtol=1e-15)
    np.testing.assert_allclose(model.transform(x).ravel(), x.ravel() / 100, rtol=1e-14)
    assert model.transform([[-1.0], [101.0], [0.5]]).ravel().round(12).tolist() == [0, 1, 0.005]


def test_ties_stand_in_the_middle_of_their_shares() -> None:
    model = QuantileTransformer().fit([[0.0], [1.0], [1.0], [1.0], [2.0]])  # shares 0, 1/4, 1/2, 3/4, 1
    assert model.transform([[1.0], [0.5], [1.5]]).ravel().tolist() == [0.5, 0.125, 0.875]


def test_the_normal_quantile_is_exact_to_rounding() -> None:
    """Against SciPy's, over the whole range of probabilities, each of which is a quantile with itself as its share."""
    p = np.unique(np.concatenate([[0.0, 1.0], np.linspace(1e-9, 1 - 1e-9, 20001), np.logspace(-300, -0.1, 3001)]))
    out = np.empty((len(p), 1))
    _core.quantile_columns(_core.dense(p[:, None]), p, p[:, None].copy(), np.array([0.0, -40.0, 40.0]), out, 1)
    np.testing.assert_allclose(out[1:-1, 0], ndtri(p[1:-1]), rtol=3e-15, atol=2e-16)


@pytest.mark.parametrize("output", ["uniform", "normal"])
def test_there_and_back(output: Any) -> None:
    X = np.random.default_rng(0).lognormal(size=(500, 3))
    model = QuantileTransformer(n_quantiles=200, output_distribution=output).fit(X)
    inside = X[(model.quantiles_[0] < X).all(axis=1) & (model.quantiles_[-1] > X).all(axis=1)]
    np.testing.assert_allclose(model.inverse_transform(model.transform(inside)), inside, rtol=1e-7)
    ends = model.inverse_transform(np.full((1, 3), 9.0))
    np.testing.assert_array_equal(ends[0], model.quantiles_[-1])


@pytest.mark.parametrize("shape", ["heavy", "two heaps", "one value", "few values"])
def test_the_search_finds_every_place(shape: str) -> None:
    """Where nearly all quantiles share a bucket of the table too."""
    random = np.random.default_rng(0)
    x = {
        "heavy": random.standard_cauchy(5000) ** 3,
        "two heaps": np.concatenate([random.normal(size=2500) * 1e-9, 1e9 + random.normal(size=2500)]),
        "one value": np.full(5000, 0.1),
        "few values": random.integers(0, 3, size=5000) * 1e-300,
    }[shape]
    model = QuantileTransformer(subsample=None).fit(x[:, None])
    values, shares = model.quantiles_[:, 0], model.references_
    at = np.concatenate([x, values, values[:-1] + np.diff(values) / 2])
    forward = np.interp(at, values, shares)
    backward = np.interp(-at, -values[::-1], shares[::-1])
    wanted = np.where(at == values[0], 0, np.where(at == values[-1], 1, 0.5 * (forward + backward)))
    np.testing.assert_allclose(model.transform(at[:, None]).ravel(), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("output", ["uniform", "normal"])
def test_every_layout_has_the_same_bits(dtype: Any, output: Any) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 19)).astype(dtype)
    X[5, 3] = np.nan
    plain = QuantileTransformer(output_distribution=output, random_state=0, subsample=1000).fit(X)
    wanted = plain.transform(X)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    for other in (np.asfortranarray(X), wide[::2, ::3], X[::-1, ::-1][::-1, ::-1], np.asfortranarray(wide)[::2, ::3]):
        model = QuantileTransformer(output_distribution=output, random_state=0, subsample=1000, n_jobs=2).fit(other)
        np.testing.assert_array_equal(model.quantiles_, plain.quantiles_)
        found = model.transform(other)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(model.inverse_transform(found), plain.inverse_transform(wanted))


def test_without_copy_an_array_is_written_over() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    wanted = QuantileTransformer().fit_transform(X)
    found = QuantileTransformer(copy=False).fit_transform(X)
    assert found is X or np.shares_memory(found, X)
    np.testing.assert_array_equal(X, wanted)


def test_missing_values_are_left_out_and_stay_missing() -> None:
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    found = QuantileTransformer(n_quantiles=2).fit_transform(X)
    np.testing.assert_array_equal(found, [[0, np.nan], [np.nan, np.nan], [1, np.nan]])


def test_huge_and_tiny_numbers_are_placed_like_others() -> None:
    X = np.random.default_rng(0).integers(-50, 50, size=(300, 3)).astype(float)
    wanted = QuantileTransformer().fit_transform(X)
    for size in (2.0**-1000, 2.0**1000):  # nothing is rounded
        np.testing.assert_array_equal(QuantileTransformer().fit_transform(X * size), wanted)
    # Numbers of few digits: two quantiles that hardly differ become one, which moves a value by up to one rank.
    np.testing.assert_allclose(QuantileTransformer().fit_transform(X * 1e-310), wanted, atol=1 / 299 + 1e-6)


def test_no_warning_for_few_rows() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert QuantileTransformer().fit([[1.0], [2.0]]).n_quantiles_ == 2


def test_what_is_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"number of quantiles cannot be greater .* n_quantiles=1000 and subsample=9"
    ):
        QuantileTransformer(subsample=9).fit([[1.0]])
    with pytest.raises(DataError, match="range of a column must fit into float64"):
        QuantileTransformer().fit([[1.7e308], [-1.7e308]])
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.inf]})
    with pytest.raises(DataError, match=r"'b' has 1 infinite value .* row 1"):
        QuantileTransformer().fit(frame)
    model = QuantileTransformer().fit(frame.iloc[:1])
    for method in (model.transform, model.inverse_transform):
        with pytest.raises(DataError, match=r"'b' has 1 infinite value .* row 1"):
            method(frame)
    with pytest.raises(DataError, match=r"non-negative sparse matrices; column 'x1' has values below 0 \(row 1\)"):
        QuantileTransformer().fit(sp.csr_array([[1.0, 0.0], [0.0, -1.0]]))
    with pytest.warns(PellucidWarning, match="ignore_implicit_zeros is for sparse tables"):
        QuantileTransformer(ignore_implicit_zeros=True).fit([[1.0]])


def test_workings_of_ties_missing_values_and_samples() -> None:
    X = np.array([[1.0, 5.0], [np.nan, 7.0], [4.0, 7.0], [4.0, 9.0]])
    for output in ("uniform", "normal"):
        model = QuantileTransformer(n_quantiles=3, output_distribution=output).fit(X)
        assert "left out: 1" in model.show_fit(X).to_text()
        assert "Places" in model.show_transform(X).to_text()
    many = np.random.default_rng(0).normal(size=(50, 1))
    model = QuantileTransformer(n_quantiles=5, subsample=20, random_state=3).fit(many)
    shown = model.show_fit(many)
    np.testing.assert_allclose(shown.value("quantile"), model.quantiles_[:, 0])
    assert "20 of the 50 rows" in shown.to_text()
