"""How a vote comes about: what each member says, how much it counts, and the sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import dot, equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._ensembles import (
    MOST_CLASSES,
    added,
    asked_rows,
    column,
    columns,
    fitted_again,
    plain,
    repeatable,
    winner,
)

MOST_MEMBERS = 8


@shows("VotingClassifier.fit", "VotingRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    names = [name for name, given in model.estimators if not isinstance(given, str)]
    w.title = "Voting"
    w.intro = f"{counted(len(names), 'member')}, each fitted on all rows: what they say, and what they say together."
    w.step("Data", "The rows and their target.")
    columns(w, data, list(range(len(data.row_axis))), data.row_axis)
    w.given("y", plain(data.y), data.row_axis, symbol="y", label="target")
    if data.weight is not None:
        w.given("row_weight", data.weight, data.row_axis, symbol="u", label="weight")
    shares = model._shares()
    w.step("Weights", "How much each member counts.")
    axis = Axis("member", names, "t", "T")
    v = w.given("weight", shares, axis, symbol="w", label="weight")
    whole = w.cell("all", sum_(v), symbol="W", label="all together")
    if len(names) > MOST_MEMBERS:
        w.note(f"Of {len(names)} members what they say together is shown; show_predict has each.")
    if is_classifier(model):
        _classes(w, model, data, names, shares, whole)
    else:
        _numbers(w, model, data, names, shares, whole)


def _members(w: Working, model: Any, data: Given, names: list[str]) -> list[Cell]:
    """What each member says; fitted again on these data it must say the same."""
    cells = []
    y: Any = data.y if is_classifier(model) else data.options.get("y", data.y)
    for t, (name, member) in enumerate(zip(names, model.estimators_, strict=True)):
        again = repeatable(member)
        words = "fitted again, it says of every row" if again else "what it says of every row"
        w.step(f"Member {name}", f"A {type(member).__name__}: {words}.", turn=t + 1)
        said = _said(member, data.table, data.target)
        found = _said(fitted_again(member, data, y), data.table, data.target) if again else said
        cell = w.given(f"p{t + 1}", found, data.row_axis, symbol=f"p_{t + 1}", label=f"says {name}")
        w.check(cell, said, f"named_estimators_['{name}'].predict(X)")
        cells.append(cell)
    return cells


def _said(member: Any, table: Any, target: int) -> Any:
    found = np.asarray(member.predict(table))
    return plain(found if found.ndim == 1 else found[:, target])


def _classes(w: Working, model: Any, data: Given, names: list[str], shares: Floats, whole: Cell) -> None:
    labels, hard = model.classes_, model.voting == "hard"
    told = _members(w, model, data, names) if len(names) <= MOST_MEMBERS else []
    if not told:
        _members_checked(w, model, data, names)
    if len(labels) > MOST_CLASSES:
        w.note(f"The votes for {len(labels)} classes are not shown; show_predict takes rows apart.")
        return
    found = model.votes(data.table) if hard else model.predict_proba(data.table)
    words = "The weight of the members that say each class" if hard else "The weighted mean of the probabilities"
    w.step("Vote", f"{words}; the largest wins, of equals the first.")
    parts = None if hard else model._probabilities(data.table)
    cells = []
    for k, label in enumerate(labels):
        look: dict[str, Any] = {"symbol": f"{'V' if hard else 'P'}_{k + 1}", "label": f"for {label}"}
        look |= {"equals": column(found, k), "attribute": "votes(X)" if hard else "predict_proba(X)", "scale": 1.0}
        if hard and told:
            said = plain(np.array([label]))[0]
            formula: Any = added([where(equal(p, said), float(s), 0) for p, s in zip(told, shares, strict=True)])
        elif parts is not None and told:
            q = [
                w.given(f"q{t + 1}_{k + 1}", column(parts[t], k), data.row_axis, symbol=f"q_{{{t + 1}{k + 1}}}",
                        label=f"{name}: {label}")
                for t, name in enumerate(names)
            ]  # fmt: skip
            formula = dot([float(s) for s in shares], q) / whole
        else:
            sums = column(found, k) * (1.0 if hard else float(shares.sum()))
            formula = w.given(f"sum{k + 1}", sums, data.row_axis, symbol=f"S_{k + 1}", label=f"sum for {label}")
            formula = formula / (1 if hard else whole)
        cells.append(w.cell(f"vote{k + 1}", formula, **look))
    winner(w, cells, labels, "", plain(model.predict(data.table)), "predict(X)")


def _members_checked(w: Working, model: Any, data: Given, names: list[str]) -> None:
    """Of many members one that can be fitted again stands for all."""
    w.step("Members", "What the first of them says.")
    said = _said(model.estimators_[0], data.table, data.target)
    cell = w.given("p1", said, data.row_axis, symbol="p_1", label=f"says {names[0]}")
    w.check(cell, said, f"named_estimators_['{names[0]}'].predict(X)")


def _numbers(w: Working, model: Any, data: Given, names: list[str], shares: Floats, whole: Cell) -> None:
    found = np.asarray(model.predict(data.table)).reshape(len(data.row_axis), -1)[:, data.target]
    if len(names) <= MOST_MEMBERS:
        told = _members(w, model, data, names)
        formula: Any = dot([float(s) for s in shares], told) / whole
        w.step("Mean", "Each prediction times its weight, over all weights.")
    else:
        _members_checked(w, model, data, names)
        w.step("Mean", "Each prediction times its weight, over all weights.")
        sums = w.given("sum", found * float(shares.sum()), data.row_axis, symbol="S", label="weighted sum")
        formula = sums / whole
    w.cell("prediction", formula, symbol=r"\hat{y}", label="prediction", equals=found, attribute="predict(X)",
           scale=float(np.abs(found).max(initial=0.0)))  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- predict


@shows("VotingClassifier.predict", "VotingRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    rows = asked_rows(data)
    names = [name for name, given in model.estimators if not isinstance(given, str)]
    w.title = "Voting: predictions"
    w.intro = f"What each of {counted(len(names), 'member')} says of a row, times its weight."
    part = _safe_indexing(data.table, rows)
    w.step("Rows", "What is asked about.")
    columns(w, data, rows, Axis("row", rows))
    axis = Axis("member", names, "t", "T")
    w.step("Weights", "How much each member counts.")
    v = w.given("weight", model._shares(), axis, symbol="w", label="weight")
    for place, row in enumerate(rows):
        tag = f"row{row}_" if rows.count(row) == 1 else f"row{row}_{place}_"
        if is_classifier(model):
            _row_of_classes(w, model, part, place, row, tag, axis, v)
        else:
            _row_of_numbers(w, model, part, place, row, tag, axis, v, data.target)


def _row_of_classes(w: Working, model: Any, part: Any, place: int, row: int, tag: str, axis: Axis, v: Cell) -> None:
    labels, hard = model.classes_, model.voting == "hard"
    if hard:
        says = np.eye(len(labels))[model._codes(part)[place]]
        found = model.votes(part)[place]
    else:
        says = model._probabilities(part)[:, place]
        found = model.predict_proba(part)[place]
    shown = np.sort(np.argsort(-found, kind="stable")[:MOST_CLASSES])
    words = "1 where a member says the class" if hard else "The probability that each member gives each class"
    w.step(f"Row {row}", f"{words}, and the {'sum' if hard else 'mean'} by weight.")
    if len(labels) > MOST_CLASSES:
        w.note(f"Of {len(labels)} classes the {MOST_CLASSES} with the most votes are shown.")
    p = [w.given(f"{tag}p{k + 1}", column(says, k), axis, symbol=f"p_{k + 1}", label=str(labels[k])) for k in shown]
    cells = []
    for k, said in zip(shown.tolist(), p, strict=True):
        formula = sum_(v * said) if hard else sum_(v * said) / sum_(v)
        cells.append(w.cell(f"{tag}vote{k + 1}", formula, symbol=f"{'V' if hard else 'P'}_{k + 1}",
                            label=f"for {labels[k]}", equals=float(found[k]),
                            attribute="votes(X)" if hard else "predict_proba(X)", scale=1.0))  # fmt: skip
    winner(w, cells, labels[shown], f"_{tag[:-1]}", plain(model.predict(part)[place : place + 1])[0], "predict(X)")


def _row_of_numbers(
    w: Working, model: Any, part: Any, place: int, row: int, tag: str, axis: Axis, v: Cell, target: int
) -> None:
    both = [np.asarray(m.predict(part)) for m in model.estimators_]
    says = np.array([float(found[place] if found.ndim == 1 else found[place, target]) for found in both])
    answer = np.asarray(model.predict(part))
    said = float(answer[place] if answer.ndim == 1 else answer[place, target])
    w.step(f"Row {row}", "What each member predicts, and the mean by weight.")
    p = w.given(f"{tag}p", says, axis, symbol="p", label="prediction")
    w.cell(f"{tag}prediction", sum_(v * p) / sum_(v), symbol=r"\hat{y}", label="prediction", equals=said,
           attribute="predict(X)", scale=float(np.abs(says).max()))  # fmt: skip
