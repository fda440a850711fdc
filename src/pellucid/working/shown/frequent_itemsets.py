"""The frequent sets that a search in depth finds: the baskets of each as a product of columns."""

from __future__ import annotations

from typing import Any

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.language import where
from pellucid.working.model import Working
from pellucid.working.shown._baskets import basket_page
from pellucid.working.shown.apriori import threshold

MOST_SETS = 60
_KINDS = {
    "all": "",
    "closed": " Only closed ones are kept: those that no further item can join without losing a basket.",
    "maximal": " Only maximal ones are kept: those that no further item can join and stay frequent.",
}


@shows("Eclat.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Frequent sets"
    w.intro = "The baskets of a set are those of all its items: the product of their columns." + _KINDS[model.kind]
    sets = model.itemsets_
    set_indices = range(min(len(sets), MOST_SETS))
    page = basket_page(w, model, data, {code for k in set_indices for code in sets.codes(k)} or None)
    min_support, is_count = threshold(w, model)
    for length in sorted({int(sets.lengths[k]) for k in set_indices}):
        w.step(f"Sets of {counted(length, 'item')}", "Baskets that have all items, and their share.")
        for k in (k for k in set_indices if sets.lengths[k] == length):
            codes = sets.codes(k)
            support = page.support(codes, int(sets.counts[k]))
            w.check(support, sets.supports[k], "supports_")
            enough = where((page.counts[codes] if is_count else support) >= min_support, 1, 0)
            style: dict[str, Any] = {"symbol": f"f_{{{k + 1}}}", "label": "1 if it is frequent"}
            w.cell(f"frequent_{k + 1}", enough, **style, equals=1.0, attribute="itemsets_")
    if len(sets) > len(set_indices):
        w.note(f"Of {len(sets):,} sets the first {MOST_SETS} are worked out.")
    if not len(sets):
        w.note("No set is frequent.")
