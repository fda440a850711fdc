"""How the distance of two rows comes about, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, count, equal, lookup, max_, sqrt, sum_, where
from pellucid.working.matrix import Inverse
from pellucid.working.model import Working
from pellucid.working.shown._own_bells import quadratic_form
from pellucid.working.shown._rows import refuse

MOST_COLUMNS = 200
MOST_SQUARE = 8


def _two_rows(w: Working, name: str, a: Any, b: Any) -> tuple[Cell, Cell]:
    """Both rows, a line a column."""
    left, right = (np.asarray(vector, dtype=np.float64).ravel() for vector in (a, b))
    if len(left) > MOST_COLUMNS:
        refuse(name, f"the working is of rows of at most {MOST_COLUMNS} numbers", f"got {len(left)}", "show fewer")
    w.step("Rows", "The two rows, a line a column.")
    axis = Axis("column", list(range(1, len(left) + 1)), "j", "p")
    return w.given("a", left, axis, symbol="a"), w.given("b", right, axis, symbol="b")


def _apart(w: Working, a: Cell, b: Cell) -> Cell:
    w.step("Differences", "How far apart the two are in each column.")
    return w.cell("difference", a - b, symbol=r"\delta", label="difference")


@shows("metrics.euclidean_distance")
def euclidean_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Euclidean distance"
    w.intro = "The straight line between two points."
    apart = _apart(w, *_two_rows(w, "euclidean_distance", a, b))
    squares = w.cell("square", apart**2, symbol="q", label="its square")
    w.step("Distance", "The squares added up, and the root of their sum.")
    subtotal = w.cell("sum", sum_(squares), symbol="S", label="sum of the squares")
    _distance(w, sqrt(subtotal), result, "euclidean_distance")


@shows("metrics.manhattan_distance")
def manhattan_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Manhattan distance"
    w.intro = "The way along the axes."
    apart = _apart(w, *_two_rows(w, "manhattan_distance", a, b))
    sizes = w.cell("size", absolute(apart), symbol="q", label="without its sign")
    w.step("Distance", "Their sum.")
    _distance(w, sum_(sizes), result, "manhattan_distance")


@shows("metrics.chebyshev_distance")
def chebyshev_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Chebyshev distance"
    w.intro = "The largest difference in any one column."
    apart = _apart(w, *_two_rows(w, "chebyshev_distance", a, b))
    sizes = w.cell("size", absolute(apart), symbol="q", label="without its sign")
    w.step("Distance", "The largest of them.")
    _distance(w, max_(sizes), result, "chebyshev_distance")


@shows("metrics.minkowski_distance")
def minkowski_distance(page: Working, result: float, a: Any, b: Any, p: float = 2, w: Any = None) -> None:
    if np.isinf(p):
        refuse("minkowski_distance", "p must be finite in a working", "got infinity", "show chebyshev_distance")
    page.title = "Minkowski distance"
    page.intro = "p = 1 is the way along the axes, p = 2 the straight line."
    left, right = _two_rows(page, "minkowski_distance", a, b)
    assert left.axis is not None
    weight = (
        None if w is None else page.given("w", np.asarray(w, dtype=np.float64), left.axis, symbol="w", label="weight")
    )
    apart = _apart(page, left, right)
    power = page.given("p", float(p), symbol="k", label="p, the power")
    powers = page.cell("power", absolute(apart) ** power, symbol="q", label="its size to the power of p")
    page.step("Distance", "The sum, and its p-th root.")
    subtotal = page.cell("sum", sum_(powers if weight is None else weight * powers), symbol="S", label="sum")
    _distance(page, subtotal ** (1 / power), result, "minkowski_distance")


@shows("metrics.hamming_distance")
def hamming_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Hamming distance"
    w.intro = "The share of places at which two rows differ."
    left, right = _two_rows(w, "hamming_distance", a, b)
    w.step("Differences", "1 where the two differ.")
    differ = w.cell("differ", where(equal(left, right), 0, 1), symbol="q", label="differ")
    w.step("Distance", "Their number over that of all places.")
    subtotal = w.cell("sum", sum_(differ), symbol="S", label="places that differ")
    _distance(w, subtotal / count(differ), result, "hamming_distance")


@shows("metrics.jaccard_distance")
def jaccard_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Jaccard distance"
    w.intro = "Of the places where at least one of two rows is not zero, the share at which they differ."
    left, right = _two_rows(w, "jaccard_distance", a, b)
    w.step("Places", "1 where at least one of the two is not zero; 1 where they differ.")
    either = w.cell(
        "either", where(equal(absolute(left) + absolute(right), 0), 0, 1), symbol="u", label="not both zero"
    )
    differ = w.cell("differ", where(equal(left, right), 0, 1), symbol="q", label="differ")
    w.step("Distance", "The places that differ over those where one of the two is not zero; 0 if there are none.")
    union = w.cell("union", sum_(either), symbol="U", label="not both zero")
    subtotal = w.cell("sum", sum_(differ), symbol="S", label="places that differ")
    _distance(w, where(equal(union, 0), 0, subtotal / union), result, "jaccard_distance")


def _products(w: Working, a: Cell, b: Cell) -> tuple[Cell, Cell, Cell]:
    """a·b, a·a, b·b."""
    w.step("Products", "The two rows with each other and each with itself, column by column.")
    columns = [
        w.cell("ab", a * b, symbol="q", label="product"),
        w.cell("aa", a**2, symbol="u", label="square of the first"),
        w.cell("bb", b**2, symbol="v", label="square of the second"),
    ]
    w.step("Sums", "Each added up.")
    names = (("dot", "S", "product of the two"), ("left", "A", "of the first"), ("right", "B", "of the second"))
    ab, aa, bb = (
        w.cell(name, sum_(column), symbol=symbol, label=label)
        for column, (name, symbol, label) in zip(columns, names, strict=True)
    )
    return ab, aa, bb


@shows("metrics.tanimoto_distance")
def tanimoto_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Tanimoto distance"
    w.intro = "Jaccard's distance carried over to numbers of any size."
    ab, aa, bb = _products(w, *_two_rows(w, "tanimoto_distance", a, b))
    w.step("Distance", "1 less what both have over what either has; 0 for two rows of zeros.")
    either = w.cell("either", aa + bb - ab, symbol="U", label="what either has")
    _distance(w, where(equal(either, 0), 0, 1 - ab / either), result, "tanimoto_distance", scale=1)


@shows("metrics.cosine_distance")
def cosine_distance(w: Working, result: float, a: Any, b: Any) -> None:
    w.title = "Cosine distance"
    w.intro = "How far two rows point in different directions, whatever their lengths."
    ab, aa, bb = _products(w, *_two_rows(w, "cosine_distance", a, b))
    w.step("Cosine", "The product over the two lengths; a row of zeros has no direction, and 0 stands for its cosine.")
    lengths = w.cell("lengths", sqrt(aa) * sqrt(bb), symbol="L", label="product of the lengths")
    cosine = w.cell("cosine", where(equal(lengths, 0), 0, ab / lengths), symbol="c", label="cosine of the angle")
    w.step("Distance", "1 less the cosine.")
    _distance(w, 1 - cosine, result, "cosine_distance", scale=1)


@shows("metrics.mahalanobis_distance")
def mahalanobis_distance(w: Working, result: float, a: Any, b: Any, V: Any = None, VI: Any = None) -> None:
    w.title = "Mahalanobis distance"
    w.intro = "The distance in units of the data's own spread."
    left, right = _two_rows(w, "mahalanobis_distance", a, b)
    matrix: Floats = np.atleast_2d(np.asarray(VI if VI is not None else V, dtype=np.float64))
    p = len(matrix)
    if p > MOST_SQUARE:
        refuse("mahalanobis_distance", f"the working is of at most {MOST_SQUARE} columns", f"got {p}", "show fewer")
    assert left.axis is not None
    axis = left.axis
    apart = _apart(w, left, right)
    name, symbol, label = ("VI", "W", "inverse covariances") if VI is not None else ("V", "V", "covariances")
    w.step("Spread", "The covariances of the columns, and their inverse." if VI is None else "The inverse covariances.")
    spread = w.block(name, matrix, axis, axis, symbol=symbol, label=label)
    inverse = spread
    if VI is None:
        inverse = w.block("inverse", Inverse(spread), axis, axis, symbol="W", label="inverse")
    w.step(
        "Distance", "The differences, multiplied by each other and by the entries of the inverse; the root of the sum."
    )
    form = quadratic_form(inverse, [lookup(apart, i + 1) for i in range(p)])
    subtotal = w.cell("sum", form, symbol="S", label="sum")
    _distance(w, sqrt(subtotal), result, "mahalanobis_distance")


@shows("metrics.linear_kernel")
def linear_kernel(w: Working, result: Any, X: Any, Y: Any = None, dense_output: bool = True) -> None:
    w.title = "Inner product"
    w.intro = "How alike two rows are by the sum of their products; zero is a right angle."
    left, right = (np.atleast_2d(np.asarray(matrix, dtype=np.float64)) for matrix in (X, X if Y is None else Y))
    if len(left) != 1 or len(right) != 1:
        refuse("linear_kernel", "the working is of two rows", f"got {len(left)} and {len(right)}", "show one pair")
    a, b = _two_rows(w, "linear_kernel", left[0], right[0])
    w.step("Products", "Column by column.")
    product = w.cell("product", a * b, symbol="q", label="product")
    w.step("Inner product", "Their sum.")
    w.cell("inner_product", sum_(product), symbol="k", label="inner product", equals=float(result[0, 0]),
           attribute="linear_kernel(X, Y)")  # fmt: skip


def _distance(w: Working, source: Expr, result: float, name: str, scale: float = 0.0) -> None:
    w.cell("distance", source, symbol="d", label="distance", equals=result, attribute=f"{name}(a, b)", scale=scale)
