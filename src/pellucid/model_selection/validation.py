"""Cross-validation: scores on rows that a model has not seen, with what they cost."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import _safe_indexing

from pellucid.base.errors import DataError, ParameterError, PellucidWarning, format_message, join_some, warn
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Floats
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.scorers import get_scorer
from pellucid.model_selection.significance import ScoreInterval, score_interval

__all__ = ["CVResult", "cross_val_score", "cross_validate"]

Scorer = Callable[[Any, Any, Any], float]


class CVResult(dict[str, Any]):
    """What `cross_validate` found, by scikit-learn's keys; printed as a table. `interval` says how sure the mean is."""

    test_share: float = 0.0

    def interval(self, score: str = "score", level: float = 0.95) -> ScoreInterval:
        """Mean and confidence interval of a score over the folds, corrected for their common training rows."""
        key = f"test_{score}"
        if key not in self:
            known = join_some(name.removeprefix("test_") for name in self if name.startswith("test_"))
            raise ParameterError(
                format_message("cross_validate", f"there is no score {score!r}", actual=f"there are {known}")
            )
        return score_interval(self[key], self.test_share, level)

    def __str__(self) -> str:
        shown = {key: values for key, values in self.items() if isinstance(values, np.ndarray) and values.ndim == 1}
        widths = {key: max(len(key), 10) for key in shown}
        lines = ["fold  " + "  ".join(f"{key:>{width}}" for key, width in widths.items())]
        folds = len(next(iter(shown.values())))
        for k in range(folds):
            lines.append(f"{k + 1:4d}  " + "  ".join(f"{values[k]:{widths[key]}.4g}" for key, values in shown.items()))
        lines.append("mean  " + "  ".join(f"{values.mean():{widths[key]}.4g}" for key, values in shown.items()))
        return "\n".join(lines)


@dataclass(frozen=True)
class Fold:
    """One fit: its scores and what it cost; no estimator where the fit failed."""

    scores: dict[str, float]
    train_scores: dict[str, float]
    fit_time: float
    score_time: float
    memory: float
    estimator: Any
    error: Exception | None = None


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    measure_memory: bool = False,
    error_score: Any = np.nan,
) -> CVResult:
    """Fits on all folds but one and scores on that one, for each in turn.

    Parameters
    ----------
    estimator, X, y, groups, cv, n_jobs, params, return_train_score, return_estimator, return_indices, error_score
        As in scikit-learn. Folds of a classifier keep the classes' shares.
    scoring : None for the estimator's own ``score``; a name of `get_scorer_names`; a function of (estimator, X, y); a
        list of names or a dict of them
    measure_memory : also the most memory (MB) that Python and NumPy held while fitting each fold; slows fitting down

    Returns
    -------
    Validation : a dict with ``test_score`` (or ``test_<name>``), ``fit_time``, ``score_time`` and what else was asked
        for, one entry a fold

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> found = cross_validate(LinearRegression(), [[1], [2], [3], [4]], [2, 4, 6, 8], cv=2)
    >>> found["test_score"].tolist()
    [1.0, 1.0]
    """
    X, y, folds = read_folds("cross_validate", estimator, X, y, groups, cv)
    scorers = scorers_of("cross_validate", scoring)
    settings = (scorers, dict(params or {}), return_train_score, measure_memory, error_score)
    calls = [(clone(estimator), X, y, train, test, *settings) for train, test in folds]
    done = run(fit_and_score, calls, n_jobs, "cross-validation", threads=is_ours(estimator))
    return _gather(done, folds, scorers, return_train_score, return_estimator, return_indices, measure_memory)


def cross_val_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
    error_score: Any = np.nan,
) -> Floats:
    """The score on each fold: ``cross_validate(...)["test_score"]``.

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> cross_val_score(LinearRegression(), [[1], [2], [3], [4]], [2, 4, 6, 8], cv=2).tolist()
    [1.0, 1.0]
    """
    if not (scoring is None or callable(scoring) or isinstance(scoring, str)):
        requirement = "scoring must be one score: None, a name or a function"
        raise ParameterError(
            format_message(
                "cross_val_score", requirement, actual=f"got {scoring!r}", hint="cross_validate takes several"
            )
        )
    found = cross_validate(
        estimator,
        X,
        y,
        groups=groups,
        scoring=scoring,
        cv=cv,
        n_jobs=n_jobs,
        params=params,
        error_score=error_score,
    )
    return np.asarray(found["test_score"])


def scorers_of(who: str, scoring: Any) -> dict[str, Scorer]:
    """The functions that score a model, by name."""
    if scoring is None:
        return {"score": lambda model, X, y: float(model.score(X) if y is None else model.score(X, y))}
    if callable(scoring) or isinstance(scoring, str):
        return {"score": get_scorer(scoring)}
    if isinstance(scoring, Mapping) and scoring:
        return {str(name): get_scorer(scorer) for name, scorer in scoring.items()}
    if isinstance(scoring, list | tuple | set) and scoring:
        return {str(name): get_scorer(name) for name in scoring}
    requirement = "scoring must be None, a name, a function of (estimator, X, y), or several of them"
    raise ParameterError(format_message(who, requirement, actual=f"got {scoring!r}"))


def fit_and_score(
    model: Any,
    X: Any,
    y: Any,
    train: Any,
    test: Any,
    scorers: dict[str, Scorer],
    params: dict[str, Any],
    with_train: bool,
    measure_memory: bool,
    error_score: Any,
) -> Fold:
    """Fits on some rows and scores on others."""
    X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
    y_train, y_test = (None, None) if y is None else (_safe_indexing(y, train), _safe_indexing(y, test))
    n = len(train) + len(test)
    given = {name: _safe_indexing(value, train) if _has_rows(value, n) else value for name, value in params.items()}
    if measure_memory:
        tracemalloc.start()
    began = time.perf_counter()
    try:
        model.fit(X_train, **given) if y is None else model.fit(X_train, y_train, **given)
    except Exception as error:
        if error_score == "raise":
            raise
        nothing = dict.fromkeys(scorers, float(error_score))
        return Fold(nothing, nothing, time.perf_counter() - began, 0.0, _peak(measure_memory), None, error)
    fitted = time.perf_counter()
    memory = _peak(measure_memory)
    scores = _score(model, X_test, y_test, scorers, error_score)
    scored = time.perf_counter()
    on_train = _score(model, X_train, y_train, scorers, error_score) if with_train else {}
    return Fold(scores, on_train, fitted - began, scored - fitted, memory, model)


def _score(model: Any, X: Any, y: Any, scorers: dict[str, Scorer], error_score: Any) -> dict[str, float]:
    """Each score; one that cannot be had is told, and stands as `error_score`."""
    found = {}
    for name, scorer in scorers.items():
        try:
            score = scorer(model, X, y)
        except Exception as error:
            if error_score == "raise":
                raise
            why = f"{type(error).__name__}: {str(error).rstrip('.')}"
            warn(format_message("cross_validate", f"{name} could not be had on a fold, {why}"), PellucidWarning)
            score = error_score
        found[name] = _number(name, score)
    return found


def _number(name: str, score: Any) -> float:
    try:
        return float(score)
    except (TypeError, ValueError):
        raise ParameterError(
            format_message("cross_validate", f"{name} must be a number", actual=f"got {score!r}")
        ) from None


def tell_failures(who: str, done: list[Fold]) -> None:
    """Says how many fits failed and why the first one did; refuses where all of them did."""
    failed = [fold.error for fold in done if fold.error is not None]
    if not failed:
        return
    why = f"the first with {type(failed[0]).__name__}: {str(failed[0]).rstrip('.')}"
    if len(failed) == len(done):
        raise DataError(format_message(who, f"no fold could be fitted, {why}", hint="error_score='raise' shows where"))
    warn(format_message(who, f"{len(failed)} of {len(done)} fits failed and have no score, {why}"), FitFailedWarning)


def _has_rows(value: Any, n: int) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str) and len(value) == n


def _peak(measured: bool) -> float:
    if not measured:
        return 0.0
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


def _gather(
    done: list[Fold],
    folds: list[Any],
    scorers: dict[str, Scorer],
    with_train: bool,
    with_estimator: bool,
    with_indices: bool,
    measure_memory: bool,
) -> CVResult:
    tell_failures("cross_validate", done)

    def column(of: Callable[[Fold], float]) -> Floats:
        return np.array([of(fold) for fold in done])

    found = CVResult(fit_time=column(lambda f: f.fit_time), score_time=column(lambda f: f.score_time))
    for name in scorers:
        found[f"test_{name}"] = column(lambda f, name=name: f.scores[name])  # type: ignore[misc]
        if with_train:
            found[f"train_{name}"] = column(lambda f, name=name: f.train_scores[name])  # type: ignore[misc]
    if measure_memory:
        found["memory"] = column(lambda f: f.memory)
    if with_estimator:
        found["estimator"] = [fold.estimator for fold in done]
    if with_indices:
        found["indices"] = {"train": [train for train, _ in folds], "test": [test for _, test in folds]}
    found.test_share = float(np.mean([len(test) / max(len(train), 1) for train, test in folds]))
    return found
