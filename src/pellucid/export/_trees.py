"""Trees, forests, boosted trees and AdaBoost: sums of what the leaves say that a row ends in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.boosting._model import BoostedModel
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.boosting._statistics import Made, TargetStatistics
from pellucid.ensemble._forest import ForestModel
from pellucid.ensemble.ada_boost import AdaBoostClassifier, AdaBoostRegressor
from pellucid.export._branches import branches, shared_parts
from pellucid.export._builder import Answer, Builder, labels_of, largest, logistic, refuse_targets, softmax
from pellucid.export._form import (
    Call,
    Choose,
    Compare,
    Difference,
    Expression,
    LeafTree,
    Median,
    Name,
    Number,
    Prepared,
    Product,
    Quotient,
    Sum,
    Test,
    Trees,
    table_of,
)
from pellucid.export._writers import write_model
from pellucid.models.tree.nodes import SHARE, STOP, TreeNodes
from pellucid.tree._cart import CartTree
from pellucid.tree._grown import GrownTree
from pellucid.tree._multiway import MultiwayClassifier


def _added(b: Builder, stem: str, start: Sequence[float], trees: Sequence[LeafTree]) -> list[Name]:
    names = tuple(f"{stem}_{k}" for k in range(len(start))) if len(start) > 1 else (stem,)
    b.steps.append(Trees(names, tuple(float(s) for s in start), tuple(trees)))
    return [Name(name) for name in names]


# --------------------------------------------------------------------------------------------------------- single trees


@write_model.register(CartTree)
def write_cart(model: Any, b: Builder) -> Answer:
    """The shares of the classes in a leaf, or its mean."""
    if hasattr(model, "classes_"):
        labels = labels_of(b, model)
        return _classes(b, model, model.tree_, model._shares()[0], labels)
    refuse_targets(b, model, model.n_outputs_)
    return _number(b, model, model.tree_)


@write_model.register(MultiwayClassifier)
def write_multiway(model: Any, b: Builder) -> Answer:
    """The same of trees with a branch a category (ID3, C4.5)."""
    return _classes(b, model, model._answering, _shares(model._answering.value), labels_of(b, model))


@write_model.register(GrownTree)
def write_grown(model: Any, b: Builder) -> Answer:
    """The same of CHAID's trees."""
    if hasattr(model, "classes_"):
        return _classes(b, model, model.tree_, _shares(model.tree_.value), labels_of(b, model))
    refuse_targets(b, model, model.tree_.value.shape[1])
    return _number(b, model, model.tree_)


def _shares(value: Floats) -> Floats:
    """Weights of classes as shares, summed class by class as the kernels do."""
    whole = np.cumsum(value, axis=1)[:, -1:]
    return np.divide(value, whole, out=np.zeros_like(value), where=whole > 0)


def _classes(b: Builder, model: Any, nodes: TreeNodes, shares: Floats, labels: tuple[Any, ...]) -> Answer:
    found = _answered(b, "share", nodes, b.read_cells(model), shares)
    return Answer(largest(found), tuple(found), labels)


def _number(b: Builder, model: Any, nodes: TreeNodes) -> Answer:
    return Answer(_answered(b, "value", nodes, b.read_cells(model), nodes.value)[0])


def _answered(b: Builder, stem: str, nodes: TreeNodes, sizes: tuple[int, ...], values: Floats) -> list[Name]:
    tree = LeafTree(nodes, sizes, np.asarray(values, dtype=np.float64))
    if (np.asarray(nodes.missing_child)[~nodes.is_leaf] == SHARE).any():
        return _shared_out(b, stem, tree)
    return _added(b, stem, [0.0] * values.shape[1], [tree])


def _shared_out(b: Builder, stem: str, tree: LeafTree) -> list[Name]:
    """A row with a missing value goes down every branch: each node has a share of it, and leaves answer by theirs."""
    nodes, order = tree.nodes, tree.nodes.top_down()
    share: dict[int, Expression] = {0: Number(1.0)}
    answering: list[tuple[int, Expression]] = []
    for i in order:
        if nodes.n_children[i] == 0:
            answering.append((i, share[i]))
            continue
        split = branches(tree, i)
        parts = shared_parts(nodes, i) if split.missing == SHARE else {}
        for child in nodes.children(i):
            cases: list[tuple[Test, Expression]] = [(test, Number(1.0)) for test, c in split.tests if c == child]
            rest: Expression = Number(1.0 if split.otherwise == child else 0.0)
            if parts:
                others = [test for test, c in split.tests if c != child]
                cases += [(test, Number(0.0)) for test in others]
                rest = Number(parts[child])
            taken = Choose(tuple(cases), rest) if cases else rest
            whole = share[i]
            share[child] = b.set(f"node_{child}", taken if whole == Number(1.0) else Product(whole, taken))
        if split.missing == STOP:
            none = [(test, Number(0.0)) for test, _ in split.tests]
            stays: Expression = Choose(tuple(none), Number(1.0))
            answering.append((i, b.set(f"stays_{i}", Product(share[i], stays))))
    found = []
    for k in range(tree.values.shape[1]):
        terms = [Product(Number(float(tree.values[i, k])), own) for i, own in answering if tree.values[i, k] != 0]
        name = f"{stem}_{k}" if tree.values.shape[1] > 1 else stem
        found.append(b.total(name, 0.0, terms))
    return found


# -------------------------------------------------------------------------------------------------------------- forests


@write_model.register(ForestModel)
def write_forest(model: Any, b: Builder) -> Answer:
    """The mean over the trees of the shares in the leaves, of votes, or of means."""
    classes = hasattr(model, "classes_")
    labels = labels_of(b, model) if classes else ()
    if not classes:
        refuse_targets(b, model, model.n_outputs_)
    sizes, forest = b.read_cells(model), model._answering
    trees = []
    for t in range(len(forest)):
        nodes = forest.tree(t)
        trees.append(LeafTree(nodes, sizes, _shares(nodes.value) if classes else nodes.value))
    width = trees[0].values.shape[1]
    sums = _added(b, "sum", [0.0] * width, trees)
    means = [Quotient(one, Number(float(len(trees)))) for one in sums]
    if not classes:
        return Answer(means[0])
    held = [b.set(f"share_{k}", mean) for k, mean in enumerate(means)]
    return Answer(largest(held), tuple(held), labels)


# ----------------------------------------------------------------------------------------------------------- boosting


def _read_boosted(model: Any, b: Builder) -> tuple[int, ...]:
    """The cells of boosted trees; categories that became statistics of the target are looked up."""
    sizes = b.read_cells(model)
    statistics: TargetStatistics | None = getattr(model, "_statistics_", None)
    if statistics is None:
        return sizes
    values = [b.hold(cell.value) for cell in b.cells]
    labels = [cell.label for cell in b.cells]
    kept = statistics.kept.tolist()
    cells = [Prepared(values[j], labels[j]) for j in kept]
    for one in statistics.made:
        key = b.hold(_joined(one, values), "joined")
        label = " and ".join(labels[j] for j in one.columns)
        for k, prior in enumerate(statistics.prior.tolist()):
            known = dict(zip(one.names.tolist(), one.value[:, k].tolist(), strict=True))
            cells.append(Prepared(table_of(known, key, prior), f"statistic of {label}"))
    b.cells = cells
    return tuple(int(size) for size in statistics.sizes())


def _joined(one: Made, values: Sequence[Expression]) -> Expression:
    """One whole number for a combination of categories; missing where one of them is."""
    first, *others = zip(one.columns, one.sizes, strict=True)
    joined: Expression = values[first[0]]
    for j, size in others:
        joined = Sum((Product(joined, Number(float(size + 1))), values[j]))
    return joined


def _scores(model: Any, b: Builder) -> list[Name]:
    sizes, forest, outputs = _read_boosted(model, b), model.forest, len(model.start_scores)
    trees = []
    for t in range(len(forest)):
        nodes = forest.tree(t)
        wide = nodes.value.shape[1] > 1
        trees.append(LeafTree(nodes, sizes, nodes.value, 0 if wide else t % outputs))
    return _added(b, "score", model.start_scores.tolist(), trees)


@write_model.register(BoostedModel)
def write_boosted(model: Any, b: Builder) -> Answer:
    """The start and the leaves of all trees, added up; classes by the logistic function or softmax."""
    if isinstance(model, BoostedClassifier):
        return _boosted_classes(model, b)
    assert isinstance(model, BoostedRegressor)
    refuse_targets(b, model, len(model.start_scores))
    (score,) = _scores(model, b)
    return Answer(Call("exp", (score,)) if model.loss == "poisson" else score)


def _boosted_classes(model: Any, b: Builder) -> Answer:
    labels = labels_of(b, model)
    scores = _scores(model, b)
    if len(labels) == 1:
        return Answer(Number(0.0), (Number(1.0),), labels)
    if len(scores) > 1:
        return Answer(largest(scores), softmax(b, scores), labels, tuple(scores))
    code = Choose(((Compare(">", scores[0], Number(0.0)), Number(1.0)),), Number(0.0))
    return Answer(code, logistic(b, scores[0]), labels, (scores[0],))


# ------------------------------------------------------------------------------------------------------------ AdaBoost


def _refuse_others(model: Any, b: Builder) -> None:
    if not all(isinstance(getattr(one, "tree_", None), TreeNodes) for one in model.estimators_):
        requirement = "AdaBoost can be written as code where its models are decision trees of Pellucid"
        raise b.refuse(requirement, f"its models are {type(model.estimators_[0]).__name__}")


@write_model.register(AdaBoostRegressor)
def write_median(model: Any, b: Builder) -> Answer:
    """The median of what the trees say, weighted by their stages."""
    _refuse_others(model, b)
    sizes = _read_members(model, b)
    trees = [LeafTree(one.tree_, sizes, one.tree_.value, t) for t, one in enumerate(model.estimators_)]
    said = _added(b, "answer", [0.0] * len(trees), trees)
    b.steps.append(Median("median", tuple(said), tuple(model._stages.tolist())))
    return Answer(Name("median"))


@write_model.register(AdaBoostClassifier)
def write_ada_boost(model: Any, b: Builder) -> Answer:
    """Votes of trees by their stages, and the softmax of how clearly they go."""
    labels = labels_of(b, model)
    _refuse_others(model, b)
    sizes, stages = _read_members(model, b), model._stages.tolist()
    trees = []
    for one, stage in zip(model.estimators_, stages, strict=True):
        values = np.zeros((len(one.tree_), len(labels)))
        own = one._shares()[0].argmax(axis=1)
        values[np.arange(len(values)), [labels.index(label) for label in one.classes_[own].tolist()]] = stage
        trees.append(LeafTree(one.tree_, sizes, values))
    votes = _added(b, "votes", [0.0] * len(labels), trees)
    probabilities = _vote_probabilities(b, votes, float(model._stages.sum()))
    scores = (Name("decision"),) if len(votes) == 2 else tuple(Name(f"decision_{c}") for c in range(len(votes)))
    return Answer(largest(votes), probabilities, labels, scores if len(votes) > 1 else ())


def _read_members(model: Any, b: Builder) -> tuple[int, ...]:
    """The table that AdaBoost reads itself, or that its first tree reads."""
    return b.read_cells(model if model._reads else model.estimators_[0])


def _vote_probabilities(b: Builder, votes: list[Name], most: float) -> tuple[Expression, ...]:
    k = len(votes)
    if k == 1:
        return (Number(1.0),)
    if k == 2:
        clear = Quotient(Product(Number(2.0), Difference(votes[1], votes[0])), Number(most))
        half = b.set("half", Quotient(b.set("decision", clear), Number(2.0)))
        return softmax(b, [b.set("against", Difference(Number(0.0), half)), half])
    scores: list[Expression] = []
    for c, own in enumerate(votes):
        others = Quotient(Difference(Number(most), own), Number(k - 1.0))
        decision = Quotient(Difference(own, others), Number(most))
        scores.append(b.set(f"decision_{c}", Quotient(decision, Number(k - 1.0))))
    return softmax(b, scores)
