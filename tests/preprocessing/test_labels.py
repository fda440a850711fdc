"""Encoders of labels: the reference, what comes back, scikit-learn's own check, workings, and refusals."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import pellucid
from pellucid.base.errors import DataError, DataTypeError, NotFittedError, ParameterError, PellucidWarning
from pellucid.preprocessing import LabelBinarizer, LabelEncoder, MultiLabelBinarizer, label_binarize
from pellucid.reference import labels as reference

CLASSES = [LabelEncoder, LabelBinarizer, MultiLabelBinarizer]
LABELS = st.one_of(
    st.lists(st.sampled_from(["ash", "birch", "", "Ünder"]), min_size=1, max_size=30),
    st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    st.lists(st.booleans(), min_size=1, max_size=30),
)


@settings(max_examples=150, deadline=None)
@given(LABELS)
def test_numbers_are_those_of_the_reference(y: list[Any]) -> None:
    known = reference.classes(y)
    encoder = LabelEncoder()
    codes = encoder.fit_transform(y)
    assert codes.dtype == np.int64
    np.testing.assert_array_equal(codes, reference.encode(y, known))
    assert encoder.classes_.tolist() == known
    assert encoder.inverse_transform(codes).tolist() == y


@settings(max_examples=150, deadline=None)
@given(LABELS, st.sampled_from([(0, 1), (-1, 1), (-2, 0), (3, 7)]))
def test_columns_are_those_of_the_reference(y: list[Any], pair: tuple[int, int]) -> None:
    known = reference.classes(y)
    model = LabelBinarizer(neg_label=pair[0], pos_label=pair[1])
    found = model.fit_transform(y)
    assert model.inverse_transform(found).tolist() == y
    if len(known) == 1:
        assert found.ravel().tolist() == [pair[0]] * len(y)
        return
    np.testing.assert_array_equal(found, reference.binarize(y, known, *pair))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=20))
def test_sets_are_those_of_the_reference(y: list[set[str]]) -> None:
    known = sorted(set().union(*y))
    for sparse in (False, True):
        model = MultiLabelBinarizer(sparse_output=sparse)
        found = model.fit_transform(iter(y))
        table = found.toarray() if sparse else found
        np.testing.assert_array_equal(table, reference.binarize_sets(y, known).reshape(len(y), len(known)))
        assert model.inverse_transform(found) == [tuple(sorted(labels)) for labels in y]


# ------------------------------------------------------------------------------------------------------ as estimators


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("cls", CLASSES)
def test_what_scikit_learn_asks_of_encoders_of_labels(cls: Any) -> None:
    checks = [check for _, check in estimator_checks_generator(cls())]
    assert checks
    for model, check in estimator_checks_generator(cls()):
        check(model)
    assert (cls.__name__, cls) in pellucid.all_estimators("transformer")


@pytest.mark.parametrize("cls", CLASSES)
def test_copies_and_parameters(cls: Any) -> None:
    y = [("a", "b"), ("c",)] if cls is MultiLabelBinarizer else ["a", "b", "c"]
    model = cls()
    assert model.fit(y) is model
    found = model.transform(y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(y)):
        np.testing.assert_array_equal(other.transform(y), found)
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        cls().transform(y)
    assert eval(repr(model), {cls.__name__: cls}).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LabelEncoder(), ["b", "a", "b", None]),
        (LabelEncoder(), [3, 1, 1]),
        (LabelEncoder(), [0.5, np.nan, 0.5]),
        (LabelEncoder(), np.arange(300)),
        (LabelBinarizer(), ["b", "a", "c"]),
        (LabelBinarizer(neg_label=-1), [2, 5, 2]),
        (LabelBinarizer(), ["b", "b"]),
        (LabelBinarizer(sparse_output=True), np.arange(60)),
        (LabelBinarizer(), np.array([[1, 0, 1], [0, 1, 1]])),
        (MultiLabelBinarizer(), [("a", "b"), (), ("c",)]),
        (MultiLabelBinarizer(classes=[3, 1]), [(1,), (3, 1)]),
    ],
)
def test_workings_in_every_form(model: Any, y: Any, tmp_path: Path) -> None:
    model.fit(y)
    for shown in (model.show_fit(y), model.show_transform(y)):
        assert any(cell.attribute for cell in shown.cells.values()) or len(np.unique(np.asarray(y, dtype=object))) != 3
        assert all(
            len(page) > 100 for page in (shown.to_text(), shown.to_html(), shown.to_markdown(), shown.to_latex())
        )
        assert shown.to_excel(tmp_path / "labels.xlsx").stat().st_size > 1000


def test_a_working_of_other_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="cell 'c' must equal the model's classes_"):
        LabelEncoder().fit(["a", "b", "c"]).show_fit(["a", "b", "b"])


# ------------------------------------------------------------------------------------------------------------- labels


def test_missing_labels_come_last() -> None:
    encoder = LabelEncoder().fit(np.array(["b", None, "a", float("nan")], dtype=object))
    assert encoder.classes_.tolist()[:3] == ["a", "b", None]
    assert encoder.transform(np.array([float("nan"), None, "a"], dtype=object)).tolist() == [3, 2, 0]
    assert LabelEncoder().fit_transform([2.0, np.nan, 1.0]).tolist() == [1, 2, 0]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, lambda v: pd.Series(v, dtype="category")])
def test_labels_in_any_form(make: Any) -> None:
    y = make(["b", "a", "b"])
    assert LabelEncoder().fit(y).transform(y).tolist() == [1, 0, 1]
    assert LabelBinarizer().fit(y).transform(y).tolist() == [[1], [0], [1]]


def test_numbers_that_floats_do_not_hold() -> None:
    y = [2**63 - 1, 2**63 - 2, 2**53 + 1, 2**53]
    assert LabelEncoder().fit_transform(y).tolist() == [3, 2, 1, 0]


def test_scores_become_labels() -> None:
    model = LabelBinarizer().fit(["a", "b", "c"])
    scores = np.array([[0.1, 0.9, 0.3], [0.0, -1.0, -2.0]])
    assert model.inverse_transform(scores).tolist() == ["b", "a"]
    assert model.inverse_transform(sp.csr_array(scores)).tolist() == ["b", "a"]
    two = LabelBinarizer().fit(["no", "yes"])
    assert two.inverse_transform(np.array([0.4, 0.6])).tolist() == ["no", "yes"]
    assert two.inverse_transform(np.array([[0.7, 0.3], [0.2, 0.8]])).tolist() == ["no", "yes"]
    assert two.inverse_transform(np.array([-0.1, 0.1]), threshold=0).tolist() == ["no", "yes"]


def test_an_unknown_label_in_a_set_is_left_out_with_a_warning() -> None:
    model = MultiLabelBinarizer().fit([("a",), ("b",)])
    with pytest.warns(PellucidWarning, match=r"unknown class\(es\) \['c', 'd'\] will be ignored"):
        assert model.transform([("a", "c"), ("d",)]).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            lambda: LabelEncoder().fit(["a", "b"]).transform(["b", "c"]),
            "LabelEncoder: labels must have been seen in fit; y contains previously unseen labels: ['c'] (row 1).",
        ),
        (
            lambda: LabelEncoder().fit(["a", "b"]).inverse_transform([0, 2]),
            "LabelEncoder: numbers must be whole and from 0 to 1; y contains previously unseen labels: [2].",
        ),
        (
            lambda: LabelEncoder().fit([[1, 2], [3, 4]]),
            "LabelEncoder: y should be a 1d array; got an array of shape (2, 2) instead.",
        ),
        (
            lambda: LabelEncoder().fit(np.array([1, "a"], dtype=object)),
            "LabelEncoder: Encoders require their input argument must be uniformly strings or numbers; Got ['int', "
            "'str'].",
        ),
        (
            lambda: LabelBinarizer().fit([0.5, 1.5]),
            "LabelBinarizer: continuous target data is not supported with label binarization; y holds numbers that are "
            "not whole.",
        ),
        (lambda: LabelBinarizer().fit([]), "LabelBinarizer: y must have rows; y has 0 samples: []."),
        (
            lambda: LabelBinarizer().fit([1, 2]).transform(np.array([[1, 0], [0, 1]])),
            "LabelBinarizer: The object was not fitted with multilabel input; y is a table of zeros and ones.",
        ),
        (
            lambda: LabelBinarizer(neg_label=2).fit([1, 2]),
            "LabelBinarizer: neg_label=2 must be strictly less than pos_label=1.",
        ),
        (
            lambda: label_binarize([1, 2], classes=[1, 2], neg_label=-1, sparse_output=True),
            "label_binarize: Sparse binarization is only supported with non zero pos_label and zero neg_label; got "
            "pos_label=1 and neg_label=-1.",
        ),
        (
            lambda: MultiLabelBinarizer().fit([1, 2]),
            "MultiLabelBinarizer: each row of y must be a set, list or tuple of labels; row 0 is 1.",
        ),
        (
            lambda: MultiLabelBinarizer(classes=[1, 2, 1]).fit([[1]]),
            "MultiLabelBinarizer: classes must differ; The classes argument contains duplicate classes: 1.",
        ),
        (
            lambda: MultiLabelBinarizer().fit([("a",)]).inverse_transform([[2]]),
            "MultiLabelBinarizer: Expected only 0s and 1s in label indicator; Also got 2.",
        ),
    ],
)
def test_refusals_are_one_sentence(act: Any, said: str) -> None:
    with pytest.raises((DataError, DataTypeError, ParameterError)) as caught:
        act()
    assert str(caught.value).splitlines()[0] == said
