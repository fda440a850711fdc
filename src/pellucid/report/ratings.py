"""Ratings: which recommender does best, and what it recommends."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import DataError, sentence
from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of, missing_in, n_rows_of, names_of, take_columns, take_rows
from pellucid.quality import ChangeLog, Findings, Profile
from pellucid.recommend import (
    BaselineRecommender,
    ItemNeighborsRecommender,
    MatrixFactorization,
    UserNeighborsRecommender,
)
from pellucid.report.charts_plots import Bar, bars, columns
from pellucid.report.outcome import Listing, Outcome, Picture, Task
from pellucid.report.race import Tell
from pellucid.report.reading import Taken
from pellucid.report.script import short_script
from pellucid.report.task import rating_columns

LEAST = 50
KEPT_BACK = 0.2
SHOWN_USERS, SHOWN_ITEMS = 10, 5
BASELINE = "mean of user and item"


def recommenders(seed: int) -> dict[str, Any]:
    """Those that are compared."""
    return {
        BASELINE: BaselineRecommender(),
        "similar users": UserNeighborsRecommender(),
        "similar items": ItemNeighborsRecommender(),
        "factors": MatrixFactorization(random_state=seed),
    }


def choose(table: Any, seed: int, tell: Tell) -> tuple[str, Any, dict[str, tuple[float, float]], Array]:
    """The recommender of the smallest error on ratings that were kept back, fitted on all; the errors (root of the mean
    square, and mean) of each; and which ratings were kept back."""
    n = n_rows_of(table)
    if n < LEAST:
        raise DataError(sentence("recommend", f"there must be at least {LEAST} ratings", f"got {n}"))
    order = np.random.RandomState(seed).permutation(n)
    held, train = np.sort(order[: round(KEPT_BACK * n)]), np.sort(order[round(KEPT_BACK * n) :])
    users, items, ratings = names_of(table)
    known, asked = take_rows(table, train), take_rows(table, held)
    actual = np.asarray(column_of(asked, ratings), dtype=float)
    errors = {}
    for place, (name, model) in enumerate(recommenders(seed).items()):
        tell(f"comparing recommenders: {name}", 0.1 + 0.2 * place)
        predicted = np.asarray(model.fit(known).predict(column_of(asked, users), column_of(asked, items)))
        errors[name] = (_rmse(actual - predicted), float(np.abs(actual - predicted).mean()))
    best = min(errors, key=lambda name: errors[name][0])
    tell(f"fitting on all ratings: {best}", 0.9)
    return best, recommenders(seed)[best].fit(table), errors, held


def _rmse(error: Floats) -> float:
    return float(np.sqrt((error**2).mean()))


def rating_table(table: Any, names: tuple[str, str, str]) -> Any:
    """The three columns, without rows in which one is missing."""
    three = take_columns(table, names)
    gaps = np.logical_or.reduce([missing_in(three, name) for name in names])
    return take_rows(three, np.flatnonzero(~gaps)) if gaps.any() else three


def find_recommender(taken: Taken, described: Profile, task: Task, wish: Any, tell: Tell) -> Outcome:
    """The recommender that does best, and what it recommends to some users."""
    found = rating_columns(described)
    if found is None:
        three = names_of(taken.table)[:3]
        if len(three) < 3:
            raise DataError(sentence("report", "ratings need columns of user, item and rating", f"got {three}"))
        found = (three[0], three[1], three[2])
    table = rating_table(taken.table, found)
    best, model, errors, held = choose(table, wish.seed, tell)
    nothing = ChangeLog((), n_rows_of(taken.table), names_of(taken.table), names_of(taken.table))
    findings = Findings(taken.findings, n_rows_of(taken.table), names_of(taken.table))
    rmse = errors[best][0]
    return Outcome(
        taken.source,
        task,
        f"Recommending by {best} errs by {rmse:.3f} on ratings it has not seen (root mean square; "
        f"{BASELINE}: {errors[BASELINE][0]:.3f}).",
        (
            f"The task: recommendations, because {task.why}.",
            f"{n_rows_of(table):,} ratings of {len(model.items_):,} items by {len(model.users_):,} users; "
            f"{len(held):,} ratings were kept back.",
            f"The model in the file was fitted on all {n_rows_of(table):,} ratings.",
        ),
        (),
        described,
        findings,
        nothing,
        (),
        wish.seed,
        pictures=_pictures(table, errors),
        listings=(_errors_listing(errors), recommendations(model, None, SHOWN_ITEMS)),
        script=short_script("recommender", taken.lines, model, found, "table = table.drop_nulls()"),
        model=model,
    )


def _errors_listing(errors: dict[str, tuple[float, float]]) -> Listing:
    rows = tuple((name, round(a, 4), round(b, 4)) for name, (a, b) in sorted(errors.items(), key=lambda one: one[1]))
    about = "Errors on ratings that were kept back, best first."
    return Listing("The recommenders", about, ("recommender", "root mean square error", "mean error"), rows)


def recommendations(model: Any, users: list[Any] | None, most: int) -> Listing:
    """The best items for some users: those of the most ratings unless told."""
    if users is None:
        numbers = np.diff(model.ratings_.indptr)
        users = [model.users_[k] for k in np.argsort(-numbers, kind="stable")[:SHOWN_USERS]]
    rows = []
    for user in users:
        items, scores = model.recommend(user, n=most)
        rows += [
            (str(user), place, str(item), round(float(score), 3))
            for place, (item, score) in enumerate(zip(items, scores, strict=True), 1)
        ]
    about = "What each user has not rated yet and is expected to rate highest."
    return Listing("Recommendations", about, ("user", "place", "item", "expected rating"), tuple(rows))


def _pictures(table: Any, errors: dict[str, tuple[float, float]]) -> tuple[Picture, ...]:
    ratings = np.asarray(column_of(table, names_of(table)[2]), dtype=float)
    counts, edges = np.histogram(ratings, bins=min(20, max(2, len(np.unique(ratings)))))
    spread = columns(
        "ratings",
        "The ratings",
        "How often each was given.",
        edges.tolist(),
        counts.tolist(),
        x_label="rating",
        y_label="ratings",
    )
    listed = [Bar(name, one[0]) for name, one in sorted(errors.items(), key=lambda one: one[1])]
    judged = bars(
        "errors", "Errors of the recommenders", "Root mean square error; the lower the better.", listed, label="error"
    )
    return (
        Picture("The ratings", "How often each was given.", spread),
        Picture("Errors of the recommenders", "On ratings that were kept back; the lower the better.", judged),
    )
