"""Random forests: many trees on samples of the rows, each split sought among a few columns."""

from __future__ import annotations

from typing import Literal

from pellucid.base.declare import param
from pellucid.ensemble._forest_answers import ForestClassifier, ForestRegressor
from pellucid.models.tree.cart import CutParameters

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]

_SPLITTER = (
    "How a column's cut is found: 'best' tries every one, 'histogram' borders of at most `max_bins` bins (faster on "
    "large tables, as good)."
)


class RandomForestClassifier(ForestClassifier, CutParameters):
    """Classes by the mean of many decision trees, each of which has seen other rows and other columns.

    Tree t = 1..T is grown in full on n rows drawn from the n rows with replacement, and at every node the best cut is
    sought among m columns drawn anew (CART, see `DecisionTreeClassifier`). With the shares ``P_t(k | x)`` of the
    classes in the leaf of tree t that x falls in, the forest answers

        ``P(k | x) = sum_t P_t(k | x) / T``,

    and the class with the largest share wins; of equals the first in the order of `classes_`.

    A full tree has little bias and wavers; the mean of T trees whose answers have the variance v and the correlation r
    has the variance ``v (r + (1 - r) / T)``. The samples make T count, the few columns make r small. A row is left out
    of a tree's sample with probability ``(1 - 1/n)^n``, about 0.37, and the trees that have not seen it judge it as
    they would a new row (`oob_score`). More trees never overfit; they cost time: choose by `oob_curve_`, or let
    ``n_estimators="oob"`` choose. Weights of rows are their chances to be drawn, as in scikit-learn.

    A good first model for tables of mixed columns, which need no scaling, may have missing values and categories.
    Prefer boosting for the last point of accuracy, a linear model where the answer is a sum of columns, and a single
    tree where the model has to be read.

    Attributes
    ----------
    estimators_ : the trees, as `DecisionTreeClassifier`; each is made when it is asked for
    estimators_samples_ : the rows that each tree was grown on
    classes_, n_classes_ : the labels, sorted, and their number; lists for several targets
    feature_importances_, tree_importances_ : shares of the fall of the impurity by column, of all trees and of each
    oob_score_ : accuracy on rows left out
    oob_decision_function_ : probabilities of each row by the trees that have not seen it; NaN where there are none
    oob_curve_ : share of wrong classes among the rows left out, with the first 1, 2, ... trees
    oob_answers_ : how many trees have not seen each row
    oob_scores_ : of each tree on its own rows left out, for oob_score='average'
    max_features_ : columns that a split looks at
    n_outputs_ : number of targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's rules and its defaults; other random numbers, so other trees of the same kind. The trees of
    `estimators_` answer with labels, not with their numbers. Ties between splits, missing values and categories are
    dealt with as in `DecisionTreeClassifier`. A function as `oob_score` is given labels. `oob_score_` counts the rows
    that have an answer. Trees are kept in 16 bytes a node and what their leaves hold.

    References
    ----------
    Breiman: Random forests. Machine Learning 45 (2001).

    Examples
    --------
    Without samples and with every column all trees are the same, and the forest is a single tree.

    >>> from pellucid.ensemble import RandomForestClassifier
    >>> model = RandomForestClassifier(n_estimators=3, bootstrap=False, max_features=None)
    >>> model.fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"]).predict_proba([[2.6]]).tolist()
    [[0.0, 1.0]]
    >>> model.estimators_[2].tree_.threshold[0].item()
    2.5
    """

    splitter: Literal["best", "histogram"] = param(default="best", doc=_SPLITTER)


class RandomForestRegressor(ForestRegressor, CutParameters):
    """Numbers by the mean of many decision trees, each of which has seen other rows and other columns.

    Tree t = 1..T is grown in full on n rows drawn from the n rows with replacement, and at every node the best cut is
    sought among m columns drawn anew (CART, see `DecisionTreeRegressor`). With the mean ``m_t(x)`` of the targets in
    the leaf of tree t that x falls in, the forest answers  ``sum_t m_t(x) / T``.

    The mean of T trees whose answers have the variance v and the correlation r has the variance ``v (r + (1 - r) /
    T)``: the samples make T count, fewer columns (``max_features="third"``) make r smaller. The default looks at all of
    them, as scikit-learn does. Rows left out of a tree's sample judge it (`oob_score`, `oob_prediction_`,
    `oob_curve_`). Weights of rows are their chances to be drawn. With `keep_targets` the rows in the leaves give a
    distribution, not only its mean: `predict_quantiles`, `predict_interval`.

    The answer is an average of targets that were seen: it is continuous enough, but never beyond them, and flat outside
    the rows of the fit. Prefer a linear model for trends that go on, boosting for the last point of accuracy.

    Attributes
    ----------
    estimators_ : the trees, as `DecisionTreeRegressor`; each is made when it is asked for
    estimators_samples_ : the rows that each tree was grown on
    feature_importances_, tree_importances_ : shares of the fall of the impurity by column, of all trees and of each
    oob_score_ : R² on rows left out
    oob_prediction_ : the answer for each row by the trees that have not seen it; NaN where there are none
    oob_curve_ : mean squared error over the rows left out, with the first 1, 2, ... trees
    oob_answers_ : how many trees have not seen each row
    oob_scores_ : of each tree on its own rows left out, for oob_score='average'
    max_features_ : columns that a split looks at
    n_outputs_ : number of targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's rules and its defaults; other random numbers, so other trees of the same kind. See
    `RandomForestClassifier`.

    References
    ----------
    Breiman: Random forests. Machine Learning 45 (2001). Meinshausen: Quantile regression forests. Journal of Machine
    Learning Research 7 (2006).

    Examples
    --------
    One tree on all rows: its leaves hold 1, 2 and 10, 12.

    >>> from pellucid.ensemble import RandomForestRegressor
    >>> model = RandomForestRegressor(n_estimators=1, bootstrap=False, max_depth=1, keep_targets=True)
    >>> model.fit([[1], [2], [3], [4]], [1, 2, 10, 12]).predict([[0], [9]]).tolist()
    [1.5, 11.0]
    >>> model.predict_quantiles([[9]], [0.5, 0.9]).tolist()
    [[10.0, 12.0]]
    """

    splitter: Literal["best", "histogram"] = param(default="best", doc=_SPLITTER)
