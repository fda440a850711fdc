"""Boosted trees with our own defaults: the ones to begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.boosting._binned import BinnedTrees, Made
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.boosting._way import FOLDS, best_way, parts_of
from pellucid.data.design import Design

__all__ = ["BoostedTreesClassifier", "BoostedTreesRegressor"]

# How far all rounds go together, rate times rounds, is a (n / 1000)^b of n rows at first guess: more rows bear longer
# steps, and two classes shorter ones. Short fits on parts of the rows then tell whether a table bears more, or less.
# Small tables draw rows and columns, so that trees differ; of more than two classes, which have few rows each, columns
# alone. All chosen by five folds of tables of 700 to 43,000 rows (benchmarks/accuracy_boosting.py).
_WAYS = {"numbers": (10.0, 0.5), "two": (6.0, 0.25), "many": (8.0, 0.5)}
_FEWEST_ROWS, _LONGEST_STEP = 200, 0.2
_SMALL_FOR_ROWS, _SMALL_FOR_COLUMNS = 5000, 8000  # rows up to which shares are least; of more they grow in proportion
_LEAST_CATEGORY_ROWS = 20  # on either side of a split by categories in order; LightGBM asks for 100


class TunedTrees(BinnedTrees):
    """What our own classifier and regressor share: a rate that goes by the rows and by what they tell."""

    learning_rate: float | None = param(  # type: ignore[assignment]
        default=None,
        low=0,
        low_open=True,
        doc="What the answer of each tree is multiplied by. None: by the rows, the rounds and short fits, see the "
        "notes.",
    )
    subsample: float | None = param(  # type: ignore[assignment]
        default=None,
        low=0,
        high=1,
        low_open=True,
        doc="Share of the rows that a round looks at. None: 8/10 of up to 5,000 rows, all of 6,250 and more, and all "
        "of more than two classes.",
    )

    def _kind(self, d: Design) -> str:
        if not d.classes:
            return "numbers"
        return "two" if len(d.classes[0]) <= 2 else "many"

    def _way(self, d: Design) -> float:
        """How far rounds go together, by the rows."""
        a, b = _WAYS[self._kind(d)]
        return float(a * (max(d.n_rows, _FEWEST_ROWS) / 1000) ** b)

    def _rate(self, path_length: float) -> float:
        return min(path_length / self.n_estimators, _LONGEST_STEP)

    def _share_of_rows(self, d: Design) -> float:
        if self.subsample is not None:
            return float(self.subsample)
        return 1.0 if self._kind(d) == "many" else min(0.8 * max(d.n_rows / _SMALL_FOR_ROWS, 1), 1.0)

    def _mechanism(self, d: Design) -> dict[str, Any]:
        fixed_rate = vars(self).get("learning_rate_", self.learning_rate)
        rate = self._rate(self._way(d)) if fixed_rate is None else float(fixed_rate)
        return {"learning_rate": rate, "least_category_rows": _LEAST_CATEGORY_ROWS}

    def _tuned(
        self, plan: dict[str, Any], d: Design, weight: Floats | None, validation_rows: Array | None, make_booster: Made
    ) -> dict[str, Any]:
        stops = validation_rows is not None or (self._has_other and self.early_stopping is not False)
        rate = plan["learning_rate"]
        if self.learning_rate is None and self._earlier:
            rate = self._earlier["learning_rate_"]
        elif self.learning_rate is None and not stops and self._can_try(d, weight):
            folds = parts_of(d.y, weight, bool(d.classes), self._seed_)

            def short(fold: Array, rate: float) -> Any:
                return make_booster(fold, plan | {"learning_rate": rate})

            rate = self._rate(best_way(self._way(d), folds, d.y, weight, self._loss(d), short))
        self.learning_rate_: float = rate
        return plan | {"learning_rate": rate}

    def _can_try(self, d: Design, weight: Floats | None) -> bool:
        """Are there rounds and rows enough for short fits, of both classes too, and does the loss tell its value?"""
        used = d.y if weight is None else d.y[weight > 0]
        enough = len(used) >= _FEWEST_ROWS
        if d.classes:
            rows = np.bincount(used[:, 0].astype(np.intp), minlength=2)
            enough &= len(rows) == 2 and bool(rows.min() >= FOLDS)
        return enough and self._loss(d)["loss"] != "own" and self._way(d) < self.n_estimators * _LONGEST_STEP


class BoostedTreesClassifier(TunedTrees, BoostedClassifier):
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
    are often a little better and take longer; a `learning_rate` of your own spares the short fits (see the notes), and
    rows held out tell how many rounds are enough (`early_stopping`, or `X_val` and `y_val` in `fit`). Prefer a random
    forest where nothing is to be tuned and labels are noisy, a linear model where log odds are sums of columns or
    columns are words, and a single tree where the model has to be read.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    learning_rate_ : what answers were multiplied by
    base_score_ : scores before the first tree: log odds, or of more classes the logarithms of their shares, centered
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    classes_, n_classes_ : the labels, sorted, and their number
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    One engine with `XGBoostClassifier` and `LightGBMClassifier`, of which it has all settings, with defaults of its
    own: 400 rounds with l2 = 3, of two classes each of 8/10 of the rows, a split of 3/10 of the columns; larger tables
    have greater shares, see `subsample` and `max_features`. Either side of a split by categories in order has at least
    20 rows.

    ``learning_rate=None``: how far all rounds go together, rate times rounds, is at first guess
    ``s = 6 (n / 1000)^(1/4)`` for n rows and two classes, ``8 (n / 1000)^(1/2)`` for more, with n at least 200. Of two
    classes five short fits with a rate of 0.15, each without a fifth of the rows, then tell after which way ``s'``, up
    to 2 s, the loss of the rows held out is least, and the rate is ``s^(1 - t) s'^t`` over `n_estimators`,
    ``t = n / (n + 1000)``: tables whose labels are noise bear a shorter way than others. From 5,000 rows on fewer such
    fits will do, from 20,000 one. The rate is at most 0.2; the guess alone counts with early stopping, with fewer than
    200 rows or five of a class, with too few rounds for it, and for a loss of your own. A warm start keeps the rate.

    A column is cut into at most 255 bins, besides one for missing values; one with fewer distinct values is cut as if
    each were tried. In the search for splits g and h are whole numbers, rounded up or down at random, so that sums have
    no bias and their bits are the same on any number of threads; what leaves answer comes from the derivatives
    themselves. The same `random_state` gives the same trees. `monotonic_cst` holds the answer to rise or to fall with a
    column.

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
    >>> told = {"learning_rate": 0.1, "min_samples_leaf": 1, "l2_regularization": 0, "subsample": 1.0}
    >>> model = BoostedTreesClassifier(**told, early_stopping=True, n_iter_no_change=3)
    >>> X_val, y_val = [[1], [2], [3], [3.5]], ["no", "no", "yes", "no"]
    >>> model = model.fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"], X_val=X_val, y_val=y_val)
    >>> model.best_iteration_, len(model.validation_scores_), model.n_estimators_
    (7, 10, 7)
    >>> model.decision_function([[4]]).round(2).tolist()
    [1.14]
    """

    max_features: float | None = param(  # type: ignore[assignment]
        default=None,
        low=0,
        high=1,
        low_open=True,
        doc="Share of the columns among which a split is sought. None: 3/10 of up to 8,000 rows a score, half of them "
        "of 13,334 and more; two classes have one score, more have one each.",
    )

    _defaults = {"n_estimators": 400, "l2_regularization": 3.0}

    def _share_of_columns(self, d: Design) -> float:
        if self.max_features is not None:
            return float(self.max_features)
        scores = len(d.classes[0]) if self._kind(d) == "many" else 1
        return min(0.3 * max(d.n_rows / scores / _SMALL_FOR_COLUMNS, 1), 0.5)


class BoostedTreesRegressor(TunedTrees, BoostedRegressor):
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
    are often a little better and take longer; a `learning_rate` of your own spares the short fits (see the notes), and
    rows held out tell how many rounds are enough (`early_stopping`, or `X_val` and `y_val` in `fit`).
    ``loss="absolute_error"`` or ``"huber"`` where some targets are far off, ``"quantile"`` twice for an interval,
    ``"poisson"`` for counts. The answer is flat outside the rows of the fit: prefer a linear model for trends that go
    on, a random forest where nothing is to be tuned.

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
    own: 1,000 rounds with l2 = 3, each of 8/10 of the rows of a small table (see `subsample`), a split of half of the
    columns, leaves of 10 rows and more. Either side of a split by categories in order has at least 20 rows.

    ``learning_rate=None``: how far all rounds go together, rate times rounds, is at first guess
    ``s = 10 (n / 1000)^(1/2)`` for n rows, with n at least 200. Five short fits with a rate of 0.15, each without a
    fifth of the rows, then tell after which way ``s'``, up to 2 s, the loss of the rows held out is least, and the rate
    is ``s^(1 - t) s'^t`` over `n_estimators`, ``t = n / (n + 1000)``: tables whose targets are noise bear a shorter way
    than others. From 5,000 rows on fewer such fits will do, from 20,000 one. The rate is at most 0.2; the guess alone
    counts with early stopping, with fewer than 200 rows, with too few rounds for it, and for a loss of your own. A warm
    start keeps the rate.

    A column is cut into at most 255 bins, besides one for missing values; one with fewer distinct values is cut as if
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
    >>> told = {"learning_rate": 1.0, "min_samples_leaf": 1, "l2_regularization": 0, "subsample": 1.0}
    >>> model = BoostedTreesRegressor(n_estimators=1, **told)
    >>> X, y = [[1], [2], [3], [4], [float("nan")]], [0, 0, 10, 10, 10]
    >>> model.fit(X, y).predict([[1], [9], [float("nan")]]).round(4).tolist()
    [0.0, 10.0, 10.0]
    >>> model.fit([["red"], ["blue"], ["green"]], [0, 6, 0]).predict([["blue"], ["green"]]).round(4).tolist()
    [6.0, 0.0]
    """

    _defaults = {
        "n_estimators": 1000,
        "min_samples_leaf": 10,
        "max_features": 0.5,
        "l2_regularization": 3.0,
    }
