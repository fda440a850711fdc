"""Rules between items as a fit leaves them behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from pellucid.association._item_sets import ItemSets, aligned, joined
from pellucid.association._measures import MEASURES
from pellucid.base.errors import UnknownNameError, format_message
from pellucid.base.types import Array, Flags, Floats

MOST_SHOWN = 20


@dataclass(frozen=True)
class AssociationRule:
    """Baskets with the antecedent tend to have the consequent.

    antecedent, consequent : items on the left and on the right
    confirms, contradicts : baskets with the antecedent that have the consequent too, and that have not
    support, confidence, lift, ... : the measures
    """

    antecedent: tuple[Any, ...]
    consequent: tuple[Any, ...]
    confirms: int
    contradicts: int
    support: float
    confidence: float
    lift: float
    leverage: float
    conviction: float
    zhang: float
    cosine: float
    jaccard: float
    kulczynski: float
    certainty: float
    chi_squared: float
    coverage: float

    def __str__(self) -> str:
        return f"{joined(self.antecedent)} => {joined(self.consequent)}"


@dataclass(frozen=True, eq=False)
class RuleTable(Sequence[AssociationRule]):
    """Rules, a sequence of `AssociationRule` made when they are asked for.

    sets : the frequent sets
    places : rules x 3: place among the sets of the whole set, the antecedent and the consequent
    """

    sets: ItemSets
    places: Array

    def __len__(self) -> int:
        return len(self.places)

    def measure(self, name: str) -> Floats:
        """A measure of every rule, by its name: "support", "confidence", "lift", ..."""
        if name not in MEASURES:
            raise UnknownNameError(
                format_message("rules_", f"a measure must be one of {', '.join(MEASURES)}", actual=f"got {name!r}")
            )
        c, a, b = (self.sets.counts[self.places[:, k]].astype(np.float64) for k in range(3))
        return MEASURES[name](a, b, c, float(self.sets.n_baskets))

    @cached_property
    def measures(self) -> dict[str, Floats]:
        """Every measure of every rule."""
        return {name: self.measure(name) for name in MEASURES}

    def taken(self, which: Array | Flags) -> RuleTable:
        """Some of the rules, or all in another order."""
        return RuleTable(self.sets, self.places[which])

    @overload
    def __getitem__(self, place: int) -> AssociationRule: ...
    @overload
    def __getitem__(self, place: slice) -> list[AssociationRule]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        k = range(len(self))[place]
        whole, antecedent, consequent = self.places[k].tolist()
        both, one = int(self.sets.counts[whole]), int(self.sets.counts[antecedent])
        figures = {name: float(values[k]) for name, values in self.measures.items()}
        return AssociationRule(self.sets.items(antecedent), self.sets.items(consequent), both, one - both, **figures)

    def __iter__(self) -> Iterator[AssociationRule]:
        return (self[k] for k in range(len(self)))

    def columns(self) -> dict[str, Any]:
        """As columns, which any dataframe library takes: antecedent, consequent and the measures."""
        found: dict[str, Any] = {}
        items = self.sets.columns()["items"]
        for name, column in (("antecedent", 1), ("consequent", 2)):
            found[name] = items[self.places[:, column]]
        return found | self.measures

    def __repr__(self) -> str:
        rows = [("support", "confidence", "lift", "rule")]
        for one in self[:MOST_SHOWN]:
            rows.append((f"{one.support:.4f}", f"{one.confidence:.4f}", f"{one.lift:.4f}", str(one)))
        more = [f"... and {len(self) - MOST_SHOWN:,} more"] if len(self) > MOST_SHOWN else []
        return "\n".join([*aligned(rows), *more])
