"""Similar users or items: their similarities, who is asked about a pair, and the weighted mean of what they say."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.data.ratings import Pairs, Ratings
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, equal, sqrt, sum_, where
from pellucid.working.matrix import Grid
from pellucid.working.model import Working
from pellucid.working.shown._ratings import MOST, pair_words, refuse_large, tie_prediction, words


@shows("NeighborsRecommender.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """Every pair of users, or of items, compared."""
    ratings: Ratings = data.table
    by_features = not hasattr(model, "similarity")
    side = "users" if model.of_users else "items"
    w.title = f"Similar {side}"
    compared = "their features" if by_features else "how they were rated" if side == "items" else "how they rated"
    w.intro = f"How alike {side} are, by {compared}."
    refuse_large(model, ratings, max_size=MOST)
    rows, has, others = _table(model, ratings, by_features)
    labels = words(model.users_ if model.of_users else model.items_)
    across = Axis("feature" if by_features else "item" if model.of_users else "user", others, "j", "m")
    x, h = _rows(w, model, (rows, has), labels, across, by_features)
    _means(w, model, ratings)
    _similarities(w, model, x, h, labels)
    if getattr(model, "method", "") == "profile":
        _profiles(w, model, ratings, x, across)


def _table(model: Any, ratings: Ratings, by_features: bool) -> tuple[Floats, Floats, list[str]]:
    """Own rows by other columns: values, 0 where there is none, and whether there is one."""
    if by_features:
        values = np.asarray(model.item_features_.toarray())
        return values, np.asarray(values != 0, dtype=np.float64), [str(name) for name in model.feature_names_]
    starts, indices, stored = ratings.by_user if model.of_users else ratings.by_item
    others = ratings.items if model.of_users else ratings.users
    own = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    values, has = np.zeros((len(starts) - 1, len(others))), np.zeros((len(starts) - 1, len(others)))
    values[own, indices], has[own, indices] = stored, 1
    return values, has, words(others)


def _rows(
    w: Working, model: Any, table: tuple[Floats, Floats], labels: list[str], across: Axis, by_features: bool
) -> tuple[list[Cell], list[Cell]]:
    """The rows that are compared, measured from whatever they are measured from; and where they have something."""
    kind = "features" if by_features else "ratings"
    w.step("Table", f"The {kind} of each; 0 where there is none.")
    r = [w.given(f"r_{a + 1}", row, across, symbol=f"r_{{{a + 1}}}", label=labels[a]) for a, row in enumerate(table[0])]
    if by_features:
        return r, r
    w.step("Rated", "1 where there is a rating.")
    h = [w.given(f"h_{a + 1}", row, across, symbol=f"h_{{{a + 1}}}", label=labels[a]) for a, row in enumerate(table[1])]
    if model.similarity == "cosine":
        return r, h
    w.step("Measured from", _ORIGINS[model.similarity])
    x = []
    for a in range(len(r)):
        origin = _origin(w, model, r, h, a, across)
        x.append(w.cell(f"x_{a + 1}", where(equal(h[a], 1), r[a] - origin, 0), symbol=f"x_{{{a + 1}}}",
                        label=labels[a]))  # fmt: skip
    return x, h


_ORIGINS = {
    "pearson": "The mean of a row's own ratings is taken off them.",
    "adjusted_cosine": "The mean of each column's ratings is taken off them.",
    "baseline": "Mean and biases are taken off the ratings.",
}


def _origin(w: Working, model: Any, r: list[Cell], h: list[Cell], a: int, across: Axis) -> Expr:
    if model.similarity == "pearson":
        count = sum_(h[a])
        return w.cell(f"m_{a + 1}", sum_(r[a]) / count, symbol=rf"\bar{{r}}_{{{a + 1}}}", label="mean")
    if model.similarity == "adjusted_cosine":
        if "m" not in w.cells:
            rated = reduce(add, h)
            ratio = reduce(add, r) / where(rated > 0, rated, 1)
            w.cell("m", where(rated > 0, ratio, 0), symbol=r"\bar{r}", label="mean")
        found = w.cells["m"]
        assert isinstance(found, Cell)
        return found
    users, items = np.full(len(across), a), np.arange(len(across))
    base = model._baseline(users, items) if model.of_users else model._baseline(items, users)
    return w.given(f"b_{a + 1}", base, across, symbol=f"b_{{{a + 1}}}", label="mean and biases")


def _means(w: Working, model: Any, ratings: Ratings) -> None:
    """The means from which predictions go out, as the model has them."""
    w.step("Mean", "Of all ratings, for pairs of which nothing else is known.")
    every = Axis("rating", range(1, len(ratings) + 1), "k", "N")
    r = w.given("ratings", ratings.by_user[2], every, symbol="r", label="all ratings")
    w.cell("mean", sum_(r) / len(ratings), symbol="m", label="mean", equals=model.mean_, attribute="mean_")
    if model.center != "mean" or hasattr(model, "item_features_"):
        return
    starts, _, values = ratings.by_user if model.of_users else ratings.by_item
    rated = np.flatnonzero(np.diff(starts))
    kept = model.user_mean_ if model.of_users else model.item_mean_
    labels = words(model.users_ if model.of_users else model.items_)
    w.step("Means", "The mean rating of each, from which predictions go out.")
    for a in rated.tolist():
        parts = values[starts[a] : starts[a + 1]]
        axis = Axis("rating", range(1, len(parts) + 1), "i", "n")
        own = w.given(f"own_{a + 1}", parts, axis, symbol=f"r_{{{a + 1}}}", label=f"ratings of {labels[a]}")
        w.cell(f"mean_{a + 1}", sum_(own) / len(parts), symbol=rf"\bar{{r}}_{{{a + 1}}}", label=f"mean of {labels[a]}",
               equals=kept[a], attribute=f"{'user' if model.of_users else 'item'}_mean_[{a}]")  # fmt: skip


def _similarities(w: Working, model: Any, x: list[Cell], h: list[Cell], labels: list[str]) -> None:
    over = getattr(model, "over", "all")
    centered = over == "common" and getattr(model, "similarity", "") == "pearson"
    lengths: list[Cell] = []
    if over == "all":
        w.step("Lengths", "The root of the sum of squares of each row.")
        lengths = [
            w.cell(f"length_{a + 1}", sqrt(sum_(row**2)), symbol=rf"l_{{{a + 1}}}", label=f"length of {labels[a]}")
            for a, row in enumerate(x)
        ]
        w.step("Similarities", "The sum of products of two rows over the product of their lengths.")
    else:
        w.step("Similarities", "Of two rows where both have something.")
    kept = model.similarity_
    entries: list[list[Any]] = [[1.0] * len(x) for _ in x]
    for a in range(len(x)):
        for b in range(a):
            cell = _pair(w, model, (x, h), (a, b), lengths, centered)
            counts = float(cell.value) > model._least
            entries[a][b] = cell if counts and (model.keep is None or kept[a, b]) else 0.0
            entries[b][a] = cell if counts and (model.keep is None or kept[b, a]) else 0.0
    if model.keep is not None:
        w.note("Only the largest similarities of each row are kept: the table need not be symmetric.")
    w.step("Table of similarities", "Those that count; 0 where a pair has too little in common or is too unlike.")
    first, second = Axis("row", labels, "a", "n"), Axis("column", labels, "b", "n")
    w.block("S", Grid(entries, first, second), symbol="S", label="similarities", equals=kept, attribute="similarity_",
            scale=1.0)  # fmt: skip


def _pair(
    w: Working, model: Any, cells: tuple[list[Cell], list[Cell]], pair: tuple[int, int], lengths: list[Cell],
    centered: bool,
) -> Cell:  # fmt: skip
    """The similarity of two rows."""
    (x, h), (a, b) = cells, pair
    both: dict[str, Any] = {"symbol": rf"s_{{{b + 1},{a + 1}}}", "label": "similarity"}
    name = f"s_{b + 1}_{a + 1}"
    if lengths:
        product = lengths[a] * lengths[b]
        compared = _has_length(lengths[a], lengths[b]) and _in_common(h[a], h[b]) >= getattr(model, "min_overlap", 1)
        formula: Expr = sum_(x[a] * x[b]) / product if compared else 0 * product
    else:
        shared = h[a] * h[b]
        n = w.cell(f"n_{b + 1}_{a + 1}", sum_(shared), symbol=rf"n_{{{b + 1},{a + 1}}}", label="in common")
        if n.value < model.min_overlap:
            return w.cell(name, 0 * n, **both)
        u: Expr = x[a]
        v: Expr = x[b]
        if centered:
            u = x[a] - sum_(x[a] * h[b]) / n
            v = x[b] - sum_(x[b] * h[a]) / n
        squares = sum_(shared * u**2), sum_(shared * v**2)
        if not (squares[0].value > 1e-12 and squares[1].value > 1e-12):
            return w.cell(name, 0 * n, **both)
        formula = sum_(shared * u * v) / (sqrt(squares[0]) * sqrt(squares[1]))
    shrinkage = float(getattr(model, "shrinkage", 0.0))
    if shrinkage:
        common = sum_(h[a] * h[b])
        formula = formula * common / (common + shrinkage)
    return w.cell(name, formula, **both)


def _in_common(first: Cell, second: Cell) -> int:
    return int(np.count_nonzero(np.asarray(first.value) * np.asarray(second.value)))


def _has_length(first: Cell, second: Cell) -> bool:
    return float(first.value) > 0 and float(second.value) > 0


def _profiles(w: Working, model: Any, ratings: Ratings, features: list[Cell], across: Axis) -> None:
    """Each user's features: those of what they rated, weighed by their ratings."""
    w.step("Profiles", "The features of what a user rated, each of length 1, times the ratings.")
    starts, indices, values = ratings.by_user
    for u, label in enumerate(words(model.users_)):
        part = slice(int(starts[u]), int(starts[u + 1]))
        base = model._profile_base(np.full(part.stop - part.start, u), indices[part])
        terms: list[Expr] = []
        for i, value in zip(indices[part].tolist(), (values[part] - base).tolist(), strict=True):
            length = w.cells[f"length_{i + 1}"]
            assert isinstance(length, Cell)
            terms.append(value * features[i] / length if float(length.value) > 0 else 0 * features[i])
        if terms:
            w.cell(f"t_{u + 1}", reduce(add, terms), symbol=f"t_{{{u + 1}}}", label=f"profile of {label}",
                   equals=model.user_profiles_[u], attribute=f"user_profiles_[{u}]",
                   scale=float(np.abs(model.user_profiles_).max()))  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- predict


@shows("NeighborsRecommender.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    """Who is asked about each pair, and the weighted mean of what they say."""
    pairs: Pairs = data.table
    side = "users" if model.of_users else "items"
    profile = getattr(model, "method", "") == "profile"
    w.title = "Ratings from a profile" if profile else f"Ratings from similar {side}"
    w.intro = (
        "How near the features of an item are to those of what a user liked."
        if profile
        else f"The most similar {side} that have a rating are asked, and the more similar count more."
    )
    found = model._predict(pairs.users, pairs.items)
    for at in data.rows or list(range(min(len(pairs), 5))):
        tag = "" if len(pairs) == 1 else f"q{at + 1}_"
        u, i = int(pairs.users[at]), int(pairs.items[at])
        w.step(f"Pair {at + 1}" if tag else "Pair", pair_words(model, u, i))
        if u < 0 or i < 0:
            answer = w.given(f"{tag}known", float(model._raw(pairs.users[[at]], pairs.items[[at]])[0]), symbol="b",
                             label="what is known without the other")  # fmt: skip
        else:
            answer = _cosine(w, model, tag, u, i) if profile else _asked(w, model, tag, u, i)
        tie_prediction(w, model, tag, answer, found[at])


def _asked(w: Working, model: Any, tag: str, user: int, item: int) -> Cell:
    codes, similarity, ratings, bases = model._neighbors(user, item)
    one = np.array([user]), np.array([item])
    if len(codes) < model.min_neighbors or not np.abs(similarity).sum() > 0:
        known = float(model._without(*one)[0])
        return w.given(f"{tag}known", known, symbol="b", label="no neighbor has rated it: what is known without them")
    ids = (model.users_ if model.of_users else model.items_)[codes]
    axis = Axis("neighbor", words(ids), "v", "k")
    s = w.given(f"{tag}s", similarity, axis, symbol="s", label="similarity")
    r = w.given(f"{tag}r", ratings, axis, symbol="r", label="rating")
    if model.center is None:
        return w.cell(f"{tag}mean", sum_(s * r) / sum_(absolute(s)), symbol="P", label="weighted mean")
    m = w.given(f"{tag}m", bases, axis, symbol="m", label="mean" if model.center == "mean" else "mean and biases")
    d = w.cell(f"{tag}d", r - m, symbol="d", label="above it")
    own = w.given(f"{tag}base", float(model._base(*one)[0]), symbol="b", label="of the pair itself")
    return w.cell(f"{tag}mean", own + sum_(s * d) / sum_(absolute(s)), symbol="P", label="with the weighted mean")


def _cosine(w: Working, model: Any, tag: str, user: int, item: int) -> Cell:
    axis = Axis("feature", [str(name) for name in model.feature_names_], "j", "m")
    t = w.given(f"{tag}t", model.user_profiles_[user], axis, symbol="t", label="profile")
    f = w.given(f"{tag}f", model.item_features_.toarray()[item], axis, symbol="f", label="features of the item")
    mean = w.given(f"{tag}m", float(model.user_mean_[user]), symbol=r"\bar{r}", label="mean of the user")
    spread = w.given(f"{tag}d", float(model._user_spread_[user]), symbol="d", label="spread of the user's ratings")
    lengths = w.cell(f"{tag}l", sqrt(sum_(t**2)) * sqrt(sum_(f**2)), symbol="l", label="product of lengths")
    ratio: Expr = sum_(t * f) / lengths if float(lengths.value) > 0 else expr(0) * lengths
    c = w.cell(f"{tag}cosine", ratio, symbol="c", label="cosine")
    return w.cell(f"{tag}mean", mean + spread * c, symbol="P", label="rating")
