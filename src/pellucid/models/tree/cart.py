"""Trees of CART: their settings as a user gives them, and what the kernel is told. For trees alone, and for forests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log2, sqrt
from numbers import Integral
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import Declared, param
from pellucid.base.errors import ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.nodes import TreeNodes

# Weights beyond these are divided by a power of two while a tree is grown: their sums stay in range.
_HEAVY, _LIGHT = 2.0**300, 2.0**-300


def _share_or_count(name: str, least: int, closed: bool) -> Any:
    """A check: a whole number of at least so many rows, or a share of them."""
    most = "at most" if closed else "below"

    def check(value: Any) -> str | None:
        good = int(value) >= least if isinstance(value, Integral) else 0 < value < 1 or (closed and value == 1)
        words = f"a whole number of at least {least}, or a share of the rows above 0 and {most} 1"
        return None if good else f"{name} must be {words}; got {value!r}"

    return check


def _check_max_features(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None
    if int(value) >= 1 if isinstance(value, Integral) else 0 < value <= 1:
        return None
    words = "a whole number of at least 1, a share of the columns above 0 and at most 1, 'sqrt', 'log2' or None"
    return f"max_features must be {words}; got {value!r}"


class GrowthParameters(Declared):
    """The settings that a tree of CART has, whether it stands alone or in a forest."""

    max_depth: int | None = param(
        default=None, low=1, doc="Most tests on the way to a leaf; 1 is a decision stump. None: no limit."
    )
    min_samples_split: int | float = param(
        default=2,
        check=_share_or_count("min_samples_split", 2, closed=True),
        doc="Fewest rows of a node that is split; a number of them, or a share of all.",
    )
    min_samples_leaf: int | float = param(
        default=1,
        check=_share_or_count("min_samples_leaf", 1, closed=False),
        doc="Fewest rows of a leaf; a number of them, or a share of all.",
    )
    min_weight_fraction_leaf: float = param(
        default=0.0, low=0, high=0.5, doc="Least weight of a leaf, as a share of the weight of all rows."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of what is drawn: cuts of splitter='random', and columns with `max_features`."
    )
    max_leaf_nodes: int | None = param(
        default=None,
        low=2,
        doc="Most leaves: the node whose split lowers the impurity most is split first. None: no limit.",
    )
    min_impurity_decrease: float = param(
        default=0.0,
        low=0,
        doc="A split is made only if it lowers the impurity by this, weighted by the node's share of all rows.",
    )
    ccp_alpha: float = param(
        default=0.0, low=0, doc="Strength of cost-complexity pruning after growing: what a leaf costs. 0: none."
    )
    monotonic_cst: Any = param(
        default=None,
        doc="For each column 1 if the answer may only rise with it, -1 if only fall, 0 if either: a list, or a dict "
        "from names. Of a classifier the answer is the probability of the second of two classes.",
    )
    categorical_features: Any = param(
        default=None,
        doc="Columns of numbers that are codes 0, 1, ... of categories: places, names, or one flag a column. Columns "
        "of names are categories by themselves.",
    )
    category_split: Literal["ordered", "one_versus_rest"] = param(
        default="ordered",
        doc="How categories are divided: into any two sets, found by ordering them (the best of all for numbers and "
        "two classes), or one of them against the rest.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )


class CutParameters(Declared):
    """Where a column is cut, for splitters that look for the best place."""

    threshold: Literal["midpoint", "value"] = param(
        default="midpoint",
        doc="Where between two neighboring values a < b a column is cut: half way, with x <= (a + b) / 2 to the left; "
        "or at 'value' b itself, with x < b to the left.",
    )
    max_bins: int = param(default=255, low=2, high=255, doc="Most bins of a column for splitter='histogram'.")


class CartParameters(GrowthParameters, CutParameters):
    """The settings of a tree of CART that stands alone."""

    splitter: Literal["best", "random", "histogram"] = param(
        default="best",
        doc="How a column's cut is found: 'best' tries every one, 'random' one drawn at random, 'histogram' borders "
        "of at most `max_bins` bins (many times faster on large tables, nearly as good).",
    )
    max_features: int | float | Literal["sqrt", "log2"] | None = param(
        default=None,
        check=_check_max_features,
        doc="Columns among which each split is sought, drawn anew for each: a number, a share of them, the root or the "
        "logarithm to base 2 of their number; None: all.",
    )
    surrogates: int = param(
        default=0,
        low=0,
        doc="Most stand-ins of a test, on other columns, which decide where its own value is missing. 0: rows with a "
        "missing value take the side that was better for them in `fit`.",
    )


def rows_of(value: int | float, n: int) -> int:
    """A number of rows, or of a share of them, rounded up."""
    return int(value) if isinstance(value, Integral) else ceil(value * n)


def drawn_columns(max_features: Any, p: int, rounding: str = "down") -> int:
    """How many columns of p a split looks at: at least one, at most all."""
    if max_features is None:
        return p
    if isinstance(max_features, Integral):
        return min(int(max_features), p)
    if isinstance(max_features, str):
        share = {"sqrt": sqrt(p), "log2": log2(p), "third": p / 3}[max_features]
    else:
        share = max_features * p
    return max(1, int(share + 0.5 if rounding == "nearest" else share))


def split_limit(told: Any, n: int) -> int:
    """Fewest rows of a node that is split."""
    return max(2, rows_of(told.min_samples_split, n), 2 * rows_of(told.min_samples_leaf, n))


def monotone_of(d: Design, constraints: Any) -> Array | None:
    """Directions of the columns as 8-bit numbers -1, 0, 1; None where there are none."""
    if constraints is None:
        return None
    p = d.n_cols
    if isinstance(constraints, dict):
        labels = d.column_labels()
        unknown = [name for name in constraints if name not in labels]
        if unknown:
            requirement = "the names of monotonic_cst must be columns of X"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"there is no column {short_repr(unknown[0])}")
            )
        signs = np.array([constraints.get(name, 0) for name in labels])
    else:
        try:
            signs = np.asarray(constraints)
        except ValueError:
            signs = np.empty((0, 0))
    if signs.shape != (p,):
        requirement = "monotonic_cst must have one number a column"
        raise ParameterError(
            format_message(
                d.who,
                requirement,
                actual=f"monotonic_cst has shape {signs.shape} but the input data X has {count(p, 'feature')}",
            )
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        actual = f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {short_repr(list(constraints))}"
        raise ParameterError(format_message(d.who, "directions must be -1, 0 or 1", actual=actual))
    signs = signs.astype(np.int8)
    return signs if signs.any() else None


def _check_splitter(who: str, told: Any, criterion: str) -> None:
    """Surrogates, and medians, need every value."""
    if told.surrogates and told.splitter != "best":
        hint = "set surrogates=0: missing values then take the side that was better for them"
        raise ParameterError(
            format_message(who, "surrogates need splitter='best'", actual=f"got splitter={told.splitter!r}", hint=hint)
        )
    if told.splitter == "histogram" and criterion == "absolute_error":
        hint = "use splitter='best', or criterion='squared_error'"
        raise ParameterError(
            format_message(
                who, "criterion='absolute_error' needs every value", actual="got splitter='histogram'", hint=hint
            )
        )


@dataclass(frozen=True)
class Grower:
    """A table made ready, and how trees are grown on it: for as many targets, weights and seeds as are wanted."""

    columns: _core.TreeColumns
    settings: _core.TreeSettings
    monotone: Array | None
    threads: int

    @classmethod
    def of(cls, d: Design, told: Any, criterion: str, weighting: str, total: float, threads: int) -> Grower:
        """From the settings of an estimator that has `CartParameters`.

        total : weight of all rows, by which `min_weight_fraction_leaf` counts
        """
        _check_splitter(d.who, told, criterion)
        s = _core.TreeSettings()
        s.criterion = "entropy" if criterion == "log_loss" else criterion
        s.splitter, s.threshold, s.weighting = told.splitter, told.threshold, weighting
        s.category_split = told.category_split
        if told.max_depth is not None:
            s.max_depth = int(told.max_depth)
        if told.max_leaf_nodes is not None:
            s.max_leaves = int(told.max_leaf_nodes)
        rounding = getattr(told, "max_features_rounding", "down")
        s.max_features = drawn_columns(told.max_features, d.n_cols, rounding)
        s.min_rows_split = split_limit(told, d.n_rows)
        s.min_rows_leaf = rows_of(told.min_samples_leaf, d.n_rows)
        s.min_weight_leaf = float(told.min_weight_fraction_leaf) * total
        s.min_decrease = float(told.min_impurity_decrease)
        s.max_bins, s.surrogates = int(told.max_bins), int(told.surrogates)
        s.draw_ties = getattr(told, "draws_ties", False)
        sizes, monotone = category_sizes(d, told.categorical_features), monotone_of(d, told.monotonic_cst)
        if monotone is not None and (sizes[monotone != 0] > 0).any():
            column = d.column_labels()[int(np.flatnonzero((monotone != 0) & (sizes > 0))[0])]
            requirement = "monotonic_cst must be 0 for columns of categories, which have no direction"
            raise ParameterError(format_message(d.who, requirement, actual=f"column {column!r} holds categories"))
        return cls(_core.tree_columns(d.matrix, sizes, threads), s, monotone, threads)

    def grow(self, y: Floats, n_classes: Array, weight: Floats | None, seed: int) -> TreeNodes:
        """One tree for targets y (n x outputs): codes of so many classes, or numbers where ``n_classes`` is empty."""
        y = np.ascontiguousarray(y)
        arrays = _core.grow_tree(self.columns, y, n_classes, weight, self.monotone, self.settings, seed, self.threads)
        return TreeNodes.of(arrays)


def in_range(weight: Floats | None) -> tuple[Floats | None, float]:
    """Weights whose sums stay in range, and the power of two by which they were divided for it."""
    if weight is None:
        return None, 1.0
    largest = float(weight.max())
    if _LIGHT < largest < _HEAVY:
        return weight, 1.0
    unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1))
    return weight / unit, unit


def in_unit(nodes: TreeNodes, unit: float, classes: bool) -> TreeNodes:
    """A tree that was grown with weights divided by ``unit``, in the weights as they were given.

    Where their sum is beyond the range of floats, the nodes keep the smaller ones.
    """
    if unit == 1.0:
        return nodes
    with np.errstate(over="ignore"):
        if not np.isfinite(nodes.weight[0] * unit):
            return nodes
    return replace(nodes, weight=nodes.weight * unit, value=nodes.value * unit if classes else nodes.value)
