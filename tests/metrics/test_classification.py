"""Metrics of labels: against the readable reference, on every kind of column, and in the words of their refusals."""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import metrics
from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.metrics import (
    ImbalanceWarning,
    Rates,
    UndefinedMetricWarning,
    _pairs,
    accuracy_score,
    balanced_accuracy_score,
    classification_report,
    cohen_kappa_score,
    confusion_matrix,
    confusion_table,
    error_rate,
    f1_score,
    hamming_loss,
    hinge_loss,
    jaccard_score,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    rates,
    recall_score,
    sensitivity_score,
    specificity_score,
    weighted_misclassification_rate,
    zero_one_loss,
)
from pellucid.metrics._rates import FORMULAS
from pellucid.metrics.costs import cost_matrix, expected_cost, tune_threshold
from pellucid.reference import metrics_classification as reference

ALPHABETS: list[list[Any]] = [[0, 1], ["no", "yes"], [False, True], ["a", "b", "c"], [1, 2, 3, 4, 5, 6]]


def quietly(function: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@st.composite
def rows(draw: st.DrawFn, alphabets: list[list[Any]] = ALPHABETS) -> tuple[list[Any], list[Any], list[float]]:
    alphabet = draw(st.sampled_from(alphabets))
    n = draw(st.integers(1, 20))
    label = st.sampled_from(alphabet)
    y_true, y_pred = (draw(st.lists(label, min_size=n, max_size=n)) for _ in range(2))
    return y_true, y_pred, [w / 4 for w in draw(st.lists(st.integers(0, 6), min_size=n, max_size=n).filter(any))]


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


@given(rows())
@settings(max_examples=80, deadline=None)
def test_whole_table_against_reference(drawn: Any) -> None:
    y_true, y_pred, w = drawn
    C = reference.confusion_matrix(y_true, y_pred, w)
    np.testing.assert_allclose(quietly(confusion_matrix, y_true, y_pred, sample_weight=w), C, rtol=1e-12)
    assert quietly(balanced_accuracy_score, y_true, y_pred, sample_weight=w) == near(reference.balanced_accuracy(C))
    assert matthews_corrcoef(y_true, y_pred, sample_weight=w) == near(reference.matthews_corrcoef(C))
    if (C.sum(axis=0) @ C.sum(axis=1)) < C.sum() ** 2:
        for name, power in ((None, 0), ("linear", 1), ("quadratic", 2)):
            kappa = cohen_kappa_score(y_true, y_pred, weights=name, sample_weight=w)
            assert kappa == near(reference.cohen_kappa(C, power))
    assert error_rate(y_true, y_pred) == near(reference.error_rate(y_true, y_pred))
    assert zero_one_loss(y_true, y_pred) == error_rate(y_true, y_pred) == near(hamming_loss(y_true, y_pred))
    wrong = reference.weighted_misclassification_rate(y_true, y_pred, w)
    assert weighted_misclassification_rate(y_true, y_pred, w) == near(wrong)


PER_CLASS = [
    (precision_score, reference.precision),
    (recall_score, reference.sensitivity),
    (specificity_score, reference.specificity),
    (f1_score, reference.f_beta),
    (jaccard_score, reference.jaccard),
]


@given(rows(), st.sampled_from([0.0, 1.0]))
@settings(max_examples=80, deadline=None)
def test_averages_against_reference(drawn: Any, zero_division: float) -> None:
    y_true, y_pred, w = drawn
    per_class = [reference.counts(y_true, y_pred, label, w) for label in reference.classes(y_true, y_pred)]
    supports = [c.TP + c.FN for c in per_class]
    for function, figure in PER_CLASS:
        figures = [figure(c, zero_division=zero_division) for c in per_class]

        def score(average: str | None, function: Any = function) -> Any:
            return function(y_true, y_pred, average=average, sample_weight=w, zero_division=zero_division)

        np.testing.assert_allclose(score(None), figures, rtol=1e-12)
        assert score("macro") == near(reference.averaged(figures, supports, "macro"))
        assert score("weighted") == near(reference.averaged(figures, supports, "weighted"))
        assert score("micro") == near(figure(reference.pooled(per_class), zero_division=zero_division))


@given(rows(ALPHABETS[:3]))
@settings(max_examples=60, deadline=None)
def test_rates_against_reference(drawn: Any) -> None:
    y_true, y_pred, w = drawn
    positive = max({*y_true, *y_pred})
    c = reference.counts(y_true, y_pred, positive, w)
    r = rates(y_true, y_pred, pos_label=positive, sample_weight=w)
    assert r == Rates(*c)
    assert r.accuracy == near(reference.accuracy(c))
    assert r.error_rate == near(1 - r.accuracy)
    assert r.recall == near(r.sensitivity)
    assert r.sensitivity == near(reference.sensitivity(c, math.nan))
    assert r.specificity == near(reference.specificity(c, math.nan))
    assert r.precision == near(reference.precision(c, math.nan))
    assert r.f1 == near(reference.f_beta(c, zero_division=math.nan))
    assert r.jaccard == near(reference.jaccard(c, math.nan))


@given(rows(ALPHABETS[:3]))
@settings(max_examples=40, deadline=None)
def test_specificity_is_the_recall_of_the_negative_class(drawn: Any) -> None:
    y_true, y_pred, w = drawn
    labels = sorted({*y_true, *y_pred})
    if len(labels) == 2:
        negative, positive = labels
        mine = specificity_score(y_true, y_pred, pos_label=positive, sample_weight=w, zero_division=0)
        assert mine == recall_score(y_true, y_pred, pos_label=negative, sample_weight=w, zero_division=0)


def test_specificity_of_several_labels_a_row() -> None:
    y_true, y_pred = np.array([[0, 0, 1], [0, 1, 0]]), np.array([[1, 0, 1], [0, 1, 0]])
    assert specificity_score(y_true, y_pred, average="samples") == near((1 / 2 + 1) / 2)
    assert specificity_score(y_true, y_pred, average="samples", sample_weight=[3, 1]) == near((3 / 2 + 1) / 4)


def test_sensitivity_is_recall() -> None:
    assert sensitivity_score is recall_score


def test_rates_by_hand() -> None:
    r = Rates(TP=8, TN=80, FP=10, FN=2)
    assert r.as_dict() == {
        "TP": 8,
        "TN": 80,
        "FP": 10,
        "FN": 2,
        "prevalence": near(0.1),
        "accuracy": near(0.88),
        "error_rate": near(0.12),
        "sensitivity": near(0.8),
        "specificity": near(8 / 9),
        "precision": near(4 / 9),
        "negative_predictive_value": near(80 / 82),
        "false_positive_rate": near(1 / 9),
        "false_negative_rate": near(0.2),
        "false_discovery_rate": near(5 / 9),
        "false_omission_rate": near(2 / 82),
        "f1": near(16 / 28),
        "jaccard": near(8 / 20),
        "balanced_accuracy": near((0.8 + 8 / 9) / 2),
        "informedness": near(0.8 + 8 / 9 - 1),
        "markedness": near(4 / 9 + 80 / 82 - 1),
        "matthews_corrcoef": near((8 * 80 - 10 * 2) / math.sqrt(18 * 10 * 90 * 82)),
        "positive_likelihood_ratio": near(7.2),
        "negative_likelihood_ratio": near(0.225),
    }
    for name, formula in FORMULAS:
        code = formula.replace("2 TP", "2*TP").replace("TP TN", "TP*TN").replace("FP FN", "FP*FN").replace(")(", ")*(")
        assert eval(code, {"sqrt": math.sqrt}, r.as_dict() | {"n": r.n}) == near(getattr(r, name))


def test_rates_are_frozen_and_show_what_is_undefined() -> None:
    r = Rates(TP=0, TN=5, FP=0, FN=0)
    with pytest.raises(FrozenInstanceError):
        r.TP = 1  # type: ignore[misc]
    assert math.isnan(r.sensitivity)
    assert "sensitivity                   0/0  TP / (TP + FN)" in str(r)
    sure = Rates(TP=3, TN=5, FP=0, FN=1)
    assert sure.positive_likelihood_ratio == math.inf
    assert "positive_likelihood_ratio     inf  " in str(sure)
    with pytest.raises(DataError, match=r"^Rates: counts must be finite and not negative; got FP=-1, FN=nan\.$"):
        Rates(TP=0, TN=0, FP=-1, FN=math.nan)


def test_confusion_table() -> None:
    y_true, y_pred = ["cat", "cat", "horse", "dog"], ["cat", "dog", "horse", "dog"]
    assert confusion_table(y_true, y_pred).splitlines() == [
        "              predicted",
        "              cat  dog  horse  total",
        "actual cat      1    1      0      2",
        "actual dog      0    1      0      1",
        "actual horse    0    0      1      1",
        "total           1    2      1      4",
    ]
    assert confusion_table(y_true, y_pred, normalize="true", labels=["dog", "cat"], digits=1).splitlines() == [
        "            predicted",
        "            dog  cat",
        "actual dog  1.0  0.0",
        "actual cat  0.5  0.5",
    ]
    assert "0.50" in confusion_table([0, 1], [0, 1], sample_weight=[0.5, 1])


DAYS = np.array(["2020-01-01", "2020-01-02", "2020-01-01"], "M8[D]")
COLUMNS: list[tuple[str, Any, Any]] = [
    ("list of text", ["a", "b", "b"], ["a", "b", "a"]),
    ("tuple", (1, 2, 2), (1, 2, 1)),
    ("whole floats", [1.0, 2.0, 2.0], [1, 2, 1]),
    ("flags and numbers", [False, True, True], [0, 1, 0]),
    ("one column", [[1], [2], [2]], np.array([[1], [2], [1]])),
    ("numbers far apart", [-(2**62), 2**62, 2**62], [-(2**62), 2**62, -(2**62)]),
    ("small unsigned", np.array([1, 255, 255], np.uint8), [1, 255, 1]),
    ("objects: text", np.array(["a", "b", "b"], object), ["a", "b", "a"]),
    ("objects: numbers", np.array([1, 2, 2], object), [1, 2, 1]),
    ("objects: flags", np.array([True, False, False], object), [True, False, True]),
    ("NumPy text", np.array(["a", "b", "b"]), [np.str_("a"), "b", "a"]),
    ("days", np.array(["2020-01-01", "2020-01-02", "2020-01-02"], "M8[D]"), DAYS),
    ("pandas", pd.Series(["a", "b", "b"], index=[7, 8, 9]), pd.Series(["a", "b", "a"])),
    ("pandas category", pd.Series(["a", "b", "b"], dtype="category"), pd.Series(["a", "b", "a"])),
    ("pandas Int64", pd.Series([1, 2, 2], dtype="Int64"), pd.Series([1, 2, 1])),
    ("pandas boolean", pd.Series([True, False, False], dtype="boolean"), [True, False, True]),
    ("pandas frame", pd.DataFrame({"y": ["a", "b", "b"]}), ["a", "b", "a"]),
    ("polars", pl.Series(["a", "b", "b"]), pl.Series(["a", "b", "a"])),
    ("polars category", pl.Series(["a", "b", "b"], dtype=pl.Categorical), pl.Series(["a", "b", "a"])),
    ("arrow", pa.array(["a", "b", "b"]), pa.array(["a", "b", "a"])),
    ("arrow chunks", pa.chunked_array([[1, 2], [2]]), pa.chunked_array([[1], [2, 1]])),
    ("arrow dictionary", pa.array(["a", "b", "b"]).dictionary_encode(), ["a", "b", "a"]),
]


@pytest.mark.parametrize(("y_true", "y_pred"), [c[1:] for c in COLUMNS], ids=[c[0] for c in COLUMNS])
def test_columns(y_true: Any, y_pred: Any) -> None:
    assert accuracy_score(y_true, y_pred) == 2 / 3
    assert confusion_matrix(y_true, y_pred).tolist() in ([[1, 0], [1, 1]], [[1, 1], [0, 1]])  # True comes after False


def test_input_is_left_alone() -> None:
    y_true, y_pred, w = np.array([3, 1, 2]), np.array([1, 1, 2]), np.array([1.0, 0.5, 2.0])
    copies = y_true.copy(), y_pred.copy(), w.copy()
    quietly(classification_report, y_true, y_pred, sample_weight=w)
    for array, copy in zip((y_true, y_pred, w), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_sums_do_not_depend_on_the_number_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the matrix of pairs."""
    rng = np.random.default_rng(0)
    y_true, y_pred, w = rng.integers(6, size=50), rng.integers(6, size=50), rng.integers(4, size=50) / 4
    for weight in (None, w):
        with_matrix = multilabel_confusion_matrix(y_true, y_pred, sample_weight=weight)
        monkeypatch.setattr(_pairs, "MOST_CLASSES_IN_A_MATRIX", 2)
        without = multilabel_confusion_matrix(y_true, y_pred, sample_weight=weight)
        np.testing.assert_array_equal(with_matrix, without)
        assert with_matrix.dtype == without.dtype


NO, YES = ["no"] * 5000, ["yes"] * 20


def test_warning_of_misleading_accuracy() -> None:
    with pytest.warns(ImbalanceWarning) as heard:
        accuracy_score(NO + YES, NO + ["no"] * 20)
    assert str(heard[0].message) == (
        "accuracy_score: an accuracy of 99.60% says little here; class 'no' holds 99.60% of y_true, so that naming it "
        "always would reach 99.60%.\nhint: look at balanced_accuracy_score, or recall_score of the rare class."
    )
    assert heard[0].filename == __file__


def test_warning_where_naming_the_majority_would_be_better() -> None:
    with pytest.warns(ImbalanceWarning, match=r"accuracy of 99.58% .* would reach 99.60%"):
        accuracy_score(NO + YES, ["yes"] + ["no"] * 5019)


def test_warning_goes_by_weights() -> None:
    with pytest.warns(ImbalanceWarning, match="class 1 holds 95.00%"):
        accuracy_score([0, 1], [1, 1], sample_weight=[5, 95])
    with pytest.warns(ImbalanceWarning):
        accuracy_score([0, 0, 1, 1], [1, 1, 1, 1], sample_weight=[0.01, 0.01, 0.7, 0.1])


SILENT: list[tuple[str, Any, Any]] = [
    ("better than the majority", NO + YES, NO + ["yes"] * 20),
    ("a class of 94 %", [0] * 94 + [1] * 6, [0] * 100),
    ("one class only", [0] * 100, [0] * 100),
    ("one row", [1], [1]),
    ("several labels a row", [[0, 0]] * 99 + [[1, 1]], [[0, 0]] * 100),
]


@pytest.mark.parametrize(("y_true", "y_pred"), [c[1:] for c in SILENT], ids=[c[0] for c in SILENT])
def test_no_warning(y_true: Any, y_pred: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        accuracy_score(y_true, y_pred)


def test_other_figures_do_not_warn_of_imbalance() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error_rate(NO + YES, NO + ["no"] * 20)
        zero_one_loss(NO + YES, NO + ["no"] * 20)
        balanced_accuracy_score(NO + YES, NO + ["no"] * 20)


def test_warning_once_a_line() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        for _ in range(3):
            accuracy_score([0] * 99 + [1], [0] * 100)
    assert len(heard) == 1


WARNINGS: list[tuple[Any, type[Warning], str]] = [
    (
        lambda: precision_score([0, 1], [0, 0]),
        UndefinedMetricWarning,
        "precision_score: Precision is ill-defined and being set to 0.0 due to no predicted samples.\n"
        "hint: Use `zero_division` parameter to control this behavior.",
    ),
    (
        lambda: specificity_score([1, 1], [1, 0]),
        UndefinedMetricWarning,
        "specificity_score: Specificity is ill-defined and being set to 0.0 due to no negative samples.\n"
        "hint: Use `zero_division` parameter to control this behavior.",
    ),
    (
        lambda: recall_score([[1, 0], [0, 0]], [[1, 0], [1, 0]], average="samples"),
        UndefinedMetricWarning,
        "recall_score: Recall is ill-defined and being set to 0.0 in samples with no true labels.\n"
        "hint: Use `zero_division` parameter to control this behavior.",
    ),
    (
        lambda: confusion_matrix([1], [1]),
        UserWarning,
        "confusion_matrix: the matrix has one row only; A single label was found in 'y_true' and 'y_pred'.\n"
        "hint: for the correct shape, use the 'labels' parameter to pass all known labels.",
    ),
    (
        lambda: balanced_accuracy_score([0, 1], [0, 2]),
        UserWarning,
        "balanced_accuracy_score: y_pred contains classes not in y_true; they are left out of the mean.",
    ),
    (
        lambda: balanced_accuracy_score([1, 1], [1, 1], adjusted=True),
        UndefinedMetricWarning,
        "balanced_accuracy_score: the adjusted score needs two classes in y_true; got one: set to nan.",
    ),
    (
        lambda: cohen_kappa_score([1, 1], [1, 1]),
        UndefinedMetricWarning,
        "cohen_kappa_score: kappa is undefined; y1, y2 and labels have only one label in common: set to nan.\n"
        "hint: see replace_undefined_by.",
    ),
    (
        lambda: cohen_kappa_score([1, 1], [2, 2], labels=[1], replace_undefined_by=0.0),
        UndefinedMetricWarning,
        "cohen_kappa_score: kappa is undefined; no row is left within labels: set to 0.0.\n"
        "hint: see replace_undefined_by.",
    ),
    (
        lambda: f1_score([0, 1], [0, 1], average="macro", pos_label=0),
        UserWarning,
        "f1_score: pos_label (set to 0) is ignored when average != 'binary'; got average='macro'.\n"
        "hint: use labels=[pos_label] to specify a single positive class.",
    ),
    (
        lambda: classification_report([0, 1], [0, 1], labels=[0, 1], target_names=["a"]),
        UserWarning,
        "classification_report: labels size, 2, does not match size of target_names, 1; "
        "classes without a name are left out.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), WARNINGS, ids=[w[2][:50] for w in WARNINGS])
def test_words_of_warnings(call: Any, kind: type[Warning], words: str) -> None:
    with pytest.warns(kind) as heard:
        call()
    assert [str(w.message) for w in heard] == [words]


def test_report_warns_once_a_figure() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        classification_report([0, 1], [0, 0])
    assert [str(w.message).split()[1] for w in heard] == ["Precision"]


ERRORS: list[tuple[Any, type[Exception], str]] = [
    (
        lambda: accuracy_score([1, 2, 3], [1, 2]),
        DataError,
        "accuracy_score: y_true, y_pred must be of equal length; Found input variables with inconsistent numbers of "
        "samples: [3, 2].\nhint: give one value a row in each.",
    ),
    (
        lambda: f1_score([], []),
        DataError,
        "f1_score: a minimum of 1 sample is required; Found empty input array (e.g., `y_true` or `y_pred`).\n"
        "hint: check the selection that made it.",
    ),
    (
        lambda: accuracy_score([1, math.nan, 3, math.nan], [1, 2, 3, 4]),
        DataError,
        "accuracy_score: Input y_true contains NaN; found in rows 1, 3.\nhint: drop or fill the rows without a value.",
    ),
    (
        lambda: accuracy_score([1, 2], [1, math.inf]),
        DataError,
        "accuracy_score: Input y_pred contains infinity or a value too large for float64; found in row "
        "1.\nhint: drop or mend these rows.",
    ),
    (
        lambda: accuracy_score(["a", None], ["a", "b"]),
        DataError,
        "accuracy_score: Input y_true contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        lambda: accuracy_score(["a", math.nan], ["a", "b"]),
        DataError,
        "accuracy_score: Input y_true contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        lambda: accuracy_score(["a", "b"], pd.Series(["a", None])),
        DataError,
        "accuracy_score: Input y_pred contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        lambda: accuracy_score(np.array(["2020-01-01", "NaT"], "M8[D]"), [1, 2]),
        DataError,
        "accuracy_score: Input y_true contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        lambda: accuracy_score(["a", 1], ["a", "b"]),
        DataError,
        "accuracy_score: labels must be of one type; Mix of label input types (string and number); y_true holds 'a' "
        "and 1.\nhint: turn all into text, or into numbers.",
    ),
    (
        lambda: accuracy_score(["a", "b"], [1, 2]),
        DataError,
        "accuracy_score: labels must be of one type; Mix of label input types (string and number); y_true and y_pred "
        "hold 'a', 'b' and 1, 2.\nhint: turn all into text, or into numbers.",
    ),
    (
        lambda: accuracy_score([0, 1], [0.2, 0.7]),
        DataError,
        "accuracy_score: y_true and y_pred must be of one kind; Classification metrics can't handle a mix of binary "
        "and continuous targets.\nhint: turn scores into labels first, for instance scores >= 0.5, or use a metric of "
        "scores.",
    ),
    (
        lambda: accuracy_score([0, 1, 2], np.eye(3)),
        DataError,
        "accuracy_score: y_true and y_pred must be of one kind; Classification metrics can't handle a mix of "
        "multiclass and multilabel-indicator targets.\nhint: of a table of scores, take the column of the largest as "
        "the label.",
    ),
    (
        lambda: accuracy_score([0.5, 1.0], [0.5, 1.0]),
        DataError,
        "accuracy_score: y_true and y_pred must hold one class a row, or a table of zeros and ones; continuous is not "
        "supported.\nhint: turn scores into labels first, for instance scores >= 0.5, or use a metric of scores.",
    ),
    (
        lambda: accuracy_score([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        DataError,
        "accuracy_score: y_true and y_pred must hold one class a row, or a table of zeros and ones; "
        "multiclass-multioutput is not supported.",
    ),
    (
        lambda: accuracy_score([[1], [1, 2]], [1, 2]),
        DataError,
        "accuracy_score: every row of y_true must have the same number of labels; You appear to be using a legacy "
        "multi-label data representation.\nhint: make a table of zeros and ones with one column a label.",
    ),
    (
        lambda: accuracy_score(np.zeros((2, 2, 2)), [0, 1]),
        DataError,
        "accuracy_score: y_true must be one column of labels; unknown is not supported (shape (2, 2, 2)).",
    ),
    (
        lambda: accuracy_score(np.array([{}, {}], object), [0, 1]),
        DataError,
        "accuracy_score: y_true must hold whole numbers, flags or text; unknown is not supported (got dict).",
    ),
    (
        lambda: accuracy_score([1j, 2], [1, 2]),
        DataError,
        "accuracy_score: y_true must hold labels; Complex data not supported.",
    ),
    (
        lambda: accuracy_score("yes", "yes"),
        DataTypeError,
        "accuracy_score: y_true must be array-like: an array, a list or a column of a frame; got 'yes'.\n"
        "hint: pass one label a row.",
    ),
    (
        lambda: accuracy_score([1], None),
        DataTypeError,
        "accuracy_score: y_pred must be array-like: an array, a list or a column of a frame; got None.\n"
        "hint: pass one label a row.",
    ),
    (
        lambda: accuracy_score(pl.LazyFrame({"a": [1]}), [1]),
        DataTypeError,
        "accuracy_score: y_true must be array-like: an array, a list or a column of a frame; got LazyFrame.\n"
        "hint: call .collect() first.",
    ),
    (
        lambda: accuracy_score([b"a"], [b"a"]),
        DataTypeError,
        "accuracy_score: y_true must hold whole numbers, flags or text; Support for labels represented as bytes is not "
        "supported.\nhint: decode them into text first.",
    ),
    (
        lambda: accuracy_score(np.array([b"a"], object), [1]),
        DataTypeError,
        "accuracy_score: y_true must hold whole numbers, flags or text; Support for labels represented as bytes is not "
        "supported.\nhint: decode them into text first.",
    ),
    (
        lambda: accuracy_score(sp.csr_array([[1], [2]]), sp.csr_array([[1], [2]])),
        DataError,
        "accuracy_score: Sparse input is only supported when targets are of multilabel type; y_true is sparse with "
        "1 column of other values than zeros and ones.\nhint: y_true.toarray().",
    ),
    (
        lambda: accuracy_score([[0, 1]], [[0, 1, 1]]),
        DataError,
        "accuracy_score: y_true and y_pred must have the same columns; Multi-label binary indicator input with "
        "different numbers of labels: 2 and 3.",
    ),
    (
        lambda: accuracy_score([0, 1], [0, 1], sample_weight=[1]),
        DataError,
        "accuracy_score: y_true, sample_weight must be of equal length; Found input variables with "
        "inconsistent numbers of samples: [2, 1].\nhint: give one value a row in each.",
    ),
    (
        lambda: accuracy_score([0, 1], [0, 1], sample_weight=[0, 0]),
        DataError,
        "accuracy_score: Sample weights must contain at least one non-zero number; all are zero.",
    ),
    (
        lambda: accuracy_score([0, 1], [0, 1], sample_weight=[1, -1]),
        DataError,
        "accuracy_score: Negative values in data passed to `sample_weight`; row 1.\nhint: use weights of 0 or more.",
    ),
    (
        lambda: accuracy_score([0, 1], [0, 1], sample_weight=[1, math.nan]),
        DataError,
        "accuracy_score: Input sample_weight contains NaN; found in row 1.\nhint: drop or fill the rows "
        "without a value.",
    ),
    (
        lambda: accuracy_score([0, 1], [0, 1], sample_weight=["a", "b"]),
        DataTypeError,
        "accuracy_score: sample_weight must hold numbers; got str values.\nhint: pass numbers only, as many in "
        "every row.",
    ),
    (
        lambda: accuracy_score([0, 1], [0, 1], sample_weight=[[1, 1]]),
        DataError,
        "accuracy_score: sample_weight must hold one number a row; Sample weights must be 1D array or scalar, "
        "got 2D array.\nhint: pass one weight for each of the 2 rows.",
    ),
    (
        lambda: confusion_matrix([0, 1], [0, 1], normalize="rows"),
        ParameterError,
        "confusion_matrix: normalize must be one of 'true', 'pred', 'all', None; got 'rows'.",
    ),
    (
        lambda: confusion_matrix([0, 1], [0, 1], labels=[]),
        DataError,
        "confusion_matrix: 'labels' should contain at least one label; it is empty.\n"
        "hint: leave it out for all labels.",
    ),
    (
        lambda: confusion_matrix([0, 1], [0, 1], labels=[0, 0, 1]),
        DataError,
        "confusion_matrix: labels must be different from each other; 0 stands there more than once.",
    ),
    (
        lambda: confusion_matrix([0, 1], [0, 1], labels=["a"]),
        DataError,
        "confusion_matrix: At least one label specified must be in y_true; labels are 'a', those of y_true are 0, 1.",
    ),
    (
        lambda: cohen_kappa_score([0, 1], [0, 1], labels=[7]),
        DataError,
        "cohen_kappa_score: At least one label specified must be in y1; labels are 7, those of y1 are 0, 1.",
    ),
    (
        lambda: cohen_kappa_score([0, 1], [0, 1], replace_undefined_by=2),
        ParameterError,
        "cohen_kappa_score: replace_undefined_by must lie between -1 and 1 or be nan; got 2.",
    ),
    (
        lambda: confusion_matrix([[0, 1]], [[0, 1]]),
        DataError,
        "confusion_matrix: y_true and y_pred must hold one label a row; multilabel-indicator is not supported.\n"
        "hint: use multilabel_confusion_matrix, or one column at a time.",
    ),
    (
        lambda: multilabel_confusion_matrix([0, 1], [0, 1], samplewise=True),
        DataError,
        "multilabel_confusion_matrix: Samplewise metrics are not available outside of multilabel classification; "
        "y_true is binary.\nhint: use average='macro', 'micro' or 'weighted'.",
    ),
    (
        lambda: multilabel_confusion_matrix([[0, 1]], [[0, 1]], labels=[2, "a"]),
        DataError,
        "multilabel_confusion_matrix: labels must be of one type; Mix of label input types (string and "
        "number); labels holds 'a' and 2.\nhint: turn all into text, or into numbers.",
    ),
    (
        lambda: f1_score(["no", "yes"], ["no", "yes"]),
        DataError,
        "f1_score: pos_label=1 is not a valid label; It should be one of ['no', 'yes'].\n"
        "hint: pos_label='yes' takes that class as the positive one.",
    ),
    (
        lambda: f1_score([0, 1, 2], [0, 1, 2]),
        DataError,
        "f1_score: two classes are needed; Target is multiclass but average='binary'.\n"
        "hint: Please choose another average setting, one of None, 'micro', 'macro', 'weighted'.",
    ),
    (
        lambda: rates([0, 1, 2], [0, 1, 2]),
        DataError,
        "rates: two classes are needed; Target is multiclass.\n"
        "hint: give labels of one class against the rest, for instance y == 'a'.",
    ),
    (
        lambda: f1_score([0, 1], [0, 1], average="macro", pos_label=[0, 1]),
        ParameterError,
        "f1_score: pos_label must be one label; got [0, 1].",
    ),
    (
        lambda: classification_report([0, 1], [0, 1], target_names="ab"),
        ParameterError,
        "classification_report: target_names must be a list of names; got 'ab'.",
    ),
    (
        lambda: accuracy_score([1, 2**70], [1, 2]),
        DataError,
        "accuracy_score: y_true must hold whole numbers, flags or text; unknown is not supported (got "
        "1180591620717411303424).",
    ),
    (
        lambda: f1_score([0, 1], [0, 1], average="mean"),
        ParameterError,
        "f1_score: average must be one of 'binary', 'micro', 'macro', 'weighted', 'samples', None; got 'mean'.",
    ),
    (
        lambda: f1_score([0, 1], [0, 1], zero_division=0.5),
        ParameterError,
        "f1_score: zero_division must be 0, 1, nan or 'warn'; got 0.5.",
    ),
    (
        lambda: jaccard_score([0, 1], [0, 1], zero_division=math.nan),
        ParameterError,
        "jaccard_score: zero_division must be 0, 1 or 'warn'; got nan.",
    ),
    (
        lambda: precision_recall_fscore_support([0, 1], [0, 1], beta=-1),
        ParameterError,
        "precision_recall_fscore_support: beta must be a number of 0 or more; got -1.",
    ),
    (
        lambda: classification_report([0, 1], [0, 1], digits=-1),
        ParameterError,
        "classification_report: digits must be a whole number of 0 or more; got -1.",
    ),
    (
        lambda: classification_report([0, 1], [0, 1], target_names=["a"]),
        DataError,
        "classification_report: target_names must name every class; Number of classes, 2, does not match size of "
        "target_names, 1.\nhint: Try specifying the labels parameter.",
    ),
    (
        lambda: hinge_loss([], []),
        DataError,
        "hinge_loss: a minimum of 1 sample is required; Found empty input array `y_true`.\nhint: check the selection.",
    ),
    (
        lambda: hinge_loss([[0, 1]], [1.0]),
        DataError,
        "hinge_loss: y_true must be one column of labels; multilabel-indicator is not supported.\n"
        "hint: take one column at a time.",
    ),
    (
        lambda: hinge_loss([7, 7], [1.0, 2.0]),
        DataError,
        "hinge_loss: y_true must hold two classes; got 7 only.\nhint: pass both as labels=[negative, positive].",
    ),
    (
        lambda: hinge_loss([0, 1], ["a", "b"]),
        DataTypeError,
        "hinge_loss: pred_decision must hold numbers; got str values.\nhint: pass numbers only, as many in every row.",
    ),
    (
        lambda: hinge_loss([0, 1], [1.0, math.nan]),
        DataError,
        "hinge_loss: Input pred_decision contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        lambda: hinge_loss([0, 1], 3.0),
        DataError,
        "hinge_loss: pred_decision must be a list or an array of numbers; got 3.0.\nhint: put a single value "
        "in brackets.",
    ),
    (
        lambda: hinge_loss([0, 1], [[1.0, 2.0], [3.0, 4.0]]),
        DataError,
        "hinge_loss: pred_decision must be one column for two classes; y should be a 1d array, got an array of shape "
        "(2, 2) instead.\nhint: take the column of the larger label.",
    ),
    (
        lambda: hinge_loss([0, 1, 2], [1.0, 2.0, 3.0]),
        DataError,
        "hinge_loss: pred_decision must be of shape (n_samples, n_classes), that is (3, 3); The shape of "
        "pred_decision cannot be 1d array with a multiclass target; got (3,).",
    ),
    (
        lambda: hinge_loss([0, 1, 2], [[1.0, 2.0]] * 3),
        DataError,
        "hinge_loss: pred_decision must be of shape (n_samples, n_classes), that is (3, 3); Please include all labels "
        "in y_true or pass labels as third argument: got (3, 2).",
    ),
    (
        lambda: hinge_loss([0, 5], [[1.0, 2.0, 3.0]] * 2, labels=[0, 1, 2]),
        DataError,
        "hinge_loss: every label must be one of labels; y contains previously unseen labels: 5.",
    ),
    (
        lambda: hinge_loss([0, 1], [1.0, 2.0], sample_weight=[1]),
        DataError,
        "hinge_loss: y_true, sample_weight must be of equal length; Found input variables with inconsistent numbers of "
        "samples: [2, 1].\nhint: give one value a row in each.",
    ),
    (
        lambda: cost_matrix(false_positive=math.inf),
        DataError,
        "cost_matrix: costs must be finite; got [[0.0, inf], [1.0, 0.0]].",
    ),
    (
        lambda: expected_cost([0, 1, 2], [0, 1, 2], [[0, 1], [1, 0]]),
        DataError,
        "expected_cost: costs must be a table of 3 x 3, one row and one column a class ([0, 1, 2]); got shape (2, 2)."
        "\nhint: pass labels= to name all classes in the order of the table.",
    ),
    (
        lambda: expected_cost([0, 1], [0, 1], [["a", 1], [1, 0]]),
        DataError,
        "expected_cost: costs must be numbers; got [['a', 1], [1, 0]].\n"
        "hint: rows are true classes, columns predicted ones.",
    ),
    (
        lambda: expected_cost([0, 1], [0, 1], {"fp": 1}),
        DataError,
        "expected_cost: keys of costs must be (true label, predicted label); got 'fp'.",
    ),
    (
        lambda: expected_cost([0, 1, 2], [0, 1, 2], [[0, 1], [1, 0]], labels=[0, 1]),
        DataError,
        "expected_cost: every label must be one of labels; y contains previously unseen labels: 2.",
    ),
    (
        lambda: expected_cost([[0, 1]], [[0, 1]], [[0, 1], [1, 0]]),
        DataError,
        "expected_cost: y_true and y_pred must hold one label a row; multilabel-indicator is not "
        "supported.\nhint: use multilabel_confusion_matrix, or one column at a time.",
    ),
    (
        lambda: tune_threshold([1, 1], [0.1, 0.2]),
        DataError,
        "tune_threshold: y_true must hold two classes; got 1.\n"
        "hint: give one class against the rest, for instance y == 'a'.",
    ),
    (
        lambda: tune_threshold(["a", "b"], [0.1, 0.2]),
        DataError,
        "tune_threshold: pos_label=1 is not a valid label; It should be one of ['a', 'b'].\n"
        "hint: pos_label='b' takes that class as the positive one.",
    ),
    (
        lambda: tune_threshold([0, 1], [[0.9, 0.1], [0.2, 0.8]]),
        DataError,
        "tune_threshold: scores must be one column; got shape (2, 2).\nhint: take the column of the positive class.",
    ),
    (
        lambda: tune_threshold([0, 1], [0.1]),
        DataError,
        "tune_threshold: y_true, scores must be of equal length; Found input variables with inconsistent numbers of "
        "samples: [2, 1].\nhint: give one value a row in each.",
    ),
    (
        lambda: tune_threshold([0, 1], [0.1, 0.2], metric="auc"),
        ParameterError,
        "tune_threshold: metric must be a function or one of 'accuracy', 'balanced_accuracy', 'f1', 'jaccard', "
        "'matthews_corrcoef', 'precision', 'recall', 'specificity'; got 'auc'.",
    ),
    (
        lambda: tune_threshold([0, 1], [0.1, 0.2], costs=cost_matrix(), metric="f1"),
        ParameterError,
        "tune_threshold: costs or metric must be given, not both; got costs and metric='f1'.",
    ),
    (
        lambda: tune_threshold([0, 1], [0.1, 0.2], sample_weight=[1, 0]),
        DataError,
        "tune_threshold: metric must be a number at one threshold at least; it is nan at all of them.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS, ids=[e[2][:60] for e in ERRORS])
def test_words_of_errors(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == words


def test_hinge_with_one_class() -> None:
    """scikit-learn takes a single class for the negative one, labels given or not; here the label's sign counts."""
    assert hinge_loss([1, 1], [0.5, 2.0]) == 0.25
    assert hinge_loss([0, 0], [0.5, -2.0]) == 0.75
    assert hinge_loss(["b", "b"], [0.5, 2.0], labels=["a", "b"]) == 0.25
    assert hinge_loss(["a", "a"], [0.5, -2.0], labels=["a", "b"]) == 0.75


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=10), st.data())
@settings(max_examples=40, deadline=None)
def test_hinge_against_reference(decision: list[float], data: Any) -> None:
    n = len(decision)
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    margins = [s * f for s, f in zip(signs, decision, strict=True)]
    assert hinge_loss(signs, decision) == near(reference.hinge(margins).mean())


@given(rows(), st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_cost_against_reference(drawn: Any, seed: int) -> None:
    y_true, y_pred, w = drawn
    labels = reference.classes(y_true, y_pred)
    table = np.random.default_rng(seed).normal(size=(len(labels), len(labels)))
    got = expected_cost(y_true, y_pred, table, sample_weight=w)
    assert (got.total, got.mean) == near(reference.expected_cost(reference.confusion_matrix(y_true, y_pred, w), table))
    assert got.by_pair.sum() == near(got.total)
    as_dict = {(a, b): table[i, j] for i, a in enumerate(labels) for j, b in enumerate(labels)}
    assert expected_cost(y_true, y_pred, as_dict, sample_weight=w) == got


def test_cost_of_one_a_mistake_is_the_error_rate() -> None:
    y_true, y_pred = [0, 1, 2, 2], [0, 2, 2, 1]
    assert expected_cost(y_true, y_pred, 1 - np.eye(3)).mean == error_rate(y_true, y_pred)


def test_cost_in_the_order_of_labels() -> None:
    costs_ = [[0, 5, 1], [2, 0, 1], [3, 3, 0]]  # c, a, b
    got = expected_cost(["a", "c"], ["c", "a"], costs_, labels=["c", "a", "b"])
    assert got.total == 2 + 5
    np.testing.assert_array_equal(got.by_pair, [[0, 5, 0], [2, 0, 0], [0, 0, 0]])
    assert expected_cost(["a", "c"], ["c", "a"], {("a", "c"): 2, ("x", "c"): 9}).total == 2


THRESHOLD_FIGURES = {
    "accuracy": reference.accuracy,
    "balanced_accuracy": lambda c: (reference.sensitivity(c, math.nan) + reference.specificity(c, math.nan)) / 2,
    "f1": lambda c: reference.f_beta(c, zero_division=math.nan),
    "jaccard": lambda c: reference.jaccard(c, math.nan),
    "matthews_corrcoef": lambda c: reference.matthews_corrcoef(np.array([[c.TN, c.FP], [c.FN, c.TP]])),
    "precision": lambda c: reference.precision(c, math.nan),
    "recall": lambda c: reference.sensitivity(c, math.nan),
    "specificity": lambda c: reference.specificity(c, math.nan),
}


@st.composite
def scored(draw: st.DrawFn) -> tuple[list[int], list[float], list[float]]:
    n = draw(st.integers(2, 15))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    scores = [s / 4 for s in draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))]
    weights = [1.0, 0.5, *(w / 4 for w in draw(st.lists(st.integers(0, 6), min_size=n - 2, max_size=n - 2)))]
    return y, scores, weights


@given(scored(), st.sampled_from(sorted(THRESHOLD_FIGURES)))
@settings(max_examples=150, deadline=None)
def test_thresholds_against_reference(drawn: Any, metric: str) -> None:
    y, scores, w = drawn
    curve = reference.threshold_curve([label == 1 for label in y], scores, w)
    choice = tune_threshold(y, scores, metric=metric, sample_weight=w)
    assert choice.objective == metric
    np.testing.assert_array_equal(choice.thresholds, [t for t, _ in curve])
    want = [THRESHOLD_FIGURES[metric](c) for _, c in curve]
    np.testing.assert_allclose(choice.scores, want, rtol=1e-12, atol=1e-12)
    assert choice.score == np.nanmax(choice.scores)
    assert choice.threshold == max(choice.thresholds[choice.scores == choice.score])


@given(scored(), st.lists(st.integers(-5, 5), min_size=4, max_size=4))
@settings(max_examples=80, deadline=None)
def test_least_cost_against_predictions(drawn: Any, cells: list[int]) -> None:
    y, scores, w = drawn
    table = np.array(cells, dtype=float).reshape(2, 2)
    choice = tune_threshold(y, scores, costs=table, sample_weight=w)
    for threshold, cost in zip(choice.thresholds, choice.scores, strict=True):
        y_pred = (np.array(scores) >= threshold).astype(int)
        assert cost == near(expected_cost(y, y_pred, table, labels=[0, 1], sample_weight=w).mean)
    assert choice.score == choice.scores.min()


def test_own_metric_and_text_labels() -> None:
    y, scores = ["ham", "spam", "ham", "spam"], [0.1, 0.4, 0.35, 0.8]

    def caught(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        return float(f1_score(y_true, y_pred, pos_label="spam", sample_weight=sample_weight, zero_division=0))

    own = tune_threshold(y, scores, metric=caught, pos_label="spam")
    named = tune_threshold(y, scores, metric="f1", pos_label="spam")
    assert (own.threshold, own.score, own.objective) == (0.4, 1.0, "caught")
    np.testing.assert_array_equal(own.scores, named.scores)
    weighted = tune_threshold(y, scores, metric=caught, pos_label="spam", sample_weight=[1, 0, 2, 1])
    np.testing.assert_allclose(
        weighted.scores, tune_threshold(y, scores, metric="f1", pos_label="spam", sample_weight=[1, 0, 2, 1]).scores
    )


def test_the_other_class_as_positive() -> None:
    choice = tune_threshold(["a", "b", "a"], [3.0, 1.0, 2.0], pos_label="a", costs={("b", "a"): 1, ("a", "b"): 1})
    assert (choice.threshold, choice.score) == (2.0, 0.0)


def test_public_functions_have_a_formula_and_an_example() -> None:
    for name in metrics.__all__:
        thing = getattr(metrics, name)
        if inspect.isfunction(thing) and not thing.__module__.endswith(".scorers"):  # those score estimators
            assert ">>> " in (thing.__doc__ or ""), name
