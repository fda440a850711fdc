"""What the plot of a selection draws is what was found."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError
from pellucid.feature_selection import RFECV, SequentialFeatureSelector
from pellucid.linear_model import LinearRegression
from pellucid.plotting import selection_path

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 5))
Y = X @ [3.0, 0, 2, 0, 1] + RANDOM.normal(size=60)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_rounds_of_a_sequential_selection(direction: Any) -> None:
    model = SequentialFeatureSelector(LinearRegression(), n_features_to_select=3, direction=direction).fit(X, Y)
    ax = selection_path(model)
    path = sorted(model.path_, key=lambda done: done.n_features)
    assert ax.lines[0].get_xdata().tolist() == [done.n_features for done in path]
    assert ax.lines[0].get_ydata().tolist() == [done.score for done in path]
    assert "chosen: 3" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(ax.texts) == len(path)


def test_the_curve_of_an_elimination() -> None:
    model = RFECV(LinearRegression()).fit(X, Y)
    ax = selection_path(model)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.cv_results_["mean_test_score"])
    assert f"chosen: {model.n_features_}" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_anything_else_is_refused() -> None:
    with pytest.raises(DataError, match="selection_path draws a fitted SequentialFeatureSelector or RFECV"):
        selection_path(LinearRegression())
