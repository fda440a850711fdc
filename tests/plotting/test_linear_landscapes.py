"""The sigmoid, probabilities over one column and two, log-odds, valleys and penalties: what is drawn is so."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model as peer
from sklearn.datasets import load_iris

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.datasets import load_penguins
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.plotting import (
    class_probabilities,
    log_odds_line,
    penalty_contours,
    probability_contours,
    sigmoid_curve,
    valley_steps,
)

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [1.5], [3.5]])
Y = np.array(["no", "no", "no", "yes", "yes", "yes", "yes", "no"])


class Straight:
    """Log-odds of "yes" are 2 (x - 1)."""

    classes_ = np.array(["no", "yes"])
    n_features_in_ = 1

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-2 * (np.asarray(X, dtype=float)[:, 0] - 1)))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax: Any, label: str) -> Any:
    return next(one for one in ax.get_lines() if one.get_label() == label)


# ----------------------------------------------------------------------------------------------------------- sigmoid


def test_the_sigmoid() -> None:
    t, p = sigmoid_curve().get_lines()[0].get_data()
    np.testing.assert_allclose(np.log(p / (1 - p)), t, atol=1e-9)
    assert (t[0], t[-1]) == (-5, 5)


def test_rows_lie_on_the_sigmoid_and_huge_scores_do_not_overflow() -> None:
    ax = sigmoid_curve([-2.0, 0.0, 800.0, -800.0], ["a", "b", "b", "a"])
    assert labels(ax)[1:] == ["a", "b"]
    np.testing.assert_allclose(line(ax, "b").get_ydata(), [0.5, 1.0])
    np.testing.assert_allclose(line(ax, "a").get_ydata(), [1 / (1 + np.exp(2)), 0.0], atol=1e-300)
    assert ax.get_xlim() == (-800, 800)
    with pytest.raises(DataError, match="labels of two classes"):
        sigmoid_curve([1, 2, 3], [1, 2, 3])
    with pytest.raises(DataError, match="one number a row"):
        sigmoid_curve([[1, 2]])
    with pytest.raises(ParameterError, match="reach must be a number above 0"):
        sigmoid_curve(reach=-1)


# ---------------------------------------------------------------------------------------------------------- one column


def test_probabilities_over_one_column_and_the_boundary() -> None:
    ax = class_probabilities(Straight(), X, Y)
    assert words(ax) == ["boundary 1.00"]
    x, p = line(ax, "yes").get_data()
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-2 * (x - 1))))
    np.testing.assert_allclose(line(ax, "no").get_ydata(), 1 - p)
    rows = [one for one in ax.get_lines() if one.get_linestyle() == "None"]
    assert [sorted(set(one.get_ydata())) for one in rows] == [[0.0], [1.0]]
    assert len(rows[1].get_xdata()) == 4


def test_iris_by_petal_width() -> None:
    """The boundary of the default model is 1.66 cm."""
    iris = load_iris(as_frame=True)
    width, virginica = iris.data[["petal width (cm)"]], np.where(iris.target == 2, "virginica", "other")
    ax = class_probabilities(LogisticRegression().fit(width, virginica), width, virginica)
    assert words(ax) == ["boundary 1.66"]
    assert ax.get_xlabel() == "petal width (cm)"


def test_three_classes_have_strips_below_and_other_columns_stay_at_their_medians() -> None:
    penguins = load_penguins()
    table = pd.DataFrame(penguins.data, columns=penguins.feature_names)
    known = table.notna().all(axis=1).to_numpy()
    table, species = table[known], np.asarray(penguins.target)[known]
    model = LogisticRegression().fit(table, species)
    ax = class_probabilities(model, table, species, column="bill_length_mm")
    assert ax.get_title() == "other columns at their medians"
    middle = table.median()
    x = line(ax, labels(ax)[0]).get_xdata()
    rows = pd.DataFrame({name: np.full(len(x), middle[name]) for name in table.columns}).assign(bill_length_mm=x)
    np.testing.assert_allclose(line(ax, labels(ax)[0]).get_ydata(), model.predict_proba(rows)[:, 0])
    assert ax.get_ylim()[0] == pytest.approx(-0.24)


def test_log_odds_are_a_line_with_odds_at_the_right() -> None:
    ax = log_odds_line(Straight(), X, Y)
    x, t = line(ax, "model").get_data()
    np.testing.assert_allclose(t, 2 * (x - 1), atol=1e-9)
    assert ax.get_title() == "one unit of x more: log-odds 2.00 more, odds times 7.39"
    parts = line(ax, "rows, in 2 parts").get_data()
    np.testing.assert_allclose(parts[0], [(0 + 1 + 1.5 + 2) / 4, (3 + 3.5 + 4 + 5) / 4])
    np.testing.assert_allclose(parts[1], [np.log(1.5 / 3.5), np.log(3.5 / 1.5)])
    assert log_odds_line(Straight(), X, Y, of="no").get_ylabel() == "log-odds of no"


def test_one_column_refusals() -> None:
    with pytest.raises(ParameterError, match="needs a fitted classifier with predict_proba"):
        class_probabilities(LinearRegression().fit(X, np.arange(8.0)), X, Y)
    table = np.column_stack([X, X**2])
    with pytest.raises(ParameterError, match=r"column must be one of the columns \(0 to 1\); got None"):
        class_probabilities(LogisticRegression().fit(table, Y), table, Y)
    with pytest.raises(DataError, match="with 1 column, as the model has"):
        class_probabilities(Straight(), table, Y)
    with pytest.raises(ParameterError, match=r"of must be one of the classes \(no, yes\)"):
        log_odds_line(Straight(), X, Y, of="maybe")


# --------------------------------------------------------------------------------------------------------- two columns


@pytest.mark.parametrize("kind", [LogisticRegression, peer.LogisticRegression])
def test_levels_of_two_classes_are_parallel_lines(kind: Any) -> None:
    iris = load_iris()
    table, virginica = iris.data[50:, 2:], np.where(iris.target[50:] == 2, "virginica", "other")
    model = kind(C=10).fit(table, virginica)
    ax = probability_contours(model, table, virginica)
    lines, boundary = (one for one in ax.collections if hasattr(one, "levels"))
    np.testing.assert_allclose(lines.levels, [0.15, 0.3, 0.45, 0.6, 0.75, 0.9])
    for level, parts in zip([*lines.levels, 0.5], [*lines.allsegs, *boundary.allsegs], strict=True):
        scores = np.concatenate(parts) @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(scores, np.log(level / (1 - level)), atol=0.02)
    assert labels(ax)[-1] == "boundary: 0.5"
    assert not ax.images
    assert ax.get_title() == "probability of virginica"


def test_softmax_has_areas_behind_the_levels_of_one_class() -> None:
    iris = load_iris(as_frame=True)
    table = iris.data[["petal length (cm)", "petal width (cm)"]]
    names = np.array(iris.target_names)[iris.target]
    ax = probability_contours(LogisticRegression(C=10).fit(table, names), table, names, levels=[0.45, 0.9])
    assert len(ax.images) == 1
    assert ax.get_title() == "probability of versicolor"
    assert sorted(words(ax)) == ["0.45", "0.9"]
    assert "boundary: 0.5" not in labels(ax)


def test_level_refusals() -> None:
    table = np.column_stack([X, X[::-1] ** 2])
    model = LogisticRegression().fit(table, Y)
    with pytest.raises(ParameterError, match=r"levels must be numbers between 0 and 1; got \[2\]"):
        probability_contours(model, table, Y, levels=[2])
    with pytest.raises(ParameterError, match="of must be one of the classes"):
        probability_contours(model, table, Y, of="maybe")
    with pytest.raises(ParameterError, match="grid must be a whole number from 2 to 2000"):
        probability_contours(model, table, Y, grid=1)
    with pytest.raises(ParameterError, match="decision_regions draws any classifier"):
        probability_contours(object(), table, Y)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------- valleys


def test_steps_down_a_parabola() -> None:
    """From 1 down x², rate r multiplies by 1 - 2r."""
    drawn = valley_steps(lambda x: x**2, 1.0, [0.1, 0.25, 1.5], steps=4)
    for ax, rate in zip(drawn, [0.1, 0.25, 1.5], strict=True):
        np.testing.assert_allclose(line(ax, "steps").get_xdata(), (1 - 2 * rate) ** np.arange(5.0), rtol=1e-6)
    assert [ax.get_title() for ax in drawn] == [
        "rate 0.1: cost 1.00 to 0.17",
        "rate 0.25: cost 1.00 to 0.00391",
        "rate 1.5 diverges",
    ]
    low, high = drawn[0].get_xlim()
    assert low < -0.9
    assert 1 < high < 1.5


def test_a_valley_with_limits_a_gradient_and_an_overflow() -> None:
    ax = valley_steps(lambda x: x**2, 1.0, 0.5, gradient=lambda x: 2 * x, limits=(-3, 3), name="theta")
    assert ax.get_xlim() == (-3, 3)
    assert ax.get_xlabel() == "theta"
    np.testing.assert_array_equal(line(ax, "steps").get_xdata()[:3], [1, 0, 0])
    wild = valley_steps(lambda x: x**4, 10.0, 1e5, steps=50)
    assert len(line(wild, "steps").get_xdata()) < 20
    with pytest.raises(DataError, match="cost and its slope must be finite at the start"):
        valley_steps(lambda x: float("inf"), 1.0)
    with pytest.raises(ParameterError, match="rates must be a number above 0, or several; got 0"):
        valley_steps(abs, 1.0, 0)
    with pytest.raises(ParameterError, match="limits must be"):
        valley_steps(abs, 1.0, limits=(1, 1))


def test_penalties_and_their_lowest_points() -> None:
    """Columns of mean square 1 that are independent: l1 shrinks each by alpha/2 toward zero, l2 by 2/(2 + alpha)."""
    table = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    drawn = penalty_contours(table, table @ [2.0, 0.2], alpha=0.5)
    lowest = [line(ax, "lowest sum").get_xydata()[0] for ax in drawn[:, 1]]
    np.testing.assert_allclose(lowest[0], [1.75, 0.0], atol=1e-12)
    np.testing.assert_allclose(lowest[1], [1.6, 0.16])
    np.testing.assert_allclose(line(drawn[0, 0], "lowest cost").get_xydata()[0], [2, 0.2])
    for ax, end in ((drawn[1, 1], lowest[1]), (drawn[0, 1], lowest[0])):
        path = line(ax, "descent on the sum").get_xydata()
        np.testing.assert_allclose(path[-1], end, atol=0.2)
    alone = line(drawn[1, 0], "descent on the penalty alone").get_xydata()
    np.testing.assert_allclose(alone[:, 0] / alone[:, 1], alone[0, 0] / alone[0, 1])  # straight to the origin
    assert drawn[1, 0].get_xlabel() == "coefficient of x1"


def test_penalty_refusals() -> None:
    table = np.array([[1.0, 1], [1, -1], [-1, 1]])
    with pytest.raises(DataError, match="X must be a table of two columns"):
        penalty_contours(table[:, :1], [1, 2, 3])
    with pytest.raises(DataError, match="the two columns must be independent"):
        penalty_contours(np.column_stack([table[:, 0], table[:, 0]]), [1, 2, 3])
    with pytest.raises(ParameterError, match="alpha must be a number above 0; got 0"):
        penalty_contours(table, [1, 2, 3], alpha=0)
    with pytest.raises(ParameterError, match="start must be two numbers"):
        penalty_contours(table, [1, 2, 3], start=[1])
