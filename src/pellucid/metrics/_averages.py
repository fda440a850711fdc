"""Precision and its kin: shares of counts, class by class, and the ways to make one figure of them."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning as _SklearnUndefinedMetricWarning

from pellucid.base.errors import PellucidWarning, format_message, short_repr, warn
from pellucid.base.types import Array, Floats
from pellucid.metrics._labels import label_list
from pellucid.metrics._pairs import LabelPair, OneVersusRest, one_versus_rest
from pellucid.metrics._read import check_choice, fail, refuse

Average = Literal["binary", "micro", "macro", "weighted", "samples"] | None
ZeroDivision = Literal["warn"] | float
AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


class UndefinedMetricWarning(PellucidWarning, _SklearnUndefinedMetricWarning):
    """A figure is a share of nothing, and was set to a fixed value."""


def scores(
    who: str,
    pair: LabelPair,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = None,
    warn_for: Collection[str] = ("precision", "recall", "f-score"),
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Array | None]:
    """Precision, recall, F-score and support, as `precision_recall_fscore_support` describes them."""
    check_zero_division(who, zero_division)
    if not isinstance(beta, Real) or not beta >= 0:
        refuse(who, "beta must be a number of 0 or more", f"got {short_repr(beta)}")
    counts = set_wise(who, pair, labels, pos_label, average)
    _, fp, fn, tp = counts.pooled() if average == "micro" else counts
    predicted, true = tp + fp, tp + fn

    def share(part: Array, whole: Array, name: str, nothing: str) -> Floats:
        return divided(who, part, whole, name, nothing, average, zero_division, name in warn_for)

    precision = share(tp, predicted, "precision", "predicted")
    recall = share(tp, true, "recall", "true")
    b2 = float(beta) ** 2
    if np.isinf(b2):
        f_score = recall
    elif b2 == 0:
        f_score = precision
    else:
        f_score = share((1 + b2) * tp, b2 * true + predicted, "f-score", "true nor predicted")
    weights = mean_weights(pair, counts, average)
    means = [averaged(score, weights, average) for score in (precision, recall, f_score)]
    return means[0], means[1], means[2], true if average is None else None


def set_wise(who: str, pair: LabelPair, labels: Any, pos_label: Any, average: Average) -> OneVersusRest:
    """Counts of the labels that an average goes over."""
    check_choice(who, "average", average, AVERAGES)
    if np.ndim(pos_label) != 0:
        refuse(who, "pos_label must be one label", f"got {short_repr(pos_label)}")
    if average == "binary":
        return one_versus_rest(who, pair, [_positive(who, pair, pos_label)])
    if pos_label not in (None, 1):
        warn(
            format_message(
                who,
                f"pos_label (set to {pos_label!r}) is ignored when average != 'binary'",
                actual=f"got average={average!r}",
                hint="use labels=[pos_label] to specify a single positive class",
            ),
            PellucidWarning,
        )
    label_subset = None if labels is None else label_list(who, labels)
    return one_versus_rest(who, pair, label_subset, samplewise=average == "samples")


def _positive(who: str, pair: LabelPair, pos_label: Any) -> Any:
    """The positive one of two classes."""
    if pair.kind != "binary":
        alternatives = ["None", "'micro'", "'macro'", "'weighted'"] + ["'samples'"] * (pair.kind != "multiclass")
        fail(
            who,
            "two classes are needed",
            f"Target is {pair.kind} but average='binary'" if who != "rates" else f"Target is {pair.kind}",
            f"Please choose another average setting, one of {', '.join(alternatives)}"
            if who != "rates"
            else "give labels of one class against the rest, for instance y == 'a'",
        )
    present = pair.labels.tolist()
    if len(present) == 2 and pos_label not in present:
        fail(
            who,
            f"pos_label={pos_label!r} is not a valid label",
            f"It should be one of {present}",
            f"pos_label={present[1]!r} takes that class as the positive one",
        )
    return pos_label


def check_zero_division(who: str, value: Any, nan: bool = True) -> None:
    number = isinstance(value, Real) and (value in (0, 1) or (nan and value != value))
    if not number and not (isinstance(value, str) and value == "warn"):
        refuse(who, f"zero_division must be 0, 1{', nan' if nan else ''} or 'warn'", f"got {short_repr(value)}")


def divided(
    who: str,
    part: Array,
    whole: Array,
    name: str,
    nothing: str,
    average: Average,
    zero_division: ZeroDivision,
    warns: bool = True,
) -> Floats:
    """part / whole; where the whole is zero, what ``zero_division`` says."""
    empty = whole == 0
    result = np.asarray(part / np.where(empty, 1, whole), dtype=np.float64)
    result[empty] = 0.0 if isinstance(zero_division, str) else zero_division
    if isinstance(zero_division, str) and warns and empty.any():
        rows, labels = ("label", "sample") if average == "samples" else ("sample", "label")
        where = f"due to no {nothing} {rows}s" if len(result) == 1 else f"in {labels}s with no {nothing} {rows}s"
        warn_undefined(
            who,
            f"{name.capitalize()} is ill-defined and being set to 0.0 {where}",
            "",
            "Use `zero_division` parameter to control this behavior",
        )
    return result


def warn_undefined(who: str, requirement: str, actual: str, hint: str) -> None:
    warn(format_message(who, requirement, actual=actual, hint=hint), UndefinedMetricWarning)


def mean_weights(pair: LabelPair, counts: OneVersusRest, average: Average) -> Array | None:
    """What the figures of labels, or of rows, are weighted by in their mean."""
    if average == "weighted":
        return np.asarray(counts.tp + counts.fn)
    return pair.weight if average == "samples" else None


def averaged(figures: Floats, weights: Array | None, average: Average) -> Any:
    """The mean of the scores that are numbers; the scores themselves where no average is asked for."""
    if average is None:
        return figures
    there = ~np.isnan(figures)
    if not there.any():
        return float("nan")
    valid_weights = None if weights is None else weights[there]
    return float(
        np.average(figures[there], weights=valid_weights if valid_weights is not None and valid_weights.any() else None)
    )
