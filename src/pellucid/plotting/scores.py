"""Pictures of how well classes are predicted: the confusion matrix, ROC, precision-recall and calibration curves.

Curves are drawn for one model, for several (a dict of scores by name), and for several classes, each against the rest
(scores with one column a class). All figures are those of `pellucid.metrics`.
"""

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pellucid import metrics
from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._scored import Line, classes_of, cut, figure, labels_of, read
from pellucid.plotting._style import looks, number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Classes up to which a confusion matrix has numbers, and up to which it has white lines between its cells.
MOST_WITH_NUMBERS, MOST_WITH_LINES = 20, 60
# The smallest type, in points, that can still be read.
SMALLEST = 5.0
# Entries of a legend that the picture itself has room for, where there is some beside it, and where there is none.
MOST_BESIDE, MOST_INSIDE = 3, 8
SHARES = {
    None: "shares of each true class",
    "true": "shares of each true class",
    "pred": "shares of each predicted class",
    "all": "shares of all rows",
}
STRIP = (-0.20, -0.04)
"""From where to where, below the diagram, the counts of predictions are drawn."""


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
    sample_weight: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    r"""Draw how often each true class (row) was predicted as each class (column).

    Right predictions, on the diagonal, are blue, errors orange; the more of the row's true class a cell holds, the
    darker it is, and errors are darkened early, by the root of their share, so that rare ones are seen. A cell says its
    count and its share of the row. Beyond twenty classes, or where type would be too small, colors speak alone.

    Parameters
    ----------
    y_true, y_pred : labels
    labels : list, optional
        The classes to draw, in this order; rows with another label are left out. Otherwise all, sorted.
    normalize : {"true", "pred", "all"}, optional
        Say and color only shares: of the row, of the column, or of all rows.
    sample_weight : array, optional
        A matrix of counts is drawn by giving each of its cells as one row, with the count as the weight.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> true, predicted = ["no", "no", "yes", "yes"], ["no", "yes", "no", "yes"]
    >>> ax = confusion_matrix(true, predicted, sample_weight=[50, 10, 5, 100])
    >>> ax.get_title()
    '150 of 165 right (91 %)\nshares of each true class'
    >>> [text.get_text().replace(chr(10), ", ") for text in ax.texts]
    ['50, 83 %', '10, 17 %', '5, 5 %', '100, 95 %']
    """
    who = "confusion_matrix"
    columns = [labels_of(who, name, y) for name, y in (("y_true", y_true), ("y_pred", y_pred))]
    names = classes_of(who, *columns) if labels is None else np.asarray(labels).ravel().tolist()
    if len(names) < 2:
        raise DataError(
            format_message(who, "needs two classes or more", actual=f"got {names}", hint="name all classes with labels")
        )
    options: dict[str, Any] = {"labels": names, "sample_weight": sample_weight}
    counts = metrics.confusion_matrix(*columns, **options)
    if counts.sum() <= 0:
        raise DataError(
            format_message(who, "some rows must have a true and a predicted label among labels", actual="none has")
        )
    shares = metrics.confusion_matrix(*columns, normalize=normalize or "true", **options)
    tints = _tints(shares / (shares.max() if normalize == "all" else 1.0))
    words = [cut(str(name)) for name in names]
    is_new_figure = ax is None
    ax = _square_figure(words) if ax is None else ax
    ax.imshow(tints, interpolation="nearest")
    ax.set_title(f"{_right(counts)}\n{SHARES[normalize]}", fontsize=_style.TITLE)
    _name_classes(ax, words)
    if is_new_figure:  # what the names leave to the cells
        ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    _write_cells(ax, _cell_texts(counts, shares, normalize), tints)
    return ax


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    threshold: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the share of positives found against the share of negatives called positive, over all thresholds.

    The diagonal is what guessing reaches. The area under the curve (AUC), in the legend, is the chance that a positive
    row scores above a negative one.

    Parameters
    ----------
    y_true : labels
    y_score : scores, the higher the more positive
        One column; or one column a class, in the order of ``labels``, which gives one line a class against the rest
        (of two columns the second alone); or a dict of these by the name of the model.
    pos_label : label, optional
        The positive class, where labels are not 0 and 1 or -1 and 1; of several columns, the only one to draw.
    labels : list, optional
        The classes of the columns of ``y_score``. Otherwise all of ``y_true``, sorted.
    sample_weight : array, optional
    threshold : float, optional
        Mark where rows that score this or more are called positive.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['AUC 0.750', 'chance']
    """
    who = "roc_curve"
    lines = read(who, y_true, y_score, pos_label, labels, sample_weight)
    _check_threshold(who, threshold)
    curves = [metrics.roc_curve(line.positive, line.score, sample_weight=line.weight)[:2] for line in lines]
    areas = [metrics.roc_auc_score(line.positive, line.score, sample_weight=line.weight) for line in lines]
    is_new_figure, ax = ax is None, _unit_square(ax, "false positive rate", "true positive rate")
    for line, (across, up), area, (color, kind, _) in zip(lines, curves, areas, looks(len(lines)), strict=True):
        ax.plot(across, up, color=color, linestyle=kind, linewidth=2.0, label=line.words("AUC", float(area)))
        if threshold is not None:
            positive = line.positive == 1
            _mark(ax, line.called(threshold, ~positive), line.called(threshold, positive), color)
    ax.plot([0, 1], [0, 1], color=_style.GRAY, linestyle="--", linewidth=1.2, zorder=1, label="chance")
    _legend(ax, lines, "AUC", "lower right", is_new_figure, threshold)
    return ax


def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    threshold: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how pure the rows called positive are against how many of the positives they hold, over all thresholds.

    The area under the steps is the average precision, in the legend. Guessing reaches the share of positives, which is
    drawn too, for each class in its color. Prefer it to `roc_curve` where positives are rare.

    Parameters
    ----------
    y_true, y_score, pos_label, labels, sample_weight, threshold, ax
        As in `roc_curve`.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = precision_recall_curve([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['average precision 0.833', 'no skill: 0.500']
    """
    who = "precision_recall_curve"
    lines = read(who, y_true, y_score, pos_label, labels, sample_weight)
    _check_threshold(who, threshold)
    curves = [_steps(line) for line in lines]
    means = [metrics.average_precision_score(line.positive, line.score, sample_weight=line.weight) for line in lines]
    is_new_figure, ax = ax is None, _unit_square(ax, "recall", "precision")
    for line, (precision, recall), mean, (color, kind, _) in zip(lines, curves, means, looks(len(lines)), strict=True):
        words = line.words("average precision", float(mean))
        ax.plot(recall, precision, color, linestyle=kind, linewidth=2.0, drawstyle="steps-post", label=words)
        if threshold is not None:
            _mark(ax, *_at(line, threshold), color)
    _draw_no_skill(ax, lines)
    location = "lower left" if min(map(float, means)) > 0.5 else "upper right"
    _legend(ax, lines, "average precision", location, is_new_figure, threshold)
    return ax


def calibration_curve(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile"] = "uniform",
    pos_label: Any = None,
    labels: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the share of positives among rows that were given about the same probability: a reliability diagram.

    Points on the diagonal say that probabilities mean what they say; below it they are too high. The strip below counts
    the predictions: a point made from few rows says little. The legend gives the Brier score, lower being better.

    Parameters
    ----------
    y_true, pos_label, labels, ax
        As in `roc_curve`.
    y_prob : as ``y_score`` in `roc_curve`, probabilities from 0 to 1
    n_bins : int, default=5
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of equally many rows. Empty ones are left out.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = calibration_curve([0, 0, 1, 1], [0.125, 0.375, 0.625, 0.875], n_bins=2)
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
    ([0.25, 0.75], [0.0, 1.0])
    """
    lines = read("calibration_curve", y_true, y_prob, pos_label, labels, None, "y_prob")
    options: dict[str, Any] = {"n_bins": n_bins, "strategy": strategy}
    points = [metrics.calibration_curve(line.positive, line.score, **options) for line in lines]
    losses = [metrics.brier_score_loss(line.positive, line.score) for line in lines]
    is_new_figure, ax = (
        ax is None,
        _unit_square(ax, "predicted probability (mean of the bin)", "share of positives", bottom=STRIP[0]),
    )
    styles = looks(len(lines))
    for line, (true, predicted), loss, (color, kind, marker) in zip(lines, points, losses, styles, strict=True):
        words = line.words("Brier score", loss)
        ax.plot(predicted, true, color, linestyle=kind, marker=marker, markersize=6, linewidth=1.8, label=words)
    ax.plot([0, 1], [0, 1], color=_style.GRAY, linestyle="--", linewidth=1.2, zorder=1, label="perfectly calibrated")
    _draw_strip(ax, lines, [color for color, *_ in styles])
    _legend(ax, lines, "Brier score", "best", is_new_figure)
    return ax


# --------------------------------------------------------------------------------------------------- lines in a square


def _check_threshold(who: str, threshold: Any) -> None:
    if threshold is not None and not (isinstance(threshold, int | float | np.number) and math.isfinite(threshold)):
        raise ParameterError(
            format_message(who, "threshold must be a number or None", actual=f"got {short_repr(threshold)}")
        )


def _unit_square(ax: "Axes | None", xlabel: str, ylabel: str, bottom: float = 0.0) -> "Axes":
    """Axes from 0 to 1 both ways, a diagonal being one to the eye too."""
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ticks = np.linspace(0, 1, 6)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(-0.02, 1.02), ylim=(bottom - 0.02, 1.02), xticks=ticks, yticks=ticks)
    ax.set_aspect("equal")
    return ax


def _legend(
    ax: "Axes", lines: list[Line], what: str, location: Any, is_new_figure: bool, threshold: float | None = None
) -> None:
    """In the square; beside it where a figure of our own can give the room, or where there are too many lines."""
    if threshold is not None:
        label = f"threshold {threshold:g}"
        ax.plot([], [], linestyle="", marker="o", color="white", markeredgecolor=_style.INK, label=label)
    n_entries = len(ax.get_legend_handles_labels()[1])
    size = _style.SMALL if is_new_figure and n_entries <= 20 else 0.8 * _style.SMALL
    options: dict[str, Any] = {"fontsize": size, "title_fontsize": size, "alignment": "left"}
    options |= {"title": what if lines[0].name else None, "ncols": 1 + n_entries // 21}
    if n_entries <= (MOST_BESIDE if is_new_figure else MOST_INSIDE):
        ax.legend(loc=location, framealpha=0.8, edgecolor="none", **options)
        return
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0, frameon=False, **options)
    if is_new_figure:
        figure: Any = ax.figure
        ax.set_anchor("W")
        figure.draw_without_rendering()
        right = legend.get_window_extent().x1 / figure.dpi + 0.1
        figure.set_size_inches(max(right, figure.get_figwidth()), figure.get_figheight())


def _mark(ax: "Axes", x: float, y: float, color: str) -> None:
    ax.plot([x], [y], marker="o", markersize=9, color="white", markeredgecolor=color, markeredgewidth=2.2, zorder=5)


def _steps(line: Line) -> tuple[Floats, Floats]:
    return metrics.precision_recall_curve(line.positive, line.score, sample_weight=line.weight, drop_intermediate=True)[
        :2
    ]


def _at(line: Line, threshold: float) -> tuple[float, float]:
    """Recall and precision at a threshold; where nothing is called positive, the end of the curve."""
    called = line.score >= threshold
    weight = np.ones(len(called)) if line.weight is None else line.weight
    if weight[called].sum() == 0:
        return 0.0, 1.0
    return line.called(threshold, line.positive == 1), float(np.average(line.positive[called], weights=weight[called]))


def _draw_no_skill(ax: "Axes", lines: list[Line]) -> None:
    """One line where all have the same share of positives, else one a class, in its color."""
    shares = [line.share for line in lines]
    style: dict[str, Any] = {"linestyle": "--", "linewidth": 1.0, "zorder": 1}
    if np.ptp(shares) < 1e-12:
        ax.axhline(shares[0], color=_style.GRAY, label=f"no skill: {figure(shares[0])}", **style)
        return
    for share, (color, *_) in zip(shares, looks(len(lines)), strict=True):
        ax.axhline(share, color=color, alpha=0.5, **style)
    ax.plot([], [], color=_style.GRAY, label="no skill: share of the class", **style)


def _draw_strip(ax: "Axes", lines: list[Line], colors: list[str]) -> None:
    """How many predictions fall into each twentieth of the axis."""
    low, high = STRIP
    histograms = [np.histogram(line.score, bins=20, range=(0.0, 1.0)) for line in lines]
    max_count = max(int(counts.max()) for counts, _ in histograms)
    for (counts, edges), color in zip(histograms, colors, strict=True):
        single = len(lines) == 1
        heights = low + (high - low) * counts / max_count
        style: dict[str, Any] = {"facecolor": color, "alpha": 0.5} if single else {"edgecolor": color, "linewidth": 1.3}
        ax.stairs(heights, edges, baseline=low, fill=single, **style)
    ax.axhline(low, color=_style.GRAY, linewidth=0.8)
    label = f"predictions\n(highest bar: {max_count:,})"
    where = (1.02, (low + high) / 2)
    ax.annotate(label, where, (4, 0), textcoords="offset points", va="center", fontsize=8, color=_style.INK)


# ------------------------------------------------------------------------------------------------- the confusion matrix


def _square_figure(names: list[str]) -> "Axes":
    """Half an inch a class, and room for the names at the sides."""
    ax = _style.axes()
    figure: Any = ax.figure
    side = min(max(0.5 * len(names), 3.6), 10.0)
    beside = 0.3 + 0.09 * max(map(len, names))
    figure.set_size_inches(side + beside + 0.3, side + (beside if _turn(names) else 0.4) + 0.5)
    return ax


def _turn(names: list[str]) -> int:
    """By how much names along the x axis must be turned not to meet."""
    longest = max(map(len, names))
    if longest <= 2 or len(names) * (longest + 2) <= 44:
        return 0
    return 45 if len(names) <= 10 else 90


def _tints(shares: Floats) -> Floats:
    """A color a cell, from white toward blue on the diagonal and toward orange elsewhere."""
    from matplotlib.colors import to_rgb

    right, wrong = np.array(to_rgb(_style.BLUE)), np.array(to_rgb(_style.VERMILION))
    on_diagonal = np.eye(len(shares), dtype=bool)
    depth = np.where(on_diagonal, shares, np.sqrt(np.clip(shares, 0, 1)))[:, :, None].clip(0, 1)
    return np.asarray(1 - depth * (1 - np.where(on_diagonal[:, :, None], right, wrong)))


def _name_classes(ax: "Axes", names: list[str]) -> None:
    n, size = len(names), _style.SMALL if len(names) <= 20 else 8.0
    ticks = range(0, n, math.ceil(1.2 * size / _room(ax, n)))
    tick_labels = [plain(names[k]) for k in ticks]
    ax.set_yticks(ticks, tick_labels, fontsize=size)
    ax.set_xticks(ticks, tick_labels, fontsize=size)
    turn = _turn(names)
    for label in ax.get_xticklabels() if turn == 45 else []:
        label.set(ha="right", rotation_mode="anchor")
    ax.tick_params(axis="x", rotation=turn)
    ax.set(xlabel="predicted", ylabel="true")
    ax.tick_params(length=0)
    ax.spines[:].set_color(_style.GRAY)
    for border in np.arange(0.5, n - 1) if n <= MOST_WITH_LINES else []:
        ax.axhline(border, color="white", linewidth=1.0)
        ax.axvline(border, color="white", linewidth=1.0)


def _room(ax: "Axes", n_classes: int) -> float:
    """The side of a cell, in points."""
    box = ax.get_window_extent()
    return float(min(box.width, box.height)) / ax.figure.dpi * 72 / n_classes


def _cell_texts(counts: Array, shares: Floats, normalize: str | None) -> list[list[str]]:
    if normalize is not None:
        return [[_percent(share) for share in row] for row in shares]
    with_shares = len(counts) <= 10
    return [
        [
            f"{_count(c)}\n{_percent(s)}" if with_shares and c else _count(c)
            for c, s in zip(row, row_shares, strict=True)
        ]
        for row, row_shares in zip(counts, shares, strict=True)
    ]


def _write_cells(ax: "Axes", texts: list[list[str]], tints: Floats) -> None:
    longest = max(len(line) for row in texts for text in row for line in text.split("\n"))
    cell_size = _room(ax, len(texts))
    size = min(11.0, 0.85 * cell_size / (0.6 * longest), 0.85 * cell_size / 2.6)
    if len(texts) > MOST_WITH_NUMBERS or size < SMALLEST:
        return
    for (i, j), _ in np.ndenumerate(tints[:, :, 0]):
        color = "white" if _is_dark(tints[i, j]) else _style.GRAY if texts[i][j] in ("0", "0 %") else _style.INK
        ax.text(j, i, texts[i][j], ha="center", va="center", fontsize=size, color=color)


def _is_dark(color: Floats) -> bool:
    """White reads better than ink, by the WCAG's contrast ratio ``(L1 + 0.05) / (L2 + 0.05)``, L the luminance."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return bool(linear @ [0.2126, 0.7152, 0.0722] < 0.245)


def _right(counts: Array) -> str:
    right, total = np.trace(counts), counts.sum()
    return f"{_count(right)} of {_count(total)} right ({_percent(right / total)})"


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, np.integer) else f"{value:,.0f}" if value == int(value) else number(value)


def _percent(share: float) -> str:
    """Whole percent; nothing but nothing is 0 %, and nothing but all is 100 %."""
    return "<1 %" if 0 < share < 0.005 else ">99 %" if 0.995 < share < 1 else f"{100 * share:.0f} %"
