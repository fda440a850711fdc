"""What all discriminants share: classes as Gaussian bells, and the answers that follow from their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    format_message,
    join_some,
    short_repr,
    warn,
)
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, check_finite, infer_schema
from pellucid.discriminant_analysis._scatter import Scatters
from pellucid.estimator.path import FitPath
from pellucid.estimator.roles import Classifier
from pellucid.estimator.trace import Trace

_FAR = 1e300  # the size of scores that are too large for floats


def check_priors(priors: Any) -> str | None:
    """What is wrong with probabilities of the classes, as far as it shows without the classes."""
    if priors is None:
        return None
    try:
        values = np.asarray(list(priors.values()) if isinstance(priors, Mapping) else priors, dtype=np.float64)
    except (TypeError, ValueError):
        return f"priors must be numbers, one a class; got {short_repr(priors)}"
    if values.ndim != 1 or not np.isfinite(values).all() or (values < 0).any() or not values.any():
        return f"priors must be non-negative numbers, one a class, and not all zero; got {short_repr(priors)}"
    return None


def check_covariance_estimator(value: Any) -> str | None:
    """What is wrong with an estimator of covariances."""
    if value is None or hasattr(value, "fit"):
        return None
    return f"covariance_estimator must have a method fit; got {short_repr(value)}"


def priors_param(kw_only: bool = True) -> Any:
    """The declaration of `priors`, which stands at another place in each signature."""
    return param(
        default=None,
        kw_only=kw_only,
        check=check_priors,
        doc="Probability of each class before a row is seen: in the order of `classes_`, or {class: probability}. None "
        "for the classes' shares of the rows.",
    )


class GaussianClasses(Classifier):
    """A classifier whose classes are bells: a subclass writes `_settle` and `_class_scores`.

    `_class_scores` gives n x K scores of which the largest decides, and whose differences are log odds.
    """

    priors: Any
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    # ---------------------------------------------------------------------------------------------------------- fitting

    def _check_settings(self, d: Design) -> None:
        """What must hold between parameters, and between them and the data."""

    def _settle(self, d: Design, rows: Scatters) -> None:
        raise TypeError(f"{type(self).__name__} must write _settle")

    def _fit(self, d: Design, trace: Trace) -> None:
        rows = self._scatters(d)
        self._check_settings(d)
        self._settle(d, rows)

    def _scatters(self, d: Design) -> Scatters:
        """The classes of the rows, each with a row that counts."""
        if not d.y_is_vector:
            raise DataError(
                format_message(d.who, "y must be one column of labels", actual=f"got {d.y.shape[1]} columns")
            )
        codes, labels = d.y[:, 0].astype(np.int32), d.classes[0]
        counted = np.bincount(codes if d.weight is None else codes[d.weight > 0], minlength=len(labels))
        if len(labels) < 2:
            requirement = "The number of classes has to be greater than one"
            raise DataError(
                format_message(d.who, requirement, actual=f"got 1 class, {labels.tolist()[0]!r}", hint="look at y")
            )
        absent = [label for label, n in zip(labels.tolist(), counted, strict=True) if n == 0]
        if absent:
            requirement = "every class needs a row of weight above zero"
            actual = f"none for {join_some(map(repr, absent))}"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="leave these rows out, or give them weight")
            )
        return Scatters(d, codes, counted, self._threads)

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """One pass over the rows serves every setting."""
        if set(params) - {"sample_weight"}:
            return FitPath([model.fit(X, y, **params) for model in models])
        d = infer_schema(X, self.input_spec, type(self).__name__)
        attach_weight(d, params.get("sample_weight"))
        for model in models:
            model._forget()
            model._attach_target(d, y)
            model._keep_schema(d.schema)
        with serial_blas():
            rows = self._scatters(d)
            for model in models:
                model._check_settings(d)
                model._settle(d, rows)
        return FitPath(models)

    def _find_priors(self, d: Design, weight: Floats) -> Floats:
        """Probabilities of the classes, which add up to one."""
        if self.priors is None:
            return np.asarray(weight / weight.sum())
        labels = d.classes[0].tolist()
        if isinstance(self.priors, Mapping):
            absent = [label for label in labels if label not in self.priors]
            unknown = [label for label in self.priors if label not in labels]
            if absent or unknown:
                actual = (
                    f"no prior for {join_some(map(repr, absent))}"
                    if absent
                    else f"no class {join_some(map(repr, unknown))}"
                )
                raise ParameterError(format_message(d.who, "priors must have the classes of y as keys", actual=actual))
            given = np.array([self.priors[label] for label in labels], dtype=np.float64)
        else:
            given = np.asarray(self.priors, dtype=np.float64)
        if len(given) != len(labels):
            requirement = f"priors must be one number a class ({join_some(map(repr, labels))})"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {len(given)} for {len(labels)} classes")
            )
        if abs(given.sum() - 1) > 1e-5:
            requirement = "The priors do not sum to 1. Renormalizing"
            warn(format_message(d.who, requirement, actual=f"they sum to {given.sum():.6g}"), PellucidWarning)
            given = given / given.sum()
        return given

    # ---------------------------------------------------------------------------------------------------------- answers

    def _class_scores(self, d: Design) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _class_scores")

    def _checked(self, d: Design, scores: Floats) -> Floats:
        """NaN and infinity go through the kernels' sums: only where one came out is X looked through."""
        if not np.isfinite(scores).all():
            check_finite(d, allow_nan=False)
        return scores

    def _bounded(
        self, d: Design, scores: Floats, levels: Floats, scale: Floats, far: Callable[[Floats], Floats]
    ) -> Floats:
        """Scores, of which only those of a class without prior may be infinite.

        A row so far out that its scores are too large for floats gets those of its direction: `far` of its scaled
        columns, divided by the largest. So far out nothing else counts.
        """
        if np.isfinite(scores).all():
            return scores
        check_finite(d, allow_nan=False)
        live = np.flatnonzero(np.isfinite(levels))
        np.copyto(scores, levels, where=~np.isfinite(levels))
        rows = np.flatnonzero(~np.isfinite(scores[:, live]).all(axis=1))
        if len(rows):
            found = far(_directions(np.asarray(d.numbers[rows], dtype=np.float64), scale))[:, live]
            largest = np.abs(found).max(axis=1, keepdims=True)
            scores[np.ix_(rows, live)] = _FAR * (found / np.where(largest > 0, largest, 1.0))
        return scores

    def _told(self, d: Design, answers: Floats) -> Array:
        """Answers in the precision in which they are given."""
        return answers

    def decision_function(self, X: Any) -> Array:
        """The score of each class, n x K; for two classes the log odds of the second one, n numbers."""
        d = self._validate_predict(X)
        scores = self._class_scores(d)
        return self._told(d, scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores)

    def discriminant_values(self, X: Any) -> Array:
        """The discriminant function ``D_k(x)`` of every class, n x K also for two classes; the largest decides."""
        d = self._validate_predict(X)
        return self._told(d, self._class_scores(d))

    def _predict_codes(self, d: Design) -> Array:
        return np.asarray(self._class_scores(d).argmax(axis=1))

    def _predict_proba(self, d: Design) -> Array:
        return self._told(d, np.exp(_log_shares(self._class_scores(d))))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of the probability of each class, exact where the probability itself is too small to hold."""
        d = self._validate_predict(X)
        return self._told(d, _log_shares(self._class_scores(d)))


def _directions(X: Floats, scale: Floats) -> Floats:
    """Rows of the scaled columns, each divided by its largest entry."""
    Z = X / np.abs(X).max(axis=1, keepdims=True) * (scale / scale.max())
    return np.asarray(Z / np.abs(Z).max(axis=1, keepdims=True))


def _log_shares(scores: Floats) -> Floats:
    """ln softmax of every row, the largest score taken off first."""
    with np.errstate(over="ignore"):
        shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
