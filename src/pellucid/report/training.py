"""One model of the suite, chosen by the user: scored on held-out rows as in a report, and fitted on all rows."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.report.candidates import ModelSpec, baseline_for, candidate_models
from pellucid.report.comparison import ProgressCallback
from pellucid.report.conclusions import (
    Choice,
    Study,
    fit_on_all_rows,
    outcome_of,
    score_with_suspects,
    try_on_held_out,
    verdict_on,
)
from pellucid.report.fitted_use import roles_as_fitted
from pellucid.report.holdout_split import FOLDS
from pellucid.report.narrative import headline_of, warnings_of
from pellucid.report.outcome import Candidate, ModelComparison, StudyResult
from pellucid.report.plan import Plan
from pellucid.report.prepare import PreparedData, StudyConfig, open_table, prepare
from pellucid.report.study import setting_of, silent
from pellucid.report.target_scaling import with_settings_at

MOST_OUT_OF_FOLD = 50_000  # training rows on which calibration, threshold and prediction intervals are chosen


def trained(
    data: Any,
    name: str,
    settings: dict[str, Any],
    config: StudyConfig,
    connect: str | None,
    tell: ProgressCallback = silent,
) -> StudyResult:
    """The model of this name with these settings, without a comparison. Split, decisions and sentences are those of a
    report; the model is fitted on all rows."""
    opened = open_table(data, config, connect, tell, associations=False)
    study = Study(opened, prepare(opened, config, tell), config, tell)
    choice = _choice(study, name, settings)
    tell(f"fitting: {choice.spec.title}", 0.2)
    trial = try_on_held_out(study, choice)
    leaks = score_with_suspects(study, choice, trial)
    outcome = replace(outcome_of(study, choice, trial, verdict_on(study, choice, trial)), leaks=leaks)
    tell("fitting on all rows", 0.7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same model has warned on fewer rows
        model, n_fitted = fit_on_all_rows(study, choice, trial)
    return replace(
        outcome,
        model=model,
        roles=roles_as_fitted(outcome.roles, model),
        n_fitted=n_fitted,
        headline=headline_of(outcome),
        warnings=warnings_of(outcome),
    )


def _choice(study: Study, name: str, settings: dict[str, Any]) -> Choice:
    """The model as if a comparison had chosen it, with all the time it needs."""
    ready, config = study.ready, study.wish
    scoring = ready.task.measure.scoring if ready.task.measure is not None else ""
    baseline, spec = baseline_for(ready.for_classes, scoring), _spec(ready, name, scoring)
    model = spec.model(ready.for_classes, config.seed, ready.columns)
    inside = with_settings_at(model)[1]
    _check_settings(inside, settings)
    inside.set_params(**settings)
    rows = min(len(ready.parting.train), MOST_OUT_OF_FOLD)
    plan = Plan(rows, FOLDS, (baseline, spec), (), (0.5, 0.5), search=0.0, last=math.inf)
    candidates = [Candidate(one.name, one.title, one.about) for one in (baseline, spec)]
    candidates[1] = replace(candidates[1], settings=settings, probabilities=hasattr(model, "predict_proba"))
    race = ModelComparison(tuple(candidates), rows, folds=0, words="")
    return Choice(race, (), spec, model, plan, setting_of(ready, config, plan))


def _spec(ready: PreparedData, name: str, scoring: str) -> ModelSpec:
    able, left = candidate_models(ready.for_classes, ready.columns, scoring=scoring)
    spec = next((one for one in able if one.name == name), None)
    if spec is None:
        why = next((f": it {why}" for one, why in left if one.name == name), "")
        requirement = f"the model must be one of {', '.join(one.name for one in able)}"
        raise ParameterError(format_message("train", requirement, actual=f"got {name!r}{why}"))
    return spec


def _check_settings(model: Any, settings: dict[str, Any]) -> None:
    known = model.get_params(deep=False)
    unknown = [one for one in settings if one not in known]
    if unknown:
        problem = f"{type(model).__name__} has no {join_some(unknown)}; it has {join_some(known, 30)}"
        raise ParameterError(format_message("train", "settings must be the model's own", actual=problem))
