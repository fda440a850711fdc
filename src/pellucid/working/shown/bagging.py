"""How bagging comes to its answers: samples drawn, a model on each, rows left out, and the vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing, get_tags

from pellucid.base.errors import count as counted
from pellucid.base.errors import join_some
from pellucid.base.types import Array, Floats
from pellucid.ensemble._bagging import fit_one
from pellucid.ensemble._samples import counts_of, left_out, seed_names, take
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._ensembles import MOST_CLASSES, added, asked_rows, column, columns, plain, winner

MOST_ROUNDS = 3
MOST_MODELS = 5  # whose answers stand side by side
MOST_DRAWS = 200  # beyond, how often a row was drawn is not counted before the reader's eyes


@shows("BaggingClassifier.fit", "BaggingRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    name = type(model.estimator_).__name__ if model.models is None else "model"
    w.title = "Bagging"
    w.intro = (
        f"{counted(len(model.estimators_), 'sample')} of the rows, a {name} fitted on each; their answers together."
        if model.models is None
        else f"{counted(len(model.estimators_), 'model')} that were given; their answers together."
    )
    w.step("Data", "The rows and their target.")
    columns(w, data, list(range(len(data.row_axis))), data.row_axis)
    y = w.given("y", plain(data.y), data.row_axis, symbol="y", label="target")
    if data.weight is not None:
        w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
        w.note(
            "The weight of a row is its chance to be drawn."
            if model.bootstrap
            else "The weights of the rows are handed on to the models."
        )
    sample_counts = [] if model.models is not None else _samples(w, model, data)
    _rounds(w, model, data, y, sample_counts)
    _together(w, model, data)
    if model.oob_score is not False and model.models is None:
        _out_of_bag(w, model, data, y)


# -------------------------------------------------------------------------------------------------------------- samples


def _samples(w: Working, model: Any, data: Given) -> list[Cell]:
    """The first samples, and how often each row is in them."""
    draws, n = model._draws_[0], len(data.row_axis)
    samples_shown = model.estimators_samples_[:MOST_ROUNDS]
    how = "with replacement" if model.bootstrap else "without replacement"
    w.step("Samples", f"{counted(draws.rows, 'row')} for each model, drawn {how}: the numbers of the rows, in turn.")
    draw_axis = Axis("draw", range(1, draws.rows + 1), "d", "m")
    cells = [
        w.given(f"drawn{t + 1}", rows + 1.0, draw_axis, symbol=f"s_{t + 1}", label=f"sample {t + 1}")
        for t, rows in enumerate(samples_shown)
    ]
    if len(model.estimators_) > len(samples_shown):
        w.note(f"{counted(len(model.estimators_) - len(samples_shown), 'more sample')} not shown.")
    for t, picked in enumerate(model.estimators_features_[: len(samples_shown)]):
        if len(picked) < draws.n_columns or draws.repeat_columns:
            w.note(f"Sample {t + 1} has the columns {join_some((picked + 1).tolist(), limit=10)}.")
    w.step("How often", "How often each row was drawn; rows with 0 are left out (out of bag).")
    number = w.given("row", np.arange(1.0, n + 1), data.row_axis, symbol="i", label="row")
    often = []
    for t, rows in enumerate(samples_shown):
        times = counts_of(rows, n).astype(np.float64)
        style: dict[str, Any] = {"symbol": f"c_{t + 1}", "label": f"times in sample {t + 1}"}
        if max(n, draws.rows) <= MOST_DRAWS:
            formula = sum_(where(equal(cells[t], number), 1, 0), draw_axis)
            often.append(w.cell(f"times{t + 1}", formula, equals=times, attribute="estimators_samples_", **style))
        else:
            often.append(w.given(f"times{t + 1}", times, data.row_axis, **style))
    for t, times_drawn in enumerate(often):
        inside = w.cell(f"inside{t + 1}", sum_(where(times_drawn > 0, 1, 0)), symbol=f"n_{t + 1}",
                        label=f"different rows in sample {t + 1}", equals=float(len(np.unique(samples_shown[t]))),
                        attribute="estimators_samples_")  # fmt: skip
        w.cell(f"share{t + 1}", inside / n, symbol=f"q_{t + 1}", label="as a share of all")
    return often


# --------------------------------------------------------------------------------------------------------------- models


def _rounds(w: Working, model: Any, data: Given, y: Cell, often: list[Cell]) -> None:
    """What the first models say of every row; each is fitted again on its sample and must say the same."""
    of_classes, table = is_classifier(model), model._inside(model._validate_predict(data.table))
    n_shown = len(often) or min(len(model.estimators_), MOST_MODELS)
    refit = bool(often) and not get_tags(model.estimator_).non_deterministic
    words = "fitted again on its sample, it says of every row" if refit else "what it says of every row"
    for t in range(n_shown):
        w.step(f"Model {t + 1}", f"A {_name(model.estimators_[t])}: {words}.", turn=t + 1)
        predicted = _said(model, t, model.estimators_[t], table, data.target)
        again = _said(model, t, _again(model, data, table, t), table, data.target) if refit else predicted
        p = w.given(f"p{t + 1}", again, data.row_axis, symbol=f"p_{t + 1}", label=f"says model {t + 1}")
        w.check(p, predicted, f"estimators_[{t}].predict(X)")
        if of_classes:
            fit_quality = w.cell(f"right{t + 1}", where(equal(p, y), 1, 0), symbol=f"r_{t + 1}", label="1 if right")
        else:
            fit_quality = w.cell(f"error{t + 1}", (y - p) ** 2, symbol=f"e_{t + 1}", label="squared error")
        name = "share right" if of_classes else "mean squared error"
        w.cell(f"score{t + 1}", mean(fit_quality), symbol=f"a_{t + 1}", label=f"{name}, all rows")
        if often and np.any(np.asarray(often[t].value) == 0):
            out = where(equal(often[t], 0), 1, 0)
            tied = of_classes and model.oob_score is not False and data.weight is None
            w.cell(f"left_out{t + 1}", sum_(where(equal(often[t], 0), fit_quality, 0)) / sum_(out), symbol=f"o_{t + 1}",
                   label=f"{name}, rows left out", equals=float(model.oob_scores_[t]) if tied else None,
                   attribute="oob_scores_")  # fmt: skip


def _name(model: Any) -> str:
    return "rule given as a function" if type(model).__name__ == "GivenFunction" else type(model).__name__


def _again(model: Any, data: Given, table: Any, t: int) -> Any:
    """Model t fitted once more."""
    y = data.options.get("y", data.y) if not is_classifier(model) else data.y
    weight = None if model.bootstrap else data.weight
    takes = "sample_weight" in _parameters(model.estimator_)
    call = (type(model).__name__, t, len(model.estimators_), model.estimator_, table, np.asarray(y), weight)
    return fit_one(*call, model._draws_[t], int(model._seeds_[t]), takes, seed_names(model.estimator_), {}, 0)[0]


def _parameters(model: Any) -> Any:
    from inspect import signature

    return signature(model.fit).parameters


def _said(model: Any, t: int, member: Any, table: Any, target: int) -> Any:
    columns_of_member = take(table, None, model._some(model.estimators_features_[t]))
    predicted = np.asarray(member.predict(columns_of_member))
    return plain(predicted if predicted.ndim == 1 else predicted[:, target])


# -------------------------------------------------------------------------------------------------------------- answers


def _together(w: Working, model: Any, data: Given) -> None:
    """The sum of what all models say, over their number."""
    d, T = model._validate_predict(data.table), len(model.estimators_)
    formula: Any
    sums: Any
    if not is_classifier(model):
        predicted = np.asarray(model.predict(data.table)).reshape(len(data.row_axis), -1)[:, data.target]
        w.step("Mean", "Of the predictions of all models.")
        if T <= MOST_MODELS and f"p{T}" in w.cells:
            formula = added([w.cells[f"p{t + 1}"] for t in range(T)]) / T
        else:
            sums = w.given("sum", column(model._sum(d, type(model)._answer), data.target), data.row_axis, symbol="S",
                           label=f"sum over {T} models")  # fmt: skip
            formula = sums / T
        w.cell("prediction", formula, symbol=r"\hat{y}", label="prediction", equals=predicted, attribute="predict(X)",
               scale=float(np.abs(predicted).max(initial=0.0)))  # fmt: skip
        return
    labels = model.classes_
    if len(labels) > MOST_CLASSES:
        w.step("Vote", "The class with the largest share.")
        w.note(f"The shares of {len(labels)} classes are not shown; show_predict takes rows apart.")
        w.given("prediction", plain(model.predict(data.table)), data.row_axis, symbol=r"\hat{c}", label="class")
        return
    hard = model.voting == "hard" or not any(hasattr(member, "predict_proba") for member in model.estimators_)
    words = "How many models say each class" if hard else "The sum of the models' probabilities"
    w.step("Vote", f"{words}, over their number; the largest wins, of equals the first.")
    shares = model.predict_proba(data.table)
    side_by_side = hard and T <= MOST_MODELS and f"p{T}" in w.cells
    sums = None if side_by_side else model._sum(d, type(model)._answer)
    cells = []
    for k, label in enumerate(labels):
        class_name = plain(np.array([label]))[0]
        if sums is None:
            formula = added([where(equal(w.cells[f"p{t + 1}"], class_name), 1, 0) for t in range(T)])
            votes = w.cell(f"votes{k + 1}", formula, symbol=f"V_{k + 1}", label=f"votes for {label}")
        else:
            votes = w.given(f"votes{k + 1}", column(sums, k), data.row_axis, symbol=f"V_{k + 1}",
                            label=f"for {label}, {T} models")  # fmt: skip
        cells.append(
            w.cell(f"P{k + 1}", votes / T, symbol=f"P_{k + 1}", label=f"share of {label}", equals=column(shares, k),
                   attribute="predict_proba(X)", scale=1.0)
        )  # fmt: skip
    winner(w, cells, labels, "", plain(model.predict(data.table)), "predict(X)")


def _out_of_bag(w: Working, model: Any, data: Given, y: Cell) -> None:
    """Rows by the models that did not see them."""
    n = len(data.row_axis)
    if model.oob_score == "average":
        w.step("Out of bag", "The score of each model on the rows that it left out, and the mean of these scores.")
        scored_models = np.flatnonzero(np.isfinite(model.oob_scores_))
        axis = Axis("model", (scored_models + 1).tolist(), "t", "T")
        s = w.given(
            "oob_scores", model.oob_scores_[scored_models], axis, symbol="s", label="score on its rows left out"
        )
        w.cell("oob_score", mean(s), symbol=r"\bar{s}", label="mean", equals=model.oob_score_, attribute="oob_score_")
        return
    unseen = [left_out(rows, n) for rows in model.estimators_samples_]
    n_models = np.bincount(np.concatenate(unseen), minlength=n)
    rows_covered = np.flatnonzero(n_models)
    if not len(rows_covered):
        w.note("No row was left out by any model.")
        return
    axis = Axis("row", (rows_covered + 1).tolist())
    w.step("Out of bag", "Every row is answered by the models that did not learn from it; these answers are judged.")
    m = w.given("told", n_models[rows_covered].astype(float), axis, symbol="m", label="models that did not see it")
    target = w.given("oob_y", np.asarray(y.value)[rows_covered], axis, symbol="y", label="target")
    if is_classifier(model):
        cells, oob_values = [], model.oob_decision_function_[rows_covered]
        for k, label in enumerate(model.classes_[:MOST_CLASSES]):
            sums = w.given(
                f"oob_sum{k + 1}",
                oob_values[:, k] * n_models[rows_covered],
                axis,
                symbol=f"S_{k + 1}",
                label=f"for {label}",
            )
            cells.append(w.cell(f"oob_P{k + 1}", sums / m, symbol=f"P_{k + 1}", label=f"share of {label}",
                                equals=column(oob_values, k), attribute="oob_decision_function_",
                                scale=1.0))  # fmt: skip
        if len(model.classes_) > MOST_CLASSES or data.weight is not None:
            return
        predicted = winner(
            w, cells, model.classes_, "_oob", plain(model.classes_[oob_values.argmax(axis=1)]), "argmax of the shares"
        )
        correct = w.cell("oob_right", where(equal(predicted, target), 1, 0), symbol="r", label="1 if right")
        w.cell("oob_score", mean(correct), symbol="a", label="share right, out of bag", equals=model.oob_score_,
               attribute="oob_score_", scale=1.0)  # fmt: skip
        return
    oob_values = model.oob_prediction_.reshape(n, -1)[rows_covered, data.target]
    sums = w.given("oob_sum", oob_values * n_models[rows_covered], axis, symbol="S", label="sum of their predictions")
    f = w.cell("oob_prediction", sums / m, symbol=r"\hat{y}", label="their mean", equals=oob_values,
               attribute="oob_prediction_", scale=float(np.abs(oob_values).max(initial=0.0)))  # fmt: skip
    sse = w.cell("oob_sse", sum_((target - f) ** 2), symbol=r"\text{SSE}", label="squared errors")
    sst = w.cell("oob_sst", sum_((target - mean(target)) ** 2), symbol=r"\text{SST}", label="squares about the mean")
    if data.weight is None and model.oob_prediction_.ndim == 1 and float(sst.value) > 0:
        w.cell("oob_score", 1 - sse / sst, symbol="R^2", label="out of bag", equals=model.oob_score_,
               attribute="oob_score_", scale=1.0)  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- predict


@shows("BaggingClassifier.predict", "BaggingRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    rows, T = asked_rows(data), len(model.estimators_)
    w.title = "Bagging: predictions"
    w.intro = f"What each of the {counted(T, 'model')} says of a row, and what they say together."
    rows_of_table = _safe_indexing(data.table, rows)
    inside = model._inside(model._validate_predict(rows_of_table))
    w.step("Rows", "What is asked about.")
    columns(w, data, rows, Axis("row", rows))
    member_predictions = np.array([
        model._answer(t, member, take(inside, None, model._some(model.estimators_features_[t])))
        for t, member in enumerate(model.estimators_)
    ])  # fmt: skip
    axis = Axis("model", range(1, T + 1), "t", "T")
    for position, row in enumerate(rows):
        tag = f"row{row}_" if rows.count(row) == 1 else f"row{row}_{position}_"
        if is_classifier(model):
            _vote_on(w, model, rows_of_table, position, row, tag, axis, member_predictions[:, position])
        else:
            _mean_of(
                w,
                model,
                rows_of_table,
                position,
                row,
                tag,
                axis,
                member_predictions[:, position, data.target],
                data.target,
            )


def _vote_on(
    w: Working, model: Any, table: Any, position: int, row: int, tag: str, axis: Axis, member_shares: Floats
) -> None:
    labels: Array = model.classes_
    predicted, shares = model.predict(table)[position], model.predict_proba(table)[position]
    w.step(f"Row {row}", "The share that each model gives each class; the mean over the models; the largest wins.")
    if len(labels) > MOST_CLASSES:
        w.note(f"Of {len(labels)} classes the {MOST_CLASSES} with the largest shares are shown.")
    class_indices = np.sort(np.argsort(-shares, kind="stable")[:MOST_CLASSES])
    cells = []
    share_cells = [
        w.given(f"{tag}p{k + 1}", column(member_shares, k), axis, symbol=f"p_{k + 1}", label=str(labels[k]))
        for k in class_indices
    ]
    for k, p in zip(class_indices.tolist(), share_cells, strict=True):
        cells.append(w.cell(f"{tag}P{k + 1}", sum_(p) / len(axis), symbol=f"P_{k + 1}", label=f"share of {labels[k]}",
                            equals=float(shares[k]), attribute="predict_proba(X)", scale=1.0))  # fmt: skip
    winner(w, cells, labels[class_indices], f"_{tag[:-1]}", plain(np.array([predicted]))[0], "predict(X)")


def _mean_of(
    w: Working,
    model: Any,
    table: Any,
    position: int,
    row: int,
    tag: str,
    axis: Axis,
    member_predictions: Floats,
    target: int,
) -> None:
    predicted = float(np.asarray(model.predict(table)).reshape(len(model.predict(table)), -1)[position, target])
    w.step(f"Row {row}", "What each model predicts, and the mean.")
    p = w.given(f"{tag}p", np.ascontiguousarray(member_predictions), axis, symbol="p", label="prediction")
    w.cell(f"{tag}prediction", mean(p), symbol=r"\hat{y}", label="mean", equals=predicted, attribute="predict(X)",
           scale=float(np.abs(member_predictions).max()))  # fmt: skip
