"""C4.5: gain ratios at a node, the errors to expect with and without it, and the way of a row."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import normal_quantile, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._gain_tables import Page
from pellucid.working.shown._multiway_fit import show_fit
from pellucid.working.shown._multiway_node import Judge
from pellucid.working.shown._tree import predictions

MOST_LEAVES = 40


def judge_of(model: Any, n_cols: int, names: list[str]) -> Judge:
    """How a fitted C4.5 judges columns and cuts."""
    costs = model.costs
    if costs is not None:
        listed = [costs.get(name, 1.0) for name in names] if isinstance(costs, dict) else costs
        costs = np.asarray(listed, dtype=np.float64)
    return Judge(
        model.criterion,
        model.cut_criterion,
        model.mean_gain,
        model.mdl_correction,
        model.binary_splits,
        float(model.min_samples_leaf),
        float(model.min_cut_share),
        1e-9,
        costs,
        model.cost_rule,
        float(model.cost_weight),
    )


@shows("C45Classifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "C4.5: how a node is split"
    page = show_fit(w, model, data, judge_of(model, data.X.shape[1], data.names))
    if model.pruning == "error":
        _show_expected(page, model)


def _show_expected(page: Page, model: Any) -> None:
    """Errors to expect of the node as a leaf, and of the leaves below it."""
    w, node = page.w, page.node
    tree, number = node.tree, node.number
    leaves = [leaf for leaf in _below(tree, number) if tree.weight[leaf] > 0]
    if tree.n_children[number] == 0 or len(leaves) > MOST_LEAVES:
        return
    w.step(
        "Why it is not pruned",
        "A leaf with N cases, e of them wrong, is expected to be wrong on U of as many new ones, the upper limit of "
        "the binomial distribution. The node stays, since its leaves together are expected to make fewer errors, by "
        "more than 0.1, than it would make as a leaf.",
    )
    CF = w.given("CF", float(model.confidence), symbol=r"\text{CF}", label="confidence")
    z = w.cell("z_CF", normal_quantile(1 - CF), symbol="z", label="quantile of the normal distribution")
    axis = Axis("node", [str(number), *map(str, leaves)], "l", "L")
    at = [number, *leaves]
    n = w.given("n_leaf", np.asarray(tree.weight[at]), axis, symbol="N", label="cases")
    wrong = np.maximum(tree.weight[at] - tree.value[at].max(axis=1), 0.0)
    e = w.given("e_leaf", np.where(wrong < 1e-9, 0.0, wrong), axis, symbol="e", label="of them wrong")
    U = _limit(w, n, e, CF, z)
    is_leaf = w.given(
        "is_leaf", np.array([0.0] + [1.0] * len(leaves)), axis, symbol=r"\lambda", label="1 for a leaf below"
    )
    as_leaf = w.cell("as_leaf", sum_((1 - is_leaf) * U), symbol=r"\bar{U}", label="expected of the node as a leaf")
    below = w.cell("below", sum_(is_leaf * U), symbol=r"\tilde{U}", label="expected of the leaves below it")
    w.cell("saved", as_leaf - below, symbol="D", label="errors that the subtree is expected to save")


def _limit(w: Working, n: Cell, e: Cell, CF: Cell, z: Cell) -> Cell:
    """The upper limit of the errors, in the three cases of Quinlan's rule."""
    none = w.cell("none_wrong", n * (1 - CF ** (1 / n)), symbol="U_a", label="limit for no error")
    wrong: Expr = where(e >= 1, e, 1)
    share = where(wrong + 0.5 >= n, 1, (wrong + 0.5) / n)
    p = w.cell("p_leaf", share, symbol="p", label="share of errors, half an error more")
    limit = n * (p + z**2 / (2 * n) + z * sqrt(p / n - p**2 / n + z**2 / (4 * n**2))) / (1 + z**2 / n)
    some = w.cell("some_wrong", where(wrong + 0.5 >= n, where(n >= wrong, n, wrong), limit), symbol="U_b",
                  label="limit for one error or more")  # fmt: skip
    return w.cell("U", where(e >= 1, some, none + e * (some - none)), symbol="U", label="errors to expect")


def _below(tree: Any, number: int) -> list[int]:
    leaves, waiting = [], [number]
    while waiting:
        at = waiting.pop()
        if tree.n_children[at] == 0:
            leaves.append(at)
        waiting.extend(reversed(tree.children(at)))
    return leaves


@shows("C45Classifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "C4.5: predictions"
    w.intro = (
        "A row is asked from the root down, one column at a time, until it reaches a leaf. Where it lacks a value it "
        "goes down every branch in parts, and the answer is the mixture of the leaves."
    )
    if model.laplace:  # every class of every leaf counts one more
        model = copy(model)
        model.tree_, model.laplace = model._answering, False
        w.note("Every class counts one more in each leaf (Laplace).")
    predictions(w, model, data)
