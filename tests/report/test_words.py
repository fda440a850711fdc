"""What the summary and the warnings say of each diagnosis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from pellucid.model_selection import HeldOutEvidence
from pellucid.report.alerts import _too_narrow, alerts_of
from pellucid.report.narrative import headline_of, summary_of, warnings_of
from pellucid.report.outcome import Coverage, MetricValue, Structure
from pellucid.report.page import page
from pellucid.report.page_explained import explained
from pellucid.report.page_models import _diagnosis, comparison, winner
from pellucid.report.resampling import share_bounds
from pellucid.report.study import run_study
from pellucid.report.verdict import Verdict

from . import page_samples as samples

SAID = {
    "well fitted": ("Diagnosis: well fitted", None),
    "overfitted": ("Diagnosis: overfitted", "The model is overfitted"),
    "underfitted": ("Diagnosis: underfitted", "The model is underfitted"),
    "limited by the columns": ("Diagnosis: limited by the columns", None),
    "distribution shift": ("Diagnosis: distribution shift", "rows to come may do so too"),
    "cannot tell": ("Diagnosis: it is unclear whether the model is overfitted", "It is unclear whether the model is"),
    "nothing learned": ("Diagnosis: nothing is shown", "not shown to be better than the baseline"),
}


@pytest.mark.parametrize("verdict", SAID)
def test_a_verdict_in_words(verdict: str) -> None:
    outcome = samples.two_classes()
    assert outcome.diagnosis is not None
    outcome = replace(outcome, diagnosis=replace(outcome.diagnosis, verdict=verdict))
    summary, warning = SAID[verdict]
    assert any(summary in line for line in summary_of(outcome, "a fifth is kept back", 100))
    warned = [line for line in warnings_of(outcome) if warning is not None and warning in line]
    assert len(warned) == (warning is not None)


def test_a_nearly_perfect_score_is_questioned() -> None:
    """City and highway give a combined mileage, but rounded numbers hide the formula."""
    outcome = samples.number()
    assert outcome.held is not None
    assert not any("nearly that of a formula" in line for line in warnings_of(outcome))
    shares = tuple(
        replace(one, value=0.997, low=0.995) if one.word == "R²" else replace(one, low=0.995)
        for one in outcome.held.figures
    )
    outcome = replace(outcome, held=replace(outcome.held, figures=shares))
    (warned,) = [line for line in warnings_of(outcome) if "nearly that of a formula" in line]
    assert warned.startswith("An R² of 0.997 is")


def test_classes_that_are_all_right_are_questioned() -> None:
    """Two columns may give the class together, as a rule does."""
    outcome = samples.two_classes()
    assert outcome.held is not None
    assert outcome.held.confusion is not None
    assert not any("as by a rule" in line for line in warnings_of(outcome))
    right = np.diag(np.array([70, 50]))
    outcome = replace(outcome, held=replace(outcome.held, rows=120, confusion=right))
    (warned,) = [line for line in warnings_of(outcome) if "as by a rule" in line]
    assert warned.startswith("All 120 held-out rows are predicted correctly")


def test_a_gap_to_later_rows_may_be_a_change_with_time() -> None:
    outcome = samples.two_classes()
    assert outcome.diagnosis is not None
    diagnosis = replace(outcome.diagnosis, verdict="overfitted")
    outcome = replace(outcome, diagnosis=diagnosis, structure=Structure("time", (), None, "newest rows", ""))
    either = "overfitted, or the rows change with time"
    assert any(line.startswith(f"Diagnosis: {either}") for line in summary_of(outcome, "", 100))
    assert any(line.startswith(f"The model is {either}") for line in warnings_of(outcome))
    assert outcome.held is not None
    assert either in _diagnosis(outcome, outcome.held)


def test_a_headline_does_not_deny_classes_that_are_right() -> None:
    """The log loss of few rows can hang on a single one; the classes may be right all the same."""
    outcome = samples.several_classes()
    assert outcome.held is not None
    assert outcome.held.confusion is not None
    log_loss = MetricValue("log loss", "", 0.53, 0.0, 1.57, 1.05, -0.5, 1.1)
    right = MetricValue("accuracy", "", 0.986, 0.922, 1.0, 0.435, 0.4, 0.65)
    held = replace(outcome.held, figures=(log_loss, right))
    outcome = replace(outcome, held=held, verdict=Verdict("not shown"))
    assert "accuracy of 0.986" in headline_of(outcome)
    assert "its probabilities are not shown to be better" in headline_of(outcome)
    wrong = replace(outcome, held=replace(held, figures=(log_loss, replace(right, gain_low=-0.1))))
    assert headline_of(wrong).startswith("No model is shown to predict")


def test_a_model_of_fewer_rows_says_why() -> None:
    outcome = samples.two_classes()
    fitted, among = "model in the file was fitted on 100 rows", "; held-out rows are among them."
    assert f"After that, the {fitted}{among}" in summary_of(outcome, "", 100)
    said = f"After that, the {fitted}, drawn at random, as many as time and memory allow{among}"
    assert said in summary_of(outcome, "", 100, limited=True)
    assert f"The {fitted}." in summary_of(replace(outcome, held=None), "", 100)


def test_other_shares_of_classes_among_the_held_out_rows_are_told() -> None:
    """The last rows of a table may hold other classes than those before them."""
    outcome = samples.several_classes()
    assert outcome.held is not None
    assert outcome.held.confusion is not None
    counts = np.asarray(outcome.held.confusion)
    now = tuple((counts.sum(axis=1) / counts.sum()).tolist())
    alike = replace(outcome, held=replace(outcome.held, fitted_shares=now))
    assert not [line for line in alerts_of(alike) if "another share" in line]
    shifted = replace(outcome, held=replace(outcome.held, fitted_shares=(0.0, 0.0, 1.0)))
    (line,) = [line for line in alerts_of(shifted) if "another share" in line]
    assert "not 0 %" in line
    assert "not 100 %" in line


def test_models_that_saw_the_newest_rows_alone_are_said_to_have_seen_these() -> None:
    base = samples.number()
    assert base.race is not None
    assert base.held is not None
    held = replace(base.held, fitted_rows=20)
    few = replace(base, held=held, race=replace(base.race, rows=10), verdict=Verdict("better"))
    assert any("folds of 10 rows." in line for line in summary_of(few, "", 100))
    newest = replace(few, race=replace(few.race, latest=True), held=replace(held, fitted_latest=True))
    assert any("folds of the newest 10 of the other rows." in line for line in summary_of(newest, "", 100))
    assert "the newest" not in comparison(few) + winner(few)
    assert "These rows are the newest of those that were not held out." in comparison(newest)
    assert "was fitted on 20 other rows, the newest ones." in winner(newest)
    untimed = replace(newest, structure=Structure("time", (), None, "last rows", ""))
    assert "fitted on 20 other rows, the last ones." in winner(untimed)


def test_the_summary_and_the_figure_name_the_same_columns_and_skip_none() -> None:
    """On few rows of a class the importance of some columns may be known only roughly."""
    outcome = samples.two_classes()
    assert outcome.explanation is not None
    importance = outcome.explanation.importance
    fall = np.zeros((len(importance.feature_names), 4))
    first, second, third = (int(j) for j in importance.order[:3])
    fall[first], fall[second], fall[third] = [0.0, 0.6, 0.0, 0.6], 0.1, [0.0, 0.1, 0.0, 0.1]
    roughly = type(importance)(importance.baseline, importance.baseline - fall, importance.feature_names, 0)
    outcome = replace(outcome, verdict=Verdict("better"))
    outcome = replace(outcome, explanation=replace(outcome.explanation, importance=roughly))
    names = [str(importance.feature_names[j]) for j in (first, second, third)]
    sentence = f"Most important columns: {', '.join(names)}. Not above chance among them: {names[0]}, {names[2]}."
    assert sentence in summary_of(outcome, "", 100)
    assert sentence in explained(outcome)


def test_intervals_that_hold_nearly_what_they_should_are_not_too_narrow() -> None:
    """Of 600,000 rows, 89.7 % is significantly less than 90 %, but that is no reason for an alert."""

    found = run_study(wave(80, 0.3), "y", minutes=0.02).intervals
    assert found is not None

    def alert(held: int, rows: int, *others: Coverage) -> list[str]:
        one = Coverage(0.9, held, rows, 1.0, *share_bounds(held / rows, rows))
        return _too_narrow(replace(found, coverage=(one, *others), level=0.9))

    assert not alert(538_147, 600_000)
    assert not alert(86, 100)
    assert "80.8 %" in alert(2_817, 3_488)[0]
    # Of few rows that follow each other the 90 % may lie in a wide interval, those of another level not.
    few, narrower = Coverage(0.95, 21, 29, 1.0, 0.543, 0.932), Coverage(0.8, 16, 29, 1.0, 0.375, 0.761)
    (line,) = alert(26, 29, narrower, few)
    assert "those of 95 % hold 21 of 29 held-out rows, 72.4 %" in line


def wave(rows: int, noise: float) -> pl.DataFrame:
    """Two columns that count, one that does not."""
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, (rows, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + noise * random.normal(size=rows)
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})


def test_a_target_that_ends_where_measuring_ended_is_mentioned() -> None:
    """Months of survival in a study of five years: whoever lives on has 60."""
    random = np.random.default_rng(0)
    months = random.exponential(40, 300).round(1)
    table = pl.DataFrame({"age": random.normal(60, 9, 300).round(), "months": months})
    capped = run_study(table.with_columns(pl.col("months").clip(upper_bound=60.0)), "months", minutes=0.01)
    n_capped = int((months >= 60).sum())
    assert any(line.startswith(f"{n_capped} rows have the largest months, 60,") for line in capped.warnings)
    assert not any("largest months" in line for line in run_study(table, "months", minutes=0.01).warnings)


@pytest.mark.filterwarnings("ignore:LinearSVR. passes failed to converge")
@pytest.mark.parametrize(
    ("rows", "noise", "verdicts"),
    [
        (1200, 0.2, ["well fitted"]),
        (24, 0.3, ["cannot tell"]),
        (1200, 2.5, ["limited by the columns", "overfitted"]),
        (60, 0.05, ["overfitted"]),
    ],
)
def test_verdicts_of_whole_reports(rows: int, noise: float, verdicts: list[str]) -> None:
    """Many rows of a law are well fitted; of few nobody can tell; strong noise hides it; a whole table by heart."""
    table = wave(rows, noise)
    if verdicts == ["overfitted"]:  # thirty columns of nothing beside the law
        more = np.random.default_rng(1).normal(size=(rows, 30))
        table = table.with_columns(pl.Series(f"z{j}", more[:, j]) for j in range(30))
    found = run_study(table, "y", task="number", measure="r2", minutes=0.03).diagnosis
    assert found is not None
    assert found.verdict in verdicts


def test_the_gain_per_doubling_is_told_of_the_rows_that_it_was_measured_on() -> None:
    """The first rows gain more than the last part of the curve, from which the gain is taken."""
    outcome = samples.number()
    assert outcome.diagnosis is not None
    diagnosis = replace(outcome.diagnosis, trend="rising", per_doubling=(10.0, 20.0, 30.0))
    sizes = np.asarray(diagnosis.curve.train_sizes)
    first, last = sizes[sizes >= sizes.max() / 4][[0, -1]]
    told = summary_of(replace(outcome, diagnosis=diagnosis), "", 10_000)
    word = outcome.task.measure.word
    assert f"From {first} to {last} rows a doubling improved the {word} by 20 on average; the model in the file " in (
        " ".join(told)
    )
    assert f"More rows may help: from {first} to {last} rows a doubling" in (
        " ".join(summary_of(replace(outcome, diagnosis=diagnosis), "", int(last)))
    )


def test_a_score_far_below_the_baseline_keeps_its_digits() -> None:
    """Beside a baseline of 30.52 an RMSE of 0.0053 with an interval from 0.0047 would be 0.01, from 0.00."""
    outcome = samples.number()
    assert outcome.held is not None
    first = MetricValue("RMSE", "", 0.0053, 0.0047, 0.0061, 30.52, 30.51, 30.52)
    r2 = MetricValue("R²", "", 0.9999, 0.9998, 0.9999, 0.0)
    outcome = replace(outcome, held=replace(outcome.held, figures=(first, r2)), verdict=Verdict("better"))
    assert "RMSE of 0.00530 on" in headline_of(outcome)
    assert "0.00470 to 0.00610; baseline 30.52" in headline_of(outcome)
    assert "0.00470 to 0.00610" in page(outcome)


def test_texts_that_the_winner_does_not_read() -> None:
    table = wave(200, 0.1).with_columns(said=pl.Series([f"it was word {i} of {i % 7} more" for i in range(200)]))
    outcome = run_study(table, "y", task="number", minutes=0.05)
    told = [line for line in outcome.summary if "does without the words of said" in line]
    assert len(told) == (outcome.winner not in ("linear", "neighbors", "margin", "stacking"))


def test_rows_are_divided_into_folds_and_not_folds() -> None:
    outcome = samples.two_classes()
    assert outcome.race is not None
    outcome = replace(outcome, race=replace(outcome.race, folds=10, repeats=2))
    told = [line for line in summary_of(outcome, "", 100) if "were compared in 5 folds of" in line]
    assert len(told) == 1
    assert " rows, divided into folds 2 times." in told[0]


def test_a_gain_is_said_with_two_digits() -> None:
    """0.114 is 0.11, and not 0.110."""
    outcome = samples.two_classes()
    assert outcome.diagnosis is not None
    diagnosed = replace(outcome.diagnosis, verdict="well fitted", trend="rising", per_doubling=(0.05, 0.114, 0.2))
    lines = summary_of(replace(outcome, diagnosis=diagnosed), "", 100)
    assert any(" by 0.11 on average" in line for line in lines)


def test_training_figures_are_those_that_the_verdict_follows_from() -> None:
    """Errors on newer rows that are larger for the baseline too look overfitted beside those on the rows learned from;
    and a score that is nearly perfect is not called perfect."""
    outcome = samples.number()
    assert outcome.diagnosis is not None
    for evidence, figures in (
        (HeldOutEvidence(-64.0, -99.0, -105.0, -93.0, 50.0, -167.0, -233.0), "61.7 %, 57.5 %"),
        (HeldOutEvidence(-0.01, -8.0, -9.0, -7.0, 50.0, -80.0, -80.0), "> 99.9 %, 90.0 %"),
    ):
        diagnosed = replace(outcome.diagnosis, verdict="well fitted", evidence=evidence)
        (line,) = [one for one in summary_of(replace(outcome, diagnosis=diagnosed), "", 100) if "Diagnosis" in one]
        train, held_out = figures.split(", ")
        assert (
            f"{train} of the way from the baseline to a perfect score on the rows learned from, {held_out} on" in line
        )
