"""Writers of naive Bayes of counts, flags, categories and mixed tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.export.onnx.columns import Columns, codes_of
from pellucid.export.onnx.gaussian import bell, posterior
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.writing import Answer, read, writes

_TIE = 1e-12


@writes("MultinomialNB", "BernoulliNB")
def counts(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Scores that are a line in the row; a class that a row is impossible for has minus infinity."""
    x = read(graph, model, columns)
    if model.counts:
        x = graph.refuse(x, graph.op("Less", x, 0.0), f"{type(model).__name__} takes counts of zero or more")
    if model._threshold is not None:
        x = graph.number(graph.op("Greater", x, float(model._threshold)))
    table, start, amend = model._form()
    scores = graph.line(x, table, start)
    if amend is not None:
        scores = _ruled_out(graph, model, x, scores)
    return posterior(graph, model, scores)


def _ruled_out(graph: Graph, model: Any, x: str, scores: str) -> str:
    """Minus infinity for classes in which a column of the row has no share."""
    never = np.isneginf(model.feature_log_prob_)
    weights, start = never.astype(np.float64), np.zeros(len(never))
    if hasattr(model, "_absent_log_"):  # what every row of a class has, and this one has not, speaks against it too
        always = np.isneginf(model._absent_log_)
        weights, start = weights - always, always.sum(axis=1).astype(np.float64)
    return graph.where(graph.op("Greater", graph.line(x, weights, start), 0.0), -np.inf, scores)


@writes("ComplementNB")
def complement(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Scores by the other classes' rows; weights without end go before all others."""
    x = read(graph, model, columns)
    x = graph.refuse(x, graph.op("Less", x, 0.0), "ComplementNB takes counts of zero or more")
    table, start, amend = model._form()
    scores = graph.line(x, table, start)
    if amend is not None:
        endless = np.isposinf(model.feature_log_prob_).astype(np.float64)
        hits = graph.line(x, endless, np.zeros(len(endless)))
        fewer = graph.op("Less", hits, graph.over("ReduceMax", hits))
        scores = graph.where(fewer, -np.inf, scores)
    return posterior(graph, model, scores)


@writes("CategoricalNB")
def categories(graph: Graph, model: Any, columns: Columns) -> Answer:
    """``ln P(c)`` and the logarithm of the share of each column's value."""
    parts = [
        _log_shares(columns, j, own, logs, model)
        for j, (own, logs) in enumerate(
            zip(model._columns_, zip(model.feature_log_prob_, model._unseen_, strict=True), strict=True)
        )
    ]
    return posterior(graph, model, _tied(graph, _sum(graph, parts, model.class_log_prior_)))


def _log_shares(columns: Columns, j: int, own: Any, logs: tuple[Floats, Floats], model: Any) -> str:
    """n x classes: what the value of a column adds; nothing where it is missing."""
    graph, (shares, unseen) = columns.graph, logs
    other = {"smooth": [unseen], "ignore": [np.zeros_like(unseen)], "error": []}[model.unknown]
    table = np.vstack([shares.T, np.zeros_like(unseen), *other])
    codes = graph.op("Squeeze", codes_of(columns, j, list(own.known()), own.size), [1])
    words = f"{type(model).__name__}: column {columns.cells[j].label!r} holds a category that fit did not see"
    return graph.take(table, codes, name=words)


def _sum(graph: Graph, parts: Sequence[str], start: Floats) -> str:
    total = graph.add(parts[0], start.reshape(1, -1))
    for part in parts[1:]:
        total = graph.add(total, part)
    return total


def _tied(graph: Graph, scores: str) -> str:
    """Scores that equal a row's largest up to rounding are set to it."""
    top = graph.over("ReduceMax", scores)
    least = graph.sub(top, graph.mul(_TIE, graph.add(1.0, graph.op("Abs", top))))
    return graph.where(graph.op("GreaterOrEqual", scores, least), top, scores)


@writes("KernelDensityNB")
def kernels(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Sums of kernels, column by column."""
    x = read(graph, model, columns)
    prior = np.where(model.class_count_ > 0, model.class_log_prior_, -np.inf)
    parts = [
        _kernels(graph, graph.take(x, [j], axis=1), own) for j, own in enumerate(model._densities_) if own
    ]  # fmt: skip
    return posterior(graph, model, _sum(graph, parts, prior))


@writes("NaiveBayes")
def mixed(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Shares of categories and of the two sides of a cut, bells, and sums of kernels."""
    parts = [_bells(graph, model, columns)] if model._of("gaussian") else []
    for j, densities in zip(model._of("kernel"), model._densities_, strict=True):
        if densities:
            parts.append(_kernels(graph, columns.number(j), densities))
    for j, own, logs in zip(model._of("categories"), model._columns_, model._logs_, strict=True):
        parts.append(_log_shares(columns, j, own, logs, model))
    for j, (shares, unseen) in zip(model._of("split"), model._side_logs_, strict=True):
        x = columns.number(j)
        side = graph.whole(graph.op("GreaterOrEqual", x, float(model._cuts_[j])))
        code = graph.op("Squeeze", graph.where(graph.op("IsNaN", x), 2, side), [1])
        parts.append(graph.take(np.vstack([shares.T, np.zeros_like(unseen)]), code))
    return posterior(graph, model, _tied(graph, _sum(graph, parts, model._prior)))


def _bells(graph: Graph, model: Any, columns: Columns) -> str:
    mean, variance = model._mean_, model._variance_
    there = np.flatnonzero(~np.isnan(mean).any(axis=0))
    x = columns.take([model._of("gaussian")[k] for k in there]).matrix()
    figures = (mean[:, there], 0.5 / variance[:, there], 0.5 * np.log(2 * np.pi * variance[:, there]))
    return graph.beside([bell(graph, x, *own) for own in zip(*figures, strict=True)])


def _kernels(graph: Graph, x: str, densities: Sequence[Any]) -> str:
    """n x classes: the logarithm of a sum of Gaussian kernels, of each class; 0 where x is missing."""
    found = []
    for one in densities:
        share = np.log(one.points.weight / one.points.rows) - np.log(one.width * np.sqrt(2 * np.pi))
        z = graph.div(graph.sub(x, one.points.values.reshape(1, -1)), one.width)
        each = graph.add(graph.mul(graph.mul(z, z), -0.5), share.reshape(1, -1))
        found.append(graph.op("ReduceLogSumExp", each, [1], keepdims=1))
    return graph.where(graph.op("IsNaN", x), 0.0, graph.beside(found))
