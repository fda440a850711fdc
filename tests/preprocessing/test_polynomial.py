"""Products of columns: mathematics, the reference, nesting, memory and range."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pellucid.base.errors import DataError, ParameterError
from pellucid.preprocessing import PolynomialFeatures, polynomial
from pellucid.reference import polynomial as reference

TABLES = hnp.arrays(
    st.sampled_from([np.float64, np.float32]),
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.floats(-100, 100, width=32),
)
FLAGS = list(product([False, True], repeat=2))


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(0, 4), st.integers(0, 2), st.booleans(), st.booleans(), st.sampled_from("CF"))
def test_the_kernel_has_the_bits_of_the_reference(
    X: Any, high: int, span: int, distinct: bool, ones: bool, order: Any
) -> None:
    low = max(high - span, 0)
    listed = reference.products(X.shape[1], low, high, distinct, ones)
    if not listed:
        return
    model = PolynomialFeatures((low, high), interaction_only=distinct, include_bias=ones, order=order).fit(X)
    wanted = reference.expand(X, low, high, distinct, ones, X.dtype.type)
    np.testing.assert_array_equal(model.transform(X), wanted)
    np.testing.assert_array_equal(model.transform(sp.csr_array(X)).toarray(), wanted)
    assert model.powers_.tolist() == [reference.powers(product, X.shape[1]) for product in listed]
    names = [f"x{j}" for j in range(X.shape[1])]
    assert model.get_feature_names_out().tolist() == [reference.name(product, names) for product in listed]


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(0, 4), st.booleans(), st.booleans())
def test_every_column_is_the_product_that_its_powers_say(X: Any, degree: int, distinct: bool, ones: bool) -> None:
    if degree == 0 and not ones:
        return
    model = PolynomialFeatures(degree, interaction_only=distinct, include_bias=ones).fit(X)
    powers = model.powers_
    wanted = np.prod(X[:, None, :].astype(np.float64) ** powers, axis=2)
    single = X.dtype == np.float32
    tiny = float(np.finfo(X.dtype).tiny)  # products below it lose digits
    np.testing.assert_allclose(model.transform(X), wanted, rtol=1e-5 if single else 1e-12, atol=tiny)
    assert len({tuple(row) for row in powers.tolist()}) == len(powers)
    assert (powers.sum(axis=1) <= degree).all()
    assert (np.diff(powers.sum(axis=1)) >= 0).all()


@pytest.mark.parametrize(("n", "d"), [(1, 300), (2, 3), (7, 4), (100, 3), (3, 50)])
def test_the_number_of_columns_is_known_before_any_is_made(n: int, d: int) -> None:
    model = PolynomialFeatures(d).fit(np.ones((1, n)))
    assert model.n_output_features_ == comb(n + d, d) == reference.count(n, d)
    alone = PolynomialFeatures((d, d), include_bias=False).fit(np.ones((1, n)))
    assert alone.n_output_features_ == comb(n + d - 1, d)
    distinct = PolynomialFeatures(d, interaction_only=True).fit(np.ones((1, n)))
    assert distinct.n_output_features_ == reference.count_distinct(n, d)


# --------------------------------------------------------------------------------------------------------- nesting


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("distinct", "ones"), FLAGS)
def test_leading_columns_are_the_output_of_lower_degrees(distinct: bool, ones: bool, sparse: bool) -> None:
    X: Any = np.random.default_rng(0).normal(size=(20, 3))
    X = sp.csr_array(np.where(X > 0, X, 0)) if sparse else X
    values = [3, 1, 5, 2]
    flags = {"interaction_only": distinct, "include_bias": ones}
    model = PolynomialFeatures(max(values), **flags).fit(X)
    widths = model.nested_feature_counts("degree", values)
    assert widths is not None
    whole = model.transform(X)
    for degree, width in zip(values, widths, strict=True):
        small = PolynomialFeatures(degree, **flags).fit_transform(X)
        assert width == small.shape[1]
        left, right = whole[:, :width], small
        np.testing.assert_array_equal(left.toarray() if sparse else left, right.toarray() if sparse else right)


def test_a_degree_of_zero_is_the_column_of_ones() -> None:
    X = [[1.0, 2.0]]
    assert PolynomialFeatures(2).fit(X).nested_feature_counts("degree", [0, 2]) == [1, 6]
    assert PolynomialFeatures(2, include_bias=False).fit(X).nested_feature_counts("degree", [0, 2]) is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("order", ["C", "F"]),
        ("include_bias", [True, False]),
        ("degree", [1, (1, 2)]),
        ("degree", [1, 2.0]),
        ("degree", [True, 2]),
        ("degree", [-1, 2]),
        ("degree", [2, 9]),
        ("degree", []),
    ],
)
def test_other_parameters_and_values_do_not_nest(name: str, values: list[Any]) -> None:
    assert PolynomialFeatures(3).fit([[1.0, 2.0]]).nested_feature_counts(name, values) is None


def test_a_lowest_degree_does_not_nest() -> None:
    assert PolynomialFeatures((2, 3)).fit([[1.0, 2.0]]).nested_feature_counts("degree", [2, 3]) is None


# --------------------------------------------------------------------------------------------------- memory and range


def test_a_result_beyond_memory_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomial, "memory", lambda: 10_000)
    X = np.ones((100, 10))
    model = PolynomialFeatures(3).fit(X)
    for table in (X, sp.csr_array(X)):
        with pytest.raises(DataError, match=r"10 columns to degree 3 make 286 columns, which take 0\.0 GB") as caught:
            model.transform(table)
        assert "\nhint: " in str(caught.value)
    assert model.transform(X[:4]).shape == (4, 286)


def test_more_columns_than_can_be_counted_are_refused_at_once() -> None:
    with pytest.raises(DataError, match=r"1000 columns to degree 40 make about 10\^72 columns, .* bytes"):
        PolynomialFeatures(40).fit(np.ones((2, 1000)))


def test_a_sparse_result_takes_what_it_stores() -> None:
    """100,000 columns of degree 3 are 10^14 columns; a row of two numbers stores nine products."""
    X = sp.csr_array(([2.0, 3.0], ([0, 0], [5, 99_999])), shape=(1, 100_000))
    found = PolynomialFeatures(3, include_bias=False).fit_transform(X)
    assert found.shape[1] == comb(100_003, 3) - 1
    assert found.data.tolist() == [2, 3, 4, 6, 9, 8, 12, 18, 27]
    assert found.indices.dtype == np.int64
    assert found.indices[-1] == found.shape[1] - 1


@pytest.mark.parametrize("sparse", [False, True])
def test_a_product_beyond_every_float_is_named(sparse: bool) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 1e200]})
    X = sp.csr_array(frame.to_numpy()) if sparse else frame
    model = PolynomialFeatures(2).fit(X)
    with pytest.raises(DataError, match=f"'{'x1' if sparse else 'b'}\\^2' of row 1 is too large"):
        model.transform(X)


def test_a_product_just_within_range_is_answered() -> None:
    largest = float(np.sqrt(np.finfo(float).max))
    assert PolynomialFeatures(2).fit_transform([[largest, 1.0]])[0, 3] == largest * largest
    assert PolynomialFeatures(2, interaction_only=True).fit_transform([[1e300, 1e-300]])[0, 3] == 1e300 * 1e-300


def test_no_product_is_hidden_by_a_zero() -> None:
    """Zero times an infinite product would be no number."""
    with pytest.raises(DataError, match="too large"):
        PolynomialFeatures((3, 3)).fit_transform([[0.0, 1e200]])


# -------------------------------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize("degree", [-1, 1.5, "2", None, True, (2, 1), (1, 2, 3), (-1, 2), [1], (1.0, 2), (False, 1)])
def test_a_wrong_degree_is_refused(degree: Any) -> None:
    with pytest.raises(ParameterError, match=r"^PolynomialFeatures: degree must be .*; got .*\.$"):
        PolynomialFeatures(degree).fit([[1.0]])


def test_no_columns_to_make_is_refused() -> None:
    with pytest.raises(ParameterError, match="empty output"):
        PolynomialFeatures((0, 0), include_bias=False).fit([[1.0]])
    with pytest.raises(DataError, match="no products of 3 distinct columns out of 2"):
        PolynomialFeatures((3, 4), interaction_only=True, include_bias=False).fit([[1.0, 2.0]])


def test_names_that_do_not_fit_are_refused() -> None:
    model = PolynomialFeatures().fit(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(DataError, match=r"input_features should have length .*\(2\); got 1"):
        model.get_feature_names_out(["a"])
    with pytest.raises(DataError, match="'c' instead of 'b'"):
        model.get_feature_names_out(["a", "c"])


def test_parameters_changed_after_the_fit_do_not_mix_with_it() -> None:
    X = [[2.0, 3.0]]
    model = PolynomialFeatures(2).fit(X)
    before = model.transform(X)
    model.set_params(degree=4, include_bias=False, interaction_only=True)
    np.testing.assert_array_equal(model.transform(X), before)
    assert len(model.get_feature_names_out()) == before.shape[1] == len(model.powers_)
