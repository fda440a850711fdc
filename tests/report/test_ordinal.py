"""Ordinal targets: which are recognized, and that they are compared and shown as such."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier

from pellucid.metrics import ranked_probability_score
from pellucid.quality import profile
from pellucid.report.folder import write
from pellucid.report.ordinal import OrderEvidence, order_in_rows, ordered_task
from pellucid.report.outcome import Task
from pellucid.report.scoring import OrdinalScorer
from pellucid.report.study import run_study
from pellucid.report.task import find_task, with_classes


def graded(levels: list[Any], n: int = 600, seed: int = 0) -> pl.DataFrame:
    """Columns that rise with the level of "y"."""
    random = np.random.default_rng(seed)
    x = random.normal(0, 1, (n, 3)).round(3)
    score = x[:, 0] - 0.6 * x[:, 1] + random.normal(0, 0.5, n)
    place = np.searchsorted(np.quantile(score, np.linspace(0, 1, len(levels) + 1)[1:-1]), score)
    return pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": [levels[k] for k in place]})


def named(n_classes: int, first: int, n: int = 600, seed: int = 0) -> pl.DataFrame:
    """Numbers that are names of clusters: each has a place of its own, and neighbors in number are no neighbors."""
    random = np.random.default_rng(seed)
    centers = random.normal(0, 2, (n_classes, 3))
    code = random.integers(0, n_classes, n)
    x = (centers[code] + random.normal(0, 1, (n, 3))).round(3)
    return pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": code + first})


def task_of(table: pl.DataFrame, target: str = "y", measure: str | None = None) -> Task:
    described = profile(table, associations=False)
    found = find_task(described, target, None, measure)
    y = table[target].to_numpy()
    task = with_classes(found, y)
    evidence = OrderEvidence(table, ["a", "b", "c"], y, np.arange(len(y)))
    return ordered_task(task, described, evidence, measure) if task.kind == "several classes" else task


@pytest.mark.parametrize(
    ("levels", "name"),
    [
        (["I", "II", "III", "IV"], "stadium"),
        (["low", "medium", "high"], "risk"),
        (["strongly disagree", "disagree", "neutral", "agree", "strongly agree"], "reply"),
        ([3, 4, 5, 6, 7, 8], "quality"),
        ([1, 2, 3, 4, 5], "stars"),
        (["18-24", "25-34", "35-49", "50+"], "age band"),
    ],
)
def test_scales_are_recognized_by_their_values(levels: list[Any], name: str) -> None:
    task = task_of(graded(levels).rename({"y": name}), name)
    assert task.ordered
    assert list(task.levels) == levels
    assert "ordinal scale" in task.why
    assert task.measure is not None
    assert task.measure.scoring == "neg_ranked_probability_score"
    asked = task_of(graded(levels).rename({"y": name}), name, "accuracy")
    assert asked.ordered
    assert asked.measure is not None
    assert asked.measure.scoring == "accuracy"


@pytest.mark.parametrize("seed", range(4))
def test_an_order_shows_in_the_rows(seed: int) -> None:
    task = task_of(graded([0, 1, 2, 3, 4, 5], seed=seed))
    assert task.ordered
    assert task.levels == (0, 1, 2, 3, 4, 5)
    assert "straight line" in task.why


@pytest.mark.parametrize("n_classes", [3, 4, 6, 10])
def test_numbers_that_are_names_have_no_order(n_classes: int) -> None:
    mistaken = sum(task_of(named(n_classes, 1, seed=seed)).ordered for seed in range(10))
    assert mistaken == 0


def test_neither_have_words_nor_noise() -> None:
    assert not task_of(graded(["oak", "ash", "elm", "yew"])).ordered
    random = np.random.default_rng(0)
    noise = graded([0, 1, 2, 3, 4]).with_columns(y=pl.Series(random.integers(0, 5, 600)))
    assert not task_of(noise).ordered
    task = with_classes(Task("several classes", "", "y"), noise["y"].to_numpy())
    assert order_in_rows(task, OrderEvidence(noise, [], noise["y"].to_numpy(), np.arange(600))) == ""


def test_the_score_follows_the_order_of_the_levels_not_of_the_alphabet() -> None:
    y = np.array(["low", "medium", "high", "high", "low"])
    X = np.zeros((5, 1))
    model = DummyClassifier(strategy="prior").fit(X, y)  # high .4, low .4, medium .2
    score = OrdinalScorer(["low", "medium", "high"])(model, X, y)
    assert score == pytest.approx(-ranked_probability_score([0, 1, 2, 2, 0], np.tile([0.4, 0.2, 0.4], (5, 1))))
    fewer = DummyClassifier(strategy="prior").fit(X[:2], y[:2])  # a fold without the highest level
    assert np.isfinite(OrdinalScorer(["low", "medium", "high"])(fewer, X, y))


def test_a_report_scores_and_shows_levels_in_their_order(tmp_path: Any) -> None:
    levels = ["low", "medium", "high"]
    outcome = run_study(graded(levels, 300).rename({"y": "risk"}), "risk", minutes=0.03)
    assert outcome.task.ordered
    assert outcome.held is not None
    words = [figure.word for figure in outcome.held.figures]
    assert words[:4] == [
        "ranked probability score", "mean error in levels", "quadratic weighted kappa", "within one level",
    ]  # fmt: skip
    assert "log loss" in words
    page = write(outcome, tmp_path).read_text(encoding="utf-8")
    assert "several classes in an order" in page
    table = page[page.index("The classes one by one") :]
    assert table.index(">low<") < table.index(">medium<") < table.index(">high<")
    number = run_study(graded([1, 2, 3, 4, 5], 200).rename({"y": "stars"}), "stars", task="number", minutes=0.03)
    assert number.task.kind == "number"
