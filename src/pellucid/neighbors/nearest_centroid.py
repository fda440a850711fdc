"""The nearest class center."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from sklearn.callback import with_callbacks
from sklearn.utils.metaestimators import available_if

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, count, format_message, short_repr, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.models.linear import row_products
from pellucid.models.neighbors.metric import KINDS
from pellucid.neighbors._prototypes import PrototypeClassifier, codes_of, nearest_vectors, reach_of
from pellucid.neighbors._scales import warn_unscaled

__all__ = ["NearestCentroid"]


_FAR = 1e300  # the size of scores that are too large for floats


def _priors(value: Any) -> str | None:
    if isinstance(value, str):
        return f"priors must be 'uniform', 'empirical' or one number a class; got {value!r}"
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return f"priors must be numbers; got {short_repr(value)}"
    if numbers.ndim != 1 or not np.isfinite(numbers).all() or not numbers.any():
        return f"priors must be finite, one number a class, not all zero; got {short_repr(value)}"
    return f"priors must be non-negative; got {short_repr(value)}" if (numbers < 0).any() else None


def _euclidean(model: Any) -> bool:
    if model.metric == "euclidean":
        return True
    raise AttributeError(f"scores and probabilities are not available for metric={model.metric!r}")


class NearestCentroid(PrototypeClassifier):
    """Each class is its center; a row belongs to the nearest.

    The center of class k is the mean of its n_k rows (``metric="euclidean"``) or their median, column by column
    (``"manhattan"``). With shrinking, centers are drawn toward the center of all n rows, and columns in which a class
    does not stand out drop out of it:

    ``d_kj = (c_kj - m_j) / (m_k (s_j + s_0))``,  ``m_k² = 1/n_k - 1/n``,  ``s_j² = sum_i (x_ij - c_ij)² / (n - K)``

    ``d'_kj = sign(d_kj) max(|d_kj| - shrink_threshold, 0)``,  ``c'_kj = m_j + m_k (s_j + s_0) d'_kj``

    c_ij is the center of row i's own class, m_j the mean of column j, s_0 the median of the s_j. A row goes to the
    class with the smallest distance; with unequal `priors` p_k, to the class with the largest score
    ``-sum_j (x_j - c_kj)² / s_j² + 2 ln p_k``, whose softmax are the probabilities.

    It is fast, has nothing to tune, and is a good first guess where classes are round clumps of similar size; columns
    must be of one scale. Prefer `LinearDiscriminantAnalysis` where columns are correlated, `LVQClassifier` with several
    vectors a class or `KNeighborsClassifier` where classes are not round.

    Attributes
    ----------
    centroids_ : array of K x p numbers
    deviations_ : d, or d' with shrinking, K x p
    within_class_std_dev_ : s, p numbers
    class_prior_ : p, K numbers
    classes_ : the labels, sorted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    As in scikit-learn the probabilities leave out the factor 1/2 before the score, and with equal priors `predict` goes
    by plain distances while scores are in units of s. Columns without spread within classes are not divided by it.
    Where ``s_j + s_0`` is zero scikit-learn's centers become NaN under shrinking; here they stay where they are, and d
    is infinite, or 0 for a class that does not differ.

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu: Diagnosis of multiple cancer types by shrunken centroids of gene expression.
    PNAS 99, 2002.

    Examples
    --------
    >>> model = NearestCentroid().fit([[1], [3], [8], [10]], ["low", "low", "high", "high"])
    >>> model.centroids_
    array([[9.],
           [2.]])
    >>> model.predict([[5], [6]])
    array(['low', 'high'], dtype='<U4')
    """

    metric: Literal["euclidean", "manhattan"] = param(
        default="euclidean", kw_only=False, doc="Distance; with it means or medians as centers."
    )
    shrink_threshold: float | None = param(
        default=None, low=0, low_open=True, doc="How far deviations are shrunk; None: not at all."
    )
    priors: Literal["uniform", "empirical"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="uniform",
        check=_priors,
        doc="Probability of each class beforehand: equal, by the rows' shares, or these, in the order of `classes_`.",
    )
    n_jobs: int | None = param(
        default=None,
        doc="Threads: None or -1 for all available cores. Their number changes no bit of the result.",
    )

    input_spec = InputSpec(sparse=True)
    least_classes = 2

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Learns the centers from a table and its labels.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels
            The class of each row.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self

    def _fit(self, d: Design, trace: Trace) -> None:
        if d.weight is not None:
            raise DataError(
                format_message(
                    d.who, "rows must count alike", actual="got sample_weight", hint="repeat rows to weigh them"
                )
            )
        warn_unscaled(d, d.who, self._threads)
        codes, k = codes_of(d), len(self.classes_)
        sizes = np.bincount(codes, minlength=k).astype(np.float64)
        self.class_prior_ = self._class_prior(sizes)
        centers, means, spread, constant = (_sparse_centers if d.table.is_sparse else _dense_centers)(
            d, codes, sizes, self.metric, self._threads
        )
        if constant:
            actual = f"{'the only one is' if d.n_cols == 1 else f'all {d.n_cols} are'} constant"
            raise DataError(format_message(d.who, "All features have zero variance: a column must vary", actual=actual))
        freedom = d.n_rows - k
        self.within_class_std_dev_ = spread / np.sqrt(freedom) if freedom else np.zeros(d.n_cols)
        self.centroids_ = centers
        self._shrink(sizes, means)

    def _class_prior(self, sizes: Floats) -> Floats:
        k = len(sizes)
        if isinstance(self.priors, str):
            return np.full(k, 1 / k) if self.priors == "uniform" else sizes / sizes.sum()
        prior = np.array(self.priors, dtype=np.float64)
        if len(prior) != k:
            requirement, actual = "priors must have one number a class", f"got {len(prior)} with {count(k, 'class')}"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual))
        if not np.isclose(prior.sum(), 1.0):
            requirement, actual = "The priors do not sum to 1. Normalizing", f"they sum to {prior.sum():.6g}"
            warn(format_message(type(self).__name__, requirement, actual=actual), PellucidWarning)
            prior /= prior.sum()
        return prior

    def _shrink(self, sizes: Floats, means: Floats) -> None:
        """Deviations of the centers in units of their own error, and the centers that are left of them."""
        n = sizes.sum()
        m = np.sqrt(1 / sizes - 1 / n)
        error = m[:, None] * (self.within_class_std_dev_ + np.median(self.within_class_std_dev_))
        apart = self.centroids_ - means
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self.deviations_ = np.where(apart == 0, 0.0, apart / error)
        if self.shrink_threshold:
            d = self.deviations_
            self.deviations_ = np.sign(d) * np.maximum(np.abs(d) - self.shrink_threshold, 0.0)
            with np.errstate(invalid="ignore"):
                shrunk = means + error * self.deviations_
            self.centroids_ = np.where(np.isfinite(self.deviations_), shrunk, self.centroids_)

    # --------------------------------------------------------------------------------------------------------- predict

    def _predict_codes(self, d: Design) -> Array:
        if not np.isclose(self.class_prior_, 1 / len(self.class_prior_)).all():
            return np.asarray(self._scores(d).argmax(axis=1))
        if d.table.is_sparse and self.metric == "euclidean":
            scale = reach_of(d, self.centroids_)
            unit = 1.0 if scale is None else float(scale[0])
            return np.asarray(_sparse_squares(d.numbers * unit, self.centroids_ * unit).argmin(axis=1))
        return nearest_vectors(d, self.centroids_, 1, self._threads, self.metric)[1][:, 0]

    def _scores(self, d: Design) -> Floats:
        """``-distance² + 2 ln prior``  of each class, columns in units of their spread within classes."""
        s = self.within_class_std_dev_
        scale = 1 / np.where(s == 0, 1.0, s)
        centers = np.ascontiguousarray(self.centroids_ * scale)
        if d.table.is_sparse and self.metric == "euclidean":
            X = d.numbers @ scipy.sparse.diags_array(scale)
            squares = _sparse_squares(X, centers) + np.asarray(X.multiply(X).sum(axis=1)).reshape(-1, 1)
        else:
            k = len(centers)
            near = _core.class_distances(
                d.matrix, centers, np.arange(k, dtype=np.int32), k, KINDS.index(self.metric), scale, self._threads
            )
            squares = near if self.metric == "euclidean" else near**2
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scores = np.asarray(2 * np.log(self.class_prior_) - squares)
        if not np.isfinite(
            squares
        ).all():  # squares of a row so far out are no floats: what the classes do not share of them is  2 x . c
            rows = np.flatnonzero(~np.isfinite(squares).all(axis=1))
            X = d.numbers[rows].toarray() if d.table.is_sparse else np.asarray(d.numbers[rows], dtype=np.float64)
            u = X / np.abs(X).max(axis=1, keepdims=True) * (scale / scale.max())
            along = row_products(u / np.abs(u).max(axis=1, keepdims=True), centers)
            largest = np.abs(along).max(axis=1, keepdims=True)
            along = _FAR * (along / np.where(largest > 0, largest, 1.0))
            scores[rows] = np.where(self.class_prior_ > 0, along, -np.inf)
        return scores

    @available_if(_euclidean)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """The score of each class, n x K; for two classes that of the second minus that of the first."""
        scores = self._scores(self._validate_predict(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available_if(_euclidean)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @available_if(_euclidean)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of `predict_proba`."""
        scores = self._scores(self._validate_predict(X))
        below = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(below - np.log(np.exp(below).sum(axis=1, keepdims=True)))


# ------------------------------------------------------------------------------------------------------------- centers


def _dense_centers(
    d: Design, codes: Array, sizes: Floats, metric: str, threads: int
) -> tuple[Floats, Floats, Floats, bool]:
    """Centers, means of the columns, roots of the squares about the centers, and: is every column constant?"""
    k, X = len(sizes), d.numbers
    unit = _units(np.maximum(X.max(axis=0), -X.min(axis=0)))
    if metric == "manhattan":
        rows = [np.flatnonzero(codes == c) for c in range(k)]
        shift = np.array([_core.column_medians(_core.dense(np.ascontiguousarray(X[part])), threads) for part in rows])
    else:  # a row of the class: where all are the same, the deviations are zero to the last bit
        first = [int(np.argmax(codes == c)) for c in range(k)]
        shift = np.ascontiguousarray(X[first], dtype=np.float64)
    sums = _core.group_sums(d.matrix, codes, k, shift, unit, threads)
    n, total, square = sizes[:, None], sums["sum"].reshape(k, -1), sums["square"].reshape(k, -1)
    means = shift + total / n / unit
    constant = bool((sums["low"] == sums["high"]).all())
    if metric == "manhattan":
        return shift, _overall(means, sizes), np.sqrt(square.sum(axis=0)) / unit, constant
    residual_squares = square - total**2 / n
    if (residual_squares < 1e-4 * square).any():  # too few digits are left: once more, from the means
        again = _core.group_sums(d.matrix, codes, k, np.where(residual_squares == 0, shift, means), unit, threads)
        residual_squares = again["square"].reshape(k, -1) - again["sum"].reshape(k, -1) ** 2 / n
    return means, _overall(means, sizes), np.sqrt(np.maximum(residual_squares, 0).sum(axis=0)) / unit, constant


def _units(largest: Array) -> Floats:
    """Powers of two that bring the columns' squares into range, 1 for those that are within."""
    largest = largest.astype(np.float64)
    away = np.flatnonzero((largest > 0) & ((largest < 1e-100) | (largest > 1e100)))
    unit = np.ones(len(largest))
    unit[away] = np.ldexp(1.0, np.minimum(1000, -np.frexp(largest[away])[1]))
    return unit


def _overall(means: Floats, sizes: Floats) -> Floats:
    """The means of all rows from those of the classes."""
    return np.asarray(means[0] + (sizes / sizes.sum()) @ (means - means[0]))


def _sparse_centers(
    d: Design, codes: Array, sizes: Floats, metric: str, threads: int
) -> tuple[Floats, Floats, Floats, bool]:
    """The same of a sparse table, whose zeros are counted, not read."""
    X, k, n = d.numbers, len(sizes), sizes[:, None]
    low, high = (np.asarray(f(axis=0).toarray()).ravel() for f in (X.min, X.max))
    unit = _units(np.maximum(high, -low))
    member = scipy.sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(k, len(codes)))
    total = (member @ X).toarray()
    means = total / n
    centers = np.array([_sparse_medians(X[codes == c]) for c in range(k)]) if metric == "manhattan" else means
    filled = X.copy()
    filled.data = np.ones_like(X.data)
    there = (member @ filled).toarray()
    own = np.repeat(codes, np.diff(X.indptr))
    filled.data = ((X.data - centers[own, X.indices]) * unit[X.indices]) ** 2
    squares = np.asarray(filled.sum(axis=0)).ravel() + ((n - there) * (centers * unit) ** 2).sum(axis=0)
    return centers, sizes @ means / sizes.sum(), np.sqrt(squares) / unit, bool((low == high).all())


def _sparse_medians(part: Any) -> Floats:
    """Medians of the columns; most are those of columns that are mostly zero."""
    n, columns = part.shape[0], part.tocsc()
    medians = np.zeros(part.shape[1])
    for j in np.flatnonzero(2 * np.diff(columns.indptr) >= n):
        values = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
        medians[j] = np.median(np.concatenate([values, np.zeros(n - len(values))]))
    return medians


def _sparse_squares(X: Any, centers: Floats) -> Floats:
    """``|x - c|² - |x|²``  of sparse rows and dense centers."""
    return np.asarray((centers**2).sum(axis=1) - 2 * (X @ centers.T))
