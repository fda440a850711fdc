"""Rows of size 1: the reference, huge and tiny rows, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pellucid.base.errors import DataError
from pellucid.preprocessing import Normalizer
from pellucid.reference.normalizer import normalize

NORMS: Any = ["l1", "l2", "max"]
TABLES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=20),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-1e9, 1e9).filter(lambda v: abs(v) > 1e-9)),
)


@settings(max_examples=60, deadline=None)
@given(TABLES, st.sampled_from(NORMS))
def test_the_kernel_agrees_with_the_reference(X: Any, norm: Any) -> None:
    wanted = normalize(X, norm)
    np.testing.assert_allclose(Normalizer(norm).transform(X), wanted, rtol=1e-13)
    np.testing.assert_allclose(Normalizer(norm).transform(np.asfortranarray(X)), wanted, rtol=1e-13)
    np.testing.assert_allclose(Normalizer(norm).transform(sp.csr_array(X)).toarray(), wanted, rtol=1e-13)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 4e307])
def test_rows_of_any_size_come_out_right(norm: Any, size: float) -> None:
    X = np.array([[3.0, -4.0, 0.0]])
    near = 1e-3 if size < 1e-300 else 1e-14  # numbers below 1e-308 have few digits themselves
    for given_ in (X * size, sp.csr_array(X * size)):
        found = Normalizer(norm).transform(given_)
        found = found.toarray() if sp.issparse(found) else found
        np.testing.assert_allclose(found, normalize(X, norm), rtol=near)


def test_no_fit_is_needed_but_columns_are_counted_after_one() -> None:
    model = Normalizer()
    assert model.transform([[3.0, 4.0]]).tolist() == [[0.6, 0.8]]
    model.fit([[1.0, 2.0]])
    with pytest.raises(DataError, match="is expecting 2 features as input"):
        model.transform([[1.0]])


def test_missing_values_are_refused() -> None:
    for X in (np.array([[1.0, np.nan]]), sp.csr_array(np.array([[1.0, np.nan]]))):
        with pytest.raises(DataError, match="X must have no missing values"):
            Normalizer().transform(X)
