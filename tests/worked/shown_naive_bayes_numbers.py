"""Where in the workings of naive Bayes of numbers and flags each figure stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-gaussian-naive-bayes")
def ten_rows(w: Working, e: Example) -> Mapping[str, Any]:
    figures: dict[str, Any] = {}
    for k in (0, 1):
        figures |= {
            f"P(Y={k})": w.value("fit.prior")[k],
            f"score of class {k}, first row": w.value("row.score_1")[k],
            f"score of class {k} per row": w.value(f"score_{k}"),
            f"trace: row 1, class {k} as printed": {
                "step": f"row 1, class {k} as printed",
                "pdf_X1": w.value(f"slip_{k}_1"),
                "pdf_X2": w.value(f"slip_{k}_2"),
                "prior": w.value("fit.prior")[k],
                "score": w.value(f"slip_{k}"),
            },
        }
        for j in (1, 2):
            figures |= {
                f"mean X{j}, Y={k}": w.value(f"fit.mean_{j}")[k],
                f"sd X{j}, Y={k}": w.value(f"fit.deviation_{j}")[k],
                f"pdf of X{j} given Y={k}, first row": w.value(f"row.density_1_{j}")[k],
            }
    return figures | {"predictions": w.value("predicted"), "training accuracy in percent": w.value("accuracy")}


@reads("004-naive-bayes-spam-two-words")
def two_words(w: Working, e: Example) -> Mapping[str, Any]:
    classes = w.value("fit.class").tolist()
    figures: dict[str, Any] = {}
    for name in ("spam", "not spam"):
        k = classes.index(name)
        figures |= {
            f"P({name})": w.value("fit.prior")[k],
            f"P(family|{name})": w.value("fit.likelihood_1")[k],
            f"P(prestigious|{name})": w.value("fit.likelihood_2")[k],
            f"P(both words | {name})": w.value("both")[k],
        }
    spam, other = classes.index("spam"), classes.index("not spam")
    score, chance = w.value("row.score_1"), w.value("row.chance_1")
    return figures | {
        "P(family)": w.value("family"),
        "P(prestigious)": w.value("prestigious"),
        "P(family and prestigious) under unconditional independence": w.value("independent"),
        "expected spam emails with both words (20 * likelihood)": w.value("expected")[spam],
        "expected non-spam emails with both words (80 * likelihood)": w.value("expected")[other],
        "P(spam | both words), normalized posterior": chance[spam],
        "P(not spam | both words)": chance[other],
        "predicted class when both words present": w.value("row.predicted_1"),
        "trace: unnormalized class scores": {
            "step": "unnormalized class scores",
            "spam": score[spam],
            "not_spam": score[other],
        },
    }
