"""The lasso."""

from __future__ import annotations

from pellucid.linear_model._coordinate_descent import CoordinateRegressor

__all__ = ["Lasso"]


class Lasso(CoordinateRegressor):
    """Least squares that leaves out columns: the coefficients of weak ones are exactly zero.

    Minimizes  ``1/(2S) sum_i s_i (y_i - b - x_i . w)² + alpha ||w||_1``  over the coefficients ``w`` and the intercept
    ``b``, where ``x_i`` is row i of X, ``y_i`` its target, ``s_i`` its weight (1 unless given), ``S`` the sum of
    weights and ``||w||_1`` the sum of the coefficients' absolute values.

    With all other coefficients held, the best value of one is  ``w_j = soft(rho_j, alpha) / q_j``:  ``rho_j`` is the
    mean product of the centered column with what the others leave of the target, ``q_j`` the column's mean square, and
    ``soft(a, l) = sign(a) max(|a| - l, 0)``  makes it zero where the column helps too little. Passes over the columns
    repeat this until the duality gap, which bounds how far the cost is above its minimum, is small. Only columns that
    may matter are visited, passes are extrapolated, and small problems are finished exactly, so that zeros are exactly
    those of the optimum, however nearly dependent the columns are. Sparse tables are centered without being filled.

    cost="half_squared" is the cost above: half the mean squared error, as scikit-learn has it. cost="squared" is the
    one that textbooks often print,  ``MSE + alpha ||w||_1``;  it equals the first with half the alpha.

    Prefer `ElasticNet` where columns go together (of which the lasso takes one and drops the others), `Ridge` where all
    matter, and `LassoCV` to choose alpha. Columns should be of one scale: the penalty does not know their units.

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
    small; here a pass must lower the cost by less than 1e-5 of the gap allowed. Above alpha_max, the largest absolute
    mean product of a centered column with the centered target, every coefficient is zero.

    References
    ----------
    Tibshirani: Regression shrinkage and selection via the lasso. JRSS B 58 (1996).
    Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models. J. Stat. Software 33 (2010).
    Massias, Gramfort, Salmon: Celer: a fast solver for the lasso with dual extrapolation. ICML 2018.

    Examples
    --------
    Centered, x is (-1, 0, 1) and y is (-2, 0, 2): rho = 4/3 and q = 2/3, so  w = (4/3 - 1/3) / (2/3) = 1.5  and
    b = 4 - 2 w:

    >>> from pellucid.linear_model import Lasso
    >>> model = Lasso(alpha=1/3).fit([[1], [2], [3]], [2, 4, 6])
    >>> model.coef_.round(10), round(model.intercept_, 10)
    (array([1.5]), 1.0)
    >>> Lasso(alpha=4/3).fit([[1], [2], [3]], [2, 4, 6]).coef_
    array([0.])
    """
