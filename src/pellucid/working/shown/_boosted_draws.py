"""Which rows a round of boosting looks at, and what they count, as cells: the number drawn for a row decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.reference import gradient_sampling as sampling
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import absolute, equal, ln, sqrt, sum_, where
from pellucid.working.shown._ensembles import added

if TYPE_CHECKING:
    from pellucid.working.shown._boosted_round import Rows

SINGLE = 1e-5  # slopes are kept in single precision


def draw_cells(r: Rows, gradients: list[tuple[Cell, Expr]], factor: Floats) -> Cell:
    """How often each row counts in a round.

    slopes : first and second derivatives of each output that is shown
    factor : what the kernel multiplied the rows by; 0 where a row is left out
    """
    if r.fit.draws == "goss":
        return _goss(r, gradients, factor)
    if r.fit.draws == "mvs":
        return _mvs(r, gradients, factor)
    if r.fit.draws == "bayesian":
        heat, u = float(r.fit.plan["temperature"]), _drawn(r)
        power = -ln(1 - u) if heat == 1 else (-ln(1 - u)) ** heat
        return _counts(r, power, factor, "counts: its weight")
    share = _share(r)
    u = _drawn(r)
    if r.fit.draws == "bernoulli":
        return _counts(r, where(u < share, 1, 0), factor, "counts: 1 if its number is below the share")
    return _without_replacement(r, u, factor)


def _share(r: Rows) -> Cell:
    return r.w.given(f"share{r.tag()}", float(r.fit.plan["share"]), symbol="s", label="share of the rows")


def _drawn(r: Rows) -> Cell:
    return r.w.given(f"u{r.tag()}", r.fit.drawn_numbers(r.number), r.axis, symbol=r.mark("u"),
                     label="number drawn from 0 to 1")  # fmt: skip


def _counts(r: Rows, formula: Expr, factor: Floats, text: str) -> Cell:
    return r.w.cell(f"q{r.tag()}", formula, symbol=r.mark("q"), label=text, equals=factor, attribute="rows drawn",
                    tolerance=SINGLE)  # fmt: skip


def _without_replacement(r: Rows, u: Cell, factor: Floats) -> Cell:
    """Row after row, with the probability of what is still wanted among those that are left."""
    n = len(r.axis)
    before = np.concatenate([[0.0], np.cumsum(factor)[:-1]])
    n_wanted = r.w.given(
        f"wanted{r.tag()}", factor.sum() - before, r.axis, symbol=r.mark("a"), label="rows still wanted"
    )
    n_left = r.w.given(f"left{r.tag()}", n - np.arange(float(n)), r.axis, symbol=r.mark("b"), label="rows still left")
    return _counts(r, where(u * n_left < n_wanted, 1, 0), factor, "counts: 1 if u is below wanted over left")


def _size(r: Rows, gradients: list[tuple[Cell, Expr]], curvature_weight: float = 0.0) -> Cell:
    """How steep the loss of each row is, over all outputs."""
    style: dict[str, Any] = {
        "symbol": r.mark("s"),
        "label": "size of the derivatives" if curvature_weight else "size of the slope",
    }
    if len(gradients) < r.fit.outputs:
        return r.w.given(f"s{r.tag()}", r.fit.sizes(r.number), r.axis, **style)
    if len(gradients) == 1 and not curvature_weight:
        size = absolute(gradients[0][0])
    else:
        squares = [g**2 + curvature_weight * h**2 if curvature_weight else g**2 for g, h in gradients]
        size = sqrt(added(squares))
    return r.w.cell(f"s{r.tag()}", size if r.weight is None else r.weight * size, **style)


def _mvs(r: Rows, gradients: list[tuple[Cell, Expr]], factor: Floats) -> Cell:
    """A probability in proportion to the size, up to 1, and as many rows as wanted on average."""
    w, share = r.w, _share(r)
    expected_rows = float(share.value) * len(r.axis)
    sizes = r.fit.sizes(r.number)
    limit = sampling.mvs_threshold(sizes, expected_rows)
    if not 0 < limit < np.inf:
        return w.given(f"q{r.tag()}", factor, r.axis, symbol=r.mark("q"), label="counts; 0: not drawn")
    t = w.given(f"limit{r.tag()}", limit, symbol=r.mark("t"), label="sizes from here on are taken for certain")
    u, size = _drawn(r), _size(r, gradients, float(r.fit.plan.get("curvature_weight", 0.0)))
    p = w.cell(f"chance{r.tag()}", where(size < t, size / t, 1), symbol=r.mark(r"\pi"),
               label="probability to be drawn")  # fmt: skip
    some: Expr = p if (sizes > 0).all() else where(p > 0, p, 1)
    counts = _counts(r, where(u < p, 1 / some, 0), factor, "counts: 1 over its probability, if drawn")
    w.cell(f"expected{r.tag()}", sum_(p), symbol=r.mark("E"), label="rows drawn on average: share times n",
           equals=expected_rows, attribute="subsample", tolerance=SINGLE)  # fmt: skip
    return counts


def _goss(r: Rows, gradients: list[tuple[Cell, Expr]], factor: Floats) -> Cell:
    """Rows with the largest slopes count once, those drawn from the others more."""
    w, plan = r.w, r.fit.plan
    a = w.given(f"top{r.tag()}", float(plan["top"]), symbol="a", label="share of rows kept for their slopes")
    b = w.given(f"other{r.tag()}", float(plan["other"]), symbol="b", label="share of rows drawn from the others")
    _size(r, gradients)
    kinds = np.where(factor == 1, "kept", np.where(factor > 0, "drawn", "out")).astype(object)
    kind = w.given(f"kind{r.tag()}", kinds, r.axis, symbol=r.mark("u"), label="kept for its slope, drawn, or out")
    counts = where(equal(kind, "kept"), 1, where(equal(kind, "drawn"), (1 - a) / b, 0))
    return _counts(r, counts, factor, "counts")
