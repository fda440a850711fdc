"""Boosted trees: growing on numbers, categories and sparse tables, small tables, prediction, and growth with the rows.

All contenders get the same number of rounds, leaves, bins and the same rate; what differs is how they count. CatBoost's
trees have one test a level: they are set beside ours of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.forests import ranked
from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

LIGHTGBM, QUANTIZED, XGBOOST, CATBOOST = "lightgbm", "lightgbm, quantized", "xgboost", "catboost"
ROUNDS, LEAVES, RATE = 100, 31, 0.1


# --------------------------------------------------------------------------------------------------------------- data


def table(rows: int, columns: int, classes: int, single: bool = True) -> dict[str, NDArray[Any]]:
    """Gaussian columns of which a half matter, by thresholds, products and waves, with noise; and rows held out.

    classes : of the target; 0 for numbers. Of numbers and of several classes both factors of a product matter on
        their own too: where they do not, the first splits on them are chance, and so is R² (by 0.003 from one order
        of the rows to another)
    """
    random = np.random.default_rng(0)
    held = max(20_000, min(rows // 4, 100_000))
    X = random.standard_normal((rows + held, columns), dtype=np.float32)
    if not single:
        X = X.astype(np.float64)
    outputs = 1 if classes <= 2 else classes
    score = np.zeros((rows + held, outputs))
    for k in range(outputs):
        some = random.choice(columns, size=max(4, columns // 2), replace=False)
        for i in range(0, len(some) - 1, 2):
            a, b = X[:, some[i]], X[:, some[i + 1]]
            product = a * b if classes == 2 else (1 + a) * (1 + b)
            score[:, k] += (
                random.normal() * (a > random.normal()) + random.normal() * product + np.sin(random.normal() * 2 * b)
            )
    score += score.std() * 0.7 * random.standard_normal(score.shape)
    if classes == 0:
        y: NDArray[Any] = score[:, 0]
    elif classes == 2:
        y = (score[:, 0] > np.median(score)).astype(np.int64)
    else:
        y = score.argmax(axis=1)
    return {"X": X[:rows], "y": y[:rows], "other_X": X[rows:], "other_y": y[rows:]}


def named_table(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Codes of categories, from 3 to some thousand a column, each with an effect of its own; two classes."""
    random = np.random.default_rng(0)
    held = max(2000, rows // 4)
    sizes = np.unique(np.geomspace(3, 3000, columns).astype(int), return_inverse=False)
    sizes = np.resize(sizes, columns)
    X = np.empty((rows + held, columns))
    score = np.zeros(rows + held)
    for j, size in enumerate(sizes):
        X[:, j] = (
            np.minimum(random.zipf(1.4, rows + held) - 1, size - 1)
            if size > 20
            else random.integers(size, size=rows + held)
        )
        score += random.normal(size=size)[X[:, j].astype(int)]
    y = (score + 1.5 * random.standard_normal(rows + held) > np.median(score)).astype(np.int64)
    return {"X": X[:rows], "y": y[:rows], "other_X": X[rows:], "other_y": y[rows:]}


def words(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Counts of words as the parts of a sparse table: a row has about 60 of them, frequent ones more often."""
    random = np.random.default_rng(0)
    held = max(500, rows // 5)
    n = rows + held
    per_row = random.poisson(60, n) + 1
    place = np.minimum((columns * random.random(per_row.sum()) ** 3).astype(np.int64), columns - 1)
    row = np.repeat(np.arange(n), per_row)
    X = sparse.csr_matrix((np.ones(len(row)), (row, place)), shape=(n, columns))
    X.sum_duplicates()
    effect = np.zeros(columns)
    effect[random.choice(columns // 10, 300, replace=False)] = random.normal(size=300)
    score = np.asarray(X @ effect).ravel()
    y = (score + 0.5 * score.std() * random.standard_normal(n) > np.median(score)).astype(np.int64)
    return {
        "X_values": X.data, "indices": X.indices, "starts": X.indptr, "shape": np.array([n, columns]),
        "y": y[:rows], "other_y": y[rows:],
    }  # fmt: skip


def as_sparse(arrays: Arrays) -> dict[str, Any]:
    """The parts as tables."""
    X = sparse.csr_matrix((arrays["X_values"], arrays["indices"], arrays["starts"]), shape=tuple(arrays["shape"]))
    rows = len(arrays["y"])
    return {"X": X[:rows], "other_X": X[rows:], "y": arrays["y"], "other_y": arrays["other_y"]}


# --------------------------------------------------------------------------------------------------------- contenders


def ours(kind: str, rounds: int, **settings: Any) -> Run:
    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        model = load(f"pellucid.boosting.LightGBM{kind}")(
            n_estimators=rounds, max_leaf_nodes=LEAVES, learning_rate=RATE, random_state=0, n_jobs=n_threads, **settings
        )
        return model.fit(data["X"], data["y"])

    return run


def lightgbm(kind: str, rounds: int, **settings: Any) -> Run:
    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        model = load(f"lightgbm.LGBM{kind}")(
            n_estimators=rounds, num_leaves=LEAVES, learning_rate=RATE, random_state=0, n_jobs=n_threads, verbose=-1
        )
        model.set_params(**{name: value for name, value in settings.items() if name != "categories"})
        more = {"categorical_feature": settings["categories"]} if "categories" in settings else {}
        return model.fit(data["X"], data["y"], **more)

    return run


def xgboost(kind: str, rounds: int) -> Run:
    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        model = load(f"xgboost.XGB{kind}")(
            n_estimators=rounds, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide", learning_rate=RATE,
            tree_method="hist", max_bin=255, n_jobs=n_threads, random_state=0,
        )  # fmt: skip
        return model.fit(data["X"], data["y"])

    return run


def catboost(kind: str, rounds: int, categories: list[int] | None = None) -> Run:
    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        model = load(f"catboost.CatBoost{kind}")(
            iterations=rounds, learning_rate=RATE, depth=6, border_count=254, thread_count=n_threads, random_seed=0,
            verbose=False, allow_writing_files=False,
        )  # fmt: skip
        if categories is None:
            return model.fit(data["X"], data["y"])
        return Coded(model.fit(data["X"].astype(int), data["y"], cat_features=categories))

    return run


class Coded:
    """A model that takes whole numbers as categories."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(np.asarray(X).astype(int))


def peers(kind: str, rounds: int) -> tuple[Contender, ...]:
    """LightGBM, the same with gradients as small whole numbers, and XGBoost."""
    quantized = lightgbm(kind, rounds, use_quantized_grad=True)
    return (
        Contender(LIGHTGBM, lightgbm(kind, rounds), openmp=True),
        Contender(QUANTIZED, quantized, package=LIGHTGBM, openmp=True),
        Contender(XGBOOST, xgboost(kind, rounds), openmp=True),
    )


# ---------------------------------------------------------------------------------------------------------- workloads


def good(model: Any, arrays: Arrays) -> float:
    """On rows held out: the area under the curve, R², or for several classes the share that is right."""
    X = as_sparse(arrays)["other_X"] if "starts" in arrays else arrays["other_X"]
    y = arrays["other_y"]
    if y.dtype.kind != "f" and y.max() > 1:
        return float(np.mean(np.asarray(model.predict(X)).ravel() == y))
    return ranked(model, {"other_X": X, "other_y": y})


HELD_OUT = Quality("AUC, R² or accuracy on rows held out", good, bound=0.005, higher_is_better=True)


def growing(
    name: str, about: str, rows: int, columns: int, classes: int, goal: float | None, rounds: int = ROUNDS
) -> Workload:
    kind = "Classifier" if classes else "Regressor"
    return Workload(
        name=name,
        about=f"{rounds} rounds of {LEAVES} leaves, {rows:,} x {columns}, {about}.",
        data=partial(table, rows=rows, columns=columns, classes=classes),
        quick={"rows": 2_000},
        ours=Contender(OURS, ours(kind, rounds)),
        peers=peers(kind, rounds),
        quality=HELD_OUT,
        goal=goal,
    )


def ours_oblivious(data: Mapping[str, Any], n_threads: int) -> Any:
    """Trees of one test a level, with CatBoost's defaults."""
    model = load("pellucid.boosting.CatBoostClassifier")(
        n_estimators=ROUNDS, learning_rate=RATE, max_depth=6, random_state=0, n_jobs=n_threads
    )
    return model.fit(data["X"], data["y"])


def oblivious() -> Workload:
    return Workload(
        name="boosting_oblivious_200000x28",
        about=f"{ROUNDS} rounds of trees with one test a level, depth 6, 200,000 x 28, two classes.",
        data=partial(table, rows=200_000, columns=28, classes=2),
        quick={"rows": 2_000},
        ours=Contender(OURS, ours_oblivious),
        peers=(Contender(CATBOOST, catboost("Classifier", ROUNDS)),),
        quality=HELD_OUT,
        goal=1.3,
    )


def categories() -> Workload:
    places = list(range(20))
    return Workload(
        name="boosting_categories_200000x20",
        about=f"{ROUNDS} rounds, 200,000 x 20 categories, from 3 to 3,000 a column, two classes.",
        data=partial(named_table, rows=200_000, columns=20),
        quick={"rows": 2_000},
        ours=Contender(OURS, ours("Classifier", ROUNDS, categorical_features=places)),
        peers=(
            Contender(LIGHTGBM, lightgbm("Classifier", ROUNDS, categories=places), openmp=True),
            Contender(
                QUANTIZED,
                lightgbm("Classifier", ROUNDS, categories=places, use_quantized_grad=True),
                package=LIGHTGBM,
                openmp=True,
            ),
            Contender(CATBOOST, catboost("Classifier", ROUNDS, places)),
        ),
        quality=HELD_OUT,
        goal=1.3,
    )  # fmt: skip


def wide() -> Workload:
    return Workload(
        name="boosting_sparse_50000x50000",
        about=f"{ROUNDS} rounds of {LEAVES} leaves, sparse 50,000 x 50,000, two classes.",
        data=partial(words, rows=50_000, columns=50_000),
        quick={"rows": 1_000, "columns": 3_000},
        prepare=as_sparse,
        ours=Contender(OURS, ours("Classifier", ROUNDS)),
        peers=peers("Classifier", ROUNDS),
        quality=HELD_OUT,
        goal=1.3,
    )


def growth(rows: int, columns: int) -> Workload:
    """A few rounds on tables that grow, against LightGBM: the time of a row and column should stay the same."""
    rounds = 20
    return Workload(
        name=f"boosting_growth_{rows}x{columns}",
        about=f"{rounds} rounds of {LEAVES} leaves, {rows:,} x {columns}, numbers: growth with the table.",
        data=partial(table, rows=rows, columns=columns, classes=0),
        quick={"rows": 2_000},
        ours=Contender(OURS, ours("Regressor", rounds)),
        peers=(Contender(LIGHTGBM, lightgbm("Regressor", rounds), openmp=True),),
        quality=HELD_OUT,
    )


def bin_ours(data: Mapping[str, Any], n_threads: int) -> Any:
    """The table in bins, as a fit makes it."""
    core = load("pellucid._core.binned_table")
    matrix = load("pellucid._core.dense")(data["X"])
    return core(matrix, np.zeros(data["X"].shape[1], dtype=np.int32), None, 255, n_threads)


def bin_lightgbm(data: Mapping[str, Any], n_threads: int) -> Any:
    """LightGBM's table in bins."""
    return load("lightgbm.Dataset")(data["X"], params={"num_threads": n_threads, "verbose": -1}).construct()


def binning() -> Workload:
    return Workload(
        name="boosting_binning_800000x28",
        about="The first step of a fit alone: 800,000 x 28 in bins.",
        data=partial(table, rows=800_000, columns=28, classes=2),
        quick={"rows": 2_000},
        ours=Contender(OURS, bin_ours),
        peers=(Contender(LIGHTGBM, bin_lightgbm, openmp=True),),
        quality=Quality("nothing is compared", lambda answer, arrays: 0.0, bound=1.0, against_best=False),
    )


WORKLOADS = [
    growing("boosting_800000x28", "two classes", 800_000, 28, 2, 2.0),
    growing("boosting_classes_100000x50", "ten classes", 100_000, 50, 10, 1.3),
    growing("boosting_numbers_200000x50", "numbers", 200_000, 50, 0, 1.3),
    oblivious(),
    categories(),
    wide(),
    growing("boosting_2000x20", "two classes", 2_000, 20, 2, 2.0, rounds=200),
    binning(),
    *(growth(rows, 10) for rows in (10_000, 100_000, 1_000_000, 10_000_000)),
    *(growth(100_000, columns) for columns in (30, 100)),
    *(growth(3_000_000, columns) for columns in (16, 25, 28)),  # for the memory, too
]
