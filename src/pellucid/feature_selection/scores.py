"""How strongly each column alone is tied to the target: chi-squared, F of groups, and correlation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

from pellucid import _core
from pellucid.base.errors import DataError, PellucidWarning, format_message, noun_list, warn
from pellucid.base.threads import effective_threads
from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.data.figures import _unit as unit_for
from pellucid.data.figures import check_range
from pellucid.feature_selection._columns import Classes, read_classes, read_columns, read_numbers, refuse_options

__all__ = ["chi2", "f_classif", "f_regression", "r_regression"]

# Rows whose means are the first guess at the means of the groups.
_SAMPLE = 4096
# Columns whose products with the target are found in one pass over the rows.
_AT_ONCE = 32


def chi2(X: Any, y: Any) -> tuple[Floats, Floats]:
    """Whether counts are spread over the classes as the rows are: Pearson's chi-squared of each column.

    ``chi² = sum_k (O_k - E_k)² / E_k``,  ``O_k = sum of the column in class k``,  ``E_k = (n_k / n) sum of the column``

    with n_k of the n rows in class k. Large where a class has more of what the column counts than its share of the
    rows; p is the probability of at least this much by chance, from the chi-squared distribution with K - 1 degrees of
    freedom for K classes. Columns must be counts or flags: of other numbers the value depends on their unit. It knows
    no sign and no more than one column at a time; for measured numbers use `f_classif` or `mutual_info_classif`.

    Parameters
    ----------
    X : table of counts, none below zero; sparse or dense
    y : the class of each row

    Returns
    -------
    chi2, p_values : one number a column; NaN for a column of zeros

    Examples
    --------
    A word occurs 3 times in two rows of class a and once in two of class b, where 2 and 2 were expected:
    ``(3 - 2)² / 2 + (1 - 2)² / 2 = 1``.

    >>> statistic, p = chi2([[2], [1], [1], [0]], ["a", "a", "b", "b"])
    >>> statistic.tolist(), p.round(4).tolist()
    ([1.0], [0.3173])
    """
    d = read_columns(X, "chi2")
    classes = _two_or_more(d, read_classes(d, y))
    threads = effective_threads()
    none, ones = np.zeros((len(classes.labels), d.n_cols)), np.ones(d.n_cols)
    found = _core.group_sums(d.matrix, classes.codes, len(classes.labels), none, ones, threads)
    if (found["low"] < 0).any():
        j = int(np.flatnonzero(found["low"] < 0)[0])
        hint = "count something, or use f_classif or mutual_info_classif for measured numbers"
        where = f"column {d.table.label(j)} goes down to {found['low'][j]:g}"
        raise DataError(format_message("chi2", "Input X must be non-negative", actual=where, hint=hint))
    observed = found["sum"]
    expected = np.outer(found["count"] / d.n_rows, observed.sum(axis=0))
    with np.errstate(invalid="ignore", over="ignore"):
        statistic = ((observed - expected) ** 2 / expected).sum(axis=0)
    return statistic, np.asarray(chdtrc(len(classes.labels) - 1, statistic))


def f_classif(X: Any, y: Any) -> tuple[Floats, Floats]:
    """How far the means of a column lie apart between the classes, against its spread within them: F of one-way ANOVA.

    ``F = (SSB / (K - 1)) / (SSW / (n - K))``,  ``SSB = sum_k n_k (m_k - m)²``,  ``SSW = sum_i (x_i - m_k(i))²``

    with the mean m_k of the n_k rows of class k, k(i) the class of row i, the mean m of all n, and K classes. p is
    the probability of at least this F by chance, for normal columns of equal spread within the classes. Classes that
    differ in spread alone, or in a way that leaves the means alone, go unseen: `mutual_info_classif` sees them.

    Parameters
    ----------
    X : table of numbers; sparse or dense
    y : the class of each row

    Returns
    -------
    f_statistic, p_values : one number a column; NaN for a constant column, infinity and 0 for one that is constant
        within every class but not between them

    Examples
    --------
    Means 2 and 6 around 4: ``SSB = 2 * 2² + 2 * 2² = 16``, ``SSW = 4``, so ``F = 16 / (4 / 2) = 8``.

    >>> statistic, p = f_classif([[1], [3], [5], [7]], ["a", "a", "b", "b"])
    >>> statistic.tolist(), p.round(4).tolist()
    ([8.0], [0.1056])
    """
    d = read_columns(X, "f_classif")
    classes = _two_or_more(d, read_classes(d, y))
    between, within, constant = sums_of_squares(d, classes)
    n, k = d.n_rows, len(classes.labels)
    if n == k:
        requirement, hint = "there must be more rows than classes", "use f_regression if y holds numbers"
        raise DataError(
            format_message(
                "f_classif", requirement, actual=f"{k} rows (n_samples = {n}) have as many classes", hint=hint
            )
        )
    if constant.any():
        shown = noun_list("Column", [d.table.label(int(j)) for j in np.flatnonzero(constant)])
        words = "is constant" if constant.sum() == 1 else "are constant"
        warn(format_message("f_classif", f"{shown} {words}", actual="F is not defined there"), PellucidWarning)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        statistic = np.where(constant, np.nan, (between / (k - 1)) / (within / (n - k)))
    return statistic, np.asarray(fdtrc(k - 1, n - k, statistic))


def sums_of_squares(d: Design, classes: Classes) -> tuple[Floats, Floats, Any]:
    """Between and within the classes, in a unit of the column's own; and which columns are constant."""
    groups, threads = len(classes.labels), effective_threads()
    shift = _first_means(d, classes)
    unit = np.ones(d.n_cols)
    found = _core.group_sums(d.matrix, classes.codes, groups, shift, unit, threads)
    check_range(found["low"], found["high"], d.who, d.column_labels())
    better = unit_for(found["low"], found["high"])
    if (better != 1).any():
        unit = better
        found = _core.group_sums(d.matrix, classes.codes, groups, shift, unit, threads)
    count = found["count"][:, None]
    rest = found["sum"] / count  # what the first guess at the mean was off by
    within = np.maximum(found["square"] - found["sum"] * rest, 0.0).sum(axis=0)
    base = shift.mean(axis=0)
    mean = (shift - base) * unit + rest
    overall = (count * mean).sum(axis=0) / d.n_rows
    between = (count * (mean - overall) ** 2).sum(axis=0)
    constant = found["low"] == found["high"]
    return np.where(constant, 0.0, between), np.where(constant, 0.0, within), constant


def _first_means(d: Design, classes: Classes) -> Floats:
    """Means of the groups over a few rows, from which deviations are taken; zero for a sparse table."""
    groups = len(classes.labels)
    if d.table.is_sparse:
        return np.zeros((groups, d.n_cols))
    rows = np.unique(np.linspace(0, d.n_rows - 1, min(d.n_rows, _SAMPLE)).astype(np.intp))
    values, codes = np.asarray(d.numbers[rows], dtype=np.float64), classes.codes[rows]
    means = np.empty((groups, d.n_cols))
    means[:] = (values / len(values)).sum(axis=0)
    if groups <= 64:
        for k in np.unique(codes).tolist():
            part = values[codes == k]
            means[k] = (part / len(part)).sum(axis=0)
    return means


def r_regression(X: Any, y: Any, *, center: bool = True, force_finite: bool = True) -> Floats:
    """Pearson's correlation of each column with a numeric target.

    ``r = sum_i (x_i - mx)(y_i - my) / sqrt(sum_i (x_i - mx)² sum_i (y_i - my)²)``

    Between -1 and 1; 0 where no straight line says anything, which a curve still may: `mutual_info_regression` sees it.

    Parameters
    ----------
    X : table of numbers; sparse or dense
    y : one number a row
    center : False leaves the means mx and my out of the formula
    force_finite : 0 instead of NaN where a column or the target is constant

    Returns
    -------
    one number a column

    Examples
    --------
    ``(-1)(-1) + 0 * 2 + 1 * (-1) = 0`` for the first column; the second falls as y, then rises less.

    >>> r_regression([[1, 3], [2, 9], [3, 4]], [2, 5, 2]).round(4).tolist()
    [0.0, 0.9878]
    """
    d = read_columns(X, "r_regression")
    return _correlations(d, read_numbers(d, y), center, force_finite)


def _correlations(d: Design, y: Floats, center: bool, force_finite: bool) -> Floats:
    refuse_options(d.who, center=center, force_finite=force_finite)
    r = np.empty(d.n_cols)
    target, threads = np.ascontiguousarray(y[:, None]), effective_threads()
    by_column = d.numbers.tocsc() if d.table.is_sparse and d.n_cols > _AT_ONCE else None
    for first in range(0, d.n_cols, _AT_ONCE):
        last = min(first + _AT_ONCE, d.n_cols)
        matrix = d.matrix if d.n_cols <= _AT_ONCE else _part(d, by_column, first, last)
        status, weight, mean, scale, cross = _core.moments(matrix, target, None, bool(center), threads)
        if status != 0:
            raise d.explain_not_finite()
        square = np.diag(cross)
        noise = 2 * np.finfo(np.float64).eps * np.abs(mean) * scale
        root = np.sqrt(np.where(square > weight * noise**2, square, np.nan))
        r[first:last] = np.clip(cross[:-1, -1] / root[:-1] / root[-1], -1.0, 1.0)
    return np.where(np.isnan(r), 0.0, r) if force_finite else r


def _part(d: Design, by_column: Any, first: int, last: int) -> _core.Matrix:
    if by_column is None:
        return _core.dense(d.numbers[:, first:last])
    part = by_column[:, first:last].tocsr()
    return _core.csr(part.data, part.indices, part.indptr, last - first)


def f_regression(X: Any, y: Any, *, center: bool = True, force_finite: bool = True) -> tuple[Floats, Floats]:
    """How much of a numeric target a straight line through each column explains, against what it leaves: F.

    ``F = r² / (1 - r²) * (n - 2)``  with the correlation r of `r_regression` and n rows; n - 1 without `center`.

    p is the probability of at least this F by chance, from the F distribution with 1 and n - 2 degrees of freedom.
    Columns are looked at one by one: what two say only together goes unseen, and so does a curve that rises as much as
    it falls, which `mutual_info_regression` sees.

    Parameters
    ----------
    X, y, center : as in `r_regression`
    force_finite : for a constant column or target F = 0 and p = 1 instead of NaN, and for an exact line the largest
        number instead of infinity

    Returns
    -------
    f_statistic, p_values : one number a column

    Examples
    --------
    ``r² = 0.75`` and ``n - 2 = 1``, so ``F = 0.75 / 0.25 = 3``:

    >>> statistic, p = f_regression([[1], [2], [3]], [1, 1, 2])
    >>> statistic.round(10).tolist(), p.round(4).tolist()
    ([3.0], [0.3333])
    """
    d = read_columns(X, "f_regression")
    r = _correlations(d, read_numbers(d, y), center, force_finite)
    degrees = d.n_rows - (2 if center else 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = r**2 / (1 - r**2) * degrees
        p_values = np.asarray(fdtrc(1, degrees, statistic))
    if force_finite:
        exact, undefined = np.isinf(statistic), np.isnan(statistic)
        statistic[exact], p_values[exact] = np.finfo(np.float64).max, 0.0
        statistic[undefined], p_values[undefined] = 0.0, 1.0
    return statistic, p_values


def _two_or_more(d: Design, classes: Classes) -> Classes:
    if len(classes.labels) < 2:
        actual = f"all {d.n_rows} rows (n_samples = {d.n_rows}) have the class {classes.labels.tolist()[0]!r}"
        raise DataError(format_message(d.who, "y must have two classes or more", actual=actual))
    return classes
