"""What the pictures of raw tables draw is what the tables hold: boxes, fences, curves, maps, colors, and refusals."""

from collections.abc import Iterator
from datetime import date
from importlib import import_module
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

from pellucid.base.errors import DataError, ParameterError
from pellucid.plotting import (
    box_plot,
    correlation_map,
    missing_map,
    pair_plot,
    quartile_bar,
    skew_curves,
)
from pellucid.plotting._density import bandwidth, density, peak

MINUS = "\N{MINUS SIGN}"
NAN = float("nan")
RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(30, 3))
CLASSES = np.array(["a", "b", "c"])[np.arange(30) % 3]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def labeled(ax: Any, label: str) -> Any:
    return next(artist for artist in ax.get_children() if artist.get_label() == label)


def ticks(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def legend(panels: Any) -> list[str]:
    (found,) = panels[0, 0].figure.legends
    return [text.get_text() for text in found.get_texts()]


def remark(panels: Any) -> str:
    return str(panels[0, 0].figure.get_supxlabel())


# -- densities


def test_a_density_has_area_one_and_is_the_mean_of_its_kernels() -> None:
    x = np.array([0.0, 1.0, 1.5, 4.0])
    h = bandwidth(x)
    places, heights = density(x)  # type: ignore[misc]
    assert np.trapezoid(heights, places) == pytest.approx(1.0, abs=0.005)
    k = len(places) // 3
    by_hand = sum(np.exp(-(((places[k] - v) / h) ** 2) / 2) / np.sqrt(2 * np.pi) for v in x) / (4 * h)
    assert heights[k] == pytest.approx(by_hand)


def test_silvermans_rule_takes_the_smaller_spread_and_never_none() -> None:
    far = np.array([0.0, 1.0, 2.0, 3.0, 1000.0])
    assert bandwidth(far) == pytest.approx(0.9 * 2 / 1.34 * 5**-0.2)
    tied = np.array([0.0] * 8 + [1.0])
    assert bandwidth(tied) == pytest.approx(0.9 * np.std(tied, ddof=1) * 9**-0.2)


def test_a_long_column_has_the_density_of_its_distribution() -> None:
    x = np.random.default_rng(3).normal(size=60_000)
    places, heights = density(x)  # type: ignore[misc]
    np.testing.assert_allclose(heights, np.exp(-(places**2) / 2) / np.sqrt(2 * np.pi), atol=0.015)


def test_one_far_value_does_not_hide_the_others() -> None:
    x = np.append(np.random.default_rng(3).normal(size=500), 1e6)
    assert density(x)[1].max() == pytest.approx(0.39, abs=0.06)  # type: ignore[index]
    assert abs(peak(x)) < 0.5


def test_a_constant_has_no_density_and_is_its_own_mode() -> None:
    assert density(np.array([2.0, 2.0])) is None
    assert density(np.array([2.0])) is None
    assert peak(np.array([2.0, 2.0])) == 2.0


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1e9, 1e300])
def test_a_density_does_not_depend_on_the_unit(unit: float) -> None:
    places, heights = density(TABLE[:, 0])  # type: ignore[misc]
    other, scaled = density(TABLE[:, 0] * unit)  # type: ignore[misc]
    np.testing.assert_allclose(other / unit, places)
    np.testing.assert_allclose(scaled * unit, heights, rtol=1e-9, atol=1e-15)


def test_the_peak_is_where_the_slope_is_zero() -> None:
    x = np.array([0.0, 1.0, 1.5, 4.0])
    h, top = bandwidth(x), peak(x)
    slope = np.sum((x - top) / h * np.exp(-(((x - top) / h) ** 2) / 2))
    assert abs(slope) < 1e-3
    assert 0.5 < top < 1.5


# -- the pair plot


def test_the_points_of_a_panel_are_two_columns_of_the_table() -> None:
    panels = pair_plot(TABLE)
    for (i, j), ax in np.ndenumerate(panels):
        if i != j:
            np.testing.assert_array_equal(ax.collections[0].get_offsets(), TABLE[:, [j, i]])
    assert [ax.get_xlabel() for ax in panels[-1]] == ["x1", "x2", "x3"]
    assert [ax.get_ylabel() for ax in panels[:, 0]] == ["x1", "x2", "x3"]


def test_each_class_has_its_points_color_marker_and_density() -> None:
    panels = pair_plot(TABLE, CLASSES)
    groups = panels[1, 0].collections
    assert len(groups) == 3
    for letter, group in zip("abc", groups, strict=True):
        np.testing.assert_array_equal(group.get_offsets(), TABLE[letter == CLASSES][:, [0, 1]])
    colors = [to_hex(group.get_facecolor()[0]) for group in groups]
    lines = panels[0, 0].lines
    assert len(set(colors)) == 3
    assert [to_hex(line.get_color()) for line in lines] == colors
    assert len({line.get_linestyle() for line in lines}) == 3
    assert len({handle.get_marker() for handle in panels[0, 0].figure.legends[0].legend_handles}) == 3
    assert legend(panels) == ["a", "b", "c"]


def test_a_diagonal_curve_is_the_density_of_its_class() -> None:
    panels = pair_plot(TABLE, CLASSES)
    heights = [density(TABLE[letter == CLASSES, 1])[1] for letter in "abc"]  # type: ignore[index]
    highest = max(height.max() for height in heights)
    for line, height in zip(panels[1, 1].lines, heights, strict=True):
        np.testing.assert_allclose(line.get_ydata(), 0.92 * height / highest)


@pytest.mark.parametrize(
    "y", [np.arange(30) % 3, (np.arange(30) % 2 == 0), np.arange(30.0) % 4, [str(k % 5) for k in range(30)]]
)
def test_few_whole_numbers_flags_and_text_are_classes(y: Any) -> None:
    assert legend(pair_plot(TABLE[:, :1], y)) == [
        f"{value:g}" if isinstance(value, float) else str(value) for value in np.unique(np.asarray(y)).tolist()
    ]


def test_other_numbers_are_a_scale_of_colors() -> None:
    y = np.arange(30) / 2
    y[3] = NAN
    panels = pair_plot(TABLE, y)
    unknown, known = panels[1, 0].collections
    assert not panels[0, 0].figure.legends
    np.testing.assert_array_equal(known.get_array(), np.delete(y, 3))
    np.testing.assert_array_equal(unknown.get_offsets(), TABLE[3:4, :2])
    assert known.get_clim() == (0.0, 14.5)
    assert [ax.get_ylabel() for ax in panels[0, 0].figure.axes if ax not in panels.ravel()] == ["y"]


def test_of_many_classes_the_largest_are_told_apart() -> None:
    y = np.array([f"c{k:02d}" for k in range(40) for _ in range(40 - k)])
    panels = pair_plot(np.random.default_rng(0).normal(size=(len(y), 2)), y)
    assert legend(panels) == [f"c{k:02d}" for k in range(9)] + ["31 other classes"]
    counts = [len(group.get_offsets()) for group in panels[0, 1].collections]
    assert counts == [*range(40, 31, -1), sum(range(1, 32))]
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in panels[0, 0].lines}
    assert len(looks) == 10


def test_rows_without_a_class_are_points_without_a_density() -> None:
    y = CLASSES.astype(object)
    y[:2] = None
    panels = pair_plot(TABLE, y)
    assert legend(panels)[-1] == "(missing)"
    np.testing.assert_array_equal(panels[1, 0].collections[-1].get_offsets(), TABLE[:2, :2])
    assert len(panels[0, 0].lines) == 3


def test_a_class_of_one_row_is_a_line_on_the_diagonal() -> None:
    y = np.array(["many"] * 29 + ["one"])
    line = pair_plot(TABLE, y)[2, 2].lines[1]
    np.testing.assert_array_equal(line.get_xdata(), [TABLE[-1, 2]] * 2)


def test_one_class_and_one_row() -> None:
    assert legend(pair_plot(TABLE, ["same"] * 30)) == ["same"]
    panels = pair_plot([[1.0, 5.0]])
    np.testing.assert_array_equal(panels[0, 1].collections[0].get_offsets(), [[5, 1]])


def test_columns_are_chosen_by_name_or_place_and_cut_otherwise() -> None:
    pandas = import_module("pandas")
    frame = pandas.DataFrame(RNG.normal(size=(9, 4)), columns=list("abcd"))
    panels = pair_plot(frame, max_columns=2)
    assert panels.shape == (2, 2)
    assert remark(panels) == "drawn: the first 2 of 4 columns of numbers; columns=[...] chooses"
    assert [ax.get_xlabel() for ax in pair_plot(frame, columns=["d", 0])[-1]] == ["d", "a"]
    assert pair_plot(frame, columns=0).shape == (1, 1)
    assert pair_plot(frame, columns=list("abc"), max_columns=2).shape == (3, 3)


def test_six_columns_are_drawn_unless_told() -> None:
    assert pair_plot(RNG.normal(size=(5, 7))).shape == (6, 6)


def test_of_many_rows_some_are_points_and_all_are_in_the_density() -> None:
    X = np.random.default_rng(1).normal(size=(5_000, 2))
    panels = pair_plot(X, max_rows=100)
    assert len(panels[0, 1].collections[0].get_offsets()) == 100
    np.testing.assert_allclose(panels[0, 0].lines[0].get_xdata(), density(X[:, 0])[0])  # type: ignore[index]
    assert remark(panels) == "points: 100 of 5,000 rows; densities: all rows"


def test_columns_that_cannot_be_drawn_are_named() -> None:
    pandas = import_module("pandas")
    frame = pandas.DataFrame({"n": [1.0, 2, 4], "word": list("xyz"), "day": [date(2024, 1, 1)] * 3, "gone": [NAN] * 3})
    panels = pair_plot(frame)
    assert panels.shape == (1, 1)
    assert remark(panels) == "left out (no numbers): word, day\nleft out (no values): gone"


def test_a_constant_column_has_room_on_its_axis() -> None:
    panels = pair_plot(np.c_[TABLE[:, 0], np.full(30, 7.0)])
    low, high = panels[0, 1].get_xlim()
    assert low < 7 < high


# -- box plots


def test_the_box_whiskers_fences_and_outliers() -> None:
    ax = box_plot([1, 2, 3, 4, 100])
    (box,) = ax.patches
    heights = box.get_path().vertices[:, 1]
    assert (heights.min(), heights.max()) == (2.0, 4.0)
    np.testing.assert_array_equal(labeled(ax, "median").get_ydata(), [3, 3])
    fences = labeled(ax, "fence, 1.5 IQR from the box").get_segments()
    assert [segment[0, 1] for segment in fences] == [-1.0, 7.0]
    np.testing.assert_array_equal(labeled(ax, "outside the fences").get_ydata(), [100])
    whiskers = sorted(float(end) for line in ax.lines for end in line.get_ydata() if len(line.get_ydata()) == 2)
    assert (whiskers[0], whiskers[-1]) == (1.0, 4.0)


def test_a_whisker_never_ends_inside_the_box() -> None:
    ax = box_plot([-100, 1, 1, 1])
    ends = [float(end) for line in ax.lines if len(line.get_ydata()) == 2 for end in line.get_ydata()]
    assert min(ends) == -24.25  # Q1, as no value lies between the fence and it


def test_the_rule_for_quartiles_can_be_chosen() -> None:
    (box,) = box_plot([1, 2, 3, 4, 5, 6, 7], method="halves").patches
    heights = box.get_path().vertices[:, 1]
    assert (heights.min(), heights.max()) == (2.0, 6.0)


def test_one_box_a_column_with_its_counts() -> None:
    pandas = import_module("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, 3, NAN], "$b_": [1, 1, 1, 90], "word": list("wxyz"), "gone": [None] * 4})
    ax = box_plot(frame)
    assert len(ax.patches) == 2
    assert ticks(ax.xaxis) == ["a\nn = 3", r"\$b_" + "\nn = 4\n1 outside"]
    assert ax.get_xlabel() == "left out (no numbers): word\nleft out (no values): gone"


def test_one_box_a_class_of_one_column() -> None:
    ax = box_plot(TABLE, CLASSES, columns=1)
    medians = [line.get_ydata()[0] for line in ax.lines if to_hex(line.get_color()) == "#333333"]
    np.testing.assert_allclose(medians, [np.median(TABLE[letter == CLASSES, 1]) for letter in "abc"])
    assert [text.split("\n")[0] for text in ticks(ax.xaxis)] == ["a", "b", "c"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("y", "x2")


def test_ordered_classes_keep_their_order() -> None:
    pandas = import_module("pandas")
    sizes = pandas.Series(pandas.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True), name="size")
    ax = box_plot([1, 3, 2], sizes)
    assert [text.split("\n")[0] for text in ticks(ax.xaxis)] == ["low", "mid", "high"]
    assert ax.get_xlabel() == "size"


def test_forty_classes_have_forty_boxes() -> None:
    ax = box_plot(np.arange(80.0), np.arange(80) % 40)
    assert len(ax.patches) == 40
    assert ticks(ax.xaxis) == [str(k) for k in range(40)]


def test_scaled_boxes_are_in_deviations_of_the_whole_column() -> None:
    ax = box_plot([1.0, 2, 3, 101, 102, 103], list("aaabbb"), scaled=True)
    whole = np.std([1, 2, 3, 101, 102, 103], ddof=1)
    medians = [line.get_ydata()[0] for line in ax.lines if to_hex(line.get_color()) == "#333333"]
    np.testing.assert_allclose(medians, [-50 / whole, 50 / whole])
    assert ax.get_ylabel() == "x: standard deviations from the mean"


def test_flat_boxes_are_advised_about() -> None:
    X = np.c_[np.arange(9.0), 1000 * np.arange(9.0)]
    assert "scaled=True" in box_plot(X).get_xlabel()
    assert box_plot(X, scaled=True).get_xlabel() == ""


# -- the quartile bar


def test_the_bar_is_cut_at_the_five_numbers() -> None:
    ax = quartile_bar([1, 2, 3, 4, 10])
    assert [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches] == [(1, 2), (2, 3), (3, 4), (4, 10)]
    assert words(ax) == ["25 %"] * 4 + ["min\n1.00", "Q1\n2.00", "median\n3.00", "Q3\n4.00", "max\n10.00"]
    assert [text.xy[0] for text in ax.texts] == [1.5, 2.5, 3.5, 7.0, 1, 2, 3, 4, 10]


@pytest.mark.parametrize("x", [[0, 7.9, 14.5, 31, 512], [5.0], [0, 0, 0, 0, 0, 1], [-1e9, 0.1, 0.2, 0.3, 1], [3, 3, 3]])
def test_the_words_of_the_bar_do_not_meet_and_stay_on_the_paper(x: Any) -> None:
    ax = quartile_bar(x)
    ax.figure.canvas.draw()
    paper = ax.figure.bbox
    for row in (ax.texts[:4], ax.texts[4:]):
        boxes = [matplotlib.text.Text.get_window_extent(text) for text in row]
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
        assert all(paper.x0 <= box.x0 and box.x1 <= paper.x1 for box in boxes)


def test_missing_values_of_the_bar_are_counted() -> None:
    pandas = import_module("pandas")
    ax = quartile_bar(pandas.Series([1.0, NAN, 3.0], name="age in $"))
    assert ax.get_xlabel() == r"age in \$" + "\n1 missing value left out"


# -- skew


def test_the_textbooks_curves_have_their_marks_in_order() -> None:
    ax = skew_curves()
    where = {(line.get_label(), round(line.get_xdata()[0] // 5.7)): line.get_xdata()[0] for line in ax.lines}
    assert where["mean", 0] < where["median", 0] < where["mode", 0]
    assert where["mode", 2] < where["median", 2] < where["mean", 2]
    assert where["mean = median = mode", 1] == pytest.approx(5.7 + 2.5)
    curves = [line for line in ax.lines if len(line.get_xdata()) > 2]
    for curve, place in zip(curves, [where["mode", 0], 8.2, where["mode", 2]], strict=True):
        assert curve.get_xdata()[np.argmax(curve.get_ydata())] == pytest.approx(place, abs=0.02)
    right = curves[2].get_xdata() - 2 * 5.7
    mass = curves[2].get_ydata() / curves[2].get_ydata().sum()
    assert right[np.searchsorted(np.cumsum(mass), 0.5)] == pytest.approx(1.0, abs=0.05)
    assert ticks(ax.xaxis)[0] == "left-skewed\nmean < median < mode"


def test_the_marks_of_a_column_are_its_mean_median_and_mode() -> None:
    x = np.array([1.0, 2, 2, 2, 3, 3, 4, 5, 9])
    ax = skew_curves(x)
    assert labeled(ax, "mean").get_xdata()[0] == pytest.approx(x.mean())
    assert labeled(ax, "median").get_xdata()[0] == 3.0
    curve = ax.lines[0]
    top = curve.get_xdata()[np.argmax(curve.get_ydata())]
    assert labeled(ax, "mode").get_xdata()[0] == pytest.approx(top, abs=0.05)
    assert ax.get_title().startswith("right-skewed: mode ")


@pytest.mark.parametrize(
    ("x", "verdict"),
    [
        (np.random.default_rng(0).gamma(2, size=2000), "right-skewed"),
        (-np.random.default_rng(0).gamma(2, size=2000), "left-skewed"),
        (np.linspace(-3, 3, 101), "about symmetric"),
        (np.r_[np.zeros(39), 0.1, np.linspace(6, 14, 60)], "no clear skew"),
        ([3, 3], "no skew"),
        ([7], "no skew"),
    ],
)
def test_the_verdict_goes_by_the_order(x: Any, verdict: str) -> None:
    assert skew_curves(x).get_title().split(":")[0] == verdict


@pytest.mark.parametrize("sign", [1, -1])
def test_the_words_of_the_marks_stay_on_the_paper(sign: int) -> None:
    ax = skew_curves(sign * np.random.default_rng(0).lognormal(sigma=1.5, size=500))
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert all(ax.figure.bbox.x0 <= box.x0 and box.x1 <= ax.figure.bbox.x1 for box in boxes)
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


# -- missing cells


def test_missing_cells_are_dark_and_shares_are_written() -> None:
    ax = missing_map([[1, None], [2, 5], [NAN, None]])
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), [[0, 1], [0, 0], [1, 1]])
    assert sum(to_rgba(image.cmap(1.0))[:3]) < 1 < 2.5 < sum(to_rgba(image.cmap(0.0))[:3])
    assert words(ax) == ["33 %", "67 %"]


def test_any_kind_of_column_has_gaps() -> None:
    pandas = import_module("pandas")
    frame = pandas.DataFrame(
        {
            "word": ["x", None],
            "day": pandas.to_datetime(["2024-01-01", None]),
            "whole": pandas.array([1, None], dtype="Int64"),
            "kind": pandas.Categorical(["a", None]),
            "far": [np.inf, NAN],
            "": ["", "full"],
        }
    )
    ax = missing_map(frame)
    assert words(ax) == ["50 %"] * 5 + ["0 %"]
    assert ticks(ax.xaxis) == ["word", "day", "whole", "kind", "far", ""]


def test_many_rows_come_in_bands_and_one_gap_is_seen() -> None:
    X = np.ones((10_000, 2))
    X[4_321, 0] = X[:20, 1] = NAN
    ax = missing_map(X)
    shades = ax.images[0].get_array()
    assert shades.shape == (250, 2)
    assert shades[4_321 // 40, 0] == pytest.approx(0.25 + 0.75 / 40)
    assert shades[0, 1] == pytest.approx(0.25 + 0.75 / 2)
    assert np.count_nonzero(shades) == 2
    assert words(ax) == ["<1 %", "<1 %"]
    assert ax.get_ylabel() == "row\n(bands of 40 rows; darker: more missing)"
    assert ax.get_ylim() == (9_999.5, -0.5)


def test_the_last_band_may_be_shorter() -> None:
    X = np.ones((251, 1))
    X[250] = NAN
    assert missing_map(X).images[0].get_array()[-1] == 1.0


def test_nothing_missing_and_everything_missing() -> None:
    assert missing_map([[1, 2]]).get_title() == "no cell is missing"
    assert missing_map([[None, None]]).get_title() == "2 of 2 cells are missing (100 %)"


def test_the_title_is_above_the_shares() -> None:
    for n_columns in (3, 40):
        ax = missing_map(np.full((4, n_columns), NAN))
        ax.figure.canvas.draw()
        shares = max(text.get_window_extent().y1 for text in ax.texts)
        assert shares <= ax.title.get_window_extent().y0


# -- correlations


def test_the_cells_are_pearsons_r() -> None:
    ax = correlation_map(TABLE)
    r = np.corrcoef(TABLE.T)
    np.testing.assert_allclose(ax.images[0].get_array(), r)
    assert words(ax) == [f"{value:.2f}".replace("-", MINUS).replace(f"{MINUS}0.00", "0.00") for value in r.ravel()]
    assert ax.images[0].get_clim() == (-1, 1)


def test_missing_values_are_left_out_pair_by_pair() -> None:
    X = TABLE.copy()
    X[:5, 0] = X[10:14, 1] = NAN
    r = correlation_map(X).images[0].get_array()
    both = ~np.isnan(X[:, :2]).any(axis=1)
    assert r[0, 1] == pytest.approx(np.corrcoef(X[both, 0], X[both, 1])[0, 1])
    assert r[1, 2] == pytest.approx(np.corrcoef(np.delete(X[:, 1:].T, range(10, 14), axis=1))[0, 1])


def test_constant_and_empty_columns_are_blank_and_named() -> None:
    pandas = import_module("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, 4], "same_$": 3, "gone": NAN, "b": [3.0, 1, 2], "word": list("xyz")})
    ax = correlation_map(frame)
    blank = ax.images[0].get_array().mask
    assert blank[1:3].all()
    assert blank[:, 1:3].all()
    assert not blank[np.ix_([0, 3], [0, 3])].any()
    assert len(ax.texts) == 4
    assert ax.get_xlabel() == "left out (no numbers): word\nblank (constant): same_\\$\nblank (no values): gone"


def test_numbers_in_cells_up_to_twelve_columns() -> None:
    assert len(correlation_map(RNG.normal(size=(20, 12))).texts) == 144
    assert len(correlation_map(RNG.normal(size=(20, 13))).texts) == 0


def test_the_colors_are_centered_and_the_text_stands_out() -> None:
    ax = correlation_map([[1, 3, 1], [2, 2, 5], [3, 1, 1]])
    image = ax.images[0]
    middle = np.array(image.cmap(image.norm(0.0))[:3])
    assert np.ptp(middle) < 0.02
    assert middle.min() > 0.95
    low, high = image.cmap(0.0), image.cmap(1.0)
    assert (low[2] > low[0], high[0] > high[2]) == (True, True)
    colors = {text.get_text(): to_hex(text.get_color()) for text in ax.texts}
    assert colors == {"1.00": "#000000", f"{MINUS}1.00": "#ffffff", "0.00": "#000000"}


def test_small_differences_of_large_numbers_are_seen() -> None:
    x = 1.7e9 + np.array([0.0, 10, 20, 60, 200])
    assert words(quartile_bar(x))[4:6] == ["min\n1,700,000,000", "Q1\n1,700,000,010"]
    assert skew_curves(x).get_title().startswith("right-skewed:\nmode 1,700,000,0")
    ax = pair_plot(np.c_[x, x * 1e-9])[1, 0]
    ax.figure.canvas.draw()
    assert len(set(ticks(ax.xaxis))) == len(ticks(ax.xaxis))
    assert len(set(ticks(ax.yaxis))) == len(ticks(ax.yaxis))


def test_large_numbers_are_written_at_their_ticks() -> None:
    ax = pair_plot(TABLE * 1e9)[2, 0]
    ax.figure.canvas.draw()
    assert ax.xaxis.get_offset_text().get_text() == ""
    assert any(text.endswith("e9") for text in ticks(ax.xaxis))


def test_long_names_stay_different() -> None:
    y = [f"a really long class name {k % 3} of the table" for k in range(30)]
    assert len(set(legend(pair_plot(TABLE[:, :1], y)))) == 3


# -- every picture

ONE_AXES = [
    lambda X, **at: box_plot(X, **at),
    lambda X, **at: quartile_bar(X[:, 0], **at),
    lambda X, **at: skew_curves(X[:, 0], **at),
    lambda X, **at: skew_curves(**at),
    lambda X, **at: missing_map(X, **at),
    lambda X, **at: correlation_map(X, **at),
]
WHOLE = [box_plot, pair_plot, missing_map, correlation_map]
NUMBERS = [box_plot, pair_plot, correlation_map, quartile_bar, skew_curves]
ALL = [*WHOLE, quartile_bar, skew_curves]


@pytest.mark.parametrize("draw", ONE_AXES)
def test_a_given_axes_is_used_and_returned_and_pyplot_left_alone(draw: Any) -> None:
    ax = Figure().add_subplot()
    assert draw(TABLE, ax=ax) is ax
    assert not pyplot.get_fignums()


@pytest.mark.parametrize("draw", WHOLE)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_any_library_have_their_names(draw: Any, library: str) -> None:
    module = import_module(library)
    columns = {"one $": [1.0, 2.0, 4.0], "_two": [3, 1, None]}
    ax = np.ravel(draw(module.table(columns) if library == "pyarrow" else module.DataFrame(columns)))[-1]
    ax.figure.canvas.draw()
    found = [*ticks(ax.xaxis), *(panel.get_xlabel() for panel in ax.figure.axes)]
    assert [name for name in (r"one \$", "_two") if any(name in text for text in found)] == [r"one \$", "_two"]


@pytest.mark.parametrize("draw", [quartile_bar, skew_curves, box_plot])
@pytest.mark.parametrize("kind", ["list", "array", "pandas", "polars", "pyarrow"])
def test_one_column_may_come_in_any_form(draw: Any, kind: str) -> None:
    values = [1.0, 2.0, None, 4.0, 9.0]
    if kind == "list":
        column: Any = values
    elif kind == "array":
        column = np.array(values, dtype=object)
    elif kind == "pyarrow":
        column = import_module("pyarrow").chunked_array([values])
    else:
        column = import_module(kind).Series(values)
    ax = draw(column)
    assert any(text.startswith("x") for text in (ax.get_xlabel(), ax.get_ylabel()))


@pytest.mark.parametrize("draw", WHOLE)
def test_the_input_is_left_as_it_was(draw: Any) -> None:
    X = TABLE.copy()
    X[0, 0] = NAN
    before = X.copy()
    draw(X)
    np.testing.assert_array_equal(X, before)


def test_numbers_beside_text_in_lists_stay_numbers() -> None:
    ax = box_plot([[1, "a"], [2, "b"], [3, "c"]])
    assert (len(ax.patches), ax.get_xlabel()) == (1, "left out (no numbers): x2")


# -- refusals


@pytest.mark.parametrize("draw", ALL)
def test_no_rows(draw: Any) -> None:
    with pytest.raises(DataError, match=f"^{draw.__name__}: X must have rows"):
        draw(np.empty((0, 1)))
    with pytest.raises(DataError, match=f"^{draw.__name__}: X must have rows"):
        draw([])


@pytest.mark.parametrize("draw", [box_plot, pair_plot, quartile_bar, skew_curves])
def test_nothing_but_missing_values(draw: Any) -> None:
    with pytest.raises(DataError, match=rf"^{draw.__name__}: [Xx] must have values; all"):
        draw([[None], [None]])


@pytest.mark.parametrize("draw", NUMBERS)
def test_nothing_but_text(draw: Any) -> None:
    with pytest.raises(DataError, match=rf"^{draw.__name__}: X must have a column of numbers; found only 'x'\."):
        draw([["a"], ["b"]])


@pytest.mark.parametrize("draw", NUMBERS)
def test_infinite_values_name_their_rows(draw: Any) -> None:
    match = rf"^{draw.__name__}: .*column 'x' has 2 infinite values \(rows 1, 3\)\.\nhint: put NaN"
    with pytest.raises(DataError, match=match):
        draw([[1.0], [np.inf], [2.0], [-np.inf]])
    with pytest.raises(DataError, match="1 infinite value"):
        draw([[1], [10**400]])


@pytest.mark.parametrize("draw", [box_plot, pair_plot, correlation_map])
def test_columns_that_are_not_there_or_hold_no_numbers(draw: Any) -> None:
    pandas = import_module("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2], "word": ["x", "y"]})
    with pytest.raises(ParameterError, match=r"names or positions of columns of X \(a, word\); got 'b'"):
        draw(frame, columns=["b"])
    with pytest.raises(ParameterError, match="got 2"):
        draw(frame, columns=[2])
    with pytest.raises(ParameterError, match="at least one"):
        draw(frame, columns=[])
    with pytest.raises(DataError, match="columns must hold numbers; 'word'"):
        draw(frame, columns=["word"])


@pytest.mark.parametrize("draw", [box_plot, pair_plot])
def test_y_must_be_one_column_of_as_many_rows(draw: Any) -> None:
    with pytest.raises(DataError, match="X has 30 rows, and y has 2 rows"):
        draw(TABLE[:, :1], ["a", "b"])
    with pytest.raises(DataError, match="y has 3 columns"):
        draw(TABLE[:, :1], TABLE)
    with pytest.raises(DataError, match=f"^{draw.__name__}: y must be an array, a list, or a column of a frame; got d"):
        draw(TABLE[:, :1], {"a": 1})
    with pytest.raises(DataError, match=f"^{draw.__name__}: y must have rows"):
        draw(TABLE[:, :1], [])


def test_boxes_by_class_need_one_column_and_classes() -> None:
    with pytest.raises(DataError, match=r"one column of numbers where y is given; got 3 .*\nhint: columns='x1'"):
        box_plot(TABLE, CLASSES)
    with pytest.raises(DataError, match="y must hold classes"):
        box_plot(TABLE[:, 0], TABLE[:, 1])
    with pytest.raises(ParameterError, match="draws at most 60 boxes; got 61"):
        box_plot(np.ones((2, 61)))


def test_one_column_means_one() -> None:
    with pytest.raises(DataError, match=r"quartile_bar: x must be one column; got 3 \(x1, x2, x3\)"):
        quartile_bar(TABLE)


def test_correlation_needs_two_rows_and_not_too_many_columns() -> None:
    with pytest.raises(DataError, match="at least two rows"):
        correlation_map([[1.0, 2.0]])
    with pytest.raises(ParameterError, match="at most 200 columns; got 201"):
        correlation_map(np.ones((3, 201)))


@pytest.mark.parametrize("wrong", [{"max_columns": 0}, {"max_rows": 0}, {"max_columns": 2.5}])
def test_limits_are_whole_numbers(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="must be a whole number above 0"):
        pair_plot(TABLE, **wrong)
