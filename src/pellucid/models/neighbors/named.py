"""From a distance's name and settings, as users give them, to the metric that kernels know."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.models.neighbors.metric import ALIASES, KINDS, Metric

# What each takes beside its name. The Euclidean distance's square and its standardized and Mahalanobis's forms are
# Euclidean distances of other rows.
SETTINGS: dict[str, tuple[str, ...]] = dict.fromkeys(KINDS, ()) | {
    "minkowski": ("p", "w"),
    "sqeuclidean": (),
    "seuclidean": ("V",),
    "mahalanobis": ("V", "VI"),
}


def metric_named(who: str, name: str, given: Mapping[str, Any] | None = None, rows: Any = None) -> Metric:
    """The metric of a name, with its settings checked.

    ``rows`` are what the variances of "seuclidean" and the covariances of "mahalanobis" are computed from where they
    are not given.
    """
    name = ALIASES.get(name, name)
    settings = {key: value for key, value in (given or {}).items() if value is not None}
    _check_names(who, name, settings)
    if name == "minkowski":
        return _minkowski(who, float(settings.get("p", 2.0)), settings.get("w"))
    if name == "seuclidean":
        return Metric(stretch=1 / np.sqrt(_variances(who, settings.get("V"), rows)))
    if name == "mahalanobis":
        return Metric(turn=_root_of_inverse(who, settings.get("V"), settings.get("VI"), rows))
    return Metric("euclidean" if name == "sqeuclidean" else name)


def _check_names(who: str, name: str, settings: Mapping[str, Any]) -> None:
    if name not in SETTINGS:
        near = get_close_matches(str(name), [*SETTINGS, *ALIASES], n=2, cutoff=0.4) or ["euclidean", "manhattan"]
        hint = f"did you mean {' or '.join(map(repr, near))}? pairwise_distances lists all names"
        raise ParameterError(
            format_message(
                who, "metric must be a function or the name of a distance", actual=f"got {short_repr(name)}", hint=hint
            )
        )
    unknown = [key for key in settings if key not in SETTINGS[name]]
    if unknown:
        takes = " and ".join(SETTINGS[name]) or "no setting"
        raise ParameterError(format_message(who, f"metric {name!r} takes {takes}", actual=f"got {', '.join(unknown)}"))


def _minkowski(who: str, p: float, w: Any) -> Metric:
    if not p > 0:
        raise ParameterError(format_message(who, "p must be above 0", actual=f"got {p:g}"))
    stretch = None
    if w is not None:
        weight = np.asarray(w, dtype=np.float64)
        if weight.ndim != 1 or not (np.isfinite(weight) & (weight >= 0)).all():
            raise ParameterError(format_message(who, "w must be a list of weights of 0 or more, one a column"))
        stretch = weight if np.isinf(p) else weight ** (1 / p)
    kinds = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    return Metric(kinds.get(p, "minkowski"), p if np.isfinite(p) else 2.0, stretch)


def _variances(who: str, V: Any, rows: Any) -> Floats:
    variances = np.var(rows, axis=0, ddof=1, dtype=np.float64) if V is None else np.asarray(V, dtype=np.float64)
    if variances.ndim != 1 or not (variances > 0).all():
        hint = "leave constant columns out"
        raise DataError(format_message(who, "metric 'seuclidean' needs a variance above 0 of each column", hint=hint))
    return variances


def _root_of_inverse(who: str, V: Any, VI: Any, rows: Any) -> Floats:
    """L with ``L L' = V⁻¹``: Mahalanobis's distance is the Euclidean one of the rows x L."""
    if VI is not None:
        return _root(who, np.atleast_2d(np.asarray(VI, dtype=np.float64)), "VI")
    V = np.atleast_2d(np.cov(rows, rowvar=False, dtype=np.float64) if V is None else np.asarray(V, dtype=np.float64))
    # V = C C' gives V⁻¹ = (C⁻¹)' C⁻¹.
    return np.ascontiguousarray(np.linalg.inv(_root(who, V, "V")).T)


def _root(who: str, matrix: Floats, name: str) -> Floats:
    """Its Cholesky factor."""
    requirement = f"metric 'mahalanobis' needs a {name} that is symmetric and positive definite"
    hint = "drop columns that depend on others, or give VI"
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T, rtol=1e-8):
        raise DataError(format_message(who, requirement, actual=f"got one of shape {matrix.shape}", hint=hint))
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise DataError(format_message(who, requirement, actual="this one is not", hint=hint)) from None
    if np.diagonal(root).min() ** 2 <= 1e-14 * np.diagonal(matrix).max():
        raise DataError(format_message(who, requirement, actual="this one is singular up to rounding", hint=hint))
    return np.asarray(root)
