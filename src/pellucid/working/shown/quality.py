"""How the associations of `pellucid.quality` come about.

Profiles of columns and rows that are nearly equal are shown by the modules beside this one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.types import Array, Flags
from pellucid.data.kinds import is_missing
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, equal, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown import _duplicates, _profile

BESIDE = (_duplicates, _profile)  # they register when they are imported


def _there(values: Array) -> Flags:
    return np.fromiter((not is_missing(value) for value in values.tolist()), dtype=bool, count=len(values))


def _labels(values: Array) -> Array:
    return np.array([str(value) for value in values.tolist()], dtype=object)


def _rows(w: Working, both: Flags) -> Axis:
    if not both.all():
        w.note(f"Rows in which a value is missing are left out: {int((~both).sum())} of {len(both)}.")
    return Axis("row", (np.flatnonzero(both) + 1).tolist())


def _often(values: Cell, label: Cell) -> Expr:
    """How many rows have the label, for every label."""
    assert values.axis is not None
    return sum_(where(equal(values, label), 1, 0), values.axis)


@shows("quality.cramers_v")
def cramers_v(w: Working, result: float, x: ArrayLike, y: ArrayLike, corrected: bool = False) -> None:
    w.title = "Cramér's V"
    w.intro = "How far the counts of pairs of categories are from those that two unrelated columns would have."
    first, second = np.asarray(x, dtype=object), np.asarray(y, dtype=object)
    both = _there(first) & _there(second)
    w.step("Data", "The two categories of each row.")
    rows = _rows(w, both)
    a = w.given("x", _labels(first[both]), rows, symbol="x", label="first")
    b = w.given("y", _labels(second[both]), rows, symbol="y", label="second")

    w.step("Pairs", "Every category of the one with every category of the other: how often, and how often by chance.")
    kinds, second_kinds = (list(dict.fromkeys(cell.stored.tolist())) for cell in (a, b))
    pairs = [(k, o) for k in kinds for o in second_kinds]
    axis = Axis("pair", [f"{k}, {o}" for k, o in pairs], "k", "K")
    p = w.given("p", np.array([k for k, _ in pairs], dtype=object), axis, symbol="p", label="first")
    q = w.given("q", np.array([o for _, o in pairs], dtype=object), axis, symbol="q", label="second")
    n = w.cell("n", count(a), symbol="n", label="rows")
    together = sum_(where(equal(a, p), 1, 0) * where(equal(b, q), 1, 0), rows)
    o = w.cell("o", together, symbol="o", label="rows of the pair")
    r = w.cell("r", _often(a, p), symbol="r", label="rows of the first")
    c = w.cell("c", _often(b, q), symbol="c", label="rows of the second")
    e = w.cell("e", r * c / n, symbol="e", label="expected by chance")
    d = w.cell("d", (o - e) ** 2 / e, symbol="d", label="squared distance over it")

    w.step("Chi-square", "The sum of these, and its share of the rows.")
    chi = w.cell("chi2", sum_(d), symbol=r"\chi^2", label="chi-square", scale=1.0)
    phi = w.cell("phi2", chi / n, symbol=r"\phi^2", label="over the rows", scale=1.0)
    R = w.given("R", float(len(kinds)), symbol="R", label="categories of the first")
    C = w.given("C", float(len(second_kinds)), symbol="C", label="categories of the second")
    if corrected:
        w.step("Correction", "What chance alone gives is taken off.")
        phi_left = phi - (R - 1) * (C - 1) / (n - 1)
        phi = w.cell("phi2_left", where(phi_left > 0, phi_left, 0), symbol=r"\tilde{\phi}^2", label="what is left")
        R = w.cell("R_left", R - (R - 1) ** 2 / (n - 1), symbol=r"\tilde{R}", label="of the first")
        C = w.cell("C_left", C - (C - 1) ** 2 / (n - 1), symbol=r"\tilde{C}", label="of the second")
    w.step("V", "As a share of the most that it can be.")
    smaller = w.cell("m", where(R < C, R - 1, C - 1), symbol="m", label="the smaller number, less one")
    share = w.cell("share", phi / smaller, symbol="s", label="share of the most")
    w.cell("V", sqrt(where(share < 1, share, 1)), symbol="V", label="Cramér's V", equals=result,
           attribute="cramers_v(x, y)", scale=1.0, tolerance=1e-7)  # fmt: skip


@shows("quality.correlation_ratio")
def correlation_ratio(w: Working, result: float, categories: ArrayLike, numbers: ArrayLike) -> None:
    w.intro = "How much of the spread of the numbers lies between the means of the groups."
    groups, x = np.asarray(categories, dtype=object), np.asarray(numbers, dtype=np.float64)
    both = _there(groups) & ~np.isnan(x)
    w.step("Data", "The group and the number of each row.")
    rows = _rows(w, both)
    g = w.given("g", _labels(groups[both]), rows, symbol="g", label="group")
    v = w.given("x", x[both], rows, symbol="x", label="number")
    n = w.cell("n", count(v), symbol="n", label="rows")
    m = w.cell("mean", sum_(v) / n, symbol=r"\bar{x}", label="mean")

    w.step("Groups", "Size and mean of each, and how far the mean is from that of all.")
    names = list(dict.fromkeys(g.stored.tolist()))
    axis = Axis("group", names, "k", "K")
    label = w.given("label", np.array(names, dtype=object), axis, symbol="h", label="group")
    size = w.cell("n_k", _often(g, label), symbol="N", label="rows")
    means = w.cell("m_k", sum_(where(equal(g, label), v, 0), rows) / size, symbol="m", label="mean")
    apart = w.cell("b", size * (means - m) ** 2, symbol="b", label="rows times squared distance")

    w.step("Ratio", "The spread between the groups as a share of all spread.")
    between = w.cell("between", sum_(apart), symbol="B", label="between the groups")
    square = w.cell("q", (v - m) ** 2, symbol="q", label="squared distance from the mean")
    all_ = w.cell("total", sum_(square), symbol="T", label="in all")
    share = w.cell("eta2", between / all_, symbol=r"\eta^2", label="share", scale=1.0)
    w.cell("eta", sqrt(where(share < 1, share, 1)), symbol=r"\eta", label="correlation ratio", equals=result,
           attribute="correlation_ratio(categories, numbers)", scale=1.0)  # fmt: skip
