"""Twenty random problems of regression and of classification, and what each linear model says it minimizes.

The problems differ in shape (also more columns than rows), scale and correlation of the columns, precision, order in
memory, weights (also weights of zero), constant columns, share of zeros, number of targets or classes. The costs are
plain NumPy in double precision, on each estimator's own scale, as its documentation states it. S is the sum of the
weights s_i, n without weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]
SEEDS = range(20)
SHAPES = [(30, 4), (60, 9), (40, 60), (120, 6), (25, 25), (200, 15), (12, 3), (50, 120), (90, 30), (400, 8)]


@dataclass(frozen=True)
class Problem:
    """A table, its target and its weights (None: all rows alike)."""

    X: Array
    y: Array
    weight: Array | None

    @property
    def csr(self) -> Any:
        """The same table, its zeros left out."""
        return sp.csr_array(self.X)

    @property
    def weights(self) -> Array:
        """One weight a row."""
        return np.ones(len(self.X)) if self.weight is None else self.weight

    @property
    def classes(self) -> Array:
        """The classes, in order."""
        return np.unique(self.y)

    @property
    def single(self) -> bool:
        """Whether X is in single precision."""
        return self.X.dtype == np.float32


def regression(seed: int, targets: int | None = None) -> Problem:
    """A target (or several) that is linear in a few columns, with noise; every seventh problem has three."""
    random = np.random.default_rng([seed, 1])
    X = _table(random, seed)
    several = targets or (3 if seed % 7 == 3 else 1)
    slopes = random.standard_normal((X.shape[1], several)) * (random.random((X.shape[1], several)) < 0.4)
    scores = X.astype(float) / _spread(X) @ slopes
    y = 5 * random.standard_normal(several) + scores + (0.3 + random.random()) * random.standard_normal(scores.shape)
    y = y.astype(X.dtype)
    return Problem(X, y if targets or several > 1 else y[:, 0], _weights(random, seed, len(X)))


def classification(seed: int, classes: int | None = None) -> Problem:
    """Classes by noisy linear scores, of which none is empty and none is parted from the others by a plane.

    Without `classes` two, and in every third problem three to five. Labels are numbers, or words in every fourth.
    """
    random = np.random.default_rng([seed, 2])
    X = _table(random, seed)
    k = classes or (3 + seed % 2 + (seed % 9 == 5) if seed % 3 == 2 else 2)
    slopes = random.standard_normal((X.shape[1], k)) * (random.random((X.shape[1], k)) < 0.5)
    scores = X.astype(float) / _spread(X) @ slopes
    scores = scores / (scores.std() + 1e-12) + random.gumbel(size=scores.shape)
    codes = scores.argmax(axis=1)
    codes[: 2 * k] = np.repeat(np.arange(k), 2)
    weight = _weights(random, seed, len(X))
    if weight is not None:
        weight[: 2 * k] = 1.0
    labels = np.array([f"class {c}" for c in range(k)]) if seed % 4 == 3 else 3 * np.arange(k) - 2
    return Problem(X, labels[codes], weight)


def _table(random: np.random.Generator, seed: int) -> Array:
    n, p = SHAPES[seed % 10]
    X = random.standard_normal((n, p))
    if seed % 4 == 2:  # neighbors resemble each other
        X = np.cumsum(X, axis=1) / np.sqrt(np.arange(1, p + 1))
    if seed % 2 == 0:
        X[random.random((n, p)) < 0.6] = 0.0
    if seed % 5 == 3:
        X *= 10.0 ** random.uniform(-2, 2, size=p)
    if seed % 3 == 1:
        X += np.where(X == 0, 0.0, random.uniform(-3, 3, size=p))
    if seed % 6 == 5:
        X[:, -1] = 2.5
    return np.asarray(X, dtype=np.float32 if seed % 5 == 4 else np.float64, order="F" if seed % 4 >= 2 else "C")


def _spread(X: Array) -> Array:
    spread = X.astype(float).std(axis=0)
    return np.where(spread > 0, spread, 1.0)


def _weights(random: np.random.Generator, seed: int, n: int) -> Array | None:
    if seed % 3 == 0:
        return None
    drawn = random.uniform(0.2, 3, size=n)
    return drawn if seed % 3 == 1 else drawn * (random.random(n) < 0.8)


# ------------------------------------------------------------------------------------------------- linear scores


def scores(X: Any, coef: Any, intercept: Any) -> Array:
    """``f = b + W x``: n x k."""
    W = np.atleast_2d(np.asarray(coef, dtype=float))
    return np.asarray(np.asarray(X, dtype=float) @ W.T + np.ravel(np.asarray(intercept, dtype=float)))


# ---------------------------------------------------------------------------------------------------- regression


def ridge_cost(problem: Problem, coef: Any, intercept: Any, alpha: Any) -> float:
    """``sum_i s_i (y_i - f_i)^2 + alpha ||w||^2``, added up over the targets, each with its alpha."""
    y = problem.y.reshape(len(problem.y), -1).astype(float)
    squares = problem.weights @ (y - scores(problem.X, coef, intercept)) ** 2
    W = np.atleast_2d(np.asarray(coef, dtype=float))
    return float(np.sum(squares + np.ravel(alpha) * (W**2).sum(axis=1)))


def elastic_net_cost(problem: Problem, coef: Any, intercept: Any, alpha: float, l1_ratio: float) -> float:
    """``1/(2S) sum_i s_i (y_i - f_i)^2 + alpha (l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2)``, over the targets."""
    y = problem.y.reshape(len(problem.y), -1).astype(float)
    squares = problem.weights @ (y - scores(problem.X, coef, intercept)) ** 2
    W = np.asarray(coef, dtype=float)
    return float(squares.sum() / (2 * problem.weights.sum()) + alpha * mixed(W, l1_ratio))


def lasso_cost(problem: Problem, coef: Any, intercept: Any, alpha: float) -> float:
    """``1/(2S) sum_i s_i (y_i - f_i)^2 + alpha ||w||_1``."""
    return elastic_net_cost(problem, coef, intercept, alpha, 1.0)


def mixed(W: Any, l1_ratio: float) -> float:
    """``l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2``."""
    W = np.asarray(W, dtype=float)
    return float(l1_ratio * np.abs(W).sum() + (1 - l1_ratio) / 2 * (W**2).sum())


# ------------------------------------------------------------------------------------------------ classification


def log_loss(problem: Problem, coef: Any, intercept: Any, classes: Any) -> float:
    """``sum_i s_i log(1 + exp(-t_i f_i))`` with t_i = 1 for the second class, -1 for the first; for one score a class
    ``sum_i s_i (log sum_c exp(f_ic) - f_i,y_i)``."""
    f = scores(problem.X, coef, intercept)
    if f.shape[1] == 1:
        signs = np.where(problem.y == np.asarray(classes)[1], 1.0, -1.0)
        return float(problem.weights @ np.logaddexp(0, -signs * f[:, 0]))
    own = f[np.arange(len(f)), np.searchsorted(classes, problem.y)]
    return float(problem.weights @ (np.logaddexp.reduce(f, axis=1) - own))


def logistic_cost(
    problem: Problem, model: Any, C: float, l1_ratio: float = 0.0, intercept_scaling: float | None = None
) -> float:
    """``C sum_i s_i l_i + l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2``; without the penalty when C is infinite.

    With `intercept_scaling` the intercept is the coefficient of a column of that number, penalized like the others, as
    liblinear has it. A model of k classes with k scores is a softmax; see `one_against_rest_cost` for the other kind.
    """
    loss = log_loss(problem, model.coef_, model.intercept_, model.classes_)
    if np.isinf(C):
        return loss
    W = np.asarray(model.coef_, dtype=float)
    if intercept_scaling is not None:
        W = np.column_stack([W, np.asarray(model.intercept_, dtype=float) / intercept_scaling])
    return C * loss + mixed(W, l1_ratio)


def one_against_rest_cost(
    problem: Problem, model: Any, C: float, l1_ratio: float = 0.0, intercept_scaling: float | None = None
) -> float:
    """The costs of the two-class models of each class against the others, added up."""
    total = 0.0
    for c, W, b in zip(model.classes_, model.coef_, model.intercept_, strict=True):
        two = Problem(problem.X, problem.y == c, problem.weight)
        total += logistic_cost(two, _Plane(W[None], np.array([b])), C, l1_ratio, intercept_scaling)
    return total


@dataclass(frozen=True)
class _Plane:
    coef_: Array
    intercept_: Array
    classes_: tuple[bool, bool] = (False, True)


# ------------------------------------------------------------------------------------------- stochastic descent


def row_losses(loss: str, y: Array, f: Array, epsilon: float = 0.1) -> Array:
    """The loss of each row: y numbers for the regression losses, -1 and 1 for the others; f one score a row."""
    apart, margin = y - f, y * f
    known = {
        "squared_error": lambda: 0.5 * apart**2,
        "absolute_error": lambda: np.abs(apart),
        "huber": lambda: np.where(np.abs(apart) <= epsilon, 0.5 * apart**2, epsilon * np.abs(apart) - 0.5 * epsilon**2),
        "epsilon_insensitive": lambda: np.maximum(np.abs(apart) - epsilon, 0),
        "squared_epsilon_insensitive": lambda: np.maximum(np.abs(apart) - epsilon, 0) ** 2,
        "hinge": lambda: np.maximum(1 - margin, 0),
        "squared_hinge": lambda: np.maximum(1 - margin, 0) ** 2,
        "perceptron": lambda: np.maximum(-margin, 0),
        "log_loss": lambda: np.logaddexp(0, -margin),
        "modified_huber": lambda: np.where(margin >= -1, np.maximum(1 - margin, 0) ** 2, -4 * margin),
    }
    return np.asarray(known[loss]())


def sgd_cost(problem: Problem, model: Any, loss: str, alpha: float, l1_ratio: float, epsilon: float = 0.1) -> float:
    """``1/S sum_i s_i l(y_i, f_i) + alpha (l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2)`` of one target or two classes.

    For classes y is 1 for the second and -1 for the first; the loss of a squared error is half the square.
    """
    f = scores(problem.X, model.coef_, model.intercept_)[:, 0]
    classes = getattr(model, "classes_", None)
    y = problem.y.astype(float) if classes is None else np.where(problem.y == classes[1], 1.0, -1.0)
    mean = problem.weights @ row_losses(loss, y, f, epsilon) / problem.weights.sum()
    return float(mean + alpha * mixed(model.coef_, l1_ratio))


# ------------------------------------------------------------------------------------------------- comparison


def no_worse(ours: float, theirs: float, tolerance: float) -> None:
    """Our cost is at most theirs, up to a share of it."""
    assert np.isfinite(ours)
    assert ours <= theirs + tolerance * abs(theirs), f"cost {ours!r} against {theirs!r}: {ours - theirs:.3g} more"


def near(found: Any, wanted: Any, tolerance: float) -> None:
    """Equal up to a share of the largest wanted number."""
    size = float(np.abs(np.asarray(wanted, dtype=float)).max(initial=0.0))
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(
        np.asarray(found, dtype=float), np.asarray(wanted, dtype=float), rtol=0, atol=tolerance * max(size, 1e-300)
    )
