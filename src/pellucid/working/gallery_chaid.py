"""Worked examples about CHAID, about pruning, and about what looking one step ahead costs."""

from __future__ import annotations

import numpy as np

from pellucid.tree import CHAIDClassifier
from pellucid.working.expression import Axis
from pellucid.working.gallery_base import Example, cell_of, example, parts_of
from pellucid.working.language import arg_max, arg_min, equal, lookup, sum_, where
from pellucid.working.model import Working


@example("004-chaid-happiness")
def happiness(e: Example) -> Working:
    X = np.column_stack([e.data[name] for name in ("gratitude", "compare", "expecting")]).astype(object)
    y = np.asarray(e.data["happy"])
    plain = CHAIDClassifier(merge=False, choose_by="statistic", alpha_split=1.0).fit(X, y)
    full = CHAIDClassifier().fit(X, y)
    w = parts_of(
        ("plain", "Largest chi-square", plain.show_fit(X, y)),
        ("full", "With merging", full.show_fit(X, y)),
        ("row", "The first person", full.show_predict(X, rows=[0])),
    )
    w.title = e.title
    w.intro = (
        "Columns: x1 is gratitude, x2 comparing oneself, x3 what one expects. The target is being happy. First a "
        "branch for every category and the largest chi-square; then as CHAID has it: categories that do not differ are "
        "merged, and p values are compared, multiplied by the ways to merge."
    )
    w.step(
        "A slip of the pen",
        "With 5.91 in place of 0.591 for one part of x2, and 4.66 for the expected count, its chi-square would come to "
        "more than that of x3, and the wrong column would split the root.",
    )
    contributions = cell_of(w, "plain.d_2_2_g")
    slip = w.given("slip", 5.91, symbol="d", label="the part of x2 as misprinted")
    total_ = cell_of(w, "plain.chi2_2_g")
    contribution = lookup(contributions, 1)
    w.cell("misprinted", total_ - contribution + slip, symbol="x", label="chi-square of x2 with it")
    return w


@example("004-reduced-error-pruning-toy")
def toy(e: Example) -> Working:
    w = Working(e.title)
    w.intro = "A branch is cut off; the cut stays if the rows held out are predicted better without it."
    w.step("Accuracies", "On the rows held out, of the tree and of two trees with less.")
    accuracy = [
        w.given(f"a_{i}", float(a), symbol=f"a_{i}", label=name)
        for i, (name, a) in enumerate(zip(e.data["candidates"], e.data["validation_accuracy"], strict=True))
    ]
    now = accuracy[0]
    for i, branch in enumerate(e.settings["order"], start=1):
        w.step(f"Branch {branch}", "Is the tree better without it?")
        w.cell(
            f"decision_{branch}", where(accuracy[i] > now, "goes", "stays"), symbol=f"z_{i}", label=f"branch {branch}"
        )
        now = w.cell(f"best_{i}", where(accuracy[i] > now, accuracy[i], now), symbol=f"b_{i}", label="accuracy by now")
    return w


@example("004-majority-leaf-pruning-toy")
def majority(e: Example) -> Working:
    w = Working(e.title)
    w.intro = "Leaves are counted, not rows."
    w.step("Leaves", "The labels of the leaves below the branch.")
    leaves = e.data["leaf_labels_under_branch"]
    axis = Axis("leaf", range(1, len(leaves) + 1), "l", "L")
    leaf_labels = w.given("leaf", np.array(leaves, dtype=object), axis, symbol="l", label="label of the leaf")
    w.step("Counts", "How many leaves have each label; the most frequent label is that of the new leaf.")
    labels = sorted(set(leaves))
    c = w.given("label", np.array(labels, dtype=object), Axis("label", labels, "k", "K"), symbol="c", label="label")
    m = w.cell("count", sum_(where(equal(leaf_labels, c), 1, 0), axis), symbol="m", label="leaves")
    w.cell("answer", lookup(c, arg_max(m)), symbol="a", label="label of the new leaf")
    return w


@example("004-greedy-path-toy")
def greedy(e: Example) -> Working:
    w = Working(e.title)
    w.intro = (
        "Who sees one step ahead takes the path that begins well. A tree chooses its tests in the same way: the best "
        "next one, not the one that leads to the best tree."
    )
    w.step("Steps", "The lengths of the steps of both paths.")
    paths = {name: np.asarray(steps, dtype=float) for name, steps in e.data.items()}
    axis = Axis("step", range(1, len(paths["path_1"]) + 1), "i", "n")
    columns = {
        name: w.given(name, steps, axis, symbol=f"p_{k}", label=f"path {k}")
        for k, (name, steps) in enumerate(paths.items(), start=1)
    }
    w.step("First steps and sums", "What the greedy one compares, and what it should compare.")
    either = Axis("path", list(paths), "j", "m")
    name = w.given("path", np.array(list(paths), dtype=object), either, symbol="v", label="path")
    number = w.given("number", np.arange(1.0, 3.0), either, symbol="j", label="number")
    sums = [
        w.cell(f"sum_{k}", sum_(cell), symbol=f"S_{k}", label=f"length of path {k}")
        for k, cell in enumerate(columns.values(), start=1)
    ]
    begin = [lookup(cell, 1) for cell in columns.values()]
    first = w.cell("first", where(equal(number, 1), begin[0], begin[1]), symbol="f", label="first step")
    length = w.cell("length", where(equal(number, 1), sums[0], sums[1]), symbol="L", label="length")
    w.cell("greedy", lookup(name, arg_min(first)), symbol="g", label="greedy choice")
    w.cell("shortest", lookup(name, arg_min(length)), symbol="s", label="shortest path")
    return w
