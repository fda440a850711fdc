"""Worked examples about boosted trees: salaries, a chatbot, similarities, columns in bundles, and rows in an order."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.boosting import GradientBoostingClassifier, GradientBoostingRegressor, XGBoostClassifier
from pellucid.data.design import Design
from pellucid.reference import feature_bundling, ordered_boosting
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.gallery_base import Example, cell_of, column, example, parts_of
from pellucid.working.language import equal, exp, ln, lookup, max_, mean, sum_, where
from pellucid.working.model import Working


def by_leaf(body: Any, leaf: Cell, number: Cell) -> Expr:
    """The sum of something over the rows of each leaf."""
    return sum_(where(equal(leaf, number), body, 0), leaf.axis)


# ------------------------------------------------------------------------------------------------------------- salaries


def salary_leaves(e: Example) -> Floats:
    """The leaf of each row in the tree of the text: 1 male and white, 2 male and not white, 3 female."""
    people = zip(e.data["gender"], e.data["race"], strict=True)
    return np.array(
        [3.0 if gender == "Female" else 1.0 if ethnicity == "White" else 2.0 for gender, ethnicity in people]
    )


@example("004-gbdt-regression-salary")
def salaries(e: Example) -> Working:
    X, y = column(salary_leaves(e)), np.asarray(e.data["salary_k"], dtype=np.float64)
    rate = float(e.settings["learning_rate"])
    model = GradientBoostingRegressor(n_estimators=2, learning_rate=rate, max_depth=2).fit(X, y)
    w = parts_of(("exact", "From the mean", model.show_fit(X, y)))
    w.intro = (
        "The tree of the text is made by hand: x is its leaf, 1 for male and white, 2 for male and not white, 3 for "
        "female. Two trees are boosted from the mean, then from the mean as the text rounds it."
    )
    first = float(e.settings["initial_prediction_implied_by_the_source"])
    score: Cell = w.given("given.f_0", first, symbol="f_{0}", label="start, as the text rounds it")
    target, leaf, number = (cell_of(w, f"exact.{name}") for name in ("y", "leaf_1", "k_1"))
    for t in (1, 2):
        w.step(f"From {first:g}: round {t}", "Residuals, their mean in each leaf, and a short step along it.", turn=t)
        r = w.cell(f"given.r_{t}", target - score, symbol=f"r_{{{t}}}", label="residual")
        rows = w.cell(f"given.n_{t}", by_leaf(1, leaf, number), symbol="n", label="rows of the leaf")
        summed = w.cell(f"given.R_{t}", by_leaf(r, leaf, number), symbol="R", label="sum of residuals")
        leaf_value = w.cell(f"given.answer_{t}", summed / rows, symbol=f"a_{{{t}}}", label="mean residual")
        score = w.cell(f"given.f_{t}", score + rate * lookup(leaf_value, leaf), symbol=f"f_{{{t}}}", label="prediction")
    return w


# -------------------------------------------------------------------------------------------------------------- chatbot


def chatbot_leaves(e: Example) -> Floats:
    """The leaf of each row in the tree of the text: 1 for LQ < 9, else 2 for SL = Yes, else 3."""
    rows = zip(e.data["LQ"], e.data["SL"], strict=True)
    return np.array([1.0 if lq < 9 else 2.0 if sl == "Yes" else 3.0 for lq, sl in rows])


@example("004-gbdt-classification-chatbot")
def chatbot(e: Example) -> Working:
    X, y = column(leaves := chatbot_leaves(e)), np.asarray(e.data["GA"], dtype=object)
    rate = float(e.settings["learning_rate"])
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=rate, max_depth=2).fit(X, y)
    w = parts_of(("fit", "One tree", model.show_fit(X, y)))
    w.intro = (
        "The tree of the text is made by hand: x is its leaf, 1 for LQ below 9, else 2 for SL = Yes, else 3. Leaves 2 "
        "and 3 answer the same, so a tree that is grown keeps them together."
    )
    target = cell_of(w, "fit.y")
    axis = target.axis
    assert axis is not None
    w.step("The leaves of the text", "The sum of residuals over the sum of p (1 - p), leaf by leaf.")
    leaf = w.given("leaf", leaves, axis, symbol="l", label="leaf")
    number = w.given("k", np.array([1.0, 2.0, 3.0]), Axis("leaf", [1, 2, 3], "k", "L"), symbol="k", label="leaf")
    start = cell_of(w, "fit.f_0")
    for name, p in (("exact", cell_of(w, "fit.p_1")), ("rounded", None)):
        share = w.given("rounded.p", 0.66, symbol="p", label="probability as the text rounds it") if p is None else p
        r = w.cell(f"{name}.r", target - share, symbol="r", label="residual")
        summed = w.cell(f"{name}.R", by_leaf(r, leaf, number), symbol="R", label="sum of residuals")
        curved = w.cell(f"{name}.H", by_leaf(share * (1 - share), leaf, number), symbol="H", label="sum of p (1 - p)")
        leaf_value = w.cell(f"{name}.answer", summed / curved, symbol="a", label="what the leaf answers")
        if p is None:
            continue
        score = w.cell("score", start + rate * lookup(leaf_value, leaf), symbol="f", label="log odds after the tree",
                       equals=model.decision_function(X), attribute="decision_function(X)")  # fmt: skip
        w.cell("probability", 1 / (1 + exp(-score)), symbol="q", label="probability after the tree",
               equals=model.predict_proba(X)[:, 1], attribute="predict_proba(X)")  # fmt: skip
    return w


# --------------------------------------------------------------------------------------------------------- similarities


class EvenOdds(XGBoostClassifier):
    """Begins at even odds, whatever the classes are."""

    def _booster(self, d: Design, sizes: Array, weight: Floats | None, held: Array | None, start: Any) -> Any:
        return super()._booster(d, sizes, weight, held, np.zeros(1))


@example("004-xgboost-similarity-gain")
def similarity_gain(e: Example) -> Working:
    rc, says = np.asarray(e.data["RC"], dtype=np.float64), np.asarray(e.data["EC"], dtype=object)
    y, eta = np.asarray(e.data["LA"], dtype=np.float64), float(e.settings["eta"])
    X = np.column_stack([rc, says == "Yes"]).astype(np.float64)
    plain: dict[str, Any] = {"n_estimators": 1, "learning_rate": eta, "min_child_weight": 0, "l2_regularization": 0}
    model = EvenOdds(**plain).fit(X, y)
    tree = model.forest.tree(0)
    similarities = -(tree.impurity * tree.weight)  # similarities of the root, of EC = No and of EC = Yes
    w = Working("", "One tree of XGBoost from even odds, without a penalty: similarities, gains, leaves, and new odds.")
    axis = w.axis("row", len(y))
    w.step("Rows", "Residuals and second derivatives at even odds.")
    rc_cell = w.given("RC", rc, axis, symbol="x", label="RC")
    ec_cell = w.given("EC", says, axis, symbol="z", label="EC")
    target = w.given("LA", y, axis, symbol="y", label="LA")
    p = w.given("p", float(e.settings["base_score"]), symbol="p", label="probability at the start")
    r = w.cell("r", target - p, symbol="r", label="residual")
    h = w.cell("h", p * (1 - p), symbol="h", label="second derivative of every row")
    w.step("Root", "The square of the sum of residuals over the sum of second derivatives.")
    root = w.cell("root", sum_(r) ** 2 / sum_(h, axis), symbol="S", label="similarity of the root",
                  equals=float(similarities[0]), attribute="nodes of the tree", tolerance=1e-6)  # fmt: skip
    w.step("RC", "What a cut of RC at the midpoint of its values gains.")
    w.cell("mean_RC", mean(rc_cell), symbol=r"\bar{x}", label="mean of RC")
    cut = w.cell("cut", (max_(rc_cell) - max_(-rc_cell)) / 2, symbol="c", label="midpoint of its two values")
    low, high = (
        _similarity(w, f"RC_{end}", side, r, h) for end, side in (("low", rc_cell <= cut), ("high", rc_cell > cut))
    )
    w.cell("gain_RC", low + high - root, symbol="Q_{RC}", label="gain of RC")
    w.step("EC", "What EC gains: more than RC, so that the root asks it.")
    yes, no = _similarity(w, "EC_yes", equal(ec_cell, "Yes"), r, h), _similarity(w, "EC_no", equal(ec_cell, "No"), r, h)
    w.check(yes, float(similarities[2]), "nodes of the tree", tolerance=1e-6)
    w.check(no, float(similarities[1]), "nodes of the tree", tolerance=1e-6)
    gained = float(model.forest.importance[0, 1])
    w.cell("gain_EC", yes + no - root, symbol="Q_{EC}", label="gain of EC", equals=gained,
           attribute="gain of the tree", tolerance=1e-6)  # fmt: skip
    for category, side in (("No", no), ("Yes", yes)):
        w.step(f"RC among EC = {category}", "A cut inside a side of the root gains nothing.")
        side_of = where(equal(ec_cell, category), where(rc_cell > cut, "high", "low"), "none")
        group = w.cell(
            f"side_{category}", side_of, symbol=f"g_{{{category}}}", label=f"side of RC among EC = {category}"
        )
        low, high = (_similarity(w, f"{category}_{end}", equal(group, end), r, h) for end in ("low", "high"))
        w.cell(f"gain_{category}", low + high - side, symbol="Q", label=f"gain of RC among EC = {category}")
    _leaves(w, model, X, (rc_cell, ec_cell, target, cut, r, h), eta)
    return w


def _similarity(w: Working, name: str, inside: Expr, r: Cell, h: Cell) -> Cell:
    """Of some rows: 0 where there are none."""
    assert r.axis is not None
    text, mark = name.replace("_", " "), f"{{{name.replace('_', ',')}}}"
    above = w.cell(f"{name}.R", sum_(where(inside, r, 0), r.axis), symbol=f"R_{mark}", label=f"residuals, {text}")
    below = w.cell(f"{name}.H", sum_(where(inside, h, 0), r.axis), symbol=f"H_{mark}",
                   label=f"second derivatives, {text}")  # fmt: skip
    if below.value > 0:
        return w.cell(f"{name}.S", above**2 / below, symbol=f"S_{mark}", label=f"similarity, {text}")
    return w.cell(f"{name}.S", where(below > 0, above**2, 0), symbol=f"S_{mark}", label=f"similarity, {text}: no rows")


def _leaves(w: Working, model: XGBoostClassifier, X: Floats, cells: tuple[Cell, ...], eta: float) -> None:
    """Leaves of both columns asked one after the other, by two rules, and what they make of the odds."""
    rc_cell, ec_cell, target, cut, r, h = cells
    w.step("Leaves", "EC and RC asked one after the other; one leaf has no rows, and answers 0.")
    leaf = w.cell("leaf", where(equal(ec_cell, "No"), 1, 3) + where(rc_cell > cut, 1, 0), symbol="l", label="leaf")
    names = ["No, RC low", "No, RC high", "Yes, RC low", "Yes, RC high"]
    number = w.given("k", np.arange(1.0, 5.0), Axis("leaf", names, "k", "L"), symbol="k", label="number")
    rows = w.cell("n", by_leaf(1, leaf, number), symbol="n", label="rows")
    above = w.cell("R", by_leaf(r, leaf, number), symbol="R", label="sum of residuals")
    below = w.cell("H", by_leaf(h, leaf, number), symbol="H", label="sum of second derivatives")
    some = w.cell("some", where(rows > 0, rows, 1), symbol="m", label="rows, or 1 where there are none")
    curved = w.cell("curved", where(below > 0, below, 1), symbol="G", label="second derivatives, or 1")
    by_count = w.cell("by_count", above / some, symbol="a", label="over the number of rows, as for numbers")
    by_slope = w.cell("by_slope", above / curved, symbol="b", label="over the second derivatives, as for classes")
    scores = model.decision_function(X)
    for name, leaf_value, text in (("count", by_count, "by the rule for numbers"), ("slope", by_slope, "for classes")):
        w.step(f"New odds {text}", "From even odds a short step along the leaf of each row.")
        f = w.cell(f"{name}.f", eta * lookup(leaf_value, leaf), symbol="f", label="log odds")
        if name == "slope":
            w.check(f, scores, "decision_function(X)", tolerance=1e-6)
        p = w.cell(f"{name}.p", 1 / (1 + exp(-f)), symbol="p", label="probability")
        w.cell(f"{name}.r", target - p, symbol="r", label="new residual")


# -------------------------------------------------------------------------------------------------------------- bundles


@example("004-lightgbm-exclusive-feature-bundling")
def bundling(e: Example) -> Working:
    names = list(e.data)
    X = np.column_stack([e.data[name] for name in names]).astype(np.float64)
    w = Working("", "Columns that are never both non-zero in a row can share one column, if their values stay apart.")
    axis = w.axis("row", len(X))
    w.step("Columns", "Their values, and which are not 0.")
    x = [w.given(name, X[:, j], axis, symbol=f"x_{{{j + 1}}}", label=name) for j, name in enumerate(names)]
    nonzero = [
        w.cell(f"held_{j + 1}", where(equal(x_j, 0), 0, 1), symbol=f"u_{{{j + 1}}}", label=f"{names[j]}: 1 if not 0")
        for j, x_j in enumerate(x)
    ]
    w.step("Conflicts", "Rows in which two columns are both non-zero. Columns without a conflict may share one.")
    counts = feature_bundling.conflicts(X)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        end, mark = f"{a + 1}_{b + 1}", f"{{{a + 1}{b + 1}}}"
        n_conflicts = w.cell(
            f"conflicts_{end}",
            sum_(nonzero[a] * nonzero[b]),
            symbol=f"c_{mark}",
            equals=float(counts[a, b]),
            label=f"of {names[a]} and {names[b]}",
            attribute="conflicts(X)",
        )
        w.cell(
            f"share_{end}", where(equal(n_conflicts, 0), 1, 0), symbol=f"s_{mark}", label="1: they may share a column"
        )
    w.step("One column for two", "The later column is moved beyond the values of the earlier one.")
    w.cell("before", x[1] + x[2], symbol="m", label="sum, before the offset",
           equals=feature_bundling.merged(X, [1, 2], constant=0), attribute="merged(X)")  # fmt: skip
    offset = w.cell("offset", max_(x[1]), symbol="d", label=f"offset: the greatest value of {names[1]}")
    w.cell("merged", where(x[2] > 0, x[2] + offset, x[1]), symbol="b", label="the bundle",
           equals=feature_bundling.merged(X, [1, 2]), attribute="merged(X)")  # fmt: skip
    w.step("A slip to know", "One constant for both columns keeps nothing apart: a 1 of either becomes the same.")
    constant = w.given("constant", float(e.settings["offset_in_source"]), symbol="D", label="offset of the text")
    moved = cell_of(w, "before")
    w.cell("constant_merged", where(moved > 0, moved + constant, 0), symbol="g", label="sum, moved by it",
           equals=feature_bundling.merged(X, [1, 2], constant=10), attribute="merged(X)")  # fmt: skip
    return w


# ------------------------------------------------------------------------------------------------------------- prefixes


@example("004-catboost-ordered-boosting-prefixes")
def prefixes(e: Example) -> Working:
    order = list(e.data["permutation"])
    n = len(order)
    w = Working("", "A row's residual comes from a model of rows before it alone: all of them, or 1, 2, 4, 8, ...")
    w.step("Models", "As many as there are powers of 2 up to the number of rows.")
    rows = w.given("n", float(n), symbol="n", label="rows")
    top = w.cell("top", ln(rows) / ln(2), symbol="t", label="logarithm of n to the base 2")
    models = Axis("model", range(n.bit_length()), "j", "J")
    j = w.given("j", np.arange(float(n.bit_length())), models, symbol="j", label="exponent")
    size = w.cell("size", 2**j, symbol="m", label="rows that it knows", attribute="doubling_sizes(n)",
                  equals=np.array(ordered_boosting.doubling_sizes(n), dtype=np.float64))  # fmt: skip
    w.cell("models", sum_(where(j <= top, 1, 0)), symbol="M", label="models")
    w.step("Rows", "In the order drawn, each with the rows before it; and the largest model that does not reach it.")
    axis = Axis("place", range(1, n + 1))
    w.given("row", np.array(order, dtype=object), axis, symbol="x", label="row")
    n_preceding = w.given("place", np.arange(float(n)), axis, symbol="b", label="rows before it")
    more = w.cell("more", where(size > 1, size / 2, 1), symbol="d", label="more than the model before")
    training_rows = ordered_boosting.doubling_prefixes(order)
    sizes = np.array([float(len(training_rows[row])) for row in order])
    w.cell("doubling", sum_(where(size <= n_preceding, more, 0), models), symbol="k", label="rows of its model",
           equals=sizes, attribute="doubling_prefixes(order)")  # fmt: skip
    return w
