"""Edit distances: tables of names against names, one name against many, and pairs of long texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SYLLABLES = ("ba", "ko", "mi", "ra", "shen", "tor", "al", "bert", "wick", "son", "lee", "ann", "dor", "ville", "ham")


def names(rows: int, columns: int, words: int) -> dict[str, NDArray[Any]]:
    """Names of one or more words of two to four syllables."""
    random = np.random.default_rng(0)

    def name() -> str:
        return " ".join("".join(random.choice(SYLLABLES, size=random.integers(2, 5))) for _ in range(words))

    return {"a": np.array([name() for _ in range(rows)]), "b": np.array([name() for _ in range(columns)])}


def long_texts(pairs: int, letters: int, changed: float) -> dict[str, NDArray[Any]]:
    """Texts of random letters, and each again with a share of its letters changed; all of them for 1."""
    random = np.random.default_rng(0)
    a = random.integers(97, 123, size=(pairs, letters), dtype=np.uint32)
    b = np.where(random.random(a.shape) < changed, random.integers(97, 123, size=a.shape, dtype=np.uint32), a)
    return {side: np.ascontiguousarray(text).view(f"U{letters}").ravel() for side, text in (("a", a), ("b", b))}


def our_table(data: Mapping[str, Any], n_threads: int) -> Any:
    return load("pellucid.metrics.edit_distances")(data["a"].tolist(), data["b"].tolist(), n_jobs=n_threads)


def their_table(data: Mapping[str, Any], n_threads: int) -> Any:
    scorer = load("rapidfuzz.distance.Levenshtein").distance
    a, b = data["a"].tolist(), data["b"].tolist()
    return load("rapidfuzz.process.cdist")(a, b, scorer=scorer, workers=n_threads, dtype=np.int32)


def our_pairs(data: Mapping[str, Any], n_threads: int) -> Any:
    return load("pellucid.metrics.edit_distance")(data["a"].tolist(), data["b"].tolist(), n_jobs=n_threads)


def their_pairs(data: Mapping[str, Any], n_threads: int) -> Any:
    scorer = load("rapidfuzz.distance.Levenshtein").distance
    a, b = data["a"].tolist(), data["b"].tolist()
    return load("rapidfuzz.process.cpdist")(a, b, scorer=scorer, workers=n_threads, dtype=np.int32)


def plain(a: str, b: str) -> int:
    """The dynamic programme, row by row."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (letter != other))
    return row[-1]


def wrong_cells(answer: Any, arrays: Arrays) -> float:
    """Cells of a few rows and columns that are not those of the plain programme."""
    rows, columns = range(0, len(arrays["a"]), 1000), range(0, len(arrays["b"]), 500)
    return float(sum(answer[i, j] != plain(str(arrays["a"][i]), str(arrays["b"][j])) for i in rows for j in columns))


def wrong_pairs(answer: Any, arrays: Arrays) -> float:
    """Is the first pair's distance that of the plain programme?"""
    return float(answer[0] != plain(str(arrays["a"][0]), str(arrays["b"][0])))


def table(name: str, rows: int, columns: int, words: int) -> Workload:
    return Workload(
        name=f"edit_distances_{name}_{rows}x{columns}",
        about=f"Levenshtein distances of {rows:,} {name.replace('_', ' ')} to {columns:,}.",
        data=partial(names, rows=rows, columns=columns, words=words),
        quick={"rows": min(rows, 300), "columns": 400},
        ours=Contender(OURS, our_table),
        peers=(Contender("rapidfuzz", their_table),),
        quality=Quality("wrong", wrong_cells, bound=0.0, against_best=False),
        goal=1.0,
    )


def pairs(name: str, count: int, letters: int, changed: float, run: tuple[Run, Run]) -> Workload:
    return Workload(
        name=f"edit_distance_{name}_{count}x{letters}",
        about=f"Levenshtein distances of {count} {name} pairs of texts of {letters:,} letters.",
        data=partial(long_texts, pairs=count, letters=letters, changed=changed),
        quick={"pairs": 2, "letters": 500},
        ours=Contender(OURS, run[0]),
        peers=(Contender("rapidfuzz", run[1]),),
        quality=Quality("wrong", wrong_pairs, bound=0.0, against_best=False),
        goal=1.0,
    )


BOTH = (our_pairs, their_pairs)
WORKLOADS = [
    table("surnames", 3_000, 3_000, 1),
    table("surnames", 10_000, 10_000, 1),
    table("full_names", 10_000, 10_000, 2),
    table("surnames", 1, 1_000_000, 1),
    pairs("alike", 20, 10_000, 0.02, BOTH),
    pairs("unlike", 20, 5_000, 1.0, BOTH),
]
