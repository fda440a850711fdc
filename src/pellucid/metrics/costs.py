"""What mistakes cost: a cost for each pair of true and predicted class, and the threshold that costs least.

A cost matrix K has the true class in rows and the predicted class in columns; a benefit is a negative cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pellucid.base.errors import join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.metrics._labels import label_list, read_labels
from pellucid.metrics._pairs import matrix_of, one_label_a_row, read_pair
from pellucid.metrics._read import check_lengths, fail, numbers, refuse, weights

__all__ = ["ExpectedCost", "ThresholdChoice", "cost_matrix", "expected_cost", "tune_threshold"]

Metric = Callable[..., float]


def cost_matrix(
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    true_positive: float = 0.0,
    true_negative: float = 0.0,
) -> Floats:
    """The cost matrix of two classes, ``[[TN, FP], [FN, TP]]``: rows true, columns predicted, negative class first.

    >>> cost_matrix(false_negative=10, true_positive=-2)
    array([[ 0.,  1.],
           [10., -2.]])
    """
    return _finite("cost_matrix", [[true_negative, false_positive], [false_negative, true_positive]])


@dataclass(frozen=True)
class ExpectedCost:
    """What predictions cost: in total, a row, and by pair of true (row) and predicted (column) class."""

    total: float
    mean: float
    by_pair: Floats = field(repr=False, compare=False)


def expected_cost(
    y_true: Any, y_pred: Any, costs: Any, *, labels: Any = None, sample_weight: Any = None
) -> ExpectedCost:
    """Cost of predictions where mistakes cost unequally, and right answers may be worth something.

    ``total = sum_ij K_ij C_ij``,  ``mean = total / sum_ij C_ij`` with the costs K and the confusion matrix C.

    ``costs`` is a square table in the order of the classes (sorted, or that of ``labels``: give them where a class may
    be absent), or a dict from (true, predicted) to the cost, in which what is not named costs nothing.

    >>> expected_cost([0, 0, 1, 1], [0, 1, 1, 0], cost_matrix(false_positive=1, false_negative=10))
    ExpectedCost(total=11.0, mean=2.75)
    >>> expected_cost(["ok", "fault"], ["fault", "fault"], {("ok", "fault"): 3, ("fault", "fault"): -5})
    ExpectedCost(total=-2.0, mean=-1.0)
    """
    who = "expected_cost"
    pair = one_label_a_row(who, read_pair(who, y_true, y_pred, sample_weight))
    present = pair.labels.tolist()
    label_set = present if labels is None else label_list(who, labels)
    unknown = [repr(label) for label in present if label not in label_set]
    if unknown:
        fail(who, "every label must be one of labels", f"y contains previously unseen labels: {join_some(unknown)}")
    table = _costs_table(who, costs, label_set)
    by_pair = table * matrix_of(who, pair, label_set)
    total = float(by_pair.sum())
    return ExpectedCost(total, total / float(pair.total), by_pair)


class Counts(NamedTuple):
    """TP, FP, TN, FN at each threshold."""

    tp: Floats
    fp: Floats
    tn: Floats
    fn: Floats


@dataclass(frozen=True)
class ThresholdChoice:
    """The best threshold, its score, and the scores at all thresholds; ``scores >= threshold`` is the positive class.

    ``thresholds`` fall, from infinity (nothing is positive) to the least score (all is positive).
    """

    threshold: float
    score: float
    objective: str
    thresholds: Floats = field(repr=False, compare=False)
    scores: Floats = field(repr=False, compare=False)


def tune_threshold(
    y_true: Any,
    scores: Any,
    *,
    costs: Any = None,
    metric: str | Metric = "balanced_accuracy",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> ThresholdChoice:
    """The score from which on to call a row positive: the one of highest metric, or of least cost.

    Every distinct score s is tried as threshold (positive where ``score >= s``), and infinity. The rows are sorted by
    score once; TP and FP at all thresholds are then running sums down the order. Of equally good thresholds the highest
    is taken, that with the fewest alarms.

    ``metric`` is one of "accuracy", "balanced_accuracy", "f1", "jaccard", "matthews_corrcoef", "precision", "recall",
    "specificity", or a function of (y_true, y_pred), which is called once a threshold and whose largest value is best.
    With ``costs`` (as in :func:`expected_cost`, two classes, the negative first) the mean cost is made least. Choose
    the threshold on rows that the model was not fitted on.

    >>> choice = tune_threshold([0, 0, 1, 0, 1], [0.1, 0.2, 0.4, 0.6, 0.9])
    >>> choice  # 2 of 2 positives and 2 of 3 negatives are right
    ThresholdChoice(threshold=0.4, score=0.8333333333333333, objective='balanced_accuracy')
    >>> tune_threshold([0, 0, 1, 0, 1], [0.1, 0.2, 0.4, 0.6, 0.9], costs=[[0, 10], [1, 0]])  # one miss in five rows
    ThresholdChoice(threshold=0.9, score=0.2, objective='mean cost')
    """
    who = "tune_threshold"
    classes, codes = read_labels(who, "y_true", y_true)
    positive = codes == _positive_code(who, classes.tolist(), pos_label)
    values = numbers(who, scores, "scores")
    if values.ndim != 1:
        fail(who, "scores must be one column", f"got shape {values.shape}", "take the column of the positive class")
    check_lengths(who, y_true=codes, scores=values)
    weight = weights(who, sample_weight, len(codes))
    thresholds, counts = _sweep(positive, values, weight)
    if costs is not None:
        if not isinstance(metric, str) or metric != "balanced_accuracy":
            refuse(who, "costs or metric must be given, not both", f"got costs and metric={short_repr(metric)}")
        negative = next(label for label in classes.tolist() if label != pos_label)
        curve = _mean_cost(counts, _costs_table(who, costs, [negative, pos_label]))
        return _choice(thresholds, curve, int(np.argmin(curve)), "mean cost")
    if callable(metric):
        curve, objective = _called(metric, classes[codes], classes, positive, values, thresholds, weight)
    elif isinstance(metric, str) and metric in METRICS:
        with np.errstate(divide="ignore", invalid="ignore"):
            curve, objective = METRICS[metric](counts), metric
    else:
        options = ", ".join(map(repr, METRICS))
        refuse(who, f"metric must be a function or one of {options}", f"got {short_repr(metric)}")
    if np.isnan(curve).all():
        fail(who, "metric must be a number at one threshold at least", "it is nan at all of them")
    return _choice(thresholds, curve, int(np.nanargmax(curve)), objective)


def _choice(thresholds: Floats, curve: Floats, best: int, objective: str) -> ThresholdChoice:
    return ThresholdChoice(float(thresholds[best]), float(curve[best]), objective, thresholds, curve)


def _positive_code(who: str, classes: list[Any], pos_label: Any) -> int:
    if len(classes) != 2:
        actual = f"got {join_some(map(repr, classes))}"
        fail(who, "y_true must hold two classes", actual, "give one class against the rest, for instance y == 'a'")
    if pos_label not in classes:
        fail(
            who,
            f"pos_label={pos_label!r} is not a valid label",
            f"It should be one of {classes}",
            f"pos_label={classes[1]!r} takes that class as the positive one",
        )
    return classes.index(pos_label)


def _sweep(positive: Array, scores: Floats, weight: Array | None) -> tuple[Floats, Counts]:
    """Falling thresholds and the counts at each: running sums of the weights in order of falling scores."""
    order = np.argsort(-scores, kind="stable")
    ordered, is_positive = scores[order], positive[order]
    w = np.ones(len(scores)) if weight is None else weight[order].astype(np.float64)
    last = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)  # the last row of each distinct score
    tp = np.append(0.0, np.cumsum(w * is_positive)[last])
    fp = np.append(0.0, np.cumsum(w * ~is_positive)[last])
    return np.append(np.inf, ordered[last]), Counts(tp, fp, fp[-1] - fp, tp[-1] - tp)


def _mean_cost(c: Counts, costs: Floats) -> Floats:
    total = costs[0, 0] * c.tn + costs[0, 1] * c.fp + costs[1, 0] * c.fn + costs[1, 1] * c.tp
    return np.asarray(total / (c.tp + c.fp + c.tn + c.fn))


def _recall(c: Counts) -> Floats:
    return np.asarray(c.tp / (c.tp + c.fn))


def _specificity(c: Counts) -> Floats:
    return np.asarray(c.tn / (c.tn + c.fp))


def _matthews(c: Counts) -> Floats:
    spread = np.sqrt((c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn))
    return np.where(spread == 0, 0.0, (c.tp * c.tn - c.fp * c.fn) / spread)


METRICS: dict[str, Callable[[Counts], Floats]] = {
    "accuracy": lambda c: (c.tp + c.tn) / (c.tp + c.fp + c.tn + c.fn),
    "balanced_accuracy": lambda c: (_recall(c) + _specificity(c)) / 2,
    "f1": lambda c: 2 * c.tp / (2 * c.tp + c.fp + c.fn),
    "jaccard": lambda c: c.tp / (c.tp + c.fp + c.fn),
    "matthews_corrcoef": _matthews,
    "precision": lambda c: c.tp / (c.tp + c.fp),
    "recall": _recall,
    "specificity": _specificity,
}


def _called(
    metric: Metric,
    y_true: Array,
    classes: Array,
    positive: Array,
    scores: Floats,
    thresholds: Floats,
    weight: Array | None,
) -> tuple[Floats, str]:
    """The user's own metric at every threshold."""
    yes = int(np.flatnonzero(classes == y_true[np.argmax(positive)])[0])
    settings = {} if weight is None else {"sample_weight": weight}
    predictions = (classes[np.where(scores >= threshold, yes, 1 - yes)] for threshold in thresholds)
    curve = np.array([metric(y_true, y_pred, **settings) for y_pred in predictions], dtype=np.float64)
    return curve, getattr(metric, "__name__", "metric")


def _costs_table(who: str, costs: Any, labels: list[Any]) -> Floats:
    """Costs as a square table in the order of the labels."""
    if isinstance(costs, Mapping):
        return _costs_of_dict(who, costs, labels)
    table = _finite(who, costs)
    if table.shape != (len(labels), len(labels)):
        fail(
            who,
            f"costs must be a table of {len(labels)} x {len(labels)}, one row and one column a class "
            f"({short_repr(labels)})",
            f"got shape {table.shape}",
            "pass labels= to name all classes in the order of the table",
        )
    return table


def _costs_of_dict(who: str, costs: Mapping[Any, Any], labels: list[Any]) -> Floats:
    wrong = [key for key in costs if not (isinstance(key, tuple) and len(key) == 2)]
    if wrong:
        fail(who, "keys of costs must be (true label, predicted label)", f"got {join_some(map(repr, wrong))}")
    position_of = {label: i for i, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    values = _finite(who, list(costs.values()))
    for (true, predicted), cost in zip(costs, values, strict=True):
        if true in position_of and predicted in position_of:  # of a class that does not occur, nothing is to be paid
            table[position_of[true], position_of[predicted]] = cost
    return table


def _finite(who: str, costs: Any) -> Floats:
    try:
        table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        fail(who, "costs must be numbers", f"got {short_repr(costs)}", "rows are true classes, columns predicted ones")
    if not np.isfinite(table).all():
        fail(who, "costs must be finite", f"got {short_repr(table.tolist())}")
    return table
