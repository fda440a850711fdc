"""Encoders: the reference, what comes back, awkward columns, and the words of refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, DataTypeError, ParameterError, PellucidWarning
from pellucid.preprocessing import OneHotEncoder, OrdinalEncoder, encoding
from pellucid.reference import encoding as reference

NAN = float("nan")
COLUMNS = st.one_of(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=30),
    st.lists(st.sampled_from([0.0, -0.0, 0.5, 1e-300, 1e300, NAN]), min_size=1, max_size=30),
    st.lists(st.sampled_from(["a", "b", "B", "", "ä", None, NAN]), min_size=1, max_size=30),
    st.lists(st.booleans(), min_size=1, max_size=30),
)


def as_table(column: list[Any]) -> Any:
    """A column as an array of its own type, of objects where it has several."""
    numbers = all(isinstance(value, int | float) for value in column)
    return (np.array(column) if numbers else np.array(column, dtype=object))[:, None]


# ---------------------------------------------------------------------------------------------------------- reference


@settings(max_examples=200, deadline=None)
@given(COLUMNS)
def test_both_encoders_agree_with_the_reference(column: list[Any]) -> None:
    X, known = as_table(column), reference.categories(column)
    one_hot = OneHotEncoder(sparse_output=False).fit(X)
    np.testing.assert_array_equal(one_hot.transform(X), reference.one_hot(column, known))
    assert len(one_hot.categories_[0]) == len(known)
    first = OneHotEncoder(drop="first").fit_transform(X)
    np.testing.assert_array_equal(first.toarray(), reference.one_hot(column, known, drop=0))
    np.testing.assert_array_equal(OrdinalEncoder().fit_transform(X)[:, 0], reference.ordinal(column, known))


@settings(max_examples=200, deadline=None)
@given(COLUMNS, st.integers(1, 6), st.one_of(st.none(), st.integers(1, 5)))
def test_rare_categories_are_those_of_the_reference(column: list[Any], least: int, most: int | None) -> None:
    known = reference.categories(column)
    model = OneHotEncoder(min_frequency=least, max_categories=most).fit(as_table(column))
    rare = model.infrequent_categories_[0]
    wanted = reference.rare(column, known, least, most)
    assert len(wanted) == (0 if rare is None else len(rare))
    groups = len(known) - len(wanted) + bool(wanted)
    found = model.transform(as_table(column)).toarray()
    assert found.shape == (len(column), groups)
    assert (found.sum(axis=1) == 1).all()
    if wanted:
        last = [reference.code(value, known) in wanted for value in column]
        np.testing.assert_array_equal(found[:, -1], last)


@settings(max_examples=100, deadline=None)
@given(COLUMNS)
def test_what_was_encoded_comes_back(column: list[Any]) -> None:
    X = as_table(column)
    for model in (OneHotEncoder(), OneHotEncoder(drop="first"), OneHotEncoder(drop="if_binary"), OrdinalEncoder()):
        back = model.fit(X).inverse_transform(model.transform(X))
        for found, wanted in zip(back[:, 0].tolist(), X[:, 0].tolist(), strict=True):
            assert found == wanted or (found != found and wanted != wanted)


@pytest.mark.parametrize("n", [1, 65_535, 65_536, 65_537, 200_001])
def test_any_number_of_threads_gives_the_same_codes(n: int) -> None:
    X = np.random.default_rng(n).integers(-40_000, 40_000, size=(n, 2))
    wanted = np.column_stack([np.unique(X[:, j], return_inverse=True)[1] for j in range(2)])
    for threads in (1, 2, 3):
        model = OrdinalEncoder(dtype=np.int64, n_jobs=threads).fit(X)
        np.testing.assert_array_equal(model.transform(X), wanted)
        found = OneHotEncoder(n_jobs=threads).fit_transform(X)
        np.testing.assert_array_equal(found.indices.reshape(n, 2) - [0, len(model.categories_[0])], wanted)


# ------------------------------------------------------------------------------------------------------------- awkward


@pytest.mark.parametrize("kind", ["numbers", "text", "objects", "floats"])
def test_a_hundred_thousand_levels(kind: str) -> None:
    values: Any = np.random.default_rng(0).permutation(100_000)
    values = {"numbers": values, "floats": values / 7, "text": values.astype("U6")}.get(kind, values)
    X = (np.array([f"level {v}" for v in values], dtype=object) if kind == "objects" else values)[:, None]
    found = OneHotEncoder().fit_transform(X)
    assert found.shape == (100_000, 100_000)
    assert found.nnz == 100_000
    order = np.argsort(X[:, 0])
    np.testing.assert_array_equal(found.indices[order], np.arange(100_000))


def test_a_dense_result_beyond_memory_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "memory", lambda: 10**6)
    X = np.arange(1000)[:, None]
    with pytest.raises(DataError, match=r"1,000 rows of 1,000 columns take 0\.0 GB"):
        OneHotEncoder(sparse_output=False).fit_transform(X)
    assert OneHotEncoder().fit_transform(X).nnz == 1000


def test_the_two_zeros_are_one_category_and_every_nan_is_one() -> None:
    payload = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64).view(np.float64)
    X = np.array([[0.0], [-0.0], [payload[0]], [payload[1]]])
    model = OneHotEncoder(sparse_output=False).fit(X)
    assert str(model.categories_[0].tolist()) == "[0.0, nan]"
    assert model.transform(X).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    other = np.array([[float("nan")], [NAN * -1], [None]], dtype=object)
    assert OrdinalEncoder(encoded_missing_value=-1).fit_transform(other).ravel().tolist() == [-1, -1, 0]


@pytest.mark.parametrize("later", [np.float64, np.int8, np.uint64, object, bool])
def test_a_later_table_may_hold_its_numbers_in_another_type(later: Any) -> None:
    model = OrdinalEncoder().fit(np.array([[0], [1], [5]]))
    assert model.transform(np.array([[1], [0]]).astype(later)).ravel().tolist() == [1, 0]


def test_whole_numbers_beyond_floats_are_told_apart() -> None:
    X = np.array([[2**53], [2**53 + 1]])
    model = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(X)
    assert model.transform(X).ravel().tolist() == [0, 1]
    assert model.transform(np.array([[2.0**53], [2.0**53 + 2]])).ravel().tolist() == [0, -1]
    assert model.transform(np.array([[2**53 + 1]], dtype=np.uint64)).ravel().tolist() == [1]


def test_times_are_categories() -> None:
    days = np.array([["2024-03-01"], ["2024-01-01"], ["NaT"], ["2024-03-01"]], dtype="M8[D]")
    model = OrdinalEncoder(encoded_missing_value=-1).fit(days)
    assert model.transform(days).ravel().tolist() == [1, 0, -1, 1]
    assert model.transform(days.astype("M8[s]")).ravel().tolist() == [1, 0, -1, 1]
    frame = pd.DataFrame({"day": pd.to_datetime(days[:, 0])})
    assert OneHotEncoder().fit_transform(frame).shape == (4, 3)


@pytest.mark.parametrize("dtype", ["string", "category", "Int64", "boolean", object])
def test_missing_cells_of_a_frame_are_a_category_of_their_own(dtype: Any) -> None:
    values = {"Int64": [2, 1, None, 2], "boolean": [True, False, None, True]}.get(dtype, ["b", "a", None, "b"])
    frame = pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
    found = OneHotEncoder(sparse_output=False).fit_transform(frame)
    assert found.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    "values", [["b", "a", None, "b"], [2, 1, None, 2], [2.5, 1.0, None, 2.5], [True, False, None, True]]
)
def test_nulls_of_polars_are_a_category_of_their_own(values: list[Any]) -> None:
    found = OneHotEncoder(sparse_output=False).fit_transform(pl.DataFrame({"x": values}))
    assert found.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_one_category_that_is_dropped_leaves_no_column() -> None:
    model = OneHotEncoder(drop="first").fit([["a"], ["a"]])
    assert model.transform([["a"]]).shape == (1, 0)
    assert model.get_feature_names_out().tolist() == []
    both = OneHotEncoder(drop="first").fit([["a", 1], ["a", 2]])
    assert both.inverse_transform(both.transform([["a", 2]])).tolist() == [["a", 2]]


def test_given_numbers_may_stand_in_any_order() -> None:
    assert OrdinalEncoder(categories=[[3, 1, 2]]).fit_transform([[1], [2], [3]]).ravel().tolist() == [1, 2, 0]
    half = OneHotEncoder(categories=[[0.5, 1]], sparse_output=False).fit(np.array([[1], [1]]))
    assert half.transform([[1], [0.5]]).tolist() == [[0, 1], [1, 0]]


def test_a_function_may_name_the_columns() -> None:
    model = OneHotEncoder(feature_name_combiner=lambda name, one: f"{name} is {one!r}").fit([[1], [2]])
    assert model.get_feature_names_out(["n"]).tolist() == ["n is np.int64(1)", "n is np.int64(2)"]
    whole = OneHotEncoder(feature_name_combiner="concat_whole").fit([[35233.0], [2.5]])
    assert whole.get_feature_names_out(["zip"]).tolist() == ["zip_2.5", "zip_35233"]
    with pytest.raises(ParameterError, match="feature_name_combiner must return a text; got 3"):
        OneHotEncoder(feature_name_combiner=lambda *_: 3).fit([[1]]).get_feature_names_out()


def test_columns_are_matched_by_name() -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    model = OrdinalEncoder().fit(frame)
    np.testing.assert_array_equal(model.transform(frame[["b", "a"]]), model.transform(frame))


# ------------------------------------------------------------------------------------------------------------- unknown


def test_unknown_categories_with_a_dropped_one_are_told() -> None:
    model = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False).fit([["a"], ["b"]])
    with pytest.warns(PellucidWarning, match=r"unknown categories in columns \[0\] during transform.*all zeros"):
        assert model.transform([["c"]]).tolist() == [[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneHotEncoder(handle_unknown="ignore").fit([["a"]]).transform([["c"]])
    rare = OneHotEncoder(handle_unknown="warn", min_frequency=2, sparse_output=False).fit([["a"], ["a"], ["b"]])
    with pytest.warns(PellucidWarning, match="infrequent category"):
        assert rare.transform([["c"]]).tolist() == [[0, 1]]


REFUSED: dict[str, tuple[Any, Any, Any, list[str]]] = {
    "an unknown word": (
        OneHotEncoder(), [["a"], ["b"]], [["a"], ["c"], ["c"]],
        ["Found unknown categories ['c'] in column 'x0' during transform (rows 1, 2)", "handle_unknown"],
    ),
    "an unknown number": (OrdinalEncoder(), [[1]], [[2]], ["unknown categories [2]"]),
    "a value that is not among the given ones": (
        OrdinalEncoder(categories=[["a"]]), [["a"], ["b"]], None, ["unknown categories ['b']", "during fit"],
    ),
    "words and numbers": (
        OneHotEncoder(), np.array([["a"], [1]], dtype=object), None,
        ["uniformly strings or numbers", "int, str", "'x0'"],
    ),
    "lists in cells": (OneHotEncoder(), pl.DataFrame({"w": [[1], [2]]}), None, ["column 'w'", "list"]),
    "lists in later cells": (OneHotEncoder(), pl.DataFrame({"w": ["a"]}), pl.DataFrame({"w": [[1]]}), ["'w'", "list"]),
    "infinity": (OneHotEncoder(), [[1.0], [np.inf]], None, ["infinity", "column 'x0'", "row 1"]),
    "a sparse table": (OneHotEncoder(), sp.csr_array([[1.0]]), None, ["X must be dense"]),
    "too few lists": (
        OneHotEncoder(categories=[["a"]]), [["a", "b"]], None, ["Shape mismatch", "1 list for 2 columns"],
    ),
    "no category": (OneHotEncoder(categories=[[]]), [["a"]], None, ["must have a category"]),
    "a category twice": (OneHotEncoder(categories=[["a", "a"]]), [["a"]], None, ["duplicate"]),
    "NaN before others": (OneHotEncoder(categories=[[np.nan, 1]]), [[1.0]], None, ["Nan should be the last"]),
    "a drop that is not there": (OneHotEncoder(drop=["z"]), [["a"]], None, ["'z'", "'x0'"]),
    "a drop that is rare": (
        OneHotEncoder(drop=["a"], min_frequency=2), [["a"], ["b"], ["b"]], None, ["Unable to drop category 'a'"],
    ),
    "too few drops": (OneHotEncoder(drop=["a"]), [["a", "b"]], None, ["(2)", "got 1"]),
    "a number for unknown ones that is taken": (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=0), [["a"]], None, ["already used", "'x0'"],
    ),
    "a number for missing ones that is taken": (
        OrdinalEncoder(encoded_missing_value=0), [[1.0], [np.nan]], None, ["already used", "'x0'"],
    ),
    "NaN in whole numbers": (
        OrdinalEncoder(dtype=np.int64), [[1.0], [np.nan]], None, ["missing values in features [0]", "int64"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_encoded_is_refused_in_one_sentence(what: str) -> None:
    model, first, later, words = REFUSED[what]
    with pytest.raises(DataError) as caught:
        model.fit(first).transform(later)
    said = str(caught.value)
    assert said.startswith(f"{type(model).__name__}: ")
    assert len(said) < 400
    for word in words:
        assert word in said


def test_mixed_types_are_a_type_error_too() -> None:
    with pytest.raises(DataTypeError):
        OneHotEncoder().fit(np.array([["a"], [1]], dtype=object))


@pytest.mark.parametrize(
    "model",
    [
        OneHotEncoder(dtype="no type"),
        OneHotEncoder(dtype=object),
        OneHotEncoder(drop="last"),
        OneHotEncoder(drop=3),
        OneHotEncoder(categories=["a", "b"]),
        OneHotEncoder(min_frequency=1.5),
        OrdinalEncoder(unknown_value=3),
        OrdinalEncoder(unknown_value="x"),
        OrdinalEncoder(handle_unknown="use_encoded_value"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=NAN, dtype=int),
        OrdinalEncoder(encoded_missing_value=None),
        OrdinalEncoder(encoded_missing_value=0.5),
    ],
    ids=repr,
)
def test_wrong_parameters_are_named(model: Any) -> None:
    wrong = type(model)(**model.get_params())
    with pytest.raises(ParameterError, match=rf"^{type(model).__name__}: "):
        wrong.fit([["a"]])


def test_rows_that_cannot_be_turned_back_are_refused() -> None:
    strict = OneHotEncoder().fit([["a"], ["b"]])
    with pytest.raises(DataError, match=r"Samples \[1\] can not be inverted"):
        strict.inverse_transform([[1, 0], [0, 0]])
    assert OneHotEncoder(handle_unknown="ignore").fit([["a"]]).inverse_transform([[0]]).tolist() == [[None]]
    with pytest.raises(DataError, match="Expected 2 columns, got 1"):
        strict.inverse_transform([[1]])
    for wrong in (2, -1, 0.5, np.nan):
        with pytest.raises(DataError, match=r"whole and from 0 to 1; got .+ in row 1"):
            OrdinalEncoder().fit([["a"], ["b"]]).inverse_transform([[0], [wrong]])


# ------------------------------------------------------------------------------------------------------------- working


def test_the_working_shows_words_missing_values_and_counts() -> None:
    frame = pd.DataFrame({"color": ["red", None, "blue", "red"], "doors": [3, 5, 5, 3]})
    model = OneHotEncoder(max_categories=2).fit(frame)
    shown = model.show_fit(frame)
    assert shown.value("c_1").tolist() == ["blue", "red", "(missing)"]
    assert shown.value("m_1").tolist() == [1, 2, 1]
    assert "rare categories" in model.show_transform(frame).to_text()
    ordinal = OrdinalEncoder(encoded_missing_value=-1, handle_unknown="use_encoded_value", unknown_value=-2).fit(frame)
    later = pd.DataFrame({"color": ["green", None, "red"], "doors": [3, 4, 5]})
    assert ordinal.show_transform(later).value("z_1").tolist() == [-2, -1, 1]
    assert "(missing)" in OrdinalEncoder().fit(frame).show_transform(frame).to_text()


def test_the_working_writes_whole_numbers_as_they_are() -> None:
    text = OneHotEncoder().fit([[3], [5]]).show_transform([[3], [5]]).to_text()
    assert "3: z" in text
    assert "3.0" not in text
