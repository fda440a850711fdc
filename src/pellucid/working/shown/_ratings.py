"""What the workings of recommenders share: names of users and items, pairs, and the ends of the scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import format_message
from pellucid.base.types import Array
from pellucid.data.ratings import Ratings
from pellucid.working.expression import Cell, WorkingError
from pellucid.working.language import where
from pellucid.working.model import Working

MOST = 12  # users, and items, of a table that is laid out whole
MOST_RATINGS = 150


def words(ids: Array) -> list[str]:
    """Ids as labels."""
    return [str(value) for value in ids.tolist()]


def refuse_large(model: Any, ratings: Ratings, max_size: int = MOST) -> None:
    """Workings lay out every rating: tables that are too large for that are refused."""
    if len(ratings.users) > max_size or len(ratings.items) > max_size:
        requirement = f"the working is of at most {max_size} users and {max_size} items"
        actual = f"got {len(ratings.users)} and {len(ratings.items)}"
        hint = "show_predict shows how the rating of a pair comes about"
        raise WorkingError(format_message(type(model).__name__, requirement, actual=actual, hint=hint))


def pair_words(model: Any, user: int, item: int) -> str:
    """Which user and which item."""
    who = f"User {model.users_[user]}" if user >= 0 else "A user who is not known"
    what = f"item {model.items_[item]}" if item >= 0 else "an item that is not known"
    return f"{who} and {what}."


def clipped(w: Working, model: Any, tag: str, rating: Cell) -> Cell:
    """The answer within the scale of the ratings."""
    low, high = model.rating_range_
    if not model.clip:
        return rating
    lowest = w.given(f"{tag}low", low, symbol="L", label="lowest rating")
    highest = w.given(f"{tag}high", high, symbol="H", label="highest rating")
    within = where(rating < lowest, lowest, where(rating > highest, highest, rating))
    return w.cell(f"{tag}prediction", within, symbol=r"\hat{r}", label="prediction, within the scale")


def tie_prediction(w: Working, model: Any, tag: str, rating: Cell, expected: float) -> None:
    """The last number is the model's own."""
    scale = float(np.abs(model.rating_range_).max())
    w.check(clipped(w, model, tag, rating), float(expected), "predict(user, item)", scale=scale)
