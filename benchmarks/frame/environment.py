"""The environment of a contender's process: the same thread count for all, and what a contender asks for.

Variables must be set before the process starts: runtimes read them when they are loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from benchmarks.frame.declare import Contender
from benchmarks.frame.machine import has_avx512

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "LOKY_MAX_CPU_COUNT",
)

# What the caller's shell may have set, and would favor or hinder some contenders.
CLEARED = (
    "OMP_WAIT_POLICY",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "OMP_DYNAMIC",
    "OMP_THREAD_LIMIT",
    "GOMP_SPINCOUNT",
    "GOMP_CPU_AFFINITY",
    "KMP_BLOCKTIME",
    "KMP_AFFINITY",
    "OPENBLAS_CORETYPE",
)


def faiss() -> dict[str, str]:
    """The OpenBLAS inside faiss's wheels does not know newer processors and falls back to a slow kernel."""
    return {"OPENBLAS_CORETYPE": "SkylakeX"} if has_avx512() else {}


RULES: Mapping[str, Callable[[], dict[str, str]]] = {"faiss": faiss}

PASSIVE = {"OMP_WAIT_POLICY": "PASSIVE"}


def variants(contender: Contender) -> dict[str, dict[str, str]]:
    """The environments a contender is timed in, of which the better counts."""
    return {"default": {}, "passive wait": PASSIVE} if contender.openmp else {"default": {}}


def environment(contender: Contender, variant: str, threads: int) -> dict[str, str]:
    """All variables of the process."""
    inherited = {name: value for name, value in os.environ.items() if name not in CLEARED}
    chosen = inherited | dict.fromkeys(THREAD_VARIABLES, str(threads)) | variants(contender)[variant]
    for rule in contender.rules:
        chosen |= RULES[rule]()
    return chosen | dict(contender.environment)
