"""The command line: ``python -m benchmarks [--only NAME] [--busy] ...``."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from benchmarks.frame import machine, results
from benchmarks.frame.judge import NOISE, Setting, judge
from benchmarks.frame.lanes import QUICK, Plan, measure
from benchmarks.frame.registry import Entry, select
from benchmarks.frame.report import Report, show

FEWEST_ROUNDS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks; 1 if ours failed or a goal was missed, 2 for a wrong command, else 0."""
    # As if interrupted, so that contenders and spinning processes are ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options = _parse(arguments)
    try:
        chosen = select(options.only)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    if options.list:
        for entry in chosen:
            print(f"{entry.family:20} {entry.name:32} {entry.workload.about}")
        return 0
    failures = 0
    for entry in chosen:
        report = _run(entry, options)
        show(report)
        if options.write:
            results.write([report])
        failures += len(report.verdict.failures)
    if failures:
        print(f"{failures} failures: ours failed or goals missed, see above", file=sys.stderr)
    return 1 if failures else 0


def _run(entry: Entry, options: argparse.Namespace) -> Report:
    plan = QUICK if options.quick else replace(Plan(), rounds=options.rounds)
    counts = [1, options.threads] if options.busy else [options.threads]
    with machine.busy_machine() if options.busy else nullcontext():
        outcomes, load = measure(entry, counts, plan, _say)
    setting = Setting(options.threads, options.busy, options.quick, load)
    return Report(entry, judge(entry.workload, outcomes, setting), setting)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="workload or family; * allowed")
    parser.add_argument("--list", action="store_true", help="list the workloads and stop")
    parser.add_argument("--threads", type=int, default=machine.cores(), help="threads of every contender (all cores)")
    parser.add_argument("--busy", action="store_true", help="with one spinning process a core; one thread against all")
    parser.add_argument("--rounds", type=int, default=Plan.rounds, help=f"turns of each contender ({Plan.rounds})")
    parser.add_argument("--quick", action="store_true", help="small data, few rounds, nothing written: a smoke test")
    parser.add_argument("--no-write", dest="write", action="store_false", help="leave RESULTS.md as it is")
    parser.epilog = f"Ratios below {NOISE:g} are noise. Exit code 1: ours failed or a goal was missed."
    options = parser.parse_args(arguments)
    if options.rounds < FEWEST_ROUNDS:
        parser.error(f"--rounds must be at least {FEWEST_ROUNDS}; got {options.rounds}. For a short run use --quick.")
    if options.threads < (2 if options.busy else 1):
        parser.error(f"--threads must be at least 1, and 2 with --busy; got {options.threads}.")
    options.write = options.write and not options.quick
    return options
