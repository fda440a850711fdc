"""Tables with one row for each basket or user: a column for each item, items in numbered columns, or lists in cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.report.interactions.columns import BASKET_WORDS, ITEM_WORDS, MAX_SCALE, USER_WORDS, Facts

Kind = Literal["flags", "quantities", "padded", "lists", "ratings"]

MIN_ITEMS = 5  # columns
MIN_SURE = 10  # columns of items, beside columns that are neither items nor an identifier
MIN_ROWS = 10
MIN_SCALE = 5  # different ratings, unless names speak of users or items
MAX_SHARE = 0.4  # of ones: in a basket most items are missing
MAX_SHARE_MIXED = 0.25  # the same where there are other columns
SEPARATORS = (";", "|", ",", "/")
SENTINELS = (99.0, 999.0, -1.0, -99.0, 0.0)
_YES = frozenset(["1", "yes", "y", "true", "t", "x", "✓", "✔", "ja", "si", "sí", "oui", "*", "bought", "1.0"])
_NO = frozenset(["0", "no", "n", "false", "f", "", "-", "?", "nein", "non", "none", "0.0", "."])
_NUMBERED = re.compile(r"(.*?)[ _.#()-]*([0-9]+)[)]?$")


@dataclass(frozen=True)
class WideTable:
    """How the items stand in the columns.

    kind : "flags" and "quantities" have a column for each item, "padded" has items in any column, "lists" several items
        in a cell, "ratings" a rating in each cell
    items : the columns of items; of lists the column of them
    owner : the column that names the basket or user, if there is one
    separator : between the items of a list
    not_rated : the number that stands for no rating, if there is one
    """

    kind: Kind
    items: tuple[str, ...]
    owner: str | None = None
    separator: str = ""
    not_rated: float | None = None
    evidence: tuple[str, ...] = field(default=())

    @property
    def task(self) -> Literal["baskets", "ratings"]:
        return "ratings" if self.kind == "ratings" else "baskets"


def wide_table(facts: Sequence[Facts], wanted: str | None, lenient: bool) -> WideTable | None:
    """How items stand in the columns of a table, or None if it is an ordinary one."""
    if not facts or facts[0].n_rows < (1 if lenient else MIN_ROWS):
        return None
    if wanted == "ratings":
        return _ratings(facts, lenient)
    if wanted == "baskets":
        return _flags(facts, lenient) or _padded(facts) or _lists(facts, lenient) or _quantities(facts, lenient)
    return _flags(facts, lenient) or _padded(facts) or _lists(facts, lenient) or _quantities(facts, lenient) \
        or _ratings(facts, lenient)  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- flags


def marked_values(facts: Facts) -> Flags | None:
    """Which distinct values of a column say that the item is in the basket; None if it is no such column."""
    column = facts.column
    if column.is_number:
        values = np.asarray(column.values, dtype=np.float64)
        return values == 1 if set(values.tolist()) <= {0.0, 1.0} else None
    if not column.is_text:
        return None
    words = [text.strip().lower() for text in column.texts]
    if not set(words) <= _YES | _NO:
        if len(words) == 1 and facts.n_missing and words[0] == facts.name.strip().lower():
            return np.array([True])  # the item's own name, or an empty cell
        return None
    if set(words) <= _YES and not facts.n_missing and len(words) > 1:
        return None
    return np.array([word in _YES for word in words])


def marks_of(facts: Facts) -> Flags | None:
    """The rows whose basket has the item; None if the column says no such thing."""
    values = marked_values(facts)
    return None if values is None else np.append(values, False)[facts.codes]


def _flags(facts: Sequence[Facts], lenient: bool) -> WideTable | None:
    marks = {column.name: flags for column in facts if (flags := marks_of(column)) is not None}
    other_columns = [column for column in facts if column.name not in marks]
    owner, extra_columns = _owner_of(other_columns)
    if len(marks) < (2 if lenient else MIN_ITEMS) or len(marks) < 0.7 * len(facts):
        return None
    matrix = np.column_stack(list(marks.values()))
    sizes, share = matrix.sum(axis=1), float(matrix.mean())
    if not lenient:
        max_share = MAX_SHARE_MIXED if extra_columns else MAX_SHARE
        even = bool((sizes == sizes[0]).all())  # one of several: classes written as flags
        if (
            even
            or share > max_share
            or len(extra_columns) > 2
            or (extra_columns and len(marks) < MIN_SURE)
            or _is_one_hot(matrix)
        ):
            return None
    text = [
        f"{len(marks):,} columns say yes or no, and a row has {sizes.mean():.1f} times yes on average "
        f"({100 * share:.0f} %), as baskets have few of all items"
    ]
    if owner is not None:
        text.append(f"{owner.name!r} has another value in every row: the name of the basket")
    if extra_columns:
        text.append(
            f"{', '.join(repr(column.name) for column in extra_columns)} is left out: it is not a column of an item"
        )
    return WideTable("flags", tuple(marks), None if owner is None else owner.name, evidence=tuple(text))


def _is_one_hot(matrix: Flags) -> bool:
    """Are most columns members of groups of neighbors of which exactly one says yes in every row?"""
    sums = matrix.cumsum(axis=1)
    sums = np.column_stack([np.zeros(len(matrix), dtype=np.int64), sums])
    n, covered, first = matrix.shape[1], 0, 0
    while first < n:
        for last in range(first + 2, min(n, first + 30) + 1):
            if ((sums[:, last] - sums[:, first]) == 1).all():
                covered, first = covered + last - first, last - 1
                break
        first += 1
    return bool(covered > 0.5 * n)


def _owner_of(columns: Sequence[Facts]) -> tuple[Facts | None, list[Facts]]:
    """The column that names the baskets, and what else is left."""
    unique = [column for column in columns if column.n_distinct == column.n_rows and column.is_identifier]
    owner = unique[0] if unique else None
    return owner, [column for column in columns if column is not owner and not column.is_time]


# -------------------------------------------------------------------------------------------------------- quantities


def _quantities(facts: Sequence[Facts], lenient: bool) -> WideTable | None:
    """Counts of each item, of which most are 0 or missing and the others small."""
    counts = [column for column in facts if column.is_whole and column.n_distinct and column.values[0] >= 0]
    counts = [column for column in counts if column.values[0] == 0 or column.n_missing]
    other_columns = [column for column in facts if column not in counts]
    owner, extra_columns = _owner_of(other_columns)
    if len(counts) < MIN_ITEMS or extra_columns:
        return None
    matrix = np.nan_to_num(np.column_stack([column.column.numbers for column in counts]))
    bought = matrix[matrix > 0]
    share = len(bought) / matrix.size
    if not len(bought) or (not lenient and (share > MAX_SHARE or np.median(bought) > 3 or (bought == 1).mean() < 0.3)):
        return None
    if not lenient and not (owner is not None and owner.words & BASKET_WORDS):
        return None  # counts of anything else: letters, genes, pixels
    text = (f"{len(counts):,} columns hold small counts of which {100 * (1 - share):.0f} % are 0 or missing",)
    return WideTable("quantities", tuple(column.name for column in counts), None if owner is None else owner.name,
                     evidence=text)  # fmt: skip


# ------------------------------------------------------------------------------------------- items in numbered columns


def _padded(facts: Sequence[Facts]) -> WideTable | None:
    """Items in columns one after the other, filled up with empty cells: the same items stand in several columns."""
    texts = [column for column in facts if column.column.is_text and not column.is_time]
    numbers = [column for column in facts if column not in texts]
    if len(texts) < 3:
        texts = [column for column in facts if column.is_whole and _NUMBERED.match(column.name)]
        numbers = [column for column in facts if column not in texts]
        if len(texts) < 3:
            return None
    owner, extra_columns = _owner_of(numbers)
    if owner is None and texts[0].n_distinct == texts[0].n_rows:
        owner, texts = texts[0], texts[1:]
    if len(extra_columns) > 1 or len(texts) < 3:
        return None
    present = np.column_stack([column.codes >= 0 for column in texts])
    sizes = present.sum(axis=1)
    stairs = present == (np.arange(present.shape[1]) < sizes[:, None])
    vocabulary = Counter(text for column in texts for text in set(column.column.texts))
    shared = sum(often > 1 for often in vocabulary.values())
    if not stairs.all(axis=1).mean() > 0.98 or len(np.unique(sizes)) < 3 or shared < 0.4 * len(vocabulary):
        return None
    text = (
        f"{len(texts)} columns hold the same values, with empty cells only at the end of a row",
        f"the rows have from {sizes.min()} to {sizes.max()} of them",
    )
    return WideTable(
        "padded", tuple(column.name for column in texts), None if owner is None else owner.name, evidence=text
    )


# -------------------------------------------------------------------------------------------------- several in a cell


def _lists(facts: Sequence[Facts], lenient: bool) -> WideTable | None:
    """A column whose cells hold several items: the same items occur in many cells."""
    if len(facts) > 4 and not lenient:
        return None
    for column in facts:
        if not column.column.is_text or column.is_time:
            continue
        separator = _separator(column, lenient)
        other_columns = [candidate for candidate in facts if candidate is not column]
        owner, extra_columns = _owner_of(other_columns)
        if not separator or (extra_columns and not lenient and not column.words & (ITEM_WORDS | BASKET_WORDS)):
            continue
        text = (f"the cells of {column.name!r} hold several items with {separator!r} between them",)
        return WideTable("lists", (column.name,), None if owner is None else owner.name, separator, evidence=text)
    return None


def _separator(facts: Facts, lenient: bool) -> str:
    """What stands between the items of most cells; nothing if the cells are single values or prose."""
    texts = facts.column.texts[:5000]
    for mark in SEPARATORS:
        n_with = sum(mark in text for text in texts)
        if n_with < 0.5 * len(texts) or len(texts) < (1 if lenient else MIN_ROWS):
            continue
        cells = [items_of(text, mark) for text in texts]
        counts = Counter(item for cell in cells for item in cell if item)
        sizes = {len(cell) for cell in cells}
        n_sets = sum(len(set(cell)) == len(cell) for cell in cells)
        n_words = np.mean([len(item.split()) for item in counts])
        reused = counts.total() >= 3 * len(counts)
        moving = _stands_anywhere(cells, counts)
        if reused and moving and len(sizes) >= 2 and n_sets > 0.8 * len(cells) and n_words < 5:
            return mark
    return ""


def items_of(cell: str, separator: str) -> list[str]:
    """The items of a cell, without brackets around them and quotes around each.

    >>> items_of("{bread, 'milk'}", ","), items_of("tea;", ";")
    (['bread', 'milk'], ['tea'])
    """
    inside = cell.strip()
    if inside[:1] + inside[-1:] in ("{}", "[]", "()"):
        inside = inside[1:-1]
    items = (item.strip().strip("'\"").strip() for item in inside.split(separator))
    return [item for item in items if item]


def _stands_anywhere(cells: Sequence[Sequence[str]], counts: Counter[str]) -> bool:
    """Do most items occur at several places of their cells? The parts of an address or a name do not."""
    first = Counter(cell[0] for cell in cells if cell)
    frequent = [item for item, often in counts.items() if often > 2 and item]
    moving = sum(0 < first[item] < counts[item] for item in frequent)
    return moving > 0.4 * len(frequent)


# ----------------------------------------------------------------------------------------------------------- ratings


def _ratings(facts: Sequence[Facts], lenient: bool) -> WideTable | None:
    """A rating of each item by each user, most often empty or a number that stands for no rating."""
    numbers = [column for column in facts if column.column.is_number and not column.is_time]
    owner, extra_columns = _owner_of([column for column in facts if column not in numbers])
    if extra_columns or len(numbers) < MIN_ITEMS:
        return None
    if owner is None and numbers[0].n_distinct == numbers[0].n_rows and numbers[0].is_whole:
        owner, numbers = numbers[0], numbers[1:]
    numbers = _without_count(numbers)
    if len(numbers) < MIN_ITEMS or (len(numbers) < MIN_SURE and not lenient):
        return None
    not_rated = _sentinel(numbers)
    values = [
        column.values[column.values != not_rated] if not_rated is not None else column.values for column in numbers
    ]
    unique_ratings = np.unique(np.concatenate(values)) if values else np.empty(0)
    has_names = owner is not None and bool(owner.words & USER_WORDS)
    has_names = has_names or sum(bool(column.words & ITEM_WORDS) for column in numbers) > 0.5 * len(numbers)
    if len(unique_ratings) < 2 or (
        not lenient and not has_names and (len(unique_ratings) < MIN_SCALE or not_rated == 0)
    ):
        return None
    absent = np.column_stack([_absent(column, not_rated) for column in numbers])
    scale = len(unique_ratings) <= MAX_SCALE or (
        not_rated is not None and abs(not_rated) > 2 * np.abs(unique_ratings).max()
    )
    alike = (
        np.mean(
            [
                len(column_values) > 0 and np.ptp(column_values) >= 0.6 * np.ptp(unique_ratings)
                for column_values in values
            ]
        )
        > 0.8
    )
    if not absent.any():
        return None
    if not lenient and (not scale or not alike or absent.mean() < 0.15 or absent.any(axis=0).mean() < 0.7):
        return None
    empty = "empty" if not_rated is None else f"{not_rated:g}"
    text = (
        f"{len(numbers):,} columns hold numbers on the same scale from {unique_ratings[0]:g} to {unique_ratings[-1]:g}",
        f"{100 * absent.mean():.0f} % of the cells are {empty}: not rated",
    )
    return WideTable("ratings", tuple(column.name for column in numbers), None if owner is None else owner.name,
                     not_rated=not_rated, evidence=text)  # fmt: skip


def _without_count(numbers: Sequence[Facts]) -> list[Facts]:
    """The columns without a first one that counts how many of the others are rated."""
    first, *item_columns = numbers
    if first.is_whole and item_columns and first.values[-1] <= len(item_columns) + 1 and first.n_distinct > MAX_SCALE:
        return list(item_columns)
    return list(numbers)


def _sentinel(numbers: Sequence[Facts]) -> float | None:
    """A number that stands in most columns, outside the range of all others, or 0 below a scale from 1."""
    for value in SENTINELS:
        columns_with_value = [column for column in numbers if value in (column.values[0], column.values[-1])]
        if len(columns_with_value) < 0.7 * len(numbers):
            continue
        other_values = np.unique(np.concatenate([column.values[column.values != value] for column in numbers]))
        if not len(other_values):
            continue
        apart = value > 2 * np.abs(other_values).max() if value > 0 else value < other_values[0]
        if apart and (
            value != 0
            or (
                other_values[0] >= 1
                and (other_values == np.floor(other_values)).all()
                and len(other_values) <= MAX_SCALE
            )
        ):
            return value
    return None


def _absent(facts: Facts, not_rated: float | None) -> Array:
    numbers = facts.column.numbers
    return np.isnan(numbers) if not_rated is None else np.isnan(numbers) | (numbers == not_rated)
