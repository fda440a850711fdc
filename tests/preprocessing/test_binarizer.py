"""Values above a threshold: the reference, the ends of the numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pellucid.base.errors import DataError, ParameterError
from pellucid.preprocessing import Binarizer
from pellucid.reference.binarizer import binarize

TABLES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=9),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False)),
)


@settings(max_examples=60, deadline=None)
@given(TABLES, st.one_of(st.integers(-3, 3), st.floats(allow_nan=False, allow_infinity=False)))
def test_the_kernel_agrees_with_the_reference(X: Any, threshold: float) -> None:
    assert Binarizer(threshold=threshold).transform(X).tolist() == binarize(X, threshold)
    if threshold >= 0:
        assert Binarizer(threshold=threshold).transform(sp.csr_array(X)).toarray().tolist() == binarize(X, threshold)


def test_the_ends_of_the_numbers() -> None:
    most, least = np.finfo(np.float64).max, 5e-324
    assert Binarizer().transform([[least, -0.0, -least]]).tolist() == [[1, 0, 0]]
    assert Binarizer(threshold=most).transform([[most]]).tolist() == [[0]]
    assert Binarizer(threshold=-most).transform([[-most, 0]]).tolist() == [[0, 1]]
    single = np.array([[0.1]], dtype=np.float32)  # a little above the double
    assert Binarizer(threshold=0.1).transform(single).tolist() == [[1]]


def test_a_table_may_be_written_over_but_not_before_it_is_looked_at() -> None:
    X = np.array([[1.0, -1.0], [np.inf, 2.0]])
    with pytest.raises(DataError, match="infinite value"):
        Binarizer(copy=False).transform(X)
    assert X[0].tolist() == [1, -1]


@pytest.mark.parametrize("threshold", [float("inf"), float("nan"), "0", None, True])
def test_a_threshold_is_a_finite_number(threshold: Any) -> None:
    with pytest.raises(ParameterError, match="threshold must be a"):
        Binarizer(threshold=threshold).transform([[1.0]])


def test_missing_values_are_refused() -> None:
    with pytest.raises(DataError, match="X must have no missing values"):
        Binarizer().transform([[1.0], [np.nan]])
