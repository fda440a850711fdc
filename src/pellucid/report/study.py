"""The main job, from a table to an outcome: the steps in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array
from pellucid.data.rewriting import is_text_file
from pellucid.report.candidates import BASELINE, candidate_models
from pellucid.report.choice import choose
from pellucid.report.cleaning import table_for_file
from pellucid.report.comparison import (
    ProgressCallback,
    Scored,
    Setting,
    race_of,
    score_models,
    tune,
    tuned_model,
    with_settings,
)
from pellucid.report.conclusions import Choice, Study, conclude
from pellucid.report.dataset import BUNDLED_TARGET, Dataset
from pellucid.report.holdout_split import FOLDS, Fold, are_latest, folds_of, move_forward, sample
from pellucid.report.leakage import Suspect
from pellucid.report.outcome import ModelComparison, Structure, StudyResult, Task, Tuned
from pellucid.report.plan import Plan, make_plan
from pellucid.report.prepare import PreparedData, StudyConfig, open_table, prepare
from pellucid.report.structure import RowStructure
from pellucid.report.structure_text import describe_structure
from pellucid.report.task import OF_PROBABILITIES
from pellucid.report.thresholds import DecisionOptions, check_options

__all__ = ["Compared", "StudyConfig", "compared", "run_study"]

LEADERS = 2  # whose settings are searched


def silent(step: str, behind: float) -> None:
    """No progress is shown."""


def run_study(
    data: Any = None,
    target: str | None = None,
    *,
    task: str | None = None,
    measure: str | None = None,
    minutes: float = 1.0,
    seed: int = 0,
    drop: Sequence[str] = (),
    group: str | None = None,
    time: str | None = None,
    keep: Sequence[str] = (),
    connect: str | None = None,
    parts: Mapping[str, str] | None = None,
    decision: DecisionOptions | None = None,
    tell: ProgressCallback = silent,
) -> StudyResult:
    """Looks at a table, cleans it, compares models, explains the best one, and returns everything that was found.

    Parameters
    ----------
    data : path of a file, a dataframe, SQL (with ``connect``), or None for a table that comes with the package
    target : the column to predict; None to look for groups, outliers and components, rules or recommendations
    task : "two classes", "several classes", "number", "no target", "baskets", "ratings" or "visits"; recognized
        by default
    measure : the metric by which models are compared, such as "roc_auc", "accuracy" or "r2"; by default one that fits
        the task
    minutes : about how long it may take; decides how many models are tried on how many rows, from sizes alone
    seed : of everything that is drawn at random; the same seed gives the same result
    drop : columns to leave out
    group : a column whose equal values mark rows that belong together, which a split keeps whole; looked for by
        default, "none" for no groups
    time : the column that says when a row was recorded: the newest rows are held out and predicted from older ones;
        looked for by default, "none" for a random split
    keep : columns to use even if they may be known only after the target, as suspected leaks are left out by default
    connect : the database of a query
    parts : the columns of baskets, ratings or visits, such as {"basket": "invoice", "item": "product"}; recognized by
        default
    decision : how rows of two classes are decided: the positive class, what mistakes cost, a rule for the threshold
    tell : is called with a few words before each step, and with the share of the work that is behind
    """
    if not (isinstance(minutes, int | float) and 0 < minutes < 10_000):
        raise ParameterError(format_message("report", "minutes must be a number above 0", actual=f"got {minutes!r}"))
    if data is None and target is None:
        target = BUNDLED_TARGET
    columns = tuple((parts or {}).items())
    options = decision or DecisionOptions()
    config = StudyConfig(
        target, task, measure, float(minutes), seed, tuple(drop), group, time, columns, tuple(keep), options
    )
    opened = open_table(data, config, connect, tell, associations=True)
    if opened.task.target is None:
        check_options(opened.task, options)
        from pellucid.report.without_target import explore

        return _with_source(explore(opened, config, tell), opened.taken)
    return _with_source(_predict(Study(opened, prepare(opened, config, tell), config, tell)), opened.taken)


def _with_source(outcome: StudyResult, dataset: Dataset) -> StudyResult:
    """The outcome with the file that the table came from, or, if that is no text, with the table that is written."""
    if (dataset.origin is not None and is_text_file(dataset.origin)) or outcome.table is None:
        return replace(outcome, origin=dataset.origin)
    return replace(outcome, origin=dataset.origin, written=table_for_file(dataset.table, outcome.log))


@dataclass(frozen=True)
class Compared:
    """The comparison of a table's models alone.

    split : how rows were held out, as a clause; structure : the same with the reasons
    suspects : columns that were left out, as they may be known only after
        the target
    chosen, reason : the model that a report would take, and why, if it is not simply the best
    """

    race: ModelComparison
    task: Task
    split: str
    structure: Structure
    suspects: tuple[Suspect, ...]
    chosen: str
    reason: str


def compared(data: Any, config: StudyConfig, connect: str | None, tell: ProgressCallback = silent) -> Compared:
    """The comparison of a report, with its search for better settings; nothing is scored on the held-out rows."""
    ready = prepare(open_table(data, config, connect, tell, associations=False), config, tell)
    comparison, _, _, setting = _race_of(ready, config, tell)
    selected, reason = choose(comparison, len(ready.task.classes))
    structure = describe_structure(ready.structure, ready.parting, move_forward(setting.folds))
    return Compared(comparison, ready.task, ready.parting.words, structure, ready.suspects, selected, reason)


def _predict(study: Study) -> StudyResult:
    """Compares the models, searches for better settings of the leaders, and reports on the chosen one."""
    ready = study.ready
    comparison, tuned, plan, setting = _race_of(ready, study.wish, study.tell)
    name, reason = choose(comparison, len(ready.task.classes))
    spec = next(candidate for candidate in plan.entrants if candidate.name == name)
    model = tuned_model(spec, setting, comparison.of(name).settings)
    return conclude(study, Choice(comparison, tuned, spec, model, plan, setting, reason))


def _race_of(
    ready: PreparedData, config: StudyConfig, tell: ProgressCallback
) -> tuple[ModelComparison, tuple[Tuned, ...], Plan, Setting]:
    """Every model on the same folds, the leaders with better settings if there are any."""
    scoring = ready.task.measure.scoring if ready.task.measure is not None else ""
    needs_probabilities = scoring in OF_PROBABILITIES
    specs, left_out = candidate_models(
        ready.for_classes, ready.columns, scoring=scoring, needs_probabilities=needs_probabilities
    )
    specs = [spec for spec in specs if len(ready.columns.used) >= spec.least]
    plan = make_plan(specs, ready.size, config.minutes, FOLDS)
    setting = setting_of(ready, config, plan)
    scored, tuned = _search(score_models(plan, setting, left_out, tell), plan, setting, ready, tell)
    return race_of(scored, plan, setting), tuned, plan, setting


def setting_of(ready: PreparedData, config: StudyConfig, plan: Plan) -> Setting:
    """The training rows that the plan has time for, and their folds."""
    train = ready.parting.train
    times = ready.split_structure.of(train).times
    sampled = sample(ready.y[train], plan.rows, ready.for_classes, ready.parting.in_time, config.seed, times)
    picked = train[sampled]
    y, structure = ready.y[picked], ready.split_structure.of(picked)
    folds, first_folds = _repeated_folds(y, ready.for_classes, structure, config.seed, plan.repeats)
    measure = ready.task.measure
    if measure is None:
        raise TypeError("a task with a target has a measure")
    return Setting(
        ready.seen(picked), y, folds, measure, ready.columns, ready.for_classes, config.seed, structure, first_folds,
        latest=ready.parting.in_time and are_latest(sampled, len(train)),
    )  # fmt: skip


def _repeated_folds(
    y: Array, for_classes: bool, structure: RowStructure, seed: int, n_repeats: int
) -> tuple[list[Fold], int]:
    """The folds of several random divisions of the rows, and how many one division has. Where the folds are not random,
    as in the order of time, there is one division."""
    first = folds_of(y, for_classes, structure, seed)
    folds = list(first)
    for repeat in range(1, n_repeats):
        again = folds_of(y, for_classes, structure, seed + repeat)
        if all(np.array_equal(fold[1], repeated_fold[1]) for fold, repeated_fold in zip(first, again, strict=False)):
            break
        folds += again
    return folds, len(first)


def _search(
    scored: Scored, plan: Plan, setting: Setting, ready: PreparedData, tell: ProgressCallback
) -> tuple[Scored, tuple[Tuned, ...]]:
    """Better settings for the leaders that are not the baseline; those that win are scored on all folds."""
    specs = {spec.name: spec for spec in plan.entrants}
    ran = [
        candidate
        for candidate in race_of(scored, plan, setting).candidates
        if candidate.scores and candidate.name != BASELINE
    ]
    leaders = [candidate for candidate in ran[:LEADERS] if specs[candidate.name].grid]
    tuned = []
    for leader in leaders:
        spec, size = specs[leader.name], replace(ready.size, rows=len(setting.y))
        before = float(np.mean(leader.scores[: setting.first_folds]))
        result = tune(spec, setting, size, before, plan.search / len(leaders), tell)
        if result is None:
            continue
        tuned.append(result)
        if setting.measure.sign * result.after > setting.measure.sign * result.before:
            scored = with_settings(scored, result, spec, setting)
    return scored, tuple(tuned)
