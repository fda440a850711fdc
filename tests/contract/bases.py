"""A small classifier for estimators that are built around another one."""

from __future__ import annotations

import sys
from typing import Any

import cloudpickle
import numpy as np

from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Classifier
from pellucid.estimator.trace import Trace


class NearestMean(Classifier):
    """Probabilities that fall with the squared distance from the mean of each class.

    NumPy sums along an axis in an order that depends on the memory layout: rows are copied into C order first.
    """

    def _fit(self, d: Design, trace: Trace) -> None:
        weight = np.ones(d.n_rows) if d.weight is None else d.weight
        codes, X = d.y[:, 0], np.ascontiguousarray(d.numbers, dtype=np.float64)
        shares = [np.where(codes == code, weight, 0.0) for code in range(len(self.classes_))]
        sums = [max(float(share.sum()), 1e-300) for share in shares]  # a class whose rows all weigh nothing
        pairs = zip(shares, sums, strict=True)
        self.means_ = np.array([(share[:, None] * X).sum(axis=0) / total for share, total in pairs])

    def _predict_proba(self, d: Design) -> Any:
        X = np.ascontiguousarray(d.numbers, dtype=np.float64)
        apart: Floats = np.array([((X - mean) ** 2).sum(axis=1) for mean in self.means_]).T
        shares = np.exp((apart.min(axis=1, keepdims=True) - apart) / 4)
        return (shares / shares.sum(axis=1, keepdims=True)).astype(d.dtype)


# Worker processes cannot import the tests: the class itself travels to them.
cloudpickle.register_pickle_by_value(sys.modules[__name__])
