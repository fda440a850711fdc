"""k-means: groups around centers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, count, format_message, short_repr, warn
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.clusterer import Clusterer
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.models.neighbors.metric import Metric

__all__ = ["KMeans"]

_RESTARTS = 10  # of random starts, unless told
_MOST_TRIALS = 16  # rows that are drawn for one center of k-means++


def _check_init(value: Any) -> str | None:
    if isinstance(value, str):
        return f"init must be 'k-means++', 'random' or an array of centers; got {value!r}"
    try:
        centers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return f"init must be 'k-means++', 'random' or an array of centers; got {short_repr(value)}"
    if centers.ndim != 2 or not np.isfinite(centers).all():
        return f"init must be an array of finite numbers, one row a center; got one of shape {centers.shape}"
    return None


@dataclass(frozen=True)
class _Frame:
    """How kernels read rows: ``(x - shift) unit``, around the means and in a unit that keeps squares in range."""

    shift: Floats | None
    unit: float
    variance: float  # mean variance of the columns, in that unit squared

    def enter(self, centers: Floats) -> Floats:
        inside = centers if self.shift is None else centers - self.shift
        return np.ascontiguousarray(inside * self.unit)

    def leave(self, centers: Floats) -> Floats:
        outside = centers / self.unit
        return np.asarray(outside if self.shift is None else outside + self.shift)


@dataclass(frozen=True)
class _Run:
    """What one start came to."""

    centers: Floats
    labels: Array
    distortion: float
    passes: int
    settled: bool
    record: Any


class KMeans(Clusterer, Transformer):
    """Finds k groups: every row belongs to the nearest of k centers, and every center is the mean of its rows.

    With centers ``c_1 ... c_k`` and ``a(i)`` the nearest one of row i, the total distortion is

        J = sum_i |x_i - c_a(i)|²

    and k-means lowers it in turns: rows go to their nearest center, centers to the mean of their rows, until no row
    changes (Lloyd). Neither step can raise J, so it ends; where it ends depends on the start, and the best of all ends
    is too much work to find for more than one center. So start well (``init="k-means++"`` draws rows that lie far
    apart) or often (``n_init``), and keep the end with the least J.

    J falls with every further center, so it cannot choose their number: look for the bend of its curve
    (`distortion_curve`, `elbow_point`) or for the highest silhouette (`pellucid.metrics.silhouette_score`).

    Groups are round and of like width, since only the distance to the center counts: columns should be on one scale.
    Prefer other methods for groups that are long, nested or of very different size, and `LocalOutlierFactor` to find
    rows that belong to none. Sparse tables stay sparse; missing values are refused.

    Attributes
    ----------
    cluster_centers_ : k x p array
        The centers.
    labels_ : array of n whole numbers
        The number of each fitted row's center.
    inertia_ : total distortion J, weighted by the rows' weights
    average_distortion_ : J over the number of rows, or the sum of weights: comparable between tables
    n_iter_ : passes of the best run
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    The same end as scikit-learn's from the same centers. Both algorithms give the answer of comparing every row with
    every center in every pass, to the last bit; they leave out rows, and centers, of which the triangle inequality says
    that nothing can have changed. ``average_distortion_`` is beyond scikit-learn; ``init`` as a function is not taken.
    Random starts draw other numbers than NumPy's for the same seed.

    References
    ----------
    Lloyd, "Least squares quantization in PCM", 1957 (printed 1982). Arthur and Vassilvitskii, "k-means++: the
    advantages of careful seeding", 2007. Elkan, "Using the triangle inequality to accelerate k-means", 2003. Hamerly,
    "Making k-means even faster", 2010.

    Examples
    --------
    Two groups with the means 1 and 11; J = 1 + 0 + 1 + 1 + 0 + 1:

    >>> from pellucid.cluster import KMeans
    >>> model = KMeans(n_clusters=2, init=[[0.0], [12.0]]).fit([[0], [1], [2], [10], [11], [12]])
    >>> model.cluster_centers_.ravel()
    array([ 1., 11.])
    >>> model.labels_.tolist(), model.inertia_
    ([0, 0, 0, 1, 1, 1], 4.0)
    >>> model.predict([[5], [7]]).tolist()
    [0, 1]
    """

    n_clusters: int = param(default=8, low=1, kw_only=False, doc="How many groups, k.")
    init: Literal["k-means++", "random"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="k-means++",
        check=_check_init,
        doc="Where centers begin: at rows drawn far apart ('k-means++'), at rows drawn at random, or at these k x p "
        "numbers.",
    )
    n_init: int | Literal["auto"] = param(
        default="auto", low=1, doc="How many starts; the best end is kept. 'auto': 10 for init='random', else 1."
    )
    max_iter: int = param(default=300, low=1, doc="Most passes of a run.")
    tol: float = param(
        default=1e-4,
        low=0,
        doc="A run ends when the centers' squared moves add up to no more than this share of the columns' mean "
        "variance; 0 for not before every row keeps its center.",
    )
    verbose: int = param(default=0, low=0, doc="Not looked at: callbacks tell of the passes.")
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the starts; None for another one each time."
    )
    copy_x: bool = param(default=True, doc="Not looked at: the table is never written to.")
    algorithm: Literal["lloyd", "elkan"] = param(
        default="lloyd",
        doc="What is left out of a pass: rows whose one bound says that they keep their center ('lloyd'), and also "
        "panels of centers that are too far from a row ('elkan'; more memory, worth it for many centers). It changes "
        "no bit of the answer.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)
    iterative = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # -------------------------------------------------------------------------------------------------------- fitting

    def _fit(self, d: Design, trace: Trace) -> None:
        self._check_table(d)
        frame = self._frame(d)
        self._seed_ = seed_from(self.random_state)
        best: _Run | None = None
        for number in range(self._starts()):
            found = self._run(d, frame, self._begin(d, frame, number), trace)
            if best is None or found.distortion < best.distortion:
                best = found
        assert best is not None
        trace.take(best.record)
        self._keep(d, frame, best)

    def _check_table(self, d: Design) -> None:
        k = self.n_clusters
        if d.n_rows < k:
            requirement = "n_clusters must be at most the number of rows"
            raise DataError(format_message(d.who, requirement, actual=f"got n_clusters={k} with n_samples={d.n_rows}"))
        if not isinstance(self.init, str):
            shape = np.asarray(self.init, dtype=np.float64).shape
            if shape != (k, d.n_cols):
                requirement = f"init must have a row for each of {count(k, 'cluster')} and {count(d.n_cols, 'column')}"
                raise ParameterError(format_message(d.who, requirement, actual=f"got shape {shape}"))
        if d.weight is not None and int((d.weight > 0).sum()) < k and isinstance(self.init, str):
            requirement, actual = "n_clusters must be at most the number of rows that count", f"got n_clusters={k}"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"{actual} with {int((d.weight > 0).sum())} of weight above zero"
                )
            )

    def _frame(self, d: Design) -> _Frame:
        figures = Figures.read(d, self._threads)
        check_range(figures.low, figures.high, d.who, d.column_labels())
        sparse = d.table.is_sparse
        low, high = (np.minimum(figures.low, 0), np.maximum(figures.high, 0)) if sparse else (figures.low, figures.high)
        half = float((high / 2 - low / 2).max())
        unit = float(np.ldexp(1.0, int(np.clip(-np.frexp(half)[1], -1000, 1000)))) if half > 0 else 1.0
        squares = float((figures.square * (unit / figures.unit) ** 2 / figures.weight).mean())
        return _Frame(None if sparse else _round(figures.means, unit), unit, squares)

    def _starts(self) -> int:
        if not isinstance(self.n_init, str):
            return self.n_init if isinstance(self.init, str) else 1
        return _RESTARTS if isinstance(self.init, str) and self.init == "random" else 1

    def _begin(self, d: Design, frame: _Frame, number: int) -> Floats:
        """The first centers of a run, in the frame."""
        if not isinstance(self.init, str):
            return frame.enter(np.asarray(self.init, dtype=np.float64))
        seed, k = (self._seed_ + number * 0x9E3779B97F4A7C15) % 2**64, self.n_clusters
        if self.init == "random":
            rows = _drawn(d, k, seed)
        else:
            trials = min(2 + int(np.log(k)), _MOST_TRIALS)
            rows = _core.far_apart_rows(d.matrix, frame.shift, frame.unit, d.weight, k, trials, seed, self._threads)
        taken = d.numbers[rows]
        taken = taken.toarray() if scipy.sparse.issparse(taken) else taken
        return frame.enter(np.asarray(taken, dtype=np.float64))

    def _run(self, d: Design, frame: _Frame, start: Floats, trace: Trace) -> _Run:
        def current(flat: Floats) -> dict[str, Any]:
            return {"cluster_centers_": frame.leave(flat.reshape(-1, d.n_cols)), "_frame_": frame}

        return _Run(
            *_core.k_means(
                d.matrix,
                frame.shift,
                frame.unit,
                d.weight,
                start,
                self.max_iter,
                float(self.tol) * frame.variance,
                self.algorithm == "elkan",
                self._threads,
                trace.record,
                trace.listener(current),
            )
        )

    def _keep(self, d: Design, frame: _Frame, best: _Run) -> None:
        with np.errstate(over="ignore"):
            self.inertia_ = float(best.distortion / frame.unit / frame.unit)
        if not np.isfinite(self.inertia_):
            requirement, hint = "the distortion must fit into 64-bit floats", "divide the columns by a constant before"
            raise DataError(
                format_message(d.who, requirement, actual="squared distances of this table are too large", hint=hint)
            )
        self.cluster_centers_: Floats = frame.leave(best.centers)
        self.labels_: Array = best.labels
        self.average_distortion_ = self.inertia_ / (d.n_rows if d.weight is None else float(d.weight.sum()))
        self.n_iter_ = best.passes
        self._frame_ = frame
        distinct = len(np.unique(best.labels))
        if distinct < self.n_clusters:
            requirement = f"{count(self.n_clusters, 'cluster')} need as many distinct rows"
            actual = f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({self.n_clusters})"
            warn(format_message(d.who, requirement, actual=actual, hint="ask for fewer clusters"), ConvergenceWarning)

    # -------------------------------------------------------------------------------------------------------- answers

    def predict(self, X: Any) -> Array:
        """The number of each row's nearest center, the first of equals."""
        d, frame = self._validate_predict(X), self._frame_
        return _core.nearest_centers(d.matrix, self._shift_for(d), frame.unit, self._centers_for(d), self._threads)

    def _shift_for(self, d: Design) -> Floats | None:
        return None if d.table.is_sparse else self._frame_.shift if self._frame_.shift is not None else _none(d)

    def _centers_for(self, d: Design) -> Floats:
        """The centers as rows of this table are read: a sparse one has no shift."""
        if d.table.is_sparse:
            return np.ascontiguousarray(self.cluster_centers_ * self._frame_.unit)
        return self._frame_.enter(self.cluster_centers_)

    def _transform(self, d: Design) -> Array:
        """The distance of each row to every center."""
        if d.table.is_sparse:
            return self._sparse_distances(d).astype(d.dtype, copy=False)
        out = np.empty((d.n_rows, len(self.cluster_centers_)), dtype=d.dtype)
        centers = _core.dense(np.ascontiguousarray(self.cluster_centers_))
        _core.pairwise_table(d.matrix, centers, False, Metric().code, 2.0, False, out, self._threads)
        return out

    def _sparse_distances(self, d: Design) -> Floats:
        C = self.cluster_centers_
        squares = np.asarray(d.numbers.multiply(d.numbers).sum(axis=1)).reshape(-1, 1)
        return np.asarray(np.sqrt(np.maximum(squares + (C * C).sum(axis=1) - 2 * (d.numbers @ C.T), 0.0)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the total distortion of these rows: higher is better.

        Parameters
        ----------
        X : a table with the columns that `fit` saw
        y : not looked at
        sample_weight : n numbers, optional
        """
        d = self._validate_predict(X)
        attach_weight(d, sample_weight)
        shift, centers, unit = self._shift_for(d), self._centers_for(d), self._frame_.unit
        labels = _core.nearest_centers(d.matrix, shift, unit, centers, self._threads)
        found = _core.distortion(d.matrix, shift, unit, d.weight, centers, labels, self._threads)
        return float(-found / unit / unit)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns that `transform` makes: kmeans0, kmeans1, ...

        Parameters
        ----------
        input_features : not looked at
        """
        self._check_fitted()
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(len(self.cluster_centers_))], dtype=object)


def _round(means: Floats, unit: float) -> Floats:
    """Near the means, and round: whole numbers less a round one lose no digit, and ties stay ties."""
    return np.asarray(np.round(means * unit * 16) / 16 / unit)


def _none(d: Design) -> Floats:
    return np.zeros(d.n_cols)


def _drawn(d: Design, k: int, seed: int) -> Array:
    """k different rows, by weight: those with the largest  u^(1/w)  (Efraimidis, Spirakis 2006)."""
    with np.errstate(divide="ignore"):
        keys = np.log(uniform(seed, 3, d.n_rows))
        keys = keys if d.weight is None else np.where(d.weight > 0, keys / d.weight, -np.inf)
    return np.sort(np.argsort(-keys, kind="stable")[:k])
