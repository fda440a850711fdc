"""The first filling, how the passes settle, the lines of the last one, and the chain of lines run over a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Flags, Floats
from pellucid.impute._bayes import BayesianLine
from pellucid.impute._imputer import numbers_of
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import count, dot, equal, median, min_, mode, sum_, where
from pellucid.working.matrix import Block
from pellucid.working.model import Working
from pellucid.working.shown._bayesian_line import Line
from pellucid.working.shown._gaps import without_gaps

MOST_COLUMNS = 10
MOST_ROWS = 12  # that are worked out where none are asked for
MOST_STEPS = 60
MOST_LINES = 3


def _numbers(model: Any, data: Given) -> Floats:
    inner = numbers_of(model._validate_predict(data.table), model.missing_values)
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
        axis = data.row_axis if there.all() else Axis("row", (np.flatnonzero(there) + 1).tolist(), "i", "n")
        x = w.given(f"x_{j + 1}", X[there, j], axis, symbol=f"x_{{{j + 1}}}", label=name)
        constant = 0.0 if model.fill_value is None or how != "constant" else float(model.fill_value)
        formulas: dict[str, Expr] = {"mean": sum_(x) / count(x), "median": median(x), "most_frequent": mode(x)}
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
    w.cell("settled", where(min_(change) > limit, 0, 1), symbol="e", label="1: a change came down to the limit")
    if model.sample_posterior:
        w.note("Values are drawn around the predictions, so passes do not settle: all of them are made.")


def _last_lines(w: Working, model: Any, data: Given) -> None:
    """The lines of the last pass: solved for the first columns that have gaps, listed for the others."""
    chain = model.imputation_sequence_
    if not chain or not isinstance(chain[0].estimator, BayesianLine):
        w.note(f"The models are {type(model.estimator).__name__}s, whose work is not shown.")
        return
    names = [data.names[int(j)] for j in model._kept_]
    X = _numbers(model, data)[:, model._kept_]
    missing = np.isnan(X)
    missing[:, model._empty_[model._kept_]] = False
    states = _states(model, X, missing)
    first = len(chain) - model.n_features_with_missing_
    last = sorted(range(first, len(chain)), key=lambda at: (not missing[:, chain[at].feat_idx].any(), at))
    listed: list[int] = []
    for at in last:
        have = ~missing[:, chain[at].feat_idx]
        can_solve = len(listed) < MOST_LINES and not model.sample_posterior
        if can_solve and (line := Line.of(chain[at], states[at - first][have], have)) is not None:
            line.show(w, names)
            listed.append(at)
    remaining = [at for at in last if at not in listed]
    for at in remaining[:MOST_COLUMNS]:
        _listed_line(w, names, chain[at])
    if remaining and not model.sample_posterior:
        w.note(f"Of the lines of the last pass {len(listed)} are solved; the others come about in the same way.")


def _states(model: Any, X: Floats, missing: Flags) -> list[Floats]:
    """The table as it stands before each step of the last pass."""
    now = np.where(np.isnan(X), model.initial_imputer_.statistics_[model._kept_].astype(np.float64), X)
    chain, states = model.imputation_sequence_, []
    for at, (j, predictors, line) in enumerate(chain):
        if at >= len(chain) - model.n_features_with_missing_:
            states.append(now.copy())
        rows = missing[:, j]
        now[rows, j] = np.clip(line.predict(now[np.ix_(rows, predictors)]), model._low_[j], model._high_[j])
    return states


def _listed_line(w: Working, names: list[str], step: Any) -> None:
    j, line = step.feat_idx, step.estimator
    w.step(f"Last line of {names[j]}", "Its weights, and the intercept.")
    axis = Axis("column", [names[c] for c in step.neighbor_feat_idx], "c", "q")
    w.given(f"w_{j + 1}", line.coef_, axis, symbol="w", label="weight of the column")
    w.given(f"b_{j + 1}", float(line.intercept_), symbol="b", label="intercept")


# ------------------------------------------------------------------------------------------------------------ transform


@shows("IterativeImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Rows with gaps, step by step"
    w.intro = (
        "Gaps get their column's first value, then, pass by pass and column by column, the value of the column's line: "
        "its intercept, and the sum of weights times the values that the row has by now."
    )
    table, filled = (
        _numbers(model, data),
        np.asarray(model._transform(model._validate_predict(data.table)), dtype=np.float64),
    )
    X = table[:, model._kept_]
    is_missing = np.isnan(X)
    is_missing[:, model._empty_[model._kept_]] = False
    rows = np.flatnonzero(is_missing.any(axis=1))
    if not len(rows):
        without_gaps(w, data, table, model._kept_, filled)
        return
    requested = [i for i in data.rows if i in rows]
    rows_shown = np.array(sorted(requested) or rows[:MOST_ROWS].tolist())
    if len(rows_shown) < len(rows):
        summary = (
            f"Of {counted(len(rows), 'row')} with gaps {len(rows_shown)} "
            f"{'is' if len(rows_shown) == 1 else 'are'} worked out"
        )
        w.note(f"{summary}; ask for others by their numbers.")
    chain = model.imputation_sequence_
    steps = [step for step in chain if is_missing[rows_shown, step.feat_idx].any()]
    is_random = model.sample_posterior or bool(chain and not isinstance(chain[0].estimator, BayesianLine))
    if is_random or len(steps) > MOST_STEPS or X.shape[1] > 2 * MOST_COLUMNS:
        why = "are drawn, or that another estimator predicts," if is_random else "come out of so many steps"
        w.note(f"Values that {why} are not worked out.")
    _Rows(w, model, data, X, is_missing, rows_shown).run([] if is_random else steps, filled)


class _Rows:
    """Some rows with gaps, and the values that they have by now."""

    def __init__(self, w: Working, model: Any, data: Given, X: Floats, gaps: Flags, rows: Array) -> None:
        self.w, self.model = w, model
        self.names = [data.names[int(j)] for j in model._kept_]
        self.X, self.gaps, self.rows = X[rows], gaps[rows], rows
        self.axis = Axis("row", (rows + 1).tolist(), "i", "n")
        self.flags: dict[int, Cell] = {}
        self.now: list[Cell] = []

    def run(self, steps: list[Any], filled: Floats) -> None:
        self._begin()
        ends = {step.feat_idx: at for at, step in enumerate(steps)}
        if (
            len(steps) > MOST_STEPS
            or len(self.names) > 2 * MOST_COLUMNS
            or (not steps and not self._first_stays(filled))
        ):
            self._listed(filled)
            return
        per_pass = len(ends)
        for at, step in enumerate(steps):
            if at % per_pass == 0:
                lines = self._lines(steps[at : at + per_pass], at // per_pass + 1)
            last = filled[self.rows, step.feat_idx] if ends[step.feat_idx] == at else None
            self._step(step, lines, at % per_pass, at // per_pass + 1, last)

    def _begin(self) -> None:
        w, first = self.w, self.model.initial_imputer_.statistics_[self.model._kept_]
        w.step("First filling", "The rows; where a value is missing, the first filling of its column stands.")
        missing = np.asarray(self.gaps.any(axis=0))
        cells: list[Cell] = []
        for c, name in enumerate(self.names):
            values = np.where(np.isnan(self.X[:, c]), float(first[c]), self.X[:, c])
            if not missing[c]:
                cells.append(w.given(f"x_{c + 1}", values, self.axis, symbol=f"x_{{{c + 1}}}", label=name))
                continue
            is_missing = self.gaps[:, c]
            label = f"{name}, 0 where it is missing"
            cells.append(
                w.given(
                    f"k_{c + 1}", np.where(is_missing, 0.0, values), self.axis, symbol=f"k_{{{c + 1}}}", label=label
                )
            )
            self.flags[c] = w.given(f"m_{c + 1}", is_missing.astype(float), self.axis, symbol=f"m_{{{c + 1}}}",
                                    label=f"1 where {name} is missing")  # fmt: skip
        start = {c: w.given(f"s_{c + 1}", float(first[c]), symbol=f"s_{{{c + 1}}}",
                            label=f"first filling of {self.names[c]}") for c in self.flags}  # fmt: skip
        for c, cell in enumerate(cells):
            if c not in self.flags:
                self.now.append(cell)
                continue
            self.now.append(w.cell(f"x_{c + 1}", where(equal(self.flags[c], 1), start[c], cell),
                                   symbol=f"x_{{{c + 1}}}^0", label=f"{self.names[c]}, filled first"))  # fmt: skip

    def _first_stays(self, filled: Floats) -> bool:
        return all(np.allclose(self.now[c].value, filled[self.rows, c]) for c in self.flags)

    def _listed(self, filled: Floats) -> None:
        self.w.step("Filled", "What is filled in, and what stays.")
        for c in list(self.flags)[:MOST_COLUMNS]:
            self.w.given(f"z_{c + 1}", filled[self.rows, c], self.axis, symbol=f"z_{{{c + 1}}}", label=self.names[c])

    def _lines(self, steps: list[Any], number: int) -> Block:
        """The lines of a pass, as a table: a row for the column that is filled, its intercept and weights."""
        w, names = self.w, self.names
        w.step(
            f"Pass {number}",
            "The lines of the pass; then each gap from the values that the row has by now.",
            turn=number,
        )
        table = np.zeros((len(steps), len(names) + 1))
        for i, step in enumerate(steps):
            table[i, 0] = step.estimator.intercept_
            table[i, 1 + step.neighbor_feat_idx] = step.estimator.coef_
        filled = Axis("line", [names[step.feat_idx] for step in steps], "l", "L")
        return w.block(f"W_{number}", table, filled, Axis("column", ["intercept", *names], "c", "q"),
                       symbol=f"W^{{{number}}}", label="intercept and weights")  # fmt: skip

    def _step(self, step: Any, lines: Block, at: int, number: int, expected: Floats | None) -> None:
        j, model = step.feat_idx, self.model
        value = lines[at, 0] + dot([lines[at, 1 + c] for c in step.neighbor_feat_idx.tolist()],
                                   [self.now[c] for c in step.neighbor_feat_idx.tolist()])  # fmt: skip
        low, high = float(model._low_[j]), float(model._high_[j])
        clipped = value if np.isinf(low) else where(value < low, low, value)
        clipped = clipped if np.isinf(high) else where(value > high, high, clipped)
        tied: dict[str, Any] = {}
        if expected is not None:
            tied = {"equals": expected, "attribute": "transform(X)", "tolerance": 1e-6}
            tied["scale"] = float(max(np.abs(cell.value).max() for cell in self.now))
        self.now[j] = self.w.cell(
            f"x_{j + 1}_t{number}", where(equal(self.flags[j], 1), clipped, self.now[j]),
            symbol=f"x_{{{j + 1}}}^{{{number}}}", label=f"{self.names[j]} after pass {number}", **tied,
        )  # fmt: skip
