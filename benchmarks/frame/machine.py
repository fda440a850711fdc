"""The machine: its processor, what other processes take of it, and making it deliberately busy."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

psutil: Any = import_module("psutil")  # by name: it has no types of its own

ROOT = Path(__file__).resolve().parents[2]

V3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


def cores() -> int:
    """Cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """Model and instruction set, such as ``AMD EPYC, x86-64-v3 (AVX2)``."""
    model = _cpuinfo().get("model name") or platform.processor() or platform.machine()
    return f"{model}, {_instruction_set()}"


def has_avx512() -> bool:
    """Whether the processor has AVX-512."""
    return _flags() >= {"avx512f"}


def available_memory() -> int:
    """Bytes that can be had without swapping."""
    return int(psutil.virtual_memory().available)


class OtherLoad:
    """How many cores' worth of work others did between making this and asking.

    ``(busy time of the machine - time of this process and all its descendants) / wall time``. What a hypervisor took
    for other guests counts as others' work.
    """

    def __init__(self) -> None:
        self._wall, self._busy, self._own = time.perf_counter(), _busy_seconds(), _own_seconds()

    def cores(self) -> float:
        """Cores taken by others, at least 0."""
        wall = time.perf_counter() - self._wall
        others = (_busy_seconds() - self._busy) - (_own_seconds() - self._own)
        return max(0.0, others / wall) if wall else 0.0


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep every core busy with one spinning process, surely stopped on the way out."""
    with ExitStack() as stack:
        for _ in range(cores()):
            stack.callback(_stop, _spin())
        time.sleep(0.5)
        yield


def _spin() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "benchmarks.frame.spin"], stdin=subprocess.PIPE, cwd=ROOT)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    if process.stdin:
        process.stdin.close()


def _busy_seconds() -> float:
    times = psutil.cpu_times()._asdict()
    not_busy = {"idle", "iowait", "guest", "guest_nice"}  # guests' time is counted within "user" already
    return float(sum(seconds for kind, seconds in times.items() if kind not in not_busy))


def _own_seconds() -> float:
    this = psutil.Process()
    return sum(_seconds(process) for process in [this, *this.children(recursive=True)])


def _seconds(process: Any) -> float:
    try:
        # The children's part is of those that have ended, so that nothing is lost when a contender does.
        return float(sum(process.cpu_times()[:4]))
    except psutil.NoSuchProcess:
        return 0.0


@cache
def _cpuinfo() -> dict[str, str]:
    file = Path("/proc/cpuinfo")
    if not file.exists():
        return {}
    first = file.read_text().split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _flags() -> set[str]:
    return set(_cpuinfo().get("flags", "").split())


def _instruction_set() -> str:
    if _flags() >= V4:
        return "x86-64-v4 (AVX-512)"
    if _flags() >= V3:
        return "x86-64-v3 (AVX2)"
    return platform.machine()
