"""Missing values from a list that somebody wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, noun_list, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.coding import objects
from pellucid.data.design import Design, InputSpec
from pellucid.data.kinds import is_missing
from pellucid.estimator.trace import Trace
from pellucid.impute._columns import Column, filled, read_columns
from pellucid.impute._imputer import Imputer
from pellucid.impute._places import place_of
from pellucid.impute.by_class import as_array

__all__ = ["MapImputer"]


def _check_dict(name: str) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        if value is None or isinstance(value, Mapping):
            return None
        return f"{name} must be a dict with columns as keys, or None; got {short_repr(value)}"

    return check


class MapImputer(Imputer):
    """Fills what is missing with values that are given: one for a column, one for each key of another, or cell by cell.

    ``values={"age": 30}``  fills 30;  ``values={"fare": {"first": 84, "third": 13}}, by="class"``  looks up the row's
    `class`;  ``rows={"age": {3: 41}}``  fills the cell of row 3 (counted from 0) by hand. A cell by hand goes before a
    key, and where neither has a value the gap stays, or is an error (`unfilled`).

    For what is known beyond the table: a rule of the trade, a price list, a corrected form. `fit` checks that columns
    and keys are there and learns nothing. Row positions mean the table that they were written for: `fit_transform` uses
    them, `transform`, which fills other tables, does not. Columns are called by name, or by position where they have
    none. scikit-learn has no such imputer.

    Attributes
    ----------
    indicator_ : MissingIndicator or None
        Which columns get an indicator, with `add_indicator`.

    Examples
    --------
    >>> from pellucid.impute import MapImputer
    >>> X = [["first", None], ["third", None], ["third", 9.0], ["second", None]]
    >>> prices = MapImputer(values={1: {"first": 84.0, "third": 13.0}}, by=0, rows={1: {3: 20.0}})
    >>> prices.fit_transform(X)[:, 1].tolist()
    [84.0, 13.0, 9.0, 20.0]
    >>> prices.transform(X)[:, 1].tolist()
    [84.0, 13.0, 9.0, None]
    """

    values: Any = param(
        default=None,
        check=_check_dict("values"),
        doc="Column -> value, or column -> {key in the column `by` -> value}.",
    )
    by: Any = param(
        default=None,
        doc="The column whose values are the keys: its name or position, or a dict column -> key column.",
    )
    rows: Any = param(
        default=None, check=_check_dict("rows"), doc="Column -> {position of a row -> value}; for `fit_transform`."
    )
    unfilled: Literal["leave", "error"] = param(
        default="leave",
        doc="A gap without a value stays missing, or is an error; only of columns in `values` or `rows`.",
    )

    input_spec = InputSpec(missing=True, categories=True, raw=True)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fills_ = {place_of(name, d, "values"): value for name, value in dict(self.values or {}).items()}
        self._rows_ = {place_of(name, d, "rows"): dict(cells) for name, cells in self._cells()}
        self._keys_ = {j: self._key_column(j, d) for j, value in self._fills_.items() if isinstance(value, Mapping)}
        columns = read_columns(d, self.missing_values)
        self._check_rows(d)
        self._kept_ = np.arange(d.n_cols)
        self._fit_indicator(np.column_stack([column.missing for column in columns]) if self.add_indicator else None)

    def _cells(self) -> list[tuple[Any, Any]]:
        listed = list(dict(self.rows or {}).items())
        for name, cells in listed:
            if not isinstance(cells, Mapping):
                requirement = "rows must be column -> {position of a row -> value}"
                raise ParameterError(
                    format_message(
                        type(self).__name__, requirement, actual=f"got {short_repr(cells)} for column {name!r}"
                    )
                )
        return listed

    def _key_column(self, j: int, d: Design) -> int:
        by = self.by
        if isinstance(by, Mapping):
            places = {place_of(name, d, "by"): key for name, key in by.items()}
            by = places.get(j)
        if by is None:
            requirement = "by must say which column holds the keys of a column that is filled from a dict"
            actual, hint = f"there is none for column {d.table.label(j)}", "by=name of the column with the keys"
            raise ParameterError(format_message(d.who, requirement, actual=actual, hint=hint))
        return place_of(by, d, "by")

    def _check_rows(self, d: Design) -> None:
        for j, cells in self._rows_.items():
            wrong = [r for r in cells if not isinstance(r, int | np.integer) or not 0 <= r < d.n_rows]
            if wrong:
                requirement = f"positions of rows must be whole numbers from 0 to {d.n_rows - 1}"
                raise DataError(
                    format_message(
                        d.who, requirement, actual=f"got {short_repr(wrong[0])} for column {d.table.label(j)}"
                    )
                )

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fills the gaps of the table that the lists were written for, `rows` included.

        Parameters
        ----------
        X : table of n rows and p columns
        y : not looked at
            There for scikit-learn's sake.
        """
        self.fit(X)
        return self._filled(self._validate_predict(X), self._rows_)

    def _transform(self, d: Design) -> Any:
        return self._filled(d, {})

    def _filled(self, d: Design, by_hand: Mapping[int, Mapping[int, Any]]) -> Any:
        columns = read_columns(d, self.missing_values)
        done = {j: column.values for j, column in enumerate(columns)}
        for j in sorted({*self._fills_, *by_hand}):
            found, have = self._looked_up(columns, j, by_hand.get(j, {}))
            self._refuse_unfilled(d, columns[j], have)
            values = found[have]
            numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values.tolist())
            done[j] = filled(columns[j].values, have, np.array(values.tolist()) if numbers else values)
        missing = {j: column.missing for j, column in enumerate(columns)}
        if self._library(d):
            changed = {j: values for j, values in done.items() if values is not columns[j].values}
            return self._as_frame(d, changed, missing)
        flags = np.column_stack([column.missing for column in columns]) if self.add_indicator else None
        return self._with_indicator(as_array(d, columns, done), flags)

    def _looked_up(self, columns: list[Column], j: int, cells: Mapping[int, Any]) -> tuple[Array, Flags]:
        """The value for every row of a column, and for which gaps there is one."""
        n, fill = len(columns[j].values), self._fills_.get(j)
        found = objects([fill] * n)
        if isinstance(fill, Mapping):
            keys = columns[self._keys_[j]]
            pairs = zip(keys.values.tolist(), keys.missing.tolist(), strict=True)
            found = objects([None if gone else fill.get(key) for key, gone in pairs])
        for row, value in cells.items():
            found[row] = value
        have = np.array([not is_missing(value) for value in found.tolist()], dtype=bool)
        return found, columns[j].missing & have

    def _refuse_unfilled(self, d: Design, column: Column, have: Flags) -> None:
        rows = np.flatnonzero(column.missing & ~have)
        if self.unfilled == "error" and len(rows):
            requirement = "there must be a value for every missing one"
            actual = f"column {column.label} has none for {noun_list('row', rows)}"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="add to values or rows, or unfilled='leave'")
            )
