"""What boosted trees answer: the same bits for a row alone and among many, in any layout, on any number of threads.

A row alone walks down the trees; many rows choose by bytes (cpp/core/boosting/predict_layout.hpp). The leaves that
`apply` names are found by another kernel: their values, added up in the order of the trees, are the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from pellucid import _core
from pellucid.boosting import (
    BoostedTreesClassifier,
    CatBoostClassifier,
    CatBoostRegressor,
    GradientBoostingRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostRegressor,
)
from tests.optional import NOT_TESTED

Floats = NDArray[np.float64]
ROWS = 700  # two lanes and a part of a third

MODELS: dict[str, Any] = {
    "leaf by leaf": LightGBMRegressor(n_estimators=8, min_samples_leaf=5),
    "level by level": XGBoostRegressor(n_estimators=8),
    "oblivious": CatBoostRegressor(n_estimators=8, max_depth=5),
    "oblivious, two classes": CatBoostClassifier(n_estimators=8, max_depth=4),
    "categories": LightGBMRegressor(n_estimators=8, min_samples_leaf=5, categorical_features=[3, 4]),
    "three classes": LightGBMClassifier(n_estimators=5, min_samples_leaf=5),
    "three classes, categories": BoostedTreesClassifier(n_estimators=5, categorical_features=[3]),
    "stumps": LightGBMRegressor(n_estimators=20, max_leaf_nodes=2),
    "more than 255 thresholds a column": GradientBoostingRegressor(n_estimators=40, max_leaf_nodes=40, max_depth=None),
    "more than 256 leaves": GradientBoostingRegressor(n_estimators=2, max_depth=None),
}


def table(rows: int, seed: int, missing: float) -> tuple[Floats, Floats]:
    """Numbers, two columns of categories, and a target that hangs on all of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5)).astype(np.float32).astype(np.float64)
    X[:, 3] = rng.integers(6, size=rows)
    X[:, 4] = rng.integers(70, size=rows)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + (X[:, 3] % 2) + np.cos(X[:, 4]) + 0.1 * rng.normal(size=rows)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fitted(name: str, missing: float = 0.1) -> Any:
    """A model of a small table."""
    model = MODELS[name]
    X, y = table(2000, 0, 0.0 if isinstance(model, GradientBoostingRegressor) else missing)
    classes = 3 if "three classes" in name else 2
    target = np.searchsorted(np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]), y) if "classes" in name else y
    return model.__class__(**model.get_params()).set_params(random_state=0, n_jobs=1).fit(X, target)


def questions(model: Any) -> Floats:
    """Rows that the model has not seen: with missing values and categories that nobody knows, where it takes them."""
    X, _ = table(ROWS, 1, 0.0 if isinstance(model, GradientBoostingRegressor) else 0.1)
    X[::50, 4] = 69
    X[1::50, 0] = 1e30
    X[2::50, 1] = -1e30
    return X


def scores(model: Any, X: Any) -> Floats:
    """As they come: of classes before they become probabilities."""
    return np.asarray(model.decision_function(X) if hasattr(model, "classes_") else model.predict(X))


def same_bits(a: Any, b: Any) -> bool:
    """Not a bit differs."""
    return np.asarray(a).shape == np.asarray(b).shape and np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.fixture(params=["baseline", "v3", "v4"])
def level(request: pytest.FixtureRequest) -> Iterator[str]:
    """The vectors of other machines, as far as this one has them."""
    before = _core.simd_level()
    if not _core.set_simd_level(request.param):
        pytest.skip(f"{NOT_TESTED}SIMD level {request.param}, which this processor lacks")
    yield request.param
    _core.set_simd_level(before)


def test_models_are_what_their_names_say() -> None:
    """Thresholds and leaves are as many as a byte cannot count."""
    many = fitted("more than 255 thresholds a column")._forest_
    trees = [many.tree(t) for t in range(len(many))]
    asked = np.concatenate([tree.feature for tree in trees])
    thresholds = np.concatenate([tree.threshold for tree in trees])
    assert max(len(np.unique(thresholds[asked == j])) for j in range(5)) > 255
    large = fitted("more than 256 leaves")._forest_
    assert (large.tree(0).feature < 0).sum() > 256


@pytest.mark.parametrize("name", MODELS)
def test_rows_alone_and_together(name: str) -> None:
    """A row's score does not hang on its company."""
    model = fitted(name)
    X = questions(model)
    alone = np.concatenate([scores(model, X[i : i + 1]) for i in range(len(X))])
    assert same_bits(scores(model, X), alone)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("name", MODELS)
def test_scores_are_the_leaves_added_up(name: str, missing: float) -> None:
    """The start and the values of the leaves that `apply` names, tree by tree."""
    model = fitted(name, missing)
    X = questions(model)
    outputs = len(model.base_score_)
    want = np.tile(model.base_score_, (len(X), 1))
    for t, ends in enumerate(model.apply(X).T):
        want[:, t % outputs] += model._forest_.tree(t).value[ends].reshape(len(X), -1)[:, 0]
    assert same_bits(scores(model, X).reshape(len(X), outputs), want)


@pytest.mark.parametrize("name", MODELS)
def test_threads_and_layouts(name: str) -> None:
    """One, two or three threads; rows or columns side by side; every second row; single precision."""
    model = fitted(name)
    X = questions(model)
    want = scores(model, X)
    for threads in (2, 3):
        model.set_params(n_jobs=threads)
        assert same_bits(scores(model, X), want)
    assert same_bits(scores(model, np.asfortranarray(X)), want)
    assert same_bits(scores(model, np.repeat(X, 2, axis=0)[::2]), want)
    single = X.astype(np.float32)
    assert same_bits(scores(model, single), scores(model, single.astype(np.float64)))


@pytest.mark.parametrize("name", ["leaf by leaf", "oblivious", "categories", "three classes"])
def test_levels(name: str, level: str) -> None:
    """Long vectors and short ones."""
    model = fitted(name)
    X = questions(model)
    many = scores(model, X)
    assert same_bits(many[:50], scores(model, X[:50]))
    assert same_bits(many[-50:], scores(model, X[-50:]))


def test_missing_values_that_the_fit_did_not_meet() -> None:
    """They go with the greater part of the rows, node by node: levels of oblivious trees then differ in it."""
    for name in ("leaf by leaf", "oblivious"):
        model = fitted(name, missing=0)
        X = questions(model)
        assert np.isnan(X).any()
        alone = np.concatenate([scores(model, X[i : i + 1]) for i in range(len(X))])
        assert same_bits(scores(model, X), alone)


def test_sparse_tables() -> None:
    """What is not there is zero."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 40)) * (rng.random((1500, 40)) < 0.2)
    y = X[:, 0] - X[:, 1] * X[:, 2] + (X[:, 3] > 0)
    model = LightGBMRegressor(n_estimators=10, min_samples_leaf=5, random_state=0).fit(X, y)
    want = scores(model, X)
    assert same_bits(scores(model, sparse.csr_matrix(X)), want)
    assert same_bits(scores(model, sparse.csr_array(X)[:30]), want[:30])
    assert same_bits(scores(model, sparse.csc_matrix(X)), want)


def test_stages_end_at_the_prediction() -> None:
    """Each stage is the stage before it and one more round."""
    model = fitted("three classes")
    X = questions(model)
    assert same_bits(list(model.staged_decision_function(X))[-1], scores(model, X))
