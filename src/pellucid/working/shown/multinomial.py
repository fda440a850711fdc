"""Multinomial naive Bayes: frequency table, likelihood table, products of a row, shares and logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Expr
from pellucid.working.model import Working
from pellucid.working.shown._count_tables import drawn_rows, frequencies, likelihoods, many, of_all, smoothing
from pellucid.working.shown._naive_bayes import answers, known_classes, priors, read_rows, shown_columns, sum_of


@shows("MultinomialNB.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Multinomial naive Bayes: the fit"
    w.intro = "How often each column occurs in each class, as a share of all that occurs there."
    columns, p = shown_columns(w, data), len(data.names)
    rows = read_rows(w, data, columns)
    k, _ = priors(rows, model)
    counts = frequencies(rows, k, columns, rows.x)
    total = of_all(w, k, "total", counts, k.of(model.feature_count_), "sum of the columns")
    prior = smoothing(w, model, columns, p, 1 / p)
    w.step("Likelihood table", f"The share of each column in its class; {prior.words}.")
    if prior.m is not None:
        below: Expr = total + prior.m
    elif len(columns) == p:
        below = total + (p * prior.added[0] if np.ndim(model.alpha) == 0 else sum_of(prior.added))
    else:
        below = total + many(w, model, columns, p, 1 / p)
    probabilities = [(n + a) / below for n, a in zip(counts, prior.added, strict=True)]
    likelihoods(w, k, columns, probabilities, data.names)


@shows("MultinomialNB.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Multinomial naive Bayes: predictions"
    w.intro = "The chance of drawing the row's columns, each as often as it occurs, times the prior of the class."
    k = known_classes(w, model)
    predictions = answers(k, data)
    words = "The chance of each column that the row has, in each class; it counts as often as the row has it."
    drawn_rows(k, data, predictions, k.of(model.feature_log_prob_), words)
