"""From times to words: which variant counts, who is comparable, the ratio to the best peer, and the goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from benchmarks.frame.declare import OURS, Workload
from benchmarks.frame.lanes import Outcome

# Ratios below this are noise: on a shared machine the same call, best of seven, varies by about as much.
NOISE = 1.3

# From this many cores on, others' load makes a verdict provisional: it slows contenders unequally.
MUCH_LOAD = 0.25


@dataclass(frozen=True)
class Setting:
    """How a workload was measured; ``other_load`` is the cores that other processes took."""

    threads: int
    busy: bool
    quick: bool
    other_load: float

    @property
    def mode(self) -> str:
        """``busy`` when made so, else ``normal``."""
        return "busy" if self.busy else "normal"

    @property
    def caution(self) -> str:
        """What to add to a verdict that others' load makes provisional."""
        much = self.other_load > MUCH_LOAD
        return f"; provisional, other processes took {self.other_load:.2f} cores" if much else ""


@dataclass(frozen=True)
class Row:
    """A contender with one thread count, in the better of its variants."""

    outcome: Outcome
    time: float
    deviation: float
    comparable: bool

    @property
    def name(self) -> str:
        """The contender's name."""
        return self.outcome.contender.name

    @property
    def counts(self) -> bool:
        """Whether its time may be compared."""
        return self.outcome.ok and self.comparable


@dataclass
class Verdict:
    """A workload's rows and what is said of them; ``failures`` make the run's exit code nonzero."""

    rows: list[Row]
    best_peer: Row | None
    lines: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def ours(self, threads: int) -> Row:
        """Our row with that thread count."""
        return next(row for row in self.rows if row.name == OURS and row.outcome.threads == threads)

    def ratio(self, row: Row) -> float | None:
        """``best peer's time / this one's``: above 1 is faster than the best peer."""
        return self.best_peer.time / row.time if self.best_peer and row.counts else None


def judge(workload: Workload, outcomes: Sequence[Outcome], setting: Setting) -> Verdict:
    """Judge a workload. On a busy machine the median counts, elsewhere the best.

    Among many processes the best call is one that the scheduler happened to favor, and hides what the others suffer.
    """
    rows = _rows(workload, outcomes, busy=setting.busy)
    peers = [row for row in rows if not _ours(row) and row.outcome.threads == setting.threads and row.counts]
    verdict = Verdict(rows, min(peers, key=lambda row: row.time, default=None))
    if not _ours_counts(workload, verdict):
        return verdict
    verdict.lines.append(_against_best_peer(verdict, setting))
    if setting.busy:
        _judge_busy(verdict, setting)
    else:
        _judge_goal(workload, verdict, setting)
        _judge_memory(workload, verdict, setting)
    return verdict


def _ours(row: Row) -> bool:
    """Is it ours, maybe by another algorithm? It is shown beside the peers, and is none."""
    return row.outcome.contender.distribution == OURS


def in_words(ratio: float) -> str:
    """``level`` within the noise, else how many times faster or slower."""
    if 1 / NOISE < ratio < NOISE:
        return f"level ({ratio:.2f})"
    return f"{ratio:.2f}x faster" if ratio > 1 else f"{1 / ratio:.2f}x slower"


def _rows(workload: Workload, outcomes: Sequence[Outcome], *, busy: bool) -> list[Row]:
    quality = workload.quality
    best = quality.best([outcome.quality for outcome in outcomes if outcome.ok])
    keys = dict.fromkeys((outcome.contender.name, outcome.threads) for outcome in outcomes)
    rows = []
    for key in keys:
        variants = [outcome for outcome in outcomes if (outcome.contender.name, outcome.threads) == key]
        outcome = min(variants, key=lambda outcome: _time(outcome, busy=busy))
        deviation = quality.deviation(outcome.quality, best)
        comparable = isfinite(deviation) and deviation <= quality.bound
        rows.append(Row(outcome, _time(outcome, busy=busy), deviation, comparable))
    return rows


def _time(outcome: Outcome, *, busy: bool) -> float:
    if not outcome.ok:
        return float("inf")
    return outcome.median if busy else outcome.best


def _ours_counts(workload: Workload, verdict: Verdict) -> bool:
    for row in verdict.rows:
        if row.name != OURS:
            continue
        if not row.outcome.ok:
            verdict.failures.append(f"{OURS}: {row.outcome.status} {row.outcome.detail}".rstrip())
        elif not row.comparable:
            bound = workload.quality.bound
            verdict.failures.append(f"{OURS}: {workload.quality.name} {row.deviation:.1e}, bound {bound:.0e}: missed")
    return not verdict.failures


def _against_best_peer(verdict: Verdict, setting: Setting) -> str:
    ratio = verdict.ratio(verdict.ours(setting.threads))
    if verdict.best_peer is None or ratio is None:
        return "no comparable peer"
    return f"{OURS} against the best peer, {verdict.best_peer.name}: {in_words(ratio)}{setting.caution}"


def _judge_goal(workload: Workload, verdict: Verdict, setting: Setting) -> None:
    if workload.goal is None:
        return
    named = next((row for row in verdict.rows if row.name == workload.goal_peer), None)
    peer = named if workload.goal_peer else verdict.best_peer
    goal = f"goal: {workload.goal:g} times the speed of {workload.goal_peer or 'the best peer'}"
    if setting.quick or peer is None or not peer.counts:
        why = "quick" if setting.quick else "peer not measured or not comparable"
        verdict.lines.append(f"{goal}: not judged ({why})")
        return
    ratio = peer.time / verdict.ours(setting.threads).time
    if ratio >= workload.goal:
        verdict.lines.append(f"{goal}: met ({ratio:.2f}){setting.caution}")
    elif ratio * NOISE >= workload.goal:
        verdict.lines.append(f"{goal}: met within noise ({ratio:.2f}, margin {NOISE:g}){setting.caution}")
    else:
        verdict.failures.append(f"{goal}: missed ({ratio:.2f}, margin {NOISE:g}){setting.caution}")


def _judge_memory(workload: Workload, verdict: Verdict, setting: Setting) -> None:
    if workload.memory_goal is None:
        return
    goal = f"goal: extra memory at most {workload.memory_goal:.0%} of X"
    ours = verdict.ours(setting.threads).outcome
    share = ours.peak / ours.x_bytes
    if setting.quick:
        verdict.lines.append(f"{goal}: not judged (quick)")
    elif share <= workload.memory_goal:
        verdict.lines.append(f"{goal}: met ({share:.1%})")
    else:
        verdict.failures.append(f"{goal}: missed ({share:.1%})")


def _judge_busy(verdict: Verdict, setting: Setting) -> None:
    ratio = verdict.ours(1).time / verdict.ours(setting.threads).time
    line = f"busy machine, {OURS} with {setting.threads} threads against one: {in_words(ratio)}"
    if setting.quick:
        verdict.lines.append(f"{line}: not judged (quick)")
    elif ratio * NOISE >= 1:
        verdict.lines.append(f"{line}: no slower, as promised{setting.caution}")
    else:
        verdict.failures.append(f"{line}: slower, margin {NOISE:g}{setting.caution}")
