"""Quadratic discriminant analysis: bells of a shape of their own."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.discriminant_analysis._bells import OwnBells, principal
from pellucid.discriminant_analysis._discriminant import check_covariance_estimator, priors_param
from pellucid.discriminant_analysis._scatter import Axes, Scatter, Scatters, axes_of, well_conditioned

__all__ = ["QuadraticDiscriminantAnalysis"]


class QuadraticDiscriminantAnalysis(OwnBells):
    """Classes as bells, each of its own shape: a row goes to the class whose bell is highest over it.

    Every class k is a normal distribution with its own mean ``m_k`` and its own covariance ``S_k``. With the prior
    ``P(k)`` the discriminant function is the logarithm of the bell times the prior, but for a constant:

        D_k(x) = -ln|S_k| / 2 - (x - m_k)' S_k⁻¹ (x - m_k) / 2 + ln P(k)

    The largest decides; boundaries are curves of the second degree. One pass over the rows counts means and
    covariances; the axes of each class are those of its covariance matrix, or, where columns nearly depend on each
    other, the singular values of its rows. A covariance without an inverse is refused, with the columns that cause it.

    It has K p (p + 1) / 2 numbers to estimate: with few rows a class prefer `LinearDiscriminantAnalysis`, which shares
    one covariance, or `RegularizedDiscriminantAnalysis`, which lies between. Columns may be on any scale, unless
    ``reg_param`` or a shrinkage share mixes them.

    Attributes
    ----------
    classes_ : array of K labels
    means_ : K x p array
        Mean of every column within each class.
    priors_ : array of K numbers
    rotations_ : list of K arrays, p x p
        Principal axes of each class, as columns.
    scalings_ : list of K arrays of p numbers
        Variances along them, the largest first.
    covariance_ : list of K arrays, p x p
        Covariance of each class, shrunk and regularized as asked for; only if ``store_covariance``.
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    The same numbers as scikit-learn's to ten digits, signs of ``rotations_`` apart. Other than there, ``tol`` judges
    standardized columns (a column measured in kilometres instead of metres is not taken for a constant), ``reg_param``
    works with both solvers and with more columns than rows, and there are ``ddof``, weights, `discriminant_values` and
    priors by label.

    Examples
    --------
    Variances of 1 and 4 around 0 and 0; at x = 0 the narrow bell is twice as high, at 3 the wide one wins:

    >>> X, y = [[-1.0], [1.0], [-2.0], [2.0]], ["narrow", "narrow", "wide", "wide"]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> model.predict_proba([[0.0]]).round(6)
    array([[0.666667, 0.333333]])
    >>> model.predict([[0.0], [3.0]])
    array(['narrow', 'wide'], dtype='<U6')
    """

    solver: Literal["svd", "eigen"] = param(
        default="svd", doc="'svd' (no shrinkage) or 'eigen' (with shrinkage, or a covariance_estimator)."
    )
    shrinkage: float | Literal["auto"] | None = param(
        default=None,
        low=0,
        high=1,
        doc="How far each covariance is pulled toward a multiple of the identity: a share, or 'auto' for the one of "
        "Ledoit and Wolf. With 'eigen'.",
    )
    priors: list | tuple | np.ndarray | dict | None = priors_param()  # type: ignore[type-arg]
    reg_param: float = param(
        default=0.0, low=0, high=1, doc="Each covariance becomes (1 - reg_param) S_k + reg_param times the identity."
    )
    store_covariance: bool = param(default=False, doc="Keep covariance_?")
    tol: float = param(
        default=1e-4,
        low=0,
        doc="A class is refused when a combination of its standardized columns has a smaller deviation.",
    )
    covariance_estimator: Any = param(
        default=None,
        check=check_covariance_estimator,
        doc="An estimator with fit and covariance_ that finds the covariance of each class; with 'eigen'.",
    )
    ddof: Literal[0, 1] = param(
        default=0, doc="The covariance of a class is divided by n_k - ddof: 0 as scikit-learn does, 1 unbiased."
    )

    path_parameters = ("reg_param", "shrinkage")
    cure = (
        "drop columns, set reg_param, use solver='eigen' with shrinkage, or use RegularizedDiscriminantAnalysis, which "
        "leans on the other classes"
    )

    def _check_settings(self, d: Design) -> None:
        who, hint = d.who, "use solver='eigen'"
        if self.solver == "svd" and self.shrinkage is not None:
            raise ParameterError(format_message(who, "shrinkage not supported with 'svd' solver", hint=hint))
        if self.solver == "svd" and self.covariance_estimator is not None:
            requirement = "covariance_estimator is not supported with solver='svd'"
            raise ParameterError(format_message(who, requirement, hint=hint))
        if self.covariance_estimator is not None and self.shrinkage:
            requirement = "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set"
            raise ParameterError(format_message(who, requirement, actual=f"got shrinkage={self.shrinkage!r}"))

    def _settle(self, d: Design, rows: Scatters) -> None:
        s = rows.scatter(pooled=False)
        self._refuse_single(d, s, rows)
        self.priors_: Floats = self._find_priors(d, s.weight)
        self.means_: Floats = s.mean
        covariances = self._covariances(rows, s)
        self.scalings_: list[Floats] = []
        self.rotations_: list[Array] = []
        if self.store_covariance:
            self.covariance_: list[Floats] = []
        kept = []
        rows.check_range(covariances)
        for k, C in enumerate(covariances):
            own = self._axes(rows, s, k, C)
            final, regular = own, C
            if self.reg_param:
                regular = (1 - self.reg_param) * C + s.identity(self.reg_param)
                rows.check_range(regular)
                final = axes_of(regular, np.zeros(len(C)))
            self._check_rank(d, k, final, rows)
            variances, rotation = principal(own, s.scale)
            self.scalings_.append((1 - self.reg_param) * variances + self.reg_param)
            self.rotations_.append(rotation)
            if self.store_covariance:
                self.covariance_.append(s.raw(regular))
            kept.append(final)
        self._keep_bells(s, kept, self.priors_)

    def _covariances(self, rows: Scatters, s: Scatter) -> Floats:
        divisors = self._divisors(rows.d, s)
        if self.covariance_estimator is not None:
            return rows.estimated(self.covariance_estimator, s, rows.codes, rows.n_classes)
        if self.shrinkage == "auto":
            return rows.ledoit_wolf(s, divisors, rows.codes)
        C = s.parts / divisors[:, None, None]
        return np.array([s.pulled(own, float(self.shrinkage or 0)) for own in C])

    def _axes(self, rows: Scatters, s: Scatter, k: int, C: Floats) -> Axes:
        """Of the covariance, or of the rows of the class where columns nearly depend on each other."""
        plain = not self.shrinkage and self.covariance_estimator is None
        axes = axes_of(C, s.noise([k]) if plain else np.zeros(len(C)))
        if plain and not well_conditioned(axes):
            return rows.axes_from_rows(s, float(self._divisors(rows.d, s)[k]), axes, k)
        return axes
