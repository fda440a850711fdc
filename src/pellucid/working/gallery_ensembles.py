"""Worked examples about ensembles: a vote, three stumps written down by hand, and what a sample leaves out."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from pellucid import stats
from pellucid.base.types import Array
from pellucid.ensemble import BaggingClassifier
from pellucid.ensemble._samples import left_out
from pellucid.models.tree.cart import drawn_columns
from pellucid.working.expression import Axis, expr
from pellucid.working.gallery_base import Example, example
from pellucid.working.language import equal, exp, rounded, sqrt, sum_, where
from pellucid.working.model import Working


def constant_models(votes: list[str]) -> list[Callable[[Any], Array]]:
    """Models of which each says one thing of every row."""

    def always(label: str) -> Callable[[Any], Array]:
        return lambda X: np.full(len(X), label)

    return [always(label) for label in votes]


def stumps(models: list[dict[str, Any]], names: tuple[str, ...] = ("X1", "X2")) -> list[Callable[[Any], Array]]:
    """Stumps as an example lists them: a column, a threshold, and what is said on either side."""

    def stump(stump_settings: dict[str, Any]) -> Callable[[Any], Array]:
        column = names.index(stump_settings["feature"])
        return lambda X: np.where(
            X[:, column] <= stump_settings["threshold"], stump_settings["LEFT"], stump_settings["RIGHT"]
        )

    return [stump(stump_settings) for stump_settings in models]


@example("000-bagging-vote")
def vote(e: Example) -> Working:
    votes = e.data["votes"]
    X, y = np.zeros((len(votes), 1)), np.array(votes)
    model = BaggingClassifier(models=constant_models(votes)).fit(X, y)
    w: Working = model.show_predict(X, rows=[0])
    w.intro = "Five trees have been asked about one row; each has one vote."
    return w


@example("000-bagged-decision-stumps")
def three_stumps(e: Example) -> Working:
    X = np.column_stack([e.data["X1"], e.data["X2"]])
    y = np.array(e.data["Y"])
    model = BaggingClassifier(models=stumps(e.settings["models"])).fit(X, y)
    w = Working("Three stumps and their vote", "Each stump asks one question about one column; the majority decides.")
    rows = Axis("row", range(1, len(y) + 1))
    w.step("Data", "Ten rows of two classes.")
    x = {name: w.given(name, X[:, j], rows, symbol=f"x_{j + 1}", label=name) for j, name in enumerate(("X1", "X2"))}
    c = w.given("y", y.astype(float), rows, symbol="y", label="class")
    predictions = []
    for t, stump_settings in enumerate(e.settings["models"], start=1):
        name, cut = stump_settings["feature"], float(stump_settings["threshold"])
        w.step(f"Stump {t}", f"Rows with {name} of at most {cut:g} go left.", turn=t)
        k = w.given(f"threshold{t}", cut, symbol=f"t_{t}", label="threshold")
        side = w.cell(f"group{t}", where(x[name] <= k, "LEFT", "RIGHT"), symbol=f"g_{t}", label="group")
        expected = np.asarray(model.estimators_[t - 1].predict(X), dtype=float)
        left_value, right_value = float(stump_settings["LEFT"]), float(stump_settings["RIGHT"])
        p = w.cell(
            f"p{t}",
            where(equal(side, "LEFT"), left_value, right_value),
            symbol=f"p_{t}",
            label="says",
            equals=expected,
            attribute=f"estimators_[{t - 1}].predict(X)",
        )
        wrong = w.cell(f"error{t}", where(equal(p, c), 0, 1), symbol=f"e_{t}", label="1 if wrong")
        w.cell(f"accuracy{t}", 100 * (1 - sum_(wrong) / len(y)), symbol=f"a_{t}", label="percent right")
        predictions.append(p)
    w.step("Vote", "Of three votes two decide.")
    v = w.cell(
        "votes",
        predictions[0] + predictions[1] + predictions[2],
        symbol="V",
        label="votes for class 1",
        equals=model.votes(X)[:, 1],
        attribute="votes(X)",
    )
    f = w.cell("prediction", where(v >= 2, 1, 0), symbol=r"\hat{y}", label="class", equals=model.predict(X),
               attribute="predict(X)")  # fmt: skip
    wrong = w.cell("error", where(equal(f, c), 0, 1), symbol="e", label="1 if wrong")
    w.cell("accuracy", 100 * (1 - sum_(wrong) / len(y)), symbol="a", label="percent right")
    return w


@example("004-bootstrap-oob-fractions")
def left_out_shares(e: Example) -> Working:
    rows: list[str] = e.data["rows"]
    four, eight = e.settings["n_features_examples"]
    sample = np.array([rows.index(row) for row in e.data["bag"]])
    w = Working(
        "What a sample leaves out", "How much of a table a sample holds, and how many columns a split looks at."
    )
    w.step("A sample", "Which rows are in the bag; the others are out of it.")
    axis = Axis("row", rows)
    number = w.given("row", np.arange(1.0, len(rows) + 1), axis, symbol="i", label="row")
    draws = Axis("draw", range(1, len(sample) + 1), "d", "m")
    sampled_rows = w.given("drawn", sample + 1.0, draws, symbol="s", label="row drawn")
    times = w.cell("times", sum_(where(equal(sampled_rows, number), 1, 0), draws), symbol="c", label="times drawn")
    outside = np.isin(np.arange(len(rows)), left_out(sample, len(rows))).astype(float)
    w.cell("out", where(equal(times, 0), 1, 0), symbol="o", label="1 if out of the bag", equals=outside,
           attribute="rows left out")  # fmt: skip
    w.step("Expected share", "Of n draws from n rows, each misses a row with probability 1 − 1/n.")
    n = w.given("n", float(len(rows)), symbol="n", label="rows, and draws")
    w.cell("inside", 1 - (1 - 1 / n) ** n, symbol="P", label="a row is drawn at least once",
           equals=stats.inclusion_probability(len(rows)), attribute="inclusion_probability(n)")  # fmt: skip
    limit = w.cell("limit", 1 - exp(expr(-1)), symbol=r"P_{∞}", label="with many rows",
                   equals=stats.inclusion_probability(inf), attribute="inclusion_probability(inf)")  # fmt: skip
    w.cell("outside", 1 - limit, symbol="Q", label="out of the bag")
    w.step("Columns of a split", "The root of their number, rounded to the nearest.")
    sizes = Axis("table", ["first", "second"], "k", "K")
    p = w.given("p", np.array([float(four), float(eight)]), sizes, symbol="p", label="columns")
    expected = [float(drawn_columns("sqrt", size, rounding="nearest")) for size in (four, eight)]
    w.cell(
        "looked_at",
        rounded(sqrt(p), 0),
        symbol="k",
        label="columns that a split looks at",
        equals=np.array(expected),
        attribute="columns of a split",
    )
    w.note("Many libraries round the root down, and look at 2 of 8 columns.")
    return w
