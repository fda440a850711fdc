"""What naive Bayes of counts and of flags share: counting, smoothing, and scores that are linear in the row."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    count,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.naive_bayes._bayes import NaiveBayesClassifier

_LEAST_ALPHA = 1e-10


def _real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _check_alpha(value: Any) -> str | None:
    if _real(value) and not 0 <= value < np.inf:
        return f"alpha must be a number of at least 0, or one a column; got {value!r}"
    return None


class CountClassifier(NaiveBayesClassifier):
    """Naive Bayes by sums of each column within each class. A subclass writes `_settle` and `_form`."""

    alpha: Any = param(
        default=1.0,
        check=_check_alpha,
        doc="What is added to every count (1: Laplace, 0: none), or one number a column.",
    )
    force_alpha: bool = param(default=True, doc="False raises an alpha below 1e-10 to 1e-10, with a warning.")
    fit_prior: bool = param(default=True, doc="Priors by the classes' shares of the rows; False: all alike.")
    class_prior: Any = param(default=None, doc="Prior of each class, in the order of `classes_`, instead.")
    m: float | None = param(
        default=None, low=0, doc="m-estimate in place of alpha: a prior `p` that counts like m observations."
    )
    p: Any = param(default=None, doc="Prior probability of each column under the m-estimate; None: all alike.")

    counts: ClassVar[bool] = True  # are values below zero refused?
    input_spec = InputSpec(sparse=True, check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.counts
        tags.classifier_tags.poor_score = True
        return tags

    # --------------------------------------------------------------------------------------------------------- learning

    def _begin(self, d: Design) -> None:
        self.feature_count_: Floats = np.zeros((len(self.classes_), d.n_cols))

    def _gather(self, d: Design, codes: Array) -> None:
        found = np.empty_like(self.feature_count_)
        negative, odd = _core.class_counts(d.matrix, codes, d.weight, self._threshold, found, self._threads)
        self._check_values(d, negative, odd)
        with np.errstate(over="ignore"):
            self.feature_count_ = self.feature_count_ + found
            whole = bool(np.isfinite(self.feature_count_.sum()))
        if not whole:
            requirement, hint = "counts must have finite sums", "divide the table, or the weights, by a constant"
            raise DataError(
                format_message(d.who, requirement, actual="they are too large for 64-bit floats", hint=hint)
            )

    @property
    def _threshold(self) -> float | None:
        """A value above it counts as 1, others as 0; None: values count as they are."""
        return None

    def _check_values(self, d: Design, negative: bool, odd: bool) -> None:
        if odd:
            raise d.explain_not_finite()
        if negative and self.counts:
            raise DataError(self._negative(d))

    def _negative(self, d: Design) -> str:
        if d.table.is_sparse:
            at = int(np.flatnonzero(d.numbers.data < 0)[0])
            column, value = int(d.numbers.indices[at]), d.numbers.data[at]
            rows = [int(np.searchsorted(d.numbers.indptr, at, side="right")) - 1]
        else:
            column = int(np.flatnonzero((d.numbers < 0).any(axis=0))[0])
            rows = np.flatnonzero(d.numbers[:, column] < 0).tolist()
            value = d.numbers[rows[0], column]
        actual = f"column {d.column_labels()[column]!r} holds {float(value):g} in {noun_list('row', rows)}"
        requirement = f"Negative values in data passed to {d.who} (input X): counts must be zero or more"
        return format_message(
            d.who,
            requirement,
            actual=actual,
            hint="use GaussianNB for numbers of any sign, or cut the columns into bins",
        )

    # -------------------------------------------------------------------------------------------------------- smoothing

    def _smoothing(self, d: Design, share: float) -> tuple[Floats, Floats | float | None]:
        """What is added to each column's count, and under the m-estimate what is added to the class's total.

        share: the prior probability of a column unless `p` gives it.
        """
        if self.m is not None:
            return self.m * self._prior_of_columns(d, share), self.m
        if _real(self.alpha):
            alpha = np.full(d.n_cols, float(self.alpha))
        else:
            alpha = self._per_column(d, "alpha", self.alpha)
            if len(alpha) and alpha.min() < 0:
                actual = f"got {alpha.min():g} for column {d.column_labels()[int(alpha.argmin())]!r}"
                raise ParameterError(format_message(d.who, "alpha must hold numbers of at least 0", actual=actual))
        if not self.force_alpha and len(alpha) and alpha.min() < _LEAST_ALPHA:
            warn(
                f"{d.who}: alpha too small will result in numeric errors, setting alpha = {_LEAST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                PellucidWarning,
            )
            alpha = np.maximum(alpha, _LEAST_ALPHA)
        return alpha, None

    def _per_column(self, d: Design, name: str, given: Any) -> Floats:
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            actual = f"got {short_repr(given)}"
            raise ParameterError(
                format_message(d.who, f"{name} must hold one number a column", actual=actual)
            ) from None
        if values.shape != (d.n_cols,):
            actual = f"got {values.size}" if values.ndim == 1 else f"got an array of shape {values.shape}"
            actual = f"{actual} for {count(d.n_cols, 'column')}"
            raise ParameterError(format_message(d.who, f"{name} must hold one number a column", actual=actual))
        if not np.isfinite(values).all():
            raise ParameterError(
                format_message(d.who, f"{name} must hold finite numbers", actual=f"got {short_repr(given)}")
            )
        return values

    def _prior_of_columns(self, d: Design, share: float) -> Floats:
        if self.p is None:
            return np.full(d.n_cols, share)
        p = self._per_column(d, "p", self.p)
        if (p < 0).any() or not np.isclose(p.sum(), 1.0):
            actual = f"got {short_repr(self.p)}, which sum to {p.sum():g}"
            raise ParameterError(
                format_message(d.who, "p must hold probabilities of the columns that sum to 1", actual=actual)
            )
        return p

    # ---------------------------------------------------------------------------------------------------------- answers

    def _form(self) -> tuple[Floats, Floats, Callable[[Design, Floats], Floats] | None]:
        """Scores as  start_c + sum_j x_j table_cj  with a finite table; and what puts infinite ones right, if any."""
        raise TypeError(f"{type(self).__name__} must write _form")

    def _joint_log(self, d: Design) -> Floats:
        table, start, amend = self._form()
        scores = self._linear(d, table, start)
        return scores if amend is None else amend(d, scores)

    def _best(self, d: Design) -> Array:
        table, start, amend = self._form()
        if amend is not None:
            return super()._best(d)
        codes = np.empty(d.n_rows, dtype=np.int32)
        found = _core.linear_codes(
            d.matrix, np.ascontiguousarray(table), np.ascontiguousarray(start), self._threshold, codes, self._threads
        )
        self._check_values(d, *found)
        return codes

    def _linear(self, d: Design, table: Floats, start: Floats) -> Floats:
        """start_c + sum_j x_j table_cj, all of the table finite."""
        out = np.empty((d.n_rows, len(self.classes_)))
        table, start = np.ascontiguousarray(table), np.ascontiguousarray(start)
        negative, odd = _core.linear_scores(d.matrix, table, start, self._threshold, out, self._threads)
        self._check_values(d, negative, odd)
        return out


def log_ratio(count: Floats, total: Floats) -> Floats:
    """ln(count / total), -inf where the count is 0, also out of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(count > 0, np.log(count) - np.log(total), -np.inf)
