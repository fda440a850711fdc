"""Where in the workings of Bayes' theorem and naive Bayes each figure of their examples stands; after `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("001-bayes-meningitis")
def meningitis(w: Working, e: Example) -> Mapping[str, Any]:
    return {"P(M|S)": w.value("probability")}


@reads("004-bayes-spam-one-word")
def spam(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "P(spam | word) = P(word|spam) P(spam) / P(word)": w.value("stated.probability"),
        "P(word) by total probability over the two classes": w.value("summed.evidence"),
        "P(spam | word) with the total-probability evidence": w.value("summed.probability"),
    }


class Page:
    """The tables of a fit and the products of its predictions."""

    def __init__(self, w: Working) -> None:
        self.w = w
        self.classes = [str(label) for label in w.value("fit.class")]
        self.prior = dict(zip(self.classes, w.value("fit.prior").tolist(), strict=True))

    def share(self, j: int, value: str, label: str) -> float:
        place = self.w.value(f"fit.v_{j}").tolist().index(value)
        return float(self.w.value(f"fit.P_{j}_{self.classes.index(label) + 1}")[place])

    def count(self, j: int, value: str, label: str) -> float:
        place = self.w.value(f"fit.v_{j}").tolist().index(value)
        return float(self.w.value(f"fit.N_{j}_{self.classes.index(label) + 1}")[place])

    def scores(self, row: int) -> dict[str, float]:
        return dict(zip(self.classes, self.w.value(f"predict.score_{row}").tolist(), strict=True))

    def label(self, row: int) -> str:
        return str(self.w.value(f"predict.label_{row}"))

    def tied(self, row: int) -> bool:
        return f"predict.r_{row}" in self.w.cells


@reads("000-naive-bayes-categorical")
def weather(w: Working, e: Example) -> Mapping[str, Any]:
    page, n = Page(w), len(e.data["Class"])
    found: dict[str, Any] = {f"P({label})": page.prior[label] for label in page.classes}
    for j, values in ((1, ("sunny", "rainy")), (2, ("working", "broken"))):
        found |= {f"P({v}|{label})": page.share(j, v, label) for v in values for label in page.classes}
    scores = [page.scores(i) for i in range(1, n + 1)]
    for label in page.classes:
        found[f"score of {label} for sunny, working"] = scores[0][label]
        found[f"{label} score per row"] = [one[label] for one in scores]
        factors = [page.share(1, "sunny", label), page.share(2, "working", label), page.prior[label]]
        found[f"trace: {label}"] = {"step": label, "factors": factors, "product": scores[0][label]}
    predicted = [page.label(i) for i in range(1, n + 1)]
    right = np.mean([a == b for a, b in zip(predicted, e.data["Class"], strict=True)])
    return found | {"predictions": predicted, "training accuracy in percent": 100 * float(right)}


@reads("001-naive-bayes-mammals")
def mammals(w: Working, e: Example) -> Mapping[str, Any]:
    page, query = Page(w), list(e.data["query"].values())
    found: dict[str, Any] = {"prediction": page.label(1)}
    for number, label in enumerate(page.classes, start=1):
        score = page.scores(1)[label]
        found[f"P(x|{label})P({label})"], found[f"P(x|{label})"] = score, score / page.prior[label]
        rows = float(w.value("fit.n")[number - 1])
        counts = [[page.count(j, value, label), rows] for j, value in enumerate(query, start=1)]
        found[f"trace: {number}"] = {
            "class": label,
            "counts": counts,
            "likelihood": score / page.prior[label],
            "prior": page.prior[label],
        }
    return found


@reads("001-laplace-and-m-estimate")
def smoothing(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "Laplace (N_ij+1)/(N_j+values)": w.value("laplace.P_1_2")[2],
        "m-estimate (N_ij+m*p)/(N_j+m)": w.value("m_estimate.P_1_2")[2],
    }


@reads("004-naive-bayes-meet-friend")
def meet_friend(w: Working, e: Example) -> Mapping[str, Any]:
    page, d = Page(w), e.data
    n = len(d["tv"])
    found: dict[str, Any] = {"P(meet_friend=yes)": page.prior["yes"]}
    for j, column in enumerate(("tv", "game"), start=1):
        found[f"P({column}=yes)"] = sum(page.count(j, "yes", label) for label in page.classes) / n
        for value in ("yes", "no"):
            for label in page.classes:
                found[f"P({column}={value} | meet_friend={label})"] = page.share(j, value, label)
    table = []
    for i in range(n):
        row = {"tv": d["tv"][i], "game": d["game"][i]}
        scores, at = page.scores(i + 1), f"tv={row['tv']}, game={row['game']}"
        found |= {f"joint score meet={label} for {at}": scores[label] for label in ("yes", "no")}
        found[f"posterior P(meet=yes | {at})"] = w.value(f"predict.p_{i + 1}")[page.classes.index("yes")]
        answer, actual = None if page.tied(i + 1) else page.label(i + 1), d["meet_friend"][i]
        table.append(
            {
                **row,
                "actual": actual,
                "score_yes": scores["yes"],
                "score_no": scores["no"],
                "predicted": answer or "tie",
                "correct": None if answer is None else answer == actual,
            }
        )
    found["prediction table with the corrected likelihoods (ties marked)"] = table
    found["row-by-row verdict (True/False/None for tie)"] = [row["correct"] for row in table]
    step = "the source's own table: scores (yes, no) per row"
    printed = np.column_stack([w.value("score_yes"), w.value("printed_no")])
    return found | {f"trace: {step}": {"step": step, "scores": printed}}


@reads("001-naive-bayes-mixed-tax-evasion")
def tax_evasion(w: Working, e: Example) -> Mapping[str, Any]:
    page = Page(w)
    scores = page.scores(1)
    found: dict[str, Any] = {"prediction": page.label(1)}
    heights = dict(zip(page.classes, w.value("predict.f_1_3").tolist(), strict=True))
    income = {
        name: dict(zip(page.classes, w.value(f"fit.{name}_3").tolist(), strict=True)) for name in ("mean", "variance")
    }
    for label in page.classes:
        found |= {f"P(Refund={v}|{label})": page.share(1, v, label) for v in ("Yes", "No")}
        found |= {f"P({v}|{label})": page.share(2, v, label) for v in ("Single", "Divorced", "Married")}
        found[f"P(Income=120|{label})"] = heights[label]
        found[f"P(x|{label})"] = w.value("likelihood")[page.classes.index(label)]
    found["mean income | No"], found["variance income | No"] = income["mean"]["No"], income["variance"]["No"]
    found["trace: 1"] = {
        "mean income | Yes": income["mean"]["Yes"],
        "variance income | Yes": income["variance"]["Yes"],
        "computed P(Income=120|No)": heights["No"],
        "computed P(Income=120|Yes)": heights["Yes"],
        "computed P(x|No)": scores["No"] / page.prior["No"],
    }
    return found
