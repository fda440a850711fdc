"""Rules on rows: the columns that they ask for, which rules fire as formulas, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.rules.conditions import All, Condition, Expression, leaves
from pellucid.models.rules.rule_set import Rule
from pellucid.models.rules.words import expression_text
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, lookup, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis, label, labels

MOST_RULES = 12
MOST_FIRED = 30  # rules of a prediction
MOST_TESTS = 30  # of a rule that is written as a formula
MOST_ASKED = 3  # rows of a prediction
MISSING = "(missing)"
LONGEST = 70


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def column_names(model: Any) -> list[str]:
    """As the rules have them."""
    names = model.schema_.names
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else [str(name) for name in names]


def known_values(x: Floats, categories: Any) -> Array:
    """A column as a page shows it: names for codes, and a word or 0 where a value is missing."""
    if categories is None:
        return np.where(np.isnan(x), 0.0, x)
    names = [MISSING if np.isnan(v) else str(categories[int(v)]) for v in x]
    return np.array(names, dtype=object)


@dataclass
class RuleTable:
    """The columns that rules ask for, along some rows; `there` says where a value is known, if any is missing."""

    w: Working
    axis: Axis
    x: dict[str, Cell]
    there: dict[str, Cell]
    named: set[str]

    def fires(self, rule: Rule, name: str, number: int) -> Cell | None:
        """1 where a rule fires; None where it has too many tests for a formula."""
        if rule.n_conditions > MOST_TESTS:
            return None
        formula = self.formula(rule.when)
        if self.axis not in formula.axes:
            formula = formula + 0 * self.ones()
        text = f"rule {rule.name or number}: {short(expression_text(rule.when, 6))}"
        return self.w.cell(name, formula, symbol=f"f_{{{number}}}", label=text)

    def ones(self) -> Cell:
        """A column of ones along the rows."""
        if "one" not in self.w.cells:
            self.w.given("one", np.ones(len(self.axis)), self.axis, symbol="1", label="one")
        cell = self.w.cells["one"]
        assert isinstance(cell, Cell)
        return cell

    def formula(self, expression: Expression) -> Expr:
        """1 where the expression holds, else 0: products for AND, and for OR what the opposites leave."""
        if isinstance(expression, Condition):
            return self._test(expression)
        if not expression.parts:
            return expr(1.0 if isinstance(expression, All) else 0.0)
        factors = [self.formula(child) for child in expression.parts]
        if len(factors) == 1:
            return factors[0]
        if isinstance(expression, All):
            return reduce(mul, factors)
        return 1 - reduce(mul, [1 - child for child in factors])

    def _test(self, test: Condition) -> Expr:
        x, is_known = self.x[test.column], self.there.get(test.column)
        yes, no = (0.0, 1.0) if test.excluded else (1.0, 0.0)
        if test.values is not None:
            holds: Expr = expr(no)
            for value in test.values:
                test_value = str(value) if test.column in self.named else _as_number(value)
                holds = where(equal(x, test_value), yes, holds)
        else:
            holds = _inside(x, test, yes, no)
        if is_known is None:
            return holds
        return 1 - is_known * (1 - holds) if test.missing else is_known * holds


def _as_number(value: Any) -> float:
    return float(value.lower() == "true") if isinstance(value, str) else float(value)


def _inside(x: Cell, test: Condition, yes: float, no: float) -> Expr:
    if test.of_known or test.of_none:
        return expr(1.0 if test.of_known else 0.0)
    above = x > test.low if test.low_open else x >= test.low
    below = x < test.high if test.high_open else x <= test.high
    if test.low == -np.inf:
        return where(below, yes, no)
    if test.high == np.inf:
        return where(above, yes, no)
    holds = where(above, 1.0, 0.0) * where(below, 1.0, 0.0)
    return 1 - holds if test.excluded else holds


def rule_table(w: Working, model: Any, X: Floats, axis: Axis, requested: list[str]) -> RuleTable:
    """Cells of the columns that are asked for."""
    names, categories = column_names(model), model._matcher_categories()
    table = RuleTable(w, axis, {}, {}, set())
    for name in requested:
        j = names.index(name)
        category_names = categories.get(j)
        if category_names is not None:
            table.named.add(name)
        style: dict[str, Any] = {"symbol": f"x_{{{j + 1}}}", "label": name}
        table.x[name] = w.given(f"x_{j + 1}", known_values(X[:, j], category_names), axis, **style)
        missing = np.isnan(X[:, j])
        if missing.any():
            flags = (~missing).astype(np.float64)
            style = {"symbol": f"k_{{{j + 1}}}", "label": f"1 if {name} is known"}
            table.there[name] = w.given(f"known_{j + 1}", flags, axis, **style)
    return table


# --------------------------------------------------------------------------------------------------------- predictions


def predictions(w: Working, model: Any, data: Given) -> None:
    """Which rules fire for a few rows, and what they are answered."""
    w.title = "Predictions by rules"
    w.intro = _POLICY[model.rules_.policy]
    rows = data.rows or list(range(min(len(data.X), MOST_ASKED)))
    fired = model.fired(data.table)[rows]
    any_fired = np.flatnonzero(fired.any(axis=0)).tolist()
    listed = sorted(set(any_fired[:MOST_FIRED]) | set(range(min(len(model.rules_), MOST_RULES))))
    if len(listed) < len(model.rules_):
        w.note(f"Of {len(model.rules_):,} rules those that fire are shown, and the first {MOST_RULES}.")
    axis = Axis("row", rows)
    w.step("Rows", "The rows that are asked for, numbered from 0, in the columns that these rules ask.")
    rules = [model.rules_.rules[k] for k in listed]
    table = rule_table(w, model, data.X[rows], axis, _columns_of(rules))
    if not table.x:
        table.ones()
    w.step("Rules", "1 where a rule fires, else 0.")
    fires = []
    for k in listed:
        cell = table.fires(model.rules_.rules[k], f"fires_{k + 1}", k + 1)
        style: dict[str, Any] = {"symbol": f"f_{{{k + 1}}}", "label": f"rule {k + 1}"}
        cell = w.given(f"fires_{k + 1}", fired[:, k].astype(np.float64), axis, **style) if cell is None else cell
        w.check(cell, fired[:, k].astype(np.float64), "fired(X)")
        fires.append(cell)
    _Answer(w, model, data, rows, table, listed, fires).show(len(any_fired) <= MOST_FIRED)


_POLICY = {
    "first": "The first rule that fires decides; where none does, the default.",
    "vote": "Each rule that fires votes for its class with its weight; where none fires, the default answers.",
    "priority": "Of the classes whose rules fire the one that comes first in the order of priority wins.",
}


def _columns_of(rules: list[Rule]) -> list[str]:
    return list(dict.fromkeys(test.column for rule in rules for test in leaves(rule.when)))


@dataclass
class _Answer:
    w: Working
    model: Any
    data: Given
    rows: list[int]
    table: RuleTable
    listed: list[int]
    fires: list[Cell]

    def show(self, complete: bool) -> None:
        w, model = self.w, self.model
        w.step("Answer", "The class, by its place among the classes, and its name.")
        class_names = labels(model.classes_)
        c = w.given("class", class_names, class_axis(class_names), symbol="c", label="class")
        predicted = model.predict(self.data.table)[self.rows].tolist()
        expected = np.array([float(model.classes_.tolist().index(name) + 1) for name in predicted])
        class_index = {"first": self._first, "vote": self._vote, "priority": self._priority}[model.rules_.policy]()
        style: dict[str, Any] = {"symbol": "a", "label": "place of the class"}
        if self.table.axis not in class_index.axes:
            class_index = class_index + 0 * self.table.ones()
        if complete and np.array_equal(np.broadcast_to(class_index.value, expected.shape), expected):
            at = w.cell("place", class_index, equals=expected, attribute="predict(X)", **style)
        else:
            w.note(
                "Equal votes: the class whose rule stands first is taken." if complete else "Some rules are not shown."
            )
            at = w.given("place", expected, self.table.axis, **style)
        expected_labels = np.array(
            [label(name) for name in predicted], dtype=None if class_names.dtype.kind == "f" else object
        )
        w.cell("prediction", lookup(c, at), symbol=r"\hat{y}", label="predicted class", equals=expected_labels,
               attribute="predict(X)")  # fmt: skip

    def _place(self, value: Any) -> float:
        return float(self.model.rules_.classes.index(value) + 1)

    def _first(self) -> Expr:
        """From the last rule back to the first: each stands before what follows."""
        class_index: Expr = expr(self._place(self.model.rules_.default))
        for k, cell in reversed(list(zip(self.listed, self.fires, strict=True))):
            class_index = where(cell > 0.5, self._place(self.model.rules_.rules[k].then), class_index)
        return class_index

    def _of_class(self, label: Any, weighted: bool) -> Expr | None:
        """Votes of the rules of a class."""
        votes: Expr | None = None
        for k, cell in zip(self.listed, self.fires, strict=True):
            rule = self.model.rules_.rules[k]
            if rule.then == label:
                rule_votes = rule.weight * cell if weighted and rule.weight != 1 else cell
                votes = rule_votes if votes is None else votes + rule_votes
        return votes

    def _vote(self) -> Expr:
        w, classes = self.w, self.model.rules_.classes
        class_index: Expr = expr(self._place(self.model.rules_.default))
        best: Expr = expr(0.0)
        for k, name in enumerate(classes):
            votes = self._of_class(name, weighted=True)
            if votes is None:
                continue
            v = w.cell(f"votes_{k + 1}", votes, symbol=f"v_{{{k + 1}}}", label=f"votes for {label(name)}")
            class_index = where(v > best, float(k + 1), class_index)
            best = w.cell(f"best_{k + 1}", where(v > best, v, best), symbol=f"m_{{{k + 1}}}", label="largest so far")
        return class_index

    def _priority(self) -> Expr:
        class_index: Expr = expr(self._place(self.model.rules_.default))
        for k in reversed(self.model._matcher_.priority_order().tolist()):
            votes = self._of_class(self.model.rules_.classes[k], weighted=False)
            if votes is not None:
                class_index = where(votes > 0.5, float(k + 1), class_index)
        return class_index
