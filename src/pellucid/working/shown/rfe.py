"""Which columns go in each round of a recursive elimination, and how many are best."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.language import arg_max, equal, lookup, mean, nth_smallest, where
from pellucid.working.model import Working

MOST_ROUNDS = 8
MOST_FOLDS = 10


@shows("RFE.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Least important columns first"
    name = type(model.estimator).__name__
    w.intro = f"The {name} is fitted, the columns of least importance go, and it is fitted again."
    stages = data.record["stages"][1]
    names = [str(name) for name in model._names_in(None)]
    for number, row in enumerate(stages[:-1], start=1):
        if number == MOST_ROUNDS and len(stages) - 1 > MOST_ROUNDS:
            w.note(f"Rounds {number} to {len(stages) - 1} are not shown.")
            break
        there = np.flatnonzero(~np.isnan(row[1:]))
        left = int(stages[number, 0])
        _round(w, number, row[1:][there], [names[j] for j in there], len(there) - left)
    w.step("Ranks", "1 for a column that stayed, 2 for one that went in the last round, and so on.")
    axis = w.axis("column", names, "j", "p")
    went = (~np.isnan(stages[:-1, 1:])).sum(axis=0) if len(stages) > 1 else np.zeros(len(names))
    went = np.where(model.support_, 0.0, went)
    g = w.given("went", went.astype(np.float64), axis, symbol="g", label="round in which it went, 0 if it stayed")
    R = w.given("rounds", float(len(stages) - 1), symbol="R", label="rounds")
    r = w.cell("ranking", where(equal(g, 0), 1, R + 2 - g), symbol="r", label="rank",
               equals=model.ranking_.astype(np.float64), attribute="ranking_")  # fmt: skip
    w.cell("stays", where(r <= 1, 1, 0), symbol="s", label="stays", equals=model.support_.astype(np.float64),
           attribute="support_")  # fmt: skip


def _round(w: Working, number: int, worth: Any, names: list[str], going: int) -> None:
    w.step(f"Round {number}", "The importance of every column still in, squared; the smallest go.", turn=number)
    axis = w.axis("column", names, "j", "c")
    v = w.given(f"v_{number}", np.asarray(worth), axis, symbol="v", label="importance, squared")
    ordered = np.sort(worth)
    if ordered[going - 1] == ordered[going]:
        w.note("Of columns with equal importance the first go.")
        flags = np.zeros(len(worth))
        flags[np.argsort(worth, kind="stable")[:going]] = 1
        w.given(f"goes_{number}", flags, axis, symbol="g", label="goes")
        return
    bar = w.cell(f"bar_{number}", nth_smallest(v, going), symbol="b", label=f"importance at place {going} from below")
    w.cell(f"goes_{number}", where(v <= bar, 1, 0), symbol="g", label="goes: 1 for yes")


@shows("RFECV.fit")
def fit_cv(w: Working, model: Any, data: Given) -> None:
    w.title = "How many columns are best"
    name = type(model.estimator).__name__
    w.intro = f"On every fold the {name} drops its columns one after another; each number of columns has a score."
    data.record  # noqa: B018  the fit is run again, and must come out the same
    found = model.cv_results_
    folds = [key for key in found if key.endswith("_test_score") and key.startswith("split")]
    axis = w.axis("number of columns", [int(n) for n in found["n_features"]], "k", "K")
    w.step("Scores", "On the rows held out of each fold, for each number of columns, and their mean.")
    n = w.given("n", found["n_features"].astype(np.float64), axis, symbol="n", label="columns")
    shown = [w.given(f"s_{i + 1}", found[key], axis, symbol=f"s_{{{i + 1}}}", label=f"score on fold {i + 1}")
             for i, key in enumerate(folds[:MOST_FOLDS])]  # fmt: skip
    if len(folds) <= MOST_FOLDS:
        summed: Any = shown[0]
        for cell in shown[1:]:
            summed = summed + cell
        m = w.cell("mean", summed / float(len(folds)), symbol="m", label="mean score", equals=found["mean_test_score"],
                   attribute="cv_results_", scale=1e-3)  # fmt: skip
    else:
        w.note(f"The scores of the last {len(folds) - MOST_FOLDS} folds are not shown.")
        m = w.given("mean", found["mean_test_score"], axis, symbol="m", label="mean score")
    w.step("Choice", "The number with the highest mean score, the smallest of equals.")
    place = w.cell("place", arg_max(m), symbol="a", label="which is the largest")
    best = float(model.n_features_)
    near = np.sort(found["mean_test_score"])[::-1]
    if len(near) > 1 and near[0] - near[1] < 1e-12:
        w.note("Scores that differ by rounding alone are parted by it.")
        w.given("best", best, symbol="b", label="number of columns")
    else:
        w.cell("best", lookup(n, place), symbol="b", label="number of columns", equals=best, attribute="n_features_")
    w.step("Ranks", "Of the elimination on all rows: 1 for a column that stayed.")
    columns = w.axis("column", [str(name) for name in model._names_in(None)], "j", "p")
    r = w.given("ranking", model.ranking_.astype(np.float64), columns, symbol="r", label="rank")
    w.cell("stays", where(r <= 1, 1, 0), symbol="s", label="stays", equals=model.support_.astype(np.float64),
           attribute="support_")  # fmt: skip
    w.cell("size", mean(where(r <= 1, 1, 0)) * float(len(columns)), symbol="k", label="columns that stay",
           equals=best, attribute="n_features_")  # fmt: skip
