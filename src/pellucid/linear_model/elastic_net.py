"""The elastic net."""

from __future__ import annotations

from pellucid.base.declare import param
from pellucid.linear_model._coordinate_descent import CoordinateRegressor

__all__ = ["ElasticNet"]


class ElasticNet(CoordinateRegressor):
    """Least squares that keeps coefficients small and sets weak ones to exactly zero.

    Minimizes  ``1/(2S) sum_i s_i (y_i - b - x_i . w)² + alpha r ||w||_1 + alpha (1 - r)/2 ||w||²``  over the
    coefficients ``w`` and the intercept ``b``, where ``x_i`` is row i of X, ``y_i`` its target, ``s_i`` its weight (1
    unless given), ``S`` the sum of weights, ``||w||_1`` the sum of absolute values, ``||w||²`` the sum of squares and
    ``r`` the `l1_ratio`: 1 is the lasso, 0 is ridge regression.

    With all other coefficients held, the best value of one is
    ``w_j = soft(rho_j, alpha r) / (q_j + alpha (1 - r))``:  ``rho_j`` is the mean product of the centered column with
    what the others leave of the target, ``q_j`` the column's mean square, and ``soft(a, l) = sign(a) max(|a| - l, 0)``.
    Passes over the columns repeat this until the duality gap, which bounds how far the cost is above its minimum, is
    small. Only columns that may matter are visited, passes are extrapolated, and small problems are finished exactly,
    so that zeros are exactly those of the optimum. Sparse tables are centered without being filled.

    cost="half_squared" is the cost above: half the mean squared error, as scikit-learn has it. cost="squared" is the
    one that textbooks often print,  ``MSE + alpha r ||w||_1 + alpha (1 - r)/2 ||w||²``;  it equals the first with half
    the alpha. Ridge has the sum of squared errors and the whole square: there alpha must be S times as large.

    Prefer `Lasso` where few columns matter and they differ; the elastic net where columns go together (of which the
    lasso takes one and drops the others) or outnumber the rows; `Ridge` where all matter; `ElasticNetCV` to choose
    alpha. Columns should be of one scale: the penalty does not know their units.

    Attributes
    ----------
    coef_ : array of p numbers, or k x p for a target of k columns (each is fitted by itself)
    sparse_coef_ : the same as a sparse matrix
    intercept_ : number, or k numbers
    n_iter_ : passes over the columns, or a list of k
    dual_gap_ : the cost is at most this much above its minimum; k numbers for k targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn stops on the same gap, but only looks at it once the largest change of a coefficient in a pass is
    small; here a pass must lower the cost by less than 1e-5 of the gap allowed. ``dual_gap_`` is in units of the cost.
    With ``alpha=0`` the gap is measured by the slopes that are left, since least squares has no dual point to compare
    with.

    References
    ----------
    Zou, Hastie: Regularization and variable selection via the elastic net. JRSS B 67 (2005).
    Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models. J. Stat. Software 33 (2010).
    Massias, Gramfort, Salmon: Celer: a fast solver for the lasso with dual extrapolation. ICML 2018.

    Examples
    --------
    Centered, x is (-1, 0, 1) and y is (-2, 0, 2): rho = 4/3, q = 2/3. With alpha = 2/3 and r = 1/2 the threshold and
    the shrinkage are 1/3 each, so  w = (4/3 - 1/3) / (2/3 + 1/3) = 1  and  b = 4 - 2 w.

    >>> from pellucid.linear_model import ElasticNet
    >>> model = ElasticNet(alpha=2/3, l1_ratio=0.5).fit([[1], [2], [3]], [2, 4, 6])
    >>> model.coef_.round(10), round(model.intercept_, 10)
    (array([1.]), 2.0)
    """

    l1_ratio: float = param(default=0.5, low=0, high=1, doc="Share of the l1 penalty: 1 is the lasso, 0 ridge.")

    @property
    def _l1_ratio(self) -> float:
        return float(self.l1_ratio)
