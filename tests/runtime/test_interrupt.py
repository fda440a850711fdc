"""Ctrl-C during a long fit or score raises KeyboardInterrupt soon and leaves nothing running.

Kernels call a hook between blocks of work, which asks Python for signals. No clock decides these tests: the hook is
called at every opportunity, the calls are counted, and one of them behaves as if Ctrl-C had been pressed.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pellucid import _core, metrics
from pellucid.base.threads import serial_blas
from pellucid.linear_model import LinearRegression
from pellucid.neighbors import BallTree, KDTree

from .process import run

RANDOM = np.random.default_rng(0)
Call = Callable[[], object]


def window(rows: int, columns: int) -> NDArray[np.float64]:
    """A window that slides over one long array: many rows in little memory."""
    return sliding_window_view(RANDOM.standard_normal(rows + columns - 1), columns)


def sparse(rows: int, columns: int, stored: int) -> Any:
    indices = RANDOM.integers(0, columns, size=(rows, stored))
    starts = np.arange(0, rows * stored + 1, stored)
    return scipy.sparse.csr_array(
        (RANDOM.standard_normal(rows * stored), indices.ravel(), starts), shape=(rows, columns)
    )


def fit(X: Any, **settings: Any) -> Call:
    y = RANDOM.standard_normal(X.shape[0])
    return lambda: LinearRegression(**settings).fit(X, y)


def predict() -> Call:
    model = LinearRegression().fit(window(1000, 100), RANDOM.standard_normal(1000))
    X = window(300_000, 100)
    return lambda: model.predict(X)


def scored(metric: str, **settings: Any) -> Call:
    y, score = (RANDOM.random(500_000) < 0.3).astype(np.int64), RANDOM.random(500_000)
    return lambda: getattr(metrics, metric)(y, score, **settings)


def labeled(metric: str, kind: Any) -> Call:
    y, predicted = (RANDOM.integers(0, 10, 300_000).astype(kind) for _ in range(2))
    return lambda: getattr(metrics, metric)(y, predicted)


def silhouette(rows: int, columns: int) -> Call:
    X, labels = RANDOM.standard_normal((rows, columns)), RANDOM.integers(0, 8, rows)
    return lambda: metrics.silhouette_score(X, labels)


def nearest() -> Call:
    X = RANDOM.standard_normal((4000, 20))
    tree = BallTree(X)
    return lambda: tree.query(X, 5)


def within_radius() -> Call:
    X = RANDOM.standard_normal((4000, 3))
    tree = KDTree(X)
    return lambda: tree.query_radius(X, 1.0)


def edits() -> Call:
    texts = ["".join(row) for row in RANDOM.choice(list("abcdef"), (100, 200))]
    return lambda: metrics.edit_distances(texts)


def kernel(function: Callable[..., object], *arguments: object) -> Call:
    def call() -> None:
        with serial_blas():
            function(*arguments)

    return call


# Each takes less than a tenth of a second; with the least number of times that the hook must be called meanwhile.
CASES: dict[str, tuple[Callable[[], Call], int]] = {
    "auto, few columns": (lambda: fit(window(100_000, 100)), 40),
    "auto, many columns": (lambda: fit(window(30_000, 200)), 400),
    "auto, very many columns": (lambda: fit(window(3000, 1000)), 800),
    "qr, few columns": (lambda: fit(window(50_000, 100), solver="qr"), 150),
    "qr, many columns": (lambda: fit(window(2000, 500), solver="qr"), 200),
    "svd, many columns": (lambda: fit(window(600, 300), solver="svd"), 10_000),
    "svd, wide": (lambda: fit(window(200, 1000), solver="svd"), 10_000),
    "lsqr, sparse": (lambda: fit(sparse(20_000, 2000, 30), solver="lsqr", tol=1e-16), 300),
    "lsqr, dense": (lambda: fit(window(50_000, 120), solver="lsqr", tol=1e-16), 300),
    "positive": (lambda: fit(np.abs(RANDOM.standard_normal((500, 300))), positive=True), 100),
    "predict": (predict, 300),
    "roc_auc_score": (lambda: scored("roc_auc_score"), 400),
    "roc_auc_score, partial": (lambda: scored("roc_auc_score", max_fpr=0.5), 800),
    "average_precision_score": (lambda: scored("average_precision_score"), 800),
    "log_loss": (lambda: scored("log_loss"), 4),
    "confusion_matrix": (lambda: labeled("confusion_matrix", np.int64), 2),
    "accuracy_score of text": (lambda: labeled("accuracy_score", "U8"), 6),
    "silhouette, few columns": (lambda: silhouette(5000, 2), 40),
    "silhouette, many columns": (lambda: silhouette(3000, 60), 25),
    "neighbors by balls": (nearest, 800),
    "neighbors within a radius": (within_radius, 4000),
    "edits of long texts": (edits, 5000),
    "kernel: jacobi": (lambda: kernel(_core.jacobi, RANDOM.standard_normal((200, 200)), 0, 1), 10_000),
    "kernel: qr": (lambda: kernel(_core.qr, RANDOM.standard_normal((2000, 400)), 1), 10),
}


@pytest.mark.parametrize("name", CASES)
def test_a_long_call_can_be_interrupted(name: str, interrupt_at: Callable[[int], None]) -> None:
    """In its first part, in the middle and at its end; on one thread, where the number of calls is always the same."""
    build, least = CASES[name]
    call = build()
    _core.set_thread_limit(1)
    try:
        interrupt_at(0)
        call()
        hook_calls = _core.hook_calls()
        assert hook_calls >= least
        for position in (1, hook_calls // 2, hook_calls):
            interrupt_at(position)
            with pytest.raises(KeyboardInterrupt):
                call()
            assert _core.hook_calls() == position, "work went on after the interruption"
    finally:
        _core.set_thread_limit(0)


@pytest.mark.parametrize("name", CASES)
def test_a_call_on_two_threads_can_be_interrupted(name: str, interrupt_at: Callable[[int], None]) -> None:
    """Only the calling thread asks. If the other one happens to do all the work, the next call is interrupted."""
    call = CASES[name][0]()
    _core.set_thread_limit(2)
    try:
        interrupt_at(1)
        with pytest.raises(KeyboardInterrupt):
            all(call() is not call for _ in itertools.count())
    finally:
        _core.set_thread_limit(0)


def test_a_fit_after_an_interruption_has_the_same_outcome(interrupt_at: Callable[[int], None]) -> None:
    X, y = RANDOM.standard_normal((5000, 8)), RANDOM.standard_normal(5000)
    expected = LinearRegression(solver="qr").fit(X, y).coef_
    interrupt_at(2)
    with pytest.raises(KeyboardInterrupt):
        LinearRegression(solver="qr").fit(X, y)
    np.testing.assert_array_equal(LinearRegression(solver="qr").fit(X, y).coef_, expected)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_no_block_runs_on_after_an_interruption(threads: int, interrupt_at: Callable[[int], None]) -> None:
    begun: list[int] = []
    ended: list[int] = []

    def block(number: int) -> None:
        begun.append(number)
        sum(range(1000))
        ended.append(number)

    interrupt_at(5)
    with pytest.raises(KeyboardInterrupt):
        _core.call_blocks(1_000_000, threads, block)
    assert sorted(begun) == sorted(ended)
    assert len(begun) < 1_000_000


# The main thread calls a kernel that would work for days. When the hook was called, a second thread sends the signal.
SIGNAL_DURING_A_KERNEL = """
import os
import signal
import sys
import threading
import numpy as np
from pellucid import _core, metrics

threads = int(sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background passes on that it is ignored
X, labels = np.random.default_rng(0).standard_normal((1_000_000, 2)), np.arange(1_000_000) % 8
_core.set_poll_interval(0.001)
_core.set_thread_limit(threads)
before = _core.hook_calls()
left = threading.Event()

def send():
    while _core.hook_calls() < before + 3 and not left.wait(0.001):
        pass
    os.kill(os.getpid(), signal.SIGINT)

sender = threading.Thread(target=send)
sender.start()
try:
    metrics.silhouette_score(X, labels)
    outcome = "finished"
except KeyboardInterrupt:
    outcome = "KeyboardInterrupt"
left.set()
sender.join()
say(outcome)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_reaches_a_kernel(threads: int) -> None:
    assert run(SIGNAL_DURING_A_KERNEL, threads) == "KeyboardInterrupt"


# Two blocks on two threads. The main thread has left its block and waits for the other thread, whose block sends both
# signals: the second one when the main thread has begun to handle the first.
TWO_SIGNALS = """
import os
import signal
import threading
from pellucid import _core

handled, interrupted = [], threading.Event()

def on_interrupt(*_):
    interrupted.set()
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, on_interrupt)
signal.signal(signal.SIGUSR1, lambda *_: handled.append(1))
_core.set_poll_interval(0)

def wait_for_hook_calls(more):
    goal = _core.hook_calls() + more
    while _core.hook_calls() < goal:
        pause.wait(0.001)

pause = threading.Event()
main = threading.get_ident()

def attempt():
    started, left = threading.Event(), threading.Event()

    def block(number):
        if threading.get_ident() == main:
            started.wait()
            left.set()
            return
        started.set()
        left.wait()
        wait_for_hook_calls(2)  # now the main thread is in the kernel, not in Python
        os.kill(os.getpid(), signal.SIGINT)
        interrupted.wait()
        os.kill(os.getpid(), signal.SIGUSR1)
        wait_for_hook_calls(2)

    interrupted.clear()
    try:
        _core.call_blocks(2, 2, block)
        return "finished"
    except BaseException as error:
        return type(error).__name__

say([[attempt() for _ in range(5)], len(handled)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_a_second_signal_while_the_first_one_is_handled() -> None:
    """Its handler runs too, and KeyboardInterrupt still comes."""
    assert run(TWO_SIGNALS) == [["KeyboardInterrupt"] * 5, 5]
