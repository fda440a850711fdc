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

    >>> measure_label(Measure("r2", "R²", "...")), measure_label(Measure("neg_x", "error", "...", -1))
    ('R² (higher is better)', 'error (lower is better)')
    """
    if measure is None:
        return "score"
    return f"{measure.word} ({'higher' if measure.sign > 0 else 'lower'} is better)"


# ---------------------------------------------------------------------------------------------------------- comparison


def comparison(outcome: StudyResult) -> str:
    """Every model on the same folds, as a chart and as a table; who was left out; the search for settings."""
    race = outcome.race
    if race is None:
        return ""
    measure = outcome.task.measure
    ran = [candidate for candidate in race.candidates if candidate.scores]
    left = [candidate for candidate in race.candidates if not candidate.scores]
    per_repeat = race.folds // race.repeats
    rows = f"{count(race.rows, 'row')} in {count(per_repeat, 'fold')}"
    rows += f", divided {race.repeats} times" if race.repeats > 1 else ""
    words = [race.words]
    if measure is not None:
        words.append(f"Measured by {measure.word}: {measure.about}".rstrip(".") + f". Every model saw the same {rows}.")
        words += [f"These rows are the {latest_word(outcome)} of those that were not held out."] if race.latest else []
    missing = [f"{candidate.title}: {candidate.why}" for candidate in left]
    return section(
        "models",
        "The comparison of models",
        paragraphs(words),
        chart(
            _race_chart(race, ran, measure),
            "Scores of the models on the held-out rows of the folds",
            _RACE_NOTE,
            wide=True,
        ),
        _race_table(outcome, race, ran),
        box("Left out of the comparison", missing, "pr-plain", level=3),
        *(_tuned(tuned, race, measure) for tuned in outcome.tuned),
    )


_RACE_NOTE = (
    "Large dot: mean over the folds; bar: one standard deviation to either side; small dots: single folds. Filled: the "
    "best; ring: practically equal to the best, or not shown to differ from it; gray: worse."
)


def _race_chart(race: ModelComparison, ran: list[Candidate], measure: Metric | None) -> str:
    items = []
    for candidate in ran:
        mean, low, high = figures([candidate.mean, candidate.mean - candidate.sd, candidate.mean + candidate.sd])
        said, kind = VERDICTS[candidate.verdict]
        tip = f"{candidate.title}: mean {mean}, one standard deviation {low} to {high}; {said}"
        ends = (candidate.mean - candidate.sd, candidate.mean + candidate.sd)
        items.append(Dot(candidate.title, candidate.mean, *ends, candidate.scores, kind, tip))
    level = next(((one.mean, f"baseline {figure(one.mean)}") for one in ran if one.name == BASELINE), None)
    best = next((one for one in ran if one.verdict == "best"), None)
    about = f"{count(len(ran), 'model')} over {count(race.folds, 'fold')}."
    about += f" Best: {best.title} with a mean of {figure(best.mean)}." if best is not None else ""
    about += f" The baseline is at {figure(level[0])}." if level is not None else ""
    return dots("race", "Scores of the models", about, items, label=measure_label(measure), level=level)


def _race_table(outcome: StudyResult, race: ModelComparison, ran: list[Candidate]) -> str:
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
        said, kind = VERDICTS[candidate.verdict]
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
                Cell(element("span", said, class_=f"pr-verdict pr-{kind}")),
                Cell.text(about),
            ]
        )
    star = " ★ marks the model that was chosen." if outcome.winner else ""
    return table("The models, best first", heads, rows, more=_test_note(race, measure) + star, kind="pr-stack")


def _probability(value: float | None) -> Cell:
    """A probability in percent."""
    return Cell("", "") if value is None else Cell(escape(percent(value)), value)


def _test_note(race: ModelComparison, measure: Metric | None) -> str:
    """How the verdicts are reached."""
    size = figure(race.rope)
    if measure is not None and measure.sign < 0:
        size = f"{100 * race.rope:g} % of the {measure.word} of the baseline on the same fold"
    return (
        "Every model is compared with the best one only, by the Bayesian correlated t-test over the folds. "
        f"Differences up to {size} count as equal (the region of practical equivalence). A verdict needs a "
        "probability of 95 %; without it a model is not shown to differ, which does not mean that it is as good."
    )


def _tuned(tuned: Tuned, race: ModelComparison, measure: Metric | None) -> str:
    title = next((one.title for one in race.candidates if one.name == tuned.name), tuned.name)
    word = measure.word if measure is not None else "score"
    before, after = figures([tuned.before, tuned.after])
    sign = measure.sign if measure is not None else 1
    better = sign * (tuned.after - tuned.before) > 0
    folds = f"on the first of the {race.repeats} divisions into folds" if race.repeats > 1 else "on the same folds"
    said = f"{count(tuned.tried, 'setting')} tried {folds}: {word} {before} before, {after} with the best"
    said += f" of them ({settings_text(tuned.best)})." if tuned.best else " of them."
    said += "" if better else " Nothing better than the settings of the comparison was found."
    if not tuned.table:
        return lines(element("h3", escape(f"Settings: {cut(title, 80)}")), paragraphs([said]))
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
    return lines(heading, paragraphs([said]), element("details", lines(summary, inside)))


# ----------------------------------------------------------------------------------------------------- rows kept back


def winner(outcome: StudyResult) -> str:
    """The chosen model on the held-out rows, and whether it is too simple or too flexible."""
    held = outcome.held
    if held is None:
        return ""
    title = outcome.race.of(outcome.winner).title if outcome.race is not None and outcome.winner else "model"
    verb = "was" if held.rows == 1 else "were"
    words = f"{count(held.rows, 'row')} {verb} held out: no model learned from them, and none was chosen by them."
    if held.fitted_rows:
        which = f", the {latest_word(outcome)} ones" if held.fitted_latest else ""
        words += f" The model that is scored here was fitted on {count(held.fitted_rows, 'other row')}{which}."
    words += _resampled(held.unit, outcome)
    charts = [_confusion(held, outcome), *_curves(held, outcome), *_errors(held, outcome)]
    return section(
        "winner",
        f"{cut(title[:1].upper() + title[1:], 80)} on held-out rows",
        paragraphs([words]),
        _figures_table(held),
        paragraphs([sentence for sentence in [naive_sentence(outcome)] if sentence]),
        element("div", lines(*charts), class_="pr-charts"),
        _diagnosis(outcome, held) if outcome.winner != BASELINE else "",
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


def _figures_table(held: HoldoutResult) -> str:
    has_gain = any(math.isfinite(one.gain_low) for one in held.figures)
    past = held.naive.values if held.naive is not None else {}
    rows = []
    for one in held.figures:
        naive_value = past.get(one.word, float("nan"))
        value, low, high, base, naive = score_figures(one.value, one.low, one.high, one.baseline, naive_value)
        rows.append(
            [
                Cell.text(one.word),
                Cell(value, one.value),
                Cell(f"{low} to {high}"),
                Cell(base, "" if math.isnan(one.baseline) else one.baseline),
                *([Cell(_gain(one, held))] if has_gain else []),
                *([Cell(naive, naive_value)] if past else []),
                Cell.text(one.about),
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


def _gain(one: MetricValue, held: HoldoutResult) -> str:
    """The interval of the improvement over the baseline: of the first metric, which decides the verdict, and of the
    accuracy. Of too few rows none is shown, as it is not to be trusted."""
    if not math.isfinite(one.gain_low):
        return ""
    if conclusion_of_gain(one.gain_low, one.gain_high, held.unit, held.n_units) == "too few rows":
        return "too few rows"
    low, high, _ = figures([one.gain_low, one.gain_high, one.value])
    return f"{low} to {high}"


def _confusion(held: HoldoutResult, outcome: StudyResult) -> str:
    if held.confusion is None:
        return ""
    counts = np.asarray(held.confusion)
    names = [str(label) for label in outcome.task.classes] or [str(k) for k in range(len(counts))]
    if outcome.task.ordered:
        order = [outcome.task.classes.index(level) for level in outcome.task.levels]
        counts, names = counts[np.ix_(order, order)], [names[k] for k in order]
    kept = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_CLASSES])
    more = "" if len(kept) == len(counts) else f" The {len(kept)} most frequent of {len(counts)} classes are shown."
    names = [names[k] for k in kept]
    totals = counts[kept].sum(axis=1)
    part = counts[np.ix_(kept, kept)]
    shares = part / np.maximum(totals, 1)[:, None]
    texts = [[f"{number:,}" for number in row] for row in part.tolist()]
    tips = [
        [
            f"{part[i, j]:,} of {totals[i]:,} rows of {a} ({percentage(shares[i, j], 1)}) were predicted as {b}"
            for j, b in enumerate(names)
        ]
        for i, a in enumerate(names)
    ]
    caption = "Actual classes in rows, predicted ones in columns"
    rows, heads = names, names
    if len(names) > NAMED and not _are_short(names):
        rows, heads = [f"{k} {name}" for k, name in enumerate(names, 1)], [str(k) for k in range(1, len(names) + 1)]
        caption += ", which are numbered as the rows are"
    drawn = heat(caption, "actual ↓  predicted →", rows, heads, part, texts, tips, shares)
    right = f"{int(np.trace(counts)):,} of {int(counts.sum()):,} rows were predicted correctly: "
    right += "those on the diagonal." if not more else "those on the diagonal, also where it is not shown."
    note = f"{right} The stronger the color of a cell, the larger its share of the row.{more}"
    return framed("Confusion matrix", drawn, note, "pr-chart pr-full" if len(kept) > BROAD else "pr-chart")


def _are_short(names: list[str]) -> bool:
    """Can labels stand above columns, however many they are? Numbers always do: others instead would be misread."""
    return max(map(len, names)) <= SHORT or all(re.fullmatch(r"[+-]?\d+(\.\d+)?", name) for name in names)


def _curves(held: HoldoutResult, outcome: StudyResult) -> list[str]:
    """ROC, precision and recall, reliability."""
    found = []
    positive = cut(outcome.task.positive_name, 40) if outcome.task.positive is not None else "the class"
    if held.roc is not None:
        x, y = (part.tolist() for part in thin_curve(*held.roc))
        area = next((one.value for one in held.figures if one.word == AREA), float("nan"))
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
        found.append(chart(svg, "ROC curve", as_sentence(f"{about}guessing gives the diagonal, 0.5.")))
    if held.precision_recall is not None:
        x, y = (part.tolist() for part in thin_curve(*held.precision_recall))
        svg = lines_chart(
            "precision-recall", "Precision and recall", f"How sure an alarm for {positive} is, by how many are found.",
            [Line("", x, y, tips=[f"recall {a:.2f}: precision {b:.2f}" for a, b in zip(x, y, strict=True)])],
            x_label=f"recall: share of {positive} that is found", y_label="precision: share of alarms that are right",
            x_ends=(0.0, 1.0), y_ends=(0.0, 1.0), step=True,
        )  # fmt: skip
        found.append(
            chart(svg, "Precision and recall", "Each point is a threshold: the further right, the lower it is.")
        )
    if held.reliability is not None and outcome.decisions is None:
        found.append(_reliability(held, positive))
    return found


def _reliability(held: HoldoutResult, positive: str) -> str:
    assert held.reliability is not None
    said, seen, rows = (np.asarray(part, dtype=float) for part in held.reliability)
    there = np.flatnonzero(np.isfinite(said) & np.isfinite(seen) & (rows > 0))
    x, y, size = said[there].tolist(), seen[there].tolist(), rows[there].astype(int).tolist()
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


def _errors(held: HoldoutResult, outcome: StudyResult) -> list[str]:
    """Predicted against actual numbers, and the errors as a histogram."""
    if held.actual is None or held.predicted is None or not len(held.actual):
        return []
    actual, predicted = np.asarray(held.actual, dtype=float), np.asarray(held.predicted, dtype=float)
    target = cut(outcome.task.target, 40)
    shown = [*zip(figures(actual.tolist()), figures(predicted.tolist()), strict=True)]
    svg = scatter(
        "predicted", "Predicted against actual", f"{count(len(actual), 'row')}; the diagonal is a perfect prediction.",
        actual.tolist(), predicted.tolist(), x_label=f"actual {target}", y_label=f"predicted {target}",
        tips=[f"actual {a}, predicted {b}" for a, b in shown], diagonal=True,
    )  # fmt: skip
    part = "" if len(actual) >= held.rows else f" {count(len(actual), 'row')} of {held.rows:,} are shown."
    found = [
        chart(svg, "Predicted against actual", f"Every point is a row; the dashed line is a perfect prediction.{part}")
    ]
    errors = (predicted - actual)[np.isfinite(predicted - actual)]
    if len(errors) > 1 and np.ptp(errors) > 0:
        counts, edges = np.histogram(errors, bins=min(24, max(6, round(math.sqrt(len(errors))))))
        low, middle, high = figures(np.quantile(errors, [0.1, 0.5, 0.9]).tolist())
        whose = "the errors of the rows shown" if part else "the errors"
        about = f"The 10th percentile of {whose} is {low}, their median {middle}, the 90th percentile {high}.{part}"
        drawn = columns(
            "errors", "Errors", about, edges.tolist(), counts.tolist(), x_label=f"predicted less actual {target}"
        )
        found.append(chart(drawn, "How large are the errors?", about))
    return found


# ----------------------------------------------------------------------------------------------------------- diagnosis


def _diagnosis(outcome: StudyResult, held: HoldoutResult) -> str:
    """The verdict, the scores, why, what may help, and the learning curve."""
    found, measure = outcome.diagnosis, outcome.task.measure
    if found is None:
        return ""
    verdict = OR_CHANGED if may_have_changed(outcome) else found.verdict
    parts = [
        element("h3", "Too simple or too flexible?"),
        element("p", "Verdict: " + element("strong", text_html(verdict)) + "."),
        _training_scores(found, held, measure) if measure is not None else "",
        box("Why", found.reasons, "pr-plain"),
        box("What may help", found.remedies, "pr-plain"),
        paragraphs([RULE], "pr-more"),
    ]
    drawn = _learning_curve(found, measure)
    text = element("div", lines(*parts))
    return element("div", lines(text, drawn), class_="pr-charts pr-diagnosis") if drawn else text


def _training_scores(found: Diagnosis, held: HoldoutResult, measure: Metric) -> str:
    """What the model that was fitted once and the baseline score on the rows learned from and on the held-out rows."""
    one = found.evidence
    if one is None:
        return ""
    learned = "rows learned from"
    if held.fitted_rows > MOST_TRAINING_ROWS:
        learned = f"{MOST_TRAINING_ROWS:,} of the rows learned from"
    pairs = [(learned, one.train, one.train_baseline), ("held-out rows", one.score, one.baseline)]
    values = [measure.sign * value for _, score, baseline in pairs for value in (score, baseline)]
    shares = [one.train_share(measure.perfect), one.held_out_shares(measure.perfect)[0]]
    texts, rows = figures(values), []
    for k, (name, *_) in enumerate(pairs):
        cells = [Cell(texts[j], values[j]) for j in (2 * k, 2 * k + 1)]
        known = math.isfinite(shares[k])
        rows.append(
            [Cell.text(name), *cells, Cell(percent_of_way(shares[k]).replace("-", "−") if known else "–", shares[k])]
        )
    share = Head("of the way", True, "Share of the way from the baseline to a perfect score")
    heads = [Head("rows"), Head(measure.word, True), Head("baseline", True), share]
    return table("Scores of the model that was fitted once", heads, rows)


def _learning_curve(found: Diagnosis, measure: Metric | None) -> str:
    curve = found.curve
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
    held = [value for line in series for part in (line.low, line.high) if part is not None for value in part]
    level = (sign * found.baseline, f"baseline {figure(sign * found.baseline)}")
    svg = lines_chart(
        "learning", "Learning curve", "Scores by number of rows.",
        series, x_label="rows learned from", y_label=measure_label(measure), level=level,
        y_ends=spread([*held, level[0]], 0.08),
    )  # fmt: skip
    means = f"Means over {count(found.n_folds, 'fold')} of {count(found.n_rows, 'row')}, each fitted again; "
    return chart(svg, "Learning curve", f"{means}bands: one standard deviation over the folds.")
