"""How a codebook is learned: row by row, who is nearest and where it moves; and what it says of new rows."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import format_message
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, Reduce, WorkingError, expr
from pellucid.working.language import arg_min, equal, lookup, mean, nth_smallest, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._codebook_walk import Walk, least_of, rounded, walk_along
from pellucid.working.shown._kept_rows import class_numbers

MOST_UPDATES = 60
MOST_VECTORS = 8
MOST_COLUMNS = 4
MOST_WIDE = 12  # columns of a distance that is written out
MOST_ASKED = 5
MOST_LISTED = 500
LARGEST = 1e100


@shows("LVQClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    if not np.array_equal(np.unique(np.asarray(data.y)), model.classes_):
        requirement, actual = (
            "the working needs the data of the fit",
            "of these labels the model would have another classes_",
        )
        raise WorkingError(
            format_message(
                type(model).__name__, requirement, actual=actual, hint="pass the X, y and sample_weight of the fit"
            )
        )
    updates, _ = _tables(data)
    w.title = f"Learning vector quantization: {model.variant.upper()}"
    then = f", then {counted(_second(model), 'epoch')} of {model.second_variant.upper()}" if _second(model) else ""
    w.intro = (
        f"{counted(len(model.codebook_), 'vector')} with classes, moved by {counted(len(data.X), 'row')} in "
        f"{counted(model.n_iter_ - _second(model), 'epoch')}{then}."
    )
    x, y, c, start = _data(w, model, data)
    _first_row(w, model, data, updates, start)
    _rates(w, model, data)
    walks = _walks(w, model, data, x, y, c)
    _end(w, model, data, walks, x, y, c)


def _second(model: Any) -> int:
    """Epochs of the second phase that were made."""
    return 0 if model.second_variant is None else max(0, int(model.n_iter_) - model.max_iter)


def _tables(data: Given) -> tuple[dict[str, Floats], list[str]]:
    columns, rows = data.record["updates"]
    return {name: rows[:, k] for k, name in enumerate(columns)}, list(columns)


def _numbers(model: Any, labels: Array) -> Array:
    """Labels as numbers: themselves, or their place among the classes from 1 on."""
    if model.classes_.dtype.kind in "biuf":
        return labels.astype(np.float64)
    return np.searchsorted(model.classes_, labels).astype(np.float64) + 1


def _small(model: Any, data: Given) -> bool:
    m, p = model.codebook_.shape
    size = max(np.abs(data.X).max(initial=0.0), np.abs(model.codebook_).max())
    return bool(m <= MOST_VECTORS and p <= MOST_COLUMNS and size < LARGEST)


def _data(w: Working, model: Any, data: Given) -> tuple[list[Cell], Cell, Cell, list[Cell]]:
    w.step("Data", f"The rows and their classes{class_numbers(model)}.")
    labels = np.asarray(data.y)
    p = data.X.shape[1]
    x = [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(min(p, MOST_WIDE))
    ]
    y = w.given("class", _numbers(model, labels), data.row_axis, symbol="y", label="class")
    if data.weight is not None:
        w.given("weight", data.weight, data.row_axis, symbol="u", label="weight")
    if p > MOST_WIDE:
        w.note(f"The last {counted(p - MOST_WIDE, 'column')} are not shown.")
    w.step("Codebook", f"The vectors at the start ({_where_from(model)}) and their classes.")
    axis = Axis("vector", range(1, len(model.codebook_) + 1), "v", "m")
    start = [
        w.given(f"start_{j + 1}", model.initial_codebook_[:, j], axis, symbol=f"w_{{{j + 1}}}", label=data.names[j])
        for j in range(min(p, MOST_WIDE))
    ]
    c = w.given("vector_class", _numbers(model, model.codebook_labels_), axis, symbol="c", label="class")
    return x, y, c, start


def _where_from(model: Any) -> str:
    if not isinstance(model.init, str):
        return "as given"
    return {
        "rows": "rows of their class",
        "means": "means of their class or of parts of it",
        "range": "random places within the columns' ranges",
        "mixed": "numbers from the columns, mixed",
    }[model.init]


def _first_row(w: Working, model: Any, data: Given, updates: dict[str, Floats], start: list[Cell]) -> None:
    """The first visited row against the whole codebook."""
    p = data.X.shape[1]
    if p > MOST_WIDE or not len(updates["row"]) or np.abs(data.X).max() >= LARGEST:
        return
    i = int(updates["row"][0])
    w.step("First row", f"Row {i + 1}, the first that comes, against every vector: the nearest one is the best match.")
    coordinates = [
        w.given(f"first_{j + 1}", float(data.X[i, j]), symbol=f"r_{{{j + 1}}}", label=data.names[j]) for j in range(p)
    ]
    squares = [w.cell(f"q_{j + 1}", (coordinates[j] - start[j]) ** 2, symbol=f"q_{{{j + 1}}}",
                      label=f"squared difference of {data.names[j]}") for j in range(p)]  # fmt: skip
    s = w.cell("q", reduce(add, squares), symbol="q", label="sum")
    d = w.cell("d", sqrt(s), symbol="d", label="distance")
    if model.variant != "glvq":
        w.cell("best", arg_min(d), symbol="b", label="nearest vector")


def _rates(w: Working, model: Any, data: Given) -> None:
    columns, rows = data.record["epochs"]
    table = {name: rows[:, k] for k, name in enumerate(columns[:3])}
    epochs_shown = [k for k, e in enumerate(table["epoch"]) if e < min(model.max_iter, model.n_iter_)][:MOST_LISTED]
    axis = Axis("epoch", [int(table["epoch"][k]) + 1 for k in epochs_shown], "e", "E")
    w.step("Epochs", _schedule(model))
    a0 = w.given("learning_rate", float(model.learning_rate), symbol=r"\alpha", label="rate at the start")
    e = w.given("epoch", table["epoch"][epochs_shown], axis, symbol="e", label="epochs made before")
    formula: Expr = a0 + 0 * e
    if model.decay != "constant" and model.variant != "olvq1":
        formula = a0 * (1 - e / float(model.max_iter))
    if model.variant == "olvq1":
        w.note("In OLVQ1 every vector has a rate of its own.")
    else:
        w.cell("rate", formula, symbol="a", label="rate at its start", equals=table["rate"][epochs_shown],
               attribute="fit_with_history: rate")  # fmt: skip
    mistakes = w.given(
        "mistakes", table["mistakes"][epochs_shown], axis, symbol="k", label="rows nearest to another class"
    )
    w.check(mistakes, model.mistakes_[[int(table["epoch"][k]) for k in epochs_shown]], "mistakes_")


def _schedule(model: Any) -> str:
    if model.variant == "olvq1":
        return "Passes over all rows; every vector's own rate begins at the same number."
    return {
        "linear": "Passes over all rows; the rate falls from epoch to epoch.",
        "per_update": "Passes over all rows; the rate falls from row to row.",
        "constant": "Passes over all rows; the rate stays.",
    }[model.decay]


# -------------------------------------------------------------------------------------------------------------- updates


def _walks(w: Working, model: Any, data: Given, x: list[Cell], y: Cell, c: Cell) -> list[Walk]:
    updates, _ = _tables(data)
    n_updates = int(updates["update"][-1]) + 1 if len(updates["update"]) else 0
    if not _small(model, data):
        _listed(w, model, data, updates, n_updates)
        return []
    n = len(data.X)
    every = n * model.n_iter_ <= MOST_UPDATES and _second(model) == 0
    epochs = [0] if model.n_iter_ == 1 else [0, model.n_iter_ - 1]
    if every:
        segments = [("", "Updates", np.arange(len(updates["update"])), model.initial_codebook_, 0)]
    else:
        segments = _epochs(model, data, updates, epochs)
    walks = []
    for tag, title, indices, start, epoch in segments:
        walks.append(
            _walk(w, model, data, (tag, title, {k: v[indices] for k, v in updates.items()}, start, epoch), x, y, c)
        )
    n_shown = sum(len(walk.t) for walk in walks)
    if n_shown < n_updates and n * model.n_iter_ != n_shown:
        w.note(
            f"Of {n_updates:,} updates {n_shown:,} are laid out: "
            f"the start{' and the last epoch' if len(walks) > 1 else ''}."
        )
    return walks


def _epochs(model: Any, data: Given, updates: dict[str, Floats], epochs: list[int]) -> list[tuple[Any, ...]]:
    """The first epoch, or the beginning of it, and the last one where it is short and recorded."""
    columns, rows = data.record["epochs"]
    m, p = model.codebook_.shape
    segments: list[tuple[Any, ...]] = []
    for epoch in epochs:
        indices = np.flatnonzero(updates["epoch"] == epoch)
        if epoch == 0:
            title = "Updates" if model.n_iter_ == 1 else "Updates of the first epoch"
            segments.append(("", title, indices[:MOST_UPDATES], model.initial_codebook_, 0))
            continue
        before = np.flatnonzero(rows[:, 0] == epoch - 1)
        is_complete = len(indices) and (data.weight is not None or len(indices) == len(data.X))
        if len(indices) <= MOST_UPDATES and len(before) and is_complete:
            start = rows[before[0], len(columns) - m * p :].reshape(m, p)
            segments.append(("last_", "Updates of the last epoch", indices, start, epoch))
    return segments


def _walk(w: Working, model: Any, data: Given, segment: tuple[Any, ...], x: list[Cell], y: Cell, c: Cell) -> Walk:
    tag, title, updates, start, epoch = segment
    second = epoch >= model.max_iter
    variant = model.second_variant if second else model.variant
    w.step(title, _rule(variant))
    rate: Expr | None = None
    if variant == "olvq1":
        if epoch == 0:
            rate = w.given(f"{tag}a", float(model.learning_rate), symbol="a_0", label="rate of each vector at first")
    elif len(set(updates["rate"].tolist())) == 1:
        rate = w.given(f"{tag}a", float(updates["rate"][0]), symbol="a", label="rate")
    settings = {name: float(getattr(model, name)) for name in ("window", "epsilon", "steepness")}
    table = data.X
    settings["spread"] = float(((table - table.mean(axis=0)) ** 2).sum() / len(table)) or 1.0
    codes = np.searchsorted(model.classes_, np.asarray(data.y))
    box = model._box_
    settings.update(rounded(start, updates, table, codes, model._labels_, variant, box))
    if settings["held"]:
        w.note(
            "A vector that is pushed away is held within a box around the rows: none of its numbers passes its ends."
        )
    weight_cell = w.cells.get("weight")
    weight = weight_cell if isinstance(weight_cell, Cell) else None
    walk = Walk(
        w, tag, data.names, variant, updates, start, x, y, c, weight, rate, settings, box if settings["held"] else None
    )
    walk_along(walk)
    return walk


def _rule(variant: str) -> str:
    return {
        "lvq1": "The nearest vector moves: toward a row of its class, away from any other.",
        "olvq1": "The nearest vector moves by its own rate, which falls when it was right and rises when it was wrong.",
        "lvq2.1": "The two nearest move if one has the row's class, the other has not, and the row lies in the window.",
        "lvq3": "The two nearest move as in LVQ2.1; both toward the row, by part of the rate, if both have its class.",
        "glvq": "The nearest vector of the row's class moves toward it, the nearest of another class away from it.",
    }[variant]


def _listed(w: Working, model: Any, data: Given, updates: dict[str, Floats], n_updates: int) -> None:
    """Updates of a codebook that is too large to be laid out."""
    m, p = model.codebook_.shape
    few = {k: v[:MOST_UPDATES] for k, v in updates.items()}
    w.note(
        f"Updates are laid out with all distances for up to {MOST_VECTORS} vectors and {MOST_COLUMNS} columns; here "
        f"are {m} and {p}: of the first {counted(len(few['row']), 'update')} who moved is told."
    )
    w.step("Updates", _rule(model.variant))
    t = Axis("update", [int(u) + 1 for u in few["update"]], "t", "T", raised=True)
    w.given("row", few["row"] + 1, t, symbol="r", label="row")
    classes = w.given("y", _numbers(model, model.classes_)[few["class"].astype(int)], t, symbol="y", label="its class")
    b = w.given("winner", few["first"] + 1, t, symbol="b", label="vector that moves")
    w.given("winner_distance", few["first_distance"], t, symbol="d", label="its distance")
    a = w.given("a", few["rate"], t, symbol="a", label="rate")
    if model.variant in ("lvq1", "olvq1") and data.weight is None:
        c = w.cells["vector_class"]
        assert isinstance(c, Cell)
        w.cell("step", where(equal(lookup(c, b), classes), a, -a), symbol="s", label="step: + toward the row, − away",
               equals=few["first_step"], attribute="fit_with_history: first_step")  # fmt: skip
        return
    w.given("step", few["first_step"], t, symbol="s_1", label="its step")
    if (few["second"] >= 0).any():
        w.given("second", few["second"] + 1, t, symbol="e", label="second vector")
        w.given("second_step", few["second_step"], t, symbol="s_2", label="its step")


def _end(w: Working, model: Any, data: Given, walks: list[Walk], x: list[Cell], y: Cell, c: Cell) -> None:
    """The codebook that is left, and what it says of the rows."""
    m, p = model.codebook_.shape
    size = float(np.abs(data.X).max(initial=0.0))
    last = bool(walks) and int(walks[-1].updates["update"][-1]) == int(_tables(data)[0]["update"][-1])
    w.step("Codebook in the end", "Where the vectors stand after the last update.")
    if not last:
        axis = c.axis
        for j in range(min(p, MOST_WIDE)):
            cell = w.given(f"end_{j + 1}", model.codebook_[:, j], axis, symbol=f"w_{{{j + 1}}}", label=data.names[j])
            w.check(cell, model.codebook_[:, j], "codebook_")
        return
    end = walks[-1].end
    vectors = [
        [w.cell(f"end_{v + 1}_{j + 1}", end[v][j], symbol=rf"\hat{{w}}_{{{v + 1},{j + 1}}}",
                label=f"vector {v + 1}: {data.names[j]}",
                equals=float(model.codebook_[v, j]), attribute=f"codebook_[{v}, {j}]", scale=size, tolerance=1e-7)
         for j in range(p)] for v in range(m)
    ]  # fmt: skip
    if len(data.X) > MOST_UPDATES or model.n_neighbors > 1:
        return
    w.step("What it says of these rows", "The class of the nearest vector, and how often that is right.")
    d = [w.cell(f"fitted_d_{v + 1}", sqrt(reduce(add, [(x[j] - vectors[v][j]) ** 2 for j in range(p)])),
                symbol=f"d_{{{v + 1}}}", label=f"distance to vector {v + 1}") for v in range(m)]  # fmt: skip
    predicted: Expr = expr(float(np.asarray(c.value)[-1]))
    nearest = w.cell("fitted_least", least_of(d), symbol=r"\hat{d}", label="smallest")
    for v in range(m - 1, 0, -1):
        predicted = where(equal(nearest, d[v - 1]), float(np.asarray(c.value)[v - 1]), predicted)
    expected = _numbers(model, np.asarray(model.predict(data.table)))
    if m == 1:
        predicted = predicted + 0 * nearest
    try:
        k = w.cell(
            "fitted_class",
            predicted,
            symbol=r"\hat{y}",
            label="predicted class",
            equals=expected,
            attribute="predict(X)",
        )
    except WorkingError:  # two vectors at the same distance but for rounding
        k = w.given("fitted_class_given", expected, data.row_axis, symbol=r"\hat{y}", label="predicted class")
    correct = w.cell("right", where(equal(k, y), 1, 0), symbol="h", label="right?")
    w.cell("accuracy", mean(correct), symbol=r"\text{accuracy}", label="share that is right",
           equals=float(np.mean(expected == np.asarray(y.value))), attribute="score(X, y)")  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- predict


@shows("LVQClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    k = min(model.n_neighbors, len(model.codebook_))
    w.title = "Predictions by a codebook"
    w.intro = "The distance to every vector; " + (
        "the nearest one tells the class." if k == 1 else f"the {k} nearest vote, and among equals the nearest decides."
    )
    rows = data.rows[:40] if data.rows else list(range(min(len(data.X), MOST_ASKED)))
    axis = Axis("vector", range(1, len(model.codebook_) + 1), "v", "m")
    w.step("Codebook", "The vectors and their classes.")
    p = data.X.shape[1]
    wide = p > MOST_WIDE or max(np.abs(data.X).max(), np.abs(model.codebook_).max()) >= LARGEST
    vectors = [
        w.given(f"w_{j + 1}", model.codebook_[:, j], axis, symbol=f"w_{{{j + 1}}}", label=data.names[j])
        for j in range(min(p, MOST_WIDE))
    ]
    if wide:
        w.note(f"Distances over more than {MOST_WIDE} columns, or of very large numbers, are given, not laid out.")
    labels = model.codebook_labels_
    c = w.given(
        "class", labels if labels.dtype.kind in "OUT" else labels.astype(np.float64), axis, symbol="c", label="class"
    )
    predicted = np.asarray(model.predict(data.table))
    for i in rows:
        _ask(w, model, data, (vectors, c, axis), i, predicted[i], k, wide)


def _ask(
    w: Working, model: Any, data: Given, book: tuple[Any, ...], i: int, predicted: Any, k: int, wide: bool
) -> None:
    vectors, c, axis = book
    w.step(f"Row {i}", f"Row {i}, counted from 0, against every vector.")
    if wide:
        d = w.given(
            f"d_{i}", np.sqrt(((data.X[i] - model.codebook_) ** 2).sum(axis=1)), axis, symbol="d", label="distance"
        )
    else:
        x = [w.given(f"x_{j + 1}_{i}", float(data.X[i, j]), symbol=f"x_{{{j + 1}}}", label=data.names[j])
             for j in range(len(vectors))]  # fmt: skip
        squares = [(x[j] - vectors[j]) ** 2 for j in range(len(vectors))]
        d = w.cell(f"d_{i}", sqrt(reduce(add, squares)), symbol="d", label="distance")
    plain = predicted if model.classes_.dtype.kind in "OUT" else float(predicted)
    if k == 1:
        b = w.cell(f"nearest_{i}", arg_min(d), symbol="b", label="nearest vector")
        w.cell(
            f"class_{i}",
            lookup(c, b),
            symbol=r"\hat{y}",
            label="predicted class",
            equals=plain,
            attribute="predict(X)",
        )
        return
    b = w.cell(f"bound_{i}", nth_smallest(d, k), symbol="b", label=f"distance at place {k}")
    votes = w.cell(f"votes_{i}", where(d <= b, 1, 0), symbol="h", label="votes?")
    names = model.classes_ if model.classes_.dtype.kind in "OUT" else model.classes_.astype(np.float64)
    kinds = Axis("class", [str(name) for name in model.classes_.tolist()], "k", "K")
    label = w.given(f"label_{i}", names, kinds, symbol="l", label="class")
    n = w.cell(f"count_{i}", sum_(where(equal(c, label), votes, 0), axis), symbol="n", label="votes")
    near = w.cell(f"near_{i}", -1 * _nearest_of(d, c, label, axis, np.asarray(d.value)), symbol="g",
                  label="minus the distance of its nearest vector")  # fmt: skip
    score = w.cell(f"score_{i}", n + near / (2 * sum_(d) + 1), symbol="z", label="votes, and for equals the nearest")
    top = w.cell(f"place_{i}", arg_min(-1 * score), symbol="t", label="class with the most")
    w.cell(
        f"class_{i}",
        lookup(label, top),
        symbol=r"\hat{y}",
        label="predicted class",
        equals=plain,
        attribute="predict(X)",
    )


def _nearest_of(d: Cell, c: Cell, label: Cell, axis: Axis, values: Floats) -> Expr:
    """The smallest distance of each class."""
    far = float(values.max()) * 2 + 1
    return Reduce("min", where(equal(c, label), d, far), axis)
