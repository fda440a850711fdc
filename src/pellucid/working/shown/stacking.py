"""How stacking comes to its answers: what members say of rows that they have not seen, and the final model's sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from pellucid.base.errors import DataError, format_message
from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, WorkingError
from pellucid.working.language import dot, equal, exp, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._ensembles import MOST_CLASSES, added, asked_rows, column, columns, plain, winner

MOST_Z = 12  # columns of the final model that stand side by side


@shows("StackingClassifier.fit", "StackingRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Stacking"
    w.intro = (
        f"What {counted(len(model.estimators_), 'member')} say of rows that they have not seen, and how a "
        f"{type(model.final_estimator_).__name__} puts it together."
    )
    w.step("Data", "The rows and their target.")
    columns(w, data, list(range(len(data.row_axis))), data.row_axis)
    y = w.given("y", plain(data.y), data.row_axis, symbol="y", label="target")
    if data.weight is not None:
        w.given("row_weight", data.weight, data.row_axis, symbol="u", label="weight")
    z = _answers(w, model, data)
    cells = _given_columns(w, model, z, data.row_axis, "")
    _scores(w, model, data, y, cells)
    if not _is_linear(model, z):
        said = model.final_estimator_.predict(z) if not model.passthrough else None
        _not_linear(w, model, data, said)
        return
    w.step("Final model", f"{type(model.final_estimator_).__name__}, fitted to these columns.")
    _final(w, model, cells, data.row_axis, "", model.final_estimator_, z, data.target)


def _answers(w: Working, model: Any, data: Given) -> Floats:
    """The columns that the final model learned from."""
    if isinstance(model.cv, str):
        w.step("Answers", "The members were fitted before: what they say of the rows.")
        table = model._meta(data.table)
        found = table.toarray() if scipy.sparse.issparse(table) else np.asarray(table)
        return np.asarray(found[:, : sum(model._widths_)], dtype=np.float64)
    w.step(
        "Held-out answers",
        "The rows are cut into folds; what a copy of each member, fitted without a fold, says of it.",
    )
    try:
        record = data.record
    except DataError as error:
        requirement, actual = (
            "the working needs the data of the fit",
            "fitted on these, the model would have another member_scores_",
        )
        hint = "pass the X, y and sample_weight that the model was fitted on"
        raise WorkingError(format_message(type(model).__name__, requirement, actual=actual, hint=hint)) from error
    w.given("fold", record["folds"][1][:, 0], data.row_axis, symbol="g", label="fold")
    return np.asarray(record["held_out"][1])


def _is_linear(model: Any, z: Floats) -> bool:
    final = model.final_estimator_
    return hasattr(final, "coef_") and not model.passthrough and z.shape[1] <= MOST_Z and not _several(model)


def _several(model: Any) -> bool:
    return is_classifier(model) and isinstance(model.classes_, list)


def _given_columns(w: Working, model: Any, z: Any, axis: Axis, end: str) -> list[Cell]:
    """A column for each number that the members say."""
    names = [name for name, given in model.estimators if not isinstance(given, str)]
    cells: list[Cell] = []
    j = 0
    for name, width, method in zip(names, model._widths_, model.stack_method_, strict=True):
        for k in range(width):
            if len(cells) < MOST_Z:
                label = f"{name}{_of_class(model, k, width, method)}"
                values = np.asarray(z[:, j], dtype=np.float64)
                cells.append(w.given(f"z{j + 1}{end}", values, axis, symbol=f"z_{{{j + 1}}}", label=label))
            j += 1
    if j > MOST_Z:
        w.note(f"{j - MOST_Z} more columns of the members are not shown.")
    return cells


def _of_class(model: Any, k: int, width: int, method: str) -> str:
    """What a column of a member is about."""
    if not is_classifier(model) or _several(model) or method == "predict":
        return f", {k + 1}" if width > 1 else ""
    labels = model.classes_
    what = "P" if method == "predict_proba" else "decision"
    return f": {what}({labels[-1] if width == 1 else labels[k]})"


def _scores(w: Working, model: Any, data: Given, y: Cell, cells: list[Cell]) -> None:
    """How good each member is for itself on these rows."""
    names = [name for name, given in model.estimators if not isinstance(given, str)]
    w.step("Members alone", "How good each member is on rows that it has not seen.")
    single = all(width == 1 for width in model._widths_) and data.weight is None and len(cells) == len(names)
    multi = data.options.get("y") is not None and np.ndim(data.options["y"]) == 2
    for t, (name, method) in enumerate(zip(names, model.stack_method_, strict=True)):
        look: dict[str, Any] = {"symbol": f"a_{t + 1}", "label": name}
        score = float(model.member_scores_[t])
        tie: dict[str, Any] = {"equals": score, "attribute": "member_scores_", "scale": 1.0}
        if not single or multi or not np.isfinite(score):
            cell = w.given(f"score{t + 1}", score, **look)
            w.check(cell, score, "member_scores_")
        elif is_classifier(model) and method != "predict" and len(model.classes_) == 2:
            labels = plain(model.classes_)
            said = where(cells[t] > (0.5 if method == "predict_proba" else 0), _one(labels[1]), _one(labels[0]))
            w.cell(f"score{t + 1}", mean(where(equal(said, y), 1, 0)), **look, **tie)
        elif not is_classifier(model) and float(np.ptp(np.asarray(y.value))) > 0:
            w.cell(f"score{t + 1}", 1 - sum_((y - cells[t]) ** 2) / sum_((y - mean(y)) ** 2), **look, **tie)
        else:
            cell = w.given(f"score{t + 1}", score, **look)
            w.check(cell, score, "member_scores_")


def _one(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _not_linear(w: Working, model: Any, data: Given, said: Any) -> None:
    name = type(model.final_estimator_).__name__
    w.note(f"The final model, a {name}, has its own working: final_estimator_.show_fit.")
    if said is None or _several(model):
        return
    w.step("Final model", f"What the {name} makes of these columns.")
    found = np.asarray(said)
    values = plain(found if found.ndim == 1 else found[:, data.target])
    w.given("final", values, data.row_axis, symbol=r"\hat{y}", label="prediction")


# ---------------------------------------------------------------------------------------------------------- final model


def _final(w: Working, model: Any, z: list[Cell], axis: Axis, end: str, final: Any, table: Any, target: int) -> None:
    """The sum of a linear final model, and for classes the probabilities and the class."""
    coef = np.atleast_2d(np.asarray(final.coef_, dtype=np.float64))
    intercept = np.atleast_1d(np.asarray(final.intercept_, dtype=np.float64))
    intercept = np.broadcast_to(intercept, len(coef))
    if not is_classifier(model):
        row = target if len(coef) > 1 else 0
        f = _sum(w, coef[row], float(intercept[row]), z, "", end)
        said = np.asarray(final.predict(table))
        said = said if said.ndim == 1 else said[:, target]
        size = float(np.abs(said).max(initial=0.0))
        w.cell(f"prediction{end}", f, symbol=r"\hat{y}", label="prediction", equals=said,
               attribute="final_estimator_.predict(Z)", scale=size)  # fmt: skip
        return
    _of_classes(w, model, z, axis, end, final, table, coef, intercept)


def _sum(w: Working, coef: Floats, intercept: float, z: list[Cell], of: str, end: str) -> Any:
    b = w.given(f"b{of}{end}", intercept, symbol=f"b_{of}" if of else "b", label="intercept")
    weights = [
        w.given(f"w{of}{'_' if of else ''}{j + 1}{end}", float(value), symbol=f"w_{{{of}{j + 1}}}",
                label=f"weight of column {j + 1}")
        for j, value in enumerate(coef)
    ]  # fmt: skip
    return b + dot(weights, z)


def _of_classes(
    w: Working,
    model: Any,
    z: list[Cell],
    axis: Axis,
    end: str,
    final: Any,
    table: Any,
    coef: Floats,
    intercept: Floats,
) -> None:
    labels: Array = model.classes_
    said = plain(final.predict(table))
    if not hasattr(final, "predict_proba") or len(labels) > MOST_CLASSES or _by_parts(final, labels):
        w.given(f"prediction{end}", said, axis, symbol=r"\hat{c}", label="class")
        return
    shares = final.predict_proba(table)
    if len(coef) == 1:
        f = w.cell(f"f{end}", _sum(w, coef[0], float(intercept[0]), z, "", end), symbol="f", label="sum")
        formulas: list[Any] = [1 / (1 + exp(f)), 1 / (1 + exp(-1 * f))]
    else:
        sums = [
            w.cell(f"f{k + 1}{end}", _sum(w, row, float(intercept[k]), z, str(k + 1), end), symbol=f"f_{k + 1}",
                   label=f"sum for {labels[k]}")
            for k, row in enumerate(coef)
        ]  # fmt: skip
        formulas = [1 / added([exp(other - own) for other in sums]) for own in sums]
    cells = [
        w.cell(f"P{k + 1}{end}", formula, symbol=f"P_{k + 1}", label=f"probability of {labels[k]}",
               equals=column(shares, k), attribute="final_estimator_.predict_proba(Z)", scale=1.0)
        for k, formula in enumerate(formulas)
    ]  # fmt: skip
    winner(w, cells, labels, end, said, "final_estimator_.predict(Z)")


def _by_parts(final: Any, labels: Array) -> bool:
    """Are the probabilities made in another way than by the sums of all classes?"""
    if not hasattr(final, "decision_function"):
        return True
    return type(final).__name__ not in ("LogisticRegression", "LogisticRegressionCV") or (
        len(labels) > 2 and getattr(final, "multi_class", "auto") == "ovr"
    )


# -------------------------------------------------------------------------------------------------------------- predict


@shows("StackingClassifier.predict", "StackingRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    rows = asked_rows(data)
    w.title = "Stacking: predictions"
    w.intro = "What the members, fitted on all training rows, say of a row, and what the final model makes of it."
    part = _safe_indexing(data.table, rows)
    axis = Axis("row", rows)
    w.step("Rows", "What is asked about.")
    columns(w, data, rows, axis)
    table = model._meta(part)
    z = (table.toarray() if scipy.sparse.issparse(table) else np.asarray(table))[:, : sum(model._widths_)]
    w.step("Members", "What each member says.")
    cells = _given_columns(w, model, z, axis, "")
    w.step("Final model", f"What the {type(model.final_estimator_).__name__} makes of it.")
    if _is_linear(model, z):
        _final(w, model, cells, axis, "", model.final_estimator_, np.asarray(table, dtype=np.float64), data.target)
        return
    _not_linear(w, model, Given(data.X, data.names, target=data.target, row_axis=axis), model.predict(part))
