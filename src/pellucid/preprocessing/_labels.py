"""What the encoders of a target share: they read labels, not a table."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import Tags

from pellucid.base.errors import DataError, DataTypeError, format_message
from pellucid.base.types import Array
from pellucid.data.coding import distinct
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.data.target import read_target, warn_column_vector
from pellucid.estimator.estimator import Estimator


class LabelTransformer(TransformerMixin, Estimator, auto_wrap_output_keys=None):
    """Reads a target, not a table: ``fit(y)``, ``transform(y)``."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags

    def fit(self, y: Any) -> Self:
        """Learns which labels there are.

        Parameters
        ----------
        y : n labels

        Returns
        -------
        self
        """
        self._check_params()
        self._learn(y)
        return self

    def _learn(self, y: Any) -> None:
        raise TypeError(f"{type(self).__name__} must write _learn")

    def transform(self, y: Any) -> Any:
        """The labels as numbers.

        Parameters
        ----------
        y : n labels
        """
        self._check_fitted()
        return self._transform(y)

    def _transform(self, y: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must write _transform")

    def fit_transform(self, y: Any) -> Any:
        """Fits, and gives the same labels as numbers.

        Parameters
        ----------
        y : n labels
        """
        return self.fit(y).transform(y)

    def show_fit(self, y: Any, **options: Any) -> Any:  # type: ignore[override]
        """How the fitted labels came about.

        Parameters
        ----------
        y : the labels that `fit` saw

        Returns
        -------
        pellucid.working.Working
        """
        return self._show_labels("fit", y, **options)

    def show_transform(self, y: Any, **options: Any) -> Any:
        """How the numbers of labels come about.

        Parameters
        ----------
        y : n labels

        Returns
        -------
        pellucid.working.Working
        """
        return self._show_labels("transform", y, **options)

    def _show_labels(self, method: str, y: Any, **options: Any) -> Any:
        self._check_fitted()
        return self._show(method, Labels(y), **options)

    def _validate_predict(self, X: Any) -> Any:
        return X.design(type(self).__name__)


class Labels:
    """Labels on their way to a working: a table of no columns with so many rows."""

    def __init__(self, y: Any) -> None:
        self.y = y

    def design(self, who: str) -> Design:
        rows = self.y.shape[0] if hasattr(self.y, "shape") else len(self.y)
        return infer_schema(np.empty((rows, 1)), InputSpec(values=False), who)


def vector_of(y: Any, who: str) -> Array:
    """Labels as an array of one dimension that the coding of columns takes."""
    array = read_target(y, who)
    if array.ndim == 2 and array.shape[1] == 1:
        warn_column_vector()
        array = array.ravel()
    if array.ndim != 1:
        actual = f"got an array of shape {array.shape} instead"
        raise DataError(
            format_message(who, "y should be a 1d array", actual=actual, hint="encode one target at a time")
        )
    if array.dtype.kind in "biufmM" and array.dtype.itemsize > 8:
        return array.astype(object)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def labels_of(array: Array, threads: int, who: str) -> Array:
    try:
        return distinct(array, threads)[0]
    except TypeError:
        kinds = sorted({type(value).__name__ for value in array.tolist()})
        requirement = "Encoders require their input argument must be uniformly strings or numbers"
        raise DataTypeError(
            format_message(who, requirement, actual=f"Got {kinds}", hint="turn them into text with str")
        ) from None
