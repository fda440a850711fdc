"""RIPPER: the kernel against the readable reference, figures by hand, and data that are odd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError
from pellucid.models.rules.conditions import leaves
from pellucid.reference import ripper as plain
from pellucid.rules import RIPPERClassifier

SIGN = {"<=": 0, ">=": 1, "=": 2}


def table(seed: int, rows: int, classes: int = 2, noise: float = 0.1) -> tuple[Any, Any, Any, Any]:
    """Numbers of few and of many values, a column of codes, missing ones; classes that rules can tell apart."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.integers(0, 6, rows),
            rng.integers(-4, 4, rows) / 2,
            rng.normal(size=rows).round(2),
            rng.integers(0, 4, rows),
        ]
    ).astype(float)
    y = np.where((X[:, 0] >= 4) & (X[:, 3] != 1), 0, np.where((X[:, 1] < 0) & (X[:, 2] > 0), 1, classes - 1))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.where(rng.random(rows) < noise, rng.integers(0, classes, rows), y)
    return X, y, np.array([False, False, False, True]), rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], rows)


def by_reference(X: Any, place: Any, is_category: Any, weight: Any, seed: int, options: plain.Options) -> Any:
    matrix = _core.dense(X)
    return plain.ripper(
        X, place, lambda split: _core.ripper_keys(matrix, weight, seed, split), is_category, weight, options
    )


def by_kernel(X: Any, place: Any, is_category: Any, weight: Any, seed: int, options: plain.Options) -> Any:
    settings = _core.RipperSettings(
        folds=float(options.folds),
        optimizations=options.optimizations,
        min_weight=options.min_weight,
        max_conditions=options.max_conditions,
        max_rules=options.max_rules,
        prune=options.prune,
        prune_by=("laplace", "cohen").index(options.prune_value),
        check_error=options.check_error,
        seed=seed,
        threads=2,
    )
    classes = int(place.max()) + 1
    flags, codes = is_category.astype(np.uint8), place.astype(np.int32)
    return _core.ripper(_core.dense(X), flags, codes, weight, classes, settings, False)[0]


@pytest.mark.parametrize(
    "options",
    [
        plain.Options(),
        plain.Options(prune_value="cohen", optimizations=1, folds=4, min_weight=1),
        plain.Options(prune=False, max_conditions=2),
        plain.Options(check_error=False, max_rules=3, optimizations=0),
    ],
    ids=["default", "cohen", "unpruned", "limits"],
)
def test_the_kernel_learns_the_rules_of_the_reference(options: plain.Options) -> None:
    learned = 0
    for seed, (rows, classes) in enumerate([(30, 2), (60, 3), (90, 2), (80, 4)]):
        X, place, is_category, weight = table(seed, rows, classes)
        weight = weight if seed % 2 else np.ones(rows)
        want, left = by_reference(X, place, is_category, weight, seed, options)
        got = by_kernel(X, place, is_category, weight, seed, options)
        tests = list(zip(got["column"].tolist(), got["sign"].tolist(), got["value"].tolist(), strict=True))
        rules = [tests[got["start"][k] : got["start"][k + 1]] for k in range(len(got["place"]))]
        assert rules == [[(c, SIGN[s], v) for c, s, v in rule.tests] for rule in want]
        assert got["place"].tolist() == [rule.label for rule in want]
        np.testing.assert_array_equal(got["counts"], np.vstack([*(rule.counts for rule in want), left]))
        learned += len(rules)
    assert learned >= 4  # there was something to compare


def test_gains_values_and_lengths_by_hand() -> None:
    assert plain.foil_gain(4, 0, 4, 4) == 4.0  # from one in two to all: a bit for each of the four
    assert plain.foil_gain(2, 2, 2, 6) == 2.0  # from a quarter to a half
    assert plain.theory_bits(1, 2) == 1.0
    assert plain.theory_bits(2, 4) == 2.5
    assert math.isclose(plain.subset_bits(8, 2, 0.25), 4 + 6 * math.log2(4 / 3))
    assert math.isclose(plain.data_bits(0, 15, 0, 4, 0.5), 4 + plain.subset_bits(15, 4, 2 / 15))


def test_two_conditions_and_a_default() -> None:
    """Tall and not heavy: two tests of numbers, found whatever the split, since every value occurs often."""
    grid = [(h, w) for h in range(4) for w in range(4) for _ in range(8)]
    X = pd.DataFrame(grid, columns=["height", "weight"])
    y = np.where((X["height"] >= 2) & (X["weight"] <= 1), "a", "b")
    model = RIPPERClassifier(random_state=1).fit(X, y)
    assert sorted(model.rules_.to_text().splitlines()[0].split("IF ")[1].split(" THEN a")[0].split(" AND ")) == [
        "height >= 2",
        "weight <= 1",
    ]
    assert model.n_rules_ == 1
    assert model.rules_.default == "b"
    assert model.decided_counts_.tolist() == [[32, 0], [0, 96]]
    assert model.class_order_.tolist() == ["a", "b"]
    assert model.score(X, y) == 1.0


def test_the_first_rule_decides_and_its_rows_give_the_probabilities() -> None:
    X, y, _, weight = table(3, 200, 3)
    model = RIPPERClassifier(random_state=0, categorical_features=[3]).fit(X, y, weight)
    fired = np.array(
        [[all(t.meets(row[int(t.column[1:])]) for t in leaves(r.when)) for r in model.rules_.rules] for row in X]
    )
    first = np.where(fired.any(axis=1), fired.argmax(axis=1), model.n_rules_)
    counts = np.array([[weight[(first == k) & (y == c)].sum() for c in range(3)] for k in range(model.n_rules_ + 1)])
    np.testing.assert_array_equal(model.decided_counts_, counts)
    np.testing.assert_allclose(model.predict_proba(X), (counts / counts.sum(axis=1, keepdims=True))[first])
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    smooth = RIPPERClassifier(random_state=0, categorical_features=[3], laplace=True).fit(X, y, weight)
    np.testing.assert_allclose(smooth.predict_proba(X), ((counts + 1) / (counts + 1).sum(axis=1, keepdims=True))[first])


def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter() -> None:
    X, y, _, weight = table(4, 150)
    whole = np.round(weight)
    said = RIPPERClassifier(random_state=5).fit(X, y, whole).rules_.to_text(counts=True)
    again = np.repeat(np.arange(150), whole.astype(int))
    assert RIPPERClassifier(random_state=5).fit(X[again], y[again]).rules_.to_text(counts=True) == said
    mixed = np.random.default_rng(0).permutation(again)
    assert RIPPERClassifier(random_state=5).fit(X[mixed], y[mixed]).rules_.to_text(counts=True) == said


def test_a_growing_map_of_a_column_changes_no_row() -> None:
    """Only the order of numbers counts: their ranks."""
    X, y, _, _ = table(6, 150)
    model = RIPPERClassifier(random_state=2).fit(X, y)
    other = RIPPERClassifier(random_state=2).fit(np.exp(X) * 1e300, y)
    np.testing.assert_array_equal(model.predict(X), other.predict(np.exp(X) * 1e300))
    np.testing.assert_array_equal(model.decided_counts_, other.decided_counts_)


def test_frames_of_words_and_unseen_ones() -> None:
    frame = pd.DataFrame({"color": ["red", "red", None, "green"] * 9, "size": [1.0, np.nan, 3.0, 4.0] * 9})
    y = np.where(frame["color"] == "red", "ripe", "unripe")
    y[:3] = "unripe"  # some noise
    text = None
    for X in (frame, pl.from_pandas(frame), frame.astype({"color": "category"})):
        model = RIPPERClassifier(random_state=0).fit(X, y)
        text = text or model.rules_.to_text()
        assert model.rules_.to_text() == text
    assert text is not None
    assert "color = red" in text
    later = pd.DataFrame({"color": ["red", "blue", None], "size": [1.0, 1.0, np.nan]})
    assert model.predict(later.astype({"color": object})).tolist() == ["ripe", "unripe", "unripe"]


def test_a_given_order_makes_its_last_class_the_default() -> None:
    X, y, _, _ = table(7, 200, 3, noise=0.0)
    for order in ([2, 1, 0], (0, 2, 1), np.array([1, 0, 2])):
        model = RIPPERClassifier(class_order=order, random_state=0).fit(X, y)
        assert model.class_order_.tolist() == list(order)
        assert {rule.then for rule in model.rules_.rules} <= set(list(order)[:-1])
    with pytest.raises(
        ParameterError, match="class_order must name every class once; got 0, 1 for the classes 0, 1, 2"
    ):
        RIPPERClassifier(class_order=[0, 1]).fit(X, y)
    with pytest.raises(ParameterError, match="class_order must name every class once"):
        RIPPERClassifier(class_order=[0, 1, 1]).fit(X, y)
    with pytest.raises(ParameterError, match="class_order must be 'frequency' or a list"):
        RIPPERClassifier(class_order=np.eye(2)).fit(X, y)


def test_limits_hold() -> None:
    X, y, _, _ = table(8, 400, 4)
    limited = RIPPERClassifier(max_rules=2, max_conditions=1, random_state=0).fit(X, y)
    assert limited.n_rules_ <= 2
    assert all(rule.n_conditions <= 1 for rule in limited.rules_.rules)
    none = RIPPERClassifier(max_rules=0).fit(X, y)
    assert none.n_rules_ == 0
    assert none.predict(X).tolist() == [np.bincount(y).argmax()] * 400
    free = RIPPERClassifier(pruning=False, min_weight=0, random_state=0).fit(X, y)
    assert free.n_rules_ > limited.n_rules_


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], ["a"]),
        ([[1.0], [2.0]], ["a", "b"]),
        ([[1.0]] * 9, list("aabbbabab")),  # equal rows with different labels
        ([[np.nan]] * 8, list("aaaabbbb")),  # nothing known
        ([[5.0]] * 12, ["a"] * 12),  # one class
        ([[-0.0], [0.0]] * 8, ["a", "b"] * 8),  # one value
        ([[1e308], [-1e308], [1e-308], [0.0]] * 5, list("abba") * 5),
        ([[float(2**53)], [float(2**53 + 2)]] * 10, ["a", "b"] * 10),
        ([[True], [False]] * 10, ["a", "b"] * 10),
    ],
)
def test_odd_tables(X: Any, y: Any) -> None:
    model = RIPPERClassifier(random_state=0).fit(np.array(X), y)
    said = model.predict(np.array(X))
    assert set(said.tolist()) <= set(y)
    np.testing.assert_allclose(model.predict_proba(np.array(X)).sum(axis=1), 1.0)
    distinct: dict[Any, set[str]] = {tuple(row): set() for row in np.array(X).tolist() if row == row}
    for row, label in zip(np.array(X).tolist(), y, strict=True):
        distinct.setdefault(tuple(row), set()).add(label)
    if len(y) >= 16 and all(len(labels) == 1 for labels in distinct.values()):
        assert said.tolist() == list(y)


def test_empty_strings_are_a_category_and_an_all_missing_column_is_never_asked() -> None:
    X = pd.DataFrame({"a": ["", "x"] * 15, "b": [None] * 30}).astype({"a": object, "b": object})
    model = RIPPERClassifier(random_state=0).fit(X, ["p", "q"] * 15)
    assert model.rules_.columns == ("a",)
    assert model.score(X, ["p", "q"] * 15) == 1.0
    assert 'a = ""' in model.rules_.to_text()


def test_a_hundred_thousand_categories() -> None:
    rng = np.random.default_rng(0)
    codes = rng.permutation(100_000).astype(float)
    y = (codes % 2 == 0).astype(int)
    X = np.column_stack([codes, y ^ (rng.random(100_000) < 0.01)])
    model = RIPPERClassifier(random_state=0, categorical_features=[0], optimizations=1).fit(X, y)
    assert model.score(X, y) > 0.98
    assert model.n_rules_ <= 2


def test_weights_whose_sum_is_infinite_are_refused() -> None:
    with pytest.raises(DataError, match="the sum of sample_weight must fit into 64-bit floats"):
        RIPPERClassifier().fit([[1.0], [2.0]], ["a", "b"], [1.7e308, 1.7e308])


def test_a_pure_function_of_seed_and_data() -> None:
    X, y, _, _ = table(9, 300, 3)
    texts = {RIPPERClassifier(random_state=seed).fit(X, y).rules_.to_text() for seed in [1, 1, 1]}
    assert len(texts) == 1
    model = RIPPERClassifier(random_state=None).fit(X, y)
    assert model.show_fit(X, y) is not None  # the seed that was drawn is remembered


def test_the_working_ends_with_the_fitted_counts() -> None:
    X, y, _, weight = table(10, 60, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
        d=np.where(np.isnan(X[:, 3]), None, X[:, 3].astype(str))
    )
    model = RIPPERClassifier(random_state=0).fit(frame, y, weight)
    working = model.show_fit(frame, y, weight)
    assert model.n_rules_ >= 2
    for k in range(model.n_rules_):
        np.testing.assert_array_equal(working.value(f"count_{k + 1}"), model.decided_counts_[k])
    np.testing.assert_array_equal(working.value("count_default"), model.decided_counts_[-1])
    shown = model.show_predict(frame, rows=list(range(60)))
    np.testing.assert_array_equal(shown.value("prediction"), model.predict(frame))
