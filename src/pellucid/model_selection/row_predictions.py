"""Predictions of rows by models that have not seen them, the rows that are predicted worst, and nested validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from pellucid.base.errors import ParameterError, PellucidWarning, count, format_message, noun_list, warn
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.validation import CVResult, cross_validate

__all__ = ["WorstRows", "cross_val_predict", "largest_errors", "nested_cross_validate"]


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    method: str = "predict",
) -> Array:
    """The prediction of each row by a model that has not seen it; folds must hold every row out once, as scikit-learn.

    Examples
    --------
    >>> from pellucid.dummy import DummyRegressor
    >>> cross_val_predict(DummyRegressor(), [[0], [0], [0], [0]], [1.0, 3.0, 5.0, 7.0], cv=2).tolist()
    [6.0, 6.0, 2.0, 2.0]
    """
    X, y, folds = read_folds("cross_val_predict", estimator, X, y, groups, cv)
    rows = np.concatenate([test for _, test in folds])
    if not np.array_equal(np.sort(rows), np.arange(X.shape[0] if hasattr(X, "shape") else len(X))):
        requirement = "cross_val_predict only works for partitions: every row must be held out once"
        raise ParameterError(format_message("cross_val_predict", requirement))
    classes = np.unique(np.asarray(y)) if is_classifier(estimator) and method in ABSENT else None
    calls = [(clone(estimator), X, y, train, test, method, classes) for train, test in folds]
    parts = run(_predict_held_out, calls, n_jobs, "predictions", threads=is_ours(estimator))
    joined = np.concatenate(parts)
    return np.asarray(joined[np.argsort(rows, kind="stable")])


# What a class gets that is not among the training rows of a fold.
ABSENT = {
    "predict_proba": 0.0,
    "predict_log_proba": float(np.finfo(np.float64).min),
    "decision_function": float(np.finfo(np.float64).min),
}


def _predict_held_out(model: Any, X: Any, y: Any, train: Any, test: Any, method: str, classes: Array | None) -> Array:
    part = _safe_indexing(X, train)
    model.fit(part) if y is None else model.fit(part, _safe_indexing(y, train))
    found = np.asarray(getattr(model, method)(_safe_indexing(X, test)))
    known: Any = getattr(model, "classes_", classes)
    if classes is None or isinstance(known, list) or len(known) == len(classes):
        return found
    absent = [label for label in classes.tolist() if label not in set(np.asarray(known).tolist())]
    warn(
        format_message("cross_val_predict", f"a fold has no training row of {noun_list('label', map(repr, absent))}"),
        PellucidWarning,
    )
    whole = np.full((len(test), len(classes)), ABSENT[method])
    if found.ndim == 1:  # two classes: the decision is one number, for the second of them
        found = np.column_stack([-found, found])
    whole[:, np.searchsorted(classes, known)] = found
    return whole


@dataclass(frozen=True, eq=False)
class WorstRows:
    """The rows that a model gets most wrong, worst first; ``by`` holds the mean error of each value of a column."""

    rows: Array
    errors: Floats
    predictions: Array
    all_errors: Floats
    by: dict[Any, tuple[int, float]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{'row':>8}  {'error':>12}  prediction"]
        lines += [f"{r:8d}  {e:12.6g}  {p}" for r, e, p in zip(self.rows, self.errors, self.predictions, strict=True)]
        if self.by:
            lines += ["", f"{'slice':>16}  {'rows':>6}  mean error (all rows {self.all_errors.mean():.6g})"]
            lines += [f"{value!s:>16}  {n:6d}  {error:.6g}" for value, (n, error) in self.by.items()]
        return "\n".join(lines)


def largest_errors(
    model: Any, X: Any, y: Any, n: int = 10, *, by: Any = None, cv: Any = 5, random_state: Any = 0
) -> WorstRows:
    """Error analysis: which rows are predicted worst by a model that has not seen them, and in which slices.

    The error of a row is ``|y - prediction|`` for a regressor; for a classifier 1 less the probability given to the
    true class, or 0 and 1 where it gives none.

    Parameters
    ----------
    by : labels of the rows (a column, bins): the mean error of each, worst first

    Examples
    --------
    >>> from pellucid.dummy import DummyRegressor
    >>> largest_errors(DummyRegressor(), [[0]] * 4, [1.0, 1.0, 1.0, 9.0], n=1, cv=4).rows.tolist()
    [3]
    """
    if n < 1:
        raise ParameterError(format_message("largest_errors", "n must be at least 1", actual=f"got {n!r}"))
    X, y, folds = read_folds("largest_errors", model, X, y, None, cv, random_state)
    actual, predictions = np.asarray(y), cross_val_predict(model, X, y, cv=folds)
    if not is_classifier(model):
        errors = np.abs(actual.astype(np.float64) - predictions).reshape(len(actual), -1).max(axis=1)
    elif hasattr(model, "predict_proba"):
        given = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
        errors = 1 - given[np.arange(len(actual)), np.searchsorted(np.unique(actual), actual)]
    else:
        errors = (actual != predictions).astype(np.float64)
    worst = np.argsort(-errors, kind="stable")[:n]
    return WorstRows(worst, errors[worst], predictions[worst], errors, {} if by is None else _slices(by, errors))


def _slices(by: Any, errors: Floats) -> dict[Any, tuple[int, float]]:
    labels = np.asarray(by)
    if len(labels) != len(errors):
        requirement = "by must name the slice of every row"
        raise ParameterError(
            format_message("largest_errors", requirement, actual=f"got {len(labels)} for {count(len(errors), 'row')}")
        )
    found = {value: errors[labels == value] for value in np.unique(labels).tolist()}
    ordered = sorted(found.items(), key=lambda item: -float(item[1].mean()))
    return {value: (len(part), float(part.mean())) for value, part in ordered}


def nested_cross_validate(
    search: Any, X: Any, y: Any, *, cv: Any = 5, scoring: Any = None, n_jobs: int | None = None, random_state: Any = 0
) -> CVResult:
    """The score of *choosing and fitting*: a search with its own inner folds is fitted on each outer training part.

    The best score of a search is too good: it was chosen for being the best. Scores on the outer rows, which neither
    the fits nor the choice have seen, are honest. ``estimator`` holds the fitted search of every fold: choices that
    differ from fold to fold say that the choice itself is uncertain.

    Examples
    --------
    >>> from pellucid.model_selection import GridSearchCV
    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[float(i)] for i in range(20)], [3.0 * i + i % 3 for i in range(20)]
    >>> search = GridSearchCV(LinearRegression(), {"fit_intercept": [False, True]}, cv=3)
    >>> len(nested_cross_validate(search, X, y)["test_score"])
    5
    """
    X, y, folds = read_folds("nested_cross_validate", search, X, y, None, cv, random_state)
    return cross_validate(search, X, y, cv=folds, scoring=scoring, n_jobs=n_jobs, return_estimator=True)
