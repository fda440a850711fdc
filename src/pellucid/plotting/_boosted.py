"""What pictures of boosted trees read off a model: rounds, losses after each of them, and answers along one column."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from pellucid.base.errors import NotFittedError, ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Floats
from pellucid.boosting._losses import mean_loss
from pellucid.boosting._model import BoostedModel
from pellucid.plotting._read import column_names, name_of
from pellucid.plotting._style import plain

# What the axis of a loss is called.
LOSSES = {
    "squared_error": "mean of (y − f)² / 2",
    "absolute_error": "mean of |y − f|",
    "quantile": "mean quantile loss",
    "huber": "mean Huber loss",
    "poisson": "mean Poisson loss",
}


def check_boosted(who: str, model: Any) -> Any:
    """The model, if it is a fitted one of `pellucid.boosting`."""
    if not isinstance(model, BoostedModel):
        requirement = "model must be boosted trees of pellucid.boosting"
        hint = "such as BoostedTreesClassifier; staged_error draws AdaBoost"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(model)}", hint=hint))
    if not model.__sklearn_is_fitted__():
        raise NotFittedError(format_message(who, f"this {type(model).__name__} is not fitted", hint="call fit first"))
    return model


def asked_rounds(who: str, model: Any, rounds: Any, min_round: int) -> list[int]:
    """Numbers of rounds that the model has, in their order, each once."""
    last = int(model.n_estimators_)
    requested = list(rounds) if isinstance(rounds, Iterable) else [rounds]
    for value in requested:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not min_round <= value <= last:
            raise ParameterError(
                format_message(who, f"rounds must be whole numbers from {min_round} to {last}", actual=f"got {value!r}")
            )
    if not requested:
        raise ParameterError(format_message(who, "rounds must name at least one round", actual="got none"))
    return sorted({int(value) for value in requested})


def noted_losses(who: str, model: Any) -> tuple[Floats, Floats | None, str | None]:
    """What a fit with rows held out has noted down: losses, losses or scores, and the name of the score."""
    if not hasattr(model, "train_losses_"):
        requirement = "the model must have seen rows held out, or X and y be given"
        hint = "boosting_loss(model, X, y), or fit it with X_val and y_val, or with early_stopping=True"
        raise ParameterError(format_message(who, requirement, actual="it has no train_losses_", hint=hint))
    train, scores = np.asarray(model.train_losses_), np.asarray(model.validation_scores_)
    if isinstance(model.scoring, str) and model.scoring == "loss":
        return train, -scores, None
    name = model.scoring if isinstance(model.scoring, str) else getattr(model.scoring, "__name__", "score")
    return train, scores, str(name)


def losses_of(model: Any, X: Any, y: Any) -> Floats:
    """The mean loss of some rows after each round."""
    d = model._validate_predict(X)
    model._attach_known(d, y)
    loss, goal = model._loss(d), d.y[:, 0]
    return np.array([mean_loss(loss, goal, scores) for scores in model._staged_scores(d)])


def loss_name(model: Any) -> str:
    """What is on the axis."""
    if is_classifier(model):
        return "mean log loss"
    return LOSSES.get(model.loss, "mean loss") if isinstance(model.loss, str) else "mean loss"


def goal_of(who: str, model: Any, y: Any, label: Any) -> tuple[int, Any, str]:
    """Which class is drawn, the target as numbers, and what the axis is called."""
    if not is_classifier(model):
        if label is not None:
            raise ParameterError(
                format_message(who, "label is for classifiers", actual=f"got {short_repr(label)} for a regressor")
            )
        return 0, y, plain(name_of(y))
    classes = np.asarray(model.classes_).tolist()
    if label is not None and label not in classes:
        raise ParameterError(
            format_message(
                who, f"label must be one of {join_some(map(repr, classes))}", actual=f"got {short_repr(label)}"
            )
        )
    index = len(classes) - 1 if label is None else classes.index(label)
    is_class = np.asarray(y).ravel() == model.classes_[index]
    return index, is_class.astype(np.float64), f"probability of {plain(str(classes[index]))}"


def cuts_of(model: Any, rounds: int, low: float, high: float) -> list[float]:
    """Where the trees of the first rounds have steps, between two ends."""
    thresholds: set[float] = set()
    for t in range(rounds * len(model.base_score_)):
        cuts = model.forest.tree(t).threshold
        thresholds.update(cuts[(cuts > low) & (cuts < high)].tolist())
    return sorted(thresholds)


def column_like(model: Any, X: Any, column: Floats) -> Any:
    """A column as a table, of the kind of X where the model knows columns by their names."""
    names = column_names(X) if hasattr(model, "feature_names_in_") else None
    return column[:, None] if names is None else type(X)({names[0]: column})


def answers_of(model: Any, scores: Floats, index: int) -> Floats:
    """Probabilities of a class, or numbers."""
    predictions = model._probabilities(scores)[:, index] if is_classifier(model) else model._answers(scores)
    return np.asarray(predictions, dtype=np.float64)
