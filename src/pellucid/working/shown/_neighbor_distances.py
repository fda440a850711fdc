"""The distance of one row to every fitted row, column by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.neighbors._distances import Distance
from pellucid.neighbors._measures import Mixed
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, angle, cos, dot, equal, sin, smallest, sqrt, where
from pellucid.working.model import Working
from pellucid.working.shown._codebook_walk import least_of

MOST_WIDE = 12
LARGEST, SMALLEST = 1e100, 1e-100  # beyond, squares are no numbers
NEW = "(not seen in fit)"


@dataclass
class Columns:
    """Two sides of a distance on a page, column by column.

    q, x : the row that is asked about, and the fitted rows; has : 1 where a fitted row has the column, or None
    """

    names: list[str]
    q: list[Cell]
    x: list[Cell]
    has: list[Cell | None]
    places: list[int]  # of the columns in the table


@dataclass
class Asked:
    """One row and the fitted rows beside it, as the index has them."""

    row: Floats
    fitted: Floats
    names: list[str]
    words: dict[int, tuple[Any, ...]]  # the categories of columns that are words
    tag: str


def laid_out(how: Distance, fitted: Any, row: Any) -> bool:
    """Is the distance a formula of few columns, of numbers whose squares are numbers?"""
    if not (isinstance(how.measure, Mixed) or (how.metric is not None and how.metric.kind in FORMULAS)):
        return False
    sizes = np.abs(np.concatenate([fitted.ravel(), row]))
    sizes = sizes[~np.isnan(sizes) & (sizes > 0)]
    return bool(fitted.shape[1] <= MOST_WIDE and ((sizes > SMALLEST) & (sizes < LARGEST)).all())


def columns_of(
    w: Working, fitted: Floats, axis: Axis, names: list[str], words: dict[int, tuple[Any, ...]], tag: str
) -> tuple[list[Cell], list[Cell | None]]:
    """The fitted rows as columns, and where they have gaps, which rows have a value."""
    x: list[Cell] = []
    has: list[Cell | None] = []
    for j, name in enumerate(names):
        column = fitted[:, j]
        gone = np.isnan(column)
        shown = said(column, words[j]) if j in words else np.nan_to_num(column)
        x.append(w.given(f"{tag}x_{j + 1}", shown, axis, symbol=f"x_{{{j + 1}}}", label=name))
        mark = None
        if gone.any():
            mark = w.given(f"{tag}h_{j + 1}", (~gone).astype(float), axis, symbol=f"h_{{{j + 1}}}",
                           label=f"1 if it has {name}")  # fmt: skip
        has.append(mark)
    return x, has


def said(codes: Floats, words: tuple[Any, ...]) -> Array:
    """Codes as words; a number for each where two are spelled alike."""
    spelled = [str(word) for word in words]
    if len(set(spelled)) < len(spelled):
        return np.nan_to_num(codes)
    known = [*spelled, NEW, ""]
    return np.array([known[-1 if np.isnan(c) else -2 if c < 0 else int(c)] for c in codes.tolist()], dtype=object)


def distances(w: Working, how: Distance, asked: Asked, axis: Axis, x: list[Cell], has: list[Cell | None]) -> Cell:
    """The distance of one row to each fitted row, with the steps on the way to it."""
    there = [j for j in range(len(asked.names)) if not np.isnan(asked.row[j])]
    q = []
    for j in there:
        value: Any = said(asked.row[j : j + 1], asked.words[j])[0] if j in asked.words else float(asked.row[j])
        q.append(w.given(f"{asked.tag}q_{j + 1}", value, symbol=f"q_{{{j + 1}}}", label=asked.names[j]))
    both = Columns([asked.names[j] for j in there], q, [x[j] for j in there], [has[j] for j in there], there)
    if isinstance(how.measure, Mixed):
        formula = _gower(w, how.measure, asked, both)
    else:
        assert how.metric is not None
        formula = FORMULAS[how.metric.kind](w, how, asked, both)
    return w.cell(f"{asked.tag}d", formula, symbol="d", label="distance")


def _terms(w: Working, asked: Asked, both: Columns, symbol: str, label: str, terms: Sequence[Expr]) -> list[Cell]:
    """One column of the page for each column of the table."""
    return [
        w.cell(f"{asked.tag}{symbol}_{j + 1}", term, symbol=f"{symbol}_{{{j + 1}}}", label=f"{label}, {name}")
        for j, name, term in zip(both.places, both.names, terms, strict=True)
    ]


def _sum(w: Working, asked: Asked, terms: Sequence[Expr]) -> Cell:
    return w.cell(f"{asked.tag}sum", reduce(add, terms), symbol="S", label="sum")


def _apart(how: Distance, both: Columns) -> list[Expr]:
    """Differences, as the distance stretches or turns them."""
    assert how.metric is not None
    plain: list[Expr] = [x - q for x, q in zip(both.x, both.q, strict=True)]
    if how.metric.turn is not None:
        return [dot(plain, [float(v) for v in column]) for column in how.metric.turn.T]
    if how.metric.stretch is not None:
        return [float(v) * one for v, one in zip(how.metric.stretch, plain, strict=True)]
    return plain


def _euclidean(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    squares = _terms(w, asked, both, "s", "squared difference", [one**2 for one in _apart(how, both)])
    whole = _sum(w, asked, squares)
    return whole + 0 if how.squared else sqrt(whole)


def _manhattan(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    return reduce(add, _sizes(w, how, asked, both))


def _sizes(w: Working, how: Distance, asked: Asked, both: Columns) -> list[Cell]:
    return _terms(w, asked, both, "a", "size of the difference", [absolute(one) for one in _apart(how, both)])


def _chebyshev(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    return -1 * least_of([-1 * one for one in _sizes(w, how, asked, both)])


def _minkowski(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    assert how.metric is not None
    p = w.given(f"{asked.tag}p", float(how.metric.p), symbol="p", label="power")
    powers = [absolute(one) ** p for one in _apart(how, both)]
    whole = _sum(w, asked, _terms(w, asked, both, "a", "power of the difference", powers))
    return whole ** (1 / p)


def _hamming(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    return _sum(w, asked, _differ(w, asked, both)) / len(both.q)


def _differ(w: Working, asked: Asked, both: Columns) -> list[Cell]:
    terms = [where(equal(x, q), 0, 1) for x, q in zip(both.x, both.q, strict=True)]
    return _terms(w, asked, both, "a", "1 if they differ", terms)


def _jaccard(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    other = _sum(w, asked, _differ(w, asked, both))
    used = [where(absolute(x) + absolute(q) > 0, 1, 0) for x, q in zip(both.x, both.q, strict=True)]
    of = w.cell(f"{asked.tag}used", reduce(add, used), symbol="u", label="columns where one of them is not 0")
    return where(of > 0, other / where(of > 0, of, 1), 0)


def _cosine(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    t = asked.tag
    along = w.cell(f"{t}dot", dot(both.x, both.q), symbol="D", label="product, column by column")
    own = w.cell(f"{t}length_q", sqrt(reduce(add, [q**2 for q in both.q])), symbol=r"|q|", label="length of this row")
    other = w.cell(f"{t}length_x", sqrt(reduce(add, [x**2 for x in both.x])), symbol=r"|x|", label="length")
    if own.value > 0 and (np.asarray(other.value) > 0).all():
        return 1 - along / (other * own)
    return where(other * own > 0, 1 - along / where(other * own > 0, other * own, 1), 1)


def _tanimoto(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    t = asked.tag
    along = w.cell(f"{t}dot", dot(both.x, both.q), symbol="D", label="product, column by column")
    squares = reduce(add, [q**2 for q in both.q]) + reduce(add, [x**2 for x in both.x])
    rest = w.cell(f"{t}rest", squares - along, symbol="R", label="squares of both, less the product")
    return where(rest > 0, 1 - along / where(rest > 0, rest, 1), 0)


def _canberra(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    terms = []
    for x, q in zip(both.x, both.q, strict=True):
        size = absolute(x) + absolute(q)
        terms.append(absolute(x - q) / where(size > 0, size, 1))
    return reduce(add, _terms(w, asked, both, "a", "difference over the sizes", terms))


def _braycurtis(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    above = _sum(w, asked, _sizes(w, how, asked, both))
    below = reduce(add, [absolute(x + q) for x, q in zip(both.x, both.q, strict=True)])
    of = w.cell(f"{asked.tag}of", below, symbol="T", label="sizes of the sums")
    return above / of


def _haversine(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    (north, east), (q_north, q_east) = both.x, both.q
    part = sin((north - q_north) / 2) ** 2 + cos(north) * cos(q_north) * sin((east - q_east) / 2) ** 2
    h = w.cell(f"{asked.tag}hav", part, symbol="h", label="haversine")
    return 2 * angle(sqrt(1 - h), sqrt(h))


def _nan_euclidean(w: Working, how: Distance, asked: Asked, both: Columns) -> Expr:
    squares = [(x - q) ** 2 for x, q in zip(both.x, both.q, strict=True)]
    counted = [one if has is None else has * one for one, has in zip(squares, both.has, strict=True)]
    whole = _sum(w, asked, _terms(w, asked, both, "s", "squared difference", counted))
    p = w.given(f"{asked.tag}p", float(len(asked.names)), symbol="p", label="columns in all")
    return sqrt(p / _shared(w, asked, both) * whole)


def _shared(w: Working, asked: Asked, both: Columns) -> Expr:
    """How many columns both rows have."""
    if all(has is None for has in both.has):
        return expr(len(both.has))
    each = [expr(1) if has is None else has for has in both.has]
    return w.cell(f"{asked.tag}m", reduce(add, each), symbol="m", label="columns that both have")


def _gower(w: Working, measure: Mixed, asked: Asked, both: Columns) -> Expr:
    share = measure.columns.share
    terms: list[Expr] = []
    for j, x, q, has in zip(both.places, both.x, both.q, both.has, strict=True):
        if share[j] < 0:
            one: Expr = where(equal(x, q), 0, 1)
        elif share[j] == 0:
            one = 0 * x
        else:
            wide = w.given(f"{asked.tag}r_{j + 1}", 1 / float(share[j]), symbol=f"r_{{{j + 1}}}",
                           label=f"range of {asked.names[j]}")  # fmt: skip
            one = absolute(x - q) / wide
            one = smallest(one, 1, 1) if np.max(one.value) > 1 else one
        terms.append(one if has is None else has * one)
    whole = _sum(w, asked, _terms(w, asked, both, "g", "how far apart, 0 to 1", terms))
    return whole / _shared(w, asked, both)


FORMULAS: dict[str, Callable[[Working, Distance, Asked, Columns], Expr]] = {
    "euclidean": _euclidean,
    "manhattan": _manhattan,
    "chebyshev": _chebyshev,
    "minkowski": _minkowski,
    "hamming": _hamming,
    "cosine": _cosine,
    "jaccard": _jaccard,
    "tanimoto": _tanimoto,
    "canberra": _canberra,
    "braycurtis": _braycurtis,
    "haversine": _haversine,
    "nan_euclidean": _nan_euclidean,
}
