"""Pictures of neighbors and cells: what is joined are the model's neighbors, curves lie at their distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Polygon

from pellucid.base.errors import DataError, ParameterError
from pellucid.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    VoronoiCells,
)
from pellucid.plotting import neighborhood, regions_for_k, voronoi_cells

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 2))
Y = np.where(X[:, 0] + 0.5 * RANDOM.normal(size=40) > 0, "east", "west")
ASKED = np.array([0.2, 0.1])


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def lines(ax: Any) -> list[Any]:
    return [np.column_stack(line.get_data()) for line in ax.get_lines()]


def legend(where: Any) -> list[str]:
    return [text.get_text() for text in where.get_texts()]


@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_neighbors_are_joined_and_the_curve_is_at_the_distance_of_the_last(p: float) -> None:
    model = KNeighborsClassifier(5, p=p).fit(X, Y)
    distances, rows = model.kneighbors([ASKED])
    alone, near, label = neighborhood(model, X, Y, x=ASKED)
    for row in rows[0]:
        assert any(np.array_equal(line, np.array([ASKED, X[row]])) for line in lines(near))
        assert not any(np.array_equal(line, np.array([ASKED, X[row]])) for line in lines(alone))
    (curve,) = (line for line in lines(label) if len(line) == 361)
    apart = np.linalg.norm(curve - ASKED, ord=p, axis=1)
    np.testing.assert_allclose(apart, distances[0, -1], rtol=1e-12)
    east = int((Y[rows[0]] == "east").sum())
    votes = {"east": east, "west": 5 - east}
    first, second = sorted(votes, key=lambda c: -votes[c])
    told = f"{first} {votes[first]}" + (f", {second} {votes[second]}" if votes[second] else "")
    assert label.get_title() == f"{told}: {model.predict([ASKED])[0]}"
    assert [alone.get_title(), near.get_title()] == ["a row without a label", "its 5 neighbors"]
    assert legend(alone.figure.legends[0]) == ["east", "west", "neighbor", "asked about"]


def test_numbers_radii_frames_and_models_without_a_target() -> None:
    numbers = X[:, 0] * 10
    frame = pd.DataFrame(X, columns=["length", "width"])
    axes: Any = neighborhood(KNeighborsRegressor(4).fit(frame, numbers), frame, numbers, x=ASKED)
    assert axes[2].get_title().startswith("mean of 4 rows: ")
    assert (axes[0].get_xlabel(), axes[0].get_ylabel()) == ("length", "width")
    two: Any = neighborhood(NearestNeighbors(n_neighbors=3).fit(X), X, x=ASKED)
    assert [ax.get_title() for ax in two] == ["a row", "its 3 nearest rows"]
    own = pyplot.subplots()[1]
    ax: Any = neighborhood(RadiusNeighborsClassifier(0.8).fit(X, Y), X, Y, x=ASKED, steps=False, ax=own)
    assert ax is own
    (curve,) = (line for line in lines(ax) if len(line) == 361)
    np.testing.assert_allclose(np.hypot(*(curve - ASKED).T), 0.8)
    cosine: Any = neighborhood(KNeighborsClassifier(3, metric="cosine").fit(X, Y), X, Y, x=ASKED, steps=False)
    assert not any(len(line) == 361 for line in lines(cosine))  # no closed curve is at one angle


def test_regions_for_several_k() -> None:
    held = RANDOM.normal(size=(20, 2))
    labels = np.where(held[:, 0] > 0, "east", "west")
    axes = regions_for_k(X, Y, k=[1, 9], test=(held, labels), grid=30)
    for ax, k in zip(axes, (1, 9), strict=True):
        model = KNeighborsClassifier(k).fit(X, Y)
        fitted, other = 100 * model.score(X, Y), 100 * model.score(held, labels)
        assert ax.get_title() == f"k = {k}\n{fitted:.3g} % right, {other:.3g} % of test rows"


def test_cells_have_the_color_of_their_class() -> None:
    points = np.array([[1.0, 1.0], [3.0, 1.0], [1.0, 3.0], [3.0, 3.0], [1.0, 1.0]])
    cells = VoronoiCells(points, box=((0, 4), (0, 4)))
    ax = voronoi_cells(cells, ["a", "a", "b", "b", "a"], x=[3.5, 3.5])
    painted, borders = (
        next(part for part in ax.collections if isinstance(part, kind)) for kind in (PolyCollection, LineCollection)
    )
    colors = painted.get_facecolor()
    assert len(colors) == 4  # of equal points one has a cell
    assert np.array_equal(colors[0], colors[1])
    assert not np.array_equal(colors[0], colors[2])
    # The classes change along y = 2 alone.
    segments = np.array(borders.get_segments())
    assert segments.shape == (2, 2, 2)
    assert (segments[:, :, 1] == 2).all()
    assert ax.get_title() == "nearest to (3.5, 3.5): point 4, b"
    (hatched,) = (patch for patch in ax.patches if isinstance(patch, Polygon))
    assert {tuple(corner) for corner in hatched.get_xy()} == {(2, 2), (4, 2), (4, 4), (2, 4)}
    assert [text.get_text() for text in ax.texts] == ["1, 5", "2", "3", "4"]
    assert legend(ax.get_legend()) == ["a", "b"]
    assert voronoi_cells(points).get_title() == "5 points, each with what is nearest to it"


def test_words() -> None:
    model = KNeighborsClassifier(3).fit(X, Y)
    with pytest.raises(DataError, match="neighborhood: x must be two numbers; got"):
        neighborhood(model, X, Y, x=[1.0])
    with pytest.raises(DataError, match="neighborhood: needs y, the labels or numbers"):
        neighborhood(model, X, x=ASKED)
    with pytest.raises(DataError, match="neighborhood: two columns can be drawn; the model has 3"):
        neighborhood(KNeighborsClassifier(3).fit(np.c_[X, X[:, 0]], Y), np.c_[X, X[:, 0]], Y, x=ASKED)
    with pytest.raises(DataError, match="neighborhood: X must be the table that the model was fitted on"):
        neighborhood(model, X[:3], Y[:3], x=X[30])
    with pytest.raises(ParameterError, match="neighborhood: ax is for one picture"):
        neighborhood(model, X, Y, x=ASKED, ax=pyplot.subplots()[1])
    with pytest.raises(ParameterError, match="regions_for_k: k must be one to twelve whole numbers; got"):
        regions_for_k(X, Y, k=[])
    with pytest.raises(DataError, match="voronoi_cells: x must be two numbers; got"):
        voronoi_cells(X, x=[1.0])
