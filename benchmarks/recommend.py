"""Recommenders: factors from counts beside implicit, and ratings of the size of MovieLens 100k."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

REG = 0.01


def plays(users: int, items: int, pairs: int, factors: int, passes: int) -> dict[str, NDArray[Any]]:
    """Confidences of what users played: few artists have many listeners, and tastes of a few kinds."""
    random = np.random.default_rng(0)
    popular = 1.0 / np.arange(1, items + 1) ** 0.8
    kind_of_item, kind_of_user = random.integers(0, 12, items), random.integers(0, 12, users)
    chosen = []
    for kind in range(12):
        weight = popular * np.where(kind_of_item == kind, 12.0, 1.0)
        own = np.flatnonzero(kind_of_user == kind)
        n = pairs * len(own) // users
        chosen.append((random.choice(own, n), random.choice(items, n, p=weight / weight.sum())))
    rows = np.concatenate([part[0] for part in chosen])
    columns = np.concatenate([part[1] for part in chosen])
    unique = np.unique(rows.astype(np.int64) * items + columns)
    sure = 1 + 5 * np.log1p(np.exp(random.normal(5, 1.5, len(unique))))
    return {
        "X_users": (unique // items).astype(np.int32),
        "X_items": (unique % items).astype(np.int32),
        "X_data": sure,
        "size": np.array([users, items, factors, passes]),
    }


def as_matrix(data: Mapping[str, Any], n_threads: int) -> dict[str, Any]:
    """The same counts as a sparse matrix, made before the clock starts."""
    shape = tuple(data["size"][:2].tolist())
    matrix = sp.csr_matrix((data["X_data"], (data["X_users"], data["X_items"])), shape=shape)
    return {"matrix": matrix, "single": matrix.astype(np.float32), "size": data["size"].tolist()}


def ours(data: Mapping[str, Any], n_threads: int) -> Any:
    """Confidences as they are given."""
    _, _, factors, passes = data["size"]
    model = load("pellucid.recommend.ImplicitALS")(
        n_factors=factors, reg=REG, confidence="given", max_iter=passes, n_jobs=n_threads, random_state=0
    )
    model.fit(data["matrix"])
    return model.user_factors_, model.item_factors_


def theirs(data: Mapping[str, Any], n_threads: int) -> Any:
    """implicit with the same settings; its BLAS is held to one thread, as it asks for."""
    _, _, factors, passes = data["size"]
    limits = load("threadpoolctl.threadpool_limits")
    with limits(1, "blas"):
        model = load("implicit.cpu.als.AlternatingLeastSquares")(
            factors=factors, regularization=REG, iterations=passes, num_threads=n_threads, random_state=0
        )
        model.fit(data["single"], show_progress=False)
    return model.user_factors, model.item_factors


def loss(answer: Any, arrays: Arrays) -> float:
    """What both minimize, over all pairs."""
    x, y = (np.asarray(side, dtype=np.float64) for side in answer)
    found = np.einsum("ij,ij->i", x[arrays["X_users"]], y[arrays["X_items"]])
    known = np.sum(arrays["X_data"] * (1 - found) ** 2 - found**2)
    return float(np.sum((x.T @ x) * (y.T @ y)) + known + REG * (np.sum(x**2) + np.sum(y**2)))


def workload(users: int, items: int, pairs: int, factors: int) -> Workload:
    """Fifteen passes of alternating least squares with three steps of conjugate gradients."""
    return Workload(
        name=f"implicit_als_{users}x{items}_{factors}",
        about=f"ImplicitALS: fit of about {pairs:,} plays of {items:,} artists by {users:,} users, {factors} factors.",
        data=partial(plays, users=users, items=items, pairs=pairs, factors=factors, passes=15),
        quick={"users": 200, "items": 300, "pairs": 3000, "factors": 16},
        ours=Contender(OURS, ours, prepare=as_matrix),
        peers=(Contender("implicit", theirs, prepare=as_matrix, openmp=True),),
        quality=Quality("loss", loss, bound=0.01),
        goal=1.0,
    )


# ------------------------------------------------------------------------------------------------------------- ratings


def ratings(users: int, items: int, share: float) -> dict[str, NDArray[Any]]:
    """Ratings 1 to 5 that a few factors make, about as many as in MovieLens 100k."""
    random = np.random.default_rng(1)
    known = random.random((users, items)) < share * 2 * random.random((users, 1))
    rows, columns = np.nonzero(known)
    taste = random.normal(size=(users, 4)) @ random.normal(size=(4, items))
    raw = 3.5 + 0.5 * random.normal(size=(users, 1)) + 0.5 * random.normal(size=items) + 0.4 * taste
    stars = np.clip(np.rint(raw + random.normal(size=raw.shape)), 1, 5)[rows, columns]
    held = random.random(len(rows)) < 0.2
    return {
        "X_users": rows[~held], "X_items": columns[~held], "X_stars": stars[~held],
        "test_users": rows[held], "test_items": columns[held], "test_stars": stars[held],
    }  # fmt: skip


def rate(path: str, **settings: Any) -> Run:
    """Fits and predicts the ratings that were held out."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        model = load(path)(n_jobs=n_threads, **settings)
        model.fit((data["X_users"], data["X_items"], data["X_stars"]))
        return model.predict(data["test_users"], data["test_items"])

    return run


def error(answer: Any, arrays: Arrays) -> float:
    """Root mean squared error of the ratings that were held out."""
    return float(np.sqrt(np.mean((answer - arrays["test_stars"]) ** 2)))


def rated(name: str, estimator: str, **settings: Any) -> Workload:
    """No peer that is installed here does the same."""
    return Workload(
        name=f"{name}_943x1682",
        about=f"{estimator}: fit on 80,000 ratings and prediction of 20,000.",
        data=partial(ratings, users=943, items=1682, share=0.063),
        quick={"users": 100, "items": 80, "share": 0.3},
        ours=Contender(OURS, rate(f"pellucid.recommend.{estimator}", **settings)),
        peers=(),
        quality=Quality("rmse", error, bound=1.3, against_best=False),
    )


WORKLOADS = [
    workload(2_000, 17_000, 100_000, 64),
    workload(2_000, 17_000, 100_000, 128),
    workload(50_000, 20_000, 2_000_000, 64),
    rated("baseline_ratings", "BaselineRecommender"),
    rated("item_neighbors", "ItemNeighborsRecommender", similarity="baseline", center="baseline", shrinkage=100.0),
    rated("factors_of_ratings", "MatrixFactorization", random_state=0),
]
