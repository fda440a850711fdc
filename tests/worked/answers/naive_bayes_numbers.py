"""Answers by ``GaussianNB`` and ``BernoulliNB``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import count_naive_bayes as counts
from pellucid.reference import gaussian_naive_bayes as bells

from ..frame import Example, PathName, answers

Array = NDArray[np.float64]


@answers("000-gaussian-naive-bayes")
def ten_rows(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = np.column_stack([example.data["X1"], example.data["X2"]]), np.asarray(example.data["Y"])
    if path == "reference":
        found: Any = bells.fit(X, y, ddof=1)
        prior, mean, variance = found.prior, found.mean, found.variance
        scores = bells.scores(X, found)
        said = bells.predict(scores, found.classes)
    else:
        from pellucid.naive_bayes import GaussianNB

        model = GaussianNB(ddof=1, var_smoothing=0).fit(X, y)
        prior, mean, variance = model.class_prior_, model.theta_, model.var_
        scores = np.exp(model.predict_joint_log_proba(X))
        said = model.predict(X)
    figures: dict[str, Any] = {}
    for k in (0, 1):
        heights = [bells.density(X[0, j], mean[k, j], variance[k, j]) for j in (0, 1)]
        figures |= {f"P(Y={k})": prior[k], f"score of class {k} per row": scores[:, k]}
        figures |= {f"mean X{j + 1}, Y={k}": mean[k, j] for j in (0, 1)}
        figures |= {f"sd X{j + 1}, Y={k}": math.sqrt(variance[k, j]) for j in (0, 1)}
        figures |= {f"pdf of X{j + 1} given Y={k}, first row": heights[j] for j in (0, 1)}
        figures[f"score of class {k}, first row"] = scores[0, k]
        if path == "reference":
            figures[f"trace: row 1, class {k} as printed"] = as_printed(k, X[0], mean[k], variance[k], prior[k])
    return figures | {"predictions": said, "training accuracy in percent": 100 * float(np.mean(np.equal(said, y)))}


def as_printed(k: int, x: Array, mean: Array, variance: Array, prior: float) -> dict[str, Any]:
    """With the variance as a factor in the exponent, where it has to divide: the slip of the source."""
    wrong = [
        math.exp(-((x[j] - mean[j]) ** 2) / 2 * variance[j]) / math.sqrt(2 * math.pi * variance[j]) for j in (0, 1)
    ]
    score = prior * wrong[0] * wrong[1]
    step = f"row 1, class {k} as printed"
    return {"step": step, "pdf_X1": wrong[0], "pdf_X2": wrong[1], "prior": prior, "score": score}


@answers("004-naive-bayes-spam-two-words")
def two_words(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = emails(example.data)
    both = np.ones((1, 2))
    if path == "reference":
        actual = counts.count(X, y)
        chance, prior, classes = counts.bernoulli(actual, alpha=0), actual.prior, actual.classes
        scores = counts.bernoulli_scores(both, prior, chance)[0]
        posterior = counts.posterior([scores])[0]
        said = classes[int(np.argmax(scores))]
        rows, columns = actual.rows, actual.columns
    else:
        from pellucid.naive_bayes import BernoulliNB

        model = BernoulliNB(alpha=0).fit(X, y)
        chance, prior, classes = np.exp(model.feature_log_prob_), model.class_prior_, model.classes_.tolist()
        scores = np.exp(model.predict_joint_log_proba(both)[0])
        posterior, said = model.predict_proba(both)[0], model.predict(both)[0]
        rows, columns = model.class_count_, model.feature_count_
    spam, other = classes.index("spam"), classes.index("not spam")
    words = columns.sum(axis=0) / rows.sum()
    likelihood = scores / prior
    figures: dict[str, Any] = {}
    for k, name in ((spam, "spam"), (other, "not spam")):
        figures |= {
            f"P({name})": prior[k],
            f"P(family|{name})": chance[k, 0],
            f"P(prestigious|{name})": chance[k, 1],
            f"P(both words | {name})": likelihood[k],
        }
    return figures | {
        "P(family)": words[0],
        "P(prestigious)": words[1],
        "P(family and prestigious) under unconditional independence": words[0] * words[1],
        "expected spam emails with both words (20 * likelihood)": rows[spam] * likelihood[spam],
        "expected non-spam emails with both words (80 * likelihood)": rows[other] * likelihood[other],
        "P(spam | both words), normalized posterior": posterior[spam],
        "P(not spam | both words)": posterior[other],
        "predicted class when both words present": said,
        "trace: unnormalized class scores": {
            "step": "unnormalized class scores", "spam": scores[spam], "not_spam": scores[other]
        },
    }  # fmt: skip


def emails(data: dict[str, Any]) -> tuple[Array, list[str]]:
    """One row an e-mail; within a class the first ones have the words."""
    X: list[list[float]] = []
    y: list[str] = []
    for label, n, first, second in zip(data["class"], data["emails"], data["family"], data["prestigious"], strict=True):
        X += [[float(i < first), float(i < second)] for i in range(n)]
        y += [label] * n
    return np.array(X), y
