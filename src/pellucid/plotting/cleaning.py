"""Pictures of a table's quality: which cells something is wrong with, and a table before and after it was cleaned."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, count, format_message, short_repr
from pellucid.base.types import Array
from pellucid.plotting import _style
from pellucid.plotting._columns import open_table
from pellucid.plotting.tables import _map_axes, _write_names
from pellucid.quality.findings import Findings
from pellucid.quality.log import Change, ChangeLog

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["before_and_after", "findings_map"]

MOST_BANDS = 250
SHADES = {"error": _style.VERMILION, "warning": "#E69F00", "note": _style.SKY}
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 12, 6, 16


def findings_map(findings: Findings, *, ax: "Axes | None" = None) -> "Axes":
    """Draw which cells findings point at: rows down, columns across, colored by the gravest finding of each cell.

    A table of more than 250 rows is drawn in bands of equally many rows; a band shows the gravest finding in it.

    Parameters
    ----------
    findings : what `pellucid.quality.check` found
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.quality import Finding, Findings
    >>> odd = Finding("mine", "error", ("age",), [1], "too old")
    >>> findings_map(Findings([odd], 3, ["name", "age"])).get_title()
    '1 of 6 cells has a finding'
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    grave = np.zeros((findings.n_rows, len(findings.names)), dtype=np.int64)
    for level, severity in enumerate(reversed(SHADES), 1):
        grave[findings.cells(severity)] = level  # type: ignore[arg-type]
    size = -(-findings.n_rows // MOST_BANDS)
    bands = np.maximum.reduceat(grave, np.arange(0, findings.n_rows, size), axis=0)
    names = [str(name) for name in findings.names]
    ax = _map_axes(names) if ax is None else ax
    shades = ListedColormap(["#F7F7F7", *reversed(SHADES.values())])
    ends = (-0.5, len(findings.names) - 0.5, findings.n_rows - 0.5, -0.5)
    ax.imshow(bands, aspect="auto", interpolation="nearest", cmap=shades, vmin=0, vmax=len(SHADES), extent=ends)
    _write_names(ax, names, below=True)
    ax.set_ylabel("row" if size == 1 else f"row, in bands of {size:,}")
    cells = int((grave > 0).sum())
    has = "has" if cells == 1 else "have"
    ax.set_title(f"{cells:,} of {grave.size:,} cells {has} a finding", fontsize=_style.TITLE)
    keys = [Patch(color=shade, label=severity) for severity, shade in SHADES.items() if findings.of(severity=severity)]  # type: ignore[arg-type]
    if keys:
        ax.legend(handles=keys, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def before_and_after(
    log: ChangeLog, X: Any, *, columns: Sequence[Any] | None = None, rows: Sequence[int] | None = None
) -> "Array":
    """Draw rows of a table as they were and as they are, side by side, with the cells that changed in color.

    Parameters
    ----------
    log : what a `Cleaner` changed
    X : the original table
    columns : names of columns; otherwise the first six of those that changed
    rows : positions of rows; otherwise the first twelve of those that changed

    Returns
    -------
    array of two matplotlib Axes: before and after

    Examples
    --------
    >>> from pellucid.quality import Cleaner, Fix
    >>> table = [[" Bonn", 5], ["Ulm", 7]]
    >>> log = Cleaner(remedies=[Fix("trim", ("x0",))]).fit(table).log_
    >>> [ax.get_title() for ax in before_and_after(log, table)]
    ['before', 'after']
    """
    from matplotlib import pyplot

    table, _ = open_table("before_and_after", X)
    if not len(log):
        raise DataError(format_message("before_and_after", "the log must hold changes", actual="nothing was changed"))
    cells = {(change.column, row) for change in log if change.what in ("cells", "type") for row in change.rows.tolist()}
    column_names = list(columns) if columns is not None else _touched(log)[:MOST_COLUMNS]
    unknown = [name for name in column_names if name not in log.names]
    if unknown:
        requirement, actual = "columns must be those of the original table", f"got {short_repr(unknown[0])}"
        raise DataError(format_message("before_and_after", requirement, actual=actual))
    changed = sorted({row for _, row in cells} | set(log.rows_dropped.tolist()))
    listed = list(rows) if rows is not None else (changed or list(range(table.n_rows)))[:MOST_ROWS]
    before = [[_cell(table.column(log.names.index(name))[row]) for name in column_names] for row in listed]
    after = [
        [_now(log, name, row, before[i][j]) for j, name in enumerate(column_names)] for i, row in enumerate(listed)
    ]
    width = 0.5 + sum(_inches(name, before, after, j) for j, name in enumerate(column_names))
    figure, panels = pyplot.subplots(1, 2, figsize=(2 * width, 0.9 + 0.28 * len(listed)), layout="constrained")
    dropped = set(log.rows_dropped.tolist())
    for ax, title, texts in zip(panels, ("before", "after"), (before, after), strict=True):
        _draw(ax, title, texts, column_names, listed, cells, dropped, log)
    figure.supxlabel(
        f"{count(log.n_cells, 'cell')} changed, {count(len(dropped), 'row')} of {log.n_rows:,} dropped",
        fontsize=_style.SMALL,
    )
    return np.asarray(panels)


def _touched(log: ChangeLog) -> list[Any]:
    """Columns with changes, in the order of the table; all where only rows were dropped."""
    touched = {change.column for change in log}
    return [name for name in log.names if name in touched] or list(log.names)


def _cell(value: Any) -> str:
    text = "" if value is None or value != value else str(value)
    if isinstance(value, str):
        text = repr(value) if value != value.strip() else value
    elif isinstance(value, float) and value == value:
        text = f"{value:g}"
    elif hasattr(value, "isoformat"):
        text = text.removesuffix(" 00:00:00")
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _now(log: ChangeLog, name: Any, row: int, before: str) -> str:
    value = before
    for change in log:
        if change.what in ("cells", "type") and change.column == name:
            value = _after(change, row, value)
    return value


def _after(change: Change, row: int, before: str) -> str:
    index = np.flatnonzero(change.rows == row)
    return _cell(change.after[int(index[0])]) if len(index) else before


def _inches(name: Any, before: list[list[str]], after: list[list[str]], j: int) -> float:
    letters = max([len(str(name)), *(len(row[j]) for row in before), *(len(row[j]) for row in after)])
    return 0.35 + 0.085 * min(letters, MOST_LETTERS)


def _draw(
    ax: "Axes",
    title: str,
    texts: list[list[str]],
    names: list[Any],
    rows: list[int],
    cells: set[tuple[Any, int]],
    dropped: set[int],
    log: ChangeLog,
) -> None:
    left = [name if title == "before" or name in log.result else f"({name})" for name in names]
    grid = ax.table(
        cellText=texts,
        colLabels=[_cell(str(name)) for name in left],
        rowLabels=[str(row) for row in rows],
        loc="upper center",
        cellLoc="left",
    )
    grid.auto_set_font_size(False)
    grid.set_fontsize(9)
    grid.scale(1, 1.25)
    for (i, j), cell in grid.get_celld().items():
        cell.set_edgecolor(_style.FAINT)
        if i == 0 or j < 0:
            cell.set_text_props(color=_style.GRAY)
            continue
        row, name = rows[i - 1], names[j]
        if title == "after" and row in dropped:
            cell.set_facecolor(_style.FAINT)
            cell.get_text().set_text("dropped" if j == 0 else "")
        elif (name, row) in cells:
            cell.set_facecolor("#FBE3D6" if title == "before" else _style.LIGHT)
    ax.set_title(title, fontsize=_style.TITLE)
    ax.axis("off")
