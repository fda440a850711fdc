"""Exceptions, warnings and the one format of their messages.

``who: what is required; what was passed and where.`` The optional second line is ``hint: what to do``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning
from sklearn.exceptions import NotFittedError as _SklearnNotFittedError


class PellucidError(Exception):
    """Base class of all exceptions of this library."""


class ParameterError(PellucidError, ValueError, TypeError):
    """A parameter of an estimator has a wrong type or value."""


class DataError(PellucidError, ValueError):
    """The data cannot be used as it is."""


class DataTypeError(DataError, TypeError):
    """The data has a type that cannot be read."""


class UnknownNameError(PellucidError, KeyError):
    """A name was requested that does not exist."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # KeyError would put the message into quotes


class MissingExtraError(PellucidError, ImportError):
    """An optional dependency is not installed."""


class NotFittedError(PellucidError, _SklearnNotFittedError):
    """The estimator has not been fitted yet."""


class PellucidWarning(UserWarning):
    """Base class of all warnings of this library."""


class DependentColumnsWarning(PellucidWarning):
    """Columns are (nearly) linearly dependent, so that the coefficients are not uniquely determined."""


class SeparationWarning(PellucidWarning):
    """The classes are linearly separable: without a penalty the optimal coefficients are infinite."""


class UnscaledColumnsWarning(PellucidWarning):
    """Columns have very different scales, so that a few of them dominate all distances."""


class RuleWarning(PellucidWarning):
    """A rule never applies, covers no row, or refers to something that the data does not have."""


class ConvergenceWarning(PellucidWarning, _SklearnConvergenceWarning):
    """An iterative solver stopped before it reached its tolerance."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the user's own line: the first frame outside this library and scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("pellucid", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def format_message(who: str, requirement: str, *, actual: str = "", hint: str = "") -> str:
    """Format an error or a warning: who, what is required, what was passed, and what to do about it.

    >>> requirement = "n_clusters must be at most the number of rows"
    >>> print(format_message("KMeans", requirement, actual="got n_clusters=8 with 5 rows", hint="use fewer"))
    KMeans: n_clusters must be at most the number of rows; got n_clusters=8 with 5 rows.
    hint: use fewer.
    """
    text = f"{who}: {requirement}" + (f"; {actual}" if actual else "")
    text = text if text.endswith(("\n", ".", "?")) else text + "."
    return text + (f"\nhint: {hint.rstrip('.')}." if hint else "")


def join_some(items: Iterable[object], limit: int = 5) -> str:
    """The first few of many, as text.

    >>> join_some([4, 17, 90], limit=2)
    '4, 17 and 1 more'
    """
    values: Sequence[object] = list(items)
    text = ", ".join(str(item) for item in values[:limit])
    return text if len(values) <= limit else f"{text} and {len(values) - limit} more"


def noun_list(noun: str, items: Iterable[object], limit: int = 5) -> str:
    """Some things under their noun, in singular or plural.

    >>> noun_list("row", [4]), noun_list("row", [4, 17])
    ('row 4', 'rows 4, 17')
    """
    values = list(items)
    return f"{noun if len(values) == 1 else noun + 's'} {join_some(values, limit)}"


def short_repr(value: object, max_length: int = 40) -> str:
    """A value as text, cut in the middle when it is long.

    >>> short_repr(10**60, max_length=11)
    '10000...00000'
    """
    text = repr(value)
    half = (max_length - 1) // 2
    return text if len(text) <= max_length else f"{text[:half]}...{text[-half:]}"


def excerpt(text: str, at: int, most: int = 30) -> str:
    """A part of a text, from shortly before a place in it on.

    >>> excerpt("it was once said, and a long time ago", 23)
    '…said, and a long time ago'
    """
    start = max(0, at - 11)
    return f"{'…' if start else ''}{text[start : start + most]}{'…' if start + most < len(text) else ''}"


def count(n: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "row"), count(3_000, "pass"), count(2, "entry"), count(4, "epoch"), count(9, "unit of layer 1")
    ('1 row', '3,000 passes', '2 entries', '4 epochs', '9 units of layer 1')
    """
    if not plural and " of " in noun:
        first, rest = noun.split(" of ", 1)
        return f"{count(n, first)} of {rest}"
    if not plural:
        ending = "es" if noun.endswith(("s", "x", "sh", "tch")) else "s"
        plural = noun[:-1] + "ies" if noun.endswith("ry") else noun + ending
    return f"{n:,} {noun if n == 1 else plural}"
