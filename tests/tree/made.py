"""Trees written down by hand, as nested tuples, for those who read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.models.tree.nodes import NodeTest, TreeNodes

# A leaf is a list of class weights, or a number. A node is (column, test, what it compares with, children):
#   (0, "<=", 2.5, [left, right])        (0, "<", 2.5, [left, right])
#   (1, "in", [0, 2], [in, out])         (1, "of", [0, 1, 1, -1], [...]) branch of each code
#   (2, "cuts", [3.0, 6.0], [...])       a fifth entry is where missing values go
TESTS = {
    "<=": NodeTest.AT_MOST,
    "<": NodeTest.BELOW,
    "in": NodeTest.SUBSET,
    "of": NodeTest.CATEGORIES,
    "cuts": NodeTest.INTERVALS,
}


def made(root: Any) -> TreeNodes:
    """The nodes of a nested tuple, level by level."""
    specs, parents, firsts = [root], [-1], []
    for k, spec in enumerate(specs):  # grows while it is read
        firsts.append(len(specs) if isinstance(spec, tuple) else -1)
        if isinstance(spec, tuple):
            specs.extend(spec[3])
            parents.extend([k] * len(spec[3]))
    m = len(specs)
    inner = [isinstance(spec, tuple) for spec in specs]
    value, rows = _values(specs, firsts)
    tables: list[list[int]] = [[] for _ in specs]
    cuts: list[list[float]] = [[] for _ in specs]
    for k, spec in enumerate(specs):
        if inner[k] and spec[1] == "in":
            tables[k] = [sum(1 << code for code in spec[2])]
        if inner[k] and spec[1] == "of":
            tables[k] = list(spec[2])
        if inner[k] and spec[1] == "cuts":
            cuts[k] = list(spec[2])
    starts = {name: np.cumsum([0, *map(len, lists)]) for name, lists in (("table_start", tables), ("cuts_start", cuts))}
    return TreeNodes(
        parent=np.array(parents),
        first_child=np.array(firsts),
        n_children=np.array([len(spec[3]) if one else 0 for spec, one in zip(specs, inner, strict=True)]),
        feature=np.array([spec[0] if one else -1 for spec, one in zip(specs, inner, strict=True)]),
        test=np.array([TESTS[spec[1]] if one else NodeTest.LEAF for spec, one in zip(specs, inner, strict=True)]),
        missing_child=np.array(
            [spec[4] if one and len(spec) > 4 else -2 for spec, one in zip(specs, inner, strict=True)]
        ),
        threshold=np.array(
            [spec[2] if one and spec[1] in ("<=", "<") else np.nan for spec, one in zip(specs, inner, strict=True)]
        ),
        n_rows=rows,
        weight=rows.astype(float),
        impurity=np.array([_gini(value[k]) for k in range(m)]),
        value=value,
        table=np.array([entry for one in tables for entry in one], dtype=np.int32),
        cuts=np.array([cut for one in cuts for cut in one], dtype=float),
        **starts,
    )


def _values(specs: list[Any], firsts: list[int]) -> tuple[Any, Any]:
    """Of leaves as written, four rows for a number; of inner nodes sums of weights, or means."""
    numbers = not any(isinstance(spec, list) for spec in specs)
    wide = 1 if numbers else max(len(spec) for spec in specs if isinstance(spec, list))
    value, rows = np.zeros((len(specs), wide)), np.zeros(len(specs), dtype=np.int64)
    for k in range(len(specs) - 1, -1, -1):
        spec = specs[k]
        if not isinstance(spec, tuple):
            value[k] = spec
            rows[k] = 4 if numbers else round(sum(spec))
            continue
        below = slice(firsts[k], firsts[k] + len(spec[3]))
        rows[k] = rows[below].sum()
        value[k] = np.average(value[below], axis=0, weights=rows[below]) if numbers else value[below].sum(axis=0)
    return value, rows


def _gini(weights: Any) -> float:
    total = weights.sum()
    return float(1 - np.square(weights / total).sum()) if len(weights) > 1 and total else 0.0
