"""Extremely randomized trees: cuts are drawn at random, and the best of a few columns is taken."""

from __future__ import annotations

from typing import ClassVar

from pellucid.base.declare import param
from pellucid.ensemble._forest_answers import ForestClassifier, ForestRegressor

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]

_BOOTSTRAP = "Is every tree grown on a sample of the rows of its own? Else on all of them."


class ExtraTreesClassifier(ForestClassifier):
    """Classes by the mean of many trees whose cuts are drawn at random (extremely randomized trees).

    At every node m columns are drawn, and for each of them one cut, uniformly between the least and the greatest value
    in the node; the cut after which the impurity is lowest is made. Every tree sees all rows, unless `bootstrap` asks
    for samples. With the shares ``P_t(k | x)`` of the classes in the leaf of tree t that x falls in, the forest answers

        ``P(k | x) = sum_t P_t(k | x) / T``,

    and the class with the largest share wins; of equals the first in the order of `classes_`.

    Chance in the cuts makes the trees less alike than those of a random forest, each of them worse: the mean has less
    variance and more bias. No column is sorted, which saves time; the trees are larger. Of the categories of a column a
    random subset goes left; missing values go to a random side.

    Prefer `RandomForestClassifier` where many columns say nothing: a random cut of one of them is wasted.

    Attributes
    ----------
    estimators_ : the trees, as `DecisionTreeClassifier`; each is made when it is asked for
    estimators_samples_ : the rows that each tree was grown on
    classes_, n_classes_ : the labels, sorted, and their number; lists for several targets
    feature_importances_, tree_importances_ : shares of the fall of the impurity by column, of all trees and of each
    oob_score_, oob_decision_function_, oob_curve_, oob_answers_, oob_scores_ : see `RandomForestClassifier`
    max_features_ : columns that a split looks at
    n_outputs_ : number of targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's rules and its defaults; other random numbers, so other trees of the same kind.

    References
    ----------
    Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 63 (2006).

    Examples
    --------
    Wherever between 1 and 9 the only column is cut, the two rows are parted; which side 5 is on, each tree draws.

    >>> from pellucid.ensemble import ExtraTreesClassifier
    >>> model = ExtraTreesClassifier(n_estimators=50, random_state=0).fit([[1], [9]], ["low", "high"])
    >>> model.predict([[1], [9]]).tolist()
    ['low', 'high']
    >>> bool(0.2 < model.predict_proba([[5]])[0, 0] < 0.8)
    True
    """

    bootstrap: bool = param(default=False, doc=_BOOTSTRAP)

    splitter: ClassVar[str] = "random"
    threshold: ClassVar[str] = "midpoint"
    max_bins: ClassVar[int] = 255


class ExtraTreesRegressor(ForestRegressor):
    """Numbers by the mean of many trees whose cuts are drawn at random (extremely randomized trees).

    At every node m columns are drawn, and for each of them one cut, uniformly between the least and the greatest value
    in the node; the cut after which the impurity is lowest is made. Every tree sees all rows, unless `bootstrap` asks
    for samples. With the mean ``m_t(x)`` of the targets in the leaf of tree t that x falls in, the forest answers
    ``sum_t m_t(x) / T``, which is smoother than the staircase of trees with the best cuts.

    See `ExtraTreesClassifier` for how it compares with `RandomForestRegressor`.

    Attributes
    ----------
    estimators_ : the trees, as `DecisionTreeRegressor`; each is made when it is asked for
    estimators_samples_ : the rows that each tree was grown on
    feature_importances_, tree_importances_ : shares of the fall of the impurity by column, of all trees and of each
    oob_score_, oob_prediction_, oob_curve_, oob_answers_, oob_scores_ : see `RandomForestRegressor`
    max_features_ : columns that a split looks at
    n_outputs_ : number of targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's rules and its defaults; other random numbers, so other trees of the same kind.

    References
    ----------
    Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 63 (2006).

    Examples
    --------
    The two rows are parted wherever the cut falls; between them the mean goes from the one target to the other.

    >>> from pellucid.ensemble import ExtraTreesRegressor
    >>> model = ExtraTreesRegressor(n_estimators=50, random_state=0).fit([[0], [1]], [0, 10])
    >>> model.predict([[0], [1]]).tolist()
    [0.0, 10.0]
    >>> bool(0 < model.predict([[0.2]])[0] < model.predict([[0.8]])[0] < 10)
    True
    """

    bootstrap: bool = param(default=False, doc=_BOOTSTRAP)

    splitter: ClassVar[str] = "random"
    threshold: ClassVar[str] = "midpoint"
    max_bins: ClassVar[int] = 255
