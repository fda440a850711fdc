"""A model after each of its iterations: curves of its scores as it learns."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import indexable
from sklearn.utils.validation import _num_samples

from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.metrics.scorers import check_scoring, get_scorer
from pellucid.model_selection.splits import train_test_split

__all__ = ["IterationCurve", "staged_curve"]

COUNTS = ("max_iter", "n_estimators", "n_epochs")


@dataclass(frozen=True, eq=False)
class IterationCurve:
    """Scores of a model after each iteration, on the rows fitted and on rows held out.

    best_iteration : where the score on rows held out is highest, the first of equals
    stopped_at : the last iteration, where patience ended it; None where the iterations were used up
    score_name : what was measured
    """

    iterations: Array
    train_scores: Floats
    test_scores: Floats
    best_iteration: int
    stopped_at: int | None = None
    score_name: str = "score"

    @property
    def best_score(self) -> float:
        """The highest score on rows held out."""
        return float(self.test_scores[list(self.iterations).index(self.best_iteration)])

    def __str__(self) -> str:
        some = np.unique(np.geomspace(1, len(self.iterations), 12).round().astype(int)) - 1
        lines = [f"{'iteration':>9}  {'train':>10}  {'held out':>10}"]
        for k in some:
            best = "  best" if self.iterations[k] == self.best_iteration else ""
            lines.append(f"{self.iterations[k]:9d}  {self.train_scores[k]:10.4g}  {self.test_scores[k]:10.4g}{best}")
        ending = "" if self.stopped_at is None else f", stopped after {count(self.stopped_at, 'iteration')}"
        return "\n".join([*lines, f"best: iteration {self.best_iteration} with {self.best_score:.4g}{ending}"])


def staged_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    test_size: float = 0.2,
    max_iterations: int = 100,
    iterations: str | None = None,
    scoring: Any = None,
    random_state: Any = 0,
) -> IterationCurve:
    """Scores after 1, 2, ... iterations (epochs, trees) of one run of a model.

    A curve of rows held out that turns down while that of the rows fitted goes on rising shows from which iteration on
    rows are learned by heart; `EarlyStopping` stops there.

    Parameters
    ----------
    estimator : one that is fitted in iterations: `GradientDescentRegressor`; any with ``partial_fit``; any with
        ``warm_start`` and a number of iterations
    X, y : rows to fit; X_test, y_test : rows to hold out; without them a share ``test_size`` of X is
    max_iterations : how far to go
    iterations : the parameter that counts iterations; "max_iter", "n_estimators" or "n_epochs" is found by itself
    scoring : as in `cross_validate`; one score
    random_state : seed of the split

    Examples
    --------
    >>> from pellucid.linear_model import GradientDescentRegressor
    >>> X, y = [[i / 10] for i in range(40)], [i / 5 + 1 for i in range(40)]
    >>> curve = staged_curve(GradientDescentRegressor(), X, y, max_iterations=50)
    >>> len(curve.iterations), bool(curve.test_scores[-1] > curve.test_scores[0])
    (50, True)
    """
    who = "staged_curve"
    parts = held_out(who, estimator, X, y, X_test, y_test, test_size, random_state)
    score = one_scorer(who, estimator, scoring)
    watch = Watch(score, parts, patience=None)
    for iteration, model in stages(who, estimator, parts[0], parts[1], max_iterations, iterations, {}):
        watch.see(iteration, model)
    return watch.curve(name_of(scoring))


class Watch:
    """Follows a model through its iterations: scores, the best model, and whether patience has ended."""

    def __init__(
        self,
        score: Callable[[Any, Any, Any], float],
        parts: tuple[Any, Any, Any, Any],
        patience: int | None,
        least: float = 0.0,
        keep: bool = False,
    ) -> None:
        self.score, self.patience, self.least, self.keep = score, patience, least, keep
        self.X, self.y, self.X_test, self.y_test = parts
        self.iterations: list[int] = []
        self.train: list[float] = []
        self.test: list[float] = []
        self.best_model: Any = None
        self._standard, self._since = -np.inf, 0

    def see(self, iteration: int, model: Any) -> bool:
        """Scores the model; True when it is time to stop."""
        train, test = self.score(model, self.X, self.y), self.score(model, self.X_test, self.y_test)
        if not np.isfinite(test):
            requirement, actual = (
                "scores of rows held out must be finite numbers",
                f"got {test} after iteration {iteration}",
            )
            raise DataError(format_message("early stopping", requirement, actual=actual))
        if self.keep and (not self.test or test > max(self.test)):
            self.best_model = copy.deepcopy(model)
        self.iterations.append(iteration)
        self.train.append(train)
        self.test.append(test)
        # What counts as an improvement is measured against the last one that counted, so that many small ones add up.
        if test > self._standard + self.least:
            self._standard, self._since = test, 0
        else:
            self._since += 1
        return self.patience is not None and self._since >= self.patience

    def curve(self, name: str, stopped: bool = False) -> IterationCurve:
        best = self.iterations[int(np.argmax(self.test))]
        end = self.iterations[-1] if stopped else None
        return IterationCurve(
            np.array(self.iterations), np.array(self.train), np.array(self.test), best, end, score_name=name
        )


def held_out(
    who: str, model: Any, X: Any, y: Any, X_test: Any, y_test: Any, size: float, random_state: Any
) -> tuple[Any, Any, Any, Any]:
    """Rows to fit and rows to hold out."""
    if y is None:
        raise DataError(format_message(who, "requires y to be passed, but the target y is None"))
    X, y = indexable(X, y)
    if (X_test is None) != (y_test is None):
        raise ParameterError(
            format_message(who, "rows held out need both a table and a target", actual="only one was given")
        )
    if X_test is not None:
        return (X, y, *indexable(X_test, y_test))
    if not 0 < size < 1 or round(size * _num_samples(X)) < 1:
        requirement = "the share of rows held out must lie between 0 and 1 and hold at least one row"
        raise ParameterError(format_message(who, requirement, actual=f"got {size!r} with n_samples={_num_samples(X)}"))
    labels = y if is_classifier(model) else None
    train, X_test, target, y_test = train_test_split(X, y, test_size=size, random_state=random_state, stratify=labels)
    return train, target, X_test, y_test


def one_scorer(who: str, estimator: Any, scoring: Any) -> Callable[[Any, Any, Any], float]:
    if not (scoring is None or callable(scoring) or isinstance(scoring, str)):
        raise ParameterError(
            format_message(who, "scoring must be one score: None, a name or a function", actual=f"got {scoring!r}")
        )
    scorer = check_scoring(estimator, None) if scoring is None else get_scorer(scoring)
    return lambda model, X, y: float(scorer(model, X, y))


def name_of(scoring: Any) -> str:
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


def stages(
    who: str, estimator: Any, X: Any, y: Any, most: int, name: str | None, params: dict[str, Any]
) -> Iterator[tuple[int, Any]]:
    """The model after each iteration. It may be the same object each time: copy what is to be kept."""
    if most < 1:
        raise ParameterError(format_message(who, "max_iterations must be at least 1", actual=f"got {most!r}"))
    known = estimator.get_params(deep=False)
    name = next((one for one in COUNTS if one in known), None) if name is None else name
    if name is not None and name in getattr(estimator, "path_parameters", ()):
        return _by_path(estimator, X, y, most, name, params)
    if hasattr(estimator, "partial_fit"):
        return _by_part(estimator, X, y, most, params)
    if name in known and "warm_start" in known:
        return _by_warm_start(estimator, X, y, most, str(name), params)
    requirement = f"{type(estimator).__name__} must be fitted in iterations that can be looked at"
    actual = "it has neither a path over its iterations, nor partial_fit, nor warm_start with a number of iterations"
    raise ParameterError(format_message(who, requirement, actual=actual))


def _by_path(estimator: Any, X: Any, y: Any, most: int, name: str, params: dict[str, Any]) -> Iterator[tuple[int, Any]]:
    """Runs of 32, 64, 128, ... iterations: at most twice the work of one that knew where it would stop."""
    done, size = 0, 32
    while done < most:
        end = min(size, most)
        with _unended():
            path = estimator.fit_path(name, range(done + 1, end + 1), X, y, **params)
        for place in range(len(path)):
            done += 1
            model = path[place]
            yield done, model
            if getattr(model, "n_iter_", done) < done:  # it ended by itself
                return
        size *= 2


def _by_part(estimator: Any, X: Any, y: Any, most: int, params: dict[str, Any]) -> Iterator[tuple[int, Any]]:
    model = clone(estimator)
    more = {"classes": np.unique(np.asarray(y))} if is_classifier(model) else {}
    for done in range(1, most + 1):
        model.partial_fit(X, y, **(more if done == 1 else {}), **params)
        yield done, model


def _by_warm_start(
    estimator: Any, X: Any, y: Any, most: int, name: str, params: dict[str, Any]
) -> Iterator[tuple[int, Any]]:
    """One more iteration a fit: a count of trees grows, a count of epochs is always one more."""
    model = clone(estimator).set_params(warm_start=True)
    for done in range(1, most + 1):
        model.set_params(**{name: done if name == "n_estimators" else 1})
        with _unended():
            model.fit(X, y, **params)
        yield done, model


@contextmanager
def _unended() -> Iterator[None]:
    """A run that is looked at on its way has not ended, and need not say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
