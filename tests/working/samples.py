"""Workings to be written out: of models, of every part of the language, and of random expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import stats
from pellucid.linear_model import GradientDescentRegressor, LinearRegression
from pellucid.working import (
    Axis,
    Block,
    Cell,
    Expr,
    Grid,
    Inverse,
    Stack,
    Vector,
    Window,
    Working,
    absolute,
    angle,
    arg_max,
    arg_min,
    chi_squared_tail,
    cos,
    count,
    dot,
    equal,
    exp,
    f_tail,
    floor,
    ln,
    log,
    lookup,
    max_,
    mean,
    median,
    min_,
    mode,
    normal_below,
    normal_quantile,
    nth_smallest,
    pi,
    previous,
    rank,
    rounded,
    show,
    sign,
    sin,
    smallest,
    sqrt,
    standard_deviation,
    student_critical,
    student_tail,
    sum_,
    tanh,
    where,
)
from pellucid.working.expression import Constant, Reduce

ONE_COLUMN = np.array([[1.0], [2], [4], [3], [5]]), np.array([1.0, 3, 3, 2, 5])
THREE_COLUMNS = (
    np.array([[1.0, 2, 3], [2, 1, 5], [3, 5, 1], [4, 4, 4], [5, 1, 2], [6, 3, 3]]),
    np.array([1.0, 2, 5, 3, 4, 6]),
)
WEIGHTS = np.array([1.0, 2, 1, 0.5, 1, 3])


def fitted(solver: str, X: Any, y: Any, weight: Any = None, **params: Any) -> Working:
    return LinearRegression(solver=solver, **params).fit(X, y, weight).show_fit(X, y, weight)


def summary(X: Any, y: Any, weight: Any = None) -> Working:
    return LinearRegression().fit(X, y, weight).show_summary(X, y, weight)


MODELS = [
    "simple", "correlation", "through the origin", "predict", "summary", "summary, weights", "positive", "batches",
    "quartiles", "most frequent", "normal", "qr", "svd", "lsqr",
    *(f"{solver}, weights, no intercept" for solver in ("normal", "qr", "svd", "lsqr")),
]  # fmt: skip


def models() -> dict[str, Working]:
    X, y = THREE_COLUMNS
    positive = LinearRegression(positive=True)
    found = {
        "simple": fitted("auto", *ONE_COLUMN),
        "correlation": fitted("correlation", *ONE_COLUMN),
        "through the origin": fitted("auto", *ONE_COLUMN, fit_intercept=False),
        "predict": LinearRegression().fit(X, y).show_predict(X),
        "summary": summary(*ONE_COLUMN),
        "summary, weights": summary(X, y, WEIGHTS),
        "batches": GradientDescentRegressor(max_iter=4, tol=None, batch_size=4).fit(X, y).show_fit(X, y),
        "quartiles": show(stats.five_number_summary, X[:, 2]),
        "most frequent": show(stats.mode, X[:, 2]),
        "positive": positive.fit(X, y).show_fit(X, y),
    }
    for solver in ("normal", "qr", "svd", "lsqr"):
        found[solver] = fitted(solver, X, y)
        found[f"{solver}, weights, no intercept"] = fitted(solver, X, y, WEIGHTS, fit_intercept=False)
    assert found.keys() == set(MODELS)
    return found


def descent(x: np.ndarray, y: np.ndarray) -> Working:
    """Gradient descent for a line: each pass follows from the one before and sums over the rows."""
    w = Working("Gradient descent")
    rows, passes = w.axis("row", len(x)), w.axis("pass", 6, "t", "T", raised=True)
    w.step("Data")
    X, Y = w.given("x", x, rows, symbol="x"), w.given("y", y, rows, symbol="y")
    rate = w.given("rate", 0.02, symbol=r"\eta")
    start = w.given("start", 0.25, symbol="s")
    w.step("Passes", "Each pass goes a little downhill.")
    b = w.recurring("b", passes, start, symbol="b")
    m = w.recurring("m", passes, 0, symbol="m")
    gradient = w.becomes("gb", sum_(previous(b) + previous(m) * X - Y, rows), axis=passes, symbol="g")
    slope = w.becomes("gm", sum_((previous(b) + previous(m) * X - Y) * X, rows), axis=passes, symbol="h")
    w.becomes(b, previous(b) - rate * gradient)
    w.becomes(m, previous(m) - rate * slope)
    w.becomes("hinge", sum_(where(m * X > Y, m * X - Y, 0), rows), axis=passes, symbol="k")
    w.run(passes)
    w.step("Way")
    w.cell("way", sum_(absolute(b - previous(b))), symbol="W")
    return w


# --------------------------------------------------------------------------------------------------------- the language


def language() -> Working:
    """One cell, at least, for every function, reduction and kind of node."""
    w = Working("The language", "Every part of it once.")
    rows = w.axis("row", ["=a", "+b", "@c", "d'e", "f"])
    w.step("Given: *?/\\[]", "With names that a spreadsheet could take for something else.")
    a, b, c = (w.given(name, value, label=f"={name}") for name, value in (("a", 2.5), ("b", -1.25), ("c", 3.0)))
    x = w.given("x", [3.0, -1.5, 4.25, 0.5, 4.25], rows, symbol="x")
    z = w.given("z", [1.0, 2.0, 2.0, 5.0, 1.0], rows, symbol="z")
    word = w.given("word", ["yes", "no", "Yes", "yes", "=1+1"], rows, symbol="d")
    flag = w.given("flag", [True, False, True, True, False], rows, symbol="f")
    lone_word, lone_flag = w.given("lone_word", 'say "no"'), w.given("lone_flag", True)
    w.step("Functions")
    for name, tree in _functions(a, b, c).items():
        w.cell(name, tree)
    w.step("Columns")
    for name, tree in _columns(a, x, z, word, flag).items():
        w.cell(f"column: {name}", tree)
    w.step("Reductions")
    for name, tree in _reductions(a, b, x, z, word, flag, lone_word, lone_flag).items():
        w.cell(f"of a column: {name}", tree)
    _matrices(w, rows, a, x, z)
    _two_axes(w, x)
    return w


def _functions(a: Cell, b: Cell, c: Cell) -> dict[str, Expr]:
    return {
        "sum": a + b, "difference": a - b, "product": a * b, "quotient": a / b, "power": a**c, "negative": -a,
        "root": sqrt(a), "size": absolute(b), "sign": sign(b), "exp": exp(b), "ln": ln(a), "log": log(a),
        "log2": log(a, 2), "tanh": tanh(b), "angle": angle(b, a), "no angle": angle(a * 0, b * 0),
        "pi": pi() * a, "normal": normal_below(b),
        "critical": student_critical(0.05, c), "critical between": student_critical(0.05, a),
        "tail": student_tail(b, c), "tail between": student_tail(b, a), "less": a < b, "at most": a <= 2.5,
        "more": a > b, "at least": b >= a, "same": equal(a, 2.5), "other": equal(a, b), "if": where(a > b, a, b),
        "flag in a product": (a > b) * 3, "flag against number": equal(a > b, 1), "minus a square": -(a**2),
        "square of minus": (-a) ** 2, "square of minus b": b**2, "minus minus": a - -b, "minus constant": a * -2,
        "negative power": a**-2, "constant power": expr(-2) ** 2, "tower": expr(2) ** (expr(3) ** 2),
        "tower left": (expr(2) ** 3) ** 2, "a-(b-c)": a - (b - c), "a-b-c": a - b - c, "a/(b/c)": a / (b / c),
        "a/(b*c)": a / (b * c), "a/b/c": a / b / c, "a*(b+c)": a * (b + c), "-(a+b)": -(a + b), "a-(b+c)": a - (b + c),
        "(a<b)<c": where((a < b) < c, 1, 2), "a^(b+c)": a ** (b + c), "dot": dot([a, b, 2], [c, a - b, -a]),
        "dot in a product": 2 * dot([a, b], [c, a]), "floor": floor(b), "rounded": rounded(a * pi(), 2),
        "quantile": normal_quantile(a / 4), "sin": sin(b), "cos": cos(a), "chi-squared": chi_squared_tail(a, c),
        "F": f_tail(a, c, 7), "smallest": smallest(a, b, c),
        "minus dot": a - dot([a, b], [c, a]), "long": a * 1e-7 + 1.5e20 * b,
    }  # fmt: skip


def expr(value: float) -> Expr:
    return Constant(value)


def _columns(a: Cell, x: Cell, z: Cell, word: Cell, flag: Cell) -> dict[str, Expr]:
    return {
        "shifted": x - mean(x), "scaled": (x - mean(x)) / standard_deviation(x), "rank": rank(x),
        "looked up": lookup(x, z), "where": where(x > a, x, -x), "word": where(equal(word, "yes"), "is", "is not"),
        "same word": equal(word, "yes"), "above": x > mean(x), "flagged": flag * x, "share": exp(x) / sum_(exp(x)),
        "constant": x * 0 + 2, "nth": nth_smallest(x, z),
    }  # fmt: skip


def _reductions(
    a: Cell, b: Cell, x: Cell, z: Cell, word: Cell, flag: Cell, lone_word: Cell, lone_flag: Cell
) -> dict[str, Expr]:
    return {
        "sum": sum_(x), "of products": sum_(x * z), "of three": sum_(x * z * x), "of squares": sum_(x**2),
        "of scaled squares": sum_(a * x**2), "of squares of sums": sum_((x - a) ** 2), "weighted": sum_(a * x * z),
        "of a constant": sum_(a, x.axis), "of a constant square": sum_(a**2, x.axis),
        "of a number": sum_(3, x.axis), "of if": sum_(where(x > a, x, 0)), "of flags": sum_(flag),
        "of comparisons": sum_(x > a), "of words": sum_(equal(word, "yes")),
        "of words times": sum_(equal(word, "yes") * x), "of roots": sum_(sqrt(z)),
        "of looked up": sum_(lookup(x, z)), "of ranks": sum_(rank(x) * z),
        "of deviations": sum_((x - mean(x)) ** 2), "of inner": sum_((x - mean(x - z)) ** 2),
        "of dot": sum_(dot([a, b], [x, z])), "of tails": sum_(student_tail(x, 4)), "mean": mean(x),
        "mean of squares": mean(x**2), "mean of flags": mean(flag), "mean of if": mean(where(x > a, 1, 0)),
        "count": count(x), "count of more": count(x + z), "least": min_(x), "least of more": min_(x * z),
        "greatest": max_(x), "greatest size": max_(absolute(x - a)), "sd": standard_deviation(x),
        "sd of more": standard_deviation(x - z), "variance": Reduce("variance", x), "median": median(x),
        "median of more": median(x * z), "argmax": arg_max(x), "argmin": arg_min(x), "argmax of more": arg_max(-x),
        "mode": mode(z), "mode of more": mode(z * 2), "mode of words": mode(word), "second": nth_smallest(x, 2),
        "of a sum": nth_smallest(x + z, 3), "first word": lookup(word, arg_max(z)),
        "same word": equal(lone_word, 'say "no"'), "other word": equal(lone_word, 'SAY "NO"'),
        "flag": equal(lone_flag, 1), "sum in product": a * sum_(x) ** 2, "quotient of sums": sum_(x) / sum_(z) / 2,
        "constant sum squared": sum_(a, x.axis) ** 2,
    }  # fmt: skip


def _matrices(w: Working, rows: Axis, a: Cell, x: Cell, z: Cell) -> None:
    w.step("Matrices")
    names = w.axis("column", ["1", "x", "z"], "j", "p")
    A = w.block("A", Stack([1, x, z - mean(z)], rows, names), symbol="A")
    G = w.block("G", A.T @ A, names, names, symbol="G")
    H = w.block("H", Inverse(G), symbol="H")
    w.block("I", H @ G, symbol="I")
    w.block("theta", Inverse(A.T @ A) @ (A.T @ Vector(x)), symbol=r"\theta", label="solution")
    w.block("grid", Grid([[a, G[0, 1] + 1], [H[2, 2], sum_(x)]], *[Axis("", [1, 2])] * 2), symbol="D")
    w.block("single", Grid([[a]], *[Axis("", ["only"])] * 2), symbol="O")
    single = w.cells["single"]
    assert isinstance(single, Block)
    w.block("single inverse", Inverse(single), symbol="o")
    w.cell("entry", (A.T @ A)[1, 1] + G[1, 2])
    w.cell("entry of a stack", Stack([x, z], rows, w.axis("", 2))[3, 0] * 2)
    w.cell("from columns", A.column(1) * 2 - A.column(2))
    w.cell("of a matrix column", sum_(A.column(1) * A.column(2)) + max_(A.column(1)))
    given = w.block("given", np.arange(6.0).reshape(3, 2), names, w.axis("", ["u", "v"]), symbol="B")
    w.cell("beside", given.column(0) + 1)


def _two_axes(w: Working, x: Cell) -> None:
    w.step("Two axes")
    p = w.given("p", [0.5, -2.0, 1.0], w.axis("other", 3, "k", "K"), symbol="p")
    kernel = exp(-((p - x) ** 2))
    w.cell("over the other axis", sum_(kernel, x.axis))
    w.cell("over one, of if", sum_(where(x > p, x, p), x.axis))
    parts = Window(p.axis, [0, 2, 3, 5])
    w.cell("in parts", sum_(x, x.axis, parts))
    w.cell("products in parts", sum_(x * p, x.axis, parts))


# ------------------------------------------------------------------------------------------------------------ at random


def at_random(number: int, seed: int) -> Working:
    """A working of random expressions over numbers and columns of two axes."""
    w, rng = Working("At random"), np.random.default_rng(seed)
    rows = w.axis("row", 5)
    w.step("Given")
    scalars = [w.given(f"s{i}", float(v)) for i, v in enumerate(rng.uniform(-3, 3, 4).round(3))]
    columns = [w.given(f"x{i}", rng.uniform(-3, 3, 5).round(3), rows) for i in range(3)]
    w.step("Expressions")
    made = 0
    while made < number:
        with np.errstate(all="ignore"):
            tree = _tree(rng, scalars, columns, depth=int(rng.integers(2, 6)))
            if _moderate(tree):
                made += 1
                w.cell(f"e{made}", tree)
    return w


def _moderate(tree: Expr) -> bool:
    """No part is infinite: where NumPy goes on, 1/(1/0) = 0, a spreadsheet has an error for good."""
    value = np.asarray(tree.at({}), dtype=np.float64)
    return bool(np.isfinite(value).all() and np.abs(value).max() < 1e6) and all(map(_moderate, tree.children()))


def _tree(rng: np.random.Generator, scalars: list[Cell], columns: list[Cell], depth: int) -> Expr:
    def part() -> Expr:
        return _tree(rng, scalars, columns, depth - 1)

    def pick(choices: list[Any]) -> Any:
        return choices[int(rng.integers(len(choices)))]

    if depth == 0:
        return pick([*scalars, *columns, *columns, Constant(float(rng.integers(-3, 4))), Constant(0.5)])
    made: list[Callable[[], Expr]] = [
        lambda: part() + part(), lambda: part() - part(), lambda: part() - part(), lambda: part() * part(),
        lambda: part() / part(), lambda: part() / part(), lambda: part() ** 2, lambda: part() ** -1,
        lambda: part() ** 3, lambda: -part(), lambda: -part(), lambda: absolute(part()),
        lambda: sqrt(absolute(part())), lambda: tanh(part()), lambda: exp(tanh(part())),
        lambda: ln(absolute(part()) + 1), lambda: where(part() > part(), part(), part()),
        lambda: where(part() <= part(), part(), part()), lambda: dot([part(), part()], [part(), part()]),
        lambda: (part() > part()) * part(), lambda: _reduced(rng, part(), columns),
        lambda: _reduced(rng, part(), columns), lambda: lookup(pick(columns), arg_max(pick(columns))),
    ]  # fmt: skip
    return pick(made)()


def _reduced(rng: np.random.Generator, body: Expr, columns: list[Cell]) -> Expr:
    body = body if body.axes else body * columns[0]
    names = (
        "sum",
        "sum",
        "mean",
        "min",
        "max",
        "median",
        "standard deviation",
        "variance",
        "argmax",
        "argmin",
        "count",
    )
    return Reduce(names[int(rng.integers(len(names)))], body)
