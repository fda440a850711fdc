"""Scores by name, as scikit-learn calls them: ``scoring="neg_mean_squared_error"``. The higher the better, always."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.metrics import check_scoring as _sort_out
from sklearn.metrics import make_scorer

from pellucid.base.errors import ParameterError, format_message, join_some

__all__ = ["check_scoring", "get_scorer", "get_scorer_names", "make_scorer"]

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
    "roc_auc_ovr_weighted": ("roc_auc_score", {"multi_class": "ovr", "average": "weighted"}, "predict_proba"),
    "roc_auc_ovo_weighted": ("roc_auc_score", {"multi_class": "ovo", "average": "weighted"}, "predict_proba"),
    "top_k_accuracy": ("top_k_accuracy_score", {}, "score"),
    "specificity": ("specificity_score", {}, "predict"),
    "d2_absolute_error_score": ("d2_absolute_error_score", {}, "predict"),
    "average_precision": ("average_precision_score", {}, "score"),
}
for _name in ("f1", "precision", "recall", "jaccard"):
    _BY_NAME[_name] = (f"{_name}_score", {}, "predict")
    for _average in ("macro", "micro", "weighted"):
        _BY_NAME[f"{_name}_{_average}"] = (f"{_name}_score", {"average": _average, "pos_label": None}, "predict")
# Agreement of clusters with known classes.
for _name in (
    "adjusted_mutual_info",
    "adjusted_rand",
    "completeness",
    "fowlkes_mallows",
    "homogeneity",
    "mutual_info",
    "normalized_mutual_info",
    "rand",
    "v_measure",
):
    _BY_NAME[f"{_name}_score"] = (f"{_name}_score", {}, "predict")
# Losses: their negative is the score.
_LOSSES = {
    "neg_mean_absolute_error": ("mean_absolute_error", "predict"),
    "neg_mean_squared_error": ("mean_squared_error", "predict"),
    "neg_root_mean_squared_error": ("root_mean_squared_error", "predict"),
    "neg_median_absolute_error": ("median_absolute_error", "predict"),
    "neg_max_error": ("max_error", "predict"),
    "neg_mean_absolute_percentage_error": ("mean_absolute_percentage_error", "predict"),
    "neg_mean_squared_log_error": ("mean_squared_log_error", "predict"),
    "neg_root_mean_squared_log_error": ("root_mean_squared_log_error", "predict"),
    "neg_mean_poisson_deviance": ("mean_poisson_deviance", "predict"),
    "neg_mean_gamma_deviance": ("mean_gamma_deviance", "predict"),
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
        response_method: Any = ("decision_function", "predict_proba") if response == "score" else response
        return make_scorer(getattr(metrics, function), response_method=response_method, **arguments)
    if scoring in _LOSSES:
        function, response = _LOSSES[scoring]
        return make_scorer(getattr(metrics, function), response_method=response, greater_is_better=False)
    hint = f"names are {join_some(get_scorer_names(), 8)}"
    raise ParameterError(
        format_message("get_scorer", "scoring must be a name or a function", actual=f"got {scoring!r}", hint=hint)
    )


def check_scoring(estimator: Any, scoring: Any = None, raise_exc: bool = True) -> Any:
    """What scores an estimator: its own ``score`` for None, one scorer, or several that answer with a dict of scores.

    Parameters
    ----------
    scoring : None, a name, a function of (estimator, X, y), a list of names, or a dict of names and functions
    raise_exc : of several scorers one that fails raises its error; otherwise the others go on
    """
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if isinstance(scoring, list | tuple | set):
        scoring = {name: get_scorer(name) for name in scoring}
    elif isinstance(scoring, dict):
        scoring = {name: get_scorer(entry) for name, entry in scoring.items()}
    return _sort_out(estimator, scoring, raise_exc=raise_exc)
