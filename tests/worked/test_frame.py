"""The comparison itself: what counts as equal, and what a failure says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .frame import Figure, difference


def figure(value: Any, tolerance: float = 0.01, comparison: str = "equal", relative: float = 0) -> Figure:
    return Figure("000-some-example", "slope", value, tolerance, relative, comparison, is_trace=False)


@pytest.mark.parametrize(
    ("want", "got"),
    [
        (1.0, 1.005),
        (2, np.float64(2)),
        ([1, 2], np.array([1.0, 2.009])),
        ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])),
        ([1, [2, "a"], True], (1, (2, "a"), True)),
        ({"a": [1, 2]}, {"a": np.array([1, 2])}),
        ("NO", "NO"),
        (True, np.bool_(True)),
        (None, None),
    ],
)
def test_equal(want: Any, got: Any) -> None:
    assert difference(figure(want), got) is None


@pytest.mark.parametrize(
    ("want", "got"),
    [
        (1.0, 1.011),
        (1.0, float("nan")),
        (1.0, float("inf")),
        (1, True),
        (True, 1),
        ("NO", "YES"),
        ([1, 2], [1, 2, 3]),
        ([[1]], [1]),
        ({"a": 1}, {"b": 1}),
        (None, 0),
    ],
)
def test_different(want: Any, got: Any) -> None:
    assert difference(figure(want), got) is not None


@pytest.mark.parametrize(
    ("comparison", "want", "inside", "outside"),
    [("upper bound", 1.0, -5, 2), ("lower bound", 1.0, 5, 0), ("closed interval", [1, 2], 1.5, 3)],
)
def test_bounds(comparison: str, want: Any, inside: float, outside: float) -> None:
    assert difference(figure(want, comparison=comparison), inside) is None
    assert difference(figure(want, comparison=comparison), outside) is not None


def test_relative_tolerance() -> None:
    assert difference(figure(1000.0, tolerance=0, relative=0.01), 1009.0) is None


def test_message_names_example_figure_place_got_and_wanted() -> None:
    message = difference(figure([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 2.0], [3.5, 4.0]])
    assert message == "000-some-example: 'slope' at [1][0]: got 3.5, wanted 3.0 (tolerance 0.01)"
