"""Data quality: the profile of a large table of numbers, flags, texts and times.

ydata-profiling and DuckDB may need another environment than this one; what is not installed is reported as such.
DuckDB's SUMMARIZE and polars' describe do far less: no modes, histograms, skewness, duplicates or top values, and
DuckDB's quantiles and distinct counts are approximate.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Workload, load

LEVELS = (10, 100, 1_000, 10_000, 100_000)


def mixed(rows: int) -> dict[str, NDArray[Any]]:
    """Floats with gaps, whole numbers, flags, codes of words and times."""
    random = np.random.default_rng(0)
    floats = random.standard_normal((rows, 15)) * np.logspace(-2, 4, 15)
    floats[random.random(floats.shape) < 0.05] = np.nan
    return {
        "X_floats": floats,
        "X_whole": np.column_stack([random.integers(0, 10 ** (k + 1), rows) for k in range(5)]),
        "X_flags": random.random((rows, 3)) < 0.3,
        "X_words": np.column_stack([random.integers(0, levels, rows) for levels in LEVELS]),
        "X_times": random.integers(0, 10**9, (rows, 2)),
    }


def columns(arrays: Arrays) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for name in ("floats", "whole", "flags"):
        block = arrays[f"X_{name}"]
        held |= {f"{name}_{j}": np.ascontiguousarray(block[:, j]) for j in range(block.shape[1])}
    for j, levels in enumerate(LEVELS):
        words = np.array([f"level number {k}" for k in range(levels)], dtype=object)
        held[f"word_{j}"] = words[arrays["X_words"][:, j]]
    for j in range(2):
        held[f"time_{j}"] = arrays["X_times"][:, j].astype("datetime64[s]").astype("datetime64[us]")
    return held


def pandas_frame(arrays: Arrays) -> dict[str, Any]:
    return {"frame": load("pandas.DataFrame")(columns(arrays))}


def polars_frame(arrays: Arrays) -> dict[str, Any]:
    held = {name: x.tolist() if x.dtype == object else x for name, x in columns(arrays).items()}
    return {"frame": load("polars.DataFrame")(held, nan_to_null=True)}


def ours(data: Mapping[str, Any], threads: int) -> list[float]:
    found = load("pellucid.quality.profile")(data["frame"], associations=False, n_jobs=threads)
    return [found[f"floats_{j}"].numbers.mean for j in range(15)]


def ydata(data: Mapping[str, Any], threads: int) -> list[float]:
    report = load("ydata_profiling.ProfileReport")(data["frame"], minimal=True, progress_bar=False)
    variables = report.get_description().variables
    return [float(variables[f"floats_{j}"]["mean"]) for j in range(15)]


def duckdb(data: Mapping[str, Any], threads: int) -> list[float]:
    connection = load("duckdb.connect")(config={"threads": threads})
    connection.register("t", data["frame"])
    rows = connection.execute("SUMMARIZE t").fetchall()
    means = {row[0]: row[5] for row in rows}
    return [float(means[f"floats_{j}"]) for j in range(15)]


def polars(data: Mapping[str, Any], threads: int) -> list[float]:
    found = data["frame"].describe()
    return [float(found[f"floats_{j}"][2]) for j in range(15)]


def error(answer: Any, arrays: Arrays) -> float:
    """Largest error of the floats' means, in units of their standard deviations."""
    X = arrays["X_floats"].astype(np.longdouble)
    return float(np.max(np.abs(np.array(answer) - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)))


def workload(
    name: str, prepare: Any, peers: tuple[Contender, ...], goal: float | None, goal_peer: str | None
) -> Workload:
    return Workload(
        name=f"profile_1000000x30_{name}",
        about=f"Profile of 1,000,000 x 30 mixed columns in a {name} frame, without associations.",
        data=partial(mixed, rows=1_000_000),
        quick={"rows": 2_000},
        prepare=prepare,
        ours=Contender(OURS, ours),
        peers=peers,
        quality=Quality("error", error, bound=1e-6, against_best=False),
        goal=goal,
        goal_peer=goal_peer,
    )


WORKLOADS = [
    workload(
        "pandas",
        pandas_frame,
        (Contender("ydata-profiling", ydata), Contender("duckdb", duckdb)),
        10.0,
        "ydata-profiling",
    ),
    workload("polars", polars_frame, (Contender("polars", polars), Contender("duckdb", duckdb)), None, None),
]
