"""Residuals in four ways: points, running mean, quantiles and bars are those of ``y - predict(X)``."""

from collections.abc import Iterator
from importlib import import_module
from statistics import NormalDist
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression, LogisticRegression

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.text import Text

from pellucid.base.errors import DataError, ParameterError
from pellucid.plotting import residuals
from pellucid.plotting.diagnostics import running_mean

Floats = NDArray[np.float64]
X = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
Y = np.array([1.0, 3.0, 3.0, 2.0, 5.0])
FITTED = np.array([1.2, 2.0, 3.6, 2.8, 4.4])
LEFT = np.array([-0.2, 1.0, -0.6, -0.8, 0.6])


class Given:
    """Predicts its one column."""

    def predict(self, X: Any) -> Floats:
        return np.asarray(X, dtype=float)[:, 0]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.fixture
def line() -> Any:
    return LinearRegression().fit(X, Y)


def drawn(ax: Any, label: str) -> Floats:
    return np.column_stack(next(part for part in ax.get_lines() if part.get_label() == label).get_data())


def named(ax: Any) -> dict[str, tuple[float, float]]:
    return {text.get_text(): text.xy for text in ax.texts}


def test_against_the_fitted_values(line: Any) -> None:
    ax = residuals(line, X, Y)
    np.testing.assert_allclose(drawn(ax, "residual"), np.c_[FITTED, LEFT])
    assert ax.get_lines()[0].get_ydata() == [0, 0], "the line at zero"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("fitted y", "residual (y \N{MINUS SIGN} fitted)")


def test_against_the_order_of_the_rows(line: Any) -> None:
    np.testing.assert_allclose(drawn(residuals(line, X, Y, "order"), "residual"), np.c_[np.arange(5), LEFT])


def test_against_normal_quantiles(line: Any) -> None:
    ax = residuals(line, X, Y, "quantile")
    # In order of size: -0.8, -0.6, -0.2, 0.6, 1.0 at the quantiles 0.1, 0.3, 0.5, 0.7 and 0.9.
    expected = [NormalDist().inv_cdf(share) for share in (0.5, 0.9, 0.3, 0.1, 0.7)]
    np.testing.assert_allclose(drawn(ax, "residual"), np.c_[expected, LEFT], atol=1e-12)


def test_the_line_goes_through_the_quartiles(line: Any) -> None:
    # The quartiles are -0.6 and 0.6, the normal ones -0.674 and 0.674.
    ends = drawn(residuals(line, X, Y, "quantile"), "normal")
    np.testing.assert_allclose(ends[:, 1], 0.6 / NormalDist().inv_cdf(0.75) * ends[:, 0], atol=1e-12)
    assert ends[:, 0].tolist() == pytest.approx([NormalDist().inv_cdf(0.1), NormalDist().inv_cdf(0.9)])


def test_counted_in_bars_with_the_normal_density() -> None:
    random = np.random.default_rng(0)
    errors = random.normal(1.0, 2.0, size=500)
    ax = residuals(Given(), np.zeros((500, 1)), errors, "histogram")
    counts = [bar.get_height() for bar in ax.patches]
    assert sum(counts) == 500
    edges = [*(bar.get_x() for bar in ax.patches), ax.patches[-1].get_x() + ax.patches[-1].get_width()]
    np.testing.assert_array_equal(counts, np.histogram(errors, bins=edges)[0])
    (curve,) = [part for part in ax.get_lines() if part.get_label().startswith("normal")]
    at, rows = curve.get_data()
    density = [NormalDist(errors.mean(), errors.std()).pdf(place) for place in at]
    np.testing.assert_allclose(rows, 500 * (edges[1] - edges[0]) * np.array(density))
    assert curve.get_label() == f"normal, mean {errors.mean():.2f}, sd {errors.std():.2f}"


def test_heavy_tails_do_not_make_hairs_of_the_bars() -> None:
    errors = np.append(np.random.default_rng(0).normal(size=20_000), [1000.0, -1000.0])
    ax = residuals(Given(), np.zeros((20_002, 1)), errors, "histogram")
    assert len(ax.patches) == 50


def test_all_four_at_once(line: Any) -> None:
    axes = residuals(line, X, Y, "all")
    assert axes.shape == (2, 2)
    for ax, kind in zip(axes.ravel()[:3], ["fitted", "order", "quantile"], strict=True):
        np.testing.assert_array_equal(drawn(ax, "residual"), drawn(residuals(line, X, Y, kind), "residual"))
    assert sum(bar.get_height() for bar in axes[1, 1].patches) == 5


# -- the running mean


def test_the_running_mean_shows_a_bend() -> None:
    x = np.linspace(-1, 1, 200)
    ax = residuals(Given(), x[:, None], x + x**2, "fitted")
    at, means = drawn(ax, "running mean").T
    # Over a window of width 2h the mean of x² is x² + h²/3, and h is a tenth of the range.
    inside = np.abs(at) < 0.7
    np.testing.assert_allclose(means[inside], at[inside] ** 2 + 0.2**2 / 3, atol=2e-3)


def test_the_running_mean_of_a_straight_trend_is_the_trend_to_its_ends() -> None:
    x = np.random.default_rng(1).permutation(50).astype(float)
    at, means = running_mean(x, 3 * x + 1)
    np.testing.assert_allclose(means, 3 * at + 1)
    assert (np.diff(at) > 0).all()


def test_the_window_takes_a_fifth_of_the_rows() -> None:
    x = np.arange(100.0)
    values = np.zeros(100)
    values[50] = 21.0
    _, means = running_mean(x, values)
    np.testing.assert_allclose(means[40:61], 1.0)
    assert means[39] == means[61] == 0.0


def test_few_rows_have_no_running_mean(line: Any) -> None:
    assert "running mean" not in [part.get_label() for part in residuals(line, X, Y).get_lines()]


# -- names


def test_the_largest_residuals_are_named_at_their_points(line: Any) -> None:
    actual = named(residuals(line, X, Y, n_named=2))
    assert list(actual) == ["row 1", "row 3"]
    np.testing.assert_allclose([actual["row 1"], actual["row 3"]], [(2.0, 1.0), (2.8, -0.8)])
    assert not named(residuals(line, X, Y, n_named=0))


def test_rows_of_a_frame_are_named_by_its_index() -> None:
    pandas = import_module("pandas")
    table = pandas.DataFrame({"x": X[:, 0]}, index=["ann", "$bob", "cy", "dee", "eve"])
    model = LinearRegression().fit(table, Y)
    assert list(named(residuals(model, table, Y, "order", n_named=2))) == [r"\$bob", "dee"]
    numbered = table.set_axis([10, 20, 30, 40, 50])
    ax = residuals(model, numbered, pandas.Series(Y, name="stop"), n_named=2)
    assert list(named(ax)) == ["row 20", "row 40"]
    assert ax.get_xlabel() == "fitted stop"


def test_names_do_not_lie_on_each_other() -> None:
    x = np.r_[np.zeros(30), 5.0, 5.01, 5.02]
    errors = np.r_[np.linspace(-1, 1, 30), 9.0, 9.01, 9.02]
    ax = residuals(Given(), x[:, None], x + errors)
    ax.figure.canvas.draw()
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert len(boxes) == 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_perfect_fit_has_residuals_of_zero_and_names_nobody() -> None:
    exact = LinearRegression().fit(X, 3 * X[:, 0] + 0.1)
    axes = residuals(exact, X, 3 * X[:, 0] + 0.1, "all")
    axes[0, 0].figure.canvas.draw()
    np.testing.assert_array_equal(drawn(axes[0, 0], "residual")[:, 1], np.zeros(5))
    assert not any(named(ax) for ax in axes.ravel())


def test_draws_where_it_is_told(line: Any) -> None:
    _, ax = pyplot.subplots()
    assert residuals(line, X, Y, "histogram", ax=ax) is ax


def test_refusals_are_sentences(line: Any) -> None:
    with pytest.raises(ParameterError, match="kind must be one of fitted, order, quantile, histogram, all; got 'qq'"):
        residuals(line, X, Y, "qq")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="ax is for a single picture"):
        residuals(line, X, Y, "all", ax=pyplot.subplots()[1])
    with pytest.raises(ParameterError, match="n_named must be a whole number, 0 or more; got -1"):
        residuals(line, X, Y, n_named=-1)
    with pytest.raises(DataError, match="needs a fitted regressor"):
        residuals(LogisticRegression().fit(X, Y > 2), X, Y)
    with pytest.raises(DataError, match="needs a fitted regressor; got 3"):
        residuals(3, X, Y)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="got predictions for 5 rows and y with 4 rows"):
        residuals(line, X, Y[:4])
    with pytest.raises(DataError, match="y must be one column"):
        residuals(line, X, np.c_[Y, Y])
    with pytest.raises(DataError, match="y must hold numbers"):
        residuals(line, X, list("abcde"))
