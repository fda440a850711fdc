"""Generated tables with known errors, and how many of them the suggested repairs correct.

    python -m tests.quality.faulty_tables

`entity_table` joins facts about providers and measures, so that many columns determine each other; `source_table` has
facts that several sources of different accuracy report. Both come with their clean version, row by row.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pellucid.quality import Cleaner, check

SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "ke",
    "li",
    "mo",
    "nu",
    "pa",
    "re",
    "si",
    "to",
    "va",
    "wen",
    "zor",
    "mar",
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Rows = list[list[str]]


@dataclass(frozen=True)
class FaultyTable:
    """A table with errors and the same table without."""

    names: list[str]
    clean: Rows
    dirty: Rows

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: [row[j] or None for row in self.dirty] for j, name in enumerate(self.names)})


@dataclass(frozen=True)
class RepairScore:
    """How many cells were wrong, how many were changed, and how many of these got the clean value."""

    wrong: int
    changed: int
    correct: int

    @property
    def precision(self) -> float:
        return self.correct / max(self.changed, 1)

    @property
    def recall(self) -> float:
        return self.correct / max(self.wrong, 1)


def _word(draw: random.Random, syllables: int = 3) -> str:
    return "".join(draw.choice(SYLLABLES) for _ in range(syllables)).capitalize()


def _misspelled(draw: random.Random, text: str) -> str:
    place, letter = draw.randrange(len(text)), draw.choice(LETTERS)
    edits = (text[:place] + letter + text[place + 1 :], text[:place] + text[place + 1 :],
             text[:place] + letter + text[place:], text[:place] + "x" + text[place + 1 :])  # fmt: skip
    return draw.choice(edits) or "x"


def entity_table(seed: int, noise: float, swapped: float = 0.1) -> FaultyTable:
    """Providers in towns and what was measured there; a share ``noise`` of all cells is wrong, most of them misspelled,
    a share ``swapped`` of them with the value of another row."""
    draw = random.Random(seed)
    towns = [
        (_word(draw), _word(draw, 2), f"{draw.randint(10000, 99999)}", draw.choice(["AL", "AK", "TX", "NY"]))
        for _ in range(30)
    ]
    kinds = ["acute care", "critical access", "childrens"]
    owners = ["government", "proprietary", "voluntary non-profit", "church"]
    providers = [
        [f"{10000 + 7 * k}", f"{_word(draw)} {draw.choice(['hospital', 'clinic', 'medical center'])}",
         f"{draw.randint(1, 999)} {_word(draw)} st", *draw.choice(towns), f"{draw.randint(2 * 10**9, 9 * 10**9)}",
         draw.choice(kinds), draw.choice(owners), draw.choice(["yes", "no"])]
        for k in range(60)
    ]  # fmt: skip
    conditions = {"ami": "heart attack", "hf": "heart failure", "pn": "pneumonia", "scip": "surgical infection"}
    measures = []
    for k in range(20):
        short = draw.choice(list(conditions))
        measures.append(
            [conditions[short], f"{short}-{k}", f"{_word(draw, 2)} given {_word(draw, 2)} at {_word(draw)}"]
        )
    clean = [
        [*provider, *measure, f"{draw.randint(0, 100)}%", f"{draw.randint(5, 900)} patients"]
        for provider in providers
        for measure in draw.sample(measures, draw.randint(10, 20))
    ]
    draw.shuffle(clean)
    dirty = [list(row) for row in clean]
    for row in dirty:
        for j, cell in enumerate(row):
            if draw.random() < noise:
                row[j] = draw.choice(clean)[j] if draw.random() < swapped else _misspelled(draw, cell)
    names = "provider name address city county zip state phone type owner emergency condition code measure score sample"
    return FaultyTable(names.split(), clean, dirty)


def source_table(seed: int, error: float) -> FaultyTable:
    """Times of flights as 25 web sites report them; a share ``error`` of the cells is wrong, more on some sites."""
    draw = random.Random(seed)

    def clock(minute: int) -> str:
        return f"{(minute // 60 - 1) % 12 + 1}:{minute % 60:02d} {'a.m.' if minute < 720 else 'p.m.'}"

    accuracy = [[1 - error * draw.uniform(0.2, 1.8) for _ in range(4)] for _ in range(25)]
    clean, dirty = [], []
    for k in range(100):
        flight = f"{draw.choice(['AA', 'UA', 'CO'])}-{100 + k}-{draw.choice(['ORD', 'PHX', 'MIA'])}"
        truth = [clock(draw.randint(300, 1439)) for _ in range(4)]
        shared_error = [clock(draw.randint(300, 1439)) for _ in range(4)]  # that several sites copied
        for site in range(25):
            if draw.random() < 0.25:
                continue
            reported = list(truth)
            for j in range(4):
                if draw.random() > accuracy[site][j]:
                    other = draw.choice(["", *[clock(draw.randint(300, 1439)) for _ in range(3)]])
                    reported[j] = shared_error[j] if draw.random() < 0.3 else other
            clean.append([f"site{site:02d}", flight, *truth])
            dirty.append([f"site{site:02d}", flight, *reported])
    order = list(range(len(clean)))
    draw.shuffle(order)
    names = ["site", "flight", "scheduled departure", "departure", "scheduled arrival", "arrival"]
    return FaultyTable(names, [clean[i] for i in order], [dirty[i] for i in order])


def repaired(table: FaultyTable) -> RepairScore:
    """What the suggestions of the checks for dependencies and sources correct, those of notes left out."""
    findings = check(table.frame, checks=["dependencies", "sources"])
    fixes = [one.fix for one in findings if one.fix is not None and one.severity != "note"]
    cleaned = Cleaner(remedies=fixes).fit(table.frame).clean(table.frame).table.rows()
    cells = [
        (before, after or "", truth)
        for dirty, result, clean in zip(table.dirty, cleaned, table.clean, strict=True)
        for before, after, truth in zip(dirty, result, clean, strict=True)
    ]
    changed = [(after, truth) for before, after, truth in cells if before != after]
    wrong = sum(before != truth for before, _, truth in cells)
    return RepairScore(wrong, len(changed), sum(after == truth for after, truth in changed))


def main() -> None:
    """Precision and recall by kind of table and share of errors, over three seeds."""
    kinds: dict[str, tuple[Callable[[int, float], FaultyTable], tuple[float, ...]]] = {
        "columns that determine each other": (entity_table, (0.01, 0.02, 0.05, 0.1)),
        "facts from several sources": (source_table, (0.1, 0.3, 0.45)),
    }
    for kind, (make, shares) in kinds.items():
        for share in shares:
            scores = [repaired(make(seed, share)) for seed in range(3)]
            total = RepairScore(
                *(sum(getattr(one, name) for one in scores) for name in ("wrong", "changed", "correct"))
            )
            print(f"{kind}, {share:.0%} wrong: {total.wrong:,} wrong cells, {total.changed:,} changed, "
                  f"precision {total.precision:.3f}, recall {total.recall:.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
