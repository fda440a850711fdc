"""Writers of principal components and of clusters around centers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.preparation import made
from pellucid.export.onnx.writing import Answer, read, writes


@writes("PCA")
def principal_components(graph: Graph, model: Any, columns: Columns) -> Answer:
    """``(x - mean) . component``, in units of its deviation where that is asked for."""
    axes = np.asarray(model.components_, dtype=np.float64)
    if model.whiten:
        deviation = np.sqrt(np.asarray(model.explained_variance_, dtype=np.float64))
        axes = axes / np.where(deviation > 0, deviation, 1.0)[:, None]
    apart = graph.sub(read(graph, model, columns), np.asarray(model.mean_, dtype=np.float64))
    return made(graph, graph.op("MatMul", apart, np.ascontiguousarray(axes.T)), len(axes))


@writes("KMeans")
def centers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The number of the nearest center; as a step the distances from all."""
    x, centers = read(graph, model, columns), np.asarray(model.cluster_centers_, dtype=np.float64)
    squares = []
    for center in centers:
        apart = graph.sub(x, center.reshape(1, -1))
        squares.append(graph.over("ReduceSum", graph.mul(apart, apart)))
    near = graph.beside(squares)
    code = str(graph.op("ArgMin", near, axis=1, keepdims=0))
    steps = Columns.of(graph, graph.op("Sqrt", near), len(centers))
    return Answer(classes=(np.arange(len(centers)),), codes=(code,), columns=steps)
