"""Pictures of sets and rules: what they show is what the model found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib import colors, pyplot

from pellucid.association import Apriori, AssociationRules
from pellucid.base.errors import DataError, ParameterError, UnknownNameError
from pellucid.plotting.association import LOOKS, itemset_lattice, rule_lattice, rule_scatter

PAIRLESS = [list("acde"), list("bcde")]
ORDERS = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"]]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def edges(ax: Any) -> dict[str, tuple[float, ...]]:
    return {text.get_text(): text.get_bbox_patch().get_edgecolor() for text in ax.texts}


def test_every_set_has_a_box_in_the_color_of_its_fate() -> None:
    model = Apriori(min_support=0.5).fit(PAIRLESS)
    found = edges(itemset_lattice(model))
    assert len(found) == 32
    for one, fate in model.lattice():
        assert found[" ".join(one)] == colors.to_rgba(LOOKS[fate][0])
    assert len({look[:1] + look[3:] for look in (LOOKS["frequent"], LOOKS["infrequent"], LOOKS["pruned"])}) == 3


def test_lines_join_a_set_with_those_of_one_item_more() -> None:
    ax = itemset_lattice(Apriori(min_support=0.5).fit(PAIRLESS), "abc")
    place = {text.get_text().replace(" ", ""): text.get_position() for text in ax.texts}
    place[""] = place.pop("{}")
    joined = {tuple(sorted(map(tuple, line.get_xydata().round(9).tolist()))) for line in ax.get_lines()}
    wanted = {
        tuple(sorted((tuple(np.round(place[a], 9)), tuple(np.round(place[b], 9)))))
        for a in place
        for b in place
        if len(b) == len(a) + 1 and set(a) <= set(b)
    }
    assert joined == wanted
    assert len(wanted) == 12


def test_every_rule_of_a_set_has_a_box() -> None:
    model = AssociationRules(min_support=0.1, min_confidence=0.5).fit([list("abcd")] * 3 + [list("bcd")] * 7)
    found = edges(rule_lattice(model, "abcd"))
    assert len(found) == 14
    for left, right, fate in model.lattice("abcd"):
        assert found[f"{' '.join(left)} → {' '.join(right)}"] == colors.to_rgba(LOOKS[fate][0])


def test_rules_lie_at_their_measures() -> None:
    model = AssociationRules(min_support=0.25, min_confidence=0.1).fit(ORDERS)
    ax = rule_scatter(model, labels=2)
    points = ax.collections[0]
    found = sorted(zip(*points.get_offsets().T.tolist(), points.get_array().tolist(), strict=True))
    assert found == sorted((one.support, one.confidence, one.lift) for one in model.rules_)
    assert [text.get_text() for text in ax.texts] == [str(one).replace("=>", "→") for one in model.rules_[:2]]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("support", "confidence", f"{len(model.rules_)} rules")
    other = rule_scatter(model, x="coverage", y="conviction", color="chi_squared")
    never_wrong = sum(np.isinf(model.rules_.measure("conviction")))
    assert never_wrong
    assert other.get_title() == f"{len(model.rules_)} rules, {never_wrong} of them without a finite number"


def test_a_given_axes_is_drawn_on() -> None:
    ax = pyplot.subplots()[1]
    model = AssociationRules(min_support=0.25).fit(ORDERS)
    assert rule_scatter(model, ax=ax) is ax
    assert rule_lattice(model, ["bread", "milk"], ax=ax) is ax
    assert itemset_lattice(Apriori(min_support=0.25).fit(ORDERS), ax=ax) is ax


def test_what_cannot_be_drawn_is_refused() -> None:
    sets, rules = Apriori(min_support=0.25).fit(ORDERS), AssociationRules(min_support=0.25).fit(ORDERS)
    with pytest.raises(ParameterError, match="model must be a fitted Apriori; got AssociationRules"):
        itemset_lattice(rules)
    with pytest.raises(DataError, match="at most 7 items; got 8"):
        itemset_lattice(Apriori(min_support=1).fit([list("abcdefgh")]))
    with pytest.raises(ParameterError, match="model must be fitted AssociationRules; got Apriori"):
        rule_lattice(sets, "ab")
    with pytest.raises(DataError, match="the set must have 2 to 5 items"):
        rule_lattice(rules, ["bread"])
    with pytest.raises(ParameterError, match="model must be fitted AssociationRules; got Apriori"):
        rule_scatter(sets)
    with pytest.raises(UnknownNameError, match=r"must be measures of rules \(support, .*\); got 'luck'"):
        rule_scatter(rules, color="luck")
    with pytest.raises(DataError, match="there must be rules to draw"):
        rule_scatter(AssociationRules(min_support=1.0).fit(ORDERS))
