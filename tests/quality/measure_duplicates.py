"""How well near duplicates are found in a file whose rec_id says which rows belong together.

    python -m tests.quality.measure_duplicates FILE

``rec-N-org`` and ``rec-N-dup-K`` are the same thing for equal N. The column itself is not looked at.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import pandas as pd

from pellucid.quality import near_duplicates


def measure(path: str) -> None:
    table = pd.read_csv(path)
    number = table.pop("rec_id").str.extract(r"rec-(\d+)-")[0].to_numpy()
    before = time.perf_counter()
    found = near_duplicates(table)
    seconds = time.perf_counter() - before
    right = int((number[found.left] == number[found.right]).sum())
    every = sum(n * (n - 1) // 2 for n in Counter(number.tolist()).values())
    precision = right / len(found) if len(found) else float("nan")
    print(f"{len(table):,} rows, {found.n_compared:,} pairs compared in {seconds:.2f} s, threshold {found.threshold}")
    print(f"precision {precision:.4f} ({right} of {len(found)}), recall {right / every:.4f} ({right} of {every})")


if __name__ == "__main__":
    measure(sys.argv[1])
