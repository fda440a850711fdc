"""The workbook of every example in the gallery and of every key figure, worked out by LibreOffice from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid import stats
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.working import Working, gallery, known, show
from pellucid.working.excel import layout, to_excel

from . import office

X, Y = [3.0, 1.0, 2.0, 5.0, 4.0, 10.0, 2.5], [1.0, 2.0, 2.0, 5.0, 3.0, 8.0, 1.0]
KEY_FIGURES: dict[str, tuple[Any, ...]] = {
    "mean": (X,),
    "median": (X,),
    "mode": (Y,),
    "quartiles": (X,),
    "five_number_summary": (X, "halves"),
    "tukey_fences": (X, 2.0, "halves_with_median"),
    "variance": (X,),
    "standard_deviation": (X, 0),
    "covariance": (X, Y),
    "correlation": (X, Y),
    "covariance_matrix": (np.column_stack([X, Y]),),
    "student_t_critical": ([1, 2.5, 30, np.inf],),
    "normal_density": (X, 2.0, 1.5),
    "normal_probability": (-1.0, np.inf),
    "odds": ([0.8, 0.5, 0.01],),
    "log_odds": (0.8,),
    "probability_from_odds": ([4.0, 1.0],),
    "logistic": ([-10.0, 0.0, 2.5],),
    "growth_factor": ([2.4, 3.0],),
    "growth_exponent": ([100, 200, 400], [0.5, 4, 30]),
    "odds_ratio": ([[20, 10], [10, 20]],),
    "bayes": ([0.5, 0.25, 0.25], [1.0, 0.5, 0.0]),
    "bayes_error": ([(0, 1), (2, 1)],),
}
NAMES = ["red", "blue", "Red", "red"]


def _baselines() -> dict[str, Working]:
    rows, weight = np.zeros((4, 1)), [1.0, 2.0, 1.0, 3.0]
    median = DummyRegressor(strategy="median").fit(rows, [1.0, 2.0, 6.0, 3.5], weight)
    shares = DummyClassifier().fit(rows, NAMES)
    return {
        "median with weights": median.show_fit(rows, [1.0, 2.0, 6.0, 3.5], weight),
        "shares": shares.show_fit(rows, NAMES),
        "majority": shares.show_predict(rows),
        "mode of words": show(stats.mode, NAMES),
    }


# Hundreds of updates, row by row: megabytes, which take as long as all others together.
LONG = ["003-sgd-linear-regression-path", "002-stochastic-gradient-descent-schedule"]
PAGES = [name for name in gallery.titles() if name not in LONG]
CASES = [
    *(pytest.param(name, marks=pytest.mark.exhaustive) for name in PAGES),
    *(*KEY_FIGURES, "median with weights", "shares", "majority", "mode of words"),
]


@pytest.fixture(scope="module")
def workings(request: pytest.FixtureRequest) -> dict[str, Working]:
    """Those that this run asks for."""
    asked = office.asked(request)
    figures = {name: show(getattr(stats, name), *data) for name, data in KEY_FIGURES.items()}
    pages = {name: gallery.show_example(name) for name in PAGES if name in asked}
    return pages | figures | _baselines()


@pytest.fixture(scope="module")
def books(workings: dict[str, Working], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("gallery")
    files = {name: to_excel(shown, folder / f"{i}.xlsx") for i, (name, shown) in enumerate(workings.items())}
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    return {name: done[file] for name, file in files.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_workbook_recalculates_to_the_working(
    name: str, workings: dict[str, Working], books: dict[str, Any]
) -> None:
    assert_same_numbers(workings[name], books[name])


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LONG)
def test_a_long_workbook_recalculates_to_the_working(name: str, tmp_path: Path) -> None:
    shown = gallery.show_example(name)
    file = to_excel(shown, tmp_path / "long.xlsx")
    assert_same_numbers(shown, office.recalculate([file], tmp_path / "office")[file])


def assert_same_numbers(shown: Working, book: Any) -> None:
    wrong = office.differences(shown, book, layout(shown))
    assert not wrong, f"{len(wrong)} numbers differ: " + "; ".join(wrong[:5])


def test_every_key_figure_with_a_working_is_among_them() -> None:
    written = {key.removeprefix("stats.") for key in known() if key.startswith("stats.")}
    assert written == set(KEY_FIGURES)
