"""Linear support vector classification: the plane with the widest street between classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.svm._shared import (
    LinearPlan,
    MachineOfClasses,
    Planes,
    goes_primal,
    linear_scores,
    sides,
    solve_joint_planes,
    solve_planes,
    solve_sparse_planes,
    warn_unfinished,
)

__all__ = ["LinearSVC"]


class LinearSVC(MachineOfClasses):
    """The widest street between two classes, with a price for every row that does not keep out of it.

    A row of class t (-1 or +1) has the score ``f(x) = b + w . x`` and should have ``t f(x) >= 1``: its slack is what it
    lacks, ``z = max(0, 1 - t f(x))``, the hinge loss. Minimized is

        ``1/2 (||w||² + (b / s)²) + sum_i C_i z_i²``      (loss="squared_hinge")
        ``1/2 (||w||² + (b / s)²) + sum_i C_i z_i``       (loss="hinge")

    where ``C_i`` is C times the weight of row i and s is `intercept_scaling`. The edges of the street are
    ``f(x) = -1`` and ``f(x) = 1``, so it is ``2 / ||w||`` wide; a small C makes it wide and lets rows into it, a large
    one narrow. Several classes: each against the rest, and the highest score wins. ``penalty="l1"`` has sizes in place
    of squares, by which columns that matter little get the coefficient zero:

        ``||w||_1 + |b / s| + sum_i C_i z_i²``            (penalty="l1")

    and ``multi_class="crammer_singer"`` finds the planes of all classes at once, f_m being the score of class m;
    `loss`, `penalty` and `dual` are then not looked at:

        ``1/2 sum_m (||w_m||² + (b_m / s)²) + sum_i C_i max(0, 1 + max_(m not y_i) f_m(x_i) - f_(y_i)(x_i))``

    With at least as many rows as columns the squared hinge is minimized by Newton's method, its equations solved by
    conjugate gradients. Otherwise, and for the hinge, the dual is solved: every row has a number
    ``beta_i`` between 0 and ``t_i C_i`` (without upper end for the squared hinge), ``w = sum_i beta_i x_i``, and row by
    row beta_i goes to where the dual is lowest with the others held. Rows that stay at a bound leave for a while. All
    classes at once have such a number for each class. With the penalty "l1" it is the coefficients that move, one after
    the other, each by Newton's step along its own axis; those that stay at zero leave for a while.

    As in liblinear the intercept is penalized like a coefficient: center the columns, or use `SVC` with a linear
    kernel, whose intercept is free. For probabilities put `CalibratedClassifierCV` around it. Of many classes and few
    rows, or curved borders, take `SVC`; of rows that do not fit into memory, `SGDClassifier`.

    Attributes
    ----------
    coef_ : 1 x p for two classes, k x p for k
    intercept_ : the numbers b
    margin_ : width of the street, 2 / ||w||, of each plane
    dual_coef_ : 1 x n or k x n numbers beta: w is their sum over rows, beta_i x_i; zero where a row does not matter.
        With penalty="l1" that sum is, for each column, between -1 and 1, and the sign of a coefficient that is not zero
    objective_ : what was minimized, at its end, of each plane; one number for all classes at once
    n_iter_ : passes over rows or columns or steps of Newton, the most of any plane
    classes_ : labels in order

    Notes
    -----
    Of several classes, `class_weight` is the factor of a class's own rows against the rest, as in liblinear.
    scikit-learn's "auto" goes the same two ways. Its `tol` is that of liblinear: of the dual, by how much rows miss
    their optimality condition; of the primal, the length of the gradient against its first one, times the share of the
    smaller class; with penalty="l1", that of the sum of what columns miss of theirs.
    Of classes that are fitted at once, a row that two others claim has the same score for both, up to `tol`: which of
    them it is given is a matter of rounding.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM. ICML 2008.
    Yuan, Chang, Hsieh, Lin: A comparison of optimization methods for large-scale L1-regularized linear classification.
    JMLR 11 (2010).
    Crammer, Singer: On the algorithmic implementation of multiclass kernel-based vector machines. JMLR 2 (2001).
    Keerthi, Sundararajan, Chang, Hsieh, Lin: A sequential dual method for large scale multi-class linear SVMs.
    KDD 2008.
    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995).

    Examples
    --------
    Two rows at -1 and 1: the street between them is 2 wide, w = 1 and b = 0.

    >>> from pellucid.svm import LinearSVC
    >>> model = LinearSVC(C=10, loss="hinge", tol=1e-8, random_state=0).fit([[-1], [1]], ["no", "yes"])
    >>> model.coef_.round(6), model.margin_.round(6), model.predict([[0.3]])
    (array([[1.]]), array([2.]), array(['yes'], dtype='<U3'))

    With the penalty "l1", C = 1 and no intercept, ``|w| + 2 (1 - w)²`` has its minimum at w = 3/4; a second column that
    tells the classes apart half as well is left out.

    >>> model = LinearSVC(penalty="l1", fit_intercept=False, tol=1e-8).fit([[-1, -0.5], [1, 0.5]], ["no", "yes"])
    >>> model.coef_.round(6)
    array([[0.75, 0.  ]])
    """

    penalty: Literal["l1", "l2"] = param(
        default="l2",
        kw_only=False,
        doc="What holds coefficients down: half the sum of their squares, or the sum of their sizes.",
    )
    loss: Literal["squared_hinge", "hinge"] = param(
        default="squared_hinge", kw_only=False, doc="The price of slack: its square, or itself."
    )
    dual: Literal[True, False, "auto"] = param(
        default="auto",
        doc="Solve the dual, or the primal (squared hinge alone); 'auto': the primal where it can be and n >= p. "
        "penalty='l1' has the primal alone.",
    )
    tol: float = param(default=1e-4, low=0, low_open=True, doc="How near to the optimum the solver ends; see Notes.")
    C: float = param(default=1.0, low=0, low_open=True, doc="Price of slack; small for a wide street.")
    multi_class: Literal["ovr", "crammer_singer"] = param(
        default="ovr", doc="Several classes: each against the rest, or all at once."
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept?")
    intercept_scaling: float = param(
        default=1.0, low=0, low_open=True, doc="The constant column whose coefficient, times it, is the intercept."
    )
    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None, doc="Factor of C for each class by its label, or 'balanced': n / (k n_class)."
    )
    verbose: int = param(default=0, doc="For scikit-learn's sake: nothing is printed.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of the order of rows, or columns.")
    max_iter: int = param(default=1000, low=0, doc="Most passes over rows or columns, or steps of Newton.")

    input_spec = InputSpec(sparse=True)

    def _fit(self, d: Design, trace: Trace) -> None:
        codes, cost, factors = self._class_costs(d, self.C, self.class_weight)
        self._seed_ = seed_from(self.random_state)
        if self.multi_class == "crammer_singer":
            plan = self._plan(squared=False, primal=False)
            priced = cost * factors[codes]
            found = solve_joint_planes(d, codes, priced, len(self.classes_), plan, self.tol, trace.record)
        else:
            found = self._each_against_the_rest(d, codes, cost, factors, trace.record)
        trace.take(found.tables)
        self._keep(found)
        if not found.converged:
            warn_unfinished(d.who, "passes", self.max_iter)

    def _plan(self, squared: bool, primal: bool) -> LinearPlan:
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        return LinearPlan(constant, squared, primal, self.max_iter, self._seed_, self._threads)

    def _each_against_the_rest(self, d: Design, codes: Array, cost: Floats, factors: Floats, record: bool) -> Planes:
        wanted = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        squared, sparse = self.loss == "squared_hinge", self.penalty == "l1"
        if sparse and (self.dual is True or not squared):
            requirement = "penalty='l1' needs loss='squared_hinge' and dual=False or 'auto'"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got loss={self.loss!r} and dual={self.dual!r}")
            )
        primal = sparse or goes_primal(d.who, self.dual, squared, d)
        shares = [min((codes == k).mean(), (codes != k).mean()) if primal else 1.0 for k in wanted]
        others = factors[0] if len(wanted) == 1 else 1.0  # against the rest, a class's factor is for its own rows
        problems = [sides(codes == k, cost * np.where(codes == k, factors[k], others)) for k in wanted]
        solve = solve_sparse_planes if sparse else solve_planes
        return solve(d, problems, self._plan(squared, primal), [self.tol * float(share) for share in shares], record)

    def _keep(self, found: Planes) -> None:
        self.coef_: Floats = found.coef
        self.intercept_: Any = found.intercept if self.fit_intercept else np.zeros(len(found.coef))
        self.dual_coef_: Floats = found.beta
        self.objective_: Floats = found.objective
        lengths = np.sqrt((self.coef_**2).sum(axis=1))
        self.margin_: Floats = np.divide(2.0, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0)
        self.n_iter_ = int(found.passes.max())

    def decision_function(self, X: Any) -> Array:
        """The score of each row: n numbers for two classes (above zero is the second), n x k for k classes."""
        scores = linear_scores(self._validate_predict(X), self.coef_, self.intercept_, self._threads)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def distances(self, X: Any) -> Array:
        """How far each row is from the plane of its score, f(x) / ||w||; below zero on the other side of it.

        Infinitely far where all coefficients are zero, so that there is no plane.
        """
        scores = linear_scores(self._validate_predict(X), self.coef_, self.intercept_, self._threads)
        lengths = np.broadcast_to(np.sqrt((self.coef_**2).sum(axis=1)), scores.shape)
        apart = np.divide(scores, lengths, out=np.copysign(np.inf, scores), where=lengths > 0)
        return np.asarray(apart[:, 0] if apart.shape[1] == 1 else apart)

    def slacks(self, X: Any, y: Any) -> Floats:
        """What each row lacks, max(0, 1 - t f(x)): 0 off the street, up to 1 in it, more on the wrong side.

        n numbers for two classes; n x k for k, each class against the rest; of classes that were fitted at once n
        again: by how much the own class is not ahead of the best other one by 1.
        """
        d = self._validate_predict(X)
        scores = linear_scores(d, self.coef_, self.intercept_, self._threads)
        slacks = label_slacks(d, self.classes_, np.asarray(y), scores)
        if self.multi_class == "ovr" or len(self.classes_) == 2:
            return slacks
        own = np.asarray(y)[:, None] == self.classes_
        return np.asarray((scores + ~own).max(axis=1) - scores[own])

    def _predict_codes(self, d: Design) -> Array:
        scores = linear_scores(d, self.coef_, self.intercept_, self._threads)
        return np.asarray((scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1))

    @property
    def predict_proba(self) -> Any:
        raise AttributeError(_NO_CHANCES.format("LinearSVC"))


_NO_CHANCES = "{} has no probabilities; pellucid.calibration.CalibratedClassifierCV around it gives some"


def label_slacks(d: Design, classes: Array, y: Array, scores: Floats) -> Floats:
    """Slacks of scores, one column of which is two classes, more are one class each."""
    if len(y) != d.n_rows or not np.isin(y, classes).all():
        requirement = f"y must hold one of the classes {classes.tolist()} for each of the {d.n_rows} rows of X"
        raise DataError(format_message(d.who, requirement, actual=f"got {len(y)} labels, {np.unique(y).tolist()}"))
    wanted = classes[1:] if scores.shape[1] == 1 else classes
    t = np.where(y[:, None] == wanted, 1.0, -1.0)
    slacks = np.maximum(0.0, 1 - t * scores)
    return slacks[:, 0] if scores.shape[1] == 1 else slacks
