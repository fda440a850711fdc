"""Pruning and diagnostics of trees: every decision with its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.models.tree.prune import below
from pellucid.working.entry import shows
from pellucid.working.expression import Axis
from pellucid.working.language import arg_max, equal, lookup, max_, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis, label, labels

MOST_STEPS = 200
ROUNDING = 1e-12


def _first(w: Working, steps: Any) -> tuple[Any, Axis]:
    """The decisions that are shown."""
    if len(steps) > MOST_STEPS:
        w.note(f"Of {len(steps):,} decisions the first {MOST_STEPS} are shown.")
        steps = steps[:MOST_STEPS]
    return steps, Axis("decision", range(1, len(steps) + 1), "i", "n")


def _listed(steps: Any, name: str) -> Any:
    return np.array([float(getattr(step, name)) for step in steps])


def _nodes(w: Working, steps: Any, axis: Axis) -> None:
    w.given("node", _listed(steps, "node"), axis, symbol="t", label="node")
    w.given("test", np.array([step.test for step in steps], dtype=object), axis, symbol="q", label="its test")


@shows("tree.reduced_error_pruning")
def reduced_error(w: Working, result: Any, *data: Any, keep_if: str = "better", **options: Any) -> None:
    w.title = "Reduced-error pruning"
    w.intro = (
        "A node is tried as a leaf. What the rows held out cost below it, and what they would cost if it answered "
        f"itself, say how the {result.score_name} changes; what does not help is put back."
    )
    steps, axis = _first(w, result.steps)
    if not steps:
        w.note("The tree has no test that could go.")
        return
    numbers = result.score_name != "accuracy"
    w.step("Rows held out", "What costs are shares of, and the score of the tree as it was.")
    W = w.given("W", float(result.weight), symbol="W", label="targets" if numbers else "weight of the rows")
    w.given("start", float(result.score_before), symbol="s_0", label=f"{result.score_name} before")

    w.step("Decisions", "One after the other; a removal that helps counts in all that follow.")
    _nodes(w, steps, axis)
    kind = "squared errors" if numbers else "wrong"
    cost = w.given("E", _listed(steps, "cost_below"), axis, symbol="E", label=f"{kind} below it")
    leaf = w.given("e", _listed(steps, "cost_as_leaf"), axis, symbol="e", label=f"{kind} as a leaf")
    before = w.given("before", _listed(steps, "before"), axis, symbol="s", label="score with it")
    after = w.cell("after", before + (cost - leaf) / W, symbol="z", label="score without it", scale=1.0,
                   equals=_listed(steps, "after"), attribute="steps")  # fmt: skip
    helps = after > before + ROUNDING if keep_if == "better" else after >= before - ROUNDING
    gone = w.cell("gone", where(helps, 1, 0), symbol="g", label="1: it goes", equals=_listed(steps, "accepted"),
                  attribute="steps")  # fmt: skip

    w.step("Result", "The score after the last removal: the best of all that were reached.")
    reached = w.cell("reached", where(equal(gone, 1), after, before), symbol="b", label="score from here on")
    best = w.cell("best", max_(reached), symbol="B", label=result.score_name)
    if len(steps) == len(result.steps):
        w.check(best, float(result.score), "score", tolerance=1e-9, scale=1.0)
    w.given("nodes", float(len(result.tree.tree_)), symbol="m", label="nodes that are left")


@shows("tree.cost_complexity_pruning")
def cost_complexity(w: Working, result: Any, tree: Any, alpha: Any = None, *data: Any, **options: Any) -> None:
    w.title = "Cost-complexity pruning"
    w.intro = (
        "Again and again the branch goes that is worth least for its leaves: alpha is what a leaf must cost for the "
        "tree to be no better with it."
    )
    steps, axis = _first(w, result.steps)
    if not steps:
        w.note("The tree has no test that could go.")
        return
    w.step("Links", "The nodes in the order in which they become leaves.")
    _nodes(w, steps, axis)
    a = w.given("alpha", _listed(steps, "alpha"), axis, symbol="α", label="from this strength on")
    accepted = _listed(steps, "accepted")
    if alpha is not None:
        given = w.given("strength", float(alpha), symbol="A", label="the strength asked for")
        w.cell("gone", where(a <= given, 1, 0), symbol="g", label="1: it goes", equals=accepted, attribute="steps")
    else:
        after = w.given("after", _listed(steps, "after"), axis, symbol="z", label=f"{result.score_name} without it")
        start = w.given("start", float(result.score_before), symbol="s_0", label=f"{result.score_name} before")
        most = w.cell("most", max_(after), symbol="M", label="best score of a pruned tree")
        best = w.cell("best", where(most >= start - ROUNDING, most, start), symbol="B", label="best score")
        if len(steps) == len(result.steps):
            w.check(best, float(result.score), "score", tolerance=1e-9, scale=1.0)
        w.given("gone", accepted, axis, symbol="g", label="1: it goes")
    w.given("nodes", float(len(result.tree.tree_)), symbol="m", label="nodes that are left")


@shows("tree.majority_leaf_pruning")
def majority_leaf(w: Working, result: Any, tree: Any, node: Any, *, count_of: str = "leaves") -> None:
    w.title = "Replacement by the most frequent label"
    w.intro = f"A branch becomes one leaf; its label is the one that most {count_of} of the branch have."
    for number, step in enumerate(result.steps, start=1):
        tag = "" if len(result.steps) == 1 else f"_{number}"
        w.step(f"Node {step.node}", f"It asked: {step.test}.")
        if not hasattr(tree, "classes_") or isinstance(tree.classes_, list):
            w.note("Of numbers, and of several targets, what was counted is listed.")
            axis = Axis("answer", [str(value) for value in step.counts], "k", "K")
            w.given(f"m{tag}", np.array(list(step.counts.values())), axis, symbol="m", label="how often")
            continue
        known = labels(np.array(list(step.counts)))
        c = w.given(f"c{tag}", known, class_axis(known), symbol="c", label="label")
        if count_of == "leaves":
            nodes = tree.tree_
            leaves = np.flatnonzero(below(nodes, [step.node]) & nodes.is_leaf)
            axis = Axis("leaf", leaves.tolist(), "l", "L")
            said = labels(np.asarray(tree.classes_))[nodes.value[leaves].argmax(axis=1)]
            of_leaf = w.given(f"l{tag}", said, axis, symbol="l", label="label of the leaf")
            m = w.cell(f"m{tag}", sum_(where(equal(of_leaf, c), 1, 0), axis), symbol="m", label="leaves",
                       equals=np.array(list(step.counts.values())), attribute="counts")  # fmt: skip
        else:
            m = w.given(f"m{tag}", np.array(list(step.counts.values())), c.axis, symbol="m", label="rows, by weight")
        w.cell(f"answer{tag}", lookup(c, arg_max(m)), symbol="a", label="label of the new leaf",
               equals=label(step.answer), attribute="answer")  # fmt: skip


@shows("tree.accuracy_by_nodes")
def by_nodes(w: Working, result: Any, *data: Any, **options: Any) -> None:
    w.title = "How many nodes?"
    w.intro = (
        "The node whose split lowers the impurity most is split next. On the rows of the fit the score rises with "
        "every node; on rows held out it rises, and falls where the tree learns its rows by heart."
    )
    w.step("Scores", f"The {result.score_name} of each tree, from the root alone to the whole.")
    axis = Axis("tree", range(1, len(result.n_nodes) + 1), "i", "n")
    n = w.given("n_nodes", result.n_nodes.astype(float), axis, symbol="m", label="nodes")
    w.given("train", result.train_scores, axis, symbol="f", label="rows of the fit")
    test = w.given("test", result.test_scores, axis, symbol="h", label="rows held out")
    w.step("Best", "The highest score on rows held out, the smallest tree of equals.")
    best = w.cell("best", lookup(n, arg_max(test)), symbol="b", label="best number of nodes")
    if int(np.argmax(result.test_scores)) == result.n_nodes.tolist().index(result.best_n_nodes):
        w.check(best, float(result.best_n_nodes), "best_n_nodes")


@shows("tree.instability")
def stability(w: Working, result: Any, estimator: Any, X: Any, *data: Any, **options: Any) -> None:
    w.title = "Two halves, two trees"
    w.intro = f"The roots ask: {result.roots[0]}, and {result.roots[1]}."
    w.step("Tests", "How many each has, and how many are the same to the last digit.")
    for k in (0, 1):
        w.given(f"tests_{k + 1}", float(result.n_tests[k]), symbol=f"t_{k + 1}", label=f"tests of tree {k + 1}")
    w.given("shared", float(result.shared_tests), symbol="c", label="tests that both have")
    said = [np.asarray(tree.predict(X)) for tree in result.trees]
    if not hasattr(result.trees[0], "classes_") or said[0].ndim > 1:
        w.given("agreement", float(result.agreement), symbol="r", label="agreement of the predictions")
        return
    w.step("Predictions", "What both say about every row.")
    axis = Axis("row", range(1, len(said[0]) + 1))
    a, b = (w.given(f"said_{k + 1}", labels(said[k]), axis, symbol=f"p_{k + 1}", label=f"tree {k + 1}") for k in (0, 1))
    same = w.cell("same", where(equal(a, b), 1, 0), symbol="s", label="1: the same")
    w.cell("agreement", mean(same), symbol="r", label="share of rows on which they agree", equals=result.agreement,
           attribute="agreement")  # fmt: skip
