"""What a profile says of a table and of each of its columns."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import UnknownNameError, format_message, join_some
from pellucid.base.types import Floats
from pellucid.quality.semantic_types import SemanticType
from pellucid.stats import Fences, FiveNumbers, Quartiles

__all__ = ["Associations", "ColumnProfile", "Profile"]

ColumnKind = Literal[
    "continuous", "discrete", "nominal", "ordinal", "flag", "time", "text", "identifier", "constant", "empty"
]
SkewWord = Literal["right-skewed", "left-skewed", "symmetric"]


@dataclass(frozen=True)
class Top:
    """A value and how often it occurs."""

    value: Any
    count: int


@dataclass(frozen=True)
class Histogram:
    """Bins of equal width: bin i counts the values from ``edges[i]`` up to ``edges[i + 1]``; the last has both ends."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class NumberProfile:
    """Key figures of the finite numbers of a column.

    count : how many they are
    infinite : how many are infinite; they are left out of all other figures
    mean, variance, sd : mean, variance with ``n - 1``, and its root
    modes : the most frequent values (the ten smallest of them); none if every value occurs once
    n_modes : how many there are
    quartiles : by linear interpolation between ranks
    quartiles_halves : medians of the lower and the upper half, the middle value of an odd number left out
    quartiles_halves_with_median : the same with the middle value in both halves
    five_numbers : smallest value, quartiles (linear), largest value
    fences : ``Q1 - 1.5 IQR`` and ``Q3 + 1.5 IQR``
    below_fences, above_fences : how many values lie outside
    skewness : ``g1 = (sum d³ / n) / (sum d² / n)^1.5`` with d the distance from the mean
    skewness_adjusted : ``g1 sqrt(n (n - 1)) / (n - 2)``, what spreadsheets and pandas give
    skew : right-skewed if mean - mode > 0, left-skewed if < 0, symmetric if = 0; None where there is no mode or where
        there are modes on both sides
    rank_error : at most how far a quantile's rank may be off, as a share of the values; 0 is exact
    """

    count: int
    infinite: int
    mean: float
    variance: float
    sd: float
    skewness: float
    skewness_adjusted: float
    modes: tuple[Any, ...]
    n_modes: int
    skew: SkewWord | None
    quartiles: Quartiles
    quartiles_halves: Quartiles
    quartiles_halves_with_median: Quartiles
    five_numbers: FiveNumbers
    fences: Fences
    below_fences: int
    above_fences: int
    histogram: Histogram
    rank_error: float = 0.0

    @property
    def median(self) -> float:
        return self.quartiles.median

    @property
    def minimum(self) -> float:
        return self.five_numbers.minimum

    @property
    def maximum(self) -> float:
        return self.five_numbers.maximum

    @property
    def outside_fences(self) -> int:
        return self.below_fences + self.above_fences


@dataclass(frozen=True)
class TimeProfile:
    """First and last point in time, the time between them in days, and how they spread."""

    first: datetime.datetime | str
    last: datetime.datetime | str
    span_days: float
    histogram: Histogram  # edges in days after the first


@dataclass(frozen=True)
class LengthProfile:
    """Lengths of texts in characters, and how many hold nothing but blanks."""

    shortest: int
    longest: int
    mean: float
    blank: int


@dataclass(frozen=True)
class ColumnProfile:
    """One column.

    kind : what its values are; the rules are those of `profile`
    stored : how the table stores them
    reads_as : "number", "time" or "flag" where texts are that; "" else
    unread : how many cells do not read so
    rows, missing, distinct : counts; ``distinct_is_estimate`` where a stream had too many to keep
    semantic : what the values mean, with the evidence; None where the values do not show it
    top : the most frequent values; ``top_error`` is at most how much a count may be too small
    numbers, times, lengths : key figures, where the kind has them
    notes : what is worth knowing, in words
    """

    name: Any
    place: int
    kind: ColumnKind
    stored: str
    rows: int
    missing: int
    distinct: int
    top: tuple[Top, ...] = ()
    reads_as: str = ""
    unread: int = 0
    distinct_is_estimate: bool = False
    top_error: int = 0
    numbers: NumberProfile | None = None
    times: TimeProfile | None = None
    lengths: LengthProfile | None = None
    notes: tuple[str, ...] = ()
    semantic: SemanticType | None = None

    @property
    def present(self) -> int:
        """Rows with a value."""
        return self.rows - self.missing

    @property
    def is_number(self) -> bool:
        """Can it be put into a distance or a correlation?"""
        return self.numbers is not None and self.kind in ("continuous", "discrete")

    @property
    def is_category(self) -> bool:
        return self.kind in ("nominal", "ordinal", "flag")


@dataclass(frozen=True)
class Redundant:
    """A column that another one tells: ``column = intercept + slope * of``, or any function of it.

    correlation : Pearson's r of the two, for a line; None for other functions
    both_ways : does each tell the other?
    """

    column: Any
    of: Any
    exact: bool
    both_ways: bool
    correlation: float | None = None
    intercept: float | None = None
    slope: float | None = None

    def __str__(self) -> str:
        if self.slope is None or self.intercept is None or self.correlation is None:
            return f"{self.column} is a function of {self.of}" + (", and the other way round" if self.both_ways else "")
        sign = "-" if self.slope < 0 else "+"
        line = f"{self.intercept:.6g} {sign} {abs(self.slope):.6g} * {self.of}"
        return f"{self.column} {'=' if self.exact else '≈'} {line}" + (
            "" if self.exact else f" (r = {self.correlation:.4f})"
        )


@dataclass(frozen=True)
class Matrix:
    """A measure for pairs of columns: ``values[i][j]`` is that of ``rows[i]`` and ``columns[j]``; NaN if undefined."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    values: tuple[tuple[float, ...], ...]

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        row, column = pair
        for name, names in ((row, self.rows), (column, self.columns)):
            if name not in names:
                raise UnknownNameError(
                    format_message(
                        "Profile",
                        "both must be columns of this measure",
                        actual=f"got {name!r}; there are {join_some(names)}",
                    )
                )
        return self.values[self.rows.index(row)][self.columns.index(column)]

    @property
    def array(self) -> Floats:
        return np.array(self.values, dtype=np.float64).reshape(len(self.rows), len(self.columns))


@dataclass(frozen=True)
class Associations:
    """How columns hang together.

    pearson : r of every two number columns, over the rows that have both
    cramers_v : V of every two category columns, corrected for bias
    correlation_ratio : eta of every number column (columns) by every category column (rows)
    redundant : columns that others tell
    """

    pearson: Matrix
    cramers_v: Matrix | None
    correlation_ratio: Matrix | None
    redundant: tuple[Redundant, ...]


@dataclass(frozen=True)
class WithTarget:
    """How strongly a column goes with the target, by the measure that fits both kinds."""

    column: Any
    measure: str
    value: float


@dataclass(frozen=True)
class Profile:
    """A table and its columns: what `profile` gives.

    n_rows, n_columns, bytes : its size; bytes of the values in memory
    columns : one `ColumnProfile` a column; ``profile["name"]`` finds one
    duplicates : rows that equal an earlier row; None where they were not counted
    duplicates_are_estimated : counted over a share of the rows, chosen by hash
    near_duplicates : what `near_duplicates` found, if asked for
    distance_shares : the share of each number column but the target in the mean squared Euclidean distance of two rows
    associations : None if not asked for
    target : the name of the target; ``with_target`` ranks the other columns by their association with it
    """

    n_rows: int
    n_columns: int
    bytes: int
    columns: tuple[ColumnProfile, ...]
    duplicates: int | None = None
    duplicates_are_estimated: bool = False
    near_duplicates: Any = None
    distance_shares: tuple[tuple[Any, float], ...] = ()
    associations: Associations | None = None
    target: Any = None
    with_target: tuple[WithTarget, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def _place(self) -> dict[Any, int]:
        return {column.name: j for j, column in enumerate(self.columns)}

    def __getitem__(self, name: Any) -> ColumnProfile:
        if name not in self._place:
            names = join_some([repr(column) for column in self._place])
            actual = f"got {name!r}; there are {names}"
            raise UnknownNameError(format_message("Profile", "name must be that of a column", actual=actual))
        return self.columns[self._place[name]]

    def __iter__(self) -> Iterator[ColumnProfile]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def constant(self) -> tuple[Any, ...]:
        """Columns with one value or none."""
        return tuple(column.name for column in self.columns if column.kind in ("constant", "empty"))

    @property
    def dominating(self) -> tuple[Any, ...]:
        """Columns that decide a Euclidean distance nearly alone: nine tenths of it or more."""
        return tuple(name for name, share in self.distance_shares if share >= 0.9 and len(self.distance_shares) > 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: NaN and infinity become None, times become text."""
        content: dict[str, Any] = plain(self)
        return content

    def __str__(self) -> str:
        from pellucid.quality._text import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from pellucid.quality._html import as_fragment

        return as_fragment(self)

    def to_html(self, path: str | Path | None = None, title: str = "Profile") -> str:
        """One page that needs nothing from elsewhere; written to ``path`` if that is given."""
        from pellucid.quality._html import as_page

        page = as_page(self, title)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page


def plain(value: Any) -> Any:
    """Values as JSON has them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
