"""Support vector regression with kernels."""

from __future__ import annotations

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.single import SingleTargetMixin
from pellucid.estimator.trace import Trace
from pellucid.svm._kernel_machine import KernelMachine
from pellucid.svm._shared import row_costs, solve_smo, tube

__all__ = ["SVR"]


class SVR(KernelMachine, SingleTargetMixin):
    """A line or curve for numbers that does not mind errors of up to epsilon, held by the rows outside its tube.

    The prediction is ``f(x) = b + w . phi(x)``; a row costs what its error has above epsilon:

        ``minimize 1/2 ||w||² + sum_i C_i max(0, |y_i - f(x_i)| - epsilon)``

    phi is never worked out: the dual has a number ``beta_i`` between -C_i and C_i for each row,

        ``maximize sum_i (y_i beta_i - epsilon |beta_i|) - 1/2 sum_ij beta_i beta_j K(x_i, x_j)``,  ``sum_i beta_i = 0``

    and  ``f(x) = b + sum_i beta_i K(x_i, x)``.  Rows inside the tube have beta_i = 0 and do not change the curve. Two
    coefficients move at a time, as in `SVC`; a row has one coefficient here, where others give it two.

    For many rows and a straight line `LinearSVR` is far faster. Scale the columns first.

    Attributes
    ----------
    support_ : rows that are support vectors
    support_vectors_ : the rows themselves
    n_support_ : how many there are, as an array of one
    dual_coef_ : 1 x support vectors: beta
    fit_status_ : 0, or 1 where `max_iter` ended it
    intercept_ : the number b, as an array of one
    coef_ : of a linear kernel, 1 x p coefficients
    objective_ : the dual, as it is maximized
    gap_ : by how much the optimality condition is missed, at most `tol`
    n_iter_ : steps

    References
    ----------
    Smola, Schölkopf: A tutorial on support vector regression. Statistics and Computing 14 (2004).

    Examples
    --------
    Two rows with a tube of 1/2 around the line: it may be as flat as from (0, 1/2) to (2, 5/2).

    >>> from pellucid.svm import SVR
    >>> model = SVR(kernel="linear", epsilon=0.5, C=10).fit([[0], [2]], [0, 3])
    >>> model.coef_, model.intercept_, model.dual_coef_
    (array([[1.]]), array([0.5]), array([[-0.5,  0.5]]))
    """

    epsilon: float = param(default=0.1, low=0, doc="Half the width of the tube in which errors cost nothing.")

    def _fit(self, d: Design, trace: Trace) -> None:
        kernel, gram = self._prepare(d)
        cost = row_costs(d, self.C)
        rows = np.flatnonzero(cost > 0)
        problem = tube(d.y[rows, 0], self.epsilon, cost[rows])
        found = solve_smo(d, gram, kernel, [rows], [problem], self._smo_plan(), trace.record)
        trace.take(found.tables)
        held = found.beta != 0
        self._keep_supports(d, rows[held])
        self.dual_coef_: Floats = found.beta[held][None, :]
        self.n_support_ = np.array([held.sum()], dtype=np.int32)
        self.intercept_: Floats = np.ascontiguousarray(found.bias)
        self.objective_ = float(-found.objective[0])
        self.gap_ = float(found.gap[0])
        self.n_iter_ = int(found.steps[0])
        self.fit_status_ = int(not found.converged)
        self._check_end(d, found, "all rows must fit into a tube around some curve")

    @property
    def coef_(self) -> Floats:
        """The coefficients of a linear kernel."""
        return self._line_of(self.dual_coef_)

    def _predict(self, d: Design) -> Array:
        return self._sums(d, self.dual_coef_, self.intercept_)[:, 0]
