"""Logistic regression: probabilities of classes whose log odds are linear in the columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, noun_list
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, Schema, attach_weight, infer_schema
from pellucid.estimator.path import FitPath
from pellucid.estimator.trace import Trace
from pellucid.linear_model import _logistic as logistic
from pellucid.linear_model._linear import dense_coefficients
from pellucid.linear_model._logistic import Penalty, Problem
from pellucid.linear_model._logistic_inference import LogisticSummary
from pellucid.linear_model._logistic_model import LogisticClassifier

__all__ = ["LogisticRegression", "LogisticSummary"]


class LogisticRegression(LogisticClassifier):
    """The probability of a class, from a weighted sum of the columns.

    Two classes:  ``P(y = 1 | x) = 1 / (1 + e^-(b + w . x))``,  so that the log odds are a straight line in x. Three or
    more:  ``P(y = k | x) = e^s_k / sum_j e^s_j``  with scores  ``s_k = b_k + w_k . x``  (softmax). The coefficients
    minimize

        ``cost="C sum_i s_i l(y_i, x_i) + (1 - r)/2 ||w||² + r ||w||_1"``

    where ``l = -ln P(y_i | x_i)`` is the log loss (cross entropy) of row i, ``s_i`` its weight and ``r`` the l1_ratio.
    A larger C is a weaker penalty, ``C=inf`` is none; the intercept is free, but for liblinear's convention.

    The cost is convex and has no closed form. Newton's method solves a weighted least-squares problem a step and needs
    a handful; L-BFGS learns the curvature from its last steps; coordinate descent moves one coefficient at a time and
    leaves weak ones at exactly zero under l1; SAGA goes row by row. All lead to the same minimum, and to the same bits
    on any number of threads.

    Prefer trees or neighbors where the boundary bends, naive Bayes (or `from_naive_bayes`) for very few rows. Columns
    of very different size are better scaled first: the penalty treats all coefficients alike.

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_ : 1 x p coefficients of the log odds of the second class, or k x p of k classes
    intercept_ : 1 or k numbers
    odds_ratios_ : exp(coef_)
    n_iter_ : passes of the solver; one number, or one a class for one-versus-rest
    solver_ : the method that gave the answer: "newton", "lbfgs", "coordinate-descent", "liblinear", "sag", "saga"
    converged_ : was `tol` reached?
    separated_ : classes that a plane parts from the others, found without a penalty only; empty where the fit is sound
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Which solver takes which penalty, and what it does with three classes or more:

    - "lbfgs", "sag": l2, none; softmax.
    - "newton-cholesky", "newton-cg": l2, none; of softmax the minimum is found by "lbfgs".
    - "coordinate-descent": l1, l2, both, none; one-versus-rest.
    - "liblinear": l1, l2; one-versus-rest. Its intercept is the coefficient of a column of the constant
      `intercept_scaling` and is penalized with the others, as in the library of that name.
    - "saga": all; softmax.
    - "auto": Newton for up to 400 columns, else lbfgs; coordinate descent under l1, saga for softmax under l1.

    scikit-learn's class warns that `penalty` and `multi_class` are going; here both stay. Its liblinear takes two
    classes only. Softmax coefficients are the symmetric ones that a penalty leaves: those of a column sum to zero.
    A score of exactly 0 is the first class, as in scikit-learn.

    Another threshold than one half: `pellucid.metrics.tune_threshold` finds the one of highest F1, of least cost, or of
    Youden's index (``metric="balanced_accuracy"``, which is half of one more than it), as in the last example. In
    `pellucid.model_selection`, `TunedThresholdClassifierCV` does so on held-out folds, and `FixedThresholdClassifier`
    keeps one.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed., section 4.4.
    Hosmer, Lemeshow, Sturdivant: Applied Logistic Regression, 3rd ed., chapters 1 to 3.
    Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression. JMLR 13 (2012).

    Examples
    --------
    Of three rows at x = 0 one is positive, of three at x = 1 two: odds of 1/2 and of 2, whose ratio is 4.

    >>> from pellucid.linear_model import LogisticRegression
    >>> X, y = [[0], [0], [0], [1], [1], [1]], [0, 0, 1, 0, 1, 1]
    >>> model = LogisticRegression(C=float("inf"), solver="newton-cholesky", tol=1e-10).fit(X, y)
    >>> model.odds_ratios_.round(6), model.predict_proba([[1]]).round(8)
    (array([[4.]]), array([[0.33333333, 0.66666667]]))

    Where a miss costs five times a false alarm, three false alarms are better than one of each: the threshold of least
    cost, and what is positive by it.

    >>> from pellucid.metrics import cost_matrix, tune_threshold
    >>> chances = model.predict_proba(X)[:, 1].round(8)
    >>> choice = tune_threshold(y, chances, costs=cost_matrix(false_negative=5))
    >>> choice, (chances >= choice.threshold).astype(int)
    (ThresholdChoice(threshold=0.33333333, score=0.5, objective='mean cost'), array([1, 1, 1, 1, 1, 1]))
    """

    C: float = param(default=1.0, low=0, low_open=True, doc="Inverse strength of the penalty; inf for none.")
    l1_ratio: float | None = param(
        default=0.0, low=0, high=1, doc="Share of l1 in the penalty: 0 is l2 alone, 1 is l1 alone."
    )
    warm_start: bool = param(
        default=False, doc="Start from the last fit's coefficients, where columns and classes are the same."
    )

    path_parameters = ("C",)

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        if self.warm_start and hasattr(self, "coef_"):
            self._begin = (self.classes_, dense_coefficients(self.coef_), self.intercept_)
        try:
            return super()._fit_table(X, y, sample_weight, record)
        finally:
            self.__dict__.pop("_begin", None)

    def _fit(self, d: Design, trace: Trace) -> None:
        penalty = logistic.read_penalty(d.who, self.penalty, self.C, self.l1_ratio)
        problem = self._problem(d, penalty)
        start = self._first(problem)
        solution = logistic.solve(problem, penalty, start, trace, lambda w, b: self._attributes(d, w, b))
        self._keep(problem, penalty, solution)
        self.n_iter_ = np.array(solution.passes, dtype=np.int32)
        if not self.converged_:
            self._warn_not_converged(max(solution.passes))

    def _first(self, problem: Problem) -> tuple[Floats, Floats]:
        """Where the solver starts: at zero, or where the last fit ended."""
        coef, intercept = problem.zeros()
        begin: tuple[Any, Any, Any] | None = getattr(self, "_begin", None)
        self._warm_ = begin is not None and begin[1].shape == coef.shape and np.array_equal(begin[0], self.classes_)
        if begin is None or not self._warm_:
            return coef, intercept
        return begin[1].astype(np.float64), begin[2].astype(np.float64) if self.fit_intercept else intercept

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """From the strongest penalty to the weakest, each fit starting where the one before ended."""
        d = infer_schema(X, self.input_spec, type(self).__name__)
        attach_weight(d, params.get("sample_weight"))
        before: LogisticRegression | None = None
        for model in sorted(models, key=lambda model: model.C):
            model._forget()
            model._attach_target(d, y)
            model._keep_schema(d.schema)
            if before is not None:
                model._begin = (before.classes_, before.coef_, before.intercept_)
            try:
                with serial_blas():
                    model._fit(d, Trace())
            finally:
                model.__dict__.pop("_begin", None)
            before = model
        return FitPath(models)

    # ------------------------------------------------------------------------------------------------------ naive Bayes

    @classmethod
    def from_naive_bayes(
        cls,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        means: Any = None,
        variances: Any = None,
        priors: Any = None,
        classes: Any = None,
        ddof: int = 0,
    ) -> Self:
        """The logistic model that Gaussian naive Bayes with equal variances of the classes is.

        With means mu and variance sigma² of column i, and the prior g of class 1, Bayes' rule gives
        ``P(y = 1 | x) = 1 / (1 + e^-(b + w . x))``  with

            ``w_i = (mu_i1 - mu_i0) / sigma_i²``
            ``b = ln(g / (1 - g)) + sum_i (mu_i0² - mu_i1²) / (2 sigma_i²)``

        Some texts write the exponent with a plus: their w and b have the other sign. Of k classes each has
        ``w_k = mu_k / sigma²``  and  ``b_k = ln g_k - sum_i mu_ik² / (2 sigma_i²)``, centered over the classes.

        Parameters
        ----------
        X, y, sample_weight : rows and labels, from which means, pooled variances and shares of the classes are taken
        means : instead of rows, k x p means, one row a class
        variances : p variances, common to the classes
        priors : k probabilities of the classes; equal ones unless told
        classes : k labels; 0, 1, ... unless told
        ddof : taken off the rows that the pooled variance is divided by; 0, or k for the unbiased one

        Returns
        -------
        LogisticRegression : fitted, with `means_`, `variances_` and `priors_`

        Examples
        --------
        Means 0 and 2 with variance 1: the boundary lies between them, at 1.

        >>> model = LogisticRegression.from_naive_bayes(means=[[0.0], [2.0]], variances=[1.0])
        >>> model.coef_, model.intercept_, model.predict_proba([[1.0]])
        (array([[2.]]), array([-2.]), array([[0.5, 0.5]]))
        """
        model = cls()
        if means is None:
            model._read_bells(X, y, sample_weight, ddof)
        elif X is not None or y is not None:
            requirement, actual = "from_naive_bayes takes rows or means, not both", "got X or y, and means"
            raise ParameterError(format_message(cls.__name__, requirement, actual=actual))
        else:
            model._take_bells(means, variances, priors, classes)
        W = model.means_ / model.variances_
        b = np.log(model.priors_) - (model.means_**2 / (2 * model.variances_)).sum(axis=1)
        if len(b) == 2:
            model._set_coef(W[1:] - W[:1], b[1:] - b[:1])
        else:
            model._set_coef(W - W.mean(axis=0), b - b.mean())
        model._scheme_ = "binary" if len(b) == 2 else "multinomial"
        model._penalty_, model.solver_ = Penalty(0.0, 0.0), "naive Bayes"
        model.converged_, model.separated_, model._warm_ = True, [], False
        model.n_iter_ = np.zeros(1, dtype=np.int32)
        return model

    def _read_bells(self, X: Any, y: Any, sample_weight: Any, ddof: int) -> None:
        d = infer_schema(X, self.input_spec, type(self).__name__)
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        self._keep_schema(d.schema)
        codes = d.y[:, 0].astype(np.intp)
        weight, _ = logistic.row_weights(d, codes, self.classes_, None)
        weight = np.ones(d.n_rows) if weight is None else weight * (d.weight.sum() / weight.sum())  # type: ignore[union-attr]
        self.means_, self.variances_, self.priors_ = bells(d, codes, weight, len(self.classes_), ddof)
        flat = [repr(d.column_labels()[j]) for j in np.flatnonzero(~(self.variances_ > 0))]
        if flat:
            requirement = "every column must vary within the classes"
            actual = f"{noun_list('column', flat)} {'does' if len(flat) == 1 else 'do'} not"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="drop it: its bell curve has no width")
            )

    def _take_bells(self, means: Any, variances: Any, priors: Any, classes: Any) -> None:
        who = type(self).__name__

        def numbers(values: Any, name: str, shape: tuple[int, ...]) -> Floats:
            array = np.array(values, dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                requirement = f"{name} must be {' x '.join(map(str, shape))} finite numbers"
                raise ParameterError(format_message(who, requirement, actual=f"got {values!r}"))
            return array

        table = np.array(means, dtype=np.float64)
        if table.ndim != 2 or len(table) < 2 or table.shape[1] == 0:
            requirement = "means must be a table: a row for each of two or more classes, a column for each column"
            raise ParameterError(format_message(who, requirement, actual=f"got shape {table.shape}"))
        k, p = table.shape
        self.means_ = numbers(means, "means", (k, p))
        self.variances_ = numbers(variances, "variances", (p,))
        self.priors_ = np.full(k, 1 / k) if priors is None else numbers(priors, "priors", (k,))
        if not (self.variances_ > 0).all():
            raise ParameterError(format_message(who, "variances must be above zero", actual=f"got {variances!r}"))
        if not (self.priors_ > 0).all() or abs(self.priors_.sum() - 1) > 1e-9:
            raise ParameterError(
                format_message(who, "priors must be above zero and sum to 1", actual=f"got {priors!r}")
            )
        self.classes_ = np.arange(k) if classes is None else np.asarray(classes)
        if self.classes_.shape != (k,) or len(np.unique(self.classes_)) != k:
            raise ParameterError(
                format_message(who, f"classes must be {k} different labels", actual=f"got {classes!r}")
            )
        self._keep_schema(Schema(p, None, True))


def bells(d: Design, codes: Array, weight: Floats, k: int, ddof: int) -> tuple[Floats, Floats, Floats]:
    """Weighted means by class, the variance of each column around them, and the shares of the classes."""
    # C order: NumPy adds in another order for another layout
    X = np.ascontiguousarray(d.numbers.toarray() if d.table.is_sparse else d.numbers, dtype=np.float64)
    sizes = np.bincount(codes, weights=weight, minlength=k)
    if (sizes == 0).any() or not sizes.sum() > ddof:
        requirement = "every class must have rows of weight above zero, and more of them than ddof"
        raise DataError(
            format_message(d.who, requirement, actual=f"weights of the classes are {sizes.tolist()}, ddof={ddof}")
        )
    means = np.array([np.average(X[codes == c], axis=0, weights=weight[codes == c]) for c in range(k)])
    squares = ((X - means[codes]) ** 2 * weight[:, None]).sum(axis=0)
    return means, squares / (sizes.sum() - ddof), sizes / sizes.sum()
