"""The workings of model selection: tests, intervals, curves, simulations; recalculated by LibreOffice too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pellucid import model_selection
from pellucid.base.errors import DataError
from pellucid.dummy import DummyRegressor
from pellucid.linear_model import LinearRegression
from pellucid.working import Working, known, show
from pellucid.working.excel import layout, to_excel

from . import office

A, B = [0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.8, 0.85]
LINE = [[-1.0], [0.0], [1.0], [2.0]]
RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(12, 2))
TARGET = TABLE @ [1.0, 2.0] + RNG.normal(size=12)
HOLD_OUT = [(np.arange(8), np.arange(8, 12))]
SQUARE = lambda X: X[:, 0] ** 2  # noqa: E731
DATA = [1.0, 2.0, 3.0, 4.0, 9.0]


def fitted(function: str, **options: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    return function, (LinearRegression(), TABLE, TARGET), options


def drawn(**options: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    return "bootstrap", (np.mean, DATA), {"n_resamples": 40, "random_state": 0, **options}


# name -> (function, arguments, options)
CASES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "t-test": ("corrected_t_test", (A, B, 1 / 3), {}),
    "equal": ("corrected_t_test", (A, A, 1 / 3), {}),
    "posterior": ("bayesian_t_test", (A, B, 1 / 3), {"rope": 0.01}),
    "posterior without rope": ("bayesian_t_test", (B, A, 1 / 3), {}),
    "posterior, equal": ("bayesian_t_test", (A, A, 1 / 3), {"rope": 0.01}),
    "interval": ("score_interval", (A, 0.25), {}),
    "few rows": ("mcnemar_test", ([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1, 1]), {}),
    "agreed": ("mcnemar_test", ([1, 0], [1, 0]), {}),
    "many rows": ("mcnemar_test", ([1] * 40 + [0] * 20, [0] * 40 + [1] * 20), {}),
    "Holm": ("holm", ([0.01, 0.04, 0.03],), {}),
    "Holm, ties": ("holm", ([0.5, 0.5, 0.01, 0.9],), {}),
    "Holm, one test": ("holm", ([0.5],), {}),
    "bias": ("bias_variance", (LinearRegression(), SQUARE, LINE), {"n_sets": 5, "random_state": 0}),
    "bias without noise": ("bias_variance", (DummyRegressor(), SQUARE, LINE, [[0.5]]), {"noise": 0.0, "n_sets": 2}),
    "percentile": drawn(),
    "basic": drawn(method="basic", level=0.8),
    "bca": drawn(method="bca"),
    "bca of equal values": ("bootstrap", (np.mean, [2.0, 2.0]), {"n_resamples": 5, "method": "bca"}),
    "two samples": drawn(n_resamples=2),
    "learning": fitted("learning_curve", cv=3, train_sizes=[3, 5, 8]),
    "learning, six folds": fitted("learning_curve", cv=6, train_sizes=[3, 8]),
    "learning, one fold": fitted("learning_curve", cv=HOLD_OUT, train_sizes=[3, 8]),
    "validation": fitted("validation_curve", cv=3, param_name="fit_intercept", param_range=[False, True]),
    "folds": fitted("cross_validate", cv=4),
    "two scores": fitted("cross_validate", cv=3, scoring=["r2", "neg_mean_squared_error"]),
    "one fold": fitted("cross_validate", cv=HOLD_OUT),
}


def working(name: str) -> Working:
    function, data, options = CASES[name]
    return show(getattr(model_selection, function), *data, **options)


@pytest.fixture(scope="module")
def books(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Working, Any]]:
    """Those that this run asks for."""
    folder = tmp_path_factory.mktemp("books")
    made = {name: working(name) for name in office.asked(request)}
    files = {name: to_excel(shown, folder / f"{i}.xlsx") for i, (name, shown) in enumerate(made.items())}
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    return {name: (made[name], done[files[name]]) for name in made}


@pytest.mark.slow
@pytest.mark.parametrize("name", office.first_of_each({name: case[0] for name, case in CASES.items()}))
def test_the_workbook_recalculates(name: str, books: dict[str, tuple[Working, Any]]) -> None:
    shown, book = books[name]
    wrong = office.differences(shown, book, layout(shown))
    assert not wrong, wrong[:5]


def test_numbers_by_hand() -> None:
    t_test = working("t-test")
    assert t_test.value("mean") == pytest.approx(0.075)
    assert t_test.value("t") == pytest.approx(0.075 / ((1 / 4 + 1 / 3) * 0.0025 / 3) ** 0.5)
    tosses = working("few rows")
    assert tosses.value("chance").tolist() == [c / 64 for c in (1, 6, 15, 20, 15, 6, 1)]
    assert tosses.value("p") == pytest.approx(14 / 64)


def test_holm_by_hand() -> None:
    """0.01, 0.03, 0.04 times 3, 2, 1, not falling."""
    shown = working("Holm")
    assert shown.value("times") == pytest.approx([0.03, 0.06, 0.04])
    assert shown.value("holm") == pytest.approx([0.03, 0.06, 0.06])


def test_bias_and_variance_add_up_to_the_distance_from_the_truth() -> None:
    shown = working("bias")
    assert shown.value("distance") == pytest.approx(shown.value("bias2") + shown.value("variance"), rel=1e-12)
    assert shown.value("expected") + shown.value("chance") == pytest.approx(shown.value("error"))
    exact = working("bias without noise")  # the mean of 1, 0, 1, 4 where 1/4 is right; nothing wavers
    assert exact.value("bias2").tolist() == [(1.5 - 0.25) ** 2]
    assert exact.value("variance").tolist() == [0]
    assert exact.value("chance") == 0


def test_an_interval_of_the_bootstrap_by_hand() -> None:
    """Of two samples the interval reaches 2.5 % of the way from either end."""
    shown = working("two samples")
    low, high = shown.value("ordered")
    assert shown.value("low") == pytest.approx(low + 0.025 * (high - low))
    assert shown.value("high") == pytest.approx(high - 0.025 * (high - low))


def test_curves_by_hand() -> None:
    shown = working("learning")
    assert shown.value("gap") == pytest.approx(
        shown.value("train_scores").mean(axis=1) - shown.value("test_scores").mean(axis=1)
    )
    assert shown.value("test_spread") == pytest.approx(shown.value("test_scores").std(axis=1, ddof=1))
    assert working("learning, six folds").value("test_spread") == pytest.approx(
        working("learning, six folds").value("test_scores").std(axis=1, ddof=1)
    )


@pytest.mark.parametrize("name", CASES)
def test_every_form(name: str) -> None:
    shown = working(name)
    for page in (shown.to_text(), shown.to_markdown(), shown.to_latex(), shown.to_html()):
        assert len(page) > 100
    compared = any(cell.attribute for cell in shown.cells.values())
    assert compared is (name != "one fold"), "a single fold has no interval; all others are compared"
    assert compared or "needs two folds" in shown.notes[0]


@pytest.mark.parametrize(
    ("function", "data", "options", "message"),
    [
        ("bias_variance", (DummyRegressor(), SQUARE, np.zeros((101, 1))), {}, "at most 20000 predictions are shown"),
        ("bootstrap", (np.mean, DATA), {"n_resamples": 20_001}, "at most 20000 samples are shown; got 20001"),
        (
            "learning_curve",
            (DummyRegressor(), np.zeros((31, 1)), np.zeros(31)),
            {"cv": 31, "train_sizes": [3], "scoring": "neg_mean_squared_error"},
            "at most 30 folds; got 31",
        ),
    ],
)
def test_what_is_too_long_is_refused_in_a_sentence(function: str, data: Any, options: Any, message: str) -> None:
    with pytest.raises(DataError, match=rf"^show\({function}\): .*{message}"):
        show(getattr(model_selection, function), *data, **options)


def test_they_are_listed() -> None:
    wanted = {f"model_selection.{name}" for name, _, _ in CASES.values()}
    assert wanted == {key for key in known() if key.startswith("model_selection.")}
