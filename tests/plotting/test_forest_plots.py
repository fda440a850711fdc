"""Pictures of forests show the forest's own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from pellucid.base.errors import NotFittedError, ParameterError
from pellucid.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from pellucid.plotting import forest_importances, forest_votes, oob_curve


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 4))
    score = X[:, 0] + X[:, 1]
    return X, np.where(score > 0, "yes", "no"), score


def test_curve_is_the_models(data: Any) -> None:
    X, y, _ = data
    model = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, y)
    ax = oob_curve(model)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.oob_curve_)
    assert ax.get_ylabel() == "share of rows left out that are wrong"


def test_importances_with_lines_over_the_trees(data: Any) -> None:
    X, _, score = data
    model = RandomForestRegressor(30, random_state=0).fit(X, score)
    ax = forest_importances(model, n_most=3, coverage=0.5)
    order = np.argsort(-model.feature_importances_)[:3]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], model.feature_importances_[order])
    ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
    np.testing.assert_allclose(ends, np.quantile(model.tree_importances_[:, order], [0.25, 0.75], axis=0).T)
    found = model.oob_importance(X, score)
    ax = forest_importances(model, found)
    np.testing.assert_allclose(ax.patches[0].get_width(), found.importances_mean.max())


def test_votes_are_those_of_the_trees(data: Any) -> None:
    X, y, score = data
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    axes = forest_votes(model, X, row=7, n_trees=3)
    for t in range(3):
        assert axes[t].get_title() == f"tree {t}: {model.estimators_[t].predict(X[[7]])[0]}"
    votes = sorted(model.votes(X[[7]])[0].tolist(), reverse=True)
    assert [bar.get_width() for bar in axes[3].patches] == votes
    numbers = RandomForestRegressor(20, random_state=0).fit(X, score)
    axes = forest_votes(numbers, X, row=-1)
    assert axes[-1].lines[0].get_xdata()[0] == pytest.approx(numbers.predict(X)[-1])


def test_what_cannot_be_drawn_is_said(data: Any) -> None:
    X, y, _ = data
    model = RandomForestClassifier(3).fit(X, y)
    with pytest.raises(ParameterError, match="oob_score=True"):
        oob_curve(model)
    with pytest.raises(NotFittedError, match="call fit first"):
        forest_votes(RandomForestClassifier(), X)
    with pytest.raises(ParameterError, match="must be a forest"):
        forest_importances(BaggingClassifier())
    with pytest.raises(ParameterError, match="row must be from 0 to 119"):
        forest_votes(model, X, row=200)
    with pytest.raises(ParameterError, match="n_trees must be"):
        forest_votes(model, X, n_trees=99)
