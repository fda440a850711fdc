"""CART: trees of yes-or-no questions for classes and for numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.models.tree.class_weight import class_weights
from pellucid.models.tree.counts import check_counts
from pellucid.models.tree.labels import SeveralLabels, check_directions
from pellucid.tree._cart import CartTree

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]


class DecisionTreeClassifier(SeveralLabels, CartTree, Classifier):
    """Classes by a tree of yes-or-no questions, each about one column (CART).

    A node t with the weights ``w_k`` of the classes, ``w_t = sum_k w_k`` and ``p_k = w_k / w_t``, has the impurity

        Gini  ``i(t) = 1 - sum_k p_k²``    or    entropy  ``i(t) = -sum_k p_k log2 p_k``

    and is split in two, L and R, where the impurity falls most:  ``i(t) - (w_L i(L) + w_R i(R)) / w_t``.

    Every cut between two values of every number column is tried, and every way to part the categories of a column; the
    two sides are split again in the same way, until a node has one class or a limit holds. A row is asked from the root
    down, and the leaf answers with the shares of its classes. Of equally good splits the first column wins, and in it
    the lowest cut. A split that gains nothing is made too: what follows may (two columns whose product decides). Rows
    with a missing value take the side that was better for them, or where `fit` met none, the larger side; a category
    that `fit` did not see counts as missing. The columns are ranked once, and the rows divided from level to level: the
    cost is that of sorting, n log n.

    The tree fits noise unless it is held back, by `max_depth`, `min_samples_leaf` or, best, `ccp_alpha`: a search over
    any of `ccp_alpha`, `max_depth`, `min_samples_split`, `max_leaf_nodes` costs one tree for all values. A single tree
    is easy to read and unsteady: other rows, another tree. Forests and boosting answer better; prefer a linear model
    where the classes are parted by sums of columns, `C45Classifier` or `CHAIDClassifier` for splits in more than two.

    Attributes
    ----------
    tree_ : TreeNodes
        The nodes: tests, rows, weights, impurities and classes of each; `show_predict` walks through them.
    classes_ : the labels, sorted; a list of arrays for several targets
    n_classes_ : their number, or numbers
    feature_importances_ : how much of the fall of the impurity is due to each column
    max_features_ : columns that a split looks at
    n_outputs_ : number of targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's numbers, where no two splits are equally good. It draws among those; here the first wins, and a seed
    changes nothing unless something is drawn. Values are compared in double precision, not in single; categories are
    split as they are, not as numbers. ``class_weight="balanced"`` counts rows by their `sample_weight`. `tree_.value`
    holds the weights of the classes, of which scikit-learn keeps the shares.

    ``weighting="none"`` is the rule of a few texts: the two impurities are added as they are,  ``i(L) + i(R)``, however
    small a side is. ``threshold="value"`` is theirs too.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees. Wadsworth (1984).

    Examples
    --------
    Four rows, Gini 1/2. The cut at 2.5 leaves 0 and 0; a new row goes to the right.

    >>> from pellucid.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"])
    >>> model.tree_.impurity.tolist(), model.tree_.threshold[0].item()
    ([0.5, 0.0, 0.0], 2.5)
    >>> model.predict([[2.6]]).tolist()
    ['yes']
    """

    criterion: Literal["gini", "entropy", "log_loss"] = param(
        default="gini", doc="How mixed a node is: its Gini index, or its entropy in bits ('log_loss' is the same)."
    )
    weighting: Literal["size", "none"] = param(
        default="size", doc="Do the two sides of a split count by their size, or each the same?"
    )
    class_weight: dict[Any, Any] | list[Any] | Literal["balanced"] | None = param(
        default=None,
        doc="Weight of each class: a dict from labels, or 'balanced' for n / (k n_class); for several targets a list "
        "of such, whose product counts.",
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _told(self) -> tuple[str, str]:
        return self.criterion, self.weighting

    def _rows(self, d: Design) -> tuple[Floats | None, Array]:
        sizes = np.array([len(labels) for labels in d.classes], dtype=np.int32)
        check_directions(d.who, self.monotonic_cst, sizes)
        return class_weights(d.who, self.class_weight, d.y, d.classes, d.weight), sizes

    def _keep(self, d: Design, grown: Any) -> Array:
        node_ids = super()._keep(d, grown)
        sizes = [len(labels) for labels in self._labels]
        self.n_classes_: Any = np.array(sizes, dtype=np.intp) if isinstance(self.classes_, list) else sizes[0]
        return node_ids

    def _shares(self) -> list[Floats]:
        """Shares of the classes in each node, for each target."""
        ends = np.cumsum([len(labels) for labels in self._labels])[:-1]
        values = np.split(self.tree_.value, ends, axis=1)
        return [target_value / target_value.sum(axis=1, keepdims=True) for target_value in values]

    def _predict_codes_at(self, leaves: Array) -> Array:
        best = [shares.argmax(axis=1)[leaves] for shares in self._shares()]
        return np.column_stack(best) if isinstance(self.classes_, list) else best[0]

    def _predict_at(self, leaves: Array) -> Array:
        codes = self._predict_codes_at(leaves)
        if isinstance(self.classes_, list):
            return np.column_stack([labels[codes[:, j]] for j, labels in enumerate(self.classes_)])
        return np.asarray(self.classes_[codes])

    def _predict_proba_at(self, leaves: Array) -> Any:
        shares = [target_shares[leaves] for target_shares in self._shares()]
        return shares if isinstance(self.classes_, list) else shares[0]

    def _predict_codes(self, d: Design) -> Array:
        return self._predict_codes_at(self._leaves(d))

    def _predict_proba(self, d: Design) -> Any:
        return self._predict_proba_at(self._leaves(d))


class DecisionTreeRegressor(CartTree, Regressor):
    """Numbers by a tree of yes-or-no questions, each about one column (CART).

    A node t with the rows' weights ``w_i`` and targets ``y_i``, ``w_t = sum w_i``, has the impurity

        squared error  ``i(t) = sum w_i (y_i - m)² / w_t``  with the mean m,
        absolute error  ``i(t) = sum w_i |y_i - m| / w_t``  with the median m,
        Poisson  ``i(t) = sum w_i y_i log(y_i / m) / w_t``  with the mean m,

    averaged over several targets, and is split in two, L and R, where it falls most:
    ``i(t) - (w_L i(L) + w_R i(R)) / w_t``. Friedman's rule takes the squared error with the score
    ``w_L w_R / w_t² (m_L - m_R)²``, which for one target is the same fall.

    Every cut between two values of every number column is tried, and the categories of a column are ordered by their
    mean target and cut like numbers, which finds the best of all subsets; the two sides are split again in the same way
    until a limit holds, and a leaf answers with its m. Ties, missing values and categories are dealt with as in
    `DecisionTreeClassifier`.

    The answer is a staircase: it cannot go beyond the targets seen, and follows a slope in steps. Prefer a linear model
    for slopes, forests and boosting for accuracy, and hold a single tree back by `ccp_alpha`, `min_samples_leaf` or
    `max_depth`.

    Attributes
    ----------
    tree_ : TreeNodes
        The nodes: tests, rows, weights, impurities and answers of each; `show_predict` walks through them.
    feature_importances_ : how much of the fall of the impurity is due to each column
    max_features_ : columns that a split looks at
    n_outputs_ : number of targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's numbers, where no two splits are equally good; see `DecisionTreeClassifier`. Its 'friedman_mse' of
    earlier versions is kept.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees. Wadsworth (1984).

    Examples
    --------
    Around their mean 4 the targets 1, 3, 8 have the squares 9, 1, 16. Cut at 2.5 they have 1 + 1 and 0.

    >>> from pellucid.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3]], [1, 3, 8])
    >>> model.tree_.threshold[0].item(), (3 * model.tree_.impurity[0]).round(9).item()
    (2.5, 26.0)
    >>> model.predict([[0], [9]]).tolist()
    [2.0, 8.0]
    """

    criterion: Literal["squared_error", "friedman_mse", "absolute_error", "poisson"] = param(
        default="squared_error", doc="How far the targets of a node are from its answer."
    )

    def _told(self) -> tuple[str, str]:
        return self.criterion, "size"

    def _rows(self, d: Design) -> tuple[Floats | None, Array]:
        if self.monotonic_cst is not None and d.y.shape[1] > 1:
            requirement = "monotonic_cst must be None unless there is one target"
            actual = "Monotonicity constraints are not supported with multiple outputs"
            raise ParameterError(format_message(d.who, requirement, actual=actual))
        if self.criterion == "poisson":
            check_counts(d)
        return d.weight, np.empty(0, dtype=np.int32)

    def _predict_at(self, leaves: Array) -> Array:
        return np.asarray(self.tree_.value[:, 0][leaves] if self.n_outputs_ == 1 else self.tree_.value[leaves])

    def _predict(self, d: Design) -> Array:
        return self._predict_at(self._leaves(d))
