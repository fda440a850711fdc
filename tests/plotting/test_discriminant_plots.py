"""Pictures of discriminants: ellipses are the bells, thresholds the model's own, axes those of transform."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
import sklearn.discriminant_analysis as peer

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from pellucid.plotting import discriminant_ellipses, discriminant_projection, discriminant_values

RANDOM = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2], 20)
X = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])[CODES] + RANDOM.normal(scale=0.8, size=(60, 2)) * [2, 1]
Y = np.array(["ash", "birch", "cedar"])[CODES]
FRAME = pd.DataFrame(X, columns=["arm", "leg"])


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), RegularizedDiscriminantAnalysis()]
)
def test_points_of_an_ellipse_have_its_distance(model: Any) -> None:
    model.fit(FRAME, Y)
    ax = discriminant_ellipses(model, FRAME, pd.Series(Y, name="tree"), shares=[0.9])
    shared = isinstance(model, LinearDiscriminantAnalysis)
    own = isinstance(model, QuadraticDiscriminantAnalysis)
    for k, patch in enumerate(ax.patches):
        points = patch.get_patch_transform().transform(patch.get_path().vertices[:3])
        C = model.pooled_covariance_ if shared else None
        C = model.rotations_[k] * model.scalings_[k] @ model.rotations_[k].T if own else C
        C = model.covariance_[k] if C is None else C
        apart = points - model.means_[k]
        lengths = np.einsum("ij,jk,ik->i", apart, np.linalg.inv(C), apart)
        np.testing.assert_allclose(lengths[0], -2 * np.log(0.1))
    assert len(ax.patches) == 3
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("arm", "leg")
    assert {"ash", "birch", "cedar", "mean of a class", "border"} <= set(legend(ax))
    assert ax.get_legend().get_title().get_text() == "tree"


def test_scikit_learns_discriminants_are_drawn_too() -> None:
    model = peer.LinearDiscriminantAnalysis(store_covariance=True).fit(X, Y)
    assert len(discriminant_ellipses(model, X, Y).patches) == 6
    with pytest.raises(ParameterError, match="store_covariance=True"):
        discriminant_ellipses(peer.LinearDiscriminantAnalysis().fit(X, Y), X, Y)


def test_thresholds_are_where_the_prediction_changes() -> None:
    x, y = FRAME[["arm"]], np.where(CODES == 1, "far", "near")
    model = LinearDiscriminantAnalysis().fit(x, y)
    ax = discriminant_values(model, x, y)
    at = float(-model.intercept_[0] / model.coef_[0, 0])
    (line,) = [one for one in ax.get_lines() if one.get_linestyle() == ":"]
    assert line.get_xdata()[0] == pytest.approx(at, rel=1e-9)
    assert len(ax.texts) == 1
    assert ax.get_xlabel() == "arm"
    curve = next(one for one in ax.get_lines() if one.get_label() == "far")
    grid = pd.DataFrame({"arm": curve.get_xdata()})
    np.testing.assert_allclose(curve.get_ydata(), model.discriminant_values(grid)[:, 0])


def test_rows_lie_where_transform_puts_them() -> None:
    wide = np.c_[X, RANDOM.normal(size=60)]
    model = LinearDiscriminantAnalysis().fit(wide, Y)
    ax = discriminant_projection(model, wide, Y)
    line = next(one for one in ax.get_lines() if one.get_label() == "birch")
    np.testing.assert_allclose(np.column_stack(line.get_data()), model.transform(wide)[CODES == 1])
    assert ax.get_ylabel().startswith("axis 2 (")
    two = LinearDiscriminantAnalysis().fit(wide[:40], Y[:40])
    bars = discriminant_projection(two, wide[:40], Y[:40]).patches
    assert sum(bar.get_height() for bar in bars) == 40


def test_what_cannot_be_drawn_is_said() -> None:
    model = LinearDiscriminantAnalysis().fit(X, Y)
    with pytest.raises(ParameterError, match="a model of two columns"):
        discriminant_ellipses(LinearDiscriminantAnalysis().fit(X[:, :1], Y), X[:, :1], Y)
    with pytest.raises(ParameterError, match="shares must be"):
        discriminant_ellipses(model, X, Y, shares=[1.5])
    with pytest.raises(ParameterError, match="discriminant of one column"):
        discriminant_values(model, X, Y)
    with pytest.raises(ParameterError, match="axes must be"):
        discriminant_projection(model, X, Y, axes=(0, 5))
    with pytest.raises(ParameterError, match="with transform"):
        discriminant_projection(QuadraticDiscriminantAnalysis().fit(X, Y), X, Y)
    with pytest.raises(DataError, match="needs an axis"):
        discriminant_projection(LinearDiscriminantAnalysis().fit(np.ones((60, 2)), Y), np.ones((60, 2)), Y)
