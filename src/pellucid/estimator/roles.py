"""Roles: what a regressor, a classifier and a transformer do, in full, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin, TransformerMixin
from sklearn.callback import with_callbacks
from sklearn.utils import Tags

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, attach_weight
from pellucid.data.frames import polars_of_objects
from pellucid.data.target import attach_labels, attach_numbers, check_rows, read_target
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.unsupervised import Unsupervised

# Predictions count as no farther from the target than this many times its size: their squares stay in range.
_FARTHEST = 1e145


class Regressor(RegressorMixin, MultiOutputMixin, Estimator):
    """Predicts numbers. A subclass writes `_fit` and `_predict`."""

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_numbers(d, y)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from a table and its target.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n numbers, or n x k numbers
            The target.
        sample_weight : n numbers, optional
            How much each row counts; 2 counts like the row written twice.

        Returns
        -------
        self
        """
        self._run_fit(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """The predicted number of each row."""
        return self._predict(self._validate_predict(X))

    def _predict(self, d: Design) -> Array:
        raise TypeError(f"{type(self).__name__} must write _predict")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² = 1 - SSE / SST of the predictions; the mean over several targets.

        1 is perfect, 0 is as good as always predicting the mean. A constant target gives 1 when it is predicted exactly
        and 0 otherwise.
        """
        d = self._validate_predict(X)
        attach_numbers(d, y)
        attach_weight(d, sample_weight)
        predicted = self._predict(d).astype(np.float64).reshape(d.y.shape)
        weight = d.unit_weight[0]
        return float(np.mean(r2(d.y, predicted, np.ones(d.n_rows) if weight is None else weight)))


def r2(y: Floats, f: Floats, w: Floats) -> Floats:
    """R² of predictions f of targets y (both n x k) under weights w; 1 for an exact constant, else 0 for a constant."""
    unit = np.ldexp(1.0, np.frexp(np.abs(y).max(axis=0))[1] - 1)  # squares of any target stay in range
    unit = np.where(unit > 0, unit, 1.0)
    with np.errstate(over="ignore"):
        y, f = y / unit, np.clip(f / unit, -_FARTHEST, _FARTHEST)
    w = w / w.max()
    mean = np.average(y, axis=0, weights=w)
    sse, sst = _weighted_sums((y - f) ** 2, w), _weighted_sums((y - mean) ** 2, w)
    exact = np.where(sse == 0, 1.0, 0.0)
    with np.errstate(over="ignore"):
        return np.where(sst == 0, exact, 1 - sse / np.where(sst == 0, 1, sst))


def _weighted_sums(values: Floats, w: Floats) -> Floats:
    """``sum_i w_i v_ij`` of each column j: pairwise, in an order that depends on no BLAS library."""
    return np.asarray(np.ascontiguousarray((w[:, None] * values).T).sum(axis=1))


class Classifier(ClassifierMixin, Estimator):
    """Predicts labels. A subclass writes `_fit` and `_predict_proba` (or `_predict_codes`)."""

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_labels(d, y)
        self.classes_: Any = d.classes[0] if d.y_is_vector else d.classes

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from a table and its labels.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels
            The class of each row.
        sample_weight : n numbers, optional
            How much each row counts; 2 counts like the row written twice.

        Returns
        -------
        self
        """
        self._run_fit(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """The predicted label of each row."""
        codes = self._predict_codes(self._validate_predict(X))
        if isinstance(self.classes_, list):
            return np.column_stack([labels[codes[:, j]] for j, labels in enumerate(self.classes_)])
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, one column a class in the order of `classes_`."""
        return self._predict_proba(self._validate_predict(X))

    def _predict_codes(self, d: Design) -> Array:
        """Position of the predicted label in `classes_`: the most probable, the first of equals."""
        probabilities = self._predict_proba(d)
        if isinstance(probabilities, list):
            return np.column_stack([p.argmax(axis=1) for p in probabilities])
        return np.asarray(probabilities.argmax(axis=1))

    def _predict_proba(self, d: Design) -> Any:
        raise TypeError(f"{type(self).__name__} must write _predict_proba")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows whose labels are predicted right."""
        d = self._validate_predict(X)
        attach_weight(d, sample_weight)
        predicted = self.predict(X)
        actual = read_target(y, type(self).__name__)
        check_rows(actual, d)
        right = (predicted.reshape(d.n_rows, -1) == actual.reshape(d.n_rows, -1)).all(axis=1)
        return float(np.average(right, weights=d.unit_weight[0]))


class Transformer(TransformerMixin, Unsupervised):
    """Makes columns from columns. A subclass writes `_fit`, `_transform` and `get_feature_names_out`."""

    def transform(self, X: Any) -> Any:
        """The new columns of each row, as an array unless `set_output` asked for a frame."""
        out = self._transform(self._validate_predict(X))
        if isinstance(out, np.ndarray) and out.dtype.kind == "O" and self._frames_asked_for() == "polars":
            return polars_of_objects(out, self.get_feature_names_out())
        return out

    def _transform(self, d: Design) -> Any:
        raise TypeError(f"{type(self).__name__} must write _transform")

    def _frames_asked_for(self) -> str:
        """What `set_output` of this estimator, or scikit-learn's setting for all, asks for."""
        own: dict[str, str] = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform") or get_config()["transform_output"])

    def show_transform(self, X: Any, *, rows: Sequence[int] | None = None, **options: Any) -> Any:
        """How the new columns come about: each with its formula and the rows' own numbers put in.

        Parameters
        ----------
        X : a table with the columns that `fit` saw
        rows : positions of rows to show besides the first and last of a long table

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("transform", X, rows=rows, **options)

    def _names_in(self, input_features: Any) -> list[str]:
        """Names of the columns that `fit` saw: given ones must be those of the table if it had any."""
        who, own = type(self).__name__, getattr(self, "feature_names_in_", None)
        if input_features is None:
            return [f"x{j}" for j in range(self.n_features_in_)] if own is None else [str(name) for name in own]
        given = [str(name) for name in input_features]
        if len(given) != self.n_features_in_:
            requirement = f"input_features should have length equal to number of features ({self.n_features_in_})"
            raise DataError(format_message(who, requirement, actual=f"got {len(given)}"))
        if own is not None and given != own.tolist():
            other = next(i for i, name in enumerate(given) if name != own[i])
            actual = f"input_features is not equal to feature_names_in_: {given[other]!r} instead of {own[other]!r}"
            raise DataError(format_message(who, "names must be those of the fitted table", actual=actual))
        return given


class SupervisedTransformer(Transformer):
    """A transformer that learns from a target too. A subclass reads it in `_attach_target`."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from a table and its target what `transform` has to know.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels or numbers
            The target.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self


class OptionalTarget(Transformer):
    """A transformer that learns from a target where its settings ask for it; read in `_attach_target`."""

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from a table, and from its target where the settings ask for one, what `transform` has to know.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels or numbers, optional
            The target; not looked at where it is not needed.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self


class OptionalTargetAndWeight(Transformer):
    """The same, with rows that count differently."""

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learns from a table, and from its target where the settings ask for one, what `transform` has to know.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels or numbers, optional
            The target; not looked at where it is not needed.
        sample_weight : n numbers, optional
            How much each row counts; 2 counts like the row written twice.

        Returns
        -------
        self
        """
        self._run_fit(X, y, sample_weight)
        return self


class SameNames(Transformer):
    """A transformer whose columns keep their names."""

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns, which stay the same.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        return np.array(self._names_in(input_features), dtype=object)
