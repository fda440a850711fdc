"""What the miners of frequent sets share: least number of baskets, limits, and the words when there are too many."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from pellucid.association._item_sets import ItemSets
from pellucid.base.declare import param
from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array
from pellucid.data.baskets import Baskets
from pellucid.estimator.rule_miner import RuleMiner

NO_LIMIT = 2**31 - 1
MOST = 2**62  # sets or rules that kernels can count
Levels = list[tuple[Array, Array]] | None


def is_support(value: Any) -> str | None:
    """What is wrong with a least support: a share is at most 1."""
    if not isinstance(value, numbers.Integral) and value > 1:
        return f"min_support must be a share from 0 to 1, or a whole number of baskets; got {value!r}"
    return None


def least_count(min_support: float, n_baskets: int) -> int:
    """The smallest number of baskets whose share is at least ``min_support``; a whole number is that number itself.

    >>> least_count(0.3, 10), least_count(0.25, 10), least_count(3, 10), least_count(1.0, 10)
    (3, 3, 3, 10)
    """
    if isinstance(min_support, numbers.Integral):
        return int(min_support)
    least = max(1, int(min_support * n_baskets))
    while least / n_baskets < min_support:  # as the share is compared: 0.3 * 10 is not 3
        least += 1
    while least > 1 and (least - 1) / n_baskets >= min_support:
        least -= 1
    return least


class SetMiner(RuleMiner):
    """A miner of frequent sets. A subclass writes `_levels`."""

    min_support: float | int = param(
        default=0.1,
        low=0,
        low_open=True,
        kw_only=False,
        check=is_support,
        doc="Least share of the baskets that have a set (0.1), or, as a whole number, how many of them (25).",
    )
    max_length: int | None = param(default=None, low=1, doc="Most items of a set; None for any number.")
    min_length: int = param(default=1, low=1, doc="Fewest items of a set that is told.")
    max_itemsets: int = param(
        default=10_000_000, low=1, doc="The search ends with an error when it has found more sets than this."
    )

    def _arguments(self, baskets: Baskets) -> tuple[Array, Array, int, int, int, int]:
        """What the kernels take: baskets, number of items, least count, greatest length, most sets."""
        self.min_count_ = least_count(self.min_support, len(baskets))
        longest = NO_LIMIT if self.max_length is None else int(self.max_length)
        least = min(self.min_count_, 2**32 - 1)
        return baskets.starts, baskets.codes, len(baskets.items), least, longest, min(int(self.max_itemsets), MOST)

    def _keep(self, baskets: Baskets, levels: Levels) -> ItemSets:
        """Keeps the sets that are long enough; answers all of them."""
        every = item_sets(baskets, levels, self)
        self.itemsets_ = every if self.min_length == 1 else every.longer_than(self.min_length)
        self.supports_ = self.itemsets_.supports
        return every


def item_sets(baskets: Baskets, levels: Levels, model: Any) -> ItemSets:
    """The levels of a kernel with the names of their items; an error where there were too many."""
    if levels is None:
        requirement = f"there may be {int(model.max_itemsets):,} frequent sets (max_itemsets)"
        actual = f"a support of {model.min_count_:,} of {count(len(baskets), 'basket')} gives more"
        hint = 'raise min_support, set max_length, or take kind="closed" of FrequentItemsets'
        raise DataError(format_message(type(model).__name__, requirement, actual=actual, hint=hint))
    levels = [level for level in levels if len(level[1])]
    counts = np.concatenate([level[1] for level in levels]) if levels else np.empty(0)
    return ItemSets(baskets.items, tuple(level[0] for level in levels), counts.astype(np.int64), len(baskets))
