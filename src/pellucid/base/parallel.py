"""Many fits: one after another or side by side, in order, with a bar for those who watch."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from pellucid.base.threads import shared_cores

# A bar appears when a run has taken this long.
PATIENCE = 1.0


def run(
    work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_jobs: int | None, what: str, threads: bool = False
) -> list[Any]:
    """``work(*call)`` for every call, in their order.

    Workers are joblib's, so its ``parallel_config`` holds; with `threads` they are threads unless that says otherwise,
    which costs no copy of the data. Kernels keep to their share of the cores meanwhile.
    """
    if effective_n_jobs(n_jobs) == 1 or len(calls) < 2:
        with progress(what, len(calls)) as step:
            return [step(work(*call)) for call in calls]
    prefer = "threads" if threads else None
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator", prefer=prefer)
    except ValueError:  # a backend that gives all answers at the end
        parallel = Parallel(n_jobs=n_jobs, prefer=prefer)
    with progress(what, len(calls)) as step, shared_cores(min(effective_n_jobs(n_jobs), len(calls))):
        return [step(found) for found in parallel(delayed(work)(*call) for call in calls)]


def is_ours(model: Any) -> bool:
    """Does a model, or the last step of a pipeline, work in our kernels, which let other threads run?"""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    return type(last).__module__.startswith("pellucid.")


_drawing = threading.Lock()


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[Any], Any]]:
    """A bar on the terminal for what takes longer than a second; nothing where nobody watches, or without rich."""
    quiet = total < 2 or not sys.stderr.isatty() or find_spec("rich") is None
    if quiet or not _drawing.acquire(blocking=False):  # the bar of a run inside another would draw over its bar
        yield lambda found: found
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    late = threading.Timer(PATIENCE, bar.start)
    late.daemon = True
    late.start()

    def step(found: Any) -> Any:
        bar.advance(task)
        return found

    try:
        yield step
    finally:
        late.cancel()
        late.join()
        bar.stop()
        _drawing.release()
