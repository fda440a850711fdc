"""Worked examples about Bayes' theorem and naive Bayes of categories and mixed columns."""

from __future__ import annotations

import numpy as np

from pellucid import stats
from pellucid.naive_bayes import CategoricalNB, NaiveBayes
from pellucid.working.entry import show
from pellucid.working.expression import Axis, expr
from pellucid.working.gallery_base import Example, cell_of, example, parts_of
from pellucid.working.language import equal, lookup, rounded, where
from pellucid.working.model import Working


@example("001-bayes-meningitis")
def meningitis(e: Example) -> Working:
    return show(stats.bayes, e.data["p_m"], e.data["p_s_given_m"], evidence=e.data["p_s"])


@example("004-bayes-spam-one-word")
def spam(e: Example) -> Working:
    prior, likelihood = e.data["P_spam"], e.data["P_word_given_spam"]
    stated = show(stats.bayes, prior, likelihood, evidence=e.data["P_word"])
    summed = show(stats.bayes, prior, likelihood, complement=e.data["P_word_given_not_spam"])
    return parts_of(("stated", "With the evidence as stated", stated), ("summed", "With the evidence summed", summed))


def _unsmoothed(X: list[list[str]], y: list[str], rows: list[list[str]], every: bool = False) -> Working:
    """Fit and predictions of a table of words without smoothing."""
    model = CategoricalNB(alpha=0).fit(X, y)
    row_indices = list(range(len(rows))) if every else None
    predicted = model.show_predict(rows, rows=row_indices)
    return parts_of(("fit", "Fit", model.show_fit(X, y)), ("predict", "Prediction", predicted))


@example("000-naive-bayes-categorical")
def weather(e: Example) -> Working:
    X = [list(row) for row in zip(e.data["Weather"], e.data["Car"], strict=True)]
    return _unsmoothed(X, e.data["Class"], X, every=True)


@example("001-naive-bayes-mammals")
def mammals(e: Example) -> Working:
    query = e.data["query"]
    X = [list(row) for row in zip(*(e.data["columns"][name] for name in query), strict=True)]
    return _unsmoothed(X, e.data["columns"]["class"], [list(query.values())])


@example("004-naive-bayes-meet-friend")
def meet_friend(e: Example) -> Working:
    X = [list(row) for row in zip(e.data["tv"], e.data["game"], strict=True)]
    w = _unsmoothed(X, e.data["meet_friend"], X, every=True)
    w.step("As printed", "With one of five rows for tv = no, and with game = no whatever the row has: both are slips.")
    rows = Axis("row", range(1, len(X) + 1))
    tv = w.given("tv", np.array(e.data["tv"], dtype=object), rows, symbol="x", label="tv")
    scores = np.array([w.value(f"predict.score_{i + 1}") for i in range(len(X))])
    no = w.given("score_no", scores[:, 0], rows, symbol="s_n", label="score of no")
    w.given("score_yes", scores[:, 1], rows, symbol="s_y", label="score of yes")
    share, prior = lookup(cell_of(w, "fit.P_2_1"), 1), lookup(cell_of(w, "fit.prior"), 1)
    w.cell("printed_no", where(equal(tv, "no"), expr(1) / 5 * share * prior, no), symbol="p_n", label="as printed")
    return w


@example("001-laplace-and-m-estimate")
def smoothing(e: Example) -> Working:
    """Three rows of a class, none of which has the third value, which another class brings."""
    X, y = [["a"], ["a"], ["b"], ["c"]], ["yes", "yes", "yes", "no"]
    laplace = CategoricalNB(alpha=1).fit(X, y).show_fit(X, y)
    m, p = e.settings["m"], e.settings["p"]
    estimate = CategoricalNB(smoothing="m_estimate", m=m, p=p).fit(X, y).show_fit(X, y)
    return parts_of(("laplace", "Laplace", laplace), ("m_estimate", "m-estimate", estimate))


@example("001-naive-bayes-mixed-tax-evasion")
def tax_evasion(e: Example) -> Working:
    names = list(e.data["query"])
    X = np.array([e.data["columns"][name] for name in names], dtype=object).T
    y = e.data["columns"]["evade"]
    model = NaiveBayes(smoothing="none", ddof=1, var_smoothing=0).fit(X, y)
    query = np.array([list(e.data["query"].values())], dtype=object)
    w = parts_of(("fit", "Fit", model.show_fit(X, y)), ("predict", "Prediction", model.show_predict(query)))
    w.step("By hand", "The likelihoods of the row, with the density to four digits.")
    factors = [cell_of(w, f"predict.P_1_{j}") for j in (1, 2)]
    density = w.cell("rounded", rounded(cell_of(w, "predict.f_1_3"), 4), symbol="r", label="density, four digits")
    w.cell("likelihood", factors[0] * factors[1] * density, symbol="L", label="P(x | class)")
    return w
