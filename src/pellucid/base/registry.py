"""What the library offers: every public estimator, by name and role."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from pellucid.base.errors import ParameterError, format_message

ROLES = ("classifier", "regressor", "transformer", "clusterer", "outlier_detector", "rule_miner", "recommender")


def families() -> list[str]:
    """Subpackages that hold estimators: those whose ``__init__`` exports by discovery."""
    root = Path(__file__).parent.parent
    inits = sorted(root.glob("*/__init__.py"))
    return [init.parent.name for init in inits if "base.family" in init.read_text(encoding="utf-8")]


def all_estimators(role: str | None = None) -> list[tuple[str, type[Any]]]:
    """Every public estimator as (name, class), sorted by name.

    Parameters
    ----------
    role : str, optional
        Only those with this role: "classifier", "regressor", "transformer", "clusterer", "outlier_detector",
        "rule_miner" or "recommender".

    Examples
    --------
    >>> from pellucid import all_estimators
    >>> "LinearRegression" in dict(all_estimators("regressor"))
    True
    """
    if role is not None and role not in ROLES:
        raise ParameterError(
            format_message("all_estimators", f"role must be one of {', '.join(ROLES)}", actual=f"got {role!r}")
        )
    found = []
    for family in families():
        module = import_module(f"pellucid.{family}")
        for name in module.__all__:
            cls = getattr(module, name)
            if isinstance(cls, type) and hasattr(cls, "get_params") and role in (None, role_of(cls)):
                found.append((name, cls))
    return sorted(found)


def role_of(cls: type[Any]) -> str | None:
    """The role of an estimator class, as scikit-learn's tags tell it."""
    tags = cls().__sklearn_tags__()
    if tags.estimator_type is None and tags.transformer_tags is not None:
        return "transformer"
    return None if tags.estimator_type is None else str(tags.estimator_type)
