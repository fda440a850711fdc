"""One cut of a column against a target: the gain of every place where it could be."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, count, equal, log, lookup, max_, mean, sum_, where
from pellucid.working.model import Working

MOST_PLACES = 40
MOST_CLASSES = 6


def _entropy_cost(n: Expr) -> Expr:
    """``n log2 n``, 0 for 0."""
    return n * log(where(n > 0, n, 1), 2)


def show_cut(
    w: Working, tag: str, name: str, x: Floats, y: Array, weight: Floats | None, cut: float, gain: float, of_all: float
) -> None:
    """Adds the cells of one cut of the rows x: its gain, and where there are few places, that of every other too.

    cut, gain : what the model found
    of_all : the weight of all rows of the table, over which a gain is taken
    """
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    rows = Axis("row", range(1, len(x) + 1), "i", "n")
    column = w.given(f"x_{tag}", x, rows, symbol="x", label=name)
    target = w.given(f"y_{tag}", y, rows, symbol="y", label="target")
    amount: Any = 1 if weight is None else w.given(f"w_{tag}", weight, rows, symbol="w", label="weight")
    N = w.given(f"N_{tag}", of_all, symbol="N", label="rows of the table" if weight is None else "all weights")
    if y.dtype.kind != "f" and len(set(y.tolist())) > MOST_CLASSES:
        w.note("Where there are many classes, only the cut that was made is shown.")
        _by_class(w, tag, column, target, amount, cut, gain, N, rows)
        return
    values = np.unique(x)
    middle = values[:-1] / 2 + values[1:] / 2
    few = len(middle) <= MOST_PLACES
    listed = np.where(middle > values[:-1], middle, values[1:]) if few else np.array([cut])
    if not few:
        w.note("Where a cut could be made at many places, only the one made is shown.")
    cut_axis = Axis("place", range(1, len(listed) + 1), "k", "K")
    v = w.given(f"v_{tag}", listed, cut_axis, symbol="v", label="place of a cut")
    cost = _squared if y.dtype.kind == "f" else _entropy
    gains = cost(w, tag, column, target, amount, v, N, rows)
    best = w.cell(
        f"best_{tag}", max_(gains), symbol=r"\hat{g}", label="the largest gain", equals=gain,
        attribute="gains_", scale=1e-6 * abs(gain) + 1e-12,
    )  # fmt: skip
    # Gains that are equal but for rounding: the leftmost of them is the cut.
    near = w.cell(
        f"is_best_{tag}", where(gains >= best - 1e-9 * abs(gain), 1, 0), symbol="b", label="1: it is (but for rounding)"
    )
    w.cell(
        f"cut_{tag}", lookup(v, arg_max(near)), symbol=r"\hat{v}", label="the cut: the first of these", equals=cut,
        attribute="the fitted cut",
    )  # fmt: skip


def _labels(y: Cell) -> list[Any]:
    return sorted(set(np.asarray(y.value).tolist()), key=str)


def _entropy(w: Working, tag: str, x: Cell, y: Cell, amount: Any, v: Cell, N: Cell, rows: Axis) -> Cell:
    """(C - C_below - C_above) / N  with  C = n log2 n - sum n_k log2 n_k."""
    labels = _labels(y)
    flags = [_times(amount, equal(y, label)) for label in labels]
    all_ = [
        w.cell(f"n_{tag}_{k}", sum_(flag, rows), symbol=f"n_{{{k}}}", label=f"rows of {label}")
        for k, (label, flag) in enumerate(zip(labels, flags, strict=True), start=1)
    ]
    below = [
        w.cell(f"l_{tag}_{k}", sum_(_flag(x < v, flag), rows), symbol=f"l_{{{k}}}", label=f"{label}, below")
        for k, (label, flag) in enumerate(zip(labels, flags, strict=True), start=1)
    ]
    above = [
        w.cell(f"u_{tag}_{k}", n - low, symbol=f"u_{{{k}}}", label=f"{label}, above")
        for k, (label, n, low) in enumerate(zip(labels, all_, below, strict=True), start=1)
    ]

    def cost(cells: list[Cell], name: str, symbol: str, label: str) -> Cell:
        size = w.cell(f"size_{name}_{tag}", reduce(add, cells), symbol=symbol, label=f"rows {label}".strip())
        class_terms = reduce(add, [_entropy_cost(cell) for cell in cells])
        return w.cell(
            f"C_{name}_{tag}", _entropy_cost(size) - class_terms, symbol=f"C_{{{symbol}}}",
            label=f"rows times entropy {label}".strip(),
        )  # fmt: skip

    total_cost = cost(all_, "all", "n", "")
    low, high = cost(below, "below", "l", "below"), cost(above, "above", "u", "above")
    return w.cell(f"gain_{tag}", (total_cost - low - high) / N, symbol="g", label="gain, in bits")


def _by_class(
    w: Working, tag: str, x: Cell, y: Cell, amount: Any, cut: float, gain: float, N: Cell, rows: Axis
) -> None:
    """The same of the one cut that was made, with a line for each class."""
    labels = _labels(y)
    axis = Axis("class", labels, "k", "K")
    v = w.given(f"cut_{tag}", float(cut), symbol=r"\hat{v}", label="the cut that was made")
    c = w.given(f"c_{tag}", np.array(labels, dtype=object), axis, symbol="c", label="class")
    flags = _times(amount, equal(y, c))
    n = w.cell(f"n_{tag}", sum_(flags, rows), symbol="n", label="rows")
    low = w.cell(f"l_{tag}", sum_(_flag(x < v, flags), rows), symbol="l", label="rows below the cut")
    high = w.cell(f"u_{tag}", n - low, symbol="u", label="rows above")
    costs = []
    for name, cell, label in (("all", n, ""), ("below", low, "below"), ("above", high, "above")):
        size = w.cell(f"size_{name}_{tag}", sum_(cell), symbol=cell.symbol.upper(), label=f"rows {label}".strip())
        costs.append(w.cell(f"C_{name}_{tag}", _entropy_cost(size) - sum_(_entropy_cost(cell)),
                            symbol=f"C_{{{cell.symbol}}}", label=f"rows times entropy {label}".strip()))  # fmt: skip
    w.cell(
        f"gain_{tag}", (costs[0] - costs[1] - costs[2]) / N, symbol="g", label="gain, in bits", equals=gain,
        attribute="gains_", scale=1e-6 * abs(gain) + 1e-12,
    )  # fmt: skip


def _times(amount: Any, d: Expr) -> Expr:
    return d if isinstance(amount, int) else amount * d


def _flag(condition: Expr, amount: Expr) -> Expr:
    """The amount of the rows that meet a condition."""
    return condition * amount


def _squared(w: Working, tag: str, x: Cell, y: Cell, amount: Any, v: Cell, N: Cell, rows: Axis) -> Cell:
    """(S_below² / n_below + S_above² / n_above - S² / n) / N  of the targets less their mean."""
    m = w.cell(f"m_{tag}", mean(y), symbol=r"\bar{y}", label="mean target")
    d = w.cell(f"d_{tag}", y - m, symbol="d", label="target less the mean")
    size = count(y) if isinstance(amount, int) else sum_(amount)
    n = w.cell(f"n_{tag}", size, symbol="n", label="rows")
    s = w.cell(f"S_{tag}", sum_(_times(amount, d), rows), symbol="S", label="sum of d")
    low = w.cell(f"l_{tag}", sum_(where(x < v, amount, 0), rows), symbol="l", label="rows below")
    sum_below = w.cell(f"Sl_{tag}", sum_(_flag(x < v, _times(amount, d)), rows), symbol="S_l", label="their sum of d")
    reduction = sum_below**2 / low + (s - sum_below) ** 2 / (n - low) - s**2 / n
    return w.cell(f"gain_{tag}", reduction / N, symbol="g", label="gain: by how much the squares fall")
