"""What the plots of model selection draw is what was found: means, bands, the best, folds, models, and refusals."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeRegressor

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.figure import Figure

from pellucid.linear_model import LinearRegression
from pellucid.model_selection import LearningCurve, ValidationCurve, compare, cross_validate
from pellucid.plotting import (
    comparison,
    fold_diagram,
    learning_curve,
    staged_curve,
    validation_curve,
)
from pellucid.plotting._style import LIGHT, VERMILION

MINUS = "\N{MINUS SIGN}"
# Means 0.9, 0.8 and 0.5, 0.7; deviations (divisor 1) 0.1 sqrt(2), 0 and 0.1 sqrt(2), 0.2 sqrt(2).
TRAIN = np.array([[0.8, 1.0], [0.8, 0.8]])
TEST = np.array([[0.4, 0.6], [0.5, 0.9]])
TIMES = np.zeros((2, 2))
CURVE = LearningCurve(np.array([10, 20]), TRAIN, TEST, TIMES, TIMES)


@dataclass(frozen=True)
class Iterations:
    """What the curve of iterations is read from."""

    iterations: Any = field(default_factory=lambda: np.arange(1, 5))
    train_scores: Any = field(default_factory=lambda: np.array([0.5, 0.7, 0.8, 0.9]))
    test_scores: Any = field(default_factory=lambda: np.array([0.4, 0.6, 0.5, 0.4]))
    best_iteration: int = 2
    stopped_at: int | None = None
    score_name: str = "accuracy"


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def labeled(ax: Any, label: str) -> Any:
    return next(artist for artist in ax.get_children() if artist.get_label() == label)


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def band(ax: Any, which: int) -> np.ndarray[Any, Any]:
    """The highest less the lowest edge of a band, at each place of its line."""
    corners = ax.collections[which].get_paths()[0].vertices
    places = np.unique(corners[:, 0])
    return np.array([np.ptp(corners[corners[:, 0] == x, 1]) for x in places])


def refusal(draw: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(ValueError, match=f"^{draw.__name__}: ") as caught:
        draw(*args, **options)
    assert pyplot.get_fignums() == []
    return str(caught.value)


def values(name: str, tried: list[Any], test: list[float]) -> ValidationCurve:
    scores = np.array(test)[:, None]
    return ValidationCurve(name, tried, scores + 0.1, scores)


# -- the learning curve


def test_lines_are_means_and_bands_deviations_of_the_folds() -> None:
    ax = learning_curve(CURVE)
    for which, (label, mean, deviation) in enumerate(
        [("rows fitted", [0.9, 0.8], [0.1, 0.0]), ("rows held out", [0.5, 0.7], [0.1, 0.2])]
    ):
        assert labeled(ax, label).get_xdata().tolist() == [10, 20]
        np.testing.assert_allclose(labeled(ax, label).get_ydata(), mean)
        np.testing.assert_allclose(band(ax, which), 2 * np.sqrt(2) * np.array(deviation), atol=1e-12)
    assert ax.get_legend().get_title().get_text() == "mean ± standard deviation of 2 folds"


def test_the_gap_is_measured_at_the_last_size() -> None:
    ax = learning_curve(CURVE)
    (bracket,) = [line for line in ax.lines if line.get_marker() == "_"]
    np.testing.assert_allclose(sorted(bracket.get_ydata()), [0.7, 0.8])
    assert bracket.get_xdata()[0] > 20
    assert texts(ax) == ["gap 0.100"]


def test_the_words_of_the_gap_stay_on_the_paper() -> None:
    ax: Any = learning_curve(replace(CURVE, test_scores=-1000 * TEST))
    ax.figure.draw_without_rendering()
    assert ax.texts[0].get_window_extent().x1 <= ax.figure.bbox.x1


def test_the_target_is_a_line() -> None:
    line = labeled(learning_curve(CURVE, target=0.75), "target 0.750")
    assert list(line.get_ydata()) == [0.75, 0.75]


def test_a_fold_that_failed_is_left_out() -> None:
    broken = TEST.copy()
    broken[1, 1] = np.nan
    ax = learning_curve(replace(CURVE, test_scores=broken))
    np.testing.assert_allclose(labeled(ax, "rows held out").get_ydata(), [0.5, 0.5])
    np.testing.assert_allclose(band(ax, 1), [0.2 * np.sqrt(2), 0.0], atol=1e-12)
    assert texts(ax) == ["gap 0.300"]


def test_a_size_at_which_all_failed_is_a_hole() -> None:
    broken = TEST.copy()
    broken[1] = np.nan
    ax = learning_curve(replace(CURVE, test_scores=broken))
    np.testing.assert_allclose(labeled(ax, "rows held out").get_ydata(), [0.5, np.nan])
    assert texts(ax) == ["gap 0.400"]


def test_one_fold_has_no_band() -> None:
    ax = learning_curve(replace(CURVE, train_scores=TRAIN[:, :1], test_scores=TEST[:, :1]))
    assert len(ax.collections) == 0
    assert ax.get_legend().get_title().get_text() == ""


def test_a_learning_curve_without_scores() -> None:
    message = refusal(learning_curve, replace(CURVE, test_scores=TEST * np.nan))
    assert message == (
        "learning_curve: test_scores must hold a number at least; all are NaN.\n"
        "hint: error_score='raise' shows why a fit failed."
    )
    assert "needs a result with train_sizes; got 3" in refusal(learning_curve, 3)
    assert "train_sizes must be a list of numbers" in refusal(learning_curve, replace(CURVE, train_sizes=np.array([])))
    assert "a row for each of 3 places" in refusal(learning_curve, replace(CURVE, train_sizes=np.array([1, 2, 3])))
    assert "target must be a number or None; got 'high'" in refusal(learning_curve, CURVE, target="high")


# -- the validation curve


def test_the_best_value_is_marked() -> None:
    ax = validation_curve(values("depth", [1, 2, 3], [0.5, 0.7, 0.6]))
    ring = labeled(ax, "best: 2 (0.700)")
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (2, 0.7)
    assert ax.get_xlabel() == "depth"
    assert ax.get_xscale() == "linear"


def test_values_in_any_order_make_one_line_from_left_to_right() -> None:
    ax = validation_curve(values("depth", [3, 1, 2], [0.6, 0.5, 0.7]))
    assert labeled(ax, "rows held out").get_xdata().tolist() == [1, 2, 3]
    assert labeled(ax, "rows held out").get_ydata().tolist() == [0.5, 0.7, 0.6]
    assert labeled(ax, "best: 2 (0.700)").get_xdata()[0] == 2


@pytest.mark.parametrize(
    ("tried", "scale"),
    [
        ([0.01, 1], "linear"),
        ([0.01, 1.01], "log"),
        ([0, 0.01, 10], "symlog"),
        ([-1, 1000], "linear"),
        ([0, 0], "linear"),
    ],
)
def test_values_far_apart_have_a_logarithmic_axis(tried: list[float], scale: str) -> None:
    assert validation_curve(values("alpha", tried, [0.5] * len(tried))).get_xscale() == scale


@pytest.mark.parametrize("tried", [["linear", "rbf", "poly"], [None, 3, 5], [True, False, None]])
def test_other_values_are_categories(tried: list[Any]) -> None:
    curve = ValidationCurve("kernel", tried, np.c_[TRAIN.T, [0.9, 0.9]].T, np.c_[TEST.T, [0.9, 0.95]].T)
    ax = validation_curve(curve)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [str(value) for value in tried]
    assert labeled(ax, "rows held out").get_linestyle() == "None"
    assert labeled(ax, f"best: {tried[2]} (0.925)").get_xdata()[0] == 2


def test_a_value_that_failed_is_not_the_best() -> None:
    ax = validation_curve(values("depth", [1, 2, 3], [0.5, np.nan, 0.6]))
    assert "best: 3 (0.600)" in legend(ax)


def test_a_validation_curve_without_scores() -> None:
    assert "all are NaN" in refusal(validation_curve, values("depth", [1, 2], [np.nan, np.nan]))
    assert "needs a result with param_range" in refusal(validation_curve, CURVE)


# -- the curve of iterations


def test_both_curves_the_best_and_the_end() -> None:
    ax = staged_curve(Iterations(stopped_at=4), target=0.65)
    assert legend(ax) == ["rows fitted", "rows held out", "best: iteration 2 (0.600)", "stopped at 4", "target 0.650"]
    assert labeled(ax, "rows fitted").get_ydata().tolist() == [0.5, 0.7, 0.8, 0.9]
    assert labeled(ax, "rows held out").get_ydata().tolist() == [0.4, 0.6, 0.5, 0.4]
    ring = labeled(ax, "best: iteration 2 (0.600)")
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (2, 0.6)
    assert list(labeled(ax, "stopped at 4").get_xdata()) == [4, 4]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("iteration", "accuracy")


def test_a_run_to_its_end_did_not_stop() -> None:
    assert not any(word.startswith("stopped") for word in legend(staged_curve(Iterations())))


def test_iterations_need_not_begin_at_one() -> None:
    ax = staged_curve(Iterations(iterations=np.array([10, 20, 30, 40]), best_iteration=20))
    assert labeled(ax, "best: iteration 20 (0.600)").get_ydata()[0] == 0.6


@pytest.mark.parametrize(("last", "scale"), [(0.5, "linear"), (0.001, "log"), (-1.0, "linear")])
def test_costs_far_apart_have_a_logarithmic_axis(last: float, scale: str) -> None:
    assert staged_curve(Iterations(test_scores=np.array([0.9, 0.8, 0.7, last]))).get_yscale() == scale


def test_a_score_that_overflowed_is_a_hole() -> None:
    ax = staged_curve(Iterations(test_scores=np.array([0.4, 0.6, np.inf, np.nan])))
    np.testing.assert_allclose(labeled(ax, "rows held out").get_ydata(), [0.4, 0.6, np.nan, np.nan])


def test_bad_iterations_are_refused() -> None:
    assert "best_iteration must be one of iterations" in refusal(staged_curve, Iterations(best_iteration=7))
    assert "all are NaN" in refusal(staged_curve, Iterations(test_scores=np.full(4, np.nan)))
    assert "a row for each of 4 places; got 2" in refusal(staged_curve, Iterations(train_scores=[0.1, 0.2]))
    assert "needs a result with iterations" in refusal(staged_curve, CURVE)


# -- folds


def shares(ax: Any, fold: int, color: str) -> np.ndarray[Any, Any]:
    """The share of each block of a fold's bar that has a color, read from what is drawn."""
    rgba = matplotlib.colors.to_rgba(color)
    drawn = [patch for patch in ax.patches if hasattr(patch, "get_data") and patch.get_facecolor() == rgba]
    top, _, foot = drawn[fold].get_data()
    return np.asarray((foot - top) / 0.8)


SPLITS: list[Any] = [
    KFold(5),
    KFold(5, shuffle=True, random_state=0),
    StratifiedKFold(5),
    GroupKFold(5),
    TimeSeriesSplit(5),
]


@pytest.mark.parametrize("splitter", SPLITS)
def test_a_row_has_the_color_of_its_use(splitter: Any) -> None:
    n, labels = 60, np.repeat([0, 1, 2], 20)
    groups = np.arange(n) // 4 if isinstance(splitter, GroupKFold) else None
    folds = list(splitter.split(np.zeros((n, 1)), labels, groups))
    ax = fold_diagram(folds, n_rows=n)
    for k, (train, test) in enumerate(folds):
        np.testing.assert_allclose(shares(ax, k, VERMILION), np.isin(np.arange(n), test), atol=1e-12)
        np.testing.assert_allclose(shares(ax, k, LIGHT), np.isin(np.arange(n), train), atol=1e-12)
    assert ("not used" in legend(ax)) == isinstance(splitter, TimeSeriesSplit)


@pytest.mark.parametrize("n_rows", [361, 1000, 100_000])
def test_many_rows_are_drawn_by_blocks(n_rows: int) -> None:
    folds = list(KFold(5, shuffle=True, random_state=0).split(np.zeros(n_rows)))
    ax = fold_diagram(folds)
    sizes = np.diff(next(patch for patch in ax.patches if hasattr(patch, "get_data")).get_data()[1])
    assert sizes.sum() == n_rows
    assert len(sizes) == 360
    for k, (_, test) in enumerate(folds):
        np.testing.assert_allclose(shares(ax, k, VERMILION) @ sizes, len(test))
        np.testing.assert_allclose(shares(ax, k, VERMILION) + shares(ax, k, LIGHT), 1.0)


def test_scores_of_the_folds_and_their_mean() -> None:
    ax = fold_diagram(KFold(3).split(range(6)), scores=[0.5, np.nan, -1.0])
    assert texts(ax) == ["score", "0.500", "failed", f"{MINUS}1.000", f"{MINUS}0.250"]
    heights = [text.xy[1] for text in ax.texts[1:]]
    assert heights == sorted(heights)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["fold 1", "fold 2", "fold 3", "mean"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_folds_without_scores_have_no_mean() -> None:
    ax = fold_diagram(KFold(3).split(range(6)))
    assert texts(ax) == []
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["fold 1", "fold 2", "fold 3"]


def test_the_folds_of_a_validation() -> None:
    X, y = np.arange(12.0)[:, None], np.arange(12.0)
    found = cross_validate(
        LinearRegression(), X, y, cv=3, scoring=["r2", "neg_mean_squared_error"], return_indices=True
    )
    ax = fold_diagram(found)
    assert texts(ax) == ["r2", "1.000", "1.000", "1.000", "1.000"]
    np.testing.assert_array_equal(shares(ax, 1, VERMILION).round(9), (np.arange(12) // 4 == 1) * 1.0)
    assert texts(fold_diagram(found, score="neg_mean_squared_error"))[0] == "neg_mean_squared_error"


def test_masks_are_folds() -> None:
    held = np.array([True, False, False])
    np.testing.assert_allclose(shares(fold_diagram([(~held, held)]), 0, VERMILION), [1, 0, 0])


def test_many_folds_keep_their_words_apart() -> None:
    ax: Any = fold_diagram(KFold(150).split(range(150)), scores=np.full(150, 0.5))
    ax.figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert all(below.y0 + 0.7 * below.height <= above.y0 for below, above in pairwise(boxes))


def test_bad_folds_are_refused() -> None:
    good = [([0, 1], [2]), ([1, 2], [0])]
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    plain = cross_validate(LinearRegression(), X, y, cv=2)
    indexed = cross_validate(LinearRegression(), X, y, cv=2, return_indices=True)
    assert "return_indices=True" in refusal(fold_diagram, plain)
    assert "there is no score 'r2'; there are score" in refusal(fold_diagram, indexed, score="r2")
    assert "needs one fold or more" in refusal(fold_diagram, [])
    assert "folds must be a list of" in refusal(fold_diagram, KFold(2))
    assert "folds must be a list of" in refusal(fold_diagram, [1, 2])
    assert "fold 2 has 1 row in both (1)" in refusal(fold_diagram, [good[0], ([1, 2], [1])])
    assert "fold 1 does not" in refusal(fold_diagram, [([0, 1], [])])
    assert "rows must be whole numbers from 0; fold 1 has [-1]" in refusal(fold_diagram, [([0, 1], [-1])])
    assert "got 1 for 2 folds" in refusal(fold_diagram, good, scores=[0.5])
    assert "all are NaN" in refusal(fold_diagram, good, scores=[np.nan, np.nan])
    assert "n_rows must reach the last row used; got 2, and 3 are used" in refusal(fold_diagram, good, n_rows=2)


# -- models compared


@pytest.fixture(scope="module")
def compared() -> Any:
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 3))
    y = X @ [3.0, 1.0, 0.5] + 0.3 * random.standard_normal(60)
    return compare({"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}, X, y, cv=5)


def test_models_are_listed_best_first_with_what_is_known_of_them(compared: Any) -> None:
    ax = comparison(compared)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == compared.names == ["line", "tree", "baseline"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    verdicts = [text.split("  ") for text in texts(ax)]
    assert [verdict for _, verdict in verdicts] == ["best", "worse", "worse"]
    means = [float(mean.replace(MINUS, "-")) for mean, _ in verdicts]
    np.testing.assert_allclose(means, [compared.scores(name).mean() for name in compared.names], atol=5e-4)


def test_dots_means_and_intervals(compared: Any) -> None:
    ax = comparison(compared)
    dots = [line for line in ax.lines if line.get_label() == "a fold"]
    for name, line, bar in zip(compared.names, dots, ax.containers, strict=True):
        np.testing.assert_allclose(line.get_xdata(), compared.scores(name))
        interval = compared.validations[name].interval()
        ((left, right),) = bar[2][0].get_segments()
        np.testing.assert_allclose(
            [left[0], bar[0].get_xdata()[0], right[0]], [interval.low, interval.mean, interval.high]
        )
    base = labeled(ax, "mean of the baseline")
    np.testing.assert_allclose(base.get_xdata(), compared.scores("baseline").mean())


def test_models_not_shown_to_be_worse_are_filled(compared: Any) -> None:
    unclear = replace(compared.posteriors["tree"], p_first=0.8, p_equivalent=0.1)
    equal = replace(compared, posteriors=compared.posteriors | {"tree": unclear})
    ax = comparison(equal)
    assert [text.split("  ")[1] for text in texts(ax)] == ["best", "not shown to differ", "worse"]
    assert [bar[0].get_markerfacecolor() == bar[0].get_color() for bar in ax.containers] == [True, True, False]


def test_no_line_without_a_baseline() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    ax: Any = comparison(compare({"_only": LogisticRegression()}, X, y, cv=2, baseline=False))
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["a fold", "mean with 95 % interval"]


def test_words_beside_the_models_stay_on_the_paper(compared: Any) -> None:
    ax: Any = comparison(compared)
    ax.figure.draw_without_rendering()
    assert max(text.get_window_extent().x1 for text in ax.texts) <= ax.figure.bbox.x1
    assert ax.figure.legends[0].get_window_extent().x1 <= ax.figure.bbox.x1


def test_a_bad_comparison_is_refused(compared: Any) -> None:
    assert "needs a result with names" in refusal(comparison, CURVE)
    assert "result must hold at least one model" in refusal(comparison, replace(compared, names=[]))


# -- axes


def drawings(compared: Any) -> list[tuple[Any, Any]]:
    return [
        (learning_curve, CURVE),
        (validation_curve, values("depth", [1, 2], [0.5, 0.6])),
        (staged_curve, Iterations()),
        (fold_diagram, [([0, 1], [2])]),
        (comparison, compared),
    ]


def test_a_given_axes_is_used_and_returned_and_pyplot_left_alone(compared: Any) -> None:
    for draw, result in drawings(compared):
        ax = Figure().add_subplot()
        assert draw(result, ax=ax) is ax
        assert ax.get_legend() is not None
    assert pyplot.get_fignums() == []


def test_a_new_figure_each_time_otherwise(compared: Any) -> None:
    figures = {id(draw(result).figure) for draw, result in drawings(compared)}
    assert len(figures) == len(pyplot.get_fignums()) == 5


def test_a_terrible_score_is_left_outside_and_told() -> None:
    scores = np.array([[0.7, 0.72], [0.75, 0.76], [-3000.0, -3100.0]])
    ax = validation_curve(
        ValidationCurve("degree", [1, 2, 3], np.array([[0.74, 0.75], [0.9, 0.9], [1.0, 1.0]]), scores)
    )
    low, high = ax.get_ylim()
    assert -1 < low < 0.71
    assert high > 1
    assert any("down to" in text.get_text() and "3050" in text.get_text() for text in ax.texts)
    assert set(ax.xaxis.get_major_locator()()) <= {0.0, 1.0, 2.0, 3.0, 4.0}  # degrees are whole
