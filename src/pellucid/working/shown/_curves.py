"""How the scores of folds become one figure: cross-validation, learning curves, validation curves."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, lookup, sqrt
from pellucid.working.matrix import Block, Stack
from pellucid.working.model import Working
from pellucid.working.shown._rows import refuse

MOST_FOLDS = 30


def _curves(w: Working, name: str, axis: Axis, result: Any, difference: Floats | None = None) -> Cell:
    """The two curves, the gap between them, and the spread of the folds; returns the curve of rows held out."""
    n_folds = result.test_scores.shape[1]
    if n_folds > MOST_FOLDS:
        refuse(name, f"a curve is shown of at most {MOST_FOLDS} folds", f"got {n_folds}", "use fewer with cv")
    if n_folds == 1:
        w.step("Scores", "On the rows that were fitted, and on those held out; the gap is what is learned by heart.")
        train = w.given("train_mean", result.train_scores[:, 0], axis, symbol="a", label="on rows fitted")
        test = w.given("test_mean", result.test_scores[:, 0], axis, symbol="b", label="on rows held out")
    else:
        train, test = _means(w, axis, result)
    w.cell("gap", train - test, symbol="g", label="gap", equals=difference, attribute="gap", scale=_size(result))
    if n_folds > 1:
        held_out = w.cells["test_scores"]
        assert isinstance(held_out, Block)
        _spread(w, held_out, test)
    return test


def _means(w: Working, axis: Axis, result: Any) -> tuple[Cell, Cell]:
    """The scores of all folds, on rows fitted and on others, and the mean of each."""
    n_folds = result.test_scores.shape[1]
    w.step("Scores of the folds", "One column a fold: on the rows that were fitted, and on those held out.")
    folds = Axis("fold", [f"fold {k + 1}" for k in range(n_folds)], "j", "J")
    sides = (("train", "a", "fitted"), ("test", "b", "held out"))
    blocks = [
        w.block(f"{side}_scores", getattr(result, f"{side}_scores"), axis, folds, symbol=mark.upper(),
                label=f"on rows {what}")
        for side, mark, what in sides
    ]  # fmt: skip
    w.step(
        "Means over the folds", "The mean of each row of the tables; the gap between them is what is learned by heart."
    )
    means = []
    for block, (side, mark, what) in zip(blocks, sides, strict=True):
        columns = [block.column(j, f"{mark}_{{{j + 1}}}") for j in range(n_folds)]
        expected = getattr(result, f"{side}_scores").mean(axis=1)
        means.append(w.cell(f"{side}_mean", _added(columns) / n_folds, symbol=rf"\bar{{{mark}}}",
                            label=f"mean on rows {what}", equals=expected, attribute=f"mean of {side}_scores",
                            scale=_size(result)))  # fmt: skip
    return means[0], means[1]


def _added(columns: Sequence[Expr]) -> Expr:
    total = columns[0]
    for column in columns[1:]:
        total = total + column
    return total


def _spread(w: Working, scores: Block, mean: Cell) -> None:
    """How far the folds' scores on rows held out scatter about their mean."""
    n = len(scores.columns)
    w.step(
        "Spread", "The squared distances of the folds' scores from their mean, on rows held out, and their root mean."
    )
    squares = [(scores.column(j, f"b_{{{j + 1}}}") - mean) ** 2 for j in range(n)]
    D = w.block("squares", Stack(squares, scores.rows, scores.columns), symbol="D", label="squared distances")
    every = _added([D.column(j, f"d_{{{j + 1}}}") for j in range(n)])
    w.cell("test_spread", sqrt(every / (n - 1)), symbol="s", label="standard deviation of the folds")


def _size(result: Any) -> float:
    """What a difference of scores is small against."""
    both = np.abs(np.concatenate([result.train_scores, result.test_scores]))
    return float(np.max(both[np.isfinite(both)], initial=0.0))


@shows("model_selection.learning_curve")
def learning_curve(w: Working, result: Any, *data: Any, **options: Any) -> None:
    w.title = "Learning curve: scores by number of training rows"
    w.intro = "Curves that have met ask for another model, a wide gap asks for more rows."
    axis = Axis("size", [int(size) for size in result.train_sizes], "k", "K")
    _curves(w, "learning_curve", axis, result, result.gap)


@shows("model_selection.validation_curve")
def validation_curve(w: Working, result: Any, *data: Any, **options: Any) -> None:
    w.title = f"Validation curve: scores by {result.param_name}"
    w.intro = "Where the one curve still rises and the other falls, the model has become too flexible."
    values = result.param_range
    labels = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    axis = Axis("value", labels, "k", "K")
    test = _curves(w, "validation_curve", axis, result)
    if not np.isfinite(test.value).all():
        w.note("Some fits failed: there is no best value.")
        return
    w.step("Best value", "The first with the highest mean on rows held out.")
    are_numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in values)
    plain: list[Any] = [float(value) for value in values] if are_numbers else labels
    listed = np.array(plain) if are_numbers else np.array(plain, dtype=object)
    v = w.given("values", listed, axis, symbol="v", label=result.param_name)
    best_index = w.cell("best_place", arg_max(test), symbol="m", label="its place")
    best = plain[int(np.argmax(result.test_scores.mean(axis=1)))]
    w.cell("best", lookup(v, best_index), symbol=r"\hat{v}", label="best", equals=best, attribute="best")


@shows("model_selection.cross_validate")
def cross_validate(w: Working, result: Any, *data: Any, **options: Any) -> None:
    from pellucid.working.shown.model_selection import score_interval

    w.title = "From the folds' scores to their mean, and how sure it is"
    w.intro = "Each fold is scored by a model that was fitted on all the others."
    names = [key.removeprefix("test_") for key in result if key.startswith("test_")]
    for name in names:
        page = w if len(names) == 1 else Working("")
        scores = result[f"test_{name}"]
        if len(scores) < 2 or not np.isfinite(scores).all():
            w.note(f"An interval of {name} needs two folds or more, all of them fitted.")
            continue
        intro = w.intro
        score_interval(page, result.interval(name), scores, result.test_share)
        if len(names) == 1:
            w.title, w.intro = "From the folds' scores to their mean, and how sure it is", intro
        else:
            w.take(page, name, name.replace("_", " "))
    if not w.steps:
        _alone(w, result, names)


def _alone(w: Working, result: Any, names: list[str]) -> None:
    """The scores of folds that have no interval."""
    w.step("Scores", "One score a fold.")
    axis = Axis("fold", range(1, len(result["fit_time"]) + 1), "k", "K")
    for number, name in enumerate(names, start=1):
        w.given(name, result[f"test_{name}"], axis, symbol=f"a_{{{number}}}", label=name)
