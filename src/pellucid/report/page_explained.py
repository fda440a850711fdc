"""How the winner decides, on the page: importance, effects, a second opinion, and the working of single predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from numbers import Real

import numpy as np

from pellucid.base.errors import count, join_some
from pellucid.base.types import Array, Floats
from pellucid.inspection import Dependence, Importance
from pellucid.quality.semantic_types import NOT_NUMBERS, SemanticType, format_value
from pellucid.quality.semantic_types.formatting import PLAIN
from pellucid.report.charts import STYLES
from pellucid.report.charts_plots import Bar, Line, bars, heat, lines_chart
from pellucid.report.explain import EFFECT_ROWS, GRID, LEAST_OF_CLASS, MOST_ROWS
from pellucid.report.fitted_use import n_read
from pellucid.report.importance_text import most_important
from pellucid.report.outcome import LocalExplanation, StudyResult, SurrogateModel
from pellucid.report.page_elements import chart, element, framed, lines, more_than, paragraphs, section, term_list
from pellucid.report.page_svg import inline_svg
from pellucid.report.page_text import (
    as_sentence,
    cell_html,
    cut,
    data_cell_html,
    figure,
    figures,
    name_html,
    percentage,
    short_number,
)
from pellucid.working.html import Writer

MOST_IMPORTANT = 15
MOST_EFFECTS = 12
BROAD = 4  # classes from which on a table of an effect takes the whole width
MOST_VALUES = 16  # categories of an effect
MOST_FAINT = 30  # lines of single rows
MOST_CELLS = 40  # of a row
NAMED = 3  # classes that the tree never predicts
LEAST_AGREEMENT = 0.8  # of a tree with the model that it imitates
LARGEST = 900_000  # characters of one working


def explained(outcome: StudyResult) -> str:
    """Which columns matter, how the answer follows them, and a model that can be read whole.

    Of a model of a single text or time there is nothing to show.
    """
    explanation = outcome.explanation
    if explanation is None:
        return ""
    effects = [_effect(effect, k, outcome) for k, effect in enumerate(explanation.effects[:MOST_EFFECTS], 1)]
    heading = element("h3", "What happens when one column changes")
    about = paragraphs(
        [
            f"The mean prediction over {_held_out(outcome, EFFECT_ROWS)} when a column is set to one value in all of "
            "them, and the others stay as they are. Shown are values that the column has in these rows, or, of "
            f"{GRID} or more different numbers, the range from their 5th to their 95th percentile (all of it where "
            "these are equal)."
        ]
    )
    model = (
        "This section is about the model that had not learned from the held-out rows, not about the one in the file."
    )
    elements = [
        _importance(explanation.importance, explanation.same_values, outcome),
        lines(heading, about, element("div", lines(*effects), class_="pr-charts")) if any(effects) else "",
        _opinion(explanation.opinion, outcome),
    ]
    return section("explained", "How it decides", paragraphs([model]), *elements) if any(elements) else ""


def _held_out(outcome: StudyResult, max_rows: int) -> str:
    """The held-out rows, or how many of them were drawn."""
    n_rows = outcome.held.rows if outcome.held is not None else 0
    return f"{max_rows:,} of the {n_rows:,} held-out rows" if n_rows > max_rows else "the held-out rows"


def _rare_rows(outcome: StudyResult) -> str:
    """How many rows of the rarer of two classes importances come from, where that is more than its share."""
    holdout, measure = outcome.held, outcome.task.measure
    if holdout is None or holdout.confusion is None or holdout.rows <= MOST_ROWS or measure is None:
        return ""
    n_rare = int(np.asarray(holdout.confusion).sum(axis=1).min())
    if measure.scoring != "roc_auc" or n_rare * MOST_ROWS >= LEAST_OF_CLASS * holdout.rows:
        return ""
    return f" At least {count(min(n_rare, LEAST_OF_CLASS), 'row')} of the rarer class are among them."


def _importance(importance: Importance, same_values: tuple[str, ...], outcome: StudyResult) -> str:
    measure = outcome.task.measure
    word = measure.word if measure is not None else "score"
    order = importance.order.tolist()
    used = n_read(outcome.roles, outcome.model)
    top_columns, within_chance = order[:MOST_IMPORTANT], importance.within_chance
    items = []
    for j in top_columns:
        mean, sd = float(importance.importances_mean[j]), float(importance.importances_std[j])
        text, spread = figures([mean, sd])
        tip = f"{importance.feature_names[j]}: {text}, standard deviation {spread}" + (
            ", not above chance" if within_chance[j] else ""
        )
        items.append(Bar(str(importance.feature_names[j]), mean, mean - sd, mean + sd, bool(within_chance[j]), tip))
    if not items or used == 1:  # of a single column there is nothing to compare
        return ""
    about = most_important(importance, used)
    if within_chance.any():
        about += f" Not above chance: {int(within_chance.sum())} of {count(len(order), 'column')}."
    svg = bars("importance", "Importance of the columns", about, items, label=f"how much worse {word} gets")
    note = (
        f"How much worse the {word} gets on {_held_out(outcome, MOST_ROWS)} when the values of a column are shuffled."
    )
    note += _rare_rows(outcome)
    if within_chance[top_columns].any():
        note += " Gray bars are not above chance: shuffling the column is not shown to make the score worse."
    same = [name for name in (str(importance.feature_names[j]) for j in top_columns) if name in same_values]
    if same:
        them = "it" if len(same) == 1 else "them"
        note += (
            f" All held-out rows have the same value of {join_some(same)}, so that shuffling says nothing about {them}."
        )
    if len(order) > len(top_columns):
        note += f" Not shown: {count(len(order) - len(top_columns), 'column')} of no greater importance."
    if len(order) < used:
        note += f" Of {used:,} columns the {len(order):,} that seem the likeliest to matter were measured."
    return lines(element("h3", "Which columns matter"), chart(svg, "Importance of the columns", note, wide=True))


# ------------------------------------------------------------------------------------------------------------- effects


@dataclass(frozen=True)
class _Effect:
    """One effect, ready to be drawn: the column, its values, the answers (outputs x values), and words for them."""

    found: Dependence
    name: str
    grid: Array
    answers: Floats
    labels: list[str]  # of the outputs; none where there is one
    height: str  # what an answer is
    at: str  # begins ids

    @property
    def about(self) -> str:
        """For someone who cannot see the drawing."""
        low, high = figures([float(self.answers.min()), float(self.answers.max())])
        return f"{self.height} by {self.name}: from {low} to {high}."


def _height(dependence: Dependence, outcome: StudyResult) -> str:
    task = outcome.task
    if task.kind == "number":
        return f"mean predicted {cut(task.target, 40)}"
    word = "mean probability" if dependence.response == "predict_proba" else "mean decision value"
    return f"{word} of {cut(task.positive_name, 40)}" if task.kind == "two classes" else word


def _of_positive(predictions: Floats, dependence: Dependence, outcome: StudyResult) -> Floats:
    """Of two classes a model's answer is that for the second: turned round where the first one is asked for."""
    task = outcome.task
    if task.kind != "two classes" or not task.classes or task.positive != task.classes[0]:
        return predictions
    return 1 - predictions if dependence.response == "predict_proba" else -predictions


def _effect(dependence: Dependence, k: int, outcome: StudyResult) -> str:
    name = " and ".join(cut(column, 60) for column in dependence.feature_names)
    average = _of_positive(np.asarray(dependence.average, dtype=float), dependence, outcome)
    if len(dependence.grid_values) == 2:
        return _effect_of_two(dependence, average, name)
    grid, predictions = np.asarray(dependence.grid_values[0]), np.atleast_2d(average)
    if not len(grid):
        return ""
    labels = [str(label) for label in outcome.task.classes] if len(predictions) == len(outcome.task.classes) else []
    labels = labels or [f"output {j}" for j in range(len(predictions))] if len(predictions) > 1 else []
    note = ""
    if len(predictions) > STYLES:
        shown_classes = np.sort(np.argsort(-np.ptp(predictions, axis=1), kind="stable")[:STYLES])
        note = f"The {len(shown_classes)} of {len(predictions)} classes whose probability changes most."
        predictions, labels = predictions[shown_classes], [labels[j] for j in shown_classes]
    effect = _Effect(dependence, name, grid, predictions, labels, _height(dependence, outcome), f"effect-{k}")
    meaning = outcome.semantic_types.get(str(dependence.feature_names[0]))
    is_number = all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in grid.tolist())
    if is_number and (meaning is None or meaning.name not in NOT_NUMBERS):
        return _effect_of_numbers(effect, note, outcome)
    return _effect_of_names(_in_order(effect, meaning), note)


def _in_order(effect: _Effect, meaning: SemanticType | None) -> _Effect:
    """The values as they are written, those of an ordinal scale from the lowest to the highest."""
    values = effect.grid.tolist()
    if meaning is not None and set(values) <= set(meaning.levels):
        order = sorted(range(len(values)), key=lambda i: meaning.levels.index(values[i]))
        return replace(effect, grid=effect.grid[order], answers=effect.answers[:, order])
    written = [format_value(value, meaning) or value for value in values]
    return replace(effect, grid=np.array(written, dtype=object))


def _effect_of_numbers(effect: _Effect, note: str, outcome: StudyResult) -> str:
    """Lines over the values of a column of numbers, with those of some single rows behind where there is one output."""
    x = effect.grid.astype(float).tolist()
    meaning = outcome.semantic_types.get(effect.name)
    values = [format_value(value, meaning) or short_number(value) for value in x]
    series = [
        Line(label, x, row.tolist(), dots=len(x) <= 12,
             tips=[f"{at}: {b}" for at, b in zip(values, figures(row.tolist()), strict=True)])
        for label, row in zip(effect.labels or [""], effect.answers, strict=True)
    ]  # fmt: skip
    faint: list[list[float]] = []
    if effect.found.individual is not None and not effect.labels:
        single = _of_positive(np.asarray(effect.found.individual, dtype=float), effect.found, outcome).reshape(
            -1, len(x)
        )
        faint = single[np.linspace(0, len(single) - 1, min(len(single), MOST_FAINT)).astype(int)].tolist()
    rug = np.asarray(effect.found.deciles[0], dtype=float).tolist() if effect.found.deciles else []
    title = f"Effect of {effect.name}"
    svg = lines_chart(
        effect.at, title, effect.about, series, x_label=effect.name, y_label=effect.height, rug=rug, faint=faint,
        x_plain=meaning is not None and meaning.name in PLAIN,
    )  # fmt: skip
    marks = "Small marks: deciles of the column in these rows." if rug else ""
    single_rows = "Thin lines: single rows." if faint else ""
    return chart(svg, effect.name, " ".join(filter(None, [note, marks, single_rows])))


def _effect_of_names(effect: _Effect, note: str) -> str:
    """The effect of a column of categories: bars, or a table where there are several classes."""
    grid, predictions = [cut(value, 60) for value in effect.grid], effect.answers
    if len(grid) > MOST_VALUES:
        far = np.abs(predictions - predictions.mean(axis=1, keepdims=True)).max(axis=0)
        shown_values = np.sort(np.argsort(-far, kind="stable")[:MOST_VALUES])
        values = f"the {len(grid):,} values in these rows"
        note = f"{note} Of {values} the {MOST_VALUES} that change the prediction most.".strip()
        grid, predictions = [grid[i] for i in shown_values], predictions[:, shown_values]
    if not effect.labels:
        texts = figures(predictions[0].tolist())
        items = [
            Bar(value, height, tip=f"{effect.name} = {value}: {text}")
            for value, height, text in zip(grid, predictions[0].tolist(), texts, strict=True)
        ]
        return chart(
            bars(effect.at, f"Effect of {effect.name}", effect.about, items, label=effect.height), effect.name, note
        )
    prediction_rows = predictions.T
    prediction_texts = [figures(row.tolist()) for row in prediction_rows]
    heat_map = heat(
        f"{effect.height} by {effect.name}",
        effect.name,
        grid,
        effect.labels,
        prediction_rows,
        prediction_texts,
        shares=prediction_rows,
    )
    return framed(effect.name, heat_map, note, "pr-chart pr-full" if len(effect.labels) > BROAD else "pr-chart")


def _effect_of_two(dependence: Dependence, average: Floats, name: str) -> str:
    """Two columns together: a table of at most ten by ten values, colored from the least to the greatest answer."""
    if average.ndim == 3:
        average = average[-1]
    positions = [np.unique(np.linspace(0, size - 1, min(size, 10)).astype(int)) for size in average.shape]
    cells = average[np.ix_(*positions)]
    down, across = (
        [cut(short_number(float(v)) if isinstance(v, Real) else v, 20) for v in np.asarray(axis)[at].tolist()]
        for axis, at in zip(dependence.grid_values, positions, strict=True)
    )
    span = float(np.ptp(cells)) or 1.0
    texts = [figures(row.tolist()) for row in cells]
    corner, shares = f"{cut(dependence.feature_names[0], 30)} ↓", (cells - cells.min()) / span
    heat_map = heat(f"Mean prediction by {name}", corner, down, across, cells, texts, shares=shares)
    return framed(name, heat_map, kind="pr-chart pr-full")


# ------------------------------------------------------------------------------------------------------ second opinion


def _opinion(surrogate: SurrogateModel | None, outcome: StudyResult) -> str:
    if surrogate is None:
        return ""
    measure = outcome.task.measure
    word = measure.word if measure is not None else "score"
    rows = f"the {count(outcome.held.rows, 'held-out row')}" if outcome.held is not None else "the held-out rows"
    if outcome.task.kind == "number":
        agrees = f"Against the predictions of the model for {rows}, its own have an R² of {figure(surrogate.agrees)}"
    else:
        agrees = f"It predicts the same as the model for {percentage(surrogate.agrees)} of {rows}"
    if not math.isnan(surrogate.score):
        agrees += f"; against the actual values its {word} there is {figure(surrogate.score)}"
    trained = f" for {count(surrogate.n_fitted, 'training row')}" if surrogate.n_fitted else ""
    sentences = [
        f"A small tree that imitates the model: it was fitted to what the model predicts{trained}.",
        f"{agrees}.",
    ]
    sentences += _never(surrogate, outcome)
    if surrogate.agrees < LEAST_AGREEMENT:
        sentences.append("It differs too much from the model to explain it.")
    sentences.append(_counts(outcome))
    elements = [element("h3", "A second opinion"), paragraphs([" ".join(sentences)])]
    svg = inline_svg(surrogate.tree, "opinion-") if surrogate.tree else ""
    if svg:
        frame = element(
            "div", svg, class_="pr-scroll pr-paper", role="group", aria_label="Drawing of the tree", tabindex=0
        )
        elements.append(framed("The tree", frame, kind="pr-chart pr-full"))
    for title, text in (("The same tree as text", surrogate.text), ("The same as rules", surrogate.rules)):
        if text:
            inside = element("pre", escape(cut_lines(text)), tabindex=0)
            elements.append(element("details", lines(element("summary", title), inside), open=not svg))
    return lines(*elements)


def _never(surrogate: SurrogateModel, outcome: StudyResult) -> list[str]:
    """Classes that the model predicts and the tree does not: where one is rare, both agree on most rows anyway."""
    if not surrogate.never_predicted:
        return []
    listed = [f"{cut(outcome.task.name_of(label), 40)} ({count(n, 'row')})" for label, n in surrogate.never_predicted]
    classes = ", ".join(listed) if len(listed) <= NAMED else count(len(listed), "class")
    return [f"Predicted by the model there, but never by the tree: {classes}."]


def _counts(outcome: StudyResult) -> str:
    """What the counts at the leaves of the tree and behind its rules mean."""
    if outcome.task.kind == "number":
        return "Counts are training rows; the value of a leaf is the mean prediction of the model for them."
    return (
        "Counts are training rows, and say for how many of those that come to a leaf the model predicts its class, not "
        "how many are of it."
    )


def cut_lines(text: str, most: int = 400, longest: int = 4_000) -> str:
    """A text of at most so many lines, each made visible.

    >>> cut_lines("a\\nb\\nc", most=2)
    'a\\nb\\n… 1 more line'
    """
    all_lines = text.split("\n")
    shown_lines = [cut(line, longest) for line in all_lines[:most]]
    return "\n".join(
        [*shown_lines, f"… {count(len(all_lines) - most, 'more line')}"] if len(all_lines) > most else shown_lines
    )


# --------------------------------------------------------------------------------------------------------------- cases

KINDS = {
    "typical": "A typical case",
    "least certain": "The least certain case",
    "extreme": "An extreme prediction",
    "worst": "The worst case",
}


def cases(outcome: StudyResult) -> str:
    """The working of some predictions, each to be opened."""
    if outcome.explanation is None or not outcome.explanation.cases:
        return ""
    explanations = outcome.explanation.cases
    words = (
        "How the model came to its predictions for single held-out rows, number by number: the model that had not "
        "learned from these rows. The model in the file was fitted again afterward"
    )
    words += f", on {count(outcome.n_fitted, 'row')}, and may predict them otherwise." if outcome.n_fitted else "."
    words += " Rows are counted from 0, as they stand in the source."
    sections = [_case(case, k, outcome) for k, case in enumerate(explanations, 1)]
    return section("cases", f"The working of {count(len(explanations), 'prediction')}", paragraphs([words]), *sections)


def _case(case: LocalExplanation, k: int, outcome: StudyResult) -> str:
    sure = "" if case.probability is None else f" (probability {percentage(case.probability)})"
    meanings = outcome.semantic_types
    meaning = meanings.get(str(outcome.task.target))
    actual, predicted = cell_html(case.actual, 60, meaning), cell_html(case.predicted, 60, meaning)
    title = KINDS.get(case.kind, cut(case.kind, 60))
    heading = element("h3", f"{escape(title)}: predicted {predicted}{escape(sure)}, actually {actual}")
    facts = [("row", str(case.row)), ("predicted", predicted + escape(sure)), ("actual", actual)]
    if case.interval is not None:
        level, *ends = case.interval
        texts = [format_value(end, meaning) or text for end, text in zip(ends, figures(ends), strict=True)]
        facts.insert(2, (f"{100 * level:g} % interval", escape(" to ".join(texts))))
    cells = _cells(
        "The row", [(name, data_cell_html(value, semantic=meanings.get(str(name)))) for name, value in case.cells]
    )
    prepared = ""
    if case.prepared:
        prepared = element("details", lines(element("summary", "The row as the model saw it"), _prepared(case)))
    inside = [paragraphs([as_sentence(case.why)]), term_list(facts), cells, prepared, working_html(case, k)]
    return element(
        "details", lines(element("summary", heading), *inside), class_="pr-case", open=k == 1, id=f"case-{k}"
    )


def _prepared(case: LocalExplanation) -> str:
    """The columns that the model saw, without those that are 0."""
    filled = [(name, escape(short_number(float(value)))) for name, value in case.prepared if value != 0]
    zeros = len(case.prepared) - len(filled)
    note = f"{count(zeros, 'column')} of {len(case.prepared):,} {'is' if zeros == 1 else 'are'} 0." if zeros else ""
    return lines(_cells("As the model saw it", filled), paragraphs([note]) if note else "")


def _cells(title: str, pairs: list[tuple[str, str]]) -> str:
    shown_cells = [(name_html(name), value) for name, value in pairs[:MOST_CELLS]]
    more = paragraphs([more_than(len(shown_cells), len(pairs), "column")], "pr-more")
    return lines(element("h4", title), term_list(shown_cells, "pr-cells"), more)


def working_html(case: LocalExplanation, k: int) -> str:
    """The working itself; one that is too large for a page is shown with fewer rows, or told of."""
    if case.working is None:
        return paragraphs(["There is no working for this model: it has too many parts to be followed by hand."])
    for rows in (30, 12, 4):
        text = Writer(case.working, digits=6, most_rows=rows, prefix=f"case{k}-", top=4).whole()
        if len(text) <= LARGEST:
            return element("div", text, class_="pellucid-working pw-fragment")
    return paragraphs([f"The working of this prediction takes {len(text):,} characters, too many for this page."])
