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
        is_missing = np.isnan(column)
        cell_values = said(column, words[j]) if j in words else np.nan_to_num(column)
        x.append(w.given(f"{tag}x_{j + 1}", cell_values, axis, symbol=f"x_{{{j + 1}}}", label=name))
        mark = None
        if is_missing.any():
            mark = w.given(f"{tag}h_{j + 1}", (~is_missing).astype(float), axis, symbol=f"h_{{{j + 1}}}",
                           label=f"1 if it has {name}")  # fmt: skip
        has.append(mark)
    return x, has


def said(codes: Floats, words: tuple[Any, ...]) -> Array:
    """Codes as words; a number for each where two are spelled alike."""
    spelled = [str(word) for word in words]
    if len(set(spelled)) < len(spelled):
        return np.nan_to_num(codes)
    spellings = [*spelled, NEW, ""]
    return np.array([spellings[-1 if np.isnan(c) else -2 if c < 0 else int(c)] for c in codes.tolist()], dtype=object)


def distances(w: Working, how: Distance, query: Asked, axis: Axis, x: list[Cell], has: list[Cell | None]) -> Cell:
    """The distance of one row to each fitted row, with the steps on the way to it."""
    there = [j for j in range(len(query.names)) if not np.isnan(query.row[j])]
    q = []
    for j in there:
        value: Any = said(query.row[j : j + 1], query.words[j])[0] if j in query.words else float(query.row[j])
        q.append(w.given(f"{query.tag}q_{j + 1}", value, symbol=f"q_{{{j + 1}}}", label=query.names[j]))
    both = Columns([query.names[j] for j in there], q, [x[j] for j in there], [has[j] for j in there], there)
    if isinstance(how.measure, Mixed):
        formula = _gower(w, how.measure, query, both)
    else:
        assert how.metric is not None
        formula = FORMULAS[how.metric.kind](w, how, query, both)
    return w.cell(f"{query.tag}d", formula, symbol="d", label="distance")


def _terms(w: Working, query: Asked, both: Columns, symbol: str, label: str, terms: Sequence[Expr]) -> list[Cell]:
    """One column of the page for each column of the table."""
    return [
        w.cell(f"{query.tag}{symbol}_{j + 1}", term, symbol=f"{symbol}_{{{j + 1}}}", label=f"{label}, {name}")
        for j, name, term in zip(both.places, both.names, terms, strict=True)
    ]


def _sum(w: Working, query: Asked, terms: Sequence[Expr]) -> Cell:
    return w.cell(f"{query.tag}sum", reduce(add, terms), symbol="S", label="sum")


def _apart(how: Distance, both: Columns) -> list[Expr]:
    """Differences, as the distance stretches or turns them."""
    assert how.metric is not None
    plain: list[Expr] = [x - q for x, q in zip(both.x, both.q, strict=True)]
    if how.metric.turn is not None:
        return [dot(plain, [float(v) for v in column]) for column in how.metric.turn.T]
    if how.metric.stretch is not None:
        return [float(v) * difference for v, difference in zip(how.metric.stretch, plain, strict=True)]
    return plain


def _euclidean(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    squares = _terms(w, query, both, "s", "squared difference", [difference**2 for difference in _apart(how, both)])
    total = _sum(w, query, squares)
    return total + 0 if how.squared else sqrt(total)


def _manhattan(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    return reduce(add, _sizes(w, how, query, both))


def _sizes(w: Working, how: Distance, query: Asked, both: Columns) -> list[Cell]:
    return _terms(
        w, query, both, "a", "size of the difference", [absolute(difference) for difference in _apart(how, both)]
    )


def _chebyshev(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    return -1 * least_of([-1 * size for size in _sizes(w, how, query, both)])


def _minkowski(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    assert how.metric is not None
    p = w.given(f"{query.tag}p", float(how.metric.p), symbol="p", label="power")
    powers = [absolute(difference) ** p for difference in _apart(how, both)]
    total = _sum(w, query, _terms(w, query, both, "a", "power of the difference", powers))
    return total ** (1 / p)


def _hamming(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    return _sum(w, query, _differ(w, query, both)) / len(both.q)


def _differ(w: Working, query: Asked, both: Columns) -> list[Cell]:
    terms = [where(equal(x, q), 0, 1) for x, q in zip(both.x, both.q, strict=True)]
    return _terms(w, query, both, "a", "1 if they differ", terms)


def _jaccard(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    n_different = _sum(w, query, _differ(w, query, both))
    used = [where(absolute(x) + absolute(q) > 0, 1, 0) for x, q in zip(both.x, both.q, strict=True)]
    of = w.cell(f"{query.tag}used", reduce(add, used), symbol="u", label="columns where one of them is not 0")
    return where(of > 0, n_different / where(of > 0, of, 1), 0)


def _cosine(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    t = query.tag
    along = w.cell(f"{t}dot", dot(both.x, both.q), symbol="D", label="product, column by column")
    query_length = w.cell(
        f"{t}length_q", sqrt(reduce(add, [q**2 for q in both.q])), symbol=r"|q|", label="length of this row"
    )
    row_lengths = w.cell(f"{t}length_x", sqrt(reduce(add, [x**2 for x in both.x])), symbol=r"|x|", label="length")
    if query_length.value > 0 and (np.asarray(row_lengths.value) > 0).all():
        return 1 - along / (row_lengths * query_length)
    return where(
        row_lengths * query_length > 0,
        1 - along / where(row_lengths * query_length > 0, row_lengths * query_length, 1),
        1,
    )


def _tanimoto(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    t = query.tag
    along = w.cell(f"{t}dot", dot(both.x, both.q), symbol="D", label="product, column by column")
    squares = reduce(add, [q**2 for q in both.q]) + reduce(add, [x**2 for x in both.x])
    denominator = w.cell(f"{t}rest", squares - along, symbol="R", label="squares of both, less the product")
    return where(denominator > 0, 1 - along / where(denominator > 0, denominator, 1), 0)


def _canberra(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    terms = []
    for x, q in zip(both.x, both.q, strict=True):
        size = absolute(x) + absolute(q)
        terms.append(absolute(x - q) / where(size > 0, size, 1))
    return reduce(add, _terms(w, query, both, "a", "difference over the sizes", terms))


def _braycurtis(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    above = _sum(w, query, _sizes(w, how, query, both))
    below = reduce(add, [absolute(x + q) for x, q in zip(both.x, both.q, strict=True)])
    of = w.cell(f"{query.tag}of", below, symbol="T", label="sizes of the sums")
    return above / of


def _haversine(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    (north, east), (q_north, q_east) = both.x, both.q
    haversine = sin((north - q_north) / 2) ** 2 + cos(north) * cos(q_north) * sin((east - q_east) / 2) ** 2
    h = w.cell(f"{query.tag}hav", haversine, symbol="h", label="haversine")
    return 2 * angle(sqrt(1 - h), sqrt(h))


def _nan_euclidean(w: Working, how: Distance, query: Asked, both: Columns) -> Expr:
    squares = [(x - q) ** 2 for x, q in zip(both.x, both.q, strict=True)]
    counted = [square if has is None else has * square for square, has in zip(squares, both.has, strict=True)]
    total = _sum(w, query, _terms(w, query, both, "s", "squared difference", counted))
    p = w.given(f"{query.tag}p", float(len(query.names)), symbol="p", label="columns in all")
    return sqrt(p / _shared(w, query, both) * total)


def _shared(w: Working, query: Asked, both: Columns) -> Expr:
    """How many columns both rows have."""
    if all(has is None for has in both.has):
        return expr(len(both.has))
    each = [expr(1) if has is None else has for has in both.has]
    return w.cell(f"{query.tag}m", reduce(add, each), symbol="m", label="columns that both have")


def _gower(w: Working, measure: Mixed, query: Asked, both: Columns) -> Expr:
    share = measure.columns.share
    terms: list[Expr] = []
    for j, x, q, has in zip(both.places, both.x, both.q, both.has, strict=True):
        if share[j] < 0:
            term: Expr = where(equal(x, q), 0, 1)
        elif share[j] == 0:
            term = 0 * x
        else:
            wide = w.given(f"{query.tag}r_{j + 1}", 1 / float(share[j]), symbol=f"r_{{{j + 1}}}",
                           label=f"range of {query.names[j]}")  # fmt: skip
            term = absolute(x - q) / wide
            term = smallest(term, 1, 1) if np.max(term.value) > 1 else term
        terms.append(term if has is None else has * term)
    total = _sum(w, query, _terms(w, query, both, "g", "how far apart, 0 to 1", terms))
    return total / _shared(w, query, both)


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
