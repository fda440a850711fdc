"""Searching settings: scikit-learn's searches, with candidates that can be fitted together fitted together."""

from __future__ import annotations

import time
from collections import defaultdict
from inspect import signature
from typing import Any, Self

from joblib import effective_n_jobs
from sklearn import get_config
from sklearn import model_selection as theirs
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.model_selection import _search as search_parts
from sklearn.model_selection import _search_successive_halving as halving
from sklearn.model_selection._validation import (
    _fit_and_score,
    _insert_error_scores,
    _score,
    _warn_or_raise_about_fit_failures,
)
from sklearn.utils import indexable
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, _num_samples

from pellucid.base.errors import PellucidWarning, format_message, warn
from pellucid.base.parallel import is_ours, run
from pellucid.metrics.scorers import check_scoring, get_scorer_names
from pellucid.model_selection.sharing import group_candidates, shared_fits

__all__ = [
    "GridSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "ParameterGrid",
    "ParameterSampler",
    "RandomizedSearchCV",
]

Result = dict[str, Any]
# Scores have our names.
_SCORING = {"scoring": [StrOptions(set(get_scorer_names())), callable, list, tuple, dict, None]}


class SharedSearch(search_parts.BaseSearchCV):
    """A search whose candidates share work; scikit-learn's classes say which candidates there are."""

    def _get_scorers(self) -> tuple[Any, Any]:
        scorers = check_scoring(self.estimator, self.scoring, self.error_score == "raise")
        several = not (self.scoring is None or callable(self.scoring) or isinstance(self.scoring, str))
        if several:
            self._check_refit_for_multimetric(scorers._scorers)
        return scorers, self.refit if several else "score"

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Finds the best settings by cross-validation, and fits with them to all rows unless ``refit=False``.

        Parameters
        ----------
        X, y : table and target
        params : for the estimator's ``fit``, the splitter (``groups``) and the scorer; what has one entry a row is cut
            with the rows

        Returns
        -------
        self
        """
        if hasattr(self, "_skl_callbacks") or hasattr(self, "_parent_callback_ctx"):
            return super().fit(X, y, **params)  # type: ignore[no-any-return]
        scorers, refit_metric = self._get_scorers()
        X, y = indexable(X, y)
        routed = self._get_routed_params_for_fit(_check_method_params(X, params=params))
        self._checked_cv_orig = theirs.check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        self._check_input_parameters(X=X, y=y, split_params=routed.splitter.split)
        self.n_splits_ = self._checked_cv_orig.get_n_splits(X, y, **routed.splitter.split)
        evaluation = _Evaluation(self, X, y, scorers, routed)
        context = self._init_callback_context(max_subtasks=None)
        if "callback_ctx" in signature(self._run_search).parameters:
            self._run_search(evaluation, callback_ctx=context)
        else:
            self._run_search(evaluation)
        self._choose(evaluation, refit_metric)
        if self.refit:
            self._refit(X, y, routed)
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        self.cv_results_ = evaluation.results
        return self

    def _choose(self, evaluation: _Evaluation, refit_metric: Any) -> None:
        first = evaluation.out[0]["test_scores"]
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            refit_metric = self.refit
        if self.refit or not self.multimetric_:
            results = evaluation.results
            self.best_index_ = self._select_best_index(self.refit, refit_metric, results)
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{refit_metric}"][self.best_index_]
            self.best_params_ = results["params"][self.best_index_]

    def _refit(self, X: Any, y: Any, routed: Any) -> None:
        self.best_estimator_ = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        began = time.perf_counter()
        given = routed.estimator.fit
        self.best_estimator_.fit(X, **given) if y is None else self.best_estimator_.fit(X, y, **given)
        self.refit_time_ = time.perf_counter() - began
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


class _Evaluation:
    """Scores candidates on all folds, when scikit-learn's ``_run_search`` asks; keeps what was found so far."""

    def __init__(self, search: Any, X: Any, y: Any, scorer: Any, routed: Any) -> None:
        self.search, self.X, self.y, self.scorer, self.routed = search, X, y, scorer, routed
        self.candidates: list[dict[str, Any]] = []
        self.out: list[Result] = []
        self.more: defaultdict[str, list[Any]] = defaultdict(list)
        self.results: dict[str, Any] = {}

    def __call__(
        self, candidate_params: Any, cv: Any = None, more_results: Any = None, callback_ctx: Any = None
    ) -> dict[str, Any]:
        candidates = list(candidate_params)
        folds = list((cv or self.search._checked_cv_orig).split(self.X, self.y, **self.routed.splitter.split))
        n = len(folds)
        if n != self.search.n_splits_:
            expected = f"Expected {self.search.n_splits_} splits, got {n}"
            raise ValueError(f"cv.split and cv.get_n_splits return inconsistent results. {expected}")
        if self.search.verbose > 0:
            total = len(candidates) * n
            print(f"Fitting {n} folds for each of {len(candidates)} candidates, totalling {total} fits")
        out = self._all(candidates, folds)
        if not out:
            raise ValueError("No fits were performed. Was the CV iterator empty? Were there no candidates?")
        _warn_or_raise_about_fit_failures(out, self.search.error_score)
        if callable(self.search.scoring):
            _insert_error_scores(out, self.search.error_score)
        self.candidates.extend(candidates)
        self.out.extend(out)
        for key, value in (more_results or {}).items():
            self.more[key].extend(value)
        self.results = self.search._format_results(self.candidates, n, self.out, self.more)
        return self.results

    def _all(self, candidates: list[dict[str, Any]], folds: list[Any]) -> list[Result]:
        """One result a candidate and fold, candidates first."""
        s = self.search
        can_share = not get_config()["enable_metadata_routing"]
        together = group_candidates(s.estimator, candidates, can_share)
        calls = [
            (
                s.estimator,
                [candidates[place] for place in places],
                self.X,
                self.y,
                train,
                test,
                self._settings(),
            )
            for places in together
            for train, test in folds
        ]
        threads = is_ours(s.estimator) and effective_n_jobs(s.n_jobs) > 1
        found = run(evaluate, calls, s.n_jobs, "search", threads=threads)
        out: list[Result] = [{}] * (len(candidates) * len(folds))
        for call, results in enumerate(found):
            places, fold = together[call // len(folds)], call % len(folds)
            for place, result in zip(places, results, strict=True):
                out[place * len(folds) + fold] = result
        return out

    def _settings(self) -> dict[str, Any]:
        return {
            "scorer": self.scorer,
            "fit_params": self.routed.estimator.fit,
            "score_params": self.routed.scorer.score,
            "return_train_score": self.search.return_train_score,
            "error_score": self.search.error_score,
            "verbose": self.search.verbose,
        }


def evaluate(
    estimator: Any, candidates: list[dict[str, Any]], X: Any, y: Any, train: Any, test: Any, settings: dict[str, Any]
) -> list[Result]:
    """Results of candidates on one fold: together where that goes well, one by one where a fit fails."""
    if len(candidates) > 1:
        try:
            return _together(estimator, candidates, X, y, train, test, settings)
        except Exception as error:
            # Alone, each candidate fails or not by itself, and scikit-learn's way with failures holds.
            warn(
                format_message("search", f"candidates are fitted one by one, since together they failed: {error}"),
                PellucidWarning,
            )
    return [_alone(estimator, candidate, X, y, train, test, settings) for candidate in candidates]


def _alone(
    estimator: Any, candidate: dict[str, Any], X: Any, y: Any, train: Any, test: Any, settings: dict[str, Any]
) -> Result:
    found: Result = _fit_and_score(
        clone(estimator),
        X,
        y,
        train=train,
        test=test,
        parameters=candidate,
        return_n_test_samples=True,
        return_times=True,
        **settings,
    )
    return found


def _together(
    estimator: Any, candidates: list[dict[str, Any]], X: Any, y: Any, train: Any, test: Any, settings: dict[str, Any]
) -> list[Result]:
    scorer, error_score = settings["scorer"], settings["error_score"]
    fit_params = _check_method_params(X, params=settings["fit_params"], indices=train)
    on_train, on_test = (_check_method_params(X, params=settings["score_params"], indices=i) for i in (train, test))
    X_train, y_train = _safe_split(estimator, X, y, train)
    X_test, y_test = _safe_split(estimator, X, y, test, train)
    out: list[Result] = [{}] * len(candidates)
    for fits in shared_fits(estimator, candidates, X_train, y_train, fit_params):
        began = time.perf_counter()
        asked = [answered if _is_scorer(scorer) else answered.model for answered in fits.models]
        scores = [_score(model, X_test, y_test, scorer, on_test, error_score) for model in asked]
        spent = (time.perf_counter() - began) / len(asked)
        for place, model, score in zip(fits.places, asked, scores, strict=True):
            out[place] = {
                "fit_error": None,
                "test_scores": score,
                "n_test_samples": _num_samples(X_test),
                "fit_time": fits.seconds,
                "score_time": spent,
            }
            if settings["return_train_score"]:
                out[place]["train_scores"] = _score(model, X_train, y_train, scorer, on_train, error_score)
    return out


def _is_scorer(scorer: Any) -> bool:
    """Does it ask a model for answers and its score alone? A user's own function may look at anything."""
    parts = getattr(scorer, "_scorers", {"": scorer})
    return all(hasattr(part, "_accept_sample_weight") for part in parts.values())


class GridSearchCV(theirs.GridSearchCV, SharedSearch):
    """Cross-validates every combination of settings, sharing work between them.

    Settings that one fit can answer are fitted together (`pellucid.model_selection.sharing`): the values of a parameter
    on an estimator's path, the common first steps of a pipeline, the degrees of a polynomial. Every score is what it
    would be if each setting were fitted alone; ``mean_fit_time`` and ``mean_score_time`` are the shares of the common
    work. Scores by name are `pellucid.metrics`'. With ``n_jobs`` the folds and groups run side by side while kernels
    keep to their share of the cores; a bar shows on a terminal what takes longer than a second. While scikit-learn's
    callbacks are listening, candidates are fitted one by one.

    Parameters
    ----------
    param_grid : values by name of parameter, or a list of such dicts
    estimator, scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As in scikit-learn; `get_scorer_names` lists the names of scores.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from pellucid.linear_model import LinearRegression
    >>> from pellucid.preprocessing import PolynomialFeatures
    >>> x = np.linspace(-1, 1, 60)
    >>> model = make_pipeline(PolynomialFeatures(), LinearRegression())
    >>> search = GridSearchCV(model, {"polynomialfeatures__degree": [1, 2, 3, 4]}, scoring="neg_mean_squared_error")
    >>> search.fit(x[:, None], x**3 - x + 0.1 * np.sin(50 * x)).best_params_
    {'polynomialfeatures__degree': 3}
    """

    _parameter_constraints = {**theirs.GridSearchCV._parameter_constraints, **_SCORING}


class RandomizedSearchCV(theirs.RandomizedSearchCV, SharedSearch):
    """Cross-validates settings drawn at random, sharing work between them.

    It shares work as `GridSearchCV` does.

    Parameters
    ----------
    param_distributions : lists or distributions (with ``rvs``) by name of parameter
    n_iter : how many are drawn
    random_state : seed of the draw
    others, and attributes : as in `GridSearchCV`

    Examples
    --------
    >>> from scipy.stats import randint
    >>> from pellucid.linear_model import GradientDescentRegressor
    >>> X, y = [[i / 10] for i in range(30)], [i / 5 + 1 for i in range(30)]
    >>> search = RandomizedSearchCV(
    ...     GradientDescentRegressor(tol=None), {"max_iter": randint(1, 100)}, n_iter=5, random_state=0, cv=3)
    >>> len(search.fit(X, y).cv_results_["params"])
    5
    """

    _parameter_constraints = {**theirs.RandomizedSearchCV._parameter_constraints, **_SCORING}


class HalvingGridSearchCV(halving.HalvingGridSearchCV, SharedSearch):
    """Tries all settings on few rows (or rounds), and the best share of them again on more, until few are left.

    It shares work as `GridSearchCV` does.

    Parameters
    ----------
    param_grid : values by name of parameter, or a list of such dicts
    factor, resource, max_resources, min_resources, aggressive_elimination, random_state
        As in scikit-learn.
    others, and attributes : as in `GridSearchCV`

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[i / 10, i % 3] for i in range(60)], [i / 5 + 1 for i in range(60)]
    >>> search = HalvingGridSearchCV(LinearRegression(), {"fit_intercept": [False, True]}, random_state=0)
    >>> search.fit(X, y).best_params_
    {'fit_intercept': True}
    """

    _parameter_constraints = {**halving.HalvingGridSearchCV._parameter_constraints, **_SCORING}


class HalvingRandomSearchCV(halving.HalvingRandomSearchCV, SharedSearch):
    """Draws settings at random, tries all on few rows (or rounds), and the best share of them again on more.

    It shares work as `GridSearchCV` does.

    Parameters
    ----------
    param_distributions : lists or distributions (with ``rvs``) by name of parameter
    n_candidates, factor, resource, max_resources, min_resources, aggressive_elimination, random_state
        As in scikit-learn.
    others, and attributes : as in `GridSearchCV`

    Examples
    --------
    >>> from scipy.stats import randint
    >>> from pellucid.linear_model import GradientDescentRegressor
    >>> X, y = [[i / 100] for i in range(300)], [i / 50 + 1 for i in range(300)]
    >>> search = HalvingRandomSearchCV(
    ...     GradientDescentRegressor(tol=None), {"max_iter": randint(1, 300)}, random_state=0, cv=3)
    >>> search.fit(X, y).n_candidates_[0] > search.n_candidates_[-1]
    True
    """

    _parameter_constraints = {**halving.HalvingRandomSearchCV._parameter_constraints, **_SCORING}
