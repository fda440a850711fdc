"""The cost of a linear model as a function of its parameters: the bowl that descent walks down."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pellucid.base.types import Floats
from pellucid.plotting._style import MINUS, TIMES

if TYPE_CHECKING:
    from pellucid.plotting._runs import Descent

FACTOR = {"half_squared": 0.5, "squared": 1.0}
FORMULA = {"half_squared": f"(f {MINUS} y)²/2", "squared": f"(f {MINUS} y)²"}
PENALTY = {"l2": lambda w: np.square(w).sum(axis=-1) / 2, "l1": lambda w: np.abs(w).sum(axis=-1)}


@dataclass(frozen=True)
class Bowl:
    """``J(theta) = scale |R theta - z|² + alpha h(theta without the intercept) + floor``.

    ``scale`` is 1/n or 1/2n. ``(R z)`` is the triangle of a QR decomposition of the table and its target side by side,
    so that ``|R theta - z| = |A theta - y|``: a point costs a product with a small triangle however many rows there
    are, and none of the squares cancel.
    """

    triangle: Floats
    target: Floats
    scale: float
    alpha: float
    penalty: str | None
    free: tuple[bool, ...]
    floor: float = 0.0

    def __call__(self, theta: Floats) -> Floats:
        """The cost at one point, or at each of many along the last axis."""
        with np.errstate(over="ignore", invalid="ignore"):
            cost = self.scale * np.square(theta @ self.triangle.T - self.target).sum(axis=-1) + self.floor
            cost = cost + self._penalty(theta)
        return np.asarray(np.where(np.isnan(cost), np.inf, cost), dtype=np.float64)

    def _penalty(self, theta: Floats) -> Floats | float:
        if self.penalty is None:
            return 0.0
        return np.asarray(self.alpha * PENALTY[self.penalty](theta[..., ~np.array(self.free)]))

    def slice(self, pair: tuple[int, int], theta: Floats) -> "Bowl":
        """The cost over two parameters, with the others held as in ``theta``."""
        fixed = theta.copy()
        fixed[list(pair)] = 0.0
        residual = self.target - self.triangle @ fixed
        floor = self.floor + float(self._penalty(fixed))
        triangle, target = _triangle(self.triangle[:, list(pair)], residual)
        return replace(self, triangle=triangle, target=target, free=tuple(self.free[j] for j in pair), floor=floor)


def bowl(model: "Descent", X: Floats, y: Floats) -> Bowl:
    """The cost that ``model`` minimizes, on these rows, each of which counts once."""
    A = np.column_stack([np.ones(len(X)), X]) if model.fit_intercept else X
    penalty = model.penalty if model.alpha > 0 else None
    free = tuple(j < int(model.fit_intercept) for j in range(A.shape[1]))
    return Bowl(*_triangle(A, y), FACTOR[model.cost] / len(X), model.alpha, penalty, free)


def formula(model: "Descent") -> str:
    """The cost in words, for an axis or a title."""
    text = f"mean of {FORMULA[model.cost]}"
    return text if model.penalty is None else f"{text} + {model.alpha:g} {TIMES} {model.penalty} penalty"


def _triangle(A: Floats, y: Floats) -> tuple[Floats, Floats]:
    both: Floats = np.linalg.qr(np.column_stack([A, y]), mode="r")  # type: ignore[assignment]
    return both[:, :-1], both[:, -1]
