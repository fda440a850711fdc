"""A picture of early stopping: the error by epoch, and the epoch to go back to."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["early_stopping"]

# Errors this many times apart are drawn on a logarithmic axis.
DECADES = 100.0


def early_stopping(run: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the error on the rows fitted and on rows held out, epoch by epoch, with the best model marked.

    The error on the rows fitted goes on falling; that on rows held out falls, and rises again when rows are learned by
    heart. The lowest point of the second curve is the model to keep, however long the run went on. A score that is the
    negative of an error is drawn as the error; other scores, of which more is better, as what is missing to 1.

    Parameters
    ----------
    run : fitted `EarlyStopping`, or what `pellucid.model_selection.staged_curve` gives
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> curve = SimpleNamespace(
    ...     iterations=[1, 2, 3],
    ...     train_scores=[-4.0, -2.0, -1.0],
    ...     test_scores=[-5.0, -3.0, -3.5],
    ...     best_iteration=2,
    ...     stopped_at=None,
    ...     score_name="neg_mean_squared_error",
    ... )
    >>> ax = early_stopping(curve)
    >>> ax.get_ylabel(), [text.get_text() for text in ax.texts]
    ('mean squared error', ['best model: epoch 2, 3.00'])
    """
    who = "early_stopping"
    curve = getattr(run, "curve_", run)
    missing = [name for name in _PARTS if not hasattr(curve, name)]
    if missing:
        hint = "give it a fitted EarlyStopping, or what staged_curve returns"
        raise DataError(
            format_message(who, f"needs a run with {missing[0]}", actual=f"got {short_repr(run)}", hint=hint)
        )
    epochs = np.asarray(curve.iterations, dtype=np.float64)
    train, test, label = _errors(curve)
    best = np.flatnonzero(epochs == curve.best_iteration)
    if len(test) != len(epochs) or len(train) != len(epochs) or not len(best) or not np.isfinite(test[best[0]]):
        requirement = (
            "iterations, train_scores and test_scores must have the same length, and best_iteration be one of them"
        )
        raise DataError(format_message(who, requirement, actual=f"got {len(epochs)}, {len(train)} and {len(test)}"))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.plot(epochs, train, color=_style.BLUE, linestyle="--", linewidth=2.0, label="rows fitted")
    ax.plot(epochs, test, color=_style.VERMILION, linewidth=2.4, label="rows held out")
    _mark(ax, epochs, train, test, int(best[0]))
    stopped = curve.stopped_at
    if stopped is not None:
        ax.axvline(float(stopped), color=_style.GRAY, linestyle="-.", linewidth=1.2, label=f"stopped at {stopped}")
    ax.set(xlabel="epoch", ylabel=label)
    ax.locator_params(axis="x", integer=True)
    ax.legend(framealpha=0.85, edgecolor="none")
    return ax


_PARTS = ("iterations", "train_scores", "test_scores", "best_iteration", "stopped_at", "score_name")


def _errors(curve: Any) -> tuple[Floats, Floats, str]:
    """Errors on both kinds of rows, and what they are."""
    train, test = (np.asarray(scores, dtype=np.float64) for scores in (curve.train_scores, curve.test_scores))
    name = str(curve.score_name)
    if name.startswith("neg_"):
        return -train, -test, plain(name.removeprefix("neg_").replace("_", " "))
    if np.nanmax(np.concatenate([train, test])) <= 0:  # an error with its sign turned, under another name
        return -train, -test, f"error (negative {plain(name)})"
    return 1 - train, 1 - test, f"1 {_style.MINUS} {plain(name)}"


def _mark(ax: "Axes", epochs: Floats, train: Floats, test: Floats, best: int) -> None:
    """The best model: a ring, a line down to its epoch, and words where there is room."""
    values = np.concatenate([train, test])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    if low > 0 and high > DECADES * low:
        ax.set_yscale("log")
        ax.set_ylim(low / 1.3, high * 1.3)
    else:
        margin = 0.06 * (high - low) or 0.5
        ax.set_ylim(low - margin, high + margin)
    x, y = float(epochs[best]), float(test[best])
    ax.vlines(x, ax.get_ylim()[0], y, color=_style.GREEN, linestyle=":", linewidth=1.4)
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": _style.GREEN, "markeredgewidth": 2.2}
    ax.plot([x], [y], marker="o", markersize=11, linestyle="", zorder=5, **ring)
    position = _free_place(ax, epochs, [train, test])
    ax.annotate(
        f"best model: epoch {x:g}, {number(y)}",
        (x, y),
        xytext=position,
        textcoords="axes fraction",
        ha="center",
        color=_style.GREEN,
        fontsize=_style.SMALL,
        arrowprops={"arrowstyle": "->", "color": _style.GREEN, "shrinkB": 7},
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        zorder=6,
    )


def _free_place(ax: "Axes", epochs: Floats, curves: list[Floats]) -> tuple[float, float]:
    """Where words as wide as a third of the frame are furthest from both curves, in shares of the frame."""
    to_share = ax.transData + ax.transAxes.inverted()
    reach = np.linspace(-1 / 6, 1 / 6, 9)
    points = np.concatenate([to_share.transform(np.column_stack([epochs, curve])) for curve in curves])
    points = points[np.isfinite(points).all(axis=1)]
    best, position = -1.0, (0.5, 0.5)
    for y in (0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.9):
        for x in (0.5, 0.4, 0.6, 0.3, 0.7):
            words = np.column_stack([x + reach, np.full(len(reach), y)])
            apart = np.abs(words[:, None] - points[None]) * [1.0, 1.5]
            nearest = min(float(np.hypot(*apart.T).min()), 0.15)  # further is not better: the arrow grows long
            if nearest > best + 1e-9:
                best, position = nearest, (x, y)
    return position
