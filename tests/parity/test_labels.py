"""Encoders of labels against scikit-learn's: the same numbers, types and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import preprocessing as peers

from pellucid import preprocessing as ours

TARGETS: dict[str, Any] = {
    "words": np.array(["fir", "ash", "yew", "ash"]),
    "two words": ["no", "yes", "no"],
    "one word": ["no", "no"],
    "objects": np.array(["fir", "ash", "fir"], dtype=object),
    "numbers": np.array([5, -2, 5, 9, 0]),
    "int32": np.array([5, -2, 5, 9, 0], dtype=np.int32),
    "uint8": np.array([5, 200, 5], dtype=np.uint8),
    "whole floats": np.array([1.0, 3.0, 2.0, 1.0]),
    "flags": np.array([True, False, True]),
    "two numbers": [4, 7, 7],
}


def same(found: Any, wanted: Any) -> None:
    assert sp.issparse(found) == sp.issparse(wanted)
    if sp.issparse(found):
        assert type(found) is type(wanted)
        found, wanted = found.toarray(), wanted.toarray()
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", TARGETS)
def test_label_encoder(name: str) -> None:
    y = TARGETS[name]
    mine, theirs = ours.LabelEncoder(), peers.LabelEncoder()
    same(mine.fit_transform(y), theirs.fit_transform(y))
    np.testing.assert_array_equal(mine.classes_, theirs.classes_)
    same(mine.inverse_transform([0, 0]), theirs.inverse_transform([0, 0]))


@pytest.mark.parametrize(
    "settings", [{}, {"neg_label": -1}, {"neg_label": -2, "pos_label": 0}, {"sparse_output": True}]
)
@pytest.mark.parametrize("name", TARGETS)
def test_label_binarizer(name: str, settings: Any) -> None:
    y = TARGETS[name]
    mine, theirs = ours.LabelBinarizer(**settings).fit(y), peers.LabelBinarizer(**settings).fit(y)
    assert (mine.y_type_, mine.sparse_input_) == (theirs.y_type_, theirs.sparse_input_)
    np.testing.assert_array_equal(mine.classes_, theirs.classes_)
    found, wanted = mine.transform(y), theirs.transform(y)
    same(found, wanted)
    np.testing.assert_array_equal(mine.inverse_transform(found), theirs.inverse_transform(wanted))


@pytest.mark.parametrize("settings", [{}, {"neg_label": -1, "pos_label": 3}, {"sparse_output": True, "pos_label": 4}])
@pytest.mark.parametrize("sparse", [False, True])
def test_tables_of_zeros_and_ones(settings: Any, sparse: bool) -> None:
    y = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
    y = sp.csr_array(y) if sparse else y
    mine, theirs = ours.LabelBinarizer(**settings).fit(y), peers.LabelBinarizer(**settings).fit(y)
    found, wanted = mine.transform(y), theirs.transform(y)
    same(found, wanted)
    same(mine.inverse_transform(found), theirs.inverse_transform(wanted))


@pytest.mark.parametrize("classes", [[1, 2, 4, 6], [6, 4, 1, 2], [1, 6], [6, 1], [1, 2]])
def test_label_binarize_keeps_the_order_and_leaves_unknown_labels_out(classes: list[int]) -> None:
    for y in ([1, 6], [1, 6, 2, 1], np.array([6, 6, 1], dtype=np.int32)):
        for sparse in (False, True):
            same(
                ours.label_binarize(y, classes=classes, sparse_output=sparse),
                peers.label_binarize(y, classes=classes, sparse_output=sparse),
            )


@pytest.mark.parametrize(
    "y",
    [
        [(1, 2), (3,)],
        [{"sci-fi", "thriller"}, {"comedy"}, set()],
        [["a", "a"], ["b"]],
        [("x", "y"), ("z",), ("x",)],
    ],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_multi_label_binarizer(y: Any, sparse: bool) -> None:
    mine, theirs = ours.MultiLabelBinarizer(sparse_output=sparse), peers.MultiLabelBinarizer(sparse_output=sparse)
    found, wanted = mine.fit_transform(y), theirs.fit_transform(y)
    same(found, wanted)
    same(mine.classes_, theirs.classes_)
    if sparse:
        wanted.sort_indices()  # theirs stand in the order of the set, which differs from run to run
    assert mine.inverse_transform(found) == theirs.inverse_transform(wanted)
    same(mine.transform(y[:1]), theirs.transform(y[:1]))


def test_multi_label_binarizer_with_given_classes() -> None:
    mine, theirs = (family.MultiLabelBinarizer(classes=[3, 1, 2]) for family in (ours, peers))
    same(mine.fit_transform([(1, 2), (3,)]), theirs.fit_transform([(1, 2), (3,)]))
    same(mine.classes_, theirs.classes_)
