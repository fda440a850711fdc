"""One change: what a remedy did to a column, and the sets of rows in which it replaced one value by another."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import count, excerpt, short_repr
from pellucid.base.types import Array
from pellucid.data.kinds import Kind
from pellucid.quality.findings import Fix

What = Literal["cells", "type", "rows dropped", "column dropped", "column added"]
WITH_CELLS = ("cells", "type")  # changes of cells that are in the original table
LONG = 40  # characters, beyond which a text is shown in part


@dataclass(frozen=True)
class Change:
    """What one remedy did to one column, or which rows it dropped.

    step : number of the remedy in the order in which they were applied, from 1
    what : "cells"; "type", where a column got another type, and the rows are those whose text says something else now;
        "rows dropped", "column dropped" or "column added"
    column : the name of the column; None where whole rows were dropped
    rows : positions of the rows in the original table
    before, after : the values of these cells; None is a missing one
    kind : what the column holds afterward
    """

    step: int
    fix: Fix
    why: str
    what: What
    column: Any
    rows: Array
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    kind: Kind = Kind.TEXT

    def __str__(self) -> str:
        where = "" if self.column is None else f"{self.column}: "
        if self.what in WITH_CELLS:
            text = f"type {self.kind}" if self.what == "type" else ""
            if len(self.rows):
                first = " -> ".join(map(shown, around_difference(self.before[0], self.after[0])))
                text += ", " if text else ""
                text += f"{count(len(self.rows), 'cell')} changed, e.g. row {self.rows[0]}: {first}"
        elif self.what == "rows dropped":
            text = f"{count(len(self.rows), 'row')} dropped"
        else:
            text = self.what
        return f"{self.step:>3}. {where}{text}; {self.why}"


@dataclass(frozen=True)
class Replacement:
    """One value replaced by another, in a set of rows. Of dropped rows and columns, both values are None."""

    before: Any
    after: Any
    rows: Array


def replacements(change: Change) -> list[Replacement]:
    """The pairs of values of a change, the first that occurs first, each with its rows in ascending order."""
    if not change.after:
        return [Replacement(None, None, change.rows)] if len(change.rows) else []
    before = change.before or [None] * len(change.after)
    code_of_pair: dict[tuple[type, Any, type, Any], int] = {}
    pairs = [(type(a), a, type(b), b) for a, b in zip(before, change.after, strict=True)]
    groups = np.array([code_of_pair.setdefault(pair, len(code_of_pair)) for pair in pairs], dtype=np.int64)
    order = np.lexsort((change.rows, groups))
    ends = np.cumsum(np.bincount(groups, minlength=len(code_of_pair)))
    rows = np.split(change.rows[order], ends[:-1])
    return [Replacement(a, b, group_rows) for (_, a, _, b), group_rows in zip(code_of_pair, rows, strict=True)]


def around_difference(before: Any, after: Any) -> tuple[Any, Any]:
    """Two long texts from shortly before their first difference on: from their beginning they may look the same.

    >>> start = "the beginning, which both have in common: "
    >>> around_difference(f"{start}worng", f"{start}wrong")
    ('…n common: worng', '…n common: wrong')
    """
    if not isinstance(before, str) or not isinstance(after, str) or max(len(before), len(after)) <= LONG:
        return before, after
    at = first_difference(before, after)
    return excerpt(before, at), excerpt(after, at)


def first_difference(first: str, second: str) -> int:
    """The place of the first letter that two texts do not share.

    >>> first_difference("worng", "wrong"), first_difference("a", "a b")
    (1, 1)
    """
    pairs = enumerate(zip(first, second, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(first), len(second)))


def shown(value: Any) -> str:
    return "missing" if value is None else str(value) if isinstance(value, dt.datetime) else short_repr(value)


# ------------------------------------------------------------------------------------------------------- sets of rows


def _runs(rows: Array) -> tuple[Array, Array]:
    """First and last row of each run of rows that follow one another."""
    new = np.flatnonzero(np.diff(rows) != 1) + 1
    return rows[np.append(0, new)], rows[np.append(new - 1, len(rows) - 1)]


def encode_rows(rows: Array) -> str:
    """Ascending rows in few letters: how far each run lies behind the one before, and +k for k more rows in it.

    >>> encode_rows(np.array([3, 4, 5, 9, 20, 21])), encode_rows(np.arange(1_000_000))
    ('3+2,4,11+1', '0+999999')
    """
    if not len(rows):
        return ""
    first, last = _runs(rows)
    offsets = first - np.append(0, last[:-1])
    more = last - first
    return ",".join(
        f"{offset}+{k}" if k else f"{offset}" for offset, k in zip(offsets.tolist(), more.tolist(), strict=True)
    )


def decode_rows(text: str) -> Array:
    """The rows that `encode_rows` wrote.

    >>> decode_rows("3+2,4,11+1").tolist()
    [3, 4, 5, 9, 20, 21]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    runs = [run.partition("+") for run in text.split(",")]
    distances = np.array([int(distance) for distance, _, _ in runs], dtype=np.int64)
    lengths = np.array([int(more or 0) + 1 for _, _, more in runs], dtype=np.int64)
    first = np.cumsum(distances) + np.append(0, np.cumsum(lengths - 1)[:-1])
    offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.repeat(first, lengths) + offsets, dtype=np.int64)


def describe_rows(rows: Array, max_runs: int = 12) -> str:
    """Ascending rows for a reader: the first few runs.

    >>> describe_rows(np.array([3, 4, 5, 9])), describe_rows(np.arange(0, 90, 2), max_runs=3)
    ('3-5, 9', '0, 2, 4, ...')
    """
    if not len(rows):
        return ""
    first, last = _runs(rows)
    runs = [
        str(a) if a == b else f"{a}-{b}"
        for a, b in zip(first[:max_runs].tolist(), last[:max_runs].tolist(), strict=True)
    ]
    return ", ".join(runs + ["..."] * (len(first) > max_runs))
