"""Partial dependence: every form of table, text and whole numbers, blocks, words."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from pellucid.base.errors import DataError, ParameterError
from pellucid.dummy import DummyClassifier
from pellucid.inspection import Dependence, dependence, partial_dependence
from pellucid.linear_model import LinearRegression

RNG = np.random.default_rng(0)
X = np.where(RNG.random((40, 3)) < 0.3, 0.0, RNG.normal(size=(40, 3)))
Y = X @ [3.0, 0.0, 1.0] + 1
NAMES = ["width", "color", "age"]
MODEL = LinearRegression().fit(X, Y)


def test_a_straight_line_has_its_slope_everywhere() -> None:
    found = partial_dependence(MODEL, X, 0, kind="both")
    grid = found.grid_values[0]
    np.testing.assert_allclose(found.average, 1 + 3 * grid + X[:, 2].mean(), atol=1e-10)
    np.testing.assert_allclose(found.individual, 1 + 3 * grid + X[:, [2]], atol=1e-10)


def test_two_columns_and_weights() -> None:
    weight = RNG.integers(0, 3, 40).astype(float)
    found = partial_dependence(MODEL, X, [1, 2], sample_weight=weight, grid_resolution=6)
    assert found.average.shape == (6, 6)
    assert found["average"].shape == (1, 6, 6)
    by_hand = 1 + 3 * np.average(X[:, 0], weights=weight) + found.grid_values[1]
    np.testing.assert_allclose(found.average, np.tile(by_hand, (6, 1)), atol=1e-10)
    repeated = partial_dependence(
        MODEL, np.repeat(X, weight.astype(int), axis=0), [1, 2], grid_resolution=6,
        custom_values={1: found.grid_values[0], 2: found.grid_values[1]},
    )  # fmt: skip
    np.testing.assert_allclose(repeated.average, found.average, atol=1e-12)


@pytest.mark.parametrize(
    "form",
    [
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: pd.DataFrame(X, columns=NAMES).convert_dtypes(),
        lambda X: pl.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)}),
        sp.csr_array,
        sp.csc_matrix,
        np.asfortranarray,
        lambda X: X.tolist(),
    ],
    ids=["pandas", "pandas, nullable", "polars", "csr", "csc", "by column", "list"],
)
@pytest.mark.parametrize("features", [0, [2, 0]], ids=str)
def test_every_form_of_table_gives_the_same(form: Any, features: Any) -> None:
    table = form(X)
    model = LinearRegression().fit(table, Y)
    found = partial_dependence(model, table, features, grid_resolution=9, kind="both")
    wanted = partial_dependence(MODEL, X, features, grid_resolution=9, kind="both")
    for a, b in zip(found.grid_values, wanted.grid_values, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
    np.testing.assert_allclose(found["average"], wanted["average"], atol=1e-11)
    np.testing.assert_allclose(found["individual"], wanted["individual"], atol=1e-11)


@pytest.mark.parametrize("cells", [1, 3 * 40, 3 * 40 * 4, 3 * 40 * 7])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pl.DataFrame, pd.DataFrame])
def test_the_size_of_a_block_does_not_matter(cells: int, form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = form(X)
    model = LinearRegression().fit(table, Y)
    whole = partial_dependence(model, table, [0, 1], grid_resolution=5, kind="both")
    monkeypatch.setattr(dependence, "CELLS", cells)
    parts = partial_dependence(model, table, [0, 1], grid_resolution=5, kind="both")
    np.testing.assert_allclose(parts.average, whole.average, atol=1e-12)
    np.testing.assert_allclose(parts.individual, whole.individual, atol=1e-12)


class Counting(RegressorMixin, BaseEstimator):
    """Answers with the first column and counts the questions."""

    def fit(self, X: Any, y: Any) -> Counting:
        self.asked_: list[int] = []
        return self

    def predict(self, X: Any) -> Any:
        self.asked_.append(len(X))
        return X[:, 0].astype(float)


def test_many_points_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Counting().fit(X, Y)
    partial_dependence(model, X, 0, grid_resolution=10)
    assert model.asked_ == [400]
    model.asked_ = []
    monkeypatch.setattr(dependence, "CELLS", 3 * 40 * 4)
    partial_dependence(model, X, 0, grid_resolution=10)
    assert model.asked_ == [160, 160, 80]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("fill", [None, "ash"], ids=["missing", "complete"])
def test_text_by_its_values(library: Any, fill: Any) -> None:
    trees = np.array(["ash", "birch", "cedar"])[np.arange(40) % 3].astype(object)
    trees[7] = fill
    table = library({"tree": trees.tolist(), "width": X[:, 0]})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["tree"]), remainder="passthrough"),
        LogisticRegression(),
    ).fit(table, trees == "birch")
    found = partial_dependence(model, table, ["tree", "width"], grid_resolution=4)
    assert found.feature_names == ["tree", "width"]
    assert found.grid_values[0].tolist() == ["ash", "birch", "cedar"]
    assert found.average.shape == (3, 4)
    assert (found.average[1] > found.average[[0, 2]]).all()
    assert len(found.deciles[0]) == 0
    assert "birch" in str(partial_dependence(model, table, "tree"))


def test_whole_numbers_and_flags() -> None:
    table = np.arange(300).reshape(100, 3)
    model = LinearRegression().fit(table[:, :1], np.arange(100.0))
    found = partial_dependence(model, table[:, :1], 0, grid_resolution=50)
    low, high = found.grid_values[0][[0, -1]]
    assert found.grid_values[0].dtype.kind == "f"
    assert found.average[[0, -1]] == pytest.approx([low / 3, high / 3])
    flags = np.arange(100)[:, None] % 2 == 0
    found = partial_dependence(LinearRegression().fit(flags, np.arange(100.0)), flags, 0, grid_resolution=2)
    assert found.grid_values[0].tolist() == [False, True]
    assert found.average == pytest.approx([50, 49])


def test_missing_numbers_are_left_out_of_the_grid() -> None:
    holes = X.copy()
    holes[::5, 0] = np.nan

    class Forgiving(Counting):
        def predict(self, X: Any) -> Any:
            return np.nan_to_num(X[:, 0])

    found = partial_dependence(Forgiving().fit(holes, Y), holes, 0, percentiles=(0, 1), grid_resolution=5)
    assert np.isfinite(found.grid_values[0]).all()
    assert found.grid_values[0][[0, -1]].tolist() == [np.nanmin(holes[:, 0]), np.nanmax(holes[:, 0])]
    holes[:, 0] = np.nan
    with pytest.raises(DataError, match="column 'x0' must have values to make a grid of; all are missing"):
        partial_dependence(Forgiving().fit(holes, Y), holes, 0)


def test_deciles_of_ninety_nine_numbers() -> None:
    """h = 0.4 + 0.2 p + n p is 10.4 + 0.02 - 0.1 for p = 0.1 and n = 99: 10.32."""
    table = np.arange(1.0, 100)[:, None]
    found = partial_dependence(LinearRegression().fit(table, table.ravel()), table, 0, grid_resolution=3)
    np.testing.assert_allclose(found.deciles[0], [0.4 + 0.2 * p + 99 * p for p in np.arange(1, 10) / 10])


def test_one_class_only() -> None:
    model = DummyClassifier().fit(X, ["yes"] * 40)
    found = partial_dependence(model, X, 0)
    assert found.average.tolist() == [1.0] * len(found.grid_values[0])


def test_attributes_without_the_axis_of_outputs() -> None:
    several = LinearRegression().fit(X, np.column_stack([Y, -Y]))
    found = partial_dependence(several, X, 0, kind="individual", grid_resolution=8)
    assert found.average.shape == (2, 8)
    assert found.individual is not None
    assert found.individual.shape == (2, 40, 8)
    assert "average" not in found
    assert found.response == "predict"
    assert partial_dependence(MODEL, X, 0).individual is None
    assert "output 1" in str(found)
    assert "8 of" not in str(found)
    assert "12 of 100 points shown" in str(partial_dependence(MODEL, RNG.normal(size=(200, 3)), 0))
    assert "5 x 6 points" not in str(partial_dependence(MODEL, X, [0, 1], grid_resolution=5))
    assert "5 x 5 points" in str(partial_dependence(MODEL, X, [0, 1], grid_resolution=5))


def test_it_can_be_pickled() -> None:
    found = partial_dependence(MODEL, X, [0, 1], kind="both", grid_resolution=4)
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is Dependence
    assert again.feature_names == ["x0", "x1"]
    np.testing.assert_array_equal(again.individual, found.individual)
    np.testing.assert_array_equal(again["average"], found["average"])


def test_the_table_is_left_as_it_was() -> None:
    for table in (X.copy(), pd.DataFrame(X), sp.csc_array(X)):
        before = pickle.dumps(table)
        partial_dependence(LinearRegression().fit(table, Y), table, [0, 1], grid_resolution=3)
        assert pickle.dumps(table) == before


class Deaf(ClassifierMixin, BaseEstimator):
    def fit(self, X: Any, y: Any) -> Deaf:
        self.classes_ = np.unique(y)
        return self


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"features": 3}, r"all features must be in \[0, 2\], or names of columns; got 3"),
        ({"features": -1}, r"all features must be in \[0, 2\]"),
        ({"features": "girth"}, "there is no column 'girth'; there are x0, x1, x2"),
        ({"features": [0, 1, 2]}, "features must be one column or two different ones"),
        ({"features": [1, 1]}, "features must be one column or two different ones"),
        ({"features": []}, "features must be one column or two different ones"),
        ({"percentiles": (0.5,)}, "must be a sequence of 2 elements"),
        ({"percentiles": (0.5, 2)}, r"must be in \[0, 1\]"),
        ({"percentiles": (0.5, 0.5)}, "must be strictly less than"),
        ({"grid_resolution": 1}, "'grid_resolution' must be strictly greater than 1"),
        ({"kind": "all"}, "kind must be 'average', 'individual' or 'both'; got 'all'"),
        ({"method": "recursion"}, "method must be 'auto' or 'brute'; got 'recursion'"),
        ({"response_method": "predict_proba"}, "response_method must be 'auto'"),
        ({"feature_names": ["a", "a", "b"]}, "should not contain duplicates"),
        ({"feature_names": ["a"]}, "one name a column"),
        ({"categorical_features": [True]}, "one flag a column; got 1 for 3 columns"),
        ({"custom_values": {0: [[1.0]]}}, "custom_values of 0 must be a list of values"),
        ({"sample_weight": [1.0]}, "sample_weight must hold one finite number a row"),
    ],
    ids=str,
)
def test_wrong_settings_get_a_sentence(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        partial_dependence(MODEL, X, **{"features": 0, **settings})


def test_wrong_models_get_a_sentence() -> None:
    with pytest.raises(ParameterError, match="must be a fitted regressor or classifier; got KMeans"):
        partial_dependence(KMeans(2, n_init=1).fit(X), X, 0)
    with pytest.raises(ParameterError, match="Deaf must have predict_proba or decision_function"):
        partial_dependence(Deaf().fit(X, [0, 1] * 20), X, 0)
    with pytest.raises(ParameterError, match="response_method must be 'auto', 'predict_proba' or"):
        partial_dependence(Deaf().fit(X, [0, 1] * 20), X, 0, response_method="predict")
    with pytest.raises(ParameterError, match="Multiclass-multioutput"):
        partial_dependence(DummyClassifier().fit(X, np.tile([["a", "b"]], (40, 1))), X, 0)
    with pytest.raises(NotFittedError):
        partial_dependence(LinearRegression(), X, 0)
    constant = np.where(np.arange(40) < 39, 1.0, np.arange(40.0))[:, None] + np.arange(40.0)[:, None] * 1e-12
    with pytest.raises(ParameterError, match="percentiles are too close to each other"):
        partial_dependence(LinearRegression().fit(constant, Y), constant, 0, grid_resolution=3)
