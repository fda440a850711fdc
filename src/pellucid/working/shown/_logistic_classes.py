"""Several classes, and single predictions: scores, exponentials or sigmoids, probabilities; coefficients from bells."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, arg_max, dot, exp, ln, lookup, max_, sum_, where
from pellucid.working.matrix import Block, Grid, Stack
from pellucid.working.model import Working
from pellucid.working.shown._logistic_rows import (
    MOST_SLOPES,
    SAFE,
    Rows,
    largest,
    loss,
    parameters,
    penalty_value,
    plane_slopes,
    probabilities,
    sigmoid,
    slopes_table,
)

MOST_CLASSES = 6
MOST_PREDICTIONS = 20


def class_axis(model: Any) -> Axis:
    return Axis("class", [str(label) for label in model.classes_.tolist()], "k", "K")


def labels_of(w: Working, model: Any) -> Cell:
    """The classes as a column of their own."""
    classes = model.classes_ if model.classes_.dtype.kind in "OUT" else model.classes_.astype(np.float64)
    return w.given("class", classes, class_axis(model), symbol="c", label="class")


def _plain(label: Any) -> Any:
    return str(label) if isinstance(label, str) else float(label)


# ---------------------------------------------------------------------------------------------------------- softmax fit


def softmax(rows: Rows, last: dict[str, float]) -> None:
    """Scores, exponentials, probabilities, cross entropy and slopes of all classes."""
    w, model = rows.w, rows.model
    k = len(model.classes_)
    if not rows.is_short or k > MOST_CLASSES:
        _softmax_as_found(rows, last)
        return
    w.step("Result", "The fitted coefficients of each class.")
    planes = [parameters(rows, c, str(c + 1), f", class {model.classes_[c]}") for c in range(k)]
    w.step("Scores", "One linear score a class, and the largest of each row.")
    decisions = np.asarray(model.decision_function(rows.data.table), dtype=np.float64)
    size = float(np.abs(decisions).max(initial=1e-12))
    scores = [
        w.cell(
            f"s_{c + 1}",
            rows.score(*plane),
            symbol=f"s_{{{c + 1}}}",
            label=f"score of {model.classes_[c]}",
            equals=decisions[:, c],
            attribute=f"decision_function(X)[:, {c}]",
            tolerance=rows.tolerance,
            scale=size,
        )
        for c, plane in enumerate(planes)
    ]
    top: Cell = scores[0]
    for c in range(1, k):
        name, mark, label = ("top", "m", "largest") if c == k - 1 else (f"m_{c}", f"m_{{{c}}}", "largest so far")
        top = w.cell(name, where(top > scores[c], top, scores[c]), symbol=mark, label=label)
    w.step("Exponentials", "Powers of e, the largest score taken off first: that changes nothing and never overflows.")
    powers = [
        w.cell(f"e_{c + 1}", exp(s - top), symbol=f"e_{{{c + 1}}}", label=f"power for {model.classes_[c]}")
        for c, s in enumerate(scores)
    ]
    every = w.cell("power_sum", _added(powers), symbol="E", label="sum of the powers")
    w.step("Probabilities", "Each power as a share of their sum.")
    expected = probabilities(model, rows.data)
    sigmas = [
        w.cell(
            f"p_{c + 1}",
            e / every,
            symbol=f"p_{{{c + 1}}}",
            label=f"probability of {model.classes_[c]}",
            equals=expected[:, c],
            attribute=f"predict_proba(X)[:, {c}]",
            tolerance=rows.tolerance,
            scale=1.0,
        )
        for c, e in enumerate(powers)
    ]
    w.step("Target", "A 1 in the column of the row's class.")
    targets = [rows.in_class(c) for c in range(k)]
    own_score = dot(targets, scores)
    _cost(rows, planes, top - own_score + ln(every), last.get("objective"))
    if k * (len(rows.data.names) + 1) <= MOST_SLOPES and model._penalty_.ratio == 0:
        _condition(rows, planes, sigmas, targets, last.get("slope"))


def _added(terms: list[Any]) -> Expr:
    total = expr(terms[0])
    for term in terms[1:]:
        total = total + term
    return total


def _cost(rows: Rows, planes: list[Any], of_row: Expr, recorded: float | None) -> None:
    w = rows.w
    w.step("Cross entropy", "The surprise at each row's class, −ln of its probability; their mean, and the penalty.")
    each = w.cell("row_loss", of_row, symbol="l", label="loss of the row")
    mean = w.cell("log_loss", rows.mean(each), symbol="L", label="mean: cross entropy")
    added = penalty_value(rows, planes)
    check: dict[str, Any] = {}
    if recorded is not None:
        check = {"equals": recorded, "attribute": "the recorded cost", "tolerance": 1e-4 if rows.single else 1e-7}
    formula: Expr = mean if added is None else mean + w.cell("penalty", added, symbol="h", label="penalty")
    w.cell("cost", formula, symbol="F", label="cost", scale=1.0, **check)


def _condition(
    rows: Rows, planes: list[Any], probability_cells: list[Cell], targets: list[Cell], recorded: float | None
) -> None:
    w, entries, labels = rows.w, [], []
    w.step("Condition", "At the minimum the cost has no slope: errors and columns cancel, but for the penalty.")
    for c, ((coef, intercept), p, t) in enumerate(zip(planes, probability_cells, targets, strict=True)):
        error = w.cell(f"error_{c + 1}", p - t, symbol=f"d_{{{c + 1}}}", label="probability less target")
        some, names = plane_slopes(rows, error, coef, intercept, f", {rows.model.classes_[c]}")
        entries += some
        labels += names
    largest(rows, slopes_table(rows, entries, labels), recorded)


def _softmax_as_found(rows: Rows, last: dict[str, float]) -> None:
    """So many columns or classes that their formulas could not be read: the probabilities as found, and the loss."""
    w, model, data = rows.w, rows.model, rows.data
    k, p = model.coef_.shape
    w.note(f"{counted(p, 'column')} and {counted(k, 'class')}: sums over them are not laid out.")
    w.step("Result", "The fitted coefficients.")
    axis = class_axis(model)
    W = w.block("coef", np.asarray(model.coef_, dtype=np.float64).T, data.column_axis, axis, symbol="W",
                label="coefficients: a column a class")  # fmt: skip
    w.step("Cross entropy", "The surprise at each row's class, −ln of its probability; their mean.")
    logs = np.asarray(model.predict_log_proba(data.table), dtype=np.float64)
    row_log_proba = w.given(
        "own",
        logs[np.arange(len(logs)), rows.codes],
        data.row_axis,
        symbol=r"\ell",
        label="log of its probability, as found",
    )
    each = w.cell("row_loss", -row_log_proba, symbol="l", label="loss of the row")
    formula = rows.mean(each)
    if model._penalty_.ratio == 0 and isinstance(w.cells.get("l2"), Cell):
        squared_norm = float((np.asarray(model.coef_, dtype=np.float64) ** 2).sum())
        each_class = expr(squared_norm) if k > MOST_CLASSES else _added([sum_(W.column(c) ** 2) for c in range(k)])
        squares = w.cell("squares", each_class, symbol="q", label="sum of squares")
        l2 = w.cells["l2"]
        assert isinstance(l2, Cell)
        formula = formula + l2 / 2 * squares
    elif model._penalty_.strength > 0:
        w.cell("log_loss", formula, symbol="L", label="mean")
        return
    check: dict[str, Any] = {}
    if "objective" in last:
        check = {"equals": last["objective"], "attribute": "the recorded cost",
                  "tolerance": 1e-4 if rows.single else 1e-7}  # fmt: skip
    w.cell("cost", formula, symbol="F", label="cost", scale=1.0, **check)


# ------------------------------------------------------------------------------------------------------ one versus rest


def one_versus_rest(rows: Rows) -> None:
    """One model of two classes for each class against all others."""
    w, model, data = rows.w, rows.model, rows.data
    k = len(model.classes_)
    record = {} if getattr(model, "_warm_", False) else data.record
    decisions = np.asarray(model.decision_function(data.table), dtype=np.float64)
    classes_shown = range(min(k, MOST_CLASSES)) if rows.is_short else range(0)
    sigmoids: list[Cell] = []
    for c in classes_shown:
        w.step(f"Class {model.classes_[c]} against the rest", "Coefficients, scores, sigmoids, losses of this model.")
        coef, intercept = parameters(rows, c, str(c + 1))
        target = rows.in_class(c)
        size = float(np.abs(decisions[:, c]).max(initial=1e-12))
        f = w.cell(f"s_{c + 1}", rows.score(coef, intercept), symbol=f"s_{{{c + 1}}}", label="score",
                   equals=decisions[:, c], attribute=f"decision_function(X)[:, {c}]", tolerance=rows.tolerance,
                   scale=size)  # fmt: skip
        sigmoids.append(w.cell(f"q_{c + 1}", _safe_sigmoid(f), symbol=f"q_{{{c + 1}}}", label="sigmoid"))
        each = w.cell(f"loss_{c + 1}", loss(f, target), symbol=f"l_{{{c + 1}}}", label="loss of the row")
        added = penalty_value(rows, [(coef, intercept)])
        cost = rows.mean(each) if added is None else rows.mean(each) + added
        w.cell(f"cost_{c + 1}", cost, symbol=f"F_{{{c + 1}}}", label="cost", scale=1.0, **_recorded(rows, record, c))
    if len(sigmoids) < k:
        w.note(f"{counted(len(data.names), 'column')} and {counted(k, 'class')}: not all of it is laid out.")
        w.step("Probabilities", "The sigmoids of the scores, divided by their sum; as found.")
        w.block("P", probabilities(model, data), data.row_axis, class_axis(model), symbol="P")
        return
    w.step("Probabilities", "The sigmoids, divided by their sum.")
    every = w.cell("sigmoid_sum", _added(sigmoids), symbol="Q", label="sum of the sigmoids")
    table = Stack([q / every for q in sigmoids], data.row_axis, class_axis(model))
    w.block("P", table, symbol="P", label="probabilities", equals=probabilities(model, data),
            attribute="predict_proba(X)", tolerance=rows.tolerance, scale=1.0)  # fmt: skip


def _recorded(rows: Rows, record: Any, c: int) -> dict[str, Any]:
    if "passes" not in record:
        return {}
    columns, table = record["passes"]
    class_passes = table[table[:, list(columns).index("target")] == c]
    objective = float(class_passes[-1, list(columns).index("objective")])
    return {"equals": objective, "attribute": "the recorded cost", "tolerance": 1e-4 if rows.single else 1e-7}


def _safe_sigmoid(f: Cell) -> Expr:
    """The sigmoid where its power can be held, else 0 or 1."""
    if float(np.abs(f.value).max(initial=0.0)) < SAFE:
        return sigmoid(f)
    return where(absolute(f) < SAFE, 1 / (1 + exp(-where(absolute(f) < SAFE, f, 0))), where(f > 0, 1, 0))


# ---------------------------------------------------------------------------------------------------------- predictions


@shows("LogisticRegression.predict", "LogisticRegressionCV.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Logistic regression: predictions"
    several = len(model.coef_) > 1
    w.intro = (
        "A score for each class; the scores as probabilities; the class with the largest."
        if several
        else "The linear score of a row is the logarithm of its odds; the sigmoid makes a probability of it, and above "
        "one half the second class is predicted."
    )
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(rows) > MOST_PREDICTIONS:
        w.note(f"{len(rows)} rows were asked for; the first {MOST_PREDICTIONS} are shown.")
    elif not data.rows and len(data.X) > len(rows):
        w.note(f"The first {len(rows)} of {len(data.X):,} rows are shown; rows=[...] chooses others.")
    w.step("Model", "The fitted coefficients, and the classes.")
    labels = labels_of(w, model)
    tolerance = 1e-9 if np.asarray(model.coef_).dtype == np.float64 else 1e-4
    show = _several if several else _one
    coefficients = _planes(w, model, data) if several else _plane(w, model, data)
    for row in dict.fromkeys(rows[:MOST_PREDICTIONS]):
        w.step(f"Row {row}", "Row numbers are counted from 0." if row == rows[0] else "")
        show(w, model, data, row, labels, coefficients, tolerance)


def _plane(w: Working, model: Any, data: Given) -> Any:
    coef = np.asarray(model.coef_, dtype=np.float64)[0]
    beta = w.given("coef", coef, data.column_axis, symbol=r"\beta", label="coefficient")
    return beta, w.given("intercept", float(np.asarray(model.intercept_)[0]), symbol="b", label="intercept")


def _one(w: Working, model: Any, data: Given, row: int, labels: Cell, coefficients: Any, tolerance: float) -> None:
    beta, b = coefficients
    x = w.given(f"x_{row}", data.X[row], data.column_axis, symbol=f"x_{{{row}}}", label="value")
    term = w.cell(f"term_{row}", beta * x, symbol=f"a_{{{row}}}", label="product")
    row_data = _row_of(data, row)
    score = float(np.ravel(model.decision_function(row_data))[0])
    f = w.cell(
        f"score_{row}", b + sum_(term), symbol=f"f_{{{row}}}", label="score: log odds", equals=score,
        attribute=f"decision_function(X)[{row}]", tolerance=tolerance,
        scale=float(np.abs(term.value).sum() + abs(float(b.value))),
    )  # fmt: skip
    probability = float(np.asarray(model.predict_proba(row_data))[0, 1])
    if abs(score) < SAFE:
        odds = w.cell(f"odds_{row}", exp(f), symbol=f"o_{{{row}}}", label="odds")
        formula = odds / (1 + odds) if score < 0 else 1 / (1 + exp(-f))
    else:
        w.note("A score beyond 700 is certainty: the odds are more than a number can hold.")
        formula = where(f > 0, 1, 0)
    w.cell(
        f"probability_{row}", formula, symbol=f"p_{{{row}}}", label=f"probability of {model.classes_[1]}",
        equals=probability, attribute=f"predict_proba(X)[{row}, 1]", tolerance=max(tolerance, 1e-8) * max(1.0,
        abs(score)),
    )  # fmt: skip
    w.cell(
        f"class_{row}", lookup(labels, where(f > 0, 2, 1)), symbol=rf"\hat{{y}}_{{{row}}}", label="predicted class",
        equals=_plain(np.asarray(model.predict(row_data))[0]), attribute=f"predict(X)[{row}]",
    )  # fmt: skip


def _row_of(data: Given, row: int) -> Any:
    """One row of the table as it was passed, so that names and types are those of the fit."""
    table = data.table
    if hasattr(table, "iloc"):
        return table.iloc[[row]]
    if isinstance(table, list | tuple):
        return [table[row]]
    return table[row : row + 1] if hasattr(table, "shape") else table.slice(row, 1)


def _planes(w: Working, model: Any, data: Given) -> Any:
    class_cell = w.cells["class"]
    assert isinstance(class_cell, Cell)
    axis = class_cell.axis
    assert axis is not None
    W = w.block("coef", np.asarray(model.coef_, dtype=np.float64), axis, data.column_axis, symbol="W",
                label="coefficients")  # fmt: skip
    return W, w.given("intercept", np.asarray(model.intercept_, dtype=np.float64), axis, symbol="b",
                      label="intercept")  # fmt: skip


def _several(w: Working, model: Any, data: Given, row: int, labels: Cell, coefficients: Any, tolerance: float) -> None:
    W, b = coefficients
    x = w.given(f"x_{row}", data.X[row], data.column_axis, symbol=f"x_{{{row}}}", label="value")
    row_data = _row_of(data, row)
    scores = np.asarray(model.decision_function(row_data), dtype=np.float64)[0]
    s = w.cell(
        f"scores_{row}", b + _scores(W, x), symbol=f"s_{{{row}}}", label="score",
        equals=scores, attribute=f"decision_function(X)[{row}]", tolerance=max(tolerance, 1e-8),
        scale=float(np.abs(np.asarray(W.value) * data.X[row]).sum()),
    )  # fmt: skip
    if model.scheme == "multinomial":
        m = w.cell(f"top_{row}", max_(s), symbol=f"m_{{{row}}}", label="largest score")
        shares = w.cell(f"powers_{row}", exp(s - m), symbol=f"e_{{{row}}}", label="power of e, the largest taken off")
    else:
        shares = w.cell(f"sigmoids_{row}", _safe_sigmoid(s), symbol=f"q_{{{row}}}", label="sigmoid")
    probabilities_of_row = np.asarray(model.predict_proba(row_data), dtype=np.float64)[0]
    w.cell(
        f"probabilities_{row}", shares / sum_(shares), symbol=f"p_{{{row}}}", label="probability",
        equals=probabilities_of_row,
        attribute=f"predict_proba(X)[{row}]", tolerance=max(tolerance, 1e-8) * max(1.0, float(np.abs(scores).max())),
    )  # fmt: skip
    w.cell(
        f"class_{row}", lookup(labels, arg_max(s)), symbol=rf"\hat{{y}}_{{{row}}}", label="predicted class",
        equals=_plain(np.asarray(model.predict(row_data))[0]), attribute=f"predict(X)[{row}]",
    )  # fmt: skip


def _scores(W: Block, x: Cell) -> Expr:
    return dot([W.column(j, f"w_{{{j + 1}}}") for j in range(len(W.columns))],
               [lookup(x, j + 1) for j in range(len(W.columns))])  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- naive Bayes


def naive_bayes(w: Working, model: Any, data: Given) -> None:
    """Coefficients from the means of the classes and the variances of the columns."""
    w.title = "Logistic regression from Gaussian naive Bayes"
    w.intro = "Bell curves of equal width for every class make log odds that are a straight line."
    rows = Rows.read(w, model, data)
    k, names = len(model.classes_), data.names
    axis = class_axis(model)
    if not rows.is_short:
        w.note(f"{counted(len(names), 'column')}: their means and variances are taken as found.")
        return
    w.step("Classes", "How many rows each class has, and its share: the prior.")
    inside = [rows.in_class(c) for c in range(k)]
    size = w.cell("S", rows.size, symbol="S", label="rows")
    numbers = w.block(
        "count", Grid([[rows.total(indicator)] for indicator in inside], axis, Axis("", ["rows"])), symbol="N"
    )
    priors = w.block("prior", Grid([[numbers[c, 0] / size] for c in range(k)], axis, Axis("", ["share"])), symbol="g",
                     equals=model.priors_[:, None], attribute="priors_")  # fmt: skip
    w.step("Means", "Of every column, within each class.")
    grid = [[rows.total(indicator * x) / numbers[c, 0] for x in rows.x] for c, indicator in enumerate(inside)]
    mu = w.block("means", Grid(grid, axis, data.column_axis), symbol="M", equals=model.means_, attribute="means_")
    w.step("Variances", "Of every column around the mean of the row's own class.")
    spreads: list[Expr] = []
    for j, x in enumerate(rows.x):
        center = dot(inside, [mu[c, j] for c in range(k)])
        d = w.cell(f"d_{j + 1}", x - center, symbol=f"d_{{{j + 1}}}", label=f"{names[j]} less the mean of its class")
        ddof = float(np.round(_ddof(rows, model, j), 6))
        below: Expr = size if abs(ddof) < 1e-6 else size - ddof
        spreads.append(w.cell(f"variance_{j + 1}", rows.total(d**2) / below, symbol=rf"\sigma_{{{j + 1}}}^2",
                              label=f"variance of {names[j]}", equals=model.variances_[j],
                              attribute=f"variances_[{j}]"))  # fmt: skip
    _from_bells(w, model, data, mu, spreads, priors)


def _ddof(rows: Rows, model: Any, j: int) -> float:
    """What was taken off the rows: the sum of squares is the variance times rows less this."""
    weight = np.ones(len(rows.data.X)) if rows.weight is None else np.asarray(rows.weight.value)
    apart = rows.data.X[:, j] - model.means_[rows.codes, j]
    return float(weight.sum() - (weight @ apart**2) / model.variances_[j])


def _from_bells(w: Working, model: Any, data: Given, mu: Block, spreads: list[Expr], priors: Block) -> None:
    k, p = len(model.classes_), len(data.names)
    w.step("Coefficients", "Differences of the means over the variance; the intercept puts the line into its place.")
    size = float(np.abs(model.coef_).max())
    if k == 2:
        for j in range(p):
            w.cell(f"coef_{j + 1}", (mu[1, j] - mu[0, j]) / spreads[j], symbol=rf"\beta_{{{j + 1}}}",
                   label=f"coefficient of {data.names[j]}", equals=model.coef_[0, j], attribute=f"coef_[0, {j}]",
                   tolerance=1e-8, scale=size)  # fmt: skip
        shift = _added([(mu[0, j] ** 2 - mu[1, j] ** 2) / (2 * spreads[j]) for j in range(p)])
        w.cell("intercept", ln(priors[1, 0] / priors[0, 0]) + shift, symbol="b", label="intercept",
               equals=model.intercept_[0], attribute="intercept_[0]", tolerance=1e-8,
               scale=float((model.means_**2 / model.variances_).max()))  # fmt: skip
        return
    axis = class_axis(model)
    scaled_means = [[mu[c, j] / spreads[j] for j in range(p)] for c in range(k)]
    W = w.block("raw", Grid(scaled_means, axis, data.column_axis), symbol="U", label="means over variances")
    centered = [[W[c, j] - _added([W[i, j] for i in range(k)]) / k for j in range(p)] for c in range(k)]
    w.block("coef", Grid(centered, axis, data.column_axis), symbol="W", label="centered over the classes",
            equals=model.coef_, attribute="coef_", tolerance=1e-8, scale=size)  # fmt: skip
    shifts = [[ln(priors[c, 0]) - _added([mu[c, j] ** 2 / (2 * spreads[j]) for j in range(p)])] for c in range(k)]
    intercept_axis = Axis("", ["intercept"])
    raw = w.block("raw_intercept", Grid(shifts, axis, intercept_axis), symbol="v", label="not yet centered")
    mean = _added([raw[i, 0] for i in range(k)]) / k
    w.block("intercept", Grid([[raw[c, 0] - mean] for c in range(k)], axis, intercept_axis), symbol="b",
            label="intercepts",
            equals=model.intercept_[:, None], attribute="intercept_", tolerance=1e-8,
            scale=float((model.means_**2 / model.variances_).max()))  # fmt: skip
