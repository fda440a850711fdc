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


def show_cases(w: Working, node: NodeOfCases, words: Words, judge: Judge, class_names: Array, labels: Array) -> Page:
    """The cases of a node, how they divide into the classes, and their entropy."""
    tree, cases = node.tree, node.cases
    path = tree.way(node.number)
    conditions = [words.condition(tree, above, tree.branch(below)) for above, below in pairwise(path)]
    where_from = f" They have {short(' and '.join(conditions))}." if conditions else ""
    all_complete = bool(np.all(cases.weight == node.own[cases.rows]))
    partial_note = "" if all_complete else " Some are there in part: a value further up is missing."
    w.step("Cases of the node", f"{counted(len(cases.rows), 'row')} of the fit reached it.{where_from}{partial_note}")
    y, amount = None, expr(1)
    axis = Axis("row", (cases.rows + 1).tolist())
    if len(cases.rows):
        y = w.given("y", labels[cases.rows], axis, symbol="y", label="class")
        if np.any(cases.weight != 1):
            amount = w.given("w", cases.weight, axis, symbol="w", label="weight of the case")
    c = w.given("class", class_names, class_axis(class_names), symbol="c", label="class")
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
    return Page(w, node, words, judge, class_names, y, amount, m, N, H)


# -------------------------------------------------------------------------------------------------------------- columns


@dataclass(frozen=True)
class Shown:
    """Cells of a column that is worked out."""

    gain: Cell
    info: Cell | None


def show_column(page: Page, candidate: Worth) -> Shown:
    """What a column is worth: a branch for each category, or a table of its cuts."""
    name = page.words.names[candidate.column]
    alternatives = "one branch for each category" if candidate.multiway else "each of its cuts"
    if candidate.categorical and not candidate.multiway:
        alternatives = "each category against the others"
    text = f"The entropy left after {alternatives}, and the gain."
    if page.judge.mdl and not candidate.categorical:
        text += " From the gain of the best cut log₂(u) / N is taken, since it is chosen among u cuts; "
        text += "where that leaves no gain, the column is not split."
    page.w.step(f"Column {name}", text)
    return _show_branches(page, candidate) if candidate.multiway else _show_cuts(page, candidate)


def _values(page: Page, candidate: Worth) -> Cell | None:
    """The column of the cases, where all of them have a value and are written out."""
    rows = page.node.cases.rows
    x = page.node.X[rows, candidate.column]
    if page.y is None or np.isnan(x).any() or len(x) * len(candidate.places) > MOST_COUNTED:
        return None
    shown_values: Any = x
    if candidate.categorical:
        shown_values = np.array([page.words.category(candidate.column, int(v)) for v in x], dtype=object)
    name = page.words.names[candidate.column]
    return page.w.given(
        f"x_{candidate.column + 1}", shown_values, page.y.axis, symbol=f"x_{{{candidate.column + 1}}}", label=name
    )


def _counts(page: Page, candidate: Worth, branch: Cell, inside: Any, counts: Floats, side: str) -> list[Cell]:
    """A column of weights for each class: counted where the cases are written out, else given."""
    tag, j = f"{candidate.column + 1}", candidate.column + 1
    count_cells = []
    for k, label in enumerate(page.m.axis.labels if page.m.axis else ()):
        style: dict[str, Any] = {"symbol": f"n_{{{j},{k + 1}}}", "label": f"class {label}{side}"}
        if inside is None or page.y is None:
            count_cells.append(page.w.given(f"n_{tag}_{k + 1}", counts[:, k], branch.axis, **style))
            continue
        formula = sum_(where(inside, where(equal(page.y, page.known[k]), page.amount, 0), 0), page.y.axis)
        count_cells.append(page.w.cell(f"n_{tag}_{k + 1}", formula, **style))
    return count_cells


def _of_known(page: Page, candidate: Worth) -> tuple[Expr, Expr, Cell]:
    """Of the cases with a value: weight, entropy, weight of each class; those of the node, where none is missing."""
    missing = float(page.node.cases.weight.sum() - candidate.known.sum())
    if missing <= plain.TIE * float(page.node.cases.weight.sum()):
        return page.N, page.H, page.m
    w, j = page.w, candidate.column + 1
    axis = page.m.axis
    m = w.given(f"m_{j}", candidate.known, axis, symbol=f"m_{{{j}}}", label="cases of the class that have a value")
    K = w.cell(f"K_{j}", sum_(m), symbol=f"K_{{{j}}}", label="cases that have a value")
    p = m / K
    H = w.cell(f"HK_{j}", -sum_(p * log(where(p > 0, p, 1), 2)), symbol=f"H_{{{j}}}", label="their entropy")
    return K, H, m


def _info(page: Page, sizes: list[Expr], K: Expr, all_known: bool) -> Expr:
    """Split information; sizes are branches, which are summed over where they form a column."""
    N = page.N
    split_info = -(sizes[0] / N * log(sizes[0] / N, 2))
    for size in sizes[1:]:
        split_info = split_info - size / N * log(size / N, 2)
    return split_info if all_known else split_info - (N - K) / N * log((N - K) / N, 2)


def _show_branches(page: Page, candidate: Worth) -> Shown:
    w, j = page.w, candidate.column + 1
    category_names = [page.words.category(candidate.column, int(v)) for v in candidate.places]
    axis = Axis("category", category_names, "v", "V")
    x = _values(page, candidate)
    v = w.given(f"v_{j}", np.array(category_names, dtype=object), axis, symbol=f"v_{{{j}}}", label="category")
    class_counts = _counts(page, candidate, v, None if x is None else equal(x, v), candidate.counts, "")
    s = w.cell(f"s_{j}", reduce(add, class_counts), symbol=f"s_{{{j}}}", label="cases")
    e = w.cell(f"e_{j}", entropy(class_counts, s), symbol=f"h_{{{j}}}", label="entropy")
    K, H, of_class = _of_known(page, candidate)
    all_known = of_class is page.m
    entropy_left = w.cell(f"r_{j}", sum_(s / K * e), symbol=f"r_{{{j}}}", label="entropy that is left, by cases")
    gain = H - entropy_left if all_known else K / page.N * (H - entropy_left)
    g = w.cell(f"gain_{j}", gain, symbol=f"g_{{{j}}}", label=f"gain of {page.words.names[candidate.column]}")
    if not page.ratio:
        return Shown(g, None)
    info = -sum_(s / page.N * log(s / page.N, 2))
    info = info if all_known else info - (page.N - K) / page.N * log((page.N - K) / page.N, 2)
    i = w.cell(f"info_{j}", info, symbol=f"b_{{{j}}}", label="split information")
    w.cell(f"ratio_{j}", g / i, symbol=f"q_{{{j}}}", label="gain ratio")
    return Shown(g, i)


def _allowed(page: Page, candidate: Worth) -> list[int]:
    """Cuts that leave enough on either side: all, or those with the largest merits."""
    node, judge = page.node, page.judge
    n = float(node.cases.weight.sum())
    share = (
        0.0 if candidate.categorical else min(judge.min_cut_share * float(candidate.known.sum()) / _classes(node), 25.0)
    )
    min_weight = max(judge.min_leaf, share)
    near, total_weight = candidate.counts.sum(axis=1), float(candidate.known.sum())
    cuts = np.flatnonzero(
        (near + plain.TIE >= min_weight)
        & (total_weight - near + plain.TIE >= min_weight)
        & (total_weight - near > 1e-12 * n)
    )
    if len(cuts) <= MOST_CUTS:
        return [int(i) for i in cuts]
    by = judge.by if candidate.categorical else judge.cut_by
    merits = [plain.merit(judge, by, candidate.gains[i], candidate.infos[i]) for i in cuts.tolist()]
    best_cuts = cuts[np.argsort(-np.array(merits), kind="stable")[:MOST_CUTS]]
    return sorted({int(i) for i in best_cuts} | {candidate.best})


def _classes(node: NodeOfCases) -> int:
    return len(np.unique(node.codes[node.own > 0]))


def _show_cuts(page: Page, candidate: Worth) -> Shown:
    w, j, judge = page.w, candidate.column + 1, page.judge
    cuts = _allowed(page, candidate)
    if candidate.cuts > len(cuts):
        w.note(
            f"Of {candidate.cuts:,} cuts of {page.words.names[candidate.column]} those with the "
            "largest merits are shown."
        )
    x, cut = _values(page, candidate), _cut_cell(page, candidate, cuts)
    inside = None if x is None else equal(x, cut) if candidate.categorical else x <= cut
    counts_below = _counts(
        page, candidate, cut, inside, candidate.counts[cuts], ", here" if candidate.categorical else ", up to it"
    )
    K, H, of_class = _of_known(page, candidate)
    all_known = of_class is page.m
    counts_above = []
    for k, cell in enumerate(counts_below):
        style: dict[str, Any] = {"symbol": f"o_{{{j},{k + 1}}}", "label": cell.label.split(", ")[0] + ", rest"}
        counts_above.append(w.cell(f"o_{j}_{k + 1}", lookup(of_class, k + 1) - cell, **style))
    s = w.cell(f"s_{j}", reduce(add, counts_below), symbol=f"s_{{{j}}}", label="cases here")
    t = w.cell(f"t_{j}", reduce(add, counts_above), symbol=f"t_{{{j}}}", label="the rest")
    e = w.cell(f"e_{j}", entropy(counts_below, s), symbol=f"h_{{{j}}}", label="entropy here")
    d = w.cell(f"d_{j}", entropy(counts_above, t), symbol=f"l_{{{j}}}", label="entropy of the rest")
    gain = H - s / K * e - t / K * d
    g = w.cell(f"g_{j}", gain if all_known else K / page.N * gain, symbol=f"a_{{{j}}}", label="gain")
    info = w.cell(f"i_{j}", _info(page, [s, t], K, all_known), symbol=f"b_{{{j}}}", label="split information")
    by_ratio = (judge.by if candidate.categorical else judge.cut_by) == "gain_ratio"
    q = w.cell(f"q_{j}", g / info, symbol=f"q_{{{j}}}", label="gain ratio") if page.ratio else None
    return _best_cut(page, candidate, cuts, g, info, q if by_ratio and q is not None else g)


def _cut_cell(page: Page, candidate: Worth, cuts: list[int]) -> Cell:
    j = candidate.column + 1
    if candidate.categorical:
        category_names = [page.words.category(candidate.column, int(candidate.places[i])) for i in cuts]
        axis = Axis("category", category_names, "v", "V")
        return page.w.given(
            f"v_{j}", np.array(category_names, dtype=object), axis, symbol=f"v_{{{j}}}", label="category"
        )
    values = candidate.places[cuts]
    axis = Axis("cut", [f"<= {page.words.number(float(v))}" for v in values], "v", "V")
    return page.w.given(f"v_{j}", values, axis, symbol=f"v_{{{j}}}", label="at most")


def _best_cut(page: Page, candidate: Worth, cuts: list[int], g: Cell, info: Cell, by: Cell) -> Shown:
    w, j = page.w, candidate.column + 1
    name = page.words.names[candidate.column]
    near = where(by >= max_(by) - plain.TIE, 1, 0)
    best_index = w.cell(f"place_{j}", arg_max(near), symbol=f"c_{{{j}}}", label="the best, the first of equals",
                        equals=float(cuts.index(candidate.best) + 1), attribute="the first best cut")  # fmt: skip
    best_gain: Expr = lookup(g, best_index)
    if page.judge.mdl and not candidate.categorical:
        tried = w.given(
            f"cuts_{j}", float(candidate.cuts), symbol=f"u_{{{j}}}", label="cuts that leave enough on both sides"
        )
        best_gain = best_gain - log(tried, 2) / page.N
    gain = w.cell(f"gain_{j}", best_gain, symbol=f"g_{{{j}}}", label=f"gain of {name}")
    if not page.ratio:
        return Shown(gain, None)
    i = w.cell(f"info_{j}", lookup(info, best_index), symbol=f"f_{{{j}}}", label="split information of the best")
    w.cell(f"ratio_{j}", gain / i, symbol=f"G_{{{j}}}", label=f"gain ratio of {name}")
    return Shown(gain, i)


# ----------------------------------------------------------------------------------------------------------- the winner


def show_winner(page: Page, candidates: list[Worth | None], cells: dict[int, Shown], tied: bool) -> None:
    """Every column with its gain and what it is judged by, and the one that is asked."""
    w, node, judge = page.w, page.node, page.judge
    p = len(candidates)
    names = [page.words.names[j] for j in range(p)]
    w.step("The column that is asked", _rule_in_words(judge))
    axis = Axis("column", names, "j", "p")
    j = w.given("j", np.arange(1.0, p + 1), axis, symbol="j", label="number")
    name = w.given("name", np.array(names, dtype=object), axis, symbol=r"\text{name}", label="column")
    can = np.array([float(candidate is not None and candidate.admissible) for candidate in candidates])
    a = w.given("a", can, axis, symbol=r"\delta", label="1 if it can be split")
    gains = _column_of(page, "gain", "g", "gain", j, candidates, {k: s.gain for k, s in cells.items()}, "gain")
    merits: Expr = gains
    label = "gain"
    if judge.by == "gain_ratio" or judge.costs is not None:
        infos = {k: s.info for k, s in cells.items() if s.info is not None}
        b = _column_of(page, "info", "b", "split information", j, candidates, infos, "info") if infos else None
        merits, label = _merit(page, gains, b, axis)
    allowed = where(gains > max(judge.min_gain, 0.0) if judge.min_gain >= 0 else gains >= 0, a, 0)
    counts = plain.for_the_mean(node, candidates)
    if judge.mean_gain and counts.any():
        z = w.given("z", counts, axis, symbol=r"\gamma", label="1 if it counts for the mean")
        mean = w.cell("mean_gain", sum_(z * gains) / sum_(z), symbol=r"\bar{g}", label="mean gain")
        allowed = where(gains >= mean - 0.001, allowed, 0)
    o = w.cell("allowed", allowed, symbol=r"\omega", label="1 if it may be asked")
    u = w.cell("merit", where(o > 0, merits, -1), symbol="u", label=f"{label}, of those that may be asked")
    near = where(u >= max_(u) - plain.TIE, 1, 0)
    feature = int(node.tree.feature[node.number])
    checked: dict[str, Any] = {"equals": names[feature], "attribute": "tree_.feature"} if tied else {}
    best_index = w.cell("place", arg_max(near), symbol=r"\hat{k}", label="the largest, the first of equals")
    w.cell("feature", lookup(name, best_index), symbol=r"\hat{A}", label="the column that is asked", **checked)
    checked = {"equals": float(node.model.gain_[node.number]), "attribute": "gain_", "scale": 1.0} if tied else {}
    w.cell("gain", lookup(gains, best_index), symbol=r"\hat{g}", label="its gain", **checked)


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
    candidates: list[Worth | None],
    cells: dict[int, Cell],
    kind: str,
) -> Cell:
    """One entry a column of the table: the cell where it was worked out, the number where it was not."""
    columns = list(cells)
    if len(columns) == len(candidates):
        body: Expr = expr(0)
    else:
        numbers = [0.0 if candidate is None else float(getattr(candidate, kind)) for candidate in candidates]
        numbers_given = np.array([0.0 if k in cells else number for k, number in enumerate(numbers)])
        body = page.w.given(
            f"{name}_rest", numbers_given, j.axis, symbol=f"{symbol}^0", label=f"{label}, where it is given"
        )
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
    merit = gains**2 / cost if judge.cost_rule == "quadratic" else (2**gains - 1) / (cost + 1) ** judge.cost_weight
    return page.w.cell("worth", merit, symbol="q", label="worth for its cost"), "worth"
