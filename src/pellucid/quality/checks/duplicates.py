"""Rows and keys that stand in the table twice, columns that say nothing new."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Flags, Floats
from pellucid.quality.checks._reading import Reading, named_as_key, readings
from pellucid.quality.checks._saying import NO_ROWS, percent, quoted, shown_at
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import Column, TableStats
from pellucid.quality.findings import Finding, Fix, Severity

HARDLY_ANY_REPEATS = 0.9  # share of different values from which on a column is taken for a key


def repeats(stats: TableStats) -> Flags:
    """Rows that equal an earlier one in every column."""
    return np.asarray(stats.first_equal != np.arange(stats.n_rows))


@register_check("duplicate_rows")
def duplicate_rows(stats: TableStats, *, columns: int = 2) -> list[Finding]:
    """Rows that are the same in every column, in tables of at least ``columns`` columns."""
    if len(stats.columns) < columns or stats.n_rows < 2:
        return []
    rows, first = np.flatnonzero(repeats(stats)), stats.first_equal
    if not len(rows):
        return []
    share = percent(len(rows) / stats.n_rows)
    verb = "repeats" if len(rows) == 1 else "repeat"
    text = f"{count(len(rows), 'row')} ({share}) {verb} an earlier one, as row {rows[0]} does row {first[rows[0]]}"
    severity, reason = _how_odd(stats, rows)
    fix = Fix("drop_duplicates", (), {"keep": "first"})
    return [Finding("duplicate_rows", severity, (), rows, f"{text}; {reason}", fix)]


def _how_odd(stats: TableStats, rows: Array) -> tuple[Severity, str]:
    """Rows with a key must differ; rows without one may be alike by chance, or because several things are alike."""
    different = np.setdiff1d(np.arange(stats.n_rows), rows)
    n = len(different)
    key = next((read for read in readings(stats) if read.is_identifier and read.n_distinct >= 0.9 * n), None)
    if key is not None and len(rows) <= n:  # else the rows of a person, say, are alike as a rule
        return "error", f"with {str(key.column.name)!r} in it, no row should"
    if may_repeat_by_chance(stats):
        return "note", "with so few values in the columns that may happen by chance"
    return "warning", "no column is a key, so they may be several things that are alike: look before you drop them"


def may_repeat_by_chance(stats: TableStats) -> bool:
    """May as many rows as repeat be alike by chance?

    Were the columns independent, two rows would be alike with the probability that is the product over the columns of
    ``sum c (c - 1) / (n (n - 1))``, the share of the pairs of rows that agree in the column. It is measured on the rows
    that differ, as those that repeat are what is asked about. Columns that go together make more rows alike than that,
    hence the factor, but no columns make far more pairs than threes beside them: those are copies."""
    if hold_copies(stats.first_equal):
        return False
    repeated = repeats(stats)
    different = np.flatnonzero(~repeated)
    n = len(different)
    expected = 0.5 * stats.n_rows * (stats.n_rows - 1)
    for column in stats:
        counts = np.bincount(column.codes[different] + 1).astype(np.float64)
        expected *= float((counts * (counts - 1)).sum()) / max(1.0, n * (n - 1.0))
    return 10 * expected >= int(repeated.sum())


def hold_copies(first_equal: Array) -> bool:
    """Do far more rows stand twice in the table than chance allows, whatever the values and how they go together?

    Drawn at random, a row of probability p stands k times in n rows with about the Poisson probability of n p. With
    ``N_k``, the number of different rows that stand k times, the Cauchy-Schwarz inequality over all p then gives
    ``(2 N_2)^2 <= N_1 * 6 N_3``: many pairs need some threes. Rows that were copied once make pairs alone."""
    once, twice, thrice = np.bincount(np.bincount(first_equal), minlength=4)[1:4].tolist()
    return bool(4 * twice**2 > 10 * max(once, 1) * 6 * (thrice + 1))


@register_check("duplicate_keys")
def duplicate_keys(stats: TableStats, *, varied: float = 0.5) -> list[Finding]:
    """Keys that stand in more than one row, in columns of which at least ``varied`` of the values differ."""
    findings = []
    is_duplicate_row = repeats(stats) if len(stats.columns) > 1 else np.zeros(stats.n_rows, dtype=bool)
    for read in readings(stats):
        column = read.column
        if not _is_key(read, varied):
            continue
        codes = np.where(
            is_duplicate_row, -1, np.append(np.where(read.nothing, -1, np.arange(len(column.values))), -1)[column.codes]
        )
        times = np.bincount(codes[codes >= 0], minlength=len(column.values))
        which = times > 1
        if not which.any() or times[times > 0].min() > 1:  # where every value stands in several rows, it is no key
            continue
        rows = np.flatnonzero(np.append(which, False)[codes])
        stand = "stands" if which.sum() == 1 else "stand"
        # A name such as product_id says that values name something, not that it has one row.
        hardly = read.n_distinct >= HARDLY_ANY_REPEATS * read.n_content
        has_key_name = named_as_key(column.name)
        text = "hardly any value repeats, but " if hardly else "the name of the column speaks of keys, but "
        text += f"{count(int(which.sum()), 'value')} {stand} in more than one row: {quoted(column, which)}"
        text += "" if hardly else "; it is an error only if each row should have a key of its own"
        severity: Severity = "warning" if has_key_name and hardly else "note"
        findings.append(Finding("duplicate_keys", severity, (column.name,), rows, text, None))
    return findings


def _is_key(read: Reading, varied: float) -> bool:
    if read.n_content < 20 or read.role in ("flag", "time", "text", "empty"):
        return False
    share = read.n_distinct / read.n_content
    if share == 1.0:
        return False
    if named_as_key(read.column.name):
        return share >= varied
    return read.role == "identifier" and share >= 0.98


@register_check("constant_columns")
def constant_columns(stats: TableStats, *, share: float = 0.999) -> list[Finding]:
    """Columns with one value only, or with one value in ``share`` of the rows."""
    findings: list[Finding] = []
    if stats.n_rows < 2:
        return findings
    for read in readings(stats):
        column = read.column
        if read.n_content < 2 or read.nothing.any():  # "none" beside one other word may well be a value
            continue
        largest = int(np.argmax(np.where(read.nothing, 0, column.counts)))
        fraction = int(column.counts[largest]) / read.n_content
        if read.n_distinct == 1:
            missing_note = f", and {count(column.n_missing, 'row')} without a value" if column.n_missing else ""
            text = f"has one value only: {shown_at(column, largest)}{missing_note}"
            findings.append(
                Finding("constant_columns", "note", (column.name,), NO_ROWS, text, Fix("drop_column", (column.name,)))
            )
        elif fraction >= share and read.n_content >= 1000 and column is not stats.target:
            text = f"{shown_at(column, largest)} in {percent(fraction)} of the rows: the column tells few rows apart"
            findings.append(Finding("constant_columns", "note", (column.name,), NO_ROWS, text, None))
    return findings


@register_check("redundant_columns")
def redundant_columns(stats: TableStats, *, most: int = 400) -> list[Finding]:
    """Columns that are a copy, a recoding or a straight line of another. Of tables with more than ``most`` columns the
    first ones are compared for lines; copies are found in all."""
    findings: list[Finding] = []
    if stats.n_rows < 3:
        return findings
    column_of_key: dict[bytes, Column] = {}
    redundant_positions = set()
    read_all = [read for read in readings(stats) if 2 <= read.n_distinct <= 0.9 * stats.n_rows]
    outlines = list(map(_outline, read_all))
    alike = Counter(outlines)
    for read, outline in zip(read_all, outlines, strict=True):
        column = read.column
        if alike[outline] < 2:
            continue
        key = _in_order_of_appearance(column)
        if key in column_of_key and _could_differ(column):
            original = column_of_key[key]
            redundant_positions.add(column.place)
            same = column.values.tolist() == original.values.tolist()
            recoded = f"has one value for each value of {str(original.name)!r}, and the other way round"
            text = f"is a copy of {str(original.name)!r}" if same else recoded
            findings.append(
                Finding(
                    "redundant_columns",
                    "note",
                    (column.name, original.name),
                    NO_ROWS,
                    text,
                    Fix("drop_column", (column.name,)),
                )
            )
        else:
            column_of_key.setdefault(key, column)
    return findings + _lines(stats, most, redundant_positions)


REPEATS = 10  # rows that could contradict it, from which on a column is taken for a recoding of another
OTHERS = 5  # of the rows, that do not have the most frequent value


def _could_differ(column: Column) -> bool:
    """Are there enough rows whose value stands in an earlier one? That they go together in two columns is no accident,
    unless these are nearly constant: two columns of zeros that have another number in the same row say little."""
    n_rows = len(column.codes) - column.n_missing
    return n_rows - len(column.values) >= REPEATS and n_rows - int(column.counts.max(initial=0)) >= OTHERS


def _outline(read: Reading) -> tuple[Any, ...]:
    """What a copy or a recoding has in common with the original, and is quickly told."""
    counts, figures = read.column.counts, read.column.figures
    if figures is not None and not any(figures["infinite"]):
        return len(counts), tuple(figures["top_counts"][:3].tolist()[::-1])
    return len(counts), tuple(np.sort(counts)[-3:].tolist())


def _in_order_of_appearance(column: Column) -> bytes:
    """The column with its values numbered as they first appear: the same for a copy and for a recoding."""
    n = len(column.codes)
    first = np.full(len(column.values) + 1, n, dtype=np.int64)
    first[column.codes[::-1]] = np.arange(n)[::-1]  # the last one written is the first in the column
    rank = np.empty(len(column.values) + 1, dtype=np.int32)
    rank[np.argsort(first[:-1], kind="stable")] = np.arange(len(column.values), dtype=np.int32)
    rank[-1] = -1  # missing cells have the code -1
    return rank[column.codes].tobytes()


def _lines(stats: TableStats, most: int, redundant_positions: set[int]) -> list[Finding]:
    measures = [
        r for r in readings(stats) if r.is_measure and r.n_distinct > 2 and r.column.place not in redundant_positions
    ]
    findings = []
    if len(measures) > most:
        text = f"only the first {most} of {len(measures):,} columns of numbers were compared with each other"
        findings.append(Finding("redundant_columns", "note", (), NO_ROWS, text, None))
        measures = measures[:most]
    if len(measures) < 2:
        return findings
    rows = np.linspace(0, stats.n_rows - 1, min(stats.n_rows, 2000)).astype(np.int64)
    z = np.stack([_standard(read.numbers[rows]) for read in measures])
    close = np.triu(np.abs(z @ z.T) > 1 - 1e-9, 1)
    dropped: set[int] = set()
    for i, j in np.argwhere(close).tolist():
        line = _line(measures[i].numbers, measures[j].numbers)
        if j not in dropped and i not in dropped and line is not None:
            dropped.add(j)
            first, second = measures[i].column.name, measures[j].column.name
            height = f"{'-' if line[1] < 0 else '+'} {abs(line[1]):.6g}"
            text = f"is a straight line of {str(first)!r}: {line[0]:.6g} x {first} {height}"
            fix = Fix("drop_column", (second,))
            findings.append(Finding("redundant_columns", "note", (second, first), NO_ROWS, text, fix))
    return findings


def _standard(numbers: Floats) -> Floats:
    """Numbers less their mean, of length one; noughts where missing or constant."""
    is_finite = np.isfinite(numbers)
    if is_finite.sum() < 5:
        return np.zeros(len(numbers))
    with np.errstate(over="ignore", invalid="ignore"):
        z = np.where(is_finite, numbers - numbers[is_finite].mean(), 0.0)
        size = float(np.linalg.norm(z))
    return z / size if np.isfinite(size) and size > 0 else np.zeros(len(numbers))


def _line(a: Floats, b: Floats) -> tuple[float, float] | None:
    """Slope and height of the line on which all points (a, b) lie, or None."""
    is_finite = np.isfinite(a)
    if is_finite.sum() < 5 or not np.array_equal(is_finite, np.isfinite(b)):
        return None
    a, b = a[is_finite], b[is_finite]
    za, zb = _standard(a), _standard(b)
    if abs(float(za @ zb)) <= 1 - 1e-9:
        return None
    slope = float(np.sign(za @ zb)) * float(b.std()) / float(a.std())
    return slope, float(b.mean()) - slope * float(a.mean())
