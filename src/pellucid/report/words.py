"""What the figures mean, in sentences."""

from __future__ import annotations

from pellucid.base.errors import count, some
from pellucid.report.outcome import Candidate, Figure, Outcome
from pellucid.report.suite import BASELINE, STACKING, SUITE

FEW_ROWS = 200
FEW_HELD = 100
UNCLEAR = "the rows are too few to tell whether the winner is overfitted"


def figure(value: float) -> str:
    """A number as a reader wants it: three digits that count."""
    if value != value:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1 or value == 0 else f"{value:.3f}"


def _title(outcome: Outcome) -> str:
    """The winner's, as the beginning of a sentence."""
    title = _winner(outcome).title
    return title[0].upper() + title[1:]


def _winner(outcome: Outcome) -> Candidate:
    if outcome.race is None:
        raise TypeError("there was no comparison")
    return outcome.race.of(outcome.winner)


def _first(outcome: Outcome) -> Figure:
    if outcome.held is None:
        raise TypeError("no rows were kept back")
    return outcome.held.figures[0]


def headline_of(outcome: Outcome) -> str:
    """The answer in one sentence."""
    task, first = outcome.task, _first(outcome)
    if outcome.winner == BASELINE or not _beats(outcome):
        return (
            f"Nothing reliable was learned about {task.target!r}: no model beats the baseline on rows it has not seen."
        )
    asked = f"whether {task.target} is {task.positive}" if task.kind == "two classes" else str(task.target)
    return (
        f"{_title(outcome)} predicts {asked} with {_article(first.word)}{first.word} of {figure(first.value)} "
        f"on rows it has not seen (95 % interval {figure(first.low)} to {figure(first.high)}; "
        f"baseline {figure(first.baseline)})."
    )


def _article(word: str) -> str:
    return "an " if word[0] in "aRF" else "a "


def _beats(outcome: Outcome) -> bool:
    """Is the baseline worse in the comparison, and outside the interval of the first figure on the kept-back rows?"""
    if outcome.race is not None and outcome.race.of(BASELINE).verdict != "worse":
        return False
    first = _first(outcome)
    sign = outcome.task.measure.sign if outcome.task.measure is not None else 1
    return first.low > first.baseline if sign > 0 else first.high < first.baseline


def summary_of(outcome: Outcome, parted: str, fitted: int) -> tuple[str, ...]:
    """A few sentences for someone in a hurry."""
    source, race, told = outcome.source, outcome.race, outcome.explanation
    counts = {s: len(outcome.findings.of(severity=s)) for s in ("error", "warning")}
    lines = [
        f"The table has {source.rows:,} rows and {source.columns} columns; the checks found "
        f"{count(counts['error'], 'error')} and {count(counts['warning'], 'warning')}, and {_changed(outcome)}.",
        f"The task: {outcome.task.kind}, because {outcome.task.why}.",
    ]
    if race is not None:
        taken = [c for c in race.candidates if c.scores]
        lines.append(
            f"{count(len(taken), 'model')} were compared on {race.folds} parts of {race.rows:,} rows. {race.words}"
        )
        if race.candidates[0].name == STACKING != outcome.winner:
            lines.append(
                f"{_title(outcome)} is taken: stacking is ahead by no more than chance, and harder to explain."
            )
    lines += _without_words(outcome)
    lines += outcome.structure.reasons if outcome.structure is not None else ()
    if outcome.held is not None:
        lines.append(f"Before that, {parted}: {outcome.held.rows:,} rows, which nothing was learned from or chosen by.")
    if outcome.diagnosis is not None:
        verdict = outcome.diagnosis.verdict
        lines.append(f"Diagnosis: {UNCLEAR if verdict == 'cannot tell' else verdict}.")
    if told is not None:
        order = (-told.importance.importances_mean).argsort(kind="stable")
        names = [told.importance.feature_names[j] for j in order if told.importance.importances_mean[j] > 0][:3]
        if names:
            lines.append(f"What matters most: {', '.join(names)}.")
    lines.append(f"The model in the file was fitted on {'all ' if fitted >= source.rows else ''}{fitted:,} rows.")
    return tuple(lines)


def _without_words(outcome: Outcome) -> list[str]:
    """Texts that the winner does not look at, though other models of the comparison do."""
    texts = [role.column for role in outcome.roles if role.role == "text"]
    used = any(role.role in ("number", "category", "time") for role in outcome.roles)
    form = next((one.form for one in SUITE if one.name == outcome.winner), "matrix")
    if not texts or not used or form not in ("table", "dense"):
        return []
    return [f"{_title(outcome)} does without the words of {some(texts, 3)}: only some of the other models read texts."]


def _changed(outcome: Outcome) -> str:
    cells = sum(len(change.rows) for change in outcome.log if change.what == "cells")
    rows = sum(len(change.rows) for change in outcome.log if change.what == "rows dropped")
    if not cells and not rows:
        return "nothing had to be changed"
    parts = [count(cells, "cell") + " changed"] if cells else []
    parts += [count(rows, "row") + " dropped"] if rows else []
    return " and ".join(parts) + " by the cleaning"


def warnings_of(outcome: Outcome) -> tuple[str, ...]:
    """What limits trust in the result."""
    said = []
    for finding in outcome.findings.of(check="leakage"):
        said.append(
            f"{', '.join(map(str, finding.columns))} may give the target away: {finding.explanation}. Would it be "
            "known when a prediction is wanted? If not, leave it out (--drop)."
        )
    if outcome.structure is not None:
        said += outcome.structure.notes
    if outcome.source.rows < FEW_ROWS:
        said.append(
            f"{outcome.source.rows} rows are few: the intervals are wide, and another sample may favour another model."
        )
    if outcome.held is not None and outcome.held.rows < FEW_HELD:
        said.append(f"Only {outcome.held.rows} rows were kept back to try the model on.")
    said += _judged(outcome)
    rare = [finding for finding in outcome.findings.of(check="imbalance") if finding.severity != "note"]
    said += [f"{finding.explanation[0].upper()}{finding.explanation[1:]}." for finding in rare]
    return tuple(said + _missing_target(outcome))


def _judged(outcome: Outcome) -> list[str]:
    """What the diagnosis has against the winner."""
    verdict = outcome.diagnosis.verdict if outcome.diagnosis is not None else "well fitted"
    if verdict == "cannot tell":
        return [f"{UNCLEAR[0].upper()}{UNCLEAR[1:]}: see the diagnosis."]
    if verdict == "nothing learned":
        return ["The winner has learned nothing that can be told from chance: see the diagnosis."]
    return [] if verdict == "well fitted" else [f"The winner is {verdict}: see the diagnosis."]


def _missing_target(outcome: Outcome) -> list[str]:
    column = next((c for c in outcome.profile.columns if str(c.name) == outcome.task.target), None)
    if column is None or not column.missing:
        return []
    return [f"{count(column.missing, 'row')} without a value of {outcome.task.target} took no part."]
