"""Ctrl-C during a long fit or score raises KeyboardInterrupt within half a second and leaves nothing running.

A child process starts each long call; when it has been at work for a while, the signal is sent to it. Both processes
read the same clock, and the child notes when KeyboardInterrupt arrived.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from .process import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")

PROMISE = 0.5  # seconds
# A busy machine can hold any process up once; a kernel that does not look is late every time.
ATTEMPTS = 3

# Tables are windows that slide over one long array: many rows in little memory.
CHILD = """
import json
import signal
import sys
import time
import warnings

signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background hands down that it is ignored

import numpy as np
import scipy.sparse
from numpy.lib.stride_tricks import sliding_window_view

from pellucid import _core, metrics
from pellucid.base.threads import serial_blas
from pellucid.linear_model import LinearRegression
from pellucid.neighbors import BallTree, KDTree

warnings.simplefilter("ignore")
random = np.random.default_rng(0)


def window(n, p):
    return sliding_window_view(random.standard_normal(n + p - 1), p)


def fit(X, **settings):
    y = random.standard_normal(X.shape[0])
    return lambda: LinearRegression(**settings).fit(X, y)


def predict():
    model = LinearRegression().fit(window(1000, 100), random.standard_normal(1000))
    X = window(25_000_000, 100)
    return lambda: model.predict(X)


def sparse(n, p, stored):
    columns = random.integers(0, p, size=(n, stored))
    values = random.standard_normal(n * stored)
    return scipy.sparse.csr_array((values, columns.ravel(), np.arange(0, n * stored + 1, stored)), shape=(n, p))


def scored(name, n, **settings):
    y, score = (random.random(n) < 0.3).astype(np.int64), random.random(n)
    return again(lambda: getattr(metrics, name)(y, score, **settings))


def labelled(name, n, classes, kind):
    y, guess = (random.integers(0, classes, n).astype(kind) for _ in range(2))
    return again(lambda: getattr(metrics, name)(y, guess))


# Over and over: a call of a tenth of a second would be done before the signal comes.
def again(call):
    def forever():
        while True:
            call()

    return forever


def silhouette(n, p, **settings):
    X, labels = random.standard_normal((n, p)), random.integers(0, 8, n)
    return lambda: metrics.silhouette_score(X, labels, **settings)


def distances(n):
    X, labels = np.ones((n, n)) - np.eye(n), random.integers(0, n // 4, n)
    return again(lambda: metrics.silhouette_score(X, labels, metric="precomputed"))


def tree(kind, columns):
    X = random.standard_normal((100_000, columns))
    return kind(X), X


def by_balls():
    balls, X = tree(BallTree, 20)
    return lambda: balls.query(X, 5)


def within():
    boxes, X = tree(KDTree, 3)
    return lambda: boxes.query_radius(X, 1.0)


def edits():
    texts = ["".join(row) for row in random.choice(list("abcdef"), (4000, 200))]
    return lambda: metrics.edit_distances(texts)


def kernel(call, *arguments):
    def inside():
        with serial_blas():
            call(*arguments)

    return inside


CALLS = {
    "auto, few columns": lambda: fit(window(12_000_000, 100)),
    "auto, one thread": lambda: fit(window(12_000_000, 100), n_jobs=1),
    "auto, many columns": lambda: fit(window(3_000_000, 200)),
    "auto, very many columns": lambda: fit(window(20_000, 3000)),
    "qr, few columns": lambda: fit(window(2_000_000, 100), solver="qr"),
    "qr, many columns": lambda: fit(window(25_000, 1000), solver="qr"),
    "svd, many columns": lambda: fit(window(3000, 1500), solver="svd"),
    "svd, wide": lambda: fit(window(900, 6000), solver="svd"),
    "lsqr, sparse": lambda: fit(sparse(300_000, 20_000, 30), solver="lsqr", tol=1e-16),
    "lsqr, dense": lambda: fit(window(3_000_000, 120), solver="lsqr", tol=1e-16, n_jobs=1),
    "positive": lambda: fit(np.abs(random.standard_normal((3000, 2000))), positive=True),
    "predict": predict,
    "roc_auc_score": lambda: scored("roc_auc_score", 5_000_000),
    "roc_auc_score, part": lambda: scored("roc_auc_score", 5_000_000, max_fpr=0.5),
    "average_precision_score": lambda: scored("average_precision_score", 5_000_000),
    "log_loss": lambda: scored("log_loss", 5_000_000),
    "confusion_matrix": lambda: labelled("confusion_matrix", 5_000_000, 10, np.int64),
    "accuracy_score of text": lambda: labelled("accuracy_score", 2_000_000, 10, "U8"),
    "silhouette, few columns": lambda: silhouette(100_000, 2),
    "silhouette, many columns": lambda: silhouette(60_000, 60),
    "silhouette, given distances": lambda: distances(4000),
    "neighbours by balls": by_balls,
    "neighbours within a radius": within,
    "edits of long texts": edits,
    "the pool": lambda: lambda: _core.spin(10_000, 2, 5000.0),
    "the pool, one thread": lambda: lambda: _core.spin(10_000, 1, 5000.0),
    "kernel: jacobi": lambda: kernel(_core.jacobi, random.standard_normal((1500, 1500)), 0, 2),
    "kernel: qr": lambda: kernel(_core.qr, random.standard_normal((9000, 2500)), 2),
}

small = random.standard_normal((5000, 8))
y = random.standard_normal(5000)
wanted = LinearRegression(solver="qr").fit(small, y).coef_


def tell(**found):
    print(json.dumps(found), flush=True)


for line in sys.stdin:
    call = CALLS[line.strip()]()
    found = {"interrupted": False}
    tell(ready=True)
    try:
        call()
    except KeyboardInterrupt:
        found = {"interrupted": True, "at": time.monotonic()}
    del call
    time.sleep(0.02)
    start = time.process_time()
    time.sleep(0.15)
    found["busy"] = time.process_time() - start  # seconds of processor time while nothing is asked of it
    found["same"] = bool(np.array_equal(LinearRegression(solver="qr").fit(small, y).coef_, wanted))
    tell(**found)
"""

# Name of the call, and seconds of processor time after which the signal is sent: into the first part of the work, or
# into a later one (the triangle after the moments, the rotations after the triangle).
CASES = [
    ("auto, few columns", 0.2),
    ("auto, one thread", 0.2),
    ("auto, many columns", 0.2),
    ("auto, very many columns", 0.2),
    ("qr, few columns", 0.2),
    ("qr, few columns", 1.5),
    ("qr, many columns", 0.2),
    ("qr, many columns", 2.0),
    ("svd, many columns", 1.0),
    ("svd, wide", 0.2),
    ("svd, wide", 1.5),
    ("lsqr, sparse", 0.7),
    ("lsqr, dense", 0.5),
    ("positive", 1.5),
    ("predict", 0.2),
    ("roc_auc_score", 0.3),
    ("roc_auc_score, part", 0.5),
    ("average_precision_score", 0.5),
    ("log_loss", 0.3),
    ("confusion_matrix", 0.3),
    ("accuracy_score of text", 0.3),
    ("silhouette, few columns", 0.5),
    ("silhouette, many columns", 0.5),
    ("silhouette, given distances", 0.5),
    ("neighbours by balls", 0.3),
    ("neighbours within a radius", 0.3),
    ("edits of long texts", 0.3),
    ("the pool", 0.1),
    ("the pool, one thread", 0.1),
    ("kernel: jacobi", 0.3),
    ("kernel: qr", 0.3),
]


class Child:
    """The process that is interrupted."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.clock = psutil.Process(self.process.pid)

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the child ended with {self.process.wait(10)}"
        found: dict[str, Any] = json.loads(line)
        return found

    def used(self) -> float:
        times = self.clock.cpu_times()
        return times.user + times.system

    def interrupt(self, name: str, after: float) -> dict[str, Any]:
        """What became of a call that was interrupted after some seconds of work; `late` is how long it went on."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        assert self.answer() == {"ready": True}
        start = self.used()
        while self.used() < start + after:
            time.sleep(0.005)
        sent = time.monotonic()
        os.kill(self.process.pid, signal.SIGINT)
        found = self.answer()
        return {**found, "late": found.get("at", float("inf")) - sent}

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def children() -> Iterator[list[Child]]:
    """The child at work, if there is one: it outlives all interruptions, or a test says so."""
    started: list[Child] = []
    yield started
    for child in started:
        child.end()


@pytest.mark.parametrize(("name", "after"), CASES, ids=[f"{name} {after} s" for name, after in CASES])
def test_ctrl_c(name: str, after: float, children: list[Child]) -> None:
    if not children or children[-1].process.poll() is not None:
        children.append(Child())
    late = []
    for _ in range(ATTEMPTS):
        found = children[-1].interrupt(name, after)
        assert found["interrupted"], "the call was over before the signal came: make it longer"
        assert found["busy"] < 0.03, "something went on after KeyboardInterrupt"
        assert found["same"], "a fit after KeyboardInterrupt has another outcome"
        late.append(found["late"])
        if late[-1] < PROMISE:
            break
    assert min(late) < PROMISE


def test_a_second_signal_while_the_first_one_is_obeyed() -> None:
    """The caller waits for a helper that is inside a block; another handler runs, and KeyboardInterrupt still comes."""
    found = run(
        """
        import os
        import signal
        import threading
        import time
        from pellucid import _core

        handled = []
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGUSR1, lambda *_: handled.append(1))

        def signals():
            time.sleep(0.26)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.06)
            os.kill(os.getpid(), signal.SIGUSR1)

        def attempt():
            sender = threading.Thread(target=signals)
            try:
                sender.start()
                _core.spin(3, 2, 200_000.0)  # the third block falls to the caller or to the helper
                return "finished"
            except BaseException as error:
                return type(error).__name__
            finally:
                sender.join()

        say([[attempt() for _ in range(5)], len(handled)])
        """
    )
    assert found == [["KeyboardInterrupt"] * 5, 5]
