"""The door of every function that fits a model to folds: table, target, model and splitter are looked at once."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.validation import _num_samples

from pellucid.base.errors import DataError, ParameterError, format_message

__all__ = ["check_model", "read_folds", "splitter_of"]

Folds = list[tuple[Any, Any]]


def check_model(who: str, model: Any) -> None:
    """It must be an estimator."""
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "get_params"):
        hint = f"make one: {model.__name__}()" if isinstance(model, type) else ""
        raise ParameterError(format_message(who, "the model must be an estimator", actual=f"got {model!r}", hint=hint))


def read_folds(
    who: str, model: Any, X: Any, y: Any, groups: Any, cv: Any, shuffled: Any = False, least: int = 1
) -> tuple[Any, Any, Folds]:
    """Table and target as they can be cut into rows, and the folds as (training rows, rows held out).

    A number of folds means folds in order, as in scikit-learn; with a seed in `shuffled`, of shuffled rows.
    """
    check_model(who, model)
    try:
        X, y, groups = indexable(X, y, groups)
        if _num_samples(X) == 0:
            raise DataError(format_message(who, "X must have rows to split", actual="it has none"))
        if shuffled is False:
            splitter = check_cv(cv, y, classifier=is_classifier(model))
        else:
            splitter = splitter_of(cv, y, is_classifier(model), shuffled)
        folds = [(train, test) for train, test in splitter.split(X, y, groups)]
    except DataError:
        raise
    except ValueError as error:
        raise DataError(format_message(who, str(error).rstrip("."))) from error
    if len(folds) < least:
        raise ParameterError(format_message(who, "there must be two folds or more", actual=f"cv gives {len(folds)}"))
    return X, y, folds


def splitter_of(cv: Any, y: Any, classifier: bool, random_state: Any) -> Any:
    """A number of folds means shuffled ones: tables are often sorted, and folds in order would each miss a part."""
    found = check_cv(cv, y, classifier=classifier)
    if isinstance(cv, int) and hasattr(found, "shuffle"):
        found = type(found)(cv, shuffle=True, random_state=random_state)
    return found
