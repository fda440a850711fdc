"""The lasso with its penalty chosen by cross-validation."""

from __future__ import annotations

from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.linear_model.elastic_net_cv import CoordinateCV
from pellucid.linear_model.paths import lasso_path

__all__ = ["LassoCV"]


class LassoCV(CoordinateCV):
    """A lasso that chooses its penalty itself, by how well the penalties do on rows held out.

    For every alpha it minimizes the cost of `Lasso`,  ``1/(2S) sum_i s_i (y_i - b - x_i . w)² + alpha ||w||_1``,  on
    the rows of each fold's training part, takes the mean squared error on the rows held out, and keeps the alpha whose
    mean over the folds is smallest (the largest of equals). The model is then fitted on all rows.

    Along a fold's alphas each fit begins where the one before ended, and products of columns are worked out once for
    all; rows held out have weight zero, so that no part of the table is copied. Unless they are given, alphas fall in
    even steps of their logarithm from the smallest at which every coefficient is zero.

    cost="half_squared" is the cost above, as scikit-learn has it; with cost="squared" (the mean squared error before
    the penalty) every alpha counts half as much.

    Prefer `Lasso` where the penalty is known, and `ElasticNetCV` where columns go together.

    Attributes
    ----------
    alpha_ : the alpha chosen
    coef_ : array of p numbers
    intercept_ : number
    alphas_ : the alphas tried, falling
    mse_path_ : errors: alphas x folds
    n_iter_ : passes of the last fit
    dual_gap_ : the cost of the last fit is at most this much above its minimum
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Two folds of a target that is twice x: no penalty errs least, so the smallest alpha is chosen.

    >>> from pellucid.linear_model import LassoCV
    >>> model = LassoCV(alphas=[0.1, 0.01], cv=2).fit([[0], [1], [2], [3]], [0, 2, 4, 6])
    >>> model.alpha_, model.mse_path_.shape
    (0.01, (2, 2))
    """

    path = staticmethod(lasso_path)

    def _fit(self, d: Design, trace: Trace) -> None:
        super()._fit(d, trace)
        del self.l1_ratio_
