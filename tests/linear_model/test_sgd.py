"""Learning row by row: against the readable reference, and what goes beyond scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse

from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError
from pellucid.linear_model import GradientDescentRegressor, Perceptron, SGDClassifier, SGDRegressor
from pellucid.reference import stochastic_gradient as reference

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
Y = X @ [1.0, -2.0, 0.5] + 1 + 0.2 * RNG.normal(size=40)
LABELS = np.where(Y > 1, "up", "down")
WEIGHT = RNG.integers(1, 4, 40).astype(float)
PLAIN: dict[str, Any] = {"order": "given", "learning_rate": "constant", "eta0": 0.05, "max_iter": 4, "tol": None}


def near(model: Any, run: reference.Run, average: bool = False) -> None:
    coef, intercept = (run.average_coef, run.average_intercept) if average else (run.coef, run.intercept)
    np.testing.assert_allclose(np.ravel(model.coef_), coef, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, [intercept], rtol=0, atol=1e-12)


# ------------------------------------------------------------------------------------------------------------ reference


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("penalty", [None, "l2", "l1", "elasticnet"])
@pytest.mark.parametrize("loss", [
    "squared_error", "absolute_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"
])  # fmt: skip
def test_regression_is_the_references(loss: str, penalty: Any, batch_size: int) -> None:
    model = SGDRegressor(loss, penalty=penalty, alpha=0.1, batch_size=batch_size, **PLAIN)
    model.fit(X, Y, sample_weight=WEIGHT)
    l1, l2 = {None: (0.0, 0.0), "l2": (0.0, 0.1), "l1": (0.1, 0.0)}.get(penalty, (0.015, 0.085))
    run = reference.walk(
        X, Y, reference.losses()[loss], lambda t: 0.05, l1=l1, l2=l2, batch_size=batch_size, max_iter=4, weight=WEIGHT
    )
    near(model, run)


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("loss", [
    "hinge", "squared_hinge", "log_loss", "modified_huber", "perceptron", "squared_sigmoid", "huber", "absolute_error"
])  # fmt: skip
def test_classification_is_the_references(loss: str, batch_size: int) -> None:
    model = SGDClassifier(loss, alpha=0.1, batch_size=batch_size, average=True, **PLAIN).fit(X, LABELS)
    low = 0.0 if loss in ("log_loss", "squared_sigmoid") else -1.0
    targets = reference.one_against_the_rest(LABELS.tolist(), "up", low)
    run = reference.walk(
        X, targets, reference.losses()[loss], lambda t: 0.05, l2=0.1, batch_size=batch_size, max_iter=4
    )
    near(model, run, average=True)


@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
def test_averages_know_what_l1_drew(penalty: Any) -> None:
    model = SGDRegressor(penalty=penalty, l1_ratio=0.5, alpha=0.4, average=True, **PLAIN).fit(X, Y)
    l1, l2 = (0.4, 0.0) if penalty == "l1" else (0.2, 0.2)
    near(
        model, reference.walk(X, Y, reference.losses()["squared_error"], lambda t: 0.05, l1=l1, l2=l2, max_iter=4), True
    )


@pytest.mark.parametrize("kind", ["dense", "strided", "F", "float32", "csr", "csr of 64-bit indices"])
def test_every_layout_gives_the_same_walk(kind: str) -> None:
    table = np.round(X * 8) / 8
    spread = np.zeros((40, 6))
    spread[:, ::2] = table
    csr = scipy.sparse.csr_matrix(table)
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    given = {
        "dense": table,
        "strided": spread[:, ::2],
        "F": np.asfortranarray(table),
        "float32": table.astype(np.float32),
        "csr": csr,
        "csr of 64-bit indices": wide,
    }[kind]
    a, b = SGDRegressor(random_state=3).fit(given, Y), SGDRegressor(random_state=3).fit(table, Y)
    assert a.n_iter_ == b.n_iter_
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-6 if kind == "float32" else 1e-11)


def test_shuffled_rows_are_those_of_the_reference() -> None:
    seed = np.random.RandomState(42).randint(np.iinfo(np.int32).max)
    run = reference.walk(
        X, Y, reference.losses()["squared_error"], lambda t: 0.05, order=reference.shuffled(40, seed), max_iter=4
    )
    settings: dict[str, Any] = {**PLAIN, "order": None}
    model = SGDRegressor(penalty=None, random_state=42, **settings)
    tables = model.fit_with_history(X, Y)
    near(model, run)
    visited = tables["order"][1][:, 1].astype(int).tolist()
    assert visited == [row for update in run.updates for row in update.rows]


def test_the_recorded_updates_are_those_of_the_reference() -> None:
    loss = reference.losses()["log_loss"]
    targets = reference.one_against_the_rest(LABELS.tolist(), "up", 0.0)
    run = reference.walk(X, targets, loss, lambda t: 5 / (t - 1 + 50), l2=1e-4, max_iter=3)
    settings: dict[str, Any] = {**PLAIN, "learning_rate": "decay", "max_iter": 3}
    columns, rows = SGDClassifier("log_loss", **settings).fit_with_history(X, LABELS)["steps"]
    assert len(rows) == len(run.updates)
    for name in ("rate", "score", "loss", "slope"):
        wanted = [getattr(update, name) for update in run.updates]
        np.testing.assert_allclose(rows[:, columns.index(name)], wanted, rtol=0, atol=1e-11)
    theta = np.array([[update.intercept, *update.coef] for update in run.updates])
    np.testing.assert_allclose(rows[:, columns.index("theta_0") :], theta, rtol=0, atol=1e-11)


def test_bottous_rate() -> None:
    loss = reference.losses()["hinge"]
    rate = reference.optimal_rate(0.1, loss)
    run = reference.walk(X, reference.one_against_the_rest(LABELS.tolist(), "up"), loss, rate, l2=0.1, max_iter=2)
    near(SGDClassifier(alpha=0.1, **{**PLAIN, "learning_rate": "optimal", "max_iter": 2}).fit(X, LABELS), run)


# -------------------------------------------------------------------------------------------------------- what is ours


def test_all_rows_at_once_is_batch_gradient_descent() -> None:
    batch = GradientDescentRegressor(eta0=0.1, max_iter=25, tol=None, gradient_tol=None).fit(X, Y)
    settings: dict[str, Any] = {**PLAIN, "eta0": 0.1, "max_iter": 25}
    model = SGDRegressor(penalty=None, batch_size=None, **settings).fit(X, Y)
    np.testing.assert_allclose(model.coef_, batch.coef_, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], batch.intercept_, rtol=1e-12)


@pytest.mark.parametrize("batch_size", [600, 1500, None])
def test_large_batches_are_the_references_on_any_number_of_threads(batch_size: int | None) -> None:
    big = RNG.normal(size=(2000, 3))
    y = big @ [1.0, -2.0, 0.5]
    loss = reference.losses()["squared_error"]
    run = reference.walk(big, y, loss, lambda t: 0.05, l2=1e-4, batch_size=batch_size or 2000, max_iter=4)
    one, two = (SGDRegressor(batch_size=batch_size, n_jobs=n, **PLAIN).fit(big, y) for n in (1, 2))
    near(one, run)
    assert one.coef_.tobytes() == two.coef_.tobytes()


def test_pegasos_can_be_written() -> None:
    """``w <- (1 - 1/t) w + [y f < 1] y x / (lambda t)`` by a decaying rate and an l2 penalty."""
    lam, w = 0.45, np.zeros(3)
    y = np.where(LABELS == "up", 1.0, -1.0)
    for t in range(1, 81):
        i = (t - 1) % 40
        inside = y[i] * (X[i] @ w) < 1
        w = (1 - 1 / t) * w + inside * y[i] * X[i] / (lam * t)
    model = SGDClassifier(
        alpha=lam, fit_intercept=False, learning_rate="decay", t0=1 / lam, t1=1.0, order="given", max_iter=2, tol=None
    ).fit(X, LABELS)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-11)


def test_the_best_epoch_is_taken_back() -> None:
    settings: dict[str, Any] = {
        "early_stopping": True,
        "random_state": 0,
        "learning_rate": "constant",
        "eta0": 0.3,
        "tol": 1e-4,
    }
    last = SGDRegressor(**settings).fit(X, Y)
    best = SGDRegressor(restore_best=True, **settings).fit(X, Y)
    assert best.n_iter_ == last.n_iter_
    assert best.best_iter_ == last.best_iter_ < last.n_iter_
    again = SGDRegressor(**{**settings, "max_iter": best.best_iter_, "n_iter_no_change": 10**6, "tol": None})
    np.testing.assert_array_equal(best.coef_, again.fit(X, Y).coef_)


def test_the_score_of_held_out_rows_is_that_of_the_model() -> None:
    """With l2 and log loss too."""
    from sklearn.model_selection import StratifiedShuffleSplit

    model = SGDClassifier("log_loss", alpha=0.01, early_stopping=True, random_state=0, validation_fraction=0.4)
    columns, epochs = model.fit_with_history(X, LABELS)["epochs"]
    split = StratifiedShuffleSplit(test_size=0.4, random_state=0)
    _, held_out = next(split.split(X, LABELS))
    assert epochs[-1, columns.index("validation_score")] == model.score(X[held_out], LABELS[held_out])


def test_a_tie_says_what_the_step_function_says() -> None:
    table, y = [[1.0], [-1.0]], ["a", "b"]
    first = Perceptron(at_zero="first", order="given", max_iter=1, tol=None).fit(table, y)
    second = Perceptron(at_zero="second", order="given", max_iter=1, tol=None).fit(table, y)
    assert first.coef_.tolist() == [[-1.0]]  # row 0 is right at zero, row 1 is not: w = 0 + (-1)
    assert second.coef_.tolist() == [[-1.0]]  # row 0 is wrong at zero: w = -1; then row 1 has score 1 - 1 = 0, right
    assert first.intercept_.tolist() == [1.0]
    assert second.intercept_.tolist() == [-1.0]
    assert second.predict([[-1.0]]).tolist() == ["b"]


def test_a_list_of_rows_is_gone_through_in_turn() -> None:
    rows = [3, 1, 2, 0, 5]
    columns, steps = SGDRegressor(**{**PLAIN, "order": rows, "max_iter": 1}).fit_with_history(X[:8], Y[:8])["steps"]
    assert steps[:, columns.index("row")].astype(int).tolist() == [3, 1, 2, 0, 5, 3, 1, 2]


# --------------------------------------------------------------------------------------------------------------- parts


def test_a_stream_of_parts_is_partial_fit() -> None:
    parts = [(X[i : i + 10], LABELS[i : i + 10], WEIGHT[i : i + 10]) for i in range(0, 40, 10)]
    model = SGDClassifier("log_loss", random_state=0)
    for number, (table, y, weight) in enumerate(parts * 2):
        model.partial_fit(table, y, classes=["down", "up"] if number == 0 else None, sample_weight=weight)
    found = SGDClassifier("log_loss", random_state=0).fit_stream(parts, passes=2)
    np.testing.assert_array_equal(found.coef_, model.coef_)
    assert found.t_ == model.t_ == 81
    assert found.n_iter_ == 2
    once = SGDClassifier("log_loss", random_state=0).fit_stream(iter(parts), classes=["down", "up"])
    assert once.t_ == 41


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_files_are_read_part_by_part(ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({**{f"x{j}": X[:, j] for j in range(3)}, "kind": LABELS, "times": WEIGHT})
    files = []
    for number in range(2):
        files.append(tmp_path / f"{number}.{ending}")
        write = {"parquet": "write_parquet", "csv": "write_csv", "arrow": "write_ipc"}[ending]
        getattr(frame[20 * number : 20 * number + 20], write)(files[-1])
    model = SGDClassifier("log_loss", random_state=0)
    model.fit_stream(files, target="kind", weight="times", rows=20)
    wanted = SGDClassifier("log_loss", random_state=0)
    for start in (0, 20):
        part = slice(start, start + 20)
        wanted.partial_fit(X[part], LABELS[part], classes=["down", "up"], sample_weight=WEIGHT[part])
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-13)
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2"]
    assert model.classes_.tolist() == ["down", "up"]


def test_a_stream_that_fails_leaves_the_model_as_it_was() -> None:
    model = SGDRegressor(random_state=0).fit(X, Y)
    before = model.coef_.copy()

    def broken() -> Any:
        yield X[:10], Y[:10]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        model.fit_stream(broken())
    np.testing.assert_array_equal(model.coef_, before)


# ------------------------------------------------------------------------------------------------------------ refusals


def test_a_rate_that_is_too_high_is_named_and_another_suggested() -> None:
    big = 100 * X
    with pytest.raises(DataError, match=r"eta0=0.01.*\nhint: lower the rate \(\S+ is always stable") as caught:
        SGDRegressor(learning_rate="constant").fit(big, Y)
    stable = float(str(caught.value).split("(")[1].split()[0])
    assert SGDRegressor(learning_rate="constant", eta0=stable, max_iter=3, tol=None).fit(big, Y).coef_.size == 3


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SGDClassifier(alpha=0.0), "alpha must be > 0 since learning_rate is 'optimal'"),
        (SGDClassifier("log_loss", learning_rate="pa1"), "only works with loss 'hinge'"),
        (SGDRegressor(learning_rate="pa2"), "only works with loss 'epsilon_insensitive'"),
        (SGDClassifier(learning_rate="pa1", batch_size=2), "batch_size must be 1"),
        (SGDClassifier(penalty="elasticnet", l1_ratio=None), "l1_ratio must be set"),
        (SGDClassifier(order=[0, 99]), "row numbers from 0 to 39; got row 99"),
        (SGDClassifier(order="sorted"), "order must be"),
        (SGDClassifier(class_weight={"left": 2.0}), "labels of y as keys"),
        (SGDClassifier(tol="small"), "tol must be"),
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_refused(model: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        model.fit(X, LABELS if isinstance(model, SGDClassifier) else Y)


def test_starts_of_another_size_are_refused() -> None:
    with pytest.raises(
        DataError, match=r"coef_init does not match dataset: its shape must be \(1, 3\); got shape \(2,\)"
    ):
        SGDRegressor().fit(X, Y, coef_init=[1.0, 2.0])
    with pytest.raises(DataError, match="intercept_init must be finite"):
        SGDRegressor().fit(X, Y, intercept_init=[np.nan])


def test_parts_are_refused_in_one_sentence() -> None:
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        SGDClassifier().partial_fit(X, LABELS)
    with pytest.raises(DataError, match="y holds 'sideways'"):
        SGDClassifier().partial_fit(X[:2], ["up", "sideways"], classes=["up", "down"])
    with pytest.raises(ParameterError, match="'balanced' is not supported for partial_fit"):
        SGDClassifier(class_weight="balanced").partial_fit(X, LABELS, classes=["up", "down"])
    with pytest.raises(ParameterError, match="early_stopping should be False"):
        SGDRegressor(early_stopping=True).partial_fit(X, Y)
    with pytest.raises(DataError, match="classes must be passed with parts that can be gone through once"):
        SGDClassifier().fit_stream(iter([(X, LABELS)]))
    with pytest.raises(DataError, match="at least one part"):
        SGDRegressor().fit_stream([])
    with pytest.raises(ParameterError, match="name of the target column"):
        SGDRegressor().fit_stream("rows.parquet")
    with pytest.raises(DataError, match="several passes need parts"):
        SGDRegressor().fit_stream(iter([(X, Y)]), passes=2)


def test_one_class_is_refused() -> None:
    with pytest.raises(DataError, match="number of classes has to be greater than one; got 1 class, 'up', in all rows"):
        SGDClassifier().fit(X, ["up"] * 40)


def test_probabilities_are_there_for_their_losses_alone() -> None:
    assert not hasattr(SGDClassifier("hinge"), "predict_proba")
    assert not hasattr(Perceptron(), "predict_proba")
    for loss in ("log_loss", "modified_huber", "squared_sigmoid"):
        p = SGDClassifier(loss, random_state=0).fit(X, LABELS).predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-14)


def test_a_tolerance_that_is_not_reached_is_said() -> None:
    with pytest.warns(ConvergenceWarning, match="tol was not reached after 2 epochs"):
        SGDRegressor(max_iter=2, random_state=0).fit(X, Y)


@pytest.mark.parametrize("tol", [None, -np.inf])
def test_no_tolerance_asks_for_every_epoch(tol: Any) -> None:
    assert SGDRegressor(max_iter=7, tol=tol, random_state=0).fit(X, Y).n_iter_ == 7


def test_a_warm_start_goes_on() -> None:
    """Of one epoch a fit, as when each epoch is looked at: the rate starts anew, the coefficients go on."""
    settings: dict[str, Any] = {"learning_rate": "constant", "eta0": 0.0005, "order": "given"}
    model = SGDRegressor(max_iter=1, tol=-np.inf, warm_start=True, penalty=None, **settings)
    for _ in range(3):
        model.fit(X, Y)
    run = reference.walk(X, Y, reference.losses()["squared_error"], lambda t: 0.0005, max_iter=3)
    near(model, run)
