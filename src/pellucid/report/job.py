"""The main job, from a table to an outcome: the steps in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import ParameterError, sentence, some
from pellucid.data.slices import take_columns
from pellucid.report.conclude import Choice, Study, conclude, resamples_of, with_cleaning
from pellucid.report.held import Answers, held_out
from pellucid.report.outcome import Held, Outcome, Race, Task, Tuned
from pellucid.report.parting import FOLDS, folds_of, sample
from pellucid.report.plan import Plan, make_plan
from pellucid.report.prepare import Ready, Wish, open_table, prepare
from pellucid.report.race import Setting, Tell, run_race, tune, with_settings
from pellucid.report.reading import BUNDLED_TARGET
from pellucid.report.scaled import with_settings_at
from pellucid.report.suite import BASELINE, STACKING, Entrant, suite_for
from pellucid.report.task import OF_PROBABILITIES
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
    tell : is called with a few words before each step, and with the share of the work that is behind
    """
    if not (isinstance(minutes, int | float) and 0 < minutes < 10_000):
        raise ParameterError(sentence("report", "minutes must be a number above 0", f"got {minutes!r}"))
    if data is None and target is None:
        target = BUNDLED_TARGET
    wish = Wish(
        target, task, measure, float(minutes), seed, tuple(drop), group, time, tuple((parts or {}).items()), tuple(keep)
    )
    opened = open_table(data, wish, connect, tell, associations=True)
    if opened.task.target is None:
        from pellucid.report.without_target import explore

        return replace(explore(opened, wish, tell), origin=opened.taken.origin)
    return replace(_predict(Study(opened, prepare(opened, wish, tell), wish, tell)), origin=opened.taken.origin)


def compared(data: Any, wish: Wish, connect: str | None, tell: Tell = _silent) -> tuple[Race, Task]:
    """Only the comparison of a table's models."""
    ready = prepare(open_table(data, wish, connect, tell, associations=False), wish, tell)
    plan, setting, left = _race_of(ready, wish)
    return run_race(plan, setting, left, tell)[0], ready.task


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
    figures = held_out(ready.task, answers, floor, ready.y[held], held, resamples_of(ready, wish.seed))
    tell("fitting on all rows", 0.6)
    final = with_cleaning(model, ready, np.arange(len(ready.y)))
    metrics = {figure.word: figure.value for figure in figures.figures}
    everything = take_columns(ready.table, ready.columns.used)
    return final, figures, card_of(final, everything, ready.y, metrics=metrics, notes=f"target: {ready.task.target}")


def _predict(study: Study) -> Outcome:
    """Compares the models, searches for better settings of the leaders, and reports on the chosen one."""
    ready, tell = study.ready, study.tell
    plan, setting, left = _race_of(ready, study.wish)
    race, _ = run_race(plan, setting, left, tell)
    race, tuned = _search(race, plan, setting, ready, tell)
    name = _winner(race, tuned, setting.measure.sign)
    spec = next(one for one in plan.entrants if one.name == name)
    return conclude(study, Choice(race, tuned, spec, _with_best(spec, setting, tuned), plan, setting))


def _race_of(ready: Ready, wish: Wish) -> tuple[Plan, Setting, list[tuple[Entrant, str]]]:
    scoring = ready.task.measure.scoring if ready.task.measure is not None else ""
    entrants, left = suite_for(ready.for_classes, ready.columns, needs_probabilities=scoring in OF_PROBABILITIES)
    entrants = [entrant for entrant in entrants if len(ready.columns.used) >= entrant.least]
    plan = make_plan(entrants, ready.size, wish.minutes, FOLDS)
    train = ready.parting.train
    chosen = train[sample(ready.y[train], plan.rows, ready.for_classes, ready.parting.in_time, wish.seed)]
    y, structure = ready.y[chosen], ready.split_structure.of(chosen)
    folds = folds_of(y, ready.for_classes, structure, wish.seed)
    measure = ready.task.measure
    if measure is None:
        raise TypeError("a task with a target has a measure")
    return (
        plan,
        Setting(ready.seen(chosen), y, folds, measure, ready.columns, ready.for_classes, wish.seed, structure),
        left,
    )


def _search(race: Race, plan: Plan, setting: Setting, ready: Ready, tell: Tell) -> tuple[Race, tuple[Tuned, ...]]:
    """Better settings for the leaders that are not the baseline."""
    first = [c for c in race.candidates if c.scores and c.name != BASELINE][:LEADERS]
    known = {one.name: one for one in plan.entrants}
    leaders = [candidate for candidate in first if known[candidate.name].grid]
    tuned = []
    for candidate in leaders:
        size = replace(ready.size, rows=len(setting.y))
        found = tune(known[candidate.name], setting, size, candidate.mean, plan.search / len(leaders), tell)
        if found is not None:
            tuned.append(found)
            if _better(found.after, found.before, setting):
                race = with_settings(race, found)
    return race, tuple(tuned)


def _better(after: float, before: float, setting: Setting) -> bool:
    return setting.measure.sign * after > setting.measure.sign * before


def _winner(race: Race, tuned: tuple[Tuned, ...], sign: int) -> str:
    """The best after the search; the first of equals. A model that is made of others must be better by more than
    chance: one that can be explained is worth more."""
    best = {c.name: c.mean for c in race.candidates if c.scores}
    for found in tuned:
        ahead = sign * found.after > sign * best[found.name]
        best[found.name] = found.after if ahead else best[found.name]
    first = max(best, key=lambda name: sign * best[name])
    singles = [one.name for one in race.candidates if one.scores and one.name not in (STACKING, BASELINE)]
    if first == STACKING and any(race.of(name).verdict == "not told apart" for name in singles):
        return max(singles, key=lambda name: sign * best[name])
    return first


def _with_best(entrant: Entrant, setting: Setting, tuned: tuple[Tuned, ...]) -> Any:
    model = entrant.model(setting.for_classes, setting.seed, setting.columns)
    for found in tuned:
        if found.name == entrant.name and _better(found.after, found.before, setting):
            with_settings_at(model)[1].set_params(**found.best)
    return model
