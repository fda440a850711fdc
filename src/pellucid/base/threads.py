"""How many threads a kernel may use, and BLAS kept to one thread while our own pool works."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import joblib
import threadpoolctl

from pellucid import _core


class _NoLimit(int):
    """The number of threads while no limit is set: threadpoolctl hands it back when its own limit ends."""


class _PoolController(threadpoolctl.LibController):
    """Lets `threadpoolctl.threadpool_limits` limit our pool."""

    user_api = "pellucid"
    internal_api = "pellucid"
    filename_prefixes = ("_core",)
    check_symbols = ("pellucid_get_num_threads", "pellucid_set_num_threads")

    def get_num_threads(self) -> int:
        return int(self.dynlib.pellucid_get_num_threads()) or _NoLimit(available_cores())

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.pellucid_set_num_threads(0 if isinstance(num_threads, _NoLimit) else num_threads)

    def get_version(self) -> None:
        return None


threadpoolctl.register(_PoolController)


_MOST_THREADS = 256


@lru_cache(maxsize=1)
def available_cores() -> int:
    """Cores that this process may use: affinity, control groups and joblib's own limit taken into account."""
    return max(1, int(joblib.cpu_count()))


def effective_threads(n_jobs: int | None = None) -> int:
    """Number of threads for one kernel call.

    ``None`` or -1 means all available cores, at most OMP_NUM_THREADS; -2 all but one, and so on; a number means that
    many. A limit set through threadpoolctl always holds.
    """
    most = min(available_cores(), _environment_limit() or available_cores())
    if n_jobs is None:
        threads = most
    elif n_jobs < 0:
        threads = max(1, most + 1 + n_jobs)
    else:
        threads = max(1, min(n_jobs, _MOST_THREADS))
    limit = _core.thread_limit()
    return min(threads, limit) if limit > 0 else threads


def _environment_limit() -> int:
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdecimal() else 0


_sharing = threading.Lock()
_sharers = 0
_limit_before = 0


@contextmanager
def shared_cores(workers: int) -> Iterator[None]:
    """While several threads of this process fit models, each kernel takes its share of the cores.

    The limit holds for all threads of the process, so it is counted: the first one in sets it, the last one out lifts
    it. Worker processes of joblib have a limit of their own, through OMP_NUM_THREADS.
    """
    global _sharers, _limit_before
    with _sharing:
        if _sharers == 0:
            _limit_before = _core.thread_limit()
            share = max(1, available_cores() // workers)
            _core.set_thread_limit(min(share, _limit_before) if _limit_before > 0 else share)
        _sharers += 1
    try:
        yield
    finally:
        with _sharing:
            _sharers -= 1
            if _sharers == 0:
                _core.set_thread_limit(_limit_before)


# Kernels that call LAPACK from our threads want it serial: its own threads would compete with ours, and its sums would
# depend on their number. The limit is process-wide, so it is counted: the first one in sets it, the last one out lifts
# it.
_lock = threading.Lock()
_inside = 0
_before: list[int] = []


@lru_cache(maxsize=1)
def _blas() -> list[Any]:
    """The BLAS libraries that are loaded, SciPy's among them."""
    import scipy.linalg.cython_lapack  # noqa: F401  it must be loaded before it can be found

    found: list[Any] = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    return found


@contextmanager
def serial_blas() -> Iterator[None]:
    """Keeps BLAS and LAPACK on one thread inside the block."""
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = [library.get_num_threads() for library in _blas()]
            _set_blas([1] * len(_before))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _set_blas(_before)


def _set_blas(threads: list[int]) -> None:
    for library, number in zip(_blas(), threads, strict=True):
        # threadpoolctl lets one thread alone set OpenBLAS, for good; we count instead, so any of ours may.
        set_threads = getattr(library, "_real_set_num_threads", library.set_num_threads)
        set_threads(number)


def _start_afresh_in_child() -> None:
    """Threads of the parent that were inside are not in the child: it must not wait for them."""
    global _lock, _inside
    _lock = threading.Lock()
    if _inside:
        _inside = 0
        _set_blas(_before)


if hasattr(os, "register_at_fork"):
    # The lock is held across the fork, so that count and limit agree in the child.
    os.register_at_fork(
        before=lambda: _lock.acquire(),
        after_in_parent=lambda: _lock.release(),
        after_in_child=_start_afresh_in_child,
    )
