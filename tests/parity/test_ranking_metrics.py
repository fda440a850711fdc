"""Metrics of scores and probabilities against scikit-learn's, on random and awkward data."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import metrics
from pellucid.base.errors import PellucidError

TOLERANCE = 1e-12
pytestmark = pytest.mark.filterwarnings("ignore")
often = settings(max_examples=150, deadline=None)


def agree(ours: Callable[..., Any], theirs: Callable[..., Any], *data: Any, **options: Any) -> None:
    """Equal within the tolerance, or both refuse; where they warn, both do."""
    outcomes = []
    for function in (ours, theirs):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                answer = function(*data, **options)
            except (ValueError, NotImplementedError, ZeroDivisionError) as error:
                answer = type(error).__name__ if isinstance(error, NotImplementedError) else "refused"
        outcomes.append((answer, any(issubclass(one.category, UserWarning) for one in caught)))
    (got, warned), (want, peer_warned) = outcomes
    if isinstance(want, str) or isinstance(got, str):
        assert got == want or (isinstance(got, str) and isinstance(want, str))
        return
    for one, other in zip(*(a if isinstance(a, tuple) else (a,) for a in (got, want)), strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)
    assert warned == peer_warned


@st.composite
def binary_scores(draw: st.DrawFn, classes: tuple[Any, Any] = (0, 1)) -> tuple[Any, Any, Any]:
    """Labels, scores of many kinds, and weights: none, whole, any, some zero but not for a whole class."""
    n, seed = draw(st.integers(1, 60)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    y = np.asarray(classes)[(rng.random(n) < draw(st.sampled_from([0.1, 0.5, 0.9]))).astype(int)]
    smooth = rng.normal(size=n)
    kind = draw(st.sampled_from(["smooth", "tied", "constant", "huge", "zeros", "single", "whole"]))
    score = {
        "smooth": smooth,
        "tied": np.round(smooth, 1),
        "constant": np.full(n, 0.3),
        "huge": smooth * 10.0 ** rng.integers(-300, 300, n),
        "zeros": np.where(smooth > 0, 0.0, -0.0),
        "single": smooth.astype(np.float32),
        "whole": np.round(2 * smooth).astype(int),
    }[kind]
    weight = draw(st.sampled_from([None, "whole", "any", "some"]))
    made = {"whole": rng.integers(1, 4, n), "any": rng.random(n) + 0.01, "some": rng.integers(0, 3, n) * 0.5}
    made["some"][[np.flatnonzero(y == one)[0] for one in np.unique(y)]] = 0.5
    weights = None if weight is None else made[weight]
    return y, score, weights


CURVES = ["roc_curve", "precision_recall_curve", "det_curve"]


@pytest.mark.parametrize("name", CURVES)
@given(rows=binary_scores(), drop=st.booleans())
@often
def test_curves(name: str, rows: Any, drop: bool) -> None:
    y, score, weight = rows
    agree(getattr(metrics, name), getattr(peer, name), y, score, sample_weight=weight, drop_intermediate=drop)


@pytest.mark.parametrize("name", CURVES)
@given(rows=binary_scores(classes=("no", "yes")))
@settings(max_examples=30, deadline=None)
def test_positive_label(name: str, rows: Any) -> None:
    y, score, weight = rows
    agree(getattr(metrics, name), getattr(peer, name), y, score, pos_label="yes", sample_weight=weight)
    agree(getattr(metrics, name), getattr(peer, name), y, score, sample_weight=weight)


@given(rows=binary_scores(), max_fpr=st.sampled_from([None, 1.0, 0.5, 0.1, 0.01]))
@often
def test_roc_auc_of_two_classes(rows: Any, max_fpr: float | None) -> None:
    y, score, weight = rows
    agree(metrics.roc_auc_score, peer.roc_auc_score, y, score, sample_weight=weight, max_fpr=max_fpr)


@given(rows=binary_scores())
@often
def test_average_precision(rows: Any) -> None:
    y, score, weight = rows
    agree(metrics.average_precision_score, peer.average_precision_score, y, score, sample_weight=weight)
    agree(metrics.average_precision_score, peer.average_precision_score, y, score, pos_label=0, sample_weight=weight)


@pytest.mark.parametrize(
    "labels", [[0, 1], [-1, 1], [1, 2], [False, True], [0.0, 1.0], ["a", "b"], [3, 7], [0, 0], [1, 1]], ids=str
)
@pytest.mark.parametrize("as_list", [True, False])
def test_every_kind_of_label(labels: list[Any], as_list: bool) -> None:
    rng = np.random.default_rng(0)
    y, score = np.array(labels)[rng.integers(0, 2, 30)], rng.random(30)
    y = y.tolist() if as_list else y
    for name in (*CURVES, "roc_auc_score", "average_precision_score"):
        agree(getattr(metrics, name), getattr(peer, name), y, score)
    if labels != [1, 1]:  # scikit-learn takes the one label there is for the positive one; so do we, by another road
        agree(metrics.brier_score_loss, peer.brier_score_loss, y, score)
    agree(metrics.log_loss, peer.log_loss, y, score)
    agree(metrics.calibration_curve, sklearn.calibration.calibration_curve, y, score)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Classes 0 .. k-1 (now and then one is not there), rows of probabilities with ties, weights or none."""
    n, k, seed = draw(st.integers(1, 40)), draw(st.integers(3, 5)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    p = np.round(rng.dirichlet(np.ones(k), n), draw(st.sampled_from([1, 3, 16]))) + 1e-9
    p /= p.sum(axis=1, keepdims=True)
    return rng.integers(0, k, n), p, draw(st.sampled_from([None, rng.random(n) + 0.01]))


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None, "samples"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "raise"])
@given(rows=tables(), named=st.booleans())
@settings(max_examples=30, deadline=None)
def test_roc_auc_of_many_classes(multi_class: str, average: Any, rows: Any, named: bool) -> None:
    y, p, weight = rows
    options = {"multi_class": multi_class, "average": average, "sample_weight": weight}
    options["labels"] = np.arange(p.shape[1]) if named else None
    agree(metrics.roc_auc_score, peer.roc_auc_score, y, p, **options)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None, "samples"])
@given(rows=tables(), seed=st.integers(0, 999))
@settings(max_examples=30, deadline=None)
def test_several_labels_a_row(average: Any, rows: Any, seed: int) -> None:
    _, p, weight = rows
    table = np.random.default_rng(seed).integers(0, 2, p.shape)
    for name in ("roc_auc_score", "average_precision_score"):
        agree(getattr(metrics, name), getattr(peer, name), table, p, average=average, sample_weight=weight)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
@given(rows=tables())
@settings(max_examples=30, deadline=None)
def test_average_precision_of_many_classes(average: Any, rows: Any) -> None:
    y, p, weight = rows
    options = {"average": average, "sample_weight": weight}
    agree(metrics.average_precision_score, peer.average_precision_score, y, p, **options)


@given(rows=tables(), k=st.integers(1, 6), normalize=st.booleans(), named=st.booleans())
@often
def test_top_k_accuracy(rows: Any, k: int, normalize: bool, named: bool) -> None:
    y, p, weight = rows
    labels = np.arange(p.shape[1]) if named else None
    options = {"k": k, "normalize": normalize, "sample_weight": weight, "labels": labels}
    agree(metrics.top_k_accuracy_score, peer.top_k_accuracy_score, y, np.round(p, 1), **options)


@given(rows=binary_scores(), k=st.integers(1, 2))
@often
def test_top_k_accuracy_of_two_classes(rows: Any, k: int) -> None:
    y, score, weight = rows
    agree(metrics.top_k_accuracy_score, peer.top_k_accuracy_score, y, score, k=k, sample_weight=weight)


@given(rows=tables(), normalize=st.booleans(), named=st.booleans(), certain=st.booleans())
@often
def test_losses_of_many_classes(rows: Any, normalize: bool, named: bool, certain: bool) -> None:
    y, p, weight = rows
    p = np.eye(p.shape[1])[p.argmax(axis=1)] if certain else p
    labels = np.arange(p.shape[1]) if named else None
    options = {"sample_weight": weight, "labels": labels}
    agree(metrics.log_loss, peer.log_loss, y, p, normalize=normalize, **options)
    for half in ("auto", True, False):
        agree(metrics.brier_score_loss, peer.brier_score_loss, y, p, scale_by_half=half, **options)
    hot = np.eye(p.shape[1], dtype=int)[y]
    agree(metrics.log_loss, peer.log_loss, hot, p, sample_weight=weight)


@given(rows=binary_scores(), columns=st.sampled_from([0, 1, 2]), normalize=st.booleans())
@often
def test_losses_of_two_classes(rows: Any, columns: int, normalize: bool) -> None:
    y, score, weight = rows
    p = np.clip(np.asarray(score, dtype=np.float64), 0, 1)
    p = p if columns == 0 else p[:, None] if columns == 1 else np.column_stack([1 - p, p])
    agree(metrics.log_loss, peer.log_loss, y, p, normalize=normalize, sample_weight=weight, labels=[0, 1])
    agree(metrics.log_loss, peer.log_loss, y, p, normalize=normalize, sample_weight=weight)
    if columns < 2:
        for positive in (None, 0, 1):
            options = {"pos_label": positive, "sample_weight": weight}
            agree(metrics.brier_score_loss, peer.brier_score_loss, y, p, **options)


def test_losses_in_single_precision() -> None:
    """The same clipping; scikit-learn's sums are good to seven digits only."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 500), np.round(rng.random(500), 2).astype(np.float32)
    assert (p == 1).any()
    assert (p == 0).any()
    assert metrics.log_loss(y, p) == pytest.approx(peer.log_loss(y, p), rel=1e-6)
    assert metrics.brier_score_loss(y, p) == pytest.approx(peer.brier_score_loss(y, p), rel=1e-6)


@given(rows=binary_scores(), n_bins=st.integers(1, 12), strategy=st.sampled_from(["uniform", "quantile"]))
@often
def test_calibration_curve(rows: Any, n_bins: int, strategy: str) -> None:
    y, score, _ = rows
    p = np.round(1 / (1 + np.exp(-np.clip(np.asarray(score, dtype=np.float64), -50, 50))), 2)
    agree(metrics.calibration_curve, sklearn.calibration.calibration_curve, y, p, n_bins=n_bins, strategy=strategy)


@given(rows=binary_scores())
@often
def test_auc(rows: Any) -> None:
    _, score, _ = rows
    score = np.clip(score, -1e3, 1e3).astype(np.float64)  # theirs sums float32 in float32, ours in float64
    for x in (np.sort(score), np.sort(score)[::-1], score):
        agree(metrics.auc, peer.auc, x, np.abs(score))


NAN, INF = float("nan"), float("inf")
TWO, SCORES = [0, 1, 1], [0.1, 0.2, 0.9]
BAD: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("roc_auc_score", (TWO, [0.1, NAN, 0.3]), {}, "contains NaN"),
    ("roc_curve", (TWO, [0.1, INF, 0.3]), {}, "contains infinity"),
    ("roc_curve", (TWO, [0.1, 0.2]), {}, "inconsistent numbers of samples"),
    ("roc_curve", ([0.5, 0.2, 0.1], SCORES), {}, "continuous format is not supported"),
    ("roc_curve", ([0, 1, 2], SCORES), {}, "multiclass format is not supported"),
    ("roc_curve", (["a", "b", "b"], SCORES), {}, "pos_label is not specified"),
    ("roc_curve", (TWO, [[0.1, 0.2]] * 3), {}, "should be a 1d array"),
    (
        "roc_curve",
        (TWO, SCORES),
        {"sample_weight": [0, 0, 0]},
        "Sample weights must contain at least one non-zero number",
    ),
    ("roc_auc_score", ([0, 1, 2], SCORES), {}, "multi_class must be in"),
    ("roc_auc_score", ([0, 1, 2], [[0.5, 0.6, 0.1]] * 3), {"multi_class": "ovr"}, "should sum up to 1.0 over classes"),
    ("roc_auc_score", ([0, 1, 2], [[0.5, 0.5]] * 3), {"multi_class": "ovr"}, "Number of classes in y_true not equal"),
    ("roc_auc_score", ([0, 1, 2], SCORES), {"multi_class": "ovr"}, "needs to be of shape"),
    ("roc_auc_score", (TWO, SCORES), {"max_fpr": 0}, "max_fpr"),
    ("roc_auc_score", (TWO, SCORES), {"average": "mean"}, "average"),
    ("average_precision_score", (TWO, SCORES), {"pos_label": 3}, "is not a valid label"),
    ("average_precision_score", ([0, 1, 2], SCORES), {}, "needs to be of shape"),
    ("det_curve", ([1, 1, 1], SCORES), {}, "Only one class is present in y_true"),
    ("auc", ([1.0], [1.0]), {}, "At least 2 points are needed"),
    ("auc", ([1, 3, 2], [1, 1, 1]), {}, "neither increasing nor decreasing"),
    ("top_k_accuracy_score", ([0, 1, 2], [[0.1, 0.9]] * 3), {}, "Number of classes in 'y_true'"),
    ("top_k_accuracy_score", ([0, 1, 1], [[0.1, 0.9]] * 3), {}, "is binary while y_score is 2d"),
    ("log_loss", ([1, 1, 1], SCORES), {}, "contains only one label"),
    ("log_loss", (TWO, [0.1, 1.5, 0.5]), {}, "contains values greater than 1"),
    ("log_loss", (TWO, [0.1, -0.5, 0.5]), {}, "contains values lower than 0"),
    ("log_loss", (TWO, [0.1, NAN, 0.5]), {}, "contains NaN"),
    ("log_loss", ([0, 1, 2], SCORES), {}, "different number of classes"),
    ("log_loss", ([0, 1, 2], SCORES), {"labels": [0, 1]}, "not belonging to the passed labels"),
    ("log_loss", (TWO, SCORES), {"labels": [1]}, "labels"),
    ("brier_score_loss", ([0, 1, 2], SCORES), {}, "should be binary"),
    ("brier_score_loss", (["a", "b", "b"], SCORES), {}, "pos_label is not specified"),
    ("calibration_curve", (TWO, [0.1, 2, 0.5]), {}, r"outside \[0, 1\]"),
    ("calibration_curve", ([0, 1, 2], SCORES), {"pos_label": 1}, "Only binary classification is supported"),
]


@pytest.mark.parametrize(("name", "data", "options", "phrase"), BAD, ids=lambda value: str(value)[:40])
def test_both_refuse(name: str, data: Any, options: Any, phrase: str) -> None:
    """Ours with the same words, in our shape: who, what must be true, what was found."""
    theirs = getattr(sklearn.calibration if name == "calibration_curve" else peer, name)
    arrays = [np.asarray(part) for part in data]
    with pytest.raises(ValueError):  # noqa: PT011
        theirs(*arrays, **options)
    for given_as in (data, arrays):
        with pytest.raises(ValueError, match=phrase) as caught:
            getattr(metrics, name)(*given_as, **options)
        assert isinstance(caught.value, PellucidError)
        assert str(caught.value).startswith(name + ": ")
