"""AdaBoost round by round: weights, who is wrong, the weighted error, the stage value, the next weights; the vote."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.data.table import read_table
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import (
    absolute,
    arg_max,
    equal,
    exp,
    ln,
    lookup,
    max_,
    previous,
    sum_,
    where,
)
from pellucid.working.model import Working
from pellucid.working.shown._rows import label as plain
from pellucid.working.shown._rows import labels, spelled
from pellucid.working.shown._tree import words_of

MOST_ROUNDS = 5  # shown in full; of the others the errors and stage values
MOST_COLUMNS = 6
MOST_ROWS = 3


# ------------------------------------------------------------------------------------------------------------------ fit


@shows("AdaBoostClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "AdaBoost"
    w.intro = (
        f"{_voters(model)} Each round weighs the rows, looks which of them its model gets wrong, and makes these "
        "heavier for the next. How a model is fitted is not shown; what is made of its answers is."
    )
    w.step("Data", "The rows and their classes.")
    columns = _columns(w, model, data)
    y = w.given("y", labels(data.y), data.row_axis, symbol="y", label="class")
    k = w.given("K", float(model.n_classes_), symbol="K", label="number of classes")
    rate = _rate(w, model)
    recorded = data.record["weights"][1]
    first = len(recorded) - 1 if model.ended_ == "perfect" else 0
    weight: Cell | None = None
    votes: list[tuple[Cell, Cell]] = []
    m = min(len(model.estimators_), MOST_ROUNDS)
    for t in range(m):
        w.step(f"Round {first + t + 1}", _asks(model, model.estimators_[t], data), turn=t + 1)
        weight = _weights(w, data, weight, recorded[first + t], t)
        _drawn(w, data, first + t, t)
        h = _answers(w, model, data, columns, t)
        wrong = w.cell(f"wrong_{t + 1}", where(equal(h, y), 0, 1), symbol=f"u_{t + 1}", label="1: wrong")
        error = w.cell(
            f"error_{t + 1}", sum_(weight * wrong) / sum_(weight), symbol=f"e_{t + 1}", label="weighted error",
            equals=model.estimator_errors_[t], attribute="estimator_errors_",
        )  # fmt: skip
        stage = _stage(w, model, error, k, rate, t)
        votes.append((h, stage))
        if model.ended_ != "perfect":
            after = recorded[first + t + 1] if t + 1 < len(recorded) - first else None
            weight = _next(w, model, weight, wrong, stage, after, t)
    _others(w, model, k, rate, m)
    _ends(w, model, recorded)
    _vote(w, model, data, votes)


def _voters(model: Any) -> str:
    names = {type(model_fitted).__name__ for model_fitted in (model.estimators_[:1] if len(model.estimators_) else [])}
    who = f"{counted(len(model.estimators_), 'model')} ({', '.join(sorted(names))})"
    return f"{who} vote." if len(model.estimators_) > 1 else f"{who} votes."


def _rate(w: Working, model: Any) -> Cell | None:
    if model.learning_rate == 1:
        return None
    return w.given("rate", float(model.learning_rate), symbol="r", label="learning rate")


def _columns(w: Working, model: Any, data: Given) -> dict[int, Cell]:
    """The first columns of the table, by their places."""
    table = read_table(data.table, "working")
    names = data.names or [str(name) for name in table.names or [f"x{j + 1}" for j in range(table.n_cols)]]
    column_cells = {}
    for j, name in enumerate(names[:MOST_COLUMNS]):
        if data.X.shape[1] and j not in model.schema_.categories:
            cell_values: Any = data.X[:, j]
        else:
            values = np.asarray(table.source[:, [j]].toarray()).ravel() if table.is_sparse else table.column(j)
            cell_values = (
                values.astype(np.float64) if values.dtype.kind in "biuf" else values.astype(str).astype(object)
            )
        column_cells[j] = w.given(f"x{j + 1}", cell_values, data.row_axis, symbol=f"x_{j + 1}", label=name)
    if table.n_cols > MOST_COLUMNS:
        w.note(f"{counted(table.n_cols - MOST_COLUMNS, 'more column')} of the table not shown.")
    return column_cells


def _weights(w: Working, data: Given, before: Cell | None, recorded: Floats, t: int) -> Cell:
    """The weights of a round: those that the round before left, or the first ones."""
    if before is not None:
        return before
    if t == 0 and len(np.unique(recorded)) == 1:
        rows = w.given("n", float(len(recorded)), symbol="n", label="rows")
        one_per_row = w.given("one", np.ones(len(recorded)), data.row_axis, symbol="s", label="each row counts")
        return w.cell(
            "w_1", one_per_row / rows, symbol="w_1", label="weight", equals=recorded, attribute="weights of round 1"
        )
    if data.weight is not None and t == 0 and np.allclose(recorded, data.weight / data.weight.sum(), rtol=1e-12):
        weight_cell = w.given("sample_weight", data.weight, data.row_axis, symbol="v", label="weight given")
        return w.cell("w_1", weight_cell / sum_(weight_cell), symbol="w_1", label="weight", equals=recorded,
                      attribute="weights of round 1")  # fmt: skip
    return w.given(f"w_{t + 1}", recorded, data.row_axis, symbol=f"w_{t + 1}", label="weight")


def _drawn(w: Working, data: Given, index: int, t: int) -> None:
    if "drawn" not in data.record:
        return
    drawn_rows = data.record["drawn"][1][index].astype(int)
    times = np.bincount(drawn_rows, minlength=len(data.row_axis)).astype(np.float64)
    w.given(f"times_{t + 1}", times, data.row_axis, symbol="q", label="times drawn")
    w.note("A round fits its model to rows drawn by their weights, as often as the column of draws says.")


def _asks(model: Any, member: Any, data: Given) -> str:
    """What the model of a round asks, where it is a stump."""
    tree = getattr(member, "tree_", None)
    if not isinstance(tree, TreeNodes) or len(tree) != 3 or not hasattr(member, "classes_"):
        if isinstance(tree, TreeNodes) and len(tree) == 1 and hasattr(member, "classes_"):
            return f"A stump that asks nothing: {_leaf(member, tree, 0)} everywhere."
        return f"The answers of a {type(member).__name__}."
    names = data.names or [str(name) for name in _names(member)]
    condition = words_of(member, names).condition(tree, 0, 0)
    return f"A stump: where {condition}, {_leaf(member, tree, 1)}; else {_leaf(member, tree, 2)}."


def _names(member: Any) -> list[str]:
    input_names = getattr(member, "feature_names_in_", None)
    return [f"x{j + 1}" for j in range(member.n_features_in_)] if input_names is None else list(input_names)


def _leaf(member: Any, tree: TreeNodes, node: int) -> str:
    shares = tree.value[node] / tree.value[node].sum()
    return spelled(plain(member.classes_[int(shares.argmax())]))


def _answers(w: Working, model: Any, data: Given, columns: dict[int, Cell], t: int) -> Cell:
    """What the model says of each row: by its test where that is a cut of a column that is shown."""
    member, name, text = model.estimators_[t], f"h_{t + 1}", "what the model says"
    codes = model._said(member, model._asked(data.table))
    predicted = labels(model.classes_[codes])
    tree = getattr(member, "tree_", None)
    if isinstance(tree, TreeNodes) and len(tree) == 3 and tree.test[0] == NodeTest.AT_MOST:
        column = columns.get(int(tree.feature[0]))
        finite = column is not None and np.isfinite(np.asarray(column.value, dtype=np.float64)).all()
        if column is not None and finite and np.isfinite(tree.threshold[0]):
            cut = w.given(f"cut_{t + 1}", float(tree.threshold[0]), symbol=f"c_{t + 1}", label="cut of the stump")
            sides = [
                plain(member.classes_[int((tree.value[node] / tree.value[node].sum()).argmax())]) for node in (1, 2)
            ]
            return w.cell(name, where(column <= cut, *sides), symbol=f"h_{t + 1}", label=text, equals=predicted,
                          attribute=f"estimators_[{t}].predict(X)")  # fmt: skip
    return w.given(name, predicted, data.row_axis, symbol=f"h_{t + 1}", label=text)


def _stage(w: Working, model: Any, error: Cell, k: Cell, rate: Cell | None, t: int) -> Cell:
    if model.ended_ == "perfect":
        return w.given(f"stage_{t + 1}", 1.0, symbol=f"a_{t + 1}", label="stage value: no error, it decides alone")
    return w.cell(f"stage_{t + 1}", _stage_of(model, error, k, rate), symbol=f"a_{t + 1}", label="stage value",
                  equals=model.estimator_weights_[t], attribute="estimator_weights_", scale=1e-3)  # fmt: skip


def _stage_of(model: Any, error: Expr, k: Expr, rate: Expr | None) -> Expr:
    formula = ln((1 - error) / error) if model.n_classes_ == 2 else ln((1 - error) / error) + ln(k - 1)
    formula = formula / 2 if model.stage == "half" else formula
    return formula if rate is None else rate * formula


def _next(
    w: Working, model: Any, weight: Cell, wrong: Cell, stage: Cell, recorded: Floats | None, t: int
) -> Cell | None:
    """The weights of the next round; after the last one nobody recorded them."""
    power: Expr = where(equal(wrong, 1), stage, -stage) if model.stage == "half" else stage * wrong
    formula: Expr = weight * exp(power)
    if model.normalize:
        moved = w.cell(f"moved_{t + 1}", formula, symbol="v", label="weight, moved")
        formula = moved / sum_(moved)
    if recorded is not None and (recorded[recorded > 0] <= 2.0**-52).any():  # raised to the least weight there is
        return None
    text = "weight in the next round" if recorded is not None else "weight in a next round"
    return w.cell(f"w_{t + 2}", formula, symbol=f"w_{t + 2}", label=text, equals=recorded,
                  attribute="" if recorded is None else f"weights of round {t + 2}")  # fmt: skip


def _others(w: Working, model: Any, k: Cell, rate: Cell | None, m: int) -> None:
    """Errors and stage values of the rounds that are not shown in full."""
    last = len(model.estimators_)
    if m == last:
        return
    w.note(f"Rounds {m + 1} and on are shown by their errors and stage values.")
    w.step("The other rounds", "Their weighted errors, and what their votes count.")
    rounds = Axis("round", range(m + 1, last + 1), "t", "T")
    error = w.given("errors", model.estimator_errors_[m:last], rounds, symbol="e", label="weighted error")
    w.cell("stages", _stage_of(model, error, k, rate), symbol="a", label="stage value",
           equals=model.estimator_weights_[m:last], attribute="estimator_weights_", scale=1e-3)  # fmt: skip


def _ends(w: Working, model: Any, recorded: Floats) -> None:
    reason = {
        "n_estimators": "",
        "perfect": "A model without an error ends it: its stage value would be infinite, so it decides alone."
        + (f" The {counted(len(recorded) - 1, 'model')} before it no longer count." if len(recorded) > 1 else ""),
        "chance": f"The model of round {len(recorded)} is no better than chance: it ends it and is left out.",
        "overflow": "The weights left the range of floats: the rounds so far are kept.",
    }[model.ended_]
    if reason:
        w.note(reason)


def _vote(w: Working, model: Any, data: Given, shown_votes: list[tuple[Cell, Cell]]) -> None:
    """The vote over the rows of the fit: of two classes one sum, of more a sum for each."""
    w.step("Vote", "Every model votes for the class it says with its stage value; the class with the most votes wins.")
    if model.n_classes_ == 1:
        w.note("There is one class only.")
        return
    votes, votes_not_shown = model._votes(data.table), np.zeros((model.n_classes_, len(data.row_axis)))
    if len(shown_votes) < len(model.estimators_):
        model._votes_of(model._asked(data.table), votes_not_shown, len(shown_votes), len(model.estimators_))
    predicted = labels(model.predict(data.table))
    class_names = [plain(one) for one in model.classes_]
    if model.n_classes_ == 2:
        score = _sum(
            [where(equal(h, class_names[1]), a, -a) for h, a in shown_votes],
            w,
            data,
            votes_not_shown[1] - votes_not_shown[0],
            "",
        )
        sums = w.cell(
            "score", score, symbol="s", label=f"votes for {spelled(class_names[1])} less for {spelled(class_names[0])}",
            equals=votes[1] - votes[0], attribute="decision_function(X)", scale=float(votes.max()),
        )  # fmt: skip
        w.cell("prediction", where(sums > 0, class_names[1], class_names[0]), symbol=r"\hat{y}", label="class",
               equals=predicted,
               attribute="predict(X)")  # fmt: skip
        return
    each = []
    for c, name in enumerate(class_names):
        score = _sum([where(equal(h, name), a, 0) for h, a in shown_votes], w, data, votes_not_shown[c], f"_{c + 1}")
        each.append(w.cell(f"votes_{c + 1}", score, symbol=f"V_{c + 1}", label=f"votes for {spelled(name)}",
                           equals=votes[c], attribute="decision_function(X)", scale=float(votes.max())))  # fmt: skip
    _winner(w, each, class_names, predicted)


def _sum(terms: list[Expr], w: Working, data: Given, votes_not_shown: Floats, end: str) -> Expr:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    if votes_not_shown.any():
        total = total + w.given(
            f"rest{end}", votes_not_shown, data.row_axis, symbol="R", label="votes of the other rounds"
        )
    return total


def _winner(w: Working, each: list[Cell], class_names: list[Any], predicted: Array) -> None:
    best = each[0]
    for c, votes in enumerate(each[1:], start=2):
        last = c == len(each)
        best = w.cell(f"most_{c}", where(best >= votes, best, votes), symbol="M" if last else f"M_{c}",
                      label="most votes" if last else f"most votes of {c}")  # fmt: skip
    winner: Expr = expr(class_names[-1])
    for c in range(len(each) - 2, -1, -1):
        winner = where(equal(best, each[c]), class_names[c], winner)
    w.cell("prediction", winner, symbol=r"\hat{y}", label="class", equals=predicted, attribute="predict(X)")


# -------------------------------------------------------------------------------------------------------------- predict


@shows("AdaBoostClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "AdaBoost: the vote"
    w.intro = f"{_voters(model)} Each counts as much as its stage value says."
    model_input, predicted = model._asked(data.table), np.asarray(model.predict(data.table))
    rows = data.rows or list(range(min(len(predicted), MOST_ROWS)))
    models = Axis("model", range(1, len(model.estimators_) + 1), "t", "T")
    codes = np.column_stack([model._said(member, model_input)[rows] for member in model.estimators_])
    w.step("Stage values", "What the vote of each model counts.")
    stage = w.given("stage", model._stages, models, symbol="a", label="stage value")
    class_names = [plain(member) for member in model.classes_]
    for i, row in enumerate(rows):
        w.step(f"Row {row}", "What each model says of it, and the votes added up.")
        h = w.given(f"h_{i + 1}", labels(model.classes_[codes[i]]), models, symbol="h", label="says")
        end = f"_{i + 1}"
        classes = Axis("class", [spelled(name) for name in class_names], "k", "K")
        both = w.given(f"class{end}", np.array(class_names, dtype=object), classes, symbol="c", label="class")
        gathered = w.cell(f"of_class{end}", sum_(where(equal(h, both), stage, 0), models), symbol="V", label="votes")
        class_index = w.cell(f"place{end}", arg_max(gathered), symbol="m", label="place of the most votes")
        w.cell(f"prediction{end}", lookup(both, class_index), symbol=r"\hat{y}", label="class",
               equals=labels(predicted[[row]])[0], attribute="predict(X)")  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- numbers


@shows("AdaBoostRegressor.fit")
def fit_numbers(w: Working, model: Any, data: Given) -> None:
    w.title = "AdaBoost.R2"
    w.intro = (
        f"{_voters(model)} Each round looks how far off its model is, row by row, and makes rows that it is near to "
        "lighter. How a model is fitted is not shown; what is made of its answers is."
    )
    w.step("Data", "The rows and their targets.")
    _columns(w, model, data)
    y = w.given("y", np.asarray(data.y, dtype=np.float64), data.row_axis, symbol="y", label="target")
    rate = _rate(w, model)
    recorded, predictions = data.record["weights"][1], model._answers(data.table)
    first = len(recorded) - 1 if model.ended_ == "perfect" else 0
    weight: Cell | None = None
    m = min(len(model.estimators_), MOST_ROUNDS)
    for t in range(m):
        w.step(f"Round {first + t + 1}", f"The answers of a {type(model.estimators_[t]).__name__}.", turn=t + 1)
        weight = _weights(w, data, weight, recorded[first + t], t)
        _drawn(w, data, first + t, t)
        loss = _loss(w, model, data, predictions[:, t], y, weight, t)
        error = w.cell(f"error_{t + 1}", sum_(weight * loss) / sum_(weight), symbol=f"e_{t + 1}", label="mean loss",
                       equals=model.estimator_errors_[t], attribute="estimator_errors_", scale=1e-9)  # fmt: skip
        if model.ended_ == "perfect" or (model.ended_ == "loss" and model.estimator_weights_[t] == 0):
            continue
        beta = w.cell(f"beta_{t + 1}", error / (1 - error), symbol=f"b_{t + 1}", label="small is good")
        stage: Expr = ln(1 / beta) if rate is None else rate * ln(1 / beta)
        w.cell(f"stage_{t + 1}", stage, symbol=f"a_{t + 1}", label="stage value", equals=model.estimator_weights_[t],
               attribute="estimator_weights_", scale=1e-3)  # fmt: skip
        if t + 1 < len(recorded) - first:
            weight = _next_of_numbers(w, weight, loss, beta, rate, recorded[first + t + 1], t)
    if m < len(model.estimators_):
        w.note(f"Rounds {m + 1} and on are not shown; all {len(model.estimators_)} models vote.")
    _ends_of_numbers(w, model, recorded)


def _loss(w: Working, model: Any, data: Given, predicted: Floats, y: Cell, weight: Cell, t: int) -> Cell:
    h = w.given(f"h_{t + 1}", predicted, data.row_axis, symbol=f"h_{t + 1}", label="what the model says")
    apart: Expr = absolute(h - y)
    if (np.asarray(weight.value) == 0).any():
        apart = where(weight > 0, apart, 0)
    off = w.cell(f"apart_{t + 1}", apart, symbol="d", label="how far off")
    if np.asarray(off.value).max() == 0:
        return off
    largest = w.cell(f"largest_{t + 1}", max_(off), symbol="D", label="the farthest")
    share = off / largest
    formula = {"linear": share, "square": share**2, "exponential": 1 - exp(-share)}[model.loss]
    return w.cell(f"loss_{t + 1}", formula, symbol="L", label="loss")


def _next_of_numbers(
    w: Working, weight: Cell, loss: Cell, beta: Cell, rate: Cell | None, recorded: Floats, t: int
) -> Cell | None:
    power: Expr = 1 - loss if rate is None else rate * (1 - loss)
    moved = w.cell(f"moved_{t + 1}", weight * beta**power, symbol="v", label="weight, moved")
    if (recorded[recorded > 0] <= 2.0**-52).any():
        return None
    return w.cell(f"w_{t + 2}", moved / sum_(moved), symbol=f"w_{t + 2}", label="weight in the next round",
                  equals=recorded, attribute=f"weights of round {t + 2}")  # fmt: skip


def _ends_of_numbers(w: Working, model: Any, recorded: Floats) -> None:
    reason = {
        "n_estimators": "",
        "perfect": "A model without any loss ends it: its stage value would be infinite, so it decides alone.",
        "loss": "A mean loss of one half or more ends it: "
        + ("the first model answers alone." if len(recorded) == 1 else f"round {len(recorded)} is left out."),
        "overflow": "The weights left the range of floats: the rounds so far are kept.",
    }[model.ended_]
    if reason:
        w.note(reason)


@shows("AdaBoostRegressor.predict")
def predict_numbers(w: Working, model: Any, data: Given) -> None:
    w.title = "AdaBoost.R2: the weighted median"
    w.intro = (
        f"{_voters(model)} Their answers are put in order, and the first is taken up to which the stage values make up "
        "half of their sum."
    )
    member_predictions, predicted = model._answers(data.table), np.asarray(model.predict(data.table), dtype=np.float64)
    stages = model._stages
    for i, row in enumerate(data.rows or list(range(min(len(predicted), MOST_ROWS)))):
        order, end = np.argsort(member_predictions[row], kind="stable"), f"_{i + 1}"
        w.step(f"Row {row}", "The answers of the models in rising order, each with its stage value.")
        models = Axis("model", [int(t) + 1 for t in order], "t", "T")
        h = w.given(f"h{end}", member_predictions[row][order], models, symbol="h", label="says")
        a = w.given(f"stage{end}", stages[order], models, symbol="a", label="stage value")
        so_far = w.recurring(f"sum{end}", models, 0, symbol="S", label="sum so far")
        w.becomes(so_far, previous(so_far) + a)
        w.run(models)
        w.steps[-1].walk = None
        half = w.cell(f"half{end}", sum_(a) / 2, symbol="H", label="half of all")
        short_of = w.cell(f"before{end}", where(so_far >= half, 0, 1), symbol="u", label="1: not yet half")
        rank = w.cell(f"place{end}", sum_(short_of) + 1, symbol="m", label="place of the median")
        w.cell(f"prediction{end}", lookup(h, rank), symbol=r"\hat{y}", label="weighted median", equals=predicted[row],
               attribute="predict(X)")  # fmt: skip
