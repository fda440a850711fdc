"""Naive Bayes of counts: frequency tables, smoothing, and rows with their present columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import ln
from pellucid.working.model import Working
from pellucid.working.shown._naive_bayes import MOST_COLUMNS, Classes, Found, Rows, narrow, sum_of, wide


@dataclass
class Smoothing:
    """What is added to the count of a column, and under the m-estimate to the total."""

    model: Any
    added: list[Expr]  # of each column that is shown
    m: Cell | None

    @property
    def words(self) -> str:
        if self.m is not None:
            return "m times the prior chance is added to each count, and m to the total"
        if all(a.value == 0 for a in self.added):
            return "nothing is added"
        return "alpha is added to each count"


def smoothing(w: Working, model: Any, columns: list[int], p: int, share: float) -> Smoothing:
    """The setting as cells: alpha for all or for each column, or m with the columns' prior chances."""
    w.step("Smoothing", "What is added to the counts, so that nothing is impossible only because it was not seen.")
    if model.m is not None:
        m = w.given("m", float(model.m), symbol="m", label="how many observations the prior counts for")
        prior = np.broadcast_to(np.asarray(share if model.p is None else model.p, dtype=np.float64), p)
        if model.p is None or np.ndim(model.p) == 0:
            q = w.given("q", float(prior[0]), symbol="q", label="prior chance of a column")
            return Smoothing(model, [m * q for _ in columns], m)
        priors = [
            w.given(f"q_{j + 1}", float(prior[j]), symbol=f"q_{{{j + 1}}}", label="prior chance") for j in columns
        ]
        return Smoothing(model, [m * q for q in priors], m)
    alpha = np.broadcast_to(np.asarray(model.alpha, dtype=np.float64), p)
    if not model.force_alpha:
        alpha = np.maximum(alpha, 1e-10)
    if np.ndim(model.alpha) == 0:
        a = w.given("alpha", float(alpha[0]), symbol=r"\alpha", label="alpha")
        return Smoothing(model, [a for _ in columns], None)
    each = [w.given(f"alpha_{j + 1}", float(alpha[j]), symbol=rf"\alpha_{{{j + 1}}}", label="alpha") for j in columns]
    return Smoothing(model, list(each), None)


def frequencies(rows: Rows, k: Classes, columns: list[int], x: list[Cell]) -> list[Cell]:
    """How much of each column each class has."""
    w, model, names = rows.w, k.model, rows.data.names
    w.step("Frequency table", "The sum of each column over the rows of each class.")
    return [
        w.cell(
            f"count_{j + 1}",
            rows.in_class(k.label, x[i]),
            symbol=f"N_{{{j + 1}}}",
            label=f"{names[j]}",
            equals=model.feature_count_[k.places, j],
            attribute=f"feature_count_[:, {j}]",
        )
        for i, j in enumerate(columns)
    ]


def of_all(w: Working, k: Classes, name: str, cells: list[Cell], values: Floats, label: str) -> Cell:
    """The sum over all columns: of those shown, or where there are more of them, as it is."""
    if len(cells) == values.shape[1]:
        return w.cell(name, sum_of(cells), symbol="T", label=label)
    return w.given(name, values.sum(axis=1), k.axis, symbol="T", label=f"{label}, all columns")


def many(w: Working, model: Any, columns: list[int], p: int, share: float) -> float:
    """What smoothing adds to the total of all columns, where only some are shown."""
    if model.m is not None:
        return float(model.m)
    alpha = np.broadcast_to(np.asarray(model.alpha, dtype=np.float64), p)
    return float((alpha if model.force_alpha else np.maximum(alpha, 1e-10)).sum())


def likelihoods(w: Working, k: Classes, columns: list[int], probabilities: list[Expr], names: list[str]) -> None:
    """The likelihood table, a column after the other, and its logarithms."""
    table = [
        w.cell(f"likelihood_{j + 1}", p, symbol=f"P_{{{j + 1}}}", label=f"P({names[j]} | class)",
               equals=np.exp(k.of(k.model.feature_log_prob_)[:, j]), attribute=f"exp(feature_log_prob_[:, {j}])")
        for j, p in zip(columns, probabilities, strict=True)
    ]  # fmt: skip
    _logarithms(w, k, columns, table, names)


def _logarithms(w: Working, k: Classes, columns: list[int], probabilities: list[Cell], names: list[str]) -> None:
    """ln of the likelihood table, where nothing is impossible."""
    if any(np.asarray(p.value).min() <= 0 for p in probabilities):
        w.note("A chance of zero has no logarithm; rows that have such a column rule the class out.")
        return
    w.step("Logarithms", "Of the likelihood table: what predictions add up.")
    for j, p in zip(columns, probabilities, strict=True):
        w.cell(f"log_{j + 1}", ln(p), symbol=f"l_{{{j + 1}}}", label=f"ln P({names[j]} | class)",
               equals=k.of(k.model.feature_log_prob_)[:, j], attribute=f"feature_log_prob_[:, {j}]")  # fmt: skip


def drawn_rows(k: Classes, data: Given, joint: Found, table: Floats, words: str, of_prior: bool = True) -> None:
    """Rows of counts: each column that is there is a factor, raised to how often it is there.

    table: logarithms of the factors, classes x columns.
    """
    w = k.w
    for at, row in enumerate(joint.rows):
        there = np.flatnonzero(data.X[row])
        tag = row + 1
        if len(there) > MOST_COLUMNS:
            _below(k, data, joint, at, table)
            continue
        w.step(f"Row {tag}: likelihoods", words)
        for j in there:
            w.given(f"x_{tag}_{j + 1}", data.X[row, j], symbol=f"x_{{{j + 1}}}", label=data.names[j])
        with np.errstate(over="ignore"):
            factors = [w.given(f"likelihood_{tag}_{j + 1}", np.exp(table[:, j]), k.axis, symbol=f"P_{{{j + 1}}}",
                               label=f"P({data.names[j]} | class)") for j in there]  # fmt: skip
        narrow(k, joint, at, factors, data.X[row, there].tolist())


def _below(k: Classes, data: Given, joint: Found, at: int, table: Floats) -> None:
    w, row = k.w, joint.rows[at]
    there = np.flatnonzero(data.X[row])
    axis = Axis("column", [data.names[j] for j in there], "j", "p")
    w.step(f"Row {row + 1}", "The columns that the row has, and how often.")
    x = w.given(f"row_{row + 1}", data.X[row, there], axis, symbol="x", label="count")

    def terms(c: int, mark: str) -> tuple[Expr, float]:
        logs = w.given(f"l_{mark}", table[c, there], axis, symbol="l", label="ln of the chance in the class")
        return x * logs, float(k.model.class_log_prior_[k.places[c]])

    wide(k, joint, at, terms)
