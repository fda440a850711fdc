"""Round by round: the score of every set that one column more, or less, would make, and the best of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.working.entry import Given, shows
from pellucid.working.language import arg_max, equal, max_, mean, sum_, where
from pellucid.working.model import Working

MOST_ROUNDS = 8
MOST_CANDIDATES = 40


@shows("SequentialFeatureSelector.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "One column at a time"
    way = "takes in the column that helps most" if model.direction == "forward" else "drops the column least missed"
    w.intro = (
        f"Every round {way}: the one whose set has the highest mean score of the {type(model.estimator).__name__} over "
        "the folds. The scores are taken as given; what is made of them is shown."
    )
    data.record  # noqa: B018  the fit is run again, and must come out the same
    names = [str(name) for name in model._names_in(None)]
    for number, done in enumerate(model.path_, start=1):
        if number == MOST_ROUNDS and len(model.path_) > MOST_ROUNDS:
            w.note(f"Rounds {number} to {len(model.path_)} are not shown.")
            break
        _round(w, number, done, names)
    w.step("Chosen", f"{count(int(model.n_features_to_select_), 'column')} in the end.")
    axis = w.axis("column", names, "j", "p")
    place = w.given("number", np.arange(1.0, len(names) + 1), axis, symbol="j", label="number of the column")
    rounds = w.axis("round", len(model.path_), "t", "T")
    came = w.given("moved", np.array([done.column + 1.0 for done in model.path_]), rounds, symbol="c",
                   label="number of the column that comes or goes")  # fmt: skip
    moves = w.given("way", np.array([1.0 if done.action == "add" else -1.0 for done in model.path_]), rounds,
                    symbol="v", label="1: it comes in, -1: it goes out")  # fmt: skip
    start = 0 if model.direction == "forward" else 1
    moved = sum_(where(equal(came, place), moves, 0), rounds)
    w.cell("stays", start + moved if start else moved, symbol="s", label="1 for a chosen column",
           equals=model.support_.astype(np.float64), attribute="support_")  # fmt: skip


def _round(w: Working, number: int, done: Any, names: list[str]) -> None:
    waiting = np.flatnonzero(~np.isnan(done.candidates))
    verb = "comes in" if done.action == "add" else "goes out"
    w.step(f"Round {number}", f"The mean score if a column {verb}: {done.name} is the best.", turn=number)
    if len(waiting) <= MOST_CANDIDATES:
        axis = w.axis("candidate", [names[j] for j in waiting], "j", "c")
        s = w.given(f"s_{number}", done.candidates[waiting], axis, symbol="s", label=f"score if it {verb}")
        w.cell(f"place_{number}", arg_max(s), symbol="a", label="which is the largest",
               equals=float(np.flatnonzero(waiting == done.column)[0] + 1), attribute="path_.column")  # fmt: skip
        w.cell(f"best_{number}", max_(s), symbol="b", label="the largest", equals=done.score,
               attribute="path_.score", scale=1e-3)  # fmt: skip
    else:
        w.note(f"With more than {MOST_CANDIDATES} candidates the best alone is shown.")
    folds = w.axis("fold", len(done.fold_scores), "k", "F")
    f = w.given(f"f_{number}", np.asarray(done.fold_scores), folds, symbol="f", label="its score on the fold")
    w.cell(f"mean_{number}", mean(f), symbol="m", label="its mean over the folds", equals=done.score,
           attribute="path_.score", scale=1e-3)  # fmt: skip
