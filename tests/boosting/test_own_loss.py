"""A loss of the user's own, and the score before the first tree."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score

from pellucid.base.errors import ParameterError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    CatBoostClassifier,
    CatBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
    check_loss,
)

Floats = NDArray[np.float64]
REGRESSORS: list[Any] = [BoostedTreesRegressor, CatBoostRegressor, LightGBMRegressor, XGBoostRegressor]
CLASSIFIERS: list[Any] = [BoostedTreesClassifier, CatBoostClassifier, LightGBMClassifier, XGBoostClassifier]
FACES = [*REGRESSORS, *CLASSIFIERS]
TOLD: dict[str, Any] = {"n_estimators": 12, "random_state": 0}


def table(seed: int = 0, n: int = 400) -> tuple[Floats, Floats, Floats]:
    """Columns, a target, and weights of which some are zero."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = 2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    return X, y, rng.integers(0, 4, size=n).astype(float)


def squares(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Of (y - f)² / 2."""
    return scores - y, np.ones_like(scores)


class Squares:
    """The same, with its value."""

    def __call__(self, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        return squares(y, scores)

    def value(self, y: Floats, scores: Floats) -> Floats:
        """Half the square."""
        return np.asarray((y - scores) ** 2 / 2)


def counts(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Of e^f - y f, with the longer curvature that keeps steps short."""
    return np.exp(scores) - y, np.exp(scores + 0.7)


class Odds:
    """Of log(1 + e^f) - y f."""

    def __call__(self, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        p = 1 / (1 + np.exp(-scores))
        return p - y, p * (1 - p)

    def value(self, y: Floats, scores: Floats) -> Floats:
        """In the form that does not overflow."""
        return np.asarray(np.logaddexp(0, scores) - y * scores)


class Softmax:
    """Of log sum_k e^f_k - f_y; the curvature times a factor."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor

    def __call__(self, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p - np.eye(scores.shape[1])[y.astype(int)], self.factor * p * (1 - p)

    def value(self, y: Floats, scores: Floats) -> Floats:
        """Minus the logarithm of the probability of the class."""
        own = scores[np.arange(len(y)), y.astype(int)]
        return np.asarray(np.logaddexp.reduce(scores, axis=1) - own)


def assert_same_trees(one: Any, two: Any, atol: float = 1e-6) -> None:
    """The same columns and thresholds, and answers that are near."""
    assert len(one._forest_) == len(two._forest_) > 0
    asked = 0
    for t in range(len(one._forest_)):
        a, b = one._forest_.tree(t), two._forest_.tree(t)
        assert_array_equal(a.feature, b.feature)
        assert_array_equal(a.threshold, b.threshold)
        asked += int((a.feature >= 0).sum())
    assert asked > len(one._forest_)
    assert_allclose(one._forest_.leaf_value, two._forest_.leaf_value, rtol=0, atol=atol)
    assert_allclose(one.base_score_, two.base_score_, rtol=0, atol=1e-12)


# ------------------------------------------------------------------------------------------ equal to losses with names


@pytest.mark.parametrize("face", REGRESSORS)
@pytest.mark.parametrize("weighted", [False, True])
def test_squares_of_ones_own_are_the_squared_error(face: Any, weighted: bool) -> None:
    X, y, w = table()
    weight = w if weighted else None
    named = face(**TOLD).fit(X, y, weight)
    own = face(**TOLD, loss=squares, base_score=float(named.base_score_[0])).fit(X, y, weight)
    assert_same_trees(named, own)
    assert_allclose(named.predict(X), own.predict(X), atol=1e-6)


@pytest.mark.parametrize("face", REGRESSORS)
def test_counts_of_ones_own_are_poissons(face: Any) -> None:
    X, y, w = table()
    y = np.floor(np.exp(np.clip(y / 2, -3, 3)))
    named = face(**TOLD, loss="poisson").fit(X, y, w)
    own = face(**TOLD, loss=counts, base_score=float(named.base_score_[0])).fit(X, y, w)
    assert_same_trees(named, own)
    assert_allclose(np.log(named.predict(X)), own.predict(X), atol=1e-6)  # the scores as they are


@pytest.mark.parametrize("face", CLASSIFIERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_odds_of_ones_own_are_the_logistic_loss(face: Any, weighted: bool) -> None:
    X, y, w = table()
    label, weight = np.where(y > 0.5, "yes", "no"), w if weighted else None
    told: dict[str, Any] = TOLD | {"class_weight": {"yes": 2.0}}
    named = face(**told).fit(X, label, weight)
    own = face(**told, loss=Odds(), base_score=float(named.base_score_[0])).fit(X, label, weight)
    assert_same_trees(named, own)
    assert_allclose(named.predict_proba(X), own.predict_proba(X), atol=1e-6)
    assert_array_equal(named.predict(X), own.predict(X))


@pytest.mark.parametrize(("face", "factor"), [*zip(CLASSIFIERS, (1.0, 1.0, 1.5, 2.0), strict=True)])
def test_softmax_of_ones_own_is_that_of_three_classes(face: Any, factor: float) -> None:
    """LightGBM multiplies the curvature by K / (K - 1), XGBoost by 2."""
    X, y, _ = table()
    label = np.array(["a", "b", "c"])[np.searchsorted(np.quantile(y, [0.2, 0.6]), y)]
    named = face(**TOLD).fit(X, label)
    own = face(**TOLD, loss=Softmax(factor), base_score=named.base_score_.tolist()).fit(X, label)
    assert_same_trees(named, own)
    assert_allclose(named.predict_proba(X), own.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    "told",
    [
        {"sampling": "goss"},
        {"sampling": "mvs", "subsample": 0.5},
        {"growth": "oblivious"},
        {"monotonic_cst": [1, 0, 0, 0]},
        {"subsample": 0.5},
        {"max_features": 0.5},
    ],
)
def test_whatever_grows_grows_on_own_slopes(told: dict[str, Any]) -> None:
    X, y, _ = table()
    label = y > 0
    named = LightGBMClassifier(**TOLD, **told, learning_rate=0.5).fit(X, label)
    own = LightGBMClassifier(**TOLD, **told, learning_rate=0.5, loss=Odds(), base_score=named.base_score_).fit(X, label)
    assert_same_trees(named, own)


def test_another_loss_gives_another_model() -> None:
    """Errors above count nine times those below. On one leaf the pulls of the two sides are equal at the end."""
    y = table()[1]

    def lopsided(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        factor = np.where(scores > y, 9.0, 1.0)
        return factor * (scores - y), factor

    f = LightGBMRegressor(30, learning_rate=1.0, loss=lopsided).fit(np.zeros((len(y), 1)), y).predict([[0.0]])[0]
    assert 9 * (f - y[y < f]).sum() == pytest.approx((y[y > f] - f).sum(), rel=1e-6)
    assert f < y.mean() - 0.5


# ------------------------------------------------------------------------------------------------------------ parity


def few_values(seed: int = 0) -> tuple[Floats, Floats]:
    """Columns of forty values, which have the same bins everywhere."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, size=(1500, 4)).astype(float)
    return X, np.sin(X[:, 0] / 6) + X[:, 1] * X[:, 2] / 400 + 0.5 * rng.normal(size=1500)


def smooth_sizes(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Of sqrt(1 + r²), a smooth absolute error."""
    r = scores - y
    return r / np.sqrt(1 + r * r), (1 + r * r) ** -1.5


def test_lightgbm_with_the_same_function_has_the_same_trees() -> None:
    """It guesses the rows of a leaf from curvatures that differ: squares, whose curvatures do not, and no limit."""
    X, y = few_values()
    peer: dict[str, Any] = {"verbose": -1, "n_jobs": 1, "min_data_in_bin": 1}
    own: Any = squares
    theirs = lightgbm.LGBMRegressor(n_estimators=10, objective=own, **peer).fit(X, y).predict(X)
    assert_allclose(LightGBMRegressor(10, loss=squares, random_state=0).fit(X, y).predict(X), theirs, atol=2e-6)
    own = smooth_sizes
    theirs = lightgbm.LGBMRegressor(n_estimators=3, objective=own, min_child_samples=1, num_leaves=8, **peer)
    mine = LightGBMRegressor(3, loss=smooth_sizes, min_samples_leaf=1, max_leaf_nodes=8, random_state=0).fit(X, y)
    assert_allclose(mine.predict(X), theirs.fit(X, y).predict(X), atol=2e-6)


def test_xgboost_with_the_same_function_has_the_same_trees() -> None:
    """It keeps scores and slopes in single precision."""
    X, y = few_values()
    for loss in (squares, smooth_sizes):
        theirs = xgboost.XGBRegressor(n_estimators=5, objective=loss, base_score=0.25, n_jobs=1).fit(X, y).predict(X)
        mine = XGBoostRegressor(5, loss=loss, base_score=0.25, random_state=0).fit(X, y)
        assert_allclose(mine.predict(X), theirs, rtol=2e-6, atol=2e-6)


def odds_with_weights(y: Floats, scores: Floats, sample_weight: Any = None) -> tuple[Floats, Floats]:
    """As both take them."""
    g, h = Odds()(y, scores)
    return sample_weight * g, sample_weight * h


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_xgboosts_classes_with_the_same_function(seed: int) -> None:
    """Weights, as without them many cuts of two classes gain the same. Its base_score is a probability even here."""
    X, y = few_values(seed)
    w = np.random.default_rng(seed + 9).uniform(0.3, 3, len(y))
    peer = xgboost.XGBClassifier(n_estimators=5, objective=odds_with_weights, base_score=0.5, n_jobs=1)
    mine = XGBoostClassifier.from_params(xgboost={"objective": odds_with_weights, "base_score": 0.5, "n_estimators": 5})
    theirs = peer.fit(X, y > 1, sample_weight=w).predict(X, output_margin=True)
    assert_allclose(mine.fit(X, y > 1, w).decision_function(X), theirs, atol=2e-6)


@pytest.mark.parametrize("face", FACES)
def test_a_peers_function_is_taken_over(face: Any) -> None:
    made = face.from_params(lightgbm={"objective": squares})
    assert made.loss is squares


# ------------------------------------------------------------------------------------------------------------ weights


@pytest.mark.parametrize("face", REGRESSORS)
def test_a_function_that_takes_weights_is_given_them(face: Any) -> None:
    X, y, w = table()
    seen: list[Floats] = []

    def by_name(y: Floats, scores: Floats, sample_weight: Any = None) -> tuple[Floats, Floats]:
        seen.append(sample_weight)
        return sample_weight * (scores - y), sample_weight * np.ones_like(scores)

    def by_place(y: Floats, scores: Floats, w: Floats, /) -> tuple[Floats, Floats]:
        return by_name(y, scores, w)

    plain = face(**TOLD, loss=squares).fit(X, y, w)
    for function in (by_name, by_place):
        assert_same_trees(plain, face(**TOLD, loss=function).fit(X, y, w))
    assert_array_equal(seen[0], w[w > 0])
    assert_same_trees(face(**TOLD, loss=squares).fit(X, y), face(**TOLD, loss=by_name).fit(X, y))
    assert_array_equal(seen[-1], np.ones(len(y)))


@pytest.mark.parametrize("size", [2.0**60, 2.0**200, 2.0**-60])
def test_a_function_that_takes_weights_is_given_them_in_their_unit(size: float) -> None:
    """However large: trees are grown on slopes that are divided."""
    X, y, w = table()
    seen: list[Floats] = []

    def weighted(y: Floats, scores: Floats, sample_weight: Floats) -> tuple[Floats, Floats]:
        seen.append(sample_weight)
        return sample_weight * (scores - y), sample_weight * np.ones_like(scores)

    told: dict[str, Any] = TOLD | {"min_child_weight": 0.0}
    plain = LightGBMRegressor(**told, loss=squares).fit(X, y, w)
    for loss in (squares, weighted):
        assert_same_trees(plain, LightGBMRegressor(**told, loss=loss).fit(X, y, w * size))
    assert_array_equal(seen[0], (w * size)[w > 0])


def test_a_setting_with_a_default_is_no_weight() -> None:
    X, y, w = table()

    def scaled(y: Floats, scores: Floats, size: float = 1.0) -> tuple[Floats, Floats]:
        assert isinstance(size, float)
        return scores - y, size * np.ones_like(scores)

    plain = LightGBMRegressor(**TOLD, loss=squares).fit(X, y, w)
    assert_same_trees(plain, LightGBMRegressor(**TOLD, loss=scaled).fit(X, y, w))
    assert_same_trees(plain, LightGBMRegressor(**TOLD, loss=partial(scaled, size=1.0)).fit(X, y, w))


def test_rows_held_out_or_of_no_weight_are_not_shown() -> None:
    X, y, w = table()
    seen: list[int] = []

    def counted(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        seen.append(len(y))
        return squares(y, scores)

    told: dict[str, Any] = TOLD | {"early_stopping": True, "scoring": "r2", "validation_fraction": 0.25}
    LightGBMRegressor(**told, loss=counted).fit(X, y, w)
    assert set(seen) == {int((w > 0).sum()) - round(0.25 * int((w > 0).sum()))}


def test_a_function_cannot_spoil_what_it_is_given() -> None:
    X, y, _ = table()
    kept = y.copy()

    def in_place(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        scores -= y
        return scores, np.ones_like(scores)

    assert_same_trees(
        LightGBMRegressor(**TOLD, loss=squares).fit(X, y), LightGBMRegressor(**TOLD, loss=in_place).fit(X, y)
    )
    assert_array_equal(y, kept)


# --------------------------------------------------------------------------------- rows held out, going on, copies


def test_a_loss_with_a_value_stops_like_the_one_with_a_name() -> None:
    X, y, w = table()
    told: dict[str, Any] = {"n_estimators": 300, "learning_rate": 0.3, "early_stopping": True, "random_state": 0}
    named = LightGBMRegressor(**told).fit(X, y, w)
    own = LightGBMRegressor(**told, loss=Squares(), base_score=float(named.base_score_[0])).fit(X, y, w)
    assert 1 < own.n_estimators_ == named.n_estimators_ < 300
    assert_allclose(own.validation_scores_, named.validation_scores_, rtol=1e-6)
    assert_allclose(own.train_losses_, named.train_losses_, rtol=1e-6)


def test_rows_of_another_table_are_judged_by_the_value() -> None:
    X, y, _ = table()
    label = np.where(y > 0, "b", "a")
    told: dict[str, Any] = TOLD | {"early_stopping": "auto"}
    named = XGBoostClassifier(**told).fit(X, label, X_val=X[:50], y_val=label[:50])
    own = XGBoostClassifier(**told, loss=Odds(), base_score=named.base_score_).fit(
        X, label, X_val=X[:50], y_val=label[:50]
    )
    assert_allclose(own.validation_scores_, named.validation_scores_, rtol=1e-6)


def test_without_a_value_a_metric_judges() -> None:
    X, y, _ = table()
    told: dict[str, Any] = TOLD | {"early_stopping": True}
    with pytest.raises(ParameterError, match="scoring must name a metric for rows held out"):
        LightGBMRegressor(**told, loss=squares).fit(X, y)
    with pytest.raises(ParameterError, match="scoring must name a metric for rows held out"):
        LightGBMRegressor(**TOLD, loss=squares).fit(X, y, X_val=X, y_val=y)
    model = LightGBMRegressor(**told, loss=squares, scoring="neg_mean_absolute_error").fit(X, y)
    assert len(model.validation_scores_) == 12
    assert not hasattr(model, "train_losses_")


def test_lines_are_printed_with_and_without_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    X, y, _ = table()
    LightGBMRegressor(2, loss=squares, verbose=1).fit(X, y)
    LightGBMRegressor(2, loss=Squares(), verbose=1).fit(X, y)
    first, _, third, _ = capsys.readouterr().out.splitlines()
    assert first.startswith("LightGBMRegressor: round 1 of 2, ")
    assert "loss" not in first
    assert ", loss " in third


@pytest.mark.parametrize("face", FACES)
def test_a_fit_that_goes_on_is_the_one_in_one_go(face: Any) -> None:
    X, y, _ = table()
    told: dict[str, Any] = {"random_state": 0, "learning_rate": 0.2}
    goal, loss = (y > 0, Odds()) if is_classifier(face()) else (y, Squares())
    model = face(5, **told, loss=loss, base_score=0.3, warm_start=True).fit(X, goal)
    whole = face(12, **told, loss=loss, base_score=0.3).fit(X, goal)
    assert_same_trees(whole, model.set_params(n_estimators=12, base_score=7.0).fit(X, goal))


@pytest.mark.parametrize("face", FACES)
def test_copies_and_files_keep_the_function(face: Any) -> None:
    X, y, _ = table()
    goal, loss = (y > 0, Odds()) if is_classifier(face()) else (y, squares)
    model = face(**TOLD, loss=loss)
    assert type(clone(model).loss) is type(loss)
    fitted = pickle.loads(pickle.dumps(model.fit(X, goal)))
    assert_array_equal(fitted.predict(X), model.predict(X))
    assert_array_equal(clone(model).fit(X, goal).predict(X), model.predict(X))
    assert len(cross_val_score(model, X, goal, cv=3)) == 3


@pytest.mark.parametrize("face", REGRESSORS)
def test_threads_change_no_bit(face: Any) -> None:
    X, y, w = table()
    one, three = (face(**TOLD, loss=smooth_sizes, n_jobs=n).fit(X, y, w) for n in (1, 3))
    assert_array_equal(one.predict(X), three.predict(X))


# -------------------------------------------------------------------------------------------------------- bad functions


def answers_of(value: Any) -> Any:
    """A function that returns something whatever it is asked."""
    return lambda y, scores: value


ONES = np.ones(400)
BAD: list[tuple[Any, str]] = [
    (answers_of(None), "must return a pair .*returned None"),
    (answers_of(ONES), "must return a pair .*returned an array"),
    (answers_of((ONES,)), "must return a pair .*returned a tuple of 1"),
    (answers_of((ONES, ONES, ONES)), "must return a pair .*returned a tuple of 3"),
    (answers_of((ONES, 1.0)), r"curvature of loss must hold numbers .*got shape \(\) for \(400,\)"),
    (answers_of((ONES[:3], ONES)), r"gradient of loss must hold numbers .*got shape \(3,\) for \(400,\)"),
    (answers_of((ONES[:, None], ONES)), r"got shape \(400, 1\) for \(400,\)"),
    (answers_of((np.full(400, "a"), ONES)), "gradient of loss must hold numbers .*got <U1"),
    (answers_of((ONES * 1j, ONES)), "gradient of loss must hold numbers .*got complex128"),
    (answers_of(([[1], [1, 2]], ONES)), "rows of different lengths"),
    (answers_of((np.where(np.arange(400) == 7, np.nan, 1), ONES)), r"gradient .*finite; got nan in row 7 \(round 1\)"),
    (answers_of((ONES, np.where(np.arange(400) == 9, np.inf, 1))), "curvature .*finite; got inf in row 9"),
    (answers_of((ONES, np.where(np.arange(400) == 5, -2.5, 1))), "not be below zero; got -2.5 in row 5"),
    (answers_of((ONES, 0 * ONES)), "curvature of loss must be above zero in some row; all of it is zero"),
    (answers_of((1e37 * ONES, ONES)), r"at most 1e\+36 in size, with its weight; got 1e\+37 in row 0"),
    (lambda y: y, "raised TypeError"),
    (lambda y, scores: 1 / 0, r"raised ZeroDivisionError: division by zero \(round 1\)"),
    (Squares, "must answer without an error; Squares raised TypeError"),
]  # fmt: skip


@pytest.mark.parametrize(("loss", "said"), BAD)
def test_a_bad_function_is_named_with_what_it_did(loss: Any, said: str) -> None:
    X, y, _ = table()
    with pytest.raises(ParameterError, match=said) as refused:
        LightGBMRegressor(3, loss=loss).fit(X, y)
    assert str(refused.value).startswith("LightGBMRegressor: ")


def test_a_later_round_and_the_row_of_the_table_are_named() -> None:
    """Row 3 is held by nothing: rows 0 to 2 have no weight."""
    X, y, _ = table()
    done: list[int] = []

    def fails(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        done.append(1)
        g, h = squares(y, scores)
        g[0] = np.nan if len(done) == 3 else g[0]
        return g, h

    with pytest.raises(ParameterError, match=r"got nan in row 3 \(round 3\)"):
        LightGBMRegressor(5, loss=fails).fit(X, y, np.where(np.arange(400) < 3, 0.0, 1.0))


def test_an_output_is_named_too() -> None:
    X, y, _ = table()
    label = np.searchsorted(np.quantile(y, [0.3, 0.7]), y)

    def fails(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        g = np.zeros_like(scores)
        g[4, 2] = np.nan
        return g, np.ones_like(scores)

    with pytest.raises(ParameterError, match="got nan in row 4, output 2"):
        LightGBMClassifier(5, loss=fails).fit(X, label)


def test_a_value_that_is_none_is_refused() -> None:
    X, y, _ = table()

    class Bad(Squares):
        def value(self, y: Floats, scores: Floats) -> Any:
            return np.mean((y - scores) ** 2)

    with pytest.raises(ParameterError, match=r"value of loss must hold a number a row; got shape \(\)"):
        LightGBMRegressor(5, loss=Bad(), early_stopping=True).fit(X, y)


@pytest.mark.parametrize("face", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_the_textbooks_trees_take_no_function(face: Any) -> None:
    X, y, _ = table()
    goal = y > 0 if is_classifier(face()) else y
    with pytest.raises(ParameterError, match=r"loss must be a word in .*; got a function"):
        face(3, loss=squares).fit(X, goal)


@pytest.mark.parametrize(("face", "goal"), [(CatBoostRegressor, 0), (CatBoostClassifier, 1)])
def test_ordered_boosting_takes_no_function(face: Any, goal: int) -> None:
    X, y, _ = table()
    with pytest.raises(ParameterError, match="boosting='ordered' is for losses that have a name"):
        face(3, loss=squares, boosting="ordered").fit(X, y > 0 if goal else y)


@pytest.mark.parametrize("face", FACES)
def test_a_word_that_is_no_loss_is_refused(face: Any) -> None:
    X, y, _ = table()
    with pytest.raises(ParameterError, match=r"loss must be .*'nonsense'"):
        face(3, loss="nonsense").fit(X, y > 0)


# -------------------------------------------------------------------------------------------------------- check_loss


@pytest.mark.parametrize("loss", [Squares(), Odds()])
def test_right_slopes_pass(loss: Any) -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 50).astype(float), 5 * rng.normal(size=50)
    found = check_loss(loss, y, scores)
    assert max(found) < 1e-6
    assert min(found) >= 0


def test_right_slopes_of_several_scores_pass_and_wrong_curvatures_do_not() -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 3, 40), rng.normal(size=(40, 3))
    assert max(check_loss(Softmax(), y, scores)) < 1e-6
    with pytest.raises(ParameterError, match="curvature must be the difference quotient of the gradient; in row"):
        check_loss(Softmax(2.0), y, scores)
    assert np.isnan(check_loss(Softmax(2.0), y, scores, curvature=False).curvature)


def test_without_a_value_only_the_curvature_is_looked_at() -> None:
    found = check_loss(smooth_sizes, [1.0, 2.0], [0.5, 4.0])
    assert np.isnan(found.gradient)
    assert found.curvature < 1e-6


def test_a_wrong_gradient_is_told_with_both_numbers() -> None:
    """At f - y = 3 the gradient of half the square is 3; -3 is the usual slip of the sign."""

    class Slip(Squares):
        def __call__(self, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
            return np.where(y == 2, y - scores, scores - y), np.ones_like(scores)

    with pytest.raises(ParameterError, match=r"in row 1 the loss tells -3 and the quotient is 3\."):
        check_loss(Slip(), [1.0, 2.0, 3.0], [5.0, 5.0, 5.0])


def test_weights_are_part_of_the_slopes_of_a_loss_that_takes_them() -> None:
    class Weighted(Squares):
        def __call__(self, y: Floats, scores: Floats, sample_weight: Any = None) -> tuple[Floats, Floats]:
            return sample_weight * (scores - y), sample_weight * np.ones_like(scores)

    class Forgets(Squares):
        def __call__(self, y: Floats, scores: Floats, sample_weight: Any = None) -> tuple[Floats, Floats]:
            return squares(y, scores)

    assert max(check_loss(Weighted(), [1.0, 2.0], [3.0, 3.0], [2.0, 5.0])) < 1e-6
    with pytest.raises(ParameterError, match="the loss tells 2 and the quotient is 4"):
        check_loss(Forgets(), [1.0, 2.0], [3.0, 3.0], [2.0, 2.0])


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6, 1e9])
def test_large_values_do_not_make_right_slopes_wrong(shift: float) -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=60)
    assert max(check_loss(Squares(), y + shift, y + shift + rng.normal(size=60))) <= 1e-4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("words", [1.0], [1.0]), "loss must be a function"),
        ((squares, [1.0, 2.0], [1.0]), r"got shapes \(2,\) and \(1,\)"),
        ((squares, ["a"], [1.0]), "y must hold numbers"),
        ((squares, [1.0], [np.nan]), "scores must hold finite numbers"),
        ((squares, [], []), "y must hold finite numbers; got nothing"),
        ((squares, [1.0], [1.0], [1.0, 2.0]), "sample_weight must have a number a row"),
    ],
)
def test_what_cannot_be_checked_is_refused(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_loss(*given)


# ------------------------------------------------------------------------------------------------------------ the start


@pytest.mark.parametrize("face", [*REGRESSORS, GradientBoostingRegressor])
def test_scores_start_where_they_are_told(face: Any) -> None:
    """A tree that finds nothing to split leaves the start and its step: none without a slope."""
    X, y, _ = table()
    model = face(1, base_score=-3.5, learning_rate=1e-9).fit(X, y)
    assert_array_equal(model.base_score_, [-3.5])
    assert_allclose(model.predict(X), -3.5, atol=1e-6)
    named = face(**TOLD).fit(X, y)
    assert_same_trees(named, face(**TOLD, base_score=float(named.base_score_[0])).fit(X, y))


@pytest.mark.parametrize("face", [*CLASSIFIERS, GradientBoostingClassifier])
def test_classes_start_at_log_odds(face: Any) -> None:
    X, y, _ = table()
    model = face(1, base_score=np.log(3), learning_rate=1e-9).fit(X, y > 0)
    assert_allclose(model.predict_proba(X)[:, 1], 0.75, atol=1e-6)
    label = np.searchsorted(np.quantile(y, [0.3, 0.7]), y)
    model = face(1, base_score=np.log([0.5, 0.3, 0.2]), learning_rate=1e-9).fit(X, label)
    assert_allclose(model.predict_proba(X), np.tile([0.5, 0.3, 0.2], (400, 1)), atol=1e-6)
    even = face(1, base_score=2.0, learning_rate=1e-9).fit(X, label)
    assert_allclose(even.predict_proba(X), 1 / 3, atol=1e-6)


def test_poissons_start_is_a_logarithm() -> None:
    X, y, _ = table()
    counted = np.floor(np.exp(np.clip(y, -3, 3)))
    model = LightGBMRegressor(1, loss="poisson", base_score=np.log(5), learning_rate=1e-9).fit(X, counted)
    assert_allclose(model.predict(X), 5, rtol=1e-6)


@pytest.mark.parametrize("start", [0.3, 0.9])
def test_xgboosts_start_is_xgboosts(start: float) -> None:
    """Weights, as without them many cuts of two classes gain the same."""
    X, y = few_values()
    w = np.random.default_rng(9).uniform(0.3, 3, len(y))
    told: dict[str, Any] = {"base_score": start, "n_estimators": 5}
    peer = xgboost.XGBClassifier(**told, n_jobs=1).fit(X, y > 1, sample_weight=w)
    mine = XGBoostClassifier.from_params(xgboost=told).fit(X, y > 1, w)
    assert_allclose(mine.predict_proba(X), peer.predict_proba(X), atol=2e-6)


def test_lightgbms_start_from_zero_is_lightgbms() -> None:
    X, y = few_values()
    told: dict[str, Any] = {"boost_from_average": False, "n_estimators": 10}
    peer = lightgbm.LGBMRegressor(**told, verbose=-1, n_jobs=1, min_data_in_bin=1).fit(X, y)
    mine = LightGBMRegressor.from_params(lightgbm=told).fit(X, y)
    assert_allclose(mine.predict(X), peer.predict(X), atol=2e-6)


@pytest.mark.parametrize("face", [*REGRESSORS, GradientBoostingRegressor])
@pytest.mark.parametrize("told", [np.inf, np.nan, [1.0, 2.0], "mean", [[1.0]], True])
def test_a_start_that_is_none_is_refused(face: Any, told: Any) -> None:
    X, y, _ = table()
    with pytest.raises(ParameterError, match="base_score must be"):
        face(2, base_score=told).fit(X, y)


def test_a_start_for_each_class_or_one_for_all() -> None:
    X, y, _ = table()
    label = np.searchsorted(np.quantile(y, [0.3, 0.7]), y)
    with pytest.raises(ParameterError, match=r"a finite number, or 3 of them; got \[0.0, 1.0\]"):
        LightGBMClassifier(2, base_score=[0.0, 1.0]).fit(X, label)
    with pytest.raises(ParameterError, match="a logarithm of at most 80"):
        LightGBMRegressor(2, loss="poisson", base_score=1000.0).fit(X, np.abs(y))
    with pytest.raises(ParameterError, match="a logarithm of at most 80"):
        LightGBMRegressor(2, loss="poisson", base_score=-1000.0).fit(X, np.abs(y))
