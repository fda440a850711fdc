"""Thresholds, calibration and alerts: how the predictions of a classifier are decided, and what the page says of it."""

from __future__ import annotations

import json
import re
import runpy
import zipfile
from contextlib import chdir
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from sklearn import metrics as theirs

import pellucid
from pellucid.base.errors import ParameterError
from pellucid.calibration._pairs import Scores
from pellucid.report.alerts import alerts_of
from pellucid.report.calibration import choose_calibration, unreliable_by
from pellucid.report.decision_words import threshold_lines
from pellucid.report.decisions import decide
from pellucid.report.folder import write
from pellucid.report.holdout import _bounds, reliability_of
from pellucid.report.out_of_fold import OutOfFold
from pellucid.report.outcome import Calibration, Decisions, HoldoutResult, StudyResult, Task, ThresholdChoice
from pellucid.report.page_decisions import decisions as decision_section
from pellucid.report.study import run_study
from pellucid.report.task import MEASURES
from pellucid.report.thresholds import DecisionOptions, Rule, check_options, read_rule, threshold_of

LOANS = Task("two classes", "", "loan", ("bad", "good"), "bad", MEASURES["roc_auc"], "it is the rarer one")


def out_of_fold(log_odds: Any, y: Any, folds: int = 5) -> OutOfFold:
    """Out-of-fold rows with these log odds of the class "bad"."""
    p = expit(np.asarray(log_odds))
    table = np.column_stack([p, 1 - p])
    predicted = np.where(p >= 0.5, "bad", "good")
    scores = Scores(-np.asarray(log_odds)[:, None], np.array(["bad", "good"]), False)
    return OutOfFold(np.arange(len(p)) % folds, np.asarray(y), predicted, scores, table)


def drawn(n: int, shift: float, seed: int = 0) -> tuple[Any, Any]:
    """Log odds that are right, and classes drawn by them."""
    random = np.random.default_rng(seed)
    log_odds = random.normal(shift, 1.2, n)
    return log_odds, np.where(random.random(n) < expit(log_odds), "bad", "good")


# ------------------------------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (DecisionOptions(), Rule("default")),
        (DecisionOptions("f1"), Rule("f1")),
        (DecisionOptions("precision=0.9"), Rule("precision", 0.9)),
        (DecisionOptions("Recall = 0.8"), Rule("recall", 0.8)),
        (DecisionOptions("0.35"), Rule("fixed", 0.35)),
        (DecisionOptions(cost_fn=5), Rule("cost")),
        (DecisionOptions("youden", cost_fn=5), Rule("youden")),
    ],
)
def test_rules_are_read(options: DecisionOptions, rule: Rule) -> None:
    assert read_rule(options) == rule


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (DecisionOptions("best"), "--threshold must be f1, cost, youden, precision=SHARE"),
        (DecisionOptions("precision=2"), "--threshold must be"),
        (DecisionOptions("1.5"), "--threshold must be"),
        (DecisionOptions("cost"), "--threshold cost needs --cost-fp or --cost-fn"),
        (DecisionOptions(cost_fp=-1), "--cost-fp must be a number above 0"),
    ],
)
def test_rules_that_cannot_be_read(options: DecisionOptions, words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)):
        read_rule(options)


@pytest.mark.parametrize("options", [DecisionOptions("f1"), DecisionOptions(cost_fn=3), DecisionOptions(positive="a")])
def test_a_threshold_needs_two_classes(options: DecisionOptions) -> None:
    with pytest.raises(ParameterError, match="need a target of two classes"):
        check_options(Task("several classes", "", "kind"), options)


def test_each_threshold_is_the_best_by_its_rule() -> None:
    """Against trying every probability."""
    log_odds, y = drawn(300, -1.5)
    p, positive = expit(log_odds), y == "bad"
    cuts = np.unique(p)
    flagged = [p >= cut for cut in cuts]
    costs = DecisionOptions(cost_fp=1, cost_fn=4).costs

    def value(rule: Rule, score: Any) -> float:
        threshold, _ = threshold_of(rule, positive, p, costs)
        assert threshold is not None
        return float(score(p >= threshold))

    f1 = lambda rows: theirs.f1_score(positive, rows)  # noqa: E731
    youden = lambda rows: theirs.balanced_accuracy_score(positive, rows)  # noqa: E731
    cost = lambda rows: -((rows & ~positive).sum() + 4 * (~rows & positive).sum())  # noqa: E731
    assert value(Rule("f1"), f1) == pytest.approx(max(map(f1, flagged)))
    assert value(Rule("youden"), youden) == pytest.approx(max(map(youden, flagged)))
    assert value(Rule("cost"), cost) == pytest.approx(max(map(cost, flagged)))
    recall = lambda rows: theirs.recall_score(positive, rows)  # noqa: E731
    precision = lambda rows: theirs.precision_score(positive, rows, zero_division=0)  # noqa: E731
    able = [recall(rows) for rows in flagged if precision(rows) >= 0.6]
    assert value(Rule("precision", 0.6), recall) == pytest.approx(max(able))
    able = [precision(rows) for rows in flagged if recall(rows) >= 0.9]
    assert value(Rule("recall", 0.9), precision) == pytest.approx(max(able))


def test_a_precision_that_no_threshold_reaches_leaves_the_default() -> None:
    log_odds, y = drawn(400, -3.0)
    decisions = decide(LOANS, out_of_fold(0.1 * log_odds - 2.5, y), DecisionOptions("precision=0.99"))
    assert decisions.threshold == 0.5
    assert "no threshold that flags 10 out-of-fold rows or more reaches it" in decisions.reason
    assert [choice.rule for choice in decisions.choices if choice.used] == ["the more probable class (0.5)"]


# ------------------------------------------------------------------------------------------------------ the default


def test_a_threshold_that_calls_nearly_every_row_positive_is_not_taken_by_default() -> None:
    """A quarter of the rows, which the probabilities hardly tell apart: the highest F1 is that of calling all bad."""
    random = np.random.default_rng(0)
    x = random.normal(0, 1, 20_000)
    log_odds = -1.1 + 0.06 * x
    y = np.where(random.random(len(x)) < expit(log_odds), "bad", "good")
    decisions = decide(LOANS, out_of_fold(log_odds, y), DecisionOptions())
    assert decisions.threshold == 0.5
    assert not decisions.moved
    assert "no threshold has an F1 clearly above that of always predicting bad" in decisions.reason
    asked = decide(LOANS, out_of_fold(log_odds, y), DecisionOptions("f1"))
    assert asked.threshold < 0.3


def test_the_default_is_one_half_where_that_finds_the_positive_class() -> None:
    decisions = decide(LOANS, out_of_fold(*drawn(600, -0.5)), DecisionOptions())
    assert (decisions.threshold, decisions.moved) == (0.5, False)


def test_the_default_moves_where_one_half_finds_hardly_any_row() -> None:
    log_odds, y = drawn(1500, -3.0)
    decisions = decide(LOANS, out_of_fold(log_odds, y), DecisionOptions())
    assert decisions.moved
    assert 0 < decisions.threshold < 0.5
    assert "at 0.5 the model finds only" in decisions.reason
    none = decide(LOANS, out_of_fold(np.minimum(log_odds, -0.01), y), DecisionOptions())
    assert f"at 0.5 the model finds none of the {(y == 'bad').sum()} out-of-fold rows of bad" in none.reason
    asked = decide(LOANS, out_of_fold(log_odds, y), DecisionOptions("0.5"))
    assert (asked.threshold, asked.moved) == (0.5, False)


@pytest.mark.parametrize("measure", ["roc_auc", "accuracy"])
def test_the_default_stays_where_nothing_was_learned_or_accuracy_was_asked_for(measure: str) -> None:
    log_odds, y = drawn(1500, -3.0)
    if measure == "roc_auc":
        log_odds = np.random.default_rng(5).permutation(log_odds)
    decisions = decide(replace(LOANS, measure=MEASURES[measure]), out_of_fold(log_odds, y), DecisionOptions())
    assert (decisions.threshold, decisions.moved) == (0.5, False)


# ------------------------------------------------------------------------------------------------------ calibration


def test_probabilities_that_are_right_are_left_alone() -> None:
    for seed in range(5):
        found, _ = choose_calibration(LOANS, out_of_fold(*drawn(800, -0.5, seed)))
        assert found.method == "none", seed


def test_overconfident_probabilities_are_calibrated() -> None:
    log_odds, y = drawn(800, -0.5)
    found, after = choose_calibration(LOANS, out_of_fold(4 * log_odds, y))
    assert found.method in ("sigmoid", "temperature")
    assert found.after < found.before
    assert found.after == pytest.approx(theirs.log_loss(y == "bad", expit(log_odds)), rel=0.05)
    assert after is not None
    np.testing.assert_allclose(after.sum(axis=1), 1)


def test_a_model_without_probabilities_gets_them() -> None:
    log_odds, y = drawn(500, -0.5)
    found, after = choose_calibration(LOANS, replace(out_of_fold(2 * log_odds, y), probability=None))
    assert found.method == "sigmoid"
    assert np.isnan(found.before)
    assert after is not None


def test_no_temperature_is_fitted_to_rows_that_are_all_predicted_right() -> None:
    """The best one would make every prediction certain."""
    random = np.random.default_rng(0)
    y = np.where(random.random(600) < 0.4, "bad", "good")
    log_odds = np.where(y == "bad", 1, -1) * random.uniform(0.2, 9, 600)
    found, _ = choose_calibration(LOANS, out_of_fold(log_odds, y))
    assert found.method == "sigmoid"
    wrong = np.where(np.arange(600) < 6, -np.sign(log_odds) * 0.1, log_odds)
    some, _ = choose_calibration(LOANS, out_of_fold(0.2 * wrong, y))
    assert some.method == "temperature"
    sure, _ = choose_calibration(LOANS, out_of_fold(3 * log_odds + 4 * np.sign(log_odds), y))
    assert sure.method == "none"
    assert sure.reason == "a sigmoid does not make the out-of-fold probabilities better by more than noise"


def test_too_few_rows_of_a_class_are_not_calibrated() -> None:
    log_odds, y = drawn(60, -3.0)
    found, _ = choose_calibration(LOANS, out_of_fold(8 * log_odds, y))
    assert found.method == "none"
    assert "too few rows" in found.reason


def test_reliability_is_judged_by_noise() -> None:
    log_odds, y = drawn(1000, -0.5)
    positive = y == "bad"
    assert unreliable_by(reliability_of(positive, expit(log_odds))) is None
    distance = unreliable_by(reliability_of(positive, expit(5 * log_odds)))
    assert distance is not None
    assert distance > 0.05


# ----------------------------------------------------------------------------------------------------------- alerts


def alerts(task: Task, confusion: list[list[int]], decisions: Decisions | None = None) -> str:
    counts = np.array(confusion)
    held = HoldoutResult(int(counts.sum()), (), confusion=counts)
    outcome: Any = StudyResult.__new__(StudyResult)
    for name, value in {"task": task, "held": held, "decisions": decisions}.items():
        object.__setattr__(outcome, name, value)
    return " ".join(alerts_of(outcome))


def test_eight_of_103_bad_loans_at_an_accuracy_below_the_baseline() -> None:
    said = alerts(LOANS, [[8, 95], [12, 390]])
    assert "Only 8 of 103 held-out rows of bad are caught" in said
    assert "78.8 % of all predictions are right, while always predicting good would be right for 79.6 %" in said


def test_no_caught_row_is_none() -> None:
    said = alerts(LOANS, [[0, 103], [12, 390]])
    assert "None of the 103 held-out rows of bad is caught" in said
    assert "Only 0" not in said


def test_who_names_costs_is_told_of_costs_and_not_of_accuracy() -> None:
    """Many false alarms for few bad loans may be worth it; the same for less than no alarm at all is not."""

    def said(caught: int, false_alarms: int, cost_fn: float) -> str:
        cost = (103 - caught) * cost_fn + false_alarms
        used = ThresholdChoice("least cost", 0.1, cost=cost, used=True)
        decisions = Decisions(
            Calibration("none", (), "", 0.0, 0.0), positive="bad", choices=(used,), cost_fp=1.0, cost_fn=cost_fn
        )
        return alerts(LOANS, [[caught, 103 - caught], [false_alarms, 402 - false_alarms]], decisions)

    assert said(90, 250, 10.0) == ""
    too_dear = said(8, 95, 10.0)
    assert "the mistakes cost 1,045; always predicting bad would cost 402" in too_dear
    assert "predictions are right" not in too_dear
    assert "the mistakes cost 245; always predicting good would cost 103" in said(20, 162, 1.0)


def test_a_class_that_is_never_predicted() -> None:
    assert "1 class is never predicted on the held-out rows: bad (103 of 505 rows)" in alerts(
        LOANS, [[0, 103], [0, 402]]
    )
    three = Task("several classes", "", "kind", ("a", "b", "c"))
    said = alerts(three, [[50, 5, 0], [4, 40, 0], [7, 3, 0]])
    nests = Task("several classes", "", "nests", (0, 1, 2))
    assert "1 class is never predicted on the held-out rows: nests = 2 (3 of 63" in alerts(
        nests, [[40, 5, 0], [5, 10, 0], [3, 0, 0]]
    )
    assert "1 class is never predicted on the held-out rows: c (10 of 109 rows)" in said
    assert "Seldom recognized on the held-out rows: c (1 of 20 rows)" in alerts(
        three, [[50, 5, 0], [4, 40, 0], [12, 7, 1]]
    )


def test_a_class_without_held_out_rows() -> None:
    trees = Task("several classes", "", "tree", ("elm", "fir", "oak"))
    warned = alerts(trees, [[15, 0, 1], [0, 0, 0], [0, 0, 14]])
    assert "1 class has no held-out row, so the scores say nothing about fir." in warned
    assert "never predicted" not in warned
    actual = np.array(["elm"] * 16 + ["oak"] * 14)
    answers: Any = SimpleNamespace(predicted=actual)
    bounds = _bounds("balanced_accuracy", trees, answers, actual, 1.0, 30)
    assert bounds is not None
    assert bounds[0] < 0.9  # of 30 rows


def test_a_share_of_rows_that_are_all_right_has_an_interval() -> None:
    grades = Task("several classes", "", "grade", ("A", "B", "C"))
    actual = np.repeat(["A", "B", "C"], 10)
    answers: Any = SimpleNamespace(predicted=actual)
    for name in ("accuracy", "within_one_level"):
        bounds = _bounds(name, grades, answers, actual, 1.0, 30)
        assert bounds is not None
        assert 0.85 < bounds[0] < 0.9


def test_a_rare_class_widens_the_interval_of_the_mean_recall_by_its_share_only() -> None:
    trees = Task("several classes", "", "tree", ("elm", "fir", "oak"))
    actual = np.repeat(["elm", "fir", "oak"], [500, 500, 2])
    answers: Any = SimpleNamespace(predicted=np.repeat(["elm", "oak", "fir", "elm"], [500, 100, 400, 2]))
    bounds = _bounds("balanced_accuracy", trees, answers, actual, 0.6, 1002)
    assert bounds is not None
    low, high = bounds
    assert 0.58 < low < 0.6  # the recalls of 1 and 0.8 alone give at least (0.99 + 0.76) / 3
    assert 0.7 < high < 0.85  # the recall of two rows, both wrong, is hardly known


def test_good_predictions_raise_no_alert() -> None:
    assert alerts(LOANS, [[80, 23], [20, 382]]) == ""
    assert alerts(Task("several classes", "", "kind", ("a", "b")), [[50, 5], [4, 40]]) == ""


# ------------------------------------------------------------------------------------------------------- end to end


def machines(n: int = 900) -> pl.DataFrame:
    """One of fifteen machines fails; its vibration says so, but never for sure."""
    random = np.random.default_rng(11)
    vibration, age = random.normal(0, 1, n).round(3), random.uniform(0, 9, n).round(2)
    fails = random.random(n) < expit(-3.4 + 1.3 * vibration)
    hall = random.choice(["north", "south"], n)
    return pl.DataFrame(
        {"vibration": vibration, "age": age, "hall": hall, "state": np.where(fails, "failed", "running")}
    )


@cache
def reported(folder: str, threshold: str | None = None, cost_fn: float | None = None) -> StudyResult:
    path = Path(folder) / "machines.csv"
    machines().write_csv(path)
    decision = DecisionOptions(threshold, cost_fn=cost_fn)
    return run_study(str(path), "state", minutes=0.03, decision=decision)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("machines"))


def test_a_rare_class_moves_the_threshold_and_everything_says_so(folder: str, tmp_path: Path) -> None:
    outcome = reported(folder)
    decisions = outcome.decisions
    assert decisions is not None
    assert outcome.task.positive == "failed"
    assert decisions.moved
    assert any("if its probability is at least" in line and "not 0.5" in line for line in outcome.warnings)
    page = write(outcome, tmp_path).read_text(encoding="utf-8")
    assert "How predictions are decided" in page
    figures = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert figures["decisions"]["threshold"] == decisions.threshold
    model = pellucid.load(tmp_path / "model.pellucid")
    rows = machines().drop("state")
    p = model.predict_proba(rows)[:, list(model.classes_).index("failed")]
    np.testing.assert_array_equal(model.predict(rows) == "failed", p >= decisions.threshold)
    assert f"{decisions.threshold:.4g}" in str(pellucid.storage.read_card(tmp_path / "model.pellucid").notes)


def test_the_table_counts_held_out_rows(folder: str) -> None:
    outcome = reported(folder, cost_fn=10.0)
    held, decisions = outcome.held, outcome.decisions
    assert held is not None
    assert held.confusion is not None
    assert decisions is not None
    used = next(choice for choice in decisions.choices if choice.used)
    assert used.rule == "least cost"
    k = list(outcome.task.classes).index("failed")
    (caught, missed), false_alarms = held.confusion[k][[k, 1 - k]].tolist(), int(held.confusion[1 - k, k])
    assert (used.caught, used.missed, used.false_alarms) == (caught, missed, false_alarms)
    assert threshold_lines(outcome)[-1] == "A false alarm costs 1, a missed row 10."
    assert threshold_lines(outcome)[-1] in decision_section(outcome)
    assert "intervals of the observed shares." in decision_section(outcome)
    grouped = replace(outcome, held=replace(held, unit="group"))
    assert "of the observed shares, as if rows were independent." in decision_section(grouped)
    assert "A threshold that the rule leaves open was chosen on" in decision_section(outcome)
    assert used.flagged == caught + false_alarms
    assert used.cost == false_alarms + 10 * missed
    assert used.threshold is not None
    assert used.threshold < 0.5
    for choice in decisions.choices:
        if choice.threshold is not None:
            assert choice.caught + choice.missed == caught + missed


@pytest.mark.parametrize("threshold", [None, "recall=0.9"])
def test_the_program_makes_the_same_decisions(threshold: str | None, folder: str, tmp_path: Path) -> None:
    write(reported(folder, threshold), tmp_path)
    with chdir(tmp_path):
        runpy.run_path("reproduce.py", run_name="__main__")
    mine, again = ((tmp_path / name) for name in ("model.pellucid", "model-again.pellucid"))
    with zipfile.ZipFile(mine) as one, zipfile.ZipFile(again) as other:
        names = [name for name in one.namelist() if "model" in name or "array" in name]
        assert all(one.read(name) == other.read(name) for name in names)


def test_the_working_of_a_case_ends_with_the_decision(folder: str) -> None:
    explanation = reported(folder).explanation
    assert explanation is not None
    said = str(explanation.cases[0].working)
    assert "Threshold" in said
    for case in explanation.cases:
        assert case.probability is not None
        assert 0 <= case.probability <= 1


def test_a_rule_that_cannot_be_followed_is_said() -> None:
    log_odds, y = drawn(400, -3.0)
    held = out_of_fold(0.1 * log_odds - 2.5, y)
    decisions = decide(LOANS, held, DecisionOptions("precision=0.99"))
    assert not decisions.rule_followed
    one_class = decide(LOANS, replace(held, y=np.full(len(y), "good")), DecisionOptions("f1"))
    assert one_class.choices == ()
    assert not one_class.rule_followed
    assert decide(LOANS, replace(held, y=np.full(len(y), "good")), DecisionOptions()).rule_followed


def test_a_threshold_without_a_target_is_refused() -> None:
    with pytest.raises(ParameterError, match="need a target of two classes"):
        run_study(machines(100), minutes=0.03, decision=DecisionOptions("f1"))


def test_the_model_of_two_classes_gives_probabilities() -> None:
    """Whichever wins on rings: the kernel machine, which has none of its own, is calibrated."""
    random = np.random.default_rng(15)
    x = random.normal(0, 1, (400, 2)).round(3)
    zone = np.where((x**2).sum(axis=1) + random.normal(0, 0.4, 400) > 2.4, "outer", "inner")
    outcome = run_study(pl.DataFrame({"x": x[:, 0], "y": x[:, 1], "zone": zone}), "zone", minutes=0.05)
    model = outcome.model
    assert hasattr(model, "predict_proba")
    p = model.predict_proba(outcome.table.head(50))
    np.testing.assert_allclose(p.sum(axis=1), 1)
