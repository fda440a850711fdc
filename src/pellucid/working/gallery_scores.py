"""Worked examples about scores: rates, losses, entropies, learning curves, the bootstrap."""

from __future__ import annotations

from math import inf

import numpy as np

from pellucid import metrics, model_selection, stats
from pellucid.base.types import Floats
from pellucid.linear_model import LinearRegression
from pellucid.metrics import Rates
from pellucid.working.entry import show
from pellucid.working.expression import Axis, expr
from pellucid.working.gallery_base import Example, cell_of, column, example, parts_of
from pellucid.working.language import exp, log, lookup, rounded, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.metrics import from_counts


@example("003-confusion-matrix-metrics")
def confusion(e: Example) -> Working:
    w = Working("", "From four counts to every rate.")
    w.step("Counts", "As printed, with the columns the right way round.")
    counts = {name: w.given(name, float(e.data[name]), symbol=rf"\text{{{name}}}") for name in ("TP", "TN", "FP", "FN")}
    rates = Rates(**{name: e.data[name] for name in counts})
    from_counts(w, rates, counts["TP"], counts["TN"], counts["FP"], counts["FN"])
    w.step("F1 from rounded rates", "With precision and sensitivity to two digits, as one would by hand.")
    p = w.cell("rounded_precision", rounded(cell_of(w, "precision"), 2), symbol="P", label="precision")
    r = w.cell("rounded_sensitivity", rounded(cell_of(w, "sensitivity"), 2), symbol="R", label="sensitivity")
    above = w.cell("above", 2 * p * r, symbol="a", label="twice the product")
    below = w.cell("below", p + r, symbol="b", label="sum")
    for name, formula in (("above", above), ("below", below), ("f1", above / below)):
        w.cell(f"rounded_{name}", rounded(formula, 2), symbol=rf"\text{{{name}}}", label=f"{name}, two digits")
    return w


@example("003-imbalanced-accuracy")
def imbalanced(e: Example) -> Working:
    w = Working("", "Always the frequent class: nearly every row is right, and nothing was learned.")
    w.step("Counts", "Nobody is said to be positive.")
    numbers = {"TP": 0, "TN": e.data["n_no"], "FP": 0, "FN": e.data["n_yes"]}
    counts = {name: w.given(name, float(value), symbol=rf"\text{{{name}}}") for name, value in numbers.items()}
    from_counts(w, Rates(**numbers), counts["TP"], counts["TN"], counts["FP"], counts["FN"])
    return w


@example("000-misclassification-rate")
def misclassified(e: Example) -> Working:
    w = Working("", "The share of rows that are wrong.")
    w.step("Counts", "All rows, and those that are right.")
    n = w.given("N", float(e.data["N"]), symbol="N", label="rows")
    n_correct = w.given("correct", float(e.data["correct"]), symbol="c", label="right")
    w.step("Rate", "What is not right, of all.")
    w.cell("error", (n - n_correct) / n, symbol=r"\text{error}", label="misclassification rate")
    return w


@example("000-adaboost-weighted-error")
def weighted_error(e: Example) -> Working:
    return show(metrics.weighted_misclassification_rate, e.data["Y"], e.data["prediction"], e.data["weight"])


@example("002-hinge-loss-pieces")
def hinge(e: Example) -> Working:
    t = np.asarray(e.data["t"], dtype=np.float64)
    w = show(metrics.hinge_loss, np.ones(len(t)), t, labels=[-1, 1])
    w.step("Slopes", "The difference of two losses over the distance of their margins: left of 1, right of it, across.")
    ends = Axis("piece", ["below 1", "above 1", "across 1"], "k", "K")
    low = w.given("low", np.array([0.25, 1.25, 0.5]), ends, symbol="u", label="from")
    high = w.given("high", np.array([0.75, 1.75, 1.5]), ends, symbol="v", label="to")
    first = w.cell("loss_low", where(low < 1, 1 - low, 0), symbol="a", label="loss there")
    second = w.cell("loss_high", where(high < 1, 1 - high, 0), symbol="b", label="loss there")
    w.cell("slope", (second - first) / (high - low), symbol="s", label="slope")
    w.note("At the corner every slope from −1 to 0 will do: the last is one of them.")
    return w


@example("000-gini-single-group")
def gini_of_groups(e: Example) -> Working:
    counts = np.column_stack([e.data["class_0"], e.data["class_1"]])
    groups = [
        (f"group_{k}", f"Group {k}", show(metrics.gini_impurity, row / row.sum())) for k, row in enumerate(counts, 1)
    ]
    few = np.array(list(e.data["proportion_example"].values()))
    return parts_of(*groups, ("few", "Three and four", show(metrics.gini_impurity, few / few.sum())))


@example("003-gini-weather")
def gini_of_weather(e: Example) -> Working:
    counts = np.array(list(e.data["counts"].values()))
    return show(metrics.gini_impurity, counts / counts.sum())


@example("002-cross-entropy-code-lengths")
def code_lengths(e: Example) -> Working:
    """A code of lengths l is the best one for q = 2^-l / K with its Kraft sum K: its mean length is H(p, q) - log K."""
    n, bits, base = e.data["options"], e.data["skewed_code_bits"], e.settings["log_base"]
    lengths = np.array([bits["favorite"]] + [bits["each_of_the_other_seven"]] * (n - 1), dtype=np.float64)
    kraft = float((2.0**-lengths).sum())
    w = Working("", "A code of unequal lengths pays where the option with the short word is likely.")
    w.step("Codes", "The length of each option's word in the skewed code, and what all words take of the room.")
    options = Axis("option", range(1, n + 1), "j", "m")
    length = w.given("length", lengths, options, symbol="l", label="bits")
    kraft_sum = w.cell("kraft", sum_(expr(2) ** (-length)), symbol="K", label="Kraft sum")
    w.cell("implied", expr(2) ** (-length) / kraft_sum, symbol="q", label="distribution that the code is made for")
    w.take(show(metrics.entropy, np.full(n, 1 / n), base), "fixed", "All options equally likely")
    for number, p in enumerate((1 / n, 1 / 3, 0.5, 0.9), start=1):
        probabilities = np.array([p] + [(1 - p) / (n - 1)] * (n - 1))
        title = f"Favorite {p:.4g}"
        w.take(show(metrics.cross_entropy, probabilities, 2.0**-lengths / kraft, base), f"cross_{number}", title)
        w.take(show(metrics.entropy, probabilities, base), f"least_{number}", title)
        w.step(f"{title}: bits of the skewed code", "The cross entropy, and what the unused word costs.")
        w.cell(f"bits_{number}", cell_of(w, f"cross_{number}.cross_entropy") - log(kraft_sum, base), symbol="b",
               label="mean bits")  # fmt: skip
    w.step("Where it pays", "The mean falls in a straight line from the length of the others to that of the favorite.")
    short = w.cell("short", lookup(length, 1), symbol="l_1", label="favorite")
    long = w.cell("long", lookup(length, 2), symbol="l_2", label="each other")
    fixed = cell_of(w, "fixed.entropy")
    w.cell("pays", (long - fixed) / (long - short), symbol="p", label="probability above which it pays")
    return w


# ----------------------------------------------------------------------------------------------------- model selection


def _rmse(model: LinearRegression, X: Floats, y: Floats) -> float:
    return metrics.root_mean_squared_error(y, model.predict(X))  # type: ignore[return-value]


@example("002-learning-curves-under-and-overfitting")
def learning_curves(e: Example) -> Working:
    x, y = column(e.data["x1"]), np.asarray(e.data["y"])
    train, test = (np.array(e.settings[name]) for name in ("training_rows_in_order", "validation_rows"))
    common = {"train_sizes": np.arange(1, len(train) + 1), "cv": [(train, test)], "scoring": _rmse}
    sections = []
    for name, title, X in (("line", "Straight line", x), ("tenth", "Degree 10", x ** np.arange(1, 11))):
        working = show(model_selection.learning_curve, LinearRegression(solver="svd"), X, y, **common)
        sections.append((name, title, working))
    w = parts_of(*sections)
    w.intro = "Root mean squared error with ever more rows: a model that is too simple, and one that is too flexible."
    return w


@example("000-bootstrap-mean")
def bootstrap_mean(e: Example) -> Working:
    w = show(stats.mean, e.data["resample_means"])
    w.intro = "Each value is the mean of a sample drawn with replacement; the bootstrap's estimate is their mean."
    return w


@example("001-bootstrap-632")
def inclusion(e: Example) -> Working:
    n_rows, rounds = len(e.data["original"]), e.data["rounds"]
    w = Working("", "How likely a row is among n draws with replacement from n rows.")
    w.step("One draw", "It takes another row with probability 1 − 1/n.")
    n = w.given("n", float(n_rows), symbol="n", label="rows, and draws")
    misses = w.cell("misses", 1 - 1 / n, symbol="u", label="a draw misses the row")
    w.step("All draws", "They miss it together with the n-th power of that.")
    w.cell("included", 1 - misses**n, symbol="P", label="the row is drawn at least once",
           equals=stats.inclusion_probability(n_rows), attribute="inclusion_probability(n)")  # fmt: skip
    w.step("Many rows", "As n grows the power goes to 1/e.")
    w.cell("limit", 1 - exp(expr(-1)), symbol=r"P_{∞}", label="limit", equals=stats.inclusion_probability(inf),
           attribute="inclusion_probability(inf)")  # fmt: skip
    w.step("Three samples", "How many different rows each of them holds, as a share.")
    round_axis = Axis("round", range(1, len(rounds) + 1), "k", "K")
    distinct = w.given("distinct", np.array([float(len(set(sample))) for sample in rounds]), round_axis, symbol="d",
                       label="different rows")  # fmt: skip
    w.cell("share", distinct / n, symbol="s", label="share of the rows")
    return w
