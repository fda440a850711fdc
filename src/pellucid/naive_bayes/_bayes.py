"""What every naive Bayes classifier shares: classes, priors, learning in parts, and from joint scores to answers."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, format_message, join_some, short_repr
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, attach_weight, infer_schema
from pellucid.estimator.roles import Classifier
from pellucid.estimator.single import check_same_classes, distinct_classes, recode, refuse_columns_of_labels
from pellucid.estimator.trace import Trace


class NaiveBayesClassifier(Classifier):
    """Labels by  ``argmax_c  ln P(c) + sum_j ln P(x_j | c)``:  the columns count as independent within a class.

    A subclass writes four steps and inherits everything else:

    * ``_begin(d)``: empty statistics for ``classes_`` and the columns of ``d``
    * ``_gather(d, codes)``: the statistics with the rows of ``d`` added, `codes` being their places in ``classes_``;
      new arrays, never a change of old ones in place, so that a part that fails leaves the model as it was
    * ``_settle(d)``: probabilities from the statistics; the class counts and priors are there already
    * ``_joint_log(d)``: n x K array of  ``ln P(c) + ln P(x | c)``,  -inf where a class cannot have the row

    Priors are the classes' shares of the rows, unless the parameter that `prior_name` names gives them, or `fit_prior`
    is declared and False: then all are alike. Of classes with equal scores the first in ``classes_`` is predicted.
    """

    prior_name: ClassVar[str] = "class_prior"
    prior_sums_to_one: ClassVar[bool] = False  # is a given prior refused that does not? Otherwise it is only a ratio

    # --------------------------------------------------------------------------------------------------------- learning

    def _begin(self, d: Design) -> None:
        raise TypeError(f"{type(self).__name__} must write _begin")

    def _gather(self, d: Design, codes: Array) -> None:
        raise TypeError(f"{type(self).__name__} must write _gather")

    def _settle(self, d: Design) -> None:
        raise TypeError(f"{type(self).__name__} must write _settle")

    def _fit(self, d: Design, trace: Trace) -> None:
        self.class_count_: Floats = np.zeros(len(self.classes_))
        self._begin(d)
        self._add(d)

    def _add(self, d: Design) -> None:
        """The rows of one table, counted in."""
        codes = d.y[:, 0].astype(np.int32)
        with np.errstate(over="ignore"):
            self.class_count_ = self.class_count_ + np.bincount(codes, d.weight, len(self.classes_))
            whole = bool(np.isfinite(self.class_count_.sum()))
        if not whole:
            raise DataError(
                format_message(
                    d.who, "sample_weight must have a finite sum", actual="it is infinite", hint="divide them all"
                )
            )
        self._set_prior()
        self._gather(d, codes)
        self._settle(d)

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from one more part of a table: afterward the model is that of all parts together.

        Parameters
        ----------
        X : some rows of the table
        y : their labels
        classes : all labels that any part may have; needed by the first call
        sample_weight : n numbers, optional
            How much each row counts; 2 counts like the row written twice.

        Returns
        -------
        self
        """
        self._check_params()
        before = {name: vars(self)[name] for name in self._fitted_names()}
        try:
            self._fit_part(X, y, classes, sample_weight)
        except BaseException:  # a part that fails, or is interrupted, leaves the estimator as it was
            self._forget()
            self.__dict__.update(before)
            raise
        return self

    def _fit_part(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        who, first = type(self).__name__, not hasattr(self, "classes_")
        if first:
            labels = _distinct(classes, who)
        elif classes is not None:
            check_same_classes(classes, _distinct(classes, who), self.classes_, who)
        d = infer_schema(X, self.input_spec, who) if first else self._validate_predict(X)
        if first:
            self.classes_ = labels
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        if first:
            self._keep_schema(d.schema)
        with serial_blas():
            self._fit(d, Trace()) if first else self._add(d)

    def _attach_target(self, d: Design, y: Any) -> None:
        known: Any = vars(self).get("classes_")  # in `fit` they are forgotten by now
        super()._attach_target(d, y)
        refuse_columns_of_labels(d)
        if known is not None:
            self.classes_ = known
            _recode_or_refuse(d, known)

    # ----------------------------------------------------------------------------------------------------------- priors

    def _set_prior(self) -> None:
        """`class_prior_` and its logarithm, from the parameter or from the classes' shares of the rows."""
        given = getattr(self, self.prior_name)
        if given is not None:
            prior = self._given_prior(given)
        elif getattr(self, "fit_prior", True):
            prior = self.class_count_ / self.class_count_.sum()
        else:
            prior = np.full(len(self.classes_), 1 / len(self.classes_))
        self.class_prior_: Floats = prior
        with np.errstate(divide="ignore"):  # a class without rows has prior 0
            self.class_log_prior_: Floats = np.log(prior)

    def _given_prior(self, given: Any) -> Floats:
        who, name = type(self).__name__, self.prior_name
        try:
            prior = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                format_message(who, f"{name} must hold one number a class", actual=f"got {short_repr(given)}")
            ) from None
        if prior.shape != (len(self.classes_),):
            actual = f"got {short_repr(given)} for the classes {join_some(map(repr, self.classes_.tolist()))}"
            raise ParameterError(
                format_message(who, f"{name}: Number of priors must match number of classes", actual=actual)
            )
        if not (np.isfinite(prior).all() and (prior >= 0).all() and prior.any()):
            requirement = f"{name}: Priors must be non-negative, finite and not all zero"
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(given)}"))
        if self.prior_sums_to_one and not np.isclose(prior.sum(), 1.0):
            actual = f"got {short_repr(given)}, which sum to {prior.sum():g}"
            hint = "divide them by their sum"
            raise ParameterError(
                format_message(who, f"{name}: The sum of the priors should be 1", actual=actual, hint=hint)
            )
        return prior

    # ---------------------------------------------------------------------------------------------------------- answers

    def _joint_log(self, d: Design) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _joint_log")

    def _undecided(self, d: Design, rows: Array) -> Floats:
        """Scores in place of those of the given rows, which are -inf for every class: the priors."""
        return np.tile(self.class_log_prior_, (len(rows), 1))

    def _best(self, d: Design) -> Array:
        """The place of the largest score of each row, the first of equals; -1 where all are -inf."""
        codes = np.empty(d.n_rows, dtype=np.int32)
        _core.best_classes(np.ascontiguousarray(self._joint_log(d)), codes, self._threads)
        return codes

    def _predict_codes(self, d: Design) -> Array:
        codes = self._best(d)
        rows = np.flatnonzero(codes < 0)
        if len(rows):
            codes[rows] = self._undecided(d, rows).argmax(axis=1)
        return codes

    def _posterior(self, d: Design, logarithm: bool) -> Floats:
        """P(c | x) = e^s_c / sum_k e^s_k, or its logarithm, with the largest score taken out of the sum."""
        scores = np.ascontiguousarray(self._joint_log(d))
        if _core.posterior(scores, logarithm, self._threads):
            rows = np.flatnonzero(np.isneginf(scores).all(axis=1))
            others = self._undecided(d, rows)
            _core.posterior(others, logarithm, self._threads)
            scores[rows] = others
        return self._delivered(d, scores)

    def _delivered(self, d: Design, values: Floats) -> Floats:
        """Scores or probabilities in the precision in which they leave."""
        return values

    def _predict_proba(self, d: Design) -> Floats:
        return self._posterior(d, logarithm=False)

    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of each class's probability, one column a class in the order of `classes_`."""
        return self._posterior(self._validate_predict(X), logarithm=True)

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """``ln P(c) + ln P(x | c)``  of each row and class, before the division by their sum."""
        d = self._validate_predict(X)
        return self._delivered(d, self._joint_log(d))


def _distinct(classes: Any, who: str) -> Array:
    found = distinct_classes(classes, who)
    if len(found) == 0:
        raise DataError(
            format_message(who, "classes must name at least one label", actual=f"got {short_repr(classes)}")
        )
    return found


def _recode_or_refuse(d: Design, known: Array) -> None:
    """Codes by the classes that are known."""
    new = recode(d, known)
    if new:
        requirement = f"The target label(s) {join_some(map(repr, new))} in y do not exist in the initial classes"
        actual = f"known are {join_some(map(repr, known.tolist()))}"
        hint = "name all labels as classes in the first partial_fit; show_fit takes the y of the fit"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
