"""A CSV file larger than the memory it may take: ``python -m benchmarks.files [--gigabytes 5] [--limit 4]``.

The file is made by repetition of a block of rows and profiled in a process of its own, whose private memory is limited
by the system: an allocation beyond the limit fails. Peak resident memory and rows a second are printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

COLUMNS = 12
BLOCK = 200_000


def write(file: Path, gigabytes: float) -> int:
    """Rows of mixed columns: numbers with gaps, whole numbers, words, days, flags."""
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(BLOCK, 6)) * 10.0 ** np.arange(6)
    whole = rng.integers(0, 10_000, (BLOCK, 2))
    words = rng.integers(0, 5_000, (BLOCK, 2))
    days, flags = rng.integers(0, 9_000, BLOCK), rng.random(BLOCK) < 0.4
    start = np.datetime64("2000-01-01")
    lines = [
        ",".join(
            [
                *("" if x > 15 else f"{x:.6g}" for x in normal[i]),
                *map(str, whole[i]),
                f"name_{words[i, 0]}",
                f"place {words[i, 1]}",
                str(start + int(days[i])),
                str(bool(flags[i])).lower(),
            ]
        )
        for i in range(BLOCK)
    ]
    block = ("\n".join(lines) + "\n").encode()
    names = [*(f"x{j}" for j in range(6)), "n1", "n2", "name", "place", "day", "flag"]
    times = int(np.ceil(gigabytes * 1e9 / len(block)))
    with file.open("wb") as out:
        out.write((",".join(names) + "\n").encode())
        for _ in range(times):
            out.write(block)
    return times * BLOCK


def profile_limited(file: str, limit: float) -> None:
    """In the process of its own."""
    resource.setrlimit(resource.RLIMIT_DATA, (int(limit * 2**30), int(limit * 2**30)))
    from pellucid.quality import profile_file

    began = time.perf_counter()
    found = profile_file(file).profile
    seconds = time.perf_counter() - began
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peak = int(status["VmHWM"].split()[0]) / 2**20
    print(json.dumps({"rows": found.n_rows, "seconds": seconds, "peak": peak, "columns": found.n_columns}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=5.0)
    parser.add_argument("--limit", type=float, default=4.0, help="private memory, in GiB")
    parser.add_argument("--file", type=Path, default=Path("build/large.csv"))
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inner:
        profile_limited(str(given.file), given.limit)
        return
    given.file.parent.mkdir(parents=True, exist_ok=True)
    rows = write(given.file, given.gigabytes)
    try:
        size = given.file.stat().st_size / 1e9
        print(f"{given.file}: {size:.2f} GB, {rows:,} rows x {COLUMNS} columns; at most {given.limit} GiB of memory")
        command = [sys.executable, "-m", "benchmarks.files", "--inner", "--file", str(given.file)]
        out = subprocess.run([*command, "--limit", str(given.limit)], check=True, capture_output=True, text=True)
        told = json.loads(out.stdout.splitlines()[-1])
        if told["rows"] != rows:
            raise SystemExit(f"profiled {told['rows']:,} rows of {rows:,}")
        speed = size * 1e3 / told["seconds"]
        print(f"profiled in {told['seconds']:.1f} s ({speed:.0f} MB/s), peak resident memory {told['peak']:.2f} GiB")
    finally:
        given.file.unlink()


if __name__ == "__main__":
    main()
