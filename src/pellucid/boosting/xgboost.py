"""Boosted trees as XGBoost grows them."""

from __future__ import annotations

from typing import Any

from pellucid.boosting._binned import BinnedTrees
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.data.design import Design

__all__ = ["XGBoostClassifier", "XGBoostRegressor"]


class XGBoostTrees(BinnedTrees):
    """What XGBoost's classifier and regressor share."""

    _defaults = {
        "learning_rate": 0.3,
        "growth": "depth",
        "max_leaf_nodes": None,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 1.0,
        "l2_regularization": 1.0,
        "sampling": "bernoulli",
    }

    def _mechanism(self, d: Design) -> dict[str, Any]:
        return {"prune": True, "curvature_factor": 2.0, "least_curvature": 1e-16}


class XGBoostClassifier(XGBoostTrees, BoostedClassifier):
    """Classes by boosted trees as XGBoost grows them: level by level, with a penalty on the leaves.

    With y = 1 for the second of two classes and 0 for the first, a row's score f is the logarithm of its odds,
    ``p = 1 / (1 + e^-f)``; of the loss ``log(1 + e^f) - y f`` the derivatives are ``g = p - y`` and ``h = p (1 - p)``.
    For more classes each has its score and, every round, its tree, with ``p_k = e^f_k / sum_l e^f_l`` and
    ``h_k = 2 p_k (1 - p_k)``. All scores start from the shares of the classes.

    A leaf whose rows have the first and second derivatives of the loss ``g_i`` and ``h_i`` at their scores so far, with
    the sums G and H, answers

        ``w = -T(G) / (H + l2)``,   ``T(G) = sign(G) max(|G| - l1, 0)``,

    for which ``G w + H w² / 2 + l2 w² / 2 + l1 |w|`` is least. Its similarity is ``T(G)² / (H + l2)``, and a split
    gains the similarities of its two sides less that of the node. Trees grow level by level down to `max_depth`; then
    splits between two leaves that gain less than `min_split_gain` (gamma) are taken back, from below. No leaf has an H
    below `min_child_weight`. Missing values go to the side where they gain more.

    The penalty makes it slow to trust small leaves, and large steps (0.3) with deep trees make it quick: a good choice
    where XGBoost's own settings are known and wanted. Prefer `BoostedTreesClassifier` to begin with, a linear model
    where log odds are sums of columns, and a single tree where the model has to be read.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    base_score_ : scores before the first tree: log odds, or of more classes the logarithms of their shares, centered
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    classes_, n_classes_ : the labels, sorted, and their number
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    The mechanism and the defaults of XGBoost in scikit-learn's words; `from_params` takes its own. The trees are
    XGBoost's where no two cuts gain nearly the same; there its first one wins, here the rounding decides, and the same
    `random_state` gives the same trees. Thresholds lie midway between two values of the node's rows, not at one of
    them. Other random numbers. A column is cut into at most 255 bins, besides one for missing values; one with fewer
    distinct values is cut as if each were tried. In the search for splits g and h are whole numbers, rounded up or down
    at random, so that sums have no bias and their bits are the same on any number of threads; what leaves answer comes
    from the derivatives themselves. XGBoost's `scale_pos_weight` is a `class_weight` here.

    References
    ----------
    Chen, Guestrin: XGBoost: a scalable tree boosting system. KDD (2016).

    Examples
    --------
    All scores start at 0: p is 1/2, g is 1/2 or -1/2, h is 1/4. On each side of 2.5 H is 1/2, less than the least
    `min_child_weight` of 1, so that nothing is split. Without that limit a leaf answers 1 / (1/2 + 1) = 2/3, of which
    the learning rate takes 0.3.

    >>> from pellucid.boosting import XGBoostClassifier
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "yes", "yes"]
    >>> XGBoostClassifier(n_estimators=1).fit(X, y).decision_function([[1], [4]]).tolist()
    [0.0, 0.0]
    >>> model = XGBoostClassifier(n_estimators=1, min_child_weight=0).fit(X, y)
    >>> model.decision_function([[1], [4]]).round(4).tolist()
    [-0.2, 0.2]
    """


class XGBoostRegressor(XGBoostTrees, BoostedRegressor):
    """Numbers by boosted trees as XGBoost grows them: level by level, with a penalty on the leaves.

    The score of a row starts at the constant that the loss is least for, for squares the mean, and each tree adds its
    answer times `learning_rate`. For the squared error ``(y - f)² / 2`` the derivatives by the score f are
    ``g = f - y`` and ``h = 1``; for Poisson's ``e^f - y f`` they are ``e^f - y`` and ``e^(f + 0.7)``, where 0.7 keeps
    the steps short.

    A leaf whose rows have the first and second derivatives of the loss ``g_i`` and ``h_i`` at their scores so far, with
    the sums G and H, answers

        ``w = -T(G) / (H + l2)``,   ``T(G) = sign(G) max(|G| - l1, 0)``,

    for which ``G w + H w² / 2 + l2 w² / 2 + l1 |w|`` is least. Its similarity is ``T(G)² / (H + l2)``, and a split
    gains the similarities of its two sides less that of the node. Trees grow level by level down to `max_depth`; then
    splits between two leaves that gain less than `min_split_gain` (gamma) are taken back, from below. No leaf has an H
    below `min_child_weight`. Missing values go to the side where they gain more.

    The penalty makes it slow to trust small leaves, and large steps (0.3) with deep trees make it quick: a good choice
    where XGBoost's own settings are known and wanted. Prefer `BoostedTreesRegressor` to begin with, and a linear model
    for trends that go on beyond the rows of the fit.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    base_score_ : the score of every row before the first tree, in a list of one
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    The mechanism and the defaults of XGBoost in scikit-learn's words; `from_params` takes its own. The trees are
    XGBoost's where no two cuts gain nearly the same; there its first one wins, here the rounding decides, and the same
    `random_state` gives the same trees. Thresholds lie midway between two values of the node's rows, not at one of
    them. Other random numbers. A column is cut into at most 255 bins, besides one for missing values; one with fewer
    distinct values is cut as if each were tried. In the search for splits g and h are whole numbers, rounded up or down
    at random, so that sums have no bias and their bits are the same on any number of threads; what leaves answer comes
    from the derivatives themselves. `max_delta_step` bounds the answer before the learning rate. Absolute, quantile and
    Huber's loss, which have no useful second derivative, have h = 1 in the search, and their leaves answer as in
    `GradientBoostingRegressor`; XGBoost's Huber is a smooth one.

    References
    ----------
    Chen, Guestrin: XGBoost: a scalable tree boosting system. KDD (2016).

    Examples
    --------
    The start is the mean, 6.25. On the left of 2.5 the residuals are -5.25 and -4.25: its similarity is 9.5² / (2 + 1),
    30.08, and so is that of the right side, while the root's is 0. The split gains 60.17, and the left leaf answers
    -9.5 / 3. It is taken back where more must be gained.

    >>> from pellucid.boosting import XGBoostRegressor
    >>> X, y = [[1], [2], [3], [4]], [1, 2, 10, 12]
    >>> model = XGBoostRegressor(n_estimators=1, max_depth=1, learning_rate=1.0).fit(X, y)
    >>> model.predict([[1], [4]]).round(4).tolist()
    [3.0833, 9.4167]
    >>> model.set_params(min_split_gain=60).fit(X, y).predict([[1], [4]]).round(4).tolist()
    [3.0833, 9.4167]
    >>> model.set_params(min_split_gain=61).fit(X, y).predict([[1], [4]]).tolist()
    [6.25, 6.25]
    """
