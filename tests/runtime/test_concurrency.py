"""Fits from many Python threads, after fork, and inside joblib's workers; BLAS gets its threads back."""

from __future__ import annotations

import sys
from typing import Any

import joblib
import pytest

from .process import run

CORES = max(1, int(joblib.cpu_count()))

# blas(): threads that each BLAS library would use now.
BLAS = """
import numpy as np
import scipy.linalg
import threadpoolctl

def blas():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]
"""

# outcome(i): bits of the i-th of several different fits and of its predictions.
FITS = (
    BLAS
    + """
import hashlib
import warnings
import scipy.sparse
from pellucid.linear_model import LinearRegression

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
X = random.standard_normal((12_000, 20))
y = random.standard_normal((12_000, 2))
sparse = scipy.sparse.random_array((20_000, 300), density=0.01, rng=random, format="csr")
z = random.standard_normal(20_000)
dependent = np.column_stack([X, X[:, :3] - X[:, 3:6]])

CASES = [
    (X, y, {}),
    (X, y[:, 0], {"solver": "qr"}),
    (X, y, {"solver": "svd"}),
    (X.astype(np.float32), y[:, 0], {"solver": "lsqr"}),
    (sparse, z, {}),
    (X, y, {"positive": True}),
    (dependent, y[:, 0], {}),
]

def outcome(i):
    X, y, settings = CASES[i % len(CASES)]
    model = LinearRegression(**settings).fit(X, y)
    return hashlib.sha256(model.coef_.tobytes() + model.predict(X).tobytes()).hexdigest()
"""
)


@pytest.fixture(scope="module")
def threads() -> dict[str, Any]:
    """Eight Python threads at once, in a process whose main thread has fitted before."""
    return run(
        FITS
        + """
from concurrent.futures import ThreadPoolExecutor

serial = [outcome(i) for i in range(len(CASES))]
before = blas()
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(outcome, range(56)))
say({"same": [found[i] == serial[i % len(CASES)] for i in range(56)], "before": before, "after": blas()})
""",
    )


def test_eight_threads_at_once_give_the_bits_of_one(threads: dict[str, Any]) -> None:
    assert all(threads["same"])


def test_blas_has_its_threads_back_after_eight_fits_at_once(threads: dict[str, Any]) -> None:
    assert threads["before"] == threads["after"] == [CORES] * len(threads["before"])


@pytest.mark.parametrize("first", ["main", "other"])
def test_blas_is_serial_while_any_thread_works_and_restored_by_the_last(first: str) -> None:
    """The first in sets the limit and the last out lifts it, whichever threads they are and whoever came before."""
    found = run(
        BLAS
        + f"""
import threading
from pellucid.base.threads import serial_blas

if {first!r} == "main":
    with serial_blas():
        pass
inside, left = threading.Event(), threading.Event()
found = {{"before": blas()}}

def early():
    with serial_blas():
        found["first in"] = blas()
        inside.set()
        other_in.wait()
    left.set()

def late():
    inside.wait()
    with serial_blas():
        other_in.set()
        left.wait()
        found["first out, second in"] = blas()
    found["second out"] = blas()

other_in = threading.Event()
workers = [threading.Thread(target=f) for f in (early, late)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
found["after"] = blas()
with threadpoolctl.threadpool_limits(1, user_api="blas"):
    found["limit of a user"] = blas()
found["limit lifted"] = blas()
say(found)
"""
    )
    many, one = [CORES] * len(found["before"]), [1] * len(found["before"])
    assert found["before"] == many
    assert (found["first in"], found["first out, second in"]) == (one, one)
    assert (found["second out"], found["after"]) == (many, many)
    assert (found["limit of a user"], found["limit lifted"]) == (one, many)


@pytest.fixture(scope="module")
def limits() -> dict[str, Any]:
    """Threads of BLAS after fits that failed, and in another thread that limits it."""
    return run(
        FITS
        + """
from concurrent.futures import ThreadPoolExecutor
from pellucid.base.threads import serial_blas

found = {"before": blas(), "after errors": []}

def interrupted():
    with serial_blas():
        raise KeyboardInterrupt

for call in (
    lambda: LinearRegression(solver="qr").fit(dependent, y),
    lambda: LinearRegression(solver="normal").fit(dependent[:10], y[:10]),
    lambda: LinearRegression().fit(np.full((5, 2), np.nan), np.ones(5)),
    interrupted,
):
    try:
        call()
        found["after errors"].append("no error")
    except (ValueError, KeyboardInterrupt):
        found["after errors"].append(blas())

def limited():
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        return blas()

with ThreadPoolExecutor(1) as pool:
    found["limited elsewhere"] = pool.submit(limited).result()
found["after"] = blas()
say(found)
"""
    )


def test_blas_has_its_threads_back_after_errors_and_interruptions(limits: dict[str, Any]) -> None:
    assert limits["after errors"] == [limits["before"]] * 4


def test_other_threads_may_still_limit_blas_after_a_fit(limits: dict[str, Any]) -> None:
    """A fit in the main thread must not take the control of BLAS away from other users of threadpoolctl."""
    assert limits["limited elsewhere"] == [1] * len(limits["before"])
    assert limits["after"] == limits["before"]


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_child_fits_after_its_parent_did() -> None:
    found = run(
        FITS
        + """
import os
import signal

wanted = [outcome(i) for i in range(len(CASES))]
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    signal.alarm(120)  # a hang ends here
    os.write(writer, b"".join(b"1" if outcome(i) == wanted[i] else b"0" for i in range(len(CASES))))
    os._exit(0)
status = os.waitpid(child, 0)[1]
os.close(writer)
say([status, os.read(reader, 100).decode(), [outcome(i) for i in range(len(CASES))] == wanted])
"""
    )
    assert found == [0, "1" * 7, True]


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_child_forked_while_other_threads_fit_can_fit_too() -> None:
    """Locks that other threads held, and their count of fits, must not live on in the child."""
    found = run(
        FITS
        + """
import os
import signal
import threading

warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads: that is the point
wanted = [outcome(i) for i in range(len(CASES))]
many, done, fits, next_fit = blas(), threading.Event(), [0, 0], threading.Condition()

def work(worker):
    while not done.is_set():
        with next_fit:
            fits[worker] += 1
            next_fit.notify_all()
        outcome(fits[worker] % 2)

def wait_for_further_fits():
    with next_fit:
        goal = [n + 1 for n in fits]
        next_fit.wait_for(lambda: all(n >= least for n, least in zip(fits, goal)))

workers = [threading.Thread(target=work, args=(worker,)) for worker in range(2)]
for worker in workers:
    worker.start()
found = []
for i in range(12):
    wait_for_further_fits()  # both threads fit when the child is forked
    child = os.fork()
    if child == 0:
        signal.alarm(120)  # a hang ends here
        same = all(outcome(j) == wanted[j] for j in range(4))
        os._exit(0 if same and blas() == many else 1)
    found.append(os.waitpid(child, 0)[1])
    if found[-1]:
        break
done.set()
for worker in workers:
    worker.join()
say([found, blas() == many])
"""
    )
    assert found == [[0] * 12, True]


@pytest.fixture(scope="module")
def workers() -> dict[str, list[bool]]:
    """Bits of fits in joblib's workers, compared with those of the process that asked for them."""
    found: dict[str, list[bool]] = run(
        FITS
        + """
import joblib

wanted, many, found = [outcome(i) for i in range(len(CASES))], blas(), {}
for backend in ("loky", "threading", "multiprocessing"):
    bits = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(outcome)(i) for i in range(len(CASES)))
    found[backend] = [*(mine == other for mine, other in zip(bits, wanted)), blas() == many]
say(found)
"""
    )
    return found


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib_workers_give_the_same_bits(backend: str, workers: dict[str, list[bool]]) -> None:
    assert all(workers[backend])
