"""Columns dropped one after another, the least important first."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.callback import with_callbacks
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, PellucidWarning, count, format_message, warn
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import OptionalTargetAndWeight
from pellucid.estimator.trace import Trace
from pellucid.feature_selection._selector import target_of
from pellucid.feature_selection._wrapped import (
    WrappedSelector,
    check_getter,
    fit_inside,
    importances_of,
    is_share,
    is_whole,
    part_of,
    squared,
)
from pellucid.metrics.scorers import get_scorer
from pellucid.model_selection._folds import read_folds

__all__ = ["RFE", "RFECV"]


def _check_number(value: Any) -> str | None:
    words = "n_features_to_select must be None, a whole number above 0, or a share above 0 and at most 1"
    return None if value is None or is_whole(value) or is_share(value) else f"{words}; got {value!r}"


def _check_step(value: Any) -> str | None:
    words = "step must be a whole number above 0, or a share between 0 and 1"
    return None if is_whole(value) or (is_share(value) and value < 1) else f"{words}; got {value!r}"


def _has(name: str) -> Callable[[Any], bool]:
    """Does the model inside have a method?"""

    def check(self: Any) -> bool:
        getattr(self.estimator_ if hasattr(self, "estimator_") else self.estimator, name)
        return True

    return check


class Stage(NamedTuple):
    """One fit on the columns still in: their importances, and how the others rank."""

    support: Flags
    ranking: Array
    importances: Floats
    score: float


class Elimination:
    """Fits, drops the least important columns, and fits again, until `least` are left."""

    def __init__(self, who: str, model: Any, getter: Any, step: float, verbose: int = 0) -> None:
        self.who, self.model, self.getter, self.step, self.verbose = who, model, getter, step, verbose

    def run(
        self, part: Callable[[Array], Any], p: int, y: Any, least: int, score: Callable[..., float] | None, **more: Any
    ) -> tuple[list[Stage], Any]:
        """Every stage, the widest first, and the model of the last.

        part : the columns at some positions, as the model gets them
        score : a function of (fitted model, positions), asked at every stage
        """
        step = int(max(1, self.step * p)) if self.step < 1 else int(self.step)
        support, ranking, stages = np.ones(p, dtype=bool), np.ones(p, dtype=int), list[Stage]()
        while True:
            columns = np.flatnonzero(support)
            last = len(columns) <= least
            if self.verbose and not last:
                print(f"Fitting estimator with {len(columns)} features.")
            model = fit_inside(clone(self.model), part(columns), y, **more)
            worth = squared(importances_of(self.who, model, self.getter)) if not last else np.empty(0)
            scored = float("nan") if score is None else score(model, columns)
            stages.append(Stage(support.copy(), ranking.copy(), worth, scored))
            if last:
                return stages, model
            self._check_length(worth, columns)
            going = columns[np.argsort(worth, kind="stable")[: min(step, len(columns) - least)]]
            support[going] = False
            ranking[~support] += 1

    def _check_length(self, worth: Floats, columns: Array) -> None:
        if len(worth) != len(columns):
            requirement = "importances must be one number a column"
            raise ParameterError(
                format_message(self.who, requirement, actual=f"got {len(worth)} for {count(len(columns), 'column')}")
            )


class Eliminating(WrappedSelector):
    """What `RFE` and `RFECV` share: the fitted model answers for the chosen columns."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "fit") and not isinstance(self.estimator, type):
            inner = get_tags(self.estimator)
            tags.estimator_type = inner.estimator_type
            tags.classifier_tags = copy.copy(inner.classifier_tags)
            tags.regressor_tags = copy.copy(inner.regressor_tags)
            tags.target_tags = copy.copy(inner.target_tags)
        return tags

    def _keep(self, stages: list[Stage], model: Any) -> None:
        self.support_: Flags = stages[-1].support
        self.ranking_: Array = stages[-1].ranking
        self.n_features_ = int(self.support_.sum())
        self.estimator_ = model

    def _support(self) -> Flags:
        return self.support_.copy()

    def _chosen(self, X: Any) -> Any:
        return part_of(self._validate_predict(X), np.flatnonzero(self.support_))

    @property
    def classes_(self) -> Array:
        """The labels of a classifier."""
        return np.asarray(self.estimator_.classes_)

    @available_if(_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> Array:
        """What the model says of the chosen columns."""
        self._check_fitted()
        return np.asarray(self.estimator_.predict(self._chosen(X)))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, from the chosen columns."""
        self._check_fitted()
        return self.estimator_.predict_proba(self._chosen(X))

    @available_if(_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of the probability of each class."""
        self._check_fitted()
        return self.estimator_.predict_log_proba(self._chosen(X))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The scores that the model decides by, from the chosen columns."""
        self._check_fitted()
        return self.estimator_.decision_function(self._chosen(X))


class RFE(OptionalTargetAndWeight, Eliminating):
    """Fits a model, drops the columns it gives least weight to, and fits again, until few enough are left.

    Each round fits the model on the columns still in and drops the `step` with the smallest importance:  ``coef_j²``
    of a linear model (added up over several rows of coefficients), or ``feature_importances_``; of equals the first.

    The importance of a column is asked anew when others have gone, which one fit (`SelectFromModel`) does not do; no
    rows are held out, so the number of columns is yours to say: `RFECV` finds it. Coefficients depend on the unit of
    their column: bring the columns to one scale first. Where columns say the same, one may go early and the other stay.

    Attributes
    ----------
    support_ : one flag a column
    ranking_ : one number a column
        1 for those that stayed, 2 for those that went last, and so on.
    n_features_ : int
        How many stayed.
    estimator_ : the model, fitted to the chosen columns

    Examples
    --------
    ``y = 3 a + 0 b + c``: b goes first, then c.

    >>> from pellucid.feature_selection import RFE
    >>> from pellucid.linear_model import LinearRegression
    >>> X = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    >>> RFE(LinearRegression(), n_features_to_select=1).fit(X, [0, 3, 0, 1, 4]).ranking_.tolist()
    [1, 3, 2]

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, Gene selection for cancer classification using support vector
    machines, Machine Learning 46, 2002.
    """

    n_features_to_select: Any = param(
        default=None, check=_check_number, doc="How many columns stay, or which share of them; None for half."
    )
    step: Any = param(default=1, check=_check_step, doc="How many columns a round drops, or which share of all.")
    verbose: int = param(default=0, doc="Print how many columns each round has.")
    importance_getter: Any = param(
        default="auto", check=check_getter, doc="'auto', the name of an attribute, or a function of the fitted model."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_weight(d)
        least = self._least(d.n_cols)
        more = {} if d.weight is None else {"sample_weight": d.weight}
        way = Elimination(d.who, self.estimator, self.importance_getter, self.step, int(self.verbose))
        stages, model = way.run(lambda columns: part_of(d, columns), d.n_cols, target_of(d), least, None, **more)
        self._keep(stages, model)
        if trace.record:
            trace.take({"stages": _recorded(stages)})

    def _least(self, p: int) -> int:
        wanted = self.n_features_to_select
        if wanted is None:
            return max(p // 2, 1)
        if not isinstance(wanted, numbers.Integral):
            return max(int(p * float(wanted)), 1)
        if int(wanted) > p:
            requirement = f"Found n_features_to_select={wanted} > n_features={p}"
            actual = "There will be no feature selection and all features will be kept"
            warn(format_message(type(self).__name__, requirement, actual=actual), PellucidWarning)
        return min(int(wanted), p)

    @available_if(_has("score"))  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The model's own score on the chosen columns."""
        self._check_fitted()
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.estimator_.score(self._chosen(X), y, **more))


def _recorded(stages: list[Stage]) -> tuple[list[str], Floats]:
    """Importances of every stage, a row a stage; NaN for columns that were gone."""
    table = np.full((len(stages), len(stages[0].support) + 1), np.nan)
    for at, stage in enumerate(stages):
        table[at, 0] = stage.support.sum()
        if len(stage.importances):
            table[at, 1:][stage.support] = stage.importances
    return ["columns", *(f"importance_{j}" for j in range(table.shape[1] - 1))], table


class RFECV(Eliminating):
    """Drops columns one after another, as many as cross-validation says.

    On the training rows of every fold columns are dropped one after another down to `min_features_to_select`, and
    every set on the way is scored on the rows held out. The number of columns with the highest mean score is taken
    (the smallest of equals), and the elimination is run once more on all rows.

    ``cv_results_`` holds the curve of scores against the number of columns: where it is flat, fewer columns do as
    well. The score at its top is the best of several and so a little too good. Where importances mislead, as among
    columns that say the same, `SequentialFeatureSelector` goes by scores alone, at the price of more fits.

    Attributes
    ----------
    support_, ranking_, n_features_, estimator_ : as of `RFE`
    cv_results_ : dict
        ``n_features`` ascending; ``mean_test_score``, ``std_test_score`` and ``split<k>_test_score`` for each;
        ``split<k>_ranking`` and ``split<k>_support`` of the elimination on each fold.

    Examples
    --------
    ``y = 3 a + c`` on both halves of the rows; b says nothing, and the fewest columns that say all are two:

    >>> from pellucid.feature_selection import RFECV
    >>> from pellucid.linear_model import LinearRegression
    >>> X = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]] * 2
    >>> selector = RFECV(LinearRegression(), cv=2).fit(X, [0, 3, 0, 1, 4] * 2)
    >>> selector.n_features_, selector.get_support().tolist()
    (2, [True, False, True])
    >>> selector.cv_results_["mean_test_score"].round(4).tolist()
    [0.9116, 1.0, 1.0]
    """

    step: Any = param(default=1, check=_check_step, doc="How many columns a round drops, or which share of all.")
    min_features_to_select: int = param(default=1, low=1, doc="Fewest columns.")
    cv: Any = param(default=None, doc="Number of folds, a splitter, or pairs of rows; None for 5 folds.")
    scoring: Any = param(
        default=None, doc="A name, a function of (estimator, X, y), or None: accuracy of a classifier, else R²."
    )
    verbose: int = param(default=0, doc="Print how many columns each round has.")
    n_jobs: int | None = param(default=None, doc="Folds side by side; None means one, -1 all cores.")
    importance_getter: Any = param(
        default="auto", check=check_getter, doc="'auto', the name of an attribute, or a function of the fitted model."
    )

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Finds the number of columns, chooses them, and fits the model to them.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels or numbers
            The target.
        groups : one a row, for splitters that keep groups together

        Returns
        -------
        self
        """
        self._groups = groups
        try:
            self._run_fit(X, y, None)
        finally:
            del self._groups
        return self

    def _scorer(self) -> Any:
        return get_scorer(self.scoring or ("accuracy" if is_classifier(self.estimator) else "r2"))

    def _fit(self, d: Design, trace: Trace) -> None:
        y, p = target_of(d), d.n_cols
        if self.min_features_to_select > p:
            requirement = f"Found min_features_to_select={self.min_features_to_select} > n_features={p}"
            actual = "There will be no feature selection and all features will be kept"
            warn(format_message(d.who, requirement, actual=actual), PellucidWarning)
        least = min(self.min_features_to_select, p)
        table = part_of(d, range(p))
        _, _, folds = read_folds(d.who, self.estimator, table, y, getattr(self, "_groups", None), self.cv)
        way = Elimination(d.who, self.estimator, self.importance_getter, self.step, int(self.verbose))
        calls = [(way, table, y, train, test, p, least, self._scorer()) for train, test in folds]
        done = run(_one_fold, calls, self.n_jobs, "elimination of columns", threads=is_ours(self.estimator))
        sizes = np.array([int(stage.support.sum()) for stage in done[0]])[::-1]
        scores = np.array([[stage.score for stage in stages] for stages in done])[:, ::-1]
        best = int(sizes[np.argmax(scores.sum(axis=0))])
        stages, model = way.run(lambda columns: part_of(d, columns), p, y, best, None)
        self._keep(stages, model)
        self.cv_results_ = {
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            **{f"split{i}_test_score": row for i, row in enumerate(scores)},
            **{f"split{i}_ranking": np.array([s.ranking for s in part])[::-1] for i, part in enumerate(done)},
            **{f"split{i}_support": np.array([s.support for s in part])[::-1] for i, part in enumerate(done)},
            "n_features": sizes,
        }

    def score(self, X: Any, y: Any) -> float:
        """The score that `scoring` names, on the chosen columns."""
        self._check_fitted()
        return float(self._scorer()(self.estimator_, self._chosen(X), y))


def _one_fold(
    way: Elimination, X: Any, y: Any, train: Array, test: Array, p: int, least: int, scorer: Any
) -> list[Stage]:
    inner, outer = _safe_indexing(X, train), _safe_indexing(X, test)
    y_inner, y_outer = (None, None) if y is None else (_safe_indexing(y, train), _safe_indexing(y, test))

    def score(model: Any, columns: Array) -> float:
        return float(scorer(model, _safe_indexing(outer, columns, axis=1), y_outer))

    return way.run(lambda columns: _safe_indexing(inner, columns, axis=1), p, y_inner, least, score)[0]
