"""Targets, curves of bias and variance, and fitted curves side by side: what is drawn is what the results say."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.plotting import bias_variance_curves, bias_variance_targets, fit_panels

Floats = NDArray[np.float64]
X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([0.0, 1.0, 4.0, 9.0])


@dataclass
class Result:
    bias2: float
    variance: float
    noise: float
    by_point: Floats
    predictions: Floats


class Square:
    """Predicts the square of its one column."""

    def predict(self, X: Any) -> Floats:
        return np.asarray(X, dtype=float)[:, 0] ** 2


class Wild:
    """Far outside of any data, but right at whole numbers."""

    def predict(self, X: Any) -> Floats:
        x = np.asarray(X, dtype=float)[:, 0]
        return x**2 + 1e200 * np.round(np.sin(np.pi * x), 9)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def result(truth: list[float], predictions: list[list[float]], noise: float = 0.0) -> Result:
    """What a simulation with this truth at the test points, and these predictions, gives."""
    table = np.array(predictions)
    bias2, variance = (table.mean(axis=0) - truth) ** 2, table.var(axis=0)
    by_point = np.column_stack([bias2, variance, np.full(len(truth), noise), bias2 + variance + noise])
    return Result(float(bias2.mean()), float(variance.mean()), noise, by_point, table)


def part(bias2: float, variance: float, noise: float = 1.0) -> Result:
    return Result(bias2, variance, noise, np.empty((0, 4)), np.empty((0, 0)))


def hits(ax: Any) -> Floats:
    return np.column_stack(labeled(ax, "hits").get_data())


def labeled(ax: Any, label: str) -> Any:
    return next(line for line in ax.get_lines() if line.get_label() == label)


def heights(ax: Any, label: str) -> list[float]:
    return [float(value) for value in labeled(ax, label).get_ydata()]


# -- targets


def test_the_four_boards_have_the_bias_and_the_spread_that_they_are_named_for() -> None:
    boards = bias_variance_targets(n_hits=400)
    assert boards.shape == (2, 2)
    middle = np.array([[np.hypot(*hits(ax).mean(axis=0)) for ax in row] for row in boards])
    spread = np.array([[hits(ax).std() for ax in row] for row in boards])
    assert middle[0].max() < 0.05
    assert middle[1].min() > 0.5
    assert (spread[:, 1] > 2.5 * spread[:, 0]).all()
    assert [ax.get_title() for ax in boards[0]] == ["low variance", "high variance"]
    assert [ax.get_ylabel() for ax in boards[:, 0]] == ["low bias", "high bias"]


def test_the_seed_decides_the_hits() -> None:
    first, again, other = (bias_variance_targets(random_state=seed)[1, 1] for seed in (3, 3, 4))
    assert len(hits(first)) == 25
    np.testing.assert_array_equal(hits(first), hits(again))
    assert not np.array_equal(hits(first), hits(other))


def test_hits_of_a_result_are_its_errors_at_two_points_with_the_bias_to_the_right_and_up() -> None:
    # At both points the truth is 1; the predictions average 3 (bias 2) and -2 (bias -3, drawn as 3).
    ax = bias_variance_targets(result([1.0, 1.0], [[2.0, -2.0], [4.0, -4.0], [3.0, 0.0]]))
    np.testing.assert_allclose(hits(ax), [[1.0, 3.0], [3.0, 1.0], [2.0, 5.0]])
    assert ax.get_title() == "bias² 6.50, variance 1.67"


def test_the_two_points_stand_for_all() -> None:
    # Bias² 0, 4, 16, 36 and 94, mean 30: of all pairs 16 and 36, mean 26, are nearest.
    found = result([0.0] * 5, [[0.0, 2.0, 4.0, 6.0, 9.69535971483266]] * 2)
    assert found.bias2 == pytest.approx(30.0)
    np.testing.assert_allclose(hits(bias_variance_targets(found))[0] ** 2 @ [0.5, 0.5], 26.0)


def test_boards_of_several_results_have_one_scale() -> None:
    small, large = result([0.0, 0.0], [[1.0, 0.0], [-1.0, 0.0]]), result([0.0, 0.0], [[9.0, 0.0], [-9.0, 0.0]])
    boards = bias_variance_targets({"calm": small, "wild": large})
    assert [ax.get_title().split("\n")[0] for ax in boards] == ["calm", "wild"]
    assert boards[0].get_xlim() == boards[1].get_xlim()
    assert boards[0].get_xlim()[1] > 9


def test_hits_beside_the_board_are_counted() -> None:
    rows = np.zeros((100, 2))
    rows[:99, 0], rows[99, 0] = np.tile([1.0, -1.0], 50)[:99], 50.0
    found = Result(0.0, 1.0, 0.0, np.zeros((2, 4)), rows)
    ax = bias_variance_targets(found)
    assert ax.get_xlabel() == "1 hit of 100 beside the board"
    assert ax.get_xlim()[1] < 3


def test_a_result_is_drawn_where_it_is_told() -> None:
    _, ax = pyplot.subplots()
    assert bias_variance_targets(result([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), ax=ax) is ax


def test_targets_refuse() -> None:
    good = result([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ParameterError, match="n_hits must be a whole number of at least 1; got 0"):
        bias_variance_targets(n_hits=0)
    with pytest.raises(ParameterError, match="ax is for a single result"):
        bias_variance_targets({"a": good}, ax=pyplot.subplots()[1])
    with pytest.raises(ParameterError, match="at least one result"):
        bias_variance_targets({})
    with pytest.raises(DataError, match=r"needs results of pellucid\.model_selection\.bias_variance; got 3"):
        bias_variance_targets({"a": 3})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="the same test points, at least two; got 2, 3"):
        bias_variance_targets({"a": good, "b": result([0.0] * 3, [[1.0] * 3])})


# -- curves


def test_curves_are_the_parts_and_their_sum() -> None:
    ax = bias_variance_curves([1, 2, 3], [part(9.0, 0.5), part(1.0, 1.0), part(0.5, 6.0)])
    assert heights(ax, "bias²") == [9.0, 1.0, 0.5]
    assert heights(ax, "variance") == [0.5, 1.0, 6.0]
    assert heights(ax, "noise") == [1.0, 1.0, 1.0]
    assert heights(ax, "sum = expected error") == [10.5, 3.0, 7.5]
    assert ax.texts[0].get_text() == "least at degree 2: 3.00"
    assert (ax.get_xlabel(), ax.get_yscale(), ax.get_ylim()[0]) == ("degree", "linear", 0.0)
    mark = next(line for line in ax.get_lines() if line.get_markersize() == 12)
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (2.0, 3.0)


def test_values_are_put_in_order() -> None:
    ax = bias_variance_curves([3, 1, 2], [part(0.5, 6.0), part(9.0, 0.5), part(1.0, 1.0)])
    assert list(labeled(ax, "bias²").get_xdata()) == [1.0, 2.0, 3.0]
    assert heights(ax, "bias²") == [9.0, 1.0, 0.5]


def test_far_apart_numbers_get_a_logarithmic_axis() -> None:
    ax = bias_variance_curves([0.01, 1.0, 10.0], [part(0.0, 500.0), part(1.0, 1.0), part(2.0, 0.0)], name="alpha")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.texts[0].get_text() == "least at alpha 1: 3.00"
    assert ax.get_ylim()[1] > 501


def test_words_stand_in_the_order_given() -> None:
    ax = bias_variance_curves(["tree", "$line"], [part(0.0, 5.0), part(1.0, 1.0)], name="model")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["tree", r"\$line"]
    assert ax.texts[0].get_text() == r"least at \$line: 3.00"


def test_curves_refuse() -> None:
    with pytest.raises(DataError, match="the same length, at least two; got 3 and 1"):
        bias_variance_curves([1, 2, 3], [part(1.0, 1.0)])
    with pytest.raises(DataError, match="results must be a list of results"):
        bias_variance_curves([1, 2], [1.0, 2.0])  # type: ignore[list-item]
    with pytest.raises(DataError, match="finite numbers"):
        bias_variance_curves([1, 2], [part(float("nan"), 1.0), part(1.0, 1.0)])
    with pytest.raises(ParameterError, match="values must be a list, one a result; got 'degree'"):
        bias_variance_curves("degree", [part(1.0, 1.0)])


# -- panels


def test_each_panel_has_the_rows_and_its_model_on_a_fine_grid() -> None:
    line = LinearRegression().fit(X, Y)
    panels = fit_panels({"line": line, "square": Square()}, X, Y)
    for ax, model in zip(panels, [line, Square()], strict=True):
        x, curve = labeled(ax, "model").get_data()
        assert (x.min(), x.max()) == (0.0, 3.0)
        assert len(x) >= 300
        np.testing.assert_allclose(curve, model.predict(x[:, None]), atol=1e-12)
        np.testing.assert_array_equal(np.column_stack(labeled(ax, "data").get_data()), np.c_[X, Y])
    # ŷ = 3 x - 1: residuals 1, -1, -1, 1 against a sum of squares of 49.
    assert [ax.get_title() for ax in panels] == ["line\nR² 0.92", "square\nR² 1.00"]
    assert [ax.get_ylabel() for ax in panels] == ["y", ""]


def test_truth_and_test_rows_are_drawn_and_scored() -> None:
    panels = fit_panels({"square": Square()}, X[:, 0], Y, truth=lambda X: X[:, 0] ** 2, test=([1.0, 2.0], [0.0, 2.0]))
    x, real = labeled(panels[0], "truth").get_data()
    np.testing.assert_allclose(real, x**2)
    assert heights(panels[0], "test data") == [0.0, 2.0]
    # Test residuals -1 and -2, sum of squares 2: 1 - 5 / 2.
    assert panels[0].get_title() == "square\nR² 1.00, test \N{MINUS SIGN}1.50"


def test_another_score_can_be_given() -> None:
    panels = fit_panels({"square": Square()}, X, Y + 2, score=lambda y, p: float(np.abs(y - p).mean()))
    assert panels[0].get_title() == "square\nscore 2.00"


def test_a_wild_curve_does_not_flatten_the_data() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        panels = fit_panels({"calm": Square(), "wild": Wild()}, X, Y)
        panels[0].figure.canvas.draw()
    low, high = panels[1].get_ylim()
    assert -3 < low < 0
    assert 9 < high < 12
    curve = np.array(heights(panels[1], "model"))
    assert curve.max() > high
    assert np.isfinite(curve).all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_model_fitted_with_names_gets_them_again(library: str) -> None:
    frames = import_module(library)
    table = frames.DataFrame({"speed": X[:, 0]})
    target = frames.Series(Y, name="stop") if library == "pandas" else frames.Series("stop", Y)
    model = LinearRegression().fit(table.to_pandas() if library == "polars" else table, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (table, table["speed"]):
            (ax,) = fit_panels({"line": model}, x, target)
            assert (ax.get_xlabel(), ax.get_ylabel()) == ("speed", "stop")
            assert heights(ax, "model")[-1] == pytest.approx(8.0)


def test_a_constant_target_has_no_r2() -> None:
    (ax,) = fit_panels({"line": LinearRegression().fit(X, Y * 0)}, X, Y * 0)
    assert ax.get_title() == "line\nR² undefined"


def test_panels_refuse() -> None:
    with pytest.raises(ParameterError, match="models must be a dict from captions to fitted models"):
        fit_panels(Square(), X, Y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="the one of 'a' has no predict; got 3"):
        fit_panels({"a": 3}, X, Y)  # type: ignore[dict-item]
    with pytest.raises(DataError, match=r"x must be one column .* got shapes \(4, 2\) and \(4,\)"):
        fit_panels({"a": Square()}, np.c_[X, X], Y)
    with pytest.raises(DataError, match="needs models of one column; that of 'a' has 2"):
        fit_panels({"a": LinearRegression().fit(np.c_[X, X], Y)}, X, Y)
    with pytest.raises(DataError, match="y must have no missing or infinite values"):
        fit_panels({"a": Square()}, X, [0.0, np.nan, 1.0, 2.0])
    with pytest.raises(ParameterError, match=r"test must be a pair \(x, y\)"):
        fit_panels({"a": Square()}, X, Y, test=(X, Y, Y))  # type: ignore[arg-type]
    with pytest.raises(DataError, match="truth must give one finite number"):
        fit_panels({"a": Square()}, X, Y, truth=lambda X: 1.0)
