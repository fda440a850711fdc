"""Columns by the place of their values: uniform or normal, whatever they were."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_random_state

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, format_message, noun_list, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, check_finite
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._column_map import ColumnMap

__all__ = ["QuantileTransformer"]

# As in scikit-learn: so near an end of the range is the end, and normal results are kept between these.
MARGIN = 1e-7
NORMAL_ENDS = (float(ndtri(MARGIN - np.spacing(1))), float(ndtri(1 - (MARGIN - np.spacing(1)))))


class QuantileTransformer(ColumnMap):
    """Replaces every value by its place among the values of the column, from 0 to 1, or by the normal number there.

    With the quantiles ``q_1 ≤ ... ≤ q_m`` of shares ``r_k = (k - 1) / (m - 1)``, a value x between ``q_k`` and
    ``q_(k+1)`` becomes  ``u = r_k + (r_(k+1) - r_k) (x - q_k) / (q_(k+1) - q_k)``.  Where several quantiles equal
    x, u is the mean of the first and the last of their shares. Values beyond the ends become 0 and 1. For normal
    output u is replaced by the number below which a standard normal one lies with probability u, kept between -5.2
    and 5.2.

    Any column gets the wished shape, outliers lose their pull, and the order stays; distances and correlations do not.
    `PowerTransformer` bends less. The quantiles are those of a random part of the rows where there are more than
    `subsample`; with the same `random_state` the part is scikit-learn's. Missing values are left out of the quantiles
    and stay missing. A constant column becomes 0 (-5.2). Of sparse tables only the stored values change. float32 stays
    float32, what is learned is float64. Where there are fewer rows than `n_quantiles`, there are as many quantiles as
    rows; scikit-learn warns of that.

    Attributes
    ----------
    quantiles_ : array of n_quantiles_ rows and one column a column
    references_ : array of n_quantiles_ numbers
        Their shares.
    n_quantiles_ : int
        How many there are.

    Examples
    --------
    >>> from pellucid.preprocessing import QuantileTransformer
    >>> model = QuantileTransformer(n_quantiles=5).fit([[0], [1], [10], [100], [1000]])
    >>> model.transform([[-5], [1], [55], [1000]]).ravel().tolist()
    [0.0, 0.25, 0.625, 1.0]
    >>> model.inverse_transform([[0.5], [0.625]]).ravel().tolist()
    [10.0, 55.0]
    >>> QuantileTransformer(output_distribution="normal").fit([[1], [2], [9]]).transform([[2]]).tolist()
    [[0.0]]
    """

    n_quantiles: int = param(default=1000, low=1, doc="How many quantiles are kept; at most the number of rows.")
    output_distribution: Literal["uniform", "normal"] = param(
        default="uniform", doc="What the columns become: places from 0 to 1, or normal numbers."
    )
    ignore_implicit_zeros: bool = param(
        default=False, doc="Sparse tables only: are the zeros that are not stored left out of the quantiles?"
    )
    subsample: int | None = param(
        default=10_000, low=1, doc="Most rows that the quantiles are worked out from, drawn at random; None for all."
    )
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of the rows that are drawn.")

    input_spec = InputSpec(sparse=True, missing=True, check_finite="kernel")

    def _check_params(self) -> None:
        super()._check_params()
        if self.subsample is not None and self.n_quantiles > self.subsample:
            requirement = "The number of quantiles cannot be greater than the number of samples used"
            actual = f"got n_quantiles={self.n_quantiles} and subsample={self.subsample}"
            raise ParameterError(
                format_message(
                    type(self).__name__, requirement, actual=actual, hint="lower n_quantiles, or subsample=None"
                )
            )

    def _fit(self, d: Design, trace: Trace) -> None:
        ends = Figures.read_ends(d, self._threads)
        check_range(ends.low, ends.high, d.who, d.column_labels())
        self.n_quantiles_ = max(1, min(int(self.n_quantiles), d.n_rows))
        self.references_ = np.linspace(0, 1, self.n_quantiles_)
        random = check_random_state(self.random_state)
        self._drawn_from_ = random.get_state()
        shares = self.references_ * 100 / 100  # as NumPy's percentiles round them
        if d.table.is_sparse:
            self._refuse_negative(d)
            found = np.array([self._of_stored(column, d.n_rows, shares, random) for column in _columns(d)])
        else:
            if self.ignore_implicit_zeros:
                warn(
                    format_message(d.who, "ignore_implicit_zeros is for sparse tables", actual="X is dense"),
                    PellucidWarning,
                )
            found = _core.sample_quantiles(d.matrix, self._draw(d.n_rows, random), shares, self._threads)
        self.quantiles_ = np.ascontiguousarray(found.T)

    def _draw(self, rows: int, random: np.random.RandomState) -> Array:
        """The rows that the quantiles are worked out from; none stands for all."""
        if self.subsample is None or self.subsample >= rows:
            return np.empty(0, dtype=np.int64)
        order = np.arange(rows)
        random.shuffle(order)
        return order[: self.subsample].astype(np.int64)

    def _of_stored(self, stored: Floats, rows: int, shares: Floats, random: np.random.RandomState) -> Floats:
        """Quantiles of a sparse column: of a share of what is stored if that is more than `subsample`."""
        length = len(stored) if self.ignore_implicit_zeros else rows
        if self.subsample is not None and len(stored) > self.subsample:
            length = self.subsample
            some = length if self.ignore_implicit_zeros else length * len(stored) // rows
            stored = random.choice(stored, size=some, replace=False)
        if length == 0:
            return np.zeros(len(shares))
        column = np.concatenate([stored, np.zeros(length - len(stored))])[:, None]
        return np.asarray(_core.sample_quantiles(_core.dense(column), np.empty(0, dtype=np.int64), shares, 1)[0])

    def _refuse_negative(self, d: Design) -> None:
        if self.ignore_implicit_zeros or not (d.numbers.data < 0).any():
            return
        for j, column in enumerate(_columns(d)):
            if (column < 0).any():
                rows = np.flatnonzero(d.numbers[:, [j]].toarray().ravel() < 0)
                requirement = "only accepts non-negative sparse matrices"
                actual = f"column {d.table.label(j)} has values below 0 ({noun_list('row', rows)})"
                hint = "use X.toarray(), or ignore_implicit_zeros=True"
                raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))

    def _transform(self, d: Design) -> Any:
        if d.table.is_sparse:
            self._refuse_negative(d)
        return self._placed(d, _core.quantile_columns)

    def inverse_transform(self, X: Any) -> Any:
        """The values at the given places: those of the columns before `transform`, up to what it lost at ends and ties.

        Parameters
        ----------
        X : a table of places
        """
        return self._placed(self._validate_predict(X), _core.unquantile_columns)

    def _normal(self) -> Floats:
        """Of a normal output: what counts as an end, and the ends of the results. Of a uniform one: nothing."""
        return np.array([MARGIN, *NORMAL_ENDS] if self.output_distribution == "normal" else [])

    def _placed(self, d: Design, write: Any) -> Any:
        normal = self._normal()
        if not d.table.is_sparse:
            return self._mapped(d, write, self.references_, self.quantiles_, normal)  # defined for all values
        if np.isinf(d.numbers.data).any():
            check_finite(d, allow_nan=True)
        table = d.numbers.tocsc().astype(d.dtype)
        parts = []
        for j, column in enumerate(_columns(d)):
            out = np.empty((len(column), 1))
            curve = np.ascontiguousarray(self.quantiles_[:, [j]])
            write(_core.dense(column[:, None]), self.references_, curve, normal, out, self._threads)
            parts.append(out[:, 0])
        table.data[:] = np.concatenate(parts)
        return table


def _columns(d: Design) -> list[Floats]:
    """What is stored of each column of a sparse table."""
    table = d.numbers.tocsc()
    return [table.data[table.indptr[j] : table.indptr[j + 1]] for j in range(d.n_cols)]
