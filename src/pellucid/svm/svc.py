"""Support vector classification with kernels."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import NotFittedError, ParameterError, format_message
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.svm._kernel_machine import KernelMachine
from pellucid.svm._probabilities import Pair, class_probabilities, fit_sigmoids, pair_probabilities
from pellucid.svm._shared import MachineOfClasses, Smo, sides, solve_smo
from pellucid.svm.linear_svc import _NO_CHANCES, label_slacks

__all__ = ["SVC"]


class SVC(KernelMachine, MachineOfClasses):
    """The widest street between two classes, straight or curved, held by the rows nearest to it.

    A row of class t (-1 or +1) should have ``t f(x) >= 1``; its slack ``z = max(0, 1 - t f(x))`` costs C_i a unit:

        ``minimize 1/2 ||w||² + sum_i C_i z_i``,   ``f(x) = b + w . phi(x)``

    phi is never worked out. The dual has a number ``a_i`` between 0 and ``C_i`` for each row,

        ``maximize sum_i a_i - 1/2 sum_ij a_i a_j t_i t_j K(x_i, x_j)``   with ``sum_i a_i t_i = 0``

    and the answer is a sum over the support vectors, the few rows whose a_i is not 0:

        ``f(x) = b + sum_i a_i t_i K(x_i, x)``,   ``K(x, z) = phi(x) . phi(z)``

    Two coefficients move at a time (sequential minimal optimization): the row that misses its optimality condition
    most, and the one with which the dual gains most. Rows of K are worked out when they are asked for and kept as far
    as `cache_size` goes; rows that stay at a bound are left out for a while. Several classes: one machine for each
    two, and the class with most votes wins. ``C=inf`` is the hard margin, which needs classes that can be parted.

    For many rows and a straight border `LinearSVC` is far faster. Scale the columns first. For probabilities put
    `CalibratedClassifierCV` around it, or take ``probability=True``: each machine is fitted five times more, on four
    fifths of its rows, and the scores s of the rows held out give Platt's sigmoid, the probability of the machine's
    first class,

        ``P = 1 / (1 + exp(A s + B))``

    Of several classes the probabilities p are those that agree best with the sigmoids r_ij of each two: they minimize
    ``sum_ij (r_ji p_i - r_ij p_j)²`` and add up to one. The most probable class need not be the one that is predicted.

    Attributes
    ----------
    support_ : rows that are support vectors, class by class
    support_vectors_ : the rows themselves
    n_support_ : how many each class has
    dual_coef_ : (k - 1) x support vectors: a_i t_i in each of the machines that the row's class has part in
    fit_status_ : 0, or 1 where `max_iter` ended it
    intercept_ : the numbers b of the k (k - 1) / 2 machines
    coef_ : of a linear kernel, the coefficients w of the machines
    margin_ : width of the street, 2 / ||w||, of each machine
    objective_ : the dual of each machine, as it is maximized
    gap_ : by how much the optimality condition is missed, at most `tol`
    n_iter_ : steps of each machine
    probA_, probB_ : with probability=True, A and B of each machine; of two classes s is minus the decision function
    classes_ : labels in order

    Notes
    -----
    Sparse tables are taken; inside, and in `support_vectors_`, their rows are dense.
    Signs, votes and the order of attributes are scikit-learn's. Where rows have weights, gamma="scale" and
    class_weight="balanced" count them too: a weight of 2 is a row written twice. The scores of several classes with
    decision_function_shape="ovr" are votes, with the sum of the machines' scores between -1/3 and 1/3 to part ties.

    References
    ----------
    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995).
    Fan, Chen, Lin: Working set selection using second order information for training SVM. JMLR 6 (2005).
    Lin, Lin, Weng: A note on Platt's probabilistic outputs for support vector machines. Machine Learning 68 (2007).
    Wu, Lin, Weng: Probability estimates for multi-class classification by pairwise coupling. JMLR 5 (2004).

    Examples
    --------
    Two rows at 0 and 2: the border is at 1, the street from 0 to 2, both rows hold it with a = 1/2.

    >>> from pellucid.svm import SVC
    >>> model = SVC(kernel="linear").fit([[0], [2], [5]], ["a", "b", "b"])
    >>> model.coef_, model.intercept_, model.dual_coef_, model.support_
    (array([[1.]]), array([-1.]), array([[-0.5,  0.5]]), array([0, 1], dtype=int32))
    >>> model.decision_function([[5]])
    array([4.])
    """

    C: float = param(
        default=1.0, low=0, low_open=True, doc="Price of slack, and the largest a_i; inf for a hard margin."
    )
    probability: Literal[True, False, "deprecated"] = param(
        default="deprecated",
        doc="Are there probabilities? scikit-learn gives them up for `CalibratedClassifierCV`; 'deprecated' is its no.",
    )
    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None, doc="Factor of C for each class by its label, or 'balanced': n / (k n_class)."
    )
    decision_function_shape: Literal["ovr", "ovo"] = param(
        default="ovr", doc="Scores of several classes: one a class, or one for each two classes."
    )
    break_ties: bool = param(
        default=False, doc="Part ties of votes by the machines' scores, not by order? Needs 'ovr'."
    )
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of the folds of `probability`.")

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_settings(d.who)
        codes, cost, factors = self._class_costs(d, self.C, self.class_weight)
        cost = cost * factors[codes]
        kernel, gram = self._prepare(d)
        # Of two classes the second is +1, of each two of several the first.
        pairs = [(1, 0)] if len(self.classes_) == 2 else list(combinations(range(len(self.classes_)), 2))
        rows = [np.flatnonzero(((codes == i) | (codes == j)) & (cost > 0)) for i, j in pairs]
        sided = [Pair(own, codes[own] == i, cost[own]) for (i, _), own in zip(pairs, rows, strict=True)]
        problems = [sides(one.first, one.cost) for one in sided]
        found = solve_smo(d, gram, kernel, rows, problems, self._smo_plan(), trace.record)
        trace.take(found.tables)
        self._keep(d, codes, rows, found)
        self._check_end(d, found, "the classes must be such that the kernel can part them")
        if self.probability is True:
            self._seed_ = seed_from(self.random_state)
            if len(pairs) == 1:  # the sigmoid is that of the first class
                sided = [replace(sided[0], first=~sided[0].first)]
            self.probA_, self.probB_ = fit_sigmoids(d, gram, kernel, sided, self._smo_plan(), self._seed_)

    def _refuse_settings(self, who: str) -> None:
        if self.break_ties and self.decision_function_shape == "ovo":
            requirement = "break_ties must be False when decision_function_shape is 'ovo'"
            raise ParameterError(
                format_message(who, requirement, actual="got True", hint="decision_function_shape='ovr' parts ties")
            )

    def _keep(self, d: Design, codes: Array, rows: list[Array], found: Smo) -> None:
        k = len(self.classes_)
        signed = np.zeros((len(rows), d.n_rows))
        start = 0
        for pair, own in enumerate(rows):
            signed[pair, own] = found.beta[start : start + len(own)]
            start += len(own)
        support = np.flatnonzero((signed != 0).any(axis=0))
        support = support[np.argsort(codes[support], kind="stable")]
        self._keep_supports(d, support)
        self._by_machine_: Floats = np.ascontiguousarray(signed[:, support])
        self.n_support_ = np.bincount(codes[support], minlength=k).astype(np.int32)
        self.dual_coef_: Floats = self._by_machine_ if k == 2 else by_class(self._by_machine_, codes[support], k)
        self.intercept_: Floats = np.ascontiguousarray(found.bias)
        self.objective_: Floats = -found.objective
        self.gap_: Floats = found.gap
        self.n_iter_: Array = found.steps
        self.fit_status_ = int(not found.converged)
        if self.kernel == "linear":
            lengths = np.sqrt((self.coef_**2).sum(axis=1))
            self.margin_: Floats = np.divide(2.0, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0)

    @property
    def coef_(self) -> Floats:
        """The coefficients w of a linear kernel: one row a machine."""
        return self._line_of(self._by_machine_)

    @property
    def machine_coef(self) -> Floats:
        """Signed dual coefficients: one row a machine, one column a support vector."""
        return self._by_machine_

    # ------------------------------------------------------------------------------------------------------- answers

    def _scores(self, d: Design) -> Floats:
        return self._sums(d, self._by_machine_, self.intercept_)

    def decision_function(self, X: Any) -> Array:
        """Scores: n numbers for two classes (above zero is the second), n x k or n x k (k - 1) / 2 for k classes."""
        scores = self._scores(self._validate_predict(X))
        if len(self.classes_) == 2:
            return scores[:, 0]
        return scores if self.decision_function_shape == "ovo" else one_a_class(scores, len(self.classes_))

    def slacks(self, X: Any, y: Any) -> Floats:
        """What each row lacks, max(0, 1 - t f(x)): 0 off the street, up to 1 in it, more on the wrong side.

        Of two classes; several have a street for each two.
        """
        d = self._validate_predict(X)
        if len(self.classes_) > 2:
            requirement = "slacks are those of one street, between two classes"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {len(self.classes_)} classes", hint="take two of them")
            )
        return label_slacks(d, self.classes_, np.asarray(y), self._scores(d))

    def _predict_codes(self, d: Design) -> Array:
        scores, k = self._scores(d), len(self.classes_)
        if k == 2:
            return np.asarray((scores[:, 0] > 0).astype(int))
        return np.asarray((one_a_class(scores, k) if self.break_ties else votes(scores, k)).argmax(axis=1))

    @property
    def predict_proba(self) -> Any:
        """With probability=True: the probability of each class, one column a class in the order of `classes_`."""
        if self.probability is not True:
            raise AttributeError(_NO_CHANCES.format("SVC(probability=False)"))
        return super().predict_proba

    @property
    def predict_log_proba(self) -> Any:
        """With probability=True: the natural logarithm of `predict_proba`."""
        chances = self.predict_proba
        return lambda X: np.log(chances(X))

    def _predict_proba(self, d: Design) -> Floats:
        if "probA_" not in vars(self):
            requirement = "probabilities must be asked for before fit"
            raise NotFittedError(
                format_message(
                    d.who, requirement, actual="it was fitted without", hint="fit again with probability=True"
                )
            )
        k, scores = len(self.classes_), self._scores(d)
        first = pair_probabilities(-scores if k == 2 else scores, self.probA_, self.probB_)
        return class_probabilities(first, k, self._threads)


def by_class(signed: Floats, codes: Array, k: int) -> Floats:
    """Coefficients in scikit-learn's (k - 1) x m form: of a row of class i, against the other classes in order."""
    out = np.zeros((k - 1, signed.shape[1]))
    for pair, (i, j) in enumerate(combinations(range(k), 2)):
        out[j - 1, codes == i] = signed[pair, codes == i]
        out[i, codes == j] = signed[pair, codes == j]
    return out


def votes(scores: Floats, k: int) -> Floats:
    """How many of its machines each class wins; a score of zero is for the second class."""
    found = np.zeros((len(scores), k))
    for pair, (i, j) in enumerate(combinations(range(k), 2)):
        first = scores[:, pair] > 0
        found[:, i] += first
        found[:, j] += ~first
    return found


def one_a_class(scores: Floats, k: int) -> Floats:
    """Votes, and the sum of a class's scores brought to between -1/3 and 1/3."""
    sums = np.zeros((len(scores), k))
    for pair, (i, j) in enumerate(combinations(range(k), 2)):
        sums[:, i] += scores[:, pair]
        sums[:, j] -= scores[:, pair]
    return np.asarray(votes(scores, k) + sums / (3 * (np.abs(sums) + 1)))
