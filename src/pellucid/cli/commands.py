"""The main job, the comparison and the training of one model."""

from __future__ import annotations

import ast
import gc
from pathlib import Path
from time import perf_counter
from typing import Any

from pellucid.cli.out import guarded, progress, say, say_aside, say_json


def run_report(
    data: str | None,
    target: str | None,
    out: Path,
    minutes: float,
    task: str | None,
    measure: str | None,
    drop: tuple[str, ...],
    group: str | None,
    time: str | None,
    keep: tuple[str, ...],
    connect: str | None,
    seed: int,
    as_json: bool,
    decision: dict[str, Any],
    parts: dict[str, str] | None = None,
) -> None:
    """`pellucid report`; ``decision`` holds the fields of `DecisionOptions`."""
    with guarded():
        from pellucid.report.folder import as_json as figures
        from pellucid.report.folder import write
        from pellucid.report.job import study
        from pellucid.report.thresholds import DecisionOptions

        gc.freeze()  # what was imported stays: a collection need not look through it again and again
        begun = perf_counter()
        with progress(as_json) as tell:
            outcome = study(
                data,
                target,
                task=task,
                measure=measure,
                minutes=minutes,
                seed=seed,
                drop=drop,
                group=group,
                time=time,
                keep=keep,
                connect=connect,
                parts=parts,
                decision=DecisionOptions(**decision),
                tell=tell,
            )
            tell("writing the report", 0.98)
            page = write(outcome, out)
        if as_json:
            print(figures(outcome), end="")
            return
        say(outcome.headline, "bold")
        say()
        for line in outcome.summary:
            say(line)
        for line in outcome.warnings:
            say(f"! {line}", "yellow")
        for finding in outcome.findings:
            if finding.check == "reading":
                say(f"Reading the file: {finding.explanation}.", "yellow" if finding.severity != "note" else "")
        say()
        say(f"The report is in {page}", "green")
        say_aside(f"It took {perf_counter() - begun:.1f} seconds.")


def run_compare(
    data: str,
    target: str,
    minutes: float,
    task: str | None,
    measure: str | None,
    drop: tuple[str, ...],
    group: str | None,
    time: str | None,
    keep: tuple[str, ...],
    connect: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """`pellucid compare`."""
    with guarded():
        from pellucid.report.job import Wish, compared

        with progress(as_json) as tell:
            wish = Wish(target, task, measure, minutes, seed, drop, group, time, keep=keep)
            race, found = compared(data, wish, connect, tell)
        if as_json:
            say_json(race)
            return
        if found.measure is None:
            raise TypeError("a comparison has a measure")
        word = found.measure.word
        say(f"{word}: {found.measure.about}")
        say()
        width = max(len(candidate.title) for candidate in race.candidates)
        say(f"{'model':{width}}  {word:>17}  {'sd':>8}  against the best", "bold")
        for one in race.candidates:
            if not one.scores:
                say(f"{one.title:{width}}  left out: {one.why}", "dim")
                continue
            chances = "" if one.p_worse is None else f" (worse {one.p_worse:.0%}, equal {one.p_equal:.0%})"
            say(f"{one.title:{width}}  {one.mean:>17.4f}  {one.sd:>8.4f}  {one.verdict}{chances}")
        say()
        say(race.words)


def run_train(
    data: str,
    target: str,
    out: Path,
    model: str,
    settings: tuple[str, ...],
    task: str | None,
    drop: tuple[str, ...],
    connect: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """`pellucid train`."""
    with guarded():
        from pellucid.report.job import Wish, trained
        from pellucid.storage import save

        with progress(as_json) as tell:
            wish = Wish(target, task, None, 1.0, seed, drop)
            fitted, held, card = trained(data, model, _settings(settings), wish, connect, tell)
        save(fitted, out, card=card)
        if as_json:
            say_json({"model": str(out), "rows_held_out": held.rows, "figures": held.figures})
            return
        say(f"On {held.rows:,} rows that were kept back:")
        for one in held.figures:
            interval = f"95 % interval {one.low:.4g} to {one.high:.4g}; baseline {one.baseline:.4g}"
            say(f"  {one.word:18} {one.value:.4g}  ({interval})")
        say(f"The model, fitted on all rows, is in {out}", "green")


def _settings(given: tuple[str, ...]) -> dict[str, Any]:
    """name=value: numbers, True, None and quoted texts as Python has them; other words are texts."""
    from pellucid.base.errors import ParameterError, sentence

    found: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(sentence("train", "a setting must be name=value", f"got {one!r}"))
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found
