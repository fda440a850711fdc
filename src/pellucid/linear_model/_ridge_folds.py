"""Penalties of ridge regression compared: by rows left out one at a time, and by parts of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.linear_model import _ridge as numerics
from pellucid.linear_model._least_squares import Moments, moments
from pellucid.linear_model._linear import check_representable

Split = tuple[Array, Array]


class _Told:
    """Stands in for a model whose answers are known: a scorer hands them over in the place of a table."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class ToldNumbers(_Told, RegressorMixin, BaseEstimator):
    """Predictions of a regressor."""

    def predict(self, predictions: Array) -> Array:
        return predictions


class ToldScores(_Told, ClassifierMixin, BaseEstimator):
    """Scores (n x k) of a classifier, whose `_said` makes its answers of them."""

    def __init__(self, classes: Any = None, decode: Callable[[str, Array], Array] | None = None) -> None:
        self.classes, self.said = classes, decode

    @property
    def classes_(self) -> Any:
        return self.classes

    def predict(self, predictions: Array) -> Array:
        assert self.said is not None
        return self.said("predict", predictions)

    def decision_function(self, predictions: Array) -> Array:
        assert self.said is not None
        return self.said("decision_function", predictions)


def is_scorer(scorer: Any) -> bool:
    """Does it ask a model for answers and compare them with the truth, and nothing else?"""
    return hasattr(scorer, "_score_func")


def accepts_weights(scorer: Any) -> bool:
    asks = getattr(scorer, "_accept_sample_weight", None)
    return bool(asks is not None and asks())


def rows_of(positions: Array) -> Array | slice:
    """Positions that follow each other as a slice: such rows need no copy."""
    if len(positions) and positions[-1] - positions[0] == len(positions) - 1 and (np.diff(positions) == 1).all():
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


class Folds:
    """The coefficients of all penalties on the training rows of each split.

    Where the test rows of all splits make up the table and a split trains on the others, as in k-fold, the moments of
    each part are found once: those of a training set are the sum of the other parts'. Each split then has one
    eigendecomposition for all penalties.
    """

    def __init__(self, d: Design, splits: Sequence[Split], center: bool, threads: int) -> None:
        self.d, self.splits, self.center, self.threads = d, splits, center, threads
        self.parts: list[Design] = []
        self.known: list[Moments] = []
        if self._complementary():
            self.parts = [numerics.part(d, rows_of(test)) for _, test in splits]
            self.known = [moments(design, center, threads) for design in self.parts]

    def _complementary(self) -> bool:
        n = self.d.n_rows
        counts = np.bincount(np.concatenate([test for _, test in self.splits]), minlength=n)
        if not (counts == 1).all() or self.d.n_cols > n:
            return False
        weight = self.d.weight
        if weight is not None and not all(weight[test].any() for _, test in self.splits):
            return False
        complete = all(len(train) + len(test) == n for train, test in self.splits)
        return complete and all(len(np.intersect1d(train, test)) == 0 for train, test in self.splits)

    def models(self, alphas: Floats) -> Iterator[tuple[Design, Floats, Floats]]:
        """Of each split: its test rows, the coefficients a x k x p, and the intercepts a x k."""
        for fold, (train, test) in enumerate(self.splits):
            m, factors, unit = self._factors(fold, train, float(alphas.min()))
            k = self.d.y.shape[1]
            coef = factors.coefficients(np.repeat(alphas[:, None] / unit, k, axis=1))
            with np.errstate(over="ignore", invalid="ignore"):
                intercept = m.mean_y - coef @ m.mean_x if self.center else np.zeros(coef.shape[:2])
            if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
                check_representable(self.d, coef, intercept)
            yield self.parts[fold] if self.parts else numerics.part(self.d, rows_of(test)), coef, intercept

    def _factors(self, fold: int, train: Array, alpha_min: float) -> tuple[Moments, numerics.Spectrum, float]:
        if self.parts:
            other_folds = [i for i in range(len(self.parts)) if i != fold]
            unit = max(self.parts[i].unit_weight[1] for i in other_folds)
            m = numerics.merged([self.parts[i] for i in other_folds], [self.known[i] for i in other_folds], unit)
            primal = numerics.of_moments(m)
            if numerics.accurate(primal, alpha_min / unit):
                return m, primal, unit
        d = numerics.part(self.d, rows_of(train))
        m = numerics.moments_of(d, self.center, self.threads)
        unit = d.unit_weight[1]
        return m, numerics.spectrum(d, m, alpha_min / unit, self.threads), unit
