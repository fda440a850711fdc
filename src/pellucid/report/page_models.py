"""The models on the page: their comparison, better settings, and the chosen model on the held-out rows."""

from __future__ import annotations

import math
import re
from html import escape

import numpy as np

from pellucid.base.errors import count
from pellucid.model_selection import Diagnosis
from pellucid.model_selection.diagnosis import RULE
from pellucid.model_selection.overfitting import percent_of_way
from pellucid.report.charts import spread
from pellucid.report.charts_plots import Dot, Line, columns, dots, heat, lines_chart, scatter
from pellucid.report.holdout import MOST_TRAINING_ROWS, thin_curve
from pellucid.report.naive_text import naive_sentence
from pellucid.report.narrative import OR_CHANGED, latest_word, may_have_changed
from pellucid.report.outcome import Candidate, HoldoutResult, Metric, MetricValue, ModelComparison, StudyResult, Tuned
from pellucid.report.page_elements import (
    Cell,
    Head,
    box,
    chart,
    element,
    framed,
    lines,
    more_than,
    paragraphs,
    section,
    table,
)
from pellucid.report.page_text import (
    as_sentence,
    cut,
    figure,
    figures,
    percent,
    percentage,
    score_figures,
    settings_text,
    text_html,
)
from pellucid.report.task import MEASURES
from pellucid.report.verdict import conclusion_of_gain

BASELINE = "baseline"
AREA = MEASURES["roc_auc"].word
MOST_CLASSES = 15  # of a confusion matrix
BROAD = 4  # classes from which on it takes the whole width
NAMED = 8  # classes that have their names above the columns; more have numbers, unless their names are
SHORT = 4  # characters at most
MOST_TRIED = 40  # settings of a search

VERDICTS = {
    "best": ("best", "best"),
    "practically equal": ("practically equal to the best", "even"),
    "not shown to differ": ("not shown to differ from the best", "even"),
    "worse": ("worse than the best", "worse"),
    "left out": ("left out", ""),
}


def measure_label(measure: Metric | None) -> str:
    """What stands on an axis of scores.

    >>> measure_label(Metric("r2", "R²", "...")), measure_label(Metric("neg_x", "error", "...", -1))
    ('R² (higher is better)', 'error (lower is better)')
    """
    if measure is None:
        return "score"
    return f"{measure.word} ({'higher' if measure.sign > 0 else 'lower'} is better)"


# ---------------------------------------------------------------------------------------------------------- comparison


def comparison(outcome: StudyResult) -> str:
    """Every model on the same folds, as a chart and as a table; who was left out; the search for settings."""
    model_comparison = outcome.race
    if model_comparison is None:
        return ""
    measure = outcome.task.measure
    ran = [candidate for candidate in model_comparison.candidates if candidate.scores]
    left_out = [candidate for candidate in model_comparison.candidates if not candidate.scores]
    per_repeat = model_comparison.folds // model_comparison.repeats
    rows = f"{count(model_comparison.rows, 'row')} in {count(per_repeat, 'fold')}"
    rows += f", divided {model_comparison.repeats} times" if model_comparison.repeats > 1 else ""
    words = [model_comparison.words]
    if measure is not None:
        words.append(f"Measured by {measure.word}: {measure.about}".rstrip(".") + f". Every model saw the same {rows}.")
        words += (
            [f"These rows are the {latest_word(outcome)} of those that were not held out."]
            if model_comparison.latest
            else []
        )
    missing = [f"{candidate.title}: {candidate.why}" for candidate in left_out]
    return section(
        "models",
        "The comparison of models",
        paragraphs(words),
        chart(
            _race_chart(model_comparison, ran, measure),
            "Scores of the models on the held-out rows of the folds",
            _RACE_NOTE,
            wide=True,
        ),
        _race_table(outcome, model_comparison, ran),
        box("Left out of the comparison", missing, "pr-plain", level=3),
        *(_tuned(tuned, model_comparison, measure) for tuned in outcome.tuned),
    )


_RACE_NOTE = (
    "Large dot: mean over the folds; bar: one standard deviation to either side; small dots: single folds. Filled: the "
    "best; ring: practically equal to the best, or not shown to differ from it; gray: worse."
)


def _race_chart(model_comparison: ModelComparison, ran: list[Candidate], measure: Metric | None) -> str:
    items = []
    for candidate in ran:
        mean, low, high = figures([candidate.mean, candidate.mean - candidate.sd, candidate.mean + candidate.sd])
        verdict, kind = VERDICTS[candidate.verdict]
        tip = f"{candidate.title}: mean {mean}, one standard deviation {low} to {high}; {verdict}"
        ends = (candidate.mean - candidate.sd, candidate.mean + candidate.sd)
        items.append(Dot(candidate.title, candidate.mean, *ends, candidate.scores, kind, tip))
    level = next(((model.mean, f"baseline {figure(model.mean)}") for model in ran if model.name == BASELINE), None)
    best = next((model for model in ran if model.verdict == "best"), None)
    about = f"{count(len(ran), 'model')} over {count(model_comparison.folds, 'fold')}."
    about += f" Best: {best.title} with a mean of {figure(best.mean)}." if best is not None else ""
    about += f" The baseline is at {figure(level[0])}." if level is not None else ""
    return dots("race", "Scores of the models", about, items, label=measure_label(measure), level=level)


def _race_table(outcome: StudyResult, model_comparison: ModelComparison, ran: list[Candidate]) -> str:
    measure = outcome.task.measure
    word = outcome.task.measure.mean_word if outcome.task.measure is not None else "mean score"
    learned = any(math.isfinite(candidate.train) for candidate in ran)
    heads = [
        Head("model"),
        Head(word, True),
        Head("spread of folds", True, "Standard deviation over the folds"),
        *([Head("on the rows learned from", True)] if learned else []),
        Head("P(worse)", True, "Probability that it is worse than the best by more than the region of equivalence"),
        Head("P(equal)", True, "Probability that the difference from the best lies within the region of equivalence"),
        Head("verdict"),
        Head("how it works"),
    ]
    means = figures([candidate.mean for candidate in ran])
    spreads = figures([*(candidate.sd for candidate in ran), *(candidate.mean for candidate in ran)])[: len(ran)]
    trained = figures([candidate.train for candidate in ran])
    rows = []
    for candidate, mean, spread_text, train in zip(ran, means, spreads, trained, strict=True):
        verdict, kind = VERDICTS[candidate.verdict]
        about = candidate.about + (f"; {settings_text(candidate.settings)}" if candidate.settings else "")
        title = text_html(candidate.title) + (" ★" if candidate.name == outcome.winner else "")
        rows.append(
            [
                Cell(title),
                Cell(mean, candidate.mean),
                Cell(f"± {spread_text}", candidate.sd),
                *([Cell(train, candidate.train)] if learned else []),
                _probability(candidate.p_worse),
                _probability(candidate.p_equal),
                Cell(element("span", verdict, class_=f"pr-verdict pr-{kind}")),
                Cell.text(about),
            ]
        )
    star = " ★ marks the model that was chosen." if outcome.winner else ""
    return table(
        "The models, best first", heads, rows, more=_test_note(model_comparison, measure) + star, kind="pr-stack"
    )


def _probability(value: float | None) -> Cell:
    """A probability in percent."""
    return Cell("", "") if value is None else Cell(escape(percent(value)), value)


def _test_note(model_comparison: ModelComparison, measure: Metric | None) -> str:
    """How the verdicts are reached."""
    size = figure(model_comparison.rope)
    if measure is not None and measure.sign < 0:
        size = f"{100 * model_comparison.rope:g} % of the {measure.word} of the baseline on the same fold"
    return (
        "Every model is compared with the best one only, by the Bayesian correlated t-test over the folds. "
        f"Differences up to {size} count as equal (the region of practical equivalence). A verdict needs a "
        "probability of 95 %; without it a model is not shown to differ, which does not mean that it is as good."
    )


def _tuned(tuned: Tuned, model_comparison: ModelComparison, measure: Metric | None) -> str:
    title = next(
        (candidate.title for candidate in model_comparison.candidates if candidate.name == tuned.name), tuned.name
    )
    word = measure.word if measure is not None else "score"
    before, after = figures([tuned.before, tuned.after])
    sign = measure.sign if measure is not None else 1
    better = sign * (tuned.after - tuned.before) > 0
    folds = (
        f"on the first of the {model_comparison.repeats} divisions into folds"
        if model_comparison.repeats > 1
        else "on the same folds"
    )
    result = f"{count(tuned.tried, 'setting')} tried {folds}: {word} {before} before, {after} with the best"
    result += f" of them ({settings_text(tuned.best)})." if tuned.best else " of them."
    result += "" if better else " Nothing better than the settings of the comparison was found."
    if not tuned.table:
        return lines(element("h3", escape(f"Settings: {cut(title, 80)}")), paragraphs([result]))
    scores = figures([score for _, score in tuned.table[:MOST_TRIED]])
    rows = [
        [Cell(text_html(settings_text(settings) or "defaults", 200)), Cell(text, score)]
        for (settings, score), text in zip(tuned.table[:MOST_TRIED], scores, strict=True)
    ]
    more = more_than(len(rows), len(tuned.table), "setting")
    inside = table(
        f"Settings: {cut(title, 80)}, best first",
        [Head("settings"), Head(measure.mean_word if measure is not None else "mean score", True)],
        rows,
        more=more,
    )
    summary = element("summary", "Every setting that was tried")
    heading = element("h3", escape(f"Settings: {cut(title, 80)}"))
    return lines(heading, paragraphs([result]), element("details", lines(summary, inside)))


# ----------------------------------------------------------------------------------------------------- rows kept back


def winner(outcome: StudyResult) -> str:
    """The chosen model on the held-out rows, and whether it is too simple or too flexible."""
    holdout = outcome.held
    if holdout is None:
        return ""
    title = outcome.race.of(outcome.winner).title if outcome.race is not None and outcome.winner else "model"
    verb = "was" if holdout.rows == 1 else "were"
    words = f"{count(holdout.rows, 'row')} {verb} held out: no model learned from them, and none was chosen by them."
    if holdout.fitted_rows:
        which = f", the {latest_word(outcome)} ones" if holdout.fitted_latest else ""
        words += f" The model that is scored here was fitted on {count(holdout.fitted_rows, 'other row')}{which}."
    words += _resampled(holdout.unit, outcome)
    charts = [_confusion(holdout, outcome), *_curves(holdout, outcome), *_errors(holdout, outcome)]
    return section(
        "winner",
        f"{cut(title[:1].upper() + title[1:], 80)} on held-out rows",
        paragraphs([words]),
        _figures_table(holdout),
        paragraphs([sentence for sentence in [naive_sentence(outcome)] if sentence]),
        element("div", lines(*charts), class_="pr-charts"),
        _diagnosis(outcome, holdout) if outcome.winner != BASELINE else "",
    )


def _resampled(unit: str, outcome: StudyResult) -> str:
    """What stays together in the samples behind the intervals; nothing where each row is drawn by itself."""
    if unit == "block":
        after = "in time" if outcome.structure is not None and outcome.structure.time else "in the table"
        return (
            f" The intervals come from samples of blocks of rows that follow each other {after}, as such rows may "
            "resemble each other."
        )
    if unit != "group":
        return ""
    if outcome.structure is None or outcome.structure.group is None:
        return " The intervals come from samples in which equal rows stay together."
    return " The intervals come from samples of whole groups, as rows of the same group may resemble each other."


def _figures_table(holdout: HoldoutResult) -> str:
    has_gain = any(math.isfinite(score.gain_low) for score in holdout.figures)
    past = holdout.naive.values if holdout.naive is not None else {}
    rows = []
    for score in holdout.figures:
        naive_value = past.get(score.word, float("nan"))
        value, low, high, base, naive = score_figures(score.value, score.low, score.high, score.baseline, naive_value)
        rows.append(
            [
                Cell.text(score.word),
                Cell(value, score.value),
                Cell(f"{low} to {high}"),
                Cell(base, "" if math.isnan(score.baseline) else score.baseline),
                *([Cell(_gain(score, holdout))] if has_gain else []),
                *([Cell(naive, naive_value)] if past else []),
                Cell.text(score.about),
            ]
        )
    gain = Head("improvement", True, "95 % interval of the improvement over the baseline, on the same samples of rows")
    heads = [
        Head("metric"),
        Head("value", True),
        Head("95 % interval", True),
        Head("baseline", True),
        *([gain] if has_gain else []),
        *([Head("naive forecast", True, "A past value of the target as the prediction")] if past else []),
        Head("meaning"),
    ]
    return table("Scores on the held-out rows", heads, rows, kind="pr-stack") if rows else ""


def _gain(score: MetricValue, holdout: HoldoutResult) -> str:
    """The interval of the improvement over the baseline: of the first metric, which decides the verdict, and of the
    accuracy. Of too few rows none is shown, as it is not to be trusted."""
    if not math.isfinite(score.gain_low):
        return ""
    if conclusion_of_gain(score.gain_low, score.gain_high, holdout.unit, holdout.n_units) == "too few rows":
        return "too few rows"
    low, high, _ = figures([score.gain_low, score.gain_high, score.value])
    return f"{low} to {high}"


def _confusion(holdout: HoldoutResult, outcome: StudyResult) -> str:
    if holdout.confusion is None:
        return ""
    counts = np.asarray(holdout.confusion)
    names = [str(label) for label in outcome.task.classes] or [str(k) for k in range(len(counts))]
    if outcome.task.ordered:
        order = [outcome.task.classes.index(level) for level in outcome.task.levels]
        counts, names = counts[np.ix_(order, order)], [names[k] for k in order]
    shown_classes = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_CLASSES])
    more = (
        ""
        if len(shown_classes) == len(counts)
        else f" The {len(shown_classes)} most frequent of {len(counts)} classes are shown."
    )
    names = [names[k] for k in shown_classes]
    totals = counts[shown_classes].sum(axis=1)
    shown_counts = counts[np.ix_(shown_classes, shown_classes)]
    shares = shown_counts / np.maximum(totals, 1)[:, None]
    texts = [[f"{number:,}" for number in row] for row in shown_counts.tolist()]
    tips = [
        [
            f"{shown_counts[i, j]:,} of {totals[i]:,} rows of {a} ({percentage(shares[i, j], 1)}) were predicted as {b}"
            for j, b in enumerate(names)
        ]
        for i, a in enumerate(names)
    ]
    caption = "Actual classes in rows, predicted ones in columns"
    rows, heads = names, names
    if len(names) > NAMED and not _are_short(names):
        rows, heads = [f"{k} {name}" for k, name in enumerate(names, 1)], [str(k) for k in range(1, len(names) + 1)]
        caption += ", which are numbered as the rows are"
    matrix = heat(caption, "actual ↓  predicted →", rows, heads, shown_counts, texts, tips, shares)
    accuracy_note = f"{int(np.trace(counts)):,} of {int(counts.sum()):,} rows were predicted correctly: "
    accuracy_note += "those on the diagonal." if not more else "those on the diagonal, also where it is not shown."
    note = f"{accuracy_note} The stronger the color of a cell, the larger its share of the row.{more}"
    return framed("Confusion matrix", matrix, note, "pr-chart pr-full" if len(shown_classes) > BROAD else "pr-chart")


def _are_short(names: list[str]) -> bool:
    """Can labels stand above columns, however many they are? Numbers always do: others instead would be misread."""
    return max(map(len, names)) <= SHORT or all(re.fullmatch(r"[+-]?\d+(\.\d+)?", name) for name in names)


def _curves(holdout: HoldoutResult, outcome: StudyResult) -> list[str]:
    """ROC, precision and recall, reliability."""
    charts = []
    positive = cut(outcome.task.positive_name, 40) if outcome.task.positive is not None else "the class"
    if holdout.roc is not None:
        x, y = (coordinates.tolist() for coordinates in thin_curve(*holdout.roc))
        area = next((score.value for score in holdout.figures if score.word == AREA), float("nan"))
        about = f"Area below the curve {figure(area)}; " if math.isfinite(area) else ""
        tips = [
            f"{percentage(b)} of {positive} found at {percentage(a)} false alarms" for a, b in zip(x, y, strict=True)
        ]
        svg = lines_chart(
            "roc", "ROC curve", f"{about}the dashed diagonal is guessing.",
            [Line("", x, y, tips=tips)],
            x_label="false alarms: share of the others that are flagged", y_label=f"share of {positive} that is found",
            x_ends=(0.0, 1.0), y_ends=(0.0, 1.0), step=True, diagonal=True,
        )  # fmt: skip
        charts.append(chart(svg, "ROC curve", as_sentence(f"{about}guessing gives the diagonal, 0.5.")))
    if holdout.precision_recall is not None:
        x, y = (coordinates.tolist() for coordinates in thin_curve(*holdout.precision_recall))
        svg = lines_chart(
            "precision-recall", "Precision and recall", f"How sure an alarm for {positive} is, by how many are found.",
            [Line("", x, y, tips=[f"recall {a:.2f}: precision {b:.2f}" for a, b in zip(x, y, strict=True)])],
            x_label=f"recall: share of {positive} that is found", y_label="precision: share of alarms that are right",
            x_ends=(0.0, 1.0), y_ends=(0.0, 1.0), step=True,
        )  # fmt: skip
        charts.append(
            chart(svg, "Precision and recall", "Each point is a threshold: the further right, the lower it is.")
        )
    if holdout.reliability is not None and outcome.decisions is None:
        charts.append(_reliability(holdout, positive))
    return charts


def _reliability(holdout: HoldoutResult, positive: str) -> str:
    assert holdout.reliability is not None
    predicted, observed, rows = (np.asarray(values, dtype=float) for values in holdout.reliability)
    nonempty = np.flatnonzero(np.isfinite(predicted) & np.isfinite(observed) & (rows > 0))
    x, y, size = predicted[nonempty].tolist(), observed[nonempty].tolist(), rows[nonempty].astype(int).tolist()
    tips = [
        f"{count(n, 'row')}: {percentage(a)} predicted, {percentage(b)} happened"
        for a, b, n in zip(x, y, size, strict=True)
    ]
    svg = lines_chart(
        "reliability", "Reliability", "Predicted probabilities against what happened; on the diagonal they agree.",
        [Line("", x, y, tips=tips, dots=True)], x_label="predicted probability", y_label=f"share that is {positive}",
        x_ends=(0.0, 1.0), y_ends=(0.0, 1.0), diagonal=True,
    )  # fmt: skip
    return chart(svg, "Are its probabilities reliable?", "On the dashed diagonal what was predicted is what happened.")


def _errors(holdout: HoldoutResult, outcome: StudyResult) -> list[str]:
    """Predicted against actual numbers, and the errors as a histogram."""
    if holdout.actual is None or holdout.predicted is None or not len(holdout.actual):
        return []
    actual, predicted = np.asarray(holdout.actual, dtype=float), np.asarray(holdout.predicted, dtype=float)
    target = cut(outcome.task.target, 40)
    points = [*zip(figures(actual.tolist()), figures(predicted.tolist()), strict=True)]
    svg = scatter(
        "predicted", "Predicted against actual", f"{count(len(actual), 'row')}; the diagonal is a perfect prediction.",
        actual.tolist(), predicted.tolist(), x_label=f"actual {target}", y_label=f"predicted {target}",
        tips=[f"actual {a}, predicted {b}" for a, b in points], diagonal=True,
    )  # fmt: skip
    sample_note = "" if len(actual) >= holdout.rows else f" {count(len(actual), 'row')} of {holdout.rows:,} are shown."
    charts = [
        chart(
            svg,
            "Predicted against actual",
            f"Every point is a row; the dashed line is a perfect prediction.{sample_note}",
        )
    ]
    errors = (predicted - actual)[np.isfinite(predicted - actual)]
    if len(errors) > 1 and np.ptp(errors) > 0:
        counts, edges = np.histogram(errors, bins=min(24, max(6, round(math.sqrt(len(errors))))))
        low, middle, high = figures(np.quantile(errors, [0.1, 0.5, 0.9]).tolist())
        whose = "the errors of the rows shown" if sample_note else "the errors"
        about = (
            f"The 10th percentile of {whose} is {low}, their median {middle}, the 90th percentile {high}.{sample_note}"
        )
        histogram = columns(
            "errors", "Errors", about, edges.tolist(), counts.tolist(), x_label=f"predicted less actual {target}"
        )
        charts.append(chart(histogram, "How large are the errors?", about))
    return charts


# ----------------------------------------------------------------------------------------------------------- diagnosis


def _diagnosis(outcome: StudyResult, holdout: HoldoutResult) -> str:
    """The verdict, the scores, why, what may help, and the learning curve."""
    diagnosis, measure = outcome.diagnosis, outcome.task.measure
    if diagnosis is None:
        return ""
    verdict = OR_CHANGED if may_have_changed(outcome) else diagnosis.verdict
    elements = [
        element("h3", "Too simple or too flexible?"),
        element("p", "Verdict: " + element("strong", text_html(verdict)) + "."),
        _training_scores(diagnosis, holdout, measure) if measure is not None else "",
        box("Why", diagnosis.reasons, "pr-plain"),
        box("What may help", diagnosis.remedies, "pr-plain"),
        paragraphs([RULE], "pr-more"),
    ]
    curve = _learning_curve(diagnosis, measure)
    text = element("div", lines(*elements))
    return element("div", lines(text, curve), class_="pr-charts pr-diagnosis") if curve else text


def _training_scores(diagnosis: Diagnosis, holdout: HoldoutResult, measure: Metric) -> str:
    """What the model that was fitted once and the baseline score on the rows learned from and on the held-out rows."""
    evidence = diagnosis.evidence
    if evidence is None:
        return ""
    learned = "rows learned from"
    if holdout.fitted_rows > MOST_TRAINING_ROWS:
        learned = f"{MOST_TRAINING_ROWS:,} of the rows learned from"
    pairs = [(learned, evidence.train, evidence.train_baseline), ("held-out rows", evidence.score, evidence.baseline)]
    values = [measure.sign * value for _, score, baseline in pairs for value in (score, baseline)]
    shares = [evidence.train_share(measure.perfect), evidence.held_out_shares(measure.perfect)[0]]
    texts, rows = figures(values), []
    for k, (name, *_) in enumerate(pairs):
        cells = [Cell(texts[j], values[j]) for j in (2 * k, 2 * k + 1)]
        is_finite = math.isfinite(shares[k])
        rows.append(
            [
                Cell.text(name),
                *cells,
                Cell(percent_of_way(shares[k]).replace("-", "−") if is_finite else "–", shares[k]),
            ]
        )
    share = Head("of the way", True, "Share of the way from the baseline to a perfect score")
    heads = [Head("rows"), Head(measure.word, True), Head("baseline", True), share]
    return table("Scores of the model that was fitted once", heads, rows)


def _learning_curve(diagnosis: Diagnosis, measure: Metric | None) -> str:
    curve = diagnosis.curve
    if curve is None or not len(curve.train_sizes):
        return ""
    sign = measure.sign if measure is not None else 1
    sizes = [float(size) for size in curve.train_sizes]
    series = []
    for label, scores in (("rows learned from", curve.train_scores), ("held-out rows of the folds", curve.test_scores)):
        scores = sign * np.asarray(scores, dtype=float)
        mean, sd = scores.mean(axis=1), scores.std(axis=1, ddof=1) if scores.shape[1] > 1 else np.zeros(len(scores))
        tips = [f"{int(size):,} rows: {value}" for size, value in zip(sizes, figures(mean.tolist()), strict=True)]
        series.append(Line(label, sizes, mean.tolist(), (mean - sd).tolist(), (mean + sd).tolist(), tips, dots=True))
    band_values = [
        value for line in series for limits in (line.low, line.high) if limits is not None for value in limits
    ]
    level = (sign * diagnosis.baseline, f"baseline {figure(sign * diagnosis.baseline)}")
    svg = lines_chart(
        "learning", "Learning curve", "Scores by number of rows.",
        series, x_label="rows learned from", y_label=measure_label(measure), level=level,
        y_ends=spread([*band_values, level[0]], 0.08),
    )  # fmt: skip
    means = f"Means over {count(diagnosis.n_folds, 'fold')} of {count(diagnosis.n_rows, 'row')}, each fitted again; "
    return chart(svg, "Learning curve", f"{means}bands: one standard deviation over the folds.")
