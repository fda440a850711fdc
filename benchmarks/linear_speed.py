"""Penalized linear models: paths, ridge over many alphas, logistic and softmax regression, stochastic descent.

Every contender minimizes the same cost on the same data; the quality is that cost in double precision (its mean over a
path), so that nobody is fast by stopping early. Where a peer has no intercept, or penalizes it, nobody fits one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, fit, load

INTELEX = "scikit-learn-intelex"
SKLEARN = "scikit-learn"
CHUNK = 5_000


class Planes(NamedTuple):
    """What contenders without scikit-learn's attributes answer with, named as in the estimators."""

    coef_: NDArray[Any]
    intercept_: Any


# ------------------------------------------------------------------------------------------------------------- data


def few_slopes(rows: int, columns: int, informative: int, noise: float, shared: float) -> dict[str, NDArray[Any]]:
    """A centered table in F order, ``informative`` slopes, and 100 alphas from the one that zeroes all to 0.01 of it.

    ``noise`` is a share of the signal's spread; ``shared`` is the share of each column's variance that comes from one
    factor in ten.
    """
    rng = np.random.default_rng(0)
    X = np.sqrt(1 - shared) * rng.standard_normal((rows, columns))
    X += np.sqrt(shared) * rng.standard_normal((rows, 10))[:, np.arange(columns) % 10]
    slopes = np.zeros(columns)
    slopes[rng.choice(columns, informative, replace=False)] = rng.standard_normal(informative)
    signal = X @ slopes
    y = signal + noise * signal.std() * rng.standard_normal(rows)
    X, y = np.asfortranarray(X - X.mean(axis=0)), y - y.mean()
    return {"X": X, "y": y, "alphas": np.abs(X.T @ y).max() / rows * np.geomspace(1, 0.01, 100)}


def correlated(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """A noisy line over columns that resemble their neighbors, and 50 alphas around the best one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)) + rng.standard_normal((rows, 1))
    X[:, 1:] += X[:, :-1]
    y = X @ (0.05 * rng.standard_normal(columns)) + 3 + 5 * rng.standard_normal(rows)
    return {"X": X, "y": y, "alphas": np.geomspace(1e-2, 1e6, 50)}


def two_classes(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Two classes by a noisy linear score over correlated columns of several scales."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)) + 0.5 * rng.standard_normal((rows, 1))
    X *= np.geomspace(0.5, 2, columns)
    score = X @ (rng.standard_normal(columns) / np.sqrt(columns)) + 0.5
    return {"X": X, "y": (rng.random(rows) < 1 / (1 + np.exp(-score))).astype(np.int64)}


def digits(rows: int, side: int, classes: int) -> dict[str, NDArray[Any]]:
    """Pictures of ``side`` x ``side`` in single precision, each a few soft spots of its class, moved and dimmed.

    Like scanned digits: about a fifth of the pixels is not zero, the corners never are, and no plane parts the classes.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=rows)
    spots = rng.uniform(0.3 * side, 0.7 * side, size=(classes, 5, 2))
    at = np.arange(side, dtype=np.float32)
    X = np.zeros((rows, side, side), dtype=np.float32)
    for spot in range(spots.shape[1]):
        center = spots[y, spot] + 0.07 * side * rng.standard_normal((rows, 2))
        wide = (0.06 * side * rng.uniform(0.7, 1.3, size=(rows, 1))).astype(np.float32)
        down, across = (np.exp(-(((at - center[:, [k]]) / wide) ** 2) / 2).astype(np.float32) for k in (0, 1))
        light = rng.uniform(0.4, 1, size=(rows, 1)).astype(np.float32)
        X += (light * down)[:, :, None] * across[:, None, :]
    return {"X": np.minimum(np.where(X > 0.1, X, 0), 1).reshape(rows, side * side), "y": y}


def words(rows: int, columns: int, length: int) -> dict[str, NDArray[Any]]:
    """Texts as word counts: about ``length`` different words a row, drawn by Zipf's law, weighted and of length one."""
    rng = np.random.default_rng(0)
    often = 1 / (np.arange(columns) + 10.0)
    drawn = np.searchsorted(np.cumsum(often / often.sum()), rng.random((rows, 2 * length)))
    drawn = np.minimum(drawn, columns - 1) + np.arange(rows)[:, None] * columns
    drawn = np.where(np.arange(2 * length) < rng.integers(length, 2 * length, size=(rows, 1)), drawn, -1)
    cells, counts = np.unique(drawn, return_counts=True)
    cells, counts = cells[cells >= 0], counts[-np.count_nonzero(cells >= 0) :]
    row, column = np.divmod(cells, columns)
    told = counts * np.maximum(-np.log(np.bincount(column, minlength=columns)[column] / rows), 0.01)
    value = told / np.sqrt(np.bincount(row, told**2, minlength=rows))[row]
    slopes = 8 * rng.standard_normal(columns) * (rng.random(columns) < 0.1)
    score = np.bincount(row, value * slopes[column], minlength=rows)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))])
    return {
        "X_data": value,
        "X_indices": column.astype(np.int32),
        "X_indptr": indptr.astype(np.int32),
        "shape": np.array([rows, columns]),
        "y": (rng.random(rows) < 1 / (1 + np.exp(-score))).astype(np.int64),
    }


def as_csr(arrays: Arrays) -> dict[str, Any]:
    """The sparse table of the arrays, without a copy."""
    parts = (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"])
    return {"X": load("scipy.sparse.csr_matrix")(parts, shape=tuple(arrays["shape"])), "y": arrays["y"]}


def as_csc(data: Mapping[str, Any], _threads: int) -> dict[str, Any]:
    """By columns, for those who read no other form."""
    return {"X": data["X"].tocsc(), "y": data["y"]}


def with_ones(data: Mapping[str, Any], _threads: int) -> dict[str, Any]:
    """A column of ones for those without an intercept; its penalty is below a millionth of the cost."""
    return {"X": np.column_stack([data["X"], np.ones(len(data["X"]))]), "y": 2.0 * data["y"] - 1}


# ------------------------------------------------------------------------------------------------------ contenders


def path_of(function: str, *first: Any, **settings: Any) -> Run:
    """The coefficients of a path: p x the number of alphas."""

    def run(data: Mapping[str, Any], _threads: int) -> Any:
        return load(function)(data["X"], data["y"], *first, alphas=data["alphas"], **settings)[1]

    return run


def skglm_path(estimator: str, **settings: Any) -> Run:
    def run(data: Mapping[str, Any], _threads: int) -> Any:
        model = load(f"skglm.{estimator}")(fit_intercept=False, **settings)
        return model.path(data["X"], data["y"], data["alphas"])[1]

    return run


def over_alphas(path: str, threads: str | None = None, **settings: Any) -> Run:
    """A model that chooses among the alphas itself."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        own = {threads: n_threads} if threads else {}
        return load(path)(alphas=data["alphas"], **settings, **own).fit(data["X"], data["y"])

    return run


def searched(path: str) -> Run:
    """A grid search over the alphas, five folds; the best model, with its alpha."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        search = load("sklearn.model_selection.GridSearchCV")(
            load(path)(n_jobs=n_threads), {"alpha": list(data["alphas"])}, cv=5, scoring="neg_mean_squared_error"
        )
        best = search.fit(data["X"], data["y"]).best_estimator_
        best.alpha_ = best.alpha
        return best

    return run


def skglm_logistic(data: Mapping[str, Any], _threads: int) -> Planes:
    """Logistic regression with C = 1 by its L-BFGS, the intercept a coefficient of ones."""
    X, y = data["X"], data["y"]
    compiled = load("skglm.utils.jit_compilation.compiled_clone")
    loss, penalty = load("skglm.datafits.Logistic")(), load("skglm.penalties.L2")(1 / len(y))
    solver = load("skglm.solvers.LBFGS")(max_iter=200, tol=1e-6)
    coef = solver.solve(X, y, compiled(loss), compiled(penalty))[0]
    return Planes(coef[None, :-1], coef[-1:])


# --------------------------------------------------------------------------------------------------------- quality


def path_cost(l1_ratio: float) -> Any:
    """``1/(2n) ||y - Xw||^2 + alpha (l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2)``, its mean over the alphas."""

    def measure(coefs: Any, arrays: Arrays) -> float:
        squares = ((arrays["y"][:, None] - arrays["X"] @ coefs) ** 2).sum(axis=0) / (2 * len(arrays["y"]))
        penalty = l1_ratio * np.abs(coefs).sum(axis=0) + (1 - l1_ratio) / 2 * (coefs**2).sum(axis=0)
        return float(np.mean(squares + arrays["alphas"] * penalty))

    return measure


def left_out_error(answer: Any, arrays: Arrays) -> float:
    """The mean square of ``(y_i - f_i) / (1 - h_i)``, f the answer's line and h the leverages at the alpha it chose."""
    X = arrays["X"] - arrays["X"].mean(axis=0)
    gram = X.T @ X + float(answer.alpha_) * np.eye(X.shape[1])
    leverage = 1 / len(X) + np.einsum("ij,ij->i", X, np.linalg.solve(gram, X.T).T)
    line = arrays["X"] @ np.ravel(answer.coef_) + answer.intercept_
    return float(np.mean(((arrays["y"] - line) / (1 - leverage)) ** 2))


def fold_error(answer: Any, arrays: Arrays) -> float:
    """The mean squared error of five folds at the alpha chosen, times how far the answer's own error is from it.

    The folds are worked out afresh from the normal equations; the factor is the mean squared error of the answer's line
    over that of the ridge line of its alpha.
    """
    alpha, X, y = float(answer.alpha_), arrays["X"], arrays["y"]
    errors = []
    for test in np.array_split(np.arange(len(y)), 5):
        train = np.setdiff1d(np.arange(len(y)), test)
        coef, intercept = _ridge(X[train], y[train], alpha)
        errors.append(np.mean((y[test] - X[test] @ coef - intercept) ** 2))
    coef, intercept = _ridge(X, y, alpha)
    own = np.mean((y - X @ np.ravel(answer.coef_) - answer.intercept_) ** 2)
    return float(np.mean(errors) * own / np.mean((y - X @ coef - intercept) ** 2))


def _ridge(X: NDArray[Any], y: NDArray[Any], alpha: float) -> tuple[NDArray[Any], float]:
    center, level = X.mean(axis=0), y.mean()
    coef = np.linalg.solve((X - center).T @ (X - center) + alpha * np.eye(X.shape[1]), (X - center).T @ (y - level))
    return coef, float(level - center @ coef)


def logistic_cost(C: float = 1.0, l1_ratio: float = 0.0, alpha: float | None = None) -> Any:
    """``1/n sum_i l_i + alpha (l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2)`` of two classes or a softmax.

    ``alpha`` is ``1/(C n)`` unless given.
    """

    def measure(answer: Any, arrays: Arrays) -> float:
        table, y = as_csr(arrays)["X"] if "X_data" in arrays else arrays["X"], arrays["y"]
        W, b = np.asarray(answer.coef_, dtype=float), np.ravel(answer.intercept_).astype(float)
        loss = sum(_log_loss(table[i : i + CHUNK] @ W.T + b, y[i : i + CHUNK]) for i in range(0, len(y), CHUNK))
        penalty = l1_ratio * np.abs(W).sum() + (1 - l1_ratio) / 2 * (W**2).sum()
        return float(loss / len(y) + penalty * (1 / (C * len(y)) if alpha is None else alpha))

    return measure


def _log_loss(f: NDArray[Any], y: NDArray[Any]) -> float:
    if f.shape[1] == 1:
        return float(np.logaddexp(0, -(2 * y - 1) * f[:, 0]).sum())
    return float(np.sum(np.logaddexp.reduce(f, axis=1) - f[np.arange(len(f)), y]))


# ------------------------------------------------------------------------------------------------------- workloads

LOGISTIC = "linear_model.LogisticRegression"
MIX = 0.5
TEXT_TOL = 1e-5
PIXEL_C = 0.01  # weaker penalties leave the peers short of the minimum after their 100 passes
LASSO = Workload(
    name="lasso_path_5000x5000",
    about="Lasso path, 100 alphas down to 0.01 of the largest, 5,000 x 5,000, float64, F order.",
    data=partial(few_slopes, rows=5_000, columns=5_000, informative=300, noise=0.4, shared=0.0),
    quick={"rows": 200, "columns": 200, "informative": 10},
    ours=Contender(OURS, path_of("pellucid.linear_model.lasso_path")),
    peers=(
        Contender("scikit-learn (Gram)", path_of("sklearn.linear_model.lasso_path", precompute=True), package=SKLEARN),
        Contender("scikit-learn", path_of("sklearn.linear_model.lasso_path", precompute=False)),
        Contender("celer", path_of("celer.celer_path", "lasso")),
        Contender("skglm", skglm_path("Lasso")),
    ),
    quality=Quality("mean objective over the path", path_cost(1.0), bound=1e-3),
    goal=1.5,
)
RIDGE = Workload(
    name="ridge_left_out_100000x100",
    about="Ridge, leave-one-out over 50 alphas, 100,000 x 100, float64, C order.",
    data=partial(correlated, rows=100_000, columns=100),
    quick={"rows": 1_000, "columns": 20},
    ours=Contender(OURS, over_alphas("pellucid.linear_model.RidgeCV")),
    peers=(Contender("scikit-learn RidgeCV", over_alphas("sklearn.linear_model.RidgeCV"), package=SKLEARN),),
    quality=Quality("leave-one-out error", left_out_error, bound=1e-6),
    goal=5.0,
    memory_goal=1.1,
)
BINARY = Workload(
    name="logistic_500000x50",
    about="Logistic regression, L2 with C = 1, 500,000 x 50, float64, C order.",
    data=partial(two_classes, rows=500_000, columns=50),
    quick={"rows": 2_000, "columns": 10},
    ours=Contender(OURS, fit(f"pellucid.{LOGISTIC}", threads="n_jobs", solver="newton-cholesky")),
    peers=(
        Contender(INTELEX, fit(f"sklearnex.{LOGISTIC}", threads="n_jobs")),
        Contender("newton-cholesky", fit(f"sklearn.{LOGISTIC}", solver="newton-cholesky"), package=SKLEARN),
        Contender("lbfgs", fit(f"sklearn.{LOGISTIC}", solver="lbfgs"), package=SKLEARN),
        Contender("skglm", skglm_logistic, prepare=with_ones),
    ),
    quality=Quality("objective", logistic_cost(), bound=1e-6),
    goal=1.3,
    memory_goal=1.1,
)
TEXT = Workload(
    name="logistic_l2_text_50000x50000",
    about="Logistic regression, L2 with C = 1, no intercept, texts of 50,000 words, 50,000 rows.",
    data=partial(words, rows=50_000, columns=50_000, length=60),
    quick={"rows": 500, "columns": 800},
    prepare=as_csr,
    ours=Contender(OURS, fit(f"pellucid.{LOGISTIC}", threads="n_jobs", fit_intercept=False, tol=TEXT_TOL)),
    peers=(
        # Its default tolerance stops 0.2% above the minimum.
        Contender("lbfgs", fit(f"sklearn.{LOGISTIC}", fit_intercept=False, tol=TEXT_TOL), package=SKLEARN),
        Contender("liblinear", fit(f"sklearn.{LOGISTIC}", fit_intercept=False, solver="liblinear"), package=SKLEARN),
    ),
    quality=Quality("objective", logistic_cost(), bound=1e-4),
    goal=1.0,
    memory_goal=1.1,
)
SGD: dict[str, Any] = {"loss": "log_loss", "max_iter": 5, "tol": None, "random_state": 0}
ROWS = Workload(
    name="sgd_rows_1000000x50",
    about="Stochastic descent on log loss, 1,000,000 x 50, 5 epochs, row by row.",
    data=partial(two_classes, rows=1_000_000, columns=50),
    quick={"rows": 200_000, "columns": 10},  # the first steps are so long that short runs part by rounding alone
    ours=Contender(OURS, fit("pellucid.linear_model.SGDClassifier", **SGD)),
    peers=(Contender(SKLEARN, fit("sklearn.linear_model.SGDClassifier", **SGD)),),
    quality=Quality("objective", logistic_cost(alpha=1e-4), bound=0.01),
    goal=1.0,
    memory_goal=1.1,
)

WORKLOADS = [
    LASSO,
    replace(
        LASSO,
        name="elastic_net_path_1000x10000",
        about="Elastic-net path, half L1, 100 alphas down to 0.01 of the largest, 1,000 x 10,000, float64, F order.",
        data=partial(few_slopes, rows=1_000, columns=10_000, informative=100, noise=0.3, shared=0.2),
        quick={"rows": 100, "columns": 400, "informative": 10},
        ours=Contender(OURS, path_of("pellucid.linear_model.enet_path", l1_ratio=MIX)),
        peers=(
            Contender("celer", path_of("celer.celer_path", "lasso", l1_ratio=MIX)),
            Contender(SKLEARN, path_of("sklearn.linear_model.enet_path", l1_ratio=MIX)),
            Contender("skglm", skglm_path("ElasticNet", l1_ratio=MIX)),
        ),
        quality=Quality("mean objective over the path", path_cost(MIX), bound=1e-3),
    ),
    RIDGE,
    replace(
        RIDGE,
        name="ridge_folds_40000x100",
        about="Ridge, five folds over 50 alphas, 40,000 x 100, float64, C order.",
        data=partial(correlated, rows=40_000, columns=100),
        ours=Contender(OURS, over_alphas("pellucid.linear_model.RidgeCV", cv=5, scoring="neg_mean_squared_error")),
        peers=(
            Contender(f"{INTELEX} in GridSearchCV", searched("sklearnex.linear_model.Ridge"), package=INTELEX),
            Contender(
                "scikit-learn RidgeCV",
                over_alphas("sklearn.linear_model.RidgeCV", cv=5, scoring="neg_mean_squared_error"),
                package=SKLEARN,
            ),
        ),
        quality=Quality("error over the folds", fold_error, bound=1e-6),
        goal=10.0,
    ),
    BINARY,
    replace(
        BINARY,
        name="softmax_60000x784",
        about="Softmax regression, L2 with C = 0.01, 60,000 x 784, float32, 10 classes.",
        data=partial(digits, rows=60_000, side=28, classes=10),
        quick={"rows": 500, "side": 8},
        ours=Contender(OURS, fit(f"pellucid.{LOGISTIC}", threads="n_jobs", C=PIXEL_C)),
        peers=(
            Contender(INTELEX, fit(f"sklearnex.{LOGISTIC}", threads="n_jobs", C=PIXEL_C)),
            Contender("lbfgs", fit(f"sklearn.{LOGISTIC}", C=PIXEL_C), package=SKLEARN),
            Contender("saga", fit(f"sklearn.{LOGISTIC}", solver="saga", C=PIXEL_C, random_state=0), package=SKLEARN),
        ),
        quality=Quality("objective", logistic_cost(PIXEL_C), bound=1e-4),
    ),
    TEXT,
    replace(
        TEXT,
        name="logistic_l1_text_50000x50000",
        about="Logistic regression, L1 with C = 1, no intercept, texts of 50,000 words, 50,000 rows.",
        ours=Contender(OURS, fit(f"pellucid.{LOGISTIC}", fit_intercept=False, l1_ratio=1.0, solver="liblinear")),
        peers=(
            Contender(
                "liblinear",
                fit(f"sklearn.{LOGISTIC}", fit_intercept=False, l1_ratio=1.0, solver="liblinear", random_state=0),
                package=SKLEARN,
            ),
            Contender("celer", fit("celer.LogisticRegression"), prepare=as_csc),
            Contender(
                "saga",
                fit(f"sklearn.{LOGISTIC}", fit_intercept=False, l1_ratio=1.0, solver="saga", random_state=0),
                package=SKLEARN,
            ),
        ),
        quality=Quality("objective", logistic_cost(l1_ratio=1.0), bound=1e-3),
        memory_goal=1.25,  # the columns of X, turned round once, and some vectors of rows and columns
    ),
    ROWS,
    replace(
        ROWS,
        name="sgd_batches_1000000x50",
        about="Stochastic descent on log loss, 1,000,000 x 50, 5 epochs; ours 64 rows a step, the peer row by row.",
        ours=Contender(OURS, fit("pellucid.linear_model.SGDClassifier", batch_size=64, **SGD)),
        goal=2.0,
    ),
]
