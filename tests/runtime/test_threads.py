"""How many threads are at work: counted by the processor time that each one got."""

from __future__ import annotations

import os
import sys
from typing import Any

import joblib
import pytest

from .process import COUNT_THREADS, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

CORES = max(1, int(joblib.cpu_count()))

POOL = (
    COUNT_THREADS
    + """
from pellucid import _core

def used(threads, blocks=300, microseconds=1000.0):
    return threads_of(lambda: _core.spin(blocks, threads, microseconds))
"""
)

# fits(n_jobs): threads at work while a table of many blocks is fitted, most of several fits: on a busy machine a
# helper can come too late for one of them.
FITS = (
    COUNT_THREADS
    + """
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from pellucid.linear_model import LinearRegression

X = sliding_window_view(np.random.default_rng(0).standard_normal(400_039), 40)
y = np.ones(len(X))

def fits(n_jobs=None):
    return max(threads_of(lambda: LinearRegression(n_jobs=n_jobs).fit(X, y)) for _ in range(3))
"""
)


@pytest.fixture(scope="module")
def pool() -> dict[str, Any]:
    """Many questions to the pool, asked in one process."""
    return run(
        POOL
        + """
import threadpoolctl
from pellucid.base import threads
from pellucid.base.threads import effective_threads

def info():
    return [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "pellucid"]

found = {"by threads": [used(n) for n in (1, 2, 3, 4, 0, -5)], "info": info()}
found["few blocks"] = used(4, 1, 50_000.0), used(4, 2, 50_000.0)
with threadpoolctl.threadpool_limits(limits=1):
    found["limit 1"] = used(4), effective_threads(4), effective_threads()
with threadpoolctl.threadpool_limits(limits=2, user_api="pellucid"):
    found["limit 2 of ours"] = used(4), effective_threads(4)
    found["info inside"] = [library["num_threads"] for library in info()]
    with threadpoolctl.threadpool_limits(limits=1):
        found["nested"] = used(4)
    found["nested, after"] = used(4)
with threadpoolctl.threadpool_limits(limits={"pellucid": 1}):
    found["by name"] = used(4)
with threadpoolctl.threadpool_limits(limits=1, user_api="blas"):
    found["limit of blas"] = used(3)
try:
    with threadpoolctl.threadpool_limits(limits=1):
        raise ValueError
except ValueError:
    found["after"] = used(4), effective_threads(4), _core.thread_limit()
found["n_jobs"] = [effective_threads(n) for n in (None, 1, 2, 7, -1, -2, -100)]
say(found)
"""
    )


def test_the_pool_uses_as_many_threads_as_it_is_told(pool: dict[str, Any]) -> None:
    assert pool["by threads"] == [1, 2, 3, 4, 1, 1]


def test_no_more_threads_than_blocks(pool: dict[str, Any]) -> None:
    assert pool["few blocks"] == [1, 2]


def test_threadpoolctl_knows_the_pool(pool: dict[str, Any]) -> None:
    (info,) = pool["info"]
    assert (info["internal_api"], info["num_threads"]) == ("pellucid", CORES)
    assert os.path.basename(info["filepath"]).startswith("_core")


def test_a_limit_by_threadpoolctl_holds(pool: dict[str, Any]) -> None:
    assert pool["limit 1"] == [1, 1, 1]
    assert pool["limit 2 of ours"] == [2, 2]
    assert pool["info inside"] == [2]
    assert (pool["nested"], pool["nested, after"], pool["by name"]) == (1, 2, 1)


def test_a_limit_of_blas_is_not_ours(pool: dict[str, Any]) -> None:
    assert pool["limit of blas"] == 3


def test_a_limit_leaves_nothing_behind(pool: dict[str, Any]) -> None:
    """Not even when an error ends it: four threads are four threads again."""
    assert pool["after"][:2] == [4, 4]


def test_n_jobs_as_in_joblib(pool: dict[str, Any]) -> None:
    assert pool["n_jobs"] == [CORES, 1, 2, 7, CORES, max(1, CORES - 1), 1]


@pytest.fixture(scope="module")
def plain_fits() -> list[int]:
    found: list[int] = run(FITS + "say([fits(), fits(1), fits(2), fits(3), fits(-1)])")
    return found


def test_a_fit_uses_n_jobs_threads(plain_fits: list[int]) -> None:
    assert plain_fits == [CORES, 1, 2, 3, CORES]


KEPT = (
    POOL
    + """
from pellucid.base.threads import effective_threads

say([used(effective_threads(n)) for n in (None, -1, 2)])
"""
)


@pytest.mark.parametrize("env", [{"OMP_NUM_THREADS": "1"}, {"LOKY_MAX_CPU_COUNT": "1"}], ids=str)
def test_the_environment_limits_all_but_an_explicit_number(env: dict[str, str]) -> None:
    assert run(KEPT, env=env) == [1, 1, 2]


def test_the_processors_that_may_be_used_limit_all_but_an_explicit_number() -> None:
    assert run("import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + KEPT) == [1, 1, 2]


def test_the_cores_are_those_that_joblib_counts() -> None:
    """joblib knows control groups, affinity and its own limit; a container of one processor gets one thread."""
    found = run(
        """
        import joblib

        joblib.cpu_count = lambda *_, **__: 1
        from pellucid.base.threads import available_cores, effective_threads

        say([available_cores(), effective_threads(), effective_threads(-1), effective_threads(2)])
        """
    )
    assert found == [1, 1, 1, 2]


@pytest.mark.parametrize("junk", ["", "many", "0", "-3", " 1 ", "1,4"])
def test_a_strange_environment_is_no_error(junk: str) -> None:
    found = run(
        "from pellucid.base.threads import effective_threads; say(effective_threads())", env={"OMP_NUM_THREADS": junk}
    )
    assert found == (1 if junk.strip().startswith("1") else CORES)


def test_joblib_workers_share_the_cores() -> None:
    """loky tells each worker how many threads it may have: the cores divided among the workers, or what it was told."""
    found = run(
        """
        import joblib

        def allowed(n_jobs):
            from pellucid.base.threads import effective_threads

            return effective_threads(n_jobs)

        def ask(inner):
            with joblib.parallel_config(backend="loky", inner_max_num_threads=inner):
                return joblib.Parallel(n_jobs=2)(joblib.delayed(allowed)(n) for n in (None, -1, 3))

        say([ask(None), ask(1), ask(2)])
        """
    )
    shared = max(1, CORES // 2)
    assert found == [[shared, shared, 3], [1, 1, 3], [min(2, CORES), min(2, CORES), 3]]


def test_threads_sleep_when_there_is_nothing_to_do() -> None:
    """A pool of four, idle: no processor time is used."""
    found = run(
        """
        import time
        from pellucid import _core

        _core.spin(100, 4, 500.0)
        time.sleep(0.05)
        start = time.process_time()
        time.sleep(1.0)
        say(time.process_time() - start)
        """
    )
    assert found < 0.02


def test_an_error_in_a_block_reaches_the_caller_and_the_pool_lives_on() -> None:
    """A listener is called from inside a kernel; what it raises comes out as it is."""
    found = run(
        """
        import numpy as np
        from pellucid import _core

        G, b = np.eye(3), np.ones(3)

        def bad(number, parameters):
            raise LookupError(f"pass {number}")

        try:
            _core.nnls(G, b, 30, False, bad)
        except LookupError as error:
            said = str(error)
        _core.spin(100, 3, 10.0)
        say([said, _core.nnls(G, b, 30)[2].tolist()])
        """
    )
    assert found == ["pass 1", [1, 1, 1]]
