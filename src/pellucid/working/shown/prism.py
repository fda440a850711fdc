"""How PRISM builds its rules: every condition with p and t, the best one, and the rows that are left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.models.rules.words import condition_text, value_text
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, equal, lookup, max_, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import label, labels
from pellucid.working.shown._rule_rows import MISSING, column_names, predictions

MOST_LISTED = 200  # rows that are written out, and counted by formulas
MOST_CANDIDATES = 60
MOST_RULES = 2  # of a class
MOST_CLASSES = 4
TIE = 1e-12


@shows("PRISMClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    predictions(w, model, data)


@shows("PRISMClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "PRISM: rules that are right"
    w.intro = (
        f"{counted(len(model.rules_), 'rule')}. A rule takes, again and again, the condition with the largest share "
        "p / t of its class among the rows that it leaves."
    )
    grower = _rows(w, model, data)
    steps = model.steps_
    for k, name in list(enumerate(model.classes_.tolist()))[:MOST_CLASSES]:
        rules = np.flatnonzero(steps.label == k).tolist()
        grower.begin(k, name)
        for number in rules[:MOST_RULES]:
            grower.rule(number)
    hidden = len(model.rules_) - grower.shown
    if hidden > 0:
        w.note(f"The first {MOST_RULES} rules of each class are worked out, {hidden:,} more are made in the same way.")
    _counts(w, model, data)


def _rows(w: Working, model: Any, data: Given) -> _Grower:
    names, coding = column_names(model), model.coding_
    codes = coding.codes(data.X)
    words = [
        np.array(
            [*(condition_text(coding.condition(name, j, c), 6) for c in range(int(coding.sizes[j]))), MISSING],
            dtype=object,
        )
        for j, name in enumerate(names)
    ]
    listed = len(data.X) <= MOST_LISTED and int(coding.sizes.sum()) <= MOST_CANDIDATES
    w.step("Data", "The columns, numbers as the intervals into which they are cut, and the class of each row.")
    x = []
    y = weight = None
    if listed:
        x = [
            w.given(f"x_{j + 1}", words[j][codes[j]], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
            for j, name in enumerate(names)
        ]
        y = w.given("y", labels(data.y), data.row_axis, symbol="y", label="class")
        if data.weight is not None:
            weight = w.given("w", data.weight, data.row_axis, symbol="w", label="weight")
    else:
        w.note("The table is too long to be written out: p and t are given, not counted by formulas.")
    return _Grower(w, model, data, codes, words, x, y, weight)


@dataclass
class _Grower:
    """Follows the rules of one class, one condition after the other, on the rows given."""

    w: Working
    model: Any
    data: Given
    codes: Array  # columns x rows
    words: list[Array]
    x: list[Cell]
    y: Cell | None
    weight: Cell | None
    shown: int = 0

    def begin(self, k: int, class_name: Any) -> None:
        """All rows again, for another class."""
        self.k, self.label = k, class_name
        self.own = np.ones(len(self.data.X)) if self.data.weight is None else np.asarray(self.data.weight)
        self.of_class = np.asarray(self.data.y) == self.model.classes_[k]
        self.left: Floats = self.own.copy()
        self.left_cell: Expr = expr(1.0) if self.weight is None else self.weight

    def rule(self, number: int) -> None:
        """One rule: each of its conditions, and the rows that it takes away."""
        steps, w = self.model.steps_, self.w
        self.shown += 1
        inside, cell = self.left.copy(), self.left_cell
        used: list[int] = []
        for at in range(int(steps.starts[number]), int(steps.starts[number + 1])):
            j, code = int(steps.feature[at]), int(steps.code[at])
            self._choose(number, at, used, inside, cell)
            used.append(j)
            inside = np.where(self.codes[j] == code, inside, 0.0)
            if self.y is not None:
                covered = where(equal(self.x[j], str(self.words[j][code])), cell, 0)
                style: dict[str, Any] = {"symbol": f"r_{{{at + 1}}}", "label": "rows that the rule still covers"}
                cell = w.cell(f"rows_{at + 1}", covered, **style)
        self.left = self.left - inside
        if self.y is not None:
            remaining = self.left_cell - cell
            style = {"symbol": f"u_{{{number + 1}}}", "label": f"rows left after rule {number + 1}"}
            self.left_cell = w.cell(f"left_{number + 1}", remaining, **style)

    def _choose(self, number: int, at: int, used: list[int], inside: Floats, cell: Expr) -> None:
        w, steps = self.w, self.model.steps_
        suffix = "" if not used else f", condition {len(used) + 1}"
        w.step(
            f"Rule {number + 1} for {value_text(self.label)}{suffix}",
            "Every condition on a column that the rule does not use yet; the largest p / t wins, then the larger p.",
        )
        listed = [
            (j, c) for j in range(len(self.codes)) if j not in used for c in range(int(self.model.coding_.sizes[j]))
        ]
        p, t = self._counted(listed, inside)
        best_condition = (int(steps.feature[at]), int(steps.code[at]))
        indices = [i for i in range(len(listed)) if t[i] > 0]
        if len(indices) > MOST_CANDIDATES:
            order = np.argsort(-(p[indices] / t[indices]), kind="stable")[:MOST_CANDIDATES]
            indices = sorted({indices[i] for i in order} | {listed.index(best_condition)})
            w.note(f"Of the conditions the {MOST_CANDIDATES} with the largest shares are shown.")
        axis = Axis("condition", [str(self.words[listed[i][0]][listed[i][1]]) for i in indices], "v", "V")
        T, P = self._cells(at, axis, [listed[i] for i in indices], p[indices], t[indices], cell)
        q = w.cell(f"share_{at + 1}", P / where(T > 0, T, 1), symbol=f"q_{{{at + 1}}}", label="p / t")
        min_rows = float(self.model.min_rows)
        if min_rows > 1:
            q = w.cell(
                f"allowed_{at + 1}", where(min_rows <= T, q, -1), symbol=f"o_{{{at + 1}}}", label="of enough rows"
            )
        near = where(q >= max_(q) - TIE, P, -1)
        expected = (
            [listed[i] for i in indices].index(best_condition) + 1
            if best_condition in [listed[i] for i in indices]
            else 0
        )
        best_index = w.cell(f"best_{at + 1}", arg_max(near), symbol=f"b_{{{at + 1}}}", label="the best condition",
                            equals=float(expected), attribute="steps_")  # fmt: skip
        w.cell(f"right_{at + 1}", lookup(P, best_index), symbol=rf"\hat{{p}}_{{{at + 1}}}", label="its p",
               equals=float(steps.right[at]), attribute="steps_.right")  # fmt: skip
        w.cell(f"covered_{at + 1}", lookup(T, best_index), symbol=rf"\hat{{t}}_{{{at + 1}}}", label="its t",
               equals=float(steps.covered[at]), attribute="steps_.covered")  # fmt: skip

    def _counted(self, listed: list[tuple[int, int]], inside: Floats) -> tuple[Floats, Floats]:
        t = np.array([inside[self.codes[j] == c].sum() for j, c in listed])
        p = np.array([inside[(self.codes[j] == c) & self.of_class].sum() for j, c in listed])
        return p, t

    def _cells(
        self, at: int, axis: Axis, conditions: list[tuple[int, int]], p: Floats, t: Floats, cell: Expr
    ) -> tuple[Cell, Cell]:
        w, tag = self.w, at + 1
        of_t: dict[str, Any] = {"symbol": f"t_{{{tag}}}", "label": "rows covered, t"}
        of_p: dict[str, Any] = {"symbol": f"p_{{{tag}}}", "label": f"of these {value_text(self.label)}, p"}
        if self.y is None:
            return w.given(f"t_{tag}", t, axis, **of_t), w.given(f"p_{tag}", p, axis, **of_p)
        condition_names = np.array([self.words[j][c] for j, c in conditions], dtype=object)
        V = w.given(f"v_{tag}", condition_names, axis, symbol=f"v_{{{tag}}}", label="condition")
        # A condition names its column, so that a row can satisfy it in one column only.
        body = reduce(add, [where(equal(self.x[j], V), cell, 0) for j in sorted({j for j, _ in conditions})])
        rows = self.data.row_axis
        T = w.cell(f"t_{tag}", sum_(body, rows), **of_t)
        return T, w.cell(f"p_{tag}", sum_(where(equal(self.y, label(self.label)), body, 0), rows), **of_p)


def _counts(w: Working, model: Any, data: Given) -> None:
    """What the rules cover of all rows."""
    if not len(model.rules_):
        w.step("Rules", "No condition covers a row of any class: the default answers.")
        w.check(w.given("rules", 0.0, symbol="R", label="rules"), float(len(model.steps_.label)), "steps_", scale=1.0)
        return
    w.step("Rules", "How many rows of all each rule covers, and how many of them have its class.")
    axis = Axis("rule", [str(k + 1) for k in range(len(model.rules_))], "r", "R")
    fired = model.fired(data.table).astype(np.float64)
    row_weight = np.ones(len(data.X)) if data.weight is None else np.asarray(data.weight)
    classes = np.asarray(data.y)
    n_correct = [row_weight @ (fired[:, k] * (classes == rule.then)) for k, rule in enumerate(model.rules_.rules)]
    n = w.given("n", row_weight @ fired, axis, symbol="n", label="covered")
    r = w.given("r", np.array(n_correct), axis, symbol="r", label="of its class")
    N = w.given("N", float(row_weight.sum()), symbol="N", label="all rows")
    w.cell("coverage", n / N, symbol=r"\text{cov}", label="coverage", equals=model.coverage_, attribute="coverage_",
           scale=1.0)  # fmt: skip
    if np.isfinite(model.accuracy_).all():
        w.cell("accuracy", r / n, symbol=r"\text{acc}", label="accuracy", equals=model.accuracy_, attribute="accuracy_",
               scale=1.0)  # fmt: skip
