"""Tables with one row for each item of a basket, or for each item that a user rated or visited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pellucid.base.errors import join_some
from pellucid.report.interactions.columns import (
    BASKET_WORDS,
    COUNT_WORDS,
    ITEM_WORDS,
    RATING_WORDS,
    USER_WORDS,
    Facts,
    determines,
    n_pairs,
    pair_codes,
    words_of,
)

MAX_COLUMNS = 25
FEW_COLUMNS = 4  # up to here the values alone may decide
MIN_GROUPS = 5
MIN_IDS = 20  # users and items of a table without names
MAX_DENSITY = 0.5  # share of all pairs, above which a table without names is a grid of measurements
MAX_ITEMS_PER_BASKET = 100
_LABELS = frozenset(["description", "name", "title", "label", "page", "url"])
_NOT_BASKETS = words_of(
    "date time day month year quantity qty price status priority amount total type country city region mode state "
    "category segment method channel discount sales profit"
)


@dataclass(frozen=True)
class Roles:
    """The columns and the parts they play; None for a part that no column plays.

    basket, item, user, rating : the names of these columns
    label : a column that describes the item, if another one identifies it
    count : how many were bought, or how often; time : when
    evidence : why, as complete statements
    """

    item: str | None
    basket: str | None = None
    user: str | None = None
    rating: str | None = None
    label: str | None = None
    count: str | None = None
    time: str | None = None
    evidence: tuple[str, ...] = field(default=())

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The parts that are played, with the names of their columns."""
        roles = ("basket", "user", "item", "label", "rating", "count", "time")
        return tuple((role, name) for role in roles if (name := getattr(self, role)) is not None)


def long_roles(facts: Sequence[Facts], wanted: str | None, lenient: bool) -> Roles | None:
    """The parts of the columns, or None if the table looks like anything else.

    Parameters
    ----------
    wanted : the task that the user asked for
    lenient : whether the user said that the table holds interactions
    """
    if not 2 <= len(facts) <= MAX_COLUMNS:
        return None
    unnamed = all(column.is_unnamed for column in facts)
    item = _item_of(facts)
    other_columns = [column for column in facts if column is not item]
    owners = [
        column for column in other_columns if (_repeats(column) if item is None else _can_own(column, item, lenient))
    ]
    basket = _best(owners, BASKET_WORDS, _NOT_BASKETS)
    user = _best([column for column in owners if column is not basket], USER_WORDS, _NOT_BASKETS | BASKET_WORDS)
    if wanted in ("ratings", "visits") and user is None:
        user = basket
    if item is not None and (basket is not None or user is not None) and wanted != "baskets":
        return _named_table(facts, item, basket if wanted is None else None, user, lenient)
    if item is not None and basket is not None:
        return _named_table(facts, item, basket, user, lenient)
    has_roles = (
        unnamed or any(column is not None for column in (item, basket, user)) or any(map(_is_rating_scale, facts))
    )
    if has_roles or lenient or len(facts) == 2:
        return _by_values(facts, item, basket or user, wanted, lenient)
    return None


def named_roles(facts: Sequence[Facts], given: Mapping[str, str]) -> Roles:
    """The parts that the user named, with the others found among the remaining columns."""
    by_name = {column.name: column for column in facts}
    item = by_name.get(given.get("item", ""))
    assigned = set(given.values())
    free_columns = [column for column in facts if column.name not in assigned]
    if item is None:
        item = _item_of(free_columns)
    free_columns = [column for column in free_columns if column is not item]
    owner = by_name.get(given.get("basket", given.get("user", "")))
    label = None if item is None else _label_of(free_columns, item)
    return Roles(
        None if item is None else item.name,
        given.get("basket"),
        given.get("user"),
        given.get("rating"),
        label,
        _count_of(free_columns) if owner is not None else None,
        _time_of(free_columns),
    )


# --------------------------------------------------------------------------------------------------- names and values


def _item_of(facts: Sequence[Facts]) -> Facts | None:
    """The column of items by its name; of a code and a description that tell each other, the code."""
    candidates = [
        column
        for column in facts
        if column.words & ITEM_WORDS and column.is_identifier and column.repeats and column.n_distinct > 2
    ]
    if not candidates:
        return None
    codes = [column for column in candidates if not column.words & _LABELS] or candidates
    texts = [column for column in codes if column.column.is_text]
    finest = max(codes, key=lambda column: column.n_distinct)
    plain = [column for column in texts if column.n_distinct >= 0.9 * finest.n_distinct]
    return plain[0] if plain else finest


def _can_own(owner: Facts, item: Facts, lenient: bool) -> bool:
    """Can the values of a column be baskets or users that have several different items?"""
    if not owner.is_identifier or owner.n_distinct < MIN_GROUPS or not (owner.repeats or lenient):
        return False
    if owner.n_distinct < 0.002 * owner.n_rows or determines(item, owner) or determines(owner, item):
        return False
    return n_pairs(owner, item) > 1.1 * owner.n_distinct


def _repeats(owner: Facts) -> bool:
    """Can the values of a column be baskets or users, whatever the column of items is?"""
    return owner.is_identifier and owner.n_distinct >= MIN_IDS and owner.repeats


def _best(facts: Iterable[Facts], words: frozenset[str], without: frozenset[str]) -> Facts | None:
    """The column whose name has one of the words, and of several the one with the most distinct values."""
    candidates = [column for column in facts if column.words & words and not column.words & (without - words)]
    return max(candidates, key=lambda column: column.n_distinct, default=None)


def _label_of(facts: Iterable[Facts], item: Facts) -> str | None:
    """A column of texts of which every item has one."""
    for column in facts:
        if (
            column.column.is_text
            and not column.is_time
            and column.n_distinct > 0.5 * item.n_distinct
            and column.repeats
        ):
            rows, pairs = pair_codes(item, column)
            if len(rows) and len(pairs) <= 1.35 * item.n_distinct:
                return column.name
    return None


def _count_of(facts: Iterable[Facts]) -> str | None:
    return next((column.name for column in facts if column.words & COUNT_WORDS and column.is_count), None)


def _time_of(facts: Iterable[Facts]) -> str | None:
    return next((column.name for column in facts if column.is_time), None)


def _rating_of(facts: Iterable[Facts]) -> Facts | None:
    facts = [column for column in facts if column.column.is_number or column.is_nearly_number]
    facts = [column for column in facts if not column.is_time and column.n_distinct >= 2]
    candidates = [column for column in facts if column.words & RATING_WORDS and column.n_missing < 0.5 * column.n_rows]
    return next(iter(sorted(candidates, key=lambda column: not column.is_scale)), None)


def _is_rating_scale(column: Facts) -> bool:
    return column.is_scale and bool(column.words & RATING_WORDS)


# ---------------------------------------------------------------------------------------------------- tables with names


def _named_table(
    facts: Sequence[Facts], item: Facts, basket: Facts | None, user: Facts | None, lenient: bool
) -> Roles | None:
    """A table whose names speak of items and of baskets or users, if its values agree."""
    owner = basket if basket is not None else user
    if owner is None:
        return None
    other_columns = [column for column in facts if column not in (item, basket, user)]
    n_different = n_pairs(owner, item)
    rating = None if basket is not None else _rating_of(other_columns)
    rated_once = n_different > 0.8 * owner.n_rows
    if not lenient and basket is None and rating is None and len(facts) > FEW_COLUMNS:
        return None  # customers and products of an ordinary table of sales
    if rating is not None and not lenient and (not rated_once or len(facts) > 12):
        return None
    label = _label_of(other_columns, item)
    other_columns = [column for column in other_columns if column is not rating and column.name != label]
    word = "basket" if basket is not None else "user"
    statements = [
        f"the names of {item.name!r} and {owner.name!r} speak of items and {word}s",
        f"{owner.n_distinct:,} values of {owner.name!r} stand in {owner.n_rows:,} rows, with "
        f"{n_different / owner.n_distinct:.1f} different values of {item.name!r} each on average",
    ]
    if basket is not None:
        basket_properties = [
            column.name for column in other_columns if column.n_distinct > 1 and determines(owner, column)
        ]
        basket_properties += [user.name] if user is not None and determines(owner, user) else []
        if basket_properties:
            names = join_some(map(repr, basket_properties))
            statements.append(
                f"{names} {'is' if len(basket_properties) == 1 else 'are'} the same in all rows of a basket"
            )
    if rating is not None and rating.column.is_number:
        statements.append(f"{rating.name!r} holds numbers from {rating.values[0]:g} to {rating.values[-1]:g}")
    return Roles(
        item.name,
        None if basket is None else basket.name,
        None if user is None else user.name,
        None if rating is None else rating.name,
        label,
        _count_of(other_columns),
        _time_of(other_columns),
        tuple(statements),
    )


# ------------------------------------------------------------------------------------------------ values without names


def _by_values(
    facts: Sequence[Facts], item: Facts | None, owner: Facts | None, task: str | None, lenient: bool
) -> Roles | None:
    """A narrow table, mostly one without a header: the first two columns of codes are users or baskets, and items."""
    if len(facts) > FEW_COLUMNS and not lenient:
        return None
    codes = [column for column in facts if column.is_identifier and column.n_distinct > 2]
    scales = [column for column in facts if column.is_scale]
    if task != "baskets" and scales and len(facts) >= 3:
        rating = scales[-1]
        ids = [column for column in codes if column is not rating]
        user = owner if owner in ids else next((column for column in ids if column is not item), None)
        second = item if item in ids else next((column for column in ids if column is not user), None)
        if user is not None and second is not None and _rated(user, second, lenient):
            other_columns = [column for column in facts if column not in (user, second, rating)]
            text = (
                f"{user.name!r} and {second.name!r} hold codes that repeat, and no pair of them stands twice",
                f"{rating.name!r} has the {rating.n_distinct} values {rating.values[0]:g} to {rating.values[-1]:g} at "
                "equal steps, like a scale",
            )
            has_names = owner or item or _is_rating_scale(rating)
            if not has_names and not lenient and not all(column.is_unnamed for column in facts):
                return None
            return Roles(second.name, None, user.name, rating.name, None, None, _time_of(other_columns), text)
    return _pairs_by_values(facts, codes, item, owner, task, lenient)


def _rated(user: Facts, item: Facts, lenient: bool) -> bool:
    pairs = n_pairs(user, item)
    if not (user.repeats and item.repeats) or pairs < 0.98 * user.n_rows:
        return False
    sparse = pairs < MAX_DENSITY * user.n_distinct * item.n_distinct
    return lenient or (min(user.n_distinct, item.n_distinct) >= MIN_IDS and sparse)


def _pairs_by_values(
    facts: Sequence[Facts],
    codes: Sequence[Facts],
    item: Facts | None,
    owner: Facts | None,
    task: str | None,
    lenient: bool,
) -> Roles | None:
    """Baskets and items: the rows of a basket stand together, and each item stands once in it."""
    for first in [owner] if owner is not None else codes:
        second = item if item is not None and item is not first else _second_of(first, codes)
        if second is None or first is second:
            continue
        if not _is_basket(first, second, owner is not None, lenient):
            continue
        other_columns = [column for column in facts if column not in (first, second)]
        word = "user" if task in ("ratings", "visits") else "basket"
        text = (
            f"the values of {first.name!r} repeat like the number of a {word}: {first.n_distinct:,} in "
            f"{first.n_rows:,} rows" + (", in neighboring rows" if first.is_contiguous else ""),
            f"each has {n_pairs(first, second) / first.n_distinct:.1f} different values of {second.name!r}, "
            f"of which there are {second.n_distinct:,}, on average",
        )
        label, count, time = _label_of(other_columns, second), _count_of(other_columns), _time_of(other_columns)
        if word == "user":
            rating = _rating_of(other_columns)
            name = None if rating is None else rating.name
            return Roles(second.name, None, first.name, name, label, count, time, text)
        return Roles(second.name, first.name, None, None, label, count, time, text)
    return None


def _second_of(first: Facts, codes: Sequence[Facts]) -> Facts | None:
    """The column of items: texts before numbers, and of columns that tell each other the one in words."""
    candidates = [
        column
        for column in codes
        if column is not first and column.repeats and not column.words & (RATING_WORDS | COUNT_WORDS)
    ]
    candidates = [column for column in candidates if n_pairs(first, column) > 1.1 * first.n_distinct]
    texts = [column for column in candidates if column.column.is_text]
    return max(texts or candidates, key=lambda column: column.n_distinct, default=None)


def _is_basket(first: Facts, second: Facts, owner_is_named: bool, lenient: bool) -> bool:
    pairs = n_pairs(first, second)
    if not first.repeats or not second.repeats or first.n_distinct < MIN_GROUPS or first.n_missing:
        return False
    if lenient:
        return pairs > 1.1 * first.n_distinct
    size = pairs / first.n_distinct
    if pairs < 0.9 * first.n_rows or not 1.2 <= size <= MAX_ITEMS_PER_BASKET or _same_vocabulary(first, second):
        return False
    dense = pairs > MAX_DENSITY * first.n_distinct * second.n_distinct
    even = np.ptp(np.bincount(first.codes)) == 0  # as many rows of each: a grid of measurements
    if owner_is_named:
        return not (dense and even) or not first.words.isdisjoint(BASKET_WORDS)
    return first.is_contiguous and not dense and not even and first.n_distinct >= MIN_IDS


def _same_vocabulary(first: Facts, second: Facts) -> bool:
    """Do two columns of texts hold the same values, as the ends of edges do?"""
    if not (first.column.is_text and second.column.is_text):
        return False
    first_texts, second_texts = set(first.column.texts), set(second.column.texts)
    return len(first_texts & second_texts) > 0.3 * min(len(first_texts), len(second_texts))
