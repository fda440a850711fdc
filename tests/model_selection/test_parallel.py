"""Many fits side by side: in order, within the cores there are, with a bar only for those who watch."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import threading
from typing import Any

import joblib
import numpy as np
import pytest

from pellucid.base.parallel import is_ours, run
from pellucid.base.threads import available_cores, effective_threads, shared_cores
from pellucid.linear_model import LinearRegression
from pellucid.model_selection import GridSearchCV, cross_validate


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_kernels_keep_to_their_share(threads: bool) -> None:
    workers = 2
    found = run(effective_threads, [(None,)] * 4, workers, "test", threads=threads)
    assert found == [max(1, available_cores() // workers)] * 4
    assert effective_threads() == effective_threads(None)


def test_the_limit_is_lifted_when_the_last_is_done() -> None:
    before = effective_threads()
    with shared_cores(available_cores()):
        assert effective_threads() == 1
        with shared_cores(1):
            assert effective_threads() == 1
        assert effective_threads() == 1
    assert effective_threads() == before


def test_an_error_lifts_it_too() -> None:
    before = effective_threads()

    def fail(_call: int) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        run(fail, [(1,), (2,)], 2, "test", threads=True)
    assert effective_threads() == before


def test_answers_come_in_order() -> None:
    second_has_ended = threading.Event()

    def first_ends_last(k: int) -> int:
        if k == 0:
            second_has_ended.wait()
        if k == 1:
            second_has_ended.set()
        return k

    assert run(first_ends_last, [(k,) for k in range(6)], 3, "test", threads=True) == list(range(6))


def test_joblibs_own_settings_hold() -> None:
    with joblib.parallel_config(backend="loky"):
        found = run(os.getpid, [(), ()], 2, "test", threads=True)
    assert os.getpid() not in found
    with joblib.parallel_config(backend="multiprocessing"):
        assert len(run(os.getpid, [(), ()], 2, "test")) == 2


def test_workers_change_no_bit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((500, 5)), rng.standard_normal(500)
    alone = cross_validate(LinearRegression(), X, y)["test_score"]
    for n_jobs in (1, 2, 3):
        np.testing.assert_array_equal(cross_validate(LinearRegression(), X, y, n_jobs=n_jobs)["test_score"], alone)


def test_whose_kernels() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    assert is_ours(make_pipeline(StandardScaler(), LinearRegression()))
    assert not is_ours(Ridge())


# The bar appears after some seconds, which are the test's: at once or never. Where it appears, the first of the calls
# lasts until it has been drawn.
SEARCH = """
import sys
import threading
from rich.progress import Progress
from pellucid.base import parallel

drawn, start = threading.Event(), Progress.start

def started(bar):
    start(bar)
    drawn.set()

Progress.start = started
parallel.PATIENCE = {patience}
work = drawn.wait if parallel.PATIENCE == 0 and sys.stderr.isatty() else bool
parallel.run(work, [()] * 5, 1, "a slow search")
print("done")
"""
AT_ONCE, NEVER = SEARCH.format(patience=0.0), SEARCH.format(patience=1e6)


def on_terminal(program: str) -> str:
    """What a program writes to a terminal on its standard error."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    child = subprocess.Popen([sys.executable, "-c", program], stderr=theirs, stdout=subprocess.PIPE, env=environment)
    os.close(theirs)
    text = b""
    while True:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
        elif child.poll() is not None:
            break
    child.communicate()
    os.close(ours)
    assert child.returncode == 0
    return text.decode(errors="replace")


def test_a_bar_for_what_takes_long() -> None:
    assert "a slow search" in on_terminal(AT_ONCE)


def test_no_bar_for_what_is_quick() -> None:
    assert on_terminal(NEVER) == ""


def test_no_bar_where_nobody_watches() -> None:
    done = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"done\n", b"")


def test_a_search_is_quiet(capfd: Any) -> None:
    rng = np.random.default_rng(0)
    GridSearchCV(LinearRegression(), {"positive": [True, False]}).fit(
        rng.standard_normal((50, 2)), rng.standard_normal(50)
    )
    assert capfd.readouterr() == ("", "")
