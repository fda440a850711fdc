"""Baskets: which items go together, stated in words, and which of the rules say more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.association import AssociationRules
from pellucid.association._rule_table import AssociationRule
from pellucid.base.errors import DataError, count
from pellucid.data.baskets import Baskets
from pellucid.report.charts_plots import Bar, bars, scatter
from pellucid.report.interactions.significance import ALPHA, SignificantRules, significant_rules
from pellucid.report.outcome import Listing, Picture

CONFIDENCE = 0.2
N_WANTED = 30  # rules that say more than chance and have a strong lift
STRONG_LIFT = 1.5
SUPPORTS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
MIN_COUNT = 5  # baskets in which a rule must be seen
MAX_LENGTH = 4  # items of a rule
MAX_ITEMSETS = 200_000
N_LISTED, N_POINTS, N_ITEMS = 100, 600, 20


@dataclass(frozen=True)
class Mined:
    """The rules of baskets, and which of them say more than chance."""

    model: AssociationRules
    significant: SignificantRules

    @property
    def rules(self) -> list[AssociationRule]:
        """The rules that say more than chance, those of the largest lift first."""
        return [self.model.rules_[int(index)] for index in self.significant.places]


def mine(baskets: Baskets, support: float | None = None, confidence: float = CONFIDENCE) -> Mined:
    """Rules of baskets with one item on the right.

    Parameters
    ----------
    support : the smallest share of baskets; by default the largest of a series that gives enough rules beyond chance
    confidence : the smallest confidence
    """
    if support is not None:
        return _mined(baskets, support, confidence, MAX_LENGTH, None)
    best: Mined | None = None
    for step in SUPPORTS:
        min_count = max(min(MIN_COUNT, len(baskets)), int(np.ceil(step * len(baskets))))
        mined = _within_limits(baskets, min_count, confidence)
        if mined is None:
            break
        best = mined
        n_strong = int((mined.model.rules_.measure("lift")[mined.significant.places] >= STRONG_LIFT).sum())
        if n_strong >= N_WANTED or min_count <= MIN_COUNT:
            break
    return best if best is not None else _mined(baskets, max(SUPPORTS), confidence, 2, None)


def _within_limits(baskets: Baskets, min_count: int, confidence: float) -> Mined | None:
    """Rules of as many items as there can be without too many sets; None if even pairs are too many."""
    for length in range(MAX_LENGTH, 1, -1):
        try:
            return _mined(baskets, min_count, confidence, length, MAX_ITEMSETS)
        except DataError:
            continue
    return None


def _mined(baskets: Baskets, support: float, confidence: float, length: int, max_itemsets: int | None) -> Mined:
    model = AssociationRules(
        min_support=support, min_confidence=confidence, min_lift=1.0, max_consequent=1, max_length=length
    )
    if max_itemsets is not None:
        model.set_params(max_itemsets=max_itemsets)
    model.fit(baskets)
    return Mined(model, significant_rules(model))


# --------------------------------------------------------------------------------------------------------------- words


def statement(rule: AssociationRule, n_baskets: int) -> str:
    """A rule in words, with the numbers of baskets behind it."""
    n_left = rule.confirms + rule.contradicts
    n_right = round(rule.confidence / rule.lift * n_baskets) if rule.lift else 0
    consequent = items_text(rule.consequent)
    return (
        f"Of the {n_left:,} baskets with {items_text(rule.antecedent)}, {rule.confirms:,} "
        f"({percent(rule.confidence)}) also contain {consequent}; of all {n_baskets:,} baskets, {n_right:,} "
        f"({percent(n_right / n_baskets)}) do."
    )


def percent(share: float) -> str:
    """A share in per cent, never rounded to 0 or 100 unless it is.

    >>> percent(0.75), percent(0.0149), percent(0.0012), percent(0.9996), percent(0.99999), percent(1.0)
    ('75 %', '1.5 %', '0.12 %', '99.96 %', '>99.99 %', '100 %')
    """
    value = 100 * share
    if 99.995 <= value < 100:
        return ">99.99 %"
    text = (
        f"{value:.0f}"
        if 9.95 <= value < 99.5 or value in (0.0, 100.0)
        else f"{value:.2g}"
        if value < 9.95
        else f"{value:.2f}"
    )
    return f"{text} %"


def items_text(items: Any) -> str:
    """Items in words.

    >>> items_text(["milk"]), items_text(["milk", "bread"]), items_text(["milk", "bread", "eggs"])
    ('milk', 'milk and bread', 'milk, bread and eggs')
    """
    *first_items, last = [str(item) for item in items]
    return f"{', '.join(first_items)} and {last}" if first_items else last


def headline(mined: Mined) -> str:
    """The strongest rule in words, or that there is none beyond chance."""
    model, rules = mined.model, mined.rules
    size = f"{model.n_baskets_:,} baskets of {len(model.items_):,} items"
    if not rules:
        if not mined.significant.n_chance:
            return f"No rules were found in {size}."
        return f"No rule beyond chance was found in {size}."
    word = f"{count(len(rules), 'rule')} beyond chance {'was' if len(rules) == 1 else 'were'} found"
    return f"{word} in {size}. {statement(rules[0], model.n_baskets_)}"


def chance_text(mined: Mined) -> str:
    """How chance was ruled out, and how many rules were left out for it."""
    rules = mined.significant
    text = (
        f"{rules.n_possible:,} rules were possible; a rule is beyond chance if the p-value of its Fisher exact test "
        f"remains at most {ALPHA:g} after correction for all of them"
    )
    left_out = []
    if rules.n_chance:
        left_out.append(f"{rules.n_chance:,} that may be due to chance")
    if rules.n_redundant:
        left_out.append(
            f"{rules.n_redundant:,} with the same two items as a stronger rule, or not shown to say more than a rule "
            "with fewer items"
        )
    return f"{text}; left out: {' and '.join(left_out)}." if left_out else f"{text}."


def summary(mined: Mined) -> tuple[str, ...]:
    """What was counted and how the rules were chosen."""
    model = mined.model
    n_items = sum(len(itemset.items) == 1 for itemset in model.itemsets_)
    return (
        f"{count(n_items, 'item')} of {len(model.items_):,} stand in at least {model.min_count_:,} of "
        f"{model.n_baskets_:,} baskets; rarer ones are not looked at.",
        f"A rule must hold in at least {percent(model.min_confidence)} of the baskets to which it applies.",
        chance_text(mined),
        *model.notes_,
    )


def warnings(mined: Mined) -> tuple[str, ...]:
    """What limits trust in the rules."""
    sentences = ["A rule says what is bought or seen together, not what causes what."] if mined.rules else []
    always = [rule for rule in mined.rules if rule.contradicts == 0]
    if always:
        first = min(always, key=lambda rule: len(rule.antecedent))
        question = ": are these two names of one thing, or is one a part of the other?"
        sentences.append(
            f"{count(len(always), 'rule')} hold{'s' if len(always) == 1 else ''} without exception, such as that "
            f"baskets with {items_text(first.antecedent)} also contain {items_text(first.consequent)}"
            f"{question if len(first.antecedent) == 1 else '.'}"
        )
    return tuple(sentences)


# ------------------------------------------------------------------------------------------------ listings and pictures


def rule_listing(mined: Mined) -> Listing:
    """The rules beyond chance."""
    model = mined.model
    rows = tuple(
        (
            items_text(rule.antecedent),
            items_text(rule.consequent),
            rule.confirms,
            round(rule.support, 6),
            round(rule.confidence, 3),
            round(rule.lift, 2),
            float(f"{p:.2g}"),
            statement(rule, model.n_baskets_),
        )
        for rule, p in list(zip(mined.rules, mined.significant.p_values.tolist(), strict=True))[:N_LISTED]
    )
    about = (
        "Support: share of all baskets with both sides. Confidence: share of the baskets with the left side that also "
        "have the right side. Lift: how many times as often as in all baskets. p: of Fisher's exact test, corrected "
        "for the number of possible rules."
    )
    about = first_of(len(rows), len(mined.rules), "rule") + about
    heads = ("if", "then", "baskets with both", "support", "confidence", "lift", "p", "in words")
    return Listing("The rules", about, heads, rows)


def first_of(shown: int, of: int, noun: str) -> str:
    """What is said above a list of the first of many.

    >>> first_of(100, 221, "item"), first_of(5, 5, "item")
    ('The first 100 of 221 items. ', '')
    """
    return f"The first {shown:,} of {count(of, noun)}. " if shown < of else ""


def item_listing(mined: Mined) -> Listing:
    """The frequent items, the most frequent first."""
    items = _items(mined)
    rows = tuple((str(itemset.items[0]), itemset.count, round(itemset.support, 6)) for itemset in items[:N_LISTED])
    about = first_of(len(rows), len(items), "frequent item") + "In how many of the baskets each item is."
    return Listing("The items", about, ("item", "baskets", "share of baskets"), rows)


def _items(mined: Mined) -> list[Any]:
    singles = [itemset for itemset in mined.model.itemsets_ if len(itemset.items) == 1]
    return sorted(singles, key=lambda itemset: (-itemset.count, str(itemset.items[0])))


def pictures(mined: Mined) -> tuple[Picture, ...]:
    """The most frequent items, and the rules by support and confidence."""
    items = bars(
        "items",
        "The most frequent items",
        "Share of the baskets with each item, in per cent.",
        [Bar(str(itemset.items[0]), 100 * itemset.support) for itemset in _items(mined)[:N_ITEMS]],
        label="per cent of the baskets",
    )
    drawings = [Picture("The most frequent items", "Share of the baskets with each.", items)] if items else []
    rules = mined.rules[:N_POINTS]
    if rules:
        chart = scatter(
            "rules",
            "Rules by support and confidence",
            f"{first_of(len(rules), len(mined.rules), 'rule')}Each point is a rule.",
            [rule.support for rule in rules],
            [rule.confidence for rule in rules],
            x_label="support",
            y_label="confidence",
            tips=[f"{rule}: lift {rule.lift:.2f}" for rule in rules],
            groups=np.digitize([rule.lift for rule in rules], [1.5, 3.0]).tolist(),
            group_names=["lift below 1.5", "1.5 to 3", "above 3"],
        )
        about = f"{first_of(len(rules), len(mined.rules), 'rule')}The colors show the lift."
        drawings.append(Picture("Rules by support and confidence", about, chart))
    return tuple(drawings)
