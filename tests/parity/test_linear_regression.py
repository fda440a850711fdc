"""LinearRegression against scikit-learn's: coefficients, rank, singular values, predictions, scores, shapes, dtypes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer
from numpy.typing import NDArray

from pellucid.base.errors import DependentColumnsWarning
from pellucid.linear_model import LinearRegression

Array = NDArray[Any]
FITTED = ("coef_", "intercept_", "rank_", "singular_")


class Pair(NamedTuple):
    """The same data in both estimators."""

    ours: Any
    theirs: Any


@contextmanager
def expecting(dependent: bool) -> Iterator[None]:
    """Dependent columns are said; nothing else is."""
    if dependent:
        with pytest.warns(DependentColumnsWarning):
            yield
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield


def fit(
    X: Any,
    y: Any,
    weight: Any = None,
    *,
    dependent: bool = False,
    theirs: dict[str, Any] | None = None,
    **settings: Any,
) -> Pair:
    """Both fitted with `settings`; `theirs` holds what only scikit-learn is told."""
    with expecting(dependent):
        ours = LinearRegression(**settings).fit(X, y, sample_weight=weight)
    known = {name: value for name, value in settings.items() if name != "solver"}
    return Pair(ours, peer.LinearRegression(**{**known, **(theirs or {})}).fit(X, y, sample_weight=weight))


def near(found: Any, wanted: Any, tolerance: float) -> None:
    """Equal up to a share of the largest wanted number."""
    size = float(np.abs(np.asarray(wanted, dtype=float)).max(initial=0.0))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * max(size, 1e-300))


def agree(pair: Pair, X: Any, y: Any, weight: Any = None, tolerance: float = 1e-9, types: bool = True) -> None:
    for name in FITTED:
        if hasattr(pair.theirs, name):
            found, wanted = getattr(pair.ours, name), getattr(pair.theirs, name)
            assert np.shape(found) == np.shape(wanted), name
            if types:
                assert kind(found) == kind(wanted), name
            near(found, wanted, tolerance)
    found, wanted = pair.ours.predict(X), pair.theirs.predict(X)
    assert (found.shape, found.dtype if types else None) == (wanted.shape, wanted.dtype if types else None)
    near(found, wanted, tolerance)
    score = pair.theirs.score(X, y, sample_weight=weight)
    assert pair.ours.score(X, y, sample_weight=weight) == pytest.approx(score, rel=0, abs=tolerance)


def kind(value: Any) -> Any:
    """The dtype of an array or NumPy number, the type of anything else."""
    return value.dtype if isinstance(value, (np.ndarray, np.generic)) else type(value)


def target(random: np.random.Generator, X: Array, outputs: int | None) -> Array:
    """A linear target with noise: a vector for None, else that many columns."""
    slopes = random.standard_normal((X.shape[1], outputs or 1))
    y = 3 + X @ slopes + random.standard_normal((len(X), outputs or 1))
    return y[:, 0] if outputs is None else y


def weights(random: np.random.Generator, n: int, kind: str) -> Array | None:
    if kind == "plain":
        return None
    return random.uniform(0.1, 3, size=n) if kind == "weighted" else random.integers(0, 3, size=n).astype(float)


# ----------------------------------------------------------------------------------------------------- random data

SHAPES = [(6, 1), (30, 4), (41, 40), (300, 40), (400, 140), (20, 40), (40, 40), (5, 300)]
intercepts = pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "origin"])


@intercepts
@pytest.mark.parametrize("outputs", [None, 1, 3], ids=["vector", "one column", "three columns"])
@pytest.mark.parametrize("how", ["plain", "weighted"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_random_data(shape: tuple[int, int], how: str, outputs: int | None, fit_intercept: bool) -> None:
    random = np.random.default_rng(shape)
    X = random.standard_normal(shape)
    y, weight = target(random, X, outputs), weights(random, shape[0], how)
    wide = shape[0] - fit_intercept < shape[1]
    agree(fit(X, y, weight, fit_intercept=fit_intercept, dependent=wide), X, y, weight)


@intercepts
def test_weights_of_zero(fit_intercept: bool) -> None:
    random = np.random.default_rng(1)
    X = random.standard_normal((60, 5))
    y, weight = target(random, X, None), weights(random, 60, "counts")
    agree(fit(X, y, weight, fit_intercept=fit_intercept), X, y, weight)


def test_fewer_weighted_rows_than_columns() -> None:
    random = np.random.default_rng(2)
    X, y = random.standard_normal((30, 6)), random.standard_normal(30)
    weight = np.zeros(30)
    weight[[3, 8, 20]] = [1, 2, 0.5]
    agree(fit(X, y, weight, dependent=True), X, y, weight)


@pytest.mark.parametrize("layout", ["F", "columns of a wider table", "every other row", "backwards"])
def test_layouts(layout: str) -> None:
    random = np.random.default_rng(3)
    X = {
        "F": np.asfortranarray(random.standard_normal((50, 4))),
        "columns of a wider table": random.standard_normal((50, 12))[:, 2:10:2],
        "every other row": random.standard_normal((100, 4))[::2],
        "backwards": random.standard_normal((50, 4))[::-1, ::-1],
    }[layout]
    y = target(random, X, None)
    agree(fit(X, y), X, y)


# ---------------------------------------------------------------------------------------------------------- dtypes

DTYPES = [
    ("float64", "float64"),
    ("float64", "float32"),
    ("float32", "float32"),
    ("float32", "float64"),
    ("int64", "int64"),
    ("uint8", "float64"),
    ("bool", "float64"),
]


@intercepts
@pytest.mark.parametrize("outputs", [None, 2], ids=["vector", "two columns"])
@pytest.mark.parametrize("types", DTYPES, ids=" and ".join)
def test_dtypes(types: tuple[str, str], outputs: int | None, fit_intercept: bool) -> None:
    """Fitted attributes and predictions have the dtypes that scikit-learn gives them."""
    random = np.random.default_rng(4)
    X = (10 * random.random((80, 4))).astype(types[0]) if types[0] != "bool" else random.random((80, 4)) > 0.5
    y = (20 * target(random, X.astype(float), outputs)).astype(types[1])
    agree(fit(X, y, fit_intercept=fit_intercept), X, y, tolerance=2e-5 if "float32" in types else 1e-9)


def test_precision_of_x_is_kept_where_scikit_learn_widens() -> None:
    """Without intercept scikit-learn's non-negative and sparse answers to float32 are float64; ours stay float32."""
    random = np.random.default_rng(5)
    X = random.random((50, 3)).astype(np.float32)
    y = (X @ [1, 2, 3]).astype(np.float32)
    for table, settings in ((X, {"positive": True}), (sp.csr_array(X), {"tol": 1e-7})):
        pair = fit(table, y, fit_intercept=False, **settings)
        assert pair.ours.coef_.dtype == pair.ours.predict(table).dtype == np.float32
        agree(pair, table, y, tolerance=1e-5, types=False)


# ---------------------------------------------------------------------------------------------------------- sparse

FORMATS = [sp.csr_matrix, sp.csc_array, sp.coo_array]
formats = pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)


def sparse_table(random: np.random.Generator, n: int, p: int, share: float) -> Array:
    return random.standard_normal((n, p)) * (random.random((n, p)) < share)


@formats
@intercepts
@pytest.mark.parametrize(("how", "outputs"), [("plain", None), ("weighted", 1), ("weighted", 3)])
def test_sparse_tables_of_few_columns(make: Any, how: str, outputs: int | None, fit_intercept: bool) -> None:
    """Solved directly here, by LSQR in scikit-learn: its tolerance is set to nothing."""
    random = np.random.default_rng(6)
    dense = sparse_table(random, 300, 20, 0.2)
    y, weight = target(random, dense, outputs), weights(random, 300, how)
    X = make(dense)
    agree(fit(X, y, weight, fit_intercept=fit_intercept, theirs={"tol": 1e-14}), X, y, weight)


@formats
@intercepts
@pytest.mark.parametrize(("how", "outputs"), [("plain", None), ("weighted", 1), ("weighted", 3)])
def test_sparse_tables_of_many_columns(make: Any, how: str, outputs: int | None, fit_intercept: bool) -> None:
    """More than 256 columns go to LSQR, here as there."""
    random = np.random.default_rng(7)
    dense = sparse_table(random, 700, 280, 0.05)
    y, weight = target(random, dense, outputs), weights(random, 700, how)
    X = make(dense)
    pair = fit(X, y, weight, fit_intercept=fit_intercept, tol=1e-13)
    assert pair.ours.solver_ == "lsqr"
    agree(pair, X, y, weight, tolerance=1e-8)


@pytest.mark.parametrize("shape", [(40, 100), (60, 300)], ids=["direct", "lsqr"])
@intercepts
def test_wide_sparse_tables(shape: tuple[int, int], fit_intercept: bool) -> None:
    random = np.random.default_rng(8)
    X = sp.csr_array(sparse_table(random, *shape, 0.3))
    y = random.standard_normal(shape[0])
    pair = fit(X, y, fit_intercept=fit_intercept, tol=1e-13, dependent=shape[1] <= 256)
    agree(pair, X, y, tolerance=1e-8)


@pytest.mark.parametrize("p", [20, 300])
def test_a_sparse_table_is_its_dense_self(p: int) -> None:
    random = np.random.default_rng(9)
    dense = sparse_table(random, 900, p, 0.1)
    y = target(random, dense, 2)
    ours = LinearRegression(tol=1e-14).fit(sp.csr_array(dense), y)
    theirs = peer.LinearRegression().fit(dense, y)
    near(ours.coef_, theirs.coef_, 1e-9)
    near(ours.intercept_, theirs.intercept_, 1e-9)


# ------------------------------------------------------------------------------------------------- dependent columns


def dependent_tables() -> dict[str, Array]:
    random = np.random.default_rng(10)
    X = random.standard_normal((50, 5))
    return {
        "sum": np.column_stack([X, X[:, 0] + X[:, 1]]),
        "multiple": np.column_stack([X, -3 * X[:, 2]]),
        "twice": np.column_stack([X, X]),
        "all one": np.repeat(X[:, :1], 4, axis=1),
        "levels": np.eye(3)[random.integers(0, 3, size=50)],
        "with offset": np.column_stack([X + 100, X[:, 0] - X[:, 1] + 7]),
    }


@intercepts
@pytest.mark.parametrize("outputs", [None, 2], ids=["vector", "two columns"])
@pytest.mark.parametrize("how", ["plain", "weighted"])
@pytest.mark.parametrize("name", dependent_tables())
def test_dependent_columns_get_the_shortest_coefficients(
    name: str, how: str, outputs: int | None, fit_intercept: bool
) -> None:
    random = np.random.default_rng(11)
    X = dependent_tables()[name]
    y, weight = target(random, X, outputs), weights(random, len(X), how)
    if not fit_intercept and name in ("levels", "with offset"):
        agree(fit(X, y, weight, fit_intercept=False), X, y, weight, tolerance=1e-8)  # independent without centering
    else:
        agree(fit(X, y, weight, fit_intercept=fit_intercept, dependent=True), X, y, weight)


@pytest.mark.parametrize("constant", [0.0, 1.0, -273.15, 1e9])
def test_a_constant_column_gets_nothing(constant: float) -> None:
    random = np.random.default_rng(12)
    X = random.standard_normal((40, 3))
    X[:, 1] = constant
    y = target(random, X, None)
    pair = fit(X, y)
    assert pair.ours.coef_[1] == 0
    agree(pair, X, y)


def test_nothing_but_constants() -> None:
    X, y = np.full((10, 2), 7.0), np.arange(10.0)
    agree(fit(X, y), X, y)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n: int) -> None:
    random = np.random.default_rng(13)
    X, y = random.standard_normal((n, 3)), random.standard_normal(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DependentColumnsWarning)
        ours = LinearRegression().fit(X, y)
    theirs = peer.LinearRegression().fit(X, y)
    near(ours.coef_, theirs.coef_, 1e-9)
    near(ours.predict(X), theirs.predict(X), 1e-9)
    assert ours.rank_ == theirs.rank_ == n - 1


# ---------------------------------------------------------------------------------------------- offsets and scales


@pytest.mark.parametrize("offset", [1e2, 1e5, 1e8])
def test_offsets(offset: float) -> None:
    """Columns far from zero; scikit-learn centers first too. The data themselves are rounded at offset * eps."""
    random = np.random.default_rng(14)
    X = random.standard_normal((200, 4)) + offset * np.array([1, -1, 2, 0])
    y = 5 * offset + (X - X.mean(axis=0)) @ [1.0, 2.0, -3.0, 0.5] + 0.1 * random.standard_normal(200)
    agree(fit(X, y), X, y, tolerance=1e-9 + 1e-14 * offset)


@intercepts
def test_mixed_scales(fit_intercept: bool) -> None:
    """Units do not matter: each coefficient is that of the column at unit scale, divided by the unit.

    scikit-learn 1.9 cuts singular values below ``tol`` = 1e-6 of the largest, which drops columns of small unit; so it
    is given the columns at unit scale. The units are powers of two: multiplying by them rounds nothing.
    """
    random = np.random.default_rng(15)
    X = random.standard_normal((100, 6))
    units = 2.0 ** np.array([-30, -12, 0, 5, 20, 33])
    y = target(random, X, None)
    with expecting(False):
        ours = LinearRegression(fit_intercept=fit_intercept).fit(X * units, y)
    theirs = peer.LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    near(ours.coef_ * units, theirs.coef_, 1e-12)
    near(ours.intercept_, theirs.intercept_, 1e-12)
    near(ours.predict(X * units), theirs.predict(X), 1e-12)
    assert ours.rank_ == theirs.rank_


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_huge_and_tiny_numbers(scale: float) -> None:
    random = np.random.default_rng(16)
    X = random.standard_normal((50, 3))
    y = target(random, X, None)
    ours, theirs = LinearRegression().fit(X * scale, y * scale), peer.LinearRegression().fit(X, y)
    near(ours.coef_, theirs.coef_, 1e-9)
    near(ours.intercept_ / scale, theirs.intercept_, 1e-9)


def test_nearly_dependent_columns_are_solved_by_qr() -> None:
    random = np.random.default_rng(17)
    X = random.standard_normal((200, 4))
    X[:, 3] = X[:, 2] + 1e-6 * random.standard_normal(200)
    y = 5 + X @ [1.0, 2.0, 3.0, 4.0] + 1e-3 * random.standard_normal(200)
    pair = fit(X, y, dependent=True, theirs={"tol": 1e-14})
    assert pair.ours.solver_ == "qr"
    agree(pair, X, y, tolerance=1e-8)


# --------------------------------------------------------------------------------------------------------- solvers

SOLVERS = ["normal", "qr", "svd", "lsqr"]


@pytest.mark.parametrize("solver", [*SOLVERS, "simple", "correlation"])
@pytest.mark.parametrize(("how", "outputs"), [*product(["plain", "weighted"], [None, 3])])
@intercepts
def test_every_solver_gives_the_answer_of_auto(solver: str, how: str, outputs: int | None, fit_intercept: bool) -> None:
    if solver == "correlation" and not fit_intercept:
        return  # taken around the means, so it needs an intercept
    random = np.random.default_rng(18)
    X = random.standard_normal((80, 1 if solver in ("simple", "correlation") else 5)) + 2
    y, weight = target(random, X, outputs), weights(random, 80, how)
    pair = fit(X, y, weight, solver=solver, fit_intercept=fit_intercept, tol=1e-14, theirs={"tol": 1e-12})
    auto = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    assert pair.ours.solver_ == solver
    near(pair.ours.coef_, auto.coef_, 1e-11)
    near(pair.ours.intercept_, auto.intercept_, 1e-11)
    near(pair.ours.coef_, pair.theirs.coef_, 1e-9)
    near(pair.ours.predict(X), pair.theirs.predict(X), 1e-9)


@pytest.mark.parametrize("solver", ["auto", "normal", "qr", "svd"])
def test_singular_values_of_every_solver(solver: str) -> None:
    random = np.random.default_rng(19)
    X = random.standard_normal((60, 7)) * np.logspace(-2, 2, 7) + 5
    y, weight = target(random, X, None), weights(random, 60, "weighted")
    pair = fit(X, y, weight, solver=solver, theirs={"tol": 1e-12})
    np.testing.assert_allclose(pair.ours.singular_, pair.theirs.singular_, rtol=1e-9)
    assert pair.ours.rank_ == pair.theirs.rank_ == 7


# -------------------------------------------------------------------------------------------------------- positive


@intercepts
@pytest.mark.parametrize("outputs", [None, 1, 3], ids=["vector", "one column", "three columns"])
@pytest.mark.parametrize("how", ["plain", "weighted"])
@pytest.mark.parametrize("shape", [(30, 1), (40, 6), (100, 30)], ids=str)
def test_positive(shape: tuple[int, int], how: str, outputs: int | None, fit_intercept: bool) -> None:
    """More rows than columns and no dependence: the answer is unique."""
    random = np.random.default_rng(shape)
    X = random.standard_normal(shape) + random.random(shape[1])
    y, weight = target(random, X, outputs), weights(random, shape[0], how)
    pair = fit(X, y, weight, positive=True, fit_intercept=fit_intercept)
    np.testing.assert_array_equal(pair.ours.coef_ == 0, pair.theirs.coef_ == 0)
    agree(pair, X, y, weight)


def test_positive_takes_sparse_tables_which_scikit_learn_refuses() -> None:
    random = np.random.default_rng(20)
    dense = sparse_table(random, 100, 8, 0.4)
    y = target(random, dense, None)
    theirs = peer.LinearRegression(positive=True).fit(dense, y)
    near(LinearRegression(positive=True).fit(sp.csr_array(dense), y).coef_, theirs.coef_, 1e-9)


@pytest.mark.parametrize("seed", [63, 323, 884, 2724, 3249, 3471, 4159, 1191])
def test_positive_where_columns_leave_again(seed: int) -> None:
    """Many columns and few rows: coefficients enter, reach zero and leave. The least error is unique, they are not."""
    random = np.random.default_rng(seed)
    n, p = int(random.integers(3, 40)), int(random.integers(1, 60))
    X = random.standard_normal((n, p))
    if seed % 4 == 1:
        X = np.abs(X)
    if seed % 4 == 3:
        X = X @ random.standard_normal((p, p))
    y = random.standard_normal(n)
    for fit_intercept in (True, False):
        ours = LinearRegression(positive=True, fit_intercept=fit_intercept).fit(X, y)
        theirs = peer.LinearRegression(positive=True, fit_intercept=fit_intercept).fit(X, y)
        assert (ours.coef_ >= 0).all()
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=0, abs=1e-9)
