"""The algebra of conditions: opposites, complements and simplification keep what they promise for every value."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import ParameterError
from pellucid.models.rules.conditions import (
    ALWAYS,
    NEVER,
    All,
    AnyOf,
    Condition,
    both,
    column,
    complement,
    either,
    holds,
    leaves,
    negated,
    simplified,
)

X, C = column("x"), column("c")
NUMBERS = [None, -np.inf, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, np.inf]
NAMES = [None, "a", "b", "d"]
TESTS = [
    X <= 1, X < 1, X > 1, X >= 1, X == 1, X != 1, X.between(0, 2), X.is_in([0, 3]), X.not_in([0, 3]),
    X.is_missing(), X.is_known(), ~X.between(0, 2), Condition("x", 0, 2, low_open=True), (X <= 1).or_missing(),
    X.is_in([]), X.not_in([]),
]  # fmt: skip
OF_NAMES = [C == "a", C != "a", C.is_in(["a", "b"]), C.not_in(["a", "b"]), C.is_missing(), (C == "b").or_missing()]


def values_of(test: Any) -> list[dict[str, Any]]:
    return [{"x": x, "c": c} for x in NUMBERS for c in NAMES]


def expressions() -> list[Any]:
    random = np.random.default_rng(0)
    found: list[Any] = list(TESTS + OF_NAMES)
    for _ in range(300):
        parts = [found[i] for i in random.integers(0, len(found), random.integers(2, 4))]
        found.append(both(*parts) if random.random() < 0.5 else either(*parts))
        if sum(1 for _ in leaves(found[-1])) > 8:
            found.pop()
    return found


ROWS = values_of(None)
EXPRESSIONS = expressions()


def test_complement_is_everything_else() -> None:
    for one in EXPRESSIONS:
        assert all(holds(complement(one), row) != holds(one, row) for row in ROWS), one


def test_not_never_holds_together_with_what_it_denies_and_is_the_complement_on_known_values() -> None:
    known = [row for row in ROWS if row["x"] is not None and row["c"] is not None]
    for one in EXPRESSIONS:
        assert not any(holds(negated(one), row) and holds(one, row) for row in ROWS), one
        assert all(holds(negated(one), row) != holds(one, row) for row in known), one


def test_not_of_a_test_fails_for_a_missing_value() -> None:
    assert not holds(~(X > 3), {"x": None})
    assert holds(~X.is_missing(), {"x": 1.0})
    assert not holds(~X.is_missing(), {"x": None})
    assert ~(X > 3) == (X <= 3)


def test_simplifying_changes_no_answer_and_adds_no_test() -> None:
    for one in EXPRESSIONS:
        short = simplified(one)
        assert all(holds(short, row) == holds(one, row) for row in ROWS), one
        assert sum(1 for _ in leaves(short)) <= sum(1 for _ in leaves(one))


def test_the_meet_of_two_tests_is_both() -> None:
    for a, b in itertools.product(TESTS, TESTS):
        met = a.meet(b)
        if met is not None:
            assert all(met.meets(x) == (a.meets(x) and b.meets(x)) for x in NUMBERS), (a, b)


def test_tests_of_one_column_become_an_interval_or_a_set() -> None:
    assert simplified(both(X > 1, X <= 5, X > 2)) == Condition("x", 2, 5, low_open=True)
    assert simplified(both(C.is_in(["a", "b", "d"]), C != "b")) == C.is_in(["a", "d"])
    assert simplified(both(X < 3, X > 5)) == NEVER
    assert simplified(both(X > 6, ~Condition("x", 6, 9, low_open=True))) == (X > 9)
    assert simplified(both(X.is_in([1, 2, 8]), X < 5)) == X.is_in([1, 2])
    assert simplified(either(X <= 3, X.is_missing())) == (X <= 3).or_missing()
    assert simplified(All((ALWAYS, AnyOf((NEVER, X > 1))))) == (X > 1)


@pytest.mark.parametrize("limit", ["tall", None, float("nan"), 10**400])
def test_limits_must_be_numbers(limit: Any) -> None:
    with pytest.raises(ParameterError, match="must be numbers"):
        Condition.at_most("x", limit)


def test_a_value_must_be_known() -> None:
    with pytest.raises(ParameterError, match="is_missing"):
        Condition.equals("x", float("nan"))


def test_true_and_one_are_two_values_and_one_is_1_point_0() -> None:
    assert len(Condition.is_in("x", [1, True, 1.0]).values or ()) == 2
    assert Condition.equals("x", np.float64(-0.0)).values == (0.0,)
