"""PRISM: the lenses of its author, the reference, and noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError
from pellucid.models.rules.words import expression_text
from pellucid.reference.prism import prism
from pellucid.rules import PRISMClassifier
from pellucid.rules._ruled import measure

from .weather import FITTED, LENSES, NAMES, PLAY


def conditions_of(model: PRISMClassifier, label: str) -> list[set[str]]:
    return [set(expression_text(rule.when).split(" AND ")) for rule in model.rules_.rules if rule.then == label]


def test_the_rules_for_hard_lenses() -> None:
    """Astigmatic with normal tears: for the short-sighted, and for the young (Cendrowska; Witten and Frank 4.4)."""
    model = PRISMClassifier().fit(LENSES, FITTED)
    both_rules = [
        {"astigmatic = yes", "tears = normal", "prescription = myope"},
        {"age = young", "astigmatic = yes", "tears = normal"},
    ]
    assert conditions_of(model, "hard") == both_rules
    first = slice(int(model.steps_.starts[0]), int(model.steps_.starts[1]))
    assert list(zip(model.steps_.right[first], model.steps_.covered[first], strict=True)) == [(4, 12), (4, 6), (3, 3)]


def test_every_rule_is_right_and_every_row_is_covered() -> None:
    for X, y in ((LENSES, FITTED), (NAMES, PLAY)):
        model = PRISMClassifier().fit(X, y)
        assert (model.accuracy_ == 1).all()
        assert model.n_conflicts_ == 0
        assert model.predict(X).tolist() == list(y)
        assert model.decided_counts_[-1].sum() == 0


def random_table(seed: int, n: int = 40) -> tuple[pd.DataFrame, Any, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame({f"c{j}": random.choice(["a", "b", "d", None], n, p=[0.4, 0.3, 0.2, 0.1]) for j in range(4)})
    y = np.where((X["c0"] == "a") | (X["c1"] == "b"), "in", "out")
    return X, np.where(random.random(n) < 0.15, "odd", y), random.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("settings", [{}, {"min_accuracy": 0.8}, {"min_rows": 3}, {"max_conditions": 2}])
def test_the_kernel_is_the_reference(settings: dict[str, Any]) -> None:
    for seed in range(6):
        X, y, weight = random_table(seed)
        table = [[None if pd.isna(v) else v for v in row] for row in X.astype(object).to_numpy().tolist()]
        for w in (None, weight, weight / 8):
            model = PRISMClassifier(**settings).fit(X, y, w)
            wanted = prism(table, y.tolist(), **settings, weight=None if w is None else w.tolist())
            assert found_rules(model) == [
                (label, conditions, [(float(p), float(t)) for p, t in shares]) for label, conditions, shares in wanted
            ]


def found_rules(model: PRISMClassifier) -> list[Any]:
    steps, found = model.steps_, []
    for i, label in enumerate(steps.label.tolist()):
        own = range(int(steps.starts[i]), int(steps.starts[i + 1]))
        conditions = [
            (int(steps.feature[s]), model.coding_.values[int(steps.feature[s])][int(steps.code[s])]) for s in own
        ]
        shares = [(float(steps.right[s]), float(steps.covered[s])) for s in own]
        found.append((model.classes_[label], conditions, shares))
    return found


def test_equal_rows_with_different_classes_end_a_rule() -> None:
    X = pd.DataFrame({"a": ["x", "x", "x"], "b": ["u", "u", "u"]})
    model = PRISMClassifier().fit(X, ["no", "yes", "yes"])
    assert [rule.n_conditions for rule in model.rules_.rules] == [2, 2]
    assert model.predict(X).tolist() == ["yes"] * 3  # by vote: 2 / 3 against 1 / 3
    assert PRISMClassifier(conflict="first").fit(X, ["no", "yes", "yes"]).predict(X).tolist() == ["no"] * 3
    np.testing.assert_allclose(model.predict_proba(X)[0], [1 / 3, 2 / 3])


def test_numbers_are_cut_or_refused() -> None:
    X = pd.DataFrame({"size": np.arange(20.0), "color": ["red", "blue"] * 10})
    y = np.where(np.arange(20) < 8, "small", "large")
    model = PRISMClassifier(n_bins=5).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.coding_.edges[0].tolist() == [3.5, 7.5, 11.5, 15.5]
    with pytest.raises(DataError, match=r"'size' hold numbers.*\nhint: numbers='cut'"):
        PRISMClassifier(numbers="refuse").fit(X, y)


def test_rows_without_any_value_fall_to_the_default() -> None:
    X = pd.DataFrame({"a": [None, None, None, "x"], "b": [None, None, None, "u"]})
    model = PRISMClassifier().fit(X, ["p", "p", "q", "q"])
    assert model.rules_.default == "p"
    assert model.predict(X).tolist() == ["p", "p", "p", "q"]
    assert model.predict(pd.DataFrame({"a": ["new"], "b": [None]})).tolist() == ["p"]


def test_a_hundred_thousand_categories() -> None:
    n = 20_000
    X = np.column_stack([np.arange(n), np.arange(n) % 2]).astype(float)
    model = PRISMClassifier(categorical_features=[0, 1]).fit(X, np.arange(n) % 2)
    assert len(model.rules_) == 2
    assert model.score(X, np.arange(n) % 2) == 1


def test_rules_do_not_depend_on_how_many_codes_are_free() -> None:
    """Beyond 4,096 values the kernel keeps its counts otherwise."""
    rng = np.random.default_rng(2)
    codes = np.column_stack([rng.integers(0, size, 3000) for size in (50, 3, 4, 6)]).astype(float)
    y = (codes[:, 1] + codes[:, 2] + rng.normal(size=3000) > 2.5).astype(int)
    wide = codes * [100, 1, 1, 1]
    near, far = (PRISMClassifier(categorical_features=[0, 1, 2, 3]).fit(X, y) for X in (codes, wide))
    assert near.steps_.feature.tolist() == far.steps_.feature.tolist()
    unit = np.where(far.steps_.feature == 0, 100, 1)
    assert (near.steps_.code * unit).tolist() == far.steps_.code.tolist()
    assert near.steps_.right.tolist() == far.steps_.right.tolist()
    assert near.predict(codes).tolist() == far.predict(wide).tolist()


@pytest.mark.parametrize("conflict", ["first", "vote", "priority"])
def test_rows_listed_by_rule_and_rules_listed_by_row_count_the_same(conflict: Any) -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=700), rng.integers(0, 5, 700), rng.integers(0, 3, 700)]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y, weight = rng.integers(0, 3, 700), rng.integers(0, 3, 700).astype(float)
    model = PRISMClassifier(categorical_features=[1, 2], conflict=conflict).fit(X, y, sample_weight=weight)
    d = model._validate_predict(X)
    d.weight = weight
    one, other = (measure(model._matcher_, d, y.astype(np.int32), 2, pairs=pairs) for pairs in (True, False))
    assert one.covered.tolist() == other.covered.tolist()
    assert one.decided.tolist() == other.decided.tolist()
    assert one.n_conflicts == other.n_conflicts > 0
