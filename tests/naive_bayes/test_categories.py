"""CategoricalNB beyond the peer: words, missing and unseen values, smoothing, tables, ties; and its reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.naive_bayes import CategoricalNB
from pellucid.reference import naive_bayes_categories as reference

WEATHER = ["sun", "sun", "rain", "rain", "sun", None]
CAR = ["ok", "bad", "bad", "ok", "ok", "ok"]
Y = ["out", "out", "in", "in", "in", "out"]
ROWS = [list(row) for row in zip(WEATHER, CAR, strict=True)]


def scores(model: CategoricalNB, row: Any) -> list[float]:
    return [float(score) for score in np.exp(model.predict_joint_log_proba([row])[0])]


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_the_reference_multiplies_the_same_shares(alpha: float) -> None:
    model = CategoricalNB(alpha=alpha).fit(ROWS, Y)
    factors = [reference.categories(column, Y, alpha) for column in (WEATHER, CAR)]
    more: list[list[Any]] = [[None, None], ["snow", "ok"]]
    for row in ROWS + more:
        by_hand = reference.scores(row, reference.priors(Y), factors)
        np.testing.assert_allclose(scores(model, row), list(by_hand.values()), rtol=1e-13)


def test_frames_of_every_library_and_kind_of_column_say_the_same() -> None:
    found = CategoricalNB().fit(ROWS, Y).predict_proba(ROWS)
    data = {"weather": WEATHER, "car": CAR}
    categories = pd.DataFrame(data).astype("category")
    unused = categories.assign(car=categories["car"].cat.add_categories(["lost"]))
    frames = [pd.DataFrame(data), categories, unused, pl.DataFrame(data), pl.DataFrame(data).cast(pl.Categorical),
              pa.table(data), np.array(ROWS, dtype=object)]  # fmt: skip
    for frame in frames:
        model = CategoricalNB().fit(frame, Y)
        np.testing.assert_array_equal(model.predict_proba(frame), found)
        assert [values.tolist() for values in model.categories_] == [["rain", "sun"], ["bad", "ok"]]


def test_a_missing_value_is_left_out_of_its_column_alone() -> None:
    model = CategoricalNB(alpha=0).fit(ROWS, Y)
    # Of three rows "out" two have a weather, both sun; all three have a car.
    assert model.likelihood_table(0)["sun"] == {"in": 1 / 3, "out": 1.0}
    assert model.likelihood_table(1)["ok"] == {"in": 2 / 3, "out": 2 / 3}
    np.testing.assert_allclose(scores(model, [None, "ok"]), [0.5 * 2 / 3, 0.5 * 2 / 3])
    np.testing.assert_allclose(model.predict_proba([[None, None]]), [[0.5, 0.5]])


def test_an_unseen_value_has_the_share_of_one_never_counted() -> None:
    # Two values of weather, three rows "in" and two "out" with one: 1 / (3 + 2) and 1 / (2 + 2).
    model = CategoricalNB().fit(ROWS, Y)
    np.testing.assert_allclose(scores(model, ["snow", None]), [0.5 / 5, 0.5 / 4], rtol=1e-13)
    ignoring = CategoricalNB(unknown="ignore").fit(ROWS, Y)
    np.testing.assert_array_equal(ignoring.predict_proba([["snow", "ok"]]), ignoring.predict_proba([[None, "ok"]]))
    with pytest.raises(DataError, match=r"Found unknown categories: column 'x0' holds 'snow' \(row 1\)"):
        CategoricalNB(unknown="error").fit(ROWS, Y).predict([["sun", "ok"], ["snow", "ok"]])


def test_without_smoothing_what_no_class_can_have_is_left_to_the_priors() -> None:
    model = CategoricalNB(alpha=0, class_prior=[0.25, 0.75]).fit(ROWS, Y)
    assert scores(model, ["snow", "ok"]) == [0.0, 0.0]
    np.testing.assert_allclose(model.predict_proba([["snow", "ok"]]), [[0.25, 0.75]])
    assert model.predict([["snow", "ok"]]).tolist() == ["out"]


def test_the_m_estimate_with_m_equal_to_alpha_times_values_is_laplace() -> None:
    X, y = [["a"], ["a"], ["b"], ["c"]], [1, 1, 1, 0]
    laplace = CategoricalNB(alpha=1).fit(X, y).feature_log_prob_[0]
    uniform = CategoricalNB(smoothing="m_estimate", m=3.0).fit(X, y).feature_log_prob_[0]
    np.testing.assert_allclose(uniform, laplace, rtol=1e-14)
    # Shares of all rows: a has 2 of 4. In class 1, (2 + 4 * 1/2) / (3 + 4).
    shares = CategoricalNB(smoothing="m_estimate", m=4.0, p="shares").fit(X, y)
    assert shares.likelihood_table(0)["a"][1] == pytest.approx(4 / 7)
    none = CategoricalNB(smoothing="none").fit(X, y)
    assert none.likelihood_table(0)["c"] == {0: 1.0, 1: 0.0}


def test_a_tie_is_told_and_goes_to_the_first_class() -> None:
    # Shares 0.8 x 0.4 and 0.4 x 0.8: equal, though their logarithms are not added in the same order.
    tv, game = list("nnnynnyyny"), list("nnyyyyyynn")
    y = ["no", "yes", "no", "no", "yes", "yes", "no", "no", "yes", "yes"]
    X = [list(row) for row in zip(tv, game, strict=True)]
    model = CategoricalNB(alpha=0).fit(X, y)
    assert model.tied([["n", "y"], ["n", "n"], ["y", "n"]]).tolist() == [True, False, True]
    assert model.predict([["n", "y"]]).tolist() == ["no"]
    assert model.predict_proba([["n", "y"]]).tolist() == [[0.5, 0.5]]
    table = model.joint_table()
    assert [one["prediction"] for one in table] == ["yes", None, None, "no"]
    assert table[0]["values"] == {"x0": "n", "x1": "n"}
    assert table[0]["scores"] == pytest.approx({"no": 0.04, "yes": 0.24})
    assert table[0]["probabilities"]["yes"] == pytest.approx(6 / 7)


def test_numbers_that_are_no_codes_are_categories_by_value() -> None:
    X, y = [[-1.5], [-1.5], [2.25], [2.25]], [0, 0, 1, 1]
    model = CategoricalNB(alpha=0).fit(X, y)
    assert model.categories_[0].tolist() == [-1.5, 2.25]
    assert model.predict([[-1.5], [2.25]]).tolist() == [0, 1]
    nothing = CategoricalNB().fit([[None, "a"], [None, "b"]], [0, 1])
    assert nothing.predict([["x", "a"], [None, "b"]]).tolist() == [0, 1]
    mixed = np.array([[1, "a"], [2, "b"], ["x", "b"]], dtype=object)
    assert CategoricalNB().fit(mixed, [0, 1, 1]).predict(mixed).tolist() == [0, 1, 1]


def test_parts_bring_new_words_and_end_like_the_whole() -> None:
    whole = CategoricalNB().fit(ROWS, Y)
    model = CategoricalNB()
    for part in (slice(0, 2), slice(2, 3), slice(3, 6)):
        model.partial_fit(ROWS[part], Y[part], ["in", "out"])
    np.testing.assert_array_equal(model.predict_proba(ROWS), whole.predict_proba(ROWS))
    assert [a.tolist() for a in model.categories_] == [a.tolist() for a in whole.categories_]


def test_threads_change_no_bit() -> None:
    rng = np.random.default_rng(1)
    X, y, w = rng.integers(0, 9, size=(150_000, 3)), rng.integers(0, 3, 150_000), rng.random(150_000)
    models = [CategoricalNB(n_jobs=n).fit(X, y, w) for n in (1, 2, 3)]
    answers = [model.predict_proba(X) for model in models]
    for model, answer in zip(models[1:], answers[1:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(model.category_count_, models[0].category_count_, strict=True))
        np.testing.assert_array_equal(answer, answers[0])


@pytest.mark.parametrize(
    ("X", "params", "error", "words"),
    [
        ([[1e9], [0]], {}, DataError, "codes of categories must be below 4,194,304"),
        ([[np.inf], [0]], {}, DataError, "contains infinity"),
        ([["a"], ["b"]], {"p": 1.5, "smoothing": "m_estimate"}, ParameterError, "p must be 'uniform', 'shares' or a"),
        ([["a"], ["b"]], {"min_categories": [2, 3]}, ParameterError, r"min_categories should have shape \(1,\)"),
        ([["a"], ["b"]], {"min_categories": "x"}, ParameterError, "min_categories should have integral values"),
        (pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"])}), {}, DataTypeError, "holds times"),
    ],
    ids=["large code", "infinity", "p", "few sizes", "sizes", "times"],
)
def test_refusals(X: Any, params: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        CategoricalNB(**params).fit(X, [0, 1])


def test_tables_are_asked_for_by_name_or_position() -> None:
    frame = pd.DataFrame({"weather": WEATHER, "car": CAR})
    model = CategoricalNB().fit(frame, Y)
    assert model.frequency_table("car") == model.frequency_table(1)
    assert model.frequency_table("car") == {"bad": {"in": 1.0, "out": 1.0}, "ok": {"in": 2.0, "out": 2.0}}
    with pytest.raises(ParameterError, match="column must be the name or the position"):
        model.likelihood_table("wind")
