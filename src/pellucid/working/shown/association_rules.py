"""How rules between items are measured: supports of both sides and of the whole, confidence, lift and the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell
from pellucid.working.language import sqrt
from pellucid.working.model import Working
from pellucid.working.shown._baskets import BasketPage, basket_page

MOST_RULES = 12


@shows("AssociationRules.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """Which rules can be said with ``rules=[0, 3]``, by their places in ``rules_``; the first unless told."""
    w.title = "Rules between items"
    w.intro = (
        "A rule X → Y is seen as often as X and Y are together (support), right as often as baskets with X have Y "
        "(confidence), and worth something where that is more than Y comes anyway (lift above 1)."
    )
    table = model.rules_
    rule_indices = _asked(data, len(table))
    codes = [tuple(model.itemsets_.codes(int(p)) for p in table.places[k]) for k in rule_indices]
    page = basket_page(w, model, data, {code for itemset in codes for code in itemset[0]} or None)
    sets = list(dict.fromkeys(itemset for three in codes for itemset in sorted(three, key=lambda s: (len(s), s))))
    if sets:
        w.step("Supports", "Baskets that have all items of a set, and their share.")
        for itemset in sorted(sets, key=lambda s: (len(s), s)):
            page.support(itemset, _count(model, itemset))
    for k, (both_sides, antecedent, consequent) in zip(rule_indices, codes, strict=True):
        _rule(page, model, k, both_sides, antecedent, consequent)
    if len(rule_indices) < len(table):
        w.note(f"Of {len(table):,} rules {len(rule_indices)} are worked out here.")
    if not len(table):
        w.note("No rule is right often enough.")


def _asked(data: Given, n: int) -> list[int]:
    requested = data.options.get("rules")
    if requested is None:
        return list(range(min(n, MOST_RULES)))
    rule_indices = [int(k) for k in np.atleast_1d(np.asarray(requested, dtype=np.intp))]
    outside = [k for k in rule_indices if not 0 <= k < n]
    if outside:
        requirement = f"rules must be between 0 and {n - 1}" if n else "there are no rules to be asked for"
        raise DataError(format_message("AssociationRules", requirement, actual=f"got {outside[0]}"))
    return rule_indices


def _count(model: Any, codes: tuple[int, ...]) -> int:
    index = model.itemsets_.find(model.items_[list(codes)].tolist())
    return int(model.itemsets_.counts[index])


def _rule(
    page: BasketPage,
    model: Any,
    k: int,
    both_sides: tuple[int, ...],
    antecedent: tuple[int, ...],
    consequent: tuple[int, ...],
) -> None:
    w, rule = page.w, model.rules_[k]
    w.step(f"Rule {k + 1}: {str(rule).replace('=>', '→')}", "How often it is right, and against what comes anyway.")
    xy, x, y = page.supports[both_sides], page.supports[antecedent], page.supports[consequent]
    both, antecedent_count = page.counts[both_sides], page.counts[antecedent]

    def figure(name: str, source: Any, symbol: str, label: str) -> Cell:
        more: dict[str, Any] = {"equals": getattr(rule, name), "attribute": f"rules_[{k}].{name}", "scale": 1.0}
        return w.cell(f"rule_{k + 1}_{name}", source, symbol=f"{symbol}_{{{k + 1}}}", label=label, **more)

    w.cell(f"rule_{k + 1}_confirms", both, symbol=f"p_{{{k + 1}}}", label="baskets that confirm it",
           equals=float(rule.confirms), attribute=f"rules_[{k}].confirms")  # fmt: skip
    w.cell(f"rule_{k + 1}_contradicts", antecedent_count - both, symbol=f"q_{{{k + 1}}}",
           label="baskets that contradict it",
           equals=float(rule.contradicts), attribute=f"rules_[{k}].contradicts", scale=1.0)  # fmt: skip
    figure("support", xy, r"\text{supp}", "support of the rule")
    sure = figure("confidence", xy / x, r"\text{conf}", "confidence")
    figure("lift", sure / y, r"\text{lift}", "lift")
    figure("leverage", xy - x * y, r"\text{lev}", "leverage")
    if np.isfinite(rule.conviction):
        figure("conviction", (1 - y) / (1 - sure), r"\text{conv}", "conviction")
    else:
        w.note("A rule that is never wrong has no finite conviction.")
    figure("cosine", xy / sqrt(x * y), r"\text{cos}", "cosine")
    figure("jaccard", xy / (x + y - xy), "J", "Jaccard")
    figure("kulczynski", (xy / x + xy / y) / 2, "K", "Kulczynski")
