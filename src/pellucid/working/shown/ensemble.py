"""Votes by numbers: how often a majority errs, who is in a bootstrap sample, stage values, and a weighted vote."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from pellucid.ensemble.voters import Vote
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Expr, expr
from pellucid.working.language import arg_max, equal, exp, ln, lookup, previous, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import label, labels, numbers, refuse, spelled


@shows("ensemble.ensemble_error")
def ensemble_error(w: Working, result: Any, n_voters: int, error: Any, *, ties: str = "half") -> None:
    if np.ndim(result):
        refuse("ensemble_error", "the working is of one error", f"got {np.size(error)}", "show one at a time")
    w.title = "The error of a majority"
    w.intro = "Voters that err independently of each other, all equally often, and the majority of them."
    w.step("Voters", "Each of them is wrong with the same probability.")
    n = w.given("n", float(n_voters), symbol="n", label="voters")
    e = w.given("e", float(error), symbol="e", label="one of them is wrong")
    counts = Axis("number", range(1, int(n_voters) + 1), "k", "n")
    w.step("How many are wrong", "The probability that exactly k are wrong, each from that of one fewer.")
    k = w.given("k", np.arange(1.0, float(n_voters) + 1), counts, symbol="k", label="wrong")
    if error in (0, 1):
        p = w.cell("p", where(equal(k, n * e), 1, 0), symbol="p", label="probability")
    else:
        nobody = w.cell("nobody", (1 - e) ** n, symbol="p_0", label="nobody is wrong")
        p = w.recurring("p", counts, nobody, symbol="p", label="probability")
        w.becomes(p, previous(p) * (n - k + 1) / k * (e / (1 - e)))
        w.run(counts)
        w.steps[-1].walk = None
    share = {"half": 0.5, "wrong": 1.0, "right": 0.0}[ties]
    w.step(
        "The majority", "More than half are wrong" + (", or half of them" if n_voters % 2 == 0 and share else "") + "."
    )
    counted: Expr = where(k > n / 2, p, 0)
    if n_voters % 2 == 0 and share:
        counted = where(k > n / 2, p, where(equal(k, n / 2), share * p, 0))
        w.note(
            {0.5: "A tie is settled by a coin: half of its probability counts.", 1.0: "A tie counts as an error."}[
                share
            ]
        )
    wrong = w.cell("counts", counted, symbol="q", label="the majority errs")
    w.cell("error", sum_(wrong), symbol="P", label="the majority is wrong", equals=float(result),
           attribute="ensemble_error(n, e)", tolerance=1e-8, scale=1e-6)  # fmt: skip


@shows("ensemble.bootstrap_inclusion")
def bootstrap_inclusion(w: Working, result: float, n: float, draws: float | None = None) -> None:
    w.title = "In a bootstrap sample"
    w.intro = "How likely a row is drawn at least once, when rows are drawn with replacement."
    name = "bootstrap_inclusion(n)" if draws is None else "bootstrap_inclusion(n, draws)"
    if n == inf:
        w.step("Many rows", "With as many draws as rows, the chance to be missed goes to 1/e as their number grows.")
        formula = 1 - exp(expr(-1)) if draws is None else expr(0) * exp(expr(0))
        w.cell("included", formula, symbol="P", label="the row is drawn", equals=result, attribute=name)
        return
    w.step("One draw", "It takes another row with probability 1 − 1/n.")
    rows = w.given("n", float(n), symbol="n", label="rows")
    times: Expr = rows
    if draws is not None:
        times = w.given("draws", float(draws), symbol="m", label="draws")
    misses = w.cell("misses", 1 - 1 / rows, symbol="u", label="a draw misses the row")
    w.step("All draws", "They all miss it with the power of that.")
    if n == 1:
        w.cell(
            "included", where(times > 0, 1, 0), symbol="P", label="the only row is drawn", equals=result, attribute=name
        )
        return
    w.cell("included", 1 - misses**times, symbol="P", label="the row is drawn at least once", equals=result,
           attribute=name, scale=1.0)  # fmt: skip


@shows("ensemble.stage_value")
def stage_value(w: Working, result: Any, error: Any, *, n_classes: int = 2, stage: str = "samme") -> None:
    w.title = "Stage value"
    w.intro = "What the vote of a model counts in AdaBoost: 0 for one that is as good as chance, more for better ones."
    errors = np.atleast_1d(np.asarray(error, dtype=np.float64))
    if ((errors <= 0) | (errors >= 1)).any():
        refuse(
            "stage_value", "the logarithm needs errors above 0 and below 1", f"got {errors.min():g} to {errors.max():g}"
        )
    w.step("Errors", "Weighted errors of models.")
    axis = Axis("model", range(1, len(errors) + 1), "t", "T")
    e = w.given("e", errors, axis, symbol="e", label="weighted error")
    formula = ln((1 - e) / e)
    if n_classes != 2:
        formula = formula + ln(w.given("K", float(n_classes), symbol="K", label="classes") - 1)
    w.step("Stage values", "The logarithm of right against wrong" + (", halved." if stage == "half" else "."))
    w.cell("stage", formula / 2 if stage == "half" else formula, symbol="a", label="stage value",
           equals=np.atleast_1d(result), attribute="stage_value(e)", scale=1.0)  # fmt: skip


@shows("ensemble.weighted_vote")
def weighted_vote(w: Working, result: Vote, answers: Any, weights: Any = None) -> None:
    w.title = "A weighted vote"
    w.intro = "Every voter names an answer; the answers' votes are added, each by the weight of its voter."
    w.step("Voters", "What each says, and what its vote counts.")
    predictions = labels(answers, "weighted_vote")
    voters = Axis("voter", range(1, len(predictions) + 1), "t", "T")
    h = w.given("said", predictions, voters, symbol="h", label="says")
    counted = np.ones(len(predictions)) if weights is None else numbers(weights, "weighted_vote")
    a = w.given("weight", counted, voters, symbol="a", label="counts")
    class_names = [label(name) for name in result.votes]
    w.step("Votes", "Of each answer.")
    axis = Axis("answer", [spelled(name) for name in class_names], "k", "K")
    name_values = (
        np.array(class_names)
        if all(isinstance(name, float) for name in class_names)
        else np.array(class_names, dtype=object)
    )
    c = w.given("answer", name_values, axis, symbol="c", label="answer")
    votes = w.cell("votes", sum_(where(equal(h, c), a, 0), voters), symbol="V", label="votes",
                   equals=np.array(list(result.votes.values())), attribute="votes")  # fmt: skip
    if len(class_names) == 2:
        w.cell("difference", lookup(votes, 2) - lookup(votes, 1), symbol="s",
               label=f"for {spelled(class_names[1])} less for {spelled(class_names[0])}")  # fmt: skip
    best_index = w.cell("place", arg_max(votes), symbol="m", label="place of the most votes")
    w.cell("winner", lookup(c, best_index), symbol=r"\hat{y}", label="the answer", equals=label(result.winner),
           attribute="winner")  # fmt: skip
