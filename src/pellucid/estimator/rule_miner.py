"""The role of estimators that look for what goes together in baskets."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.types import Array
from pellucid.data.baskets import Baskets, baskets_of
from pellucid.data.design import Design, Schema
from pellucid.data.table import Table
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace


class RuleMiner(Estimator):
    """Learns from baskets. A subclass writes `_mine`.

    A basket is a collection of items of any length, so there is no table with an answer for each row: what is promised
    of columns, targets and weights does not concern this role.
    """

    calls_blas = False

    missing: Literal["error", "ignore"] = param(
        default="error", doc="What becomes of items that are missing: they are refused, or left out with a note."
    )
    n_jobs: int | None = param(default=None, doc="Number of threads; None and -1 for all cores that are free.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "rule_miner"
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from baskets.

        Parameters
        ----------
        X : baskets
            A list of collections (lists, sets, ...) of items; a table of 0 and 1 (dataframe, NumPy or sparse matrix)
            with a row a basket and a column an item; a dataframe or array of two columns, the basket and the item; or
            the path of a file with a line a basket. An item that stands in a basket twice counts once; a basket without
            items counts as a basket.
        y : not looked at
            There for scikit-learn's sake.

        Returns
        -------
        self
        """
        self._run_fit(X, None, None)
        return self

    def _mine(self, baskets: Baskets, trace: Trace) -> None:
        raise TypeError(f"{type(self).__name__} must write _mine")

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        self._forget()
        baskets = baskets_of(X, type(self).__name__, self.missing)
        self.items_ = item_array(baskets.items)
        self.n_baskets_ = len(baskets)
        self.notes_ = list(baskets.notes)
        with self._task(record, X, None, None) as trace:
            self._mine(baskets, trace)
        return trace

    def _validate_predict(self, X: Any) -> Design:
        """Baskets that come after fit: as many rows, and no columns of numbers."""
        self._check_fitted()
        n = len(baskets_of(X, type(self).__name__, self.missing))
        table = Table(np.empty((n, 0)), n, 0, None)
        return Design(type(self).__name__, table, Schema(0, None, True), n, 0, np.dtype(np.float64), None, None)


def item_array(items: tuple[Any, ...]) -> Array:
    """Items as an array of objects, also where they are tuples."""
    return np.fromiter(items, dtype=object, count=len(items))
