"""Which model is taken: never one that predicts one class only, and a simpler one only where that is no worse."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.report.choice import choose
from pellucid.report.outcome import Candidate, ModelComparison
from pellucid.report.study import run_study


def race(*candidates: Candidate) -> ModelComparison:
    return ModelComparison(candidates, 100, 5, "")


def model(name: str, verdict: str, **facts: Any) -> Candidate:
    return Candidate(name, name, "", (0.5, 0.6), 0.55, 0.05, verdict=verdict, **facts)


BASE = model("baseline", "worse", n_predicted=1)
CASES = {
    "the best": ((model("forest", "best", n_predicted=2), BASE), 2, "forest", ""),
    "simpler and equal": (
        (model("forest", "best"), model("linear", "practically equal"), BASE), 0, "linear",
        "practically equal to the forest, and simpler",
    ),
    "simpler, not known to be equal": (
        (model("forest", "best"), model("linear", "not shown to differ"), BASE), 0, "forest", "",
    ),
    "stacking": (
        (model("stacking", "best"), model("forest", "not shown to differ"), BASE), 0, "forest", "combines several",
    ),
    "stacking is better": ((model("stacking", "best"), model("forest", "worse"), BASE), 0, "stacking", ""),
    "one class, no probabilities": (
        (model("kernel", "best", probabilities=False, n_predicted=1),
         model("forest", "not shown to differ", n_predicted=2), BASE),
        2, "forest",
        "predicts only one of the 2 classes in cross-validation. The forest is chosen: it is not shown to be worse, "
        "and predicts 2 of them there",
    ),
    "one class, and others are worse": (
        (model("kernel", "best", probabilities=False, n_predicted=1), model("forest", "worse", n_predicted=2), BASE),
        2, "forest", "shown to be worse",
    ),
    "one class with probabilities: the threshold is chosen later": (
        (model("linear", "best", n_predicted=1), model("neighbors", "not shown to differ", n_predicted=2), BASE),
        2, "linear", "",
    ),
    "more of several classes": (
        (model("linear", "best", n_predicted=2), model("forest", "practically equal", n_predicted=4), BASE),
        4, "forest", "predicts more of the classes",
    ),
    "a little more of several classes, not known to be equal": (
        (model("linear", "best", n_predicted=3), model("forest", "not shown to differ", n_predicted=4), BASE),
        8, "linear", "",
    ),
    "slow, and the baseline is not shown to be worse": (
        (model("kernel", "best"), model("network", "not shown to differ"), model("linear", "not shown to differ"),
         model("baseline", "not shown to differ", n_predicted=1)),
        0, "network", "and predicts without comparing each row",
    ),
    "slow, and better than the baseline": (
        (model("kernel", "best"), model("linear", "not shown to differ"), BASE), 0, "kernel", "",
    ),
    "the baseline": ((model("baseline", "best"), model("linear", "practically equal")), 0, "baseline", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_choice(name: str) -> None:
    candidates, n_classes, wanted, words = CASES[name]
    chosen, reason = choose(race(*candidates), n_classes)
    assert chosen == wanted
    assert words in reason
    assert bool(reason) == (chosen != candidates[0].name)


def test_a_rare_class_is_not_given_up() -> None:
    """Three percent of the rows: a machine that says "No" to all of them is not taken, though others are no better."""
    random = np.random.default_rng(3)
    x = random.normal(size=(600, 4))
    fails = random.random(600) < 1 / (1 + np.exp(-(1.5 * x[:, 0] - 4.2)))
    table = pl.DataFrame({f"m{j}": x[:, j].round(3) for j in range(4)} | {"failure": np.where(fails, "Yes", "No")})
    outcome = run_study(table, "failure", minutes=0.05, measure="balanced_accuracy")
    assert outcome.race is not None
    assert outcome.race.of(outcome.winner).probabilities
