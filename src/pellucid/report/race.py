"""The comparison of the models, and the search for better settings of the leaders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, sentence
from pellucid.base.types import Array
from pellucid.model_selection import Comparison, GridSearchCV, Validation, cross_validate
from pellucid.report.columns import Columns
from pellucid.report.costs import Size
from pellucid.report.outcome import Candidate, Measure, Race, Tuned
from pellucid.report.plan import Plan
from pellucid.report.scaled import with_settings_at
from pellucid.report.structure import RowStructure
from pellucid.report.suite import BASELINE, Entrant

Tell = Callable[[str, float], None]  # what is done next, and the share of the work that is behind
Folds = list[tuple[Array, Array]]


@dataclass(frozen=True)
class Setting:
    """What all models of a race share: the rows, the folds, the measure."""

    X: Any
    y: Array
    folds: Folds
    measure: Measure
    columns: Columns
    for_classes: bool
    seed: int
    structure: RowStructure = field(default_factory=RowStructure)  # of these rows


def run_race(plan: Plan, setting: Setting, left: list[tuple[Entrant, str]], tell: Tell) -> tuple[Race, Comparison]:
    """Every entrant on the same folds. One that fails is left out, with the reason."""
    found: dict[str, Validation] = {}
    failed: list[tuple[Entrant, str]] = []
    notes: dict[str, tuple[str, ...]] = {}
    behind = np.cumsum([0.0, *plan.shares])
    for place, entrant in enumerate(plan.entrants, 1):
        tell(f"comparing models: {entrant.title} ({place} of {len(plan.entrants)})", 0.05 + 0.5 * behind[place - 1])
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                found[entrant.name] = _validate(entrant, setting)
            notes[entrant.name] = tuple(dict.fromkeys(str(one.message) for one in said))
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            failed.append((entrant, f"could not be fitted: {' '.join(str(error).split())[:200]}"))
    if BASELINE not in found or len(found) < 2:
        why = failed[0][1] if failed else "there is none"
        raise DataError(sentence("report", "at least one model must learn from this table", why))
    tested = Comparison.of(found, setting.X, setting.y, setting.folds)
    absent = [*left, *plan.left, *failed]
    titles = {entrant.name: entrant for entrant in plan.entrants}
    ordered = [replace(_candidate(titles[name], tested, setting.measure), notes=notes[name]) for name in tested.names]
    ordered += [Candidate(entrant.name, entrant.title, entrant.about, why=why) for entrant, why in absent]
    words = _words(tested, {name: titles[name].title for name in tested.names})
    share = found[tested.best].test_share
    return Race(tuple(ordered), len(setting.y), len(setting.folds), words, share), tested


def _validate(entrant: Entrant, setting: Setting) -> Validation:
    model = entrant.model(setting.for_classes, setting.seed, setting.columns)
    return cross_validate(
        model,
        setting.X,
        setting.y,
        cv=setting.folds,
        scoring=setting.measure.scoring,
        return_estimator=True,
        error_score="raise",
    )


def _candidate(entrant: Entrant, tested: Comparison, measure: Measure) -> Candidate:
    scores = tested.scores(entrant.name)
    best = entrant.name == tested.best
    p = None if best else tested.adjusted[(tested.best, entrant.name)]
    verdict = "best" if best else "worse" if tested.is_real(tested.best, entrant.name) else "not told apart"
    return Candidate(
        entrant.name,
        entrant.title,
        entrant.about,
        tuple(measure.read(float(score)) for score in scores),
        measure.read(float(scores.mean())),
        float(scores.std(ddof=1)) if len(scores) > 1 else 0.0,
        p=p,
        verdict=verdict,
    )


def _words(tested: Comparison, titles: dict[str, str]) -> str:
    best = titles[tested.best][0].upper() + titles[tested.best][1:]
    equal = [titles[name] for name in tested.as_good_as_best() if name != tested.best]
    if tested.best == BASELINE:
        return "No model beats the baseline: what the table says about the target cannot be told from chance."
    if not equal:
        return f"{best} has the best mean score, and its lead over every other model is more than chance."
    shown = ", ".join(equal)
    text = f"{best} has the best mean score; on these folds it cannot be told from: {shown}."
    if BASELINE in tested.as_good_as_best():
        text += " Not even the baseline is shown to be worse: nothing was learned that can be relied on."
    return text


# --------------------------------------------------------------------------------------------------------- settings


def tune(entrant: Entrant, setting: Setting, size: Size, before: float, seconds: float, tell: Tell) -> Tuned | None:
    """Tries other settings of one leader on the folds of the race; None where there is nothing to try, or no time."""
    model = entrant.model(setting.for_classes, setting.seed, setting.columns)
    step, last = with_settings_at(model)
    known = last.get_params()
    grid = {name: values for name, values in entrant.grid.items() if name in known}
    each = len(setting.folds) * entrant.cost(size)
    tried = _within(grid, int(seconds / max(each, 1e-9)))
    if tried < 2:
        return None
    chosen = _thinned(grid, tried)
    tell(f"looking for better settings: {entrant.title}", 0.55)
    search = GridSearchCV(
        model,
        {f"{step}__{name}": values for name, values in chosen.items()},
        cv=setting.folds,
        scoring=setting.measure.scoring,
        refit=False,
        error_score="raise",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say of the model was noted in the race
        search.fit(setting.X, setting.y)
    means = np.asarray(search.cv_results_["mean_test_score"])
    order = np.argsort(-means, kind="stable")
    rows = [_without_step(search.cv_results_["params"][i], step) for i in order]
    table = tuple((row, setting.measure.read(float(means[i]))) for row, i in zip(rows, order, strict=True))
    return Tuned(entrant.name, len(means), table[0][0], before, table[0][1], table)


def _within(grid: dict[str, list[Any]], most: int) -> int:
    size = int(np.prod([len(values) for values in grid.values()])) if grid else 0
    return min(size, most)


def _thinned(grid: dict[str, list[Any]], most: int) -> dict[str, list[Any]]:
    """Fewer values of the parameter with the most, from its ends, until there are at most so many settings."""
    chosen = {name: list(values) for name, values in grid.items()}
    while len(list(product(*chosen.values()))) > most:
        longest = max(chosen, key=lambda name: len(chosen[name]))
        if len(chosen[longest]) == 1:
            break
        chosen[longest].pop(0 if len(chosen[longest]) % 2 else -1)
    return chosen


def _without_step(params: dict[str, Any], step: str) -> dict[str, Any]:
    return {name.removeprefix(f"{step}__"): value for name, value in params.items()}


def with_settings(race: Race, tuned: Tuned) -> Race:
    """The race with the settings that a candidate ended up with."""
    listed = [replace(c, settings=tuned.best) if c.name == tuned.name else c for c in race.candidates]
    return replace(race, candidates=tuple(listed))
