"""The best columns by a score of each alone."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, count, format_message, warn
from pellucid.base.types import Flags, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.feature_selection._selector import Selector, attach_any, target_of
from pellucid.feature_selection.scores import f_classif

__all__ = ["GenericUnivariateSelect", "SelectFdr", "SelectFpr", "SelectFwe", "SelectKBest", "SelectPercentile"]


def _check_function(value: Any) -> str | None:
    return None if callable(value) else f"score_func must be a function of (X, y); got {value!r}"


def _wants_target(score: Any) -> bool:
    """Can the function not do without y?"""
    try:
        known = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):
        return True
    by_place = [p for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(by_place) > 1 and by_place[1].default is inspect.Parameter.empty


class Filter(Selector):
    """Scores every column by itself; a subclass writes `_choose`."""

    score_func: Any = param(
        default=f_classif,
        kw_only=False,
        check=_check_function,
        doc="A function of (X, y) that gives a score for each column, or scores and p values.",
    )

    input_spec = InputSpec(sparse=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = _wants_target(self.score_func)
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        if y is not None or _wants_target(self.score_func):
            attach_any(d, y)

    def _fit(self, d: Design, trace: Trace) -> None:
        y = target_of(d)
        try:
            found = self.score_func(d.numbers) if y is None else self.score_func(d.numbers, y)
        except DataError as error:
            raise type(error)(f"{d.who}: {error}") from None
        pair = isinstance(found, tuple | list)
        scores, p_values = found if pair and len(found) == 2 else (found, None)
        self.scores_: Floats = self._one_each(scores, d)
        self.pvalues_: Floats | None = None if p_values is None else self._one_each(p_values, d)
        self._check_found(d)

    def _one_each(self, values: Any, d: Design) -> Floats:
        column = np.asarray(values)
        if column.shape != (d.n_cols,):
            requirement = "score_func must give one number a column"
            actual = f"got shape {column.shape} for {count(d.n_cols, 'column')}"
            raise DataError(format_message(d.who, requirement, actual=actual))
        return column.astype(np.float64, copy=False)

    def _check_found(self, d: Design) -> None:
        """What a rule needs to be true of the scores."""

    def _choose(self) -> Flags:
        raise TypeError(f"{type(self).__name__} must write _choose")

    def _support(self) -> Flags:
        return self._choose()


class ProbabilityFilter(Filter):
    """One whose rule looks at p values."""

    alpha: float = param(default=0.05, low=0, high=1, doc="How much error is allowed: see the rule above.")

    def _check_found(self, d: Design) -> None:
        if self.pvalues_ is None:
            hint = "use chi2, f_classif or f_regression, or select by score with SelectKBest"
            raise ParameterError(
                format_message(d.who, "score_func must give p values", actual="it gives scores alone", hint=hint)
            )

    def _p(self) -> Floats:
        assert self.pvalues_ is not None
        return self.pvalues_


def _comparable(scores: Floats) -> Floats:
    """A score that is not defined is below all others."""
    return np.where(np.isnan(scores), np.finfo(np.float64).min, scores)


def best_scores(scores: Floats, k: int | str) -> Flags:
    """The k largest; of equals the last."""
    if k == "all" or int(k) >= len(scores):
        return np.ones(len(scores), dtype=bool)
    support = np.zeros(len(scores), dtype=bool)
    if int(k) > 0:
        support[np.argsort(_comparable(scores), kind="stable")[-int(k) :]] = True
    return support


def best_share(scores: Floats, percentile: float) -> Flags:
    """Those above a percentile; of those that equal it the first, as many as there is room for."""
    if percentile in (0, 100):
        return np.full(len(scores), percentile == 100)
    known = _comparable(scores)
    bar = np.percentile(known, 100 - percentile)
    support = known > bar
    room = int(len(known) * percentile / 100) - int(support.sum())
    support[np.flatnonzero(known == bar)[: max(room, 0)]] = True
    return np.asarray(support)


def fewer_than_discoveries(p: Floats, alpha: float) -> Flags:
    """Benjamini and Hochberg: up to the largest p_(i) that is not above alpha i / m."""
    ordered = np.sort(p)
    passed = ordered[ordered <= alpha / len(p) * np.arange(1, len(p) + 1)]
    return np.asarray(p <= passed.max()) if len(passed) else np.zeros(len(p), dtype=bool)


class SelectKBest(Filter):
    """Keeps the k columns with the highest scores.

    Every column is scored by itself, by `score_func(X, y)`; the k largest stay, in their old order.

    It takes one pass over the table, whatever model follows, and is the first thing to try on thousands of columns. It
    keeps columns that say the same twice, and loses those that speak only together with others:
    `SequentialFeatureSelector` asks a model instead. Fit it inside a pipeline: chosen on all rows, columns have seen
    the rows on which they are later tested.

    Attributes
    ----------
    scores_ : one number a column
    pvalues_ : one number a column, or None if the function gives none

    Examples
    --------
    The first column is the class, the second is not: ``F = 16 / (4 / 2) = 8`` against 0.

    >>> from pellucid.feature_selection import SelectKBest
    >>> selector = SelectKBest(k=1).fit([[1, 5], [3, 6], [5, 5], [7, 6]], ["a", "a", "b", "b"])
    >>> selector.scores_.tolist(), selector.get_support().tolist()
    ([8.0, 0.0], [True, False])

    Notes
    -----
    Of columns with equal scores the last are kept, as scikit-learn does; a score of NaN counts as the lowest.
    """

    k: int | Literal["all"] = param(default=10, low=0, doc="How many columns stay; 'all' keeps every one.")

    def _check_found(self, d: Design) -> None:
        if self.k != "all" and self.k > d.n_cols:
            requirement = f"k={self.k} is greater than n_features={d.n_cols}"
            warn(format_message(d.who, requirement, actual="All the features will be returned"), PellucidWarning)

    def _choose(self) -> Flags:
        return best_scores(self.scores_, self.k)


class SelectPercentile(Filter):
    """Keeps a share of the columns, those with the highest scores.

    Every column is scored by itself, by `score_func(X, y)`; those above the percentile ``100 - percentile`` of the
    scores stay. As `SelectKBest`, with a share instead of a number.

    Attributes
    ----------
    scores_ : one number a column
    pvalues_ : one number a column, or None if the function gives none

    Examples
    --------
    >>> from pellucid.feature_selection import SelectPercentile
    >>> selector = SelectPercentile(percentile=50).fit([[1, 5], [3, 6], [5, 5], [7, 6]], ["a", "a", "b", "b"])
    >>> selector.get_support().tolist()
    [True, False]
    """

    percentile: float = param(default=10, low=0, high=100, doc="How many percent of the columns stay.")

    def _choose(self) -> Flags:
        return best_share(self.scores_, self.percentile)


class SelectFpr(ProbabilityFilter):
    """Keeps the columns whose p value is below alpha.

    Of columns that say nothing, a share alpha is kept by chance: 50 of 1000 at 0.05. `SelectFdr` bounds the share of
    false ones among those kept, `SelectFwe` the chance of a single one.

    Attributes
    ----------
    scores_, pvalues_ : one number a column

    Examples
    --------
    ``F = 8`` with 1 and 2 degrees of freedom has p = 0.106; the second column has F = 0 and p = 1.

    >>> from pellucid.feature_selection import SelectFpr
    >>> selector = SelectFpr(alpha=0.2).fit([[1, 5], [3, 6], [5, 5], [7, 6]], ["a", "a", "b", "b"])
    >>> selector.pvalues_.round(3).tolist(), selector.get_support().tolist()
    ([0.106, 1.0], [True, False])
    """

    def _choose(self) -> Flags:
        return np.asarray(self._p() < self.alpha)


class SelectFdr(ProbabilityFilter):
    """Keeps columns so that at most a share alpha of them is false, on average (Benjamini and Hochberg 1995).

    The p values in ascending order, ``p_(1) <= ... <= p_(m)``: all up to the largest with ``p_(i) <= alpha i / m``.

    Between `SelectFpr`, which lets through a share of all columns, and `SelectFwe`, which wants no false one. The
    bound holds for independent columns, and for those that rise together.

    Attributes
    ----------
    scores_, pvalues_ : one number a column

    Examples
    --------
    ``p_(1) = 0.106 <= 0.3 * 1 / 2``, but ``p_(2) = 1 > 0.3``:

    >>> from pellucid.feature_selection import SelectFdr
    >>> selector = SelectFdr(alpha=0.3).fit([[1, 5], [3, 6], [5, 5], [7, 6]], ["a", "a", "b", "b"])
    >>> selector.get_support().tolist()
    [True, False]
    """

    def _choose(self) -> Flags:
        return fewer_than_discoveries(self._p(), self.alpha)


class SelectFwe(ProbabilityFilter):
    """Keeps columns so that the probability of any false one is at most alpha (Bonferroni).

    A column stays if  ``p < alpha / m``  for m columns.

    The strictest of the rules: with many columns true ones are lost too. See `SelectFdr`.

    Attributes
    ----------
    scores_, pvalues_ : one number a column

    Examples
    --------
    ``0.106 < 0.3 / 2``:

    >>> from pellucid.feature_selection import SelectFwe
    >>> selector = SelectFwe(alpha=0.3).fit([[1, 5], [3, 6], [5, 5], [7, 6]], ["a", "a", "b", "b"])
    >>> selector.get_support().tolist()
    [True, False]
    """

    def _choose(self) -> Flags:
        return np.asarray(self._p() < self.alpha / len(self._p()))


_RULES: dict[str, Callable[[Any, Any], Flags]] = {
    "percentile": lambda f, a: best_share(f.scores_, a),
    "k_best": lambda f, a: best_scores(f.scores_, a),
    "fpr": lambda f, a: np.asarray(f.pvalues_ < a),
    "fdr": lambda f, a: fewer_than_discoveries(f.pvalues_, a),
    "fwe": lambda f, a: np.asarray(f.pvalues_ < a / len(f.pvalues_)),
}


class GenericUnivariateSelect(Filter):
    """Any of the rules of this module, named by a parameter, so that a search can try several.

    ``mode`` is the rule, ``param`` its number: the share in percent of `SelectPercentile`, the k of `SelectKBest`, or
    the alpha of `SelectFpr`, `SelectFdr` and `SelectFwe`.

    Attributes
    ----------
    scores_ : one number a column
    pvalues_ : one number a column, or None if the function gives none

    Examples
    --------
    >>> from pellucid.feature_selection import GenericUnivariateSelect
    >>> selector = GenericUnivariateSelect(mode="k_best", param=1)
    >>> selector.fit([[1, 5], [3, 6], [5, 5], [7, 6]], ["a", "a", "b", "b"]).get_support().tolist()
    [True, False]
    """

    mode: Literal["percentile", "k_best", "fpr", "fdr", "fwe"] = param(
        default="percentile", doc="The rule by which columns stay."
    )
    param: float | Literal["all"] = param(default=1e-5, low=0, doc="The number of the rule; 'all' for mode='k_best'.")

    def _check_params(self) -> None:
        super()._check_params()
        most = {"percentile": 100.0, "k_best": math.inf}.get(self.mode, 1.0)
        if self.param == "all" and self.mode == "k_best":
            return
        whole = self.mode != "k_best" or float(self.param) == int(self.param)
        if self.param == "all" or self.param > most or not whole:
            number = "a whole number or 'all'" if self.mode == "k_best" else f"a number from 0 to {most:g}"
            requirement = f"param must be {number} for mode={self.mode!r}"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {self.param!r}"))

    def _check_found(self, d: Design) -> None:
        if self.mode in ("fpr", "fdr", "fwe") and self.pvalues_ is None:
            requirement = f"score_func must give p values for mode={self.mode!r}"
            hint = "use chi2, f_classif or f_regression, or mode='k_best'"
            raise ParameterError(format_message(d.who, requirement, actual="it gives scores alone", hint=hint))

    def _choose(self) -> Flags:
        return _RULES[self.mode](self, self.param)
