"""How the key figures of `pellucid.stats` come about."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr, Reduce, expr
from pellucid.working.language import (
    arg_max,
    count,
    equal,
    exp,
    floor,
    lookup,
    max_,
    min_,
    normal_below,
    normal_quantile,
    nth_smallest,
    pi,
    sqrt,
    student_critical,
    sum_,
    where,
)
from pellucid.working.matrix import Grid
from pellucid.working.model import Working
from pellucid.working.shown import _bayes_theorem, _growth, _odds

MORE = (_bayes_theorem, _growth, _odds)  # registers its workings when it is imported


def _sample(w: Working, x: ArrayLike, name: str = "x") -> Cell:
    """The values, as a step of their own or beside the other sample's."""
    values = np.asarray(x)
    values = values.astype(np.float64) if values.dtype.kind in "biuf" else values
    known = [cell for cell in w.cells.values() if isinstance(cell, Cell) and cell.axis is not None]
    if not known:
        w.step("Data", "The values, one a row.")
    axis = known[0].axis if known else Axis("row", range(1, len(values) + 1))
    return w.given(name, values, axis, symbol=name, label="value" if name == "x" and not known else "")


def _mean(w: Working, x: Cell, equals: Any = None, attribute: str = "") -> Cell:
    name = x.name
    w.step(f"Mean of {name}", "The sum of the values over their number.")
    subtotal = w.cell(f"sum_{name}", sum_(x), symbol=rf"T_{name}", label="sum")
    n = w.cell(f"n_{name}", count(x), symbol="n", label="number of values")
    key = "mean" if equals is not None else f"mean_{name}"
    return w.cell(key, subtotal / n, symbol=rf"\bar{{{name}}}", label="mean", equals=equals, attribute=attribute)


@shows("stats.mean")
def mean(w: Working, result: float, x: ArrayLike) -> None:
    w.intro = "The center of gravity of the values."
    _mean(w, _sample(w, x), result, "mean(x)")


@shows("stats.mode")
def mode(w: Working, result: Any, x: ArrayLike) -> None:
    w.intro = "The most frequent value; of equally frequent ones the first in order."
    values = _sample(w, x)
    distinct = np.unique(np.asarray(x))
    w.step("Counts", "How often each value occurs.")
    axis = Axis("value", [str(value) for value in distinct.tolist()], "k", "K")
    numbers = distinct.astype(np.float64) if distinct.dtype.kind in "biuf" else distinct
    v = w.given("v", numbers, axis, symbol="v", label="value")
    assert values.axis is not None
    often = w.cell("count", sum_(where(equal(values, v), 1, 0), values.axis), symbol="c", label="how often")
    w.step("Mode", "The first value that occurs most often.")
    place = w.cell("place", arg_max(often), symbol="m", label="its place in the list")
    w.cell("mode", lookup(v, place), symbol=r"\text{mode}", label="mode", equals=result, attribute="mode(x)")


# ------------------------------------------------------------------------------------------------------------ quantiles


def _ordered(w: Working, x: Cell) -> tuple[Cell, Cell]:
    """The values from the smallest to the largest, and their number."""
    assert x.axis is not None
    w.step("In order", "The values from the smallest to the largest.")
    axis = Axis("place", range(1, len(x.axis) + 1), "k", "n")
    k = w.given("k", np.arange(1.0, len(x.axis) + 1), axis, symbol="k", label="place")
    ordered = w.cell("ordered", nth_smallest(x, k), symbol="s", label="value at place k")
    return ordered, w.cell("n", count(x), symbol="n", label="number of values")


def _median_of(ordered: Cell, first: int, last: int, n: Expr | None = None) -> Expr:
    """Of the ordered values from place first to place last: the middle one, or the mean of the two middle ones."""
    size = last - first + 1
    if n is not None:
        middle = (n + 1) / 2 if size % 2 else n / 2
        return lookup(ordered, middle) if size % 2 else (lookup(ordered, middle) + lookup(ordered, middle + 1)) / 2
    place = first + (size - 1) // 2
    below = lookup(ordered, expr(place))
    return below if size % 2 else (below + lookup(ordered, expr(place + 1))) / 2


@shows("stats.median")
def median(w: Working, result: float, x: ArrayLike) -> None:
    w.intro = "The middle of the ordered values; of an even number the mean of the two in the middle."
    values = _sample(w, x)
    ordered, n = _ordered(w, values)
    w.step("Middle", "Half of the values lie below, half above.")
    formula = _median_of(ordered, 1, len(ordered.stored), n)
    w.cell("median", formula, symbol=r"\text{median}", label="median", equals=result, attribute="median(x)")


def _quartiles(w: Working, x: Cell, method: str, wanted: dict[str, float]) -> dict[str, Cell]:
    """The three quartiles by one of the rules; `wanted` says which name each has in the result."""
    return quartiles_of(w, *_ordered(w, x), method, wanted)


def quartiles_of(
    w: Working, ordered: Cell, n: Cell, method: str, wanted: dict[str, float], tag: str = "", place: str = ""
) -> dict[str, Cell]:
    """The three quartiles of ordered values by one of the rules.

    wanted : the result; place : the attribute that holds it; tag : what the names of the cells end in
    """
    size = len(ordered.stored)
    found: dict[str, Cell] = {}
    labels = {
        "lower": (0.25, "Q_1", "lower quartile"),
        "median": (0.5, "Q_2", "median"),
        "upper": (0.75, "Q_3", "upper quartile"),
    }
    if method == "linear":
        w.step(
            f"Quartiles{tag and ', linear'}",
            "Along the ordered values to a quarter, a half and three quarters of the way.",
        )
    else:
        kept = "in both halves" if method == "halves_with_median" else "in neither half"
        half, words = _half(size, method), method.replace("_", " ")
        places = f"places 1 to {half} and {size - half + 1} to {size}" if half > 1 else f"places 1 and {size}"
        told = f"; a middle value is {kept}" if size % 2 else ""
        w.step(
            f"Quartiles{tag and f', by {words}'}",
            f"Medians of the lower half, of all, and of the upper half ({places}){told}.",
        )
    for name, (share, mark, label) in labels.items():
        if method == "linear":
            formula = _interpolated(w, ordered, n, share, mark, size)
        else:
            half = _half(size, method)
            first, last = {"lower": (1, half), "median": (1, size), "upper": (size - half + 1, size)}[name]
            formula = _median_of(ordered, first, last)
        found[name] = w.cell(
            f"{name}{tag}", formula, symbol=mark, label=label, equals=wanted[name], attribute=f"{place}{name}"
        )
    return found


def _half(size: int, method: str) -> int:
    return max(size // 2 if method == "halves" else (size + 1) // 2, 1)


def _interpolated(w: Working, ordered: Cell, n: Cell, share: float, mark: str, size: int) -> Expr:
    """The value at place ``1 + (n - 1) p``, between its two neighbors in proportion."""
    tag = mark[-1]
    h = w.cell(f"h_{tag}", 1 + (n - 1) * share, symbol=f"h_{tag}", label=f"place for {share:g}")
    below = w.cell(f"k_{tag}", floor(h), symbol=f"k_{tag}", label="whole places")
    if size == 1:
        return lookup(ordered, below)
    lower, upper = lookup(ordered, below), lookup(ordered, below + 1)
    return lower + (h - below) * (upper - lower)


@shows("stats.quartiles")
def quartiles(w: Working, result: Any, x: ArrayLike, method: str = "linear") -> None:
    w.intro = "The three values that cut the ordered values into quarters."
    _quartiles(w, _sample(w, x), method, result._asdict())


@shows("stats.five_number_summary")
def five_number_summary(w: Working, result: Any, x: ArrayLike, method: str = "linear") -> None:
    w.intro = "What a box plot draws: the ends, the quartiles and the median."
    values = _sample(w, x)
    wanted = {"lower": result.lower_quartile, "median": result.median, "upper": result.upper_quartile}
    _quartiles(w, values, method, wanted)
    w.step("Ends", "The smallest and the largest value.")
    w.cell("minimum", min_(values), symbol=r"\text{min}", label="smallest", equals=result.minimum, attribute="minimum")
    w.cell("maximum", max_(values), symbol=r"\text{max}", label="largest", equals=result.maximum, attribute="maximum")


@shows("stats.tukey_fences")
def tukey_fences(w: Working, result: Any, x: ArrayLike, factor: float = 1.5, method: str = "linear") -> None:
    w.intro = "Limits beyond which a box plot shows a value as a single point."
    values = _sample(w, x)
    from pellucid.stats import quartiles as figures

    found = _quartiles(w, values, method, figures(x, method)._asdict())  # type: ignore[arg-type]
    fences(w, found["lower"], found["upper"], factor, result)


def fences(w: Working, lower: Cell, upper: Cell, factor: float, result: Any) -> tuple[Cell, Cell]:
    """From the quartiles to the limits, which must equal ``result`` where there is one."""
    w.step("Fences", "So many times the distance between the quartiles beyond them.")
    f = w.given("factor", factor, symbol="f", label="factor")
    size = abs(lower.value) + abs(upper.value)

    def cell(name: str, formula: Expr, symbol: str, label: str) -> Cell:
        wanted = None if result is None else getattr(result, name)
        return w.cell(name, formula, symbol=symbol, label=label, equals=wanted, attribute=name, scale=size)

    iqr = cell("interquartile_range", upper - lower, r"\text{IQR}", "distance between the quartiles")
    return cell("low", lower - f * iqr, "L", "lower fence"), cell("high", upper + f * iqr, "U", "upper fence")


# --------------------------------------------------------------------------------------------------------------- spread


def _deviations(w: Working, x: Cell, mean: Cell) -> Cell:
    return w.cell(f"d_{x.name}", x - mean, symbol=rf"d_{x.name}", label=f"distance of {x.name} from its mean")


def _variance(w: Working, x: Cell, ddof: int, key: str = "variance") -> Cell:
    mean = _mean(w, x)
    w.step(f"Variance of {x.name}", _divisor(ddof))
    apart = _deviations(w, x, mean)
    square = w.cell(f"square_{x.name}", apart**2, symbol=rf"q_{x.name}", label="squared distance")
    subtotal = w.cell(f"S_{x.name}{x.name}", sum_(square), symbol=f"S_{{{x.name * 2}}}", label="sum of the squares")
    return w.cell(
        key,
        subtotal / _degrees(count(x), ddof),
        symbol=r"s^2" if key == "variance" else rf"v_{x.name}",
        label="variance",
    )


def _degrees(n: Expr, ddof: int) -> Expr:
    return n - ddof if ddof else n


def _divisor(ddof: int) -> str:
    if ddof == 0:
        return "The mean of the squared distances from the mean: the whole population is known."
    return f"The squared distances from the mean over n − {ddof}, because the mean itself was taken from the values."


@shows("stats.variance")
def variance(w: Working, result: float, x: ArrayLike, ddof: int = 1) -> None:
    w.intro = "How far the values scatter about their mean, squared."
    w.check(_variance(w, _sample(w, x), ddof), result, "variance(x)")


@shows("stats.standard_deviation")
def standard_deviation(w: Working, result: float, x: ArrayLike, ddof: int = 1) -> None:
    w.intro = "A typical distance from the mean, in the unit of the values."
    square = _variance(w, _sample(w, x), ddof)
    w.step("Standard deviation", "The root brings back the unit of the values.")
    w.cell(
        "standard_deviation", sqrt(square), symbol="s", label="standard deviation", equals=result,
        attribute="standard_deviation(x)",
    )  # fmt: skip


def _pair(w: Working, x: ArrayLike, y: ArrayLike) -> tuple[Cell, Cell]:
    """Both samples in one table, their means, distances and products."""
    first = _sample(w, x)
    return first, _sample(w, y, "y")


def _sums(w: Working, x: Cell, y: Cell) -> tuple[Cell, Cell, Cell, Cell, Cell]:
    means = _mean(w, x), _mean(w, y)
    w.step("Distances and products", "How far each pair lies from the means, and the products.")
    dx, dy = _deviations(w, x, means[0]), _deviations(w, y, means[1])
    return dx, dy, w.cell("product", dx * dy, symbol="p", label="product"), *means


@shows("stats.covariance")
def covariance(w: Working, result: float, x: ArrayLike, y: ArrayLike, ddof: int = 1) -> None:
    w.intro = "Positive where large x go with large y, negative where they go with small y."
    *_, product, _, _ = _sums(w, *_pair(w, x, y))
    w.step("Covariance", _divisor(ddof).replace("squared distances from the mean", "products"))
    subtotal = w.cell("S_xy", sum_(product), symbol="S_{xy}", label="sum of the products")
    scale = float(np.std(np.asarray(x, float)) * np.std(np.asarray(y, float)))
    w.cell(
        "covariance", subtotal / _degrees(count(product), ddof), symbol=r"\text{cov}", label="covariance",
        equals=result, attribute="covariance(x, y)", scale=scale,
    )  # fmt: skip


@shows("stats.correlation")
def correlation(w: Working, result: float, x: ArrayLike, y: ArrayLike) -> None:
    w.intro = "From −1 (falling line) over 0 (no linear relation) to 1 (rising line); free of units."
    dx, dy, product, _, _ = _sums(w, *_pair(w, x, y))
    w.step("Sums", "Products and squares of the distances, added up.")
    sxy = w.cell("S_xy", sum_(product), symbol="S_{xy}", label="sum of the products")
    sxx = w.cell("S_xx", sum_(dx**2), symbol="S_{xx}", label="sum of squares of x")
    syy = w.cell("S_yy", sum_(dy**2), symbol="S_{yy}", label="sum of squares of y")
    w.step("Correlation", "The products, measured against the spreads of both.")
    w.cell(
        "correlation", sxy / sqrt(sxx * syy), symbol="r", label="correlation", equals=result,
        attribute="correlation(x, y)", scale=1.0,
    )  # fmt: skip


@shows("stats.covariance_matrix")
def covariance_matrix(w: Working, result: Any, X: ArrayLike, ddof: int = 1) -> None:
    w.intro = "The covariance of every column with every other; on the diagonal the variances."
    values = np.asarray(X, dtype=np.float64)
    rows, names = Axis("row", range(1, len(values) + 1)), [f"x{j + 1}" for j in range(values.shape[1])]
    w.step("Data", "One column a variable.")
    block = w.block("X", values, rows, Axis("column", names, "j", "p"), symbol="X")
    columns = [block.column(j, f"x_{{{j + 1}}}") for j in range(len(names))]
    w.step("Means", "The center of each column.")
    means = [
        w.cell(f"mean_{j + 1}", Reduce("mean", c), symbol=rf"\bar{{x}}_{{{j + 1}}}") for j, c in enumerate(columns)
    ]
    w.step("Distances", "Each value less the mean of its column.")
    apart = [
        w.cell(f"d_{j + 1}", column - mean, symbol=f"d_{{{j + 1}}}")
        for j, (column, mean) in enumerate(zip(columns, means, strict=True))
    ]
    w.step("Covariances", _divisor(ddof).replace("squared distances from the mean", "products of distances"))
    entries = [[sum_(a * b) / _degrees(count(a), ddof) for b in apart] for a in apart]
    axis = Axis("column", names, "j", "p")
    w.block("C", Grid(entries, axis, axis), symbol="C", equals=result, attribute="covariance_matrix(X)")


# -------------------------------------------------------------------------------------------------------- distributions


@shows("stats.student_t_critical")
def student_t_critical(w: Working, result: Any, df: ArrayLike, alpha: float = 0.05) -> None:
    w.intro = "How many standard errors to go each way so that the chance of missing is alpha."
    degrees = np.atleast_1d(np.asarray(df, dtype=np.float64))
    w.step("Given", "Degrees of freedom and the chance of missing.")
    a = w.given("alpha", float(alpha), symbol=r"\alpha", label="chance of missing")
    finite = degrees[np.isfinite(degrees)]
    wanted = np.atleast_1d(np.asarray(result, dtype=np.float64))
    if len(finite):
        axis = Axis("case", range(1, len(finite) + 1))
        nu = w.given("df", finite, axis, symbol=r"\nu", label="degrees of freedom")
        w.step(
            "Critical value", "The quantile of Student's distribution that leaves alpha / 2 beyond it on either side."
        )
        w.cell(
            "critical", student_critical(a, nu), symbol="t", label="critical value", tolerance=1e-8,
            equals=wanted[np.isfinite(degrees)], attribute="student_t_critical(df, alpha)",
        )  # fmt: skip
    if len(finite) < len(degrees):
        w.step("Without limit", "With ever more degrees of freedom it becomes the quantile of the normal distribution.")
        w.cell(
            "limit", normal_quantile(1 - a / 2), symbol=r"t_{∞}", label="limit", tolerance=1e-8,
            equals=wanted[~np.isfinite(degrees)][0], attribute="student_t_critical(inf, alpha)",
        )  # fmt: skip


@shows("stats.normal_density")
def normal_density(w: Working, result: Any, x: ArrayLike, mean: float = 0.0, standard_deviation: float = 1.0) -> None:
    w.intro = "The bell curve: how dense values are near x. It is a density, not a probability."
    values = np.atleast_1d(np.asarray(x, dtype=np.float64))
    w.step("Given", "Where the curve is read, its center and its width.")
    at = w.given("x", values, Axis("row", range(1, len(values) + 1)), symbol="x", label="value")
    m = w.given("mean", float(mean), symbol=r"\mu", label="mean")
    s = w.given("sd", float(standard_deviation), symbol=r"\sigma", label="standard deviation")
    w.step("Density", "The distance in standard deviations, squared and halved, as a negative power of e.")
    z = w.cell("z", (at - m) / s, symbol="z", label="distance in standard deviations")
    w.cell(
        "density", exp(-(z**2) / 2) / (sqrt(2 * pi()) * s), symbol="f", label="density", equals=np.atleast_1d(result),
        attribute="normal_density(x)",
    )  # fmt: skip


@shows("stats.normal_probability")
def normal_probability(
    w: Working, result: Any, low: float, high: float, mean: float = 0.0, standard_deviation: float = 1.0
) -> None:
    w.intro = "The share of a normal population that lies between two limits."
    w.step("Given", "The limits, the center and the width.")
    m = w.given("mean", float(mean), symbol=r"\mu", label="mean")
    s = w.given("sd", float(standard_deviation), symbol=r"\sigma", label="standard deviation")
    w.step("Below each limit", "Each limit in standard deviations, and the share of the population below it.")
    below: list[Expr] = []
    for name, limit, none in (("low", low, 0.0), ("high", high, 1.0)):
        if np.isinf(limit):
            below.append(w.given(f"below_{name}", none, symbol=rf"P_{{{name}}}", label="beyond every value"))
            continue
        edge = w.given(name, float(limit), symbol="a" if name == "low" else "b", label="limit")
        z = w.cell(f"z_{name}", (edge - m) / s, symbol=rf"z_{{{name}}}", label="in standard deviations")
        below.append(w.cell(f"below_{name}", normal_below(z), symbol=rf"P_{{{name}}}", label="share below"))
    w.step("Between", "The one share less the other.")
    w.cell(
        "probability", below[1] - below[0], symbol="P", label="share between", equals=result,
        attribute="normal_probability(low, high)", scale=1.0, tolerance=1e-12,
    )  # fmt: skip
