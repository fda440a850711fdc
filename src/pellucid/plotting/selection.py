"""Pictures of how good a model is with how many columns."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._scored import figure
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rounds up to which each point is called by the column that came in or went out.
MOST_NAMED = 20


def selection_path(selector: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the score on rows held out against the number of columns in use.

    The line is the mean over the folds of the best set of each size, the band one standard deviation up and down. The
    highest mean is marked, and so is what was chosen. Of a sequential selection every round is a point, called by the
    column that came in (+) or went out (-). A line that has become flat says that fewer columns do as well.

    Parameters
    ----------
    selector : fitted SequentialFeatureSelector or RFECV
        With ``path_`` or ``cv_results_``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.feature_selection import SequentialFeatureSelector
    >>> from pellucid.linear_model import LinearRegression
    >>> X = [[3, 1, 2], [1, 2, 7], [4, 3, 1], [1, 4, 8], [2, 5, 1], [5, 5, 2], [9, 6, 8], [2, 7, 1], [8, 8, 2]]
    >>> selector = SequentialFeatureSelector(LinearRegression(), n_features_to_select=2, cv=2)
    >>> ax = selection_path(selector.fit(X, [3, 7, 9, 12, 15, 16, 19, 20, 25]))
    >>> ax.lines[0].get_xdata().tolist(), ax.get_xlabel()
    ([1, 2], 'columns')
    """
    from matplotlib.ticker import MaxNLocator

    sizes, mean, deviation, words, n_selected = _read(selector)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    line: dict[str, Any] = {"color": _style.VERMILION, "marker": "s", "label": "mean on rows held out"}
    ax.plot(sizes, mean, **line)
    ax.fill_between(sizes, mean - deviation, mean + deviation, color=_style.VERMILION, alpha=0.15, linewidth=0)
    best = int(np.nanargmax(mean))
    ax.axvline(n_selected, color=_style.BLUE, linestyle=":", label=f"chosen: {n_selected}")
    label = f"best: {int(sizes[best])} ({figure(float(mean[best]))})"
    ax.plot([sizes[best]], [mean[best]], "o", markersize=11, fillstyle="none", color=_style.BLUE, label=label)
    if len(words) <= MOST_NAMED:
        for size, score, word in zip(sizes, mean, words, strict=True):
            ax.annotate(plain(word), (size, score), (0, -12), textcoords="offset points", ha="center", va="top", size=8)
        ax.margins(x=0.08, y=0.18)
    ax.set(xlabel="columns", ylabel="score")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend()
    return ax


def _read(selector: Any) -> tuple[Any, Floats, Floats, list[str], int]:
    """Numbers of columns, mean and spread of the scores, a word for each, and how many columns were chosen."""
    if hasattr(selector, "path_"):
        path = list(selector.path_)
        sizes = np.array([step.n_features for step in path])
        mean = np.array([step.score for step in path])
        spread = np.array([np.std(step.fold_scores) for step in path])
        words = [f"{'+' if step.action == 'add' else '-'} {step.name}" for step in path]
        order = np.argsort(sizes, kind="stable") if len(set(sizes.tolist())) == len(sizes) else np.arange(len(sizes))
        columns = sizes[order], mean[order], spread[order], [words[i] for i in order]
        if len(path):
            return *columns, int(selector.n_features_to_select_)
    elif hasattr(selector, "cv_results_") and "n_features" in selector.cv_results_:
        results = selector.cv_results_
        sizes = np.asarray(results["n_features"])
        words = [""] * len(sizes)
        return sizes, results["mean_test_score"], results["std_test_score"], words, int(selector.n_features_)
    requirement = "selection_path draws a fitted SequentialFeatureSelector or RFECV that made at least one round"
    raise DataError(
        format_message("selection_path", requirement, actual=f"got {type(selector).__name__}", hint="fit it first")
    )
