"""Inference for logistic regression against the reference and against figures done by hand; odds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from pellucid import stats
from pellucid.base.errors import DataError, ParameterError, SeparationWarning
from pellucid.linear_model import LogisticRegression
from pellucid.reference import logistic_inference as reference

IRIS, SPECIES = load_iris(return_X_y=True)
X, Y = IRIS[50:, 1:], SPECIES[50:] - 1
FREE = {"C": np.inf, "solver": "auto", "tol": 1e-11, "max_iter": 1000}
GROUP = np.repeat([1, 1, 0, 0], [20, 10, 10, 20])[:, None]  # 20 of 30 with the event against 10 of 30
EVENT = np.repeat([1, 0, 1, 0], [20, 10, 10, 20])


def test_a_two_by_two_table_by_hand() -> None:
    """The coefficient of a flag is the log of the odds ratio, with Woolf's standard error."""
    s = LogisticRegression(**FREE).fit(GROUP, EVENT).summary(GROUP, EVENT)
    assert s.odds_ratios[1] == pytest.approx(4.0, rel=1e-6)
    assert s.standard_errors[1] == pytest.approx(np.sqrt(2 / 20 + 2 / 10), rel=1e-6)
    assert s.null_deviance == pytest.approx(120 * np.log(2), rel=1e-9)
    by_counts = stats.odds_ratio([[20, 10], [10, 20]])
    np.testing.assert_allclose(s.odds_ratio_intervals[1], [by_counts.low, by_counts.high], rtol=1e-6)
    likelihood = 2 * (20 * np.log(2 / 3) + 10 * np.log(1 / 3))
    assert s.log_likelihood == pytest.approx(likelihood, rel=1e-9)
    assert s.aic == pytest.approx(4 - 2 * likelihood, rel=1e-9)


def test_the_reference_has_the_same_figures() -> None:
    model = LogisticRegression(**FREE).fit(X, Y)
    s, r = model.summary(X, Y), reference.infer(X, Y, np.append(model.intercept_, model.coef_))
    np.testing.assert_allclose(s.standard_errors, r.standard_errors[0], rtol=1e-7)
    np.testing.assert_allclose(s.z_values, r.z[0], rtol=1e-7)
    for name in ("log_likelihood", "null_log_likelihood", "deviance", "null_deviance", "aic", "bic", "mcfadden_r2",
                 "likelihood_ratio"):  # fmt: skip
        assert getattr(s, name) == pytest.approx(getattr(r, name), rel=1e-9), name


def test_three_classes_are_measured_against_the_first() -> None:
    y = np.where(np.arange(150) % 7 == 0, (SPECIES + 1) % 3, SPECIES)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=20_000).fit(IRIS[:, :2], y)
    s = model.summary(IRIS[:, :2], y)
    planes = np.column_stack([model.intercept_, model.coef_])
    r = reference.infer(IRIS[:, :2], y, planes[1:] - planes[0])
    np.testing.assert_allclose(s.standard_errors, r.standard_errors, rtol=1e-6)
    assert s.bic == pytest.approx(r.bic, rel=1e-9)
    assert "class 2 against 0" in str(s)


def test_a_penalty_makes_the_figures_approximate_and_says_so() -> None:
    s = LogisticRegression().fit(X, Y).summary(X, Y)
    assert "penalty draws the coefficients toward zero" in s.approximate
    assert "approximate: an l2 penalty" in str(s)
    A = np.column_stack([np.ones(len(X)), X])
    p = 1 / (1 + np.exp(-A @ s.estimates))
    bent = (A * (p * (1 - p))[:, None]).T @ A + np.diag([0.0, 1, 1, 1])
    np.testing.assert_allclose(s.standard_errors, np.sqrt(np.diag(np.linalg.inv(bent))), rtol=1e-8)


def test_intervals_of_a_probability_hold_it() -> None:
    s = LogisticRegression(**FREE).fit(GROUP, EVENT).summary(GROUP, EVENT)
    middle, low, high = s.predict([[1]])[0]
    assert middle == pytest.approx(2 / 3, rel=1e-7)
    reach = s.critical * np.sqrt(1 / 20 + 1 / 10)  # of the log odds of one group alone
    assert stats.log_odds(high) == pytest.approx(np.log(2) + reach, rel=1e-5)
    assert low < middle < high


def test_dependent_columns_have_no_standard_error() -> None:
    wide = np.column_stack([X, X[:, 0]])
    s = LogisticRegression(**FREE).fit(wide, Y).summary(wide, Y)
    assert np.isnan(s.standard_errors[[1, 4]]).all()
    assert np.isfinite(s.standard_errors[[0, 2, 3]]).all()


def test_what_has_no_summary_is_refused() -> None:
    with pytest.raises(ParameterError, match="one likelihood"):
        LogisticRegression(multi_class="ovr").fit(IRIS, SPECIES).summary(IRIS, SPECIES)
    with pytest.raises(ParameterError, match="largest likelihood"):
        LogisticRegression.from_naive_bayes(X, Y).summary(X, Y)
    with pytest.raises(DataError, match="the rows that fit saw"):
        LogisticRegression(**FREE).fit(X, Y).summary(X[::2], Y[::2])
    with pytest.raises(ParameterError, match="level must be between 0 and 1"):
        LogisticRegression(**FREE).fit(X, Y).summary(X, Y, level=95)


def test_separated_classes_have_a_word_of_caution() -> None:
    with pytest.warns(SeparationWarning):
        model = LogisticRegression(C=np.inf).fit([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1])
    assert "separated" in model.summary([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1]).approximate


def test_odds_by_hand() -> None:
    assert stats.odds(0.8) == pytest.approx(4.0, rel=1e-12)
    assert stats.odds(1.0) == np.inf
    assert stats.log_odds(0.5) == 0
    assert stats.log_odds([0.0, 1.0]).tolist() == [-np.inf, np.inf]
    assert stats.probability_from_odds([0.0, 1.0, np.inf]).tolist() == [0.0, 0.5, 1.0]
    t = np.linspace(-30, 30, 13)
    np.testing.assert_allclose(stats.log_odds(stats.logistic(t)), t, rtol=1e-3)
    assert stats.logistic([-1e4, 1e4]).tolist() == [0.0, 1.0]
    np.testing.assert_allclose(stats.softmax([[0.0, 1e4], [-1e4, -1e4]]), [[0, 1], [0.5, 0.5]])
    p = stats.softmax([0.3, 1.7])
    assert p[1] == pytest.approx(stats.logistic(1.4), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.odds(1.5), "p must be a probability, from 0 to 1; got 1.5"),
        (lambda: stats.log_odds("high"), "p must hold numbers"),
        (lambda: stats.odds(np.nan), "NaN is among them"),
        (lambda: stats.probability_from_odds(-1), "odds must not be negative; got -1"),
        (lambda: stats.softmax([]), "one a class"),
        (lambda: stats.softmax([np.inf, 0]), "scores must be finite"),
        (lambda: stats.odds_ratio([1, 2]), "2 x 2"),
        (lambda: stats.odds_ratio([[1, -2], [3, 4]]), "not negative"),
        (lambda: stats.odds_ratio([[0, 2], [0, 4]]), "both outcomes must occur"),
        (lambda: stats.odds_ratio([[1, 2], [3, 4]], level=2), "level must be between 0 and 1"),
    ],
)
def test_odds_of_what_has_none_are_refused(call: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        call()  # type: ignore[operator]


def test_an_empty_cell_of_a_table_has_no_bound() -> None:
    found = stats.odds_ratio([[0, 5], [3, 4]])
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, np.inf)
