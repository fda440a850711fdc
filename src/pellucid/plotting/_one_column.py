"""Fitted models of one column: their rows, what they say of a fine grid, and how well."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._read import column_names, numbers
from pellucid.plotting._style import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points of the grid on which a curve is drawn.
FINE = 600


def two_of(who: str, test: Any) -> tuple[Any, Any]:
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise ParameterError(format_message(who, "test must be a pair (x, y)", actual=f"got {short_repr(test)}"))
    return test[0], test[1]


def pair_of(who: str, what: str, x: Any, y: Any) -> tuple[Floats, Floats]:
    """One column and its target as numbers of the same length."""
    across, up = numbers(who, f"{what}x", x), numbers(who, f"{what}y", y)
    is_single_column = across.ndim == 1 or (across.ndim == 2 and across.shape[1] == 1)
    if not is_single_column or across.size != up.size or up.size == 0:
        requirement = f"{what}x must be one column and {what}y another with as many rows"
        actual = f"got shapes {across.shape} and {up.shape}"
        raise DataError(format_message(who, requirement, actual=actual, hint="fit and draw models of a single column"))
    return across.ravel(), up.ravel()


def truth_of(who: str, truth: Callable[[Floats], Any], grid: Floats) -> Floats:
    values = np.asarray(truth(grid[:, None]), dtype=np.float64).ravel()
    if values.shape != grid.shape or not np.isfinite(values).all():
        raise DataError(format_message(who, "truth must give one finite number for each row of a table"))
    return values


def frame_of(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.12 * (high - low) or 0.5 * abs(low) or 0.5
    return low - margin, high + margin


def predicted(who: str, name: str, model: Any, x: Any, column: Floats) -> Floats:
    """What the model says of a column, given in a frame of x's kind if the model was fitted with a name."""
    if not hasattr(model, "predict"):
        requirement = f"models must be fitted models; the one of {name!r} has no predict"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(model)}"))
    wide = getattr(model, "n_features_in_", 1)
    if wide != 1:
        raise DataError(format_message(who, f"needs models of one column; that of {name!r} has {wide}"))
    names = column_names(x) if hasattr(model, "feature_names_in_") else None
    table = column[:, None] if names is None else type(x)({names[0]: column})
    return numbers(who, f"the prediction of {name!r}", model.predict(table)).ravel()


def score_of(who: str, name: str, model: Any, x: Any, xy: tuple[Floats, Floats], score: Any) -> str:
    across, up = xy
    fitted = predicted(who, name, model, x, across)
    if score is not None:
        return number(float(score(up, fitted)))
    total = float(np.square(up - up.mean()).sum())
    return number(1 - float(np.square(up - fitted).sum()) / total) if total > 0 else "undefined"


def draw_rows(ax: "Axes", train: tuple[Floats, Floats], test: tuple[Floats, Floats] | None) -> None:
    size = _style.marker_size(len(train[0]))
    ax.plot(*train, linestyle="", marker="o", markersize=size, color=_style.INK, zorder=3, label="data")
    if test is not None:
        style: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": _style.VERMILION}
        ax.plot(*test, linestyle="", marker="s", markersize=size, zorder=3, label="test data", **style)
