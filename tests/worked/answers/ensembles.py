"""Bagging: a vote of five trees, three stumps written down by hand, and how much of a table a sample holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.ensemble import BaggingClassifier
from pellucid.ensemble._samples import left_out
from pellucid.models.tree.cart import drawn_columns
from pellucid.reference import bagging
from pellucid.reference.statistics import inclusion_probability as by_hand
from pellucid.stats import inclusion_probability
from pellucid.working.gallery_ensembles import constant_models, stumps

from ..frame import Example, PathName, answers


@answers("000-bagging-vote")
def vote(example: Example, path: PathName) -> Mapping[str, Any]:
    votes = example.data["votes"]
    if path == "reference":
        return {"ensemble prediction": bagging.majority(votes)}
    X, y = np.zeros((len(votes), 1)), np.array(votes)
    model = BaggingClassifier(models=constant_models(votes)).fit(X, y)
    return {"ensemble prediction": model.predict(X[:1])[0]}


@answers("000-bagged-decision-stumps")
def three_stumps(example: Example, path: PathName) -> Mapping[str, Any]:
    X = np.column_stack([example.data["X1"], example.data["X2"]])
    y = np.array(example.data["Y"])
    if path == "reference":
        rules = [
            bagging.stump(["X1", "X2"].index(m["feature"]), m["threshold"], m["LEFT"], m["RIGHT"])
            for m in example.settings["models"]
        ]
        said, together = [rule(X).tolist() for rule in rules], bagging.bagged_votes(rules, X)
    else:
        model = BaggingClassifier(models=stumps(example.settings["models"])).fit(X, y)
        said = [np.asarray(member.predict(X)).tolist() for member in model.estimators_]
        together = model.predict(X).tolist()
    found: dict[str, Any] = {}
    for t, (m, labels) in enumerate(zip(example.settings["models"], said, strict=True), start=1):
        side = {m["LEFT"]: "LEFT", m["RIGHT"]: "RIGHT"}
        found[f"groups of model {t}"] = [side[label] for label in labels]
        found[f"predictions of model {t}"] = labels
        found[f"errors of model {t}"] = [int(a != b) for a, b in zip(labels, y, strict=True)]
        found[f"accuracy of model {t} in percent"] = 100 * np.mean(np.array(labels) == y)
    found["ensemble predictions"] = together
    found["ensemble accuracy in percent"] = 100 * np.mean(np.array(together) == y)
    for i in range(len(y)):
        found[f"trace: {i + 1}"] = {
            "row": i + 1, "votes": [labels[i] for labels in said], "prediction": together[i], "Y": int(y[i]),
        }  # fmt: skip
    return found


@answers("004-bootstrap-oob-fractions")
def shares(example: Example, path: PathName) -> Mapping[str, Any]:
    rows = example.data["rows"]
    sample = np.array([rows.index(row) for row in example.data["bag"]])
    four, eight = example.settings["n_features_examples"]
    if path == "reference":
        inside, limit = by_hand(len(rows)), by_hand(float("inf"))
        unseen = bagging.rows_left_out(sample, len(rows))
        columns = [round(np.sqrt(four)), round(np.sqrt(eight))]
    else:
        inside, limit = inclusion_probability(len(rows)), inclusion_probability(float("inf"))
        unseen = left_out(sample, len(rows))
        columns = [drawn_columns("sqrt", p, rounding="nearest") for p in (four, eight)]
    return {
        "expected share of distinct rows (n large)": limit,
        "out-of-bag share": 1 - limit,
        "out-of-bag rows of the toy": [rows[i] for i in unseen],
        "features per split for d=4": columns[0],
        "features per split for d=8 (rounded)": columns[1],
        "exact expected distinct share for n=4: 1-(1-1/4)^4": inside,
        "distinct share stated in the caption of a picture": limit,
    }
