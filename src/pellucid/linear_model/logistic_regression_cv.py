"""Logistic regression whose penalty is chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import check_cv

from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, count, format_message, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, Schema
from pellucid.estimator.trace import Trace
from pellucid.linear_model import _logistic as logistic
from pellucid.linear_model._logistic import Penalty, Problem, Solution
from pellucid.linear_model._logistic_model import LogisticClassifier
from pellucid.linear_model._routed import RoutedFolds
from pellucid.metrics.scorers import get_scorer

__all__ = ["LogisticRegressionCV"]

Folds = list[tuple[Array, Array]]


def _strengths(value: Any) -> str | None:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return None if value >= 1 else f"Cs must be a whole number of at least 1, or numbers above 0; got {value!r}"
    try:
        strengths = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return f"Cs must be numbers above 0; got {value!r}"
    fine = strengths.ndim == 1 and len(strengths) and (strengths > 0).all()
    return None if fine else f"Cs must be numbers above 0; got {value!r}"


def _shares(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None
    try:
        ratios = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return f"l1_ratios must be numbers from 0 to 1; got {value!r}"
    fine = ratios.ndim == 1 and len(ratios) and ((ratios >= 0) & (ratios <= 1)).all()
    return None if fine else f"l1_ratios must be numbers from 0 to 1; got {value!r}"


class LogisticRegressionCV(RoutedFolds, LogisticClassifier):
    """Logistic regression that tries several strengths of its penalty on held-out rows and keeps the best.

    For every C of `Cs` and every share of l1 of `l1_ratios` the model of `LogisticRegression` is fitted to each fold's
    training rows and scored on the rows held out. The pair whose scores have the highest sum is then fitted to all
    rows (``refit=True``), or the coefficients of each fold's own best pair are averaged.

    Along the path from the smallest C to the largest each fit starts where the one before ended, and every fold's table
    is made once for all of them; so a path costs little more than its last few fits.

    Prefer `GridSearchCV` over a pipeline where columns are scaled or selected on the same rows: here the folds share
    what was done to the table before.

    Attributes
    ----------
    classes_, coef_, intercept_, odds_ratios_, solver_, converged_, separated_ : as in LogisticRegression
    Cs_, l1_ratios_ : what was tried
    C_, l1_ratio_ : what was chosen; arrays with an entry a class (one of two) with ``use_legacy_attributes=True``
    scores_ : by class, folds x Cs (x l1_ratios); else an array, folds x l1_ratios x Cs
    coefs_paths_ : by class, folds x Cs (x l1_ratios) x (p + 1); else an array, folds x l1_ratios x Cs x k x (p + 1)
    n_iter_ : passes, 1 x folds x Cs (x l1_ratios); else folds x l1_ratios x Cs
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Parameters and attributes are scikit-learn 1.9's; it warns that defaults will change, this class does not. What it
    calls ``l1_ratio_ = None`` is a number here.

    Examples
    --------
    One column with some noise: a penalty that leaves nothing of it is no use.

    >>> from pellucid.linear_model import LogisticRegressionCV
    >>> X, y = [[-3], [-2], [-1], [0], [0], [1], [2], [3]], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> model = LogisticRegressionCV(Cs=[1e-6, 1.0], cv=2, scoring="neg_log_loss", use_legacy_attributes=False)
    >>> model.fit(X, y).C_
    1.0
    """

    Cs: Any = param(
        default=10,
        check=_strengths,
        doc="Values of C, or how many of them from 1e-4 to 1e4, evenly by their logarithm.",
    )
    l1_ratios: list | tuple | np.ndarray | Literal["warn"] | None = param(  # type: ignore[type-arg]
        default=None, check=_shares, doc="Shares of l1 in the penalty to be tried; None for l2 alone."
    )
    cv: Any = param(default=None, doc="Folds: their number, a splitter, or pairs of rows; None for 5, stratified.")
    scoring: Any = param(
        default=None, doc="What is to be high: a name of `pellucid.metrics.get_scorer_names`, a scorer; None: accuracy."
    )
    refit: bool = param(
        default=True, doc="Fit the best pair to all rows? Else the folds' best coefficients are averaged."
    )
    use_legacy_attributes: bool | Literal["warn"] = param(
        default=True, doc="Attributes by class, as scikit-learn has them until 1.10? False for plain arrays."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        ratios = self._ratios()
        self.Cs_ = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, (int, np.integer)) else np.array(self.Cs, float)
        self.l1_ratios_ = np.array(ratios)
        problem = self._problem(d, Penalty(1.0, ratios[0]))
        folds = self._folds(problem)
        shape = (len(folds), len(ratios), len(self.Cs_))
        scores, passes = np.zeros(shape), np.zeros(shape, dtype=np.int32)
        paths = np.zeros((*shape, problem.outputs, d.n_cols + 1))
        unfinished = 0
        for i, (train, test) in enumerate(folds):
            score_fold = self._held_out(problem, test)
            train_problem = problem.rows(train)
            for j, ratio in enumerate(ratios):
                for c, fold_solution in self._path(self._by(train_problem, ratio), ratio):
                    scores[i, j, c] = score_fold(fold_solution)
                    passes[i, j, c] = max(fold_solution.passes)
                    paths[i, j, c] = np.hstack([fold_solution.coef, fold_solution.intercept[:, None]])
                    unfinished += "count" in fold_solution.stops
        best = self._choose(scores, ratios)
        if self.refit:
            first = paths[:, best[1], best[0]].mean(axis=0)
            best_penalty = Penalty(*_pair(self.Cs_[best[0]], ratios[best[1]]))
            start = (np.ascontiguousarray(first[:, :-1]), np.ascontiguousarray(first[:, -1]))
            final_problem = self._by(problem, best_penalty.ratio)
            solution = logistic.solve(final_problem, best_penalty, start, trace, lambda w, b: self._attributes(d, w, b))
            unfinished += "count" in solution.stops
        else:
            final_problem, best_penalty, solution = self._averaged(problem, scores, paths, ratios)
        self._keep(final_problem, best_penalty, solution)
        self._warn_unfinished(unfinished, int(np.prod(shape)) + int(self.refit))
        self._keep_paths(scores, passes, paths if self.fit_intercept else paths[..., :-1])

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        """In double precision whatever X is in, as in scikit-learn."""
        return {"coef_": coef.copy(), "intercept_": intercept.copy()}

    def _ratios(self) -> list[float]:
        who, l1_ratios = type(self).__name__, None if isinstance(self.l1_ratios, str) else self.l1_ratios
        if self.penalty is None:
            requirement, actual = "there must be a penalty to choose", "got penalty=None"
            raise ParameterError(
                format_message(who, requirement, actual=actual, hint="LogisticRegression(C=inf) has none")
            )
        if self.penalty == "elasticnet" and l1_ratios is None:
            requirement = "penalty='elasticnet' needs l1_ratios, the shares of l1 to be tried"
            raise ParameterError(format_message(who, requirement, actual="got None", hint="l1_ratios=[0.1, 0.5, 0.9]"))
        fixed = {"l1": [1.0], "l2": [0.0]}.get(str(self.penalty))
        return fixed or ([0.0] if l1_ratios is None else [float(ratio) for ratio in l1_ratios])

    def _by(self, problem: Problem, ratio: float) -> Problem:
        """The problem with the solver that fits this share of l1."""
        d, penalty = problem.d, Penalty(1.0, ratio)
        solver = logistic.select_solver(d.who, self.solver, self.multi_class, penalty, d, len(self.classes_))
        return replace(problem, way=solver)

    def _folds(self, problem: Problem) -> Folds:
        labels = self.classes_[problem.codes]
        try:
            splitter = check_cv(self.cv, labels, classifier=True)
            pairs = splitter.split(problem.d.numbers, labels, **self._split_params)
            split_arrays = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
        except ValueError as error:
            raise DataError(format_message(problem.d.who, str(error).rstrip("."))) from error
        folds: Any = [
            tuple(np.flatnonzero(indices) if indices.dtype == bool else indices for indices in pair)
            for pair in split_arrays
        ]
        if problem.weight is not None and not all(problem.weight[train].any() for train, _ in folds):
            requirement = "every fold must have rows with a weight above zero to fit on"
            raise DataError(
                format_message(problem.d.who, requirement, actual="one has none", hint="use fewer folds, or another cv")
            )
        return list(folds)

    def _path(self, problem: Problem, ratio: float) -> Iterator[tuple[int, Solution]]:
        """The fits of one fold, from the strongest penalty to the weakest."""
        start = problem.zeros()
        for c in np.argsort(self.Cs_, kind="stable").tolist():
            penalty = Penalty(*_pair(self.Cs_[c], ratio))
            solution = logistic.solve(problem, penalty, start, Trace(), lambda w, b: {})
            start = (solution.coef, solution.intercept)
            yield c, solution

    def _held_out(self, problem: Problem, test: Array) -> Any:
        """A function that scores planes on the rows held out."""
        scorer, labels = self._scorer(), self.classes_[problem.codes[test]]
        X, weight = problem.d.numbers[test], problem.d.weight
        score_params = {} if weight is None or not _takes_weight(scorer) else {"sample_weight": weight[test]}

        def score(solution: Solution) -> float:
            return float(scorer(self._stand_in(problem, solution), X, labels, **score_params))

        return score

    def _stand_in(self, problem: Problem, solution: Solution) -> LogisticClassifier:
        """A fitted model with these planes, for a scorer."""
        model = LogisticClassifier(n_jobs=self.n_jobs)
        model.classes_, model._scheme_ = self.classes_, problem.way.scheme
        model._keep_schema(Schema(problem.d.n_cols, None, True))
        model._set_coef(solution.coef, solution.intercept)
        return model

    def _scorer(self) -> Any:
        unset = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return get_scorer("accuracy" if unset else self.scoring)

    def _choose(self, scores: Floats, ratios: list[float]) -> tuple[int, int]:
        """Places of C and of the share of l1 with the highest sum over the folds, the first of equals."""
        sums = np.swapaxes(scores, 1, 2).sum(axis=0)  # Cs x ratios
        best = np.unravel_index(int(np.argmax(sums)), sums.shape)
        self.C_: Any = float(self.Cs_[best[0]])
        self.l1_ratio_: Any = float(ratios[best[1]])
        return int(best[0]), int(best[1])

    def _averaged(
        self, problem: Problem, scores: Floats, paths: Floats, ratios: list[float]
    ) -> tuple[Problem, Penalty, Solution]:
        flat = np.swapaxes(scores, 1, 2).reshape(len(scores), -1)
        best_indices = [divmod(int(best), len(ratios)) for best in flat.argmax(axis=1)]
        planes = np.mean([paths[i, j, c] for i, (c, j) in enumerate(best_indices)], axis=0)
        self.C_ = float(np.mean([self.Cs_[c] for c, _ in best_indices]))
        self.l1_ratio_ = float(np.mean([ratios[j] for _, j in best_indices]))
        solution = Solution(np.ascontiguousarray(planes[:, :-1]), np.ascontiguousarray(planes[:, -1]), [0], ["told"])
        return self._by(problem, self.l1_ratio_), Penalty(*_pair(self.C_, self.l1_ratio_)), solution

    def _keep_paths(self, scores: Floats, passes: Array, paths: Floats) -> None:
        if self.use_legacy_attributes is False:
            self.scores_: Any = scores
            self.n_iter_: Any = passes
            self.coefs_paths_: Any = paths
            return
        several = self.l1_ratios is not None and not isinstance(self.l1_ratios, str)
        by_c = np.swapaxes(scores, 1, 2)
        coefs = np.moveaxis(paths, 3, 0).swapaxes(2, 3)  # k x folds x Cs x ratios x (p + 1)
        labels = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.scores_ = dict.fromkeys(labels.tolist(), by_c if several else by_c[:, :, 0])
        self.coefs_paths_ = {
            label: np.ascontiguousarray(class_coefs if several else class_coefs[:, :, 0])
            for label, class_coefs in zip(labels.tolist(), coefs, strict=True)
        }
        self.n_iter_ = np.ascontiguousarray(np.swapaxes(passes, 1, 2))[None]
        if not several:
            self.n_iter_ = self.n_iter_[..., 0]
        self.C_, self.l1_ratio_ = (np.full(len(labels), value) for value in (self.C_, self.l1_ratio_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of `scoring` on these rows: accuracy unless told."""
        self._check_fitted()
        scorer = self._scorer()
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(scorer(self, X, y, **weight))

    def _warn_unfinished(self, unfinished: int, fits: int) -> None:
        if not unfinished:
            return
        passes = count(self.max_iter, "pass", "passes")
        requirement = f"tol={self.tol:g} was not reached in {passes} by {unfinished} of {fits} fits"
        hint = "raise max_iter, scale the columns, or try solver='auto'"
        warn(format_message(type(self).__name__, requirement, actual="", hint=hint), ConvergenceWarning)


def _pair(C: float, ratio: float) -> tuple[float, float]:
    return (0.0, 0.0) if np.isinf(C) else (float(1 / C), ratio)


def _takes_weight(scorer: Any) -> bool:
    try:
        names = signature(scorer).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.name == "sample_weight" or p.kind is Parameter.VAR_KEYWORD for p in names)
