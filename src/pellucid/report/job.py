"""The main job, from a table to an outcome: the steps in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import ParameterError, sentence, some
from pellucid.base.types import Array
from pellucid.data.slices import take_columns
from pellucid.report.choice import choose
from pellucid.report.conclude import Choice, Study, conclude, gains_of, resamples_of, with_cleaning
from pellucid.report.held import Answers, held_out
from pellucid.report.outcome import Held, Outcome, Race, Task, Tuned
from pellucid.report.parting import FOLDS, Fold, folds_of, sample
from pellucid.report.plan import Plan, make_plan
from pellucid.report.prepare import Ready, Wish, open_table, prepare
from pellucid.report.race import (
    Scored,
    Setting,
    Tell,
    race_of,
    score_models,
    tune,
    tuned_model,
    with_settings,
)
from pellucid.report.reading import BUNDLED_TARGET
from pellucid.report.scaled import with_settings_at
from pellucid.report.structure import RowStructure
from pellucid.report.suite import BASELINE, Entrant, suite_for
from pellucid.report.task import OF_PROBABILITIES
from pellucid.report.thresholds import DecisionOptions, check_options
from pellucid.storage import ModelCard, card_of

__all__ = ["Wish", "compared", "study", "trained"]

LEADERS = 2  # whose settings are searched


def _silent(step: str, behind: float) -> None:
    """Nobody listens."""


def study(
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
    tell: Tell = _silent,
) -> Outcome:
    """Looks at a table, cleans it, compares models, explains the best one, and returns everything that was found.

    Parameters
    ----------
    data : path of a file, a dataframe, SQL (with ``connect``), or None for a table that comes with the package
    target : the column to predict; None to look for groups, outliers and components, rules or recommendations
    task : "two classes", "several classes", "number", "no target", "baskets", "ratings" or "visits"; found unless told
    measure : what models are judged by, such as "roc_auc", "accuracy" or "r2"; fits the task unless told
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
        raise ParameterError(sentence("report", "minutes must be a number above 0", f"got {minutes!r}"))
    if data is None and target is None:
        target = BUNDLED_TARGET
    columns = tuple((parts or {}).items())
    options = decision or DecisionOptions()
    wish = Wish(target, task, measure, float(minutes), seed, tuple(drop), group, time, columns, tuple(keep), options)
    opened = open_table(data, wish, connect, tell, associations=True)
    if opened.task.target is None:
        check_options(opened.task, options)
        from pellucid.report.without_target import explore

        return replace(explore(opened, wish, tell), origin=opened.taken.origin)
    return replace(_predict(Study(opened, prepare(opened, wish, tell), wish, tell)), origin=opened.taken.origin)


def compared(data: Any, wish: Wish, connect: str | None, tell: Tell = _silent) -> tuple[Race, Task]:
    """Only the comparison of a table's models."""
    ready = prepare(open_table(data, wish, connect, tell, associations=False), wish, tell)
    plan, setting, left = _race_of(ready, wish)
    return race_of(score_models(plan, setting, left, tell), plan, setting), ready.task


def trained(
    data: Any, name: str, settings: dict[str, Any], wish: Wish, connect: str | None, tell: Tell = _silent
) -> tuple[Any, Held, ModelCard]:
    """One model of the suite: fitted on all rows, with its figures on rows that were kept back, and its card."""
    ready = prepare(open_table(data, wish, connect, tell, associations=False), wish, tell)
    entrants, left = suite_for(ready.for_classes, ready.columns)
    entrant = next((one for one in entrants if one.name == name), None)
    if entrant is None:
        why = next((f": it {why}" for one, why in left if one.name == name), "")
        must = f"the model must be one of {', '.join(one.name for one in entrants)}"
        raise ParameterError(sentence("train", must, f"got {name!r}{why}"))
    model = entrant.model(ready.for_classes, wish.seed, ready.columns)
    _, inside = with_settings_at(model)
    known = inside.get_params(deep=False)
    unknown = [one for one in settings if one not in known]
    if unknown:
        found = f"{type(inside).__name__} has no {some(unknown)}; it has {some(known, 30)}"
        raise ParameterError(sentence("train", "settings must be the model's own", found))
    inside.set_params(**settings)
    tell(f"fitting: {entrant.title}", 0.2)
    train, held = ready.parting.train, ready.parting.held
    fitted = clone(model).fit(ready.seen(train), ready.y[train])
    base = entrants[0].model(ready.for_classes, wish.seed, ready.columns).fit(ready.seen(train), ready.y[train])
    asked = ready.seen(held)
    answers, floor = Answers(fitted, asked, ready.task), Answers(base, asked, ready.task)
    resamples = resamples_of(ready, wish.seed, gains_of(answers, floor, ready.y[held]))
    figures = held_out(ready.task, answers, floor, ready.y[held], held, resamples)
    tell("fitting on all rows", 0.6)
    final = with_cleaning(model, ready, np.arange(len(ready.y)))
    metrics = {figure.word: figure.value for figure in figures.figures}
    everything = take_columns(ready.table, ready.columns.used)
    return final, figures, card_of(final, everything, ready.y, metrics=metrics, notes=f"target: {ready.task.target}")


def _predict(study: Study) -> Outcome:
    """Compares the models, searches for better settings of the leaders, and reports on the chosen one."""
    ready, tell = study.ready, study.tell
    plan, setting, left = _race_of(ready, study.wish)
    scored, tuned = _search(score_models(plan, setting, left, tell), plan, setting, ready, tell)
    race = race_of(scored, plan, setting)
    name, reason = choose(race, len(ready.task.classes))
    spec = next(one for one in plan.entrants if one.name == name)
    model = tuned_model(spec, setting, race.of(name).settings)
    return conclude(study, Choice(race, tuned, spec, model, plan, setting, reason))


def _race_of(ready: Ready, wish: Wish) -> tuple[Plan, Setting, list[tuple[Entrant, str]]]:
    scoring = ready.task.measure.scoring if ready.task.measure is not None else ""
    entrants, left = suite_for(ready.for_classes, ready.columns, needs_probabilities=scoring in OF_PROBABILITIES)
    entrants = [entrant for entrant in entrants if len(ready.columns.used) >= entrant.least]
    plan = make_plan(entrants, ready.size, wish.minutes, FOLDS)
    train = ready.parting.train
    chosen = train[sample(ready.y[train], plan.rows, ready.for_classes, ready.parting.in_time, wish.seed)]
    y, structure = ready.y[chosen], ready.split_structure.of(chosen)
    folds, first_folds = _repeated_folds(y, ready.for_classes, structure, wish.seed, plan.repeats)
    measure = ready.task.measure
    if measure is None:
        raise TypeError("a task with a target has a measure")
    return (
        plan,
        Setting(
            ready.seen(chosen), y, folds, measure, ready.columns, ready.for_classes, wish.seed, structure, first_folds
        ),
        left,
    )


def _repeated_folds(
    y: Array, for_classes: bool, structure: RowStructure, seed: int, n_repeats: int
) -> tuple[list[Fold], int]:
    """The folds of several random divisions of the rows, and how many one division has. Where the folds are not random,
    as in the order of time, there is one division."""
    first = folds_of(y, for_classes, structure, seed)
    folds = list(first)
    for repeat in range(1, n_repeats):
        again = folds_of(y, for_classes, structure, seed + repeat)
        if all(np.array_equal(one[1], other[1]) for one, other in zip(first, again, strict=False)):
            break
        folds += again
    return folds, len(first)


def _search(scored: Scored, plan: Plan, setting: Setting, ready: Ready, tell: Tell) -> tuple[Scored, tuple[Tuned, ...]]:
    """Better settings for the leaders that are not the baseline; those that win are scored on all folds."""
    specs = {spec.name: spec for spec in plan.entrants}
    ran = [one for one in race_of(scored, plan, setting).candidates if one.scores and one.name != BASELINE]
    leaders = [one for one in ran[:LEADERS] if specs[one.name].grid]
    tuned = []
    for leader in leaders:
        spec, size = specs[leader.name], replace(ready.size, rows=len(setting.y))
        before = float(np.mean(leader.scores[: setting.first_folds]))
        found = tune(spec, setting, size, before, plan.search / len(leaders), tell)
        if found is None:
            continue
        tuned.append(found)
        if setting.measure.sign * found.after > setting.measure.sign * found.before:
            scored = with_settings(scored, found, spec, setting)
    return scored, tuple(tuned)
