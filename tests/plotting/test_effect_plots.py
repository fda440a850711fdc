"""Importances and partial dependence: bars, spreads, lines, ticks and contours are those of the result."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.contour import QuadContourSet

from pellucid.base.errors import DataError, ParameterError
from pellucid.plotting import importance, partial_dependence


@dataclass
class Importance:
    importances: Any
    feature_names: list[str] | None = None

    @property
    def importances_mean(self) -> NDArray[np.float64]:
        return np.mean(self.importances, axis=1)

    @property
    def importances_std(self) -> NDArray[np.float64]:
        return np.std(self.importances, axis=1)


@dataclass
class Dependence:
    feature_names: list[str]
    grid_values: list[Any]
    average: Any
    individual: Any = None
    deciles: Any = None


REPEATS = np.array([[1.0, 3.0], [7.0, 9.0], [-1.0, 1.0]])
LINE = Dependence(["age"], [np.array([1.0, 2.0, 4.0])], [3.0, 5.0, 6.0], [[2, 6, 6], [4, 4, 6]], [[1.5, 2.5, 3.5]])
GRID = [np.array([0.0, 1.0, 2.0]), np.array([10.0, 20.0])]
SURFACE = Dependence(["age", "height"], GRID, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], None, [[0.5], [12.0, 18.0]])


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def names(ax: Any) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def labeled(ax: Any, label: str) -> list[Any]:
    return [artist for artist in ax.get_children() if artist.get_label() == label]


# -- importance


def test_bars_are_the_means_with_the_largest_on_top() -> None:
    ax = importance(Importance(REPEATS, ["a", "_b$", "c"]))
    assert names(ax) == [r"_b\$", "a", "c"]
    assert [bar.get_width() for bar in ax.patches] == [8.0, 2.0, 0.0]
    bottom, top = ax.get_ylim()
    assert bottom > top, "the first bar is the highest"


def test_the_spread_is_one_standard_deviation_each_way() -> None:
    ax = importance(Importance(REPEATS, ["a", "b", "c"]))
    (ends,) = [part for part in ax.collections if isinstance(part, LineCollection)]
    assert [segment[:, 0].tolist() for segment in ends.get_segments()] == [[7.0, 9.0], [1.0, 3.0], [-1.0, 1.0]]


def test_each_repeat_is_a_dot_in_its_row() -> None:
    (dots,) = labeled(importance(Importance(REPEATS)), "one repeat")
    x, y = dots.get_data()
    assert x.tolist() == [7.0, 9.0, 1.0, 3.0, -1.0, 1.0]
    assert np.round(y).tolist() == [0, 0, 1, 1, 2, 2]


def test_names_may_be_given_or_left_out() -> None:
    assert names(importance(Importance(REPEATS))) == ["x2", "x1", "x3"]
    assert names(importance(Importance(REPEATS), feature_names=["p", "q", "r"])) == ["q", "p", "r"]


def test_of_many_columns_the_largest_are_drawn() -> None:
    ax = importance(Importance(REPEATS, ["a", "b", "c"]), n_most=2, label="drop")
    assert names(ax) == ["b", "a"]
    assert (ax.get_title(), ax.get_xlabel()) == ("the 2 largest of 3 columns", "drop")


def test_importance_draws_where_it_is_told() -> None:
    _, ax = pyplot.subplots()
    assert importance(Importance(REPEATS), ax=ax) is ax


def test_importance_refuses() -> None:
    with pytest.raises(DataError, match="needs a result with importances_mean and importances_std; got 3"):
        importance(3)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="feature_names must have one name a column; got 2 for 3"):
        importance(Importance(REPEATS, ["a", "b"]))
    with pytest.raises(ParameterError, match="n_most must be a whole number of at least 1; got 0"):
        importance(Importance(REPEATS), n_most=0)
    with pytest.raises(DataError, match="importances_mean must have no missing"):
        importance(Importance([[np.nan, 1.0]]))


# -- dependence on one column


def test_the_mean_curve_and_each_row() -> None:
    ax = partial_dependence(LINE, label="income")
    (mean,) = labeled(ax, "mean")
    assert mean.get_xdata().tolist() == [1.0, 2.0, 4.0]
    assert mean.get_ydata().tolist() == [3.0, 5.0, 6.0]
    rows = [line.get_ydata().tolist() for line in ax.get_lines() if line is not mean]
    assert rows == [[2.0, 6.0, 6.0], [4.0, 4.0, 6.0]]
    assert all(line.get_alpha() < 1 for line in ax.get_lines() if line is not mean)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "income")


def test_deciles_are_ticks_at_the_bottom_of_the_frame() -> None:
    ax = partial_dependence(LINE)
    (ticks,) = labeled(ax, "deciles")
    segments = np.array(ticks.get_segments())
    assert segments[:, 0, 0].tolist() == [1.5, 2.5, 3.5]
    assert ticks.get_transform() == ax.get_xaxis_transform()
    assert segments[:, :, 1].min() == 0.0
    assert segments[:, :, 1].max() < 0.1


def test_the_rows_can_be_left_out() -> None:
    assert len(partial_dependence(LINE, individual=False).get_lines()) == 1
    assert len(partial_dependence(replace(LINE, individual=None, deciles=None)).get_lines()) == 1


def test_of_many_rows_some_are_drawn_from_first_to_last() -> None:
    many = np.arange(5000.0)[:, None] + np.zeros(3)
    lines = partial_dependence(replace(LINE, individual=many)).get_lines()[:-1]
    assert len(lines) == 200
    assert (lines[0].get_ydata()[0], lines[-1].get_ydata()[0]) == (0.0, 4999.0)


def test_words_stand_side_by_side() -> None:
    words = np.array(["north", "so$uth"], dtype=object)
    ax = partial_dependence(Dependence(["where"], [words], [1.0, 2.0], [[1.0, 3.0]], [None]))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["north", r"so\$uth"]
    assert labeled(ax, "mean")[0].get_xdata().tolist() == [0.0, 1.0]
    assert not labeled(ax, "deciles")


# -- dependence on two columns


def test_contours_have_the_first_column_across() -> None:
    ax = partial_dependence(SURFACE, label="income")
    filled = next(part for part in ax.collections if isinstance(part, QuadContourSet) and part.filled)
    # f = 2 age + (height - 10) / 10: every edge of a filled band lies on its level, or on the frame.
    levels = filled.levels
    assert levels.min() <= 0 < 5 <= levels.max()
    for path, low, high in zip(filled.get_paths(), levels[:-1], levels[1:], strict=True):
        height = 2 * path.vertices[:, 0] + (path.vertices[:, 1] - 10) / 10
        assert ((height > low - 1e-9) & (height < high + 1e-9)).all()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "height")
    assert ax.figure.axes[1].get_ylabel() == "income"


def test_both_axes_have_their_deciles() -> None:
    across, up = labeled(partial_dependence(SURFACE), "deciles")
    assert [segment[0, 0] for segment in across.get_segments()] == [0.5]
    assert [segment[0, 1] for segment in up.get_segments()] == [12.0, 18.0]


def test_a_column_of_words_makes_cells() -> None:
    ax = partial_dependence(replace(SURFACE, grid_values=[np.array(["a", "b", "c"]), GRID[1]]))
    (cells,) = [part for part in ax.collections if isinstance(part, QuadMesh)]
    assert np.asarray(cells.get_array()).tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", "c"]
    assert len(labeled(ax, "deciles")) == 1


def test_a_flat_surface_is_drawn() -> None:
    ax = partial_dependence(replace(SURFACE, average=np.ones((3, 2))))
    ax.figure.canvas.draw()
    assert any(isinstance(part, QuadMesh) for part in ax.collections)


def test_dependence_refuses() -> None:
    with pytest.raises(DataError, match="needs a result with feature_names, grid_values and average"):
        partial_dependence("age")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="needs the grid of one column, or of two; got 3 names"):
        partial_dependence(replace(SURFACE, feature_names=["a", "b", "c"]))
    with pytest.raises(DataError, match=r"shape \(3,\); got shape \(2, 3\).\nhint: draw one class"):
        partial_dependence(replace(LINE, average=np.ones((2, 3))))
    with pytest.raises(DataError, match=r"3 columns; got shape \(2, 2\)"):
        partial_dependence(replace(LINE, individual=np.ones((2, 2))))
    with pytest.raises(DataError, match="deciles must have one list a column; got 1 for 2"):
        partial_dependence(replace(SURFACE, deciles=[[1.0]]))
