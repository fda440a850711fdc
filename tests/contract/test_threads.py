"""The number of threads changes no bit of what is learned or said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import threadpoolctl

from .frame import SUBJECTS, Problem, Subject, answers, assert_same_bits, assert_same_fit, case, each, fit, problem

# Where n_jobs are worker processes for parts of the rows, one setting is enough: starting them takes long.
THREADED = [s for s in SUBJECTS if "n_jobs" in s.cls._params and (s.is_default or not s.splits)]
# Sizes that are cut into several blocks of rows, and into several blocks of columns.
SIZES = {"tall": (9_000, 12), "wide": (700, 200)}


def data(subject: Subject, rows: int, columns: int) -> Problem:
    """Data of a size; fewer columns for a transformer, whose result may be wider by orders of magnitude."""
    if hasattr(subject.cls, "kneighbors") or hasattr(subject.cls, "radius_neighbors"):
        rows = min(rows, 3000)  # each is compared with each
    return problem(subject, rows, min(columns, 30) if subject.role == "transformer" else columns)


def layouts(subject: Subject) -> list[str]:
    return ["C", "F", "float32", *["weighted"] * subject.takes_weight, *["sparse"] * subject.tags.input_tags.sparse]


def in_processes(subject: Subject) -> bool:
    """Is it built around other estimators? Then its n_jobs are worker processes, which hang on no size of blocks."""
    return "estimator" in subject.params or "estimators" in subject.params


# Tables of more than a megabyte, as the wide ones are, reach worker processes as read-only maps: one keeps that case.
GIVEN_MAPS = "StackingClassifier"


def cases() -> list[Any]:
    """Layouts that other tests hold to the answers of C order count as exhaustive, as do all others of wide tables."""
    plain = {"tall": {"C", "sparse"}, "wide": {"C"}}

    def far(subject: Subject, size: str, layout: str) -> bool:
        started = size == "wide" and in_processes(subject) and subject.name != GIVEN_MAPS
        return started or layout not in plain[size]

    return [
        case(subject, size, layout, id=f"{subject}-{size}-{layout}", exhaustive=far(subject, size, layout))
        for subject in THREADED
        for size in SIZES
        for layout in layouts(subject)
    ]


def laid_out(X: np.ndarray, layout: str) -> Any:
    if layout == "sparse":
        return scipy.sparse.csr_matrix(np.where(np.abs(X) < 0.6, 0, X))
    return np.asarray(X, dtype=np.float32 if layout == "float32" else np.float64, order="F" if layout == "F" else "C")


@pytest.mark.parametrize(("subject", "size", "layout"), cases())
def test_one_two_and_three_threads_give_equal_bits(subject: Subject, size: str, layout: str) -> None:
    X, y, weight = data(subject, *SIZES[size])
    table = laid_out(X, layout)
    given = weight if layout == "weighted" else None
    one, *more = [fit(subject.make(n_jobs=threads), table, y, given) for threads in (1, 2, 3)]
    said = answers(one, table)
    for other in more:
        assert_same_fit(other, one)
        assert_same_bits(answers(other, table), said)


@pytest.mark.parametrize(
    "size", [pytest.param((5000, 12), marks=pytest.mark.exhaustive), (900, 200)], ids=["tall", "wide"]
)
@each(THREADED)
def test_a_limit_set_by_threadpoolctl_changes_no_bit(subject: Subject, size: tuple[int, int]) -> None:
    """The limit holds for BLAS too: no sum of ours may depend on how many threads it has."""
    X, y, _ = data(subject, *size)
    free = fit(subject.make(), X, y)
    with threadpoolctl.threadpool_limits(1):
        held = fit(subject.make(), X, y)
    assert_same_fit(held, free)


@each(THREADED)
def test_fits_from_several_python_threads_at_once_give_equal_bits(subject: Subject) -> None:
    from concurrent.futures import ThreadPoolExecutor

    X, y, _ = problem(subject, 5000, 12)
    alone = fit(subject.make(), X, y)
    with ThreadPoolExecutor(6) as pool:
        for model in pool.map(lambda _: fit(subject.make(n_jobs=2), X, y), range(6)):
            assert_same_fit(model, alone)
