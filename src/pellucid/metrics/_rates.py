"""Two classes at a glance: the four counts with every rate made from them, and the confusion matrix as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, prod, sqrt
from typing import Any

from pellucid.base.errors import DataError, format_message


def ratio(numerator: float, denominator: float) -> float:
    """part / whole; where the whole is zero, infinite, and 0/0 not a number."""
    if denominator:
        return numerator / denominator
    return inf if numerator > 0 else nan


# Name of the property, its formula.
FORMULAS = (
    ("prevalence", "(TP + FN) / n"),
    ("accuracy", "(TP + TN) / n"),
    ("error_rate", "(FP + FN) / n"),
    ("sensitivity", "TP / (TP + FN)"),
    ("specificity", "TN / (TN + FP)"),
    ("precision", "TP / (TP + FP)"),
    ("negative_predictive_value", "TN / (TN + FN)"),
    ("false_positive_rate", "FP / (FP + TN)"),
    ("false_negative_rate", "FN / (FN + TP)"),
    ("false_discovery_rate", "FP / (FP + TP)"),
    ("false_omission_rate", "FN / (FN + TN)"),
    ("f1", "2 TP / (2 TP + FP + FN)"),
    ("jaccard", "TP / (TP + FP + FN)"),
    ("balanced_accuracy", "(sensitivity + specificity) / 2"),
    ("informedness", "sensitivity + specificity - 1"),
    ("markedness", "precision + negative_predictive_value - 1"),
    ("matthews_corrcoef", "(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))"),
    ("positive_likelihood_ratio", "sensitivity / (1 - specificity)"),
    ("negative_likelihood_ratio", "(1 - sensitivity) / specificity"),
)


@dataclass(frozen=True)
class Rates:
    """The four counts of a two-class problem, and every rate made from them.

    TP (positive, said to be positive), TN (negative, said to be negative), FP (negative, said to be positive), FN
    (positive, said to be negative). A rate that is a share of nothing is not a number. Printed, it is a table of all.

    >>> r = Rates(TP=100, TN=50, FP=10, FN=5)
    >>> r.n, r.sensitivity == 100 / 105, r.specificity == 50 / 60
    (165, True, True)
    >>> print(r)  # doctest: +ELLIPSIS
                      predicted negative  predicted positive
    actual negative               TN  50              FP  10
    actual positive               FN   5              TP 100
    <BLANKLINE>
    prevalence                 0.6364  (TP + FN) / n
    accuracy                   0.9091  (TP + TN) / n
    error_rate                 0.0909  (FP + FN) / n
    sensitivity                0.9524  TP / (TP + FN)
    specificity                0.8333  TN / (TN + FP)
    precision                  0.9091  TP / (TP + FP)
    ...
    """

    TP: float
    TN: float
    FP: float
    FN: float

    def __post_init__(self) -> None:
        counts = {"TP": self.TP, "TN": self.TN, "FP": self.FP, "FN": self.FN}
        odd = [f"{name}={value}" for name, value in counts.items() if not 0 <= value < float("inf")]
        if odd:
            raise DataError(
                format_message("Rates", "counts must be finite and not negative", actual=f"got {', '.join(odd)}")
            )

    @property
    def n(self) -> float:
        """All rows."""
        return self.TP + self.TN + self.FP + self.FN

    @property
    def prevalence(self) -> float:
        """Share of the positive class."""
        return ratio(self.TP + self.FN, self.n)

    @property
    def accuracy(self) -> float:
        """Share of rows predicted right."""
        return ratio(self.TP + self.TN, self.n)

    @property
    def error_rate(self) -> float:
        """Share of rows predicted wrong."""
        return ratio(self.FP + self.FN, self.n)

    @property
    def sensitivity(self) -> float:
        """Share of the positives that are found: recall, true positive rate, hit rate."""
        return ratio(self.TP, self.TP + self.FN)

    @property
    def recall(self) -> float:
        """Another name of the sensitivity."""
        return self.sensitivity

    @property
    def specificity(self) -> float:
        """Share of the negatives that are left alone: true negative rate."""
        return ratio(self.TN, self.TN + self.FP)

    @property
    def precision(self) -> float:
        """Share of the alarms that are right: positive predictive value."""
        return ratio(self.TP, self.TP + self.FP)

    @property
    def negative_predictive_value(self) -> float:
        """Share of the all-clears that are right."""
        return ratio(self.TN, self.TN + self.FN)

    @property
    def false_positive_rate(self) -> float:
        """Share of the negatives with a false alarm: fall-out."""
        return ratio(self.FP, self.FP + self.TN)

    @property
    def false_negative_rate(self) -> float:
        """Share of the positives that are missed: miss rate."""
        return ratio(self.FN, self.FN + self.TP)

    @property
    def false_discovery_rate(self) -> float:
        """Share of the alarms that are false."""
        return ratio(self.FP, self.FP + self.TP)

    @property
    def false_omission_rate(self) -> float:
        """Share of the all-clears that are wrong."""
        return ratio(self.FN, self.FN + self.TN)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and sensitivity."""
        return ratio(2 * self.TP, 2 * self.TP + self.FP + self.FN)

    @property
    def jaccard(self) -> float:
        """Rows positive in both over rows positive in either: threat score, critical success index."""
        return ratio(self.TP, self.TP + self.FP + self.FN)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of sensitivity and specificity: 1/2 for a constant prediction, however rare the positives."""
        return (self.sensitivity + self.specificity) / 2

    @property
    def informedness(self) -> float:
        """Youden's J: how much better than guessing, over the classes."""
        return self.sensitivity + self.specificity - 1

    @property
    def markedness(self) -> float:
        """How much better than guessing, over the predictions."""
        return self.precision + self.negative_predictive_value - 1

    @property
    def matthews_corrcoef(self) -> float:
        """Correlation of truth and prediction, both as 0 and 1."""
        sides = (self.TP + self.FP, self.TP + self.FN, self.TN + self.FP, self.TN + self.FN)
        return ratio(self.TP * self.TN - self.FP * self.FN, sqrt(prod(sides)))

    @property
    def positive_likelihood_ratio(self) -> float:
        """By how much an alarm multiplies the odds of the positive class."""
        return ratio(self.sensitivity, self.false_positive_rate)

    @property
    def negative_likelihood_ratio(self) -> float:
        """By how much an all-clear multiplies the odds of the positive class."""
        return ratio(self.false_negative_rate, self.specificity)

    def as_dict(self) -> dict[str, float]:
        """The counts and all rates by name."""
        counts = {"TP": self.TP, "TN": self.TN, "FP": self.FP, "FN": self.FN}
        return counts | {name: getattr(self, name) for name, _ in FORMULAS}

    def __str__(self) -> str:
        size = max(len(f"{value:g}") for value in (self.TP, self.TN, self.FP, self.FN))
        cells = {name: f"{name} {getattr(self, name):{size}g}" for name in ("TN", "FP", "FN", "TP")}
        head = f"{'':16}  {'predicted negative':>18}  {'predicted positive':>18}"
        rows = [
            f"{actual:16}  {cells[left]:>18}  {cells[right]:>18}"
            for actual, left, right in (("actual negative", "TN", "FP"), ("actual positive", "FN", "TP"))
        ]
        lines = [f"{name:25}  {_shown(getattr(self, name))}  {formula}" for name, formula in FORMULAS]
        return "\n".join([head, *rows, "", *lines])


def _shown(value: float) -> str:
    return f"{value:6.4f}" if value == value else "   0/0"


def text_table(names: Sequence[str], cells: Sequence[Sequence[Any]], totals: bool, digits: int) -> str:
    """A square matrix with its labels on both sides, and the sums where they mean something."""

    def shown(value: Any) -> str:
        return f"{value:.{digits}f}" if isinstance(value, float) else str(value)

    rows = [list(row) for row in cells]
    heads, sides = list(names), [f"actual {name}" for name in names]
    if totals:
        rows = [[*row, sum(row)] for row in rows]
        rows.append([sum(column) for column in zip(*rows, strict=True)])
        heads, sides = [*heads, "total"], [*sides, "total"]
    text = [[shown(value) for value in row] for row in rows]
    widths = [max(len(head), *(len(row[j]) for row in text)) for j, head in enumerate(heads)]
    side = max(map(len, sides))
    lines = [[head.rjust(width) for head, width in zip(heads, widths, strict=True)]]
    lines += [[value.rjust(width) for value, width in zip(row, widths, strict=True)] for row in text]
    left = ["", *sides]
    body = ["  ".join([name.ljust(side), *line]) for name, line in zip(left, lines, strict=True)]
    return "\n".join([f"{'':{side}}  predicted", *body])
