"""How good predicted probabilities are: log loss, Brier score, calibration; and entropies of distributions."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pellucid import _core
from pellucid.base.errors import noun_list, short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.metrics._read import check_choice, check_lengths, fail, refuse, refuse_not_finite, whole
from pellucid.metrics._scores import (
    positive_class,
    read_classes,
    read_column,
    read_scores,
    read_table,
    read_weights,
    warn_of,
)

__all__ = [
    "brier_score_loss",
    "calibration_curve",
    "cross_entropy",
    "entropy",
    "gini_impurity",
    "kl_divergence",
    "log_loss",
    "ranked_probability_score",
]

Kernel = Callable[[Array, Array, Floats | None, float, int], tuple[int, bool, float, float, int, float, float]]


def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: Any = "deprecated",
) -> float:
    """Mean surprise at the true classes under the predicted probabilities: small only if they are sure and right.

    ``L = -sum_i w_i log p_i[y_i] / sum_i w_i``, natural logarithm, p clipped to [eps, 1 - eps].

    ``y_proba`` has one column a class in sorted order, or is the probability of the greater of two labels. eps is the
    spacing of its type at 1 (2.2e-16, for float32 1.2e-7), so that a certain error costs 36 (16), not infinity.
    ``normalize=False`` gives the sum. ``labels`` names all classes where y_true lacks some. Sums and logarithms are in
    double precision whatever the type of ``y_proba``; scikit-learn sums float32 in float32. :func:`brier_score_loss`
    punishes a certain error less.

    >>> log_loss([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5])  # log 2: one bit a row
    0.6931471805599453
    """
    who = "log_loss"
    y_proba = _renamed(who, y_proba, y_pred)
    p = read_scores(who, y_proba, "y_proba")
    classes, codes = _classes(who, y_true, labels)
    _check_columns(who, classes, p.shape[1] if p.ndim == 2 else 1, labels)
    loss, weight = _sums(who, _core.log_loss_sums, p, codes, sample_weight)
    return loss / weight if normalize else loss


def _renamed(who: str, y_proba: Any, y_pred: Any) -> Any:
    """The name that the argument had until scikit-learn 1.9."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        refuse(who, "Cannot use both `y_pred` and `y_proba`", "both were given", "use `y_proba` alone")
    warn_of(who, "use `y_proba`", "`y_pred` was renamed to `y_proba`", FutureWarning)
    return y_pred


def _classes(who: str, y_true: Any, labels: Any) -> tuple[Array, Array]:
    """The classes in order, those of ``labels`` where given, and codes; a table of one-hot rows is read as codes."""
    table = read_table(who, y_true)
    if table is not None:
        odd = np.flatnonzero(table.sum(axis=1) != 1)
        if len(odd):
            requirement = "y_true as a table must have exactly one 1 in each row"
            fail(who, requirement, f"{noun_list('row', odd.tolist())} has not", "score the columns one by one")
        return np.arange(table.shape[1]), np.argmax(table, axis=1)
    classes, codes = read_classes(who, y_true)
    if labels is None:
        if len(classes) < 2:
            requirement = f"y_true contains only one label ({classes[0]})"
            hint = "Please provide the list of all expected class labels explicitly through the labels argument"
            fail(who, requirement, hint=hint)
        return classes, codes
    label_values = np.asarray(labels).ravel()
    ordered = np.unique(label_values)
    if len(ordered) < 2:
        refuse(who, "The labels array needs to contain at least two labels", f"got {short_repr(ordered.tolist())}")
    if not np.isin(classes, ordered).all():
        unknown = short_repr(np.setdiff1d(classes, ordered).tolist())
        actual = f"y_true contains values {unknown} not belonging to the passed labels"
        fail(who, "y_true must be made of the passed labels", actual, "add them to labels")
    if not np.array_equal(ordered, label_values):
        actual = f"Labels passed were {short_repr(label_values.tolist())}"
        requirement = "this function assumes labels are ordered lexicographically, as are the columns of y_proba"
        warn_of(who, requirement, actual, UserWarning)
    return ordered, np.searchsorted(ordered, classes)[codes]


def _check_columns(who: str, classes: Array, n_columns: int, labels: Any) -> None:
    if len(classes) == max(2, n_columns):
        return
    if labels is not None:
        requirement = "The number of classes in labels is different from that in y_prob"
        fail(who, requirement, f"Classes found in labels: {short_repr(classes.tolist())}, columns: {max(2, n_columns)}")
    requirement = "y_true and y_prob contain different number of classes"
    actual = f"{len(classes)} vs {max(2, n_columns)}. Classes found in y_true: {short_repr(classes.tolist())}"
    fail(who, requirement, actual, "Please provide the true labels explicitly through the labels argument")


def _sums(who: str, kernel: Kernel, p: Array, codes: Array, sample_weight: Any) -> tuple[float, float]:
    """The loss and the weight of all rows, after checking that p are probabilities."""
    weight = read_weights(who, sample_weight, len(codes))
    check_lengths(who, y_true=codes, y_proba=p, sample_weight=weight)
    typed_codes = codes if codes.dtype in (np.uint8, np.int32, np.int64) else codes.astype(np.int64)
    tolerance = 1e-8 + sqrt(np.finfo(p.dtype).eps)
    table = p.reshape(len(p), -1)
    output = kernel(table, np.ascontiguousarray(typed_codes), weight, tolerance, effective_threads())
    status, _, lowest, highest, off_one, loss, total = output
    if status:
        refuse_not_finite(who, p, "y_proba")
    _check_range(who, p, lowest, highest)
    if off_one:
        requirement = "The y_prob values do not sum to one. Make sure to pass probabilities"
        warn_of(who, requirement, f"{off_one} of {len(p)} rows", UserWarning)
    return loss, total


def _check_range(who: str, p: Array, lowest: float, highest: float) -> None:
    for bad, what, value in ((highest > 1, "greater than 1", highest), (lowest < 0, "lower than 0", lowest)):
        if bad:
            rows = np.flatnonzero((p.reshape(len(p), -1) == value).any(axis=1)).tolist()
            fail(
                who,
                "probabilities must lie in [0, 1]",
                f"y_prob contains values {what}: {value} ({noun_list('row', rows)})",
            )


def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    """Mean squared distance of the predicted probabilities from what happened: 0 is perfect.

    two classes   ``B = sum_i w_i (y_i - p_i)^2 / sum_i w_i``
    more          ``B = sum_i w_i sum_j ([y_i = j] - p_ij)^2 / sum_i w_i``

    The first is half of the second applied to (1 - p, p); ``scale_by_half`` says whether to halve, "auto" with two
    classes only. Of two labels the positive one is ``pos_label``, by default 1 or the greater number.

    >>> brier_score_loss([0, 1, 1, 0], [0.5, 1.0, 0.5, 0.0])  # (1/4 + 0 + 1/4 + 0) / 4
    0.125
    """
    who = "brier_score_loss"
    if not isinstance(scale_by_half, bool | np.bool_):
        check_choice(who, "scale_by_half", scale_by_half, ("auto", True, False))
    p = read_scores(who, y_proba, "y_proba")
    n_columns = p.shape[1] if p.ndim == 2 else 1
    if n_columns == 1:
        codes = _two_classes(who, y_true, pos_label)
    else:
        classes, codes = _classes(who, y_true, labels)
        _check_columns(who, classes, n_columns, labels)
    loss, weight = _sums(who, _core.brier_sums, p, codes, sample_weight)
    halve = n_columns < 3 if isinstance(scale_by_half, str) else scale_by_half
    return loss / weight / (2 if halve else 1)


def ranked_probability_score(
    y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
) -> float:
    """Mean squared distance of cumulative probabilities from what happened, for classes in an order: 0 is perfect.

    ``RPS = sum_i w_i sum_{j<k} (sum_{m<=j} p_im - [y_i <= j])^2 / ((k - 1) sum_i w_i)`` with k classes in order.

    A probability given to a distant class costs more than one given to a neighboring class. With two classes it is the
    Brier score. ``y_proba`` has one column per class in ascending order; ``labels`` names all classes where y_true
    lacks some. It is a strictly proper score: honest probabilities have the least expected value.

    >>> ranked_probability_score([1, 3], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], labels=[1, 2, 3])  # (1/4 + 1/4) / 2 / 2
    0.125

    References
    ----------
    Epstein, A scoring system for probability forecasts of ranked categories, J. Applied Meteorology 8, 1969.
    """
    who = "ranked_probability_score"
    p = np.asarray(read_scores(who, y_proba, "y_proba"), dtype=np.float64)
    classes, codes = _classes(who, y_true, labels)
    _check_columns(who, classes, p.shape[1] if p.ndim == 2 else 1, labels)
    _sums(who, _core.brier_sums, p, codes, sample_weight)  # refuses what is no probability
    weight = read_weights(who, sample_weight, len(codes))
    table = p if p.ndim == 2 and p.shape[1] > 1 else np.column_stack([1 - p.ravel(), p.ravel()])
    happened = codes[:, None] <= np.arange(table.shape[1] - 1)
    rows = ((np.cumsum(table, axis=1)[:, :-1] - happened) ** 2).mean(axis=1)
    return float(np.average(rows, weights=weight))


def _two_classes(who: str, y_true: Any, pos_label: Any) -> Array:
    classes, codes = read_classes(who, y_true)
    if len(classes) > 2:
        requirement = "The type of the target inferred from y_true is multiclass but should be binary"
        fail(who, requirement, f"according to the shape of y_prob; {len(classes)} classes", "give one column a class")
    if pos_label is None and classes.dtype.kind in "buif" and set(classes.tolist()) not in ({0}, {-1}):
        pos_label = classes[-1]
    return np.asarray(codes == positive_class(who, classes, pos_label)).view(np.uint8)


def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> tuple[Floats, Floats]:
    """Share of positives against mean predicted probability, bin by bin: equal where probabilities mean what they say.

    ``prob_true_b = sum_{i in b} [y_i positive] / n_b,   prob_pred_b = sum_{i in b} p_i / n_b``

    Bins are of equal width on [0, 1] ("uniform") or hold equally many rows ("quantile"); a value on a border belongs to
    the bin below it, and empty bins are left out.

    >>> calibration_curve([0, 0, 1, 1], [0.125, 0.375, 0.625, 0.875], n_bins=2)
    (array([0., 1.]), array([0.25, 0.75]))
    """
    who = "calibration_curve"
    check_choice(who, "strategy", strategy, ("uniform", "quantile"))
    n_bins = whole(who, n_bins, "n_bins", 1)
    classes, codes = read_classes(who, y_true)
    p = read_column(who, y_prob, "y_prob").astype(np.float64)
    check_lengths(who, y_true=codes, y_prob=p)
    refuse_not_finite(who, p, "y_prob")
    if len(classes) > 2:
        fail(who, "Only binary classification is supported", f"Provided labels {short_repr(classes.tolist())}")
    positive = codes == positive_class(who, classes, pos_label)
    if p.min() < 0 or p.max() > 1:
        fail(who, "y_prob has values outside [0, 1]", f"they run from {p.min():g} to {p.max():g}")
    borders = np.linspace(0, 1, n_bins + 1)
    if strategy == "quantile":
        borders = np.percentile(p, borders * 100)
    bins = np.searchsorted(borders[1:-1], p)
    count = np.bincount(bins, minlength=n_bins)
    used = count > 0
    sums = (np.bincount(bins, weights=values, minlength=n_bins) for values in (positive, p))
    true, predicted = (bin_sums[used] / count[used] for bin_sums in sums)
    return true, predicted


def entropy(p: ArrayLike, base: float | None = None) -> float | Floats:
    """Mean surprise of a distribution: the fewest bits (``base=2``) an answer drawn from it takes on average.

    ``H(p) = -sum_j p_j log p_j``, 0 log 0 = 0.

    The logarithm is natural where ``base`` is None. A table holds one distribution a row and gives one figure a row.

    >>> entropy([0.5, 0.25, 0.25], base=2)  # 1/2 * 1 bit + 1/4 * 2 + 1/4 * 2
    1.5
    """
    first = _distributions("entropy", "p", p)
    return _per_row(-_products(first, first, _logarithm("entropy", base)).sum(axis=-1))


def gini_impurity(p: ArrayLike) -> float | Floats:
    """How mixed a group is: the chance that two members drawn from it, with replacement, are of different classes.

    ``G(p) = sum_k p_k (1 - p_k) = 1 - sum_k p_k²``

    ``p_k`` is the share of class k. 0 for a pure group, 1 - 1/K for K classes of equal shares. A table holds one
    distribution a row and gives one figure a row.

    >>> gini_impurity([0.5, 0.5]), gini_impurity([1, 0])
    (0.5, 0.0)
    """
    shares = _distributions("gini_impurity", "p", p)
    return _per_row((shares * (1 - shares)).sum(axis=-1))


def cross_entropy(p: ArrayLike, q: ArrayLike, base: float | None = None) -> float | Floats:
    """Mean code length of answers drawn from p in a code made for q.

    ``H(p, q) = -sum_j p_j log q_j = H(p) + KL(p || q)``

    Never below the entropy of p; infinite where q excludes what p allows. Natural logarithm where ``base`` is None,
    bits with ``base=2``. Either may be one distribution or a table of one a row. For predicted probabilities and
    observed classes use :func:`log_loss`.

    >>> cross_entropy([0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25], base=2)
    2.0
    """
    first, second = _pair("cross_entropy", p, q)
    return _per_row(-_products(first, second, _logarithm("cross_entropy", base)).sum(axis=-1))


def kl_divergence(p: ArrayLike, q: ArrayLike, base: float | None = None) -> float | Floats:
    """Bits (``base=2``) wasted by a code made for q on answers drawn from p.

    ``KL(p || q) = sum_j p_j log(p_j / q_j)``

    Zero only where the two are equal, and not symmetric. Natural logarithm where ``base`` is None.

    >>> kl_divergence([0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25], base=2)
    1.0
    """
    first, second = _pair("kl_divergence", p, q)
    logarithm = _logarithm("kl_divergence", base)
    terms = _products(first, first, logarithm) - _products(first, second, logarithm)
    return _per_row(np.maximum(terms.sum(axis=-1), 0.0))


def _logarithm(who: str, base: float | None) -> Callable[[Floats], Floats]:
    if base is None:
        return np.log
    if not (isinstance(base, (int, float, np.number)) and 1 < base < np.inf):
        refuse(who, "base must be a number above 1, or None", f"got {short_repr(base)}", "bits have base=2")
    return np.log2 if base == 2 else lambda q: np.log(q) / log(base)


def _products(p: Floats, q: Floats, logarithm: Callable[[Floats], Floats]) -> Floats:
    """p log q, zero where p is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * logarithm(q), 0.0)


def _per_row(figures: Floats) -> float | Floats:
    figures = np.asarray(figures + 0.0)  # no -0
    return float(figures) if figures.ndim == 0 else figures


def _pair(who: str, p: ArrayLike, q: ArrayLike) -> tuple[Floats, Floats]:
    first, second = _distributions(who, "p", p), _distributions(who, "q", q)
    if first.shape[-1] != second.shape[-1] or (first.ndim == second.ndim == 2 and len(first) != len(second)):
        fail(who, "p and q must be over the same outcomes", f"got shapes {first.shape} and {second.shape}")
    return first, second


def _distributions(who: str, name: str, values: ArrayLike) -> Floats:
    array = read_scores(who, values, name).astype(np.float64)
    refuse_not_finite(who, array, name)
    if array.min() < 0:
        fail(who, f"{name} must hold probabilities", f"found {array.min():g}, which is below 0")
    sums = array.sum(axis=-1)
    worst = float(np.ravel(sums)[np.abs(np.ravel(sums) - 1).argmax()])
    if abs(worst - 1) > sqrt(np.finfo(np.float64).eps):
        fail(who, f"{name} must sum to one", f"found a sum of {worst:.10g}", f"divide {name} by its sum")
    return array
