"""The lasso and the elastic net: conditions of the optimum, zeros, scales of cost, and what is said where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, PellucidWarning
from pellucid.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV, enet_path, lasso_path
from pellucid.reference import coordinate_descent as reference

Array = NDArray[np.float64]


def data(rows: int = 50, columns: int = 8, seed: int = 0) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) + np.arange(columns)
    y = X @ np.where(np.arange(columns) % 3 == 0, 1.5, 0.0) + random.normal(size=rows) + 4
    return X, y, random.integers(0, 4, rows) + 0.5


def missed(model: Any, X: Any, y: Array, weight: Array | None = None) -> float:
    """How far the conditions of the optimum are missed, in the cost's own slopes."""
    X = X.toarray() if scipy.sparse.issparse(X) else X
    s = np.ones(len(y)) if weight is None else weight
    s = s / s.sum()
    r = y - model.intercept_ - X @ model.coef_
    factor = 2 if model.cost == "squared" else 1
    ratio = getattr(model, "l1_ratio", 1.0)
    l1, l2 = model.alpha * ratio, model.alpha * (1 - ratio)
    w, slope = model.coef_, factor * X.T @ (s * r)
    used = np.abs(slope - l2 * w - l1 * np.sign(w))[w != 0]
    idle = ((slope if model.positive else np.abs(slope)) - l1)[w == 0]
    level = [abs(float(s @ r))] if model.fit_intercept else []
    return float(np.max([*used, *idle, *level, *(-w if model.positive else [])], initial=0.0))


SETTINGS = [
    {},
    {"fit_intercept": False},
    {"positive": True},
    {"selection": "random", "random_state": 3},
    {"cost": "squared"},
    {"accelerate": False, "tol": 1e-14, "max_iter": 100_000},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("alpha", [0.01, 0.3, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_conditions_of_the_optimum_hold(settings: Any, alpha: float, weighted: bool, sparse: bool) -> None:
    X, y, weight = data()
    table = scipy.sparse.csr_array(np.where(np.abs(X) < 1, 0, X)) if sparse else X
    given = weight if weighted else None
    for model in (Lasso(alpha, **settings), ElasticNet(alpha, l1_ratio=0.3, **settings)):
        model.fit(table, y, given)
        assert missed(model, table, y, given) < 1e-6
        assert model.dual_gap_ <= 1e-4 * np.var(y) * 10


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kernel_and_reference_agree(order: Any, dtype: str) -> None:
    X, y, weight = data(seed=4)
    X = X.astype(np.float32).astype(np.float64)  # numbers that both hold
    for alpha, ratio in ((0.1, 1.0), (0.5, 0.5), (0.05, 0.0)):
        want = reference.coordinate_descent(X, y, alpha, ratio, weight=weight)
        model = ElasticNet(alpha, l1_ratio=ratio).fit(np.asarray(X, dtype=dtype, order=order), y, weight)
        np.testing.assert_allclose(model.coef_, want.coef, rtol=1e-5 if dtype == "float32" else 1e-8, atol=1e-9)
        assert model.intercept_ == pytest.approx(want.intercept, rel=1e-5)
        assert model.coef_.dtype == dtype


def test_first_pass_is_the_textbooks() -> None:
    """A plain pass from zeros in closed form: two columns at right angles, so one pass ends it."""
    X, y = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.array([3.0, 1.0, -1.0, -3.0])
    # mean products: x1.y = (3 + 1 + 1 + 3)/4 = 2, x2.y = (3 - 1 - 1 + 3)/4 = 1; mean squares 1
    tables = Lasso(0.25, accelerate=False).fit_with_history(X, y)
    columns, rows = tables["passes"]
    assert rows[0, columns.index("coef_1")] == 1.75
    assert rows[0, columns.index("coef_2")] == 0.75
    # F = (mean of (y - 1.75 x1 - 0.75 x2)^2)/2 + 0.25 (1.75 + 0.75); the rest is 0.5, 0, 0, -0.5
    assert rows[0, columns.index("objective")] == pytest.approx(0.0625 + 0.625)


def test_the_recorded_fit_has_the_same_bits() -> None:
    X, y, weight = data(seed=1)
    plain, recorded = Lasso(0.1).fit(X, y, weight), Lasso(0.1)
    tables = recorded.fit_with_history(X, y, weight)
    assert plain.coef_.tobytes() == recorded.coef_.tobytes()
    columns, rows = tables["passes"]
    assert rows[-1, columns.index("coef_1")] == plain.coef_[0]
    assert rows[-1, columns.index("intercept")] == plain.intercept_


@pytest.mark.parametrize("shape", [(400, 30), (60, 700)])
def test_threads_change_no_bit(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(2)
    X, y = random.normal(size=shape), random.normal(size=shape[0])
    for table in (X, np.asfortranarray(X), scipy.sparse.csr_array(np.where(np.abs(X) < 1, 0, X))):
        found = [lasso_path(table, y, alphas=12, eps=0.05, n_jobs=jobs)[1] for jobs in (1, 2, 3)]
        assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


def test_more_columns_than_are_looked_at_first() -> None:
    """A working set, products as they are needed, residuals where columns are many: the same optimum."""
    random = np.random.default_rng(5)
    X = random.normal(size=(80, 1500))
    y = X[:, 3] - 2 * X[:, 900] + 0.5 * random.normal(size=80)
    for model in (Lasso(0.05, tol=1e-10), ElasticNet(0.02, l1_ratio=0.2, tol=1e-10)):
        assert missed(model.fit(X, y), X, y) < 1e-5
        assert missed(model.fit(scipy.sparse.csr_array(X), y), X, y) < 1e-5


def test_above_the_largest_alpha_all_is_zero() -> None:
    X, y, _ = data()
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    assert not Lasso(top * (1 + 1e-12)).fit(X, y).coef_.any()
    assert np.count_nonzero(Lasso(top * 0.999).fit(X, y).coef_) == 1
    assert Lasso(2 * top).fit(X, y).intercept_ == pytest.approx(y.mean())
    assert lasso_path(X, y, alphas=3, fit_intercept=True)[0][0] == pytest.approx(top)
    assert lasso_path(X, y, alphas=3, fit_intercept=True, cost="squared")[0][0] == pytest.approx(2 * top)


def test_alpha_zero_is_least_squares_and_says_so() -> None:
    X, y, _ = data()
    with pytest.warns(PellucidWarning, match="alpha is 0, which is least squares"):
        model = Lasso(0).fit(X, y)
    want = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y)[0]
    np.testing.assert_allclose([model.intercept_, *model.coef_], want, rtol=1e-7)


def test_constant_and_equal_columns_and_targets() -> None:
    X, y, _ = data()
    idle = np.column_stack([X, np.full(len(X), 0.1), X[:, 0]])
    model = Lasso(0.1).fit(idle, y)
    alone = Lasso(0.1).fit(X, y)
    assert model.coef_[8] == 0
    assert model.coef_[0] + model.coef_[9] == pytest.approx(alone.coef_[0], abs=1e-2)
    np.testing.assert_allclose(model.predict(idle), alone.predict(X), atol=2e-2)
    flat = Lasso(0.1).fit(X, np.full(len(X), 7.0))
    assert not flat.coef_.any()
    assert (flat.intercept_, flat.dual_gap_) == (7.0, 0.0)


def test_a_row_of_weight_two_is_the_row_written_twice() -> None:
    X, y, _ = data()
    weight = np.where(np.arange(len(X)) % 2, 2.0, 1.0)
    twice = np.repeat(np.arange(len(X)), weight.astype(int))
    a, b = Lasso(0.1).fit(X, y, weight), Lasso(0.1).fit(X[twice], y[twice])
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-10)
    none = Lasso(0.1).fit(X, y, np.where(np.arange(len(X)) < 30, 1.0, 0.0))
    np.testing.assert_allclose(none.coef_, Lasso(0.1).fit(X[:30], y[:30]).coef_, atol=1e-10)


def test_every_target_is_fitted_by_itself() -> None:
    X, y, _ = data()
    both = np.column_stack([y, X[:, 1] - y])
    model = ElasticNet(0.1).fit(X, both)
    for k in (0, 1):
        alone = ElasticNet(0.1).fit(X, both[:, k])
        np.testing.assert_allclose(model.coef_[k], alone.coef_, atol=1e-9)
    assert model.sparse_coef_.shape == (2, 8)
    assert (len(model.n_iter_), model.dual_gap_.shape, model.predict(X).shape) == (2, (2,), (50, 2))


def test_a_warm_start_begins_where_the_last_fit_ended() -> None:
    X, y, _ = data(rows=400, columns=60)
    model = Lasso(0.05, warm_start=True, accelerate=False, tol=1e-8).fit(X, y)
    first = model.n_iter_
    assert model.fit(X, y).n_iter_ < first
    assert model.fit(X[:, :5], y).coef_.shape == (5,)  # where they do not fit, from zero
    assert "warm_start" in " ".join(model.show_fit(X[:, :5], y).notes)


def test_passes_that_run_out_are_told_with_gap_and_tolerance() -> None:
    X, y, _ = data()
    words = r"Lasso: the duality gap must fall to .+; it is .+ after 1 pass\.\nhint: raise max_iter or tol"
    with pytest.warns(ConvergenceWarning, match=words):
        Lasso(0.001, max_iter=1, accelerate=False, tol=1e-12).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"enet_path: .+ for alpha=.+ \(and \d+ other fits?\)"):
        enet_path(
            *data(rows=800, columns=200)[:2], alphas=5, l1_ratio=0.1, max_iter=1, tol=1e-14
        )  # too large to end exactly


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e140])
def test_sizes_of_the_target_do_not_matter(scale: float) -> None:
    X, y, _ = data()
    alone, scaled = Lasso(0.1).fit(X, y), Lasso(0.1 * scale).fit(X, y * scale)
    np.testing.assert_allclose(scaled.coef_ / scale, alone.coef_, rtol=1e-9, atol=1e-12)


def test_squares_beyond_every_number_are_refused() -> None:
    X, y, _ = data()
    large = X.copy()
    large[:, 2] *= 1e200
    with pytest.raises(DataError, match=r"squares of X and y must stay within .+ column 'x2' of X is too large"):
        Lasso().fit(large, y)
    with pytest.raises(DataError, match="y is too large"):
        Lasso().fit(X, y * 1e300)
    with pytest.raises(DataError, match="too large"):
        lasso_path(large, y, alphas=3)


def test_a_path_is_its_fits() -> None:
    X, y, _ = data(rows=60, columns=150, seed=8)
    alphas = [0.5, 0.1, 0.02]
    found, coefs, gaps, passes = enet_path(
        X, y, alphas=alphas[::-1], l1_ratio=0.7, return_n_iter=True, fit_intercept=True, tol=1e-10
    )
    assert found.tolist() == alphas
    assert (coefs.shape, gaps.shape, len(passes)) == ((150, 3), (3,), 3)
    for i, alpha in enumerate(alphas):
        one = ElasticNet(alpha, l1_ratio=0.7, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(coefs[:, i], one.coef_, atol=1e-6)
    models = ElasticNet(l1_ratio=0.7, tol=1e-10).fit_path("alpha", [0.02, 0.5], X, y)
    np.testing.assert_allclose(models[0].coef_, coefs[:, 2], atol=1e-6)
    np.testing.assert_allclose(models.answer("predict", X)[1], models[1].predict(X), atol=1e-12)
    start = enet_path(X, y, alphas=[0.1], l1_ratio=0.7, coef_init=coefs[:, 1], return_n_iter=True)
    assert start[3][0] <= passes[1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"alphas": [-1.0]}, "alphas must be a whole number or a list of numbers of at least 0"),
        ({"alphas": 0}, "the number of alphas must be at least 1"),
        ({"alphas": "many"}, "alphas must be a whole number or a list"),
        ({"eps": 0}, "eps must be a number above 0"),
        ({"l1_ratio": 2}, "l1_ratio must be a number from 0 to 1"),
        ({"tol": -1}, "tol must be"),
        ({"coef_init": [1.0]}, "coef_init must have one number a column"),
        ({"l1_ratio": 0}, "alphas must be given for l1_ratio=0"),
        ({"y": np.ones((50, 2))}, "one target at a time; got 2 columns"),
    ],
)
def test_a_path_refuses_in_a_sentence(given: dict[str, Any], words: str) -> None:
    X, y, _ = data()
    with pytest.raises((ParameterError, DataError), match=words):
        enet_path(X, **{"y": y, **given})


def test_the_path_of_the_lasso_speaks_for_itself() -> None:
    X, y, _ = data()
    with pytest.raises(ParameterError, match=r"^lasso_path: the number of alphas"):
        lasso_path(X, y, alphas=0)
    for name in ("l1_ratio", "strength"):
        with pytest.raises(TypeError, match=rf"lasso_path\(\) got an unexpected keyword argument '{name}'"):
            lasso_path(X, y, **{name: 1.0})


# ---------------------------------------------------------------------------------------------------- cross-validation


def test_folds_are_fits_on_their_rows() -> None:
    """Rows held out have weight zero; the errors are those of a fit without them."""
    X, y, weight = data(rows=40, seed=3)
    folds = [(np.arange(20), np.arange(20, 40)), (np.arange(10, 40), np.arange(10))]
    for table in (X, scipy.sparse.csr_array(X)):
        model = ElasticNetCV(alphas=[0.5, 0.05], l1_ratio=[0.2, 1.0], cv=folds).fit(table, y, weight)
        for m, ratio in enumerate((0.2, 1.0)):
            for a, alpha in enumerate((0.5, 0.05)):
                for f, (train, test) in enumerate(folds):
                    one = ElasticNet(alpha, l1_ratio=ratio).fit(X[train], y[train], weight[train])
                    error = np.average((y[test] - one.predict(X[test])) ** 2, weights=weight[test])
                    assert model.mse_path_[m, a, f] == pytest.approx(error, rel=1e-6)
        mean = model.mse_path_.mean(axis=2)
        best = np.unravel_index(mean.argmin(), mean.shape)
        assert (model.l1_ratio_, model.alpha_) == ([0.2, 1.0][best[0]], [0.5, 0.05][best[1]])
        whole = ElasticNet(model.alpha_, l1_ratio=model.l1_ratio_).fit(table, y, weight)
        np.testing.assert_array_equal(model.coef_, whole.coef_)


def test_folds_side_by_side_give_the_same_bits() -> None:
    X, y, _ = data(rows=90)
    one, two = LassoCV(n_jobs=1).fit(X, y), LassoCV(n_jobs=2).fit(X, y)
    assert one.mse_path_.tobytes() == two.mse_path_.tobytes()
    assert not hasattr(one, "l1_ratio_")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cv": 60}, "the rows must be enough for the folds of cv; .*n_splits=60"),
        ({"cv": 1.5}, "cv must be a number of folds from 2 up"),
        ({"cv": [(np.arange(50), np.arange(0))]}, "every fold must have rows .+ to test on"),
        ({"alphas": [-1]}, "alphas must be a whole number of at least 1 or a list"),
        ({"precompute": "yes"}, "precompute must be"),
    ],
)
def test_a_choice_refuses_in_a_sentence(settings: dict[str, Any], words: str) -> None:
    X, y, _ = data()
    with pytest.raises((ParameterError, DataError), match=f"LassoCV: {words}"):
        LassoCV(**settings).fit(X, y)


def test_what_is_not_routed_is_refused() -> None:
    X, y, _ = data()
    with pytest.raises(ParameterError, match="metadata routing is not enabled"):
        LassoCV().fit(X, y, groups=np.arange(50))
    with pytest.raises(DataError, match="one target at a time"):
        LassoCV().fit(X, np.column_stack([y, y]))


def test_groups_reach_the_splitter_with_routing() -> None:
    from sklearn import config_context
    from sklearn.model_selection import GroupKFold

    X, y, _ = data()
    groups = np.arange(50) % 5
    with config_context(enable_metadata_routing=True):
        cv = GroupKFold(5).set_split_request(groups=True)
        routed = LassoCV(cv=cv).fit(X, y, groups=groups)
    plain = LassoCV(cv=list(GroupKFold(5).split(X, y, groups))).fit(X, y)
    assert routed.mse_path_.tobytes() == plain.mse_path_.tobytes()
