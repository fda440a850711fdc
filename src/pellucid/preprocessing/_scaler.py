"""What scalers share: the figures of the columns, and a straight line for each of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.errors import DataError, DataTypeError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, attach_weight, check_finite
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._column_map import ColumnMap


def or_one(scale: Floats) -> Floats:
    """A scale of 0, that of a constant column, becomes 1."""
    return np.where(scale == 0, 1.0, scale)


class Scaler(ColumnMap):
    """Puts every column through a line of its own:  ``(x - center) / divisor + offset``.

    A subclass writes `_fit` and `_line`, and `_limits` if results are kept between two numbers.
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.input_spec.sparse and not self._centering()
        return tags

    def _line(self) -> tuple[Any, Any, Any]:
        """Center, divisor and offset: one number a column, or one for all."""
        raise TypeError(f"{type(self).__name__} must write _line")

    def _limits(self) -> tuple[float, float]:
        return -np.inf, np.inf

    def _centering(self) -> str:
        """The parameter that moves zeros away, if it is on: sparse tables are refused then."""
        return ""

    def _refuse_centering(self, d: Design) -> None:
        if d.table.is_sparse and self._centering():
            requirement, actual = (
                "X must be dense to be centered",
                "Cannot center sparse matrices: every zero would be stored",
            )
            raise DataTypeError(
                format_message(
                    d.who, requirement, actual=actual, hint=f"pass {self._centering()}=False, or use X.toarray()"
                )
            )

    def _transform(self, d: Design) -> Any:
        self._refuse_centering(d)
        center, divisor, offset = self._line()
        low, high = self._limits()
        if d.table.is_sparse:
            values = np.clip(d.numbers.data / np.broadcast_to(divisor, d.n_cols)[d.numbers.indices], low, high)
            return self._stored(d, values)
        return self._written(d, _core.divide_columns, (center, divisor, offset, low, high))

    def inverse_transform(self, X: Any) -> Any:
        """The columns as they were before `transform`, up to rounding.

        Parameters
        ----------
        X : a table of scaled columns
        """
        d = self._validate_predict(X)
        self._refuse_centering(d)
        center, divisor, offset = self._line()
        if d.table.is_sparse:
            return self._stored(d, d.numbers.data * np.broadcast_to(divisor, d.n_cols)[d.numbers.indices])
        return self._written(d, _core.multiply_columns, (offset, divisor, center, -np.inf, np.inf))

    def _written(self, d: Design, write: Any, line: tuple[Any, ...]) -> Array:
        out = self._room(d)
        rows = np.array([np.broadcast_to(parameter, d.n_cols) for parameter in line], dtype=np.float64)
        if not write(d.matrix, rows, out, self._threads):
            check_finite(d, allow_nan=True)
        return out


class FiguresScaler(Scaler):
    """A scaler that knows its columns by `Figures` alone, and so can learn in parts. A subclass writes `_learn`."""

    def _read(self, d: Design) -> Figures:
        return Figures.read(d, self._threads)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_centering(d)
        self._take(self._read(d), d)

    def _take(self, figures: Figures, d: Design) -> None:
        if not np.isfinite(figures.weight).all():
            requirement, hint = (
                "the sum of sample_weight must fit into float64",
                "divide the weights by a constant before",
            )
            raise DataError(format_message(d.who, requirement, actual="it does not", hint=hint))
        check_range(figures.low, figures.high, d.who, d.column_labels())
        self._learn(figures)
        self._figures_ = figures

    def _learn(self, figures: Figures) -> None:
        raise TypeError(f"{type(self).__name__} must write _learn")

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learns from one more part of a table: after all parts, what `fit` learns from the whole, up to rounding.

        Parameters
        ----------
        X : some rows of the table
        y : not looked at
            There for scikit-learn's sake.

        Returns
        -------
        self
        """
        return self._fit_part(X, None)

    def _fit_part(self, X: Any, sample_weight: Any) -> Self:
        if not hasattr(self, "_figures_"):
            self._run_fit(X, None, sample_weight)
            return self
        self._check_params()
        d = self._validate_predict(X)
        self._refuse_centering(d)
        attach_weight(d, sample_weight)
        self._take(self._figures_.join(self._read(d)), d)
        return self


class EndsScaler(FiguresScaler):
    """One that needs the smallest and largest values alone."""

    def _read(self, d: Design) -> Figures:
        return Figures.read_ends(d, self._threads)
