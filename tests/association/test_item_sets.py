"""Frequent sets: those of a plain count, in one order, whatever finds them and with any number of threads."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import pellucid
from pellucid.association import Apriori, Eclat, FrequentItemsets
from pellucid.association._mining import least_count
from pellucid.base.errors import DataError, ParameterError, UnknownNameError
from pellucid.reference import apriori as reference

ORDERS = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"], []]
MINERS: list[Any] = [Apriori(), Eclat(), FrequentItemsets(), FrequentItemsets(algorithm="apriori")]
BASKETS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), min_size=1, max_size=25)


def random_baskets(n: int, items: int, seed: int) -> list[list[int]]:
    """Baskets of which some items are in most, and one is in all."""
    random = np.random.default_rng(seed)
    chance = random.uniform(0.05, 0.7, items)
    chance[items // 2] = 1.0
    return [np.flatnonzero(random.uniform(size=items) < chance).tolist() for _ in range(n)]


def as_dict(model: Any) -> dict[tuple[Any, ...], float]:
    return {one.items: one.support for one in model.itemsets_}


@pytest.mark.parametrize("miner", MINERS, ids=repr)
@settings(max_examples=60, deadline=None)
@given(baskets=BASKETS, share=st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0]))
def test_the_sets_are_those_of_a_plain_count(miner: Any, baskets: list[list[str]], share: float) -> None:
    wanted, _ = reference.apriori(baskets, share)
    found = as_dict(clone(miner).set_params(min_support=share).fit(baskets))
    assert list(found) == list(wanted)
    assert found == wanted


@settings(max_examples=60, deadline=None)
@given(baskets=BASKETS, share=st.sampled_from([0.05, 0.1, 0.2, 0.5]))
def test_closed_and_maximal_sets_are_those_of_a_plain_comparison(baskets: list[list[str]], share: float) -> None:
    every, _ = reference.apriori(baskets, share)
    closed = as_dict(Eclat(min_support=share, kind="closed").fit(baskets))
    maximal = as_dict(Eclat(min_support=share, kind="maximal").fit(baskets))
    assert list(closed) == reference.closed(every)
    assert list(maximal) == reference.maximal(every)
    assert all(every[one] == share for one, share in (closed | maximal).items())


def test_every_frequent_set_has_the_support_of_the_smallest_closed_set_around_it() -> None:
    baskets = random_baskets(60, 12, 1)
    closed = as_dict(Eclat(min_support=0.1, kind="closed").fit(baskets))
    for items, support in as_dict(Eclat(min_support=0.1).fit(baskets)).items():
        assert support == max(share for one, share in closed.items() if set(items) <= set(one))


@pytest.mark.parametrize("kind", ["all", "closed", "maximal"])
@pytest.mark.parametrize("longest", [1, 2, 3])
def test_lengths_are_kept(kind: Any, longest: int) -> None:
    baskets = random_baskets(60, 12, 2)
    every = as_dict(Eclat(min_support=0.2, kind=kind).fit(baskets))
    short = Eclat(min_support=0.2, kind=kind, max_length=longest).fit(baskets)
    assert as_dict(short) == {one: share for one, share in every.items() if len(one) <= longest}
    long = Eclat(min_support=0.2, kind=kind, min_length=longest).fit(baskets)
    assert as_dict(long) == {one: share for one, share in every.items() if len(one) >= longest}


@pytest.mark.parametrize("miner", [Apriori(), Eclat(), Eclat(kind="closed"), Eclat(kind="maximal")], ids=repr)
def test_threads_change_nothing(miner: Any) -> None:
    baskets = random_baskets(300, 25, 3)
    one, two, three = (clone(miner).set_params(min_support=9, n_jobs=n).fit(baskets).itemsets_ for n in (1, 2, 3))
    assert len(one) > 100
    for other in (two, three):
        assert one.counts.tobytes() == other.counts.tobytes()
        assert [level.tobytes() for level in one.levels] == [level.tobytes() for level in other.levels]


def test_algorithms_agree_on_many_sparse_baskets() -> None:
    random = np.random.default_rng(4)
    baskets = [random.zipf(1.3, size=random.integers(0, 12)).tolist() for _ in range(3000)]
    found = [clone(miner).set_params(min_support=8).fit(baskets).itemsets_ for miner in MINERS]
    assert len(found[0]) > 500
    for other in found[1:]:
        assert other.counts.tolist() == found[0].counts.tolist()
        assert all(np.array_equal(a, b) for a, b in zip(found[0].levels, other.levels, strict=True))


# -------------------------------------------------------------------------------------------------------------- support


def test_a_share_is_compared_as_a_share() -> None:
    for n in (1, 3, 7, 10, 49, 1000):
        for k in range(1, n + 1):
            assert least_count(k / n, n) == k
            assert least_count(np.nextafter(k / n, 2), n) == k + 1 if k < n else True


def test_a_whole_number_is_a_number_of_baskets() -> None:
    assert as_dict(Apriori(min_support=2).fit(ORDERS)) == as_dict(Apriori(min_support=0.4).fit(ORDERS))
    assert Apriori(min_support=1).fit(ORDERS).min_count_ == 1
    assert Apriori(min_support=1.0).fit(ORDERS).min_count_ == 5


def test_a_share_above_1_is_refused() -> None:
    with pytest.raises(ParameterError, match="min_support must be a share from 0 to 1, or a whole number"):
        Apriori(min_support=1.5).fit(ORDERS)


def test_a_support_that_nothing_has_leaves_nothing() -> None:
    for miner in MINERS:
        model = clone(miner).set_params(min_support=100).fit(ORDERS)
        assert len(model.itemsets_) == 0
        assert list(model.itemsets_) == []
        assert model.itemsets_.columns()["support"].shape == (0,)


def test_baskets_without_items_count() -> None:
    assert as_dict(Eclat(min_support=0.1).fit([["a"], [], [], []])) == {("a",): 0.25}
    assert as_dict(Eclat(min_support=0.1).fit([[], []])) == {}


# ----------------------------------------------------------------------------------------------------------- the result


def test_sets_can_be_found_and_read() -> None:
    sets = FrequentItemsets(min_support=0.4).fit(ORDERS).itemsets_
    assert sets[0].items == ("bread",)
    assert sets[-1].items == ("bread", "tea")
    assert sets[1:3] == [sets[1], sets[2]]
    assert sets.support_of({"tea", "bread"}) == 0.4
    assert sets.support_of("milk") == 0.6
    assert sets.find(["milk", "tea"]) is None
    assert sets.find(["milk", "wine"]) is None
    columns = sets.columns()
    assert columns["items"].tolist() == [one.items for one in sets]
    assert columns["length"].tolist() == [len(one.items) for one in sets]
    with pytest.raises(IndexError):
        sets[len(sets)]
    with pytest.raises(UnknownNameError, match="must be among those found"):
        sets.support_of(["milk", "tea"])


def test_a_long_result_is_printed_in_part() -> None:
    sets = Eclat(min_support=1).fit([list("abcdef")]).itemsets_
    assert len(sets) == 63
    assert str(sets).splitlines()[-1] == "... and 43 more"


def test_a_fitted_miner_can_be_stored() -> None:
    model = Apriori(min_support=0.4).fit(ORDERS)
    again = pickle.loads(pickle.dumps(model))
    assert as_dict(again) == as_dict(model)
    assert again.lattice() == model.lattice()


def test_items_of_any_kind_keep_their_names() -> None:
    found = Eclat(min_support=1).fit([[("a", 1), 3, "x"], [3]]).itemsets_
    assert {item for one in found for item in one.items} == {("a", 1), 3, "x"}


def test_the_miners_have_their_role() -> None:
    names = [name for name, _ in pellucid.all_estimators("rule_miner")]
    assert names == ["Apriori", "AssociationRules", "Eclat", "FrequentItemsets"]


# --------------------------------------------------------------------------------------------------------------- levels


def test_levels_tell_what_became_of_the_candidates() -> None:
    baskets = random_baskets(40, 9, 5)
    model = Apriori(min_support=0.2).fit(baskets)
    _, levels = reference.apriori(baskets, 0.2)
    assert [(one.joined, one.pruned, one.frequent) for one in model.levels_] == [
        (len(one["joined"]), len(one["pruned"]), len(one["frequent"])) for one in levels
    ]
    assert all(one.counted == one.joined - one.pruned for one in model.levels_)


def test_the_record_names_every_candidate() -> None:
    baskets = random_baskets(40, 9, 6)
    model = Apriori(min_support=0.2)
    names, rows = model.fit_with_history(baskets)["candidates"]
    assert names == ["length", "left", "right", "without", "count"]
    _, levels = reference.apriori(baskets, 0.2)
    frequent = [[one.items for one in model.itemsets_ if len(one.items) == k + 1] for k in range(len(levels))]
    items = model.items_.tolist()
    for k, level in enumerate(levels):
        of_level = rows[rows[:, 0] == k + 1].astype(int).tolist()
        made = [(items[a],) if k == 0 else frequent[k - 1][a] + frequent[k - 1][b][-1:] for _, a, b, _, _ in of_level]
        assert made == level["joined"]
        pruned = [one for one, row in zip(made, of_level, strict=True) if row[3] >= 0]
        assert pruned == level["pruned"]
        for one, (_, _, _, without, n) in zip(made, of_level, strict=True):
            if without >= 0:
                assert one[:without] + one[without + 1 :] not in frequent[k - 1]
            else:
                assert n == round(reference.support(baskets, one) * len(baskets))


def test_the_lattice_tells_the_fate_of_every_set() -> None:
    baskets = random_baskets(30, 6, 7)
    model = Apriori(min_support=0.4, min_length=2).fit(baskets)
    supports, levels = reference.apriori(baskets, 0.4)
    failed = {one for level in levels for one in level["infrequent"]}
    fates = dict(model.lattice())
    assert list(fates) == [one for k in range(1, 7) for one in combinations(range(6), k)]
    assert {one for one, fate in fates.items() if fate == "frequent"} == set(supports)
    assert {one for one, fate in fates.items() if fate == "infrequent"} == failed
    short = dict(Apriori(min_support=0.4, max_length=2).fit(baskets).lattice([0, 1, 2, 3]))
    assert {fate for one, fate in short.items() if len(one) > 2} == {"not sought"}
    assert set(short) == {one for k in range(1, 5) for one in combinations(range(4), k)}


def test_a_lattice_of_too_many_items_is_refused() -> None:
    model = Apriori(min_support=1).fit([list(range(13))])
    with pytest.raises(DataError, match="at most 12 items; got 13"):
        model.lattice()
    with pytest.raises(DataError, match="must be items of the baskets; got item 'wine'"):
        model.lattice(["wine"])


# --------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("miner", [*MINERS, Eclat(kind="closed")], ids=repr)
def test_too_many_sets_end_in_a_sentence(miner: Any) -> None:
    baskets = [[k for k in range(30) if k != left_out] for left_out in range(30)]
    model = clone(miner).set_params(min_support=2, max_itemsets=1000)
    with pytest.raises(
        DataError, match=r"there may be 1,000 frequent sets \(max_itemsets\); a support of 2 of 30 baskets"
    ):
        model.fit(baskets)
    assert not hasattr(model, "itemsets_")


def test_baskets_of_thousands_of_items_are_too_many_at_once() -> None:
    alike = [list(range(30_000))] * 2
    growing = [list(range(n)) for n in range(1, 800)]
    for baskets in (alike, growing):
        with pytest.raises(DataError, match="there may be 10,000,000 frequent sets"):
            Eclat(min_support=1).fit(baskets)
    fewer = [one[:1000] for one in alike]
    assert [len(one.items) for one in Eclat(min_support=1, kind="closed").fit(fewer).itemsets_] == [1000]
    assert len(Eclat(min_support=1, kind="closed").fit(growing).itemsets_) == 799
    assert len(Eclat(min_support=1, max_length=1).fit(alike).itemsets_) == 30_000


def test_a_failed_fit_leaves_the_model_as_it_was() -> None:
    model = Eclat(min_support=0.4).fit(ORDERS)
    before = as_dict(model)
    with pytest.raises(DataError):
        model.fit([])
    assert as_dict(model) == before


def test_levels_know_no_closed_sets() -> None:
    with pytest.raises(ParameterError, match='algorithm="apriori" finds all sets; got kind="closed"'):
        FrequentItemsets(algorithm="apriori", kind="closed").fit(ORDERS)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("position", [1, 50])
def test_a_search_can_be_interrupted(threads: int, position: int, interrupt_at: Callable[[int], None]) -> None:
    """2^40 sets would take hours, and memory without end."""
    baskets = [list(range(40)), list(range(40)), [0, 1]]
    interrupt_at(position)
    with pytest.raises(KeyboardInterrupt):
        Eclat(min_support=1, max_itemsets=10**15, n_jobs=threads).fit(baskets)
