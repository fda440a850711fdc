"""A weight says how often a row counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid.base.errors import DataError

from .frame import (
    DEFAULTS,
    SUBJECTS,
    Subject,
    answers,
    assert_near,
    assert_same_fit,
    each,
    each_form,
    fit,
    learned,
    problem,
    said,
)

WEIGHTED = [subject for subject in SUBJECTS if subject.takes_weight and not subject.is_random and not subject.splits]
WEIGHTED_CLASSES = [subject for subject in DEFAULTS if subject.takes_weight]


@each(WEIGHTED)
def test_a_weight_of_two_is_the_row_written_twice(subject: Subject) -> None:
    X, y, weight = problem(subject)
    times = weight.astype(int)
    written = fit(subject.make(), np.repeat(X, times, axis=0), None if y is None else np.repeat(y, times))
    assert_near(said(subject, weighted=True), answers(written, X))


@each(WEIGHTED)
def test_a_weight_of_zero_is_the_row_left_out(subject: Subject) -> None:
    X, y, weight = problem(subject)
    weight[::4] = 0
    keep = weight > 0
    left_out = fit(subject.make(), X[keep], None if y is None else y[keep], weight[keep])
    assert_near(answers(fit(subject.make(), X, y, weight), X), answers(left_out, X))


@each(WEIGHTED)
def test_whatever_stands_in_a_row_of_weight_zero_is_without_influence(subject: Subject) -> None:
    X, y, weight = problem(subject)
    weight[5] = 0
    wild = X.copy()
    wild[5] = 1e6
    assert_near(answers(fit(subject.make(), wild, y, weight), X), answers(fit(subject.make(), X, y, weight), X), 1e-6)


@each(WEIGHTED)
def test_weights_of_one_are_no_weights(subject: Subject) -> None:
    X, y, _ = problem(subject)
    assert_near(answers(fit(subject.make(), X, y, np.ones(len(X))), X), said(subject), 1e-12)


FORMS = ["list", "whole numbers", "float32", "strided", "pandas", "polars", "read-only"]


@each_form("form", FORMS, ("whole numbers", "pandas"), WEIGHTED_CLASSES)
def test_weights_come_in_any_form(subject: Subject, form: str) -> None:
    X, y, weight = problem(subject)
    locked = weight.copy()
    locked.flags.writeable = False
    given = {
        "list": weight.tolist(),
        "whole numbers": weight.astype(np.int8),
        "float32": weight.astype(np.float32),
        "strided": np.repeat(weight, 2)[::2],
        "pandas": pd.Series(weight, index=np.arange(len(weight))[::-1]),
        "polars": pl.Series(weight),
        "read-only": locked,
    }[form]
    assert_same_fit(fit(subject.make(), X, y, given), learned(subject, weighted=True))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1.0, 2.0], "one value a row"),
        ([[1.0]] * 40, "1D"),
        ([-1.0] + [1.0] * 39, "below zero"),
        ([np.nan] + [1.0] * 39, "finite"),
        ([np.inf] + [1.0] * 39, "finite"),
        ([0.0] * 40, "above zero"),
    ],
    ids=["too few", "two dimensions", "negative", "NaN", "infinity", "all zero"],
)
@each(WEIGHTED_CLASSES)
def test_impossible_weights_are_refused(subject: Subject, weight: list[float], words: str) -> None:
    X, y, _ = problem(subject)
    with pytest.raises(DataError, match=words):
        fit(subject.make(), X, y, weight)
