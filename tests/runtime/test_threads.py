"""How many threads work: blocks that wait for one another show that threads work side by side, without a clock."""

from __future__ import annotations

import os
import sys
from typing import Any

import joblib
import pytest

from .process import run

CORES = max(1, int(joblib.cpu_count()))

# used(n): how many threads took part in a loop for at most n threads. The first blocks wait until as many of them as
# are expected have begun, each on a thread of its own; the others could be taken by any further thread.
POOL = """
import threading
from pellucid import _core

def used(threads, expected, blocks=300):
    together, seen = threading.Barrier(expected), set()

    def block(number):
        seen.add(threading.get_native_id())
        if number < expected:
            together.wait()  # without enough threads it waits until the time limit of the test

    _core.call_blocks(blocks, threads, block)
    return len(seen)
"""

# fits(n_jobs): the most threads that any loop of a fit may use.
FITS = """
import numpy as np
from pellucid import _core
from pellucid.linear_model import LinearRegression

X = np.random.default_rng(0).standard_normal((20_000, 20))
y = np.ones(len(X))

def fits(n_jobs=None):
    _core.take_most_threads()
    LinearRegression(n_jobs=n_jobs).fit(X, y)
    return _core.take_most_threads()
"""


@pytest.fixture(scope="module")
def pool() -> dict[str, Any]:
    """Many questions to the pool, asked in one process."""
    return run(
        POOL
        + """
import threadpoolctl
from pellucid.base.threads import effective_threads

def info():
    return [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "pellucid"]

found = {"by threads": [used(n, max(n, 1)) for n in (1, 2, 3, 4, 0, -5)], "info": info()}
found["few blocks"] = used(4, 1, 1), used(4, 2, 2)
with threadpoolctl.threadpool_limits(limits=1):
    found["limit 1"] = used(4, 1), effective_threads(4), effective_threads()
with threadpoolctl.threadpool_limits(limits=2, user_api="pellucid"):
    found["limit 2 of ours"] = used(4, 2), effective_threads(4)
    found["info inside"] = [library["num_threads"] for library in info()]
    with threadpoolctl.threadpool_limits(limits=1):
        found["nested"] = used(4, 1)
    found["nested, after"] = used(4, 2)
with threadpoolctl.threadpool_limits(limits={"pellucid": 1}):
    found["by name"] = used(4, 1)
with threadpoolctl.threadpool_limits(limits=1, user_api="blas"):
    found["limit of blas"] = used(3, 3)
try:
    with threadpoolctl.threadpool_limits(limits=1):
        raise ValueError
except ValueError:
    found["after"] = used(4, 4), effective_threads(4), _core.thread_limit()
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


KEPT = """
from pellucid.base.threads import effective_threads

say([effective_threads(n) for n in (None, -1, 2)])
"""


@pytest.mark.parametrize("env", [{"OMP_NUM_THREADS": "1"}, {"LOKY_MAX_CPU_COUNT": "1"}], ids=str)
def test_the_environment_limits_all_but_an_explicit_number(env: dict[str, str]) -> None:
    assert run(KEPT, env=env) == [1, 1, 2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets the affinity of a process")
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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_threads_sleep_when_there_is_nothing_to_do() -> None:
    """Sooner or later all threads of a pool of four sleep, and from then on none runs again."""
    found = run(
        """
        import os
        import threading
        from pellucid import _core

        def read(task, name):
            with open(f"/proc/self/task/{task}/{name}") as file:
                return file.read()

        _core.call_blocks(8, 4, lambda number, wait=threading.Barrier(4).wait: wait())
        helpers = [task for task in os.listdir("/proc/self/task") if int(task) != os.getpid()]
        pause = threading.Event()
        while any(read(task, "stat").rpartition(")")[2].split()[0] != "S" for task in helpers):
            pause.wait(0.01)
        runs = [read(task, "schedstat").split()[2] for task in helpers]
        pause.wait(0.2)
        say([len(helpers) >= 3, [read(task, "schedstat").split()[2] for task in helpers] == runs])
        """
    )
    assert found == [True, True]


def test_an_error_in_a_block_reaches_the_caller_and_the_pool_lives_on() -> None:
    """A listener is called from inside a kernel; what it raises comes out as it is."""
    found = run(
        """
        import numpy as np
        from pellucid import _core

        G, b = np.eye(3), np.ones(3)

        def bad(number, parameters):
            raise LookupError(f"pass {number}")

        def fail(number):
            raise LookupError(f"block {number}")

        said = []
        for call in (lambda: _core.nnls(G, b, 30, False, bad), lambda: _core.call_blocks(50, 3, fail)):
            try:
                call()
            except LookupError as error:
                said.append(str(error))
        _core.call_blocks(100, 3, lambda number: None)
        say([*said, _core.nnls(G, b, 30)[2].tolist()])
        """
    )
    assert found == ["pass 1", "block 0", [1, 1, 1]]
