"""The main job, from a table to an outcome: the steps in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import ParameterError, sentence, some
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array
from pellucid.data.slices import column_of, missing_in, n_rows_of, names_of, take_columns, take_rows
from pellucid.model_selection import diagnose
from pellucid.quality import ChangeLog, Cleaner, Findings, Profile, check, profile
from pellucid.quality.column import Look, look_at
from pellucid.report.cases import cases_of
from pellucid.report.cleaning import cleaning_steps
from pellucid.report.columns import MOST_ONE_HOT, MOST_WORDS, Columns, columns_of, roles_of
from pellucid.report.costs import Size
from pellucid.report.explain import effects_of, importance_of, second_opinion
from pellucid.report.held import Answers, held_out
from pellucid.report.outcome import Explanation, Held, Outcome, Race, Role, Task, Tuned
from pellucid.report.parting import FOLDS, Parting, folds_of, part, sample
from pellucid.report.plan import Plan, folds_within, make_plan, rows_within
from pellucid.report.race import Setting, Tell, run_race, tune, with_settings
from pellucid.report.reading import BUNDLED_TARGET, Taken, example_rows, take_in
from pellucid.report.scaled import with_settings_at
from pellucid.report.script import Recipe, script_of
from pellucid.report.suite import BASELINE, STACKING, Entrant, suite_for
from pellucid.report.task import find_task, with_classes
from pellucid.report.words import headline_of, summary_of, warnings_of
from pellucid.storage import ModelCard, card_of

LEADERS = 2  # whose settings are searched
MOST_PAIRED = 500  # columns, up to which every two are compared


@dataclass(frozen=True)
class Wish:
    """What the user asked for, beyond the table.

    target, task, measure : what to predict, of which kind, judged by what; found unless told
    minutes : how long it may take, about
    seed : of everything that is drawn
    drop : columns to leave out; group : rows with the same value stay together; time : the column of times, if later
        rows are predicted from earlier ones
    """

    target: str | None = None
    task: str | None = None
    measure: str | None = None
    minutes: float = 1.0
    seed: int = 0
    drop: tuple[str, ...] = ()
    group: str | None = None
    time: str | None = None


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
    connect: str | None = None,
    tell: Tell = _silent,
) -> Outcome:
    """Looks at a table, cleans it, compares models, explains the best one, and returns everything that was found.

    Parameters
    ----------
    data : path of a file, a dataframe, SQL (with ``connect``), or None for a table that comes with the package
    target : the column to predict; None to look for groups, outliers and components, rules or recommendations
    task : "two classes", "several classes", "number", "no target", "baskets" or "ratings"; found unless told
    measure : what models are judged by, such as "roc_auc", "accuracy" or "r2"; fits the task unless told
    minutes : about how long it may take; decides how many models are tried on how many rows, from sizes alone
    seed : of everything that is drawn at random; the same seed gives the same result
    drop : columns to leave out
    group : a column whose equal values mark rows that belong together: they are never parted by a split
    time : a column of times: later rows are kept back and predicted from earlier ones
    connect : the database of a query
    tell : is called with a few words before each step, and with the share of the work that is behind
    """
    if not (isinstance(minutes, int | float) and 0 < minutes < 10_000):
        raise ParameterError(sentence("report", "minutes must be a number above 0", f"got {minutes!r}"))
    tell("reading the table", 0.0)
    taken = take_in(data, connect)
    if data is None and target is None:
        target = BUNDLED_TARGET
    wish = Wish(target, task, measure, float(minutes), seed, tuple(drop), group, time)
    _check_columns(taken, wish)
    tell("describing and checking the table", 0.01)
    known = target is not None and target in names_of(taken.table)
    look = look_at(taken.table, "report", target if known else None, effective_threads(None))
    found_task = find_task(profile(look, associations=False), target, task, measure)
    described = profile(look, target=target, associations=len(look.columns) <= MOST_PAIRED)
    if found_task.target is None:
        from pellucid.report.without_target import explore

        return explore(taken, described, found_task, wish, tell)
    return _predict(taken, look, described, found_task, wish, tell)


def compared(data: Any, wish: Wish, connect: str | None, tell: Tell = _silent) -> tuple[Race, Task]:
    """Only the comparison of a table's models."""
    ready = _ready(data, wish, connect, tell)
    plan, setting, left = _race_of(ready, wish)
    return run_race(plan, setting, left, tell)[0], ready.task


def trained(
    data: Any, name: str, settings: dict[str, Any], wish: Wish, connect: str | None, tell: Tell = _silent
) -> tuple[Any, Held, ModelCard]:
    """One model of the suite: fitted on all rows, with its figures on rows that were kept back, and its card."""
    ready = _ready(data, wish, connect, tell)
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
    figures = held_out(ready.task, answers, floor, ready.y[held], held, wish.seed)
    tell("fitting on all rows", 0.6)
    final = _final(model, ready, np.arange(len(ready.y)))
    metrics = {figure.word: figure.value for figure in figures.figures}
    everything = take_columns(ready.table, ready.columns.used)
    return final, figures, card_of(final, everything, ready.y, metrics=metrics, notes=f"target: {ready.task.target}")


def _final(model: Any, ready: Ready, rows: Array) -> Any:
    """The model for the file: fitted on these rows, and cleaning new ones as the table was."""
    final = clone(model).fit(ready.seen(rows), ready.y[rows])
    final.steps[:0] = ready.cleaning
    return final


def _ready(data: Any, wish: Wish, connect: str | None, tell: Tell) -> Ready:
    tell("reading the table", 0.0)
    taken = take_in(data, connect)
    _check_columns(taken, wish)
    known = wish.target in names_of(taken.table)
    look = look_at(taken.table, "report", wish.target if known else None, effective_threads(None))
    described = profile(look, associations=False)
    return prepare(taken, look, described, find_task(described, wish.target, wish.task, wish.measure), wish, tell)


def _check_columns(taken: Taken, wish: Wish) -> None:
    names = names_of(taken.table)
    asked = [*wish.drop, *(name for name in (wish.group, wish.time) if name is not None)]
    unknown = [name for name in asked if name not in names]
    if unknown:
        found = f"there is no {some(map(repr, unknown))}; there are {some(map(repr, names), 12)}"
        raise ParameterError(sentence("report", "columns that are named must be in the table", found))


@dataclass(frozen=True)
class Ready:
    """A table ready for models: cleaned, its columns sorted by role, its rows parted."""

    table: Any
    y: Array
    columns: Columns
    roles: tuple[Role, ...]
    task: Task
    findings: Findings
    log: ChangeLog
    parting: Parting
    size: Size
    cleaning: list[tuple[str, Any]]  # steps that do to new rows what was done to these; none where nothing was

    @property
    def for_classes(self) -> bool:
        return self.task.kind != "number"

    def seen(self, rows: Array) -> Any:
        """The columns that models see, of some rows."""
        return take_rows(take_columns(self.table, self.columns.used), rows)


def prepare(taken: Taken, look: Look, described: Profile, task: Task, wish: Wish, tell: Tell) -> Ready:
    """Checks, cleans, and parts the rows."""
    target = str(task.target)
    found = check(look, target=target)
    findings = Findings([*taken.findings, *found], n_rows_of(taken.table), names_of(taken.table))
    tell("cleaning", 0.03)
    look.forget()  # codes and values of every column, while models need the memory
    cleaner = Cleaner(target=target).fit_found(taken.table, found)
    cleaned = cleaner.clean(taken.table)
    table = take_rows(cleaned.table, np.flatnonzero(~missing_in(cleaned.table, target)))
    y = column_of(table, target)
    if task.kind != "number":
        y = _labels(y)
        task = with_classes(task, y)
    else:
        y = np.asarray(y, dtype=np.float64)
    again = profile(table, associations=False) if len(cleaned.log) else described
    marks = tuple(name for name in (wish.group, wish.time) if name is not None)
    roles = roles_of(again, target, (*wish.drop, *marks))
    columns = columns_of(roles, again)
    if not columns.used:
        raise ParameterError(
            sentence("report", "there must be columns to learn from", "every column was left out", _why_left(roles))
        )
    groups = None if wish.group is None else column_of(table, wish.group)
    times = None if wish.time is None else column_of(table, wish.time)
    parting = part(y, task.kind != "number", _codes(groups), times, wish.seed)
    size = _size(len(parting.train), columns, again, task)
    later = cleaning_steps(cleaner.remedies_, take_columns(taken.table, columns.used))
    return Ready(table, y, columns, roles, task, findings, cleaned.log, parting, size, later)


def _size(rows: int, columns: Columns, described: Profile, task: Task) -> Size:
    """What the costs of models depend on. Few of a text's words are in any row, and few of all words split rows."""
    names = set(columns.categories)
    words = sum(min(one.distinct, MOST_ONE_HOT) for one in described.columns if str(one.name) in names)
    width = len(columns.numbers) + len(columns.gaps) + 4 * len(columns.times) + words
    width += (MOST_WORDS // 50) * len(columns.texts)
    split = (MOST_WORDS // 8) * len(columns.texts) if columns.only_texts else len(columns.used)
    return Size(rows, split, width, max(1, len(task.classes)))


def _labels(y: Array) -> Array:
    """Classes as words or whole numbers: numbers with decimals are words."""
    if y.dtype.kind == "O":
        return y.astype(str)
    if y.dtype.kind != "f":
        return y
    return y.astype(int) if (y == np.floor(y)).all() else y.astype(str)


def _why_left(roles: Sequence[Role]) -> str:
    return "; ".join(f"{role.column}: {role.why}" for role in roles[:3])


def _codes(values: Array | None) -> Array | None:
    return None if values is None else np.unique(values.astype(str), return_inverse=True)[1]


def _predict(taken: Taken, look: Look, described: Profile, task: Task, wish: Wish, tell: Tell) -> Outcome:
    ready = prepare(taken, look, described, task, wish, tell)
    plan, setting, left = _race_of(ready, wish)
    race, _ = run_race(plan, setting, left, tell)
    race, tuned = _search(race, plan, setting, ready, tell)
    name = _winner(race, tuned, setting.measure.sign)
    entrant = next(one for one in plan.entrants if one.name == name)
    model = _with_best(entrant, setting, tuned)
    return _conclude(taken, described, ready, wish, race, tuned, entrant, model, plan, setting, tell)


def _race_of(ready: Ready, wish: Wish) -> tuple[Plan, Setting, list[tuple[Entrant, str]]]:
    entrants, left = suite_for(ready.for_classes, ready.columns)
    entrants = [entrant for entrant in entrants if len(ready.columns.used) >= entrant.least]
    plan = make_plan(entrants, ready.size, wish.minutes, FOLDS)
    train = ready.parting.train
    chosen = train[sample(ready.y[train], plan.rows, ready.for_classes, wish.time is not None, wish.seed)]
    groups = None if wish.group is None else _codes(column_of(ready.table, wish.group))
    y = ready.y[chosen]
    folds = folds_of(y, ready.for_classes, None if groups is None else groups[chosen], wish.time is not None, wish.seed)
    measure = ready.task.measure
    if measure is None:
        raise TypeError("a task with a target has a measure")
    return plan, Setting(ready.seen(chosen), y, folds, measure, ready.columns, ready.for_classes, wish.seed), left


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


def _conclude(
    taken: Taken,
    described: Profile,
    ready: Ready,
    wish: Wish,
    race: Race,
    tuned: tuple[Tuned, ...],
    entrant: Entrant,
    model: Any,
    plan: Plan,
    setting: Setting,
    tell: Tell,
) -> Outcome:
    """The winner on the rows that were kept back, its diagnosis and explanations, and the model from all rows."""
    tell("fitting the winner, and trying it on the rows that were kept back", 0.75)
    held_rows, in_time = ready.parting.held, wish.time is not None
    fit_rows = rows_within(entrant, ready.size, plan.last)
    train = ready.parting.train
    train = train[sample(ready.y[train], fit_rows, ready.for_classes, in_time, wish.seed)]
    X_train, X_held, y_held = ready.seen(train), ready.seen(held_rows), ready.y[held_rows]
    fitted = clone(model).fit(X_train, ready.y[train])
    base = suite_for(ready.for_classes, ready.columns)[0][0].model(ready.for_classes, wish.seed, ready.columns)
    answers = Answers(fitted, X_held, ready.task)
    held = held_out(
        ready.task,
        answers,
        Answers(base.fit(X_train, ready.y[train]), X_held, ready.task),
        y_held,
        held_rows,
        wish.seed,
    )
    tell("diagnosing and explaining", 0.8)
    perfect = 0.0 if setting.measure.sign < 0 else 1.0
    rows = sample(
        setting.y,
        rows_within(entrant, replace(ready.size, rows=len(setting.y)), plan.last / 8),
        ready.for_classes,
        in_time,
        wish.seed,
    )
    diagnosis = diagnose(
        clone(model),
        take_rows(setting.X, rows),
        setting.y[rows],
        cv=folds_within(entrant, replace(ready.size, rows=len(rows)), 2 * plan.last),
        scoring=setting.measure.scoring,
        perfect=perfect,
        random_state=wish.seed,
    )
    likely = [str(one.column) for one in described.with_target]
    importance = importance_of(fitted, X_held, y_held, setting.measure, wish.seed, likely)
    explanation = Explanation(
        importance,
        effects_of(fitted, X_held, importance, ready.columns, wish.seed),
        second_opinion(fitted, X_train, X_held, y_held, ready.task, ready.columns, wish.seed),
        cases_of(fitted, X_held, y_held, answers, ready.task, ready.table, held_rows),
    )
    tell("fitting the model on all rows", 0.95)
    every = sample(
        ready.y,
        rows_within(entrant, replace(ready.size, rows=len(ready.y)), plan.last),
        ready.for_classes,
        in_time,
        wish.seed,
    )
    final = _final(model, ready, every)
    recipe = Recipe(
        taken.lines,
        str(ready.task.target),
        "str" if ready.y.dtype.kind == "U" else "int" if ready.y.dtype.kind in "iu" else "",
        model,
        ready.columns.used,
        entrant.form,
        (*wish.drop, *(name for name in (wish.group, wish.time) if name is not None)),
        wish.seed,
        None if len(every) == len(ready.y) else len(every),
        wish.time,
        bool(ready.cleaning),
    )
    outcome = Outcome(
        taken.source,
        ready.task,
        "",
        (),
        (),
        described,
        ready.findings,
        ready.log,
        ready.roles,
        wish.seed,
        race,
        entrant.name,
        tuned,
        held,
        diagnosis,
        explanation,
        script=script_of(recipe),
        examples=example_rows(ready.findings, taken.table),
        model=final,
        table=ready.table,
    )
    return replace(
        outcome,
        headline=headline_of(outcome),
        summary=summary_of(outcome, ready.parting.words, len(every)),
        warnings=warnings_of(outcome, wish.time, wish.group),
    )
