"""Writers of support vector machines and of networks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.linear import line
from pellucid.export.onnx.writing import Answer, by_scores, read, refuse, shares_of, writes
from pellucid.svm._probabilities import LEAST

BENDS = {"logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu", "exp": "Exp"}

writes("LinearSVR")(line)


@writes("LinearSVC")
def linear_machine(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Classes by the largest score; of two by its sign."""
    scores = graph.line(read(graph, model, columns), model.coef_, np.ravel(model.intercept_))
    return by_scores(graph, model.classes_, scores, len(model.coef_) == 1)


def _kernel(graph: Graph, model: Any, x: str) -> str:
    """n x m: the kernel of each row and each support vector."""
    kernel, own = model.settled_kernel, np.asarray(model.support_vectors_, dtype=np.float64)
    if kernel.name == "precomputed":
        refuse(model, "with a kernel that is a function or a table has no ONNX form", "take a kernel by its name")
    if kernel.name == "rbf":
        squares = graph.over("ReduceSum", graph.mul(x, x))
        apart = graph.add(graph.line(x, -2 * own, (own * own).sum(axis=1)[None, :]), squares)
        return str(graph.op("Exp", graph.mul(graph.op("Max", apart, 0.0), -kernel.gamma)))
    if kernel.name == "linear":
        return graph.line(x, own, 0.0)
    bent = graph.line(x, kernel.gamma * own, kernel.coef0)
    return str(graph.op("Tanh", bent)) if kernel.name == "sigmoid" else _power(graph, bent, kernel.degree)


def _power(graph: Graph, x: str, degree: int) -> str:
    """x to a whole power, by products: of a negative number too."""
    if degree == 0:
        return graph.add(graph.mul(x, 0.0), 1.0)
    found = x
    for _ in range(degree - 1):
        found = graph.mul(found, x)
    return found


def _sums(graph: Graph, model: Any, columns: Columns, coef: Floats) -> str:
    """n x k sums over the support vectors."""
    return graph.line(_kernel(graph, model, read(graph, model, columns)), coef, np.ravel(model.intercept_))


@writes("SVR")
def numbers_by_kernels(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Numbers by a sum over the support vectors."""
    return Answer(numbers=_sums(graph, model, columns, model.dual_coef_))


@writes("SVC")
def classes_by_kernels(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Of two classes the sign of a sum decides; of more, the votes of a machine for each two."""
    scores = _sums(graph, model, columns, model.machine_coef)
    two = len(model.classes_) == 2
    answer = by_scores(graph, model.classes_, scores, True) if two else _voted(graph, model, scores)
    if model.probability is not True or "probA_" not in vars(model):
        return answer
    return replace(answer, probabilities=(_chances(graph, model, scores),))


def _voted(graph: Graph, model: Any, scores: str) -> Answer:
    k = len(model.classes_)
    first, second = _sides(k)
    won = graph.number(graph.op("Greater", scores, 0.0))
    votes = graph.add(graph.op("MatMul", won, first), graph.op("MatMul", graph.sub(1.0, won), second))
    sums = graph.op("MatMul", scores, first - second)
    share = graph.div(sums, graph.mul(graph.add(graph.op("Abs", sums), 1.0), 3.0))
    told = graph.add(votes, share)
    codes = graph.argmax(told if model.break_ties else votes)
    shown = scores if model.decision_function_shape == "ovo" else told
    return Answer(classes=(model.classes_,), codes=(codes,), scores=shown)


def _sides(k: int) -> tuple[Array, Array]:
    """Pairs x classes: which class is the first of a pair, and which the second."""
    pairs = list(combinations(range(k), 2))
    first, second = np.zeros((len(pairs), k)), np.zeros((len(pairs), k))
    for place, (i, j) in enumerate(pairs):
        first[place, i] = second[place, j] = 1.0
    return first, second


def _chances(graph: Graph, model: Any, scores: str) -> str:
    """n x k probabilities: Platt's sigmoid of each machine; of several classes what agrees best with all of them."""
    k = len(model.classes_)
    against = scores if k == 2 else graph.op("Neg", scores)  # of two classes the machine's score has the other sign
    bent = graph.sub(graph.mul(against, model.probA_.reshape(1, -1)), model.probB_.reshape(1, -1))
    first = graph.op("Min", graph.op("Max", graph.op("Sigmoid", bent), LEAST), 1 - LEAST)
    second = graph.sub(1.0, first)
    return graph.beside([first, second]) if k == 2 else _coupled(graph, first, second, k)


def _coupled(graph: Graph, first: str, second: str, k: int) -> str:
    """n x k p that minimize ``sum_ij (r_ji p_i - r_ij p_j)² = p'Qp`` and add up to one (Wu, Lin and Weng).

    At the least Qp is the same in every entry, so that (Q + 1 1') p is it too: p is the solution for ones over its sum.
    That table is positive definite, and elimination needs no change of rows.
    """
    pairs = list(combinations(range(k), 2))
    before, behind = np.zeros((len(pairs), k, k)), np.zeros((len(pairs), k, k))
    for place, (i, j) in enumerate(pairs):
        before[place, i, j] = behind[place, j, i] = 1.0
    flat = [graph.op("MatMul", part, to.reshape(-1, k * k)) for part, to in ((first, before), (second, behind))]
    r = graph.op("Reshape", graph.add(*flat), [0, k, k])
    turned = graph.op("Transpose", r, perm=[0, 2, 1])
    own = graph.over("ReduceSum", graph.mul(turned, turned), axis=2)
    table = graph.add(graph.sub(graph.mul(own, np.eye(k)), graph.mul(r, turned)), 1.0)
    table = graph.beside([table, graph.add(graph.mul(own, 0.0), 1.0)], axis=2)
    for place in range(k):
        column = graph.take(table, [place], axis=2)
        row = graph.div(graph.take(table, [place], axis=1), graph.take(column, [place], axis=1))
        table = graph.sub(table, graph.mul(graph.sub(column, np.eye(k)[:, [place]]), row))
    found = graph.op("Reshape", graph.take(table, [k], axis=2), [0, k])
    return graph.div(found, graph.over("ReduceSum", found))


def _outputs(graph: Graph, model: Any, columns: Columns) -> str:
    """n x k answers of the last layer, bent."""
    at = read(graph, model, columns)
    layers = list(zip(model.coefs_, model.intercepts_, strict=True))
    for place, (weights, start) in enumerate(layers):
        at = graph.line(at, np.asarray(weights, dtype=np.float64).T, np.asarray(start, dtype=np.float64))
        bend = model.activation if place + 1 < len(layers) else model.out_activation_
        if bend == "softmax":
            at = str(graph.op("Softmax", at, axis=1))
        elif bend != "identity":
            at = str(graph.op(BENDS[bend], at))
    return at


@writes("MLPRegressor")
def network_of_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Numbers by a network."""
    return Answer(numbers=_outputs(graph, model, columns))


@writes("MLPClassifier")
def network_of_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Classes by the most probable output of a network."""
    shares = _outputs(graph, model, columns)
    k = len(model.classes_)
    if model.n_outputs_ == 1:
        shares = graph.beside([graph.sub(1.0, shares), shares])
    elif model.out_activation_ == "logistic":
        shares = shares_of(graph, shares, k)
    return Answer(classes=(model.classes_,), codes=(graph.argmax(shares),), probabilities=(shares,))
