"""Factors of users and items: the equation of one item, and a rating as mean, biases and a product."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.data.ratings import Pairs, Ratings
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Expr
from pellucid.working.language import sum_
from pellucid.working.matrix import Grid, Inverse, Vector
from pellucid.working.model import Working
from pellucid.working.shown._ratings import MOST, pair_words, tie_prediction, words


@shows("MatrixFactorization.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """The passes, and the ridge regression that gives one item its numbers."""
    ratings: Ratings = data.table
    w.title = "Factors by turns"
    w.intro = "With the users' numbers held, those of an item are a ridge regression; then the other way round."
    passes = data.record["passes"][1]
    w.step("Passes", "The objective after each.")
    passes_shown = passes[-40:]
    turns = Axis("pass", passes_shown[:, 0].astype(int).tolist(), "t", "T")
    w.given("objective", passes_shown[:, 1], turns, symbol="J", label="objective")
    counts = np.diff(ratings.by_item[0])
    able = np.flatnonzero((counts > 0) & (counts <= 4 * MOST))
    if model.n_factors > MOST or len(able) == 0:
        w.note(f"The equation of an item is laid out for up to {MOST} factors and {4 * MOST} ratings of the item.")
        return
    item = data.options.get("item")
    _item(w, model, ratings, int(able[0]) if item is None else int(model._items([item])[0]))


def _item(w: Working, model: Any, ratings: Ratings, i: int) -> None:
    starts, indices, values = ratings.by_item
    item_slice = slice(int(starts[i]), int(starts[i + 1]))
    users = indices[item_slice]
    label, k, n = words(model.items_)[i], model.n_factors, item_slice.stop - item_slice.start
    w.step(f"Item {label}", "Its ratings without the mean and the users' biases, and the users' factors.")
    axis = Axis("user", words(model.users_[users]), "u", "n")
    r = w.given("r", values[item_slice], axis, symbol="r", label="rating")
    m = w.given("mean", model.mean_, symbol="m", label="mean")
    b = w.given("b", model.user_bias_[users], axis, symbol="b", label="user's bias")
    t = w.cell("t", r - m - b, symbol="t", label="what is left")
    numbers = [*model.user_factors_[users].T, *([np.ones(n)] if model.biases else [])]
    names = [f"factor {j + 1}" for j in range(k)] + (["bias"] if model.biases else [])
    columns = Axis("number", names, "j", "k")
    Z = w.block("Z", np.column_stack(numbers), axis, columns, symbol="Z", label="users' factors")
    w.step("Equation", "Products of the factors with the penalty on the diagonal; their inverse times the rest.")
    size = float(model.reg) * (n if model.weighting == "count" else 1)
    penalty = w.given("penalty", size, symbol=r"\lambda", label="penalty")
    plain = w.block("ZZ", Z.T @ Z, columns, columns, symbol="Z^T Z", label="products")
    entries = [[plain[a, c] + penalty if a == c else plain[a, c] for c in range(len(names))] for a in range(len(names))]
    A = w.block("A", Grid(entries, columns, columns), symbol="A", label="with the penalty")
    expected = [*model.item_factors_[i], *([model.item_bias_[i]] if model.biases else [])]
    w.block("q", Inverse(A) @ (Z.T @ Vector(t)), symbol="q", label="numbers of the item",
            equals=np.array(expected)[:, None], attribute=f"item_factors_[{i}]", tolerance=1e-6)  # fmt: skip


@shows("MatrixFactorization.predict", "ImplicitALS.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    """Mean, biases and the product of the factors."""
    pairs: Pairs = data.table
    explicit = hasattr(model, "rating_range_")
    w.title = "Ratings from factors" if explicit else "Preferences from factors"
    w.intro = "The product of the user's and the item's factors" + (", beside mean and biases." if explicit else ".")
    predicted = model._predict(pairs.users, pairs.items)
    for at in data.rows or list(range(min(len(pairs), 5))):
        tag = "" if len(pairs) == 1 else f"q{at + 1}_"
        u, i = int(pairs.users[at]), int(pairs.items[at])
        w.step(f"Pair {at + 1}" if tag else "Pair", pair_words(model, u, i))
        axis = Axis("factor", range(1, model.n_factors + 1), "k", "K")
        zeros = np.zeros(model.n_factors)
        user_factors = np.asarray(model.user_factors_[u] if u >= 0 else zeros, dtype=np.float64)
        item_factors = np.asarray(model.item_factors_[i] if i >= 0 else zeros, dtype=np.float64)
        p = w.given(f"{tag}p", user_factors, axis, symbol="p", label="user's factors")
        q = w.given(f"{tag}q", item_factors, axis, symbol="q", label="item's factors")
        product: Expr = sum_(p * q)
        if not explicit:
            size = float(np.abs(user_factors) @ np.abs(item_factors))
            w.cell(f"{tag}prediction", product, symbol=r"\hat{p}", label="preference", equals=predicted[at],
                   attribute="predict(user, item)", tolerance=1e-5 if model.dtype == "float32" else 1e-9,
                   scale=size)  # fmt: skip
            continue
        m = w.given(f"{tag}mean", model.mean_, symbol="m", label="mean")
        b = w.given(f"{tag}user_bias", float(model.user_bias_[u]) if u >= 0 else 0.0, symbol="b_u", label="user's bias")
        c = w.given(f"{tag}item_bias", float(model.item_bias_[i]) if i >= 0 else 0.0, symbol="b_i", label="item's bias")
        rating = w.cell(f"{tag}sum", m + b + c + product, symbol="P", label="sum")
        tie_prediction(w, model, tag, rating, predicted[at])
