"""Gradient boosting as the textbook has it: every cut is tried, every step is plain."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.boosting._model import BoostedModel
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.data.design import Design
from pellucid.models.tree.cart import CutParameters, Grower, GrowthParameters

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]


class ExactTrees(BoostedModel, GrowthParameters, CutParameters):
    """Trees of CART on the residuals."""

    _defaults = {"max_depth": 3}

    criterion: Literal["friedman_mse", "squared_error"] = param(
        default="friedman_mse", doc="How a cut of the residuals is judged; both choose the same cuts."
    )
    subsample: float = param(default=1.0, low=0, high=1, low_open=True, doc="Share of the rows that a round looks at.")
    max_features: int | float | Literal["sqrt", "log2"] | None = param(
        default=None, doc="Columns among which each split is sought: a number, a share, 'sqrt', 'log2'; None: all."
    )

    splitter = "best"
    surrogates = 0

    def _booster(
        self, d: Design, sizes: Array, weight: Floats | None, validation_rows: Array | None, start: Any
    ) -> Any:
        if self.monotonic_cst is not None and self._loss(d)["loss"] != "squared_error":
            requirement = (
                "monotonic_cst is for loss='squared_error' here: other losses change what the leaves of a tree answer"
            )
            hint = f"use BoostedTrees{'Classifier' if d.classes else 'Regressor'}"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got loss={self._loss(d)['loss']!r}", hint=hint)
            )
        total = float(d.n_rows if weight is None else weight.sum())
        grower = Grower.of(d, self, self.criterion, "size", total, self._threads)
        plan = self._loss(d) | {
            "learning_rate": float(self.learning_rate),
            "share": float(self.subsample),
            "most_poisson_step": 0.0,
            "seed": self._seed_,
            "threads": self._threads,
        }
        y = np.ascontiguousarray(d.y[:, 0])
        return _core.ExactBooster(
            grower.columns, d.matrix, y, weight, validation_rows, grower.monotone, start, grower.settings, plan
        )


class GradientBoostingClassifier(ExactTrees, BoostedClassifier):
    """Classes by a sum of small trees, each grown on what those before it got wrong, as the textbook has it.

    With y = 1 for the second of two classes and 0 for the first, a row's score f is the logarithm of its odds, and
    ``p = 1 / (1 + e^-f)``. The loss ``L = log(1 + e^f) - y f`` is made smaller round by round:

        ``f_0 = log(share of ones / share of zeros)``            the start
        ``r_i = y_i - p_i``                                      residuals: minus the slope of the loss
        ``c_j = sum_i r_i / sum_i p_i (1 - p_i)``  over leaf j   its answer: one step of Newton
        ``f_m(x) = f_(m-1)(x) + learning_rate c_j``              for the leaf j that x falls in

    where the leaves are those of a regression tree (CART) of the residuals. For K > 2 classes there are K scores, one
    tree for each of them a round, ``p_k = e^f_k / sum_l e^f_l``, and a leaf answers ``(K - 1) / K`` times that step.

    Trees of depth 3 let up to three columns act together; a small `learning_rate` with many rounds is the safer way,
    and rows held out tell how many (`early_stopping`). ``subsample < 1`` draws rows for each round, which is stochastic
    gradient boosting. Every cut of every column is tried: for tables up to some ten thousand rows. Prefer
    `BoostedTreesClassifier` for larger ones, which tries borders of bins, and a random forest where nothing is to be
    tuned.

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
    scikit-learn's trees and its defaults, and the same answers but for rounding; other random numbers where rows or
    columns are drawn, or where two cuts are equally good. Missing values, categories and sparse tables are taken as
    they are. The bits of the answer are the same on any number of threads.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29 (2001). Friedman:
    Stochastic gradient boosting. Computational Statistics and Data Analysis 38 (2002).

    Examples
    --------
    One row of four says yes: the start is ln(1/3), p is 1/4, and the residuals are -1/4, -1/4, 3/4, -1/4. The tree cuts
    at 2.5. Both leaves hold two rows with p (1 - p) = 3/16 and residuals that add up to -1/2 and 1/2: the leaves answer
    -4/3 and 4/3.

    >>> from pellucid.boosting import GradientBoostingClassifier
    >>> model = GradientBoostingClassifier(n_estimators=1, learning_rate=1.0, max_depth=1)
    >>> model = model.fit([[1], [2], [3], [4]], ["no", "no", "yes", "no"])
    >>> model.base_score_.round(4).tolist(), model.decision_function([[1], [3]]).round(4).tolist()
    ([-1.0986], [-2.4319, 0.2347])
    >>> model.predict([[1], [3]]).tolist()
    ['no', 'yes']
    """


class GradientBoostingRegressor(ExactTrees, BoostedRegressor):
    """Numbers by a sum of small trees, each grown on the errors that those before it have left, as the textbook has it.

    For a loss ``L(y, f)`` of the target and the score of a row:

        ``f_0 = argmin_c sum_i L(y_i, c)``                              the start; for squares the mean
        ``r_i = -dL(y_i, f) / df  at  f = f_(m-1)(x_i)``                residuals; for squares y - f
        ``c_j = argmin_c sum_i L(y_i, f_(m-1)(x_i) + c)``  over leaf j  its answer; for squares the mean residual
        ``f_m(x) = f_(m-1)(x) + learning_rate c_j``                     for the leaf j that x falls in

    where the leaves are those of a regression tree (CART) of the residuals. The losses are ``(y - f)² / 2``; the
    absolute error, whose leaves answer the median of y - f; the quantile loss, whose leaves answer that quantile;
    Huber's, which counts the largest errors by their size and not by their square; and Poisson's for counts,
    ``e^f - y f``, whose answer is ``e^f``.

    Trees of depth 3 let up to three columns act together; a small `learning_rate` with many rounds is the safer way,
    and rows held out tell how many (`early_stopping`). ``loss="huber"`` or ``"absolute_error"`` where some targets are
    far off; ``loss="quantile"`` twice for an interval. The answer is flat outside the rows of the fit: prefer a linear
    model for trends that go on. Every cut of every column is tried: prefer `BoostedTreesRegressor` for tables of more
    than some ten thousand rows.

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
    scikit-learn's trees and its defaults, and the same answers but for rounding; other random numbers where rows or
    columns are drawn, or where two cuts are equally good. Its `alpha` is `quantile` and `huber_share` here. Missing
    values, categories and sparse tables are taken as they are. The bits of the answer are the same on any number of
    threads.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29 (2001).

    Examples
    --------
    The start is the mean, 6.25. The first tree cuts at 2.5, where the mean residuals are -4.75 and 4.75; half of them
    is added. What is left of them, -2.375 and 2.375, is halved again in the second round.

    >>> from pellucid.boosting import GradientBoostingRegressor
    >>> X, y = [[1], [2], [3], [4]], [1, 2, 10, 12]
    >>> model = GradientBoostingRegressor(n_estimators=2, learning_rate=0.5, max_depth=1).fit(X, y)
    >>> [said.tolist() for said in model.staged_predict([[1], [4]])]
    [[3.875, 8.625], [2.6875, 9.8125]]
    """
