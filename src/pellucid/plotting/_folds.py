"""The picture of folds: reading the rows of each fold and its score, and drawing them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._scored import figure
from pellucid.plotting._style import plain, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BLOCKS = 360
BAR = 0.8


@dataclass(frozen=True)
class Folds:
    """For each fold the rows fitted and the rows held out; the scores, if there are any, and what they are called."""

    pairs: list[tuple[Array, Array]]
    n_rows: int
    scores: Floats | None
    name: str


def read_folds(who: str, folds: Any, scores: Any, score: str | None, n_rows: int | None) -> Folds:
    name = score or "score"
    if isinstance(folds, Mapping):
        if "indices" not in folds:
            hint = "call cross_validate with return_indices=True"
            raise DataError(
                format_message(who, "needs the rows of each fold", actual="the result holds none", hint=hint)
            )
        pairs = list(zip(folds["indices"]["train"], folds["indices"]["test"], strict=True))
        if scores is None:
            scores, name = _score(who, folds, score)
    else:
        pairs = _pairs(who, folds)
    if not pairs:
        raise DataError(format_message(who, "needs one fold or more", actual="there is none"))
    read = [tuple(_rows(who, rows, number) for rows in pair) for number, pair in enumerate(pairs, start=1)]
    last = max(int(rows.max()) for pair in read for rows in pair if len(rows)) + 1
    if n_rows is not None and n_rows < last:
        raise ParameterError(
            format_message(who, "n_rows must reach the last row used", actual=f"got {n_rows}, and {last} are used")
        )
    for number, (train, test) in enumerate(read, start=1):
        both = np.intersect1d(train, test)
        if len(both):
            requirement = "no row may be fitted and held out at once"
            raise DataError(
                format_message(
                    who, requirement, actual=f"fold {number} has {count(len(both), 'row')} in both ({join_some(both)})"
                )
            )
    return Folds([(train, test) for train, test in read], n_rows or last, _numbers(who, scores, len(read)), name)


def _score(who: str, results: Mapping[str, Any], score: str | None) -> tuple[Any, str]:
    score_names = [key.removeprefix("test_") for key in results if key.startswith("test_")]
    name = score or (score_names[0] if score_names else "score")
    if name not in score_names:
        raise ParameterError(
            format_message(who, f"there is no score {name!r}", actual=f"there are {join_some(score_names)}")
        )
    return results[f"test_{name}"], name


def _pairs(who: str, folds: Any) -> list[Any]:
    try:
        pairs = [tuple(pair) for pair in folds]
        if all(len(pair) == 2 and all(np.ndim(rows) == 1 for rows in pair) for pair in pairs):
            return pairs
    except (TypeError, ValueError):
        pass
    requirement = "folds must be a list of (training rows, held-out rows), or what cross_validate gives"
    raise DataError(
        format_message(
            who,
            requirement,
            actual=f"got {short_repr(folds)}",
            hint="a splitter gives them by list(splitter.split(X, y))",
        )
    )


def _rows(who: str, rows: Any, number: int) -> Array:
    """Numbers of rows, each once; from a mask, those it marks."""
    array = np.asarray(rows)
    array = np.flatnonzero(array) if array.dtype.kind == "b" else array
    if not len(array):
        raise DataError(
            format_message(who, "each fold must fit some rows and hold some out", actual=f"fold {number} does not")
        )
    if array.dtype.kind not in "iu" or array.min() < 0:
        raise DataError(
            format_message(
                who, "rows must be whole numbers from 0", actual=f"fold {number} has {short_repr(array.tolist())}"
            )
        )
    return np.unique(array.astype(np.int64))


def _numbers(who: str, scores: Any, n_folds: int) -> Floats | None:
    if scores is None:
        return None
    values = np.asarray(scores, dtype=np.float64).ravel()
    if len(values) != n_folds:
        raise DataError(
            format_message(who, "scores must have one number a fold", actual=f"got {len(values)} for {n_folds} folds")
        )
    if not np.isfinite(values).any():
        raise DataError(format_message(who, "scores must hold a number at least", actual="all are NaN"))
    return np.where(np.isfinite(values), values, np.nan)


def draw_bar(ax: Axes, index: int, n_rows: int, train: Array, test: Array, edge: float) -> None:
    """Held-out rows from the foot of the bar up, training rows on them, white where rows are not used."""
    from matplotlib.patches import StepPatch

    n_blocks = min(n_rows, MOST_BLOCKS)
    size = np.bincount(np.arange(n_rows) * n_blocks // n_rows)
    test_shares, train_shares = (
        np.bincount(rows * n_blocks // n_rows, minlength=n_blocks) / size for rows in (test, train)
    )
    edges = np.concatenate([[0], np.cumsum(size)])
    foot = index + BAR / 2
    middle: Any = foot - BAR * test_shares
    top = foot - BAR * (test_shares + train_shares)
    # As artists, whose limits are not asked for: as stairs, 150 bars of 150 blocks took 14 s.
    held_out = StepPatch(middle, edges, baseline=foot, fill=True, color=_style.VERMILION, linewidth=0, label="held out")
    ax.add_artist(held_out)
    ax.add_artist(StepPatch(top, edges, baseline=middle, fill=True, color=_style.LIGHT, linewidth=0, label="fitted"))
    if edge:
        ax.barh(index, n_rows, BAR, fill=False, edgecolor=_style.GRAY, linewidth=edge, clip_on=False)
    if len(test) + len(train) < n_rows:
        ax.barh(0, 0, BAR, facecolor="white", edgecolor=_style.GRAY, linewidth=0.6, label="not used")


def name_folds(ax: Axes, folds: Folds) -> None:
    """Numbers at the left and scores at the right, as many as there is room for; the mean of the scores below."""
    n_folds = len(folds.pairs)
    row_height = ax.get_window_extent().height / ax.figure.dpi * 72 / (n_folds + 1)
    step = math.ceil(11.0 / row_height)
    indices = range(0, n_folds if step == 1 else n_folds - step + 1, step)
    names = [f"fold {index + 1}" for index in indices]
    if folds.scores is None:
        ax.set_yticks(indices, names)
        return
    ax.set_yticks([*indices, n_folds], [*names, "mean"])
    words = ["failed" if np.isnan(value) else figure(value) for value in folds.scores]
    ax.annotate(shown(plain(folds.name)), (1.01, 1), (0, 6), "axes fraction", textcoords="offset points")
    lines = [(index, words[index], "normal") for index in indices]
    lines.append((n_folds, figure(float(np.nanmean(folds.scores))), "bold"))
    for y, text, weight in lines:
        ax.annotate(text, (1.01, y), xycoords=("axes fraction", "data"), va="center", fontweight=weight)
