"""One cut of a column against a target: the gain of every place where it could be."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, equal, greatest, log, look_up, mean, total, where
from pellucid.working.model import Working

MOST_PLACES = 40
MOST_CLASSES = 6


def _entropy_cost(n: Expr) -> Expr:
    """``n log2 n``, 0 for 0."""
    return where(n > 0, n * log(where(n > 0, n, 1), 2), 0)


def show_cut(
    w: Working, tag: str, name: str, x: Floats, y: Array, weight: Floats | None, cut: float, gain: float, of_all: float
) -> None:
    """Adds the cells of one cut of the rows x: its gain, and where there are few places, that of every other too.

    cut, gain : what the model found
    of_all : the weight of all rows of the table, over which a gain is taken
    """
    mark = f"_{{{tag}}}"
    rows = Axis(f"row {tag}", range(1, len(x) + 1), "i", "n")
    given = w.given(f"x_{tag}", x, rows, symbol=f"x{mark}", label=name)
    target = w.given(f"y_{tag}", y, rows, symbol=f"y{mark}", label="target")
    count: Any = 1 if weight is None else w.given(f"w_{tag}", weight, rows, symbol=f"w{mark}", label="weight")
    values = np.unique(x)
    middle = values[:-1] / 2 + values[1:] / 2
    few = len(middle) <= MOST_PLACES and (y.dtype.kind == "f" or len(set(y.tolist())) <= MOST_CLASSES)
    listed = np.where(middle > values[:-1], middle, values[1:]) if few else np.array([cut])
    if not few:
        w.note("Where a cut could be made at many places, or there are many classes, only the one made is shown.")
    places = Axis(f"place {tag}", range(1, len(listed) + 1), "k", "K")
    v = w.given(f"v_{tag}", listed, places, symbol=f"v{mark}", label="place of a cut")
    N = w.given(f"N_{tag}", of_all, symbol=f"N{mark}", label="rows of the table" if weight is None else "all weights")
    cost = _squared if y.dtype.kind == "f" else _entropy
    found = cost(w, tag, given, target, count, v, N, rows)
    best = w.cell(
        f"best_{tag}", greatest(found), symbol=rf"\hat{{g}}{mark}", label="the largest gain", equals=gain,
        attribute="gains_", scale=1e-6 * abs(gain) + 1e-12,
    )  # fmt: skip
    # Gains that are equal but for rounding: the leftmost of them is the cut.
    near = w.cell(f"is_best_{tag}", where(found >= best - 1e-9 * abs(gain), 1, 0), symbol=f"b{mark}", label="is it?")
    w.cell(
        f"cut_{tag}", look_up(v, arg_max(near)), symbol=rf"\hat{{v}}{mark}", label="the cut", equals=cut,
        attribute="the fitted cut",
    )  # fmt: skip


def _entropy(w: Working, tag: str, x: Cell, y: Cell, count: Any, v: Cell, N: Cell, rows: Axis) -> Cell:
    """(C - C_below - C_above) / N  with  C = n log2 n - sum n_k log2 n_k."""
    mark = f"_{{{tag}}}"
    all_, below, above = ([], [], [])  # type: tuple[list[Cell], list[Cell], list[Cell]]
    for k, label in enumerate(sorted(set(np.asarray(y.value).tolist()), key=str), start=1):
        own = where(equal(y, label), count, 0)
        all_.append(w.cell(f"n_{tag}_{k}", total(own, rows), symbol=f"n_{{{tag},{k}}}", label=f"rows of {label}"))
        below.append(
            w.cell(
                f"l_{tag}_{k}", total(where(x < v, own, 0), rows), symbol=f"l_{{{tag},{k}}}", label=f"{label}, below"
            )
        )
        above.append(w.cell(f"u_{tag}_{k}", all_[-1] - below[-1], symbol=f"u_{{{tag},{k}}}", label=f"{label}, above"))

    def cost(cells: list[Cell], name: str, symbol: str, label: str) -> Cell:
        n: Expr = cells[0]
        parts = _entropy_cost(cells[0])
        for cell in cells[1:]:
            n, parts = n + cell, parts + _entropy_cost(cell)
        size = w.cell(f"size_{name}_{tag}", n, symbol=f"{symbol}{mark}", label=f"rows {label}".strip())
        return w.cell(
            f"C_{name}_{tag}", _entropy_cost(size) - parts, symbol=f"C^{symbol}{mark}",
            label=f"rows times entropy {label}".strip(),
        )  # fmt: skip

    whole, low, high = (
        cost(all_, "all", "n", ""),
        cost(below, "below", "l", "below"),
        cost(above, "above", "u", "above"),
    )
    return w.cell(f"gain_{tag}", (whole - low - high) / N, symbol=f"g{mark}", label="gain, in bits")


def _squared(w: Working, tag: str, x: Cell, y: Cell, count: Any, v: Cell, N: Cell, rows: Axis) -> Cell:
    """(S_below² / n_below + S_above² / n_above - S² / n) / N  of the targets less their mean."""
    mark = f"_{{{tag}}}"
    m = w.cell(f"m_{tag}", mean(y), symbol=rf"\bar{{y}}{mark}", label="mean target")
    d = w.cell(f"d_{tag}", y - m, symbol=f"d{mark}", label="target less the mean")
    n = w.cell(f"n_{tag}", total(where(x < x + 1, count, 0), rows), symbol=f"n{mark}", label="rows")
    s = w.cell(f"S_{tag}", total(count * d, rows), symbol=f"S{mark}", label="sum of d")
    low = w.cell(f"l_{tag}", total(where(x < v, count, 0), rows), symbol=f"l{mark}", label="rows below")
    part = w.cell(f"Sl_{tag}", total(where(x < v, count * d, 0), rows), symbol=f"S^l{mark}", label="their sum of d")
    rest = part**2 / low + (s - part) ** 2 / (n - low) - s**2 / n
    return w.cell(f"gain_{tag}", rest / N, symbol=f"g{mark}", label="gain: by how much the squares fall")
