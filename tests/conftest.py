"""For all tests."""

from __future__ import annotations

import gc
import os
import random
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
import pytest
from xdist.scheduler import LoadFileScheduling

from tests.optional import NOT_TESTED

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

# scikit-learn runs its check of array-API input only when SciPy was told before it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The same examples in every run, so that what passes once passes again; HYPOTHESIS_PROFILE=default searches anew. How
# long an example takes is no failure: that depends on the machine and its load.
hypothesis.settings.register_profile(
    "fixed", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

SAMPLE = 8
LEAST_DRAWN = 10
# Files that take longest go first: a worker that starts one last would keep the others waiting.
LONGEST = (
    "test_threads",
    "test_sklearn_checks",
    "test_working",
    "test_real_files",
    "test_commands",
    "test_browser",
    "test_input",
    "test_estimator_excel",
    "test_study",
    "test_bad_files",
    "test_scaled_target",
    "test_inside_sklearn",
    "test_terminal",
    "test_html",
    "test_excel",
    "test_boosting",
    "test_kernel_reference",
    "test_copies",
    "test_messages",
    "test_stranger",
    "test_gallery_excel",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--exhaustive", action="store_true", help=f"all exhaustive tests, not every {SAMPLE}th of them")
    parser.addoption("--budget", action="store_true", help="also the reports of large tables, which take minutes each")


def pytest_configure(config: pytest.Config) -> None:
    """Warnings are errors in the tests of `make test`. Of all the settings that the exhaustive tests add some warn."""
    if config.getoption("--exhaustive") or config.getoption("-k"):
        config.addinivalue_line("filterwarnings", "default")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Tests stay to the end: the garbage collector, which would look at 80,000 of them ever again, leaves them out."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # so that all is freed when the interpreter ends


def pytest_runtest_setup() -> None:
    """What draws without a seed, as many a peer does, draws the same whichever tests ran before in this process."""
    random.seed(0)
    np.random.seed(0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the tests marked exhaustive an eighth runs, always the same; all with ``--exhaustive`` or with ``-k``.

    Of what Hypothesis draws for a test a quarter is tried, likewise.
    """
    if not config.getoption("--budget"):
        large = [item for item in items if item.get_closest_marker("budget")]
        config.hook.pytest_deselected(items=large)
        items[:] = [item for item in items if not item.get_closest_marker("budget")]
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))
    if config.getoption("--exhaustive") or config.getoption("-k"):
        return
    for test in {getattr(item.obj, "__func__", item.obj) for item in items if isinstance(item, pytest.Function)}:
        draw_fewer(test)
    kept, left = sampled(items)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


def sampled(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Those that run and those that do not. Of every function one runs at least, unless it is slow."""
    chosen = [
        not item.get_closest_marker("exhaustive") or zlib.crc32(item.nodeid.encode()) % SAMPLE == 0 for item in items
    ]
    tried = {function(item) for item, runs in zip(items, chosen, strict=True) if runs}
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item, runs in zip(items, chosen, strict=True):
        first = function(item) not in tried and not item.get_closest_marker("slow")
        tried.add(function(item))
        (kept if runs or first else left).append(item)
    return kept, left


def draw_fewer(test: Any) -> None:
    """A quarter of the examples, of a test that Hypothesis draws them for."""
    told = getattr(test, "_hypothesis_internal_use_settings", None)
    if told is not None:
        few = max(LEAST_DRAWN, told.max_examples // 4)
        test._hypothesis_internal_use_settings = hypothesis.settings(told, max_examples=min(few, told.max_examples))


def function(item: pytest.Item) -> str:
    """The test without its parameters."""
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """After all else: what was not tested because a program or a file is missing on this machine."""
    yield
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ").removeprefix(NOT_TESTED)
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple) and NOT_TESTED in report.longrepr[2]
    )
    if not reasons:
        return
    terminalreporter.section("not tested on this machine", yellow=True)
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count} test{'s' if count > 1 else ''} left out: {reason}")


@pytest.fixture
def interrupt_at() -> Iterator[Callable[[int], None]]:
    """Lets the kernels behave as if Ctrl-C had been pressed when they ask for the n-th time, counted from now.

    They ask at every opportunity instead of every 25 ms, so that the number of questions does not depend on the clock.
    With 0 nothing is interrupted; ``_core.hook_calls()`` is the number of questions since.
    """
    from pellucid import _core

    _core.interrupt_at(0)
    _core.set_poll_interval(0.0)
    yield _core.interrupt_at
    _core.interrupt_at(0)
    _core.set_poll_interval(0.025)


class ByFile(LoadFileScheduling):
    """``--dist loadfile`` for many tests: how many a worker has left, and which number a test has, is remembered.

    The original looks through all tests for every one of them, which takes a minute and more for 60,000.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        self.left: dict[str, int] = {}
        self.numbers: dict[str, int] = {}

    def _assign_work_unit(self, node: WorkerController) -> None:
        scope, unit = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = unit
        self.left.setdefault(scope, len(unit))
        if not self.numbers:
            self.numbers = {test: number for number, test in enumerate(self.registered_collections[node])}
        node.send_runtest_some([self.numbers[test] for test, done in unit.items() if not done])

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        return sum(self.left[scope] for scope in workload)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        test = self.registered_collections[node][item_index]
        scope = self._split_scope(test)
        self.left[scope] -= not self.assigned_work[node][scope][test]
        super().mark_test_complete(node, item_index, duration)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None
