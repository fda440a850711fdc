"""Design: from a table to what a kernel reads, in one conversion that later tables follow."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, DataTypeError, PellucidWarning
from pellucid.data.design import Design, InputSpec, apply_schema, attach_weight, infer_schema
from pellucid.data.kinds import Kind
from pellucid.data.target import attach_labels, attach_numbers

NUMBERS = InputSpec()
SPARSE = InputSpec(sparse=True)
CATEGORIES = InputSpec(categories=True, missing=True)


def design(X: Any, needs: InputSpec = NUMBERS) -> Design:
    return infer_schema(X, needs, "Model")


def later(X: Any, first: Design, needs: InputSpec = NUMBERS) -> Design:
    return apply_schema(X, first.schema, needs, "Model")


# -------------------------------------------------------------------------------------------------------------- no copy


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_of_floats_is_read_where_it_lies(order: Any, dtype: Any) -> None:
    X = np.ones((4, 3), dtype=dtype, order=order)
    found = design(X)
    assert np.shares_memory(found.numbers, X)
    assert found.dtype == dtype


@pytest.mark.parametrize("cut", [np.s_[::2], np.s_[:, ::2], np.s_[::-1], np.s_[:, ::-1], np.s_[1:3, 1:]])
def test_a_view_is_read_where_it_lies(cut: Any) -> None:
    X = np.arange(24.0).reshape(6, 4)
    assert np.shares_memory(design(X[cut]).numbers, X)


def test_a_read_only_array_is_read_where_it_lies() -> None:
    X = np.ones((4, 3))
    X.flags.writeable = False
    assert np.shares_memory(design(X).numbers, X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_pandas_frame_of_one_block_is_read_where_it_lies(dtype: Any) -> None:
    X = np.arange(12, dtype=dtype).reshape(4, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    found = design(frame)
    assert np.shares_memory(found.numbers, frame.to_numpy(copy=False))
    assert found.dtype == dtype


def test_a_sparse_table_is_read_where_it_lies() -> None:
    X = sp.csr_matrix(np.eye(4))
    found = design(X, SPARSE)
    assert np.shares_memory(found.numbers.data, X.data)
    assert np.shares_memory(found.numbers.indices, X.indices)


def test_one_column_of_a_frame_is_read() -> None:
    assert design(pd.DataFrame({"a": [1.0, 2.0]})).numbers.tolist() == [[1.0], [2.0]]


# ----------------------------------------------------------------------------------------------------------- conversion


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1, 0], [2, 1]]),
        np.array([[1, 0], [2, 1]], dtype=np.uint8),
        np.array([[1, 0], [2, 1]], dtype=np.float16),
        np.array([[1, 0], [2, 1]], dtype=">f8"),
        np.array([[1, 0], [2, 1]], dtype=object),
        np.array([[1, False], [2.0, True]], dtype=object),
        [[1, 0], [2, 1]],
        pd.DataFrame({"a": [1, 2], "b": [False, True]}),
        pd.DataFrame({"a": pd.array([1, 2], dtype="Int8"), "b": pd.array([False, True], dtype="boolean")}),
        pl.DataFrame({"a": [1, 2], "b": [False, True]}),
        pa.table({"a": [1, 2], "b": [False, True]}),
    ],
    ids=lambda X: f"{type(X).__module__.split('.')[0]} {getattr(X, 'dtype', '')}",
)
def test_numbers_of_any_storage_become_float64(X: Any) -> None:
    found = design(X)
    assert found.dtype == np.float64
    assert found.numbers.dtype == np.float64
    assert found.numbers.dtype.isnative
    assert found.numbers.tolist() == [[1.0, 0.0], [2.0, 1.0]]
    assert (found.matrix.rows, found.matrix.cols) == (2, 2)


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [1.5, 2], "b": [3, 4.5]}, schema={"a": pl.Float32, "b": pl.Float32}),
        pa.table({"a": pa.array([1.5, 2], pa.float32()), "b": pa.array([3, 4.5], pa.float32())}),
        pd.DataFrame({"a": [1.5, 2], "b": [3, 4.5]}, dtype=np.float32),
        sp.csr_matrix(np.array([[1.5, 3], [2, 4.5]], dtype=np.float32)),
    ],
    ids=["polars", "pyarrow", "pandas", "sparse"],
)
def test_a_table_of_single_precision_is_known_as_such(X: Any) -> None:
    found = design(X, SPARSE)
    assert found.dtype == np.float32


def test_missing_values_become_nan_where_they_are_taken() -> None:
    frame = pl.DataFrame({"a": [1, None, 3], "b": [True, None, False]})
    np.testing.assert_array_equal(design(frame, InputSpec(missing=True)).numbers, [[1, 1], [np.nan, np.nan], [3, 0]])


def test_missing_values_are_refused_where_they_are_not_taken() -> None:
    with pytest.raises(DataError, match=r"'b'.*\(rows 1, 2\)"):
        design(pl.DataFrame({"a": [1, 2, 3], "b": [1, None, None]}))


@pytest.mark.parametrize("missing", [True, False])
def test_infinity_is_refused_whether_or_not_missing_values_are_taken(missing: bool) -> None:
    with pytest.raises(DataError, match=r"column 'x1' .*rows 0, 2"):
        design(np.array([[1, np.inf], [2, 0], [3, -np.inf]]), InputSpec(missing=missing))


def test_the_kernel_may_look_for_nan_itself() -> None:
    found = design(np.array([[1.0], [np.nan]]), InputSpec(check_finite="kernel"))
    assert "column 'x0'" in str(found.explain_not_finite())


# -------------------------------------------------------------------------------------------------- schema and matching


def test_the_schema_remembers_names_kinds_and_categories() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "city": ["b", "a", "b"], "old": [True, False, True]})
    schema = design(frame, CATEGORIES).schema
    assert schema.names == ("n", "city", "old")
    assert schema.kinds == (Kind.NUMBER, Kind.TEXT, Kind.FLAG)
    assert schema.categories == {1: ("a", "b")}


def test_a_plain_array_has_a_schema_of_its_width() -> None:
    schema = design(np.ones((2, 3))).schema
    assert (schema.n_cols, schema.names, schema.categories) == (3, None, {})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_later_table_is_put_into_the_first_ones_order(library: Any) -> None:
    first = design(library({"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [5.0, 6.0]}))
    found = later(library({"c": [7.0], "a": [8.0], "b": [9.0]}), first)
    assert found.numbers.tolist() == [[8.0, 9.0, 7.0]]
    assert found.column_labels() == ["a", "b", "c"]


def test_a_missing_and_an_unknown_column_are_named() -> None:
    first = design(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(DataError, match=r"(?s)unseen at fit time:\n- c.*now missing:\n- b"):
        later(pd.DataFrame({"a": [1.0], "c": [2.0]}), first)
    with pytest.raises(DataError, match=r"(?s)unseen at fit time:\n- c"):
        later(pd.DataFrame({"a": [1.0], "b": [2.0], "c": [2.0]}), first)


def test_a_later_array_is_taken_by_place_with_a_warning() -> None:
    first = design(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.warns(PellucidWarning, match="valid feature names"):
        assert later(np.array([[3.0, 4.0]]), first).numbers.tolist() == [[3.0, 4.0]]


def test_another_width_is_refused() -> None:
    with pytest.raises(DataError, match="X has 3 features, but Model is expecting 2 features as input"):
        later(np.ones((1, 3)), design(np.ones((2, 2))))


def test_columns_without_names_are_called_by_number() -> None:
    assert design(np.ones((2, 3))).column_labels() == ["x0", "x1", "x2"]


# ----------------------------------------------------------------------------------------------------------- categories


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"city": ["Ulm", "Bonn", None, "Ulm"], "n": [1.0, 2, 3, 4]}),
        pd.DataFrame({"city": pd.Categorical(["Ulm", "Bonn", None, "Ulm"]), "n": [1, 2, 3, 4]}),
        pl.DataFrame({"city": ["Ulm", "Bonn", None, "Ulm"], "n": [1, 2, 3, 4]}),
        pl.DataFrame({"city": pl.Series(["Ulm", "Bonn", None, "Ulm"], dtype=pl.Categorical), "n": [1, 2, 3, 4]}),
        pa.table({"city": ["Ulm", "Bonn", None, "Ulm"], "n": [1, 2, 3, 4]}),
        pa.table({"city": pa.array(["Ulm", "Bonn", None, "Ulm"]).dictionary_encode(), "n": [1, 2, 3, 4]}),
        np.array([["Ulm", 1], ["Bonn", 2], [None, 3], ["Ulm", 4]], dtype=object),
    ],
    ids=["pandas", "pandas category", "polars", "polars category", "pyarrow", "pyarrow dictionary", "objects"],
)
def test_names_become_codes_in_sorted_order(X: Any) -> None:
    found = design(X, CATEGORIES)
    assert found.schema.categories == {0: ("Bonn", "Ulm")}
    np.testing.assert_array_equal(found.numbers, [[1, 1], [0, 2], [np.nan, 3], [1, 4]])


def test_codes_stay_what_they_were_in_a_later_table() -> None:
    first = design(pd.DataFrame({"city": ["Ulm", "Bonn", "Celle"]}), CATEGORIES)
    assert later(pd.DataFrame({"city": ["Ulm", "Bonn"]}), first, CATEGORIES).numbers.tolist() == [[2], [0]]


def test_codes_follow_a_column_to_its_place() -> None:
    first = design(pd.DataFrame({"n": [1, 2], "city": ["Ulm", "Bonn"]}), CATEGORIES)
    found = later(pd.DataFrame({"city": ["Bonn", "Ulm"], "n": [7, 8]}), first, CATEGORIES)
    assert found.numbers.tolist() == [[7, 0], [8, 1]]


def test_an_unknown_category_is_an_error_by_default() -> None:
    first = design(pd.DataFrame({"city": ["Ulm", "Bonn"]}), CATEGORIES)
    with pytest.raises(DataError, match=r"'city' holds 'Celle'.*1.*fit saw 'Bonn', 'Ulm'"):
        later(pd.DataFrame({"city": ["Ulm", "Celle"]}), first, CATEGORIES)


def test_an_unknown_category_is_missing_where_that_is_the_policy() -> None:
    needs = InputSpec(categories=True, missing=True, unknown="missing")
    first = design(pd.DataFrame({"city": ["Ulm", "Bonn"]}), needs)
    np.testing.assert_array_equal(
        later(pd.DataFrame({"city": ["Ulm", "Celle"]}), first, needs).numbers, [[1], [np.nan]]
    )


def test_an_unknown_category_as_missing_is_refused_where_missing_values_are_not_taken() -> None:
    needs = InputSpec(categories=True, missing=False, unknown="missing")
    first = design(pd.DataFrame({"city": ["Ulm", "Bonn"]}), needs)
    with pytest.raises(DataError) as caught:
        later(pd.DataFrame({"city": ["Ulm", "Celle"]}), first, needs)
    assert "'city'" in str(caught.value)


def test_flags_and_numbers_are_never_categories() -> None:
    found = design(pd.DataFrame({"old": [True, False], "n": [3, 4]}), CATEGORIES)
    assert found.schema.categories == {}
    assert found.numbers.tolist() == [[1, 3], [0, 4]]


def test_categories_of_several_types_have_a_fixed_order() -> None:
    X = np.array([["a"], [2], ["b"], [1]], dtype=object)
    assert design(X, CATEGORIES).schema.categories == {0: (1, 2, "a", "b")}


def test_names_are_refused_where_categories_are_not_taken() -> None:
    with pytest.raises(DataError, match=r"'city' holds 'Ulm' in row 0"):
        design(pd.DataFrame({"n": [1], "city": ["Ulm"]}))


def test_times_are_refused_even_where_categories_are_taken() -> None:
    with pytest.raises(DataTypeError, match="'day' holds times"):
        design(pd.DataFrame({"day": [datetime.datetime(2024, 1, 1)]}), CATEGORIES)


def test_a_number_where_fit_saw_a_name_is_unknown() -> None:
    first = design(pd.DataFrame({"city": ["Ulm", "Bonn"]}), CATEGORIES)
    with pytest.raises(DataError, match="'city'"):
        later(pd.DataFrame({"city": [1, 2]}), first, CATEGORIES)


def test_a_name_where_fit_saw_a_number_is_refused() -> None:
    first = design(pd.DataFrame({"n": [1, 2]}), CATEGORIES)
    with pytest.raises(DataError, match="'n'"):
        later(pd.DataFrame({"n": ["Ulm", "Bonn"]}), first, CATEGORIES)


# --------------------------------------------------------------------------------------------------------------- sparse


def test_sparse_is_refused_where_it_is_not_taken() -> None:
    with pytest.raises(DataTypeError, match=r"X\.toarray\(\)"):
        design(sp.csr_matrix(np.eye(2)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_any_sparse_form_becomes_canonical_rows(form: str) -> None:
    X = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
    found = design(sp.csr_matrix(X).asformat(form), SPARSE).numbers
    assert found.format == "csr"
    assert found.has_canonical_format
    assert found.toarray().tolist() == X.tolist()


def test_duplicate_entries_are_added_up_and_the_table_left_alone() -> None:
    X = sp.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    found = design(X, SPARSE).numbers
    assert found.toarray().tolist() == [[0, 3], [4, 0]]
    assert (found.nnz, X.nnz) == (2, 3)
    assert X.data.tolist() == [1, 2, 4]


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, bool, np.float32, np.longdouble])
def test_sparse_values_of_any_storage_become_float64(dtype: Any) -> None:
    assert design(sp.csr_matrix(np.eye(3)).astype(dtype), SPARSE).numbers.dtype == np.float64


@pytest.mark.parametrize("wide", ["indices", "indptr", "both"])
def test_indices_of_either_width_are_read(wide: str) -> None:
    X = sp.csr_matrix(np.eye(3))
    if wide != "indptr":
        X.indices = X.indices.astype(np.int64)
    if wide != "indices":
        X.indptr = X.indptr.astype(np.int64)
    assert design(X, SPARSE).matrix.cols == 3


def test_an_empty_sparse_table_is_all_zeros() -> None:
    assert design(sp.csr_matrix((3, 2)), SPARSE).numbers.nnz == 0


# --------------------------------------------------------------------------------------- rows only, targets and weights


def test_an_estimator_may_count_rows_only() -> None:
    found = design(pd.DataFrame({"city": ["Ulm", None], "n": [np.nan, np.inf]}), InputSpec(values=False))
    assert (found.n_rows, found.X) == (2, None)
    with pytest.raises(DataTypeError):
        _ = found.matrix


@pytest.mark.parametrize(
    ("y", "shape", "vector"), [([1, 2], (2, 1), True), ([[1], [2]], (2, 1), False), ([[1, 2], [3, 4]], (2, 2), False)]
)
def test_a_target_of_numbers_is_a_matrix_that_knows_its_shape(y: Any, shape: tuple[int, int], vector: bool) -> None:
    found = design(np.ones((2, 1)))
    attach_numbers(found, y)
    assert (found.y.shape, found.y_is_vector, found.y.dtype) == (shape, vector, np.float64)


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no"],
        np.array(["no", "yes", "no"], dtype=object),
        pd.Series(["no", "yes", "no"]),
        pd.Series(["no", "yes", "no"], dtype="category"),
        pl.Series(["no", "yes", "no"]),
        pa.chunked_array([["no", "yes", "no"]]),
    ],
    ids=lambda y: type(y).__module__.split(".")[0],
)
def test_labels_become_codes_of_their_sorted_order(y: Any) -> None:
    found = design(np.ones((3, 1)))
    attach_labels(found, y)
    assert found.y[:, 0].tolist() == [0, 1, 0]
    assert found.classes[0].tolist() == ["no", "yes"]


@pytest.mark.parametrize("y", [[1, 0, 1], [True, False, True], [1.0, 0.0, 1.0]], ids=str)
def test_labels_may_be_numbers(y: Any) -> None:
    found = design(np.ones((3, 1)))
    attach_labels(found, y)
    assert found.y[:, 0].tolist() == [1, 0, 1]


@pytest.mark.parametrize("y", [["a", None, "b"], [1.0, np.nan, 2.0], pd.Series(["a", None, "b"])], ids=str)
def test_a_missing_label_is_refused_with_its_row(y: Any) -> None:
    with pytest.raises(DataError, match=r"NaN; rows? 1"):
        attach_labels(design(np.ones((3, 1))), y)


def test_measurements_are_no_labels() -> None:
    with pytest.raises(DataError, match="regressor"):
        attach_labels(design(np.ones((3, 1))), [1.5, 2.25, 3.125])


def test_a_single_weight_stands_for_every_row() -> None:
    found = design(np.ones((3, 1)))
    attach_weight(found, 2)
    assert found.weight is not None
    assert found.weight.tolist() == [2, 2, 2]


def test_no_weight_is_no_array() -> None:
    found = design(np.ones((3, 1)))
    attach_weight(found, None)
    assert found.weight is None


def test_every_way_to_store_words_has_the_same_codes() -> None:
    """Texts are coded where they lie; values of several types one by one."""
    cells = ["b", None, "a", "", "b", "ü"]
    plain = pd.Series(cells, dtype=object)
    frames = [
        pd.DataFrame({"x": plain}),
        pd.DataFrame({"x": plain.astype("str")}),
        pd.DataFrame({"x": plain.astype("string")}),
        pd.DataFrame({"x": pd.Categorical(cells, categories=["z", "ü", "b", "a", ""])}),
        pl.DataFrame({"x": cells}),
        pl.DataFrame({"x": pl.Series(cells, dtype=pl.Categorical)}),
        pa.table({"x": cells}),
        pa.table({"x": pa.array(cells).dictionary_encode()}),
        np.array(cells, dtype=object)[:, None],
    ]
    for X in frames:
        d = design(X, CATEGORIES)
        assert d.schema.categories == {0: ("", "a", "b", "ü")}
        np.testing.assert_array_equal(d.numbers[:, 0], [2, np.nan, 1, 0, 2, 3])
        np.testing.assert_array_equal(later(X, d, CATEGORIES).numbers[:, 0], d.numbers[:, 0])
    fixed = design(np.array([["b"], ["a"], ["b"]]), CATEGORIES)
    assert fixed.schema.categories == {0: ("a", "b")}
    assert fixed.numbers[:, 0].tolist() == [1, 0, 1]
    mixed = design(np.array([["b"], [2], [None], [2]], dtype=object), CATEGORIES)
    np.testing.assert_array_equal(mixed.numbers[:, 0], [1, 0, np.nan, 0])
    with pytest.raises(DataError, match=r"holds 'c' \(row 1\); fit saw 'a', 'b'"):
        later(np.array([["b"], ["c"]]), fixed, CATEGORIES)
