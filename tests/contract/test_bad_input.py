"""Linear regression on tables that are wrong, odd or extreme: a correct answer or one clear sentence, never silence."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, DependentColumnsWarning, PellucidError, PellucidWarning
from pellucid.linear_model import LinearRegression

from . import exact
from .broken_sparse import TABLES as BROKEN_SPARSE

SENTENCE = re.compile(r"LinearRegression: [^\n]+\.(\nhint: [^\n]+\.)?")
DIRECT = ["auto", "normal", "qr", "svd"]
SEVERAL = [*DIRECT, "lsqr"]
ONE_COLUMN = [*SEVERAL, "simple", "correlation"]

nan, inf = float("nan"), float("inf")
X5 = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
Y5 = np.array([1.0, 3.0, 3.0, 2.0, 5.0])  # slope 0.8, intercept 0.4
DAYS = [datetime.date(2024, 1, day) for day in range(1, 6)]


def model(solver: str = "auto", **params: Any) -> LinearRegression:
    return LinearRegression(solver=solver, tol=1e-14, **params)


def is_the_line(fitted: LinearRegression) -> bool:
    return bool(np.allclose(fitted.coef_, 0.8, rtol=1e-7) and np.allclose(fitted.intercept_, 0.4, rtol=1e-7))


def refusal(act: Callable[[], Any]) -> str:
    """The words of a refusal: of our own kind, of our shape, short, and without a stray warning beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PellucidError) as caught:
            act()
    words = str(caught.value)
    assert SENTENCE.fullmatch(words), words
    assert len(words) < 400, words
    return words


def fitted_or_words(act: Callable[[], Any]) -> tuple[Any, str]:
    """A fitted model, or the words of the refusal."""
    try:
        return act(), ""
    except PellucidError as error:
        return None, str(error)


# ------------------------------------------------------------------------------------------------------ what is refused

# What is wrong -> the table, and words that the sentence must have (column and row where there is one).
BAD_X: dict[str, tuple[Any, list[str]]] = {
    "one dimension": ([1, 2, 3, 4, 5], ["two dimensions", "Reshape your data"]),
    "three dimensions": (np.ones((5, 2, 2)), ["two dimensions", "(5, 2, 2)"]),
    "a single number": (3, ["table", "int"]),
    "nothing": (None, ["table", "NoneType"]),
    "text": ("a,b,c", ["table", "str"]),
    "a dict": ({"a": [1, 2, 3, 4, 5]}, ["table", "dict"]),
    "a list of dicts": ([{"a": 1}] * 5, ["dict"]),
    "a set": ({(1, 2), (3, 4)}, ["table", "set"]),
    "a generator": ((row for row in X5), ["table", "generator"]),
    "a function": (len, ["table"]),
    "a class": (pd.DataFrame, ["table"]),
    "a series": (pd.Series([1, 2, 3, 4, 5]), ["two dimensions", "Reshape your data"]),
    "rows of different length": ([[1, 2], [3], [4, 5], [6, 7], [8, 9]], ["row 1"]),
    "no rows": (np.empty((0, 3)), ["0 sample"]),
    "an empty list": ([], ["two dimensions"]),
    "no columns": (np.empty((5, 0)), ["0 feature"]),
    "a frame without columns": (pd.DataFrame(index=range(5)), ["0 feature"]),
    "a frame without rows": (pd.DataFrame({"a": []}), ["0 sample"]),
    "a lazy frame": (pl.LazyFrame({"a": [1, 2, 3, 4, 5]}), ["lazy", "collect()"]),
    "NaN": ([[1], [nan], [3], [nan], [5]], ["column 'x0'", "rows 1, 3", "NaN"]),
    "NaN in a frame": (pd.DataFrame({"age": [1, 2, nan, 4, nan]}), ["'age'", "rows 2, 4", "NaN"]),
    "None": ([[1], [None], [3], [4], [None]], ["column 'x0'", "rows 1, 4"]),
    "null in polars": (pl.DataFrame({"age": [1.0, None, 3.0, nan, 5.0]}), ["'age'", "rows 1, 3"]),
    "null in pyarrow": (pa.table({"age": [1.0, None, 3, nan, 5]}), ["'age'", "rows 1, 3"]),
    "pandas.NA": (pd.DataFrame({"age": pd.array([1, None, 3, None, 5], dtype="Int64")}), ["'age'", "rows 1, 3"]),
    "pandas.NA among flags": (
        pd.DataFrame({"old": pd.array([True, None, False, None, True], dtype="boolean")}),
        ["'old'", "rows 1, 3"],
    ),
    "pandas.NA among objects": (
        np.array([[pd.NA], [1], [2], [3], [pd.NA]], dtype=object),
        ["column 'x0'", "rows 0, 4"],
    ),
    "a column of None": (pd.DataFrame({"a": [None] * 5}), ["'a'", "5 missing"]),
    "a null column": (pl.DataFrame({"a": [None] * 5}), ["'a'", "5 missing"]),
    "the text 'nan'": ([["nan"], ["1"], ["2"], ["3"], ["4"]], ["column 'x0'", "row"]),
    "a masked value": (np.ma.array(X5, mask=[[0], [1], [0], [0], [1]]), ["column 'x0'", "rows 1, 4"]),
    "NaN in a sparse table": (
        sp.csr_matrix([[1, 0], [0, nan], [0, 2], [0, nan], [3, 1]]),
        ["column 'x1'", "rows 1, 3"],
    ),
    "infinity": ([[1], [inf], [3], [-inf], [5]], ["column 'x0'", "rows 1, 3", "infinit"]),
    "infinity in a frame": (pd.DataFrame({"age": [1, 2, inf, 4, -inf]}), ["'age'", "rows 2, 4", "infinit"]),
    "infinity in a sparse table": (
        sp.csr_matrix([[1, 0], [0, inf], [0, 2], [0, inf], [3, 1]]),
        ["column 'x1'", "rows 1, 3"],
    ),
    "a number beyond float64": (np.array([["1e4000"], [1], [2], [3], [4]], dtype=np.longdouble), ["column 'x0'", "0"]),
    "a whole number beyond float64": ([[10**400], [1], [2], [3], [4]], ["column 'x0'", "row 0"]),
    "a whole number beyond float64 in a frame": (pd.DataFrame({"big": [1, 10**400, 2, 3, 4]}), ["'big'", "row 1"]),
    "words": ([["a"], ["b"], ["c"], ["d"], ["e"]], ["column 'x0'", "'a'", "row 0"]),
    "a word among numbers": (np.array([[1], [2], ["x"], [4], [5]], dtype=object), ["column 'x0'", "'x'", "row 2"]),
    "a word among numbers in a frame": (
        pd.DataFrame({"age": np.array([1, 2, "x", 4, 5], dtype=object)}),
        ["'age'", "'x'"],
    ),
    "bytes": (np.array([[b"a"]] * 5), ["column 'x0'", "b'a'"]),
    "words in pandas": (pd.DataFrame({"n": [1, 2, 3, 4, 5], "city": list("abcde")}), ["'city'", "'a'"]),
    "words in polars": (pl.DataFrame({"n": [1, 2, 3, 4, 5], "city": list("abcde")}), ["'city'", "'a'"]),
    "words in pyarrow": (pa.table({"n": [1, 2, 3, 4, 5], "city": list("abcde")}), ["'city'", "'a'"]),
    "categories in pandas": (pd.DataFrame({"city": pd.Categorical(list("aabbc"))}), ["'city'", "'a'"]),
    "ordered categories": (
        pd.DataFrame({"size": pd.Categorical(["s", "m", "l", "s", "m"], ordered=True)}),
        ["'size'", "'s'"],
    ),
    "categories in polars": (pl.DataFrame({"city": pl.Series(list("aabbc"), dtype=pl.Categorical)}), ["'city'", "'a'"]),
    "categories in pyarrow": (pa.table({"city": pa.array(list("aabbc")).dictionary_encode()}), ["'city'", "'a'"]),
    "lists in a column": (pl.DataFrame({"a": [[1, 2]] * 5}), ["'a'"]),
    "records in a column": (pl.DataFrame({"a": [{"b": 1}] * 5}), ["'a'"]),
    "days in an array": (np.array(DAYS, dtype="M8[D]")[:, None], ["column 'x0'", "times"]),
    "days in a list": ([[day] for day in DAYS], ["column 'x0'", "times"]),
    "days in pandas": (pd.DataFrame({"day": pd.to_datetime(DAYS)}), ["'day'", "times"]),
    "days in polars": (pl.DataFrame({"day": DAYS}), ["'day'", "times"]),
    "days in pyarrow": (pa.table({"day": DAYS}), ["'day'", "times"]),
    "months in pandas": (pd.DataFrame({"month": pd.period_range("2024-01", periods=5, freq="M")}), ["'month'"]),
    "durations": (np.array([[1], [2], [3], [4], [5]], dtype="m8[D]"), ["column 'x0'", "times"]),
    "complex numbers": (X5 + 1j, ["Complex data not supported"]),
    "complex numbers in a list": ([[1j], [2], [3], [4], [5]], ["Complex"]),
    "complex numbers in a frame": (pd.DataFrame({"z": [1j, 2, 3, 4, 5]}), ["'z'"]),
    "complex numbers in a sparse table": (sp.csr_matrix(X5 + 1j), ["Complex data not supported"]),
    "dicts in cells": (np.array([[{}]] * 5, dtype=object), ["column 'x0'", "{}", "row 0"]),
    "records": (np.zeros(5, dtype=[("a", int), ("b", float)]), ["structured", "dataframe"]),
    "records of two dimensions": (np.zeros((5, 1), dtype=[("a", int), ("b", float)]), ["structured", "dataframe"]),
    "the same name twice in pandas": (pd.DataFrame(np.ones((5, 2)), columns=["a", "a"]), ["'a'", "unique"]),
    "the same name twice in pyarrow": (
        pa.Table.from_arrays([pa.array(Y5), pa.array(Y5)], ["a", "a"]),
        ["'a'", "unique"],
    ),
}


@pytest.mark.parametrize("what", BAD_X)
def test_a_table_that_cannot_be_used_is_refused_in_one_sentence(what: str) -> None:
    X, words = BAD_X[what]
    said = refusal(lambda: LinearRegression().fit(X, Y5))
    for word in words:
        assert word in said


BAD_Y: dict[str, tuple[Any, list[str]]] = {
    "nothing": (None, ["requires y to be passed"]),
    "too few": ([1, 2], ["[5, 2]"]),
    "a single number": (3, ["y"]),
    "NaN": ([1, nan, 3, 4, nan], ["rows 1, 4", "NaN"]),
    "None": ([1, None, 3, 4, None], ["rows 1, 4"]),
    "NaN in one of two targets": ([[1, 2], [1, nan], [1, 2], [1, nan], [1, 2]], ["rows 1, 3"]),
    "infinity": ([1, inf, 3, 4, -inf], ["rows 1, 4", "infinity"]),
    "null in polars": (pl.Series([1, None, 3, 4, None]), ["rows 1, 4"]),
    "pandas.NA": (pd.Series([1, None, 3, 4, None], dtype="Int64"), ["rows 1, 4"]),
    "words": (list("abcde"), ["numbers", "'a'"]),
    "a word among numbers": (np.array([1, 2, "x", 4, 5], dtype=object), ["numbers", "'x'"]),
    "categories": (pd.Series(list("aabbc"), dtype="category"), ["numbers", "'a'"]),
    "days": (np.array(DAYS, dtype="M8[D]"), ["y", "times"]),
    "days in a list": (DAYS, ["y"]),
    "days in pandas": (pd.Series(pd.to_datetime(DAYS)), ["y", "times"]),
    "durations": (np.arange(5).astype("m8[D]"), ["y", "times"]),
    "complex numbers": (Y5 + 1j, ["Complex data not supported"]),
    "no columns": (np.empty((5, 0)), ["(5, 0)"]),
    "three dimensions": (np.ones((5, 1, 1)), ["(5, 1, 1)"]),
    "rows of different length": ([[1], [1, 2], [1], [1], [1]], ["y"]),
    "a generator": ((v for v in Y5), ["y", "generator"]),
    "a set": ({1, 2, 3, 4, 5}, ["y", "set"]),
    "a dict": ({"y": [1, 2, 3, 4, 5]}, ["y", "dict"]),
    "a word": ("apple", ["y", "str"]),
    "a lazy frame": (pl.LazyFrame({"y": [1, 2, 3, 4, 5]}), ["y", "lazy"]),
    "a sparse column": (sp.csr_matrix(Y5[:, None]), ["y", "sparse"]),
    "a whole number beyond float64": ([10**400, 1, 2, 3, 4], ["y", "row 0"]),
    "records": (np.zeros(5, dtype=[("a", int), ("b", int)]), ["y"]),
}


@pytest.mark.parametrize("what", BAD_Y)
def test_a_target_that_cannot_be_used_is_refused_in_one_sentence(what: str) -> None:
    y, words = BAD_Y[what]
    said = refusal(lambda: LinearRegression().fit(X5, y))
    for word in words:
        assert word in said


BAD_WEIGHT: dict[str, tuple[Any, list[str]]] = {
    "too few": ([1, 2], ["one value a row", "(5,)"]),
    "two dimensions": ([[1]] * 5, ["1D"]),
    "negative": ([1, -1, 1, 1, -2], ["rows 1, 4"]),
    "all zero": ([0] * 5, ["above zero"]),
    "NaN": ([1, nan, 1, 1, nan], ["finite", "rows 1, 4"]),
    "infinity": ([1, inf, 1, 1, 1], ["finite", "1"]),
    "None": ([1, None, 1, 1, None], ["rows 1, 4"]),
    "pandas.NA": (pd.Series([1, None, 1, 1, None], dtype="Int64"), ["rows 1, 4"]),
    "words": (list("abcde"), ["sample_weight", "'a'"]),
    "a word": ("balanced", ["sample_weight", "'balanced'"]),
    "complex numbers": ([1j] * 5, ["sample_weight"]),
    "days": (DAYS, ["sample_weight"]),
    "days in an array": (np.array(DAYS, dtype="M8[D]"), ["sample_weight"]),
    "a dict": ({"a": 1}, ["sample_weight", "dict"]),
    "a generator": ((1 for _ in range(5)), ["sample_weight", "generator"]),
    "a whole number beyond float64": ([10**400, 1, 1, 1, 1], ["sample_weight"]),
}


@pytest.mark.parametrize("what", BAD_WEIGHT)
def test_weights_that_cannot_be_used_are_refused_in_one_sentence(what: str) -> None:
    weight, words = BAD_WEIGHT[what]
    said = refusal(lambda: LinearRegression().fit(X5, Y5, weight))
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    "what", ["y too short", "y of words", "y with NaN", "weight too short", "weight negative", "weight all zero"]
)
def test_a_score_is_refused_like_a_fit(what: str) -> None:
    y: Any = {"y too short": Y5[:4], "y of words": list("abcde"), "y with NaN": [1, nan, 3, 4, 5]}.get(what, Y5)
    weight = {"weight too short": [1, 2], "weight negative": [-1, 1, 1, 1, 1], "weight all zero": [0] * 5}.get(what)
    refusal(lambda: LinearRegression().fit(X5, Y5).score(X5, y, weight))


@pytest.mark.parametrize(("level", "critical"), [(95, None), ("95", None), (nan, None), (None, None), (0.95, "2.57")])
def test_a_wrong_confidence_level_is_refused(level: Any, critical: Any) -> None:
    refusal(lambda: LinearRegression().fit(X5, Y5).summary(X5, Y5, level=level, critical=critical))


@pytest.mark.parametrize(("X", "level"), [([[nan]], None), ([[inf]], None), ([[1.0]], 95)])
def test_an_interval_for_a_row_that_cannot_be_used_is_refused(X: Any, level: Any) -> None:
    summary = LinearRegression().fit(X5, Y5).summary(X5, Y5)
    with pytest.raises(PellucidError):
        summary.predict(X, level=level)


@pytest.fixture(scope="module")
def said_of_broken_sparse() -> dict[str, str]:
    script = Path(__file__).with_name("broken_sparse.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=280, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("what", BROKEN_SPARSE)
def test_a_sparse_table_with_wrong_indices_is_refused(what: str, said_of_broken_sparse: dict[str, str]) -> None:
    kind, _, words = said_of_broken_sparse[what].partition(": ")
    assert kind in ("DataError", "DataTypeError")
    assert SENTENCE.fullmatch(words)


@pytest.mark.parametrize("bad", [[[nan, 1.0]], [["x", 1.0]], [[1.0]], [1.0, 2.0], None, np.empty((0, 2))])
def test_a_table_asked_about_later_is_refused_like_a_first_one(bad: Any) -> None:
    fitted = LinearRegression().fit([[1, 2], [2, 1], [4, 4.0]], [1, 2, 3])
    refusal(lambda: fitted.predict(bad))


@pytest.mark.parametrize("value", [np.True_, np.False_])
def test_numpys_flags_are_flags(value: Any) -> None:
    fitted = LinearRegression(fit_intercept=value, positive=value, copy_X=value).fit(X5, Y5)
    plain = LinearRegression(fit_intercept=bool(value), positive=bool(value)).fit(X5, Y5)
    np.testing.assert_array_equal(fitted.coef_, plain.coef_)


@pytest.mark.parametrize("n_jobs", [1, 2, 1000, 10**12, -1, -2, -1000, None, np.int64(2)])
def test_any_number_of_threads_gives_the_same_line(n_jobs: Any) -> None:
    assert is_the_line(LinearRegression(n_jobs=n_jobs).fit(X5, Y5))


# ----------------------------------------------------------------------------------------------------- what is answered

GOOD: dict[str, tuple[Any, Any]] = {
    "whole numbers in a list": (X5.astype(int).tolist(), Y5.astype(int).tolist()),
    "decimals": ([[Decimal(int(v))] for v in X5[:, 0]], [Decimal(int(v)) for v in Y5]),
    "fractions": ([[Fraction(int(v))] for v in X5[:, 0]], [Fraction(int(v)) for v in Y5]),
    "decimals in polars": (pl.DataFrame({"a": [Decimal(int(v)) for v in X5[:, 0]]}), Y5),
    "decimals in pyarrow": (pa.table({"a": [Decimal(int(v)) for v in X5[:, 0]]}), Y5),
    "int8": (X5.astype(np.int8), Y5.astype(np.int8)),
    "uint64": (X5.astype(np.uint64), Y5.astype(np.uint64)),
    "128-bit whole numbers in polars": (pl.DataFrame({"a": pl.Series([1, 2, 4, 3, 5], dtype=pl.Int128)}), Y5),
    "float16": (X5.astype(np.float16), Y5.astype(np.float16)),
    "longdouble": (X5.astype(np.longdouble), Y5.astype(np.longdouble)),
    "big-endian": (X5.astype(">f8"), Y5.astype(">f8")),
    "read-only": (np.broadcast_to(X5, X5.shape), np.broadcast_to(Y5, Y5.shape)),
    "backwards": (X5[::-1], Y5[::-1]),
    "strided": (np.repeat(X5, 3, axis=0)[::3], np.repeat(Y5, 3)[::3]),
    "numpy.matrix": (np.asmatrix(X5), Y5),
    "masked array without a mask": (np.ma.array(X5), np.ma.array(Y5)),
    "memoryview": (memoryview(X5), memoryview(Y5)),
    "list of ranges": ([range(v, v + 1) for v in (1, 2, 4, 3, 5)], Y5),
    "column of objects": (pd.DataFrame({"a": X5[:, 0].astype(object)}), Y5.astype(object)),
    "nullable pandas": (pd.DataFrame({"a": pd.array([1, 2, 4, 3, 5], dtype="Int64")}), pd.Series(Y5, dtype="Float64")),
    "sparse pandas": (pd.DataFrame({"a": pd.arrays.SparseArray(X5[:, 0])}), Y5),
    "whole-number names": (pd.DataFrame(X5, columns=[7]), Y5),
    "names of several types": (pd.DataFrame(X5, columns=pd.Index([None])), Y5),
    "a name with quotes and newlines": (pd.DataFrame(X5, columns=['it\'s "a"\nname']), Y5),
    "a table of its own kind": (type("Own", (), {"__array__": lambda self, dtype=None, copy=None: X5})(), Y5),
    "target as a frame": (X5, pd.DataFrame({"y": Y5})),
}


@pytest.mark.parametrize("solver", ["auto", "simple", "qr", "svd"])
@pytest.mark.parametrize("what", GOOD)
def test_odd_but_meaningful_tables_are_answered(what: str, solver: str) -> None:
    X, y = GOOD[what]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model(solver).fit(X, y)
    assert is_the_line(fitted)


def test_flags_are_zero_and_one() -> None:
    fitted = LinearRegression().fit(X5 > 2.5, X5[:, 0] > 2.5)
    np.testing.assert_allclose([*fitted.coef_, fitted.intercept_], [1, 0], atol=1e-15)


@pytest.mark.parametrize("columns", [[0, "0"], [1, "b"], [("a", "x"), ("a", "y")], [0, 1]], ids=str)
def test_columns_of_any_name_are_put_right(columns: list[Any]) -> None:
    """Names that are not text, or only alike as text, are matched as what they are; or refused."""
    names = pd.MultiIndex.from_tuples(columns) if isinstance(columns[0], tuple) else pd.Index(columns, dtype=object)
    frame = pd.DataFrame([[1, 2], [2, 3.0], [5, 1]], columns=names)
    try:
        fitted = LinearRegression().fit(frame, [1, 2, 4])
    except PellucidError:
        return
    np.testing.assert_allclose(fitted.predict(frame.iloc[:, ::-1]), fitted.predict(frame), rtol=1e-13)


@pytest.mark.parametrize("solver", ONE_COLUMN)
@pytest.mark.parametrize(
    "X",
    [
        np.array([[2**63], [2**64 - 1], [0], [2**62]], dtype=np.uint64),
        np.array([[-(2**63)], [2**63 - 1], [0], [2**62]], dtype=np.int64),
        np.array([[-128], [127], [0], [100]], dtype=np.int8),
        [[2**63], [1], [3], [2**62]],
        [[2**70], [1], [3], [2**69]],
    ],
    ids=["uint64", "int64", "int8", "Python whole numbers", "Python whole numbers beyond 64 bits"],
)
def test_whole_numbers_at_the_ends_of_their_range_do_not_wrap_around(X: Any, solver: str) -> None:
    floats = np.array([[float(v)] for (v,) in (X.tolist() if isinstance(X, np.ndarray) else X)])
    y = np.array([3.0, -1.0, 2.0, 7.0])
    assert close(model(solver).fit(X, y), floats, y)


# ----------------------------------------------------------------------------------------------------------- odd shapes


@pytest.mark.parametrize("solver", ["auto", "svd", "lsqr"])
def test_one_row_is_predicted_as_it_is(solver: str) -> None:
    fitted = model(solver).fit([[2.0, 3.0]], [5.0])
    np.testing.assert_array_equal(fitted.coef_, [0, 0])
    assert fitted.predict([[2.0, 3.0]]) == [5.0]


@pytest.mark.parametrize("solver", ["simple", "correlation"])
def test_one_row_of_one_column_is_predicted_as_it_is(solver: str) -> None:
    assert model(solver).fit([[2.0]], [5.0]).predict([[2.0]]) == [5.0]


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
@pytest.mark.parametrize("solver", ["auto", "svd", "lsqr"])
def test_one_row_through_the_origin_takes_the_shortest_coefficients(solver: str) -> None:
    fitted = model(solver, fit_intercept=False).fit([[2.0, 3.0]], [5.0])
    np.testing.assert_allclose(fitted.coef_, [10 / 13, 15 / 13])


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("solver", ["auto", "svd", "lsqr"])
def test_a_constant_column_gets_no_share(solver: str, positive: bool) -> None:
    if positive and solver != "auto":
        return
    fitted = model(solver, positive=positive).fit(np.column_stack([np.full(5, 7.5), X5]), Y5)
    np.testing.assert_allclose(fitted.coef_, [0, 0.8], atol=1e-12)
    assert fitted.coef_[0] == 0 or solver == "lsqr"
    np.testing.assert_allclose(fitted.intercept_, 0.4)


@pytest.mark.parametrize("solver", ["normal", "qr"])
def test_a_constant_column_is_named_by_a_solver_that_cannot_have_it(solver: str) -> None:
    frame = pd.DataFrame({"age": X5[:, 0], "year": 2024.0})
    assert "'year'" in refusal(lambda: model(solver).fit(frame, Y5))
    fitted = model(solver, fit_intercept=False).fit(frame, Y5)  # without an intercept it takes that part
    np.testing.assert_allclose(fitted.coef_ * [1, 2024], [0.8, 0.4], rtol=1e-9)


def test_a_table_of_constants_predicts_the_mean() -> None:
    fitted = LinearRegression().fit(np.full((5, 2), 3.0), Y5)
    np.testing.assert_array_equal(fitted.coef_, [0, 0])
    assert fitted.intercept_ == Y5.mean()
    assert fitted.rank_ == 0


def test_a_duplicate_column_shares_the_coefficient_and_is_named() -> None:
    frame = pd.DataFrame({"age": X5[:, 0], "years": X5[:, 0], "height": [3.0, 1, 2, 5, 4]})
    with pytest.warns(DependentColumnsWarning, match="'age', 'years'"):
        fitted = LinearRegression().fit(frame, Y5)
    assert fitted.dependent_columns_ == ["age", "years"]
    assert fitted.rank_ == 2
    alone = LinearRegression().fit(frame[["age", "height"]], Y5)
    np.testing.assert_allclose(fitted.coef_, np.array([1, 1, 2]) * np.repeat(alone.coef_, [2, 1]) / 2)


@pytest.mark.parametrize("solver", ["svd", "lsqr"])
def test_a_duplicate_column_shares_the_coefficient(solver: str) -> None:
    np.testing.assert_allclose(model(solver).fit(np.column_stack([X5, X5]), Y5).coef_, [0.4, 0.4])


@pytest.mark.parametrize("solver", ["normal", "qr"])
def test_a_duplicate_column_is_refused_by_a_solver_that_cannot_have_it(solver: str) -> None:
    assert "independent" in refusal(lambda: model(solver).fit(np.column_stack([X5, X5]), Y5))


def test_a_duplicate_column_leaves_non_negative_coefficients_as_good() -> None:
    fitted = model(positive=True).fit(np.column_stack([X5, X5]), Y5)
    assert fitted.coef_.sum() == pytest.approx(0.8)
    assert (fitted.coef_ >= 0).all()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["auto", "svd", "lsqr"])
@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
def test_more_columns_than_rows_give_the_shortest_coefficients(solver: str, fit_intercept: bool) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(6, 15)), random.normal(size=6)
    centered = X - X.mean(axis=0) if fit_intercept else X
    fitted = model(solver, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(fitted.coef_, np.linalg.pinv(centered) @ (y - y.mean() * fit_intercept), rtol=1e-6)
    np.testing.assert_allclose(fitted.predict(X), y)


def test_more_columns_than_rows_are_said() -> None:
    with pytest.warns(DependentColumnsWarning, match="15 columns besides the intercept and only 6 rows"):
        LinearRegression().fit(np.random.default_rng(0).normal(size=(6, 15)), np.arange(6))


@pytest.mark.parametrize("solver", ["normal", "qr"])
def test_more_columns_than_rows_are_refused_by_a_solver_that_cannot_have_them(solver: str) -> None:
    X = np.random.default_rng(0).normal(size=(6, 15))
    assert "15 columns and only 6 rows" in refusal(lambda: model(solver).fit(X, np.arange(6)))


@pytest.mark.parametrize("solver", ["simple", "correlation"])
def test_two_columns_are_refused_by_a_solver_for_one(solver: str) -> None:
    assert "one column" in refusal(lambda: model(solver).fit(np.column_stack([X5, X5]), Y5))


# --------------------------------------------------------------------------------------------------- scales and offsets

RANDOM = np.random.default_rng(0)
X3 = RANDOM.normal(size=(12, 3))
Y3 = X3 @ [1, 2, -3] + 0.5 + RANDOM.normal(size=12) / 10
LARGEST, SMALLEST = np.finfo(float).max, 5e-324
QUIET = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # one test below is about those


def close(fitted: LinearRegression, X: Any, y: Any, weight: Any = None) -> bool:
    """Within a few hundred roundings of the exact answer; LSQR within its tolerance."""
    return exact.worst_error(fitted, X, y, weight) < (1e-7 if fitted.solver_ == "lsqr" else 1e-13)


@QUIET
@pytest.mark.parametrize("power", [150, -150, 300, -300])
@pytest.mark.parametrize("scaled", ["X", "y", "both"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", SEVERAL)
def test_any_scale_is_answered_exactly(solver: str, fit_intercept: bool, scaled: str, power: int) -> None:
    X = X3 * 10.0**power if scaled in ("X", "both") else X3
    y = Y3 * 10.0**power if scaled in ("y", "both") else Y3
    assert close(model(solver, fit_intercept=fit_intercept).fit(X, y), X, y)


@QUIET
@pytest.mark.parametrize("power", [150, -150])
@pytest.mark.parametrize("solver", SEVERAL)
def test_opposite_scales_of_table_and_target_are_answered_exactly(solver: str, power: int) -> None:
    X, y = X3 * 10.0**power, Y3 * 10.0**-power
    assert close(model(solver).fit(X, y), X, y)


@QUIET
@pytest.mark.parametrize("power", [500, -500, 996, -996])
@pytest.mark.parametrize("scaled", ["X", "y", "both"])
def test_non_negative_coefficients_scale_with_the_data(scaled: str, power: int) -> None:
    """Powers of two change no digit: the coefficients are those of the plain table, times such a power."""
    plain = model(positive=True).fit(X3, Y3)
    X = X3 * 2.0**power if scaled in ("X", "both") else X3
    y = Y3 * 2.0**power if scaled in ("y", "both") else Y3
    found = model(positive=True).fit(X, y)
    shift = {"X": -power, "y": power, "both": 0}[scaled]
    np.testing.assert_allclose(np.ldexp(found.coef_, -shift), plain.coef_, rtol=1e-12)


@QUIET
@pytest.mark.parametrize("scale", [1e10, 1e150, 1e300])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["auto", "normal", "qr"])
def test_columns_of_very_different_scales_are_answered_exactly(solver: str, fit_intercept: bool, scale: float) -> None:
    X = X3 * [scale, 1, 1 / scale]
    assert close(model(solver, fit_intercept=fit_intercept).fit(X, Y3), X, Y3)


@QUIET
@pytest.mark.parametrize("scale", [1e3, 1e10, 1e150])
@pytest.mark.parametrize("solver", ["svd", "lsqr"])
def test_columns_of_very_different_scales_are_answered_or_said(solver: str, scale: float) -> None:
    """These two cut off what is small beside the largest; then `rank_` or a warning has to tell."""
    X = X3 * [scale, 1, 1 / scale]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", PellucidWarning)
        fitted = model(solver).fit(X, Y3)
    told = fitted.rank_ < 3 or any(issubclass(w.category, PellucidWarning) for w in said)
    assert told or exact.worst_error(fitted, X, Y3) < 1e-6


@pytest.mark.parametrize("solver", SEVERAL)
@pytest.mark.parametrize("offset", [1e8, -1e8])
def test_a_large_offset_does_not_drown_the_spread(solver: str, offset: float) -> None:
    X = X3 + offset
    coef, _ = exact.least_squares(X, Y3 + offset)
    np.testing.assert_allclose(model(solver).fit(X, Y3 + offset).coef_, [float(c) for c in coef], rtol=1e-6)


@pytest.mark.parametrize("solver", SEVERAL)
def test_columns_of_very_different_offsets_all_count(solver: str) -> None:
    X = X3 + np.array([1e8, 0, 1e12])
    coef, _ = exact.least_squares(X, Y3)
    np.testing.assert_allclose(LinearRegression(solver=solver).fit(X, Y3).coef_, [float(c) for c in coef], rtol=1e-3)


@pytest.mark.parametrize("solver", ONE_COLUMN)
@pytest.mark.parametrize("offset", [1e12, 1e15])
def test_a_huge_offset_leaves_the_digits_that_are_there(solver: str, offset: float) -> None:
    X = offset + np.round(8 * X3[:, :1])  # whole numbers: held exactly
    coef, _ = exact.least_squares(X, Y3)
    rounding = offset * np.finfo(float).eps / 8  # of the offset, as a share of the spread
    np.testing.assert_allclose(model(solver).fit(X, Y3).coef_, [float(c) for c in coef], rtol=rounding)


@pytest.mark.parametrize("solver", ONE_COLUMN)
def test_a_column_that_varies_in_its_last_digits_is_used_or_said(solver: str) -> None:
    X = 1e16 + np.array([[0.0], [2], [4], [6], [8]])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", PellucidWarning)
        try:
            fitted = model(solver).fit(X, Y5)
        except PellucidError:
            return
    coef, _ = exact.least_squares(X, Y5)
    assert said or exact.error(fitted.coef_[0], coef[0]) < 0.1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lsqr_by_its_tolerance_keeps_the_digits_of_a_far_off_column(dtype: Any) -> None:
    unit = 2.0 ** (24 if dtype is np.float32 else 53)  # whose neighbors are 2 apart
    X = (unit + np.array([[0.0], [2], [4], [6], [8]])).astype(dtype)
    for weight in (None, np.array([1.0, 2, 1, 2, 1])):
        coef, _ = exact.least_squares(X, Y5, weight)
        fitted = LinearRegression(solver="lsqr").fit(X, Y5, weight)
        assert fitted.coef_[0] == pytest.approx(float(coef[0]), rel=1e-5)


@QUIET
@pytest.mark.filterwarnings("ignore::pellucid.base.errors.ConvergenceWarning")
@pytest.mark.parametrize("solver", ONE_COLUMN)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[-LARGEST], [LARGEST], [LARGEST / 2], [0.0]], [1.0, 2.0, 2.0, 1.0]),
        ([[1.0], [2.0], [3.0], [4.0]], [-LARGEST, LARGEST, LARGEST / 2, 0.0]),
    ],
    ids=["X", "y"],
)
def test_numbers_at_the_end_of_the_range_are_answered_or_refused(solver: str, X: Any, y: Any) -> None:
    fitted, words = fitted_or_words(lambda: model(solver).fit(X, y))
    if fitted is None:
        assert SENTENCE.fullmatch(words)
        assert not re.search("singular|depend", words)  # they are neither
    else:
        assert close(fitted, np.array(X), np.array(y))


@QUIET
@pytest.mark.parametrize("solver", ONE_COLUMN)
def test_a_target_of_subnormal_numbers_is_answered_to_their_last_digit(solver: str) -> None:
    y = np.array([5, 10, 20, 40]) * SMALLEST
    fitted = model(solver).fit([[1.0], [2.0], [3.0], [4.0]], y)
    np.testing.assert_allclose(fitted.coef_ / SMALLEST, [11.5], atol=1)
    np.testing.assert_allclose(fitted.intercept_ / SMALLEST, -10, atol=2)


@QUIET
@pytest.mark.filterwarnings("ignore::pellucid.base.errors.ConvergenceWarning")
@pytest.mark.parametrize("solver", ONE_COLUMN)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.array([[5.0], [10], [20], [40]]) * SMALLEST, [1.0, 2.0, 3.0, 5.0]),
        (np.array([[1.0], [2], [3], [4]]) * 1e-300, np.array([1.0, 2.0, 3.0, 5.0]) * 1e300),
    ],
    ids=["subnormal X", "tiny X, huge y"],
)
def test_coefficients_beyond_every_float_are_refused(solver: str, X: Any, y: Any) -> None:
    with pytest.raises(DataError) as caught:
        model(solver).fit(X, y)
    assert SENTENCE.fullmatch(str(caught.value))


@QUIET
@pytest.mark.parametrize("power", [30, 37, -30, -37, -42])
def test_single_precision_keeps_its_range(power: int) -> None:
    X = (X3 * 10.0**power).astype(np.float32)
    fitted, words = fitted_or_words(lambda: LinearRegression().fit(X, Y3))
    if fitted is None:
        assert SENTENCE.fullmatch(words)
    else:
        coef, _ = exact.least_squares(X, Y3)
        np.testing.assert_allclose(fitted.coef_.astype(float), [float(c) for c in coef], rtol=1e-6)


@QUIET
@pytest.mark.parametrize("solver", SEVERAL)
@pytest.mark.parametrize("weight", [1e300, 1.7e308, 1e-300, SMALLEST])
def test_one_weight_for_all_rows_is_none_however_large_or_small(solver: str, weight: float) -> None:
    plain = model(solver).fit(X3, Y3)
    weighted = model(solver).fit(X3, Y3, np.full(12, weight))
    np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, plain.intercept_, rtol=1e-9)


@QUIET
@pytest.mark.parametrize("solver", DIRECT)
def test_a_rare_value_of_another_scale_is_not_lost(solver: str) -> None:
    """One value in thousands differs: the units of a column cannot be told from a sample."""
    X = np.column_stack([np.zeros(3000), np.arange(3000) % 7])
    X[[777, 778], 0] = 1e-200, 3e-200
    y = np.sin(np.arange(3000.0))
    fitted = model(solver).fit(X, y)
    coef, _ = exact.least_squares(X, y)
    if solver == "svd" and fitted.rank_ < 2:
        return  # small beside the other column, and said so
    np.testing.assert_allclose(fitted.coef_, [float(c) for c in coef], rtol=1e-8)


@QUIET
@pytest.mark.parametrize("solver", DIRECT)
def test_one_outlier_of_another_scale_is_answered_exactly(solver: str) -> None:
    X, y = np.vstack([X3, [1e200, 1, 1]]), np.append(Y3, 3.0)
    fitted = model(solver).fit(X, y)
    if solver == "svd" and fitted.rank_ < 3:
        return  # the others are small beside it, and said so
    assert close(fitted, X, y)


@pytest.mark.parametrize("power", [150, -150, 300, -300])
def test_large_and_small_numbers_bring_no_warning(power: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearRegression().fit(X3 * 10.0**power, Y3).predict(X3 * 10.0**power)
        LinearRegression().fit(X3, Y3 * 10.0**power).predict(X3)


@QUIET
@pytest.mark.parametrize("power", [600, -600, 990, -990])
def test_singular_values_scale_with_the_table(power: int) -> None:
    plain = LinearRegression().fit(X3, Y3).singular_
    np.testing.assert_allclose(np.ldexp(LinearRegression().fit(X3 * 2.0**power, Y3).singular_, -power), plain)


@QUIET
@pytest.mark.parametrize("power", [600, -600, 990, -990])
def test_the_score_does_not_depend_on_the_unit_of_the_target(power: int) -> None:
    y = Y3 * 2.0**power
    assert LinearRegression().fit(X3, y).score(X3, y) == pytest.approx(LinearRegression().fit(X3, Y3).score(X3, Y3))


@QUIET
@pytest.mark.parametrize("power", [400, -400, 600, -600])
@pytest.mark.parametrize("scaled", ["X", "y"])
def test_t_and_r2_do_not_depend_on_units(scaled: str, power: int) -> None:
    X, y = (X3 * 2.0**power, Y3) if scaled == "X" else (X3, Y3 * 2.0**power)
    plain = LinearRegression().fit(X3, Y3).summary(X3, Y3)
    found = LinearRegression().fit(X, y).summary(X, y)
    np.testing.assert_allclose(found.t_values, plain.t_values)
    np.testing.assert_allclose(found.p_values, plain.p_values)
    np.testing.assert_allclose([found.r2, found.adjusted_r2], [plain.r2, plain.adjusted_r2])
