"""Errors and warnings in one sentence shape.

``who: what must be true; what was found, where.`` and on a second line, where there is a cure, ``hint: what to do``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning
from sklearn.exceptions import NotFittedError as _SklearnNotFittedError


class PellucidError(Exception):
    """Root of every error that this library raises on purpose."""


class ParameterError(PellucidError, ValueError, TypeError):
    """A parameter of an estimator has a wrong type or value."""


class DataError(PellucidError, ValueError):
    """The data cannot be used as they are."""


class DataTypeError(DataError, TypeError):
    """The data are of a kind that cannot be read at all."""


class UnknownNameError(PellucidError, KeyError):
    """Something is asked for by a name that it does not have."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would put its sentence into quotes


class MissingExtraError(PellucidError, ImportError):
    """An optional dependency is not installed."""


class NotFittedError(PellucidError, _SklearnNotFittedError):
    """The estimator has not been fitted yet."""


class PellucidWarning(UserWarning):
    """Root of every warning of this library."""


class DependentColumnsWarning(PellucidWarning):
    """Columns are dependent or nearly so: coefficients are not, or hardly, determined."""


class SeparationWarning(PellucidWarning):
    """A plane parts the classes: without a penalty the best coefficients are infinite."""


class UnscaledColumnsWarning(PellucidWarning):
    """Columns are on very different scales: a few of them decide alone which rows are near each other."""


class RuleWarning(PellucidWarning):
    """A rule can never fire, covers no row, or names something that the data do not have."""


class ConvergenceWarning(PellucidWarning, _SklearnConvergenceWarning):
    """An iterative method stopped before it reached its tolerance."""


def warn(message: str, category: type[Warning]) -> None:
    """Warns at the user's own line: the first frame outside this library and scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("pellucid", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def sentence(who: str, must: str, found: str = "", hint: str = "") -> str:
    """Puts the parts of a message together.

    >>> print(sentence("KMeans", "n_clusters must be at most the number of rows", "got 8 with 5 rows", "use fewer"))
    KMeans: n_clusters must be at most the number of rows; got 8 with 5 rows.
    hint: use fewer.
    """
    text = f"{who}: {must}" + (f"; {found}" if found else "")
    text = text if text.endswith(("\n", ".", "?")) else text + "."
    return text + (f"\nhint: {hint.rstrip('.')}." if hint else "")


def some(items: Iterable[object], most: int = 5) -> str:
    """The first few of many, as text.

    >>> some([4, 17, 90], most=2)
    '4, 17 and 1 more'
    """
    shown: Sequence[object] = list(items)
    text = ", ".join(str(item) for item in shown[:most])
    return text if len(shown) <= most else f"{text} and {len(shown) - most} more"


def named(noun: str, items: Iterable[object], most: int = 5) -> str:
    """Some things under their noun, in singular or plural.

    >>> named("row", [4]), named("row", [4, 17])
    ('row 4', 'rows 4, 17')
    """
    shown = list(items)
    return f"{noun if len(shown) == 1 else noun + 's'} {some(shown, most)}"


def short(value: object, most: int = 40) -> str:
    """A value as text, cut in the middle when it is long.

    >>> short(10**60, most=11)
    '10000...00000'
    """
    text = repr(value)
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


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
