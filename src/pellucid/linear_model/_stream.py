"""Learning from a table that is too large for memory, or never ends: part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier

from pellucid.base.errors import DataError, DataTypeError, ParameterError, format_message
from pellucid.data.stream import distinct_labels, file_names, labeled_parts
from pellucid.estimator.estimator import Estimator

Part = tuple[Any, ...]  # X, y and, where rows have weights, sample_weight


class Streamed(Estimator):
    """A model with `partial_fit` that also takes its parts from an iterator or from files."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        raise TypeError(f"{type(self).__name__} must write partial_fit")

    def fit_stream(
        self,
        source: Any,
        target: str | None = None,
        *,
        weight: str | None = None,
        classes: Any = None,
        passes: int = 1,
        rows: int = 100_000,
    ) -> Self:
        """Learns from parts of a table, of which one at a time is in memory. What was learned before is forgotten.

        Parameters
        ----------
        source : parts, or files
            An iterable of (X, y) or (X, y, sample_weight), each as `partial_fit` takes them; or the path of a Parquet,
            Arrow, JSON-lines or text file, or a list of such paths.
        target : the column of the files that holds the target
        weight : the column that holds weights, if there is one
        classes : all labels, for a classifier
            Looked for in a first pass over files, and over parts that can be gone through twice, unless told.
        passes : how many times to go through all parts
        rows : rows of a part that is read from a file

        Returns
        -------
        self
        """
        self._check_params()
        before = {name: vars(self)[name] for name in self._fitted_names()}
        self._forget()
        try:
            self._fit_parts(source, target, weight, classes, passes, rows)
        except BaseException:  # as a fit that fails
            self._forget()
            self.__dict__.update(before)
            raise
        return self

    def _fit_parts(
        self, source: Any, target: str | None, weight: str | None, classes: Any, passes: int, rows: int
    ) -> None:
        who = type(self).__name__
        _check_counts(who, source, passes, rows)
        if is_classifier(self) and classes is None:
            classes = _labels(who, source, target, rows)
        for _ in range(passes):
            for X, y, *extras in _parts(who, source, target, weight, rows):
                first = {"classes": classes} if is_classifier(self) and not hasattr(self, "coef_") else {}
                self.partial_fit(X, y, sample_weight=extras[0] if extras else None, **first)
        if not hasattr(self, "coef_"):
            raise DataError(format_message(who, "the stream must have at least one part", actual="it was empty"))
        self.n_iter_ = passes


def _check_counts(who: str, source: Any, passes: int, rows: int) -> None:
    for name, value in (("passes", passes), ("rows", rows)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ParameterError(
                format_message(who, f"{name} must be a whole number of at least 1", actual=f"got {value!r}")
            )
    if passes > 1 and isinstance(source, Iterator):
        requirement = "several passes need parts that can be gone through again"
        hint = "pass a list of parts, or files; or go through the parts with partial_fit"
        raise DataError(
            format_message(who, requirement, actual=f"got passes={passes} and {type(source).__name__}", hint=hint)
        )


def _parts(who: str, source: Any, target: str | None, weight: str | None, rows: int) -> Iterator[Part]:
    files = file_names(source)
    if files is not None:
        yield from labeled_parts(files, _target(who, target), weight, who, rows)
        return
    if not isinstance(source, Iterable) or isinstance(source, dict):
        requirement = "the source must be an iterable of (X, y), the path of a file, or a list of paths"
        raise DataTypeError(format_message(who, requirement, actual=f"got {type(source).__name__}"))
    for number, batch in enumerate(source):
        if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
            requirement = "each part must be (X, y) or (X, y, sample_weight)"
            raise DataTypeError(format_message(who, requirement, actual=f"part {number} is {type(batch).__name__}"))
        yield tuple(batch)


def _labels(who: str, source: Any, target: str | None, rows: int) -> Any:
    """All labels, by a pass of its own."""
    files = file_names(source)
    if files is not None:
        return distinct_labels(files, _target(who, target), who, rows)
    if isinstance(source, Iterator):
        requirement = "classes must be passed with parts that can be gone through once"
        raise DataError(
            format_message(who, requirement, actual="got None", hint="fit_stream(parts, classes=[...]) with all labels")
        )
    label_sets = [np.unique(np.asarray(batch[1])) for batch in _parts(who, source, target, None, rows)]
    return np.unique(np.concatenate(label_sets)) if label_sets else [0, 1]


def _target(who: str, target: str | None) -> str:
    if target is None:
        raise ParameterError(
            format_message(who, "files need the name of the target column", actual="got None", hint="target='...'")
        )
    return target
