"""A node of a CHAID tree as its working reads it: the rows, their categories in words, and how these are merged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.models.tree.cart import rows_of
from pellucid.models.tree.coded import Coded, coded
from pellucid.models.tree.words import Words
from pellucid.reference import chaid as reference
from pellucid.working.entry import Given

MOST_CATEGORIES = 40  # of a column that is worked out


@dataclass(frozen=True)
class Column:
    """One column of the node.

    categories : words for the categories that occur, in the order of their codes
    of_row : which of them each row has
    grouping : what becomes of them; None where there is one only, or too many to be shown
    """

    place: int
    name: str
    kind: str
    categories: list[str]
    of_row: Array
    grouping: reference.Grouping | None

    @property
    def group_of(self) -> Array:
        """Number of the group of each category."""
        group_numbers = np.zeros(len(self.categories), dtype=int)
        for number, group in enumerate(self.grouping.groups if self.grouping else []):
            group_numbers[group] = number
        return group_numbers

    @property
    def groups(self) -> list[str]:
        """The groups in words."""
        return [self.words(group) for group in (self.grouping.groups if self.grouping else [])]

    def words(self, group: Any) -> str:
        return " + ".join(self.categories[c] for c in group)


class ChaidNode:
    """Rows of a node, with what is needed to merge and to test."""

    def __init__(self, model: Any, data: Given) -> None:
        self.model, self.data = model, data
        self.number = self._asked_for(data.options.get("node", 0))
        inside = np.asarray(model.decision_path(data.table)[:, [self.number]].todense()).ravel() > 0
        self.rows = np.flatnonzero(inside if data.weight is None else inside & (data.weight > 0))
        self.weight: Floats | None = None if data.weight is None else data.weight[self.rows]
        self.classes = getattr(model, "classes_", None)

    def _asked_for(self, node: Any) -> int:
        if isinstance(node, bool) or not isinstance(node, int) or not 0 <= node < len(self.model.tree_):
            requirement = f"node must be a whole number from 0 to {len(self.model.tree_) - 1}"
            raise ParameterError(
                format_message(type(self.model).__name__, requirement, actual=f"got {short_repr(node)}")
            )
        return node

    @cached_property
    def coded(self) -> Coded:
        model, weight = self.model, self.data.weight
        row_indices = None if weight is None else np.flatnonzero(weight > 0)
        return coded(
            model._validate_predict(self.data.table),
            model.categorical_features,
            model.category_order,
            int(model.n_intervals),
            weight if weight is None or row_indices is None else weight[row_indices],
            row_indices,
        )

    @cached_property
    def place(self) -> Array:
        """Where the node's rows stand among those that count."""
        weight = self.data.weight
        return self.rows if weight is None else np.searchsorted(np.flatnonzero(weight > 0), self.rows)

    @property
    def y(self) -> Array:
        assert self.data.y is not None
        return np.asarray(self.data.y)[self.rows]

    @cached_property
    def rule(self) -> reference.Rule:
        m, n = self.model, len(self.coded.codes)
        return reference.Rule(
            alpha_merge=m.alpha_merge,
            alpha_split=m.alpha_split,
            alpha_split_merged=m.alpha_split_merged,
            merge=m.merge,
            exhaustive=m.exhaustive,
            bonferroni=m.bonferroni,
            likelihood_ratio=getattr(m, "statistic", "") == "likelihood_ratio",
            min_samples_leaf=max(1, rows_of(m.min_samples_leaf, n)),
        )

    def column(self, j: int) -> Column:
        """A column with its categories merged."""
        codes = self.coded.codes[self.place, j].astype(int)
        present, of_row = np.unique(codes, return_inverse=True)
        missing = len(present) - 1 if len(present) and present[-1] == self.coded.counts[j] else None
        ordinal = bool(self.coded.ordinal[j])
        grouping = None
        if 2 <= len(present) <= min(MOST_CATEGORIES, max(int(self.model.max_categories), 2)) and len(self.rows):
            n_rows = np.bincount(of_row)
            grouping = reference.merge(
                range(len(present)),
                self._test(of_row, len(present)),
                lambda group: int(n_rows[group].sum()),
                ordinal,
                missing,
                self.rule,
            )
        kind = "nominal" if not ordinal else "ordinal" if missing is None else "ordinal, missing values floating"
        return Column(j, self.data.names[j], kind, [self._word(j, c) for c in present.tolist()], of_row, grouping)

    def _test(self, of_row: Array, categories: int) -> Any:
        w = np.ones(len(self.rows)) if self.weight is None else self.weight
        if self.classes is not None:
            labels = np.searchsorted(self.classes, self.y)
            table = np.zeros((categories, len(self.classes)))
            np.add.at(table, (of_row, labels), w)
            likelihood = self.rule.likelihood_ratio
            return lambda groups: reference.chi_squared([table[group].sum(axis=0) for group in groups], likelihood)
        rows = [np.flatnonzero(of_row == c) for c in range(categories)]
        y = self.y.astype(np.float64)

        def test(groups: Any) -> reference.Tested:
            rows_by_group = [np.concatenate([rows[c] for c in group]) for group in groups]
            return reference.f_test(
                [y[group_rows] for group_rows in rows_by_group], [w[group_rows] for group_rows in rows_by_group]
            )

        return test

    def _word(self, j: int, code: int) -> str:
        if code == self.coded.counts[j]:
            return "missing"
        if self.coded.numeric[j]:
            edges = self.coded.edges[j]
            words = Words(self.data.names)
            if len(edges) == 0:
                return "not missing"
            if code == 0:
                return f"<= {words.number(edges[0])}"
            if code == len(edges):
                return f"> {words.number(edges[-1])}"
            return f"({words.number(edges[code - 1])}, {words.number(edges[code])}]"
        ranks = self.coded.ranks.get(j)
        category_code = code if ranks is None else int(np.flatnonzero(ranks == code)[0])
        return Words(self.data.names, self.model.schema_.categories).category(j, category_code)
