"""What every logistic regression declares and does: its settings, its target, its probabilities, its words."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import (
    ConvergenceWarning,
    DataError,
    SeparationWarning,
    count,
    format_message,
    join_some,
    noun_list,
    warn,
)
from pellucid.base.randomness import seed_from
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, check_finite
from pellucid.estimator.single import recode, refuse_columns_of_labels
from pellucid.linear_model import _logistic as logistic
from pellucid.linear_model._linear import (
    LinearClassifier,
    SparseCoefficients,
    check_representable,
    dense_coefficients,
)
from pellucid.linear_model._logistic import Penalty, Problem, Scheme, Solution
from pellucid.linear_model._logistic_inference import LogisticSummary, summarize
from pellucid.models.linear import linear_predictor

Solver = Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "coordinate-descent", "auto"]


class LogisticClassifier(SparseCoefficients, LinearClassifier):
    """Log odds of the classes that are linear in the columns."""

    penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None = param(
        default="deprecated",
        kw_only=False,
        doc="The older words for l1_ratio=1, 0, a share of both, and C=inf (None); 'deprecated' goes by the new ones.",
    )
    dual: bool = param(default=False, doc="For scikit-learn's sake: liblinear's other form has the same minimum.")
    tol: float = param(
        default=1e-4,
        low=0,
        doc="Stop when no slope of the mean cost is larger ('lbfgs', 'newton-*'), when single coordinates promise to "
        "lower it by less than half the square of this ('liblinear', 'coordinate-descent'), or when a pass changes no "
        "coefficient or intercept by more than this share of the largest ('sag', 'saga').",
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept?")
    intercept_scaling: float = param(
        default=1,
        low=0,
        low_open=True,
        doc="Of 'liblinear': the constant whose coefficient is the intercept; a larger one penalizes it less.",
    )
    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None, doc="Weight of each class by its label, or 'balanced': n / (k n_class). It multiplies the rows'."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the order in which 'sag' and 'saga' visit the rows; others have no chance in them."
    )
    solver: Solver = param(
        default="lbfgs",
        doc="'lbfgs' for l2 or no penalty; 'newton-cholesky' (few columns); 'coordinate-descent' (l1, both, l2) and "
        "'liblinear' (the same with a penalized intercept); 'sag', 'saga' (many rows; saga also l1); 'newton-cg' is "
        "accepted and solved by Newton or lbfgs; 'auto' takes the fastest that fits. See Notes.",
    )
    max_iter: int = param(default=100, low=0, doc="Most passes.")
    multi_class: Literal["auto", "ovr", "multinomial", "deprecated"] = param(
        default="auto",
        doc="Three classes or more: 'multinomial' is softmax, 'ovr' one model a class against the rest; 'auto' is "
        "softmax, and 'ovr' with 'liblinear' and 'coordinate-descent'.",
    )
    verbose: int = param(default=0, doc="For scikit-learn's sake: nothing is printed; callbacks tell the passes.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)
    iterative = True

    # ----------------------------------------------------------------------------------------------------------- target

    def _attach_target(self, d: Design, y: Any) -> None:
        fitted_classes: Any = vars(self).get("classes_")
        super()._attach_target(d, y)
        refuse_columns_of_labels(d)
        if fitted_classes is not None:  # rows that come after a fit: their labels are among those that it saw
            self.classes_ = fitted_classes
            _recode_or_refuse(d, fitted_classes)

    def _design_with_target(self, X: Any, y: Any, sample_weight: Any) -> Design:
        d = self._validate_predict(X)
        check_finite(d, allow_nan=False)
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        return d

    # -------------------------------------------------------------------------------------------------------------- fit

    def _problem(self, d: Design, penalty: Penalty) -> Problem:
        codes = d.y[:, 0].astype(np.intp)
        weight, total = logistic.row_weights(d, codes, self.classes_, self.class_weight)
        solver = logistic.select_solver(d.who, self.solver, self.multi_class, penalty, d, len(self.classes_))
        if solver.kernel in ("sag", "saga"):
            self._seed_ = seed_from(self.random_state)  # kept: a working runs the same order again
        return Problem(
            d=d,
            codes=codes,
            n_classes=len(self.classes_),
            weight=weight,
            total=total,
            way=solver,
            fit_intercept=self.fit_intercept,
            intercept_scaling=float(self.intercept_scaling),
            tol=self.tol,
            max_iter=self.max_iter,
            seed=getattr(self, "_seed_", 0),
            threads=self._threads,
        )

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        """`coef_` and `intercept_` in the precision of X."""
        check_representable(d, coef, intercept, hint="scale the columns")
        return {"coef_": coef.astype(d.dtype), "intercept_": intercept.astype(d.dtype)}

    def _keep(self, problem: Problem, penalty: Penalty, solution: Solution) -> None:
        attributes = self._attributes(problem.d, solution.coef, solution.intercept)
        self._set_coef(attributes["coef_"], attributes["intercept_"])
        self._scheme_: Scheme = problem.way.scheme
        self._penalty_ = penalty
        self.solver_ = problem.way.kernel
        self.converged_ = "count" not in solution.stops
        self.separated_ = self._separated(problem, penalty, solution)

    def _separated(self, problem: Problem, penalty: Penalty, solution: Solution) -> list[Any]:
        """The classes that a plane parts from the others; there is a word about them."""
        if penalty.strength > 0:
            return []
        scores = linear_predictor(problem.d.matrix, solution.coef, solution.intercept, self._threads)
        codes, weight = problem.codes, problem.weight
        columns: list[int] = []
        if problem.way.scheme == "ovr":
            each = [
                logistic.separated_classes(problem.d, (codes == k).astype(int), weight, scores[:, [k]])[0]
                for k in range(len(self.classes_))
            ]
            classes = [k for k, separated in enumerate(each) if separated]
        else:
            classes, columns = logistic.separated_classes(problem.d, codes, weight, scores)
        if not classes and not columns and "separated" not in solution.stops:
            return []
        labels = self.classes_.tolist()
        separated = [labels[k] for k in classes] or labels
        self._warn_separated(problem.d, separated, columns, bool(classes))
        return separated

    # --------------------------------------------------------------------------------------------------- what it says

    @property
    def scheme(self) -> Scheme:
        """How several classes are told apart: "binary" for two, "multinomial", or "ovr" for one against the rest."""
        return self._scheme_

    def _predict_proba(self, d: Design) -> Any:
        scores = self._scores(d)
        if scores.shape[1] == 1:
            return np.hstack([_sigmoid(-scores), _sigmoid(scores)])
        if self._scheme_ == "multinomial":
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)
        probabilities = _sigmoid(scores)
        sums = probabilities.sum(axis=1, keepdims=True)
        return np.divide(
            probabilities, sums, out=np.full_like(probabilities, 1 / probabilities.shape[1]), where=sums > 0
        )

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of the probability of each class; it keeps its digits where the probability has none."""
        d = self._validate_predict(X)
        scores = self._scores(d)
        if scores.shape[1] == 1:
            return np.hstack([_log_sigmoid(-scores), _log_sigmoid(scores)])
        if self._scheme_ == "multinomial":
            below = scores - scores.max(axis=1, keepdims=True)
            return np.asarray(below - np.log(np.exp(below).sum(axis=1, keepdims=True)))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._predict_proba(d)))

    @property
    def odds_ratios_(self) -> Floats:
        """``exp(coef_)``: by how much the odds multiply when a column grows by one and the others stay.

        Two classes: the odds of the second. Softmax: the odds of a class against the geometric mean of all.
        """
        self._check_fitted()
        with np.errstate(over="ignore"):
            return np.exp(dense_coefficients(self.coef_).astype(np.float64))

    def summary(
        self, X: Any, y: Any, sample_weight: Any = None, *, level: float = 0.95, critical: float | None = None
    ) -> LogisticSummary:
        """Inference: standard errors, z and p values, odds ratios and their intervals, deviance, AIC, R².

        Exact (for many rows) without a penalty; with one the figures are approximate, and `approximate` says why.

        Parameters
        ----------
        X, y, sample_weight : the table, labels and weights that `fit` saw
        level : confidence level of the intervals
        critical : use this instead of the normal quantile, for instance 1.96

        Returns
        -------
        LogisticSummary
        """
        with serial_blas():
            return summarize(self, self._design_with_target(X, y, sample_weight), level, critical)

    def show_summary(
        self, X: Any, y: Any, sample_weight: Any = None, *, level: float = 0.95, critical: float | None = None
    ) -> Any:
        """How the figures of `summary` come about, step by step; takes what `summary` takes.

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("summary", X, y, sample_weight, level=level, critical=critical)

    # --------------------------------------------------------------------------------------------------------- warnings

    def _warn_separated(self, d: Design, classes: list[Any], columns: list[int], complete: bool) -> None:
        class_list = join_some(map(repr, classes))
        if complete and len(self.classes_) == 2:
            actual = f"a plane parts the classes {class_list} without an error"
        elif complete:
            actual = (
                f"planes part {noun_list('class', map(repr, classes)).replace('classs', 'classes')} from the others"
            )
        elif columns:
            labels = d.column_labels()
            actual = (
                f"{noun_list('column', [repr(labels[j]) for j in columns])} alone parts the classes {class_list}, but "
                "for ties"
            )
        else:
            actual = f"a plane parts the classes {class_list}, but for rows that lie on it"
        requirement = "without a penalty there are no best coefficients where classes are separated"
        meaning = "those given predict well, but they would grow for ever, and say nothing by their size"
        hint = "use a penalty, for instance C=1.0, or add rows"
        warn(
            format_message(type(self).__name__, requirement, actual=f"{actual}: {meaning}", hint=hint),
            SeparationWarning,
        )

    def _warn_not_converged(self, passes: int) -> None:
        requirement = f"tol={self.tol:g} was not reached in {count(passes, 'pass', 'passes')}"
        hint = "raise max_iter, scale the columns, or try solver='auto'"
        warn(format_message(type(self).__name__, requirement, actual="", hint=hint), ConvergenceWarning)


def _recode_or_refuse(d: Design, classes: Array) -> None:
    """Codes by the classes of the fit."""
    new = recode(d, classes)
    if new:
        requirement = "labels must be among those that fit saw"
        actual = f"y holds {join_some(map(repr, new))}; fit saw {join_some(map(repr, classes.tolist()))}"
        raise DataError(format_message(d.who, requirement, actual=actual, hint="pass the y of fit"))


def _sigmoid(t: Floats) -> Floats:
    small = np.exp(-np.abs(t))
    return np.asarray(np.where(t >= 0, t.dtype.type(1), small) / (1 + small))


def _log_sigmoid(t: Floats) -> Floats:
    return np.asarray(np.minimum(t, 0) - np.log1p(np.exp(-np.abs(t))))
