"""Targets of the Poisson criterion."""

from __future__ import annotations

import numpy as np

from pellucid.base.errors import DataError, count, format_message, noun_list
from pellucid.data.design import Design


def check_counts(d: Design, word: str = "criterion") -> None:
    """criterion='poisson' (or loss='poisson', by its word) takes targets of zero and more, some of them more."""
    negative = np.flatnonzero((d.y < 0).any(axis=1))
    if len(negative):
        requirement = f"{word}='poisson' takes targets of zero or more"
        actual = (
            "Some value(s) of y are negative which is not allowed for Poisson regression "
            f"({noun_list('row', negative)})"
        )
        raise DataError(format_message(d.who, requirement, actual=actual))
    counted = d.y if d.weight is None else d.y[d.weight > 0]
    if not counted.any(axis=0).all():
        actual = "Sum of y is not positive which is necessary for Poisson regression"
        where = "" if d.y.shape[1] == 1 else f" ({count(int((~counted.any(axis=0)).sum()), 'target')} of zeros alone)"
        raise DataError(format_message(d.who, f"{word}='poisson' needs a target above zero", actual=actual + where))
