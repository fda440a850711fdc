"""How written rules are measured on rows: which fire, coverage and accuracy, conflicts, and the default."""

from __future__ import annotations

from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.models.rules.conditions import leaves
from pellucid.models.rules.words import value_text
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr, expr
from pellucid.working.language import arg_max, count, equal, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis, label, labels
from pellucid.working.shown._rule_rows import MOST_RULES, column_names, predictions, rule_table

MOST_COLUMNS = 12
MOST_BESIDE = 4  # columns, of which the rules may ask none


@shows("RuleClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    rules = model.rules_.rules
    w.title = "Rules measured on rows"
    w.intro = (
        f"{counted(len(rules), 'rule')}. Coverage is the share of the rows for which a rule fires, accuracy the share "
        "of these that have its class."
    )
    w.step("Data", "Columns, those first that the rules ask, and the class of each row.")
    asked = list(dict.fromkeys([*model.rules_.columns, *column_names(model)]))
    asked = asked[: min(max(len(model.rules_.columns), MOST_BESIDE), MOST_COLUMNS)]
    table = rule_table(w, model, data.X, data.row_axis, asked)
    y = w.given("y", labels(data.y), data.row_axis, symbol="y", label="class")
    weight = None if data.weight is None else w.given("w", data.weight, data.row_axis, symbol="w", label="weight")
    listed = [k for k, rule in enumerate(rules[:MOST_RULES]) if set(_columns(rule)) <= set(asked)]
    fires = _fires(w, model, data, table, listed)
    N = _coverage(w, model, data, (y, weight), listed, fires)
    if len(listed) == len(rules) and len({rule.then for rule in rules}) > 1:
        _conflicts(w, model, weight, fires)
    _default(w, model, data, (y, weight), fires if len(listed) == len(rules) else None)
    w.check(N, float(model.decided_counts_.sum()), "decided_counts_", scale=1.0)


@shows("RuleClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    predictions(w, model, data)


def _counted(flags: Expr, weight: Cell | None) -> Expr:
    """Flags of rows as what the rows count."""
    return flags if weight is None else flags * weight


def _columns(rule: Any) -> list[str]:
    return [test.column for test in leaves(rule.when)]


def _fires(w: Working, model: Any, data: Given, table: Any, listed: list[int]) -> list[Cell]:
    if not listed:
        return []
    w.step("Rules", "1 where a rule fires, else 0.")
    if len(listed) < len(model.rules_):
        w.note(f"Of {len(model.rules_):,} rules {len(listed)} are shown.")
    fired = model.fired(data.table)
    found = []
    for k in listed:
        cell = table.fires(model.rules_.rules[k], f"fires_{k + 1}", k + 1)
        if cell is None:
            look: dict[str, Any] = {"symbol": f"f_{{{k + 1}}}", "label": f"rule {k + 1}"}
            cell = w.given(f"fires_{k + 1}", fired[:, k].astype(np.float64), data.row_axis, **look)
        w.check(cell, fired[:, k].astype(np.float64), "fired(X)")
        found.append(cell)
    return found


def _coverage(
    w: Working, model: Any, data: Given, rows: tuple[Cell, Cell | None], listed: list[int], fires: list[Cell]
) -> Cell:
    y, weight = rows
    w.step("Coverage and accuracy", "Rows that a rule covers, of all rows; and those of them that have its class.")
    N = w.cell("N", sum_(weight) if weight is not None else count(y), symbol="N",
               label="all rows" if weight is None else "weight of all rows")  # fmt: skip
    for k, f in zip(listed, fires, strict=True):
        rule, tag = model.rules_.rules[k], k + 1
        said = f"covered by rule {rule.name or tag}"
        c = w.cell(f"covered_{tag}", sum_(_counted(f, weight)), symbol=f"n_{{{tag}}}", label=said,
                   equals=float(sum(rule.counts)), attribute="rules_")  # fmt: skip
        right = sum_(where(equal(y, label(rule.then)), _counted(f, weight), 0))
        r = w.cell(f"right_{tag}", right, symbol=f"r_{{{tag}}}", label=f"of these {value_text(rule.then)}")
        w.cell(f"coverage_{tag}", c / N, symbol=rf"\text{{cov}}_{{{tag}}}", label="coverage",
               equals=float(model.coverage_[k]), attribute="coverage_")  # fmt: skip
        if np.isfinite(model.accuracy_[k]):
            w.cell(f"accuracy_{tag}", r / c, symbol=rf"\text{{acc}}_{{{tag}}}", label="accuracy",
                   equals=float(model.accuracy_[k]), attribute="accuracy_")  # fmt: skip
    return N


def _conflicts(w: Working, model: Any, weight: Cell | None, fires: list[Cell]) -> None:
    """Rows for which rules of several classes fire."""
    w.step("Conflicts", "Rows for which rules with different classes fire.")
    by_class: dict[Any, Expr] = {}
    for rule, f in zip(model.rules_.rules, fires, strict=True):
        by_class[rule.then] = f if rule.then not in by_class else by_class[rule.then] + f
    several = reduce(add, [where(votes > 0.5, 1, 0) for votes in by_class.values()])
    d = w.cell("classes", several, symbol="d", label="classes of the rules that fire")
    clash: Expr = where(d > 1.5, 1, 0)
    clash = clash if weight is None else where(weight > 0, clash, 0)
    w.cell("conflicts", sum_(clash), symbol=r"\text{conflicts}", label="rows in conflict",
           equals=float(model.n_conflicts_), attribute="n_conflicts_", scale=1.0)  # fmt: skip


def _default(w: Working, model: Any, data: Given, rows: tuple[Cell, Cell | None], fires: list[Cell] | None) -> None:
    y, weight = rows
    known = labels(model.classes_)
    w.step("Default", "The classes of the rows for which no rule fires.")
    c = w.given("class", known, class_axis(known), symbol="c", label="class")
    if fires is None:
        none = (~model.fired(data.table).any(axis=1)).astype(np.float64)
        left: Expr = w.given("left", none, data.row_axis, symbol="u", label="1 where no rule fires")
    elif fires:
        left = w.cell("left", reduce(mul, [1 - f for f in fires]), symbol="u", label="1 where no rule fires")
    else:
        left = expr(1)
    of_class = sum_(where(equal(y, c), _counted(left, weight), 0), data.row_axis)
    m = w.cell("m", of_class, symbol="m", label="rows left of the class",
               equals=model.decided_counts_[-1], attribute="decided_counts_")  # fmt: skip
    look: dict[str, Any] = {"symbol": r"\hat{d}"}
    if model.default is not None or model._written("RuleClassifier").default is not None:
        w.given("default", label(model.rules_.default), label="default, as it was given", **look)
    elif np.asarray(m.value).sum() > 0:
        w.cell("default", lookup(c, arg_max(m)), label="default: the most frequent of them",
               equals=label(model.rules_.default), attribute="rules_.default", **look)  # fmt: skip
    else:
        w.given("default", label(model.rules_.default), label="default: the most frequent class of all rows", **look)
