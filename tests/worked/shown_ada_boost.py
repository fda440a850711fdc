"""Where in the workings of AdaBoost and of votes each figure of their examples stands; after `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-adaboost-stumps")
def three_stumps(w: Working, e: Example) -> Mapping[str, Any]:
    out: dict[str, Any] = {}
    for m, model in enumerate(e.settings["models"], start=1):
        x = w.value(f"x{['X1', 'X2'].index(model['feature']) + 1}")
        weight, wrong, stage = w.value(f"w_{m}"), w.value(f"wrong_{m}"), w.value(f"stage_{m}")
        out[f"groups of model {m}"] = ["LEFT" if low else "RIGHT" for low in x <= w.value(f"cut_{m}")]
        out[f"predictions of model {m}"] = [int(said) for said in w.value(f"h_{m}")]
        out[f"errors of model {m}"] = [int(one) for one in wrong]
        out[f"weighted errors of model {m}"] = weight * wrong
        out[f"misclassification rate of model {m}"] = w.value(f"error_{m}")
        out[f"stage of model {m}"] = stage
        out[f"contribution of model {m} per row"] = np.where(w.value(f"h_{m}") == 1, stage, -stage)
        if m < 3:
            out[f"weights after model {m}"] = w.value(f"w_{m + 1}")
        if m > 1:
            out[f"sum of weights for model {m}"] = weight.sum()
    out["number of errors of model 1"] = int(w.value("wrong_1").sum())
    out["training accuracy in percent with models 1 and 2"] = round(w.value("accuracy_two"))
    out["sum per row"] = w.value("score")
    out["ensemble predictions"] = [int(one) for one in w.value("prediction")]
    out["ensemble accuracy in percent"] = round(w.value("accuracy_all"))
    names = {"sum_weights": "sum", "misclassification_rate": "rate", "stage": "stage"}
    for m in (1, 2, 3):  # the text repeats the figures of model 2 for model 3
        printed = {name: w.value(f"slip.{cell}_{min(m, 2)}") for name, cell in names.items()}
        out[f"trace: {m}"] = {"model": m, "as_printed": printed}
    return out


@reads("000-adaboost-weighted-vote")
def weighted_vote(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "weighted sum": w.value("weighted.difference"),
        "ensemble prediction": w.value("weighted.winner"),
        "unweighted majority": w.value("plain.winner"),
    }


@reads("001-adaboost-formulas")
def formulas(w: Working, e: Example) -> Mapping[str, Any]:
    return {"alpha at each error rate, 0.5*ln((1-e)/e)": w.value("stage")}


@reads("001-ensemble-of-25-error")
def of_25(w: Working, e: Example) -> Mapping[str, Any]:
    return {"ensemble error": w.value("error"), "trace: 1": {"computed": w.value("error")}}


@reads("004-adaboost-dance")
def dance(w: Working, e: Example) -> Mapping[str, Any]:
    toy = {name: w.value(f"toy.{name}") for name in ("error", "stage", "lighter", "heavier", "whole", "right", "bad")}
    wrong = [i + 1 for i, one in enumerate(w.value("fit.wrong_1")) if one]
    stumps = {
        name: {"entropy": w.value(f"{name}.entropy"), "wrong_rows": wrong, "eps": len(wrong) / 6}
        for name in ("C1", "C2", "C3")
    }
    return {
        "initial weight": w.value("fit.w_1")[0],
        "error rate toy: 5 equal weights, 3 wrong": toy["error"][0],
        "alpha of that toy (negative, worse than chance)": toy["stage"][0],
        "total error eps of stump C3": w.value("fit.error_1"),
        "alpha for eps=2/6": w.value("fit.stage_1"),
        "new weight of a right record (alpha 0.3466)": w.value("fit.moved_1")[0],
        "new weight of a wrong record": w.value("fit.moved_1")[2],
        "sum of new weights with 4 right and 2 wrong (what eps=2/6 implies)": toy["whole"][1],
        "normalized weight of a right record (eps=2/6)": w.value("fit.w_2")[0],
        "normalized weight of a wrong record (eps=2/6)": w.value("fit.w_2")[2],
        "the source's mixture (5 right, 1 wrong, alpha of 2/6): sum, right, wrong": [
            w.value("mix.whole"),
            w.value("mix.right"),
            w.value("mix.bad"),
        ],
        "alpha for eps=1/6 (the 0.804 that the final model uses)": toy["stage"][2],
        "eps=1/6: weights right, wrong, sum, normalized right, wrong": [
            toy[name][2] for name in ("lighter", "heavier", "whole", "right", "bad")
        ],
        "eps that alpha=0.622 (supposed for round 2) stands for": w.value("back.error"),
        "real stumps on the table: weighted entropy and wrong rows (1-based; ties to No)": stumps,
        "stump with the lowest entropy": min(stumps, key=lambda name: stumps[name]["entropy"]),
    }
