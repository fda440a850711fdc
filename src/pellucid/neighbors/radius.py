"""Classes and numbers from all rows within a radius."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    count,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.neighbors._neighbors import RadiusNeighbors
from pellucid.neighbors._predictors import Predictor
from pellucid.neighbors._questions import Queries
from pellucid.neighbors._voting import Voting
from pellucid.neighbors.regression import Averaging

__all__ = ["RadiusNeighborsClassifier", "RadiusNeighborsRegressor"]

_FEWEST = 1024  # queries at a time, however many rows there are


class RadiusPredictor(RadiusNeighbors, Predictor):
    """Predicts from all rows within a radius."""

    def _each(self) -> int:
        """How many neighbors to expect of a query, when queries are cut into parts."""
        return min(self.n_samples_fit_, (1 << 22) // _FEWEST)

    def _around(self, queries: Queries) -> Any:
        return self._within(queries, self._checked_radius(None))


class RadiusNeighborsClassifier(RadiusPredictor, Voting):
    """Gives a row the class that most rows within a radius have.

    ``P(c | x) = sum of w_i over the neighbors i of class c / sum of w_i over all``  with w = 1, 1/d or 1/d² for a row
    at distance d, over all rows with d at most the radius.

    The neighborhood is the same size everywhere, so the number of votes follows the density of the data: right where
    rows are sampled unevenly and far ones should not vote at all. Where no row is within reach, the row is an outlier:
    it gets ``outlier_label``, or an error says which rows. Prefer `KNeighborsClassifier` with many columns, where a
    radius holds either nobody or everybody.

    Attributes
    ----------
    classes_ : the classes, sorted; a list of them for several targets
    outlier_label_ : label of rows without neighbors, one a target; None if they are refused
    index_, algorithm_, distance_ : the rows, arranged for the search; which kind of index; the distance
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows
    outputs_2d_ : were there several targets?
    sample_indices_ : numbers of the rows drawn, with `max_samples`

    Examples
    --------
    Within 1.5 of 2 lie 1, 2 and 3:

    >>> from pellucid.neighbors import RadiusNeighborsClassifier
    >>> X, y = [[1], [2], [3], [6]], ["a", "b", "b", "a"]
    >>> model = RadiusNeighborsClassifier(radius=1.5, outlier_label="none").fit(X, y)
    >>> model.predict_proba([[2]])
    array([[0.33333333, 0.66666667]])
    >>> model.predict([[2], [6], [90]])
    array(['b', 'a', 'none'], dtype='<U4')

    Notes
    -----
    Parameters and answers are scikit-learn's. A function as `weights` is asked for one neighborhood at a time.
    `sample_weight` says how much a row's vote counts: 2 like the row written twice.
    """

    outlier_label: Any = param(
        default=None,
        doc="Label of rows without neighbors: a label, a list with one a target, 'most_frequent', or None to refuse "
        "such rows.",
    )
    ties: Literal["first", "nearest"] = param(
        default="first",
        doc="Who wins among classes with equal votes: the first class, or the one with the nearest neighbor.",
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fit_rows(d, None if self.max_samples is None else self._groups(d))
        self.outlier_label_ = self._outlier_labels(d)

    def _outlier_labels(self, d: Design) -> list[Any] | None:
        outlier_label, targets = self.outlier_label, len(self._labels)
        if outlier_label is None:
            return None
        if isinstance(outlier_label, str) and outlier_label == "most_frequent":
            weight = np.ones(d.n_rows) if d.weight is None else d.weight
            counts = [np.bincount(d.y[:, t].astype(int), weights=weight) for t in range(targets)]
            return [labels[votes.argmax()] for labels, votes in zip(self._labels, counts, strict=True)]
        several = isinstance(outlier_label, list | tuple | np.ndarray)
        if several and len(outlier_label) != targets:
            requirement = f"The length of outlier_label must be the number of targets, {targets}"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(outlier_label)}"))
        labels = list(outlier_label) if several else [outlier_label] * targets
        for label, classes in zip(labels, self._labels, strict=True):
            if not _fits(np.asarray(label), classes):
                actual = f"got {short_repr(label)} beside {short_repr(classes.tolist())}"
                raise ParameterError(
                    format_message(d.who, "outlier_label must be a label of the type of the classes", actual=actual)
                )
        return labels

    def predict(self, X: Any) -> Array:
        """The predicted label of each row; `outlier_label` where there is no row within the radius."""
        d = self._validate_predict(X)
        codes = self._in_parts(d, self._each(), lambda queries: self._winners(self._around(queries), self.ties)[0])
        self._refuse_lonely(codes[:, 0] < 0)
        columns = [self._decoded(codes[:, t], t) for t in range(codes.shape[1])]
        return np.column_stack(columns) if self.outputs_2d_ else columns[0]

    def _decoded(self, codes: Array, target: int) -> Array:
        labels = self._labels[target]
        lonely = codes < 0
        if not lonely.any():
            return np.asarray(labels[codes])
        assert self.outlier_label_ is not None
        own = np.append(labels, _alike(np.asarray([self.outlier_label_[target]]), labels))
        return np.asarray(own[codes])  # -1 is the last

    def _refuse_lonely(self, lonely: Array) -> None:
        if self.outlier_label_ is None and lonely.any():
            requirement = "No neighbors found for test samples: every row needs one within the radius"
            hint = "use a larger radius, or give outlier_label"
            actual = f"none within {self.radius:g} of {noun_list('row', np.flatnonzero(lonely))}"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))

    def _predict_proba(self, d: Design) -> Any:
        parts = self._in_parts(d, self._each(), lambda queries: [p[0] for p in self._shares(self._around(queries))])
        for target, shares in enumerate(parts):
            self._fill_lonely(shares, target)
        return parts if self.outputs_2d_ else parts[0]

    def _fill_lonely(self, shares: Floats, target: int) -> None:
        """Rows without neighbors: all of the probability to the label of outliers, if it is a class."""
        lonely = np.asarray(~shares.any(axis=1))
        self._refuse_lonely(lonely)
        if not lonely.any():
            return
        assert self.outlier_label_ is not None
        place = np.flatnonzero(self._labels[target] == self.outlier_label_[target])
        if len(place):
            shares[lonely, place[0]] = 1.0
            return
        label = self.outlier_label_[target]
        rows = count(int(lonely.sum()), "row")
        actual = f"Outlier label {label!r} is not in training classes: {rows} without a neighbor, 0 for all"
        warn(format_message(type(self).__name__, "probabilities should add up to 1", actual=actual), PellucidWarning)


def _fits(label: Array, classes: Array) -> bool:
    """Is it a label of the same kind? A whole number beside numbers with a point is."""
    if label.ndim or label.dtype.kind in "US" or classes.dtype.kind in "USO":
        return not label.ndim and label.dtype.kind in "US" and classes.dtype.kind in "USO"
    return bool(np.can_cast(label.dtype, classes.dtype, "same_kind")) or label.astype(classes.dtype) == label


def _alike(label: Array, classes: Array) -> Array:
    """The label in the type of the classes, if that can hold it."""
    if classes.dtype.kind in "USO":
        return label
    same = label.astype(classes.dtype)
    return same if same == label else label


class RadiusNeighborsRegressor(RadiusPredictor, Averaging):
    """Predicts the mean, or the median, of the targets of all rows within a radius.

    ``f(x) = sum w_i y_i / sum w_i``  over the rows i at distance d_i at most the radius, with w = 1, 1/d or 1/d². The
    median is the y at which half of the weight is reached, as in `KNeighborsRegressor`.

    The neighborhood is the same size everywhere, whatever the density. Where no row is within reach there is nothing
    to average: the prediction is NaN, and a warning says so. Prefer `KNeighborsRegressor` with many columns, or where
    every row needs an answer.

    Attributes
    ----------
    index_, algorithm_, distance_ : the rows, arranged for the search; which kind of index; the distance
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows
    sample_indices_ : numbers of the rows drawn, with `max_samples`

    Examples
    --------
    Within 1.5 of 2 lie 1, 2 and 3:

    >>> from pellucid.neighbors import RadiusNeighborsRegressor
    >>> X, y = [[1], [2], [3], [6]], [10, 20, 60, 70]
    >>> RadiusNeighborsRegressor(radius=1.5).fit(X, y).predict([[2], [6]])
    array([30., 70.])
    >>> RadiusNeighborsRegressor(radius=1.5, average="median").fit(X, y).predict([[2]])
    array([20.])

    Notes
    -----
    Parameters and answers are scikit-learn's. A function as `weights` is asked for one neighborhood at a time.
    `sample_weight` says how much a row counts: 2 like the row written twice.
    """

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fit_rows(d, None)

    def _predict(self, d: Design) -> Array:
        averages = self._in_parts(d, self._each(), lambda queries: self._averages(self._around(queries))[0])
        lonely = np.isnan(averages[:, 0])
        if lonely.any():
            requirement = "One or more samples have no neighbors within specified radius; predicting NaN"
            warn(
                format_message(
                    type(self).__name__,
                    requirement,
                    actual=noun_list("row", np.flatnonzero(lonely)),
                    hint="use a larger radius",
                ),
                PellucidWarning,
            )
        return self._shaped(averages)
