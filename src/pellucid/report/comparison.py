"""The comparison of the models, and the search for better settings of the leaders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.slices import take_rows
from pellucid.model_selection import Comparison, CVResult, GridSearchCV, cross_validate
from pellucid.model_selection.comparison import ROPE
from pellucid.report.candidates import BASELINE, ModelSpec, named
from pellucid.report.columns import Columns
from pellucid.report.costs import Size
from pellucid.report.outcome import Candidate, Metric, ModelComparison, Tuned
from pellucid.report.page_text import cut, figures
from pellucid.report.plan import Plan
from pellucid.report.structure import RowStructure
from pellucid.report.target_scaling import with_settings_at

ProgressCallback = Callable[[str, float], None]  # what is done next, and the share of the work that is behind
Folds = list[tuple[Array, Array]]


@dataclass(frozen=True)
class Setting:
    """What all models of a comparison share: the rows, the folds, the metric.

    first_folds : how many of the folds divide all rows once; the others are further divisions
    latest : whether the rows are the latest of more that were not held out
    """

    X: Any
    y: Array
    folds: Folds
    measure: Metric
    columns: Columns
    for_classes: bool
    seed: int
    structure: RowStructure = field(default_factory=RowStructure)  # of these rows
    first_folds: int = 5
    latest: bool = False


@dataclass(frozen=True)
class Score:
    """One model on the folds.

    n_predicted : how many classes it predicts at least once for held-out rows; None for a number
    """

    validation: CVResult
    probabilities: bool
    n_predicted: int | None
    notes: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scored:
    """All models on the folds, and those that could not take part, with the reason."""

    scores: dict[str, Score]
    absent: tuple[tuple[ModelSpec, str], ...]


def score_models(plan: Plan, setting: Setting, left: list[tuple[ModelSpec, str]], tell: ProgressCallback) -> Scored:
    """Every model on the same folds. One that fails is left out, with the reason."""
    scores: dict[str, Score] = {}
    failed: list[tuple[ModelSpec, str]] = []
    behind = np.cumsum([0.0, *plan.shares])
    for position, spec in enumerate(plan.entrants, 1):
        tell(f"comparing models: {spec.title} ({position} of {len(plan.entrants)})", 0.05 + 0.5 * behind[position - 1])
        try:
            scores[spec.name] = score_model(spec.model(setting.for_classes, setting.seed, setting.columns), setting)
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            failed.append((spec, f"could not be fitted: {cut(' '.join(str(error).split()), 200)}"))
    if BASELINE not in scores or len(scores) < 2:
        why = failed[0][1] if failed else "there is none"
        raise DataError(format_message("report", "at least one model must learn from this table", actual=why))
    return Scored(scores, (*left, *plan.left, *failed))


def score_model(model: Any, setting: Setting) -> Score:
    """A model on all folds; the fitted ones are looked at, and not kept."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        first = _validate(model, setting, setting.folds[: setting.first_folds], keep=True)
        fitted = first.pop("estimator")
        later_folds = setting.folds[setting.first_folds :]
        validation = _joined(first, _validate(model, setting, later_folds, keep=False)) if later_folds else first
        n_predicted = _n_predicted(fitted, setting) if setting.for_classes else None
    notes = tuple(dict.fromkeys(str(warning.message) for warning in raised))
    return Score(validation, hasattr(fitted[0], "predict_proba"), n_predicted, notes)


def _validate(model: Any, setting: Setting, folds: Folds, keep: bool) -> CVResult:
    return cross_validate(
        model,
        setting.X,
        setting.y,
        cv=folds,
        scoring=setting.measure.scorer,
        return_estimator=keep,
        error_score="raise",
    )


def _joined(first: CVResult, second: CVResult) -> CVResult:
    joined = CVResult({key: np.concatenate([first[key], second[key]]) for key in first})
    n_first, n_rest = len(first["test_score"]), len(second["test_score"])
    joined.test_share = (n_first * first.test_share + n_rest * second.test_share) / (n_first + n_rest)
    return joined


def _n_predicted(fitted: list[Any], setting: Setting) -> int:
    """How many classes are predicted at least once, each row by the model that did not learn from it."""
    labels = [
        np.unique(model.predict(take_rows(setting.X, test)))
        for model, (_, test) in zip(fitted, setting.folds[: setting.first_folds], strict=True)
    ]
    return len(np.unique(np.concatenate(labels)))


# ------------------------------------------------------------------------------------------------------- comparison


def race_of(scored: Scored, plan: Plan, setting: Setting) -> ModelComparison:
    """Every model compared with the best one."""
    validations = {name: score.validation for name, score in scored.scores.items()}
    rope, units = _rope(validations[BASELINE], setting.measure)
    compared = Comparison.of(validations, rope=rope, fold_units=units)
    specs = {spec.name: spec for spec in plan.entrants}
    listed = [_candidate(specs[name], compared, scored.scores[name], setting.measure) for name in compared.names]
    listed += [Candidate(spec.name, spec.title, spec.about, why=why) for spec, why in scored.absent]
    words = comparison_words(listed, setting.measure, rope)
    repeats = round(len(setting.folds) / setting.first_folds)
    share = validations[compared.best].test_share
    return ModelComparison(
        tuple(listed), len(setting.y), len(setting.folds), words, share, repeats, rope, setting.latest
    )


def _rope(baseline: CVResult, measure: Metric) -> tuple[float, Floats | None]:
    """The region of practical equivalence, and the unit of each fold.

    It is a fiftieth of the way from the baseline to a perfect score. Errors have the scale of the target, which may
    differ from fold to fold where rows are in the order of time: they are compared in units of the error that the
    baseline makes on the same fold, but at least a tenth of its mean error.
    """
    scores = np.asarray(baseline["test_score"], dtype=np.float64)
    if measure.sign > 0:
        return ROPE * max(measure.perfect - float(scores.mean()), 0.0), None
    errors = -scores
    min_rope = 0.1 * float(errors.mean())
    return ROPE, np.maximum(errors, min_rope) if min_rope > 0 else None


def _candidate(spec: ModelSpec, compared: Comparison, score: Score, measure: Metric) -> Candidate:
    values, posteriors = compared.scores(spec.name), compared.posteriors.get(spec.name)
    return Candidate(
        spec.name,
        spec.title,
        spec.about,
        tuple(measure.read(float(value)) for value in values),
        measure.read(float(values.mean())),
        float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        p_worse=None if posteriors is None else posteriors.p_first,
        p_equal=None if posteriors is None else posteriors.p_equivalent,
        verdict=compared.verdict(spec.name),
        settings=score.settings,
        notes=score.notes,
        probabilities=score.probabilities,
        n_predicted=score.n_predicted,
    )


def comparison_words(candidates: list[Candidate], measure: Metric, rope: float) -> str:
    """The result of the comparison, in sentences that claim no more than the folds show."""
    best = candidates[0]
    titles = {
        verdict: [
            candidate.title for candidate in candidates if candidate.verdict == verdict and candidate.name != BASELINE
        ]
        for verdict in ("worse", "practically equal", "not shown to differ")
    }
    base = next(candidate for candidate in candidates if candidate.name == BASELINE)
    if best.name == BASELINE:
        text = "No model has a better mean score than the baseline."
        return text + (f" Shown to be worse than it: {', '.join(titles['worse'])}." if titles["worse"] else "")
    text = f"{named(best.title)} has the best {measure.mean_word}"
    if not titles["practically equal"] and not titles["not shown to differ"]:
        text += "; all others are shown to be worse." if titles["worse"] else "."
    else:
        text += "."
    if titles["practically equal"]:
        size = (
            f"{figures([rope])[0]}" if measure.sign > 0 else f"{100 * rope:g} % of the {measure.word} of the baseline"
        )
        text += f" Practically equal to it, with a difference below {size}: {', '.join(titles['practically equal'])}."
    if titles["not shown to differ"]:
        text += f" Not shown to be worse on these folds: {', '.join(titles['not shown to differ'])}."
    if base.verdict != "worse":
        text += " On these folds, even the baseline is not shown to be worse."
    return text


# --------------------------------------------------------------------------------------------------------- settings


def tune(
    spec: ModelSpec, setting: Setting, size: Size, before: float, seconds: float, tell: ProgressCallback
) -> Tuned | None:
    """Tries other settings of one leader on the first folds; None where there is nothing to try, or no time.

    Parameters
    ----------
    before : the mean score of the model with its defaults on these folds, for the reader
    """
    model = spec.model(setting.for_classes, setting.seed, setting.columns)
    step, last = with_settings_at(model)
    params = last.get_params()
    fewest = min(len(train) for train, _ in setting.folds)
    grid = {name: _possible(name, values, fewest) for name, values in spec.grid.items() if name in params}
    folds, cost = setting.folds[: setting.first_folds], spec.cost(size)
    # The best settings are scored on all folds afterward.
    affordable = (seconds - len(setting.folds) * cost) / max(len(folds) * cost, 1e-9)
    n_tried = _within(grid, int(max(affordable, 0.0)))
    if n_tried < 2:
        return None
    thinned_grid = _thinned(grid, n_tried)
    tell(f"looking for better settings: {spec.title}", 0.55)
    search = GridSearchCV(
        model,
        {f"{step}__{name}": values for name, values in thinned_grid.items()},
        cv=folds,
        scoring=setting.measure.scorer,
        refit=False,
        error_score="raise",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say of the model was noted in the comparison
        search.fit(setting.X, setting.y)
    means = np.asarray(search.cv_results_["mean_test_score"])
    order = np.argsort(-means, kind="stable")
    rows = [_without_step(search.cv_results_["params"][i], step) for i in order]
    table = tuple((row, setting.measure.read(float(means[i]))) for row, i in zip(rows, order, strict=True))
    return Tuned(spec.name, len(means), table[0][0], before, table[0][1], table)


def with_settings(scored: Scored, tuned: Tuned, spec: ModelSpec, setting: Setting) -> Scored:
    """The models, one of them with the settings that were found, scored on all folds."""
    score = score_model(tuned_model(spec, setting, tuned.best), setting)
    return replace(scored, scores={**scored.scores, spec.name: replace(score, settings=tuned.best)})


def tuned_model(spec: ModelSpec, setting: Setting, settings: dict[str, Any]) -> Any:
    """The unfitted pipeline of a model with settings that differ from the defaults."""
    model = spec.model(setting.for_classes, setting.seed, setting.columns)
    with_settings_at(model)[1].set_params(**settings)
    return model


def _possible(name: str, values: list[Any], n_rows: int) -> list[Any]:
    """Values of a parameter with which a model can learn from so few rows, and from the half of them."""
    return [value for value in values if name != "n_neighbors" or 2 * value <= n_rows]


def _within(grid: dict[str, list[Any]], max_settings: int) -> int:
    size = int(np.prod([len(values) for values in grid.values()])) if grid else 0
    return min(size, max_settings)


def _thinned(grid: dict[str, list[Any]], max_settings: int) -> dict[str, list[Any]]:
    """Fewer values of the parameter with the most, from its ends, until there are at most so many settings."""
    thinned = {name: list(values) for name, values in grid.items()}
    while len(list(product(*thinned.values()))) > max_settings:
        longest = max(thinned, key=lambda name: len(thinned[name]))
        if len(thinned[longest]) == 1:
            break
        thinned[longest].pop(0 if len(thinned[longest]) % 2 else -1)
    return thinned


def _without_step(params: dict[str, Any], step: str) -> dict[str, Any]:
    return {name.removeprefix(f"{step}__"): value for name, value in params.items()}
