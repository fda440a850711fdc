"""Which rows are learned from, which are held out, and the folds of the comparison.

Rows that depend on each other must not be split at random. Where the rows are a process in time the newest are held
out, and the folds move forward: a model is always scored on rows that are newer than those it learned from. Rows with
the same time stay on one side. Where rows belong to groups, whole groups are held out.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from pellucid.report.row_order import is_sorted_by_target
from pellucid.report.structure import RowStructure

LEAST_ROWS = 20
HELD_OUT = 0.2
MOST_HELD_OUT = 0.5  # where many rows have the same time
FOLDS = 5
HELD_OUT_GROUPS = 4  # of few groups, this many are held out where that leaves two thirds
FIRST_FOLD = 0.3  # share of the rows that the first of the folds in time learns from at least
LEAST_PER_CLASS = 2
LEAST_LATE = 2 * FOLDS  # rows of each of two classes among the last rows, so that folds of these can be scored
LEAST_OF_TWO = 3  # rows of each of two classes: two to learn from, and one to be held out
MOST_STRATIFIED = 2000  # groups up to which folds balance the classes
LEAST_KEPT = 0.5  # share of the older rows that must remain when those of held-out groups are set aside

Fold = tuple[Array, Array]


@dataclass(frozen=True)
class HoldoutSplit:
    """Positions of the rows to learn from and of those held out, both in the order of time if there is one.

    words : how they were split, as a clause
    in_time, grouped : whether the split follows the time, and whether groups stay whole
    unscored : newest rows that are not scored, because no older row has their class
    notes : what the split could not do, in sentences
    """

    train: Array
    held: Array
    words: str
    in_time: bool = False
    grouped: bool = False
    unscored: int = 0
    notes: tuple[str, ...] = ()


def split_holdout(y: Array, for_classes: bool, structure: RowStructure, seed: int) -> HoldoutSplit:
    """A fifth of the rows is held out: the newest, whole groups, or at random with the shares of the classes."""
    if len(y) < LEAST_ROWS:
        hint = "collect more rows; pellucid quality describes a table of any size"
        raise DataError(
            format_message(
                "report", f"there must be at least {LEAST_ROWS} rows with a target", actual=f"got {len(y)}", hint=hint
            )
        )
    if for_classes:
        _check_two_classes(y)
    notes: tuple[str, ...] = ()
    if structure.times is not None:
        newest = _newest(y, for_classes, structure)
        if newest is not None:
            return newest
        notes = (_not_newest(structure, for_classes),)
    groups = structure.groups
    if groups is not None and len(np.unique(groups)) >= 2:
        n_folds = max(3, min(FOLDS, len(np.unique(groups)) // HELD_OUT_GROUPS))
        train, test = _group_folds(y, for_classes, groups, seed, n_folds)[0]
        if for_classes:
            _check_classes_of_groups(y, groups, seed, train, test, structure)
        words = _words_of_groups(groups, test, bool(structure.group_columns))
        return HoldoutSplit(np.sort(train), np.sort(test), words, grouped=True, notes=notes)
    strata = _strata(y) if for_classes else y
    if for_classes and _fewest(strata) >= 2 and HELD_OUT * len(y) >= len(np.unique(strata)):
        split: Any = StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
        words = "a fifth of the rows is held out, with the same shares of the classes"
    else:
        split = ShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
        words = "a fifth of the rows is held out, drawn at random"
    train, test = next(iter(split.split(np.zeros((len(y), 1)), strata)))
    return HoldoutSplit(np.sort(train), np.sort(test), words, notes=notes)


def _words_of_groups(groups: Array, test: Array, has_columns: bool) -> str:
    """What is held out of groups: how many that is depends on their sizes."""
    if not has_columns:
        share = f"{100 * len(test) / len(groups):.3g} % of the rows"
        return f"{share} are held out, drawn at random, with equal rows on the same side"
    n_held = len(np.unique(groups[test]))
    verb = "is held out" if n_held == 1 else "are held out, each whole"
    return f"{n_held:,} of {count(len(np.unique(groups)), 'group')} {verb}"


def _strata(y: Array) -> Array:
    """The classes, with those of a single row in the most frequent one: a single row cannot be on both sides, and must
    not keep the others from being split by their shares."""
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    return np.where(counts[codes] > 1, codes, np.argmax(counts)) if len(labels) > 1 else codes


def _not_newest(structure: RowStructure, for_classes: bool) -> str:
    """Why rows are drawn at random although they have an order."""
    if structure.time_columns:
        classes = ", or the classes follow each other in time" if for_classes else ""
        why = (
            "The rows have an order in time, but the newest cannot be held out: too many rows have the same time"
            f"{classes}."
        )
    else:
        why = (
            "The target of a row resembles that of the row before it, but the last rows cannot be held out, as they "
            "lack classes that the rows before them have."
        )
    return f"{why} Rows were drawn at random, so the scores may promise too much."


def _check_two_classes(y: Array) -> None:
    """Of two classes each must be learned, and held out."""
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) == 2 and counts.min() < LEAST_OF_TWO:
        rare = labels[np.argmin(counts)].item()
        actual = f"{rare!r} has {count(int(counts.min()), 'row')}"
        hint = "collect more rows of it; pellucid report without a target looks for unusual rows"
        raise DataError(
            format_message(
                "report", f"each of two classes needs at least {LEAST_OF_TWO} rows", actual=actual, hint=hint
            )
        )


def _check_classes_of_groups(
    y: Array, groups: Array, seed: int, train: Array, test: Array, structure: RowStructure
) -> None:
    """Where each class stands in a few groups only, whole groups may leave one class to learn from, or to score."""
    folds = [(train[first], train[second]) for first, second in _group_folds(y[train], True, groups[train], seed)]
    n_tested = 2 if len(np.unique(y)) == 2 else 1
    for learned, tested in ((train, test), *folds):
        if len(np.unique(y[learned])) < 2 or len(np.unique(y[tested])) < n_tested:
            break
    else:
        if len(folds) >= 2:
            return
    n_groups = {label.item(): len(np.unique(groups[y == label])) for label in np.unique(y)}
    rare = min(n_groups, key=lambda label: n_groups[label])
    column_names = " and ".join(map(repr, structure.group_columns))
    of = f"groups of {column_names}" if column_names else "groups of equal rows"
    raise DataError(
        format_message(
            "report",
            f"each class must occur in enough {of} for whole groups to be held out",
            actual=f"{rare!r} occurs in {n_groups[rare]:,} of {count(len(np.unique(groups)), 'group')}",
            hint="collect more groups; --group none draws rows at random, and its scores hold for known groups only",
        )
    )


def _group_folds(y: Array, for_classes: bool, groups: Array, seed: int, n_folds: int = FOLDS) -> list[Fold]:
    """Folds of whole groups with about the same number of rows, and of each class where there are few groups."""
    names, codes = np.unique(groups, return_inverse=True)
    n_folds = min(n_folds, len(names))
    max_folds = min(n_folds, _fewest(y)) if for_classes and len(np.unique(y)) == 2 else n_folds
    if for_classes and len(names) <= MOST_STRATIFIED and _fewest(y) >= max_folds:
        # Of few groups, or few rows of a class, fewer folds may each hold two classes.
        for min_rows, n_splits in product((LEAST_PER_CLASS, 1), range(max_folds, 1, -1)):
            split = StratifiedGroupKFold(n_splits, shuffle=True, random_state=seed)
            splits = split.split(np.zeros((len(y), 1)), y, codes)
            pairs = [(train, test) for train, test in splits if _can_score(y, train, test, min_rows)]
            if len(pairs) >= 2:
                return pairs
    order = np.random.RandomState(seed).permutation(len(names))
    sizes = np.bincount(codes)[order]
    middles = np.cumsum(sizes) - sizes / 2
    fold_of_group = np.empty(len(names), dtype=np.int64)
    fold_of_group[order] = np.minimum((middles * n_folds / len(y)).astype(int), n_folds - 1)
    fold_of_row = fold_of_group[codes]
    pairs = [(np.flatnonzero(fold_of_row != k), np.flatnonzero(fold_of_row == k)) for k in range(n_folds)]
    pairs = [(train, test) for train, test in pairs if len(train) and len(test)]
    if for_classes:
        scored = [pair for pair in pairs if _can_score(y, *pair)]
        pairs = scored if len(scored) >= 2 else pairs
    return pairs


def _newest(y: Array, for_classes: bool, structure: RowStructure) -> HoldoutSplit | None:
    """The newest rows, those with the same time on one side; None where that leaves nothing to learn or to score."""
    times, groups = structure.times, structure.groups
    if times is None:
        return None
    order = np.argsort(times, kind="stable")
    if for_classes and is_sorted_by_target(y[order], for_classes):
        return None
    borders = _borders(times[order])
    ideal_cut = len(y) - max(1, round(HELD_OUT * len(y)))
    min_cut, max_cut = len(y) * (1 - MOST_HELD_OUT), len(y) * (1 - HELD_OUT / 2)
    possible = borders[(borders >= min_cut) & (borders <= max_cut)]
    for cut in sorted(possible.tolist(), key=lambda border: abs(border - ideal_cut))[:50]:
        train, test, unscored = order[:cut], order[cut:], 0
        if for_classes:
            is_known = np.isin(y[test], np.unique(y[train]))
            unscored, test = int((~is_known).sum()), test[is_known]
            if len(np.unique(y[train])) < 2 or len(np.unique(y[test])) < 2:
                continue
        share = len(order[cut:]) / len(y)
        which = "newest" if structure.time_columns else "last"
        size = "fifth" if abs(share - HELD_OUT) < 0.02 else f"{100 * share:.0f} %"
        words = f"the {which} {size} of the rows is held out"
        other_train = train if groups is None else train[~np.isin(groups[train], groups[test])]
        apart = groups is not None and len(other_train) >= LEAST_KEPT * len(train)
        if apart and (not for_classes or np.array_equal(np.unique(y[other_train]), np.unique(y[train]))):
            words += ", and older rows of the same groups are not learned from"
            return HoldoutSplit(other_train, test, words, True, True, unscored)
        return HoldoutSplit(train, test, words, True, False, unscored)
    return None


def _borders(times: Floats) -> Array:
    """Positions in sorted times at which a row is newer than the one before it."""
    return np.flatnonzero(times[1:] > times[:-1]) + 1


def folds_of(y: Array, for_classes: bool, structure: RowStructure, seed: int) -> list[Fold]:
    """The folds of the comparison, in the same manner as the held-out rows. With times, rows are in their order."""
    groups = structure.groups
    if structure.times is not None:
        forward = _forward_folds(y, for_classes, structure.times)
        if groups is not None:
            forward = _apart(y, for_classes, groups, forward)
        if len(forward) >= 2:
            return forward
    if groups is not None and len(np.unique(groups)) >= 2:
        return _group_folds(y, for_classes, groups, seed)
    if not for_classes:
        return list(KFold(FOLDS, shuffle=True, random_state=seed).split(np.zeros((len(y), 1)), y))
    return _stratified_folds(y, seed)


def move_forward(folds: Sequence[Fold]) -> bool:
    """Is every fold learned from rows before those that it is scored on?"""
    return all(train.max() < test.min() for train, test in folds)


def _stratified_folds(y: Array, seed: int) -> list[Fold]:
    """Folds with the same shares of the classes. Of two classes each fold holds both; of several a rare one may be
    missing in some folds, as one row must not decide how many folds there are."""
    counts = np.unique(y, return_counts=True)[1]
    n_folds = min(FOLDS, int(counts.min() if len(counts) == 2 else counts.max()))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        split = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(split.split(np.zeros((len(y), 1)), y))


def _forward_folds(y: Array, for_classes: bool, times: Floats) -> list[Fold]:
    """Consecutive periods, each predicted from all rows before it."""
    borders = _borders(times)
    if not len(borders):
        return []
    for n_folds in range(FOLDS, 1, -1):
        ends = np.linspace(len(y) * max(FIRST_FOLD, 1 / (n_folds + 1)), len(y), n_folds + 1)[:-1]
        cuts = sorted({int(borders[np.argmin(np.abs(borders - end))]) for end in ends})
        pairs = [(np.arange(low), np.arange(low, high)) for low, high in zip(cuts, [*cuts[1:], len(y)], strict=True)]
        if for_classes:
            pairs = [(train, test[np.isin(y[test], np.unique(y[train]))]) for train, test in pairs]
            pairs = [pair for pair in pairs if _can_score(y, *pair)]
        pairs = [(train, test) for train, test in pairs if len(train) >= 5 and len(test) >= 2]
        if len(pairs) >= min(n_folds, 3) or (n_folds == 2 and len(pairs) == 2):
            return pairs
    return []


def _apart(y: Array, for_classes: bool, groups: Array, folds: list[Fold]) -> list[Fold]:
    """The folds without older rows of the tested groups, where enough others remain."""
    apart = [(train[~np.isin(groups[train], groups[test])], test) for train, test in folds]
    enough = all(
        len(new) >= LEAST_KEPT * len(old) and (not for_classes or _can_score(y, new, test))
        for (new, test), (old, _) in zip(apart, folds, strict=True)
    )
    return apart if enough else folds


def _can_score(y: Array, train: Array, test: Array, min_rows: int = LEAST_PER_CLASS) -> bool:
    """Can a classifier learn every class of these rows, and be scored on two of them at least?"""
    labels, n_rows = np.unique(y[train], return_counts=True)
    tested = np.unique(y[test])
    return len(labels) >= 2 and len(tested) >= 2 and n_rows.min() >= min_rows and bool(np.isin(tested, labels).all())


def _fewest(y: Array) -> int:
    """Rows of the rarest class."""
    return int(np.unique(y, return_counts=True)[1].min())


def sample(y: Array, rows: int, for_classes: bool, in_time: bool, seed: int, times: Floats | None = None) -> Array:
    """Positions of so many rows, with the shares of the classes; the last where they are in the order of time, or rows
    at equal distances where the last are of one class, or have too few of the times for folds in time."""
    if rows >= len(y):
        return np.arange(len(y))
    if in_time:
        last = np.arange(len(y) - rows, len(y))
        has_classes = not for_classes or (np.unique(y[last], return_counts=True)[1] >= LEAST_LATE).sum() >= 2
        if has_classes and (times is None or len(_borders(times[last])) >= FOLDS):
            return last
        return np.unique(np.linspace(0, len(y) - 1, rows).round().astype(np.int64))
    if for_classes and _fewest(y) >= 2 and rows >= 2 * len(np.unique(y)):
        split = StratifiedShuffleSplit(1, train_size=rows, random_state=seed)
        return np.sort(next(iter(split.split(np.zeros((len(y), 1)), y)))[0])
    return np.sort(np.random.RandomState(seed).permutation(len(y))[:rows])


def are_latest(rows: Array, n_rows: int) -> bool:
    """Are sampled positions the last of so many rows, and not all of them?

    >>> are_latest(np.array([8, 9]), 10), are_latest(np.array([0, 9]), 10), are_latest(np.arange(10), 10)
    (True, False, False)
    """
    return 0 < len(rows) < n_rows and int(rows[0]) == n_rows - len(rows)


def time_range(times: Floats, rows: Array, calendar: bool) -> tuple[str, str] | None:
    """The first and the last time of some rows, as text, as finely as times are known; None where they are no dates."""
    present = times[rows][np.isfinite(times[rows])]
    if not calendar or not len(present):
        return None
    ends = (np.array([present.min(), present.max()]) * 1e6).astype(np.int64).astype("datetime64[us]")
    days = (times[np.isfinite(times)] * 1e6).astype(np.int64).astype("datetime64[us]")
    unit = next(
        (unit_code for unit_code in ("Y", "M", "D") if (days.astype(f"datetime64[{unit_code}]") == days).all()), "m"
    )
    first, last = (str(end.astype(f"datetime64[{unit}]")).replace("T", " ") for end in ends)
    return first, last
