"""Curves over one column, coefficient paths, odds ratios, ladders of rates and early stopping: what is drawn is so."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model as peer

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.linear_model import GradientDescentRegressor, LogisticRegression, Ridge
from pellucid.model_selection import EarlyStopping, learning_rate_sweep, staged_curve
from pellucid.pipeline import PolynomialRegression
from pellucid.plotting import coefficient_path, early_stopping, fit_curves, odds_ratios, rate_ladder
from pellucid.plotting._beside import apart

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
Y = np.array([0.0, 1.0, 4.0, 9.0, 16.0])


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def line(ax: Any, label: str) -> Any:
    return next(one for one in ax.get_lines() if one.get_label() == label)


# --------------------------------------------------------------------------------------------------------- fit_curves


def test_curves_are_the_models_predictions_in_one_frame() -> None:
    models = {f"degree {d}": PolynomialRegression(degrees=d).fit(X, Y) for d in (1, 2)}
    ax = fit_curves(models, X, Y, truth=lambda table: table[:, 0] ** 2)
    assert labels(ax) == ["data", "truth", "degree 1", "degree 2"]
    x, y = line(ax, "degree 2").get_data()
    np.testing.assert_allclose(y, x**2, atol=1e-9)
    np.testing.assert_allclose(line(ax, "degree 1").get_ydata()[[0, -1]], [-2, 14])  # 4x - 2 is the line of squares
    low, high = ax.get_ylim()
    assert low < 0
    assert 16 < high < 20
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")


def test_a_dict_of_dicts_makes_panels_and_frames_keep_their_names() -> None:
    frame, target = pd.DataFrame({"hours": X[:, 0]}), pd.Series(Y, name="marks")
    parts = {
        "straight": {f"alpha {a}": Ridge(alpha=a).fit(frame, target) for a in (0, 10)},
        "curved": {"degree 2": PolynomialRegression(degrees=2).fit(frame, target)},
    }
    drawn = fit_curves(parts, frame, target)
    assert [ax.get_title() for ax in drawn] == ["straight", "curved"]
    assert labels(drawn[0]) == ["data", "alpha 0", "alpha 10"]
    assert (drawn[1].get_xlabel(), drawn[0].get_ylabel()) == ("hours", "marks")
    assert drawn[0].get_ylim() == drawn[1].get_ylim()
    slope = np.ptp(line(drawn[0], "alpha 10").get_ydata()) / 4
    np.testing.assert_allclose(slope, 4 * 10 / 20)  # Sxy / (Sxx + alpha), with Sxy 40 and Sxx 10


def test_curves_refuse_what_they_cannot_draw() -> None:
    with pytest.raises(ParameterError, match="models must be a dict from names to fitted models"):
        fit_curves({}, X, Y)
    with pytest.raises(ParameterError, match="ax is for a single panel"):
        fit_curves({"a": {"b": Ridge().fit(X, Y)}}, X, Y, ax=pyplot.subplots()[1])
    with pytest.raises(ParameterError, match="the one of 'a' has no predict"):
        fit_curves({"a": 1}, X, Y)  # type: ignore[dict-item]
    with pytest.raises(DataError, match="x must be one column"):
        fit_curves({"a": Ridge().fit(X, Y)}, np.ones((5, 2)), Y)


# --------------------------------------------------------------------------------------------------- coefficient_path


def test_a_path_of_models_is_drawn_from_strong_to_weak() -> None:
    table = pd.DataFrame(np.column_stack([X[:, 0], [1.0, -1, 0, -1, 1]]), columns=["a", "b"])
    alphas = [0.01, 1.0, 100.0]
    ax = coefficient_path(Ridge().fit_path("alpha", alphas, table, Y), best=1.0)
    assert sorted(words(ax)) == ["a", "b"]
    assert labels(ax) == ["chosen: alpha 1"]
    assert ax.get_xlim() == (100.0, 0.01)
    assert ax.get_xscale() == "log"
    drawn = ax.get_lines()[1].get_ydata()
    np.testing.assert_allclose(drawn, [40 / (10 + alpha) for alpha in alphas])  # Sxy / (Sxx + alpha)


def test_arrays_of_a_path_function_are_drawn() -> None:
    random = np.random.default_rng(0)
    table = random.normal(size=(30, 15))
    alphas, coefs, _ = peer.lasso_path(table, table @ np.arange(15.0), alphas=20)
    ax = coefficient_path(alphas, coefs, most=4)
    assert sorted(words(ax)) == ["x12", "x13", "x14", "x15"]
    assert labels(ax) == ["11 smaller ones"]
    np.testing.assert_allclose(ax.get_lines()[-1].get_ydata(), coefs[-1][::-1])


def test_c_is_a_strength_turned_round_and_zero_is_a_strength() -> None:
    y = (Y > 3).astype(int)
    ax = coefficient_path([LogisticRegression(C=c).fit(X, y) for c in (0.01, 1.0)], parameter="C")
    assert ax.get_xlim() == (0.01, 1.0)
    assert ax.get_xlabel() == "C: the penalty grows weaker to the right"
    assert coefficient_path([0.0, 0.1, 10.0], np.ones((1, 3))).get_xscale() == "symlog"


def test_path_refusals() -> None:
    with pytest.raises(DataError, match="needs two fitted models or more, or strengths and coefs"):
        coefficient_path([Ridge()])
    with pytest.raises(ParameterError, match="every model must have a number C"):
        coefficient_path(Ridge().fit_path("alpha", [1, 2], X, Y), parameter="C")
    with pytest.raises(DataError, match="as many columns as there are strengths"):
        coefficient_path([1, 2], np.ones((3, 3)))
    with pytest.raises(ParameterError, match="names must be 3, one a column; got 1"):
        coefficient_path([1, 2], np.ones((3, 2)), names=["a"])
    with pytest.raises(DataError, match="of one target"):
        coefficient_path([Ridge().fit(X, np.column_stack([Y, Y])) for _ in range(2)])


def test_labels_keep_apart_and_in_order() -> None:
    places = apart(np.array([0.5, 0.5, 0.52, 0.9]), 0.1)
    assert (np.diff(places) >= 0.1 - 1e-12).all()
    np.testing.assert_allclose(places[:3].mean(), np.mean([0.5, 0.5, 0.52]))
    np.testing.assert_allclose(places[3], 0.9)


# -------------------------------------------------------------------------------------------------------- odds_ratios


def test_odds_ratios_of_a_summary() -> None:
    table = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6, 7, 8], "height": [2.0, 1, 4, 3, 6, 5, 7, 3]})
    y = np.array(["no", "no", "yes", "no", "yes", "no", "yes", "yes"])
    summary = LogisticRegression(C=np.inf).fit(table, y).summary(table, y)
    ax = odds_ratios(summary)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["age", "height"]
    points = [container.lines[0].get_xdata()[0] for container in ax.containers]
    np.testing.assert_allclose(points, summary.odds_ratios[1:])
    assert ax.get_xlabel() == "odds ratio for one unit more, with 95 % interval (1: no effect)"
    low, high = ax.get_xlim()
    assert low < summary.odds_ratio_intervals[1:].min()
    assert high > summary.odds_ratio_intervals[1:].max()


def test_odds_ratios_in_order_of_their_size() -> None:
    ax = odds_ratios([1.1, 0.1, 5.0], [[0.9, 1.3], [0.05, 0.2], [2, 12]], names=["a", "b", "c"], order="size")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "c", "a"]
    assert words(ax)[0] == "0.10 [0.05, 0.20]"
    with pytest.raises(ParameterError, match="order must be 'given' or 'size'"):
        odds_ratios([1.0], [[1, 2]], order="up")
    with pytest.raises(DataError, match="needs a summary of a logistic regression"):
        odds_ratios([1.0], [[1, 2, 3]])
    with pytest.raises(DataError, match="odds ratios must be finite numbers above 0"):
        odds_ratios([-1.0], [[1, 2]])


# ------------------------------------------------------------------------------------------------- rates and stopping


def test_a_ladder_is_drawn_with_its_verdicts() -> None:
    table, target = np.array([[-1.0], [1.0]]), np.array([1.0, 3.0])
    model = GradientDescentRegressor(tol=None, gradient_tol=None)
    ladder = learning_rate_sweep(model, table, target, [0.01, 0.5, 3], max_iterations=20)
    ax = rate_ladder(ladder)
    assert sorted(words(ax)) == ["rate 0.01 is slow", "rate 0.5: best", "rate 3 diverges"]
    slow = line(ax, "rate 0.01 is slow")
    np.testing.assert_allclose(slow.get_xdata(), range(21))
    np.testing.assert_allclose(slow.get_ydata(), 5 * 0.99 ** (2 * np.arange(21)))
    assert line(ax, "rate 0.5: best").get_linewidth() > slow.get_linewidth()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("epoch", "cost: mean squared error")
    with pytest.raises(DataError, match="needs a ladder of learning rates"):
        rate_ladder([1, 2])


def test_a_ladder_without_a_known_start_begins_after_the_first_epoch() -> None:
    table, target = np.array([[-1.0], [1.0]]), np.array([1.0, 3.0])

    def off(model: Any, X: Any, y: Any) -> float:
        return float(np.abs(model.predict(X) - y).max())

    ladder = learning_rate_sweep(GradientDescentRegressor(tol=None), table, target, [0.1, 9], cost=off)
    ax = rate_ladder(ladder)
    assert line(ax, "rate 0.1: best").get_xdata()[0] == 1
    assert ax.get_ylabel() == "cost: off"


def test_early_stopping_draws_errors_and_marks_the_best() -> None:
    curve = SimpleNamespace(
        iterations=[1, 2, 3, 4],
        train_scores=[-9.0, -4.0, -1.0, -0.5],
        test_scores=[-10.0, -6.0, -7.0, -8.0],
        best_iteration=2,
        stopped_at=4,
        score_name="neg_root_mean_squared_error",
    )
    ax = early_stopping(curve)
    assert ax.get_ylabel() == "root mean squared error"
    np.testing.assert_allclose(line(ax, "rows held out").get_ydata(), [10, 6, 7, 8])
    assert words(ax) == ["best model: epoch 2, 6.00"]
    assert labels(ax) == ["rows fitted", "rows held out", "stopped at 4"]
    low, high = ax.get_ylim()
    assert low < 0.5 < 10 < high


def test_early_stopping_of_a_model_and_of_a_score() -> None:
    random = np.random.default_rng(0)
    table = random.normal(size=(60, 3))
    target = table @ [1, 2, 3] + random.normal(size=60)
    model = EarlyStopping(GradientDescentRegressor(), max_iterations=30).fit(table, target)
    ax = early_stopping(model)
    assert ax.get_ylabel() == "1 \N{MINUS SIGN} score"
    np.testing.assert_allclose(line(ax, "rows held out").get_ydata(), 1 - model.curve_.test_scores)
    curve = staged_curve(GradientDescentRegressor(), table, target, max_iterations=5)
    assert early_stopping(curve).get_xlabel() == "epoch"
    with pytest.raises(DataError, match="needs a run with iterations; got 3"):
        early_stopping(3)
