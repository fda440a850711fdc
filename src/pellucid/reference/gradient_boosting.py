"""Gradient boosting in Friedman's steps: a constant, its residuals, a tree on them, a short step along it; and again.

    f_0    = argmin_c sum_i w_i L(y_i, c)                              the start
    r_i    = -dL(y_i, f) / df  at  f = f_{m-1}(x_i)                    residuals; a tree of them has leaves R_j
    c_j    = argmin_c sum_{i in R_j} w_i L(y_i, f_{m-1}(x_i) + c)      what leaf j answers
    f_m(x) = f_{m-1}(x) + rate c_j                                     for the leaf j that x is in

The losses, with scores f of one column, or of one column a class:

    squared    (y - f)² / 2                       c = mean of y - f
    absolute   |y - f|                            c = median of y - f
    quantile   (y - f) (a - [y < f])              c = a-quantile of y - f
    huber      (y - f)² / 2 within d,             c = m + mean of the parts of y - f - m within d,  m = median of y - f
               else d (|y - f| - d / 2)               (d: the quantile of |y - f| over all rows, anew each round)
    poisson    e^f - y f                          c = sum r / sum e^f
    logistic   log(1 + e^f) - y f                 c = sum r / sum p (1 - p)                    y is 0 or 1
    softmax    log sum_k e^f_k - f_y              c = (K - 1) / K  sum r / sum p (1 - p)       one tree for each class

The last three are one step of Newton from 0. Friedman: Greedy function approximation: a gradient boosting machine.
Annals of Statistics 29 (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference.cart import Node, Rules, grow, leaf_of, leaves_of, predict

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST = 1e-150  # curvature of a leaf below which it answers 0
SURE = 1e-15  # no share or mean is taken to be nearer to 0 or 1 at the start


@dataclass(frozen=True)
class Loss:
    """Which loss, and what it has to be told."""

    name: str = "squared"
    level: float = 0.5  # quantile: a;  huber: the share of rows whose residual lies within d
    classes: int = 1  # softmax: how many
    between: str = "midway"  # where a quantile may lie anywhere between two values; "lower": at the lower one
    damping: float = 0.0  # poisson: the curvature is e^(f + this), which keeps steps short
    curvature_factor: float = 1.0  # softmax: the curvature is so many times p (1 - p)

    @property
    def by_residuals(self) -> bool:
        """Does a leaf answer by the order of its residuals, having no curvature to go by?"""
        return self.name in ("absolute", "quantile", "huber")


@dataclass
class Step:
    """One tree: the residuals it is for, the rows of its leaves, and what these answer, before the rate."""

    output: int
    residual: Floats
    leaves: list[Ints]
    answer: list[float]
    tree: Node | None = None  # none where the leaves were given


@dataclass
class Boosted:
    """What boosting leaves behind; ``scores[m]`` is rows x outputs after m rounds."""

    loss: Loss
    rate: float
    start: Floats
    steps: list[Step]
    scores: list[Floats]
    rules: Rules


Parting = Callable[[int, Floats], tuple[list[Ints], Node | None]]  # number of a tree, residuals -> rows of its leaves


# ------------------------------------------------------------------------------------------------------------- losses


def quantile(values: Floats, weight: Floats, level: float, between: str = "midway") -> float:
    """The smallest value up to which the weights make up this share; midway to the next where they just meet it."""
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    rising, reached = values[order], np.cumsum(weight[order])
    target_weight = level * reached[-1]
    at = min(int(np.searchsorted(reached, target_weight)), len(rising) - 1)
    if between == "midway" and reached[at] == target_weight and at + 1 < len(rising):
        return float(rising[at] / 2 + rising[at + 1] / 2)
    return float(rising[at])


def softmax(f: Floats) -> Floats:
    """Scores of the classes as probabilities: e^f_k / sum of all."""
    e = np.exp(f - f.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def probability(f: Floats) -> Floats:
    """A score as the probability of the second class: 1 / (1 + e^-f)."""
    small = np.exp(-np.abs(f))
    return np.asarray(np.where(f >= 0, 1.0, small) / (1 + small))


def values_of(loss: Loss, y: Floats, f: Floats, d: float = 0.0) -> Floats:
    """What the loss is for each row."""
    one, r = f[:, 0], y - f[:, 0]
    match loss.name:
        case "squared":
            return np.asarray(r**2 / 2)
        case "absolute":
            return np.abs(r)
        case "quantile":
            return np.asarray(r * (loss.level - (r < 0)))
        case "huber":
            return np.where(np.abs(r) <= d, r**2 / 2, d * (np.abs(r) - d / 2))
        case "poisson":
            return np.asarray(np.exp(one) - y * one)
        case "logistic":
            return np.asarray(np.logaddexp(0.0, one) - y * one)
    max_score = f.max(axis=1)
    log_sum = max_score + np.log(np.exp(f - max_score[:, None]).sum(axis=1))
    return np.asarray(log_sum - f[np.arange(len(y)), y.astype(int)])


def residuals(loss: Loss, y: Floats, f: Floats, d: float = 0.0) -> Floats:
    """Minus the first derivative of the loss by the scores: rows x outputs."""
    if loss.name == "softmax":
        return np.asarray((y[:, None] == np.arange(loss.classes)) - softmax(f))
    r = y - f[:, 0]
    match loss.name:
        case "absolute":
            r = np.sign(r)
        case "quantile":
            r = np.where(r < 0, loss.level - 1, loss.level)
        case "huber":
            r = np.clip(r, -d, d)
        case "poisson":
            r = y - np.exp(f[:, 0])
        case "logistic":
            r = y - probability(f[:, 0])
    return np.asarray(r[:, None])


def curvatures(loss: Loss, f: Floats) -> Floats:
    """The second derivative of the loss by the scores; 1 where it is of no use."""
    match loss.name:
        case "poisson":
            return np.asarray(np.exp(f + loss.damping))
        case "logistic":
            p = probability(f)
            return np.asarray(p * (1 - p))
        case "softmax":
            p = softmax(f)
            return np.asarray(loss.curvature_factor * p * (1 - p))
    return np.ones_like(f)


def width(loss: Loss, y: Floats, f: Floats, weight: Floats) -> float:
    """Huber's d: so large that the share `level` of the rows lies within it; 0 for other losses."""
    return quantile(np.abs(y - f[:, 0]), weight, loss.level, loss.between) if loss.name == "huber" else 0.0


def start_of(loss: Loss, y: Floats, weight: Floats) -> Floats:
    """The constant for each output that the loss is least for (of the softmax: one of many, the logarithms)."""
    if loss.name == "softmax":
        share = np.array([weight[y == k].sum() for k in range(loss.classes)]) / weight.sum()
        return np.asarray(np.log(np.maximum(share, SURE)))
    if loss.by_residuals:
        return np.array([quantile(y, weight, loss.level if loss.name == "quantile" else 0.5, loss.between)])
    mean = float(np.average(y, weights=weight))
    match loss.name:
        case "poisson":
            return np.array([np.log(max(mean, SURE))])
        case "logistic":
            p = min(max(mean, SURE), 1 - SURE)
            return np.array([np.log(p / (1 - p))])
    return np.array([mean])


def leaf_answer(loss: Loss, y: Floats, f: Floats, weight: Floats, d: float = 0.0, output: int = 0) -> float:
    """What to add to the scores of the rows of one leaf, so that their loss becomes least; 0 for no rows."""
    if not weight.sum() > 0:
        return 0.0
    r = residuals(loss, y, f, d)[:, output]
    if loss.by_residuals:
        apart = y - f[:, 0]
        middle = quantile(apart, weight, loss.level if loss.name == "quantile" else 0.5, loss.between)
        if loss.name != "huber":
            return middle
        return middle + float(np.average(np.clip(apart - middle, -d, d), weights=weight))
    above = float((weight * r).sum())
    below = float((weight * curvatures(loss, f)[:, output]).sum())
    step = above / below if below >= LEAST else 0.0
    return step * (loss.classes - 1) / loss.classes if loss.name == "softmax" else step


# ----------------------------------------------------------------------------------------------------------- boosting


def boost(
    X: ArrayLike,
    y: ArrayLike,
    loss: Loss | None = None,
    *,
    rounds: int = 100,
    rate: float = 0.1,
    rules: Rules | None = None,
    weight: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> Boosted:
    """Grows a tree on the residuals of each output, round by round. Without `rules` it is of depth 3.

    >>> made = boost([[1], [2], [3], [4]], [1, 1, 3, 7], rounds=1, rate=0.5, rules=Rules("squared_error", max_depth=1))
    >>> made.start, made.steps[0].answer, made.scores[1][:, 0]
    (array([3.]), [-1.3333333333333333, 4.0], array([2.33333333, 2.33333333, 2.33333333, 5.        ]))
    """
    rules = rules or Rules("squared_error", max_depth=3)
    table = np.asarray(X, dtype=np.float64)
    w = np.ones(len(table)) if weight is None else np.asarray(weight, dtype=np.float64)

    def part(number: int, residual: Floats) -> tuple[list[Ints], Node | None]:
        tree = grow(table, residual[:, None], w, rules)
        return groups_of(tree, table, rules), tree

    loss = loss or Loss()
    return _boost(part, rounds, np.asarray(y, dtype=np.float64), loss, rate, w, start, rules)


def boost_with(
    trees: Sequence[Sequence[ArrayLike]],
    y: ArrayLike,
    loss: Loss | None = None,
    *,
    rate: float = 0.1,
    weight: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> Boosted:
    """The same with trees that are known: for each the rows of its leaves. Tree t is for output t mod outputs.

    >>> made = boost_with([[[0, 1], [2, 3]]], [1, 1, 3, 7], rate=0.5)
    >>> made.steps[0].answer, made.scores[1][:, 0]
    ([-2.0, 2.0], array([2., 2., 4., 4.]))
    """
    loss = loss or Loss()
    groups = [[np.asarray(leaf, dtype=np.int64) for leaf in leaves] for leaves in trees]
    target = np.asarray(y, dtype=np.float64)
    w = np.ones(len(target)) if weight is None else np.asarray(weight, dtype=np.float64)
    rounds = len(groups) // loss.classes
    return _boost(lambda number, _: (groups[number], None), rounds, target, loss, rate, w, start, Rules())


def _boost(
    part: Parting,
    rounds: int,
    y: Floats,
    loss: Loss,
    rate: float,
    w: Floats,
    start: ArrayLike | None,
    rules: Rules,
) -> Boosted:
    first = start_of(loss, y, w) if start is None else np.atleast_1d(np.asarray(start, dtype=np.float64))
    f = np.tile(first, (len(y), 1))
    steps: list[Step] = []
    scores = [f.copy()]
    for _ in range(rounds):
        before = f.copy()  # the trees of all classes see the scores of the round before
        d = width(loss, y, before, w)
        r = residuals(loss, y, before, d)
        for k in range(f.shape[1]):
            leaves, tree = part(len(steps), r[:, k])
            leaf_values = [leaf_answer(loss, y[rows], before[rows], w[rows], d, k) for rows in leaves]
            for rows, value in zip(leaves, leaf_values, strict=True):
                f[rows, k] += rate * value
            steps.append(Step(k, r[:, k], leaves, leaf_values, _answering(tree, leaf_values)))
        scores.append(f.copy())
    return Boosted(loss, rate, first, steps, scores, rules)


def groups_of(tree: Node, X: Floats, rules: Rules) -> list[Ints]:
    """Which rows end in each leaf, from left to right: those of weight 0 too."""
    ends = [id(leaf_of(tree, x, rules)) for x in X]
    return [np.flatnonzero([end == id(leaf) for end in ends]) for leaf in leaves_of(tree)]


def _answering(tree: Node | None, answer: list[float]) -> Node | None:
    """The tree, with what its leaves answer in place of the mean residual."""
    if tree is not None:
        for leaf, value in zip(leaves_of(tree), answer, strict=True):
            leaf.value = np.array([value])
    return tree


# ---------------------------------------------------------------------------------------------------------- answering


def staged_scores(model: Boosted, X: ArrayLike) -> list[Floats]:
    """The scores of any rows before the first round, and after each one."""
    table = np.asarray(X, dtype=np.float64)
    f = np.tile(model.start, (len(table), 1))
    scores = [f.copy()]
    for step in model.steps:
        if step.tree is None:
            raise ValueError("staged_scores: trees must have been grown; these are rows of leaves that were given.")
        f[:, step.output] += model.rate * predict(step.tree, table, model.rules)[:, 0]
        if step.output + 1 == f.shape[1]:
            scores.append(f.copy())
    return scores


def staged_losses(model: Boosted, y: ArrayLike, weight: ArrayLike | None = None) -> list[float]:
    """The mean loss of the rows that were learned from, before the first round and after each one.

    Huber's d is that of the scores at hand.
    """
    target = np.asarray(y, dtype=np.float64)
    w = np.ones(len(target)) if weight is None else np.asarray(weight, dtype=np.float64)
    losses = []
    for f in model.scores:
        d = width(model.loss, target, f, w)
        losses.append(float(np.average(values_of(model.loss, target, f, d), weights=w)))
    return losses


def answers(loss: Loss, f: Floats) -> Floats:
    """What scores mean: numbers, or a probability for each class."""
    match loss.name:
        case "poisson":
            return np.exp(f[:, 0])
        case "logistic":
            p = probability(f[:, 0])
            return np.column_stack([1 - p, p])
        case "softmax":
            return softmax(f)
    return f[:, 0]
