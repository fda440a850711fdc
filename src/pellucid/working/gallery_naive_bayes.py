"""Worked examples about naive Bayes of numbers and flags: bell curves on ten rows, and two words in e-mails."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Floats
from pellucid.naive_bayes import BernoulliNB, GaussianNB
from pellucid.working.expression import Cell, Expr
from pellucid.working.gallery_base import Example, cell_of, example, parts_of
from pellucid.working.language import equal, exp, lookup, mean, pi, sqrt, sum_, where
from pellucid.working.model import Working


@example("000-gaussian-naive-bayes")
def ten_rows(e: Example) -> Working:
    X, y = np.column_stack([e.data["X1"], e.data["X2"]]), np.asarray(e.data["Y"])
    model = GaussianNB(ddof=1, var_smoothing=0).fit(X, y)
    w = parts_of(
        ("fit", "Fit", model.show_fit(X, y)),
        ("row", "The first row", model.show_predict(X, rows=[0])),
    )
    w.title = e.title
    columns = [cell_of(w, f"fit.x_{j}") for j in (1, 2)]
    w.step("All rows", "The same product for every row, in both classes, and the larger of the two.")
    scores = []
    for k in (1, 2):
        product: Expr = lookup(cell_of(w, "fit.prior"), k)
        for j, x in enumerate(columns, start=1):
            product = product * _density(x, *_bell(w, j, k))
        scores.append(w.cell(f"score_{k - 1}", product, symbol=f"s_{{{k - 1}}}", label=f"score of class {k - 1}"))
    predictions = w.cell("predicted", where(scores[0] >= scores[1], 0, 1), symbol=r"\hat{y}", label="predicted",
                  equals=model.predict(X), attribute="predict(X)")  # fmt: skip
    accuracy = 100 * mean(where(equal(predictions, cell_of(w, "fit.y")), 1, 0))
    w.cell("accuracy", accuracy, symbol="a", label="training accuracy in percent")
    _slip(w, columns)
    return w


def _bell(w: Working, j: int, k: int) -> tuple[Expr, Expr]:
    """Mean and variance of a column in a class, both counted from 1."""
    return lookup(cell_of(w, f"fit.mean_{j}"), k), lookup(cell_of(w, f"fit.variance_{j}"), k)


def _density(x: Expr, m: Expr, v: Expr) -> Expr:
    return exp(-((x - m) ** 2) / (2 * v)) / sqrt(2 * pi() * v)


def _slip(w: Working, columns: list[Cell]) -> None:
    """What the first row's densities become when the variance multiplies in the exponent instead of dividing."""
    w.step("A slip", "With the variance on the wrong side of the fraction, the first row's densities would be others.")
    for k in (1, 2):
        product: Expr = lookup(cell_of(w, "fit.prior"), k)
        for j, x in enumerate(columns, start=1):
            m, v = _bell(w, j, k)
            wrong = exp(-((lookup(x, 1) - m) ** 2) / 2 * v) / sqrt(2 * pi() * v)
            cell = w.cell(f"slip_{k - 1}_{j}", wrong, symbol=f"g_{{{k - 1},{j}}}", label=f"class {k - 1}, column {j}")
            product = product * cell
        w.cell(f"slip_{k - 1}", product, symbol=f"g_{{{k - 1}}}", label=f"class {k - 1}, product")


def emails(data: dict[str, list[float]]) -> tuple[Floats, list[str], Floats]:
    """The e-mails behind a table of counts: (family, prestigious) flags, classes, and how many of each there are.

    How the two words fall together within a class is not told, and does not matter: each counts by itself.
    """
    X, y, weight = [], [], []
    for label, n, first, second in zip(data["class"], data["emails"], data["family"], data["prestigious"], strict=True):
        both = min(first, second)
        for flags, often in (((1, 1), both), ((1, 0), first - both), ((0, 1), second - both),
                             ((0, 0), n - first - second + both)):  # fmt: skip
            if often > 0:
                X.append(flags)
                y.append(str(label))
                weight.append(often)
    return np.array(X, dtype=np.float64), y, np.array(weight, dtype=np.float64)


@example("004-naive-bayes-spam-two-words")
def two_words(e: Example) -> Working:
    X, y, weight = emails(e.data)
    model = BernoulliNB(alpha=e.settings["smoothing"]).fit(X, y, weight)
    w = parts_of(
        ("fit", "Fit", model.show_fit(X, y, weight)),
        ("row", "Both words", model.show_predict([[1, 1]])),
    )
    w.title = e.title
    w.step("Likelihood of both words", "Within a class the words count as independent; times the class's e-mails.")
    both = w.cell("both", cell_of(w, "fit.likelihood_1") * cell_of(w, "fit.likelihood_2"), symbol="L",
                  label="both words, given the class")  # fmt: skip
    w.cell("expected", cell_of(w, "fit.count") * both, symbol="E", label="e-mails with both words to be expected")
    w.step("Without the classes", "The share of each word in all e-mails; their product is another assumption.")
    weights = cell_of(w, "fit.weight")
    shares = [
        w.cell(name, sum_(weights * cell_of(w, f"fit.x_{j}")) / sum_(weights), symbol=f"q_{{{j}}}", label=f"P({name})")
        for j, name in ((1, "family"), (2, "prestigious"))
    ]
    w.cell("independent", shares[0] * shares[1], symbol="Q", label="both, if words were independent over all e-mails")
    return w
