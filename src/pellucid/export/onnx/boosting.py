"""Writers of boosted trees: a start and the sum of the leaves, and what the scores mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import ML, Graph
from pellucid.export.onnx.trees import summed, values
from pellucid.export.onnx.writing import Answer, both_sides, by_probability, read, repeated, softmax, writes
from pellucid.models.tree.nodes import TreeNodes


def _scores(graph: Graph, model: Any, columns: Columns) -> str:
    """n x outputs: the start, and the leaves of all trees."""
    x = read(graph, model, columns)
    statistics = getattr(model, "_statistics_", None)
    if statistics is not None:
        x = _with_statistics(graph, x, statistics)
    forest, start = model.forest, np.asarray(model.start_scores, dtype=np.float64)
    trees = [forest.tree(t) for t in range(model.n_estimators_ * model._trees_a_round_)]
    if not trees:
        return repeated(graph, start)
    if forest.leaf_value.shape[1] > 1:
        found = values(graph, x, trees, [nodes.value[nodes.is_leaf] for nodes in trees])
        total = graph.over("ReduceSum", found, keep=False)
    else:
        outputs = model._trees_a_round_

        def added(t: int, nodes: TreeNodes, ends: Array) -> tuple[Array, Floats]:
            return np.full(len(ends), t % outputs), nodes.value[ends, 0]

        total = summed(graph, x, trees, outputs, added)
    return graph.add(total, start.reshape(1, -1))


def _with_statistics(graph: Graph, x: str, statistics: Any) -> str:
    """Columns that stay, and categories as statistics of the target over the rows of the fit."""
    parts = [graph.take(x, statistics.kept.tolist(), axis=1)] if len(statistics.kept) else []
    for one in statistics.made:
        joined = ""
        for j, size in zip(one.columns, one.sizes, strict=True):
            own = graph.take(x, [j], axis=1)
            code = graph.whole(graph.where(graph.op("IsNaN", own), float(size), own))
            joined = graph.add(graph.mul(joined, size + 1), code) if joined else code
        told: dict[str, Any] = {
            "keys_tensor": np.asarray(one.names, dtype=np.int64),
            "values_tensor": np.arange(len(one.names)),
            "default_tensor": np.array([len(one.names)]),
        }
        place = graph.op("Squeeze", graph.op("LabelEncoder", joined, domain=ML, **told), [1])
        parts.append(graph.take(np.vstack([one.value, statistics.prior.reshape(1, -1)]), place))
    return graph.beside(parts)


_FACES = ("GradientBoosting", "BoostedTrees", "XGBoost", "LightGBM", "CatBoost")


@writes(*(f"{face}Classifier" for face in _FACES))
def boosted_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """One score for two classes, else one for each."""
    scores = _scores(graph, model, columns)
    if model.n_classes_ == 1:
        return by_probability(graph, model.classes_, repeated(graph, np.ones(1)), scores)
    shares = both_sides(graph, scores) if len(model.start_scores) == 1 else softmax(graph, scores)
    return by_probability(graph, model.classes_, shares, scores)


@writes(*(f"{face}Regressor" for face in _FACES))
def boosted_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Scores as they are; of counts their powers of e."""
    scores = _scores(graph, model, columns)
    poisson = isinstance(model.loss, str) and model.loss == "poisson"
    return Answer(numbers=graph.op("Exp", scores) if poisson else scores)
