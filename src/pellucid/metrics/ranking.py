"""How well scores rank rows: the ROC curve, the area under it, the right class among the first k.

Every curve is made from the same counts: at a threshold t, the true positives TP(t) and false positives FP(t) are the
positive and negative rows whose score is at least t; P and N are all positive and all negative rows. With weights, rows
count with their weight.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pellucid import _core
from pellucid.base.errors import short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Flags, Floats
from pellucid.metrics._numbers import power_of_two, unscaled
from pellucid.metrics._read import check_choice, check_lengths, fail, refuse, refuse_not_finite, whole
from pellucid.metrics._scores import (
    AVERAGES,
    Average,
    Curve,
    Scored,
    average_over,
    check_share,
    class_against_rest,
    ends,
    one_against_rest,
    one_hot,
    read_classes,
    read_column,
    read_matching,
    read_scores,
    read_table,
    read_weights,
    refuse_shape,
    scored,
    steps,
    warn_of,
)

__all__ = [
    "auc",
    "roc_auc_score",
    "roc_curve",
    "top_k_accuracy_score",
]


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Area under a curve given by points, by trapezoids.

    ``A = |sum_i (x_i+1 - x_i) (y_i+1 + y_i) / 2|``, the x rising or falling.

    For the area under a ROC curve :func:`roc_auc_score` is faster; for a precision-recall curve
    :func:`average_precision_score` does not interpolate, which flatters.

    >>> auc([0, 0.5, 1], [0, 1, 1])  # 1/4 under the slope, 1/2 under the flat
    0.75
    """
    across, up = (read_column("auc", values, name) for values, name in ((x, "x"), (y, "y")))
    check_lengths("auc", x=across, y=up)
    for values, name in ((across, "x"), (up, "y")):
        refuse_not_finite("auc", values, name)
    if len(across) < 2:
        fail("auc", "At least 2 points are needed to compute area under curve", f"x.shape = {across.shape}")
    across_factor, up_factor = (power_of_two(np.abs(values).max()) for values in (across, up))
    step, height = np.diff(across * across_factor), up * up_factor
    falling = bool((step < 0).any())
    if falling and (step > 0).any():
        fail(
            "auc", "x must rise or fall", f"x is neither increasing nor decreasing : {across}.", "sort the points by x"
        )
    area = np.sum(step * (height[1:] + height[:-1])) / 2
    size = float(unscaled(unscaled(area, across_factor), up_factor))
    return -size if falling else size


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> Curve:
    """False and true positive rates at every threshold: what a classifier gives up to find more of the positives.

    ``FPR(t) = FP(t) / N,   TPR(t) = TP(t) / P``

    Thresholds are the distinct scores from the highest down, after infinity, where nothing is called positive. With
    ``drop_intermediate`` points inside straight pieces are left out; the curve is the same.

    Labels are 0 and 1 or -1 and 1, or ``pos_label`` says which one is positive. Prefer :func:`precision_recall_curve`
    where positives are rare.

    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr
    array([0. , 0. , 0.5, 0.5, 1. ])
    >>> tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    """
    step_counts = steps("roc_curve", scored("roc_curve", y_true, y_score, pos_label, sample_weight))
    return _rates("roc_curve", *step_counts, drop_intermediate)


def _rates(who: str, threshold: Array, tp: Floats, fp: Floats, drop_intermediate: bool) -> Curve:
    if drop_intermediate and len(tp) > 2:
        keep = ends((np.diff(fp, 2) != 0) | (np.diff(tp, 2) != 0))
        threshold, tp, fp = threshold[keep], tp[keep], fp[keep]
    threshold, tp, fp = (
        np.concatenate([[start], values])
        for start, values in ((np.inf, threshold.astype(np.float64)), (0, tp), (0, fp))
    )
    return _share(who, fp, "negative", "false"), _share(who, tp, "positive", "true"), threshold


def _share(who: str, running: Floats, which: str, rate: str) -> Floats:
    if running[-1] > 0:
        return np.asarray(running / running[-1])
    warn_of(
        who,
        "y_true must have both classes",
        f"No {which} samples in y_true, {rate} positive value should be meaningless",
    )
    return np.full(len(running), np.nan)


def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: ArrayLike | None = None,
) -> float | Floats:
    """Chance that a positive row scores above a negative one, ties counted half: the area under the ROC curve.

    ``AUC = sum_g p_g (N_<g + n_g / 2) / (P N)``

    g runs over the distinct scores; p_g and n_g are the positive and negative rows that have it, N_<g the negative rows
    below it. 1/2 is what scores without any meaning reach, 1 a perfect ranking. Rows are sorted by a parallel kernel
    and counted in whole numbers: the answer is exact to its last digit and the same on any number of threads.

    Of two classes the greater label is the positive one. Of more, ``multi_class="ovr"`` sets every class against the
    rest and ``"ovo"`` every pair of classes against each other (Hand and Till 2001); scores are then probabilities, one
    column a class. A table of zeros and ones (several labels a row) is scored column by column. ``average`` says how
    the figures become one. ``max_fpr`` takes the area up to a false positive rate and rescales it so that 1/2 is chance
    (McClish 1989).

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])  # three of four pairs in the right order
    0.75
    >>> roc_auc_score([0, 1, 1], [0.5, 0.5, 0.9])  # one pair right, one tied
    0.75
    """
    who = "roc_auc_score"
    check_choice(who, "average", average, AVERAGES)
    check_choice(who, "multi_class", multi_class, ("raise", "ovr", "ovo"))
    check_share(who, "max_fpr", max_fpr)
    table, scores = read_table(who, y_true), read_scores(who, y_score)
    if table is not None:
        weight = read_matching(who, table, scores, sample_weight)
        return average_over(
            lambda column, score, w: _area(who, one_against_rest(column, 1, score, w), max_fpr),
            table,
            scores,
            average,
            weight,
        )
    classes, codes = read_classes(who, y_true)
    if len(classes) > 2 or (scores.ndim == 2 and scores.shape[1] > 2):
        _check_multiclass(who, multi_class, average, max_fpr, sample_weight)
        codes = _as_columns(who, classes, codes, scores, labels)
        weight = read_weights(who, sample_weight, len(codes))
        if multi_class == "ovo":
            return _one_against_one(who, codes, scores, average == "weighted")
        return average_over(
            lambda column, score, w: _area(who, one_against_rest(column, 1, score, w)),
            one_hot(codes, scores.shape[1]),
            scores,
            average,
            weight,
        )
    return _area(who, class_against_rest(who, classes, codes, scores, classes[-1], sample_weight), max_fpr)


def _area(who: str, rows: Scored, max_fpr: float | None = None) -> float:
    if max_fpr is not None and max_fpr < 1:
        return _partial_area(who, rows, float(max_fpr))
    status, area, positives, negatives = _core.roc_area(*rows, effective_threads())
    if status:
        refuse_not_finite(who, rows.score, "y_score")
    if not (positives and negatives):
        _warn_one_class(who)
    return area


def _warn_one_class(who: str) -> None:
    actual = "Only one class is present in y_true. ROC AUC score is not defined in that case"
    warn_of(who, "y_true must have both classes", actual)


def _partial_area(who: str, rows: Scored, max_fpr: float) -> float:
    """``(1 + (A - m^2/2) / (m - m^2/2)) / 2``, A the area up to the false positive rate m."""
    counts = steps(who, rows)
    if not (counts.positives[-1] and counts.negatives[-1]):
        _warn_one_class(who)
        return float("nan")
    fpr, tpr, _ = _rates(who, *counts, True)
    stop = int(np.searchsorted(fpr, max_fpr, side="right"))
    at_limit = np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1])
    area = auc(np.append(fpr[:stop], max_fpr), np.append(tpr[:stop], at_limit))
    baseline = max_fpr**2 / 2
    return 0.5 * (1 + (area - baseline) / (max_fpr - baseline))


def _check_multiclass(who: str, multi_class: str, average: str | None, max_fpr: Any, sample_weight: Any) -> None:
    if max_fpr is not None and max_fpr != 1:
        requirement = "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`"
        refuse(who, requirement, f"received `max_fpr={max_fpr}` instead")
    if multi_class == "raise":
        refuse(who, "multi_class must be in ('ovo', 'ovr')", "got 'raise' with more than two classes")
    allowed = ("micro", "macro", "weighted", None) if multi_class == "ovr" else ("macro", "weighted", None)
    if average not in allowed:
        refuse(who, f"average must be one of {allowed} for multiclass problems", f"got {short_repr(average)}")
    if multi_class == "ovo" and average is None:
        requirement = "average=None is not implemented for multi_class='ovo'"
        refuse(
            who, requirement, "a pair of classes has no figure of one class", "use average='macro' or multi_class='ovr'"
        )
    if multi_class == "ovo" and sample_weight is not None:
        requirement = "sample_weight is not supported for multiclass one-vs-one ROC AUC"
        refuse(who, requirement, "'sample_weight' must be None in this case", "use multi_class='ovr'")


def _as_columns(who: str, classes: Array, codes: Array, scores: Array, labels: ArrayLike | None) -> Array:
    """Codes as columns of the scores, which must be probabilities of all the classes."""
    if scores.ndim != 2:
        refuse_shape(who, scores)
    check_lengths(who, y_true=codes, y_score=scores)
    refuse_not_finite(who, scores, "y_score")
    if not np.allclose(1, scores.sum(axis=1)):
        requirement = (
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )
        fail(who, requirement, f"sums run from {scores.sum(axis=1).min():.6g} to {scores.sum(axis=1).max():.6g}")
    if labels is None and len(classes) != scores.shape[1]:
        requirement = "Number of classes in y_true not equal to the number of columns in 'y_score'"
        fail(who, requirement, f"got {len(classes)} and {scores.shape[1]}", "name all classes with labels")
    return codes if labels is None else _codes_of(who, classes, codes, labels, scores.shape[1], "columns in 'y_score'")


def _codes_of(who: str, classes: Array, codes: Array, labels: ArrayLike, n_columns: int, what: str) -> Array:
    """Codes in the order of ``labels``, which must be different, sorted, and as many as columns."""
    label_values = np.asarray(labels).ravel()
    ordered = np.unique(label_values)
    if len(ordered) != len(label_values):
        refuse(who, "Parameter 'labels' must be unique", f"got {short_repr(label_values.tolist())}")
    if not np.array_equal(ordered, label_values):
        refuse(who, "Parameter 'labels' must be ordered", f"got {short_repr(label_values.tolist())}")
    if len(label_values) != n_columns:
        fail(who, f"Number of given labels ({len(label_values)}) not equal to the number of {what} ({n_columns})")
    if not np.isin(classes, label_values).all():
        actual = short_repr(np.setdiff1d(classes, label_values).tolist())
        fail(who, "'y_true' contains labels not in parameter 'labels'", f"found {actual}")
    return np.asarray(np.searchsorted(label_values, classes)[codes])


def _one_against_one(who: str, codes: Array, scores: Array, weighted: bool) -> float:
    """Mean over pairs of classes of the two areas between them, each class in turn being the positive one."""
    present, areas, prevalence = np.unique(codes), [], []
    rows_of = {c: codes == c for c in present}
    for i, a in enumerate(present):
        for b in present[i + 1 :]:
            both = rows_of[a] | rows_of[b]
            pair = codes[both]
            areas_of_pair = [_area(who, one_against_rest(pair, c, scores[both, c], None)) for c in (int(a), int(b))]
            areas.append(sum(areas_of_pair) / 2)
            prevalence.append(both.mean())
    if weighted and not np.sum(prevalence):
        fail("roc_auc_score", "a pair of classes must occur in y_true", "no row belongs to any pair", "give more rows")
    return float(np.average(areas, weights=prevalence if weighted else None))


def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float:
    """Share of rows whose true class is among the k classes of highest score.

    ``sum_i w_i [r_i < k] / sum_i w_i``, r_i the number of classes ranked before the true one of row i: those of higher
    score, and of those with the same score the ones further right.

    Of two classes there is one column of scores, and ``k=1`` calls the greater label above 1/2 (probabilities) or 0.
    ``normalize=False`` gives the number, or weight, of such rows.

    >>> scores = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], scores, k=2)  # only the last row's class comes third
    0.75
    """
    who = "top_k_accuracy_score"
    k = whole(who, k, "k", 1)
    classes, codes = read_classes(who, y_true)
    scores = read_scores(who, y_score)
    binary = len(classes) <= 2 and (labels is None or np.size(labels) <= 2)
    if binary and scores.ndim == 2 and scores.shape[1] != 1:
        requirement = f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes"
        fail(who, requirement, hint="If `y_true` does not contain all the labels, `labels` must be provided")
    scores = read_column(who, scores) if binary else scores
    if not binary and scores.ndim != 2:
        refuse_shape(who, scores)
    refuse_not_finite(who, scores, "y_score")
    weight = read_weights(who, sample_weight, len(codes))
    check_lengths(who, y_true=codes, y_score=scores, sample_weight=weight)
    n_classes = 2 if binary else scores.shape[1]
    if labels is not None:
        codes = _codes_of(who, classes, codes, labels, n_classes, "classes in 'y_score'")
    elif len(classes) != n_classes:
        requirement = f"Number of classes in 'y_true' ({len(classes)}) not equal to the number of classes in 'y_score'"
        fail(who, requirement, f"{n_classes} are there", "provide all known classes with the `labels` parameter")
    if k >= n_classes:
        actual = f"'k' ({k}) greater than or equal to 'n_classes' ({n_classes}) will result in a perfect score"
        warn_of(who, "k must be less than the number of classes", actual + " and is therefore meaningless")
    hits = _hits_of_two(codes, scores, k) if binary else _among_first(codes, scores, k)
    if normalize:
        return float(np.average(hits, weights=weight))
    return float(hits.sum() if weight is None else (hits * weight).sum())


def _hits_of_two(codes: Array, score: Array, k: int) -> Flags:
    if k > 1:
        return np.ones(len(codes), dtype=bool)
    limit = 0.5 if score.min() >= 0 and score.max() <= 1 else 0.0
    return np.asarray((score > limit) == (codes == 1))


def _among_first(codes: Array, scores: Array, k: int) -> Flags:
    true_score = np.take_along_axis(scores, codes[:, None].astype(np.int64), axis=1)
    before = (scores > true_score) | ((scores == true_score) & (np.arange(scores.shape[1]) > codes[:, None]))
    return np.asarray(before.sum(axis=1) < k)
