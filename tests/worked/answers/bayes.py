"""Answers by Bayes' theorem, by naive Bayes of categories, and of mixed columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import bayes as theorem
from pellucid.reference import naive_bayes_categories as reference

from ..frame import Example, PathName, answers


@answers("001-bayes-meningitis")
def meningitis(example: Example, path: PathName) -> Mapping[str, Any]:
    d = example.data
    if path == "reference":
        return {"P(M|S)": theorem.posterior(d["p_m"], d["p_s_given_m"], d["p_s"])}
    from pellucid.stats import bayes

    return {"P(M|S)": bayes(d["p_m"], d["p_s_given_m"], evidence=d["p_s"]).probability}


@answers("004-bayes-spam-one-word")
def spam(example: Example, path: PathName) -> Mapping[str, Any]:
    d = example.data
    prior, given, other = d["P_spam"], d["P_word_given_spam"], d["P_word_given_not_spam"]
    if path == "reference":
        evidence = theorem.total_probability([prior, d["P_not_spam"]], [given, other])
        stated, summed = (theorem.posterior(prior, given, seen) for seen in (d["P_word"], evidence))
    else:
        from pellucid.stats import bayes

        found = bayes(prior, given, complement=other)
        both = bayes([prior, d["P_not_spam"]], [given, other])
        assert np.isclose(both.probability[0], found.probability)  # type: ignore[index]
        stated = bayes(prior, given, evidence=d["P_word"]).probability  # type: ignore[assignment]
        evidence, summed = found.evidence, found.probability  # type: ignore[assignment]
    return {
        "P(spam | word) = P(word|spam) P(spam) / P(word)": stated,
        "P(word) by total probability over the two classes": evidence,
        "P(spam | word) with the total-probability evidence": summed,
    }


# ----------------------------------------------------------------------------------------------------------- categories


class Tables:
    """Frequencies, likelihoods and scores of a table of words without smoothing, on one of the paths."""

    def __init__(self, path: PathName, columns: Mapping[str, list[str]], y: list[str]) -> None:
        self.path, self.columns, self.y = path, columns, y
        self.rows = [list(row) for row in zip(*columns.values(), strict=True)]
        if path == "reference":
            self.factors = [reference.categories(column, y, alpha=0) for column in columns.values()]
            self.prior = reference.priors(y)
        else:
            from pellucid.naive_bayes import CategoricalNB

            self.model = CategoricalNB(alpha=0).fit(self.rows, y)
            self.prior = dict(zip(self.model.classes_.tolist(), self.model.class_prior_.tolist(), strict=True))

    def share(self, column: str, value: str, label: str) -> float:
        j = list(self.columns).index(column)
        if self.path == "reference":
            return self.factors[j](value, label)
        return float(self.model.likelihood_table(j)[value][label])

    def scores(self, row: list[str]) -> dict[str, float]:
        if self.path == "reference":
            return reference.scores(row, self.prior, self.factors)
        joint = np.exp(self.model.predict_joint_log_proba([row])[0])
        return dict(zip(self.model.classes_.tolist(), joint.tolist(), strict=True))

    def decide(self, row: list[str]) -> str | None:
        if self.path == "reference":
            found: str | None = reference.decide(self.scores(row))
            return found
        return None if self.model.tied([row])[0] else str(self.model.predict([row])[0])


@answers("000-naive-bayes-categorical")
def weather(example: Example, path: PathName) -> Mapping[str, Any]:
    d = example.data
    t = Tables(path, {"Weather": d["Weather"], "Car": d["Car"]}, d["Class"])
    scores = [t.scores(row) for row in t.rows]
    predicted = [t.decide(row) for row in t.rows]
    found: dict[str, Any] = {f"P({label})": t.prior[label] for label in t.prior}
    for column, values in (("Weather", ("sunny", "rainy")), ("Car", ("working", "broken"))):
        found |= {f"P({v}|{label})": t.share(column, v, label) for v in values for label in t.prior}
    first = ["sunny", "working"]
    for label in t.prior:
        found[f"score of {label} for sunny, working"] = t.scores(first)[label]
        found[f"{label} score per row"] = [one[label] for one in scores]
        factors = [t.share("Weather", "sunny", label), t.share("Car", "working", label), t.prior[label]]
        found[f"trace: {label}"] = {"step": label, "factors": factors, "product": float(np.prod(factors))}
    right = [a == b for a, b in zip(predicted, d["Class"], strict=True)]
    return found | {"predictions": predicted, "training accuracy in percent": 100 * float(np.mean(right))}


@answers("001-naive-bayes-mammals")
def mammals(example: Example, path: PathName) -> Mapping[str, Any]:
    columns = example.data["columns"]
    query = example.data["query"]
    t = Tables(path, {name: columns[name] for name in query}, columns["class"])
    scores = t.scores(list(query.values()))
    found: dict[str, Any] = {"prediction": t.decide(list(query.values()))}
    for number, label in enumerate(t.prior, start=1):
        found[f"P(x|{label})P({label})"] = scores[label]
        found[f"P(x|{label})"] = scores[label] / t.prior[label]
        rows = columns["class"].count(label)
        counts = [[round(t.share(name, value, label) * rows), rows] for name, value in query.items()]
        likelihood = scores[label] / t.prior[label]
        found[f"trace: {number}"] = {
            "class": label,
            "counts": counts,
            "likelihood": likelihood,
            "prior": t.prior[label],
        }
    return found


@answers("001-laplace-and-m-estimate")
def smoothing(example: Example, path: PathName) -> Mapping[str, Any]:
    d, m, p = example.data, example.settings["m"], example.settings["p"]
    if path == "reference":
        first = reference.laplace(d["N_ij"], d["N_j"], d["n_values"])
        second = reference.m_estimate(d["N_ij"], d["N_j"], m, p)
    else:
        from pellucid.naive_bayes import CategoricalNB

        # Three rows of a class, none of which has the third value, which another class brings.
        X, y = [["a"], ["a"], ["b"], ["c"]], ["yes", "yes", "yes", "no"]
        first = CategoricalNB(alpha=1).fit(X, y).likelihood_table(0)["c"]["yes"]
        second = CategoricalNB(smoothing="m_estimate", m=m, p=p).fit(X, y).likelihood_table(0)["c"]["yes"]
    return {"Laplace (N_ij+1)/(N_j+values)": first, "m-estimate (N_ij+m*p)/(N_j+m)": second}


@answers("004-naive-bayes-meet-friend")
def meet_friend(example: Example, path: PathName) -> Mapping[str, Any]:
    d = example.data
    t = Tables(path, {"tv": d["tv"], "game": d["game"]}, d["meet_friend"])
    n = len(d["tv"])
    found: dict[str, Any] = {
        f"P({column}=yes)": sum(t.share(column, "yes", label) * t.prior[label] for label in t.prior)
        for column in ("tv", "game")
    }
    found["P(meet_friend=yes)"] = t.prior["yes"]
    for column in ("tv", "game"):
        for value in ("yes", "no"):
            for label in ("yes", "no"):
                found[f"P({column}={value} | meet_friend={label})"] = t.share(column, value, label)
    for tv in ("no", "yes"):
        for game in ("no", "yes"):
            scores, at = t.scores([tv, game]), f"tv={tv}, game={game}"
            found |= {f"joint score meet={label} for {at}": scores[label] for label in ("yes", "no")}
            found[f"posterior P(meet=yes | {at})"] = scores["yes"] / (scores["yes"] + scores["no"])
    table = []
    for i in range(n):
        row, actual = [d["tv"][i], d["game"][i]], d["meet_friend"][i]
        scores, answer = t.scores(row), t.decide(row)
        table.append(
            {
                "tv": row[0],
                "game": row[1],
                "actual": actual,
                "score_yes": scores["yes"],
                "score_no": scores["no"],
                "predicted": "tie" if answer is None else answer,
                "correct": None if answer is None else answer == actual,
            }
        )
    found["prediction table with the corrected likelihoods (ties marked)"] = table
    found["row-by-row verdict (True/False/None for tie)"] = [row["correct"] for row in table]
    step = "the source's own table: scores (yes, no) per row"
    # Printed with one of five rows for tv=no, and with game=no in its place whatever the row has.
    wrong = 1 / 5 * t.share("game", "no", "no") * t.prior["no"]
    printed = [[row["score_yes"], wrong if row["tv"] == "no" else row["score_no"]] for row in table]
    return found | {f"trace: {step}": {"step": step, "scores": printed}}


# ---------------------------------------------------------------------------------------------------------------- mixed


@answers("001-naive-bayes-mixed-tax-evasion")
def tax_evasion(example: Example, path: PathName) -> Mapping[str, Any]:
    d = example.data["columns"]
    names = ("refund", "marital_status", "taxable_income_k")
    X, y = {name: d[name] for name in names}, d["evade"]
    row = [example.data["query"][name] for name in names]
    return _tax_by_hand(X, y, row) if path == "reference" else _tax_by_model(X, y, row)


def _named(shares: Mapping[str, Mapping[str, Mapping[str, float]]], income: Mapping[str, tuple[float, float, float]],
           likelihood: Mapping[str, float], prediction: str) -> dict[str, Any]:  # fmt: skip
    found: dict[str, Any] = {}
    for label in ("Yes", "No"):
        found |= {f"P(Refund={v}|{label})": shares["refund"][v][label] for v in ("Yes", "No")}
        found |= {f"P({v}|{label})": s[label] for v, s in shares["marital_status"].items()}
        found[f"P(Income=120|{label})"] = income[label][2]
        # by hand, with the density to four digits
        words = shares["refund"]["No"][label] * shares["marital_status"]["Married"][label]
        found[f"P(x|{label})"] = words * round(income[label][2], 4)
    found["mean income | No"], found["variance income | No"] = income["No"][0], income["No"][1]
    found["trace: 1"] = {
        "mean income | Yes": income["Yes"][0],
        "variance income | Yes": income["Yes"][1],
        "computed P(Income=120|No)": income["No"][2],
        "computed P(Income=120|Yes)": income["Yes"][2],
        "computed P(x|No)": likelihood["No"],
    }
    return found | {"prediction": prediction}


def _tax_by_hand(X: dict[str, list[Any]], y: list[str], row: list[Any]) -> dict[str, Any]:
    shares = {
        name: reference.likelihoods(reference.frequencies(X[name], y), alpha=0) for name in ("refund", "marital_status")
    }
    bell = reference.gaussian(X["taxable_income_k"], y, ddof=1)
    factors = [reference.categories(X[name], y, alpha=0) for name in shares] + [bell]
    income = {c: (*reference.moments(X["taxable_income_k"], y, c, ddof=1), bell(row[2], c)) for c in ("Yes", "No")}
    prior = reference.priors(y)
    scores = reference.scores(row, prior, factors)
    return _named(shares, income, {c: scores[c] / prior[c] for c in prior}, reference.decide(scores))


def _tax_by_model(X: dict[str, list[Any]], y: list[str], row: list[Any]) -> dict[str, Any]:
    import pandas as pd

    from pellucid.naive_bayes import NaiveBayes

    model = NaiveBayes(smoothing="none", ddof=1, var_smoothing=0).fit(pd.DataFrame(X), y)
    query = pd.DataFrame([row], columns=list(X))
    shares = {name: model.likelihood_table(name) for name in ("refund", "marital_status")}
    bell = model.likelihood_table("taxable_income_k")
    # The bell alone: what is left of the score when the two words are missing.
    alone = pd.DataFrame([[None, None, row[2]]], columns=list(X))
    classes, prior = model.classes_.tolist(), model.class_prior_
    heights = dict(zip(classes, np.exp(model.predict_joint_log_proba(alone)[0]) / prior, strict=True))
    income = {c: (bell["mean"][c], bell["variance"][c], heights[c]) for c in classes}
    likelihood = dict(zip(classes, np.exp(model.predict_joint_log_proba(query)[0]) / prior, strict=True))
    return _named(shares, income, likelihood, str(model.predict(query)[0]))
