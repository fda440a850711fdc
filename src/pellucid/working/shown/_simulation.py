"""How simulated figures come about: bias, variance and noise adding up; the bootstrap's mean, error and interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr, Window
from pellucid.working.language import (
    count,
    floor,
    lookup,
    mean,
    normal_below,
    normal_quantile,
    nth_smallest,
    standard_deviation,
    sum_,
    where,
)
from pellucid.working.model import Working
from pellucid.working.shown._rows import refuse

MOST_PREDICTIONS = 20_000
MOST_SAMPLES = 20_000


@shows("model_selection.bias_variance")
def bias_variance(
    w: Working,
    result: Any,
    model: Any,
    truth: Callable[[Any], Any],
    X: Any,
    X_test: Any = None,
    *,
    noise: float = 1.0,
    n_sets: int = 200,
    random_state: Any = None,
) -> None:
    name = "bias_variance"
    w.title = "Bias² + variance + noise"
    w.intro = (
        f"The model was fitted to {n_sets} training sets, drawn from a truth that is known. How far off is it on "
        "average, how much does it waver, and what can no model explain?"
    )
    n_points = result.predictions.shape[1]
    if result.predictions.size > MOST_PREDICTIONS:
        actual = f"got {n_sets} sets at {n_points} points"
        refuse(
            name, f"at most {MOST_PREDICTIONS} predictions are shown", actual, "use fewer points or a smaller n_sets"
        )
    table = np.asarray(X if X_test is None else X_test, dtype=np.float64)
    goal = np.asarray(truth(table), dtype=np.float64).ravel()
    points = Axis("point", range(1, n_points + 1), "j", "m")
    every = Axis("prediction", [f"point {j + 1}, set {k + 1}" for j in range(n_points) for k in range(n_sets)])
    window = Window(points, [j * n_sets for j in range(n_points + 1)])
    w.step("Truth", "What is right at each test point, and how far observations scatter about it.")
    sd = w.given("sd", float(noise), symbol=r"\sigma", label="standard deviation of the noise")
    sets = w.given("sets", float(n_sets), symbol="K", label="training sets")
    f = w.given("truth", goal, points, symbol="f", label="truth")
    w.step("Predictions", "Of the model at each test point, fitted to each training set in turn.")
    p = w.given("prediction", result.predictions.T.ravel(), every, symbol="p", label="prediction")
    w.step("Mean prediction", "At each point, over the training sets.")
    m = w.cell("mean", sum_(p, every, window) / sets, symbol="m", label="mean prediction")
    _parts(w, result, (m, f, p, sd, sets), every, window)


def _parts(w: Working, result: Any, cells: tuple[Cell, ...], every: Axis, window: Window) -> None:
    """The three parts at each point and over all points, beside the error that was measured."""
    m, f, p, sd, sets = cells
    size = float(np.abs(result.predictions).max()) ** 2 + float(np.abs(f.value).max()) ** 2
    w.step("Parts of the error", "At each point: the mean's distance from the truth, and the scatter about the mean.")
    columns = []
    for position, (name, formula, mark, label) in enumerate(
        (
            ("bias2", (m - f) ** 2, "b", "bias²"),
            ("variance", sum_((p - m) ** 2, every, window) / sets, "v", "variance"),
        )
    ):
        columns.append(w.cell(name, formula, symbol=mark, label=label, equals=result.by_point[:, position],
                              attribute=f"by_point: {name}", scale=size))  # fmt: skip
    w.step("They add up", "Bias² and variance are together the mean squared distance from the truth.")
    both = w.cell("both", columns[0] + columns[1], symbol="s", label="bias² + variance")
    apart = sum_((p - f) ** 2, every, window) / sets
    w.cell("distance", apart, symbol="q", label="mean squared distance from the truth",
           equals=both.value, attribute="bias² + variance", scale=size)  # fmt: skip
    w.step("Against the error measured", "With the noise added, beside the mean squared error on new observations.")
    sums = w.cell("sum", both + sd**2, symbol="E", label="bias² + variance + noise")
    measured = w.given("measured", result.by_point[:, 3], sums.axis, symbol="M", label="error measured")
    w.step("Over all points", "Each part as its mean: the error to be expected of new observations is their sum.")
    components: list[Expr] = []
    for name, column, label in (("bias2", columns[0], "bias²"), ("variance", columns[1], "variance")):
        components.append(w.cell(f"mean_{name}", mean(column), symbol=rf"\bar{{{column.symbol}}}", label=label,
                            equals=getattr(result, name), attribute=name, scale=size))  # fmt: skip
    components.append(w.cell("noise", sd**2, symbol=r"\sigma^2", label="noise", equals=result.noise, attribute="noise"))
    expected = w.cell(
        "expected", components[0] + components[1] + components[2], symbol=r"\bar{E}", label="bias² + variance + noise"
    )
    error = w.cell("error", mean(measured), symbol=r"\bar{M}", label="error measured", equals=result.error,
                   attribute="error", scale=size)  # fmt: skip
    w.cell("chance", error - expected, symbol="c", label="off by chance")
    w.note(
        "The error measured is that of observations drawn anew for every training set; it differs from the sum by the "
        "chance of that draw, and the less the more sets there are."
    )


# ----------------------------------------------------------------------------------------------------------- bootstrap


@shows("model_selection.bootstrap")
def bootstrap(
    w: Working,
    result: Any,
    statistic: Callable[..., float],
    *data: Any,
    n_resamples: int = 1000,
    level: float = 0.95,
    method: str = "percentile",
    random_state: Any = None,
) -> None:
    w.title = "The bootstrap: how sure a statistic is"
    w.intro = "It was worked out again on samples of the same size, drawn from the rows with replacement."
    if n_resamples > MOST_SAMPLES:
        hint = "use a smaller n_resamples"
        refuse("bootstrap", f"at most {MOST_SAMPLES} samples are shown", f"got {n_resamples}", hint)
    w.step("Samples", "The statistic of the data, and of each sample.")
    estimate = w.given("estimate", float(result.estimate), symbol="T", label="of the data")
    axis = Axis("sample", range(1, len(result.samples) + 1))
    t = w.given("samples", result.samples, axis, symbol="t", label="of the sample")
    size = float(np.abs(result.samples).max())
    w.step("Mean and standard error", "How far the samples' statistics scatter says how far the data's own may be off.")
    m = w.cell("mean", mean(t), symbol=r"\bar{t}", label="mean", equals=result.mean, attribute="mean", scale=size)
    w.cell("standard_error", standard_deviation(t), symbol="s", label="standard error: the samples' spread",
           equals=result.standard_error, attribute="standard_error", scale=size)  # fmt: skip
    w.cell("bias", m - estimate, symbol="b", label="bias", equals=result.bias, attribute="bias", scale=size)
    ends = _ends(w, result, estimate, t, level, method, statistic, data)
    if ends is None:
        return
    for name, formula, mark in (("low", ends[0], "L"), ("high", ends[1], "U")):
        w.cell(name, formula, symbol=mark, label=f"{name} end", equals=getattr(result, name), attribute=name,
               scale=size, tolerance=1e-8)  # fmt: skip


def _ends(
    w: Working, result: Any, estimate: Cell, t: Cell, level: float, method: str, statistic: Any, data: Any
) -> tuple[Expr, Expr] | None:
    """The ends of the interval from the samples in rising order."""
    w.step("In rising order", "The samples' statistics.")
    position_axis = Axis("place", range(1, len(t.value) + 1), "k", "n")
    k = w.given("k", np.arange(1.0, len(t.value) + 1), position_axis, symbol="k", label="place")
    ordered = w.cell("ordered", nth_smallest(t, k), symbol="s", label="statistic at place k")
    w.step("Shares", f"So much of the samples is left out on either side of an interval of {100 * level:g} %.")
    c = w.given("level", float(level), symbol="c", label="level")
    shares = [w.cell("share_low", (1 - c) / 2, symbol="p_L"), w.cell("share_high", (1 + c) / 2, symbol="p_U")]
    if method == "bca":
        shares = _corrected(w, estimate, t, shares, statistic, data)
    w.step("Interval", "The values so far along the ordered samples, between two of them in proportion.")
    n = count(t)
    ends = []
    for share, tag in zip(shares, "LU", strict=True):
        h = w.cell(f"h_{tag}", 1 + (n - 1) * share, symbol=f"h_{tag}", label="place")
        below = w.cell(f"k_{tag}", floor(h), symbol=f"k_{tag}", label="whole places")
        lower, upper = lookup(ordered, below), lookup(ordered, where(below < n, below + 1, n))
        ends.append(w.cell(f"q_{tag}", lower + (h - below) * (upper - lower), symbol=f"q_{tag}", label="value there"))
    if method == "basic":
        w.step("Turned around", "As far below the statistic of the data as the samples go above it, and the reverse.")
        return 2 * estimate - ends[1], 2 * estimate - ends[0]
    return ends[0] + 0, ends[1] + 0


def _corrected(w: Working, estimate: Cell, t: Cell, shares: list[Cell], statistic: Any, data: Any) -> list[Cell]:
    """The shares moved for bias and acceleration: ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))``."""
    columns = [np.asarray(column) for column in data]
    n = len(columns[0])
    left_out = [float(statistic(*(np.delete(column, i, axis=0) for column in columns))) for i in range(n)]
    w.step("Correction for bias", "The share of the samples below the statistic of the data, ties counted half.")
    half = sum_(where(t < estimate, 1, where(t > estimate, 0, 0.5))) / count(t)
    inside = w.cell("below", half, symbol="r", label="share below")
    clipped = w.cell("held", where(inside < 1e-12, 1e-12, where(inside > 1 - 1e-12, 1 - 1e-12, inside)), symbol="r'",
                     label="kept off 0 and 1")  # fmt: skip
    shift = w.cell("shift", normal_quantile(clipped), symbol="z_0", label="shift")
    w.step("Correction for acceleration", "The skewness of the statistic with one row left out.")
    rows = Axis("omitted row", range(1, n + 1))
    u = w.given("left_out", np.array(left_out), rows, symbol="u", label="statistic without the row")
    d = w.cell("apart", mean(u) - u, symbol="d", label="from their mean")
    spread = w.cell("squares", sum_(d**2), symbol="S_2", label="squares")
    cubes = w.cell("cubes", sum_(d**3), symbol="S_3", label="cubes")
    a = w.cell("acceleration", where(spread > 0, cubes / (6 * where(spread > 0, spread, 1) ** 1.5), 0), symbol="a",
               label="acceleration")  # fmt: skip
    w.step("Shares, moved", "The two shares as normal quantiles, shifted and stretched, and back.")
    corrected = []
    for share, tag in zip(shares, "LU", strict=True):
        z = w.cell(f"z_{tag}", shift + normal_quantile(share), symbol=f"z_{tag}", label="quantile, shifted")
        moved = normal_below(shift + z / (1 - a * z))
        corrected.append(w.cell(f"moved_{tag}", moved, symbol=f"p'_{tag}", label="share, moved"))
    return corrected
