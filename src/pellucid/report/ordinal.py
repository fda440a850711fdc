"""Targets whose classes follow an order: grades, stages, star ratings, answers on a scale.

The order is known from the values, as `pellucid.quality` reads them, or it shows in the rows: the other columns rise
and fall with the numbers of the classes, which they would not do if the numbers were mere names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of
from pellucid.quality import Profile
from pellucid.report.outcome import Task
from pellucid.report.task import MEASURES

LEAST_LEVELS = 5  # for an order that shows in the rows: of four there are only twelve arrangements
MOST_LEVELS = 12
STRAIGHT = 0.6  # share of what the columns tell about the classes that must be a straight line over their numbers
MOST_ARRANGED = 0.02  # share of the other arrangements of the classes that may be as straight
SAMPLED = 500  # arrangements that are tried where there are more
CLEAR = 12.0  # F statistic from which on a column tells the classes apart
OVERRIDE = '--task "several classes" ignores the order'


@dataclass(frozen=True)
class OrderEvidence:
    """The rows in which an order may show: a table, its columns of numbers, the target, and the training rows."""

    table: Any
    names: Sequence[str]
    y: Array
    rows: Array


def ordered_task(task: Task, profile: Profile, evidence: OrderEvidence, measure: str | None) -> Task:
    """The task, with the order of its classes where the values or the rows show one.

    ``measure`` is the score that the user asked for; without one an ordinal target is compared by a score that knows
    the order.
    """
    column = next(one for one in profile.columns if str(one.name) == task.target)
    semantic = column.semantic
    if semantic is not None and semantic.name == "ordinal" and semantic.levels:
        return _in_order(task, semantic.levels, semantic.evidence, measure)
    shown = order_in_rows(task, evidence)
    return _in_order(task, task.classes, shown, measure) if shown else task


def _in_order(task: Task, levels: Sequence[Any], evidence: str, measure: str | None) -> Task:
    """The task with ordered classes, if these are the levels; compared by a score that knows the order by default."""
    by_text = {str(label).strip(): label for label in task.classes}
    ordered = tuple(by_text[text] for level in levels if (text := str(level).strip()) in by_text)
    if len(ordered) != len(task.classes) or len(ordered) < 3:
        return task
    number = "; --task number predicts it as a number" if all(isinstance(one, int) for one in ordered) else ""
    shown = " < ".join(map(str, ordered if len(ordered) <= 8 else (*ordered[:3], "…", ordered[-1])))
    why = f"{task.target!r} is an ordinal scale, {shown}: {evidence}. {OVERRIDE}{number}"
    chosen = task.measure
    if measure is None:
        chosen = replace(MEASURES["neg_ranked_probability_score"], levels=ordered)
    return replace(task, why=why, ordered=True, levels=ordered, measure=chosen)


def order_in_rows(task: Task, evidence: OrderEvidence) -> str:
    """What shows that whole numbers in a row are levels, not names of classes; "" where nothing does.

    For every column of numbers x, ``B = sum_c n_c (m_c - m)²`` is what it tells about the classes c with means m_c, and
    ``L = (sum_c n_c (c - c̄) (m_c - m))² / sum_c n_c (c - c̄)²`` the part of it that is a straight line over their
    numbers. The share ``sum L / sum B`` of the columns that tell the classes apart is compared with that of the same
    classes in other arrangements.
    """
    k = len(task.classes)
    whole = all(isinstance(label, int) and not isinstance(label, bool) for label in task.classes)
    if not whole or not LEAST_LEVELS <= k <= MOST_LEVELS or task.classes[-1] - task.classes[0] + 1 != k:
        return ""
    codes = np.searchsorted(np.asarray(task.classes), evidence.y[evidence.rows])
    sizes = np.bincount(codes, minlength=k).astype(float)
    if sizes.min() == 0:
        return ""
    columns = [_ranks(np.asarray(column_of(evidence.table, name))[evidence.rows]) for name in evidence.names]
    means = np.array([m for x in columns if (m := _class_means(x, codes, sizes)) is not None])
    if not len(means):
        return ""
    share = _straight(means, sizes, np.arange(k))
    as_straight = [_straight(means, sizes, order) >= share for order in _arrangements(k)]
    if share < STRAIGHT or np.mean(as_straight) > MOST_ARRANGED:
        return ""
    percent = min(99, round(100 * share))
    return f"{percent} % of what the columns tell about the {k} numbers is a straight line over them"


def _ranks(values: Array) -> Floats:
    """Ranks of a column, standardized; a missing value is in the middle."""
    x = np.asarray(values, dtype=np.float64)
    x = np.where(np.isfinite(x), x, np.nanmedian(x)) if np.isfinite(x).any() else np.zeros(len(x))
    ranks = np.unique(x, return_inverse=True)[1].astype(float)
    spread = ranks.std()
    return np.asarray((ranks - ranks.mean()) / spread) if spread > 0 else np.zeros(len(x))


def _class_means(x: Floats, codes: Array, sizes: Floats) -> Floats | None:
    """The means of a column by class, if it tells the classes apart."""
    means = np.bincount(codes, weights=x, minlength=len(sizes)) / sizes
    between = float(sizes @ means**2)
    within = max(len(x) - between, 1e-12)
    f = (between / (len(sizes) - 1)) / (within / max(len(x) - len(sizes), 1))
    return np.asarray(means) if f > CLEAR else None


def _straight(means: Floats, sizes: Floats, places: Array) -> float:
    """The straight share of what all columns tell, with the classes at these places."""
    centered = places - (sizes @ places) / sizes.sum()
    line = (means @ (sizes * centered)) ** 2 / (sizes @ centered**2)
    return float(line.sum() / (means**2 @ sizes).sum())


def _arrangements(k: int) -> Iterator[Array]:
    """All other arrangements of the classes, or a sample; one and its reverse are as straight."""
    if factorial(k) <= SAMPLED:
        identity = tuple(range(k))
        yield from (np.array(one) for one in permutations(range(k)) if one not in (identity, identity[::-1]))
        return
    random = np.random.RandomState(0)
    yield from (random.permutation(k) for _ in range(SAMPLED))
