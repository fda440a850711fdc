"""A recognized table as baskets, or as interactions of users with items; what is left out is stated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, count, format_message, noun_list, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.baskets import Baskets
from pellucid.quality.column import Column, TableStats
from pellucid.report.interactions.columns import Facts, is_number
from pellucid.report.interactions.recognition import Recognition
from pellucid.report.interactions.wide_tables import items_of, marks_of

_CANCELLED = ("C", "c")  # before the number of an invoice that takes another one back


@dataclass(frozen=True)
class Interactions:
    """Who rated, bought or visited what: one entry for each row that counts.

    users, items : the ids; times : in any unit, None if there is no time
    values : ratings, or how often
    notes : what was left out, as complete statements
    """

    users: Array
    items: Array
    values: Floats
    times: Floats | None
    notes: tuple[str, ...] = ()

    def triples(self, average: bool) -> tuple[Array, Array, Floats]:
        """Users, items and values, one entry for each pair, as recommenders take them.

        ``average`` : whether several values of a pair count as their mean, as ratings do, or as their sum
        """
        from pellucid.report.interactions.ranking import coded

        return coded(self, average).triples

    def __len__(self) -> int:
        return len(self.values)


# -------------------------------------------------------------------------------------------------------------- baskets


def baskets_from(stats: TableStats, recognition: Recognition) -> tuple[Baskets, tuple[str, ...]]:
    """The baskets of a table, and statements on what was left out."""
    if recognition.wide is not None:
        return _wide_baskets(stats, recognition)
    roles = recognition.roles
    if roles is None or roles.item is None:
        raise TypeError("baskets need a column of items")
    owner, item = stats[roles.basket or roles.user], stats[roles.item]
    kept, notes = _rows_that_count(stats, recognition, owner, item)
    labels, codes = item_labels(stats, recognition)
    _, basket_codes = np.unique(owner.codes[kept], return_inverse=True)
    n_baskets = int(basket_codes.max(initial=-1)) + 1
    if not n_baskets:
        raise DataError(
            format_message(
                "report", "there must be baskets", actual="no row has a basket and an item", hint="; ".join(notes)
            )
        )
    return _sorted_baskets(basket_codes, codes[kept], n_baskets, labels), notes


def _sorted_baskets(rows: Array, codes: Array, n_baskets: int, labels: list[Any]) -> Baskets:
    """Baskets with the items in the order of their labels."""
    order = sorted(range(len(labels)), key=lambda code: (str(type(labels[code])), labels[code]))
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    by_row = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_baskets))]).astype(np.int64)
    starts, sorted_codes = _core.tidy_baskets(starts, np.ascontiguousarray(place[codes[by_row]]), len(labels))
    return Baskets(tuple(labels[code] for code in order), starts, sorted_codes)


def _rows_that_count(
    stats: TableStats, recognition: Recognition, owner: Column, item: Column
) -> tuple[Array, tuple[str, ...]]:
    """The rows of purchases: neither without an id, nor returned, nor cancelled."""
    roles = recognition.roles
    assert roles is not None
    notes = []
    kept = (owner.codes >= 0) & (item.codes >= 0)
    if not kept.all():
        n = int((~kept).sum())
        notes.append(f"Left out: {count(n, 'row')} without a value of {str(owner.name)!r} or {str(item.name)!r}.")
    returned = np.zeros(stats.n_rows, dtype=bool)
    if roles.count is not None:
        returned = kept & (stats[roles.count].numbers <= 0)
    if roles.basket is not None and recognition.task == "baskets":
        returned |= kept & _cancelled(stats[roles.basket])
    if returned.any():
        notes.append(
            f"Left out: {count(int(returned.sum()), 'row')} of returns or cancellations (a quantity of at most 0, or a "
            "number that begins with C)."
        )
    return np.flatnonzero(kept & ~returned), tuple(notes)


def _cancelled(basket: Column) -> Flags:
    """Rows of numbers that begin with C where nearly all others are plain digits."""
    if not basket.is_text:
        return np.zeros(basket.n_rows, dtype=bool)
    texts = basket.texts
    flagged = np.array([text[:1] in _CANCELLED and text[1:].isdigit() for text in texts], dtype=bool)
    plain = sum(text.isdigit() for text in texts)
    if not flagged.any() or flagged.sum() + plain < 0.95 * len(texts) or flagged.sum() > 0.4 * len(texts):
        return np.zeros(basket.n_rows, dtype=bool)
    return np.append(flagged, False)[basket.codes]


def item_labels(stats: TableStats, recognition: Recognition) -> tuple[list[Any], Array]:
    """A readable name for each distinct item, and the code of the item in every row, -1 where it is missing.

    Where another column describes the items, the name is the most frequent description; items with the same one keep
    their code in front of it.
    """
    roles = recognition.roles
    assert roles is not None
    assert roles.item is not None
    item = stats[roles.item]
    names = [value.item() if isinstance(value, np.generic) else value for value in item.values]
    if isinstance(names[0] if names else None, float) and all(float(name).is_integer() for name in names):
        names = [int(name) for name in names]
    if roles.label is None:
        return names, np.asarray(item.codes)
    label = stats[roles.label]
    rows = np.flatnonzero((item.codes >= 0) & (label.codes >= 0))
    pairs, often = np.unique(
        item.codes[rows].astype(np.int64) * len(label.values) + label.codes[rows], return_counts=True
    )
    best: dict[int, tuple[int, str]] = {}
    for pair, n in zip(pairs.tolist(), often.tolist(), strict=True):
        code, place = divmod(pair, len(label.values))
        text = label.texts[place].strip()
        if text and (code not in best or n > best[code][0]):
            best[code] = (n, text)
    described = [best[code][1] if code in best else str(name) for code, name in enumerate(names)]
    seen = {text: described.count(text) for text in set(described)}
    shown = [
        text if seen[text] == 1 or text == str(name) else f"{name} {text}"
        for name, text in zip(names, described, strict=True)
    ]
    return list(shown), np.asarray(item.codes)


def _wide_baskets(stats: TableStats, recognition: Recognition) -> tuple[Baskets, tuple[str, ...]]:
    wide = recognition.wide
    assert wide is not None
    rows: list[Array] = []
    items: list[str] = []
    if wide.kind == "lists":
        column = stats[wide.items[0]]
        cells = [items_of(text, wide.separator) for text in column.texts]
        for row, code in enumerate(column.codes.tolist()):
            names = cells[code] if code >= 0 else []
            items += names
            rows.append(np.full(len(names), row))
    else:
        for name in wide.items:
            column = stats[name]
            if wide.kind == "padded":
                there = np.flatnonzero(column.codes >= 0)
                values = [str(_plain(value)) for value in column.values]
                items += [values[code] for code in column.codes[there].tolist()]
            else:
                marks = marks_of(Facts(column)) if wide.kind == "flags" else np.nan_to_num(column.numbers) > 0
                there = np.flatnonzero(marks if marks is not None else np.zeros(stats.n_rows, dtype=bool))
                items += [str(name)] * len(there)
            rows.append(there)
    place: dict[str, int] = {}
    codes = np.fromiter((place.setdefault(item, len(place)) for item in items), dtype=np.int64, count=len(items))
    every = np.concatenate(rows).astype(np.int64) if rows else np.empty(0, dtype=np.int64)
    return _sorted_baskets(every, codes, stats.n_rows, list(place)), ()


def _plain(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


# --------------------------------------------------------------------------------------------------------- interactions


def interactions_from(stats: TableStats, recognition: Recognition) -> Interactions:
    """The ratings or visits of a table, and statements on what was left out."""
    if recognition.wide is not None:
        return _wide_interactions(stats, recognition)
    roles = recognition.roles
    if roles is None or roles.item is None or (roles.user or roles.basket) is None:
        raise TypeError("interactions need columns of users and items")
    owner, item = stats[roles.user or roles.basket], stats[roles.item]
    rating = stats[roles.rating] if roles.rating is not None and recognition.task == "ratings" else None
    if rating is not None:
        _check_ratings(rating)
    kept, notes = _rows_that_count(stats, recognition, owner, item)
    if rating is not None and np.isnan(rating.numbers[kept]).any():
        missing = np.isnan(rating.numbers[kept])
        notes = (*notes, f"Left out: {count(int(missing.sum()), 'row')} without a rating.")
        kept = kept[~missing]
    labels, item_codes = item_labels(stats, recognition)
    users = np.array([_plain(value) for value in owner.values], dtype=object)[owner.codes[kept]]
    values = np.ones(len(kept))
    if rating is not None:
        values = rating.numbers[kept]
    elif roles.count is not None:
        values = stats[roles.count].numbers[kept]
    return Interactions(
        plain_ids(users), plain_ids(np.array(labels, dtype=object)[item_codes[kept]]), values,
        _times(stats, roles.time, kept), notes,
    )  # fmt: skip


def plain_ids(ids: Array) -> Array:
    """Ids as whole numbers if all of them are, else as they are; mixed ones as texts."""
    kinds = {type(value) for value in ids.tolist()}
    if kinds == {int}:
        return ids.astype(np.int64)
    return ids if len(kinds) <= 1 else np.array([str(value) for value in ids.tolist()], dtype=object)


def _check_ratings(rating: Column) -> None:
    """One sentence for cells that are no numbers, with their rows."""
    if rating.is_number:
        return
    bad = [code for code, text in enumerate(rating.texts) if not is_number(text)]
    rows = np.flatnonzero(np.isin(rating.codes, bad))
    if not len(rows):
        raise DataError(
            format_message("report", "ratings must be numbers", actual=f"column {str(rating.name)!r} holds text")
        )
    first = rating.texts[int(rating.codes[rows[0]])]
    actual = f"column {str(rating.name)!r} holds {short_repr(first)} ({noun_list('row', rows.tolist())})"
    raise DataError(
        format_message("report", "ratings must be numbers", actual=actual, hint="correct or empty these cells")
    )


def _times(stats: TableStats, name: str | None, kept: Array) -> Floats | None:
    """Times as numbers that can be compared; None if there are none, or some are missing."""
    if name is None:
        return None
    column = stats[name]
    if column.is_text:
        order = {text: place for place, text in enumerate(sorted(column.texts))}
        if not all(text[:4].isdigit() for text in column.texts):
            return None  # days before months, or the other way round: their order is not that of the text
        places = np.array([order[text] for text in column.texts], dtype=np.float64)
        return None if (column.codes[kept] < 0).any() else np.asarray(places[column.codes[kept]])
    if column.missing[kept].any():
        return None
    stored = column.stored_numbers
    return None if stored is None else np.asarray(stored.values, dtype=np.float64)[kept]


def _wide_interactions(stats: TableStats, recognition: Recognition) -> Interactions:
    wide = recognition.wide
    assert wide is not None
    matrix = np.column_stack([stats[name].numbers for name in wide.items])
    there = ~np.isnan(matrix)
    if wide.not_rated is not None:
        there &= matrix != wide.not_rated
    rows, columns = np.nonzero(there)
    owner = np.arange(1, stats.n_rows + 1) if wide.owner is None else stats[wide.owner].raw
    users = plain_ids(np.array([_plain(value) for value in owner.tolist()], dtype=object)[rows])
    items = np.array(wide.items, dtype=object)[columns]
    return Interactions(users, items, matrix[rows, columns], None)
