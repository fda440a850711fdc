"""Stacking with scikit-learn's members gives scikit-learn's answers: the same columns, the same final model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.ensemble as peer
import sklearn.linear_model as their
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pellucid.ensemble import StackingClassifier, StackingRegressor

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(90, 4))
NUMBERS = X @ [1.0, 2.0, 0.0, -1.0] + RANDOM.normal(size=90)
LABELS = np.array(["ash", "birch", "cedar"])[np.digitize(NUMBERS, [-1.0, 1.5])]
TWO = np.where(NUMBERS > 0, "up", "down")
CLASSIFIERS = [("bayes", GaussianNB()), ("near", KNeighborsClassifier(3)), ("edge", LinearSVC(random_state=0))]
REGRESSORS = [("line", their.LinearRegression()), ("near", KNeighborsRegressor(3))]


@pytest.mark.parametrize("y", [LABELS, TWO], ids=["three", "two"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"cv": 3, "passthrough": True},
        {"cv": KFold(4, shuffle=True, random_state=1), "stack_method": "predict"},
        {"near": "drop"},
    ],
    ids=str,
)
def test_classes(y: Any, settings: dict[str, Any]) -> None:
    final = their.LogisticRegression(max_iter=1000, tol=1e-9)
    pair = [cls(CLASSIFIERS, final) for cls in (StackingClassifier, peer.StackingClassifier)]
    ours, theirs = (model.set_params(**settings).fit(X, y) for model in pair)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    np.testing.assert_allclose(ours.final_estimator_.coef_, theirs.final_estimator_.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert ours.stack_method_ == theirs.stack_method_


def test_defaults_are_ours_and_answer_as_theirs() -> None:
    ours, theirs = StackingRegressor(REGRESSORS).fit(X, NUMBERS), peer.StackingRegressor(REGRESSORS).fit(X, NUMBERS)
    assert type(ours.final_estimator_).__module__.startswith("pellucid")
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert ours.score(X, NUMBERS) == pytest.approx(theirs.score(X, NUMBERS))
    a, b = StackingClassifier(CLASSIFIERS).fit(X, TWO), peer.StackingClassifier(CLASSIFIERS).fit(X, TWO)
    assert type(a.final_estimator_).__module__.startswith("pellucid")
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-3)  # their solver stops early


def test_weights_sparse_tables_and_fitted_members() -> None:
    weight = RANDOM.integers(1, 3, size=len(X)).astype(float)
    line = [("line", their.LinearRegression()), ("ridge", their.Ridge(5.0))]
    final = their.LinearRegression()
    ours, theirs = (
        cls(line, final, cv=3).fit(X, NUMBERS, sample_weight=weight)
        for cls in (StackingRegressor, peer.StackingRegressor)
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) < 0.5, 0, X))
    ours, theirs = (
        cls([("ridge", their.Ridge())], their.Ridge(), cv=3, passthrough=True).fit(sparse, NUMBERS)
        for cls in (StackingRegressor, peer.StackingRegressor)
    )
    assert scipy.sparse.issparse(ours.transform(sparse))
    np.testing.assert_allclose(ours.predict(sparse), theirs.predict(sparse), rtol=1e-9)
    fitted = [("bayes", GaussianNB().fit(X, TWO)), ("tree", DecisionTreeClassifier(max_depth=2).fit(X, TWO))]
    ours, theirs = (
        cls(fitted, their.LogisticRegression(), cv="prefit").fit(X, TWO)
        for cls in (StackingClassifier, peer.StackingClassifier)
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


def test_several_labels_a_row() -> None:
    y = np.column_stack([NUMBERS > 0, X[:, 0] > 0]).astype(int)
    members = [("tree", DecisionTreeClassifier(max_depth=2, random_state=0)), ("near", KNeighborsClassifier(3))]
    final = DecisionTreeClassifier(max_depth=3, random_state=0)
    ours, theirs = (cls(members, final, cv=3).fit(X, y) for cls in (StackingClassifier, peer.StackingClassifier))
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_a_regressor_among_classifiers_sees_the_classes_in_their_order() -> None:
    members = [("line", their.LinearRegression()), ("bayes", GaussianNB())]
    final = their.LogisticRegression()
    ours, theirs = (cls(members, final, cv=3).fit(X, TWO) for cls in (StackingClassifier, peer.StackingClassifier))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
