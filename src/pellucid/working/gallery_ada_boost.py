"""Worked examples about AdaBoost and votes: three given stumps, one round of dancing, stage values, 25 voters."""

from __future__ import annotations

import numpy as np

from pellucid import ensemble
from pellucid.ensemble import AdaBoostClassifier
from pellucid.working.entry import show
from pellucid.working.expression import Axis
from pellucid.working.gallery_base import Example, cell_of, example, parts_of
from pellucid.working.language import equal, exp, ln, mean, sum_, where
from pellucid.working.model import Working


@example("000-adaboost-stumps")
def three_stumps(e: Example) -> Working:
    X, y = np.column_stack([e.data["X1"], e.data["X2"]]), np.asarray(e.data["Y"])
    stumps = [
        {
            "feature": ["X1", "X2"].index(model_settings["feature"]),
            "threshold": model_settings["threshold"],
            "left": model_settings["LEFT"],
            "right": model_settings["RIGHT"],
        }
        for model_settings in e.settings["models"]
    ]
    model = AdaBoostClassifier(models=stumps, normalize=False).fit(X, y)
    w: Working = model.show_fit(X, y)
    w.title = e.title
    w.intro = "Three stumps are given and weighed in their order. The weights of the rows are not divided by their sum."
    w.step("Accuracy", "With the first two stumps, and with all three.")
    actual = cell_of(w, "y")
    assert actual.axis is not None
    stages = (("two", "g", "q", "B", list(model.staged_predict(X))[1]), ("all", "h", "r", "A", model.predict(X)))
    for name, symbol, correct_symbol, share, predictions in stages:
        h = w.given(
            f"said_{name}", predictions.astype(float), actual.axis, symbol=symbol, label=f"prediction with {name}"
        )
        correct = w.cell(f"right_{name}", where(equal(h, actual), 1, 0), symbol=correct_symbol, label="1: right")
        w.cell(f"accuracy_{name}", 100 * mean(correct), symbol=share, label=f"right in percent with {name}")
    _as_printed(w)
    return w


def _as_printed(w: Working) -> None:
    """Where the figures of the text come from: it multiplies by the weight once more in the exponent."""
    w.step(
        "A slip to know",
        "With w exp(a w u) in place of w exp(a u) the tenth weight becomes 0.1246, and everything after it differs.",
    )
    weight = cell_of(w, "w_1")
    for m in (1, 2):
        wrong = cell_of(w, f"wrong_{m}")
        weight_sum = w.cell(f"slip.sum_{m}", sum_(weight), symbol=f"S_{m}", label=f"sum of the weights of round {m}")
        rate = w.cell(f"slip.rate_{m}", sum_(weight * wrong) / weight_sum, symbol=f"e_{m}", label="weighted error")
        stage = w.cell(f"slip.stage_{m}", ln((1 - rate) / rate), symbol=f"a_{m}", label="stage value")
        if m == 1:
            weight = w.cell("slip.w_2", weight * exp(stage * weight * wrong), symbol="v_2", label="weight, by the slip")


@example("000-adaboost-weighted-vote")
def weighted_vote(e: Example) -> Working:
    votes, stages = e.data["prediction"], e.data["stage"]
    w = parts_of(
        ("weighted", "By stage value", show(ensemble.weighted_vote, votes, stages)),
        ("plain", "Each the same", show(ensemble.weighted_vote, votes)),
    )
    w.title = e.title
    w.intro = "Three of five say 1, but the two others count more."
    return w


@example("001-adaboost-formulas")
def formulas(e: Example) -> Working:
    w = show(ensemble.stage_value, e.settings["error_rates"], stage="half")
    w.title = e.title
    return w


@example("001-ensemble-of-25-error")
def of_25(e: Example) -> Working:
    w = show(ensemble.ensemble_error, e.settings["n_classifiers"], e.settings["error_rate"])
    w.title = e.title
    return w


@example("004-adaboost-dance")
def dance(e: Example) -> Working:
    """The stump of C3 says No on both sides; then the figures of one wrong row, which the table mixes in."""
    names = ("C1", "C2", "C3")
    X, y = np.column_stack([e.data[name] for name in names]).astype(object), np.asarray(e.data["actual"])
    stump = {"feature": 2, "categories": "No", "left": "No", "right": "No"}
    model = AdaBoostClassifier(models=[stump], stage="half").fit(X, y)
    w = parts_of(("fit", "The stump of C3", model.show_fit(X, y)))
    w.title = e.title
    w.intro = (
        "x1, x2, x3 are C1, C2, C3. The stump of C3 with the more frequent class on both sides says No everywhere and "
        "is wrong in rows 3 and 4: an error of 2 of 6."
    )
    _toys(w)
    _stumps(w, e)
    return w


def _toys(w: Working) -> None:
    w.step("Other errors", "The same formulas for 3 of 5 wrong, for 2 of 6, and for 1 of 6.")
    cases = Axis("case", ["3 of 5", "2 of 6", "1 of 6"], "k", "K")
    wrong = w.given("toy.wrong", np.array([3.0, 2.0, 1.0]), cases, symbol="m", label="wrong rows")
    rows = w.given("toy.rows", np.array([5.0, 6.0, 6.0]), cases, symbol="n", label="rows")
    error = w.cell("toy.error", wrong / rows, symbol="e", label="error")
    stage = w.cell(
        "toy.stage", ln((1 - error) / error) / 2, symbol="a", label="stage value",
        equals=ensemble.stage_value([3 / 5, 2 / 6, 1 / 6], stage="half"), attribute="stage_value(e)",
    )  # fmt: skip
    lighter = w.cell("toy.lighter", exp(-stage) / rows, symbol="v_r", label="weight of a right row, moved")
    heavier = w.cell("toy.heavier", exp(stage) / rows, symbol="v_w", label="weight of a wrong row, moved")
    weight_sum = w.cell("toy.whole", (rows - wrong) * lighter + wrong * heavier, symbol="S", label="sum")
    w.cell("toy.right", lighter / weight_sum, symbol="w_r", label="weight of a right row")
    w.cell("toy.bad", heavier / weight_sum, symbol="w_w", label="weight of a wrong row")
    w.step("Five right and one wrong, weighed as if two were", "What the printed table mixes.")
    six = w.given("mix.n", 6.0, symbol="n", label="rows")
    a = w.given("mix.stage", float(np.log(2) / 2), symbol="a", label="stage value of 2 of 6")
    low = w.cell("mix.lighter", exp(-a) / six, symbol="v_r", label="right, moved")
    high = w.cell("mix.heavier", exp(a) / six, symbol="v_w", label="wrong, moved")
    both = w.cell("mix.whole", 5 * low + high, symbol="S", label="sum")
    w.cell("mix.right", low / both, symbol="w_r", label="weight of a right row")
    w.cell("mix.bad", high / both, symbol="w_w", label="weight of the wrong row")
    w.step("Back from a stage value", "Which error a stage value of 0.622 stands for.")
    second = w.given("back.stage", 0.622, symbol="a", label="stage value")
    w.cell("back.error", 1 / (1 + exp(2 * second)), symbol="e", label="error")


def _stumps(w: Working, e: Example) -> None:
    """Each column as a stump: how mixed its two sides are."""
    w.step("Three stumps", "How mixed the two sides of each column are: their entropies, weighted by their sizes.")
    actual = np.asarray(e.data["actual"])
    groups = [(name, side) for name in ("C1", "C2", "C3") for side in ("No", "Yes")]
    sides = Axis("side", [f"{name} {side}" for name, side in groups], "g", "G")
    inside = [np.asarray(e.data[name]) == side for name, side in groups]
    size = w.given("side.rows", np.array([float(mask.sum()) for mask in inside]), sides, symbol="n", label="rows")
    yes = w.given("side.yes", np.array([float((mask & (actual == "Yes")).sum()) for mask in inside]), sides, symbol="m",
                  label="of them Yes")  # fmt: skip
    share = w.cell("side.share", yes / size, symbol="p", label="share of Yes")
    safe = w.cell("side.safe", where(equal(yes, 0), 0.5, share), symbol="q", label="share, or 1/2 where there is none")
    bits = -(safe * ln(safe) + (1 - safe) * ln(1 - safe)) / ln(2)
    entropy = w.cell("side.entropy", where(equal(yes, 0), 0, bits), symbol="H", label="entropy")
    for name in ("C1", "C2", "C3"):
        indicator = w.given(
            f"{name}.side",
            np.array([float(column_name == name) for column_name, _ in groups]),
            sides,
            symbol=f"u_{name}",
            label=f"1: of {name}",
        )
        w.cell(f"{name}.entropy", sum_(indicator * size * entropy) / sum_(indicator * size), symbol=f"H_{name}",
               label=f"entropy of {name}")  # fmt: skip
