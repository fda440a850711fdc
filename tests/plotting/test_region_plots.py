"""Decision regions: the areas are the model's own answers, the points the rows, and names reach the model."""

import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.colors import to_rgb

from pellucid.base.errors import DataError, ParameterError
from pellucid.plotting import decision_regions

Floats = NDArray[np.float64]
RANDOM = np.random.default_rng(0)
MIDDLES = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])
CODES = np.repeat([0, 1, 2], 20)
X = MIDDLES[CODES] + RANDOM.normal(scale=0.8, size=(60, 2))
Y = np.array(["ash", "birch", "cedar"])[CODES]
WIDE = np.c_[X, X[:, 0] - X[:, 1] + RANDOM.normal(scale=0.3, size=60), RANDOM.normal(size=60) + CODES]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def legend(where: Any) -> list[str]:
    return [text.get_text() for text in where.get_texts()]


def pixels(ax: Any) -> tuple[Floats, Floats]:
    """The color of every pixel, and the place of its middle."""
    (image,) = ax.get_images()
    colors = np.asarray(image.get_array())
    left, right, bottom, top = image.get_extent()
    rows, columns = colors.shape[:2]
    across = left + (np.arange(columns) + 0.5) * (right - left) / columns
    up = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
    return colors.reshape(-1, 3), np.column_stack([part.ravel() for part in np.meshgrid(across, up)])


def points(ax: Any, label: str) -> Floats:
    line = next(line for line in ax.get_lines() if line.get_label() == label)
    return np.column_stack(line.get_data())


def class_color(ax: Any, label: str) -> Floats:
    return np.array(to_rgb(next(line for line in ax.get_lines() if line.get_label() == label).get_color()))


def tint(colors: Floats, of: Floats) -> Floats:
    """How strongly each color has been mixed with white, if it was made from ``of``; else NaN."""
    strength = (1 - colors).sum(axis=1) / (1 - of).sum()
    same = np.isclose(1 - strength[:, None] * (1 - of), colors, atol=1e-9).all(axis=1)
    return np.where(same, strength, np.nan)


def areas(ax: Any, labels: list[str]) -> tuple[NDArray[Any], Floats, Floats]:
    """Each pixel's class, how strongly it is painted, and its place."""
    colors, places = pixels(ax)
    strength = np.column_stack([tint(colors, class_color(ax, label)) for label in labels])
    assert (np.isfinite(strength).sum(axis=1) == 1).all()
    return np.array(labels)[np.isfinite(strength).argmax(axis=1)], np.nansum(strength, axis=1), places


LABELS = ["ash", "birch", "cedar"]


def test_areas_are_what_the_model_predicts_there() -> None:
    model = KNeighborsClassifier(3).fit(X, Y)
    found, strength, places = areas(decision_regions(model, X, Y, grid=60, proba=False), LABELS)
    assert len(found) == 3600
    np.testing.assert_array_equal(found, model.predict(places))
    assert np.ptp(strength) < 1e-9


def test_an_area_is_stronger_where_its_class_is_likelier() -> None:
    model = LogisticRegression().fit(X, Y)
    found, strength, places = areas(decision_regions(model, X, Y, grid=50), LABELS)
    likely = model.predict_proba(places).max(axis=1)
    np.testing.assert_array_equal(found, model.predict(places))
    slope, start = np.polyfit(likely, strength, 1)
    np.testing.assert_allclose(strength, start + slope * likely, atol=1e-9)
    assert slope > 0.3


def test_a_model_without_probabilities_is_painted_evenly() -> None:
    class Half:
        classes_ = np.array(LABELS)

        def predict(self, X: Any) -> Any:
            return np.where(np.asarray(X)[:, 0] > 2, "birch", "ash")

    found, strength, places = areas(decision_regions(Half(), X, Y, grid=31), LABELS)
    np.testing.assert_array_equal(found == "birch", places[:, 0] > 2)
    assert np.ptp(strength) < 1e-9


def test_points_are_the_rows_of_each_class_with_their_own_marker() -> None:
    ax = decision_regions(KNeighborsClassifier(1).fit(X, Y), X, Y)
    for label in LABELS:
        np.testing.assert_array_equal(points(ax, label), X[label == Y])
    markers = [line.get_marker() for line in ax.get_lines()]
    assert len(set(markers)) == len(markers) == 3
    assert legend(ax.get_legend()) == LABELS
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")


def test_the_frame_holds_all_rows() -> None:
    ax = decision_regions(KNeighborsClassifier(1).fit(X, Y), X, Y)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert left < X[:, 0].min()
    assert X[:, 0].max() < right
    assert bottom < X[:, 1].min()
    assert X[:, 1].max() < top


def test_wrong_answers_are_ringed() -> None:
    model = KNeighborsClassifier(1).fit(X, Y)
    other = Y.copy()
    other[[3, 40]] = "birch"
    ax = decision_regions(model, X, other)
    np.testing.assert_array_equal(points(ax, "predicted wrong"), X[[3, 40]])
    assert legend(ax.get_legend())[-1] == "predicted wrong"


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_two_to_ten_classes_have_colors_and_markers_of_their_own(n_classes: int) -> None:
    angle = 2 * np.pi * np.arange(n_classes) / n_classes
    table, target = np.c_[np.cos(angle), np.sin(angle)], np.arange(n_classes)
    model = KNeighborsClassifier(1).fit(table, target)
    ax = decision_regions(model, table, target, grid=40, proba=False)
    looks = {(line.get_color(), line.get_marker()) for line in ax.get_lines()}
    assert len({color for color, _ in looks}) == len({marker for _, marker in looks}) == n_classes
    found, _, places = areas(ax, [str(k) for k in range(n_classes)])
    np.testing.assert_array_equal(found, model.predict(places).astype(str))


class Constant:
    """Always the same answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (CODES == 1, ["False", "True"]),
        (CODES / 2.0, ["0", "0.5", "1"]),
        (np.array(["_a", "$b"])[CODES // 2], [r"\$b", " _a"]),
        (np.array(["x", "y"], dtype=object)[CODES // 2], ["x", "y"]),
    ],
)
def test_labels_may_be_flags_fractions_or_odd_words(target: Any, words: list[str]) -> None:
    ax = decision_regions(Constant(target[0]), X, target, grid=5)
    assert legend(ax.get_legend()) == [*words, "predicted wrong"]
    assert len(points(ax, "predicted wrong")) == (target != target[0]).sum()


# -- frames


def frame(library: str, table: Floats, names: list[str]) -> Any:
    return import_module(library).DataFrame({name: table[:, j] for j, name in enumerate(names)})


class Named:
    """Insists on frames with its own columns."""

    def __init__(self, kind: type, names: list[str]) -> None:
        self.kind, self.feature_names_in_, self.classes_ = kind, np.array(names, dtype=object), np.array(LABELS)

    def predict(self, X: Any) -> Any:
        assert isinstance(X, self.kind)
        assert list(X.columns) == list(self.feature_names_in_)  # type: ignore[attr-defined]
        return np.where(np.asarray(X)[:, 0] > 2, "birch", "ash")


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("names", [["b", "a"], ["d", "a", "c", "b"]])
def test_the_model_gets_frames_with_its_columns_in_its_order(library: str, names: list[str]) -> None:
    table = frame(library, WIDE, ["a", "b", "c", "d"])
    ax = decision_regions(Named(type(table), names), table, Y, grid=10)
    if len(names) == 2:
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "a")
        np.testing.assert_array_equal(points(ax, "cedar"), WIDE[Y == "cedar"][:, [1, 0]])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_no_warnings_with_or_without_names(library: str) -> None:
    table = frame(library, WIDE, ["a", "b", "c", "d"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (table, WIDE):
            model = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, Y)
            decision_regions(model, table, Y, grid=10).figure.canvas.draw()
            decision_regions(model, table, Y, grid=10, columns=["a", "c"])


def test_the_legend_has_the_name_of_the_target() -> None:
    target = import_module("pandas").Series(Y, name="tree")
    ax = decision_regions(NearestCentroid().fit(X, Y), X, target, grid=10)
    assert ax.get_legend().get_title().get_text() == "tree"


# -- more than two columns


def test_many_columns_are_drawn_on_the_plane_of_their_components() -> None:
    model = LogisticRegression(max_iter=1000).fit(WIDE, Y)
    ax = decision_regions(model, WIDE, Y, grid=40, proba=False)
    mean, scale = WIDE.mean(axis=0), WIDE.std(axis=0)
    standard = (WIDE - mean) / scale
    values, vectors = np.linalg.eigh(standard.T @ standard)
    axes = vectors[:, [-1, -2]].T
    axes *= np.sign(axes[[0, 1], np.abs(axes).argmax(axis=1)])[:, None]
    for label in LABELS:
        np.testing.assert_allclose(points(ax, label), standard[label == Y] @ axes.T, atol=1e-9)
    found, _, places = areas(ax, LABELS)
    np.testing.assert_array_equal(found, model.predict(mean + places @ axes * scale))
    share = 100 * values / values.sum()
    assert ax.get_xlabel() == f"component 1 ({share[-1]:.0f} % of the variance)"
    assert ax.get_ylabel() == f"component 2 ({share[-2]:.0f} % of the variance)"


def test_a_row_on_the_plane_is_mapped_back_to_itself() -> None:
    flat = X @ np.array([[1.0, 0.5, -2.0, 3.0], [0.0, 1.0, 1.0, -1.0]]) + [5.0, 6.0, 7.0, 8.0]
    seen: list[Floats] = []

    class Listener:
        def predict(self, X: Any) -> Any:
            seen.append(np.asarray(X))
            return np.full(len(X), "ash")

    ax = decision_regions(Listener(), flat, Y, grid=300)
    places = pixels(ax)[1]
    row = points(ax, "cedar")[0]
    nearest = np.argmin(np.square(places - row).sum(axis=1))
    step = np.ptp(flat, axis=0) / 300
    assert (np.abs(seen[-1][nearest] - flat[Y == "cedar"][0]) < 6 * step).all()


def test_a_constant_column_and_few_rows_are_no_obstacle() -> None:
    table = np.array([[1.0, 5.0, 2.0], [2.0, 5.0, 1.0]])
    ax = decision_regions(KNeighborsClassifier(1).fit(table, ["a", "b"]), table, ["a", "b"], grid=10)
    assert ax.get_xlabel() == "component 1 (100 % of the variance)"
    assert ax.get_ylabel() == "component 2 (0 % of the variance)"
    line = np.c_[np.arange(4.0), np.full(4, 7.0)]
    ax = decision_regions(KNeighborsClassifier(1).fit(line, [0, 0, 1, 1]), line, [0, 0, 1, 1], grid=10)
    assert ax.get_ylim()[0] < 7 < ax.get_ylim()[1]


def test_two_chosen_columns_are_drawn_with_the_others_at_their_medians() -> None:
    model = LogisticRegression(max_iter=1000).fit(WIDE, Y)
    ax = decision_regions(model, WIDE, Y, columns=[3, 0], grid=30, proba=False)
    found, _, places = areas(ax, LABELS)
    table = np.tile(np.median(WIDE, axis=0), (len(places), 1))
    table[:, [3, 0]] = places
    np.testing.assert_array_equal(found, model.predict(table))
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x4", "x1", "other columns at their medians")


def test_columns_say_where_a_small_models_columns_are_in_a_wide_table() -> None:
    model = NearestCentroid().fit(WIDE[:, [2, 1]], Y)
    ax = decision_regions(model, WIDE, Y, columns=[2, 1], grid=30, proba=False)
    found, _, places = areas(ax, LABELS)
    np.testing.assert_array_equal(found, model.predict(places))
    np.testing.assert_array_equal(points(ax, "ash"), WIDE[Y == "ash"][:, [2, 1]])


def test_two_columns_can_change_places() -> None:
    model = NearestCentroid().fit(X, Y)
    ax = decision_regions(model, X, Y, columns=[1, 0], grid=30, proba=False)
    found, _, places = areas(ax, LABELS)
    np.testing.assert_array_equal(found, model.predict(places[:, ::-1]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x2", "x1")


# -- several models


def test_several_models_side_by_side_share_a_legend() -> None:
    models = {"near": KNeighborsClassifier(1).fit(X, Y), "middle": NearestCentroid().fit(X, Y)}
    panels = decision_regions(models, X, Y, grid=30, proba=False)
    assert len(panels) == 2
    for ax, model in zip(panels, models.values(), strict=True):
        found, _, places = areas(ax, LABELS)
        np.testing.assert_array_equal(found, model.predict(places))
        assert ax.get_legend() is None
    right = 100 * np.mean(models["middle"].predict(X) == Y)
    assert [ax.get_title() for ax in panels] == ["near\n100 % right", f"middle\n{right:.3g} % right"]
    assert legend(panels[0].figure.legends[0])[:3] == LABELS
    assert {ax.get_subplotspec().rowspan.start for ax in panels} == {0}


def test_a_single_model_is_drawn_where_it_is_told() -> None:
    _, ax = pyplot.subplots()
    assert decision_regions(NearestCentroid().fit(X, Y), X, Y, grid=10, ax=ax) is ax


# -- refusals


def test_refusals_are_sentences() -> None:
    model = NearestCentroid().fit(X, Y)
    wide = NearestCentroid().fit(WIDE, Y)
    with pytest.raises(ParameterError, match="needs a fitted classifier; got 'tree'"):
        decision_regions("tree", X, Y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="needs at least one model"):
        decision_regions({}, X, Y)
    with pytest.raises(ParameterError, match="ax is for a single model"):
        decision_regions({"a": model}, X, Y, ax=pyplot.subplots()[1])
    with pytest.raises(ParameterError, match="grid must be a whole number from 2 to 2000; got 1"):
        decision_regions(model, X, Y, grid=1)
    with pytest.raises(DataError, match="X must have as many columns as the model; it has 2, and X has 4"):
        decision_regions(model, WIDE, Y)
    with pytest.raises(DataError, match="at least two columns"):
        decision_regions(model, X[:, :1], Y)
    with pytest.raises(DataError, match="the models must have the same columns; got 2, 4"):
        decision_regions({"a": model, "b": wide}, X, Y)
    with pytest.raises(ParameterError, match=r"columns must be two of the columns \(0 to 3\); got \[0, 9\]"):
        decision_regions(wide, WIDE, Y, columns=[0, 9])
    with pytest.raises(DataError, match="one column of labels with as many rows as X; got 60 rows"):
        decision_regions(model, X, Y[:5])
    with pytest.raises(DataError, match="y must have no missing labels; rows 1, 2"):
        decision_regions(model, X[:3], np.array(["ash", None, float("nan")], dtype=object))
    with pytest.raises(DataError, match="y must hold labels that the model knows; it knows ash, birch, cedar"):
        decision_regions(model, X, CODES)
    with pytest.raises(DataError, match="at most 10 classes can be told apart; got 60"):
        decision_regions(KNeighborsClassifier(1).fit(np.r_[X, X], np.tile(np.arange(60), 2)), X, np.arange(60))
    with pytest.raises(DataError, match=r"predict one of its classes .*\nhint: draw a classifier"):
        decision_regions(LinearRegression().fit(X, CODES), X, CODES)
    with pytest.raises(DataError, match="X must hold numbers"):
        decision_regions(model, [["a", 1], ["b", 2]], ["ash", "birch"])
    with pytest.raises(DataError, match="X must have rows that differ"):
        decision_regions(wide, np.ones((3, 4)), Y[:3])


def test_a_missing_column_is_named() -> None:
    table = frame("pandas", X, ["a", "b"])
    model = NearestCentroid().fit(table, Y)
    with pytest.raises(DataError, match=r"X must have the model's columns \(a, b\); b not found among a, c"):
        decision_regions(model, table.rename(columns={"b": "c"}), Y)
