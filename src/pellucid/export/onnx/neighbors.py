"""Writers of neighbors and nearest centers.

Distances are sums of differences, row by row (a Scan over the rows of the table): no product of matrices stands for
them, since that loses the digits that tell near rows apart, and the memory is that of one row against the fitted ones.
Measured against 20,000 rows of 20 numbers: 1.7 ms a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.types import Array, Floats
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.writing import Answer, read, refuse, softmax, writes
from pellucid.models.neighbors.metric import KINDS

_KINDS = tuple(kind for kind in KINDS if kind != "haversine")
_APPROXIMATE = ("lsh", "graph", "lists")


# ------------------------------------------------------------------------------------------------------------ distances


def _sum(graph: Graph, each: str, width: int) -> str:
    """m sums of width x m terms, in four lanes as the library's kernels add them: what is equal there is equal here."""
    if width == 1:
        return str(graph.op("Squeeze", each, [0]))
    if width % 4:
        each = graph.op("Pad", each, [0, 0, 4 - width % 4, 0])
    if width > 4:
        each = graph.over("ReduceSum", graph.op("Reshape", each, [(width + 3) // 4, 4, -1]), axis=0, keep=False)
    lanes = [graph.take(each, k) for k in range(4)]
    return graph.add(graph.add(lanes[0], lanes[1]), graph.add(lanes[2], lanes[3]))


def _reduced(graph: Graph, x: str, rows: str, metric: Any, width: int) -> str:
    """m numbers that order the fitted rows (width x m) as their distances from one row (width x 1) do."""
    apart = graph.sub(rows, x)
    kind = metric.kind
    if kind == "euclidean":
        return _sum(graph, graph.mul(apart, apart), width)
    if kind == "manhattan":
        return _sum(graph, graph.op("Abs", apart), width)
    if kind == "chebyshev":
        return graph.over("ReduceMax", graph.op("Abs", apart), axis=0, keep=False)
    if kind == "minkowski":
        return _sum(graph, graph.op("Pow", graph.op("Abs", apart), float(metric.p)), width)
    if kind == "nan_euclidean":
        there = graph.op("Not", graph.op("IsNaN", apart))
        both = graph.over("ReduceSum", graph.number(there), axis=0, keep=False)
        squares = _sum(graph, graph.where(there, graph.mul(apart, apart), 0.0), width)
        return graph.mul(squares, graph.div(float(width), both))
    if kind == "cosine":
        return graph.sub(1.0, _sum(graph, graph.mul(rows, x), width))
    return _counted(graph, x, rows, graph.op("Abs", apart), kind, width)


def _counted(graph: Graph, x: str, rows: str, size: str, kind: str, width: int) -> str:
    """Distances by shares of columns, or of sums."""
    unlike = graph.number(graph.op("Greater", size, 0.0))
    if kind == "hamming":
        return graph.over("ReduceMean", unlike, axis=0, keep=False)
    both = graph.add(graph.op("Abs", rows), graph.op("Abs", x))
    if kind == "canberra":
        some = graph.op("Greater", both, 0.0)
        share = graph.where(some, graph.div(size, graph.where(some, both, 1.0)), 0.0)
        return _sum(graph, share, width)
    if kind == "braycurtis":
        return _ratio(graph, _sum(graph, size, width), _sum(graph, graph.op("Abs", graph.add(rows, x)), width))
    if kind == "jaccard":
        some = graph.over("ReduceSum", graph.number(graph.op("Greater", both, 0.0)), axis=0, keep=False)
        return _ratio(graph, graph.over("ReduceSum", unlike, axis=0, keep=False), some)
    xz, xx, zz = (_sum(graph, graph.mul(a, b), width) for a, b in ((rows, x), (x, x), (rows, rows)))
    below = graph.sub(graph.add(xx, zz), xz)
    some = graph.op("Greater", below, 0.0)
    return graph.where(some, graph.sub(1.0, graph.div(xz, graph.where(some, below, 1.0))), 0.0)


def _ratio(graph: Graph, above: str, below: str) -> str:
    """above / below; 0 / 0 is 0."""
    some = graph.op("Greater", below, 0.0)
    return graph.where(some, graph.div(above, graph.where(some, below, 1.0)), 0.0)


def _distance(graph: Graph, reduced: str, metric: Any, squared: bool) -> str:
    """The distance itself."""
    if metric.kind in ("euclidean", "nan_euclidean"):
        found = graph.op("Sqrt", reduced)
        return graph.mul(found, found) if squared else found
    return graph.op("Pow", reduced, 1.0 / metric.p) if metric.kind == "minkowski" else reduced


def _prepared(graph: Graph, x: str, distance: Any) -> str:
    """Rows turned, stretched or brought to length 1, as the metric wants them."""
    metric = distance.metric
    if distance.centered:
        x = graph.sub(x, graph.over("ReduceMean", x))
    if metric.turn is not None:
        x = graph.op("MatMul", x, np.asarray(metric.turn, dtype=np.float64))
    elif metric.stretch is not None:
        x = graph.mul(x, np.asarray(metric.stretch, dtype=np.float64))
    if metric.kind != "cosine":
        return x
    largest = graph.over("ReduceMax", graph.op("Abs", x))
    near = graph.div(x, graph.where(graph.op("Greater", largest, 0.0), largest, 1.0))
    length = graph.op("Sqrt", graph.over("ReduceSum", graph.mul(near, near)))
    return graph.div(near, graph.where(graph.op("Greater", length, 0.0), length, 1.0))


# --------------------------------------------------------------------------------------------------------------- search


def _fitted_rows(model: Any) -> Floats:
    rows = model.distance_.metric.prepare(model._fitted_rows)
    return np.asarray(rows.toarray() if scipy.sparse.issparse(rows) else rows, dtype=np.float64)


def _check(model: Any) -> None:
    distance, name = model.distance_, model.metric if isinstance(model.metric, str) else "a function"
    told = f"metric={name!r}" if isinstance(model.metric, str) else "a function as metric"
    if distance.metric is None or distance.metric.kind not in _KINDS:
        refuse(model, f"with {told} has no ONNX operators", "use a metric of numbers, such as 'euclidean'")
    if model.algorithm_ in _APPROXIMATE:
        told = f"algorithm={model.algorithm_!r}"
        refuse(model, f"with {told} may miss neighbors, which ONNX finds", "fit with algorithm='auto'")
    if callable(model.weights):
        hint = "use weights='uniform', 'distance' or 'squared_distance'"
        refuse(model, "with a function as weights has no ONNX operators", hint)
    if getattr(model, "ties", "first") == "expand":
        refuse(model, "with ties='expand' has no ONNX operators", "use ties='first' or ties='nearest'")


def _scan(graph: Graph, x: str, outputs: int, body: Any) -> Any:
    """Runs a body for every row (p x 1) of x and puts its outputs one below the other."""
    inner = graph.inner()
    proto = graph.onnx.helper
    row = graph.names.fresh("row")
    found = body(inner, inner.op("Unsqueeze", row, [1]))
    kinds = [graph.onnx.TensorProto.DOUBLE, graph.onnx.TensorProto.INT64]
    said = [proto.make_tensor_value_info(name, kind, None) for name, kind in zip(found, kinds, strict=False)]
    made = proto.make_graph(
        inner.needed(found)[0], graph.names.fresh("for_each_row"),
        [proto.make_tensor_value_info(row, graph.onnx.TensorProto.DOUBLE, None)], said,
    )  # fmt: skip
    return graph.op("Scan", x, outputs=outputs, num_scan_inputs=1, body=made)


def _nearest(graph: Graph, model: Any, columns: Columns) -> tuple[str, str]:
    """n x k distances, nearest first and of equals the first row, and the numbers of the rows."""
    x = _prepared(graph, read(graph, model, columns), model.distance_)
    fitted, metric, k = _fitted_rows(model), model.distance_.metric, int(model.n_neighbors)
    rows, width = graph.constant(np.ascontiguousarray(fitted.T)), fitted.shape[1]

    def body(inner: Graph, row: str) -> Any:
        near = _reduced(inner, row, rows, metric, width)
        return inner.op("TopK", near, [k], outputs=2, largest=0, sorted=1)

    reduced, places = _scan(graph, x, 2, body)
    return _distance(graph, reduced, metric, model.distance_.squared), places


def _weights(graph: Graph, distances: str, weights: Any) -> str:
    """How much each neighbor counts; those at distance 0, where there are some, alone."""
    if weights in (None, "uniform"):
        return graph.add(graph.mul(distances, 0.0), 1.0)
    size = graph.mul(distances, distances) if weights == "squared_distance" else distances
    zero = graph.op("Equal", distances, 0.0)
    some = graph.op("Greater", graph.over("ReduceSum", graph.number(zero)), 0.0)
    return graph.where(some, graph.number(zero), graph.div(1.0, size))


def _counted_weights(graph: Graph, model: Any, columns: Columns) -> str:
    """n x m weights of all fitted rows: of those at most as far away as the k-th."""
    x = _prepared(graph, read(graph, model, columns), model.distance_)
    fitted, metric, k = _fitted_rows(model), model.distance_.metric, int(model.n_neighbors)
    rows, width = graph.constant(np.ascontiguousarray(fitted.T)), fitted.shape[1]

    def body(inner: Graph, row: str) -> Any:
        far = _distance(inner, _reduced(inner, row, rows, metric, width), metric, model.distance_.squared)
        top = inner.op("TopK", far, [k], outputs=2, largest=0, sorted=1)[0]
        near = inner.op("LessOrEqual", far, inner.take(top, [k - 1]))
        table = inner.op("Unsqueeze", inner.where(near, far, np.inf), [0])
        weight = _weights(inner, table, model.weights)
        return [inner.op("Squeeze", inner.where(inner.op("Unsqueeze", near, [0]), weight, 0.0), [0])]

    return str(_scan(graph, x, 1, body))


# ----------------------------------------------------------------------------------------------------------- estimators


@writes("KNeighborsClassifier")
def neighbors_of_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Votes of the k nearest rows."""
    _check(model)
    if model.include_equal:
        if model.ties == "nearest":
            refuse(model, "with include_equal=True and ties='nearest' has no ONNX operators", "use ties='first'")
        weight = _counted_weights(graph, model, columns)
        votes = [
            graph.op("MatMul", weight, np.eye(len(labels))[codes])
            for codes, labels in zip(model._codes_, model._labels, strict=True)
        ]
        return _elected(graph, model, votes, [graph.argmax(one) for one in votes])
    distances, places = _nearest(graph, model, columns)
    weight = graph.op("Unsqueeze", _weights(graph, distances, model.weights), [2])
    votes, winners = [], []
    for codes, labels in zip(model._codes_, model._labels, strict=True):
        each = graph.mul(graph.take(np.eye(len(labels))[codes], places), weight)
        votes.append(graph.over("ReduceSum", each, keep=False))
        winners.append(_winner(graph, votes[-1], codes, len(labels), distances, places, model.ties))
    return _elected(graph, model, votes, winners)


def _winner(graph: Graph, votes: str, codes: Array, classes: int, distances: str, places: str, ties: str) -> str:
    """The class with the most votes; of equals the first, or that of the nearest neighbor (of these the first)."""
    if ties == "first":
        return graph.argmax(votes)
    own = graph.op("Unsqueeze", graph.take(np.asarray(codes, dtype=np.int64), places), [2])
    mine = graph.op("Equal", own, np.arange(classes).reshape(1, 1, -1))
    nearest = graph.over("ReduceMin", graph.where(mine, graph.op("Unsqueeze", distances, [2]), np.inf), keep=False)
    most = graph.op("Equal", votes, graph.over("ReduceMax", votes))
    return str(graph.op("ArgMin", graph.where(most, nearest, np.inf), axis=1, keepdims=0))


def _elected(graph: Graph, model: Any, votes: list[str], winners: list[str]) -> Answer:
    shares = tuple(graph.div(one, graph.over("ReduceSum", one)) for one in votes)
    several = bool(model.outputs_2d_)
    return Answer(classes=tuple(model._labels), codes=tuple(winners), probabilities=shares, several=several)


@writes("KNeighborsRegressor")
def neighbors_of_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Means of the targets of the k nearest rows."""
    _check(model)
    if getattr(model, "average", "mean") != "mean":
        refuse(model, f"with average={model.average!r} has no ONNX operators", "use average='mean'")
    targets = np.asarray(model._y_, dtype=np.float64).reshape(model.n_samples_fit_, -1)
    if model.include_equal:
        weight = _counted_weights(graph, model, columns)
        total = graph.op("MatMul", weight, np.ascontiguousarray(targets))
        return Answer(numbers=graph.div(total, graph.over("ReduceSum", weight)))
    distances, places = _nearest(graph, model, columns)
    weight = _weights(graph, distances, model.weights)
    each = graph.mul(graph.take(targets, places), graph.op("Unsqueeze", weight, [2]))
    return Answer(numbers=graph.div(graph.over("ReduceSum", each, keep=False), graph.over("ReduceSum", weight)))


@writes("NearestCentroid")
def centroids(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The nearest center; with priors the largest of ``2 ln P - distance²`` in units of the spread within classes."""
    x, prior = read(graph, model, columns), np.asarray(model.class_prior_)
    spread = np.asarray(model.within_class_std_dev_)
    scale = 1 / np.where(spread == 0, 1.0, spread)
    even = bool(np.isclose(prior, 1 / len(prior)).all())
    plain = graph.beside([_far(graph, x, center, model.metric) for center in model.centroids_])
    near = graph.mul(x, scale)
    scaled = graph.beside([_far(graph, near, center * scale, model.metric) for center in model.centroids_])
    squares = scaled if model.metric == "euclidean" else graph.mul(scaled, scaled)
    with np.errstate(divide="ignore"):
        scores = graph.sub(2 * np.log(prior).reshape(1, -1), squares)
    best = graph.argmax(graph.op("Neg", plain) if even else scores)
    if model.metric != "euclidean":
        return Answer(classes=(model.classes_,), codes=(best,))
    shown = scores
    if len(prior) == 2:
        shown = graph.sub(graph.take(scores, [1], axis=1), graph.take(scores, [0], axis=1))
    return Answer(
        classes=(model.classes_,), codes=(best,), probabilities=(softmax(graph, scores),), scores=shown
    )  # fmt: skip


def _far(graph: Graph, x: str, center: Array, metric: str) -> str:
    """n x 1 distances from a center; squares for the Euclidean one."""
    apart = graph.sub(x, np.asarray(center, dtype=np.float64).reshape(1, -1))
    each = graph.mul(apart, apart) if metric == "euclidean" else graph.op("Abs", apart)
    return graph.over("ReduceSum", each)
