"""Ridge regression that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import check_cv

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, check_finite
from pellucid.estimator.roles import r2
from pellucid.estimator.trace import Trace
from pellucid.linear_model import _ridge as numerics
from pellucid.linear_model._least_squares import NORMAL_RCOND, Moments
from pellucid.linear_model._linear import LinearClassifier, LinearRegressor, check_representable
from pellucid.linear_model._ridge_classes import RidgeClasses, planes
from pellucid.linear_model._ridge_folds import Folds, Split, ToldNumbers, ToldScores, accepts_weights, is_scorer
from pellucid.linear_model._routed import RoutedFolds
from pellucid.linear_model.ridge import Answer, Ridge, RidgeBase, RidgeClassifier
from pellucid.metrics.scorers import check_scoring, get_scorer_names

__all__ = ["RidgeCV", "RidgeClassifierCV"]


def _grid(alphas: Any) -> str | None:
    try:
        values = np.asarray(alphas, dtype=np.float64)
    except (TypeError, ValueError):
        return f"alphas must be a list of numbers; got {short_repr(alphas)}"
    if values.ndim > 1 or values.size == 0:
        return f"alphas must be a list of at least one number; got {short_repr(alphas)}"
    wrong = [value for value in np.atleast_1d(values).tolist() if not 0 <= value < np.inf]
    return f"alphas must be finite numbers of at least 0; got {wrong[0]:g}" if wrong else None


def _score(scoring: Any) -> str | None:
    if scoring is None or callable(scoring) or scoring in get_scorer_names():
        return None
    return f"scoring must be the name of a score, a function or None; got {short_repr(scoring)}"


class RidgeCVBase(RoutedFolds):
    """What `RidgeCV` and `RidgeClassifierCV` share: the parameters, and the choice among penalties."""

    alphas: float | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default=(0.1, 1.0, 10.0),
        kw_only=False,
        check=_grid,
        doc="Strengths of the penalty to choose from; above 0 for leave-one-out (cv=None).",
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept? It is never penalized.")
    scoring: str | Callable[..., Any] | None = param(
        default=None,
        check=_score,
        doc="Score by which to choose, by name or as a function; None for the smallest squared error of rows left out, "
        "or with parts of the rows for R² (accuracy of a classifier).",
    )
    cv: object | None = param(
        default=None,
        doc="None for leave-one-out; a number of parts, a splitter, or a list of (training rows, test rows).",
    )
    store_cv_results: bool = param(default=False, doc="Keep what leave-one-out found of every row in `cv_results_`?")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True, check_finite="kernel")

    def _targets(self, d: Design) -> Design:
        return d

    def _fit(self, d: Design, trace: Trace) -> None:
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        self._check_choices(alphas)
        check_finite(d, allow_nan=False)
        fitted = self._targets(d)
        if self.cv is None:
            self._leave_one_out(d, fitted, alphas)
        else:
            self._by_parts(d, fitted, alphas)

    def _check_choices(self, alphas: Floats) -> None:
        who = type(self).__name__
        if self.cv is None and (alphas <= 0).any():
            requirement = "alphas must be above 0 for leave-one-out"
            hint = "leave 0 out, or set cv=5; LinearRegression is the model for alpha=0"
            raise ParameterError(format_message(who, requirement, actual=f"got {alphas[alphas <= 0][0]:g}", hint=hint))
        for name in ("store_cv_results", "alpha_per_target"):
            if self.cv is not None and getattr(self, name, False):
                requirement = f"cv!=None and {name}=True are incompatible"
                raise ParameterError(
                    format_message(
                        who, requirement, actual=f"got cv={short_repr(self.cv)}", hint="leave cv=None for leave-one-out"
                    )
                )

    # --------------------------------------------------------------------------------------------------- leave one out

    def _leave_one_out(self, d: Design, fitted: Design, alphas: Floats) -> None:
        counted = fitted.n_rows if fitted.weight is None else int(np.count_nonzero(fitted.weight))
        if counted < 2 and self.fit_intercept:
            requirement = "leave-one-out needs at least two rows of weight above zero"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got {count(counted, 'sample')}", hint="Ridge takes a single row"
                )
            )
        unit, k = fitted.unit_weight[1], fitted.y.shape[1]
        scaled = alphas / unit
        m = numerics.moments_of(fitted, self.fit_intercept, self._threads)
        stable = getattr(self, "gcv_mode", None) == "svd" and fitted.n_rows >= fitted.n_cols
        factors = numerics.spectrum(fitted, m, float(scaled.min()), self._threads, stable=stable)
        keep = self.store_cv_results or self.scoring is not None
        sums, errors = factors.leave_one_out(fitted, scaled, keep, self._threads)
        per_target = bool(getattr(self, "alpha_per_target", False)) and k > 1
        if self.scoring is None:
            scores = -sums / fitted.n_rows if per_target else -sums.mean(axis=0) / fitted.n_rows
        else:
            assert errors is not None
            scores = self._score_left_out(d, fitted, fitted.y[:, :, None] - errors, per_target)
        best = _best(scores)
        self._keep(fitted, factors, scaled, best, m)
        self.alpha_ = alphas[best] if per_target else float(alphas[best])
        self.alpha_scores_ = scores
        self.best_score_ = scores[np.arange(k), best] if per_target else float(scores[best])
        if self.store_cv_results:
            assert errors is not None
            self.cv_results_ = self._kept(d, fitted, errors)

    def _keep(self, fitted: Design, factors: numerics.Spectrum, alphas: Floats, best: Any, m: Moments) -> None:
        target_alphas = np.broadcast_to(alphas[best], (1, fitted.y.shape[1]))
        coef = factors.coefficients(np.ascontiguousarray(target_alphas))[0]
        with np.errstate(over="ignore", invalid="ignore"):
            intercept = m.mean_y - coef @ m.mean_x if self.fit_intercept else np.zeros(len(coef))
        self._take(fitted, Answer(coef, intercept, factors.way))

    def _take(self, fitted: Design, solution: Answer) -> None:
        check_representable(fitted, solution.coef, solution.intercept)
        self.__dict__.update(self._attributes(fitted, solution.coef, solution.intercept))

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        raise TypeError(f"{type(self).__name__} must write _attributes")

    def _kept(self, d: Design, fitted: Design, errors: Floats) -> Array:
        """Squared errors times the weight, or predictions where there is a score; n x a, or n x k x a."""
        if self.scoring is None:
            values = errors**2 if fitted.weight is None else errors**2 * fitted.weight[:, None, None]
        else:
            values = fitted.y[:, :, None] - errors
        values = values.astype(fitted.dtype)
        return values[:, 0] if d.y_is_vector and fitted.y.shape[1] == 1 and fitted is d else values

    def _score_left_out(self, d: Design, fitted: Design, predictions: Floats, per_target: bool) -> Floats:
        """Scores of every penalty (k x a if each target has its own) from predictions n x k x a of rows left out."""
        scorer = check_scoring(self, self.scoring)
        more = {} if fitted.weight is None else {"sample_weight": fitted.weight}
        model, truth = self._told(), self._truth(d)

        def score(predicted: Array, actual: Array) -> float:
            return float(scorer(model, np.ascontiguousarray(predicted), actual, **more))

        each = range(predictions.shape[2])
        if per_target:
            targets = range(predictions.shape[1])
            return np.array([[score(predictions[:, t, a], truth[:, t]) for a in each] for t in targets])
        flat = truth.ndim == 1 and fitted is d
        return np.array([score(predictions[:, 0, a] if flat else predictions[:, :, a], truth) for a in each])

    # --------------------------------------------------------------------------------------------------------- by parts

    def _by_parts(self, d: Design, fitted: Design, alphas: Floats) -> None:
        splits = self._splits(d)
        folds = Folds(fitted, splits, self.fit_intercept, self._threads)
        scorer = check_scoring(self._plain(alphas[0]), self.scoring)
        truth = self._truth(d)
        scores = np.empty((len(splits), len(alphas)))
        for fold, (rows, coef, intercept) in enumerate(folds.models(alphas)):
            actual = truth[splits[fold][1]]
            if self.scoring is None or is_scorer(scorer):
                predicted = numerics.answers(rows, coef, intercept, self._threads)
                each = range(len(alphas))
                scores[fold] = [self._score_part(scorer, predicted[:, a], actual, rows.weight) for a in each]
                continue
            for a, alpha in enumerate(alphas):
                model = self._plain(alpha)
                model.__dict__.update({**self.__dict__, **model.__dict__})
                model.__dict__.update(model._attributes(fitted, coef[a], intercept[a]))
                scores[fold, a] = scorer(model, rows.numbers, actual)
        counted = ~np.isnan(scores).all(axis=1)  # a part whose rows all have weight zero says nothing
        mean = scores[counted].mean(axis=0) if counted.any() else scores.mean(axis=0)
        best = _best(mean)
        self.alpha_, self.best_score_, self.alpha_scores_ = float(alphas[best]), float(mean[best]), mean
        self._refit(fitted, folds, float(alphas[best]))

    def _score_part(self, scorer: Any, predicted: Array, actual: Array, weight: Floats | None) -> float:
        if weight is not None and not weight.any():
            return float("nan")  # no test row counts
        if self.scoring is None:
            return self._default_score(predicted, actual, weight)
        more = {} if weight is None or not accepts_weights(scorer) else {"sample_weight": weight}
        predicted = predicted[:, 0] if actual.ndim == 1 and self._is_regressor else predicted
        return float(scorer(self._told(), predicted, actual, **more))

    def _splits(self, d: Design) -> list[Split]:
        y, n = self._truth(d), d.n_rows
        try:
            splitter = check_cv(self.cv, y, classifier=not self._is_regressor)
        except (TypeError, ValueError) as error:
            requirement = "cv must be a number of parts, a splitter or a list of splits"
            raise ParameterError(
                format_message(d.who, requirement, actual=str(error).splitlines()[0].rstrip("."))
            ) from None
        try:
            pairs = splitter.split(np.zeros(n), y, **self._split_params)
            split_arrays = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
        except ValueError as error:
            message = str(error).splitlines()[0].rstrip(".")
            raise DataError(
                format_message(d.who, "the rows must suit cv", actual=message, hint="lower cv, or leave cv=None")
            ) from None
        splits = [(np.flatnonzero(a) if a.dtype == bool else a, np.flatnonzero(b) if b.dtype == bool else b)
                  for a, b in split_arrays]  # fmt: skip
        empty = [i for i, (train, test) in enumerate(splits) if not len(train) or not len(test)]
        if empty or not splits:
            requirement = "every split must have training and test rows"
            raise ParameterError(
                format_message(
                    d.who, requirement, actual=f"{noun_list('split', empty)} has none" if empty else "there is none"
                )
            )
        if d.weight is not None and not all(d.weight[train].any() for train, _ in splits):
            requirement = "every split must have training rows with a weight above zero"
            raise DataError(
                format_message(d.who, requirement, actual="one has none", hint="use fewer folds, or another cv")
            )
        return splits

    def _refit(self, fitted: Design, folds: Folds, alpha: float) -> None:
        """The chosen penalty on all rows: their moments are the sum of the parts'."""
        model, unit = self._plain(alpha), fitted.unit_weight[1]
        if alpha > 0 and folds.parts:
            m = numerics.merged(folds.parts, folds.known, unit)
            solution = numerics.cholesky(m, np.full(fitted.y.shape[1], alpha / unit), self._threads)
            if solution is not None and solution[1] >= NORMAL_RCOND:
                with np.errstate(over="ignore", invalid="ignore"):
                    intercept = m.mean_y - solution[0] @ m.mean_x if self.fit_intercept else np.zeros(len(solution[0]))
                self._take(fitted, Answer(solution[0], intercept, "cholesky"))
                return
        penalties = np.full(fitted.y.shape[1], alpha / unit)
        self._take(fitted, model._solve(fitted, penalties, Trace()))

    # ------------------------------------------------------------------------------- what a role says about itself

    _is_regressor = True

    def _plain(self, alpha: float) -> RidgeBase:
        """The model with a penalty of its own."""
        raise TypeError(f"{type(self).__name__} must write _plain")

    def _truth(self, d: Design) -> Array:
        """The target as a scorer takes it."""
        raise TypeError(f"{type(self).__name__} must write _truth")

    def _told(self) -> Any:
        raise TypeError(f"{type(self).__name__} must write _told")

    def _default_score(self, predicted: Array, actual: Array, weight: Floats | None) -> float:
        raise TypeError(f"{type(self).__name__} must write _default_score")


def _best(scores: Floats) -> Any:
    """The first of the best along the last axis; what is no number is worst."""
    return np.where(np.isnan(scores), -np.inf, scores).argmax(axis=-1)


class RidgeCV(RidgeCVBase, LinearRegressor):
    """Ridge regression that finds out how strong its penalty should be.

    Fits `Ridge` for every ``alpha`` of `alphas` and keeps the one that predicts best on rows that were left out of the
    fit. With ``cv=None`` every row is left out once, without fitting again: the error of row i when left out is

    ``e_i = (y_i - f_i) / (1 - h_i)``,  ``h_i = s_i (1 / sum_j s_j + d_i . (X'X + alpha I)^-1 d_i)``

    with ``f_i`` the prediction of the fit to all rows, ``d_i`` the row less the column means, ``s_i`` its weight and
    ``1 / sum s`` there for the intercept. One eigendecomposition of X'X (of XX' with more columns than rows) serves all
    alphas: in its basis f and h of all of them are two products. The alpha with the smallest mean of ``s_i e_i²`` wins.
    With ``cv=5``, or any splitter, the sums of each part are found once, those of a training set added up from the
    other parts, and one eigendecomposition a split serves all alphas.

    Prefer ``cv=5`` where rows hang together (repeated measurements, days in a row) and give a splitter that knows it.

    Attributes
    ----------
    alpha_ : the chosen alpha; k of them with ``alpha_per_target=True``
    best_score_ : its score: minus the mean of s_i e_i², or the mean of `scoring`
    alpha_scores_ : the scores of all alphas, in their order; k x a with ``alpha_per_target=True``
    cv_results_ : n x a (n x k x a for k targets): s_i e_i² of every row and alpha, or the predictions of rows left out
        where there is a `scoring` (only with ``store_cv_results=True``)
    coef_, intercept_ : as `Ridge`, of the fit to all rows
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Scores see the weights of the rows too, as scikit-learn's do; a weighted mean of s_i e_i² is over n, not over the
    sum of weights. For a target of one column in a table, coef_ has p numbers, as scikit-learn's.

    On tables of a few rows scikit-learn's errors of leave-one-out lose digits under small alphas, and another alpha may
    win there: those of this class are the errors of fits without the row, to rounding.

    References
    ----------
    Allen: The relationship between variable selection and data augmentation. Technometrics 16 (1974).
    Golub, Heath, Wahba: Generalized cross-validation as a method for choosing a good ridge parameter. Technometrics 21
    (1979).

    Examples
    --------
    Without an intercept, x = (1, 1) and y = (2, 4): the fit to one row alone is y / (1 + alpha), so that the errors are
    2 - 4/(1 + alpha) and 4 - 2/(1 + alpha). Their squares are least where 1 + alpha = 1.25.

    >>> from pellucid.linear_model import RidgeCV
    >>> model = RidgeCV([0.1, 0.25, 1.0], fit_intercept=False).fit([[1], [1]], [2, 4])
    >>> model.alpha_, round(model.best_score_, 10)
    (0.25, -3.6)
    """

    gcv_mode: Literal["auto", "svd", "eigen"] | None = param(
        default=None,
        doc="How leave-one-out factors: 'eigen' (of the cross products), 'svd' (of the centered X); None and 'auto' "
        "for 'eigen' while it keeps enough digits.",
    )
    alpha_per_target: bool = param(default=False, doc="Choose an alpha for each target (leave-one-out only)?")

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        return Ridge(fit_intercept=self.fit_intercept)._attributes(d, coef, intercept)

    def _plain(self, alpha: float) -> RidgeBase:
        return Ridge(float(alpha), fit_intercept=self.fit_intercept, n_jobs=self.n_jobs)

    def _truth(self, d: Design) -> Array:
        return d.y[:, 0] if d.y_is_vector else d.y

    def _told(self) -> Any:
        return ToldNumbers()

    def _default_score(self, predicted: Array, actual: Array, weight: Floats | None) -> float:
        """R², the mean over targets, as `score` has it."""
        w = np.ones(len(actual)) if weight is None else weight
        return float(np.mean(r2(actual.reshape(len(actual), -1), predicted, w)))


class RidgeClassifierCV(RidgeCVBase, RidgeClasses, LinearClassifier):
    """A `RidgeClassifier` that finds out how strong its penalty should be.

    As `RidgeCV`, on targets of -1 and +1: with ``cv=None`` the alpha wins whose squared errors on rows left out are
    smallest, over all classes; with ``cv=5`` or a splitter the one with the best accuracy. `scoring` chooses by another
    score, of the labels or scores that rows left out would get.

    Attributes
    ----------
    alpha_ : the chosen alpha
    best_score_ : its score
    alpha_scores_ : the scores of all alphas, in their order
    cv_results_ : n x k x a, as `RidgeCV` (only with ``store_cv_results=True``)
    coef_, intercept_, classes_ : as `RidgeClassifier`
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    With leave-one-out and a `scoring`, scikit-learn compares the classes of a two-class problem wrongly (every alpha
    scores 1); here their labels are compared.

    Examples
    --------
    >>> from pellucid.linear_model import RidgeClassifierCV
    >>> model = RidgeClassifierCV([1.0, 3.0, 100.0]).fit([[0], [1], [2], [3]], ["no", "no", "yes", "yes"])
    >>> model.alpha_, model.coef_.round(10)
    (1.0, array([[0.66666667]]))
    """

    _is_regressor = False

    def _targets(self, d: Design) -> Design:
        return self._signs(d)

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        return planes(d, coef, intercept, self.fit_intercept)

    def _plain(self, alpha: float) -> RidgeBase:
        return RidgeClassifier(float(alpha), fit_intercept=self.fit_intercept, n_jobs=self.n_jobs)

    def _truth(self, d: Design) -> Array:
        labels = [classes[d.y[:, j].astype(np.intp)] for j, classes in enumerate(d.classes)]
        return labels[0] if d.y_is_vector else np.column_stack(labels)

    def _told(self) -> Any:
        return ToldScores(self.classes_, self._said)

    def _default_score(self, predicted: Array, actual: Array, weight: Floats | None) -> float:
        """Accuracy: the share of rows with every label right."""
        labels = self._said("predict", predicted)
        same = (labels.reshape(len(predicted), -1) == actual.reshape(len(predicted), -1)).all(axis=1)
        return float(np.average(same, weights=weight))
