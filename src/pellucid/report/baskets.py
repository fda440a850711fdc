"""Baskets: which items go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.association import AssociationRules, read_baskets
from pellucid.base.errors import count
from pellucid.data.baskets import looks_like_baskets
from pellucid.data.slices import n_rows_of, names_of, take_columns
from pellucid.quality import ChangeLog, Findings, Profile, profile, read
from pellucid.report.charts_plots import Bar, bars, scatter
from pellucid.report.outcome import Listing, Outcome, Picture, Task
from pellucid.report.race import Tell
from pellucid.report.reading import Taken
from pellucid.report.script import short_script
from pellucid.report.task import basket_columns

CONFIDENCE = 0.2
ENOUGH = 30  # rules that are looked for
SUPPORTS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
LEAST_COUNT = 5  # baskets that a rule must be seen in
LISTED, POINTS, ITEMS = 100, 600, 20
MOST_SETS = 200_000


def mine(baskets: Any, support: float | None = None, confidence: float = CONFIDENCE) -> AssociationRules:
    """Rules of baskets; the support is the largest of a ladder that gives enough rules, unless told."""
    if support is not None:
        chosen = AssociationRules(min_support=support, min_confidence=confidence)
        chosen.fit(baskets)
        return chosen
    for step in SUPPORTS:
        model = AssociationRules(min_support=step, min_confidence=confidence, min_lift=1.0, max_itemsets=MOST_SETS)
        model.fit(baskets)
        if len(model.rules_) >= ENOUGH or step * model.n_baskets_ <= LEAST_COUNT:
            break
    return model


def find_rules(taken: Taken, described: Profile, task: Task, wish: Any, tell: Tell) -> Outcome:
    """The rules of a table of baskets: pairs of basket and item, or a column of 0 and 1 for each item."""
    tell("looking for rules", 0.3)
    pair = basket_columns(described)
    table = taken.table if pair is None else take_columns(taken.table, pair)
    model = mine(table)
    nothing = ChangeLog((), n_rows_of(taken.table), names_of(taken.table), names_of(taken.table))
    findings = Findings(taken.findings, n_rows_of(taken.table), names_of(taken.table))
    return Outcome(
        taken.source,
        task,
        headline(model),
        summary(model, task.why),
        warnings(model),
        described,
        findings,
        nothing,
        (),
        wish.seed,
        pictures=pictures(model),
        listings=(rule_listing(model), item_listing(model)),
        script=short_script("rules", taken.lines, model, pair or ()),
        model=model,
    )


def baskets_of_file(path: str) -> Any:
    """The baskets of a file: one a line, or a table of basket and item, or a table of 0 and 1."""
    if looks_like_baskets(path):
        return read_baskets(path)
    table = read(path).table
    described = profile(table, associations=False)
    pair = basket_columns(described)
    if pair is not None:
        return read_baskets(take_columns(table, pair))
    whole = all(column.kind == "flag" or set(map(_value, column.top)) <= {0, 1} for column in described.columns)
    return read_baskets(table) if whole else read_baskets(path)


def _value(top: Any) -> Any:
    return top.value


def headline(model: AssociationRules) -> str:
    """The strongest rule, in words."""
    if not len(model.rules_):
        return f"No rules were found among {model.n_baskets_:,} baskets of {len(model.items_):,} items."
    best = model.rules_[0]
    return (
        f"{count(len(model.rules_), 'rule')} were found among {model.n_baskets_:,} baskets; the strongest: who takes "
        f"{_items(best.antecedent)} takes {_items(best.consequent)} {best.lift:.1f} times as often as others."
    )


def _items(items: Any) -> str:
    return " and ".join(str(item) for item in items)


def summary(model: AssociationRules, why: str) -> tuple[str, ...]:
    """A few sentences."""
    return (
        f"The task: rules of baskets, because {why}.",
        f"There are {model.n_baskets_:,} baskets of {len(model.items_):,} different items; "
        f"{count(len(model.itemsets_), 'set')} of items are in at least {model.min_count_:,} baskets.",
        f"A rule is listed if it is right in at least {100 * model.min_confidence:.0f} % of the baskets it applies to.",
        *model.notes_,
    )


def warnings(model: AssociationRules) -> tuple[str, ...]:
    """What limits trust."""
    return (
        ("Rules say what goes together, not what causes what; of thousands that are tried some look good by chance.",)
        if len(model.rules_)
        else ()
    )


def rule_listing(model: AssociationRules) -> Listing:
    """The rules of the largest lift."""
    rows = tuple(
        (
            _items(rule.antecedent),
            _items(rule.consequent),
            round(rule.support, 4),
            round(rule.confidence, 3),
            round(rule.lift, 2),
            rule.count if hasattr(rule, "count") else round(rule.support * model.n_baskets_),
        )
        for rule in model.rules_[:LISTED]
    )
    about = (
        "Support: share of all baskets with both sides. Confidence: share of the baskets with the left side that have "
        "the right one too. Lift: how many times as often as in any basket."
    )
    return Listing("The rules", about, ("if", "then", "support", "confidence", "lift", "baskets"), rows)


def item_listing(model: AssociationRules) -> Listing:
    """Every frequent item."""
    singles = [one for one in model.itemsets_ if len(one.items) == 1]
    singles.sort(key=lambda one: -one.support)
    rows = tuple((str(one.items[0]), round(one.support, 4)) for one in singles[:LISTED])
    return Listing("The items", "In how many of the baskets each item is.", ("item", "share of baskets"), rows)


def pictures(model: AssociationRules) -> tuple[Picture, ...]:
    """The most frequent items, and the rules by support and confidence."""
    singles = sorted((one for one in model.itemsets_ if len(one.items) == 1), key=lambda one: -one.support)[:ITEMS]
    items = bars(
        "items",
        "The most frequent items",
        "Share of the baskets with each item, in per cent.",
        [Bar(str(one.items[0]), 100 * one.support) for one in singles],
        label="per cent of the baskets",
    )
    found = [Picture("The most frequent items", "Share of the baskets with each.", items)] if items else []
    if len(model.rules_):
        lift = model.rules_.measure("lift")[:POINTS]
        strong = np.digitize(lift, [1.5, 3.0])
        names = ["lift below 1.5", "1.5 to 3", "above 3"]
        rules = scatter(
            "rules",
            "Rules by support and confidence",
            "Each point is a rule.",
            model.rules_.measure("support")[:POINTS].tolist(),
            model.rules_.measure("confidence")[:POINTS].tolist(),
            x_label="support",
            y_label="confidence",
            tips=[f"{rule}: lift {rule.lift:.2f}" for rule in model.rules_[:POINTS]],
            groups=strong.tolist(),
            group_names=names,
        )
        found.append(Picture("Rules by support and confidence", "Colours tell the lift.", rules))
    return tuple(found)
