"""The first filling, how the passes settle, the lines of the last one, and the chain of lines run over a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.impute._bayes import BayesianLine
from pellucid.impute._imputer import numbers_of
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Expr, expr
from pellucid.working.language import count, dot, equal, least, median, mode, total, where
from pellucid.working.model import Working

MOST_COLUMNS = 10
MOST_ROWS = 2
MOST_STEPS = 60


def _numbers(model: Any, data: Given) -> Floats:
    inner = numbers_of(model._later(data.table), model.missing_values)
    return np.asarray(inner.numbers, dtype=np.float64)


@shows("IterativeImputer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns predicted from each other, in passes"
    w.intro = (
        "Gaps are filled simply at first. In each pass every column is regressed on the others over the rows that have "
        "it, and its gaps get the predictions."
    )
    _first(w, model, data)
    passes = data.record.get("passes", ([], np.empty((0, 3))))[1]
    if len(passes):
        _settling(w, model, passes)
        _last_lines(w, model, data)
    else:
        w.note("No pass is made: there is one column, nothing to predict from, or max_iter is 0.")


def _first(w: Working, model: Any, data: Given) -> None:
    X = _numbers(model, data)
    how = model.initial_strategy
    for j in range(min(X.shape[1], MOST_COLUMNS)):
        name, there = data.names[j], ~np.isnan(X[:, j])
        w.step(f"First filling of {name}", f"Its {how.replace('_', ' ')}.")
        if not there.any():
            w.note(f"Column {name} has no values.")
            continue
        axis = (
            data.row_axis if there.all() else Axis(f"row with {name}", (np.flatnonzero(there) + 1).tolist(), "i", "n")
        )
        x = w.given(f"x_{j + 1}", X[there, j], axis, symbol=f"x_{{{j + 1}}}", label=name)
        constant = 0.0 if model.fill_value is None or how != "constant" else float(model.fill_value)
        formulas: dict[str, Expr] = {"mean": total(x) / count(x), "median": median(x), "most_frequent": mode(x)}
        w.cell(f"s_{j + 1}", formulas.get(how, expr(constant)), symbol=f"s_{{{j + 1}}}", label="filled in first",
               equals=float(model.initial_imputer_.statistics_[j]), attribute=f"initial_imputer_.statistics_[{j}]",
               scale=float(np.abs(X[there, j]).max()))  # fmt: skip
    if X.shape[1] > MOST_COLUMNS:
        w.note(f"The last {counted(X.shape[1] - MOST_COLUMNS, 'column')} are not shown.")


def _settling(w: Working, model: Any, passes: Floats) -> None:
    w.step("Passes", "The largest change of a row in each pass: the sum over its columns. Passes end below the limit.")
    axis = Axis("pass", [int(number) for number in passes[:, 0]], "t", "T")
    change = w.given("change", passes[:, 1], axis, symbol="c", label="largest change of a row")
    limit = w.given("limit", float(passes[0, 2]), symbol="l", label="limit: tol times the largest known number")
    w.cell("T", count(change), symbol="T", label="passes made", equals=float(model.n_iter_), attribute="n_iter_")
    w.cell("settled", where(least(change) > limit, 0, 1), symbol="e", label="1: a change came down to the limit")
    if model.sample_posterior:
        w.note("Values are drawn around the predictions, so passes do not settle: all of them are made.")


def _last_lines(w: Working, model: Any, data: Given) -> None:
    """The lines of the last pass, as the fit that was run again recorded them."""
    lines = data.record.get("lines")
    if lines is None:
        w.note(f"The models are {type(model.estimator).__name__}s, whose work is not shown.")
        return
    per_pass = model.n_features_with_missing_
    last = lines[1][-per_pass:]
    names = [data.names[int(j)] for j in model._kept_]
    axis = Axis("column", names, "c", "p")
    steps = model.imputation_sequence_[-per_pass:]
    for row, step in list(zip(last, steps, strict=True))[:MOST_COLUMNS]:
        j = step.feat_idx
        w.step(f"Last line of {names[j]}", _line_words(step.estimator))
        given = w.given(f"w_{j + 1}", row[2:], axis, symbol=f"w_{{{j + 1}}}", label="weight of the column")
        own = np.zeros(len(names))
        own[step.neighbor_feat_idx] = step.estimator.coef_
        w.check(given, own, "imputation_sequence_[-1].estimator.coef_", scale=1.0)
        b = w.given(f"b_{j + 1}", float(row[1]), symbol=f"b_{{{j + 1}}}", label="intercept")
        w.check(b, step.estimator.intercept_, "imputation_sequence_[-1].estimator.intercept_", scale=1.0)


def _line_words(line: BayesianLine) -> str:
    return (
        f"A ridge regression whose penalty, lambda / alpha = {line.lambda_:.4g} / {line.alpha_:.4g}, was found from "
        f"the data in {counted(line.n_iter_, 'pass')} of its own."
    )


# ------------------------------------------------------------------------------------------------------------ transform


@shows("IterativeImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "A row with gaps, step by step"
    w.intro = "Gaps get their column's first value, then the value of each line of the fitted chain in turn."
    X, found = _numbers(model, data), np.asarray(model._transform(model._later(data.table)), dtype=np.float64)
    _table(w, model, data, X, found)
    gaps = np.isnan(X[:, model._kept_])
    gaps[:, model._empty_[model._kept_]] = False
    rows = [i for i in data.rows if gaps[i].any()] + np.flatnonzero(gaps.any(axis=1)).tolist()
    chain = model.imputation_sequence_
    if model.sample_posterior or (chain and not isinstance(chain[0].estimator, BayesianLine)):
        w.note("Values that are drawn, or that another estimator predicts, are not worked out.")
        return
    for i in list(dict.fromkeys(rows))[:MOST_ROWS]:
        _row(w, model, data, i, X[i, model._kept_], gaps[i], found[i])
    if len(set(rows)) > MOST_ROWS:
        w.note(f"Of {counted(len(set(rows)), 'row')} with gaps {MOST_ROWS} are worked out; the others are not shown.")


def _table(w: Working, model: Any, data: Given, X: Floats, found: Array) -> None:
    w.step("Table", "The columns before and after; where nothing is missing they stay.")
    for k, j in enumerate(model._kept_.tolist()[:MOST_COLUMNS]):
        m = w.given(f"m_{j + 1}", np.isnan(X[:, j]).astype(float), data.row_axis, symbol=f"m_{{{j + 1}}}",
                    label=f"1 where {data.names[j]} is missing")  # fmt: skip
        x = w.given(f"x_{j + 1}", np.nan_to_num(X[:, j]), data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        f = w.given(f"f_{j + 1}", np.where(np.isnan(X[:, j]), found[:, k], 0.0), data.row_axis,
                    symbol=f"f_{{{j + 1}}}", label="what is filled in")  # fmt: skip
        w.cell(f"z_{j + 1}", where(equal(m, 1), f, x), symbol=f"z_{{{j + 1}}}", label=f"{data.names[j]}, filled",
               equals=found[:, k], attribute="transform(X)", scale=float(np.abs(found[:, k]).max()))  # fmt: skip


def _row(w: Working, model: Any, data: Given, i: int, x: Floats, gaps: Array, found: Floats) -> None:
    names = [data.names[int(j)] for j in model._kept_]
    first = model.initial_imputer_.statistics_[model._kept_]
    w.step(f"Row {i + 1}", "What it has, and the first filling of what it lacks.")
    now: list[Any] = []
    for c, name in enumerate(names):
        value = float(first[c]) if np.isnan(x[c]) else float(x[c])
        label = f"{name}, filled first" if np.isnan(x[c]) else name
        now.append(w.given(f"r{i + 1}_x_{c + 1}", value, symbol=f"x_{{{c + 1}}}", label=label))
    steps = [step for step in model.imputation_sequence_ if gaps[step.feat_idx]]
    if len(steps) > MOST_STEPS or len(names) > 2 * MOST_COLUMNS:
        w.note(f"Row {i + 1} takes {len(steps)} steps over {len(names)} columns, which are not shown.")
        return
    ends = {step.feat_idx: at for at, step in enumerate(steps)}
    size = float(np.abs(found).max())
    for at, step in enumerate(steps):
        j, line = step.feat_idx, step.estimator
        if at == 0 or at % int(gaps.sum()) == 0:
            w.step(
                f"Row {i + 1}, pass {at // int(gaps.sum()) + 1}", "Each gap from the values that the others have now."
            )
        value = line.intercept_ + dot([float(v) for v in line.coef_], [now[c] for c in step.neighbor_feat_idx.tolist()])
        low, high = float(model._low_[j]), float(model._high_[j])
        kept = value if np.isinf(low) else where(value < low, low, value)
        kept = kept if np.isinf(high) else where(value > high, high, kept)
        last: dict[str, Any] = {
            "equals": float(found[j]),
            "attribute": "transform(X)",
            "scale": size,
            "tolerance": 1e-6,
        }
        now[j] = w.cell(f"r{i + 1}_t{at + 1}", kept, symbol=f"x_{{{j + 1}}}^{{{at // int(gaps.sum()) + 1}}}",
                        label=f"{names[j]} now", **(last if ends[j] == at else {}))  # fmt: skip
