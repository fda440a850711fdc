"""What the plots of scores draw is what the metrics say: cells, curves, areas, bins, words, and refusals."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from pellucid.plotting import calibration_curve, confusion_matrix, precision_recall_curve, roc_curve
from pellucid.plotting._style import BLUE, VERMILION

# Three of the four pairs of a positive and a negative row are in the right order: the area is 3/4. From the highest
# score down the rows are +, -, +, -: precision is 1 at recall 1/2 and 2/3 at recall 1, their mean 5/6.
TRUE = [0, 1, 0, 1]
SCORE = [0.1, 0.4, 0.6, 0.8]
COLUMNS = np.array(
    [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
)
THREE = ["a", "b", "c", "a", "b", "c"]
CURVES: list[Any] = [roc_curve, precision_recall_curve, calibration_curve]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def labeled(ax: Any, label: str) -> Any:
    return next(artist for artist in ax.get_children() if artist.get_label() == label)


def points(line: Any) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)]


def cells(ax: Any) -> list[str]:
    return [text.get_text().replace("\n", " ") for text in ax.texts]


def refusal(draw: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(ValueError, match=f"^{draw.__name__}: ") as caught:
        draw(*args, **options)
    assert pyplot.get_fignums() == []
    return str(caught.value)


# -- the confusion matrix


def test_cells_say_counts_and_shares_of_the_row() -> None:
    ax = confusion_matrix(["a"] * 4 + ["b"], ["a", "a", "a", "b", "b"])
    assert cells(ax) == ["3 75 %", "1 25 %", "0", "1 100 %"]
    assert ax.get_title() == "4 of 5 right (80 %)\nshares of each true class"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")


def test_rows_are_true_and_columns_predicted() -> None:
    ax = confusion_matrix(["a", "a"], ["b", "b"])
    where = {text.get_position(): text.get_text() for text in ax.texts}
    assert where == {(0, 0): "0", (1, 0): "2\n100 %", (0, 1): "0", (1, 1): "0"}


def test_right_cells_are_blue_and_errors_orange() -> None:
    ax = confusion_matrix([0, 0, 1, 1], [0, 0, 0, 0])
    tints = ax.images[0].get_array()
    np.testing.assert_allclose(tints[0, 0], to_rgb(BLUE))
    np.testing.assert_allclose(tints[1, 0], to_rgb(VERMILION))
    np.testing.assert_allclose(tints[[0, 1], [1, 1]], 1.0)


def test_text_stands_out_from_its_cell() -> None:
    ax = confusion_matrix([0] * 10 + [1] * 10, [0] * 10 + [0] * 1 + [1] * 9)
    colors = [text.get_color() for text in ax.texts]
    assert colors[0] == colors[3] == "white"
    assert "white" not in colors[1:3]


@pytest.mark.parametrize(
    ("normalize", "wanted", "words"),
    [
        ("true", ["75 %", "25 %", "0 %", "100 %"], "shares of each true class"),
        ("pred", ["100 %", "50 %", "0 %", "50 %"], "shares of each predicted class"),
        ("all", ["60 %", "20 %", "0 %", "20 %"], "shares of all rows"),
    ],
)
def test_shares_alone(normalize: Any, wanted: list[str], words: str) -> None:
    ax = confusion_matrix(["a"] * 4 + ["b"], ["a", "a", "a", "b", "b"], normalize=normalize)
    assert cells(ax) == wanted
    assert ax.get_title().endswith(words)


def test_the_order_of_labels_is_the_callers() -> None:
    ax = confusion_matrix(["a", "b", "c"], ["a", "b", "b"], labels=["c", "b"])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["c", "b"]
    assert cells(ax) == ["0", "1 100 %", "0", "1 100 %"]


def test_counts_as_weights() -> None:
    ax = confusion_matrix([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[50.5, 10, 5, 100])
    assert cells(ax)[0].startswith("50.50")
    assert ax.get_title().startswith("150.50 of 165.50 right (91 %)")


def test_hardly_any_is_not_none() -> None:
    ax = confusion_matrix([0] * 1000 + [1], [0] * 999 + [1, 1])
    assert cells(ax)[:2] == ["999 >99 %", "1 <1 %"]


@pytest.mark.parametrize(("n_classes", "n_texts"), [(10, 100), (21, 0), (150, 0)])
def test_many_classes_have_no_numbers(n_classes: int, n_texts: int) -> None:
    labels = np.arange(n_classes)
    assert len(confusion_matrix(labels, labels).texts) == n_texts


def test_numbers_too_small_to_read_are_left_out() -> None:
    ax = Figure(figsize=(1.5, 1.5)).add_subplot()
    confusion_matrix(np.arange(12), np.arange(12), ax=ax)
    assert len(ax.texts) == 0


@pytest.mark.parametrize("n_classes", [2, 6, 9, 20])
def test_numbers_stay_in_their_cells(n_classes: int) -> None:
    names = np.array([f"a rather long name of class {k}" for k in range(n_classes)])
    true = np.repeat(np.arange(n_classes), 120)
    predicted = np.where(np.arange(len(true)) % 120 < 100, true, 0)
    ax: Any = confusion_matrix(names[true], names[predicted])
    ax.figure.draw_without_rendering()
    assert len(ax.texts) == n_classes**2
    width = ax.get_window_extent().width / n_classes
    assert max(text.get_window_extent().width for text in ax.texts) <= width
    assert max(text.get_window_extent().height for text in ax.texts) <= width


def test_long_names_keep_their_ends() -> None:
    ax = confusion_matrix(["class of the first kind", "class of the second kind"] * 2, ["class of the first kind"] * 4)
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert len(set(names)) == 2
    assert max(map(len, names)) == 20


def test_a_matrix_of_one_class() -> None:
    message = refusal(confusion_matrix, ["a", "a"], ["a", "a"])
    assert message == ("confusion_matrix: needs two classes or more; got ['a'].\nhint: name all classes with labels.")


def test_no_row_among_the_labels() -> None:
    assert "among labels; none has" in refusal(confusion_matrix, ["a", "b"], ["b", "b"], labels=["a", "c"])


def test_labels_of_two_kinds() -> None:
    assert refusal(confusion_matrix, ["a", "b"], [0, 1]).endswith("labels must be of one kind; got int and str.")


def test_predictions_of_another_length() -> None:
    assert "length" in refusal(confusion_matrix, [0, 1, 1], [0, 1])


def test_probabilities_are_no_labels() -> None:
    assert "y_pred must hold labels of classes" in refusal(confusion_matrix, [0, 1], [0.2, 0.7])


def test_a_missing_label_is_found() -> None:
    message = refusal(confusion_matrix, ["a", None, "b"], ["a", "a", "b"])
    assert message == "confusion_matrix: y_true must have no missing labels; got them in row 1."


# -- ROC


def test_the_roc_curve_and_its_area() -> None:
    ax = roc_curve(TRUE, SCORE)
    assert points(labeled(ax, "AUC 0.750")) == [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    assert points(labeled(ax, "chance")) == [(0, 0), (1, 1)]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")


@pytest.mark.parametrize(("threshold", "where"), [(0.5, (0.5, 0.5)), (0.6, (0.5, 0.5)), (0.9, (0, 0)), (0.0, (1, 1))])
def test_the_point_of_a_threshold(threshold: float, where: tuple[float, float]) -> None:
    ax = roc_curve(TRUE, SCORE, threshold=threshold)
    (ring,) = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    assert points(ring) == [where]
    assert legend(ax)[-1] == f"threshold {threshold:g}"


def test_weights_count_as_repetitions() -> None:
    twice = roc_curve([*TRUE, 1], [*SCORE, 0.4])
    weighted = roc_curve(TRUE, SCORE, sample_weight=[1, 2, 1, 1])
    assert legend(twice) == legend(weighted)
    np.testing.assert_allclose(points(weighted.lines[0]), points(twice.lines[0]))


def test_models_by_name() -> None:
    ax = roc_curve(TRUE, {"good": SCORE, "bad": [-s for s in SCORE]})
    assert legend(ax) == ["good: 0.750", "bad: 0.250", "chance"]
    assert ax.get_legend().get_title().get_text() == "AUC"
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 3


def test_one_line_a_class() -> None:
    ax = roc_curve(THREE, COLUMNS)
    # against the rest: a scores 0.8, 0.6 over 0.1, 0.3, 0.2, 0.1; b 0.8, 0.5 over all; c 0.4, 0.8 over all
    assert legend(ax) == ["a: 1.000", "b: 1.000", "c: 1.000", "chance"]
    shuffled = roc_curve(THREE, COLUMNS[:, [2, 0, 1]], labels=["c", "a", "b"])
    assert legend(shuffled) == ["c: 1.000", "a: 1.000", "b: 1.000", "chance"]


def test_one_class_of_several() -> None:
    ax = roc_curve(THREE, COLUMNS[:, 0], pos_label="b")
    # column of a, for b: positives 0.1, 0.2; negatives 0.8, 0.3, 0.6, 0.1: of 8 pairs one and a half are in order
    assert legend(ax) == ["AUC 0.188", "chance"]
    assert legend(roc_curve(THREE, COLUMNS, pos_label="b")) == ["AUC 1.000", "chance"]


def test_of_two_columns_the_second() -> None:
    both = np.c_[1 - np.array(SCORE), SCORE]
    assert legend(roc_curve(["n", "p", "n", "p"], both)) == ["AUC 0.750", "chance"]
    assert legend(roc_curve(["n", "p", "n", "p"], both, pos_label="n")) == ["AUC 0.750", "chance"]


def test_nearly_perfect_is_not_perfect() -> None:
    true, score = np.r_[np.zeros(100), np.ones(100)], np.arange(200.0)
    score[[99, 100]] = score[[100, 99]]
    assert legend(roc_curve(true, score))[0] == "AUC >0.999"


# -- precision and recall


def test_the_area_under_the_steps_is_the_average_precision() -> None:
    ax = precision_recall_curve(TRUE, SCORE)
    line = labeled(ax, "average precision 0.833")
    assert line.get_drawstyle() == "steps-post"
    recall, precision = line.get_data()
    np.testing.assert_allclose(-np.sum(np.diff(recall) * precision[:-1]), 5 / 6)
    np.testing.assert_allclose(labeled(ax, "no skill: 0.500").get_ydata(), [0.5, 0.5])


@pytest.mark.parametrize(("threshold", "where"), [(0.5, (0.5, 0.5)), (0.3, (1, 2 / 3)), (0.9, (0, 1))])
def test_recall_and_precision_at_a_threshold(threshold: float, where: tuple[float, float]) -> None:
    ax = precision_recall_curve(TRUE, SCORE, threshold=threshold)
    (ring,) = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    np.testing.assert_allclose(points(ring), [where])


def test_no_skill_of_each_class() -> None:
    ax = precision_recall_curve([*THREE, "a", "a"], np.r_[COLUMNS, COLUMNS[:1], COLUMNS[:1]])
    flat = [line.get_ydata()[0] for line in ax.lines if line.get_alpha() == 0.5]
    np.testing.assert_allclose(flat, [4 / 8, 2 / 8, 2 / 8])
    assert legend(ax)[-1] == "no skill: share of the class"


# -- calibration


def test_a_point_is_a_bin() -> None:
    ax = calibration_curve([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], n_bins=2)
    # 0.1, 0.2, 0.3 hold one positive of three; 0.6, 0.7, 0.8 two; squares 0.01 + 0.04 + 0.49 + 0.36 + 0.09 + 0.04
    line = labeled(ax, "Brier score 0.172")
    np.testing.assert_allclose(points(line), [(0.2, 1 / 3), (0.7, 2 / 3)])
    assert line.get_marker() == "o"
    assert points(labeled(ax, "perfectly calibrated")) == [(0, 0), (1, 1)]


def test_the_strip_counts_predictions() -> None:
    ax = calibration_curve([0, 1, 1, 0], [0.51, 0.52, 0.53, 0.98])
    (strip,) = [patch for patch in ax.patches if hasattr(patch, "get_data")]
    heights, edges, low = strip.get_data()
    counts = (heights - low) / (heights.max() - low) * 3
    np.testing.assert_allclose(edges, np.linspace(0, 1, 21))
    np.testing.assert_allclose(counts[[10, 19]], [3, 1], atol=1e-12)
    np.testing.assert_allclose(counts.sum(), 4)
    assert heights.max() < 0
    assert ax.texts[0].get_text() == "predictions\n(highest bar: 3)"


def test_bins_of_equally_many_rows() -> None:
    p = [0.1, 0.11, 0.12, 0.9]
    ax = calibration_curve([0, 0, 1, 1], p, n_bins=2, strategy="quantile")
    np.testing.assert_allclose(points(ax.lines[0]), [(0.105, 0), (0.51, 1)])


def test_probabilities_only() -> None:
    assert "outside [0, 1]" in refusal(calibration_curve, TRUE, [0.1, 0.4, 0.6, 1.8])


# -- what all curves share


@pytest.mark.parametrize("draw", CURVES)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_frames(draw: Any, library: str) -> None:
    frames = import_module(library)
    frame = frames.DataFrame({"y": TRUE, "p": SCORE})
    assert legend(draw(frame["y"], frame["p"])) == legend(draw(TRUE, SCORE))
    texts = frames.DataFrame({"y": THREE})["y"]
    assert legend(draw(texts, COLUMNS)) == legend(draw(THREE, COLUMNS))


@pytest.mark.parametrize("draw", CURVES)
def test_any_name_is_written_as_it_is(draw: Any) -> None:
    words = legend(draw(TRUE, {"_$a$": SCORE, "b": SCORE}))
    assert words[0].strip().startswith(r"_\$a\$: ")


@pytest.mark.parametrize("draw", CURVES)
def test_many_lines_are_named_beside_the_picture(draw: Any) -> None:
    scores = {f"a model with a long name {k}": SCORE for k in range(26)}
    ax = draw(TRUE, scores)
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    assert box.x0 >= ax.get_window_extent().x1
    assert box.x1 <= ax.figure.bbox.x1 + 1
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in ax.lines[:26]}) == 26


@pytest.mark.parametrize("draw", [*CURVES, confusion_matrix])
def test_a_given_axes_is_used_and_returned_and_pyplot_left_alone(draw: Any) -> None:
    ax = Figure().add_subplot()
    assert draw(TRUE, TRUE, ax=ax) is ax
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("draw", [*CURVES, confusion_matrix])
def test_the_input_is_left_as_it_was(draw: Any) -> None:
    true, score = np.array(TRUE), np.array(TRUE)
    draw(true, score)
    assert true.tolist() == score.tolist() == TRUE


@pytest.mark.parametrize("draw", CURVES)
def test_one_class_is_refused(draw: Any) -> None:
    name = draw.__name__
    assert refusal(draw, [1, 1], [0.2, 0.3]) == f"{name}: y_true must have rows of two classes or more; all are 1."


@pytest.mark.parametrize("draw", CURVES)
def test_bad_scores_are_refused(draw: Any) -> None:
    what = "y_prob" if draw is calibration_curve else "y_score"
    assert "got them in 1 rows (2)" in refusal(draw, TRUE, [0.1, 0.2, np.nan, 0.3])
    assert f"{what}['tree'] must have no missing" in refusal(draw, TRUE, {"tree": [0.1, 0.2, np.nan, 0.3]})
    assert f"y_true and {what} must have the same rows; got 4 and" in refusal(draw, TRUE, [0.1, 0.2])
    assert f"{what} must hold numbers" in refusal(draw, TRUE, ["a", "b", "c", "d"])
    assert f"{what} must hold scores; the dict is empty" in refusal(draw, TRUE, {})
    assert "with a row at least" in refusal(draw, [], [])
    assert "y_true must be one column of labels" in refusal(draw, None, SCORE)


@pytest.mark.parametrize("draw", CURVES)
def test_which_class_is_positive_must_be_clear(draw: Any) -> None:
    assert "pos_label must be given" in refusal(draw, ["n", "p", "n", "p"], SCORE)
    assert "must have one column a class" in refusal(draw, THREE, COLUMNS[:, 0])
    assert "got 'x'; it has 'a', 'b', 'c'" in refusal(draw, THREE, COLUMNS, pos_label="x")
    assert "2 columns, for 'a', 'b', 'c'" in refusal(draw, THREE, COLUMNS[:, :2])
    assert "for 'a', 'b', 'd'; y_true has 'a', 'b', 'c'" in refusal(draw, THREE, COLUMNS, labels=["a", "b", "d"])


@pytest.mark.parametrize("draw", [roc_curve, precision_recall_curve])
def test_bad_weights_and_thresholds_are_refused(draw: Any) -> None:
    assert "weights must be 0 or more" in refusal(draw, TRUE, SCORE, sample_weight=[1, 0, 1, 0])
    assert "weights must be 0 or more" in refusal(draw, TRUE, SCORE, sample_weight=[1, 2, 1, -1])
    assert "sample_weight must have the same rows" in refusal(draw, TRUE, SCORE, sample_weight=[1, 2])
    assert "threshold must be a number or None; got nan" in refusal(draw, TRUE, SCORE, threshold=float("nan"))


def test_more_lines_than_looks() -> None:
    assert "at most 36 lines" in refusal(roc_curve, TRUE, dict.fromkeys(range(37), SCORE))
