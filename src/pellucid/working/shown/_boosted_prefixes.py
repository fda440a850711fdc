"""Ordered boosting as cells: models that know the first 0, 1, 2, 4, ... rows of an order, and the slopes they give.

Every model has an entry for each row that it knows or judges. A model's leaves answer by the entries that it knows; the
slope of a row comes from the entry in which it is judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, lookup, sum_, where
from pellucid.working.shown._boosted_draws import SINGLE

if TYPE_CHECKING:
    from pellucid.working.shown._boosted_fit import BoostedTree, Fit
    from pellucid.working.shown._boosted_trees import Round

MOST_ROWS = 60  # whose entries are shown


@dataclass
class Entries:
    """The models of one order: of each entry its model, its row, and how many rows stand before it."""

    order: int
    axis: Axis
    at: Array  # rows x: the entry in which each row is judged, from 0
    model: Cell
    knows: Cell
    row: Cell
    before: Cell
    y: Cell
    weight: Cell | None
    models: Array  # of each entry, from 0
    rows: Array  # of each entry, from 0
    score: Cell | None = None  # before the round that is shown
    slopes: tuple[Cell, Expr] | None = None


@dataclass
class Prefixes:
    """The orders whose models are shown so far, by their number."""

    fit: Fit
    known: dict[int, Entries] = field(default_factory=dict)

    def begin(self, r: Round, order: int) -> Entries:
        """The entries of an order with the scores before a round; given where no round led to them here."""
        if order not in self.known:
            self.known[order] = self._listed(r, order)
        entries, along = self.known[order], self.fit.along
        assert along is not None
        if entries.score is None:
            scores = along.scores(self.fit, order, r.number)[entries.models, entries.rows]
            text = "score in its model" if r.number else "score in its model: the start"
            entries.score = r.w.given(
                f"f_o{order + 1}_{r.number}", scores, entries.axis, symbol=f"f_{{{r.number}}}", label=text
            )
        return entries

    def _listed(self, r: Round, order: int) -> Entries:
        """The entries of an order: rows that a model knows, and as many behind them."""
        w, along = r.w, self.fit.along
        assert along is not None
        n, positions, sizes = len(r.axis), along.places(order), along.sizes
        listed = [(j, p) for j, size in enumerate(sizes) for p in range(min(max(2 * size, 1), n))]
        models = np.array([j for j, _ in listed])
        rows = along.rows[order][[p for _, p in listed]]
        judged = {int(rows[e]): e for e, (j, p) in enumerate(listed) if p >= sizes[j]}
        axis, tag = Axis("entry", range(1, len(listed) + 1), "e", "E"), f"o{order + 1}"
        model = w.given(f"model_{tag}", models + 1.0, axis, symbol="m", label="model")
        knows = w.given(f"knows_{tag}", np.array(sizes, dtype=np.float64)[models], axis, symbol="s",
                        label="first rows of the order that it knows")  # fmt: skip
        row = w.given(f"row_{tag}", rows + 1.0, axis, symbol="r", label="line of the row")
        before = w.given(f"before_{tag}", positions[rows].astype(np.float64), axis, symbol="b",
                         label="rows before it")  # fmt: skip
        y = w.cell(f"y_{tag}", lookup(r.y, row), symbol="y", label="its target")
        weight = None
        if r.weight is not None:
            weight = w.cell(f"weight_{tag}", lookup(r.weight, row), symbol="w", label="its weight")
        at = np.array([judged[i] for i in range(n)])
        return Entries(order, axis, at, model, knows, row, before, y, weight, models, rows)

    def slopes(self, r: Round, order: int) -> tuple[Cell, Expr]:
        """First and second derivatives of all entries of an order, before a round."""
        entries = self.begin(r, order)
        if entries.slopes is None:
            assert entries.score is not None
            tag, mark = f"o{order + 1}_{r.number + 1}", f"{r.number + 1}"

            def cell(name: str, source: Expr, letter: str, text: str) -> Cell:
                return r.w.cell(f"{name}_{tag}", source, symbol=f"{letter}_{{{mark}}}", label=text)

            above, h = r.smooth(entries.score, entries.y, cell)
            first = cell("g", above, "g", "first derivative")
            curved = (
                h if not h.axes and r.fit.kind == "squared_error" else cell("h", r.least(h), "h", "second derivative")
            )
            entries.slopes = first, curved
        return entries.slopes

    def follow(self, r: Round, tree: BoostedTree, leaf_index: Cell) -> None:
        """The models of the order that the next round takes, after this one; the others are not followed."""
        along = self.fit.along
        assert along is not None
        order = along.which(r.number + 1)
        self.forget(but=order)
        if len(r.axis) > MOST_ROWS:
            return
        r.w.step(
            f"Round {r.number + 1}: answers of the models along order {order + 1}",
            "The next round takes this order. The leaves of each model answer by the rows that it knows alone.",
            turn=r.number + 1,
        )
        self.move(r, order, tree, leaf_index)

    def move(self, r: Round, order: int, tree: BoostedTree, leaf_index: Cell) -> None:
        """What the leaves of each model answer, and the scores of the entries after the round."""
        entries = self.begin(r, order)
        g, h = self.slopes(r, order)
        w, tag, mark = r.w, f"o{order + 1}_{r.number + 1}", f"{r.number + 1}"
        along, many = self.fit.along, len(tree.leaves)
        assert along is not None
        assert entries.score is not None
        leaf = w.cell(f"leaf_{tag}", lookup(leaf_index, entries.row), symbol=f"l_{{{mark}}}", label="leaf of the row")
        pairs = [(j, k) for j in range(len(along.sizes)) for k in range(many)]
        labels = [f"{count(along.sizes[j], 'row')}, leaf {k + 1}" for j, k in pairs]
        axis = Axis("answer", labels, "k", "K")
        model = w.given(f"of_{tag}", np.array([j + 1.0 for j, _ in pairs]), axis, symbol="m'", label="model")
        number = w.given(f"k_{tag}", np.array([k + 1.0 for _, k in pairs]), axis, symbol="k", label="leaf")

        def summed(name: str, body: Expr, text: str) -> Cell:
            weighted = body if entries.weight is None else entries.weight * body
            inside = where(equal(leaf, number), where(entries.before < entries.knows, weighted, 0), 0)
            leaf_sums = sum_(where(equal(entries.model, model), inside, 0), entries.axis)
            return w.cell(f"{name}_{tag}", leaf_sums, symbol=f"{name}_{{{mark}}}", label=text)

        G = summed("G", g, "sum of first derivatives over rows that it knows")
        H = summed("H", h, "sum of second derivatives over them")
        v = w.cell(f"v_{tag}", r.rate * r.answer(G, H), symbol=f"v_{{{mark}}}", label="rate times answer")
        scores = along.scores(self.fit, order, r.number + 1)[entries.models, entries.rows]
        after = w.cell(f"f_{tag}", entries.score + lookup(v, (entries.model - 1) * many + leaf), symbol=f"f_{{{mark}}}",
                       label=f"score after round {r.number + 1}", equals=scores, attribute="scores of the models",
                       tolerance=SINGLE, scale=float(np.abs(scores).max()) + r.fit.rate)  # fmt: skip
        entries.score, entries.slopes = after, None

    def forget(self, but: int = -1) -> None:
        """Scores are of no use once a round is passed over; those of one order may be followed."""
        for order, entries in self.known.items():
            if order != but:
                entries.score, entries.slopes = None, None


def own_slopes(r: Round, prefixes: Prefixes) -> tuple[Cell, Expr]:
    """The slopes of the rows from models that have not seen them: by these the tree is sought."""
    along, w = r.fit.along, r.w
    assert along is not None
    order, n = along.which(r.number), len(r.axis)
    text = "First and second derivative at the score of the model that does not know the row: the tests are sought by"
    title = f"Round {r.number + 1}: slopes of rows not seen"
    if n > MOST_ROWS:
        w.note(f"Of more than {MOST_ROWS} rows the scores by models that have not seen them are given.")
        w.step(title, f"{text} them.", turn=r.number + 1)
        score = w.given(f"own{r.tag()}", r.fit.own_scores(r.number)[:, 0], r.axis, symbol=r.mark("o"),
                        label="score by the model that does not know the row")  # fmt: skip

        def cell(name: str, source: Expr, letter: str, text: str) -> Cell:
            return w.cell(f"own_{name}{r.tag()}", source, symbol=rf"\tilde{{{letter}}}_{{{r.number + 1}}}", label=text)

        above, h = r.smooth(score, r.y, cell)
        first = cell("g", above, "g", "first derivative, row not seen")
        return first, h if not h.axes else cell("h", r.least(h), "h", "second derivative")
    w.step(f"Round {r.number + 1}: models along order {order + 1}",
           "A model knows the first 0, 1, 2, 4, ... rows of the order, and judges as many rows behind them.",
           turn=r.number + 1)  # fmt: skip
    g, h = prefixes.slopes(r, order)
    w.step(title, f"{text} them.", turn=r.number + 1)
    at = w.given(f"entry{r.tag()}", prefixes.known[order].at + 1.0, r.axis, symbol=r.mark("e"),
                 label=f"entry of order {order + 1} in which the row is judged")  # fmt: skip
    want = r.fit.slopes(r.fit.own_scores(r.number))
    weight = 1.0 if r.fit.weight is None else r.fit.weight
    style: dict[str, Any] = {"tolerance": SINGLE, "attribute": "ordered slopes"}
    first = w.cell(f"own_g{r.tag()}", lookup(g, at), symbol=rf"\tilde{{g}}_{{{r.number + 1}}}",
                   label="first derivative, row not seen", equals=want[0][:, 0] / weight,
                   scale=float(np.abs(want[0]).max()), **style)  # fmt: skip
    if not isinstance(h, Cell):
        return first, expr(1)
    second = w.cell(f"own_h{r.tag()}", lookup(h, at), symbol=rf"\tilde{{h}}_{{{r.number + 1}}}",
                    label="second derivative, row not seen", equals=want[1][:, 0] / weight, **style)  # fmt: skip
    return first, second
