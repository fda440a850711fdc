"""Targets of a regression, and sums over rows that do not overflow.

A sum of squares overflows long before its mean or its root does. Everything here is therefore first multiplied by a
power of two that brings the largest value near 1, which changes no digit, and is divided by it at the end.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.errors import short_repr
from pellucid.base.types import Flags, Floats
from pellucid.metrics._read import check_lengths, fail, numbers, refuse, weights

# The scores of several outputs: one each, their mean, their mean by the spread of the targets, or by given weights.
MultiOutput = Literal["raw_values", "uniform_average"] | ArrayLike
MultiOutputScore = Literal["raw_values", "uniform_average", "variance_weighted"] | ArrayLike | None

LOSS_WORDS = ("raw_values", "uniform_average")
SCORE_WORDS = ("raw_values", "uniform_average", "variance_weighted")


def scaled_weights(who: str, sample_weight: ArrayLike | None, n_rows: int) -> Floats | None:
    """Weights of the rows, scaled so that their sum cannot overflow."""
    weight = weights(who, sample_weight, n_rows)
    return None if weight is None else np.asarray(weight * power_of_two(float(weight.max())), dtype=np.float64)


class Targets(NamedTuple):
    """True and predicted values, a column an output; only rows that count, which are those with a weight above zero."""

    true: Floats
    predicted: Floats
    weight: Floats | None
    n_rows: int  # with those of weight zero


def targets(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> Targets:
    """Reads what every score of a regression takes."""
    true, predicted = numbers(who, y_true, "y_true"), numbers(who, y_pred, "y_pred")
    n_rows = len(true)
    check_lengths(who, y_true=true, y_pred=predicted)
    weight = scaled_weights(who, sample_weight, n_rows)
    true, predicted = true.reshape(n_rows, -1, order="F"), predicted.reshape(n_rows, -1, order="F")
    if true.shape[1] != predicted.shape[1]:
        actual = f"({true.shape[1]}!={predicted.shape[1]})"
        hint = "give one column an output in both"
        fail(who, f"y_true and y_pred have different number of output {actual}", hint=hint)
    if weight is not None and not weight.all():
        used: Flags = weight > 0
        true, predicted, weight = true[used], predicted[used], weight[used]
    return Targets(true, predicted, weight, n_rows)


def single(who: str, y_true: ArrayLike, y_pred: ArrayLike) -> Targets:
    """Targets of one output."""
    pair = targets(who, y_true, y_pred)
    if pair.true.shape[1] != 1:
        hint = "call it once for each column"
        fail(who, f"Multioutput not supported in {who}", f"got {pair.true.shape[1]} columns", hint)
    return pair


def power_of_two(peak: float | Floats) -> Any:
    """The 2^-k that brings `peak` into [1/2, 1), k held within 1000 so that it can be divided by again.

    >>> float(power_of_two(6.0)), float(power_of_two(0.0))
    (0.125, 1.0)
    """
    _, exponent = np.frexp(np.where(np.isfinite(peak), peak, 1.0))
    return np.ldexp(1.0, -np.clip(exponent, -1000, 1000))


class Scaled(NamedTuple):
    """Columns times a power of two each: ``values = scaled / factor``."""

    scaled: Floats
    factor: Floats


def unscaled(values: Floats, factor: Floats, power: int = 1) -> Floats:
    """``values / factor^power``, infinite only where the answer is out of range."""
    with np.errstate(over="ignore"):
        for _ in range(power):
            values = values / factor
    return values


def difference(a: Floats, b: Floats) -> Scaled:
    """a - b, also where the difference itself overflows."""
    with np.errstate(over="ignore"):
        apart = a - b
    peak = np.abs(apart).max(axis=0)
    half = np.where(np.isfinite(peak), 1.0, 0.5)
    if (half < 1).any():
        apart = a * half - b * half
        peak = np.abs(apart).max(axis=0)
    factor = power_of_two(peak)
    return Scaled(apart * factor, factor * half)


def average(values: Floats, weight: Floats | None = None) -> Floats:
    """Mean over rows of values that are known to be small: ``sum_i w_i v_i / sum_i w_i``."""
    values = np.ascontiguousarray(values)  # NumPy adds in another order for another layout
    if weight is None:
        return np.asarray(values.mean(axis=0))
    columns = weight if values.ndim == 1 else weight[:, None]
    return np.asarray((values * columns).sum(axis=0) / weight.sum())


def mean(values: Floats, weight: Floats | None = None) -> Floats:
    """Mean over rows, finite wherever the true mean is."""
    factor = power_of_two(np.abs(values).max(axis=0))
    return unscaled(average(values * factor, weight), factor)


def deviations(values: Floats, weight: Floats | None = None) -> Scaled:
    """Distance of each value from the mean. The mean lies between the extremes, so a constant deviates by exactly 0."""
    center = np.clip(mean(values, weight), values.min(axis=0), values.max(axis=0))
    return difference(values, center)


def middle(values: Floats, weight: Floats | None = None) -> Floats:
    """Median of each column; weighted, the value at which half of the weight is reached.

    Where exactly half is reached at a value, it is the mean of that value and the next one, as in the plain median.
    """
    if weight is None:
        return np.asarray(np.median(values, axis=0))
    order = np.argsort(values, axis=0, kind="stable")
    medians = np.empty(values.shape[1])
    for j in range(values.shape[1]):
        ordered, reached = values[order[:, j], j], np.cumsum(weight[order[:, j]])
        half, rounding = reached[-1] / 2, 4 * np.finfo(np.float64).eps * reached[-1]
        i = int(np.searchsorted(reached, half - rounding))
        exact = abs(reached[i] - half) <= rounding and i + 1 < len(ordered)
        medians[j] = ordered[i] / 2 + ordered[i + 1] / 2 if exact else ordered[i]
    return medians


def output_weights(who: str, multioutput: Any, n_outputs: int, words: tuple[str, ...]) -> str | Floats:
    """One of the words, or a weight for each output."""
    if isinstance(multioutput, str):
        if multioutput not in words:
            requirement = f"multioutput must be one of {', '.join(map(repr, words))} or one weight an output"
            refuse(who, requirement, f"got {multioutput!r}")
        return multioutput
    weight = numbers(who, multioutput, "multioutput", most_dimensions=1)
    if n_outputs == 1:
        fail(who, "Custom weights are useful only in multi-output cases", "got multioutput weights for one output")
    if len(weight) != n_outputs:
        fail(who, f"There must be equally many custom weights ({len(weight)}) as outputs ({n_outputs})")
    if weight.sum() == 0:
        fail(who, "Weights of multioutput must not sum to zero", f"got {short_repr(weight.tolist())}")
    return weight


def combine(who: str, each: Floats, multioutput: Any) -> float | Floats:
    """The figures of all outputs as one number, or as they are."""
    how = output_weights(who, multioutput, len(each), LOSS_WORDS)
    if isinstance(how, str):
        return each if how == "raw_values" else float(mean(each))
    return float(mean(each, how))


def combine_shares(
    who: str,
    left: Scaled,
    spread: Scaled,
    power: int,
    multioutput: Any,
    words: tuple[str, ...],
    force_finite: bool = True,
) -> float | Floats:
    """``1 - left / spread`` of each output, combined; both are means of the errors' and deviations' `power`.

    Where the spread is 0 this is 0/0 or -infinity; `force_finite` answers 1 for perfect predictions and 0 for others.
    """
    how = output_weights(who, "uniform_average" if multioutput is None else multioutput, len(left.scaled), words)
    with np.errstate(all="ignore"):
        each = 1 - left.scaled / spread.scaled * (spread.factor / left.factor) ** power
    if force_finite:
        each = np.where(left.scaled == 0, 1.0, np.where(spread.scaled == 0, 0.0, each))
    if not isinstance(how, str):
        return float(mean(each, how))
    if how == "variance_weighted" and spread.scaled.any():
        by_spread = spread.scaled * (spread.factor.min() / spread.factor) ** power
        with np.errstate(invalid="ignore"):
            return float(average(each, by_spread))
    return each if how == "raw_values" else float(mean(each))
