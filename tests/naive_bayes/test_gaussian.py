"""GaussianNB: the reference's numbers, parts equal to the whole, missing values, far and constant columns, refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, ParameterError
from pellucid.naive_bayes import GaussianNB
from pellucid.reference import gaussian_naive_bayes as reference

RANDOM = np.random.default_rng(3)
Y = RANDOM.integers(0, 3, 200)
X = RANDOM.normal(size=(200, 4)) * [1, 10, 0.1, 3] + 2.0 * Y[:, None]
WEIGHT = RANDOM.integers(0, 4, 200).astype(float)
GAPS = np.where(RANDOM.random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("table", [X, GAPS], ids=["full", "with gaps"])
def test_equals_the_reference(table: np.ndarray, ddof: int) -> None:
    for weight in (None, WEIGHT):
        want = reference.fit(table, Y, weight, ddof, var_smoothing=1e-3)
        model = GaussianNB(ddof=ddof, var_smoothing=1e-3).fit(table, Y, weight)
        np.testing.assert_allclose(model.theta_, want.mean, rtol=1e-12)
        np.testing.assert_allclose(model.var_, want.variance, rtol=1e-12)
        np.testing.assert_allclose(model.class_prior_, want.prior, rtol=1e-12)
        logs = reference.log_scores(table, want)
        np.testing.assert_allclose(model.predict_joint_log_proba(table), logs, rtol=1e-11)
        np.testing.assert_allclose(model.predict_proba(table), reference.posterior(logs), rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(table)), model.predict_proba(table), rtol=1e-12)
        assert model.predict(table).tolist() == reference.predict(logs, want.classes)


def test_parts_are_the_whole_and_a_weight_is_a_row_written_so_often() -> None:
    for table in (X, GAPS):
        whole = GaussianNB().fit(table, Y, WEIGHT)
        parts = GaussianNB()
        for rows in np.array_split(np.argsort(Y, kind="stable"), 7):  # parts that lack classes
            parts.partial_fit(table[rows], Y[rows], classes=[0, 1, 2], sample_weight=WEIGHT[rows])
        often = np.repeat(np.arange(200), WEIGHT.astype(int))
        repeated = GaussianNB().fit(table[often], Y[often])
        for model in (parts, repeated):
            for name in ("theta_", "var_", "epsilon_", "class_count_", "class_prior_"):
                np.testing.assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-12)


def test_far_from_zero_the_variance_is_that_of_exact_arithmetic() -> None:
    values = [1e8 + k / 8 for k in (0, 1, 3, 8, 2)]
    exact = [Fraction(v) for v in values]
    mean = sum(exact) / 5
    want = float(sum((v - mean) ** 2 for v in exact) / 5)
    model = GaussianNB(var_smoothing=0).fit(np.array(values)[:, None], [0] * 5)
    assert model.var_[0, 0] == pytest.approx(want, rel=1e-14)


def test_a_class_that_has_not_come_yet_is_never_predicted() -> None:
    model = GaussianNB(priors=[0.1, 0.8, 0.1]).partial_fit(X[Y != 1], Y[Y != 1], classes=[0, 1, 2])
    assert set(model.predict(X).tolist()) <= {0, 2}
    assert (model.predict_proba(X)[:, 1] == 0).all()
    assert np.isneginf(model.predict_joint_log_proba(X)[:, 1]).all()


def test_a_row_too_far_for_densities_goes_to_the_nearest_class() -> None:
    """At 1e200 both densities are zero in 64 bits; class b is ten times as wide, and so ten times as near."""
    model = GaussianNB(var_smoothing=0).fit([[-1], [1], [-10], [10]], ["a", "a", "b", "b"])
    far = [[1e200], [1e308], [-1e308]]
    assert model.predict(far).tolist() == ["b"] * 3
    assert model.predict_proba(far).tolist() == [[0.0, 1.0]] * 3
    never = GaussianNB(var_smoothing=0, priors=[1, 0]).fit([[-1], [1], [-10], [10]], ["a", "a", "b", "b"])
    assert never.predict_proba(far).tolist() == [[1.0, 0.0]] * 3
    assert model.predict([[0.0], [np.nan]]).tolist() == [
        "a",
        "a",
    ]  # without a number the priors are left, and are equal
    np.testing.assert_allclose(model.predict_proba([[np.nan]]), [[0.5, 0.5]])


def test_ten_thousand_columns_do_not_underflow() -> None:
    """Each column moves the log odds by 2 x 0.05: the posterior is what the sum of them says."""
    p = 10_000
    rows = np.zeros((4, p))
    rows[:2] += np.array([[-1.0], [1.0]]) - 0.05
    rows[2:] += np.array([[-1.0], [1.0]]) + 0.05
    model = GaussianNB(var_smoothing=0).fit(rows, [0, 0, 1, 1])
    at = np.full((1, p), 1e-3)
    log_odds = p * ((1e-3 + 0.05) ** 2 - (1e-3 - 0.05) ** 2) / 2
    found = model.predict_log_proba(at)
    assert np.isfinite(found).all()
    assert found[0, 1] - found[0, 0] == pytest.approx(log_odds, rel=1e-9)
    assert model.predict_proba(at).sum() == pytest.approx(1)


def test_an_irrelevant_column_changes_little() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 20_000)
    own = random.normal(size=(20_000, 1)) + 2 * y[:, None]
    alike = np.hstack([own, random.normal(size=(20_000, 1))])
    alone, both = GaussianNB().fit(own, y), GaussianNB().fit(alike, y)
    assert np.abs(alone.predict_proba(own) - both.predict_proba(alike)).max() < 0.05
    assert np.abs(alone.predict_proba(own) - both.predict_proba(alike)).mean() < 0.005


def test_constant_tables_are_left_to_the_priors() -> None:
    model = GaussianNB().fit(np.ones((3, 2)), [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1, 1]]), [[1 / 3, 2 / 3]])
    assert model.epsilon_ == 1e-9
    assert GaussianNB().fit([[2.0]], ["only"]).predict([[5.0]]).tolist() == ["only"]


def test_of_equal_scores_the_first_class_is_predicted() -> None:
    model = GaussianNB().fit([[-2], [-1], [1], [2]], ["b", "b", "a", "a"])
    assert model.predict([[0.0]]).tolist() == ["a"]


def test_refusals_are_one_sentence() -> None:
    frame = pd.DataFrame({"age": [1.0, 1.0, 2.0, 3.0], "size": [1.0, 2.0, 3.0, 4.0]})
    y = ["a", "a", "b", "b"]
    with pytest.raises(DataError, match=r"column 'age' in class 'a' has variance 0\.\nhint: a larger var_smoothing"):
        GaussianNB(var_smoothing=0).fit(frame, y)
    with pytest.raises(DataError, match="more than one sample in each column; column 'age' in class 'b' has 1"):
        GaussianNB(ddof=1).fit(frame, ["a", "a", "b", "c"])
    with pytest.raises(DataError, match="column 'age' in class 'a' has none"):
        GaussianNB().fit(frame.assign(age=[np.nan, np.nan, 1.0, 2.0]), y)
    with pytest.raises(DataError, match="column 'size' spreads too far"):
        GaussianNB().fit(frame.assign(size=[1e300, -1e300, 0.0, 1.0]), y)
    with pytest.raises(DataError, match="column 'x0' spreads too little"):
        GaussianNB().fit([[1e-200], [2e-200]], [0, 0])
    with pytest.raises(DataError, match=r"column 'age' has 1 infinite value \(inf\) in row 2"):
        GaussianNB().fit(frame.assign(age=[1.0, 2.0, np.inf, 3.0]), y)
    fitted = GaussianNB().fit(frame, y)
    for answer in (fitted.predict, fitted.predict_proba, fitted.predict_joint_log_proba):
        with pytest.raises(DataError, match="infinite value"):
            answer(frame.assign(age=[1.0, 2.0, -np.inf, 3.0]))
    with pytest.raises(DataError, match="Sparse data was passed"):
        GaussianNB().fit(sp.csr_array(X), Y)
    for priors, said in (
        ([0.5], "must match number of classes"),
        ([0.5, 0.6], "sum to 1.1"),
        ([2, -1], "non-negative"),
    ):
        with pytest.raises(ParameterError, match=said):
            GaussianNB(priors=priors).fit(frame, y)
    with pytest.raises(ParameterError, match="one number a class"):
        GaussianNB(priors="even").fit(frame, y)


def test_parts_that_fail_change_nothing() -> None:
    model = GaussianNB()
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        model.partial_fit(X, Y)
    assert not hasattr(model, "classes_")
    model.partial_fit(X, Y, classes=[0, 1, 2])
    before = {name: np.copy(value) for name, value in vars(model).items() if isinstance(value, np.ndarray)}
    with pytest.raises(DataError, match=r"label\(s\) 7 in y do not exist in the initial classes; known are 0, 1, 2"):
        model.partial_fit(X, np.full(200, 7))
    with pytest.raises(DataError, match="not the same as on last call"):
        model.partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(DataError, match="spreads too far"):
        model.partial_fit(X * 1e200, Y)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)


def test_a_first_part_may_lack_a_spread() -> None:
    model = GaussianNB(var_smoothing=0).partial_fit([[1.0], [4.0]], ["a", "b"], classes=["a", "b"])
    with pytest.raises(DataError, match="has variance 0"):
        model.predict([[1.0]])
    assert model.partial_fit([[2.0], [6.0]], ["a", "b"]).predict([[1.5]]).tolist() == ["a"]
