"""Pictures of networks: units and weights, the values of one row on their way, bends, and the loss of each epoch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._read import names_of
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["activation_curves", "network_diagram", "network_loss"]

_MOST_UNITS = 16  # of a layer that are drawn
_MOST_NUMBERS = 24  # weights that are written beside their lines


def network_diagram(model: Any, row: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the units of a network, layer by layer, and its weights as lines: the thicker, the larger.

    Blue lines are weights above zero, red ones below. Of a small network the weights are written beside their lines
    and the bias under each unit; with `row` every unit shows its value for that row. Of a wide layer the first units
    are drawn.

    Parameters
    ----------
    model : fitted MLPClassifier or MLPRegressor
    row : one row of a table, optional
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    _check(model, "network_diagram")
    ax = _style.axes() if ax is None else ax
    ax.set_axis_off()
    sizes = [len(model.coefs_[0]), *(len(b) for b in model.intercepts_)]
    values = None if row is None else _values(model, row)
    tallest = min(max(sizes), _MOST_UNITS)
    unit_heights = [_places(size, tallest) for size in sizes]
    numbers = sum(W.size for W in model.coefs_) <= _MOST_NUMBERS
    for layer, W in enumerate(model.coefs_):
        _lines(ax, layer, np.asarray(W, dtype=np.float64), unit_heights, numbers)
    for layer, heights in enumerate(unit_heights):
        inside = None if values is None else values[layer]
        _units(ax, model, layer, heights, inside, numbers, 900 if tallest <= 8 else 200)
    ax.set_xlim(-0.6, len(sizes) - 0.4)
    ax.set_ylim(-tallest / 2 - (1.4 if max(sizes) > tallest else 0.5), tallest / 2 + 0.5)
    return ax


def _check(model: Any, who: str) -> None:
    if not hasattr(model, "coefs_") or not hasattr(model, "intercepts_"):
        requirement = "model must be a fitted network with coefs_ and intercepts_"
        raise ParameterError(format_message(who, requirement, actual=f"got {type(model).__name__}"))


def _places(size: int, tallest: int) -> Floats:
    """Heights of the units of a layer, those of a short one farther apart."""
    n_units = min(size, _MOST_UNITS)
    return np.asarray(((n_units - 1) / 2 - np.arange(n_units)) * min(2.5, tallest / n_units))


def _values(model: Any, row: Any) -> list[Floats]:
    """a_0 ... a_L of one row; the outputs by the model itself."""
    a = np.asarray(row, dtype=np.float64).ravel()
    if len(a) != len(model.coefs_[0]):
        requirement = f"row must have {len(model.coefs_[0])} numbers, one a column"
        raise DataError(format_message("network_diagram", requirement, actual=f"got {len(a)}"))
    activations: dict[str, Any] = {
        "relu": lambda z: np.maximum(z, 0),
        "tanh": np.tanh,
        "logistic": lambda z: 1 / (1 + np.exp(-z)),
    }
    layer_values, activation = [a], activations.get(model.activation, lambda z: z)
    for W, b in zip(model.coefs_[:-1], model.intercepts_[:-1], strict=True):
        layer_values.append(activation(layer_values[-1] @ W + b))
    outputs = model.predict_proba([a])[0] if hasattr(model, "classes_") else np.atleast_1d(model.predict([a])[0])
    return [*layer_values, outputs[1:] if len(model.intercepts_[-1]) == 1 and len(outputs) == 2 else outputs]


def _lines(ax: "Axes", layer: int, W: Floats, unit_heights: list[Floats], numbers: bool) -> None:
    largest = float(np.abs(W).max(initial=0.0)) or 1.0
    for i, low in enumerate(unit_heights[layer]):
        for j, high in enumerate(unit_heights[layer + 1]):
            width = 0.2 + 2.8 * abs(W[i, j]) / largest
            color = _style.BLUE if W[i, j] >= 0 else _style.VERMILION
            ax.plot([layer, layer + 1], [low, high], color=color, linewidth=width, alpha=0.7, zorder=1)
            if numbers:
                at = 0.3
                ax.text(layer + at, low + at * (high - low), _style.number(float(W[i, j]), largest), color=color,
                        fontsize=_style.SMALL - 1, ha="center", va="center", zorder=3,
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})  # fmt: skip


def _units(
    ax: "Axes", model: Any, layer: int, heights: Floats, values: Floats | None, numbers: bool, area: int
) -> None:
    size = len(model.coefs_[layer]) if layer < len(model.coefs_) else len(model.intercepts_[-1])
    last = layer == len(model.coefs_)
    ax.scatter(np.full(len(heights), float(layer)), heights, s=area, color=_style.PALE,
               edgecolors=_style.INK, zorder=2)  # fmt: skip
    names = names_of(model, None, size) if layer == 0 else _output_names(model, size) if last else [""] * size
    for unit, height in enumerate(heights):
        if values is not None:
            ax.text(layer, height, _style.number(float(values[unit])), ha="center", va="center",
                    fontsize=_style.SMALL - 1, zorder=4)  # fmt: skip
        if names[unit]:
            beside = np.sqrt(area) / 2 + 4  # in points, as the circle is
            ax.annotate(plain(names[unit]), (layer, height), (-beside if layer == 0 else beside, 0),
                        textcoords="offset points", ha="right" if layer == 0 else "left", va="center",
                        fontsize=_style.SMALL, zorder=4)  # fmt: skip
        if numbers and layer > 0:
            bias = float(model.intercepts_[layer - 1][unit])
            ax.text(layer, height - 0.38, f"b = {_style.number(bias)}", ha="center", va="center", color=_style.GRAY,
                    fontsize=_style.SMALL - 1, zorder=4)  # fmt: skip
    if size > len(heights):
        ax.text(layer, heights[-1] - 1.2, f"and {size - len(heights):,} more", ha="center", fontsize=_style.SMALL)


def _output_names(model: Any, size: int) -> list[str]:
    if hasattr(model, "classes_"):
        return [str(name) for name in (model.classes_[1:] if size == 1 else model.classes_)]
    return ["y"] if size == 1 else [f"y{k + 1}" for k in range(size)]


def activation_curves(kinds: Sequence[str] = ("step", "piecewise", "logistic", "tanh", "relu"), *, a: float = 1.0,
                ax: "Axes | None" = None) -> "Axes":  # fmt: skip
    """Draw what a unit can make of its weighted sum z.

    'step' is 0 below zero and 1 from there on; 'piecewise' rises in a straight line from 0 at -a to 1 at a;
    'logistic' is ``1/(1 + e^(-a z))``, which comes near the step as a grows; and 'tanh', 'relu' and 'identity'.

    Parameters
    ----------
    kinds : which curves
    a : half the width of 'piecewise', and the steepness of 'logistic'
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    z = np.linspace(-4, 4, 801)
    curves = {
        "step": (z >= 0).astype(float),
        "piecewise": np.clip(z / (2 * a) + 0.5, 0, 1),
        "logistic": 1 / (1 + np.exp(-a * z)),
        "tanh": np.tanh(z),
        "relu": np.maximum(z, 0),
        "identity": z,
    }
    unknown = [kind for kind in kinds if kind not in curves]
    if unknown or not a > 0:
        requirement = f"kinds must be among {', '.join(curves)}, and a above zero"
        raise ParameterError(
            format_message("activation_curves", requirement, actual=f"got kinds={list(kinds)!r}, a={a!r}")
        )
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    for kind, (color, line, _) in zip(kinds, _style.looks(len(kinds)), strict=False):
        ax.plot(z, curves[kind], color=color, linestyle=line, label=kind)
    ax.set_xlabel("weighted sum z")
    ax.set_ylabel("value of the unit")
    ax.set_ylim(-1.2, 2.2)
    _style.legend(ax)
    return ax


def network_loss(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the loss of each epoch and, with `early_stopping`, the score of the rows held out and its best epoch.

    Parameters
    ----------
    model : network fitted with 'adam' or 'sgd'
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    if not hasattr(model, "loss_curve_"):
        requirement = "model must be a network fitted by solver 'adam' or 'sgd'"
        raise ParameterError(
            format_message("network_loss", requirement, actual=f"got {type(model).__name__} without loss_curve_")
        )
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    epochs = np.arange(1, len(model.loss_curve_) + 1)
    ax.plot(epochs, model.loss_curve_, color=_style.BLUE, label="loss of the rows learned from")
    scores = getattr(model, "validation_scores_", None)
    if scores:
        best = int(np.argmax(scores))
        ax.plot(epochs, scores, color=_style.VERMILION, linestyle="--", label="score of the rows held out")
        ax.plot([epochs[best]], [scores[best]], "o", color=_style.VERMILION, label=f"best: epoch {epochs[best]}")
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss" if not scores else "loss and score")
    _style.legend(ax)
    return ax
