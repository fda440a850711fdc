"""Words of texts into sparse matrices: counts, weights, runs of letters, hashes; and texts that come later.

python -m benchmarks --only text               # texts drawn at random, in which words are as frequent as in English
python -m benchmarks.text FILE COLUMN          # the column of a CSV file of texts of one's own, beside scikit-learn
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

ROUNDS = 7


def texts(rows: int, length: int, words: int) -> dict[str, NDArray[Any]]:
    """Texts as bytes in a row and where each begins: words of Zipf's frequencies, capitals and marks among them."""
    random = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlcumwfgypbvk"))
    known = ["".join(random.choice(letters, size=size)) for size in 2 + random.poisson(4, size=words)]
    shares = 1 / (np.arange(words) + 2.7)
    sizes = 1 + random.poisson(length, size=rows)
    drawn = random.choice(words, size=int(sizes.sum()), p=shares / shares.sum())
    marks = np.array([" ", " ", " ", " ", ", ", ". ", "! ", " 42 "])[random.integers(8, size=len(drawn))]
    capital = random.random(len(drawn)) < 0.08
    pieces = [
        (known[k].title() if big else known[k]) + mark for k, mark, big in zip(drawn, marks, capital, strict=True)
    ]
    ends = np.cumsum(sizes)
    made = ["".join(pieces[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
    data = "".join(made).encode()
    return {"X": np.frombuffer(data, dtype=np.uint8), "ends": np.cumsum([len(text.encode()) for text in made])}


def as_list(arrays: Arrays) -> list[str]:
    """The texts as a list of str."""
    whole = arrays["X"].tobytes().decode()
    ends = arrays["ends"].tolist()
    return [whole[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def fitting(path: str, threads: str | None = None, **settings: Any) -> Run:
    """Fits the vectorizer at ``path`` to the texts and gives their matrix."""

    def run(data: list[str], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(**settings, **chosen).fit_transform(data)

    return run


def fitted(path: str, threads: str | None = None, **settings: Any) -> Run:
    """A fitted vectorizer and the texts, for what is timed afterward."""

    def prepare(data: list[str], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(**settings, **chosen).fit(data), data

    return prepare


def later(prepared: Any, n_threads: int) -> Any:
    model, data = prepared
    return model.transform(data)


def total(answer: Any, arrays: Arrays) -> float:
    """A sum in which every entry has a weight of its own: equal matrices, and hardly others, have the same."""
    rows = answer.tocoo()
    return float(np.sum(rows.data * (1 + rows.row % 97) * (1 + rows.col % 89)))


def workload(
    name: str, about: str, data: Any, cls: str, settings: Mapping[str, Any], transform: bool = False
) -> Workload:
    ours, peer = f"pellucid.text.{cls}", f"sklearn.feature_extraction.text.{cls}"
    contenders = [
        Contender(OURS, later, prepare=fitted(ours, "n_jobs", **settings))
        if transform
        else Contender(OURS, fitting(ours, "n_jobs", **settings)),
        Contender("scikit-learn", later, prepare=fitted(peer, **settings))
        if transform
        else Contender("scikit-learn", fitting(peer, **settings)),
    ]
    return Workload(
        name=name,
        about=about,
        data=data,
        quick={"rows": 200},
        prepare=as_list,
        ours=contenders[0],
        peers=(contenders[1],),
        quality=Quality("other entries", total, bound=1e-9),
        goal=5.0,
    )


SHORT = partial(texts, rows=5_500, length=14, words=9_000)
LONG = partial(texts, rows=2_000, length=650, words=40_000)
VECTORIZERS = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")
RUNS: dict[str, Any] = {"analyzer": "char_wb", "ngram_range": (2, 4)}
WORKLOADS = [
    workload(
        "count_words_5500_short",
        "Counts of the words of 5,500 short messages (440 kB), fit and transform.",
        SHORT,
        "CountVectorizer",
        {},
    ),
    workload(
        "tfidf_5500_short",
        "Weights of the words of 5,500 short messages (440 kB), fit and transform.",
        SHORT,
        "TfidfVectorizer",
        {},
    ),
    workload(
        "count_words_2000_long",
        "Counts of the words of 2,000 reviews (8 MB), fit and transform.",
        LONG,
        "CountVectorizer",
        {},
    ),
    workload(
        "tfidf_2000_long",
        "Weights of the words of 2,000 reviews (8 MB), fit and transform.",
        LONG,
        "TfidfVectorizer",
        {},
    ),
    workload(
        "count_pairs_2000_long",
        "Counts of words and pairs of words of 2,000 reviews, fit and transform.",
        LONG,
        "CountVectorizer",
        {"ngram_range": (1, 2)},
    ),
    workload(
        "count_letters_5500_short",
        "Counts of 2 to 4 letters in a row within words of 5,500 short messages, fit and transform.",
        SHORT,
        "CountVectorizer",
        RUNS,
    ),
    workload("hash_words_2000_long", "Hashed counts of the words of 2,000 reviews.", LONG, "HashingVectorizer", {}),
    workload(
        "tfidf_later_2000_long",
        "Weights of 2,000 reviews by a vectorizer that is fitted already.",
        LONG,
        "TfidfVectorizer",
        {},
        transform=True,
    ),
]


def read(file: Path, column: str) -> list[str]:
    """A column of a CSV file."""
    csv.field_size_limit(2**30)
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8", newline="") as lines:
        return [row[column] for row in csv.DictReader(lines)]


def best(run: Run, data: list[str], threads: int) -> tuple[float, Any]:
    """The shortest of some times, and the answer."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = run(data, threads)
        taken.append(time.perf_counter() - began)
    return min(taken), answer


def main(file: str, column: str, threads: int = 2) -> int:
    """Times of a file of one's own; the exit code is 1 if answers differ or ours is less than 5 times as fast."""
    data = read(Path(file), column)
    print(f"{Path(file).name}: {len(data):,} texts, {sum(map(len, data)) / 1e6:.2f} million letters, {threads} threads")
    good = True
    for cls, settings in (
        ("CountVectorizer", {}),
        ("TfidfVectorizer", {}),
        ("HashingVectorizer", {}),
        ("CountVectorizer", RUNS),
    ):
        ours, mine = best(fitting(f"pellucid.text.{cls}", "n_jobs", **settings), data, threads)
        theirs, other = best(fitting(f"sklearn.feature_extraction.text.{cls}", **settings), data, threads)
        same = mine.shape == other.shape and abs(mine - other).max() < 1e-12
        good &= bool(same) and theirs >= 5 * ours
        words = " ".join(f"{key}={value}" for key, value in settings.items())
        times = f"{1e3 * ours:8.1f} ms, scikit-learn {1e3 * theirs:8.1f} ms: {theirs / ours:5.1f} times"
        print(f"{cls:18} {words:40} {times}; {'same' if same else 'ANOTHER'} matrix")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
