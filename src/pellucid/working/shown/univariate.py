"""The score of each column, and which of them are enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.feature_selection import scores
from pellucid.working.entry import Given, shows
from pellucid.working.language import max_, nth_smallest, rank, where
from pellucid.working.model import Working
from pellucid.working.shown._column_scores import Grouped, Numeric, left_out
from pellucid.working.shown._selector import MOST_COLUMNS as MOST_LISTED

RULES = {"SelectKBest": "k_best", "SelectPercentile": "percentile", "SelectFpr": "fpr", "SelectFdr": "fdr",
         "SelectFwe": "fwe"}  # fmt: skip
NUMBERS = {"k_best": "k", "percentile": "percentile", "fpr": "alpha", "fdr": "alpha", "fwe": "alpha"}


@shows("SelectKBest.fit", "SelectPercentile.fit", "SelectFpr.fit", "SelectFdr.fit", "SelectFwe.fit",
       "GenericUnivariateSelect.fit")  # fmt: skip
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns by their own score"
    w.intro = "Every column is scored by itself; a rule says which scores are enough."
    _scores(w, model, data)
    mode = getattr(model, "mode", None) or RULES[type(model).__name__]
    number = model.param if hasattr(model, "mode") else getattr(model, NUMBERS[mode])
    _rule(w, model, data, mode, number)


def _scores(w: Working, model: Any, data: Given) -> None:
    """The scores of the first columns where the function is one of ours."""
    columns = data.X.shape[1]
    pairs = [(model.scores_[j], np.nan if model.pvalues_ is None else model.pvalues_[j]) for j in range(columns)]
    if model.score_func is scores.f_regression and data.y is not None:
        numeric = Numeric(w, np.asarray(data.y, dtype=np.float64), data.row_axis)
        for j in left_out(w, columns):
            numeric.f(data.X[:, j], data.names[j], f"_{j + 1}", pairs[j])
    elif model.score_func in (scores.chi2, scores.f_classif) and data.y is not None:
        groups = Grouped(w, np.asarray(data.y), data.row_axis)
        for j in left_out(w, columns):
            if model.score_func is scores.f_classif:
                groups.f(data.X[:, j], data.names[j], f"_{j + 1}", pairs[j])
            elif data.X[:, j].any():
                groups.chi2(data.X[:, j], data.names[j], f"_{j + 1}", pairs[j])
    else:
        w.note("The scores are those of the function that was given; what is made of them is shown.")


def _rule(w: Working, model: Any, data: Given, mode: str, number: Any) -> None:
    support = model.get_support().astype(np.float64)
    by_p = mode in ("fpr", "fdr", "fwe")
    values = np.asarray(model.pvalues_ if by_p else model.scores_)
    title = "p values below a bound" if by_p else "Largest scores"
    w.step("Choice", f"{title}: 1 for a column that stays.")
    if len(values) > 5 * MOST_LISTED:
        w.note("With many columns the middle of the list is not shown.")
    if np.isnan(values).any():
        w.note("A score that is not a number counts as the lowest, and a p value that is none is not below any bound.")
        w.given("stays", support, data.column_axis, symbol="s", label="stays")
        return
    s = w.given("score", values, data.column_axis, symbol="p" if by_p else "s", label="p value" if by_p else "score")
    formula = _formula(w, s, values, mode, number)
    if formula is None:
        w.note("Scores equal to the last one that is kept are parted by their order.")
        w.given("stays", support, data.column_axis, symbol="k", label="stays")
        return
    w.cell("stays", formula, symbol="k", label="stays", equals=support, attribute="get_support()")


def _formula(w: Working, s: Any, values: Any, mode: str, number: Any) -> Any:
    p = len(values)
    if mode == "k_best":
        k = p if number == "all" else min(int(number), p)
        ordered = np.sort(values)
        if k == 0 or (k < p and ordered[p - k] == ordered[p - k - 1]):
            return None
        bar = w.cell("bar", nth_smallest(s, p - k + 1), symbol="b", label=f"score at place {k} from above")
        return where(s >= bar, 1, 0)
    if mode == "percentile":
        bar_value = float(np.percentile(values, 100 - number))
        if number in (0, 100) or (values == bar_value).any():
            return None
        bar = w.given("bar", bar_value, symbol="b", label=f"percentile {100 - number:g} of the scores")
        return where(s > bar, 1, 0)
    alpha = w.given("alpha", float(number), symbol="α", label="error allowed")
    if mode == "fpr":
        return where(s < alpha, 1, 0)
    if mode == "fwe":
        bound = w.cell("bound", alpha / float(p), symbol="b", label="alpha over the number of columns")
        return where(s < bound, 1, 0)
    if len(np.unique(values)) < p:
        return None
    place = w.cell("place", rank(s), symbol="i", label="place from below")
    bound = w.cell("bound", alpha * place / float(p), symbol="b", label="alpha i / m")
    passed = w.cell("passed", where(s <= bound, s, -1), symbol="c", label="p value, if below its bound")
    bar = w.cell("bar", max_(passed), symbol="B", label="the largest of them")
    return where(s <= bar, 1, 0)
