"""Labels of a target as numbers, and as zeros and ones, in plain steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def classes(y: Iterable[Any]) -> list[Any]:
    """The distinct labels in ascending order."""
    return sorted(set(y))


def encode(y: Sequence[Any], known: Sequence[Any]) -> NDArray[np.int64]:
    """The position of each label among the known ones."""
    return np.array([list(known).index(label) for label in y], dtype=np.int64)


def binarize(y: Sequence[Any], known: Sequence[Any], neg: int = 0, pos: int = 1) -> NDArray[np.int64]:
    """A column for each label, ``pos`` where a row has it, else ``neg``; for two labels the second one's alone."""
    table = np.array([[pos if label == class_label else neg for class_label in known] for label in y], dtype=np.int64)
    return table[:, 1:] if len(known) == 2 else table


def binarize_sets(y: Sequence[Iterable[Any]], known: Sequence[Any]) -> NDArray[np.int64]:
    """A column for each label, 1 where it is in the set of a row."""
    return np.array([[int(class_label in set(labels)) for class_label in known] for labels in y], dtype=np.int64)
