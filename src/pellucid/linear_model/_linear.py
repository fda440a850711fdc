"""What every fitted linear model does with its coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse

from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, check_finite
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.models.linear import linear_predictor


class SparseCoefficients(Estimator):
    """Coefficients that can be kept as a sparse matrix, where most of them are zero."""

    def sparsify(self) -> Self:
        """Makes `coef_` a sparse matrix: less memory where more than half of the coefficients are zero (l1).

        Predictions stay the same. Call `densify` before `coef_` is read as an array.

        Returns
        -------
        self
        """
        self._check_fitted()
        self.coef_: Any = scipy.sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Makes `coef_` an array again.

        Returns
        -------
        self
        """
        self._check_fitted()
        dense = dense_coefficients(self.coef_)
        self.coef_ = dense.ravel() if isinstance(self, Regressor) else dense
        return self


def dense_coefficients(coef: Any) -> Array:
    """`coef_` as an array, sparse or not."""
    return np.asarray(coef.toarray()) if scipy.sparse.issparse(coef) else np.asarray(coef)


class LinearRegressor(Regressor):
    """Predicts ``intercept_ + coef_ . x``: `coef_` is p numbers for one target, k x p for k."""

    def _set_coef(self, coef: Array, intercept: Any) -> None:
        self.coef_: Array = coef
        self.intercept_: Any = intercept

    def _predict(self, d: Design) -> Array:
        check_finite(d, allow_nan=False)
        predicted = linear_predictor(d.matrix, self.coef_, self.intercept_, self._threads)
        predicted = predicted.astype(np.result_type(d.dtype, self.coef_), copy=False)
        return predicted[:, 0] if np.ndim(self.coef_) == 1 else predicted


class LinearClassifier(Classifier):
    """Decides by scores ``intercept_ + coef_ . x``: one a row for two classes, one a class for more.

    `coef_` is 1 x p for two classes and k x p for k. The second of two classes wins above zero; of several classes the
    one with the largest score, the first of equals.
    """

    def _set_coef(self, coef: Array, intercept: Array) -> None:
        self.coef_: Array = coef
        self.intercept_: Array = intercept

    def decision_function(self, X: Any) -> Array:
        """The linear score of each row: n numbers for two classes (of the second one), n x k for k classes."""
        scores = self._scores(self._validate_predict(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, d: Design) -> Floats:
        check_finite(d, allow_nan=False)
        scores = linear_predictor(d.matrix, dense_coefficients(self.coef_), self.intercept_, self._threads)
        return scores.astype(np.result_type(d.dtype, self.coef_.dtype), copy=False)

    def _predict_codes(self, d: Design) -> Array:
        scores = self._scores(d)
        return np.asarray((scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1))


def check_representable(d: Design, *arrays: Floats, hint: str = "rescale X or y") -> None:
    """Coefficients must not leave the range of the precision in which X came."""
    limit = float(np.finfo(d.dtype).max)
    if not all((np.abs(array) <= limit).all() for array in arrays):
        requirement, actual = f"coefficients must fit into {d.dtype}", "they are too large for columns this small"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))


def largest_square(d: Design, weight: Floats | None = None) -> float:
    """The largest squared length of a row, of those that count."""
    X = d.numbers
    with np.errstate(over="ignore"):
        if d.table.is_sparse:
            squares = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        else:
            X = np.ascontiguousarray(X)  # NumPy adds in another order for another layout
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    return float((squares if weight is None else squares[weight > 0]).max())


def row_numbers(words: str) -> Callable[[Any], str | None]:
    """The check of an order of rows that is given as a list; `words` are the other values that it may have."""

    def check(order: Any) -> str | None:
        values = np.asarray(order) if is_plain(order) else np.empty(())
        if order is None or (values.ndim == 1 and values.size and values.dtype.kind in "iu"):
            return None
        return f"order must be {words} or a list of row numbers; got {short_repr(order)}"

    return check


def is_plain(values: Any) -> bool:
    """An array, or a list that NumPy can read as one."""
    return isinstance(values, np.ndarray) or all(np.ndim(value) == 0 for value in values or ())
