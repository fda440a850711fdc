"""Support vector machines with kernels, and discriminants of the second degree."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.discriminant_analysis._bells import OwnBells
from pellucid.export._builder import Answer, Builder, labels_of, largest, logistic, refuse_targets, softmax
from pellucid.export._form import (
    Call,
    Cell,
    Choose,
    Compare,
    Difference,
    Expression,
    Kernels,
    Name,
    Number,
    Product,
    Quotient,
    Sum,
)
from pellucid.export._linear import choice_of
from pellucid.export._writers import write_model
from pellucid.svm._probabilities import LEAST
from pellucid.svm.svc import SVC
from pellucid.svm.svr import SVR

# ------------------------------------------------------------------------------------------------------- discriminants


@write_model.register(OwnBells)
def write_quadratic(model: Any, b: Builder) -> Answer:
    """``D_k = levels_k - |factor_k (x scale - mean_k)|² / 2``"""
    labels, forms = labels_of(b, model), model.quadratic_forms
    b.read_cells(model)
    scores = []
    for k, (mean, factor, level) in enumerate(zip(forms.means, forms.factors, forms.levels.tolist(), strict=True)):
        z = [
            b.set(f"z_{k}_{j}", Difference(Product(Number(scale), Cell(j)), Number(own)))
            for j, (scale, own) in enumerate(zip(forms.scale.tolist(), mean.tolist(), strict=True))
        ]
        squares = []
        for i, row in enumerate(factor.tolist()):
            terms = [Product(Number(w), z[j]) for j, w in enumerate(row) if w != 0]
            u = b.total(f"u_{k}_{i}", 0.0, terms)
            squares.append(Product(Number(-0.5), Product(u, u)))
        scores.append(b.total(f"score_{k}", level, squares))
    shown = (b.set("log_odds", Difference(scores[1], scores[0])),) if len(scores) == 2 else tuple(scores)
    return Answer(largest(scores), softmax(b, scores), labels, shown)


# ------------------------------------------------------------------------------------------------------------ machines


def _scores(model: Any, b: Builder, coef: Floats) -> list[Name]:
    """``b + sum_s coef_s K(x_s, x)``  of each machine."""
    b.read_cells(model)
    kernel, start = model.settled_kernel, np.ravel(model.intercept_).tolist()
    names = ["score"] if len(coef) == 1 else [f"score_{k}" for k in range(len(coef))]
    if kernel.name == "precomputed":
        requirement = "a machine whose kernel is a function or a table cannot be written as code"
        raise b.refuse(requirement, f"the kernel is {model.kernel!r}", "take a kernel by its name")
    if kernel.name == "linear":
        rows = zip(names, start, model.coef_.tolist(), strict=True)
        return [b.total(name, bias, _products(row)) for name, bias, row in rows]
    vectors = np.asarray(model.support_vectors_, dtype=np.float64)
    numbers = (float(kernel.gamma), float(kernel.coef0), int(kernel.degree))
    b.steps.append(Kernels(tuple(names), tuple(start), vectors, np.asarray(coef), kernel.name, *numbers))
    return [Name(name) for name in names]


def _products(weights: list[float]) -> list[Expression]:
    return [Product(Number(w), Cell(j)) for j, w in enumerate(weights) if w != 0]


@write_model.register(SVR)
def write_kernel_regressor(model: Any, b: Builder) -> Answer:
    """A sum over the support vectors."""
    refuse_targets(b, model, len(np.atleast_2d(model.dual_coef_)))
    return Answer(_scores(model, b, np.atleast_2d(model.dual_coef_))[0])


@write_model.register(SVC)
def write_kernel_classifier(model: Any, b: Builder) -> Answer:
    """Of two classes the sign of a sum decides; of more, the votes of a machine for each two."""
    labels = labels_of(b, model)
    has_probabilities = model.probability is True and "probA_" in vars(model)
    if has_probabilities and len(labels) > 2:
        requirement = "a support vector machine of several classes with probabilities cannot be written as code"
        raise b.refuse(requirement, f"it has {len(labels)} classes", "fit it with probability=False")
    scores = _scores(model, b, np.atleast_2d(model.machine_coef))
    if len(labels) > 2:
        return _voted(model, b, scores, labels)
    probabilities = _two_probabilities(model, b, scores[0]) if has_probabilities else ()
    return Answer(choice_of(scores), probabilities, labels, tuple(scores))


def _two_probabilities(model: Any, b: Builder, score: Name) -> tuple[Expression, ...]:
    """Platt's sigmoid of minus the score, away from 0 and 1."""
    bent = Difference(Product(Number(float(model.probA_[0])), score), Number(float(model.probB_[0])))
    first = b.set("first", logistic(b, b.set("bent", bent))[1])
    low, high = Number(LEAST), Number(1 - LEAST)
    clipped = b.set("clipped", Choose(((Compare("<", first, low), low), (Compare(">", first, high), high)), first))
    return clipped, Difference(Number(1.0), clipped)


def _voted(model: Any, b: Builder, scores: list[Name], labels: tuple[Any, ...]) -> Answer:
    """Each machine votes for one of its two classes; the sum of the scores counts less than a vote."""
    votes: list[list[Expression]] = [[] for _ in labels]
    sums: list[list[Expression]] = [[] for _ in labels]
    for score, (i, j) in zip(scores, combinations(range(len(labels)), 2), strict=True):
        is_first = Compare(">", score, Number(0.0))
        votes[i].append(Choose(((is_first, Number(1.0)),), Number(0.0)))
        votes[j].append(Choose(((is_first, Number(0.0)),), Number(1.0)))
        sums[i].append(score)
        sums[j].append(Product(Number(-1.0), score))
    counted = [b.total(f"votes_{k}", 0.0, own) for k, own in enumerate(votes)]
    totals = [b.total(f"sum_{k}", 0.0, own) for k, own in enumerate(sums)]
    size = [Product(Number(3.0), Sum((Call("abs", (one,)), Number(1.0)))) for one in totals]
    parts = zip(counted, totals, size, strict=True)
    scored = [b.set(f"votes_and_sum_{k}", Sum((v, Quotient(t, s)))) for k, (v, t, s) in enumerate(parts)]
    shown = scores if model.decision_function_shape == "ovo" else scored
    return Answer(largest(scored if model.break_ties else counted), (), labels, tuple(shown))
