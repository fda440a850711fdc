"""Pictures of a fitted linear regression: its line, its plane, and how it divides the sum of squares.

They read ``coef_``, ``intercept_``, ``predict`` and, where there is one, ``feature_names_in_``: any linear regressor
with these will do. What is drawn is computed by the model; nothing is fitted here.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError
from pellucid.plotting import _style
from pellucid.plotting._read import column_names, in_order, name_of, names_of, numbers
from pellucid.plotting._style import MINUS, Axes3D, number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

WORDS = {1: "one column", 2: "two columns"}
HINTS = {1: "regression_line draws a model with one column.", 2: "regression_plane draws a model with two columns."}
BANDS: list[tuple[Literal["prediction", "confidence"], str, str, str]] = [
    ("prediction", "a new point", ":", _style.PALE),
    ("confidence", "the line", "--", _style.LIGHT),
]


class LinearModel(Protocol):
    """A fitted linear regressor."""

    @property
    def coef_(self) -> Any: ...
    @property
    def intercept_(self) -> Any: ...
    def predict(self, X: Any, /) -> Any: ...


class Intervals(Protocol):
    """A model's summary: for each row the estimate and the low and high end of its interval, as three columns."""

    def predict(self, X: Any, /, kind: Literal["confidence", "prediction"], level: float | None = None) -> Any: ...


@dataclass(frozen=True)
class Reading:
    """The numbers and names that a picture is made of."""

    X: Floats
    y: Floats
    fitted: Floats
    coef: Floats
    intercept: float
    names: list[str]
    target: str

    @property
    def equation(self) -> str:
        return f"{self.target} = {' '.join(self.terms)}"

    @property
    def terms(self) -> list[str]:
        rounding = 1e-12 * float(np.abs(self.fitted).max())
        intercept = self.intercept if abs(self.intercept) > rounding else 0.0
        pairs = zip(self.coef, self.names, strict=True)
        return [number(intercept), *(f"{MINUS if c < 0 else '+'} {number(abs(c))} {name}" for c, name in pairs)]

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The fitted line over the range of its column."""
        x = np.array([self.X.min(), self.X.max()])
        return x, self.intercept + self.coef[0] * x


def regression_line(
    model: LinearModel,
    X: Any,
    y: Any,
    *,
    residuals: bool = True,
    interval: Intervals | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a fitted line through its points, with a vertical segment from each point to the line.

    The line is ``ŷ = b + w x`` with ``b`` the intercept and ``w`` the coefficient; a segment's length is the residual
    ``|y - ŷ|``, the quantity whose squares least squares makes smallest in sum.

    Parameters
    ----------
    model : fitted linear regressor
        With one column.
    X : table of shape (n_rows, 1)
    y : column of shape (n_rows,)
    residuals : bool, default=True
        Draw the segments.
    interval : summary of the model, optional
        Adds the band that holds the line (confidence) and the wider one that holds new points (prediction), as
        ``interval.predict`` gives them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[1], [2], [4], [3], [5]], [1, 3, 3, 2, 5]
    >>> ax = regression_line(LinearRegression().fit(X, y), X, y)
    >>> ax.get_legend().get_texts()[0].get_text()
    'y = 0.40 + 0.80 x'
    """
    r = _read("regression_line", model, X, y, n_columns=1)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.plot(*r.ends, color=_style.BLUE, linewidth=2.2, zorder=3, label=_style.shown(r.equation))
    if interval is not None:
        _draw_bands(ax, r, interval, X)
    if residuals:
        ax.vlines(r.X[:, 0], r.fitted, r.y, color=_style.VERMILION, linewidth=1.2, zorder=2, label="residual")
    _draw_points(ax, r)
    _style.legend(ax)
    return ax


def regression_plane(model: LinearModel, X: Any, y: Any, *, ax: Axes3D | None = None) -> Axes3D:
    """Draw the fitted plane of a model with two columns, with a vertical segment from each point to the plane.

    The plane is ``ŷ = b + w₁ x₁ + w₂ x₂``; a segment's length is the residual ``|y - ŷ|``. Points above the plane are
    triangles up with solid segments, points below it triangles down with broken ones.

    Parameters
    ----------
    model : fitted linear regressor
        With two columns.
    X : table of shape (n_rows, 2)
    y : column of shape (n_rows,)
    ax : matplotlib 3-D Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib 3-D Axes

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[0, 0], [1, 0], [0, 1], [1, 1]], [1, 3, 4, 6]
    >>> ax = regression_plane(LinearRegression().fit(X, y), X, y)
    >>> ax.get_zlabel()
    'y'
    """
    r = _read("regression_plane", model, X, y, n_columns=2)
    if ax is not None and not hasattr(ax, "get_zlim"):
        raise DataError(
            "regression_plane: ax must be a 3-D Axes; got a flat one.\nhint: figure.add_subplot(projection='3d')."
        )
    ax = _style.axes_3d(*r.coef) if ax is None else ax
    x1, x2 = np.meshgrid(*(np.linspace(low, high, 9) for low, high in zip(r.X.min(0), r.X.max(0), strict=True)))
    plane = r.intercept + r.coef[0] * x1 + r.coef[1] * x2
    ax.plot_surface(x1, x2, plane, color=_style.SKY, alpha=0.3, edgecolor=_style.BLUE, linewidth=0.3, shade=False)
    above = r.y >= r.fitted
    _draw_side(ax, r, above, line="-", marker="^", color=_style.VERMILION, label="above the plane")
    _draw_side(ax, r, ~above, line="--", marker="v", color=_style.INK, label="below the plane")
    ax.set(xlabel=r.names[0], ylabel=r.names[1], zlabel=r.target)
    *head, last = r.terms
    separator = " " if len(r.equation) <= 50 else "\n"
    ax.set_title(f"{r.target} = {' '.join(head)}{separator}{last}", fontsize=_style.TITLE)
    _style.legend(ax)
    return ax


def sums_of_squares(model: LinearModel, X: Any, y: Any, *, row: int | None = None, ax: "Axes | None" = None) -> "Axes":
    """Show at one point how its distance from the mean divides into an explained part and a residual.

    At every row ``y - ȳ = (ŷ - ȳ) + (y - ŷ)``: total = explained + residual, with ``ȳ`` the mean of y. Squared and
    summed over the rows they are SST, SSR and SSE, and for least squares with an intercept, on the rows it was fitted
    to, ``SST = SSR + SSE``. Elsewhere the cross term ``2 Σ (ŷ - ȳ)(y - ŷ)`` does not vanish, and the title names it.

    Parameters
    ----------
    model : fitted linear regressor
        With one column.
    X : table of shape (n_rows, 1)
    y : column of shape (n_rows,)
    row : int, optional
        Which point to take apart, counted from 0. Otherwise the one whose parts are best seen: both on one side of the
        mean, the smaller of them as large as can be.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[1], [2], [4], [3], [5]], [1, 3, 3, 2, 5]
    >>> sums_of_squares(LinearRegression().fit(X, y), X, y).get_title()
    'SST 8.80 = SSR 6.40 + SSE 2.40'
    """
    r = _read("sums_of_squares", model, X, y, n_columns=1)
    mean = float(r.y.mean())
    row = _clearest(r, mean) if row is None else row
    if not 0 <= row < len(r.y):
        raise DataError(f"sums_of_squares: row must be from 0 to {len(r.y) - 1}; got {row}.")
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.axhline(mean, color=_style.GRAY, linestyle="--", linewidth=1.4, label=f"mean of {r.target} = {number(mean)}")
    ax.plot(*r.ends, color=_style.BLUE, linewidth=2.2, label=_style.shown(r.equation))
    _draw_points(ax, r, color=_style.GRAY)
    _draw_parts(ax, r, mean, row)
    ax.set_title(_identity(r, mean), fontsize=_style.TITLE)
    _style.legend(ax)
    return ax


def _draw_points(ax: "Axes", r: Reading, color: str = _style.INK) -> None:
    size = _style.marker_size(len(r.y))
    ax.plot(r.X[:, 0], r.y, linestyle="", marker="o", markersize=size, color=color, zorder=4, label="data")
    ax.set(xlabel=r.names[0], ylabel=r.target)


def _draw_bands(ax: "Axes", r: Reading, interval: Intervals, X: Any) -> None:
    """Both bands over the range of the data, asked for in a table of X's kind, so that the column keeps its name."""
    x = np.linspace(r.X.min(), r.X.max(), 200)
    columns = column_names(X)
    table = x[:, None] if columns is None else type(X)({columns[0]: x})
    level = getattr(interval, "level", None)
    share = "" if level is None else f"{100 * level:g} % "
    for kind, of, edge, face_color in BANDS:
        _, low, high = np.asarray(interval.predict(table, kind=kind)).T
        label = f"{share}{kind} ({of})"
        ax.fill_between(x, low, high, facecolor=face_color, edgecolor=_style.BLUE, linestyle=edge, label=label)


def _draw_side(ax: Axes3D, r: Reading, rows: NDArray[np.bool_], line: str, marker: str, color: str, label: str) -> None:
    """The points of one side of the plane, each with its segment; a gap of NaN parts one segment from the next."""
    if not rows.any():
        return
    x1, x2 = r.X[rows].T
    fitted, y, breaks = r.fitted[rows], r.y[rows], np.full(len(x1), np.nan)
    heights = np.column_stack([fitted, y, breaks]).ravel()
    size = _style.marker_size(len(r.y))
    ax.plot(np.repeat(x1, 3), np.repeat(x2, 3), heights, linestyle=line, color=color, linewidth=1.2)
    ax.plot(x1, x2, fitted, linestyle="", marker=".", markersize=size / 2, color=color)
    ax.plot(x1, x2, y, linestyle="", marker=marker, markersize=size, color=color, label=label)


def _clearest(r: Reading, mean: float) -> int:
    """The row whose explained part and residual point the same way, the smaller of them as large as can be."""
    explained, residual = r.fitted - mean, r.y - r.fitted
    smaller = np.minimum(np.abs(explained), np.abs(residual))
    stacked = explained * residual > 0
    return int(np.argmax(np.where(stacked, smaller, -1.0) if stacked.any() else smaller))


def _identity(r: Reading, mean: float) -> str:
    """SST = SSR + SSE in numbers, with the cross term where it is more than rounding."""
    explained, residual = r.fitted - mean, r.y - r.fitted
    sst, ssr, sse = (float(deviation @ deviation) for deviation in (r.y - mean, explained, residual))
    cross = 2.0 * float(explained @ residual)
    text = f"SST {number(sst, sst)} = SSR {number(ssr, sst)} + SSE {number(sse, sst)}"
    if abs(cross) > 1e-6 * (ssr + sse):
        text += f" {MINUS if cross < 0 else '+'} cross term {number(abs(cross), sst)}"
    return text


def _draw_parts(ax: "Axes", r: Reading, mean: float, row: int) -> None:
    """Three brackets at the point of ``row``: the total toward the middle of the data, its two parts away from it."""
    x, y, fit = float(r.X[row, 0]), float(r.y[row]), float(r.fitted[row])
    span = float(np.ptp(r.X)) or 1.0
    out = 0.035 * span * (1 if x >= r.X.mean() else -1)
    stacked = (fit - mean) * (y - fit) >= 0
    far = x + (out if stacked else 2 * out)
    margin = span * _style.share(ax, inches=1.6)
    ax.set_xlim(min(ax.get_xlim()[0], x - margin), max(ax.get_xlim()[1], x + margin))
    for height in (y, fit):
        ax.plot([x - out, far], [height, height], color=_style.GRAY, linewidth=0.9, linestyle=":", zorder=2)
    ax.plot([x], [y], marker="o", color=_style.INK, zorder=6)
    ax.plot([x], [fit], marker="s", color=_style.BLUE, zorder=6)
    _draw_bracket(ax, x - out, mean, y, color=_style.INK)
    _draw_bracket(ax, x + out, mean, fit, color=_style.GREEN)
    _draw_bracket(ax, far, fit, y, color=_style.VERMILION)
    side, middle = int(np.sign(out)), ((fit if stacked else mean) + y) / 2
    explained, residual = _apart((mean + fit) / 2, (fit + y) / 2, 0.13 * float(np.ptp(ax.get_ylim())))
    largest = max(abs(y - mean), abs(fit - mean), abs(y - fit))
    _write(ax, x - out, middle, -side, f"total\ny {MINUS} mean = {number(y - mean, largest)}", _style.INK)
    _write(ax, far, explained, side, f"explained\nfit {MINUS} mean = {number(fit - mean, largest)}", _style.GREEN)
    _write(ax, far, residual, side, f"residual\ny {MINUS} fit = {number(y - fit, largest)}", _style.VERMILION)


def _draw_bracket(ax: "Axes", x: float, start: float, end: float, color: str) -> None:
    ax.plot([x, x], [start, end], color=color, linewidth=2, marker="_", markersize=10, markeredgewidth=2, zorder=5)


def _write(ax: "Axes", x: float, y: float, side: int, text: str, color: str) -> None:
    """``text`` on the right (1) or the left (-1) of a place, on a white ground that keeps it readable over points."""
    ax.annotate(
        text,
        (x, y),
        xytext=(10 * side, 0),
        textcoords="offset points",
        ha="left" if side > 0 else "right",
        va="center",
        color=color,
        fontsize=_style.SMALL,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
        zorder=7,
    )


def _apart(a: float, b: float, min_distance: float) -> tuple[float, float]:
    """Two heights moved away from each other until they are ``min_distance`` apart."""
    push = max(0.0, min_distance - abs(a - b)) / 2
    return (a - push, b + push) if a <= b else (a + push, b - push)


def _read(who: str, model: LinearModel, X: Any, y: Any, *, n_columns: int) -> Reading:
    """Check that ``who`` can draw the model on these rows, and take from them what it draws."""
    coef, intercept = _coefficients(who, model)
    names = names_of(model, X, len(coef))
    if len(coef) != n_columns:
        raise DataError(
            f"{who}: needs a model with {WORDS[n_columns]}; got {len(coef)} ({', '.join(names)}).\n"
            f"hint: {HINTS.get(len(coef), 'fit a model on the column, or the two columns, that you want to see.')}"
        )
    values, observed = numbers(who, "X", in_order(who, X, names)), numbers(who, "y", y)
    if values.ndim != 2 or observed.shape[:1] != values.shape[:1] or observed.size != len(values):
        raise DataError(
            f"{who}: X must be a table and y one column with as many rows; "
            f"got shapes {values.shape} and {observed.shape}.\n"
            "hint: a single column is a table as X.reshape(-1, 1) or frame[['name']]."
        )
    fitted = np.asarray(model.predict(X), dtype=np.float64).ravel()
    if not np.allclose(fitted, intercept + values @ coef, rtol=1e-4, atol=1e-4 * float(np.abs(fitted).max())):
        raise DataError(
            f"{who}: needs a model that predicts intercept_ + X coef_; {type(model).__name__} does not.\n"
            "hint: a link function or a classifier bends the line; draw a linear regressor."
        )
    return Reading(
        values, observed.ravel(), fitted, coef, intercept, [plain(name) for name in names], plain(name_of(y))
    )


def _coefficients(who: str, model: LinearModel) -> tuple[Floats, float]:
    for attribute in ("coef_", "intercept_"):
        if not hasattr(model, attribute):
            raise DataError(
                f"{who}: needs a fitted linear model; {type(model).__name__} has no {attribute}.\n"
                "hint: call fit first; a model that is not linear has no line or plane to draw."
            )
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    if len(coef) > 1:
        raise DataError(
            f"{who}: needs a model with one target; got {len(coef)}.\nhint: fit and draw one column of y at a time."
        )
    return coef[0], float(np.ravel(model.intercept_)[0])
