"""Roles for one label or one number a row, and labels of a table that comes in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import Tags

from pellucid.base.errors import DataError, count, format_message, join_some
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.data.target import warn_column_vector
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.roles import Classifier, Regressor


class SingleTargetMixin(Regressor):
    """A regressor of one target at a time."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        super()._attach_target(d, y)
        if d.y_is_vector:
            return
        if d.y.shape[1] > 1:
            requirement, actual = "y must be one column: one target at a time", f"got {d.y.shape[1]} columns"
            raise DataError(format_message(d.who, requirement, actual=actual, hint="fit one model a target"))
        warn_column_vector()


class SingleLabelMixin(Classifier):
    """A classifier of one label a row, of two classes at least; classes may be known from an earlier part."""

    def _attach_target(self, d: Design, y: Any) -> None:
        known: Any = vars(self).get("classes_")
        super()._attach_target(d, y)
        if not d.y_is_vector:
            self.__dict__.pop("classes_") if known is None else self.__dict__.update(classes_=known)
            refuse_columns_of_labels(d)
        if known is not None:
            self.classes_ = known
            _recode_or_refuse(d, known)
        elif len(self.classes_) < 2:
            requirement, label = "The number of classes has to be greater than one", self.classes_.tolist()[0]
            raise DataError(
                format_message(d.who, requirement, actual=f"got 1 class, {label!r}, in all rows", hint="look at y")
            )

    def _name_classes(self, classes: Any, first: bool) -> None:
        """The classes that the first part names; a later one names the same, or none."""
        who = type(self).__name__
        if first:
            self.classes_ = _two_or_more(classes, who)
        elif classes is not None:
            check_same_classes(classes, _two_or_more(classes, who), self.classes_, who)


def refuse_columns_of_labels(d: Design) -> None:
    """One label a row."""
    if not d.y_is_vector:
        actual = f"got an array of {d.y.shape[1]} columns instead"
        raise DataError(
            format_message(
                d.who, "y should be a 1d array: one label a row", actual=actual, hint="fit one model a column"
            )
        )


# ---------------------------------------------------------------------------------------------------------------- parts


def distinct_classes(classes: Any, who: str) -> Array:
    """The labels that the first part of a table must name, in order."""
    if classes is None:
        hint = "partial_fit(X, y, classes=...) with all labels that any part may have"
        raise DataError(
            format_message(who, "classes must be passed on the first call to partial_fit", actual="got None", hint=hint)
        )
    return np.unique(np.asarray(classes))


def _two_or_more(classes: Any, who: str) -> Array:
    found = distinct_classes(classes, who)
    if len(found) < 2:
        requirement = "The number of classes has to be greater than one"
        raise DataError(
            format_message(
                who, requirement, actual=f"got {count(len(found), 'class')}", hint="name all that any part may have"
            )
        )
    return found


def check_same_classes(classes: Any, named: Array, known: Array, who: str) -> None:
    """A later part must not name other labels."""
    if not np.array_equal(named, known):
        requirement = f"`classes={classes!r}` is not the same as on last call to partial_fit"
        raise DataError(format_message(who, requirement, actual=f"was: {known.tolist()!r}"))


def recode(d: Design, known: Array) -> list[Any]:
    """Codes by the classes that are known; labels that are none of them, with which nothing is changed."""
    labels, codes = d.classes[0], d.y[:, 0].astype(int)
    place = {label: k for k, label in enumerate(known.tolist())}
    new = [label for label in labels.tolist() if label not in place]
    if not new:
        d.y = np.array([place[label] for label in labels.tolist()], dtype=np.float64)[codes][:, None]
        d.classes = [known]
    return new


def _recode_or_refuse(d: Design, known: Array) -> None:
    new = recode(d, known)
    if new:
        requirement = "labels must be among the classes that are known"
        actual = f"y holds {join_some(map(repr, new))}; known are {join_some(map(repr, known.tolist()))}"
        raise DataError(
            format_message(
                d.who, requirement, actual=actual, hint="pass all labels as classes to the first partial_fit"
            )
        )


@contextmanager
def forgotten_on_failure(model: Estimator, first: bool) -> Iterator[None]:
    """A first part that fails leaves nothing behind."""
    try:
        yield
    except BaseException:
        if first:
            model._forget()
        raise
