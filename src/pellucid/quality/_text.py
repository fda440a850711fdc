"""A profile as text: a table of the columns, as wide as the terminal, and sentences below it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Any

from pellucid.base.errors import count, join_some
from pellucid.quality.described import ColumnProfile, Profile
from pellucid.quality.semantic_types import NOT_NUMBERS, format_value
from pellucid.quality.semantic_types.formatting import PLAIN

_BARS = " ▁▂▃▄▅▆▇█"
# Semantic types that change how a column is used, so that their evidence is worth a sentence.
_EXPLAINED = NOT_NUMBERS | {"integer_date", "epoch", "time_of_day", "year", "ordinal"}


def as_text(profile: Profile, width: int | None = None) -> str:
    """The whole profile."""
    wide = max(60, width or shutil.get_terminal_size((100, 24)).columns)
    lines = [*wrap(heading(profile), wide), ""]
    numbers = [column for column in profile if column.numbers is not None and column.kind not in ("flag", "constant")]
    other_columns = [column for column in profile if column not in numbers]
    if numbers:
        head = ["column", "kind", "missing", "distinct", "mean", "sd", "min", "median", "max", "outside", "histogram"]
        rows = [_number_row(column) for column in numbers]
        used = sum(max(len(row[j]) for row in [head, *rows]) + 2 for j in range(1, len(head) - 1))
        bars = min(16, wide - used - min(24, max(len(row[0]) for row in rows)) - 2)
        if bars < 4:  # no room: a few bars say nothing
            head, rows = head[:-1], [row[:-1] for row in rows]
        else:
            head[-1] = _cut(head[-1], bars)
            rows = [[*row[:-1], _bars_of(column, bars)] for row, column in zip(rows, numbers, strict=True)]
        lines += [*_table(head, rows, wide), ""]
    if other_columns:
        head = ["column", "kind", "missing", "distinct", "values"]
        lines += [*_table(head, [_other_row(column) for column in other_columns], wide), ""]
    paragraphs = [wrap(line, wide, subsequent_indent="    ") or [""] for line in sentences(profile)]
    return "\n".join([*lines, *(part for paragraph in paragraphs for part in paragraph)]).rstrip()


def heading(profile: Profile) -> str:
    """Size and double rows, in a line."""
    shape = f"{count(profile.n_rows, 'row')} x {count(profile.n_columns, 'column')}"
    phrases = [shape, f"{size(profile.bytes)} in memory"]
    n_missing = sum(column.missing for column in profile)
    cells = profile.n_rows * profile.n_columns
    phrases.append(
        f"{count(n_missing, 'missing cell')} ({share(n_missing, cells)})" if n_missing else "nothing missing"
    )
    if profile.duplicates is not None:
        about = "about " if profile.duplicates_are_estimated else ""
        phrases.append(f"{about}{count(profile.duplicates, 'duplicate row')}")
    return ", ".join(phrases)


def sentences(profile: Profile) -> list[str]:
    """What is worth knowing beside the figures, a line each."""
    lines = [
        f"{column.name}: {kind_of(column)}: {column.semantic.evidence}"
        for column in profile
        if column.semantic is not None and column.semantic.name in _EXPLAINED
    ]
    lines += [f"{column.name}: {note}" for column in profile for note in column.notes]
    lines += [
        f"{column.name}: {'no row has a value' if column.kind == 'empty' else 'all values are the same'}"
        for column in profile
        if column.kind in ("constant", "empty")
    ]
    if profile.associations is not None:
        lines += [str(association) for association in profile.associations.redundant]
    dominating = set(profile.dominating)
    lines += [
        f"{name}: unscaled, makes up {share(fraction, 1.0)} of the squared Euclidean distance between rows"
        for name, fraction in profile.distance_shares
        if name in dominating
    ]
    if profile.near_duplicates is not None:
        lines.append(f"{count(len(profile.near_duplicates), 'pair')} of rows that are nearly equal")
    if profile.with_target:
        ranked = [
            f"{association.column} ({association.measure} {association.value:.3f})"
            for association in profile.with_target
        ]
        lines.append(f"with the target {profile.target}: {join_some(ranked, 8)}")
    return [*lines, *profile.notes]


def size(n: int) -> str:
    """Bytes in a unit that suits.

    >>> size(900), size(2_500_000)
    ('900 B', '2.5 MB')
    """
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} B"


def share(amount: float, total: float) -> str:
    """A part in percent; never 0 % or 100 % of something that is not.

    >>> share(1, 3), share(1, 1_000_000), share(0, 5), share(9_996, 10_000)
    ('33.3 %', '<0.1 %', '0 %', '>99.9 %')
    """
    if total == 0 or amount == 0:
        return "0 %"
    percent = 100 * amount / total
    if percent < 0.1:
        return "<0.1 %"
    if amount < total and percent >= 99.95:
        return ">99.9 %"
    return "100 %" if amount == total else f"{percent:.1f} %"


def number(value: float) -> str:
    """A number in few characters.

    >>> number(1234567.0), number(0.1 + 0.2), number(35734.2), number(1e-9), number(float("nan"))
    ('1,234,567', '0.3', '35,734', '1e-09', '-')
    """
    if value != value:
        return "-"
    if 1e4 <= abs(value) < 1e12 or (float(value).is_integer() and abs(value) < 1e12):
        return f"{value:,.0f}"
    return f"{value:.5g}"


def figure(column: ColumnProfile, value: float) -> str:
    """A figure of a column in the form of its values: 2004 of a year, $1,234.50 of money."""
    return format_value(value, column.semantic) or number(value)


def moment(column: ColumnProfile, value: float) -> str:
    """A mean or a spread of a column: none of digits that only stand for a time of day."""
    if column.semantic is not None and column.semantic.name == "time_of_day":
        return "-"
    if column.semantic is not None and column.semantic.name in PLAIN:
        return f"{value:.6g}"
    if column.semantic is not None and column.semantic.name == "percentage":
        return f"{value:.5g}{'%' if column.semantic.unit == '%' else ''}"
    numbers = column.numbers
    if numbers is not None and abs(value) < 1e-13 * max(abs(numbers.minimum), abs(numbers.maximum)):
        value = 0.0  # what rounding left of a mean of 0
    return figure(column, value)


def distinct(column: ColumnProfile) -> str:
    return f"{'~' if column.distinct_is_estimate else ''}{column.distinct:,}"


def sparkline(counts: Sequence[int], max_bars: int = 16) -> str:
    """A histogram as a row of bars."""
    if len(counts) > max_bars:
        cuts = [round(i * len(counts) / max_bars) for i in range(max_bars + 1)]
        heights = [sum(counts[a:b]) / (b - a) for a, b in pairwise(cuts)]
    else:
        heights = [float(c) for c in counts]
    top = max(heights, default=0.0)
    return "".join(_BARS[0 if c == 0 else max(1, round(8 * c / top))] for c in heights)


def _number_row(column: ColumnProfile) -> list[str]:
    numbers = column.numbers
    if numbers is None:
        return [on_one_line(column.name)]
    return [
        on_one_line(column.name), kind_of(column), share(column.missing, column.rows), distinct(column),
        moment(column, numbers.mean), moment(column, numbers.sd), figure(column, numbers.minimum),
        figure(column, numbers.median), figure(column, numbers.maximum), f"{numbers.outside_fences:,}", "",
    ]  # fmt: skip


def _bars_of(column: ColumnProfile, max_bars: int) -> str:
    return sparkline(column.numbers.histogram.counts, max_bars) if column.numbers is not None else ""


def _other_row(column: ColumnProfile) -> list[str]:
    return [
        on_one_line(column.name),
        kind_of(column),
        share(column.missing, column.rows),
        distinct(column),
        values(column),
    ]


def values(column: ColumnProfile) -> str:
    """The values of a column that are no numbers, in a line."""
    if column.times is not None:
        first, last = (str(end).removesuffix(" 00:00:00") for end in (column.times.first, column.times.last))
        return f"{first} to {last}, {number(column.times.span_days)} days later" if first != last else first
    if column.kind in ("identifier", "text") and column.lengths is not None:
        lengths = column.lengths
        same = lengths.shortest == lengths.longest
        span = f"{lengths.longest}" if same else f"{lengths.shortest} to {lengths.longest}"
        first = f"{span} characters, such as "
        return first + (_cut(on_one_line(column.top[0].value), 40) if column.top else "")
    if column.kind == "identifier" and column.top:
        return "such as " + ", ".join(_cut(value_of(column, entry.value), 24) for entry in column.top[:3])
    return ", ".join(
        f"{_cut(value_of(column, entry.value), 24)} {share(entry.count, column.present)}" for entry in column.top[:6]
    )


def value_of(column: ColumnProfile, value: Any) -> str:
    """A value of a column on one line, written as its semantic type asks for."""
    return format_value(value, column.semantic) or on_one_line(value)


def kind_of(column: ColumnProfile) -> str:
    """What a column holds: its semantic type where that was recognized, else its kind."""
    return column.semantic.name.replace("_", " ") if column.semantic is not None else column.kind


def on_one_line(value: Any) -> str:
    """A value on one line; a whole number is kept as a float and shown without a point."""
    text = str(int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value)
    return text if text.isprintable() and text.strip() == text and text else repr(text)


def _cut(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def _table(head: list[str], rows: list[list[str]], wide: int) -> list[str]:
    """Columns of text; the first, second and last on the left, the others on the right; cut to the width."""
    table = [head, *rows]
    widths = [max(len(row[j]) for row in table if j < len(row)) for j in range(len(head))]
    widths[0] = min(widths[0], 24)
    lines = []
    for row in table:
        cells = [
            _cut(cell, widths[j]).ljust(widths[j]) if j in (0, 1, len(head) - 1) else cell.rjust(widths[j])
            for j, cell in enumerate(row)
        ]
        lines.append(_cut("  ".join(cells).rstrip(), wide))
    return [lines[0], "-" * min(wide, sum(widths) + 2 * len(widths) - 2), *lines[1:]]
