"""An outcome as a folder: the page, the model, the cleaned table, the log of changes, the program, the figures."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import pellucid
from pellucid.base.errors import DataError, format_message
from pellucid.base.plain import to_json
from pellucid.data.slices import write_frame
from pellucid.quality.writing import write_cleaned
from pellucid.report.decision_words import decision_words
from pellucid.report.outcome import StudyResult
from pellucid.report.page import page
from pellucid.storage import card_of, save

FILES = {
    "report.html": "this page",
    "model.pellucid": "the fitted model: pellucid.load",
    "cleaned.csv": "the table after cleaning",
    "clusters.csv": "the cluster and the anomaly score of every row",
    "changes.csv": "what the cleaning changed, rule by rule, and why",
    "changes.json": "every change with its rows: pellucid.quality.ChangeLog.from_json reads and replays it",
    "reproduce.py": "the program that fits the same model",
    "metrics.json": "all figures for machines",
}


def write(outcome: StudyResult, folder: str | Path) -> Path:
    """Writes everything into a folder, which is made; files of an earlier report there are replaced.

    Parameters
    ----------
    outcome : what `study` found
    folder : where to

    Returns
    -------
    Path
        of the page
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise DataError(format_message("report", "the folder must not be a file", actual=f"{str(place)!r} is one"))
    place.mkdir(parents=True, exist_ok=True)
    names = [name for name in FILES if name != "model.pellucid" or outcome.model is not None]
    names = [name for name in names if name != "reproduce.py" or outcome.script]
    names = [name for name in names if name != "cleaned.csv" or outcome.table is not None]
    names = [name for name in names if name != "clusters.csv" or outcome.rows is not None]
    outcome = replace(outcome, files={name: FILES[name] + _more_about(name, outcome) for name in names})
    if outcome.model is not None:
        save(outcome.model, place / "model.pellucid", card=card_for(outcome))
    if outcome.table is not None:
        table = outcome.table if outcome.written is None else outcome.written
        write_cleaned(table, outcome.log, place / "cleaned.csv", outcome.origin, "report")
    if outcome.rows is not None:
        write_frame(outcome.rows, place / "clusters.csv", "report")
    outcome.log.to_csv(place / "changes.csv")
    outcome.log.to_json(place / "changes.json")
    if outcome.script:
        (place / "reproduce.py").write_text(outcome.script, encoding="utf-8", newline="\n")
    (place / "metrics.json").write_text(as_json(outcome), encoding="utf-8", newline="\n")
    (place / "report.html").write_text(page(outcome), encoding="utf-8", newline="\n")
    return place / "report.html"


def _more_about(name: str, outcome: StudyResult) -> str:
    """What else the list of files says about the model."""
    if name != "model.pellucid":
        return ""
    if outcome.task.kind == "baskets":
        return ", with all rules, also those that this page leaves out"
    return ", or pellucid predict model.pellucid NEW.csv" if hasattr(outcome.model, "predict") else ""


def card_for(outcome: StudyResult) -> Any:
    """The model card: what it was made from, and how good it is."""
    names = [role.column for role in outcome.roles if role.role != "left out"]
    figures = outcome.held.figures if outcome.held is not None else ()
    metrics = {figure.word: figure.value for figure in figures}
    target = outcome.task.target
    if outcome.table is None or target is None:
        return card_of(outcome.model, metrics=metrics)
    from pellucid.data.slices import column_of, names_of, take_columns

    card = card_of(
        outcome.model,
        take_columns(outcome.table, names),
        column_of(outcome.table, target),
        metrics=metrics,
        notes=" ".join([outcome.headline, *decision_words(outcome)]),
    )
    others = tuple(str(name) for name in names_of(outcome.table) if str(name) not in {*names, target})
    return replace(card, target=target, left_out=others)


def as_json(outcome: StudyResult) -> str:
    """Every figure of an outcome."""
    race, held, told = outcome.race, outcome.held, outcome.explanation
    found: dict[str, Any] = {
        "pellucid": pellucid.__version__,
        "python": platform.python_version(),
        "source": outcome.source,
        "task": outcome.task,
        "headline": outcome.headline,
        "summary": outcome.summary,
        "warnings": outcome.warnings,
        "seed": outcome.seed,
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity,
                "columns": [str(name) for name in finding.columns],
                "rows": len(finding.rows),
                "explanation": finding.explanation,
            }
            for finding in outcome.findings
        ],
        "columns": outcome.roles,
        "structure": outcome.structure,
        "leakage": [
            {
                "columns": leak.columns,
                "reason": leak.reason,
                "metric": leak.metric,
                "score_with": leak.with_columns,
                "score_without": leak.without_columns,
            }
            for leak in outcome.leaks
        ],
        "changes": len(outcome.log),
        "comparison": race,
        "winner": outcome.winner,
        "tuned": outcome.tuned,
        "held_out": None
        if held is None
        else {"rows": held.rows, "figures": held.figures, "naive_forecast": held.naive},
        "verdict": outcome.verdict,
        "decisions": outcome.decisions,
        "intervals": None
        if outcome.intervals is None
        else {"fitted": outcome.intervals.fitted, "held_out": outcome.intervals.coverage},
        "diagnosis": None if outcome.diagnosis is None else outcome.diagnosis.verdict,
        "importance": []
        if told is None
        else [
            {"column": name, "mean": mean, "sd": sd}
            for name, mean, sd in zip(
                told.importance.feature_names,
                told.importance.importances_mean,
                told.importance.importances_std,
                strict=True,
            )
        ],
        "lists": outcome.listings,
    }
    return to_json(found) + "\n"
