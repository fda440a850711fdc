"""Bells of a shape of their own: inverse, log determinant and discriminants, of fits and of single rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import ln, lookup
from pellucid.working.matrix import Block, Grid, Inverse
from pellucid.working.model import Working
from pellucid.working.shown._discriminants import (
    MOST_COLUMNS,
    MOST_CONDITION,
    SIDE,
    Classes,
    added,
    as_found,
    asked_rows,
    begin_row,
    class_axis,
    condition,
    labels_of,
    log_determinant,
    posterior,
    row_of,
    values_of_rows,
)


def quadratic_form(inverse: Block, apart: list[Any]) -> Expr:
    """(x - m)' Q (x - m), with what stands twice written once."""
    p = len(apart)
    terms = [inverse[i, i] * apart[i] ** 2 for i in range(p)]
    terms += [2 * inverse[i, j] * apart[i] * apart[j] for i in range(p) for j in range(i + 1, p)]
    total: Expr = added(terms)
    return total


def discriminants(rows: Classes, covariances: list[Block]) -> None:
    """Inverse and log determinant of every class, and the discriminants of the rows."""
    w, M = rows.w, rows.means
    assert M is not None
    if any(float(prior.value) == 0 for prior in rows.priors):
        as_found(rows, "A class has the prior zero and never wins: the logarithm of zero is not laid out.")
        return
    if max(condition(C.value) for C in covariances) > MOST_CONDITION:
        as_found(rows, "Columns nearly depend on each other: inverses are not laid out.")
        return
    D = []
    axis = rows.data.column_axis
    for k, C in enumerate(covariances):
        name = str(rows.model.classes_[k])
        w.step(f"Class {name}: its bell", "The inverse of its covariance, and the logarithm of the determinant.")
        Q = w.block(f"inverse_{k + 1}", Inverse(C), axis, axis, symbol=f"Q_{{{k + 1}}}", label="inverse")
        log = log_determinant(w, C, f"log_determinant_{k + 1}", rf"\ell_{{{k + 1}}}", "ln of the determinant")
        w.step(f"Class {name}: distances", "How far each row lies from its mean, measured by the inverse.")
        apart = [
            w.cell(f"e_{k + 1}_{j + 1}", x - M[k, j], symbol=f"e_{{{k + 1},{j + 1}}}",
                   label=f"{rows.data.names[j]} less the mean")
            for j, x in enumerate(rows.x)
        ]  # fmt: skip
        q = w.cell(f"q_{k + 1}", quadratic_form(Q, apart), symbol=f"q_{{{k + 1}}}", label="squared distance")
        D.append(ln(rows.priors[k]) - log / 2 - q / 2)
    w.step("Discriminants", "ln of the prior less half of the log determinant less half of the squared distance.")
    values_of_rows(rows, D)


def predictions(w: Working, model: Any, data: Given, covariances: Floats) -> None:
    """Distances, discriminants and probabilities of single rows."""
    axis = class_axis(model)
    K, p = model.means_.shape
    w.step("Model", "Means and priors of the classes.")
    labels = labels_of(w, model, axis)
    M = w.block("means", model.means_, axis, data.column_axis, symbol="M", label="means")
    short = p <= MOST_COLUMNS and max(condition(C) for C in covariances) <= MOST_CONDITION
    if not short or not (model.priors_ > 0).all():
        _as_found(w, model, data, labels)
        return
    P = w.given("prior", model.priors_, axis, symbol="P", label="prior")
    inverses, logs = [], []
    for k in range(K):
        w.step(f"Class {model.classes_[k]}", "Its covariance, the inverse, and the logarithm of the determinant.")
        C = w.block(f"covariance_{k + 1}", covariances[k], data.column_axis, data.column_axis, symbol=f"S_{{{k + 1}}}",
                    label="covariance")  # fmt: skip
        inverses.append(w.block(f"inverse_{k + 1}", Inverse(C), data.column_axis, data.column_axis,
                                symbol=f"Q_{{{k + 1}}}", label="inverse"))  # fmt: skip
        logs.append(log_determinant(w, C, f"log_determinant_{k + 1}", rf"\ell_{{{k + 1}}}", "ln of the determinant"))
    rows = asked_rows(w, data)
    for row in rows:
        x = begin_row(w, data, row, row == rows[0])
        _row(w, model, data, row, x, (labels, M, P, inverses, logs))


def _row(w: Working, model: Any, data: Given, row: int, x: Cell, parameters: Any) -> None:
    labels, M, P, inverses, logs = parameters
    K, p = model.means_.shape
    values = [lookup(x, j + 1) for j in range(p)]
    forms = [quadratic_form(inverses[k], [values[j] - M[k, j] for j in range(p)]) for k in range(K)]
    axis = labels.axis
    q = w.block(f"q_{row}", Grid([[form] for form in forms], axis, SIDE), symbol=f"q_{{{row}}}",
                label="squared distance from each class")  # fmt: skip
    table = Grid([[log] for log in logs], axis, SIDE)
    name = f"logs_{row}"
    half = w.block(name, table, symbol=rf"\ell_{{{row}}}", label="ln of the determinants")
    D = ln(P) - half.column(0, r"\ell") / 2 - q.column(0, "q") / 2
    posterior(w, model, data, row, D, labels, float(np.abs(q.value).max()))


def _as_found(w: Working, model: Any, data: Given, labels: Cell) -> None:
    """So many columns that inverses could not be read: the discriminants as found, and what follows from them."""
    w.note(f"{model.means_.shape[1]} columns: covariances and inverses are not laid out.")
    rows = asked_rows(w, data)
    for row in rows:
        begin_row(w, data, row, row == rows[0])
        values = np.asarray(model.discriminant_values(row_of(data, row)), dtype=np.float64)[0]
        assert labels.axis is not None
        discriminants = w.given(f"found_{row}", np.maximum(values, -1e300), labels.axis, symbol=f"f_{{{row}}}",
                                label="discriminant, as found")  # fmt: skip
        posterior(w, model, data, row, discriminants + 0, labels)
