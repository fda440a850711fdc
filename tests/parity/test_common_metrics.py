"""Every public metric that scikit-learn has too is compared with it: on random and awkward data, weighted and not.

Its own parity file goes deeper; this one makes sure that none is left out.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics
import sklearn.metrics.cluster
import sklearn.metrics.pairwise

from pellucid import metrics as ours

PEERS = (sklearn.metrics, sklearn.metrics.cluster, sklearn.calibration, sklearn.metrics.pairwise)
# Not metrics: what makes scorers, and a class of warnings. Theirs of the name `entropy` takes labels, ours chances.
OTHERS = {"check_scoring", "get_scorer", "get_scorer_names", "make_scorer", "UndefinedMetricWarning", "entropy"}
OTHERS |= {"pairwise_distances_chunked"}  # an iterator: tests/parity/test_pairwise.py
COMMON = sorted({name for name in ours.__all__ for peer in PEERS if hasattr(peer, name)} - OTHERS)

Data = tuple[Any, ...]
Maker = Callable[[np.random.Generator, int], Data]


def two_columns_of_labels(rng: np.random.Generator, n: int) -> Data:
    y = rng.integers(0, 2, n)
    return y, np.where(rng.random(n) < 0.7, y, rng.integers(0, 2, n))


def groupings(rng: np.random.Generator, n: int) -> Data:
    return rng.integers(0, 4, n), rng.integers(-1, 3, n)


def labels_and_chances(rng: np.random.Generator, n: int) -> Data:
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    return y, np.round(np.clip(0.4 * y + 0.6 * rng.random(n), 0, 1), 2)  # with ties


def numbers(rng: np.random.Generator, n: int) -> Data:
    y = rng.lognormal(size=n)
    return y, y * rng.lognormal(sigma=0.3, size=n)


def clusters(rng: np.random.Generator, n: int) -> Data:
    labels = np.append([0, 0, 1], rng.integers(0, 3, n - 3))
    return np.round(rng.normal(size=(n, 9)), 1) + labels[:, None], labels  # with rows that are equal or nearly so


def gains(rng: np.random.Generator, n: int) -> Data:
    return rng.integers(0, 4, (n, 6)), np.round(rng.random((n, 6)), 1)


def points(rng: np.random.Generator, n: int) -> Data:
    return np.sort(rng.random(n)), rng.random(n)


def two_tables(rng: np.random.Generator, n: int) -> Data:
    """Of positive numbers, so that kernels of counts take them too."""
    return rng.random((n, 11)), rng.random((n, 11))


def places_on_earth(rng: np.random.Generator, n: int) -> Data:
    return rng.uniform(-1.5, 1.5, (n, 2)), rng.uniform(-1.5, 1.5, (n, 2))


MAKERS: dict[tuple[str, ...], Maker] = {
    ("y_true", "y_pred"): two_columns_of_labels,
    ("y1", "y2"): two_columns_of_labels,
    ("labels_true", "labels_pred"): groupings,
    ("y_true", "y_score"): labels_and_chances,
    ("y_true", "y_proba"): labels_and_chances,
    ("y_true", "y_prob"): labels_and_chances,
    ("y_true", "pred_decision"): labels_and_chances,
    ("X", "labels"): clusters,
    ("x", "y"): points,
    ("X", "Y"): two_tables,
}
OWN_MAKERS = {"dcg_score": gains, "ndcg_score": gains, "haversine_distances": places_on_earth}
ALSO: dict[str, dict[str, Any]] = {"fbeta_score": {"beta": 2}, "top_k_accuracy_score": {"k": 1}}


def maker_of(name: str) -> Maker | None:
    function = getattr(ours, name)
    if function.__module__.endswith((".regression", ".explained")):
        return numbers
    return OWN_MAKERS.get(name) or MAKERS.get(tuple(inspect.signature(function).parameters)[:2])


def peer_of(name: str) -> Any:
    return next(getattr(peer, name) for peer in PEERS if hasattr(peer, name))


def weightings(name: str, rng: np.random.Generator, n: int) -> Iterator[dict[str, Any]]:
    """None; any; and whole ones with zeros, where there are weights."""
    yield {}
    if "sample_weight" in inspect.signature(getattr(ours, name)).parameters:
        yield {"sample_weight": rng.random(n) + 0.1}
        yield {"sample_weight": np.append([1, 2, 1], rng.integers(0, 3, n - 3))}


def awkward(data: Data) -> Iterator[Data]:
    """The same twice over, as lists, and in another unit where they are numbers."""
    yield tuple(np.concatenate([part, part]) for part in data)
    yield tuple(part.tolist() for part in data)
    if data[0].ndim == 2 and data[0].dtype.kind == "f":
        yield 1e-6 * data[0], data[1]
    elif all(part.dtype.kind == "f" and part.ndim == 1 for part in data):
        yield 1e-9 * data[0], 1e-9 * data[1]


def test_every_common_metric_has_data() -> None:
    lacking = [name for name in COMMON if maker_of(name) is None]
    assert not lacking, f"add data for these: {lacking}"
    assert len(COMMON) > 50


@pytest.mark.parametrize("n", [6, 60, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in (13, 400))])
@pytest.mark.parametrize("name", COMMON)
def test_same_answer(name: str, n: int) -> None:
    make = maker_of(name)
    assert make is not None
    rng = np.random.default_rng((6, 13, 60, 400).index(n))
    data = make(rng, n)
    for weight in weightings(name, rng, n):
        compare(name, data, weight)
    for other in awkward(data):
        compare(name, other, {})


def answer(function: Any, data: Data, options: dict[str, Any]) -> Any:
    """What is answered, one or several; "refused" where it is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(*data, **options)
        except ValueError:
            return ("refused",)
    return found if isinstance(found, tuple) else (found,)


def compare(name: str, data: Data, options: dict[str, Any]) -> None:
    both = (getattr(ours, name), peer_of(name))
    got, want = (answer(function, data, {**ALSO.get(name, {}), **options}) for function in both)
    # Of equal rows scikit-learn finds distances of about 1e-8, the root of what rounding leaves.
    tolerance = 1e-7 if name.startswith("silhouette") else 1e-9
    for one, other in zip(got, want, strict=True):
        if other is None:
            assert one is None
        elif isinstance(other, str):
            assert [plain(word) for word in one.split()] == [as_number(word) for word in other.split()]
        else:
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=name)


def as_number(word: str) -> Any:
    """A word of a report: equal to a number within rounding, where it is one."""
    value = plain(word)
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


def plain(word: str) -> Any:
    try:
        return float(word)
    except ValueError:
        return word
