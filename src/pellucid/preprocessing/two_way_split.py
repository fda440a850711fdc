"""Numbers as one question each: above a cut or not."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, count, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, check_finite
from pellucid.data.figures import Figures
from pellucid.estimator.roles import OptionalTargetAndWeight
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._cuts import (
    Criterion,
    assign,
    attach_either,
    column_quantiles,
    greedy_cuts,
    in_the_order_of,
    weighted_quantiles,
)

__all__ = ["TwoWaySplit"]

_LEARNED = ("median", "mean", "best")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and bool(np.isfinite(float(value)))


def _check_cut(value: Any) -> str | None:
    if isinstance(value, str):
        good = value in _LEARNED
    elif isinstance(value, Mapping):
        good = len(value) > 0 and all(_is_number(cut) for cut in value.values())
    elif hasattr(value, "__len__"):
        good = len(value) > 0 and all(_is_number(cut) for cut in value)
    else:
        good = _is_number(value)
    if good:
        return None
    return (
        "cut must be 'median', 'mean', 'best', a number, one for each column, or a dict of them; got "
        f"{short_repr(value)}"
    )


class TwoWaySplit(OptionalTargetAndWeight):
    """Makes of every column of numbers one column of 0 and 1, by whether it is above a cut.

    ``z = 1 if x > v else 0``  with a cut v for each column. "x > v" and "x <= v" are two questions with one answer, so
    that one column is enough; `keep` says which of them is asked.

    The cut is given, the column's median or mean, or the best one against a target: that with the largest information
    gain  ``H(y) - n_below / n H(y below) - n_above / n H(y above)``,  H being the entropy of labels in bits; for a
    target of numbers the variance takes its place. Best cuts lie half way between two neighboring values, the
    leftmost of equally good ones wins, and a column that cannot be cut (it or y is constant) is cut at its largest
    value.

    For methods that take yes and no alone: item sets, naive Bayes of flags, hand-made rules. It throws away more than
    `KBinsDiscretizer` with more bins. "best" looks at y, and so belongs inside a cross-validation. Missing values and
    sparse tables are refused. float32 stays float32.

    Attributes
    ----------
    cuts_ : one number a column
        The v of each column.
    gains_ : one number a column
        With "best" alone: the information gain in bits, or by how much the variance falls.

    Examples
    --------
    >>> from pellucid.preprocessing import TwoWaySplit
    >>> X, y = [[1], [2], [3], [10]], ["no", "no", "yes", "yes"]
    >>> TwoWaySplit(cut=2).fit_transform(X).ravel().tolist()
    [0.0, 0.0, 1.0, 1.0]
    >>> TwoWaySplit(cut="mean").fit(X).cuts_.tolist(), TwoWaySplit(cut="median").fit(X).cuts_.tolist()
    ([4.0], [2.5])
    >>> split = TwoWaySplit(cut="best").fit(X, y)
    >>> split.cuts_.tolist(), split.gains_.tolist(), split.get_feature_names_out(["age"]).tolist()
    ([2.5], [1.0], ['age > 2.5'])
    """

    cut: Any = param(
        default="median",
        kw_only=False,
        check=_check_cut,
        doc="'median', 'mean' or 'best' (against y) of each column; or given: a number for all columns, one for each, "
        "or a dict from the names of columns to numbers.",
    )
    inclusive: bool = param(default=False, doc="Does the cut itself belong to the upper side: x >= v instead of x > v?")
    keep: Literal["above", "below"] = param(
        default="above", doc="Which side is 1: 'above', x > v; or 'below', x <= v (x < v if the cut is above)."
    )
    criterion: Criterion = param(
        default="auto",
        doc="For 'best', what is lowered: 'entropy' of labels, 'squared_error' of numbers, or 'auto', which takes a y "
        "with fractions for numbers and any other for labels.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._learned() == "best"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _learned(self) -> str:
        """Which cut is learned; "" for given ones."""
        return self.cut if isinstance(self.cut, str) else ""

    def _attach_target(self, d: Design, y: Any) -> None:
        if self._learned() == "best":
            attach_either(d, y, self.criterion)

    def _fit(self, d: Design, trace: Trace) -> None:
        check_finite(d, allow_nan=False)
        learn = {"": self._given, "mean": self._means, "median": self._medians, "best": self._best}
        self.cuts_: Floats = learn[self._learned()](d)

    def _means(self, d: Design) -> Floats:
        return Figures.read(d, self._threads).means

    def _medians(self, d: Design) -> Floats:
        half = np.array([0.5])
        if d.weight is None:
            return np.array([q[0] for q in column_quantiles(d.numbers, [half] * d.n_cols, "linear", self._threads)])
        there = d.weight > 0
        columns = (d.numbers[there, j].astype(np.float64) for j in range(d.n_cols))
        return np.array([weighted_quantiles(x, d.weight[there], half, True)[0] for x in columns])

    def _best(self, d: Design) -> Floats:
        made = greedy_cuts(d, None, np.full(d.n_cols, 2, dtype=np.int64), 1, self._threads)
        self._labels_ = bool(d.classes)
        cuts, self.gains_ = d.numbers.max(axis=0).astype(np.float64), np.zeros(d.n_cols)
        for j, one in enumerate(made):
            if len(one):
                below, cut, above, self.gains_[j] = one[0]
                cuts[j] = below if cut == above and not self.inclusive else cut
        return np.asarray(cuts)

    def _given(self, d: Design) -> Floats:
        if isinstance(self.cut, Mapping):
            names = d.column_labels()
            absent, extra = [n for n in names if n not in self.cut], [n for n in self.cut if n not in names]
            if absent or extra:
                actual = (
                    f"no cut for {join_some(map(repr, absent))}"
                    if absent
                    else f"no column {join_some(map(repr, extra))}"
                )
                raise ParameterError(format_message(d.who, "cut must name every column, and no other", actual=actual))
            return np.array([float(self.cut[name]) for name in names])
        cuts = np.atleast_1d(np.asarray(self.cut, dtype=np.float64))
        if len(cuts) not in (1, d.n_cols) or (len(cuts) == 1 and hasattr(self.cut, "__len__") and d.n_cols != 1):
            requirement = "cut must be one number, or one for each column"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {len(cuts)} for {count(d.n_cols, 'column')}")
            )
        return np.broadcast_to(cuts, d.n_cols).copy()

    def _transform(self, d: Design) -> Array:
        first_above = self.cuts_ if self.inclusive else np.nextafter(self.cuts_, np.inf)
        out = in_the_order_of(d.numbers, d.dtype)
        assign(d, [np.array([one]) for one in first_above], np.zeros(d.n_cols), out, self._threads)
        return out if self.keep == "above" else np.subtract(1, out, out=out)

    def _sign(self) -> str:
        above = self.keep == "above"
        if self.inclusive:
            return ">=" if above else "<"
        return ">" if above else "<="

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The questions that are answered: ``"age > 2.5"``.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names, sign = self._names_in(input_features), self._sign()
        return np.array([f"{n} {sign} {v:.6g}" for n, v in zip(names, self.cuts_, strict=True)], dtype=object)
