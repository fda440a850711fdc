"""Columns and classes of any table, as the pictures of raw tables need them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    count,
    format_message,
    join_some,
    noun_list,
    short_repr,
)
from pellucid.base.types import Flags, Floats
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.data.table import Table, read_table
from pellucid.plotting import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Whole numbers with at most so many different values are classes; of more classes the largest are drawn.
MOST_CLASSES = 10
LONGEST_NAME = 22
# Values that differ by less than their size over this differ in late digits only.
MANY = 300.0
NO_CLASS = "(missing)"
COLORS = [_style.BLUE, _style.VERMILION, _style.GREEN, "#E69F00", "#CC79A7", _style.SKY, _style.INK]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "h"]
LINES: list[Any] = ["-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2))]


@dataclass(frozen=True)
class Columns:
    """The numeric columns of a table: NaN where a cell is missing; ``words`` say which columns are not among them."""

    values: Floats
    names: list[str]
    words: list[str] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        return labels(self.names)

    def present(self, j: int) -> Floats:
        """The values of a column that are there."""
        column = self.values[:, j]
        return np.asarray(column[~np.isnan(column)])

    def keep(self, indices: list[int], *words: str) -> Columns:
        names = [self.names[j] for j in indices]
        return Columns(self.values[:, indices], names, [*self.words, *(word for word in words if word)])


@dataclass(frozen=True)
class Group:
    """The rows of one class, and how they look."""

    label: str
    rows: Flags
    color: str
    marker: str
    line: Any


@dataclass(frozen=True)
class Target:
    """A column that colors the rows: ``groups`` where it holds classes, ``values`` where it holds numbers."""

    name: str
    groups: list[Group]
    values: Floats | None = None


def label(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as it is written in a picture: on one line, cut in the middle when long, and never read as mathematics.

    >>> label("price in $"), label("a" * 30)
    ('price in \\\\$', 'aaaaaaaaaa…aaaaaaaaaa')
    """
    name = " ".join(name.split())
    half = (longest - 1) // 2
    return _style.plain(name if len(name) <= longest else f"{name[:half]}…{name[-half:]}")


def labels(names: list[str]) -> list[str]:
    """Names as they are written, cut so far that they still differ.

    >>> labels(["the first of many long names", "the other of many long names"])
    ['the first …long names', 'the other …long names']
    """
    for longest in (LONGEST_NAME, 2 * LONGEST_NAME, 4 * LONGEST_NAME):
        cut = [label(name, longest) for name in names]
        if len(set(cut)) == len(cut):
            return cut
    return [_style.plain(name) for name in names]


def inches_across(ax: Axes) -> float:
    """How wide an Axes is; of one alone in a figure whose layout is still to come, how wide it will be at least."""
    figure = ax.get_figure(root=True)
    width = float(ax.get_window_extent().width / ax.figure.dpi)
    if figure is None or figure.get_layout_engine() is None or len(figure.axes) > 1:
        return width
    return max(width, 0.86 * float(figure.get_figwidth()))


def note(words: Iterable[str], width: int = 90) -> str:
    """Remarks below a picture, in lines of at most ``width`` letters."""
    return "\n".join(line for word in words for line in textwrap.wrap(word, width))


def listed(what: str, names: Iterable[str]) -> str:
    """A remark about columns, or nothing where there are none."""
    written = labels(list(names))
    return f"{what}: {join_some(written, 6)}" if written else ""


def tick_text(value: float, _: object = None) -> str:
    """A tick's number, with its power of ten beside it and not at the end of the axis, where names stand.

    >>> tick_text(2500.0), tick_text(-2e9), tick_text(1e-7)
    ('2500', '−2e9', '1e−7')
    """
    text = f"{value:.6g}" if 1e-4 <= abs(value) < 1e6 or value == 0 else f"{value:.2e}"
    head, _, power = text.partition("e")
    head = head.rstrip("0").rstrip(".") if power else head
    return (f"{head}e{int(power)}" if power else head).replace("-", _style.MINUS)


def write_ticks(axis: Axis, low: float, high: float) -> None:
    """Numbers in full along an axis; matplotlib's, with an offset, where they would differ in late digits only."""
    if max(abs(low), abs(high)) < MANY * (high - low):
        axis.set_major_formatter(tick_text)


def written(values: Iterable[float], spread: float) -> list[str]:
    """Numbers to about three figures, or to as many as they need to differ where their spread is small.

    >>> written([1_700_000_000, 1_700_000_060], 60), written([0.5, 12], 11.5)
    (['1,700,000,000', '1,700,000,060'], ['0.50', '12.00'])
    """
    numbers = list(values)
    largest = max(map(abs, numbers))
    if not 0 < spread * MANY < largest:
        return [_style.number(value) for value in numbers]
    size = int(np.floor(np.log10(spread)))
    form = f",.{max(0, 1 - size)}f" if 1e-3 <= largest < 1e15 else f".{min(3 + int(np.log10(largest / spread)), 17)}g"
    return [format(value, form).replace("-", _style.MINUS) for value in numbers]


def open_table(who: str, X: Any, alone: str = "x") -> tuple[Table, list[str]]:
    """Any table or single column, and the names of its columns: its own, else x, or x1, x2, ..."""
    named_column = isinstance(getattr(X, "name", None), str) and bool(X.name)
    if hasattr(X, "to_frame"):
        X = X.to_frame()
    elif _is_vector(X):
        X = _objects(X).reshape(-1, 1)
        named_column = False
    elif isinstance(X, list | tuple):
        X = _objects(X) if _objects(X).ndim == 2 else X
    else:
        named_column = True
    table = read_table(X, who)
    if table.names is not None and (named_column or table.n_cols > 1):
        return table, [str(name) for name in table.names]
    return table, [alone] if table.n_cols == 1 else [f"x{j + 1}" for j in range(table.n_cols)]


def read_columns(who: str, X: Any, columns: Any = None) -> Columns:
    """The numeric columns of a table, or those asked for, which must be numeric."""
    table, names = open_table(who, X)
    requested = None if columns is None else _places(who, names, columns)
    indices = list(range(table.n_cols)) if requested is None else requested
    non_numeric = [names[j] for j in indices if table.kinds[j] not in NUMERIC]
    if requested is not None and non_numeric:
        raise DataError(
            format_message(who, "columns must hold numbers", actual=f"{join_some(map(repr, non_numeric))} do not")
        )
    indices = [j for j in indices if table.kinds[j] in NUMERIC]
    if not indices:
        raise DataError(
            format_message(
                who, "X must have a column of numbers", actual=f"found only {join_some(map(repr, non_numeric))}"
            )
        )
    values = np.column_stack([_numbers(who, table, j, names[j]) for j in indices])
    words = [listed("left out (no numbers)", non_numeric)] if non_numeric else []
    return Columns(values, [names[j] for j in indices], words)


def read_column(who: str, x: Any) -> tuple[Floats, str, str]:
    """One column of numbers without its missing values, its name, and a remark about these."""
    columns = read_columns(who, x)
    if len(columns.names) > 1:
        actual = f"got {len(columns.names)} ({join_some(columns.names)})"
        raise DataError(format_message(who, "x must be one column", actual=actual, hint="pass one column at a time"))
    values = columns.present(0)
    if not len(values):
        raise DataError(format_message(who, "x must have values", actual=f"all {len(columns.values):,} are missing"))
    n_missing = len(columns.values) - len(values)
    return values, columns.labels[0], f"{count(n_missing, 'missing value')} left out" if n_missing else ""


def read_target(who: str, y: Any, n_rows: int, max_classes: int = MOST_CLASSES) -> Target:
    """Classes, or numbers where y has more than ``max_classes`` different ones or any that is not whole."""
    try:
        table, names = open_table(who, y, alone="y")
    except DataTypeError:
        requirement = "y must be an array, a list, or a column of a frame"
        raise DataTypeError(format_message(who, requirement, actual=f"got {type(y).__name__}")) from None
    except DataError as error:  # the reader of tables calls every table X
        raise DataError(str(error).replace(": X ", ": y ", 1)) from None
    if table.n_cols != 1 or table.n_rows != n_rows:
        actual = f"X has {count(n_rows, 'row')}, and y has {count(table.n_rows, 'row')}"
        actual = actual if table.n_cols == 1 else f"y has {table.n_cols} columns ({join_some(names)})"
        raise DataError(format_message(who, "y must be one column with a value for each row of X", actual=actual))
    if table.kinds[0] is Kind.NUMBER:
        values = _numbers(who, table, 0, names[0])
        distinct = np.unique(values[~np.isnan(values)])
        if len(distinct) > max_classes or (distinct != np.round(distinct)).any():
            return Target(label(names[0]), [], values)
        codes = np.where(np.isnan(values), -1, np.searchsorted(distinct, values))
        return Target(label(names[0]), _groups([f"{value:.0f}" for value in distinct], codes, max_classes))
    return Target(label(names[0]), _groups(*_codes(table), max_classes))


def all_rows(n_rows: int) -> Group:
    """The one group of a table without classes."""
    return Group("", np.ones(n_rows, dtype=bool), COLORS[0], MARKERS[0], LINES[0])


# ----------------------------------------------------------------------------------------------------------- reading


def _is_vector(X: Any) -> bool:
    """One column: a list of values, a one-dimensional array, an arrow column."""
    if isinstance(X, list | tuple):
        return all(np.ndim(value) == 0 and not isinstance(value, dict) for value in X[:1])
    shape = getattr(X, "shape", None)
    return len(shape) == 1 if isinstance(shape, tuple) else hasattr(X, "combine_chunks") and hasattr(X, "type")


def _objects(X: Any) -> NDArray[Any]:
    """Rows as an array in which numbers beside text stay numbers."""
    try:
        array = np.asarray(X)
    except ValueError:  # ragged: the table's own reader says where
        return np.empty(0)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" and isinstance(X, list | tuple) else array


def _places(who: str, names: list[str], columns: Any) -> list[int]:
    """Positions of the columns asked for, each once."""
    requested = [columns] if isinstance(columns, str | int | np.integer) else list(columns)
    indices = list[int]()
    for column in requested:
        if str(column) in names:
            indices.append(names.index(str(column)))
        elif isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < len(names):
            indices.append(int(column))
        else:
            requirement = f"columns must be names or positions of columns of X ({join_some(names, 8)})"
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(column)}"))
    if not indices:
        raise ParameterError(format_message(who, "columns must name at least one column of X", actual="got none"))
    return list(dict.fromkeys(indices))


def _numbers(who: str, table: Table, j: int, name: str) -> Floats:
    """A column as floats, NaN where it is missing."""
    values, is_missing = table.column(j), table.missing(j)
    floats = np.full(table.n_rows, np.nan)
    try:
        floats[~is_missing] = values[~is_missing].astype(np.float64)
        infinite = np.flatnonzero(np.isinf(floats))
    except OverflowError:  # a whole number of Python that no float can hold
        infinite = np.array([i for i in np.flatnonzero(~is_missing) if abs(values[i]) > 2**1023])
    if len(infinite):
        actual = f"column {name!r} has {count(len(infinite), 'infinite value')} ({noun_list('row', infinite)})"
        hint = "put NaN in their place to leave them out"
        raise DataError(format_message(who, "a column must hold finite numbers", actual=actual, hint=hint))
    return floats


def _codes(table: Table) -> tuple[list[str], NDArray[np.intp]]:
    """Names of the classes in their order, and the class of each row, -1 where it is missing."""
    values, is_missing = table.column(0), table.missing(0)
    texts = np.array([str(value) for value in values[~is_missing]], dtype=object)
    names = sorted(set(texts))
    if table.kinds[0] is Kind.ORDERED and (order := getattr(table.source[:, 0].dtype, "categories", None)):
        present = set(names)
        names = [str(name) for name in order if str(name) in present]
    code_of_name = {name: k for k, name in enumerate(names)}
    codes = np.full(table.n_rows, -1, dtype=np.intp)
    codes[~is_missing] = [code_of_name[text] for text in texts]
    return names, codes


def _groups(names: list[str], codes: NDArray[np.intp], max_groups: int) -> list[Group]:
    """A group a class. Of too many classes the largest stay and the others become one; missing ones come last."""
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    many = len(names) > max_groups
    largest = np.argsort(-sizes, kind="stable")[: max_groups - 1 if many else None]
    top_codes = np.sort(largest)
    written = labels([names[code] for code in top_codes])
    groups = [Group(written[k], codes == code, *look(k)) for k, code in enumerate(top_codes)]
    is_other = (codes >= 0) & ~np.isin(codes, top_codes)
    if is_other.any():
        groups.append(Group(f"{len(names) - len(top_codes)} other classes", is_other, _style.GRAY, ".", "-"))
    if (codes < 0).any():
        groups.append(Group(NO_CLASS, codes < 0, _style.GRAY, "x", ":"))
    return groups


def look(k: int) -> tuple[str, str, Any]:
    """Color, marker and line kind of a class; when the colors come again, the marker and the line differ."""
    return COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)], LINES[(k + k // len(COLORS)) % len(LINES)]
