"""Which products of columns there are, and each of them with a row's own numbers."""

from __future__ import annotations

from functools import reduce
from itertools import groupby, islice
from operator import add, mul
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import previous, sum_, where
from pellucid.working.model import Working

MOST_TERMS = 40
MOST_COLUMNS = 12
MOST_DEGREES = 400


@shows("PolynomialFeatures.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    terms = model._terms_
    w.title = "Polynomial terms"
    w.intro = "Every product of columns up to a degree becomes a column. A fit looks at the number of columns only."
    w.step("Columns", "How many columns there are, and how many may be multiplied.")
    n = w.given("columns", float(terms.columns), symbol="n", label="columns")
    low = w.given("lowest", float(max(terms.low, 1)), symbol="l", label="lowest degree")
    high = min(terms.high, terms.columns) if terms.distinct else terms.high
    w.given("highest", float(high), symbol="d", label="highest degree")
    ones_column = w.given("ones", float(terms.ones), symbol="b", label="1 for a column of ones, else 0")
    if 0 < high <= MOST_DEGREES:
        _count(w, model, n, low, ones_column, high)
    else:
        w.note("The count by degree is left out: there is no degree, or there are too many.")
    _list(w, model, data)


def _count(w: Working, model: Any, n: Cell, low: Cell, ones_column: Cell, high: int) -> None:
    how = "no column twice" if model._terms_.distinct else "a column may come again"
    w.step("How many", f"Products of k columns, {how}: from those of one column less.")
    axis = Axis("degree", range(1, high + 1), "k", "d")
    k = w.given("degree", np.arange(1.0, high + 1), axis, symbol="k", label="degree")
    m = w.recurring("products", axis, 1, symbol="m", label="products of this degree")
    w.becomes(m, previous(m) * (n - k + 1) / k if model._terms_.distinct else previous(m) * (n + k - 1) / k)
    w.run(axis)
    w.step("Columns that come out", "All products from the lowest degree on, and the column of ones.")
    formula = ones_column + sum_(where(k >= low, m, 0))
    w.cell(
        "count", formula, symbol="N", label="columns of the result", equals=float(model.n_output_features_),
        attribute="n_output_features_",
    )  # fmt: skip


def _list(w: Working, model: Any, data: Given) -> None:
    """Each product with the exponent of every column."""
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The table of exponents is left out: {len(data.names)} columns are too many for a page.")
        w.step("Names of the columns", "As the table has them.")
        w.given("name", np.array(data.names, dtype=object), data.column_axis, symbol=r"\text{name}", label="name")
        return
    listed = list(islice(model._terms_.products(), MOST_TERMS))
    left_out = model.n_output_features_ - len(listed)
    if left_out:
        w.note(f"The last {left_out:,} products are not shown.")
    w.step("Products", "By degree, then in the order of the columns: the exponent of each column.")
    axis = Axis("product", [_name(product, data.names) for product in listed], "i", "N")
    powers = [[product.count(j) for j in range(len(data.names))] for product in listed]
    P = w.block("powers", np.array(powers, dtype=np.float64), axis, data.column_axis, symbol="P", label="exponents")
    if not left_out:
        w.check(P, model.powers_, "powers_")
    exponents: list[Expr] = [P.column(j, f"p_{{{j + 1}}}") for j in range(len(data.names))]
    w.cell("sum", reduce(add, exponents), symbol="s", label="degree: the sum of the exponents")


def _name(product: tuple[int, ...], names: list[str]) -> str:
    powers = [(names[j], len(list(same))) for j, same in groupby(product)]
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in powers) or "1"


@shows("PolynomialFeatures.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Polynomial terms of each row"
    w.intro = "Each new column is a product of the row's own numbers."
    transformed = model.transform(data.table)
    transformed = np.asarray(transformed.toarray() if hasattr(transformed, "toarray") else transformed)
    listed = list(islice(model._terms_.products(), MOST_TERMS))
    if len(listed) < model.n_output_features_:
        w.note(f"The last {model.n_output_features_ - len(listed):,} columns are not shown.")
    used = sorted({j for product in listed for j in product})
    w.step("Data", "The columns of the table." if used else "The columns of the table are not looked at.")
    single_column = len(data.names) == 1
    x = {
        j: w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol="x" if single_column else f"x_{{{j + 1}}}",
                   label=data.names[j])
        for j in used
    }  # fmt: skip
    rounding = 16 * float(np.finfo(transformed.dtype).eps) * max(model._terms_.high, 1)
    for degree, products in groupby(enumerate(listed), lambda item: len(item[1])):
        w.step(f"Degree {degree}", _SENTENCES[min(degree, 2)])
        for i, product in products:
            _product(w, i, product, x, data, transformed[:, i], rounding)


_SENTENCES = ("A column of ones.", "The columns themselves.", "Products of the row's numbers.")


def _product(
    w: Working, i: int, product: tuple[int, ...], x: dict[int, Cell], data: Given, expected: Any, rounding: float
) -> None:
    name, symbol, label = f"z_{i + 1}", f"z_{{{i + 1}}}", _name(product, data.names)
    if not product:
        w.given(name, np.ones(len(data.row_axis)), data.row_axis, symbol=symbol, label="always 1")
        return
    powers = [(x[j], len(list(same))) for j, same in groupby(product)]
    factors: list[Expr] = [column if power == 1 else column**power for column, power in powers]
    w.cell(
        name, reduce(mul, factors), symbol=symbol, label=label, equals=expected, attribute="transform(X)",
        tolerance=max(rounding, 1e-9),
    )  # fmt: skip
