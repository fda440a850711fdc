"""Answers by the metrics of scores and probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from ..frame import Example, PathName, answers


def metrics_on(path: PathName) -> ModuleType:
    """The entropies: of the readable reference, or the public ones."""
    if path == "reference":
        from pellucid.reference import metrics_ranking as reference

        return reference
    from pellucid import metrics

    return metrics


@answers("000-gini-single-group")
def gini_of_groups(example: Example, path: PathName) -> Mapping[str, Any]:
    impurity = metrics_on(path).gini_impurity
    counts = np.column_stack([example.data["class_0"], example.data["class_1"]])
    shares = counts / counts.sum(axis=1, keepdims=True)
    few = np.array(list(example.data["proportion_example"].values()))
    impurities = [float(impurity(row)) for row in shares]
    return {
        "proportion of class 0 in a group of 3 and 4": few[0] / few.sum(),
        "class 0 proportion": shares[:, 0],
        "class 1 proportion": shares[:, 1],
        "Gini": impurities,
        "Gini of a pure node": impurity([1.0, 0.0]),
        "Gini of a 50-50 binary node": impurity([0.5, 0.5]),
    }


@answers("003-gini-weather")
def gini_of_weather(example: Example, path: PathName) -> Mapping[str, Any]:
    counts = np.array(list(example.data["counts"].values()))
    shares = counts / counts.sum()
    gini = float(metrics_on(path).gini_impurity(shares))
    return {
        "gini": gini,
        "gini as fraction": str(Fraction(gini).limit_denominator(1000)),
        "trace: 1": {"squares": shares**2},
    }


@answers("002-cross-entropy-code-lengths")
def code_lengths(example: Example, path: PathName) -> Mapping[str, Any]:
    """A code of lengths l_j is the best one for q_j = 2^-l_j / K with the Kraft sum K = sum_j 2^-l_j.

    Its mean length on p is sum_j p_j l_j = H(p, q) - log2 K.
    """
    metrics, options = metrics_on(path), example.data["options"]
    bits = example.data["skewed_code_bits"]
    lengths = np.array([bits["favorite"]] + [bits["each_of_the_other_seven"]] * (options - 1))
    base = example.settings["log_base"]
    kraft = float((2.0**-lengths).sum())
    uniform, implied = np.full(options, 1 / options), 2.0**-lengths / kraft

    def distribution(favorite: float) -> Any:
        return np.array([favorite] + [(1 - favorite) / (options - 1)] * (options - 1))

    def average_bits(favorite: float) -> float:
        return float(metrics.cross_entropy(distribution(favorite), implied, base) - np.log2(kraft))

    def length(option: int) -> int:
        """The code length of one option: all the probability on it."""
        return round(metrics.cross_entropy(np.eye(options)[option], implied, base) - np.log2(kraft))

    # The mean length is linear in p: it falls from that at 0 to that at 1.
    fixed, never, always = metrics.entropy(uniform, base), average_bits(0), average_bits(1)
    figures: dict[str, Any] = {
        "bits per option with a fixed-length code, log2(8)": fixed,
        "bits for the favorite option in the skewed code": length(0),
        "bits for each other option in the skewed code": length(1),
        "average bits of the skewed code when the favorite has probability p: 4 - 3p; at p = 1/8": average_bits(1 / 8),
        "probability above which the skewed code beats the fixed one": (never - fixed) / (never - always),
        "Kraft sum of the skewed code": kraft,
    }
    for number, p in enumerate((1 / 8, 1 / 3, 0.5, 0.9), start=1):
        least = metrics.entropy(distribution(p), base)
        step = {"p_favorite": p, "average_bits": average_bits(p), "entropy_if_the_rest_is_uniform": least}
        figures[f"trace: {number}"] = step
    return figures
