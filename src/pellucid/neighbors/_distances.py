"""From the words of an estimator (metric, p, metric_params) to a distance that an index knows."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.metrics._booleans import BOOLEAN
from pellucid.models.neighbors.metric import ALIASES, KINDS, Metric
from pellucid.models.neighbors.named import metric_named
from pellucid.neighbors._measures import Flagged, Measure, Texts, Written

PRECOMPUTED, GOWER, MISSING = "precomputed", "gower", "nan_euclidean"
OF_TEXTS = ("edit", "damerau", "jaro_winkler")
# Distances that are a plain one of rows that were stretched, turned, centered or squared.
PREPARED = ("seuclidean", "mahalanobis", "sqeuclidean", "correlation")
NAMES = (*KINDS, *PREPARED, *BOOLEAN, *OF_TEXTS, GOWER, PRECOMPUTED)
# Sums over columns in their own units: there the scale of a column decides how much it counts.
BY_SCALE = ("euclidean", "manhattan", "chebyshev", "minkowski", "sqeuclidean", MISSING)
# What `metric_params` may hold.
SETTINGS: dict[str, tuple[str, ...]] = {
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
    "mahalanobis": ("V", "VI"),
    "edit": ("insert", "delete", "substitute"),
    "jaro_winkler": ("prefix_weight",),
}


@dataclass(frozen=True)
class Distance:
    """A distance as it is used: a kernel's own, or a measure that fills a table.

    name, params : scikit-learn's effective metric and its parameters
    metric : the kernel's
    measure : what gives a table of distances, where no kernel has this one
    centered : are rows brought to mean 0 first?
    squared : are distances squared?
    """

    name: Any
    params: dict[str, Any] = field(default_factory=dict)
    metric: Metric | None = None
    measure: Measure | None = None
    centered: bool = False
    squared: bool = False

    @property
    def by_scale(self) -> bool:
        """Does the scale of a column decide how much it counts?"""
        return self.name in BY_SCALE and self.params.get("w") is None

    @property
    def is_kernel(self) -> bool:
        return self.metric is not None

    def ready(self, rows: Any) -> Any:
        """Rows in the form in which an index takes them."""
        return rows - rows.mean(axis=1, keepdims=True) if self.centered else rows


def fault_of_name(metric: Any) -> str | None:
    """What is wrong with the name of a metric."""
    if callable(metric) or metric in NAMES or metric in ALIASES:
        return None
    close = difflib.get_close_matches(str(metric), [*NAMES, *ALIASES], 1)
    known = repr(close[0]) + " or another known one" if close else join_some(NAMES, 6)
    return f"metric must be a function of two rows or a name such as {known}; got {metric!r}"


def named_distance(metric: Any, p: Any, metric_params: dict[str, Any] | None, who: str) -> Distance:
    """Name and parameters, checked, before any row is seen: scikit-learn's `effective_metric_`."""
    settings = dict(metric_params or {})
    if callable(metric):
        return Distance(metric, settings, measure=Written(metric, settings))
    name = ALIASES.get(metric, metric)
    known = SETTINGS.get(name, ())
    unknown = [key for key in settings if key not in known]
    if unknown:
        takes = f"metric {metric!r} takes {join_some(map(repr, known)) if known else 'none'}"
        raise ParameterError(
            format_message(
                who, f"metric_params must be known to the metric; {takes}", actual=f"got {join_some(unknown)}"
            )
        )
    if name == "minkowski":
        return _minkowski(settings, 2 if p is None else p, who)
    if name in OF_TEXTS:
        _check_costs(settings, who)
        return Distance(name, settings, measure=Texts(name, tuple(sorted(settings.items()))))
    if name in BOOLEAN:
        return Distance(name, measure=Flagged(name))
    return Distance(metric, settings, metric=Metric(name) if name in KINDS else None)


def _check_costs(settings: dict[str, Any], who: str) -> None:
    """Costs of edits, and the weight of a prefix."""
    for name, value in settings.items():
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not 0 <= value < np.inf:
            raise ParameterError(
                format_message(who, f"{name} must be a number of 0 or more", actual=f"got {short_repr(value)}")
            )


def _minkowski(settings: dict[str, Any], p: Any, who: str) -> Distance:
    p, w = settings.get("p", p), settings.get("w")
    if not isinstance(p, (int, float, np.number)) or isinstance(p, bool) or not p > 0:
        raise ParameterError(format_message(who, "p must be a number above 0", actual=f"got {p!r}"))
    plain = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(float(p))
    if w is None:
        return Distance(plain, metric=Metric(plain)) if plain else _power(p, None)
    return _power(p, w, plain)


def _power(p: Any, w: Any, plain: str | None = None) -> Distance:
    return Distance(
        "minkowski", {"p": p, "w": w}, metric=Metric(plain or "minkowski", float(p) if plain is None else 2.0)
    )


def settled(distance: Distance, rows: Any, who: str) -> Distance:
    """The distance with what it takes from the fitted rows: widths of columns, covariances."""
    name = distance.name
    if name in ("seuclidean", "mahalanobis", "sqeuclidean") or (
        name == "minkowski" and distance.params["w"] is not None
    ):
        metric = metric_named(who, name, distance.params, rows)
        if metric.stretch is not None and metric.stretch.shape != (rows.shape[1],):
            requirement = f"metric_params must have one number a column, {rows.shape[1]}"
            raise ParameterError(format_message(who, requirement, actual=f"got {len(metric.stretch)}"))
        return replace(distance, metric=metric, squared=name == "sqeuclidean")
    if name == "correlation":
        return replace(distance, metric=Metric("cosine"), centered=True)
    if name == "haversine" and rows.shape[1] != 2:
        requirement = "haversine is the distance of points given by latitude and longitude in radians"
        raise DataError(
            format_message(who, f"{requirement}, two columns", actual=f"got {count(rows.shape[1], 'column')}")
        )
    return distance
