"""The workings of linear models, read as a student reads them: whole sentences, known symbols, numbers worked out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from pellucid.linear_model import (
    Lasso,
    LogisticRegression,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
)
from pellucid.working import Working
from pellucid.working.expression import WorkingError

X = pd.DataFrame({"rooms": [1.0, 2, 2, 3, 4, 5], "age": [30.0, 10, 25, 5, 20, 1]})
PRICE = pd.Series([100.0, 160, 150, 220, 230, 320], name="price")
SOLD = pd.Series(["no", "no", "yes", "no", "yes", "yes"], name="sold")
KIND = pd.Series(["a", "a", "b", "c", "b", "c"], name="kind")
RNG = np.random.default_rng(7)
TABLE = RNG.normal(size=(23, 3)).round(2)
TARGET = (TABLE @ [1.0, -2.0, 0.5] + RNG.normal(size=23)).round(2)
LABELS = np.where(TARGET > 0.3, "up", "down")
WEIGHT = RNG.integers(1, 4, 23).astype(float)


def titles(w: Working) -> list[str]:
    return [step.title for step in w.steps]


@pytest.mark.parametrize("y", [SOLD, KIND])
def test_no_symbol_is_left_in_latex(y: Any) -> None:
    model = LogisticRegression(max_iter=1000).fit(X, y)
    for shown in (model.show_fit(X, y), model.show_predict(X, rows=[0]), model.show_summary(X, y)):
        assert "\\" not in str(shown)
    assert "ℓ = ∑ᵢ ℓᵢ" in str(model.show_summary(X, y))


def test_nothing_stands_twice_on_a_page() -> None:
    shown = str(LogisticRegression().fit(X, SOLD).show_fit(X, SOLD))
    assert "gⱼ = gⱼ" not in shown
    assert shown.count("is it yes?") == 1
    summary = str(LogisticRegression().fit(X, SOLD).show_summary(X, SOLD))
    assert "n₁ = ∑ᵢ tᵢ₁" in summary  # the other class has a symbol of its own
    assert "n₂ = ∑ᵢ tᵢ\n" in summary


# ------------------------------------------------------------------------------------------------------------- logistic


def test_newton_ends_at_the_coefficients() -> None:
    model = LogisticRegression(solver="newton-cholesky").fit(X, SOLD)
    w = model.show_fit(X, SOLD)
    steps = titles(w)
    assert steps.index("Start") < steps.index("Newton step 1: slopes") < steps.index("Result")
    assert "β₁ = θ₁⁽³⁾" in str(w)
    np.testing.assert_allclose(w.value("coef_1"), model.coef_[0, 0], rtol=1e-5)


def test_the_first_round_of_coordinate_descent_is_worked_out() -> None:
    """By hand: at zero the slope is the mean of (1/2 - t) x, and the curvature a quarter of the mean of x²."""
    model = LogisticRegression(penalty="l1", solver="liblinear").fit(X, SOLD)
    w = model.show_fit(X, SOLD)
    t = (SOLD == "yes").to_numpy(dtype=float)
    x = X["rooms"].to_numpy()
    slope, curvature, price = np.mean((0.5 - t) * x), np.mean(x**2) / 4, 1 / 6
    lowest = -slope / curvature
    assert w.value("round_g_1") == pytest.approx(slope)
    assert w.value("round_h_1") == pytest.approx(curvature)
    assert w.value("round_1") == pytest.approx(np.sign(lowest) * max(abs(lowest) - price / curvature, 0))


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(
    "settings",
    [
        {"solver": "coordinate-descent"},
        {"solver": "coordinate-descent", "fit_intercept": False},
        {"solver": "coordinate-descent", "C": np.inf},
        {"solver": "coordinate-descent", "l1_ratio": 1.0, "C": 0.3},
        {"solver": "coordinate-descent", "l1_ratio": 0.4},
        {"solver": "liblinear", "intercept_scaling": 2.0},
        {"solver": "liblinear", "l1_ratio": 1.0, "C": 0.2},
    ],
)
def test_rounds_of_every_penalty_meet_the_recorded_ones(settings: dict[str, Any], weight: Any) -> None:
    scaled = TABLE * [1, 10, 0.1]
    w = LogisticRegression(**settings).fit(scaled, LABELS, weight).show_fit(scaled, LABELS, weight)
    assert "round_1" in w.cells  # each is compared with the kernel's own when the page is written


def test_a_round_over_many_columns_is_told() -> None:
    wide = RNG.normal(size=(40, 6))
    y = (wide[:, 0] > 0.2).astype(int)
    w = LogisticRegression(solver="coordinate-descent").fit(wide, y).show_fit(wide, y)
    assert "First round of coordinate descent" in titles(w)


# ------------------------------------------------------------------------------------------------------------------ SGD


def test_mini_batches_by_hand() -> None:
    """Rows 1 and 2 from zeros: errors -1 and -3, mean slopes -2 and -3.5; then the third row alone."""
    rows, y = [[1.0], [2.0], [3.0]], [1.0, 3.0, 2.0]
    settings = {"learning_rate": "constant", "eta0": 0.1, "penalty": None, "shuffle": False, "tol": None}
    model = SGDRegressor(batch_size=2, max_iter=1, **settings).fit(rows, y)
    w = model.show_fit(rows, y)
    assert w.value("gradient_0")[0] == pytest.approx(-2.0)
    assert w.value("gradient_1")[0] == pytest.approx(-3.5)
    assert w.value("theta_0")[0] == pytest.approx(0.2)
    assert w.value("theta_1")[0] == pytest.approx(0.35)
    error = 0.2 + 0.35 * 3 - 2
    assert w.value("theta_1")[1] == pytest.approx(0.35 - 0.1 * error * 3)
    assert w.value("epoch_loss")[0] == pytest.approx((1 + 9 + error**2) / 2 / 3)
    assert not w.notes


@pytest.mark.parametrize("size", [4, 8, None])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (SGDRegressor, {}),
        (SGDRegressor, {"loss": "huber", "penalty": "elasticnet", "alpha": 0.1}),
        (SGDRegressor, {"fit_intercept": False, "average": True}),
        (SGDRegressor, {"loss": "epsilon_insensitive", "learning_rate": "decay"}),
        (SGDClassifier, {"loss": "log_loss", "class_weight": "balanced"}),
        (SGDClassifier, {"loss": "hinge", "penalty": "l1", "alpha": 0.05}),
        (SGDClassifier, {"loss": "modified_huber"}),
        (Perceptron, {}),
    ],
)
def test_batches_of_every_loss_meet_the_recorded_updates(kind: Any, settings: Any, weight: Any, size: Any) -> None:
    y = TARGET if kind is SGDRegressor else LABELS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind(batch_size=size, max_iter=3, tol=None, random_state=1, **settings).fit(
            TABLE, y, sample_weight=weight
        )
    w = model.show_fit(TABLE, y, weight)
    assert "theta_1" in w.cells  # parameters are compared with the kernel's own when the page is written
    assert not any("not laid out" in note for note in w.notes)


def test_batches_with_rows_held_out() -> None:
    model = SGDRegressor(batch_size=4, max_iter=3, early_stopping=True, random_state=0, tol=None).fit(TABLE, TARGET)
    assert "theta_1" in model.show_fit(TABLE, TARGET).cells


def test_a_long_run_of_batches_is_cut() -> None:
    long = RNG.normal(size=(3000, 1))
    y = long[:, 0] + RNG.normal(size=3000)
    model = SGDRegressor(batch_size=64, max_iter=5, tol=None, random_state=0).fit(long, y)
    w = model.show_fit(long, y)
    assert any(note.startswith("The updates after the first") for note in w.notes)
    assert len(w.value("visit_row")) <= 10_000


def test_accuracy_by_epoch() -> None:
    settings = {"learning_rate": "constant", "eta0": 0.01, "penalty": None, "shuffle": False, "tol": None}
    w = SGDClassifier("log_loss", max_iter=3, **settings).fit(X, SOLD).show_fit(X, SOLD)
    scores, t = w.value("score").reshape(3, 6), (SOLD == "yes").to_numpy()
    np.testing.assert_allclose(w.value("epoch_accuracy"), ((scores > 0) == t).mean(axis=1))


def test_a_perceptron_with_large_scores_is_laid_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron(max_iter=5, random_state=0).fit(X, SOLD)
    w = model.show_fit(X, SOLD)
    assert np.abs(w.value("score")).max() > 300
    assert "−1 for the others" in str(w)
    assert model.show_predict(X, rows=[0]).title == "Perceptron: predictions"


@pytest.mark.parametrize(("kind", "y"), [(SGDRegressor, PRICE), (SGDClassifier, SOLD)])
def test_predictions_bear_the_name_of_their_fit(kind: Any, y: Any) -> None:
    model = kind(max_iter=2, tol=None, eta0=1e-3, random_state=0).fit(X, y)
    assert model.show_predict(X, rows=[0]).title == "Stochastic gradient descent: predictions"
    assert model.show_fit(X, y).title == "Stochastic gradient descent: the fit"


# ---------------------------------------------------------------------------------------------------------------- ridge


@pytest.mark.parametrize("target", [0, 1])
def test_ridge_with_a_penalty_a_target(target: int) -> None:
    both = pd.DataFrame({"price": PRICE, "rent": [5.0, 8, 7, 10, 11, 15]})
    model = Ridge(alpha=[1.0, 2.0]).fit(X, both)
    w = model.show_fit(X, both, target=target)
    assert w.value("alpha") == target + 1.0
    assert w.value("coef_1") == pytest.approx(model.coef_[target, 0])


def test_ridge_whose_answer_no_fit_comes_to_is_refused() -> None:
    """An iterative solver far from the closed form: only where the same fit comes to the same numbers."""
    model = Ridge(solver="lsqr").fit(X, PRICE)
    assert "Solution" in titles(model.show_fit(X, PRICE))
    model.coef_ = model.coef_ - 10.0
    with pytest.raises(WorkingError, match="another coef_"):
        model.show_fit(X, PRICE)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ridge_that_took_its_steps_for_small_enough_says_so() -> None:
    """Columns far from zero, which a sparse table cannot be rid of: steps become small far from the answer."""
    rows = np.column_stack((RNG.uniform(150, 200, 12), RNG.uniform(30, 60, 12)))
    y = rows @ [36.0, -3.0] + RNG.normal(size=12)
    table = scipy.sparse.csr_array(rows)
    model = Ridge(solver="sag", random_state=0).fit(table, y)
    w = model.show_fit(table, y)
    assert any("for small enough" in note for note in w.notes)
    np.testing.assert_array_equal(np.ravel(w.value("coef")), model.coef_)


def test_ridge_of_classes_by_an_iterative_solver() -> None:
    model = RidgeClassifier(solver="lsqr").fit(X, SOLD)
    assert model.show_fit(X, SOLD).value("coef_1") == pytest.approx(model.coef_[0, 0], rel=1e-3)


def test_a_negative_fraction_behind_a_sign_is_in_brackets() -> None:
    summary = str(LogisticRegression().fit(X, SOLD).show_summary(X, SOLD))
    assert "− −" not in summary
    assert "R² = 1 − (−" in summary


def test_a_wide_table_of_classes_keeps_its_lines_short() -> None:
    wide = RNG.normal(size=(60, 30))
    y = RNG.integers(0, 3, 60)
    shown = str(LogisticRegression().fit(wide, y).show_fit(wide, y))
    assert "q = ∑ⱼ" in shown
    assert max(map(len, shown.splitlines())) < 250


def test_columns_that_add_nothing_are_left_out_of_a_prediction() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 40))
    y = 3 * X[:, 7] - 2 * X[:, 30] + 0.1 * random.normal(size=60)
    model = Lasso(alpha=0.5).fit(X, y)
    assert np.flatnonzero(model.coef_).tolist() == [7, 30]
    text = model.show_predict(X, rows=[4]).to_text()
    assert "38 columns with a coefficient of 0 add nothing and are left out." in text
    assert "x8" in text  # columns without names are counted from 1
    assert "x31" in text
    assert "x9" not in text
    few = Lasso(alpha=0.5).fit(X[:, :10], y)
    assert "x9" in few.show_predict(X[:, :10], rows=[4]).to_text()
