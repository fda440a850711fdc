"""Naive Bayes by kernel densities: values and widths of each class, and the kernels' sum of a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell
from pellucid.working.matrix import ColumnOf
from pellucid.working.model import Working
from pellucid.working.shown import _naive_bayes_parts as parts
from pellucid.working.shown._naive_bayes_parts import Answer, Factor


@shows("KernelDensityNB.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Naive Bayes by kernel densities: values and widths"
    w.intro = "Every value of a class carries a small bell; a rule says how wide."
    target = parts.target(w, model, data)
    for j in parts.columns_shown(w, data.names):
        widths = model.bandwidths_[:, j]
        parts.kernel_column(target, j, data.names[j], data.X[:, j], model._points_[j], widths, model.bandwidth,
                            f"bandwidths_[:, {j}]")  # fmt: skip


@shows("KernelDensityNB.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Naive Bayes by kernel densities: the product of each row"
    w.intro = "Each class's prior times its density at the row's value, column by column; a density is a sum of bells."
    joint, probabilities = model.predict_joint_log_proba(data.table), model.predict_proba(data.table)
    predicted = model.predict(data.table).tolist()
    axis = parts.class_axis(model)
    w.step("Classes", "The priors of the classes.")
    classes = parts.labels_of(w, model, axis)
    prior = w.given("prior", np.asarray(model.class_prior_), axis, symbol="P", label="prior")
    columns = parts.columns_shown(w, data.names)
    for i in parts.rows_shown(w, data):
        row_answer = Answer(w, model, f"{i + 1}", classes, prior)
        for j in columns:
            cell = kernel_factor(w, model, i, j, data.names[j], data.X[i, j], model._densities_[j], classes)
            if cell is not None:
                row_answer.factors.append(Factor(cell, data.names[j]))
        w.step(f"Row {i + 1}", "The product of the prior and the densities, and its share.")
        if len(columns) < len(data.names):
            row_answer.rest = parts.rest_of(joint[i], prior, row_answer.factors)
        row_answer.finish(joint[i], probabilities[i], predicted[i])


def kernel_factor(
    w: Working, model: Any, i: int, j: int, name: str, value: float, densities: Any, classes: Cell
) -> Cell | ColumnOf | None:
    """The density of each class at a value, with the kernels where they are few; None where the column is left out."""
    if np.isnan(value) or not densities:
        w.note(f"Row {i + 1} has no value that counts in {name}: the column is left out there.")
        return None
    w.step(f"Row {i + 1}: kernels of {name}", "The bells of each class at the row's value, added up.")
    tag = f"{i + 1}_{j + 1}"
    assert classes.axis is not None
    few = all(len(class_density.points.values) <= parts.MOST_POINTS for class_density in densities)
    if not few or len(densities) > parts.MOST_CLASSES:
        w.note(f"Densities of more than {parts.MOST_POINTS} values, or {parts.MOST_CLASSES} classes, are given.")
        heights_given = parts.densities_at(value, densities)
        return w.given(f"f_{tag}", heights_given, classes.axis, symbol=f"f_{{{j + 1}}}", label=f"density of {name}")
    x = w.given(f"x_{tag}", float(value), symbol=f"x_{{{j + 1}}}", label=name)
    heights = []
    for c, density in enumerate(densities):
        label = f"density of {parts.class_axis(model).labels[c]}"
        heights.append(parts.kernel_at(w, f"{tag}_{c + 1}", x, density, f"f_{{{j + 1},{c + 1}}}", label))
    return parts.as_column(w, f"f_{tag}", heights, classes.axis, f"f_{{{j + 1}}}", f"density of {name}")
