"""Regularized discriminant analysis: bells between one common shape and shapes of their own."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.discriminant_analysis._bells import OwnBells
from pellucid.discriminant_analysis._discriminant import priors_param
from pellucid.discriminant_analysis._scatter import Axes, Scatter, Scatters, axes_of, well_conditioned

__all__ = ["RegularizedDiscriminantAnalysis"]


class RegularizedDiscriminantAnalysis(OwnBells):
    """Classes as bells whose shapes lie between one common shape and shapes of their own (Friedman 1989).

    With ``T_k`` the sum of squares and products of class k around its mean, ``T`` their sum over the classes, ``n_k``
    and ``n`` the numbers of rows, the covariance of class k is

        S_k(alpha)        = ((1 - alpha) T_k + alpha T) / ((1 - alpha) n_k + alpha n)
        S_k(alpha, gamma) = (1 - gamma) S_k(alpha) + gamma (trace of S_k(alpha) / p) I

    and the class with the largest  ``D_k(x) = -ln|S_k| / 2 - (x - m_k)' S_k⁻¹ (x - m_k) / 2 + ln P(k)``  wins.

    ``alpha = 0`` is quadratic discriminant analysis, ``alpha = 1`` linear discriminant analysis, and in between a class
    of few rows leans on the others. ``gamma`` pulls every covariance toward a ball, which gives it an inverse where
    columns are more than rows; it mixes the columns, so bring them to one scale first. One pass over the rows serves
    all settings: a search over alpha and gamma reads the table once for each fold and each value of the other.

    Prefer `LinearDiscriminantAnalysis` or `QuadraticDiscriminantAnalysis` where one end is known to be right: they have
    `transform`, and principal axes.

    Attributes
    ----------
    classes_ : array of K labels
    means_ : K x p array
        Mean of every column within each class.
    priors_ : array of K numbers
    covariance_ : K x p x p array
        ``S_k(alpha, gamma)``.
    pooled_covariance_ : p x p array
        ``T / n``, the covariance that all share at alpha = 1.
    n_features_in_, feature_names_in_ : as in every estimator

    References
    ----------
    J. H. Friedman, "Regularized Discriminant Analysis", Journal of the American Statistical Association 84 (1989).

    Examples
    --------
    Sums of squares 2 and 8 of two rows each: half way, (1 + 5) / (1 + 2) = 2 and (4 + 5) / (1 + 2) = 3.

    >>> X, y = [[-1.0], [1.0], [-2.0], [2.0]], ["narrow", "narrow", "wide", "wide"]
    >>> RegularizedDiscriminantAnalysis(alpha=0.5).fit(X, y).covariance_.ravel()
    array([2., 3.])
    >>> RegularizedDiscriminantAnalysis(alpha=1).fit(X, y).covariance_.ravel()
    array([2.5, 2.5])
    """

    alpha: float = param(
        default=0.5, low=0, high=1, doc="0: every class has its own covariance (QDA); 1: all share one (LDA)."
    )
    gamma: float = param(default=0.0, low=0, high=1, doc="How far each covariance is pulled toward a ball.")
    priors: list | tuple | np.ndarray | dict | None = priors_param()  # type: ignore[type-arg]
    tol: float = param(
        default=1e-4,
        low=0,
        doc="A class is refused when a combination of its standardized columns has a smaller deviation.",
    )
    ddof: Literal[0, 1] = param(default=0, doc="n_k - ddof and n - ddof K stand for the numbers of rows: 1 unbiased.")

    path_parameters = ("alpha", "gamma")
    cure = "drop columns, raise alpha so that the class leans on the others, or set gamma above 0"

    def _settle(self, d: Design, rows: Scatters) -> None:
        s = rows.scatter(pooled=False)
        self.priors_: Floats = self._find_priors(d, s.weight)
        self.means_: Floats = s.mean
        own, all_rows = self._divisors(d, s), float(self._divisors(d, s).sum())
        divisors = (1 - self.alpha) * own + self.alpha * all_rows
        self._check_divisors(d, divisors, all_rows)
        self.pooled_covariance_: Floats = s.raw(s.pooled / all_rows)
        found, kept = np.empty_like(s.parts), []
        for k, T in enumerate(s.parts):
            C = s.pulled(((1 - self.alpha) * T + self.alpha * s.pooled) / divisors[k], self.gamma)
            rows.check_range(C)
            axes = self._axes(rows, s, k, C, divisors[k])
            self._check_rank(d, k, axes, rows)
            found[k] = s.raw(C)
            kept.append(axes)
        self.covariance_: Floats = found
        self._keep_bells(s, kept, self.priors_)

    def _check_divisors(self, d: Design, divisors: Floats, all_rows: float) -> None:
        for label, divisor in zip(d.classes[0].tolist(), divisors, strict=True):
            if not (divisor > 0 and all_rows > 0):
                requirement = "with ddof=1 the rows of a class, and of those that it leans on, must be more than one"
                actual = f"those of class {label!r} are not"
                raise DataError(format_message(d.who, requirement, actual=actual, hint="use ddof=0, or raise alpha"))

    def _axes(self, rows: Scatters, s: Scatter, k: int, C: Floats, divisor: float) -> Axes:
        noise = s.noise([k] if self.alpha == 0 else slice(None)) if not self.gamma else np.zeros(len(C))
        axes = axes_of(C, noise)
        if self.gamma or well_conditioned(axes):
            return axes
        if self.alpha in (0, 1):
            return rows.axes_from_rows(s, divisor, axes, k if self.alpha == 0 else None)
        return axes
