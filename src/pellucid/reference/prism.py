"""PRISM in plain steps (Cendrowska 1987): for each class rules that are right, one condition at a time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Found = tuple[Any, list[tuple[int, Any]], list[tuple[Fraction, Fraction]]]


def _weigh(weight: Sequence[Fraction], rows: Sequence[int]) -> Fraction:
    return sum((weight[i] for i in rows), Fraction(0))


def _best(
    table: Sequence[Sequence[Any]],
    is_class: Sequence[bool],
    weight: Sequence[Fraction],
    rows: Sequence[int],
    used: Sequence[int],
    least: Fraction,
) -> tuple[int, Any, Fraction, Fraction] | None:
    """The condition with the largest p / t, of equals the larger p, then the first column and the first value."""
    found = []
    for j in range(len(table[0])):
        for value in sorted({table[i][j] for i in rows if table[i][j] is not None}) if j not in used else ():
            covered = [i for i in rows if table[i][j] == value]
            t, p = _weigh(weight, covered), _weigh(weight, [i for i in covered if is_class[i]])
            if p > 0 and t >= least:
                found.append((p / t, p, j, value, t))
    if not found:
        return None
    _, p, j, value, t = max(found, key=lambda one: (one[0], one[1]))  # `max` keeps the first of equals
    return j, value, p, t


def prism(
    table: Sequence[Sequence[Any]],
    labels: Sequence[Any],
    min_accuracy: float = 1.0,
    min_rows: float = 1,
    max_conditions: int | None = None,
    weight: Sequence[float] | None = None,
) -> list[Found]:
    """Rules as (label, [(column, value), ...], [(p, t) after each condition, ...]), class after class."""
    weights = [Fraction(1)] * len(labels) if weight is None else [Fraction(w) for w in weight]
    rules: list[Found] = []
    for label in sorted(set(labels)):
        is_class = [one == label for one in labels]
        left = [i for i in range(len(labels)) if weights[i] > 0]
        while any(is_class[i] for i in left):
            rows, conditions, shares = left, list[tuple[int, Any]](), list[tuple[Fraction, Fraction]]()
            while len(conditions) < (len(table[0]) if max_conditions is None else max_conditions):
                used = [j for j, _ in conditions]
                best = _best(table, is_class, weights, rows, used, Fraction(min_rows))
                if best is None or (shares and best[2] / best[3] < shares[-1][0] / shares[-1][1]):
                    break
                j, value, p, t = best
                rows = [i for i in rows if table[i][j] == value]
                conditions.append((j, value))
                shares.append((p, t))
                if float(p) >= min_accuracy * float(t):
                    break
            if not conditions:
                break
            rules.append((label, conditions, shares))
            left = [i for i in left if i not in set(rows)]
    return rules
