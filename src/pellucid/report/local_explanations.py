"""The working of three predictions: a typical one, the least certain one, and the worst error."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import frame_of, row_of, take_rows
from pellucid.report.holdout import Predictions
from pellucid.report.outcome import Intervals, LocalExplanation, Task
from pellucid.report.target_scaling import fitted_inside, put_inside, show_answer


def cases_of(
    model: Any, X: Any, y: Array, answers: Predictions, task: Task, table: Any, positions: Array, source_rows: Array
) -> tuple[LocalExplanation, ...]:
    """The three rows, each with how its answer came about.

    Parameters
    ----------
    model : the fitted pipeline
    X, y, answers : the kept-back rows, their target, and what the model says
    table, positions : the cleaned table, and where in it these rows stand
    source_rows : where in the source the rows of the cleaned table stand
    """
    cases = _of_number(y, answers) if task.kind == "number" else _of_classes(y, answers)
    return tuple(
        _case(model, X, y, answers, row_of(table, int(positions[i])), int(source_rows[positions[i]]), kind, why, i)
        for kind, why, i in cases
    )


def with_interval_ends(
    cases: tuple[LocalExplanation, ...], intervals: Intervals | None
) -> tuple[LocalExplanation, ...]:
    """The cases of a regression with the prediction interval of each."""
    if intervals is None:
        return cases
    ends = [intervals.fitted.bounds([case.predicted], intervals.level) for case in cases]
    return tuple(
        replace(case, interval=(intervals.level, float(low[0]), float(high[0])))
        for case, (low, high) in zip(cases, ends, strict=True)
    )


def _of_number(y: Array, predictions: Predictions) -> list[tuple[str, str, int]]:
    error = np.abs(np.asarray(y, dtype=float) - predictions.predicted)
    typical = int(np.argmin(np.abs(error - np.median(error))))
    far = int(np.argmax(np.abs(predictions.predicted - np.median(predictions.predicted))))
    worst = int(np.argmax(error))
    return [
        ("typical", "of all absolute errors this one is the nearest to their median", typical),
        ("extreme", "no prediction is farther from the median of all predictions", far),
        ("worst", "no absolute error is larger", worst),
    ]


def _of_classes(y: Array, predictions: Predictions) -> list[tuple[str, str, int]]:
    sure = _sureness(predictions)
    is_correct = np.asarray(y) == predictions.predicted
    rows = np.flatnonzero(is_correct) if is_correct.any() else np.arange(len(y))
    typical = int(rows[np.argmin(np.abs(sure[rows] - np.median(sure[rows])))])
    least_certain = int(np.argmin(sure))
    among = "correct predictions" if is_correct.any() else "predictions, none of which is correct"
    correctly = "predicted correctly; " if is_correct.any() else ""
    cases = [
        ("typical", f"{correctly}its certainty is the closest to the median of all {among}", typical),
        ("least certain", _why_uncertain(predictions), least_certain),
    ]
    if sure[typical] == sure[least_certain]:  # all are equally certain
        del cases[1]
    wrong = np.flatnonzero(~is_correct)
    if len(wrong):
        worst, why = worst_error(wrong, y, predictions)
        cases.append(("worst", why, worst))
    return cases


def _why_uncertain(predictions: Predictions) -> str:
    """What makes a row the least certain one, by what `_sureness` compares."""
    if predictions.threshold is not None and predictions.margin is not None:
        return "no probability of a held-out row is closer to the threshold"
    if predictions.probability is not None:
        return "in no held-out row are the probabilities of the two most probable classes closer"
    return "no held-out row is closer to the border between the classes"


def worst_error(wrong: Array, y: Array, answers: Predictions) -> tuple[int, str]:
    """The wrong prediction whose actual class has the lowest probability, and why it is shown. Beyond a threshold far
    from 0.5 a wrong prediction need not be a sure one."""
    if answers.probability is None:
        farthest = int(wrong[np.argmax(_sureness(answers)[wrong])])
        return farthest, "of all wrong predictions this one is the farthest from the border"
    positions = [answers.classes.index(label) for label in np.asarray(y)[wrong].tolist()]
    return (
        int(wrong[np.argmin(answers.probability[wrong, positions])]),
        "of all wrong predictions this one gives the actual class the lowest probability",
    )


def _sureness(predictions: Predictions) -> Floats:
    """How far the predicted class is ahead of the second one, or the probability from the threshold."""
    if predictions.threshold is not None and predictions.margin is not None:
        return np.abs(predictions.margin - predictions.threshold)
    if predictions.probability is not None:
        ordered = np.sort(predictions.probability, axis=1)
        return np.asarray(ordered[:, -1] - (ordered[:, -2] if ordered.shape[1] > 1 else 0.0))
    return np.abs(predictions.margin) if predictions.margin is not None else np.ones(len(predictions.predicted))


def _case(
    model: Any,
    X: Any,
    y: Array,
    predictions: Predictions,
    cells: tuple[tuple[str, Any], ...],
    row: int,
    kind: str,
    why: str,
    i: int,
) -> LocalExplanation:
    single_row = take_rows(X, np.array([i]))
    prepared = model[:-1].transform(single_row)
    working, values = _working(model[:-1], model[-1], prepared, row)
    probability = None
    if predictions.probability is not None:
        probability = float(predictions.probability[i, predictions.classes.index(predictions.predicted[i])])
    return LocalExplanation(
        kind,
        why,
        row,
        cells,
        _plain(y[i]),
        _plain(predictions.predicted[i]),
        probability,
        working,
        values,
    )


def working_of(model: Any, row: Any, number: int) -> Any:
    """How a pipeline answers one row of a raw table, which has this number there, with the columns by their names."""
    before, last = model[:-1], model[-1]
    return _working(before, last, before.transform(row), number)[0]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _working(before: Any, last: Any, prepared: Any, number: int) -> tuple[Any, tuple[tuple[str, float], ...]]:
    """How the model answers a prepared row, with the columns by their names; and the row as the model saw it."""
    if hasattr(prepared, "columns"):  # a table: the names are there
        return show_answer(last, prepared, number), ()
    names = [readable(str(name)) for name in before[-1].get_feature_names_out()]
    dense = np.asarray(prepared.toarray() if hasattr(prepared, "toarray") else prepared)
    values = tuple((name, float(value)) for name, value in zip(names, dense[0], strict=True))
    return show_answer(_named(last, names), frame_of(dense, names), number), values


def readable(name: str) -> str:
    """The name of a prepared column for readers.

    >>> readable("city_infrequent_sklearn"), readable("city_Oslo")
    ('city (rare values)', 'city_Oslo')
    """
    return name.removesuffix("_infrequent_sklearn") + " (rare values)" if name.endswith("_infrequent_sklearn") else name


def _named(last: Any, names: list[str]) -> Any:
    """The same fitted model, with names for the columns that it was given as an array."""
    model = fitted_inside(last)
    schema = getattr(model, "schema_", None)
    if schema is None or schema.names is not None:
        return last
    model_copy = copy(model)
    model_copy.schema_ = replace(schema, names=tuple(names), names_are_text=True)
    return put_inside(last, model_copy)
