"""SimpleImputer and MissingIndicator: values worked out by hand, every kind of table, and every refusal."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from pellucid.base.errors import PellucidError, PellucidWarning
from pellucid.impute import MissingIndicator, SimpleImputer
from pellucid.reference import impute as reference

nan = float("nan")
LARGEST = np.finfo(float).max


def random_table(seed: int, rows: int = 60, columns: int = 5) -> np.ndarray:
    random = np.random.default_rng(seed)
    X = np.round(random.lognormal(size=(rows, columns)), 1)
    X[random.random(X.shape) < 0.2] = nan
    return X


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(4))
def test_statistics_are_the_reference(seed: int, dtype: Any, order: Any) -> None:
    X = np.asarray(random_table(seed), dtype=dtype, order=order)
    formulas: dict[str, Any] = {
        "mean": reference.mean,
        "median": reference.median,
        "most_frequent": lambda x: reference.mode(x.tolist()),
        "auto": reference.automatic,
    }
    for strategy, formula in formulas.items():
        model = SimpleImputer(strategy=strategy).fit(X)
        wanted = [formula(X[:, j].astype(float)) for j in range(X.shape[1])]
        np.testing.assert_allclose(model.statistics_, wanted, rtol=1e-12)
        found = model.transform(X)
        assert found.dtype == dtype
        for j, value in enumerate(wanted):
            np.testing.assert_allclose(found[:, j], reference.fill(X[:, j], value), rtol=1e-6)


def test_auto_takes_the_median_of_a_skewed_column() -> None:
    # distances from the mean -1, -1, -1, 3: m2 = 3, m3 = 6, g = 6 / 3^1.5 = 1.1547
    X = [[0.0], [0.0], [0.0], [4.0], [nan]]
    model = SimpleImputer(strategy="auto").fit(X)
    assert model.strategies_ == ["median"]
    assert model.statistics_.tolist() == [0.0]
    assert reference.skewness([0, 0, 0, 4]) == pytest.approx(6 / 3**1.5)
    assert SimpleImputer(strategy="auto", skew_limit=1.2).fit(X).statistics_.tolist() == [1.0]


def test_the_range_of_floats_is_kept() -> None:
    X = np.array([[LARGEST, -LARGEST, 5e-324], [LARGEST, LARGEST, 5e-324], [nan, nan, nan]])
    for strategy in ("mean", "median", "auto"):
        found = SimpleImputer(strategy=strategy).fit(X).statistics_
        assert found.tolist() == [LARGEST, 0.0, 5e-324], strategy


def test_whole_numbers_beyond_floats_stay_exact() -> None:
    big = 2**53 + 1
    X = np.array([[big], [big], [-1]], dtype=np.int64)
    found = SimpleImputer(missing_values=-1, strategy="most_frequent").fit_transform(X)
    assert found.dtype == np.int64
    assert found.ravel().tolist() == [big, big, big]


MIXED = {
    "age": [1.0, None, 3.0, 8.0],
    "city": ["b", "a", None, "a"],
    "member": [True, None, False, True],
    "count": [1, 2, None, 2],
}


def as_frame(library: str) -> Any:
    if library == "pandas":
        frame = pd.DataFrame({**MIXED, "size": pd.Categorical(["s", None, "m", "s"], ["s", "m", "l"], ordered=True)})
        return frame.astype({"member": "boolean", "count": "Int64"})
    if library == "polars":
        return pl.DataFrame({**MIXED, "size": pl.Series(["s", None, "m", "s"], dtype=pl.Categorical)})
    return pa.table({**MIXED, "size": pa.array(["s", None, "m", "s"]).dictionary_encode()})


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_mixed_frame_is_filled_column_by_column(library: str) -> None:
    model = SimpleImputer(strategy="auto").fit(as_frame(library))
    assert model.strategies_ == ["mean", "most_frequent", "most_frequent", "mean", "most_frequent"]
    found = model.transform(as_frame(library))
    assert found[1].tolist() == [4.0, "a", True, 2.0, "s"]
    assert found[2, 1] == "a"
    assert found[2, 3] == pytest.approx(5 / 3)


@pytest.mark.parametrize("out", ["pandas", "polars"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_keep_the_types_of_their_columns(library: str, out: str) -> None:
    model = SimpleImputer(strategy="most_frequent", add_indicator=True).set_output(transform=out)
    found = model.fit_transform(as_frame(library))
    assert list(found.columns)[:5] == ["age", "city", "member", "count", "size"]
    assert list(found.columns)[5] == "missingindicator_age"
    assert found["count"].to_numpy().tolist() == [1, 2, 2, 2]
    assert [str(v) for v in found["size"]] == ["s", "s", "m", "s"]
    assert [bool(v) for v in found["member"]] == [True, True, False, True]
    if library == out == "pandas":
        assert found.dtypes.astype(str).tolist()[:5] == as_frame(library).dtypes.astype(str).tolist()
    if library == out == "polars":
        assert found.dtypes[:5] == as_frame(library).dtypes


def test_a_mean_that_is_not_whole_makes_a_column_of_floats() -> None:
    frame = pd.DataFrame({"n": pd.array([1, 2, None], dtype="Int64"), "m": pd.array([1, 3, None], dtype="Int64")})
    found = SimpleImputer().set_output(transform="pandas").fit_transform(frame)
    assert found["n"].tolist() == [1.0, 2.0, 1.5]
    assert found["m"].tolist() == [1, 3, 2]
    assert str(found["m"].dtype) == "Int64"


def test_the_index_of_a_frame_stays() -> None:
    frame = pd.DataFrame({"a": [1.0, nan, 3.0]}, index=[7, 5, 3])
    assert SimpleImputer().set_output(transform="pandas").fit_transform(frame).index.tolist() == [7, 5, 3]


def test_times_have_a_most_frequent_one() -> None:
    day = datetime.datetime(2024, 5, 1)
    frame = pd.DataFrame({"t": [day, None, day, datetime.datetime(2025, 1, 1)]})
    found = SimpleImputer(strategy="most_frequent").set_output(transform="pandas").fit_transform(frame)
    assert found["t"].tolist()[1] == pd.Timestamp(day)


def test_texts_may_stand_for_what_is_missing() -> None:
    X = np.array([["a", 1], ["?", 2], ["a", "?"], ["b", 2]], dtype=object)
    found = SimpleImputer(missing_values="?", strategy="most_frequent").fit_transform(X)
    assert found.tolist() == [["a", 1], ["a", 2], ["a", 2], ["b", 2]]
    assert SimpleImputer(missing_values="", strategy="constant").fit_transform([["a"], [""]]).ravel().tolist() == [
        "a",
        "missing_value",
    ]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant", "auto"])
def test_a_column_without_values_is_dropped_or_kept(strategy: str) -> None:
    X = [[1.0, nan], [3.0, nan]]
    with pytest.warns(PellucidWarning, match="without any observed values"):
        assert SimpleImputer(strategy=strategy).fit(X).transform(X).shape == (2, 1)
    kept = SimpleImputer(strategy=strategy, keep_empty_features=True, fill_value=7).fit_transform(X)
    assert kept[:, 1].tolist() == [7.0, 7.0] if strategy == "constant" else [0.0, 0.0]


def test_the_way_back() -> None:
    X = np.array([[1.0, nan, 3.0], [nan, 2.0, 4.0]])
    model = SimpleImputer(add_indicator=True).fit(X)
    assert model.transform(X).tolist() == [[1, 2, 3, 0, 1], [1, 2, 4, 1, 0]]
    np.testing.assert_array_equal(model.inverse_transform(model.transform(X)), X)
    words = SimpleImputer(strategy="most_frequent", add_indicator=True).fit([["a"], [None], ["a"]])
    assert words.inverse_transform([["a", True], ["b", False]]).ravel().tolist()[1] == "b"


def test_in_place_only_when_asked() -> None:
    X = np.array([[1.0], [nan], [3.0]])
    assert SimpleImputer(copy=False).fit(X).transform(X) is not None
    assert X.ravel().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "auto"])
def test_zeros_that_are_not_stored_are_values(strategy: str) -> None:
    X = np.array([[0.0, 1.0], [0.0, nan], [nan, 5.0], [8.0, 0.0]])
    dense = SimpleImputer(strategy=strategy, add_indicator=True).fit(X)
    sparse = SimpleImputer(strategy=strategy, add_indicator=True).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(sparse.statistics_.astype(float), dense.statistics_.astype(float))
    np.testing.assert_allclose(sparse.transform(sp.csc_array(X)).toarray(), dense.transform(X))


@pytest.mark.parametrize(
    ("settings", "X", "words"),
    [
        ({}, [["a"], ["b"]], "Cannot use mean strategy with non-numeric data; column 'x0' holds 'a'"),
        ({"strategy": "median"}, pd.DataFrame({"c": ["x", None]}), "column 'c' holds 'x'"),
        ({}, [[np.inf], [1.0]], "infin"),
        ({"strategy": "most_frequent"}, pd.DataFrame({"c": [1.0, np.inf]}), "'c' has 1 infinite value"),
        ({"missing_values": -1}, [[nan], [1.0]], "missing_values=-1 says what is missing"),
        ({"missing_values": "?"}, [[1.0], [2.0]], "expected to be both numerical"),
        ({"missing_values": 0}, sp.csr_matrix([[1.0], [0.0]]), "zeros are not stored"),
        ({"strategy": "constant", "fill_value": "a"}, [[1.0], [nan]], "cannot be cast"),
        ({"strategy": "constant", "fill_value": 1.5}, np.array([[1], [2]]), "cannot be cast"),
        ({"strategy": lambda x: "a"}, [[1.0], [nan]], "returns one number"),
        ({"strategy": "mode"}, [[1.0]], "strategy must be"),
        ({"missing_values": [1]}, [[1.0]], "missing_values must be"),
        ({"skew_limit": -1.0}, [[1.0]], "skew_limit must be"),
    ],
)
def test_refusals_are_one_sentence(settings: Any, X: Any, words: str) -> None:
    with pytest.raises(PellucidError) as caught:
        SimpleImputer(**settings).fit(X)
    said = str(caught.value)
    assert words in said
    assert said.startswith("SimpleImputer: ")


def test_the_indicator_takes_any_column() -> None:
    frame = as_frame("pandas")
    model = MissingIndicator().fit(frame)
    assert model.features_.tolist() == [0, 1, 2, 3, 4]
    assert model.transform(frame).sum(axis=0).tolist() == [1, 1, 1, 1, 1]
    assert MissingIndicator(features="all", sparse=True).fit_transform([[1.0, nan]]).toarray().tolist() == [
        [False, True]
    ]


def test_the_indicator_refuses_new_gaps() -> None:
    with pytest.raises(PellucidError, match="column 'x0'"):
        MissingIndicator().fit([[1.0, nan]]).transform([[nan, nan]])


def test_workings_with_gaps_come_out() -> None:
    X = random_table(3, 12, 3)
    for strategy in ("mean", "median", "most_frequent", "constant", "auto", np.max):
        model = SimpleImputer(strategy=strategy).fit(X)
        assert model.show_fit(X).value("s_1") == pytest.approx(float(model.statistics_[0]))
        np.testing.assert_allclose(model.show_transform(X).value("z_2"), model.transform(X)[:, 1])
    frame = as_frame("pandas")
    model = SimpleImputer(strategy="auto").fit(frame)
    assert model.show_fit(frame).value("s_2") == "a"
    assert model.show_transform(frame).value("z_2").tolist() == ["b", "a", "a", "a"]
    indicator = MissingIndicator().fit(frame)
    assert indicator.show_fit(frame).value("n_1") == 1
    assert indicator.show_transform(frame).value("z_1").tolist() == [0, 1, 0, 0]
