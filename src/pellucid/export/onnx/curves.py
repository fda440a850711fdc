"""Functions of one number that are not among ONNX's operators: places among cuts, interpolation, exact logarithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.trees import summed
from pellucid.models.tree.nodes import STOP, NodeTest, TreeNodes


def places_among(graph: Graph, x: str, cuts: Sequence[Floats]) -> str:
    """n x p whole numbers: how many cuts of its column a number is not below; all of them where it is missing.

    Written as one balanced tree a column: a thousand cuts are ten comparisons, not a thousand.
    """
    trees = [_search_tree(np.asarray(own, dtype=np.float64), j) for j, own in enumerate(cuts)]
    found = summed(
        graph, x, trees, len(trees), lambda j, nodes, ends: (np.full(len(ends), j), nodes.value[ends, 0])
    )  # fmt: skip
    return graph.whole(found)


def _search_tree(cuts: Floats, column: int) -> TreeNodes:
    """A tree whose leaves are the places among ascending cuts, by tests x < cut."""
    spans, parent, first = [(0, len(cuts))], [-1], []
    at = 0
    while at < len(spans):
        low, high = spans[at]
        if low == high:
            first.append(-1)
        else:
            middle = (low + high) // 2
            first.append(len(spans))
            spans += [(low, middle), (middle + 1, high)]
            parent += [at, at]
        at += 1
    leaf = np.array(first) < 0
    middles = np.array([(low + high) // 2 for low, high in spans])
    padded = np.append(cuts, np.nan)
    zeros = np.zeros(len(spans))
    return TreeNodes(
        parent=np.array(parent),
        first_child=np.array(first),
        n_children=np.where(leaf, 0, 2),
        feature=np.where(leaf, -1, column),
        test=np.where(leaf, NodeTest.LEAF, NodeTest.BELOW),
        missing_child=np.where(leaf, STOP, 1),
        threshold=np.where(leaf, np.nan, padded[np.where(leaf, len(cuts), middles)]),
        n_rows=zeros.astype(np.int64),
        weight=zeros,
        impurity=zeros,
        value=np.array([[float(low)] for low, _ in spans]),
    )


def interpolated(graph: Graph, x: str, corners: Floats, values: Floats) -> str:
    """n x 1: linear between corners, and constant beyond the first and the last."""
    if len(corners) == 1:
        return graph.add(graph.mul(x, 0.0), float(values[0]))
    at = graph.op("Clip", x, float(corners[0]), float(corners[-1]))
    place = graph.op("Clip", graph.sub(places_among(graph, at, [corners]), 1), 0, len(corners) - 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(np.diff(corners) > 0, np.diff(values) / np.diff(corners), 0.0)
    along = graph.mul(graph.sub(at, graph.take(corners[:-1], place)), graph.take(slope, place))
    # At the last corner the line from the one before would be off by its rounding.
    inner = graph.add(graph.take(values[:-1], place), along)
    return graph.where(graph.op("GreaterOrEqual", at, float(corners[-1])), float(values[-1]), inner)


def log1p(graph: Graph, x: str) -> str:
    """log(1 + x), right to the last digits for small x too: log(u) x / (u - 1) with u = 1 + x, as rounded (Kahan)."""
    u = graph.add(x, 1.0)
    same = graph.op("Equal", u, 1.0)
    ratio = graph.div(x, graph.where(same, 1.0, graph.sub(u, 1.0)))
    return graph.where(same, x, graph.mul(graph.op("Log", u), ratio))


def expm1(graph: Graph, x: str) -> str:
    """exp(x) - 1, right to the last digits for small x too: (u - 1) x / log(u) with u = exp(x), as rounded (Kahan)."""
    u = graph.op("Exp", x)
    small = graph.op("Less", graph.op("Abs", x), 0.5)
    same = graph.op("Equal", u, 1.0)
    near = graph.where(small, u, 2.0)
    exact = graph.mul(graph.sub(near, 1.0), graph.div(x, graph.where(same, 1.0, graph.op("Log", near))))
    return graph.where(small, graph.where(same, x, exact), graph.sub(u, 1.0))


# Coefficients of Wichura's AS 241 (PPND16), the highest power first: center, flanks, tails; above and below the line.
_CENTER = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
     1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
     5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0),
)  # fmt: skip
_FLANK = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
     3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0),
)  # fmt: skip
_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def normal_quantile(graph: Graph, p: str) -> str:
    """The number below which a standard normal one lies with probability p, 0 < p < 1 (AS 241)."""
    q = graph.sub(p, 0.5)
    center = graph.mul(q, _rational(graph, graph.sub(0.180625, graph.mul(q, q)), _CENTER))
    low = graph.op("Less", q, 0.0)
    tail = graph.op("Max", graph.where(low, p, graph.sub(1.0, p)), 1e-300)
    r = graph.op("Sqrt", graph.op("Neg", graph.op("Log", tail)))
    flank = _rational(graph, graph.sub(r, 1.6), _FLANK)
    far = _rational(graph, graph.sub(r, 5.0), _TAIL)
    size = graph.where(graph.op("LessOrEqual", r, 5.0), flank, far)
    outer = graph.where(low, graph.op("Neg", size), size)
    return graph.where(graph.op("LessOrEqual", graph.op("Abs", q), 0.425), center, outer)


def _rational(graph: Graph, x: str, terms: tuple[tuple[float, ...], tuple[float, ...]]) -> str:
    """One polynomial over another."""
    above, below = (_polynomial(graph, x, own) for own in terms)
    return graph.div(above, below)


def _polynomial(graph: Graph, x: str, terms: tuple[float, ...]) -> str:
    total = graph.mul(x, terms[0])
    for term in terms[1:-1]:
        total = graph.mul(graph.add(total, term), x)
    return graph.add(total, terms[-1])


def flat_tables(tables: Sequence[Array]) -> tuple[Array, Array]:
    """Tables of equal length one behind the other, and where each begins."""
    return np.concatenate(tables), np.arange(len(tables)) * len(tables[0])
