"""Forests: the sample of a tree and its first split, rows left out, importances; and the trees' answers to a row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import arg_max, equal, lookup, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown import decision_tree
from pellucid.working.shown._ensembles import MOST_CLASSES, asked_rows, column, plain, winner
from pellucid.working.shown._rows import class_axis, label, labels, refuse
from pellucid.working.shown._tree import show_way, ways, words_of

MOST_WAYS = 2  # trees whose tests are shown
MOST_COLUMNS = 5
MOST_TREES = 200  # whose answers stand in a table


@shows("RandomForestClassifier.fit", "RandomForestRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    trees = len(model.estimators_)
    t = data.options.get("tree", 0)
    if not isinstance(t, int | np.integer) or not 0 <= t < trees:
        refuse(f"{type(model).__name__}.fit", f"tree must be a number from 0 to {trees - 1}", f"got {t!r}")
    t = int(t)
    times = model._sample_.counts(t).astype(np.float64)
    _sample(w, model, data, t, times)
    member = model.estimators_[t]
    decision_tree.fit(w, member, replace(data, weight=_weights(model, data, times)))
    w.title = "Forest: how its trees are grown"
    w.intro = (
        f"{counted(trees, 'tree')}, each grown on rows of its own. Tree {t} (counted from 0) is shown: its sample, and "
        "a node of it. show_fit(..., tree=t, node=k) shows another."
    )
    if hasattr(model, "oob_score_"):
        _out_of_bag(w, model, data)
    _importances(w, model, data)


def _weights(model: Any, data: Given, times: Floats) -> Floats | None:
    """What the rows weigh in a tree."""
    from pellucid.models.tree.class_weight import class_weights

    sample = model._sample_
    weight = times if sample.draw == "replace" else times * (1.0 if sample.weight is None else sample.weight)
    if getattr(model, "class_weight", None) != "balanced_subsample" or not model.bootstrap:
        return None if sample.draw == "all" and sample.weight is None else weight
    codes = np.asarray(data.options["y"], dtype=np.float64).reshape(len(times), -1)
    return class_weights(type(model).__name__, "balanced", codes, model._labels, weight)


def _sample(w: Working, model: Any, data: Given, t: int, times: Floats) -> None:
    if not model.bootstrap:
        w.step("Sample", "Every tree is grown on all rows; what differs is drawn at the splits.")
        return
    how = "with replacement" if model.replace else "without replacement"
    n = len(times)
    w.step("Sample", f"Of {counted(n, 'row')} {model._sample_.draws} are drawn {how}; rows with 0 are left out.")
    c = w.given("times", times, data.row_axis, symbol="c", label=f"times in the sample of tree {t}")
    inside = w.cell("inside", sum_(where(c > 0, 1, 0)), symbol="d", label="different rows in the sample",
                    equals=float(len(np.unique(model.estimators_samples_[t]))),
                    attribute="estimators_samples_")  # fmt: skip
    w.cell("inside_share", inside / n, symbol="q", label="as a share of all")


def _target(data: Given, heard: Array) -> Any:
    return plain(np.asarray(data.y))[heard]


def _out_of_bag(w: Working, model: Any, data: Given) -> None:
    """Rows by the trees that have not seen them."""
    if model.oob_score == "average":
        known = np.flatnonzero(np.isfinite(model.oob_scores_))
        w.step(
            "Rows left out", "The score of each tree on the rows that it has not seen, and the mean of these scores."
        )
        axis = Axis("tree", known.tolist(), "t", "T")
        s = w.given("oob_scores", model.oob_scores_[known], axis, symbol="s", label="score on its rows left out")
        w.cell("oob_score", mean(s), symbol=r"\bar{s}", label="mean", equals=model.oob_score_, attribute="oob_score_")
        return
    told = model.oob_answers_
    heard = np.flatnonzero(told)
    if not len(heard):
        return
    w.step("Rows left out", "Every row is answered by the trees that have not seen it; these answers are judged.")
    axis = Axis("row", (heard + 1).tolist())
    m = w.given("told", told[heard].astype(float), axis, symbol="m", label="trees that have not seen it")
    y = w.given("oob_y", _target(data, heard), axis, symbol="y", label="target")
    if hasattr(model, "classes_"):
        _oob_classes(w, model, data, heard, m, y)
    elif model.n_outputs_ == 1:
        _oob_numbers(w, model, heard, m, y)


def _oob_classes(w: Working, model: Any, data: Given, heard: Array, m: Cell, y: Cell) -> None:
    if isinstance(model.classes_, list) or len(model.classes_) > MOST_CLASSES:
        return
    kept = model.oob_decision_function_[heard]
    cells = []
    for k, name in enumerate(model.classes_):
        sums = w.given(f"oob_sum{k + 1}", kept[:, k] * m.value, m.axis, symbol=f"S_{k + 1}", label=f"for {name}")
        cells.append(w.cell(f"oob_P{k + 1}", sums / m, symbol=f"P_{k + 1}", label=f"share of {name}",
                            equals=column(kept, k), attribute="oob_decision_function_", scale=1.0))  # fmt: skip
    said = plain(model.classes_[kept.argmax(axis=1)])
    found = winner(w, cells, model.classes_, "_oob", said, "oob_decision_function_")
    if callable(model.oob_score):
        return
    right = w.cell("oob_right", where(equal(found, y), 1, 0), symbol="r", label="1 if right")
    w.cell("oob_score", mean(right), symbol=r"\bar{r}", label="share that is right", equals=model.oob_score_,
           attribute="oob_score_")  # fmt: skip


def _oob_numbers(w: Working, model: Any, heard: Array, m: Cell, y: Cell) -> None:
    kept = np.asarray(model.oob_prediction_)[heard]
    size = float(np.abs(kept).max(initial=0.0))
    sums = w.given("oob_sum", kept * m.value, m.axis, symbol="S", label="sum of their answers")
    f = w.cell("oob_f", sums / m, symbol="f", label="their mean", equals=kept, attribute="oob_prediction_", scale=size)
    if callable(model.oob_score) or len(heard) < 2 or np.ptp(np.asarray(y.value, dtype=float)) == 0:
        return
    middle = w.cell("oob_mean", mean(y), symbol=r"\bar{y}", label="mean of the targets")
    wrong = w.cell("oob_sse", sum_((y - f) ** 2), symbol="E", label="sum of squared errors")
    spread = w.cell("oob_sst", sum_((y - middle) ** 2), symbol="V", label="sum of squares around the mean")
    w.cell("oob_score", 1 - wrong / spread, symbol="R^2", label="share of the spread that is explained",
           equals=model.oob_score_, attribute="oob_score_", scale=1.0)  # fmt: skip


def _importances(w: Working, model: Any, data: Given) -> None:
    """Shares of the fall of the impurity, tree by tree, and their mean."""
    split = np.flatnonzero(np.diff(model.forest.tree_start) > 1)
    share = model.tree_importances_[split]
    if not len(split) or len(split) > MOST_TREES or not np.allclose(share.sum(axis=1), 1):
        return
    w.step("Importances", "Of the fall of the impurity in each tree, what is due to a column; the mean over the trees.")
    axis = Axis("tree", split.tolist(), "t", "T")
    for j, name in enumerate(data.names[:MOST_COLUMNS]):
        one = w.given(f"share_{j + 1}", column(share, j), axis, symbol=f"g_{{{j + 1}}}", label=f"share of {name}")
        w.cell(f"importance_{j + 1}", mean(one), symbol=f"I_{{{j + 1}}}", label=f"importance of {name}",
               equals=float(model.feature_importances_[j]), attribute="feature_importances_", scale=1.0)  # fmt: skip
    if len(data.names) > MOST_COLUMNS:
        w.note(f"{counted(len(data.names) - MOST_COLUMNS, 'more column')} not shown.")


# ---------------------------------------------------------------------------------------------------------- prediction


@shows("RandomForestClassifier.predict", "RandomForestRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    trees = list(model.estimators_[:MOST_TREES])
    w.title = "Forest: predictions"
    w.intro = "A row passes through every tree, from its root to a leaf; the predictions of the leaves are averaged."
    words = words_of(model, data.names)
    said = np.asarray(model.predict(data.table))
    said = said[:, data.target] if said.ndim > 1 else said
    rows = asked_rows(data)
    for i, row in enumerate(rows):
        tag = f"r{row}_" if rows.count(row) == 1 else f"r{row}_{i}_"
        found = [ways(tree.tree_, data.X[row])[0] for tree in trees]
        for t in range(min(MOST_WAYS, len(trees))):
            show_way(w, f"{tag}t{t}_", f"Row {row}: way through tree {t}", trees[t].tree_, found[t], data.X[row], words)
        if len(model.estimators_) > MOST_WAYS:
            w.note(f"The ways through {counted(len(model.estimators_) - MOST_WAYS, 'more tree')} are not shown.")
        leaves = np.array([way.nodes[-1] for way in found])
        values = np.array([tree.tree_.value[leaf] for tree, leaf in zip(trees, leaves, strict=True)])
        if hasattr(model, "classes_") and _are_many(model, data, len(trees)):
            _many_classes(w, model, data, tag, row, said[row])
            continue
        w.step(
            f"Row {row}: predictions of the trees",
            "The leaf of each tree, and its prediction.",
            in_workbook="They are those of the row as it is: they do not follow a changed value.",
        )
        if hasattr(model, "classes_"):
            _classes(w, model, data, tag, row, values, leaves, said[row])
        else:
            _numbers(w, model, data, tag, values[:, data.target], leaves, float(said[row]))
    if not data.rows and len(data.X) > len(rows):
        w.note(f"The first {counted(len(rows), 'row')} are shown; rows=[...] asks for others.")


def _leaves(w: Working, tag: str, leaves: Array) -> Axis:
    axis = Axis("tree", list(range(len(leaves))), "t", "T")
    w.given(f"{tag}leaf", leaves.astype(float), axis, symbol="l", label="leaf that the row ends in")
    return axis


def _numbers(w: Working, model: Any, data: Given, tag: str, values: Floats, leaves: Array, said: float) -> None:
    axis = _leaves(w, tag, leaves)
    v = w.given(f"{tag}v", values, axis, symbol="v", label="its prediction")
    look: dict[str, Any] = {"symbol": r"\hat{y}", "label": "prediction: the mean over the trees"}
    if len(values) < len(model.estimators_):
        w.note(f"The last {len(model.estimators_) - len(values):,} of {len(model.estimators_):,} trees are not listed.")
        w.check(w.given(f"{tag}prediction", said, **look), said, "predict(X)")
        return
    size = float(np.abs(values).max(initial=0.0))
    w.cell(f"{tag}prediction", mean(v), equals=said, attribute="predict(X)", scale=size, **look)


def _are_many(model: Any, data: Given, listed: int) -> bool:
    """Are there too many classes or trees for a table of each tree's shares?"""
    return len(model._labels[data.target]) > MOST_CLASSES or listed < len(model.estimators_)


def _many_classes(w: Working, model: Any, data: Given, tag: str, row: int, said: Any) -> None:
    """The mean shares of all classes as the model has them, and the largest."""
    trees = counted(len(model.estimators_), "tree")
    told = "classes that the trees vote for" if model.voting == "hard" else "shares of the classes in their leaves"
    w.step(
        f"Row {row}: prediction of the forest",
        f"The mean over {trees} of the {told}. The class with the largest mean is predicted.",
        in_workbook="It is that of the row as it is: it does not follow a changed value.",
    )
    w.note("Of many classes or trees the mean shares are given, not worked out.")
    known = model._labels[data.target]
    sure = model.predict_proba(data.table)
    sure = np.asarray(sure[data.target] if isinstance(sure, list) else sure)[row]
    axis = class_axis(np.asarray(known))
    c = w.given(f"{tag}c", labels(np.asarray(known)), axis, symbol="c", label="class")
    p = w.given(f"{tag}P", sure, axis, symbol="P", label="mean share")
    w.check(p, sure, "predict_proba(X)")
    w.cell(f"prediction_{tag}".rstrip("_"), lookup(c, arg_max(p)), symbol=r"\hat{c}", label="class with the largest",
           equals=label(said), attribute="predict(X)")  # fmt: skip


def _classes(w: Working, model: Any, data: Given, tag: str, row: int, values: Floats, leaves: Array, said: Any) -> None:
    known = model._labels[data.target]
    sure = model.predict_proba(data.table)
    sure = np.asarray(sure[data.target] if isinstance(sure, list) else sure)[row]
    start = sum(len(one) for one in model._labels[: data.target])
    own = values[:, start : start + len(known)]
    share = own / own.sum(axis=1, keepdims=True)
    if model.voting == "hard":
        share = (np.arange(len(known)) == own.argmax(axis=1)[:, None]).astype(float)
    end = f"_{tag}".rstrip("_")
    axis = _leaves(w, tag, leaves)
    cells = []
    for k, name in enumerate(known):
        words = f"1 if for {name}" if model.voting == "hard" else f"share of {name} in the leaf"
        p = w.given(f"{tag}p_{k + 1}", column(share, k), axis, symbol=f"p_{{{k + 1}}}", label=words)
        cells.append(w.cell(f"{tag}P_{k + 1}", mean(p), symbol=f"P_{{{k + 1}}}", label=f"mean for {name}",
                            equals=float(sure[k]), attribute="predict_proba(X)", scale=1.0))  # fmt: skip
    winner(w, cells, known, end, plain(np.array([said]))[0], "predict(X)")
