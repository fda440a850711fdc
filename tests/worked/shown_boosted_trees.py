"""Where in the workings of boosted trees each figure of their examples stands; after `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]

LEAVES = ("male, white", "male, not white", "female")


@reads("004-gbdt-regression-salary")
def salaries(w: Working, e: Example) -> Mapping[str, Any]:
    n = len(e.data["salary_k"])
    answers = {
        f"{start}_{t}": dict(zip(LEAVES, w.value(f"{start}.answer_{t}").tolist(), strict=True))
        for start in ("exact", "given")
        for t in (1, 2)
    }
    out: dict[str, Any] = {
        "mean salary": w.value("exact.f_0"),
        "leaf value of DT1, male and not white (init 170)": answers["given_1"]["male, not white"],
        "leaf value of DT1, female (init 170)": answers["given_1"]["female"],
        "leaf value of DT2, male and not white (init 170)": answers["given_2"]["male, not white"],
        "leaf values of DT1 with the exact mean": answers["exact_1"],
        "leaf values of DT2 with the exact mean": answers["exact_2"],
        "predictions after two trees, init 170": w.value("given.f_2"),
        "predictions after two trees, exact mean": w.value("exact.prediction"),
    }
    for start, named in (("given", "init 170"), ("exact", "exact mean")):
        for t in (1, 2):
            out[f"trace: round {t}, {named}"] = {
                "step": f"round {t}, {named}",
                "predicted": np.broadcast_to(w.value(f"{start}.f_{t - 1}"), n),
                "residual": w.value(f"{start}.r_{t}"),
                "leaf_values": answers[f"{start}_{t}"],
            }
    return out


@reads("004-gbdt-classification-chatbot")
def chatbot(w: Working, e: Example) -> Mapping[str, Any]:
    answer, score = w.value("exact.answer"), w.value("score")
    return {
        "initial log-odds ln(4/2)": w.value("fit.f_0"),
        "initial probability": w.value("fit.p_1"),
        "residuals": w.value("fit.r_1"),
        "leaf value, leaf 1 (rows 1,2,6) (exact p=2/3)": answer[0],
        "leaf value, leaf 2 (rows 3,5) (exact p=2/3)": answer[1],
        "leaf value, leaf 3 (row 4) (exact p=2/3)": answer[2],
        "leaf values with the source's rounded p=0.66": w.value("rounded.answer"),
        "row 4 raw score after one tree, started from the log-odds": score[3],
        "row 1 raw score after one tree (LQ=8, leaf 1)": score[0],
        "raw scores of all rows after one tree": score,
        "probabilities of all rows after one tree": w.value("probability"),
    }


@reads("004-xgboost-similarity-gain")
def similarity_gain(w: Working, e: Example) -> Mapping[str, Any]:
    gains = {"RC": w.value("gain_RC"), "EC": w.value("gain_EC")}
    return {
        "residuals": w.value("r"),
        "similarity, RC<=1": w.value("RC_low.S"),
        "similarity, RC>1": w.value("RC_high.S"),
        "similarity, root": w.value("root"),
        "gain of RC>1": gains["RC"],
        "gain of EC": gains["EC"],
        "similarity EC=Yes, EC=No": [w.value("EC_yes.S"), w.value("EC_no.S")],
        "root split feature": max(gains, key=lambda name: gains[name]),
        "gain of RC>1 inside EC=No": w.value("gain_No"),
        "gain of RC>1 inside EC=Yes": w.value("gain_Yes"),
        "leaf outputs by the source's rule sum/count: (No,RC<=1), (No,RC>1), (Yes,RC<=1, empty), (Yes,RC>1)": w.value(
            "by_count"
        ),
        "leaf outputs for classification, sum/(sum p(1-p)+lambda)": w.value("by_slope"),
        "new log-odds, the source's rule": w.value("count.f"),
        "new probabilities, the source's rule": w.value("count.p"),
        "new residuals, the source's rule": w.value("count.r"),
        "new log-odds, XGBoost leaf weights": w.value("slope.f"),
        "new probabilities, XGBoost leaf weights": w.value("slope.p"),
        "new residuals, XGBoost leaf weights": w.value("slope.r"),
        "mean of RC; midpoint of the two values": [w.value("mean_RC"), w.value("cut")],
    }


@reads("004-lightgbm-exclusive-feature-bundling")
def bundling(w: Working, e: Example) -> Mapping[str, Any]:
    names = list(e.data)
    bundles: list[list[str]] = []
    for j, name in enumerate(names):
        free = [one for one in bundles if all(w.value(f"share_{names.index(other) + 1}_{j + 1}") == 1 for other in one)]
        if free:
            free[0].append(name)
        else:
            bundles.append([name])
    return {
        "conflict count 1-2": int(w.value("conflicts_1_2")),
        "conflict count 2-3": int(w.value("conflicts_2_3")),
        "conflict count 1-3": int(w.value("conflicts_1_3")),
        "merged column before the offset": w.value("before"),
        "merged column with offset (published rule: offset only the later feature, by the range of the earlier)": (
            w.value("merged")
        ),
        "the source's rule taken literally (+10 to every non-zero sum)": w.value("constant_merged"),
        "bundles at zero conflict": bundles,
    }


@reads("004-catboost-ordered-boosting-prefixes")
def prefixes(w: Working, e: Example) -> Mapping[str, Any]:
    order = w.value("row").tolist()
    before, doubling = (
        {row: order[: int(size)] for row, size in zip(order, w.value(name), strict=True)}
        for name in ("place", "doubling")
    )
    return {
        "training prefix for the residual of x6": before["x6"],
        "training prefix for the residual of x3": before["x3"],
        "training prefix for the residual of x2": before["x2"],
        "all prefixes": before,
        "sizes of the doubling models (2^j <= n)": w.value("size"),
        "training prefix under the doubling scheme: largest 2^j not beyond the earlier rows": doubling,
        "number of models: floor(log2 n)+1": int(w.value("models")),
    }
