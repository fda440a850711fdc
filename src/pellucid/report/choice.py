"""Which model is taken: the best one, or a simpler one that is practically equal and serves the task as well."""

from __future__ import annotations

from pellucid.report.candidates import BASELINE, STACKING, in_sentence, named
from pellucid.report.costs import COMPARING
from pellucid.report.outcome import Candidate, ModelComparison

# How much there is to read in a model: weights or one tree, many trees, everything else, a combination of models.
COMPLEXITY = {
    "linear": 1,
    "lasso": 1,
    "tree": 1,
    "discriminant": 1,
    "bayes": 2,
    "margin": 2,
    "boosting": 3,
    "forest": 3,
    "adaboost": 3,
    "neighbors": 4,
    "network": 4,
    "kernel": 4,
    STACKING: 5,
}


def choose(race: ModelComparison, n_classes: int) -> tuple[str, str]:
    """The name of the chosen model, and the reason where it is not simply the best; "" where it is.

    A model serves a classification if it gives probabilities, and does not predict one class only; of two classes with
    probabilities the latter is a matter of the threshold, which is chosen afterward. Among the best model and those
    that are practically equal to it, the simplest that serves is taken, of several classes one of those that predict
    the most of them. If none does, or the best one is a combination of several models, the best of those is taken that
    serve and are not shown to be worse. Where even the baseline is not shown to be worse, a model whose
    predictions take long gives way to the best of the others. If none of those serves either, see `_least_lacking`.

    Parameters
    ----------
    n_classes : 0 for a number
    """
    ran = [one for one in race.candidates if one.scores]
    best = ran[0]
    models = [one for one in ran if one.name != BASELINE]
    if best.name == BASELINE or not models:
        return best.name, ""
    serving = [one for one in models if not shortcomings(one, n_classes)]
    equal = [one for one in serving if one.verdict in ("best", "practically equal")]
    if equal:
        chosen = min(equal, key=lambda one: (_missed(one, n_classes), COMPLEXITY.get(one.name, 4), equal.index(one)))
        if chosen.name != STACKING:
            chosen = _quicker(chosen, serving, race)
            return chosen.name, _reason(chosen, best, n_classes)
    others = [one for one in serving if one.verdict != "worse" and one.name != STACKING]
    chosen = next(iter(others or equal), None) or _least_lacking(models, n_classes)
    return chosen.name, _reason(chosen, best, n_classes)


def _quicker(chosen: Candidate, serving: list[Candidate], race: ModelComparison) -> Candidate:
    """The best of the models that are not shown to be worse and whose predictions do not compare every row with the
    training rows, where the chosen one does so and even the baseline is not shown to be worse."""
    if chosen.name not in COMPARING or race.of(BASELINE).verdict == "worse":
        return chosen
    others = [one for one in serving if one.verdict != "worse" and one.name not in (*COMPARING, STACKING)]
    return others[0] if others else chosen


def shortcomings(candidate: Candidate, n_classes: int) -> list[str]:
    """What a classifier lacks, as predicates."""
    lacks = []
    if n_classes and not candidate.probabilities:
        lacks.append("gives no probabilities")
    if candidate.n_predicted == 1 and (n_classes > 2 or lacks):
        lacks.append(f"predicts only one of the {n_classes} classes in cross-validation")
    return lacks


def _predicts_more(one: Candidate, other: Candidate) -> bool:
    """Does a model predict several classes, of which another one only predicts a single one?"""
    return other.n_predicted == 1 and (one.n_predicted or 0) > 1


def _missed(candidate: Candidate, n_classes: int) -> int:
    """How many of several classes are never predicted."""
    return max(n_classes - (candidate.n_predicted or n_classes), 0) if n_classes > 2 else 0


def _least_lacking(models: list[Candidate], n_classes: int) -> Candidate:
    """The best model, of those that are not shown to be worse before the others; one that predicts one class only is
    not taken if any other predicts more."""
    if not n_classes:
        return models[0]
    close = [one for one in models if one.verdict != "worse"]
    return next((one for one in [*close, *models] if (one.n_predicted or 0) > 1), close[0])


def _reason(chosen: Candidate, best: Candidate, n_classes: int) -> str:
    """Why not the best one: what it lacks, or what speaks for another that is practically equal."""
    if chosen.name == best.name:
        return ""
    lacks = shortcomings(best, n_classes)
    if best.name == STACKING:
        lacks.append("combines several models, which are harder to explain and to export")
    relation = {"practically equal": "practically equal to {best}", "worse": "shown to be worse"}
    title = named(best.title)
    verdict = relation.get(chosen.verdict, "not shown to be worse").format(best=in_sentence(title))
    is_chosen = f"{named(chosen.title)} is chosen: it is {verdict}"
    if lacks:
        more = f", and predicts {chosen.n_predicted} of them there" if _predicts_more(chosen, best) else ""
        return f"{title} has the best mean score, but {' and '.join(lacks)}. {is_chosen}{more}."
    if _missed(chosen, n_classes) < _missed(best, n_classes):
        return f"{is_chosen}, and predicts more of the classes."
    if chosen.verdict == "not shown to differ":
        return f"{is_chosen}, and predicts without comparing each row with the rows learned from."
    return f"{is_chosen}, and simpler."
