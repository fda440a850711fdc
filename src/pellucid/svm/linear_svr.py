"""Linear support vector regression: a line with a tube around it in which errors cost nothing."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.single import SingleTargetMixin
from pellucid.estimator.trace import Trace
from pellucid.svm._shared import (
    LinearPlan,
    goes_primal,
    linear_scores,
    row_costs,
    solve_planes,
    tube,
    warn_unfinished,
)

__all__ = ["LinearSVR"]


class LinearSVR(SingleTargetMixin):
    """A straight line for numbers that does not mind errors of up to epsilon.

    The prediction is ``f(x) = b + w . x``; a row costs what its error has above epsilon,
    ``z = max(0, |y - f(x)| - epsilon)``. Minimized is

        ``1/2 (||w||² + (b / s)²) + sum_i C_i z_i``      (loss="epsilon_insensitive")
        ``1/2 (||w||² + (b / s)²) + sum_i C_i z_i²``     (loss="squared_epsilon_insensitive")

    where ``C_i`` is C times the weight of row i and s is `intercept_scaling`. Rows within the tube do not change the
    line. The squared loss with at least as many rows as columns is minimized by Newton's method, all else by
    coordinate descent in the dual, as in `LinearSVC`: every row has a number beta_i between -C_i and C_i, and
    ``w = sum_i beta_i x_i``.

    The intercept is penalized like a coefficient: center the columns and the target, or use `SVR` with a linear kernel.
    Where all errors matter alike take `Ridge`.

    Attributes
    ----------
    coef_ : p coefficients
    intercept_ : the number b, as an array of one
    dual_coef_ : n numbers beta; zero within the tube
    objective_ : what was minimized, at its end
    n_iter_ : passes over the rows, or steps of Newton

    Notes
    -----
    liblinear ends its dual when the misses of all rows, added up, are `tol` of the first pass's; here when the largest
    rise and fall together are below `tol`, as for `LinearSVC`.

    References
    ----------
    Ho, Lin: Large-scale linear support vector regression. JMLR 13 (2012).

    Examples
    --------
    Two rows with a tube of 1/2 around the line: it may be as flat as w = 1 from (-1, -1.5) to (1, 1.5).

    >>> from pellucid.svm import LinearSVR
    >>> model = LinearSVR(epsilon=0.5, C=10, tol=1e-8, random_state=0).fit([[-1], [1]], [-1.5, 1.5])
    >>> model.coef_.round(6), model.predict([[2]]).round(6)
    (array([1.]), array([2.]))
    """

    epsilon: float = param(default=0.0, low=0, doc="Half the width of the tube in which errors cost nothing.")
    tol: float = param(default=1e-4, low=0, low_open=True, doc="How near to the optimum the solver ends.")
    C: float = param(default=1.0, low=0, low_open=True, doc="Price of what lies outside the tube.")
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = param(
        default="epsilon_insensitive", doc="The price of an error beyond epsilon: itself, or its square."
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept?")
    intercept_scaling: float = param(
        default=1.0, low=0, low_open=True, doc="The constant column whose coefficient, times it, is the intercept."
    )
    dual: Literal[True, False, "auto"] = param(
        default="auto",
        doc="Solve the dual, or the primal (squared loss alone); 'auto': the primal where it can be and n >= p.",
    )
    verbose: int = param(default=0, doc="For scikit-learn's sake: nothing is printed.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of the order of rows in the dual.")
    max_iter: int = param(default=1000, low=0, doc="Most passes over the rows, or steps of Newton.")

    input_spec = InputSpec(sparse=True)

    def _fit(self, d: Design, trace: Trace) -> None:
        squared = self.loss == "squared_epsilon_insensitive"
        primal = goes_primal(d.who, self.dual, squared, d)
        self._seed_ = seed_from(self.random_state)
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        plan = LinearPlan(constant, squared, primal, self.max_iter, self._seed_, self._threads)
        problem = tube(d.y[:, 0], self.epsilon, row_costs(d, self.C))
        found = solve_planes(d, [problem], plan, [self.tol], trace.record)
        trace.take(found.tables)
        self.coef_: Floats = found.coef[0]
        self.intercept_: Floats = found.intercept if self.fit_intercept else np.zeros(1)
        self.dual_coef_: Floats = found.beta[0]
        self.objective_ = float(found.objective[0])
        self.n_iter_ = int(found.passes[0])
        if not found.converged:
            warn_unfinished(d.who, "passes", self.max_iter)

    def _predict(self, d: Design) -> Array:
        return linear_scores(d, self.coef_, self.intercept_, self._threads)[:, 0]
