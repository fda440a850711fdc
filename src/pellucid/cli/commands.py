"""The main job, the comparison of models and the training of one model."""

from __future__ import annotations

import ast
import gc
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pellucid.cli.options import StudyOptions
from pellucid.cli.out import guarded, progress, say, say_aside, say_json

if TYPE_CHECKING:
    from pellucid.report.outcome import StudyResult
    from pellucid.report.prepare import StudyConfig
    from pellucid.report.study import Compared


def run_report(data: str | None, options: StudyOptions, out: Path, parts: dict[str, str]) -> None:
    """`pellucid report`; ``parts`` names the columns of a table of interactions."""
    with guarded():
        from pellucid.report.folder import as_json as figures
        from pellucid.report.folder import write
        from pellucid.report.study import run_study
        from pellucid.report.thresholds import DecisionOptions

        gc.freeze()  # what was imported stays: a collection need not look through it again and again
        begun = perf_counter()
        with progress(options.as_json) as tell:
            outcome = run_study(
                data,
                options.target,
                task=options.task,
                measure=options.measure,
                minutes=options.minutes,
                seed=options.seed,
                drop=options.drop,
                group=options.group,
                time=options.time,
                keep=options.keep,
                connect=options.connect,
                parts=parts,
                decision=DecisionOptions(**asdict(options.decision)),
                tell=tell,
            )
            tell("writing the report", 0.98)
            page = write(outcome, out)
        if options.as_json:
            print(figures(outcome), end="")
            return
        _say_report(outcome, options)
        say(f"The report is in {page}", "green")
        say_aside(f"It took {perf_counter() - begun:.1f} seconds.")


def _say_report(outcome: StudyResult, options: StudyOptions) -> None:
    say(outcome.headline, "bold")
    say()
    for line in outcome.summary:
        say(line)
    if options.decision.is_given:
        _say_thresholds(outcome)
    _say_warnings(outcome)
    for finding in outcome.findings:
        if finding.check == "reading":
            say(f"Reading the file: {finding.explanation}.", "yellow" if finding.severity != "note" else "")
    say()


def _say_warnings(outcome: StudyResult) -> None:
    for line in outcome.warnings:
        say(f"! {line}", "yellow")


def _say_thresholds(outcome: StudyResult) -> None:
    from pellucid.report.decision_words import threshold_lines

    for line in threshold_lines(outcome):
        say(line)


def run_compare(data: str, options: StudyOptions) -> None:
    """`pellucid compare`."""
    with guarded("compare"):
        from pellucid.report.study import compared

        with progress(options.as_json) as tell:
            result = compared(data, _wish(options), options.connect, tell)
        if options.as_json:
            say_json(result.race)
            return
        _say_comparison(result)


def _say_comparison(result: Compared) -> None:
    from pellucid.report.leakage_score import suspect_sentences
    from pellucid.report.page_text import figures, percent

    measure, comparison = result.task.measure, result.race
    if measure is None:
        raise TypeError("a comparison has a measure")
    ran = [model for model in comparison.candidates if model.scores]
    values = figures([value for model in ran for value in (model.mean, model.sd)])
    say(f"{measure.word}: {measure.about}")
    for line in result.structure.reasons:
        say(line)
    folds = (
        f"{comparison.folds} folds"
        if comparison.repeats == 1
        else f"{comparison.folds // comparison.repeats} folds, {comparison.repeats} times,"
    )
    split = f"{result.split[0].upper()}{result.split[1:]}"
    say(f"{split}; the models are compared in {folds} of {comparison.rows:,} other rows.")
    say()
    width = max(len(model.title) for model in comparison.candidates)
    wide = max(len(measure.word) + 5, *map(len, values))
    say(f"{'model':{width}}  {measure.mean_word:>{wide}}  {'sd':>{wide}}  compared with the best", "bold")
    for k, model in enumerate(ran):
        probability = (
            ""
            if model.p_worse is None
            else f" (P(worse) {percent(model.p_worse)}, P(equal) {percent(model.p_equal or 0.0)})"
        )
        verdict = f"{model.verdict}{probability}"
        say(f"{model.title:{width}}  {values[2 * k]:>{wide}}  {values[2 * k + 1]:>{wide}}  {verdict}")
    for model in comparison.candidates:
        if not model.scores:
            say(f"{model.title:{width}}  left out: {model.why}", "dim")
    say()
    say(comparison.words)
    if result.reason:
        say(result.reason)
    for line in suspect_sentences(result.suspects, result.task.target):
        say(f"! {line}", "yellow")
    for line in result.structure.notes:
        say(f"! {line}", "yellow")


def run_train(data: str, options: StudyOptions, out: Path, model: str, settings: tuple[str, ...]) -> None:
    """`pellucid train`."""
    with guarded("train"):
        from pellucid.report.folder import card_for
        from pellucid.report.training import trained
        from pellucid.storage import save

        with progress(options.as_json) as tell:
            outcome = trained(data, model, _settings(settings), _wish(options), options.connect, tell)
        save(outcome.model, out, card=card_for(outcome))
        if options.as_json:
            say_json(_train_json(outcome, out))
            return
        _say_training(outcome)
        rows = "all rows" if outcome.n_fitted >= outcome.source.rows else f"{outcome.n_fitted:,} rows"
        say(f"The model, fitted on {rows}, is in {out}", "green")


def _train_json(outcome: StudyResult, out: Path) -> dict[str, Any]:
    holdout = outcome.held
    if holdout is None:
        raise TypeError("rows were held out")
    return {
        "model": str(out),
        "headline": outcome.headline,
        "warnings": outcome.warnings,
        "rows_held_out": holdout.rows,
        "figures": holdout.figures,
        "structure": outcome.structure,
        "leakage": outcome.leaks,
        "verdict": outcome.verdict,
        "decisions": outcome.decisions,
        "rows_fitted": outcome.n_fitted,
    }


def _say_training(outcome: StudyResult) -> None:
    from pellucid.report.decision_words import decision_words
    from pellucid.report.page_text import figures

    holdout = outcome.held
    if holdout is None or outcome.structure is None:
        raise TypeError("rows were held out")
    say(outcome.headline, "bold")
    say()
    for line in outcome.structure.reasons:
        say(line)
    say(f"Scores on {holdout.rows:,} held-out rows ({outcome.structure.split}), from which the model did not learn:")
    width = max(len(metric.word) for metric in holdout.figures)
    for metric in holdout.figures:
        value, low, high, baseline = figures([metric.value, metric.low, metric.high, metric.baseline])
        floor = f"; baseline {baseline}" if isfinite(metric.baseline) else ""
        interval = f"  (95 % interval {low} to {high}{floor})" if isfinite(metric.value) else "  (not defined)"
        say(f"  {metric.word:{width}}  {value}{interval}")
    for line in decision_words(outcome):
        say(line)
    _say_thresholds(outcome)
    _say_warnings(outcome)


def _wish(options: StudyOptions) -> StudyConfig:
    from pellucid.report.prepare import StudyConfig
    from pellucid.report.thresholds import DecisionOptions

    return StudyConfig(
        options.target,
        options.task,
        options.measure,
        options.minutes,
        options.seed,
        options.drop,
        options.group,
        options.time,
        keep=options.keep,
        decision=DecisionOptions(**asdict(options.decision)),
    )


def _settings(assignments: tuple[str, ...]) -> dict[str, Any]:
    """name=value: numbers, True, None and quoted texts as Python has them; other words are texts."""
    from pellucid.base.errors import ParameterError, format_message

    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(format_message("train", "a setting must be name=value", actual=f"got {assignment!r}"))
        try:
            values[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            values[name] = value
    return values
