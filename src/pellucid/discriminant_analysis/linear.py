"""Linear discriminant analysis: bells of one common shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.linalg

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, SeparationWarning, format_message, noun_list, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.discriminant_analysis._discriminant import GaussianClasses, check_covariance_estimator, priors_param
from pellucid.discriminant_analysis._scatter import Axes, Scatter, Scatters, axes_of, well_conditioned
from pellucid.estimator.roles import Transformer
from pellucid.models.linear import row_products

__all__ = ["LinearDiscriminantAnalysis"]

# Eigenvalues of standardized columns below this share of the largest, times p, are rounding.
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Lines:
    """Discriminant functions around a center, in scaled columns ``z = x * scale - center``.

    ``D_k = slopes[k] . z + levels[k] + (common . z + half)``; what is in brackets is the same for every class.
    """

    scale: Floats
    center: Floats
    slopes: Floats
    levels: Floats
    common: Floats
    half: float

    def scores(self, d: Design, slopes: Floats, levels: Floats, threads: int) -> Floats:
        W = np.ascontiguousarray(slopes)
        return _core.centered_scores(d.matrix, self.scale, self.center, W, np.ascontiguousarray(levels), threads)


class LinearDiscriminantAnalysis(GaussianClasses, Transformer):
    """Classes as bells of one common shape: a row goes to the class whose bell is highest over it.

    Every class k is a normal distribution with its own mean ``m_k`` and a covariance ``S`` that all share. With the
    prior ``P(k)`` Bayes' rule gives the probability of each class, and the logarithm of it, but for a term that all
    classes share, is the linear discriminant function

        D_k(x) = x' S⁻¹ m_k - m_k' S⁻¹ m_k / 2 + ln P(k)

    of which the largest decides. With one column it is  ``x m_k / v - m_k² / (2 v) + ln P(k)``  with the pooled
    variance v.

    One pass over the rows counts the classes, their means, and the sum of squares and products around them
    (``pooled_covariance_`` is that sum over n, or over n - K with ``ddof=1``). ``solver="svd"`` standardizes the
    columns and takes the axes of that matrix, or, where columns nearly depend on each other, the singular values of the
    rows themselves; combinations without variance within the classes are left out. "lsqr" and "eigen" work with the
    covariance matrix, which ``shrinkage`` pulls toward a multiple of the identity: worth it when rows are few for the
    number of columns. `transform` gives the at most K - 1 combinations of columns in which the classes lie furthest
    apart against their spread (Fisher).

    Columns may be on any scale. Prefer `QuadraticDiscriminantAnalysis` when the classes differ in spread,
    `RegularizedDiscriminantAnalysis` between the two, and `LogisticRegression` when columns are far from normal. Curved
    boundaries come from combinations of columns too, as in flexible discriminant analysis: put `PolynomialFeatures`, or
    splines, before it in a pipeline.

    Attributes
    ----------
    classes_ : array of K labels
    means_ : K x p array
        Mean of every column within each class.
    priors_ : array of K numbers
    pooled_covariance_ : p x p array
        Covariance within the classes, before any shrinkage: the one that ddof divides.
    covariance_ : p x p array
        The covariance that the solver used: ``sum_k P(k) S_k``, shrunk if asked for. With solver "svd" only if
        ``store_covariance``.
    coef_, intercept_ : K x p and K numbers, 1 x p and 1 number for two classes
        As scikit-learn has them: differences between classes are those of ``D_k``.
    scalings_ : p x m array
        Combinations of columns that `transform` makes, of unit variance within the classes.
    explained_variance_ratio_ : array of at most n_components numbers
        Share of each in the variance between the classes.
    xbar_ : array of p numbers
        The mean of the class means under the priors.
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    The same numbers as scikit-learn's to ten digits, signs of ``scalings_`` apart. Beyond it: ``ddof``, weights,
    `discriminant_values`, priors by label, `transform` with every solver, dependent columns with "lsqr" by the smallest
    coefficients in standardized columns, and logarithms of probabilities that do not end at -708.

    Examples
    --------
    Means 2 and 8, a variance of 1 within both classes (divisor n - K = 2), the border half way:

    >>> X, y = [[1.2928932188134524], [2.7071067811865475], [7.292893218813452], [8.707106781186548]], [0, 0, 1, 1]
    >>> model = LinearDiscriminantAnalysis(ddof=1).fit(X, y)
    >>> model.pooled_covariance_.round(12)
    array([[1.]])
    >>> model.discriminant_values([[5.0]]).round(6)  # 5*2 - 2 + ln 1/2 and 5*8 - 32 + ln 1/2
    array([[7.306853, 7.306853]])
    >>> model.predict([[4.9], [5.1]])
    array([0, 1])
    """

    solver: Literal["svd", "lsqr", "eigen"] = param(
        default="svd",
        kw_only=False,
        doc="'svd' (no shrinkage; dependent columns are no trouble), 'lsqr' (solves with the covariance) or 'eigen' "
        "(axes of the variance between against that within).",
    )
    shrinkage: float | Literal["auto"] | None = param(
        default=None,
        low=0,
        high=1,
        kw_only=False,
        doc="How far the covariance is pulled toward a multiple of the identity: a share, or 'auto' for the one of "
        "Ledoit and Wolf. With 'lsqr' and 'eigen'.",
    )
    priors: list | tuple | np.ndarray | dict | None = priors_param(kw_only=False)  # type: ignore[type-arg]
    n_components: int | None = param(
        default=None, low=1, kw_only=False, doc="Columns that `transform` makes; None for all, at most K - 1."
    )
    store_covariance: bool = param(default=False, kw_only=False, doc="Keep covariance_ with solver 'svd' too?")
    tol: float = param(
        default=1e-4,
        low=0,
        kw_only=False,
        doc="With 'svd': combinations of standardized columns with a smaller deviation within the classes are left "
        "out, and so are directions in which the classes lie closer than this share of the widest.",
    )
    covariance_estimator: Any = param(
        default=None,
        kw_only=False,
        check=check_covariance_estimator,
        doc="An estimator with fit and covariance_ that finds the covariance of each class; with 'lsqr' and 'eigen'.",
    )
    ddof: Literal[0, 1] = param(
        default=0, doc="The covariance is divided by n - ddof K: 0 as scikit-learn does, 1 for the unbiased one."
    )

    path_parameters = ("shrinkage",)

    # ---------------------------------------------------------------------------------------------------------- fitting

    def _check_settings(self, d: Design) -> None:
        who, most = d.who, min(len(d.classes[0]) - 1, d.n_cols)
        if self.n_components is not None and self.n_components > most:
            requirement = f"n_components cannot be larger than min(n_features, n_classes - 1) = {most}"
            raise ParameterError(format_message(who, requirement, actual=f"got {self.n_components}"))
        if self.solver == "svd" and self.shrinkage is not None:
            hint = "use solver='lsqr' or solver='eigen'"
            raise ParameterError(format_message(who, "shrinkage not supported with 'svd' solver", hint=hint))
        if self.solver == "svd" and self.covariance_estimator is not None:
            hint = "use solver='lsqr' or solver='eigen'"
            raise ParameterError(
                format_message(
                    who, "covariance estimator is not supported with svd solver. Try another solver", hint=hint
                )
            )
        if self.covariance_estimator is not None and self.shrinkage:
            requirement = "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set"
            raise ParameterError(format_message(who, requirement, actual=f"got shrinkage={self.shrinkage!r}"))

    def _settle(self, d: Design, rows: Scatters) -> None:
        if int(rows.rows.sum()) <= rows.n_classes:
            requirement = "The number of samples must be more than the number of classes"
            actual = f"got {int(rows.rows.sum())} rows that count and {rows.n_classes} classes"
            raise DataError(format_message(d.who, requirement, actual=actual))
        apart = self.priors is not None and (self.solver != "svd" or self.store_covariance)
        apart = apart or self.shrinkage == "auto" or self.covariance_estimator is not None
        s = rows.scatter(pooled=not apart)
        self.priors_: Floats = self._find_priors(d, s.weight)
        self.means_: Floats = s.mean
        divisor = self._divisor(d, s)
        self.pooled_covariance_: Floats = s.raw(s.pooled / divisor)
        if self.solver == "svd":
            self._by_rows(rows, s, divisor)
        else:
            self._by_covariance(d, rows, s, divisor)
        self.xbar_: Floats = np.asarray(self.priors_ @ self.means_)
        self._keep_lines(d, s)

    def _divisor(self, d: Design, s: Scatter) -> float:
        """``n - ddof K`` in the unit of the weights."""
        divisor = s.total - self.ddof * len(s.weight) / s.unit
        if not divisor > 0:
            requirement = "with ddof=1 the weights must sum to more than the number of classes"
            actual = f"they sum to {s.total * s.unit:g} for {len(s.weight)} classes"
            raise DataError(format_message(d.who, requirement, actual=actual, hint="use ddof=0"))
        return divisor

    # ---------------------------------------------------------------------------------------------------------- solvers

    def _by_rows(self, rows: Scatters, s: Scatter, divisor: float) -> None:
        """svd: axes of the pooled scatter, or of the rows where columns nearly depend on each other."""
        axes = axes_of(s.pooled / s.total, s.noise())
        if not well_conditioned(axes):
            axes = rows.axes_from_rows(s, s.total, axes)
        W = axes.whitening(self.tol) * np.sqrt(divisor / s.total)
        _warn_separated(rows.d, s, axes)
        if self.store_covariance:
            self.covariance_: Floats = s.raw(self._weighted(s) * (s.total / divisor))
        centered = self._centered(s)
        scalings = self._between(s, W, centered)
        along = centered @ scalings
        self._lines(s, W, along @ scalings.T, -0.5 * (along**2).sum(axis=1))

    def _by_covariance(self, d: Design, rows: Scatters, s: Scatter, divisor: float) -> None:
        """lsqr and eigen: with the covariance under the priors, shrunk or estimated as asked for."""
        C = self._covariance(rows, s, divisor)
        self.covariance_ = s.raw(C)
        if not np.isfinite(self.covariance_).all():
            requirement, hint = "covariances must fit into 64-bit floats", "rescale the columns, or use solver='svd'"
            raise DataError(format_message(d.who, requirement, actual="columns spread too far", hint=hint))
        rows.check_range(C)
        plain = self.shrinkage is None and self.covariance_estimator is None
        axes = axes_of(C, s.noise() if plain else np.zeros(len(C)))
        centered = self._centered(s)
        least = np.sqrt(10 * _EPS * len(C)) * axes.roots.max(initial=0.0)
        if self.solver == "eigen":
            W = self._eigen(d, rows, s, C, axes, least, divisor)
        else:
            _warn_separated(d, s, axes)
            W = axes.whitening(float(least))
            self._between(s, W, centered)
        slopes = centered @ W @ W.T
        self._lines(s, W, slopes, -0.5 * (slopes * centered).sum(axis=1))

    def _covariance(self, rows: Scatters, s: Scatter, divisor: float) -> Floats:
        if self.covariance_estimator is not None:
            own = rows.estimated(self.covariance_estimator, s, rows.codes, rows.n_classes)
            return np.asarray(np.tensordot(self.priors_, own, 1))
        if self.shrinkage == "auto":
            own = rows.ledoit_wolf(s, s.weight, rows.codes)
            return np.asarray(np.tensordot(self.priors_, own, 1)) * (s.total / divisor)
        return s.pulled(self._weighted(s) * (s.total / divisor), float(self.shrinkage or 0))

    def _weighted(self, s: Scatter) -> Floats:
        """``sum_k P(k) S_k / n_k``."""
        if len(s.parts) == 1:
            return s.pooled / s.total
        return np.asarray(np.tensordot(self.priors_ / s.weight, s.parts, 1))

    def _total(self, rows: Scatters, s: Scatter, divisor: float) -> Floats:
        """Covariance of all rows around one mean, treated as that of the classes is."""
        zeros = np.zeros_like(rows.codes)
        if self.covariance_estimator is not None:
            return np.asarray(rows.estimated(self.covariance_estimator, s, zeros, 1)[0])
        if self.shrinkage == "auto":
            t = rows.total_scatter()
            ratio = s.scale / t.scale
            found = rows.ledoit_wolf(t, t.weight, zeros)[0] * ratio * ratio[:, None]
            return np.asarray(found * (s.total / divisor))
        mean = s.weight @ s.scaled_mean / s.total
        apart = s.scaled_mean - mean
        C = (s.pooled + (s.weight[:, None] * apart).T @ apart) / divisor
        return s.pulled(C, float(self.shrinkage or 0))

    def _eigen(
        self, d: Design, rows: Scatters, s: Scatter, C: Floats, axes: Axes, least: float, divisor: float
    ) -> Floats:
        """``B v = lambda C v`` with B the covariance between the classes; all p axes, the widest first."""
        dependent = axes.dependent(least)
        if dependent:
            labels = d.column_labels()
            requirement = "solver='eigen' needs columns that vary within the classes and do not depend on each other"
            actual = f"not so: {noun_list('column', [repr(labels[j]) for j in dependent])}"
            hint = "use solver='svd', which takes them, set shrinkage, or drop columns"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        D = axes.deviation
        between = (self._total(rows, s, divisor) - C) / D / D[:, None]
        values, vectors = scipy.linalg.eigh(between, C / D / D[:, None])
        order = np.argsort(values)[::-1]
        total = float(values.sum())
        shares = values / total if total != 0 else np.zeros_like(values)
        self.explained_variance_ratio_: Floats = np.sort(shares)[::-1][: self._width]
        W = np.asarray(vectors[:, order] / D[:, None])
        self._scalings_: Floats = W
        self.scalings_: Floats = s.unscaled(W)
        return W

    @property
    def _width(self) -> int:
        """Columns that `transform` may make."""
        most = min(len(self.classes_) - 1, len(self.means_[0]))
        return most if self.n_components is None else self.n_components

    def _centered(self, s: Scatter) -> Floats:
        return np.asarray(s.scaled_mean - self.priors_ @ s.scaled_mean)

    def _between(self, s: Scatter, W: Floats, centered: Floats) -> Floats:
        """Directions of the whitened columns in which the class means lie apart, the widest first."""
        K = len(centered)
        weighted = np.sqrt(s.total * self.priors_ / (K - 1))[:, None] * centered @ W
        roots, Vt = np.zeros(0), np.zeros((0, 0))
        if W.size:
            _, roots, Vt = scipy.linalg.svd(weighted, full_matrices=False)
        squares = float((roots**2).sum())
        shares = roots**2 / squares if squares > 0 else np.zeros(len(roots))
        self.explained_variance_ratio_ = np.asarray(shares[: self._width])
        rank = int((roots > self.tol * roots[0]).sum()) if len(roots) else 0
        self._scalings_ = np.asarray(W @ Vt.T[:, :rank])
        self.scalings_ = s.unscaled(self._scalings_)
        return self._scalings_

    # -------------------------------------------------------------------------------------------------------- the lines

    def _lines(self, s: Scatter, W: Floats, slopes: Floats, levels: Floats) -> None:
        center = np.asarray(self.priors_ @ s.scaled_mean)
        common = W @ (W.T @ center)
        with np.errstate(divide="ignore"):
            levels = levels + np.log(self.priors_)
        self._lines_ = Lines(s.scale, center, slopes, levels, common, 0.5 * float(common @ center))

    def _keep_lines(self, d: Design, s: Scatter) -> None:
        """`coef_` and `intercept_` in scikit-learn's shapes."""
        one = self._lines_
        slopes, levels = self.decision_lines()
        with np.errstate(over="ignore", invalid="ignore"):
            self.coef_: Floats = slopes * s.scale
            self.intercept_: Floats = levels - slopes @ one.center
        if not np.isfinite(self.coef_).all():
            j = int(np.flatnonzero(~np.isfinite(self.coef_).all(axis=0))[0])
            requirement = "coefficients must fit into 64-bit floats"
            actual = f"column {d.column_labels()[j]!r} spreads too little within the classes"
            raise DataError(format_message(d.who, requirement, actual=actual, hint="rescale this column"))

    @property
    def discriminant_lines(self) -> Lines:
        """The numbers of the discriminant functions ``D_k``, as other languages write them."""
        return self._lines_

    def decision_lines(self) -> tuple[Floats, Floats]:
        """Slopes and levels of `decision_function`: the difference for two classes; all of ``D_k`` but with 'svd'."""
        one = self._lines_
        if len(one.levels) == 2:
            return one.slopes[1:] - one.slopes[:1], one.levels[1:] - one.levels[:1]
        if self.solver == "svd":
            return one.slopes, one.levels
        return one.slopes + one.common, one.levels + one.half

    # ---------------------------------------------------------------------------------------------------------- answers

    def _class_scores(self, d: Design) -> Floats:
        one = self._lines_
        return self._scores(d, one.slopes, one.levels)

    def _scores(self, d: Design, slopes: Floats, levels: Floats) -> Floats:
        one = self._lines_
        found = one.scores(d, slopes, levels, self._threads)
        return self._bounded(d, found, levels, one.scale, lambda u: row_products(u, slopes))

    def _told(self, d: Design, answers: Floats) -> Array:
        with np.errstate(over="ignore"):
            return answers.astype(d.dtype, copy=False)

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of the probability of each class, exact where the probability itself is too small to hold."""
        found = super().predict_log_proba(X)
        # In single precision a probability so near one is one.
        return found if found.dtype == np.float64 else np.where(found > -np.finfo(found.dtype).eps / 2, 0, found)

    def decision_function(self, X: Any) -> Array:
        """``x . coef_ + intercept_``: n x K scores, n numbers (the log odds of the second class) for two classes."""
        d = self._validate_predict(X)
        scores = self._scores(d, *self.decision_lines())
        return self._told(d, scores[:, 0] if scores.shape[1] == 1 else scores)

    def discriminant_values(self, X: Any) -> Array:
        """``D_k(x) = x' S⁻¹ m_k - m_k' S⁻¹ m_k / 2 + ln P(k)`` of every class, n x K; the largest decides."""
        d, one = self._validate_predict(X), self._lines_
        return self._told(d, self._scores(d, one.slopes + one.common, one.levels + one.half))

    def _transform(self, d: Design) -> Array:
        one, width = self._lines_, min(self._width, self._scalings_.shape[1])
        W = np.ascontiguousarray(self._scalings_[:, :width].T)
        center = np.zeros_like(one.center) if self.solver == "eigen" else one.center
        made = _core.centered_scores(d.matrix, one.scale, center, W, np.zeros(width), self._threads)
        return self._told(d, self._checked(d, made))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """lineardiscriminantanalysis0, lineardiscriminantanalysis1, ...

        Parameters
        ----------
        input_features : not looked at
            There for scikit-learn's sake.
        """
        self._check_fitted()
        prefix, width = type(self).__name__.lower(), min(self._width, self._scalings_.shape[1])
        return np.array([f"{prefix}{j}" for j in range(width)], dtype=object)


def _warn_separated(d: Design, s: Scatter, axes: Axes) -> None:
    """A column that is constant within the classes and differs between them decides alone, and is left out."""
    apart = np.abs(s.scaled_mean - s.scaled_mean[0]).max(axis=0) > s.noise()
    found = np.flatnonzero(~axes.varying & apart)
    if len(found):
        labels = d.column_labels()
        requirement = "columns need variance within the classes to be counted"
        which = f"left out: {noun_list('column', [repr(labels[j]) for j in found])}, the same for all rows of a class"
        hint = "they part classes by themselves: a rule on them needs no model, and shrinkage counts them"
        warn(format_message(d.who, requirement, actual=which, hint=hint), SeparationWarning)
