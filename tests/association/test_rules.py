"""Rules: every split that is right often enough, with measures that agree with their definitions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.association import AssociationRules, FrequentItemsets, read_baskets
from pellucid.base.errors import DataError, DataTypeError, ParameterError, UnknownNameError
from pellucid.reference import association_rules as reference

BASKETS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=20)
ORDERS = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"]]
GROCERIES = Path(__file__).parent / "groceries_150.csv"


@settings(max_examples=80, deadline=None)
@given(
    baskets=BASKETS,
    share=st.sampled_from([0.05, 0.2, 0.5]),
    sure=st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 1.0]),
    right=st.sampled_from([None, 1, 2]),
)
def test_the_rules_are_those_of_all_splits(baskets: Any, share: float, sure: float, right: int | None) -> None:
    wanted = reference.association_rules(baskets, share, sure, right)
    model = AssociationRules(min_support=share, min_confidence=sure, max_consequent=right, sort_by=None).fit(baskets)
    assert [(one.antecedent, one.consequent) for one in model.rules_] == [one[:2] for one in wanted]
    for one, other in zip(model.rules_, wanted, strict=True):
        figures = reference.measures(baskets, other.antecedent, other.consequent)
        assert list(figures) == list(model.rules_.measures)
        for name, value in figures.items():
            assert getattr(one, name) == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_groceries_have_the_rules_of_a_plain_count() -> None:
    baskets = read_baskets(GROCERIES)
    model = AssociationRules(min_support=0.02, min_confidence=0.25, max_consequent=1, sort_by=None).fit(baskets)
    wanted = reference.association_rules(list(baskets), 0.02, 0.25, 1)
    assert len(wanted) > 20
    assert [(one.antecedent, one.consequent) for one in model.rules_] == [one[:2] for one in wanted]
    np.testing.assert_allclose([one.lift for one in model.rules_], [one.lift for one in wanted], rtol=1e-12)


def test_measures_at_their_ends() -> None:
    always = AssociationRules(min_support=1).fit([["a", "b"], ["a", "b"], ["c"], []]).rules_[0]
    assert always.conviction == math.inf
    assert (always.zhang, always.cosine, always.jaccard, always.certainty) == (1.0, 1.0, 1.0, 1.0)
    assert always.chi_squared == pytest.approx(4.0)
    everywhere = AssociationRules(min_support=1).fit([["a", "b"], ["a", "b"]]).rules_[0]
    assert (everywhere.lift, everywhere.leverage, everywhere.zhang, everywhere.certainty) == (1.0, 0.0, 0.0, 0.0)
    assert everywhere.chi_squared == 0.0


def test_baskets_that_confirm_and_contradict_are_counted() -> None:
    rule = AssociationRules(min_support=0.5, min_confidence=0.6, sort_by=None).fit(ORDERS).rules_[0]
    assert (str(rule), rule.confirms, rule.contradicts) == ("bread => milk", 2, 1)


def test_rules_are_sorted() -> None:
    baskets = read_baskets(GROCERIES)
    model = AssociationRules(min_support=0.02, min_confidence=0.2).fit(baskets)
    assert len(model.rules_) > 20
    for name in ("lift", "confidence", "support", "zhang"):
        values = model.set_params(sort_by=name).fit(baskets).rules_.measure(name)
        assert (np.diff(values) <= 1e-12).all()


def test_thresholds_leave_out_rules() -> None:
    baskets = read_baskets(GROCERIES)
    every = AssociationRules(min_support=0.02, min_confidence=0.2).fit(baskets).rules_
    some = AssociationRules(
        min_support=0.02, min_confidence=0.2, min_lift=1.5, thresholds={"cosine": 0.2, "lift": 1.2}, min_length=3
    ).fit(baskets)
    wanted = [
        one for one in every if one.lift >= 1.5 and one.cosine >= 0.2 and len(one.antecedent) + len(one.consequent) >= 3
    ]
    assert 0 < len(wanted) < len(every)
    assert list(some.rules_) == wanted


@pytest.mark.parametrize("value", [{"luck": 1}, {"lift": "much"}, {"lift": float("nan")}])
def test_wrong_thresholds_are_refused(value: Any) -> None:
    with pytest.raises(ParameterError, match="thresholds must"):
        AssociationRules(thresholds=value).fit(ORDERS)


def test_threads_change_nothing() -> None:
    baskets = read_baskets(GROCERIES)
    one, two, three = (
        AssociationRules(min_support=2, min_confidence=0.1, n_jobs=n).fit(baskets).rules_ for n in (1, 2, 3)
    )
    assert len(one) > 1000
    assert one.places.tobytes() == two.places.tobytes() == three.places.tobytes()


def test_rules_come_as_columns_and_as_text() -> None:
    model = AssociationRules(min_support=0.5, min_confidence=0.6).fit(ORDERS)
    columns = model.rules_.columns()
    assert columns["antecedent"].tolist() == [("tea",), ("bread",), ("bread",), ("milk",)]
    assert columns["lift"].tolist() == [one.lift for one in model.rules_]
    assert model.rules_[1:3] == [model.rules_[1], model.rules_[2]]
    many = AssociationRules(min_support=1, min_confidence=0).fit([list("abcde")]).rules_
    assert str(many).splitlines()[-1] == f"... and {len(many) - 20} more"
    with pytest.raises(UnknownNameError, match=r"a measure must be one of support, .*; got 'luck'"):
        model.rules_.measure("luck")


def test_no_rules_are_no_error() -> None:
    model = AssociationRules(min_support=1.0).fit(ORDERS)
    assert len(model.rules_) == 0
    assert model.recommend(["bread"]) == []
    assert str(model.rules_) == "support  confidence  lift  rule"


# ---------------------------------------------------------------------------------------------------- sets found before


def test_rules_can_be_made_of_sets_found_before() -> None:
    baskets = read_baskets(GROCERIES)
    sets = FrequentItemsets(min_support=0.02).fit(baskets).itemsets_
    again = AssociationRules(min_confidence=0.3).fit_itemsets(sets)
    wanted = AssociationRules(min_support=0.02, min_confidence=0.3).fit(baskets)
    assert list(again.rules_) == list(wanted.rules_)
    assert again.n_baskets_ == 150
    pairs = AssociationRules(min_confidence=0.3, max_length=2).fit_itemsets(sets)
    short = AssociationRules(min_support=0.02, min_confidence=0.3, max_length=2).fit(baskets)
    assert list(pairs.rules_) == list(short.rules_)


def test_sets_without_their_parts_are_refused() -> None:
    for more in ({"kind": "maximal"}, {"min_length": 2}):
        sets = FrequentItemsets(min_support=0.5, **more).fit(ORDERS).itemsets_
        with pytest.raises(DataError, match=r"itemsets must hold every part of each set; parts of .* are not there"):
            AssociationRules().fit_itemsets(sets)
    with pytest.raises(DataTypeError, match="itemsets must be ItemSets; got 3"):
        AssociationRules().fit_itemsets(3)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------ recommendations


def test_the_best_rule_that_applies_recommends() -> None:
    model = AssociationRules(min_support=1, min_confidence=0.1).fit(ORDERS)
    found = model.recommend(["milk"], n=2)
    assert [(one.item, one.score) for one in found] == [("bread", 2 / 3), ("tea", 1 / 3)]
    assert str(found[0].rule) == "milk => bread"
    assert [one.item for one in model.recommend(["milk"], n=1)] == ["bread"]
    assert model.recommend(["bread", "milk", "tea"]) == []
    assert model.recommend([]) == []
    assert [one.item for one in model.recommend({"wine", "tea"}, by="lift")] == ["bread", "milk"]


@pytest.mark.parametrize(
    ("basket", "more", "kind", "words"),
    [
        ("milk", {}, DataTypeError, "basket must be a collection; got 'milk'"),
        (3, {}, DataTypeError, "basket must be a collection; got 3"),
        (["milk"], {"n": 0}, ParameterError, "n must be a whole number of at least 1; got 0"),
        (["milk"], {"by": "luck"}, ParameterError, "by must be one of support, .*; got 'luck'"),
    ],
)
def test_wrong_questions_are_refused(basket: Any, more: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        AssociationRules().fit(ORDERS).recommend(basket, **more)


# -------------------------------------------------------------------------------------------------------------- lattice


def test_a_consequent_that_fails_takes_larger_ones_with_it() -> None:
    baskets = [list("abcd")] * 3 + [list("bcd")] * 7
    model = AssociationRules(min_support=0.1, min_confidence=0.5).fit(baskets)
    fates = {(left, right): fate for left, right, fate in model.lattice("abcd")}
    assert len(fates) == 14
    assert [one for one, fate in fates.items() if fate == "failed"] == [(tuple("bcd"), ("a",))]
    pruned = {one for one, fate in fates.items() if fate == "pruned"}
    assert pruned == set(reference.fallen_rules("abcd", "a"))
    kept = {one for one, fate in fates.items() if fate == "kept"}
    of_set = {(one.antecedent, one.consequent) for one in model.rules_ if len(one.antecedent + one.consequent) == 4}
    assert kept == of_set
    with pytest.raises(DataError, match="a frequent one of 2 to 10 items; got"):
        model.lattice(["a", "wine"])


def test_too_many_rules_end_in_a_sentence() -> None:
    model = AssociationRules(min_support=1, min_confidence=0, max_rules=100)
    with pytest.raises(
        DataError, match=r"there may be 100 rules \(max_rules\); 255 frequent sets and a confidence of 0"
    ):
        model.fit([list("abcdefgh")])
