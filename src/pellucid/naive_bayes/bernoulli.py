"""Bernoulli naive Bayes: flags, such as whether a word stands in a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.naive_bayes._counts import CountClassifier, _real, log_ratio

__all__ = ["BernoulliNB"]


class BernoulliNB(CountClassifier):
    """Classes of flags: what is absent counts as much as what is present.

    With ``N_cj`` of the ``N_c`` rows of class c having column j,

        ``P(j | c) = (N_cj + alpha) / (N_c + 2 alpha)``    (alpha=1: Laplace, 0: none)
        ``P(j | c) = (N_cj + m p_j) / (N_c + m)``          m-estimate, with the prior chance p_j = 1/2 unless told

    and the score of a row is  ``ln P(c) + sum over present j of ln P(j | c) + sum over absent j of ln(1 - P(j | c))``.
    The sum over all absent columns is worked out once a class, and each row adds what its present ones change, so that
    a sparse table stays sparse. Of classes with equal scores the first in `classes_` is predicted.

    Without smoothing, a column that no row, or every row, of a class has can rule the class out (score -inf); a row
    that no class can have gets the priors. Prefer `MultinomialNB` where it matters how often a word occurs,
    `CategoricalNB` for columns with more than two values.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm
    feature_count_ : k x p sums N_cj
    feature_log_prob_ : k x p logarithms ln P(j | c)
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Two of two rows of a have the word, none of one of b: 3/4 and 1/3 with Laplace.

    >>> import numpy as np
    >>> from pellucid.naive_bayes import BernoulliNB
    >>> model = BernoulliNB().fit([[1], [1], [0]], ["a", "a", "b"])
    >>> np.exp(model.feature_log_prob_).round(4).tolist()
    [[0.75], [0.3333]]
    >>> model.predict_proba([[0]]).round(4).tolist()  # 2/3 1/4 : 1/3 2/3 = 3 : 4
    [[0.4286, 0.5714]]

    Notes
    -----
    scikit-learn's answers; `m` and `p` are additions. ln(1 - P) comes from the counts, not from P, and keeps its digits
    where P is close to 1. With ``binarize=None`` values outside 0 to 1 are refused (there: NaN).
    """

    binarize: float | None = param(
        default=0.0, low=0, doc="Values above this count as present; None: the table holds 0 and 1 already."
    )

    counts: ClassVar[bool] = False

    @property
    def _threshold(self) -> float | None:
        return self.binarize

    def _gather(self, d: Design, codes: Array) -> None:
        self._check_flags(d)
        super()._gather(d, codes)

    def _check_flags(self, d: Design) -> None:
        if self.binarize is not None:
            return
        values = d.numbers.tocoo().data if d.table.is_sparse else d.numbers
        wrong = np.argwhere((values < 0) | (values > 1))
        if len(wrong):
            place = tuple(wrong[0])
            i, j = (int(axis[place]) for axis in d.numbers.tocoo().coords) if d.table.is_sparse else place
            requirement, hint = (
                "with binarize=None X must hold 0 and 1",
                "binarize=0 counts everything above 0 as present",
            )
            actual = f"column {d.column_labels()[j]!r} holds {float(values[place]):g} in row {i}"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))

    def _prior_of_columns(self, d: Design, share: float) -> Floats:
        p = self.p
        if p is None or _real(p):
            values = np.full(d.n_cols, share if p is None else float(p))
        else:
            values = self._per_column(d, "p", p)
        if not ((values >= 0) & (values <= 1)).all():
            raise ParameterError(
                format_message(d.who, "p must hold probabilities from 0 to 1", actual=f"got {short_repr(p)}")
            )
        return values

    def _settle(self, d: Design) -> None:
        added, total = self._smoothing(d, 0.5)
        total = 2 * added if total is None else np.full(d.n_cols, total)
        rows = self.class_count_[:, None]
        absent = np.maximum(rows - self.feature_count_, 0.0)  # a difference of rounded sums
        self.feature_log_prob_: Floats = log_ratio(self.feature_count_ + added, rows + total)
        self._absent_log_: Floats = log_ratio(absent + (total - added), rows + total)

    def _form(self) -> tuple[Floats, Floats, Callable[[Design, Floats], Floats] | None]:
        present, absent = self.feature_log_prob_, self._absent_log_
        never, always = np.isneginf(present), np.isneginf(absent)
        if not (never.any() or always.any()):
            return present - absent, self.class_log_prior_ + absent.sum(axis=1), None
        present, absent = np.where(never, 0.0, present), np.where(always, 0.0, absent)

        def rule_out(d: Design, scores: Floats) -> Floats:
            # How many columns say no: those that are always there and now are not, and those that never are.
            no = self._linear(d, never.astype(np.float64) - always, always.sum(axis=1).astype(np.float64))
            return np.where(no > 0.0, -np.inf, scores)

        return present - absent, self.class_log_prior_ + absent.sum(axis=1), rule_out

    def _validate_predict(self, X: Any) -> Design:
        d = super()._validate_predict(X)
        self._check_flags(d)
        return d
