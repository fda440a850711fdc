"""Columns in bundles, as cells: rows in which two columns clash, which columns share one, and how values stay apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pellucid.base.types import Floats
from pellucid.reference import feature_bundling as bundling
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, max_, sum_, where
from pellucid.working.model import Working


def show_bundles(w: Working, columns: dict[int, Cell], names: list[str], fitted_bundles: list[list[int]]) -> None:
    """The bundles of a fit; of values below 0 or missing no more than a note.

    columns : cells of the columns by their places; found : the columns of each bundle, as they joined
    """
    bundles = [[j for j in bundle if j in columns] for bundle in fitted_bundles]
    columns_used = sorted(j for bundle in bundles for j in bundle)
    if len(columns_used) < 2:
        return
    X = np.column_stack([np.asarray(columns[j].value, dtype=np.float64) for j in columns_used])
    if not (X >= 0).all():
        together = "; ".join(", ".join(names[j] for j in bundle) for bundle in fitted_bundles)
        w.note(f"Columns that share a byte: {together}. Their bins are told apart by offsets.")
        return
    cells = [columns[j] for j in columns_used]
    w.step("Clashes", "Rows in which a column is not 0, and in which two are: columns without such rows may share one.")
    _clashes(w, X, columns_used, cells, names)
    w.step(
        "Bundles",
        "Columns in falling order of the rows in which they are not 0, each into the first bundle that it does not "
        "clash with. The fit does so with the bins of the columns.",
    )
    among = [[columns_used.index(j) for j in bundle] for bundle in bundles if bundle]
    _bundles(w, X, columns_used, among, names)
    for b, bundle in enumerate(among):
        if len(bundle) > 1:
            _merged(w, X, columns_used, cells, b, bundle)


def _clashes(w: Working, X: Floats, columns: list[int], cells: list[Cell], names: list[str]) -> None:
    flags = [
        w.cell(f"held_{j + 1}", where(equal(cell, 0), 0, 1), symbol=f"u_{{{j + 1}}}", label=f"{names[j]}: 1 if not 0")
        for j, cell in zip(columns, cells, strict=True)
    ]
    counts = bundling.conflicts(X)
    for j, flag in zip(columns, flags, strict=True):
        w.cell(f"filled_{j + 1}", sum_(flag), symbol=f"m_{{{j + 1}}}", label=f"rows in which {names[j]} is not 0")
    for a, b in combinations(range(len(columns)), 2):
        i, j = columns[a] + 1, columns[b] + 1
        w.cell(f"clashes_{i}_{j}", sum_(flags[a] * flags[b]), symbol=f"c_{{{i},{j}}}", equals=float(counts[a, b]),
               label=f"rows in which {names[i - 1]} and {names[j - 1]} clash", attribute="conflicts(X)")  # fmt: skip


def _bundles(w: Working, X: Floats, columns: list[int], bundles: list[list[int]], names: list[str]) -> None:
    axis = Axis("column", [names[j] for j in columns], "j", "p")
    order = bundling.order_of(X)
    turn = np.array([order.index(a) + 1.0 for a in range(len(columns))])
    number = np.array([next(b for b, bundle in enumerate(bundles) if a in bundle) + 1.0 for a in range(len(columns))])
    w.given("turn", turn, axis, symbol="t", label="its turn")
    w.given("bundle", number, axis, symbol="b", label="bundle")


def _merged(w: Working, X: Floats, columns: list[int], cells: list[Cell], b: int, bundle: list[int]) -> None:
    """One column for a bundle: each column is moved beyond the values of those before it."""
    w.step(f"Bundle {b + 1}", "Values are moved beyond the greatest ones of the columns before, and so stay apart.")
    moved: Expr = expr(0)
    offset: Cell | None = None
    starts = bundling.offsets(X, bundle)
    merged: Expr = expr(0)
    for at, a in enumerate(bundle):
        j = columns[a] + 1
        if at:
            moved = max_(cells[bundle[at - 1]]) if offset is None else offset + max_(cells[bundle[at - 1]])
            offset = w.cell(f"offset_{j}", moved, symbol=f"d_{{{j}}}", label=f"offset of {cells[a].label}",
                            equals=starts[at], attribute="offsets(X)")  # fmt: skip
        merged = where(equal(cells[a], 0), merged, cells[a] if offset is None else cells[a] + offset)
    w.cell(f"merged_{b + 1}", merged, symbol=f"z_{{{b + 1}}}", label="the bundle", equals=bundling.merged(X, bundle),
           attribute="merged(X)")  # fmt: skip
