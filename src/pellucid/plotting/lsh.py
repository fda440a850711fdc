"""Pictures of locality sensitive hashing: rows, the lines of each round, and the codes that they give."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._read import column_names, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["lsh_codes"]

WHO = "lsh_codes"
MOST_LISTED = 14
ROOM = 0.12  # around the rows, as a share of their range


def lsh_codes(
    model: Any, X: Any, *, labels: Sequence[Any] | None = None, rounds: Sequence[int] | None = None
) -> "Array":
    """Draw rows of two columns, the lines of each round, and list the code of every row; one panel a round.

    A row's code has a digit for each line: 1 on the side to which the small arrow points, else 0. Rows with one code
    lie in one part of the plane and have one color.

    Parameters
    ----------
    model : fitted LSHNeighbors of two columns
    X : the rows, those of the fit or others
    labels : a name for each row, optional
        Numbers from 1 unless told.
    rounds : numbers of the tables to draw, counted from 0, optional
        The first three unless told.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes, one a round
    """
    from matplotlib import pyplot

    table = _rows(model, X)
    names = [str(i + 1) for i in range(len(table))] if labels is None else [str(label) for label in labels]
    if len(names) != len(table):
        raise DataError(
            format_message(WHO, "labels must be one a row", actual=f"got {len(names)} for {len(table)} rows")
        )
    round_numbers = _rounds(model, rounds)
    texts = model.code_texts(model.codes(X))
    size = (4.6 * len(round_numbers), 5.4)
    grid = pyplot.subplots(1, len(round_numbers), figsize=size, layout="constrained", squeeze=False)[1]
    frame = _frame(table)
    for ax, t in zip(grid[0], round_numbers, strict=True):
        _panel(ax, model, table, names, texts[:, t], t, frame)
        words = column_names(X)
        ax.set_xlabel(plain(str(words[0])) if words else "x1")
        ax.set_ylabel(plain(str(words[1])) if words else "x2")
    return np.asarray(grid[0])


def _rows(model: Any, X: Any) -> Floats:
    if not hasattr(model, "hyperplanes_"):
        raise ParameterError(
            format_message(WHO, "model must be a fitted LSHNeighbors", actual=f"got {type(model).__name__}")
        )
    table = numbers(WHO, "X", X)
    if model.n_features_in_ != 2 or table.shape[1] != 2:
        actual = f"got {model.n_features_in_}"
        raise DataError(
            format_message(WHO, "the model must have two columns", actual=actual, hint="fit it on two columns")
        )
    return table


def _rounds(model: Any, rounds: Sequence[int] | None) -> list[int]:
    selected = list(range(min(3, model.n_tables_))) if rounds is None else [int(t) for t in rounds]
    wrong = [t for t in selected if not 0 <= t < model.n_tables_]
    if wrong or not selected:
        requirement = f"rounds must be numbers from 0 to {model.n_tables_ - 1}"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {rounds!r}"))
    return selected


def _frame(table: Floats) -> Floats:
    """(low, high) of both axes, with room around the rows and as wide as high."""
    low, high = table.min(axis=0), table.max(axis=0)
    half = max(float((high - low).max()), 1e-9) * (0.5 + ROOM)
    middle = (low + high) / 2
    return np.array([middle - half, middle + half])


def _panel(ax: "Axes", model: Any, table: Floats, names: list[str], texts: Array, t: int, frame: Floats) -> None:
    _style.tidy(ax)
    buckets = sorted(set(texts.tolist()))
    for number, text in enumerate(buckets):
        color, marker = _style.COLORS[number % 6], _style.MARKERS[(number + number // 6) % 6]
        members = texts == text
        ax.plot(*table[members].T, marker, color=color, markersize=_style.marker_size(len(table)) + 1, linestyle="")
    occupied: list[Any] = list(table[:60])
    for p, (normal, offset) in enumerate(zip(model.hyperplanes_[t], model.offsets_[t], strict=True), start=1):
        _line(ax, normal, float(offset), p, frame, occupied)
    if len(table) <= 60:
        for name, point in zip(names, table, strict=True):
            ax.annotate(plain(name), point, (6, 4), textcoords="offset points", color=_style.INK)
    ax.set_xlim(float(frame[0, 0]), float(frame[1, 0]))
    ax.set_ylim(float(frame[0, 1]), float(frame[1, 1]))
    ax.set_aspect("equal")
    ax.set_title(f"Round {t + 1}: {len(buckets)} bucket{'s' if len(buckets) > 1 else ''} in use", fontsize=_style.TITLE)
    ax.text(0, -0.2, _listed(names, texts, buckets), transform=ax.transAxes, va="top", family="monospace",
            fontsize=_style.SMALL, color=_style.INK)  # fmt: skip


def _listed(names: list[str], texts: Array, buckets: list[str]) -> str:
    """The codes in use, each with its rows."""
    lines = []
    for text in buckets[:MOST_LISTED]:
        members = [name for name, code in zip(names, texts.tolist(), strict=True) if code == text]
        listing = ", ".join(members[:8]) + (f" and {len(members) - 8} more" if len(members) > 8 else "")
        lines.append(f"{text}  {plain(listing)}")
    if len(buckets) > MOST_LISTED:
        lines.append(f"and {len(buckets) - MOST_LISTED} more")
    return "\n".join(lines)


def _line(ax: "Axes", normal: Floats, offset: float, number: int, frame: Floats, occupied: list[Any]) -> None:
    """A line, its number, and an arrow to the side that has a 1."""
    length = float(np.hypot(*normal))
    if length == 0:
        return
    ends = _cut(normal, offset, frame)
    if ends is None:
        return
    ax.plot(*ends.T, color=_style.GRAY, linewidth=1.4, linestyle=_style.LINES[(number - 1) % 6], zorder=1)
    at, tip = _free(ends, normal / length * 0.11 * float(frame[1, 0] - frame[0, 0]), occupied, frame)
    occupied.extend([at, tip])
    begin, end = (float(at[0]), float(at[1])), (float(tip[0]), float(tip[1]))
    ax.annotate("", end, begin, arrowprops={"arrowstyle": "->", "color": _style.GRAY, "shrinkA": 7, "shrinkB": 0})
    circle = {"boxstyle": "circle,pad=0.2", "fc": "white", "ec": _style.GRAY}
    ax.text(*begin, str(number), color=_style.INK, ha="center", va="center", fontsize=_style.SMALL - 1, bbox=circle)


def _free(ends: Floats, arrow: Floats, occupied: list[Any], frame: Floats) -> tuple[Floats, Floats]:
    """Where on a line its number and arrow stand farthest from rows and other numbers, the arrow in the frame."""
    candidates = [ends[0] + share * (ends[1] - ends[0]) for share in np.linspace(0.06, 0.94, 23)]
    inside = [
        at for at in candidates if (at + arrow >= frame[0]).all() and (at + arrow <= frame[1]).all()
    ] or candidates
    far = [min(float(np.hypot(*(spot - point))) for point in occupied for spot in (at, at + arrow)) for at in inside]
    best = inside[int(np.argmax(far))]
    return best, best + arrow


def _cut(normal: Floats, offset: float, frame: Floats) -> Floats | None:
    """Where a line enters and leaves the frame."""
    intersections = []
    for axis in (0, 1):
        other_axis = 1 - axis
        if normal[other_axis] == 0:
            continue
        for value in frame[:, axis]:
            along = (offset - normal[axis] * value) / normal[other_axis]
            if frame[0, other_axis] <= along <= frame[1, other_axis]:
                point = np.empty(2)
                point[axis], point[other_axis] = value, along
                intersections.append(point)
    if len(intersections) < 2:
        return None
    points = np.array(intersections)
    first = points[np.lexsort((points[:, 1], points[:, 0]))]
    return np.array([first[0], first[-1]])
