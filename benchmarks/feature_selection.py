"""Feature selection: scores of single columns, mutual information, and sequential selection with least squares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load


def classes(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Non-negative columns, some of which lie higher in some classes."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, rows)
    X = np.abs(random.standard_normal((rows, columns))) + 0.1 * np.outer(y, np.arange(columns) % 3)
    return {"X": X, "y": y}


def numbers(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """A target that depends on half of the columns."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, columns))
    weight = np.where(np.arange(columns) % 2, 0, np.linspace(1, 2, columns))
    return {"X": X, "y": X @ weight + 3 * random.standard_normal(rows)}


def score(path: str, **options: Any) -> Run:
    """Calls the function at ``path``; of a pair the scores."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        found = load(path)(data["X"], data["y"], **options)
        return found[0] if isinstance(found, tuple) else found

    return run


def f_exact(X: Any, y: Any) -> Any:
    groups = [X[y == k] for k in np.unique(y)]
    between = sum(len(g) * (g.mean(axis=0) - X.mean(axis=0)) ** 2 for g in groups) / (len(groups) - 1)
    return between / (sum(((g - g.mean(axis=0)) ** 2).sum(axis=0) for g in groups) / (len(X) - len(groups)))


def chi2_exact(X: Any, y: Any) -> Any:
    observed = np.array([X[y == k].sum(axis=0) for k in np.unique(y)])
    expected = np.outer(np.bincount(y) / len(y), X.sum(axis=0))
    return ((observed - expected) ** 2 / expected).sum(axis=0)


def error(formula: Any) -> Any:
    """Largest relative error of a few columns, against the formula in long double."""

    def measure(answer: Any, arrays: Arrays) -> float:
        wanted = formula(arrays["X"][:, ::7].astype(np.longdouble), arrays["y"])
        return float(np.max(np.abs(answer[::7] - wanted) / np.abs(wanted)))

    return measure


def univariate(name: str, formula: Any, rows: int = 1_000_000, columns: int = 20) -> Workload:
    return Workload(
        name=f"{name}_{rows}x{columns}",
        about=f"{name} of {rows:,} x {columns}, three classes, float64.",
        data=partial(classes, rows=rows, columns=columns),
        quick={"rows": 1_000},
        ours=Contender(OURS, score(f"pellucid.feature_selection.{name}")),
        peers=(Contender("scikit-learn", score(f"sklearn.feature_selection.{name}")),),
        quality=Quality("error", error(formula), bound=1e-7, against_best=False),
        goal=1.0,
    )


def against_zero(answer: Any, arrays: Arrays) -> float:
    """How far below zero an information lies, which it must not: the two are compared by tests, to ten digits."""
    return float(np.maximum(-np.asarray(answer), 0.0).max())


def information(rows: int = 50_000, columns: int = 10) -> Workload:
    return Workload(
        name=f"mutual_info_classif_{rows}x{columns}",
        about=f"mutual_info_classif of {rows:,} x {columns} continuous columns, three classes, 3 neighbors.",
        data=partial(classes, rows=rows, columns=columns),
        quick={"rows": 500},
        ours=Contender(OURS, score("pellucid.feature_selection.mutual_info_classif", random_state=0)),
        peers=(Contender("scikit-learn", score("sklearn.feature_selection.mutual_info_classif", random_state=0)),),
        quality=Quality("below zero", against_zero, bound=0.0, against_best=False),
        goal=5.0,
    )


def select(family: str, model: str) -> Run:
    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        selector = load(f"{family}.feature_selection.SequentialFeatureSelector")(load(model)())
        return selector.fit(data["X"], data["y"]).get_support()

    return run


def missed(answer: Any, arrays: Arrays) -> float:
    """Columns that the target depends on and that were not chosen."""
    return float((~np.asarray(answer)[::2]).sum())


def sequential(rows: int = 5_000, columns: int = 30) -> Workload:
    return Workload(
        name=f"sequential_{rows}x{columns}",
        about=f"Forward selection of half of {columns} columns, {rows:,} rows, linear regression, five folds.",
        data=partial(numbers, rows=rows, columns=columns),
        quick={"rows": 200, "columns": 6},
        ours=Contender(OURS, select("pellucid", "pellucid.linear_model.LinearRegression")),
        peers=(Contender("scikit-learn", select("sklearn", "sklearn.linear_model.LinearRegression")),),
        quality=Quality("missed", missed, bound=0.0, against_best=False),
        goal=5.0,
    )


WORKLOADS = [univariate("f_classif", f_exact), univariate("chi2", chi2_exact), information(), sequential()]
