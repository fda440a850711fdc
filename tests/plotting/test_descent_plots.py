"""What the plots of gradient descent draw is what the path says: costs, cuts, lines, contours, words, and refusals."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.text import Text

from pellucid.base.errors import DataError, NotFittedError, ParameterError
from pellucid.linear_model import GradientDescentRegressor, LinearRegression, SGDRegressor
from pellucid.plotting import compare_rates, descent_cost, descent_path, rate_steps

X = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
Y = np.array([1.0, 3.0, 3.0, 2.0, 5.0])
X2 = np.array([[2, 1.1], [2, 1.9], [4, 2.0], [5, 1.5], [6, 1.3], [7, 2.1], [4, 1.8], [5, 2.5]])
Y2 = np.array([9.3, 10.6, 14.6, 14.0, 15.1, 15.8, 13.0, 15.9])


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def descent(X: Any = X, y: Any = Y, **settings: Any) -> GradientDescentRegressor:
    return GradientDescentRegressor(**{"eta0": 0.05, "max_steps": 20, "tol": None, **settings}).fit(X, y)


def stochastic(**settings: Any) -> GradientDescentRegressor:
    return descent(**{"batch_size": 1, "order": "given", **settings})


def cost(theta: Any, X: Any = X, y: Any = Y, factor: float = 0.5) -> NDArray[np.float64]:
    """Written out: the mean over the rows of (f - y)², or half of it, at each of the parameters."""
    return np.array([factor * np.mean((t[0] + X @ t[1:] - y) ** 2) for t in np.atleast_2d(theta)])


def labeled(ax: Any, label: str) -> Any:
    return next(artist for artist in ax.get_children() if artist.get_label() == label)


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def boxes(ax: Any) -> list[Any]:
    """Where the words of each label are, without the line that ties it to its place."""
    ax.figure.draw_without_rendering()
    return [Text.get_window_extent(text) for text in ax.texts]


def contours(ax: Any) -> Any:
    (found,) = [artist for artist in ax.collections if hasattr(artist, "levels")]
    return found


# -- the cost


@pytest.mark.parametrize(("name", "factor"), [("half_squared", 0.5), ("squared", 1.0)])
def test_the_line_is_the_cost_of_all_rows_after_every_update(name: str, factor: float) -> None:
    model = stochastic(cost=name, eta0=0.01)
    line = labeled(descent_cost(model, X, Y), "after every update")
    np.testing.assert_array_equal(line.get_xdata(), np.arange(21))
    np.testing.assert_allclose(line.get_ydata(), cost(model.path_, factor=factor), rtol=1e-12)


@pytest.mark.parametrize(("penalty", "h"), [("l2", lambda w: w @ w / 2), ("l1", lambda w: np.abs(w).sum())])
def test_the_penalty_is_part_of_the_cost_and_least_squares_is_left_out(penalty: str, h: Any) -> None:
    model = descent(X2, Y2, eta0=0.02, penalty=penalty, alpha=0.3)
    ax = descent_cost(model, X2, Y2)
    expected = cost(model.path_, X2, Y2) + [0.3 * h(theta[1:]) for theta in model.path_]
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), expected, rtol=1e-12)
    assert not any("least squares" in label for label in legend(ax))
    assert ax.get_ylabel() == f"cost: mean of (f − y)²/2 + 0.3 × {penalty} penalty"


def test_without_intercept() -> None:
    model = descent(fit_intercept=False, eta0=0.01)
    expected = cost(np.column_stack([np.zeros(21), model.path_]))
    np.testing.assert_allclose(descent_cost(model, X, Y).get_lines()[0].get_ydata(), expected, rtol=1e-12)


def test_start_end_and_least_squares_are_marked() -> None:
    model = descent()
    ax = descent_cost(model, X, Y)
    first, last = cost(model.path_)[[0, -1]]
    assert legend(ax) == ["after every update", f"start: {first:.2f}", f"end: {last:.2f}", "least squares: 0.24"]
    np.testing.assert_allclose(labeled(ax, f"start: {first:.2f}").get_xydata(), [[0, first]])
    np.testing.assert_allclose(labeled(ax, f"end: {last:.2f}").get_xydata(), [[20, last]])
    dashed = labeled(ax, "least squares: 0.24")
    np.testing.assert_allclose(dashed.get_ydata(), cost([0.4, 0.8])[0])
    assert dashed.get_linestyle() == "--"


def test_the_moving_mean_is_that_of_the_last_updates() -> None:
    model = stochastic(max_steps=30)
    costs = cost(model.path_)
    line = labeled(descent_cost(model, X, Y, smooth=4), "mean of the last 4 updates")
    np.testing.assert_array_equal(line.get_xdata(), np.arange(4, 31))
    np.testing.assert_allclose(line.get_ydata(), [costs[t - 3 : t + 1].mean() for t in range(4, 31)])


def test_the_mean_is_over_an_epoch_unless_told_and_batch_descent_has_none() -> None:
    assert "mean of the last 5 updates" in legend(descent_cost(stochastic(), X, Y))
    assert "mean of the last 7 updates" in legend(descent_cost(stochastic(max_steps=700), X, Y))
    assert not any("mean" in label for label in legend(descent_cost(stochastic(), X, Y, smooth=1)))
    assert not any("mean" in label for label in legend(descent_cost(descent(), X, Y)))


def test_long_runs_are_drawn_by_the_epoch() -> None:
    model = stochastic(max_steps=12_003, max_iter=3000)
    ax = descent_cost(model, X, Y)
    line = labeled(ax, "after every epoch")
    np.testing.assert_allclose(line.get_xdata(), [*range(2401), 2400.6])
    np.testing.assert_allclose(line.get_ydata(), cost(model.path_[[*range(0, 12_001, 5), 12_003]]), rtol=1e-12)
    assert ax.get_xlabel() == "epoch of 5 updates"
    mean = labeled(ax, "mean of the last 120 updates")
    np.testing.assert_allclose(mean.get_ydata()[-1], cost(model.path_[-120:]).mean())
    assert mean.get_xdata()[0] == 24


def test_long_batch_runs_are_drawn_by_the_update() -> None:
    model = descent(max_steps=10_050, max_iter=20_000, gradient_tol=None)
    ax = descent_cost(model, X, Y)
    assert ax.get_xlabel() == "update"
    assert len(ax.get_lines()[0].get_xdata()) == 10_051


def test_a_logarithmic_axis_leaves_a_least_squares_cost_of_nothing_to_the_legend() -> None:
    exact = 2 * X[:, 0]
    ax = descent_cost(descent(y=exact), X, exact, log=True)
    assert ax.get_yscale() == "log"
    assert legend(ax)[-1].endswith("below the frame")
    assert ax.get_ylim()[0] > 1e-6


def test_a_model_that_began_at_its_end() -> None:
    model = descent(start=[0.4, 0.8], gradient_tol=1e-6)
    assert model.n_steps_ == 0
    assert descent_cost(model, X, Y).get_lines()[0].get_xdata().tolist() == [0]
    assert legend(descent_path(model, X, Y)) == ["batch", "start", "end", "least squares"]


# -- costs of several rates

RATES = [0.01, 0.05, 0.12, 0.3]


def test_each_line_is_the_run_with_its_rate() -> None:
    ax = compare_rates(GradientDescentRegressor(), X, Y, RATES, max_steps=15)
    for rate in RATES[:3]:
        line = labeled(ax, f"rate {rate:g}")
        np.testing.assert_array_equal(line.get_xdata(), np.arange(16))
        expected = cost(descent(eta0=rate, max_steps=15, gradient_tol=None).path_)
        np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-10)


def test_a_diverging_run_is_cut_at_the_frame_and_says_so() -> None:
    ax = compare_rates(GradientDescentRegressor(), X, Y, RATES, max_steps=15)
    line = labeled(ax, "rate 0.3 diverges")
    costs, top = cost(descent(eta0=0.3, max_steps=15).path_), ax.get_ylim()[1]
    assert costs[1] > top
    np.testing.assert_allclose(line.get_ydata(), [costs[0], top])
    np.testing.assert_allclose(line.get_xdata(), [0, (top - costs[0]) / (costs[1] - costs[0])])
    assert sorted(words(ax)) == ["rate 0.01", "rate 0.05", "rate 0.12", "rate 0.3 diverges"]


def test_no_line_leaves_the_frame() -> None:
    for rates in (RATES, [0.01, 0.05], [0.3, 1.0], [1e200]):
        ax = compare_rates(GradientDescentRegressor(), X, Y, rates, max_steps=500)
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        for line in ax.get_lines():
            x, y = line.get_data()
            assert left <= np.min(x) <= np.max(x) <= right
            assert low <= np.min(y) <= np.max(y) <= high


def test_runs_that_overflow_are_drawn_up_to_the_frame() -> None:
    ax = compare_rates(GradientDescentRegressor(), X, Y, [0.05, 1.0, 1e200], max_steps=2000)
    assert {"rate 1 diverges", "rate 1e+200 diverges"} < set(words(ax))
    assert len(labeled(ax, "rate 1 diverges").get_xdata()) == 2
    assert labeled(ax, "rate 1e+200 diverges").get_ydata()[-1] == ax.get_ylim()[1]


def test_a_run_that_falls_before_it_overflows_is_drawn_on_its_way() -> None:
    """Across the steepest direction there is little to begin with, so the cost falls for long before it rises."""
    wide, y, start = np.diag([1.0, 10.0]), np.array([5.0, 0.0]), [0.0, 1e-9]
    ax = compare_rates(GradientDescentRegressor(fit_intercept=False, start=start), wide, y, [0.06], max_steps=3000)
    line = labeled(ax, "rate 0.06 diverges")
    costs = cost(
        np.c_[np.zeros(41), descent(wide, y, fit_intercept=False, start=start, eta0=0.06, max_steps=40).path_], wide, y
    )
    shown = len(line.get_xdata()) - 1
    assert ax.get_ylim()[0] < costs.min() < 0.5 * costs[0]
    assert costs[shown - 1] <= ax.get_ylim()[1] < costs[shown]
    np.testing.assert_allclose(line.get_ydata()[:-1], costs[:shown], rtol=1e-9)


def test_a_start_that_is_too_large_is_passed_on() -> None:
    with pytest.raises(DataError, match="the cost at the start must be a finite number"):
        compare_rates(GradientDescentRegressor(start=[1e200, 0.0]), X, Y, [0.01])


def test_no_two_lines_look_alike() -> None:
    ax = compare_rates(GradientDescentRegressor(), X, Y, np.geomspace(0.001, 0.1, 12), max_steps=5)
    lines = [line for line in ax.get_lines() if line.get_label().startswith("rate")]
    looks = [(line.get_color(), line._unscaled_dash_pattern) for line in lines]  # type: ignore[attr-defined]
    assert len({str(look) for look in looks}) == 12
    assert len({str(dashes) for _, dashes in looks[:6]}) == len({color for color, _ in looks[:6]}) == 6


@pytest.mark.parametrize("rates", [RATES, [0.05, 0.08, 0.1, 0.12], [0.001, 0.2, 0.25, 0.3, 1.0]])
def test_labels_do_not_meet_and_stay_on_the_paper(rates: list[float]) -> None:
    ax: Any = compare_rates(GradientDescentRegressor(), X, Y, rates, max_steps=100)
    found = boxes(ax)
    assert not any(a.overlaps(b) for k, a in enumerate(found) for b in found[:k])
    paper = ax.figure.bbox
    assert all(paper.x0 <= b.x0 < b.x1 <= paper.x1 and paper.y0 <= b.y0 < b.y1 <= paper.y1 for b in found)


def test_labels_have_the_color_of_their_lines() -> None:
    ax = compare_rates(GradientDescentRegressor(), X, Y, RATES)
    assert all(text.get_color() == labeled(ax, text.get_text()).get_color() for text in ax.texts)


def test_a_logarithmic_axis_where_costs_are_decades_apart() -> None:
    exact = 2 * X[:, 0]
    assert compare_rates(GradientDescentRegressor(), X, exact, [0.05, 0.1]).get_yscale() == "log"
    assert compare_rates(GradientDescentRegressor(), X, Y, [0.05, 0.1]).get_yscale() == "linear"


def test_a_cut_on_a_logarithmic_axis_is_where_the_line_meets_the_frame() -> None:
    exact = 2 * X[:, 0]
    ax = compare_rates(GradientDescentRegressor(), X, exact, [0.1, 0.17], max_steps=80)
    costs, top = cost(descent(y=exact, eta0=0.17, max_steps=80).path_, y=exact), ax.get_ylim()[1]
    x, y = labeled(ax, "rate 0.17 diverges").get_data()
    assert ax.get_yscale() == "log"
    assert y[-1] == top
    last = len(x) - 2
    height = np.interp(x[-1], [last, last + 1], np.log(costs[last : last + 2]))
    np.testing.assert_allclose(height, np.log(top))


def test_the_model_is_left_as_it_was() -> None:
    model = stochastic()
    path, settings = model.path_.copy(), model.get_params()
    compare_rates(model, X, Y, RATES)
    rate_steps(model, X, Y, RATES)
    np.testing.assert_array_equal(model.path_, path)
    assert model.get_params() == settings


def test_rows_come_in_the_same_order_for_every_rate() -> None:
    ax = compare_rates(GradientDescentRegressor(batch_size=1), X, Y, [0.01, 0.01], max_steps=12)
    first, second = ax.get_lines()
    np.testing.assert_array_equal(first.get_ydata(), second.get_ydata())


# -- lines of several rates


def test_panels_have_the_data_the_start_and_the_line_after_each_update() -> None:
    panels = rate_steps(GradientDescentRegressor(start=[1.0, -0.5]), X, Y, [0.01, 0.1, 0.3], steps=6)
    assert [ax.get_title() for ax in panels] == ["rate 0.01", "rate 0.1", "rate 0.3 diverges"]
    for ax, rate in zip(panels, [0.01, 0.1, 0.3], strict=True):
        data, start, *lines = ax.get_lines()
        np.testing.assert_array_equal(data.get_xydata(), np.c_[X, Y])
        path = descent(eta0=rate, start=[1.0, -0.5], max_steps=6, gradient_tol=None).path_
        for line, theta in zip([start, *lines], path, strict=True):
            np.testing.assert_allclose(line.get_xydata(), [[x, theta[0] + theta[1] * x] for x in (1, 5)])
        assert start.get_linestyle() == "--"


def test_later_lines_are_darker() -> None:
    (ax,) = rate_steps(GradientDescentRegressor(), X, Y, [0.01], steps=10)
    light = [sum(line.get_color()[:3]) for line in ax.get_lines()[2:]]
    assert light == sorted(light, reverse=True)
    assert light[0] > 2 * light[-1]


def test_panels_share_a_frame_that_holds_all_but_what_diverges() -> None:
    panels = rate_steps(GradientDescentRegressor(start=[20.0, 0.0]), X, Y, [0.01, 0.05, 0.1, 0.3, 0.5])
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in panels}) == 1
    low, high = panels[0].get_ylim()
    for ax in panels:
        lines = ax.get_lines()[: 2 if "diverges" in ax.get_title() else None]
        assert all(low < np.min(line.get_ydata()) <= np.max(line.get_ydata()) < high for line in lines)


@pytest.mark.parametrize("n_rates", [1, 2, 3, 4, 5, 7])
def test_the_lowest_panel_of_each_column_has_the_figures_of_its_axis(n_rates: int) -> None:
    panels = rate_steps(GradientDescentRegressor(), X, Y, [0.01] * n_rates)
    lowest = {ax.get_subplotspec().colspan.start: ax for ax in panels}
    for ax in panels:
        below = ax is lowest[ax.get_subplotspec().colspan.start]
        assert ax.xaxis.get_tick_params()["labelbottom"] == below == (ax.get_xlabel() == "x")


def test_panels_without_intercept() -> None:
    (ax,) = rate_steps(GradientDescentRegressor(fit_intercept=False), X, Y, [0.01], steps=2)
    slopes = descent(fit_intercept=False, eta0=0.01, max_steps=2).path_[:, 0]
    np.testing.assert_allclose([line.get_ydata()[-1] for line in ax.get_lines()[1:]], 5 * slopes)


# -- the path


def test_paths_are_drawn_in_full_and_start_end_and_optimum_marked() -> None:
    models = [descent(), stochastic(max_steps=400, start=[1.0, 0.0]), stochastic(batch_size=2)]
    ax = descent_path(models, X, Y)
    assert legend(ax) == ["batch", "stochastic", "mini-batch of 2", "start", "end", "least squares"]
    for model, name in zip(models, legend(ax), strict=False):
        np.testing.assert_array_equal(labeled(ax, name).get_xydata(), model.path_)
    np.testing.assert_allclose(labeled(ax, "start").get_xydata(), [[0, 0], [1, 0]])
    ends = labeled(ax, "end").get_xydata()
    assert sorted(map(tuple, ends)) == sorted(tuple(model.path_[-1]) for model in models)
    np.testing.assert_allclose(labeled(ax, "least squares").get_xydata(), [[0.4, 0.8]])


def test_nothing_lies_outside_the_frame() -> None:
    ax = descent_path([descent(), descent(eta0=0.2)], X, Y)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    for line in ax.get_lines():
        x, y = line.get_data()
        assert left < np.min(x) <= np.max(x) < right
        assert low < np.min(y) <= np.max(y) < high


def test_each_contour_is_where_the_cost_has_its_level() -> None:
    levels = [0.3, 0.5, 0.9, 1.7]
    ax = descent_path(descent(), X, Y, levels=levels)
    found = contours(ax)
    np.testing.assert_array_equal(found.levels, levels)
    for level, segments in zip(levels, found.allsegs, strict=True):
        for points in segments:
            np.testing.assert_allclose(cost(points), level, rtol=0.02)


def test_levels_double_above_the_lowest_cost() -> None:
    levels = contours(descent_path(descent(), X, Y)).levels
    assert len(levels) == 8
    rises = levels - cost([0.4, 0.8])[0]
    np.testing.assert_allclose(rises[3:] / rises[2:-1], 2, rtol=0.01)
    steps = np.log2(np.diff(levels)[-1] / 0.1)
    np.testing.assert_allclose(steps, round(steps), atol=1e-9)


def test_contours_show_the_penalty_and_leave_least_squares_out() -> None:
    model = descent(penalty="l2", alpha=0.5)
    ax = descent_path(model, X, Y, levels=[0.7, 1.0])
    for level, segments in zip([0.7, 1.0], contours(ax).allsegs, strict=True):
        points = np.concatenate(segments)
        np.testing.assert_allclose(cost(points) + 0.25 * points[:, 1] ** 2, level, rtol=0.02)
    assert legend(ax) == ["batch", "start", "end"]
    assert ax.get_title() == "contours of the cost, the mean of (f − y)²/2 + 0.5 × l2 penalty"


@pytest.mark.parametrize("penalty", [None, "l1"])
def test_other_parameters_are_held_where_the_first_model_ends(penalty: Any) -> None:
    model = descent(X2, Y2, eta0=0.02, penalty=penalty, alpha=0.1)
    ax = descent_path(model, X2, Y2, parameters=(2, 1), levels=[5.0, 20.0])
    np.testing.assert_array_equal(labeled(ax, "batch").get_xydata(), model.path_[:, [2, 1]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("coefficient of x2", "coefficient of x1")
    assert ax.get_title().endswith("\nthe other parameters as at the end of batch")
    for level, segments in zip([5.0, 20.0], contours(ax).allsegs, strict=True):
        for points in segments:
            theta = np.column_stack([np.full(len(points), model.intercept_), points[:, 1], points[:, 0]])
            penalties = 0.1 * np.abs(points).sum(axis=1) if penalty else 0.0
            np.testing.assert_allclose(cost(theta, X2, Y2) + penalties, level, rtol=0.02)


def test_the_penalty_of_a_coefficient_that_is_held_counts() -> None:
    model = descent(X2, Y2, eta0=0.02, penalty="l2", alpha=2.0)
    ax = descent_path(model, X2, Y2, levels=[20.0])
    points = np.concatenate(contours(ax).allsegs[0])
    theta = np.column_stack([points, np.full(len(points), model.coef_[1])])
    assert abs(model.coef_[1]) > 0.8
    np.testing.assert_allclose(cost(theta, X2, Y2) + np.square(theta[:, 1:]).sum(axis=1), 20.0, rtol=0.005)


def test_two_coefficients_without_intercept() -> None:
    model = descent(X2, Y2, eta0=0.02, fit_intercept=False)
    ax = descent_path(model, X2, Y2)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("coefficient of x1", "coefficient of x2")
    best = LinearRegression(fit_intercept=False).fit(X2, Y2).coef_
    np.testing.assert_allclose(labeled(ax, "least squares").get_xydata(), [best])
    assert "\n" not in ax.get_title()


def test_paths_are_told_apart_by_line_and_marker() -> None:
    ax = descent_path([descent(eta0=rate) for rate in (0.01, 0.02, 0.03, 0.04, 0.05, 0.06)], X, Y)
    lines = ax.get_lines()[:6]
    assert [line.get_label() for line in lines] == [f"batch {k}" for k in range(1, 7)]
    assert len({line.get_marker() for line in lines}) == 6
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == 6  # type: ignore[attr-defined]


def test_markers_are_thinned_on_long_paths_only() -> None:
    short, long = (labeled(descent_path(descent(max_steps=n), X, Y), "batch").get_markevery() for n in (20, 300))
    assert short == list(range(21))
    assert len(long) <= 26
    assert long[:5] == [0, 1, 2, 3, 4]
    assert long[-1] == 300
    assert np.all(np.diff(long) > 0)


def test_names_can_be_given() -> None:
    ax = descent_path([descent(), stochastic()], X, Y, names=["slow", "_$fast$"])
    assert [label.strip() for label in legend(ax)[:2]] == ["slow", r"_\$fast\$"]


def test_labels_on_contours_keep_off_the_legend_and_each_other() -> None:
    ax: Any = descent_path([descent(), stochastic(max_steps=400)], X, Y)
    found = boxes(ax)
    assert len(found) >= 4
    frame, key = ax.get_window_extent(), ax.get_legend().get_window_extent()
    assert not any(a.overlaps(b) for k, a in enumerate(found) for b in found[:k])
    assert not any(box.overlaps(key) for box in found)
    assert all(frame.x0 <= (b.x0 + b.x1) / 2 <= frame.x1 and frame.y0 <= (b.y0 + b.y1) / 2 <= frame.y1 for b in found)


def test_a_flat_cost_has_no_contours() -> None:
    nothing = np.zeros((3, 2))
    model = descent(nothing, [1.0, 2.0, 3.0], fit_intercept=False)
    assert not descent_path(model, nothing, [1.0, 2.0, 3.0]).collections


# -- tables, axes, figures

DRAW: list[tuple[Any, tuple[Any, ...]]] = [(descent_cost, ()), (descent_path, ()), (compare_rates, ([0.01, 0.05],))]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_are_matched_and_shown_by_name(library: str) -> None:
    frames = import_module(library)
    frame = frames.DataFrame({"hours": X2[:, 0], "protein": X2[:, 1]})
    weight = frames.DataFrame({"weight": Y2})["weight"]
    model = descent(frame, weight, eta0=0.02)
    other = frame[["protein", "hours"]]
    ax = descent_path(model, other, weight, parameters=(1, 2))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("coefficient of hours", "coefficient of protein")
    np.testing.assert_allclose(labeled(ax, "least squares").get_xydata(), [LinearRegression().fit(X2, Y2).coef_])
    drawn = descent_cost(model, other, weight).get_lines()[0].get_ydata()
    np.testing.assert_allclose(drawn, cost(model.path_, X2, Y2))
    (panel,) = rate_steps(model, frame[["hours"]], weight, [0.01])
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("hours", "weight")


def test_sparse_tables_are_read() -> None:
    sparse = import_module("scipy.sparse").csr_array(X)
    np.testing.assert_allclose(
        descent_cost(descent(sparse), sparse, Y).get_lines()[0].get_ydata(), cost(descent().path_), rtol=1e-10
    )


@pytest.mark.parametrize(("draw", "more"), DRAW)
def test_a_given_axes_is_used_and_returned_and_pyplot_left_alone(draw: Any, more: Any) -> None:
    ax = Figure().add_subplot()
    assert draw(descent(), X, Y, *more, ax=ax) is ax
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(("draw", "more"), [*DRAW, (rate_steps, ([0.01],))])
def test_the_input_is_left_as_it_was(draw: Any, more: Any) -> None:
    table, y = X.copy(), Y.copy()
    draw(descent(), table, y, *more)
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(y, Y)


# -- refusals


def refusal(kind: type[Exception], draw: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(kind, match=f"^{draw.__name__}: ") as caught:
        draw(*args, **options)
    assert pyplot.get_fignums() == []
    return str(caught.value)


@pytest.mark.parametrize("draw", [descent_cost, descent_path])
def test_a_model_without_a_path(draw: Any) -> None:
    assert refusal(NotFittedError, draw, GradientDescentRegressor(), X, Y) == (
        f"{draw.__name__}: needs a fitted model; GradientDescentRegressor has no coef_.\nhint: call fit first."
    )
    assert refusal(DataError, draw, descent(keep_path=False), X, Y) == (
        f"{draw.__name__}: needs the path of the descent; GradientDescentRegressor was fitted with keep_path=False and "
        "has no path_.\nhint: set keep_path=True and fit again."
    )


@pytest.mark.parametrize(("draw", "more"), [*DRAW, (rate_steps, ([0.01],))])
def test_a_model_of_another_kind(draw: Any, more: Any) -> None:
    message = refusal(DataError, draw, LinearRegression().fit(X, Y), X, Y, *more)
    kinds = "a GradientDescentRegressor" + (" or an SGDRegressor" if draw in (descent_cost, descent_path) else "")
    assert message == f"{draw.__name__}: needs {kinds}; got LinearRegression()."


def sgd(**settings: Any) -> SGDRegressor:
    usual = {"learning_rate": "constant", "eta0": 0.05, "max_iter": 4, "tol": None, "penalty": None, "shuffle": False}
    return SGDRegressor(**{**usual, **settings}).fit(X, Y)


@pytest.mark.parametrize("size", [None, 1, 2])
def test_an_sgd_regressor_walks_the_same_path(size: int | None) -> None:
    """With rows in the given order and half squared errors both are the same descent."""
    same = descent(batch_size=size, max_steps=None, max_iter=4, order="given")
    lines = [descent_path(model, X, Y).get_lines()[0].get_xydata() for model in (same, sgd(batch_size=size))]
    np.testing.assert_allclose(np.asarray(lines[0]), np.asarray(lines[1]), rtol=1e-9)
    costs = [descent_cost(model, X, Y).get_lines()[0].get_ydata() for model in (same, sgd(batch_size=size))]
    np.testing.assert_allclose(np.asarray(costs[0]), np.asarray(costs[1]), rtol=1e-9)


def test_batch_mini_batch_and_stochastic_in_one_picture() -> None:
    ax = descent_path([sgd(batch_size=None), sgd(batch_size=2), sgd(batch_size=1)], X, Y)
    legend = ax.get_legend()
    assert legend is not None
    words = [text.get_text() for text in legend.get_texts()]
    assert words[:3] == ["batch", "mini-batch of 2", "stochastic"]
    assert words[-1] == "least squares"
    penalized = descent_path(sgd(penalty="l2", alpha=0.1), X, Y)
    assert "0.1" in penalized.get_title()


@pytest.mark.parametrize("draw", [descent_cost, descent_path])
def test_an_sgd_regressor_that_cannot_be_drawn(draw: Any) -> None:
    who = draw.__name__
    assert refusal(NotFittedError, draw, SGDRegressor(), X, Y) == (
        f"{who}: needs a fitted model; SGDRegressor has no coef_.\nhint: call fit first."
    )
    assert refusal(DataError, draw, sgd(loss="huber"), X, Y) == (
        f"{who}: needs a model with loss='squared_error'; got 'huber'."
    )
    assert refusal(DataError, draw, sgd(penalty="elasticnet"), X, Y) == (
        f"{who}: needs a model with penalty None, 'l1' or 'l2'; got 'elasticnet'."
    )
    assert refusal(DataError, draw, sgd(early_stopping=True, validation_fraction=0.4), X, Y) == (
        f"{who}: needs a run over all rows; early_stopping=True holds some out.\n"
        "hint: set early_stopping=False and fit again."
    )
    assert refusal(DataError, draw, sgd(), X, Y[::-1]) == (
        f"{who}: needs the rows that the model was fitted to; fitted to these, SGDRegressor has another coef_."
    )
    assert refusal(DataError, draw, sgd(eta0=0.001, max_iter=3000), X, Y) == (
        f"{who}: needs a run whose updates are all recorded; SGDRegressor took 15,000, and 10,000 are recorded.\n"
        "hint: fit it for fewer epochs."
    )


@pytest.mark.parametrize(("draw", "more"), DRAW)
def test_tables_that_cannot_be_drawn(draw: Any, more: Any) -> None:
    model = descent()
    assert "got shapes (5, 1) and (4,)" in refusal(DataError, draw, model, X, Y[:4], *more)
    assert "got shapes (5,) and (5,)" in refusal(DataError, draw, model, X[:, 0], Y, *more)
    assert "y must have no missing" in refusal(DataError, draw, model, X, [1, 2, np.nan, 3, 4], *more)


def test_a_table_of_another_width_or_length() -> None:
    assert refusal(DataError, descent_cost, descent(), np.c_[X, X], Y) == (
        "descent_cost: X must have as many columns as the model; the model was fitted to 1, and X has 2."
    )
    assert refusal(DataError, descent_cost, stochastic(), X[:4], Y[:4]) == (
        "descent_cost: X must have the rows that the model was fitted to; 4 rows in batches of 1 are 4 updates an "
        "epoch, and the model took 20 updates in 4 epochs."
    )


@pytest.mark.parametrize("smooth", [0, 21, 2.5, "all"])
def test_a_window_that_the_run_cannot_fill(smooth: Any) -> None:
    message = refusal(ParameterError, descent_cost, stochastic(), X, Y, smooth=smooth)
    assert message.endswith(f"smooth must be a whole number from 1 to 20, the updates of the run; got {smooth!r}.")


@pytest.mark.parametrize("draw", [compare_rates, rate_steps])
@pytest.mark.parametrize("rates", [[], [0.1, 0], [-1], ["fast"], 0.1, [np.inf], [np.nan]])
def test_rates_that_are_none(draw: Any, rates: Any) -> None:
    message = refusal(ParameterError, draw, GradientDescentRegressor(), X, Y, rates)
    assert message == f"{draw.__name__}: rates must be a list of numbers above 0; got {rates!r}."


def test_a_schedule_without_eta0() -> None:
    message = refusal(ParameterError, compare_rates, GradientDescentRegressor(learning_rate="decay"), X, Y, [0.1])
    assert message == (
        "compare_rates: needs a model whose rate begins at eta0; learning_rate='decay' goes by t0 and t1.\n"
        "hint: learning_rate='constant'."
    )


def test_counts_of_updates_that_are_none() -> None:
    model = GradientDescentRegressor()
    assert refusal(ParameterError, compare_rates, model, X, Y, [0.1], max_steps=0) == (
        "compare_rates: max_steps must be a whole number from 1 to 500,000 for a table of 1 column; got 0."
    )
    assert "got 500001." in refusal(ParameterError, compare_rates, model, X, Y, [0.1], max_steps=500_001)
    assert "steps must be a whole number" in refusal(ParameterError, rate_steps, model, X, Y, [0.1], steps=1.5)


def test_panels_need_one_column() -> None:
    assert refusal(DataError, rate_steps, GradientDescentRegressor(), X2, Y2, [0.01]) == (
        "rate_steps: needs a table with one column; got 2 (x1, x2).\nhint: compare_rates takes any table."
    )


def test_too_few_parameters_for_a_path() -> None:
    assert refusal(DataError, descent_path, descent(fit_intercept=False, eta0=0.01), X, Y) == (
        "descent_path: needs a model of two parameters or more; got 1.\nhint: descent_cost draws a model of any width."
    )


@pytest.mark.parametrize("parameters", [(0,), (0, 0), (0, 2), (-1, 0), (0, 1, 1), (0, "x"), 1])
def test_parameters_that_are_not_two_places(parameters: Any) -> None:
    message = refusal(ParameterError, descent_path, descent(), X, Y, parameters=parameters)
    assert message.startswith("descent_path: parameters must be two different places from 0 to 1; got ")


def test_models_that_cannot_share_contours() -> None:
    message = refusal(DataError, descent_path, [descent(), descent(cost="squared", eta0=0.01)], X, Y)
    assert message.startswith("descent_path: models must share cost, penalty, alpha and fit_intercept")
    assert "needs one model or several" in refusal(DataError, descent_path, [], X, Y)


def test_names_that_are_too_few() -> None:
    message = refusal(ParameterError, descent_path, [descent(), stochastic()], X, Y, names=["one"])
    assert message == "descent_path: names must be 2, one a model; got ['one']."


@pytest.mark.parametrize("levels", [[], [1e9], ["low"], [np.nan], [0.1]])
def test_levels_that_are_not_in_the_frame(levels: Any) -> None:
    message = refusal(ParameterError, descent_path, descent(), X, Y, levels=levels)
    assert message.startswith("descent_path: levels must be a list of costs, some of them in the frame, which has 0.24")
