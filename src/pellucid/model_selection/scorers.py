"""Scores by name, as scikit-learn calls them: ``scoring="neg_mean_squared_error"``. The higher the better, always."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.metrics import make_scorer

from pellucid.base.errors import ParameterError, sentence, some

__all__ = ["get_scorer", "get_scorer_names"]

# name -> metric, its arguments, and which answer of a model it takes
_BY_NAME: dict[str, tuple[str, dict[str, Any], str]] = {
    "accuracy": ("accuracy_score", {}, "predict"),
    "balanced_accuracy": ("balanced_accuracy_score", {}, "predict"),
    "matthews_corrcoef": ("matthews_corrcoef", {}, "predict"),
    "r2": ("r2_score", {}, "predict"),
    "explained_variance": ("explained_variance_score", {}, "predict"),
    "roc_auc": ("roc_auc_score", {}, "score"),
    "roc_auc_ovr": ("roc_auc_score", {"multi_class": "ovr"}, "predict_proba"),
    "roc_auc_ovo": ("roc_auc_score", {"multi_class": "ovo"}, "predict_proba"),
    "average_precision": ("average_precision_score", {}, "score"),
}
for _name in ("f1", "precision", "recall", "jaccard"):
    _BY_NAME[_name] = (f"{_name}_score", {}, "predict")
    for _average in ("macro", "micro", "weighted"):
        _BY_NAME[f"{_name}_{_average}"] = (f"{_name}_score", {"average": _average, "pos_label": None}, "predict")
# Losses: their negative is the score.
_LOSSES = {
    "neg_mean_absolute_error": ("mean_absolute_error", "predict"),
    "neg_mean_squared_error": ("mean_squared_error", "predict"),
    "neg_root_mean_squared_error": ("root_mean_squared_error", "predict"),
    "neg_median_absolute_error": ("median_absolute_error", "predict"),
    "neg_max_error": ("max_error", "predict"),
    "neg_mean_absolute_percentage_error": ("mean_absolute_percentage_error", "predict"),
    "neg_mean_squared_log_error": ("mean_squared_log_error", "predict"),
    "neg_log_loss": ("log_loss", "predict_proba"),
    "neg_brier_score": ("brier_score_loss", "predict_proba"),
}


def get_scorer_names() -> list[str]:
    """The names that ``scoring`` may have.

    >>> "accuracy" in get_scorer_names()
    True
    """
    return sorted([*_BY_NAME, *_LOSSES])


def get_scorer(scoring: Any) -> Any:
    """A function of (estimator, X, y) from its name; a function as it is.

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[1], [2], [3]], [1, 2, 4])
    >>> round(get_scorer("neg_mean_squared_error")(model, [[1], [2], [3]], [1, 2, 4]), 6)
    -0.055556
    """
    if callable(scoring):
        return scoring
    metrics = import_module("pellucid.metrics")
    if scoring in _BY_NAME:
        function, arguments, response = _BY_NAME[scoring]
        answer: Any = ("decision_function", "predict_proba") if response == "score" else response
        return make_scorer(getattr(metrics, function), response_method=answer, **arguments)
    if scoring in _LOSSES:
        function, response = _LOSSES[scoring]
        return make_scorer(getattr(metrics, function), response_method=response, greater_is_better=False)
    hint = f"names are {some(get_scorer_names(), 8)}"
    raise ParameterError(sentence("get_scorer", "scoring must be a name or a function", f"got {scoring!r}", hint))
