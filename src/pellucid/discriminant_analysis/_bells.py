"""Classes as bells of a shape of their own: what the quadratic and the regularized discriminants share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from pellucid import _core
from pellucid.base.errors import DataError, count, format_message, noun_list
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.discriminant_analysis._discriminant import GaussianClasses
from pellucid.discriminant_analysis._scatter import Axes, Scatter, Scatters
from pellucid.models.linear import row_products


@dataclass(frozen=True)
class Bells:
    """``D_k = levels[k] - |factors[k] (x * scale - means[k])|² / 2``, every factor upper triangular."""

    scale: Floats
    means: Floats
    factors: Floats
    levels: Floats


class OwnBells(GaussianClasses):
    """Decides by ``D_k(x) = -ln|S_k| / 2 - (x - m_k)' S_k⁻¹ (x - m_k) / 2 + ln P(k)``."""

    tol: Any
    ddof: Any
    cure: ClassVar[str]  # what helps against a covariance without an inverse

    def _divisors(self, d: Design, s: Scatter) -> Floats:
        """``n_k - ddof`` in the unit of the weights."""
        return np.asarray(s.weight - self.ddof / s.unit)

    def _refuse_single(self, d: Design, s: Scatter, rows: Scatters) -> None:
        """A class of one row has no spread."""
        divisors = self._divisors(d, s)
        for label, n, divisor in zip(d.classes[0].tolist(), rows.rows, divisors, strict=True):
            if n < 2 and d.weight is None:  # a row of weight two is two rows, whose spread is zero
                requirement = f"y has only 1 sample in class {label}, covariance is ill defined"
                hint = "leave the class out, or use RegularizedDiscriminantAnalysis or LinearDiscriminantAnalysis"
                raise DataError(format_message(d.who, requirement, hint=hint))
            if not divisor > 0:
                requirement = "with ddof=1 the weights of each class must sum to more than one"
                actual = f"those of class {label!r} sum to {(divisor + self.ddof / s.unit) * s.unit:g}"
                raise DataError(format_message(d.who, requirement, actual=actual, hint="use ddof=0"))

    def _check_rank(self, d: Design, k: int, axes: Axes, rows: Scatters) -> None:
        if axes.rank(self.tol) == d.n_cols:
            return
        label, labels = d.classes[0].tolist()[k], d.column_labels()
        dependent = [repr(labels[j]) for j in axes.dependent(self.tol)]
        actual = f"it has {count(int(rows.rows[k]), 'row')} for {count(d.n_cols, 'column')}"
        if rows.rows[k] > d.n_cols:
            constant = [repr(labels[j]) for j in np.flatnonzero(~axes.varying)]
            actual = f"{noun_list('column', dependent)} do not vary in it or depend on each other"
            if dependent == constant:
                actual = f"without variance in it: {noun_list('column', constant)}"
        requirement = f"The covariance matrix of class {label} is not full rank"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=self.cure))

    def _keep_bells(self, s: Scatter, axes: list[Axes], priors: Floats) -> None:
        factors = np.empty((len(axes), len(s.scale), len(s.scale)))
        levels = np.empty(len(axes))
        with np.errstate(divide="ignore"):
            logs = np.log(priors)
        for k, own in enumerate(axes):
            # W'CW = I: |W'(x - m)|² is the distance; a triangle with the same lengths costs half the products.
            factors[k] = np.linalg.qr(own.whitening(0.0).T, mode="r")
            levels[k] = logs[k] - 0.5 * (own.log_determinant() - 2 * np.log(s.scale).sum())
        self._bells_ = Bells(s.scale, np.ascontiguousarray(s.scaled_mean), factors, levels)

    @property
    def quadratic_forms(self) -> Bells:
        """The numbers of the discriminant functions ``D_k``, as other languages write them."""
        return self._bells_

    def _class_scores(self, d: Design) -> Floats:
        b = self._bells_
        found = _core.quadratic_scores(d.matrix, b.scale, b.means, b.factors, b.levels, self._threads)
        return self._bounded(d, found, b.levels, b.scale, self._far)

    def _far(self, u: Floats) -> Floats:
        """``-|factor u|²``  of each class; those that equal the largest but for rounding are set to it."""
        found = -np.array([(row_products(u, factor) ** 2).sum(axis=1) for factor in self._bells_.factors]).T
        top = found.max(axis=1, keepdims=True)
        return np.where(found >= top * (1 + 1e-12), top, found)


def principal(axes: Axes, scale: Floats) -> tuple[Floats, Array]:
    """Variances (p, largest first) along the principal axes (p x p) of a covariance, in the columns' own unit."""
    half = axes.half() / scale
    p = half.shape[1]
    _, roots, Vt = scipy.linalg.svd(half, full_matrices=True) if len(half) else (None, np.zeros(0), np.eye(p))
    variances = np.zeros(p)
    with np.errstate(over="ignore"):
        variances[: len(roots)] = roots**2
    return variances, np.asarray(Vt.T)
