"""The same work for several things at once, where NumPy and kernels let other threads go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

FEW_ROWS = 50_000  # threads take longer to start than so many rows to go through


def each(function: Callable[[T], R], things: Sequence[T], threads: int, rows: int) -> Iterator[R]:
    """The function's answers in the order of the things; how many threads there are changes none of them.

    rows : how many each of the things has
    """
    if threads < 2 or len(things) < 2 or rows < FEW_ROWS:
        yield from map(function, things)
        return
    with ThreadPoolExecutor(min(threads, len(things))) as pool:
        waiting = [pool.submit(copy_context().run, function, thing) for thing in things]
        try:
            for future in waiting:
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()
