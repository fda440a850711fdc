"""Transformers that learn nothing: they need no fit, and leave the names of the columns alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.types import Array
from pellucid.data.design import Design, InputSpec, check_finite, infer_schema
from pellucid.estimator.roles import SameNames
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._cuts import in_the_order_of


class Stateless(SameNames):
    """A subclass writes `_dense`, which fills an array, and `_stored`, the numbers of a sparse table."""

    copy: bool = param(default=True, doc="False: a dense float array is written over instead of copied.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True, check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        check_finite(d, allow_nan=False)

    def transform(self, X: Any) -> Any:
        """The new columns of each row, as an array unless `set_output` asked for a frame. No fit is needed before."""
        if self.__sklearn_is_fitted__():
            return self._transform(self._validate_predict(X))
        self._check_params()
        return self._transform(infer_schema(X, self.input_spec, type(self).__name__))

    def _transform(self, d: Design) -> Any:
        if d.table.is_sparse:
            check_finite(d, allow_nan=False)
            return self._stored(d)
        numbers = d.numbers
        in_place = not self.copy and isinstance(d.table.source, np.ndarray) and numbers.flags.writeable
        if in_place:
            check_finite(d, allow_nan=False)
        self._dense(d, numbers if in_place else (out := in_the_order_of(numbers, d.dtype)))
        return numbers if in_place else out

    def _dense(self, d: Design, out: Array) -> None:
        raise TypeError(f"{type(self).__name__} must write _dense")

    def _stored(self, d: Design) -> Any:
        raise TypeError(f"{type(self).__name__} must write _stored")
