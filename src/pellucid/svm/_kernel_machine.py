"""What `SVC` and `SVR` share: the kernel's parameters and the sum over support vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.estimator import Estimator
from pellucid.svm._shared import (
    Kernel,
    Smo,
    SmoPlan,
    dense_rows,
    gram_matrix,
    kernel_scores,
    settle_kernel,
    warn_unfinished,
)

_MOST_HARD = 1_000_000  # steps of a hard margin: a few thousand are usual


class KernelMachine(Estimator):
    """A machine whose answer is a sum of kernels over support vectors."""

    kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable = param(  # type: ignore[type-arg]
        default="rbf",
        doc="K(x, z): x . z, (gamma x . z + coef0)^degree, exp(-gamma |x - z|²), tanh(gamma x . z + coef0); "
        "'precomputed': X is the table of all K; or a function of two tables that answers it.",
    )
    degree: int = param(default=3, low=0, doc="Degree of 'poly'.")
    gamma: float | Literal["scale", "auto"] = param(
        default="scale", low=0, doc="A number, 'scale': 1 / (p variance of all numbers of X), or 'auto': 1 / p."
    )
    coef0: float = param(default=0.0, doc="The constant in 'poly' and 'sigmoid'.")
    tol: float = param(default=1e-3, low=0, low_open=True, doc="Largest gap in the optimality condition at the end.")
    C: float = param(default=1.0, low=0, low_open=True, doc="Price of slack; also the largest dual coefficient.")
    shrinking: bool = param(default=True, doc="Leave rows out for a while that stay at a bound?")
    cache_size: float = param(default=200.0, low=0, low_open=True, doc="Megabytes for rows of the table of all K.")
    verbose: bool = param(default=False, doc="For scikit-learn's sake: nothing is printed.")
    max_iter: int = param(default=-1, low=-1, doc="Most steps of two coefficients each; -1 for as many as it takes.")

    input_spec = InputSpec(sparse=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def settled_kernel(self) -> Kernel:
        """The kernel with the numbers that the fit gave it."""
        return self._kernel_

    def _smo_plan(self) -> SmoPlan:
        endless = np.isinf(self.C) and self.max_iter < 1  # without an end to coefficients there may be no optimum
        most = _MOST_HARD if endless else self.max_iter
        return SmoPlan(self.tol, self.shrinking, self.cache_size, most, self._threads)

    def _check_end(self, d: Design, found: Smo, needed: str) -> None:
        """A solver that ran out of steps: a warning, or, without any slack, an error."""
        if found.converged:
            return
        if not np.isinf(self.C):
            warn_unfinished(d.who, "steps", self.max_iter)
            return
        requirement = f"C=inf allows no slack: {needed}"
        actual = f"the optimality condition is still missed by {found.gap.max():.2g} after {found.steps.max():,} steps"
        raise DataError(format_message(d.who, requirement, actual=actual, hint="take a finite C, such as C=1000"))

    def _prepare(self, d: Design) -> tuple[Kernel, Floats | None]:
        """The kernel with its numbers, and the table of all K where it is not worked out row by row."""
        kernel = settle_kernel(d, self.kernel, self.gamma, self.coef0, self.degree)
        self._kernel_: Kernel = kernel
        if callable(self.kernel):
            return kernel, gram_matrix(d, self.kernel, dense_rows(d))
        if kernel.name != "precomputed":
            return kernel, None
        if d.n_rows != d.n_cols:
            requirement = "Precomputed matrix must be a square matrix: K of every row with every row"
            raise DataError(format_message(d.who, requirement, actual=f"got {d.n_rows} x {d.n_cols}"))
        return kernel, dense_rows(d)

    def _keep_supports(self, d: Design, support: Array) -> None:
        self.support_: Array = support.astype(np.int32)
        if self._kernel_.name == "precomputed" and not callable(self.kernel):
            self.support_vectors_: Floats = np.empty((0, 0))
        else:
            self.support_vectors_ = dense_rows(d, support)

    def _sums(self, d: Design, coef: Floats, bias: Floats) -> Floats:
        """n x k sums over the support vectors."""
        return kernel_scores(
            d, self.kernel, self._kernel_, self.support_vectors_, self.support_, coef, bias, self._threads
        )

    def _line_of(self, coef: Floats) -> Floats:
        """The coefficients w of a linear kernel."""
        if self.kernel != "linear":
            raise AttributeError(f"coef_ is only available when using a linear kernel; got kernel={self.kernel!r}")
        return np.asarray(coef @ self.support_vectors_)
