"""Writers of steps one after the other and side by side, and of models inside others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.errors import join_some
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.preparation import made
from pellucid.export.onnx.writing import Answer, read, refuse, writes, written


def transformed(graph: Graph, model: Any, columns: Columns) -> Columns:
    """The columns that a transformer makes."""
    if model is None or (isinstance(model, str) and model == "passthrough"):
        return columns
    answer = written(graph, model, columns)
    if answer.columns is None:
        refuse(model, "stands where columns are made and makes none", "put it last")
    return answer.columns


@writes("sklearn.Pipeline")
def pipeline(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Steps one after the other; the last one answers."""
    *before, (_, last) = model.steps
    for _, step in before:
        columns = transformed(graph, step, columns)
    if last is None or (isinstance(last, str) and last == "passthrough"):
        return Answer(columns=columns)
    return written(graph, last, columns)


@writes("Cleaner")
def cleaner(graph: Graph, model: Any, columns: Columns) -> Answer:
    """A cleaning without remedies changes nothing; ONNX has no operations for the text of raw cells."""
    if model.remedies_:
        names = join_some(dict.fromkeys(str(name) for remedy in model.remedies_ for name in remedy.columns), 5)
        hint = "export to Python, C or SQL, or leave the cleaning out (--without-cleaning) and clean the rows before"
        refuse(model, f"has no ONNX form, and the model needs it for {names}", hint)
    return Answer(columns=columns)


@writes("sklearn.ColumnTransformer")
def column_transformer(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Some columns through each transformer, side by side."""
    names = list(getattr(model, "feature_names_in_", [])) or list(range(len(columns)))
    parts = []
    for _, step, chosen in model.transformers_:
        places = _places(chosen, names, len(columns))
        if not places or (isinstance(step, str) and step == "drop"):
            continue
        parts.append(transformed(graph, step, columns.take(places)))
    if not parts:
        refuse(model, "keeps no column", "let one pass")
    return Answer(columns=Columns.joined(graph, parts))


def _places(chosen: Any, names: list[Any], width: int) -> list[int]:
    """Positions of chosen columns: a name or several, numbers, a slice or flags."""
    if isinstance(chosen, slice):
        edge = [names.index(end) if isinstance(end, str) else end for end in (chosen.start, chosen.stop)]
        stop = edge[1] + 1 if isinstance(chosen.stop, str) else edge[1]
        return list(range(width))[slice(edge[0], stop, chosen.step)]
    listed = np.atleast_1d(np.asarray(chosen, dtype=object)).tolist()
    if listed and all(isinstance(one, bool | np.bool_) for one in listed):
        return [j for j, flag in enumerate(listed) if flag]
    return [names.index(one) if isinstance(one, str) else int(one) % width for one in listed]


@writes("sklearn.FeatureUnion")
def feature_union(graph: Graph, model: Any, columns: Columns) -> Answer:
    """All columns through each transformer, side by side."""
    parts = [transformed(graph, step, columns) for _, step in model.transformer_list if not _dropped(step)]
    return Answer(columns=Columns.joined(graph, parts))


def _dropped(step: Any) -> bool:
    return isinstance(step, str) and step == "drop"


@writes("sklearn.FunctionTransformer")
def function(graph: Graph, model: Any, columns: Columns) -> Answer:
    """No function at all: the columns as they are."""
    if model.func is not None:
        refuse(model, "with a function has no ONNX operators", "use PowerTransformer, LogTransformer or another step")
    return Answer(columns=columns)


@writes("sklearn.FrozenEstimator")
def frozen(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The model inside."""
    return written(graph, model.estimator, columns)


@writes("sklearn.TransformedTargetRegressor")
def transformed_target(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The model inside, and its numbers taken back to the target's own unit."""
    scaler = model.transformer_
    if not hasattr(scaler, "_line"):
        refuse(model, f"whose target goes through {type(scaler).__name__} has no ONNX form", "use StandardScaler there")
    center, divisor, offset = (np.asarray(part, dtype=np.float64) for part in scaler._line())
    found = written(graph, model.regressor_, columns).numbers
    return Answer(numbers=graph.add(graph.mul(graph.sub(found, offset), divisor), center))


@writes("sklearn.FixedThresholdClassifier")
def fixed_threshold(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The positive class from the threshold on."""
    answer = written(graph, model.estimator_, columns)
    if len(answer.probabilities) != 1 or len(answer.classes[0]) != 2 or model.threshold == "auto":
        refuse(model, "must have two classes, probabilities and a threshold", "set response_method='predict_proba'")
    k = np.asarray(answer.classes[0]).tolist().index(model.pos_label)
    positive = graph.take(answer.probabilities[0], [k], axis=1)
    reached = graph.whole(graph.op("GreaterOrEqual", positive, float(model.threshold)))
    codes = str(graph.op("Squeeze", reached, [1]))
    return replace(answer, codes=(codes if k == 1 else str(graph.op("Sub", 1, codes)),))


@writes("SelfTrainingClassifier")
def self_training(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The model inside."""
    return written(graph, model.estimator_, columns)


@writes("PolynomialRegression")
def polynomial_regression(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The fitted steps."""
    inner = made(graph, read(graph, model, columns), len(columns)).columns
    assert inner is not None
    return written(graph, model.pipeline_, inner)
