"""Writers of models that are lines: ``x . coef + intercept``, and classes by such scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.types import Array
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.writing import (
    Answer,
    both_sides,
    by_scores,
    codes_by_scores,
    read,
    shares_of,
    softmax,
    writes,
)


def _planes(model: Any) -> tuple[Array, Array]:
    """Coefficients, k x p, and k intercepts."""
    coef = model.coef_.toarray() if scipy.sparse.issparse(model.coef_) else model.coef_
    weights = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    return weights, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(weights),))


def _scores(graph: Graph, model: Any, columns: Columns) -> tuple[str, int]:
    weights, start = _planes(model)
    return graph.line(read(graph, model, columns), weights, start), len(weights)


@writes("LinearRegression", "Ridge", "Lasso", "ElasticNet", "RidgeCV", "LassoCV", "ElasticNetCV", "SGDRegressor")
@writes("GradientDescentRegressor")
def line(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Numbers by a line."""
    return Answer(numbers=_scores(graph, model, columns)[0])


@writes("LogisticRegression", "LogisticRegressionCV")
def logistic(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Classes by the logistic function of a score, the softmax of several, or each class against the rest."""
    scores, k = _scores(graph, model, columns)
    if k == 1:
        shares = both_sides(graph, scores)
    elif model.scheme == "multinomial":
        shares = softmax(graph, scores)
    else:
        shares = shares_of(graph, graph.op("Sigmoid", scores), k)
    codes = codes_by_scores(graph, scores, k == 1)
    return Answer(classes=(model.classes_,), codes=(codes,), probabilities=(shares,), scores=scores)


@writes("SGDClassifier", "Perceptron")
def stochastic(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Classes by the sign of a score, with probabilities where the loss has them."""
    scores, k = _scores(graph, model, columns)
    loss = model.settled_loss
    at_zero = getattr(model, "at_zero", "") == "second" and len(model.classes_) == 2
    if loss not in ("log_loss", "modified_huber", "squared_sigmoid"):
        return by_scores(graph, model.classes_, scores, k == 1, at_zero)
    if loss == "modified_huber":
        own = graph.div(graph.add(graph.op("Clip", scores, -1.0, 1.0), 1.0), 2.0)
    else:
        own = graph.op("Sigmoid", scores)
    shares = graph.beside([graph.sub(1.0, own), own]) if k == 1 else shares_of(graph, own, k)
    codes = codes_by_scores(graph, scores, k == 1, at_zero)
    return Answer(classes=(model.classes_,), codes=(codes,), probabilities=(shares,), scores=scores)


@writes("RidgeClassifier", "RidgeClassifierCV")
def ridge_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Classes by the largest score; of several labels a row each by the sign of its own."""
    scores, k = _scores(graph, model, columns)
    if not model.has_several_labels:
        return by_scores(graph, model.classes_, scores, k == 1)
    above = graph.whole(graph.op("Greater", scores, 0.0))
    codes = tuple(graph.op("Squeeze", graph.take(above, [j], axis=1), [1]) for j in range(k))
    return Answer(classes=(np.arange(2),) * k, codes=codes, scores=scores, several=True)
