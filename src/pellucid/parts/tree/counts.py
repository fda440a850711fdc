"""Targets of the Poisson criterion."""

from __future__ import annotations

import numpy as np

from pellucid.base.errors import DataError, count, named, sentence
from pellucid.data.design import Design


def check_counts(d: Design, word: str = "criterion") -> None:
    """criterion='poisson' (or loss='poisson', by its word) takes targets of zero and more, some of them more."""
    negative = np.flatnonzero((d.y < 0).any(axis=1))
    if len(negative):
        must = f"{word}='poisson' takes targets of zero or more"
        found = (
            f"Some value(s) of y are negative which is not allowed for Poisson regression ({named('row', negative)})"
        )
        raise DataError(sentence(d.who, must, found))
    counted = d.y if d.weight is None else d.y[d.weight > 0]
    if not counted.any(axis=0).all():
        found = "Sum of y is not positive which is necessary for Poisson regression"
        where = "" if d.y.shape[1] == 1 else f" ({count(int((~counted.any(axis=0)).sum()), 'target')} of zeros alone)"
        raise DataError(sentence(d.who, f"{word}='poisson' needs a target above zero", found + where))
