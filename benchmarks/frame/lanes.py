"""The runner's end of the contenders' processes, and the rounds in which they take turns.

A *lane* is a contender in one variant of its environment with one thread count. All lanes of a workload are started
first, then timed one after another, round after round, so that a drift of the machine's load hits all alike.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from statistics import median
from threading import Timer
from typing import IO, Any

from benchmarks.frame import data, machine
from benchmarks.frame.declare import Contender
from benchmarks.frame.environment import environment, variants
from benchmarks.frame.registry import Entry
from benchmarks.frame.worker import Job


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    ``burst``: seconds of calls a lane makes in one turn, so that short calls are made often. ``box``: seconds after
    which a lane takes no more turns. ``limit``: seconds after which a turn is given up. ``settle``: pause between
    turns, longer than the 0.2 s for which OpenMP's threads may go on spinning after a call.
    """

    rounds: int = 7
    burst: float = 1.0
    box: float = 60.0
    limit: float = 300.0
    settle: float = 0.25
    quick: bool = False


QUICK = Plan(rounds=2, burst=0.02, box=5.0, limit=60.0, settle=0.0, quick=True)


@dataclass
class Outcome:
    """What became of a lane."""

    contender: Contender
    variant: str
    threads: int
    status: str = "ok"
    detail: str = ""
    version: str = ""
    quality: float = float("nan")
    peak: int = 0
    x_bytes: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether it was measured."""
        return self.status == "ok" and bool(self.seconds)

    @property
    def best(self) -> float:
        """The shortest call."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The middle call."""
        return median(self.seconds)


class Lane:
    """A contender's process while it lives."""

    def __init__(self, entry: Entry, outcome: Outcome, plan: Plan, *, mapped: bool) -> None:
        self.outcome, self.plan = outcome, plan
        contender = outcome.contender
        job = Job(entry.family, entry.name, contender.name, outcome.threads, plan.quick, mapped)
        self._errors: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (closed by close)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.frame.worker", job.to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=machine.ROOT,
            env=environment(contender, outcome.variant, outcome.threads),
        )

    def first_call(self) -> None:
        """Wait for the call that is not counted."""
        self._take(self._receive())

    def turn(self) -> None:
        """Time a burst of calls, unless the lane has failed or used up its box."""
        if self.outcome.status == "ok" and sum(self.outcome.seconds) < self.plan.box:
            self._take(self._ask(self.plan.burst))
            time.sleep(self.plan.settle)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _ask(self, burst: float) -> dict[str, Any]:
        assert self._process.stdin
        with suppress(BrokenPipeError):  # if it has ended since, that is what there is to receive
            self._process.stdin.write(f"{burst}\n")
            self._process.stdin.flush()
        return self._receive()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        alarm = Timer(self.plan.limit, self._process.kill)
        alarm.daemon = True
        alarm.start()
        line = self._process.stdout.readline()
        late = not alarm.is_alive()
        alarm.cancel()
        if line:
            reply: dict[str, Any] = json.loads(line)
            return reply
        if late:
            return {"status": f"over {self.plan.limit:.0f} s"}
        return {"status": "failed", "detail": self._last_words()}

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return f"process ended with code {code}" + (f": {lines[-1]}" if lines else "")

    def _take(self, reply: dict[str, Any]) -> None:
        self.outcome.seconds.extend(reply.pop("seconds", []))
        for name, value in reply.items():
            setattr(self.outcome, name, value)


def measure(
    entry: Entry, threads: Sequence[int], plan: Plan, say: Callable[[str], None]
) -> tuple[list[Outcome], float]:
    """Time every contender of a workload with each thread count; also the cores that others took meanwhile."""
    outcomes = [
        Outcome(contender, variant, n)
        for n in threads
        for contender in entry.workload.contenders
        for variant in variants(contender)
    ]
    mapped = _must_share(entry, plan, len(outcomes))
    with ExitStack() as stack:
        lanes = []
        for outcome in outcomes:
            say(f"{entry.name}: first call of {outcome.contender.name} ({outcome.variant}, {outcome.threads} threads)")
            lanes.append(Lane(entry, outcome, plan, mapped=mapped))
            stack.callback(lanes[-1].close)
            lanes[-1].first_call()
        others = machine.OtherLoad()
        for i in range(plan.rounds):
            say(f"{entry.name}: round {i + 1} of {plan.rounds}")
            start = i % len(lanes)
            for lane in lanes[start:] + lanes[:start]:
                lane.turn()
        return outcomes, others.cores()


def _must_share(entry: Entry, plan: Plan, n_lanes: int) -> bool:
    # Own copies are what users have; mapped files are for when those would not fit.
    full, small = (entry.workload.maker(quick) for quick in (plan.quick, True))
    data.ensure(small)
    return data.bytes_on_disk(full) * n_lanes > machine.available_memory() / 2
