"""Worked examples about CART: ten rows and one cut, happiness by categories, the prices of cars."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor
from pellucid.working.expression import Axis
from pellucid.working.gallery_base import EXAMPLES, Example, cell_of, example, parts_of
from pellucid.working.language import equal, mean, sum_, where
from pellucid.working.model import Working


@example("000-cart-gini")
def ten_rows(e: Example) -> Working:
    X, X_test = (np.column_stack([e.data[subset]["X1"], e.data[subset]["X2"]]) for subset in ("train", "test"))
    y = np.asarray(e.data["train"]["Y"])
    model = DecisionTreeClassifier(threshold="value", weighting="none").fit(X, y)
    sized = DecisionTreeClassifier(threshold="value").fit(X, y)
    w = parts_of(
        ("fit", "Cost without weights", model.show_fit(X, y)),
        ("sized", "Cost weighted by size", sized.show_fit(X, y)),
    )
    w.title = e.title
    w.intro = (
        "Every value of both columns is tried as a cut; what is below it goes left. First as the text has it: the "
    )
    w.intro += "impurities of both sides are added as they are. Then as CART has it: weighted by their sizes."
    _judge(w, model, X_test, np.asarray(e.data["test"]["Y"], dtype=np.float64))
    return w


def _judge(w: Working, model: Any, X_test: Any, truth: Any) -> None:
    w.step("New rows", "Below the cut class 0, else class 1; and how many are right.")
    rows = Axis("row", range(1, len(X_test) + 1))
    x = w.given("new.x", X_test[:, 0], rows, symbol="x_1", label="x1")
    y = w.given("new.y", truth, rows, symbol="y", label="class")
    cut = cell_of(w, "fit.split")
    predictions = w.cell("new.said", where(x < cut, 0, 1), symbol=r"\hat{y}", label="prediction",
                  equals=model.predict(X_test).astype(float), attribute="predict(X)")  # fmt: skip
    correct = w.cell("new.right", where(equal(predictions, y), 1, 0), symbol="r", label="1: right")
    w.cell("new.accuracy", 100 * mean(correct), symbol="A", label="right in percent",
           equals=100 * model.score(X_test, truth.astype(int)), attribute="score(X, y)")  # fmt: skip


@example("004-cart-gini-happiness")
def happiness(e: Example) -> Working:
    names = ("gratitude", "compare", "expecting")
    X = np.column_stack([e.data[name] for name in names]).astype(object)
    y = np.asarray(e.data["happy"])
    model = DecisionTreeClassifier(category_split="one_versus_rest").fit(X, y)
    w = parts_of(
        ("fit", "The root", model.show_fit(X, y)),
        ("row", "The first person", model.show_predict(X, rows=[0])),
    )
    w.title = e.title
    w.intro = "Columns: x1 is gratitude, x2 comparing oneself, x3 what one expects. The target is being happy. One "
    w.intro += "category goes left, the others go right: splits of CART are in two."
    w.step("In three at once", "If each of the three categories of x3 had a branch of its own.")
    size, mixed = cell_of(w, "fit.s3_n_L"), cell_of(w, "fit.s3_i_L")
    w.cell("three_way", sum_(size * mixed) / sum_(size), symbol="c_3", label="mean impurity of the three, by size")
    return w


@example("003-cart-regression-tree-cars")
def cars(e: Example) -> Working:
    with (EXAMPLES / "cars.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    X = np.array([[row["type"], row["country"]] for row in rows], dtype=object)
    y = np.array([float(row["price"]) for row in rows])
    settings = e.settings
    limits: dict[str, Any] = {"min_samples_split": settings["minsplit"], "min_samples_leaf": settings["minbucket"]}
    model = DecisionTreeRegressor(**limits, ccp_alpha=settings["cp"] * float(np.var(y))).fit(X, y)
    inner = [node for node in model.tree_.top_down() if model.tree_.n_children[node]]
    sections = [(f"node{node}", f"Node {node}", model.show_fit(X, y, node=node)) for node in inner]
    w = parts_of(*sections, ("pruning", "Pruning", model.show_pruning(X, y)))
    w.title = e.title
    w.intro = "Columns: x1 is the type of a car, x2 where it comes from; the target is its price in dollars (Consumer "
    w.intro += f"Reports, 1990). ccp_alpha is {settings['cp']} of the root's impurity."
    return w
