"""Check digits: numbers that were given out, not measured, often end in one."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Array, Flags


def luhn_valid(values: Array) -> Flags:
    """Luhn's check digit, of payment cards and of IMEI numbers.

    >>> luhn_valid(np.array([4539148803436467, 4539148803436468])).tolist()
    [True, False]
    """
    remaining, total, double = values.copy(), np.zeros_like(values), False
    while (remaining > 0).any():
        digit = remaining % 10
        doubled = np.where(digit > 4, 2 * digit - 9, 2 * digit)
        total += doubled if double else digit
        remaining, double = remaining // 10, not double
    return np.asarray(total % 10 == 0)


def ean_valid(values: Array) -> Flags:
    """The check digit of EAN, UPC, GTIN and ISBN-13: weights 1 and 3 in turn, from the right.

    >>> ean_valid(np.array([4006381333931, 4006381333930])).tolist()
    [True, False]
    """
    remaining, total, weight = values.copy(), np.zeros_like(values), 1
    while (remaining > 0).any():
        total += weight * (remaining % 10)
        remaining, weight = remaining // 10, 4 - weight
    return np.asarray(total % 10 == 0)
