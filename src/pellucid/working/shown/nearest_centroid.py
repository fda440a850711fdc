"""Class centers column by column, their shrinking, and the nearest one for new rows."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import format_message
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, WorkingError
from pellucid.working.language import (
    absolute,
    arg_max,
    arg_min,
    count,
    equal,
    exp,
    ln,
    lookup,
    median,
    sign,
    sqrt,
    sum_,
    where,
)
from pellucid.working.model import Working

MOST_COLUMNS = 8
MOST_ASKED = 5
MOST_WIDE = 12
LARGEST = 1e100


@shows("NearestCentroid.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    middle = "mean" if model.metric == "euclidean" else "median"
    w.title = "Class centers"
    w.intro = f"Of each class the {middle} of its rows, column by column" + (
        "." if not model.shrink_threshold else ", drawn toward the mean of all rows."
    )
    X, n, k = data.X, len(data.X), len(model.classes_)
    if set(model.classes_.tolist()) - set(np.asarray(data.y).tolist()):
        requirement, actual = "the working needs the data of the fit", "fitted on these, the model has another classes_"
        raise WorkingError(
            format_message(
                type(model).__name__, requirement, actual=actual, hint="pass the X and y that the model was fitted on"
            )
        )
    w.step("Data", "The rows and their classes.")
    n_shown = min(X.shape[1], MOST_COLUMNS)
    x = [
        w.given(f"x_{j + 1}", X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(n_shown)
    ]
    labels = np.asarray(data.y)
    y = w.given("y", _plain(labels), data.row_axis, symbol="y", label="class")
    if X.shape[1] > MOST_COLUMNS:
        w.note(f"The last {counted(X.shape[1] - MOST_COLUMNS, 'column')} are not shown.")
    w.step("Classes", "How many rows each class has, and how probable it is beforehand.")
    kinds = Axis("class", [str(label) for label in model.classes_.tolist()], "k", "K")
    c = w.given("class", _plain(model.classes_), kinds, symbol="c", label="class")
    size = w.cell("size", sum_(where(equal(y, c), 1, 0), data.row_axis), symbol="n", label="rows")
    _prior(w, model, size, kinds)
    m = w.cell("m", sqrt(1 / size - 1 / sum_(size)), symbol="m", label="factor of a center's error")
    if np.abs(X).max(initial=0.0) >= LARGEST:
        w.note("Squares of these numbers are beyond all numbers: the columns are not laid out.")
        return
    raw = [_column(w, model, data, j, (x[j], y, c, size), labels, kinds) for j in range(n_shown)]
    if X.shape[1] > MOST_COLUMNS or n == k:
        w.note("Deviations need the spread of all columns, with more rows than classes: they are not laid out.")
        return
    _shrink(w, model, data, raw, m, n)


def _plain(labels: Any) -> Any:
    return labels if labels.dtype.kind in "OUT" else labels.astype(np.float64)


def _prior(w: Working, model: Any, size: Cell, kinds: Axis) -> None:
    if isinstance(model.priors, str):
        formula: Expr = size / sum_(size) if model.priors == "empirical" else 1 / count(size)
    else:
        prior_weights = w.given(
            "priors", np.asarray(model.priors, dtype=np.float64), kinds, symbol=r"\pi", label="as given"
        )
        formula = prior_weights / sum_(prior_weights)
    w.cell("prior", formula, symbol="p", label="probability", equals=model.class_prior_, attribute="class_prior_",
           tolerance=1e-7)  # fmt: skip


def _column(
    w: Working, model: Any, data: Given, j: int, cells: tuple[Cell, ...], labels: Any, kinds: Axis
) -> tuple[Cell, Cell, Cell]:
    """Centers of the classes in one column, the mean of all rows, and the spread within classes."""
    x, y, c, size = cells
    n, k, name = len(data.X), len(kinds), data.names[j]
    scale = float(np.abs(data.X[:, j]).max())
    same: dict[str, Any] = (
        {} if model.shrink_threshold else {"equals": model.centroids_[:, j], "attribute": f"centroids_[:, {j}]"}
    )
    if model.metric == "euclidean":
        w.step(
            f"Column {name}", "The mean of each class, the mean of all rows, and the spread around the classes' means."
        )
        sums = w.cell(f"sum_{j + 1}", sum_(where(equal(y, c), x, 0), data.row_axis), symbol="S", label="sum")
        center = w.cell(f"center_{j + 1}", sums / size, symbol=r"\bar{x}", label="center", scale=scale, **same)
    else:
        w.step(f"Column {name}", "The median of each class, the mean of all rows, and the spread around the medians.")
        medians = []
        for g, label in enumerate(model.classes_.tolist()):
            rows = np.flatnonzero(labels == label)
            axis = Axis("row", (rows + 1).tolist(), "i", "n")
            own = w.given(
                f"x_{j + 1}_{g + 1}", data.X[rows, j], axis, symbol=f"x_{{{g + 1}}}", label=f"{name} of {label}"
            )
            medians.append(
                w.cell(
                    f"median_{j + 1}_{g + 1}",
                    median(own),
                    symbol=rf"\tilde{{x}}_{{{g + 1}}}",
                    label=f"median of {label}",
                )
            )
        number = w.given(f"number_{j + 1}", np.arange(1.0, k + 1), kinds, symbol="k", label="class number")
        formula: Expr = medians[-1]
        for g in range(k - 1, 0, -1):
            formula = where(equal(number, g), medians[g - 1], formula)
        center = w.cell(f"center_{j + 1}", formula, symbol=r"\bar{x}", label="center", scale=scale, **same)
    overall = w.cell(f"mean_{j + 1}", sum_(x) / count(x), symbol=r"\bar{m}", label="mean of all rows")
    own = w.cell(f"own_{j + 1}", sum_(where(equal(y, c), center, 0), kinds), symbol="o", label="center of its class")
    free = float(n - k)
    spread = sum_((x - own) ** 2) / free if free else 0 * overall
    within = w.cell(
        f"within_{j + 1}", sqrt(spread), symbol=f"s_{{{j + 1}}}", label="spread within classes",
        equals=float(model.within_class_std_dev_[j]), attribute=f"within_class_std_dev_[{j}]", scale=scale,
        tolerance=1e-7,
    )  # fmt: skip
    return center, overall, within


def _shrink(w: Working, model: Any, data: Given, raw: list[tuple[Cell, Cell, Cell]], m: Cell, n: int) -> None:
    """Deviations in units of a center's error; and what is left of them."""
    w.step("Middle spread", "The median of the columns' spreads keeps columns with hardly any from counting too much.")
    axis = data.column_axis
    number = w.given("column", np.arange(1.0, len(raw) + 1), axis, symbol="j", label="column")
    formula: Expr = raw[-1][2] if len(raw) > 1 else raw[0][2] * number
    for j in range(len(raw) - 1, 0, -1):
        formula = where(equal(number, j), raw[j - 1][2], formula)
    s = w.cell("s", formula, symbol="s", label="spread")
    s0 = w.cell("s0", median(s), symbol="s_0", label="their median")
    threshold = None
    if model.shrink_threshold:
        threshold = w.given("threshold", float(model.shrink_threshold), symbol=r"\Delta", label="shrink_threshold")
    for j, (center, overall, within) in enumerate(raw):
        w.step(
            f"Deviations of {data.names[j]}",
            "How far each center lies from the mean of all rows, in units of its error.",
        )
        error = w.cell(f"error_{j + 1}", m * (within + s0), symbol="e", label="error of a center")
        if not np.all(np.asarray(error.value) > 0):
            w.note(f"Column {data.names[j]} has no spread: its deviations are not numbers, and its centers stay.")
            continue
        scale = float(np.abs(data.X[:, j]).max() / np.asarray(error.value).min())
        tie: dict[str, Any] = {"equals": model.deviations_[:, j], "attribute": f"deviations_[:, {j}]", "scale": scale}
        d = w.cell(
            f"d_{j + 1}", (center - overall) / error, symbol="d", label="deviation", **({} if threshold else tie)
        )
        if threshold is None:
            continue
        shrunk_deviation = where(absolute(d) > threshold, sign(d) * (absolute(d) - threshold), 0)
        shrunk = w.cell(f"kept_{j + 1}", shrunk_deviation, symbol="d'", label="what is left of it", **tie)
        w.cell(f"centroid_{j + 1}", overall + error * shrunk, symbol="c", label="center, shrunk",
               equals=model.centroids_[:, j], attribute=f"centroids_[:, {j}]",
               scale=float(np.abs(data.X[:, j]).max()))  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- predict


@shows("NearestCentroid.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    equal_priors = bool(np.isclose(model.class_prior_, 1 / len(model.class_prior_)).all())
    w.title = "The nearest class center"
    w.intro = (
        "The distance to every center; the smallest tells the class."
        if equal_priors
        else "A score of every class: minus its squared distance, in units of the spread, plus what its prior adds."
    )
    X, p = data.X, data.X.shape[1]
    kinds = Axis("class", [str(label) for label in model.classes_.tolist()], "k", "K")
    w.step("Centers", "Of the classes.")
    c = w.given("class", _plain(model.classes_), kinds, symbol="l", label="class")
    centers = [
        w.given(f"c_{j + 1}", model.centroids_[:, j], kinds, symbol=f"c_{{{j + 1}}}", label=data.names[j])
        for j in range(min(p, MOST_WIDE))
    ]
    predicted = np.asarray(model.predict(data.table))
    rows = data.rows[:40] if data.rows else list(range(min(len(X), MOST_ASKED)))
    if p > MOST_WIDE or max(np.abs(X).max(), np.abs(model.centroids_).max()) >= LARGEST:
        w.note(f"Distances over more than {MOST_WIDE} columns, or of very large numbers, are not laid out.")
        axis = Axis("row", rows)
        w.given("prediction", _plain(predicted[rows]), axis, symbol=r"\hat{y}", label="predicted class")
        return
    prior = w.given("prior", model.class_prior_, kinds, symbol="p", label="prior") if not equal_priors else None
    spread = []
    if not equal_priors:
        spread = [w.given(f"s_{j + 1}", float(s) or 1.0, symbol=f"s_{{{j + 1}}}", label=f"spread of {data.names[j]}")
                  for j, s in enumerate(model.within_class_std_dev_)]  # fmt: skip
    for i in rows:
        _ask(w, model, data, i, predicted[i], (c, centers, prior, spread))


def _ask(w: Working, model: Any, data: Given, i: int, predicted: Any, cells: tuple[Any, ...]) -> None:
    c, centers, prior, spread = cells
    w.step(f"Row {i}", f"Row {i}, counted from 0, against every center.")
    x = [w.given(f"x_{j + 1}_{i}", float(data.X[i, j]), symbol=f"x_{{{j + 1}}}", label=data.names[j])
         for j in range(len(centers))]  # fmt: skip
    apart = [x[j] - centers[j] for j in range(len(centers))]
    if spread:
        apart = [difference / s for difference, s in zip(apart, spread, strict=True)]
    terms = [difference**2 if model.metric == "euclidean" else absolute(difference) for difference in apart]
    tie: dict[str, Any] = {
        "equals": predicted if model.classes_.dtype.kind in "OUT" else float(predicted),
        "attribute": "predict(X)",
    }
    if prior is None:
        formula = sqrt(reduce(add, terms)) if model.metric == "euclidean" else reduce(add, terms)
        d = w.cell(f"d_{i}", formula, symbol="d", label="distance")
        b = w.cell(f"nearest_{i}", arg_min(d), symbol="b", label="nearest center")
        w.cell(f"class_{i}", lookup(c, b), symbol=r"\hat{y}", label="predicted class", **tie)
        return
    square = reduce(add, terms) if model.metric == "euclidean" else reduce(add, terms) ** 2
    q = w.cell(f"q_{i}", square, symbol="q", label="squared distance")
    if not np.all(np.asarray(prior.value) > 0):
        w.note("A class with a prior of zero is never predicted; its score is not laid out.")
        return
    z = w.cell(f"score_{i}", 2 * ln(prior) - q, symbol="z", label="score")
    if model.metric == "euclidean" and float(np.ptp(np.asarray(z.value))) < 600:
        top = w.cell(f"top_{i}", lookup(z, arg_max(z)), symbol="t", label="largest")
        e = w.cell(f"e_{i}", exp(z - top), symbol="e", label="of the score")
        probability = model._scores(model._validate_predict(data.table))[i]
        probabilities = np.exp(probability - probability.max())
        w.cell(f"p_{i}", e / sum_(e), symbol="P", label="probability", equals=probabilities / probabilities.sum(),
               attribute="predict_proba(X)", tolerance=1e-6)  # fmt: skip
    b = w.cell(f"best_{i}", arg_max(z), symbol="b", label="largest score")
    w.cell(f"class_{i}", lookup(c, b), symbol=r"\hat{y}", label="predicted class", **tie)
