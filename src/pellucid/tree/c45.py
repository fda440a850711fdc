"""C4.5: trees of categories and numbers by gain ratio, with cases in parts for missing values, and pruned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, PellucidWarning, count, format_message, join_some, short_repr, warn
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.nodes import TreeNodes
from pellucid.tree._multiway import NONE, MultiwayClassifier

__all__ = ["C45Classifier"]


class C45Classifier(MultiwayClassifier):
    """Asks at each node for the column with the best gain ratio; the grown tree is pruned by the errors to expect.

    With N the weight of a node's cases, S_v those in branch v, and H the entropy in bits,

        ``gain(A) = H(S) - sum_v |S_v| / N  H(S_v)``
        ``split info(A) = -sum_v |S_v| / N  log2( |S_v| / N )``
        ``gain ratio(A) = gain(A) / split info(A)``

    A column of categories has a branch for each; categories that only other nodes have share an empty one, which
    answers like the node. A column of numbers has the threshold with the largest gain, from which ``log2(cuts tried)
    / N`` is taken (release 8). At least two branches must have `min_samples_leaf`. Among the columns whose gain is at
    least the mean over all that can be split, the one with the largest gain ratio is asked; of equal ones the first.

    A case whose value is missing goes down every branch in parts, in proportion to the known cases there, in `fit` as
    in `predict`, where the answer is the mixture of the leaves; a category that `fit` never saw counts as missing.
    The gain is multiplied by the known share of the cases, and the split information has one more branch for the
    unknown ones.

    Pruning goes bottom-up. A leaf of N cases, e of them wrong, is expected to be wrong on ``N U(e, N)`` new ones, U
    being the upper limit of the binomial distribution at confidence `confidence`. A node becomes a leaf, or its
    largest branch takes its place with all its cases (`subtree_raising`), if that is expected to make no more errors,
    to within 0.1.

    All counts are sums of weights: a row of weight 2 is the row written twice, and weights that sum to 1 are one row.

    Prefer `DecisionTreeClassifier` for numbers alone and for many settings, forests and boosting for accuracy, and
    `ID3Classifier` to follow the plain method by hand.

    Attributes
    ----------
    tree_ : TreeNodes
        The tree; `impurity` is the entropy of each node, `value` the weight of each class in it.
    gain_, split_info_ : arrays
        Of each node's test when it was chosen, the gain after its correction; NaN for leaves.
    classes_, n_classes_ : the labels, sorted, and their number
    feature_importances_ : share of each column in all gain, weighted by rows
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    The best cut lies between 3 and 7; C4.5 names it by the largest value below.

    >>> from pellucid.tree import C45Classifier
    >>> model = C45Classifier().fit([[1], [2], [3], [7], [8], [9]], ["low"] * 3 + ["high"] * 3)
    >>> float(model.tree_.threshold[0]), model.predict([[3], [3.5]]).tolist()
    (3.0, ['low', 'high'])

    Three cuts leave two values on either side, so that log2(3) / 6 is taken from the gain of 1 bit.

    >>> round(float(model.gain_[0]), 4), float(model.split_info_[0])
    (0.7358, 1.0)

    Notes
    -----
    Follows C4.5 release 8 as Weka's J48 has it. Unlike it: any two different numbers can be cut apart,
    not only those more than 1e-5 apart; differences below 1e-9 are ties; where only columns with nearly as many
    categories as rows can be split, which do not count for the mean gain otherwise, they are; parts of a case below
    `min_case_weight` are dropped, without which many missing values make trees that no memory holds (0 keeps all).

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning. Quinlan (1996), Improved use of continuous attributes in C4.5,
    JAIR 4, 77-90. Witten, Frank, Hall (2011), Data Mining, ch. 6.1.
    """

    criterion: Literal["gain_ratio", "gain"] = param(default="gain_ratio", doc="By what the column is chosen.")
    cut_criterion: Literal["gain", "gain_ratio"] = param(
        default="gain", doc="By what the threshold of a column of numbers is chosen."
    )
    mean_gain: bool = param(
        default=True, doc="Only columns whose gain is at least the mean of those that can be split; False: all."
    )
    mdl_correction: bool = param(
        default=True, doc="Takes log2(cuts tried) / N from the gain of a column of numbers (release 8)."
    )
    threshold: Literal["value", "midpoint"] = param(
        default="value",
        doc="A threshold is the largest value of the column that is not above the midpoint of the cut, or that.",
    )
    binary_splits: bool = param(
        default=False, doc="Categories by two branches, one category against the others, instead of one each."
    )
    min_samples_leaf: int | float = param(
        default=2, low=0, doc="Weight that at least two branches of a test must have."
    )
    min_cut_share: float = param(
        default=0.1,
        low=0,
        high=1,
        doc="A cut of numbers leaves this share of N / classes on either side too, though not more than 25. 0: no such "
        "rule.",
    )
    min_case_weight: float = param(
        default=1e-3, low=0, high=1, doc="Parts of a case below this share of it are dropped. 0: none."
    )
    pruning: Literal["error", "reduced_error"] | None = param(
        default="error",
        doc="'error': by the errors to expect at `confidence`; 'reduced_error': by the errors on rows that were held "
        "out (`validation_fraction`); None: not at all.",
    )
    confidence: float = param(default=0.25, low=0, high=0.5, low_open=True, doc="For 'error': less prunes more.")
    subtree_raising: bool = param(default=True, doc="For 'error': may the largest branch of a node take its place?")
    collapse: bool = param(
        default=True,
        doc="Does a subtree that makes no fewer errors on the training cases than a leaf become one? (Not for "
        "'reduced_error'.)",
    )
    validation_fraction: float = param(
        default=1 / 3,
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        doc="For 'reduced_error': share of each class that is held out and takes no part in growing.",
    )
    costs: Any = param(
        default=None,
        doc="What asking for a column costs: one number a column, or a dict from names (others cost 1). Columns are "
        "then chosen by `cost_rule`.",
    )
    cost_rule: Literal["quadratic", "exponential"] = param(
        default="quadratic",
        doc="With `costs`: gain^2 / cost (Tan), or (2^gain - 1) / (cost + 1)^cost_weight (Nunez).",
    )
    cost_weight: float = param(default=1.0, low=0, high=1, doc="How much costs count for 'exponential'.")
    laplace: bool = param(
        default=False, doc="Probabilities (w_c + 1) / (w + k) of k classes in a leaf instead of w_c / w."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of what is held out for 'reduced_error'."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        weight, unit = self._weights(d)
        self._warn_of_light_weights(d, weight, unit)
        levels = category_sizes(d, self.categorical_features)
        costs = _costs(d, self.costs, self.cost_rule)
        held_out = NONE
        if self.pruning == "reduced_error":
            self._seed_ = seed_from(self.random_state)
            held_out = self._hold_out(weight, d.y[:, 0])
            weight = weight - held_out
        self._grow(d, levels, weight, unit, self._rules(unit), costs, held_out)

    def _rules(self, unit: float) -> dict[str, Any]:
        return {
            "merit": self.criterion,
            "cut_merit": self.cut_criterion,
            "mean_gain": self.mean_gain,
            "mdl": self.mdl_correction,
            "midpoint": self.threshold == "midpoint",
            "one_against_rest": self.binary_splits,
            "share": True,
            "min_leaf": float(self.min_samples_leaf) / unit,
            "min_cut_share": float(self.min_cut_share),
            "min_case": float(self.min_case_weight),
            "cost_rule": "none" if self.costs is None else self.cost_rule,
            "cost_power": float(self.cost_weight),
            "collapse": self.collapse,
            "pruning": self.pruning or "none",
            "confidence": float(self.confidence),
            "normal": NormalDist().inv_cdf(1 - self.confidence),
            "raise": self.subtree_raising,
        }

    def _warn_of_light_weights(self, d: Design, weight: Floats, unit: float) -> None:
        total, min_total = float(weight.sum()) * unit, 2 * float(self.min_samples_leaf)
        if d.weight is not None and total < min_total <= np.count_nonzero(weight):
            warn(
                format_message(
                    d.who,
                    f"the weights should sum to at least two leaves of min_samples_leaf={self.min_samples_leaf:g}",
                    actual=f"they sum to {total:g}, so that the tree is a single leaf",
                    hint=(
                        "a weight says how often a row is there: multiply them, say by the number of rows over their "
                        "sum"
                    ),
                ),
                PellucidWarning,
            )

    def _hold_out(self, weight: Floats, codes: Floats) -> Floats:
        """Weight of the rows that are held out, zero for the others: the same share of each class, drawn at random."""
        held_out = np.zeros(len(weight))
        uniforms = uniform(self._seed_, 0, len(weight))
        for c in range(len(self.classes_)):
            rows = np.flatnonzero((codes == c) & (weight > 0))
            n_held_out = min(round(self.validation_fraction * len(rows)), len(rows) - 1)
            selected = rows[np.argsort(uniforms[rows], kind="stable")[: max(n_held_out, 0)]]
            held_out[selected] = weight[selected]
        return held_out

    @property
    def _answering(self) -> TreeNodes:
        return replace(self.tree_, value=self.tree_.value + 1) if self.laplace else self.tree_


def _costs(d: Design, costs: Any, rule: str) -> Floats:
    """One cost a column; empty where there are none."""
    if costs is None:
        return NONE
    listed = _by_name(d, costs) if isinstance(costs, Mapping) else costs
    try:
        array = np.asarray(listed, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(d.n_cols, np.nan)
    if array.shape != (d.n_cols,):
        requirement = "costs must have one number a column, or be a dict from names"
        raise ParameterError(
            format_message(d.who, requirement, actual=f"got shape {array.shape} for {count(d.n_cols, 'column')}")
        )
    allowed = array > 0 if rule == "quadratic" else array >= 0
    if not (allowed & np.isfinite(array)).all():
        words = "above zero" if rule == "quadratic" else "of zero or more"
        raise ParameterError(
            format_message(d.who, f"costs must be finite numbers {words}", actual=f"got {short_repr(costs)}")
        )
    return np.ascontiguousarray(array)


def _by_name(d: Design, costs: Mapping[Any, Any]) -> Array:
    labels = d.column_labels()
    unknown = [name for name in costs if str(name) not in labels]
    if unknown:
        actual = f"there is no column {join_some(map(repr, unknown))}"
        raise ParameterError(format_message(d.who, "the names of costs must be columns of X", actual=actual))
    by_name = {str(name): value for name, value in costs.items()}
    values = [by_name.get(label, 1.0) for label in labels]
    return np.array([float(v) if isinstance(v, Real) and not isinstance(v, bool) else np.nan for v in values])
