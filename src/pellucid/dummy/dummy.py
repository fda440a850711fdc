"""Baselines: predictions that look at the target alone. A model that does not beat them has learned nothing."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, join_some, short_repr
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.estimator.trace import Trace

__all__ = ["DummyClassifier", "DummyRegressor"]


def _weights(d: Design) -> Floats:
    return np.ones(d.n_rows) if d.weight is None else d.weight


def _quantile(values: Floats, weight: Floats, q: float) -> float:
    """The q-quantile of values written as often as their weight says, interpolated between neighbors.

    With W = sum of weights the position is h = q (W - 1), counted from 0; a weight of 2 is a value written twice.
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    h = max(q * (float(reached[-1]) - 1), 0.0)
    lower = float(np.floor(h))

    def at(position: float) -> float:
        index = min(int(np.searchsorted(reached, position, side="right")), len(values) - 1)
        return float(values[order][index])

    return at(lower) + (h - lower) * (at(lower + 1) - at(lower))


class DummyRegressor(Regressor):
    """Predicts the same number for every row: the mean of the target, its median, a quantile, or a given number.

    With targets ``y_i`` and weights ``w_i`` the mean is  ``sum_i w_i y_i / sum_i w_i``;  it is the constant with the
    smallest squared error, as the median is the one with the smallest absolute error. X is not looked at. Use it to see
    what a score is worth; R² of the mean is 0 by definition.

    A weight counts as repetition also for the median and the quantiles (scikit-learn interpolates weighted quantiles
    differently).

    Attributes
    ----------
    constant_ : 1 x k array
        What is predicted for each of the k targets.
    n_outputs_ : int

    Examples
    --------
    >>> from pellucid.dummy import DummyRegressor
    >>> DummyRegressor().fit([[0], [0], [0]], [1, 2, 6]).predict([[9]])
    array([3.])
    """

    strategy: Literal["mean", "median", "quantile", "constant"] = param(
        default="mean",
        doc="Which number: 'mean', 'median', 'quantile' (with `quantile`) or 'constant' (with `constant`).",
    )
    constant: Any = param(default=None, doc="The number, or one a target, for strategy='constant'.")
    quantile: float | None = param(default=None, low=0, high=1, doc="Which quantile for strategy='quantile'.")

    input_spec = InputSpec(values=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        self.n_outputs_ = d.y.shape[1]
        self._y_is_vector_ = d.y_is_vector
        self.constant_ = np.asarray(self._numbers(d), dtype=np.float64).reshape(1, -1)

    def _numbers(self, d: Design) -> Any:
        weight = _weights(d)
        if self.strategy == "mean":
            unit = 2.0 ** np.ceil(np.log2(np.maximum(np.abs(d.y).max(axis=0), 1.0)))  # no sum overflows
            return np.average(d.y / unit, axis=0, weights=d.unit_weight[0]) * unit
        if self.strategy == "constant":
            return self._given(d)
        if self.strategy == "quantile" and self.quantile is None:
            raise ParameterError(
                format_message(
                    "DummyRegressor", "strategy='quantile' needs quantile, a number from 0 to 1", actual="got None"
                )
            )
        q = 0.5 if self.quantile is None or self.strategy == "median" else self.quantile
        return [_quantile(column, weight, q) for column in d.y.T]

    def _given(self, d: Design) -> Floats:
        if self.constant is None:
            raise ParameterError(
                format_message("DummyRegressor", "strategy='constant' needs constant", actual="got None")
            )
        try:
            given = np.asarray(self.constant, dtype=np.float64).ravel()
            if not np.isfinite(given).all():
                raise ValueError(given)
        except (TypeError, ValueError):
            raise ParameterError(
                format_message(
                    "DummyRegressor",
                    "constant must be a number, or one a target",
                    actual=f"got {short_repr(self.constant)}",
                )
            ) from None
        if len(given) != d.y.shape[1]:
            raise ParameterError(
                format_message(
                    "DummyRegressor",
                    "constant must have one number a target",
                    actual=f"got {len(given)} for {d.y.shape[1]}",
                )
            )
        return given

    def _predict(self, d: Design) -> Array:
        found = np.repeat(self.constant_, d.n_rows, axis=0)
        return found[:, 0] if self._y_is_vector_ else found


class DummyClassifier(Classifier):
    """Predicts from the classes' shares alone: always the most frequent one, one drawn at random, or a given one.

    The share of class c is  ``sum_{i: y_i = c} w_i / sum_i w_i``.  X is not looked at. The accuracy of
    ``strategy="prior"`` is the share of the majority: on 5000 against 20 rows that is 99.6 %, and worth nothing. Random
    strategies draw row r from number r of a counter-based stream, so that ``random_state`` alone decides.

    Attributes
    ----------
    classes_ : labels, sorted; a list of arrays for several targets
    class_prior_ : share of each class; a list for several targets
    n_classes_ : number of classes; a list for several targets
    n_outputs_ : int

    Examples
    --------
    >>> from pellucid.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0], [0]], ["no", "yes", "no", "no"])
    >>> model.predict([[9]]).tolist(), model.predict_proba([[9]]).tolist()
    (['no'], [[0.75, 0.25]])
    """

    strategy: Literal["prior", "most_frequent", "stratified", "uniform", "constant"] = param(
        default="prior",
        doc="'prior' (the most frequent class; probabilities are the shares), 'most_frequent' (the same with "
        "probability 1), 'stratified' (drawn by the shares), 'uniform' (drawn evenly) or 'constant' (with `constant`).",
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the random strategies; None draws anew each time."
    )
    constant: Any = param(default=None, doc="The label, or one a target, for strategy='constant'.")

    input_spec = InputSpec(values=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.target_tags.multi_output = True
        tags.non_deterministic = self.strategy in ("stratified", "uniform")
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        weight, _ = d.unit_weight
        weight = np.ones(d.n_rows) if weight is None else weight
        sizes = [len(labels) for labels in d.classes]
        priors = [
            np.bincount(codes.astype(int), weights=weight, minlength=size) / weight.sum()
            for codes, size in zip(d.y.T, sizes, strict=True)
        ]
        self.n_outputs_ = d.y.shape[1]
        self.class_prior_: Any = priors[0] if d.y_is_vector else priors
        self.n_classes_: Any = sizes[0] if d.y_is_vector else sizes
        self._constants_ = self._places(d.classes) if self.strategy == "constant" else []

    def _places(self, classes: list[Array]) -> list[int]:
        """Position of the given label among the classes, for each target."""
        if self.constant is None:
            raise ParameterError(
                format_message("DummyClassifier", "strategy='constant' needs constant", actual="got None")
            )
        given = np.atleast_1d(np.asarray(self.constant, dtype=object)).ravel()
        if len(given) != len(classes):
            raise ParameterError(
                format_message(
                    "DummyClassifier",
                    "constant must have one label a target",
                    actual=f"got {len(given)} for {len(classes)}",
                )
            )
        places = []
        for label, labels in zip(given, classes, strict=True):
            found = np.flatnonzero(labels == label)
            if len(found) == 0:
                raise DataError(
                    format_message(
                        "DummyClassifier",
                        "The constant target value must be present in the training data",
                        actual=f"got {label!r}; the classes are {join_some(map(repr, labels.tolist()))}",
                    )
                )
            places.append(int(found[0]))
        return places

    def _predict_proba(self, d: Design) -> Any:
        if not isinstance(self.class_prior_, list):
            return self._shares(self.class_prior_, 0, d.n_rows)
        return [self._shares(prior, target, d.n_rows) for target, prior in enumerate(self.class_prior_)]

    def _shares(self, prior: Floats, target: int, rows: int) -> Floats:
        if self.strategy == "prior":
            return np.tile(prior, (rows, 1))
        if self.strategy == "uniform":
            return np.full((rows, len(prior)), 1 / len(prior))
        out = np.zeros((rows, len(prior)))
        out[np.arange(rows), self._codes(prior, target, rows)] = 1.0
        return out

    def _codes(self, prior: Floats, target: int, rows: int) -> Array:
        if self.strategy == "constant":
            return np.full(rows, self._constants_[target])
        if self.strategy in ("prior", "most_frequent"):
            return np.full(rows, int(np.argmax(prior)))
        shares = prior if self.strategy == "stratified" else np.full(len(prior), 1 / len(prior))
        drawn = np.searchsorted(np.cumsum(shares), uniform(seed_from(self.random_state), target, rows), side="right")
        return np.asarray(np.minimum(drawn, len(prior) - 1))

    def _predict_codes(self, d: Design) -> Array:
        if not isinstance(self.class_prior_, list):
            return self._codes(self.class_prior_, 0, d.n_rows)
        return np.column_stack([self._codes(prior, t, d.n_rows) for t, prior in enumerate(self.class_prior_)])
