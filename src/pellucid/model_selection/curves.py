"""Scores against the number of training rows, and against a parameter: what would help, more data or another model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection._validation import _warn_or_raise_about_fit_failures
from sklearn.utils import check_random_state

from pellucid.base.errors import ParameterError, count, format_message, join_some
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.metrics.scorers import check_scoring, get_scorer
from pellucid.model_selection._folds import check_model, read_folds
from pellucid.model_selection.search import evaluate
from pellucid.model_selection.sharing import group_candidates
from pellucid.model_selection.validation import Fold, fit_and_score, scorers_of, tell_failures

__all__ = ["LearningCurve", "ValidationCurve", "learning_curve", "validation_curve"]

SHARES = (0.1, 0.325, 0.55, 0.775, 1.0)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Scores by number of training rows: one row a size, one column a fold. Unpacks like scikit-learn's tuple."""

    train_sizes: Array
    train_scores: Floats
    test_scores: Floats
    fit_times: Floats
    score_times: Floats
    with_times: bool = False

    def __iter__(self) -> Iterator[Array]:
        parts = (self.train_sizes, self.train_scores, self.test_scores, self.fit_times, self.score_times)
        return iter(parts if self.with_times else parts[:3])

    @property
    def gap(self) -> Floats:
        """Mean score on the rows fitted less the mean score on the others, at each size: what is learned by heart."""
        return np.asarray(self.train_scores.mean(axis=1) - self.test_scores.mean(axis=1))

    def __str__(self) -> str:
        lines = [f"{'rows':>8}  {'train':>10}  {'test':>10}  {'gap':>10}"]
        means = zip(
            self.train_sizes, self.train_scores.mean(axis=1), self.test_scores.mean(axis=1), self.gap, strict=True
        )
        return "\n".join([*lines, *(f"{n:8d}  {a:10.4g}  {b:10.4g}  {gap:10.4g}" for n, a, b, gap in means)])


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    train_sizes: ArrayLike | Sequence[float] = SHARES,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    shuffle: bool = False,
    random_state: Any = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: Mapping[str, Any] | None = None,
) -> LearningCurve:
    """Scores of a model fitted on ever more of the training rows.

    Two curves that have met at a low score say that the model is too simple: more rows will not help. A wide gap says
    that it learns rows by heart: more rows, or a simpler model, will.

    Parameters
    ----------
    estimator, X, y, groups, cv, scoring, n_jobs, shuffle, random_state, error_score, params
        As in scikit-learn; ``scoring`` as in `cross_validate`.
    train_sizes : shares of the training rows (floats up to 1) or numbers of rows
    return_times : unpack to five arrays, fit and score times last

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [1, 2, 3, 4, 5, 6]
    >>> sizes, train, test = learning_curve(LinearRegression(), X, y, train_sizes=[2, 4], cv=3)
    >>> sizes.tolist(), train.shape
    ([2, 4], (2, 3))
    """
    X, y, folds = read_folds("learning_curve", estimator, X, y, groups, cv)
    sizes = _sizes(train_sizes, min(len(train) for train, _ in folds))
    if shuffle:
        random = check_random_state(random_state)
        folds = [(random.permutation(train), test) for train, test in folds]
    scorers, given = scorers_of("learning_curve", scoring), dict(params or {})
    settings = (scorers, given, True, False, error_score)
    calls = [(clone(estimator), X, y, train[:size], test, *settings) for train, test in folds for size in sizes]
    done = run(fit_and_score, calls, n_jobs, "learning curve", threads=is_ours(estimator))
    tell_failures("learning_curve", done)
    table = np.empty((4, len(folds), len(sizes)))
    for place, fold in enumerate(done):
        table[:, place // len(sizes), place % len(sizes)] = _figures(fold)
    train_scores, test_scores, fit_times, score_times = (part.T for part in table)
    return LearningCurve(sizes, train_scores, test_scores, fit_times, score_times, return_times)


def _figures(fold: Fold) -> tuple[float, float, float, float]:
    (train,), (test,) = fold.train_scores.values(), fold.scores.values()
    return train, test, fold.fit_time, fold.score_time


def _sizes(train_sizes: Any, most: int) -> Array:
    asked = np.asarray(train_sizes)
    if asked.ndim != 1 or asked.size == 0 or asked.dtype.kind not in "iuf":
        requirement = "train_sizes must be a list of shares or numbers of rows"
        raise ParameterError(format_message("learning_curve", requirement, actual=f"got {train_sizes!r}"))
    numbers = asked.astype(int) if asked.dtype.kind in "iu" else (asked * most).astype(int)
    shares_are_right = asked.dtype.kind in "iu" or ((asked > 0) & (asked <= 1)).all()
    if shares_are_right and asked.dtype.kind == "f" and numbers.min() < 1:
        requirement, actual = "every size must have a row", f"{asked.min():g} of {count(most, 'training row')} is none"
        raise ParameterError(
            format_message(
                "learning_curve", requirement, actual=actual, hint="ask for larger shares, or numbers of rows"
            )
        )
    if not shares_are_right or numbers.min() < 1 or numbers.max() > most:
        requirement = f"train_sizes must be shares above 0 and at most 1, or 1 to {count(most, 'row')}"
        raise ParameterError(format_message("learning_curve", requirement, actual=f"got {join_some(asked.tolist())}"))
    return np.unique(numbers)


@dataclass(frozen=True, eq=False)
class ValidationCurve:
    """Scores by value of a parameter: one row a value, one column a fold. Unpacks like scikit-learn's pair."""

    param_name: str
    param_range: list[Any]
    train_scores: Floats
    test_scores: Floats

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.train_scores, self.test_scores))

    @property
    def best(self) -> Any:
        """The value with the highest mean score on rows that were not fitted; the first of equals."""
        return self.param_range[int(np.argmax(self.test_scores.mean(axis=1)))]

    def __str__(self) -> str:
        lines = [f"{self.param_name:>16}  {'train':>10}  {'test':>10}"]
        means = zip(self.param_range, self.train_scores.mean(axis=1), self.test_scores.mean(axis=1), strict=True)
        return "\n".join([*lines, *(f"{value!s:>16}  {a:10.4g}  {b:10.4g}" for value, a, b in means)])


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str,
    param_range: Sequence[Any],
    groups: Any = None,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    error_score: Any = np.nan,
    params: Mapping[str, Any] | None = None,
) -> ValidationCurve:
    """Scores of a model as one of its parameters takes several values.

    Where the score on fitted rows goes on rising and the other one falls, the model has become too flexible. Values
    that one fit can answer are fitted together, as in `GridSearchCV`.

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [9, 11, 10, 12, 11, 13]
    >>> validation_curve(LinearRegression(), X, y, param_name="fit_intercept", param_range=[False, True], cv=3).best
    True
    """
    values = list(param_range)
    if not values:
        raise ParameterError(
            format_message("validation_curve", "param_range must hold at least one value", actual="it is empty")
        )
    check_model("validation_curve", estimator)
    if param_name not in estimator.get_params():
        known = join_some(sorted(estimator.get_params()), limit=8)
        requirement = f"param_name must be a parameter of {type(estimator).__name__}"
        raise ParameterError(
            format_message("validation_curve", requirement, actual=f"got {param_name!r}; there are {known}")
        )
    X, y, folds = read_folds("validation_curve", estimator, X, y, groups, cv)
    if not (scoring is None or callable(scoring)):
        scoring = get_scorer(scoring)
    settings = {
        "scorer": check_scoring(estimator, scoring),
        "fit_params": dict(params or {}),
        "score_params": {},
        "return_train_score": True,
        "error_score": error_score,
        "verbose": 0,
    }
    candidates = [{param_name: value} for value in values]
    together = group_candidates(estimator, candidates, not get_config()["enable_metadata_routing"])
    calls = [
        (estimator, [candidates[place] for place in places], X, y, train, test, settings)
        for places in together
        for train, test in folds
    ]
    done = run(evaluate, calls, n_jobs, "validation curve", threads=is_ours(estimator))
    _warn_or_raise_about_fit_failures([result for results in done for result in results], error_score)
    train_scores, test_scores = np.empty((2, len(values), len(folds)))
    for call, results in enumerate(done):
        for place, result in zip(together[call // len(folds)], results, strict=True):
            train_scores[place, call % len(folds)] = result["train_scores"]
            test_scores[place, call % len(folds)] = result["test_scores"]
    return ValidationCurve(param_name, values, train_scores, test_scores)
