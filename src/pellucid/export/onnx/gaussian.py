"""Writers of classes as bells: discriminants, and Gaussian naive Bayes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.writing import Answer, by_probability, read, softmax, writes


@writes("LinearDiscriminantAnalysis")
def linear_discriminant(graph: Graph, model: Any, columns: Columns) -> Answer:
    """``D_k = slopes_k . (x scale - center) + levels_k``."""
    one = model.discriminant_lines
    z = graph.sub(graph.mul(read(graph, model, columns), one.scale), one.center)
    scores = graph.line(z, one.slopes, one.levels)
    slopes, levels = model.decision_lines()
    answer = by_probability(graph, model.classes_, softmax(graph, scores), graph.line(z, slopes, levels))
    width = min(model._width, model._scalings_.shape[1])
    around = graph.add(z, one.center) if model.solver == "eigen" else z
    made = graph.op("MatMul", around, np.ascontiguousarray(model._scalings_[:, :width]))
    return replace(answer, codes=(graph.argmax(scores),), columns=Columns.of(graph, made, width))


@writes("QuadraticDiscriminantAnalysis", "RegularizedDiscriminantAnalysis")
def quadratic_discriminant(graph: Graph, model: Any, columns: Columns) -> Answer:
    """``D_k = levels_k - |factor_k (x scale - mean_k)|² / 2``."""
    b = model.quadratic_forms
    z = graph.mul(read(graph, model, columns), b.scale)
    found = []
    for mean, factor, level in zip(b.means, b.factors, b.levels, strict=True):
        turned = graph.op("MatMul", graph.sub(z, mean), np.ascontiguousarray(factor.T))
        found.append(graph.sub(level, graph.mul(graph.over("ReduceSum", graph.mul(turned, turned)), 0.5)))
    return _of_scores(graph, model, graph.beside(found))


def _of_scores(graph: Graph, model: Any, scores: str) -> Answer:
    """Classes by scores whose differences are log odds."""
    shown = scores
    if len(model.classes_) == 2:
        shown = graph.sub(graph.take(scores, [1], axis=1), graph.take(scores, [0], axis=1))
    answer = by_probability(graph, model.classes_, softmax(graph, scores), shown)
    return replace(answer, codes=(graph.argmax(scores),))


@writes("GaussianNB")
def gaussian_bayes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """``ln P(c) - sum over columns that are there of (x - m)² / 2 v + ln(2 pi v) / 2``."""
    mean, half, level, prior = model._densities()
    x = read(graph, model, columns)
    scores = [graph.add(bell(graph, x, m, h, n), p) for m, h, n, p in zip(mean, half, level, prior, strict=True)]
    return posterior(graph, model, graph.beside(scores))


def bell(graph: Graph, x: str, mean: Any, half: Any, level: Any) -> str:
    """n x 1 logarithms of the densities of one class, summed over the columns that are not missing."""
    apart = graph.sub(x, np.asarray(mean))
    each = graph.op("Neg", graph.add(graph.mul(graph.mul(apart, apart), np.asarray(half)), np.asarray(level)))
    return graph.over("ReduceSum", graph.where(graph.op("IsNaN", x), 0.0, each))


def posterior(graph: Graph, model: Any, scores: str) -> Answer:
    """Probabilities from joint logarithms; where all classes are impossible the priors answer."""
    dead = graph.op("LessOrEqual", graph.over("ReduceMax", scores), -1.7e308)
    live = graph.where(dead, model.class_log_prior_.reshape(1, -1), scores)
    answer = by_probability(graph, model.classes_, softmax(graph, live))
    return replace(answer, codes=(graph.argmax(live),))
