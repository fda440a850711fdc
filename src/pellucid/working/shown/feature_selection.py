"""Scores of single columns: chi-squared, F, correlation and mutual information, from the rows to the number."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma

from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.target import read_target
from pellucid.feature_selection._columns import read_columns
from pellucid.feature_selection._selector import dense
from pellucid.feature_selection.mutual_information import bins_of
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import count, equal, ln, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._column_scores import Grouped, Numeric, left_out


def _read(X: Any, y: Any) -> tuple[Design, Floats, Array, list[str], Axis]:
    d = read_columns(X, "show")
    target = np.ravel(read_target(y, "show"))
    names = d.column_labels() if d.schema.names is not None else [f"x{j + 1}" for j in range(d.n_cols)]
    return d, dense(d.numbers), target, names, Axis("row", range(1, d.n_rows + 1))


def _tag(j: int, columns: int) -> str:
    return "" if columns == 1 else f"_{j + 1}"


@shows("feature_selection.chi2")
def chi2(w: Working, result: Any, X: Any, y: Any) -> None:
    w.title = "Chi-squared of counts and classes"
    w.intro = "A column that counts something is spread over the classes as the rows are, unless it tells of them."
    d, table, target, names, rows = _read(X, y)
    groups = Grouped(w, target, rows)
    for j in left_out(w, d.n_cols):
        if not table[:, j].any():
            w.note(f"Column {names[j]} is all zero: nothing is expected, and chi-squared is not a number.")
            continue
        groups.chi2(table[:, j], names[j], _tag(j, d.n_cols), (result[0][j], result[1][j]))


@shows("feature_selection.f_classif")
def f_classif(w: Working, result: Any, X: Any, y: Any) -> None:
    w.title = "F of the classes' means"
    w.intro = "How far the means of the classes lie apart, against how far rows lie from their own class's mean."
    d, table, target, names, rows = _read(X, y)
    groups = Grouped(w, target, rows)
    for j in left_out(w, d.n_cols):
        groups.f(table[:, j], names[j], _tag(j, d.n_cols), (result[0][j], result[1][j]))


@shows("feature_selection.r_regression")
def r_regression(w: Working, result: Any, X: Any, y: Any, *, center: bool = True, force_finite: bool = True) -> None:
    w.title = "Correlation with the target"
    w.intro = "Products of deviations, over the root of the products of their squares."
    d, table, target, names, rows = _read(X, y)
    numeric = Numeric(w, target.astype(np.float64), rows, center)
    for j in left_out(w, d.n_cols):
        numeric.r(table[:, j], names[j], _tag(j, d.n_cols), result[j])


@shows("feature_selection.f_regression")
def f_regression(w: Working, result: Any, X: Any, y: Any, *, center: bool = True, force_finite: bool = True) -> None:
    w.title = "F of a line through each column"
    w.intro = "How much of the target a line explains, against what it leaves."
    d, table, target, names, rows = _read(X, y)
    numeric = Numeric(w, target.astype(np.float64), rows, center)
    for j in left_out(w, d.n_cols):
        numeric.f(table[:, j], names[j], _tag(j, d.n_cols), (result[0][j], result[1][j]))


# -------------------------------------------------------------------------------------------------- mutual information


@shows("feature_selection.mutual_info_classif", "feature_selection.mutual_info_regression")
def mutual_information(w: Working, result: Any, X: Any, y: Any, **options: Any) -> None:
    w.title = "Mutual information"
    w.intro = "How much knowing a column tells of the target, in nats."
    d, table, target, names, rows = _read(X, y)
    binned = options.get("method") == "binned"
    bins = int(options.get("n_bins", 10))
    discrete = _discrete(d, options.get("discrete_features", "auto"))
    continuous_target = target.dtype.kind == "f" and bool((target % 1 != 0).any())
    for j in left_out(w, d.n_cols):
        tag, values = _tag(j, d.n_cols), table[:, j]
        if discrete[j] or binned:
            target_values: Array = bins_of(target.astype(np.float64), bins) if binned and continuous_target else target
            column_values: Array = values if discrete[j] else bins_of(values, bins)
            if discrete[j] and continuous_target and not binned:
                w.note(f"Column {names[j]} and a continuous target are compared by neighbors, which is not shown.")
                w.given(f"I{tag}", float(result[j]), symbol="I", label=f"mutual information of {names[j]}")
                continue
            _counted(w, column_values.astype(np.float64), target_values, names[j], tag, float(result[j]), rows)
        else:
            _estimated(w, values, target, continuous_target, names[j], tag, float(result[j]), rows, options)


def _discrete(d: Design, which: Any) -> Array:
    if isinstance(which, str):
        return np.full(d.n_cols, d.table.is_sparse)
    flags = np.zeros(d.n_cols, dtype=bool)
    flags[np.asarray(which) if np.ndim(which) else slice(None)] = True if np.ndim(which) else bool(which)
    return flags


def _counted(w: Working, x: Floats, y: Array, name: str, tag: str, expected: float, rows: Axis) -> None:
    """From a table of counts: every pair that occurs, how often, and how often its two parts do."""
    words = y.astype(np.float64) if y.dtype.kind in "biuf" else y.astype(str).astype(object)
    w.step(f"Column {name}", "Every pair of value and target that occurs: how often, and how often each part does.")
    cx = w.given(f"x{tag}", x, rows, symbol="x", label=name)
    cy = w.given(f"y{tag}", words, rows, symbol="y", label="target")
    pairs = sorted(set(zip(x.tolist(), words.tolist(), strict=True)))
    axis = w.axis("pair", [f"{a:g}, {b}" for a, b in pairs], "k", "K")
    a = w.given(f"a{tag}", np.array([pair[0] for pair in pairs]), axis, symbol="a", label="value")
    targets_of_pairs = [pair[1] for pair in pairs]
    b = w.given(f"b{tag}", np.array(targets_of_pairs, dtype=words.dtype), axis, symbol="b", label="target")
    n = w.cell(f"n{tag}", count(cx), symbol="n", label="number of rows")
    both = sum_(where(equal(cx, a), where(equal(cy, b), 1, 0), 0), rows)
    nab = w.cell(f"n_ab{tag}", both, symbol="c", label="rows with both")
    na = w.cell(f"n_a{tag}", sum_(where(equal(cx, a), 1, 0), rows), symbol="u", label="rows with the value")
    nb = w.cell(f"n_b{tag}", sum_(where(equal(cy, b), 1, 0), rows), symbol="v", label="rows with the target")
    term = w.cell(f"q{tag}", nab / n * ln(n * nab / (na * nb)), symbol="q", label="its part")
    w.cell(f"I{tag}", sum_(term), symbol="I", label="mutual information", equals=expected,
           attribute="mutual information",
           scale=1.0)  # fmt: skip


def _estimated(
    w: Working,
    x: Floats,
    y: Array,
    plane: bool,
    name: str,
    tag: str,
    expected: float,
    rows: Axis,
    options: dict[str, Any],
) -> None:
    """From neighbors: the counts of each row, their digamma, and the mean of it."""
    w.step(f"Column {name}", "How many rows lie nearer than a row's k-th neighbor, and the digamma of that number.")
    k = int(options.get("n_neighbors", 3))
    spread = np.std(x) or 1.0
    w.given(f"x{tag}", x / spread, rows, symbol="x", label=f"{name}, over its spread")
    if plane:
        w.note("The noise that parts equal values is left out of the columns shown.")
        w.given(f"I{tag}", expected, symbol="I", label="mutual information (Kraskov and others 2004)")
        return
    codes = np.unique(y, return_inverse=True)[1]
    sizes = np.bincount(codes)
    counts, of_k = _ross(x / spread, codes, sizes, k)
    alone = sizes[codes] < 2
    if alone.any() or len(np.unique(x)) < len(x):
        w.note("Where values repeat or a class has one row, the number is given without its formula.")
        w.given(f"I{tag}", expected, symbol="I", label="mutual information (Ross 2014)")
        return
    add_column = _column(w, rows, tag)
    add_column("m", counts, "m", "rows nearer than the neighbor, itself counted")
    psi_m = add_column("psi_m", digamma(counts), "ψ_m", "digamma of it")
    psi_c = add_column("psi_c", digamma(sizes[codes]), "ψ_c", "digamma of its class's rows")
    psi_k = add_column("psi_k", digamma(of_k), "ψ_k", "digamma of k")
    psi_n = w.given(f"psi_n{tag}", float(digamma(len(x))), symbol="ψ_n", label="digamma of all rows")
    raw = w.cell(f"raw{tag}", psi_n + mean(psi_k) - mean(psi_c) - mean(psi_m), symbol="J", label="estimate")
    w.cell(f"I{tag}", where(raw > 0, raw, 0), symbol="I", label="mutual information, not below 0", equals=expected,
           attribute="mutual information", scale=1.0, tolerance=1e-7)  # fmt: skip


def _column(w: Working, rows: Axis, tag: str) -> Any:
    def given(name: str, values: Array, symbol: str, label: str) -> Cell:
        return w.given(f"{name}{tag}", np.asarray(values, dtype=np.float64), rows, symbol=symbol, label=label)

    return given


def _ross(x: Floats, codes: Array, sizes: Array, k: int) -> tuple[Array, Array]:
    """Counts within the k-th neighbor of each row's class, by comparing all pairs."""
    counts, of_k = np.ones(len(x)), np.minimum(k, np.maximum(sizes[codes] - 1, 1))
    for i in range(len(x)):
        apart = np.abs(x - x[i])
        class_distances = np.sort(apart[codes == codes[i]])[1:]
        if len(class_distances):
            counts[i] = (apart < class_distances[int(of_k[i]) - 1]).sum()
    return counts, of_k
