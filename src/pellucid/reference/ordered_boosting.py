"""Ordered boosting: no row is judged by a model that has seen its own target.

Rows are put into an order, once and at random. A category becomes a number by the rows before each row alone,

    (sum of their targets in the category + alpha p) / (number of rows of the category + alpha),

and so does a residual: that of a row comes from a model of the rows before it. In full that takes a model for each
number of rows; the doubling scheme keeps those of 1, 2, 4, 8, ... rows, and takes for each row the largest one that
does not reach it. All models share their trees, and differ in what the leaves answer: each by its own rows,

    w_j(leaf) = sum of r / (sum of h + l2)  over the rows of the leaf among the first s_j,  at the scores of model j.

The model of all rows is the one that answers for new rows. Prokhorenkova and others: CatBoost: unbiased boosting with
categorical features (2018), algorithms 1 and 2; there a tree is sought with ordered answers of the leaves, here by the
sum of gains of the residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference.gradient_boosting import Loss, curvatures, residuals
from pellucid.reference.second_order_boosting import Node, Settings, grow, leaf_of, leaves_of
from pellucid.reference.target_encoding import encodings, of_all_rows
from pellucid.reference.target_encoding import ordered as ordered_statistic

__all__ = [
    "OrderedModel",
    "OrderedRound",
    "boost",
    "boost_with",
    "doubling_prefixes",
    "doubling_sizes",
    "of_all_rows",
    "ordered_statistic",
    "plain_means",
    "prefixes",
    "scores_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Row = TypeVar("Row", bound=Hashable)


# --------------------------------------------------------------------------------------------------------- categories


def plain_means(column: Sequence[Hashable], y: Sequence[float]) -> dict[Hashable, float]:
    """The mean target of each category over all rows: it tells a row its own target, and most where rows are few."""
    return encodings(column, y, smooth=0.0)


# ----------------------------------------------------------------------------------------------------------- prefixes


def prefixes(order: Sequence[Row]) -> dict[Row, list[Row]]:
    """For each row the rows that train the model which gives its residual: all before it.

    >>> prefixes(["x4", "x6", "x3"])
    {'x4': [], 'x6': ['x4'], 'x3': ['x4', 'x6']}
    """
    return {row: list(order[:place]) for place, row in enumerate(order)}


def doubling_sizes(n: int) -> list[int]:
    """1, 2, 4, ... up to n: so many rows do the models of the doubling scheme know."""
    return [2**j for j in range(n.bit_length())]


def doubling_prefixes(order: Sequence[Row]) -> dict[Row, list[Row]]:
    """The same in the doubling scheme: of the models the largest that does not reach the row; none for the first."""
    sizes = doubling_sizes(len(order))
    return {
        row: list(order[: max((size for size in sizes if size <= place), default=0)]) for place, row in enumerate(order)
    }


# ----------------------------------------------------------------------------------------------------------- boosting


@dataclass
class OrderedRound:
    """One tree: each row's residual by the model of its prefix, the leaves, and what they answer in each model."""

    residual: Floats
    leaves: list[Ints]
    answer: Floats  # models x leaves, before the rate; the last model knows all rows
    tree: Node | None = None  # none where the leaves were given


@dataclass
class OrderedModel:
    """What ordered boosting leaves behind: models that know the first ``sizes[j]`` rows of the order.

    ``model_of[i]`` is the model that judges row i, ``scores[m][j, i]`` what model j says of row i after m rounds.
    """

    loss: Loss
    rate: float
    start: float
    order: Ints
    sizes: list[int]
    model_of: Ints
    rounds: list[OrderedRound]
    scores: list[Floats]

    def own_scores(self, m: int = -1) -> Floats:
        """What each row is told by the model of its prefix, after m rounds."""
        return np.asarray(self.scores[m][self.model_of, np.arange(len(self.order))])


Parting = Callable[[int, Floats, Floats], tuple[list[Ints], Node | None]]  # round, g, h -> rows of the leaves


def boost(
    X: ArrayLike,
    y: ArrayLike,
    order: ArrayLike,
    loss: Loss | None = None,
    s: Settings | None = None,
    *,
    rounds: int = 10,
    rate: float = 0.1,
    start: float = 0.0,
    doubling: bool = True,
) -> OrderedModel:
    """Grows a tree, oblivious unless the settings say otherwise, on the residuals of the rows' prefixes.

    `start` is a number that was not learned from these targets; the loss is "squared" or "logistic".
    """
    s = s or Settings(growth="oblivious", max_depth=2)
    table = np.asarray(X, dtype=np.float64)

    def part(number: int, g: Floats, h: Floats) -> tuple[list[Ints], Node | None]:
        tree = grow(table, g, h, s)
        return [leaf.rows for leaf in leaves_of(tree)], tree

    return _boost(part, rounds, y, order, loss or Loss(), rate, start, s.l2, doubling)


def boost_with(
    trees: Sequence[Sequence[ArrayLike]],
    y: ArrayLike,
    order: ArrayLike,
    loss: Loss | None = None,
    *,
    rate: float = 0.1,
    start: float = 0.0,
    l2: float = 0.0,
    doubling: bool = True,
) -> OrderedModel:
    """The same with trees that are known: for each the rows of its leaves.

    >>> made = boost_with([[[0, 1, 2]]], [1, 2, 6], order=[0, 1, 2], rate=1, doubling=False)
    >>> made.own_scores()  # each row: the mean of those before it
    array([0. , 1. , 1.5])
    """
    groups = [[np.asarray(leaf, dtype=np.int64) for leaf in leaves] for leaves in trees]
    return _boost(
        lambda number, g, h: (groups[number], None), len(groups), y, order, loss or Loss(), rate, start, l2, doubling
    )


def _boost(
    part: Parting,
    rounds: int,
    y: ArrayLike,
    order: ArrayLike,
    loss: Loss,
    rate: float,
    start: float,
    l2: float,
    doubling: bool,
) -> OrderedModel:
    if loss.name not in ("squared", "logistic"):
        raise ValueError(f"ordered boosting: the loss must be 'squared' or 'logistic'; got {loss.name!r}.")
    target, turn = np.asarray(y, dtype=np.float64), np.asarray(order, dtype=np.int64)
    n = len(target)
    place = np.empty(n, dtype=np.int64)
    place[turn] = np.arange(n)
    sizes = [0, *(doubling_sizes(n - 1) if doubling else range(1, n)), n]
    model_of = np.array([max(j for j, size in enumerate(sizes) if size <= at) for at in place], dtype=np.int64)
    made = OrderedModel(loss, rate, start, turn, sizes, model_of, [], [np.full((len(sizes), n), start)])
    for number in range(rounds):
        f = made.scores[-1].copy()
        own = made.own_scores()[:, None]
        r, h = residuals(loss, target, own)[:, 0], curvatures(loss, own)[:, 0]
        leaves, tree = part(number, -r, h)
        answer = np.array([_answers(loss, target, f[j], leaves, place < size, l2) for j, size in enumerate(sizes)])
        for column, rows in enumerate(leaves):
            f[:, rows] += rate * answer[:, [column]]
        made.rounds.append(OrderedRound(r, leaves, answer, tree))
        made.scores.append(f)
    return made


def _answers(loss: Loss, y: Floats, f: Floats, leaves: list[Ints], known: NDArray[np.bool_], l2: float) -> list[float]:
    """What the leaves answer in a model that knows some rows; 0 where it knows none of a leaf's."""
    r, h = residuals(loss, y, f[:, None])[:, 0], curvatures(loss, f[:, None])[:, 0]
    inside = [rows[known[rows]] for rows in leaves]
    sums = [(float(r[rows].sum()), float(h[rows].sum()) + l2) for rows in inside]
    return [above / below if below > 0 else 0.0 for above, below in sums]


def scores_of(model: OrderedModel, X: ArrayLike) -> Floats:
    """What the model of all rows says of any rows."""
    table = np.asarray(X, dtype=np.float64)
    f = np.full(len(table), model.start)
    for one in model.rounds:
        if one.tree is None:
            raise ValueError("scores_of: trees must have been grown; these are rows of leaves that were given.")
        places = {id(leaf): column for column, leaf in enumerate(leaves_of(one.tree))}
        ends = [places[id(leaf_of(one.tree, x))] for x in table]
        f += model.rate * one.answer[-1, ends]
    return f
