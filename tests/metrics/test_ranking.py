"""Metrics of scores and probabilities: the kernels against the readable reference, threads, odd input."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import threadpoolctl
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from pellucid import _core, metrics
from pellucid.base.errors import DataError, ParameterError
from pellucid.reference import metrics_ranking as reference

TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}


@st.composite
def rows(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Both classes, scores with ties, weights or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 40))
    y = np.append([0, 1], rng.integers(0, 2, n))
    score = np.round(rng.normal(size=n + 2), draw(st.sampled_from([0, 1, 12])))
    return y, score, draw(st.sampled_from([None, rng.random(n + 2) + 0.1]))


@given(rows())
@settings(max_examples=100, deadline=None)
def test_against_the_reference(given_rows: Any) -> None:
    y, score, weight = given_rows
    got = _core.thresholds(score, y.astype(np.uint8), weight, 2)
    for one, other in zip(got[1:], reference.counts_at_thresholds(y, score, weight), strict=True):
        np.testing.assert_allclose(one, other, **TOLERANCE)
    curve = metrics.roc_curve(y, score, sample_weight=weight, drop_intermediate=False)[:2]
    np.testing.assert_allclose(curve, reference.roc_curve(y, score, weight), **TOLERANCE)
    precision, recall, _ = metrics.precision_recall_curve(y, score, sample_weight=weight)
    np.testing.assert_allclose(
        (precision[-2::-1], recall[-2::-1]), reference.precision_recall_curve(y, score, weight), **TOLERANCE
    )
    for name in ("roc_auc_score", "average_precision_score"):
        got_score = getattr(metrics, name)(y, score, sample_weight=weight)
        np.testing.assert_allclose(got_score, getattr(reference, name)(y, score, weight), **TOLERANCE)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_probabilities_against_the_reference(seed: int, k: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    y, p = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
    weight = rng.random(n) + 0.1 if weighted else None
    options = {"sample_weight": weight, "labels": np.arange(k)}
    np.testing.assert_allclose(metrics.log_loss(y, p, **options), reference.log_loss(y, p, weight), **TOLERANCE)
    brier = metrics.brier_score_loss(y, p, scale_by_half=False, **options)
    np.testing.assert_allclose(brier, reference.brier_score_loss(y, p, weight), **TOLERANCE)
    predicted = rng.integers(0, k, n)
    for dtype in (np.uint8, np.int32, np.int64):
        good, table = _core.confusion_counts(y.astype(dtype), predicted.astype(dtype), k, weight, 2)
        assert good
        np.testing.assert_allclose(table, reference.confusion_counts(y, predicted, k, weight), **TOLERANCE)
    q = rng.dirichlet(np.ones(k))
    for base in (None, 2, 10):
        for name, pair in (("cross_entropy", (p[0], q)), ("kl_divergence", (p[0], q)), ("entropy", (q,))):
            got, want = (getattr(module, name)(*pair, base=base) for module in (metrics, reference))
            np.testing.assert_allclose(got, want, **TOLERANCE)
    np.testing.assert_allclose(metrics.gini_impurity(q), reference.gini_impurity(q), **TOLERANCE)
    if k > 2 and len(set(y)) == k:
        got = metrics.top_k_accuracy_score(y, np.round(p, 1), k=2)
        assert got == pytest.approx(reference.top_k_accuracy_score(y, np.round(p, 1), k=2), abs=1e-12)


def test_calibration_against_the_reference() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 200), np.round(rng.random(200), 2)
    got, want = metrics.calibration_curve(y, p, n_bins=7), reference.calibration_curve(y, p, 7)
    np.testing.assert_allclose(got, want, **TOLERANCE)


def test_the_same_bits_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    n = 400_000
    y, score, weight = rng.integers(0, 2, n), np.round(rng.normal(size=n), 4), rng.random(n)
    table = rng.dirichlet(np.ones(4), n)
    classes = rng.integers(0, 4, n)

    def figures() -> list[Any]:
        found = [*metrics.roc_curve(y, score, sample_weight=weight), *metrics.precision_recall_curve(y, score)]
        for w in (None, weight):
            found += [
                metrics.roc_auc_score(y, score, sample_weight=w),
                metrics.log_loss(classes, table, sample_weight=w),
            ]
            found += [metrics.brier_score_loss(classes, table, sample_weight=w)]
            found += [_core.confusion_counts(classes, y, 4, w, limit())[1]]
        return [np.asarray(part).tobytes() for part in found]

    def limit() -> int:
        return max(1, _core.thread_limit())

    answers = []
    for threads in (1, 2, 3):
        with threadpoolctl.threadpool_limits(threads, user_api="pellucid"):
            answers.append(figures())
    assert answers[0] == answers[1] == answers[2]
    for threads in (1, 2, 3):  # also where the machine has fewer cores
        bits = [_core.roc_area(score, y.astype(np.uint8), w, threads)[1] for w in (None, weight)]
        assert bits == [_core.roc_area(score, y.astype(np.uint8), w, 1)[1] for w in (None, weight)]


def test_other_python_threads_go_on_meanwhile() -> None:
    """The kernels work without the interpreter's lock: calls from several threads at once agree with a single one."""
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 200_000), rng.random(200_000)
    want, found = metrics.roc_auc_score(y, score), []
    threads = [threading.Thread(target=lambda: found.append(metrics.roc_auc_score(y, score))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 4


def test_scores_without_meaning_and_perfect_ones() -> None:
    y = [0, 1, 0, 1, 1]
    assert metrics.roc_auc_score(y, [0.3] * 5) == 0.5
    assert metrics.roc_auc_score(y, y) == 1
    assert metrics.roc_auc_score(y, [-v for v in y]) == 0
    assert metrics.average_precision_score(y, [0.3] * 5) == pytest.approx(0.6)


@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1], ["a", "a", "a"]])
def test_one_class_has_no_area(y: Any) -> None:
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present in y_true"):
        assert np.isnan(metrics.roc_auc_score(y, [0.1, 0.2, 0.3]))


def test_a_weight_is_a_repetition_and_zero_leaves_out() -> None:
    rng = np.random.default_rng(1)
    y, score, weight = rng.integers(0, 2, 50), np.round(rng.random(50), 1), rng.integers(0, 4, 50)
    repeated = np.repeat(y, weight), np.repeat(score, weight)
    for metric in (metrics.roc_auc_score, metrics.average_precision_score, metrics.log_loss):
        np.testing.assert_allclose(metric(y, score, sample_weight=weight), metric(*repeated), **TOLERANCE)
    for one, other in zip(metrics.roc_curve(y, score, sample_weight=weight), metrics.roc_curve(*repeated), strict=True):
        np.testing.assert_allclose(one, other, **TOLERANCE)


def test_a_class_without_weight_is_not_there() -> None:
    """scikit-learn answers nan as well; its DET curve is nan where ours is refused."""
    y, score, weight = [0, 1, 1], [0.1, 0.2, 0.3], [0, 1, 1]
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present in y_true"):
        assert np.isnan(metrics.roc_auc_score(y, score, sample_weight=weight))
    with pytest.raises(DataError, match="Only one class is present in y_true"):
        metrics.det_curve(y, score, sample_weight=weight)


@pytest.mark.parametrize("made", [np.asfortranarray, lambda a: a[::-1][::-1], lambda a: a.astype(np.float32), list])
def test_any_layout_of_scores(made: Any) -> None:
    rng = np.random.default_rng(2)
    p = np.round(rng.random((40, 6))[:, ::2] * 64) / 64
    p[:, 2] = np.clip(2 - p[:, 0] - p[:, 1], 0, 2)
    p /= 2
    y = rng.integers(0, 3, 40)
    want = metrics.brier_score_loss(y, np.ascontiguousarray(p))
    assert metrics.brier_score_loss(y, made(p)) == pytest.approx(want, rel=1e-6)
    for column in range(3):
        assert metrics.roc_auc_score(y == 0, made(p)[:, column] if made is not list else list(p[:, column])) >= 0


def test_frames_are_read() -> None:
    pd = import_module("pandas")
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "p": [0.1, 0.8, 0.4, 0.35]})
    assert metrics.roc_auc_score(frame["y"], frame["p"]) == 0.75
    assert metrics.log_loss(frame["y"].astype("category"), frame["p"]) > 0


def test_input_is_left_as_it_is() -> None:
    y, p = np.array([0, 1, 1]), np.array([0.0, 0.5, 1.0])
    y.setflags(write=False)
    p.setflags(write=False)
    metrics.roc_auc_score(y, p)
    metrics.log_loss(y, p)


def test_rows_that_do_not_sum_to_one_are_said() -> None:
    with pytest.warns(UserWarning, match="do not sum to one"):
        metrics.log_loss([0, 1], [[0.5, 0.2], [0.1, 0.9]])


def test_mixed_labels_are_refused() -> None:
    with pytest.raises(DataError, match="Mix of label input types"):
        metrics.roc_auc_score([0, "a", 1], [0.1, 0.2, 0.3])


def test_negative_weights_are_refused() -> None:
    with pytest.raises(DataError, match="Negative values"):
        metrics.roc_auc_score([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=[1, -1, 1])


@pytest.mark.parametrize("scores", [[], [[]], 3.0, None, "abc", [2**60, 1, 0]])
def test_no_scores(scores: Any) -> None:
    with pytest.raises(DataError):
        metrics.roc_auc_score([0, 1, 1], scores)


def test_old_name_of_the_probabilities() -> None:
    with pytest.warns(FutureWarning, match="renamed"):
        old = metrics.log_loss([0, 1], y_pred=[0.2, 0.7])
    assert old == metrics.log_loss([0, 1], [0.2, 0.7])
    with pytest.raises(ParameterError, match="Cannot use both"):
        metrics.log_loss([0, 1], [0.2, 0.7], y_pred=[0.2, 0.7])


class TestDistributions:
    def test_one_figure_a_row(self) -> None:
        p = [[0.5, 0.5], [1, 0]]
        np.testing.assert_array_equal(metrics.entropy(p, base=2), [1, 0])
        np.testing.assert_array_equal(metrics.cross_entropy(p, [0.5, 0.5], base=2), [1, 1])
        np.testing.assert_array_equal(metrics.kl_divergence(p, [0.5, 0.5], base=2), [0, 1])

    def test_what_is_excluded_costs_infinity(self) -> None:
        assert metrics.cross_entropy([0.5, 0.5], [1, 0]) == np.inf
        assert metrics.kl_divergence([0.5, 0.5], [1, 0]) == np.inf
        assert metrics.cross_entropy([1, 0], [1, 0]) == 0

    @pytest.mark.parametrize(
        ("p", "q", "phrase"),
        [
            ([0.5, 0.4], [0.5, 0.5], "p must sum to one"),
            ([0.5, 0.5], [0.5, 0.6], "q must sum to one"),
            ([1.5, -0.5], [0.5, 0.5], "below 0"),
            ([0.5, 0.5], [1.0], "same outcomes"),
            ([0.5, float("nan")], [0.5, 0.5], "contains NaN"),
        ],
    )
    def test_refused(self, p: Any, q: Any, phrase: str) -> None:
        with pytest.raises(DataError, match=phrase):
            metrics.cross_entropy(p, q)

    @pytest.mark.parametrize("base", [0, 1, -2, "two", 0.5])
    def test_base(self, base: Any) -> None:
        with pytest.raises(ParameterError, match="base must be"):
            metrics.entropy([1.0], base=base)
