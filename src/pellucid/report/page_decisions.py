"""How predictions are decided, on the page: probabilities, thresholds, and what each choice means in rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Floats
from pellucid.report.charts_plots import Line, lines_chart
from pellucid.report.decision_words import calibration_words, cost_words, threshold_words
from pellucid.report.outcome import Decisions, HoldoutResult, StudyResult, ThresholdChoice
from pellucid.report.page_elements import Cell, Head, chart, element, lines, paragraphs, section, table
from pellucid.report.page_intervals import intervals_parts
from pellucid.report.page_text import cut, figures, percentage, text_html
from pellucid.report.resampling import share_bounds

MOST_CLASSES = 40  # of the table of classes


def decisions(outcome: StudyResult) -> str:
    """The decision section: thresholds for two classes, the classes one by one for several, and calibration."""
    found, held = outcome.decisions, outcome.held
    if outcome.intervals is not None and held is not None:
        return section("decisions", "How far off predictions are", *intervals_parts(outcome, outcome.intervals, held))
    if found is None or held is None or held.confusion is None:
        return ""
    parts = []
    if found.choices:
        parts.append(_thresholds(found, outcome, held))
    if len(outcome.task.classes) > 2:
        parts.append(_classes(outcome, np.asarray(held.confusion)))
    parts.append(_calibration(found, outcome, held))
    return section("decisions", "How predictions are decided", *parts)


# ---------------------------------------------------------------------------------------------------------- thresholds


def _thresholds(found: Decisions, outcome: StudyResult, held: HoldoutResult) -> str:
    positive = cut(outcome.task.positive_name, 60)
    reason = outcome.task.positive_reason
    words = [
        threshold_words(found, positive),
        f"{positive} counts as the positive class: {reason}." if reason else "",
        "A threshold that the rule leaves open was chosen on "
        f"{count(found.n_rows, 'out-of-fold row')}, which the predicting model had not learned from. The numbers below "
        f"are counts among the {count(held.rows, 'held-out row')}, which had no part in the choice.",
    ]
    has_costs = found.cost_fp is not None and found.cost_fn is not None
    if has_costs:
        words.append(cost_words(found))
    heads = [
        Head("rule"),
        Head("threshold", True, f"Probability of {positive} from which on a row is predicted as {positive}"),
        Head("flagged", True, f"Rows predicted as {positive}"),
        Head("caught", True, f"Of these, rows that are {positive}"),
        Head("missed", True, f"Rows that are {positive} and predicted otherwise"),
        Head("false alarms", True, f"Rows predicted as {positive} that are not"),
        Head("precision", True, "Caught rows among the flagged ones"),
        Head("recall", True, f"Caught rows among all that are {positive}"),
        Head("accuracy", True, "Rows predicted right among all"),
        *([Head("cost", True, "Of all mistakes in the held-out rows")] if has_costs else []),
    ]
    rows = [_choice(choice, has_costs) for choice in found.choices]
    more = "★ marks the rule that predictions follow. Other rules: --threshold and --cost-fp, --cost-fn."
    notes = [f"{choice.rule[:1].upper()}{choice.rule[1:]}: {choice.note}." for choice in found.choices if choice.note]
    return lines(
        element("h3", "The threshold"),
        paragraphs(words),
        table("What each threshold means in the held-out rows", heads, rows, more=more, kind="pr-stack", sort=False),
        paragraphs(notes, "pr-more"),
    )


def _choice(choice: ThresholdChoice, has_costs: bool) -> list[Cell]:
    title = text_html(choice.rule, 100) + (" ★" if choice.used else "")
    if choice.threshold is None:
        return [Cell(title), *[Cell("–")] * (9 if has_costs else 8)]
    counts = (choice.flagged, choice.caught, choice.missed, choice.false_alarms)
    shares = (choice.precision, choice.recall, choice.accuracy)
    return [
        Cell(title),
        Cell(f"{choice.threshold:.4g}", choice.threshold),
        *(Cell(f"{number:,}", number) for number in counts),
        *(Cell(text, "" if math.isnan(share) else share) for text, share in zip(figures(shares), shares, strict=True)),
        *([Cell(f"{choice.cost:,.6g}", choice.cost)] if has_costs else []),
    ]


# ------------------------------------------------------------------------------------------------------------- classes


def _classes(outcome: StudyResult, confusion: Array) -> str:
    """Every class of several: its rows, how often it is predicted, and how often rightly."""
    heads = [
        Head("class"),
        Head("rows", True, "Held-out rows of the class"),
        Head("predicted", True, "Held-out rows predicted as the class"),
        Head("right", True, "Rows of the class predicted as such"),
        Head("recall", True, "Rows predicted right among those of the class"),
        Head("precision", True, "Rows predicted right among those predicted as the class"),
    ]
    rows = []
    actual, predicted, right = confusion.sum(axis=1), confusion.sum(axis=0), np.diag(confusion)
    order = np.argsort(-actual, kind="stable") if not outcome.task.ordered else _in_order(outcome)
    for k in order[:MOST_CLASSES].tolist():
        shares = [float(right[k] / total[k]) if total[k] else float("nan") for total in (actual, predicted)]
        rows.append(
            [
                Cell.name(outcome.task.classes[k]),
                *(Cell(f"{int(values[k]):,}", int(values[k])) for values in (actual, predicted, right)),
                *(Cell(text, "" if math.isnan(share) else share)
                  for text, share in zip(figures(shares), shares, strict=True)),
            ]
        )  # fmt: skip
    more = "" if len(order) <= MOST_CLASSES else f"The {MOST_CLASSES} most frequent of {len(order)} classes are shown."
    return lines(
        element("h3", "The classes one by one"),
        paragraphs(["The most probable class is predicted."]),
        table("Held-out rows by class", heads, rows, more=more, kind="pr-stack"),
    )


def _in_order(outcome: StudyResult) -> Array:
    return np.array([outcome.task.classes.index(level) for level in outcome.task.levels])


# --------------------------------------------------------------------------------------------------------- calibration


def _calibration(found: Decisions, outcome: StudyResult, held: HoldoutResult) -> str:
    words = [calibration_words(found.calibration)]
    drawn = ""
    if held.reliability is not None:
        drawn = _reliability(
            held.reliability, found.calibration.reliability_before, cut(outcome.task.positive_name, 40), held.unit
        )
    return lines(element("h3", "The probabilities"), paragraphs(words), drawn)


Bins = tuple[Floats, Floats, Array]


def _reliability(after: Bins, before: Bins | None, positive: str, unit: str) -> str:
    """Predicted probabilities against what happened, with intervals; before the calibration as a second line."""
    series = [_line("as predicted" if before is None else "after calibration", after, band=True)]
    if before is not None:
        series.append(_line("before calibration", before, band=False))
    largest = max(float(np.max(part)) for line in series for part in (line.x, line.y))
    ends = (0.0, 1.0 if largest > 0.5 else min(1.0, 1.2 * largest))
    series = [_clipped(line, ends[1]) for line in series]
    about = "Predicted probabilities against what happened in the held-out rows; on the diagonal they agree."
    svg = lines_chart(
        "calibration", "Reliability", about, series, x_label="predicted probability",
        y_label=f"share that is {positive}", x_ends=ends, y_ends=ends, diagonal=True,
    )  # fmt: skip
    sizes = np.concatenate([bins[2] for bins in (after, before) if bins is not None])
    fewest, most = int(sizes.min()), int(sizes.max())
    span = count(most, "held-out row") if fewest == most else f"{fewest:,} to {count(most, 'held-out row')}"
    note = (
        f"Each dot stands for {span}. "
        "On the dashed diagonal what was predicted is what happened. "
        f"Band: 95 % intervals of the observed shares{'' if unit == 'row' else ', as if rows were independent'}."
    )
    return chart(svg, "Can its probabilities be believed?", note)


def _clipped(line: Line, top: float) -> Line:
    """The band ends where the drawing does."""
    return line if line.high is None else replace(line, high=[min(value, top) for value in line.high])


def _line(label: str, bins: Bins, *, band: bool) -> Line:
    predicted, observed, rows = (np.asarray(part, dtype=float) for part in bins)
    bounds = [share_bounds(float(share), int(n)) for share, n in zip(observed, rows, strict=True)]
    low, high = (np.array(ends) for ends in zip(*bounds, strict=True))
    tips = [
        f"{count(int(n), 'row')}: {percentage(p)} predicted, {percentage(s)} happened ({100 * a:.0f} to {100 * b:.0f})"
        for p, s, n, a, b in zip(predicted, observed, rows, low, high, strict=True)
    ]
    line = Line(label, predicted.tolist(), observed.tolist(), tips=tips, dots=True)
    return replace(line, low=low.tolist(), high=high.tolist()) if band else line
