"""Worked examples of logistic and softmax regression, and of odds."""

from __future__ import annotations

import numpy as np

from pellucid import stats
from pellucid.base.types import Floats
from pellucid.linear_model import LogisticRegression
from pellucid.working.entry import show
from pellucid.working.expression import Axis, Cell, expr
from pellucid.working.gallery_base import Example, cell_of, column, example, parts_of
from pellucid.working.language import count, lookup, max_, min_, rounded, sum_, where
from pellucid.working.matrix import Grid, Inverse
from pellucid.working.model import Working

TIGHT = 1e-12  # of solvers, where the figures are those of the optimum


def with_line(intercept: float, slope: float) -> LogisticRegression:
    """The logistic model of one column that has this line: that of two bell curves of variance one."""
    middle = -intercept / slope  # means slope/2 to either side of it
    return LogisticRegression.from_naive_bayes(means=[[middle - slope / 2], [middle + slope / 2]], variances=[1.0])


@example("000-logistic-height-sex")
def height(e: Example) -> Working:
    model = with_line(float(e.settings["B0"]), float(e.settings["B1"]))
    w: Working = model.show_predict(column(e.data["height_cm"]))
    w.intro = "The coefficients are given: the linear score, its odds, the probability, and the class."
    return w


@example("000-odds-from-probability")
def odds(e: Example) -> Working:
    (p,) = e.data["p"]
    return parts_of(("odds", "Odds", show(stats.odds, p)), ("log", "Log odds", show(stats.log_odds, p)))


@example("002-logistic-iris-petal-width")
def petal_width(e: Example) -> Working:
    x, y = column(e.data["petal_width_cm"]), np.asarray(e.data["is_virginica"])
    new = column([1.0, 1.5, 1.7, 2.0])
    sections = []
    for solver in ("liblinear", "lbfgs"):
        model = LogisticRegression(solver=solver, C=e.settings["C"], tol=TIGHT, max_iter=1000).fit(x, y)
        sections.append((solver, f"Solver {solver}", model.show_fit(x, y)))
        sections.append((f"{solver}_new", f"New flowers, {solver}", model.show_predict(new, rows=[0, 1, 2, 3])))
    w = parts_of(*sections)
    w.intro = "Is a flower Iris virginica? With a penalized intercept (liblinear) and with a free one."
    w.step("Boundaries", "Where the score is zero, both classes have probability one half.")
    for solver in ("liblinear", "lbfgs"):
        b, beta = cell_of(w, f"{solver}.intercept"), cell_of(w, f"{solver}.coef_1")
        w.cell(f"boundary_{solver}", -b / beta, symbol=r"x^*", label=f"boundary in cm, {solver}")
    w.step("Widths", "How far the two groups of flowers reach.")
    width, inside = cell_of(w, "lbfgs.x"), cell_of(w, "lbfgs.is_1")
    far = float(x.max()) + 1
    w.cell("virginica_least", min_(where(inside > 0, width, far)), symbol="v_0", label="narrowest virginica")
    w.cell("virginica_most", max_(where(inside > 0, width, 0)), symbol="v_1", label="widest virginica")
    w.cell("other_least", min_(where(inside > 0, far, width)), symbol="o_0", label="narrowest other")
    w.cell("other_most", max_(where(inside > 0, 0, width)), symbol="o_1", label="widest other")
    w.cell("flowers", count(width), symbol="n", label="flowers")
    w.cell("species", count(width) / sum_(inside), symbol="k", label="species, of as many flowers each")
    return w


@example("002-softmax-iris-petals")
def petals(e: Example) -> Working:
    X = np.column_stack([e.data["petal_length_cm"], e.data["petal_width_cm"]])
    y = np.asarray(e.data["target"])
    settings = {"C": float(e.settings["C"]), "multi_class": e.settings["multi_class"], "solver": e.settings["solver"]}
    model = LogisticRegression(**settings, tol=TIGHT, max_iter=5000).fit(X, y)
    w = parts_of(
        ("fit", "Fit", model.show_fit(X, y)),
        ("new", "New flower", model.show_predict(np.array([e.settings["query"]], dtype=np.float64))),
    )
    w.intro = "Three species by two measures of their petals: scores, exponentials, probabilities."
    w.step("In per cent", "The probabilities of the two likely species.")
    probabilities = cell_of(w, "new.probabilities_0")
    for name, k in (("virginica", 3), ("versicolor", 2)):
        w.cell(f"percent_{name}", rounded(100 * lookup(probabilities, k), 1), symbol=f"q_{k}", label=f"per cent {name}")
    _meeting_point(w, model)
    return w


def _meeting_point(w: Working, model: LogisticRegression) -> None:
    """Where all three scores are equal: two linear equations."""
    w.step("Where the boundaries meet", "There all scores are equal: W differs by rows, and so do the intercepts.")
    pairs, axis = Axis("pair", ["1 and 2", "1 and 3"], "i", "2"), Axis("column", ["length", "width"], "j", "2")

    def coef(k: int, j: int) -> Cell:
        return cell_of(w, f"fit.coef_{k}_{j}")

    coef_differences = [[coef(1, j) - coef(k, j) for j in (1, 2)] for k in (2, 3)]
    intercept_differences = [[cell_of(w, f"fit.intercept_{k}") - cell_of(w, "fit.intercept_1")] for k in (2, 3)]
    A = w.block("A", Grid(coef_differences, pairs, axis), symbol="A", label="differences of coefficients")
    b = w.block("c", Grid(intercept_differences, pairs, Axis("", ["c"])), symbol="c", label="differences of intercepts")
    point = w.block("point", Inverse(A) @ b, axis, Axis("", ["cm"]), symbol="x", label="the point")
    at: Floats = np.asarray(model.predict_proba(point.value.T), dtype=np.float64)
    kinds = Axis("class", ["setosa", "versicolor", "virginica"], "k", "K")
    w.given("there", at[0], kinds, symbol="p", label="probabilities there, as the model has them")
    w.cell("third", expr(1) / 3, symbol="p^*", label="one third", equals=float(at[0, 0]), attribute="predict_proba(x)",
           tolerance=1e-6)  # fmt: skip
