"""CART: one split by Gini over data values, happiness by categories, and the prices of cars."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import cart

from ..frame import EXAMPLES, Example, PathName, answers

Floats = NDArray[np.float64]


def gini_of(path: PathName, y: Floats) -> float:
    """Gini index of some labels."""
    if path == "reference":
        return cart.impurity_of(y, np.ones(len(y)), "gini")
    from pellucid.tree import DecisionTreeClassifier

    return float(DecisionTreeClassifier(max_depth=1).fit(np.zeros((len(y), 1)), y).tree_.impurity[0])


# ---------------------------------------------------------------------------------------------------- ten rows, one cut


@answers("000-cart-gini")
def ten_rows(example: Example, path: PathName) -> Mapping[str, Any]:
    train, test = example.data["train"], example.data["test"]
    X = np.column_stack([train["X1"], train["X2"]])
    other = np.column_stack([test["X1"], test["X2"]])
    y, truth = np.array(train["Y"]), np.array(test["Y"])
    grow = _reference_stump if path == "reference" else _kernel_stump
    cut, leaves, said = grow(X, y, other)
    assert cut == ("X1", 6.642287351)
    first, best = (judged(path, X[:, 0], y, value) for value in (2.771244718, cut[1]))
    return {
        "groups for split X1 = 2.771244718": first["groups"],
        "left class proportions for split X1 = 2.771244718": first["left"]["p"],
        "right class proportions for split X1 = 2.771244718": first["right"]["p"],
        "Gini cost of split X1 = 2.771244718, unweighted sum of groups": first["gini"],
        "Gini cost of split X1 = 2.771244718, weighted by group size (standard CART; not in the source)": first[
            "sized"
        ],
        "groups for split X1 = 6.642287351": best["groups"],
        "Gini cost of split X1 = 6.642287351": best["gini"],
        "leaf class LEFT, RIGHT": leaves,
        "test predictions": said,
        "test accuracy in percent": 100 * int(np.sum(said == truth)) // len(truth),
        "trace: split X1 = 2.771244718": traced("X1 = 2.771244718", first),
        "trace: split X1 = 6.642287351": traced("X1 = 6.642287351", best),
    }


def judged(path: PathName, x: Floats, y: Floats, cut: float) -> dict[str, Any]:
    """What one cut makes of the rows."""
    left = _kernel_side(x, cut) if path == "kernel" else x < cut
    sides = (y[left], y[~left])
    mixed = [gini_of(path, side) for side in sides]
    parts = [{"n": len(side), "p": [float(np.mean(side == k)) for k in (0, 1)]} for side in sides]
    sized = float(np.average(mixed, weights=[len(side) for side in sides]))
    return {
        "groups": ["LEFT" if one else "RIGHT" for one in left],
        "left": parts[0],
        "right": parts[1],
        "gini": sum(mixed),
        "sized": sized,
    }


def traced(name: str, found: dict[str, Any]) -> dict[str, Any]:
    return {"step": f"split {name}", "left": found["left"], "right": found["right"], "gini": found["gini"]}


def _kernel_side(x: Floats, cut: float) -> NDArray[np.bool_]:
    """Which rows a tree with this one cut sends to the left."""
    from pellucid.tree import DecisionTreeRegressor

    model = DecisionTreeRegressor(max_depth=1, threshold="value").fit(x[:, None], (x >= cut).astype(float))
    assert model.tree_.threshold[0] == cut
    return np.asarray(model.apply(x[:, None]) == 1)


def _reference_stump(X: Floats, y: Floats, other: Floats) -> tuple[tuple[str, float], list[int], Floats]:
    rules = cart.Rules(threshold="value", weighting="none")
    root = cart.grow(X, y[:, None], None, rules, [2])
    leaves = [int(child.value.argmax()) for child in root.children]
    return (f"X{root.feature + 1}", root.threshold), leaves, cart.predict(root, other, rules).argmax(axis=1)


def _kernel_stump(X: Floats, y: Floats, other: Floats) -> tuple[tuple[str, float], list[int], Floats]:
    from pellucid.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(threshold="value", weighting="none").fit(X, y)
    t = model.tree_
    return (f"X{t.feature[0] + 1}", float(t.threshold[0])), t.value[1:3].argmax(axis=1).tolist(), model.predict(other)


# ------------------------------------------------------------------------------------------------------------ happiness


@answers("004-cart-gini-happiness")
def happiness(example: Example, path: PathName) -> Mapping[str, Any]:
    happy = np.array(example.data["happy"])
    columns = {name: np.array(example.data[name]) for name in ("gratitude", "compare", "expecting")}
    y = (happy == "yes").astype(float)
    each = {(name, word): gini_of(path, y[x == word]) for name, x in columns.items() for word in set(x.tolist())}
    weighted = {
        name: sum(float(np.mean(x == word)) * each[name, word] for word in sorted(set(x.tolist())))
        for name, x in columns.items()
    }
    x = columns["expecting"]
    binary = [_against_the_rest(path, x, word, y) for word in ("high", "medium", "low")]
    rounded = [np.floor(100 * each["gratitude", word]) / 100 for word in ("no", "yes")]  # as the source cut them off
    return {
        "Gini(gratitude=yes)": each["gratitude", "yes"],
        "Gini(gratitude=no)": each["gratitude", "no"],
        "weighted Gini(gratitude)": weighted["gratitude"],
        "Gini(compare=yes)": each["compare", "yes"],
        "Gini(compare=no)": each["compare", "no"],
        "weighted Gini(compare)": weighted["compare"],
        "Gini(expecting=low)": each["expecting", "low"],
        "Gini(expecting=medium)": each["expecting", "medium"],
        "Gini(expecting=high)": each["expecting", "high"],
        "weighted Gini(expecting), three-way": weighted["expecting"],
        "root feature (lowest weighted Gini)": min(weighted, key=lambda name: weighted[name]),
        "Gini of the root, 7/5": gini_of(path, y),
        "binary splits of expecting: {high}|rest, {medium}|rest, {low}|rest": binary,
        "trace: the source's own sum for gratitude": float(np.mean(rounded)),
    }


def _against_the_rest(path: PathName, x: Any, word: str, y: Floats) -> float:
    """Impurity of one category and of all others, weighted by their sizes: a tree of one split on that question."""
    inside = (x == word).astype(float)[:, None]
    if path == "reference":
        rules = cart.Rules(categories=frozenset([0]), category_split="one_versus_rest")
        root = cart.grow(inside, y[:, None], None, rules, [2])
        return sum(child.weight * child.impurity for child in root.children) / root.weight
    from pellucid.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(max_depth=1, categorical_features=[0], category_split="one_versus_rest")
    t = model.fit(inside, y).tree_
    return float(t.weight[1:3] @ t.impurity[1:3] / t.weight[0])


# ---------------------------------------------------------------------------------------------------------------- cars


def cars() -> tuple[list[list[str]], Floats]:
    """Type and country of 117 cars, and their prices."""
    with (EXAMPLES / "cars.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [[row["type"], row["country"]] for row in rows], np.array([float(row["price"]) for row in rows])


@answers("003-cart-regression-tree-cars")
def car_prices(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = cars()
    tree = _reference_cars(X, y) if path == "reference" else _kernel_cars(X, y)
    return told_of_cars(tree)


def told_of_cars(tree: dict[str, Any]) -> dict[str, Any]:
    """The figures of a tree of ``{"n", "mean", "split", "left", "right", "children"}``, the cheaper side first."""
    nodes: list[dict[str, Any]] = []
    waiting = [tree]
    while waiting:
        nodes.append(waiting.pop())
        waiting += reversed(nodes[-1].get("children", []))
    leaves = [node for node in nodes if "split" not in node]
    inner = [(number, node) for number, node in enumerate(nodes, start=1) if "split" in node]
    steps = {
        f"trace: {k}": {"node": number} | {key: node[key] for key in ("split", "left", "right", "n")}
        for k, (number, node) in enumerate(inner, start=1)
    }
    return {
        "leaf means from left to right": [node["mean"] for node in leaves],
        "leaf sizes from left to right": [node["n"] for node in leaves],
        "root mean and size": [tree["mean"], tree["n"]],
        **steps,
    }


def in_order(n: int, mean: float, split: str, sides: list[tuple[list[str], dict[str, Any]]]) -> dict[str, Any]:
    """A node with its cheaper side first."""
    (left, low), (right, high) = sorted(sides, key=lambda side: float(side[1]["mean"]))
    return {"n": n, "mean": mean, "split": split, "left": left, "right": right, "children": [low, high]}


def _reference_cars(X: list[list[str]], y: Floats) -> dict[str, Any]:
    words = [sorted({row[j] for row in X}) for j in (0, 1)]
    codes = np.array([[words[j].index(row[j]) for j in (0, 1)] for row in X], dtype=float)
    rules = cart.Rules("squared_error", categories=frozenset([0, 1]), min_rows_split=20, min_rows_leaf=7)
    root = cart.grow(codes, y[:, None], None, rules)
    cart.prune(root, 0.01 * root.impurity)

    def told(node: cart.Node) -> dict[str, Any]:
        n, mean = len(node.rows), float(node.value[0])
        if not node.children:
            return {"n": n, "mean": mean}
        names = [
            sorted({words[node.feature][int(code)] for code in codes[child.rows, node.feature]})
            for child in node.children
        ]
        sides = list(zip(names, map(told, node.children), strict=True))
        return in_order(n, mean, ("Type", "Country")[node.feature], sides)

    return told(root)


def _kernel_cars(X: list[list[str]], y: Floats) -> dict[str, Any]:
    from pellucid.tree import DecisionTreeRegressor

    table = np.array(X, dtype=object)
    model = DecisionTreeRegressor(min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.01 * float(np.var(y)))
    t, passed = model.fit(table, y).tree_, model.decision_path(table).tocsc()

    def told(node: int) -> dict[str, Any]:
        n, mean = int(t.n_rows[node]), float(t.value[node, 0])
        if t.n_children[node] == 0:
            return {"n": n, "mean": mean}
        j = int(t.feature[node])
        names = [sorted(set(table[passed[:, [child]].indices, j].tolist())) for child in t.children(node)]
        sides = list(zip(names, map(told, t.children(node)), strict=True))
        return in_order(n, mean, ("Type", "Country")[j], sides)

    return told(0)
