"""Worked examples of support vector machines: streets, slack, and the walk down the slope of the hinge."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Floats
from pellucid.linear_model import SGDClassifier
from pellucid.preprocessing import StandardScaler
from pellucid.svm import SVC, LinearSVC
from pellucid.working.expression import Expr, expr
from pellucid.working.gallery_base import Example, cell_of, example
from pellucid.working.language import count, sum_, where
from pellucid.working.model import Working


@example("000-svm-subgradient")
def subgradient(e: Example) -> Working:
    X, y = np.column_stack([e.data["X1"], e.data["X2"]]), np.asarray(e.data["Y"])
    strength = e.settings["lambda"]
    model = SGDClassifier(
        "hinge",
        alpha=strength,
        learning_rate="invscaling",
        eta0=1 / strength,
        power_t=1.0,
        order="given",
        fit_intercept=False,
        max_iter=e.settings["epochs"],
        tol=None,
    ).fit(X, y)
    return model.show_fit(X, y)  # type: ignore[no-any-return]


@example("002-linear-svc-iris-virginica")
def virginica(e: Example) -> Working:
    X = np.column_stack([e.data["petal_length_cm"], e.data["petal_width_cm"]])
    y = np.asarray(e.data["is_virginica"])
    scaler = StandardScaler().fit(X)
    Z = scaler.transform(X)
    model = LinearSVC(C=e.settings["C"], loss="hinge", tol=1e-9, max_iter=100_000, random_state=0).fit(Z, y)
    w: Working = model.show_fit(Z, y)
    t, f, z = (cell_of(w, name) for name in ("t", "score", "slack"))
    w.step("Errors", "A row on the wrong side of the plane, or in the street; on the plane itself is the first class.")
    w.cell("errors", sum_(where(t * where(f > 1e-6, 1, -1) < 0, 1, 0)), symbol="e", label="training errors")
    w.cell("violations", sum_(where(z > 1e-6, 1, 0)), symbol="v", label="rows in the street or beyond it")
    C = w.given("price_of_slack", float(e.settings["C"]), symbol="C_0", label="C")
    w.cell("alpha", 1 / (count(t) * C), symbol=r"\alpha", label="the alpha of SGDClassifier with loss='hinge'")
    w.step("A new flower", "Scaled like the others.")
    score: Expr = expr(cell_of(w, "intercept"))
    for j, name in enumerate(("length", "width")):
        m = w.given(f"mean_{name}", float(scaler.mean_[j]), symbol=rf"\mu_{{{j + 1}}}", label=f"mean of {name}")
        s = w.given(f"deviation_{name}", float(scaler.scale_[j]), symbol=rf"\sigma_{{{j + 1}}}", label="deviation")
        q = w.given(f"new_{name}", float(e.settings["query"][j]), symbol=f"q_{{{j + 1}}}", label=f"its {name}")
        u = w.cell(f"scaled_{name}", (q - m) / s, symbol=f"u_{{{j + 1}}}", label=f"{name}, scaled")
        score = score + cell_of(w, f"w_{j + 1}") * u
    value = w.cell("new_score", score, symbol="f^*", label="its score")
    w.cell("new_class", where(value > 0, 1.0, 0.0), symbol=r"\hat{y}", label="its class")
    return w


def _two_sides(w: Floats, on_line: Floats) -> tuple[Floats, list[int]]:
    """Two rows whose street has the given weights: half a street from a point of the line on either side."""
    return np.array([on_line - w / (w @ w), on_line + w / (w @ w)]), [-1, 1]


@example("003-hessian-normal-form")
def normal_form(e: Example) -> Working:
    X, y = _two_sides(np.array(e.data["normal_unscaled"], dtype=float), np.array(e.data["x0"]))
    model = SVC(kernel="linear", C=1e6).fit(X, y)
    w: Working = model.show_fit(X, y)
    w.step("Normal form", "Weights and intercept divided by the length of the weights.")
    b, square = cell_of(w, "intercept"), cell_of(w, "square")
    length = w.cell("length", square**0.5, symbol="L_w", label="length of w")
    n = [w.cell(f"n_{j + 1}", cell_of(w, f"w_{j + 1}") / length, symbol=f"n_{{{j + 1}}}", label="unit normal")
         for j in range(2)]  # fmt: skip
    d = w.cell("d", b / length, symbol="d", label="offset")
    point = [
        w.given(f"point_{j + 1}", float(v), symbol=f"p_{{{j + 1}}}", label="a point") for j, v in enumerate((2, 1))
    ]
    w.cell("distance", n[0] * point[0] + n[1] * point[1] + d, symbol="s", label="its signed distance")
    return w


@example("003-svm-hard-margin")
def hard_margin(e: Example) -> Working:
    X = np.vstack([e.data["class_plus"], e.data["class_minus"]])
    y = np.array([1] * len(e.data["class_plus"]) + [-1] * len(e.data["class_minus"]))
    model = SVC(kernel="linear", C=float("inf"), tol=1e-8).fit(X, y)
    w: Working = model.show_fit(X, y)
    w.step("Lines", "x2 where the score is 0, 1 and -1: a slope, and an offset each.")
    w1, w2, b = (cell_of(w, name) for name in ("w_1", "w_2", "intercept"))
    w.cell("slope", -w1 / w2, symbol="k", label="slope")
    for name, edge in (("middle", 0), ("plus", 1), ("minus", -1)):
        w.cell(f"offset_{name}", -(b - edge) / w2, symbol=f"o_{{{name}}}", label=f"where the score is {edge}")
    w.cell("origin", b / cell_of(w, "square") ** 0.5, symbol="d", label="distance of the line from the origin")
    return w


@example("003-svm-soft-margin-slack")
def soft_margin(e: Example) -> Working:
    weights, b = np.array(e.data["w"]), e.data["b"]
    X, y = _two_sides(weights, -b * weights / (weights @ weights))
    model = SVC(kernel="linear", C=1e6).fit(X, y)
    w: Working = model.show_fit(X, y)
    w.step("Three points", "The score of each, and what it lacks on its own side.")
    for name, point in e.data["points"].items():
        t = w.given(f"t_{name}", float(e.data["labels"][name]), symbol=f"t_{{{name[-1]}}}", label="class")
        f: Expr = expr(cell_of(w, "intercept"))
        for j, v in enumerate(point):
            x = w.given(f"{name}_{j + 1}", float(v), symbol=f"x_{{{name[-1]},{j + 1}}}", label=f"{name}")
            f = f + cell_of(w, f"w_{j + 1}") * x
        score = w.cell(f"f_{name}", f, symbol=f"f_{{{name[-1]}}}", label="score")
        lack = where(t * score < 1, 1 - t * score, 0)
        w.cell(f"z_{name}", lack, symbol=f"z_{{{name[-1]}}}", label="slack")
    return w
