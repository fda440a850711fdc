"""What the regression plots draw is what the model says: line, segments, bands, brackets, words, and refusals."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.tree import DecisionTreeRegressor

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.figure import Figure

from pellucid.plotting import regression_line, regression_plane, sums_of_squares

X = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
Y = np.array([1.0, 3.0, 3.0, 2.0, 5.0])
FITTED = [1.2, 2.0, 3.6, 2.8, 4.4]
X2 = np.array([[2, 1.1], [2, 1.9], [4, 2.0], [5, 1.5], [6, 1.3], [7, 2.1], [4, 1.8], [5, 2.5]])
Y2 = np.array([93.0, 106, 146, 140, 151, 158, 130, 159])
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.fixture
def line() -> Any:
    return LinearRegression().fit(X, Y)


@pytest.fixture
def plane() -> Any:
    return LinearRegression().fit(X2, Y2)


class Summary:
    """Bands of known width: 1 for the line, 2 for a new point."""

    level = 0.9

    def predict(self, X: Any, kind: str, level: float | None = None) -> NDArray[np.float64]:
        middle = 0.4 + 0.8 * np.asarray(X)[:, 0]
        half = {"confidence": 1.0, "prediction": 2.0}[kind]
        return np.column_stack([middle, middle - half, middle + half])


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def labeled(ax: Any, label: str) -> Any:
    return next(artist for artist in ax.get_children() if artist.get_label() == label)


def brackets(ax: Any) -> list[tuple[float, float]]:
    """The two heights of each vertical line, in the order drawn: total, explained, residual."""
    lines = [np.column_stack(line.get_data()) for line in ax.get_lines() if line.get_marker() == "_"]
    return [(float(ends[0, 1]), float(ends[1, 1])) for ends in lines]


# -- the line


def test_the_line_ends_where_the_model_predicts(line: Any) -> None:
    drawn = labeled(regression_line(line, X, Y), "y = 0.40 + 0.80 x")
    np.testing.assert_allclose(drawn.get_xdata(), [1, 5])
    np.testing.assert_allclose(drawn.get_ydata(), [1.2, 4.4])


def test_the_points_are_the_data(line: Any) -> None:
    np.testing.assert_array_equal(np.column_stack(labeled(regression_line(line, X, Y), "data").get_data()), np.c_[X, Y])


def test_each_segment_goes_from_the_line_to_its_point(line: Any) -> None:
    segments = np.array(labeled(regression_line(line, X, Y), "residual").get_segments())
    np.testing.assert_allclose(segments[:, 0], np.c_[X, FITTED])
    np.testing.assert_allclose(segments[:, 1], np.c_[X, Y])
    np.testing.assert_allclose(segments[:, 1, 1] - segments[:, 0, 1], Y - line.predict(X))


def test_segments_can_be_left_out(line: Any) -> None:
    assert legend(regression_line(line, X, Y, residuals=False)) == ["y = 0.40 + 0.80 x", "data"]


def test_a_falling_line_has_a_minus_in_its_equation() -> None:
    ax = regression_line(LinearRegression().fit(X, -Y), X, -Y)
    assert legend(ax)[0] == f"y = {MINUS}0.40 {MINUS} 0.80 x"


def test_bands_are_those_of_the_summary(line: Any) -> None:
    ax = regression_line(line, X, Y, interval=Summary())
    for label, half in [("90 % prediction (a new point)", 2.0), ("90 % confidence (the line)", 1.0)]:
        corners = labeled(ax, label).get_paths()[0].vertices
        np.testing.assert_allclose(np.abs(corners[:, 1] - (0.4 + 0.8 * corners[:, 0])).max(), half)
        assert (corners[:, 0].min(), corners[:, 0].max()) == (1.0, 5.0)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_bands_are_asked_for_by_the_columns_name(line: Any, library: str) -> None:
    frame = import_module(library).DataFrame({"hours": X[:, 0]})
    asked = []

    class ByName(Summary):
        def predict(self, X: Any, kind: str, level: float | None = None) -> NDArray[np.float64]:
            asked.append(X)
            return super().predict(X, kind)

    regression_line(LinearRegression().fit(frame, Y), frame, Y, interval=ByName())
    assert [(type(table), list(table.columns)) for table in asked] == [(type(frame), ["hours"])] * 2


def test_rounding_is_not_an_intercept() -> None:
    centered = X - 3
    ax = regression_line(LinearRegression().fit(centered, 0.1 * centered[:, 0]), centered, 0.1 * centered[:, 0])
    assert legend(ax)[0] == "y = 0.00 + 0.10 x"


def test_no_band_without_a_summary(line: Any) -> None:
    assert legend(regression_line(line, X, Y)) == ["y = 0.40 + 0.80 x", "residual", "data"]


def test_a_column_target_is_one_target() -> None:
    ax = regression_line(LinearRegression().fit(X, Y[:, None]), X, Y[:, None])
    assert legend(ax)[0] == "y = 0.40 + 0.80 x"


# -- the plane


def test_the_plane_is_the_models(plane: Any) -> None:
    ax = regression_plane(plane, X2, Y2)
    (surface,) = ax.collections
    low, high = plane.predict(X2.min(0)[None])[0], plane.predict(X2.max(0)[None])[0]
    ax.figure.draw_without_rendering()
    corners = np.concatenate([np.asarray(face) for face in surface._faces])
    np.testing.assert_allclose(corners[:, 2], plane.predict(corners[:, :2]))
    np.testing.assert_allclose([corners[:, 2].min(), corners[:, 2].max()], [low, high])


@pytest.mark.parametrize(
    ("label", "sign", "marker", "kind"), [("above the plane", 1, "^", "-"), ("below the plane", -1, "v", "--")]
)
def test_points_and_segments_of_each_side(plane: Any, label: str, sign: int, marker: str, kind: str) -> None:
    ax = regression_plane(plane, X2, Y2)
    residual = Y2 - plane.predict(X2)
    rows = np.sign(residual) == sign
    points = labeled(ax, label)
    np.testing.assert_allclose(np.column_stack(points.get_data_3d()), np.c_[X2, Y2][rows])
    assert points.get_marker() == marker
    (segments,) = [line for line in ax.get_lines() if line.get_linestyle() == kind]
    start, end, gap = np.column_stack(segments.get_data_3d()).reshape(-1, 3, 3).transpose(1, 0, 2)
    np.testing.assert_allclose(end[:, 2] - start[:, 2], residual[rows])
    np.testing.assert_allclose(end[:, :2], X2[rows])
    assert np.isnan(gap[:, 2]).all()


def test_the_plane_has_its_equation_for_a_title(plane: Any) -> None:
    assert regression_plane(plane, X2, Y2).get_title() == "y = 55.66 + 11.12 x1 + 17.50 x2"


def test_columns_in_another_order_are_put_right() -> None:
    pd = import_module("pandas")
    frame = pd.DataFrame(X2, columns=["hours", "protein"])
    model = LinearRegression().fit(frame, Y2)

    class ByName:
        coef_, intercept_, feature_names_in_ = model.coef_, model.intercept_, model.feature_names_in_

        def predict(self, table: Any) -> Any:
            return model.predict(table[["hours", "protein"]])

    ax = regression_plane(ByName(), frame[["protein", "hours"]], Y2)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("hours", "protein")
    assert set(labeled(ax, "above the plane").get_data_3d()[0]) <= {2.0, 4.0, 5.0, 6.0, 7.0}


# -- the sums of squares


def test_the_three_parts_at_the_clearest_point(line: Any) -> None:
    total, explained, residual = brackets(sums_of_squares(line, X, Y))
    np.testing.assert_allclose([total, explained, residual], [(2.8, 5.0), (2.8, 4.4), (4.4, 5.0)])


@pytest.mark.parametrize("row", range(5))
def test_the_parts_of_any_row_are_its_deviations(line: Any, row: int) -> None:
    ax = sums_of_squares(line, X, Y, row=row)
    lengths = [end - start for start, end in brackets(ax)]
    np.testing.assert_allclose(lengths, [Y[row] - 2.8, FITTED[row] - 2.8, Y[row] - FITTED[row]], atol=1e-12)
    np.testing.assert_allclose(lengths[0], lengths[1] + lengths[2], atol=1e-12)


def test_the_parts_are_written_beside_their_brackets(line: Any) -> None:
    texts = {text.get_text() for text in sums_of_squares(line, X, Y).texts}
    assert texts == {
        f"total\ny {MINUS} mean = 2.20",
        f"explained\nfit {MINUS} mean = 1.60",
        f"residual\ny {MINUS} fit = 0.60",
    }


def test_the_mean_and_the_line_are_drawn(line: Any) -> None:
    ax = sums_of_squares(line, X, Y)
    np.testing.assert_allclose(labeled(ax, "mean of y = 2.80").get_ydata(), [2.8, 2.8])
    np.testing.assert_allclose(labeled(ax, "y = 0.40 + 0.80 x").get_ydata(), [1.2, 4.4])


def test_the_title_is_the_identity(line: Any) -> None:
    assert sums_of_squares(line, X, Y).get_title() == "SST 8.80 = SSR 6.40 + SSE 2.40"


def test_a_model_that_is_not_least_squares_shows_its_cross_term() -> None:
    ridge = Ridge(alpha=10).fit(X, Y)
    title = sums_of_squares(ridge, X, Y).get_title()
    assert title == "SST 8.80 = SSR 1.60 + SSE 4.00 + cross term 3.20"


def test_labels_stay_on_the_paper(line: Any) -> None:
    figure = Figure(figsize=(12, 4), layout="constrained")
    for place, row in enumerate([0, 1, 4], start=1):
        sums_of_squares(line, X, Y, row=row, ax=figure.add_subplot(1, 3, place))
    figure.draw_without_rendering()
    for ax in figure.axes:
        left, right = ax.get_window_extent().intervalx
        for text in ax.texts:
            assert left <= text.get_window_extent().x0 < text.get_window_extent().x1 <= right


def test_the_labels_of_the_parts_do_not_meet(line: Any) -> None:
    for row in range(5):
        ax: Any = sums_of_squares(line, X, Y, row=row)
        ax.figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


# -- labels, axes, figures

DRAW: list[tuple[Any, Any, Any]] = [(regression_line, X, Y), (sums_of_squares, X, Y), (regression_plane, X2, Y2)]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(("draw", "table", "y"), DRAW)
def test_labels_are_the_names_of_the_columns(draw: Any, table: Any, y: Any, library: str) -> None:
    frames = import_module(library)
    frame = frames.DataFrame(dict(zip(["hours", "protein"], table.T, strict=False)))
    target = frames.DataFrame({"weight": y})["weight"]
    ax = draw(LinearRegression().fit(frame, target), frame, target)
    labels = [ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()] if table is X2 else [ax.get_xlabel(), ax.get_ylabel()]
    assert labels == [*frame.columns, "weight"]


def test_any_column_name_is_written_as_it_is() -> None:
    pd = import_module("pandas")
    frame, y = pd.DataFrame({"$ in $": X[:, 0]}), pd.Series(Y, name="_sales")
    ax = regression_line(LinearRegression().fit(frame, y), frame, y)
    assert ax.get_xlabel() == r"\$ in \$"
    assert legend(ax)[0].strip() == r"_sales = 0.40 + 0.80 \$ in \$"


@pytest.mark.parametrize(("draw", "table", "y"), DRAW)
def test_a_given_axes_is_used_and_returned_and_pyplot_left_alone(draw: Any, table: Any, y: Any) -> None:
    ax = Figure().add_subplot(projection="3d" if table is X2 else None)
    assert draw(LinearRegression().fit(table, y), table, y, ax=ax) is ax
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(("draw", "table", "y"), DRAW)
def test_a_new_figure_each_time_otherwise(draw: Any, table: Any, y: Any) -> None:
    model = LinearRegression().fit(table, y)
    assert draw(model, table, y).figure is not draw(model, table, y).figure
    assert len(pyplot.get_fignums()) == 2


@pytest.mark.parametrize(("draw", "table", "y"), DRAW)
def test_the_input_is_left_as_it_was(draw: Any, table: Any, y: Any) -> None:
    before = table.copy(), y.copy()
    draw(LinearRegression().fit(table, y), table, y)
    np.testing.assert_array_equal(table, before[0])
    np.testing.assert_array_equal(y, before[1])


# -- refusals


def refusal(draw: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(ValueError, match=f"^{draw.__name__}: ") as caught:
        draw(*args, **options)
    assert pyplot.get_fignums() == []
    return str(caught.value)


def test_too_many_columns_are_named() -> None:
    pd = import_module("pandas")
    frame = pd.DataFrame(np.arange(15.0).reshape(5, 3) ** 2, columns=["a", "b", "c"])
    model = LinearRegression().fit(frame, Y)
    message = refusal(regression_line, model, frame, Y)
    assert message.startswith("regression_line: needs a model with one column; got 3 (a, b, c).\nhint: fit a model on")
    assert refusal(regression_plane, model, frame, Y).startswith(
        "regression_plane: needs a model with two columns; got 3"
    )


def test_the_hint_names_the_plot_that_fits(line: Any, plane: Any) -> None:
    assert refusal(sums_of_squares, plane, X2, Y2).endswith(
        "got 2 (x1, x2).\nhint: regression_plane draws a model with two columns."
    )
    assert refusal(regression_plane, line, X, Y).endswith(
        "got 1 (x).\nhint: regression_line draws a model with one column."
    )


def test_several_targets() -> None:
    both = np.c_[Y, Y]
    message = refusal(regression_line, LinearRegression().fit(X, both), X, both)
    assert message == (
        "regression_line: needs a model with one target; got 2.\nhint: fit and draw one column of y at a time."
    )


def test_models_without_a_line() -> None:
    assert "LinearRegression has no coef_.\nhint: call fit first" in refusal(regression_line, LinearRegression(), X, Y)
    tree = DecisionTreeRegressor().fit(X, Y)
    assert "needs a fitted linear model; DecisionTreeRegressor has no coef_" in refusal(regression_line, tree, X, Y)


@pytest.mark.parametrize("model", [PoissonRegressor().fit(X, Y), LogisticRegression().fit(X, Y > 2)])
def test_models_whose_line_is_bent(model: Any) -> None:
    message = refusal(regression_line, model, X, Y)
    assert f"predicts intercept_ + X coef_; {type(model).__name__} does not" in message


def test_missing_values_name_their_rows(line: Any) -> None:
    y = Y.copy()
    y[[1, 3]] = np.nan
    message = refusal(regression_line, line, X, y)
    assert message.startswith("regression_line: y must have no missing or infinite values; got them in 2 rows (1, 3).")
    assert "X must have no missing" in refusal(regression_line, line, np.where(X == 4, np.inf, X), Y)


def test_shapes_that_do_not_agree(line: Any) -> None:
    assert "got shapes (5, 1) and (4,)" in refusal(regression_line, line, X, Y[:4])
    assert "got shapes (5,) and (5,)" in refusal(regression_line, line, X[:, 0], Y)
    assert "got shapes (5, 1) and ()" in refusal(regression_line, line, X, 3.0)
    assert "got shapes (5, 1) and (5, 2)" in refusal(regression_line, line, X, np.c_[Y, Y])


def test_words_for_numbers(line: Any) -> None:
    assert "y must hold numbers; got list" in refusal(regression_line, line, X, ["a", "b", "c", "d", "e"])


def test_columns_of_another_table(line: Any) -> None:
    pd = import_module("pandas")
    model = LinearRegression().fit(pd.DataFrame({"a": X[:, 0]}), Y)
    message = refusal(regression_line, model, pd.DataFrame({"b": X[:, 0]}), Y)
    assert message == "regression_line: X must have the model's columns (a); got b."


def test_a_row_that_is_not_there(line: Any) -> None:
    assert refusal(sums_of_squares, line, X, Y, row=5) == "sums_of_squares: row must be from 0 to 4; got 5."
    assert refusal(sums_of_squares, line, X, Y, row=-1).endswith("got -1.")


def test_a_flat_axes_for_a_plane(plane: Any) -> None:
    message = refusal(regression_plane, plane, X2, Y2, ax=Figure().add_subplot())
    assert message.startswith("regression_plane: ax must be a 3-D Axes; got a flat one.\nhint: ")


# -- the optional extra


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_without_matplotlib_the_import_names_the_cure() -> None:
    done = run("import sys; sys.modules['matplotlib'] = None; import pellucid.plotting")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "MissingExtraError: pellucid.plotting: needs matplotlib, which is not installed.\n"
        "hint: pip install pellucid[plot].\n"
    )


def test_importing_the_package_of_plots_does_not_load_matplotlib() -> None:
    done = run(
        "import sys, pellucid.plotting; print('sums_of_squares' in dir(pellucid.plotting), 'matplotlib' in sys.modules)"
    )
    assert done.stdout == "True False\n", done.stderr


def test_an_unknown_plot_is_an_attribute_error() -> None:
    import pellucid.plotting

    with pytest.raises(AttributeError, match="has no attribute 'pie'"):
        pellucid.plotting.pie  # noqa: B018
