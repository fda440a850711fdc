"""The number of threads changes no bit of what is learned or said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import threadpoolctl

from .frame import SUBJECTS, Problem, Subject, answers, assert_same_bits, assert_same_fit, case, each, fit, problem

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.base.errors.ConvergenceWarning")
# Where n_jobs are worker processes for parts of the rows, one setting is enough: starting them takes long.
THREADED = [s for s in SUBJECTS if "n_jobs" in s.cls._params and (s.is_default or not s.splits)]
# Sizes that are cut into several blocks of rows, and into several blocks of columns.
SIZES = {"tall": (9_000, 6), "wide": (700, 200)}


# Compare each row with each, as all do that search for neighbors.
OF_PAIRS = ("DistanceOutliers",)


def data(subject: Subject, rows: int, columns: int) -> Problem:
    """Data of a size; fewer columns for a transformer, whose result may be wider by orders of magnitude."""
    if any(hasattr(subject.cls, name) for name in ("kneighbors", "radius_neighbors")) or subject.name in OF_PAIRS:
        rows = min(rows, 3000)  # each is compared with each
    return problem(subject, rows, min(columns, 30) if subject.role == "transformer" else columns)


def layouts(subject: Subject) -> list[str]:
    return ["C", "F", "float32", *["weighted"] * subject.takes_weight, *["sparse"] * subject.tags.input_tags.sparse]


def brief(subject: Subject, **more: Any) -> Any:
    """The estimator; a network with few passes, which are alike."""
    return subject.make(**({"max_iter": 20} if subject.name.startswith("MLP") else {}), **more)


# Of an estimator around others n_jobs are worker processes: tables of more than a megabyte, as the wide ones are, reach
# them as read-only maps. One keeps that case.
GIVEN_MAPS = "StackingClassifier"


def cases() -> list[Any]:
    """Layouts that other tests hold to the answers of C order count as exhaustive.

    So do wide tables, of which every estimator has one under a limit below.
    """

    def far(subject: Subject, size: str, layout: str) -> bool:
        return layout not in ("C", "sparse") if size == "tall" else (subject.name, layout) != (GIVEN_MAPS, "C")

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
    one, *more = [fit(brief(subject, n_jobs=threads), table, y, given) for threads in (1, 2, 3)]
    said = answers(one, table)
    for other in more:
        assert_same_fit(other, one)
        assert_same_bits(answers(other, table), said)


@pytest.mark.parametrize(
    "size", [pytest.param((5000, 6), marks=pytest.mark.exhaustive), (900, 200)], ids=["tall", "wide"]
)
@each(THREADED)
def test_a_limit_set_by_threadpoolctl_changes_no_bit(subject: Subject, size: tuple[int, int]) -> None:
    """The limit holds for BLAS too: no sum of ours may depend on how many threads it has."""
    X, y, _ = data(subject, *size)
    free = fit(brief(subject), X, y)
    with threadpoolctl.threadpool_limits(1):
        held = fit(brief(subject), X, y)
    assert_same_fit(held, free)


@each(THREADED)
def test_fits_from_several_python_threads_at_once_give_equal_bits(subject: Subject) -> None:
    from concurrent.futures import ThreadPoolExecutor

    X, y, _ = problem(subject, 5000, 6)
    alone = fit(brief(subject), X, y)
    with ThreadPoolExecutor(3) as pool:
        for model in pool.map(lambda _: fit(brief(subject, n_jobs=2), X, y), range(3)):
            assert_same_fit(model, alone)
