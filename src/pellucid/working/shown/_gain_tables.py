"""Tables of entropy, gain, split information and gain ratio: what every column is worth at a node of ID3 or C4.5."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.models.tree.words import Words
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, equal, log, lookup, max_, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown import _multiway_node as plain
from pellucid.working.shown._multiway_node import Judge, NodeOfCases, Worth
from pellucid.working.shown._node import entropy
from pellucid.working.shown._rows import class_axis
from pellucid.working.shown._tree import short

MOST_COUNTED = 200_000  # cases times places that formulas count; beyond it counts are given
MOST_COLUMNS = 6
MOST_CUTS = 12
MOST_CLASSES = 12


@dataclass(frozen=True)
class Page:
    """What the steps share."""

    w: Working
    node: NodeOfCases
    words: Words
    judge: Judge
    known: Array  # labels
    y: Cell | None  # labels of the cases, where they are written out
    amount: Expr
    m: Cell  # weight of each class
    N: Cell
    H: Cell

    @property
    def ratio(self) -> bool:
        return self.judge.by == "gain_ratio" or self.judge.cut_by == "gain_ratio"


def show_cases(w: Working, node: NodeOfCases, words: Words, judge: Judge, known: Array, labels: Array) -> Page:
    """The cases of a node, how they divide into the classes, and their entropy."""
    tree, cases = node.tree, node.cases
    way = tree.way(node.number)
    told = [words.condition(tree, above, tree.branch(below)) for above, below in pairwise(way)]
    where_from = f" They have {short(' and '.join(told))}." if told else ""
    whole = bool(np.all(cases.weight == node.own[cases.rows]))
    parts = "" if whole else " Some are there in part: a value further up is missing."
    w.step("Cases of the node", f"{counted(len(cases.rows), 'row')} of the fit reached it.{where_from}{parts}")
    y, amount = None, expr(1)
    axis = Axis("row", (cases.rows + 1).tolist())
    if len(cases.rows):
        y = w.given("y", labels[cases.rows], axis, symbol="y", label="class")
        if np.any(cases.weight != 1):
            amount = w.given("w", cases.weight, axis, symbol="w", label="weight of the case")
    c = w.given("class", known, class_axis(known), symbol="c", label="class")
    value = np.asarray(tree.value[node.number]) if cases.rows.size else node.count(np.empty(0, dtype=int))
    if y is None:
        m = w.given("m", node.count(np.arange(len(cases.rows))), c.axis, symbol="m", label="cases of the class")
        if cases.rows.size:
            w.check(m, value, "tree_.value")
    else:
        m = w.cell("m", sum_(where(equal(y, c), amount, 0), axis), symbol="m", label="cases of the class",
                   equals=value, attribute="tree_.value")  # fmt: skip
    N = w.cell("N", sum_(m), symbol="N", label="all cases", equals=float(tree.weight[node.number]),
               attribute="tree_.weight")  # fmt: skip
    p = w.cell("p", m / N if len(cases.rows) else m, symbol="p", label="share")
    check: dict[str, Any] = {} if not cases.rows.size else {"equals": float(tree.impurity[node.number]),
                                                            "attribute": "tree_.impurity", "scale": 1.0}  # fmt: skip
    H = w.cell("H", -sum_(p * log(where(p > 0, p, 1), 2)), symbol="H", label="entropy in bits", **check)
    return Page(w, node, words, judge, known, y, amount, m, N, H)


# -------------------------------------------------------------------------------------------------------------- columns


@dataclass(frozen=True)
class Shown:
    """Cells of a column that is worked out."""

    gain: Cell
    info: Cell | None


def show_column(page: Page, one: Worth) -> Shown:
    """What a column is worth: a branch for each category, or a table of its cuts."""
    name = page.words.names[one.column]
    asked = "one branch for each category" if one.multiway else "each of its cuts"
    if one.categorical and not one.multiway:
        asked = "each category against the others"
    said = f"The entropy left after {asked}, and the gain."
    if page.judge.mdl and not one.categorical:
        said += " From the gain of the best cut log₂(u) / N is taken, since it is chosen among u cuts; "
        said += "where that leaves no gain, the column is not split."
    page.w.step(f"Column {name}", said)
    return _show_branches(page, one) if one.multiway else _show_cuts(page, one)


def _values(page: Page, one: Worth) -> Cell | None:
    """The column of the cases, where all of them have a value and are written out."""
    rows = page.node.cases.rows
    x = page.node.X[rows, one.column]
    if page.y is None or np.isnan(x).any() or len(x) * len(one.places) > MOST_COUNTED:
        return None
    shown: Any = x
    if one.categorical:
        shown = np.array([page.words.category(one.column, int(v)) for v in x], dtype=object)
    name = page.words.names[one.column]
    return page.w.given(f"x_{one.column + 1}", shown, page.y.axis, symbol=f"x_{{{one.column + 1}}}", label=name)


def _counts(page: Page, one: Worth, place: Cell, inside: Any, counts: Floats, side: str) -> list[Cell]:
    """A column of weights for each class: counted where the cases are written out, else given."""
    tag, j = f"{one.column + 1}", one.column + 1
    found = []
    for k, label in enumerate(page.m.axis.labels if page.m.axis else ()):
        look: dict[str, Any] = {"symbol": f"n_{{{j},{k + 1}}}", "label": f"class {label}{side}"}
        if inside is None or page.y is None:
            found.append(page.w.given(f"n_{tag}_{k + 1}", counts[:, k], place.axis, **look))
            continue
        formula = sum_(where(inside, where(equal(page.y, page.known[k]), page.amount, 0), 0), page.y.axis)
        found.append(page.w.cell(f"n_{tag}_{k + 1}", formula, **look))
    return found


def _of_known(page: Page, one: Worth) -> tuple[Expr, Expr, Cell]:
    """Of the cases with a value: weight, entropy, weight of each class; those of the node, where none is missing."""
    missing = float(page.node.cases.weight.sum() - one.known.sum())
    if missing <= plain.TIE * float(page.node.cases.weight.sum()):
        return page.N, page.H, page.m
    w, j = page.w, one.column + 1
    axis = page.m.axis
    m = w.given(f"m_{j}", one.known, axis, symbol=f"m_{{{j}}}", label="cases of the class that have a value")
    K = w.cell(f"K_{j}", sum_(m), symbol=f"K_{{{j}}}", label="cases that have a value")
    p = m / K
    H = w.cell(f"HK_{j}", -sum_(p * log(where(p > 0, p, 1), 2)), symbol=f"H_{{{j}}}", label="their entropy")
    return K, H, m


def _info(page: Page, sizes: list[Expr], K: Expr, all_known: bool) -> Expr:
    """Split information; sizes are branches, which are summed over where they form a column."""
    N = page.N
    found = -(sizes[0] / N * log(sizes[0] / N, 2))
    for size in sizes[1:]:
        found = found - size / N * log(size / N, 2)
    return found if all_known else found - (N - K) / N * log((N - K) / N, 2)


def _show_branches(page: Page, one: Worth) -> Shown:
    w, j = page.w, one.column + 1
    named = [page.words.category(one.column, int(v)) for v in one.places]
    axis = Axis("category", named, "v", "V")
    x = _values(page, one)
    v = w.given(f"v_{j}", np.array(named, dtype=object), axis, symbol=f"v_{{{j}}}", label="category")
    parts = _counts(page, one, v, None if x is None else equal(x, v), one.counts, "")
    s = w.cell(f"s_{j}", reduce(add, parts), symbol=f"s_{{{j}}}", label="cases")
    e = w.cell(f"e_{j}", entropy(parts, s), symbol=f"h_{{{j}}}", label="entropy")
    K, H, of_class = _of_known(page, one)
    all_known = of_class is page.m
    left = w.cell(f"r_{j}", sum_(s / K * e), symbol=f"r_{{{j}}}", label="entropy that is left, by cases")
    gain = H - left if all_known else K / page.N * (H - left)
    g = w.cell(f"gain_{j}", gain, symbol=f"g_{{{j}}}", label=f"gain of {page.words.names[one.column]}")
    if not page.ratio:
        return Shown(g, None)
    info = -sum_(s / page.N * log(s / page.N, 2))
    info = info if all_known else info - (page.N - K) / page.N * log((page.N - K) / page.N, 2)
    i = w.cell(f"info_{j}", info, symbol=f"b_{{{j}}}", label="split information")
    w.cell(f"ratio_{j}", g / i, symbol=f"q_{{{j}}}", label="gain ratio")
    return Shown(g, i)


def _allowed(page: Page, one: Worth) -> list[int]:
    """Cuts that leave enough on either side: all, or those with the largest merits."""
    node, judge = page.node, page.judge
    n = float(node.cases.weight.sum())
    share = 0.0 if one.categorical else min(judge.min_cut_share * float(one.known.sum()) / _classes(node), 25.0)
    least = max(judge.min_leaf, share)
    near, whole = one.counts.sum(axis=1), float(one.known.sum())
    found = np.flatnonzero(
        (near + plain.TIE >= least) & (whole - near + plain.TIE >= least) & (whole - near > 1e-12 * n)
    )
    if len(found) <= MOST_CUTS:
        return [int(i) for i in found]
    by = judge.by if one.categorical else judge.cut_by
    merits = [plain.merit(judge, by, one.gains[i], one.infos[i]) for i in found.tolist()]
    kept = found[np.argsort(-np.array(merits), kind="stable")[:MOST_CUTS]]
    return sorted({int(i) for i in kept} | {one.best})


def _classes(node: NodeOfCases) -> int:
    return len(np.unique(node.codes[node.own > 0]))


def _show_cuts(page: Page, one: Worth) -> Shown:
    w, j, judge = page.w, one.column + 1, page.judge
    kept = _allowed(page, one)
    if one.cuts > len(kept):
        w.note(f"Of {one.cuts:,} cuts of {page.words.names[one.column]} those with the largest merits are shown.")
    x, cut = _values(page, one), _cut_cell(page, one, kept)
    inside = None if x is None else equal(x, cut) if one.categorical else x <= cut
    left = _counts(page, one, cut, inside, one.counts[kept], ", here" if one.categorical else ", up to it")
    K, H, of_class = _of_known(page, one)
    all_known = of_class is page.m
    right = []
    for k, part in enumerate(left):
        rest: dict[str, Any] = {"symbol": f"o_{{{j},{k + 1}}}", "label": part.label.split(", ")[0] + ", rest"}
        right.append(w.cell(f"o_{j}_{k + 1}", lookup(of_class, k + 1) - part, **rest))
    s = w.cell(f"s_{j}", reduce(add, left), symbol=f"s_{{{j}}}", label="cases here")
    t = w.cell(f"t_{j}", reduce(add, right), symbol=f"t_{{{j}}}", label="the rest")
    e = w.cell(f"e_{j}", entropy(left, s), symbol=f"h_{{{j}}}", label="entropy here")
    d = w.cell(f"d_{j}", entropy(right, t), symbol=f"l_{{{j}}}", label="entropy of the rest")
    gain = H - s / K * e - t / K * d
    g = w.cell(f"g_{j}", gain if all_known else K / page.N * gain, symbol=f"a_{{{j}}}", label="gain")
    info = w.cell(f"i_{j}", _info(page, [s, t], K, all_known), symbol=f"b_{{{j}}}", label="split information")
    by_ratio = (judge.by if one.categorical else judge.cut_by) == "gain_ratio"
    q = w.cell(f"q_{j}", g / info, symbol=f"q_{{{j}}}", label="gain ratio") if page.ratio else None
    return _best_cut(page, one, kept, g, info, q if by_ratio and q is not None else g)


def _cut_cell(page: Page, one: Worth, kept: list[int]) -> Cell:
    j = one.column + 1
    if one.categorical:
        named = [page.words.category(one.column, int(one.places[i])) for i in kept]
        axis = Axis("category", named, "v", "V")
        return page.w.given(f"v_{j}", np.array(named, dtype=object), axis, symbol=f"v_{{{j}}}", label="category")
    values = one.places[kept]
    axis = Axis("cut", [f"<= {page.words.number(float(v))}" for v in values], "v", "V")
    return page.w.given(f"v_{j}", values, axis, symbol=f"v_{{{j}}}", label="at most")


def _best_cut(page: Page, one: Worth, kept: list[int], g: Cell, info: Cell, by: Cell) -> Shown:
    w, j = page.w, one.column + 1
    name = page.words.names[one.column]
    near = where(by >= max_(by) - plain.TIE, 1, 0)
    place = w.cell(f"place_{j}", arg_max(near), symbol=f"c_{{{j}}}", label="the best, the first of equals",
                   equals=float(kept.index(one.best) + 1), attribute="the first best cut")  # fmt: skip
    found: Expr = lookup(g, place)
    if page.judge.mdl and not one.categorical:
        tried = w.given(f"cuts_{j}", float(one.cuts), symbol=f"u_{{{j}}}", label="cuts that leave enough on both sides")
        found = found - log(tried, 2) / page.N
    gain = w.cell(f"gain_{j}", found, symbol=f"g_{{{j}}}", label=f"gain of {name}")
    if not page.ratio:
        return Shown(gain, None)
    i = w.cell(f"info_{j}", lookup(info, place), symbol=f"f_{{{j}}}", label="split information of the best")
    w.cell(f"ratio_{j}", gain / i, symbol=f"G_{{{j}}}", label=f"gain ratio of {name}")
    return Shown(gain, i)


# ----------------------------------------------------------------------------------------------------------- the winner


def show_winner(page: Page, found: list[Worth | None], cells: dict[int, Shown], tied: bool) -> None:
    """Every column with its gain and what it is judged by, and the one that is asked."""
    w, node, judge = page.w, page.node, page.judge
    p = len(found)
    names = [page.words.names[j] for j in range(p)]
    w.step("The column that is asked", _rule_in_words(judge))
    axis = Axis("column", names, "j", "p")
    j = w.given("j", np.arange(1.0, p + 1), axis, symbol="j", label="number")
    name = w.given("name", np.array(names, dtype=object), axis, symbol=r"\text{name}", label="column")
    can = np.array([float(one is not None and one.admissible) for one in found])
    a = w.given("a", can, axis, symbol=r"\delta", label="1 if it can be split")
    gains = _column_of(page, "gain", "g", "gain", j, found, {k: s.gain for k, s in cells.items()}, "gain")
    merits: Expr = gains
    label = "gain"
    if judge.by == "gain_ratio" or judge.costs is not None:
        infos = {k: s.info for k, s in cells.items() if s.info is not None}
        b = _column_of(page, "info", "b", "split information", j, found, infos, "info") if infos else None
        merits, label = _merit(page, gains, b, axis)
    allowed = where(gains > max(judge.min_gain, 0.0) if judge.min_gain >= 0 else gains >= 0, a, 0)
    counts = plain.for_the_mean(node, found)
    if judge.mean_gain and counts.any():
        z = w.given("z", counts, axis, symbol=r"\gamma", label="1 if it counts for the mean")
        mean = w.cell("mean_gain", sum_(z * gains) / sum_(z), symbol=r"\bar{g}", label="mean gain")
        allowed = where(gains >= mean - 0.001, allowed, 0)
    o = w.cell("allowed", allowed, symbol=r"\omega", label="1 if it may be asked")
    u = w.cell("merit", where(o > 0, merits, -1), symbol="u", label=f"{label}, of those that may be asked")
    near = where(u >= max_(u) - plain.TIE, 1, 0)
    feature = int(node.tree.feature[node.number])
    checked: dict[str, Any] = {"equals": names[feature], "attribute": "tree_.feature"} if tied else {}
    place = w.cell("place", arg_max(near), symbol=r"\hat{k}", label="the largest, the first of equals")
    w.cell("feature", lookup(name, place), symbol=r"\hat{A}", label="the column that is asked", **checked)
    checked = {"equals": float(node.model.gain_[node.number]), "attribute": "gain_", "scale": 1.0} if tied else {}
    w.cell("gain", lookup(gains, place), symbol=r"\hat{g}", label="its gain", **checked)


def _rule_in_words(judge: Judge) -> str:
    if judge.costs is not None:
        return "The column that is worth most for what it costs; of equals the first."
    what = "gain ratio" if judge.by == "gain_ratio" else "gain"
    among = ", among those whose gain is at least the mean gain (less 0.001)" if judge.mean_gain else ""
    return f"The column with the largest {what}{among}; of equals the first."


def _column_of(
    page: Page,
    name: str,
    symbol: str,
    label: str,
    j: Cell,
    found: list[Worth | None],
    cells: dict[int, Cell],
    kind: str,
) -> Cell:
    """One entry a column of the table: the cell where it was worked out, the number where it was not."""
    columns = list(cells)
    if len(columns) == len(found):
        body: Expr = expr(0)
    else:
        numbers = [0.0 if one is None else float(getattr(one, kind)) for one in found]
        rest = np.array([0.0 if k in cells else number for k, number in enumerate(numbers)])
        body = page.w.given(f"{name}_rest", rest, j.axis, symbol=f"{symbol}^0", label=f"{label}, where it is given")
    for k in reversed(columns):
        body = where(equal(j, k + 1), cells[k], body)
    return page.w.cell(f"{name}_of", body, symbol=symbol, label=label)


def _merit(page: Page, gains: Cell, infos: Cell | None, axis: Axis) -> tuple[Expr, str]:
    judge = page.judge
    if judge.costs is None:
        assert infos is not None
        ratio = where(infos > plain.TIE, gains / where(infos > plain.TIE, infos, 1), 0)
        return page.w.cell("ratio_of", ratio, symbol="q", label="gain ratio"), "gain ratio"
    cost = page.w.given("cost", judge.costs, axis, symbol=r"\text{cost}", label="cost")
    worth = gains**2 / cost if judge.cost_rule == "quadratic" else (2**gains - 1) / (cost + 1) ** judge.cost_weight
    return page.w.cell("worth", worth, symbol="q", label="worth for its cost"), "worth"
