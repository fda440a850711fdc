"""One column in or out at a time, by what a model gains or loses."""

from __future__ import annotations

import numbers
from typing import Any, Literal, NamedTuple

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Flags, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.feature_selection._judges import Judge, judge_of, refuse_no_scores
from pellucid.feature_selection._wrapped import WrappedSelector, is_share, is_whole

__all__ = ["SelectionRound", "SequentialFeatureSelector"]


class SelectionRound(NamedTuple):
    """One round: what was done with which column, how good the set is then, and what others would have given.

    column, name : the column that came in or went out: its position, and its name
    n_features : columns in use after the round
    score, fold_scores : mean score of the set, and on each fold
    candidates : mean score of each column that could have been chosen; NaN for the others
    """

    action: str
    column: int
    name: str
    n_features: int
    score: float
    fold_scores: Floats
    candidates: Floats


def _check_number(value: Any) -> str | None:
    if value == "auto":
        return None
    words = "n_features_to_select must be 'auto', a whole number above 0, or a share above 0 and at most 1"
    return None if is_whole(value) or is_share(value) else f"{words}; got {value!r}"


class SequentialFeatureSelector(WrappedSelector):
    """Adds the column that helps a model most, or drops the one that it misses least, again and again.

    Forward, the set A of chosen columns starts empty, and every round takes in

    ``j = argmax over columns not in A of  mean score of the model on A + {j}``,

    the mean over the folds of cross-validation, the first of equals. Backward, A starts with all columns and every
    round leaves out the one without which the score is highest. `path_` keeps every round. With ``floating=True`` a
    round is followed by steps the other way as long as these give a set better than any of its size so far: what came
    in early may leave when better company has come (Pudil, Novovicova, Kittler 1994).

    It sees what columns say together with those chosen, which scores of single columns (`SelectKBest`) do not; two
    that speak only as a pair it finds backward, or not at all. It fits about ``p k`` models for k of p columns on
    every fold: `RFE` fits k. For `LinearRegression` with an R² or squared-error score no model is fitted: the cross
    products of each fold are found once and every set is scored from them, with the same result within rounding.
    Scores along the path are those of the best of many sets and so too good: score the chosen set anew, or put the
    selector into a pipeline and validate that.

    Attributes
    ----------
    support_ : one flag a column
        Which columns were chosen.
    n_features_to_select_ : int
        How many.
    path_ : list of SelectionRound
        Every round: what was done, and the scores.

    Examples
    --------
    The target is three times the second column, and the first is noise:

    >>> from pellucid.feature_selection import SequentialFeatureSelector
    >>> from pellucid.linear_model import LinearRegression
    >>> X = [[3, 1], [1, 2], [4, 3], [1, 4], [5, 5], [9, 6]]
    >>> selector = SequentialFeatureSelector(LinearRegression(), n_features_to_select=1, cv=2)
    >>> selector.fit(X, [3, 6, 9, 12, 15, 18]).get_support().tolist()
    [False, True]
    >>> [(step.action, step.column, round(step.score, 6)) for step in selector.path_]
    [('add', 1, 1.0)]

    Notes
    -----
    As scikit-learn, which splits the rows anew for every set: with a shuffling splitter without a seed its sets are
    compared on different folds, here on the same. One column is enough.
    """

    n_features_to_select: Any = param(
        default="auto",
        check=_check_number,
        doc="How many columns, or which share of them; 'auto': as long as the score gains `tol`, or half without.",
    )
    tol: float | None = param(default=None, doc="Stop when a round gains less than this; with 'auto' only.")
    direction: Literal["forward", "backward"] = param(default="forward", doc="Add columns, or drop them.")
    scoring: Any = param(
        default=None, doc="A name, a function of (estimator, X, y), or None for the model's own score."
    )
    cv: Any = param(default=5, doc="Number of folds, a splitter, or pairs of rows; None for 5 folds.")
    n_jobs: int | None = param(default=None, doc="Fits side by side; None means one, -1 all cores.")
    floating: bool = param(default=False, doc="Is every round followed by steps the other way while these help?")

    def _check_params(self) -> None:
        super()._check_params()
        if self.tol is not None and self.tol < 0 and self.direction == "forward":
            requirement = "tol must be strictly positive when doing forward selection"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {self.tol!r}"))

    def _fit(self, d: Design, trace: Trace) -> None:
        rounds = self._rounds(d.n_cols)
        judge = judge_of(d, self.estimator, self.cv, self.scoring, self.n_jobs, self._threads)
        forward = self.direction == "forward"
        walk = Walk(judge, d, np.full(d.n_cols, not forward))
        least = self.tol if self.n_features_to_select == "auto" else None
        goal = rounds if forward else d.n_cols - rounds
        walk.go(goal, forward, least, self.floating)
        self.support_: Flags = walk.used
        self.n_features_to_select_ = int(walk.used.sum())
        self.path_ = walk.path

    def _rounds(self, p: int) -> int:
        """How many columns come in, or go out."""
        wanted, forward = self.n_features_to_select, self.direction == "forward"
        if isinstance(wanted, str):
            most = max(p - 1, 1) if self.tol is not None else max(p // 2, 1)
            return most if forward else min(most, p - 1)
        if isinstance(wanted, numbers.Integral):
            number = int(wanted)
            if number >= p and p > 1:
                requirement, hint = (
                    "n_features_to_select must be < n_features",
                    "'auto' with a tol lets the score decide",
                )
                raise ParameterError(
                    format_message(type(self).__name__, requirement, actual=f"got {number} of {p}", hint=hint)
                )
            number = min(number, p)
        else:
            number = int(p * float(wanted))
        return number if forward else p - number

    def _support(self) -> Flags:
        return self.support_.copy()


class Walk:
    """The columns in use, what was done so far, and the best set of each size."""

    def __init__(self, judge: Judge, d: Design, used: Flags) -> None:
        self.judge, self.used, self.path = judge, used, list[SelectionRound]()
        self.who, self.labels = d.who, d.column_labels()
        self.best: dict[int, tuple[float, Flags]] = {}

    def go(self, goal: int, forward: bool, least: float | None, floating: bool) -> None:
        """Round after round until `goal` columns are in use, or a round gains less than `least`."""
        score = -np.inf
        while (self.used.sum() < goal) if forward else (self.used.sum() > goal):
            before = self.used.copy()
            gained = self._round(forward)
            if least is not None and gained.score - score < least:
                self.used = before
                self.path.pop()
                break
            score = gained.score
            if floating:
                score = self._float(forward, gained.column, score)
        size = int(self.used.sum())
        if floating and size in self.best:
            self.used = self.best[size][1].copy()

    def _round(self, adding: bool) -> SelectionRound:
        scores = self.judge.adding(self.used) if adding else self.judge.removing(self.used)
        return self._take(scores, adding)

    def _take(self, scores: Floats, adding: bool) -> SelectionRound:
        refuse_no_scores(self.who, scores)
        means = scores.mean(axis=1)
        refuse_no_scores(self.who, means)
        column = int(np.nanargmax(means))
        self.used = self.used.copy()
        self.used[column] = adding
        size = int(self.used.sum())
        done = SelectionRound(
            "add" if adding else "drop", column, self.labels[column], size, float(means[column]), scores[column], means
        )
        self.path.append(done)
        if size not in self.best or done.score > self.best[size][0]:
            self.best[size] = (done.score, self.used.copy())
        return done

    def _float(self, forward: bool, newest: int, score: float) -> float:
        """Steps the other way, as long as each gives a set better than any of its size so far."""
        while True:
            size = int(self.used.sum())
            if size < 3 if forward else size > len(self.used) - 2:
                return score
            scores = self.judge.removing(self.used) if forward else self.judge.adding(self.used)
            scores[newest] = np.nan
            means = scores.mean(axis=1)
            known = self.best.get(size - 1 if forward else size + 1)
            if np.isnan(means).all() or known is None or not np.nanmax(means) > known[0] + 1e-12 * abs(known[0]):
                return score
            score = self._take(scores, not forward).score
