"""Verdicts on data where the truth is known; predictions of rows held out; the rows a model gets most wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, ShuffleSplit

from pellucid.base.errors import ParameterError
from pellucid.dummy import DummyRegressor
from pellucid.ensemble import RandomForestRegressor
from pellucid.linear_model import LinearRegression
from pellucid.model_selection import HeldOutEvidence, cross_val_predict, diagnose, largest_errors, nested_cross_validate
from pellucid.model_selection.diagnosis import _curve_reason, _last_gain, _trend, _two_digits
from pellucid.tree import DecisionTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = X @ [1.0, 2.0, 0.0] + 0.3 * RNG.normal(size=80)
LABELS = np.where(Y > 0, "high", "low")


def curved(n: int, noise: float, degree: int) -> tuple[Any, Any]:
    x = np.random.default_rng(1).uniform(-1, 1, size=n)
    y = x**2 + x / 3 + noise * np.random.default_rng(2).normal(size=n)
    return x[:, None] ** np.arange(1, degree + 1), y


def test_a_line_through_a_parabola_is_too_simple() -> None:
    found = diagnose(LinearRegression(), *curved(120, 0.05, 1))
    assert found.verdict == "underfitted"
    assert any("more flexible model" in remedy for remedy in found.remedies)
    assert len(found.curve.train_sizes) == 5
    many = diagnose(LinearRegression(), *curved(2000, 0.05, 1))
    assert many.trend == "flat"
    assert not any("more rows" in remedy for remedy in many.remedies)
    assert "more rows of the same kind would hardly help" in str(many)


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
def test_many_powers_of_few_rows_are_too_flexible() -> None:
    found = diagnose(LinearRegression(), *curved(24, 0.2, 10))
    assert found.verdict == "overfitted"
    assert "no better than the baseline" in str(found)
    assert found.gap > 0
    assert any("more rows" in remedy for remedy in found.remedies)


def test_the_right_model_is_well_fitted() -> None:
    found = diagnose(LinearRegression(), *curved(200, 0.05, 2))
    assert found.verdict == "well fitted"
    assert found.remedies == []
    assert "rows held out" in str(found)


def linear(n: int, noise: float, columns: int = 3) -> tuple[Any, Any]:
    x = np.random.default_rng(3).normal(size=(n, columns))
    return x, x[:, 0] + noise * np.random.default_rng(4).normal(size=n)


def test_a_gap_that_is_sure_but_small_is_no_overfitting() -> None:
    """Ten columns of noise beside one that counts: with many rows the gap is more than chance, and does not matter."""
    found = diagnose(LinearRegression(), *linear(1000, 0.5, 11))
    assert found.gap_low > 0
    assert found.gap < 0.25 * (found.train - found.baseline)
    assert found.verdict == "well fitted"
    assert "the gap is less than" in str(found)


def test_few_rows_cannot_tell() -> None:
    """The gap that an interval of few rows leaves open is closed by more rows of the same law."""
    few = diagnose(LinearRegression(), *linear(14, 0.4))
    assert few.verdict == "cannot tell"
    assert few.gap_low <= 0
    assert "too wide to tell" in str(few)
    assert any("more rows" in remedy for remedy in few.remedies)
    assert diagnose(LinearRegression(), *linear(1400, 0.4)).verdict == "well fitted"


class Known(LinearRegression):
    """Knows the law beforehand."""

    def _fit(self, d: Any, trace: Any) -> None:
        self.coef_, self.intercept_ = np.array([1.0, 0.0, 0.0]), 0.0


def test_a_score_that_few_rows_leave_open_is_no_good_fit() -> None:
    """No gap at all, since nothing is fitted to the rows; but four rows a fold do not say how good it is."""
    few = diagnose(Known(), *linear(20, 0.6))
    assert few.gap == pytest.approx(0, abs=1e-12)
    assert few.verdict == "cannot tell"
    assert "too wide to tell" in str(few)
    assert diagnose(Known(), *linear(2000, 0.6)).verdict == "well fitted"


def test_a_fold_of_hard_rows_is_no_gap() -> None:
    """Rows of one fold are all noise: that fold scores badly with every model, whether it has seen them or not."""
    x, y = linear(500, 0.1)
    y[:100] = 3 * np.random.default_rng(5).normal(size=100)
    folds = [(np.delete(np.arange(500), part), part) for part in np.arange(500).reshape(5, 100)]
    found = diagnose(LinearRegression(), x, y, cv=folds)
    assert abs(found.train - found.test) > 0.1
    assert abs(found.gap) < 0.05


def test_noise_teaches_nothing() -> None:
    found = diagnose(LinearRegression(), X, np.random.default_rng(7).normal(size=80))
    assert found.verdict == "nothing learned"
    assert "no better than the baseline" in str(found)
    assert found.remedies[0].startswith("other columns")
    assert "learning curve" not in str(found)


def test_a_model_that_learns_nothing_does_not_speak_for_the_columns() -> None:
    """No line describes the parabola; the column nevertheless says all about it."""
    x = np.linspace(-1, 1, 60)[:, None]
    found = diagnose(LinearRegression(), x, x[:, 0] ** 2)
    assert found.verdict == "nothing learned"
    assert found.remedies == ["other columns: with these the model is not shown to be better than the baseline"]


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
def test_one_terrible_fold_does_not_hide_that_rows_are_learned_by_heart() -> None:
    data = curved(60, 0.2, 14)
    found = diagnose(LinearRegression(), *data)
    assert found.gap_low < 0  # the interval alone says nothing: the folds differ too much
    assert found.verdict == "overfitted"
    assert "in each of 5 folds" in str(found)


def test_a_gain_that_does_not_matter_is_no_reason_for_more_rows() -> None:
    """A line is found quickly: more rows still gain a little, surely, and yet less than matters."""
    x, y = linear(3000, 1.0)
    found = diagnose(LinearRegression(), x, y, cv=10)
    assert found.trend != "rising"


def test_a_gain_cannot_go_beyond_a_perfect_score() -> None:
    assert _trend((0.05, 0.1, 0.15), last=0.1, way=1.0, left=0.3) == "rising"
    assert _trend((0.05, 0.1, 0.15), last=0.1, way=1.0, left=0.05) == "unclear"  # the first rows gained so much
    assert _trend((0.05, 0.1, 0.15), last=0.1, way=1.0, left=0.001) == "flat"  # there is hardly anything to gain
    assert _trend((0.05, 0.1, 0.15), last=0.001, way=1.0, left=0.3) == "unclear"  # the last rows gained nothing


def test_a_curve_that_leaves_more_rows_open_says_how_it_went() -> None:
    """A curve that rises before the reader's eyes is not said to show nothing."""
    curve = diagnose(LinearRegression(), *linear(200, 1.0)).curve
    said = _curve_reason("unclear", (-0.02, 0.05, 0.12), curve)
    assert re.fullmatch(
        r"from \d+ to \d+ rows a doubling improved the score by 0.05 \(95 % interval -0.02 to 0.12\) on average: "
        "whether more would help stays open",
        said,
    )
    assert "by 5,700 (95 % interval 350 to 11,000)" in _curve_reason("rising", (350.2, 5712.0, 11049.0), curve)
    ends = f"on average, and by {_two_digits(_last_gain(curve))} between the last two points: whether more would help"
    assert ends in _curve_reason("unclear", (0.02, 0.05, 0.12), curve)
    worse = "a doubling worsened the score by 0.05 (95 % interval -0.12 to 0.1) on average"
    assert worse in _curve_reason("unclear", (-0.1, -0.05, 0.12), curve)  # also where less is better


def test_the_gain_per_doubling_can_be_read_off_the_curve() -> None:
    """Of few rows all points of the curve belong to its last part, between whose ends there may be one doubling."""
    found = diagnose(LinearRegression(), *linear(25, 1.0))
    sizes, means = found.curve.train_sizes, found.curve.test_scores.mean(axis=1)
    assert len(sizes) > 3
    assert found.last_sizes == (sizes[0], sizes[-1])
    assert found.per_doubling[1] == pytest.approx((means[-1] - means[0]) / np.log2(sizes[-1] / sizes[0]))


def test_a_target_decides_what_is_too_simple() -> None:
    data = curved(200, 0.2, 2)
    assert diagnose(LinearRegression(), *data, target=0.5).verdict == "well fitted"
    assert diagnose(LinearRegression(), *data, target=0.99).verdict == "underfitted"


def test_classifiers() -> None:
    x, y = linear(400, 0.3)
    found = diagnose(LogisticRegression(), x, np.where(y > 0, "high", "low"))
    assert found.verdict == "well fitted"
    assert found.baseline < found.test


def evidence(train: float, score: float, half: float, gain_low: float = 0.1, shifted: bool = False) -> HeldOutEvidence:
    return HeldOutEvidence(train, score, score - half, score + half, gain_low, 0.0, 0.0, shifted)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (evidence(0.96, 0.95, 0.01), "well fitted"),
        (evidence(0.99, 0.70, 0.05), "cannot tell"),  # the folds do not show this gap
        (evidence(0.96, 0.40, 0.05, shifted=True), "distribution shift"),
        (evidence(0.96, 0.95, 0.01, gain_low=-0.1), "cannot tell"),  # the held-out rows do not confirm the folds
        (evidence(0.96, 0.80, 0.40), "cannot tell"),
    ],
)
def test_rows_that_took_no_part_decide(given: HeldOutEvidence, verdict: str) -> None:
    assert diagnose(LinearRegression(), *curved(200, 0.05, 2), evidence=given).verdict == verdict


def test_a_gap_on_the_folds_that_other_rows_do_not_show_is_no_overfitting() -> None:
    data = curved(24, 0.2, 10)
    assert diagnose(LinearRegression(), *data).verdict == "overfitted"
    found = diagnose(LinearRegression(), *data, evidence=evidence(0.9, 0.89, 0.02))
    assert found.verdict == "well fitted"
    assert "90.0 % of the way from the baseline to a perfect score on the rows learned from" in str(found)
    assert "the gap is at most a tenth" in str(found)
    assert "folds" not in str(found)  # whose figures belong to models of fewer rows


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
@pytest.mark.parametrize("train", [0.89, 0.95])
def test_a_training_score_inside_the_held_out_interval_is_no_overfitting(train: float) -> None:
    """Few held-out rows neither confirm nor exclude the gap of the folds."""
    found = diagnose(LinearRegression(), *curved(24, 0.2, 10), evidence=evidence(train, 0.84, 0.13))
    assert found.verdict == "cannot tell"
    assert f"{100 * train:.1f} % of the way" in str(found)
    assert "84.0 % on the held-out rows (95 % interval 71.0 % to 97.0 %)" in str(found)
    assert "the folds of cross-validation show a gap" in str(found)
    assert "neither confirmed nor excluded" in str(found)


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
def test_a_large_gap_is_never_a_good_fit() -> None:
    """Between the rows learned from and the held-out rows, also where it may be chance, or the folds do not show it."""
    scores = {"scoring": "neg_root_mean_squared_error", "perfect": 0.0}
    for data, half, verdict in (
        (curved(24, 0.2, 10), 5000, "overfitted"),
        (curved(24, 0.2, 10), 17_500, "cannot tell"),
        (curved(200, 0.05, 2), 5000, "cannot tell"),
    ):
        errors = HeldOutEvidence(-6743, -23976, -23976 - half, -23976 + half, 30_000, -80_000, -80_000)
        assert diagnose(LinearRegression(), *data, evidence=errors, **scores).verdict == verdict


def test_held_out_rows_alone_do_not_make_a_model_overfitted() -> None:
    """The right model, whose held-out rows score worse by chance."""
    found = diagnose(LinearRegression(), *curved(200, 0.05, 2), evidence=evidence(0.96, 0.8, 0.1))
    assert found.verdict == "cannot tell"
    assert "the folds of cross-validation do not show a gap of this size" in str(found)


def test_the_gap_is_the_difference_of_the_scores_next_to_it() -> None:
    x, y = linear(60, 1.0, 11)
    y[:12] *= 4  # one fold weighs more than the others
    folds = [(np.delete(np.arange(60), part), part) for part in np.arange(60).reshape(5, 12)]
    (line,) = [line for line in diagnose(LinearRegression(), x, y, cv=folds).reasons if "a gap of" in line]
    seen, unseen, gap = (float(text) for text in re.findall(r"(?:score|and|gap of) (-?[\d.]+)", line))
    assert gap == pytest.approx(seen - unseen, abs=1e-9)


def test_errors_that_grow_with_the_target_are_no_overfitting() -> None:
    """The held-out rows are on a scale three times as large, for the baseline as for the model."""
    scores = {"scoring": "neg_root_mean_squared_error", "perfect": 0.0}
    grown = HeldOutEvidence(-0.05, -0.15, -0.16, -0.14, 0.5, -0.4, -1.2)
    assert diagnose(LinearRegression(), *curved(200, 0.05, 2), evidence=grown, **scores).verdict == "well fitted"
    same = HeldOutEvidence(-0.05, -0.15, -0.16, -0.14, 0.5, -0.4, -0.4)
    assert diagnose(LinearRegression(), *curved(200, 0.05, 2), evidence=same, **scores).verdict == "cannot tell"


def test_a_noisy_law_is_limited_by_the_columns_if_flexible_models_are_no_better() -> None:
    data = linear(1000, 3.0)
    assert diagnose(LinearRegression(), *data).verdict == "underfitted"
    assert diagnose(LinearRegression(), *data, flexible_tried=True).verdict == "limited by the columns"


def test_folds_that_differ_are_no_reason_to_say_that_rows_are_few() -> None:
    """Later folds are much noisier; the rows are many, and the held-out rows decide."""
    x, y = linear(3000, 0.2)
    y = y + np.linspace(0, 3, 3000) ** 3 * np.random.default_rng(6).normal(size=3000) / 9
    folds = [(np.arange(500 * k), np.arange(500 * k, 500 * (k + 1))) for k in range(1, 6)]
    found = diagnose(LinearRegression(), x, y, cv=folds, evidence=evidence(0.85, 0.84, 0.02))
    assert found.verdict == "well fitted"


def test_a_learning_curve_that_still_rises() -> None:
    random = np.random.default_rng(8)
    x = random.normal(size=(400, 60))
    found = diagnose(LinearRegression(), x, x @ random.normal(size=60) + 2 * random.normal(size=400))
    assert found.trend == "rising"
    assert found.per_doubling[0] > 0
    assert f"from 101 to 320 rows a doubling improved the score by {found.per_doubling[1]:.2g}" in str(found)


def test_a_curve_that_rises_to_a_perfect_score_is_not_said_to_be_flat() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(60, 25))
    y = x @ random.normal(size=25) + 0.01 * random.normal(size=60)
    found = diagnose(LinearRegression(), x, y)
    assert (found.trend, found.nearly_perfect) == ("flat", True)
    assert "are nearly perfect: more rows of the same kind would hardly help" in str(found)
    assert "learning curve shows" not in str(found)


def test_one_fold_is_no_diagnosis() -> None:
    with pytest.raises(ParameterError, match="two folds or more"):
        diagnose(LinearRegression(), X, Y, cv=[(np.arange(40), np.arange(40, 80))])


# --------------------------------------------------------------------------------------------------------------- rows


@pytest.mark.parametrize("cv", [3, 5])
def test_predictions_of_rows_held_out_are_scikit_learns(cv: int) -> None:
    for model, y, method in ((LinearRegression(), Y, "predict"), (LogisticRegression(), LABELS, "predict_proba")):
        mine = cross_val_predict(model, X, y, cv=cv, method=method)
        theirs = sklearn.model_selection.cross_val_predict(model, X, y, cv=cv, method=method)
        np.testing.assert_allclose(mine, theirs, rtol=1e-10)


def test_frames_and_workers() -> None:
    frame = pd.DataFrame(X, columns=list("abc"))
    one, two = (cross_val_predict(LinearRegression(), frame, Y, cv=4, n_jobs=n) for n in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_folds_that_leave_rows_out() -> None:
    with pytest.raises(ParameterError, match="only works for partitions"):
        cross_val_predict(LinearRegression(), X, Y, cv=ShuffleSplit(3, random_state=0))


def test_a_wrong_value_is_among_the_worst() -> None:
    spoiled = Y.copy()
    spoiled[17] += 50
    found = largest_errors(LinearRegression(), X, spoiled, n=3)
    assert found.rows[0] == 17
    assert found.errors[0] > 40
    assert (np.diff(found.errors) <= 0).all()
    assert "17" in str(found)


def test_slices() -> None:
    side = np.where(np.arange(80) < 20, "odd", "plain")
    spoiled = np.where(side == "odd", Y + 5 * RNG.normal(size=80), Y)
    found = largest_errors(LinearRegression(), X, spoiled, by=side)
    assert list(found.by) == ["odd", "plain"]
    assert found.by["odd"][0] == 20
    assert "slice" in str(found)
    with pytest.raises(ParameterError, match="the slice of every row"):
        largest_errors(LinearRegression(), X, Y, by=side[:5])


def test_classes_with_and_without_probabilities() -> None:
    flipped = LABELS.copy()
    sure = int(np.argmax(np.abs(Y)))
    flipped[sure] = "low" if LABELS[sure] == "high" else "high"
    assert largest_errors(LogisticRegression(), X, flipped).rows[0] == sure
    assert sure in largest_errors(RidgeClassifier(), X, flipped, n=80).rows[:20]
    with pytest.raises(ParameterError, match="n must be at least 1"):
        largest_errors(DummyRegressor(), X, Y, n=0)


# ------------------------------------------------------------------------------------------------------------- nested


def test_nested_scores_are_those_of_the_outer_rows() -> None:
    search = GridSearchCV(LinearRegression(), {"fit_intercept": [False, True]}, cv=3)
    outer = sklearn.model_selection.KFold(4, shuffle=True, random_state=0)
    mine = nested_cross_validate(search, X, Y, cv=4)
    theirs = sklearn.model_selection.cross_validate(search, X, Y, cv=outer)
    np.testing.assert_allclose(mine["test_score"], theirs["test_score"], rtol=1e-10)
    assert all(hasattr(fitted, "best_params_") for fitted in mine["estimator"])


def test_a_forest_is_not_advised_to_become_one() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 4))
    y = X[:, 0] + random.normal(size=150)
    tree = diagnose(DecisionTreeRegressor(), X, y)
    forest = diagnose(RandomForestRegressor(n_estimators=10, random_state=0), X, y)
    assert tree.verdict == forest.verdict == "overfitted"
    assert ["forest" in " ".join(one.remedies) for one in (tree, forest)] == [True, False]
    assert [one for one in forest.remedies if one != "more rows"] == tree.remedies[:-1]
