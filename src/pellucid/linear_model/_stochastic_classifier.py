"""Classifiers by stochastic gradient descent: two classes by one model, more by one model a class against the rest."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, sentence, some
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.linear_model._linear import LinearClassifier
from pellucid.linear_model._logistic import _class_factors
from pellucid.linear_model._stochastic import _MOST_SEED, Runs, StochasticModel
from pellucid.linear_model._stream import Streamed


def _has_probabilities(model: Any) -> bool:
    if model._plan().loss in ("log_loss", "modified_huber", "squared_sigmoid"):
        return True
    raise AttributeError(f"probability estimates are not available for loss={model._plan().loss!r}")


class StochasticClassifier(Streamed, StochasticModel, LinearClassifier):
    """Labels by the sign of a score that is learned row by row."""

    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None, doc="Weight of each class by its label, or 'balanced': n / (k n_class). It multiplies the rows'."
    )

    # ----------------------------------------------------------------------------------------------------------- target

    def _attach_target(self, d: Design, y: Any) -> None:
        known: Any = vars(self).get("classes_")
        super()._attach_target(d, y)
        if not d.y_is_vector:
            self.__dict__.pop("classes_") if known is None else self.__dict__.update(classes_=known)
            found = f"got an array of {d.y.shape[1]} columns instead"
            raise DataError(sentence(d.who, "y should be a 1d array: one label a row", found, "fit one model a column"))
        if known is not None:
            self.classes_ = known
            _recode(d, known)
        elif len(self.classes_) < 2:
            must = "The number of classes has to be greater than one"
            label = self.classes_.tolist()[0]
            raise DataError(sentence(d.who, must, f"got 1 class, {label!r}, in all rows", "look at y"))

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over one more part of a table.

        Parameters
        ----------
        X : some rows of the table
        y : their labels
        classes : all labels that any part may have; needed by the first call
        sample_weight : n numbers, optional
            How many times as long the step of each row is.

        Returns
        -------
        self
        """
        who, first = type(self).__name__, not hasattr(self, "coef_")
        if self.class_weight == "balanced":
            must = "class_weight 'balanced' is not supported for partial_fit"
            found = "one part does not know how many rows each class has in all"
            raise ParameterError(sentence(who, must, found, "pass weights by label, class_weight={label: weight}"))
        if first:
            self.classes_ = _distinct(classes, who)
        elif classes is not None and not np.array_equal(_distinct(classes, who), self.classes_):
            must = f"`classes={classes!r}` is not the same as on last call to partial_fit"
            raise DataError(sentence(who, must, f"was: {self.classes_.tolist()!r}"))
        try:
            return self._fit_part(X, y, sample_weight)
        except BaseException:
            if first:  # a first part that fails leaves nothing behind
                self._forget()
            raise

    # ------------------------------------------------------------------------------------------------------------- runs

    def _models(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _runs(self, d: Design, seed: int) -> Runs:
        codes, k = d.y[:, 0].astype(int), len(self.classes_)
        weight = np.ones(k)
        if self.class_weight is not None:
            weight = _class_factors(d.who, codes, self.classes_, self.class_weight, np.ones(d.n_rows))
        random = np.random.RandomState(seed)
        if k == 2:
            return Runs.of(1.0, weight[1], weight[0], _order_seed(random))
        seeds = [_order_seed(np.random.RandomState(one)) for one in random.randint(_MOST_SEED, size=k)]
        return Runs.of(np.arange(k), weight, 1.0, seeds)

    def _keep(self, coef: Floats, intercept: Floats, dtype: Any) -> dict[str, Any]:
        return {"coef_": coef.astype(dtype), "intercept_": intercept.astype(dtype)}

    # -------------------------------------------------------------------------------------------------- probabilities

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`.

        Of the losses 'log_loss' and 'squared_sigmoid' the sigmoid of the score, of 'modified_huber' (clip(score, -1,
        1) + 1) / 2. Several classes: each against the rest, divided by their sum.
        """
        return self._predict_proba(self._later(X))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _predict_proba(self, d: Design) -> Floats:
        scores = self._scores(d)
        if self._plan().loss == "modified_huber":
            p = (np.clip(scores, -1, 1) + 1) / 2
        else:
            small = np.exp(-np.abs(scores))
            p = np.where(scores >= 0, scores.dtype.type(1), small) / (1 + small)
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        p[~p.any(axis=1)] = 1  # no class will have the row: each of them alike
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def _order_seed(random: np.random.RandomState) -> int:
    """scikit-learn's: the first number goes to a generator that it does not use."""
    random.randint(1, _MOST_SEED)
    return int(random.randint(_MOST_SEED))


def _distinct(classes: Any, who: str) -> Array:
    if classes is None:
        hint = "partial_fit(X, y, classes=...) with all labels that any part may have"
        raise DataError(sentence(who, "classes must be passed on the first call to partial_fit", "got None", hint))
    found = np.unique(np.asarray(classes))
    if len(found) < 2:
        must = "The number of classes has to be greater than one"
        raise DataError(sentence(who, must, f"got {count(len(found), 'class')}", "name all that any part may have"))
    return found


def _recode(d: Design, known: Array) -> None:
    """Codes by the classes that are known."""
    labels, codes = d.classes[0], d.y[:, 0].astype(int)
    place = {label: k for k, label in enumerate(known.tolist())}
    new = [label for label in labels.tolist() if label not in place]
    if new:
        must = "labels must be among the classes that are known"
        found = f"y holds {some(map(repr, new))}; known are {some(map(repr, known.tolist()))}"
        raise DataError(sentence(d.who, must, found, "pass all labels as classes to the first partial_fit"))
    d.y = np.array([place[label] for label in labels.tolist()], dtype=np.float64)[codes][:, None]
    d.classes = [known]
