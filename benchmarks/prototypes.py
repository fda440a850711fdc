"""Prototypes: class centers, a codebook's epochs, condensed and edited rows.

No peer with scikit-learn's interface learns codebooks; NumPy stands in with the plain loop over rows, on the same order
of rows. Editing is set against imbalanced-learn and against the same rule on scikit-learn's neighbors.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Workload, load

SKLEARN = "scikit-learn"
IMBALANCED = "imbalanced-learn"


def clumps(rows: int, columns: int, classes: int, apart: float = 1.0) -> dict[str, NDArray[Any]]:
    """Round classes around random centers."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=rows)
    centers = apart * rng.standard_normal((classes, columns))
    return {"X": centers[y] + rng.standard_normal((rows, columns)), "y": y}


# ------------------------------------------------------------------------------------------------------------ centers


def our_centers(data: Mapping[str, Any], threads: int, **params: Any) -> Any:
    return load("pellucid.neighbors.NearestCentroid")(n_jobs=threads, **params).fit(data["X"], data["y"])


def their_centers(data: Mapping[str, Any], threads: int, **params: Any) -> Any:
    return load("sklearn.neighbors.NearestCentroid")(**params).fit(data["X"], data["y"])


def center_error(model: Any, arrays: Arrays, metric: str) -> float:
    """The largest difference from centers worked out by NumPy."""
    middle = np.mean if metric == "euclidean" else np.median
    wanted = np.array([middle(arrays["X"][arrays["y"] == k], axis=0) for k in model.classes_])
    return float(np.abs(model.centroids_ - wanted).max())


def keep_model(make: Any, data: Mapping[str, Any], threads: int) -> dict[str, Any]:
    return {"model": make(data, threads), "X": data["X"]}


def ask(data: Mapping[str, Any], threads: int) -> Any:
    return data["model"].predict(data["X"])


def wrong(answer: Any, arrays: Arrays) -> float:
    return float(np.mean(np.asarray(answer) != arrays["y"]))


# ----------------------------------------------------------------------------------------------------------- codebooks

EPOCHS = 5


def first_rows(data: Mapping[str, Any], each: int) -> tuple[Any, Any]:
    """A start that everybody has: the first rows of each class."""
    rows = np.concatenate([np.flatnonzero(data["y"] == k)[:each] for k in np.unique(data["y"])])
    return data["X"][rows].copy(), data["y"][rows]


def our_codebook(data: Mapping[str, Any], threads: int) -> Any:
    vectors, labels = first_rows(data, 4)
    make = load("pellucid.neighbors.LVQClassifier")
    settings = {"learning_rate": 0.1, "max_iter": EPOCHS, "shuffle": False, "hold": None}
    return make(init=vectors, init_labels=labels, **settings).fit(data["X"], data["y"]).codebook_


def numpy_codebook(data: Mapping[str, Any], threads: int) -> Any:
    vectors, labels = first_rows(data, 4)
    for epoch in range(EPOCHS):
        rate = 0.1 * (1 - epoch / EPOCHS)
        for x, y in zip(data["X"], data["y"], strict=True):
            apart = x - vectors
            best = np.einsum("ij,ij->i", apart, apart).argmin()
            vectors[best] += (rate if labels[best] == y else -rate) * apart[best]
    return vectors


def mean_distance(codebook: Any, arrays: Arrays) -> float:
    """The mean squared distance of the rows to the nearest vector: another walk has another one."""
    part = arrays["X"][:5_000]
    return float(np.min([((part - vector) ** 2).sum(axis=1) for vector in codebook], axis=0).mean())


# ---------------------------------------------------------------------------------------------------------------- rows


def our_rows(data: Mapping[str, Any], threads: int, name: str, **params: Any) -> Any:
    return load(f"pellucid.neighbors.{name}")(n_jobs=threads, **params).fit(data["X"], data["y"]).sample_indices_


def their_rows(data: Mapping[str, Any], threads: int, name: str, **params: Any) -> Any:
    chooser = load(f"imblearn.under_sampling.{name}")(n_jobs=threads, **params)
    chooser.fit_resample(data["X"], data["y"])
    return chooser.sample_indices_


def neighbors_rows(data: Mapping[str, Any], threads: int) -> Any:
    """Wilson's rule on scikit-learn's neighbors, two classes: most of the three must agree."""
    search = load("sklearn.neighbors.NearestNeighbors")(n_neighbors=3, n_jobs=threads).fit(data["X"])
    votes = data["y"][search.kneighbors(return_distance=False)].sum(axis=1) > 1
    return np.flatnonzero(votes == (data["y"] == 1))


def kept(rows: Any, arrays: Arrays) -> float:
    return float(len(rows))


def mistakes_of_store(rows: Any, arrays: Arrays) -> float:
    """The share of some rows that one nearest neighbor in the store gets wrong; condensing leaves none."""
    store, labels = arrays["X"][rows], arrays["y"][rows]
    part, wanted = arrays["X"][::20], arrays["y"][::20]
    squares = (store**2).sum(axis=1) - 2 * part @ store.T
    return float(np.mean(labels[squares.argmin(axis=1)] != wanted))


def workload_of_centers(metric: str) -> Workload:
    return Workload(
        name=f"nearest_centroid_{metric}",
        about=f"Class centers ({'means' if metric == 'euclidean' else 'medians'}), 1,000,000 x 50, 10 classes.",
        data=partial(clumps, rows=1_000_000, columns=50, classes=10),
        quick={"rows": 2_000},
        ours=Contender(OURS, partial(our_centers, metric=metric)),
        peers=(Contender(SKLEARN, partial(their_centers, metric=metric), openmp=True),),
        quality=Quality("error of the centers", partial(center_error, metric=metric), bound=1e-9, against_best=False),
        goal=2.0,
    )


WORKLOADS = [
    workload_of_centers("euclidean"),
    workload_of_centers("manhattan"),
    Workload(
        name="nearest_centroid_predict",
        about="Predictions by class centers, 1,000,000 x 50, 10 classes.",
        data=partial(clumps, rows=1_000_000, columns=50, classes=10),
        quick={"rows": 2_000},
        ours=Contender(OURS, ask, prepare=partial(keep_model, our_centers)),
        peers=(Contender(SKLEARN, ask, prepare=partial(keep_model, their_centers), openmp=True),),
        quality=Quality("share wrong", wrong, bound=1e-3),
        goal=1.0,
    ),
    Workload(
        name="lvq_five_epochs",
        about="LVQ1, 20,000 x 20, 40 vectors, 5 epochs; NumPy row by row beside it.",
        data=partial(clumps, rows=20_000, columns=20, classes=10, apart=2.0),
        quick={"rows": 500},
        ours=Contender(OURS, our_codebook),
        peers=(Contender("NumPy", numpy_codebook, package="numpy"),),
        quality=Quality("mean squared distance", mean_distance, bound=1e-9),
        goal=20.0,
    ),
    Workload(
        name="edited_neighbors",
        about="Wilson's editing by 3 neighbors, 20,000 x 10, two classes.",
        data=partial(clumps, rows=20_000, columns=10, classes=2, apart=0.7),
        quick={"rows": 1_000},
        ours=Contender(OURS, partial(our_rows, name="EditedNearestNeighbors")),
        peers=(
            Contender("scikit-learn neighbors", neighbors_rows, package=SKLEARN, openmp=True),
            Contender(
                IMBALANCED,
                partial(their_rows, name="EditedNearestNeighbors", kind_sel="mode", sampling_strategy="all"),
            ),
        ),
        quality=Quality("rows kept", kept, bound=1e-3),
        goal=1.0,
    ),
    Workload(
        name="condensed_neighbors",
        about="Hart's condensing, 20,000 x 10, two classes.",
        data=partial(clumps, rows=20_000, columns=10, classes=2, apart=0.7),
        quick={"rows": 1_000},
        ours=Contender(OURS, partial(our_rows, name="CondensedNearestNeighbors")),
        peers=(Contender(IMBALANCED, partial(their_rows, name="CondensedNearestNeighbor", random_state=0)),),
        quality=Quality("mistakes of the store", mistakes_of_store, bound=1e-3, against_best=False),
    ),
]
