"""Logistic and softmax regression, and odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import logistic_models as reference
from pellucid.reference.logistic_models import Bells, Planes

from ..frame import Example, PathName, answers

TIGHT = {"tol": 1e-12, "max_iter": 5000}


def column(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.float64).reshape(-1, 1)


def chances(path: PathName, X: Any, planes: Any) -> np.ndarray:
    return reference.probabilities(X, planes) if path == "reference" else planes.predict_proba(X)


def classes(path: PathName, X: Any, planes: Any) -> list[int]:
    return (reference.classify(X, planes) if path == "reference" else planes.predict(X)).tolist()


@answers("000-logistic-height-sex")
def height(example: Example, path: PathName) -> Mapping[str, Any]:
    """The line is given; bell curves of variance one around its zero have it as their log odds."""
    b, slope = float(example.settings["B0"]), float(example.settings["B1"])
    X, middle = column(example.data["height_cm"]), -b / slope
    means = np.array([[middle - slope / 2], [middle + slope / 2]])
    if path == "reference":
        model: Any = reference.from_naive_bayes(Bells(means, np.ones(1), np.full(2, 0.5)))
        score = reference.scores(X, model)[0, 0]
    else:
        from pellucid.linear_model import LogisticRegression

        model = LogisticRegression.from_naive_bayes(means=means, variances=[1.0])
        score = model.decision_function(X)[0]
    return {
        "P(male | height=150)": chances(path, X, model)[0, 1],
        "crisp class (1 = male)": classes(path, X, model)[0],
        "trace: linear term B0+B1*x": score,
    }


@answers("000-odds-from-probability")
def odds(example: Example, path: PathName) -> Mapping[str, Any]:
    (p,) = example.data["p"]
    if path == "reference":
        return {"odds": float(np.exp(reference.log_odds(p)))}
    from pellucid import stats

    return {"odds": stats.odds(p)}


@answers("002-logistic-iris-petal-width")
def petal_width(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = column(example.data["petal_width_cm"]), np.asarray(example.data["is_virginica"])
    at = column([1.0, 1.5, 1.7, 2.0])
    figures: dict[str, Any] = {
        "virginica petal width range, cm": [x[y == 1].min(), x[y == 1].max()],
        "other species petal width range, cm": [x[y == 0].min(), x[y == 0].max()],
        "number of flowers and of species": [len(y), len(y) // int(y.sum())],
    }
    found = []
    for solver in ("liblinear", "lbfgs"):
        model = _petal_model(path, x, y, example.settings["C"], solver)
        b, slope = (model.intercept, model.coef) if path == "reference" else (model.intercept_, model.coef_)
        found.append(classes(path, column(example.settings["query_cm"]), model))
        figures[f"decision boundary in cm, {solver} variant"] = float(-b[0] / slope[0, 0])
        figures[f"intercept and slope, {solver} variant"] = [b[0], slope[0, 0]]
        name = f"probability of virginica at 1.0, 1.5, 1.7, 2.0 cm, {solver} variant"
        figures[name] = chances(path, at, model)[:, 1]
    assert found[0] == found[1]
    figures["predicted classes for 1.7 cm and 1.5 cm (both variants)"] = found[0]
    return figures


def _petal_model(path: PathName, x: Any, y: Any, C: float, solver: str) -> Any:
    if path == "reference":
        return reference.minimize(x, y, C, penalize_intercept=solver == "liblinear")
    from pellucid.linear_model import LogisticRegression

    return LogisticRegression(C=C, penalty="l2", solver=solver, **TIGHT).fit(x, y)


@answers("002-softmax-iris-petals")
def petals(example: Example, path: PathName) -> Mapping[str, Any]:
    X = np.column_stack([example.data["petal_length_cm"], example.data["petal_width_cm"]])
    y, settings = np.asarray(example.data["target"]), example.settings
    if path == "reference":
        model: Any = reference.minimize(X, y, float(settings["C"]))
        W, b = model
    else:
        from pellucid.linear_model import LogisticRegression

        model = LogisticRegression(multi_class="multinomial", solver="lbfgs", C=settings["C"], **TIGHT).fit(X, y)
        W, b = model.coef_, model.intercept_
    query = np.array([settings["query"]], dtype=np.float64)
    there = chances(path, query, model)
    meet = np.linalg.solve(W[:1] - W[1:], b[1:] - b[:1])
    return {
        "predicted class for length 5 cm, width 2 cm": classes(path, query, model),
        "class probabilities for length 5 cm, width 2 cm": there,
        "class probabilities at the exact optimum": there[0],
        "percentages quoted in words, virginica and versicolor": [100 * there[0, 2], 100 * there[0, 1]],
        "where all boundaries meet every class has probability": chances(path, meet[None], model)[0],
        "point where the three boundaries meet (length, width)": meet,
        "scores s_k = intercept + w.x (rows: setosa, versicolor, virginica; columns: intercept, length, width), "
        "intercepts centered to sum zero": np.column_stack([b - b.mean(), W]),
        "trace: scores at the query": reference.scores(query, Planes(np.asarray(W), np.asarray(b)))[0],
    }
