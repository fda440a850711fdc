"""Plots of Bayes' theorem: curves, shaded areas, thresholds, strips and words."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.plotting import bayes_areas, bayes_error
from pellucid.stats import bayes_error as least_error


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def shaded_area(collection: Any) -> float:
    """Of a filled polygon, by the shoelace formula."""
    x, y = collection.get_paths()[0].vertices.T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)


def test_what_is_shaded_is_the_error() -> None:
    ax: Any = bayes_error([(0, 1), (2, 1.5)], [0.6, 0.4], names=["healthy", "ill"])
    found = least_error([(0, 1), (2, 1.5)], [0.6, 0.4])
    assert [shaded_area(one) for one in ax.collections] == pytest.approx(list(found.areas), abs=2e-3)
    lines = [line.get_xdata()[0] for line in ax.lines[2:]]
    assert lines == pytest.approx([t for t in found.thresholds if -4 <= t <= 8])
    assert words(ax) == ["healthy, prior 0.60: error 0.0535", "ill, prior 0.40: error 0.13"]
    assert ax.get_title() == "least error 0.19"


def test_functions_are_drawn_between_their_limits() -> None:
    ax: Any = bayes_error([lambda x: np.exp(-x), lambda x: 2 * np.exp(-2 * x)], limits=(0, 20))
    assert ax.get_xlim() == (0, 20)
    # e^-x and 2 e^-2x cross at ln 2; below it lies half of the first, above it a quarter of the second
    assert [shaded_area(one) for one in ax.collections] == pytest.approx([0.25, 0.125], abs=1e-2)
    assert ax.lines[2].get_xdata()[0] == pytest.approx(np.log(2))


def test_strips_have_the_areas_of_the_products() -> None:
    ax: Any = bayes_areas(0.2, 0.12, complement=0.08, names=["spam", "not spam"])
    filled = [bar for bar in ax.patches if bar.get_alpha() is not None]
    assert [bar.get_width() * bar.get_height() for bar in filled] == pytest.approx([0.024, 0.064])
    assert ax.get_title() == "P(spam | E) = 0.024 / 0.088 = 0.273"
    given: Any = bayes_areas(0.2, 0.12, evidence=0.15)
    heights = [bar.get_height() for bar in given.patches if bar.get_alpha() is not None]
    assert heights == pytest.approx([0.12, (0.15 - 0.024) / 0.8])
    three = bayes_areas([0.5, 0.3, 0.2], [0.9, 0.4, 0.1])
    assert words(three)[2].startswith("H3:")


def test_refusals() -> None:
    with pytest.raises(ValueError, match="names must be 2"):
        bayes_error([(0, 1), (1, 1)], names=["a"])
    with pytest.raises(ValueError, match="at most 6 densities"):
        bayes_error([(k, 1) for k in range(7)])
    with pytest.raises(ValueError, match="must leave room for the opposite"):
        bayes_areas(0.9, 0.1, evidence=0.5)
    assert pyplot.get_fignums() == []
