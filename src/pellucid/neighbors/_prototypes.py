"""What classifiers by the nearest of a few labeled vectors share: their target, distances within range, and votes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Classifier
from pellucid.models.neighbors.metric import KINDS

# Squares of numbers within these limits, and sums of many, are neither too large nor too small for a float.
_SMALL, _LARGE = 1e-100, 1e100


class PrototypeClassifier(Classifier):
    """One label a row, and no probabilities unless a subclass has some."""

    least_classes: ClassVar[int] = 1
    instead: ClassVar[str] = "CalibratedClassifierCV makes them from decision_function"

    def _attach_target(self, d: Design, y: Any) -> None:
        fitted_classes: Any = vars(self).get("classes_")
        try:
            super()._attach_target(d, y)
            labels = self.classes_
        finally:
            self.__dict__.pop("classes_", None) if fitted_classes is None else self.__dict__.update(
                classes_=fitted_classes
            )
        if not d.y_is_vector:
            actual = f"got an array of {d.y.shape[1]} columns instead"
            raise DataError(
                format_message(
                    d.who, "y should be a 1d array: one label a row", actual=actual, hint="fit one model a column"
                )
            )
        if fitted_classes is not None:
            recode(d, fitted_classes, in_parts=hasattr(self, "partial_fit"))
            return
        if len(labels) < self.least_classes:
            requirement = "The number of classes has to be greater than one"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got 1 class, {labels.tolist()[0]!r}, in all rows", hint="look at y"
                )
            )
        self.classes_ = labels

    @property
    def predict_proba(self) -> Any:
        """Not there: the nearest vector says which class, not how sure that is."""
        requirement = "it has no predict_proba, since the nearest vector says which class and not how surely"
        raise AttributeError(format_message(type(self).__name__, requirement, hint=self.instead))


def codes_of(d: Design) -> Array:
    """The class of each row as its place among the classes."""
    return np.ascontiguousarray(d.y[:, 0], dtype=np.int32)


def recode(d: Design, classes: Array, in_parts: bool) -> None:
    """Labels of a later part, or those of a fit that is shown, as places among the classes known before."""
    labels = d.classes[0]
    code_of = {label: k for k, label in enumerate(classes.tolist())}
    new = [label for label in labels.tolist() if label not in code_of]
    if new:
        actual = f"y has {join_some(short_repr(label) for label in new)} besides"
        requirement = f"labels must be among {join_some(map(repr, classes.tolist()), limit=8)}"
        hint = "name all labels as classes in the first partial_fit; " if in_parts else ""
        raise DataError(
            format_message(d.who, requirement, actual=actual, hint=f"{hint}show_fit takes the y of the fit")
        )
    d.y = np.array([code_of[label] for label in labels.tolist()], dtype=np.float64)[d.y[:, 0].astype(int)][:, None]
    d.classes = [classes]


def reach_of(d: Design, *more: Floats) -> Floats | None:
    """A power of two for every column that brings squares of all values into range; None where they are."""
    numbers = d.numbers.data if hasattr(d.numbers, "indptr") else d.numbers
    tables = [table for table in (numbers, *more) if np.size(table)]
    largest = max((max(float(table.max()), -float(table.min())) for table in tables), default=0.0)
    if largest == 0 or _SMALL < largest < _LARGE:
        return None
    return np.full(d.n_cols, np.ldexp(1.0, min(1000, -int(np.frexp(largest)[1]))))


def nearest_vectors(
    d: Design, vectors: Floats, k: int, threads: int, metric: str = "euclidean"
) -> tuple[Floats, Array]:
    """Distances and numbers of the k nearest of some vectors, nearest first, among equals the earlier."""
    code = KINDS.index(metric)
    reduced, numbers = _core.nearest_prototypes(d.matrix, vectors, k, code, None, threads)
    scale = reach_of(d, vectors) if _leaves_range(reduced) else None
    if scale is not None:
        reduced, numbers = _core.nearest_prototypes(d.matrix, vectors * scale, k, code, scale, threads)
    return _distances(reduced, scale, metric), numbers


def class_distances(d: Design, vectors: Floats, labels: Array, classes: int, threads: int) -> Floats:
    """The Euclidean distance to the nearest vector of each class, n x classes; infinite for a class without vectors."""
    reduced = _core.class_distances(d.matrix, vectors, labels, classes, 0, None, threads)
    scale = reach_of(d, vectors) if _leaves_range(reduced) else None
    if scale is not None:
        reduced = _core.class_distances(d.matrix, vectors * scale, labels, classes, 0, scale, threads)
    return _distances(reduced, scale, "euclidean")


def _leaves_range(reduced: Floats) -> bool:
    return bool(reduced.size) and not (float(reduced.min()) > _SMALL**2 and float(reduced.max()) < _LARGE**2)


def _distances(reduced: Floats, scale: Floats | None, metric: str) -> Floats:
    apart = np.sqrt(reduced) if metric == "euclidean" else reduced
    with np.errstate(over="ignore"):
        return apart if scale is None else apart / scale[0]


def vote(codes: Array, classes: int) -> Array:
    """The most frequent of each row's codes, which come nearest first; of equally frequent ones the nearest."""
    if codes.shape[1] == 1:
        return np.asarray(codes[:, 0])
    rows = np.arange(len(codes))
    counts = np.zeros((len(codes), classes), dtype=np.intp)
    for j in range(codes.shape[1]):
        counts[rows, codes[:, j]] += 1
    reached = np.take_along_axis(counts, codes, axis=1) == counts.max(axis=1)[:, None]
    return np.asarray(codes[rows, reached.argmax(axis=1)])
