"""Which rows are learned from, which are kept back, and the folds of the comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, sentence
from pellucid.base.types import Array
from pellucid.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

LEAST_ROWS = 20
KEPT_BACK = 0.2
FOLDS = 5


@dataclass(frozen=True)
class Parting:
    """Positions of the rows to learn from and of those kept back; how they were parted, in words."""

    train: Array
    held: Array
    words: str


def part(y: Array, for_classes: bool, groups: Array | None, times: Array | None, seed: int) -> Parting:
    """A fifth of the rows is kept back: at random with the classes' shares, by whole groups, or the latest."""
    if len(y) < LEAST_ROWS:
        hint = "collect more rows; pellucid quality describes a table of any size"
        raise DataError(
            sentence("report", f"there must be at least {LEAST_ROWS} rows with a target", f"got {len(y)}", hint)
        )
    if times is not None:
        order = np.argsort(times, kind="stable")
        cut = len(y) - max(1, round(KEPT_BACK * len(y)))
        return Parting(order[:cut], order[cut:], "the latest fifth of the rows is kept back")
    if groups is not None:
        split: Any = GroupShuffleSplit(1, test_size=KEPT_BACK, random_state=seed)
        words = "a fifth of the groups is kept back, each whole"
    elif for_classes and _fewest(y) >= 2:
        split = StratifiedShuffleSplit(1, test_size=KEPT_BACK, random_state=seed)
        words = "a fifth of the rows is kept back, with the same shares of the classes"
    else:
        split = ShuffleSplit(1, test_size=KEPT_BACK, random_state=seed)
        words = "a fifth of the rows is kept back, drawn at random"
    train, held = next(iter(split.split(np.zeros((len(y), 1)), y, groups)))
    return Parting(np.sort(train), np.sort(held), words)


def folds_of(y: Array, for_classes: bool, groups: Array | None, in_time: bool, seed: int) -> list[tuple[Array, Array]]:
    """The parts of the comparison, in the same manner as the rows that were kept back."""
    if in_time:
        split: Any = TimeSeriesSplit(FOLDS)
    elif groups is not None:
        split = GroupKFold(min(FOLDS, len(np.unique(groups))))
    elif for_classes and _fewest(y) >= 2:
        split = StratifiedKFold(min(FOLDS, _fewest(y)), shuffle=True, random_state=seed)
    else:
        split = KFold(FOLDS, shuffle=True, random_state=seed)
    return [(train, test) for train, test in split.split(np.zeros((len(y), 1)), y, groups)]


def _fewest(y: Array) -> int:
    """Rows of the rarest class."""
    return int(np.unique(y, return_counts=True)[1].min())


def sample(y: Array, rows: int, for_classes: bool, in_time: bool, seed: int) -> Array:
    """Positions of so many rows, with the classes' shares; the latest where they are in the order of time."""
    if rows >= len(y):
        return np.arange(len(y))
    if in_time:
        return np.arange(len(y) - rows, len(y))
    if for_classes and _fewest(y) >= 2 and rows >= 2 * len(np.unique(y)):
        split = StratifiedShuffleSplit(1, train_size=rows, random_state=seed)
        return np.sort(next(iter(split.split(np.zeros((len(y), 1)), y)))[0])
    return np.sort(np.random.RandomState(seed).permutation(len(y))[:rows])
