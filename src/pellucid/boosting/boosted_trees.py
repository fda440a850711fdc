"""Boosted trees with our own defaults: the ones to begin with."""

from __future__ import annotations

from typing import Any

from pellucid.base.declare import param
from pellucid.boosting._binned import BinnedTrees
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.data.design import Design

__all__ = ["BoostedTreesClassifier", "BoostedTreesRegressor"]

# How far all rounds go together, rate times rounds, is a (n / 1000)^b of n rows: more rows bear longer steps, and two
# classes shorter ones. Chosen by five folds of tables of 700 to 43,000 rows (benchmarks/accuracy_boosting.py).
_WAYS = {"numbers": (10.0, 0.5), "two": (6.0, 0.25), "many": (8.0, 0.5)}
_FEWEST_ROWS, _LONGEST_STEP = 200, 0.2


class OwnTrees(BinnedTrees):
    """What our own classifier and regressor share: a rate that goes by the rows."""

    learning_rate: float | None = param(  # type: ignore[assignment]
        default=None,
        low=0,
        low_open=True,
        doc="What the answer of each tree is multiplied by. None: by the rows and the rounds, see the notes.",
    )

    def _rate(self, d: Design) -> float:
        if self.learning_rate is not None:
            return float(self.learning_rate)
        kind = "numbers" if not d.classes else "two" if len(d.classes[0]) <= 2 else "many"
        a, b = _WAYS[kind]
        way: float = a * (max(d.n_rows, _FEWEST_ROWS) / 1000) ** b
        return min(way / self.n_estimators, _LONGEST_STEP)

    def _mechanism(self, d: Design) -> dict[str, Any]:
        self.learning_rate_: float = self._rate(d)
        return {"learning_rate": self.learning_rate_}


class BoostedTreesClassifier(OwnTrees, BoostedClassifier):
    """Classes by boosted trees with our own defaults: the model of tables to begin with.

    Trees are added one after the other, each to lower what the loss still is. With y = 1 for the second of two classes
    and 0 for the first, a row's score f is the logarithm of its odds, ``p = 1 / (1 + e^-f)``; of the loss
    ``log(1 + e^f) - y f`` the derivatives are ``g = p - y`` and ``h = p (1 - p)``. For more classes each has its score
    and, every round, its tree. All scores start from the shares of the classes, and a tree adds its answer times
    `learning_rate`.

    A leaf whose rows have the first and second derivatives of the loss ``g_i`` and ``h_i`` at their scores so far, with
    the sums G and H, answers

        ``w = -T(G) / (H + l2)``,   ``T(G) = sign(G) max(|G| - l1, 0)``,

    for which ``G w + H w² / 2 + l2 w² / 2 + l1 |w|`` is least. Its similarity is ``T(G)² / (H + l2)``, and a split
    gains the similarities of its two sides less that of the node. `growth` says which node is split next. Missing
    values go to the side where they gain more; categories are split one against the rest where they are few, else in
    the order of G / H, and need no encoding. Nor do columns need scaling: only their order counts.

    Often the most accurate model of tables of mixed columns. Twice the rounds, for which the rate is halved by itself,
    are often a little better and take twice as long; rows held out tell how many are enough (`early_stopping`, or
    `X_val` and `y_val` in `fit`). Prefer a random forest where nothing is to be tuned and labels are noisy, a linear
    model where log odds are sums of columns or columns are words, and a single tree where the model has to be read.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    learning_rate_ : what answers were multiplied by
    base_score_ : scores before the first tree: log odds, or of more classes the logarithms of their shares, centred
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    classes_, n_classes_ : the labels, sorted, and their number
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    One engine with `XGBoostClassifier` and `LightGBMClassifier`, of which it has all settings, with defaults of its
    own: 400 rounds, of 3/10 of the columns a split, with l2 = 3; ``learning_rate=None`` is ``6 (n / 1000)^(1/4)`` over
    `n_estimators` for n rows and two classes, ``8 (n / 1000)^(1/2)`` over it for more, with n at least 200 and the rate
    at most 0.2. A column is cut into at most 255 bins, besides one for missing values; one with fewer distinct values
    is cut as if each were tried. In the search for splits g and h are whole numbers, rounded up or down at random, so
    that sums have no bias and their bits are the same on any number of threads; what leaves answer comes from the
    derivatives themselves. The same `random_state` gives the same trees. `monotonic_cst` holds the answer to rise or to
    fall with a column.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29 (2001). Chen,
    Guestrin: XGBoost: a scalable tree boosting system. KDD (2016). Ke and others: LightGBM: a highly efficient gradient
    boosting decision tree. NIPS (2017).

    Examples
    --------
    The score f of the right side grows round by round: 0.2, 0.38, 0.55, 0.71, 0.86, 1.00, 1.14, 1.27, ... Of the rows
    held out three are as learned and one, at 3.5, is not: their loss is least at f = ln 3 = 1.10, and of the rounds the
    7th comes nearest to it.

    >>> from pellucid.boosting import BoostedTreesClassifier
    >>> told = {"learning_rate": 0.1, "min_samples_leaf": 1, "l2_regularization": 0}
    >>> model = BoostedTreesClassifier(**told, early_stopping=True, n_iter_no_change=3)
    >>> X_val, y_val = [[1], [2], [3], [3.5]], ["no", "no", "yes", "no"]
    >>> model = model.fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"], X_val=X_val, y_val=y_val)
    >>> model.best_iteration_, len(model.validation_scores_), model.n_estimators_
    (7, 10, 7)
    >>> model.decision_function([[4]]).round(2).tolist()
    [1.14]
    """

    _defaults = {"n_estimators": 400, "max_features": 0.3, "l2_regularization": 3.0}


class BoostedTreesRegressor(OwnTrees, BoostedRegressor):
    """Numbers by boosted trees with our own defaults: the model of tables to begin with.

    Trees are added one after the other, each to lower what the loss still is. The score of a row starts at the constant
    that the loss is least for, for squares the mean, and a tree adds its answer times `learning_rate`. For the squared
    error ``(y - f)² / 2`` the derivatives by the score f are ``g = f - y`` and ``h = 1``: a leaf answers the mean of
    its residuals.

    A leaf whose rows have the first and second derivatives of the loss ``g_i`` and ``h_i`` at their scores so far, with
    the sums G and H, answers

        ``w = -T(G) / (H + l2)``,   ``T(G) = sign(G) max(|G| - l1, 0)``,

    for which ``G w + H w² / 2 + l2 w² / 2 + l1 |w|`` is least. Its similarity is ``T(G)² / (H + l2)``, and a split
    gains the similarities of its two sides less that of the node. `growth` says which node is split next. Missing
    values go to the side where they gain more; categories are split one against the rest where they are few, else in
    the order of G / H, and need no encoding. Nor do columns need scaling: only their order counts.

    Often the most accurate model of tables of mixed columns. Twice the rounds, for which the rate is halved by itself,
    are often a little better and take twice as long; rows held out tell how many are enough (`early_stopping`, or
    `X_val` and `y_val` in `fit`). ``loss="absolute_error"`` or ``"huber"`` where some targets are far off,
    ``"quantile"`` twice for an interval, ``"poisson"`` for counts. The answer is flat outside the rows of the fit:
    prefer a linear model for trends that go on, a random forest where nothing is to be tuned.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    learning_rate_ : what answers were multiplied by
    base_score_ : the score of every row before the first tree, in a list of one
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    One engine with `XGBoostRegressor` and `LightGBMRegressor`, of which it has all settings, with defaults of its
    own: 1,000 rounds, of half of the columns a split, leaves of 10 rows and more, with l2 = 3; ``learning_rate=None``
    is ``10 (n / 1000)^(1/2)`` over `n_estimators` for n rows, with n at least 200 and the rate at most 0.2. A column is
    cut into at most 255 bins, besides one for missing values; one with fewer distinct values is cut as if
    each were tried. In the search for splits g and h are whole numbers, rounded up or down at random, so that sums have
    no bias and their bits are the same on any number of threads; what leaves answer comes from the derivatives
    themselves. The same `random_state` gives the same trees. `monotonic_cst` holds the answer to rise or to fall with a
    column. Absolute, quantile and Huber's loss have h = 1 in the search, and their leaves answer as in
    `GradientBoostingRegressor`.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29 (2001). Chen,
    Guestrin: XGBoost: a scalable tree boosting system. KDD (2016). Ke and others: LightGBM: a highly efficient gradient
    boosting decision tree. NIPS (2017).

    Examples
    --------
    A missing value is tried on both sides, and goes where its target fits. Categories need no numbers.

    >>> from pellucid.boosting import BoostedTreesRegressor
    >>> model = BoostedTreesRegressor(n_estimators=1, learning_rate=1.0, min_samples_leaf=1, l2_regularization=0)
    >>> X, y = [[1], [2], [3], [4], [float("nan")]], [0, 0, 10, 10, 10]
    >>> model.fit(X, y).predict([[1], [9], [float("nan")]]).round(4).tolist()
    [0.0, 10.0, 10.0]
    >>> model.fit([["red"], ["blue"], ["green"]], [0, 6, 0]).predict([["blue"], ["green"]]).round(4).tolist()
    [6.0, 0.0]
    """

    _defaults = {"n_estimators": 1000, "min_samples_leaf": 10, "max_features": 0.5, "l2_regularization": 3.0}
