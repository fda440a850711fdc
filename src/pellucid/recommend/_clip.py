"""Predictions that stay within the scale of the ratings."""

from __future__ import annotations

import numpy as np

from pellucid.base.declare import Declared, param
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Ratings


class Clipped(Declared):
    """For recommenders whose predictions are ratings: ``_raw`` says them, and they are cut off at the scale's ends."""

    clip: bool = param(
        default=True, doc="Keep predictions between the lowest and the highest rating; recommend ranks without it."
    )

    def _raw(self, users: Array, items: Array) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _raw")

    def _keep_range(self, ratings: Ratings) -> None:
        values = ratings.by_user[2]
        self.rating_range_ = (float(values.min()), float(values.max()))

    def _predict(self, users: Array, items: Array) -> Floats:
        found = self._raw(users, items)
        return np.clip(found, *self.rating_range_) if self.clip else found
