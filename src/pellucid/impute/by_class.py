"""One value for each class or group of rows for all that is missing in a column."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, DataTypeError, format_message, noun_list, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.coding import objects
from pellucid.data.design import Design, InputSpec
from pellucid.data.kinds import is_missing
from pellucid.data.target import attach_labels
from pellucid.estimator.trace import Trace
from pellucid.impute._columns import Column, as_statistics, central, chosen, filled, read_columns, stacked
from pellucid.impute._imputer import Imputer
from pellucid.impute._places import place_of

__all__ = ["ClassImputer"]


class ClassImputer(Imputer):
    """Fills what is missing in a column with the mean, median or mode of the rows of the same class or group.

    ``x_ij = center of column j over the rows of the class of row i that have it``.  The class is that of the target y,
    or, with ``by``, the value of a named column of the table, such as a region or a product line.

    **With y the target leaks into the columns**: a filled value tells the class of its row, so a model fitted on the
    result looks better on it than it is; and later rows, whose class nobody knows, are filled otherwise than those of
    the fit. Use it to describe data, not to judge models. The form ``by=`` leaks nothing and fills new rows as it
    filled the old ones.

    `fit_transform` uses the class of each row; `transform` knows no y and uses the overall value, as it does for a
    group that `fit` did not see or a row whose group is missing (`unknown`). A column without values in a class has its
    overall value there. Strategy "auto" is that of `SimpleImputer`, decided on the whole column. scikit-learn has no
    such imputer.

    Attributes
    ----------
    groups_ : array
        The classes of y, or the values of the column `by`, in order of appearance for the latter.
    group_statistics_ : array of groups x columns
        What is filled in for each.
    statistics_ : one value a column
        The overall values.
    strategies_ : list
        The strategy of each column.
    indicator_ : MissingIndicator or None
        Which columns get an indicator, with `add_indicator`.

    Examples
    --------
    >>> from pellucid.impute import ClassImputer
    >>> nan = float("nan")
    >>> X, y = [[1.0], [3.0], [nan], [10.0], [nan]], ["a", "a", "a", "b", "b"]
    >>> imputer = ClassImputer(strategy="mean")
    >>> imputer.fit_transform(X, y).ravel().tolist()
    [1.0, 3.0, 2.0, 10.0, 10.0]
    >>> imputer.transform([[nan]]).ravel().round(2).tolist()
    [4.67]
    >>> rows = [["north", 1.0], ["north", nan], ["south", 10.0], ["south", nan], ["west", nan]]
    >>> ClassImputer(strategy="mean", by=0).fit_transform(rows)[:, 1].tolist()
    [1.0, 1.0, 10.0, 10.0, 5.5]
    """

    strategy: Literal["mean", "median", "most_frequent", "auto"] = param(
        default="auto", doc="The central value: see `SimpleImputer`. The column `by` itself gets its mode."
    )
    by: Any = param(
        default=None,
        check=lambda value: (
            None
            if value is None or (isinstance(value, str | int | np.integer) and not isinstance(value, bool))
            else f"by must be the name or position of a column, or None; got {short_repr(value)}"
        ),
        doc="Name or position of the column whose values are the groups; None: the classes of y.",
    )
    unknown: Literal["overall", "error", "leave"] = param(
        default="overall",
        doc="What a gap gets in a row of an unknown class: the overall value, an error, or nothing.",
    )
    skew_limit: float = param(
        default=1.0, low=0, doc="With strategy='auto': a column whose skewness is further from 0 gets its median."
    )

    input_spec = InputSpec(missing=True, categories=True, raw=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.by is None
        names = self.strategy in ("most_frequent", "auto")
        tags.input_tags.categorical = tags.input_tags.string = names
        return tags

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns the central values of each class.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, or list of rows.
        y : n labels
            The class of each row; not looked at with `by`.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learns the central values of each class and fills the gaps of the same table, each by its row's class.

        Parameters
        ----------
        X : table of n rows and p columns
        y : n labels
            The class of each row; not looked at with `by`.
        """
        self.fit(X, y)
        d = self._validate_predict(X)
        if self._by_ is not None:
            return self._transform(d)
        self._attach_target(d, y)
        return self._filled(d, read_columns(d, self.missing_values), d.y[:, 0].astype(np.int64))

    def _attach_target(self, d: Design, y: Any) -> None:
        if self.by is not None:
            return
        attach_labels(d, y)
        if not d.y_is_vector:
            raise DataError(format_message(d.who, "y must hold one label a row", actual=f"got {d.y.shape[1]} columns"))

    def _fit(self, d: Design, trace: Trace) -> None:
        columns = read_columns(d, self.missing_values)
        self._by_ = None if self.by is None else place_of(self.by, d, "by")
        if self._by_ is None:
            self.groups_, codes = d.classes[0], d.y[:, 0].astype(np.int64)
        else:
            self.groups_, codes = _groups_of(columns[self._by_], d.who)
        self.strategies_ = [
            "most_frequent" if j == self._by_ else chosen(column, self.strategy, self.skew_limit)
            for j, column in enumerate(columns)
        ]
        overall = [self._center(column, j, None, d.who) for j, column in enumerate(columns)]
        empty = np.array([column.missing.all() for column in columns])
        if self.keep_empty_features:
            overall = [0 if gone else value for value, gone in zip(overall, empty.tolist(), strict=True)]
        self.statistics_ = as_statistics(overall)
        self.group_statistics_ = self._by_group(columns, codes, overall, d.who)
        self._keep_columns(empty, d, f" with strategy={self.strategy!r}")
        self._fit_indicator(np.column_stack([column.missing for column in columns]) if self.add_indicator else None)

    def _center(self, column: Column, j: int, where: Flags | None, who: str) -> Any:
        part = (
            column if where is None else Column(column.values[where], column.missing[where], column.kind, column.label)
        )
        return central(part, self.strategies_[j], who, self._threads)

    def _by_group(self, columns: list[Column], codes: Array, overall: list[Any], who: str) -> Array:
        rows = []
        for code in range(len(self.groups_)):
            where = codes == code
            found = [self._center(column, j, where, who) for j, column in enumerate(columns)]
            rows.append([o if is_missing(v) else v for v, o in zip(found, overall, strict=True)])
        flat = as_statistics([value for row in rows for value in row])
        return flat.reshape(len(rows), len(columns))

    # -------------------------------------------------------------------------------------------------------- transform

    def _transform(self, d: Design) -> Any:
        columns = read_columns(d, self.missing_values)
        codes = None
        if self._by_ is not None:
            place = {value: code for code, value in enumerate(self.groups_.tolist())}
            own = columns[self._by_]
            values = zip(own.values.tolist(), own.missing.tolist(), strict=True)
            codes = np.array([-1 if gone else place.get(value, -1) for value, gone in values], dtype=np.int64)
        return self._filled(d, columns, codes)

    def _filled(self, d: Design, columns: list[Column], codes: Array | None) -> Any:
        """codes : the group of each row, -1 for an unknown one; None: unknown for all."""
        self._warn_of_dropped(d)
        codes = np.full(d.n_rows, -1) if codes is None else codes
        self._refuse_unknown(d, columns, codes)
        done = {j: self._fill_column(columns[j], j, codes) for j in self._kept_.tolist()}
        missing = {j: column.missing for j, column in enumerate(columns)}
        if self._library(d):
            return self._as_frame(d, {j: values for j, values in done.items() if missing[j].any()}, missing)
        flags = np.column_stack([column.missing for column in columns]) if self.add_indicator else None
        return self._with_indicator(as_array(d, columns, done), flags)

    def _fill_column(self, column: Column, j: int, codes: Array) -> Array:
        known, unknown = column.missing & (codes >= 0), column.missing & (codes < 0)
        values = self.group_statistics_[codes[known], j]
        if self.group_statistics_.dtype == object:
            values = _narrowed(values)
        done = filled(column.values, known, values)
        if self.unknown == "overall":
            overall = self.statistics_[j]
            done = filled(done, unknown, overall.item() if isinstance(overall, np.float64) else overall)
        return done

    def _refuse_unknown(self, d: Design, columns: list[Column], codes: Array) -> None:
        if self.unknown != "error":
            return
        gaps = np.any([columns[j].missing for j in self._kept_.tolist()], axis=0)
        rows = np.flatnonzero(gaps & (codes < 0))
        if len(rows):
            requirement = "the class of every row with a missing value must be known"
            actual = f"it is not in {noun_list('row', rows)}"
            raise DataError(
                format_message(
                    d.who, requirement, actual=actual, hint="unknown='overall' fills the overall value there"
                )
            )


def as_array(d: Design, columns: list[Column], done: dict[int, Array]) -> Array:
    """Filled columns side by side: numbers where all are, objects where the table had such, or some are names."""
    floats = [
        values.astype(np.float64)
        if values.dtype == object and columns[j].is_number and (d.table.is_frame or not _objects(d))
        else values
        for j, values in done.items()
    ]
    return stacked(floats, d.n_rows, _objects(d))


def _objects(d: Design) -> bool:
    return not d.table.is_frame and d.table.source.dtype == object


def _narrowed(values: Array) -> Array:
    """Objects that are all numbers, as numbers."""
    listed = values.tolist()
    return np.array(listed, dtype=np.float64) if all(type(v) in (int, float) for v in listed) else values


def _groups_of(column: Column, who: str) -> tuple[Array, Array]:
    """The values of a column in the order in which they appear, and each row's among them; -1 where it is missing."""
    place: dict[Any, int] = {}
    codes = np.full(len(column.values), -1, dtype=np.int64)
    for i, (value, gone) in enumerate(zip(column.values.tolist(), column.missing.tolist(), strict=True)):
        try:
            codes[i] = -1 if gone else place.setdefault(value, len(place))
        except TypeError:
            requirement, actual = (
                "each value of the column `by` must be one value",
                f"column {column.label} holds {short_repr(value)}",
            )
            actual += "; argument must be a string or a number"
            raise DataTypeError(
                format_message(who, requirement, actual=actual, hint="turn it into text with str")
            ) from None
    if not place:
        raise DataError(
            format_message(who, "the column `by` must have values", actual=f"column {column.label} has none")
        )
    return objects(place), codes
