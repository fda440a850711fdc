"""A table of any form with a column changed is the array with that column changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from pellucid.data.swap import swap
from pellucid.data.table import read_table

RNG = np.random.default_rng(0)
X = np.where(RNG.random((9, 4)) < 0.4, 0.0, RNG.normal(size=(9, 4)))
NAMES = list("dcba")
FORMS: dict[str, Any] = {
    "array": X,
    "by column": np.asfortranarray(X),
    "every other row": np.repeat(X, 2, axis=0)[::2],
    "single": X.astype(np.float32),
    "pandas": pd.DataFrame(X, columns=NAMES, index=range(20, 29)),
    "pandas, two types": pd.DataFrame(X, columns=NAMES).astype({"c": "float32"}),
    "pandas, numbers as names": pd.DataFrame(X),
    "polars": pl.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)}),
    "pyarrow": pa.table({name: X[:, j] for j, name in enumerate(NAMES)}),
    "csc": sp.csc_array(X),
    "csr": sp.csr_matrix(X),
    "coo": sp.coo_array(X),
}
each_form = pytest.mark.parametrize("source", FORMS.values(), ids=FORMS)


def values(table: Any) -> Any:
    if sp.issparse(table):
        return table.toarray()
    return (
        np.column_stack([np.asarray(table[name]) for name in table.column_names])
        if isinstance(table, pa.Table)
        else np.asarray(table)
    )


def form(source: Any) -> type[Any]:
    """The form in which a table is given out: its own, but rows where a sparse one is a list of cells."""
    return sp.csr_array if isinstance(source, sp.coo_array) else type(source)


@each_form
def test_columns_are_permuted_one_after_the_other(source: Any) -> None:
    changed, before = swap(read_table(source, "test")), values(source).copy()
    for j in (2, 2, 0, 3, 1):
        order = RNG.permutation(9)
        wanted = before.copy()
        wanted[:, j] = before[order, j]
        found = changed.permuted(j, order)
        np.testing.assert_array_equal(values(found), wanted)
        assert type(found) is form(source)
    np.testing.assert_array_equal(values(source), before)


@each_form
@pytest.mark.parametrize("copies", [1, 3])
def test_columns_are_filled(source: Any, copies: int) -> None:
    changed, before = swap(read_table(source, "test"), copies), values(source).copy()
    for columns in ([1], [3, 0], [0], [2, 1]):
        for blocks in {1, copies - 1 or 1, copies}:
            points = [RNG.integers(-3, 4, blocks).astype(float) for _ in columns]
            wanted = np.tile(before, (blocks, 1))
            for j, column in zip(columns, points, strict=True):
                wanted[:, j] = np.repeat(column, 9)
            found = changed.filled(columns, points)
            np.testing.assert_array_equal(values(found), wanted)
            assert type(found) is form(source)
    np.testing.assert_array_equal(values(source), before)


@pytest.mark.parametrize("source", [FORMS["pandas"], FORMS["polars"], FORMS["pandas, two types"]])
def test_a_frame_keeps_its_names_and_types(source: Any) -> None:
    changed = swap(read_table(source, "test"), 2)
    found = changed.filled([1], [np.array([1.0, 2.0])])
    assert list(found.columns) == NAMES
    assert list(found.dtypes) == list(source.dtypes)
    index = swap(read_table(source, "test")).permuted(0, np.arange(9))
    assert not hasattr(source, "index") or index.index.equals(source.index)


CATEGORIES: dict[str, Any] = {
    "pandas category": pd.DataFrame({"k": pd.Categorical(["u", "v", None, "u"], categories=["v", "u", "w"])}),
    "pandas text": pd.DataFrame({"k": ["u", "v", None, "u"]}),
    "polars text": pl.DataFrame({"k": ["u", "v", None, "u"]}),
    "polars category": pl.DataFrame({"k": ["u", "v", None, "u"]}, schema={"k": pl.Categorical}),
    "polars enum": pl.DataFrame({"k": ["u", "v", None, "u"]}, schema={"k": pl.Enum(["v", "u", "w"])}),
}


@pytest.mark.parametrize("source", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_stay_what_they_are(source: Any) -> None:
    changed = swap(read_table(source, "test"), 2)
    found = changed.filled([0], [np.array(["v", "u"], dtype=object)])
    assert list(found["k"]) == ["v"] * 4 + ["u"] * 4
    assert found["k"].dtype == source["k"].dtype


@pytest.mark.parametrize("library", [pd, pl])
def test_text_that_the_column_does_not_hold(library: Any) -> None:
    found = swap(read_table(library.DataFrame({"k": ["u", "v"]}), "test")).filled(
        [0], [np.array(["new"], dtype=object)]
    )
    assert list(found["k"]) == ["new", "new"]


def test_whole_numbers_become_floats_in_a_frame() -> None:
    for frame in (pd.DataFrame({"n": [1, 2], "t": ["a", "b"]}), pl.DataFrame({"n": [1, 2], "t": ["a", "b"]})):
        found = swap(read_table(frame, "test")).filled([0], [np.array([1.5])])
        assert list(found["n"]) == [1.5, 1.5]


def test_stored_zeros_and_doubles_of_a_sparse_matrix() -> None:
    twice = sp.coo_array(([1.0, 2.0, 0.0], ([0, 0, 2], [1, 1, 0])), shape=(3, 2))
    for source in (twice, twice.tocsr(), twice.tocsc()):
        found = swap(read_table(source, "test")).permuted(1, np.array([2, 0, 1]))
        assert found.toarray().tolist() == [[0, 0], [0, 3], [0, 0]]
