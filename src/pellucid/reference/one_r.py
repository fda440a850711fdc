"""One rule on one column in plain steps (Holte 1993)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Counts = dict[Any, float]


def majority(counts: Counts) -> Any:
    """The most frequent class, the first of equals in their order."""
    return min(counts, key=lambda label: (-counts[label], label))


def count(labels: Sequence[Any], weight: Sequence[float], rows: Sequence[int], classes: Sequence[Any]) -> Counts:
    """Weight of each class among some rows."""
    return {c: sum(weight[i] for i in rows if labels[i] == c) for c in classes}


def buckets(values: Sequence[float], labels: Sequence[Any], weight: Sequence[float], least: float) -> list[list[int]]:
    """Rows of each interval of a column of numbers, in ascending order of their values.

    A bucket takes values until one class has at least `least` in it, then those that follow and have that class only;
    neighbors with the same most frequent class are one bucket.
    """
    classes = sorted(set(labels))
    left = [i for i in range(len(values)) if values[i] is not None and weight[i] > 0]
    groups = [[i for i in left if values[i] == v] for v in sorted({values[i] for i in left})]
    found: list[list[int]] = []
    while groups:
        bucket = list(groups.pop(0))
        while groups and max(count(labels, weight, bucket, classes).values()) < least:
            bucket += groups.pop(0)
        label = majority(count(labels, weight, bucket, classes))
        while groups and all(labels[i] == label for i in groups[0]):
            bucket += groups.pop(0)
        if found and majority(count(labels, weight, found[-1], classes)) == majority(
            count(labels, weight, bucket, classes)
        ):
            found[-1] = found[-1] + bucket
        else:
            found.append(bucket)
    return found


def parts(
    values: Sequence[Any], labels: Sequence[Any], weight: Sequence[float], is_number: bool, least: float
) -> list[list[int]]:
    """Rows of each value, or each interval of numbers; those with a missing value (None) are a part of their own."""
    counted = [i for i in range(len(values)) if weight[i] > 0]
    if is_number:
        found = buckets(values, labels, weight, least)
    else:
        names = sorted({values[i] for i in counted if values[i] is not None})
        found = [[i for i in counted if values[i] == name] for name in names]
    missing = [i for i in counted if values[i] is None]
    return [*found, missing] if missing else found


def one_r(
    columns: Sequence[Sequence[Any]],
    labels: Sequence[Any],
    is_number: Sequence[bool],
    least: float = 6,
    weight: Sequence[float] | None = None,
) -> tuple[int, list[float], list[Any]]:
    """The column with the fewest errors (the first of equals), the errors of each, and the fitted label of each row."""
    weight = [1.0] * len(labels) if weight is None else weight
    classes = sorted(set(labels))
    errors, answers = [], []
    for values, number in zip(columns, is_number, strict=True):
        said: list[Any] = [None] * len(labels)
        wrong = 0.0
        for rows in parts(values, labels, weight, number, least):
            label = majority(count(labels, weight, rows, classes))
            for i in rows:
                said[i] = label
            wrong += sum(weight[i] for i in rows if labels[i] != label)
        errors.append(wrong)
        answers.append(said)
    best = errors.index(min(errors))
    return best, errors, answers[best]
