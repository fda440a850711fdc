"""The histogram splitter: the exact splitter's tree where every value has a bin, nearly as good a one elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pellucid import _core
from pellucid.data.design import InputSpec, infer_schema
from pellucid.models.tree.answer import answer, apply
from pellucid.models.tree.nodes import TreeNodes

NEEDS = InputSpec(sparse=True, missing=True, check_finite="never")


def grow(X, y, classes=0, splitter="histogram", threads=1, categories=None, weight=None, monotone=None, seed=0, **told):
    matrix = infer_schema(X, NEEDS, "test").matrix
    settings = _core.TreeSettings()
    settings.splitter = splitter
    settings.criterion = "gini" if classes else "squared_error"
    for name, value in told.items():
        setattr(settings, name, value)
    counts = np.zeros(matrix.cols, dtype=np.int32) if categories is None else np.asarray(categories, dtype=np.int32)
    columns = _core.tree_columns(matrix, counts, threads)
    y = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1)
    n_classes = np.full(y.shape[1] if classes else 0, classes, dtype=np.int32)
    return TreeNodes.of(_core.grow_tree(columns, y, n_classes, weight, monotone, settings, seed, threads))


def assert_same_tree(ours: TreeNodes, theirs: TreeNodes, exact: bool = True) -> None:
    for name in ("parent", "first_child", "feature", "test", "missing_child", "n_rows", "threshold", "table"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("weight", "impurity", "value"):
        close = np.testing.assert_array_equal if exact else np.testing.assert_allclose
        close(getattr(ours, name), getattr(theirs, name), err_msg=name)


def rounded(n=1500, seed=0):
    """Numbers of few distinct values, two columns of categories, and values that are missing."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 7)) * [1, 8, 30, 3, 1, 1, 2])
    X[:, 4] = rng.integers(0, 5, n)
    X[:, 5] = rng.integers(0, 40, n)
    whole = X[:, 0] * 2 - X[:, 1] + np.isin(X[:, 4], [1, 3]) * 6 + (X[:, 5] % 7) + np.round(4 * rng.normal(size=n))
    X[rng.random(X.shape) < 0.08] = np.nan
    return X, whole


CATEGORIES = [0, 0, 0, 0, 5, 40, 0]


@pytest.mark.parametrize(
    "told",
    [
        {"min_rows_leaf": 1},
        {"min_rows_leaf": 15, "threshold": "value"},
        {"max_depth": 6, "category_split": "one_versus_rest"},
        {"max_leaves": 60, "min_rows_leaf": 3},
        {"max_features": 3, "seed": 5},
        {"min_decrease": 1e-3},
    ],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 4, 0])
def test_with_a_bin_for_every_value_the_tree_is_the_exact_one(classes, told):
    # Whole targets: sums are exact, and so are ties.
    X, whole = rounded()
    y = np.digitize(whole, [0] if classes == 2 else [-5, 0, 5]) if classes else whole
    trees = [grow(X, y, classes, splitter, categories=CATEGORIES, **told) for splitter in ("histogram", "best")]
    if classes:
        assert_same_tree(*trees)
    else:  # scores differ in the last bits: the same tree up to cuts that are equally good
        np.testing.assert_allclose(trees[0].impurity[0], trees[1].impurity[0])
        rows = infer_schema(X, NEEDS, "test").matrix
        errors = [np.mean((answer(t, rows)[:, 0] - y) ** 2) for t in trees]
        assert len(trees[0]) == pytest.approx(len(trees[1]), rel=0.03)
        np.testing.assert_allclose(errors[0], errors[1], rtol=0.03, atol=1e-12)
        np.testing.assert_array_equal(trees[0].threshold[:7], trees[1].threshold[:7])


@pytest.mark.parametrize("criterion", ["entropy", "gini", "squared_error", "poisson"])
def test_weights_count_as_repetitions(criterion):
    X, whole = rounded(400)
    classes = 3 if criterion in ("entropy", "gini") else 0
    y = np.digitize(whole, [-3, 4]) if classes else np.abs(whole)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    told = {"criterion": criterion, "max_depth": 5, "categories": CATEGORIES}
    weighted = grow(X, y, classes, weight=times.astype(float), **told)
    repeated = grow(np.repeat(X, times, axis=0), np.repeat(y, times), classes, **told)
    for name in ("feature", "threshold"):  # a value that was never missing follows more rows, whatever they weigh
        np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))
    np.testing.assert_allclose(weighted.weight, repeated.weight)
    np.testing.assert_allclose(weighted.value, repeated.value, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 0])
def test_the_same_bits_on_any_number_of_threads(classes):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(9000, 10))
    f = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X))
    y = np.digitize(f, [-0.5, 0.5] if classes == 3 else [0]) if classes else f
    for told in ({}, {"max_leaves": 200}, {"max_features": 4}):
        one, two, three = (grow(X, y, classes, threads=k, **told) for k in (1, 2, 3))
        assert_same_tree(one, two)
        assert_same_tree(one, three)


def test_nearly_as_good_as_the_exact_tree_on_values_that_share_bins():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8000, 6))
    f = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=len(X))
    rows = infer_schema(X[4000:], NEEDS, "test").matrix
    errors = {}
    for splitter in ("histogram", "best"):
        nodes = grow(X[:4000], f[:4000], splitter=splitter, min_rows_leaf=10)
        errors[splitter] = np.mean((answer(nodes, rows)[:, 0] - f[4000:]) ** 2)
    assert errors["histogram"] < 1.05 * errors["best"]
    assert errors["histogram"] < 0.5 * f.var()


def test_rows_take_the_way_in_prediction_that_they_took_in_fit():
    X, whole = rounded(3000, 4)
    X[:, 6] += np.random.default_rng(5).normal(size=len(X)) * 1e-3  # more values than bins
    for told in ({}, {"threshold": "value"}, {"max_bins": 8}, {"max_bins": 2}):
        nodes = grow(X, whole, categories=CATEGORIES, min_rows_leaf=4, **told)
        at = apply(nodes, infer_schema(X, NEEDS, "test").matrix)
        np.testing.assert_array_equal(np.bincount(at, minlength=len(nodes))[nodes.is_leaf], nodes.n_rows[nodes.is_leaf])
        assert nodes.n_rows[nodes.is_leaf].min() >= 4


def test_more_categories_than_bins_share_one():
    rng = np.random.default_rng(6)
    code = np.minimum(rng.geometric(0.01, size=6000) - 1, 499)
    y = (code % 2 + (code > 300)).astype(float)
    nodes = grow(code[:, None].astype(float), y, categories=[500])
    X = infer_schema(code[:, None].astype(float), NEEDS, "test").matrix
    predicted = answer(nodes, X)[:, 0]
    common = np.bincount(code, minlength=500)[code] > 15
    assert np.abs(predicted - y)[common].max() < 1e-12  # each of these has a bin to itself


def test_a_sparse_table_gives_the_tree_of_the_dense_one():
    rng = np.random.default_rng(7)
    X = np.round(rng.normal(size=(600, 12)), 1) * (rng.random((600, 12)) < 0.2)
    y = (X.sum(axis=1) > 0).astype(int)
    assert_same_tree(grow(sparse.csr_matrix(X), y, 2), grow(X, y, 2))


def test_monotone_columns_stay_so():
    rng = np.random.default_rng(8)
    X = rng.uniform(size=(3000, 3))
    y = X[:, 0] + np.sin(9 * X[:, 1]) + 0.5 * rng.normal(size=3000)
    nodes = grow(X, y, monotone=np.array([1, 0, -1], dtype=np.int8), min_rows_leaf=5)
    line = np.linspace(0, 1, 200)
    for column, sign in ((0, 1), (2, -1)):
        at = np.full((200, 3), 0.4)
        at[:, column] = line
        steps = np.diff(answer(nodes, infer_schema(at, NEEDS, "test").matrix)[:, 0])
        assert (sign * steps >= 0).all()


@pytest.mark.parametrize(
    "column",
    [
        np.full(40, np.nan),
        np.full(40, 3.0),
        np.r_[np.full(39, 1e308), -1e308],
        np.r_[np.full(20, np.inf), np.full(20, -np.inf)],
        np.r_[np.full(20, np.nextafter(1.0, 2)), np.full(20, 1.0)],
        np.r_[np.zeros(20), np.full(20, -0.0)],
        np.r_[np.full(20, 5e-324), np.zeros(20)],
    ],
    ids=["missing", "constant", "huge", "infinite", "neighbors", "zeros", "tiny"],
)
def test_awkward_columns(column):
    X = np.column_stack([column, np.arange(40) % 2])
    y = np.r_[np.zeros(20), np.ones(20)]
    assert_same_tree(grow(X, y, 2), grow(X, y, 2, "best"))


def test_several_outputs():
    X, whole = rounded(500, 9)
    codes = np.column_stack([np.digitize(whole, [-3, 4]), np.digitize(whole, [0, 9])])
    assert_same_tree(*(grow(X, codes, 3, s, categories=CATEGORIES, max_depth=6) for s in ("histogram", "best")))
    numbers = np.column_stack([whole, -whole * 2])
    trees = [grow(X, numbers, 0, s, categories=CATEGORIES, max_depth=4) for s in ("histogram", "best")]
    np.testing.assert_array_equal(trees[0].threshold[:7], trees[1].threshold[:7])
    np.testing.assert_allclose(trees[0].value[:7], trees[1].value[:7])
