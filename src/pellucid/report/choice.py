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
    ran = [candidate for candidate in race.candidates if candidate.scores]
    best = ran[0]
    models = [candidate for candidate in ran if candidate.name != BASELINE]
    if best.name == BASELINE or not models:
        return best.name, ""
    serving = [candidate for candidate in models if not shortcomings(candidate, n_classes)]
    equal = [candidate for candidate in serving if candidate.verdict in ("best", "practically equal")]
    if equal:
        selected = min(
            equal,
            key=lambda candidate: (
                _missed(candidate, n_classes),
                COMPLEXITY.get(candidate.name, 4),
                equal.index(candidate),
            ),
        )
        if selected.name != STACKING:
            selected = _quicker(selected, serving, race)
            return selected.name, _reason(selected, best, n_classes)
    not_worse = [candidate for candidate in serving if candidate.verdict != "worse" and candidate.name != STACKING]
    selected = next(iter(not_worse or equal), None) or _least_lacking(models, n_classes)
    return selected.name, _reason(selected, best, n_classes)


def _quicker(selected: Candidate, serving: list[Candidate], comparison: ModelComparison) -> Candidate:
    """The best of the models that are not shown to be worse and whose predictions do not compare every row with the
    training rows, where the chosen one does so and even the baseline is not shown to be worse."""
    if selected.name not in COMPARING or comparison.of(BASELINE).verdict == "worse":
        return selected
    not_worse = [
        candidate
        for candidate in serving
        if candidate.verdict != "worse" and candidate.name not in (*COMPARING, STACKING)
    ]
    return not_worse[0] if not_worse else selected


def shortcomings(candidate: Candidate, n_classes: int) -> list[str]:
    """What a classifier lacks, as predicates."""
    lacks = []
    if n_classes and not candidate.probabilities:
        lacks.append("gives no probabilities")
    if candidate.n_predicted == 1 and (n_classes > 2 or lacks):
        lacks.append(f"predicts only one of the {n_classes} classes in cross-validation")
    return lacks


def _predicts_more(candidate: Candidate, reference: Candidate) -> bool:
    """Does a model predict several classes, of which another one only predicts a single one?"""
    return reference.n_predicted == 1 and (candidate.n_predicted or 0) > 1


def _missed(candidate: Candidate, n_classes: int) -> int:
    """How many of several classes are never predicted."""
    return max(n_classes - (candidate.n_predicted or n_classes), 0) if n_classes > 2 else 0


def _least_lacking(models: list[Candidate], n_classes: int) -> Candidate:
    """The best model, of those that are not shown to be worse before the others; one that predicts one class only is
    not taken if any other predicts more."""
    if not n_classes:
        return models[0]
    close = [model for model in models if model.verdict != "worse"]
    return next((model for model in [*close, *models] if (model.n_predicted or 0) > 1), close[0])


def _reason(selected: Candidate, best: Candidate, n_classes: int) -> str:
    """Why not the best one: what it lacks, or what speaks for another that is practically equal."""
    if selected.name == best.name:
        return ""
    lacks = shortcomings(best, n_classes)
    if best.name == STACKING:
        lacks.append("combines several models, which are harder to explain and to export")
    relation = {"practically equal": "practically equal to {best}", "worse": "shown to be worse"}
    title = named(best.title)
    verdict = relation.get(selected.verdict, "not shown to be worse").format(best=in_sentence(title))
    is_chosen = f"{named(selected.title)} is chosen: it is {verdict}"
    if lacks:
        more = f", and predicts {selected.n_predicted} of them there" if _predicts_more(selected, best) else ""
        return f"{title} has the best mean score, but {' and '.join(lacks)}. {is_chosen}{more}."
    if _missed(selected, n_classes) < _missed(best, n_classes):
        return f"{is_chosen}, and predicts more of the classes."
    if selected.verdict == "not shown to differ":
        return f"{is_chosen}, and predicts without comparing each row with the rows learned from."
    return f"{is_chosen}, and simpler."
