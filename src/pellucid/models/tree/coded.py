"""Columns as categories: names by their codes, numbers as intervals of about equal weight. What CHAID reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.own_codes import declared_order
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.nodes import NodeTest, TreeNodes


@dataclass(frozen=True)
class Coded:
    """n x p codes 0, 1, ..., one column after the other in memory; ``counts[j]`` is the code of a missing value.

    ordinal : whether the codes of a column have an order
    numeric : whether they are intervals, ``edges[j][i - 1] < x <= edges[j][i]``
    ranks : column -> place of each category in an order that was given; its codes here are these places
    """

    codes: Array
    counts: Array
    ordinal: Array
    numeric: Array
    edges: list[Floats]
    ranks: dict[int, Array]

    def in_own_codes(self, nodes: TreeNodes) -> TreeNodes:
        """The branches of categories of ordered columns, which a kernel knows by their places, by their codes again."""
        for node in np.flatnonzero(nodes.test == NodeTest.CATEGORIES).tolist():
            ranks = self.ranks.get(int(nodes.feature[node]))
            if ranks is not None:
                span = slice(nodes.table_start[node], nodes.table_start[node + 1])
                nodes.table[span] = nodes.table[span][ranks]
        return nodes


def coded(d: Design, listed: Any, orders: Any, most: int, weight: Floats | None, rows: Array | None = None) -> Coded:
    """The columns of a table, or of some of its rows, as categories; numbers cut into at most so many intervals.

    listed : columns of numbers that are codes of categories; orders : column -> its categories in their order
    """
    numbers = d.numbers if rows is None else d.numbers[rows]
    sizes = category_sizes(d, listed)
    ranks = _ranks(d, sizes, orders)
    n, p = numbers.shape
    codes = np.empty((n, p), dtype=np.uint32, order="F")
    counts, edges = np.zeros(p, dtype=np.uint32), [np.empty(0)] * p
    for j in range(p):
        column = np.asarray(numbers[:, j], dtype=np.float64)
        missing = np.isnan(column)
        if sizes[j] > 0:
            counts[j] = sizes[j]
            with np.errstate(invalid="ignore"):
                filled = np.where(missing, 0, column).astype(np.int64)
            codes[:, j] = np.where(missing, sizes[j], ranks[j][filled] if j in ranks else filled)
        else:
            edges[j] = interval_edges(column, most, weight)
            counts[j] = len(edges[j]) + 1
            codes[:, j] = np.where(missing, counts[j], np.searchsorted(edges[j], column, side="left"))
    numeric = (sizes == 0).astype(np.uint8)
    ordinal = numeric.copy()
    ordinal[list(ranks)] = 1
    return Coded(codes, counts, ordinal, numeric, edges, ranks)


def interval_edges(x: Floats, most: int, weight: Floats | None = None) -> Floats:
    """Cuts of numbers into at most so many intervals of about equal weight.

    Halfway between two neighboring values: everywhere if there are few values, else behind the value at which the
    weight so far reaches 1, 2, ... of ``most`` equal parts.
    """
    there = ~np.isnan(x)
    order = np.argsort(x[there], kind="stable") if weight is not None else slice(None)
    values = x[there][order] if weight is not None else np.sort(x[there])
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1) if len(values) else np.empty(0, int)
    distinct = values[ends]
    if len(distinct) < 2:
        return np.empty(0)
    halfway = distinct[:-1] / 2 + distinct[1:] / 2
    halfway = np.where((halfway < distinct[:-1]) | (halfway >= distinct[1:]), distinct[:-1], halfway)
    if len(distinct) <= most:
        return np.asarray(halfway)
    so_far = ends + 1.0 if weight is None else np.cumsum(weight[there][order])[ends]
    goals = np.arange(1, most) * so_far[-1] / most
    positions = np.unique(np.searchsorted(so_far, goals, side="left"))
    return np.asarray(halfway[positions[positions < len(halfway)]])


def _ranks(d: Design, sizes: Array, orders: Any) -> dict[int, Array]:
    """Place of each category of the columns that have an order: given ones, and those that the table itself orders."""
    ranks: dict[int, Array] = {}
    labels = d.column_labels()
    for j in np.flatnonzero(sizes > 0).tolist():
        order = declared_order(d.table, j)
        if order is not None:
            ranks[j] = _places(d, j, labels[j], int(sizes[j]), order)
    for name, order in (orders or {}).items():
        j = labels.index(name) if name in labels else name
        if isinstance(j, bool) or not isinstance(j, int | np.integer) or not 0 <= j < d.n_cols:
            requirement = "the keys of category_order must be columns of X"
            raise ParameterError(format_message(d.who, requirement, actual=f"there is no column {short_repr(name)}"))
        if sizes[j] == 0:
            requirement = "category_order is for columns of categories"
            hint = "numbers have an order of their own; categorical_features makes categories of codes"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"column {labels[j]!r} holds numbers", hint=hint)
            )
        ranks[int(j)] = _places(d, int(j), labels[j], int(sizes[j]), order)
    return ranks


def _places(d: Design, j: int, label: str, size: int, order: Any) -> Array:
    if isinstance(order, str) or not hasattr(order, "__iter__"):
        requirement = "category_order must give each column the list of its categories, from first to last"
        raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(order)} for column {label!r}"))
    rank_of = {value: i for i, value in enumerate(order)}
    categories = d.schema.categories.get(j, range(size))
    absent = [value for value in categories if value not in rank_of]
    if absent and j in d.schema.categories:
        requirement = f"category_order must name every category of column {label!r}"
        raise DataError(
            format_message(
                d.who, requirement, actual=f"{join_some(map(repr, absent))} not among {join_some(map(repr, rank_of))}"
            )
        )
    ranked = sorted(range(size), key=lambda code: rank_of.get(categories[code], len(rank_of) + code))
    ranks = np.empty(size, dtype=np.int64)
    ranks[ranked] = np.arange(size)
    return ranks
