"""Columns of two values as zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, join_some, noun_list, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.coding import categories_in, column_of, encode, is_nan, objects, unknown_words
from pellucid.data.design import Design, InputSpec
from pellucid.data.kinds import is_missing
from pellucid.estimator.roles import SameNames
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._encoder import Encoder, check_dtype, kept_numbers

__all__ = ["BooleanEncoder"]

# English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Czech, Hungarian, Turkish, Finnish, Swedish,
# Russian, Chinese, Japanese.
# fmt: off
TRUE_WORDS = frozenset({
    "true", "t", "yes", "y", "1", "on", "ja", "j", "wahr", "oui", "o", "vrai", "sí", "si", "s", "verdadero",
    "sim", "verdadeiro", "vero", "waar", "tak", "prawda", "ano", "pravda", "igen", "igaz", "evet", "doğru",
    "kyllä", "tosi", "sant", "да", "истина", "是", "真", "はい", "present", "active", "positive", "pass", "passed",
})
FALSE_WORDS = frozenset({
    "false", "f", "no", "n", "0", "off", "nein", "falsch", "non", "faux", "falso", "não", "nao", "nee",
    "onwaar", "nie", "fałsz", "ne", "nepravda", "nem", "hamis", "hayır", "yanlış", "ei", "epätosi", "nej",
    "falskt", "нет", "ложь", "否", "假", "いいえ", "absent", "inactive", "negative", "fail", "failed",
})
# fmt: on


def _check_true(value: Any) -> str | None:
    if isinstance(value, dict | list | tuple | set | frozenset | np.ndarray) or value == "auto":
        return None
    return f"true_values must be 'auto', a list of values or a dict of column: value; got {short_repr(value)}"


class BooleanEncoder(SameNames, Encoder):
    """Turns columns of two values into zeros and ones.

    A column with the values a and b becomes  ``z = 1 if x = b, else 0``,  where b is the value that means true. With
    ``true_values="auto"`` that is a value such as yes, ja, oui, true, on or 1 (the words for it in sixteen languages,
    in small or capital letters), or the partner of one such as no, nein, false, off or 0; a single letter counts as a
    word only if its partner does too. If no word is known, it is the second in ascending order: of female and male,
    male. A missing value stays missing (NaN).

    A column of more than two values is refused, naming them; with ``more="keep"`` one that holds numbers stays as it
    is. A column of one value is 1 if the value means true, else 0. For more than two values use `OneHotEncoder` or
    `OrdinalEncoder`.

    Attributes
    ----------
    categories_ : list of arrays or None
        Of each column the value that becomes 0 and the one that becomes 1; None for a column that is kept as it is.
    true_values_ : list
        The value of each column that becomes 1; None where there is none.

    Examples
    --------
    >>> from pellucid.preprocessing import BooleanEncoder
    >>> encoder = BooleanEncoder(dtype=int)
    >>> encoder.fit_transform([["ja", "female"], ["nein", "male"], ["ja", "male"]])
    array([[1, 0],
           [0, 1],
           [1, 1]])
    >>> encoder.true_values_
    ['ja', 'male']
    >>> encoder.inverse_transform([[0, 0]])
    array([['nein', 'female']], dtype=object)
    """

    true_values: Any = param(
        default="auto",
        check=_check_true,
        doc="What becomes 1: 'auto', a list of values for any column, or a dict of column name (or number): value.",
    )
    dtype: Any = param(
        default=np.float64, check=check_dtype, doc="Type of the result's numbers; bool for flags. Only floats hold NaN."
    )
    handle_unknown: Literal["error", "missing"] = param(
        default="error", doc="What becomes of a value that fit did not see: an error, or NaN."
    )
    more: Literal["error", "keep"] = param(
        default="error", doc="What becomes of a column of more than two values: an error, or its numbers are kept."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    # ------------------------------------------------------------------------------------------------------------ fit

    def _fit(self, d: Design, trace: Trace) -> None:
        self._check_columns(d)
        self.categories_: list[Any] = [self._pair(d, j) for j in range(d.n_cols)]
        self.true_values_ = [None if pair is None or len(pair) < 2 else pair.tolist()[1] for pair in self.categories_]
        self._gap_ = [self._missing_value(d, j) for j in range(d.n_cols)]
        for j in range(d.n_cols):
            self._refuse_gaps(d, j, d.table.missing(j))

    def _pair(self, d: Design, j: int) -> Array | None:
        """The value that becomes 0 and the one that becomes 1; one that does not occur is None."""
        categories, _ = categories_in(d.table, j, self._threads, d.who)
        values = categories[[not is_missing(value) for value in categories.tolist()]]
        if len(values) > 2:
            if self.more == "keep":
                self._numbers(d, j)  # or it is refused
                return None
            listed = join_some([short_repr(value) for value in values.tolist()])
            requirement = f"column {d.table.label(j)} must have two values"
            hint = "use OneHotEncoder or OrdinalEncoder for it, or more='keep' for a column of numbers"
            raise DataError(format_message(d.who, requirement, actual=f"it has {len(values):,}: {listed}", hint=hint))
        if self._given(d, j) is None and len(values) and all(_is_bit(value) for value in values.tolist()):
            like = type(values.tolist()[0])
            return np.array([like(0), like(1)], dtype=values.dtype)  # the other of the two may come later
        is_true = self._is_true(d, j, values.tolist())
        if len(values) == 2:
            return values[::-1] if is_true[0] else values
        if len(values) == 1 and is_true[0]:
            return objects([None, values.tolist()[0]])
        return values

    def _is_true(self, d: Design, j: int, values: list[Any]) -> list[bool]:
        true_values = self._given(d, j)
        if true_values is not None:
            flags = [
                any(value == one and isinstance(value, str) == isinstance(one, str) for one in true_values)
                for value in values
            ]
            if sum(flags) != 1 and values and not (len(values) == 1 and sum(flags) == 0):
                requirement = f"true_values must name one of the values of column {d.table.label(j)}"
                raise DataError(
                    format_message(d.who, requirement, actual=f"it has {join_some(map(short_repr, values))}")
                )
            return flags
        words = [str(value).strip().casefold() for value in values]
        yes, no = ([word in known for word in words] for known in (TRUE_WORDS, FALSE_WORDS))
        if len(values) == 1:
            return [yes[0] and (len(words[0]) > 1 or words[0] == "1")]
        if sum(yes) == sum(no) == 1 and yes != no:
            return yes
        yes, no = ([one and len(word) > 1 for one, word in zip(known, words, strict=True)] for known in (yes, no))
        if sum(yes) + sum(no) == 1:  # one word is known, and says what the other one is
            return yes if sum(yes) == 1 else [not one for one in no]
        return [False, True][: len(values)]

    def _given(self, d: Design, j: int) -> list[Any] | None:
        """Values that the user says are true in this column, or None."""
        if isinstance(self.true_values, str):
            return None
        if isinstance(self.true_values, dict):
            name = d.table.names[j] if d.table.names is not None else j
            key = name if name in self.true_values else j
            return [self.true_values[key]] if key in self.true_values else None
        return list(self.true_values)

    def _check_columns(self, d: Design) -> None:
        if not isinstance(self.true_values, dict):
            return
        valid = {*range(d.n_cols), *(d.table.names or ())}
        strange = [name for name in self.true_values if name not in valid]
        if strange:
            requirement = "true_values must name columns of the table"
            listed = join_some(d.table.label(j) for j in range(d.n_cols))
            actual = f"there is no {noun_list('column', map(repr, strange))}; there are {listed}"
            raise DataError(format_message(d.who, requirement, actual=actual))

    def _missing_value(self, d: Design, j: int) -> Any:
        """How this column writes a missing value: None or NaN."""
        values = d.table.column(j)
        if values.dtype.kind != "O":
            return np.nan
        return next((np.nan if is_nan(value) else None for value in values.tolist() if is_missing(value)), np.nan)

    # ------------------------------------------------------------------------------------------------------ transform

    def _transform(self, d: Design) -> Array:
        out = np.empty((d.n_rows, d.n_cols), dtype=self.dtype)
        for j, pair in enumerate(self.categories_):
            if pair is None:
                out[:, j] = self._as_dtype(d, j, self._numbers(d, j))
                continue
            values, missing = column_of(d.table, j, d.who), d.table.missing(j)
            codes = np.full(d.n_rows, -1, dtype=np.int32)
            if len(pair):
                encode(values, pair, codes, self._threads)
            codes[missing] = -1
            unknown = (codes < 0) & ~missing
            if unknown.any() and self.handle_unknown == "error":
                words = unknown_words(d.table, j, np.where(unknown, -1, 0), d.who, "transform")
                raise DataError(
                    format_message(d.who, "every value must be a known category", actual=words, hint=self._unknown_hint)
                )
            self._refuse_gaps(d, j, codes < 0)
            out[:, j] = np.where(codes < 0, np.nan, codes) if np.dtype(self.dtype).kind == "f" else codes
        return out

    def _refuse_gaps(self, d: Design, j: int, is_missing: Flags) -> None:
        if is_missing.any() and np.dtype(self.dtype).kind != "f":
            requirement = "dtype must be a float type where values are missing"
            actual = (
                f"column {d.table.label(j)} has none in {noun_list('row', np.flatnonzero(is_missing))}, and dtype is "
            )
            raise DataError(
                format_message(
                    d.who,
                    requirement,
                    actual=actual + str(np.dtype(self.dtype)),
                    hint="dtype=float, or an imputer before",
                )
            )

    def _numbers(self, d: Design, j: int) -> Array:
        """The numbers of a column that is kept."""
        requirement = f"column {d.table.label(j)} must have two values or hold numbers"
        return kept_numbers(d, j, requirement, "use OneHotEncoder for it")

    def _as_dtype(self, d: Design, j: int, numbers: Array) -> Array:
        if np.dtype(self.dtype).kind != "f":
            self._refuse_gaps(
                d, j, np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), dtype=bool)
            )
            converted = numbers.astype(self.dtype)
            if not np.array_equal(converted, numbers):
                requirement = f"dtype must hold the numbers of column {d.table.label(j)}, which is kept as it is"
                raise DataError(
                    format_message(d.who, requirement, actual=f"dtype is {np.dtype(self.dtype)}", hint="dtype=float")
                )
            return converted
        return numbers.astype(self.dtype)

    def inverse_transform(self, X: Any) -> Array:
        """The values behind zeros and ones; missing ones stay missing.

        Parameters
        ----------
        X : table of numbers as `transform` makes them
        """
        self._check_fitted()
        table = np.asarray(self._read_encoded(X, self.n_features_in_, InputSpec(missing=True)))
        return self._decoded([self._inverse_column(j, table[:, j]) for j in range(self.n_features_in_)])

    def _inverse_column(self, j: int, numbers: Array) -> Array:
        pair = self.categories_[j]
        if pair is None:
            return numbers
        missing = np.isnan(numbers)
        allowed = [code for code, value in enumerate(pair.tolist()) if value is not None]
        wrong = ~missing & ~np.isin(numbers, allowed)
        if wrong.any():
            requirement = f"numbers of column 'x{j}' must be {' or '.join(map(str, allowed)) or 'missing'}"
            actual = f"got {short_repr(numbers[wrong][0].item())} in {noun_list('row', np.flatnonzero(wrong))}"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual))
        if not missing.any():
            return np.asarray(pair[numbers.astype(np.int64)])
        found_values = objects(
            self._gap_[j] if is_empty else pair.tolist()[int(code)] for is_empty, code in _both(missing, numbers)
        )
        return found_values.astype(pair.dtype) if pair.dtype.kind == "f" and len(pair) else found_values


def _is_bit(value: Any) -> bool:
    return isinstance(value, int | float) and value in (0, 1)


def _both(a: Array, b: Array) -> Iterable[tuple[Any, Any]]:
    return zip(a.tolist(), b.tolist(), strict=True)
