"""What the figures mean, in sentences."""

from __future__ import annotations

from pellucid.base.errors import count, some
from pellucid.report.leakage_score import leak_sentences
from pellucid.report.outcome import Candidate, Outcome
from pellucid.report.page_text import figures
from pellucid.report.suite import BASELINE, STACKING, SUITE

FEW_ROWS = 200
FEW_HELD = 100
PROPER = ("naive Bayes", "nearest", "gradient boosting", "AdaBoost", "stacking")  # take no article
UNCLEAR = "the rows are too few to tell whether the winner is overfitted"


def named(title: str) -> str:
    """A model as the subject of a sentence.

    >>> named("random forest"), named("gradient boosting")
    ('The random forest', 'Gradient boosting')
    """
    if title.startswith(PROPER):
        return title[0].upper() + title[1:]
    return f"The {title}"


def _title(outcome: Outcome) -> str:
    return named(_winner(outcome).title)


def _winner(outcome: Outcome) -> Candidate:
    if outcome.race is None:
        raise TypeError("there was no comparison")
    return outcome.race.of(outcome.winner)


def headline_of(outcome: Outcome) -> str:
    """The result in one sentence, as the verdict on the held-out rows has it."""
    task, held, verdict = outcome.task, outcome.held, outcome.verdict
    if held is None or verdict is None:
        raise TypeError("no rows were held out")
    target = f"whether {task.target} is {task.positive}" if task.kind == "two classes" else str(task.target)
    if outcome.winner == BASELINE:
        return f"No model is shown to predict {target} better than the baseline, not even in cross-validation."
    if verdict.conclusion == "too few rows":
        rows = count(held.rows, "held-out row")
        rows = rows if held.unit == "row" else f"{rows} in {count(held.n_units, held.unit)}"
        return f"{rows} are too few to show whether {target} can be predicted better than by the baseline."
    first = held.figures[0]
    value, *ends = figures([first.value, first.low, first.high, first.baseline])
    score = f"{article(first.word)} {first.word} of {value} on {count(held.rows, 'held-out row')}"
    interval = f"(95 % interval {ends[0]} to {ends[1]}; baseline {ends[2]})"
    model = _title(outcome)
    if verdict.conclusion == "better":
        return f"{model} predicts {target} with {score} {interval}."
    if verdict.conclusion == "worse":
        return f"{model} predicts {target} worse than the baseline, with {score} {interval}."
    model = model[0].lower() + model[1:] if model.startswith("The ") else model
    return f"No model is shown to predict {target} better than the baseline: {model} has {score} {interval}."


def article(word: str) -> str:
    """The indefinite article of a metric.

    >>> article("RMSE"), article("ROC AUC"), article("accuracy"), article("log loss")
    ('an', 'an', 'an', 'a')
    """
    spelled = word[:2].isupper() or word[:1] + word[1:2] == "R²" or word[1:2].isdigit()
    return "an" if word[0] in ("AEFHILMNORSX" if spelled else "aeioAEIO") else "a"


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
    cells = sum(len(change.rows) for change in outcome.log if change.what in ("cells", "type"))
    rows = sum(len(change.rows) for change in outcome.log if change.what == "rows dropped")
    if not cells and not rows:
        return "nothing had to be changed"
    parts = [count(cells, "cell") + " changed"] if cells else []
    parts += [count(rows, "row") + " dropped"] if rows else []
    return " and ".join(parts) + " by the cleaning"


def warnings_of(outcome: Outcome) -> tuple[str, ...]:
    """What limits trust in the result."""
    said = [*leak_sentences(outcome.leaks, outcome.task.target)]
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
