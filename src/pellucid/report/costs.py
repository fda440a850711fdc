"""About how long a model takes: seconds on two processors, guessed from the size of the table alone.

The guesses decide which models take part and on how many rows, so that the same table and the same number of minutes
give the same report: no clock is asked. Constants were fitted to measured times of seventeen tables, of 300 to 80,000
rows and up to 100 columns of numbers, words and texts, with two to 26 classes or a number to predict. Nineteen of
twenty guesses were right within a factor of two, half of them within a fifth; how hard a table is to learn decides the
rest.
"""

from __future__ import annotations

from dataclasses import dataclass

EARLY = 3000  # rows up to which the trees of boosting get larger with every row
WIDE = 1000  # columns above which boosting is spared: fewer rounds, coarser bins
SPARED = 0.25  # about what that leaves of its guess: of 300 rows of 5,000 columns 0.34 for classes, 0.11 for a number


@dataclass(frozen=True)
class Size:
    """What costs depend on."""

    rows: int
    columns: int  # as the table has them
    width: int  # of the matrix: categories and words are columns of their own
    classes: int  # 1 for a number


@dataclass(frozen=True)
class Cost:
    """Seconds of one fold of a comparison on n rows: a fit on most of them, and the answers of the others.

    ``start + column p + n (row + cell p + entry w + split p c + plane w c + square w²) + early min(n, 3000) p c +
    n² (pair + product w)`` of processors' time, with p columns of the table, w columns of the matrix, and c one less
    than the classes (1 for a number); ``alone`` is the share that one of two processors has in it, the other at work
    at the same time.
    """

    start: float = 0.0
    column: float = 0.0
    row: float = 0.0
    cell: float = 0.0
    entry: float = 0.0
    split: float = 0.0
    plane: float = 0.0
    square: float = 0.0
    early: float = 0.0
    pair: float = 0.0
    product: float = 0.0
    alone: float = 1.0

    def of(self, size: Size) -> float:
        """The seconds for a table."""
        n, p, w, c = size.rows, size.columns, size.width, max(1, size.classes - 1)
        each = self.row + self.cell * p + self.entry * w + (self.split * p + self.plane * w) * c + self.square * w * w
        once = self.start + self.column * p + self.early * min(n, EARLY) * p * c
        return self.alone * (once + n * each + n * n * (self.pair + self.product * w))


NEVER = Cost(start=float("inf"))
# For classes, and for a number.
COSTS: dict[str, tuple[Cost, Cost]] = {
    "baseline": (Cost(start=0.007, row=1.9e-7), Cost(start=0.006, row=1.3e-7)),
    "linear": (
        Cost(start=0.014, column=4.9e-5, entry=2.5e-8, plane=1.9e-8),
        Cost(start=0.011, column=8e-5, entry=4e-8),
    ),
    "lasso": (
        Cost(start=0.01, column=5e-5, entry=3.5e-8, plane=1.8e-8),
        Cost(start=0.05, column=1e-4, entry=7e-8, square=1e-10),
    ),
    "discriminant": (Cost(start=0.013, entry=3.1e-8, square=3.1e-10), NEVER),
    "bayes": (Cost(start=0.012, column=2.4e-4, cell=1.7e-8), NEVER),
    "neighbors": (
        Cost(start=0.016, entry=6.1e-8, pair=1.4e-10, product=1.8e-12, alone=0.6),
        Cost(start=0.012, entry=6.6e-8, product=2.6e-12, alone=0.6),
    ),
    "margin": (
        Cost(start=0.014, entry=2.4e-8, plane=4.2e-8),
        Cost(start=0.007, row=1.6e-5, entry=1.8e-7, pair=4.5e-10),
    ),
    "kernel": (
        Cost(start=0.016, pair=1.7e-9, product=8.5e-11, alone=0.6),
        Cost(start=0.011, entry=5.8e-8, pair=1.8e-9, product=1.4e-10, alone=0.7),
    ),
    "network": (Cost(start=0.012, row=5.6e-6, entry=3.2e-7), Cost(start=0.011, row=5.6e-6, entry=3.2e-7)),
    "tree": (Cost(start=0.01, cell=6.1e-8), Cost(start=0.009, cell=5.6e-8)),
    "forest": (Cost(row=7e-5, cell=1.5e-6, split=4.6e-8, alone=0.53), Cost(row=3.9e-5, cell=1.3e-5, alone=0.53)),
    "adaboost": (
        Cost(start=0.015, column=1.9e-5, cell=3.4e-7),
        Cost(start=0.054, column=2.8e-4, row=5.6e-6, cell=6.1e-7),
    ),
    "boosting": (
        Cost(start=0.031, cell=6e-7, split=1.3e-6, early=6.4e-7),
        Cost(start=0.058, column=0.006, cell=2e-6, early=5.1e-6),
    ),
    "stacking": (Cost(start=0.21, cell=9.7e-6, split=6.3e-6), Cost(start=0.31, cell=2.9e-5, early=3.9e-5)),
}

COMPARING = ("neighbors", "kernel")  # with the rows that they learned from; others predict in no time beside a fit


def seconds_of(name: str, size: Size) -> float:
    """Of one fold of the model of this name."""
    classes, number = COSTS[name]
    share = SPARED if name == "boosting" and size.columns > WIDE else 1.0
    return share * (number if size.classes == 1 else classes).of(size)


def prediction_seconds_of(name: str, size: Size, n_predicted: int) -> float:
    """About how long the model takes to predict so many other rows, where it compares each with each training row."""
    if name not in COMPARING:
        return 0.0
    classes, number = COSTS[name]
    cost = number if size.classes == 1 else classes
    return cost.alone * n_predicted * size.rows * (cost.pair + cost.product * size.width)
