"""A fitted polynomial as an equation: scaling multiplied out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from pellucid.base.types import Floats

Powers = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PolynomialEquation:
    """The terms of a polynomial, the constant first, and their coefficients: one row a target if there are several.

    ``str`` writes it with four figures, and leaves out terms that come to no more than rounding on the rows of the fit:
    those whose largest value there, in ``reach``, is less than 1e-12 of the largest of all terms.
    """

    terms: list[str]
    coefficients: Floats
    reach: Floats

    def __str__(self) -> str:
        rows = np.atleast_2d(self.coefficients)
        names = ["y"] if len(rows) == 1 else [f"y{t}" for t in range(len(rows))]
        return "\n".join(f"{name} = {self._side(row)}" for name, row in zip(names, rows, strict=True))

    def _side(self, row: Floats) -> str:
        text = ""
        with np.errstate(all="ignore"):
            parts = np.abs(row) * self.reach
        least = 1e-12 * float(parts[np.isfinite(parts)].max(initial=0.0))
        for term, value, part in zip(self.terms, row, parts, strict=True):
            figures = f"{abs(value):.4g}"
            if figures == "0" or part <= least:
                continue
            factor = figures if term == "1" else term if figures == "1" else f"{figures} {term}"
            text += (" - " if value < 0 else " + ") + factor
        return text.replace(" + ", "", 1) if text.startswith(" + ") else text.replace(" - ", "-", 1) or "0"


def expanded(pipeline: Any, names: list[str], largest: Floats) -> PolynomialEquation:
    """The equation of steps "columns", "terms", "scale", "line", of which the first and third may be missing.

    With  ``z_j = s_j x_j + m_j``  and  ``t = (prod_j z_j^k_j - a) / c``  the sum  ``b + sum gamma t``  is multiplied
    out by the binomial theorem,  ``z^k = sum_i C(k, i) s^i m^(k-i) x^i``.  Every float is a fraction of whole numbers,
    and so is the result: nothing is rounded but the coefficients at the end. ``largest`` is the size of each column.
    """
    steps = pipeline.named_steps
    powers: list[Powers] = [tuple(int(k) for k in row) for row in steps["terms"].powers_]
    lines = _lines(steps.get("columns"), len(names))
    coef = np.atleast_2d(np.asarray(steps["line"].coef_, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(steps["line"].intercept_, dtype=np.float64), (len(coef),))
    middle, size = _scaling(steps.get("scale"), len(powers))
    products = [_product(row, lines) for row in powers]
    constant: Powers = (0,) * len(names)
    places = {row: place for place, row in enumerate([constant, *powers])}
    table = np.empty((len(coef), len(places)))
    for t in range(len(coef)):
        sums = [Fraction(0)] * len(places)
        sums[0] = Fraction(float(intercept[t]))
        for gamma, a, c, product in zip(coef[t], middle, size, products, strict=True):
            slope = Fraction(float(gamma)) / c
            sums[0] -= slope * a
            for row, factor in product.items():
                sums[places[row]] += slope * factor
        table[t] = [_rounded(value) for value in sums]
    terms = ["1", *(_written(row, names) for row in powers)]
    single = np.ndim(steps["line"].coef_) == 1
    with np.errstate(over="ignore"):
        reach = np.prod(np.power(largest, np.array([constant, *powers], dtype=np.float64)), axis=1)
    return PolynomialEquation(terms, table[0] if single else table, reach)


def _lines(scaler: Any, width: int) -> list[tuple[Fraction, Fraction]]:
    """``s_j`` and ``m_j``: where a column lies between its ends, from -1 to 1."""
    if scaler is None:
        return [(Fraction(1), Fraction(0))] * width
    found = []
    for low, reach in zip(scaler.data_min_, scaler.data_range_, strict=True):
        slope = 2 / (Fraction(float(reach)) or Fraction(1))
        found.append((slope, -1 - Fraction(float(low)) * slope))
    return found


def _scaling(scaler: Any, width: int) -> tuple[list[Fraction], list[Fraction]]:
    if scaler is None:
        return [Fraction(0)] * width, [Fraction(1)] * width
    return [Fraction(float(a)) for a in scaler.mean_], [Fraction(float(c)) for c in scaler.scale_]


def _product(powers: Powers, lines: list[tuple[Fraction, Fraction]]) -> dict[Powers, Fraction]:
    """``prod_j (s_j x_j + m_j)^k_j``, multiplied out."""
    found: dict[Powers, Fraction] = {(): Fraction(1)}
    for k, (s, m) in zip(powers, lines, strict=True):
        parts = [(i, comb(k, i) * s**i * m ** (k - i)) for i in range(k + 1)]
        found = {(*row, i): value * factor for row, value in found.items() for i, factor in parts if factor}
    return found


def _rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _written(powers: Powers, names: list[str]) -> str:
    factors = []
    for name, power in zip(names, powers, strict=True):
        if power:
            word = name if power == 1 or name.isidentifier() else f"({name})"
            factors.append(word if power == 1 else f"{word}^{power}")
    return " ".join(factors)
