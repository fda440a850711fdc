"""Table: one look at any table, its names, kinds and missing places, and no copy of it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, DataTypeError
from pellucid.data.kinds import NUMERIC, Kind, is_missing, kind_of_dtype, kind_of_objects
from pellucid.data.slices import missing_in
from pellucid.data.table import read_table

NUMBER, FLAG, CATEGORY, ORDERED, TEXT, TIME = (
    Kind.NUMBER,
    Kind.FLAG,
    Kind.CATEGORY,
    Kind.ORDERED,
    Kind.TEXT,
    Kind.TIME,
)
DAY = datetime.date(2024, 1, 1)
NOON = datetime.datetime(2024, 1, 1, 12)


def table(X: Any) -> Any:
    return read_table(X, "Model")


# ---------------------------------------------------------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (bool, FLAG),
        (np.int8, NUMBER),
        (np.uint64, NUMBER),
        (np.float16, NUMBER),
        (np.float64, NUMBER),
        (np.longdouble, NUMBER),
        ("M8[ns]", TIME),
        ("m8[s]", TIME),
        ("U3", TEXT),
        ("S3", TEXT),
        (object, None),
    ],
)
def test_a_numpy_dtype_has_a_kind(dtype: Any, kind: Kind | None) -> None:
    assert kind_of_dtype(np.dtype(dtype)) == kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5, np.float32(3)], NUMBER),
        ([1, None, float("nan")], NUMBER),
        ([True, False, None], FLAG),
        ([np.True_, False], FLAG),
        ([True, 2], NUMBER),
        (["a", "b", None], TEXT),
        ([1, "b"], TEXT),
        ([DAY, None], TIME),
        ([NOON, pd.NaT], TIME),
        ([np.datetime64("2024-01-01"), np.timedelta64(1, "D")], TIME),
        ([None, None], NUMBER),
        ([], NUMBER),
        ([pd.NA, 1], NUMBER),
        ([Decimal(1), 2], NUMBER),
    ],
    ids=str,
)
def test_objects_have_the_kind_of_what_is_there(values: list[Any], kind: Kind) -> None:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    assert kind_of_objects(column) == kind


@pytest.mark.parametrize(
    ("series", "kind"),
    [
        (pd.Series([1, 2]), NUMBER),
        (pd.Series([1.5, None]), NUMBER),
        (pd.Series([1, None], dtype="Int64"), NUMBER),
        (pd.Series([1, None], dtype="int64[pyarrow]"), NUMBER),
        (pd.Series([True, False]), FLAG),
        (pd.Series([True, None], dtype="boolean"), FLAG),
        (pd.Series(["a", "b"]), TEXT),
        (pd.Series(["a", None], dtype="string"), TEXT),
        (pd.Series(["a", "b"], dtype=object), TEXT),
        (pd.Series(["a", "b"], dtype="category"), CATEGORY),
        (pd.Series([1, 2], dtype="category"), CATEGORY),
        (pd.Series(pd.Categorical(["a", "b"], ordered=True)), ORDERED),
        (pd.Series(pd.to_datetime([DAY, DAY])), TIME),
        (pd.Series(pd.to_datetime([DAY, DAY]).tz_localize("UTC")), TIME),
        (pd.Series(pd.to_timedelta([1, 2])), TIME),
        (pd.Series([DAY, DAY], dtype=object), TIME),
        (pd.Series([1, 2.5], dtype=object), NUMBER),
        (pd.Series([True, None], dtype=object), FLAG),
    ],
    ids=lambda value: f"{value.dtype} {value.tolist()}" if isinstance(value, pd.Series) else str(value),
)
def test_kinds_of_pandas_columns(series: Any, kind: Kind) -> None:
    assert table(series.to_frame("a")).kinds == (kind,)


@pytest.mark.parametrize(
    ("series", "kind"),
    [
        (pl.Series([1, 2], dtype=pl.Int8), NUMBER),
        (pl.Series([1.5, None]), NUMBER),
        (pl.Series([Decimal("1.5")]), NUMBER),
        (pl.Series([True, None]), FLAG),
        (pl.Series(["a", "b"]), TEXT),
        (pl.Series(["a", "b"], dtype=pl.Categorical), CATEGORY),
        (pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])), ORDERED),
        (pl.Series([DAY]), TIME),
        (pl.Series([NOON]), TIME),
        (pl.Series([datetime.timedelta(1)]), TIME),
        (pl.Series([datetime.time(12)]), TIME),
        (pl.Series([None, None]), NUMBER),
    ],
    ids=lambda value: f"{value.dtype} {value.to_list()}" if isinstance(value, pl.Series) else str(value),
)
def test_kinds_of_polars_columns(series: Any, kind: Kind) -> None:
    assert table(series.to_frame("a")).kinds == (kind,)


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1, None], pa.int8()), NUMBER),
        (pa.array([1.5]), NUMBER),
        (pa.array([Decimal("1.5")]), NUMBER),
        (pa.array([True, None]), FLAG),
        (pa.array(["a", None]), TEXT),
        (pa.array(["a", "b"], pa.large_string()), TEXT),
        (pa.array(["a", "b"]).dictionary_encode(), CATEGORY),
        (pa.array([DAY]), TIME),
        (pa.array([NOON]), TIME),
        (pa.array([datetime.timedelta(1)]), TIME),
        (pa.nulls(2), NUMBER),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_kinds_of_pyarrow_columns(array: Any, kind: Kind) -> None:
    assert table(pa.table({"a": array})).kinds == (kind,)


def test_each_column_of_an_array_of_objects_has_its_own_kind() -> None:
    rows = np.array([[1, "a", True, DAY], [2.5, None, False, None]], dtype=object)
    assert table(rows).kinds == (NUMBER, TEXT, FLAG, TIME)


def test_every_column_of_a_plain_array_has_the_kind_of_its_dtype() -> None:
    assert table(np.ones((2, 3), dtype=bool)).kinds == (FLAG,) * 3
    assert table(sp.csr_matrix(np.ones((2, 3)))).kinds == (NUMBER,) * 3


def test_numbers_and_flags_are_what_kernels_can_read() -> None:
    assert {NUMBER, FLAG} == NUMERIC


# -------------------------------------------------------------------------------------------------------------- missing


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("nan")], ids=repr
)
def test_these_are_missing(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, float("inf"), [], DAY, (), {}, np.array([1, 2])], ids=str)
def test_these_are_not_missing(value: Any) -> None:
    assert not is_missing(value)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0], [np.nan], [3.0]]),
        np.array([[1.0], [np.nan], [3.0]], dtype=np.float32),
        np.array([[1], [None], [3]], dtype=object),
        np.array([["a"], [np.nan], ["b"]], dtype=object),
        np.array([[1], ["NaT"], [3]], dtype="m8[s]"),
        pd.DataFrame({"a": [1, np.nan, 3]}),
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean")}),
        pd.DataFrame({"a": pd.Categorical(["x", None, "y"])}),
        pd.DataFrame({"a": ["x", None, "y"]}),
        pd.DataFrame({"a": pd.to_datetime(["2024-01-01", None, "2024-01-02"])}),
        pl.DataFrame({"a": [1, None, 3]}),
        pl.DataFrame({"a": [1.0, float("nan"), 3.0]}),
        pl.DataFrame({"a": ["x", None, "y"]}),
        pa.table({"a": [1, None, 3]}),
        pa.table({"a": [1.0, float("nan"), 3.0]}),
        pa.table({"a": ["x", None, "y"]}),
        sp.csr_matrix(np.array([[1.0], [np.nan], [0.0]])),
    ],
    ids=lambda X: f"{type(X).__module__.split('.')[0]} {getattr(X, 'dtype', '')}",
)
def test_missing_places_are_found(X: Any) -> None:
    assert table(X).missing(0).tolist() == [False, True, False]


def test_whole_numbers_and_flags_without_null_are_never_missing() -> None:
    assert not table(np.array([[1], [2]])).missing(0).any()
    assert not table(np.array([[True], [False]])).missing(0).any()


# -------------------------------------------------------------------------------------------------- names, size, values


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"b": [1, 2], "a": [3, 4]}),
        pl.DataFrame({"b": [1, 2], "a": [3, 4]}),
        pa.table({"b": [1, 2], "a": [3, 4]}),
        pa.record_batch({"b": [1, 2], "a": [3, 4]}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_a_frame_keeps_names_and_values(X: Any) -> None:
    found = table(X)
    assert (found.n_rows, found.n_cols, found.names, found.names_are_text) == (2, 2, ("b", "a"), True)
    assert found.column(1).tolist() == [3, 4]
    assert found.label(1) == "'a'"


@pytest.mark.parametrize(
    "X",
    [np.array([[1, 3], [2, 4]]), [[1, 3], [2, 4]], sp.csr_matrix([[1, 3], [2, 4]]), sp.coo_array([[1, 3], [2, 4]])],
    ids=lambda X: type(X).__name__,
)
def test_a_matrix_has_no_names(X: Any) -> None:
    found = table(X)
    assert (found.n_rows, found.n_cols, found.names) == (2, 2, None)
    if not isinstance(X, sp.coo_array):
        assert found.column(1).tolist() == [3, 4]


def test_names_that_are_not_text_are_known_as_such() -> None:
    assert not table(pd.DataFrame([[1, 2]])).names_are_text
    assert not table(pd.DataFrame([[1, 2]], columns=pd.Index(["a", 1], dtype=object))).names_are_text


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_columns_can_be_taken_in_another_order(library: Any) -> None:
    found = table(library({"a": [1, 2], "b": [3, 4], "c": [5, 6]})).take([2, 0])
    assert found.names == ("c", "a")
    assert found.n_cols == 2
    assert [found.column(j).tolist() for j in range(2)] == [[5, 6], [1, 2]]


def test_columns_of_an_array_can_be_taken_in_another_order() -> None:
    assert table(np.array([[1, 2, 3]])).take([2, 0]).source.tolist() == [[3, 1]]


def test_columns_with_whole_number_names_can_be_taken() -> None:
    assert table(pd.DataFrame([[1, 2, 3]])).take([2, 0]).column(0).tolist() == [3]


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("X", [None, 3, object(), len, iter([[1]])], ids=lambda X: type(X).__name__)
def test_what_is_no_table_is_refused(X: Any) -> None:
    with pytest.raises(DataTypeError, match="Model: X must be a table"):
        table(X)


def test_a_lazy_frame_is_refused() -> None:
    with pytest.raises(DataTypeError, match="lazy"):
        table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("names", [["a", "a", "b"], [1, 1, 2]])
def test_a_name_that_stands_twice_is_named(names: list[Any]) -> None:
    with pytest.raises(DataError, match=f"'{names[0]}'"):
        table(pd.DataFrame([[1, 2, 3]], columns=names))


def test_a_name_that_stands_twice_in_pyarrow_is_named() -> None:
    with pytest.raises(DataError, match="'a'"):
        table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]))


def test_reading_copies_nothing() -> None:
    X = np.ones((3, 2))
    assert np.shares_memory(table(X).source, X)
    frame = pd.DataFrame(X)
    assert table(frame).source.to_native() is frame
    matrix = sp.csr_matrix(X)
    assert table(matrix).source is matrix


def with_room_behind(X: Any) -> Any:
    """As scipy leaves a matrix from which values were taken out in place: what lies behind the last one is anything."""
    room = np.full(100_000, 2**30)
    X.data, X.indices = np.append(X.data, room.astype(float)), np.append(X.indices, room).astype(np.int32)
    return X


SPARSE_FORMS: dict[str, Any] = {
    **{form: getattr(sp, f"{form}_array") for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")},
    **{f"{form} matrix": getattr(sp, f"{form}_matrix") for form in ("coo", "bsr", "dia")},
    "csr with room": lambda X: with_room_behind(sp.csr_array(X)),
    "csc with room": lambda X: with_room_behind(sp.csc_array(X)),
}


@pytest.mark.parametrize("form", SPARSE_FORMS)
def test_columns_of_a_sparse_matrix_of_any_form(form: str) -> None:
    """Memory behind the stored values once ended the process."""
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, np.nan], [0.0, 3.0, 0.0]])
    table = read_table(SPARSE_FORMS[form](X), "a")
    for j in range(3):
        np.testing.assert_array_equal(table.column(j), X[:, j])
    assert table.missing(2).tolist() == [False, True, False]
    np.testing.assert_array_equal(table.take([2, 0]).source.toarray(), X[:, [2, 0]])


def test_room_behind_the_stored_values_is_cut_off_and_the_callers_matrix_left_alone() -> None:
    X = with_room_behind(sp.csr_array(np.eye(3)))
    found = read_table(X, "a").source
    assert found.data.tolist() == [1.0, 1.0, 1.0]
    assert len(X.data) == 100_003


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
def test_an_index_outside_the_shape_is_refused(form: str) -> None:
    X = SPARSE_FORMS[form](np.eye(4))
    (X.coords[1] if form == "coo" else X.indices)[0] = 9
    with pytest.raises(DataError, match="an index lies outside the shape"):
        read_table(X, "a")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_missing_cells_of_a_column_of_floats(make: Any) -> None:
    """The array that pandas gives of its own may be read-only."""
    assert missing_in(make({"y": [1.0, float("nan"), 3.0]}), "y").tolist() == [False, True, False]
