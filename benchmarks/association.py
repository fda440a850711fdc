"""Frequent sets of items and rules between them, beside Borgelt's PyFIM, mlxtend and efficient-apriori.

Baskets are read from the folder that PELLUCID_DATA names (baskets_groceries.csv.gz and so on: a line a basket, items
between commas) and given as lists of texts to all that take them, so that every contender reads the same objects;
mlxtend gets a table of flags, made before the clock starts. The quality is the number of sets or rules found. PyFIM
does not tell a single item that is in every basket, so it has one set less on the mushrooms.

PyFIM answers with a list of tuples, ours with arrays that become tuples when they are asked for; where a name ends in
"tuples" ours makes all of them within its time. mlxtend and efficient-apriori are asked where they need seconds, not
minutes, and mlxtend where its table fits into memory.
"""

from __future__ import annotations

import gzip
import os
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Workload, load

FOLDER = Path(os.environ.get("PELLUCID_DATA", "data"))
GROCERIES_RULES = 463.0  # of support 0.006 and confidence 0.25, with one item on the right: known from the literature


def baskets(name: str, rows: int = 0) -> dict[str, NDArray[Any]]:
    """The items of all baskets one behind the other, and where each begins; the first ones if their number is given."""
    with gzip.open(FOLDER / f"baskets_{name}.csv.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file][: rows or None]
    starts = np.cumsum([0, *map(len, lines)])
    return {"X_items": np.array([item for line in lines for item in line]), "X_starts": starts.astype(np.int64)}


def as_lists(arrays: Arrays) -> list[list[str]]:
    """Baskets as lists of texts, each text an object of its own, as a reader of files makes them."""
    items, starts = arrays["X_items"].tolist(), arrays["X_starts"].tolist()
    return [items[a:b] for a, b in pairwise(starts)]


def as_flags(data: Any, _threads: int) -> Any:
    """A table with a column of flags for each item."""
    names = sorted({item for basket in data for item in basket})
    place = {item: j for j, item in enumerate(names)}
    flags = np.zeros((len(data), len(names)), dtype=bool)
    for i, basket in enumerate(data):
        flags[i, [place[item] for item in basket]] = True
    return load("pandas.DataFrame")(flags, columns=names)


# ---------------------------------------------------------------------------------------------------------- contenders


def ours(data: Any, threads: int, support: float, kind: str = "all", tuples: bool = False) -> Any:
    made = load("pellucid.association.FrequentItemsets")(support, kind=kind, n_jobs=threads).fit(data)
    return made.itemsets_.columns()["items"] if tuples else made.itemsets_


def ours_by_levels(data: Any, threads: int, support: float) -> Any:
    return load("pellucid.association.Apriori")(support, n_jobs=threads).fit(data).itemsets_


def fim(data: Any, _threads: int, support: float, algorithm: str, target: str = "s") -> Any:
    least = -int(np.ceil(support * len(data) - 1e-9))  # below 0: a number of baskets
    return load(f"fim.{algorithm}")(data, target=target, supp=least, report="a")


def mlxtend(data: Any, _threads: int, support: float, algorithm: str) -> Any:
    return load(f"mlxtend.frequent_patterns.{algorithm}")(data, min_support=support, use_colnames=True)


def efficient_apriori(data: Any, _threads: int, support: float) -> Any:
    found = load("efficient_apriori.itemsets_from_transactions")(data, min_support=support)[0]
    return [one for level in found.values() for one in level]


def our_rules(data: Any, threads: int, right: int | None) -> Any:
    made = load("pellucid.association.AssociationRules")(
        0.006, min_confidence=0.25, max_consequent=right, n_jobs=threads
    )
    return made.fit(data).rules_.columns()["lift"]


def mlxtend_rules(data: Any, threads: int) -> Any:
    sets = mlxtend(data, threads, 0.006, "fpgrowth")
    rules = load("mlxtend.frequent_patterns.association_rules")
    return rules(sets, num_itemsets=len(data), metric="confidence", min_threshold=0.25)


def fim_rules(data: Any, _threads: int, algorithm: str) -> Any:
    """Rules with one item on the right, as arules makes them; mode "o": the support is that of both sides."""
    return load(f"fim.{algorithm}")(data, target="r", supp=0.6, conf=25, zmin=2, report="scl", mode="o")


def efficient_rules(data: Any, _threads: int) -> Any:
    return load("efficient_apriori.apriori")(data, min_support=0.006, min_confidence=0.25)[1]


def number(answer: Any, _arrays: Arrays) -> float:
    """How many sets or rules were found."""
    return float(len(answer))


def off_the_known_number(answer: Any, _arrays: Arrays) -> float:
    """How far the number of rules is from the one known."""
    return abs(len(answer) - GROCERIES_RULES)


FOUND = Quality("found", number, bound=1e-3, higher_is_better=True)
WHAT = {
    "groceries": "9,835 baskets of 169 items, 4.4 in a basket",
    "retail": "88,162 baskets of 16,470 items, 10.3 in a basket",
    "T10I4D100K": "100,000 made-up baskets of 870 items, 10.1 in a basket",
    "mushroom": "8,124 mushrooms with 23 of 119 features",
}
SUPPORTS = {
    "groceries": (0.01, 0.001),
    "retail": (0.005, 0.001, 0.0001),
    "T10I4D100K": (0.01, 0.001, 0.0001),
    "mushroom": (0.3, 0.1),
}
WITH_MLXTEND = {("groceries", 0.01), ("groceries", 0.001), ("T10I4D100K", 0.01), ("mushroom", 0.3)}
WITH_EFFICIENT = {("groceries", 0.01), ("mushroom", 0.3)}


def peers(name: str, support: float) -> tuple[Contender, ...]:
    found = [
        Contender(f"PyFIM {algorithm}", partial(fim, support=support, algorithm=algorithm), package="pyfim")
        for algorithm in ("eclat", "fpgrowth", "apriori")
    ]
    if (name, support) in WITH_MLXTEND:
        run = partial(mlxtend, support=support, algorithm="fpgrowth")
        found.append(Contender("mlxtend fpgrowth", run, prepare=as_flags, package="mlxtend"))
    if (name, support) in WITH_EFFICIENT:
        found.append(Contender("efficient-apriori", partial(efficient_apriori, support=support)))
    if support >= 0.001:
        found.append(Contender("pellucid Apriori", partial(ours_by_levels, support=support), package=OURS))
    return tuple(found)


def workload(name: str, support: float, **more: Any) -> Workload:
    tail = "_tuples" if more.get("tuples") else ""
    return Workload(
        name=f"itemsets_{name}_{support:g}{tail}",
        about=f"Sets of a support of {support:g}{' as tuples' if tail else ''}: {WHAT[name]}.",
        data=partial(baskets, name=name),
        quick={"rows": few(support)},
        prepare=as_lists,
        ours=Contender(OURS, partial(ours, support=support, **more)),
        peers=peers(name, support),
        quality=FOUND,
        goal=1.0,
    )


def closed(name: str, support: float, kind: str, target: str) -> Workload:
    fim_peers = tuple(
        Contender(
            f"PyFIM {algorithm}", partial(fim, support=support, algorithm=algorithm, target=target), package="pyfim"
        )
        for algorithm in ("eclat", "fpgrowth")
    )
    return Workload(
        name=f"itemsets_{name}_{support:g}_{kind}",
        about=f"{kind.capitalize()} sets of a support of {support:g}: {WHAT[name]}.",
        data=partial(baskets, name=name),
        quick={"rows": few(support)},
        prepare=as_lists,
        ours=Contender(OURS, partial(ours, support=support, kind=kind)),
        peers=fim_peers,
        quality=FOUND,
        goal=1.0,
    )


def few(support: float) -> int:
    """Baskets of a small copy: of fewer, every part of a basket would be frequent."""
    return max(500, int(20 / support))


def there(name: str) -> bool:
    return (FOLDER / f"baskets_{name}.csv.gz").exists()


WORKLOADS = [
    *(workload(name, support) for name, supports in SUPPORTS.items() for support in supports if there(name)),
    *([workload("mushroom", 0.1, tuples=True)] if there("mushroom") else []),
    *(
        closed(name, support, kind, target)
        for name, support in (("mushroom", 0.01), ("retail", 0.0005))
        for kind, target in (("closed", "c"), ("maximal", "m"))
        if there(name)
    ),
]
if there("groceries"):
    common: dict[str, Any] = {
        "data": partial(baskets, name="groceries"),
        "quick": {"rows": 0},  # all of them, as their rules are known
        "prepare": as_lists,
        "goal": 1.0,
    }
    WORKLOADS += [
        Workload(
            name="rules_groceries_one_right",
            about="Rules with one item on the right, support 0.006, confidence 0.25, groceries: 463 of them.",
            ours=Contender(OURS, partial(our_rules, right=1)),
            peers=tuple(
                Contender(f"PyFIM {algorithm}", partial(fim_rules, algorithm=algorithm), package="pyfim")
                for algorithm in ("eclat", "fpgrowth", "apriori")
            ),
            quality=Quality("off the known number", off_the_known_number, bound=1e-9, against_best=False),
            **common,
        ),
        Workload(
            name="rules_groceries",
            about="Rules of every split, support 0.006, confidence 0.25, groceries.",
            ours=Contender(OURS, partial(our_rules, right=None)),
            peers=(
                Contender("mlxtend", mlxtend_rules, prepare=as_flags),
                Contender("efficient-apriori", efficient_rules),
            ),
            quality=FOUND,
            **common,
        ),
    ]
