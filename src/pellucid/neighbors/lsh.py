"""Approximate neighbors by locality sensitive hashing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import InputSpec
from pellucid.models.neighbors.hyperplanes import HyperplaneIndex
from pellucid.neighbors._approximate import ApproximateNeighbors
from pellucid.neighbors._questions import as_arrays

__all__ = ["LSHNeighbors"]


def _numbers(name: str, shape: str) -> Callable[[Any], str | None]:
    """A check: is a value None or an array of finite numbers with so many sizes?"""

    def fault(value: Any) -> str | None:
        try:
            array = np.asarray(0.0 if value is None else value, dtype=np.float64)
        except (TypeError, ValueError):
            return f"{name} must be an array of numbers, {shape}; got {value!r}"
        if value is not None and (array.ndim != shape.count("x") + 1 or array.size == 0):
            return f"{name} must be an array of numbers, {shape}; got shape {array.shape}"
        return None if np.isfinite(array).all() else f"{name} must be finite; found NaN or infinity"

    return fault


class LSHNeighbors(ApproximateNeighbors):
    """Finds near rows by the sides of random hyperplanes on which they lie (locality sensitive hashing).

    A table of buckets has k hyperplanes (``n_bits``), each with a normal w and an offset b. A row's code has a bit for
    each:

    ``bit = 1 if w x - b >= 0 else 0``

    Rows with the same code share a bucket, of which there are at most 2^k. Near rows are likely on the same side of
    each plane: for planes through the origin a bit differs with probability a / π, a the angle between the rows. A
    query is compared with the rows of its bucket in each of l tables (``n_tables``), which have planes of their own,
    and, with ``n_probes`` above 1, with the rows of buckets that lie across its nearest planes. `fit` chooses the least
    ``n_probes`` that finds ``recall`` of the neighbors of sampled rows; ``recall_`` is what that gave. Where the
    buckets have fewer rows than are asked for, all rows are compared.

    Planes go through the mean of the rows for the Euclidean distance and through the origin for cosine. Reported
    distances are those of `NearestNeighbors` to the last bit. It is for near-duplicates of wide, sparse rows such as
    texts; for dense tables `ListNeighbors` and `GraphNeighbors` are much faster at the same recall.

    Attributes
    ----------
    index_ : rows by bucket
    hyperplanes_, offsets_ : normals, l x k x p, and offsets, l x k
    codes_ : codes of the fitted rows, n x l; bit 0, the lowest, is that of the first plane
    n_bits_, n_tables_, n_probes_ : k, l, and buckets of each table that a query looks at
    recall_ : share of the neighbors of sampled rows that are found; None with given ``n_probes``
    effective_metric_ : the distance
    n_samples_fit_ : number of fitted rows

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.neighbors import LSHNeighbors
    >>> axes = np.array([[[1.0, 0.0], [0.0, 1.0]]])  # one table, two planes: the axes
    >>> X = [[2, 1], [1, 3], [-1, 2], [-2, -1]]
    >>> near = LSHNeighbors(1, hyperplanes=axes, offsets=np.zeros((1, 2)), n_probes=1).fit(X)
    >>> near.code_texts(near.codes_)  # right or left, above or below
    array([['11'],
           ['11'],
           ['01'],
           ['00']], dtype='<U2')
    >>> near.candidates([[1, 1]])[0]
    array([0, 1])
    >>> near.kneighbors([[1, 1]])
    (array([[1.]]), array([[0]]))

    References
    ----------
    Charikar (2002): Similarity estimation techniques from rounding algorithms. Lv, Josephson, Wang, Charikar and Li
    (2007): Multi-probe LSH.
    """

    n_bits: int | None = param(
        default=None, low=1, high=64, doc="Hyperplanes of a table, k; None for about log2(n / 8), 24 at most."
    )
    n_tables: int = param(default=16, low=1, doc="Tables of buckets, l.")
    n_probes: int | None = param(
        default=None, low=1, doc="Buckets of each table that a query looks at; None for as few as give the recall."
    )
    hyperplanes: np.ndarray | list | None = param(  # type: ignore[type-arg]
        default=None,
        check=_numbers("hyperplanes", "tables x bits x columns"),
        doc="Normals, l x k x p, instead of random ones; n_bits and n_tables follow from them.",
    )
    offsets: np.ndarray | list | None = param(  # type: ignore[type-arg]
        default=None,
        check=_numbers("offsets", "tables x bits"),
        doc="Offsets of given hyperplanes, l x k; None for planes through the mean, or the origin.",
    )

    input_spec = InputSpec(sparse=True)
    _cure = "raise n_tables, lower n_bits, or use ListNeighbors"

    def _check_params(self) -> None:
        super()._check_params()
        who, normals = type(self).__name__, np.asarray(self.hyperplanes).shape
        if self.offsets is not None and np.asarray(self.offsets).shape != normals[:2]:
            requirement = "offsets must be one a hyperplane"
            actual = f"got shape {np.asarray(self.offsets).shape} for hyperplanes of shape {normals}"
            raise ParameterError(
                format_message(who, requirement, actual=actual, hint="give hyperplanes and offsets together")
            )
        if self.hyperplanes is not None and normals[1] > 64:
            raise ParameterError(format_message(who, "a table has at most 64 hyperplanes", actual=f"got {normals[1]}"))

    def _given(self, columns: int) -> tuple[Floats | None, Floats | None]:
        """Hyperplanes and offsets that were given."""
        if self.hyperplanes is None:
            return None, None
        normals = np.asarray(self.hyperplanes, dtype=np.float64)
        if normals.shape[2] != columns:
            requirement, actual = (
                "hyperplanes must have the columns of X",
                f"they have {normals.shape[2]}, X has {columns}",
            )
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual))
        return normals, None if self.offsets is None else np.asarray(self.offsets, dtype=np.float64)

    def _build(self, rows: Any, settings: dict[str, Any]) -> Any:
        normals, offsets = self._given(rows.shape[1])
        index = HyperplaneIndex(
            rows, self._distance, self.n_bits, self.n_tables, normals, offsets, self.n_probes, **settings
        )
        self.hyperplanes_, self.offsets_ = np.asarray(index.normals), np.asarray(index.offsets)
        self.codes_: Array = index.codes
        self.n_tables_, self.n_bits_ = self.offsets_.shape
        self.n_probes_ = index.probes
        return index

    def show_kneighbors(self, X: Any, *, rows: Sequence[int] | None = None) -> Any:
        """How neighbors are found: codes of a query, its candidates, their distances.

        Parameters
        ----------
        X : a table with the columns that `fit` saw
        rows : positions of the rows to show; the first few unless told

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("kneighbors", X, rows=rows)

    def codes(self, X: Any) -> Array:
        """Codes of rows, rows x tables: bit p of a code is 1 if the row lies on the positive side of plane p."""
        return self.index_.codes_of(self._queries(self._validate_predict(X)).rows, self._threads)  # type: ignore[no-any-return]

    def code_texts(self, codes: Array) -> Array:
        """Codes as texts of zeros and ones, the first plane first."""
        self._check_fitted()
        planes = np.arange(self.n_bits_, dtype=np.uint64)
        bits = (np.asarray(codes, dtype=np.uint64)[..., None] >> planes) & np.uint64(1)
        return np.asarray(np.apply_along_axis(lambda row: "".join("01"[int(b)] for b in row), -1, bits))

    def candidates(self, X: Any = None) -> Array:
        """The fitted rows that each row is compared with, ascending: an array of arrays, one a query."""
        starts, rows = self.index_.candidates(self._queries(self._validate_predict(X)).rows, self._threads)
        return as_arrays(rows.astype(np.intp), starts)
