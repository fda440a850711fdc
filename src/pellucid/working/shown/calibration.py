"""How a calibrated classifier comes to its probabilities: targets, Newton's steps, and a few rows put in."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.calibration._pairs import CalibratedClassifier, Scores, scores_of
from pellucid.calibration._sigmoid import Sigmoid, Temperature
from pellucid.models.platt import newton_steps
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, WorkingError, expr
from pellucid.working.language import equal, exp, ln, lookup, previous, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.isotonic import Rows, interpolated, show_pooling

MOST_CLASSES = 6
MOST_FOLDS = 10


def _chosen(model: Any, data: Given, classes: Array) -> tuple[int, int]:
    """Which fold and which class the options ask for: ``fold``, counted from 0, and ``label``."""
    fold, label = int(data.options.get("fold", 0)), data.options.get("label", classes[-1])
    matches = np.flatnonzero(classes == label)
    if not len(matches) or not 0 <= fold < len(model.calibrated_classifiers_):
        requirement = f"fold must be from 0 to {len(model.calibrated_classifiers_) - 1} and label one of the classes"
        raise ParameterError(
            format_message(type(model).__name__, requirement, actual=f"got fold={fold} and label={label!r}")
        )
    return fold, int(matches[0])


@shows("CalibratedClassifierCV.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    classes = model.calibrated_classifiers_[0].classes
    labels = np.asarray(data.y)
    if not np.array_equal(np.unique(labels), classes):
        hint = "pass the X, y and sample_weight that the model was fitted on"
        actual = "fitted on these, the model has another classes_"
        raise WorkingError(
            format_message(type(model).__name__, "the working needs the data of the fit", actual=actual, hint=hint)
        )
    fold, class_index = _chosen(model, data, classes)
    try:
        rows, scores = model.calibration_rows(data.table, labels, data.weight, fold)
    except DataError as error:
        raise WorkingError(str(error)) from None
    w.title = f"Calibration by {model.method}: the fit"
    several = len(model.calibrated_classifiers_) > 1
    w.intro = f"What part {fold + 1} of {len(model.calibrated_classifiers_)} learned. " if several else ""
    w.intro += "Scores of rows that the classifier did not see, and what became of those rows."
    y = _held_out(w, data, labels, rows)
    pair = model.calibrated_classifiers_[fold]
    if model.method == "temperature":
        _temperature(w, data, y, rows, scores, pair)
    else:
        _one_class(w, data, y, rows, scores, pair, class_index)


def _held_out(w: Working, data: Given, labels: Array, rows: Array) -> Cell:
    w.step("Data", "The class of each row, and whether it was held out for calibration.")
    label_values = labels if labels.dtype.kind in "OUT" else labels.astype(np.float64)
    y = w.given("y", label_values, data.row_axis, symbol="y", label="class")
    is_held_out = np.zeros(len(labels))
    is_held_out[rows] = 1
    w.given("held_out", is_held_out, data.row_axis, symbol="h", label="held out")
    return y


def _label(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)


def _one_class(
    w: Working, data: Given, y: Cell, rows: Array, scores: Scores, pair: CalibratedClassifier, class_index: int
) -> None:
    """One class against the rest."""
    classes = scores.classes[-1:] if scores.values.shape[1] == 1 else scores.classes
    label = pair.classes[class_index] if pair.classes[class_index] in classes else classes[-1]
    column = int(np.flatnonzero(classes == label)[0])
    w.step("Scores", f"What the classifier says of the held-out rows, and whether they are of the class {label}.")
    axis = Axis("held-out row", [int(row) + 1 for row in rows], "i", "n")
    r = w.given("row", rows + 1.0, axis, symbol="r", label="row")
    f = w.given("score", scores.values[:, column], axis, symbol="f", label="score")
    c = w.cell("of_class", where(equal(lookup(y, r), _label(label)), 1, 0), symbol="c", label=f"of class {label}")
    weight = None
    if data.weight is not None:
        weight = w.given("weight", data.weight[rows], axis, symbol="w", label="weight")
    calibrator = pair.calibrators[column]
    if isinstance(calibrator, Sigmoid):
        _sigmoid(w, f, c, weight, calibrator)
    else:
        show_pooling_of(w, f, c, weight, calibrator)


def show_pooling_of(w: Working, f: Cell, c: Cell, weight: Cell | None, calibrator: Any) -> None:
    """Isotonic calibration is isotonic regression of 0 and 1 on the scores."""
    # The held-out rows already have a column "row" and scores instead of x.
    inner = Working("pooling")
    x = inner.given("x", f.value, f.axis, symbol="f", label="score")
    y = inner.given("y", np.asarray(c.value, dtype=float), c.axis, symbol="c", label="of the class")
    mass = None if weight is None else inner.given("weight", weight.value, weight.axis, symbol="w", label="weight")
    inner.steps[0].title, inner.steps[0].sentence = "Pooled columns", "The scores and the 0 and 1 of the rows."
    show_pooling(inner, Rows(x, y, mass), calibrator)
    w.take(inner, "pooling")


def _sigmoid(w: Working, f: Cell, c: Cell, weight: Cell | None, calibrator: Sigmoid) -> None:
    w.step("Targets", "Not 1 and 0, which no score earns, but a little inside, by how many rows there are (Platt).")
    n1 = w.cell("N1", sum_(_counted(c, weight)), symbol="N_1", label="rows of the class")
    n0 = w.cell("N0", sum_(_counted(1 - c, weight)), symbol="N_0", label="other rows")
    target = where(equal(c, 1), (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    t = w.cell("target", target, symbol="t", label="target")

    weight_values = None if weight is None else np.asarray(weight.value, dtype=float)
    steps = newton_steps(np.asarray(f.value), np.asarray(c.value) > 0, weight_values)
    w.step("Start", "A sigmoid that gives every row the same probability.")
    a0 = w.given("A_start", 0.0, symbol="A^{(0)}", label="slope")
    b0 = w.cell("B_start", ln((n0 + 1) / (n1 + 1)), symbol="B^{(0)}", label="intercept")
    _newton(w, f, t, weight, (a0, b0), [step.share for step in steps[1:]], calibrator)
    w.step("Result", "The calibrated probability of the held-out rows, and the cross entropy against the targets.")
    a, b = w.cells["A_found"], w.cells["B_found"]
    p = w.cell("probability", 1 / (1 + exp(a * f + b)), symbol="p", label="calibrated probability")
    loss = -sum_(_counted(t * ln(p) + (1 - t) * ln(1 - p), weight))
    w.cell(
        "loss", loss, symbol="F", label="cross entropy", equals=calibrator.loss_, attribute="loss_", tolerance=1e-7
    )  # fmt: skip


def _counted(body: Expr, weight: Cell | None) -> Expr:
    return body if weight is None else weight * body


def _newton(
    w: Working,
    f: Cell,
    t: Cell,
    weight: Cell | None,
    start: tuple[Cell, Cell],
    shares: list[float],
    calibrator: Sigmoid,
) -> None:
    """Slope and curvature of the cross entropy as sums over the rows, and the step that they give."""
    w.step("Newton's steps", "Slope g and curvature H of the cross entropy at A and B; the step is minus g over H.")
    axis = w.axis("pass", len(shares), "t", "T", raised=True)
    a = w.recurring("A", axis, start[0], symbol="A", label="slope")
    b = w.recurring("B", axis, start[1], symbol="B", label="intercept")
    p = 1 / (1 + exp(previous(a) * f + previous(b)))
    rows, curve = f.axis, p * (1 - p)

    def subtotal(name: str, body: Expr, symbol: str, label: str) -> Cell:
        return w.becomes(name, sum_(_counted(body, weight), rows), axis=axis, symbol=symbol, label=label)

    ga = subtotal("g_A", f * (t - p), "g_A", "slope in A")
    gb = subtotal("g_B", t - p, "g_B", "slope in B")
    haa = subtotal("H_AA", f**2 * curve, "H_{AA}", "curvature in A")
    hab = subtotal("H_AB", f * curve, "H_{AB}", "curvature in both")
    hbb = subtotal("H_BB", curve, "H_{BB}", "curvature in B")
    share: Cell | None = None
    if any(value != 1 for value in shares):
        share = w.given("share", np.asarray(shares), axis, symbol="s", label="share of the step taken")
    flat = float(np.ptp(np.asarray(f.value))) == 0  # equal scores tell nothing: A stays
    d = w.becomes("determinant", hbb if flat else haa * hbb - hab**2, axis=axis, symbol="D", label="determinant of H")
    step_a: Expr = expr(0) * ga if flat else (hbb * ga - hab * gb) / d
    step_b: Expr = gb / d if flat else (haa * gb - hab * ga) / d
    to_a = w.becomes("step_A", step_a, axis=axis, symbol="d_A", label="step in A")
    to_b = w.becomes("step_B", step_b, axis=axis, symbol="d_B", label="step in B")
    w.becomes(a, previous(a) - _counted(to_a, share))
    w.becomes(b, previous(b) - _counted(to_b, share))
    w.run(axis)
    f_size = float(np.abs(np.asarray(f.value)).max())
    size = max(abs(calibrator.b_), abs(calibrator.a_) * f_size, 1.0)
    for cell, value, scale in ((a, calibrator.a_, size / (f_size or 1.0)), (b, calibrator.b_, size)):
        w.cell(
            f"{cell.name}_found", lookup(cell, len(axis)), symbol=rf"\hat{{{cell.name}}}", label="after the last pass",
            equals=value, attribute=f"{cell.name.lower()}_", tolerance=1e-6, scale=scale,
        )  # fmt: skip


def _temperature(w: Working, data: Given, y: Cell, rows: Array, scores: Scores, pair: CalibratedClassifier) -> None:
    """The inverse temperature is where the mean score under p equals that of the true classes."""
    calibrator, z = pair.calibrators[0], scores.logits()
    assert isinstance(calibrator, Temperature)
    classes = scores.classes
    w.step("Scores", "What the classifier says of the held-out rows: decision values, or logarithms of probabilities.")
    axis = Axis("held-out row", [int(row) + 1 for row in rows], "i", "n")
    w.given("row", rows + 1.0, axis, symbol="r", label="row")
    if len(classes) > MOST_CLASSES:
        w.note("There are too many classes to lay out their scores.")
        w.given("beta", calibrator.beta_, symbol=r"\beta", label="inverse temperature")
        return
    columns = [
        w.given(f"z_{j + 1}", z[:, j], axis, symbol=f"z_{{{j + 1}}}", label=f"score of {classes[j]}")
        for j in range(len(classes))
    ]
    true = np.searchsorted(classes, np.asarray(data.y)[rows])
    true_score = w.given("own", z[np.arange(len(z)), true], axis, symbol="o", label="score of the true class")
    weight = None if data.weight is None else w.given("weight", data.weight[rows], axis, symbol="w", label="weight")
    mass: Expr = expr(float(len(rows))) if weight is None else sum_(weight)
    w.step("Inverse temperature", "Found by Newton's method; the slope of the cross entropy is zero there.")
    beta = w.given("beta", calibrator.beta_, symbol=r"\beta", label="1 / T")
    powers = [exp(beta * (column - true_score)) for column in columns]
    subtotal = w.cell("sum", reduce(add, powers), symbol="s", label="1 / probability of the true class")
    under = reduce(add, [column * power for column, power in zip(columns, powers, strict=True)]) / subtotal
    mean = w.cell("mean_score", under, symbol="e", label="mean score under p")
    w.cell(
        "slope", sum_(_counted(mean - true_score, weight)) / mass, symbol="g", label="slope: zero but for rounding",
        equals=0.0, attribute="slope at beta_", scale=float(np.abs(z).max()) if _inside(calibrator) else 1e9,
    )  # fmt: skip
    w.cell(
        "loss", sum_(_counted(ln(subtotal), weight)) / mass, symbol="F", label="mean cross entropy",
        equals=calibrator.loss_, attribute="loss_", scale=1e-3,
    )  # fmt: skip


def _inside(calibrator: Temperature) -> bool:
    """Is the temperature inside the limits within which it was sought?"""
    return bool(abs(np.log(calibrator.beta_)) < 9.99)


# -------------------------------------------------------------------------------------------------------------- predict


@shows("CalibratedClassifierCV.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    pairs = model.calibrated_classifiers_
    _, class_index = _chosen(model, data, pairs[0].classes)
    label = pairs[0].classes[class_index]
    rows = data.rows or list(range(min(len(data.row_axis), 3)))
    X = _safe_indexing(data.table, rows)
    w.title = f"Calibration by {model.method}: predictions"
    w.intro = f"The probability of the class {label}: from scores to probabilities, fold by fold, then their mean."
    axis = Axis("row", rows)
    fold_probabilities: list[Cell] = []
    for k, pair in enumerate(pairs[:MOST_FOLDS]):
        scores = scores_of(pair.estimator, X, len(pair.classes))
        w.step(f"Part {k + 1}" if len(pairs) > 1 else "Scores", "The classifier's scores, put through its calibrators.")
        formula = _of_pair(w, pair, scores, class_index, axis, f"part{k + 1}")
        fold_probabilities.append(
            w.cell(
                f"part{k + 1}_probability",
                formula,
                symbol=f"p_{{{k + 1}}}",
                label=f"probability of {label}",
                equals=pair.predict_proba(X)[:, class_index],
                attribute=f"calibrated_classifiers_[{k}].predict_proba(X)",
                scale=1.0,
            )
        )
    if len(pairs) > MOST_FOLDS:
        w.note(f"{len(pairs) - MOST_FOLDS} more parts are not shown.")
        return
    w.step("Mean", "The probabilities of all parts count alike.")
    w.cell(
        "probability", reduce(add, [expr(cell) for cell in fold_probabilities]) / len(fold_probabilities),
        symbol=r"\hat{p}",
        label=f"probability of {label}", equals=model.predict_proba(X)[:, class_index], attribute="predict_proba(X)",
        scale=1.0,
    )  # fmt: skip


def _of_pair(w: Working, pair: CalibratedClassifier, scores: Scores, class_index: int, axis: Axis, name: str) -> Expr:
    if isinstance(pair.calibrators[0], Temperature):
        return _at_temperature(w, pair.calibrators[0], scores.logits(), class_index, axis, name)
    values = pair.probabilities_of_each(scores)
    classes = scores.classes[-1:] if scores.values.shape[1] == 1 else scores.classes
    if len(pair.classes) > MOST_CLASSES:
        sums = w.given(f"{name}_sum", values.sum(axis=1), axis, symbol="s", label="sum over the classes")
        class_probability = w.given(
            f"{name}_own", values[:, class_index], axis, symbol="q", label="of this class for itself"
        )
        return where(sums > 0, class_probability / sums, 1 / len(pair.classes))
    each = {}
    for j, label in enumerate(classes):
        at = int(np.searchsorted(pair.classes, label))
        each[at] = _for_itself(w, pair.calibrators[j], scores.values[:, j], axis, f"{name}_{at + 1}", str(label))
    if len(pair.classes) == 2:
        return each[1] if class_index == 1 else 1 - each[1]
    if class_index not in each:
        return next(iter(each.values())) * 0
    subtotal = reduce(add, each.values())
    return where(subtotal > 0, each[class_index] / subtotal, 1 / len(pair.classes))


def _for_itself(w: Working, calibrator: Any, score: Floats, axis: Axis, name: str, label: str) -> Expr:
    f = w.given(f"{name}_score", score, axis, symbol="f", label=f"score of {label}")
    if not isinstance(calibrator, Sigmoid):
        formula = interpolated(w, f, calibrator, name)
    else:
        a = w.given(f"{name}_A", calibrator.a_, symbol="A", label="slope")
        b = w.given(f"{name}_B", calibrator.b_, symbol="B", label="intercept")
        formula = 1 / (1 + exp(a * f + b))
    return w.cell(f"{name}_calibrated", formula, symbol="q", label=f"{label} against the rest")


def _at_temperature(w: Working, calibrator: Temperature, z: Floats, class_index: int, axis: Axis, name: str) -> Expr:
    beta = w.given(f"{name}_beta", calibrator.beta_, symbol=r"\beta", label="1 / T")
    columns = [
        w.given(f"{name}_z_{j + 1}", column, axis, symbol=f"z_{{{j + 1}}}", label=f"score of class {j + 1}")
        for j, column in enumerate(z.T)
    ]
    return 1 / reduce(add, [exp(beta * (column - columns[class_index])) for column in columns])
