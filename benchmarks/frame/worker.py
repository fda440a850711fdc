"""A contender's process: one contender, one data set, one environment.

Started by ``lanes.py`` with a job; says on its standard output how the first, uncounted call went; then answers each
line of its standard input, a number of seconds, with the times of calls made in about that long. One JSON object a
line. It ends when its input closes.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from queue import SimpleQueue
from time import perf_counter
from typing import Any, TextIO

from benchmarks.frame import data
from benchmarks.frame.memory import PeakGrowth
from benchmarks.frame.registry import find

MOST_CALLS = 1000


@dataclass(frozen=True)
class Job:
    """What a contender's process is to do."""

    family: str
    workload: str
    contender: str
    threads: int
    quick: bool
    mapped: bool

    def to_json(self) -> str:
        """The job as an argument of the process."""
        return json.dumps(asdict(self))


class Bench:
    """The contender with its data in place."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.workload = find(job.family, job.workload)
        self.contender = self.workload.contender(job.contender)
        self.state: Any = None

    def first_call(self) -> dict[str, Any]:
        """Version, quality and peak memory, from the call that is not counted.

        A rehearsal on the small data comes before it, so that imports, thread pools and buffers made on first use
        are not taken for memory that the work needs.
        """
        self._load(quick=True)
        self._call()
        arrays = self._load(quick=self.job.quick)
        with PeakGrowth() as peak:
            answer = self._call()
        return {
            "version": _version(self.contender.distribution),
            "quality": float(self.workload.quality.measure(answer, arrays)),
            "peak": peak.bytes,
            "x_bytes": data.bytes_of_x(arrays),
        }

    def time(self, burst: float) -> dict[str, Any]:
        """Seconds of each call: at least one, then more while they fit into ``burst`` seconds."""
        seconds: list[float] = []
        gc.collect()
        gc.disable()
        while not seconds or (sum(seconds) + seconds[-1] < burst and len(seconds) < MOST_CALLS):
            start = perf_counter()
            answer = self._call()
            seconds.append(perf_counter() - start)
            del answer  # here, so that freeing it is not timed
        gc.enable()
        return {"seconds": seconds}

    def _load(self, *, quick: bool) -> dict[str, Any]:
        self.state = None
        arrays = data.read(self.workload.maker(quick), mapped=self.job.mapped)
        state = self.workload.prepare(arrays) if self.workload.prepare else arrays
        self.state = self.contender.prepare(state, self.job.threads) if self.contender.prepare else state
        return arrays

    def _call(self) -> Any:
        return self.contender.run(self.state, self.job.threads)


def main() -> None:
    """Serve until the input closes."""
    replies = _private_output()
    bursts: SimpleQueue[float] = SimpleQueue()
    threading.Thread(target=_listen, args=(bursts,), daemon=True).start()
    bench = Bench(Job(**json.loads(sys.argv[1])))
    _answer(replies, bench.first_call)
    while True:
        _answer(replies, partial(bench.time, bursts.get()))


def _listen(bursts: SimpleQueue[float]) -> None:
    # A thread, so that the process ends with the runner even in the middle of a long call.
    for line in sys.stdin:
        bursts.put(float(line))
    os._exit(0)


def _answer(replies: TextIO, work: Callable[[], dict[str, Any]]) -> None:
    try:
        reply = {"status": "ok"} | work()
    except ModuleNotFoundError as error:
        reply = {"status": "not installed", "detail": str(error)}
    except Exception as error:  # whatever a contender raises is a result, told to the runner
        reply = {"status": "failed", "detail": f"{type(error).__name__}: {error}"}
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


def _private_output() -> TextIO:
    # Contenders may print: what they write to standard output goes to standard error instead.
    private = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return private


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown version"


if __name__ == "__main__":
    main()
