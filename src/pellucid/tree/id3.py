"""ID3: a tree of categories, grown by information gain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, noun_list
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, Schema, apply_schema
from pellucid.data.kinds import Kind
from pellucid.estimator.trace import Trace
from pellucid.models.tree.categories import category_sizes
from pellucid.tree._multiway import MultiwayClassifier

__all__ = ["ID3Classifier"]

_CURE = (
    "name columns whose whole numbers are codes of categories in categorical_features, put a KBinsDiscretizer before, "
    "set numbers='categories' if each number is a category of its own, or use C45Classifier, which finds thresholds"
)


class ID3Classifier(MultiwayClassifier):
    """Asks at each node for the column that tells most about the class, with a branch for every category.

    A node S with shares p_c of the classes has the entropy  ``H(S) = -sum_c p_c log2 p_c``  bits (0 log 0 = 0).
    Column A parts it into S_v, the rows with category v, and its information gain is

        ``IG(S, A) = H(S) - sum_v |S_v| / |S| H(S_v)``

    The column with the largest gain is asked; of equal ones the first. Four rules then build the tree: a pure node is
    a leaf; a mixed one goes on with the next column; categories that no row of the node has share one empty branch, a
    leaf with the node's majority; and when no column is left that parts the rows, the node is a leaf with its
    majority. No column is asked twice on one way, since below its test all rows agree on it. A gain of 0 is no reason
    to stop: of two columns that only together tell the class (exclusive or) neither gains anything alone.

    Missing values: a row counts in the gain of the columns that it has (which is multiplied by their share of the rows)
    and stays at the first node that asks for one it lacks. There, as for a category that `fit` never saw, the node
    itself answers in `predict`. All counts, `min_samples_split` among them, are sums of weights.

    The gain favors columns with many categories (a column of names parts every row from the others), and nothing is
    pruned: prefer `C45Classifier`, which corrects the first, does the second and takes numbers, or
    `DecisionTreeClassifier` and forests for accuracy.

    Attributes
    ----------
    tree_ : TreeNodes
        The tree; `impurity` is the entropy of each node, `value` the weight of each class in it.
    gain_, split_info_ : arrays
        Information gain and split information of each node's test; NaN for leaves.
    classes_, n_classes_ : the labels, sorted, and their number
    feature_importances_ : share of each column in all gain, weighted by rows
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Four days: the sky parts the classes, the wind tells nothing.

    >>> from pellucid.tree import ID3Classifier
    >>> X = [["sun", "calm"], ["sun", "windy"], ["rain", "calm"], ["rain", "windy"]]
    >>> model = ID3Classifier().fit(X, ["out", "out", "in", "in"])
    >>> int(model.tree_.feature[0]), float(model.gain_[0])
    (0, 1.0)
    >>> model.predict([["rain", "calm"]]).tolist()
    ['in']
    >>> model.predict_proba([["fog", "calm"]]).tolist()  # never seen: the root answers
    [[0.5, 0.5]]

    References
    ----------
    Quinlan (1986), Induction of decision trees, Machine Learning 1, 81-106.
    """

    min_samples_split: int | float = param(default=2, low=0, doc="Least weight of a node that is split.")
    min_gain: float = param(default=0.0, low=0, doc="Least information gain, in bits, of a split.")
    numbers: Literal["refuse", "categories"] = param(
        default="refuse",
        doc="Columns of numbers: refused, since ID3 knows no thresholds; or every distinct number a category of its "
        "own. Flags are categories in any case.",
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        self._door_: Schema = d.schema
        self._values_: dict[int, Floats] = {}
        levels = self._levels(d)
        weight, unit = self._weights(d)
        rules = {"min_split": float(self.min_samples_split) / unit, "gain_above": float(self.min_gain) - 1e-9}
        self._grow(self._coded(d), levels, weight, unit, rules)

    def _levels(self, d: Design) -> Array:
        """Categories of each column; numbers are refused, or become categories."""
        levels = category_sizes(d, self.categorical_features)
        for j in np.flatnonzero(levels == 0).tolist():
            if _is_flag(d, j):
                levels[j] = 2
            elif np.isnan(d.numbers[:, j]).all():  # nothing in it says what it holds
                levels[j] = 1
        numeric = np.flatnonzero(levels == 0).tolist()
        if numeric and self.numbers == "refuse":
            labels = [d.table.label(j) for j in numeric]
            actual = f"{noun_list('column', labels)} {'hold' if len(numeric) > 1 else 'holds'} numbers"
            raise DataError(format_message(d.who, "columns must hold categories", actual=actual, hint=_CURE))
        for j in numeric:
            values = np.asarray(d.numbers[:, j], dtype=np.float64)
            self._values_[j] = np.unique(values[~np.isnan(values)]) + 0.0
            levels[j] = max(len(self._values_[j]), 1)
        if numeric:
            categories = {j: tuple(_plain(v) for v in values.tolist()) for j, values in self._values_.items()}
            self.schema_ = replace(d.schema, categories={**d.schema.categories, **categories})
        return levels

    def _coded(self, d: Design) -> Design:
        """The table with numbers that are categories as their codes."""
        if not self._values_:
            return d
        codes = np.array(d.numbers, dtype=np.float64, order="F")
        for j, values in self._values_.items():
            codes[:, j] = _codes_of(codes[:, j], values)
        d.numbers, d.X, d.schema = codes, _core.dense(codes), self.schema_
        return d

    def _validate_predict(self, X: Any) -> Design:
        self._check_fitted()
        return self._coded(apply_schema(X, self._door_, self.input_spec, type(self).__name__))


def _is_flag(d: Design, j: int) -> bool:
    if d.schema.kinds is not None:
        return d.schema.kinds[j] == Kind.FLAG
    return getattr(getattr(d.table.source, "dtype", None), "kind", "") == "b"


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _codes_of(column: Floats, values: Floats) -> Floats:
    """Place of each number among the known ones, NaN for one that is not."""
    if len(values) == 0:
        return np.full(len(column), np.nan)
    code = np.minimum(np.searchsorted(values, column), len(values) - 1)
    return np.where(values[code] == column, code.astype(np.float64), np.nan)
