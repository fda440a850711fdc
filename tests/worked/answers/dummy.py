"""The baselines on a target that can be worked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.reference import dummy as reference

from ..frame import Example, PathName, answers

BY_HAND = {
    "id": "dummy-baselines",
    "data": {"y": [2.0, 9.0, 4.0, 5.0], "labels": ["no", "yes", "no", "no"], "weight": [1, 3, 1, 1]},
    "settings": {"quantile": 0.25},
    "expected": [
        {"what": "mean", "value": 5.0, "tolerance": 1e-12},
        {"what": "median", "value": 4.5, "tolerance": 1e-12},
        {"what": "lower quartile, position 0.75", "value": 3.5, "tolerance": 1e-12},
        {"what": "weighted mean (2 + 27 + 4 + 5) / 6", "value": 38 / 6, "tolerance": 1e-12},
        {"what": "weighted median of 2 4 5 9 9 9", "value": 7.0, "tolerance": 1e-12},
        {"what": "majority", "value": "no"},
        {"what": "share of yes", "value": 0.25, "tolerance": 1e-12},
        {"what": "weighted share of yes", "value": 0.5, "tolerance": 1e-12},
    ],
    "trace": [],
}


@answers("dummy-baselines", own=BY_HAND)
def baselines(example: Example, path: PathName) -> Mapping[str, Any]:
    y, labels, weight = (example.data[name] for name in ("y", "labels", "weight"))
    q = example.settings["quantile"]
    names = [figure.name for figure in example.figures]
    return dict(zip(names, (_reference if path == "reference" else _kernel)(y, labels, weight, q), strict=True))


def _reference(y: list[float], labels: list[str], weight: list[int], q: float) -> list[Any]:
    return [
        reference.mean(y),
        reference.median(y),
        reference.quantile(y, q),
        reference.mean(y, weight),
        reference.median(y, weight),
        reference.majority(labels),
        reference.shares(labels)["yes"],
        reference.shares(labels, weight)["yes"],
    ]


def _kernel(y: list[float], labels: list[str], weight: list[int], q: float) -> list[Any]:
    from pellucid.dummy import DummyClassifier, DummyRegressor

    X = [[0.0]] * len(y)

    def constant(strategy: str, **fit: Any) -> float:
        return float(DummyRegressor(strategy=strategy, quantile=q).fit(X, y, **fit).predict([[0.0]])[0])

    def share(**fit: Any) -> float:
        return float(DummyClassifier().fit(X, labels, **fit).predict_proba([[0.0]])[0, 1])

    return [
        constant("mean"),
        constant("median"),
        constant("quantile"),
        constant("mean", sample_weight=weight),
        constant("median", sample_weight=weight),
        DummyClassifier().fit(X, labels).predict([[0.0]])[0],
        share(),
        share(sample_weight=weight),
    ]
