"""Who fits the model of a round of boosting: trees of ours on a table that is read once, any estimator, or nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import PellucidWarning, count, format_message, warn
from pellucid.base.parallel import is_ours
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.ensemble._members import codes_of, failed
from pellucid.ensemble._samples import LARGEST_SEED, counts_of, take
from pellucid.models.tree.cart import Grower, drawn_columns, in_range, in_unit
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

OWN = (DecisionTreeClassifier, DecisionTreeRegressor)


def is_own(model: Any) -> bool:
    """Is it a tree of ours, which can be grown on a table that is ranked once?"""
    return type(model) in OWN


class OwnTrees:
    """Trees of ours. The columns are ranked once; a drawn sample is rows that count as often as they were drawn."""

    def __init__(self, base: Any, d: Design) -> None:
        self._base, self._d = base, d
        criterion, weighting = base._told()
        self._grower = Grower.of(d, base, criterion, weighting, 1.0, base._threads)

    @staticmethod
    def can(base: Any, resample: bool) -> bool:
        """Is the tree that of a fit? Limits by weight, and numbers of drawn rows, hang on the rows of a fit."""
        by_rows = base.min_samples_split != 2 or base.min_samples_leaf != 1 or base.splitter == "histogram"
        return is_own(base) and base.min_weight_fraction_leaf == 0 and not (resample and by_rows)

    def make(self, random: np.random.RandomState) -> Any:
        """An unfitted model with a seed of its own."""
        return clone(self._base).set_params(random_state=int(random.randint(LARGEST_SEED)))

    def fit(self, model: Any, number: int, weight: Floats, sample_rows: Array | None) -> Any:
        """The model of a round, fitted with weights, or to drawn rows."""
        counts = None if sample_rows is None else counts_of(sample_rows, self._d.n_rows).astype(np.float64)
        d = replace(self._d, weight=weight if counts is None else counts)
        row_weight, n_classes = model._rows(d)
        row_weight, unit = in_range(row_weight)
        draws = model.splitter == "random" or drawn_columns(model.max_features, d.n_cols) < d.n_cols
        nodes = self._grower.grow(d.y, n_classes, row_weight, seed_from(model.random_state) if draws else 0)
        model._keep_schema(d.schema)
        if d.classes:
            model.classes_ = d.classes[0]
        model._keep(d, in_unit(nodes, unit, len(n_classes) > 0))
        return model

    def answers(self, model: Any) -> Array:
        """What the model says of the rows of the fit: places of classes, or numbers."""
        return np.asarray(model._predict_codes(self._d) if self._d.classes else model._predict(self._d))


class AnyModels:
    """Any estimator, cloned and fitted anew in every round.

    To a model of this library, where a weight says how often a row is there, the weights add up to the number of rows;
    to others to 1, as scikit-learn hands them over.
    """

    def __init__(self, base: Any, d: Design, X: Any) -> None:
        self._base, self._d, self._X = base, d, X
        self._total = float(d.n_rows) if is_ours(base) and not is_own(base) else 1.0
        self._y = d.classes[0][d.y[:, 0].astype(int)] if d.classes else d.y[:, 0]

    def make(self, random: np.random.RandomState) -> Any:
        """An unfitted model; it, and what is inside it, with seeds of their own."""
        model = clone(self._base)
        names = [name for name in sorted(model.get_params()) if name.split("__")[-1] == "random_state"]
        return model.set_params(**{name: int(random.randint(LARGEST_SEED)) for name in names}) if names else model

    def fit(self, model: Any, number: int, weight: Floats, sample_rows: Array | None) -> Any:
        """The model of a round, fitted with weights, or to drawn rows; where it raises, the sentence says so."""
        try:
            if sample_rows is None:
                row_weight = weight if self._total == 1 else weight * (self._total / weight.sum())
                return model.fit(self._X, self._y, sample_weight=row_weight)
            return model.fit(take(self._X, sample_rows, None), self._y[sample_rows])
        except MemoryError:
            raise
        except Exception as error:
            if sample_rows is None and number == 1:
                raise  # what is wrong with the data, in the words of the model itself
            sample = "all rows with their weights"
            if sample_rows is not None:
                sample = f"{count(len(np.unique(sample_rows)), 'different row')} drawn"
                if self._d.classes:
                    sample += f", of {count(len(np.unique(self._y[sample_rows])), 'class', 'classes')}"
            what = f"{type(model).__name__} could not be fitted in round {number}, to {sample}"
            raise failed(self._d.who, what, error) from error

    def answers(self, model: Any) -> Array:
        """What the model says of the rows of the fit: places of classes, or numbers."""
        return answers_of(self._d.who, model, self._X, self._d.classes[0] if self._d.classes else None)


class GivenModels(AnyModels):
    """Models that are fitted already, one a round."""

    def __init__(self, models: Sequence[Any], d: Design, X: Any) -> None:
        super().__init__(None, d, X)
        self._left = list(models)

    def make(self, random: np.random.RandomState) -> Any:
        """The next one."""
        return self._left.pop(0)

    def fit(self, model: Any, number: int, weight: Floats, sample_rows: Array | None) -> Any:
        """The model as it is."""
        return model


def answers_of(who: str, model: Any, X: Any, classes: Array | None) -> Array:
    """What a model of another kind says of a table: places of classes, or numbers."""
    predicted = np.asarray(model.predict(X))
    if classes is None:
        return predicted.astype(np.float64).reshape(len(predicted))
    return codes_of(who, f"a {type(model).__name__}", predicted.reshape(len(predicted)), classes)


def warn_of_resampling(who: str, base: Any) -> None:
    """Weights cannot be handed to the model: rows are drawn by them instead."""
    requirement = f"{type(base).__name__} takes no sample_weight, so each round draws its rows by their weights"
    hint = "weighting='resample' says that it is meant so"
    warn(format_message(who, requirement, actual="weighting='reweight' is not possible", hint=hint), PellucidWarning)
