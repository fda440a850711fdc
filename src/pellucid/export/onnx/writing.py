"""Who writes which estimator: a table from names of classes to functions, and what these hand back.

A writer is a function of the graph, the fitted model and the columns that it reads; ``@writes("Ridge", "Lasso")`` puts
it into the table under names of this library's classes, ``@writes("sklearn.Pipeline")`` under those of scikit-learn's.
The modules of writers are listed in `MODULES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from pellucid.base.errors import DataTypeError, format_message
from pellucid.base.types import Array
from pellucid.export.onnx.columns import Columns, category_numbers
from pellucid.export.onnx.graph import WHO, Graph

MODULES = (
    "linear",
    "gaussian",
    "bayes",
    "trees",
    "boosting",
    "neighbors",
    "preparation",
    "encoders",
    "ensembles",
    "chains",
    "components",
    "machines",
)


@dataclass(frozen=True)
class Answer:
    """What a model says, as names of tensors.

    numbers : n x k, of a regressor
    columns : of a transformer
    classes : labels of each target of a classifier
    codes : n places among them, of each target
    probabilities : n x classes, of each target; empty where the model has none
    scores : n x k as decision_function has them, one column for two classes; "" where the model has none
    several : are there several targets, so that a row has a list of labels?
    """

    numbers: str = ""
    columns: Columns | None = None
    classes: tuple[Array, ...] = ()
    codes: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    scores: str = ""
    several: bool = False


Writer = Callable[[Graph, Any, Columns], Answer]
_WRITERS: dict[str, Writer] = {}


def writes(*names: str) -> Callable[[Writer], Writer]:
    """Puts a writer into the table."""

    def keep(writer: Writer) -> Writer:
        _WRITERS.update(dict.fromkeys(names, writer))
        return writer

    return keep


def written(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Writes a fitted model into the graph."""
    return writer_of(model)(graph, model, columns)


def writer_of(model: Any) -> Writer:
    """The function that writes a model, or the sentence that there is none."""
    for module in MODULES:
        import_module(f"pellucid.export.onnx.{module}")
    kind = type(model)
    home = kind.__module__.split(".")[0]
    writer = _WRITERS.get(kind.__name__ if home == "pellucid" else f"{home}.{kind.__name__}")
    if writer is not None:
        return writer
    if hasattr(model, "best_estimator_"):
        return _best
    known = "linear models, discriminants, naive Bayes, neighbors, support vector machines, networks, trees, forests,"
    known += " boosting, voting, stacking, scalers, encoders and pipelines of these"
    return refuse(model, "has no ONNX form yet", f"to_onnx writes {known}")


def _best(graph: Graph, model: Any, columns: Columns) -> Answer:
    """What a search has found to be best."""
    return written(graph, model.best_estimator_, columns)


def refuse(model: Any, what: str, instead: str) -> NoReturn:
    """That a model cannot be exported, and what can be done instead."""
    raise DataTypeError(format_message(WHO, f"{type(model).__name__} {what}", hint=instead))


# -------------------------------------------------------------------------------------------------------------- reading


def read(graph: Graph, model: Any, columns: Columns) -> str:
    """n x p numbers as the model's kernels read them: categories as codes, and what it refuses is refused."""
    who, input_spec, schema = type(model).__name__, model.input_spec, getattr(model, "schema_", None)
    known = {} if schema is None else schema.categories
    x = columns.matrix() if not known else _with_codes(graph, columns, known, input_spec, who)
    sizes = getattr(model, "_sizes_", None)
    if sizes is not None:
        x = _known_codes(graph, x, model, [j for j in np.flatnonzero(sizes).tolist() if j not in known])
    if not input_spec.missing:
        x = graph.refuse(x, graph.op("IsNaN", x), f"{who} takes no missing values")
    return x


def _known_codes(graph: Graph, x: str, model: Any, listed: list[int]) -> str:
    """Columns of codes in which what is no code, or none that fit saw, is missing."""
    if not listed:
        return x
    limits = np.full((1, len(model._sizes_)), np.inf)
    limits[0, listed] = model._sizes_[listed]
    odd = graph.op("GreaterOrEqual", x, limits)
    statistics = getattr(model, "_statistics_", None)  # which read a code with a fraction as the code before it
    whole = listed if statistics is None else [j for j in listed if j in statistics.kept]
    if whole:
        asked = np.isin(np.arange(limits.shape[1]), whole).reshape(1, -1)
        split = graph.op("Not", graph.op("Equal", graph.op("Floor", x), x))
        odd = graph.op("Or", odd, graph.op("And", graph.constant(asked), split))
    return graph.where(odd, np.nan, x)


def _with_codes(graph: Graph, columns: Columns, known: dict[int, tuple[Any, ...]], input_spec: Any, who: str) -> str:
    """Runs of columns of numbers, with columns of codes between them."""
    parts: list[str] = []
    waiting: list[int] = []
    for j in range(len(columns)):
        if j not in known:
            waiting.append(j)
            continue
        if waiting:
            parts.append(columns.take(waiting).matrix())
            waiting = []
        parts.append(category_numbers(columns, j, known[j], input_spec.missing, input_spec.unknown, who))
    if waiting:
        parts.append(columns.take(waiting).matrix())
    return graph.beside(parts)


# ------------------------------------------------------------------------------------------------------------ answering


def by_probability(graph: Graph, classes: Any, probabilities: Any, scores: str = "") -> Answer:
    """The most probable class of each target, the first of equals."""
    several = isinstance(classes, list)
    labels = tuple(classes) if several else (classes,)
    shares = tuple(probabilities) if several else (probabilities,)
    codes = tuple(graph.argmax(part) for part in shares)
    return Answer(classes=labels, codes=codes, probabilities=shares, scores=scores, several=several)


def by_scores(graph: Graph, classes: Array, scores: str, one: bool, at_zero: bool = False) -> Answer:
    """The class with the largest score; of two classes with one score the second above zero (or at it)."""
    return Answer(classes=(classes,), codes=(codes_by_scores(graph, scores, one, at_zero),), scores=scores)


def codes_by_scores(graph: Graph, scores: str, one: bool, at_zero: bool = False) -> str:
    """Places of the classes that scores decide for."""
    if not one:
        return graph.argmax(scores)
    flag = graph.op("GreaterOrEqual" if at_zero else "Greater", scores, 0.0)
    return str(graph.op("Squeeze", graph.whole(flag), [1]))


def both_sides(graph: Graph, scores: str) -> str:
    """n x 2: the logistic function of minus a score and of the score."""
    return graph.beside([graph.op("Sigmoid", graph.op("Neg", scores)), graph.op("Sigmoid", scores)])


def softmax(graph: Graph, scores: str) -> str:
    """Powers of e over their sum, row by row."""
    return str(graph.op("Softmax", scores, axis=1))


def shares_of(graph: Graph, parts: str, classes: int) -> str:
    """Parts over their sum, row by row; even shares where all are zero."""
    total = graph.over("ReduceSum", parts)
    some = graph.op("Greater", total, 0.0)
    return graph.where(some, graph.div(parts, graph.where(some, total, 1.0)), 1 / classes)


def repeated(graph: Graph, values: Array) -> str:
    """The same numbers (or whole numbers) for every row: n x k, or n of them for a single one."""
    if np.ndim(values) == 0:
        return str(graph.op("Expand", np.asarray(values).reshape(1), graph.row_count()))
    row = np.asarray(values).reshape(1, -1)
    return str(graph.op("Expand", row, graph.beside([graph.row_count(), graph.constant([1])], axis=0)))
