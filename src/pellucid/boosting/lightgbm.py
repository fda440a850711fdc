"""Boosted trees as LightGBM grows them."""

from __future__ import annotations

from typing import Any

from pellucid.boosting._binned import BinnedTrees
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.data.design import Design

__all__ = ["LightGBMClassifier", "LightGBMRegressor"]


class LightGBMTrees(BinnedTrees):
    """What LightGBM's classifier and regressor share."""

    def _mechanism(self, d: Design) -> dict[str, Any]:
        classes = len(d.classes[0]) if d.classes else 0
        return {
            "curvature_factor": classes / (classes - 1) if classes > 2 else 1.0,
            "after": int(1 / self.learning_rate) if self.sampling == "goss" else 0,
        }


class LightGBMClassifier(LightGBMTrees, BoostedClassifier):
    """Classes by boosted trees as LightGBM grows them: leaf by leaf, on histograms.

    With y = 1 for the second of two classes and 0 for the first, a row's score f is the logarithm of its odds,
    ``p = 1 / (1 + e^-f)``; of the loss ``log(1 + e^f) - y f`` the derivatives are ``g = p - y`` and ``h = p (1 - p)``.
    For K > 2 classes each has its score and, every round, its tree, with ``p_k = e^f_k / sum_l e^f_l`` and
    ``h_k = K / (K - 1) p_k (1 - p_k)``. All scores start from the shares of the classes.

    A leaf whose rows have the first and second derivatives of the loss ``g_i`` and ``h_i`` at their scores so far, with
    the sums G and H, answers

        ``w = -T(G) / (H + l2)``,   ``T(G) = sign(G) max(|G| - l1, 0)``,

    for which ``G w + H w² / 2 + l2 w² / 2 + l1 |w|`` is least. Its similarity is ``T(G)² / (H + l2)``, and a split
    gains the similarities of its two sides less that of the node. The leaf with the greatest gain is split next, until
    there are `max_leaf_nodes`: the tree is deep where that pays, and shallow elsewhere. A leaf has at least
    `min_samples_leaf` rows and an H of `min_child_weight`. Missing values go to the side where they gain more.
    Categories are split one against the rest where they are at most four, else in the order of G / H.

    ``sampling="goss"`` keeps the share `top_rate` of the rows with the greatest ``|g|`` in each round, and draws the
    share `other_rate` from the others, whose g and h count ``(1 - top_rate) / other_rate`` times; it begins after
    ``1 / learning_rate`` rounds.

    Leaves of 20 rows suit tables of thousands of rows; on a few dozen hardly anything is split: lower
    `min_samples_leaf`, or prefer `GradientBoostingClassifier`. Fewer leaves, or a `max_depth`, where it learns rows by
    heart. Prefer `BoostedTreesClassifier` to begin with.

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
    The mechanism and the defaults of LightGBM in scikit-learn's words; `from_params` takes its own. The trees are
    LightGBM's where no two cuts gain nearly the same; the same `random_state` gives the same trees. LightGBM estimates
    the rows of a side from H; here they are counted. Other random numbers. A column is cut into at most 255 bins,
    besides one for missing values; one with fewer distinct values is cut as if each were tried. In the search for
    splits g and h are whole numbers, rounded up or down at random, so that sums have no bias and their bits are the
    same on any number of threads; what leaves answer comes from the derivatives themselves. Names of columns decide
    which is which, in any order.

    References
    ----------
    Ke and others: LightGBM: a highly efficient gradient boosting decision tree. NIPS (2017).

    Examples
    --------
    One row of four says yes: the start is ln(1/3), p is 1/4, h is 3/16 and g is 1/4, or -3/4 for that row. The first
    split is at 2.5. A third leaf gains nothing on the left, where both rows say no, and 3 + 1/3 - 2/3 on the right: the
    leaves answer -4/3, 4 and -4/3.

    >>> from pellucid.boosting import LightGBMClassifier
    >>> model = LightGBMClassifier(n_estimators=1, learning_rate=1.0, max_leaf_nodes=3, min_samples_leaf=1)
    >>> model = model.fit([[1], [2], [3], [4]], ["no", "no", "yes", "no"])
    >>> (model.decision_function([[1], [2], [3], [4]]) - model.base_score_).round(4).tolist()
    [-1.3333, -1.3333, 4.0, -1.3333]
    >>> LightGBMClassifier.from_params(lightgbm={"num_leaves": 63, "lambda_l2": 1.0})
    LightGBMClassifier(l2_regularization=1.0, max_leaf_nodes=63)
    """


class LightGBMRegressor(LightGBMTrees, BoostedRegressor):
    """Numbers by boosted trees as LightGBM grows them: leaf by leaf, on histograms.

    The score of a row starts at the constant that the loss is least for, for squares the mean, and each tree adds its
    answer times `learning_rate`. For the squared error ``(y - f)² / 2`` the derivatives by the score f are
    ``g = f - y`` and ``h = 1``; for Poisson's ``e^f - y f`` they are ``e^f - y`` and ``e^(f + 0.7)``, where 0.7 keeps
    the steps short.

    A leaf whose rows have the first and second derivatives of the loss ``g_i`` and ``h_i`` at their scores so far, with
    the sums G and H, answers

        ``w = -T(G) / (H + l2)``,   ``T(G) = sign(G) max(|G| - l1, 0)``,

    for which ``G w + H w² / 2 + l2 w² / 2 + l1 |w|`` is least. Its similarity is ``T(G)² / (H + l2)``, and a split
    gains the similarities of its two sides less that of the node. The leaf with the greatest gain is split next, until
    there are `max_leaf_nodes`: the tree is deep where that pays, and shallow elsewhere. A leaf has at least
    `min_samples_leaf` rows and an H of `min_child_weight`. Missing values go to the side where they gain more.
    Categories are split one against the rest where they are at most four, else in the order of G / H.

    ``sampling="goss"`` keeps the share `top_rate` of the rows with the greatest ``|g|`` in each round, and draws the
    share `other_rate` from the others, whose g and h count ``(1 - top_rate) / other_rate`` times; it begins after
    ``1 / learning_rate`` rounds.

    Leaves of 20 rows suit tables of thousands of rows; on a few dozen hardly anything is split: lower
    `min_samples_leaf`, or prefer `GradientBoostingRegressor`. The answer is flat outside the rows of the fit: prefer a
    linear model for trends that go on. Prefer `BoostedTreesRegressor` to begin with.

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
    The mechanism and the defaults of LightGBM in scikit-learn's words; `from_params` takes its own. The trees are
    LightGBM's where no two cuts gain nearly the same; the same `random_state` gives the same trees. LightGBM estimates
    the rows of a side from H; here they are counted. Other random numbers. A column is cut into at most 255 bins,
    besides one for missing values; one with fewer distinct values is cut as if each were tried. In the search for
    splits g and h are whole numbers, rounded up or down at random, so that sums have no bias and their bits are the
    same on any number of threads; what leaves answer comes from the derivatives themselves. Names of columns decide
    which is which, in any order. Absolute, quantile and Huber's loss have h = 1 in the search, and their leaves answer
    as in `GradientBoostingRegressor`; LightGBM's Huber has a fixed width.

    References
    ----------
    Ke and others: LightGBM: a highly efficient gradient boosting decision tree. NIPS (2017).

    Examples
    --------
    The first split is at 2.5. A third leaf would gain 1/2 on the left, where the targets are 1 and 2, and 2 on the
    right, where they are 10 and 12: the right side is split.

    >>> from pellucid.boosting import LightGBMRegressor
    >>> model = LightGBMRegressor(n_estimators=1, learning_rate=1.0, max_leaf_nodes=3, min_samples_leaf=1)
    >>> model.fit([[1], [2], [3], [4]], [1, 2, 10, 12]).predict([[1], [2], [3], [4]]).tolist()
    [1.5, 1.5, 10.0, 12.0]
    """
