"""Frequent sets and rules beside mlxtend's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from mlxtend import frequent_patterns

from pellucid.association import Apriori, AssociationRules, Eclat

SAME = {  # their names of our measures
    "support": "support",
    "confidence": "confidence",
    "lift": "lift",
    "leverage": "leverage",
    "conviction": "conviction",
    "zhang": "zhangs_metric",
    "jaccard": "jaccard",
    "certainty": "certainty",
    "kulczynski": "kulczynski",
}


def table(seed: int, rows: int = 300, items: int = 12) -> pd.DataFrame:
    """Flags of items some of which go together."""
    random = np.random.default_rng(seed)
    flags = random.uniform(size=(rows, items)) < random.uniform(0.1, 0.6, items)
    flags[:, 1] |= flags[:, 0] & (random.uniform(size=rows) < 0.7)
    return pd.DataFrame(flags, columns=[f"item {j}" for j in range(items)])


def as_sets(frame: Any) -> dict[frozenset[str], float]:
    return {frozenset(one): share for one, share in zip(frame["itemsets"], frame["support"], strict=True)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.03, 0.1, 0.3])
def test_sets_are_the_same(seed: int, share: float) -> None:
    flags = table(seed)
    for theirs, ours in (
        (frequent_patterns.apriori, Apriori(share)),
        (frequent_patterns.fpgrowth, Eclat(share)),
        (frequent_patterns.fpmax, Eclat(share, kind="maximal")),
    ):
        wanted = as_sets(theirs(flags, min_support=share, use_colnames=True))
        found = {frozenset(one.items): one.support for one in ours.fit(flags).itemsets_}
        assert found.keys() == wanted.keys()
        assert all(found[one] == pytest.approx(wanted[one], rel=1e-12) for one in wanted)


@pytest.mark.parametrize("seed", range(3))
def test_rules_and_measures_are_the_same(seed: int) -> None:
    flags = table(seed)
    sets = frequent_patterns.fpgrowth(flags, min_support=0.05, use_colnames=True)
    theirs = frequent_patterns.association_rules(sets, num_itemsets=len(flags), metric="confidence", min_threshold=0.4)
    ours = AssociationRules(min_support=0.05, min_confidence=0.4).fit(flags).rules_
    columns = ours.columns()
    found = {
        (frozenset(left), frozenset(right)): {name: columns[name][k] for name in SAME}
        for k, (left, right) in enumerate(zip(columns["antecedent"], columns["consequent"], strict=True))
    }
    assert len(found) == len(theirs) > 20
    for _, row in theirs.iterrows():
        one = found[frozenset(row["antecedents"]), frozenset(row["consequents"])]
        for name, their_name in SAME.items():
            if name == "certainty" and one["lift"] < 1:
                continue  # below independence they divide by 1 - support(Y) too, ours and arules' by support(Y)
            assert one[name] == pytest.approx(row[their_name], rel=1e-9, abs=1e-12), name
