"""Permutation importance and partial dependence against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import inspection as peer
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression as PeerRegression
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from pellucid.inspection import partial_dependence, permutation_importance
from pellucid.linear_model import LinearRegression

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
X[:, 3] = np.round(X[:, 3])  # few values
NUMBERS = 2 * X[:, 0] - X[:, 1] ** 2 + 0.3 * RNG.normal(size=120)
TWO = (NUMBERS > 0).astype(int)
THREE = np.array(["ash", "birch", "cedar"])[np.digitize(NUMBERS, [-1, 1])]
WEIGHT = RNG.integers(0, 4, size=120).astype(float)
MODELS: dict[str, tuple[Any, Any]] = {
    "ours": (LinearRegression(), NUMBERS),
    "several targets": (LinearRegression(), np.column_stack([NUMBERS, X[:, 2]])),
    "tree": (DecisionTreeRegressor(max_depth=4, random_state=0), NUMBERS),
    "two classes": (LogisticRegression(), TWO),
    "three classes": (RandomForestClassifier(n_estimators=5, random_state=0), THREE),
    "decision function": (SGDClassifier(random_state=0), THREE),
    "decision of two": (SGDClassifier(random_state=0), TWO),
}
each_model = pytest.mark.parametrize(("model", "y"), MODELS.values(), ids=MODELS)


def assert_importance(ours: Any, theirs: Any) -> None:
    for key in theirs:
        np.testing.assert_allclose(ours[key], theirs[key], rtol=0, atol=1e-12, err_msg=key)


# --------------------------------------------------------------------------------------------------------- importance


@each_model
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"n_repeats": 1, "random_state": 3},
        {"sample_weight": WEIGHT},
        {"max_samples": 0.3, "sample_weight": WEIGHT},
        {"max_samples": 7, "n_repeats": 9},
        {"max_samples": 120},
    ],
    ids=["plain", "one repeat", "weights", "share of the rows", "seven rows", "all rows"],
)
def test_importance(model: Any, y: Any, settings: dict[str, Any]) -> None:
    fitted = model.fit(X, y)
    given = {"random_state": 0, **settings}
    assert_importance(permutation_importance(fitted, X, y, **given), peer.permutation_importance(fitted, X, y, **given))


@pytest.mark.parametrize("scoring", ["neg_mean_absolute_error", "r2", "neg_root_mean_squared_error"])
def test_importance_by_score_name(scoring: str) -> None:
    fitted = LinearRegression().fit(X, NUMBERS)
    given = {"scoring": scoring, "random_state": np.random.RandomState(5).randint(1000), "sample_weight": WEIGHT}
    assert_importance(
        permutation_importance(fitted, X, NUMBERS, **given), peer.permutation_importance(fitted, X, NUMBERS, **given)
    )


@pytest.mark.parametrize("several", [list, tuple, lambda names: {name: name for name in names}])
def test_importance_by_several_scores(several: Any) -> None:
    fitted = LogisticRegression().fit(X, TWO)
    names = several(["accuracy", "roc_auc", "neg_log_loss", "f1"])
    ours = permutation_importance(fitted, X, TWO, scoring=names, random_state=0)
    theirs = peer.permutation_importance(
        fitted, X, TWO, scoring=list(names) if not isinstance(names, dict) else [*names], random_state=0
    )
    assert list(ours) == list(theirs)
    for name in theirs:
        assert_importance(ours[name], theirs[name])


def test_importance_by_a_function_of_several_scores() -> None:
    def both(model: Any, X: Any, y: Any) -> dict[str, float]:
        error = np.abs(model.predict(X) - y)
        return {"mean": -float(error.mean()), "largest": -float(error.max())}

    fitted = LinearRegression().fit(X, NUMBERS)
    ours = permutation_importance(fitted, X, NUMBERS, scoring=both, random_state=0)
    theirs = peer.permutation_importance(fitted, X, NUMBERS, scoring=both, random_state=0)
    for name in ("mean", "largest"):
        assert_importance(ours[name], theirs[name])


def test_importance_of_a_frame_of_numbers_and_names() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "tree": THREE, "n": RNG.integers(0, 5, 120)}, index=RNG.permutation(120))
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["tree"]), remainder="passthrough"), PeerRegression()
    ).fit(frame, NUMBERS)
    assert_importance(
        permutation_importance(model, frame, NUMBERS, random_state=1),
        peer.permutation_importance(model, frame, NUMBERS, random_state=1),
    )


def test_importance_with_missing_values() -> None:
    holes = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(holes, TWO)
    assert_importance(
        permutation_importance(model, holes, TWO, random_state=1),
        peer.permutation_importance(model, holes, TWO, random_state=1),
    )


# --------------------------------------------------------------------------------------------------------- dependence


@each_model
@pytest.mark.parametrize("features", [0, [1], [3], [0, 3], (1, 2)], ids=str)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_dependence(model: Any, y: Any, features: Any, weight: Any) -> None:
    fitted = model.fit(X, y)
    given = {"grid_resolution": 11, "sample_weight": weight, "kind": "both", "method": "brute"}
    ours = partial_dependence(fitted, X, features, **given)
    theirs = peer.partial_dependence(fitted, X, features, **given)
    assert set(ours) == set(theirs)
    for ours_axis, theirs_axis in zip(ours["grid_values"], theirs["grid_values"], strict=True):
        np.testing.assert_allclose(ours_axis, theirs_axis, rtol=1e-14, atol=1e-14)
    for key in ("average", "individual"):
        assert ours[key].shape == theirs[key].shape
        np.testing.assert_allclose(ours[key], theirs[key], rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", ["average", "individual"])
@pytest.mark.parametrize("percentiles", [(0, 1), (0.2, 0.5)], ids=str)
def test_keys_and_ends(kind: str, percentiles: tuple[float, float]) -> None:
    fitted = LinearRegression().fit(X, NUMBERS)
    ours = partial_dependence(fitted, X, 0, kind=kind, percentiles=percentiles)
    theirs = peer.partial_dependence(fitted, X, 0, kind=kind, percentiles=percentiles)
    assert set(ours) == set(theirs)
    np.testing.assert_allclose(ours[kind], theirs[kind], rtol=0, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 3, 50])
def test_few_rows(rows: int) -> None:
    fitted = LinearRegression().fit(X, NUMBERS)
    ours = partial_dependence(fitted, X[:rows], 0, grid_resolution=40)
    theirs = peer.partial_dependence(fitted, X[:rows], 0, grid_resolution=40)
    np.testing.assert_allclose(ours["grid_values"][0], theirs["grid_values"][0], rtol=1e-13)
    np.testing.assert_allclose(ours["average"], theirs["average"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("response_method", ["auto", "predict_proba", "decision_function"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_responses(response_method: Any, y: Any) -> None:
    fitted = LogisticRegression().fit(X, y)
    ours = partial_dependence(fitted, X, 1, response_method=response_method)
    theirs = peer.partial_dependence(fitted, X, 1, response_method=response_method)
    np.testing.assert_allclose(ours["average"], theirs["average"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("features", ["tree", ["a", "tree"], ["tree", "b"], "a"], ids=str)
def test_frame_with_names(features: Any) -> None:
    frame = pd.DataFrame({"a": X[:, 0], "tree": THREE, "b": X[:, 1]})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["tree"]), remainder="passthrough"), LogisticRegression()
    ).fit(frame, TWO)
    ours = partial_dependence(model, frame, features, grid_resolution=7)
    theirs = peer.partial_dependence(model, frame, features, grid_resolution=7, categorical_features=["tree"])
    for ours_axis, theirs_axis in zip(ours["grid_values"], theirs["grid_values"], strict=True):
        if ours_axis.dtype.kind == "f":
            np.testing.assert_allclose(ours_axis, theirs_axis, rtol=1e-14, atol=1e-14)
        else:
            assert ours_axis.tolist() == theirs_axis.tolist()
    np.testing.assert_allclose(ours["average"], theirs["average"], rtol=0, atol=1e-12)


def test_a_grid_of_ones_own() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = LinearRegression().fit(frame, NUMBERS)
    own = {"a": [-1.0, 0.5], "b": np.array([3.0, 4.0, 5.0])}
    ours = partial_dependence(fitted, frame, ["a", "b"], custom_values=own)
    theirs = peer.partial_dependence(fitted, frame, ["a", "b"], custom_values=own)
    np.testing.assert_allclose(ours["average"], theirs["average"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("told", [[0], [True, False, False, False]], ids=["place", "flags"])
def test_numbers_told_to_be_categories(told: Any) -> None:
    fitted = LinearRegression().fit(X, NUMBERS)
    ours = partial_dependence(fitted, X, 0, categorical_features=told, grid_resolution=5)
    theirs = peer.partial_dependence(fitted, X, 0, categorical_features=told, grid_resolution=5)
    np.testing.assert_allclose(ours["grid_values"][0], theirs["grid_values"][0])
    np.testing.assert_allclose(ours["average"], theirs["average"], rtol=0, atol=1e-12)
