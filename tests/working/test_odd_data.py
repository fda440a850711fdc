"""Workings of fits on odd data: constant, dependent, huge, tiny, few, weighted. All come out at the model's numbers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid import stats
from pellucid.base.errors import DataError
from pellucid.discriminant_analysis import LinearDiscriminantAnalysis
from pellucid.linear_model import GradientDescentRegressor, LinearRegression, RidgeClassifier
from pellucid.naive_bayes import GaussianNB
from pellucid.neighbors import NearestCentroid
from pellucid.working import Working, show
from pellucid.working.expression import WorkingError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 2))
Y = X @ [1.0, 2.0] + RNG.normal(size=8)
FIVE = np.arange(1.0, 6)

# name -> (X, y, weights, parameters)
TABLES: dict[str, tuple[Any, Any, Any, dict[str, Any]]] = {
    "one row": ([[1.0]], [2.0], None, {}),
    "two rows": ([[1.0], [2.0]], [2.0, 3.0], None, {}),
    "perfect": ([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0], None, {}),
    "perfect correlation": ([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0], None, {"solver": "correlation"}),
    "perfect lsqr": ([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0], None, {"solver": "lsqr"}),
    "constant column": (np.ones((5, 1)), FIVE, None, {}),
    "constant column of two": (np.c_[np.ones(5), FIVE], FIVE**2, None, {}),
    "constant target": (X, np.ones(8), None, {}),
    "constant target lsqr": (X, np.ones(8), None, {"solver": "lsqr"}),
    "zero target": (X, np.zeros(8), None, {}),
    "dependent": (np.c_[X, X[:, 0] * 2], Y, None, {}),
    "dependent svd": (np.c_[X, X.sum(axis=1)], Y, None, {"solver": "svd"}),
    "nearly dependent": (np.c_[X, X[:, 0] + 1e-7 * RNG.normal(size=8)], Y, None, {}),
    "wide": (RNG.normal(size=(3, 6)), [1.0, 2.0, 3.0], None, {}),
    "huge": (X * 1e150, Y * 1e150, None, {}),
    "tiny": (X * 1e-150, Y * 1e-150, None, {}),
    "units far apart": (X * [1e8, 1e-8], Y, None, {}),
    "far from zero": (X + 1e6, Y, None, {}),
    "weights of zero": (X, Y, [1, 0, 1, 0, 1, 1, 1, 1], {}),
    "huge weights": (X, Y, np.full(8, 1e200), {}),
    "small weights correlation": (X[:, :1], Y, np.full(8, 0.1), {"solver": "correlation"}),
    "whole numbers": (np.array([[1], [2], [4]]), np.array([1, 3, 3]), None, {}),
    "zeros, no intercept": (np.c_[np.zeros(5), FIVE], FIVE, None, {"fit_intercept": False, "solver": "svd"}),
    "zero column, no intercept": (np.zeros((5, 1)), FIVE, None, {"fit_intercept": False}),
    "all held at zero": (X, -X.sum(axis=1), None, {"positive": True}),
    "eight columns qr": (RNG.normal(size=(40, 8)), RNG.normal(size=40), None, {"solver": "qr"}),
    "eight columns normal": (RNG.normal(size=(40, 8)), RNG.normal(size=40), None, {"solver": "normal"}),
    "eight columns svd": (RNG.normal(size=(40, 8)), RNG.normal(size=40), None, {"solver": "svd"}),
    "two hundred columns": (RNG.normal(size=(300, 200)), RNG.normal(size=300), None, {}),
    "single precision": (X.astype(np.float32), Y.astype(np.float32), None, {"solver": "normal"}),
}


def render(working: Working, folder: Path) -> None:
    for page in (working.to_text(), working.to_markdown(), working.to_latex(), working.to_html()):
        assert len(page) > 100
    working.to_excel(folder / "working.xlsx")
    exercise = working.exercise(random_state=0)
    exercise.to_html()
    exercise.to_excel(folder / "exercise.xlsx")


@pytest.mark.parametrize("name", TABLES)
def test_least_squares(name: str, tmp_path: Path) -> None:
    table, y, weight, params = TABLES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that columns are dependent is tested elsewhere
        model = LinearRegression(**params).fit(table, y, weight)
        render(model.show_fit(table, y, weight), tmp_path)
        render(model.show_predict(table), tmp_path)


@pytest.mark.parametrize(
    "name", [name for name, case in TABLES.items() if len(case[0]) > len(np.asarray(case[0]).T) + 1]
)
def test_summary(name: str, tmp_path: Path) -> None:
    table, y, weight, params = TABLES[name]
    if params.get("positive"):
        return  # has none, and says so: tests/messages
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearRegression(**params).fit(table, y, weight)
        render(model.show_summary(table, y, weight), tmp_path)


@pytest.mark.parametrize("solver", ["auto", "normal", "qr", "svd", "lsqr"])
@pytest.mark.parametrize("target", [0, 1])
def test_several_targets(solver: str, target: int) -> None:
    both = np.c_[Y, 1 - Y]
    model = LinearRegression(solver=solver).fit(X, both)
    working = model.show_fit(X, both, target=target)
    assert working.value("coef_1") == pytest.approx(model.coef_[target, 0], rel=1e-6)
    assert f"coef_[{target}, 0]" in working.to_text()
    model.show_predict(X, target=target)
    model.show_summary(X, both, target=target)


@pytest.mark.parametrize(
    "params",
    [
        {"start": [1, 2, 3]},
        {"batch_size": 3, "divide": "rows"},
        {"batch_size": 1, "order": "drawn"},
        {"max_steps": 1},
        {"batch_size": 5, "max_steps": 3},
        {"batch_size": 1, "order": [0, 1, 1, 7]},
        {"batch_size": 3, "order": [0, 1, 1, 7, 2]},
    ],
    ids=str,
)
def test_descent(params: dict[str, Any], tmp_path: Path) -> None:
    model = GradientDescentRegressor(**{"max_iter": 5, "tol": None, "random_state": 0, **params}).fit(X, Y)
    render(model.show_fit(X, Y), tmp_path)


def test_a_descent_that_starts_at_its_goal(tmp_path: Path) -> None:
    target = X @ [1.0, 2.0]
    model = GradientDescentRegressor(start=[0, 1, 2], max_iter=3).fit(X, target)
    assert model.n_steps_ == 0
    render(model.show_fit(X, target), tmp_path)


@pytest.mark.parametrize("figure", ["mean", "median", "mode", "quartiles", "five_number_summary", "tukey_fences"])
@pytest.mark.parametrize("values", [[3.0], [3.0, 1.0], [2.0, 2.0, 2.0]], ids=str)
def test_key_figures_of_few_values(figure: str, values: list[float], tmp_path: Path) -> None:
    render(show(getattr(stats, figure), values), tmp_path)


def test_a_working_of_a_fit_needs_the_target() -> None:
    with pytest.raises(DataError, match="show_fit needs the target"):
        LinearRegression().fit(X, Y).show_fit(X)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), RidgeClassifier(), GaussianNB(), NearestCentroid()])
def test_a_refused_working_leaves_the_classes_as_they_were(model: Any) -> None:
    model.fit(X, list("aabbabab"))
    with pytest.raises((DataError, WorkingError)):
        model.show_fit(X, list("ccddcdcd"))
    assert model.classes_.tolist() == ["a", "b"]
