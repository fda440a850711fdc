"""Numbers put into bins."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.utils import Tags, check_random_state
from sklearn.utils._set_output import _get_output_config

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    count,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, check_finite, infer_schema
from pellucid.data.figures import check_range
from pellucid.estimator.roles import OptionalTargetAndWeight
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._cuts import (
    METHODS,
    Criterion,
    assign,
    attach_either,
    centers_of,
    column_quantiles,
    greedy_cuts,
    in_the_order_of,
    weighted_quantiles,
)
from pellucid.preprocessing._terms import bytes_in_words, memory

__all__ = ["KBinsDiscretizer"]

WEIGHTED = ("averaged_inverted_cdf", "inverted_cdf")
NARROW = 1e-8  # a bin of less than this share of its column's range (of 1, if that is less) is none


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _check_bins(value: Any) -> str | None:
    listed = list(value) if hasattr(value, "__len__") and not isinstance(value, str | dict) else [value]
    if listed and all(_is_whole(k) and k >= 2 for k in listed):
        return None
    return f"n_bins must be a whole number of at least 2, or one of them for each column; got {short_repr(value)}"


def _check_type(value: Any) -> str | None:
    if value is None or value in (np.float64, np.float32):
        return None
    return f"dtype must be numpy.float64, numpy.float32 or None; got {short_repr(value)}"


class KBinsDiscretizer(OptionalTargetAndWeight):
    """Cuts every column into intervals, bins, and says for each value in which of them it lies.

    Bin i of a column holds  ``e_i <= x < e_{i+1}``  with its edges ``e_0 < e_1 < ... < e_k``;  the first bin has
    everything below too, the last everything above. The edges are, for k bins by `strategy`,

    - "uniform", equal width:  ``e_i = min + i (max - min) / k``
    - "quantile", equal frequency: the quantiles of share i / k, so that as many values lie in each bin as ties allow
    - "kmeans": half way between the centers of a one-dimensional k-means
    - "tree", supervised: the cuts of a decision tree of at most k leaves that sees this column and the target y. Every
      next cut is the one that lowers the entropy of labels most, or the squared error of numbers:
      ``gain = C - C_left - C_right``  with the cost C of an interval, n times its entropy in bits or the squares about
      its mean.

    A straight-line model can then give every bin a value of its own, outliers lose their weight, and methods that take
    categories take numbers. What lies in one bin is no longer told apart: where the order within matters, keep the
    numbers. Equal width follows outliers, equal frequency does not; only "tree" looks at what is to be predicted, and
    so belongs inside a cross-validation.

    Missing values are refused: impute before. Sparse tables too. Of a table of more than `subsample` rows so many are
    drawn with replacement, by their weights, and the same ones as scikit-learn draws for the same whole `random_state`.

    scikit-learn drops bins narrower than 1e-8. Here that is a share of the column's range where the range is below 1,
    so that columns of tiny numbers keep their bins. `inverse_transform` gives a constant column back, not NaN. "kmeans"
    has the same edges unless a center loses all its values on the way.

    Attributes
    ----------
    bin_edges_ : one array of edges a column
        From the smallest to the largest value; minus and plus infinity for a constant column.
    n_bins_ : one whole number a column
        Bins: fewer than asked for where values are too few or too often the same.
    gains_ : one array a column
        With "tree" alone: what each inner edge gained, in the order of the edges.

    Examples
    --------
    >>> from pellucid.preprocessing import KBinsDiscretizer
    >>> X, y = [[1], [2], [3], [7], [8], [9]], ["a", "a", "b", "b", "b", "b"]
    >>> width = KBinsDiscretizer(4, encode="ordinal", strategy="uniform").fit(X)
    >>> width.bin_edges_[0].tolist(), width.transform(X).ravel().tolist()
    ([1.0, 3.0, 5.0, 7.0, 9.0], [0.0, 0.0, 1.0, 3.0, 3.0, 3.0])
    >>> KBinsDiscretizer(3, encode="ordinal", strategy="quantile").fit_transform(X).ravel().tolist()
    [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    >>> KBinsDiscretizer(2, encode="onehot-dense", strategy="tree").fit_transform(X, y)[1:3].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    n_bins: Any = param(
        default=5, kw_only=False, check=_check_bins, doc="Bins of every column, or one number for each column."
    )
    encode: Literal["onehot", "onehot-dense", "ordinal"] = param(
        default="onehot",
        doc="What comes out: a column for each bin with a 1 where the value lies, as a sparse table ('onehot') or a "
        "dense one ('onehot-dense'); or the number of the bin ('ordinal').",
    )
    strategy: Literal["uniform", "quantile", "kmeans", "tree"] = param(
        default="quantile", doc="Where the edges are: see above. 'tree' needs y."
    )
    quantile_method: METHODS = param(
        default="averaged_inverted_cdf",
        doc="Which value a quantile is: the nine rules of Hyndman and Fan, as NumPy names them. Weights need "
        "'averaged_inverted_cdf' or 'inverted_cdf'.",
    )
    dtype: Any = param(
        default=None, check=_check_type, doc="numpy.float64 or numpy.float32; None for that of the table."
    )
    subsample: int | None = param(default=200_000, low=1, doc="Most rows that a fit looks at; None for all.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Which rows are drawn.")
    criterion: Criterion = param(
        default="auto",
        doc="For 'tree', what is lowered: 'entropy' of labels, 'squared_error' of numbers, or 'auto', which takes a y "
        "with fractions for numbers and any other for labels.",
    )
    min_samples_leaf: int = param(default=1, low=1, doc="For 'tree', the fewest rows of a bin.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.strategy == "tree"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"] if self.dtype is None else []
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        if self.strategy == "tree":
            attach_either(d, y, self.criterion)

    # ------------------------------------------------------------------------------------------------------------- fit

    def _fit(self, d: Design, trace: Trace) -> None:
        check_finite(d, allow_nan=False)
        n_bins = self._bins_wanted(d)
        self._seed_ = self._fresh_seed()
        rows = self._drawn_rows(d.n_rows, d.weight)
        numbers, weight = self._counted(d, rows)
        self._check_method(weight)
        low, high = numbers.min(axis=0).astype(np.float64), numbers.max(axis=0).astype(np.float64)
        check_range(low, high, d.who, d.column_labels())
        constant = low == high
        edges = self._edges(d, rows, numbers, weight, np.where(constant, 1, n_bins))
        self.bin_edges_ = np.empty(d.n_cols, dtype=object)
        self.n_bins_ = np.empty(d.n_cols, dtype=np.int64)
        self._constants_ = np.where(constant, low, np.nan)
        for j in range(d.n_cols):
            column_edges = np.array([-np.inf, np.inf]) if constant[j] else self._kept(edges[j], d, j, int(n_bins[j]))
            self.bin_edges_[j], self.n_bins_[j] = column_edges, len(column_edges) - 1
        if constant.any():
            words = noun_list("column", [repr(d.column_labels()[j]) for j in np.flatnonzero(constant)])
            warn(f"{d.who}: {words} {'is' if constant.sum() == 1 else 'are'} constant: one bin, 0", PellucidWarning)

    def _bins_wanted(self, d: Design) -> Array:
        if _is_whole(self.n_bins):
            return np.full(d.n_cols, int(self.n_bins), dtype=np.int64)
        n_bins = np.asarray([int(k) for k in self.n_bins], dtype=np.int64)
        if len(n_bins) != d.n_cols:
            requirement = "n_bins must be a scalar or array of shape (n_features,)"
            actual = f"got {count(len(n_bins), 'number')} for {count(d.n_cols, 'column')}"
            raise ParameterError(format_message(d.who, requirement, actual=actual))
        return n_bins

    def _fresh_seed(self) -> int:
        seed = self.random_state
        return int(seed) if isinstance(seed, int | np.integer) else seed_from(seed) % 2**31

    def _drawn_rows(self, n: int, weight: Floats | None) -> Array | None:
        """The rows that a fit looks at, in order; None for all."""
        if self.subsample is None or n <= self.subsample:
            return None
        share = None if weight is None else weight / weight.sum()
        return np.sort(check_random_state(self._seed_).choice(n, size=self.subsample, p=share, replace=True))

    def _counted(self, d: Design, rows: Array | None) -> tuple[Array, Floats | None]:
        """The rows that count, and their weights: those drawn have none any more."""
        if rows is not None:
            return d.numbers[rows], None
        weight = d.unit_weight[0]
        if weight is None or (weight > 0).all():
            return d.numbers, weight
        return d.numbers[weight > 0], weight[weight > 0]

    def _check_method(self, weight: Floats | None) -> None:
        if self.strategy == "quantile" and weight is not None and self.quantile_method not in WEIGHTED:
            requirement = (
                "When fitting with strategy='quantile' and sample weights, quantile_method should either be set to "
            )
            requirement += "'averaged_inverted_cdf' or 'inverted_cdf'"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"got quantile_method={self.quantile_method!r}")
            )

    def _edges(
        self, d: Design, rows: Array | None, numbers: Array, weight: Floats | None, n_bins: Array
    ) -> Sequence[Floats]:
        if self.strategy == "tree":
            return self._tree_edges(d, rows, numbers, n_bins)
        if self.strategy == "quantile" and weight is None:
            shares = [np.linspace(0, 100, k + 1) / 100 for k in n_bins]
            return column_quantiles(numbers, shares, self.quantile_method, self._threads)
        self._centers_: dict[int, Floats] = {}
        return [self._edges_of(j, numbers[:, j].astype(np.float64), weight, int(k)) for j, k in enumerate(n_bins)]

    def _edges_of(self, j: int, column: Floats, weight: Floats | None, k: int) -> Floats:
        if self.strategy == "quantile":
            assert weight is not None
            averaged = self.quantile_method == "averaged_inverted_cdf"
            return weighted_quantiles(column, weight, np.linspace(0, 100, k + 1) / 100, averaged)
        low, high = column.min(), column.max()
        if self.strategy == "uniform" or low == high:
            return np.linspace(low, high, k + 1)
        k = k if k <= len(column) else len(np.unique(column))  # more bins than rows
        centers = centers_of(column, weight, k)
        self._centers_[j] = centers
        return np.concatenate([[low], (centers[1:] + centers[:-1]) / 2, [high]])

    def _tree_edges(self, d: Design, rows: Array | None, numbers: Array, n_bins: Array) -> list[Floats]:
        cuts = greedy_cuts(d, rows, n_bins, int(self.min_samples_leaf), self._threads)
        low, high = numbers.min(axis=0), numbers.max(axis=0)
        self.gains_ = np.empty(d.n_cols, dtype=object)
        self._made_, self._labels_ = cuts, bool(d.classes)
        for j, column_cuts in enumerate(cuts):
            self.gains_[j] = column_cuts[np.argsort(column_cuts[:, 1]), 3]
        return [np.concatenate([[low[j]], np.sort(column_cuts[:, 1]), [high[j]]]) for j, column_cuts in enumerate(cuts)]

    def _kept(self, edges: Floats, d: Design, j: int, wanted: int) -> Floats:
        """Edges without those that end a bin of no width."""
        if self.strategy not in ("quantile", "kmeans"):
            return edges
        wide: Floats = edges[np.ediff1d(edges, to_begin=np.inf) > NARROW * min(1.0, edges[-1] - edges[0])]
        if len(wide) - 1 < wanted:
            text = f"{d.who}: column {d.column_labels()[j]!r} has {len(wide) - 1} bins instead of {wanted}: Bins whose "
            warn(text + "width are too small are removed; decrease n_bins to be rid of this warning", PellucidWarning)
        return wide

    # ------------------------------------------------------------------------------------------------------- transform

    def transform(self, X: Any) -> Any:
        """The bins of each row: sparse with ``encode="onehot"``, else an array, or a frame if `set_output` asked."""
        self._check_fitted()
        output = _get_output_config("transform", estimator=self)["dense"]
        if output != "default" and self.encode == "onehot":
            requirement = f"{output.capitalize()} output does not support sparse data"
            raise DataError(
                format_message(type(self).__name__, requirement, hint="use encode='onehot-dense' or encode='ordinal'")
            )
        return self._transform(self._validate_predict(X))

    def _transform(self, d: Design) -> Any:
        cuts = [edges[1:-1] for edges in self.bin_edges_]
        dtype = d.dtype if self.dtype is None else np.dtype(self.dtype)
        if self.encode == "ordinal":
            return assign(d, cuts, np.zeros(d.n_cols), in_the_order_of(d.numbers, dtype), self._threads)
        first = np.cumsum(self.n_bins_) - self.n_bins_
        width = int(self.n_bins_.sum())
        stored = d.n_rows * d.n_cols
        index = np.int32 if max(stored, width) <= np.iinfo(np.int32).max else np.int64
        if self.encode == "onehot-dense":
            self._check_size(d.n_rows, width, dtype)
        columns = assign(d, cuts, first, np.empty((d.n_rows, d.n_cols), dtype=index), self._threads)
        if self.encode == "onehot-dense":
            out = np.zeros((d.n_rows, width), dtype=dtype)
            np.put_along_axis(out, columns.astype(np.intp, copy=False), 1, axis=1)
            return out
        kind = scipy.sparse.csr_array if get_config()["sparse_interface"] == "sparray" else scipy.sparse.csr_matrix
        starts = np.arange(0, stored + 1, d.n_cols, dtype=index)
        result = kind((np.ones(stored, dtype=dtype), columns.ravel(), starts), shape=(d.n_rows, width))
        result.has_canonical_format = True
        return result

    def _check_size(self, rows: int, width: int, dtype: Any) -> None:
        size = rows * width * np.dtype(dtype).itemsize
        if size > memory():
            actual = f"{rows:,} rows of {width:,} columns take {bytes_in_words(size)}"
            requirement, hint = "the result must fit into memory", "use encode='onehot', which is sparse"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))

    def inverse_transform(self, X: Any) -> Array:
        """The middle of each bin; the value itself for a constant column.

        Parameters
        ----------
        X : a table as `transform` makes it
        """
        self._check_fitted()
        input_spec = InputSpec() if self.encode == "ordinal" else InputSpec(sparse=True)
        d = infer_schema(X, input_spec, type(self).__name__)
        bins = self._numbers_of_bins(d) if self.encode == "ordinal" else self._bins_of_ones(d)
        out = np.empty(bins.shape, dtype=d.dtype)
        for j, edges in enumerate(self.bin_edges_):
            constant = self._constants_[j]
            out[:, j] = constant if constant == constant else (edges[1:] / 2 + edges[:-1] / 2)[bins[:, j]]
        return out

    def _numbers_of_bins(self, d: Design) -> Array:
        if d.n_cols != len(self.n_bins_):
            requirement = "Incorrect number of features"
            actual = f"Expecting {len(self.n_bins_)}, received {d.n_cols}"
            raise DataError(format_message(d.who, requirement, actual=actual))
        numbers = np.asarray(d.numbers)
        wrong = (numbers != np.floor(numbers)) | (numbers < 0) | (numbers >= self.n_bins_)
        if wrong.any():
            row, j = (int(index[0]) for index in np.nonzero(wrong))
            requirement = (
                f"bins of column {d.column_labels()[j]!r} must be whole numbers from 0 to {self.n_bins_[j] - 1}"
            )
            raise DataError(format_message(d.who, requirement, actual=f"got {numbers[row, j]:g} in row {row}"))
        return numbers.astype(np.intp)

    def _bins_of_ones(self, d: Design) -> Array:
        width, p = int(self.n_bins_.sum()), len(self.n_bins_)
        if d.n_cols != width:
            requirement = "Shape of the passed X data is not correct"
            raise DataError(
                format_message(
                    d.who,
                    requirement,
                    actual=f"Expected {width} columns, got {d.n_cols}",
                    hint="give what transform makes",
                )
            )
        indicators = scipy.sparse.csr_array(d.numbers)
        indicators.eliminate_zeros()
        first = np.cumsum(self.n_bins_) - self.n_bins_
        row = np.repeat(np.arange(d.n_rows), np.diff(indicators.indptr))
        column = np.searchsorted(first, indicators.indices, side="right") - 1
        often = np.bincount(row * p + column, minlength=d.n_rows * p)
        if (often != 1).any():
            faulty = noun_list("row", np.unique(np.flatnonzero(often != 1) // p))
            requirement = "a row must have exactly one bin that is not 0 for every column"
            raise DataError(format_message(d.who, requirement, actual=f"it is otherwise in {faulty}"))
        bins = np.empty((d.n_rows, p), dtype=np.intp)
        bins[row, column] = indicators.indices - first[column]
        return bins

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns: as they were, or with the number of the bin behind.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names = self._names_in(input_features)
        if self.encode == "ordinal":
            return np.array(names, dtype=object)
        each = zip(names, self.n_bins_, strict=True)
        return np.array([f"{name}_{float(i)}" for name, k in each for i in range(k)], dtype=object)
