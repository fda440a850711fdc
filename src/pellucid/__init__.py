"""Pellucid: classical machine learning that is fast, at home with scikit-learn, and shows its working."""

from importlib import import_module as _import_module
from typing import Any as _Any

__version__ = "0.1.0"

_SUBPACKAGES = (
    "association",
    "boosting",
    "calibration",
    "cluster",
    "datasets",
    "decomposition",
    "discriminant_analysis",
    "dummy",
    "ensemble",
    "export",
    "feature_selection",
    "impute",
    "inspection",
    "isotonic",
    "linear_model",
    "metrics",
    "model_selection",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "outliers",
    "pipeline",
    "plotting",
    "preprocessing",
    "quality",
    "recommend",
    "reference",
    "report",
    "rules",
    "semi_supervised",
    "stats",
    "storage",
    "svm",
    "text",
    "tree",
    "working",
)
_ELSEWHERE = {"all_estimators": "pellucid.base.registry", "load": "pellucid.storage", "save": "pellucid.storage"}
__all__ = ["__version__", "all_estimators", "load", "save", *_SUBPACKAGES]


def __getattr__(name: str) -> _Any:
    """Loads subpackages when they are first asked for: `import pellucid` alone stays light."""
    if name in _SUBPACKAGES:
        return _import_module(f"pellucid.{name}")
    if name in _ELSEWHERE:
        return getattr(_import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module 'pellucid' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
