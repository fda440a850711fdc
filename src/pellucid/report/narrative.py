"""What the figures mean, in sentences."""

from __future__ import annotations

import math
import re

import numpy as np

from pellucid.base.errors import count, join_some
from pellucid.model_selection import Diagnosis
from pellucid.model_selection.overfitting import WAY, percent_of_way
from pellucid.report.alerts import alerts_of
from pellucid.report.candidates import BASELINE, in_sentence, named
from pellucid.report.choice import shortcomings
from pellucid.report.fitted_use import n_read, unread_texts
from pellucid.report.importance_text import most_important
from pellucid.report.leakage_score import leak_sentences, leaks_in_headline
from pellucid.report.naive_text import naive_in_headline, naive_warning
from pellucid.report.outcome import Candidate, HoldoutResult, StudyResult, Task
from pellucid.report.page_text import figures, percentage, score_figures, short_number
from pellucid.report.task import MEASURES
from pellucid.report.thresholds import EVEN

IN_UNITS = tuple(MEASURES[name].word for name in ("neg_root_mean_squared_error", "neg_mean_absolute_error"))
FEW_ROWS = 200
FEW_HELD = 100
NEARLY_GIVEN = 0.99  # R² from which the target may follow from arithmetic on rounded columns


def _title(outcome: StudyResult) -> str:
    return named(_winner(outcome).title)


def _winner(outcome: StudyResult) -> Candidate:
    if outcome.race is None:
        raise TypeError("there was no comparison")
    return outcome.race.of(outcome.winner)


def headline_of(outcome: StudyResult) -> str:
    """The result in one sentence, as the verdict on the held-out rows has it; of a series also beside its own past."""
    statements = (
        _against_baseline(outcome),
        _of_new_classes(outcome),
        naive_in_headline(outcome),
        leaks_in_headline(outcome.leaks, outcome.task.target),
    )
    return " ".join(statement for statement in statements if statement)


def _against_baseline(outcome: StudyResult) -> str:
    task, holdout, verdict = outcome.task, outcome.held, outcome.verdict
    if holdout is None or verdict is None:
        raise TypeError("no rows were held out")
    target = quoted(task.target)
    if task.kind == "two classes":
        target = f"whether {target} is {quoted(task.positive)}"
    if outcome.winner == BASELINE and _is_alone(outcome):
        return f"The baseline, which looks at no column, predicts {target} with {_article_and_score(outcome)}."
    if outcome.winner == BASELINE:
        return f"No model is shown to predict {target} better than the baseline, not even in cross-validation."
    if _is_undefined(holdout):
        return f"No model is shown to predict {target} better than the baseline: {_why_undefined(outcome, holdout)}."
    if verdict.conclusion == "too few rows":
        rows = count(holdout.rows, "held-out row")
        if holdout.unit == "block":
            rows += (
                f", which resemble each other so much that they are worth {count(holdout.n_units, 'independent row')},"
            )
        elif holdout.unit == "group":
            grouped = outcome.structure is not None and outcome.structure.group is not None
            rows += f" in {count(holdout.n_units, 'group')}" if grouped else f", {holdout.n_units:,} of them different,"
        return f"{rows} are too few to show any model to be better than the baseline at predicting {target}."
    model, score = _title(outcome), _article_and_score(outcome)
    if verdict.conclusion == "better":
        return _success(outcome, holdout, target, score)
    if predicts_classes(outcome):
        return _only_classes(outcome, holdout, target)
    worse = "is worse than it, with" if verdict.conclusion == "worse" else "has"
    if _is_alone(outcome):
        return f"{model} is not shown to predict {target} better than the baseline: it {worse} {score}."
    return f"No model is shown to predict {target} better than the baseline: {in_sentence(model)} {worse} {score}."


def _of_new_classes(outcome: StudyResult) -> str:
    """What the headline must add where a success is claimed, but the scores leave out rows that no model could predict:
    the newest ones with a class that no older row has."""
    holdout, verdict, structure = outcome.held, outcome.verdict, outcome.structure
    if holdout is None or verdict is None or structure is None or not structure.unscored:
        return ""
    if not (verdict.is_better or predicts_classes(outcome)):
        return ""
    other_rows = count(structure.unscored, "other row")
    verb = "has" if structure.unscored == 1 else "have"
    return (
        f"The scores leave out {other_rows} of the {latest_word(outcome)} {holdout.rows + structure.unscored:,}, which "
        f"{verb} a class that no row before them has, so that no model could predict it."
    )


def _is_undefined(holdout: HoldoutResult) -> bool:
    """Is the metric of the comparison undefined on the held-out rows? R² is where all have the same value."""
    return not math.isfinite(holdout.figures[0].value)


def _why_undefined(outcome: StudyResult, holdout: HoldoutResult) -> str:
    same = "value" if outcome.task.kind == "number" else "class"
    return f"the {holdout.figures[0].word} is not defined on {count(holdout.rows, 'held-out row')} with the same {same}"


def _is_alone(outcome: StudyResult) -> bool:
    """Was this model trained without a comparison?"""
    return outcome.race is not None and outcome.race.folds == 0


def _article_and_score(outcome: StudyResult) -> str:
    word = outcome.held.figures[0].word if outcome.held is not None else ""
    return f"{article(word)} {_scored(outcome)}"


def predicts_classes(outcome: StudyResult) -> bool:
    """Are the predicted classes right more often than the baseline, although the probabilities, which the comparison
    scores, are not shown to be better? A single row that is wrong with a probability near 1 can do that."""
    holdout, verdict = outcome.held, outcome.verdict
    if (
        holdout is None
        or verdict is None
        or verdict.conclusion != "not shown"
        or outcome.task.kind != "several classes"
    ):
        return False
    accuracy = next((figure for figure in holdout.figures if figure.word == MEASURES["accuracy"].word), None)
    return accuracy is not None and accuracy.gain_low > 0


def _only_classes(outcome: StudyResult, holdout: HoldoutResult, target: str) -> str:
    """The headline of a model whose classes are better than its probabilities."""
    accuracy = next(figure for figure in holdout.figures if figure.word == MEASURES["accuracy"].word)
    value, low, high, base = score_figures(accuracy.value, accuracy.low, accuracy.high, accuracy.baseline)
    first = holdout.figures[0]
    score, score_low, score_high, floor = score_figures(first.value, first.low, first.high, first.baseline)
    return (
        f"{_title(outcome)} predicts {target} with an accuracy of {value} on {count(holdout.rows, 'held-out row')} "
        f"(95 % interval {low} to {high}; baseline {base}), but its probabilities are not shown to be better than "
        f"those of the baseline: {first.word} {score} (95 % interval {score_low} to {score_high}; baseline {floor})."
    )


def _success(outcome: StudyResult, holdout: HoldoutResult, target: str, score: str) -> str:
    """The headline of a model that beats the baseline. Its probabilities may be better than the shares of the classes
    although the classes that it predicts are right no more often: then it is not said to predict the class."""
    task, model = outcome.task, _title(outcome)
    if explains_nothing(holdout):
        constant = "median" if by_absolute_error(holdout) else "mean"
        return f"{model} predicts {target} no better than the {constant} of the held-out rows would: it has {score}."
    limit = _limit_of_classes(task, holdout)
    if not limit:
        return f"{model} predicts {target} with {score}."
    estimated = f"the probabilities of the classes of {target}"
    if task.kind == "two classes":
        estimated = f"the probability of {task.positive_name}"
    verb = "ranks rows by" if holdout.figures[0].word == MEASURES["roc_auc"].word else "estimates"
    return f"{model} {verb} {estimated} better than the baseline, with {score}, but {limit}."


def _limit_of_classes(task: Task, holdout: HoldoutResult) -> str:
    """What the predicted classes are worth where they are right no more often than the most frequent class alone would
    be on the held-out rows; "" where they are, or where these are not classes."""
    if holdout.confusion is None or task.kind == "number":
        return ""
    counts = np.asarray(holdout.confusion)
    actual, predicted, n_rows = counts.sum(axis=1), counts.sum(axis=0), int(counts.sum())
    n_correct, largest = int(np.trace(counts)), int(actual.max())
    if n_correct > largest:
        return ""
    if (predicted > 0).sum() == 1:
        return f"it predicts {task.name_of(task.classes[int(np.argmax(predicted))])} for each of these rows"
    if task.kind == "two classes":
        k = list(task.classes).index(task.positive)
        caught, flagged = int(counts[k, k]), int(predicted[k])
        alarms = count(flagged - caught, "false alarm")
        return f"its predictions find {caught:,} of the {count(int(actual[k]), 'such row')}, with {alarms}"
    shares = (
        f"{percentage(n_correct / n_rows, 1)}, always {task.classes[int(np.argmax(actual))]} "
        f"{percentage(largest / n_rows, 1)}"
    )
    return f"the classes that it predicts are right no more often than the most frequent one ({shares})"


def explains_nothing(held: HoldoutResult) -> bool:
    """Is the model no better than the best constant for the held-out rows: is R² 0 or below, or undefined as they all
    have the same value, or the mean absolute error that of their median? A model can beat the baseline, which is a
    constant of the training rows, only because the level of the target has changed since."""
    if by_absolute_error(held) and held.actual is not None and held.predicted is not None:
        errors, far = np.abs(held.actual - held.predicted), np.abs(held.actual - np.median(held.actual))
        return bool(errors.mean() >= far.mean())
    return any(figure.word == "R²" and not figure.value > 0 for figure in held.figures)


def by_absolute_error(held: HoldoutResult) -> bool:
    """Is the mean absolute error what the model was compared by?"""
    return held.figures[0].word == MEASURES["neg_mean_absolute_error"].word


def _scored(outcome: StudyResult) -> str:
    """The first score on the held-out rows with its interval, the baseline, and whatever else is needed to read them:
    the improvement, where its interval and that of the score seem to disagree, and a contradiction of the folds."""
    holdout, verdict, measure = outcome.held, outcome.verdict, outcome.task.measure
    if holdout is None or verdict is None or measure is None:
        raise TypeError("no rows were held out")
    first = holdout.figures[0]
    value, low, high, base = score_figures(first.value, first.low, first.high, first.baseline)
    gains = figures([first.gain_low, first.gain_high, first.value])
    for k, gain in enumerate((first.gain_low, first.gain_high)):
        if not any(digit in gains[k] for digit in "123456789"):
            gains[k] = figures([gain])[0]  # a bound just beside 0 is not shown as 0
    unit = f" {task_unit}" if (task_unit := outcome.task.unit) and first.word in IN_UNITS else ""
    text = f"{first.word} of {value}{unit} on {count(holdout.rows, 'held-out row')}"
    interval = f"95 % interval {low} to {high}; baseline {base}"
    above = first.low > first.baseline if measure.sign > 0 else first.high < first.baseline
    below = first.high < first.baseline if measure.sign > 0 else first.low > first.baseline
    if verdict.is_better and explains_nothing(holdout):
        interval += f", the {'median' if by_absolute_error(holdout) else 'mean'} of the training rows"
    if above != verdict.is_better or below != (verdict.conclusion == "worse"):
        interval += f"; improvement over it on the same rows {gains[0]} to {gains[1]}"
    if verdict.is_better and explains_nothing(holdout) and not by_absolute_error(holdout):
        r2 = next(figure.value for figure in holdout.figures if figure.word == "R²")
        interval += f"; R² {figures([r2])[0]}" if math.isfinite(r2) else "; all of them have the same value"
    if verdict.shift:
        folds = figures([_winner(outcome).mean, first.value])[0]
        return f"{text} ({interval}), against {folds} in cross-validation"
    return f"{text} ({interval})"


def quoted(value: object) -> str:
    """A name or a value, in quotes where it is not one word.

    >>> quoted("price"), quoted(1), quoted("Is it alive?"), quoted("very good")
    ('price', '1', "'Is it alive?'", "'very good'")
    """
    text = str(value)
    return text if re.fullmatch(r"[\w.%+-]+", text) else repr(text)


def article(word: str) -> str:
    """The indefinite article of a metric.

    >>> article("RMSE"), article("ROC AUC"), article("accuracy"), article("log loss")
    ('an', 'an', 'an', 'a')
    """
    spelled = word[:2].isupper() or word[:1] + word[1:2] == "R²" or word[1:2].isdigit()
    return "an" if word[0] in ("AEFHILMNORSX" if spelled else "aeioAEIO") else "a"


def summary_of(outcome: StudyResult, split: str, n_fitted: int, limited: bool = False) -> tuple[str, ...]:
    """A few sentences for someone in a hurry.

    Parameters
    ----------
    split : how rows were held out, as a clause
    n_fitted : how many rows the model in the file was fitted on; limited : are these a sample of those with a target
    """
    source = outcome.source
    counts = {s: len(outcome.findings.of(severity=s)) for s in ("error", "warning")}
    lines = [
        f"The table has {source.rows:,} rows and {source.columns} columns; the checks found "
        f"{count(counts['error'], 'error')} and {count(counts['warning'], 'warning')}; {_changed(outcome)}.",
        f"The task: {outcome.task.title}, because {outcome.task.why}.",
    ]
    lines += outcome.structure.reasons if outcome.structure is not None else ()
    if outcome.held is not None:
        rows = count(outcome.held.rows, "row")
        lines.append(f"First, {split}: {rows} from which no model learned and by which none was chosen.")
    lines += [
        *_compared(outcome),
        *_without_words(outcome),
        *_shifted(outcome),
        *_diagnosed(outcome, n_fitted),
        *_important(outcome),
    ]
    fitted = f"{'all ' if n_fitted >= source.rows else ''}{n_fitted:,} rows"
    fitted += ", drawn at random, as many as time and memory allow" if limited else ""
    again = "After that, the" if outcome.held is not None else "The"
    among = "; held-out rows are among them" if outcome.held is not None else ""
    lines.append(f"{again} model in the file was fitted on {fitted}{among}.")
    return tuple(lines)


def latest_word(outcome: StudyResult) -> str:
    """What the latest rows are called: the newest, or the last ones of a table without times."""
    return "newest" if outcome.structure is None or outcome.structure.time else "last"


def _compared(outcome: StudyResult) -> list[str]:
    """The comparison, the choice, and the two together with the verdict on the held-out rows."""
    comparison = outcome.race
    if comparison is None:
        return []
    ran = [candidate for candidate in comparison.candidates if candidate.scores]
    folds = f"{comparison.folds // comparison.repeats} folds of the other {comparison.rows:,} rows"
    again = f", divided into folds {comparison.repeats} times" if comparison.repeats > 1 else ""
    lines = [f"{count(len(ran), 'model')} were compared in {folds}{again}. {comparison.words}"]
    if comparison.latest:
        which = f"of the {latest_word(outcome)} {comparison.rows:,} of the other rows"
        lines[0] = lines[0].replace(f"of the other {comparison.rows:,} rows", which, 1)
    elif comparison.rows < (outcome.source.rows - (outcome.held.rows if outcome.held is not None else 0)):
        lines[0] = lines[0].replace("of the other", "of", 1)
    if outcome.reason:
        lines.append(outcome.reason)
    base_is_worse = any(candidate.name == BASELINE and candidate.verdict == "worse" for candidate in ran)
    if outcome.verdict is None or outcome.winner == BASELINE:
        return lines
    if outcome.verdict.is_better and not base_is_worse:
        lines.append("The folds alone do not show that it beats the baseline; the held-out rows do.")
    elif outcome.verdict.conclusion == "not shown" and base_is_worse:
        if predicts_classes(outcome):
            word = outcome.held.figures[0].word if outcome.held is not None else ""
            lines.append(
                f"On the folds its {word} is better than that of the baseline; the held-out rows do not confirm it, "
                "although its classes are right more often."
            )
        else:
            lines.append("On the folds it beats the baseline; the held-out rows do not confirm it.")
    elif outcome.verdict.conclusion == "too few rows" and base_is_worse:
        why = "there are too few held-out rows to confirm it"
        if outcome.held is not None and _is_undefined(outcome.held):
            why = _why_undefined(outcome, outcome.held)
        lines.append(f"On the folds it beats the baseline; {why}.")
    elif outcome.verdict.conclusion == "worse" and base_is_worse:
        lines.append("On the folds it beats the baseline; on the held-out rows it is worse.")
    return lines


def _shifted(outcome: StudyResult) -> list[str]:
    """A contradiction between cross-validation and the held-out rows."""
    holdout, verdict = outcome.held, outcome.verdict
    if holdout is None or verdict is None or not verdict.shift or outcome.race is None:
        return []
    first, mean = holdout.figures[0], _winner(outcome).mean
    values = figures([first.value, mean])
    text = f"On the held-out rows the {first.word} is {values[0]}, in cross-validation it was {values[1]}"
    if outcome.structure is not None and outcome.structure.order == "time":
        differ = "newest rows differ from the older ones" if outcome.structure.time else "last rows differ from others"
        return [f"{text}: the {differ}."]
    if outcome.structure is not None and outcome.structure.group is not None:
        return [f"{text}: the held-out groups differ from the others, and new ones may differ as much."]
    return [f"{text}: the model was chosen by its scores in cross-validation, which makes them too good."]


CAPPED = 5  # times as frequent as any other value: the largest one, where larger ones were not recorded
LEAST_VALUES = 50  # of a target that may end where measuring ended
DIAGNOSES = {
    "well fitted": "well fitted",
    "overfitted": "overfitted: it scores better on the rows that it learned from than on new ones",
    "underfitted": "underfitted: it is far from perfect even on the rows that it learned from",
    "limited by the columns": "limited by the columns: it is far from perfect even on the rows that it learned from, "
    "and no more flexible model that was tried is better",
    "distribution shift": "distribution shift: the held-out rows differ from those of cross-validation",
    "nothing learned": "nothing is shown to be learned",
}


OR_CHANGED = "overfitted, or the rows change with time"


def _diagnosed(outcome: StudyResult, n_fitted: int) -> list[str]:
    """The diagnosis with its figures, and what the learning curve says."""
    diagnosis, measure = outcome.diagnosis, outcome.task.measure
    if diagnosis is None or measure is None:
        return []
    verdict = DIAGNOSES.get(diagnosis.verdict, _unclear(outcome))
    if may_have_changed(outcome):
        verdict = f"{OR_CHANGED}: it scores better on the rows that it learned from than on later ones"
    lines = [f"Diagnosis: {verdict}{_training_figures(outcome)}."]
    gain = short_number(float(f"{abs(diagnosis.per_doubling[1]):.2g}"))  # two digits, without a third that is made up
    if diagnosis.trend == "rising":
        lines.append(_rising(diagnosis, measure.word, gain, n_fitted))
    elif diagnosis.trend == "flat" and diagnosis.verdict != "nothing learned":
        reason = (
            "the scores of cross-validation are nearly perfect"
            if diagnosis.nearly_perfect
            else "the learning curve shows"
        )
        lines.append(f"More rows of the same kind would hardly help, as {reason}.")
    return lines


def may_have_changed(outcome: StudyResult) -> bool:
    """Is a gap found where newer rows are held out? They may differ from those learned from, so that the gap does not
    show that the model is overfitted."""
    diagnosis, structure = outcome.diagnosis, outcome.structure
    return (
        diagnosis is not None
        and diagnosis.verdict == "overfitted"
        and structure is not None
        and structure.order == "time"
    )


def _rising(diagnosis: Diagnosis, word: str, gain: str, n_fitted: int) -> str:
    """What more rows would do; a curve of far fewer rows than the model learned from says nothing about still more."""
    first, last = diagnosis.last_sizes
    improved = f"rom {first:,} to {last:,} rows a doubling improved the {word} by {gain} on average"
    if last < n_fitted / 2:
        return f"F{improved}; the model in the file learned from {n_fitted:,}."
    return f"More rows may help: f{improved}."


def _unclear(outcome: StudyResult) -> str:
    """What is not known, and why, as a clause."""
    if outcome.held is not None and _is_undefined(outcome.held):
        return f"the model cannot be diagnosed, because {_why_undefined(outcome, outcome.held)}"
    if outcome.verdict is not None and outcome.verdict.conclusion == "too few rows":
        return "the model cannot be diagnosed, because there are too few held-out rows"
    if outcome.verdict is not None and not outcome.verdict.is_better:
        return "the model cannot be diagnosed, because the held-out rows do not confirm what cross-validation shows"
    diagnosis, unclear = outcome.diagnosis, "it is unclear whether the model is overfitted"
    if diagnosis is not None and diagnosis.evidence is not None and diagnosis.evidence.exact_train:
        return f"{unclear}, because the rows that it learned from predict themselves"
    return unclear


def _training_figures(outcome: StudyResult) -> str:
    """What the model scores on the rows learned from and on the held-out rows, in brackets: as shares, as the baseline
    may make larger errors on some rows too."""
    measure, diagnosis = outcome.task.measure, outcome.diagnosis
    if measure is None or diagnosis is None or diagnosis.evidence is None or diagnosis.verdict == "nothing learned":
        return ""
    shares = (diagnosis.evidence.train_share(measure.perfect), diagnosis.evidence.held_out_shares(measure.perfect)[0])
    if not math.isfinite(sum(shares)):
        return ""
    train, held_out = (percent_of_way(share) for share in shares)
    return f" (its {measure.word} covers {train} of {WAY} on the rows learned from, {held_out} on the held-out rows)"


def _important(outcome: StudyResult) -> list[str]:
    """The columns that the figure of the importances puts first, if the model is worth asking."""
    if outcome.explanation is None or outcome.verdict is None or not outcome.verdict.is_better:
        return []
    importance = outcome.explanation.importance
    if len(importance.feature_names) == 1:
        return [f"The model knows one column only: {importance.feature_names[0]}."]
    return [most_important(importance, n_read(outcome.roles, outcome.model))]


def _without_words(outcome: StudyResult) -> list[str]:
    """Texts that the winner does not look at, though other models of the comparison do."""
    texts = unread_texts(outcome.roles, outcome.model)
    if not texts:
        return []
    return [
        f"{_title(outcome)} does without the words of {join_some(texts, 3)}: only some of the other models read texts."
    ]


def _changed(outcome: StudyResult) -> str:
    cells, rows = outcome.log.n_cells, len(outcome.log.rows_dropped)
    if not cells and not rows:
        return "nothing had to be changed"
    phrases = [f"changed {count(cells, 'cell')}"] if cells else []
    phrases += [f"dropped {count(rows, 'row')}"] if rows else []
    return f"the cleaning {' and '.join(phrases)}"


def warnings_of(outcome: StudyResult) -> tuple[str, ...]:
    """What limits trust in the result."""
    warnings = [*leak_sentences(outcome.leaks, outcome.task.target)]
    if outcome.structure is not None:
        warnings += outcome.structure.notes
    if outcome.source.rows < FEW_ROWS:
        warnings.append(
            f"{outcome.source.rows} rows are few: the intervals are wide, and another sample may favor another model."
        )
    if outcome.held is not None and outcome.held.rows < FEW_HELD:
        verb = "was" if outcome.held.rows == 1 else "were"
        warnings.append(f"Only {count(outcome.held.rows, 'row')} {verb} held out: the scores are known only roughly.")
    warnings += [*naive_warning(outcome), *_nearly_given(outcome)]
    warnings += [*alerts_of(outcome), *_unserved(outcome), *_judged(outcome)]
    warnings += [
        f"{count(len(target_finding.rows), 'row')}: {target_finding.explanation}."
        for target_finding in outcome.findings.of(check="target")
    ]
    rare = [finding for finding in outcome.findings.of(check="imbalance") if finding.severity != "note"]
    warnings += [f"{finding.explanation[0].upper()}{finding.explanation[1:]}." for finding in rare]
    return tuple(warnings + _missing_target(outcome) + _capped_target(outcome))


def _nearly_given(outcome: StudyResult) -> list[str]:
    """A target that is predicted as well as by a formula, or without a mistake, though no column is suspected. A series
    is no exception, as its past tells as much."""
    holdout, notes = outcome.held, outcome.structure.notes if outcome.structure is not None else ()
    if holdout is None or holdout.naive is not None or outcome.leaks or any("--drop" in note for note in notes):
        return []
    shares = [score for score in holdout.figures if score.word == MEASURES["r2"].word and score.low >= NEARLY_GIVEN]
    all_correct = holdout.confusion is not None and int(np.trace(holdout.confusion)) == holdout.rows >= FEW_HELD
    if outcome.task.kind == "number" and shares:
        doubt = f"An R² of {figures([shares[0].value])[0]} is nearly that of a formula."
    elif all_correct:
        doubt = f"All {holdout.rows:,} held-out rows are predicted correctly, as by a rule."
    else:
        return []
    return [
        f"{doubt} If a column is computed from {outcome.task.target} or together with it, the scores promise too much: "
        "leave it out with --drop."
    ]


def _unserved(outcome: StudyResult) -> list[str]:
    """What the chosen classifier lacks, unless its calibration or threshold makes up for it."""
    if outcome.race is None or not outcome.winner or outcome.winner == BASELINE or _decides_otherwise(outcome):
        return []
    lacks = shortcomings(_winner(outcome), len(outcome.task.classes))
    return [f"{_title(outcome)} {' and '.join(lacks)}."] if lacks else []


def _decides_otherwise(outcome: StudyResult) -> bool:
    """Do probabilities or predictions of the finished model differ from those of the comparison?"""
    decisions = outcome.decisions
    return decisions is not None and (decisions.calibration.method != "none" or decisions.threshold != EVEN)


def _judged(outcome: StudyResult) -> list[str]:
    """What the diagnosis has against the model."""
    verdict = outcome.diagnosis.verdict if outcome.diagnosis is not None else "well fitted"
    if verdict == "cannot tell":
        unclear = _unclear(outcome)
        return [f"{unclear[0].upper()}{unclear[1:]}."]
    if outcome.winner == BASELINE:
        return ["The model in the file is the baseline: it looks at no column."]
    if verdict == "nothing learned":
        return ["The model is not shown to be better than the baseline: see the diagnosis."]
    if verdict == "distribution shift":
        return ["The held-out rows score worse than cross-validation: rows to come may do so too."]
    if may_have_changed(outcome):
        return [f"The model is {OR_CHANGED}: see the diagnosis."]
    if verdict in ("overfitted", "underfitted", "under- and overfitted"):
        return [f"The model is {verdict}: see the diagnosis."]
    return []


def _missing_target(outcome: StudyResult) -> list[str]:
    column = next((c for c in outcome.profile.columns if str(c.name) == outcome.task.target), None)
    if column is None or not column.missing:
        return []
    return [f"{count(column.missing, 'row')} without a value of {outcome.task.target} took no part."]


def _capped_target(outcome: StudyResult) -> list[str]:
    """Many values of a numeric target that are the largest one, as where measuring ended."""
    column = next((c for c in outcome.profile.columns if str(c.name) == outcome.task.target), None)
    if outcome.task.kind != "number" or column is None or column.numbers is None or len(column.top) < 2:
        return []
    largest, second = column.top[:2]
    if column.distinct < LEAST_VALUES or largest.value != column.numbers.maximum:
        return []
    if largest.count < CAPPED * second.count:
        return []
    value = short_number(float(largest.value))
    return [
        f"{largest.count:,} rows have the largest {column.name}, {value}, by far its most frequent value. If it stands "
        f"for {value} or more, as where measuring ended, the true values may be larger and the predictions too low."
    ]
