"""Extremely randomized trees: cuts within the node's range, all rows, and answers that follow from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import ParameterError
from pellucid.ensemble import ExtraTreesClassifier, ExtraTreesRegressor


def table(n: int = 120) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 5))
    score = X[:, 0] + X[:, 1] * X[:, 2]
    return X, (score > 0).astype(int), score


def test_every_cut_lies_within_the_values_of_its_node() -> None:
    X, y, _ = table()
    model = ExtraTreesClassifier(10, random_state=0).fit(X, y)
    for tree in model.estimators_:
        nodes, path = tree.tree_, tree.decision_path(X).tocsc()
        for i in np.flatnonzero(nodes.feature >= 0).tolist():
            x = X[path[:, [i]].indices, nodes.feature[i]]
            assert x.min() <= nodes.threshold[i] < x.max()


def test_every_tree_has_all_rows_and_fits_them() -> None:
    X, y, score = table()
    model = ExtraTreesClassifier(4, random_state=0).fit(X, y)
    assert all(np.array_equal(rows, np.arange(len(X))) for rows in model.estimators_samples_)
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_allclose(ExtraTreesRegressor(4, random_state=0).fit(X, score).predict(X), score)


def test_cuts_are_uniform() -> None:
    """One column with values 0 and 1: the cut is uniform between them, so that x is below it with probability 1 - x."""
    model = ExtraTreesRegressor(4000, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    at = np.array([[0.1], [0.5], [0.9]])
    np.testing.assert_allclose(model.predict(at), at[:, 0], atol=4 * 0.5 / np.sqrt(4000))


def test_samples_can_be_asked_for() -> None:
    X, y, _ = table()
    model = ExtraTreesClassifier(40, bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    assert 0.6 < model.oob_score_ < 1
    with pytest.raises(ParameterError, match="bootstrap=True"):
        ExtraTreesClassifier(oob_score=True).fit(X, y)
    with pytest.raises(ParameterError, match="rows must have been left out"):
        ExtraTreesClassifier(3).fit(X, y).oob_importance(X, y)
