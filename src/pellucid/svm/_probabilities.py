"""Probabilities of machines of two classes: Platt's sigmoid over scores of rows that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pellucid import _core
from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.models.linear import linear_predictor
from pellucid.models.platt import newton_steps
from pellucid.svm._shared import Kernel, SmoPlan, dense_rows, sides, solve_smo

FOLDS = 5
LEAST = 1e-7  # of a probability of one of two classes


@dataclass(frozen=True)
class Pair:
    """The rows of two classes: which of them are of the first, and what slack costs."""

    rows: Array
    first: Array
    cost: Floats


def fit_sigmoids(
    d: Design, gram: Floats | None, kernel: Kernel, pairs: Sequence[Pair], plan: SmoPlan, seed: int
) -> tuple[Floats, Floats]:
    """a and b of each pair: ``P(first) = 1 / (1 + exp(a s + b))`` where s is the score of the first class."""
    found = [_held_out(pair, seed, number) for number, pair in enumerate(pairs)]
    parts = [part for folds in found for part in folds]
    scores = iter(_scores(d, gram, kernel, [part[0] for part in parts], [part[1] for part in parts], plan))
    ends = []
    for folds in found:
        held = np.concatenate([next(scores) for _ in folds])
        first = np.concatenate([part[2] for part in folds])
        rows = np.concatenate([part[1] for part in folds])
        ends.append(newton_steps(held, first, None if d.weight is None else d.weight[rows])[-1])
    return np.array([end.a for end in ends]), np.array([end.b for end in ends])


def _held_out(pair: Pair, seed: int, number: int) -> list[tuple[Pair, Array, Array]]:
    """The parts that a machine is fitted on, the rows it is asked for, and which of those are of the first class."""
    order = np.argsort(uniform(seed, number, len(pair.rows)), kind="stable")
    found = []
    for held in np.array_split(order, FOLDS):
        rest = np.setdiff1d(order, held)
        part = Pair(pair.rows[rest], pair.first[rest], pair.cost[rest])
        found.append((part, pair.rows[held], pair.first[held]))
    return [one for one in found if len(one[1])]


def _scores(
    d: Design, gram: Floats | None, kernel: Kernel, parts: list[Pair], held: list[Array], plan: SmoPlan
) -> list[Floats]:
    """What the machine of each part says of the rows held out; a part of one class alone says that class."""
    both = [k for k, part in enumerate(parts) if 0 < part.first.sum() < len(part.first)]
    found = [np.full(len(rows), float(part.first.any()) - float((~part.first).any()))
             for part, rows in zip(parts, held, strict=True)]  # fmt: skip
    if not both:
        return found
    machines = solve_smo(
        d,
        gram,
        kernel,
        [parts[k].rows for k in both],
        [sides(parts[k].first, parts[k].cost) for k in both],
        plan,
        False,
    )
    betas = np.split(machines.beta, np.cumsum([len(parts[k].rows) for k in both])[:-1])
    for k, beta, bias in zip(both, betas, machines.bias, strict=True):
        support = parts[k].rows[beta != 0]
        coef, b = np.ascontiguousarray(beta[beta != 0][None, :]), np.array([bias])
        if gram is None:
            X, own = _core.dense(dense_rows(d, held[k])), dense_rows(d, support)
            found[k] = np.asarray(_core.kernel_decisions(X, *kernel, own, coef, b, plan.threads))[:, 0]
        else:
            K = np.ascontiguousarray(gram[np.ix_(held[k], support)])
            found[k] = linear_predictor(_core.dense(K), coef, b, plan.threads)[:, 0]
    return found


def pair_probabilities(scores: Floats, a: Floats, b: Floats) -> Floats:
    """n x pairs probabilities of the first class, away from 0 and 1."""
    return np.asarray(np.clip(expit(-(scores * a + b)), LEAST, 1 - LEAST))


def class_probabilities(first: Floats, k: int, threads: int) -> Floats:
    """n x k probabilities from those of each two classes (Wu, Lin and Weng)."""
    if k == 2:
        return np.hstack([first, 1 - first])
    return np.asarray(_core.couple_pairs(np.ascontiguousarray(first), k, threads))
