"""Isolation forest: rows that a few random cuts part from all others."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, PellucidWarning, format_message, warn
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.outlier_detector import OutlierDetector, share_below
from pellucid.estimator.trace import Trace

__all__ = ["IsolationForest"]

_SAMPLES = 256  # rows of a tree unless told
_USUAL = -0.5  # the score of a row with an average path


@dataclass(frozen=True)
class IsolationTrees:
    """Trees as columns of numbers: nodes of tree t from ``starts[t]`` to ``starts[t + 1]``.

    column : what a node cuts, -1 for a leaf; threshold : at most this goes left, of a leaf its path length
    left : the left child, counted from the tree's first node, the right one beside it; rows : of the sample in the node
    """

    starts: Array
    column: Array
    left: Array
    threshold: Floats
    rows: Array

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not self._can_be_walked():
            raise ValueError("IsolationTrees: every path must end in a leaf of its tree")

    def _can_be_walked(self) -> bool:
        """Does every path end in a leaf, without leaving its tree? Trees may come out of a file."""
        kinds = {"starts": np.int64, "column": np.int32, "left": np.int32, "threshold": np.float64, "rows": np.int32}
        arrays = {name: getattr(self, name) for name in kinds}
        nodes = len(self.column)
        for name, kind in kinds.items():
            plain = isinstance(arrays[name], np.ndarray) and arrays[name].dtype == kind and arrays[name].ndim == 1
            if not plain or (name != "starts" and len(arrays[name]) != nodes):
                return False
        starts = self.starts
        if len(starts) < 2 or starts[0] != 0 or starts[-1] != nodes or starts.min() < 0 or starts.max() > nodes:
            return False
        sizes = np.diff(starts)
        if sizes.min() < 1:
            return False
        inner = self.column >= 0
        own = np.arange(nodes) - np.repeat(starts[:-1], sizes)  # counted from the tree's first node
        right = self.left.astype(np.int64) + 1
        return bool(((right > own + 1) & (right < np.repeat(sizes, sizes)))[inner].all())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def one(self, t: int) -> IsolationTrees:
        """Tree t alone."""
        at = slice(int(self.starts[t]), int(self.starts[t + 1]))
        starts = np.array([0, at.stop - at.start], dtype=np.int64)
        return IsolationTrees(starts, self.column[at], self.left[at], self.threshold[at], self.rows[at])

    def paths(self, d: Design, threads: int) -> Floats:
        """The mean path length of every row."""
        return _core.mean_paths(d.matrix, self.starts, self.column, self.left, self.threshold, threads)


def _check_samples(value: Any) -> str | None:
    if isinstance(value, str | Integral) or 0 < value <= 1:
        return None
    return f"max_samples must be a whole number of at least 1, a share up to 1, or 'auto'; got {value!r}"


def _check_columns(value: Any) -> str | None:
    if isinstance(value, Integral) or 0 < value <= 1:
        return None
    return f"max_features must be a whole number of at least 1 or a share up to 1; got {value!r}"


class IsolationForest(OutlierDetector):
    """Cuts samples of the rows at random until every row is alone: outliers are alone after few cuts.

    A tree draws a column and a cut between its ends, again and again, on a sample of m rows. With E(h(x)) the mean over
    the trees of the number of cuts that part x from the others (its path length), and c(m) the mean path length of a
    search in a random tree of m rows,

        s(x) = 2^(-E(h(x)) / c(m)),        c(m) = 2 (ln(m - 1) + 0.5772) - 2 (m - 1) / m

    is near 1 for outliers, well below 0.5 for rows within a crowd, and 0.5 for an average path. A tree ends at a depth
    of log2(m): who is still in a crowd there is none, and c of the rows left in the leaf is added.

    Small samples (256) are enough and even better: outliers stand out, and crowds of them do not hide each other. No
    distance is measured, so columns may be on any scale and many; but cuts go along the columns, so that rows which are
    odd in combinations of columns alone are not seen: prefer `LocalOutlierFactor` there. Sparse tables are taken;
    missing values are refused, and there are no weights.

    Attributes
    ----------
    trees_ : the trees, as columns of numbers
    max_samples_ : rows of each tree, m
    offset_ : below it a score is that of an outlier: -0.5, or what ``contamination`` asks for
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    Scores are minus s(x), as in scikit-learn. Trees are drawn from other random numbers than scikit-learn's and cut
    values in double precision. ``warm_start`` is not taken.

    References
    ----------
    Liu, Ting and Zhou, "Isolation forest", 2008.

    Examples
    --------
    Four rows near each other and one far off, which nearly every first cut parts from them:

    >>> from pellucid.outliers import IsolationForest
    >>> model = IsolationForest(random_state=0).fit([[1], [2], [3], [4], [100]])
    >>> model.predict([[2.5], [100]]).tolist()
    [1, -1]
    >>> bool(model.score_samples([[100]])[0] < model.score_samples([[2.5]])[0])
    True
    """

    n_estimators: int = param(default=100, low=1, doc="How many trees.")
    max_samples: int | float | Literal["auto"] = param(
        default="auto", low=0, low_open=True, check=_check_samples,
        doc="Rows of each tree: a number, a share, or 'auto' for 256 or all if there are fewer.",
    )  # fmt: skip
    contamination: float | Literal["auto"] = param(
        default="auto",
        low=0,
        low_open=True,
        high=0.5,
        doc="Share of the fitted rows that are outliers; 'auto': those with s(x) above 0.5.",
    )
    max_features: int | float = param(
        default=1.0,
        low=0,
        low_open=True,
        check=_check_columns,
        doc="Columns that a tree may cut: a number, or a share.",
    )
    bootstrap: bool = param(default=False, doc="Are the rows of a tree drawn with replacement?")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the trees; None for other ones each time."
    )
    verbose: int = param(default=0, low=0, doc="Not looked at.")

    input_spec = InputSpec(sparse=True)
    calls_blas = False

    def _fit(self, d: Design, trace: Trace) -> None:
        self.max_samples_ = self._samples(d)
        columns = self._columns(d)
        self._seed_ = seed_from(self.random_state)
        self.trees_ = IsolationTrees(
            *_core.grow_isolation(
                d.matrix,
                self.n_estimators,
                self.max_samples_,
                columns,
                bool(self.bootstrap),
                self._seed_,
                self._threads,
            )
        )
        shared = self.contamination
        self.offset_ = _USUAL if isinstance(shared, str) else share_below(self._scores(d), float(shared))

    def _samples(self, d: Design) -> int:
        most = self.max_samples
        if isinstance(most, str):
            return min(_SAMPLES, d.n_rows)
        if isinstance(most, Integral):
            if most > d.n_rows:
                requirement = "max_samples should be at most the number of rows"
                actual = f"max_samples ({most}) is greater than the total number of samples ({d.n_rows}): all are taken"
                warn(format_message(d.who, requirement, actual=actual), PellucidWarning)
            return min(int(most), d.n_rows)
        return max(1, int(most * d.n_rows))

    def _columns(self, d: Design) -> int:
        most = self.max_features
        if isinstance(most, Integral):
            if most > d.n_cols:
                requirement = "max_features must be at most the number of columns"
                raise ParameterError(format_message(d.who, requirement, actual=f"got {most} for {d.n_cols}"))
            return int(most)
        return max(1, int(most * d.n_cols))

    def _scores(self, d: Design) -> Floats:
        """Minus  2^(-E(h) / c(m));  -0.5 where one row is a sample, whose trees cut nothing."""
        usual = _core.average_path(float(self.max_samples_))
        paths = self.trees_.paths(d, self._threads)
        return np.asarray(-(2.0 ** (-paths / usual))) if usual > 0 else np.full(d.n_rows, _USUAL)
