"""How RIPPER comes by its rules: gains while growing, values while pruning, description lengths, and what is chosen."""

from __future__ import annotations

from functools import reduce
from operator import add, sub
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.models.rules.conditions import Condition
from pellucid.models.rules.words import condition_text
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, equal, log, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis, labels
from pellucid.working.shown._rule_rows import MOST_RULES, RuleTable, column_names, predictions, rule_table

MOST_WIDE = 12  # columns
MOST_GROWN = 4  # rules whose growing is laid out
MOST_STEPS = 4  # of their conditions
MOST_CLASSES = 2  # whose lengths are laid out
MOST_ROUNDS = 1  # of optimization
MOST_LENGTHS = 8  # lines of a table of lengths
ADDED, REPLACEMENT, REVISION, ORIGINAL = range(4)
VARIANTS = ("new rule", "replacement", "revision", "original")
SIGNS = (Condition.at_most, Condition.at_least, Condition.equals)

Table = dict[str, Floats]


@shows("RIPPERClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    record = {name: _columns(*table) for name, table in data.record.items()}
    w.title = "RIPPER: rules class by class"
    w.intro = (
        f"{counted(model.n_rules_, 'rule')} and a default. Classes are learned in the order "
        f"{', '.join(map(str, model.class_order_))}; the last one has no rules of its own."
    )
    w.step("Data", "The columns that the rules ask, others while there is room, and the class of each row.")
    table = rule_table(w, model, data.X, data.row_axis, _shown_columns(w, model))
    y = w.given("y", labels(data.y), data.row_axis, symbol="y", label="class")
    weight = None if data.weight is None else w.given("w", data.weight, data.row_axis, symbol="w", label="weight")
    c = _classes(w, model, data, y, weight)
    _grown(w, model, record)
    if len(model.class_order_) - 1 > MOST_CLASSES:
        w.note(f"Lengths of the first {MOST_CLASSES} classes are laid out.")
    for place, label in enumerate(model.class_order_[:-1][:MOST_CLASSES]):
        _lengths(w, model, _where(record.get("weighed", {}), "place", place), label, place)
        _deletions(w, model, _where(record.get("deletions", {}), "place", place), label, place)
    _on_rows(w, model, data, table, (y, c, weight))


@shows("RIPPERClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    predictions(w, model, data)
    place = w.cells["place"]
    assert isinstance(place, Cell)
    assert place.axis is not None
    axis = place.axis
    rows = [int(row) for row in axis.labels]
    decides = model.apply(data.table)[rows]
    rules = Axis("rule", [*(str(k + 1) for k in range(model.n_rules_)), "default"], "r", "R")
    w.step("Probabilities", "The shares of the classes among the rows that the deciding rule decided in fit.")
    found = _deciding(w, model, axis, np.where(decides < 0, model.n_rules_, decides) + 1.0)
    proba = model.predict_proba(data.table)[rows]
    counts = [
        w.given(f"count_{k + 1}", column, rules, symbol=f"m_{{{k + 1}}}", label=f"rows of {label}")
        for k, (label, column) in enumerate(zip(model.classes_, _answering_counts(w, model).T, strict=True))
    ]
    parts: list[Expr] = list(counts)
    size = w.cell("size", reduce(add, parts), symbol="m", label="all of them")
    for k, label in enumerate(model.classes_):
        share = lookup(counts[k], found) / lookup(size, found)
        look: dict[str, Any] = {"symbol": rf"\hat{{p}}_{{{k + 1}}}", "label": f"probability of {label}"}
        w.cell(f"p_{k + 1}", share, equals=proba[:, k], attribute="predict_proba(X)", scale=1.0, **look)


def _deciding(w: Working, model: Any, axis: Axis, number: Floats) -> Cell:
    """The number of the first rule that fires, worked out where all rules are on the page."""
    look: dict[str, Any] = {"symbol": "r", "label": "the first rule that fires; the last number is the default"}
    fires = [w.cells.get(f"fires_{k + 1}") for k in range(model.n_rules_)]
    formula: Expr = expr(float(model.n_rules_ + 1))
    for k in range(model.n_rules_, 0, -1):
        cell = fires[k - 1]
        if not isinstance(cell, Cell):
            return w.given("rule", number, axis, **look)
        formula = where(cell > 0.5, float(k), formula)
    if not fires:
        return w.given("rule", number, axis, **look)
    return w.cell("rule", formula, equals=number, attribute="apply(X)", **look)


def _answering_counts(w: Working, model: Any) -> Floats:
    """Counts of the deciding rules, one more of each class with Laplace's rule."""
    counts = model.decided_counts_ + (1.0 if model.laplace else 0.0)
    if model.laplace:
        w.note("Every count is one more than in fit (laplace=True).")
    if not model.decided_counts_[-1].any():
        counts[-1] = [float(label == model.rules_.default) for label in model.classes_.tolist()]
        w.note("No row of the fit was left for the default: it answers with its label alone.")
    return np.asarray(counts)


# ------------------------------------------------------------------------------------------------------------ the data


def _columns(names: list[str], rows: Floats) -> Table:
    return {name: rows[:, k] for k, name in enumerate(names)}


def _where(table: Table, name: str, value: float) -> Table:
    keep = table[name] == value if table else np.empty(0, dtype=bool)
    return {key: column[keep] for key, column in table.items()}


def _shown_columns(w: Working, model: Any) -> list[str]:
    """The columns that rules ask for, then others while there is room, in the order of the table."""
    names, asked = column_names(model), set(model.rules_.columns)
    others = [name for name in names if name not in asked][: max(MOST_WIDE - len(asked), 0)]
    shown = asked | set(others)
    if len(shown) < len(names):
        w.note(f"Of the columns that no rule asks for {len(names) - len(shown)} are not shown.")
    return [name for name in names if name in shown]


def _classes(w: Working, model: Any, data: Given, y: Cell, weight: Cell | None) -> Cell:
    w.step("Classes", "How often each class occurs. Every row is decided by one rule, or by the default.")
    known = labels(model.classes_)
    c = w.given("class", known, class_axis(known), symbol="c", label="class")
    one: Expr = expr(1) if weight is None else weight
    m = w.cell("rows", sum_(where(equal(y, c), one, 0), data.row_axis), symbol="m", label="rows",
               equals=model.decided_counts_.sum(axis=0), attribute="decided_counts_, summed")  # fmt: skip
    w.cell("share", m / sum_(m), symbol="s", label="share of all rows")
    return c


# -------------------------------------------------------------------------------------------------- growing and pruning


def _test_text(model: Any, column: float, sign: float, value: float) -> str:
    j, categories = int(column), model.schema_.categories.get(int(column))
    said = value if categories is None else categories[int(value)]
    return condition_text(SIGNS[int(sign)](column_names(model)[j], said), 6)


def _grown(w: Working, model: Any, record: dict[str, Table]) -> None:
    """Each rule as it grew: the best condition of every column at every step, then the cuts."""
    tests = record.get("tests", {})
    if not tests:
        return
    made = list(dict.fromkeys(zip(tests["split"].tolist(), tests["variant"].tolist(), strict=True)))
    added = [key for key in made if key[1] == ADDED]
    others = [key for key in made if key[1] != ADDED]
    shown = sorted([*added[: MOST_GROWN - min(2, len(others))], *others[:2]])
    for key in shown:
        own = [_where(_where(record.get(name, {}), "split", key[0]), "variant", key[1]) for name in ("grow", "prune")]
        _one_rule(w, model, own[0], own[1], key)
    if len(shown) < len(made):
        w.note(f"Growing and pruning of {len(shown)} of the {len(made)} rules that were grown is laid out.")


def _one_rule(w: Working, model: Any, grown: Table, pruned: Table, key: tuple[float, float]) -> None:
    split, variant = int(key[0]), int(key[1])
    what = f"Split {split + 1}, {VARIANTS[variant]}"
    tag = f"{split + 1}_{variant}"
    steps = sorted(set(grown["step"].tolist())) if grown else []
    if len(steps) > MOST_STEPS:
        w.note(f"Of long rules the first {MOST_STEPS} conditions are laid out.")
    for step in steps[:MOST_STEPS]:
        own = _where(grown, "step", step)
        label = model.class_order_[int(own["place"][0])]
        w.step(
            f"{what}: condition {int(step) + 1}",
            f"The best condition of each column with a gain for class {label}, on the rows for growing that the rule "
            "covers: P of the class and N others; p and n of them meet the condition.",
        )
        names = [_test_text(model, *row) for row in zip(own["column"], own["sign"], own["value"], strict=True)]
        axis = Axis("condition", names, "j", "J")
        at = f"{tag}_{int(step) + 1}"
        P = w.given(f"P_{at}", own["P"][0], symbol="P", label="covered, of the class")
        N = w.given(f"N_{at}", own["N"][0], symbol="N", label="covered, others")
        p = w.given(f"p_{at}", own["p"], axis, symbol="p", label="of the class")
        n = w.given(f"n_{at}", own["n"], axis, symbol="n", label="others")
        gain = w.cell(f"gain_{at}", p * (log(p / (p + n), 2) - log(P / (P + N), 2)), symbol="g", label="gain in bits",
                      equals=own["gain"], attribute="fit_with_history: gain", scale=float(P.value))  # fmt: skip
        if own["chosen"].any():
            w.cell(f"best_{at}", arg_max(gain), symbol="j^*", label="largest: this condition is added")
        else:
            w.note(f"{what}: no condition keeps enough rows ({model.min_weight:g}) covered, so growing ends.")
    if pruned and len(pruned["conditions"]):
        _cuts(w, model, pruned, what, tag, variant)


def _cuts(w: Working, model: Any, pruned: Table, what: str, tag: str, variant: int) -> None:
    whole = variant != ADDED
    aim = "the accuracy of the whole set of rules" if whole else "the value of what it covers"
    w.step(f"{what}: pruning", f"Beginnings of the rule, by {aim} on the rows for pruning.")
    axis = Axis("cut", [counted(int(k), "condition") for k in pruned["conditions"]], "k", "K")
    P = w.given(f"all_P_{tag}", pruned["P"][0], symbol="P", label="rows for pruning, of the class")
    N = w.given(f"all_N_{tag}", pruned["N"][0], symbol="N", label="others")
    p = w.given(f"kept_p_{tag}", pruned["p"], axis, symbol="p", label="covered, of the class")
    n = w.given(f"kept_n_{tag}", pruned["n"], axis, symbol="n", label="covered, others")
    if whole:
        value: Expr = (p + N - n) / (P + N)
    elif model.prune_value == "laplace":
        value = (p + 1) / (p + n + 2)
    else:
        value = _ratio(p - n, w.cell(f"kept_{tag}", p + n, symbol="c", label="covered"))
    v = w.cell(f"value_{tag}", value, symbol="v", label="value", equals=pruned["value"],
               attribute="fit_with_history: value", scale=1.0)  # fmt: skip
    kept = int(pruned["conditions"][pruned["kept"] > 0][0])
    w.cell(f"cut_{tag}", arg_max(v) - 1, symbol="k^*", label="conditions kept: the fewest with the largest value",
           equals=float(kept), attribute="fit_with_history: kept", scale=1.0)  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- lengths


def _all(cell: Cell) -> bool:
    return bool((np.asarray(cell.value) > 0).all())


def _none(cell: Cell) -> bool:
    return not bool((np.asarray(cell.value) > 0).any())


def _ratio(a: Expr, b: Cell) -> Expr:
    """a / b, 0 where b is."""
    return a / b if _all(b) else a / where(b > 0, b, 1)


def _bits(k: Cell, p: Expr) -> Expr | None:
    """k log2 p, where nothing takes no bits; None where there is nothing at all."""
    if _none(k):
        return None
    return k * log(p if _all(k) else where(k > 0, p, 1), 2)


def _lengths(w: Working, model: Any, weighed: Table, label: Any, place: int) -> None:
    rounds = sorted(set(weighed["round"].tolist())) if weighed else []
    if len(rounds) > MOST_ROUNDS + 1:
        w.note("Later rounds of optimization go like the first, whose lengths are laid out.")
    for number in rounds[: MOST_ROUNDS + 1]:
        own = _where(weighed, "round", number)
        _length_table(w, model, own, label, f"{place + 1}_{int(number)}", int(number))


def _length_table(w: Working, model: Any, own: Table, label: Any, tag: str, number: int) -> None:
    if len(own["p"]) > MOST_LENGTHS:
        w.note(f"Of long tables of lengths the first {MOST_LENGTHS} lines are laid out.")
        own = {name: column[:MOST_LENGTHS] for name, column in own.items()}
    title = f"Class {label}: lengths" if number == 0 else f"Class {label}: lengths in round {number}"
    aim = (
        "A rule is added while the length is at most 64 bits above the shortest so far, and less than half of what it "
        "newly covers is wrong."
    )
    if number:
        aim = "Of original, replacement and revision the shortest stays, later rules that do not pay left out. " + aim
    w.step(title, "Bits for the rules of the class and for the rows on which they err. " + aim)
    names = [
        f"rule {int(at) + 1}: {VARIANTS[int(variant)]}"
        for at, variant in zip(own["position"], own["variant"], strict=True)
    ]
    axis = Axis("rule", names, "i", "I")
    P = w.given(f"P_{tag}", own["P"][0], symbol="P", label="rows of the class")
    N = w.given(f"N_{tag}", own["N"][0], symbol="N", label="other rows")
    e = w.given(f"e_{tag}", own["expected"][0], symbol="e", label="share of the class that is expected among errors")
    tp = w.given(f"tp_{tag}", own["tp"], axis, symbol="t", label="covered, of the class")
    fp = w.given(f"fp_{tag}", own["fp"], axis, symbol="f", label="covered, others")
    C = w.cell(f"C_{tag}", tp + fp, symbol="C", label="covered")
    U = w.cell(f"U_{tag}", P + N - C, symbol="U", label="not covered")
    fn = w.cell(f"fn_{tag}", P - tp, symbol="g", label="not covered, of the class")
    tn = w.cell(f"tn_{tag}", U - fn, symbol="h", label="not covered, others")
    larger = np.asarray(C.value) > np.asarray(U.value)
    inside, outside = _ratio(fp, C), _ratio((1 - e) * (fp + fn), U)
    if larger.any():
        expected, own_share = _ratio(e * (fp + fn), C), _ratio(fn, U)
        inside = expected if larger.all() else where(C > U, expected, inside)
        outside = own_share if larger.all() else where(C > U, own_share, outside)
    pc = w.cell(f"pc_{tag}", inside, symbol="p_C", label="share of errors among the covered")
    pu = w.cell(f"pu_{tag}", outside, symbol="p_U", label="share of errors among the others")
    size = float(np.abs(own["data_bits"]).max())
    terms = [_bits(fp, pc), _bits(tp, 1 - pc), _bits(fn, pu), _bits(tn, 1 - pu)]
    message = reduce(sub, [term for term in terms if term is not None], log(C + U + 1, 2))
    rows = w.cell(f"data_{tag}", message, symbol="d",
                  label="bits for the rows", equals=own["data_bits"], attribute="fit_with_history: data_bits",
                  scale=size, tolerance=1e-6)  # fmt: skip
    theory = w.given(f"theory_{tag}", own["rule_bits"], axis, symbol="b", label="bits for the rules")
    length = w.cell(f"length_{tag}", rows + theory, symbol="L", label="length")
    _single_bits(w, own, axis, tag)
    if number == 0:
        best = w.given(f"shortest_{tag}", own["shortest"], axis, symbol="L^*", label="shortest so far")
        p = w.given(f"new_p_{tag}", own["p"], axis, symbol="p", label="newly covered, of the class")
        n = w.given(f"new_n_{tag}", own["n"], axis, symbol="n", label="newly covered, others")
        enough = where(p > 0, where(n < p, 1, 0), 0) if model.check_error else where(p > 0, 1, 0)
        w.cell(f"taken_{tag}", where(length <= best + 64, enough, 0), symbol="a", label="added?",
               equals=own["taken"], attribute="fit_with_history: taken", scale=1.0)  # fmt: skip
    else:
        w.given(f"taken_{tag}", own["taken"], axis, symbol="a", label="taken?")


def _single_bits(w: Working, own: Table, axis: Axis, tag: str) -> None:
    """The bits of the rule itself, from its number of conditions."""
    m = w.given(f"m_{tag}", own["possible"][0], symbol="m", label="possible conditions")
    k = w.given(f"k_{tag}", own["conditions"], axis, symbol="k", label="conditions of the rule")
    rest = w.cell(f"rest_{tag}", m - k, symbol="r", label="conditions left out")
    parts = [_bits(k, k / m), _bits(rest, rest / m)]
    number: Expr = log(k if _all(k) else where(k > 0, k, 1), 2)
    if (own["conditions"] > 1).any():
        number = number + 2 * where(k > 1, log(log(where(k > 1, k, 2), 2), 2), 0)
    bits = reduce(sub, [part for part in parts if part is not None], number) / 2
    w.cell(f"own_{tag}", bits if _all(k) else where(k > 0, bits, 0), symbol="b_1", label="bits of this rule alone")


def _deletions(w: Working, model: Any, deletions: Table, label: Any, place: int) -> None:
    if not deletions or not len(deletions["p"]):
        return
    own = {name: column[:MOST_LENGTHS] for name, column in deletions.items()}
    w.step(
        f"Class {label}: deletions",
        "The rules from the last to the first: one without which the length is no greater is deleted"
        + (", and one that is wrong for half of what it decides." if model.check_error else "."),
    )
    names = [
        f"{f'round {int(number)}' if number else 'at first'}, rule {int(at) + 1}"
        for number, at in zip(own["round"], own["position"], strict=True)
    ]
    axis, tag = Axis("rule", _apart(names), "i", "I"), place + 1
    p = w.given(f"decides_p_{tag}", own["p"], axis, symbol="p", label="decides, of the class")
    n = w.given(f"decides_n_{tag}", own["n"], axis, symbol="n", label="decides, others")
    a = w.given(f"with_{tag}", own["with"], axis, symbol="L", label="length with it")
    b = w.given(f"without_{tag}", own["without"], axis, symbol="L_0", label="length without it")
    wrong: Expr = where(n >= p, 1, 0) if model.check_error else expr(0)
    w.cell(f"deleted_{tag}", where(b <= a + 1e-6, 1, wrong), symbol="d", label="deleted?", equals=own["deleted"],
           attribute="fit_with_history: deleted", scale=1.0)  # fmt: skip


def _apart(names: list[str]) -> list[str]:
    """Names that occur again get a number: rules are looked at until none is deleted."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}, look {seen[name]}")
    return out


# ------------------------------------------------------------------------------------------------------------ the rules


def _on_rows(w: Working, model: Any, data: Given, table: RuleTable, cells: tuple[Cell, Cell, Cell | None]) -> None:
    y, c, weight = cells
    rules = model.rules_.rules[:MOST_RULES]
    if not rules:
        w.note("No rule pays: every row gets the default class.")
        return
    w.step(
        "The rules on the rows", "1 where a row meets all tests of a rule; it decides the rows that none before it did."
    )
    decides: list[Cell] = []
    left: Cell | None = None
    for k, rule in enumerate(rules, 1):
        fires = table.fires(rule, f"fires_{k}", k)
        if fires is None:
            w.note(f"Rule {k} has too many tests for a formula: it and those after it are left out here.")
            break
        own, rest = (fires, 1 - fires) if left is None else (left * fires, left * (1 - fires))
        look: dict[str, Any] = {"symbol": f"d_{{{k}}}", "label": f"rule {k} decides?"}
        decides.append(fires if left is None else w.cell(f"decides_{k}", own, **look))
        left = w.cell(f"left_{k}", rest, symbol=f"u_{{{k}}}", label=f"left after rule {k}?")
    w.step("Counts", "What each rule decides, by class. Predicted probabilities are the shares among these.")
    for k, decided in enumerate(decides):
        counts: Expr = decided if weight is None else weight * decided
        w.cell(f"count_{k + 1}", sum_(where(equal(y, c), counts, 0), data.row_axis), symbol=f"m_{{{k + 1}}}",
               label=f"rule {k + 1}", equals=model.decided_counts_[k], attribute=f"decided_counts_[{k}]")  # fmt: skip
    if len(decides) < model.n_rules_ or left is None:
        w.note(f"The first {len(decides)} of {model.n_rules_} rules are tried on the rows here.")
        return
    counts = left if weight is None else weight * left
    w.cell("count_default", sum_(where(equal(y, c), counts, 0), data.row_axis), symbol="m_0", label="default",
           equals=model.decided_counts_[-1], attribute="decided_counts_[-1]", scale=1.0)  # fmt: skip
