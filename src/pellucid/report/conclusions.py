"""The second half of the main job: the chosen model is tried on held-out rows, diagnosed, explained and fitted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import ConvergenceWarning
from pellucid.base.types import Array, Floats
from pellucid.data.slices import take_rows
from pellucid.model_selection import Diagnosis, HeldOutEvidence, diagnose, get_scorer
from pellucid.report.candidates import BASELINE, ModelSpec, baseline_for, candidate_models
from pellucid.report.comparison import ProgressCallback, Setting
from pellucid.report.dataset import example_rows
from pellucid.report.decisions import decide, decided, show_on_held_out
from pellucid.report.explain import effects_of, importance_of, same_values, second_opinion
from pellucid.report.fitted_use import roles_as_fitted, unread_texts
from pellucid.report.holdout import MOST_TRAINING_ROWS, Predictions, evaluate_holdout
from pellucid.report.holdout_split import Fold, are_latest, folds_of, move_forward, sample
from pellucid.report.intervals import choose_intervals, cover, with_intervals
from pellucid.report.leakage_score import SuspectTrial, leaks_of, refit
from pellucid.report.local_explanations import cases_of, with_interval_ends
from pellucid.report.naive_forecast import compare_with_naive
from pellucid.report.narrative import headline_of, summary_of, warnings_of
from pellucid.report.out_of_fold import predict_out_of_fold
from pellucid.report.outcome import (
    Decisions,
    Explanation,
    HoldoutResult,
    Intervals,
    Leak,
    ModelComparison,
    StudyResult,
    Tuned,
)
from pellucid.report.plan import Plan, folds_within, rows_within
from pellucid.report.prepare import Opened, PreparedData, StudyConfig
from pellucid.report.resampling import Resamples, resample
from pellucid.report.script import Recipe, script_of
from pellucid.report.structure_text import describe_structure
from pellucid.report.verdict import Verdict, verdict_of

FLEXIBLE = ("forest", "boosting", "kernel", "network", "neighbors", "stacking")


@dataclass(frozen=True)
class Study:
    """What every step of one study reads: the table as it came, the table as models see it, and the options."""

    opened: Opened
    ready: PreparedData
    wish: StudyConfig
    tell: ProgressCallback

    @property
    def in_time(self) -> bool:
        """Are later rows predicted from earlier ones?"""
        return self.ready.parting.in_time

    @property
    def at_random(self) -> bool:
        """Are held-out rows drawn at random, neither later ones nor those of groups that a column names? Rows that are
        equal stay together, but are like any others."""
        named = self.ready.parting.grouped and bool(self.ready.structure.group_columns)
        return not self.in_time and not named

    def some_rows(self, y: Array, n_rows: int, times: Floats | None = None) -> Array:
        """Positions of at most so many rows of ``y``; the latest ones where rows are in the order of time, unless folds
        in time are to be made and these rows have too few of ``times``."""
        return sample(y, n_rows, self.ready.for_classes, self.in_time, self.wish.seed, times)


@dataclass(frozen=True)
class Choice:
    """The chosen model and where it came from.

    race, tuned : the comparison, and the search for settings
    spec : the kind of model; model : the unfitted pipeline with the settings that were chosen
    plan, setting : the time that was planned; the rows, folds and metric of the comparison
    reason : why this model was chosen, if it is not simply the best
    """

    race: ModelComparison
    tuned: tuple[Tuned, ...]
    spec: ModelSpec
    model: Any
    plan: Plan
    setting: Setting
    reason: str = ""

    def rows_within(self, ready: PreparedData, n_rows: int, seconds: float, n_predicted: int = 0) -> int:
        """How many of so many rows one fit of the chosen model, with predictions of other rows, takes in this time."""
        return rows_within(self.spec, replace(ready.size, rows=n_rows), seconds, n_predicted)


@dataclass(frozen=True)
class Trial:
    """The chosen model on the rows that were held out.

    train : positions of the rows that it was fitted on
    fitted : the model; predictions : what it says of the held-out rows; held : its scores there
    decisions : calibration and threshold of a classifier, which ``fitted`` has
    intervals : prediction intervals of a regression
    """

    train: Array
    fitted: Any
    predictions: Predictions
    held: HoldoutResult
    decisions: Decisions | None = None
    intervals: Intervals | None = None


def conclude(study: Study, choice: Choice) -> StudyResult:
    """The scores on the held-out rows, the diagnosis, the explanations, and the model fitted on all rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the comparison notes what the model warns of
        return _concluded(study, choice)


def _concluded(study: Study, choice: Choice) -> StudyResult:
    study.tell("fitting the chosen model and scoring it on the held-out rows", 0.75)
    trial = try_on_held_out(study, choice)
    study.tell("diagnosing and explaining", 0.8)
    leaks = score_with_suspects(study, choice, trial)
    verdict = verdict_on(study, choice, trial)
    diagnosis = diagnose_choice(study, choice, trial, verdict)
    explanation = explain(study, choice, trial)
    study.tell("fitting the model on all rows", 0.95)
    final, n_fitted = fit_on_all_rows(study, choice, trial)
    outcome = outcome_of(study, choice, trial, verdict)
    outcome = replace(
        outcome,
        roles=roles_as_fitted(outcome.roles, final),
        diagnosis=diagnosis,
        explanation=explanation,
        script=script_of(recipe_of(study, choice, n_fitted, trial)),
        model=final,
        leaks=leaks,
        n_fitted=n_fitted,
    )
    return _in_words(outcome, study, n_fitted)


def outcome_of(study: Study, choice: Choice, trial: Trial, verdict: Verdict) -> StudyResult:
    """What is known before the chosen model is diagnosed, explained and fitted on all rows; without sentences."""
    ready = study.ready
    return StudyResult(
        study.opened.taken.source,
        ready.task,
        "",
        (),
        (),
        study.opened.described,
        ready.findings,
        ready.log,
        ready.roles,
        study.wish.seed,
        choice.race,
        choice.spec.name,
        choice.tuned,
        trial.held,
        examples=example_rows(ready.findings, study.opened.taken.table),
        table=ready.table,
        structure=describe_structure(ready.structure, ready.parting, move_forward(choice.setting.folds)),
        verdict=verdict,
        reason=choice.reason,
        decisions=trial.decisions,
        intervals=trial.intervals,
    )


def verdict_on(study: Study, choice: Choice, trial: Trial) -> Verdict:
    """The chosen model against the baseline on the held-out rows, and against its own scores in cross-validation."""
    return verdict_of(
        trial.held,
        choice.setting.measure,
        choice.race.of(choice.spec.name).scores,
        choice.race.test_share,
        at_random=study.at_random,
    )


def fit_on_all_rows(study: Study, choice: Choice, trial: Trial) -> tuple[Any, int]:
    """The model for the file, and the number of rows that it was fitted on: all, if time and memory allow."""
    ready = study.ready
    n_rows = choice.rows_within(ready, len(ready.y), choice.plan.last)
    rows = sample(ready.y, n_rows, ready.for_classes, False, study.wish.seed)
    return with_cleaning(choice.model, ready, rows, trial), len(rows)


def try_on_held_out(study: Study, choice: Choice) -> Trial:
    """Fits the chosen model and the baseline on the training rows and scores them on the others.

    Calibration, threshold and prediction intervals come from out-of-fold rows of the comparison.
    """
    ready, rows = study.ready, study.ready.parting.held
    out_of_fold = predict_out_of_fold(choice.model, choice.setting, ready.task, _most_folds(study, choice))
    decisions = decide(ready.task, out_of_fold, study.wish.decision) if ready.for_classes else None
    n_rows = choice.rows_within(ready, ready.size.rows, choice.plan.last, len(rows))
    train = ready.parting.train
    sampled = study.some_rows(ready.y[train], n_rows)
    latest, train = study.in_time and are_latest(sampled, len(train)), train[sampled]
    X, X_held = ready.seen(train), ready.seen(rows)
    fitted = clone(choice.model).fit(X, ready.y[train])
    if decisions is not None:
        decisions = show_on_held_out(decisions, ready.task, fitted, X_held, ready.y[rows])
        fitted = decided(fitted, decisions)
    floor = _baseline(study, choice).fit(X, ready.y[train])
    predictions, floor_predictions = (Predictions(model, X_held, ready.task) for model in (fitted, floor))
    resamples = resamples_of(ready, study.wish.seed, gains_of(predictions, floor_predictions, ready.y[rows]))
    held = evaluate_holdout(ready.task, predictions, floor_predictions, ready.y[rows], rows, resamples)
    naive = compare_with_naive(ready, choice.setting.measure, predictions, resamples)
    shares = tuple(float((ready.y[train] == label).mean()) for label in ready.task.classes)
    held = replace(held, naive=naive, fitted_rows=len(train), fitted_shares=shares if ready.for_classes else ())
    held = replace(held, fitted_latest=latest)
    fitted_intervals = None if ready.for_classes else choose_intervals(out_of_fold, float(ready.y.min()))
    intervals = (
        cover(fitted_intervals, ready.y[rows], predictions.predicted, resamples)
        if fitted_intervals is not None
        else None
    )
    return Trial(train, fitted, predictions, held, decisions, intervals)


def _baseline(study: Study, choice: Choice) -> Any:
    """The unfitted baseline."""
    spec = baseline_for(study.ready.for_classes, choice.setting.measure.scoring)
    return spec.model(study.ready.for_classes, study.wish.seed, study.ready.columns)


def _most_folds(study: Study, choice: Choice) -> int:
    """Folds that can be fitted again in half of the time of the last fit; two at least."""
    seconds = choice.spec.cost(replace(study.ready.size, rows=len(choice.setting.y)))
    return max(2, int(min(choice.plan.last / 2 / max(seconds, 1e-9), len(choice.setting.folds))))


def score_with_suspects(study: Study, choice: Choice, trial: Trial) -> tuple[Leak, ...]:
    """The best score on the same rows with the columns that may be known only afterward: of the same kind of model, a
    linear one and boosted trees, as the chosen kind may make nothing of them."""
    ready, seed = study.ready, study.wish.seed
    if not ready.suspects:
        return ()
    columns, rows = ready.with_suspects, ready.parting.held
    results = []
    for spec in candidate_models(ready.for_classes, columns)[0]:
        size = replace(ready.size, rows=len(trial.train))
        if spec.name != choice.spec.name and (
            spec.name not in ("linear", "boosting") or spec.cost(size) > choice.plan.last
        ):
            continue
        suspect_trial = SuspectTrial(spec.model(ready.for_classes, seed, columns), columns, trial.train, rows)
        fitted, X_held = refit(suspect_trial, ready.table, ready.y)
        predictions = Predictions(fitted, X_held, ready.task)
        held = evaluate_holdout(ready.task, predictions, predictions, ready.y[rows], rows, resamples_of(ready, seed))
        results.append(held.figures[0])
    sign = choice.setting.measure.sign
    return leaks_of(ready.suspects, trial.held.figures[0], max(results, key=lambda figure: sign * figure.value))


def resamples_of(ready: PreparedData, seed: int, gains: Floats | None = None) -> Resamples:
    """Bootstrap samples of the held-out rows; groups, and rows next to each other in time, stay together."""
    rows = ready.parting.held
    structure = ready.split_structure.of(rows)
    return resample(len(rows), seed, structure.groups, structure.in_time, gains)


def gains_of(predictions: Predictions, floor: Predictions, y: Array) -> Floats:
    """How much better each row is predicted than by the baseline."""
    if predictions.task.kind != "number":
        return np.asarray((predictions.predicted == y).astype(float) - (floor.predicted == y).astype(float))
    actual = np.asarray(y, dtype=np.float64)
    return np.asarray(np.abs(floor.predicted - actual) - np.abs(predictions.predicted - actual))


def diagnose_choice(study: Study, choice: Choice, trial: Trial, verdict: Verdict) -> Diagnosis:
    """Is the chosen model too simple or too flexible? From the rows of the comparison, and the held-out ones."""
    setting, plan = choice.setting, choice.plan
    n_rows = choice.rows_within(study.ready, len(setting.y), plan.last / 8)
    rows = study.some_rows(setting.y, n_rows, setting.structure.times)
    ran = [one.name for one in choice.race.candidates if one.scores]
    return diagnose(
        clone(choice.model),
        take_rows(setting.X, rows),
        setting.y[rows],
        cv=_diagnosis_folds(study, choice, rows),
        scoring=setting.measure.scorer,
        perfect=setting.measure.perfect,
        baseline=_baseline(study, choice),
        evidence=_evidence(study, choice, trial, verdict),
        flexible_tried=any(name in FLEXIBLE for name in ran),
        random_state=study.wish.seed,
    )


def _evidence(study: Study, choice: Choice, trial: Trial, verdict: Verdict) -> HeldOutEvidence:
    """The scores of the fitted model on its training rows and on the held-out rows, the higher the better."""
    measure, train, first = choice.setting.measure, trial.train, trial.held.figures[0]
    y = study.ready.y[train]
    train = train[sample(y, MOST_TRAINING_ROWS, study.ready.for_classes, False, study.wish.seed)]
    X, y = study.ready.seen(train), study.ready.y[train]
    scorer = get_scorer(measure.scorer)
    floor = _baseline(study, choice).fit(X, y)
    low, high = sorted((measure.sign * first.low, measure.sign * first.high))
    return HeldOutEvidence(
        float(scorer(trial.fitted, X, y)),
        measure.sign * first.value,
        low,
        high,
        # Of too few rows the interval of the improvement is not to be trusted.
        first.gain_low if verdict.conclusion != "too few rows" else float("-inf"),
        float(scorer(floor, X, y)),
        measure.sign * first.baseline,
        verdict.shift == "worse" and not study.at_random,  # random rows do not shift
        choice.race.of(BASELINE).verdict == "worse" or verdict.conclusion == "too few rows",
        choice.spec.exact_train and not study.ready.for_classes,
    )


def _diagnosis_folds(study: Study, choice: Choice, rows: Array) -> list[Fold]:
    """As many folds as there is time for, of the same kind as those of the comparison."""
    n_folds = folds_within(choice.spec, replace(study.ready.size, rows=len(rows)), 2 * choice.plan.last)
    structure = choice.setting.structure.of(rows)
    return folds_of(choice.setting.y[rows], study.ready.for_classes, structure, study.wish.seed)[-n_folds:]


def explain(study: Study, choice: Choice, trial: Trial) -> Explanation:
    """How the fitted model decides, asked on the held-out rows."""
    ready, seed, fitted = study.ready, study.wish.seed, trial.fitted
    rows = ready.parting.held
    X, X_held, y_held = ready.seen(trial.train), ready.seen(rows), ready.y[rows]
    likely = [str(one.column) for one in study.opened.described.with_target]
    unread = unread_texts(ready.roles, fitted)
    importance = importance_of(fitted, X_held, y_held, choice.setting.measure, seed, likely, unread)
    return Explanation(
        importance,
        effects_of(fitted, X_held, importance, ready.columns, seed),
        second_opinion(fitted, X, X_held, y_held, ready.task, ready.columns, seed),
        with_interval_ends(
            cases_of(fitted, X_held, y_held, trial.predictions, ready.task, ready.table, rows, ready.source_rows),
            trial.intervals,
        ),
        same_values(X_held, importance),
    )


def with_cleaning(model: Any, ready: PreparedData, rows: Array, trial: Trial) -> Any:
    """The model for the file: fitted on these rows, deciding as was chosen, and cleaning new rows as the table was."""
    final = clone(model).fit(ready.seen(rows), ready.y[rows])
    if trial.decisions is not None:
        final = decided(final, trial.decisions)
    if trial.intervals is not None:
        final = with_intervals(final, trial.intervals.fitted)
    final.steps[:0] = ready.cleaning
    return final


def recipe_of(study: Study, choice: Choice, n_fitted: int, trial: Trial) -> Recipe:
    """What the program that makes the model again must know."""
    ready, config = study.ready, study.wish
    return Recipe(
        study.opened.taken.lines,
        str(ready.task.target),
        {"U": "str", "i": "int", "u": "int", "b": "bool"}.get(ready.y.dtype.kind, ""),
        choice.model,
        ready.columns.used,
        choice.spec.form,
        tuple(role.column for role in ready.roles if role.role == "left out"),
        config.seed,
        None if n_fitted == len(ready.y) else n_fitted,
        bool(ready.cleaning),
        trial.decisions,
        None if trial.intervals is None else trial.intervals.fitted,
    )


def _in_words(outcome: StudyResult, study: Study, n_fitted: int) -> StudyResult:
    """The outcome with the sentences about it."""
    return replace(
        outcome,
        headline=headline_of(outcome),
        summary=summary_of(outcome, study.ready.parting.words, n_fitted, n_fitted < len(study.ready.y)),
        warnings=warnings_of(outcome),
    )
