"""What a fitted naive Bayes of categories holds, as plain lists and dicts; and answers that tell a tie."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.naive_bayes._bayes import NaiveBayesClassifier

_TIE = 1e-12  # scores whose logarithms differ by less, as a share, are equal up to rounding
MOST_COMBINATIONS = 100_000


@dataclass(frozen=True)
class ColumnTable:
    """One column: its values, how often each class has them, and the share of each in a class.

    A column that is described by a density has no values, and `shares` is what describes it, by class.
    """

    name: Any
    values: list[Any]
    counts: Floats | None
    shares: Any


class TabledBayes(NaiveBayesClassifier):
    """A naive Bayes classifier whose tables can be read. A subclass writes `_raw_joint` and `_column_tables`."""

    def _raw_joint(self, d: Design) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _raw_joint")

    def _column_tables(self) -> list[ColumnTable]:
        raise TypeError(f"{type(self).__name__} must write _column_tables")

    def _joint_log(self, d: Design) -> Floats:
        """The joint logarithms; those that equal a row's largest up to rounding are set to it, so that a tie is one."""
        joint = self._raw_joint(d)
        # Column by column: NumPy's maximum along short rows takes 20 times as long (1,000,000 x 2).
        top = joint[:, 0].copy()
        for c in range(1, joint.shape[1]):
            np.maximum(top, joint[:, c], out=top)
        least = top - _TIE * (1 + np.abs(top))
        for c in range(joint.shape[1]):
            np.copyto(joint[:, c], top, where=joint[:, c] >= least)
        return joint

    def tied(self, X: Any) -> Flags:
        """True for each row that has no decision: two or more classes share the largest score.

        `predict` answers such a row with the first of them in the order of `classes_`.
        """
        joint = self._joint_log(self._validate_predict(X))
        return np.asarray((joint == joint.max(axis=1, keepdims=True)).sum(axis=1) > 1)

    # ----------------------------------------------------------------------------------------------------------- tables

    def frequency_table(self, column: Any) -> dict[Any, dict[Any, float]]:
        """How often each value of a column occurs in each class: ``{value: {class: count}}``.

        Parameters
        ----------
        column : the column's name, or its position
        """
        table = self._table_of(column)
        if table.counts is None:
            requirement, hint = (
                "a frequency table needs categories or a split",
                "likelihood_table shows what its density is",
            )
            raise ParameterError(
                format_message(
                    type(self).__name__, requirement, actual=f"column {table.name!r} has a density", hint=hint
                )
            )
        return self._by_value(table.values, table.counts)

    def likelihood_table(self, column: Any) -> dict[Any, dict[Any, float]]:
        """The share of each value in each class after smoothing: ``{value: {class: P(value | class)}}``.

        For a column with a density: what describes it, such as ``{"mean": {class: ...}, "variance": {class: ...}}``.

        Parameters
        ----------
        column : the column's name, or its position
        """
        table = self._table_of(column)
        return table.shares if table.counts is None else self._by_value(table.values, table.shares)

    def joint_table(self) -> list[dict[str, Any]]:
        """Every combination of the columns' values with the score of each class, the probabilities and the answer.

        One dict a combination: ``values`` by column, ``scores``  ``P(c) prod_j P(x_j | c)``  and ``probabilities`` by
        class, and ``prediction``, which is None where the largest scores are equal: no decision. Columns with a density
        have no list of values: a model that has one is refused, and so are more than 100,000 combinations.
        """
        tables = self._column_tables()
        who = type(self).__name__
        dense = [table.name for table in tables if table.counts is None]
        if dense:
            actual = f"{join_some(map(repr, dense))} {'has a density' if len(dense) == 1 else 'have densities'}"
            raise ParameterError(
                format_message(who, "a table of all combinations needs categories or splits", actual=actual)
            )
        size = prod(len(table.values) for table in tables)
        if size > MOST_COMBINATIONS:
            actual, hint = f"there are {size:,}", "predict_proba gives the rows that you need"
            raise DataError(
                format_message(who, f"at most {MOST_COMBINATIONS:,} combinations are listed", actual=actual, hint=hint)
            )
        return [self._combination(tables, places) for places in product(*(range(len(t.values)) for t in tables))]

    def _combination(self, tables: list[ColumnTable], places: tuple[int, ...]) -> dict[str, Any]:
        labels = self.classes_.tolist()
        pairs = list(zip(tables, places, strict=True))
        scores = self.class_prior_ * np.prod([table.shares[:, k] for table, k in pairs], axis=0)
        top, whole = scores.max(), scores.sum()
        best = np.flatnonzero(scores >= top * (1 - _TIE))
        shares = scores / whole if whole > 0 else self.class_prior_
        return {
            "values": {table.name: table.values[k] for table, k in pairs},
            "scores": dict(zip(labels, scores.tolist(), strict=True)),
            "probabilities": dict(zip(labels, shares.tolist(), strict=True)),
            "prediction": labels[int(best[0])] if len(best) == 1 else None,
        }

    def _by_value(self, values: list[Any], cells: Floats) -> dict[Any, dict[Any, float]]:
        labels = self.classes_.tolist()
        return {
            value: dict(zip(labels, column, strict=True))
            for value, column in zip(values, cells.T.tolist(), strict=False)
        }

    def _table_of(self, column: Any) -> ColumnTable:
        self._check_fitted()
        tables = self._column_tables()
        by_name = {table.name: table for table in tables}
        if column in by_name:
            return by_name[column]
        if isinstance(column, int | np.integer) and -len(tables) <= column < len(tables):
            return tables[int(column)]
        who, actual = type(self).__name__, f"got {column!r}"
        hint = f"there are {count(len(tables), 'column')}: {join_some(map(repr, by_name))}"
        raise ParameterError(
            format_message(who, "column must be the name or the position of a column", actual=actual, hint=hint)
        )

    def _names(self) -> list[Any]:
        names = self.schema_.names
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)


def kept_rows(d: Design) -> tuple[Array | None, Floats | None]:
    """The rows that count, None for all, and their weights."""
    if d.weight is None:
        return None, None
    rows = np.flatnonzero(d.weight)
    return (None, d.weight) if len(rows) == d.n_rows else (rows, d.weight[rows])
