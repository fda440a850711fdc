"""Prediction by boosted trees: many rows through general trees and through oblivious ones.

Every contender fits its own model before the clock, on a quarter of the rows, with the same number of rounds and
leaves; the clock sees the probabilities of all rows. How good they are is judged on the other three quarters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.boosting import CATBOOST, LIGHTGBM, RATE, ROUNDS, XGBOOST, catboost, lightgbm, ours, table, xgboost
from benchmarks.forests import INTELEX
from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

ONEDAL = "oneDAL, of lightgbm's model"
LEARNED, DEPTH = 0.25, 6


def fitted(fit: Run) -> Run:
    """Before the clock: a model of the first quarter of the rows."""

    def prepare(data: Mapping[str, Any], n_threads: int) -> Any:
        learned = round(LEARNED * len(data["y"]))
        some = {name: data[name][:learned] for name in ("X", "y")}
        return {"model": fit(some, n_threads), "X": data["X"]}

    return prepare


def our_oblivious(data: Mapping[str, Any], n_threads: int) -> Any:
    """Our oblivious trees, with as many bins as CatBoost's."""
    model = load("pellucid.boosting.CatBoostClassifier")(
        n_estimators=ROUNDS, max_depth=DEPTH, learning_rate=RATE, max_bins=254, random_state=0, n_jobs=n_threads
    )
    return model.fit(data["X"], data["y"])


def converted(data: Mapping[str, Any], n_threads: int) -> Any:
    """LightGBM's trees, handed to oneDAL. They grow on one thread: on a busy machine two take minutes."""
    grown = lightgbm("Classifier", ROUNDS)(data, 1).booster_
    load("daal4py.daalinit")(n_threads)
    return load("daal4py.mb.convert_model")(grown)


def answer(data: Mapping[str, Any], n_threads: int) -> Any:
    """What is timed: the probabilities of the classes."""
    return data["model"].predict_proba(data["X"])


def answer_of_catboost(data: Mapping[str, Any], n_threads: int) -> Any:
    """The same, with the threads that prediction would not take from the fit."""
    return data["model"].predict_proba(data["X"], thread_count=n_threads)


def right(said: Any, arrays: Arrays) -> float:
    """The share of the rows that were not learned from whose more probable class is theirs."""
    other = slice(round(LEARNED * len(arrays["y"])), None)
    return float(np.mean((np.asarray(said)[other, 1] > 0.5) == arrays["y"][other]))


def prediction(name: str, about: str, own: Contender, peers: tuple[Contender, ...]) -> Workload:
    """400,000 rows, 28 columns in single precision, two classes."""
    return Workload(
        name=name,
        about=f"Probabilities of 400,000 x 28 rows by {ROUNDS} {about}.",
        data=partial(table, rows=400_000, columns=28, classes=2),
        quick={"rows": 20_000},
        ours=own,
        peers=peers,
        quality=Quality("accuracy on rows held out", right, bound=0.01, higher_is_better=True),
        goal=1.0,
    )


WORKLOADS = [
    prediction(
        "boosting_prediction_400000x28",
        "trees of 31 leaves",
        Contender(OURS, answer, prepare=fitted(ours("Classifier", ROUNDS))),
        (
            Contender(LIGHTGBM, answer, prepare=fitted(lightgbm("Classifier", ROUNDS)), openmp=True),
            Contender(XGBOOST, answer, prepare=fitted(xgboost("Classifier", ROUNDS)), openmp=True),
            Contender(ONEDAL, answer, prepare=fitted(converted), package=INTELEX),
        ),
    ),
    prediction(
        "boosting_prediction_oblivious_400000x28",
        f"oblivious trees of depth {DEPTH}",
        Contender(OURS, answer, prepare=fitted(our_oblivious)),
        (Contender(CATBOOST, answer_of_catboost, prepare=fitted(catboost("Classifier", ROUNDS))),),
    ),
]
