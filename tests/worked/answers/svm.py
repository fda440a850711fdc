"""Answers by ``SVC``, ``LinearSVC`` and, for the walk down the hinge's slope, ``SGDClassifier``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import linear_svc as linear_reference
from pellucid.reference import stochastic_gradient as walks
from pellucid.reference import svc as reference

from ..frame import Example, PathName, answers

Array = NDArray[np.float64]
# At the optimum row 83 of the iris example lies on the plane itself: its score is 0 but for rounding, so not positive.
ON_THE_PLANE = 1e-6


@answers("000-svm-subgradient")
def subgradient(example: Example, path: PathName) -> Mapping[str, Any]:
    """Of the rate 1 / (lambda t) a step along the slope of the hinge and of lambda/2 |w|² is the one printed."""
    X = np.column_stack([example.data["X1"], example.data["X2"]])
    y, strength, epochs = example.data["Y"], example.settings["lambda"], example.settings["epochs"]
    if path == "reference":
        run = walks.walk(
            X, walks.one_against_the_rest(y, 1), walks.losses()["hinge"], lambda t: 1 / (strength * t), l2=strength,
            max_iter=epochs, fit_intercept=False,
        )  # fmt: skip
        theta = np.array([one.coef for one in run.updates])
        score, last = np.array([one.score for one in run.updates]), run.coef
        said = np.where(X @ last < 0, -1, 1)
    else:
        from pellucid.linear_model import SGDClassifier

        model = SGDClassifier(
            "hinge", alpha=strength, learning_rate="invscaling", eta0=1 / strength, power_t=1.0, order="given",
            fit_intercept=False, max_iter=epochs, tol=None,
        )  # fmt: skip
        columns, rows = model.fit_with_history(X, y)["steps"]
        theta = rows[:, [columns.index("theta_1"), columns.index("theta_2")]]
        score, last, said = rows[:, columns.index("score")], model.coef_[0], model.predict(X)
    output = score * np.tile(y, epochs)
    steps = {
        f"trace: {t + 1}": {
            "t": t + 1,
            "row": t + 1,
            "output": float(output[t].round(8)),
            "support_vector": bool(output[t] < 1),
            **{f"B{j + 1}": float(theta[t, j].round(9)) for j in range(2)},
        }
        for t in range(2)
    }
    return {
        **{f"output at t={t + 1}": output[t] for t in range(2)},
        **{f"B{j + 1} after t={t + 1}": theta[t, j] for t in range(2) for j in range(2)},
        **{f"B{j + 1} after {len(theta)} updates": last[j] for j in range(2)},
        "raw output per training row": X @ last,
        "crisp predictions": said,
        "training accuracy in percent": round(100 * float(np.mean(said == np.array(y)))),
        **steps,
    }


@answers("002-linear-svc-iris-virginica")
def virginica(example: Example, path: PathName) -> Mapping[str, Any]:
    X = np.column_stack([example.data["petal_length_cm"], example.data["petal_width_cm"]])
    y, C = np.array(example.data["is_virginica"], dtype=float), example.settings["C"]
    query = np.array(example.settings["query"])
    if path == "reference":
        mean, deviation = X.mean(axis=0), X.std(axis=0)
        Z, z = (X - mean) / deviation, (query - mean) / deviation
        found = linear_reference.classify(Z, 2 * y - 1, C, squared=False)
        coef, intercept, objective = found.coef, found.intercept, found.objective
        value = float(coef @ z + intercept)
        label, scores = float(value > 0), Z @ coef + intercept
        lacking = np.array([reference.slack(t, s) for t, s in zip(2 * y - 1, scores, strict=True)])
    else:
        from pellucid.preprocessing import StandardScaler
        from pellucid.svm import LinearSVC

        scaler = StandardScaler().fit(X)
        mean, deviation = scaler.mean_, scaler.scale_
        Z, z = scaler.transform(X), scaler.transform(query[None])
        model = LinearSVC(C=C, loss="hinge", tol=1e-9, max_iter=100_000, random_state=0).fit(Z, y)
        coef, intercept, objective = model.coef_[0], model.intercept_[0], model.objective_[0]
        value, label = model.decision_function(z)[0], float(model.predict(z)[0])
        scores, lacking = model.decision_function(Z), model.slacks(Z, y)
    return {
        "predicted class for length 5.5 cm, width 1.7 cm": [label],
        "decision value there": value,
        "weights on the scaled features and bias": [*coef, intercept],
        "optimal objective (primal = dual)": objective,
        "training errors": int(((scores > ON_THE_PLANE) != (y == 1)).sum()),
        "feature means and standard deviations used for scaling": [*mean, *deviation],
        "trace: instances inside the street or misclassified (margin violations)": int((lacking > 1e-6).sum()),
        'trace: equivalent alpha for SGDClassifier(loss="hinge"), 1/(m*C)': 1 / (len(y) * C),
    }


def equation(w: Array, b: float) -> str:
    """A line through whole numbers, in words."""
    return f"{w[0]:.0f}x + {w[1]:.0f}y - {-b:.0f} = 0"


@answers("003-hessian-normal-form")
def normal_form(example: Example, path: PathName) -> Mapping[str, Any]:
    """On the path of the kernel the line is the border between two rows on either side of it, at x0 ± w / |w|²."""
    w, x0 = np.array(example.data["normal_unscaled"], dtype=float), np.array(example.data["x0"])
    if path == "reference":
        b = float(-w @ x0)
        n, d, length = reference.normal_form(w, b)
        distance = reference.signed_distance(w, b, [2, 1])
    else:
        from pellucid.svm import SVC

        model = SVC(kernel="linear", C=1e6).fit([x0 - w / (w @ w), x0 + w / (w @ w)], [-1, 1])
        w, b, length = model.coef_[0], float(model.intercept_[0]), 2 / float(model.margin_[0])
        n, d = w / length, b / length
        distance = float(model.decision_function([[2, 1]])[0]) / length
    return {
        "unit normal": n,
        "length of (2,3)": length,
        "d = -n.x0": d,
        "implicit equation": equation(w, b),
        "signed distance of the point (2,1), which the picture draws on the line": distance,
    }


def _line(slope: float, offset: float) -> str:
    sign = "+" if offset >= 0 else "-"
    assert abs(slope - 1) < 1e-6
    return f"x2 = x1 {sign} {abs(offset):.0f}"


@answers("003-svm-hard-margin")
def hard_margin(example: Example, path: PathName) -> Mapping[str, Any]:
    plus, minus = np.array(example.data["class_plus"]), np.array(example.data["class_minus"])
    X, t = np.vstack([plus, minus]), np.array([1] * len(plus) + [-1] * len(minus))
    if path == "reference":
        machine = reference.classify(X, t, 1e6)
        w, b = machine.weights, machine.intercept
        scores = np.array([machine.score(x) for x in X])
        margin = 2 / reference.normal_form(w, b)[2]
    else:
        from pellucid.svm import SVC

        model = SVC(kernel="linear", C=float("inf"), tol=1e-8).fit(X, t)
        w, b, margin = model.coef_[0], float(model.intercept_[0]), float(model.margin_[0])
        scores = model.decision_function(X)
    on_edge = np.abs(np.abs(scores) - 1) < 1e-6  # four rows share the street: which of them hold it is not unique
    slope, lines = -w[0] / w[1], [-(b - edge) / w[1] for edge in (0, 1, -1)]
    return {
        "support vectors of class plus": X[on_edge & (t == 1)],
        "support vectors of class minus": X[on_edge & (t == -1)],
        "w": w,
        "b": b,
        "margin 2/||w||": margin,
        "distance of the line from the origin b/||w||": b * margin / 2,
        "decision line": _line(slope, lines[0]),
        "margin lines": [_line(slope, line) for line in lines[1:]],
    }


@answers("003-svm-soft-margin-slack")
def soft_margin(example: Example, path: PathName) -> Mapping[str, Any]:
    """On the path of the kernel the line is the border between the two rows at half a street on either side of it."""
    w, b = np.array(example.data["w"]), example.data["b"]
    names = list(example.data["points"])
    X = np.array([example.data["points"][name] for name in names])
    t = np.array([example.data["labels"][name] for name in names])
    if path == "reference":
        scores = X @ w + b
        slacks = np.array([reference.slack(one, score) for one, score in zip(t, scores, strict=True)])
    else:
        from pellucid.svm import SVC

        on_line = -b * w / (w @ w)
        model = SVC(kernel="linear", C=1e6).fit([on_line - w / (w @ w), on_line + w / (w @ w)], [-1, 1])
        scores, slacks = model.decision_function(X), model.slacks(X, t)
    return {
        "[point, f(x), slack]": [[n, s, z] for n, s, z in zip(names, scores, slacks, strict=True)],
        "only x_i is on the wrong side (slack > 1)": [n for n, z in zip(names, slacks, strict=True) if z > 1],
    }
