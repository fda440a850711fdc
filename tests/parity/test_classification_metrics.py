"""Metrics of labels against scikit-learn's: every function, average and convention, on random labels."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import metrics as ours
from pellucid.metrics import agreement, classification, confusion, report

AVERAGES = ["micro", "macro", "weighted", None]
ZERO_DIVISIONS: list[Any] = ["warn", 0, 1, math.nan]
ALPHABETS: list[list[Any]] = [
    [0, 1],
    [-1, 1],
    [False, True],
    ["no", "yes"],
    [3, 7, 900],
    [0.0, 1.0, 2.0, 5.0],
    ["a", "b", "ccc", "d", "e"],
    [-2, -1, 0, 1, 2, 3],
    [10**12, -(10**12), 0],
]
PRF = ["precision_score", "recall_score", "f1_score"]


def quietly(function: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def same(name: str, *args: Any, **kwargs: Any) -> None:
    """Equal within 1e-12, or both refuse."""
    try:
        want = quietly(getattr(peer, name), *args, **kwargs)
    except ValueError:
        with pytest.raises(ValueError, match=name):
            quietly(getattr(ours, name), *args, **kwargs)
        return
    got = quietly(getattr(ours, name), *args, **kwargs)
    if isinstance(want, tuple):
        for mine, other in zip(got, want, strict=True):
            _same_values(mine, other)
    else:
        _same_values(got, want)


def _same_values(got: Any, want: Any) -> None:
    if want is None:
        assert got is None
        return
    assert np.shape(got) == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@st.composite
def rows(draw: st.DrawFn, alphabets: list[list[Any]] = ALPHABETS) -> tuple[list[Any], list[Any], Any]:
    """True labels, predicted labels, weights (none, whole or in quarters, zeros among them, never all zero)."""
    alphabet = draw(st.sampled_from(alphabets))
    n = draw(st.integers(1, 25))
    label = st.sampled_from(alphabet)
    y_true, y_pred = (draw(st.lists(label, min_size=n, max_size=n)) for _ in range(2))
    kind = draw(st.sampled_from(["none", "whole", "quarters"]))
    if kind == "none":
        return y_true, y_pred, None
    drawn = np.array(draw(st.lists(st.integers(0, 8), min_size=n, max_size=n).filter(any)))
    return y_true, y_pred, drawn if kind == "whole" else drawn / 4  # sums of quarters are exact


@given(rows(), st.sampled_from([None, "true", "pred", "all"]))
@settings(max_examples=60, deadline=None)
def test_confusion_matrix(drawn: Any, normalize: Any) -> None:
    y_true, y_pred, w = drawn
    same("confusion_matrix", y_true, y_pred, sample_weight=w, normalize=normalize)
    got = quietly(ours.confusion_matrix, y_true, y_pred, sample_weight=w)
    assert got.dtype == quietly(peer.confusion_matrix, y_true, y_pred, sample_weight=w).dtype


@given(rows(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_figures_without_average(drawn: Any, flag: bool) -> None:
    y_true, y_pred, w = drawn
    same("accuracy_score", y_true, y_pred, normalize=flag, sample_weight=w)
    same("zero_one_loss", y_true, y_pred, normalize=flag, sample_weight=w)
    one_class = len({y for y, weight in zip(y_true, [1] * len(y_true) if w is None else w, strict=True) if weight}) == 1
    if not (flag and one_class):  # 0/0 or -x/0 there; ours is nan with a warning
        same("balanced_accuracy_score", y_true, y_pred, adjusted=flag, sample_weight=w)
    same("matthews_corrcoef", y_true, y_pred, sample_weight=w)
    same("hamming_loss", y_true, y_pred, sample_weight=w)
    same("multilabel_confusion_matrix", y_true, y_pred, sample_weight=w)


@given(rows(), st.sampled_from([None, "linear", "quadratic"]), st.sampled_from([math.nan, 0.0, -1.0]))
@settings(max_examples=60, deadline=None)
def test_kappa(drawn: Any, weights: Any, undefined: float) -> None:
    y_true, y_pred, w = drawn
    same("cohen_kappa_score", y_true, y_pred, weights=weights, sample_weight=w, replace_undefined_by=undefined)


@given(rows(), st.sampled_from(AVERAGES), st.sampled_from(ZERO_DIVISIONS), st.sampled_from([0, 0.5, 2, math.inf]))
@settings(max_examples=120, deadline=None)
def test_averages(drawn: Any, average: Any, zero_division: Any, beta: float) -> None:
    y_true, y_pred, w = drawn
    common = {"average": average, "sample_weight": w, "zero_division": zero_division}
    for name in PRF:
        same(name, y_true, y_pred, **common)
    same("fbeta_score", y_true, y_pred, beta=beta, **common)
    same("precision_recall_fscore_support", y_true, y_pred, beta=beta, **common)
    if zero_division == zero_division:
        same("jaccard_score", y_true, y_pred, **common)


@given(rows(ALPHABETS[:4]), st.integers(0, 1), st.sampled_from(ZERO_DIVISIONS))
@settings(max_examples=80, deadline=None)
def test_two_classes(drawn: Any, which: int, zero_division: Any) -> None:
    y_true, y_pred, w = drawn
    labels = sorted({*y_true, *y_pred})
    common = {"pos_label": labels[which % len(labels)], "sample_weight": w, "zero_division": zero_division}
    for name in PRF:
        same(name, y_true, y_pred, **common)
        same(name, y_true, y_pred, sample_weight=w, zero_division=zero_division)  # pos_label=1, which may be absent
    if zero_division == zero_division:
        same("jaccard_score", y_true, y_pred, **common)


@given(rows(ALPHABETS[4:]), st.data(), st.sampled_from(AVERAGES), st.sampled_from(ZERO_DIVISIONS))
@settings(max_examples=80, deadline=None)
def test_chosen_labels(drawn: Any, data: Any, average: Any, zero_division: Any) -> None:
    """A part of the labels, in any order, and labels that do not occur."""
    y_true, y_pred, w = drawn
    known = sorted({*y_true, *y_pred})
    absent = ["zz", "yy"] if isinstance(known[0], str) else [4321, 1234]
    labels = data.draw(st.lists(st.sampled_from(known + absent), min_size=1, max_size=5, unique=True))
    same("confusion_matrix", y_true, y_pred, labels=labels, sample_weight=w)
    same("cohen_kappa_score", y_true, y_pred, labels=labels, sample_weight=w)
    same("multilabel_confusion_matrix", y_true, y_pred, labels=labels, sample_weight=w)
    common = {"labels": labels, "average": average, "sample_weight": w}
    same("precision_recall_fscore_support", y_true, y_pred, zero_division=zero_division, **common)
    same("jaccard_score", y_true, y_pred, zero_division=1, **common)
    same_report(y_true, y_pred, labels=labels, sample_weight=w, zero_division=zero_division)


def same_report(y_true: Any, y_pred: Any, **settings: Any) -> None:
    want = quietly(peer.classification_report, y_true, y_pred, output_dict=True, **settings)
    got = quietly(ours.classification_report, y_true, y_pred, output_dict=True, **settings)
    assert list(got) == list(want)
    for name, row in want.items():
        if isinstance(row, dict):
            assert got[name] == pytest.approx(row, rel=1e-12, abs=1e-12, nan_ok=True)
        else:
            assert got[name] == pytest.approx(row, rel=1e-12, nan_ok=True)


@given(rows(), st.integers(0, 5), st.sampled_from(ZERO_DIVISIONS))
@settings(max_examples=60, deadline=None)
def test_report(drawn: Any, digits: int, zero_division: Any) -> None:
    y_true, y_pred, w = drawn
    same_report(y_true, y_pred, sample_weight=w, zero_division=zero_division)
    common = {"sample_weight": w, "digits": digits, "zero_division": zero_division}
    want = quietly(peer.classification_report, y_true, y_pred, **common)
    got = quietly(ours.classification_report, y_true, y_pred, **common)
    assert _nearly_equal_text(got, want, digits)


def _nearly_equal_text(got: str, want: str, digits: int) -> bool:
    """The same text, but a last digit may differ where a figure lies on the half between two."""
    if got == want:
        return True
    assert len(got) == len(want)
    numbers = zip(got.split(), want.split(), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= 1.001 * 10**-digits for a, b in numbers)


def test_report_with_names() -> None:
    y_true, y_pred = [0, 1, 2, 2, 2], [0, 0, 2, 2, 1]
    names = ["none", "a class with a long name", "two"]
    for settings_ in ({}, {"digits": 4}, {"labels": [2, 0, 1]}):
        want = peer.classification_report(y_true, y_pred, target_names=names, **settings_)
        assert ours.classification_report(y_true, y_pred, target_names=names, **settings_) == want
    want = quietly(peer.classification_report, y_true, y_pred, labels=[0, 1, 2], target_names=names[:2])
    assert quietly(ours.classification_report, y_true, y_pred, labels=[0, 1, 2], target_names=names[:2]) == want


@st.composite
def several_labels(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    n, k = draw(st.integers(1, 8)), draw(st.integers(2, 4))
    bits = st.lists(st.integers(0, 1), min_size=n * k, max_size=n * k)
    y_true, y_pred = (np.array(draw(bits)).reshape(n, k) for _ in range(2))
    weight = draw(st.none() | st.lists(st.integers(0, 8), min_size=n, max_size=n).filter(any))
    return y_true, y_pred, None if weight is None else np.array(weight) / 4


@given(several_labels(), st.sampled_from([*AVERAGES, "samples"]), st.sampled_from(ZERO_DIVISIONS), st.booleans())
@settings(max_examples=80, deadline=None)
def test_several_labels_a_row(drawn: Any, average: Any, zero_division: Any, sparse: bool) -> None:
    y_true, y_pred, w = drawn
    if sparse:
        y_true, y_pred = sp.csr_array(y_true), sp.csr_array(y_pred)
    common = {"average": average, "sample_weight": w, "zero_division": zero_division}
    for name in PRF:
        same(name, y_true, y_pred, **common)
    same("precision_recall_fscore_support", y_true, y_pred, labels=[1, 0], **common)
    if zero_division == zero_division:
        same("jaccard_score", y_true, y_pred, **common)
    for name in ("accuracy_score", "zero_one_loss", "hamming_loss", "multilabel_confusion_matrix"):
        same(name, y_true, y_pred, sample_weight=w)
    same("multilabel_confusion_matrix", y_true, y_pred, sample_weight=w, samplewise=True)
    same_report(y_true, y_pred, sample_weight=w, zero_division=zero_division)


@st.composite
def decisions(draw: st.DrawFn) -> tuple[list[Any], Any, Any]:
    alphabet = draw(st.sampled_from(ALPHABETS))
    n = draw(st.integers(len(alphabet), 20))
    label = st.sampled_from(alphabet)
    y_true = alphabet + draw(st.lists(label, min_size=n - len(alphabet), max_size=n - len(alphabet)))
    shape = (n,) if len(alphabet) == 2 else (n, len(alphabet))
    seed = draw(st.integers(0, 2**31))
    weight = draw(st.none() | st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return y_true, np.random.default_rng(seed).normal(scale=2, size=shape), weight


@given(decisions())
@settings(max_examples=40, deadline=None)
def test_hinge(drawn: Any) -> None:
    y_true, decision, w = drawn
    same("hinge_loss", y_true, decision, sample_weight=w)
    same("hinge_loss", y_true, decision, labels=sorted(set(y_true)), sample_weight=w)


def test_hinge_with_a_class_that_does_not_occur() -> None:
    decision = np.random.default_rng(0).normal(size=(4, 3))
    same("hinge_loss", [0, 2, 2, 0], decision, labels=[0, 1, 2])


@pytest.mark.parametrize("n_classes", [1_000, 3_000])
def test_many_classes(n_classes: int) -> None:
    """Below and above the number from which on the matrix of pairs is not made."""
    rng = np.random.default_rng(0)
    y_true, w = rng.integers(n_classes, size=20_000), rng.integers(5, size=20_000) / 4
    y_pred = np.where(rng.random(20_000) < 0.5, y_true, rng.integers(n_classes, size=20_000))
    for weight in (None, w):
        for average in AVERAGES:
            same("precision_recall_fscore_support", y_true, y_pred, average=average, sample_weight=weight)
    same("accuracy_score", y_true, y_pred)
    if n_classes == 1_000:
        same("confusion_matrix", y_true, y_pred)
        same("matthews_corrcoef", y_true, y_pred, sample_weight=w)
        same("cohen_kappa_score", y_true, y_pred, weights="quadratic")
        same("balanced_accuracy_score", y_true, y_pred)


MODULES = (classification, confusion, agreement, report)
SAME_SIGNATURE = [name for module in MODULES for name in module.__all__ if hasattr(peer, name)]


@pytest.mark.parametrize("name", SAME_SIGNATURE)
def test_signature(name: str) -> None:
    mine, other = (inspect.signature(getattr(module, name)).parameters for module in (ours, peer))
    assert list(mine) == list(other)
    for key, parameter in other.items():
        assert mine[key].kind == parameter.kind
        default = parameter.default
        assert mine[key].default == default or (mine[key].default != mine[key].default and default != default)


BAD: list[tuple[str, Any, Any, dict[str, Any], str]] = [
    ("accuracy_score", [1, 2], [1], {}, "inconsistent numbers of samples"),
    ("accuracy_score", [], [], {}, "Found empty input array"),
    ("accuracy_score", [1.0, math.nan], [1, 2], {}, "Input y_true contains NaN"),
    ("accuracy_score", ["a", "b"], [1, 2], {}, "Mix of label input types \\(string and number\\)"),
    ("accuracy_score", [0, 1], [0.2, 0.7], {}, "can't handle a mix of binary and continuous targets"),
    ("accuracy_score", [0.5, 1], [0.5, 1], {}, "continuous is not supported"),
    ("accuracy_score", [0, 1], [[0, 1], [1, 0]], {}, "can't handle a mix of binary and multilabel-indicator targets"),
    ("accuracy_score", [[1, 2], [3, 4]], [[1, 2], [3, 4]], {}, "multiclass-multioutput is not supported"),
    ("accuracy_score", [1j], [1], {}, "Complex data not supported"),
    ("accuracy_score", [0, 1], [0, 1], {"sample_weight": [0, 0]}, "Sample weights must contain at least one non-zero"),
    ("accuracy_score", [0, 1], [0, 1], {"sample_weight": [1, math.nan]}, "Input sample_weight contains NaN"),
    ("accuracy_score", [0, 1], [0, 1], {"sample_weight": [1]}, "inconsistent numbers of samples"),
    ("accuracy_score", [0, 1], [0, 1], {"sample_weight": [[1], [1]]}, "Sample weights must be 1D array or scalar"),
    ("f1_score", ["a", "b"], ["a", "b"], {}, "pos_label=.?1.? is not a valid label.{1,2} It should be one of"),
    ("f1_score", [0, 1, 2], [0, 1, 2], {}, "Target is multiclass but average='binary'"),
    ("f1_score", [[0, 1]], [[0, 1]], {}, "Target is multilabel-indicator but average='binary'"),
    ("f1_score", [0, 1], [0, 1], {"average": "samples"}, "Samplewise metrics are not available outside of multilabel"),
    ("f1_score", [[0, 1]], [[0, 1]], {"labels": [2], "average": None}, "All labels must be in \\[0, n labels\\)"),
    ("f1_score", [[0, 1]], [[0, 1]], {"labels": [-1], "average": None}, "All labels must be in \\[0, n labels\\)"),
    ("f1_score", [[0, 1]], [[0, 1, 1]], {"average": None}, "Multi-label binary indicator input with different numbers"),
    ("confusion_matrix", [0, 1], [0, 1], {"labels": [5]}, "At least one label specified must be in y_true"),
    ("confusion_matrix", [0, 1], [0, 1], {"labels": []}, "'labels' should contain at least one label"),
    ("confusion_matrix", [[0, 1]], [[0, 1]], {}, "multilabel-indicator is not supported"),
    ("matthews_corrcoef", [[0, 1]], [[0, 1]], {}, "multilabel-indicator is not supported"),
    ("classification_report", [0, 1], [0, 1], {"target_names": ["a"]}, "Number of classes, 2, does not match size of"),
    ("hinge_loss", [0, 1, 2], [1.0, 2.0, 3.0], {}, "The shape of pred_decision cannot be 1d array"),
    ("hinge_loss", [0, 1, 2], [[1.0, 2.0]] * 3, {}, "Please include all labels in y_true or pass labels as third"),
    ("hinge_loss", [0, 1], [[1.0, 2.0]] * 2, {"labels": [0, 1, 2]}, "The shape of pred_decision is not consistent"),
    ("hinge_loss", [0, 5], [[1.0, 2.0, 3.0]] * 2, {"labels": [0, 1, 2]}, "y contains previously unseen labels"),
]


@pytest.mark.parametrize(("name", "y_true", "y_pred", "settings_", "phrase"), BAD, ids=lambda v: str(v)[:40])
def test_same_phrase(name: str, y_true: Any, y_pred: Any, settings_: dict[str, Any], phrase: str) -> None:
    """What scikit-learn refuses we refuse, with its phrase, so that code that looks for it goes on working."""
    with pytest.raises(ValueError, match=phrase.replace("array with", "array ?with")):
        quietly(getattr(peer, name), y_true, y_pred, **settings_)
    with pytest.raises(ValueError, match=phrase) as error:
        quietly(getattr(ours, name), y_true, y_pred, **settings_)
    assert str(error.value).startswith(f"{name}: ")


def test_warning_is_scikit_learns_too() -> None:
    from sklearn.exceptions import UndefinedMetricWarning

    with pytest.warns(
        UndefinedMetricWarning, match="Precision is ill-defined and being set to 0.0 due to no predicted"
    ):
        ours.precision_score([0, 1], [0, 0])
    with pytest.warns(
        UndefinedMetricWarning, match="Recall is ill-defined and being set to 0.0 in labels with no true"
    ):
        ours.recall_score([0, 0], [0, 1], average=None)


def test_inside_grid_search() -> None:
    """As a scorer of scikit-learn's own tools."""
    from sklearn.model_selection import cross_val_score

    from pellucid.dummy import DummyClassifier

    X, y = np.zeros((30, 1)), np.array([0, 1, 1] * 10)
    scorer = peer.make_scorer(ours.balanced_accuracy_score)
    np.testing.assert_array_equal(cross_val_score(DummyClassifier(), X, y, scoring=scorer, cv=3), [0.5, 0.5, 0.5])
