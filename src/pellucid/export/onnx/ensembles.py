"""Writers of many models that answer as one, of calibrated classifiers and of baselines."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.calibration._sigmoid import Sigmoid, Temperature
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.curves import interpolated
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.trees import simple, summed, values
from pellucid.export.onnx.writing import (
    Answer,
    by_probability,
    read,
    refuse,
    repeated,
    shares_of,
    softmax,
    writes,
    written,
)
from pellucid.model_selection.row_predictions import ABSENT
from pellucid.models.tree.nodes import TreeNodes

_LEAST = 1e-12  # added to a probability before its logarithm is taken, as calibration does


# -------------------------------------------------------------------------------------------------------------- members


def _said(graph: Graph, model: Any, columns: Columns, method: str, who: Any) -> tuple[str, Answer]:
    """What a member says by a method: n x k numbers, and its whole answer."""
    answer = written(graph, model, columns)
    if answer.several:
        refuse(who, f"has a member, {type(model).__name__}, of several targets", "export one model a target")
    if method == "predict":
        return answer.numbers or graph.op("Unsqueeze", answer.codes[0], [1]), answer
    found = answer.scores if method == "decision_function" else next(iter(answer.probabilities), "")
    if not found:
        refuse(who, f"asks {type(model).__name__} for {method}, which has no ONNX operators", "choose another member")
    return found, answer


def _aligned(graph: Graph, found: str, known: Array, classes: Array, absent: float) -> str:
    """A column for every class; what a member does not know is absent."""
    if len(known) == len(classes):
        return found
    if absent != 0.0 and len(known) == 2:
        found = graph.beside([graph.op("Neg", found), found])
    places = np.full(len(classes), len(known))
    places[np.searchsorted(classes, known)] = np.arange(len(known))
    filler = graph.add(graph.mul(graph.take(found, [0], axis=1), 0.0), float(absent))
    return graph.take(graph.beside([found, filler]), places, axis=1)


def _codes_in(graph: Graph, answer: Answer, classes: Array) -> str:
    """n places of what a member says among all classes."""
    known = answer.classes[0]
    if len(known) == len(classes):
        return answer.codes[0]
    return graph.take(np.searchsorted(classes, known).astype(np.int64), answer.codes[0])


def _mean(graph: Graph, parts: list[str], weights: Floats | None) -> str:
    """The weighted mean of tensors."""
    share = np.ones(len(parts)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = ""
    for part, weight in zip(parts, share.tolist(), strict=True):
        own = part if weights is None else graph.mul(part, weight)
        total = graph.add(total, own) if total else own
    return graph.div(total, float(share.sum()))


def _votes(graph: Graph, codes: list[str], weights: Floats, classes: int) -> str:
    """n x classes: the weight of the members that say each class."""
    total = ""
    for code, weight in zip(codes, weights.tolist(), strict=True):
        own = graph.take(np.eye(classes) * weight, code)
        total = graph.add(total, own) if total else own
    return total


@writes("VotingClassifier")
def voting_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The most votes, or the largest mean probability."""
    classes = model.classes_
    if model.voting == "hard":
        codes = [_codes_in(graph, written(graph, one, columns), classes) for one in model.estimators_]
        votes = _votes(graph, codes, model._shares(), len(classes))
        return Answer(classes=(classes,), codes=(graph.argmax(votes),))
    parts = []
    for one in model.estimators_:
        found, answer = _said(graph, one, columns, "predict_proba", model)
        parts.append(_aligned(graph, found, answer.classes[0], classes, 0.0))
    return by_probability(graph, classes, _mean(graph, parts, model._weights_of_average()))


@writes("VotingRegressor")
def voting_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The weighted mean of the predictions."""
    parts = [written(graph, one, columns).numbers for one in model.estimators_]
    return Answer(numbers=_mean(graph, parts, None if model.weights is None else model._shares()))


@writes("StackingClassifier", "StackingRegressor")
def stacking(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The final model over what the members say, and the table's own columns where they pass through."""
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list):
        refuse(model, "of several targets has no writer", "export one model a target")
    parts = []
    for one, method in zip(model.estimators_, model.stack_method_, strict=True):
        found, answer = _said(graph, one, columns, method, model)
        if method == "predict" and answer.codes and classes is not None:
            found = graph.number(graph.op("Unsqueeze", _codes_in(graph, answer, classes), [1]))
        elif classes is not None and answer.classes:
            found = _aligned(graph, found, answer.classes[0], classes, ABSENT[method])
            if method == "predict_proba" and len(classes) == 2:
                found = graph.take(found, [1], axis=1)
        parts.append(found)
    given = [Columns.of(graph, part, width) for part, width in zip(parts, model._widths_, strict=True)]
    own = [columns] if model.passthrough else []
    return written(graph, model.final_estimator_, Columns.joined(graph, [*given, *own]))


@writes("BaggingClassifier")
def bagging_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The mean of the probabilities, or of votes."""
    classes, parts = model.classes_, []
    for one, own in zip(model.estimators_, _own_columns(model, columns), strict=True):
        answer = written(graph, one, own)
        if model.voting == "soft" and answer.probabilities:
            parts.append(_aligned(graph, answer.probabilities[0], answer.classes[0], classes, 0.0))
        else:
            parts.append(graph.take(np.eye(len(classes)), _codes_in(graph, answer, classes)))
    return by_probability(graph, classes, _mean(graph, parts, None))


@writes("BaggingRegressor")
def bagging_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The mean of the predictions."""
    pairs = zip(model.estimators_, _own_columns(model, columns), strict=True)
    return Answer(numbers=_mean(graph, [written(graph, one, own).numbers for one, own in pairs], None))


def _own_columns(model: Any, columns: Columns) -> list[Columns]:
    for one in model.estimators_:
        if not hasattr(one, "get_params"):
            refuse(model, "of functions has no ONNX operators", "give it models")
    return [columns.take([int(j) for j in own]) for own in model.estimators_features_]


# ------------------------------------------------------------------------------------------------------------- AdaBoost


@writes("AdaBoostClassifier")
def ada_boost_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Votes of the models, each with its stage value."""
    classes, stages = model.classes_, np.asarray(model._stages)
    k, most = len(classes), float(np.sum(model._stages))
    trees = _own_trees(model)
    if trees is None:
        codes = [_codes_in(graph, written(graph, one, columns), classes) for one in model.estimators_]
        votes = _votes(graph, codes, stages, k)
    else:

        def said(t: int, nodes: TreeNodes, ends: Array) -> tuple[Array, Floats]:
            shares = nodes.value[ends] / nodes.value[ends].sum(axis=1, keepdims=True)
            return shares.argmax(axis=1), np.full(len(ends), stages[t])

        votes = summed(graph, read(graph, model, columns), trees, k, said)
    codes_said = graph.argmax(votes)
    if k == 1:
        shares, shown = repeated(graph, np.ones(1)), ""
    elif k == 2:
        apart = graph.sub(graph.take(votes, [1], axis=1), graph.take(votes, [0], axis=1))
        shown = graph.div(graph.mul(apart, 2.0), most)
        shares = softmax(graph, graph.mul(shown, np.array([[-0.5, 0.5]])))
    else:
        others = graph.div(graph.sub(most, votes), float(k - 1))
        shown = graph.div(graph.sub(votes, others), most)
        shares = softmax(graph, graph.div(shown, float(k - 1)))
    return Answer(classes=(classes,), codes=(codes_said,), probabilities=(shares,), scores=shown)


def _own_trees(model: Any) -> list[TreeNodes] | None:
    """The trees inside, if the table is read for all of them at once; each with one answer for every row."""
    if not model._reads:
        return None
    trees = [one.tree_ for one in model.estimators_]
    return trees if all(map(simple, trees)) else None


@writes("AdaBoostRegressor")
def ada_boost_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The weighted median of what the models say."""
    stages, trees = np.asarray(model._stages, dtype=np.float64), _own_trees(model)
    if trees is None:
        found = graph.beside([written(graph, one, columns).numbers for one in model.estimators_])
    else:
        tables = [nodes.value[nodes.is_leaf][:, :1] for nodes in trees]
        found = graph.op("Squeeze", values(graph, read(graph, model, columns), trees, tables), [2])
    ordered, places = graph.op("TopK", found, [len(stages)], outputs=2, axis=1, largest=0, sorted=1)
    reached = graph.op("CumSum", graph.take(stages, places), 1)
    half = graph.mul(graph.take(reached, [len(stages) - 1], axis=1), 0.5)
    first = graph.op("ArgMax", graph.whole(graph.op("GreaterOrEqual", reached, half)), axis=1, keepdims=1)
    return Answer(numbers=graph.op("GatherElements", ordered, first, axis=1))


# ---------------------------------------------------------------------------------------------------------- calibration


@writes("CalibratedClassifierCV")
def calibrated(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The mean over the pairs of a classifier and what turns its scores into probabilities."""
    parts = [_pair(graph, pair, columns, model) for pair in model.calibrated_classifiers_]
    return by_probability(graph, model.classes_, _mean(graph, parts, None))


def _pair(graph: Graph, pair: Any, columns: Columns, model: Any) -> str:
    scored = hasattr(pair.estimator, "decision_function")
    method = "decision_function" if scored else "predict_proba"
    found, answer = _said(graph, pair.estimator, columns, method, model)
    known, k = answer.classes[0], len(pair.classes)
    width = len(known) if not scored or len(known) > 2 else 1
    if k == 2 and len(known) == 2 and width == 2:
        found, width = graph.take(found, [1], axis=1), 1
    elif k > 2 and len(known) == 2 and width == 1:
        found, width = graph.beside([graph.op("Neg", found), found]), 2
    if isinstance(pair.calibrators[0], Temperature):
        return _tempered(graph, found, width, not scored, float(pair.calibrators[0].beta_))
    labels = known[-1:] if width == 1 else known
    each = {}
    for j, (label, own) in enumerate(zip(labels, pair.calibrators, strict=True)):
        x = graph.take(found, [j], axis=1)
        each[int(np.searchsorted(pair.classes, label))] = _calibrate(graph, x, own)
    if k == 2:
        return graph.beside([graph.sub(1.0, each[1]), each[1]])
    nothing = graph.mul(graph.take(found, [0], axis=1), 0.0)
    return shares_of(graph, graph.beside([each.get(c, nothing) for c in range(k)]), k)


def _calibrate(graph: Graph, x: str, own: Any) -> str:
    """n x 1 probabilities from scores."""
    if isinstance(own, Sigmoid):
        return str(graph.op("Sigmoid", graph.op("Neg", graph.add(graph.mul(x, float(own.a_)), float(own.b_)))))
    curve = own.f_
    return interpolated(graph, x, np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64))


def _tempered(graph: Graph, found: str, width: int, shares: bool, beta: float) -> str:
    """The softmax of logarithms of probabilities, or of scores, over a temperature."""
    if width == 1:
        other = graph.sub(1.0, found) if shares else graph.op("Neg", found)
        found = graph.beside([other, found])
    logits = graph.op("Log", graph.add(found, _LEAST)) if shares else found
    return softmax(graph, graph.mul(logits, beta))


@writes("IsotonicRegression")
def isotonic(graph: Graph, model: Any, columns: Columns) -> Answer:
    """A curve that never falls, linear between its corners."""
    x, curve = read(graph, model, columns), model.f_
    corners = np.asarray(curve.x, dtype=np.float64)
    beyond = graph.op("Or", graph.op("Less", x, corners[0]), graph.op("Greater", x, corners[-1]))
    if curve.outside == "raise" and len(corners) > 1:
        x = graph.refuse(x, beyond, "IsotonicRegression: X must lie where it lay in fit")
    found = interpolated(graph, x, corners, np.asarray(curve.y, dtype=np.float64))
    if curve.outside == "nan" and len(corners) > 1:
        found = graph.where(beyond, np.nan, found)
    return Answer(numbers=found)


# ------------------------------------------------------------------------------------------------------------ baselines


@writes("DummyRegressor")
def dummy_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The same for every row."""
    return Answer(numbers=repeated(graph, np.asarray(model.constant_, dtype=np.float64).ravel()))


@writes("DummyClassifier")
def dummy_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The same for every row."""
    if model.strategy in ("stratified", "uniform"):
        hint = "use strategy='prior', 'most_frequent' or 'constant'"
        refuse(model, f"with strategy={model.strategy!r} draws its answers, which ONNX cannot repeat", hint)
    several = isinstance(model.class_prior_, list)
    priors = model.class_prior_ if several else [model.class_prior_]
    shares = []
    for target, prior in enumerate(priors):
        code = model._constants_[target] if model.strategy == "constant" else int(np.argmax(prior))
        own = prior if model.strategy == "prior" else np.eye(len(prior))[code]
        shares.append(repeated(graph, np.asarray(own, dtype=np.float64)))
    return by_probability(graph, model.classes_, shares if several else shares[0])
